"""A public table of attributes leaves each row one row, and whose it was, on every engine."""

import datetime as dt
import json

import pyarrow as pa
import pytest
import tables_engines
from click.testing import CliRunner

from discreet.cli.app import app
from discreet.errors import DiscreetError, ParameterError
from discreet.ledger import Ledger
from discreet.tables import Table

ibis = pytest.importorskip("ibis")

SURE = {"epsilon": 10**6, "max_groups": 1}
CODES = ["A", "a", "A ", "é", "日本", "", "'", "x\\", "Z", None]
PUBLIC = pa.table(
    {
        "code": [code for code in CODES[:-2] if code is not None],
        "region": ["north", "Nord \t", "é", None, "", "日本", "'", "x\\"],
        "size": pa.array([1, -(2**63), 2**63 - 1, None, 0, 5, 6, 7], pa.int64()),
        "urban": [True, False, None, True, False, True, False, True],
        "since": [dt.date(1, 1, 1), dt.date(9999, 12, 31), None, *[dt.date(2026, 1, 1)] * 5],
    }
)
ROWS = [{"user": i, "code": CODES[i % len(CODES)], "n": i % 4} for i in range(60)]
SCHEMA = ibis.schema({"user": "int64", "code": "string", "n": "int32"})


@pytest.fixture(scope="module", params=tables_engines.parameters())
def table(request, tmp_path_factory):
    engine, stop = tables_engines.start(request.param, tmp_path_factory.mktemp(request.param))
    yield Table(engine.load(SCHEMA, ROWS), person="user")
    stop()


def expected(public, on, column):
    """What plain Python finds, and null where there is nothing."""
    known = dict(zip(public.column(on).to_pylist(), public.column(column).to_pylist(), strict=True))
    counts: dict = {}
    for row in ROWS:
        value = known.get(row[on])
        counts[value] = counts.get(value, 0) + 1
    return counts


def test_every_attribute_is_what_plain_python_looks_up(table):
    wide = table.join(PUBLIC, on="code")
    for column in ("region", "size", "urban", "since"):
        right = expected(PUBLIC, "code", column)
        answer = wide.group_by(column, keys=list(right)).count_people(**SURE)
        assert dict(zip([key for (key,) in answer.keys], answer.columns["people"], strict=True)) == right
    assert wide.count_rows(epsilon=10**6).columns["rows"] == [60]


def test_whole_numbers_are_keys_too_and_attributes_are_derived_from(table):
    numbers = pa.table({"n": [0, 1, 2, 3], "name": ["zero", "One", "TWO", None]})
    wide = table.join(numbers, on="n").where("lower(name) <> 'zero'")
    answer = wide.group_by("left(lower(name), 1) as first", keys=["o", "t", "z"]).count_people(**SURE)
    assert answer.columns["people"] == [15, 15, 0]


def frame(**columns):
    return Table(pa.table({"user": [1, 2], "code": ["a", "A"], **columns}), person="user")


@pytest.mark.parametrize(
    ("public", "on", "need"),
    [
        ({"code": ["a", "a"], "r": [1, 2]}, "code", "each key once"),
        ({"code": ["a", None], "r": [1, 2]}, "code", "each with a key"),
        ({"code": [1, 2], "r": [1, 2]}, "code", "keys of the type that code has, string"),
        ({"code": ["a"], "user": [1]}, "code", "a name that no column has"),
        ({"code": ["a"], "USER": [1]}, "code", "a name that no column has, in capitals or not"),
        ({"code": ["a"], "r": [0.5]}, "code", "columns of texts"),
        ({"code": ["a"], "r": ["\0"]}, "code", "without null characters"),
        ({"kode": ["a"], "r": [1]}, "code", "did you mean 'kode'"),
        ({"code": ["a"], "r": [1]}, "kode", "did you mean 'code'"),
        ({"code": [], "r": []}, "code", "need"),
    ],
)
def test_what_is_no_list_of_attributes_is_refused_before_anything(public, on, need):
    book = Ledger.in_memory(epsilon=1)
    t = Table(pa.table({"user": [1, 2], "code": ["a", "A"]}), person="user", ledger=book)
    with pytest.raises(DiscreetError, match=need):
        t.join(pa.table(public), on=on)
    assert list(book.entries()) == []


