"""Files and frames: what may be asked follows from a header and from declared types, never from rows."""

import datetime
import itertools
import json
import sqlite3
from contextlib import closing
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import tiers
from tables_totals import exact

from discreet import Ledger
from discreet.errors import KindError, ParameterError
from discreet.tables import Bounding, People, Table
from discreet.tables.frames import arrow_table

SURE = 10**6
"""An epsilon so large that there is no noise."""
ROWS = ["1,Rome,2025,3.5", "1,Bath,2026,4", "2,Rome,2026,x", "3,Rome,,", "4,,2026,-7"]
DAY = datetime.date(2026, 1, 31)
NOON = datetime.datetime(2026, 1, 31, 12)
PEOPLE = {"epsilon": SURE, "max_groups": 3}


def csv(folder, rows=ROWS, name="x.csv", head="user,city,year,amount", end="\n"):
    path = folder / name
    lines = [row if isinstance(row, bytes) else row.encode() for row in (head, *rows)]
    path.write_bytes(end.encode().join([*lines, b""]))
    return path


def objects(rows):
    """Rows of CSV as objects of JSON, whose values are of whatever type they look like."""
    names = ("user", "city", "year", "amount")
    return [
        dict(zip(names, (json.loads(c) if c.isdigit() else c or None for c in r.split(",")), strict=True)) for r in rows
    ]


def lines(folder, rows, name="x.jsonl"):
    path = folder / name
    path.write_bytes(b"".join((r if isinstance(r, bytes) else json.dumps(r).encode()) + b"\n" for r in rows))
    return path


def counts(table, *by, keys=None):
    """The people in each group, without noise or threshold."""
    plan = Bounding(People(), person=table.person, by=by, max_groups=3 if table.person else 1, keys=keys)
    found = exact(plan, table._ibis)
    found = found if keys is None else dict(zip(keys, found, strict=True))
    return {key if len(by) > 1 else (key,): people for key, people in found.items()}


# Types.


LAST = ["7,Rome,zebra,zebra", "zebra,Rome,2026,1", "7,Rome,2026,1", "7,Rome,1.5,2026-01-01"]


@pytest.mark.parametrize(("kind", "last"), tiers.each(itertools.product(["csv", "jsonl", "json"], LAST), 5))
def test_what_can_be_asked_does_not_depend_on_a_row(kind, last, tmp_path):
    """One row that is not like the others used to change types, and with them what is refused and explained."""
    rows = [f"{i},Rome,{2020 + i % 5},{i}" for i in range(30_000)]
    said = []
    for given in (rows, [*rows, last]):
        if kind == "csv":
            path, types = csv(tmp_path, given), {}
        elif kind == "jsonl":
            path, types = lines(tmp_path, objects(given)), dict.fromkeys(("city", "year", "amount", "user"), "text")
        else:
            path, types = tmp_path / "x.json", dict.fromkeys(("city", "year", "amount", "user"), "text")
            path.write_text(json.dumps(objects(given)))
        t = Table(path, person="user", types=types)
        said.append((t._ibis.schema(), t.group_by("year").explain(epsilon=1, delta="1e-6", max_groups=1)))
        with pytest.raises(ParameterError):
            t.where("year = 2024")
        answer = t.group_by("year", keys=["2024"]).count_people(epsilon=SURE, max_groups=1)
        assert answer.columns["people"] == [6000]
        assert answer.keys == [("2024",)]
    assert said[0][0] == said[1][0]
    assert said[0][1] == said[1][1]


def test_undeclared_columns_are_text(tmp_path):
    t = Table(csv(tmp_path), person="user")
    assert {str(kind) for kind in t._ibis.schema().types} == {"string"}
    assert counts(t, "year") == {("2025",): 1, ("2026",): 3, (None,): 1}
    assert counts(t, "year", keys=["2026", "2030"]) == {("2026",): 3, ("2030",): 0}
    assert t.where("year = '2026'").count_people(epsilon=SURE).columns["people"] == [3]


