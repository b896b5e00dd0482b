"""Estimates: unbiased by the laws themselves, intervals against exact coverage, differences, and pairs of questions.

Where a count's law is known, the coverage of the code's own interval is computed from it, not simulated. Where a test
does simulate, it fails by chance with a probability of less than one in a million, and a wrong interval or a wrong
mechanism is shown to fail it too.
"""

import itertools
import math
from fractions import Fraction
from functools import cache

import matplotlib as mpl
import numpy as np
import pytest
import tiers
from scipy import stats
from scipy.signal import convolve2d
from survey_laws import most_misses, rr

from discreet import (
    DiscreetError,
    KindError,
    LongitudinalRappor,
    MismatchError,
    OptimizedUnary,
    ParameterError,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    SubsetSelection,
    UnsupportedError,
)
from discreet.survey import Collector, Crosstab, Estimate, PairCollector, Question, Survey, simplex

mpl.use("Agg")

pytestmark = pytest.mark.usefixtures("given_coins")

KINDS = (RandomizedResponse, SubsetSelection, OptimizedUnary, Rappor, LongitudinalRappor)
NEVER = 1e-7
"""A simulated test of a true claim fails with at most this probability."""


def form_of(kind, k, epsilon, name="q"):
    """The form of a question with k choices, by a kind of mechanism within a budget."""
    q = Question(name, range(k))
    if kind in (RandomizedResponse, SubsetSelection):
        return q.form(kind.within(epsilon=epsilon, categories=q.categories))
    if kind is OptimizedUnary:
        return q.form(kind.within(epsilon=epsilon, length=k))
    if kind is Rappor:
        return q.form(kind.within(epsilon=epsilon, length=k, max_weight=1))
    return q.form(kind.within(epsilon=epsilon, length=k, max_weight=1, p="1/4", q="3/4"))


def label(value):
    if isinstance(value, type):
        return value.__name__
    return f"{type(value.mechanism).__name__}-{len(value.question)}" if hasattr(value, "mechanism") else None


def report_law(form, truth):
    """The exact law of which choices a report supports, from the mechanism's own law."""
    k, m = len(form.question), form.mechanism
    if isinstance(m, RandomizedResponse | RandomizedResponseBool | SubsetSelection):
        values = form.question.categories.values
        said = ((o if isinstance(o, tuple) else (o,), p) for o, p in m.law(values[truth]).items())
        return {tuple(v in o for v in values): p for o, p in said}
    return m.law([i == truth for i in range(k)])


def sets(k, d, prob):
    q = Question("q", range(k))
    return q.form(SubsetSelection(categories=q.categories, size=d, prob=prob))


def bits(k, m):
    return Question("q", range(k)).form(m)


SMALL = [
    Question("q", [False, True]).form(RandomizedResponseBool(prob="3/4")),
    *(rr(k, prob) for k in (2, 3, 5) for prob in ("3/4", Fraction(0.9), 1)),
    *(sets(k, d, "9/10") for k, d in ((2, 1), (3, 2), (4, 2), (5, 2), (5, 3), (5, 4))),
    *(bits(k, OptimizedUnary(length=k, p="1/2", q="1/5")) for k in (2, 3, 5)),
    *(bits(k, Rappor(length=k, max_weight=1, f="1/3")) for k in (2, 3, 4)),
    *(bits(k, LongitudinalRappor(length=k, max_weight=1, f="1/3", p="1/5", q="6/7")) for k in (2, 3)),
    *(form_of(kind, k, 1) for kind in KINDS for k in (2, 4)),
]


class TestShares:
    @pytest.mark.parametrize("form", SMALL, ids=label)
    def test_every_report_is_exactly_unbiased_about_every_choice(self, form):
        p, q = form.support
        for truth, choice in itertools.product(range(form.size), repeat=2):
            law = report_law(form, truth)
            assert sum(mass * (report[choice] - q) / (p - q) for report, mass in law.items()) == (choice == truth)

    @pytest.mark.parametrize("form", SMALL, ids=label)
    def test_support_and_both_are_what_the_law_says(self, form):
        for truth in range(form.size):
            law = report_law(form, truth)
            assert sum(law.values()) == 1
            for a in range(form.size):
                assert sum(mass for report, mass in law.items() if report[a]) == form.support[a != truth]
            for a, b in itertools.combinations(range(form.size), 2):
                together = sum(mass for report, mass in law.items() if report[a] and report[b])
                assert together == form.oracle.both(a, b)[truth not in (a, b)]

    @pytest.mark.parametrize("form", [rr(3, "3/4"), sets(4, 2, "9/10"), SMALL[0], SMALL[-1]], ids=label)
    def test_the_estimate_of_collected_reports_is_unbiased_in_each_reading(self, form):
        # Every pair of reports of two people, through the collector: the respondents' shares are 1/2, 1/2, 0, ...
        laws = [report_law(form, 0), report_law(form, 1)]
        mean = np.zeros(form.size)
        for (one, p), (other, q) in itertools.product(*(law.items() for law in laws)):
            box = Collector(form)
            table = np.array([one, other])
            rows = np.packbits(table, axis=1, bitorder="little") if form.says != "choice" else places_of(form, table)
            box.add_many(rows, payloads=True)
            estimate = box.estimate()
            mean += float(p * q) * estimate.shares
            assert np.allclose(estimate.counts, 2 * estimate.shares)
        assert np.allclose(mean, [0.5, 0.5, *[0] * (form.size - 2)], atol=1e-12)

    def test_shares_are_rounded_once_and_kept_raw(self):
        form = rr(3, "3/4")
        estimate = Estimate.of(form, np.array([99, 1, 0]), 100)
        p, q = form.support
        assert estimate.shares.tolist() == [float((Fraction(c, 100) - q) / (p - q)) for c in (99, 1, 0)]
        assert estimate.shares[0] > 1
        assert estimate.shares[2] < 0
        assert math.isclose(estimate.shares.sum(), 1)
        before = estimate.shares.copy()
        estimate.projected()
        assert (estimate.shares == before).all()
        assert estimate[2].share == before[2]

    @pytest.mark.parametrize("of", ["sample", "respondents"])
    @pytest.mark.parametrize(
        ("form", "n", "yes"),
        [(rr(2, "3/4"), 16, 4), (rr(3, "3/4"), 64, 16), (sets(4, 2, "3/4"), 48, 12), (SMALL[-1], 1000, 300)],
    )
    def test_standard_errors_are_those_of_the_exact_law_at_the_truth(self, form, n, yes, of):
        p, q = form.support
        f = Fraction(yes, n)
        seen = q + f * (p - q)
        if of == "sample":
            law = {c: math.comb(n, c) * seen**c * (1 - seen) ** (n - c) for c in range(n + 1)} if n < 99 else None
        else:
            law = exact_count(n, yes, p, q) if n < 99 else None
        exact = n * (seen * (1 - seen) if of == "sample" else f * p * (1 - p) + (1 - f) * q * (1 - q))
        if law:
            mean = sum(c * mass for c, mass in law.items())
            assert mean == n * seen
            assert sum((c - mean) ** 2 * mass for c, mass in law.items()) == exact
        estimate = Estimate.of(form, np.full(form.size, round(n * seen)), n)
        wanted = math.sqrt(exact) / n / (p - q)
        assert math.isclose(estimate.standard_errors(of)[0], wanted, rel_tol=1e-12 if n < 99 else 1e-3)

    @pytest.mark.parametrize("form", [f for f in SMALL if f.support[0] < 1], ids=label)
    def test_the_squares_of_the_two_errors_differ_by_what_sampling_adds(self, form):
        n = 1000
        p, q = form.support
        inside = np.arange(math.ceil(n * q), math.floor(n * p) + 1)  # Where the share is from 0 to 1.
        estimate = Estimate.of(form, inside, n)
        f = estimate.shares
        between = estimate.standard_errors("sample") ** 2 - estimate.standard_errors("respondents") ** 2
        assert np.allclose(between, f * (1 - f) / n, rtol=1e-6, atol=1e-12)
        assert (between >= -1e-12).all()
        with pytest.raises(ParameterError, match="one of sample, respondents"):
            estimate.standard_errors("everyone")


