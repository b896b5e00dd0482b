"""Programs in OpenDP's usual style: spaces, ``>>``, and names that are not here, which say what to use instead."""

import json
import math
import random
import re
from collections import Counter
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pytest

import discreet.opendp as dp
from discreet import DiscreetError, KindError, MismatchError, ParameterError, UnsupportedError
from discreet.errors import AbsentError

NAMES = json.loads((Path(__file__).parents[1] / "data" / "opendp_prelude.json").read_text())
HOMES = {"prelude": dp, "m": dp.m, "t": dp.t, "c": dp.c}
EVERY = [(home, name) for home in HOMES for name in NAMES[home]]
RUNS = {
    "prelude": {
        *("AbsoluteDistance", "DiscreteDistance", "Domain", "L1Distance", "MaxDivergence", "Measure", "Measurement"),
        *("Metric", "OpenDPException", "String", "SymmetricDistance", "UnknownTypeException", "absolute_distance"),
        *("approximate", "assert_features", "atom_domain", "bitvector_domain", "c", "disable_features"),
        *("discrete_distance", "domain_of", "enable_features", "f32", "f64", "i128", "i16", "i32", "i64", "i8"),
        *("isize", "l01inf_distance", "l1_distance", "m", "map_domain", "max_divergence", "metric_of", "space_of"),
        *("symmetric_distance", "t", "u128", "u16", "u32", "u64", "u8", "usize", "vector_domain"),
        "zero_concentrated_divergence",
    },
    "m": {
        *("make_gaussian", "then_gaussian"),
        *("debias_randomized_response_bitvec", "make_geometric", "make_laplace", "make_laplace_threshold"),
        *("make_randomized_response", "make_randomized_response_bitvec", "make_randomized_response_bool"),
        *("then_geometric", "then_laplace", "then_laplace_threshold", "then_randomized_response_bitvec"),
    },
    "t": set(),
    "c": set(),
}


class TestNames:
    def test_the_recorded_names_are_those_of_a_release(self):
        assert NAMES["version"] == "0.16.0"
        assert {home: len(NAMES[home]) for home in HOMES} == {"prelude": 166, "m": 37, "t": 88, "c": 19}

    @pytest.mark.parametrize("home", HOMES)
    def test_what_runs_is_what_is_said(self, home):
        assert {name for name in NAMES[home] if hasattr(HOMES[home], name)} == RUNS[home]

    @pytest.mark.parametrize("home", HOMES)
    def test_every_other_name_says_what_to_use_instead(self, home):
        for name in set(NAMES[home]) - RUNS[home]:
            with pytest.raises(AbsentError, match=f"^opendp's {name} is not here: use .+"):
                getattr(HOMES[home], name)

    def test_every_piece_of_advice_is_needed_and_names_what_there_is(self):
        missing = {name for home, name in EVERY if name not in RUNS[home]}
        for patterns, instead in dp._INSTEAD.items():
            for pattern in patterns.split():
                assert any(fnmatchcase(name, pattern) for name in missing), pattern
            for path in re.findall(r"discreet(?:\.\w+)+", instead):
                module, _, name = path.rpartition(".")
                assert hasattr(__import__(module, fromlist=[name]), name), path
            for name in re.findall(r"\b(?:make|l1|l01inf|atom|vector|absolute|symmetric)_\w+", instead):
                assert hasattr(dp, name), name

    def test_a_name_of_nobody_is_the_languages_own_error(self):
        for home in HOMES.values():
            with pytest.raises(AttributeError) as caught:
                getattr(home, "no_such_name")  # noqa: B009
            assert not isinstance(caught.value, DiscreetError)

    def test_an_absent_name_is_both_an_attribute_and_a_declared_error(self):
        assert not hasattr(dp, "Context")
        assert issubclass(AbsentError, UnsupportedError)
        assert getattr(dp.m, "make_gaussian_threshold", None) is None

    def test_what_opendp_raises_can_be_caught_by_its_name(self):
        with pytest.raises(dp.OpenDPException):
            dp.m.make_laplace(*dp.space_of(int), scale=-1.0)
        with pytest.raises(dp.UnknownTypeException):
            dp.atom_domain(T="nothing")


