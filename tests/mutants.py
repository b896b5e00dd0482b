"""The catalogue of bugs that this field has known, each injected into our code; every one must be caught.

`python tests/mutants.py` copies the sources, plants one bug at a time, runs the tests that should notice, as in
`make test`, and prints a table. A bug is caught where a test fails, not where it cannot run. In the end all the tests
that were run on a bug must pass on a copy without one. A bug that no longer fits the code, or that no test notices, is
an error. The bugs are in `planted/`; with words, only those that have all of them in their name or file are tried.

A bug meets a process of its own, forked from one that has imported what we build on and nothing of ours: to import
that anew took most of the time.
"""

from __future__ import annotations

import compileall
import gc
import itertools
import multiprocessing
import os
import shutil
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from queue import Queue
from typing import Any

from planted import Mutant, catalogue

ROOT = Path(__file__).parents[1]

CAUGHT, LATE, SURVIVED, BROKEN = "caught", "caught by make test-all only", "SURVIVED", "TESTS DID NOT RUN"
SKIPPED = "not tried: its tests were skipped, for want of an engine"

PROCESSES = multiprocessing.get_context("forkserver" if hasattr(os, "fork") else "spawn")
PROCESSES.set_forkserver_preload(
    [
        *("_pytest.assertion.rewrite", "hypothesis.strategies", "xdist.plugin", "click.testing", "rich.console"),
        *("flint", "numpy", "mpmath", "scipy.stats", "scipy.optimize", "pandas", "pyarrow.parquet", "pyarrow.dataset"),
        *("duckdb", "ibis.backends.duckdb", "ibis.backends.sqlite"),
    ]
)
"""What tests import. None of it may start a thread, which no child would have."""


@dataclass
class Ran:
    """What became of some tests: it listens to pytest. Fixtures and imports that fail are no tests that fail."""

    tests: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    skipped: int = 0
    status: int | None = None
    seconds: float = 0.0

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "setup":
            self.tests.append(report.nodeid)
        if report.when == "call" and report.failed:
            self.failed.append(report.nodeid)
        self.skipped += report.skipped

    @property
    def outcome(self) -> str:
        """Say whether a test failed, whether all passed, or what else happened."""
        if self.failed:
            return CAUGHT
        if self.status:
            return BROKEN
        return SKIPPED if 0 < len(self.tests) == self.skipped else SURVIVED


@contextmanager
def planted(mutant: Mutant, source: Path) -> Iterator[None]:
    """Plant a bug in a copy of the sources, and take it out again."""
    path = source / "discreet" / mutant.file
    text = path.read_text()
    if text.count(mutant.old) != 1:
        raise SystemExit(f"{mutant.name}: {mutant.file} has {text.count(mutant.old)} places for this bug, not 1")
    pool = "\n_pool: Any = bytearray()\n" if "_pool" in mutant.new else ""
    try:
        _write(path, text.replace(mutant.old, mutant.new) + pool)
        yield
    finally:
        _write(path, text)


def _write(path: Path, text: str) -> None:
    """Write a source, and forget it compiled: of two that are as long, written within a second, the first would run."""
    path.write_text(text)
    for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*"):
        compiled.unlink()


def located(tests: str) -> str:
    """Return the path of tests that a bug names by their file alone: files have names of their own in all folders."""
    file, *rest = tests.split("::")
    (path,) = (ROOT / "tests").rglob(file)
    return "::".join([str(path.relative_to(ROOT)), *rest])


def _child(arguments: list[str], source: Path, environment: dict[str, str], said: Path, answer: Connection) -> None:
    """Run pytest in this process, on sources, and send what became of the tests."""
    import pytest

    gc.freeze()  # What came with the fork is not searched for cycles.
    os.chdir(ROOT)
    os.environ |= environment | {"PYTHONPATH": str(source)}
    sys.dont_write_bytecode = False  # Tests are rewritten for pytest once, and not for each bug.
    sys.path[:0] = [str(source), str(ROOT)]
    with said.open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    ran = Ran()
    ran.status = int(pytest.main(arguments, plugins=[ran]))
    sys.stdout.flush()
    ran.seconds = sum(os.times()[:4])
    answer.send(ran)


