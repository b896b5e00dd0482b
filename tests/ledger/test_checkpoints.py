"""Opening, charging and taking back cost the same on long books as on short ones, and lose no check that they made."""

import json
import tempfile
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from ledger_past import is_url, raw, write
from ledger_shelves import on_shelves

from discreet import BudgetError, Ledger, LedgerError
from discreet.accounting import Amount, Event, Plain
from discreet.ledger import formats, sqlite
from discreet.ledger.entries import Row, amount_text, event_text, now

STEP = formats.STEP
EVENT = Event.of(moves=[("1/1000", 1)], delta="1e-9")


def long_books(path, count):
    """Return books with many charges."""
    if is_url(path):
        return written(path, count)
    path.write_bytes(charged(count))
    return path


@cache
def charged(count):
    """The bytes of books with many charges, written at once, each as the ledger writes it."""
    with tempfile.TemporaryDirectory() as folder:
        return written(Path(folder) / "b.db", count).read_bytes()


def written(path, count):
    Ledger(path, epsilon=1000, delta="1/2", accountant="plain").close()
    text, cost = event_text(EVENT), amount_text(Amount(EVENT.epsilon, EVENT.delta))
    with raw(path) as connection:
        connection.execute("BEGIN")
        mark = formats.Books.read(connection, pytest.fail).start
        for number in range(1, count + 1):
            row = Row(number, now(), "charge", text, cost, "t", "null", None, None)
            mark, _ = formats.enter(connection, mark, row, Plain())
        connection.execute("COMMIT")
    return path


@pytest.fixture
def steps(monkeypatch):
    """Return what counts the steps that SQLite's machine takes for some work, and the rows that it gives."""
    connect = sqlite._connect

    def counted(work):
        taken, given = [], []

        def spy(path, mode):
            connection = connect(path, mode)
            connection.set_progress_handler(lambda: taken.append(1), 1)
            connection.row_factory = lambda _, row: given.append(1) or row
            return connection

        monkeypatch.setattr(sqlite, "_connect", spy)
        work()
        monkeypatch.setattr(sqlite, "_connect", connect)
        return len(taken), len(given)

    return counted


WORK = {
    "open": lambda _, path: Ledger(path),
    "left": lambda book, _: book.left,
    "charge": lambda book, _: book.charge(epsilon="1/1000"),
    "require": lambda book, _: book.require(epsilon="1/1000"),
    "mark_failed": lambda book, _: book.mark_failed(3, reason="none"),
    "void": lambda book, _: book.void(3, reason="none", unseen=True),
    "open and charge": lambda _, path: Ledger(path).charge(epsilon="1/1000"),
    "open and void": lambda _, path: Ledger(path).void(3, reason="none", unseen=True),
}


class TestWork:
    @pytest.mark.parametrize("what", WORK)
    def test_the_work_does_not_grow_with_the_books(self, what, tmp_path, steps):
        short, long = (long_books(tmp_path / f"{count}.db", count) for count in (STEP + 10, 100 * STEP + 10))
        found = [steps(lambda path=path: WORK[what](Ledger(path), path)) for path in (short, long)]
        assert found[0] == found[1]
        assert max(found[1]) < 3000

    def test_at_most_one_step_of_entries_is_read(self, tmp_path, steps):
        counts = [0, 1, STEP - 1, STEP, STEP + 1, 2 * STEP - 1, 2 * STEP, 5 * STEP + 7]
        paths = [long_books(tmp_path / f"{count}.db", count) for count in counts]
        _, rows = zip(*(steps(lambda path=path: Ledger(path)) for path in paths), strict=True)
        found = dict(zip(counts, rows, strict=True))
        for count in counts:
            assert found[count] - found[STEP if count >= STEP else 0] == count % STEP

    def test_verify_reads_everything(self, tmp_path, steps):
        path = long_books(tmp_path / "b.db", 10 * STEP)
        book = Ledger(path)
        assert steps(book.verify)[-1] > 10 * STEP

    def test_long_books_are_the_same_books(self, tmp_path):
        count = 3 * STEP + 5
        book = Ledger(long_books(tmp_path / "b.db", count))
        assert book.spent == (count * EVENT.epsilon, count * EVENT.delta)
        assert [entry.number for entry in book.entries()] == list(range(1, count + 1))
        book.verify()
        for number in (1, STEP, STEP + 1, count):
            book.mark_failed(number, reason="none")
            book.void(number, reason="none", unseen=True)
        for again in (book, Ledger(book.path)):
            assert again.spent == ((count - 4) * EVENT.epsilon, (count - 4) * EVENT.delta)
            again.verify()

    def test_sums_may_be_longer_than_what_python_prints(self, tmp_path):
        path = tmp_path / "b.db"
        book, parts = Ledger(path, epsilon=10**6), [Fraction(1, 2**500 + 2 * i + 1) for i in range(2 * STEP)]
        for part in parts:
            book.charge(epsilon=part)
        for again in (book, Ledger(path)):
            assert again.spent.epsilon == sum(parts)
            again.verify()
            assert len(again.to_dict()["spent"]["epsilon"]) > 5000
            assert "epsilon left" in str(again)


