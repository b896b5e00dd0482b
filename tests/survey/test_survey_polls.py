"""The page of a poll, before a browser opens it: its policy, its words and numbers, and the script that it holds."""

import base64
import hashlib
import html
import json
import math
import re
import shutil
import string
import subprocess
from fractions import Fraction
from html.parser import HTMLParser
from importlib import resources
from pathlib import Path

import numpy as np
import pytest
import tiers

from discreet import (
    BudgetError,
    DiscreetError,
    LongitudinalRappor,
    ParameterError,
    RandomizedResponse,
    RandomizedResponseBool,
)
from discreet.errors import KindError
from discreet.measures import MaxDivergence
from discreet.survey import Asking, Poll, Question, Survey, TextQuestion, Wording
from discreet.survey.tickets import TicketKey, ticket_about
from discreet.survey.wording import LANGUAGES, fixed_texts

ROOT = Path(__file__).parents[2]
NODE = shutil.which("node")
NASTY = '</script><script>alert(1)</script><img src=x onerror=alert(1)> & "quoted" {belief} \u202e\x00'


def survey_of(epsilon=3):
    smokes = Question("smokes", ["never", "sometimes", "daily"], missing="no answer")
    return Survey(
        [smokes, Question("member", [False, True]), Question("age", range(18, 40)), Question("t", map(str, range(30)))],
        epsilon=epsilon,
    )


def facts_in(page):
    found = re.search(r'<script type="application/json" id="poll">(.*?)</script>', page, re.DOTALL)
    return json.loads(found[1])


class Tags(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.tags = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))


class TestPolicy:
    @pytest.mark.parametrize(
        ("collector", "connect"),
        [
            (None, "'none'"),
            ("self", "'self'"),
            ("https://poll.example.org", "https://poll.example.org/reports"),
            ("https://poll.example.org:8443/a/b/", "https://poll.example.org:8443/a/b/reports"),
            ("http://127.0.0.1:8000", "http://127.0.0.1:8000/reports"),
        ],
    )
    def test_it_runs_its_own_script_and_connects_to_the_collector_alone(self, collector, connect):
        page = Poll(survey_of(), collector=collector).to_html()
        policy = html.unescape(re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1])
        allowed = dict(part.strip().split(" ", 1) for part in policy.split(";"))
        assert allowed["default-src"] == "'none'"
        assert allowed["connect-src"] == connect
        for tag, key in (("script", "script-src"), ("style", "style-src")):
            text = re.search(rf"<{tag}>(.*?)</{tag}>", page, re.DOTALL)[1]
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            assert allowed[key] == f"'sha256-{digest}'"
        assert (allowed["base-uri"], allowed["form-action"], allowed["img-src"]) == ("'none'", "'none'", "data:")

    @pytest.mark.parametrize(
        "collector",
        [
            "",
            "poll.example.org",
            "http://poll.example.org",
            "https://poll.example.org; script-src *",
            "https://poll.example.org *",
            "https://x.org/'unsafe-inline'",
            'https://x.org/">',
            "https://x.org,https://y.org",
            "https://user:word@x.org",
            "https://x.org/?q=1",
            "https://x.org/#a",
            "javascript:alert(1)",
            "https://x.org\n",
            "https://*.org",
            "ftp://x.org",
        ],
    )
    def test_an_address_that_would_change_the_policy_is_refused(self, collector):
        with pytest.raises(ParameterError):
            Poll(survey_of(), collector=collector)

    @pytest.mark.parametrize("collector", ["http://poll.example.org", "HTTP://192.0.2.7:8080/a"])
    def test_an_address_without_https_is_refused_with_the_reason(self, collector):
        with pytest.raises(ParameterError, match="https: over http only an address of this machine, such as localhost"):
            Poll(survey_of(), collector=collector)

    def test_it_loads_nothing_and_has_no_style_or_handler_in_an_attribute(self):
        page = Poll(survey_of(), Wording(title="T", consent="C"), collector="https://poll.example.org").to_html()
        for tag, attrs in Tags(page).tags:
            assert not {"style", "src", "action", "srcset"} & set(attrs), tag
            assert not [name for name in attrs if name.startswith("on")]
            assert "href" not in attrs or attrs["href"] == "data:,"
            if tag in ("input", "select", "form"):
                assert attrs["autocomplete"] == "off"

    def test_the_labels_are_real(self):
        tags = Tags(Poll(survey_of(), Wording(consent="C")).to_html()).tags
        ids = [attrs["id"] for _, attrs in tags if "id" in attrs]
        assert len(ids) == len(set(ids))
        named = {attrs["for"] for tag, attrs in tags if tag == "label" and "for" in attrs}
        assert {attrs["id"] for tag, attrs in tags if tag in ("select", "input") and "id" in attrs} - named == {
            "consent",
            "language",
        }
        for _, attrs in tags:
            assert attrs.get("aria-describedby", ids[0]) in ids


