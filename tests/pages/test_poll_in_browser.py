"""The page of a poll in Chromium: on a phone and on a desk, with and without a network, by hand and by keys."""

import contextlib
import http.server
import json
import random
import shutil
import threading
from pathlib import Path

import numpy as np
import pytest

from discreet.survey import Asking, Boxes, Poll, Question, Survey, TextQuestion, Wording
from discreet.survey.gathering import Gatherer

ROOT = Path(__file__).parents[2]
AXE = ROOT / "js" / "node_modules" / "axe-core" / "axe.min.js"
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
pytestmark = [pytest.mark.deep, pytest.mark.xdist_group("browser")]
COINS = random.Random(23).randbytes(1 << 14)
COINED = """(() => {
  const bytes = Uint8Array.from("%s".match(/../g), (pair) => parseInt(pair, 16));
  let at = 0;
  crypto.getRandomValues = (data) => (data.set(bytes.subarray(at, (at += data.length))), data);
})()"""
ANSWERS = {"smokes": "daily", "bike": True, "bus": False, "age": 24, "town": "town 7", "word": "bread"}


def asked():
    questions = [
        Question("smokes", ["never", "sometimes", "daily"], missing="no answer"),
        Question("bike", [False, True]),
        Question("bus", [False, True]),
        Question("age", range(18, 40), missing="?"),
        Question("town", [f"town {i}" for i in range(12)]),
        TextQuestion("word", length=32, hashes=2, cohorts=8),
    ]
    return Survey(questions, epsilon=6)


def wording():
    both = {"en": "Life in our town", "de": "Leben in der Stadt", "ar": "الحياة في مدينتنا"}
    group = {"en": "How do you travel?", "de": "Wie reisen Sie?", "ar": "كيف تسافر؟"}
    text = {"en": "By bicycle", "de": "Mit dem Rad", "ar": "بالدراجة"}
    bus = {"en": "By bus", "de": "Mit dem Bus", "ar": "بالحافلة"}
    questions = {"bike": Asking(text, group=group), "bus": Asking(bus, group=group), "smokes": Asking("Do you smoke?")}
    return Wording(title=both, sponsor="The town asks.", consent="I agree.", questions=questions)


class Scripted:
    """Coins that are written down."""

    def __init__(self, data):
        self.data = data

    def _take(self, n):
        taken, self.data = self.data[:n], self.data[n:]
        return taken

    def words(self, n):
        return np.frombuffer(self._take(8 * n), "<u8").astype(np.uint64)

    def bits(self, n):
        return int.from_bytes(self._take((n + 7) >> 3), "big") >> (-n & 7)


class Server:
    """A collector that keeps what it is sent, and serves a page."""

    def __init__(self):
        self.page, self.sent, self.seen, self.status = "", [], [], 204

    @contextlib.contextmanager
    def running(self):
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                outer.seen.append(("GET", self.path, dict(self.headers)))
                self.send_response(200 if self.path == "/" else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(outer.page.encode())

            def do_POST(self):
                outer.seen.append(("POST", self.path, dict(self.headers)))
                outer.sent.append(self.rfile.read(int(self.headers["Content-Length"])))
                self.send_response(outer.status)
                self.end_headers()

            def log_message(self, *_):
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self.address = f"http://127.0.0.1:{server.server_address[1]}"
            yield self
            server.shutdown()


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="no browser tests: playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no browser, so the page of a poll is not opened: chromium is not installed")
    with playwright.sync_playwright() as driver:
        found = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield found
        found.close()


@pytest.fixture
def server():
    with Server().running() as found:
        yield found


@contextlib.contextmanager
def opened(browser, server, *, width=390, fragment="", coins=None, page=None, context=None, **more):
    """Open the page; whatever the console says, and what is requested, is kept."""
    context = context or browser.new_context(viewport={"width": width, "height": 844}, **more)
    tab = context.new_page()
    tab.said, tab.asked = [], []
    tab.on("console", lambda message: tab.said.append(message.text))
    tab.on("pageerror", lambda error: tab.said.append(str(error)))
    tab.on("request", lambda request: tab.asked.append((request.method, request.url)))
    if coins is not None:
        tab.add_init_script(COINED % coins.hex())
    server.page = page if page is not None else server.page
    tab.goto(f"{server.address}/{fragment}")
    yield tab
    tab.close()


