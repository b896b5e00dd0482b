"""The discrete Gaussian, one draw at a time and as arrays: Pr[z] proportional to exp(-z**2 / (2 variance)).

A discrete Laplace variable is kept or drawn anew. On the integers the parabola z**2 lies above its chord through m and
m + 1, and twice a triangular number is the gap: so the probability to keep z is that of a geometric variable
to reach an integer, and both variables are floors of a logarithm. Proof: samplers.md.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from discreet.coins import SYSTEM, Coins
from discreet.errors import ParameterError
from discreet.reals import ScaledLog
from discreet.samplers.many import fitted
from discreet.samplers.one import WORD, floor_log, scaled_log
from discreet.samplers.tables import CELL

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["discrete_gaussian", "discrete_gaussian_many"]

_LARGEST: Final = 1 << 108
"""From this variance on, draws are Python ints."""


def discrete_gaussian(variance: Fraction | int, coins: Coins = SYSTEM, *, word: int = WORD) -> int:
    """Return an integer z with probability proportional to exp(-z**2 / (2 variance)).

    How often a draw is made anew says nothing of the draw that is kept.

    >>> discrete_gaussian(0), isinstance(discrete_gaussian(Fraction(10)), int)
    (0, True)
    """
    _check(variance)
    if not variance:
        return 0
    m, laplace, geometric = _rejection(variance.numerator, variance.denominator, word)
    while True:
        size, negative = floor_log(*laplace, coins, word)
        if floor_log(*geometric, coins, word)[0] >= (size - m) * (size - m - 1) // 2:  # proof: chord
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

    int64 where the variance is below 2**108, else Python ints; also Python ints if a draw does not fit.

    >>> discrete_gaussian_many(Fraction(10), 5).dtype, discrete_gaussian_many(10**40, 5).dtype
    (dtype('int64'), dtype('O'))
    """
    _check(variance)
    if not variance:
        return np.zeros(n, np.int64)
    # Made now, because whether a draw follows may be private.
    _rejection(variance.numerator, variance.denominator, word)
    return fitted([discrete_gaussian(variance, coins, word=word) for _ in range(n)], variance < _LARGEST)


def _check(variance: Fraction | int) -> None:
    if variance.numerator < 0:
        raise ParameterError("variance", variance, "variance >= 0")


@lru_cache(maxsize=4096)
def _rejection(num: int, den: int, word: int) -> tuple[int, tuple[ScaledLog, int], tuple[ScaledLog, int]]:
    """Return m, near the standard deviation, and the logarithms of the two variables."""
    m = isqrt(num // den)
    scale = Fraction(2 * num, den * (2 * m + 1))
    return m, scaled_log(scale.numerator, scale.denominator, True, word), scaled_log(num, den, False, word)
