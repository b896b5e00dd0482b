"""Gaussian noise: its tails, its profile and its joint loss, against laws that are added up term by term."""

import itertools
import math
import pickle
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
import tiers
from flint import arb, ctx
from public_names import PUBLIC

from discreet import (
    AddNoise,
    Categories,
    Composition,
    EpsilonDelta,
    Gaussian,
    GaussianThreshold,
    IntegerGaussian,
    IntegerLaplace,
    Integers,
    KeepAbove,
    Laplace,
    LaplaceThreshold,
    Maps,
    MismatchError,
    ParameterError,
    Pure,
    Rho,
    Sensitivity,
    Vectors,
    ZeroConcentrated,
    audit,
)
from discreet.metrics import L01InfDistance
from discreet.noise import Noise, theta
from discreet.reals import expm1, float_up, ln, log1p, sign

BITS = 1400
VARIANCES = [Fraction(1, 50), Fraction(2, 5), Fraction(1), Fraction(7, 3), Fraction(12)]


def ball(x):
    return arb(0) + arb(x.numerator) / x.denominator if isinstance(x, Fraction) else arb(x)


@cache
def law(v, reach=None):
    """The law of one draw, as balls by value: 2**-1300 is left out."""
    with ctx.workprec(BITS):
        reach = reach or math.isqrt(int(2 * v * 1300)) + 2
        masses = {z: (-ball(Fraction(z * z)) / (2 * ball(v))).exp() for z in range(-reach, reach + 1)}
        whole = sum(masses.values(), arb(0))
        return {z: mass / whole for z, mass in masses.items()}


@cache
def combined(v, shift):
    """The law of the sum of s_i Z_i."""
    with ctx.workprec(BITS):
        joint = {0: arb(1)}
        for s in shift:
            new = {}
            for (a, p), (z, q) in itertools.product(joint.items(), law(v).items()):
                new[a + s * z] = new.get(a + s * z, arb(0)) + p * q
            joint = new
        return joint


def hockey(v, shift, grow):
    """The divergence of noise and shifted noise at e^epsilon = grow, over all outcomes of what decides the ratio."""
    with ctx.workprec(BITS):
        square, masses = sum(s * s for s in shift), combined(v, shift)
        excess = (p - grow * masses.get(a + square, arb(0)) for a, p in masses.items())
        return sum((x for x in excess if x > 0), arb(0))


def near(value, true, bits=200):
    with ctx.workprec(BITS):
        low, high = (value, value) if isinstance(value, Fraction) else value.enclosure(600)
        assert ball(high) > true - abs(true) * arb(2) ** -bits - arb(2) ** -1290, (float(low), true)
        assert ball(low) < true + abs(true) * arb(2) ** -bits + arb(2) ** -1290, (float(low), true)


