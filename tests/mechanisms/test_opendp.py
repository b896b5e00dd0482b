"""The module that takes OpenDP's names: what it does, and the same programs run under both."""

import inspect
import math
import pickle
import random
import re
import time
from fractions import Fraction

import numpy as np
import pytest

import discreet.opendp as ours
from discreet import (
    BitVectors,
    Booleans,
    DiscreetError,
    DomainError,
    IntegerLaplace,
    Integers,
    KindError,
    MismatchError,
    ParameterError,
    RandomizedResponse,
    SymmetricDistance,
    UnsupportedError,
)

CONSTRUCTORS = [
    "make_randomized_response_bool",
    "make_randomized_response",
    "make_laplace",
    "make_gaussian",
    "make_scalar_integer_laplace_cks20",
    "make_laplace_threshold",
    "make_rappor",
    "make_randomized_response_bitvec",
    "debias_basic_rappor",
    "debias_randomized_response_bitvec",
]
NOISELESS = 1e-300  # A share of flips that is never seen.


def integers(dp, T=int):
    return dp.atom_domain(T=T), dp.absolute_distance(T=T)


def vectors(dp, T=int):
    return dp.vector_domain(dp.atom_domain(T=T)), dp.l1_distance(T=T)


def maps(dp, key=str, T=int):
    return dp.map_domain(dp.atom_domain(T=key), dp.atom_domain(T=T)), dp.l01inf_distance(dp.absolute_distance(T=T))


def bits(dp, weight, length):
    """The one place where a program must say more to us than to OpenDP."""
    known = {"length": length} if dp is ours else {}
    return dp.bitvector_domain(max_weight=weight, **known), dp.discrete_distance()


# The module by itself.


def test_constructors_are_where_opendp_keeps_them():
    for name in CONSTRUCTORS:
        assert getattr(ours.m, name) is getattr(ours, name)


def test_everything_public_exists_and_is_explained():
    for name in ours.__all__:
        thing = getattr(ours, name)
        if callable(thing):
            assert re.match(r"[A-Z].*[.:;]", inspect.getdoc(thing))


def test_enabling_features_does_nothing():
    assert ours.enable_features() is ours.enable_features("contrib", "floating-point") is None


def test_names_of_types_have_their_limits():
    for n in (8, 16, 32, 64, 128):
        signed, unsigned = getattr(ours, f"i{n}"), getattr(ours, f"u{n}")
        assert ours.atom_domain(T=signed).carrier == Integers(-(2 ** (n - 1)), 2 ** (n - 1) - 1)
        assert ours.atom_domain(T=unsigned).carrier == Integers(0, 2**n - 1)
    assert ours.atom_domain(T=int) == ours.atom_domain(T="int") == ours.atom_domain(T=ours.i32)
    assert ours.atom_domain(T=bool).members == Booleans()
    assert ours.atom_domain(T=ours.isize) == ours.atom_domain(T=ours.i64)
    assert ours.atom_domain(T=ours.usize) == ours.atom_domain(T=ours.u64)
    assert ours.atom_domain(T=str) == ours.atom_domain(T=ours.String)


def test_bounds_bound_the_data_and_the_type_the_releases():
    domain = ours.atom_domain(bounds=(0, 10))
    assert domain == ours.atom_domain((0, 10), None, int) == ours.atom_domain(bounds=(0, 10), T=ours.i32)
    assert domain.members == Integers(0, 10)
    m = ours.m.make_laplace(domain, ours.absolute_distance(T=int), scale=1e30)
    assert {m(5) for _ in range(60)} == {-(2**31), 2**31 - 1}
    with pytest.raises(DomainError, match="high=10"):
        m(11)


