"""Two private tables of the same people: each row stays one row and finds its own person's, on every engine."""

import datetime as dt
import itertools
import json
import sqlite3

import pandas as pd
import pyarrow as pa
import pytest
import tables_engines
import tables_reference as reference
from click.testing import CliRunner
from tables_totals import exact
from tiers import cases

from discreet import DiscreetError, Ledger
from discreet.cli.app import app
from discreet.tables import Bounding, Mean, People, Rows, Table
from discreet.tables.traits import own_traits

ibis = pytest.importorskip("ibis")

SALT = bytes(range(16))
SURE = {"epsilon": 10**6, "max_groups": 1}
NAN = float("nan")
TRAITS = {
    "age": ("int32", [31, 47, None, -5]),
    "sex": ("string", ["f", "F", "", "é", None]),
    "urban": ("boolean", [True, False, None]),
    "born": ("date", [dt.date(1990, 1, 31), dt.date(2400, 2, 29), None]),
    "weight": ("float64", [0.0, -0.0, 1.5, NAN, None, 1.5 + 2**-40]),
}
VISITS = ibis.schema({"id": "int64", "name": "string", "city": "string"})
PEOPLE = ibis.schema({"who": "int64", "called": "string", **{name: kind for name, (kind, _) in TRAITS.items()}})
VISITORS = [{"id": i % 12, "name": f"n{i % 12}", "city": "abc"[i % 3]} for i in range(40)]


def persons(count, size, start=0):
    """People of whom some have no row, some one, some the same twice, and some several."""
    pools = {name: itertools.cycle(pool) for name, (_, pool) in TRAITS.items()}
    rows = []
    for i in range(count):
        for _ in range((i + start) % size):
            rows.append({"who": i, "called": f"n{i}"} | {name: next(pool) for name, pool in pools.items()})
        rows += rows[-1:] if rows and i % 3 == 0 else []
    return rows


def chosen(rows, who, person):
    """Of the rows of a person that which the order puts first, as plain Python has it; None where there is none."""
    own = [[reference.plain(row[name]) for name in TRAITS] for row in rows if row[who] == person]

    def place(row):
        texts = "|".join(map(reference.text_of, row))
        return reference.code((person, *row), SALT, "t"), texts, [x for x in row if type(x) is float]

    return min(own, key=place, default=[None] * len(TRAITS))


@pytest.fixture(scope="module", params=tables_engines.parameters())
def engine(request, tmp_path_factory):
    found, stop = tables_engines.start(request.param, tmp_path_factory.mktemp(request.param))
    yield found
    stop()


@pytest.mark.parametrize(("person", "other"), [("id", "who"), ("name", "called")])
def test_each_person_has_the_traits_of_one_own_row_as_plain_python_chooses_it(engine, person, other):
    rows = persons(12, 4)
    visits = Table(engine.load(VISITS, VISITORS, "visits"), person=person)
    people = engine.load(PEOPLE, rows, "people").drop({"who": "called", "called": "who"}[other])
    wide, _ = own_traits(visits, Table(people, person=other), SALT)
    seen = engine.seen(rows)
    assert exact(Bounding(Rows(99), person=person), wide) == [40]
    right = {row[person]: chosen(seen, other, row[person]) for row in VISITORS}
    for place, name in enumerate(TRAITS):
        counts = {}
        for row in right.values():
            counts[row[place]] = counts.get(row[place], 0) + 1
        found = exact(Bounding(People(), person=person, by=name), wide)
        assert {reference.plain(key): n for key, n in found.items()} == counts


def test_what_becomes_of_one_person_is_decided_by_their_own_rows_in_both_tables():
    """For all tables of three people with at most two rows each: without one, the others are what they were."""
    options = [(), (1,), (1, 2), (2, 2), (3,)]
    for ages in list(itertools.product(options, repeat=3))[:: cases(6, 1)]:
        people = pd.DataFrame([(i, age) for i, mine in enumerate(ages) for age in mine], columns=["who", "age"])
        visits = pd.DataFrame({"id": [0, 1, 1, 2], "city": [*"abcd"]})

        def joined(without, visits=visits, people=people):
            tables = visits[visits.id != without], people[people.who != without].astype("int64")
            wide, _ = own_traits(Table(tables[0], person="id"), Table(tables[1], person="who"), SALT)
            return {tuple(row.values()) for row in wide.to_pyarrow().to_pylist()}

        whole = joined(None)
        assert len(whole) == 4
        for who in range(3):
            assert joined(who) == {row for row in whole if row[0] != who}


