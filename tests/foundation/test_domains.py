"""Which data are members, and that a refusal says nothing about them."""

import copy
import datetime
import itertools
import math
import pickle
from collections import namedtuple
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from telling import told

import discreet
from discreet import (
    Anything,
    BitVectors,
    Booleans,
    Bytes,
    Categories,
    Dates,
    Decimals,
    DiscreetError,
    DomainError,
    Floats,
    Integers,
    KeySets,
    KindError,
    Maps,
    Nullable,
    Objects,
    ParameterError,
    Texts,
    Times,
    Timestamps,
    Tuples,
    Vectors,
)
from discreet.domains import Domain, identity, saturated

SENTINEL = "sentinel-7919"
NAMES = {name: getattr(discreet, name) for name in discreet.__all__} | {"Fraction": Fraction}

DOMAINS = [
    Anything(),
    Booleans(),
    Categories([]),
    Categories(["a", "b"]),
    Categories([1, 1.0, True, None, "1", b"1", (1, "x"), (True, "x"), 0.0, -0.0, Fraction(1)]),
    Integers(),
    Integers(low=0),
    Integers(high=-(2**70)),
    Integers(low=-3, high=3),
    Integers(dtype="uint64"),
    Vectors(Integers()),
    Vectors(Booleans(), size=0),
    Vectors(Vectors(Categories(["a"])), size=2),
    BitVectors(1),
    BitVectors(3, max_weight=0),
    BitVectors(3, max_weight=2),
    Maps(Texts(), Integers()),
    Maps(Objects(), Integers()),
    Maps(Categories(["a", "b"]), Integers(low=0)),
    Bytes(),
    Dates(),
    Decimals(),
    Decimals(places=2),
    Floats(),
    Nullable(Texts()),
    Objects(),
    Texts(),
    Times(),
    Timestamps(),
    Timestamps(utc=True),
    Tuples(Texts(), Nullable(Integers(low=0))),
    KeySets(Texts(), 2),
]


class Hostile:
    """Data that fail, whatever is asked of them."""

    def _fail(self, *_):
        raise RuntimeError(SENTINEL)

    __eq__ = __ne__ = __hash__ = __repr__ = __str__ = __bool__ = __len__ = __lt__ = _fail


class Point:
    def __init__(self, x):
        self.x = x

    def __eq__(self, other):
        return type(other) is Point and self.x == other.x

    def __hash__(self):
        return hash(self.x)

    def __repr__(self):
        return f"Point({self.x})"


SAMPLES = [
    None, True, False, 0, 1, -5, 2**70, 0.0, -0.0, 1.0, math.nan, math.inf, "a", "1", b"1", "", (), [], {}, (1, "x"),
    (True, "x"), [1, 2], (1, 2), ["a"], [["a"], ["a"]], [True], [True, False, True], [True, True, True], [1, 0, 1],
    {"a": 1}, {"a": 1.0}, {"c": 1}, {"a": True}, {None: -1}, Fraction(1), SENTINEL, [SENTINEL], {SENTINEL: SENTINEL},
    np.int8(1), np.uint64(2**63), np.float64(1), np.float32(0.5), np.bool_(1), np.str_("a"), np.bytes_(b"1"),
    np.arange(3), np.arange(3.0), np.array([True]), np.array([True, False, True]), np.array(["a"]), np.array(1),
    np.zeros((2, 2), bool), np.array([], np.int64), np.array([1, None], object), np.datetime64("2020-01-01", "ns"),
    (np.array(["a", "b"]), np.array([1, 2])), (np.array(["a", "a"]), np.array([1, 2])), {1, 2}, frozenset({1}),
    Hostile(), [Hostile()], {"a": Hostile()}, object, iter([1]), range(3),
]  # fmt: skip


