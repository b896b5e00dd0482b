"""Losses are compared and added exactly, and rounded upward once."""

import copy
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from public_names import PUBLIC

from discreet import (
    Approximate,
    DiscreetError,
    EpsilonDelta,
    KindError,
    Loss,
    MaxDivergence,
    MismatchError,
    ParameterError,
    Pure,
)
from discreet.measures import INFINITE, Measure, amount, common
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
        assert PURE.up(Pure(loss)) == least_float(loss)

    @given(st.lists(losses, max_size=20))
    def test_a_sum_is_exact_and_rounded_once(self, terms):
        assert PURE.add(map(Pure, terms)) == Pure(Fraction(sum(terms)))
        assert PURE.up(PURE.add(map(Pure, terms))) == least_float(Fraction(sum(terms)))

    @pytest.mark.parametrize("count", [2, 10, 1000])
    def test_many_logarithms_are_rounded_once(self, count):
        assert PURE.up(PURE.add([Pure(LN3)] * count)) == float_up(LN3 * count)

    def test_a_sum_takes_any_iterable(self):
        assert PURE.add(iter([Pure(1), Pure(2)])) == Pure(3)

    def test_nothing_costs_nothing(self):
        assert PURE.add([]) == PURE.zero == Pure(0)
        assert PURE.up(PURE.zero) == 0.0
        assert math.copysign(1, PURE.up(PURE.zero)) == 1
        assert PURE.allows(PURE.zero, 0)

    def test_infinity_swallows_everything(self):
        assert PURE.add([Pure(LN3), Pure(INFINITE), Pure(1)]) == Pure(INFINITE)
        assert PURE.up(Pure(INFINITE)) == math.inf
        assert PURE.allows(Pure(INFINITE), math.inf)
        assert not PURE.allows(Pure(INFINITE), 1e308)
        assert not PURE.allows(Pure(INFINITE), 10**400)

    def test_an_infinite_budget_allows_everything(self):
        for loss in (Fraction(0), LN3, Fraction(10**400), INFINITE):
            assert PURE.allows(Pure(loss), math.inf)
            assert PURE.allows(Pure(loss), np.float64("inf"))

    @pytest.mark.parametrize("loss", [LN3, exp(Fraction(-800)), LN3 * 10**30, Fraction(1, 3), Fraction(2, 3)])
    def test_the_rounded_loss_suffices_and_the_float_below_does_not(self, loss):
        assert PURE.allows(Pure(loss), float_up(loss))
        assert not PURE.allows(Pure(loss), float_down(loss))

    def test_thirds_are_compared_exactly(self):
        third = Fraction(1, 3)
        assert PURE.allows(Pure(third), "1/3")
        assert PURE.allows(Pure(third), third)
        assert not PURE.allows(Pure(third), 1 / 3)
        assert not PURE.allows(Pure(third), "0." + 100 * "3")
        assert PURE.allows(Pure(third), "0." + 100 * "3" + "4")

    @given(losses, losses)
    def test_allowed_is_at_most(self, loss, allowed):
        assert PURE.allows(Pure(loss), allowed) == (loss <= allowed)

    @pytest.mark.parametrize("allowed", [-1, -0.5, "-1/3", math.nan, -math.inf, "inf", "nan", "x", -5e-324])
    @pytest.mark.parametrize("loss", [Fraction(0), LN3, INFINITE])
    def test_a_budget_is_a_number_of_at_least_0(self, loss, allowed):
        with pytest.raises(ParameterError, match="epsilon="):
            PURE.allows(Pure(loss), allowed)

    @pytest.mark.parametrize("allowed", [None, True, (1, 0), [1], np.array([1]), 1j, b"1"])
    def test_a_budget_is_a_number(self, allowed):
        with pytest.raises(KindError, match="epsilon="):
            PURE.allows(Pure(LN3), allowed)

    def test_a_loss_beyond_the_floats_is_infinite_and_below_them_is_not_0(self):
        assert PURE.up(Pure(Fraction(10**400))) == math.inf
        assert PURE.up(Pure(Fraction(1, 10**400))) == 5e-324
        assert PURE.allows(Pure(Fraction(10**400)), 10**400)


