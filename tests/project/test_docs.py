"""What the documentation and the README show is what happens: every block of code in them is run, by Sybil.

`pycon` blocks are sessions, `python` blocks run as they are, `console` blocks are commands with what they print; all
blocks of a page share their names and a folder. A block with a title is written to a file of that name. Blocks of `sh`
install and make: their extras and targets must exist. Where noise is shown, a comment says "yours will differ", and the
numbers may. A block that is not run says so in its first line, and there are few.
"""

import doctest
import importlib.util
import re
import shlex
import sys
import tomllib
from pathlib import Path

import pytest

pytest.importorskip("sybil")
from click.testing import CliRunner
from sybil import Document, Region
from sybil.document import SybilFailure
from sybil.evaluators.doctest import DocTestEvaluator
from sybil.evaluators.python import PythonEvaluator
from sybil.parsers.abstract.doctest import DocTestStringParser
from sybil.parsers.markdown.lexers import RawFencedCodeBlockLexer

from discreet.cli.app import app

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NAMES = [str(page.relative_to(ROOT)) for page in PAGES]

DIFFERS = "ours will differ"
NUMBERS_DIFFER = doctest.register_optionflag("NUMBERS_DIFFER")
NOT_RUN = "# Not run: "
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?(?:e-?\d+)?")
INFO = re.compile(r"(?P<language>\w*)(?: title=\"(?P<title>[^\"]+)\")?[^\n]*\n")
TIME = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?")
COMMAND = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n?)*)", re.MULTILINE)
PEERS = ("opendp", "multi_freq_ldpy")


def masked(text):
    """Return a text with numbers alike, and without what their width moves."""
    alike = re.sub(r"[ ─-]+", " ", NUMBER.sub("9", text))
    return re.sub(r" $", "", alike, flags=re.MULTILINE).strip()


class Checker(doctest.OutputChecker):
    def check_output(self, want, got, optionflags):
        want, got = (TIME.sub("2026-11-16 09:30", text) for text in (want, got))
        if optionflags & NUMBERS_DIFFER:
            want, got = masked(want) + "\n", masked(got) + "\n"
        return super().check_output(want, got, optionflags)


class Sessions(DocTestEvaluator):
    def __init__(self):
        super().__init__(doctest.ELLIPSIS)
        self.runner._checker = Checker()

    def __call__(self, example):
        if DIFFERS in example.parsed.source:
            example.parsed.options[NUMBERS_DIFFER] = True
        return super().__call__(example)


def printed(command):
    """Return what a command prints, in this process."""
    name, *arguments = shlex.split(command, comments=True)
    assert name == "discreet", f"only discreet's own commands are run: {command}"
    return CliRunner().invoke(app, arguments, prog_name=name).output.strip() + "\n"


def as_shown(want, got, *, differs):
    flags = doctest.ELLIPSIS | (NUMBERS_DIFFER if differs else 0)
    return Checker().check_output(want.strip() + "\n", got, flags)


def run_commands(example):
    """Run each line that begins with a dollar, and compare what it prints."""
    for command, want in COMMAND.findall(example.parsed):
        got = printed(command)
        if not as_shown(want, got, differs=DIFFERS in example.parsed):
            return f"$ {command}\nExpected:\n{want}\nGot:\n{got}"
    return None


