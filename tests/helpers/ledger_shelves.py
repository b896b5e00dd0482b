"""Places for ledgers, in each store, and what tests do there: in children, and to them."""

import multiprocessing
import os
import random
import signal
import statistics
import time
import timeit
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import quote

import postgres_server
import pytest
import tiers
from ledger_past import is_url, raw, schema_of

from discreet import BudgetError, Ledger

SHELVES = "/dev/shm" if Path("/dev/shm").is_dir() else None
THIRD = Fraction(1, 3)
POSIX = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork and signals")
POSTGRES = pytest.mark.xdist_group("books in postgres")
STORES = ["sqlite", pytest.param("postgres", marks=[POSTGRES, pytest.mark.deep])]
PROCESSES = multiprocessing.get_context("forkserver" if hasattr(os, "fork") else "spawn")
"""Processes that have nothing of this one; where there is fork, they come from one that has imported the library."""
PROCESSES.set_forkserver_preload(["discreet.ledger", "discreet.survey"])


def on_shelves(name, values, step):
    """Give a test each of some values on a shelf of SQLite, and every *step*-th on one of PostgreSQL, by default."""
    small = [("sqlite", value) for value in values]
    large = [pytest.param("postgres", value, marks=POSTGRES) for value in tiers.each(values, step)]
    return pytest.mark.parametrize(("shelf", name), small + large, indirect=["shelf"])


class Database:
    """A database as if it were a folder: its ledgers are schemas."""

    def __init__(self, server=None):
        self.server = server or postgres_server.shared()
        self.name = self.server.database()

    def __getstate__(self):
        """Of the server another process needs the address."""
        return {"server": SimpleNamespace(where=self.server.where), "name": self.name}

    def __truediv__(self, name):
        return f"postgresql://discreet@127.0.0.1:{self.server.where['port']}/{self.name}?schema={quote(name)}"

    def iterdir(self):
        """Return the ledgers, as URLs."""
        with self.server.connect(self.name) as connection:
            own = "SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN %s"
            own = own.replace("%s", "('public', 'information_schema')")
            return [self / name for (name,) in connection.execute(own)]


def remove(path):
    """Remove a ledger as if it had never been."""
    if not is_url(path):
        path.unlink()
        return
    with raw(path) as connection:
        connection.execute(f'DROP SCHEMA "{schema_of(path)}" CASCADE')


def exists(path):
    """Whether there is anything where a ledger would be."""
    if not is_url(path):
        return path.exists()
    with raw(path) as connection:
        return connection.execute("SELECT to_regclass('budget') IS NOT NULL").fetchone()[0]


def filled(path, count=3, receipt=None):
    """Return a ledger of a budget of 1000 with some entries."""
    book = Ledger(path, epsilon=1000, delta="1/2")
    for i in range(count):
        book.charge(epsilon=THIRD, delta="1e-6", table=f"table {i}", receipt=receipt)
    return book


def in_child(work):
    """Do some work in a forked child, and return what it returns."""
    read, write = os.pipe()
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)  # A child that hangs fails.
        try:
            answer = repr(work())
        except BaseException as error:
            answer = f"raised {type(error).__name__}: {error}"
        os.write(write, answer.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        answer = pipe.read()
    os.waitpid(pid, 0)
    return answer


@contextmanager
def killed(count, longest, seed, work):
    """Fork children that do some work, and kill each at a random moment; give a reader of what they reported."""
    read, write = os.pipe()
    children = []
    for _ in range(count):
        pid = os.fork()
        if pid == 0:
            try:
                os.write(write, b"s")
                work(write)
                os._exit(0)
            except BaseException:
                os._exit(1)
        children.append(pid)
    os.close(write)
    with os.fdopen(read, "rb", buffering=0) as pipe:
        assert pipe.read(1) == b"s"
        for pid in children:
            time.sleep(seed.uniform(0, longest))
            os.kill(pid, signal.SIGKILL)
        assert all(os.waitpid(pid, 0)[1] in (signal.SIGKILL, 0) for pid in children)
        yield pipe


def spend(book, step, write):
    """Charge and report, until killed or out of budget."""
    with suppress(BudgetError):
        while True:
            book.charge(epsilon=step, receipt="x" * 300)
            os.write(write, b".")


def seconds(work, times=5):
    """Return how long some work takes, at the median."""
    return statistics.median(timeit.repeat(work, number=1, repeat=times))


def apart(work, *arguments):
    """Do some work in a small process, which is forked in no time: one that runs tests has much to be copied."""
    with ProcessPoolExecutor(1, mp_context=PROCESSES) as pool:
        return pool.submit(work, *arguments).result()


def kill_at_random(folder, kills, at_once=2):
    """Kill children at random moments; return how many charges were reported, and how many journals left behind."""
    step, seed = Fraction(1, 7), random.Random(7919)
    total, hot, book = 0, 0, None
    trial = Ledger(folder / "trial.db", epsilon=100)
    longest = 4 * seconds(lambda: trial.charge(epsilon=step, receipt="x" * 300))
    for i in range(kills // at_once):
        if book is None or i % 100 == 0 or book.left.epsilon < step:
            path, reported = folder / f"{i}.db", 0
            book = Ledger(path, epsilon=50)
        with killed(at_once, longest, seed, lambda write: spend(book, step, write)) as pipe:  # noqa: B023
            count = pipe.readall().count(b".")
            reported, total = reported + count, total + count
        hot += Path(f"{path}-journal").exists()
        entries = book.spent.epsilon / step  # This recovers, too.
        assert entries.denominator == 1
        assert reported <= entries <= 350
        if i % 10 == 0:
            book.verify()
            # A server may find the last words of a child after its death.
            assert 0 <= len(Ledger(path).entries()) - entries <= at_once * is_url(path)
    return total, hot