class TestApproximate:
    @given(st.lists(st.tuples(losses, shares), max_size=10))
    def test_sums_are_exact_and_rounded_once(self, pairs):
        epsilon, delta = (Fraction(sum(column)) for column in zip(*pairs, strict=True)) if pairs else (0, 0)
        assert APPROXIMATE.up(APPROXIMATE.add(EpsilonDelta(*pair) for pair in pairs)) == (
            least_float(Fraction(epsilon)),
            min(least_float(Fraction(delta)), 1.0),
        )

    def test_nothing_costs_nothing(self):
        assert APPROXIMATE.add([]) == APPROXIMATE.zero == EpsilonDelta(0, 0)
        assert APPROXIMATE.up(APPROXIMATE.zero) == (0.0, 0.0)
        assert APPROXIMATE.allows(APPROXIMATE.zero, (0, 0))

    def test_delta_is_at_most_1(self):
        assert APPROXIMATE.up(EpsilonDelta(1, "7/2")) == (1.0, 1.0)

    def test_a_delta_of_1_allows_every_delta(self):
        certain = APPROXIMATE.add([EpsilonDelta(INFINITE, 1)] * 2)
        assert APPROXIMATE.up(certain) == (math.inf, 1.0)
        assert APPROXIMATE.allows(certain, (math.inf, 1))
        assert APPROXIMATE.allows(EpsilonDelta(Fraction(1), Fraction(3, 2)), (1, 1))
        assert not APPROXIMATE.allows(EpsilonDelta(Fraction(1), Fraction(3, 2)), (1, "0.999"))

    def test_infinity(self):
        assert APPROXIMATE.add([Pure(INFINITE), EpsilonDelta(LN3, "1/3")]) == EpsilonDelta(INFINITE, "1/3")
        assert APPROXIMATE.allows(EpsilonDelta(INFINITE, Fraction(1, 3)), (math.inf, "1/3"))
        assert not APPROXIMATE.allows(EpsilonDelta(INFINITE, Fraction(1, 3)), (math.inf, 1 / 3))
        assert not APPROXIMATE.allows(EpsilonDelta(INFINITE, Fraction(0)), (10**9, 1))

    @given(losses, shares, losses, shares)
    def test_both_parts_are_compared(self, epsilon, delta, budget, most):
        assert APPROXIMATE.allows(EpsilonDelta(epsilon, delta), (budget, most)) == (epsilon <= budget and delta <= most)

    @pytest.mark.parametrize("allowed", [1, None, (1,), (1, 2, 3), "12", {1, 2}, np.array([1, 0]), {}])
    def test_two_budgets_are_needed(self, allowed):
        with pytest.raises(KindError, match="d_out="):
            APPROXIMATE.allows(APPROXIMATE.zero, allowed)

    @pytest.mark.parametrize("junk", [-1, math.nan, None, True, "x"])
    def test_each_budget_is_checked_under_its_name(self, junk):
        with pytest.raises(DiscreetError, match=r"^epsilon="):
            APPROXIMATE.allows(APPROXIMATE.zero, (junk, 0))
        with pytest.raises(DiscreetError, match=r"^delta="):
            APPROXIMATE.allows(APPROXIMATE.zero, (0, junk))

    def test_a_bad_delta_is_refused_even_where_epsilon_is_exceeded(self):
        with pytest.raises(DiscreetError, match=r"^delta="):
            APPROXIMATE.allows(EpsilonDelta(LN3, Fraction(0)), (0, "x"))

    @pytest.mark.parametrize("of", [None, MaxDivergence, "MaxDivergence()", APPROXIMATE])
    def test_only_a_pure_measure_is_approximated(self, of):
        with pytest.raises(KindError, match=r"^of="):
            Approximate(of)


