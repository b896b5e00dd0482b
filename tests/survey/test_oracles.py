"""One suite that every oracle must pass, on exact laws; and that nothing but its oracle knows a local mechanism.

A new oracle is tried here because it is registered. One that a budget alone does not make needs a line in EXAMPLES.
"""

import ast
import json
from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path

import numpy as np
import oracle_figures
import pandas as pd
import pytest
from scipy import stats

import discreet
from discreet import (
    Categories,
    IntegerLaplace,
    KindError,
    LongitudinalRappor,
    MismatchError,
    OptimizedUnary,
    ParameterError,
    RandomizedResponse,
    ReportError,
    UnsupportedError,
    mechanisms,
)
from discreet.coins import SYSTEM
from discreet.measures import MaxDivergence, Pure
from discreet.survey import (
    Collector,
    Estimate,
    Form,
    Question,
    Report,
    Survey,
    TextForm,
    TextQuestion,
    influence,
    oracle_of,
    plan,
)
from discreet.survey.misfit import misfit_of_counts
from discreet.survey.oracles import KINDS, Oracle, kind_named
from discreet.survey.oracles.bits import Bits
from discreet.survey.oracles.places import Places

pytestmark = pytest.mark.usefixtures("given_coins")

EXAMPLES = {
    "LongitudinalRappor": [LongitudinalRappor(length=k, max_weight=1, f="1/2", p="1/4", q="7/8") for k in (2, 3, 5)],
}
LISTS = [Categories([False, True]), Categories(["never", "sometimes", "daily"]), Categories(range(5))]


def choices_of(oracle):
    """Return choices that the mechanism is for."""
    return next(choices for choices in LISTS if not oracle.needed(choices))


def made(kind):
    """Yield small mechanisms of a kind: from a budget, or the examples."""
    if not kind.budgeted:
        yield from EXAMPLES[kind.of.__name__]
        return
    for choices, epsilon in product(LISTS, ("1/2", 2)):
        m = kind.within(choices, epsilon)
        if not kind(m).needed(choices):
            yield m


ORACLES = [oracle_of(m) for kind in KINDS.values() for m in made(kind)]
EVERY = pytest.mark.parametrize("oracle", ORACLES, ids=lambda o: f"{o.name}, {o.size}")
KIND = pytest.mark.parametrize("kind", KINDS.values(), ids=lambda kind: kind.of.__name__)


def report_law(oracle, place, monkeypatch):
    """Return the exact law of payloads about an answer: what is drawn for each outcome of the mechanism's law."""
    m, asked = oracle.mechanism, []
    law, outcome = None, None

    def sample(_, x, *__):
        nonlocal law
        asked.append(x)
        law = m.law(x) if law is None else law
        return next(iter(law)) if outcome is None else outcome

    def as_bits(_, memo, *__):
        return np.array(sample(None, memo), bool)

    with monkeypatch.context() as patch:
        if oracle.lasting:
            patch.setattr(type(m), "permanent", lambda _, x, *__: x)
            patch.setattr(type(m), "instantaneous", as_bits)
        else:
            patch.setattr(type(m), "sample", as_bits if "length" in oracle.given(LISTS[0]) else sample)
        oracle.draw(place, SYSTEM)
        found = Counter()
        for outcome, mass in law.items():  # noqa: B007  The sampler reads it.
            found[oracle.draw(place, SYSTEM).tobytes()] += mass
    assert len({str(x) for x in asked}) == 1
    return found


def rows_of(payloads):
    return np.array([list(payload) for payload in payloads], np.uint8)


def laws(oracle, monkeypatch):
    """Return, for each truth, the rows of the law and their masses."""
    found = [report_law(oracle, place, monkeypatch) for place in range(oracle.size)]
    return [(rows_of(law), list(law.values())) for law in found]