@pytest.mark.parametrize(
    ("call", "error", "match"),
    [
        (ours.atom_domain, KindError, "T=None: need a type such as int"),
        (lambda: ours.atom_domain(T="bogus"), KindError, "T='bogus': need a type"),
        (lambda: ours.atom_domain(T=7), KindError, "T=7: need a type"),
        (lambda: ours.atom_domain(T=dict), KindError, "need a type"),
        (lambda: ours.atom_domain(T=float), UnsupportedError, "grid of integers"),
        (lambda: ours.atom_domain(bounds=(10, 0)), ParameterError, "low <= high"),
        (lambda: ours.atom_domain(bounds=(0, 2**40)), ParameterError, "write T=dp.i64"),
        (lambda: ours.atom_domain(bounds=(1.0, 2.0), T=int), ParameterError, "two integers of type i32"),
        (lambda: ours.atom_domain(bounds=5), KindError, "a pair"),
        (lambda: ours.atom_domain(bounds=(1, 2, 3)), KindError, "a pair"),
        (lambda: ours.atom_domain(bounds=("a", "b"), T=str), KindError, "a pair .* of integers"),
        (lambda: ours.vector_domain(int), KindError, "atom_domain=.*need a domain"),
        (lambda: ours.vector_domain(ours.atom_domain(T=int), size=-1), ParameterError, "size=-1"),
        (lambda: ours.map_domain(str, ours.atom_domain(T=int)), KindError, "key_domain"),
        (lambda: ours.map_domain(ours.atom_domain(T=int), Integers()), KindError, "value_domain"),
        (ours.bitvector_domain, KindError, r"write bitvector_domain\(max_weight=None, length=8"),
        (lambda: ours.bitvector_domain(4), KindError, r"write bitvector_domain\(max_weight=4, length=8"),
        (lambda: ours.bitvector_domain(9, length=8), ParameterError, "max_weight <= length = 8"),
        (lambda: ours.absolute_distance(T=None), KindError, "a type of numbers"),
        (lambda: ours.absolute_distance(T=str), KindError, "a type of numbers"),
        (lambda: ours.l1_distance(T="bogus"), KindError, "need a type"),
        (lambda: ours.l01inf_distance(ours.l1_distance(T=int)), KindError, "absolute_distance"),
        (lambda: ours.approximate(3), KindError, "MaxDivergence"),
        (lambda: ours.make_randomized_response_bool("x"), ParameterError, "prob='x'"),
        (lambda: ours.make_randomized_response_bool(0.4), ParameterError, "1/2 <= prob"),
        (lambda: ours.make_randomized_response_bool(0.75, 1), KindError, "constant_time=1"),
        (lambda: ours.make_randomized_response_bool(0.75, QO=str), KindError, "QO=.*a type of numbers"),
        (lambda: ours.make_randomized_response(5, 0.5), KindError, "a list of answers"),
        (lambda: ours.make_randomized_response([["a"], ["b"]], 0.5), KindError, "hashed"),
        (lambda: ours.make_randomized_response(["a", "a"], 0.5), ParameterError, "at least two"),
        (lambda: ours.make_randomized_response(["a", "b"], 0.5, T=int), KindError, "values of type i32"),
        (lambda: ours.make_randomized_response([1, 200], 0.5, T=ours.i8), KindError, "values of type i8"),
        (lambda: ours.make_randomized_response(["a", "b"], 0.5, constant_time=1), KindError, "constant_time"),
        (lambda: ours.make_randomized_response(["a", "b", "c"], 1 / 3), ParameterError, 'write prob="1/3"'),
        (lambda: ours.make_laplace(Integers(), ours.absolute_distance(T=int), 1), KindError, "made by this module"),
        (lambda: ours.make_laplace(*integers(ours, str), 1), KindError, "a type of numbers"),
        (lambda: ours.make_laplace(ours.atom_domain(T=str), None, 1), KindError, r"need atom_domain\(T=int\)"),
        (lambda: ours.make_laplace(*maps(ours), 1), KindError, r"need atom_domain\(T=int\)"),
        (lambda: ours.make_laplace(*integers(ours), -1), ParameterError, "scale >= 0"),
        (lambda: ours.make_laplace(*integers(ours), math.inf), ParameterError, "finite"),
        (lambda: ours.make_laplace(*integers(ours), 1, k=-3), ParameterError, "no k"),
        (lambda: ours.make_laplace(*integers(ours), 1, MO="ZeroConcentratedDivergence"), KindError, "'MaxDiv"),
        (lambda: ours.make_laplace(*integers(ours), 1, MO=ours.approximate(ours.max_divergence())), KindError, "MO"),
        (lambda: ours.make_laplace(integers(ours)[0], vectors(ours)[1], 1), MismatchError, "need absolute_distance"),
        (lambda: ours.make_laplace(vectors(ours)[0], integers(ours)[1], 1), MismatchError, "need l1_distance"),
        (lambda: ours.make_laplace(integers(ours)[0], SymmetricDistance(), 1), MismatchError, "need absolute_dist"),
        (lambda: ours.make_gaussian(*integers(ours), -1), ParameterError, "scale=-1: need scale >= 0"),
        (lambda: ours.make_gaussian(*integers(ours), math.inf), ParameterError, "finite"),
        (lambda: ours.make_gaussian(*integers(ours), 1, k=-3), ParameterError, "no k"),
        (lambda: ours.make_gaussian(*integers(ours), 1, MO="MaxDivergence"), KindError, "'ZeroConcentrated"),
        (lambda: ours.make_gaussian(*vectors(ours), 1), KindError, "for vectors use discreet.IntegerGaussian"),
        (lambda: ours.make_gaussian(integers(ours)[0], vectors(ours)[1], 1), MismatchError, "need absolute_distance"),
        (lambda: ours.make_scalar_integer_laplace_cks20(*vectors(ours), 1), KindError, "need atom_domain"),
        (lambda: ours.make_laplace_threshold(*vectors(ours), 1, 2), KindError, "need map_domain"),
        (lambda: ours.make_laplace_threshold(*maps(ours), 1, 2.0), KindError, "threshold=2.0"),
        (lambda: ours.make_laplace_threshold(*maps(ours), 1, 2, k=1), ParameterError, "no k"),
        (lambda: ours.make_laplace_threshold(*maps(ours), 1, 2, MO="MaxDivergence"), KindError, "Approximate<Max"),
        (lambda: ours.make_laplace_threshold(maps(ours)[0], vectors(ours)[1], 1, 2), MismatchError, "need l01inf"),
        (lambda: ours.make_rappor(*vectors(ours), 0.5), KindError, "need bitvector_domain"),
        (lambda: ours.make_rappor(bits(ours, 1, 8)[0], None, 0.5), MismatchError, r"need discrete_distance\(\)"),
        (lambda: ours.make_rappor(*bits(ours, 1, 8), 0.0), ParameterError, "0 < f <= 1"),
        (lambda: ours.debias_basic_rappor([], 0.5), DomainError, "one or more reports"),
        (lambda: ours.debias_basic_rappor(np.zeros((0, 3), bool), 0.5), DomainError, "one or more reports"),
        (lambda: ours.debias_basic_rappor([b"a", b"ab"], 0.5), DomainError, "of one length"),
        (lambda: ours.debias_basic_rappor([[True], [True, False]], 0.5), DomainError, "of one length"),
        (lambda: ours.debias_basic_rappor([b"a", [True]], 0.5), DomainError, "bytes, or vectors of booleans"),
        (lambda: ours.debias_basic_rappor([1, 2], 0.5), DomainError, "bytes, or vectors of booleans"),
        (lambda: ours.debias_basic_rappor("ab", 0.5), DomainError, "bytes, or vectors of booleans"),
        (lambda: ours.debias_basic_rappor(b"ab", 0.5), DomainError, "bytes, or vectors of booleans"),
        (lambda: ours.debias_basic_rappor(None, 0.5), DomainError, "bytes, or vectors of booleans"),
        (lambda: ours.debias_basic_rappor([b""], 0.5), ParameterError, "length=0"),
        (lambda: ours.debias_basic_rappor([b"a"], 1.5), ParameterError, "0 < f <= 1"),
        (lambda: ours.debias_basic_rappor([b"a"], 1.0), UnsupportedError, "need f < 1"),
    ],
)
def test_error_tells_what_to_write(call, error, match):
    with pytest.raises(error, match=match) as raised:
        call()
    assert isinstance(raised.value, DiscreetError)


