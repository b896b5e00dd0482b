"""PostgreSQL: the store in a database, for those who have one already. The server has what is committed on its disk.

It keeps old versions of rows until it cleans up, and a log of all changes: unlike the file, it remembers for a while in
which order reports came.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, Final, TypeVar, final

import psycopg
from psycopg.conninfo import make_conninfo

from discreet.serve.store import ABSENT, DAMAGED, FORMAT, NEW, TABLES, UPGRADE, Connection, Cursor, Store
from discreet.urls import without_secrets

__all__ = ["PostgresStore"]

T = TypeVar("T")

_MARK: Final = "discreet reports, format "
_KINDS: Final = {"bytes": "BYTEA", "integer": "BIGINT"}
_ZEROS: Final = "decode(repeat('00', 32), 'hex')"
_WATCHFUL: Final = {"connect_timeout": 10, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
_GONE: Final = "the server cannot be reached, or refuses: check the URL, the rights and the server"


@final
class PostgresStore(Store):
    """The tables of one schema, named by the survey's *tag*; where there are none, *create* makes them."""

    def __init__(self, url: str, /, *, tag: bytes, width: int, survey: str, create: bool = True) -> None:
        self.width, self._url, self._schema = width, url, f"discreet_{tag.hex()}"
        self._where = without_secrets(url, "store")
        self._connection: psycopg.Connection[Any] | None = None
        self.run(lambda connection: self._make(connection, (1, tag, width, survey), create))
        self.run(lambda connection: self._check(connection, tag))

    @property
    def where(self) -> str:
        """The URL without its password."""
        return self._where

    def run(self, work: Callable[[Connection], T], /) -> T:
        """Do some work in one transaction, alone with the tables; whatever fails, the next has a new connection."""
        try:
            if self._connection is None or self._connection.closed:
                self._connection = self._connect()
            with self._connection.transaction():
                session = _Session(self._connection)
                session.execute("SELECT pg_advisory_xact_lock(hashtextextended(?, 1))", (self._schema,))
                session.execute(f"SET LOCAL search_path TO {self._schema}")
                session.execute("SET LOCAL synchronous_commit TO on")
                return work(session)
        except psycopg.Error:
            self.drop()
            self.refuse(_GONE)

    def hold(self) -> None:
        """Keep other servers out, by a lock that ends with this connection."""
        try:
            lock = self._connect()
            query = "SELECT pg_try_advisory_lock(hashtextextended(%s, 2))"
            found = lock.execute(query, (self._schema,)).fetchone()
        except psycopg.Error:
            self.refuse(_GONE)
        if found != (True,):
            lock.close()
            self.refuse("another server has it: stop that one first")
        self._lock = lock

    def drop(self) -> None:
        """Close the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(psycopg.Error):
                connection.close()

    def _connect(self) -> psycopg.Connection[Any]:
        return psycopg.connect(make_conninfo(self._url, client_encoding="utf8", **_WATCHFUL), autocommit=True)

    def _make(self, connection: Connection, about: tuple[int, bytes, int, str], create: bool) -> None:
        if connection.execute("SELECT current_setting('fsync')").fetchone() != ("on",):
            self.refuse("need fsync on: a crash would lose reports")
        if connection.execute("SELECT FROM pg_namespace WHERE nspname = ?", (self._schema,)).fetchone() is not None:
            return
        if not create:
            self.refuse(ABSENT)
        connection.execute(f"CREATE SCHEMA {self._schema}")
        _make_tables(connection, TABLES)
        connection.execute("INSERT INTO about VALUES (?, ?, ?, ?)", about)

    def _check(self, connection: Connection, tag: bytes) -> None:
        """Refuse tables of another program, of a newer one, or of another survey."""
        marked = "SELECT obj_description(to_regclass('about'), 'pg_class')"
        version = str(connection.execute(marked).fetchone()[0]).removeprefix(_MARK)
        if not version.isdecimal():
            self.refuse(f"the schema {self._schema} belongs to another program")
        if int(version) > FORMAT:
            self.refuse(f"was made by a newer discreet, in format {version}: upgrade discreet to use it")
        found = connection.execute("SELECT tag, width FROM about").fetchone()
        if found is None or (bytes(found[0]), found[1]) != (tag, self.width):
            self.refuse(DAMAGED)
        if int(version) < FORMAT:
            _make_tables(connection, NEW)
            connection.execute(UPGRADE.format(zeros=_ZEROS))


def _make_tables(connection: Connection, names: Iterable[str]) -> None:
    for name in names:
        connection.execute(f"CREATE TABLE {name} ({TABLES[name].format(**_KINDS)})")
    connection.execute(f"COMMENT ON TABLE about IS '{_MARK}{FORMAT}'")


@final
class _Session:
    """A transaction, in the SQL of all stores."""

    __slots__ = ("_connection",)

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Cursor:
        """Do one statement."""
        return self._connection.execute(sql.replace("?", "%s").encode(), values or None)
