"""Poisoning: one crafted report can do exactly what its influence says, and weights beyond belief are set apart."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from tiers import ALL

from discreet import (
    LongitudinalRappor,
    OptimizedUnary,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    ReportError,
    SubsetSelection,
    UnsupportedError,
)
from discreet.survey import Collector, Question, TextQuestion, influence, plan
from discreet.survey.counting import plausible_weights


def forms():
    q = Question("q", range(5))
    yield Question("q", [False, True]).form(RandomizedResponseBool(prob="3/4"))
    yield q.form(RandomizedResponse(categories=q.categories, prob="3/4"))
    yield q.form(SubsetSelection(categories=q.categories, size=2, prob="3/4"))
    yield q.form(SubsetSelection(categories=q.categories, size=4, prob="9/10"))
    yield q.form(OptimizedUnary(length=5, p="1/2", q="1/5"))
    yield q.form(OptimizedUnary(length=5, p="9/10", q="4/5"))
    yield q.form(Rappor(length=5, max_weight=1, f="1/3"))
    yield q.form(LongitudinalRappor(length=5, max_weight=1, f="1/3", p="1/5", q="6/7"))


def every_report(form):
    """All payloads that a box takes, as rows."""
    k = len(form.question)
    if form.says == "choice":
        return form.oracle.pack(np.arange(k))
    rows = np.packbits(np.array(list(itertools.product([False, True], repeat=k))), axis=1, bitorder="little")
    return rows[form.valid(rows)]


class TestInfluence:
    @pytest.mark.parametrize("form", list(forms()), ids=lambda form: type(form.mechanism).__name__)
    @pytest.mark.parametrize("n", [1, 10, 1000])
    def test_it_is_the_most_that_any_one_report_moves_the_count_of_any_choice(self, form, n):
        p, q = form.support
        box = Collector(form)
        rows = every_report(form)
        box.count(rows[np.arange(n) % len(rows)])
        before = [(c - n * q) / (p - q) for c in box.supports.tolist()]
        moved = Fraction(0)
        for row in rows:
            after = Collector(form).merge(box)
            after.count(row[None, :])
            counts = [(c - (n + 1) * q) / (p - q) for c in after.supports.tolist()]
            moved = max(moved, *(abs(a - b) for a, b in zip(counts, before, strict=True)))
            assert np.allclose(after.estimate().counts, [float(x) for x in counts])
        assert moved == influence(form.mechanism)

    def test_the_figures_of_the_documentation(self):
        q = Question("q", range(1000))
        assert 582 < influence(RandomizedResponse.within(epsilon=1, categories=q.categories)) < 583
        assert round(float(influence(SubsetSelection.within(epsilon=1, categories=range(100)))), 1) == 3.1
        assert round(float(influence(OptimizedUnary.within(epsilon=1, length=1000))), 1) == 3.2

    def test_an_all_ones_vector_moves_all_choices_at_once(self):
        form = next(form for form in forms() if isinstance(form.mechanism, OptimizedUnary))
        box, other = Collector(form), Collector(form)
        box.add_many(form.perturb(np.zeros(100, int)), payloads=True)
        other.add_many(np.full((1, 1), 31, np.uint8), payloads=True)
        moved = box.merge(other).estimate().counts - box.estimate().counts
        assert np.allclose(moved, float(influence(form.mechanism)))

    def test_the_planner_shows_it_rounded_up(self):
        made = plan(1000, epsilon=1, people=10_000)
        for option, row in zip(made.options, made.to_rows(), strict=True):
            assert option.influence == influence(option.mechanism)
            assert Fraction(row["influence"]) >= option.influence
            assert math.isclose(row["influence"], option.influence, rel_tol=1e-12)
        texts = next(column.shown for column in made.sheet.columns if column.name == "influence")
        for option, text in zip(made.options, texts, strict=True):
            assert option.influence <= Fraction(text.replace(",", "")) <= option.influence * Fraction(101, 100)
            assert text in str(made)
        assert "583" in str(made)

    def test_a_mechanism_that_says_nothing_has_none(self):
        with pytest.raises(UnsupportedError, match="says nothing"):
            influence(RandomizedResponse(categories=range(4), prob="1/4"))


def tails(length, p, q, ones):
    """The law of a report's weight, in fractions."""
    law = [Fraction(1)]
    for chance in [p] * ones + [q] * (length - ones):
        law = [a * (1 - chance) + b * chance for a, b in zip([*law, 0], [0, *law], strict=True)]
    return law