def test_earlier_and_later_spellings_are_accepted():
    space = integers(ours)
    plain = ours.make_laplace(*space, 2.0)
    assert plain == ours.make_laplace(*space, scale=2, k=None, MO="MaxDivergence")
    assert plain == ours.make_laplace(*space, "2", MO=ours.max_divergence(), QO=float)
    assert plain == ours.make_laplace(*space, 2.0, MO=ours.MaxDivergence)
    assert plain == ours.make_scalar_integer_laplace_cks20(*space, 2.0, QO=ours.f64)
    private = ours.make_laplace_threshold(*maps(ours), scale=1.0, threshold=20)
    assert private == ours.make_laplace_threshold(*maps(ours), 1.0, 20, None, "Approximate<MaxDivergence>")
    assert private == ours.make_laplace_threshold(*maps(ours), 1, 20, MO=ours.approximate(ours.max_divergence()))
    wide = ours.make_gaussian(*space, 2.0)
    assert wide == ours.make_gaussian(*space, scale="2", k=None, MO="ZeroConcentratedDivergence")
    assert wide == ours.make_gaussian(*space, 2, MO=ours.zero_concentrated_divergence())
    assert wide.mechanism.variance == 4
    rappor = ours.make_rappor(*bits(ours, 1, 8), f=0.5)
    assert rappor == ours.make_randomized_response_bitvec(*bits(ours, 1, 8), f=0.5, constant_time=False)
    assert ours.make_rappor(*bits(ours, 1, 8), 0.5, True).mechanism.constant_time
    assert ours.make_randomized_response_bool(0.75, True).mechanism.constant_time
    assert ours.make_randomized_response_bool(0.75, QO="f32") == ours.make_randomized_response_bool(prob="3/4")


def test_measurements_are_values():
    made = [
        ours.make_randomized_response_bool(0.75),
        ours.make_randomized_response(["a", "b"], 0.75),
        ours.make_laplace(*vectors(ours), 2.0),
        ours.make_gaussian(*integers(ours), 2.0),
        ours.make_laplace_threshold(*maps(ours), 1.0, 20),
        ours.make_rappor(*bits(ours, 1, 8), 0.5),
    ]
    for m in made:
        assert pickle.loads(pickle.dumps(m)) == m
        assert hash(pickle.loads(pickle.dumps(m))) == hash(m)
        assert m.input_metric == m.mechanism.input_metric
        assert m.output_measure == m.mechanism.output_measure
    assert len(set(made)) == len(made)


