"""The security review names the tests that hold each finding, and the bugs that are planted: all of them exist."""

import ast
import re
from functools import cache
from pathlib import Path

import pytest
from planted import catalogue

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security-review.md").read_text(encoding="utf-8")
FINDINGS = re.findall(r"^### (.+)\n((?:(?!^#).*\n?)*)", PAGE, re.MULTILINE)


def named_tests(text):
    """The file, class and function of each test that a text names; ``::name`` is in the file named before it."""
    file = ""
    for path, rest in re.findall(r"`(tests/\w+/\w+\.py)?((?:::\w+)*)`", text):
        file = path or file
        if path or rest:
            yield file, [part for part in rest.split("::") if part]


@cache
def names_in(file):
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef | ast.FunctionDef)}


@pytest.mark.parametrize(("title", "body"), FINDINGS, ids=[title[:40] for title, _ in FINDINGS])
def test_each_finding_is_held_by_tests_that_exist(title, body):
    found = list(named_tests(body))
    assert found, title
    for file, names in found:
        assert (ROOT / file).is_file(), file
        assert set(names) <= names_in(file), (file, names)


def test_each_bug_that_is_named_is_planted():
    planted = {mutant.name for mutant in catalogue()}
    named = [name for line in PAGE.splitlines() if "**Planted:**" in line for name in re.findall(r'"([^"]+)"', line)]
    assert named
    assert set(named) <= planted


def test_planted_bugs_have_names_of_their_own():
    names = [mutant.name for mutant in catalogue()]
    assert len(names) == len(set(names))