def test_declared_columns_have_their_type_and_null_where_a_text_has_not(tmp_path):
    path = csv(tmp_path, ["1,x,2026,1.25", "2,y,20 26,1.255", "3,z,9223372036854775808,nan", "4,,,"], end="\r\n")
    t = Table(path, person="user", types={"year": "integer", "amount": "decimal(5,2)"})
    assert counts(t, "year") == {(2026,): 1, (None,): 3}
    assert counts(t, "amount") == {(Decimal("1.25"),): 1, (Decimal("1.26"),): 1, (None,): 2}
    assert t.where("year >= 2000").count_people(epsilon=SURE).columns["people"] == [1]
    assert t.types == {"year": "integer", "amount": "decimal(5,2)"}
    assert t.count_people(epsilon=1).receipt.types == {"year": "integer", "amount": "decimal(5,2)"}


@pytest.mark.parametrize(
    ("kind", "texts", "keys"),
    [
        ("integer", ["7", " 7 ", "+7", "x", "7e0"], {7: 4, None: 1}),
        ("number", ["0.5", "5e-1", "x", "-0.0", "0"], {0.5: 2, None: 1, 0.0: 2}),
        ("text", ["7", " 7", "", "x"], {"7": 1, " 7": 1, None: 1, "x": 1}),
        ("boolean", ["true", "TRUE", "false", "maybe"], {True: 2, False: 1, None: 1}),
        ("date", ["2026-01-31", "2026-02-31", "31.1.2026"], {datetime.date(2026, 1, 31): 1, None: 2}),
        ("timestamp", ["2026-01-31 12:00", "2026-01-31T12:00:00", "noon"], {NOON: 2, None: 1}),
        ("decimal(4,1)", ["1.5", "1.50", "12345.6"], {Decimal("1.5"): 2, None: 1}),
        ("decimal comma", ["1.234", "1234", "1234.5", "n/a", "1e3", "1.234.567"], {1234: 2, None: 3, 1234567: 1}),
        ("day.month.year", ["31.1.2026", "31.01.2026", "2026-01-31", "1/31/2026", "32.1.2026"], {DAY: 3, None: 2}),
        ("day/month/year", ["31/1/2026", "2026-01-31", "1/31/2026", "31.1.2026"], {DAY: 2, None: 2}),
        ("month/day/year", ["1/31/2026", "01/31/2026", "31/1/2026", "x"], {DAY: 2, None: 2}),
    ],
)  # fmt: skip
def test_each_type_reads_the_texts_that_are_of_it(kind, texts, keys, tmp_path):
    path = csv(tmp_path, [f"{i},{text}" for i, text in enumerate(texts)], head="user,k")
    t = Table(path, person="user", types={"k": kind})
    assert counts(t, "k") == {(key,): n for key, n in keys.items()}
    rows = [{"user": i, "k": text or None} for i, text in enumerate(texts)]
    assert counts(Table(lines(tmp_path, rows), person="user", types={"user": "text", "k": kind}), "k") == counts(t, "k")


@pytest.mark.parametrize(
    "kind", ["int", "Integer", "decimal", "decimal(0,0)", "decimal(39,1)", "decimal(2,3)", "", "text; --"]
)
def test_types_that_are_none_are_refused_by_name(kind, tmp_path):
    with pytest.raises(ParameterError, match="need one of integer, number, text"):
        Table(csv(tmp_path), types={"year": kind}, person=None)


@pytest.mark.parametrize(
    "types", [[("year", "integer")], "year=integer", {"year": int}, {1: "integer"}, pd.DataFrame()]
)
def test_types_of_another_type_are_refused(types, tmp_path):
    with pytest.raises(KindError, match="types"):
        Table(csv(tmp_path), types=types, person=None)


