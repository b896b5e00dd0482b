"""Distances are distances, and the ones that users type are checked, rounded down and tightened without loss."""

import copy
import itertools
import math
import pickle
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from junk import MILLION_DIGITS
from public_names import PUBLIC
from tiers import cases

from discreet import (
    AbsoluteDistance,
    DiscreetError,
    DiscreteDistance,
    KindError,
    L01InfDistance,
    L1Distance,
    LInfDistance,
    MismatchError,
    ParameterError,
    PersonDistance,
    SymmetricDistance,
)
from discreet.errors import show

WHOLE = [DiscreteDistance(), SymmetricDistance()]
FLOORED = [AbsoluteDistance(), L1Distance(), LInfDistance()]
SINGLE = WHOLE + FLOORED
METRICS = [*SINGLE, L01InfDistance()]

answers = st.one_of(
    st.integers(-2, 2), st.booleans(), st.sampled_from([0.0, -0.0, 1.0, math.nan, None, "", "a", b"a", (1,), (True,)])
)
integers = st.integers(-(2**70), 2**70)
maps = st.dictionaries(st.sampled_from("abc"), st.integers(-3, 3))
DATA = {
    DiscreteDistance(): answers,
    AbsoluteDistance(): integers,
    L1Distance(): st.lists(integers, min_size=3, max_size=3),
    LInfDistance(): st.lists(integers, min_size=3, max_size=3),
    L01InfDistance(): maps,
    SymmetricDistance(): st.lists(answers, max_size=6),
}


def at_most(d, e):
    """Whether one distance is at most another, in every part."""
    return all(a <= b for a, b in zip(d, e, strict=True)) if isinstance(d, tuple) else d <= e


def plus(d, e):
    return tuple(a + b for a, b in zip(d, e, strict=True)) if isinstance(d, tuple) else d + e


def zero(metric):
    return (0, 0, 0) if metric == L01InfDistance() else 0


@pytest.mark.parametrize("metric", METRICS, ids=repr)
class TestEveryMetric:
    @settings(max_examples=cases(12, 60))
    @given(st.data())
    def test_it_is_symmetric_and_zero_to_itself(self, metric, data):
        x, y = data.draw(DATA[metric]), data.draw(DATA[metric])
        assert metric.measure(x, y) == metric.measure(y, x)
        assert metric.measure(x, x) == metric.measure(x, copy.deepcopy(x)) == zero(metric)

    @settings(max_examples=cases(12, 60))
    @given(st.data())
    def test_a_detour_is_no_shorter(self, metric, data):
        x, y, z = (data.draw(DATA[metric]) for _ in range(3))
        assert at_most(metric.measure(x, z), plus(metric.measure(x, y), metric.measure(y, z)))

    @settings(max_examples=cases(12, 60))
    @given(st.data())
    def test_a_measured_distance_passes_its_own_check(self, metric, data):
        d = metric.measure(data.draw(DATA[metric]), data.draw(DATA[metric]))
        assert metric.check(d) == d

    def test_it_is_a_value(self, metric):
        assert eval(repr(metric), PUBLIC) == metric
        assert pickle.loads(pickle.dumps(metric)) == metric
        assert hash(copy.deepcopy(metric)) == hash(metric)
        assert [other for other in METRICS if other == metric] == [metric]

    @pytest.mark.parametrize(
        "junk", [None, True, False, [], (), {}, "", object(), np.array([1, 2]), (1, 2), [1, 2, 3, 4]]
    )
    def test_a_distance_of_the_wrong_kind_is_refused(self, metric, junk):
        with pytest.raises(DiscreetError, match="d_in="):
            metric.check(junk)


