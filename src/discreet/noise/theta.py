"""Gaussian sums over the integers, enclosed: the tail of exp(-z^2 / 2v), and that of a sum of independent draws.

The functions that return balls are for Reals, which evaluate them at a precision of their choice: the more bits Arb is
set to, the tighter the ball. A sum is added up term by term where that is quick, and else by Euler and Maclaurin.
Proof: theta.md, which cites the marked lines.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Final

from flint import arb, ctx, fmpq, fmpz, fmpz_poly

__all__ = ["ball", "second_moment", "sum_above"]

_CRAMER: Final = fmpq(109, 100)
_GUARD: Final = 20


def ball(x: Fraction | int) -> arb:
    """Return a rational as a ball."""
    return arb(fmpq(x.numerator, x.denominator))


def sum_above(v: Fraction, n: int, k: int) -> arb:
    """Return Pr[Y >= k] for the sum Y of n >= 1 independent draws Z, where Pr[Z = z] is proportional to exp(-z^2 / 2v).

    >>> 0.300528 < sum_above(Fraction(1), 1, 1) < 0.300529, 8.03e-9 < sum_above(Fraction(100), 50, 400) < 8.04e-9
    (True, True)
    """
    return _sum_above(v, n, k, ctx.prec)


@lru_cache(maxsize=1 << 12)  # An audit asks for the same few tails once for every answer.
def _sum_above(v: Fraction, n: int, k: int, bits: int) -> arb:
    if k <= 0:
        return 1 - _sum_above(v, n, 1 - k, bits)  # proof: sides
    if n > 1 and 14 * v < ctx.prec + 2 * n.bit_length():
        return _convolved(v, n, k)
    beside = (n * (2 * _added(arb.pi() ** 2 * ball(v), 1)).log1p()).expm1() if n > 1 else arb(0)  # proof: beside
    return _above(n * v, k) / _all(n * v) * arb(1, beside) / arb(1, beside)  # proof: nearly


def second_moment(v: Fraction) -> arb:
    """Return the expectation of Z squared: a little less than v, unless v is small.

    >>> 0.9999997 < second_moment(Fraction(1)) < 1, 3.8e-22 < second_moment(Fraction(1, 100)) < 3.9e-22
    (True, True)
    """
    if v < 1:
        return 2 * _added(1 / (2 * ball(v)), 1, power=2) / _all(v)
    h = 2 * arb.pi() ** 2 * ball(v)
    return ball(v) * (1 - 4 * h * _added(h, 1, power=2) / (1 + 2 * _added(h, 1)))  # proof: moment


def _all(v: Fraction) -> arb:
    """Return the sum over all integers."""
    if v < 1:
        return 1 + 2 * _added(1 / (2 * ball(v)), 1)
    return (2 * arb.pi() * ball(v)).sqrt() * (1 + 2 * _added(2 * arb.pi() ** 2 * ball(v), 1))  # proof: poisson


def _above(v: Fraction, k: int) -> arb:
    """Return the sum over z >= k, for k >= 1."""
    far = k * k >= 2 * ctx.prec * v
    bits = ctx.prec + _GUARD + (0 if far else int(k * k / v * 3 / 8))
    if k >= v or 8 * v < bits:
        return _added(1 / (2 * ball(v)), k)
    with ctx.workprec(bits + _GUARD):
        return _euler_maclaurin(v, k, _order(v, k, bits, far=far))


def _added(h: arb, k: int, power: int = 0) -> arb:
    """Return the sum of z^power exp(-h z^2) over z >= k, for k >= 1, term by term."""
    first = (-h * k * k).exp() * k**power
    total, term, z = arb(1), arb(1), k
    step, steps = (-h * (2 * k + 1)).exp(), (-2 * h).exp()
    least = arb(2) ** (-ctx.prec - 2)
    while True:
        ratio = step * (arb(z + 1) / z) ** power
        rest = term * ratio / (1 - ratio)
        if not rest > least:  # proof: rest
            return arb(first * (total + arb(0, rest)))
        term, step, z = term * ratio, step * steps, z + 1
        total += term


def _order(v: Fraction, k: int, bits: int, *, far: bool) -> int:
    """Return about how many derivatives make the remainder small: how many there are does not decide what is right."""
    log = v.numerator.bit_length() - v.denominator.bit_length() - 1
    step = 2.65 + (log - k.bit_length() if far else log / 2)  # So many bits does each of them gain, at first.
    m = 2
    while m < bits and m * (step if far else step - m.bit_length() / 2 + 0.7) < bits:
        m += 2
    return m


def _euler_maclaurin(v: Fraction, k: int, m: int) -> arb:
    """Return the sum over z >= k from the integral and m derivatives, m even."""
    over, slope = 1 / ball(v), k / ball(v)
    before, here, series = arb(1), slope, arb(fmpq(1, 2))
    for i in range(1, m, 2):
        series += arb(fmpq.bernoulli(i + 1)) / arb.fac_ui(i + 1) * here  # proof: series
        before, here = here, slope * here - i * over * before
        before, here = here, slope * here - (i + 1) * over * before  # proof: hermite
    first, root = (-k * slope / 2).exp(), ball(v).sqrt()
    if k * k >= 2 * m * v:
        rest = 8 * first / slope * (slope / (2 * arb.pi())) ** m * (m * m / (2 * k * slope)).exp()  # proof: far
    else:
        size = arb.fac_ui(m).sqrt() / (2 * arb.pi() * root) ** m
        rest = 4 * _CRAMER * size * arb.pi().sqrt() * root * (k / (2 * root)).erfc()  # proof: cramer
    integral = (arb.pi() / 2).sqrt() * root * (k / (arb(2).sqrt() * root)).erfc()
    return integral + first * series + arb(0, rest)  # proof: maclaurin


def _convolved(v: Fraction, n: int, k: int) -> arb:
    """Return Pr[Y >= k] from the law of Y in integers, rounded down: what that loses in all is known.

    By a shift of all draws a far tail is one near the middle, in which each value weighs less than the one before.
    """
    m, near = divmod(k + n // 2, n)
    near -= n // 2
    smaller = int(near * near / (n * v) * 3 / 4)
    bits = -(-(ctx.prec + _GUARD + 2 * n.bit_length() + smaller) // 64) * 64
    law, weight, kept = _law(v, n, bits), (-m / ball(v)).exp(), arb(0)
    start, lost = len(law) // 2 + near, (1 << bits) - sum(law)
    for mass in reversed(law[max(start, 0) :]) if m else [sum(law[start:])]:
        kept = mass + weight * kept  # proof: weights
    kept *= weight ** max(-start, 0)
    middle = (kept + arb(fmpq(lost, 2), arb(fmpq(lost, 2)))) / arb(2) ** bits  # proof: lost
    return (-(n * m * m + 2 * m * near) / (2 * ball(v))).exp() * middle  # proof: shift


@lru_cache(maxsize=16)
def _law(v: Fraction, n: int, bits: int) -> list[fmpz]:
    """Return at most 2^bits Pr[Y = y] for each y around 0 that is likely enough, in integers."""
    if n > 1:
        left, right = _law(v, n // 2, bits), _law(v, n - n // 2, bits)
        masses = [mass >> bits for mass in (fmpz_poly(left) * fmpz_poly(right)).coeffs()]  # proof: floor
    else:
        with ctx.workprec(bits + _GUARD):
            each, h = arb(2) ** bits / _all(v), 1 / (2 * ball(v))
            reach = math.isqrt(int(2 * v * bits)) + 1
            side = [
                (each * (-h * z * z).exp()).lower().floor().unique_fmpz() or fmpz(0) for z in range(reach + 1)
            ]  # proof: mass
        masses = [*side[:0:-1], *side]
    first = next(i for i, mass in enumerate(masses) if mass > 0)
    return masses[first : len(masses) - first]  # proof: window
