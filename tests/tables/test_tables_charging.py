"""What a question does to the books and to the objects that ask it, whatever becomes of it."""

import copy
import json
import os
import pickle
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
import timeit
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest
from tiers import cases, each

import discreet
from discreet import Ledger
from discreet.core import Measurement
from discreet.errors import (
    BudgetError,
    DiscreetError,
    EngineError,
    KindError,
    LedgerError,
    ParameterError,
    UnsupportedError,
)
from discreet.ledger import Event
from discreet.ledger.entries import Row
from discreet.tables import Table
from discreet.tables.bounding import Bounding

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
    assert (groups.by, groups.known) == (("city",), ("Rome",))
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
    run, meeting, inside, most = Bounding.run, threading.Barrier(2, timeout=20), [], []

    def met(plan, rows, question):
        inside.append(1)
        most.append(len(inside))
        if rows.get_backend() is not shared:
            meeting.wait()
        found = run(plan, rows, question)
        inside.pop()
        return found

    shared, *others = (connected() for _ in range(3))
    monkeypatch.setattr(Bounding, "run", met)
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


# Charge, then ask.


SECRET = "a value of the data"


def failing(monkeypatch, error):
    """Let the engine fail."""

    def fail(*_):
        raise error

    monkeypatch.setattr(Bounding, "run", fail)


def kinds(book):
    return [(entry.kind, entry.about) for entry in book.entries()]


def test_a_failure_keeps_its_charge_and_says_so(tmp_path, monkeypatch):
    book = Ledger(tmp_path / "b.db", epsilon=1)
    failing(monkeypatch, ValueError(SECRET))
    with pytest.raises(EngineError) as caught:
        table(book).count_people(epsilon="0.1")
    assert str(caught.value) == (
        "duckdb could not answer the query (ValueError); "
        f"epsilon 0.1 stays charged, as entry 1 of {tmp_path / 'b.db'}; "
        "Ledger.void(1, reason=...) takes it back"
    )
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    assert book.spent.epsilon == Fraction(1, 10)
    assert kinds(book) == [("charge", None), ("failed", 1)]
    assert book.entries()[1].reason == "EngineError"
    assert SECRET not in json.dumps(book.to_dict())


def test_a_failure_without_books_says_nothing_of_them(monkeypatch):
    failing(monkeypatch, ValueError(SECRET))
    with pytest.raises(EngineError, match=r"^duckdb could not answer the query \(ValueError\)$"):
        table().count_people(epsilon="0.1")


@pytest.mark.parametrize("stop", [KeyboardInterrupt, SystemExit, GeneratorExit, MemoryError, EngineError])
@pytest.mark.parametrize("where", ["engine", "noise"])
def test_whatever_ends_a_question_after_the_charge_leaves_the_charge(where, stop, monkeypatch):
    book = Ledger.in_memory(epsilon=1)

    def fail(*_):
        raise stop

    owner, name = (Bounding, "run") if where == "engine" else (Measurement, "release")
    monkeypatch.setattr(owner, name, fail)
    with pytest.raises((stop, EngineError)) as caught:
        table(book).count_people(epsilon="0.1")
    engine = where == "engine" and stop is MemoryError  # Its own words would be shown, and may quote the data.
    assert type(caught.value) is (EngineError if engine else stop)
    assert book.spent.epsilon == Fraction(1, 10)
    assert kinds(book) == [("charge", None), ("failed", 1)]
    if stop in (KeyboardInterrupt, EngineError):
        assert "epsilon 0.1 stays charged, as entry 1 in memory" in str(caught.value)
    if stop is SystemExit:
        assert caught.value.code is None


def test_what_the_types_decide_is_refused_before_anything_is_charged(monkeypatch):
    book = Ledger.in_memory(epsilon=1, delta="1e-6")
    monkeypatch.setattr(Bounding, "run", lambda *_: pytest.fail("the engine was asked"))
    lists = pa.table({"id": [1], "city": [["Rome"]], "year": [2026]})
    with pytest.raises(DiscreetError):
        Table(lists, person="id", ledger=book).group_by("city").count_people(epsilon="0.1", delta="1e-7", max_groups=1)
    monkeypatch.setattr(type(ibis.duckdb.connect()), "compile", lambda *_, **__: 1 / 0)
    with pytest.raises(
        UnsupportedError, match=r"duckdb cannot be asked this \(ZeroDivisionError\); nothing was charged"
    ):
        table(book).count_people(epsilon="0.1")
    assert book.entries() == []


def test_a_charge_that_is_refused_asks_no_engine(monkeypatch):
    book = Ledger.in_memory(epsilon="0.05")
    monkeypatch.setattr(Bounding, "run", lambda *_: pytest.fail("the engine was asked"))
    with pytest.raises(BudgetError, match="nothing was charged"):
        table(book).count_people(epsilon="0.1")
    assert book.entries() == []