def test_domains_are_those_that_the_mechanisms_prove():
    assert ours.make_rappor(*bits(ours, 1, 8), 0.5).input_domain.members == BitVectors(8, 1)
    assert ours.make_laplace(*integers(ours), 1).mechanism.domain == Integers(dtype="int32")


def test_maps_are_the_mechanisms():
    m = ours.make_laplace(*integers(ours), 3.0)
    assert m.map(1) == m.map(d_in=1) == IntegerLaplace(scale=3).privacy_map(1)
    assert type(m.map(0)) is float
    assert m.map(1.9) == m.map(1)
    epsilon, delta = ours.make_laplace_threshold(*maps(ours), 1.0, 20).map((1, 1, 1))
    assert (type(epsilon), type(delta)) == (float, float)


@pytest.mark.parametrize(
    ("scale", "d_in", "theirs"),
    [
        *((2.0, 0, 0.0), (2.0, 1, 0.125), (2.0, 3, 1.125), (0.5, 3, 18.0), (0.1, 1, 50.0), (0.1, 3, 450.0)),
        *((3.3, 1, 0.04591368227731865), (3.3, 3, 0.41322314049586784), (0.001, 1, 500000.0), (0.0, 0, 0.0)),
        *((1000.0, 1, 5.000000000000001e-07), (1e150, 1, 5.000000000000001e-301), (0.0, 1, math.inf)),
    ],
)
def test_rho_of_gaussian_noise_is_at_most_what_opendp_0_16_says_and_the_least_float(scale, d_in, theirs):
    found = ours.make_gaussian(*integers(ours), scale).map(d_in)
    assert found <= theirs <= math.nextafter(found, math.inf)
    if scale and d_in:
        rho = Fraction(d_in) ** 2 / (2 * Fraction(scale) ** 2)
        assert math.nextafter(found, 0) < rho <= found


def test_gaussian_noise_saturates_at_the_type_and_has_its_deviation():
    m = ours.make_gaussian(*integers(ours), 1e30)
    assert {m(5) for _ in range(60)} == {-(2**31), 2**31 - 1}
    m = ours.space_of(int) >> ours.then_gaussian(scale=50.0)
    draws = np.array([m(1000) - 1000 for _ in range(2000)])
    assert {type(m(1000)), type(m(np.int64(3)))} == {int}
    # The mean of 2,000 squares is off by more than a fifth with probability below 1e-9.
    assert 0.8 < (draws**2).mean() / 2500 < 1.2
    assert m.check(1, 0.0002)
    assert not m.check(1, 0.00019)


def test_check_compares_exactly():
    m = ours.make_laplace(*integers(ours), 3.0)
    assert m.check(1, m.map(1))
    assert m.check(1, Fraction(1, 3))
    assert m.check(d_in=1, d_out="1/3")
    assert m.check(1, math.inf)
    assert m.check(1, 1, debug=True) is True
    assert not m.check(1, math.nextafter(m.map(1), 0))
    assert m.check(1, -1.0) is m.check(1, Fraction(-1, 3)) is m.check(1, -1) is m.check(0, -1) is False
    for d_out in (None, math.nan, "x", (1.0, 0.5)):
        with pytest.raises(DiscreetError):
            m.check(1, d_out)
    with pytest.raises(ParameterError):
        m.check(-1, 1.0)


def test_check_of_a_pair_compares_both_parts():
    m = ours.make_laplace_threshold(*maps(ours), 1.0, 20)
    epsilon, delta = m.map((1, 1, 1))
    assert m.check((1, 1, 1), (epsilon, delta))
    assert m.check((1, 1, 1), [epsilon, delta])
    assert not m.check((1, 1, 1), (epsilon, math.nextafter(delta, 0)))
    assert not m.check((1, 1, 1), (0.9, 1.0))
    assert not m.check((1, 1, 1), (-1.0, 1.0))
    with pytest.raises(KindError):
        m.check((1, 1, 1), 1.0)
    with pytest.raises(ParameterError, match="li <= 20"):
        m.check((1, 21, 21), (100.0, 1.0))


def test_lists_give_lists_and_arrays_give_arrays():
    m = ours.make_laplace(*vectors(ours), 0.0)
    assert m([1, 2]) == m((1, 2)) == [1, 2]
    assert m([]) == []
    for dtype in (np.int8, np.int32, np.int64, np.uint32):
        out = m(np.array([1, 2], dtype))
        assert isinstance(out, np.ndarray)
        assert out.tolist() == [1, 2]
    scalar = ours.make_laplace(*integers(ours), 0.0)
    assert type(scalar(np.int64(5))) is int


