"""The truncated discrete Laplace sampler's real law: a trial by every word, and what becomes of trials."""

from fractions import Fraction
from functools import lru_cache

import gmpy2
import numpy as np
import pytest
from coin_tree import Exhausted, law_by_counting
from scipy import stats
from tiers import each

from discreet import ParameterError
from discreet.coins import SYSTEM
from discreet.reals import ScaledLog
from discreet.samplers import many, one, truncated, truncated_laplace, truncated_laplace_many

LAWS = [(Fraction(1, 3), 1), (Fraction(1), 2), (Fraction(5, 2), 3), (Fraction(9, 4), 2), (Fraction(7, 2), 1), (2, 0)]


def weight(scale, z):
    """exp(-|z| / scale), as a rational within 2**-200 of it."""
    with gmpy2.context(precision=300):
        return Fraction(*map(int, gmpy2.exp(-gmpy2.mpq(abs(z)) / gmpy2.mpq(Fraction(scale))).as_integer_ratio()))


@pytest.fixture
def first_trial(monkeypatch):
    """Remember what each prefix decides, and give None for a draw whose first trial is not kept."""
    monkeypatch.setattr(ScaledLog, "decide", lru_cache(maxsize=None)(ScaledLog.decide))

    def draw(scale, limit, coins, **first):
        for name, propose in first.items():
            calls = iter([propose])
            monkeypatch.setattr(truncated, name, lambda *given, calls=calls, **words: next(calls)(*given, **words))
        try:
            return truncated_laplace(scale, limit, coins, word=8)
        except StopIteration:
            return None

    return draw


def hold(decided, undecided, law):
    """Each outcome has its mass, but for what is undecided."""
    assert undecided < Fraction(1, 2**12)
    assert sum(decided.values()) + undecided == 1
    assert set(decided) - {None} == {z for z in law if law[z]}
    for z, p in law.items():
        mass = decided.get(z, Fraction(0))
        assert mass - Fraction(1, 2**100) <= p <= mass + undecided + Fraction(1, 2**100)


@pytest.mark.parametrize(("scale", "limit"), LAWS[:3])
def test_a_laplace_trial_by_every_word_keeps_each_integer_in_proportion(scale, limit, first_trial):
    decided, undecided = law_by_counting(
        lambda coins: first_trial(scale, limit, coins, discrete_laplace=one.discrete_laplace), 8, 3
    )
    q = weight(scale, 1)
    hold(decided, undecided, {z: weight(scale, z) * (1 - q) / (1 + q) for z in range(-limit, limit + 1)})


@pytest.mark.parametrize(("scale", "limit"), each(LAWS[3:], 2))
def test_a_uniform_trial_by_every_word_keeps_each_integer_in_proportion(scale, limit, first_trial):
    for place in range(2 * limit + 1):
        decided, undecided = law_by_counting(
            lambda coins, place=place: first_trial(
                scale, limit, coins, below=lambda n, *_, **__: place if n == 2 * limit + 1 else None
            ),
            8,
            3,
        )
        hold(decided, undecided, {place - limit: weight(scale, place - limit)})


@pytest.mark.parametrize(("scale", "limit"), LAWS)
def test_one_draw_asks_until_a_trial_is_kept(scale, limit, monkeypatch):
    tries = iter([limit + 1, -limit - 1, 10**30, limit])
    monkeypatch.setattr(truncated, "discrete_laplace", lambda *_, **__: next(tries))
    proposed, reached = iter([0, 2 * limit, limit]), iter([limit - 1, limit - 1, 0])
    monkeypatch.setattr(truncated, "below", lambda n, *_, **__: next(proposed) if n == 2 * limit + 1 else None)
    monkeypatch.setattr(truncated, "geometric", lambda s, *_, **__: next(reached) if s == scale else None)
    drawn = truncated_laplace(scale, limit)
    assert drawn == (limit if limit >= scale else 0 if limit else drawn)


def test_an_array_holds_the_trials_that_are_kept_in_their_order(monkeypatch):
    given = iter([[3, -4, 4, -3, 0], [9, -1], [2**70], [-(2**63)], [2]])
    asked = []

    def draws(scale, n, coins, **words):
        asked.append((scale, n, words["private_size"], words["cell"], words["word"]))
        return many.fitted(next(given))

    monkeypatch.setattr(truncated, "discrete_laplace_many", draws)
    drawn = truncated_laplace_many(2, 3, 5, private_size=True, cell=8, word=16)
    assert drawn.tolist() == [3, -3, 0, -1, 2]
    assert drawn.dtype == np.int64
    assert asked == [(2, n, True, 8, 16) for n in (5, 2, 1, 1, 1)]


