"""Several releases on the same data: losses add exactly, laws multiply."""

import math
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet import (
    Approximate,
    BudgetError,
    Composition,
    DiscreetError,
    DomainError,
    IntegerLaplace,
    Integers,
    KindError,
    L01InfDistance,
    LaplaceThreshold,
    Maps,
    MaxDivergence,
    Measurement,
    MismatchError,
    OneHot,
    ParameterError,
    Pure,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    UnsupportedError,
    Vectors,
)
from discreet.domains import Texts
from discreet.reals import float_up, ln, total

YES_NO = RandomizedResponseBool(prob="3/4")
scales = st.fractions(min_value=Fraction(1, 1000), max_value=1000)
probs = st.fractions(min_value=Fraction(1, 2), max_value=Fraction(999, 1000), max_denominator=10**6)


class PureMap(Measurement):
    """A pure measurement of maps, which says how many keys there are, with noise."""

    __slots__ = ()
    input_domain = property(lambda _: Maps(Texts(), Integers()))
    input_metric = property(lambda _: L01InfDistance())
    output_measure = property(lambda _: MaxDivergence())

    def loss(self, d_in):
        return Pure(Fraction(self.input_metric.check(d_in)[0], 3))

    def sample(self, x, coins):
        return IntegerLaplace(scale=3).sample(len(x), coins)


class TestLosses:
    @given(st.lists(scales, min_size=1, max_size=12), st.integers(0, 10**6))
    def test_rational_losses_add_exactly(self, parts, d_in):
        both = Composition([IntegerLaplace(scale=s) for s in parts])
        exact = sum((d_in / s for s in parts), Fraction(0))
        assert both.loss(d_in) == Pure(exact)
        assert both.privacy_map(d_in) == float_up(exact)

    @settings(max_examples=50)
    @given(st.lists(probs, min_size=1, max_size=8))
    def test_logarithms_add_to_the_logarithm_of_the_product(self, parts):
        ratio = math.prod((p / (1 - p) for p in parts), start=Fraction(1))
        assert Composition(RandomizedResponseBool(prob=p) for p in parts).privacy_map(1) == float_up(ln(ratio))

    @pytest.mark.parametrize("count", [1, 2, 10, 100, 1000])
    def test_many_copies_are_rounded_once(self, count):
        assert Composition([YES_NO] * count).privacy_map(1) == float_up(ln(Fraction(3)) * count)
        assert Composition([IntegerLaplace(scale=10)] * count).privacy_map(1) == float_up(Fraction(count, 10))

    def test_rounding_each_part_would_be_looser(self):
        third = IntegerLaplace(scale=3)
        rounded = sum(Fraction(third.privacy_map(1)) for _ in range(3))
        assert Composition([third] * 3).privacy_map(1) == 1.0 < rounded

    def test_budgets_are_compared_exactly(self):
        Composition([IntegerLaplace(scale=10)] * 10).require(1, 1)
        Composition([IntegerLaplace(scale=3)] * 2).require(1, "2/3")
        with pytest.raises(BudgetError):
            Composition([IntegerLaplace(scale=3)] * 2).require(1, 2 / 3)

    def test_equal_data_lose_nothing(self):
        assert Composition([YES_NO, RandomizedResponseBool(prob=1)]).privacy_map(0) == 0

    def test_one_part_that_hides_nothing_hides_nothing(self):
        both = Composition([YES_NO, RandomizedResponseBool(prob=1)])
        assert both.privacy_map(1) == math.inf
        both.require(1, math.inf)
        with pytest.raises(BudgetError):
            both.require(1, 1e308)


class TestApproximateLosses:
    TABLE = LaplaceThreshold(scale=2, threshold=30)

    @pytest.mark.parametrize("count", [1, 2, 7, 100])
    def test_deltas_add_and_are_rounded_once(self, count):
        many = Composition([self.TABLE] * count)
        loss = self.TABLE.loss((1, 1, 1))
        assert many.output_measure == Approximate(MaxDivergence())
        assert many.privacy_map((1, 1, 1)) == (float_up(loss.epsilon * count), float_up(loss.delta * count))

    @pytest.mark.parametrize("order", [1, -1])
    def test_a_pure_loss_joins_with_delta_0(self, order):
        both = Composition([PureMap(), self.TABLE][::order])
        loss = self.TABLE.loss((1, 1, 1))
        assert both.output_measure == Approximate(MaxDivergence())
        assert both.privacy_map((1, 1, 1)) == (float_up(loss.epsilon + Fraction(1, 3)), float_up(loss.delta))
        assert both.privacy_map((0, 0, 0)) == (0.0, 0.0)

    def test_delta_stops_at_1(self):
        rash = LaplaceThreshold(scale=1000, threshold=1)
        assert Composition([rash] * 3).privacy_map((1, 1, 1))[1] == 1.0

    def test_a_delta_of_1_is_allowed_by_1(self):
        rash = Composition([LaplaceThreshold(scale=1000, threshold=1)] * 3)
        rash.require((1, 1, 1), rash.privacy_map((1, 1, 1)))

    def test_scale_0_hides_nothing(self):
        both = Composition([LaplaceThreshold(scale=0, threshold=1), self.TABLE])
        assert both.privacy_map((1, 1, 1)) == (math.inf, 1.0)

    def test_what_one_part_refuses_they_all_refuse(self):
        with pytest.raises(ParameterError, match="li <= 30"):
            Composition([LaplaceThreshold(scale=1, threshold=99), self.TABLE]).privacy_map((1, 31, 31))


