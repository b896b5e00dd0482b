"""Take pictures of a poll's page and its results, in Chromium: `python docs/pictures/poll.py [FOLDER]`."""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path

import numpy as np
from PIL import Image
from playwright.sync_api import Page, sync_playwright

from discreet.survey import Poll
from discreet.survey.pages import estimates_page

SURVEY = Path(__file__).parents[1] / "poll.md"
PHONE, DESK = {"width": 390, "height": 844}, {"width": 1024, "height": 768}
PICTURES = (
    ("poll-ask", "light", "en", False, PHONE),
    ("poll-review", "dark", "en", True, PHONE),
    ("poll-arabic", "light", "ar", True, PHONE),
    ("poll-desk", "light", "en", False, DESK),
)


def survey_file(folder: Path) -> Path:
    """Return the survey that the documentation shows, as a file."""
    text = SURVEY.read_text(encoding="utf-8").split('```toml title="town.toml"\n', 1)[1].split("```", 1)[0]
    place = folder / "town.toml"
    place.write_text(text, encoding="utf-8")
    return place


def results(poll: Poll, place: Path) -> Path:
    """Write the page of results of some thousand invented people."""
    boxes = poll.survey.collector()
    for form in poll.survey.forms:
        noisy = form.perturb(np.arange(3000) % 7 % len(form.question))
        boxes[form.question.name].add_many(noisy, payloads=True)
    estimates_page(boxes.estimate(), poll.wording).to_html(place)
    return place


def keep(tab: Page, place: Path) -> None:
    """Write what a tab shows, small: a hundred colours are enough."""
    picture = Image.open(io.BytesIO(tab.screenshot()))
    picture.convert("RGB").quantize(100).save(place, optimize=True)
    tab.close()


def main(target: Path) -> None:
    """Take each picture at a phone's width, or a desk's."""
    with tempfile.TemporaryDirectory() as made, sync_playwright() as driver:
        page = Path(made) / "poll.html"
        poll = Poll.load(survey_file(Path(made)), collector="https://poll.example.org")
        poll.to_html(page)
        found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
        browser = driver.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        for name, scheme, language, review, size in PICTURES:
            tab = browser.new_page(viewport=size, color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
            tab.goto(page.as_uri())
            tab.wait_for_selector("body[data-ready]")
            tab.select_option("#language", language)
            tab.locator("[name=q0]").nth(2).check()
            if review:
                tab.check("[name=q1]")
                tab.check("#consent")
                tab.click("#ask button")
                tab.wait_for_selector("#review button.main")
            keep(tab, target / f"{name}.png")
        tab = browser.new_page(viewport=PHONE, color_scheme="light")  # type: ignore[arg-type]
        tab.goto(results(poll, Path(made) / "results.html").as_uri())
        keep(tab, target / "poll-results.png")
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
