"""Pages in a real browser: they render, sort, filter, fit a phone, follow the theme, and ask nobody for anything."""

import datetime as dt
import io
import re
import shutil
from importlib.util import find_spec

import numpy as np
import pandas as pd
import pytest
from matplotlib import image
from test_pages import EVIL, RESULTS, answer, mean
from tiers import each

from discreet import Ledger
from discreet.tables import Quantile, Table

if find_spec("playwright") is None:  # It is imported where a browser starts: that takes half a second.
    pytest.skip("no browser tests: playwright is not installed", allow_module_level=True)

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
QUIET = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
)
DESK, PHONE = {"width": 1100, "height": 900}, {"width": 390, "height": 844}
FITS = "e => e.scrollWidth <= e.clientWidth"
NONE = "no browser, so pages are not tested in one: chromium is not installed (Debian: apt install chromium)"
if CHROMIUM is None:
    pytest.skip(NONE, allow_module_level=True)
pytestmark = pytest.mark.xdist_group("browser")


@pytest.fixture(scope="module")
def windows():
    """Return two windows of a browser, with scripts and without, and what it complained of and asked for in them."""
    from playwright.sync_api import sync_playwright

    complaints, asked = [], []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        pages = {scripts: browser.new_page(java_script_enabled=scripts) for scripts in (True, False)}
        for page in pages.values():
            page.on("console", lambda message: complaints.append(message.text))
            page.on("pageerror", lambda error: complaints.append(str(error)))
            page.on("dialog", lambda dialog: complaints.append(dialog.message))
            page.on("request", lambda request: asked.append(request.url))
        yield pages, complaints, asked
        browser.close()


@pytest.fixture
def open_page(windows, tmp_path):
    """Return a function that opens a page; afterwards fail if the browser complained, or asked for anything else."""
    pages, complaints, asked = windows
    for page in pages.values():
        page.goto("about:blank")
    complaints.clear()
    asked.clear()

    def opened(html, theme="light", size=DESK, scripts=True):
        path = tmp_path / "page.html"
        path.write_text(html, encoding="utf-8")
        page = pages[scripts]
        page.set_viewport_size(size)
        page.emulate_media(media="screen", color_scheme=theme)
        page.goto(path.as_uri())
        return page

    opened.complaints, opened.asked = complaints, asked
    yield opened
    assert not complaints
    assert {url for url in asked if not url.startswith("data:")} <= {(tmp_path / "page.html").as_uri()}


def pixels(page, selector=None):
    """Return what a part of a page, or its window, looks like, as an array of colours between 0 and 255."""
    shot = image.imread(io.BytesIO((page.locator(selector).first if selector else page).screenshot()))
    return (shot[:, :, :3] * 255).round().astype(int)


def colour(page, name):
    """Return a colour of the page's own, as it is drawn."""
    script = """name => {
        const box = document.body.appendChild(document.createElement("i"));
        box.style.color = `var(--${name})`;
        const found = getComputedStyle(box).color;
        box.remove();
        return found;
    }"""
    return np.array([int(part) for part in page.evaluate(script, name)[4:-1].split(",")])


def drawn(shot, of):
    """Return how many pixels have a colour, or nearly."""
    return int((np.abs(shot - of).max(axis=2) <= 6).sum())


def column(page, at):
    return page.locator(f".grid tbody tr > :nth-child({at})").all_inner_texts()


def numbers(texts):
    return [float(text.replace(",", "")) for text in texts]


@pytest.mark.parametrize("name", each(RESULTS, 3))
@pytest.mark.parametrize("size", each([PHONE, DESK], 2), ids=each(["phone", "desk"], 2))
@pytest.mark.parametrize("theme", each(["light", "dark"], 2))
def test_every_page_renders_without_complaint_and_fits(open_page, name, theme, size):
    page = open_page(RESULTS[name]().to_html(), theme, size)
    assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]
    assert page.locator("h1").is_visible()
    assert page.locator("#theme").is_visible()