NEVER = Fraction(1, 10**12)


class TestWeights:
    @pytest.mark.parametrize(("p", "q"), [("1/2", "1/4"), ("9/10", "1/10"), ("3/5", "2/5"), ("1/2", "1/100")])
    @pytest.mark.parametrize("length", [1, 2, 10, 40, *[100, 200] * ALL])
    @pytest.mark.parametrize(("least", "most"), [(1, 1), (1, 3), (2, 2)])
    def test_the_ends_are_the_least_that_honest_reports_leave_with_at_most_one_chance_in_a_million_million(
        self, p, q, length, least, most
    ):
        if most > length:
            return
        p, q = Fraction(p), Fraction(q)
        low, high = plausible_weights(length, float(p), float(q), least, most)
        small, great = tails(length, p, q, least), tails(length, p, q, most)
        assert sum(small[:low]) <= NEVER / 2 < sum(small[: low + 1])
        assert sum(great[high + 1 :]) <= NEVER / 2 < sum(great[high:])
        for ones in range(least, most + 1):
            law = tails(length, p, q, ones)
            assert sum(law[:low]) + sum(law[high + 1 :]) <= NEVER

    @pytest.mark.parametrize("kind", [OptimizedUnary, Rappor])
    def test_reports_beyond_belief_are_counted_apart_and_leave_the_estimate_alone(self, kind):
        q = Question("q", range(100))
        m = kind.within(epsilon=1, length=100, **({} if kind is OptimizedUnary else {"max_weight": 1}))
        box, form = q.collector(m), q.form(m)
        honest = form.perturb(np.arange(20_000) % 100)
        low, high = plausible_weights(100, *map(float, form.support))
        rows = np.array([np.arange(100) < weight for weight in (low - 1, low, high, high + 1, 100)])
        crafted = np.packbits(rows, axis=1, bitorder="little")
        rng = np.random.default_rng(5)
        mixed = np.insert(honest, np.sort(rng.integers(0, len(honest), 5)), crafted, axis=0)
        tally = box.add_many(mixed, payloads=True)
        assert (tally.added, tally.refused) == (20_002, {"implausible weight": 3})
        assert box.estimate().refused == 3
        assert "3 refused" in str(box.estimate())
        with pytest.raises(ReportError, match="implausible weight"):
            box.add(wrap(form, crafted[4]))
        box.add(wrap(form, crafted[1]))
        assert box.refused == {"implausible weight": 4}

    def test_short_vectors_and_places_have_no_weight_that_is_beyond_belief(self):
        for form in forms():
            assert form.plausible(every_report(form)).all()

    def test_the_same_for_open_text(self):
        t = TextQuestion("homepage", length=128, hashes=2, cohorts=4)
        m = t.mechanism(epsilon=2)
        client, box = t.client(m), t.collector(m)
        for _ in range(200):
            box.add(client.report("example.org"))
        assert box.n == 200
        full = client.report("example.org").payload[:2] + b"\xff" * 16
        with pytest.raises(ReportError, match="implausible weight"):
            box.add(wrap(t.form(m), full))
        assert box.refused == {"implausible weight": 1}
        p, q = map(float, m.support)
        most = np.packbits(np.arange(128) < plausible_weights(128, p, q, 1, 2)[1], bitorder="little").tobytes()
        box.add(wrap(t.form(m), b"\x03\x00" + most))  # The bits of the cohort are no part of the weight.
        assert box.n == 201


def wrap(form, payload):
    from discreet.survey import Report

    return Report(form.tag, bytes(payload))
