"""The budget's books: exact, durable, append-only; a crash may waste budget and never exceeds it."""

import copy
import itertools
import json
import math
import os
import pickle
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from junk import JUNK
from ledger_past import raw, write
from ledger_shelves import POSIX, SHELVES, THIRD, filled, in_child, killed, spend
from tiers import cases, each

import discreet
from discreet import (
    BudgetError,
    DiscreetError,
    KindError,
    LaplaceThreshold,
    LedgerError,
    ParameterError,
    UnsupportedError,
)
from discreet.ledger import Amount, Entry, Ledger, books, sqlite

amounts = st.fractions(min_value=0, max_value=2, max_denominator=10**12) | st.floats(0, 2).map(Fraction)


@pytest.fixture
def shelf(tmp_path):
    """Return a folder in memory, where there is one: what a process does there is the same, and syncs take no time."""
    if SHELVES is None:
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(dir=SHELVES) as folder:
        yield Path(folder)


class TestSums:
    def test_a_thousand_thirds_are_a_thousand_thirds(self):
        book = Ledger.in_memory(epsilon=Fraction(1000, 3), delta="1/2", accountant="plain")
        for _ in range(1000):
            book.charge(epsilon="1/3", delta=Fraction(1, 3000))
        assert book.spent == (Fraction(1000, 3), THIRD)
        assert book.left == (0, Fraction(1, 6))
        with pytest.raises(BudgetError):
            book.charge(epsilon=Fraction(1, 10**100))
        book.charge(epsilon=0, delta="1/6")
        assert book.left == (0, 0)

    def test_floats_are_what_they_are_and_the_error_says_so(self):
        book = Ledger.in_memory(epsilon=0.3)
        book.charge(epsilon=0.1)
        book.charge(epsilon=0.1)
        with pytest.raises(BudgetError, match=r'a float is the binary number that it is: write "0.1"'):
            book.charge(epsilon=0.1)
        assert book.spent.epsilon == 2 * Fraction(0.1)
        book = Ledger.in_memory(epsilon="0.3")
        for _ in range(3):
            book.charge(epsilon="0.1")
        assert book.left.epsilon == 0

    def test_amounts_survive_the_file_exactly(self, shelf):
        given_ = [Fraction(5e-324), Fraction(1, 2**7000 - 1), Fraction(2**80 + 1, 3**50), Fraction(0.1), Fraction(7)]
        book = Ledger(shelf / "b.db", epsilon=10**9, delta=1 - Fraction(1, 10**300), accountant="plain")
        for amount in given_:
            book.charge(epsilon=amount, delta=min(amount, Fraction(1, 100)))
        again = Ledger(shelf / "b.db")
        assert [entry.epsilon for entry in again.entries()] == given_
        assert again.spent.epsilon == sum(given_)
        assert again.delta == 1 - Fraction(1, 10**300)
        assert again.left.delta == again.delta - sum(min(amount, Fraction(1, 100)) for amount in given_)
        with raw(shelf / "b.db") as connection:
            assert connection.execute("SELECT cost FROM entries WHERE number = 5").fetchone() == (
                '{"epsilon": "7", "delta": "1/100"}',
            )
            (event,) = connection.execute("SELECT event FROM entries WHERE number = 1").fetchone()
            assert json.loads(event)["parts"][0]["moves"] == [[str(Fraction(5e-324)), 1]]

    def test_sums_of_many_awkward_denominators_can_be_kept_and_shown(self):
        book = Ledger.in_memory(epsilon=1000)
        parts = [1 / Fraction(2.3 + i / 7) for i in range(400)]
        for part in parts:
            book.charge(epsilon=part)
        assert book.spent.epsilon == sum(parts)
        assert "too long to print" in repr(book.spent)
        line = str(book).splitlines()[-2].split("  ")[-1]  # 130 of 1000 spent, 869 left
        spent, left = line.split()[0], line.split()[-2]
        assert sum(parts) <= Fraction(spent) < sum(parts) + Fraction(1, 10)  # Three digits, to the safe side.
        assert 1000 - sum(parts) - 1 < Fraction(left) <= 1000 - sum(parts)

    @settings(max_examples=cases(12, 60), deadline=None)
    @given(amounts, amounts, st.lists(st.tuples(amounts, amounts), max_size=12))
    def test_any_sequence_of_charges_agrees_with_plain_arithmetic(self, epsilon, delta, charges):
        epsilon, delta = epsilon + Fraction(1, 1000), delta / 3
        book = Ledger.in_memory(epsilon=epsilon, delta=delta, accountant="plain")
        spent, kept = (Fraction(0), Fraction(0)), []
        for cost in charges:
            after = tuple(map(sum, zip(spent, cost, strict=True)))
            if cost == (0, 0):
                with pytest.raises(ParameterError):
                    book.charge(epsilon=cost[0], delta=cost[1])
            elif after[0] > epsilon or after[1] > delta:
                with pytest.raises(BudgetError):
                    book.charge(epsilon=cost[0], delta=cost[1])
            else:
                entry = book.charge(epsilon=cost[0], delta=cost[1], receipt=len(kept))
                kept.append(entry)
                spent = after
            assert book.spent == spent
            assert book.left == (epsilon - spent[0], delta - spent[1])
        assert book.entries() == kept
        assert [entry.number for entry in kept] == list(range(1, len(kept) + 1))
        assert [entry.receipt for entry in kept] == list(range(len(kept)))
        book.verify()

    @settings(max_examples=cases(10, 15), deadline=None)
    @given(st.lists(st.tuples(amounts, st.booleans(), st.booleans()), max_size=8))
    def test_so_does_a_file_with_several_hands_in_it(self, charges):
        with tempfile.TemporaryDirectory(dir=SHELVES) as folder:
            path = Path(folder, "b.db")
            hands = [Ledger(path, epsilon=3), Ledger(path)]
            spent = Fraction(0)
            for cost, hand, anew in charges:
                if anew:
                    hands[hand] = pickle.loads(pickle.dumps(hands[hand]))
                try:
                    hands[hand].charge(epsilon=cost)
                    spent += cost
                except ParameterError:
                    assert cost == 0
                except BudgetError:
                    assert spent + cost > 3
                assert spent <= 3
                assert hands[0].spent == hands[1].spent == (spent, 0)
            assert hands[0].entries() == hands[1].entries() == Ledger(path).entries()


