"""A law of noise is its tail: everything else follows from it, for the library's law and for any other."""

import itertools
import pickle
from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pytest
from coin_tree import law_by_counting
from tiers import each
from toy_noise import Plateau, Triangle

from discreet import KindError, Laplace, Noise, ParameterError, Sensitivity, TruncatedLaplace
from discreet.coins import SYSTEM
from discreet.measures import INFINITE, Pure
from discreet.metrics import L01InfDistance
from discreet.noise import laplace
from discreet.reals import Real, exp, sign

TINY, HUGE = Fraction(1, 10**300), Fraction(10**300)
SCALES = [Fraction(0), TINY, *map(Fraction, ("1/1000", "1/7", "1/2", "1", "3", "22/7", "40", "1000", "1e6")), HUGE]
TOYS = [Plateau(0, 2), Plateau(1, 2), Plateau(3, 5), Triangle(1), Triangle(2), Triangle(9)]
LIMITED = [TruncatedLaplace(s, r) for s, r in ((2, 1), (1, 4), (5, 3), ("22/7", 30), (0, 3), (3, 0))]
LAWS = [*map(Laplace, SCALES[3:8]), Laplace(0), *TOYS, *LIMITED]
BITS, SLACK = 1500, Fraction(1, 2**400)
ERRORS = [Fraction(e) for e in ("1/20", "1/2", "99/100", "1e-9", "1e-300")]
BOUNDS = [(None, None), (0, None), (None, 2), (-1, 3), (1, 1)]
SEEN = list(itertools.product(LAWS, [0, 3, 44], [Fraction(1, 20), Fraction(3, 10)]))


