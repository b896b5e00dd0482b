"""SQLite: the store in one file, for one machine. What is committed is on its disk."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final, TypeVar, final

from discreet.coins import SYSTEM
from discreet.files import give_name
from discreet.serve.store import ABSENT, DAMAGED, FORMAT, NEW, TABLES, UPGRADE, Connection, Store

__all__ = ["SQLiteStore"]

T = TypeVar("T")

# Not write-ahead: a WAL holds the last states of every page one after the other, and so the order in which the last
# reports came. A rollback journal holds one state, and is emptied by each commit; FULL syncs that too. What is
# overwritten in the file is overwritten by zeros.
_PRAGMAS: Final = (
    "journal_mode = TRUNCATE",
    "synchronous = FULL",
    "fullfsync = ON",  # On macOS a plain fsync stops at the drive's cache; elsewhere it does nothing.
    "secure_delete = ON",
    "trusted_schema = OFF",
    "cell_size_check = ON",
)
_APPLICATION: Final = int.from_bytes(b"dsvy", "big")
_WAIT: Final = 10.0
_KINDS: Final = {"bytes": "BLOB", "integer": "INTEGER"}
_ZEROS: Final = "zeroblob(32)"
_ROWIDS: Final = ("about", "drawers")
_REFUSED: Final = "BEGIN SELECT RAISE(ABORT, 'a store only grows'); END"
_STATEMENTS: Final = [
    (name, f"CREATE TABLE {name} ({columns.format(**_KINDS)}){'' if name in _ROWIDS else ' WITHOUT ROWID'}")
    for name, columns in TABLES.items()
] + [
    (
        table,
        f"CREATE TRIGGER {table}_{verb.split()[0].lower()} BEFORE {verb} ON {table} {_REFUSED}",
    )
    for table, verb in (
        *((table, "DELETE") for table in TABLES),
        *((table, "UPDATE") for table in ("about", "drawers", "once", "keys", "tickets")),
        ("invitations", "UPDATE OF mark"),
        ("requests", "UPDATE OF mark"),
    )
]
_SCHEMA: Final = [statement for _, statement in _STATEMENTS]
_FIRST_SCHEMA: Final = [statement for table, statement in _STATEMENTS if table not in NEW]
_MEANINGS: Final = {
    sqlite3.SQLITE_READONLY: "cannot be written: give yourself the right to write the file and its folder",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened together with its journal: check the rights of the file and its folder",
    sqlite3.SQLITE_PERM: "cannot be opened: check the rights of the file and its folder",
    sqlite3.SQLITE_FULL: "does not fit on the disk: make room",
    sqlite3.SQLITE_IOERR: "cannot be read or written: check the disk, and that there is room on it",
    sqlite3.SQLITE_NOTADB: "is no store of reports, or its beginning is damaged",
    sqlite3.SQLITE_BUSY: "is in use by another program: try again",
}


@final
class SQLiteStore(Store):
    """A file in a folder, named by the survey's *tag*; where there is none, *create* makes it."""

    def __init__(self, folder: Path, *, tag: bytes, width: int, survey: str, create: bool = True) -> None:
        self.width, self._path = width, folder / f"{tag.hex()}.reports"
        self._connection: sqlite3.Connection | None = None
        if not create and not os.path.lexists(self._path):
            self.refuse(ABSENT)
        try:
            folder.mkdir(0o700, parents=True, exist_ok=True)
            if not os.path.lexists(self._path):
                _make(self._path, (1, tag, width, survey))
            self._file = self._identity()
            self._check(tag)
        except sqlite3.Error as error:
            self.refuse(_meaning(error))
        except OSError as error:
            self.refuse(f"cannot be made or opened here ({error.strerror}): check the rights, and the disk")

    @property
    def where(self) -> str:
        """The path of the file."""
        return str(self._path)

    def run(self, work: Callable[[Connection], T], /) -> T:
        """Do some work in one transaction; whatever fails, the next one begins on a new connection."""
        try:
            self._check_name()
            if self._connection is None:
                self._connection = _connect(self._path, "rw")
            connection = self._connection
            connection.execute("BEGIN IMMEDIATE")
            result = work(connection)
            connection.execute("COMMIT")
            self._check_name()  # A commit into a file that has lost its name is none.
            return result
        except BaseException as error:
            self.drop()
            if isinstance(error, sqlite3.Error):
                self.refuse(_meaning(error))
            raise

    def hold(self) -> None:
        """Keep other servers out, by a lock that ends with this process."""
        lock = _open(self._path.with_suffix(".lock"), "rwc", 0)
        try:
            lock.execute("BEGIN EXCLUSIVE")
        except sqlite3.Error:
            lock.close()
            self.refuse("another server has it: stop that one first")
        self._lock = lock

    def drop(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(sqlite3.Error):
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
            connection.close()

    def _check_name(self) -> None:
        try:
            found: tuple[int, int] | None = self._identity()
        except OSError:
            found = None
        if found != self._file:
            self.refuse("has been replaced or deleted: put it back")

    def _identity(self) -> tuple[int, int]:
        found = self._path.stat()
        return found.st_dev, found.st_ino

    def _check(self, tag: bytes) -> None:
        """Refuse a file of another program, of a newer one, of another survey, or that is damaged."""
        connection = _connect(self._path, "rw")
        try:
            connection.execute("BEGIN")  # All of it as of one moment: another process may upgrade it meanwhile.
            ((application,),) = connection.execute("PRAGMA application_id")
            ((version,),) = connection.execute("PRAGMA user_version")
            if application != _APPLICATION:
                self.refuse("belongs to another program: choose another folder")
            if version > FORMAT:
                self.refuse(f"was made by a newer discreet, in format {version}: upgrade discreet to use it")
            schema = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
            whole = connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
            expected = _SCHEMA if version == FORMAT else _FIRST_SCHEMA
            if sorted(sql for (sql,) in schema) != sorted(expected) or not whole:
                self.refuse(DAMAGED)
            if connection.execute("SELECT tag, width FROM about").fetchall() != [(tag, self.width)]:
                self.refuse("holds the reports of another survey: choose another folder")
            connection.execute("COMMIT")
            if version != FORMAT:
                _upgrade(connection)
        finally:
            connection.close()


def _make(path: Path, about: tuple[int, bytes, int, str]) -> None:
    """Make the file whole before it gets its name, readable by its owner only."""
    draft = path.with_name(f".{path.name}.{SYSTEM.bits(64):016x}")
    try:
        os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        connection = _connect(draft, "rw")
        try:
            connection.execute("BEGIN EXCLUSIVE")
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {FORMAT}")
            for statement in _SCHEMA:
                connection.execute(statement)
            connection.execute("INSERT INTO about VALUES (?, ?, ?, ?)", about)
            connection.execute("COMMIT")
        finally:
            connection.close()
        give_name(draft, path)  # Unless another process has been faster.
    finally:
        for stray in (draft, draft.with_name(f"{draft.name}-journal")):
            stray.unlink(missing_ok=True)


def _upgrade(connection: sqlite3.Connection) -> None:
    """Bring a file of the first format to this one, in one transaction, unless another process has been faster."""
    connection.execute("BEGIN IMMEDIATE")
    ((version,),) = connection.execute("PRAGMA user_version")
    if version != FORMAT:
        for statement in (each for each in _SCHEMA if each not in _FIRST_SCHEMA):
            connection.execute(statement)
        connection.execute(UPGRADE.format(zeros=_ZEROS))
        connection.execute(f"PRAGMA user_version = {FORMAT}")
    connection.execute("COMMIT")


def _open(path: Path, mode: str, timeout: float) -> sqlite3.Connection:
    url = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(url, uri=True, timeout=timeout, isolation_level=None, check_same_thread=False)


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    connection = _open(path, mode, _WAIT)
    try:
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")
        found = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]
    except BaseException:
        connection.close()
        raise
    if found != ["truncate", 2]:
        connection.close()
        raise sqlite3.OperationalError("no durable journal")
    return connection


def _meaning(error: sqlite3.Error) -> str:
    return _MEANINGS.get(getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF, DAMAGED)