def test_a_row_is_taken_whole_and_any_of_several_is():
    pairs = [(i, j, -j) for i in range(300) for j in range(3)]
    people = Table(pd.DataFrame(pairs, columns=["user", "a", "b"]), person="user")
    visits = Table(pd.DataFrame({"user": range(300)}), person="user")
    rows = visits.join(people)._ibis.to_pyarrow().to_pylist()
    assert all(row["a"] == -row["b"] for row in rows)
    counts = [sum(row["a"] == j for row in rows) for j in range(3)]
    assert min(counts) > 40  # A hundred each; less has a probability below 1e-12.


def test_of_close_floats_one_row_is_taken():
    """They are spelled alike, so nothing but their own order tells them apart."""
    near = [(i, x, -x) for i in range(20) for x in (1.5 + 2**-40, 1.5 + 2**-41)]
    people = Table(pd.DataFrame(near, columns=["user", "a", "b"]), person="user")
    rows = Table(pd.DataFrame({"user": range(20)}), person="user").join(people)._ibis.to_pyarrow().to_pylist()
    assert all(row["a"] == -row["b"] for row in rows)


def test_people_are_told_apart_as_in_bounding_whatever_the_collation(tmp_path):
    path = tmp_path / "d.sqlite"
    with sqlite3.connect(path) as made:
        made.execute("CREATE TABLE visits (who TEXT COLLATE NOCASE, city TEXT)")
        made.execute("CREATE TABLE people (who TEXT COLLATE NOCASE, sex TEXT)")
        made.executemany("INSERT INTO visits VALUES (?, 'Rome')", [("a",), ("A",), ("b",), (None,)])
        made.executemany("INSERT INTO people VALUES (?, ?)", [("a", "f"), ("A", "m"), (None, "x")])
    tables = [Table(f"sqlite://{path}", person="who", table=name) for name in ("visits", "people")]
    answer = tables[0].join(tables[1]).group_by("sex", keys=["f", "m", "x", None]).count_people(**SURE)
    assert answer.columns["people"] == [1, 1, 0, 1]


def test_a_condition_of_the_second_table_comes_before_the_choice_and_derived_columns_come_with_it():
    ages = [(user, age) for user in range(40) for age in (10, 50)] + [(40, 20)]
    people = Table(pd.DataFrame(ages, columns=["user", "age"]), person="user")
    visits = Table(pd.DataFrame({"user": range(43)}), person="user")
    wide = visits.join(people.where("age >= 18").derive(decade="age by 10"))
    answer = wide.where("decade >= 20").group_by("decade", keys=[10, 20, 50]).count_people(**SURE)
    assert answer.columns["people"] == [0, 1, 40]
    assert answer.receipt.derived["decade"] == "age by 10, of a pandas frame, one row of each person, where age >= 18"
    assert answer.receipt.derived["age"] == "of a pandas frame, one row of each person, where age >= 18"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "visits.csv").write_text("user,city\n1,Rome\n1,Bath\n2,Rome\n3,Oslo\n")
    (tmp_path / "people.csv").write_text("user,age,sex\n1,31,f\n2,47,m\n2,47,m\n")
    pd.DataFrame({"user": ["1", "3"], "height": [1.5, 2.5]}).to_parquet(tmp_path / "more.parquet")
    return tmp_path