class TestRegistry:
    def test_every_mechanism_whose_reports_support_something_has_an_oracle(self):
        local = {name for name in mechanisms.__all__ if hasattr(getattr(mechanisms, name), "support")}
        assert local == set(KINDS)
        assert all(kind.of is getattr(mechanisms, name) for name, kind in KINDS.items())
        assert {type(oracle) for oracle in ORACLES} == set(KINDS.values())

    def test_a_mechanism_has_one_oracle(self):
        before = dict(KINDS)
        with pytest.raises(TypeError, match="RandomizedResponse has an oracle"):

            class Second(Places[RandomizedResponse], of=RandomizedResponse):
                pass

        assert before == KINDS

    def test_nothing_outside_the_oracles_knows_a_local_mechanism(self):
        """But the two places that make one: a field of browsers, and the usual mechanism of open text."""
        folder = Path(discreet.__file__).parent
        known = {}
        for path in [*folder.glob("survey/*.py"), *folder.glob("cli/*.py"), *folder.glob("pages/*.py")]:
            tree = ast.parse(path.read_text())
            names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
            names |= {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
            names |= {node.name for node in ast.walk(tree) if isinstance(node, ast.alias)}
            docs = {ast.get_docstring(node, clean=False) for node in ast.walk(tree) if isinstance(node, DOCUMENTED)}
            words = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)} - docs
            names |= {word for word in words if isinstance(word, str)}
            if found := {kind for kind in KINDS for name in names if name == kind}:
                known[path.name] = found
        assert known == {"trigger.py": {"RandomizedResponse"}, "texts.py": {"Rappor"}}

    @KIND
    def test_the_wire_is_described(self, kind):
        assert kind.says in ("choice", "choices", "bytes")
        assert len(kind.payload) > 10


DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef)


class TestLaws:
    @EVERY
    def test_support_is_what_is_drawn(self, oracle, monkeypatch):
        for truth, (rows, masses) in enumerate(laws(oracle, monkeypatch)):
            assert sum(masses) == 1
            for choice, column in enumerate(oracle.supported(rows).T):
                together = sum((mass for mass, bit in zip(masses, column, strict=True) if bit), Fraction(0))
                assert together == oracle.support[choice != truth]

    @EVERY
    def test_both_is_the_least_for_each_pair(self, oracle, monkeypatch):
        drawn = [(oracle.supported(rows), masses) for rows, masses in laws(oracle, monkeypatch)]
        for i, j in combinations(range(oracle.size), 2):
            found = {True: [], False: []}
            for truth, (table, masses) in enumerate(drawn):
                column = table[:, i] & table[:, j]
                found[truth in (i, j)].append(
                    sum((mass for mass, bit in zip(masses, column, strict=True) if bit), Fraction(0))
                )
            own, other = oracle.both(i, j)
            assert oracle.both(j, i) == (own, other)
            assert own == min(found[True])
            assert not found[False] or other == min(found[False])

    @EVERY
    def test_the_mean_square_of_a_difference_is_bounded_for_every_truth(self, oracle, monkeypatch):
        (p, q), form = oracle.support, Question("asked", choices_of(oracle).values).form(oracle.mechanism)
        assert form.oracle == oracle
        for truth, (rows, masses) in enumerate(laws(oracle, monkeypatch)):
            table = oracle.supported(rows).astype(int)
            for i, j in combinations(range(oracle.size), 2):
                square = sum(m * int(b) ** 2 for m, b in zip(masses, table[:, i] - table[:, j], strict=True))
                own, other = oracle.both(i, j)
                assert square <= (p + q - 2 * own if truth in (i, j) else 2 * q - 2 * other)

    @EVERY
    def test_weights_are_bounds(self, oracle, monkeypatch):
        seen = {int(w) for rows, _ in laws(oracle, monkeypatch) for w in oracle.supported(rows).sum(axis=1)}
        least, most = oracle.weights
        assert least <= min(seen)
        assert max(seen) <= most

    @EVERY
    def test_influence_is_that_of_the_worst_report(self, oracle, monkeypatch):
        p, q = oracle.support
        bits = {bool(bit) for rows, _ in laws(oracle, monkeypatch) for bit in oracle.supported(rows).ravel()}
        assert max(abs((bit - q) / (p - q)) for bit in bits) == oracle.influence == influence(oracle.mechanism)

    @EVERY
    def test_losses_of_a_permanent_answer(self, oracle):
        up = MaxDivergence().up
        assert up(oracle.loss_of(1)) == oracle.mechanism.privacy_map(1)
        assert up(oracle.loss_of(1)) <= up(oracle.loss_of(5)) <= up(oracle.loss_of(None))
        assert oracle.lasting or up(oracle.loss_of(None)) == oracle.mechanism.privacy_map(1)

    @EVERY
    def test_what_is_drawn_in_bulk_follows_the_law(self, oracle, monkeypatch):
        n = 4000
        if oracle.lasting:
            with pytest.raises(UnsupportedError, match="a client with a secret"):
                oracle.perturb(np.zeros(n, np.int64))
            return
        for place in (0, oracle.size - 1):
            law, other = (report_law(oracle, i, monkeypatch) for i in (place, (place + 1) % oracle.size))
            seen = Counter(row.tobytes() for row in oracle.perturb(np.full(n, place, np.int64)))
            assert set(seen) <= {payload for payload, mass in law.items() if mass}
            assert fit(seen, law, n) > 1e-6
            assert fit(seen, other, n) < 1e-6 or oracle.mechanism.privacy_map(1) < 0.4


