"""Reals, held against MPFR: an oracle of another library, which rounds in the direction it is told.

The oracle brackets an expression between two MPFR numbers, the lower computed with every rounding down and
the upper with every rounding up, and raises the precision until the bracket decides the claim. Inputs are
drawn to be hard: beside 0, 1, powers of two and subnormals, past both ends of the floats, and such that the
result lies within 2**-200 of a float or of the middle between two. `make test-all` makes ten times the cases.
"""

from __future__ import annotations

import math
import operator
import os
import random
import signal
import sys
import threading
import time
from contextlib import contextmanager
from fractions import Fraction
from functools import reduce
from itertools import islice

import flint
import gmpy2
import pytest
from gmpy2 import mpfr, mpq
from tiers import cases

from discreet import reals
from discreet.errors import ParameterError, PrecisionError
from discreet.reals import (
    Real,
    ScaledLog,
    enclose_bits,
    exp,
    expm1,
    float_down,
    float_up,
    floor_bits,
    ln,
    log1p,
    maximum,
    powers,
    sign,
    total,
)

CASES = cases(2000, 40_000)
TINY, HUGE, INF = math.ulp(0.0), sys.float_info.max, math.inf
FUNCTIONS = {"exp": exp, "ln": ln, "expm1": expm1, "log1p": log1p}
INVERSES = {"exp": "ln", "ln": "exp", "expm1": "log1p", "log1p": "expm1"}
NAMES = tuple(FUNCTIONS)
OPERATIONS = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "div": operator.truediv,
    "pow": operator.pow,
}
BUILD = FUNCTIONS | OPERATIONS


# --- The oracle. An expression is a Fraction or a tuple: ("exp", x), ("add", a, b), ("pow", a, 7). ---


class Bracket:
    """Interval arithmetic in MPFR: every lower end is rounded down, every upper end up."""

    def __init__(self, precision):
        self.down = gmpy2.context(precision=precision, round=gmpy2.RoundDown)
        self.up = gmpy2.context(precision=precision, round=gmpy2.RoundUp)

    def __call__(self, tree):
        if not isinstance(tree, tuple):
            exact = mpq(tree.numerator, tree.denominator)
            return mpfr(exact, 0, context=self.down), mpfr(exact, 0, context=self.up)
        name, *rest = tree
        if name == "pow":
            return self.pow(self(rest[0]), rest[1])
        return getattr(self, name)(*map(self, rest))

    # All four functions increase.
    def exp(self, a):
        return self.down.exp(a[0]), self.up.exp(a[1])

    def ln(self, a):
        return self.down.log(a[0]), self.up.log(a[1])

    def expm1(self, a):
        return self.down.expm1(a[0]), self.up.expm1(a[1])

    def log1p(self, a):
        return self.down.log1p(a[0]), self.up.log1p(a[1])

    def add(self, a, b):
        return self.down.add(a[0], b[0]), self.up.add(a[1], b[1])

    def sub(self, a, b):
        return self.down.sub(a[0], b[1]), self.up.sub(a[1], b[0])

    def mul(self, a, b):
        if a[0] > 0 and b[0] > 0:
            return self.down.mul(a[0], b[0]), self.up.mul(a[1], b[1])
        corners = [(x, y) for x in a for y in b]
        return min(self.down.mul(x, y) for x, y in corners), max(self.up.mul(x, y) for x, y in corners)

    def div(self, a, b):
        if a[0] > 0 and b[0] > 0:
            return self.down.div(a[0], b[1]), self.up.div(a[1], b[0])
        if b[0] <= 0 <= b[1]:
            return mpfr(-INF), mpfr(INF)
        corners = [(x, y) for x in a for y in b]
        return min(self.down.div(x, y) for x, y in corners), max(self.up.div(x, y) for x, y in corners)

    def pow(self, a, n):
        if n < 0:
            return self.div((mpfr(1), mpfr(1)), self.pow(a, -n))
        if n & 1 == 0 and a[0] < 0:  # Even powers turn at 0; no base below comes near to it.
            a = (a[1], a[0])
        return self.down.pow(a[0], n), self.up.pow(a[1], n)


