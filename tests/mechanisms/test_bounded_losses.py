"""In a bounded domain, too, a loss is the least that holds: no two members are farther apart than its diameter."""

import itertools
import math
from fractions import Fraction

import pytest
import tiers

from discreet import BudgetError, Categories, IntegerLaplace, Integers, LaplaceThreshold, Maps, Vectors, audit
from discreet.audit.laws import pair_of_laws
from discreet.metrics import L01InfDistance
from discreet.reals import Real, exp, float_up, ln, maximum, total

TINY = Fraction(1, 2**40)


def top(value):
    return value.enclosure(128)[1] if isinstance(value, Real) else value


class TestIntegerLaplace:
    @pytest.mark.parametrize("scale", ["1/2", 3])
    @pytest.mark.parametrize("bounds", [(0, 0), (0, 1), (-2, 3), (5, 10)])
    def test_the_loss_is_the_greatest_over_all_pairs(self, scale, bounds):
        m = IntegerLaplace(scale=scale, domain=Integers(*bounds))
        members = range(bounds[0], bounds[1] + 1)
        for d in range(9):
            pairs = [(x, y) for x in members for y in members if x != y and abs(x - y) <= d]
            true = [top(ln(p[o] / q[o])) for x, y in pairs for p, q in [pair_of_laws(m, x, y)] for o in p]
            assert abs(m.loss(d).epsilon - max(true, default=0)) <= TINY

    @pytest.mark.parametrize("size", [0, 1, 2])
    def test_the_loss_of_vectors_is_the_greatest_over_all_pairs(self, size):
        m = IntegerLaplace(scale=2, domain=Vectors(Integers(0, 2), size=size))
        members = list(itertools.product(range(3), repeat=size))
        for d in range(2 * size + 3):
            pairs = [(x, y) for x in members for y in members if 0 < m.input_metric.measure(x, y) <= d]
            true = [top(ln(p[o] / q[o])) for x, y in pairs for p, q in [pair_of_laws(m, x, y)] for o in p]
            assert abs(m.loss(d).epsilon - max(true, default=0)) <= TINY

    def test_the_diameter_bounds_every_distance(self):
        assert IntegerLaplace(scale=1, domain=Integers(0, 10)).privacy_map(100) == 10
        assert IntegerLaplace(scale=1, domain=Vectors(Integers(0, 10), size=3)).privacy_map(100) == 30
        assert IntegerLaplace(scale=1, domain=Vectors(Integers(0, 10))).privacy_map(100) == 100
        assert IntegerLaplace(scale=1, domain=Vectors(Integers(4, 4))).privacy_map(100) == 0
        assert IntegerLaplace(scale=1, domain=Integers(low=0)).privacy_map(100) == 100
        assert IntegerLaplace(scale=0, domain=Integers(4, 4)).privacy_map(100) == 0
        assert IntegerLaplace(scale=0, domain=Integers(4, 5)).privacy_map(100) == math.inf

    def test_the_least_noise_is_for_the_diameter(self):
        m = IntegerLaplace.within(epsilon=1, d_in=100, domain=Integers(0, 10))
        assert m.scale == 10
        m.require(100, 1)
        assert IntegerLaplace.within(epsilon=1, d_in=100, domain=Integers(7, 7)).scale == 0
        assert IntegerLaplace.within(epsilon="1/2", d_in=100, domain=Vectors(Integers(0, 2), size=4)).scale == 16

    def test_the_audit_finds_the_diameter(self):
        result = audit.exact(IntegerLaplace(scale=1, domain=Integers(0, 5)), pairs=[(0, 5)])
        assert result.holds
        assert result.tightness > 1 - 1e-15


BOUNDS = [(0, 0), (0, 1), (-1, 1), (1, 3), (0, 2), (-1, 2), (-2, 1), (0, None), (None, None), (2, 3), (-3, -1), (-2, 0)]
LOOSE = {(2, 3), (-3, -1), (-2, 0)}  # Without a value of 1, delta is an upper bound.


