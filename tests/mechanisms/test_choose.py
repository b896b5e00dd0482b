"""Permute and flip: its exact law, its map and its sampler held against each other."""

from fractions import Fraction
from itertools import product

import gmpy2
import numpy as np
import pytest
from coin_tree import StreamCoins
from scipy import stats

from discreet import Choose, DomainError, ParameterError
from discreet.coins import SYSTEM
from discreet.mechanisms import choose
from discreet.samplers import geometric_many

pytestmark = pytest.mark.usefixtures("given_coins")

SCALES = [Fraction(1, 2), Fraction(1), Fraction(7, 3), Fraction(0)]


def heads(scores, scale):
    """The probabilities of heads, to 300 bits, by MPFR."""
    with gmpy2.context(precision=300):
        gaps = [max(scores) - u for u in scores]
        return [gmpy2.exp(-gap / gmpy2.mpq(scale)) if scale else gmpy2.mpfr(gap == 0) for gap in gaps]


def law(scores, scale):
    """The exact law, by every set of heads."""
    with gmpy2.context(precision=300):
        chances = [gmpy2.mpfr(0)] * len(scores)
        for shown in product((0, 1), repeat=len(scores)):
            mass = gmpy2.mpfr(1)
            for p, head in zip(heads(scores, scale), shown, strict=True):
                mass *= p if head else 1 - p
            if mass:
                chances = [c + mass / sum(shown) if head else c for c, head in zip(chances, shown, strict=True)]
        return chances


def middle(x):
    return gmpy2.mpfr(gmpy2.mpq(sum(x.enclosure(400)) / 2 if not isinstance(x, Fraction) else x))


@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_chances_are_those_of_every_set_of_heads(k, scale):
    m = Choose(categories=range(k), scale=scale)
    with gmpy2.context(precision=300):
        for scores in product(range(3), repeat=k):
            chances = [middle(p) for p in m.law(scores).values()]
            assert abs(sum(chances) - 1) < 2.0**-250
            assert all(abs(a - b) < 2.0**-250 for a, b in zip(chances, law(scores, scale), strict=True))


@pytest.mark.parametrize("scale", SCALES[:-1])
@pytest.mark.parametrize(("k", "d"), [(2, 1), (2, 2), (3, 1)])
def test_the_map_is_the_greatest_loss_between_all_small_scores(k, d, scale):
    m = Choose(categories=range(k), scale=scale)
    laws = {x: law(x, scale) for x in product(range(5 if k == 2 else 4), repeat=k)}
    with gmpy2.context(precision=300):
        claim = gmpy2.exp(2 * d / gmpy2.mpq(scale))
        ratios = [
            p / q
            for x in laws
            for y in laws
            if 0 < m.input_metric.measure(x, y) <= d
            for p, q in zip(laws[x], laws[y], strict=True)
        ]
        assert max(ratios) <= claim + claim * 2.0**-250
        if k == 2:
            assert max(ratios) >= claim - claim * 2.0**-250
        else:
            assert max(ratios) > claim * 4 / 5  # Only ever lower scores of the others reach it.
    assert m.loss(d).epsilon == 2 * d / scale
    assert m.loss(0).epsilon == 0


def test_one_category_loses_nothing_and_no_noise_loses_all():
    assert Choose(categories=["a"], scale=0).privacy_map(5) == 0
    assert Choose(categories=["a", "b"], scale=0).privacy_map(1) == float("inf")
    assert Choose(categories=["a", "b"], scale=0).release([1, 2]) == "b"
    assert Choose(categories=["a"], scale=3).release([-7]) == "a"
    assert Choose.within(epsilon="1/3", categories=["a", "b"], d_in=2) == Choose(categories=["a", "b"], scale=12)
    assert Choose.within(epsilon="1/3", categories=["a", "b"], d_in=2).privacy_map(2) == pytest.approx(1 / 3)
    for wrong in ({"categories": [], "scale": 1}, {"categories": ["a", "b"], "scale": -1}):
        with pytest.raises(ParameterError):
            Choose(**wrong)
    with pytest.raises(ParameterError, match="epsilon"):
        Choose.within(epsilon=0, categories=["a", "b"])
    for scores in ([1], [1, 2, 3], [1.5, 2], None, np.zeros((1, 2), int)):
        with pytest.raises(DomainError):
            Choose(categories=["a", "b"], scale=1).release(scores)


SCORES = [
    [3, 1, 3, -2],
    [2**70, 0, -(2**70), 2**70 - 1],
    np.array([127, -128, 0, 126], np.int8),
    np.array([2**63 - 1, -(2**63), 0, -1]),
    np.array([2**64 - 1, 0, 2**63, 5], np.uint64),
    np.array([2**70, 1, 0, 3], object),
]


@pytest.mark.parametrize("scores", SCORES, ids=range(len(SCORES)))
def test_a_category_shows_heads_where_a_geometric_variable_reaches_its_gap(scores, monkeypatch):
    m, coins = Choose(categories=list("abcd"), scale=5), object()
    whole = [int(u) for u in scores]
    gaps = [max(whole) - u for u in whole]
    for short in product((0, 1), repeat=4):
        shown = [i for i in range(4) if not (gaps[i] and short[i])]
        draws = np.empty(4, object)
        draws[:] = [gap - 1 if i not in shown else gap for i, gap in enumerate(gaps)]
        if max(draws) < 2**63:
            draws = draws.astype(np.int64)

        def geometric(scale, n, given, draws=draws):
            assert (scale, n, given) == (5, 4, coins)
            return draws

        monkeypatch.setattr(choose, "geometric_many", geometric)
        for i, place in enumerate(shown):

            def below(n, given, i=i, shown=shown):
                assert (n, given) == (len(shown), coins)
                return i

            monkeypatch.setattr(choose, "below", below)
            assert m.sample(m.input_domain.take(scores), coins) == "abcd"[place]


def test_draws_fit_the_law_and_not_one_of_another_scale():
    scores, scale = [10, 9, 7, 3, 10], Fraction(3)
    m = Choose(categories=range(5), scale=scale)
    counts = np.bincount([m.release(scores) for _ in range(20_000)], minlength=5)
    for s, fits in ((scale, True), (scale * Fraction(5, 4), False)):
        expected = np.array([float(p) for p in law(scores, s)])
        p = stats.chisquare(counts, expected / expected.sum() * counts.sum()).pvalue
        assert p > 1e-9 if fits else p < 1e-12


def test_many_candidates_take_coins_of_their_own():
    m = Choose(categories=range(5000), scale=10**6)
    chosen = [m.release(np.zeros(5000, int)) for _ in range(200)]
    assert len(set(chosen)) > 150  # All are alike, so each is as likely as any other.
    coins = StreamCoins()
    assert m.sample(np.zeros(5000, np.int64), coins) in range(5000)
    assert geometric_many(10**6, 5000, SYSTEM).size == 5000