class TestRefusals:
    def test_a_refused_charge_changes_nothing(self, shelf):
        book = filled(shelf / "b.db")
        book.charge(epsilon=998)
        before, entries, bytes_ = (book.spent, book.left), book.entries(), (shelf / "b.db").read_bytes()
        for cost in (
            {"epsilon": 2},
            {"epsilon": "1e-9", "delta": "1/2"},
            {"epsilon": 1e300},
            {"epsilon": 1, "delta": 1},
        ):
            with pytest.raises(BudgetError, match=r"more than is left in .*b\.db: .*nothing was charged"):
                book.charge(**cost)
        for bad in ({"epsilon": 0}, {"epsilon": 1, "receipt": {1}}, {"epsilon": 1, "table": 5}, {"epsilon": -1}):
            with pytest.raises((ParameterError, KindError)):
                book.charge(**bad)
        assert (book.spent, book.left) == before
        assert book.entries() == entries
        assert (shelf / "b.db").read_bytes() == bytes_
        assert [path.name for path in shelf.iterdir()] == ["b.db"]

    def test_both_parts_of_the_budget_count(self):
        book = Ledger.in_memory(epsilon=1, delta="1e-6")
        book.charge(epsilon=0, delta="5e-7")
        with pytest.raises(BudgetError):
            book.charge(epsilon="1/2", delta="1e-30")
        book.charge(epsilon=1)
        with pytest.raises(BudgetError):
            book.charge(epsilon="1e-30")

    @pytest.mark.parametrize(
        "epsilon", [0, -1, "-1/3", math.inf, math.nan, "nan", "x", "1/0", 10**5000], ids=discreet.errors.show
    )
    def test_a_budget_is_positive_and_finite(self, epsilon):
        with pytest.raises(ParameterError, match="epsilon="):
            Ledger.in_memory(epsilon=epsilon)

    @pytest.mark.parametrize("delta", [1, 1.5, -1e-9, math.nan, "x"])
    def test_a_delta_is_below_one(self, delta):
        with pytest.raises(ParameterError, match="delta="):
            Ledger.in_memory(epsilon=1, delta=delta)

    @pytest.mark.parametrize("bad", [True, None, [1], b"1", 1j])
    def test_an_amount_is_a_number(self, bad):
        book = Ledger.in_memory(epsilon=1, delta="1e-6")
        with pytest.raises(KindError):
            book.charge(epsilon=bad)
        with pytest.raises(KindError):
            book.charge(epsilon=1, delta=bad)
        if bad is not None:
            with pytest.raises(KindError):
                Ledger.in_memory(epsilon=bad)

    def test_a_ledger_in_memory_needs_a_budget_and_a_delta_an_epsilon(self, tmp_path):
        for call in (lambda: Ledger(None), lambda: Ledger(tmp_path / "b.db", delta="1e-6")):
            with pytest.raises(ParameterError, match="epsilon=None: need epsilon > 0"):
                call()
        assert not list(tmp_path.iterdir())

    @pytest.mark.parametrize("name", JUNK)
    def test_junk_gets_a_declared_error_or_a_right_answer(self, name, shelf):
        junk = JUNK[name]()
        book = Ledger.in_memory(epsilon=1, delta="1e-6")
        calls = [
            lambda: Ledger(junk),
            lambda: Ledger(None, epsilon=junk),
            lambda: Ledger(None, epsilon=1, delta=junk),
            lambda: Ledger(None, epsilon=1, timeout=junk),
            lambda: book.charge(epsilon=junk),
            lambda: book.charge(epsilon=1, delta=junk),
            lambda: book.charge(epsilon="1/100", table=junk),
            lambda: book.charge(epsilon="1/100", receipt=junk),
        ]
        for call in calls:
            before = book.entries()
            try:
                call()
            except DiscreetError:
                assert book.entries() == before
        str(book), repr(book), book.verify()


