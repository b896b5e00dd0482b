"""Chains fit together or say why not, losses are compared exactly, and mechanisms are values."""

import copy
import dataclasses
import math
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import discreet
from discreet import (
    AbsoluteDistance,
    Anything,
    BitVectors,
    Bloom,
    BudgetError,
    Categories,
    Composition,
    DiscreteDistance,
    DomainError,
    IntegerLaplace,
    Integers,
    KindError,
    LaplaceThreshold,
    Maps,
    MaxDivergence,
    Measurement,
    MismatchError,
    OneHot,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    Transformation,
    UnsupportedError,
    Vectors,
    coins,
    core,
)
from discreet.reals import float_down, float_up, ln

NAMES = {
    **{name: getattr(discreet, name) for name in discreet.__all__},
    **{name: getattr(core, name) for name in core.__all__},
    "Fraction": Fraction,
}

ONE_HOT, BLOOM = OneHot(["a", "b", "c"]), Bloom(length=8, hashes=2, key=b"k")
RAPPOR = Rappor(length=3, max_weight=1, f="1/2")
YES_NO = RandomizedResponseBool(prob="3/4")

MEASUREMENTS = [
    lambda: RandomizedResponseBool(prob="3/4"),
    lambda: RandomizedResponseBool(prob="3/4", constant_time=True),
    lambda: RandomizedResponse(categories=["a", "b"], prob="3/4"),
    lambda: RandomizedResponse(categories=[1, 2], prob="3/4"),
    lambda: RandomizedResponse(categories=[1, 2.0], prob="3/4"),
    lambda: Rappor(length=3, max_weight=1, f="1/2"),
    lambda: Rappor(length=3, max_weight=1, f=Fraction(1, 2), constant_time=True),
    lambda: IntegerLaplace(scale="1/3"),
    lambda: IntegerLaplace(scale="1/3", domain=Integers(dtype="int8")),
    lambda: IntegerLaplace(scale="1/3", domain=Vectors(Integers(), size=2)),
    lambda: LaplaceThreshold(scale=2, threshold=30),
    lambda: LaplaceThreshold(scale=2, threshold=-30, domain=Maps(Categories(["a"]), Integers(low=0))),
    lambda: OneHot(["a", "b", "c"]) >> Rappor(length=3, max_weight=1, f="1/2"),
    lambda: RandomizedResponseBool(prob="3/4") >> str,
    lambda: Composition([RandomizedResponseBool(prob="3/4"), RandomizedResponseBool(prob=1)]),
]
TRANSFORMATIONS = [
    lambda: OneHot(["a", "b", "c"]),
    lambda: OneHot([1, True]),
    lambda: Bloom(length=8, hashes=2),
    lambda: Bloom(length=8, hashes=2, key=b"k"),
    lambda: core.Composed(Shift(by=1), Shift(by=2)),
]
COMPONENTS = MEASUREMENTS + TRANSFORMATIONS

MEMBERS_AND_OTHERS = [
    (RandomizedResponseBool(prob="3/4"), True, 1),
    (Rappor(length=3, max_weight=1, f=1), [True, False, False], [True, True, False]),
    (Rappor(length=3, max_weight=1, f=1), np.zeros(3, bool), np.zeros(3, int)),
    (IntegerLaplace(scale=1), 5, 5.0),
    (IntegerLaplace(scale=1, domain=Integers(low=0)), 0, -1),
    (IntegerLaplace(scale=1, domain=Vectors(Integers(), size=2)), [1, 2], [1, 2, 3]),
    (LaplaceThreshold(scale=1, threshold=3), {"a": 1}, {"a": 1.0}),
    (LaplaceThreshold(scale=1, threshold=3), {"a": 1}, [("a", 1)]),
    (ONE_HOT >> RAPPOR, "a", "d"),
    (YES_NO >> str, True, "True"),
    (Composition([YES_NO, YES_NO]), False, 0),
]