def fill(tab):
    tab.wait_for_selector("body[data-ready]")
    tab.locator("[name=q0]").nth(2).check()
    tab.check("[name=q1]")
    tab.fill("[name=q3]", "24")
    tab.select_option("[name=q4]", "7")
    tab.fill("[name=q5]", " bread ")
    tab.check("#consent")


def confirm(tab):
    tab.click("#ask button")
    tab.wait_for_selector("#review button.main")
    tab.click("#review button.main")
    tab.wait_for_selector("#done dl, #done textarea")


def expected(coins, monkeypatch, secret=None):
    script = Scripted(coins)
    for module in ("clients", "texts"):
        monkeypatch.setattr(f"discreet.survey.{module}.SYSTEM", script)
    return asked().client(secret=secret).report(ANSWERS).to_bytes()


def kept(tab):
    """Return what IndexedDB has."""
    return tab.evaluate("""() => new Promise((resolve) => {
      const asked = indexedDB.open("discreet", 1);
      asked.onsuccess = () => {
        const got = asked.result.transaction("kept").objectStore("kept").getAll();
        got.onsuccess = () => resolve(got.result.map(({ secret, ...rest }) => ({ secret: [...secret], ...rest })));
      };
    })""")


def forgotten(tab):
    """Whether no control, address or store has an answer any more."""
    values = tab.evaluate("""() => [...document.querySelectorAll("#ask input")].map((i) =>
      i.type === "checkbox" || i.type === "radio" ? i.checked : i.value)""")
    stores = tab.evaluate("() => [localStorage.length, sessionStorage.length, document.cookie, location.hash]")
    chosen = tab.evaluate("() => [...document.querySelectorAll('#ask select')].map((each) => each.value)")
    return not any(values) and not any(chosen) and stores == [0, 0, "", ""] and "bread" not in tab.content()


@pytest.mark.parametrize("width", [390, 1200])
def test_what_is_sent_are_the_bytes_of_the_python_client_and_nothing_else_is_requested(
    browser, server, width, monkeypatch
):
    server.page = Poll(asked(), wording(), collector=server.address, memory=False).to_html()
    with opened(browser, server, width=width, coins=COINS) as tab:
        fill(tab)
        confirm(tab)
        assert server.sent == [expected(COINS, monkeypatch)]
        assert tab.asked == [("GET", f"{server.address}/"), ("POST", f"{server.address}/reports")]
        assert forgotten(tab)
        assert tab.locator("#done h2").text_content() == "Thank you"
        assert tab.said == []
        assert tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    headers = server.seen[-1][2]
    assert headers["Content-Type"] == "application/octet-stream"
    assert not {"Cookie", "Referer", "Discreet-Invitation"} & set(headers)
    boxes = asked().collector()
    boxes.add(server.sent[0])
    assert {box.n for box in boxes.values()} == {1}


def test_the_invitation_goes_along_in_a_header_and_leaves_the_address(browser, server):
    server.page = Poll(asked(), wording(), collector="self").to_html()
    with opened(browser, server, fragment="#code=abc-123") as tab:
        fill(tab)
        assert "#" not in tab.url
        tab.click("#ask button")
        tab.wait_for_selector("#review button.main")
        assert "invitation" in tab.locator("#review").inner_text()
        tab.click("#review button.main")
        tab.wait_for_selector("#done dl, #done textarea")
    assert [path for _, path, _ in server.seen] == ["/", "/reports"]
    assert server.seen[-1][2]["Discreet-Invitation"] == "abc-123"
    assert "code" not in str(server.seen[0])


