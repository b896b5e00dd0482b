"""What books promise, in each store: SQLite's files and PostgreSQL's schemas."""

import copy
import itertools
import pickle
import random
import threading
from fractions import Fraction
from pathlib import Path

import pytest
from ledger_past import is_url, raw, refusal, write
from ledger_racers import race
from ledger_shelves import (
    POSIX,
    PROCESSES,
    SHELVES,
    apart,
    exists,
    filled,
    in_child,
    kill_at_random,
    killed,
    on_shelves,
    remove,
    seconds,
)
from tiers import cases

from discreet import BudgetError, Ledger, LedgerError
from discreet.ledger import Amount, Event

REFUSED = [
    'UPDATE entries SET cost = \'{"epsilon": "0", "delta": "0"}\' WHERE number = 2',
    "DELETE FROM entries WHERE number = 3",
    "DELETE FROM entries",
    "DELETE FROM budget",
    "UPDATE budget SET amount = '2000'",
    "UPDATE budget SET accountant = 'other'",
    "UPDATE budget SET entries = 2",
    "UPDATE budget SET entries = 4",
    "UPDATE budget SET digest = ''",
    "INSERT INTO entries VALUES (5, '', 'charge', NULL, '0', NULL, 'null', NULL, NULL, '')",
    "INSERT INTO entries VALUES (3, '', 'charge', NULL, '0', NULL, 'null', NULL, NULL, '')",
    "INSERT INTO budget VALUES (2, '', 'plain', '9', 3, '')",
    "UPDATE checkpoint SET state = ''",
    "UPDATE checkpoint SET number = 32",
    "DELETE FROM checkpoint",
    "INSERT INTO checkpoint VALUES (2, 0, '', '', '')",
]
NOTICED = [
    'UPDATE entries SET cost = \'{"epsilon": "0", "delta": "0"}\' WHERE number = 2',
    "UPDATE entries SET receipt = '1' WHERE number = 1",
    "UPDATE entries SET made = '2000-01-01T00:00:00.000000+00:00' WHERE number = 1",
    "UPDATE entries SET source = NULL WHERE number = 3",
    "UPDATE entries SET event = NULL WHERE number = 2",
    "UPDATE entries SET event = replace(event, '1/3', '1/4') WHERE number = 2",
    "UPDATE entries SET kind = 'failed' WHERE number = 2",
    "UPDATE entries SET who = 'Eve' WHERE number = 2",
    "UPDATE entries SET about = 1 WHERE number = 2",
    "UPDATE entries SET digest = '' WHERE number = 3",
    "UPDATE entries SET number = 7 WHERE number = 3",
    "DELETE FROM entries WHERE number = 3",
    "DELETE FROM entries WHERE number = 1",
    "DELETE FROM entries",
    "DELETE FROM budget",
    'UPDATE budget SET amount = \'{"epsilon": "2000", "delta": "1/2"}\'',
    "UPDATE budget SET amount = ''",
    "UPDATE budget SET accountant = 'other'",
    "UPDATE budget SET made = ''",
    "UPDATE checkpoint SET number = 1",
    "UPDATE checkpoint SET digest = ''",
    'UPDATE checkpoint SET state = \'["1", "0"]\'',
    "UPDATE checkpoint SET state = ''",
    "UPDATE checkpoint SET seal = ''",
    "DELETE FROM checkpoint",
    "UPDATE budget SET entries = 2",
    "UPDATE budget SET digest = ''",
    "DROP TABLE entries",
    "CREATE INDEX i ON entries (source)",
]


class TestAppendOnly:
    def test_the_past_cannot_be_written_in_sql(self, shelf):
        book = filled(shelf / "b.db")
        before = book.entries()
        for sql in REFUSED:
            with raw(shelf / "b.db") as connection, pytest.raises(refusal()):
                connection.execute(sql)
            assert book.entries() == before
        book.verify()

    @on_shelves("sql", NOTICED[::-1], 4)
    def test_the_past_rewritten_without_the_triggers_is_noticed(self, shelf, sql):
        book = filled(shelf / "b.db")
        write(shelf / "b.db", sql)
        with pytest.raises(LedgerError):
            book.verify()
        with pytest.raises(LedgerError):
            Ledger(shelf / "b.db")

    def test_a_trigger_that_is_gone_is_noticed(self, shelf):
        book = filled(shelf / "b.db")
        with raw(shelf / "b.db") as connection:
            connection.execute("DROP TRIGGER entries_keep" + " ON entries" * is_url(shelf / "b.db"))
        with pytest.raises(LedgerError, match="is damaged"):
            book.verify()

    def test_the_last_entry_is_seen_to_be_gone_by_an_open_ledger_too(self, shelf):
        book = filled(shelf / "b.db")
        write(shelf / "b.db", "DELETE FROM entries WHERE number = 3")
        with pytest.raises(LedgerError, match="lacks charges"):
            book.charge(epsilon=1)

    def test_a_name_is_reserved_once(self, shelf):
        """In both stores, whatever else stands on the books, and by another ledger of the same place."""
        tenth = Event.of(moves=[("0.1", 1)])
        first = filled(shelf / "b.db").reserve([tenth], name="100 %_")
        other = Ledger(shelf / "b.db")
        assert other.reserve([tenth], name="100 %_").number == first.number == other.reserved_as("100 %_").number
        assert other.reserved_as("100 %") is None
        other.void(first.number, reason="a mistake", unseen=True)
        assert first.ledger.reserved_as("100 %_") is None
        assert first.ledger.reserve([tenth], name="100 %_").number == first.number + 2

    def test_tidying_is_allowed(self, shelf):
        book = filled(shelf / "b.db")
        with raw(shelf / "b.db") as connection:
            connection.execute("VACUUM")
            connection.execute("ANALYZE")
        book.verify()
        book.charge(epsilon=1)
        assert len(Ledger(shelf / "b.db").entries()) == 4