class TestLosses:
    @given(losses, losses, shares)
    def test_a_pure_loss_joins_an_approximate_one_with_delta_0(self, one, other, delta):
        both = APPROXIMATE.add([Pure(one), EpsilonDelta(other, delta)])
        assert both == APPROXIMATE.add([EpsilonDelta(other, delta), Pure(one)]) == EpsilonDelta(one + other, delta)

    @pytest.mark.parametrize("call", ["up", "lift", "add", "allows"])
    @pytest.mark.parametrize("loss", [EpsilonDelta(1, 0), Loss()], ids=["EpsilonDelta", "Loss"])
    def test_a_pure_measure_takes_no_other_loss(self, call, loss):
        given_ = {"add": ([loss],), "allows": (loss, 1)}.get(call, (loss,))
        with pytest.raises(MismatchError, match=r"^MaxDivergence\(\) cannot state a loss that is"):
            getattr(PURE, call)(*given_)

    @pytest.mark.parametrize("measure", [PURE, APPROXIMATE], ids=repr)
    @pytest.mark.parametrize("naked", [Fraction(1), 1.0, math.inf, (Fraction(1), Fraction(0)), None, LN3])
    def test_a_naked_number_is_no_loss(self, measure, naked):
        with pytest.raises(KindError, match=r"^loss=.*need a Loss"):
            measure.up(naked)

    @pytest.mark.parametrize("make", [Pure, lambda part: EpsilonDelta(part, 0), lambda part: EpsilonDelta(1, part)])
    @pytest.mark.parametrize("part", [-1, "-1/3", math.nan, -math.inf, None, True, (1, 0), "x", Fraction(-1, 3)])
    def test_parts_are_exact_numbers_of_at_least_0(self, make, part):
        with pytest.raises(DiscreetError, match=r"^(epsilon|delta)="):
            make(part)

    def test_delta_is_never_infinite(self):
        with pytest.raises(ParameterError, match=r"^delta="):
            EpsilonDelta(1, INFINITE)

    def test_a_float_is_its_own_binary_value(self):
        assert Pure(0.1) == Pure(Fraction(0.1)) != Pure("0.1")
        assert type(Pure(np.float64("inf")).epsilon) is float

    def test_a_fraction_may_be_longer_than_what_a_user_types(self):
        assert Pure(Fraction(1, 3**20_000)).epsilon > 0

    @pytest.mark.parametrize("loss", [Pure("1/3"), EpsilonDelta(1, "1e-6"), Pure(INFINITE)], ids=repr)
    def test_a_loss_is_a_value(self, loss):
        for again in (pickle.loads(pickle.dumps(loss)), copy.deepcopy(loss)):
            assert again == loss
            assert hash(again) == hash(loss)
        assert Pure(1) != EpsilonDelta(1, 0)


class Squared(Measure):
    """A third measure, made at home: its losses are pure ones and its own, which no other measure knows."""

    zero = Loss()

    def lift(self, loss):
        return loss

    def add(self, losses):
        *_, last = map(self.lift, losses)
        return last

    up = allows = None


class TestCommon:
    def test_the_first_that_states_all_is_taken(self):
        assert common([PURE, PURE]) == PURE
        assert common([PURE, APPROXIMATE]) == common([APPROXIMATE, PURE]) == APPROXIMATE
        wide = Squared()
        assert common([APPROXIMATE, wide, PURE]) is wide

    def test_measures_without_a_common_one_are_refused(self):
        strange = type("Strange", (Squared,), {"lift": lambda _, loss: PURE.lift(loss)})()
        with pytest.raises(MismatchError, match="no one measure states the losses of"):
            common([APPROXIMATE, strange])


@pytest.mark.parametrize("measure", [PURE, APPROXIMATE], ids=repr)
def test_a_measure_is_a_value(measure):
    for again in (eval(repr(measure), PUBLIC), pickle.loads(pickle.dumps(measure)), copy.deepcopy(measure)):
        assert again == measure
        assert hash(again) == hash(measure)
    assert PURE != APPROXIMATE


class TestAmount:
    @given(losses)
    def test_a_budget_is_kept_exactly(self, epsilon):
        assert amount(epsilon) == amount(str(epsilon)) == epsilon

    @pytest.mark.parametrize("epsilon", [-1, -5e-324, math.nan, math.inf, "-0.1", None, True])
    def test_an_error_names_the_parameter(self, epsilon):
        with pytest.raises(DiscreetError, match=r"^budget="):
            amount(epsilon, "budget")
