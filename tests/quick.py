"""Run the tests of the files that changed, or of those that are named: an answer in seconds.

`make quick` takes what git says has changed since the last commit; `make quick FILES="reals.py survey/waves.py"` takes
files below src/discreet, or tests. A source's tests are its doctests, the test files named after it, and of the others
those whose own imports name its module.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE, TESTS = ROOT / "src" / "discreet", ROOT / "tests"
SECONDS = 20
"""Tests that have not begun by then are left to `make test`."""


def changed() -> list[Path]:
    """Return the files that differ from the last commit, and those that git does not know yet."""
    commands = ["diff --name-only HEAD", "ls-files --others --exclude-standard"]
    found = [
        subprocess.run(["git", *c.split()], cwd=ROOT, capture_output=True, text=True, check=True) for c in commands
    ]
    return [ROOT / line for run in found for line in run.stdout.splitlines() if (ROOT / line).is_file()]


def named(words: list[str]) -> list[Path]:
    """Return the files that a user means."""
    paths = [next((p for p in (ROOT / word, SOURCE / word) if p.is_file()), None) for word in words]
    for word, path in zip(words, paths, strict=True):
        if path is None:
            raise SystemExit(f"{word}: no such file, here or below src/discreet")
    return [path for path in paths if path is not None]


def imported(test: Path) -> set[str]:
    """Return the modules of ours that a test file's own imports name."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(test.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
    return {name for name in names if name.startswith("discreet")}


def tests_of(source: Path) -> list[Path]:
    """Return the tests of a source: those that have its name, and those that import its module."""
    module = ".".join(["discreet", *source.relative_to(SOURCE).with_suffix("").parts]).removesuffix(".__init__")
    stem = source.stem if source.stem != "__init__" else source.parent.name
    files = sorted(TESTS.rglob("test_*.py"))
    by_name = [file for file in files if stem.strip("_") in file.stem.removeprefix("test_").replace("_", " ").split()]
    by_name += [file for file in files if file.stem.endswith(stem)]
    return list(dict.fromkeys([*by_name, *(file for file in files if module in imported(file))]))


def main() -> int:
    files = named(sys.argv[1:]) or changed()
    sources = [f for f in files if f.suffix == ".py" and f.is_relative_to(SOURCE)]
    tests = [f for f in files if f.suffix == ".py" and f.name.startswith("test_") and f.is_relative_to(TESTS)]
    for source in sources:
        tests += [source, *tests_of(source)]
    if any(f.suffix == ".md" and f.is_relative_to(SOURCE) for f in files) or sources:
        tests.append(TESTS / "audit" / "test_proofs.py")
    if not tests:
        print("Nothing has changed that has tests: name files, as in make quick FILES=reals.py")
        return 0
    paths = [str(path.relative_to(ROOT)) for path in dict.fromkeys(tests)]
    print("\n".join(paths), flush=True)
    options = ["-q", "-x", "--doctest-modules", f"--seconds={SECONDS}", "-p", "no:xdist", *paths]
    return subprocess.run([sys.executable, "-m", "pytest", *options], cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