class Shift(Transformation):
    """A transformation of integers, for chains of several."""

    __slots__ = ("by",)

    def __init__(self, by):
        self.by = by

    input_domain = output_domain = property(lambda _: Integers())
    input_metric = output_metric = property(lambda _: AbsoluteDistance())

    def stability_map(self, d_in):
        return 2 * self.input_metric.check(d_in)

    def apply(self, x):
        return 2 * x + self.by

    def __eq__(self, other):
        return type(other) is Shift and other.by == self.by

    def __hash__(self):
        return hash(self.by)

    def __repr__(self):
        return f"Shift(by={self.by})"


NAMES["Shift"] = Shift


@pytest.fixture
def no_coins(monkeypatch):
    def fail(*_):
        raise AssertionError("a coin is drawn")

    monkeypatch.setattr(coins.os, "urandom", fail)
    monkeypatch.setattr(coins.ssl, "RAND_bytes", fail)


class TestChains:
    @pytest.mark.parametrize("answer", ["a", "b", "c"])
    def test_a_chain_releases_the_transformed_data(self, answer):
        chain = ONE_HOT >> RAPPOR
        assert chain.law(answer) == RAPPOR.law(ONE_HOT(answer))
        assert chain.release(answer).shape == (3,)

    def test_a_chain_takes_what_its_first_part_takes(self):
        chain = ONE_HOT >> RAPPOR
        assert chain.input_domain == Categories(["a", "b", "c"])
        assert chain.input_metric == DiscreteDistance()
        assert chain.output_measure == MaxDivergence()

    def test_a_chain_costs_what_its_measurement_costs(self):
        chain = ONE_HOT >> RAPPOR
        assert [chain.privacy_map(d) for d in (0, 1, 2)] == [RAPPOR.privacy_map(d) for d in (0, 1, 1)]

    @pytest.mark.parametrize("x", ["text", b"bytes", None, 5, [1]])
    def test_a_filter_takes_any_answer(self, x):
        chain = BLOOM >> Rappor(length=8, max_weight=2, f="1/2")
        assert chain.input_domain == Anything()
        assert chain.release(x).shape == (8,)
        assert sum(chain.law(x).values()) == 1

    def test_no_law_is_stated_for_a_foreign_answer(self):
        with pytest.raises(DomainError):
            (ONE_HOT >> RAPPOR).law("foreign")

    def test_distances_pass_through_every_stage(self):
        chain = Shift(1) >> Shift(2) >> IntegerLaplace(scale=3)
        assert chain.privacy_map(1) == float_up(Fraction(4, 3))
        assert chain.privacy_map(0.9) == 0
        assert (Shift(1) >> Shift(2))(10) == 44
        assert (Shift(1) >> Shift(2)).stability_map(5) == 20

    def test_chains_associate(self):
        late = Shift(1) >> (Shift(2) >> IntegerLaplace(scale=0))
        early = (Shift(1) >> Shift(2)) >> IntegerLaplace(scale=0)
        assert late.release(10) == early.release(10) == 44
        assert late.privacy_map(1) == early.privacy_map(1) == math.inf
        assert late.privacy_map(0) == early.privacy_map(0) == 0