def fit(seen, law, n):
    """Return the p-value of counted payloads under a law, rare ones taken together."""
    often = [payload for payload, mass in law.items() if mass * n >= 5]
    counts = [seen[payload] for payload in often]
    masses = [float(law[payload]) for payload in often]
    if sum(masses) < 1 - 1e-9:
        counts, masses = [*counts, n - sum(counts)], [*masses, 1 - sum(masses)]
    return stats.chisquare(counts, np.array(masses) * n).pvalue


class TestBytes:
    @EVERY
    def test_valid_rows_are_those_that_can_be_drawn(self, oracle, monkeypatch):
        drawn = {row.tobytes() for rows, _ in laws(oracle, monkeypatch) for row in rows}
        assert oracle.width == len(next(iter(drawn))) == 1
        every = np.arange(256, dtype=np.uint8)[:, None]
        assert {row.tobytes() for row in every[oracle.valid(every)]} == drawn

    @EVERY
    def test_counts_are_the_sums_of_what_is_supported(self, oracle):
        every = np.arange(256, dtype=np.uint8)[:, None]
        valid = every[oracle.valid(every)]
        for rows in (valid[:0], valid, np.resize(valid, (300_001, 1))):
            counts = oracle.count(rows)
            assert counts.dtype == np.int64
            assert counts.tolist() == oracle.supported(rows).sum(axis=0).tolist()

    @EVERY
    def test_what_is_supported_is_written_back_where_that_is_all_a_report_says(self, oracle):
        every = np.arange(256, dtype=np.uint8)[:, None]
        rows = every[oracle.valid(every)]
        table = oracle.supported(rows)
        if oracle.says == "bytes":
            with pytest.raises(ReportError, match="not a report"):
                oracle.written(table)
            return
        assert oracle.written(table).tolist() == rows.tolist()
        if oracle.says == "choice":
            places = np.arange(oracle.size)
            assert oracle.unpack(oracle.pack(places)).tolist() == places.tolist()
            for wrong in (np.zeros((1, oracle.size), bool), np.ones((1, oracle.size), bool)):
                with pytest.raises(ReportError, match="impossible"):
                    oracle.written(wrong)

    @EVERY
    def test_a_description_is_plain_and_is_read_back(self, oracle):
        known = oracle.given(choices_of(oracle))
        said = json.loads(json.dumps(oracle.described(known)))
        assert type(oracle).rebuilt(said, known) == oracle.mechanism
        assert said["name"] == type(oracle.mechanism).__name__
        assert oracle_of(oracle.mechanism) == oracle
        assert not set(said) & set(known)

    def test_options_are_described_where_they_are_set_and_are_no_part_of_a_digest(self):
        q = Question("smokes", [False, True])
        slow, quick = (q.form(discreet.RandomizedResponseBool(prob="3/4", constant_time=x)) for x in (True, False))
        assert (slow.oracle.options, quick.oracle.options) == (("constant_time",), ())
        assert slow.to_dict()["mechanism"] == {"name": "RandomizedResponseBool", "prob": "3/4", "constant_time": True}
        assert Form.from_dict(slow.to_dict()).mechanism == slow.mechanism
        assert slow.digest == quick.digest
        assert "constant_time" not in quick.to_dict()["mechanism"]