def check_setup(example):
    """Hold that each line of a block of `sh` installs extras that exist, or makes a target that does."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    targets = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for line in example.parsed.splitlines():
        words = shlex.split(line, comments=True)
        assert words[:2] == ["pip", "install"] or words[0] == "make" or words[:2] == ["cd", "discreet"], line
        if words[0] == "make":
            assert set(words[1:]) <= targets, line
        for word in words:
            assert set("".join(re.findall(r"\[(.+)\]", word)).split(",")) - {""} <= set(extras), line


def write_file(example):
    title, text = example.parsed
    Path(title).parent.mkdir(parents=True, exist_ok=True)
    Path(title).write_text(text)


def absent(source):
    """Whether a block is about a peer that is not installed here."""
    return any(
        re.search(rf"\bimport {name}|from {name}", source) and not importlib.util.find_spec(name) for name in PEERS
    )


def blocks(document):
    """Yield every fenced block of a page, with what is to be done with it; an unknown kind is an error."""
    sessions = DocTestStringParser(Sessions())
    for region in RawFencedCodeBlockLexer(INFO)(document):
        language, title, source = (region.lexemes[name] for name in ("language", "title", "source"))
        if language == "text" or source.startswith(NOT_RUN) or absent(source):
            continue
        if title:
            yield Region(region.start, region.end, (title, source), write_file)
        elif language == "pycon":
            for session in sessions(source, document.path):
                session.adjust(region, source)
                yield session
        else:
            run = {"python": PythonEvaluator(), "console": run_commands, "sh": check_setup}[language]
            yield Region(region.start, region.end, source, run)


def run_page(page, folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])
    for example in Document.parse(str(page), blocks).examples():
        example.evaluate()


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_block_of_code_does_what_it_shows(page, tmp_path, monkeypatch):
    run_page(page, tmp_path, monkeypatch)


def test_hardly_any_block_is_not_run_and_each_says_why():
    source = "\n".join(page.read_text() for page in PAGES)
    reasons = re.findall(rf"^ *{NOT_RUN}(.*)$", source, re.MULTILINE)
    assert len(reasons) <= 6
    assert all(len(reason) > 10 for reason in reasons)


@pytest.mark.parametrize("page", PAGES, ids=NAMES)
def test_every_link_within_the_project_leads_somewhere(page):
    text = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    for link in re.findall(r"\]\(([^)#\s]+)", text):
        if "://" not in link:
            assert (page.parent / link).exists(), link


@pytest.mark.parametrize(
    "lie",
    [
        "```pycon\n>>> 1 + 1\n3\n```\n",
        "```python\nassert 1 + 1 == 3\n```\n",
        "```console\n$ discreet --version\ndiscreet, version 99.0\n```\n",
        "```console\n# Yours will differ.\n$ discreet --version\ndiscreet, edition 99.0\n```\n",
        "```sh\npip install 'discreet[nonsense]'\n```\n",
        "```sh\nmake nonsense\n```\n",
        "```ruby\nputs 1\n```\n",
        "  - a list\n\n    ```pycon\n    >>> 1 + 1\n    3\n    ```\n",
    ],
)
def test_a_page_that_lies_is_caught(lie, tmp_path, monkeypatch):
    page = tmp_path / "lie.md"
    page.write_text(lie)
    with pytest.raises((AssertionError, SybilFailure, KeyError)):
        run_page(page, tmp_path, monkeypatch)


def test_numbers_may_differ_only_where_the_page_says_so(tmp_path, monkeypatch):
    page = tmp_path / "noise.md"
    page.write_text("```pycon\n>>> print('a', 1.5)  # yours will differ\na -1,230.25\n```\n")
    run_page(page, tmp_path, monkeypatch)
    page.write_text("```pycon\n>>> print('b', 1.5)  # yours will differ\na 1.5\n```\n")
    with pytest.raises(SybilFailure):
        run_page(page, tmp_path, monkeypatch)


def refresh(page):
    """Write into a page what its commands print now, where that is not what it shows."""
    text = page.read_text()

    def renewed(example):
        differs = DIFFERS in example.parsed

        def shown(found):
            got = printed(found[1])
            if as_shown(found[2], got, differs=differs):
                return found[0]
            return f"$ {found[1]}\n{got.replace(str(Path.cwd()) + '/', '...')}"

        nonlocal text
        text = text.replace(example.parsed, COMMAND.sub(shown, example.parsed))

    for example in Document.parse(str(page), blocks).examples():
        if example.region.evaluator is run_commands:
            renewed(example)
        else:
            example.evaluate()
    page.write_text(text)


if __name__ == "__main__":  # `python tests/project/test_docs.py docs/start.md ...`: refresh what commands print there.
    import contextlib
    import tempfile

    for name in sys.argv[1:]:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            refresh(ROOT / name)