def test_a_long_name_fits_a_phone(open_page):
    page = open_page(answer(["x" * 300, "a " * 150], [5, 6], table="y" * 200, where="z" * 200).to_html(), size=PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]


def test_dates_stay_in_one_line_on_a_phone(open_page):
    keys = [("A city with a rather long name", dt.date(2026, month, 1)) for month in range(1, 13)]
    page = open_page(answer(keys, range(1000, 13000, 1000), by=("city", "month")).to_html(), size=PHONE)
    city, month = (page.locator(f"tbody tr:first-child th:nth-child({i})") for i in (1, 2))
    script = (
        "node => { const r = document.createRange(); r.selectNodeContents(node); return r.getClientRects().length; }"
    )
    assert month.evaluate(script) == 1
    assert city.evaluate(script) > 1


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_chart_has_its_marks(open_page, theme):
    page = open_page(answer(["a", "b", "c"], [100, 60, 30]).to_html(), theme)
    shot = pixels(page, ".bars svg")
    bar, mark, paper = (colour(page, name) for name in ("bar", "mark", "paper"))
    height, width, _ = shot.shape
    filled = drawn(shot, bar)
    assert filled == pytest.approx(16 * width / 109 * (100 + 60 + 30) / 1.03, rel=0.1)  # Bars are 16 px high.
    assert drawn(shot, mark) > 3 * 10  # Whiskers and their ends.
    assert drawn(shot, paper) > 0.3 * height * width


def test_a_chart_without_its_marks_would_be_noticed(open_page):
    html = answer(["a", "b", "c"], [100, 60, 30]).to_html()
    page = open_page(html.replace('class="bar"', 'class="gone" visibility="hidden"'))
    assert drawn(pixels(page, ".bars svg"), colour(page, "bar")) == 0


def test_points_are_drawn_where_there_are_no_bars(open_page):
    page = open_page(RESULTS["means"]().to_html())
    assert page.locator("svg circle.dot").count() == 3
    assert drawn(pixels(page, ".bars svg"), colour(page, "mark")) > 60


def test_themes_differ_and_the_button_changes_them(open_page):
    html = answer().to_html()
    light, dark = (pixels(open_page(html, theme, PHONE)).mean() for theme in ("light", "dark"))
    assert light > 220
    assert dark < 60
    for theme, other in (("light", dark), ("dark", light)):
        page = open_page(html, theme, PHONE)
        assert page.locator("#theme").inner_text() == ("Dark" if theme == "light" else "Light")
        page.locator("#theme").click()
        assert pixels(page).mean() == pytest.approx(other, abs=5)
        page.locator("#theme").click()
        assert page.locator("#theme").inner_text() == ("Dark" if theme == "light" else "Light")


def test_sorting_goes_both_ways_and_numbers_are_numbers(open_page):
    values = [9, 1000, 30, -4, -200, 30]
    page = open_page(answer(list("fabced"), values).to_html())
    head = page.locator("thead th").nth(1)
    assert head.get_attribute("aria-sort") == "none"
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert numbers(column(page, 2)) == sorted(values, reverse=True)
    assert column(page, 1) == list("abdfce")  # Equal values keep their order.
    head.locator("button").click()
    assert head.get_attribute("aria-sort") == "ascending"
    assert numbers(column(page, 2)) == sorted(values)
    page.locator("thead th").first.locator("button").click()
    assert head.get_attribute("aria-sort") == "none"
    assert column(page, 1) == list("abcdef")


def test_sorting_works_from_the_keyboard(open_page):
    page = open_page(answer(list("abc"), [2, 3, 1]).to_html())
    button = page.locator("thead th").nth(1).locator("button")
    for _ in range(20):
        page.keyboard.press("Tab")
        if button.evaluate("node => node === document.activeElement"):
            break
    page.keyboard.press("Enter")
    assert numbers(column(page, 2)) == [3, 2, 1]
    page.keyboard.press("Space")
    assert numbers(column(page, 2)) == [1, 2, 3]