def test_types_are_for_columns_that_are_there_and_for_text_files(tmp_path):
    with pytest.raises(ParameterError, match="did you mean 'year'"):
        Table(csv(tmp_path), types={"yaer": "integer"}, person=None)
    frame = pd.DataFrame({"year": [1]})
    frame.to_parquet(tmp_path / "x.parquet")
    for source in (frame, tmp_path / "x.parquet"):
        with pytest.raises(ParameterError, match="types"):
            Table(source, types={"year": "integer"}, person=None)


def test_values_are_numbers_without_being_declared(tmp_path):
    t = Table(csv(tmp_path), person="user")
    assert t.sum("amount", low=-10, high=10, epsilon=SURE, grid="1/2").columns["sum"] == [0.5]
    assert t.mean("amount", low=-8, high=8, epsilon=SURE, grid="1/4").columns["people"] == [2]
    both = t.group_by("year", keys=["2026"]).sum("year", low=0, high=4000, epsilon=SURE, max_groups=1, grid=1)
    assert both.columns["sum"] == [3 * 2026]
    with pytest.raises(KindError, match="a column of numbers"):
        Table(csv(tmp_path), person="user", types={"amount": "text"}).sum("amount", low=0, high=1, epsilon=1)


def test_a_filter_of_the_wrong_type_says_how_to_declare_it_and_costs_nothing(tmp_path):
    book = Ledger(tmp_path / "budget.db", epsilon=1)
    t = Table(csv(tmp_path), person="user", ledger=book)
    for ask in (lambda: t.where("year = 2026"), lambda: t.group_by("year", keys=[2026])):
        with pytest.raises(ParameterError, match=r"types=.*--type year=integer"):
            ask()
    assert book.entries() == []
    with pytest.raises(ParameterError) as caught:
        Table(pd.DataFrame({"year": ["2026"]}), person=None).where("year = 2026")
    assert "--type" not in str(caught.value)


# CSV.

ODD_ROWS = {
    "too short": b"9,Bath",
    "too long": b"9,Bath,1,2,3,4",
    "not UTF-8": b"9,B\xff\xfeth,1,2",
    "a lone surrogate": b"9,\xed\xa0\x80,1,2",
    "text after a quote": b'9,"Ba"th,1,2',
    "a quote within": b'9,Ba"th,1,2',
    "nothing": b"",
    "zero bytes": b"9,\x00,1,2",
    "another end of line": b"9,Bath,1,2\r",
    "a long line": b"9," + b"x" * 3_000_000 + b",1,2",
    "a new line in quotes": b'9,"Ba\nth",1,2',
    "a comment": b"# 9",
    "a formula": b'9,"=cmd()",1,2',
}


@pytest.mark.parametrize(
    "types",
    [pytest.param({}, marks=pytest.mark.deep), {"year": "integer", "amount": "number"}],
    ids=["texts", "typed"],
)
@pytest.mark.parametrize("odd", tiers.each(ODD_ROWS.values(), 2), ids=tiers.each(ODD_ROWS, 2))
def test_no_row_of_csv_makes_a_query_fail_or_moves_another(odd, types, tmp_path):
    rows = [f"{i},Rome,2026,1" for i in range(100, 3100)]
    t = Table(csv(tmp_path, [*rows[:1500], odd, *rows[1500:]]), person="user", types=types)
    answer = t.group_by("city", keys=["Rome"]).sum("amount", low=0, high=1, epsilon=SURE, max_groups=1, grid=1)
    assert answer.columns["sum"] == [3000]


