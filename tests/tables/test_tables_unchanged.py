"""Sources that change under a living Table: refused before anything is charged, by their columns and types alone."""

import contextlib
import sqlite3

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import tables_engines
from tiers import crossed

from discreet import Ledger
from discreet.errors import DiscreetError, MismatchError, ParameterError
from discreet.tables import Table

ibis = pytest.importorskip("ibis")
ROWS = [{"id": i, "city": "Rome", "age": 30 + i} for i in range(3)]
SCHEMA = ibis.schema({"id": "int64", "city": "string", "age": "int64"})
PRIVATE = {"epsilon": 1, "delta": "1e-6", "max_groups": 1}
QUESTIONS = {
    "people": lambda t: t.count_people(epsilon="0.1"),
    "a mean": lambda t: t.mean("age", low=0, high=99, epsilon="0.1"),
    "groups": lambda t: t.group_by("city").count_people(**PRIVATE),
    "two rounds": lambda t: t.group_by("city").count_people(**PRIVATE, rounds=2),
    "a list of groups": lambda t: t.group_by("city").keys(**PRIVATE),
    "an explanation": lambda t: t.group_by("city").explain(**PRIVATE),
}
CHANGES = {
    "another type": ("age", "ALTER TABLE events ALTER COLUMN age TYPE text"),
    "a column less": ("age", "ALTER TABLE events DROP COLUMN age"),
    "a column more": ("more", "ALTER TABLE events ADD COLUMN more integer"),
    "another name": ("age", "ALTER TABLE events RENAME COLUMN age TO years"),
    "no table": (None, "DROP TABLE events"),
}


def refused(t, question, kind=MismatchError):
    """Ask, and return the error; nothing may be on the books."""
    with pytest.raises(kind) as caught:
        question(t)
    assert [entry.kind for entry in t.ledger.entries()] == []
    return str(caught.value)


def in_duckdb(con):
    con.con.register("frame", pa.Table.from_pylist(ROWS))
    con.con.execute("CREATE TABLE events AS FROM frame")
    return con


@pytest.fixture(params=["duckdb", "sqlite", "postgres"])
def database(request, tmp_path):
    """A table in a database, and how it is changed: in SQLite and PostgreSQL, by somebody else's connection."""
    if request.param == "sqlite":
        path = tmp_path / "events.db"
        with contextlib.closing(sqlite3.connect(path)) as other:
            other.execute("CREATE TABLE events (id INTEGER, city TEXT, age INTEGER)")
            other.executemany("INSERT INTO events VALUES (:id, :city, :age)", ROWS)
            other.commit()
            yield ibis.sqlite.connect(path), lambda words: [other.execute(words), other.commit()]
        return
    engine, stop = tables_engines.start(request.param, tmp_path)
    con = engine.connection
    if request.param == "duckdb":
        in_duckdb(con)
        yield con, con.con.execute
    else:
        import psycopg

        engine.load(SCHEMA, ROWS)
        with psycopg.connect(con.con.info.dsn, password=con.con.info.password, autocommit=True) as other:
            yield con, other.execute
    stop()


@crossed(7, change=list(CHANGES), question=list(QUESTIONS))
def test_a_table_that_was_altered_is_refused_and_nothing_is_charged(database, change, question):
    con, alter = database
    t = Table(con.table("events"), person="id", ledger=Ledger.in_memory(epsilon=9, delta="1e-5"))
    column, words = CHANGES[change]
    if (con.name, change) == ("sqlite", "another type"):  # SQLite alters no types.
        alter("DROP TABLE events")
        words = "CREATE TABLE events (id INTEGER, city TEXT, age TEXT)"
    alter(words)
    told = refused(t, QUESTIONS[question], MismatchError if column else DiscreetError)
    assert "nothing was charged" in told
    assert column is None or repr(column) in told


def test_rows_that_change_are_none_of_its_business(database):
    con, alter = database
    t = Table(con.table("events"), person="id", ledger=Ledger.in_memory(epsilon=10**6))
    alter("INSERT INTO events VALUES (7, NULL, -1)")
    alter("DELETE FROM events WHERE id < 2")
    assert t.count_people(epsilon=10**5).columns["people"] == [2]


def test_columns_that_changed_places_are_refused(tmp_path):
    con = ibis.duckdb.connect()
    con.con.execute("CREATE VIEW events AS SELECT 1 AS id, 2 AS age")
    t = Table(con.table("events"), person="id", ledger=Ledger.in_memory(epsilon=9))
    con.con.execute("CREATE OR REPLACE VIEW events AS SELECT 2 AS age, 1 AS id")
    assert "their order" in refused(t, QUESTIONS["people"])


@pytest.mark.parametrize("derived", [lambda t: t.filter(t.age > 0), lambda t: t.join(t.view(), "id").select("id")])
def test_what_a_query_stands_on_is_looked_at(derived):
    con = in_duckdb(ibis.duckdb.connect())
    t = Table(derived(con.table("events")), person="id", ledger=Ledger.in_memory(epsilon=9))
    con.con.execute("ALTER TABLE events ALTER COLUMN age TYPE text")
    assert "'age'" in refused(t, QUESTIONS["people"])


# Files.


def test_a_parquet_file_of_other_types_is_refused(tmp_path):
    """One value that is no number makes a column texts, as pandas writes it: that must not be learned for nothing."""
    path = tmp_path / "events.parquet"
    pq.write_table(pa.Table.from_pylist(ROWS), path)
    t = Table(path, person="id", ledger=Ledger.in_memory(epsilon=9, delta="1e-5"))
    pq.write_table(pa.Table.from_pylist([{**row, "age": "unknown"} for row in ROWS]), path)
    assert "'age'" in refused(t, QUESTIONS["a mean"])


@pytest.mark.parametrize("other", [0, 1, 2])
def test_each_of_several_parquet_files_is_looked_at(tmp_path, other):
    for i in range(3):
        pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / f"{i}.parquet")
    t = Table(tmp_path / "*.parquet", person="id", ledger=Ledger.in_memory(epsilon=9, delta="1e-5"))
    t.explain(epsilon="0.1")
    pq.write_table(pa.Table.from_pylist([{**row, "age": "unknown"} for row in ROWS]), tmp_path / f"{other}.parquet")
    refused(t, QUESTIONS["a mean"], (MismatchError, ParameterError))


@pytest.mark.parametrize("several", [False, True])
def test_a_csv_file_with_another_header_is_refused(tmp_path, several):
    """Its columns are read by their places: others in them would be taken for people."""
    for i in range(1 + several):
        (tmp_path / f"{i}.csv").write_text("id,city\n1,Rome\n2,Rome\n")
    t = Table(tmp_path / "*.csv", person="id", ledger=Ledger.in_memory(epsilon=9, delta="1e-5"))
    (tmp_path / f"{int(several)}.csv").write_text("city,id\nRome,1\nRome,2\n")
    assert "the same first row" in refused(t, QUESTIONS["people"], ParameterError)


def test_a_file_that_is_gone_is_refused(tmp_path):
    for suffix in ("csv", "parquet"):
        path = tmp_path / f"events.{suffix}"
        path.write_text("id,city\n1,Rome\n") if suffix == "csv" else pq.write_table(pa.Table.from_pylist(ROWS), path)
        t = Table(path, person="id", ledger=Ledger.in_memory(epsilon=9, delta="1e-5"))
        path.unlink()
        assert "nothing was charged" in refused(t, QUESTIONS["people"], DiscreetError)