def test_names_with_numbers_sort_as_people_expect_and_nothing_comes_last(open_page):
    page = open_page(answer(["city 10", None, "city 9", "City 1"], [1, 2, 3, 4]).to_html())
    button = page.locator("thead button").first
    button.click()
    assert column(page, 1) == ["City 1", "city 9", "city 10", "no value"]
    button.click()
    assert column(page, 1) == ["city 10", "city 9", "City 1", "no value"]


def test_the_filter_finds_and_lets_go(open_page):
    page = open_page(answer([f"city {i}" for i in range(60)], range(60)).to_html())
    search = page.locator("input[type=search]")
    assert len(column(page, 1)) == 25
    search.fill("CITY 5")
    assert column(page, 1) == ["city 5"] + [f"city {i}" for i in range(50, 60)]
    assert page.locator("[role=status]").inner_text() == "11 rows, filtered from 60"
    page.locator("thead button").nth(1).click()
    assert column(page, 1)[0] == "city 59"
    search.fill("nowhere")
    assert column(page, 1) == []
    search.fill("")
    assert len(column(page, 1)) == 25


def test_a_long_table_is_leafed_through(open_page):
    page = open_page(answer([f"g{i:03}" for i in range(60)], range(60)).to_html())
    seen = column(page, 1)
    before, after = page.locator(".pager button").all()
    assert before.is_disabled()
    for _ in range(2):
        after.click()
        seen += column(page, 1)
    assert seen == [f"g{i:03}" for i in range(60)]
    assert after.is_disabled()
    assert page.locator("[role=status]").inner_text() == "Rows 51 to 60 of 60"
    before.click()
    assert column(page, 1)[0] == "g025"


def test_the_script_writes_what_the_page_said(open_page):
    for name in each(("counts", "means", "an estimate", "a plan", "an exact audit"), 2):
        html = RESULTS[name]().to_html()
        plain, live = open_page(html, scripts=False), open_page(html)
        for at in range(1, live.locator(".grid thead th").count() + 1):
            assert column(plain, at) == column(live, at)


def test_numbers_of_any_size_are_written_alike(open_page):
    usual = [0, 7, -7, 999, 1000, -1000, 1234567, 2**53 - 1]
    for values in (usual, [*usual, 2**53 + 1, -(2**70)]):
        html = answer([f"g{i}" for i in range(len(values))], values, name="sum").to_html()
        assert column(open_page(html), 2) == column(open_page(html, scripts=False), 2) == [f"{v:,}" for v in values]


def test_without_scripts_the_whole_is_there(open_page):
    page = open_page(answer([f"city {i}" for i in range(60)], range(60)).to_html(), scripts=False)
    assert len(column(page, 1)) == 60
    assert not page.locator("#theme").is_visible()
    assert not page.locator(".tools").is_visible()


def test_hostile_names_are_shown_and_do_nothing(open_page):
    html = answer([EVIL, "b"], [5, 6], by=("<b onclick=alert(3)>",), table='"><script>alert(4)</script>').to_html()
    page = open_page(html)
    page.locator("thead button").first.click()
    assert EVIL.replace("\u202e", "\ufffd") in page.locator(".grid tbody th").all_text_contents()
    assert page.locator("tbody *").count() == 2 * 4  # Rows and cells, and nothing in them.


def test_a_script_that_slipped_in_would_not_run(open_page):
    page = open_page(answer().to_html().replace("</main>", "<script>document.title = 'owned'</script></main>"))
    assert page.title() == "People by city"
    (complaint,) = open_page.complaints
    assert "violates the following Content Security Policy" in complaint
    open_page.complaints.clear()


def test_a_page_that_asks_for_something_would_be_noticed(open_page):
    html = answer().to_html().replace("<main>", '<main><img src="other.png" alt="">')
    open_page(re.sub("<meta http-equiv[^>]*>", "", html))
    assert [url.rsplit("/", 1)[1] for url in open_page.asked] == ["page.html", "other.png"]
    open_page.complaints.clear()
    open_page.asked.clear()


