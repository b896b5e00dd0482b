"""The site builds, strictly; its pages need no network and show their formulas. Pictures can be made again."""

import importlib.util
import re
import shutil
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PICTURES = ROOT / "docs" / "pictures"
PROOFS = sorted(path.stem for path in (ROOT / "src").rglob("*.md"))


def module_at(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def build(target, **changes):
    config = pytest.importorskip("mkdocs.config")
    for name in ("material", "mkdocstrings_handlers", "latex2mathml"):
        pytest.importorskip(name)
    from mkdocs.commands.build import build as mkdocs_build

    loaded = config.load_config(str(ROOT / "mkdocs.yml"), site_dir=str(target), **changes)
    loaded.plugins.on_startup(command="build", dirty=False)
    mkdocs_build(loaded)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    target = tmp_path_factory.mktemp("site")
    build(target)
    return target


class Fetched(HTMLParser):
    """What a browser fetches by itself to show a page."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if tag in {"script", "img", "iframe", "source"} and given.get("src"):
            self.found.append(given["src"])
        if tag == "link" and given.get("rel") in {"stylesheet", "icon", "preconnect", "preload"}:
            self.found.append(given["href"])


@pytest.mark.deep
@pytest.mark.xdist_group("site")
def test_no_page_asks_for_anything_elsewhere(site):
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > 35
    for page in pages:
        fetched = Fetched(page.read_text()).found
        assert fetched
        for link in fetched:
            assert "//" not in link, f"{page.name}: {link}"
            assert page.name == "404.html" or (page.parent / link).exists(), f"{page.name}: {link}"
    assert not [p for p in site.rglob("*.css") if re.search(r"url\(['\"]?(https?:)?//", p.read_text())]


@pytest.mark.deep
@pytest.mark.xdist_group("site")
@pytest.mark.parametrize("proof", PROOFS)
def test_every_proof_is_a_page_with_its_formulas_drawn(site, proof):
    text = (site / "proofs" / f"{proof}.html").read_text()
    article = text[text.index("<article") : text.index("</article>")]
    formulas = re.findall(r"<math.*?</math>", article, re.DOTALL)
    assert formulas
    assert not [formula for formula in formulas if "\\" in formula]
    assert "$" not in re.sub(r"<(code|pre).*?</\1>", "", article, flags=re.DOTALL)
    assert not re.search(r"math\d+math", article)
    assert f'href="{proof}.html"' in (site / "proofs" / "index.html").read_text()


@pytest.mark.deep
@pytest.mark.xdist_group("site")
def test_the_reference_has_every_public_name_and_shows_sessions_as_such(site):
    import discreet.audit
    import discreet.survey
    import discreet.tables

    pages = "".join(page.read_text() for page in (site / "api").glob("*.html"))
    for package in (discreet, discreet.survey, discreet.tables, discreet.audit):
        for name in set(package.__all__) - {"exact", "Ledger"}:
            assert re.search(rf'id="{package.__name__}(\.\w+)*\.{name}"', pages), name
    assert "<blockquote>" not in pages
    assert "&gt;&gt;&gt; " in pages


@pytest.mark.xdist_group("site")
@pytest.mark.parametrize("link", ["missing.md", "index.md#no-such-place", "../src/discreet/missing.md"])
def test_a_broken_link_fails(tmp_path, link):
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "index.md").write_text(f"# Start\n\nA [link]({link}).\n")
    abort = pytest.importorskip("mkdocs.exceptions").Abort
    with pytest.raises(abort, match="strict mode"):
        build(tmp_path / "site", docs_dir=str(docs), nav=["index.md"], hooks=[], plugins=[])


@pytest.mark.deep
def test_the_pictures_can_be_made_again(tmp_path):
    pytest.importorskip("matplotlib")
    make = module_at(PICTURES / "make.py")
    made = make.make(tmp_path)
    assert {path.name for path in made} == {path.name for path in PICTURES.glob("*.svg")}
    for path in made:
        assert "<svg" in path.read_text()[:600]
        assert 1000 < path.stat().st_size < 150_000


@pytest.mark.deep
@pytest.mark.xdist_group("browser")
@pytest.mark.skipif(shutil.which("chromium") is None, reason="Chromium is not installed")
def test_the_pictures_of_a_poll_can_be_taken_again(tmp_path):
    pytest.importorskip("playwright")
    module_at(PICTURES / "poll.py").main(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in PICTURES.glob("*.png")}
    assert all(5_000 < path.stat().st_size < 200_000 for path in tmp_path.iterdir())


def test_every_picture_is_shown_somewhere_with_words_for_it():
    pages = [ROOT / "README.md", ROOT / "mkdocs.yml", *(ROOT / "docs").rglob("*.md")]
    text = "\n".join(page.read_text() for page in pages)
    for picture in [*PICTURES.glob("*.svg"), *PICTURES.glob("*.png")]:
        assert f"pictures/{picture.name}" in text
    assert all(len(words) > 40 for words in re.findall(r"!\[(.*?)\]", text))


def test_the_drawing_of_the_house_is_the_house():
    """What is drawn is what import-linter holds, and every import fits; the README says it in words."""
    pytest.importorskip("grimp")
    make = module_at(PICTURES / "make.py")
    rows = make.layers()
    assert {room for row in rows for room in row} == set(make.ROOMS)
    words = re.search(r"!\[The layers: (.*?)\]", (ROOT / "README.md").read_text())[1]
    assert [re.split(r", | and ", row) for row in words.split("; ")] == rows
    drawn = re.findall(r"<!-- (.*?) -->", (PICTURES / "house.svg").read_text())
    assert [name for name in drawn if name in make.ROOMS] == [room for row in rows for room in row]


def test_sessions_and_trees_in_docstrings_are_fenced():
    pytest.importorskip("griffe")
    sys.modules.pop("docstrings", None)
    fenced = module_at(ROOT / "docs" / "tools" / "docstrings.py").fenced
    assert fenced("Add.\n\n>>> 1 + 1\n2\n\nMore.\n\n>>> 3") == (
        "Add.\n\n```pycon\n>>> 1 + 1\n2\n```\n\nMore.\n\n```pycon\n>>> 3\n```"
    )
    assert fenced("Errors.\n\nAll\n├── one\n└── two\n\nEnd.") == (
        "Errors.\n\n```text\nAll\n├── one\n└── two\n```\n\nEnd."
    )


@pytest.mark.deep
@pytest.mark.xdist_group("site")
def test_what_only_doctest_needs_is_not_shown(site):
    assert not [page.name for page in site.rglob("*.html") if "BLANKLINE" in page.read_text()]


def outline(path):
    """What stays the same when a picture is drawn again, noise and all: its words, its colours and its size."""
    text = path.read_text()
    words = [word for word in re.findall(r"<!-- (.*?) -->", text) if not re.fullmatch(r"[−\d.,e %]+", word)]
    size = [round(float(number)) for number in re.search(r'viewBox="([^"]+)"', text)[1].split()]
    return sorted(words), set(re.findall(r"#[0-9a-f]{6}", text)), size


@pytest.mark.parametrize("name", ["answer-plot", "estimate-plot", "plan-plot", "which-noise"])
def test_pictures_are_what_the_library_draws(name, tmp_path):
    """Where this fails, `python docs/pictures/make.py` draws them again."""
    pytest.importorskip("matplotlib")
    [made] = module_at(PICTURES / "make.py").make(tmp_path, [name])
    assert outline(PICTURES / made.name) == outline(made)


@pytest.mark.deep
@pytest.mark.xdist_group("site")
def test_the_search_works_where_a_page_is_opened_as_a_file(site):
    driver = pytest.importorskip("playwright.sync_api")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("no browser: chromium is not installed")
    with driver.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name in ("index.html", "api/index.html"):
            page = browser.new_page()
            asked = []
            page.on("request", lambda request, asked=asked: asked.append(request.url))
            page.goto((site / name).as_uri())
            page.locator(".md-search__input").click()
            page.keyboard.type("threshold")
            page.wait_for_selector(".md-search-result__item", timeout=30_000)
            assert "_threshold" in page.locator(".md-search-result__item a").first.get_attribute("href")
            assert all(url.startswith(("file:", "data:")) for url in asked)
        browser.close()