class TestZero:
    @given(answers, answers)
    def test_discrete_distance_is_0_for_the_same_answer_only(self, x, y):
        same = type(x) is type(y) and (repr(x) == repr(y))
        assert DiscreteDistance().measure(x, y) == (not same)

    @pytest.mark.parametrize("forms", [([True, False], (True, False), np.array([True, False]))])
    def test_one_bit_vector_in_three_forms_is_one_answer(self, forms):
        assert {DiscreteDistance().measure(x, y) for x in forms for y in forms} == {0}

    def test_arrays_differ_if_an_entry_does(self):
        x, y = np.array([True, False]), np.array([True, True])
        assert DiscreteDistance().measure(x, y) == 1
        assert DiscreteDistance().measure(x, y[:1]) == 1
        assert DiscreteDistance().measure(x, x.copy()) == 0

    @given(integers, integers)
    def test_absolute_distance(self, x, y):
        assert AbsoluteDistance().measure(x, y) == max(x, y) - min(x, y)

    def test_absolute_distance_does_not_wrap(self):
        assert AbsoluteDistance().measure(np.int8(-128), np.int8(127)) == 255
        assert AbsoluteDistance().measure(np.uint64(0), np.uint64(2**64 - 1)) == 2**64 - 1
        for metric in (L1Distance(), LInfDistance()):
            assert metric.measure(np.array([-128], np.int8), np.array([127], np.int8)) == 255

    def test_vectors_of_two_lengths_have_no_distance(self):
        with pytest.raises(MismatchError):
            L1Distance().measure([1, 2], [1])
        with pytest.raises(MismatchError):
            LInfDistance().measure([1, 2], [1])

    @given(maps, maps)
    def test_a_missing_key_counts_as_0(self, x, y):
        full = [x.get(k, 0) - y.get(k, 0) for k in "abc"]
        gaps = [abs(gap) for gap in full if gap]
        assert L01InfDistance().measure(x, y) == (len(gaps), sum(gaps), max(gaps, default=0))

    def test_maps_given_as_arrays_have_the_same_distance(self):
        x, y = (np.array(["a", "b"]), np.array([5, 1])), (np.array(["c", "a"]), np.array([4, 3]))
        assert L01InfDistance().measure(x, y) == (3, 7, 4)

    @given(st.lists(answers, max_size=6), st.randoms(use_true_random=False))
    def test_the_order_of_records_does_not_matter(self, records, random):
        shuffled = random.sample(records, len(records))
        assert SymmetricDistance().measure(records, shuffled) == 0

    @given(st.lists(answers, max_size=6), answers)
    def test_one_record_more_is_1_away(self, records, x):
        assert SymmetricDistance().measure(records, [*records, x]) == 1


class TestCheck:
    @pytest.mark.parametrize("metric", SINGLE, ids=repr)
    @pytest.mark.parametrize("d_in", [-1, np.int64(-1), -(10**400), -MILLION_DIGITS, MILLION_DIGITS, 2**1024], ids=show)
    def test_negative_and_absurd_distances_are_refused(self, metric, d_in):
        with pytest.raises(ParameterError, match="d_in="):
            metric.check(d_in)

    @pytest.mark.parametrize("metric", FLOORED, ids=repr)
    @pytest.mark.parametrize("d_in", [math.nan, math.inf, -math.inf, -0.5, -5e-324, "-1/2", "nan", "x", Decimal("NaN")])
    def test_numbers_that_are_no_distance_are_refused(self, metric, d_in):
        with pytest.raises(ParameterError, match="d_in="):
            metric.check(d_in)

    @pytest.mark.parametrize("metric", WHOLE, ids=repr)
    @pytest.mark.parametrize("d_in", [1.0, 0.5, "1", Fraction(1), Decimal(1), math.nan, np.float64(1), np.bool_(1)])
    def test_a_count_is_an_integer(self, metric, d_in):
        with pytest.raises(KindError, match="d_in="):
            metric.check(d_in)

    @pytest.mark.parametrize("metric", FLOORED, ids=repr)
    @given(st.fractions(min_value=0, max_value=10**30))
    def test_fractional_distances_are_rounded_down(self, metric, d_in):
        assert metric.check(d_in) == math.floor(d_in)
        assert metric.check(float(d_in)) == math.floor(float(d_in))
        assert metric.check(str(d_in)) == math.floor(d_in)

    @given(st.integers(0, 2**1024 - 1))
    def test_whole_distances_are_kept(self, d_in):
        for metric in FLOORED:
            assert metric.check(d_in) == d_in
        assert SymmetricDistance().check(d_in) == d_in
        assert DiscreteDistance().check(d_in) == min(d_in, 1)

    @pytest.mark.parametrize("metric", SINGLE, ids=repr)
    def test_numpy_integers_become_integers(self, metric):
        assert type(metric.check(np.uint8(1))) is int

    @pytest.mark.parametrize("part", ["l0", "l1", "li"])
    @pytest.mark.parametrize(
        "junk", [-1, math.nan, math.inf, None, True, "x", MILLION_DIGITS, -MILLION_DIGITS, [1]], ids=show
    )
    def test_each_part_of_a_triple_is_checked_under_its_name(self, part, junk):
        d_in = {"l0": 1, "l1": 1, "li": 1} | {part: junk}
        with pytest.raises(DiscreetError, match=rf"^{part}="):
            L01InfDistance().check(tuple(d_in.values()))

    @pytest.mark.parametrize("metric", METRICS, ids=repr)
    @pytest.mark.parametrize(
        "d_in", [MILLION_DIGITS, -MILLION_DIGITS, Fraction(MILLION_DIGITS), [MILLION_DIGITS] * 3], ids=show
    )
    def test_a_million_digits_are_refused_within_50_ms(self, metric, d_in):
        times = []
        for _ in range(4):
            start = time.thread_time()
            with pytest.raises(DiscreetError):
                metric.check(d_in)
            times.append(time.thread_time() - start)
        assert min(times[1:]) < 0.05


