"""The discrete Laplace sampler of Canonne, Kamath and Steinke (2020), as the seed documents name it.

It needs rationals and uniform integers only, so it shares nothing with the logarithm of `one` or the tables of
`many` but `below`: it is the reference that they are tested against. It is slower, and its running time
depends on the value drawn.
"""

from __future__ import annotations

from fractions import Fraction

from discreet.coins import SYSTEM, Coins
from discreet.samplers.one import below, check_scale

__all__ = ["bernoulli_exp", "discrete_laplace_cks20"]


def bernoulli_exp(x: Fraction, coins: Coins = SYSTEM) -> bool:
    """Return True with probability exp(-x), for x >= 0 (their Algorithm 1).

    >>> bernoulli_exp(Fraction(0))
    True
    """
    while x > 1:
        if not _bernoulli_exp_unit(Fraction(1), coins):
            return False
        x -= 1
    return _bernoulli_exp_unit(x, coins)


def discrete_laplace_cks20(scale: Fraction | int, coins: Coins = SYSTEM) -> int:
    """Return z with probability proportional to exp(-|z| / scale) (their Algorithm 2).

    >>> discrete_laplace_cks20(0), isinstance(discrete_laplace_cks20(Fraction(10)), int)
    (0, True)
    """
    check_scale(scale)
    if not scale:
        return 0
    s, t = scale.denominator, scale.numerator
    while True:
        u = below(t, coins)
        if not bernoulli_exp(Fraction(u, t), coins):
            continue
        v = 0
        while bernoulli_exp(Fraction(1), coins):
            v += 1
        size, negative = (u + t * v) // s, coins.bits(1)
        if size or not negative:  # A negative zero would count zero twice.
            return -size if negative else size


def _bernoulli_exp_unit(x: Fraction, coins: Coins) -> bool:
    """Return True with probability exp(-x), for 0 <= x <= 1: the parity of a run of successes."""
    k = 1
    while below(x.denominator * k, coins) < x.numerator:  # Bernoulli(x / k)
        k += 1
    return k % 2 == 1