class TestTheWholeWay:
    @EVERY
    def test_from_a_client_to_an_estimate(self, oracle):
        q = Question("asked", choices_of(oracle).values)
        form, n = q.form(oracle.mechanism), 40
        box, again = Collector(form), Collector(Form.from_dict(json.loads(json.dumps(form.to_dict()))))
        for i in range(n):
            client = q.client(oracle.mechanism, secret=bytes([i]) * 16)
            report = client.report(q.categories.values[i % oracle.size])
            assert Report.from_json(report.to_json()) == report
            said = form.read(report.payload)
            if form.says != "bytes":
                assert form.payload_of(said) == report.payload
            box.add(report)
            again.add(report.to_bytes())
        assert box == again == Collector.from_dict(json.loads(json.dumps(box.to_dict())))
        assert form.possible(n, box.supports.tolist())
        estimate = box.estimate()
        assert estimate.misfit.p > 1e-9
        assert (estimate.intervals[:, 0] <= estimate.intervals[:, 1]).all()

    @pytest.mark.parametrize("kind", [kind for kind in KINDS.values() if kind.budgeted], ids=lambda k: k.of.__name__)
    def test_from_a_frame_through_files_to_an_estimate(self, kind, tmp_path):
        choices = choices_of(kind(next(made(kind))))
        q = Question("asked", choices.values)
        survey = Survey([q], epsilon=3, kinds={"asked": kind.of})
        assert Survey.from_dict(json.loads(json.dumps(survey.to_dict()))).forms == survey.forms
        answers = tmp_path / "answers.csv"
        pd.DataFrame({"asked": [choices.values[i % len(choices)] for i in range(60)]}).to_csv(answers, index=False)
        for suffix in ("csv", "parquet"):
            noisy = tmp_path / f"noisy.{suffix}"
            assert survey.perturb_file(answers, noisy) == 60
            boxes = survey.collect(noisy)
            assert (boxes["asked"].n, boxes["asked"].refused.total()) == (60, 0)

    @KIND
    def test_plans_have_those_that_are_planned(self, kind):
        names = [option.name.split(",")[0] for option in plan(10, epsilon=1, people=1000).options]
        assert (kind.of.__name__ in names) == kind.planned

    @KIND
    def test_names_in_files_are_those_of_budgets(self, kind):
        data = {"epsilon": 1, "questions": [{"name": "asked", "choices": [False, True], "mechanism": kind.of.__name__}]}
        if kind.budgeted:
            assert type(Survey.from_dict(data).forms[0].mechanism) is kind.of
        else:
            with pytest.raises(ParameterError, match=r"mechanism='.*': need one of"):
                Survey.from_dict(data)

    @EVERY
    def test_misfit_is_rare_among_honest_counts_and_sees_what_is_beyond(self, oracle, monkeypatch):
        rng, n = np.random.default_rng(7), 400
        drawn = laws(oracle, monkeypatch)
        low = 0
        for _ in range(60):
            truths = rng.multinomial(n, rng.dirichlet(np.ones(oracle.size)))
            counts = np.zeros(oracle.size, np.int64)
            for people, (rows, masses) in zip(truths, drawn, strict=True):
                times = rng.multinomial(people, np.array([float(m) for m in masses]))
                counts += times @ oracle.supported(rows)
            low += oracle.misfit(counts, n).p < 0.05
        assert low <= 12  # Of 60, with an expectation of at most 3.
        beyond = np.zeros(oracle.size, np.int64)
        assert oracle.misfit(beyond, 100_000).p < 1e-9

    def test_the_general_misfit_looks_at_single_choices_alone(self):
        """Groups and sums need what is proved of sets and of coins of their own."""
        few = np.array([175] * 64)  # Each is plausible by itself, and half of them together are not.
        single, own = (misfit_of_counts(few, 1000, 0.5, 0.2, own_coins=x).p for x in (False, True))
        assert own < 1e-6 < 0.1 < single
        assert misfit_of_counts(few, 1000, 0.5, 0.2, weight=3).p == 0.0


class Impostor:
    """Has the name of a mechanism, and nothing else of it."""

    support = Fraction(3, 4), Fraction(1, 4)


Impostor.__name__ = "RandomizedResponse"


