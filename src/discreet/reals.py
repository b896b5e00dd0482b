"""Reals: the only file in which a real number becomes a float.

A ``Real`` is an expression over rationals. Asked for more bits, it answers with a tighter enclosure,
computed in Arb's ball arithmetic [Johansson 2017]; nothing is rounded until ``float_up`` or
``float_down`` rounds once, in the direction that the name says.

Decisions are taken on enclosures only. Arb's precision is one setting for the whole process, so a
thread outside this file may get us a wider enclosure than we asked for, never a wrong one.
"""

from __future__ import annotations

import math
import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from functools import reduce
from typing import Final, TypeAlias, TypeVar

from flint import arb, ctx, fmpq

from discreet.errors import ParameterError, PrecisionError

__all__ = [
    "Number",
    "Real",
    "ScaledLog",
    "balls",
    "enclose_bits",
    "enclosures",
    "exp",
    "expm1",
    "float_down",
    "float_up",
    "floor_bits",
    "ln",
    "log1p",
    "maximum",
    "powers",
    "sign",
    "total",
]

Dyadic: TypeAlias = tuple[int, int]
"""The rational ``man * 2**exp``, which may be too small or too large to write out."""

T = TypeVar("T")

_LEAST_EXPONENT: Final = -1074
_MANTISSA: Final = 53
_MOST_BITS: Final = 1 << 20


class Real:
    """A computable real number: an expression that can be enclosed as tightly as wanted.

    Reals are made by ``exp``, ``ln``, ``expm1`` and ``log1p`` and combined with ``+ - * / **``.

    >>> x = ln(Fraction(3)) / 2
    >>> low, high = x.enclosure(64)
    >>> low < Fraction("0.549306144334054845697622618461") < high
    True
    >>> high - low < Fraction(1, 2**60)
    True
    """

    __slots__ = ("_args", "_op")
    _op: Callable[..., arb]
    _args: tuple[Number | int, ...]

    def __init__(self, op: Callable[..., arb], *args: Number | int) -> None:
        self._op = op
        self._args = args

    def ball(self, known: _Known) -> arb:
        """Evaluate in Arb; *known* holds the precision, and what has been evaluated already."""
        value = known.get(id(self))
        if value is None:
            args = [_ball(arg, known) for arg in self._args]
            ctx.prec = known.bits  # Again, in case a thread outside this file has changed it meanwhile.
            value = known[id(self)] = self._op(*args)
        return value

    def enclosure(self, bits: int) -> tuple[Fraction, Fraction]:
        """Return rationals around the number, computed with about *bits* bits."""
        [ends] = enclosures([self], bits)
        return ends

    def __neg__(self) -> Real:
        return Real(arb.__neg__, self)

    def __add__(self, other: Number | int) -> Real:
        return self if _is_exact(other, 0) else Real(arb.__add__, self, _number(other))

    def __sub__(self, other: Number | int) -> Real:
        return self if _is_exact(other, 0) else Real(arb.__sub__, self, _number(other))

    def __mul__(self, other: Number | int) -> Number:
        if _is_exact(other, 0):
            return Fraction(0)
        return self if _is_exact(other, 1) else Real(arb.__mul__, self, _number(other))

    def __truediv__(self, other: Number | int) -> Number:
        if _is_exact(other, 0):
            raise ZeroDivisionError("a Real divided by 0")
        return self if _is_exact(other, 1) else Real(arb.__truediv__, self, _number(other))

    def __pow__(self, exponent: int) -> Number:
        if not isinstance(exponent, int):
            return NotImplemented
        if exponent in (0, 1):
            return self if exponent else Fraction(1)
        return Real(_power, self, exponent)

    def __radd__(self, other: Fraction | int) -> Real:
        return self + other

    def __rsub__(self, other: Fraction | int) -> Real:
        return (-self) + other

    def __rmul__(self, other: Fraction | int) -> Number:
        return self * other

    def __rtruediv__(self, other: Fraction | int) -> Number:
        return Fraction(0) if other == 0 else Real(arb.__truediv__, _number(other), self)

    def __lt__(self, other: Number | int) -> bool:
        return sign(self - other) < 0

    def __gt__(self, other: Number | int) -> bool:
        return sign(self - other) > 0

    def __repr__(self) -> str:
        return f"<Real near {float_down(self)!r}>"


Number: TypeAlias = Fraction | Real
"""An exact number: a Fraction where it is rational by construction, else a Real."""


