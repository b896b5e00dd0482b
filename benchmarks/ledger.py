"""The ledger: what opening it and charging it costs when the books are long."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing
from fractions import Fraction
from pathlib import Path

from benchmarks.measure import Look, Row, power, within
from discreet import Ledger
from discreet.accounting import Amount, Event, Plain
from discreet.errors import LedgerError
from discreet.ledger.entries import Row as Written
from discreet.ledger.entries import amount_text, event_text, now
from discreet.ledger.formats import STEP, Books, enter


def books(path: Path, count: int) -> Path:
    """Write books with many charges at once, each as the ledger writes it."""
    Ledger(path, epsilon=10**6).close()
    event = Event.of(moves=[("1/1000", 1)])
    texts = event_text(event), amount_text(Amount(event.epsilon, Fraction(0))), "events.parquet", "null", None, None
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        mark = Books.read(connection, _refused).start
        for number in range(1, count + 1):
            mark, _ = enter(connection, mark, Written(number, now(), "charge", *texts), Plain())
        connection.execute("COMMIT")
    return path


def long_books(look: Look) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as folder:
        n = look.size(10**5)
        short, long = books(Path(folder, "short.db"), 10), books(Path(folder, "long.db"), n - n % STEP + 10)
        few, many = look.best(lambda: Ledger(short), lambda: Ledger(long), repeat=25)
        yield within(f"opening books with {power(n)} charges: time over 10 charges", many, few, 1.5)
        hands = Ledger(short), Ledger(long)
        few, many = look.best(*(lambda hand=hand: hand.charge(epsilon="1/1000") for hand in hands), repeat=25)
        yield within(f"one more charge on {power(n)} charges: time over 10 charges", many, few, 1.5)


def _refused(why: str) -> object:
    raise LedgerError(why)


PARTS = {"long": long_books}