def seals(path):
    with raw(path) as connection:
        return connection.execute("SELECT number, digest, state, seal FROM checkpoint").fetchone()


TAMPERED = {
    "number": ("UPDATE checkpoint SET number = ?", (0,)),
    "number of the one before": ("UPDATE checkpoint SET number = number - ?", (STEP,)),
    "digest": ("UPDATE checkpoint SET digest = ?", ("0" * 64,)),
    "state": ("UPDATE checkpoint SET state = ?", ('["0", "0"]',)),
    "state's delta": ("UPDATE checkpoint SET state = replace(state, ?, '0/')", ("/",)),
    "seal": ("UPDATE checkpoint SET seal = ?", ("0" * 64,)),
    "budget": ("UPDATE budget SET amount = replace(amount, ?, '2000')", ("1000",)),
    "made": ("UPDATE budget SET made = ?", ("2000-01-01T00:00:00.000000+00:00",)),
    "count": ("UPDATE budget SET entries = entries - ?", (1,)),
    "tip": ("UPDATE budget SET digest = ?", ("0" * 64,)),
    "last entry": ("DELETE FROM entries WHERE number = (SELECT max(number) FROM entries) - ?", (0,)),
    "an entry that an open ledger has read": ("UPDATE entries SET source = ? WHERE number > 96", ("u",)),
    "the checkpoint's entry": ("DELETE FROM entries WHERE number = ?", (96,)),
    "the digest of the checkpoint's entry": ("UPDATE entries SET digest = ? WHERE number = 96", ("0" * 64,)),
}


class TestTampering:
    @on_shelves("what", TAMPERED, 4)
    def test_what_is_read_when_books_are_opened_is_checked(self, what, shelf):
        path = long_books(shelf / "b.db", 3 * STEP + 5)
        book = Ledger(path)
        write(path, TAMPERED[what])
        calls = [lambda: Ledger(path), book.verify, book.entries, lambda: book.charge(epsilon="1/1000")]
        for call in calls[: 3 if what == "an entry that an open ledger has read" else 4]:
            with pytest.raises(LedgerError):
                call()

    @on_shelves(
        "sql",
        [
            "UPDATE entries SET cost = replace(cost, '1/1000', '1/1001') WHERE number = 7",
            "UPDATE entries SET event = replace(event, '1/1000', '1/1001') WHERE number = 7",
            "UPDATE entries SET made = '2000-01-01T00:00:00.000000+00:00' WHERE number = 7",
            "UPDATE entries SET kind = 'failed' WHERE number = 7",
            "UPDATE entries SET source = NULL WHERE number = 7",
            "UPDATE entries SET receipt = '1' WHERE number = 7",
            "UPDATE entries SET who = 'Eve' WHERE number = 7",
            "UPDATE entries SET about = 1 WHERE number = 7",
            "UPDATE entries SET digest = '' WHERE number = 7",
            "DELETE FROM entries WHERE number = 7",
        ],
        4,
    )
    def test_verify_finds_the_rest(self, sql, shelf):
        path = long_books(shelf / "b.db", 3 * STEP + 5)
        book = Ledger(path)
        write(path, (sql,))
        Ledger(path).charge(epsilon="1/1000")  # What is read is sound, and the sum is the one under the seal.
        for call in (book.verify, book.entries, Ledger(path).verify):
            with pytest.raises(LedgerError, match="is damaged"):
                call()
        with pytest.raises(LedgerError, match="is damaged"):  # A note looks at its charge.
            book.void(7, reason="none", unseen=True)

    def test_a_checkpoint_with_a_right_seal_and_a_wrong_sum_is_found_by_verify(self, shelf):
        path = long_books(shelf / "b.db", 3 * STEP + 5)
        with raw(path) as connection:
            start = formats.Books.read(connection, pytest.fail).start
        number, digest, state, seal = seals(path)
        mark = start.at(number, digest, state)
        assert mark.seal == seal
        forged = mark._replace(state=(Fraction(0), Fraction(0)))
        write(path, ("UPDATE checkpoint SET state = ?, seal = ?", (forged.state_text, forged.seal)))
        book = Ledger(path)
        for call in (book.verify, book.entries):
            with pytest.raises(LedgerError, match="is damaged"):
                call()

    def test_an_open_ledger_that_passes_a_checkpoint_compares_it_with_its_own_sum(self, shelf):
        path = long_books(shelf / "b.db", STEP - 3)
        book, other = Ledger(path), Ledger(path)
        for _ in range(5):
            other.charge(epsilon="1/1000")
        with raw(path) as connection:
            start = formats.Books.read(connection, pytest.fail).start
        forged = start.at(*seals(path)[:3])._replace(state=(Fraction(0), Fraction(0)))
        write(path, ("UPDATE checkpoint SET state = ?, seal = ?", (forged.state_text, forged.seal)))
        with pytest.raises(LedgerError, match="is damaged"):
            book.charge(epsilon="1/1000")

    def test_a_whole_older_copy_is_noticed_by_an_open_ledger(self, tmp_path):
        path = long_books(tmp_path / "b.db", STEP - 1)
        older = path.read_bytes()
        book = Ledger(path)
        for _ in range(3):
            book.charge(epsilon="1/1000")
        path.write_bytes(older)
        for call in (lambda: book.charge(epsilon="1/1000"), lambda: book.left, book.verify, book.entries):
            with pytest.raises(LedgerError, match="lacks charges that it had"):
                call()

    def test_the_checkpoint_of_an_older_copy_is_noticed(self, shelf):
        path = long_books(shelf / "b.db", 2 * STEP - 1)
        older = seals(path)
        Ledger(path).charge(epsilon="1/1000")
        write(path, ("UPDATE checkpoint SET number = ?, digest = ?, state = ?, seal = ?", older))
        with pytest.raises(LedgerError, match="is damaged"):
            Ledger(path)