@pytest.mark.parametrize("domain", DOMAINS, ids=repr)
class TestEveryDomain:
    def test_membership_and_validation_are_one_idea(self, domain):
        for x in SAMPLES:
            member = x in domain
            assert type(member) is bool
            if member:
                assert domain.validate(x) is None
            else:
                with pytest.raises(DomainError):
                    domain.validate(x)

    def test_a_refusal_describes_the_domain_and_never_the_data(self, domain):
        for x in SAMPLES:
            if x not in domain:
                with pytest.raises(DomainError) as caught:
                    domain.validate(x)
                assert SENTINEL not in told(caught.value)
                assert str(caught.value) == f"the data are not in {domain!r}"

    def test_repr_is_code(self, domain):
        again = eval(repr(domain), dict(NAMES))
        assert again == domain
        assert repr(again) == repr(domain)
        assert hash(again) == hash(domain)

    def test_copies_are_equal_and_have_the_same_members(self, domain):
        for again in (copy.copy(domain), copy.deepcopy(domain), pickle.loads(pickle.dumps(domain))):
            assert again == domain
            assert hash(again) == hash(domain)
            assert [x in again for x in SAMPLES] == [x in domain for x in SAMPLES]

    def test_it_equals_itself_alone(self, domain):
        assert [other for other in DOMAINS if other == domain] == [domain]
        assert domain != repr(domain)

    def test_fields_cannot_be_assigned(self, domain):
        for name in domain.__slots__:
            with pytest.raises(AttributeError):
                setattr(domain, name, None)
            with pytest.raises(AttributeError):
                delattr(domain, name)
        with pytest.raises((AttributeError, TypeError)):
            domain.added = 1


class TestIdentity:
    ONES = (1, 1.0, True, "1", b"1", Fraction(1), (1,), (1.0,), (True,), ((1,),), ((True,),), None, (None,), (), 1 + 0j)
    ZEROS = (0, 0.0, -0.0, False, (0.0,), (-0.0,), ((-0.0,),), ((0.0,),), "", b"")

    @pytest.mark.parametrize("answers", [ONES, ZEROS])
    def test_answers_of_different_types_or_signs_are_different(self, answers):
        assert len({identity(x) for x in answers}) == len(answers)

    @pytest.mark.parametrize("answers", [ONES, ZEROS])
    def test_categories_keep_them_apart(self, answers):
        categories = Categories(answers)
        assert [categories.index(x) for x in answers] == list(range(len(answers)))

    def test_the_numbers_inside_a_frozen_set_are_kept_apart(self):
        assert frozenset({True}) not in Categories([frozenset({1})])

    def test_the_numbers_inside_a_named_tuple_are_kept_apart(self):
        pair = namedtuple("pair", "x y")
        assert pair(1, 2) in Categories([pair(1, 2)])
        assert pair(True, 2) not in Categories([pair(1, 2)])
        assert (1, 2) not in Categories([pair(1, 2)])

    @given(st.one_of(st.integers(), st.floats(), st.text(), st.booleans(), st.none(), st.tuples(st.floats())))
    def test_a_value_is_identical_to_its_copy(self, x):
        assert identity(x) == identity(pickle.loads(pickle.dumps(x)))


class TestBooleans:
    @pytest.mark.parametrize("x", [True, False, np.True_, np.False_])
    def test_booleans_are_members(self, x):
        assert x in Booleans()

    @pytest.mark.parametrize("x", [0, 1, 1.0, "True", None, np.int8(1), np.array(True), np.array([True]), Hostile()])
    def test_nothing_else_is(self, x):
        assert x not in Booleans()