class TestFiles:
    def test_what_is_charged_is_there_for_the_next(self, tmp_path):
        path = tmp_path / "budget.db"
        with Ledger(path, epsilon=3, delta=1e-5) as book:
            book.charge(epsilon=Fraction(1), delta=Fraction(1, 10**6), receipt={"by": ["city"]}, table="events.parquet")
        again = Ledger(str(path), epsilon=3, delta=1e-5)
        assert (again.epsilon, again.delta) == (3, Fraction(1e-5))
        assert again.left == Amount(Fraction(2), Fraction(1e-5) / 2 - Fraction(1, 10**6))
        (entry,) = again.entries()
        assert (entry.number, entry.epsilon, entry.table, entry.receipt) == (1, 1, "events.parquet", {"by": ["city"]})
        assert [p.name for p in tmp_path.iterdir()] == ["budget.db"]

    @pytest.mark.parametrize(
        "other", [{"epsilon": 4, "delta": "1/2"}, {"epsilon": 1000}, {"epsilon": 1000, "delta": 0.1}]
    )
    def test_another_budget_is_refused(self, shelf, other):
        filled(shelf / "b.db")
        with pytest.raises(LedgerError, match=r"b\.db: was made with epsilon=1000, delta=0.5, not with epsilon="):
            Ledger(shelf / "b.db", **other)
        assert len(Ledger(shelf / "b.db", epsilon=1000, delta=0.5).entries()) == 3

    def test_a_budget_typed_another_way_is_the_same(self, shelf):
        Ledger(shelf / "b.db", epsilon="0.5", delta="1e-6")
        Ledger(shelf / "b.db", epsilon=0.5, delta=Fraction(1, 10**6))
        with pytest.raises(LedgerError):
            Ledger(shelf / "b.db", epsilon=0.5, delta=1e-6)

    def test_what_is_no_ledger_is_refused_with_a_remedy(self, shelf):
        foreign = shelf / "foreign.db"
        with raw(foreign) as connection:
            connection.execute("CREATE TABLE t (x)")
        text = shelf / "text.db"
        text.write_text("not a database\n" * 1000)
        short = shelf / "short.db"
        short.write_bytes(b"SQLite format 3\0")
        (shelf / "empty.db").touch()
        (shelf / "folder.db").mkdir()
        if hasattr(os, "mkfifo"):
            os.mkfifo(shelf / "pipe.db")
        newer = filled(shelf / "newer.db")
        with raw(shelf / "newer.db") as connection:
            connection.execute("PRAGMA user_version = 99")
        needs = {
            "foreign.db": "belongs to another program: give the path of a ledger",
            "text.db": "is no ledger",
            "short.db": "is no ledger",
            "empty.db": "is empty, as no ledger is: restore it",
            "folder.db": "is not a file: give",
            "pipe.db": "is not a file: give",
            "newer.db": "was made by a newer discreet, in format 99: upgrade",
            "absent.db": "there is no ledger here: give epsilon=",
            "a/b.db": "there is no folder .*: make it first",
        }
        for name, need in needs.items():
            if name == "pipe.db" and not hasattr(os, "mkfifo"):
                continue
            with pytest.raises(LedgerError, match=f"{name}: {need}"):
                Ledger(shelf / name)
            if name != "absent.db":
                with pytest.raises(LedgerError, match=f"{name}: {need}"):
                    Ledger(shelf / name, epsilon=1000, delta="1/2")
        with pytest.raises(LedgerError, match="newer discreet"):
            newer.verify()
        assert text.read_text() == "not a database\n" * 1000
        assert not (shelf / "absent.db").exists()

    @pytest.mark.parametrize("path", ["", ":memory:", "a\0b"])
    def test_a_path_that_is_none_is_refused(self, path):
        with pytest.raises(ParameterError, match=r"Ledger\.in_memory"):
            Ledger(path, epsilon=1)

    def test_names_that_mean_something_elsewhere_are_names_here(self, shelf):
        for name in ("file:x.db?mode=memory", "a b#c%41?.db", "ü-\N{SNOWMAN}.db", "-journal", "x" * 200):
            path = shelf / name
            Ledger(path, epsilon=1).charge(epsilon="1/2")
            assert path.is_file()
            assert Ledger(path).left.epsilon == Fraction(1, 2)
        with pytest.raises(ParameterError, match="names of at most 255 bytes"):
            Ledger(shelf / ("x" * 300), epsilon=1)
        assert len(list(shelf.iterdir())) == 5

    def test_a_link_and_another_working_directory_lead_to_the_same_books(self, shelf, monkeypatch):
        monkeypatch.chdir(shelf)
        book = Ledger("b.db", epsilon=1)
        (shelf / "link.db").symlink_to(shelf / "b.db")
        (shelf / "elsewhere").mkdir()
        monkeypatch.chdir(shelf / "elsewhere")
        book.charge(epsilon="1/2")
        assert Ledger(shelf / "link.db").left.epsilon == Fraction(1, 2)
        assert repr(Ledger(shelf / "link.db")) == repr(book) == f"Ledger({str(shelf / 'b.db')!r})"

    def test_a_journal_without_its_ledger_stops_a_new_one(self, shelf):
        (shelf / "b.db-journal").write_bytes(b"x")
        with pytest.raises(LedgerError, match=r"b\.db-journal: is left from a ledger that is gone"):
            Ledger(shelf / "b.db", epsilon=1)
        assert [p.name for p in shelf.iterdir()] == ["b.db-journal"]

    def test_a_file_system_without_links_will_do(self, shelf, monkeypatch):
        def no_links(*_):
            raise PermissionError(1, "Operation not permitted")

        monkeypatch.setattr(os, "link", no_links)
        Ledger(shelf / "b.db", epsilon=1).charge(epsilon=1)
        assert [p.name for p in shelf.iterdir()] == ["b.db"]
        assert Ledger(shelf / "b.db", epsilon=1).left.epsilon == 0

    def test_a_failure_to_make_a_file_leaves_none(self, shelf, monkeypatch):
        def broken(*_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(sqlite, "give_name", broken)
        with pytest.raises(LedgerError, match=r"b\.db: cannot be made here.*No space"):
            Ledger(shelf / "b.db", epsilon=1)
        assert not list(shelf.iterdir())

    def test_a_commit_is_durable(self, shelf, monkeypatch):
        seen = []
        connect = sqlite._connect

        def spy(path, mode):
            connection = connect(path, mode)
            names = ("journal_mode", "synchronous", "fullfsync", "checkpoint_fullfsync")
            seen.append(tuple(connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names))
            return connection

        monkeypatch.setattr(sqlite, "_connect", spy)
        filled(shelf / "b.db")
        assert set(seen) == {("delete", 3, 1, 1)}

    @pytest.mark.skipif(not shutil.which("strace"), reason="needs strace")
    def test_the_folder_is_synced_after_the_journal_is_gone(self, tmp_path):
        filled(tmp_path / "b.db", count=0)
        code = f"from discreet import Ledger; Ledger({str(tmp_path / 'b.db')!r}).charge(epsilon=1)"
        args = ["strace", "-f", "-y", "-e", "trace=unlink,fsync,fdatasync", sys.executable, "-c", code]
        log = subprocess.run(args, capture_output=True, text=True, check=True).stderr
        gone = log.index("unlink(")
        assert "b.db>" in log[:gone]
        assert f"<{tmp_path}>" in log[gone:]

    def test_a_file_put_into_write_ahead_mode_is_taken_out_of_it(self, shelf):
        book = filled(shelf / "b.db")
        with raw(shelf / "b.db") as connection:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("SELECT * FROM budget").fetchall()
        book.charge(epsilon=1)
        assert [p.name for p in shelf.iterdir()] == ["b.db"]
        with raw(shelf / "b.db") as connection:
            assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)

    def test_a_file_that_cannot_be_written_can_be_read(self, shelf, monkeypatch):
        filled(shelf / "b.db")
        connect = sqlite._connect
        monkeypatch.setattr(sqlite, "_connect", lambda path, _: connect(path, "ro"))
        book = Ledger(shelf / "b.db")
        assert len(book.entries()) == 3
        with pytest.raises(LedgerError, match=r"b\.db: cannot be written: give yourself the right"):
            book.charge(epsilon=1)
        monkeypatch.undo()
        assert len(book.entries()) == 3

    @POSIX
    def test_rights_are_respected(self, shelf):
        if os.geteuid() == 0 and SHELVES is None:
            pytest.skip("nothing is forbidden to root, and no one else may enter here")
        shelf.chmod(0o777)

        def refused(call):
            try:
                call()
            except LedgerError as error:
                return "right" in str(error)

        def work():
            if os.geteuid() == 0:
                os.setuid(65534)
            folder = shelf / "nobody's"
            folder.mkdir()
            path = folder / "b.db"
            book = filled(path)
            path.chmod(0o400)
            answers = [len(Ledger(path).entries()) == 3, refused(lambda: book.charge(epsilon=1))]
            path.chmod(0o000)
            answers += [refused(lambda: Ledger(path)), refused(lambda: book.charge(epsilon=1))]
            path.chmod(0o600)
            folder.chmod(0o500)
            answers += [refused(lambda: book.charge(epsilon=1)), refused(lambda: Ledger(folder / "c.db", epsilon=1))]
            folder.chmod(0o000)
            answers += [refused(lambda: book.charge(epsilon=1)), refused(lambda: Ledger(path, epsilon=1))]
            folder.chmod(0o700)
            return [*answers, len(book.entries()) == 3]

        assert in_child(work) == repr([True] * 9)

    def test_a_folder_in_place_of_the_journal_stops_a_charge(self, shelf):
        book = filled(shelf / "b.db")
        (shelf / "b.db-journal").mkdir()
        with pytest.raises(LedgerError, match=r"b\.db: "):
            book.charge(epsilon=1)
        (shelf / "b.db-journal").rmdir()
        assert len(book.entries()) == 3
        book.charge(epsilon=1)

    @POSIX
    def test_a_full_disk_stops_a_charge(self, tmp_path):
        book = filled(tmp_path / "b.db")
        before = book.entries()

        def full():
            import resource

            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            size = (tmp_path / "b.db").stat().st_size
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
            try:
                book.charge(epsilon=1, receipt="x" * 100_000)
            except LedgerError as error:
                return str(error)

        assert re.search(r"b\.db: .*(disk|room)", in_child(full))
        assert book.entries() == Ledger(tmp_path / "b.db").entries() == before
        book.charge(epsilon=1, receipt="x" * 100_000)
        book.verify()

    def test_a_failing_commit_says_that_the_charge_may_stand(self, shelf, monkeypatch):
        book = filled(shelf / "b.db")

        class Failing:
            def __init__(self, connection):
                self._connection = connection

            def __getattr__(self, name):
                return getattr(self._connection, name)

            def execute(self, sql, *args):
                result = self._connection.execute(sql, *args)
                if sql == "COMMIT":
                    error = sqlite3.OperationalError("disk I/O error")
                    error.sqlite_errorcode = sqlite3.SQLITE_IOERR_DIR_FSYNC
                    raise error
                return result

        connect = sqlite._connect
        monkeypatch.setattr(sqlite, "_connect", lambda path, mode: Failing(connect(path, mode)))
        with pytest.raises(LedgerError, match="it may be on the books or not; release nothing"):
            book.charge(epsilon=1)
        monkeypatch.undo()
        assert book.spent.epsilon == 2  # Here it is, and it counts.