def test_a_uniform_proposal_is_kept_where_a_geometric_variable_reaches_it(monkeypatch):
    proposed = iter([np.arange(7), np.array([6, 3, 0])])
    reached = iter([np.array([3, 1, 1, 0, 0, 5, 2]), np.array([3, 0, 4])])
    monkeypatch.setattr(truncated, "below_many", lambda n, m, *_, **__: next(proposed)[: m * (n == 7)])
    monkeypatch.setattr(truncated, "geometric_many", lambda s, m, *_, **__: next(reached)[: m * (s == 50)])
    assert truncated_laplace_many(50, 3, 7).tolist() == [-3, -1, 0, 2, 3, 0, -3]


def p_value(draws, scale, limit):
    z = np.arange(-limit, limit + 1)
    law = np.exp(-np.abs(z) / float(scale))
    cuts = np.unique(np.searchsorted(np.cumsum(law) / law.sum(), np.arange(1, 24) / 24))
    cuts = cuts[cuts < 2 * limit]
    expected = np.bincount(np.searchsorted(cuts, z + limit), weights=law / law.sum())
    counts = np.bincount(np.searchsorted(cuts, np.asarray(draws) + limit), minlength=len(cuts) + 1)
    return stats.chisquare(counts, expected * counts.sum()).pvalue


@pytest.mark.parametrize(("scale", "limit"), [(2, 3), (Fraction(10, 3), 5), (10, 4), (1000, 1500), (5000, 900)])
def test_draws_fit_the_law_and_not_one_with_another_limit(scale, limit):
    draws = truncated_laplace_many(scale, limit, 10**6)
    assert p_value(draws, scale, limit) > 1e-9
    assert p_value(draws, scale * Fraction(3, 2), limit) < 1e-20
    assert p_value(draws, scale, limit + max(limit // 20, 1)) < 1e-20
    few = [truncated_laplace(scale, limit) for _ in range(5000)]
    assert p_value(few, scale, limit) > 1e-9


@pytest.mark.parametrize(
    ("scale", "limit"),
    [(Fraction(1, 10**300), 5), (10**300, 1), (10**300, 10**299), (10**20, 10**21), (2**53, 2**63 - 1), (2**53, 2**80)],
    ids=["tiny", "one", "narrow", "wide", "int64", "beyond"],
)
def test_limits_and_scales_from_tiny_to_huge(scale, limit):
    for n in (0, 3, 5000):
        draws = truncated_laplace_many(scale, limit, n)
        assert draws.dtype == (np.int64 if limit < 2**62 else object)
        assert draws.size == n
        assert all(-limit <= z <= limit for z in draws.tolist())
    assert -limit <= truncated_laplace(scale, limit) <= limit


def test_no_noise_and_wrong_parameters():
    assert truncated_laplace_many(0, 5, 3).tolist() == truncated_laplace_many(5, 0, 3).tolist() == [0, 0, 0]
    for wrong in ({"scale": -1, "limit": 1}, {"scale": 1, "limit": -1}):
        for call in (truncated_laplace, lambda **given: truncated_laplace_many(**given, n=3)):
            with pytest.raises(ParameterError, match=r"=-1: need (scale|limit) >= 0"):
                call(**wrong)


@pytest.mark.parametrize(
    ("scale", "limit"), [(Fraction(1, 11), 3), (90, 30), (10**7, 10**9), (2**60, 2**62), (2**60, 9)]
)
def test_what_a_call_leaves_behind_does_not_depend_on_a_private_size(scale, limit, monkeypatch):
    left = []
    for sizes in ((0, 0), (1, 5), (many._WORTH_TABLES, 0)):
        with monkeypatch.context() as patch:
            patch.setattr(many, "_KEPT", {})
            one.scaled_log.cache_clear()
            for n in sizes:
                truncated_laplace_many(scale, limit, n, private_size=True)
            info = one.scaled_log.cache_info()
            left.append([tuple(many._KEPT), info.misses, info.currsize])
    assert left == [left[0]] * 3


def test_it_takes_the_coins_that_are_given():
    class None_:
        def bits(self, n):
            raise Exhausted(n)

        words = bits

    for limit in (1, 9):
        with pytest.raises(Exhausted):
            truncated_laplace(4, limit, None_())
        with pytest.raises(Exhausted):
            truncated_laplace_many(4, limit, 3, None_())
    assert truncated_laplace(4, 1, SYSTEM) in (-1, 0, 1)
