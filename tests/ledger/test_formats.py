"""Files of older formats are moved to today's: in one transaction, on the record, their old digests still checkable."""

import json
import os
import random
import shutil
import signal
import sqlite3
import time
from contextlib import closing
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType

import pytest
from ledger_past import write
from tiers import cases

from discreet import BudgetError, Ledger, LedgerError
from discreet.accounting import Accountant, Amount, Event
from discreet.ledger import formats, sqlite
from discreet.ledger.entries import chained
from discreet.ledger.formats import FORMAT

OLD = Path(__file__).parent.parent / "data" / "ledger"
TIPS = {
    1: "5db82faf591d5571af282a3047a17087eaf948f236b22893380ac336463ea836",
    2: "a0bb83b418384ded9074baf913c0573c3dc62e9206f678f7982158f6c04d03d8",
}
"""The digests at the ends of the committed files, which no program of today has written."""


@pytest.fixture(params=[1, 2])
def old(request, tmp_path):
    """Return the path of a file of an older format, and which."""
    path = tmp_path / "b.db"
    shutil.copy(OLD / f"format-{request.param}.db", path)
    return path, request.param


def rows(path, query):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def told(path):
    """Return what an old file has, read here by hand."""
    found = rows(path, "SELECT number, made, epsilon, delta, source, receipt FROM entries ORDER BY number")
    return [
        (n, made, Fraction(e), Fraction(d), source, json.loads(receipt)) for n, made, e, d, source, receipt in found
    ]


def kept(book):
    return [(e.number, e.when.isoformat(timespec="microseconds"), e.epsilon, e.delta, e.table, e.receipt) for e in book]


