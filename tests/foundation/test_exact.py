"""What a user types becomes the Fraction that it denotes, or an error shaped like the call."""

from __future__ import annotations

import enum
import math
import pickle
import sys
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import cases

from discreet import errors
from discreet.errors import DiscreetError, KindError, ParameterError, show
from discreet.exact import exact, whole

TINY = math.ulp(0.0)
HUGE = sys.float_info.max
MILLION = 10**6
LONG = 1 << 3_321_928  # A million digits.
NUMPY_INTS = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64, np.intp]
NUMPY_FLOATS = [np.float16, np.float32, np.float64, np.longdouble]


class Color(enum.IntEnum):
    RED = 3


class Silent:
    def __repr__(self):
        raise RuntimeError("this repr fails")


class Wordless:
    def __repr__(self):
        return 7


def spelled(text):
    """Read a number by hand: no regular expression, no Decimal, no Fraction of a string."""
    body = text.strip(" \t\n\r\f\v")
    sign = -1 if body.startswith("-") else 1
    body = body[1:] if body[:1] in ("+", "-") else body
    if "/" in body:
        top, _, bottom = body.partition("/")
        sound = digits(top) and digits(bottom) and int(bottom) > 0
        return Fraction(sign * int(top), int(bottom)) if sound else None
    mantissa, mark, power = body.replace("E", "e").partition("e")
    power_digits = power[1:] if power[:1] in ("+", "-") else power
    before, _, after = mantissa.partition(".")
    if not digits(before + after) or (mark and not digits(power_digits)) or abs(int(power or 0)) > 4000:
        return None
    return sign * int(before + after) * Fraction(10) ** (int(power or 0) - len(after))


def digits(text):
    return text != "" and set(text) <= set("0123456789")


def parsed(text):
    try:
        return exact(text)
    except ParameterError:
        return None


def seconds(value):
    """Return the least of three times that it takes to refuse a value, not counting other processes."""
    times = []
    for _ in range(3):
        start = time.thread_time()
        with pytest.raises(ParameterError):
            exact(value)
        times.append(time.thread_time() - start)
    return min(times)


@pytest.mark.parametrize(
    ("value", "number"),
    [
        (0, 0),
        (-7, -7),
        (10**4000, 10**4000),
        (Color.RED, 3),
        (0.5, Fraction(1, 2)),
        (0.1, Fraction(3602879701896397, 2**55)),
        (-0.0, 0),
        (TINY, Fraction(1, 2**1074)),
        (-3 * TINY, Fraction(-3, 2**1074)),
        (sys.float_info.min, Fraction(1, 2**1022)),
        (HUGE, (2**53 - 1) << 971),
        ("3/4", Fraction(3, 4)),
        ("0.75", Fraction(3, 4)),
        ("1e-6", Fraction(1, 10**6)),
        (" .5 ", Fraction(1, 2)),
        ("\t+2.\n", 2),
        ("-06/08", Fraction(-3, 4)),
        ("-.5E+3", -500),
        ("0/7", 0),
        ("-0", 0),
        ("0.1", Fraction(1, 10)),
        ("1e4000", 10**4000),
        ("1e-4000", Fraction(1, 10**4000)),
        ("9" * 4000, 10**4000 - 1),
        (np.str_("1/3"), Fraction(1, 3)),
        (Decimal("0.1"), Fraction(1, 10)),
        (Decimal("-1E+3"), -1000),
        (Decimal("-0"), 0),
        (Fraction(-2, 6), Fraction(-1, 3)),
    ],
    ids=show,
)
def test_every_accepted_kind_denotes_its_own_value(value, number):
    result = exact(value)
    assert type(result) is Fraction
    assert type(result.numerator) is type(result.denominator) is int
    assert result == number


@pytest.mark.parametrize("kind", NUMPY_INTS)
def test_numpy_integers_keep_their_value_to_the_ends_of_their_range(kind):
    for value in (np.iinfo(kind).min, 0, 1, np.iinfo(kind).max):
        for result in (exact(kind(value)), whole(kind(value))):
            assert type(result.numerator) is int
            assert result == value


@pytest.mark.parametrize("kind", NUMPY_FLOATS)
def test_numpy_floats_denote_their_binary_value(kind):
    info = np.finfo(kind)
    assert exact(kind(1) / kind(3)).denominator == 2 ** (info.nmant + 2)
    assert exact(info.smallest_subnormal) == Fraction(1, 2 ** (info.nmant - int(info.minexp)))
    assert exact(info.max) == (2 ** (info.nmant + 1) - 1) * Fraction(2) ** (int(info.maxexp) - info.nmant - 1)
    assert exact(-kind(0)) == 0
    assert type(exact(kind(3)).numerator) is int


