"""Misfit: honest reports are called implausible no more often than stated, and files that cannot be are called so.

Where the law of the counts can be written out, the probability of a small p is computed from it. Where it is
simulated, the test fails by chance with a probability of less than one in a million.
"""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
import tiers
from click.testing import CliRunner
from scipy import stats

from discreet import LongitudinalRappor, OptimizedUnary, RandomizedResponse, Rappor, SubsetSelection
from discreet.cli.app import app
from discreet.intervals import binomial_tails, fewest_hits
from discreet.survey import Collector, Crosstab, Estimate, Question, Survey, TextQuestion
from discreet.survey.misfit import Misfit

pytestmark = pytest.mark.usefixtures("given_coins")

FEW = tiers.cases(500, 2000)
KINDS = (RandomizedResponse, SubsetSelection, OptimizedUnary, Rappor)


def named(value):
    return getattr(value, "__name__", None)


def form_of(kind, k, epsilon=1):
    q = Question("q", range(k))
    if kind in (RandomizedResponse, SubsetSelection):
        return q.form(kind.within(epsilon=epsilon, categories=q.categories))
    return q.form(kind.within(epsilon=epsilon, length=k, **({} if kind is OptimizedUnary else {"max_weight": 1})))


def report_law(form, truth):
    """The exact law of which choices a report supports."""
    k, m = len(form.question), form.mechanism
    if isinstance(m, RandomizedResponse | SubsetSelection):
        said = ((o if isinstance(o, tuple) else (o,), mass) for o, mass in m.law(truth).items())
        return {tuple(int(v in o) for v in range(k)): float(mass) for o, mass in said}
    return {tuple(map(int, o)): float(mass) for o, mass in m.law([i == truth for i in range(k)]).items()}


def count_law(form, truths):
    """The exact law of the counts of people with these truths."""
    law = {(0,) * len(form.question): 1.0}
    for truth in truths:
        grown = {}
        for (counts, mass), (report, chance) in itertools.product(law.items(), report_law(form, truth).items()):
            key = tuple(map(sum, zip(counts, report, strict=True)))
            grown[key] = grown.get(key, 0.0) + mass * chance
        law = grown
    return law