class TestMismatches:
    @pytest.mark.parametrize(
        ("first", "then", "sides"),
        [
            (ONE_HOT, Rappor(length=4, max_weight=1, f=1), (BitVectors(3, 1), BitVectors(4, 1))),
            (ONE_HOT, Rappor(length=3, max_weight=2, f=1), (BitVectors(3, 1), BitVectors(3, 2))),
            (BLOOM, RAPPOR, (BitVectors(8, 2), BitVectors(3, 1))),
            (ONE_HOT, IntegerLaplace(scale=1), (BitVectors(3, 1), Integers())),
            (ONE_HOT, Shift(1), (BitVectors(3, 1), Integers())),
            (Shift(1), IntegerLaplace(scale=1, domain=Integers(low=0)), (Integers(), Integers(low=0))),
        ],
    )
    def test_both_sides_are_named(self, first, then, sides):
        with pytest.raises(MismatchError) as caught:
            first >> then
        for side in sides:
            assert repr(side) in str(caught.value)
        assert f"{type(first).__name__} >> {type(then).__name__}" in str(caught.value)

    def test_metrics_must_fit_too(self):
        class Far(Shift):
            output_metric = property(lambda _: DiscreteDistance())

        with pytest.raises(MismatchError, match=r"metric on the left is DiscreteDistance\(\)"):
            Far(1) >> IntegerLaplace(scale=1)

    @pytest.mark.parametrize("other", [None, 5, "text", [1], YES_NO])
    def test_a_release_is_followed_by_a_function(self, other):
        with pytest.raises(MismatchError, match="need a function"):
            YES_NO >> other

    @pytest.mark.parametrize("other", [None, 5, "text", str, len])
    def test_a_transformation_is_not_followed_by_a_function(self, other):
        with pytest.raises(MismatchError, match="need a Transformation or a Measurement"):
            ONE_HOT >> other

    def test_a_chain_begins_with_a_transformation(self):
        with pytest.raises(KindError, match="first"):
            core.Measured(YES_NO, RAPPOR)


class TestPostprocessing:
    def test_a_function_costs_nothing(self):
        for m in (YES_NO, RAPPOR, IntegerLaplace(scale="1/3"), ONE_HOT >> RAPPOR):
            after = m >> repr
            assert [after.privacy_map(d) for d in (0, 1, 7)] == [m.privacy_map(d) for d in (0, 1, 7)]
            assert after.input_domain == m.input_domain
            assert after.input_metric == m.input_metric
            assert after.output_measure == m.output_measure

    def test_the_law_of_a_function_adds_up_where_it_merges(self):
        m = RandomizedResponse(categories=list("abcd"), prob="1/2")
        vowel = m >> (lambda answer: answer in "aeiou")
        assert vowel.law("a") == {True: Fraction(1, 2), False: Fraction(1, 2)}
        assert vowel.law("b") == {True: Fraction(1, 6), False: Fraction(5, 6)}

    def test_functions_apply_in_order(self):
        m = RandomizedResponseBool(prob=1) >> int >> str
        assert m.release(True) == "1"
        assert m.law(False) == {"0": 1, "1": 0}

    def test_a_function_sees_the_release_and_not_the_data(self):
        seen = []
        m = IntegerLaplace(scale=0) >> seen.append
        m.release(41)
        assert seen == [41]

    def test_where_there_is_no_finite_law_there_is_none_after(self):
        with pytest.raises(UnsupportedError, match="IntegerLaplace"):
            (IntegerLaplace(scale=1) >> abs).law(3)


class TestRequire:
    def test_a_loss_within_the_budget_is_allowed_in_silence(self):
        assert YES_NO.require(1, "1.1") is None
        assert LaplaceThreshold(scale=2, threshold=30).require((1, 1, 1), (0.5, 1e-6)) is None

    def test_losses_are_compared_exactly(self):
        loss = ln(Fraction(3))
        YES_NO.require(1, float_up(loss))
        with pytest.raises(BudgetError):
            YES_NO.require(1, float_down(loss))
        third = IntegerLaplace(scale=3)
        for enough in ("1/3", Fraction(1, 3), "0.3334", Decimal("0.3334"), math.nextafter(1 / 3, 1)):
            third.require(1, enough)
        for little in (1 / 3, "0.3333", Decimal("0.3333"), 0):
            with pytest.raises(BudgetError):
                third.require(1, little)

    def test_the_error_states_the_loss_and_the_budget(self):
        with pytest.raises(BudgetError, match=r"d_in=2 is 1\.0: need '0\.9' or less"):
            IntegerLaplace(scale=2).require(2, "0.9")

    def test_infinity_is_allowed_by_infinity_alone(self):
        RandomizedResponseBool(prob=1).require(1, math.inf)
        with pytest.raises(BudgetError):
            RandomizedResponseBool(prob=1).require(1, 10**300)

    def test_equal_data_need_no_budget(self):
        RandomizedResponseBool(prob=1).require(0, 0)
        LaplaceThreshold(scale=0, threshold=1).require((0, 0, 0), (0, 0))


