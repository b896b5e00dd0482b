"""Shuffling: the promise holds for the real law of shuffled reports, whatever the others answer."""

import itertools
import math
from collections import Counter
from fractions import Fraction
from math import comb

import pytest
from flint import arb, ctx

from discreet import OptimizedUnary, ParameterError, RandomizedResponse, SubsetSelection
from discreet.measures import INFINITE
from discreet.reals import exp, float_up
from discreet.survey import Question, oracle_of, shuffling
from discreet.survey.shuffling import amplified, surplus


def _value(n, local, alike, epsilon, scale=1e-6):
    before, ctx.prec = ctx.prec, 200
    try:
        return surplus(n, scale, arb(local), arb(alike), arb(epsilon))
    finally:
        ctx.prec = before


def _direct(n, local, alike, epsilon):
    """The surplus of two counts, term by term."""
    w, found = math.exp(local) / (1 + math.exp(local)), 0.0
    for c in range(n):
        many = comb(n - 1, c) * alike**c * (1 - alike) ** (n - 1 - c)
        law = [0.0, *(comb(c, k) / 2**c for k in range(c + 1)), 0.0]
        pairs = [(law[a] * w + law[a + 1] * (1 - w), law[a] * (1 - w) + law[a + 1] * w) for a in range(c + 2)]
        found += many * sum(max(0.0, f - math.exp(epsilon) * g) for f, g in pairs)
    return found


@pytest.mark.parametrize("n", [1, 2, 3, 7, 50, 300])
@pytest.mark.parametrize(("local", "alike"), [(1.0, 0.375), (0.25, 0.75), (3.0, 0.0625)])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 0.99])
def test_the_surplus_is_that_of_the_two_counts(n, local, alike, share):
    found = _value(n, local, alike, share * local)
    assert float(found) == pytest.approx(_direct(n, local, alike, share * local), rel=1e-9, abs=1e-12)


def test_a_range_of_counts_adds_what_it_leaves_out(monkeypatch):
    """Whatever counts are looked at, the surplus is no less than that of all."""
    true, rare = _direct(200, 0.25, 0.5, 0.0625), []
    for ends in ((90, 110), (99, 99), (0, 100), (100, 199)):
        monkeypatch.setattr(shuffling, "_range", lambda *_, ends=ends: ends)
        rare.append(float(_value(200, 0.25, 0.5, 0.0625).upper()))
        inside = sum(comb(199, c) for c in range(ends[0], ends[1] + 1)) / 2**199
        assert max(true, 1 - inside) * (1 - 1e-12) <= rare[-1] <= true + 1 - inside + 1e-12
    assert min(rare) > 2 * true


def _shuffled(laws):
    """The exact law of a shuffled list of reports, as their counts."""
    found = {(): Fraction(1)}
    for law in laws:
        added = Counter()
        for (before, chance), (y, p) in itertools.product(found.items(), law.items()):
            added[tuple(sorted((*before, y), key=repr))] += chance * p
        found = added
    return found


MECHANISMS = [
    RandomizedResponse(categories=["a", "b"], prob="3/4"),
    RandomizedResponse(categories=["a", "b", "c"], prob="1/2"),
    SubsetSelection(categories=["a", "b", "c", "d"], size=2, prob="3/4"),
]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: f"{type(m).__name__} {len(m.categories)}")
def test_the_promise_holds_for_the_real_law_whatever_the_others_answer(mechanism):
    """All data of four others, all pairs of answers: the real surplus is at most what is said."""
    values, oracle = mechanism.categories.values, oracle_of(mechanism)
    local, n = mechanism.loss(1).epsilon, 5
    laws = {x: mechanism.law(x) for x in values}
    assert all(
        laws[z].get(y, 0) * 2 >= Fraction(float_up(oracle.alike) - 1e-15) * (laws[x].get(y, 0) + laws[w].get(y, 0))
        for x, w, z in itertools.product(values, repeat=3)
        for y in laws[x]
        if x != w
    )
    said = {}
    for share in (0.0, 0.3, 0.8):
        epsilon = share * float_up(local)
        said[share] = float(_value(n, float_up(local), float_up(oracle.alike), epsilon).upper()) + 1e-12
        for others in itertools.combinations_with_replacement(values, n - 1):
            both = [_shuffled([laws[x], *(laws[z] for z in others)]) for x in values[:2]]
            for f, g in (both, both[::-1]):
                real = sum(max(0.0, float(f[y]) - math.exp(epsilon) * float(g.get(y, 0))) for y in f)
                assert real <= said[share]
    assert said[0.8] < 1


def test_the_epsilon_is_one_that_fits_and_little_more():
    local, alike, n = Fraction(1), exp(Fraction(-1)), 2000
    found = amplified(local, alike, n, "1e-6").epsilon
    assert float(_value(n, 1.0, math.exp(-1), found).upper()) <= 1.000001e-6
    assert float(_value(n, 1.0, math.exp(-1), found - 3e-6).lower()) > 1e-6


def test_more_people_hide_better_and_a_smaller_delta_costs():
    form = Question("q", ["a", "b"]).form(MECHANISMS[0])
    oracle, local = form.oracle, form.mechanism.loss(1).epsilon
    by_people = [amplified(local, oracle.alike, n, "1e-6").epsilon for n in (10, 100, 1000, 10_000)]
    assert by_people == sorted(by_people, reverse=True)
    assert by_people[0] == float_up(local)
    assert amplified(local, oracle.alike, 10, "1e-6").delta == 0
    assert amplified(local, oracle.alike, 1000, "1e-9").epsilon > by_people[2]


def test_no_noise_and_nothing_but_noise():
    told = amplified(INFINITE, Fraction(0), 10**6, "1e-6")
    assert (told.epsilon, told.delta) == (INFINITE, 0)
    assert amplified(Fraction(0), Fraction(1), 10, "1e-6").epsilon == 0


def test_every_mechanism_has_a_likeness():
    for mechanism in (*MECHANISMS, OptimizedUnary.within(epsilon=1, length=4), MECHANISMS[0]):
        assert 0 < oracle_of(mechanism).alike < 1


def test_it_is_said_in_words():
    q = Question("smokes", ["never", "daily"])
    box = q.collector(RandomizedResponse(categories=q.categories, prob="3/4"))
    box.add_counts({"never": 6000, "daily": 4000})
    text = str(box.estimate().shuffled())
    assert "can raise that to 51.3 %" in text or "can raise that to 51.2 %" in text
    assert "1 in 1,000,000" in text
    assert "epsilon of 1.1" in text


@pytest.mark.parametrize("bad", [{"n": 0}, {"n": -1}, {"delta": 0}, {"delta": 1}, {"delta": "2"}], ids=str)
def test_what_does_not_fit_is_refused(bad):
    box = Question("q", ["a", "b"]).collector(MECHANISMS[0])
    box.add_counts({"a": 10})
    with pytest.raises(ParameterError):
        box.estimate().shuffled(**bad)