class TestLaws:
    PARTS = (
        RandomizedResponse(categories=["a", "b"], prob="3/4"),
        RandomizedResponse(categories=["b", "c", "d"], prob="1/2"),
        RandomizedResponse(categories=["a", "z"], prob="1/2") >> str.upper,
    )

    @pytest.mark.parametrize("x", ["a", "b", "c", "foreign", None])
    def test_the_law_is_the_product(self, x):
        law = Composition(self.PARTS).law(x)
        laws = [part.law(x) for part in self.PARTS]
        assert law == {
            answers: math.prod((each[a] for each, a in zip(laws, answers, strict=True)), start=Fraction(1))
            for answers in product(*laws)
        }
        assert sum(law.values()) == 1

    def test_a_release_is_a_tuple_of_the_law(self):
        both = Composition(self.PARTS)
        for _ in range(20):
            assert both.law("a")[both.release("a")] > 0

    def test_parts_draw_independent_coins(self):
        twins = Composition([RandomizedResponseBool(prob="1/2")] * 64)
        assert len(set(twins.release(True))) == 2

    def test_the_law_bounds_the_loss(self):
        both = Composition([YES_NO, RandomizedResponseBool(prob="2/3")])
        p, q = both.law(True), both.law(False)
        assert both.privacy_map(1) == float_up(ln(max(p[a] / q[a] for a in p)))

    def test_a_part_without_a_finite_law_leaves_none(self):
        with pytest.raises(UnsupportedError, match="IntegerLaplace"):
            Composition([IntegerLaplace(scale=1)]).law(0)


class TestFit:
    @pytest.mark.parametrize(
        ("one", "other"),
        [
            (YES_NO, RandomizedResponse(categories=["a", "b"], prob=1)),
            (IntegerLaplace(scale=1), IntegerLaplace(scale=1, domain=Integers(low=0))),
            (Rappor(length=3, max_weight=1, f=1), Rappor(length=3, max_weight=2, f=1)),
            (
                IntegerLaplace(scale=1, domain=Vectors(Integers(), 2)),
                IntegerLaplace(scale=1, domain=Vectors(Integers())),
            ),
        ],
    )
    def test_parts_over_two_domains_are_refused_and_both_are_named(self, one, other):
        for parts in ([one, other], [other, one], [one, one, other]):
            with pytest.raises(MismatchError) as caught:
                Composition(parts)
            assert repr(one.input_domain) in str(caught.value)
            assert repr(other.input_domain) in str(caught.value)

    def test_no_parts_are_refused(self):
        with pytest.raises(ParameterError, match="measurements="):
            Composition([])

    @pytest.mark.parametrize(
        "parts", [None, 5, [None], [YES_NO, 5], "ab", [YES_NO, OneHot(["a"])], YES_NO, np.array(1)]
    )
    def test_parts_are_measurements(self, parts):
        with pytest.raises(KindError, match="measurements="):
            Composition(parts)

    def test_chains_over_one_domain_compose(self):
        chain = OneHot(["a", "b"]) >> Rappor(length=2, max_weight=1, f="1/2")
        both = Composition([chain, chain >> np.packbits])
        assert both.privacy_map(1) == float_up(ln(Fraction(3)) * 4)
        with pytest.raises(DomainError):
            both.release("c")


class TestNesting:
    def test_a_nest_costs_what_its_parts_cost(self):
        inner = Composition([YES_NO, RandomizedResponseBool(prob="2/3")])
        outer = Composition([inner, YES_NO, Composition([inner])])
        parts = [YES_NO, RandomizedResponseBool(prob="2/3")] * 2 + [YES_NO]
        losses = [part.loss(1).epsilon for part in parts]
        assert outer.privacy_map(1) == float_up(total(losses)) == float_up(ln(Fraction(3**3 * 2**2)))

    def test_a_nest_keeps_its_shape(self):
        inner = Composition([RandomizedResponseBool(prob=1)] * 2)
        assert Composition([inner, RandomizedResponseBool(prob=1)]).release(True) == ((True, True), True)

    def test_the_law_of_a_nest_is_a_product(self):
        nest = Composition([Composition([YES_NO]), YES_NO])
        assert nest.law(True)[((True,), True)] == Fraction(9, 16)
        assert sum(nest.law(True).values()) == 1

    def test_a_pure_nest_joins_an_approximate_one(self):
        table = LaplaceThreshold(scale=2, threshold=30)
        nest = Composition([Composition([PureMap(), PureMap()]), Composition([table, PureMap()])])
        epsilon, delta = table.privacy_map((1, 1, 1))
        assert nest.privacy_map((1, 1, 1)) == (float_up(Fraction(epsilon) + 1), delta)

    @given(st.recursive(scales, lambda inner: st.lists(inner, min_size=1, max_size=3), max_leaves=10))
    def test_any_nest_adds_up(self, tree):
        def make(node):
            return Composition(map(make, node)) if isinstance(node, list) else IntegerLaplace(scale=node)

        def leaves(node):
            return [s for part in node for s in leaves(part)] if isinstance(node, list) else [node]

        assert make(tree).loss(1).epsilon == sum(1 / s for s in leaves(tree))


def test_every_error_of_a_composition_is_declared():
    for parts in ([], [1], None, [YES_NO, IntegerLaplace(scale=1)]):
        with pytest.raises(DiscreetError):
            Composition(parts)