@pytest.mark.parametrize("engine", ["duckdb", "sqlite"])
def test_no_private_column_is_read_for_a_public_one(engine, tmp_path):
    """Whatever the private columns are called: what is made for the join has names of its own."""
    names = ("v0", "v1", "V2", "j")
    rows = [{"code": code} | {name: f"={code}{name}" for name in names} for code in ("a", "b")]
    made, stop = tables_engines.start(engine, tmp_path)
    private = made.load(ibis.schema(dict.fromkeys(rows[0], "string")), rows)
    public = pa.table({"code": ["a", "b"], "region": [10, 20], "name": ["north", "south"]})
    wide = Table(private, person="v0").join(public, on="code")
    assert wide.group_by("region", keys=[10, 20]).count_people(**SURE).columns["people"] == [1, 1]
    assert wide.group_by("name", keys=["north", "south"]).count_people(**SURE).columns["people"] == [1, 1]
    stop()


def test_two_private_tables_are_joined_by_the_person_and_by_no_other_key():
    with pytest.raises(ParameterError, match="two private tables are joined by the person columns"):
        frame().join(frame(), on="code")


def test_a_column_that_ignores_case_finds_its_own_row_alone():
    con = ibis.duckdb.connect()
    con.con.execute("CREATE TABLE e (u INTEGER, code VARCHAR COLLATE NOCASE)")
    con.con.execute("INSERT INTO e VALUES (1, 'a'), (2, 'A'), (3, 'b')")
    both = pa.table({"code": ["a", "A"], "r": ["small", "large"]})
    wide = Table(con.table("e"), person="u").join(both, on="code")
    assert wide.count_rows(epsilon=10**6, max_rows=5).columns["rows"] == [3]
    assert wide.group_by("r", keys=["small", "large", None]).count_people(**SURE).columns["people"] == [1, 1, 1]


def test_the_receipt_tells_one_public_table_from_another(tmp_path):
    (tmp_path / "r.csv").write_text("code,r\na,x\nA,y\n")
    one = frame().join(tmp_path / "r.csv", on="code")
    (tmp_path / "r.csv").write_text("code,r\na,x\nA,z\n")
    two = frame().join(tmp_path / "r.csv", on="code")
    texts = [t.group_by("r", keys=["x"]).count_people(**SURE).receipt.derived["r"] for t in (one, two)]
    assert texts[0] != texts[1]
    assert all(text.startswith("of r.csv, by code, sha256 ") for text in texts)
    with pytest.raises(ParameterError):
        one.join(tmp_path / "r.csv", on="code")


def test_null_is_not_the_empty_text_among_known_keys_of_sqlite():
    """SQLite gives both the same digits; a null that counted would take the place of another group."""
    con = ibis.sqlite.connect()
    con.con.execute("CREATE TABLE pairs (user INTEGER, code TEXT)")
    con.con.executemany("INSERT INTO pairs VALUES (?, ?)", [(i, code) for i in range(99) for code in (None, "")])
    pairs = Table(con.table("pairs"), person="user").group_by("code", keys=["", "x"])
    assert pairs.count_people(**SURE).columns["people"] == [99, 0]


def test_the_command_line_joins_a_public_file(tmp_path):
    (tmp_path / "e.csv").write_text("user,code\n1,a\n2,b\n3,c\n")
    (tmp_path / "r.csv").write_text("code,region\na,north\nb,north\n")
    asked = [
        "count",
        str(tmp_path / "e.csv"),
        "--person",
        "user",
        "--epsilon",
        "1000000",
        "--max-groups",
        "1",
        "--json",
    ]
    asked += ["--by", "region", "--key", "north", "--key", "?", "--null", "?"]
    found = json.loads(CliRunner().invoke(app, [*asked, "--join", f"{tmp_path / 'r.csv'}:code"]).stdout)
    assert [row["people"] for row in found["rows"]] == [2, 1]
    assert CliRunner().invoke(app, [*asked, "--join", "r.csv"]).exit_code == 2


def test_a_misspelt_column_is_told_before_bounds_are_missed(tmp_path):
    (tmp_path / "e.csv").write_text("user,minutes\n1,5\n")
    asked = ["mean", str(tmp_path / "e.csv"), "minuts", "--person", "user", "--epsilon", "1"]
    result = CliRunner().invoke(app, asked)
    assert "did you mean 'minutes'" in result.stderr
    assert "Missing option '--low'" in CliRunner().invoke(app, [*asked[:2], "minutes", *asked[3:]]).stderr