def outcome(
    tests: Iterable[str], source: Path, *options: str, everything: bool = False, minutes: int = 10
) -> tuple[Ran, str]:
    """Run tests on sources, in a process of their own: what became of them, and the last lines."""
    environment = {"DISCREET_ALL": "1"} if everything else {}
    tier = [] if everything else ["-m", "not deep"]
    without = [f"-pno:{plugin}" for plugin in ("cacheprovider", "hypothesispytest", "unraisableexception")]
    arguments = ["-q", "-c", "pyproject.toml", *without, *tier, *options, *tests]
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder) / "said.txt"
        mine, theirs = PROCESSES.Pipe(duplex=False)
        child = PROCESSES.Process(target=_child, args=(arguments, source, environment, said, theirs))
        child.start()
        theirs.close()
        wait([mine, child.sentinel], 60 * minutes)
        try:
            ran = mine.recv() if mine.poll() else Ran(status=-1)
        except EOFError:
            ran = Ran(status=-1)
        child.join(10)
        child.kill()
        child.join()
        return ran, said.read_text(errors="replace")[-4000:] if said.exists() else ""


@dataclass
class Verdict:
    """What became of a bug: the tests that ran on it, as in `make test` or with everything, and how long it took."""

    found: str
    tests: list[str]
    everything: bool
    seconds: float


def verdict(mutant: Mutant, copies: Queue[Path]) -> Verdict:
    """Whether the tests fail on a bug, in one of some copies of the sources."""
    source, tests, seconds = copies.get(), [located(mutant.tests)], 0.0
    with planted(mutant, source):
        for everything in (False, True):  # A statistical test misses a bug now and then; a deep one is asked later.
            ran, said = outcome(tests, source, "-x", everything=everything)
            seconds += ran.seconds
            if ran.failed:
                break
    copies.put(source)
    found = LATE if ran.failed and everything else ran.outcome
    if found == BROKEN:
        print(f"{mutant.name}: {tests[0]} did not run\n{said}")
    return Verdict(found, ran.tests, everything, seconds)


def copied(where: Path | str) -> Path:
    """Copy the sources to a folder, compiled."""
    compileall.compile_dir(ROOT / "src", quiet=1)
    return Path(shutil.copytree(ROOT / "src", where, dirs_exist_ok=True))


def sound(verdicts: Iterable[Verdict]) -> bool:
    """Whether all the tests that ran on bugs pass on a copy without one, file by file."""
    asked: dict[tuple[str, bool], dict[str, None]] = defaultdict(dict)
    for each in verdicts:
        for test in each.tests:
            asked[test.split("::")[0], each.everything][test] = None
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(os.cpu_count()) as pool:
        source = copied(folder)
        runs = [pool.submit(outcome, tests, source, everything=key[1], minutes=40) for key, tests in asked.items()]
        bad = [said for ran, said in (run.result() for run in runs) if ran.outcome not in (SURVIVED, SKIPPED)]
    for said in bad:
        print(f"These tests do not pass without a bug:\n{said}")
    return not bad


def main(words: list[str]) -> int:
    """Try the bugs that have some words in their name or file."""
    bugs = [mutant for mutant in catalogue() if all(word in f"{mutant.file} {mutant.name}" for word in words)]
    if not bugs:
        raise SystemExit(f"No bug has {' and '.join(words)} in its name or file")
    workers, copies = os.cpu_count() or 1, Queue[Path]()
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(workers) as pool:
        for i in range(workers):
            copies.put(copied(f"{folder}/{i}"))
        results = list(pool.map(verdict, bugs, itertools.repeat(copies)))
    width = max(len(mutant.name) for mutant in bugs)
    for mutant, result in zip(bugs, results, strict=True):
        print(f"{mutant.name:{width}}  {result.found}  {result.seconds:5.1f} s  {mutant.tests.split('::')[-1]}")
    counts = Counter(result.found for result in results)
    print("\n" + ", ".join(f"{count} {found}" for found, count in counts.items()))
    missed = [mutant for mutant, result in zip(bugs, results, strict=True) if result.found in (SURVIVED, BROKEN)]
    for mutant in missed:
        print(f"Not caught: {mutant.name} ({mutant.file}; {mutant.tests})")
    return 0 if sound(results) and not missed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