@pytest.mark.parametrize("broken", ["offline", 503, 408])
def test_without_a_network_there_is_a_code_with_the_same_bytes(browser, server, broken):
    zxing = pytest.importorskip("zxingcpp", reason="QR codes are not read again: zxing-cpp is not installed")
    server.page = Poll(asked(), wording(), collector=server.address).to_html()
    with opened(browser, server, device_scale_factor=2) as tab:
        fill(tab)
        server.status = 204 if broken == "offline" else broken
        tab.context.set_offline(broken == "offline")
        confirm(tab)
        code = tab.locator("textarea").input_value()
        drawn = Gatherer(asked().forms).response(code).to_bytes()
        assert "could not be sent" in tab.locator("#done").inner_text()
        assert forgotten(tab)
        image = tab.locator("svg.qr").screenshot()
        pixels = tab.evaluate(PIXELS, list(image))
        grey = np.array(pixels["data"], np.uint8).reshape(pixels["height"], pixels["width"])
        assert [each.text for each in zxing.read_barcodes(grey)] == [code]
        tab.context.set_offline(False)
        server.status = 204
        tried = [headers["Discreet-Once"] for method, _, headers in server.seen if method == "POST"]
        server.sent.clear()
        tab.click("#done button.main")
        tab.wait_for_function("() => document.querySelector('#done h2').textContent === 'Thank you'")
        assert server.sent == [drawn]
        once = server.seen[-1][2]["Discreet-Once"]
        assert tried in ([], [once])
        assert len(bytes.fromhex(once)) == 16


@pytest.mark.parametrize(
    ("status", "why", "later"),
    [
        (403, "needs an invitation that has not been used", True),
        (410, "is over", False),
        (413, "longer than is allowed", False),
        (429, "wait a minute", True),
        (400, "does not fit the survey there", False),
    ],
)
def test_a_refusal_names_its_reason_and_offers_no_code_that_would_pass_it_by(browser, server, status, why, later):
    server.page = Poll(asked(), wording(), collector=server.address).to_html()
    with opened(browser, server) as tab:
        fill(tab)
        server.status = status
        tab.click("#ask button")
        tab.click("#review button.main")
        tab.wait_for_selector("#done h2:not(.working)")
        assert why in tab.locator("#done h2").inner_text()
        assert tab.locator("#done textarea, #done svg").count() == 0
        assert tab.locator("#done button").count() == later
        assert forgotten(tab)
        if later:
            (refused,) = server.sent
            server.status = 204
            tab.click("#done button.main")
            tab.wait_for_function("() => document.querySelector('#done h2').textContent === 'Thank you'")
            assert server.sent == [refused, refused]
            posts = [headers["Discreet-Once"] for method, _, headers in server.seen if method == "POST"]
            assert len(set(posts)) == 1


def test_the_arrow_points_where_people_read(browser, server):
    server.page = Poll(asked(), wording(), collector="self").to_html()
    turned = "() => [...document.querySelectorAll('.how svg')].map((icon) => getComputedStyle(icon).transform)"
    with opened(browser, server) as tab:
        tab.wait_for_selector("body[data-ready]")
        assert tab.evaluate(turned) == ["none"] * 3
        tab.select_option("#language", "ar")
        assert tab.evaluate(turned) == ["none", "none", "matrix(-1, 0, 0, 1, 0, 0)"]


PIXELS = """async (bytes) => {
  const bitmap = await createImageBitmap(new Blob([Uint8Array.from(bytes)], { type: "image/png" }));
  const { width, height } = bitmap;
  const pen = new OffscreenCanvas(width, height).getContext("2d");
  pen.drawImage(bitmap, 0, 0);
  const { data } = pen.getImageData(0, 0, width, height);
  return { width, height, data: Array.from({ length: width * height }, (_, i) => data[4 * i]) };
}"""


def test_without_a_collector_nothing_is_ever_sent(browser, server, tmp_path):
    server.page = Poll(asked(), wording()).to_html()
    with opened(browser, server) as tab:
        fill(tab)
        confirm(tab)
        (tmp_path / "codes.txt").write_text(tab.locator("textarea").input_value() + "\n")
        assert tab.asked == [("GET", f"{server.address}/")]
        assert forgotten(tab)
    boxes = asked().collect([tmp_path / "codes.txt"])
    assert isinstance(boxes, Boxes)
    assert {box.n for box in boxes.values()} == {1}


def test_the_page_opens_from_a_file(browser, server, tmp_path):
    Poll(asked(), wording()).to_html(tmp_path / "poll.html")
    tab = browser.new_page()
    tab.goto((tmp_path / "poll.html").as_uri())
    fill(tab)
    confirm(tab)
    assert Gatherer(asked().forms).response(tab.locator("textarea").input_value())
    tab.close()