class TestTickets:
    key = TicketKey((1 << 2047) + 1)

    def test_the_page_has_the_key_and_may_ask_for_tickets_and_nothing_else(self):
        survey = Survey([Question("smokes", ["no", "yes"])], epsilon=1)
        here = Poll(survey, collector="self", key=self.key, wave="spring")
        about = ticket_about(survey.tag, "spring").hex()
        expected = {"key": self.key.to_bytes().hex(), "about": about, "address": "tickets"}
        assert here.facts()["tickets"] == expected
        away = Poll(survey, collector="https://poll.example.org", key=self.key)
        assert away.facts()["tickets"]["address"] == "https://poll.example.org/tickets"
        assert "connect-src https://poll.example.org/reports https://poll.example.org/tickets;" in away.policy
        plain = Poll(survey, collector="https://poll.example.org")
        assert plain.facts()["tickets"] is None
        assert "connect-src https://poll.example.org/reports;" in plain.policy

    def test_a_key_needs_a_collector_and_is_one(self):
        survey = Survey([Question("smokes", ["no", "yes"])], epsilon=1)
        with pytest.raises(ParameterError, match="a collector, which signs"):
            Poll(survey, key=self.key)
        with pytest.raises(KindError):
            Poll(survey, collector="self", key="ff" * 256)


