"""Books that are written to past the ledger."""

import json
import sqlite3
from contextlib import closing, contextmanager, suppress
from urllib.parse import parse_qs, urlsplit

from discreet.accounting import Plain
from discreet.ledger.entries import Mark


class _Raw:
    """A driver's connection with the marks of SQLite."""

    def __init__(self, connection):
        self._connection = connection

    def execute(self, sql, values=()):
        return self._connection.execute(sql.replace("?", "%s"), values or None)


def is_url(path):
    return str(path).startswith("postgresql://")


def schema_of(url):
    return parse_qs(urlsplit(url).query)["schema"][0]


@contextmanager
def raw(path):
    """Write SQL past the ledger."""
    if not is_url(path):
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            yield connection
        return
    import psycopg

    with closing(psycopg.connect(urlsplit(path)._replace(query="").geturl(), autocommit=True)) as connection:
        connection.execute(f'SET search_path TO "{schema_of(path)}"')
        yield _Raw(connection)


def write(path, *statements):
    """Write SQL past the ledger and its triggers, and put the triggers back."""
    with raw(path) as connection:
        if is_url(path):
            connection.execute("SET session_replication_role TO replica")
            for statement in statements:
                connection.execute(*statement if isinstance(statement, tuple) else (statement,))
            return
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(*statement if isinstance(statement, tuple) else (statement,))
        for _, sql in triggers:
            with suppress(sqlite3.OperationalError):  # Its table may be gone.
                connection.execute(sql)


def refusal():
    """Return what a trigger raises, in any store."""
    import psycopg

    return sqlite3.IntegrityError, psycopg.IntegrityError


def forge_terms(path, **change):
    """Change the accountant's terms on books without an entry, and compute all digests anew."""
    with raw(path) as connection:
        ((made, text, amount, state),) = connection.execute(
            "SELECT made, accountant, amount, state FROM budget JOIN checkpoint"
        )
    forged = json.dumps(json.loads(text) | change)
    start = Mark.start(Plain(), made, forged, amount)
    seal = start.at(0, start.digest, state).seal
    write(
        path,
        ("UPDATE budget SET accountant = ?, digest = ?", (forged, start.digest)),
        ("UPDATE checkpoint SET digest = ?, seal = ?", (start.digest, seal)),
    )