def test_a_person_answers_with_keys_alone(browser, server, monkeypatch):
    server.page = Poll(asked(), wording(), collector=server.address, memory=False).to_html()
    with opened(browser, server, width=1200, coins=COINS) as tab:
        tab.wait_for_selector("body[data-ready]")
        press = tab.keyboard.press
        for key in ("Tab", "Tab", "ArrowDown", "ArrowDown"):  # The language; then the first question.
            press(key)
        assert tab.evaluate("() => document.activeElement.name") == "q0"
        for key in ("Tab", "Space", "Tab", "Tab"):
            press(key)
        tab.keyboard.type("24")
        press("Tab")
        tab.keyboard.type("town 7")
        press("Tab")
        tab.keyboard.type("bread")
        for key in ("Tab", "Space", "Tab", "Enter"):
            press(key)
        tab.wait_for_selector("#review h2")
        assert tab.evaluate("() => document.activeElement.tagName") == "H2"
        press("Tab")
        press("Enter")
        tab.wait_for_selector("#done dl, #done textarea")
        assert tab.evaluate("() => document.activeElement.textContent") == "Thank you"
    assert server.sent == [expected(COINS, monkeypatch)]


def test_what_is_left_out_is_asked_for_or_is_the_missing_choice(browser, server, monkeypatch):
    server.page = Poll(asked(), wording(), collector=server.address, memory=False).to_html()
    with opened(browser, server, coins=COINS) as tab:
        tab.wait_for_selector("body[data-ready]")
        tab.click("#ask button")
        assert tab.locator(".error:visible").count() == 2  # The town, which has no missing choice; and consent.
        assert tab.evaluate("() => document.activeElement.name") == "q4"
        tab.fill("[name=q3]", "17")
        tab.select_option("[name=q4]", "7")
        tab.check("#consent")
        tab.click("#ask button")
        assert tab.evaluate("() => document.activeElement.name") == "q3"
        tab.fill("[name=q3]", "")
        confirm(tab)
        assert tab.said == []
    script = Scripted(COINS)
    for module in ("clients", "texts"):
        monkeypatch.setattr(f"discreet.survey.{module}.SYSTEM", script)
    answers = {"bike": False, "bus": False, "town": "town 7", "word": ""}
    assert server.sent == [asked().client().report(answers).to_bytes()]


def test_memory_survives_a_reload_and_has_no_answer(browser, server, monkeypatch):
    server.page = Poll(asked(), wording(), collector=server.address).to_html()
    context = browser.new_context(viewport={"width": 390, "height": 844})
    with opened(browser, server, context=context) as tab:
        fill(tab)
        confirm(tab)
        [first] = kept(tab)
        tab.reload()
        fill(tab)
        confirm(tab)
        [again] = kept(tab)
        assert server.sent[0] == server.sent[1]
        assert again["secret"] == first["secret"]
        assert set(first) == {"secret", "spent", "marks"}
        assert first["marks"] == again["marks"] == []  # The secret is beside them: trying each answer would tell it.
        loss = asked().privacy_map(1)
        assert loss <= first["spent"] <= loss * (1 + 1e-12)
        assert expected(b"", monkeypatch, bytes(first["secret"])) == server.sent[0]
        tab.reload()
        fill(tab)
        tab.select_option("[name=q4]", "8")
        tab.click("#ask button")
        tab.wait_for_selector("#review button.main")
        assert "epsilon 12.0" in tab.locator("#review").inner_text()
        tab.click("#review button.main")
        tab.wait_for_selector("#done dl, #done textarea")
        [third] = kept(tab)
        assert 3 * loss <= third["spent"] <= 3 * loss * (1 + 1e-12)
        assert third["marks"] == []
    context.close()


def test_a_damaged_memory_is_not_replaced(browser, server):
    server.page = Poll(asked(), wording(), collector=server.address).to_html()
    context = browser.new_context()
    with opened(browser, server, context=context) as tab:
        fill(tab)
        confirm(tab)
        tab.evaluate("""() => new Promise((resolve) => {
          const asked = indexedDB.open("discreet", 1);
          asked.onsuccess = () => {
            const all = asked.result.transaction("kept", "readwrite");
            all.objectStore("kept").put({ secret: new Uint8Array(5), spent: 1, marks: [] }, 0);
            all.oncomplete = resolve;
          };
        })""")
        tab.reload()
        fill(tab)
        tab.click("#ask button")
        tab.wait_for_selector("#review button.main")
        assert "This browser keeps nothing" in tab.locator("#review").inner_text()
        assert kept(tab)[0]["secret"] == [0, 0, 0, 0, 0]
    context.close()