def test_a_fraction_is_returned_as_it_is():
    third = Fraction(1, 3)
    assert exact(third) is third


def test_the_same_decimal_differs_as_a_float_and_as_a_string():
    assert exact(0.1) != exact("0.1") == exact(Decimal("0.1"))


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        math.inf,
        -math.inf,
        "nan",
        "NaN",
        "inf",
        "-Infinity",
        Decimal("nan"),
        Decimal("snan"),
        Decimal("-inf"),
        *[kind(name) for kind in NUMPY_FLOATS for name in ("nan", "inf", "-inf")],
    ],
    ids=repr,
)
def test_numbers_that_are_not_finite_are_refused(value):
    with pytest.raises(ParameterError, match=r"^prob=.*: need a finite number"):
        exact(value, "prob")


NOT_NUMBERS = {
    "nothing": ["", " ", "\n"],
    "no digits": [".", "+", "-", "e5", ".e5", "/", "one", "True", "None"],
    "half a number": ["1e", "1e+", "1/", "/2", "1.5/", "1e/2"],
    "two numbers": ["1 2", "1..2", "1/2/3", "--1", "+-1", "1,5", "1e1.5"],
    "a strange fraction": ["1/0", "0/0", "1/-2", "1 / 2", "1.5/2", "1/2e3"],
    "another notation": ["0x10", "0b1", "1_000", "1e1_0", "1j", "0x1p-3", "1%"],
    "another alphabet": ["٣", "１", "½", "−1", "1\u00a0", "1\u2003", "1\x00", "1e٣"],
    "too long": ["1e4001", "1e-4001", "9" * 4001, "1e00000000001"],
}


@pytest.mark.parametrize("texts", NOT_NUMBERS.values(), ids=NOT_NUMBERS)
def test_text_that_spells_no_number_is_refused(texts):
    for text in texts:
        with pytest.raises(ParameterError, match=r"^value=('.*|a text): need "):
            exact(text)


def test_bools_are_not_numbers():
    for value in (True, False, np.True_, np.False_):
        for function in (exact, whole):
            with pytest.raises(KindError, match=r"^x=.*: need an? "):
                function(value, "x")


def test_other_kinds_are_refused():
    containers = [b"1", bytearray(b"1"), [1], (1, 2), {1}, {}]
    for value in [None, 1j, np.complex128(1), object, object(), np.datetime64("2020-01-01"), *containers]:
        for function in (exact, whole):
            with pytest.raises(KindError, match=r"^x=.*: need an? "):
                function(value, "x")
    for value in (np.array(0.5), np.array([1])):
        with pytest.raises(KindError):
            exact(value)


def test_whole_takes_integers_and_nothing_that_needs_rounding():
    assert [type(whole(n)) for n in (3, Color.RED, np.uint8(3))] == [int] * 3
    assert whole(10**4000) == 10**4000
    for value in (2.0, Fraction(2), Decimal(2), "2", np.float64(2)):
        with pytest.raises(KindError, match=r"need an integer$"):
            whole(value)


def test_whole_holds_its_least():
    assert whole(2, "length", least=2) == 2
    assert whole(-5, least=-5) == -5
    with pytest.raises(ParameterError, match=r"^length=1: need an integer of at least 2$"):
        whole(np.int8(1), "length", least=2)


def test_errors_are_shaped_like_the_call():
    need = 'a finite number such as "3/4", "0.75" or "1e-6"'
    for value, error, message in [
        ("nan", ParameterError, f"prob='nan': need {need}"),
        ("1/0", ParameterError, "prob='1/0': need a denominator other than 0"),
        (math.inf, ParameterError, "prob=inf: need a finite number"),
        (True, KindError, "prob=True: need a number, not a bool"),
        (None, KindError, "prob=None: need an int, float, str, Decimal or Fraction"),
    ]:
        with pytest.raises(error) as caught:
            exact(value, "prob")
        assert str(caught.value) == message
        assert caught.value.__cause__ is None


def test_errors_are_also_the_languages_own():
    assert issubclass(ParameterError, ValueError)
    assert issubclass(KindError, TypeError)
    assert not issubclass(ParameterError, TypeError)
    assert not issubclass(KindError, ValueError)
    assert all(issubclass(error, DiscreetError) for error in (ParameterError, KindError))


