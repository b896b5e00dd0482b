"""Store: the only file that opens SQLite. What is committed here is on disk, and a fork finds nothing half done."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
import time
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, NoReturn, TypeVar, final

from discreet.coins import SYSTEM
from discreet.errors import DiscreetError, LedgerError, show_path
from discreet.ledger.formats import DAMAGED

__all__ = ["Store", "UnwritableError", "in_memory"]

T = TypeVar("T")

_BUSY: Final = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_UNWRITABLE: Final = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_FULL)

# Not write-ahead: a WAL is a second file that holds charges which the first one lacks, so that a copy, a move or a
# truncation loses them without a trace. With a rollback journal the ledger is one file whenever nobody is charging.
# Its commit is the deletion of the journal; only EXTRA, which is FULL and more, also syncs the folder then. Without
# that, a power cut could bring the journal back, and it would undo a charge whose answer is already out.
_PRAGMAS: Final = (
    "journal_mode = DELETE",
    "synchronous = EXTRA",  # proof: durable
    "fullfsync = ON",  # On macOS a plain fsync stops at the drive's cache; elsewhere these two do nothing.
    "checkpoint_fullfsync = ON",
    "trusted_schema = OFF",
    "cell_size_check = ON",
)

_MEANINGS: Final = {
    sqlite3.SQLITE_READONLY: "cannot be written: give yourself the right to write the file and its folder",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened together with its journal: check the rights of the file and its folder",
    sqlite3.SQLITE_PERM: "cannot be opened: check the rights of the file and its folder",
    sqlite3.SQLITE_FULL: "does not fit on the disk: make room",
    sqlite3.SQLITE_IOERR: "cannot be read or written: check the disk, and that there is room on it",
    sqlite3.SQLITE_NOTADB: "is no ledger, or its beginning is damaged: give the path of a ledger",
}

# Held while SQLite runs. A fork waits for it, so that no child is born with a connection, a lock or half a
# transaction of its parent's. It is reentrant for signal handlers' sake: a wait in one ends with the timeout.
_GATE: Final = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_GATE.acquire, after_in_parent=_GATE.release, after_in_child=_GATE.release)


class UnwritableError(LedgerError):
    """The file may be read and not written."""


@final
class Store:
    """A file, or some memory, in which transactions are durable, exclusive where asked, and never half done.

    >>> store = Store(None, timeout=1)
    >>> store.run("DEFERRED", lambda connection: connection.execute("SELECT 1").fetchone())
    (1,)
    """

    __slots__ = ("__weakref__", "_closed", "_file", "_home", "_memory", "path", "timeout")

    def __init__(self, path: Path | None, *, timeout: float) -> None:
        self.path, self.timeout = path, timeout
        self._closed, self._home = False, os.getpid()
        self._file: tuple[int, int] | None = None
        self._memory: sqlite3.Connection | None = None
        if path is None:
            self._memory = in_memory()
            weakref.finalize(self, self._memory.close)

    @property
    def is_missing(self) -> bool:
        """Whether there is nothing yet, or nothing any more, where the file would be."""
        return self.path is None or not os.path.lexists(self.path)

    def make(self, fill: Callable[[sqlite3.Connection], object]) -> None:
        """Make the file, whole and durable, unless another process has been faster."""
        try:
            with _GATE:
                if self._memory is not None:
                    _write_new(self._memory, fill)
                elif self.path is not None:
                    _make(self.path, fill)
        except sqlite3.Error as error:
            self.refuse(_MEANINGS.get(_code(error), DAMAGED), error)
        except OSError as error:
            self.refuse("cannot be made here: check the rights of the folder, and the disk", error)

    def hold(self) -> None:
        """Refuse, from now on, any file but this one."""
        self.run("DEFERRED", lambda _: None)  # On a layered file system, opening a file to write may change it.
        self._file = self._identity()

    def close(self) -> None:
        """Refuse everything from now on."""
        self._closed = True
        if self._memory is not None:
            with _GATE:
                self._memory.close()

    def run(self, kind: str, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do some work in one transaction, waiting while others have the file."""
        deadline, pause = time.monotonic() + self.timeout, 0.001
        while True:
            with _GATE:
                try:
                    return self._transact(kind, work)
                except sqlite3.Error as error:
                    if _code(error) not in _BUSY:
                        self.refuse(_MEANINGS.get(_code(error), DAMAGED), error)
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

    def _transact(self, kind: str, work: Callable[[sqlite3.Connection], T]) -> T:
        """Do some work in one transaction, if nobody else has the file."""
        self._check_alive()
        # A connection lives as long as its transaction: there is none to carry across a fork or into another thread.
        connection = self._memory or _connect(Path(self.where), "rw")
        try:
            connection.execute(f"BEGIN {kind}")
            result = work(connection)
            self._check_alive()
            _commit(connection, self.where)
        finally:
            with suppress(sqlite3.Error):
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            if self._memory is None:
                connection.close()
        self._check_alive()  # A commit into a file that has lost its name is none.
        return result

    def _check_alive(self) -> None:
        """Raise unless this object, its process and its file are the ones that they were."""
        if self._closed:
            self.refuse("this ledger is closed: open it anew")
        if self.path is None and os.getpid() != self._home:
            self.refuse("this ledger belongs to the process that made it: use a file to share a budget")
        found = self._identity()
        if self._file is not None and self._file != found:
            self.refuse("has been replaced by another file: put the old one back, or open the new one")

    def _identity(self) -> tuple[int, int] | None:
        """Return what tells the file from any other, or raise where there is none."""
        if self.path is None:
            return None
        try:
            found = self.path.stat()
        except OSError as error:
            self.refuse("has been deleted or moved, or cannot be reached: put it back, or check the rights", error)
        if not stat.S_ISREG(found.st_mode):
            self.refuse("is not a file: give the path of a ledger, or one where there is nothing yet")
        if not found.st_size:
            self.refuse("is empty, as no ledger is: restore it; delete it only if nothing was ever charged to it")
        return found.st_dev, found.st_ino

    @property
    def where(self) -> str:
        """What to call this place in a message."""
        return "memory" if self.path is None else show_path(self.path)

    def refuse(self, why: str, error: Exception | None = None) -> NoReturn:
        """Raise LedgerError with a reason, which names the remedy too."""
        unwritable = isinstance(error, sqlite3.Error) and _code(error) in _UNWRITABLE
        kind = UnwritableError if unwritable else LedgerError
        raise kind(f"{self.where}: {why}{'' if error is None else f' ({_words(error)})'}") from None


