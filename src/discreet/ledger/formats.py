"""Formats: the tables of a ledger's file, and how a file of an older format becomes one of today's."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, NoReturn, final

from discreet.accounting import Accountant, Amount, Event, Plain
from discreet.errors import ParameterError
from discreet.exact import read_in_full
from discreet.ledger.entries import Entry, Mark, Row, amount_text, chained, event_text, now

__all__ = [
    "DAMAGED",
    "FORMAT",
    "STEP",
    "Books",
    "Old",
    "check",
    "check_origin",
    "create",
    "enter",
    "format_of",
    "migrate",
    "sound",
]

Refuse = Callable[[str], NoReturn]

_APPLICATION: Final = int.from_bytes(b"disc", "big")
FORMAT: Final = 3
STEP: Final = 32
"""After as many entries comes a checkpoint; the schema says so too."""

DAMAGED: Final = (
    "is damaged, or is being changed by another program: release nothing more on it, "
    "and restore a copy that has every charge, or start a new ledger with what is surely left"
)

# The triggers make the tables append-only for everyone who writes SQL, and each statement of a charge indispensable.
_APPEND_ONLY: Final = """
CREATE TRIGGER budget_is_one BEFORE INSERT ON budget WHEN EXISTS (SELECT 1 FROM budget)
BEGIN SELECT RAISE(ABORT, 'a ledger has one budget'); END

CREATE TRIGGER budget_stays BEFORE DELETE ON budget
BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END

CREATE TRIGGER entries_follow BEFORE INSERT ON entries WHEN NEW.number IS NOT (SELECT entries + 1 FROM budget)
BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END

CREATE TRIGGER entries_stay BEFORE DELETE ON entries
BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END

CREATE TRIGGER entries_keep BEFORE UPDATE ON entries
BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END
""".strip().split("\n\n")

_SCHEMA: Final = """
CREATE TABLE budget (
    one INTEGER PRIMARY KEY CHECK (one = 1), made TEXT NOT NULL, accountant TEXT NOT NULL, amount TEXT NOT NULL,
    entries INTEGER NOT NULL, digest TEXT NOT NULL)

CREATE TABLE entries (
    number INTEGER PRIMARY KEY, made TEXT NOT NULL, kind TEXT NOT NULL, event TEXT, cost TEXT NOT NULL,
    source TEXT, receipt TEXT NOT NULL, who TEXT, about INTEGER, digest TEXT NOT NULL)

CREATE UNIQUE INDEX notes ON entries (about, kind) WHERE about IS NOT NULL

CREATE TABLE checkpoint (
    one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL, digest TEXT NOT NULL, state TEXT NOT NULL,
    seal TEXT NOT NULL)

CREATE TRIGGER budget_counts BEFORE UPDATE ON budget
WHEN NEW.made IS NOT OLD.made OR NEW.accountant IS NOT OLD.accountant OR NEW.amount IS NOT OLD.amount
    OR NEW.entries IS NOT OLD.entries + 1
    OR NEW.digest IS NOT (SELECT digest FROM entries WHERE number = NEW.entries)
BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END

CREATE TRIGGER checkpoint_is_one BEFORE INSERT ON checkpoint WHEN EXISTS (SELECT 1 FROM checkpoint)
BEGIN SELECT RAISE(ABORT, 'a ledger has one checkpoint'); END

CREATE TRIGGER checkpoint_stays BEFORE DELETE ON checkpoint
BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END

CREATE TRIGGER checkpoint_advances BEFORE UPDATE ON checkpoint
WHEN NEW.number IS NOT OLD.number + 32 OR NEW.number IS NOT (SELECT entries FROM budget)
    OR NEW.digest IS NOT (SELECT digest FROM budget)
BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END
""".strip().split("\n\n")

_OLD_SCHEMA: Final = """
CREATE TABLE budget (
    one INTEGER PRIMARY KEY CHECK (one = 1), made TEXT NOT NULL, epsilon TEXT NOT NULL, delta TEXT NOT NULL,
    entries INTEGER NOT NULL, digest TEXT NOT NULL)

CREATE TABLE entries (
    number INTEGER PRIMARY KEY, made TEXT NOT NULL, epsilon TEXT NOT NULL, delta TEXT NOT NULL,
    source TEXT, receipt TEXT NOT NULL, digest TEXT NOT NULL)