def test_an_export_of_a_spreadsheet_is_read(tmp_path):
    """Semicolons, a byte order mark, Windows' ends of lines, decimal commas, days first, and umlauts."""
    rows = ["1;Köln;31.01.2026;1.234,50", '2;"Bonn; Süd";2026-01-31;2,5', "3;;;n/a"]
    path = csv(tmp_path, rows, head="\ufeffuser;city;day;amount", end="\r\n")
    t = Table(path, person="user", types={"day": "day.month.year", "amount": "decimal comma"})
    assert counts(t, "city") == {("Köln",): 1, ("Bonn; Süd",): 1, (None,): 1}
    assert counts(t, "day") == {(DAY,): 2, (None,): 1}
    assert t.sum("amount", low=0, high=2000, epsilon=SURE, grid="1/2").columns["sum"] == [1237]


@pytest.mark.parametrize("row", ["7;a;b", "7,a,b", "7", ""])
def test_the_header_alone_says_what_separates_columns(row, tmp_path):
    for head, columns in {"user;a;b": 3, '"user;a;b"': 1, "user;a,b": 2, "user": 1}.items():
        assert len(Table(csv(tmp_path, [row] * 9, head=head), person=None)._ibis.columns) == columns


def test_files_of_one_table_have_one_separator(tmp_path):
    csv(tmp_path, name="1.csv")
    csv(tmp_path, name="2.csv", head="user;city;year;amount")
    with pytest.raises(ParameterError, match="the same first row"):
        Table(tmp_path / "*.csv", person="user")