def test_books_that_cannot_be_marked_keep_the_charge_all_the_same(monkeypatch):
    def full(*_, **__):
        raise LedgerError("the disk is full")

    book = Ledger.in_memory(epsilon=1)
    failing(monkeypatch, ValueError(SECRET))
    monkeypatch.setattr(Ledger, "mark_failed", full)
    with pytest.raises(EngineError, match="stays charged, as entry 1 in memory, not marked as failed"):
        table(book).count_people(epsilon="0.1")
    assert book.spent.epsilon == Fraction(1, 10)


def test_an_interrupt_during_the_charge_says_that_the_books_know(monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(Ledger, "charge", stop)
    with pytest.raises(KeyboardInterrupt, match="whether it was charged, the books in memory say"):
        table(Ledger.in_memory(epsilon=1)).count_people(epsilon="0.1")


# Interrupts.


@pytest.mark.parametrize("swallow", [RuntimeError, None])
def test_an_interrupt_that_an_engine_takes_for_its_own_is_one(swallow, monkeypatch):
    """DuckDB has a RuntimeError for it; a function of ours within SQLite may lose it altogether."""
    run, before = Bounding.run, signal.default_int_handler
    outside = signal.signal(signal.SIGINT, before)  # A suite in the background of a shell may ignore interrupts.

    def interrupted(plan, rows, question):
        try:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
        except KeyboardInterrupt:
            if swallow is not None:
                raise swallow(SECRET) from None
        return run(plan, rows, question)

    book = Ledger.in_memory(epsilon=1)
    monkeypatch.setattr(Bounding, "run", interrupted)
    try:
        with pytest.raises(KeyboardInterrupt, match="stays charged, as entry 1 in memory") as caught:
            table(book).count_people(epsilon="0.1")
        assert caught.value.__context__ is None
        assert signal.getsignal(signal.SIGINT) is before
    finally:
        signal.signal(signal.SIGINT, outside)
    assert kinds(book) == [("charge", None), ("failed", 1)]


def test_a_thread_asks_without_signals():
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(lambda: table().count_people(epsilon=SURE).columns["people"]).result() == [2]


SLOW = """
import os
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # It may have been ignored where the suite was started.
from discreet.tables.bounding import Bounding
run = Bounding.run
def slow(plan, rows, question):
    os.write(int(os.environ["READY"]), b".")
    return run(plan, rows, question)
Bounding.run = slow
from discreet.cli.app import app
app()
"""


STOPPED = [("duckdb", False), ("duckdb", True), ("sqlite", True), ("sqlite", False)]


@pytest.mark.parametrize(("engine", "as_json"), each(STOPPED, 2))
def test_ctrl_c_is_one_line_and_130_whatever_the_engine(engine, as_json, tmp_path):
    if engine == "duckdb":
        connection = ibis.duckdb.connect(tmp_path / "big.db").con
        connection.execute(
            "CREATE VIEW t AS SELECT i % 1000000 AS id, hash(i)::VARCHAR AS city FROM range(10000000) r(i)"
        )
    else:
        connection = sqlite3.connect(tmp_path / "big.db")
        numbers = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r WHERE i < 400000)"
        connection.execute("CREATE TABLE t (id INTEGER, city TEXT)")
        connection.execute(f"{numbers} INSERT INTO t SELECT i % 1000, CAST(i AS TEXT) FROM r")
        connection.commit()
    connection.close()
    source = [f"{engine}://{tmp_path}/big.db" if engine == "duckdb" else f"sqlite:///{tmp_path}/big.db", "--table", "t"]
    Ledger(tmp_path / "b.db", epsilon=1, delta="1e-5").close()
    question = ["--person", "id", "--by", "city", "--max-groups", "3", "--epsilon", "0.1", "--delta", "1e-6"]
    read, write = os.pipe()
    command = [sys.executable, "-c", SLOW, "count", *source, *question, "--ledger", "b.db", *(["--json"] * as_json)]
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    these = {"READY": str(write), "PYTHONPATH": str(Path(discreet.__file__).parents[1])}
    process = subprocess.Popen(command, cwd=tmp_path, env=os.environ | these, pass_fds=(write,), **piped)
    os.close(write)
    os.read(read, 1)  # The engine is about to be asked.
    os.close(read)
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=120)
    assert (process.returncode, out) == (130, ""), err
    line = json.loads(err)["error"] if as_json else err.removeprefix("discreet: ").removesuffix("\n")
    assert "\n" not in line
    assert line.startswith("interrupted: epsilon 0.1, delta ")
    path = tmp_path / "b.db"
    assert line.endswith(f"as entry 1 of {path}; `discreet budget {path} --void 1 --reason ...` takes it back")
    assert kinds(Ledger(path)) == [("charge", None), ("failed", 1)]