@pytest.mark.deep
def test_a_hundred_thousand_groups_stay_usable(open_page):
    page = open_page(answer([f"group {i}" for i in range(100_000)], range(100_000)).to_html())
    script = """() => {
        const start = performance.now();
        document.querySelectorAll("thead button")[0].click();
        document.querySelectorAll("thead button")[1].click();
        const input = document.querySelector("input[type=search]");
        input.value = "99999";
        input.dispatchEvent(new Event("input"));
        return performance.now() - start;
    }"""
    assert page.evaluate(script) < 10_000  # Some 300 ms; the machine may be busy.
    assert column(page, 1) == ["group 99999"]
    assert page.locator("*").count() < 1500


def test_print_is_light(open_page):
    page = open_page(answer().to_html(), "dark")
    page.emulate_media(media="print")
    assert pixels(page).mean() > 220
    assert not page.locator("#theme").is_visible()


def quantiles(*at):
    wards = ["Surgery", "Cardiology", "Orthopaedics and Traumatology"]
    frame = pd.DataFrame({"id": range(900), "ward": wards * 300, "length of stay": np.linspace(0, 39, 900)})
    groups = Table(frame, person="id").group_by("ward", keys=wards)
    return groups.release(Quantile("length of stay", *at, low=0, high=40), epsilon=4, max_groups=1)


def test_every_column_of_two_quantiles_is_in_sight_on_a_desk(open_page):
    page = open_page(quantiles("0.5", "0.9").to_html())
    assert page.evaluate(f"[...document.querySelectorAll('.scroll')].every({FITS})")
    assert page.evaluate("[...document.querySelectorAll('tbody th')].every(e => e.clientWidth > 100)")


def test_a_phone_shows_the_intervals_of_a_mean(open_page):
    page = open_page(mean().to_html(), size=PHONE)
    assert page.evaluate(f"[...document.querySelectorAll('.scroll')].every({FITS})")


def test_what_has_to_be_scrolled_ends_in_a_shadow_that_goes_at_its_end(open_page):
    page = open_page(quantiles("0.1", "0.5", "0.9").to_html(), size=PHONE)
    box = page.locator(".scroll").first
    assert box.evaluate(f"e => !({FITS})(e) && getComputedStyle(e).overflowX") == "auto"
    before = pixels(page, ".scroll")[:4, -6:].mean()
    box.evaluate("e => { e.scrollLeft = e.scrollWidth; }")
    assert before < pixels(page, ".scroll")[:4, -6:].mean() - 10


def test_months_beside_another_key_are_told_apart_on_a_phone(open_page):
    keys = [("Cardiology ward", dt.date(2026, month, 1)) for month in range(1, 7)]
    page = open_page(answer(keys, range(6, 0, -1), by=("ward", "day")).to_html(), size=PHONE)
    last = page.locator(".bars bdi > span:last-child").all()
    assert all(each.evaluate(f"{FITS}") for each in last)
    assert [each.inner_text()[-10:] for each in last] == [f"2026-{month:02}-01" for month in range(1, 7)]


def test_long_texts_of_books_break_on_a_phone_in_the_place_of_being_cut(open_page):
    with Ledger.in_memory(epsilon=3, delta="1e-5") as book:
        book.charge(epsilon="0.1", delta="1e-6", table="rides_of_the_whole_country_2026_november_final.parquet")
        page = open_page(book.to_html(), size=PHONE)
    assert page.evaluate(f"[...document.querySelectorAll('.scroll')].every({FITS})")


def test_a_phone_shows_both_ends_of_a_name_beside_another_key(open_page):
    keys = [("University Hospital of Northern Utopia, ward 12", "2026-01"), ("Rome", "2026-02")]
    page = open_page(answer(keys, [9, 5], by=("hospital", "month")).to_html(), size=PHONE)
    first, last = page.locator(".bars bdi > span").all()[:2]
    assert first.evaluate("e => e.scrollWidth > e.clientWidth && e.clientWidth > 20")
    assert last.evaluate("e => e.scrollWidth <= e.clientWidth")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