class TestSpaces:
    @pytest.mark.parametrize("T", [int, "int", dp.i32, "i32"])
    def test_a_space_of_integers(self, T):
        assert dp.space_of(T) == (dp.atom_domain(T=int), dp.absolute_distance(T=int))

    @pytest.mark.parametrize("T", [list[int], "Vec<int>", "Vec<i32>"])
    def test_a_space_of_vectors(self, T):
        vectors = dp.vector_domain(dp.atom_domain(T=int))
        assert dp.space_of(T) == (vectors, dp.symmetric_distance())
        for M in (dp.L1Distance, "L1Distance<i32>", "L1Distance", dp.l1_distance(T=int)):
            assert dp.space_of(T, M) == (vectors, dp.l1_distance(T=int))

    @pytest.mark.parametrize("T", [dict[str, int], "HashMap<String, i32>", "HashMap<String,int>"])
    def test_a_space_of_maps(self, T):
        maps = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int))
        assert dp.domain_of(T) == maps
        assert dp.space_of(T, dp.l01inf_distance(dp.absolute_distance(T=int)))[0] == maps

    @pytest.mark.parametrize(
        ("call", "error", "match"),
        [
            (lambda: dp.space_of(bool), KindError, "M=None: need a metric"),
            (lambda: dp.space_of(dict[str, int]), KindError, "M=None: need a metric"),
            (lambda: dp.space_of([1, 2, 3], infer=True), UnsupportedError, "not inferred from data"),
            (lambda: dp.domain_of([771717]), KindError, "T=a list: need a type"),
            (lambda: dp.domain_of(list[list]), KindError, "need a type"),
            (lambda: dp.domain_of("Option<int>"), KindError, "need a type"),
            (lambda: dp.domain_of(set[int]), KindError, "need a type"),
            (lambda: dp.space_of(float), UnsupportedError, "grid of integers"),
            (lambda: dp.metric_of("L2Distance<i32>"), KindError, "one of AbsoluteDistance"),
            (lambda: dp.metric_of(int), KindError, "one of AbsoluteDistance"),
            (lambda: dp.metric_of(None), KindError, "one of AbsoluteDistance"),
            (lambda: (1, 2) >> dp.m.then_laplace(1.0), MismatchError, r"a tuple >> make_laplace: need a pair"),
            (lambda: [771717] >> dp.m.then_laplace(1.0), MismatchError, r"a list >> make_laplace: need a pair"),
            (lambda: dp.space_of(list[int]) >> dp.m.then_laplace(1.0), MismatchError, r"need l1_distance\(T=\.\.\.\)"),
            (lambda: (dp.atom_domain(T=int), 5) >> dp.m.then_laplace(1.0), MismatchError, "input_metric=5"),
            (lambda: dp.space_of(int) >> dp.m.then_laplace(-1.0), ParameterError, "scale=-1.0"),
            (lambda: dp.space_of(int) >> dp.m.then_geometric(1.0, (5, 1)), ParameterError, "low <= high"),
            (lambda: dp.space_of(int) >> dp.m.then_geometric(1.0, (0, 2**40)), ParameterError, "bounds="),
            (lambda: dp.space_of(int) >> dp.m.then_geometric(1.0, 5), KindError, "a pair"),
        ],
    )
    def test_what_is_no_space_is_refused(self, call, error, match):
        with pytest.raises(error, match=match):
            call()

    @pytest.mark.parametrize(
        ("then", "make", "space", "given"),
        [
            (dp.then_laplace, dp.make_laplace, dp.space_of(int), {"scale": 2.0}),
            (dp.then_gaussian, dp.make_gaussian, dp.space_of(int), {"scale": "1/3", "k": None}),
            (dp.then_laplace, dp.make_laplace, dp.space_of(list[int], dp.L1Distance), {"scale": "1/3", "k": None}),
            (dp.then_geometric, dp.make_geometric, dp.space_of(int), {"scale": 2.0, "bounds": (0, 5)}),
            (
                dp.then_laplace_threshold,
                dp.make_laplace_threshold,
                dp.space_of(dict[str, int], "L01InfDistance"),
                {"scale": 2.0, "threshold": 28, "MO": "Approximate<MaxDivergence>"},
            ),
            (
                dp.then_randomized_response_bitvec,
                dp.make_randomized_response_bitvec,
                (dp.bitvector_domain(1, length=8), dp.discrete_distance()),
                {"f": 0.5, "constant_time": True},
            ),
        ],
    )
    def test_a_space_and_then_is_make(self, then, make, space, given):
        made = space >> then(**given)
        assert made == make(*space, **given) == then(**given)(*space)
        assert made.input_space == (made.input_domain, made.input_metric) == space