def places_of(form, table):
    return form.oracle.pack(np.argmax(table, axis=1))


def exact_count(n, yes, p, q):
    """The law of the number of n reports that support a choice which *yes* of the people have, in fractions."""
    law = [Fraction(1)]
    for chance in [p] * yes + [q] * (n - yes):
        law = [a * (1 - chance) + b * chance for a, b in zip([*law, 0], [0, *law], strict=True)]
    return dict(enumerate(law))


@cache
def binomial_law(n, p):
    """Where a binomial law has mass above 1e-18, and that mass."""
    counts = np.arange(n + 1)
    if n > 2000:
        sd = math.sqrt(n * p * (1 - p))
        counts = np.arange(max(0, int(n * p - 10 * sd - 10)), min(n, int(n * p + 10 * sd + 10)) + 1)
    return int(counts[0]), stats.binom.pmf(counts, n, p)


def count_law(reading, n, yes, p, q):
    """The law of how many reports support a choice of *yes* among n: where it begins, and its masses."""
    if reading == "sample":
        return binomial_law(n, q + yes / n * (p - q))
    (a, first), (b, second) = binomial_law(yes, p), binomial_law(n - yes, q)
    return a + b, np.convolve(first, second)


def coverage(ends, f, law):
    start, masses = law
    low, high = ends[start : start + len(masses)].T
    return float(masses[(low <= f) & (f <= high)].sum())


def wald(form, n, error):
    """The interval of the normal approximation, for each count, as textbooks have it."""
    estimate = Estimate.of(form, np.arange(n + 1), n)
    seen, (p, q) = np.arange(n + 1) / n, map(float, form.support)
    radius = stats.norm.isf(error / 2) * np.sqrt(seen * (1 - seen) / n) / (p - q)
    return np.stack([estimate.shares - radius, estimate.shares + radius], axis=1)


GRID = [(kind, k, epsilon) for kind in KINDS for k in (2, 10, 100) for epsilon in (0.5, 1, 4)]
CONFIDENCES = ("0.5", "0.9", "0.95", "0.999")
ROUNDING = 1e-9