class TestWrongClasses:
    Q, TEXT = Question("smokes", ["never", "daily"]), TextQuestion("page", length=8, hashes=1, cohorts=2)

    @pytest.mark.parametrize("wrong", [Impostor(), IntegerLaplace(scale=1), None, "Rappor", RandomizedResponse, 3])
    def test_a_wrong_class_is_refused_everywhere(self, wrong):
        for ask in (
            oracle_of,
            influence,
            self.Q.form,
            self.Q.client,
            self.Q.collector,
            self.TEXT.form,
            self.TEXT.client,
            self.TEXT.collector,
            lambda m: Form(self.Q, m),
        ):
            with pytest.raises(KindError, match="need one of"):
                ask(wrong)

    @pytest.mark.parametrize("name", ["IntegerLaplace", "randomizedresponse", "", None, 3, ["Rappor"]])
    def test_a_wrong_name_is_refused_everywhere(self, name):
        form = self.Q.form(OptimizedUnary.within(epsilon=1, length=2))
        data = form.to_dict() | {"mechanism": {"name": name, "p": "1/2", "q": "1/4"}}
        box = Collector(form).to_dict() | {"form": data}
        text = self.TEXT.form(self.TEXT.mechanism(epsilon=4)).to_dict() | {"mechanism": {"name": name}}
        for ask in (
            lambda: kind_named(name),
            lambda: Form.from_dict(data),
            lambda: Collector.from_dict(box),
            lambda: TextForm.from_dict(text),
            lambda: Survey([self.Q], epsilon=1, kinds={"smokes": type(name)}),
        ):
            with pytest.raises(ParameterError, match="need one of"):
                ask()

    def test_open_text_takes_filters_alone(self):
        with pytest.raises(KindError, match="need one of LongitudinalRappor, Rappor"):
            self.TEXT.form(OptimizedUnary.within(epsilon=1, length=8))
        text = self.TEXT.form(self.TEXT.mechanism(epsilon=4)).to_dict()
        with pytest.raises(ParameterError, match="need one of LongitudinalRappor, Rappor"):
            TextForm.from_dict(text | {"mechanism": {"name": "OptimizedUnary", "p": "1/2", "q": "1/4"}})

    @EVERY
    def test_other_choices_are_refused(self, oracle):
        q = Question("asked", [f"choice {i}" for i in range(oracle.size + 1)])
        with pytest.raises(MismatchError, match=r"asked and .*: need "):
            q.form(oracle.mechanism)


@dataclass(frozen=True)
class Halves:
    """A toy: a report is one of the halves of four choices, with probability *prob* one that holds the truth."""

    prob: Fraction

    HALVES = ((0, 1), (2, 3), (0, 2), (1, 3), (0, 3), (1, 2))

    def __init__(self, *, prob):
        object.__setattr__(self, "prob", Fraction(prob))

    @property
    def support(self):
        return self.prob, (1 + (1 - self.prob)) / 3

    def loss(self, d_in):
        return Pure(Fraction(d_in))

    def privacy_map(self, d_in):
        return float(d_in)

    def law(self, x):
        return {h: (self.prob if x in self.HALVES[h] else 1 - self.prob) / 3 for h in range(6)}

    def sample(self, x, _):
        return next(h for h in range(6) if x in self.HALVES[h])

    @classmethod
    def within(cls, *, epsilon):
        return cls(prob="3/4")


@pytest.fixture
def halves(monkeypatch):
    """Register a new oracle by its class statement alone, and forget it again."""
    monkeypatch.setattr("discreet.survey.oracles.base.KINDS", KINDS)
    before = dict(KINDS)

    class HalvesOracle(Oracle[Halves], of=Halves):
        says, payload, width, size = "bytes", "the number of the half", 1, 4
        table = np.array([[i in half for i in range(4)] for half in Halves.HALVES])

        @classmethod
        def given(cls, choices):
            return {}

        def needed(self, choices):
            return "" if len(choices) == 4 else "four choices"

        def both(self, i, j):
            return self.mechanism.prob / 3, (1 - self.mechanism.prob) / 3

        def perturb(self, places):
            return np.array([[self.mechanism.sample(place, SYSTEM)] for place in places.tolist()], np.uint8)

        def draw(self, place, coins):
            return np.array([[self.mechanism.sample(place, coins)]], np.uint8)

        def valid(self, rows):
            return rows[:, 0] < 6

        def supported(self, rows):
            return self.table[rows[:, 0]]

        def count(self, rows):
            return self.supported(rows).sum(axis=0)

    yield HalvesOracle
    KINDS.clear()
    KINDS.update(before)


