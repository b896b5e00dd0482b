"""What a question does to the books and to the objects that ask it, whatever becomes of it."""

import copy
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pytest

from discreet.errors import DiscreetError
from discreet.tables import Table
from discreet.tables.plan import Plan

ibis = pytest.importorskip("ibis")

SURE = 10**6
STUCK = (AttributeError, TypeError)  # Python 3.11 has the second for a name that is no field.
FRAME = pa.table({"id": [1, 1, 1, 2], "city": ["Rome", "Rome", "Bath", "Rome"], "year": [2025, 2026, 2026, 2026]})


def table(book=None, **rest):
    return Table(FRAME, person="id", ledger=book, **rest)


def connected():
    """A connection of its own to DuckDB, with a table."""
    connection = ibis.duckdb.connect()
    connection.con.register("events", FRAME)
    return connection


# Tables and groups are values.


@pytest.mark.parametrize("name", ["person", "ledger", "name", "condition", "filters", "_ibis", "persons", "keys"])
def test_a_table_cannot_be_changed(name):
    t = table()
    with pytest.raises(STUCK):
        setattr(t, name, None)
    with pytest.raises(STUCK):
        delattr(t, name)
    assert t.person == ("id",)
    assert t.count_people(epsilon=SURE).columns["people"] == [2]


@pytest.mark.parametrize("name", ["keys", "by", "table", "key"])
def test_groups_cannot_be_changed(name):
    groups = table().group_by("city", keys=["Rome"])
    with pytest.raises(STUCK):
        setattr(groups, name, None)
    assert (groups.by, groups.keys) == (("city",), ("Rome",))
    assert not hasattr(groups, "__dict__")
    assert not hasattr(groups.table, "__dict__")


@pytest.mark.parametrize("keys", [["Rome", 1], [None, 1.5], "Rome", []])
def test_groups_check_their_keys_however_they_are_made(keys):
    groups = table().group_by("city")
    with pytest.raises(DiscreetError):
        type(groups)(groups.table, ("city",), keys)


def test_a_filtered_table_is_another_one():
    t = table()
    text, expression = t.where("year = 2026"), t.where(ibis._.city == "Bath")
    assert (t.condition, t.filters, text.filters, expression.condition) == (None, (), (), None)
    assert (text.person, text.name, text.ledger) == (t.person, t.name, t.ledger)
    assert [x.count_rows(epsilon=SURE, max_rows=9).columns["rows"] for x in (t, text, expression)] == [[4], [3], [1]]
    assert copy.copy(text).condition == "year = 2026"


# Connections answer one question at a time, each for itself.


def test_questions_to_different_connections_run_side_by_side_and_to_one_in_turn(monkeypatch):
    """Two questions meet at a barrier inside the engine, which they can only if neither waits for the other."""
    run, meeting, inside, most = Plan.run, threading.Barrier(2, timeout=20), [], []

    def met(plan, rows):
        inside.append(1)
        most.append(len(inside))
        if rows.get_backend() is not shared:
            meeting.wait()
        found = run(plan, rows)
        inside.pop()
        return found

    shared, *others = (connected() for _ in range(3))
    monkeypatch.setattr(Plan, "run", met)
    for connections, together in ((others, 2), ([shared] * 4, 1)):
        most.clear()
        tables = [Table(connection.table("events"), person="id") for connection in connections]
        with ThreadPoolExecutor(len(tables)) as pool:
            answers = list(pool.map(lambda t: t.count_people(epsilon=SURE).columns["people"], tables))
        assert answers == [[2]] * len(connections)
        assert max(most) == together


def test_a_connection_with_a_lock_still_travels():
    connection = connected()
    Table(connection.table("events"), person="id").count_people(epsilon=1)
    assert pickle.loads(pickle.dumps(connection)).name == "duckdb"
