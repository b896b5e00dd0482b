"""Files of answers: each value with its interval, and hostile keys as texts in every format."""

import csv
import datetime as dt
import io
import json
import sys
import zipfile
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from answer_forms import with_ends

pytest.importorskip("ibis", reason="pip install 'discreet[tables]'")
from discreet import Ledger, ParameterError, UnsupportedError
from discreet.tables import Mean, People, Sum, Table
from discreet.tables.files import checked_target, write

HOSTILE = [
    '=HYPERLINK("http://x")',
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "'=1",
    "＝1",
    "http://x.example",
    "a,b",
    'a"b',
    "a\nb",
    "\u202eabc",
    "שלום",
    "{=1}",
    "x" * 40_000,
    "<b>&",
    "\x01",
]
SPREADSHEETS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def answer_of(keys, name="city", **frame):
    table = pa.table({name: pa.array(keys), **frame})
    return Table(table, person=None).group_by(name, keys=keys).count_people(epsilon=1)


def cells(path):
    """Every sheet of a workbook: its name, with the kind and the text of each cell."""
    space = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
    with zipfile.ZipFile(path) as book:
        parts = {name: ElementTree.fromstring(book.read(name)) for name in book.namelist() if name.endswith(".xml")}
        assert not any("hyperlink" in book.read(name).decode().lower() for name in book.namelist() if "rels" in name)
    shared = ["".join(t.text or "" for t in si.iter(f"{{{space['m']}}}t")) for si in parts["xl/sharedStrings.xml"]]
    names = [sheet.get("name") for sheet in parts["xl/workbook.xml"].find("m:sheets", space)]
    found = {}
    for i, name in enumerate(names, 1):
        rows = []
        for row in parts[f"xl/worksheets/sheet{i}.xml"].iter(f"{{{space['m']}}}row"):
            assert row.find(".//m:f", space) is None  # A formula.
            said = [(c.get("t", "n"), c.find("m:v", space)) for c in row]
            rows.append([(kind, shared[int(v.text)] if kind == "s" else v.text) for kind, v in said if v is not None])
        found[name] = rows
    return found


class TestIntervals:
    @pytest.mark.parametrize("confidence", [0, 1, "nan", None, "95", -1, "x"])
    def test_what_is_no_confidence_is_refused(self, confidence):
        with pytest.raises((ParameterError, TypeError)):
            answer_of(["a"]).with_confidence(confidence)

    def test_each_value_has_the_interval_of_its_own_column_beside_it(self):
        frame = pa.table({"id": range(60), "k": ["a", "b"] * 30, "x": [2.5] * 60})
        groups = Table(frame, person="id").group_by("k")
        asked = (Sum("x", 0, 5), Mean("x", 0, 5))
        answer = groups.release(*asked, epsilon=9, delta="1e-6", max_groups=1).with_confidence("0.8")
        assert [column.aggregate.label for column in answer.released] == ["people", "sum of x", "mean of x"]
        for label in answer.columns:
            low, high = answer[label].interval("0.8")
            assert [row[f"{label}_low"] for row in answer] == low.tolist()
            assert [row[f"{label}_high"] for row in answer] == high.tolist()
        assert "80 % noise interval" in str(answer)
        assert "80 %" in answer.to_html()
        assert answer.to_arrow().to_pylist() == answer.to_rows() == answer.to_polars().to_dicts()

    def test_the_ends_of_counts_are_integers_however_large(self):
        answer = Table(pa.table({"k": ["a"]}), person=None).count_people(epsilon=Fraction(1, 1 << 51))
        (row,) = answer.to_rows()
        assert {type(x) for x in row.values()} == {int}
        low, high = answer.interval()
        assert row["people_low"] <= low[0]
        assert row["people_high"] >= high[0]

    @pytest.mark.parametrize("label", ["k", "k_low", "k_high", "noisy_k", "k_low_low"])
    def test_no_two_columns_have_one_name(self, label):
        frame = pa.table({label: ["a"], "x": [1.0]})
        groups = Table(frame, person=None).group_by(label, keys=["a"])
        asked = [People(name="k"), Sum("x", 0, 1, name="k_low"), Sum("x", 0, 2, name="k_low_high")]
        for three in (asked, asked[::-1]):
            answer = groups.release(*three, epsilon=1)
            names = answer.to_arrow().column_names
            assert len(set(names)) == len(names) == 10
            assert list(answer.to_rows()[0]) == names
            assert names[0] == label

    def test_the_confidence_is_written_with_the_figures(self, tmp_path):
        answer = answer_of(["a"]).with_confidence("0.9")
        answer.save(tmp_path / "a.parquet")
        answer.save(tmp_path / "a.csv")
        answer.save(tmp_path / "a.json")
        assert json.loads(pq.read_schema(tmp_path / "a.parquet").metadata[b"discreet"])["confidence"] == "9/10"
        assert json.loads((tmp_path / "a.csv.receipt.json").read_text())["confidence"] == "9/10"
        assert json.loads((tmp_path / "a.json").read_text()) == answer.to_rows()
        assert next(csv.reader((tmp_path / "a.csv").open())) == ["city", *with_ends("people")]


