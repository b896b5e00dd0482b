"""An event says what was released, exactly and as plain data; any accountant can count it again."""

import copy
import json
import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet import (
    Composition,
    IntegerLaplace,
    Integers,
    LaplaceThreshold,
    OneHot,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    SubsetSelection,
    Vectors,
)
from discreet.accounting import Amount, Event, Part, Plain
from discreet.reals import float_up

amounts = st.fractions(min_value=0, max_value=10, max_denominator=10**9)
moves = st.lists(st.tuples(amounts, st.integers(1, 10**6)), max_size=4)
events = st.lists(
    st.builds(
        Event.of,
        moves=moves,
        delta=amounts,
        mechanism=st.none() | st.text(max_size=9),
        sensitivity=st.lists(amounts, max_size=3),
        parameters=st.dictionaries(st.text(max_size=5), st.fractions(), max_size=3),
    ),
    max_size=3,
).map(lambda found: sum(found, Event(())))

MECHANISMS = [
    (RandomizedResponseBool(prob="3/4"), 1),
    (RandomizedResponse(categories=["a", "b", "c"], prob="1/2"), 1),
    (SubsetSelection.within(epsilon=1, categories=range(10)), 1),
    (IntegerLaplace(scale="7/3"), 2),
    (IntegerLaplace(scale=2, domain=Vectors(Integers())), 5),
    (LaplaceThreshold(scale=2, threshold=30), (3, 3, 1)),
    (Rappor(length=8, max_weight=1, f="1/2"), 1),
    (OneHot(["a", "b"]) >> Rappor(length=2, max_weight=1, f="1/2"), 1),
    (IntegerLaplace(scale=2) >> abs, 1),
    (Composition([RandomizedResponseBool(prob="3/4"), RandomizedResponseBool(prob="2/3")]), 1),
]


class TestValues:
    @given(events)
    def test_what_is_written_is_read_again(self, event):
        text = json.dumps(event.to_dict())
        again = Event.from_dict(json.loads(text))
        assert again == event
        assert hash(again) == hash(event)
        assert json.dumps(again.to_dict()) == text

    @given(events, events)
    def test_events_add_up(self, one, other):
        both = one + other
        assert both.parts == one.parts + other.parts
        assert both.moves == one.moves + other.moves
        assert (both.epsilon, both.delta) == (one.epsilon + other.epsilon, one.delta + other.delta)
        state = Plain().after(Plain().after(Plain.start, one), other)
        assert state == Plain().after(Plain.start, both) == (both.epsilon, both.delta)
        assert Plain().without(state, other) == (one.epsilon, one.delta)

    def test_an_event_is_a_value(self):
        event = Event.of(moves=[("1/3", 3)], delta="1e-6", mechanism="M", sensitivity=[1], parameters={"scale": 3})
        for again in (pickle.loads(pickle.dumps(event)), copy.deepcopy(event)):
            assert again == event
        assert eval(repr(event), {"Event": Event, "Part": Part, "Fraction": Fraction}) == event

    def test_a_move_of_nothing_is_none(self):
        assert Event.of(moves=[(0, 7)]).moves == ()

    @pytest.mark.parametrize(
        "given_",
        [
            {"moves": [(-1, 1)]}, {"moves": [(1, 0)]}, {"moves": [(1, 1.5)]}, {"moves": [(1, True)]}, {"moves": [1]},
            {"moves": None}, {"moves": [("x", 1)]}, {"moves": [(float("inf"), 1)]}, {"moves": "ab"},
            {"moves": [], "delta": -1}, {"moves": [], "delta": None}, {"moves": [], "mechanism": 5},
            {"moves": [], "sensitivity": [-1]}, {"moves": [], "sensitivity": 5}, {"moves": [], "parameters": [1]},
            {"moves": [], "parameters": {"a": None}},
        ],
        ids=repr,
    )  # fmt: skip
    def test_junk_is_refused(self, given_):
        with pytest.raises((TypeError, ValueError), match=r"^(moves|delta|mechanism|sensitivity|parameters)="):
            Event.of(**given_)

    @pytest.mark.parametrize("change", ["version", "parts", "moves", "delta", "mechanism", "sensitivity", "parameters"])
    @pytest.mark.parametrize("junk", [None, 5, "x", [], {}, [["1/2"]], "1e5", "2/4", "1e999999999", "-1", [["1", 0]]])
    def test_what_to_dict_never_wrote_is_refused(self, change, junk):
        good = Event.of(moves=[("1/3", 2)], delta="1e-6", mechanism="M", sensitivity=[1], parameters={"scale": 3})
        bad = good.to_dict()
        (bad if change in bad else bad["parts"][0])[change] = junk
        try:
            found = Event.from_dict(bad)
        except (TypeError, ValueError) as error:
            assert str(error).startswith(("event=", "version="))  # noqa: PT017
        else:
            assert found.to_dict() == bad