@pytest.mark.parametrize("size", [1_000, 100_000, 3_000_000])
def test_a_long_field_is_one_row_wherever_it_is_in_a_file(size, tmp_path):
    """Its text looks like rows of others; it crosses one of the places at which DuckDB would divide a file."""
    rows = [b"%07d,Rome,a note of forty characters more or less\n" % i for i in range(200_000)]
    long = b'9000000,Rome,"' + b"x1,Oslo,x\n" * (size // 10) + b'"\n'
    before = (8_000_000 - len(long) // 2) // len(rows[0])
    path = tmp_path / "x.csv"
    path.write_bytes(b"user,city,note\n" + b"".join([*rows[:before], long, *rows[before:]]))
    whole = size < 2_000_000  # A row of more is left out.
    assert counts(Table(path, person="user"), "city", keys=["Rome", "Oslo"]) == {
        ("Rome",): 200_000 + whole,
        ("Oslo",): 0,
    }


@pytest.mark.parametrize("size", [1_000_000, 34_000_000])
def test_a_long_line_of_json_takes_no_other_away(size, tmp_path):
    path, types = tmp_path / "x.jsonl", {"user": "text", "city": "text"}
    rows = [json.dumps({"user": str(i), "city": "Rome"}) for i in range(1000)]
    path.write_text("\n".join([*rows, json.dumps({"user": "x", "city": "y" * size}), *rows[:1]]))
    assert counts(Table(path, person="user", types=types), "city", keys=["Rome"]) == {("Rome",): 1000}
    everybody = Table(path, person="user", types=types).count_people(epsilon=10**6).columns["people"]
    assert everybody == [1000 + (size < 2_000_000)]


def test_any_name_of_json_is_that_name_and_no_pattern(tmp_path):
    names = ["user", "a\\b", "t\tb", "*", 'q"x', "a'b", "line", "~/", "~1", "$", "#", "0", "a.b", "[0]"]
    path = lines(tmp_path, [{name: f"v{i}" for i, name in enumerate(names)}, b"[7, 8]"])
    rows = Table(path, person="user", types=dict.fromkeys(names, "text"))._ibis.to_pyarrow().to_pylist()
    assert rows == [{name: f"v{i}" for i, name in enumerate(names)}, dict.fromkeys(names)]


def test_separators_quotes_and_headers_are_not_guessed(tmp_path):
    t = Table(csv(tmp_path, ["'a,b',c"] * 10, head="k,v"), types={"k": "text"}, person=None)
    assert counts(t, "k", keys=["'a", "a,b"]) == {("'a",): 10, ("a,b",): 0}
    t = Table(csv(tmp_path, ["1,2", "3,4"], head="5,6"), person=None)  # Numbers are names where they come first.
    assert t._ibis.columns == ("5", "6")
    assert t.count_rows(epsilon=SURE).columns["rows"] == [2]
    t = Table(csv(tmp_path, ["a,b\tc"] * 3, head="k\tv", name="x.tsv"), person=None)
    assert counts(t, "k") == {("a,b",): 3}


@pytest.mark.parametrize("head", ['user,it\'s,"a ""b""",select', '\ufeffuser,{x},"a,b",%s'])
def test_headers_may_name_columns_as_they_like(head, tmp_path):
    t = Table(csv(tmp_path, ["1,2,3,4", "2,2,3,4"], head=head), person="user")
    for name in t._ibis.columns[1:]:
        assert sum(counts(t, name).values()) == 2
    assert t._ibis.columns[0] == "user"


def test_a_column_without_a_name_is_called_by_its_place(tmp_path):
    pd.DataFrame({"city": ["Rome", "Bath"]}).to_csv(tmp_path / "x.csv")
    assert Table(tmp_path / "x.csv", person="column0").count_people(epsilon=SURE).columns["people"] == [2]


@pytest.mark.parametrize(
    "content", [b"", b"\n1,2\n", b"a,a\n1,2\n", b"\xff\xfea\x00,\x00", b"x" * 200_000, b'a,"b\n1,secret\n']
)
def test_a_file_without_a_header_is_refused(content, tmp_path):
    (tmp_path / "x.csv").write_bytes(content)
    with pytest.raises(ParameterError, match="names each column once") as refused:
        Table(tmp_path / "x.csv", person="nobody")
    assert "secret" not in str(refused.value)


def test_files_of_one_table_have_one_header(tmp_path):
    csv(tmp_path, name="1.csv")
    csv(tmp_path, name="2.csv")
    assert Table(tmp_path / "*.csv", person="user").count_rows(epsilon=SURE, max_rows=9).columns["rows"] == [10]
    csv(tmp_path, name="3.csv", head="city,user,year,amount")
    with pytest.raises(ParameterError, match="the same first row"):
        Table(tmp_path / "*.csv", person="user")


def test_a_folders_name_adds_no_column(tmp_path):
    (tmp_path / "year=1999").mkdir()
    t = Table(csv(tmp_path / "year=1999"), person="user")
    assert counts(t, "year", keys=["1999", "2026"]) == {("1999",): 0, ("2026",): 3}


def test_explain_reads_the_header_only(tmp_path):
    """Whatever is below it: here, nothing that could be read."""
    said = []
    for rows in (ROWS, [b"\xff" * 100] * 50):
        t = Table(csv(tmp_path, rows), person="user", types={"year": "integer"})
        said.append(t.where("year = 2026").group_by("city").explain(epsilon=1, delta="1e-6", max_groups=2))
    assert said[0] == said[1]


# JSON.


def test_json_needs_its_columns_declared_because_names_are_data(tmp_path):
    path = lines(tmp_path, objects(ROWS))
    with pytest.raises(ParameterError, match="types=None: need the columns of JSON"):
        Table(path, person="user")
    t = Table(path, person="user", types={"user": "text", "city": "text", "nowhere": "integer"})
    assert t._ibis.columns == ("user", "city", "nowhere")
    assert counts(t, "nowhere") == {(None,): 4}
    assert counts(t, "city") == {("Rome",): 3, ("Bath",): 1, (None,): 1}


ODD_OBJECTS = {
    "half an object": b'{"user": 9, ',
    "an array": b"[1, 2]",
    "a number": b"5",
    "nothing": b"",
    "not UTF-8": b'{"user": 9, "city": "\xff"}',
    "a lone surrogate": b'{"user": 9, "city": "\\ud800"}',
    "a control character": b'{"user": 9, "city": "a\tb"}',
    "a name twice": b'{"user": 9, "user": 9, "city": "x"}',
    "a number beyond floats": b'{"user": 1e999, "city": 123456789012345678901234567890}',
    "an object within": b'{"user": {"a": 1}, "city": ["Rome", 1.50, null]}',
    "no names": b"{}",
    "another case": b'{"USER": 9, "City": "Rome"}',
    "depth": b'{"user": 9, "city": ' + b"[" * 900 + b"]" * 900 + b"}",
}
NAMES = {"user": "text", "city": "text", "amount": "number"}


@pytest.mark.parametrize("odd", tiers.each(ODD_OBJECTS.values(), 2), ids=tiers.each(ODD_OBJECTS, 2))
def test_no_line_of_json_makes_a_query_fail_or_moves_another(odd, tmp_path):
    rows = [{"user": i, "city": "Rome", "amount": 1} for i in range(100, 3100)]
    path = lines(tmp_path, [*rows[:1500], odd, *rows[1500:]])
    t = Table(path, person="user", types=NAMES)
    answer = t.group_by("city", keys=["Rome"]).sum("amount", low=0, high=1, epsilon=SURE, max_groups=1, grid=1)
    assert answer.columns["sum"] == [3000]


@pytest.mark.parametrize(
    "odd", tiers.each([v for k, v in ODD_OBJECTS.items() if k not in ("half an object", "nothing")], 3)
)
def test_an_array_of_json_is_read_like_lines(odd, tmp_path):
    rows = [{"user": i, "city": "Rome", "amount": i / 4, "more": [True, None]} for i in range(50)]
    path = lines(tmp_path, [*rows, odd])
    array = tmp_path / "x.json"
    array.write_bytes(b"\n [" + b",".join([*(json.dumps(r).encode() for r in rows), odd]) + b"]")
    types = {"user": "text", "city": "text", "more": "text"}
    for each in (path, array):
        found = counts(Table(each, person="user", types=types), "more")
        assert found.pop(("[true,null]",)) == 50
        assert found in ({}, {(None,): 1})  # Where a text is broken, a line is lost as a whole.


def test_a_file_that_is_no_array_after_all_is_refused_without_its_text(tmp_path):
    (tmp_path / "x.json").write_text('[{"user": "SECRET"')
    with pytest.raises(ParameterError, match="a JSON array") as caught:
        Table(tmp_path / "x.json", types={"user": "text"}, person=None)
    assert "SECRET" not in str(caught.value)
    lines(tmp_path, [{"user": 1}], name="y.json")
    (tmp_path / "x.json").write_text("[]")
    with pytest.raises(ParameterError, match="all arrays"):
        Table(tmp_path / "*.json", types={"user": "text"}, person=None)


@pytest.mark.parametrize("name", ["x.csv", "x.json", "x.jsonl"])
def test_a_byte_order_mark_takes_no_row_away(name, tmp_path):
    text = {"x.csv": "k\nRome\n", "x.json": '[{"k": "Rome"}]', "x.jsonl": '{"k": "Rome"}\n'}[name]
    (tmp_path / name).write_text(text, encoding="utf-8-sig")
    types = {"k": "text"}
    if name == "x.jsonl":  # Whose first line would be lost.
        with pytest.raises(ParameterError, match="byte order mark"):
            Table(tmp_path / name, types=types, person=None)
    else:
        assert counts(Table(tmp_path / name, types=types, person=None), "k") == {("Rome",): 1}


# Frames.


def frame(**columns):
    return pd.DataFrame({"user": [1, 2, 3, 3], "city": ["Rome", "Rome", "Bath", "Rome"], **columns})


UNREADABLE = {
    "period": (pd.period_range("2026-01", periods=4, freq="M"), "period"),
    "interval": (pd.interval_range(0, 4), "interval"),
    "complex": (np.ones(4, complex), "complex128"),
    "mixed": (np.array([1, "a", None, 2.5], dtype=object), "object"),
    "categories of periods": (pd.Categorical(pd.period_range("2026-01", periods=4, freq="M")), "category"),
}


@pytest.mark.parametrize(("column", "kind"), UNREADABLE.values(), ids=UNREADABLE)
def test_a_column_that_is_not_asked_about_may_be_anything(column, kind, tmp_path):
    book = Ledger(tmp_path / "budget.db", epsilon=10**7, delta="1e-3")
    t = Table(frame(month=column), person="user", ledger=book)
    assert t.group_by("city", keys=["Rome"]).count_people(**PEOPLE).columns["people"] == [3]
    spent = book.spent
    for ask in (
        lambda: t.group_by("month", keys=["2026-01"]),
        lambda: t.group_by("month").count_people(epsilon=1, delta="1e-6", max_groups=1),
        lambda: t.sum("month", low=0, high=1, epsilon=1),
        lambda: Table(frame(month=column), person="month").count_people(epsilon=1),
    ):
        with pytest.raises((KindError, ParameterError), match=f"month.*{kind}"):
            ask()
    assert book.spent == spent


@pytest.mark.parametrize("make", [lambda f: f, pl.from_pandas, pa.Table.from_pandas], ids=["pandas", "Polars", "Arrow"])
def test_a_category_is_its_value(make):
    t = Table(make(frame(kind=pd.Categorical(["a", "b", None, "a"], categories=["b", "a", "never"]))), person="user")
    assert counts(t, "kind") == {("a",): 2, ("b",): 1, (None,): 1}
    assert counts(t, "kind", keys=["never", "a"]) == {("never",): 0, ("a",): 2}
    t = Table(frame(kind=pd.Categorical([2**53 + 1, 7, None, 7])), person="user")
    assert counts(t, "kind") == {(2**53 + 1,): 1, (7,): 2, (None,): 1}
    assert t.sum("kind", low=0, high=9, epsilon=SURE, grid=1).columns["sum"] == [9 + 7 + 7]


def test_enums_and_objects_of_polars():
    data = pl.DataFrame(
        {
            "user": [1, 2],
            "e": pl.Series(["a", "b"], dtype=pl.Enum(["a", "b", "SECRET"])),
            "o": pl.Series([object(), object()], dtype=pl.Object),
        }
    )
    t = Table(data, person="user")
    assert counts(t, "e") == {("a",): 1, ("b",): 1}
    with pytest.raises(KindError, match=r"o.*Object") as caught:
        t.group_by("o").count_people(epsilon=1, delta="1e-6", max_groups=1)
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize("names", [["user", 7], ["user", "user"], [("a", "b"), "user"]])
def test_frames_whose_columns_have_no_names_of_their_own_are_refused(names):
    with pytest.raises(KindError, match="source"):
        Table(pd.DataFrame([[1, 2]], columns=names), person=None)


def test_a_column_that_cannot_be_held_says_no_more_than_its_type():
    """A type that prints the values of an enumeration in it."""
    kind = pl.Struct({"x": pl.Enum(["a", "SECRET"]), "y": pl.Int128})
    column = pl.Series("o", [{"x": "a", "y": 1}] * 2, dtype=kind)
    t = Table(pl.DataFrame([pl.Series("user", [1, 2]), column]), person="user")
    with pytest.raises(KindError, match=r"o.*Struct") as caught:
        t.group_by("o").count_people(epsilon=1, delta="1e-6", max_groups=1)
    assert "SECRET" not in str(caught.value)


def odd(kind, usual, other):
    """Whole numbers as a column of Arrow's type, which does not look at them."""
    return [
        pa.array([usual] * 9 + more, pa.int64() if kind.bit_width == 64 else pa.int32()).view(kind)
        for more in ([], [other])
    ]


DAY_MS = 86_400_000
ODD = {
    "a day with an hour": odd(pa.date64(), 20_000 * DAY_MS, 20_000 * DAY_MS + 1),
    "a day before 1970 with an hour": odd(pa.date64(), -20_000 * DAY_MS, 1 - 20_000 * DAY_MS),
    "a day that no year has": odd(pa.date64(), 20_000 * DAY_MS, 1 << 62),
    "the second after the last": odd(pa.time32("s"), 5, 86_400),
    "a time before midnight": odd(pa.time32("ms"), 5, -1),
    "the microsecond after the last": odd(pa.time64("us"), 5, 86_400 * 10**6),
    "no time": odd(pa.time64("ns"), 5000, 1 << 62),
    "a view of no text": [pa.array([b"a"] * 9 + x, pa.binary_view()).view(pa.string_view()) for x in ([], [b"\xff"])],
    "a list of no text": [
        pa.ListArray.from_arrays(pa.array(range(len(x) + 1), pa.int32()), pa.array(x, pa.binary()).view(pa.string()))
        for x in ([b"a"] * 9, [b"a"] * 9 + [b"\xff"])
    ],
    "a lone surrogate": [pd.Series(["a"] * 9 + x, dtype="string[python]") for x in ([], ["\ud800"])],
}


@pytest.mark.parametrize("columns", ODD.values(), ids=ODD)
def test_one_odd_value_of_a_frame_is_answered_or_refused_as_all_others_are(columns):
    """As a key and as a person; the same groups are shown, and the words of a refusal are the same."""
    told = []
    for column in columns:
        people = range(len(column))
        kinds = {"p": people, "x": column}
        data = pd.DataFrame(kinds) if isinstance(column, pd.Series) else pa.table(kinds)
        try:
            groups = Table(data, person="p").group_by("x")
            answer = groups.count_people(epsilon=30, delta="1e-5", max_groups=1)
            Table(data, person="x").count_people(epsilon=1)
            told.append((answer.keys[:1], answer.to_arrow().schema))
        except KindError as error:
            told.append(str(error))
    assert told[0] == told[1]


def test_a_day_of_milliseconds_is_the_day_that_it_is_in():
    found = [datetime.date(2024, 10, 4), datetime.date(1915, 3, 31), datetime.date(1915, 3, 30), None]
    parts = pa.array([20_000 * DAY_MS + 5, 1 - 20_000 * DAY_MS, -20_000 * DAY_MS - 1, None], pa.int64()).view(
        pa.date64()
    )
    assert arrow_table(pa.table({"x": parts}))["x"].to_pylist() == found
    clocks = pa.array([0, 86_399, 86_400, None], pa.int32()).view(pa.time32("s"))
    assert arrow_table(pa.table({"x": clocks}))["x"].to_pylist() == [
        datetime.time(0),
        datetime.time(23, 59, 59),
        None,
        None,
    ]


@pytest.mark.parametrize("kind", ["TINYINT", "SMALLINT", "UINT", "INTEGER", "BIGINT"])
@pytest.mark.parametrize("number", [-(1 << 62), -1, 200, 70_000, 1 << 40])
def test_numbers_that_a_type_of_sqlite_has_not_are_null_keys(kind, number, tmp_path):
    """SQLite holds any number in any column; a table with one such person is answered, as the one without is."""
    told = []
    for more in ([], [(5000, number)]):
        path = tmp_path / f"{len(more)}.sqlite"
        with closing(sqlite3.connect(path)) as con, con:
            con.execute(f"CREATE TABLE visits (p INTEGER, x {kind})")
            con.executemany("INSERT INTO visits VALUES (?, ?)", [*((i, 7) for i in range(900)), *more])
        source = Table(f"sqlite://{path}", table="visits", person="p")
        answer = source.publish([[], ["x"]], epsilon="1e-2", delta="1e-9")["x"]
        told.append((len(answer.keys), answer.to_arrow().schema))
        assert (7,) in (found := counts(source, "x"))
        assert sum(found.values()) == 900 + len(more)
    assert told[0] == told[1]
