"""Older: how a file of format 1 or 2 becomes one of today's. These were SQLite's alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from discreet.accounting import Amount, Event, Plain
from discreet.ledger.entries import Entry, Mark, Row, amount_text, chained, event_text, now
from discreet.ledger.formats import create, enter
from discreet.ledger.sqlite import check_pages, check_schema, format_of, lay_out
from discreet.ledger.store import DAMAGED, Connection, Refuse

__all__ = ["Old", "check_origin", "migrate"]


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
    def read(cls, connection: Connection, refuse: Refuse) -> Old:
        """Return all that a file has, or refuse it unless every digest agrees."""
        check_schema(connection, refuse)
        check_pages(connection, refuse)
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

    def write(self, connection: Connection) -> Mark:
        """Write the books in today's format into an empty file; return the mark at their end."""
        lay_out(connection)
        mark = create(connection, self.made, self.budget, Plain())
        for row in self.rows:
            mark, _ = enter(connection, mark, row, Plain())
        return mark


def migrate(connection: Connection, refuse: Refuse) -> None:
    """Move a file of an older format to today's, and say so on its books."""
    old = Old.read(connection, refuse)
    connection.execute("DROP TABLE entries")
    connection.execute("DROP TABLE budget")  # The triggers go with their tables.
    mark = old.write(connection)
    receipt = json.dumps({"format": old.format, "digest": old.tip})
    nothing = amount_text(Amount(Fraction(0), Fraction(0)))
    row = Row(mark.number + 1, now(), "migrated", None, nothing, None, receipt, None, None)
    enter(connection, mark, row, Plain())


def check_origin(connection: Connection, note: Entry, refuse: Refuse) -> None:
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