class TestUnderfoot:
    """The file changes under an open ledger."""

    def test_a_deleted_file_is_not_made_again(self, shelf):
        book = filled(shelf / "b.db")
        (shelf / "b.db").unlink()
        for call in (lambda: book.charge(epsilon=1), book.entries, lambda: book.spent, book.verify):
            with pytest.raises(LedgerError, match=r"b\.db: has been deleted or moved"):
                call()
        assert not list(shelf.iterdir())

    def test_a_replaced_file_is_refused_even_if_it_is_a_copy(self, shelf):
        book = filled(shelf / "b.db")
        shutil.copy(shelf / "b.db", shelf / "copy.db")
        (shelf / "copy.db").replace(shelf / "b.db")
        with pytest.raises(LedgerError, match=r"b\.db: has been replaced by another file"):
            book.charge(epsilon=1)
        assert len(Ledger(shelf / "b.db").entries()) == 3

    def test_an_older_copy_written_over_the_file_is_noticed(self, shelf):
        book = filled(shelf / "b.db")
        older = (shelf / "b.db").read_bytes()
        book.charge(epsilon=1)
        travelling = pickle.dumps(book)
        (shelf / "b.db").write_bytes(older)  # The file is the same, what is in it is not.
        for call in (lambda: book.charge(epsilon=1), book.entries, lambda: book.left, book.verify):
            with pytest.raises(LedgerError, match="lacks charges that it had"):
                call()
        with pytest.raises(LedgerError, match="lacks charges that it had"):
            pickle.loads(travelling)

    def test_other_books_written_over_the_file_are_noticed(self, shelf):
        book, other = filled(shelf / "b.db", 0), filled(shelf / "c.db", 5)
        (shelf / "b.db").write_bytes((shelf / "c.db").read_bytes())
        with pytest.raises(LedgerError, match="or other books"):
            book.charge(epsilon=1)
        other.verify()

    def test_a_file_that_takes_the_place_during_a_charge_is_not_charged(self, shelf, monkeypatch):
        book = filled(shelf / "b.db")
        shutil.copy(shelf / "b.db", shelf / "copy.db")
        connect = sqlite._connect

        def late(*args):
            (shelf / "copy.db").replace(shelf / "b.db")
            return connect(*args)

        monkeypatch.setattr(sqlite, "_connect", late)
        with pytest.raises(LedgerError, match="has been replaced"):
            book.charge(epsilon=1)
        monkeypatch.undo()
        assert len(Ledger(shelf / "b.db").entries()) == 3

    def test_a_file_deleted_during_a_charge_is_noticed(self, shelf, monkeypatch):
        book = filled(shelf / "b.db")
        commit = sqlite.SQLiteStore._commit

        def late(*args):
            commit(*args)
            (shelf / "b.db").unlink()

        monkeypatch.setattr(sqlite.SQLiteStore, "_commit", late)
        with pytest.raises(LedgerError, match="has been deleted"):
            book.charge(epsilon=1)


