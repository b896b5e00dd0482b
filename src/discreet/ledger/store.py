"""Store: what books need of the place where they are kept. SQLite is one file, PostgreSQL another.

A store runs work in transactions that are durable once committed, alone with the books where they are EXCLUSIVE, and
never half done. Inside, books speak SQL that every store understands: tables, rows, and ``?`` for each value.
"""

from __future__ import annotations

import os
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, NoReturn, Protocol, TypeAlias, TypeVar

from discreet.errors import DiscreetError, LedgerError

__all__ = ["DAMAGED", "GATE", "Connection", "Kind", "Refuse", "Rows", "Store", "UnwritableError"]

T = TypeVar("T")

Kind: TypeAlias = Literal["DEFERRED", "EXCLUSIVE"]
"""A transaction that reads one state of the books, or one that writes and is alone with them from its start."""
Refuse: TypeAlias = Callable[[str], NoReturn]

DAMAGED: Final = (
    "is damaged, or is being changed by another program: release nothing more on it, "
    "and restore a copy that has every charge, or start a new ledger with what is surely left"
)

# Held while a transaction runs. A fork waits for it, so that no child is born with a connection, a lock or half a
# transaction of its parent's. It is reentrant for signal handlers' sake: a wait in one ends with the timeout.
GATE: Final = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=GATE.acquire, after_in_parent=GATE.release, after_in_child=GATE.release)


class Rows(Protocol):
    """What a query gives."""

    def __iter__(self) -> Iterator[Any]: ...

    def fetchone(self) -> Any:
        """Return the next row, or None."""

    def fetchall(self) -> list[Any]:
        """Return all rows that are left."""


class Connection(Protocol):
    """A transaction that has begun: SQL goes in, with ``?`` for each value, and rows come out."""

    def execute(self, sql: str, values: Sequence[Any] = ..., /) -> Rows:
        """Do one statement."""


class UnwritableError(LedgerError):
    """The books may be read and not written."""


class Store(ABC):
    """A place for one ledger's books."""

    __slots__ = ("__weakref__", "_closed", "timeout")

    failure: ClassVar[type[Exception]]
    """What the driver raises."""

    def __init__(self, timeout: float) -> None:
        self.timeout, self._closed = timeout, False

    @property
    @abstractmethod
    def path(self) -> Path | str | None:
        """What opens these books again, without any password; None in memory."""

    @property
    @abstractmethod
    def where(self) -> str:
        """What to call this place in a message."""

    @property
    @abstractmethod
    def is_missing(self) -> bool:
        """Whether there is nothing yet, or nothing any more, where the books would be."""

    @abstractmethod
    def make(self, fill: Callable[[Connection], object]) -> None:
        """Make the tables and fill them, whole and durable, unless another process has been faster."""

    @abstractmethod
    def hold(self) -> None:
        """Refuse, from now on, any books but these."""

    def close(self) -> None:
        """Refuse everything from now on."""
        self._closed = True

    @abstractmethod
    def format_of(self, connection: Connection) -> int:
        """Return the format of the books, or refuse what is no ledger or is newer than this program."""

    @abstractmethod
    def check(self, connection: Connection) -> None:
        """Refuse tables, indices and triggers that are not those of the books' format."""

    @abstractmethod
    def check_pages(self, connection: Connection) -> None:
        """Refuse books in which something is out of place beneath the rows. This may read all of them."""

    def make_beside(self, connection: Connection) -> None:  # noqa: B027  A folder is made when it is needed.
        """Make the place for answers beside the books, in the transaction that makes them."""

    @abstractmethod
    def put_beside(self, connection: Connection, digest: str, text: str) -> None:
        """Put a text beside the books, under its digest: before a note says so, and whole or not at all."""

    @abstractmethod
    def get_beside(self, connection: Connection, digest: str) -> bytes | None:
        """Return what is beside the books under a digest; None where nothing is, or any more."""

    def run(self, kind: Kind, work: Callable[[Connection], T]) -> T:
        """Do some work in one transaction, waiting while others have the books; it may be done over before it commits.

        Only a transaction that has surely changed nothing is tried again: else a charge could be made twice.
        """
        deadline, pause = time.monotonic() + self.timeout, 0.001
        while True:
            with GATE:
                try:
                    return self._transact(kind, work)
                except self.failure as error:
                    if not self.is_busy(error):  # proof: again
                        self.refuse(self.meaning(error), error)
                except DiscreetError:
                    raise
                except (
                    ArithmeticError,
                    AttributeError,
                    LookupError,
                    TypeError,
                    ValueError,
                ) as error:  # Rows that no ledger ever wrote.
                    self.refuse(DAMAGED, error)
            if time.monotonic() >= deadline:
                self.refuse(f"is in use by others, for {self.timeout:g} seconds now: try again, or set timeout=")
            time.sleep(pause)
            pause = min(2 * pause, 0.02)

    @abstractmethod
    def _transact(self, kind: Kind, work: Callable[[Connection], T]) -> T:
        """Do some work in one transaction, if nobody else has the books."""

    @abstractmethod
    def is_busy(self, error: Exception) -> bool:
        """Whether the driver says that nothing was changed, because of others, and that it may be tried again."""

    @abstractmethod
    def meaning(self, error: Exception) -> str:
        """Return what a driver's error means, with the remedy."""

    def _is_unwritable(self, error: Exception) -> bool:
        """Whether the driver says that the books may be read and not written."""
        return False

    def _words(self, error: Exception) -> str:
        """Return what an error says, without the path that the system repeats."""
        return getattr(error, "strerror", None) or str(error)

    def refuse(self, why: str, error: Exception | None = None) -> NoReturn:
        """Raise LedgerError with a reason, which names the remedy too."""
        kind = UnwritableError if error is not None and self._is_unwritable(error) else LedgerError
        raise kind(f"{self.where}: {why}{'' if error is None else f' ({self._words(error)})'}") from None

    def refuse_commit(self, error: Exception) -> NoReturn:
        """Raise LedgerError where a commit failed in a way that leaves open whether it is there."""
        raise LedgerError(
            f"{self.where}: the connection or the disk failed while a charge was made durable ({self._words(error)}): "
            "it may be on the books or not; release nothing, count it as spent, and look at entries()"
        ) from None

    def _check_open(self) -> None:
        if self._closed:
            self.refuse("this ledger is closed: open it anew")
