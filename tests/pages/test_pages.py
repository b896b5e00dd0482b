"""Pages: one file that loads nothing, escapes everything, and says what the result says."""

import base64
import hashlib
import io
import itertools
import json
import math
import os
import re
import subprocess
import sys
import threading
import time
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from html.parser import HTMLParser
from pathlib import Path

import matplotlib as mpl
import mpmath
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib import pyplot as plt

from discreet import (
    KindError,
    Laplace,
    Ledger,
    LongitudinalRappor,
    ParameterError,
    RandomizedResponse,
    RandomizedResponseBool,
    audit,
)
from discreet.exact import written
from discreet.figures import decimals_for, figure, interval_text, outwards
from discreet.files import checked_page, whole_file, write_text
from discreet.ledger import Amount
from discreet.pages.page import Page, Section, Text, attribute, clean, named
from discreet.pages.scale import Scale
from discreet.pages.sheet import Column, Sheet
from discreet.survey import PairCollector, Question, Survey, TextEstimate, TextQuestion, plan
from discreet.tables import Answer, People, Quantile, Receipt, Sum, Table
from discreet.tables.aggregates import Column as Released
from discreet.tables.noise import ColumnNoise
from discreet.words import LEARN, belief, factor, one_in

EVIL = '<script>alert("1")</script>&amp;\'"`</td>\u202e\u2028${x}--><!--'
WORSE = "</script><img src=x onerror=alert(2)>\x00\ud800"
TAGS = {
    *("html", "head", "meta", "link", "title", "style", "script", "noscript", "body", "header", "main", "footer"),
    *("section", "h1", "h2", "p", "span", "small", "strong", "ul", "li", "dl", "dt", "dd", "div", "details", "summary"),
    *(
        "pre",
        "button",
        "label",
        "input",
        "table",
        "caption",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "figure",
        "figcaption",
        "bdi",
    ),
    *("svg", "line", "text", "rect", "circle", "path"),
}


