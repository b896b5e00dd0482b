"""Store: the reports that a collector keeps. What is acknowledged is durable, and nothing in here tells the order.

Reports wait in a pool, which is shuffled anew whenever one is added, and leave it for *drawers*, so many at a time, at
random. So what is stored does not say which report came first, except that those in different drawers came, on the
whole, at different times; and every copy leaves in an order of its own. Keys against repetition, invitations and
tickets are spent in the transaction that stores the report, and are kept apart from it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, NoReturn, Protocol, TypeVar, final

import numpy as np

from discreet.coins import SYSTEM, Coins
from discreet.errors import StoreError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "ABSENT",
    "DAMAGED",
    "FORMAT",
    "NEW",
    "TABLES",
    "UPGRADE",
    "Connection",
    "Cursor",
    "Outcome",
    "Store",
    "Submission",
    "shuffled",
]

T = TypeVar("T")

FORMAT: Final = 2
TABLES: Final = {
    "about": "one INTEGER PRIMARY KEY CHECK (one = 1), tag {bytes} NOT NULL, width INTEGER NOT NULL, "
    "survey TEXT NOT NULL",
    "pool": "wave TEXT PRIMARY KEY, reports {bytes} NOT NULL",
    "drawers": "place {integer} PRIMARY KEY, wave TEXT NOT NULL, reports {bytes} NOT NULL",
    "once": "mark {bytes} PRIMARY KEY",
    "invitations": "mark {bytes} PRIMARY KEY, spent INTEGER NOT NULL",
    "keys": "wave TEXT PRIMARY KEY, primes {bytes} NOT NULL",
    "requests": "mark {bytes} PRIMARY KEY, digest {bytes} NOT NULL",
    "tickets": "mark {bytes} PRIMARY KEY",
}
"""The columns of each table; SQLite and PostgreSQL have names of their own for bytes and long integers."""
NEW: Final = ("keys", "requests", "tickets")
"""The tables that the second format brought."""
UPGRADE: Final = "INSERT INTO requests SELECT mark, {zeros} FROM invitations ORDER BY mark"
"""What it does to what was there before."""
_NONE: Final = bytes(32)
"""What stands for no request. Its place is taken in the row that was there before: a new row would tell its time."""
ABSENT: Final = "there is no store of this survey here: check the place, or ask for a new one by --create"
DAMAGED: Final = "is damaged, or has been changed by another program: restore a copy"
_POOL_BYTES: Final = 1 << 15
_LEAST_DRAWER: Final = 64
_MOST_DRAWER: Final = 4096


@final
@dataclass(frozen=True, slots=True)
class Submission:
    """What one request brings: payloads, one after the other, and the marks of its key, its invitation or its ticket.

    Whoever sets *ticket* has checked its signature.
    """

    payloads: bytes
    once: bytes | None = None
    invitation: bytes | None = None
    ticket: bytes | None = None


class Outcome(Enum):
    """What became of a submission: it is stored now, it was before, it needs an invitation, or nobody can send it."""

    STORED = "stored"
    AGAIN = "again"
    UNINVITED = "uninvited"
    REFUSED = "refused"


class Cursor(Protocol):
    """What a statement gives."""

    @property
    def rowcount(self) -> int:
        """How many rows were changed."""

    def __iter__(self) -> Iterator[Any]: ...

    def fetchone(self) -> Any:
        """Return the next row, or None."""


class Connection(Protocol):
    """A transaction that has begun: SQL goes in, with ``?`` for each value, and rows come out."""

    def execute(self, sql: str, values: Sequence[Any] = ..., /) -> Cursor:
        """Do one statement."""


class Store(ABC):
    """A place for the reports of one survey, each of *width* bytes. One server at a time has it."""

    width: int
    _lock: Any = None
    """A connection that keeps other servers out as long as it is open."""

    @property
    @abstractmethod
    def where(self) -> str:
        """What to call this place in a message."""

    @abstractmethod
    def run(self, work: Callable[[Connection], T], /) -> T:
        """Do some work in one transaction, which is durable when this returns, or has changed nothing."""

    @abstractmethod
    def hold(self) -> None:
        """Keep other servers out, or raise where one has this store already."""

    @abstractmethod
    def drop(self) -> None:
        """Close the connection, and undo what it has not committed; the next transaction opens another."""

    def close(self) -> None:
        """Close the store, and let other servers have it."""
        self.drop()
        lock, self._lock = self._lock, None
        if lock is not None:
            lock.close()

    def refuse(self, why: str) -> NoReturn:
        """Raise StoreError, with the remedy."""
        raise StoreError(f"{self.where}: {why}")

    @property
    def drawer(self) -> int:
        """How many reports leave the pool together; as many stay behind."""
        return max(_LEAST_DRAWER, min(_MOST_DRAWER, _POOL_BYTES // max(self.width, 1)))

    def add(self, wave: str, group: Sequence[Submission], /) -> list[Outcome]:
        """Store many submissions in one transaction, each one whole or not at all; say what became of each."""
        return self.run(lambda connection: self._add(connection, wave, group))

    def _add(self, connection: Connection, wave: str, group: Sequence[Submission]) -> list[Outcome]:
        by_invitation = connection.execute("SELECT 1 FROM invitations LIMIT 1").fetchone() is not None
        outcomes = [_admitted(connection, each, by_invitation) for each in group]
        new = [each.payloads for each, told in zip(group, outcomes, strict=True) if told is Outcome.STORED]
        if new:
            self._pour(connection, wave, b"".join(new))
        return outcomes

    def _pour(self, connection: Connection, wave: str, payloads: bytes) -> None:
        """Put payloads into the pool, shuffle it, and let drawers out of it while as many stay behind."""
        found = connection.execute("SELECT reports FROM pool WHERE wave = ?", (wave,)).fetchone()
        pool = self._rows((bytes(found[0]) if found else b"") + payloads)
        mixed, size = shuffled(pool), self.drawer
        out = max(len(mixed) // size - 1, 0) * size
        for start in range(0, out, size):
            kept = mixed[start : start + size].tobytes()
            connection.execute("INSERT INTO drawers VALUES (?, ?, ?)", (SYSTEM.bits(63), wave, kept))
        connection.execute(
            "INSERT INTO pool VALUES (?, ?) ON CONFLICT (wave) DO UPDATE SET reports = excluded.reports",
            (wave, mixed[out:].tobytes()),
        )

    def _rows(self, payloads: bytes) -> NDArray[np.uint8]:
        if len(payloads) % self.width:
            self.refuse(DAMAGED)
        return np.frombuffer(payloads, np.uint8).reshape(-1, self.width)

    def has(self, once: bytes, /) -> bool:
        """Whether the submission with this key is stored."""
        return self.run(lambda connection: _is_known(connection, once))

    def waves(self) -> list[str]:
        """Return the waves that have reports."""
        return self.run(lambda connection: [wave for (wave,) in connection.execute("SELECT wave FROM pool")])

    def each(self, wave: str, take: Callable[[NDArray[np.uint8]], object], /) -> None:
        """Hand over the payloads of a wave, some thousand at a time, as they are at one moment."""

        def work(connection: Connection) -> None:
            for table in ("drawers", "pool"):
                for (reports,) in connection.execute(f"SELECT reports FROM {table} WHERE wave = ?", (wave,)):  # noqa: S608
                    take(self._rows(bytes(reports)))

        self.run(work)

    def payloads(self, wave: str, /) -> NDArray[np.uint8]:
        """Return all payloads of a wave, in a random order that is new each time."""
        found = [np.empty((0, self.width), np.uint8)]
        self.each(wave, found.append)
        return shuffled(np.concatenate(found))

    def invite(self, marks: Iterable[bytes], /) -> None:
        """Store the marks of new invitations: from now on nobody answers without one."""
        rows = sorted(marks)  # Not in the order in which they are handed out.

        def work(connection: Connection) -> None:
            for mark in rows:
                connection.execute("INSERT INTO invitations VALUES (?, 0)", (mark,))
                connection.execute("INSERT INTO requests VALUES (?, ?)", (mark, _NONE))

        self.run(work)

    def grant(self, asked: Sequence[tuple[bytes, bytes]], /) -> list[bool]:
        """Spend invitations on requests, each given by its digest; say for each whether it was spent on this one."""
        return self.run(lambda connection: [_granted(connection, *each) for each in asked])

    def key(self, wave: str, make: Callable[[], bytes], /) -> bytes:
        """Return the key of a wave; it is made where there is none, and then never changes."""

        def found(connection: Connection) -> bytes | None:
            row = connection.execute("SELECT primes FROM keys WHERE wave = ?", (wave,)).fetchone()
            return None if row is None else bytes(row[0])

        def kept(connection: Connection, new: bytes) -> bytes:
            if (before := found(connection)) is not None:  # Somebody else was faster.
                return before
            connection.execute("INSERT INTO keys VALUES (?, ?)", (wave, new))
            return new

        before = self.run(found)
        if before is not None:
            return before
        new = make()
        return self.run(lambda connection: kept(connection, new))

    def invited(self) -> tuple[int, int]:
        """Return how many invitations there are, and how many are spent."""
        query = "SELECT COUNT(*), COALESCE(SUM(spent), 0) FROM invitations"
        made, spent = self.run(lambda connection: connection.execute(query).fetchone())
        return int(made), int(spent)


def _is_known(connection: Connection, once: bytes) -> bool:
    return connection.execute("SELECT 1 FROM once WHERE mark = ?", (once,)).fetchone() is not None


def _admitted(connection: Connection, given: Submission, by_invitation: bool) -> Outcome:
    """Spend the key and the invitation or ticket of a submission, and say whether it is to be stored."""
    if given.once is not None and _is_known(connection, given.once):
        return Outcome.AGAIN
    if given.ticket is not None:
        use = "INSERT INTO tickets VALUES (?) ON CONFLICT DO NOTHING"
        if connection.execute(use, (given.ticket,)).rowcount != 1:
            return Outcome.UNINVITED
    elif by_invitation and (given.invitation is None or not _spent(connection, given.invitation)):
        return Outcome.UNINVITED
    if given.once is not None:
        connection.execute("INSERT INTO once VALUES (?)", (given.once,))
    return Outcome.STORED


def _spent(connection: Connection, invitation: bytes) -> bool:
    """Spend an invitation, unless there is none or it was spent before."""
    spend = "UPDATE invitations SET spent = 1 WHERE mark = ? AND spent = 0"
    return connection.execute(spend, (invitation,)).rowcount == 1


def _granted(connection: Connection, invitation: bytes, request: bytes) -> bool:
    """Spend an invitation on a request, or say whether it was spent on the same one before."""
    if _spent(connection, invitation):
        connection.execute("UPDATE requests SET digest = ? WHERE mark = ?", (request, invitation))
        return True
    known = connection.execute("SELECT digest FROM requests WHERE mark = ?", (invitation,)).fetchone()
    return known is not None and bytes(known[0]) == request


def shuffled(rows: NDArray[np.uint8], coins: Coins = SYSTEM, /) -> NDArray[np.uint8]:
    """Return rows in a random order, each order equally likely.

    Each row gets a random word, by which they are sorted; where two have the same, all words are drawn again.

    >>> sorted(shuffled(np.array([[1], [2], [3]], np.uint8)).ravel().tolist())
    [1, 2, 3]
    """
    while True:
        words = coins.words(len(rows))
        order = np.argsort(words)
        if not (np.diff(words[order]) == 0).any():
            return rows[order]
