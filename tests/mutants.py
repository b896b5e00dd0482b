"""The catalogue of bugs that this field has known, each injected into our code; every one must be caught.

`python tests/mutants.py` copies the sources, plants one bug at a time, runs the tests that should notice, and prints a
table. A bug that no longer fits the code, or that no test notices, is an error. The bugs are in `planted/`; with
a word, only those that have it in their name or file are tried.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from planted import Mutant, catalogue

ROOT = Path(__file__).parents[1]
CATALOGUE = [mutant for mutant in catalogue() if all(word in f"{mutant.file} {mutant.name}" for word in sys.argv[1:])]


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


def caught(mutant: Mutant) -> tuple[bool, float]:
    """Whether the tests fail on a bug, and how long that takes."""
    with tempfile.TemporaryDirectory() as folder:
        environment = os.environ | {"PYTHONPATH": str(planted(mutant, Path(folder))), "PYTHONDONTWRITEBYTECODE": "1"}
        environment |= {"DISCREET_ALL": "1"}
        start = time.perf_counter()
        file, *rest = mutant.tests.split("::")
        (path,) = (ROOT / "tests").rglob(file)  # Test files have names of their own, whatever folder they are in.
        tests = "::".join([str(path.relative_to(ROOT)), *rest])
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", tests]
        run = subprocess.run(
            command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300, check=False
        )
        # Exit code 1 is a failing test; any other means that the tests did not run.
        if run.returncode not in (0, 1):
            raise SystemExit(f"{mutant.name}: the tests did not run\n{run.stdout[-2000:]}{run.stderr[-2000:]}")
        return run.returncode == 1, time.perf_counter() - start


def main() -> int:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(caught, CATALOGUE))
    # A statistical test misses a bug now and then: once more, alone, and said.
    for i, mutant in enumerate(CATALOGUE):
        if not results[i][0]:
            print(f"not caught at once: {mutant.name}")
            results[i] = caught(mutant)
    width = max(len(mutant.name) for mutant in CATALOGUE)
    for mutant, (found, seconds) in zip(CATALOGUE, results, strict=True):
        verdict = "caught" if found else "SURVIVED"
        print(f"{mutant.name:{width}}  {verdict}  {seconds:5.1f} s  {mutant.tests.split('::')[-1]}")
    missed = sum(not found for found, _ in results)
    print(f"\n{len(CATALOGUE) - missed} passed, {missed} failed")
    for mutant, (found, _) in zip(CATALOGUE, results, strict=True):
        if not found:
            print(f"SURVIVED: {mutant.name} ({mutant.file}; {mutant.tests})")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