class TestCategories:
    @pytest.mark.parametrize(
        "values", ["ab", b"ab", None, 5, math.nan, [[1]], [{}], [{1}], [("a", [])], [np.arange(2)], np.array(5), Point]
    )
    def test_a_list_of_hashable_answers_is_needed(self, values):
        with pytest.raises(KindError):
            Categories(values)

    @pytest.mark.parametrize(
        "values",
        [["a", "a"], [1, 1], [None, None], [0.0, 0.0], [np.int8(1), 1], [np.str_("a"), "a"], [(1, 2), (1, 2)]],
    )
    def test_an_answer_given_twice_is_refused(self, values):
        with pytest.raises(ParameterError, match="distinct"):
            Categories(values)

    @pytest.mark.parametrize("nan", [math.nan, np.float64("nan"), np.float32("nan"), complex("nan")])
    def test_nan_is_no_answer(self, nan):
        with pytest.raises(ParameterError, match="NaN"):
            Categories(["a", nan])

    @pytest.mark.parametrize("slot", ["__hash__", "__eq__", "__ne__"])
    def test_an_answer_that_cannot_be_hashed_or_compared_is_refused(self, slot):
        def fail(*_):
            raise RuntimeError("no")

        kind = type("Broken", (), {"__hash__": object.__hash__, "__eq__": object.__eq__, slot: fail})
        with pytest.raises(KindError):
            Categories([kind(), kind()])

    def test_any_iterable_of_answers_will_do(self):
        for values in (("a", "b"), iter("ab"), dict.fromkeys("ab"), np.array(["a", "b"]), np.array(["a", "b"], object)):
            assert Categories(values) == Categories(["a", "b"])

    def test_the_order_matters(self):
        assert Categories(["a", "b"]) != Categories(["b", "a"])

    def test_equality_keeps_types_apart(self):
        assert Categories([1]) != Categories([True])
        assert Categories([0.0]) != Categories([-0.0])

    @pytest.mark.parametrize(
        ("scalar", "plain"),
        [
            (np.int16(7), 7),
            (np.uint64(2**63), 2**63),
            (np.float64(0.5), 0.5),
            (np.float32(0.5), 0.5),
            (np.str_("a"), "a"),
            (np.bytes_(b"a"), b"a"),
            (np.bool_(1), True),
        ],
    )
    def test_a_numpy_scalar_is_the_answer_that_it_holds(self, scalar, plain):
        assert scalar in Categories([plain])
        assert plain in Categories([scalar])
        assert type(Categories([scalar]).values[0]) is type(plain)

    def test_the_longest_floats_are_answers_of_their_own(self):
        assert np.longdouble(1) in Categories([np.longdouble(1)])
        assert np.longdouble(1) not in Categories([1.0])

    @pytest.mark.parametrize(
        ("scalar", "plain"),
        [
            (np.datetime64("NaT"), None),
            (np.timedelta64("NaT"), None),
            (np.timedelta64(5, "ns"), 5),
            (np.timedelta64(5), 5),
            (np.datetime64(5, "ns"), 5),
        ],
    )
    def test_a_time_is_neither_a_number_nor_none(self, scalar, plain):
        assert scalar not in Categories([plain])

    def test_a_day_is_a_day(self):
        assert np.datetime64("2020-02-29") in Categories([datetime.date(2020, 2, 29)])

    def test_a_foreign_object_is_foreign_and_runs_no_code(self):
        categories = Categories(["a", 1, None, ("a", 1)])
        assert Hostile() not in categories
        assert [Hostile()] not in categories

    def test_a_foreign_object_inside_a_tuple_runs_no_code(self):
        assert (Hostile(), 1) not in Categories([("a", 1)])

    def test_a_foreign_object_that_hides_its_class_runs_no_code(self):
        class Masked:
            @property
            def __class__(self):
                raise RuntimeError(SENTINEL)

        assert Masked() not in Categories(["a"])

    def test_a_subclass_of_an_answer_runs_no_code(self):
        kind = type("Text", (str,), {"__hash__": Hostile._fail, "__eq__": Hostile._fail})
        assert kind("a") not in Categories(["a"])

    def test_answers_of_a_users_own_type_are_looked_up(self):
        categories = Categories([Point(1), Point(2), "a"])
        assert categories.index(Point(2)) == 1
        assert Point(3) not in categories
        assert pickle.loads(pickle.dumps(categories)) == categories

    def test_unhashable_data_are_foreign(self):
        assert ([],) not in Categories([(1,)])
        assert [] not in Categories([1])

    @pytest.mark.parametrize(
        "values",
        [
            [1, 2, 5],
            [1, 1.0, True],
            [0.0, -0.0],
            ["a", "b", "1"],
            [b"1", "1"],
            [None, "a"],
            [(1, "x"), 5],
            [True, False],
        ],
        ids=repr,
    )
    def test_many_places_are_the_places_of_each(self, values):
        categories = Categories(values)
        arrays = [
            np.array(xs, dtype)
            for xs, dtype in [
                ([1, 0, 5], "i1"),
                ([1, 0, 5], "u8"),
                ([1.0, -0.0, 0.0, math.nan], "f8"),
                ([1, 0], "?"),
                (["a", "1", ""], "U2"),
                (["a", "1", ""], "S2"),
                ([5, 1], "m8[ns]"),
                ([5, 1], "M8[ns]"),
                ([1, True, 1.0, None, "a", -0.0], object),
                ([], "i8"),
            ]
        ]
        for xs in (*arrays, *map(list, arrays), values, [*values, Hostile()], [], [math.nan], [1, True], [-0.0, 0.0]):
            assert categories.places(xs).tolist() == [categories.index(x) for x in xs]

    def test_no_categories_have_no_members(self):
        assert len(Categories([])) == 0
        assert None not in Categories([])

    @given(st.lists(st.one_of(st.integers(-3, 3), st.booleans(), st.text(max_size=1), st.none()), max_size=9))
    def test_the_index_is_that_of_the_list(self, values):
        kept = list({identity(x): x for x in values}.values())
        categories = Categories(kept)
        for i, x in enumerate(kept):
            assert categories.index(x) == i
            assert type(categories.values[i]) is type(x)


