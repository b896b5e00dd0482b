"""What the README shows is what happens."""

import doctest
import re
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"
TEXT = README.read_text()


def test_the_two_commands_come_first():
    commands = re.findall(r"```sh\n(.*?)```", TEXT, re.DOTALL)[0].splitlines()
    assert [line.split("#")[0].strip() for line in commands] == ["make demo", "make test"]
    assert TEXT.index("make demo") < 800


def test_the_examples_run():
    (block,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    names = {}
    exec(block, names)
    for code, shown in re.findall(r"^(\w+\.privacy_map\([^#]*\))\s+# ([^,\n]+(?:, [\de.+-]+\))?)", block, re.MULTILINE):
        assert repr(eval(code, names)) == shown
    assert set(names["t"].release({"Brig": 1})) <= {"Brig"}


def test_the_sessions_print_what_they_show():
    for session in re.findall(r"```pycon\n(.*?)```", TEXT, re.DOTALL):
        test = doctest.DocTestParser().get_doctest(session, {}, "README", str(README), 0)
        assert doctest.DocTestRunner(verbose=False).run(test).failed == 0


def test_every_link_within_the_project_leads_somewhere():
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", TEXT) if "://" not in link]
    assert links
    for link in links:
        assert (README.parent / link).exists(), link


@pytest.mark.parametrize("name", ["LICENSE", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"])
def test_the_usual_papers_are_there(name):
    assert (README.parent / name).stat().st_size > 500
