"""PostgreSQL: the only file that opens it, for books that several machines share.

The books are the tables of one schema. A charge is a serialisable transaction that is alone with them from its start,
and the server has it on its disk before it returns. A connection lives as long as its transaction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any, Final, TypeVar, final
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from discreet.errors import ParameterError
from discreet.ledger.formats import FORMAT, INDICES, RULES, TABLES, UNRELEASED, Rule
from discreet.ledger.store import DAMAGED, GATE, Connection, Kind, Rows, Store
from discreet.urls import is_secret

__all__ = ["PostgresStore"]

T = TypeVar("T")

_MARK: Final = "discreet ledger, format "
_SCHEMA: Final = "discreet"
_ANSWERS: Final = "_answers"
_MOST_NAME: Final = 63

# A network that swallows packets would else keep a charge, or everybody's lock, for hours.
_WATCHFUL: Final = {
    "connect_timeout": 10,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 30_000,
}

_AGAIN: Final = ("40001", "40P01", "55P03")
"""A conflict, a deadlock and a lock that others have: the server says that nothing was changed."""

_UNWRITABLE: Final = ("42501", "25006", "53100")
_MEANINGS: Final = {
    "42501": "cannot be used by this role: grant it usage of the schema, and select, insert and update on its tables",
    "25006": "cannot be written, because this server is read-only: use the one that is not",
    "53100": "does not fit on the server's disk: make room",
    "42P01": "has been deleted or moved: put it back",
    "55P03": "is in use by others: try again",
}
_GONE: Final = "the server cannot be reached, or has gone away; nothing was charged: check the URL and the server"


def _trigger(rule: Rule) -> tuple[int, str]:
    """Return the kind of a rule's trigger, as the server's catalogue has it, and the body of its function."""
    bit = {"INSERT": 4, "DELETE": 8, "UPDATE": 16, "TRUNCATE": 32}[rule.verb]
    condition = (rule.condition or "TRUE").replace(" IS NOT ", " IS DISTINCT FROM ")
    refusal = f"RAISE EXCEPTION '{rule.why}' USING ERRCODE = 'integrity_constraint_violation'"
    body = f"BEGIN IF {condition} THEN {refusal}; END IF; RETURN NEW; END"
    return 2 | bit | (rule.verb != "TRUNCATE"), body


# TRUNCATE is no DELETE to a trigger.
_RULES: Final = (*RULES, *(Rule(f"{table}_lasts", "TRUNCATE", table) for table in TABLES))


@final
class PostgresStore(Store):
    """A schema of a database: ``postgresql://user@host/database?schema=name``, the name being discreet unless given.

    >>> PostgresStore("postgresql://ana:secret@db.example.org/health?schema=survey", timeout=60).path
    'postgresql://ana@db.example.org/health?schema=survey'
    """

    __slots__ = ("_conninfo", "_password", "_path", "_schema")
    failure = psycopg.Error

    def __init__(self, url: str, *, timeout: float) -> None:
        super().__init__(timeout)
        parts, given = _parts(url)
        self._path, self._schema = parts
        self._password = given.get("password")
        self._conninfo = make_conninfo(**{**_WATCHFUL, **given})

    @property
    def path(self) -> str:
        """The URL, without the password: whoever opens it again has one from the environment or a password file."""
        return self._path

    @property
    def where(self) -> str:
        """What to call this place in a message."""
        return self._path

    @property
    def is_missing(self) -> bool:
        """Whether there is nothing yet, or nothing any more, in the schema."""
        return self._asked(self._is_empty)

    def make(self, fill: Callable[[Connection], object]) -> None:
        """Make the tables in one transaction, and the schema where it is missing."""
        self._asked(lambda connection: self._make(connection, fill))

    def _make(self, connection: psycopg.Connection[Any], fill: Callable[[Connection], object]) -> None:
        self._check_server(connection)
        # Whoever has to wait for others who make the same books does so before anything is looked at.
        _do(connection, f"BEGIN; SET LOCAL lock_timeout TO {max(1, int(1000 * self.timeout))}")
        connection.execute("SELECT pg_advisory_xact_lock(hashtextextended('discreet ' || %s, 0))", [self._schema])
        if not self._is_empty(connection):
            return
        if connection.execute("SELECT FROM pg_namespace WHERE nspname = %s", [self._schema]).fetchone() is None:
            _do(connection, f"CREATE SCHEMA {_quoted(self._schema)}")
        _do(connection, f"SET LOCAL search_path TO {_quoted(self._schema)}")
        for name, columns in TABLES.items():
            _do(connection, f"CREATE TABLE {name} ({columns})")
        for statement in INDICES.values():
            _do(connection, statement)
        for rule in _RULES:
            each = "STATEMENT" if rule.verb == "TRUNCATE" else "ROW"
            made = f"CREATE FUNCTION {rule.name}() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$"
            _do(connection, f"{made}{_trigger(rule)[1]}$$")
            on = f"CREATE TRIGGER {rule.name} BEFORE {rule.verb} ON {rule.table}"
            _do(connection, f"{on} FOR EACH {each} EXECUTE FUNCTION {rule.name}()")
        _do(connection, f"COMMENT ON TABLE budget IS '{_MARK}{FORMAT}'")
        fill(_Session(connection))
        self._commit(connection)

    def hold(self) -> None:
        """Refuse a server on which a crash loses what was committed, or which cannot hold every text."""
        self._asked(self._check_server)

    def _check_server(self, connection: psycopg.Connection[Any]) -> None:
        query = "SELECT current_setting('fsync'), current_setting('server_encoding')"
        settings = connection.execute(query).fetchone()
        if settings != ("on", "UTF8"):
            self.refuse(f"need fsync on and a database in UTF8, not {settings}: a crash would lose charges, or a text")

    def format_of(self, connection: Connection) -> int:
        """Return the format of the books, or refuse what is no ledger or is not of today's format."""
        ((there, mark),) = connection.execute(
            "SELECT to_regclass('budget') IS NOT NULL, obj_description(to_regclass('budget'), 'pg_class')"
        )
        hidden = "SELECT 1 FROM pg_namespace WHERE nspname = ? AND NOT has_schema_privilege(oid, 'usage')"
        if not there and connection.execute(hidden, [self._schema]).fetchone():
            self.refuse(_MEANINGS["42501"])
        if not there and not mark:
            self.refuse("has been deleted or moved, or belongs to another program: put it back, or give another schema")
        version = str(mark).removeprefix(_MARK)
        if mark == version or not version.isdecimal():
            self.refuse("belongs to another program: give the schema of a ledger, or one where there is nothing yet")
        if int(version) < FORMAT:
            self.refuse(UNRELEASED)
        if int(version) > FORMAT:
            self.refuse(f"was made by a newer discreet, in format {version}: upgrade discreet to use it")
        return FORMAT

    def check(self, connection: Connection) -> None:
        """Refuse tables, indices and triggers that are not those of today's format."""
        columns = connection.execute(
            "SELECT c.relname, a.attname, format_type(a.atttypid, NULL), a.attnotnull FROM pg_class c "
            "LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND c.relkind = 'r' "
            "WHERE c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) "
            "AND c.relpersistence = 'p' ORDER BY c.relname, a.attnum"  # proof: logged
        )
        triggers = connection.execute(
            "SELECT c.relname, t.tgname, t.tgtype, t.tgenabled::text, p.prosrc FROM pg_trigger t "
            "JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_proc p ON p.oid = t.tgfoid WHERE NOT t.tgisinternal "
            "AND c.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) ORDER BY t.tgname"
        )
        wanted = sorted((rule.table, rule.name, _trigger(rule)[0], "O", _trigger(rule)[1]) for rule in _RULES)
        if columns.fetchall() != _columns() or sorted(triggers.fetchall()) != wanted:
            self.refuse(DAMAGED)

    def check_pages(self, connection: Connection) -> None:
        """Trust the server's own checksums: all rows are read and held against their digests."""

    def make_beside(self, connection: Connection) -> None:
        """Make a schema for the answers, which is under no rule: their owner may delete them."""
        if len(f"{self._schema}{_ANSWERS}".encode()) > _MOST_NAME:
            need = f"at most {_MOST_NAME - len(_ANSWERS)} bytes, where answers are kept beside the books"
            raise ParameterError("schema", self._schema, need)
        place = _quoted(f"{self._schema}{_ANSWERS}")
        if connection.execute("SELECT to_regclass(?)", (f"{place}.budget",)).fetchone() != (None,):
            self.refuse(f"has its answers in the schema {place}, and other books are there: choose another schema")
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {place}")
        connection.execute(f"CREATE TABLE IF NOT EXISTS {self._beside} (digest TEXT PRIMARY KEY, answer TEXT NOT NULL)")

    def put_beside(self, connection: Connection, digest: str, text: str) -> None:
        """Insert a row, in the transaction of the note."""
        again = "ON CONFLICT (digest) DO UPDATE SET answer = EXCLUDED.answer"
        connection.execute(f"INSERT INTO {self._beside} VALUES (?, ?) {again}", (digest, text))  # noqa: S608

    def get_beside(self, connection: Connection, digest: str) -> bytes | None:
        """Read the row, if the table is still there."""
        if connection.execute("SELECT to_regclass(?)", (self._beside,)).fetchone() == (None,):
            return None
        found = connection.execute(f"SELECT answer FROM {self._beside} WHERE digest = ?", (digest,)).fetchone()  # noqa: S608
        return None if found is None else str(found[0]).encode()

    @property
    def _beside(self) -> str:
        return f"{_quoted(f'{self._schema}{_ANSWERS}')}.answers"

    def _transact(self, kind: Kind, work: Callable[[Connection], T]) -> T:
        """Do some work in one serialisable transaction, if nobody else has the books."""
        self._check_open()
        alone = kind == "EXCLUSIVE"
        with closing(self._connect()) as connection:
            _do(connection, f"BEGIN ISOLATION LEVEL SERIALIZABLE {'READ WRITE' if alone else 'READ ONLY'}")
            _do(connection, f"SET LOCAL search_path TO {_quoted(self._schema)}; SET LOCAL lock_timeout TO 100")
            if alone:
                # What a transaction sees is settled by its first query, and so after the lock.
                _do(connection, "SET LOCAL idle_in_transaction_session_timeout TO '60s'")
                _do(connection, "LOCK TABLE budget IN EXCLUSIVE MODE")  # proof: locked
                _do(
                    connection,
                    "SELECT set_config('synchronous_commit', 'on', TRUE) "
                    "WHERE current_setting('synchronous_commit') = 'off'",
                )  # proof: flushed
            result = work(_Session(connection))
            self._check_open()
            if alone:
                self._commit(connection)
        return result

    def _commit(self, connection: psycopg.Connection[Any]) -> None:
        try:
            done = _do(connection, "COMMIT")
        except psycopg.Error as error:
            if self.is_busy(error):
                raise
            self.refuse_commit(error)  # proof: unsure
        if done.statusmessage != "COMMIT":
            self.refuse(DAMAGED)

    def is_busy(self, error: Exception) -> bool:
        """Whether the server undid everything because of others."""
        return _state(error) in _AGAIN

    def meaning(self, error: Exception) -> str:
        """Return what an error of the server means, or of the way to it."""
        state = _state(error)
        gone = state is None or state[:2] in ("08", "25", "28", "57")
        return _MEANINGS.get(state or "", _GONE if gone else DAMAGED)

    def _is_unwritable(self, error: Exception) -> bool:
        return _state(error) in _UNWRITABLE

    def _words(self, error: Exception) -> str:
        text = " ".join(str(error).split())
        return text.replace(self._password, "...") if self._password else text

    def _asked(self, work: Callable[[psycopg.Connection[Any]], T]) -> T:
        """Do some work on a connection of its own."""
        try:
            with GATE, closing(self._connect()) as connection:
                return work(connection)
        except psycopg.Error as error:
            self.refuse(self.meaning(error), error)

    def _connect(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self._conninfo, autocommit=True, prepare_threshold=None, client_encoding="utf8")

    def _is_empty(self, connection: psycopg.Connection[Any]) -> bool:
        query = "SELECT FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = %s LIMIT 1"
        return connection.execute(query, [self._schema]).fetchone() is None