def _words(error: Exception) -> str:
    """Return what an error says, without the path that the system repeats."""
    return getattr(error, "strerror", None) or str(error)


def _make(path: Path, fill: Callable[[sqlite3.Connection], object]) -> None:
    for stray in (f"{path}-journal", f"{path}-wal"):  # SQLite would play it back into the new file.
        if os.path.lexists(stray) and not os.path.lexists(path):
            raise LedgerError(f"{stray}: is left from a ledger that is gone: put that back at {path}, or delete this")
    # The file gets its name when it is whole, so that no crash leaves half a ledger, or an empty one, behind.
    draft = path.with_name(f".ledger-{SYSTEM.bits(64):016x}")
    try:
        connection = _connect(draft, "rwc")
        try:
            _write_new(connection, fill)
        finally:
            connection.close()
        with suppress(FileExistsError):
            _put(draft, path)
    finally:
        draft.unlink(missing_ok=True)
    if os.name == "posix":  # A file's name is as durable as its folder.
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _put(draft: Path, path: Path) -> None:
    """Give a file another name, at once and whole, unless the name is taken."""
    try:
        os.link(draft, path)
    except FileExistsError:
        raise
    except OSError:  # A file system without links: take the name first, and whoever looks meanwhile finds it empty.
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        draft.replace(path)


def _write_new(connection: sqlite3.Connection, fill: Callable[[sqlite3.Connection], object]) -> None:
    connection.execute("BEGIN EXCLUSIVE")
    fill(connection)
    connection.execute("COMMIT")


def in_memory() -> sqlite3.Connection:
    """Return a connection to some memory, which is empty.

    >>> in_memory().execute("PRAGMA user_version").fetchone()
    (0,)
    """
    return sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    """Return a connection whose commits are durable; it does not wait, because a wait would hold up forks."""
    connection = sqlite3.connect(
        f"{path.as_uri()}?mode={mode}", uri=True, timeout=0, isolation_level=None, check_same_thread=False
    )
    try:
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
        set_to = tuple(connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous"))
    except BaseException:
        connection.close()
        raise
    if set_to != ("delete", 3):
        connection.close()
        raise LedgerError(f"{path}: cannot be kept durably by SQLite {sqlite3.sqlite_version} here, which has {set_to}")
    return connection


def _commit(connection: sqlite3.Connection, where: str) -> None:
    try:
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        if _code(error) in _BUSY:
            raise
        raise LedgerError(
            f"{where}: the disk failed while a charge was made durable ({error}): it may be on the books or not; "
            "release nothing, count it as spent, and look at entries()"
        ) from None


def _code(error: sqlite3.Error) -> int:
    """Return the primary code of an error, without its details."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