class TestGeometric:
    def test_data_and_releases_are_clamped(self):
        m = dp.make_geometric(*dp.space_of(int), scale=0.0, bounds=(1, 10))
        assert [m(x) for x in (-5, 1, 7, 10, 100)] == [1, 1, 7, 10, 10]
        noisy = dp.make_geometric(*dp.space_of(int), scale=1e9, bounds=(1, 10))
        assert {noisy(5) for _ in range(60)} == {1, 10}

    def test_vectors_keep_their_kind(self):
        space = dp.space_of(list[int], dp.L1Distance)
        m = dp.make_geometric(*space, scale=0.0, bounds=(1, 10))
        assert m([-5, 7, 100]) == [1, 7, 10]
        assert m(np.array([-5, 7, 100])).tolist() == [1, 7, 10]

    def test_the_law_is_that_of_clamped_data(self):
        """Data far outside are as if at the bound: with scale 1 half of the releases and more are the bound itself."""
        m = dp.make_geometric(*dp.space_of(int), scale=1.0, bounds=(0, 10))
        n = 4000
        at = Counter(m(1000) for _ in range(n))[10] / n
        p = 1 / (1 + math.exp(-1))  # The chance that noise of scale 1 is not negative.
        assert abs(at - p) < 6 * math.sqrt(p * (1 - p) / n)
        assert Counter(dp.make_geometric(*dp.space_of(int), scale=1.0)(1000) > 10 for _ in range(50)) == {True: 50}

    def test_data_of_another_type_are_refused_before_they_are_clamped(self):
        m = dp.make_geometric(*dp.space_of(int), scale=1.0, bounds=(1, 10))
        for x in (1.5, True, 2**40, "a", None, [1]):
            with pytest.raises(DiscreetError):
                m(x)


class TestTheirStyle:
    """OpenDP's own tests of these measurements, in our words: what they build, and what they expect of it."""

    def test_geometric(self):
        space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
        for meas in (space >> dp.m.then_geometric(scale=2.0, bounds=(1, 10)), space >> dp.m.then_geometric(scale=2.0)):
            assert isinstance(meas(100), int)
            assert meas.check(1, 0.5)
            assert not meas.check(1, 0.49999)

    def test_discrete_laplace(self):
        space = dp.atom_domain(T=int), dp.absolute_distance(T=int)
        for meas in (dp.m.make_laplace(*space, scale=2.0), dp.m.make_geometric(*space, scale=2.0, bounds=(1, 10))):
            assert isinstance(meas(100), int)
            assert meas.check(1, 0.5)
            assert not meas.check(1, 0.49999)

    def test_vectors(self):
        space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
        for meas in (space >> dp.m.then_laplace(scale=2.0), dp.m.make_laplace(*space, scale=2.0)):
            assert len(meas([100, 10, 12])) == 3
            assert meas.check(1, 0.5)
            assert not meas.check(1, 0.49999)

    def test_randomized_response(self):
        meas = dp.m.make_randomized_response(categories=["A", "B", "C", "D"], prob=0.75)
        assert meas("A") in "ABCD"
        assert meas.check(1, math.log(9.0))
        assert not meas.check(1, math.log(8.999))
        meas = dp.m.make_randomized_response_bool(prob=0.75)
        assert meas(True) in (True, False)
        assert meas.check(1, math.log(3.0))
        assert not meas.check(1, math.log(2.999))

    def test_threshold_differs_in_the_last_digits_of_delta(self):
        """Theirs is 4.659221997116436e-05, rounded up on the way; ours is the least float that holds."""
        domain = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int))
        metric = dp.l01inf_distance(dp.absolute_distance(T=int))
        meas = dp.m.make_laplace_threshold(domain, metric, scale=2.0, threshold=28)
        release = meas({str(i): i * 10 for i in range(10)})
        assert "0" not in release
        epsilon, delta = meas.map((1, 10, 10))
        assert epsilon == 5.0
        assert 4.65922199711e-05 < delta < 4.659221997116436e-05

    def test_counting_is_not_here_and_says_so(self):
        with pytest.raises(AbsentError, match=r"then_count_by is not here: use discreet\.tables\.Table"):
            dp.t.then_count_by()

    def test_bit_vectors_need_their_length(self):
        with pytest.raises(KindError, match=r"write bitvector_domain\(max_weight=3, length=8 \* len\(data\)\)"):
            dp.bitvector_domain(max_weight=3)
        rng = random.Random(1)
        data = np.frombuffer(rng.randbytes(3), np.uint8) & 1
        meas = dp.m.make_randomized_response_bitvec(
            dp.bitvector_domain(max_weight=3, length=24), dp.discrete_distance(), f=1e-20
        )
        assert np.array_equal(np.frombuffer(meas(data), dtype=np.uint8), data)
        assert math.isclose(meas.map(1), 280.4690942426452)