class TestMechanisms:
    @pytest.mark.parametrize(("mechanism", "d_in"), MECHANISMS, ids=lambda value: type(value).__name__)
    def test_plain_addition_of_an_event_is_the_loss_of_the_mechanism(self, mechanism, d_in):
        event, claimed = mechanism.event(d_in), mechanism.privacy_map(d_in)
        epsilon, delta = claimed if isinstance(claimed, tuple) else (claimed, 0.0)
        loss = mechanism.loss(d_in)
        assert event.epsilon >= Fraction(0)
        assert Event.from_dict(event.to_dict()) == event
        if isinstance(mechanism, Composition):  # Each part is rounded up by itself.
            assert epsilon <= event.epsilon <= Fraction(epsilon) + Fraction(1, 10**15)
        else:
            exact = loss.epsilon
            assert event.epsilon == (exact if isinstance(exact, Fraction) else Fraction(float_up(exact)))
        assert event.delta == Fraction(delta)

    def test_an_event_names_its_mechanism_its_distance_and_its_numbers(self):
        (part,) = LaplaceThreshold(scale=2, threshold=30).event((3, 3, 1)).parts
        assert (part.mechanism, part.sensitivity) == ("LaplaceThreshold", (3, 3, 1))
        assert dict(part.parameters) == {"scale": 2, "threshold": 30}
        (part,) = IntegerLaplace(scale="7/3").event(2).parts
        assert (part.mechanism, part.sensitivity) == ("IntegerLaplace", (1, 2, 2))
        assert dict(part.parameters) == {"scale": Fraction(7, 3)}
        (part,) = (OneHot(["a", "b"]) >> Rappor(length=2, max_weight=1, f="1/2")).event(1).parts
        assert (part.mechanism, part.sensitivity) == ("Rappor", (1,))
        assert dict(part.parameters) == {"length": 2, "max_weight": 1, "f": Fraction(1, 2)}

    @pytest.mark.parametrize("m", [1, 3, 7])
    def test_a_table_is_as_many_moves_as_a_person_has_groups(self, m):
        table = LaplaceThreshold.within(epsilon=1, delta="1e-6", l0=m)
        assert table.event((m, m, 1)).moves == ((Fraction(1, m), m),)
        sums = LaplaceThreshold(scale=10, threshold=900)
        assert sums.event((m, 5 * m, 5)).moves == ((Fraction(1, 2), m),)
        known = IntegerLaplace(scale=10, domain=Vectors(Integers(0, 5), size=m))
        assert known.event(5 * m).moves == ((Fraction(1, 2), m),)

    def test_what_is_not_divided_equally_is_one_move(self):
        """Packing is no worst case: 1 and 1 may tell more than 1.2 and 0.8 do."""
        sums = LaplaceThreshold(scale=10, threshold=900)
        assert sums.event((3, 25, 10)).moves == ((Fraction(5, 2), 1),)
        assert IntegerLaplace(scale=2, domain=Vectors(Integers())).event(4).moves == ((Fraction(2), 1),)

    def test_a_composition_has_the_parts_of_all(self):
        parts = [RandomizedResponseBool(prob="3/4"), RandomizedResponseBool(prob="2/3")]
        event = Composition(parts).event(1)
        assert event.parts == parts[0].event(1).parts + parts[1].event(1).parts

    def test_equal_data_make_no_move(self):
        assert IntegerLaplace(scale=2).event(0).moves == ()

    def test_what_hides_nothing_has_no_event(self):
        with pytest.raises(ValueError, match="epsilon=inf: need a finite loss"):
            RandomizedResponseBool(prob=1).event(1)


class TestPlain:
    @given(st.lists(st.tuples(amounts, amounts), max_size=6), amounts, amounts)
    def test_it_adds_and_compares_part_by_part(self, costs, epsilon, delta):
        state, budget = Plain.start, Amount(epsilon, delta)
        for cost in costs:
            state = Plain().after(state, Event.of(moves=[(cost[0], 1)], delta=cost[1]))
        spent = tuple(sum(column) for column in zip(*costs, strict=True)) if costs else (0, 0)
        assert state == spent
        assert Plain().exceeds(state, budget) == (spent[0] > epsilon or spent[1] > delta)
        assert Plain().left(state, budget) == (epsilon - spent[0], delta - spent[1])