class TestTheta:
    @pytest.mark.parametrize("v", [*VARIANCES, Fraction(100), Fraction(5000), Fraction(10**5)], ids=str)
    @pytest.mark.parametrize("bits", [64, 128, 400, 1100])
    def test_both_ways_to_add_up_agree(self, v, bits):
        for x in (0.001, 1, 5, 12, 20, 37, 60, 400):
            k = max(1, int(x * math.sqrt(v)))
            with ctx.workprec(bits + 300):
                slow = theta._added(1 / (2 * theta.ball(v)), k) if k * k > v or v < 10**4 else None
            with ctx.workprec(bits):
                quick = theta._above(v, k)
                assert quick.rel_accuracy_bits() > bits - 30
                assert slow is None or quick.overlaps(slow)

    @pytest.mark.parametrize("m", [2, 4, 8, 20, 60])
    def test_any_number_of_derivatives_encloses(self, m):
        for v, k in (
            (Fraction(3), 1),
            (Fraction(30), 4),
            (Fraction(30), 60),
            (Fraction(200), 300),
            (Fraction(200), 90),
        ):
            with ctx.workprec(400):
                true, found = theta._added(1 / (2 * theta.ball(v)), k), theta._euler_maclaurin(v, k, m)
                assert found.overlaps(true)

    @pytest.mark.parametrize("v", [Fraction(1, 3), Fraction(1), Fraction(9), Fraction(20)], ids=str)
    @pytest.mark.parametrize("n", [2, 3, 7])
    def test_sums_of_draws_are_convolutions(self, v, n):
        masses = {0: 1.0}
        one = {z: float(p) for z, p in law(v).items() if abs(z) < 60}
        for _ in range(n):
            masses = {y: sum(masses.get(y - z, 0.0) * p for z, p in one.items()) for y in range(-60 * n, 60 * n + 1)}
        for k in (1, 2, 5, 11, -3, 0):
            for bits in (53, 64, 300):
                with ctx.workprec(bits):
                    found = float(theta.sum_above(v, n, k))
                assert found == pytest.approx(sum(p for y, p in masses.items() if y >= k), rel=1e-12)

    def test_a_tail_that_is_remembered_is_as_tight_as_whoever_asks_needs(self):
        for bits, n in itertools.product((64, 400, 128), (1, 3)):
            with ctx.workprec(bits):
                assert theta.sum_above(Fraction(7, 5), n, 3).rel_accuracy_bits() > bits - 30

    @pytest.mark.parametrize("v", [Fraction(9), Fraction(12), Fraction(18)], ids=str)
    def test_the_lattice_bound_and_the_convolution_agree_at_every_precision(self, v):
        for n, k in itertools.product((2, 5, 40), (1, 7, 60)):
            with ctx.workprec(int(14 * v) - 20):
                quick = theta.sum_above(v, n, k)
                assert quick.overlaps(theta._convolved(v, n, k))
                assert quick.rel_accuracy_bits() > 14 * v - 60

    @pytest.mark.parametrize("v", [Fraction(1, 20), Fraction(1, 3), Fraction(2)], ids=str)
    @pytest.mark.parametrize("k", [3, 40, 41, 500, 10**6])
    def test_far_tails_are_those_of_pairs_added_up(self, v, k):
        """Of two draws: all pairs near the even one, from which on the others are nothing."""
        with ctx.workprec(400):
            far, whole = arb(0), theta._all(v) ** 2
            for y, x in itertools.product(range(k, k + 60), range(-60, 61)):
                a = k // 2 + x
                far += (-ball(Fraction(a * a + (y - a) ** 2) / (2 * v))).exp()
            for bits in (64, 128):
                with ctx.workprec(bits):
                    found = theta._convolved(v, 2, k)
                    assert found.rel_accuracy_bits() > bits - 45
                assert abs(found / (far / whole) - 1) < arb(2) ** (45 - bits)

    def test_a_window_that_begins_after_the_tail_does(self, monkeypatch):
        """A law of few bits has fewer values than the tail: their weights are those of their places."""
        v, n, k = Fraction(1, 20), 40, 100
        with ctx.workprec(300):
            fine = theta._convolved(v, n, k)
        monkeypatch.setattr(theta, "_law", lambda v, n, bits, law=theta._law: law(v, n, bits)[20:-20])
        with ctx.workprec(300):
            assert theta._convolved(v, n, k).contains(fine.mid())

    def test_huge_epsilons_take_no_time(self):
        """A delta of e^-600000 is rounded up to the least float; its logarithm is the Gaussian tail's."""
        for v, epsilon, n in ((Fraction(2), 1000, 100), (Fraction(1, 10), 10**4, 3), (Fraction(1, 3), 10**6, 50)):
            delta = Gaussian(v, epsilon=epsilon).loss(Sensitivity(n, n, 1)).delta
            assert float_up(delta) == 5e-324
            k = epsilon * v - Fraction(n, 2)
            assert -float_up(ln(delta)) == pytest.approx(float(k * k / (2 * n * v)), rel=0.05)

    def test_what_rounding_loses_is_kept(self, monkeypatch):
        with ctx.workprec(400):
            fine = theta._convolved(Fraction(3), 4, 2)
        monkeypatch.setattr(theta, "_GUARD", -40)
        with ctx.workprec(64):
            assert theta._convolved(Fraction(3), 4, 2).contains(fine.mid())

    def test_the_lattice_bound_is_needed(self):
        """With v = 1/2 a sum of two is even much more often than a draw of variance 1 is."""
        with ctx.workprec(64):
            v, n = Fraction(1, 2), 2
            plain = theta._above(n * v, 1) / theta._all(n * v)
            assert not plain.overlaps(theta._convolved(v, n, 1))

    @pytest.mark.parametrize("v", [*VARIANCES, Fraction(99, 100), Fraction(300)], ids=str)
    def test_the_second_moment(self, v):
        with ctx.workprec(BITS):
            true = sum((z * z * p for z, p in law(v).items()), arb(0))
        near(Gaussian(v).second_moment, true)

    @pytest.mark.parametrize("v", VARIANCES, ids=str)
    def test_tails_down_to_the_least_float(self, v):
        for k in (1, 2, 3, 9, 30):
            with ctx.workprec(BITS):
                true = sum((p for z, p in law(v).items() if z >= k), arb(0))
            if true > arb(2) ** -1100:
                near(Gaussian(v).tail(k), true, 150)
        assert float_up(Gaussian(v).tail(10**6)) == 5e-324

    @pytest.mark.parametrize("variance", ["1e-300", "1e300", "1e40"])
    def test_extreme_variances(self, variance):
        noise = Gaussian(variance)
        assert 0 < float_up(noise.tail(1)) <= 0.5 or variance == "1e-300"
        assert noise.radius(Fraction(1, 20)) >= 0
        assert noise.deviation == pytest.approx(math.sqrt(float(variance)), rel=1e-9) or noise.deviation < 1e-100
        assert noise.loss(Sensitivity(1, 1, 1)) == Rho(1 / (2 * Fraction(variance)))

    @pytest.mark.parametrize("v", ["0", "1e-300", "1/7", "1", "50", "1e20", "1e300"])
    def test_a_reach_that_is_looked_for_nearby_is_the_least(self, v):
        noise, probabilities = Gaussian(v), ("1", "3/4", "1/2", "499/1000", "1/40", "1e-6", "1e-300", "1e-400")
        for p in map(Fraction, tiers.each(probabilities, 3 if v == "1e300" else 1)):
            assert noise.reach(p) == Noise.reach(noise, p)

    def test_a_real_that_is_a_float_needs_no_rounding(self):
        """An eighth that nobody knows to be one, as a part of delta may be."""
        p = -expm1(log1p(Fraction(-1, 8)))
        assert Gaussian(50).reach(p) == Gaussian(50).reach(Fraction(1, 8))

    def test_floats_of_wide_laws(self):
        noise, k = Gaussian(5000), np.array([[1, 10, 100], [200, 300, 420]])
        exact = [[float_up(noise.tail(int(z))) for z in row] for row in k]
        np.testing.assert_allclose(noise.tails(k), exact, rtol=1e-10)
        np.testing.assert_allclose(Gaussian(3).tails(k[0]), [float_up(Gaussian(3).tail(int(z))) for z in k[0]])


