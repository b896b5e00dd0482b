"""The JavaScript client beside the Python one: the same forms, answers and coins give the same bytes and figures."""

import contextlib
import functools
import http.server
import json
import math
import random
import shutil
import subprocess
import threading
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import tiers

from discreet import (
    LongitudinalRappor,
    OptimizedUnary,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    SubsetSelection,
)
from discreet.errors import DiscreetError
from discreet.survey import Question, Survey, TextQuestion
from discreet.survey.forms import form_of

ROOT = Path(__file__).parents[2]
PROGRAM = ROOT / "tests" / "helpers" / "javascript_answers.mjs"
NODE = shutil.which("node")
TEXTS = [
    "",
    "never",
    "daily",
    "naïve ☃",
    "\x00\x1f\x7f\x80",
    '"\\/\b\f\n\r\t',
    "\U0001f600",
    "\u2028",
    "\ufeff",
    "a" * 200,
    "\U0001d800\U0002d800",
    "\ud800",
    "x\udfff y",
]
FLOATS = [5e-324, 2.0**-60, 1e-9, 0.1, 0.5, 1 - 2.0**-53]

pytestmark = pytest.mark.skipif(NODE is None, reason="node is not installed")


class Scripted:
    """Coins that are written down, as bytes; they run out with an error."""

    def __init__(self, data):
        self.data = data

    def _take(self, n):
        assert n <= len(self.data)
        taken, self.data = self.data[:n], self.data[n:]
        return taken

    def words(self, n):
        return np.frombuffer(self._take(8 * n), "<u8").astype(np.uint64)

    def bits(self, n):
        return int.from_bytes(self._take((n + 7) >> 3), "big") >> (-n & 7)


def share(rng, low=Fraction(0), high=Fraction(1)):
    """Return a number between two: often one of the ends, a simple one, or one that a float is close to."""
    kind = rng.randrange(5)
    if kind == 0:
        part = Fraction(rng.choice(FLOATS))
    elif kind == 1:
        part = Fraction(rng.randrange(1 << 60), 1 << 60)
    elif kind == 2:
        part = Fraction(rng.randrange(0, 257), 256)
    else:
        part = Fraction(rng.randrange(0, 12), 12)
    return low + (high - low) * part


def choices(rng):
    k = 300 if rng.random() < 0.02 else rng.choice([2, 2, 3, 3, 5, 8, 9, 17, 65])
    values = [*TEXTS, *range(-3, 300), True, False, 2**53 - 1, 1 - 2**53]
    return rng.sample(values, k)


def made_form(rng):
    """Return a form of any kind, as plain values, and an answer to it."""
    kind = rng.randrange(7)
    if kind == 0:
        return Question("yes?", [False, True]).form(
            RandomizedResponseBool(prob=share(rng, Fraction(1, 2)))
        ), rng.random() < 0.5
    if kind == 1:
        q = TextQuestion(
            rng.choice(TEXTS[1:4]),
            length=(n := rng.choice([1, 7, 8, 64, 130])),
            hashes=(h := rng.randrange(1, min(n, 4) + 1)),
            cohorts=rng.choice([1, 2, 300, 65536]),
            key=rng.randbytes(rng.choice([0, 1, 64])),
        )
        f = share(rng) or Fraction(1)
        return q.form(Rappor(length=n, max_weight=rng.randrange(h, n + 1), f=f)), rng.choice(TEXTS) * rng.choice(
            [1, 40]
        )
    listed = choices(rng)
    missing = rng.choice([None, "no answer"])
    q = Question(rng.choice(TEXTS[1:4]), listed, missing)
    k = len(q)
    answer = rng.choice([*listed, *([] if missing is None else [missing, None])])
    if kind == 2:
        return q.form(RandomizedResponse(categories=q.categories, prob=share(rng, Fraction(1, k)))), answer
    if kind == 3:
        d = rng.randrange(1, k)
        return q.form(SubsetSelection(categories=q.categories, size=d, prob=share(rng, Fraction(d, k)))), answer
    if kind == 4:
        p = share(rng) or Fraction(1, 3)
        p = p if p < 1 else Fraction(1, 2)
        return q.form(OptimizedUnary(length=k, p=p, q=share(rng, high=p) or p)), answer
    f = share(rng) or Fraction(1)
    if kind == 5:
        return q.form(Rappor(length=k, max_weight=1, f=f)), answer
    p = share(rng)
    p = p if p < 1 else Fraction(0)
    q_ = share(rng, p)
    return q.form(LongitudinalRappor(length=k, max_weight=1, f=f, p=p, q=q_ if q_ > p else Fraction(1))), answer


