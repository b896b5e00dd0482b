"""Ledger: the budget's books. A charge is on disk before it returns, so a crash may waste budget and never exceeds it.

One SQLite file per budget, or one schema of a PostgreSQL database. Each charge holds its event, what was released as
plain data, and the accountant that the books name says whether the events fit into the budget. Each entry carries a
SHA-256 digest chained to the one before, and the end of the chain is kept a second time elsewhere. This finds
accidents: a lost tail, a flipped bit, an edited row, a backup copied over the books. It is no defence against an
adversary: whoever can write the books can compute the digests anew, and whoever deletes them has none. What holds after
any crash, and what a checkpoint promises: ledger.md.
"""

from discreet.accounting import Amount, Event
from discreet.ledger.books import Ledger
from discreet.ledger.entries import Entry
from discreet.ledger.limits import Analyst, Period
from discreet.ledger.reservations import Reservation

__all__ = ["Amount", "Analyst", "Entry", "Event", "Ledger", "Period", "Reservation"]