def test_dicts_give_dicts_and_pairs_of_arrays_give_pairs():
    m = ours.make_laplace_threshold(*maps(ours), 0.0, 3)
    assert m({"b": 5, "a": 7, "c": 3, "d": 0}) == {"a": 7, "b": 5}
    keys, values = m((np.array(["b", "a", "c"]), np.array([5, 7, 3])))
    assert (keys.tolist(), values.tolist()) == (["a", "b"], [7, 5])
    by_int = ours.make_laplace_threshold(*maps(ours, key=int), 0.0, 3)
    assert by_int({1: 5, 2: 3}) == {1: 5}
    assert ours.make_laplace_threshold(*maps(ours, key=bool), 0.0, 3)({True: 5}) == {True: 5}


def test_bits_come_back_as_they_were_given():
    m = ours.make_rappor(*bits(ours, 16, 16), NOISELESS)
    data = bytes([0b00000001, 0b10000000])
    flags = [True] + [False] * 14 + [True]
    assert m(data) == m(bytearray(data)) == data
    assert type(m(bytearray(data))) is bytes
    packed = m(np.frombuffer(data, np.uint8))
    assert packed.dtype == np.uint8
    assert packed.tobytes() == data
    assert m(flags) == m(tuple(flags)) == flags
    assert {type(bit) for bit in m(flags)} == {bool}
    assert m(np.array(flags)).dtype == np.bool_
    assert m(np.array(flags)).tolist() == flags
    assert np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little").astype(bool).tolist() == flags


def test_reports_flip_every_bit_sometimes():
    m = ours.make_rappor(*bits(ours, 0, 16), 1.0)
    seen = np.zeros(16, bool)
    for _ in range(80):
        seen |= np.unpackbits(np.frombuffer(m(bytes(2)), np.uint8)).astype(bool)
    assert seen.all()


def test_a_broken_byte_is_given_as_booleans():
    m = ours.make_rappor(*bits(ours, 1, 10), NOISELESS)
    assert m([True] + [False] * 9) == [True] + [False] * 9
    with pytest.raises(DomainError, match="give 10 bits as booleans"):
        m(b"\x01\x00")


def test_debiasing_reads_bytes_arrays_and_booleans_alike():
    reports = [b"\x01\x80", b"\x03\x80", b"\x00\x00"]
    packed = np.array([list(report) for report in reports], np.uint8)
    flags = np.unpackbits(packed, axis=1, bitorder="little").astype(bool)
    counts = ours.debias_basic_rappor(reports, f=0.5)
    assert counts[:3] == [2.5, 0.5, -1.5]
    assert counts[15] == 2.5
    for same in (tuple(reports), list(map(bytearray, reports)), flags.tolist(), list(flags), list(packed)):
        assert ours.debias_randomized_response_bitvec(same, f=0.5) == counts
    for array in (packed, flags):
        out = ours.debias_basic_rappor(array, f=0.5)
        assert isinstance(out, np.ndarray)
        assert out.tolist() == counts


def test_debiasing_many_reports_adds_them_up():
    n = 3 * ours._ROWS + 5
    assert ours.debias_basic_rappor([b"\x05"] * n, f="1/3") == [
        float((Fraction(n if bit in (0, 2) else 0) - Fraction(n, 6)) / Fraction(2, 3)) for bit in range(8)
    ]


def test_categories_are_taken_once_each():
    once = ours.make_randomized_response(["a", "b"], 0.75)
    assert ours.make_randomized_response(["a", "b", "a"], 0.75) == once
    assert ours.make_randomized_response("ab", 0.75) == once
    assert ours.make_randomized_response(np.array(["a", "b"]), 0.75) == once
    assert ours.make_randomized_response(("a", "b"), 0.75, T=str) == once
    assert ours.make_randomized_response({"a", "b"}, 0.75).map(1) == once.map(1)
    assert once.mechanism == RandomizedResponse(categories=["a", "b"], prob="3/4")


def test_an_answer_of_another_type_is_refused_and_a_foreign_one_is_not():
    certain = ours.make_randomized_response([1, 2, 3], 1.0)
    assert certain(2) == 2
    assert {certain(7) for _ in range(200)} == {1, 2, 3}
    for wrong in ("a", 1.0, True, [1, 2], np.array([1, 2]), None):
        with pytest.raises(DomainError):
            certain(wrong)
    texts = ours.make_randomized_response(["a", "b"], 1.0)
    for wrong in (1, b"a", ["a"]):
        with pytest.raises(DomainError):
            texts(wrong)
    assert ours.make_randomized_response([True, False], 1.0)(True) is True
    assert ours.make_randomized_response([None, "a"], 1.0)(None) is None
    assert ours.make_randomized_response([1, 2**40], 1.0)(2**40) == 2**40


SECRET = 987654321