class Seen(HTMLParser):
    """A page as a browser would see it: elements, texts, and the data of its tables."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.text, self.scripts, self._in = [], [], [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag == "script":
            self.scripts.append([dict(attrs), ""])
            self._in.append(tag)

    def handle_endtag(self, tag):
        if tag == "script":
            self._in.pop()

    def handle_data(self, data):
        if self._in:
            self.scripts[-1][1] += data
        else:
            self.text.append(data)

    @property
    def grids(self):
        return [json.loads(text) for attrs, text in self.scripts if attrs.get("type") == "application/json"]

    @property
    def words(self):
        return " ".join(" ".join(self.text).split())


SERIES = {
    "years": lambda i: 1900 + i,
    "days": lambda i: date(2026, 1, 1) + timedelta(i),
    "times": lambda i: datetime(2026, 1, 1) + timedelta(i),
    "years as texts": lambda i: str(1700 + i),
    "months as texts": lambda i: f"{2000 + i // 12}-{i % 12 + 1:02}",
    "numbers and null": lambda i: i / 4 if i else None,
    "decimals": Decimal,
}


def answer(
    keys=("Rome", "Bath"), values=(70, 30), *, by=("city",), left=None, threshold=None, name="people", **receipt
):
    of = Sum("x", 0, 10**9, 1, name="sum") if name == "sum" else People()
    said = {"types": None, "where": None, "filters": (), "asked": (of,), "released": (of,), "shares": (Fraction(1),)}
    said |= {"max_groups": 3, "auto": False, "left_out": None, "noise": "laplace", "laws": {}}
    said |= {"mechanisms": {}, "engine": "duckdb"}
    said |= {"table": "events.csv", "person": ("user",), "epsilon": Fraction(1), "delta": Fraction(0)} | receipt
    column = Released(of, list(values), ColumnNoise(Laplace(3), Fraction(1), threshold))
    found = [key if isinstance(key, tuple) else (key,) for key in keys]
    return Answer(by, found, (column,), Receipt(by=by, private=threshold is not None, **said), left=left)


def mean():
    frame = pd.DataFrame({"id": range(600), "city": ["Rome", "Bath", "Ulm"] * 200, "paid": np.linspace(0, 99, 600)})
    groups = Table(frame, person="id").group_by("city", keys=["Rome", "Bath", "Ulm"])
    return groups.mean("paid", low=0, high=100, epsilon=4, max_groups=1)


def estimate(name="smokes", choices=("never", "daily")):
    q = Question(name, list(choices))
    box = q.collector(RandomizedResponse(categories=q.categories, prob="3/4"))
    box.add_many([choices[0]] * 60 + [choices[1]] * 40)
    return box.estimate()


def survey():
    return Survey([Question("smokes", ["no", "yes"]), Question("drinks", ["no", "yes"])], epsilon=2)


def estimates():
    s = survey()
    return s.estimate(s.perturb(pd.DataFrame({"smokes": ["no", "yes"] * 50, "drinks": ["no"] * 100})))


def crosstab(names=("smokes", "drinks"), choices=("no", "yes")):
    qs = [Question(name, list(choices)) for name in names]
    box = PairCollector(*(q.form(RandomizedResponse(categories=q.categories, prob="3/4")) for q in qs))
    box.add_many([choices[0], choices[1]] * 50, [choices[0]] * 70 + [choices[1]] * 30)
    return box.estimate()


def texts(names=("a.org", "b.org")):
    q = TextQuestion("homepage", length=16, cohorts=2)
    n = len(names)
    shares = np.linspace(0.6, 0.1, n)
    return TextEstimate(
        q.form(q.mechanism(epsilon=8)),
        500,
        tuple(names),
        shares,
        shares / 20,
        shares * 0,
        np.stack([shares * 0.9, shares * 1.1], axis=1),
        0.3,
        0.95,
        0.05,
    )


RR = RandomizedResponseBool(prob="3/4")
RESULTS = {
    "counts": answer,
    "counts of private groups": lambda: answer(threshold=20, delta=Fraction(1e-6)),
    "no groups at all": lambda: answer((), ()),
    "one number": lambda: answer([()], [7], by=()),
    "means": mean,
    "an estimate": estimate,
    "a survey": estimates,
    "a cross table": crosstab,
    "texts": texts,
    "a plan": lambda: plan(10, epsilon=1, people=10_000),
    "a plan for no one yet": lambda: plan(3, epsilon="1/2"),
    "an exact audit": lambda: audit.exact(RR, members=(True, False)),
    "a sampled audit": lambda: audit.sampled(RR, True, False, trials=1000),
    "a claim that is wrong": lambda: audit.sampled(lambda x: x, 0, 1, claim=(1, "1e-6"), trials=1000),
    "a claim of infinity": lambda: audit.sampled(lambda x: x, 0, 1, claim=math.inf, trials=1000),
    "a timing audit": lambda: audit.TimingAudit(0.0, None, 3.0, 0.4, 100),
}


@pytest.fixture(scope="module", params=list(RESULTS))
def result(request):
    return RESULTS[request.param]()


@pytest.fixture(scope="module")
def page(result):
    return result.to_html()


class TestEveryPage:
    def test_it_loads_nothing(self, page):
        assert "://" not in page
        assert not re.search(r"@import|url\s*\(|<(iframe|object|embed|base|form)\b", page)
        for tag, name, value in Seen(page).attributes:
            assert name not in ("src", "srcset", "action", "formaction", "poster", "ping"), tag
            assert name != "href" or value == "data:,"

    def test_it_runs_its_own_script_alone(self, page):
        seen = Seen(page)
        own = [text for attrs, text in seen.scripts if attrs.get("type") != "application/json"]
        assert len(own) == 1
        (policy,) = [
            v for tag, name, v in seen.attributes if tag == "meta" and name == "content" and "default-src" in v
        ]
        digest = base64.b64encode(hashlib.sha256(own[0].encode()).digest()).decode()
        assert "default-src 'none'" in policy
        assert f"script-src 'sha256-{digest}'" in policy
        assert "connect-src" not in policy
        assert not [name for _, name, _ in seen.attributes if name.startswith("on")]

    def test_it_is_the_same_each_time(self, result, page):
        assert result.to_html() == page

    def test_it_is_written_whole(self, result, page, tmp_path):
        assert result.to_html(tmp_path / "page.html") == page
        assert (tmp_path / "page.html").read_bytes() == page.encode()
        assert [file.name for file in tmp_path.iterdir()] == ["page.html"]

    def test_heads_have_scopes_and_names_lead_somewhere(self, page):
        seen = Seen(page)
        heads = seen.tags.count("th")
        assert (
            len(
                [
                    1
                    for tag, name, value in seen.attributes
                    if tag == "th" and name == "scope" and value in ("col", "row")
                ]
            )
            == heads
        )
        ids = [value for _, name, value in seen.attributes if name == "id"]
        assert len(set(ids)) == len(ids)
        for _, name, value in seen.attributes:
            if name in ("aria-labelledby", "aria-describedby", "aria-controls"):
                assert value in ids
        assert seen.tags.count("svg") == 0 or "role" in {name for _, name, _ in seen.attributes}

    def test_each_chart_has_a_caption_and_words_beside_it(self, page):
        seen = Seen(page)
        charts = [1 for tag, name, value in seen.attributes if (tag, name, value) == ("div", "role", "img")]
        assert len(charts) == page.count("<figure>") == page.count("<figcaption")
        for words in re.findall(r'<p class="beside" id="[^"]+">(.*?)</p>', page):
            assert len(words) > 10

    def test_it_has_only_known_elements(self, page):
        assert set(Seen(page).tags) <= TAGS

    def test_a_phone_is_told_its_width(self, page):
        assert '<meta name="viewport" content="width=device-width, initial-scale=1">' in page


HOSTILE = {
    "keys": lambda t: answer([t, "b"], [5, 6]),
    "columns": lambda t: answer([("a", "b")], [5], by=(t, f"{t}2")),
    "tables": lambda t: answer(table=t, where=t, filters=(t,), person=(t,)),
    "receipts": lambda t: answer(mechanisms={t: t}, types={t: t}),
    "choices": lambda t: estimate("smokes", (t, "b")),
    "questions": estimate,
    "pairs": lambda t: crosstab((t, f"{t}2"), ("x", f"{t}3")),
    "candidates": lambda t: texts((t, "b")),
    "inputs": lambda t: audit.exact(RandomizedResponse(categories=[t, "b"], prob="3/4"), members=[t, "b"]),
    "events": lambda t: audit.SampledAudit("epsilon", 1.0, 0.5, 0.95, 10, t),
}  # fmt: skip


class TestEscaping:
    @pytest.mark.parametrize("text", [EVIL, WORSE], ids=["evil", "worse"])
    @pytest.mark.parametrize("where", list(HOSTILE))
    def test_what_a_user_gives_is_text(self, where, text, tmp_path):
        plain, page = HOSTILE[where]("x"), None
        try:
            page = HOSTILE[where](text).to_html(tmp_path / "page.html")
        except ParameterError:
            pytest.skip("such a name is refused before there is a result")
        seen = Seen(page)
        harmless = Seen(plain.to_html())
        assert seen.tags == harmless.tags
        assert [(tag, name) for tag, name, _ in seen.attributes] == [
            (tag, name) for tag, name, _ in harmless.attributes
        ]
        assert "<img" not in page.replace("&lt;img", "")
        assert len(seen.grids) == len(harmless.grids)

    def test_it_is_shown_as_it_is(self):
        seen = Seen(answer([EVIL, "b"], [5, 6]).to_html())
        shown = EVIL.replace("\u202e", "\ufffd")  # It would turn the page's own sentences.
        assert shown in " ".join(seen.text)
        assert seen.grids[0]["columns"][0]["values"] == [shown, "b"]

    @pytest.mark.parametrize("turn", [*map(chr, range(0x202A, 0x202F)), *map(chr, range(0x2066, 0x206A))])
    def test_no_name_turns_a_sentence(self, turn):
        of = answer([f"a{turn}b", "c"], [9, 6], where=f"x = '{turn}'")
        page = of.to_html()
        assert turn not in page
        assert "The largest is <bdi>a\ufffdb</bdi> with" in page
        assert turn not in of.to_text()

    def test_marks_of_a_name_within_a_name_stay_text(self):
        said = clean(f"It is {named('a' + named('b') + chr(0xE000))}.")
        assert said == "It is <bdi>a\ufffdb\ufffd\ufffd</bdi>."
        assert "bdi" not in clean(chr(0xE001) + "x" + chr(0xE000))
        assert attribute(named('"')) == "&quot;"

    def test_the_data_cannot_end_their_element(self):
        page = answer(["</script><!--<script>", "b"], [5, 6]).to_html()
        data = re.search(r'<script type="application/json">(.*?)</script>', page, re.DOTALL)[1]
        assert json.loads(data)["columns"][0]["values"] == ["</script><!--<script>", "b"]
        assert "<" not in data

    def test_what_no_page_can_hold_is_replaced(self, tmp_path):
        answer([WORSE, "b"], [5, 6]).to_html(tmp_path / "page.html")
        assert "\ufffd\ufffd" in (tmp_path / "page.html").read_text()


def ends_of(column):
    """The ends of the intervals of a column, as they are shown."""
    return np.array([[float(end.replace(",", "")) for end in text.split(" to ")] for text in column["texts"]]).T


class TestAnswers:
    def columns(self, of):
        return {}, Seen(of.to_html()).grids[0]["columns"]

    def test_the_numbers_are_the_answers(self):
        of = answer([f"g{i}" for i in range(300)], range(0, 3000, 10))
        _, (keys, values, ends) = self.columns(of)
        assert keys["values"] == [key for (key,) in of.keys]
        assert values["values"] == of.columns["people"]
        assert ends["values"] == of.interval()[0].tolist()
        assert ends["texts"] == [f"{low:,.0f} to {high:,.0f}" for low, high in zip(*of.interval(), strict=True)]

    def test_intervals_are_rounded_outwards_and_values_to_what_they_deserve(self):
        of = mean()
        _, (_, people, values, shown) = self.columns(of)
        unit = 10.0 ** -values["decimals"]
        ends, (low, high) = of.interval(), ends_of(shown)
        assert (low <= ends[0] + 1e-12).all()
        assert (high >= ends[1] - 1e-12).all()
        assert (ends[0] - low <= unit * 1.001).all()
        assert (high - ends[1] <= unit * 1.001).all()
        assert values["values"] == [round(x, values["decimals"]) for x in of.columns["mean"]]
        assert people["values"] == of.columns["people"]
        assert 10 * unit <= np.median((ends[1] - ends[0]) / 2) < 101 * unit

    def test_the_table_in_the_text_says_the_same(self):
        page = answer(["a", None], [1234567, -5]).to_html()
        rows = re.findall(r"<tr><th scope=\"row\" class=\"([a-z]*)\">(.*?)</th><td class=\"num\">(.*?)</td>", page)
        assert rows == [("short", "a", "1,234,567"), ("none", "no value", "-5")]

    def test_numbers_beyond_a_browsers_keep_their_digits(self):
        of = answer(["a", "b"], [2**60 + 1, 3], name="sum")
        (_, values, *_) = Seen(of.to_html()).grids[0]["columns"]
        assert values["texts"] == [f"{2**60 + 1:,}", "3"]
        assert f"{2**60 + 1:,}" in of.to_html()

    def test_years_are_names_and_sort_as_numbers(self):
        of = answer([2026, 999], [5, 6], by=("year",))
        years = Seen(of.to_html()).grids[0]["columns"][0]
        assert (years["number"], years["decimals"], years["values"]) == (True, None, [2026, 999])
        assert ">2026</th>" in of.to_html()

    @pytest.mark.parametrize("keys", [[math.nan, 1.5], [math.inf, 1], [True, False], ["1", 2]])
    def test_keys_of_any_kind_are_shown(self, keys):
        data = Seen(answer(keys, [5, 6]).to_html()).grids[0]
        assert not data["columns"][0]["number"]
        assert all(isinstance(value, str) for value in data["columns"][0]["values"])

    def test_a_chart_of_many_groups_shows_the_greatest_and_says_so(self):
        page = answer([f"g{i}" for i in range(300)], range(300)).to_html()
        assert page.count('class="bar"') == 30
        assert "the 30 greatest of 300; the table has them all." in page
        assert '<span title="g299">' in page
        assert '<span title="g269">' not in page

    def test_bars_are_as_long_as_their_values(self):
        page = answer(["a", "b", "c"], [1000, 500, 250]).to_html()
        widths = [float(width) for width in re.findall(r'class="bar".*?width="([\d.]+)%"', page)]
        assert widths[0] / widths[1] == pytest.approx(2, rel=1e-3)
        assert widths[0] / widths[2] == pytest.approx(4, rel=1e-3)
        assert widths[0] > 90

    def test_bars_of_negative_values_end_at_zero(self):
        page = answer(["a", "b"], [-100, 100], name="sum").to_html()
        (start, _), (left, width) = [
            (float(x), float(w)) for x, w in re.findall(r'class="bar" x="([\d.]+)%".*?width="([\d.]+)%"', page)
        ]
        assert left + width == pytest.approx(start, abs=0.02)

    def test_years_keep_their_order_in_a_chart(self):
        page = answer([2024, 2025, 2026], [5, 60, 6], by=("year",)).to_html()
        assert re.findall(r'<span title="(\d+)">', page) == ["2024", "2025", "2026"]
        page = answer(["x", "y", "z"], [5, 60, 6]).to_html()
        assert re.findall(r'<span title="(\w)">', page) == ["y", "z", "x"]

    @pytest.mark.parametrize("many", [21, 100, 300])
    @pytest.mark.parametrize("key", SERIES.values(), ids=SERIES)
    def test_what_has_an_order_keeps_it_however_many_there_are(self, key, many):
        keys = [key(i) for i in range(many)]
        of = answer(keys, [(7 * i) % many for i in range(many)], by=("when",))
        page = of.to_html()
        shown = ["no value" if k is None else str(k) for k in keys]
        assert re.findall(r'<span title="([^"]+)">', page) == shown[-100:]
        assert ("the 100 last of 300; the table has them all." in page) == (many == 300)
        axes = of.plot(most=10)
        assert [label.get_text() for label in axes.get_yticklabels()] == shown[-10:]
        assert f"the 10 last of {many}" in axes.get_title(loc="left").replace("\n", " ")
        plt.close(axes.figure)

    @pytest.mark.parametrize("keys", [["1", "12", "7"], [True, False, True], ["2026-1", "2025-12", "x"]])
    def test_what_has_none_is_ranked(self, keys):
        page = answer(keys, [5, 60, 6]).to_html()
        assert re.findall(r'<span title="([^"]+)">', page) == [str(keys[i]) for i in (1, 2, 0)]

    def test_what_several_quantiles_say_alike_is_said_once(self):
        frame = pd.DataFrame({"id": range(90), "paid": range(90)})
        of = Table(frame, person="id").release(Quantile("paid", "0.5", "0.9", low=0, high=99), epsilon=4)
        assert Seen(of.to_html()).words.count("What is below 0 counts as 0") == 1

    def test_the_receipt_is_there_in_words_and_as_json(self):
        of = answer(engine="duckdb <1>")
        assert (
            json.loads(
                re.search(r"<pre>(.*?)</pre>", of.to_html(), re.DOTALL)[1]
                .replace("&quot;", '"')
                .replace("&lt;", "<")
                .replace("&gt;", ">")
            )
            == of.receipt.to_dict()
        )
        assert "<dt>engine</dt><dd>duckdb &lt;1&gt;</dd>" in of.to_html()

    def test_what_is_withheld_leaves_no_trace(self):
        rows = [(i, "Rome" if i < 500 else "Bath") for i in range(800)]
        alone = [(1000 + i, f"village {i}") for i in range(77)]
        pages = [
            Table(pd.DataFrame(some, columns=["id", "city"]), person="id")
            .group_by("city")
            .count_people(epsilon=10**9, delta="1e-6", max_groups=1)
            .to_html()
            for some in (rows, rows + alone)
        ]
        assert pages[0] == pages[1]
        assert "village" not in pages[1]

    def test_how_much_is_withheld_is_said_to_be_private(self):
        assert (
            "What does not appear is private, and so is how many groups that may be." in answer(threshold=20).to_html()
        )
        assert "What does not appear" not in answer().to_html()

    def test_a_hundred_thousand_groups_are_quick_and_small(self):
        of = answer([f"a group called {i}" for i in range(100_000)], range(100_000))
        start = time.perf_counter()
        page = of.to_html()
        assert time.perf_counter() - start < 20  # It takes less than 1 s; the machine may be busy.
        assert len(page.encode()) < 6e6
        assert page.count("<tr>") == 1001
        assert "The first 1,000 of 100,000 rows" in page


class TestTheGuarantee:
    def words(self, epsilon, delta=0.0, **more):
        return Seen(answer(epsilon=Fraction(epsilon), delta=Fraction(delta), **more).to_html()).words

    def test_it_is_said_in_numbers(self):
        words = self.words(1.0, 1e-6)
        assert LEARN in words
        assert "A person, here, is all rows of one user ." in words  # A name is an element of its own.
        assert "can raise that to 73.2 %, and no more: the odds change at most by a factor of 2.72." in words
        assert "can raise that to 88.1 %, and no more: the odds change at most by a factor of 7.39." in words
        assert "at most 1 in 1,000,000." in words
        assert f"at most 1 in {math.floor(1 / (1e-3 * (1 + math.e))):,},000." in words

    def test_a_row_may_be_a_person(self):
        assert "A person, here, is one row of the table." in self.words(1.0, person=None)

    def test_a_loss_without_delta_speaks_of_no_failure(self):
        assert "fails" not in self.words(1.0)

    def test_too_large_a_loss_promises_nothing(self):
        assert self.words(50.0).count("too large for a useful promise") == 3  # The disclosure says so, too.
        assert self.words(25.0).count("too large for a useful promise") == 1
        assert self.words(16.0, 1e-6).count("too large for a useful promise") == 1

    @given(st.fractions(min_value=Fraction(1, 10**6), max_value=40))
    def test_factors_and_beliefs_are_rounded_up_and_not_far(self, epsilon):
        with mpmath.workdps(60):
            true = mpmath.exp(mpmath.mpf(epsilon.numerator) / epsilon.denominator)
            said = mpmath.mpf(factor(epsilon).replace(",", ""))
            assert true <= said <= 1 + (true - 1) * mpmath.mpf("1.112") + (true > 1000)
            share = 100 * true / (1 + true)
            grown = mpmath.mpf(belief(epsilon))
            assert share <= grown < 100
            assert grown - share <= mpmath.mpf("0.1")

    @given(st.fractions(min_value=Fraction(1, 10**12), max_value=1))
    def test_one_in_so_many_is_no_promise_too_many(self, delta):
        assert delta <= Fraction(1, int(one_in(delta).replace(",", "")))

    @given(st.fractions(min_value=0, max_value=10**9), st.integers(1, 8))
    def test_amounts_are_rounded_to_the_side_asked_for(self, x, figures):
        low, high = (Fraction(written(x, up=up, digits=figures)) for up in (False, True))
        assert low <= x <= high
        assert high - low <= x * Fraction(10) ** (1 - figures)


class TestTheBudget:
    def test_what_is_left_is_on_the_page(self):
        book = Ledger.in_memory(epsilon=3, delta="1e-5")
        t = Table(pd.DataFrame({"id": range(9), "city": ["Rome"] * 9}), person="id", ledger=book)
        groups = t.group_by("city", keys=["Rome"])
        first = groups.count_people(epsilon="1/3", max_groups=1)
        second = groups.count_people(epsilon=1, max_groups=1)
        assert first.left == Amount(Fraction(8, 3), Fraction(1, 200000))
        assert second.left == book.left == Amount(Fraction(5, 3), Fraction(1, 200000))
        assert "After it, epsilon 8/3 and delta 5e-6 were left in the ledger" in first.to_html()
        assert "<dt>Epsilon left</dt><dd>8/3</dd>" in first.to_html()

    def test_what_is_left_asks_no_file_after_the_charge(self, tmp_path, monkeypatch):
        book = Ledger(tmp_path / "budget.db", epsilon=3)
        t = Table(pd.DataFrame({"id": range(9)}), person="id", ledger=book)
        charge = Ledger.charge

        def and_then_nothing(self, **amounts):
            entry = charge(self, **amounts)
            monkeypatch.setattr(type(self._store), "run", None)
            return entry

        monkeypatch.setattr(Ledger, "charge", and_then_nothing)
        assert t.count_people(epsilon=1).left == Amount(Fraction(2), Fraction(0))

    def test_without_a_ledger_the_page_says_so(self):
        assert answer().left is None
        page = answer().to_html()
        assert "<strong>No budget is kept.</strong> No ledger was given" in page
        assert page.index("No budget is kept.") < page.index("<figure>")
        assert f"{datetime.now(UTC):%Y-%m}" in page[: page.index("<main>")]
        book = Ledger.in_memory(epsilon=3)
        t = Table(pd.DataFrame({"id": range(9)}), person="id", ledger=book)
        assert "No budget is kept" not in t.count_people(epsilon=1).to_html()

    def test_numbers_that_are_not_short_are_rounded_to_the_safe_side(self):
        left = Amount(Fraction(10**9, 3 * 10**9 + 1), Fraction(1, 3 * 10**7))
        page = answer(left=left, epsilon=Fraction(0.34567), delta=Fraction(1e-7)).to_html()
        assert "<dt>Epsilon left</dt><dd>0.333</dd>" in page
        assert "<dt>Epsilon spent</dt><dd>0.34567</dd>" in page


class TestSurveys:
    def test_the_numbers_are_the_estimates(self):
        of = estimate()
        choice, share, shown, error, people = Seen(of.to_html()).grids[0]["columns"]
        assert choice["values"] == ["never", "daily"]
        assert share["values"] == pytest.approx((100 * of.shares).tolist(), abs=0.5 * 10.0 ** -share["decimals"])
        low, high = ends_of(shown)
        assert (low <= 100 * of.intervals[:, 0]).all()
        assert (high >= 100 * of.intervals[:, 1]).all()
        assert (high - low <= 100 * np.diff(of.intervals)[:, 0] + 2 * 10.0 ** -share["decimals"]).all()
        assert people["values"] == [70, 30]
        assert error["values"] == pytest.approx((100 * of.standard_errors()).tolist(), abs=1)

    def test_expected_errors_and_the_limit_are_the_plans(self):
        q = Question("city", [f"c{i}" for i in range(10)])
        made = q.plan(epsilon=1, people=5000)
        box = q.collector(made.mechanism)
        client = q.client(made.mechanism)
        box.add_many([client.report("c1") for _ in range(20)])
        of = replace(box.estimate(), n=5000)
        words = Seen(of.to_html()).words
        assert f"{100 * made.best.error:.3f} points, where all choices are equally frequent" in words
        assert f"±{100 * made.margin:.3f} points" in words
        assert f"{100 * math.sqrt(made.limit / 5000):.3f} points: the least standard error" in words

    def test_epsilon_is_that_of_the_mechanism_and_of_all_questions_together(self):
        words = Seen(estimate().to_html()).words  # The loss is the least float above ln 3, and that is rounded up.
        assert "raise that to 75.1 %, and no more: the odds change at most by a factor of 3.01." in words
        together = Seen(estimates().to_html()).words
        assert "Suppose someone sees all of this person's reports" in together
        assert "factor of 7.39." in together

    def test_a_memory_for_ever_is_said(self):
        q = Question("smokes", ["no", "yes"])
        m = LongitudinalRappor(length=2, f="1/2", p="1/4", q="3/4", max_weight=1)
        box = q.collector(m)
        box.add(q.client(m, secret=b"only on this device").report("no"))
        assert "every report that this person will ever send of the same answer" in Seen(box.estimate().to_html()).words

    def test_many_choices_are_charted_in_part_and_all_in_the_table(self):
        q = Question("city", [f"c{i}" for i in range(100)])
        box = q.collector(RandomizedResponse(categories=q.categories, prob="3/4"))
        box.add_many(["c7"] * 60 + ["c8"] * 40)
        page = box.estimate().to_html()
        assert "the 30 greatest of 100" in page
        assert Seen(page).grids[0]["rows"] == 100

    def test_a_cross_table_has_each_pair_twice(self):
        of = crosstab()
        page = of.to_html()
        cells = [float(cell) for cell in re.findall(r'<td style="--v:\d+">(-?[\d.]+)<small>', page)]
        assert cells == pytest.approx((100 * of.shares).ravel().tolist(), abs=0.051)
        assert Seen(page).grids[0]["rows"] == 4

    def test_a_plan_has_its_options(self):
        of = plan(10, epsilon=1, people=10_000)
        data = Seen(of.to_html()).grids[0]["columns"]
        assert data[0]["values"] == [option.name for option in of.options]
        for column, exact in ((1, "unit_variance"), (3, "influence")):
            assert data[column]["texts"] == [written(getattr(option, exact), up=True) for option in of.options]
        assert data[4]["values"] == [10_000] * len(of.options)


class TestAudits:
    def test_claimed_exact_and_sampled_are_on_one_axis(self):
        found = audit.exact(RR, members=(True, False)), audit.sampled(RR, True, False, trials=5000)
        page = audit.to_html(*found)
        assert page.count("<figure>") == 1
        assert re.findall(r'<span title="([\w, ]+)">', page) == ["claimed", "exact", "sampled, at least"]
        words = Seen(page).words
        assert "claimed 1.098613; exact 1.098613; sampled, at least" in words
        assert "The claim holds." in words
        assert "No violation found." in words

    def test_a_violation_is_said_and_drawn(self):
        page = audit.sampled(lambda x: x, 0, 1, claim=1, trials=1000).to_html()
        assert "The claim is violated." in page
        assert 'class="verdict bad"' in page
        assert 'class="bar bad"' in page
        assert 'class="bar bad"' not in audit.exact(RR, members=(True, False)).to_html()

    def test_losses_are_drawn_in_proportion(self):
        page = audit.SampledAudit("epsilon", 2.0, 0.5, 0.95, 10, "x").to_html()
        claimed, bound = [float(width) for width in re.findall(r'class="bar".*?width="([\d.]+)%"', page)]
        assert claimed / bound == pytest.approx(4, rel=1e-3)
        assert "M-6 -4L0 0L-6 4" in page  # The head of an arrow.

    def test_epsilon_and_delta_have_an_axis_each(self):
        a = audit.SampledAudit("epsilon", 1.0, 0.5, 0.95, 10, "x")
        assert audit.to_html(a, replace(a, quantity="delta")).count("<figure>") == 2

    def test_the_clock_is_judged(self):
        assert "The clock tells the inputs apart." in audit.TimingAudit(0.5, 0.0, 9.0, 0.1, 100).to_html()
        words = Seen(audit.TimingAudit(0.5, 0.0, 3.0, 0.1, 100).to_html()).words
        assert "The clock does not tell the inputs apart." in words
        assert "differs in 50.0%" in words

    def test_what_is_no_audit_is_refused(self):
        with pytest.raises(ParameterError):
            audit.to_html()
        with pytest.raises(KindError):
            audit.to_html("exact")


class TestPlaces:
    @pytest.mark.parametrize("name", ["page.pdf", "page", "page.parquet", "nowhere/page.html"])
    def test_no_place_for_a_page_is_said_before_anything_is_made(self, name, tmp_path):
        with pytest.raises(ParameterError, match=r"^path="):
            checked_page(tmp_path / name)
        with pytest.raises(ParameterError, match=r"^path="):
            answer().to_html(tmp_path / name)
        assert not list(tmp_path.iterdir())

    def test_a_folder_is_no_place(self, tmp_path):
        (tmp_path / "page.html").mkdir()
        with pytest.raises(ParameterError, match="where nothing else is"):
            checked_page(tmp_path / "page.html")

    def test_a_folder_that_cannot_be_written_is_no_place(self, tmp_path, monkeypatch):
        monkeypatch.setattr(os, "access", lambda *_: False)  # Root may write anywhere.
        with pytest.raises(ParameterError, match="a folder that can be written"):
            checked_page(tmp_path / "page.html")

    def test_what_is_no_path_is_refused(self):
        with pytest.raises(KindError, match=r"^path=7"):
            checked_page(7)

    def test_a_file_that_is_there_is_replaced(self, tmp_path):
        (tmp_path / "page.HTM").write_text("old")
        assert checked_page(str(tmp_path / "page.HTM")) == tmp_path / "page.HTM"
        assert answer().to_html(tmp_path / "page.HTM") == (tmp_path / "page.HTM").read_text()

    def test_a_disk_that_fails_leaves_the_old_file(self, tmp_path, monkeypatch):
        (tmp_path / "page.html").write_text("old")

        def full(_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            answer().to_html(tmp_path / "page.html")
        assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("page.html", "old")]

    def test_work_that_stops_half_way_leaves_nothing(self, tmp_path):
        with pytest.raises(KeyboardInterrupt), whole_file(tmp_path / "a.txt") as part:
            _stop_after(part.write_text("half"))
        assert not list(tmp_path.iterdir())

    def test_threads_have_parts_of_their_own(self, tmp_path):
        parts = []

        def make():
            with whole_file(tmp_path / "a.txt") as part:
                parts.append(part)
                part.write_text("x")

        other = threading.Thread(target=make)
        with whole_file(tmp_path / "a.txt") as part:
            part.write_text("y")
            other.start()
            other.join()
        assert parts != [part]
        assert (tmp_path / "a.txt").read_text() == "y"

    def test_threads_that_write_one_file_do_not_mix(self, tmp_path):
        texts_ = [letter * 100_000 for letter in "abcdef"]
        writers = [threading.Thread(target=write_text, args=(tmp_path / "a.txt", text)) for text in texts_]
        for thread in writers:
            thread.start()
        for thread in writers:
            thread.join()
        assert (tmp_path / "a.txt").read_text() in texts_
        assert len(list(tmp_path.iterdir())) == 1


def _stop_after(_):
    raise KeyboardInterrupt


class TestScales:
    @given(st.lists(st.floats(-1e12, 1e12), min_size=1, max_size=9))
    def test_an_axis_holds_its_values_with_a_few_round_numbers(self, values):
        scale = Scale.over(values)
        assert scale.low <= min(values)
        assert max(values) <= scale.high
        assert 1 <= len(scale.ticks) <= 7
        places = [scale.place(value) for value in sorted(values)]
        assert places == sorted(places)
        assert all(0 <= place <= 100 for place in places)

    @given(st.lists(st.floats(0.001, 1e9), min_size=1, max_size=9))
    def test_zero_is_an_end_and_the_greatest_nearly_the_other(self, values):
        scale = Scale.over([0.0, *values])
        assert scale.place(0.0) == 0
        assert scale.place(max(values)) > 95

    def test_labels_are_short(self):
        for power, digit in itertools.product(range(-12, 16), (1, 3, 7)):
            assert max(map(len, Scale.over([0, digit * 10.0**power]).labels)) <= 7

    def test_what_is_infinite_lies_at_the_end(self):
        scale = Scale.over([0, 1, math.inf])
        assert scale.place(math.inf) == 100
        assert scale.place(1.0) < 90

    @given(st.floats(-1e9, 1e9), st.integers(0, 6))
    def test_figures_read_back(self, x, decimals):
        said = Fraction(figure(x, decimals).replace(",", ""))
        assert abs(said - Fraction(x)) <= Fraction(1, 2 * 10**decimals)
        assert not figure(-1e-9).startswith("-")

    @given(st.floats(allow_nan=False, allow_infinity=False), st.one_of(st.none(), st.integers(0, 6)))
    def test_an_interval_in_text_holds_what_it_held_and_little_more(self, x, decimals):
        low, high = (Fraction(end.replace(",", "")) for end in interval_text(x, x, decimals).split(" to "))
        assert low <= Fraction(x) <= high
        most = Fraction(1, 10**decimals) if decimals is not None else max(abs(Fraction(x)) / 1000, 0)
        assert high - low <= most

    @given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=5), st.integers(0, 4))
    def test_intervals_do_not_get_shorter(self, ends, decimals):
        low, high = outwards(ends, ends, decimals)
        assert all(a <= x + 1e-9 and x - 1e-9 <= b for a, x, b in zip(low, ends, high, strict=True))

    def test_decimals_follow_the_error(self):
        assert [decimals_for([w]) for w in (123.0, 12.0, 1.2, 0.12, 0.012, math.inf)] == [0, 0, 1, 2, 3, 2]


def luminance(colour):
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(a, b):
    light, dark = sorted((luminance(a), luminance(b)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_colours_can_be_told_apart(theme):
    style = Page("x").to_html()
    found = {name: (a, b)[theme] for name, a, b in re.findall(r"--(\w+): light-dark\((#\w{6}), (#\w{6})\)", style)}
    for name in ("ink", "soft", "link", "good", "bad"):
        for ground in ("paper", "card"):
            assert contrast(found[name], found[ground]) >= 4.5, name
    assert contrast(found["ink"], found["bar"]) >= 4.5  # Numbers on shaded cells.
    assert contrast(found["mark"], found["bar"]) >= 3
    assert contrast(found["bar"], found["paper"]) >= 1.4
    assert contrast(found["mark"], found["paper"]) >= 7


class TestPlots:
    @pytest.fixture(autouse=True)
    def shut(self):
        mpl.use("Agg")
        yield
        plt.close("all")

    @staticmethod
    def labels(axes):
        return [label.get_text() for label in axes.get_yticklabels()]

    @pytest.mark.parametrize("name", [name for name in RESULTS if name != "a survey"])
    def test_every_result_draws_itself_on_axes_of_its_own_or_given(self, name):
        result = RESULTS[name]()
        _, given = plt.subplots()
        assert result.plot(ax=given) is given
        axes = result.plot()
        assert axes is not given
        axes.figure.savefig(io.BytesIO())
        box, page = axes.get_tightbbox(), axes.figure.bbox
        assert box.x0 >= -1
        assert box.x1 <= page.x1 + 1
        assert axes.get_title(loc="left")

    def test_names_are_no_mathematics_and_not_too_long(self):
        axes = answer(["$x_1$", "y" * 99], [5, 6], by=("$a$ $",)).plot()
        assert self.labels(axes) == ["y" * 16 + "…" + "y" * 15, "$x_1$"]
        axes.figure.savefig(io.BytesIO())
        texts_ = [*axes.get_yticklabels(), axes.xaxis.label, axes._left_title]
        assert not any(text.get_parse_math() for text in texts_)

    def test_bars_start_at_zero_and_means_are_points(self):
        axes = answer(["a", "b"], [50, 60]).plot()
        assert [bar.get_width() for bar in axes.patches] == [60, 50]
        assert axes.get_xlim()[0] == 0
        assert not mean().plot().patches
        assert "the smallest bar is" in Seen(answer(["a", "b"], [50, 60]).to_html()).words
        assert "the smallest point is" in Seen(mean().to_html()).words

    @pytest.mark.parametrize("count", [1, 4])
    def test_a_long_title_is_wrapped_within_the_picture(self, count):
        keys = [f"{i} a rather long name of a hospital, ward" for i in range(count)]
        result = answer(keys, range(1, count + 1), by=("a column with a rather long name of its own",))
        _, given = plt.subplots()
        for axes in (result.plot(), result.plot(ax=given)):
            axes.figure.savefig(io.BytesIO())
            box = axes._left_title.get_window_extent()
            assert box.x1 <= axes.figure.bbox.x1
            assert " ".join(axes.get_title(loc="left").split()).startswith("People by a column with a rather long")
            assert axes.patches[0].get_window_extent().height > 12
            plt.close(axes.figure)

    def test_many_groups_are_drawn_in_part_and_the_title_says_so(self):
        axes = answer([f"g{i}" for i in range(99)], range(99)).plot()
        assert axes.get_title(loc="left") == "People by city: 99 groups; epsilon 1 spent, the 30 greatest of 99"
        assert self.labels(axes) == [f"g{i}" for i in range(98, 68, -1)]
        q = Question("city", [f"c{i}" for i in range(100)])
        box = q.collector(RandomizedResponse(categories=q.categories, prob="3/4"))
        box.add_many(["c7"] * 60 + ["c8"] * 40)
        assert self.labels(box.estimate().plot())[:2] == ["c7", "c8"]
        assert len(box.estimate().plot().patches) == 30

    def test_a_bound_from_below_is_an_arrow(self):
        axes = audit.sampled(RR, True, False, trials=1000).plot()
        assert ">" in [line.get_marker() for line in axes.get_lines()]


def test_a_page_does_not_depend_on_the_hash_seed():
    code = "import hashlib; from discreet.survey import plan; page = plan(5, epsilon=1).to_html().encode(); "
    code += "print(hashlib.sha256(page).hexdigest())"
    made = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert made[0] == made[1]


def test_a_block_of_ones_own_needs_no_more_than_lines():
    page = Page("t", sections=[Section("s", [Text(["a < b"]), Sheet("g", [Column("k", ["x"], head=True)])])]).to_html()
    assert "<p>a &lt; b</p>" in page
    assert Seen(page).grids[0]["rows"] == 1


def test_style_and_script_are_in_the_package():
    folder = Path(sys.modules["discreet.pages"].__file__).parent
    assert {"page.css", "page.js"} <= {file.name for file in folder.iterdir()}