def near(x):
    """Return a number, to 1,500 bits."""
    low, high = x.enclosure(BITS) if isinstance(x, Real) else (x, x)
    assert high - low < SLACK
    return Fraction(low * 2**BITS // 1, 2**BITS) if isinstance(x, Real) else x


def close(a, b):
    return abs(near(a) - near(b)) <= SLACK


def q_of(s):
    return exp(-1 / s)


class TestLaplace:
    @pytest.mark.parametrize("s", SCALES[1:], ids=float)
    def test_probabilities_are_those_of_the_formula(self, s):
        q, noise = q_of(s), Laplace(s)
        for k in (-(10**6), -50, -2, -1, 0, 1, 2, 5, 100, 10**6):
            above = exp(-k / s) / (1 + q) if k > 0 else 1 - exp(-(1 - k) / s) / (1 + q)
            assert close(noise.at_least(k), above)
            assert close(noise.point(k), (1 - q) / (1 + q) * exp(-abs(k) / s))

    @pytest.mark.parametrize("s", SCALES, ids=float)
    def test_radii_are_the_least_that_cover(self, s):
        noise = Laplace(s)
        for error in ERRORS:
            r = noise.radius(error)
            assert sign(2 * noise.tail(r + 1) - error) <= 0
            assert r == 0 or sign(2 * noise.tail(r) - error) > 0
            if error <= Fraction(1, 2):
                n = noise.needed(17, 1 - error)
                assert sign(noise.at_least(18 - n) - (1 - error)) >= 0
                assert sign(noise.at_least(19 - n) - (1 - error)) < 0

    @pytest.mark.parametrize("s", SCALES[:-1], ids=float)
    def test_the_quick_way_to_a_quantile_is_the_slow_one(self, s):
        noise = Laplace(s)
        for p in (*ERRORS, Fraction(1), Fraction(49, 100), exp(Fraction(-7)) / 3):
            assert noise.reach(p) == Noise.reach(noise, p)

    @pytest.mark.parametrize("s", SCALES, ids=float)
    def test_the_loss_is_l1_over_the_scale(self, s):
        noise = Laplace(s)
        assert noise.loss(Sensitivity(0, 0, 0)) == Pure(0)
        assert noise.loss(Sensitivity(3, 7, 5)) == Pure(7 / s if s else INFINITE)
        if s:
            assert Laplace.within(noise.loss(Sensitivity(3, 7, 5)), Sensitivity(3, 7, 5)) == noise

    def test_budgets_that_no_scale_meets_are_refused(self):
        for budget in (Pure(INFINITE), Pure(exp(Fraction(1)))):
            with pytest.raises(KindError, match="rational"):
                Laplace.within(budget, Sensitivity(1, 1, 1))
        with pytest.raises(ParameterError, match="epsilon > 0"):
            Laplace.within(Pure(0), Sensitivity(1, 1, 1))
        with pytest.raises(ParameterError, match="scale >= 0"):
            Laplace("-1e-9")

    def test_no_noise_is_none(self):
        noise = Laplace(0)
        assert (noise.second_moment, noise.deviation, noise.radius(Fraction(1, 20)), noise.draw(SYSTEM)) == (0, 0, 0, 0)
        assert noise.add([1, 2**70], SYSTEM).tolist() == [1, 2**70]
        assert noise.pair(0, 1) == ({"<= 0": 1, ">= 1": 0}, {"<= 0": 0, ">= 1": 1})

    @pytest.mark.parametrize("s", SCALES[2:], ids=float)
    def test_the_deviation_is_that_of_the_law(self, s):
        with mpmath.workdps(700):
            q = mpmath.exp(-mpmath.mpf(s.denominator) / s.numerator)
            want = float(mpmath.sqrt(2 * q) / (1 - q))
            assert want <= Laplace(s).deviation * (1 + 1e-15) <= want * (1 + 1e-14) + 1e-200

    def test_draws_follow_the_tail(self):
        decided, undecided = law_by_counting(lambda coins: laplace.discrete_laplace(Fraction(1), coins, word=8), 8, 2)
        for k in range(1, 5):
            share = sum(p for z, p in decided.items() if z >= k)
            assert share - SLACK <= near(Laplace(1).tail(k)) <= share + undecided

    def test_what_is_kept_says_nothing_of_a_private_size(self, monkeypatch):
        asked = []
        draws = lambda s, n, coins, **rest: asked.append(rest) or np.zeros(n, np.int64)  # noqa: E731
        monkeypatch.setattr(laplace, "discrete_laplace_many", draws)
        Laplace(3).add([1], SYSTEM, private_size=True)
        Laplace(3).add([1], SYSTEM)
        assert asked == [{"private_size": True}, {"private_size": False}]


class TestEveryLaw:
    @pytest.mark.parametrize("noise", LAWS, ids=repr)
    def test_it_is_symmetric_and_log_concave_and_sums_to_one(self, noise):
        points = {z: near(noise.point(z)) for z in range(-40, 41)}
        assert all(points[z] == points[-z] >= -SLACK for z in points)
        assert all(points[z] ** 2 + SLACK >= points[z - 1] * points[z + 1] for z in range(-39, 40))
        assert close(sum(points.values(), Fraction(0)) + near(2 * noise.tail(41)), Fraction(1))
        assert close(noise.at_least(-40), 1 - near(noise.tail(41)))

    @pytest.mark.parametrize("noise", LAWS, ids=repr)
    def test_quantiles_are_the_least(self, noise):
        for p in (Fraction(1), Fraction(2, 5), Fraction(1, 20), Fraction(1, 10**12)):
            k = noise.reach(p)
            assert near(noise.tail(k)) <= p
            assert k == 1 or near(noise.tail(k - 1)) > p
            assert noise.radius(p) == noise.reach(p / 2) - 1

    @pytest.mark.parametrize("noise", [*TOYS, *LIMITED, Laplace("1/2"), Laplace(3)], ids=repr)
    def test_the_variance_is_the_sum_of_squares(self, noise):
        sum_of_squares = float(sum(z * z * near(noise.point(z)) for z in range(-150, 151)))
        assert abs(noise.deviation**2 - sum_of_squares) <= 1e-12 * (1 + sum_of_squares)

    @pytest.mark.parametrize("noise", LAWS, ids=repr)
    def test_floats_are_near_the_tail(self, noise):
        k = np.array([[-9, -1, 0], [1, 2, 9]])
        want = [[float(near(noise.at_least(int(each)))) for each in row] for row in k]
        assert np.allclose(noise.chances(k), want, rtol=1e-12, atol=0)
        assert noise.chances(3).shape == ()

    @pytest.mark.parametrize("noise", LAWS, ids=repr)
    @pytest.mark.parametrize("error", [Fraction(1, 20), Fraction(3, 10)])
    def test_intervals_hold_the_truth_as_often_as_they_say(self, noise, error):
        seen = np.arange(-60, 61)
        low, high = noise.interval(seen, error)
        assert sum(near(noise.point(int(z))) for z in seen[(low <= 0) & (high >= 0)]) >= 1 - error
        assert ((low <= seen) & (seen <= high)).all()

    @pytest.mark.parametrize(("noise", "threshold", "error"), each(SEEN, 5), ids=repr)
    def test_intervals_above_a_threshold_cover_given_that_a_value_is_seen(self, noise, threshold, error):
        far = threshold + 120 + 12 * noise.radius(Fraction(1, 20))
        seen = np.arange(threshold + 1, far)
        low, high = noise.interval(seen, error, threshold=threshold)
        assert ((low >= 1) & (low <= seen) & (seen <= high)).all()
        for count in {1, 2, max(threshold, 1), threshold + 1, threshold + 5, threshold + 100}:
            law = np.array([float(near(noise.point(int(v) - count))) for v in seen])
            if law.sum() > 0:
                assert (law / law.sum())[(low <= count) & (count <= high)].sum() >= 1 - float(error) - 1e-9

    def test_the_plain_interval_would_not_cover_counts_that_noise_lifted(self):
        seen = np.arange(45, 344)
        low, high = Laplace(3).interval(seen, Fraction(1, 20))
        law = np.array([float(near(Laplace(3).point(int(v) - 5))) for v in seen])
        assert (law / law.sum())[(low <= 5) & (high >= 5)].sum() < 0.01

    @pytest.mark.parametrize("noise", [Laplace(2**53), Laplace(10**30), Laplace(HUGE), *TOYS], ids=repr)
    def test_sums_and_ends_are_exact_beyond_int64(self, noise):
        edge = [2**63 - 1, -(2**63), 2**80]
        reach = noise.radius(Fraction(1, 10**6))
        low, high = noise.interval(edge, Fraction(1, 10**6))
        assert [int(x) for x in low] == [x - reach for x in edge]
        assert [int(x) for x in high] == [x + reach for x in edge]
        assert all(abs(int(a) - b) <= 10 * (reach + 1) for a, b in zip(noise.add(edge, SYSTEM), edge, strict=True))

    @pytest.mark.parametrize(("noise", "bounds"), each(itertools.product(LAWS, BOUNDS), 4), ids=repr)
    def test_pairs_of_laws_keep_every_divergence(self, noise, bounds):
        low, high = bounds
        wide = range(-40, 41)

        @cache
        def moved(mean):
            law = {}
            for z in wide:
                inside = max(z if low is None else max(z, low), -40)
                inside = inside if high is None else min(inside, high)
                law[inside] = law.get(inside, 0) + near(noise.point(z - mean))
            return law

        members = range(-1 if low is None else low, (2 if high is None else high) + 1)
        for x, y in itertools.product(members, repeat=2):
            pair = [{o: near(p) for o, p in law.items()} for law in noise.pair(x, y, low=low, high=high)]
            full = [moved(x), moved(y)]
            assert all(abs(sum(law.values()) - 1) <= SLACK for law in pair)
            for grow in (Fraction(1), Fraction(3, 2), Fraction(5)):
                sticks = [sum(max(p[o] - grow * r[o], 0) for o in p) for p, r in (pair, full)]
                assert abs(sticks[0] - sticks[1]) <= 6 * near(noise.tail(35)) + SLACK

    @pytest.mark.parametrize("noise", LAWS, ids=repr)
    def test_laws_are_values(self, noise):
        assert pickle.loads(pickle.dumps(noise)) == noise
        assert hash(noise) == hash(pickle.loads(pickle.dumps(noise)))
        names = {law.__name__: law for law in (Laplace, TruncatedLaplace, Plateau, Triangle, Fraction)}
        assert eval(repr(noise), names) == noise


class TestSensitivity:
    def test_it_is_the_tuple_of_its_parts_and_a_distance_of_the_metric(self):
        l0, l1, li = found = L01InfDistance().check((3, 100.5, "10"))
        assert found == Sensitivity(l0, l1, li) == (3, 30, 10)
        assert L01InfDistance().check(found) == found
        assert L01InfDistance().measure({"a": 5, "b": 1}, {"a": 3, "c": 4}) == Sensitivity(3, 7, 4)

    @pytest.mark.parametrize("wrong", [Sensitivity(1, -1, 1), Sensitivity(1.5, 1, 1), Sensitivity(True, 1, 1)])
    def test_a_wrong_one_is_refused_like_any_distance(self, wrong):
        with pytest.raises((ParameterError, KindError)):
            L01InfDistance().check(wrong)

    def test_its_tightest_form_and_its_squares_are_those_of_all_vectors(self):
        vectors = [sorted(v) for v in itertools.product(range(5), repeat=4)]
        known = {(sum(c > 0 for c in v), sum(v), max(v), sum(c * c for c in v)) for v in vectors}
        for l0, l1, li in itertools.product(range(5), range(9), range(5)):
            inside = [v for v in known if v[0] <= l0 and v[1] <= l1 and v[2] <= li]
            most = tuple(max(v[i] for v in inside) for i in range(4))
            found = Sensitivity(l0, l1, li)
            assert (*found.tightest(), found.l2_squared) == most
            assert found.l2_squared <= min(l1 * li, l0 * li**2)