@pytest.mark.parametrize(
    ("measurement", "data"),
    [
        (ours.make_laplace(ours.atom_domain((0, 10)), ours.absolute_distance(T=int), 1), SECRET),
        (ours.make_laplace(*integers(ours, ours.u8), 1), SECRET),
        (ours.make_laplace(*integers(ours), 1), [SECRET]),
        (ours.make_laplace(ours.vector_domain(ours.atom_domain(T=int), 3), ours.l1_distance(T=int), 1), [SECRET]),
        (ours.make_laplace(*vectors(ours, ours.i8), 1), np.array([1, SECRET])),
        (ours.make_laplace_threshold(*maps(ours), 1, 20), {SECRET: 1}),
        (ours.make_laplace_threshold(*maps(ours, T=ours.i8), 1, 20), {"a": SECRET}),
        (ours.make_laplace_threshold(*maps(ours), 1, 20), (np.array([SECRET]), np.array([1]))),
        (ours.make_rappor(*bits(ours, 1, 32), 0.5), SECRET.to_bytes(4, "little")),
        (ours.make_rappor(*bits(ours, 8, 8), 0.5), str(SECRET).encode()),
        (ours.make_rappor(*bits(ours, 32, 32), 0.5), np.array([[1, 2, 3, 4]], np.uint8)),
        (ours.make_randomized_response(["a", "b"], 0.75), SECRET),
        (ours.make_randomized_response_bool(0.75), SECRET),
    ],
)
def test_data_outside_the_domain_are_refused_and_not_shown(measurement, data):
    with pytest.raises(DomainError) as error:
        measurement(data)
    assert str(SECRET) not in str(error.value)


def test_arrays_are_released_at_the_speed_of_arrays():
    """A value of an array takes less than a tenth of the time of a call: in truth, a hundredth or less."""
    scalar, vector = ours.make_laplace(*integers(ours), 20.0), ours.make_laplace(*vectors(ours), 20.0)
    rappor = ours.make_rappor(*bits(ours, 1 << 17, 1 << 17), 0.5)

    def each(f, n):
        best = math.inf
        for _ in range(3):
            start = time.perf_counter()
            f()
            best = min(best, time.perf_counter() - start)
        return best / n

    call = each(lambda: [scalar(5) for _ in range(1000)], 1000)
    assert each(lambda: vector(np.arange(1 << 17)), 1 << 17) < call / 10
    assert each(lambda: rappor(np.zeros(1 << 17, bool)), 1 << 17) < call / 10
    assert each(lambda: rappor(bytes(1 << 14)), 1 << 17) < call / 10


# The same programs under both modules.


@pytest.fixture(scope="module")
def theirs():
    module = pytest.importorskip("opendp.prelude")
    module.enable_features("contrib")
    return module


def test_arguments_have_opendps_names_in_opendps_order(theirs):
    public = [*(n for n in CONSTRUCTORS if hasattr(theirs.m, n)), "atom_domain", "vector_domain", "map_domain"]
    public += ["bitvector_domain", "absolute_distance", "l1_distance", "l01inf_distance", "discrete_distance"]
    public += ["max_divergence", "approximate", "enable_features"]
    assert len(public) == 6 + 11
    for name in public:
        there = getattr(theirs.m, name, None) or getattr(theirs, name)
        names = list(inspect.signature(there).parameters)
        here = inspect.signature(getattr(ours, name)).parameters
        assert list(here)[: len(names)] == names
        for extra in list(here)[len(names) :]:
            assert here[extra].default is not inspect.Parameter.empty
    for name in ("map", "check", "invoke", "__call__"):
        there = list(inspect.signature(getattr(theirs.Measurement, name)).parameters)
        assert list(inspect.signature(getattr(ours.Measurement, name)).parameters) == there


def test_names_of_types_are_the_same(theirs):
    names = [n for n in ours.__all__ if isinstance(getattr(ours, n), str)]
    assert len(names) == 15
    for name in names:
        assert getattr(theirs, name) == getattr(ours, name)


def test_randomized_response_has_their_map(theirs):
    rng = random.Random(1)
    for _ in range(100):
        prob, t = rng.choice([rng.uniform(0.5, 1), 1 - 10 ** rng.uniform(-15, -1)]), rng.randrange(2, 30)
        assert_no_more(theirs, lambda dp, p=prob: dp.m.make_randomized_response_bool(p), [0, 1, 2])
        assert_no_more(theirs, lambda dp, p=prob, t=t: dp.m.make_randomized_response(range(t), p), [0, 1, 2])
        assert_no_more(theirs, lambda dp, p=prob: dp.m.make_randomized_response(["a", "b", "c"], p, str), [0, 1])


def test_laplace_has_their_map(theirs):
    rng = random.Random(2)
    for _ in range(100):
        scale, d_in = 10 ** rng.uniform(-3, 6), rng.randrange(10**6)
        for T in (int, "i64", "u32", "u64"):
            assert_no_more(theirs, lambda dp, T=T, s=scale: dp.m.make_laplace(*integers(dp, T), s), [0, d_in])
        assert_no_more(theirs, lambda dp, s=scale: dp.m.make_laplace(*vectors(dp), scale=s), [0, d_in])