class TestANewMechanism:
    """The class statement is all: forms, files, clients, collectors, estimates, plans and influence follow."""

    def test_it_is_known_everywhere(self, halves, monkeypatch):
        q, m = Question("city", list("abcd")), Halves(prob="3/4")
        form = q.form(m)
        assert Form.from_dict(json.loads(json.dumps(form.to_dict()))) == form
        box = q.collector(m)
        assert box.add_many(form.perturb(np.arange(4).repeat(100)), payloads=True).added == 400
        box.add(q.client(m).report("b"))
        assert box.n == 401
        with pytest.raises(ReportError, match="not a report"):
            form.payload_of(("a", "b"))
        assert "Halves" in [option.name for option in q.plan(epsilon=1).options]
        assert influence(m) == (1 - form.support[1]) / (form.support[0] - form.support[1])
        assert box.estimate().misfit.p >= 0
        with pytest.raises(MismatchError, match="x and Halves: need four choices"):
            Question("x", ["a", "b", "c"]).form(m)
        oracle = form.oracle
        TestLaws().test_support_is_what_is_drawn(oracle, monkeypatch)
        TestLaws().test_both_is_the_least_for_each_pair(oracle, monkeypatch)

    def test_fields_are_read_by_their_types_however_these_are_written(self, halves):
        """With annotations as texts, or as the types that they are."""

        @dataclass(frozen=True)
        class Typed:
            count: int
            slow: bool
            prob: "Fraction"

        halves.of = Typed
        oracle = halves(Typed(3, True, Fraction(1, 2)))
        said = {"name": "Typed", "count": "3", "slow": True, "prob": "1/2"}
        assert oracle.described({}) == said
        assert oracle.options == ("slow",)
        assert halves.rebuilt(said, {}) == Typed(3, True, "1/2")
        with pytest.raises(ParameterError, match="a whole number, for Typed"):
            halves.rebuilt(said | {"count": "-3"}, {})

    def test_booleans_are_no_reports_of_one_that_says_bytes(self, halves):
        q = Question("city", list("abcd"))
        with pytest.raises(KindError, match="rows of bytes"):
            q.collector(Halves(prob="3/4")).add_many(np.eye(4, dtype=bool))

    def test_more_than_is_true_would_make_differences_too_narrow(self, halves, monkeypatch):
        q = Question("city", list("abcd"))
        counts, n = np.array([300, 250, 230, 220]), 500
        honest = Estimate.of(q.form(Halves(prob="3/4")), counts, n).difference("a", "b")
        monkeypatch.setattr(halves, "both", lambda *_: (Fraction(1, 3), Fraction(1, 3)))
        narrow = Estimate.of(q.form(Halves(prob="3/4")), counts, n).difference("a", "b")
        assert narrow.high - narrow.low < honest.high - honest.low


class TestFamilies:
    def test_bits_after_the_last_choice_are_no_report(self):
        for k in (3, 8, 9, 16):
            oracle = oracle_of(OptimizedUnary.within(epsilon=1, length=k))
            assert isinstance(oracle, Bits)
            rows = np.full((2, oracle.width), 255, np.uint8)
            rows[0] = np.packbits(np.ones((1, k), bool), axis=1, bitorder="little")
            assert oracle.valid(rows).tolist() == [True, k % 8 == 0]

    @pytest.mark.parametrize(("k", "width"), [(256, 1), (257, 2), (65_536, 2), (65_537, 4)])
    def test_places_take_as_many_bytes_as_they_need(self, k, width):
        oracle = oracle_of(RandomizedResponse(categories=range(k), prob="3/4"))
        places = np.array([0, 1, k - 1])
        assert oracle.width == width
        assert oracle.unpack(oracle.pack(places)).tolist() == places.tolist()
        assert oracle.count(oracle.pack(places))[places].tolist() == [1, 1, 1]


def test_figures_are_those_from_before():
    wanted, found = json.loads(oracle_figures.FILE.read_text()), json.loads(json.dumps(oracle_figures.figures()))
    assert found["forms"].keys() == wanted["forms"].keys()
    for name, figures in found["forms"].items():
        for what, value in figures.items():
            before = wanted["forms"][name][what]
            # The ends of an interval are the root of a function, and its last digit is the processor's.
            same = pytest.approx(before, rel=1e-14) if what == "difference" else before
            assert value == same, (name, what)
    recorded = {row[0].split(",")[0] for rows in wanted["plans"].values() for row in rows}
    for asked, rows in found["plans"].items():
        assert [row for row in rows if row[0].split(",")[0] in recorded] == wanted["plans"][asked], asked