class TestProfile:
    @pytest.mark.parametrize("v", VARIANCES[:4], ids=str)
    @pytest.mark.parametrize("n", [1, 2, 3])
    @pytest.mark.parametrize("c", [1, 2, 3])
    def test_delta_is_the_divergence_of_the_law(self, v, n, c):
        apart = Sensitivity(n, n * c, c)
        for epsilon in (0, "1/7", 1, "2.5", 9, 40):
            with ctx.workprec(BITS):
                true = hockey(v, (c,) * n, ball(Fraction(epsilon)).exp())
            near(Gaussian(v, epsilon=epsilon).loss(apart).delta, true, 100)

    @tiers.crossed(
        3,
        v=[Fraction(1, 20), Fraction(1, 2), Fraction(3), Fraction(9)],
        apart=[(2, 2, 1), (2, 4, 2), (3, 3, 1), (2, 3, 2), (3, 3, 3), (3, 4, 2), (2, 5, 3)],
        ids=str,
    )
    def test_no_shift_within_the_distances_is_worse(self, v, apart):
        sensitivity = Sensitivity(*apart).tightest()
        shifts = {
            tuple(sorted((s for s in shift if s), reverse=True))
            for shift in itertools.product(range(apart[2] + 1), repeat=apart[0])
            if 0 < sum(shift) <= apart[1]
        }
        for epsilon in (0, "1/2", 2, 7):
            stated = Gaussian(v, epsilon=epsilon).loss(sensitivity).delta
            with ctx.workprec(BITS):
                worst = max(float(hockey(v, shift, ball(Fraction(epsilon)).exp())) for shift in shifts)
            assert float_up(stated) >= worst * (1 - 1e-12)
            if sensitivity.l1 == sensitivity.l0 * sensitivity.li:
                assert float_up(stated) <= worst * (1 + 1e-12)

    @pytest.mark.parametrize("v", [Fraction(1, 2), Fraction(3), Fraction(12), Fraction(400)], ids=str)
    @pytest.mark.parametrize("l0", [1, 4])
    @pytest.mark.parametrize("delta", ["0.2", "1e-6", "1e-20", "1e-300"])
    def test_the_reported_epsilon_is_the_least_float(self, v, l0, delta):
        apart = Sensitivity(l0, l0, 1)
        found = float_up(Gaussian(v, delta=delta).loss(apart).epsilon)
        below = math.nextafter(found, 0)
        assert sign(Gaussian(v, epsilon=Fraction(found)).loss(apart).delta - Fraction(delta)) <= 0
        assert found == 0 or sign(Gaussian(v, epsilon=Fraction(below)).loss(apart).delta - Fraction(delta)) > 0

    def test_the_formula_of_the_continuous_law_is_too_small(self):
        """delta of the continuous Gaussian at mu = 1 / sigma, as floats: the discrete law's is 1 % more."""
        mu, upper = 1 / 3, lambda x: math.erfc(x / math.sqrt(2)) / 2
        continuous = upper(1 / mu - mu / 2) - math.e * upper(1 / mu + mu / 2)
        assert float_up(Gaussian(9, epsilon=1).loss(Sensitivity(1, 1, 1)).delta) > continuous * 1.002

    @pytest.mark.parametrize("l0", [1, 3, 1000])
    def test_within_is_the_least_of_the_grid(self, l0):
        for epsilon, delta, li in (("1", "1e-6", 1), ("0.01", "1e-12", 3), ("8", "0.1", 1), ("1/3", "1e-300", 2)):
            apart, budget = Sensitivity(l0, l0 * li, li), EpsilonDelta(epsilon, delta)
            noise = Gaussian.within(budget, apart)
            m = noise.variance
            while m < 2**11 or m.denominator > 1:
                m *= 2
            while m >= 2**12:
                m /= 2
            assert m.denominator == 1
            smaller = Gaussian(noise.variance * (m - 1) / m, epsilon=epsilon)
            assert noise.epsilon == budget.epsilon
            assert sign(noise.loss(apart).delta - budget.delta) <= 0 < sign(smaller.loss(apart).delta - budget.delta)

    def test_within_zcdp_is_exact(self):
        assert Gaussian.within(Rho("1/10"), Sensitivity(3, 25, 10)) == Gaussian(225 * 5)
        assert Gaussian(1125).loss(Sensitivity(3, 25, 10)) == Rho("1/10")
        assert Gaussian.within(EpsilonDelta(0, "1e-3"), Sensitivity(1, 1, 1)).variance > 10**5
        assert Gaussian.within(EpsilonDelta(1, "1e-3"), Sensitivity(0, 0, 0)) == Gaussian(0, epsilon=1)

    def test_no_noise_and_no_distance(self):
        one = Sensitivity(1, 1, 1)
        assert Gaussian(0).loss(one) == Rho(math.inf)
        assert Gaussian(0, epsilon=1).loss(one) == EpsilonDelta(1, 1)
        assert Gaussian(0, delta="1e-6").loss(one) == EpsilonDelta(math.inf, "1e-6")
        assert Gaussian(3, epsilon=1).loss(Sensitivity(0, 0, 0)) == EpsilonDelta(0, 0)
        assert (Gaussian(0).tail(1), Gaussian(0).second_moment, Gaussian(0).deviation) == (0, 0, 0)

    @pytest.mark.parametrize(
        "wrong", [{"variance": -1}, {"epsilon": 1, "delta": "1e-6"}, {"delta": 0}, {"delta": 1}, {"epsilon": -1}]
    )
    def test_wrong_parameters(self, wrong):
        with pytest.raises(ParameterError, match=str(next(iter(wrong)))[:3]):
            Gaussian(**{"variance": 1, **wrong})
        for budget in (EpsilonDelta(1, 0), EpsilonDelta(1, 1), EpsilonDelta(math.inf, "1e-6"), Rho(0), Pure(1)):
            with pytest.raises(ParameterError):
                Gaussian.within(budget, Sensitivity(1, 1, 1))