def test_files_and_frames_are_joined_in_one_engine(folder):
    visits, people = (Table(folder / f"{name}.csv", person="user") for name in ("visits", "people"))
    more = Table(folder / "more.parquet", person="user")
    frame = Table(pa.table({"user": ["1", "2", "3"], "n": [1, 2, 3]}), person="user")
    for one, two, columns in ((visits, people, 4), (more, visits, 3), (frame, people, 4), (people, frame, 4)):
        wide = one.join(two)
        assert len(wide._ibis.columns) == columns
        assert wide.count_people(epsilon=10**6).columns["people"] == [{visits: 3, more: 2, frame: 3, people: 2}[one]]
    answer = visits.join(people).join(more).release(Mean("age", 0, 100), Mean("height", 0, 3), epsilon=10**7)
    assert [round(answer.columns[name][0], 2) for name in ("mean of age", "mean of height")] == [31, 1.5]
    wide = visits.join(people)
    (folder / "people.csv").write_text("user,sex,age\n1,f,31\n")
    with pytest.raises(DiscreetError, match="first row"):
        wide.count_people(epsilon=1)


def test_one_answer_is_charged_once_to_the_one_ledger():
    one, two = Ledger.in_memory(epsilon=2), Ledger.in_memory(epsilon=2)
    frames = [pd.DataFrame({"user": [1], "a": [1]}), pd.DataFrame({"user": [1], "b": [1]})]
    for books in ((one, None), (None, one), (one, one)):
        left, right = (Table(frame, person="user", ledger=book) for frame, book in zip(frames, books, strict=True))
        before = one.spent.epsilon
        left.join(right).count_people(epsilon="1/2")
        assert one.spent.epsilon - before == 0.5
    with pytest.raises(DiscreetError, match="one ledger"):
        Table(frames[0], person="user", ledger=one).join(Table(frames[1], person="user", ledger=two))
    assert two.spent.epsilon == 0


def test_a_question_is_known_again_only_if_both_tables_are(folder):
    book = Ledger.in_memory(epsilon=9)

    def ask(first, second):
        tables = [
            Table(folder / f"{name}.csv", person="user", ledger=book, version=version)
            for name, version in (("visits", first), ("people", second))
        ]
        return tables[0].join(tables[1]).group_by("sex", keys=["f"]).count_people(epsilon=1, max_groups=1).receipt.kept

    assert [ask("1", "1"), ask("1", "1"), ask("1", "2"), ask("1", None)] == [False, True, False, False]


PLAIN = pa.table({"user": [1, 2], "city": ["a", "b"]})


@pytest.mark.parametrize(
    ("other", "person", "need"),
    [
        ({"user": ["1"], "age": [1]}, "user", "the type that the other table's person has, int64, not string"),
        ({"user": [1.0], "age": [1]}, "user", "int64, not float64"),
        ({"user": [1], "City": ["x"]}, "user", "a name that no column has"),
        ({"user": [1], "tags": [["x"]]}, "user", "columns of texts, numbers"),
        ({"user": [1], "age": [1]}, None, "a person column in both"),
        ({"user": [1], "second": [1]}, ["user", "second"], "as many person columns"),
    ],
)
def test_what_does_not_fit_is_refused_before_anything(other, person, need):
    book = Ledger.in_memory(epsilon=1)
    with pytest.raises(DiscreetError, match=need):
        Table(PLAIN, person="user", ledger=book).join(Table(pa.table(other), person=person))
    assert list(book.entries()) == []


def test_a_key_to_join_by_a_table_in_groups_and_another_engine_are_refused():
    frame = Table(pa.table({"user": [1], "age": [2]}), person="user")
    with pytest.raises(DiscreetError, match="joined by the person columns"):
        Table(PLAIN, person="user").join(frame, on="user")
    with pytest.raises(DiscreetError, match="not in groups"):
        Table(PLAIN, person="user").join(frame.group_by("age"))
    con, other = ibis.sqlite.connect(), ibis.sqlite.connect()
    for each in (con, other):
        each.con.execute("CREATE TABLE pairs (user INTEGER, age INTEGER)")
    third = ibis.duckdb.connect()
    third.con.execute("CREATE TABLE pairs (user INTEGER, age INTEGER)")
    for second in (other.table("pairs"), third.table("pairs")):
        with pytest.raises(DiscreetError, match="one engine"):
            Table(con.table("pairs").rename(n="age"), person="user").join(Table(second, person="user"))