BRACKETS = [Bracket(precision) for precision in (128, 512, 2048, 8192, 32768)]
NEAR = Bracket(320)
UP = gmpy2.context(precision=53, round=gmpy2.RoundUp, emin=-1073, emax=1024, subnormalize=True)
DOWN = gmpy2.context(UP, round=gmpy2.RoundDown)


def real(tree):
    """Build the same expression from the functions under test."""
    if not isinstance(tree, tuple):
        return tree
    name, *rest = tree
    return BUILD[name](*map(real, rest))


def negative_zero(x):
    return x == 0 and math.copysign(1, x) < 0


def closest(u, d, tree):
    """Say whether u is the least float at or above the expression and d the greatest at or below."""
    below, above = math.nextafter(u, -INF), math.nextafter(d, INF)
    for bracket in BRACKETS:
        low, high = bracket(tree)
        if below < low and high <= u and d <= low and high < above:
            return not (negative_zero(u) or negative_zero(d))
        if u < low or high <= below or high < d or above <= low:
            return False
    raise AssertionError(f"the oracle cannot decide {tree}")


def floor(tree, bits=0):
    """Return floor(2**bits * tree)."""
    for bracket in BRACKETS:
        low, high = (math.floor(rational(end) * Fraction(2) ** bits) for end in bracket(tree))
        if low == high:
            return low
    raise AssertionError(f"the oracle cannot decide {tree}")


def rational(x):
    return Fraction(*map(int, x.as_integer_ratio()))


def near(tree, rng):
    """Return a rational very near to the expression, on either side of it."""
    return rational(rng.choice(NEAR(tree)))


def rounded_wrongly(trees):
    """Return the expressions whose floats are not the closest on their side, or are a negative zero."""
    wrong = []
    for batch in batches(trees):
        numbers = [real(tree) for tree in batch]
        answers = zip([float_up(x) for x in numbers], [float_down(x) for x in numbers], batch, strict=True)
        wrong += [(u, d, tree) for u, d, tree in answers if not closest(u, d, tree)]
        if wrong:
            break  # A few examples say enough, and a report of thousands takes minutes to print.
    return wrong[:3]


def batches(cases):
    """Cut the cases into lists: a step at a time over a short list is quicker than all steps over each case."""
    cases = iter(cases)
    return iter(lambda: list(islice(cases, 500)), [])


# --- The inputs. ---


def hard_float(rng):
    """Draw a finite float: of any size, or near a place where rounding changes."""
    kind = rng.randrange(10)
    if kind == 0:
        x = rng.choice((0.0, 1.0, 2.0 ** rng.randint(-1074, 1023)))
        for _ in range(rng.randrange(4)):
            x = math.nextafter(x, rng.choice((-INF, INF)))
    elif kind == 1:
        x = rng.getrandbits(rng.randint(1, 53)) * TINY
    elif kind == 2:
        x = math.ldexp(1 + rng.random(), rng.randint(-1080, 1023))
    elif kind == 3:
        x = 1 + rng.choice((-1, 1)) * math.ldexp(rng.random(), -rng.randint(0, 52))
    else:
        x = math.ldexp(rng.random(), rng.randint(-20, 12))
    return rng.choice((-x, x))


def hard_rational(rng):
    """Draw a rational: a float, a short or long fraction, or one beside a float or a tie."""
    kind = rng.randrange(8)
    if kind == 0:
        return Fraction(rng.randint(-20, 20), rng.randint(1, 20))
    if kind == 1:
        return Fraction(rng.randint(-(10**9), 10**9), rng.randint(1, 10**9))
    if kind == 2:
        size = rng.choice((64, 64, 300, 1100, 3000))
        return Fraction(rng.getrandbits(rng.randint(1, size)), rng.getrandbits(rng.randint(1, size)) | 1)
    return beside(hard_float(rng), rng) if kind > 3 else Fraction(hard_float(rng))


