"""Losses are compared and added exactly, and rounded upward once."""

import copy
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import discreet
from discreet import Approximate, DiscreetError, KindError, MaxDivergence, ParameterError
from discreet.measures import INFINITE, checked_epsilon
from discreet.reals import exp, float_down, float_up, ln

PURE, APPROXIMATE = MaxDivergence(), Approximate(MaxDivergence())
LN3 = ln(Fraction(3))
losses = st.fractions(min_value=0, max_value=10**6)
shares = st.fractions(min_value=0, max_value=1)


def least_float(x):
    """Return the least float that is at least a rational, by looking at its neighbours."""
    near = float(x)
    return near if Fraction(near) >= x else math.nextafter(near, math.inf)


class TestPure:
    @given(losses)
    def test_a_loss_becomes_the_least_float_that_is_not_below_it(self, loss):
        assert PURE.up(loss) == least_float(loss)

    @given(st.lists(losses, max_size=20))
    def test_a_sum_is_exact_and_rounded_once(self, terms):
        assert PURE.add(terms) == sum(terms)
        assert PURE.up(PURE.add(terms)) == least_float(Fraction(sum(terms)))

    @pytest.mark.parametrize("count", [2, 10, 1000])
    def test_many_logarithms_are_rounded_once(self, count):
        assert PURE.up(PURE.add([LN3] * count)) == float_up(LN3 * count)

    def test_a_sum_takes_any_iterable(self):
        assert PURE.add(iter([Fraction(1), Fraction(2)])) == 3

    def test_nothing_costs_nothing(self):
        assert PURE.add([]) == PURE.zero == 0
        assert PURE.up(PURE.zero) == 0.0
        assert math.copysign(1, PURE.up(PURE.zero)) == 1
        assert PURE.within(PURE.zero, 0)

    def test_infinity_swallows_everything(self):
        assert PURE.add([LN3, INFINITE, Fraction(1)]) == INFINITE
        assert PURE.up(INFINITE) == math.inf
        assert PURE.within(INFINITE, math.inf)
        assert not PURE.within(INFINITE, 1e308)
        assert not PURE.within(INFINITE, 10**400)

    def test_an_infinite_budget_allows_everything(self):
        for loss in (Fraction(0), LN3, Fraction(10**400), INFINITE):
            assert PURE.within(loss, math.inf)
            assert PURE.within(loss, np.float64("inf"))

    @pytest.mark.parametrize("loss", [LN3, exp(Fraction(-800)), LN3 * 10**30, Fraction(1, 3), Fraction(2, 3)])
    def test_the_rounded_loss_suffices_and_the_float_below_does_not(self, loss):
        assert PURE.within(loss, float_up(loss))
        assert not PURE.within(loss, float_down(loss))

    def test_thirds_are_compared_exactly(self):
        third = Fraction(1, 3)
        assert PURE.within(third, "1/3")
        assert PURE.within(third, third)
        assert not PURE.within(third, 1 / 3)
        assert not PURE.within(third, "0." + 100 * "3")
        assert PURE.within(third, "0." + 100 * "3" + "4")

    @given(losses, losses)
    def test_within_is_at_most(self, loss, allowed):
        assert PURE.within(loss, allowed) == (loss <= allowed)

    @pytest.mark.parametrize("allowed", [-1, -0.5, "-1/3", math.nan, -math.inf, "inf", "nan", "x", -5e-324])
    @pytest.mark.parametrize("loss", [Fraction(0), LN3, INFINITE])
    def test_a_budget_is_a_number_of_at_least_0(self, loss, allowed):
        with pytest.raises(ParameterError, match="epsilon="):
            PURE.within(loss, allowed)

    @pytest.mark.parametrize("allowed", [None, True, (1, 0), [1], np.array([1]), 1j, b"1"])
    def test_a_budget_is_a_number(self, allowed):
        with pytest.raises(KindError, match="epsilon="):
            PURE.within(LN3, allowed)

    def test_a_loss_beyond_the_floats_is_infinite_and_below_them_is_not_0(self):
        assert PURE.up(Fraction(10**400)) == math.inf
        assert PURE.up(Fraction(1, 10**400)) == 5e-324
        assert PURE.within(Fraction(10**400), 10**400)