@final
class _Session:
    """A transaction, in the SQL of all stores."""

    __slots__ = ("_connection",)

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self._connection = connection

    def execute(self, sql: str, values: Sequence[Any] = (), /) -> Rows:
        """Do one statement."""
        return self._connection.execute(sql.replace("?", "%s").encode(), values or None)


def _do(connection: psycopg.Connection[Any], sql: str) -> psycopg.Cursor[Any]:
    return connection.execute(sql.encode())


def _state(error: Exception) -> str | None:
    return error.sqlstate if isinstance(error, psycopg.Error) else None


def _columns() -> list[tuple[str, str | None, str | None, bool | None]]:
    """Return what the catalogue has for the tables and indices of today's format."""
    found: dict[str, list[tuple[str, str | None, str | None, bool | None]]] = {}
    for table, text in TABLES.items():
        words = [column.split() for column in text.split(",")]
        found[table] = [(table, w[0], w[1].lower(), "NOT" in w or "PRIMARY" in w) for w in words]
        found[f"{table}_pkey"] = [(f"{table}_pkey", None, None, None)]
    found |= {name: [(name, None, None, None)] for name in INDICES}
    return [row for name in sorted(found) for row in found[name]]


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _parts(url: str) -> tuple[tuple[str, str], dict[str, Any]]:
    """Return a URL without its secrets, the schema in it, and what the driver is told. No message shows a URL."""
    hidden, need = "postgresql://...", "a URL such as postgresql://user@host/database?schema=name"
    try:
        split = urlsplit(url)
        asked = parse_qsl(split.query, keep_blank_values=True, strict_parsing=bool(split.query))
        told = conninfo_to_dict(split._replace(query=_query(asked, ("schema",))).geturl())
    except (ValueError, psycopg.Error):
        raise ParameterError("path", hidden, need) from None
    # A sign of its own inside a password ends it, for whoever reads the URL, and the rest would be shown.
    if url.count("@") > ("@" in split.netloc) or split.fragment or not _is_port(told.get("port")):
        raise ParameterError("path", hidden, f"{need}, with %40, %2F and %23 for @, / and # in a name or password")
    schema = dict(asked).get("schema", _SCHEMA)
    if not 0 < len(schema.encode()) <= _MOST_NAME or "\0" in schema or schema.startswith("pg_"):
        raise ParameterError("schema", schema, f"a name of 1 to {_MOST_NAME} bytes that does not start with pg_")
    user, sign, hosts = split.netloc.rpartition("@")
    shown = [(name, x) for name, x in asked if name != "schema" and not is_secret(name)]
    if schema != _SCHEMA:
        shown.append(("schema", schema))
    place = split._replace(scheme="postgresql", netloc=user.partition(":")[0] + sign + hosts, query=_query(shown))
    return (place.geturl(), schema), told


def _is_port(port: object) -> bool:
    return port is None or str(port).replace(",", "").isdecimal()


def _query(pairs: Sequence[tuple[str, str]], without: Sequence[str] = ()) -> str:
    return urlencode([pair for pair in pairs if pair[0] not in without], quote_via=quote)