class TestAppendOnly:
    @pytest.mark.parametrize(
        "sql",
        [
            "INSERT OR REPLACE INTO entries VALUES (3, '', 'charge', NULL, '0', NULL, 'null', NULL, NULL, '')",
            "INSERT OR REPLACE INTO budget VALUES (1, '', 'plain', '9', 3, '')",
        ],
    )
    def test_the_past_cannot_be_replaced_in_sql(self, shelf, sql):
        book = filled(shelf / "b.db")
        with raw(shelf / "b.db") as connection, pytest.raises(sqlite3.IntegrityError):
            connection.execute(sql)
        book.verify()

    @pytest.mark.parametrize(
        "sql", ["UPDATE entries SET cost = x'00' WHERE number = 2", "UPDATE budget SET entries = 'many'"]
    )
    def test_values_of_other_types_are_noticed(self, shelf, sql):
        book = filled(shelf / "b.db")
        write(shelf / "b.db", sql)
        for call in (book.verify, lambda: Ledger(shelf / "b.db")):
            with pytest.raises(LedgerError):
                call()


class TestReceipts:
    leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
    receipts = st.recursive(
        leaves, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=9
    )

    @settings(max_examples=cases(20, 100), deadline=None)
    @given(
        receipts, st.none() | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=50)
    )
    def test_what_goes_in_comes_out(self, receipt, table):
        book = Ledger.in_memory(epsilon=1)
        entry = book.charge(epsilon=1, receipt=receipt, table=table)
        (kept,) = book.entries()
        assert entry == kept
        assert kept.table == table
        assert kept.receipt == receipt
        assert json.dumps(kept.receipt) == json.dumps(receipt)  # Types and the order of keys, too.
        assert len(str(book).splitlines()) == 5
        book.verify()

    @pytest.mark.parametrize(
        "receipt",
        [
            (1, 2), {"a": (1,)}, {1: 2}, {None: 1}, {1: "a", "1": "b"}, {1}, b"x", object(), math.nan, [math.inf],
            Fraction(1), datetime(2020, 1, 1, tzinfo=UTC), {"a": {"b": Path()}}, 10**5000, "x" * (1 << 20),
        ],
        ids=lambda v: type(v).__name__,
    )  # fmt: skip
    def test_what_would_not_come_out_does_not_go_in(self, receipt):
        book = Ledger.in_memory(epsilon=1)
        with pytest.raises((KindError, ParameterError), match="receipt="):
            book.charge(epsilon=1, receipt=receipt)
        assert book.entries() == []

    def test_deep_and_circular_receipts_are_refused(self):
        circle = []
        circle.append(circle)
        deep = []
        for _ in range(100_000):
            deep = [deep]
        book = Ledger.in_memory(epsilon=1)
        for receipt in (circle, deep):
            with pytest.raises(KindError):
                book.charge(epsilon=1, receipt=receipt)
        assert book.entries() == []
        while deep:  # Without this, freeing it would nest as deeply.
            deep = deep.pop()

    @pytest.mark.parametrize("table", [5, b"x", Path("x"), "\ud800", "a\0b", "x" * 1001])
    def test_a_name_is_a_text(self, table):
        with pytest.raises((KindError, ParameterError), match="table="):
            Ledger.in_memory(epsilon=1).charge(epsilon=1, table=table)

    def test_an_entry_does_not_change_with_what_was_given(self):
        book, receipt = Ledger.in_memory(epsilon=1), {"by": ["city"]}
        entry = book.charge(epsilon="1/2", receipt=receipt)
        receipt["by"].append("age")
        assert entry.receipt == {"by": ["city"]}
        entry.receipt["by"].append("sex")
        assert book.entries()[0].receipt == {"by": ["city"]}
        with pytest.raises(AttributeError):
            entry.epsilon = 0
        assert hash(entry) == hash(book.entries()[0])

    def test_no_receipt_is_shown_in_an_error(self):
        with pytest.raises(KindError) as caught:
            Ledger.in_memory(epsilon=1).charge(epsilon=1, receipt={"sentinel-7919": {1}})
        assert "sentinel" not in str(caught.value)

    def test_times_are_utc_and_entries_are_in_the_order_of_their_numbers(self, monkeypatch):
        book = Ledger.in_memory(epsilon=1)
        before = datetime.now(UTC)
        first = book.charge(epsilon="1/10")
        assert before <= first.when <= datetime.now(UTC)
        assert first.when.utcoffset() == timedelta(0)
        monkeypatch.setattr(books, "now", lambda: "2001-02-03T04:05:06.000000+00:00")  # The clock was set back.
        book.charge(epsilon="1/10")
        monkeypatch.undo()
        book.charge(epsilon="1/10")
        assert [entry.number for entry in book.entries()] == [1, 2, 3]
        assert [entry.when.year == 2001 for entry in book.entries()] == [False, True, False]
        book.verify()