class TestCoverage:
    """The exact coverage of the code's own interval, from the exact law of the count, in both readings."""

    @pytest.mark.parametrize(("kind", "k", "epsilon"), GRID, ids=label)
    def test_intervals_cover_at_least_as_often_as_they_say(self, kind, k, epsilon):
        form = form_of(kind, k, epsilon)
        p, q = map(float, form.support)
        for n in (1, 2, 3, 10, 50, 1000):
            ends = {c: Estimate.of(form, np.arange(n + 1), n, confidence=c).intervals for c in CONFIDENCES}
            some = range(n + 1) if n <= 10 else (0, 1, 2, n // 100, n // 10, n // 2, n - 1, n)
            for yes, reading in itertools.product(some, ("sample", "respondents")):
                law = count_law(reading, n, yes, p, q)
                for confidence in CONFIDENCES:
                    assert coverage(ends[confidence], yes / n, law) >= float(confidence) - ROUNDING

    @pytest.mark.parametrize("kind", [SubsetSelection, RandomizedResponse, Rappor], ids=label)
    def test_and_at_a_hundred_thousand(self, kind):
        form, n = form_of(kind, 10, 1), 100_000
        p, q = map(float, form.support)
        ends = Estimate.of(form, np.arange(n + 1), n).intervals
        for yes, reading in itertools.product((0, 1, n // 10, n // 2, n - 1, n), ("sample", "respondents")):
            found = coverage(ends, yes / n, count_law(reading, n, yes, p, q))
            assert found >= 0.95 - ROUNDING
            # For the respondents alone the interval is honest, and a little wide: it does not know that they are all.
            # Next to 0 and 1 an interval never misses on one side, because it never collapses.
            assert found < (0.953 if reading == "sample" else 0.999) or yes in (0, 1, n - 1, n)

    @pytest.mark.parametrize("form", [rr(2, 1), rr(5, 1), rr(3, "0.999999"), rr(3, Fraction(1, 3) + Fraction(1, 999))])
    def test_they_cover_where_answers_are_certain_and_where_they_say_next_to_nothing(self, form):
        p, q = map(float, form.support)
        for n, confidence in itertools.product((1, 2, 10, 50), CONFIDENCES):
            ends = Estimate.of(form, np.arange(n + 1), n, confidence=confidence).intervals
            for yes, reading in itertools.product(range(n + 1), ("sample", "respondents")):
                law = count_law(reading, n, yes, p, q)
                assert coverage(ends, yes / n, law) >= float(confidence) - ROUNDING

    @pytest.mark.parametrize(("k", "n"), [(2, 10), (10, 50)])
    def test_simultaneous_intervals_are_bonferronis(self, k, n):
        form = form_of(SubsetSelection, k, 1)
        supports = np.arange(k) * n // k
        together = Estimate.of(form, supports, n, simultaneous=True).intervals
        assert (together == Estimate.of(form, supports, n, confidence=1 - Fraction(5, 100 * k)).intervals).all()

    def test_intervals_are_within_0_and_1_and_hold_the_share_that_is(self):
        for kind, k, epsilon in GRID:
            estimate = Estimate.of(form_of(kind, k, epsilon), np.arange(51), 50)
            low, high = estimate.intervals.T
            middle = np.clip(estimate.shares, 0, 1)
            assert (low >= 0).all()
            assert (high <= 1).all()
            assert (low <= middle).all()
            assert (middle <= high).all()

    def test_the_power_of_exact_coverage_a_normal_interval_fails_badly(self):
        n = 50
        worst = {}
        for kind, k, epsilon in GRID:
            form = form_of(kind, k, epsilon)
            p, q = map(float, form.support)
            ends = wald(form, n, 0.05)
            worst[kind, k, epsilon] = min(
                coverage(ends, yes / n, count_law("sample", n, yes, p, q)) for yes in (0, 1, 2, 25, 49)
            )
        assert 0.2 < worst[RandomizedResponse, 100, 4] < 0.34  # A third, where 95 % are promised.
        assert worst[RandomizedResponse, 100, 1] < 0.4
        assert sum(c < 0.95 - ROUNDING for c in worst.values()) > 40  # Of 45: exact coverage misses next to none.

    def test_the_power_of_exact_coverage_intervals_a_little_too_short_fail(self):
        n, told = 1000, 0
        for kind, k, epsilon in GRID:
            form = form_of(kind, k, epsilon)
            p, q = map(float, form.support)
            laws = [(yes / n, count_law("sample", n, yes, p, q)) for yes in range(100, 1000, 100)]
            low, high = Estimate.of(form, np.arange(n + 1), n).intervals.T
            if (high - low)[round(n * (p + q) / 2)] > 0.9:
                continue  # Next to nothing is known, and the whole range covers everything.
            told += 1
            narrow = np.stack([low + 0.1 * (high - low), high - 0.1 * (high - low)], axis=1)
            sure = Estimate.of(form, np.arange(n + 1), n, confidence="0.9").intervals
            for wrong in (narrow, sure):
                assert min(coverage(wrong, *each) for each in laws) < 0.95 - ROUNDING
        assert told >= 40  # Of 45.


def trials(form, truth, rounds):
    """The boxes of many rounds, through perturb and collect; truth is the place of each person's answer."""
    rows = form.perturb(np.tile(truth, rounds)).reshape(rounds, len(truth), form.width)
    for each in rows:
        box = Collector(form)
        box.add_many(each, payloads=True)
        yield box


def reread(mechanism, epsilon):
    """A mechanism of the same kind and size for another budget."""
    size = {"size": mechanism.size} if isinstance(mechanism, SubsetSelection) else {}
    return type(mechanism).within(epsilon=epsilon, categories=mechanism.categories, **size)


def population(shares, n):
    """The places of n answers with these shares, as near as whole people go; and the shares that they really have."""
    counts = np.floor(np.array(shares) * n).astype(int)
    counts[0] += n - counts.sum()
    return np.repeat(np.arange(len(counts)), counts), counts / n


class TestEndToEnd:
    """From answers to intervals through the planner's choice: perturb, collect, estimate."""

    @tiers.crossed(4, size=[(3, 1), (10, 1), (100, 2)], people=[(1000, 150), (50, 250), (100_000, 40)])
    def test_what_the_planner_chooses_covers_single_and_simultaneous(self, size, people):
        (k, epsilon), (n, rounds) = size, people
        q = Question("q", range(k))
        form = q.form(q.plan(epsilon=epsilon).mechanism)
        truth, shares = population([0.5, 0.25, *[0.25 / (k - 2)] * (k - 2)], n)
        if k == 100 and n == 100_000:
            rounds = 8
        other = q.form(reread(form.mechanism, 2 * epsilon))
        single, together, louder = np.zeros(k, int), 0, np.zeros(k, int)
        for box in trials(form, truth, rounds):
            low, high = box.estimate().intervals.T
            single += (shares < low) | (shares > high)
            low, high = box.estimate(simultaneous=True).intervals.T
            together += bool(((shares < low) | (shares > high)).any())
            # The power: reports read as if by twice the budget, which is what a forgotten factor would do.
            low, high = Estimate.of(other, box.supports, n).intervals.T
            louder += (shares < low) | (shares > high)
        assert single.max() <= most_misses(rounds, 0.05)
        assert together <= most_misses(rounds, 0.05)
        if n > 50:
            assert louder.max() > most_misses(rounds, 0.05)

    def test_a_normal_interval_would_fail_where_ours_holds(self):
        form, n, rounds = form_of(RandomizedResponse, 100, 4), 50, 200
        truth, shares = population([0.5, *[0.5 / 99] * 99], n)
        misses = np.zeros((2, 100), int)
        ends = wald(form, n, 0.05)
        for box in trials(form, truth, rounds):
            low, high = box.estimate().intervals.T
            misses[0] += (shares < low) | (shares > high)
            low, high = ends[box.supports].T
            misses[1] += (shares < low) | (shares > high)
        assert misses[0].max() <= most_misses(rounds, 0.05)
        assert (misses[1] > most_misses(rounds, 0.05)).sum() > 90


def joint(form):
    """The law of whether a report supports choices 0 and 1, for a truth of 0, of 1 and of another."""
    laws = []
    for truth in range(3):
        law = np.zeros((2, 2))
        for report, mass in report_law(form, truth).items():
            law[int(report[0]), int(report[1])] += float(mass)
        laws.append(law)
    return laws


def many_of(law, n):
    out = np.ones((1, 1))
    for _ in range(n):
        out = convolve2d(out, law)
    return out


def pair_law(form, reading, n, a, b):
    """The law of how many of n reports support choice 0, and how many choice 1, where a and b people have them."""
    laws = joint(form)
    if reading == "respondents":
        parts = [many_of(law, count) for law, count in zip(laws, (a, b, n - a - b), strict=True)]
        return convolve2d(convolve2d(parts[0], parts[1]), parts[2])
    mixed = sum(law * count / n for law, count in zip(laws, (a, b, n - a - b), strict=True))
    return many_of(mixed, n)


def pair_ends(form, n, confidence="0.95"):
    """The interval of the difference, and Wald's, for each pair of counts."""
    ends = np.full((n + 1, n + 1, 4), np.nan)
    z = stats.norm.isf((1 - float(confidence)) / 2)
    for a, b in itertools.product(range(n + 1), repeat=2):
        if form.says == "choice" and a + b > n:
            continue
        d = Estimate.of(form, np.array([a, b, *[0] * (form.size - 2)]), n, confidence=confidence).difference(0, 1)
        ends[a, b] = d.low, d.high, d.difference - z * d.error, d.difference + z * d.error
    return ends


THREE = [
    rr(3, "3/4"),
    rr(3, "99/100"),
    sets(4, 2, "3/4"),
    bits(3, OptimizedUnary(length=3, p="1/2", q="1/9")),
    bits(3, Rappor(length=3, max_weight=1, f="1/2")),
]


class TestDifferences:
    @tiers.crossed(3, form=THREE, n=[1, 2, 3, 10, 20], ids=label)
    def test_the_interval_covers_at_least_as_often_as_it_says(self, form, n):
        ends = {c: pair_ends(form, n, c) for c in (("0.5", "0.95", "0.999") if n <= 3 else ("0.95",))}
        truths = [(a, b) for a in range(n + 1) for b in range(n + 1 - a)]
        if n > 3:
            truths = [(0, 0), (1, 0), (0, 1), (1, 1), (n // 2, 0), (n // 2, n // 2), (n - 1, 1), (n, 0), (0, n), (3, 2)]
        for (a, b), reading in itertools.product(truths, ("sample", "respondents")):
            law = pair_law(form, reading, n, a, b)
            assert math.isclose(law.sum(), 1, rel_tol=1e-12)
            d = (a - b) / n
            for confidence, (low, high, *_) in ((c, np.moveaxis(e, 2, 0)) for c, e in ends.items()):
                assert law[(low <= d) & (d <= high)].sum() >= float(confidence) - ROUNDING

    def test_the_power_of_exact_coverage_a_normal_interval_fails(self):
        form, n = rr(3, "99/100"), 20
        ends = pair_ends(form, n)
        worst = 1.0
        for a, b in ((1, 0), (1, 1), (n - 1, 1), (n, 0)):
            law, d = pair_law(form, "sample", n, a, b), (a - b) / n
            worst = min(worst, law[(ends[:, :, 2] <= d) & (d <= ends[:, :, 3])].sum())
        assert worst < 0.7

    @tiers.crossed(
        5,
        kind=[SubsetSelection, OptimizedUnary, Rappor],
        shares=[(0.6, 0.2), (0.1, 0.1), (0.9, 0.05)],
        n=[2000, 50],
        ids=label,
    )
    def test_simulated_intervals_cover(self, kind, shares, n):
        form, rounds = form_of(kind, 10, 1), 200
        truth, real = population([*shares, *[(1 - sum(shares)) / 8] * 8], n)
        wanted, misses, third, spread, errors = real[0] - real[1], 0, 0, [], []
        for box in trials(form, truth, rounds):
            d = box.estimate().difference(0, 1)
            misses += not d.low <= wanted <= d.high
            third += abs(d.difference - wanted) > max(d.high - d.difference, d.difference - d.low) / 3
            spread.append(d.difference)
            errors.append(d.error)
        assert misses <= most_misses(rounds, 0.05)
        if n == 2000 and sum(shares) < 0.9:
            assert third > most_misses(rounds, 0.05)  # The power: an interval a third as wide fails.
        assert abs(np.mean(spread) - wanted) < 5.5 * np.std(spread) / math.sqrt(rounds)
        sampling = (real[0] + real[1] - wanted**2) / n  # What sampling adds to the spread over the respondents' coins.
        assert math.isclose(np.mean(np.square(errors)), np.var(spread) + sampling, rel_tol=0.7)

    @pytest.mark.parametrize("kind", KINDS, ids=label)
    @pytest.mark.parametrize("k", [3, 10, 100])
    def test_at_large_n_the_interval_is_at_most_1_6_times_the_normal_one(self, kind, k):
        n = 100_000
        for epsilon, (a, b) in itertools.product((0.5, 1, 2), ((1 / k, 1 / k), (0.3, 0.1), (0.5, 0.4))):
            form = form_of(kind, k, epsilon)
            p, q = map(float, form.support)
            supports = np.array([n * (q + f * (p - q)) for f in (a, b, *[(1 - a - b) / (k - 2)] * (k - 2))])
            d = Estimate.of(form, np.round(supports).astype(int), n).difference(0, 1)
            ratio = (d.high - d.low) / (2 * stats.norm.isf(0.025) * d.error)
            assert 1 < ratio < 1.6

    @pytest.mark.parametrize("form", THREE, ids=label)
    def test_the_difference_is_antisymmetric_and_that_of_the_shares(self, form):
        estimate = Estimate.of(form, np.array([31, 12, *[5] * (form.size - 2)]), 50, confidence="0.9")
        one, other = estimate.difference(0, 1), estimate.difference(1, 0)
        assert one.difference == estimate.shares[0] - estimate.shares[1] == -other.difference
        assert (one.low, one.high) == (-other.high, -other.low)
        assert (one.error, one.confidence) == (other.error, other.confidence)
        assert (one.of, other.of) == ((0, 1), (1, 0))
        assert one.significant == other.significant == (not one.low <= 0 <= one.high)

    def test_a_difference_that_is_there_is_found_and_none_where_none_is(self):
        form = form_of(SubsetSelection, 10, 1)
        p, q = map(float, form.support)
        for gap, found in ((0.2, True), (0.0, False)):
            shares = np.array([0.1 + gap, 0.1, *[(0.8 - gap) / 8] * 8])
            estimate = Estimate.of(form, np.round(20_000 * (q + shares * (p - q))).astype(int), 20_000)
            assert estimate.difference(0, 1).significant is found


def tabulate(form_pair, tables):
    """Crosstabs from arrays of counts over pairs of choices, where each report names one choice."""
    for table in tables:
        yield Crosstab.of(form_pair, (table.sum(axis=1), table.sum(axis=0)), table, int(table.sum()))


def tables_of(n):
    """Every two by two table of n pairs, with the number of orders in which it can come."""
    for a, b, c in itertools.product(range(n + 1), repeat=3):
        if a + b + c <= n:
            counts = (a, b, c, n - a - b - c)
            orders = math.factorial(n) // math.prod(map(math.factorial, counts))
            yield np.array(counts).reshape(2, 2), orders


SHAPES = [
    (rr(2, "3/4", "a"), rr(2, "3/4", "b"), [[0.4, 0.1], [0.1, 0.4]]),
    (form_of(SubsetSelection, 4, 1, "a"), rr(3, "3/4", "b"), [[0.3, 0, 0], [0, 0.3, 0], [0, 0, 0.3], [0.1, 0, 0]]),
    (form_of(Rappor, 3, 2, "a"), form_of(OptimizedUnary, 5, 2, "b"), np.outer([0.6, 0.3, 0.1], [0.2] * 5)),
    (form_of(SubsetSelection, 10, 2, "a"), form_of(SubsetSelection, 4, 1, "b"), np.arange(40).reshape(10, 4)),
]


class TestCrosstabs:
    @pytest.mark.parametrize(
        ("first", "second"),
        [
            (rr(2, "3/4", "a"), rr(3, "2/3", "b")),
            (sets(4, 2, "3/4"), rr(2, "9/10", "b")),
            (bits(3, OptimizedUnary(length=3, p="1/2", q="1/9")), sets(3, 2, "4/5")),
            (bits(2, Rappor(length=2, max_weight=1, f="1/3")), bits(2, Rappor(length=2, max_weight=1, f="1/2"))),
        ],
    )
    def test_a_pair_of_reports_is_unbiased_about_every_pair_of_choices(self, first, second):
        seen = {}
        for one in report_law(first, 0):
            for other in report_law(second, 0):
                left, right = np.array(one, int), np.array(other, int)
                seen[one, other] = Crosstab.of((first, second), (left, right), np.outer(left, right), 1).shares
        for u, v in itertools.product(range(first.size), range(second.size)):
            mean = np.zeros((first.size, second.size))
            for (one, p), (other, q) in itertools.product(report_law(first, u).items(), report_law(second, v).items()):
                mean += float(p * q) * seen[one, other]
            wanted = np.zeros_like(mean)
            wanted[u, v] = 1
            assert np.allclose(mean, wanted, atol=1e-12)

    @pytest.mark.parametrize("prob", ["3/4", "19/20"])
    @pytest.mark.parametrize("n", [1, 2, 8])
    def test_exact_coverage_of_two_by_two(self, n, prob):
        forms = rr(2, prob, "a"), rr(2, prob, "b")
        p, q = map(float, forms[0].support)
        tables, orders = zip(*tables_of(n), strict=True)
        ends = np.array([crosstab.intervals for crosstab in tabulate(forms, tables)])
        errors = np.array([crosstab.errors for crosstab in tabulate(forms, tables)])
        shares = np.array([crosstab.shares for crosstab in tabulate(forms, tables)])
        move, plain = np.array([[p, q], [q, p]]), 1.0
        for truth in ([[1, 0], [0, 0]], [[0.5, 0], [0, 0.5]], [[0.25, 0.25], [0.25, 0.25]], [[0.5, 0.5], [0, 0]]):
            f = np.array(truth)
            cells = move @ f @ move.T
            law = np.array([k * np.prod(cells**t) for t, k in zip(tables, orders, strict=True)])
            assert math.isclose(law.sum(), 1, rel_tol=1e-12)
            covered = (ends[..., 0] <= f) & (f <= ends[..., 1])
            assert (np.einsum("t,tij->ij", law, covered) >= 0.95 - ROUNDING).all()
            normal = np.abs(shares - f) <= 1.96 * errors
            plain = min(plain, np.einsum("t,tij->ij", law, normal).min())
            assert np.allclose(np.einsum("t,tij->ij", law, shares), f)
        if n == 8 and prob == "19/20":
            assert plain < 0.9  # The power: a normal interval fails.

    @pytest.mark.parametrize(
        ("first", "second", "shares"), tiers.each(SHAPES, 2), ids=tiers.each(["2x2", "4x3", "3x5", "10x4"], 2)
    )
    def test_simulated_intervals_cover_and_errors_are_the_spread(self, first, second, shares):
        n, rounds = 2000, 120
        wanted = np.asarray(shares, float)
        wanted = wanted / wanted.sum()
        rng = np.random.default_rng(11)
        single, third, together, found, errors = np.zeros(wanted.shape, int), np.zeros(wanted.shape, int), 0, [], []
        raw = []
        for _ in range(rounds):  # A sample of a population, so that the errors are those of a sample.
            truth = rng.choice(wanted.size, n, p=wanted.ravel())
            box = PairCollector(first, second)
            box.add_many(first.perturb(truth // second.size), second.perturb(truth % second.size), payloads=True)
            crosstab = box.estimate()
            low, high = np.moveaxis(crosstab.intervals, 2, 0)
            single += (wanted < low) | (wanted > high)
            radius = np.maximum(high - crosstab.shares, crosstab.shares - low)
            third += np.abs(crosstab.shares - wanted) > radius / 3
            low, high = np.moveaxis(box.estimate(simultaneous=True).intervals, 2, 0)
            together += bool(((wanted < low) | (wanted > high)).any())
            found.append(crosstab.shares)
            raw.append(box.pairs / n)
            errors.append(crosstab.errors)
        assert single.max() <= most_misses(rounds, 0.05)
        assert together <= most_misses(rounds, 0.05)
        spread = np.std(found, axis=0, ddof=1)
        assert (np.abs(np.mean(found, axis=0) - wanted) < 6 * spread / math.sqrt(rounds)).all()
        assert np.allclose(np.mean(errors, axis=0), spread, rtol=0.4)  # Six of their own standard errors.
        assert third.max() > most_misses(rounds, 0.05)  # The power: an interval a third as wide fails.
        # And: errors that forget to divide by the second mechanism's p - q, and shares that are not unbiased.
        p, q = map(float, second.support)
        assert not np.allclose(np.mean(errors, axis=0) * (p - q) ** 2, spread, rtol=0.4)
        assert (np.abs(np.mean(raw, axis=0) - wanted) > 6 * np.std(raw, axis=0) / math.sqrt(rounds)).any()

    def test_margins_of_the_table_are_the_estimates_of_each_question(self):
        first, second = SHAPES[1][:2]
        truth = np.arange(3000) % 12
        box = PairCollector(first, second)
        box.add_many(first.perturb(truth // 3), second.perturb(truth % 3), payloads=True)
        table = box.estimate()
        # Randomized response names one choice, so summing its choices out leaves the other question's shares.
        assert np.allclose(table.shares.sum(axis=1), Estimate.of(first, box.boxes[0].supports, 3000).shares)

    def test_boxes_of_pairs_merge_to_the_same(self):
        first, second = SHAPES[2][:2]
        rows = [(first.perturb(np.arange(n) % 3), second.perturb(np.arange(n) % 5)) for n in (10, 1, 0, 500)]
        boxes = []
        whole = PairCollector(first, second)
        for pair in rows:
            boxes.append(PairCollector(first, second))
            for box in (boxes[-1], whole):
                box.add_many(*pair, payloads=True)
        merged = boxes[0].merge(*boxes[1:])
        other = boxes[3].merge(boxes[2]).merge(boxes[1], boxes[0])
        for box in (merged, other):
            assert box.n == whole.n == 511
            assert (box.pairs == whole.pairs).all()
            assert all(a == b for a, b in zip(box.boxes, whole.boxes, strict=True))
            assert (box.estimate().intervals == whole.estimate().intervals).all()
        assert boxes[0].n == 10  # Merging leaves the parts alone.
        with pytest.raises(MismatchError):
            whole.merge(PairCollector(second, first))
        with pytest.raises(KindError):
            whole.merge(whole.boxes[0])

    def test_at_large_n_the_interval_is_at_most_twice_the_normal_one(self):
        n = 100_000
        for first, second, shares in SHAPES:
            (p1, q1), (p2, q2) = (tuple(map(float, form.support)) for form in (first, second))
            f = np.asarray(shares) / np.sum(shares)
            one, other = q1 + f.sum(axis=1) * (p1 - q1), q2 + f.sum(axis=0) * (p2 - q2)
            pairs = (
                f * (p1 - q1) * (p2 - q2) + q1 * other[None, :] + q2 * one[:, None] - q1 * q2
            )  # What is seen on average.
            supports = (np.round(n * one).astype(int), np.round(n * other).astype(int))
            crosstab = Crosstab.of((first, second), supports, np.round(n * pairs).astype(int), n)
            inside = (crosstab.intervals[..., 0] > 0) & (crosstab.intervals[..., 1] < 1)
            width = np.diff(crosstab.intervals, axis=2)[..., 0]
            ratio = width[inside] / (2 * stats.norm.isf(0.025) * crosstab.errors[inside])
            assert (ratio > 1).all()
            assert (ratio < 2).all()

    def test_what_it_shows(self):
        forms = rr(2, "3/4", "smokes"), rr(3, "3/4", "age")
        box = PairCollector(*forms)
        box.add_many([0, 1, 0, 1], [0, 1, 2, 0])
        table = box.estimate(confidence="0.9")
        text = str(table)
        assert text == repr(table)
        assert text.splitlines()[0] == "smokes by age: 4 pairs of reports"
        assert "90 % interval" in text.splitlines()[1]
        assert len(text.splitlines()) == 8
        assert [row["smokes"] for row in table.to_rows()] == [0, 0, 0, 1, 1, 1]
        assert [row["age"] for row in table.to_rows()] == [0, 1, 2] * 2
        assert table.to_rows()[4]["share"] == table.shares[1, 1] == table[1, 1].share
        assert (table[1, 1].low, table[1, 1].high) == tuple(table.intervals[1, 1])
        assert table[1, 1].count == 4 * table.shares[1, 1]
        assert (table.to_frame().shape, table.to_frame("polars").shape) == ((6, 6), (6, 6))
        assert table.to_frame("pyarrow").column_names == ["smokes", "age", "share", "error", "low", "high"]
        axes = table.plot()
        assert [t.get_text() for t in axes.get_xticklabels()] == ["0", "1", "2"]
        assert [t.get_text() for t in axes.get_yticklabels()] == ["0", "1"]
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("age", "smokes")
        assert len(axes.texts) == 6
        close(axes)

    def test_bad_calls_get_declared_errors(self):
        forms = rr(2, "3/4", "smokes"), rr(3, "3/4", "age")
        with pytest.raises(ParameterError, match="at least one report"):
            PairCollector(*forms).estimate()
        box = PairCollector(*forms)
        box.add_many([0, 1], [0, 1])
        for pair in ((2, 0), (0, "x"), ([], 0)):
            with pytest.raises(ParameterError, match="choice"):
                box.estimate()[pair]
        for pair in (0, (0,), (0, 1, 2), None):
            with pytest.raises(KindError, match="pair"):
                box.estimate()[pair]
        for confidence in (0, 1, "0.4", math.nan, None):
            with pytest.raises(DiscreetError, match="confidence"):
                box.estimate(confidence=confidence)
        blind = PairCollector(forms[0], rr(3, "1/3", "age"))
        blind.add_many([0], [0])
        with pytest.raises(UnsupportedError, match="age"):
            blind.estimate()
        survey = Survey([Question("smokes", ["no", "yes"]), Question("age", ["young", "old"])], epsilon=1)
        for names in (("smokes", "smokes"), ("smokes", "size")):
            with pytest.raises(ParameterError):
                survey.crosstab(None, *names)


def nearest_by_brute_force(x):
    """The nearest point of the simplex: for each set of places that may be above 0, the nearest on its face."""
    best = None
    for size in range(1, len(x) + 1):
        for inside in itertools.combinations(range(len(x)), size):
            point = np.zeros(len(x))
            point[list(inside)] = x[list(inside)] - (x[list(inside)].sum() - 1) / size
            if point.min() >= 0 and (best is None or np.sum((point - x) ** 2) < np.sum((best - x) ** 2)):
                best = point
    return best


class TestProjection:
    def test_it_is_the_euclidean_projection(self):
        rng = np.random.default_rng(3)
        for k in (1, 2, 3, 5, 7):
            for scale in (0.1, 1, 30):
                x = rng.normal(1 / k, scale, k)
                assert np.allclose(simplex(x), nearest_by_brute_force(x), atol=1e-9 * max(scale, 1))

    def test_it_is_not_negative_sums_to_one_keeps_order_and_leaves_shares_as_they_are(self):
        rng = np.random.default_rng(4)
        for k in (2, 10, 1000):
            x = rng.normal(1 / k, 1, k)
            shown = simplex(x)
            assert (shown >= 0).all()
            assert math.isclose(shown.sum(), 1, rel_tol=1e-9)
            assert (np.diff(shown[np.argsort(x)]) >= 0).all()
        inside = np.array([0.2, 0.5, 0.3])
        assert np.allclose(simplex(inside), inside)
        assert simplex(np.array([0.0, 7.0, 0.0])).tolist() == [0, 1, 0]

    def test_an_estimate_projects_its_raw_shares(self):
        estimate = Estimate.of(rr(3, "3/4"), np.array([99, 1, 0]), 100)
        assert estimate.projected().tolist() == simplex(estimate.shares).tolist() == [1, 0, 0]
        assert estimate.shares.min() < 0


def close(axes):
    from matplotlib import pyplot as plt

    plt.close(axes.figure)


CITIES = Question("city", ["Rome", "Oslo", "Lima"], missing="no answer")


def cities(counts=(40, 30, 20, 10), prob="3/4", **how):
    form = CITIES.form(RandomizedResponse(categories=CITIES.categories, prob=prob))
    return Estimate.of(form, np.array(counts), sum(counts), **how)


class TestWhatItShows:
    def test_each_choice_by_its_name(self):
        estimate = cities()
        oslo = estimate["Oslo"]
        assert oslo.choice == "Oslo"
        assert oslo.share == estimate.shares[1]
        assert oslo.count == 100 * oslo.share
        assert oslo.error == estimate.standard_errors()[1]
        assert (oslo.low, oslo.high) == tuple(estimate.intervals[1])
        assert list(estimate) == ["Rome", "Oslo", "Lima", "no answer"] == list(estimate.choices)
        assert len(estimate) == 4
        assert estimate.values() == [estimate[choice] for choice in estimate]
        assert dict(estimate.items()) == {choice: estimate[choice] for choice in estimate}

    def test_the_greatest_first(self):
        estimate = cities((10, 40, 20, 30))
        assert [s.choice for s in estimate.top(2)] == ["Oslo", "no answer"]
        assert [s.choice for s in estimate.top(99)] == ["Oslo", "no answer", "Lima", "Rome"]
        assert [s.choice for s in cities((25, 25, 25, 25)).top(4)] == list(cities())  # Ties in the question's order.

    def test_rows_and_frames_of_each_kind_are_the_same(self):
        estimate = cities()
        rows = estimate.to_rows()
        assert [list(row) for row in rows] == [["choice", "share", "error", "low", "high", "count"]] * 4
        assert rows[2]["share"] == estimate["Lima"].share
        assert all(type(value) is float for row in rows for name, value in row.items() if name != "choice")
        assert estimate.to_frame().to_dict("records") == rows
        assert estimate.to_frame("polars").to_dicts() == rows
        assert estimate.to_frame("pyarrow").to_pylist() == rows
        with pytest.raises(ParameterError, match="pandas"):
            estimate.to_frame("spark")

    def test_text_says_how_many_how_sure_and_what_was_refused(self):
        estimate = cities()
        assert str(estimate) == repr(estimate)
        lines = str(estimate).splitlines()
        assert lines[0] == "city: 100 reports"
        assert lines[1].split() == ["choice", "share,", "%", "95", "%", "interval", "error", "people"]
        assert lines[2].split()[0] == "Rome"
        assert len(lines) == 6
        loud = cities(confidence="0.999", simultaneous=True, refused=1234)
        assert str(loud).splitlines()[0] == "city: 100 reports, 1,234 refused; the intervals hold all together"
        assert "99.9 % interval" in str(loud).splitlines()[1]
        long = Estimate.of(form_of(SubsetSelection, 100, 1), np.full(100, 27), 100)
        assert str(long).splitlines()[-1].strip() == "... and 80 more"

    def test_refused_reports_are_counted_by_the_box_and_shown(self):
        box = CITIES.collector(RandomizedResponse(categories=CITIES.categories, prob="3/4"))
        box.add_many(["Rome", "Paris", "Oslo", "Bonn"])
        estimate = box.estimate()
        assert (estimate.n, estimate.refused) == (2, 2)
        assert "2 reports, 2 refused" in str(estimate)

    def test_the_plot_has_a_bar_and_a_label_for_each_choice(self):
        from matplotlib import pyplot as plt

        estimate = cities((90, 10, 0, 0))
        axes = estimate.plot()
        assert [t.get_text() for t in axes.get_yticklabels()] == ["Rome", "Oslo", "Lima", "no answer"]
        assert np.allclose([bar.get_width() for bar in axes.patches], 100 * estimate.shares)
        (lines,) = axes.collections
        drawn = np.array([segment[:, 0] for segment in lines.get_segments()])
        assert np.allclose(drawn, 100 * estimate.intervals)
        assert axes.get_xlabel() == "share, %, with 95 % intervals"
        assert axes.get_title(loc="left") == "city: 100 reports"
        close(axes)
        figure, own = plt.subplots()
        assert estimate.plot(ax=own) is own
        plt.close(figure)


class TestOnceBroken:
    def test_an_estimate_is_a_mapping_that_can_be_asked_what_it_holds(self):
        estimate = cities()
        assert "Rome" in estimate
        assert "Paris" not in estimate
        assert estimate.get("Paris") is None

    def test_reading_all_items_makes_each_interval_a_few_times_at_most(self, monkeypatch):
        from discreet.survey import estimates

        made = []

        def counted(supports, n, error):
            made.append(len(supports))
            return high(supports, n, error)

        high = estimates.binomial_high
        monkeypatch.setattr(estimates, "binomial_high", counted)
        estimate = Estimate.of(form_of(SubsetSelection, 50, 1), np.full(50, 27), 100)
        assert len(dict(estimate.items())) == 50
        assert sum(made) <= 4 * 50

    @pytest.mark.filterwarnings("error")
    def test_a_mechanism_that_says_almost_nothing_gives_the_whole_range_or_a_declared_error(self):
        try:
            estimate = cities(prob=Fraction(1, 4) + Fraction(1, 10**20))
            assert estimate.intervals[1].tolist() == [0, 1]
            assert np.isfinite(estimate.standard_errors()).all()
            assert estimate.difference("Rome", "Oslo").high == 1
            assert math.isclose(estimate.projected().sum(), 1)
        except DiscreetError:
            pass

    @pytest.mark.parametrize("name", ["share", "error", "low", "high"])
    def test_a_table_keeps_a_question_by_any_name(self, name):
        box = PairCollector(rr(2, "3/4", name), rr(2, "3/4", "age"))
        box.add_many([0, 1], [0, 1])
        try:
            rows = box.estimate().to_rows()
        except DiscreetError:
            return
        assert [len(row) for row in rows] == [6] * 4


class TestBadCalls:
    @pytest.mark.parametrize("choice", ["Paris", 0, None, math.nan, ["Rome"], ("Rome",)])
    def test_a_choice_that_is_none(self, choice):
        with pytest.raises(ParameterError, match="one of 'Rome', 'Oslo'"):
            cities()[choice]
        with pytest.raises(ParameterError, match="one of 'Rome', 'Oslo'"):
            cities().difference("Rome", choice)
        with pytest.raises(ParameterError, match="one of 'Rome', 'Oslo'"):
            cities().difference(choice, "Rome")

    def test_the_same_choice_twice(self):
        with pytest.raises(ParameterError, match="another choice"):
            cities().difference("Rome", "Rome")

    @pytest.mark.parametrize("confidence", [0, 1, -1, 2, "0.49", math.nan, math.inf, "x", None, True])
    def test_a_confidence_out_of_range(self, confidence):
        with pytest.raises(DiscreetError, match="confidence"):
            cities(confidence=confidence)

    def test_no_reports(self):
        with pytest.raises(ParameterError, match="at least one report"):
            cities((0, 0, 0, 0))

    @pytest.mark.parametrize(
        "form",
        [rr(3, "1/3"), sets(4, 2, "1/2"), bits(3, OptimizedUnary(length=3, p="1/2", q="1/2")),
         bits(3, Rappor(length=3, max_weight=1, f=1)),
         bits(3, LongitudinalRappor(length=3, max_weight=1, f=1, p="1/4", q="3/4"))],
        ids=label,
    )  # fmt: skip
    def test_a_mechanism_that_says_nothing(self, form):
        with pytest.raises(UnsupportedError, match="says nothing"):
            Estimate.of(form, np.zeros(form.size, np.int64), 10)

    def test_a_number_of_choices_that_is_none(self):
        for count in (0, -1):
            with pytest.raises(ParameterError, match="count"):
                cities().top(count)
        for count in (1.0, None, True):
            with pytest.raises(KindError, match="count"):
                cities().top(count)
