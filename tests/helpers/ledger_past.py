"""Books that are written to past the ledger."""

import sqlite3
from contextlib import closing


def write(path, *statements):
    """Write SQL past the ledger and its triggers, and put the triggers back."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(*statement if isinstance(statement, tuple) else (statement,))
        for _, sql in triggers:
            connection.execute(sql)
