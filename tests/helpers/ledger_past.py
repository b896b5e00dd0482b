"""Books that are written to past the ledger."""

import json
import sqlite3
from contextlib import closing

from discreet.accounting import Plain
from discreet.ledger.entries import Mark


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


def forge_terms(path, **change):
    """Change the accountant's terms on books without an entry, and compute all digests anew."""
    with closing(sqlite3.connect(path)) as connection:
        ((made, text, amount, state),) = connection.execute(
            "SELECT made, accountant, amount, state FROM budget JOIN checkpoint"
        )
    forged = json.dumps(json.loads(text) | change)
    start = Mark.start(Plain(), made, forged, amount)
    seal = Mark.read(start.genesis, 0, start.digest, state).seal
    write(
        path,
        ("UPDATE budget SET accountant = ?, digest = ?", (forged, start.digest)),
        ("UPDATE checkpoint SET digest = ?, seal = ?", (start.digest, seal)),
    )