class _Known(dict[int, arb]):
    """What one evaluation has computed so far, by the id of the expression, and its precision."""

    def __init__(self, bits: int) -> None:
        self.bits = bits


def exp(x: Number | int) -> Number:
    """Return e to the power x.

    >>> exp(Fraction(0)), float_up(exp(Fraction(1)))
    (Fraction(1, 1), 2.7182818284590455)
    """
    return Fraction(1) if _is_exact(x, 0) else Real(arb.exp, _number(x))


def expm1(x: Number | int) -> Number:
    """Return e to the power x, less 1, accurately near 0.

    >>> float_up(expm1(Fraction(1, 10**20)))
    1.0000000000000001e-20
    """
    return Fraction(0) if _is_exact(x, 0) else Real(arb.expm1, _number(x))


def ln(x: Number | int) -> Number:
    """Return the natural logarithm of x > 0.

    >>> ln(Fraction(1)), float_up(ln(Fraction(3)))
    (Fraction(0, 1), 1.0986122886681098)
    """
    if not isinstance(x, Real) and x <= 0:
        raise ParameterError("x", x, "x > 0")
    return Fraction(0) if _is_exact(x, 1) else Real(arb.log, _number(x))


def log1p(x: Number | int) -> Number:
    """Return the natural logarithm of 1 + x for x > -1, accurately near 0.

    >>> float_up(log1p(Fraction(1, 10**20)))
    1.0000000000000001e-20
    """
    if not isinstance(x, Real) and x <= -1:
        raise ParameterError("x", x, "x > -1")
    return Fraction(0) if _is_exact(x, 0) else Real(arb.log1p, _number(x))


def powers(x: Fraction, count: int) -> list[Number]:
    """Return exp(k x) for k = 0 .. count-1, each from the one before.

    >>> [float_up(power) for power in powers(Fraction(1), 3)]
    [1.0, 2.7182818284590455, 7.38905609893065]
    """
    base = exp(x)
    terms: list[Number] = [Fraction(1), base][:count]
    while len(terms) < count:
        half = len(terms) // 2
        terms.append(terms[half] * terms[len(terms) - half])
    return terms


def maximum(*terms: Number) -> Number:
    """Return the greatest of several numbers, without deciding which one it is.

    >>> float_up(maximum(exp(Fraction(1)), exp(Fraction(2))))
    7.38905609893065
    """
    if not any(isinstance(term, Real) for term in terms):
        return max(terms)
    return Real(_maximum, *terms)


def total(terms: Iterable[Number | int]) -> Number:
    """Return the sum of many numbers as one expression.

    >>> total([Fraction(1, 2), Fraction(1, 3)])
    Fraction(5, 6)
    """
    rational, reals = Fraction(0), []
    for term in terms:
        if isinstance(term, Real):
            reals.append(term)
        else:
            rational += term
    return Real(_sum, rational, *reals) if reals else rational


def float_up(x: Number | int) -> float:
    """Return the least float that is at least x.

    >>> float_up(Fraction(1, 10)) >= Fraction(1, 10) > float_up(Fraction(1, 10)) - 2**-56
    True
    >>> float_up(Fraction(1, 10**400)), float_up(Fraction(10**400))
    (5e-324, inf)
    """
    if isinstance(x, Real):
        return _decide(x, 64, _round_up)
    return _round_up(x.numerator, 0, x.denominator)


def float_down(x: Number | int) -> float:
    """Return the greatest float that is at most x.

    >>> float_down(Fraction(1, 10**400)), float_down(Fraction(10**400))
    (0.0, 1.7976931348623157e+308)
    """
    if isinstance(x, Real):
        return _decide(x, 64, _round_down)
    return _round_down(x.numerator, 0, x.denominator)


def floor_bits(x: Number | int, bits: int) -> int:
    """Return the floor of 2**bits * x.

    >>> floor_bits(Fraction(1, 3), 4), floor_bits(exp(Fraction(-1)), 64)
    (5, 6786177901268885274)
    """
    if isinstance(x, Real):
        return _decide(x, 64 + max(bits, 0), lambda man, e: _floor_shift(man, e + bits))
    return (x.numerator << max(bits, 0)) // (x.denominator << max(-bits, 0))


def enclose_bits(terms: Sequence[Number], bits: int) -> list[tuple[int, int]]:
    """Return integers (low, high) around 2**bits * x for each x, close but not always closest.

    One evaluation, without a search: the samplers' tables are sound for any enclosure.

    >>> enclose_bits([Fraction(1, 3), Fraction(1, 4)], 4)
    [(5, 6), (4, 4)]
    """
    kept = list(terms)  # What has been evaluated is known by its id, so nothing may be collected meanwhile.
    with _precision(max(bits, 0) + 64) as known:
        return [_enclose(x, bits, known) for x in kept]