class TestWaiting:
    def test_who_waits_too_long_is_told_and_charged_nothing(self, shelf):
        book = filled(shelf / "b.db")
        hurried = Ledger(shelf / "b.db", timeout=0.1)
        with raw(shelf / "b.db") as connection:
            connection.execute("BEGIN EXCLUSIVE")
            start = time.monotonic()
            for call in (lambda: hurried.charge(epsilon=1), hurried.entries, lambda: hurried.left):
                with pytest.raises(LedgerError, match=r"b\.db: is in use by others, for 0.1 seconds now"):
                    call()
            assert 0.3 <= time.monotonic() - start < 10
            connection.execute("ROLLBACK")
            connection.execute("BEGIN")
            connection.execute("SELECT * FROM entries").fetchone()  # A reader who does not finish.
            with pytest.raises(LedgerError, match="in use by others"):
                hurried.charge(epsilon=1)
            assert len(hurried.entries()) == 3
        assert len(book.entries()) == 3
        hurried.charge(epsilon=1)

    def test_who_waits_long_enough_is_served(self, shelf):
        book = filled(shelf / "b.db")
        connection = sqlite3.connect(shelf / "b.db", isolation_level=None, check_same_thread=False)
        connection.execute("BEGIN EXCLUSIVE")
        timer = threading.Timer(0.3, connection.close)
        timer.start()
        assert book.charge(epsilon=1).number == 4
        timer.join()

    @pytest.mark.parametrize("timeout", [-1, math.inf, math.nan, "soon", 10**9])
    def test_a_timeout_is_a_number_of_seconds(self, timeout):
        with pytest.raises(ParameterError, match="timeout="):
            Ledger(None, epsilon=1, timeout=timeout)