@pytest.mark.parametrize(("mechanism", "member", "other"), MEMBERS_AND_OTHERS, ids=repr)
class TestRelease:
    def test_data_outside_the_domain_are_refused_before_a_coin_is_drawn(self, mechanism, member, other, no_coins):
        with pytest.raises(DomainError):
            mechanism.release(other)

    def test_data_inside_it_draw_coins(self, mechanism, member, other, no_coins):
        with pytest.raises(AssertionError, match="a coin is drawn"):
            mechanism.release(member)

    def test_data_inside_it_get_a_release(self, mechanism, member, other):
        assert member in mechanism.input_domain
        mechanism.release(member)


@pytest.mark.parametrize("make", COMPONENTS, ids=lambda make: repr(make())[:50])
class TestValues:
    def test_equal_parameters_make_equal_values(self, make):
        assert make() == make()
        assert hash(make()) == hash(make())
        assert repr(make()) == repr(make())

    def test_repr_is_code(self, make):
        text = repr(make()).replace("<class 'str'>", "str")
        assert eval(text, {**NAMES}) == make()

    @pytest.mark.parametrize("clone", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))])
    def test_copies_are_equal(self, make, clone):
        again = clone(make())
        assert again == make()
        assert hash(again) == hash(make())
        assert type(again) is type(make())

    def test_no_two_of_them_are_equal(self, make):
        assert sum(make() == other() for other in COMPONENTS) == 1
        assert make() != repr(make())

    def test_fields_cannot_be_assigned(self, make):
        value = make()
        for name in [field.name for field in dataclasses.fields(value)]:
            before = getattr(value, name)
            with pytest.raises(AttributeError):
                setattr(value, name, before)
            with pytest.raises(AttributeError):
                delattr(value, name)
            assert getattr(value, name) == before
        with pytest.raises((AttributeError, TypeError)):
            value.seed = 1
        assert not hasattr(value, "__dict__")


def test_parameters_written_in_different_ways_make_one_value():
    spellings = ["3/4", "0.75", 0.75, Fraction(3, 4), Decimal("0.75"), np.float32(0.75)]
    assert len({RandomizedResponseBool(prob=p) for p in spellings}) == 1
    assert RandomizedResponse(categories=Categories("ab"[i] for i in range(2)), prob=1) == RandomizedResponse(
        categories=("a", "b"), prob="1"
    )


class TestTransformations:
    @pytest.mark.parametrize("encoder", [ONE_HOT, BLOOM], ids=repr)
    def test_equal_answers_stay_equal_and_others_stay_within_1(self, encoder):
        assert [encoder.stability_map(d) for d in (0, 1, 2, 10**9)] == [0, 1, 1, 1]

    @pytest.mark.parametrize("encoder", [ONE_HOT, BLOOM], ids=repr)
    def test_images_lie_in_the_output_domain_within_the_stated_distance(self, encoder):
        metric = encoder.output_metric
        for x in ("a", "b", "c"):
            assert encoder(x) in encoder.output_domain
            for y in ("a", "b", "c"):
                d_in = encoder.input_metric.measure(x, y)
                assert metric.measure(encoder(x), encoder(y)) <= encoder.stability_map(d_in)

    @pytest.mark.parametrize("d_in", [-1, True, None, 1.5, "1"])
    def test_distances_are_checked(self, d_in):
        with pytest.raises(discreet.DiscreetError, match="d_in"):
            ONE_HOT.stability_map(d_in)

    @pytest.mark.parametrize("x", ["d", None, 1, ["a"], b"a"])
    def test_a_call_checks_its_data(self, x):
        with pytest.raises(DomainError):
            ONE_HOT(x)


def test_what_is_abstract_cannot_be_made():
    for abstract in (Measurement, Transformation):
        with pytest.raises(TypeError):
            abstract()
