"""A person with an invitation in a browser: it becomes a ticket, with which the response comes."""

import base64
import hashlib
import json
import shutil
import urllib.request
from contextlib import closing, contextmanager

import pytest
from serve_desk import small_survey
from test_serve_storm import serving

from discreet.serve import Calendar, SigningKey, invite, open_store, ticket_keys
from discreet.survey.tickets import ticket_about

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [
    pytest.mark.deep,
    pytest.mark.xdist_group("browser"),
    pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed"),
]


class Person:
    """A browser of one person, and all that it has sent."""

    def __init__(self, context, address):
        self.context, self.address, self.sent, self.told = context, address, [], []
        self.page = context.new_page()
        self.page.on("pageerror", lambda error: self.told.append(str(error)))
        self.page.on("request", self.note)

    def note(self, request):
        if request.method == "POST":
            self.sent.append((request.url.removeprefix(self.address), request.all_headers(), request.post_data_buffer))

    def open(self, code=None):
        self.page.goto("about:blank")
        self.page.goto(self.address if code is None else f"{self.address}#code={code}")
        self.page.wait_for_selector("body[data-ready]")

    def answer(self):
        self.page.locator("[name=q0]").last.check(force=True)
        self.page.locator("#ask button").last.click()
        self.page.wait_for_selector("#review button.main")

    def send(self):
        self.page.locator("#review button.main").click()
        self.page.wait_for_selector("#done h2:not(.working)")

    @property
    def heading(self):
        self.page.wait_for_selector("#done h2:not(.working)")
        return self.page.inner_text("#done h2")

    def paths(self):
        return [path for path, _, _ in self.sent]

    def kept(self):
        return self.page.evaluate("""() => new Promise((resolve) => {
            const asked = indexedDB.open("discreet-tickets", 1);
            asked.onupgradeneeded = () => asked.result.createObjectStore("kept");
            asked.onsuccess = () => {
                const all = asked.result.transaction("kept").objectStore("kept").count();
                all.onsuccess = () => (resolve(all.result), asked.result.close());
            };
        })""")


@contextmanager
def people(folder, number, wanted=2):
    """Serve a survey with blind invitations; give people in browsers of their own, and codes."""
    playwright = pytest.importorskip("playwright.sync_api")
    survey = small_survey()
    with closing(open_store(survey, folder / "reports")) as store:
        codes = invite(survey, store, wanted)
    words = ("--rate", "0", "--invitations", "blind")
    with serving(survey, folder, words=words) as (_, port), playwright.sync_playwright() as play:
        browser = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield [Person(browser.new_context(), f"http://127.0.0.1:{port}/") for _ in range(number)], codes
        browser.close()


def reports(person):
    asked = urllib.request.Request(f"{person.address}results.json", headers={"Authorization": "Bearer secret"})
    with urllib.request.urlopen(asked) as answer:
        return json.load(answer)["reports"] or 0


def test_a_person_answers_once_and_the_network_shows_nothing_that_joins_code_and_response(tmp_path):
    with people(tmp_path, 2) as ((ana, ben), (code, _)):
        ana.open(code)
        ana.answer()
        with closing(open_store(small_survey(), tmp_path / "reports")) as store:
            key = ticket_keys(store, Calendar())["null"].public
        assert key.fingerprint in ana.page.inner_text("#review")
        ana.send()
        assert ana.heading == "Thank you"
        assert ana.paths() == ["tickets", "reports"]
        (_, first, blinded), (_, second, body) = ana.sent
        assert first["discreet-invitation"] == code
        assert "discreet-invitation" not in second
        assert "discreet-once" not in first
        assert "cookie" not in first | second
        ticket = base64.b64decode(second["discreet-ticket"])
        assert key.opened(ticket, ticket_about(small_survey().tag, None)) == ticket[:32]
        assert ticket[:32] not in blinded
        assert hashlib.sha256(blinded).digest() not in ticket
        assert len(body) == 20
        assert code not in ana.page.url
        assert reports(ana) == 1
        assert ana.kept() == 0
        ben.open(code)
        assert ben.heading.startswith("This invitation has been used already")
        assert ben.paths() == ["tickets"]
        ana.open()
        assert ana.heading.startswith("This survey needs an invitation")
        assert reports(ana) == 1
        assert ana.told == ben.told == []


def test_a_reload_between_the_ticket_and_the_response_loses_nothing(tmp_path):
    with people(tmp_path, 1) as ((ana,), (code, other)):
        ana.open(code)
        ana.answer()
        ana.page.reload()
        ana.page.wait_for_selector("body[data-ready]")
        ana.answer()
        ana.send()
        assert ana.heading == "Thank you"
        assert ana.paths() == ["tickets", "reports"]
        ana.open(other)  # The next person, on the same device.
        ana.answer()
        ana.send()
        assert ana.heading == "Thank you"
        assert reports(ana) == 2
        assert ana.told == []