@pytest.mark.parametrize(
    ("by", "keys", "moves"),
    [
        ((), None, ((Fraction(1, 2), 1),)),
        (("city",), None, ((Fraction(1, 6), 3),)),
        (("city",), ["a", "b"], ((Fraction(1, 4), 2),)),
    ],
)
def test_the_books_hold_what_was_released(by, keys, moves):
    """Noise in three groups is three moves of a third; whoever counts again later finds it on the books."""
    book = Ledger.in_memory(epsilon=1, delta="1e-5")
    rows = pa.table({"id": [1, 1, 2, 3], "city": ["a", "b", "a", "b"]})
    table = Table(rows, person="id", ledger=book)
    if by:
        private = {} if keys else {"delta": "1e-6"}
        table.group_by(*by, keys=keys).count_people(
            epsilon="1/2", max_groups=3 if keys is None else 2, left_out=0, noise="laplace", **private
        )
    else:
        table.count_people(epsilon="1/2")
    (entry,) = book.entries()
    (part,) = entry.event.parts
    assert part.mechanism == ("LaplaceThreshold" if by and keys is None else "IntegerLaplace")
    assert dict(part.parameters)["scale"] > 0
    assert (entry.epsilon, entry.event.epsilon) == (Fraction(1, 2), Fraction(1, 2))
    assert entry.delta == entry.event.delta <= Fraction(1, 10**6)
    assert entry.event.moves == moves


# Notes on the books.


@pytest.fixture
def books(tmp_path):
    book = Ledger(tmp_path / "b.db", epsilon=3, delta="1e-5")
    book.charge(epsilon="1/3", delta="1e-6", table="a", receipt={"entry": 1, "reason": "none"})
    book.charge(epsilon="2/3", table="b")
    return book


def test_a_charge_is_taken_back_exactly_once_and_the_record_shows_it(books):
    path = books.path
    books.mark_failed(1, reason="the engine stopped")
    note = books.void(1, reason="the cable was out")
    assert (note.kind, note.about, note.reason, note.table) == ("void", 1, "the cable was out", "a")
    assert (note.epsilon, note.delta) == (Fraction(-1, 3), Fraction(-1, 10**6))
    assert books.spent == (Fraction(2, 3), 0)
    for other in (books, Ledger(path)):
        assert kinds(other) == [("charge", None), ("charge", None), ("failed", 1), ("void", 1)]
        with pytest.raises(ParameterError, match="not taken back yet"):
            other.void(1, reason="again", unseen=True)
        with pytest.raises(ParameterError, match="not marked as failed yet"):
            other.mark_failed(1, reason="again")
        other.verify()
    data = books.to_dict()
    assert data["spent"] == {"epsilon": "2/3", "delta": "0"}
    assert [entry["kind"] for entry in data["entries"]] == ["charge", "charge", "failed", "void"]
    assert "entry 1 failed: the engine stopped" in str(books)
    assert "entry 1 taken back: the cable was out" in str(books)
    assert Ledger(path).charge(epsilon="7/3").number == 5
    assert Ledger(path).left.epsilon == 0


@pytest.mark.parametrize("number", [0, -1, 3, 4, 10**30, 1.0, "1", None, True])
@pytest.mark.parametrize("method", ["void", "mark_failed"])
def test_only_a_charge_can_be_taken_back(method, number, books):
    books.mark_failed(1, reason="a note, which is entry 3")
    with pytest.raises((ParameterError, KindError), match="number"):
        getattr(books, method)(number, reason="none")
    assert len(books.entries()) == 3


@pytest.mark.parametrize("reason", ["", "  ", "x" * 1001, "\ud800", None, 5, b"x"])
def test_a_reason_is_needed(reason, books):
    with pytest.raises((ParameterError, KindError), match="reason"):
        books.void(1, reason=reason, unseen=True)
    with pytest.raises(TypeError):
        books.void(1)
    assert len(books.entries()) == 2


def test_a_note_is_checked_against_the_limit_of_a_budget_that_it_frees(tmp_path):
    book = Ledger(tmp_path / "b.db", epsilon=1)
    book.charge(epsilon=1)
    with pytest.raises(BudgetError):
        book.charge(epsilon="1e-9")
    book.void(1, reason="none", unseen=True)
    book.charge(epsilon=1)
    with pytest.raises(BudgetError):
        book.charge(epsilon="1e-9")
    with pytest.raises(ParameterError):
        book.void(1, reason="again", unseen=True)


