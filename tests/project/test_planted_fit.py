"""Each planted bug fits the code in one place, and names tests that exist."""

import ast
from functools import cache
from pathlib import Path

import pytest
from planted import catalogue

import discreet

TESTS, SOURCE = Path(__file__).parents[1], Path(discreet.__file__).parent
BUGS = {bug.name: bug for bug in catalogue()}


@cache
def defined(file):
    """Return the names of the tests in a file, whatever folder it is in."""
    (path,) = TESTS.rglob(file)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef | ast.FunctionDef)}


@pytest.mark.parametrize("name", BUGS)
def test_a_planted_bug_fits_and_names_tests_that_exist(name):
    bug = BUGS[name]
    assert (SOURCE / bug.file).read_text(encoding="utf-8").count(bug.old) == 1
    assert bug.new != bug.old
    file, *names = bug.tests.split(" ")[0].split("::")
    assert {part.split("[")[0] for part in names} <= defined(file)
