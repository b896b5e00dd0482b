"""SQLite: the only file that opens it. What is committed here is on disk, and a fork finds nothing half done."""

from __future__ import annotations

import os
import sqlite3
import stat
import weakref
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar, final

from discreet.coins import SYSTEM
from discreet.errors import LedgerError, show_path
from discreet.files import give_name, whole_file
from discreet.ledger.formats import APPEND_ONLY, FORMAT, INDICES, RULES, TABLES, UNRELEASED, Rule
from discreet.ledger.store import DAMAGED, GATE, Connection, Kind, Refuse, Store

__all__ = ["SQLiteStore", "check_pages", "check_schema", "format_of", "in_memory", "lay_out"]

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


def _trigger(rule: Rule) -> str:
    when = f" WHEN {rule.condition}" if rule.condition else ""
    start = f"CREATE TRIGGER {rule.name} BEFORE {rule.verb} ON {rule.table}{when}"
    return f"{start}\nBEGIN SELECT RAISE(ABORT, '{rule.why}'); END"


_APPLICATION: Final = int.from_bytes(b"disc", "big")
_SCHEMA: Final = [
    *(f"CREATE TABLE {name} ({columns})" for name, columns in TABLES.items()),
    *INDICES.values(),
    *map(_trigger, RULES),
]
_OLD_TABLES: Final = """
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
_OLD_SCHEMA: Final = [*_OLD_TABLES, *map(_trigger, APPEND_ONLY)]


@final
class SQLiteStore(Store):
    """A file, or some memory, in which transactions are durable, exclusive where asked, and never half done.

    >>> store = SQLiteStore(None, timeout=1)
    >>> store.run("DEFERRED", lambda connection: connection.execute("SELECT 1").fetchone())
    (1,)
    """

    __slots__ = ("_file", "_home", "_memory", "_path")
    failure = sqlite3.Error

    def __init__(self, path: Path | None, *, timeout: float) -> None:
        super().__init__(timeout)
        self._path, self._home = path, os.getpid()
        self._file: tuple[int, int] | None = None
        self._memory: sqlite3.Connection | None = None
        if path is None:
            self._memory = in_memory()
            weakref.finalize(self, self._memory.close)

    @property
    def path(self) -> Path | None:
        """The file; None in memory."""
        return self._path

    @property
    def where(self) -> str:
        """What to call this place in a message."""
        return "memory" if self._path is None else show_path(self._path)

    @property
    def is_missing(self) -> bool:
        """Whether there is nothing yet, or nothing any more, where the file would be."""
        return self._path is None or not os.path.lexists(self._path)

    def make(self, fill: Callable[[Connection], object]) -> None:
        """Make the file, whole and durable, unless another process has been faster."""
        try:
            with GATE:
                if self._memory is not None:
                    _write_new(self._memory, fill)
                elif self._path is not None:
                    _make(self._path, fill)
        except sqlite3.Error as error:
            self.refuse(self.meaning(error), error)
        except OSError as error:
            self.refuse("cannot be made here: check the rights of the folder, and the disk", error)

    def hold(self) -> None:
        """Refuse, from now on, any file but this one."""
        self.run("DEFERRED", lambda _: None)  # On a layered file system, opening a file to write may change it.
        self._file = self._identity()

    def close(self) -> None:
        """Refuse everything from now on."""
        super().close()
        if self._memory is not None:
            with GATE:
                self._memory.close()

    def format_of(self, connection: Connection) -> int:
        """Return the format of the file, or refuse one that is no ledger or is newer than this program."""
        return format_of(connection, self.refuse)

    def check(self, connection: Connection) -> None:
        """Refuse a file whose tables, indices and triggers are not those of its format."""
        check_schema(connection, self.refuse)

    def check_pages(self, connection: Connection) -> None:
        """Refuse a file in which a page or a row is out of place. This reads all of it."""
        check_pages(connection, self.refuse)

    def put_beside(self, connection: Connection, digest: str, text: str) -> None:
        """Write a file of that name into the folder of answers, for those who may read the books."""
        place = self._beside(digest)
        try:
            rights = stat.S_IMODE(Path(self._path or "").stat().st_mode)
            if not place.parent.exists():
                place.parent.mkdir(0o700)
                place.parent.chmod(rights | (rights & 0o444) >> 2)  # Who may read may look into the folder.
            with whole_file(place) as part:
                part.touch(0o600)
                part.chmod(rights)
                part.write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            self.refuse("an answer cannot be kept beside it: check the rights of the folder, and the disk", error)

    def get_beside(self, connection: Connection, digest: str) -> bytes | None:
        """Read the file of that name."""
        try:
            return self._beside(digest).read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            self.refuse("an answer beside it cannot be read: check the rights", error)

    def _beside(self, digest: str) -> Path:
        return Path(f"{self._path}.answers", f"{digest}.json")

    def _transact(self, kind: Kind, work: Callable[[Connection], T]) -> T:
        """Do some work in one transaction, if nobody else has the file."""
        self._check_alive()
        # A connection lives as long as its transaction: there is none to carry across a fork or into another thread.
        connection = self._memory or _connect(Path(self._path or ""), "rw")
        try:
            connection.execute(f"BEGIN {kind}")
            result = work(connection)
            self._check_alive()
            self._commit(connection)
        finally:
            with suppress(sqlite3.Error):
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            if self._memory is None:
                connection.close()
        self._check_alive()  # A commit into a file that has lost its name is none.
        return result

    def _commit(self, connection: sqlite3.Connection) -> None:
        try:
            connection.execute("COMMIT")
        except sqlite3.Error as error:
            if self.is_busy(error):
                raise
            self.refuse_commit(error)

    def is_busy(self, error: Exception) -> bool:
        """Whether others have the file."""
        return _code(error) in _BUSY

    def meaning(self, error: Exception) -> str:
        """Return what an error of SQLite means."""
        return _MEANINGS.get(_code(error), DAMAGED)

    def _is_unwritable(self, error: Exception) -> bool:
        return isinstance(error, sqlite3.Error) and _code(error) in _UNWRITABLE

    def _check_alive(self) -> None:
        """Raise unless this object, its process and its file are the ones that they were."""
        self._check_open()
        if self._path is None and os.getpid() != self._home:
            self.refuse("this ledger belongs to the process that made it: use a file to share a budget")
        found = self._identity()
        if self._file is not None and self._file != found:
            self.refuse("has been replaced by another file: put the old one back, or open the new one")

    def _identity(self) -> tuple[int, int] | None:
        """Return what tells the file from any other, or raise where there is none."""
        if self._path is None:
            return None
        try:
            found = self._path.stat()
        except OSError as error:
            self.refuse("has been deleted or moved, or cannot be reached: put it back, or check the rights", error)
        if not stat.S_ISREG(found.st_mode):
            self.refuse("is not a file: give the path of a ledger, or one where there is nothing yet")
        if not found.st_size:
            self.refuse("is empty, as no ledger is: restore it; delete it only if nothing was ever charged to it")
        return found.st_dev, found.st_ino


def lay_out(connection: Connection) -> None:
    """Make the tables of today's format, empty."""
    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
    connection.execute(f"PRAGMA user_version = {FORMAT}")
    for statement in _SCHEMA:
        connection.execute(statement)