class TestWords:
    def test_whatever_is_written_is_text(self):
        asking = Asking(NASTY, [NASTY, NASTY + "2", NASTY + "3"])
        wording = Wording(title=NASTY, sponsor=NASTY, consent=NASTY, questions={"smokes": asking})
        survey = Survey([Question("smokes", [NASTY, "b", "c"])], epsilon=1)
        page = Poll(survey, Wording()).to_html()
        plain = Poll(Survey([Question("smokes", ["a", "b", "c"])], epsilon=1), wording).to_html()
        for text in (page, plain):
            assert [tag for tag, _ in Tags(text).tags].count("script") == 2
            assert "img" not in [tag for tag, _ in Tags(text).tags]
            assert "\x00" not in text
            assert "\u202e" not in text
        assert "<script>alert" not in plain
        assert facts_in(page)["survey"]["forms"][0]["question"]["choices"][0] == NASTY

    def test_the_words_do_not_change_what_is_asked(self):
        data = {"epsilon": 1, "questions": [{"name": "smokes", "choices": ["no", "yes"]}]}
        told = {
            "epsilon": 1,
            "title": "Habits",
            "sponsor": "S",
            "consent": "C",
            "language": "de",
            "questions": [data["questions"][0] | {"text": "Rauchen Sie?", "labels": ["Nein", "Ja"]}],
        }
        assert Survey.from_dict(told).digest == Survey.from_dict(data).digest
        assert Wording.from_dict(told).language == "de"

    def test_every_language_says_the_same_things(self):
        texts = fixed_texts()
        assert tuple(texts) == LANGUAGES
        fields = {key: _blanks(text) for key, text in texts["en"].items()}
        for language in LANGUAGES:
            assert {key: _blanks(text) for key, text in texts[language].items()} == fields
            assert all(text.strip() == text and text for text in texts[language].values())
            assert not any("<" in text or '"' in text for text in texts[language].values())

    def test_people_switch_between_the_languages_of_all_texts(self):
        both = {"en": "Habits", "de": "Gewohnheiten"}
        asking = Asking({"en": "?", "de": "?", "fr": "?"}, {"en": ["n", "y"], "de": ["n", "j"]})
        wording = Wording(title=both, sponsor="for all", language="de", questions={"smokes": asking})
        assert wording.languages == ("de", "en")
        survey = Survey([Question("smokes", ["no", "yes"])], epsilon=1)
        texts = facts_in(Poll(survey, wording).to_html())["texts"]
        assert list(texts) == ["de", "en"]
        assert (texts["de"]["q0.1"], texts["en"]["q0.1"], texts["en"]["sponsor"]) == ("j", "y", "for all")
        assert Wording(title="only one").languages == ("en",)
        page = Poll(survey, Wording(language="ar")).to_html()
        assert '<html lang="ar" dir="rtl">' in page

    @pytest.mark.parametrize(
        "make",
        [
            lambda: Wording(title=5),
            lambda: Wording(title={"xx": "a"}),
            lambda: Wording(title={"en": 5}),
            lambda: Wording(language="xx"),
            lambda: Wording(questions=[1]),
            lambda: Asking("a", "ab"),
            lambda: Asking("a", {"xx": ["a"]}),
            lambda: Asking("a" * 6000),
            lambda: Wording.from_dict([]),
            lambda: Poll(survey_of(), Wording(questions={"other": Asking("a")})),
            lambda: Poll(survey_of(), Wording(questions={"smokes": Asking("a", ["one"])})),
            lambda: Poll(survey_of(), Wording(questions={"smokes": Asking("a", group="g")})),
            lambda: Poll(5),
            lambda: Poll(survey_of(), 5),
            lambda: Poll(survey_of(), memory=1),
            lambda: Poll.load("no-such.toml"),
        ],
    )
    def test_what_does_not_fit_is_refused(self, make):
        with pytest.raises((DiscreetError, OSError)):
            make()


def _blanks(text):
    return sorted(name for _, name, _, _ in string.Formatter().parse(text) if name)


class TestWaves:
    @pytest.mark.parametrize(
        ("waves", "words"),
        [
            ('[[waves]]\nname = "one"\nstart = 2026-05-01T08:00:00\n', "offset"),
            ('[[waves]]\nname = "one"\n[[waves]]\nname = "one"\n', "distinct"),
            ('[[waves]]\nname = "one"\nbegin = 2026-05-01T08:00:00Z\n', "start and end"),
            ('[[waves]]\nname = "one"\n[[waves]]\nname = "two"\n', "begin when"),
        ],
    )
    def test_a_file_whose_waves_are_wrong_gets_no_page(self, tmp_path, waves, words):
        path = tmp_path / "survey.toml"
        question = '[[questions]]\nname = "smokes"\nchoices = ["no", "yes"]\n'
        path.write_text(f"epsilon = 1\n{question}{waves}")
        with pytest.raises(DiscreetError, match=words):
            Poll.load(path)
        path.write_text(f'epsilon = 1\n{question}[[waves]]\nname = "one"\nend = 2026-05-01T08:00:00Z\n')
        assert Poll.load(path).survey.names == ["smokes"]


