"""The README has what a stranger looks for; that its code runs is held by test_docs.py."""

import re
from pathlib import Path

import pytest

README = Path(__file__).parents[2] / "README.md"
TEXT = README.read_text()


def test_the_two_commands_come_first():
    commands = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)[0].splitlines()
    assert [line.split("#")[0].strip() for line in commands] == ["make demo", "make test"]
    assert TEXT.index("make demo") < 800


@pytest.mark.parametrize("name", ["LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_the_usual_papers_are_there(name):
    assert (README.parent / name).stat().st_size > 500