def format_of(connection: Connection, refuse: Refuse) -> int:
    """Return the format of a file, or refuse one that is no ledger or is newer than this program."""
    ((application,),) = connection.execute("PRAGMA application_id")
    ((version,),) = connection.execute("PRAGMA user_version")
    if application != _APPLICATION:
        refuse("belongs to another program: give the path of a ledger, or one where there is no file yet")
    if version > FORMAT:
        refuse(f"was made by a newer discreet, in format {version}: upgrade discreet to use it")
    if version == FORMAT - 1:
        refuse(UNRELEASED)
    return int(version)


def check_schema(connection: Connection, refuse: Refuse) -> None:
    """Refuse a file whose tables, indices and triggers are not those of its format."""
    schema = connection.execute("SELECT sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_%'")
    wanted = {1: _OLD_SCHEMA, 2: _OLD_SCHEMA, FORMAT: _SCHEMA}.get(format_of(connection, refuse), [])
    if sorted(sql for (sql,) in schema) != sorted(wanted):
        refuse(DAMAGED)


def check_pages(connection: Connection, refuse: Refuse) -> None:
    """Refuse a file in which a page or a row is out of place. This reads all of it."""
    if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
        refuse(DAMAGED)


def _make(path: Path, fill: Callable[[Connection], object]) -> None:
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
        give_name(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def _write_new(connection: sqlite3.Connection, fill: Callable[[Connection], object]) -> None:
    connection.execute("BEGIN EXCLUSIVE")
    lay_out(connection)
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


def _code(error: Exception) -> int:
    """Return the primary code of an error, without its details."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