def test_whole_numbers_of_any_width_name_the_same_people():
    narrow = Table(pa.table({"user": pa.array([1, 2], pa.int16()), "age": [10, 20]}), person="user")
    answer = Table(PLAIN, person="user").join(narrow).group_by("age", keys=[10, 20]).count_people(**SURE)
    assert answer.columns["people"] == [1, 1]


def test_the_command_line_joins_a_table_of_people(folder):
    asked = ["count", str(folder / "visits.csv"), "--person", "user", "--join-people", str(folder / "people.csv")]
    asked += ["--type", "age=integer", "--by", "age by 10", "--key", "30", "--key", "40", "--max-groups", "1"]
    done = CliRunner().invoke(app, [*asked, "--epsilon", "1000000", "--json"])
    assert done.exit_code == 0, done.output
    found = json.loads(done.stdout)
    assert [row["people"] for row in found["rows"]] == [1, 1]
    assert found["receipt"]["derived"]["age"] == "of people.csv, one row of each person"


@pytest.mark.parametrize("kinds", [("HUGEINT", "DECIMAL(38, 0)"), ("DECIMAL(38, 0)", "HUGEINT")], ids=str)
def test_no_person_makes_two_types_of_one_name_fail(kinds):
    """Ibis calls both decimal(38, 0); DuckDB fails where it has to cast a number of 39 digits."""
    con, most = ibis.duckdb.connect(), {"HUGEINT": 2**127 - 1, "DECIMAL(38, 0)": 10**38 - 1}
    for name, kind in zip(("visits", "people"), kinds, strict=True):
        con.con.execute(f"CREATE TABLE {name} (id {kind}, of_{name} VARCHAR)")
        con.con.execute(f"INSERT INTO {name} VALUES (1, 'a'), (-7, 'b'), (0, 'b'), ({most[kind]}, 'c')")
    visits, people = (Table(con.table(name), person="id") for name in ("visits", "people"))
    answer = visits.join(people).group_by("of_people", keys=["a", "b", "c", None]).count_people(**SURE)
    assert answer.columns["people"] == [1, 2, 0, 1]


def test_person_columns_in_another_order_are_another_question(tmp_path):
    (tmp_path / "visits.csv").write_text("x,y\n1,2\n")
    (tmp_path / "people.csv").write_text("a,b,age\n1,2,A\n2,1,B\n")
    book = Ledger.in_memory(epsilon=10**7)
    found = []
    for person in (["a", "b"], ["b", "a"], ["b", "a"]):
        visits = Table(tmp_path / "visits.csv", person=["x", "y"], ledger=book, version="1")
        people = Table(tmp_path / "people.csv", person=person, version="1")
        answer = visits.join(people).group_by("age", keys=["A", "B"]).count_people(**SURE)
        found.append((answer.columns["people"], answer.receipt.kept))
    assert found == [([1, 0], False), ([0, 1], False), ([0, 1], True)]


def test_what_is_to_be_paid_anew_in_either_table_is_paid_anew(tmp_path):
    (tmp_path / "visits.csv").write_text("user\n1\n")
    (tmp_path / "people.csv").write_text("user,age\n1,A\n")
    book = Ledger.in_memory(epsilon=10**7)
    kept = []
    for fresh in ((False, False), (False, False), (True, False), (False, True)):
        visits, people = (
            Table(tmp_path / f"{name}.csv", person="user", ledger=book, version="1", fresh=anew)
            for name, anew in zip(("visits", "people"), fresh, strict=True)
        )
        kept.append(visits.join(people).group_by("age", keys=["A"]).count_people(**SURE).receipt.kept)
    assert kept == [False, True, False, False]


def test_people_of_a_type_that_names_nobody_are_refused():
    con = ibis.sqlite.connect()
    for name in ("visits", "people"):
        con.con.execute(f"CREATE TABLE {name} (id JSON, of_{name} TEXT)")
    visits, people = (Table(con.table(name), person="id") for name in ("visits", "people"))
    with pytest.raises(DiscreetError, match="a column of integers, texts"):
        visits.join(people)