def test_two_pages_of_one_browser_have_one_ticket(tmp_path):
    with people(tmp_path, 1) as ((ana,), (code, _)):
        other = Person(ana.context, ana.address)
        ana.page.route("**/tickets", lambda route: None)  # It hangs, so that both have asked before either has heard.
        ana.open(code)
        other.open(code)
        other.answer()
        other.send()
        assert other.heading == "Thank you"
        requests = [data for path, _, data in ana.sent + other.sent if path == "tickets"]
        assert len(requests) == 2
        assert len(set(requests)) == 1
        assert reports(ana) == 1


def test_the_second_of_two_pages_with_one_ticket_is_told_why_and_leaves_nothing_behind(tmp_path):
    with people(tmp_path, 1) as ((ana,), (code, _)):
        other = Person(ana.context, ana.address)
        for page in (ana, other):
            page.open(code)
            page.answer()
        ana.send()
        assert ana.heading == "Thank you"
        other.send()
        assert "needs an invitation that has not been used" in other.heading
        assert other.page.locator("textarea").count() == 0
        assert other.kept() == 0
        assert reports(ana) == 1
        assert ana.told == other.told == []


@pytest.mark.parametrize(
    ("status", "said"),
    [(410, "This survey is over"), (403, "This invitation has been used already"), (404, "The server did not sign")],
)
def test_what_refuses_an_invitation_is_told(tmp_path, status, said):
    with people(tmp_path, 1) as ((ana,), (code, _)):
        ana.page.route("**/tickets", lambda route: route.fulfill(status=status))
        ana.open(code)
        assert ana.heading.startswith(said)
        ana.page.unroute("**/tickets")
        ana.open(code)
        ana.answer()
        ana.send()
        assert ana.heading == "Thank you"
        assert reports(ana) == 1


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_a_server_that_is_busy_is_asked_again_with_the_same_request(tmp_path, status):
    with people(tmp_path, 1) as ((ana,), (code, _)):
        ana.page.route("**/tickets", lambda route: route.fulfill(status=status))
        ana.open(code)
        ana.answer()
        ana.page.locator("#review button.main").click()
        ana.page.wait_for_selector("#review .failed")
        ana.page.unroute("**/tickets")
        ana.send()
        assert ana.heading == "Thank you"
        assert len({data for path, _, data in ana.sent if path == "tickets"}) == 1
        assert ana.kept() == 0


def test_lost_answers_of_the_server_cost_nobody_their_vote(tmp_path):
    """Neither the signature arrives nor, later, what acknowledges the response; each time the page is opened anew."""
    with people(tmp_path, 1) as ((ana,), (code, _)):
        lost = lambda route: (route.fetch(), route.abort())  # noqa: E731
        ana.page.route("**/tickets", lost)
        ana.open(code)
        ana.answer()
        ana.page.locator("#review button.main").click()
        ana.page.wait_for_selector("#review .failed")
        assert reports(ana) == 0
        ana.page.unroute("**/tickets")
        ana.open()
        ana.answer()
        ana.page.route("**/reports", lost)
        ana.send()
        assert ana.heading == "Your code"
        assert reports(ana) == 1
        drawn = ana.page.input_value("textarea.code")
        ana.page.unroute("**/reports")
        ana.open()
        assert ana.heading == "Your code"
        assert ana.page.input_value("textarea.code") == drawn
        ana.page.get_by_role("button", name="Try again").click()
        ana.page.wait_for_selector("#done dl.left")
        assert reports(ana) == 1
        assert ana.kept() == 0
        requests = [data for path, _, data in ana.sent if path == "tickets"]
        assert len(requests) > 1
        assert len(set(requests)) == 1
        responses = [(head["discreet-once"], data) for path, head, data in ana.sent if path == "reports"]
        assert len(responses) == 2
        assert len(set(responses)) == 1


def test_a_server_that_signs_by_another_key_gets_no_response(tmp_path):
    other = SigningKey.made()
    with people(tmp_path, 1) as ((ana,), (code, _)):

        def marked(route):
            blinded = route.request.post_data_buffer
            body = other.sign(blinded) if other.public.takes(blinded) else bytes(384)
            route.fulfill(status=200, body=body, content_type="application/octet-stream")

        ana.page.route("**/tickets", marked)
        ana.open(code)
        assert ana.heading.startswith("The server did not sign with the key of this page")
        assert ana.paths() == ["tickets"]
        assert reports(ana) == 0
