"""Poisoning: what one crafted report can do to an estimate, and reports that no honest client sends.

Nobody can tell a crafted report from an honest one by its looks: every report that the mechanism can give is possible
for every answer. So whoever sends reports by hand, or again, moves the estimate. This file says by how much, and finds
the few reports that are beyond belief.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from discreet.errors import UnsupportedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.survey.questions import Mechanism

__all__ = ["influence", "influence_text", "plausible", "plausible_weights"]

_NEVER: Final = 1e-12
"""An honest report has an implausible weight with at most this probability."""


def influence(mechanism: Mechanism, /) -> Fraction:
    """Return by how many people one crafted report can move the estimated number of a choice, exactly.

    A report adds (1 - q)/(p - q) to the number of each choice that it supports, and takes q/(p - q) from every other.
    Randomized response supports one choice, a subset its size, and a bit vector as many as it likes.

    >>> from discreet import OptimizedUnary, RandomizedResponse
    >>> influence(RandomizedResponse(categories=("no", "yes"), prob="3/4"))
    Fraction(3, 2)
    >>> round(float(influence(RandomizedResponse.within(epsilon=1, categories=range(1000)))))
    582
    >>> round(float(influence(OptimizedUnary.within(epsilon=1, length=1000))), 1)
    3.2
    """
    p, q = mechanism.support
    if p == q:
        raise UnsupportedError("the mechanism says nothing about the answer, so nothing can be estimated")
    return max(1 - q, q) / (p - q)


def influence_text(people: Fraction, /) -> str:
    """Return a number of people with three significant digits, rounded up.

    >>> influence_text(Fraction(3, 2)), influence_text(Fraction("582.21")), influence_text(Fraction("1234.5"))
    ('1.50', '583', '1,240')
    """
    up = Context(prec=3, rounding=ROUND_CEILING)
    shown = up.divide(Decimal(people.numerator), Decimal(people.denominator))
    return f"{shown:,.{max(2 - shown.adjusted(), 0)}f}"


@lru_cache(maxsize=64)
def plausible_weights(length: int, p: float, q: float, least: int = 1, most: int = 1) -> tuple[int, int]:
    """Return the least and the greatest number of set bits that an honest report plausibly has.

    Of *length* bits, between *least* and *most* are set with probability p, and all others with probability q < p. An
    honest report is outside with a probability of at most 1e-12, whatever the answer.

    >>> plausible_weights(100, 0.5, 0.27)
    (1, 61)
    >>> plausible_weights(10, 0.5, 0.27)
    (0, 10)
    """
    return length - _greatest(length, 1 - p, 1 - q, least), _greatest(length, p, q, most)


def _greatest(length: int, p: float, q: float, ones: int) -> int:
    """Return the greatest weight that is reached with a probability of more than half of what is never."""
    from scipy.special import betainc

    heads = [math.comb(ones, i) * p**i * (1 - p) ** (ones - i) for i in range(ones + 1)]

    def reached(j: int) -> float:
        rest = length - ones
        return 1.0 if j <= 0 else 0.0 if j > rest else float(betainc(j, rest - j + 1, q))

    def never(weight: int) -> bool:
        return sum(mass * reached(weight - i) for i, mass in enumerate(heads)) <= _NEVER / 2

    return bisect_left(range(length + 1), True, key=never) - 1


def plausible(rows: NDArray[np.uint8], length: int, between: tuple[int, int]) -> NDArray[np.bool_]:
    """Return which rows of packed bits have a weight within two ends.

    >>> plausible(np.array([[255, 1], [0, 2]], np.uint8), 16, (0, 8)).tolist()
    [False, True]
    """
    low, high = between
    if low <= 0 and high >= length:
        return np.ones(len(rows), np.bool_)
    total = np.zeros(len(rows), np.int64)
    for column in rows.T:
        total += np.bitwise_count(column)
    return (low <= total) & (total <= high)