class TestTightening:
    KEYS, MOST = 3, 3
    GAPS = tuple(itertools.product(range(MOST + 1), repeat=KEYS))

    def differences(self, l0, l1, li):
        """Return every way in which maps over three keys may differ within the bounds."""
        return {g for g in self.GAPS if sum(x > 0 for x in g) <= l0 and sum(g) <= l1 and max(g) <= li}

    @pytest.mark.parametrize("l1", range(11))
    def test_tightened_bounds_allow_the_same_pairs_and_are_attained(self, l1):
        for l0, li in itertools.product(range(4), repeat=2):
            tight = L01InfDistance().check((l0, l1, li))
            pairs = self.differences(l0, l1, li)
            assert self.differences(*tight) == pairs
            assert tight[0] == max(sum(x > 0 for x in g) for g in pairs)
            assert tight[1] == max(map(sum, pairs))
            assert tight[2] == max(map(max, pairs))

    @given(st.tuples(st.integers(0, 2**1000), st.integers(0, 2**1000), st.integers(0, 2**1000)))
    def test_tightening_twice_changes_nothing(self, d_in):
        l0, l1, li = tight = L01InfDistance().check(d_in)
        assert L01InfDistance().check(tight) == tight
        assert at_most(tight, d_in)
        assert l0 <= l1 <= l0 * li or tight == (0, 0, 0)
        assert li <= l1

    def test_fractions_are_rounded_down_before_they_are_tightened(self):
        assert L01InfDistance().check((2, 1.9, "5/2")) == (1, 1, 1)
        assert L01InfDistance().check([2, "9.9", 0.5]) == (0, 0, 0)


def test_people_are_added_or_removed_with_all_of_their_rows():
    metric = PersonDistance(("id",))
    one, two = {"id": 1, "city": "a"}, {"id": 2, "city": "a"}
    assert metric.measure([one, two], [two, one]) == 0
    assert metric.measure([one, one, two], [two]) == metric.measure([two], [two, one, one]) == 1
    assert metric.measure([one, one, two], [one, two]) == 2  # Changed: removed and added.
    assert metric.measure([one], [two]) == 2
    assert metric.measure([{"id": None, "city": "a"}, {"id": math.nan, "city": "a"}], []) == 0  # Nobody's rows.
    assert PersonDistance(None).measure([one, one, two], [one]) == 2  # Each row is a person.
    assert metric.check(3) == 3
    for bad in ("id", (), (1,), 3):
        with pytest.raises(DiscreetError):
            PersonDistance(bad)
    with pytest.raises(DiscreetError):
        metric.check(-1)