class TestConcentrated:
    @tiers.crossed(
        3,
        v=[Fraction(1, 20), Fraction(2, 5), Fraction(1), Fraction(7, 3)],
        shift=[(1,), (2,), (3,), (1, 1), (2, 1)],
        ids=str,
    )
    def test_no_order_of_the_renyi_divergence_exceeds_rho(self, v, shift):
        """Where order times shift is whole it is rho times the order; else less, by what Poisson's formula says."""
        rho = Gaussian(v).loss(Sensitivity(len(shift), sum(shift), max(shift))).rho
        assert rho == Fraction(sum(s * s for s in shift)) / (2 * v)
        for order in map(Fraction, ("17/16", "9/8", "5/4", "3/2", "2", "5/2", "3", "10/3", "5", "8", "33/4")):
            with ctx.workprec(BITS):
                true, less = arb(0), arb(0)
                for s in shift:
                    terms = [renyi_term(v, z, s, order) for z in range(-120, 121)]
                    true += sum(terms, arb(0)).log() / ball(order - 1)
                    less += (waves(v, order * s) / waves(v, Fraction(0))).log() / ball(order - 1)
                claimed = ball(rho * order)
                assert abs(true - (claimed + less)) < arb(2) ** -300
                whole = all((order * s).denominator == 1 for s in shift)
                assert abs(true - claimed) < arb(2) ** -300 if whole else true < claimed
                # Where the law is wide, the claim is next to the truth at every order.
                assert v < 1 or claimed - true < arb(2) ** -23 / ball(order - 1)

    def test_a_rho_that_is_a_little_smaller_would_not_hold(self):
        """At the order 2 the divergence is 2 rho: no smaller rho will do."""
        with ctx.workprec(BITS):
            for v in VARIANCES[1:4]:
                true = sum((renyi_term(v, z, 1, Fraction(2)) for z in range(-600, 601)), arb(0)).log()
                assert true > ball(2 * Gaussian(v).loss(Sensitivity(1, 1, 1)).rho) * (1 - arb(2) ** -200)