class TestSafeCsv:
    def test_no_text_is_taken_for_a_formula_and_texts_that_differ_still_do(self, tmp_path):
        answer_of(HOSTILE, "=col").save(tmp_path / "a.csv", safe_csv=True)
        head, *rows = csv.reader(io.StringIO((tmp_path / "a.csv").read_bytes().decode(), newline=""))
        assert head[0] == "'=col"
        assert len({row[0] for row in rows}) == len(HOSTILE)
        assert not any(row[0].startswith(SPREADSHEETS) for row in rows)
        assert [
            row[0].removeprefix("'") if key[0] in "'=+-@\t\r＝" else row[0]
            for row, key in zip(rows, HOSTILE, strict=True)
        ] == HOSTILE

    def test_numbers_stay_numbers(self, tmp_path):
        answer_of([-1, 2]).save(tmp_path / "a.csv", safe_csv=True)
        assert [row[0] for row in csv.reader((tmp_path / "a.csv").open())] == ["city", "-1", "2"]

    def test_it_is_a_choice(self, tmp_path):
        answer_of(HOSTILE).save(tmp_path / "a.csv")
        rows = list(csv.reader(io.StringIO((tmp_path / "a.csv").read_bytes().decode(), newline="")))
        assert [row[0] for row in rows[1:]] == HOSTILE


class TestWorkbook:
    def test_without_its_library_nothing_is_charged(self, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "xlsxwriter", None)
        with pytest.raises(UnsupportedError, match=r"pip install 'discreet\[xlsx\]'"):
            checked_target(tmp_path / "a.xlsx")
        with pytest.raises(UnsupportedError, match="XlsxWriter"):
            answer_of(["a"]).save(tmp_path / "a.xlsx")
        assert list(tmp_path.iterdir()) == []

    def test_every_key_is_a_text_and_none_a_formula_or_a_link(self, tmp_path):
        pytest.importorskip("xlsxwriter", reason="pip install 'discreet[xlsx]'")
        answer_of(HOSTILE, "=col").save(tmp_path / "a.xlsx")
        head, *rows = cells(tmp_path / "a.xlsx")["Figures"]
        assert head == [("s", name) for name in ("=col", *with_ends("people"))]
        for key, row in zip(HOSTILE, rows, strict=True):
            kind, text = row[0]
            assert kind == "s"
            assert text.replace("_x0001_", "\x01").replace("_x000D_", "\r") == key or (
                "…" in text and len(text) == 32_767
            )
            assert [kind for kind, _ in row[1:]] == ["n"] * 3

    def test_it_says_the_guarantee_and_has_the_receipt(self, tmp_path):
        pytest.importorskip("xlsxwriter", reason="pip install 'discreet[xlsx]'")
        book = Ledger.in_memory(epsilon=2)
        frame = pa.table({"id": [1, 2], "k": ["a", "b"]})
        table = Table(frame, person="id", ledger=book)
        answer = table.group_by("k", keys=["a", "b"]).count_people(epsilon=1, max_groups=1)
        answer.save(tmp_path / "a.xlsx")
        said = {row[0][1]: row[1][1] for row in cells(tmp_path / "a.xlsx")["Guarantee"]}
        assert said["guarantee"] == answer.receipt.guarantee
        assert "2.72 times" in said["guarantee"]
        assert "a person is all rows of one id" in said["guarantee"]
        assert "95 %" in said["intervals"]
        assert said["bias"] == answer.bias
        assert said["price"] == "Epsilon 1 spent."
        assert json.loads(said["receipt"]) == answer.said

    @pytest.mark.parametrize(
        ("key", "kind", "text"),
        [
            (7, "n", "7"),
            (10**16 + 1, "s", str(10**16 + 1)),
            (True, "b", "1"),
            (dt.date(2026, 1, 31), "n", "46053"),
            (dt.date(1066, 10, 14), "s", "1066-10-14"),
            (dt.datetime(2026, 1, 31, 12), "n", "46053.5"),
            (dt.datetime(2026, 1, 31, 12, tzinfo=dt.UTC), "s", "2026-01-31 12:00:00+00:00"),
            (Decimal("1.50"), "n", "1.50"),
            (Decimal("1234567890.123456789"), "s", "1234567890.123456789"),
            (float("inf"), "s", "inf"),
            (dt.time(12, 1), "s", "12:01:00"),
        ],
        ids=str,
    )
    def test_keys_of_other_types_keep_their_value(self, key, kind, text, tmp_path):
        pytest.importorskip("xlsxwriter", reason="pip install 'discreet[xlsx]'")
        write(tmp_path / "a.xlsx", pa.table({"k": pa.array([key, None]), "people": [1, 2]}), {})
        _, row, missing = cells(tmp_path / "a.xlsx")["Figures"]
        assert row[0] == (kind, text)
        assert missing == [("n", "2")]

    def test_a_long_table_goes_on_on_another_sheet(self, tmp_path, monkeypatch):
        pytest.importorskip("xlsxwriter", reason="pip install 'discreet[xlsx]'")
        monkeypatch.setattr("discreet.tables.workbook._ROWS", 3)
        write(tmp_path / "a.xlsx", pa.table({"k": range(7)}), {})
        found = cells(tmp_path / "a.xlsx")
        assert list(found) == ["Figures", "Figures 2", "Figures 3", "Guarantee"]
        assert [text for rows in list(found.values())[:3] for [(_, text)] in rows[1:]] == [str(i) for i in range(7)]
        assert Path(tmp_path, "a.xlsx").stat().st_size > 0