class TestRaces:
    def test_of_eight_processes_exactly_one_gets_the_last_and_all_share_to_the_last(self, shelf):
        paths = [str(shelf / f"{i}.db") for i in range(cases(10 if isinstance(shelf, Path) else 4, 50))]
        Ledger(shelf / "shared.db", epsilon=2)
        barrier, results = PROCESSES.Barrier(8), PROCESSES.Queue()
        args = paths, str(shelf / "shared.db"), barrier, results
        processes = [PROCESSES.Process(target=race, args=args) for _ in range(8)]
        for process in processes:
            process.start()
        won, counts = zip(*(results.get(timeout=300) for _ in processes), strict=True)
        for process in processes:
            process.join(60)
        assert [process.exitcode for process in processes] == [0] * 8
        assert sorted(itertools.chain(*won)) == sorted(paths)
        for path in paths:
            book = Ledger(path)
            book.verify()
            assert book.spent.epsilon == Fraction(3, 5)
        assert sum(counts) == 100
        assert Ledger(shelf / "shared.db").left.epsilon == 0
        assert sorted(map(str, shelf.iterdir())) == sorted([*paths, str(shelf / "shared.db")])

    @pytest.mark.parametrize("where", ["shared", "memory"])
    def test_threads_share_a_budget_to_the_last(self, shelf, where):
        whole = 2 if isinstance(shelf, Path) else Fraction(1, 2)
        book = Ledger(shelf / "b.db" if where == "shared" else None, epsilon=whole)
        counts, errors = [], []

        def work():
            count = 0
            try:
                while True:
                    book.charge(epsilon="1/50")
                    count += 1
                    assert book.spent.within(Amount(Fraction(whole), Fraction(0)))
            except BudgetError:
                counts.append(count)
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=work) for _ in range(16)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not errors
        assert sum(counts) == 50 * whole
        assert [entry.number for entry in book.entries()] == list(range(1, int(50 * whole) + 1))


@POSIX
class TestForks:
    def test_a_child_goes_on_with_the_books(self, shelf):
        book = filled(shelf / "b.db", 1)
        assert in_child(lambda: book.charge(epsilon=1).number) == "2"
        assert book.charge(epsilon=1).number == 3
        assert in_child(lambda: len(book.entries())) == "3"
        book.verify()

    def test_a_fork_waits_until_no_thread_is_inside_a_charge(self, shelf):
        book, stop = Ledger(shelf / "b.db", epsilon=10**6), threading.Event()
        errors = []

        def work():
            try:
                while not stop.is_set():
                    book.charge(epsilon=1)
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=work) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(cases(10, 30)):
                assert in_child(lambda: book.charge(epsilon=1).epsilon) == "Fraction(1, 1)"
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        assert not errors
        assert book.spent.epsilon == len(book.entries())
        book.verify()


class TestPickles:
    def test_a_file_travels_by_its_path(self, shelf, monkeypatch):
        book = filled(shelf / "b.db")
        monkeypatch.chdir("/")
        for other in (pickle.loads(pickle.dumps(book)), copy.copy(book), copy.deepcopy(book)):
            number = other.charge(epsilon=1).number
            assert number == len(book.entries())
            assert repr(other) == repr(book)
        assert eval(repr(book)).entries() == book.entries()

    def test_a_pickle_makes_no_file(self, shelf):
        book = filled(shelf / "b.db")
        travelling = pickle.dumps(book)
        remove(shelf / "b.db")
        with pytest.raises(LedgerError, match="there is no ledger here"):
            pickle.loads(travelling)
        filled(shelf / "b.db", 9)
        with pytest.raises(LedgerError, match="or other books"):
            pickle.loads(travelling)


@POSIX
class TestKills:
    def test_over_1000_kills_nothing_reported_is_lost_and_nothing_exceeds_the_budget(self, shelf):
        kills = cases(40 if isinstance(shelf, Path) else 10, 1000) if SHELVES else cases(30, 100)
        reported, hot = apart(kill_at_random, shelf, kills)
        assert reported > kills / 10  # Without charges and without journals left behind, this would be no test.
        assert hot > kills / 50 or not isinstance(shelf, Path)

    @pytest.mark.deep
    def test_nor_on_a_disk(self, tmp_path):
        reported, hot = apart(kill_at_random, tmp_path, 60)
        assert reported > 6
        assert hot > 1

    def test_a_kill_while_a_file_is_made_leaves_a_ledger_or_nothing(self, shelf):
        seed, made, names = random.Random(7919), 0, map("{}.db".format, itertools.count())
        wait = seconds(lambda: Ledger(shelf / next(names), epsilon=1))
        kills = cases(10 if isinstance(shelf, Path) else 5, 100)
        for name in itertools.islice(names, kills):
            path = shelf / name
            with killed(1, 2 * wait, seed, lambda _: Ledger(path, epsilon=1)):  # noqa: B023
                late = exists(path)
            made, wait = made + late, wait / 2 if late else wait * 2  # Half of the kills shall come too late.
            assert Ledger(path, epsilon=1).left == (1, 0)
        assert 0 < made < kills