CREATE TRIGGER budget_counts BEFORE UPDATE ON budget
WHEN NEW.made IS NOT OLD.made OR NEW.epsilon IS NOT OLD.epsilon OR NEW.delta IS NOT OLD.delta
    OR NEW.entries IS NOT OLD.entries + 1
    OR NEW.digest IS NOT (SELECT digest FROM entries WHERE number = NEW.entries)
BEGIN SELECT RAISE(ABORT, 'a ledger is append-only'); END
""".strip().split("\n\n")


def format_of(connection: sqlite3.Connection, refuse: Refuse) -> int:
    """Return the format of a file, or refuse one that is no ledger or is newer than this program."""
    ((application,),) = connection.execute("PRAGMA application_id")
    ((version,),) = connection.execute("PRAGMA user_version")
    if application != _APPLICATION:
        refuse("belongs to another program: give the path of a ledger, or one where there is no file yet")
    if version > FORMAT:
        refuse(f"was made by a newer discreet, in format {version}: upgrade discreet to use it")
    return int(version)


def check(connection: sqlite3.Connection, refuse: Refuse) -> None:
    """Refuse a file whose tables, index and triggers are not those of its format."""
    schema = connection.execute("SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
    wanted = {1: _OLD_SCHEMA, 2: _OLD_SCHEMA, FORMAT: _SCHEMA}.get(format_of(connection, refuse), [])
    if sorted(sql for (sql,) in schema) != sorted([*wanted, *_APPEND_ONLY]):
        refuse(DAMAGED)


def sound(connection: sqlite3.Connection, refuse: Refuse) -> None:
    """Refuse a file in which a page or a row is out of place. This reads all of it."""
    if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
        refuse(DAMAGED)


@final
@dataclass(frozen=True, slots=True)
class Books:
    """The head of the books: the budget, who counts, and where the chain of entries ends."""

    budget: Amount
    accountant: Accountant
    start: Mark
    count: int
    tip: str

    @classmethod
    def read(cls, connection: sqlite3.Connection, refuse: Refuse) -> Books:
        """Return the head that a file has."""
        ((made, name, amount, count, tip),) = connection.execute(
            "SELECT made, accountant, amount, entries, digest FROM budget"
        )
        try:
            accountant = Accountant.read(name)
        except ParameterError:
            refuse("is counted by an accountant that this discreet does not know: upgrade discreet to use it")
        parts = json.loads(amount)
        budget = Amount(read_in_full(parts["epsilon"]), read_in_full(parts["delta"]))
        return cls(budget, accountant, Mark.start(accountant, made, name, amount), count, tip)

    def digest_at(self, connection: sqlite3.Connection, number: int) -> str | None:
        """Return the digest of an entry, that of the budget before the first, or None where there is no such entry."""
        if number == 0:
            return self.start.digest
        found = connection.execute("SELECT digest FROM entries WHERE number = ?", (number,)).fetchone()
        return None if found is None else str(found[0])

    def checkpoint(self, connection: sqlite3.Connection, refuse: Refuse) -> Mark:
        """Return the mark from which on the books need to be read; refuse one that is not where it belongs."""
        ((number, digest, state, seal),) = connection.execute("SELECT number, digest, state, seal FROM checkpoint")
        mark = Mark.read(self.start.genesis, number, digest, state)
        if mark.seal != seal or number != self.count - self.count % STEP:  # proof: seal
            refuse(DAMAGED)
        if self.digest_at(connection, number) != digest:  # proof: anchor
            refuse(DAMAGED)
        return mark


def create(connection: sqlite3.Connection, made: str, budget: Amount, accountant: Accountant) -> Mark:
    """Write books without an entry; return the mark at their start."""
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")
    for statement in [*_SCHEMA, *_APPEND_ONLY]:
        connection.execute(statement)
    fields = made, accountant.text, amount_text(budget)
    mark = Mark.start(accountant, *fields)
    connection.execute("INSERT INTO budget VALUES (1, ?, ?, ?, 0, ?)", (*fields, mark.digest))
    checkpoint = mark.number, mark.digest, mark.state_text, mark.seal
    connection.execute("INSERT INTO checkpoint VALUES (1, ?, ?, ?, ?)", checkpoint)
    return mark


def enter(connection: sqlite3.Connection, mark: Mark, row: Row, accountant: Accountant) -> tuple[Mark, Entry]:
    """Write the next entry; return it, and the mark after it."""
    digest, entry = mark.digest_of(row), Entry.read(row, accountant)
    connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*row, digest))
    connection.execute("UPDATE budget SET entries = ?, digest = ?", (row.number, digest))
    after = mark.after(entry, digest)
    if after.number % STEP == 0:  # proof: checkpoint
        checkpoint = after.number, after.digest, after.state_text, after.seal
        connection.execute("UPDATE checkpoint SET number = ?, digest = ?, state = ?, seal = ?", checkpoint)
    return after, entry


@final
@dataclass(frozen=True, slots=True)
class Old:
    """Books of format 1 or 2, as rows of today's: they had amounts instead of events, and kinds that amounts tell."""

    format: int
    made: str
    budget: Amount
    rows: Sequence[Row]
    tip: str

    @classmethod
    def read(cls, connection: sqlite3.Connection, refuse: Refuse) -> Old:
        """Return all that a file has, or refuse it unless every digest agrees."""
        check(connection, refuse)
        sound(connection, refuse)
        version = format_of(connection, refuse)
        ((made, epsilon, delta, count, tip),) = connection.execute(
            "SELECT made, epsilon, delta, entries, digest FROM budget"
        )
        digest, rows = chained("", made, epsilon, delta), list[Row]()
        for *fields, found in connection.execute("SELECT * FROM entries ORDER BY number"):
            digest = chained(digest, *fields)
            if digest != found or fields[0] != len(rows) + 1:
                refuse(DAMAGED)
            rows.append(_row(rows, *fields))
        notes = any(row.kind != "charge" for row in rows)
        if (len(rows), digest) != (count, tip) or (notes and version == 1):
            refuse(DAMAGED)
        return cls(version, made, Amount(Fraction(epsilon), Fraction(delta)), rows, tip)

    def write(self, connection: sqlite3.Connection) -> Mark:
        """Write the books in today's format into an empty file; return the mark at their end."""
        mark = create(connection, self.made, self.budget, Plain())
        for row in self.rows:
            mark, _ = enter(connection, mark, row, Plain())
        return mark


