"""What all tests have: tiers, and a last line about each thing that was not there to be tested."""

import gc
import os
import re
import tempfile
import time
from collections import Counter
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # Before NumPy: threads that wait for each other spin.

import postgres_server
import pytest
from coin_tree import StreamCoins
from hypothesis import settings
from ledger_shelves import SHELVES, STORES, Database

from discreet.accounting.accountants import accountants
from discreet.coins import SystemCoins

ALL = bool(os.environ.get("DISCREET_ALL") or os.environ.get("DISCREET_SLOW"))

START: list[float] = []

LONG = ("pyspark", "coq", "books in postgres", "tests/ledger/test_stores.py", "evidence")
"""What takes longest is handed out first, lest one process wait for another in the end; then what has most tests."""

gc.set_threshold(20_000, 20, 50)  # Queries are trees of small objects; to look for cycles among them took a third.

settings.register_profile("some", max_examples=25, deadline=None)
settings.register_profile("all", deadline=None)
settings.load_profile("all" if ALL else "some")


@pytest.fixture
def given_coins(monkeypatch):
    """Coins of a fixed stream for the system's: whether a statistical test passes is the same each time.

    Under DISCREET_SLOW=1 they are the system's, and luck may fail such a test as often as it says.
    """
    if os.environ.get("DISCREET_SLOW"):
        return
    stream = StreamCoins()
    monkeypatch.setattr(SystemCoins, "words", lambda _, n: stream.words(n))
    monkeypatch.setattr(SystemCoins, "bits", lambda _, n: stream.bits(n))


@pytest.fixture
def own_accountants(monkeypatch):
    """A list of accountants of this test's own: whom it adds to it is forgotten afterwards."""
    monkeypatch.setitem(accountants.__globals__, "_KNOWN", dict(accountants()))


@pytest.fixture(params=STORES)
def shelf(request):
    """Return a folder in memory, where there is one, or a database: the paths in it are those of ledgers."""
    if request.param == "postgres":
        yield Database()
        return
    with tempfile.TemporaryDirectory(dir=SHELVES) as folder:
        yield Path(folder)


def pytest_addoption(parser):
    """Add the option of `make quick`."""
    parser.addoption("--seconds", type=float, help="begin no test after so many seconds")


def pytest_runtest_setup(item):
    """Leave a test out where time is up."""
    limit = item.config.getoption("--seconds")
    START[:] = START[:1] or [time.monotonic()]
    if limit is not None and time.monotonic() - START[0] > limit:
        pytest.skip(f"the {limit:g} seconds are over; make test runs all")


def pytest_collection_modifyitems(config, items):
    """Leave out what repeats at length, unless all is asked for, or the test by its name; name groups in ids."""
    if hasattr(config, "workerinput"):
        for item in items:
            _grouped(item)
    named = any("::" in argument for argument in config.args)
    if ALL or named:
        return
    deep = [item for item in items if item.get_closest_marker("deep") is not None]
    if deep:
        config.hook.pytest_deselected(items=deep)
        items[:] = [item for item in items if item.get_closest_marker("deep") is None]


def _grouped(item):
    """Put a test's group at the end of its id, by which tests are handed out.

    xdist 3.8 does it where pytest has ids that are texts; since 9.2 they are values, and no group was kept together.
    """
    mark = item.get_closest_marker("xdist_group")
    if mark is not None and hasattr(item, "_id") and not item.nodeid.endswith(f"@{mark.args[0]}"):
        item._id = type(item._id).parse(f"{item.nodeid}@{mark.args[0]}")


def pytest_collection_finish():
    """Leave what is there before the first test out of every later search for cycles: a fifth of a query's time."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure():
    """Stop what runs for all tests, and let what is written in C be torn down."""
    postgres_server.stop()
    gc.unfreeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Hand out whole files, unless a test says with which others it goes: one at a time, counting takes a minute."""
    from xdist.scheduler import LoadGroupScheduling

    class ByFile(LoadGroupScheduling):
        def _split_scope(self, nodeid):
            group = super()._split_scope(nodeid)
            return group if group != nodeid else nodeid.split("::")[0]

        def _assign_work_unit(self, node):
            for scope in reversed(LONG):
                if scope in self.workqueue:
                    self.workqueue.move_to_end(scope, last=False)
            super()._assign_work_unit(node)

    return ByFile(config, log) if config.getvalue("dist") == "loadgroup" else None


@pytest.hookimpl(trylast=True)
def pytest_terminal_summary(terminalreporter):
    """Say in one line each what was skipped, and why."""
    reasons = Counter(_reason(report) for report in terminalreporter.stats.get("skipped", []))
    for reason, count in sorted(reasons.items()):
        terminalreporter.write_line(f"Not run: {count} test{'s' * (count > 1)}: {reason}")
    left = [item for item in terminalreporter.stats.get("deselected", []) if item.get_closest_marker("deep")]
    if left and not ALL:
        terminalreporter.write_line(f"Left to make test-all: {len(left)} deep tests")


def _reason(report):
    text = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    return re.sub(r"^Skipped: ", "", text)