class TestMigration:
    def test_the_committed_files_are_what_they_were(self, old):
        path, version = old
        assert rows(path, "PRAGMA user_version") == [(version,)]
        assert rows(path, "SELECT digest FROM budget") == [(TIPS[version],)]

    def test_an_old_file_is_moved_when_it_is_opened_and_keeps_everything(self, old):
        path, version = old
        before, ((epsilon, delta),) = told(path), rows(path, "SELECT epsilon, delta FROM budget")
        book = Ledger(path)
        *entries, note = book.entries()
        assert kept(entries) == before
        assert (book.epsilon, book.delta) == (Fraction(epsilon), Fraction(delta))
        assert book.spent == (sum(e for _, _, e, *_ in before), sum(d for _, _, _, d, *_ in before))
        assert (note.kind, note.receipt) == ("migrated", {"format": version, "digest": TIPS[version]})
        assert (note.amount, note.about, note.reason, note.event) == ((0, 0), None, None, None)
        assert rows(path, "PRAGMA user_version") == [(FORMAT,)]
        book.verify()
        assert Ledger(path).entries() == book.entries()  # Once is enough.
        assert book.charge(epsilon="1/100").number == len(before) + 2
        assert book.void(1, reason="none", unseen=True).about == 1
        Ledger(path).verify()
        assert f"moved from format {version}" in str(book)

    def test_what_the_old_charges_were_is_known_as_events(self, old):
        path, _ = old
        for entry in Ledger(path).entries():
            if entry.kind == "charge":
                assert entry.event == Event.of(moves=[(entry.epsilon, 1)], delta=entry.delta)
            assert entry.who is None

    def test_an_old_file_with_its_budget_is_opened_too(self, old):
        path, _ = old
        ((epsilon, delta),) = rows(path, "SELECT epsilon, delta FROM budget")
        Ledger(path, epsilon=epsilon, delta=delta)
        with pytest.raises(LedgerError, match="was made with"):
            Ledger(path, epsilon=1)

    def test_a_file_that_cannot_be_written_is_read_as_it_is(self, old, monkeypatch):
        path, version = old
        before, bytes_ = told(path), path.read_bytes()
        connect = sqlite._connect
        monkeypatch.setattr(sqlite, "_connect", lambda place, _: connect(place, "ro"))
        book = Ledger(path)
        assert kept(book.entries()) == before
        book.verify()
        assert book.spent.epsilon == sum(e for _, _, e, *_ in before)
        for call in (lambda: book.charge(epsilon="1/100"), lambda: book.mark_failed(1, reason="none")):
            with pytest.raises(LedgerError, match=r"b\.db: cannot be written: give yourself the right"):
                call()
        assert path.read_bytes() == bytes_
        assert rows(path, "PRAGMA user_version") == [(version,)]
        monkeypatch.undo()  # Now it can: the books that were read go on.
        assert book.charge(epsilon="1/100").number == len(before) + 2
        book.verify()

    def test_an_older_program_that_goes_on_writing_is_followed_until_then(self, old, monkeypatch):
        path, _ = old
        connect = sqlite._connect
        monkeypatch.setattr(sqlite, "_connect", lambda place, _: connect(place, "ro"))
        book = Ledger(path)
        count = len(book.entries())
        append(path, "1/1000", "0", None)
        assert len(book.entries()) == count + 1
        assert book.left.epsilon == book.epsilon - sum(entry.epsilon for entry in book.entries())

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
    def test_a_kill_leaves_the_old_file_or_the_new_one(self, old, tmp_path):
        path, _ = old
        before, bytes_, seed, moved = told(path), path.read_bytes(), random.Random(7919), 0
        wait = 0.01  # Until a kill: longer after one that came too early, shorter after one that came too late.
        for _ in range(cases(10, 40)):
            path.write_bytes(bytes_)
            child = os.fork()
            if child == 0:
                try:
                    Ledger(path)
                finally:
                    os._exit(0)
            time.sleep(seed.uniform(0, 2 * wait))
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            late = rows(path, "PRAGMA user_version") == [(FORMAT,)]
            moved, wait = moved + late, wait / 2 if late else wait * 2
            book = Ledger(path)
            book.verify()
            assert kept(book.entries()[:-1]) == before
            assert [entry.kind for entry in book.entries()].count("migrated") == 1
        assert 0 < moved < cases(10, 40)

    def test_a_newer_file_is_refused_in_so_many_words(self, tmp_path):
        Ledger(tmp_path / "b.db", epsilon=1).close()
        write(tmp_path / "b.db", f"PRAGMA user_version = {FORMAT + 1}")
        with pytest.raises(LedgerError, match=r"b\.db: was made by a newer discreet, in format 5: upgrade discreet"):
            Ledger(tmp_path / "b.db")

    def test_a_file_of_an_unreleased_format_is_refused_in_so_many_words(self, tmp_path):
        Ledger(tmp_path / "b.db", epsilon=1).close()
        write(tmp_path / "b.db", "PRAGMA user_version = 3")
        with pytest.raises(LedgerError, match=r"b\.db: was made by an unreleased discreet, in format 3: see with"):
            Ledger(tmp_path / "b.db")

    def test_books_of_an_unknown_accountant_are_refused_in_so_many_words(self, tmp_path):
        book = Ledger(tmp_path / "b.db", epsilon=1)
        write(tmp_path / "b.db", "UPDATE budget SET accountant = 'better'")
        for call in (lambda: Ledger(tmp_path / "b.db"), lambda: book.left, lambda: book.charge(epsilon="1/2")):
            with pytest.raises(LedgerError, match="an accountant that this discreet does not know: upgrade discreet"):
                call()


def append(path, epsilon, delta, receipt):
    """Write an entry into an old file, as an older program does."""
    ((count, tip),) = rows(path, "SELECT entries, digest FROM budget")
    fields = count + 1, "2026-11-16T09:30:00.000000+00:00", epsilon, delta, None, json.dumps(receipt)
    digest = chained(tip, *fields)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", (*fields, digest))
        connection.execute("UPDATE budget SET entries = ?, digest = ?", (count + 1, digest))


