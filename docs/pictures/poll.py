"""Take pictures of a poll's page on a phone, in Chromium: `python docs/pictures/poll.py [FOLDER]`."""

from __future__ import annotations

import io
import shutil
import sys
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

from discreet.survey import Poll

SURVEY = Path(__file__).parents[1] / "poll.md"
PICTURES = (
    ("poll-ask", "light", "en", False),
    ("poll-review", "dark", "en", True),
    ("poll-arabic", "light", "ar", True),
)


def survey_file(folder: Path) -> Path:
    """Return the survey that the documentation shows, as a file."""
    text = SURVEY.read_text(encoding="utf-8").split('```toml title="town.toml"\n', 1)[1].split("```", 1)[0]
    place = folder / "town.toml"
    place.write_text(text, encoding="utf-8")
    return place


def main(target: Path) -> None:
    """Take each picture at a phone's width, and keep it small: a hundred colours are enough."""
    with tempfile.TemporaryDirectory() as made, sync_playwright() as driver:
        page = Path(made) / "poll.html"
        Poll.load(survey_file(Path(made)), collector="https://poll.example.org").to_html(page)
        found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
        browser = driver.chromium.launch(executable_path=found, args=["--no-sandbox", "--disable-gpu"])
        for name, scheme, language, review in PICTURES:
            size = {"width": 390, "height": 844}
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
            picture = Image.open(io.BytesIO(tab.screenshot()))
            picture.convert("RGB").quantize(100).save(target / f"{name}.png", optimize=True)
            tab.close()
        browser.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parent)