def test_bit_vectors_have_their_map_where_it_is_tight(theirs):
    rng = random.Random(3)
    for _ in range(100):
        f, weight = 10 ** rng.uniform(-9, 0), rng.randrange(0, 9)
        make = lambda dp, f=f, w=weight: dp.m.make_randomized_response_bitvec(*bits(dp, w, 16), f)  # noqa: E731
        assert_no_more(theirs, make, [1])
        assert make(ours).map(0) == 0 <= make(theirs).map(0)
        short = ours.make_rappor(*bits(ours, weight, 8), f) if weight <= 8 else make(ours)
        assert short.map(1) <= make(theirs).map(1)


def test_threshold_has_their_epsilon_and_at_most_their_delta(theirs):
    rng = random.Random(4)
    for _ in range(100):
        scale, threshold = 10 ** rng.uniform(-1, 2), rng.randrange(20, 60)
        make = lambda dp, s=scale, t=threshold: dp.m.make_laplace_threshold(*maps(dp), s, t)  # noqa: E731
        l0, li = rng.randrange(1, 6), rng.randrange(1, 20)
        here, there = make(ours).map((l0, l0 * li, li)), make(theirs).map((l0, l0 * li, li))
        assert isinstance(there, tuple)
        assert here[0] <= there[0]
        assert math.isclose(here[0], there[0], rel_tol=1e-14)
        assert here[1] <= there[1]
        assert math.isclose(here[1], there[1], rel_tol=1e-9, abs_tol=1e-15)
        packed = (l0, li, li)
        assert make(ours).map(packed)[1] <= make(theirs).map(packed)[1]
        assert make(ours).map((0, 0, 0)) == make(theirs).map((0, 0, 0)) == (0.0, 0.0)


def test_ours_is_larger_only_where_theirs_is_unsound(theirs):
    """At the threshold that releases what theirs releases, ours tells the delta that theirs leaves out."""
    there = theirs.m.make_laplace_threshold(*maps(theirs), scale=1.0, threshold=6)
    here = ours.m.make_laplace_threshold(*maps(ours), scale=1.0, threshold=5)
    assert math.isclose(here.map((1, 1, 1))[1], math.e * there.map((1, 1, 1))[1], rel_tol=1e-9)
    for t in (3, 17, 18, 49):
        if Fraction(1 / t) < Fraction(1, t):
            assert theirs.m.make_randomized_response(range(t), 1 / t).map(1) < 1e-15
            with pytest.raises(ParameterError, match=f'write prob="1/{t}"'):
                ours.m.make_randomized_response(range(t), 1 / t)


def assert_no_more(theirs, make, d_ins):
    """The map is theirs to a few roundings, and never the larger; so is the answer of check."""
    here, there = make(ours), make(theirs)
    for d_in in d_ins:
        loss, peer = here.map(d_in), there.map(d_in)
        assert type(loss) is type(peer) is float
        assert loss <= peer
        assert math.isclose(loss, peer, rel_tol=1e-9, abs_tol=1e-15)
        for d_out in (peer, peer * 2 + 1, -1.0):
            assert here.check(d_in, d_out) is there.check(d_in, d_out)


@pytest.mark.parametrize(
    ("make", "data"),
    [
        (lambda dp: dp.m.make_randomized_response_bool(1.0), [True, False, np.True_]),
        (lambda dp: dp.m.make_randomized_response(["a", "b"], 1.0), ["a", "b"]),
        (lambda dp: dp.m.make_randomized_response([1, 2], prob=1.0, T=int), [1, 2]),
        (lambda dp: dp.m.make_randomized_response([True, False], 1.0, T=bool), [True]),
        (lambda dp: dp.m.make_laplace(*integers(dp), scale=0.0), [5, -(2**31), np.int32(7)]),
        (lambda dp: dp.m.make_laplace(*integers(dp, "u64"), scale=0.0), [2**64 - 1]),
        (lambda dp: dp.m.make_laplace(*vectors(dp), scale=0.0), [[1, 2, 3], (1, 2), []]),
        (lambda dp: dp.m.make_laplace_threshold(*maps(dp), scale=0.0, threshold=2), [{"a": 5, "b": 1}, {}]),
        (lambda dp: dp.m.make_laplace_threshold(*maps(dp, int), scale=0.0, threshold=2), [{7: 5, 8: 1}]),
        (lambda dp: dp.m.make_laplace_threshold(*maps(dp), scale=0.0, threshold=-2), [{"a": 5, "b": -3}]),
        (lambda dp: dp.m.make_randomized_response_bitvec(*bits(dp, 16, 16), f=NOISELESS), [b"\x01\x80", bytearray(2)]),
    ],
)
def test_without_noise_both_answer_alike(theirs, make, data):
    for x in data:
        here, there = make(ours)(x), make(theirs)(x)
        assert here == there == make(ours).invoke(x)
        assert type(here) is type(there)
        if isinstance(here, list):
            assert list(map(type, here)) == list(map(type, there))