class TestLaplaceThreshold:
    @pytest.mark.parametrize(("bounds", "side"), tiers.each(itertools.product(BOUNDS, [1, -1]), 5))
    def test_delta_is_the_greatest_over_all_pairs_and_epsilon_over_those_with_the_same_keys(self, bounds, side):
        low, high = bounds
        domain = Integers(low, high) if side > 0 else Integers(*(None if x is None else -x for x in (high, low)))
        m = LaplaceThreshold(scale=1, threshold=4 * side, domain=Maps(Categories(["a", "b"]), domain))
        values = {0, *(side * v for v in range(-1 if low is None else low, (4 if high is None else high) + 1))}
        maps = [{k: v for k, v in zip("ab", x, strict=True) if v} for x in itertools.product(values, repeat=2)]
        found = []
        for x, y in itertools.permutations(maps, 2):
            d = L01InfDistance().measure(x, y)
            if d[2] > 4:
                continue
            p, q = pair_of_laws(m, x, y)
            grow = exp(m.loss(d).epsilon)
            excess = top(total(maximum(p[o] - grow * q.get(o, Fraction(0)), Fraction(0)) for o in p))
            assert excess <= top(m.loss(d).delta) + TINY
            found.append((d, sum(abs(x[k] - y[k]) for k in x.keys() & y.keys()), excess))
        for d_in in itertools.product((0, 1, 2, 9), (0, 1, 2, 3, 5, 20), (0, 1, 2, 3)):
            inside = [f for f in found if all(a <= b for a, b in zip(f[0], L01InfDistance().check(d_in), strict=True))]
            loss = m.loss(d_in)
            assert loss.epsilon == max((shared for _, shared, _ in inside), default=0)
            # What is gained by keys that one of the maps lacks, alone: with others, epsilon pays for some of it.
            true = max((excess for *_, excess in inside), default=0)
            assert true - TINY <= top(loss.delta)
            assert bounds in LOOSE or top(loss.delta) <= true + TINY

    def test_a_value_that_cannot_exceed_the_threshold_asks_for_no_larger_one(self):
        m = LaplaceThreshold(scale=1, threshold=5, domain=Maps(Categories(["a", "b"]), Integers(0, 3)))
        free = LaplaceThreshold(scale=1, threshold=5)
        assert m.privacy_map((1, 100, 100)) == (2, free.privacy_map((1, 3, 3))[1])
        assert m.privacy_map((9, 100, 100)) == (4, free.privacy_map((2, 6, 3))[1])

    def test_within_is_within_and_least(self):
        domain = Maps(Categories(["a", "b"]), Integers(0, 6))
        m = LaplaceThreshold.within(epsilon=1, delta="1e-3", l0=9, li=50, domain=domain)
        assert m.scale == 10  # Two keys, each from 1 to 6.
        m.require((9, 450, 50), (1, "1e-3"))
        with pytest.raises(BudgetError):
            LaplaceThreshold(scale=10, threshold=m.threshold - 1, domain=domain).require((9, 450, 50), (1, "1e-3"))

    def test_within_takes_values_that_only_say_that_a_key_is_there(self):
        m = LaplaceThreshold.within(epsilon=1, delta="1e-3", domain=Maps(Categories(["a"]), Integers(0, 1)))
        m.require((1, 1, 1), (0, "1e-3"))

    def test_within_takes_values_between_which_no_key_can_come_or_go(self):
        m = LaplaceThreshold.within(epsilon=1, delta="1e-3", li=5, domain=Maps(Categories(["a"]), Integers(10, 30)))
        assert (m.scale, m.threshold) == (5, 0)
        m.require((1, 5, 5), (1, 0))


class TestDeltaNearOne:
    MANY = LaplaceThreshold(scale=1000, threshold=1)

    def test_it_is_compared_exactly(self):
        delta = self.MANY.loss((100, 100, 1)).delta  # 1 - e^-69
        assert float_up(1 - delta) < 1e-29
        self.MANY.require((100, 100, 1), ("1/10", 1 - Fraction(1, 10**31)))
        with pytest.raises(BudgetError):
            self.MANY.require((100, 100, 1), ("1/10", 1 - Fraction(1, 10**30)))

    @pytest.mark.parametrize("keys", [100, 10**5, 10**9, 2**1000])
    def test_it_is_written_as_one_at_once(self, keys):
        assert self.MANY.privacy_map((keys, keys, 1))[1] == 1.0
        with pytest.raises(BudgetError):
            self.MANY.require((keys, keys, 1), (keys, 1 - Fraction(1, 10**20)))
        self.MANY.require((keys, keys, 1), (keys, 1))