class TestNumbers:
    @pytest.mark.parametrize("epsilon", ["1/10", "1", "4", "9"])
    def test_what_anyone_could_conclude_is_at_least_the_truth_and_close(self, epsilon):
        survey = survey_of(epsilon)
        facts = Poll(survey, most=10).facts()
        truth = 100 / (1 + math.exp(-survey.privacy_map(1)))
        assert truth <= float(facts["belief"]) <= truth + 0.1001
        assert float(facts["factor"].replace(",", "")) >= math.exp(survey.privacy_map(1)) * (1 - 1e-12)
        assert float(facts["epsilon"]) >= survey.privacy_map(1)
        for form, asked in zip(survey.forms, facts["questions"], strict=True):
            own, other = form.support
            assert Fraction(asked["own"]) / 100 >= own > Fraction(asked["own"]) / 100 - Fraction(1, 1000)
            assert Fraction(asked["other"]) / 100 <= other < Fraction(asked["other"]) / 100 + Fraction(1, 1000)
            alone = 100 / (1 + math.exp(-form.mechanism.privacy_map(1)))
            assert alone <= float(asked["belief"]) <= alone + 0.1001

    def test_no_belief_grows_by_more_than_is_said(self):
        """The exact posterior over all reports and all prior beliefs on the other choices, for randomized response."""
        q = Question("smokes", ["a", "b", "c"])
        form = q.form(RandomizedResponse.within(epsilon=1, categories=q.categories))
        [asked] = Poll(Survey.of([form])).facts()["questions"]
        own, other = form.support
        greatest = 0
        for share in (Fraction(0), Fraction(1, 4), Fraction(1, 2)):
            prior = [Fraction(1, 2), share, Fraction(1, 2) - share]
            for said in range(3):
                weights = [p * (own if said == i else other) for i, p in enumerate(prior)]
                greatest = max(greatest, weights[0] / sum(weights))
        assert greatest <= Fraction(asked["belief"]) / 100 <= greatest + Fraction(1, 1000)

    def test_a_lasting_answer_is_said_by_what_all_its_reports_tell(self):
        q = Question("smokes", ["a", "b", "c"])
        m = LongitudinalRappor(length=3, max_weight=1, f="1/2", p="1/4", q="3/4")
        facts = Poll(Survey.of([q.form(m)])).facts()
        ever = MaxDivergence().up(m.loss_for_ever())
        assert float(facts["questions"][0]["belief"]) >= 100 / (1 + math.exp(-ever))
        assert float(facts["epsilon"]) >= ever
        with pytest.raises(ParameterError):
            Poll(Survey.of([q.form(m)]), memory=False)

    def test_a_survey_that_costs_too_much_has_no_page(self):
        with pytest.raises(BudgetError):
            Poll(survey_of(11))
        assert Poll(survey_of(11), most=11).facts()["most"] == 11
        q = Question("member", [False, True])
        slow = Survey.of([q.form(RandomizedResponseBool(prob="3/4", constant_time=True))])
        with pytest.raises(DiscreetError):
            Poll(slow)

    def test_a_survey_that_hides_nothing_has_no_page(self):
        q = Question("smokes", ["no", "yes"])
        naked = Survey.of([q.form(RandomizedResponse(categories=q.categories, prob=1))])
        for most in (10, math.inf):
            with pytest.raises(DiscreetError):
                Poll(naked, most=most)
        assert Poll(survey_of(300), most=math.inf).facts()["belief"] is None

    @pytest.mark.parametrize(
        ("choices", "missing"), [([True, False], None), (["yes"], "no"), (["no", "yes"], None), ([0, 1], None)]
    )
    def test_only_what_is_false_or_true_is_a_box_to_tick(self, choices, missing):
        survey = Survey([Question("bus", choices, missing)], epsilon=1)
        with pytest.raises(ParameterError, match="false and true"):
            Poll(survey, Wording(questions={"bus": Asking("By bus", group="How?")}))

    def test_the_survey_in_the_page_is_the_file_for_clients(self):
        survey = survey_of()
        facts = facts_in(Poll(survey).to_html())
        assert facts["survey"] == json.loads(survey.to_json())
        assert facts["digest"] == survey.digest.hex()

    def test_each_question_has_the_control_for_its_choices(self):
        text = TextQuestion("word", length=16, hashes=2, cohorts=4)
        survey = Survey([*(form.question for form in survey_of().forms), text], epsilon=5)
        kinds = [asked["kind"] for asked in Poll(survey).facts()["questions"]]
        assert kinds == ["radio", "radio", "number", "select", "text"]
        wording = Wording(questions={"member": Asking("A member", group="What are you?")})
        assert Poll(survey, wording).facts()["questions"][1]["kind"] == "check"