class TestItIsValid:
    @tiers.crossed(
        7,
        kind=KINDS,
        epsilon=[1, 0.5, 4],
        truths=[[0] * 4, [0, 1, 2], [0] * 9, [0, 0, 0, 1, 1, 1, 2, 2, 2], [1]],
        ids=named,
    )
    def test_for_few_people_by_the_exact_law_of_the_counts(self, kind, epsilon, truths):
        form = form_of(kind, 3, epsilon)
        law = count_law(form, truths)
        found = [(Estimate.of(form, np.array(c), len(truths)).misfit.p, mass) for c, mass in law.items()]
        for x in (1e-6, 0.001, 0.01, 0.05, 0.2, 0.5):
            assert sum(mass for p, mass in found if p <= x) <= x + 1e-12

    @tiers.crossed(2, kind=KINDS, sizes=[(2, 50, FEW), (10, 30, FEW), (100, 400, FEW // 5)], ids=named)
    def test_for_many_people_and_shares_in_the_corners_by_simulation(self, kind, sizes):
        k, n, rounds = sizes
        form = form_of(kind, k)
        for truths in (np.zeros(n, int), np.arange(n) % k, np.arange(n) % 2):
            rows = form.perturb(np.tile(truths, rounds)).reshape(rounds, n, form.width)
            small = np.array([Estimate.of(form, form.count(each), n).misfit.p for each in rows])
            for x in (0.01, 0.2):
                assert (small <= x).sum() <= stats.binom.isf(1e-8, rounds, x)

    def test_and_for_the_permanent_and_the_instantaneous_flips_of_rappor(self):
        form = Question("q", range(6)).form(LongitudinalRappor(length=6, max_weight=1, f="1/2", p="1/4", q="3/4"))
        client = form.question.client(form.mechanism, secret=b"kept on this device")
        assert client  # One secret makes one permanent answer; many people have many.
        rng = np.random.default_rng(6)
        p, q = map(float, form.support)
        counts = rng.binomial(500, q, (300, 6)) * 0
        counts[:, 1:] = rng.binomial(500, q, (300, 5))
        counts[:, 0] = rng.binomial(500, p, 300)
        small = [Estimate.of(form, each, 500).misfit.p <= 0.01 for each in counts]
        assert sum(small) <= stats.binom.isf(1e-8, 300, 0.01)

    @pytest.mark.parametrize(
        ("k", "d", "prob"), [(5, 2, "3/5"), (6, 3, "9/10"), (6, 5, "9/10"), (7, 1, "1/3"), (5, 4, 1)]
    )
    def test_the_lemma_of_groups_sets_are_as_negatively_associated_as_the_proof_says(self, k, d, prob):
        form = Question("q", range(k)).form(SubsetSelection(categories=range(k), size=d, prob=prob))
        _, q = map(float, form.support)
        for truth, s, t in itertools.product((0, k - 1), range(1, k), (0.1, 1.0, 5.0, 50.0)):
            law = report_law(form, truth)
            found = sum(mass * math.exp(-t * sum(report[:s])) for report, mass in law.items())
            assert found <= (1 - q + q * math.exp(-t)) ** s * (1 + 1e-12)

    def test_the_bound_of_groups_is_above_the_exact_probability(self):
        for n, q, s in itertools.product((1, 5, 40), (0.05, 0.3, 0.7), (1, 2, 4)):
            for hits in range(n * s + 1):
                exact = stats.binom.cdf(hits, n * s, q)
                assert fewest_hits(hits, n, q, s, s) >= exact * (1 - 1e-9)
                assert fewest_hits(hits, n, q, 8, s) >= min(1, fewest_hits(hits, n, q, s, s))

    def test_tails_are_those_of_the_binomial_law(self):
        for n, low, high in itertools.product((1, 7, 300), (0.01, 0.4), (0.5, 0.99)):
            below, above = binomial_tails(np.arange(n + 1), n, low, high)
            assert np.allclose(below, stats.binom.cdf(np.arange(n + 1), n, low), rtol=1e-9)
            assert np.allclose(above, stats.binom.sf(np.arange(n + 1) - 1, n, high), rtol=1e-9)


class TestItHasPower:
    def test_more_than_everyone_and_fewer_than_nobody(self):
        form = form_of(RandomizedResponse, 4)
        all_one = Estimate.of(form, np.array([1000, 0, 0, 0]), 1000)
        assert all_one.shares[0] > 1.5
        assert all_one.misfit.p < 1e-100
        assert all_one.standard_errors().min() > 0
        assert all_one.difference(0, 1).error > 0

    @pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
    def test_true_answers_in_the_place_of_reports(self, kind):
        form, n = form_of(kind, 16), 5000
        supports = np.zeros(16, int)
        supports[:5] = n // 5
        if kind is SubsetSelection:
            supports[:] = 0
            supports[: form.mechanism.size] = n
        assert Estimate.of(form, supports, n).misfit.p < 1e-9

    def test_many_choices_that_are_each_a_little_too_rare(self):
        form = form_of(RandomizedResponse, 1000)
        supports = np.zeros(1000, int)
        supports[:200] = 50
        estimate = Estimate.of(form, supports, 10_000)
        alone = 2000 * stats.binom.cdf(0, 10_000, float(form.support[1]))
        assert alone > 0.05  # No single choice is implausible.
        assert estimate.misfit.p < 1e-99

    @pytest.mark.parametrize("kind", [OptimizedUnary, Rappor], ids=lambda kind: kind.__name__)
    def test_reports_that_are_too_heavy_or_too_light_over_all(self, kind):
        form, n = form_of(kind, 100), 2000
        p, q = map(float, form.support)
        expected = np.full(100, round(n * (p + 99 * q) / 100))
        assert Estimate.of(form, expected, n).misfit.p == 1
        for way in (-1, 1):
            # Two standard errors on each choice.
            shifted = expected + way * round(2 * math.sqrt(n * q * (1 - q)))
            assert Estimate.of(form, shifted, n).misfit.p < 1e-9

    def test_each_report_ten_times(self):
        form = form_of(OptimizedUnary, 1000)
        rows = form.perturb(np.arange(1000))
        once, often = (Estimate.of(form, times * form.count(rows), times * 1000) for times in (1, 10))
        assert often.misfit.p < 1e-9
        assert once.misfit.p > 1e-6

    def test_sums_that_no_reports_give(self):
        assert Estimate.of(form_of(RandomizedResponse, 4), np.array([300, 250, 250, 201]), 1000).misfit.p == 0
        assert Estimate.of(form_of(RandomizedResponse, 4), np.array([300, 250, 250, 200]), 1000).misfit.p == 1


class TestWords:
    WORDS = "These reports are implausible under this mechanism"

    def test_text_says_it_and_only_where_it_is_so(self):
        form = form_of(RandomizedResponse, 4)
        wrong = Estimate.of(form, np.array([1000, 0, 0, 0]), 1000)
        assert self.WORDS in str(wrong).splitlines()[-1]
        assert self.WORDS in wrong.to_html()
        right = Estimate.of(form, np.array([300, 250, 250, 200]), 1000)
        assert self.WORDS not in str(right) + right.to_html()
        table = Crosstab.of((form, form), (wrong.supports, right.supports), np.diag([250] * 4), 1000)
        assert self.WORDS in str(table)
        assert self.WORDS in table.to_html()
        assert table.misfit.p == min(1, 2 * wrong.misfit.p)

    def test_the_command_line_says_it(self, tmp_path):
        survey = Survey([Question("q", ["no", "yes"])], epsilon=1)
        boxes = survey.collector()
        boxes["q"].add_many(["yes"] * 999)
        boxes.save(tmp_path / "box.json")
        shown = CliRunner().invoke(app, ["survey", "estimate", str(tmp_path / "box.json")])
        assert shown.exit_code == 0
        assert self.WORDS in " ".join(shown.output.split())

    def test_numbers_are_rounded_up_to_one_digit(self):
        assert "(p = 3e-9)" in str(Misfit(2.01e-9))
        assert "(p = 1e-2)" in str(Misfit(0.00999))
        assert "(p < 1e-300)" in str(Misfit(0.0))
        assert not str(Misfit(0.01))

    def test_open_text(self):
        t = TextQuestion("homepage", length=32, hashes=2, cohorts=4)
        form = t.form(t.mechanism(epsilon=2))
        wrong = form.decode(np.repeat([0, 100], [128, 4]), ["a"])  # A hundred reports a cohort, and no bit set.
        assert wrong.misfit.p < 1e-9
        assert self.WORDS in str(wrong)
        assert self.WORDS in wrong.to_html()
        honest = Collector(form)
        for i in range(200):
            honest.add(t.client(form.mechanism, cohort=i % 4).report("a"))
        assert honest.decode(["a"]).misfit.p > 1e-7


def test_the_structure_is_of_every_set_mechanism():
    q = Question("q", [False, True])
    from discreet import RandomizedResponseBool

    form = q.form(RandomizedResponseBool(prob=Fraction(3, 4)))
    assert Estimate.of(form, np.array([5, 6]), 10).misfit.p == 0