def renyi_term(v, z, s, order):
    """Pr[Z + s = z]^order Pr[Z = z]^(1 - order)."""
    whole = -(ball(order) * (z - s) ** 2 + ball(1 - order) * z * z) / (2 * ball(v))
    return whole.exp() / law_whole(v)


@cache
def law_whole(v):
    with ctx.workprec(BITS):
        return sum(((-ball(Fraction(z * z)) / (2 * ball(v))).exp() for z in range(-600, 601)), arb(0))


def waves(v, x):
    """The sum of exp(-(z - x)^2 / 2v) over the integers, in a unit of its own, by Poisson's formula."""
    return 1 + 2 * sum(
        ((-2 * arb.pi() ** 2 * ball(v) * m * m).exp() * (2 * m * ball(x)).cos_pi() for m in range(1, 60)), arb(0)
    )


class TestMechanisms:
    @pytest.mark.parametrize("domain", [Integers(), Integers(0, 5)], ids=repr)
    @pytest.mark.parametrize("point", [{"epsilon": "1/2"}, {"delta": "1e-3"}], ids=["epsilon", "delta"])
    def test_the_exact_audit_takes_it(self, domain, point):
        m = IntegerGaussian(variance=2, domain=domain, **point)
        found = audit.exact(m, pairs=[(0, 1), (1, 0), (2, 4)], draws=200)
        assert found.holds
        assert found.tightness > 1 - 1e-9 or domain != Integers()

    def test_the_exact_audit_takes_vectors(self):
        m = IntegerGaussian(variance="1/5", epsilon=1, domain=Vectors(Integers()))
        found = audit.exact(m, pairs=[([0, 0], [1, 1])], draws=100)
        assert found.holds
        assert found.tightness > 1 - 1e-9

    def test_names(self):
        names = {**PUBLIC, "Fraction": Fraction}
        for m in (
            IntegerGaussian(variance="7/2", domain=Integers(0, 9)),
            IntegerGaussian(variance=3, delta="1e-6"),
            GaussianThreshold(variance=3, threshold=20, epsilon=1),
        ):
            assert eval(repr(m), names) == m == pickle.loads(pickle.dumps(m))
        assert AddNoise(Gaussian(4)).loss(1) == IntegerGaussian(variance=4).loss(1) == Rho("1/8")
        with pytest.raises(MismatchError):
            KeepAbove(Gaussian(4), 30)
        with pytest.raises(ParameterError, match="epsilon"):
            GaussianThreshold(variance=4, threshold=30)
        with pytest.raises(ParameterError, match="rho"):
            IntegerGaussian.within(epsilon=1)

    def test_vectors_have_three_distances(self):
        m = IntegerGaussian(variance=8, domain=Vectors(Integers()))
        assert m.input_metric == L01InfDistance()
        assert m.input_metric.measure([1, 2, 3], [1, 0, 4]) == (2, 3, 2)
        assert m.loss((2, 8, 4)) == Rho(2)
        assert m.loss((8, 8, 8)) == Rho(4)
        with pytest.raises(MismatchError):
            m.input_metric.measure([1, 2], [1])
        bounded = IntegerGaussian(variance=8, domain=Vectors(Integers(0, 3), 2))
        assert bounded.sensitivity((9, 90, 10)) == Sensitivity(2, 6, 3)

    def test_concentrated_losses_add_up(self):
        both = Composition([IntegerGaussian(variance=4), IntegerLaplace(scale=2)])
        assert both.output_measure == ZeroConcentrated()
        assert both.loss(1) == Rho("1/4")
        assert both.privacy_map(2) == 1.0
        assert ZeroConcentrated().allows(Rho("1/3"), "1/3")
        assert ZeroConcentrated().lift(Pure(math.inf)) == Rho(math.inf)
        with pytest.raises(MismatchError):
            Composition([IntegerGaussian(variance=4), IntegerGaussian(variance=4, epsilon=1)]).loss(1)
        with pytest.raises(MismatchError):
            ZeroConcentrated().lift(EpsilonDelta(1, 0))

    def test_the_event_is_one_move_and_holds_the_variance(self):
        event = GaussianThreshold(variance=54, threshold=37, epsilon=1).event((3, 3, 1))
        assert event.moves == ((1, 1),)
        assert 0 < event.delta <= Fraction("1e-6")
        assert dict(event.parts[0].parameters) == {"variance": 54, "epsilon": 1, "threshold": 37}
        alone = IntegerGaussian(variance=4).event(1)
        assert (alone.moves, alone.delta, alone.concentrated) == ((), 1, (Fraction(1, 8), 0))