def coins_near(rng, form, n):
    """Return bytes for coins: fair ones, and now and then those of a number next to one that they are compared with."""
    mechanism = form.mechanism
    near = [getattr(mechanism, name) for name in ("prob", "p", "q") if hasattr(mechanism, name)]
    if hasattr(mechanism, "f"):
        near.append(mechanism.f / 2)
    if hasattr(mechanism, "categories"):
        near += [Fraction(i, n) for n in (len(mechanism.categories), len(mechanism.categories) - 1) for i in (0, 1, n)]
    data = b""
    while len(data) < n:
        if rng.random() < 0.5:
            data += rng.randbytes(rng.choice([1, 8, 16, 64]))
        else:
            x, size = rng.choice(near), rng.choice([1, 8, 16]) if data else 8
            whole = min(max(int(x * 256**size) + rng.choice([-1, 0, 0, 1]), 0), 256**size - 1)
            data += whole.to_bytes(size, rng.choice(["big", "little"]) if data else "big")
    return data[:n]


def answers(asked):
    """Return what the JavaScript client says to each of the questions."""
    lines = "".join(json.dumps(case) + "\n" for case in asked)
    ran = subprocess.run([NODE, PROGRAM], check=False, input=lines, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr[-2000:]
    return [json.loads(line) for line in ran.stdout.splitlines()]


def python_says(form, answer, coins, fresh, secret, monkeypatch):
    """Return what the Python client makes of the same."""
    told = {"digest": form.digest.hex()}
    loss = form.mechanism.loss_for_ever() if form.oracle.lasting else form.mechanism.loss(1)
    told["epsilon"] = form.mechanism.output_measure.up(loss)
    if isinstance(form.question, Question):
        script, place = Scripted(coins), int(form.question.places([answer])[0])
        if form.oracle.lasting:
            monkeypatch.setattr("discreet.survey.oracles.longitudinal_rappor.SYSTEM", Scripted(fresh))
            told["bits"] = form.oracle.reply(np.arange(len(form.question)) == place, script).tolist()
        else:
            told["payload"] = form.oracle.draw(place, script).tobytes().hex()
        told["left"] = len(script.data)
    if not form.oracle.lasting:
        client = form.question.client(form.mechanism, secret=secret, most=float("inf"))
        told["permanent"] = client.report(answer).to_bytes().hex()
    return told


def test_the_same_form_answer_and_coins_give_the_same_bytes_in_both_languages(monkeypatch):
    rng = random.Random(17)
    asked, wanted = [], []
    for _ in range(tiers.cases(200, 10_000)):
        form, answer = made_form(rng)
        coins, fresh = (coins_near(rng, form, 400 + 60 * form.oracle.size) for _ in range(2))
        secret = rng.randbytes(rng.choice([16, 32, 100]))
        plain = {"coins": coins.hex(), "fresh": fresh.hex(), "secret": secret.hex()}
        asked.append({"form": form.to_dict(), "answer": answer, **plain})
        wanted.append(python_says(form, answer, coins, fresh, secret, monkeypatch))
    for case, want, got in zip(asked, wanted, answers(asked), strict=True):
        got["epsilon"] = float(got.get("epsilon", "nan"))
        assert got == want, case["form"]


def made_survey(rng):
    """Return a survey of a few forms of any kind, with answers to them; what is missing may be left out."""
    forms, answers_ = [], {}
    for i in range(rng.choice([1, 2, 2, 3, 5])):
        form, answer = made_form(rng)
        data = form.to_dict()
        data["question"]["name"] = f"{i} {form.question.name}"
        forms.append(form_of(data))
        if answer is not None or rng.random() < 0.5:
            answers_[forms[-1].question.name] = answer
    return Survey.of(forms), answers_


def test_the_same_survey_answers_and_coins_give_the_same_bytes_in_both_languages(monkeypatch):
    rng = random.Random(19)
    asked, wanted = [], []
    for _ in range(tiers.cases(60, 1000)):
        survey, said = made_survey(rng)
        lasting = any(form.oracle.lasting for form in survey.forms)
        secret = rng.randbytes(32) if lasting or rng.random() < 0.3 else None
        coins = b"".join(coins_near(rng, form, 500 + 150 * form.oracle.size) for form in survey.forms)
        script = Scripted(coins)
        for module in ("clients", "texts", "oracles.longitudinal_rappor"):
            monkeypatch.setattr(f"discreet.survey.{module}.SYSTEM", script)
        client = survey.client(secret=secret, most=math.inf)
        response = client.report(said)
        told = {"digest": survey.digest.hex(), "epsilon": client.privacy_map_of(1 if secret is None else None)}
        told |= {"bytes": response.to_bytes().hex(), "json": response.to_json(), "code": response.to_code()}
        wanted.append(told | {"left": len(script.data)})
        file = json.loads(survey.to_json())
        asked.append({"survey": file, "answers": said, "coins": coins.hex(), "secret": secret and secret.hex()})
    for case, want, got in zip(asked, wanted, answers(asked), strict=True):
        got["epsilon"] = float(got.get("epsilon", "nan"))
        assert got == want, case["survey"]


IN_BROWSER = """async (forms) => {
  const { Client, Form } = await import("/index.js");
  const hex = (data) => Array.from(data, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const bytes = (text) => Uint8Array.from(text.match(/../g), (pair) => parseInt(pair, 16));
  const all = [];
  for (const { form: data, permanent } of forms) {
    const form = await Form.of(data);
    const payloads = [];
    for (const { secret, answer, payload } of permanent) {
      const client = new Client(form, { secret: bytes(secret), most: Infinity });
      const report = await client.report(answer);
      payloads.push(payload === undefined ? null : hex(report.payload));
    }
    all.push([hex(form.digest), payloads]);
  }
  return all;
}"""


@contextlib.contextmanager
def serving(folder):
    """Serve a folder on a free port of this machine."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


REFUSED = [
    ("a choice that JavaScript cannot hold", {"choices": [0, 2**53]}, {}),
    ("choices that are the same", {"choices": ["a", "a"]}, {}),
    ("one choice", {"choices": ["a"]}, {}),
    ("a blank name", {"name": " "}, {}),
    ("more truth than there is", {}, {"prob": "9/8"}),
    ("less truth than by chance", {}, {"prob": "1/4"}),
    ("another mechanism", {}, {"name": "Laplace"}),
    ("a decimal that is no whole number", {}, {"name": "SubsetSelection", "size": "1.5"}),
]


@pytest.mark.parametrize(("question", "mechanism"), [pytest.param(*case[1:], id=case[0]) for case in REFUSED])
def test_what_is_refused_is_refused_in_both_languages(question, mechanism):
    form = {
        "question": {"name": "smokes", "choices": ["never", "sometimes", "daily"], "missing": None, **question},
        "mechanism": {"name": "RandomizedResponse", "prob": "3/4", **mechanism},
    }
    with pytest.raises(DiscreetError):
        form_of(form)
    [said] = answers([{"form": form, "answer": "never", "coins": "", "fresh": "", "secret": "00" * 16}])
    assert list(said) == ["refused"]


def test_an_answer_that_is_no_choice_is_refused_and_not_shown():
    form = Question("smokes", ["never", "daily"]).form(RandomizedResponse(categories=["never", "daily"], prob="3/4"))
    case = {"form": form.to_dict(), "answer": "seldom", "coins": "", "fresh": "", "secret": "00" * 16}
    [said] = answers([case])
    assert "seldom" not in said["refused"]
    assert "smokes" in said["refused"]


@pytest.mark.deep
@pytest.mark.xdist_group("browser")
def test_the_vectors_hold_in_a_browser(tmp_path):
    playwright = pytest.importorskip("playwright.sync_api", reason="no browser tests: playwright is not installed")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("no browser, so the client is not tested in one: chromium is not installed")
    wire = json.loads((ROOT / "tests" / "data" / "wire.json").read_text())
    with serving(ROOT / "js" / "src") as address, playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page()
        page.goto(f"{address}/index.js")
        found = page.evaluate(IN_BROWSER, wire["forms"])
        browser.close()
    wanted = [[v["digest"], [p.get("payload") for p in v["permanent"]]] for v in wire["forms"]]
    assert found == wanted
