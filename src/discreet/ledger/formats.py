"""Formats: the tables of a ledger, what holds in them for whoever writes SQL, and how entries get into them."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Final, NamedTuple, final

from discreet.accounting import Accountant, Amount
from discreet.errors import ParameterError
from discreet.exact import read_in_full
from discreet.ledger.entries import Entry, Mark, Row, amount_text
from discreet.ledger.limits import NO_LIMITS, Limits
from discreet.ledger.store import DAMAGED, Connection, Refuse

__all__ = [
    "ANSWERS",
    "APPEND_ONLY",
    "FORMAT",
    "INDICES",
    "RULES",
    "STEP",
    "TABLES",
    "UNRELEASED",
    "Books",
    "Rule",
    "create",
    "enter",
]

FORMAT: Final = 4
UNRELEASED: Final = (
    "was made by an unreleased discreet, in format 3: see with that version what is left, "
    "and start a new ledger with it"
)
ANSWERS: Final = ("inside", "beside", "none")
"""Where kept answers are: in the entries, beside the books under their digests, or nowhere."""
STEP: Final = 32
"""After as many entries comes a checkpoint; the rules say so too."""

TABLES: Final = {
    "budget": """
    one INTEGER PRIMARY KEY CHECK (one = 1), made TEXT NOT NULL, accountant TEXT NOT NULL, amount TEXT NOT NULL,
    entries INTEGER NOT NULL, digest TEXT NOT NULL""",
    "entries": """
    number INTEGER PRIMARY KEY, made TEXT NOT NULL, kind TEXT NOT NULL, event TEXT, cost TEXT NOT NULL,
    source TEXT, receipt TEXT NOT NULL, who TEXT, about INTEGER, digest TEXT NOT NULL""",
    "checkpoint": """
    one INTEGER PRIMARY KEY CHECK (one = 1), number INTEGER NOT NULL, digest TEXT NOT NULL, state TEXT NOT NULL,
    seal TEXT NOT NULL""",
}
"""The columns of each table, in words that every store understands; no comma stands inside a column."""

INDICES: Final = {
    "notes": "CREATE UNIQUE INDEX notes ON entries (about, kind) WHERE about IS NOT NULL AND kind <> 'release'",
    "answers": "CREATE INDEX answers ON entries (source) WHERE kind = 'answer'",
    "releases": "CREATE INDEX releases ON entries (about) WHERE kind = 'release'",
}


class Rule(NamedTuple):
    """What may not be done to a table, unless the condition is false; a store makes a trigger of it."""

    name: str
    verb: str
    table: str
    condition: str = ""
    why: str = "a ledger is append-only"


# The rules make the tables append-only for everyone who writes SQL, and each statement of a charge indispensable.
APPEND_ONLY: Final = (
    Rule("budget_is_one", "INSERT", "budget", "EXISTS (SELECT 1 FROM budget)", "a ledger has one budget"),
    Rule("budget_stays", "DELETE", "budget"),
    Rule("entries_follow", "INSERT", "entries", "NEW.number IS NOT (SELECT entries + 1 FROM budget)"),
    Rule("entries_stay", "DELETE", "entries"),
    Rule("entries_keep", "UPDATE", "entries"),
)
RULES: Final = (
    *APPEND_ONLY,
    Rule(
        "budget_counts",
        "UPDATE",
        "budget",
        "NEW.made IS NOT OLD.made OR NEW.accountant IS NOT OLD.accountant OR NEW.amount IS NOT OLD.amount "
        "OR NEW.entries IS NOT OLD.entries + 1 "
        "OR NEW.digest IS NOT (SELECT digest FROM entries WHERE number = NEW.entries)",
    ),
    Rule(
        "checkpoint_is_one",
        "INSERT",
        "checkpoint",
        "EXISTS (SELECT 1 FROM checkpoint)",
        "a ledger has one checkpoint",
    ),
    Rule("checkpoint_stays", "DELETE", "checkpoint"),
    Rule(
        "checkpoint_advances",
        "UPDATE",
        "checkpoint",
        "NEW.number IS NOT OLD.number + 32 OR NEW.number IS NOT (SELECT entries FROM budget) "
        "OR NEW.digest IS NOT (SELECT digest FROM budget)",
    ),
)


@final
@dataclass(frozen=True, slots=True)
class Books:
    """The head of the books: the budget, who counts, and where the chain of entries ends."""

    budget: Amount
    accountant: Accountant
    start: Mark
    count: int
    tip: str
    answers: str

    @classmethod
    def read(cls, connection: Connection, refuse: Refuse) -> Books:
        """Return the head that a file has."""
        ((made, name, amount, count, tip),) = connection.execute(
            "SELECT made, accountant, amount, entries, digest FROM budget"
        )
        try:
            accountant, parts = Accountant.read(name), json.loads(amount)
            limits = Limits.read(parts)
        except ParameterError:
            refuse("is counted by an accountant that this discreet does not know: upgrade discreet to use it")
        budget = Amount(read_in_full(parts["epsilon"]), read_in_full(parts["delta"]))
        start = Mark.start(accountant, made, name, amount, limits=limits)
        return cls(budget, accountant, start, count, tip, ANSWERS[ANSWERS.index(parts.get("answers", ANSWERS[0]))])

    def digest_at(self, connection: Connection, number: int) -> str | None:
        """Return the digest of an entry, that of the budget before the first, or None where there is no such entry."""
        if number == 0:
            return self.start.digest
        found = connection.execute("SELECT digest FROM entries WHERE number = ?", (number,)).fetchone()
        return None if found is None else str(found[0])

    def checkpoint(self, connection: Connection, refuse: Refuse) -> Mark:
        """Return the mark from which on the books need to be read; refuse one that is not where it belongs."""
        ((number, digest, state, seal),) = connection.execute("SELECT number, digest, state, seal FROM checkpoint")
        mark = self.start.at(number, digest, state)
        if mark.seal != seal or number != self.count - self.count % STEP:  # proof: seal
            refuse(DAMAGED)
        if self.digest_at(connection, number) != digest:  # proof: anchor
            refuse(DAMAGED)
        return mark


def create(
    connection: Connection,
    made: str,
    budget: Amount,
    accountant: Accountant,
    limits: Limits = NO_LIMITS,
    answers: str = ANSWERS[0],
) -> Mark:
    """Write books without an entry into empty tables; return the mark at their start."""
    rules = limits.rules | ({} if answers == ANSWERS[0] else {"answers": answers})
    fields = made, accountant.text, json.dumps(json.loads(amount_text(budget)) | rules)
    mark = Mark.start(accountant, *fields, limits=limits)
    connection.execute("INSERT INTO budget VALUES (1, ?, ?, ?, 0, ?)", (*fields, mark.digest))
    checkpoint = mark.number, mark.digest, mark.state_text, mark.seal
    connection.execute("INSERT INTO checkpoint VALUES (1, ?, ?, ?, ?)", checkpoint)
    return mark


def enter(
    connection: Connection, mark: Mark, row: Row, accountant: Accountant, taken: Entry | None = None
) -> tuple[Mark, Entry]:
    """Write the next entry; return it, and the mark after it. *taken* is the charge that it takes back."""
    digest, entry = mark.digest_of(row), Entry.read(row, accountant)
    connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*row, digest))
    connection.execute("UPDATE budget SET entries = ?, digest = ?", (row.number, digest))
    after = mark.after(entry, digest, taken)
    if after.number % STEP == 0:  # proof: checkpoint
        checkpoint = after.number, after.digest, after.state_text, after.seal
        connection.execute("UPDATE checkpoint SET number = ?, digest = ?, state = ?, seal = ?", checkpoint)
    return after, entry