def migrate(connection: sqlite3.Connection, refuse: Refuse) -> None:
    """Move a file of an older format to today's, and say so on its books."""
    old = Old.read(connection, refuse)
    connection.execute("DROP TABLE entries")
    connection.execute("DROP TABLE budget")  # The triggers go with their tables.
    mark = old.write(connection)
    receipt = json.dumps({"format": old.format, "digest": old.tip})
    nothing = amount_text(Amount(Fraction(0), Fraction(0)))
    row = Row(mark.number + 1, now(), "migrated", None, nothing, None, receipt, None, None)
    enter(connection, mark, row, Plain())


def check_origin(connection: sqlite3.Connection, note: Entry, refuse: Refuse) -> None:
    """Refuse books that were moved from an older format, unless they have the digest there that they had then."""
    ((made, amount),) = connection.execute("SELECT made, amount FROM budget")
    digest = chained("", made, *json.loads(amount).values())
    query = "SELECT number, made, cost, source, receipt FROM entries WHERE number < ? ORDER BY number"
    for number, when, cost, *rest in connection.execute(query, (note.number,)):
        digest = chained(digest, number, when, *json.loads(cost).values(), *rest)
    if digest != note.receipt["digest"]:  # proof: origin
        refuse(DAMAGED)


def _row(before: Sequence[Row], number: int, made: str, epsilon: str, delta: str, source: str, receipt: str) -> Row:
    """Return the row of today's format for one of an older."""
    cost = Amount(Fraction(epsilon), Fraction(delta))
    kind = "void" if min(cost) < 0 else "charge" if any(cost) else "failed"
    if kind == "charge":
        event: str | None = event_text(Event.of(moves=[(cost.epsilon, 1)], delta=cost.delta))
        return Row(number, made, kind, event, amount_text(cost), source, receipt, None, None)
    about = json.loads(receipt)["entry"]
    event = before[about - 1].event if kind == "void" else None
    return Row(number, made, kind, event, amount_text(cost), source, receipt, None, about)