def beside(x, rng):
    """Return a rational within 2**-200, relatively, of a float, or of the middle between it and the next."""
    mantissa, power = math.frexp(x)
    scaled = (int(mantissa * 2**53) * 2 + rng.randrange(2)) << 250
    scaled += rng.choice((-1, 0, 1)) << rng.randint(0, 50)
    return Fraction(scaled << max(power - 304, 0), 1 << max(304 - power, 0))


def tame(name, x):
    """Say whether a function is defined at x, and its value not so long that the oracle dwells on it."""
    return {"ln": x > 0, "log1p": x > -1}.get(name, -3000 < x < 3000)


def arguments(name, rng, count):
    """Draw arguments of a function; every eighth makes the result lie beside a float or a tie."""
    while count:
        if rng.randrange(8):
            x = hard_rational(rng)
        else:
            result = beside(hard_float(rng), rng)
            x = near((INVERSES[name], result), rng) if tame(INVERSES[name], result) else result
        if tame(name, x):
            count -= 1
            yield x


def leaf(rng):
    """Draw a transcendental number, unlikely to be rationally related to another."""
    name = rng.choice(NAMES)
    x = Fraction(rng.getrandbits(60) | 1, 1 << rng.choice((120, 70, 60, 60, 60, 55, 52)))
    return name, -x if name in ("exp", "expm1") and rng.randrange(2) else x


def twin(a, rng):
    """Return a number that nearly cancels a leaf, in a difference, a sum or a product."""
    name, x = a
    x *= 1 + Fraction(1, 1 << rng.randint(1, 200))
    return rng.choice(((name, x), ("sub", Fraction(0), (name, x)), ("exp", -x)))


def exponent(rng):
    return rng.choice((-1, 1)) * rng.choice((2, 3, 7, rng.randint(2, 50), rng.randint(2, 2000)))


def expressions(name, rng, count):
    """Draw sums, differences, products, quotients or powers; every twelfth lies beside a float or a tie."""
    for _ in range(count):
        a, kind = leaf(rng), rng.randrange(12)
        if kind == 0:
            yield aimed(name, a, beside(hard_float(rng) or 1.0, rng), rng)
        elif name == "pow":
            yield name, a, exponent(rng)
        elif kind == 1:
            yield name, a, twin(a, rng)
        else:
            yield name, a, leaf(rng) if kind < 7 else hard_rational(rng) or Fraction(1)


def aimed(name, a, target, rng):
    """Return an expression whose value lies beside the target."""
    if name == "pow":
        n = exponent(rng)
        return name, ("exp", near(("div", ("ln", abs(target)), Fraction(n)), rng)), n
    if rng.randrange(2):
        solution = {"add": ("sub", target, a), "sub": ("add", target, a), "mul": ("div", target, a)}
        return name, near(solution.get(name, ("mul", target, a)), rng), a
    solution = {"add": ("sub", target, a), "sub": ("sub", a, target), "mul": ("div", target, a)}
    return name, a, near(solution.get(name, ("div", a, target)), rng)


# --- A real becomes a float: never on the wrong side, never farther than it must be. ---


def test_fractions_round_to_the_closest_float_on_each_side():
    rng, wrong = random.Random(1), []
    for _ in range(CASES):
        x = hard_rational(rng)
        u, d = float_up(x), float_down(x)
        # Fractions and floats compare exactly.
        least = u >= x > math.nextafter(u, -INF)
        greatest = d <= x < math.nextafter(d, INF)
        if not (least and greatest) or negative_zero(u) or negative_zero(d):
            wrong.append((x, u, d))
    assert wrong[:3] == []


def test_dyadics_of_more_than_53_bits_round_outwards():
    # One bit too many passes to a float by rounding to nearest, which is the wrong side half of the time.
    for extra in range(1, 12):
        for power in (-1200, -1074, -1022, -60, 0, 1, 900, 960, 971):
            for low in (2**52, 2**53 - 1, 3 * 2**51 + 1):
                for tail in (1, 2 ** (extra - 1), 2**extra - 1):
                    x = Fraction((low << extra) + tail) * Fraction(2) ** power
                    for y in (x, -x):
                        u, d = float_up(y), float_down(y)
                        assert u > y > math.nextafter(u, -INF) == d
    assert (float_up(2**53 + 1), float_down(2**53 + 3)) == (2**53 + 2, 2**53 + 2)
    assert (float_up(-(2**53) - 3), float_down(-(2**53) - 1)) == (-(2**53) - 2, -(2**53) - 2)


