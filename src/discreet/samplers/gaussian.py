"""The discrete Gaussian: Pr[z] proportional to exp(-z**2 / (2 variance)), one draw at a time and as arrays.

One draw is a discrete Laplace variable that is kept, or drawn anew. On the integers z**2 is a chord of the parabola and
twice a triangular number, so what decides is whether a geometric variable reaches an integer. Arrays are drawn by
`blocks`. Proof: samplers.md.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from discreet.coins import SYSTEM, Coins
from discreet.errors import ParameterError
from discreet.reals import ScaledLog, expm1
from discreet.samplers.blocks import Blocks
from discreet.samplers.many import fitted, kept
from discreet.samplers.one import WORD, bernoulli, floor_log, scaled_log
from discreet.samplers.tables import CELL

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["discrete_gaussian", "discrete_gaussian_many"]

_LARGEST: Final = 1 << 108
"""From this variance on, draws are Python ints."""
_QUICK: Final = 20
"""Scales below 2**20 have a quick logarithm."""
_WORTH_TABLES: Final = 2048
"""Building tables takes as long as two thousand single draws."""


def discrete_gaussian(variance: Fraction | int, coins: Coins = SYSTEM, *, word: int = WORD) -> int:
    """Return an integer z with probability proportional to exp(-z**2 / (2 variance)).

    The number of trials is random and says nothing of the draw that is kept.

    >>> discrete_gaussian(0), isinstance(discrete_gaussian(Fraction(10)), int)
    (0, True)
    """
    _check(variance)
    if not variance:
        return 0
    m, laplace, shift, geometric = _logarithms(variance.numerator, variance.denominator, word)
    while True:
        size, negative = floor_log(*laplace, coins, word)
        reach = (size - m) * (size - m - 1) // 2  # proof: chord
        high, low = reach >> shift, reach & (1 << shift) - 1
        top, _ = floor_log(*geometric, coins, word)
        if top > high or (top == high and _reaches(low, 1 << shift, variance, coins, word)):
            return -size if negative else size


def discrete_gaussian_many(
    variance: Fraction | int,
    n: int,
    coins: Coins = SYSTEM,
    *,
    private_size: bool = False,
    cell: int = CELL,
    word: int = WORD,
) -> NDArray[Any]:
    """Return *n* independent draws of z, with probability proportional to exp(-z**2 / (2 variance)).

    int64 where the variance is below 2**108, else Python ints; also Python ints if a draw does not fit. For tables and
    *private_size* see discrete_laplace_many.

    >>> discrete_gaussian_many(Fraction(10), 5).dtype, discrete_gaussian_many(10**40, 5).dtype
    (dtype('int64'), dtype('O'))
    """
    _check(variance)
    if not variance:
        return np.zeros(n, np.int64)
    law = (variance.numerator, variance.denominator)
    if variance < _LARGEST:
        build = private_size or n >= _WORTH_TABLES
        key = ("gaussian", *law, cell, word)
        blocks = kept(key, build, lambda: Blocks(Fraction(variance), cell=cell, word=word))
        if blocks is not None:
            return blocks.draw(n, coins)
    _logarithms(*law, word)  # Made now, because whether a draw follows may be private.
    return fitted([discrete_gaussian(variance, coins, word=word) for _ in range(n)], variance < _LARGEST)


def _check(variance: Fraction | int) -> None:
    if variance.numerator < 0:
        raise ParameterError("variance", variance, "variance >= 0")


def _reaches(low: int, size: int, variance: Fraction | int, coins: Coins, word: int) -> bool:
    """Return whether the lower digit of a geometric variable, one of *size* values, is at least *low*."""
    one = Fraction(1, variance)
    return not low or bernoulli(expm1((size - low) * one) / expm1(size * one), coins, word=word)  # proof: digit


@lru_cache(maxsize=4096)
def _logarithms(num: int, den: int, word: int) -> tuple[int, tuple[ScaledLog, int], int, tuple[ScaledLog, int]]:
    """Return m, the logarithm of the Laplace variable, and the lower bits and the logarithm of the geometric one."""
    m = isqrt((num - 1) // den)
    shift = max((num // den).bit_length() - _QUICK, 0)
    scale, top = Fraction(2 * num, den * (2 * m + 1)), Fraction(num, den << shift)
    laplace = scaled_log(scale.numerator, scale.denominator, True, word)
    return m, laplace, shift, scaled_log(top.numerator, top.denominator, False, word)
