"""The ledger: what opening it and charging it costs when the books are long, and how much fits."""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from fractions import Fraction
from itertools import count
from pathlib import Path

from benchmarks.measure import Look, Row, power, within
from discreet import Ledger
from discreet.accounting import Amount, Event, Plain, adaptive
from discreet.accounting.distributions import LossDistribution
from discreet.errors import BudgetError, LedgerError
from discreet.ledger import sqlite
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


def charging(look: Look) -> Iterator[Row]:
    """One charge beside what SQLite itself needs to open a file and write one row durably, with the same settings."""
    with tempfile.TemporaryDirectory() as folder:
        book, bare, text = Ledger(Path(folder, "books.db"), epsilon=10**6), Path(folder, "bare.db"), "x" * 600
        with closing(sqlite3.connect(bare)) as connection:
            connection.execute("CREATE TABLE rows (text TEXT)")

        def insert() -> None:
            with closing(sqlite._connect(bare, "rw")) as connection:
                connection.execute("BEGIN EXCLUSIVE")
                connection.execute("INSERT INTO rows VALUES (?)", (text,))
                connection.execute("COMMIT")

        ours, theirs = look.best(lambda: book.charge(epsilon="1/1000"), insert, repeat=40)
        yield within("one charge: time over SQLite's own durable insert", ours, theirs, 2.0)


RELEASES = [
    (1, "1e-6", "counts of 0.01", {"moves": [("0.01", 1)]}, 500),
    (3, "5e-6", "counts of 0.02", {"moves": [("0.02", 1)]}, 1090),
    (3, "5e-6", "tables of ten groups at 0.2", {"moves": [("0.02", 10)], "delta": "2e-8"}, 105),
    (20, "1e-6", "counts of 0.1", {"moves": [("0.1", 1)]}, 990),
    (1, "1e-6", "counts of 0.5", {"moves": [("0.5", 1)]}, 2),
]


def releases(look: Look) -> Iterator[Row]:
    for epsilon, delta, what, event, goal in RELEASES:
        kinds = (None, "plain", "zcdp")
        ours, plain, zcdp = (_allowed(kind, epsilon, delta, Event.of(**event), look) for kind in kinds)
        title = f"({epsilon}, {delta}): {what} that fit, over"
        yield Row(f"{title} plain addition", f"{ours:,}", f"{plain:,}", ours / plain, ">=", goal / plain)
        if zcdp:  # It spends all of delta on adding up, and has none for releases with a delta of their own.
            yield Row(f"{title} the zCDP filter", f"{ours:,}", f"{zcdp:,}", ours / zcdp, ">=", 1.02)


def _allowed(kind: str | None, epsilon: int, delta: str, event: Event, look: Look) -> int:
    """Return how many releases books allow, by their own answer."""
    own = 0 if kind == "zcdp" else None
    made = Ledger.in_memory(epsilon=epsilon, delta=delta, accountant=kind, release_delta=own)
    with made as book, suppress(BudgetError):
        for n in count():
            if look.quick and n == 3:
                return n
            book.charge(event=event)
    return n


def reserved(look: Look) -> Iterator[Row]:
    """A hundred counts of 0.1 that are fixed in advance: their epsilon at a delta of 1e-6, over plain addition."""
    plan = LossDistribution.of(Event.of(moves=[("0.1", 100)]), delta="1e-6").epsilon("1e-6")
    ours = float(plan or 0)
    yield Row(
        "100 x 0.1 reserved: epsilon at delta 1e-6, over plain addition", f"{ours:.4f}", "10", ours / 10, "<=", 0.478
    )


def making(look: Look) -> Iterator[Row]:
    budget = Amount(Fraction(3), Fraction("5e-6"))

    def make() -> None:
        adaptive._most_units.cache_clear()
        adaptive.Adaptive.for_budget(budget)

    (took,) = look.best(make, repeat=3)
    yield within("making adaptive books of (3, 5e-6), over two seconds", took, 2.0, 1.0)


def _refused(why: str) -> object:
    raise LedgerError(why)


PARTS = {"long": long_books, "charging": charging, "releases": releases, "reserved": reserved, "making": making}