def tampered(change):
    page = Poll(asked(), wording(), collector="self").to_html()
    start = page.index('id="poll">') + len('id="poll">')
    end = page.index("</script>", start)
    facts = json.loads(page[start:end])
    change(facts)
    return page[:start] + json.dumps(facts) + page[end:]


NAKED = {"epsilon": 100, "questions": [{"name": "smokes", "choices": ["no", "yes"]}]}


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda f: f.update(digest="00" * 32), id="another digest"),
        pytest.param(lambda f: f["survey"]["forms"].reverse(), id="another order"),
        pytest.param(lambda f: f["survey"]["forms"].pop(), id="a question less"),
        pytest.param(lambda f: f["survey"]["forms"][0]["question"].update(name="drinks"), id="another name"),
        pytest.param(lambda f: f["survey"].update(survey="00" * 32), id="a digest that does not fit"),
        pytest.param(
            lambda f: f.update(
                survey=json.loads(Survey.from_dict(NAKED).to_json()), digest=Survey.from_dict(NAKED).digest.hex()
            ),
            id="epsilon 100, with the digest that fits",
        ),
    ],
)
def test_a_page_that_was_changed_asks_nothing(browser, server, change):
    with opened(browser, server, page=tampered(change)) as tab:
        tab.wait_for_selector("#done h2")
        assert "Nothing was asked" in tab.locator("#done").inner_text()
        assert tab.locator("#ask input").count() == 0
        assert server.sent == []


def test_a_changed_script_does_not_run(browser, server):
    page = Poll(asked(), wording(), collector="self").to_html().replace('"use strict";', '"use strict";"evil";')
    with opened(browser, server, page=page) as tab:
        tab.wait_for_timeout(300)
        assert tab.locator("body[data-ready]").count() == 0
        assert any("Content Security Policy" in said for said in tab.said)


def test_the_page_connects_to_nobody_else(browser, server):
    server.page = Poll(asked(), wording(), collector="https://poll.example.org").to_html()
    with opened(browser, server) as tab:
        tab.wait_for_selector("body[data-ready]")
        failed = tab.evaluate("() => fetch('/elsewhere', { method: 'POST', body: 'x' }).then(() => false, () => true)")
        assert failed
    assert [path for _, path, _ in server.seen] == ["/"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "de", "ar"])
def test_axe_finds_nothing(browser, server, scheme, language):
    if not AXE.exists():
        pytest.skip("axe is not asked: npm has not installed axe-core in js/")
    server.page = Poll(asked(), wording()).to_html()
    with opened(browser, server, color_scheme=scheme, reduced_motion="reduce") as tab:
        tab.wait_for_selector("body[data-ready]")
        tab.select_option("#language", language)
        tab.evaluate(AXE.read_text(encoding="utf-8"))
        check = "() => axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))"
        assert tab.evaluate(check) == []
        tab.click("#ask button")
        assert tab.evaluate(check) == []
        fill(tab)
        tab.click("#ask button")
        tab.wait_for_selector("#review button.main")
        assert tab.evaluate(check) == []
        tab.click("#review button.main")
        tab.wait_for_selector("#done dl, #done textarea")
        assert tab.evaluate(check) == []
        assert tab.evaluate("() => document.documentElement.dir") == ("rtl" if language == "ar" else "ltr")
        assert tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_motion_is_reduced_where_it_is_asked(browser, server):
    server.page = Poll(asked(), wording()).to_html()
    for motion, names in (("reduce", {"none"}), ("no-preference", {"melt"})):
        with opened(browser, server, reduced_motion=motion) as tab:
            fill(tab)
            tab.click("#ask button")
            tab.wait_for_selector("#review .bars i")
            names_of = "(all) => all.map((each) => getComputedStyle(each).animationName)"
            found = tab.locator(".bars i").evaluate_all(names_of)
            assert set(found) == names
