"""The catalogue of bugs that this field has known, each injected into our code; every one must be caught.

`python tests/mutants.py` copies the sources, plants one bug at a time, runs the tests that should notice, as in
`make test`, and prints a table. A bug is caught where a test fails, not where it cannot run; and the same tests pass on
a copy without a bug, which is tried first. A bug that no longer fits the code, or that no test notices, is an error.
The bugs are in `planted/`; with words, only those that have them in their name or file are tried.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from xml.etree import ElementTree

from planted import Mutant, catalogue

ROOT = Path(__file__).parents[1]

CAUGHT, LATE, SURVIVED, BROKEN = "caught", "caught by make test-all only", "SURVIVED", "TESTS DID NOT RUN"
SKIPPED = "not tried: its tests were skipped, for want of an engine"


def planted(mutant: Mutant, where: Path) -> Path:
    """Copy the sources to a folder and plant a bug in them."""
    shutil.copytree(ROOT / "src", where, dirs_exist_ok=True)
    path = where / "discreet" / mutant.file
    text = path.read_text()
    if text.count(mutant.old) != 1:
        raise SystemExit(f"{mutant.name}: {mutant.file} has {text.count(mutant.old)} places for this bug, not 1")
    path.write_text(
        text.replace(mutant.old, mutant.new) + ("\n_pool: Any = bytearray()\n" if "_pool" in mutant.new else "")
    )
    return where


def located(tests: str) -> str:
    """Return the path of tests that a bug names by their file alone: files have names of their own in all folders."""
    file, *rest = tests.split("::")
    (path,) = (ROOT / "tests").rglob(file)
    return "::".join([str(path.relative_to(ROOT)), *rest])


def outcome(
    tests: Iterable[str], source: Path, *options: str, everything: bool = False, minutes: int = 10
) -> tuple[str, str]:
    """Run tests on sources: whether one failed, and the last lines. Fixtures and imports that fail are no tests."""
    environment = os.environ | {"PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
    environment |= {"DISCREET_ALL": "1"} if everything else {}
    tier = [] if everything else ["-m", "not deep"]
    with tempfile.TemporaryDirectory() as folder:
        record = Path(folder) / "record.xml"
        pytest = [sys.executable, "-m", "pytest", "-q", "-c", "pyproject.toml", "-p", "no:cacheprovider"]
        command = [*pytest, f"--junitxml={record}", *tier, *options, *tests]
        try:
            run = subprocess.run(
                command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60 * minutes, check=False
            )
        except subprocess.TimeoutExpired:
            return BROKEN, f"No answer within {minutes} minutes"
        suites = list(ElementTree.parse(record).iter("testsuite")) if record.exists() else []
        ran, failures, skipped = (
            sum(int(suite.get(kind, 0)) for suite in suites) for kind in ("tests", "failures", "skipped")
        )
    passed = SKIPPED if 0 < ran == skipped else SURVIVED
    return CAUGHT if failures else BROKEN if run.returncode else passed, run.stdout[-2000:] + run.stderr[-2000:]


def verdict(mutant: Mutant) -> tuple[str, float]:
    """Whether the tests fail on a bug, and how long that takes."""
    start = time.perf_counter()
    with tempfile.TemporaryDirectory() as folder:
        source, tests = planted(mutant, Path(folder)), [located(mutant.tests)]
        found, _ = outcome(tests, source, "-x")
        if found != CAUGHT:  # A statistical test misses a bug now and then; a deep one is not asked by default.
            found, said = outcome(tests, source, "-x", everything=True)
            found = LATE if found == CAUGHT else found
            if found == BROKEN:
                print(f"{mutant.name}: {located(mutant.tests)} did not run\n{said}")
    return found, time.perf_counter() - start


def main(words: list[str]) -> int:
    """Try the bugs that have some words in their name or file."""
    bugs = [mutant for mutant in catalogue() if all(word in f"{mutant.file} {mutant.name}" for word in words)]
    with tempfile.TemporaryDirectory() as folder:
        sound = Path(shutil.copytree(ROOT / "src", folder, dirs_exist_ok=True))
        tests = {located(mutant.tests).split("[")[0] for mutant in bugs}
        found, said = outcome(sorted(tests), sound, "-n", "auto", "--dist", "loadgroup", minutes=40)
        if found not in (SURVIVED, SKIPPED):
            raise SystemExit(f"These tests do not pass without a bug:\n{said}")
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(verdict, bugs))
    width = max(len(mutant.name) for mutant in bugs)
    for mutant, (found, seconds) in zip(bugs, results, strict=True):
        print(f"{mutant.name:{width}}  {found}  {seconds:5.1f} s  {mutant.tests.split('::')[-1]}")
    counts = Counter(found for found, _ in results)
    print("\n" + ", ".join(f"{count} {found}" for found, count in counts.items()))
    missed = [mutant for mutant, (found, _) in zip(bugs, results, strict=True) if found in (SURVIVED, BROKEN)]
    for mutant in missed:
        print(f"Not caught: {mutant.name} ({mutant.file}; {mutant.tests})")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