def enclosures(terms: Iterable[Number], bits: int) -> list[tuple[Fraction, Fraction]]:
    """Return rationals around each number, computed with about *bits* bits, each expression once.

    >>> enclosures([Fraction(1, 3), ln(Fraction(2))], 64)[0]
    (Fraction(1, 3), Fraction(1, 3))
    """
    kept = list(terms)  # What has been evaluated is known by its id, so nothing may be collected meanwhile.
    with _precision(bits) as known:
        return [_rationals(x.ball(known), bits) if isinstance(x, Real) else (x, x) for x in kept]


def balls() -> Callable[[Number], arb]:
    """Return a function that evaluates numbers in Arb at the present precision, each expression once."""
    known, kept = _Known(ctx.prec), list[Number]()

    def ball(x: Number) -> arb:
        kept.append(x)  # What has been evaluated is known by its id, so nothing may be collected meanwhile.
        return _ball(x, known)

    return ball


def sign(x: Number | int) -> int:
    """Return -1, 0 or 1; a Real is never 0 where this can be decided.

    >>> sign(exp(Fraction(1)) - Fraction(2718, 1000)), sign(Fraction(0))
    (1, 0)
    """
    if isinstance(x, Real):
        return _decide(x, 64, lambda man, _: (man > 0) - (man < 0))
    return (x > 0) - (x < 0)


class ScaledLog:
    """The integer floor(scale * (shift - ln U)) for a uniform U that is revealed word by word.

    *shift* is a number at least 0. ``decide(prefix, bits)`` is told that U lies between prefix / 2**bits and
    (prefix + 1) / 2**bits, and answers with the floor if that settles it, else None.

    >>> log = ScaledLog(Fraction(10), Fraction(0))
    >>> log.decide(2**62, 63), log.decide(0, 63)   # 10 ln 2 = 6.93; and ln 0 is not settled
    (6, None)
    """

    # While prefix >= 2**39, moving U within one unit of 2**-63 moves ln U by at most 2**-39.
    QUICK_BITS: Final = 63
    _QUICK_LEAST: Final = 1 << 39

    __slots__ = ("_quick", "_quick_scale", "_quick_shift", "scale", "shift")

    def __init__(self, scale: Fraction, shift: Number) -> None:
        self.scale = scale
        self.shift = shift
        # The quick path needs 2**39 to be fine enough for the scale; a tiny scale needs no more.
        self._quick = scale < 1 << 20
        with _precision(64) as known:
            self._quick_scale = _ball(scale, known)
            slack = arb(fmpq(-1, 1 << 40), arb(fmpq(1, 1 << 40)))  # the ball [-2**-39, 0]
            self._quick_shift = _ball(shift, known) + self.QUICK_BITS * arb.const_log2() + slack

    def decide(self, prefix: int, bits: int) -> int | None:
        """Return the floor if all U in [prefix, prefix + 1] / 2**bits agree on it."""
        if self._quick and bits == self.QUICK_BITS and prefix >= self._QUICK_LEAST:
            # At whatever precision holds now: the answer is an enclosure all the same.
            return _floor(self._quick_scale * (self._quick_shift - arb(prefix).log()))
        with _precision(bits + 64) as known:
            uniform = arb(fmpq(2 * prefix + 1, 2), arb(fmpq(1, 2)))
            shift = _ball(self.shift, known) + bits * arb.const_log2()
            return _floor(_ball(self.scale, known) * (shift - uniform.log()))


def _decide(x: Real, bits: int, answer: Callable[[int, int], T]) -> T:
    """Return what a monotone *answer* says of x, from an enclosure whose two ends agree on it."""
    while bits <= _MOST_BITS:
        ends = _bounds(x, bits)
        if ends is not None:
            low, high = answer(*ends[0]), answer(*ends[1])
            if low == high:
                return low
        bits *= 2
    raise PrecisionError(f"a real number is still undecided at {_MOST_BITS} bits")


def _enclose(x: Number, bits: int, known: _Known) -> tuple[int, int]:
    if not isinstance(x, Real):
        low, rest = divmod(x.numerator << max(bits, 0), x.denominator << max(-bits, 0))
        return low, low + bool(rest)
    ends = _ends(x.ball(known))
    if ends is None:
        raise PrecisionError(f"a real number has no finite enclosure at {bits + 64} bits")
    (low, low_exp), (high, high_exp) = ends
    return _floor_shift(low, low_exp + bits), -_floor_shift(-high, high_exp + bits)