class TestApproximate:
    @given(st.lists(st.tuples(losses, shares), max_size=10))
    def test_sums_are_exact_and_rounded_once(self, pairs):
        epsilon, delta = (Fraction(sum(column)) for column in zip(*pairs, strict=True)) if pairs else (0, 0)
        assert APPROXIMATE.up(APPROXIMATE.add(pairs)) == (
            least_float(Fraction(epsilon)),
            min(least_float(Fraction(delta)), 1.0),
        )

    def test_nothing_costs_nothing(self):
        assert APPROXIMATE.add([]) == APPROXIMATE.zero == (0, 0)
        assert APPROXIMATE.up(APPROXIMATE.zero) == (0.0, 0.0)
        assert APPROXIMATE.within(APPROXIMATE.zero, (0, 0))

    def test_delta_is_at_most_1(self):
        assert APPROXIMATE.up((Fraction(1), Fraction(7, 2))) == (1.0, 1.0)

    def test_a_delta_of_1_allows_every_delta(self):
        certain = APPROXIMATE.add([(INFINITE, Fraction(1))] * 2)
        assert APPROXIMATE.up(certain) == (math.inf, 1.0)
        assert APPROXIMATE.within(certain, (math.inf, 1))
        assert APPROXIMATE.within((Fraction(1), Fraction(3, 2)), (1, 1))
        assert not APPROXIMATE.within((Fraction(1), Fraction(3, 2)), (1, "0.999"))

    def test_infinity(self):
        assert APPROXIMATE.add([(INFINITE, Fraction(0)), (LN3, Fraction(1, 3))]) == (INFINITE, Fraction(1, 3))
        assert APPROXIMATE.within((INFINITE, Fraction(1, 3)), (math.inf, "1/3"))
        assert not APPROXIMATE.within((INFINITE, Fraction(1, 3)), (math.inf, 1 / 3))
        assert not APPROXIMATE.within((INFINITE, Fraction(0)), (10**9, 1))

    @given(losses, shares, losses, shares)
    def test_both_parts_are_compared(self, epsilon, delta, budget, most):
        assert APPROXIMATE.within((epsilon, delta), (budget, most)) == (epsilon <= budget and delta <= most)

    @pytest.mark.parametrize("allowed", [1, None, (1,), (1, 2, 3), "12", {1, 2}, np.array([1, 0]), {}])
    def test_two_budgets_are_needed(self, allowed):
        with pytest.raises(KindError, match="d_out="):
            APPROXIMATE.within(APPROXIMATE.zero, allowed)

    @pytest.mark.parametrize("junk", [-1, math.nan, None, True, "x"])
    def test_each_budget_is_checked_under_its_name(self, junk):
        with pytest.raises(DiscreetError, match=r"^epsilon="):
            APPROXIMATE.within(APPROXIMATE.zero, (junk, 0))
        with pytest.raises(DiscreetError, match=r"^delta="):
            APPROXIMATE.within(APPROXIMATE.zero, (0, junk))

    def test_a_bad_delta_is_refused_even_where_epsilon_is_exceeded(self):
        with pytest.raises(DiscreetError, match=r"^delta="):
            APPROXIMATE.within((LN3, Fraction(0)), (0, "x"))

    @pytest.mark.parametrize("of", [None, MaxDivergence, "MaxDivergence()", APPROXIMATE])
    def test_only_a_pure_measure_is_approximated(self, of):
        with pytest.raises(KindError, match=r"^of="):
            Approximate(of)


@pytest.mark.parametrize("measure", [PURE, APPROXIMATE], ids=repr)
def test_a_measure_is_a_value(measure):
    for again in (eval(repr(measure), vars(discreet)), pickle.loads(pickle.dumps(measure)), copy.deepcopy(measure)):
        assert again == measure
        assert hash(again) == hash(measure)
    assert PURE != APPROXIMATE


class TestCheckedEpsilon:
    @given(losses)
    def test_a_budget_is_kept_exactly(self, epsilon):
        assert checked_epsilon(epsilon) == checked_epsilon(str(epsilon)) == epsilon

    @pytest.mark.parametrize("epsilon", [-1, -5e-324, math.nan, math.inf, "-0.1", None, True])
    def test_an_error_names_the_parameter(self, epsilon):
        with pytest.raises(DiscreetError, match=r"^budget="):
            checked_epsilon(epsilon, "budget")