class TestDamage:
    @pytest.mark.parametrize(
        "sql",
        [
            "UPDATE entries SET epsilon = '0' WHERE number = 2",
            "UPDATE entries SET receipt = '1' WHERE number = 1",
            "UPDATE entries SET made = '2000-01-01T00:00:00.000000+00:00' WHERE number = 1",
            "UPDATE entries SET source = 'x' WHERE number = 2",
            "UPDATE entries SET digest = '' WHERE number = 1",
            "DELETE FROM entries WHERE number = (SELECT max(number) FROM entries)",
            "DELETE FROM entries WHERE number = 1",
            "UPDATE budget SET epsilon = '2000'",
            "UPDATE budget SET entries = 2",
            "UPDATE budget SET digest = ''",
            "DELETE FROM budget",
            "CREATE INDEX i ON entries (source)",
        ],
    )
    def test_a_damaged_old_file_is_refused_and_not_moved(self, old, sql):
        path, version = old
        write(path, sql)
        bytes_ = path.read_bytes()
        with pytest.raises(LedgerError, match="damaged"):
            Ledger(path)
        assert path.read_bytes() == bytes_
        assert rows(path, "PRAGMA user_version") == [(version,)]

    @pytest.mark.parametrize(
        ("epsilon", "delta", "receipt"),
        [
            ("-1", "0", {"entry": 1, "reason": "more than was charged"}),
            ("0", "0", {"entry": 99, "reason": "of no charge"}),
            ("0", "0", {"entry": 0, "reason": "of no charge"}),
            ("0", "0", {"entry": 1}),
            ("1000", "0", None),
        ],
    )
    def test_entries_that_no_ledger_wrote_are_damage(self, tmp_path, epsilon, delta, receipt):
        path = tmp_path / "b.db"
        shutil.copy(OLD / "format-2.db", path)
        append(path, epsilon, delta, receipt)
        bytes_ = path.read_bytes()
        with pytest.raises(LedgerError, match="damaged"):
            Ledger(path)
        assert path.read_bytes() == bytes_

    def test_a_note_in_a_file_of_the_first_format_is_damage(self, tmp_path):
        path = tmp_path / "b.db"
        shutil.copy(OLD / "format-1.db", path)
        append(path, "0", "0", {"entry": 1, "reason": "none"})
        with pytest.raises(LedgerError, match="damaged"):
            Ledger(path)

    def test_moved_books_that_no_longer_have_their_old_digest_are_damage(self, old):
        """Whoever computes all of today's digests anew, and forgets where the books came from, is found out."""
        path, _ = old
        Ledger(path).close()
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            made, name, amount = connection.execute("SELECT made, accountant, amount FROM budget").fetchone()
            found = [row[:-1] for row in connection.execute("SELECT * FROM entries ORDER BY number")]
            for table in ("entries", "budget", "checkpoint"):
                connection.execute(f"DROP TABLE {table}")
            parts = json.loads(amount)
            budget = Amount(Fraction(parts["epsilon"]), Fraction(parts["delta"]))
            plain = Accountant.read(name)
            sqlite.lay_out(connection)
            mark = formats.create(connection, made, budget, plain)
            for row in found:
                changed = formats.Row(*row)._replace(source="elsewhere") if row[0] == 1 else formats.Row(*row)
                mark, _ = formats.enter(connection, mark, changed, plain)
        book = Ledger(path)
        assert book.entries()[0].table == "elsewhere"
        with pytest.raises(LedgerError, match="damaged"):
            book.verify()


def half():
    """Make a toy accountant, for which events count half."""

    class Half(Accountant):
        __slots__ = ()
        name = "half, for tests"
        sums = MappingProxyType({"epsilon": "half of all epsilons"})

        def cost(self, event):
            return (event.epsilon / 2,)

        def limits(self, budget):
            return (budget.epsilon,)

        def left(self, state, budget):
            return Amount((budget.epsilon - state[0]) * 2, budget.delta)

        def spent(self, state):
            return Amount(state[0] * 2, Fraction(0))

    return Half.name


class TestAccountants:
    @pytest.mark.usefixtures("own_accountants")
    def test_the_books_are_counted_by_the_accountant_that_they_name(self, tmp_path):
        path, name = tmp_path / "b.db", half()
        book = Ledger(path, epsilon=1, accountant=name)
        for _ in range(40):
            book.charge(epsilon="1/20")
        for again in (book, Ledger(path), Ledger(path, accountant=name)):
            assert again.left.epsilon == 0
            again.verify()
            assert again.to_dict()["accountant"] == name
            with pytest.raises(BudgetError):
                again.charge(epsilon="1/20")
        book.void(7, reason="none", unseen=True)
        assert Ledger(path).left.epsilon == Fraction(1, 20)
        with pytest.raises(LedgerError, match="is counted by accountant='half, for tests'"):
            Ledger(path, accountant="plain")

    @pytest.mark.parametrize("name", ["best", 5, b"plain", ["plain"]])
    def test_an_accountant_is_one_that_is_known(self, name):
        with pytest.raises(ValueError, match="accountant="):
            Ledger(None, epsilon=1, accountant=name)

    def test_two_accountants_do_not_share_a_name(self):
        with pytest.raises(ValueError, match="name='plain': need a name that no accountant has yet"):
            type("Other", (Accountant,), {"name": "plain", "sums": {}})