class TestIntegers:
    @pytest.mark.parametrize(
        "dtype", [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
    )
    def test_a_dtype_stands_for_its_bounds(self, dtype):
        info = np.iinfo(dtype)
        domain = Integers(dtype=dtype)
        assert domain == Integers(low=int(info.min), high=int(info.max))
        assert type(domain.low) is type(domain.high) is int
        assert dtype(info.max) in domain
        assert int(info.max) + 1 not in domain
        assert np.array([info.min, info.max], dtype) in Vectors(domain)

    def test_bounds_narrow_a_dtype(self):
        assert Integers(low=0, dtype="int8") == Integers(low=0, high=127)

    @pytest.mark.parametrize("dtype", ["float64", float, bool, "int7", "", object, "U3", 5.0, "i4,i4", [], {}])
    def test_other_types_are_refused(self, dtype):
        with pytest.raises(KindError, match="dtype"):
            Integers(dtype=dtype)

    @pytest.mark.parametrize("x", [True, 5.0, "5", None, math.nan, np.float64(5), np.bool_(1), Fraction(5), Hostile()])
    def test_what_only_equals_an_integer_is_no_member(self, x):
        assert x not in Integers()
        assert [x] not in Vectors(Integers())
        assert [1, x] not in Vectors(Integers())

    @pytest.mark.parametrize("x", [np.timedelta64(5), np.timedelta64(5, "s"), np.timedelta64("NaT")])
    def test_a_length_of_time_is_not_an_integer(self, x):
        assert x not in Integers()
        assert x not in Integers(low=0)
        assert [x] not in Vectors(Integers())

    def test_bounds_are_members(self):
        assert 3 in Integers(low=3, high=3)
        assert 2 not in Integers(low=3, high=3)

    def test_bounds_the_wrong_way_round_are_refused(self):
        with pytest.raises(ParameterError, match=r"low=2: need low <= high = 1"):
            Integers(low=2, high=1)

    def test_bounds_too_long_to_print_get_a_declared_error(self):
        with pytest.raises(ParameterError):
            Integers(low=10**5001, high=10**5000)
        with pytest.raises(DiscreetError):
            Integers(low=10**5000).validate(5)

    @pytest.mark.parametrize("bound", [True, 1.0, "1", math.nan, np.float64(1), [1], np.array([1, 2])])
    def test_a_bound_is_an_integer(self, bound):
        with pytest.raises(KindError, match="low"):
            Integers(low=bound)
        with pytest.raises(KindError, match="high"):
            Integers(high=bound)

    @given(st.integers(), st.none() | st.integers(), st.none() | st.integers(0))
    def test_clamping_gives_the_nearest_member(self, x, low, width):
        high = None if width is None else (low or 0) + width
        domain = Integers(low, high)
        y = domain.clamp(x)
        assert y in domain
        assert (x in domain) == (x == y)
        assert y in (x, low, high)


class TestSaturated:
    BOUNDS = (None, -(2**70), -(2**63) - 1, -(2**63), -5, 0, 5, 2**63 - 1, 2**63, 2**64 - 1, 2**70)
    VALUES = (-(2**63), -6, -5, 0, 4, 2**63 - 1)

    @pytest.mark.parametrize("low", BOUNDS)
    def test_each_value_moves_to_the_nearest_member(self, low):
        arrays = (
            np.array(self.VALUES),
            np.array([], np.int64),
            np.array([*self.VALUES, 2**80, -(2**80)], object),
            np.array([0, 7, 2**63, 2**64 - 1], np.uint64),
            np.array([-128, 127], np.int8),
        )
        highs = [high for high in self.BOUNDS if low is None or high is None or low <= high]
        for domain, values in itertools.product([Integers(low, high) for high in highs], arrays):
            moved = saturated(values, domain)
            assert moved.shape == values.shape
            assert [int(x) for x in moved.tolist()] == [domain.clamp(int(x)) for x in values.tolist()]

    def test_values_are_not_changed_in_place(self):
        values = np.array([-5, 5])
        saturated(values, Integers(low=0))
        assert values.tolist() == [-5, 5]


class TestVectors:
    @pytest.mark.parametrize(
        "x", [[], (), np.array([], np.int64), [1], (1, 2), np.arange(3), np.array([1, 2**70], object), [np.int8(1), 2]]
    )
    def test_lists_tuples_and_arrays_are_members(self, x):
        assert x in Vectors(Integers())
        assert x in Vectors(Integers(), size=len(x))
        assert x not in Vectors(Integers(), size=len(x) + 1)

    @pytest.mark.parametrize(
        "x",
        [1, "12", b"12", {1: 2}, {1}, iter([1]), range(2), np.arange(4).reshape(2, 2), np.array(1), None, [1, None]],
    )
    def test_nothing_else_is(self, x):
        assert x not in Vectors(Integers())

    def test_every_entry_counts(self):
        for x in ([0, 1, 5], np.array([0, 1, 5]), (0, np.int8(5)), np.array([0, 5], object)):
            assert x not in Vectors(Integers(low=0, high=4))
            assert x in Vectors(Integers(low=0, high=5))

    def test_unsigned_extremes_are_compared_exactly(self):
        x = np.array([0, 2**64 - 1], np.uint64)
        assert x in Vectors(Integers(high=2**64 - 1))
        assert x not in Vectors(Integers(high=2**64 - 2))

    def test_booleans_and_integers_are_kept_apart_in_arrays(self):
        assert np.array([True]) not in Vectors(Integers())
        assert np.array([1]) not in Vectors(Booleans())
        assert np.array([1], object) not in Vectors(Booleans())
        assert np.array([1]) not in Vectors(Categories([True]))

    def test_times_in_an_array_are_not_integers(self):
        assert np.array([5], "m8[ns]") not in Vectors(Integers())
        assert np.array([5], "m8[ns]") not in Vectors(Categories([5]))
        assert np.array([5], "M8[ns]") not in Vectors(Categories([5]))

    def test_vectors_of_vectors(self):
        assert [[1], (2, 3), np.arange(2)] in Vectors(Vectors(Integers()))
        assert [1] not in Vectors(Vectors(Integers()))

    @pytest.mark.parametrize("of", [None, int, Integers, "Integers()", 5])
    def test_the_entries_domain_is_a_domain(self, of):
        with pytest.raises(KindError, match="of"):
            Vectors(of)

    def test_a_size_is_at_least_0(self):
        with pytest.raises(ParameterError, match="size=-1"):
            Vectors(Integers(), size=-1)
        assert [] in Vectors(Integers(), size=0)


class TestBitVectors:
    @pytest.mark.parametrize("form", [list, tuple, np.array])
    def test_length_and_weight_decide(self, form):
        domain = BitVectors(3, max_weight=1)
        assert form([False, True, False]) in domain
        assert form([False, False, False]) in domain
        assert form([True, True, False]) not in domain
        assert form([True, False]) not in domain
        assert form([True, False, False, False]) not in domain

    @pytest.mark.parametrize(
        "x",
        [[1, 0, 0], np.array([1, 0, 0]), np.array([True] * 3, object), "abc", None, np.zeros((1, 3), bool), [None] * 3],
    )
    def test_only_booleans_are_bits(self, x):
        assert x not in BitVectors(3)

    def test_numpy_booleans_in_a_list_are_bits(self):
        assert [np.True_, False, np.False_] in BitVectors(3, max_weight=1)

    @pytest.mark.parametrize(("length", "weight"), [(0, 0), (-1, 0), (3, 4), (3, -1)])
    def test_a_vector_has_bits_and_a_weight_within_them(self, length, weight):
        with pytest.raises(ParameterError):
            BitVectors(length, weight)

    def test_lengths_too_long_to_print_get_a_declared_error(self):
        with pytest.raises(ParameterError):
            BitVectors(10**5000, 10**5001)
        with pytest.raises(DiscreetError):
            BitVectors(10**5000).validate([True])


class TestMaps:
    INTS = Maps(Objects(), Integers())

    @pytest.mark.parametrize(
        ("keys", "dtypes"),
        [(Texts(), ["U3", object]), (Bytes(), ["S3"]), (Categories(["a", "b"]), ["U3", object]), (Objects(), [object])],
    )
    def test_a_key_that_occurs_twice_in_an_array_is_refused(self, keys, dtypes):
        domain = Maps(keys, Integers())
        for dtype in dtypes:
            assert (np.array(["a", "b"], dtype), np.array([1, 2])) in domain
            assert (np.array(["a", "b", "a"], dtype), np.array([1, 2, 3])) not in domain

    @pytest.mark.parametrize(
        ("keys", "dtypes"),
        [
            (Integers(), ["i1", "u8", object]),
            (Floats(), ["f8", "f4"]),
            (Dates(), ["M8[D]"]),
            (Timestamps(), ["M8[s]", "M8[us]"]),
            (Objects(), ["c16", "m8[s]", object]),
        ],
    )
    def test_a_number_that_occurs_twice_is_refused(self, keys, dtypes):
        domain = Maps(keys, Integers())
        for dtype in dtypes:
            assert (np.array([1, 2]).astype(dtype), np.array([1, 2])) in domain
            assert (np.array([2, 1, 2]).astype(dtype), np.array([1, 2, 3])) not in domain

    def test_keys_that_a_dict_would_merge_are_refused(self):
        assert (np.array([1, True], object), np.array([1, 2])) not in self.INTS
        assert (np.array([1, True], object), np.array([1, 2])) not in Maps(Categories([1, True]), Integers())
        assert (np.array([0.0, -0.0]), np.array([1, 2])) not in Maps(Floats(), Integers())
        assert (np.array([math.nan, math.nan]), np.array([1, 2])) not in Maps(Floats(), Integers())
        assert {math.nan: 1, float("nan"): 2} not in Maps(Floats(), Integers())

    @pytest.mark.parametrize("keys", [np.array([[1], [2]], object), np.arange(4).reshape(2, 2), np.array(1)])
    def test_keys_are_one_dimensional(self, keys):
        assert (keys, np.array([1, 2])) not in self.INTS

    def test_keys_that_cannot_be_hashed_are_refused(self):
        keys = np.empty(2, object)
        keys[0], keys[1] = [1], [2]
        assert (keys, np.array([1, 2])) not in self.INTS
        keys[0], keys[1] = Hostile(), Hostile()
        assert (keys, np.array([1, 2])) not in self.INTS

    def test_keys_and_values_are_of_one_length(self):
        assert (np.array(["a"]), np.array([1, 2])) not in self.INTS

    def test_a_pair_is_a_tuple_of_arrays(self):
        for x in (
            [np.array(["a"]), np.array([1])],
            (["a"], [1]),
            (np.array(["a"]),),
            (np.array(["a"]), [1]),
            [("a", 1)],
        ):
            assert x not in self.INTS

    def test_nothing_is_a_map(self):
        assert {} in self.INTS
        assert (np.array([], "U1"), np.array([], np.int64)) in self.INTS

    def test_both_domains_decide(self):
        domain = Maps(Categories(["a", "b"]), Integers(low=0))
        assert {"a": 1} in domain
        assert {"c": 1} not in domain
        assert {"a": -1} not in domain
        assert (np.array(["a", "b"]), np.array([1, 2])) in domain
        assert (np.array(["a", "c"]), np.array([1, 2])) not in domain
        assert (np.array(["a", "b"]), np.array([1, -2])) not in domain
        assert (np.array(["a", "b"]), np.array([1.0, 2.0])) not in domain

    @pytest.mark.parametrize("bad", [None, int, Integers])
    def test_keys_and_values_are_domains(self, bad):
        with pytest.raises(KindError, match="keys"):
            Maps(bad, Integers())
        with pytest.raises(KindError, match="values"):
            Maps(Texts(), bad)

    @pytest.mark.parametrize("bad", [Anything(), Vectors(Integers()), BitVectors(3), Maps(Texts(), Integers())])
    def test_keys_are_of_a_domain_of_keys(self, bad):
        for make in (lambda: Maps(bad, Integers()), lambda: Nullable(bad), lambda: Tuples(Texts(), bad)):
            with pytest.raises(KindError, match="a domain of keys"):
                make()


def test_every_public_domain_is_tested_here():
    public = {x for x in NAMES.values() if isinstance(x, type) and issubclass(x, Domain)}
    assert {type(domain) for domain in DOMAINS} == public