class TestMemory:
    @POSIX
    def test_memory_is_not_shared_and_so_not_spent_twice(self):
        book = Ledger.in_memory(epsilon=1)
        assert "raised LedgerError: memory: this ledger belongs to the process" in in_child(
            lambda: book.charge(epsilon=1)
        )
        book.charge(epsilon=1)

    @pytest.mark.parametrize("take", [pickle.dumps, copy.copy, copy.deepcopy])
    def test_memory_does_not_travel(self, take):
        with pytest.raises(UnsupportedError, match="belongs to its process"):
            take(Ledger.in_memory(epsilon=1))

    def test_values_and_errors_travel(self, shelf):
        entry = filled(shelf / "b.db").entries()[0]
        amount = Amount(THIRD, Fraction(0))
        error = LedgerError("x")
        assert pickle.loads(pickle.dumps((entry, amount))) == (entry, amount)
        assert str(pickle.loads(pickle.dumps(error))) == "x"


class TestManners:
    def test_what_is_left_can_be_asked_of_a_mechanism(self):
        book = Ledger.in_memory(epsilon=1, delta="1e-6")
        table = LaplaceThreshold.within(epsilon=1, delta="5e-7", l0=3)
        table.require((3, 3, 1), book.left)
        book.charge(epsilon="1/2")
        with pytest.raises(BudgetError):
            table.require((3, 3, 1), book.left)
        LaplaceThreshold.within(**book.left._asdict()).require((1, 1, 1), book.left)

    def test_it_prints_as_a_table(self, shelf):
        book = Ledger(shelf / "b.db", epsilon=3, delta=1e-5, accountant="plain")
        book.charge(epsilon=1, delta="1e-6", table="events.parquet")
        book.charge(epsilon="1/3", table="line\nbreak")
        title, head, first, second, epsilon, delta = str(book).splitlines()
        assert title == f"{book!r}: 2 charges"
        assert head.split() == ["no.", "when", "(UTC)", "what", "epsilon", "delta", "epsilon", "left"]
        assert re.fullmatch(r"  1 +\d{4}-\d\d-\d\d \d\d:\d\d  events\.parquet +1 +1e-6 +2", first)
        assert re.fullmatch(r"  2 .* line\\nbreak +1/3 +0 +5/3", second)
        assert epsilon.endswith("]  4/3 of 3 spent, 5/3 left")
        assert re.fullmatch(r"delta +\[#+\.+\]  1e-6 of 1e-5 spent, \S+ left", delta)
        assert Fraction(float(delta.split()[-2])) <= book.left.delta

    def test_a_closed_ledger_does_nothing_more(self, shelf):
        with filled(shelf / "b.db") as book:
            pass
        for call in (lambda: book.charge(epsilon=1), book.entries, lambda: book.left, book.verify, lambda: str(book)):
            with pytest.raises(LedgerError, match=r"b\.db: this ledger is closed: open it anew"):
                call()
        book.close()
        assert "b.db" in repr(book)
        assert (book.epsilon, book.delta) == (1000, Fraction(1, 2))
        with Ledger.in_memory(epsilon=1) as memory:
            memory.charge(epsilon=1)
        with pytest.raises(LedgerError):
            memory.entries()

    def test_importing_the_library_does_not_import_sqlite(self):
        code = (
            "import sys, discreet; assert 'sqlite3' not in sys.modules; assert 'Ledger' in dir(discreet); "
            "discreet.Ledger.in_memory(epsilon=1); assert 'sqlite3' in sys.modules; from discreet import Ledger"
        )
        subprocess.run([sys.executable, "-c", code], check=True)
        assert discreet.Ledger is Ledger
        with pytest.raises(AttributeError, match="no attribute 'Leger'"):
            discreet.Leger  # noqa: B018

    def test_every_public_value_has_an_example(self):
        for thing in (Ledger, Amount, Entry):
            members = [thing, *(v for name, v in vars(thing).items() if not name.startswith("_") and name != "Any")]
            for member in members:
                if callable(member) or isinstance(member, property | classmethod):
                    assert ">>>" in (member.__doc__ or ""), member


def outcome(path):
    """Return the entries of what is opened, or None where it is refused."""
    try:
        book = Ledger(path)
        book.verify()
        return [(entry.number, entry.epsilon, entry.table, len(entry.receipt or "")) for entry in book.entries()]
    except LedgerError:
        return None


@pytest.fixture
def interrupted(shelf):
    """Return a ledger's bytes and its journal's, in the midst of a charge that has begun to write to both."""
    path = shelf / "b.db"
    filled(path, 40, receipt="x" * 500).close()
    committed = outcome(path)
    with raw(path) as connection:
        connection.execute("PRAGMA cache_size = 1")  # What does not fit spills into the file, its journal synced.
        connection.execute("BEGIN EXCLUSIVE")
        row = connection.execute("SELECT * FROM entries WHERE number = 40").fetchone()
        connection.execute(
            "INSERT INTO entries VALUES (41, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*row[1:6], "y" * 60_000, *row[7:9], "d")
        )
        connection.execute("UPDATE budget SET entries = 41, digest = 'd'")
        for trigger in ("entries_keep", "entries_stay"):
            connection.execute(f"DROP TRIGGER {trigger}")
        connection.execute("UPDATE entries SET receipt = receipt || 'z'")
        files = path.read_bytes(), Path(f"{path}-journal").read_bytes()
        connection.execute("ROLLBACK")
    assert len(files[1]) > 4096
    return committed, *files