def test_every_error_survives_pickle():
    given = [
        ParameterError("prob", Silent(), "1/2 <= prob <= 1"),
        KindError("x", print, "a number"),
        errors.ReportError("another version", "need 1"),
    ]
    others = [getattr(errors, name) for name in errors.__all__ if name.endswith("Error")]
    plain = [error("what is wrong") for error in others if error not in set(map(type, given))]
    for error in given + plain:
        for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
            copy = pickle.loads(pickle.dumps(error, protocol))
            assert type(copy) is type(error)
            assert (str(copy), copy.args) == (str(error), error.args)


TOO_LONG = {
    "digits": "9" * MILLION,
    "decimals": "0." + "0" * MILLION + "1",
    "blanks": " " * MILLION,
    "denominator": "1/" + "7" * MILLION,
    "exponent": "1e999999999",
    "negative exponent": "1e-999999999",
    "exponent's digits": "1e" + "9" * 3000,
    "Decimal's exponent": Decimal("1e999999999"),
    "Decimal's negative exponent": Decimal("1e-999999999"),
    "Decimal's digits": Decimal("9" * MILLION),
}


@pytest.mark.parametrize("value", TOO_LONG.values(), ids=TOO_LONG)
def test_numbers_too_long_to_convert_are_refused_at_once(value):
    # The bound is generous: most of these take microseconds.
    assert seconds(value) < 0.050


@settings(max_examples=cases(200, 1000), deadline=None)
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_floats_round_trip(x):
    assert float(exact(x)) == x
    assert exact(np.float64(x)) == exact(x) == Fraction(*x.as_integer_ratio())


@settings(max_examples=cases(100, 500), deadline=None)
@given(st.fractions())
def test_fractions_round_trip_through_their_text(x):
    assert exact(str(x)) == exact(x) == x


@settings(max_examples=cases(100, 500), deadline=None)
@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_decimals_agree_with_their_text(x):
    number = spelled(str(x))
    if number is not None:
        assert exact(x) == exact(str(x)) == number


NEAR_NUMBERS = st.text(alphabet="0123456789.+-/eE _x\t\n٣nif", max_size=12)
NUMBERS = st.from_regex(r"\A ?[+-]?([0-9]{1,9}/[0-9]{1,9}|[0-9]{0,9}\.?[0-9]{0,9}([eE][+-]?[0-9]{1,3})?) ?\Z")


@settings(max_examples=cases(120, 1500), deadline=None)
@given(st.one_of(st.text(), NEAR_NUMBERS, NUMBERS))
def test_text_parses_to_what_it_spells_or_is_refused(text):
    number, reading = spelled(text), parsed(text)
    # An exponent padded to more than eight characters is refused, whatever it spells.
    padded = len(text.lower().strip().partition("e")[2]) > 8
    assert reading == number or (reading is None and padded)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("3/4", "'3/4'"),
        (1.2, "1.2"),
        (Fraction(3, 4), "3/4"),
        (True, "True"),
        (2**250 - 1, str(2**250 - 1)),
        (Decimal("9" * 70), "Decimal('" + "9" * 70 + "')"),
        (LONG, "an integer of 3321929 bits"),
        (Fraction(1, LONG), "a fraction of integers too long to print"),
        ("x" * MILLION, "a text"),
        (Decimal("9" * MILLION), "a Decimal of 1000000 digits"),
        (list(range(MILLION)), "a list"),
        (dict.fromkeys(range(9)), "a dict"),
        ([LONG], "[an integer of 3321929 bits]"),
        (Silent(), "a test_exact.Silent"),
        ([Silent()], "a list"),
        (Wordless(), "a test_exact.Wordless"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_show_writes_what_was_given_briefly(value, text):
    assert show(value) == text


@settings(max_examples=cases(60, 300), deadline=None)
@given(st.one_of(st.text(), st.binary(), st.integers(), st.fractions(), st.decimals(), st.lists(st.text())))
def test_show_never_fails_and_stays_short(value):
    assert len(show(value)) <= 240  # Twenty characters of text may be escaped to ten each.


def test_show_is_short_for_what_is_long_inside():
    nested = []
    for _ in range(10**5):
        nested = [nested]  # The repr is a RecursionError.
    texts = ["\U000e0001" * 81, b"\x00" * MILLION, ["x" * MILLION]]
    for value in [nested, np.zeros(MILLION), range(10**50), *texts]:
        assert len(show(value)) <= 240