LETTERS = Maps(Categories(["a", "b", "c"]), Integers())


class TestThreshold:
    @pytest.mark.parametrize(("threshold", "epsilon"), [(3, "3"), (-3, "1")])
    def test_the_exact_audit_on_small_maps(self, threshold, epsilon):
        """Maps of two keys, each new on either side or far above the threshold: their laws are within the map."""
        m = GaussianThreshold(variance="1/5", threshold=threshold, epsilon=epsilon, domain=LETTERS)
        side = 1 if threshold > 0 else -1
        values = [(0, 0), (0, 1), (1, 0), (9, 10), (10, 9)]
        pairs = [
            tuple({k: side * pair[i] for k, pair in zip("ab", chosen, strict=True) if pair[i]} for i in (0, 1))
            for chosen in itertools.combinations_with_replacement(values, 2)
        ]
        found = audit.exact(m, pairs=tiers.each([pair for pair in pairs if pair[0] != pair[1]], 2), draws=0)
        assert found.holds
        assert found.tightness > 1 - 1e-9

    @pytest.mark.parametrize("threshold", [4, 6, 9])
    @pytest.mark.parametrize("v", [Fraction(1, 2), Fraction(4)], ids=str)
    @pytest.mark.parametrize(("l0", "li"), [(1, 1), (2, 1), (3, 1), (4, 1), (2, 2), (3, 3)])
    def test_delta_is_the_joint_one(self, threshold, v, l0, li):
        """Over all numbers of new keys on either side: 1 - a + a delta_n(epsilon + ln b - ln a)."""
        for epsilon in ("0", "1", "3"):
            with ctx.workprec(BITS):
                quiet = 1 - sum((p for z, p in law(v).items() if z >= threshold + 1 - li), arb(0))
                worst = arb(0)
                for here, there in itertools.product(range(l0 + 1), repeat=2):
                    if here + there <= l0:
                        a, b = quiet**here, quiet**there
                        grow = ball(Fraction(epsilon)).exp() * b / a
                        n = l0 - here - there
                        rest = hockey(v, (li,) * n, grow) if n else (1 - grow).max(arb(0))
                        worst = worst.max(1 - a + a * rest)
            stated = GaussianThreshold(variance=v, threshold=threshold, epsilon=epsilon).loss((l0, l0 * li, li)).delta
            true, said = float(worst), float_up(stated)
            assert true * (1 - 1e-12) <= said
            assert said <= true * (1 + max(true, 1e-12) / 4) or true > 0.5
            assert l0 > 1 or said == pytest.approx(true, rel=1e-12)

    @pytest.mark.parametrize(("l0", "threshold", "needed"), [(3, 37, 50), (10, 70, 93)])
    def test_thresholds_of_the_reference_budget(self, l0, threshold, needed):
        m = GaussianThreshold.within(epsilon=1, delta="1e-6", l0=l0)
        assert (m.threshold, m.noise.needed(m.threshold, Fraction(19, 20))) == (threshold, needed)
        assert m.output_measure.allows(m.loss((l0, l0, 1)), (1, "1e-6"))
        assert LaplaceThreshold.within(epsilon=1, delta="1e-6", l0=l0).threshold > threshold

    @pytest.mark.parametrize("l0", [1, 2, 3, 10, 40])
    @pytest.mark.parametrize(("epsilon", "delta"), [("1", "1e-6"), ("1/4", "1e-9"), ("4", "1e-3")])
    def test_more_noise_shows_no_smaller_groups(self, l0, epsilon, delta):
        """It is not proved that the least variance is the best, so it is looked at."""
        m = GaussianThreshold.within(epsilon=epsilon, delta=delta, l0=l0)
        for factor in map(Fraction, ("1.01", "1.05", "1.3", "2")):
            noise = Gaussian(m.variance * factor, epsilon=epsilon)
            threshold = KeepAbove(noise, 0).least_above(delta, (l0, l0, 1))
            assert threshold >= m.threshold
            assert noise.needed(threshold, Fraction(19, 20)) >= m.noise.needed(m.threshold, Fraction(19, 20))

    @pytest.mark.parametrize("v", [Fraction(1, 9), Fraction(1), Fraction(7, 2), Fraction(60)], ids=str)
    def test_more_noise_has_longer_tails_and_loses_less(self, v):
        noises = [Gaussian(v * factor, epsilon=1) for factor in map(Fraction, ("1", "1.001", "1.1", "1.5", "3"))]
        for less, more in itertools.pairwise(noises):
            assert all(sign(more.tail(k) - less.tail(k)) > 0 for k in (1, 2, 5, 20))
            for apart in (Sensitivity(1, 1, 1), Sensitivity(3, 3, 1), Sensitivity(2, 6, 3)):
                assert sign(more.loss(apart).delta - less.loss(apart).delta) < 0

    @pytest.mark.parametrize("d_in", [(1, 1, 1), (2, 2, 1), (5, 15, 3), (3, 7, 5), (200, 200, 1)])
    @pytest.mark.parametrize("delta", ["1e-2", "1e-9", "1e-100"])
    def test_the_threshold_is_the_least(self, d_in, delta):
        m = GaussianThreshold.within(epsilon="1/2", delta=delta, l0=d_in[0], l1=d_in[1], li=d_in[2])
        lower = GaussianThreshold(variance=m.variance, threshold=m.threshold - 1, epsilon="1/2")
        assert sign(m.loss(d_in).delta - Fraction(delta)) <= 0 < sign(lower.loss(d_in).delta - Fraction(delta))

    def test_every_number_of_new_keys_is_looked_at(self):
        """With pieces left out by a bound the maximum is that of all pieces."""
        for v, threshold, l0 in ((10, 14, 12), (4, 7, 9), (30, 30, 40)):
            m = GaussianThreshold(variance=v, threshold=threshold, epsilon=1)
            surprise = -math.log1p(-float_up(Gaussian(v).tail(threshold)))
            pieces = []
            for j in range(l0 + 1):
                phi, n = j * surprise, l0 - j
                alone = [
                    float_up(Gaussian(v, epsilon=Fraction(e)).loss(Sensitivity(n, n, 1)).delta) if e >= 0 else 1.0
                    for e in (1 + phi, 1 - phi)
                ]
                pieces.append(max(1 - math.exp(-phi) + math.exp(-phi) * alone[0], alone[1]))
            assert float_up(m.loss((l0, l0, 1)).delta) == pytest.approx(max(pieces), rel=max(max(pieces) / 4, 1e-9))

    @pytest.mark.parametrize(("d_in", "v", "threshold"), [((3, 60, 60), 7200, 272), ((2, 40, 40), 3200, 181)])
    def test_one_new_key_may_be_the_worst(self, d_in, v, threshold):
        """With l1 < l0 li new keys take what they like of l1, and leave the others all but 1 each."""
        (l0, l1, li), epsilon, pieces = d_in, 2, []
        surprises = [-math.log1p(-float_up(Gaussian(v).tail(threshold + 1 - c))) if c else 0.0 for c in range(li + 1)]
        for j in range(l0 + 1):
            packings = itertools.combinations_with_replacement(range(li + 1), j)
            phi = max(sum(surprises[c] for c in cs) for cs in packings if sum(cs) <= l1)
            rest = Sensitivity(l0 - j, l1 - j, li).tightest()
            here, there = (
                float_up(Gaussian(v, epsilon=Fraction(e)).loss(rest).delta) if rest.l1 else 0.0
                for e in (epsilon + phi, epsilon - phi)
            )
            pieces.append(max(1 - math.exp(-phi) + math.exp(-phi) * here, there))
        assert pieces[1] > 1.05 * max(pieces[:1] + pieces[2:])
        stated = float_up(GaussianThreshold(variance=v, threshold=threshold, epsilon=epsilon).loss(d_in).delta)
        assert stated == pytest.approx(pieces[1], rel=1e-9)

    def test_a_delta_for_which_no_epsilon_will_do(self):
        m = GaussianThreshold(variance=60, threshold=37, delta="1e-6")
        assert m.privacy_map((3, 3, 1))[0] == math.inf
        m = GaussianThreshold(variance=54, threshold=40, delta="1e-6")
        epsilon = m.privacy_map((3, 3, 1))[0]
        assert 0.9 < epsilon < 1
        near_it = [
            GaussianThreshold(variance=54, threshold=40, epsilon=Fraction(e)) for e in (epsilon, epsilon - 1e-15)
        ]
        assert [sign(m.loss((3, 3, 1)).delta - Fraction("1e-6")) for m in near_it] == [-1, 1]
        with pytest.raises(ParameterError, match="delta"):
            GaussianThreshold(variance=3, threshold=0, epsilon=1).least_above("1e-6", (3, 3, 1))

    def test_laplace_adds_up_its_parts_as_before(self):
        assert Laplace(3).joint(44, 3, lambda j: Sensitivity(3 - j, 3 - j, 1), lambda j: Sensitivity(j, j, 1)) is None