def laid_out(folder, database, journal=None):
    """Put files where a ledger would be."""
    path = folder / "t.db"
    path.write_bytes(database)
    Path(f"{path}-journal").unlink(missing_ok=True)
    if journal is not None:
        Path(f"{path}-journal").write_bytes(journal)
    return path


class TestDamage:
    """Whatever happens to the files: all committed entries, or a refusal."""

    def test_a_database_cut_short_anywhere_is_refused(self, shelf):
        path = shelf / "b.db"
        filled(path, 40, receipt="x" * 500).close()
        whole, entries = path.read_bytes(), outcome(path)
        assert len(entries) == 40
        seed = random.Random(7919)
        cuts = {*range(0, len(whole), 512), *(seed.randrange(len(whole)) for _ in range(cases(20, 100)))}
        for cut in sorted(cuts | {len(whole) - k for k in range(1, 20)}):
            found = outcome(laid_out(shelf, whole[:cut]))
            assert found is None or (found == entries and cut % 4096)

    def test_bytes_changed_anywhere_are_seen_or_do_not_matter(self, shelf):
        path = shelf / "b.db"
        filled(path, 12, receipt="x" * 500).close()
        whole, entries = path.read_bytes(), outcome(path)
        seed, refused = random.Random(7919), 0
        for _ in range(cases(50, 500)):
            place, value = seed.randrange(len(whole)), seed.randrange(256)
            found = outcome(laid_out(shelf, whole[:place] + bytes([value]) + whole[place + 1 :]))
            assert found in (None, entries)
            refused += found is None
        assert refused > cases(10, 100)

    def test_pages_changed_for_zeros_or_for_each_other_are_seen(self, shelf):
        path = shelf / "b.db"
        filled(path, 40, receipt="x" * 500).close()
        whole, entries = path.read_bytes(), outcome(path)
        pages = [whole[i : i + 4096] for i in range(0, len(whole), 4096)]
        for i, j in each(itertools.permutations(range(len(pages)), 2), 7):
            changed = [*pages]
            changed[i] = pages[j]
            assert outcome(laid_out(shelf, b"".join(changed))) in (None, entries)
            changed[i] = bytes(4096)
            assert outcome(laid_out(shelf, b"".join(changed))) in (None, entries)

    def test_damage_outside_the_entries_is_seen(self, shelf):
        filled(shelf / "b.db").close()
        whole = (shelf / "b.db").read_bytes()
        assert outcome(laid_out(shelf, whole[:36] + (1).to_bytes(4, "big") + whole[40:])) is None  # A free page.
        whole += bytes(4096)
        pages = (len(whole) // 4096).to_bytes(4, "big")
        assert outcome(laid_out(shelf, whole[:28] + pages + whole[32:])) is None  # A page that belongs to nobody.

    def test_an_interrupted_charge_is_undone(self, shelf, interrupted):
        committed, database, journal = interrupted
        assert len(committed) == 40
        assert outcome(laid_out(shelf, database, journal)) == committed
        assert outcome(laid_out(shelf, database)) is None  # Without its journal it is half a charge.

    def test_a_journal_cut_short_anywhere_loses_nothing_in_silence(self, shelf, interrupted):
        committed, database, journal = interrupted
        seed = random.Random(7919)
        cuts = {*range(0, len(journal), 512), *(seed.randrange(len(journal)) for _ in range(cases(20, 100)))}
        for cut in sorted(cuts):
            found = outcome(laid_out(shelf, database, journal[:cut]))
            assert found is None or found[:40] == committed

    def test_a_database_cut_short_beside_its_journal_loses_nothing_in_silence(self, shelf, interrupted):
        committed, database, journal = interrupted
        for cut in range(0, len(database), cases(10 << 10, 2 << 10)):
            found = outcome(laid_out(shelf, database[:cut], journal))
            assert found in (None, committed)

    def test_the_journal_of_another_ledger_is_seen(self, shelf, interrupted):
        _, _, journal = interrupted
        other = shelf / "other.db"
        filled(other, 40, receipt="x" * 500).close()
        entries = outcome(other)
        found = outcome(laid_out(shelf, other.read_bytes(), journal))
        assert found is None or found == entries

    @POSIX
    def test_what_a_kill_leaves_behind_may_be_damaged_further(self, shelf):
        seed, states = random.Random(7919), []
        book = Ledger(shelf / "b.db", epsilon=10**6)
        while len(states) < cases(2, 5):
            with killed(1, 0.006, seed, lambda write: spend(book, Fraction(1, 7), write)):
                pass
            journal = Path(f"{book._store.path}-journal")
            if journal.exists() and journal.stat().st_size > 512:
                states.append(((shelf / "b.db").read_bytes(), journal.read_bytes()))
        for database, journal in states:
            committed = outcome(laid_out(shelf, database, journal))
            assert committed is not None
            for cut in range(0, len(journal), cases(1024, 256)):
                found = outcome(laid_out(shelf, database, journal[:cut]))
                assert found is None or found[: len(committed)] == committed