def _bounds(x: Real, bits: int) -> tuple[Dyadic, Dyadic] | None:
    """Return dyadics around x, or None if the enclosure is not finite at this precision."""
    with _precision(bits) as known:
        return _ends(x.ball(known))


def _rationals(ball: arb, bits: int) -> tuple[Fraction, Fraction]:
    ends = _ends(ball)
    if ends is None:
        raise PrecisionError(f"a real number has no finite enclosure at {bits} bits")
    # What is too small to write out is rounded outward to a multiple of 2**-_MOST_BITS.
    (low, low_exp), (high, high_exp) = ends
    fine = min(max(0, -low_exp, -high_exp), _MOST_BITS)
    one = 1 << fine
    return Fraction(_floor_shift(low, low_exp + fine), one), Fraction(-_floor_shift(-high, high_exp + fine), one)


def _ends(ball: arb) -> tuple[Dyadic, Dyadic] | None:
    if not ball.is_finite():
        return None
    (mid, mid_exp), (rad, rad_exp) = ball.mid().man_exp(), ball.rad().man_exp()
    if abs(mid_exp - rad_exp) <= _MOST_BITS:  # Exactly, whatever the precision is by now.
        e = min(int(mid_exp), int(rad_exp))
        m, r = int(mid) << (int(mid_exp) - e), int(rad) << (int(rad_exp) - e)
        return (m - r, e), (m + r, e)
    (low, low_exp), (high, high_exp) = ball.lower().man_exp(), ball.upper().man_exp()
    return (int(low), int(low_exp)), (int(high), int(high_exp))


def _floor(ball: arb) -> int | None:
    unique = ball.floor().unique_fmpz()
    return None if unique is None else int(unique)


def _ball(x: Number | int, known: _Known) -> arb:
    if isinstance(x, Real):
        return x.ball(known)
    ctx.prec = known.bits
    return arb(fmpq(x.numerator, x.denominator))


def _power(base: arb, exponent: arb) -> arb:
    return base**exponent


def _maximum(*terms: arb) -> arb:
    return reduce(arb.max, terms)


def _sum(*terms: arb) -> arb:
    return sum(terms, arb(0))


def _number(x: Number | int) -> Number:
    return x if isinstance(x, Real) else Fraction(x)


def _is_exact(x: Number | int, value: int) -> bool:
    return not isinstance(x, Real) and x == value


def _floor_shift(man: int, shift: int) -> int:
    """Return floor(man * 2**shift), quickly even where the shift is astronomically negative."""
    if shift >= 0:
        if shift > _MOST_BITS:
            raise PrecisionError(f"an integer of more than {_MOST_BITS} bits")
        return man << shift
    return man >> min(-shift, man.bit_length())  # Further bits are all alike: the answer is 0 or -1 already.


def _round_down(man: int, exponent: int, over: int = 1) -> float:
    """Return the greatest float that is at most man / over * 2**exponent."""
    top = man.bit_length() - over.bit_length() + exponent  # 2**(top-1) < |value| < 2**(top+1), unless it is 0
    if over != 1 and abs(man) << max(exponent - top, 0) < over << max(top - exponent, 0):
        top -= 1  # Now 2**top <= |value| < 2**(top+1), as it is for a dyadic anyway.
    quantum = max(top - _MANTISSA + 1, _LEAST_EXPONENT)
    shift = exponent - quantum
    steps = _floor_shift(man, shift) if over == 1 else (man << max(shift, 0)) // (over << max(-shift, 0))
    try:
        return math.ldexp(steps, quantum)
    except OverflowError:
        return sys.float_info.max if man > 0 else -math.inf


def _round_up(man: int, exponent: int, over: int = 1) -> float:
    """Return the least float that is at least man / over * 2**exponent."""
    return 0.0 - _round_down(-man, exponent, over)  # A minus sign would make a negative zero.


class _Turn:
    """Our own threads take turns with Arb's precision, so that each restores what it found.

    A child process starts with a lock of its own: the parent's may be held by a thread that did not follow.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self.renew)

    def renew(self) -> None:
        self.lock = threading.RLock()


_TURN: Final = _Turn()


@contextmanager
def _precision(bits: int) -> Iterator[_Known]:
    with _TURN.lock, ctx.workprec(bits):
        yield _Known(bits)