@pytest.mark.parametrize(
    ("make", "data"),
    [
        (lambda dp: dp.m.make_randomized_response_bool(0.75), [1, "a", None]),
        (lambda dp: dp.m.make_randomized_response([1, 2], 0.75), ["a", 1.0, [1, 2], None]),
        (lambda dp: dp.m.make_laplace(*integers(dp), 1.0), [1.0, True, 2**31, "a", None, [1]]),
        (lambda dp: dp.m.make_laplace(*vectors(dp), 1.0), [[1.0], [True], [2**31], None, 5]),
        (lambda dp: dp.m.make_laplace_threshold(*maps(dp), 1.0, 20), [{1: 1}, {"a": 1.0}, {"a": 2**31}, [("a", 1)]]),
        (lambda dp: dp.m.make_randomized_response_bitvec(*bits(dp, 8, 8), 0.5), ["a", None, 1, [1, 2]]),
    ],
)
def test_both_refuse_data_of_another_type(theirs, make, data):
    for x in data:
        with pytest.raises(DomainError):
            make(ours)(x)
        with pytest.raises((TypeError, ValueError, theirs.UnknownTypeException, theirs.OpenDPException)):
            make(theirs)(x)


@pytest.mark.parametrize(("T", "low", "high"), [(int, -(2**31), 2**31 - 1), ("i64", -(2**63), 2**63 - 1)])
def test_releases_saturate_at_the_same_bounds(theirs, T, low, high):
    for dp in (ours, theirs):
        m = dp.m.make_laplace(*integers(dp, T), scale=1e30)
        assert {m(0) for _ in range(60)} == {low, high}
        v = dp.m.make_laplace(*vectors(dp, T), scale=1e30)
        assert set(v([0] * 60)) == {low, high}
        keyed = dp.m.make_laplace_threshold(*maps(dp, T=T), scale=1e30, threshold=20)
        assert set(keyed({str(i): 1 for i in range(60)}).values()) == {high}


@pytest.mark.parametrize(("T", "high"), [("u32", 2**32 - 1), ("u64", 2**64 - 1)])
def test_unsigned_releases_saturate_at_zero(theirs, T, high):
    for dp in (ours, theirs):
        m = dp.m.make_laplace(*integers(dp, T), scale=1e30)
        assert {m(0) for _ in range(60)} == {0, high}


def test_releases_leave_the_bounds_of_the_data_under_both(theirs):
    for dp in (ours, theirs):
        m = dp.m.make_laplace(dp.atom_domain(bounds=(0, 10)), dp.absolute_distance(T=int), scale=1000.0)
        assert any(not 0 <= m(5) <= 10 for _ in range(30))


def test_bytes_hold_their_bits_in_the_same_order(theirs):
    """Without noise a report is its input; debiasing then tells which bit is which."""
    for place in range(24):
        data = (1 << place).to_bytes(3, "little")
        reports = [dp.m.make_randomized_response_bitvec(*bits(dp, 1, 24), NOISELESS)(data) for dp in (ours, theirs)]
        assert reports == [data, data]
        here, there = (dp.m.debias_randomized_response_bitvec([data] * 3, f=NOISELESS) for dp in (ours, theirs))
        assert here == there
        assert type(here) is type(there) is list
        assert np.argmax(here) == place
        flags = np.arange(24) == place
        assert ours.debias_basic_rappor([flags] * 3, f=NOISELESS) == here


def test_debiasing_gives_their_counts(theirs):
    rng = random.Random(5)
    for _ in range(30):
        n, size, f = rng.randrange(1, 200), rng.randrange(1, 5), rng.uniform(0.01, 0.99)
        reports = [rng.randbytes(size) for _ in range(n)]
        here = ours.m.debias_randomized_response_bitvec(reports, f)
        there = theirs.m.debias_randomized_response_bitvec(reports, f)
        assert len(here) == len(there) == 8 * size
        assert np.allclose(here, there, rtol=1e-11, atol=1e-11 * n / (1 - f))


def test_the_threshold_less_one_releases_what_theirs_does(theirs):
    data = {str(value): value for value in range(-6, 7) if value}
    for threshold in range(2, 6):
        here = ours.m.make_laplace_threshold(*maps(ours), scale=0.0, threshold=threshold - 1)(data)
        assert here == theirs.m.make_laplace_threshold(*maps(theirs), scale=0.0, threshold=threshold)(data)
        assert str(threshold) in here
        assert str(threshold) not in ours.make_laplace_threshold(*maps(ours), scale=0.0, threshold=threshold)(data)


def test_their_own_example_runs(theirs):
    """The example of OpenDP's documentation, with the length that a bit vector needs."""
    for dp in (ours, theirs):
        m = dp.m.make_randomized_response_bitvec(*bits(dp, 4, 24), f=0.95)
        assert math.isclose(m.map(1), 0.8006676684558611, rel_tol=1e-15)
        data = np.packbits([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0])
        release = np.frombuffer(m(data.tobytes()), dtype=np.uint8)
        assert len(np.unpackbits(release)) == 24