class TestScript:
    @pytest.mark.skipif(not (ROOT / "js").exists(), reason="the sources in js/ are not here")
    def test_it_was_made_from_these_sources(self):
        """Without npm, too: `make js` writes the digest of what the script was made from into its first line."""
        digest = hashlib.sha256()
        for folder in ("page", "src"):
            for file in sorted((ROOT / "js" / folder).iterdir()):
                digest.update(f"{folder}/{file.name}\n".encode())
                digest.update(file.read_bytes())
        first = resources.files("discreet.survey").joinpath("poll.js").read_text(encoding="utf-8").split("\n")[0]
        assert first == f"// Made by make js from js/page and js/src, {digest.hexdigest()}", "run make js"

    @pytest.mark.skipif(NODE is None, reason="node is not installed")
    def test_it_is_what_the_sources_give(self, tmp_path):
        esbuild = ROOT / "js" / "node_modules" / ".bin" / "esbuild"
        if not esbuild.exists():
            pytest.skip("the page's script is not built again: npm has not installed esbuild in js/")
        made = tmp_path / "poll.js"
        script = 'import { page } from "./build.mjs"; await page(process.argv[1]);'
        run = [NODE, "--input-type=module", "-e", script, str(made)]
        subprocess.run(run, cwd=ROOT / "js", check=True, capture_output=True)
        assert made.read_bytes() == resources.files("discreet.survey").joinpath("poll.js").read_bytes()

    def test_it_is_ascii_and_cannot_end_its_element(self):
        script = resources.files("discreet.survey").joinpath("poll.js").read_bytes()
        assert script.isascii()
        assert b"</" not in script.replace(b"</g", b"")
        assert b"innerHTML" not in script
        assert b"eval(" not in script
        assert b"localStorage" not in script
        assert b"cookie" not in script


@pytest.mark.skipif(NODE is None, reason="node is not installed")
def test_qr_codes_are_read_by_another_program():
    zxing = pytest.importorskip("zxingcpp", reason="QR codes are not read again: zxing-cpp is not installed")
    lengths = tiers.each([1, 17, 18, 53, 78, 106, 134, 154, 192, 230, 271, 272, 321, 367, 425, 458, 520, 586, 858], 3)
    alphabet = string.ascii_letters + string.digits + "-_"
    texts = ["".join(alphabet[(7 * i * i + n) % 64] for i in range(n)) for n in lengths]
    program = (
        'import { qr } from "./page/qr.js"; const asked = JSON.parse(process.argv[1]);'
        "const drawn = (text) => qr(new TextEncoder().encode(text))?.map((row) => row.map(Number)) ?? null;"
        "console.log(JSON.stringify(asked.map(drawn)));"
    )
    ran = subprocess.run(
        [NODE, "--input-type=module", "-e", program, json.dumps([*texts, "a" * 859])],
        cwd=ROOT / "js",
        capture_output=True,
        text=True,
        check=True,
    )
    *found, too_long = json.loads(ran.stdout)
    assert too_long is None
    for text, modules in zip(texts, found, strict=True):
        light = np.kron(1 - np.array(modules), np.ones((4, 4), int)) * 255
        [read] = zxing.read_barcodes(np.pad(light, 16, constant_values=255).astype(np.uint8))
        assert read.text == text
