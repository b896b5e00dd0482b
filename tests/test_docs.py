"""What the documentation shows is what happens."""

import doctest
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[1] / "docs"
PAGES = sorted(DOCS.glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_the_sessions_print_what_they_show(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "...", page.read_text())
    names, failed = {}, []
    for session in re.findall(r"```pycon\n(.*?)```", text, re.DOTALL):
        test = doctest.DocTestParser().get_doctest(session, names, page.name, str(page), 0)
        runner = doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS)
        runner.run(test, clear_globs=False, out=failed.append)
        names = test.globs
    assert not failed, "".join(failed)


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.stem)
def test_every_link_within_the_project_leads_somewhere(page):
    for link in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        if "://" not in link:
            assert (page.parent / link).exists(), link


def test_a_page_that_lies_is_caught(tmp_path, monkeypatch):
    page = tmp_path / "lie.md"
    page.write_text("```pycon\n>>> 1 + 1\n3\n```\n")
    with pytest.raises(AssertionError):
        test_the_sessions_print_what_they_show(page, tmp_path, monkeypatch)