@pytest.mark.parametrize("exponent", [-1200, -1074, -55, -1, 0, 1, 55, 970, 1100])
def test_a_fraction_times_a_power_of_two_is_rounded_as_a_fraction(exponent):
    for man in (-(2**60) - 1, -7, -4, -1, 0, 1, 3, 8, 10**20):
        for over in (1, 2, 3, 64, 65, 10**20 + 1):
            x = Fraction(man, over) * Fraction(2) ** exponent
            assert reals._round_down(man, exponent, over) == float_down(x)
            assert reals._round_up(man, exponent, over) == float_up(x)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_rationals_round_to_the_closest_float_on_each_side(name):
    rng = random.Random(2)
    assert rounded_wrongly((name, x) for x in arguments(name, rng, CASES // 2)) == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_floats_round_as_mpfr_rounds_them(name):
    # Here MPFR rounds once, to 53 bits and to the subnormals, and no bracket is needed.
    up, down = (getattr(context, {"ln": "log"}.get(name, name)) for context in (UP, DOWN))
    least = {"exp": -INF, "expm1": -3000, "ln": 0, "log1p": -1}[name]
    rng, wrong = random.Random(3), []
    floats = filter(lambda x: x > least, iter(lambda: hard_float(rng), None))
    for batch in batches(islice(floats, CASES // 2)):
        numbers = [FUNCTIONS[name](Fraction(x)) for x in batch]
        ours = zip([float_up(y) for y in numbers], [float_down(y) for y in numbers], strict=True)
        theirs = [(float(up(x)), float(down(x))) for x in map(mpfr, batch)]
        wrong += [x for x, our, their in zip(batch, ours, theirs, strict=True) if our != their]
    assert wrong[:3] == []


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_round_to_the_closest_float_on_each_side(name):
    assert rounded_wrongly(expressions(name, random.Random(4), CASES)) == []


def test_the_check_catches_a_float_that_is_one_off():
    # The oracle must refuse both neighbours of the right answer, or the tests above say nothing.
    for tree in expressions("pow", random.Random(5), 1000):
        x = real(tree)
        u, d = float_up(x), float_down(x)
        assert closest(u, d, tree)
        if math.isinf(u) or math.isinf(d):
            continue
        for way in (-INF, INF):
            assert not closest(math.nextafter(u, way), d, tree)
            assert not closest(u, math.nextafter(d, way), tree)


def test_rational_results_are_exact():
    assert exp(Fraction(0)) == 1 == exp(0)
    assert ln(Fraction(1)) == expm1(Fraction(0)) == log1p(Fraction(0)) == 0
    assert [type(f(x)) for f, x in ((exp, 0), (ln, 1), (expm1, 0), (log1p, 0))] == [Fraction] * 4
    x = exp(Fraction(1))
    assert x * 0 == 0 * x == 0 / x == 0
    assert x**0 == 1
    assert x + 0 is x - 0 is x * 1 is x / 1 is x**1 is x
    for dyadic in (Fraction(3, 8), Fraction(-5, 2**1074), Fraction(2**1023), Fraction(0)):
        assert float_up(dyadic) == float_down(dyadic) == dyadic


def test_numbers_past_the_ends_of_the_floats_are_still_bounded():
    small, large = exp(-(10**300)), exp(10**300)
    assert (float_down(small), float_up(small)) == (0.0, TINY)
    assert (float_down(large), float_up(large)) == (HUGE, INF)
    assert (float_down(-small), float_up(-small)) == (-TINY, 0.0)
    assert (float_down(-large), float_up(-large)) == (-INF, -HUGE)
    assert not negative_zero(float_up(-small))
    assert (floor_bits(small, 64), floor_bits(-small, 64)) == (0, -1)
    assert (sign(small), sign(-small)) == (1, -1)
    assert (float_down(1 + small * large**2), float_up(small**3 * large)) == (HUGE, TINY)
    assert all(low <= 0 < high for low, high in enclose_bits([small], 64))


def test_arguments_outside_the_domain_are_refused():
    for function, x in [(ln, 0), (ln, Fraction(-1, 3)), (log1p, -1), (log1p, Fraction(-4, 3))]:
        with pytest.raises(ParameterError, match=r"^x="):
            function(x)
    with pytest.raises(ZeroDivisionError):
        exp(1) / 0
    with pytest.raises(TypeError):
        exp(1) ** Fraction(1, 2)


# --- A zero that no precision can decide. ---


@pytest.mark.parametrize(
    "ask",
    [float_up, float_down, sign, lambda x: floor_bits(x, 64), lambda x: float_up(1 / x), lambda x: x > 0],
    ids=["float_up", "float_down", "sign", "floor_bits", "quotient", "comparison"],
)
def test_an_undecidable_zero_is_an_error(ask, monkeypatch):
    monkeypatch.setattr(reals, "_MOST_BITS", 1 << 14)
    with pytest.raises(PrecisionError):
        ask(exp(Fraction(1)) - exp(Fraction(1)))


def test_an_undecidable_zero_is_an_error_in_reasonable_time():
    start = time.thread_time()
    with pytest.raises(PrecisionError):
        float_up(exp(Fraction(1)) - exp(Fraction(1)))
    assert time.thread_time() - start < 5  # A quarter of a second on a desk.


def test_the_most_bits_are_the_limit(monkeypatch):
    x = exp(1) - near(("exp", Fraction(1)), random.Random(6))  # About 2**-320.
    assert sign(x) in (-1, 1)
    monkeypatch.setattr(reals, "_MOST_BITS", 256)
    with pytest.raises(PrecisionError, match="256 bits"):
        sign(x)


@pytest.mark.parametrize(("bits", "decided"), [(2**19 + 1000, True), (2**20 + 1000, False)])
def test_the_last_try_has_a_million_bits(bits, decided):
    x = exp(-math.ceil(bits * math.log(2))) + 1 - 1  # About 2**-bits, which fewer bits cannot tell from 0.
    if decided:
        assert sign(x) == 1
    else:
        with pytest.raises(PrecisionError, match=f"{2**20} bits"):
            sign(x)


# --- Integers, enclosures, signs. ---


def test_floor_bits_of_fractions_is_the_floor():
    rng = random.Random(7)
    for _ in range(CASES // 10):
        x, bits = hard_rational(rng), rng.randint(-100, 400)
        assert floor_bits(x, bits) == math.floor(x * Fraction(2) ** bits)


def test_floor_bits_of_reals_is_the_floor():
    rng = random.Random(8)
    for name in OPERATIONS:
        for tree in expressions(name, rng, CASES // 100):
            bits = rng.choice((-100, -20, 0, 1, 63, 64, 128, 300))
            if abs(NEAR(tree)[0]) < 2**1000:
                assert floor_bits(real(tree), bits) == floor(tree, bits)


def test_an_integer_of_more_than_a_million_bits_is_refused():
    least = maximum(exp(-1), Fraction(2 << 2**20))  # Its ball is a point.
    assert floor_bits(least, -1) == 1 << 2**20
    for x in (least, exp(10**6), exp(10**300)):
        with pytest.raises(PrecisionError, match=f"more than {2**20} bits"):
            floor_bits(x, 0)


@pytest.mark.parametrize("bits", [-100, 0, 1, 64, 128, 300])
def test_enclose_bits_encloses(bits):
    rng, scale = random.Random(9), Fraction(2) ** bits
    trees = [leaf(rng) if rng.randrange(2) else hard_rational(rng) for _ in range(CASES // 50)]
    for tree, (low, high) in zip(trees, enclose_bits([real(tree) for tree in trees], bits), strict=True):
        if isinstance(tree, tuple):
            least, most = (rational(end) * scale for end in BRACKETS[2](tree))
            assert low <= least <= most <= high
            assert high - low <= 2 + abs(most) / 2**60
        else:
            assert (low, high) == (math.floor(tree * scale), math.ceil(tree * scale))


def test_enclose_bits_does_not_search():
    half = exp(Fraction(1)) - exp(Fraction(1)) + Fraction(1, 2)  # No precision tells on which side of 1/2 it is.
    assert enclose_bits([half], 4) == [(7, 9)]


def test_enclosures_enclose_and_tighten():
    for tree in expressions("mul", random.Random(10), 1000):
        least, most = (rational(end) for end in BRACKETS[2](tree))
        widths = []
        for bits in (64, 128, 256):
            low, high = real(tree).enclosure(bits)
            assert low <= least <= most <= high
            widths.append(high - low)
        assert widths == sorted(widths, reverse=True)
        assert widths[-1] <= abs(high) / 2**240


def test_enclosures_of_large_numbers_enclose_them():
    x = exp(Fraction(1000))
    low, high = x.enclosure(64)
    assert low < x.enclosure(3000)[0] < x.enclosure(3000)[1] < high < low * (1 + Fraction(1, 2**50))


def test_a_number_without_a_finite_enclosure_is_an_error():
    nothing = ln(exp(Fraction(1)) - exp(Fraction(1)))
    with pytest.raises(PrecisionError):
        nothing.enclosure(64)
    with pytest.raises(PrecisionError):
        enclose_bits([nothing], 64)


def test_signs_and_comparisons_are_decided_however_close():
    rng = random.Random(11)
    for _ in range(cases(250, 1000)):
        tree = leaf(rng)
        x, (low, high) = real(tree), (rational(end) for end in NEAR(tree))
        assert low < x < high
        assert high > x > low
        assert not any((x < low, x > high, low > x, high < x))
        assert (sign(x - low), sign(low - x), sign(x - high)) == (1, -1, -1)
    assert exp(1) < 3 < exp(2) < exp(Fraction(3))
    assert [sign(x) for x in (Fraction(-1, 7), Fraction(0), Fraction(1, 7), 3)] == [-1, 0, 1, 1]


@pytest.mark.parametrize("value", [-1, 0, 1])
def test_a_real_that_is_known_exactly_is_compared_exactly(value):
    x = maximum(-exp(Fraction(1)), Fraction(value))  # Its ball is a point.
    assert sign(x) == value
    assert not x < value
    assert not x > value
    assert value - 1 < x < value + 1


def test_total_is_the_sum():
    rng = random.Random(12)
    for _ in range(300):
        trees = [leaf(rng) if rng.randrange(4) else hard_rational(rng) for _ in range(rng.randint(1, 20))]
        x, tree = total(map(real, trees)), reduce(lambda a, b: ("add", a, b), trees)
        assert closest(float_up(x), float_down(x), tree)
    assert total([]) == 0
    many = total([exp(Fraction(1))] * 5000)  # One expression: a chain of 5000 sums would be too deep.
    assert float_up(many) == float_up(5000 * exp(Fraction(1)))
    assert total([1, Fraction(1, 2)]) == Fraction(3, 2)


@pytest.mark.parametrize("x", [Fraction(-1, 7), Fraction(1), Fraction(-40), Fraction(1, 10**9), Fraction(0)])
def test_powers_are_the_exponentials_of_multiples(x):
    terms = powers(x, 1000)
    assert len(terms) == 1000
    for k, term in enumerate(terms):
        assert (float_up(term), float_down(term)) == (float_up(exp(k * x)), float_down(exp(k * x)))
    assert [len(powers(x, count)) for count in range(5)] == list(range(5))


def test_maximum_needs_no_decision():
    # The least float above the greatest number is the greatest of the least floats; ties are no trouble.
    rng = random.Random(19)
    for _ in range(300):
        first = leaf(rng)
        trees = [first, first, twin(first, rng), hard_rational(rng), leaf(rng)][: rng.randint(1, 5)]
        terms = rng.sample([real(tree) for tree in trees], len(trees))
        greatest = maximum(*terms)
        assert float_up(greatest) == max(map(float_up, terms))
        assert float_down(greatest) == max(map(float_down, terms))
    assert maximum(Fraction(1, 3), Fraction(1, 2)) == Fraction(1, 2)


def test_a_shared_part_is_evaluated_once():
    calls = []

    def counted(ball):
        calls.append(ball)
        return ball.exp()

    part = Real(counted, Fraction(1))
    assert float_up(part * part + part / (1 + part)) > 8
    assert len(calls) == 1


# --- The floor of a scaled logarithm, from a prefix of U. ---


def ends(scale, shift, prefix, bits):
    """Return the floors of scale * (shift - ln U) at both ends of the cell; None at U = 0."""
    cell = [Fraction(p, 1 << bits) for p in (prefix, prefix + 1)]
    return [floor(("mul", scale, ("sub", shift, ("ln", u)))) if u else None for u in cell]


def beside_a_threshold(scale, shift, bits, rng):
    """Draw a prefix whose cell holds, or lies beside, a U at which the floor changes."""
    most = 44 if bits == 63 else bits // 2
    k = math.floor(scale * (rng.randrange(1, 1 << 20) * Fraction(most, 1 << 20))) + floor(("mul", scale, shift)) + 1
    u = near(("exp", ("sub", shift, k / scale)), rng)
    prefix = math.floor(u * (1 << bits)) + rng.choice((-2, -1, 0, 0, 1, 2))
    return min(max(prefix, 0), (1 << bits) - 1)


SCALES = [Fraction(1, 7), Fraction(1), Fraction(10), Fraction(10**6), Fraction(10**12), Fraction(10**30)]
SHIFTS = [Fraction(0), Fraction(1, 3), ("ln", Fraction(2)), ("log1p", Fraction(1, 10**9))]


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_a_decided_floor_holds_at_both_ends_of_the_cell(scale):
    rng = random.Random(13)
    for shift in SHIFTS:
        log = ScaledLog(scale, real(shift))
        for bits in (63, 63, 63, 1, 8, 62, 64, 100, 127, 190, 300):
            for _ in range(CASES // 4000):
                if rng.randrange(2):
                    prefix = beside_a_threshold(scale, shift, bits, rng)
                else:
                    prefix = rng.getrandbits(bits) >> rng.choice((0, 0, 1, bits // 2, bits - 1))
                k = log.decide(prefix, bits)
                assert k is None or ends(scale, shift, prefix, bits) == [k, k]


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_a_cell_that_holds_a_threshold_is_not_decided(scale):
    rng = random.Random(14)
    log = ScaledLog(scale, Fraction(0))
    for bits in (63, 64, 127, 190):
        assert log.decide(0, bits) is None
        for _ in range(CASES // 1000):
            prefix = beside_a_threshold(scale, Fraction(0), bits, rng)
            above, below = ends(scale, Fraction(0), prefix, bits)
            assert above == below or log.decide(prefix, bits) is None


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_enough_bits_decide(scale):
    # With 40 bits more than the scale has, fewer than one cell in 2**30 holds a threshold.
    rng = random.Random(15)
    for shift in SHIFTS:
        log = ScaledLog(scale, real(shift))
        for bits in (63, 127, 190):
            if bits > 40 + math.ceil(scale).bit_length():
                assert None not in [log.decide(rng.getrandbits(bits), bits) for _ in range(CASES // 100)]


def test_the_quick_way_is_taken_where_it_is_fine_enough_and_only_there(monkeypatch):
    small, below, at = (ScaledLog(scale, ln(2)) for scale in (Fraction(10), 2**20 - Fraction(1, 7), Fraction(2**20)))

    def slow(bits):
        raise InterruptedError(bits)

    monkeypatch.setattr(reals, "_precision", slow)
    for log in (small, below):
        assert log.decide(2**62, 63) == math.floor(log.scale * Fraction(2 * math.log(2)))
        log.decide(2**39, 63)
    for log, prefix, bits in ((small, 2**39 - 1, 63), (small, 2**61, 62), (small, 2**63, 64), (at, 2**62, 63)):
        with pytest.raises(InterruptedError):
            log.decide(prefix, bits)


@pytest.mark.parametrize(("place", "settled"), [(-1, -1), (1, None), (15, None), (17, 0)])
def test_the_quick_way_takes_the_whole_cell_and_no_more(place, settled):
    # At the least prefix, 2**39, the cell is 2**-39 wide in ln U. Put a threshold at so many 16ths of it.
    ln_u = Fraction(place, 16 << 39) - rational(NEAR(("mul", Fraction(24), ("ln", Fraction(2))))[0])
    for k in (1, 10, 1000):
        assert ScaledLog(k / -ln_u, Fraction(0)).decide(2**39, 63) == (None if settled is None else k + settled)


@pytest.mark.parametrize("bits", [64, 100, 127])
def test_the_cells_beside_that_of_a_threshold_are_decided(bits):
    for k in range(1, 20):
        prefix = floor(("exp", Fraction(-k, 10)), bits)
        log = ScaledLog(Fraction(10), Fraction(0))
        assert [log.decide(p, bits) for p in (prefix - 1, prefix, prefix + 1)] == [k, None, k - 1]


# --- Arb's precision is one setting for the process. ---


@contextmanager
def meddling():
    """Let a thread of no concern of ours keep changing Arb's precision."""
    before, stop, rng = flint.ctx.prec, threading.Event(), random.Random(16)

    def meddle():
        while not stop.is_set():
            flint.ctx.prec = rng.choice((2, 10, 53, 64, 200, 3000))

    thread = threading.Thread(target=meddle)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        flint.ctx.prec = before


@pytest.fixture
def quick_switches():
    """Let threads take turns as often as the interpreter can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_eight_threads(trees):
    """Round the expressions in eight threads at once; return each thread's answers."""
    answers = [None] * 8
    together = threading.Barrier(8)

    def work(i):
        together.wait()
        answers[i] = [(float_up(real(tree)), float_down(real(tree))) for tree in trees]

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return answers


@pytest.mark.usefixtures("quick_switches")
def test_threads_do_not_disturb_each_other():
    trees = list(expressions("sub", random.Random(17), 300))
    alone = [(float_up(real(tree)), float_down(real(tree))) for tree in trees]
    before = flint.ctx.prec
    assert in_eight_threads(trees) == [alone] * 8
    assert flint.ctx.prec == before


@pytest.mark.usefixtures("quick_switches")
def test_a_meddling_thread_changes_no_answer():
    trees = list(expressions("sub", random.Random(18), 300))
    alone = [(float_up(real(tree)), float_down(real(tree))) for tree in trees]
    with meddling():
        assert in_eight_threads(trees) == [alone] * 8


def test_a_precision_lowered_in_the_middle_costs_only_another_try():
    before, lowered = flint.ctx.prec, iter([2, 10, 53])

    def meddled(ball):
        flint.ctx.prec = next(lowered, flint.ctx.prec)
        return ball.exp()

    assert float_up(Real(meddled, Fraction(1))) == 2.7182818284590455
    assert next(lowered, None) is None
    assert flint.ctx.prec == before


def test_the_precision_is_left_as_it_was():
    before = flint.ctx.prec
    log = ScaledLog(Fraction(10), ln(3))
    for ask in (float_up, float_down, sign, lambda x: floor_bits(x, 200), lambda x: enclose_bits([x], 200)):
        ask(exp(1))
    log.decide(2**62, 63)
    log.decide(2**99, 100)
    with pytest.raises(PrecisionError):
        sign(exp(1) - exp(1))
    assert flint.ctx.prec == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_fork_while_another_thread_holds_the_lock_does_not_deadlock():
    held, done = threading.Event(), threading.Event()

    def hold():
        with reals._precision(100):
            held.set()
            done.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        signal.alarm(10)  # A child that waits for the lock for ever is killed, and the status is not 0.
        os._exit(0 if float_up(exp(Fraction(1))) == 2.7182818284590455 else 1)
    _, status = os.waitpid(child, 0)
    done.set()
    thread.join()
    assert status == 0