class TestWho:
    def test_who_asked_is_on_the_books_only_if_it_is_given(self, shelf):
        book = Ledger(shelf / "b.db", epsilon=3)
        book.charge(epsilon=1)
        book.charge(epsilon=1, who="Ada")
        book.mark_failed(2, reason="none")
        book.void(2, reason="none", unseen=True, who="Grace")
        for again in (book, Ledger(book.path)):
            assert [entry.who for entry in again.entries()] == [None, "Ada", None, "Grace"]
            assert [entry["who"] for entry in again.to_dict()["entries"]] == [None, "Ada", None, "Grace"]
            again.verify()

    @pytest.mark.parametrize("who", [5, b"x", "\ud800", "a\0b", "x" * 1001, ["Ada"]])
    def test_who_is_a_text(self, who):
        with pytest.raises((TypeError, ValueError), match="who="):
            Ledger.in_memory(epsilon=1).charge(epsilon=1, who=who)


class TestEvents:
    def test_an_event_is_charged_and_kept_whole(self, shelf):
        book = Ledger(shelf / "b.db", epsilon=3, delta="1e-5")
        event = Event.of(
            moves=[("1/3", 3), ("1/4", 1)],
            delta="1e-6",
            mechanism="Table",
            sensitivity=[3, 3, 1],
            parameters={"scale": 3},
        ) + Event.of(moves=[("1/2", 1)], mechanism="Other")
        entry = book.charge(event=event, table="t")
        assert (entry.epsilon, entry.delta, entry.event) == (Fraction(7, 4), Fraction(1, 10**6), event)
        assert Ledger(book.path).entries() == [entry]
        assert Event.from_dict(book.to_dict()["entries"][0]["event"]) == event
        json.dumps(book.to_dict())

    def test_an_event_stands_alone(self):
        book = Ledger.in_memory(epsilon=3)
        for given in ({"epsilon": 1}, {"delta": "1/2"}):
            with pytest.raises(ValueError, match=r"event=.*an event alone"):
                book.charge(event=EVENT, **given)
        for junk in (1, "x", EVENT.to_dict(), EVENT.parts):
            with pytest.raises(TypeError, match=r"event=.*an Event"):
                book.charge(event=junk)
        with pytest.raises(ValueError, match="costs nothing"):
            book.charge(event=Event(()))
        with pytest.raises(ValueError, match="characters of JSON"):
            book.charge(event=Event(EVENT.parts * 10_000))
        assert book.entries() == []

    def test_an_event_that_does_not_fit_is_refused(self):
        book = Ledger.in_memory(epsilon=1)
        event = Event.of(moves=[("1/2", 3)])
        for ask in (book.require, book.charge):
            with pytest.raises(BudgetError, match=r"^epsilon=1.5, delta=0: more than is left in memory"):
                ask(event=event)
        book.require(event=Event.of(moves=[("1/2", 2)]))