FORGED = {
    "more than was charged": ("-1", "0", {"entry": 1, "reason": "x"}),
    "less than was charged": ("-1/3", "0", {"entry": 1, "reason": "x"}),
    "of another sign": ("-1/3", "1/1000000", {"entry": 1, "reason": "x"}),
    "of no charge": ("-1/3", "-1/1000000", {"entry": 9, "reason": "x"}),
    "of itself": ("0", "0", {"entry": 3, "reason": "x"}),
    "without a charge": ("0", "0", None),
    "without a reason": ("0", "0", {"entry": 1}),
    "of a text": ("0", "0", {"entry": "1", "reason": "x"}),
    "of a bool": ("0", "0", {"entry": True, "reason": "x"}),
    "of nothing": ("0", "0", {"entry": None, "reason": "x"}),
    "of a number beyond SQLite": ("0", "0", {"entry": 10**30, "reason": "x"}),
}


@pytest.mark.parametrize("what", FORGED)
@pytest.mark.parametrize("is_open", [True, False])
def test_a_note_that_no_ledger_wrote_is_damage_though_its_digest_is_right(what, is_open, books):
    epsilon, delta, receipt = FORGED[what]
    _append(books, epsilon, delta, receipt)
    with pytest.raises(LedgerError, match="damaged"):
        books.left if is_open else Ledger(books.path)


def test_a_second_note_that_takes_a_charge_back_is_damage(books):
    books.void(2, reason="none", unseen=True)
    with sqlite3.connect(books.path) as connection:
        connection.execute("DROP INDEX notes")  # With it, the second one cannot be written.
    _append(books, "-2/3", "0", {"entry": 2, "reason": "again"})
    for call in (lambda: books.left, books.verify):
        with pytest.raises(LedgerError, match="damaged"):
            call()


def _append(book, epsilon, delta, receipt):
    """Write an entry as whoever can compute digests would."""
    mark, about = book._mark, (receipt or {}).get("entry")
    about = None if about == 10**30 else about
    event = Event.of(moves=[(abs(Fraction(epsilon)), 1)], delta=abs(Fraction(delta)))
    kind, told = ("void", json.dumps(event.to_dict())) if any(event.parts[0].moves) else ("failed", None)
    cost = json.dumps({"epsilon": epsilon, "delta": delta})
    row = Row(mark.number + 1, "2026-11-16T09:30:00+00:00", kind, told, cost, None, json.dumps(receipt), None, about)
    digest = mark.digest_of(row)
    with sqlite3.connect(book.path) as connection:
        connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*row, digest))
        connection.execute("UPDATE budget SET entries = ?, digest = ?", (mark.number + 1, digest))


def test_the_notes_are_as_append_only_as_the_charges(books):
    books.void(1, reason="none", unseen=True)
    for sql in ("DELETE FROM entries WHERE number = 3", "UPDATE entries SET cost = '' WHERE number = 3"):
        with sqlite3.connect(books.path) as connection, pytest.raises(sqlite3.DatabaseError, match="append-only"):
            connection.execute(sql)
    books.verify()


def test_of_many_who_take_a_charge_back_one_does(books):
    others = [Ledger(books.path) for _ in range(8)]

    def void(book):
        try:
            return book.void(1, reason="none", unseen=True).number
        except ParameterError:
            return None

    with ThreadPoolExecutor(8) as pool:
        won = list(pool.map(void, others))
    assert sorted(filter(None, won)) == [3]
    assert books.spent.epsilon == Fraction(2, 3)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_kill_leaves_a_note_whole_or_out(tmp_path):
    """Children charge, mark and take back until they are killed; what is on the books always adds up."""
    seed, book, kills = random.Random(7919), Ledger(tmp_path / "b.db", epsilon=10**6), cases(6, 25)

    def round_trip():
        number = book.charge(epsilon=1).number
        book.mark_failed(number, reason="none")
        book.void(number, reason="none", unseen=True)

    once = max(timeit.repeat(round_trip, number=1, repeat=3))
    for _ in range(kills):
        child = os.fork()
        if child == 0:
            try:
                while True:
                    round_trip()
            finally:
                os._exit(1)
        time.sleep(seed.uniform(0, 3 * once))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        again = Ledger(book.path)
        again.verify()
        entries = again.entries()
        assert again.spent.epsilon == sum(e.kind == "charge" for e in entries) - sum(e.kind == "void" for e in entries)
    assert len(entries) > 9 + kills / 5  # Else nothing was killed in the middle of its work.


def test_a_receipt_that_looks_like_a_note_is_a_charge(books):
    first = books.entries()[0]
    assert (first.kind, first.about, first.reason) == ("charge", None, None)
    books.verify()


def test_whoever_forgets_the_person_is_told():
    with pytest.raises(TypeError, match="person"):
        Table(pa.table({"city": ["Rome"] * 1000}))
