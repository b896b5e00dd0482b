"""Each planted bug fits the code in one place, and names tests that exist."""

import ast
from functools import cache
from pathlib import Path

import pytest
from planted import catalogue

import discreet

TESTS, SOURCE = Path(__file__).parents[1], Path(discreet.__file__).parent
BUGS = catalogue()


@cache
def defined(file):
    """Return the names of the tests in a file, whatever folder it is in."""
    (path,) = TESTS.rglob(file)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef | ast.FunctionDef)}


@pytest.mark.parametrize("file", sorted({bug.file for bug in BUGS}))
def test_planted_bugs_fit_and_name_tests_that_exist(file):
    source = (SOURCE / file).read_text(encoding="utf-8")
    for bug in BUGS:
        if bug.file == file:
            assert source.count(bug.old) == 1, bug.name
            assert bug.new != bug.old, bug.name
            tests, *names = bug.tests.split(" ")[0].split("::")
            assert {part.split("[")[0] for part in names} <= defined(tests), bug.name
