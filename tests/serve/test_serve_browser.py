"""A person in a browser: the page comes from the collector, runs under its policy, and its response is counted."""

import json
import shutil
import urllib.request

import pytest
from serve_desk import small_survey
from test_serve_storm import serving

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [pytest.mark.deep, pytest.mark.xdist_group("browser")]


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_a_phone_answers_and_the_owner_sees_the_results(tmp_path):
    playwright = pytest.importorskip("playwright.sync_api")
    with serving(small_survey(), tmp_path) as (_, port), playwright.sync_playwright() as play:
        address, told = f"http://127.0.0.1:{port}/", []
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        credentials = {"username": "any", "password": "secret"}
        page = browser.new_context(viewport={"width": 390, "height": 844}, http_credentials=credentials).new_page()
        page.on("console", lambda message: told.append(message.text))
        page.on("pageerror", lambda error: told.append(str(error)))
        page.goto(address)
        page.wait_for_selector("body[data-ready]")
        page.locator("[name=q0]").last.check(force=True)
        page.locator("#ask button").last.click()
        page.locator("#review button.main").click()
        page.wait_for_selector("#done dl.left")
        page.goto(f"{address}results")
        assert "1 reports; 3 choices" in page.inner_text("body")
        browser.close()
        asked = urllib.request.Request(f"{address}results.json", headers={"Authorization": "Bearer secret"})
        with urllib.request.urlopen(asked) as answer:
            assert json.load(answer)["reports"] == 1
        assert told == []
