"""In which order several quantiles are chosen, each between those that were chosen before it, and what that loses.

Theorem.  A person who is added between the bounds of a choice at q, and above its rank, moves it by max(1, 2 q) ranks;
below its rank, by max(1, 2 - 2 q); at the upper bound or beyond, by 2 q; at the lower one or beyond, by 2 - 2 q. Who is
above a rank is above all lower ones. `moved` is the most by which a person moves all choices together.
Proof: quantiles.md, which cites the marked lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

__all__ = ["Turn", "moved", "turns"]


class Turn(NamedTuple):
    """The quantile whose turn it is, and the ones whose bins bound it, if there are any: all by their places."""

    which: int
    lower: int | None
    upper: int | None


def turns(at: Sequence[Fraction]) -> Iterator[Turn]:
    """Give the quantiles, the middle one first, then those on either side of it, in the same way.

    >>> [tuple(turn) for turn in turns([Fraction(3, 4), Fraction(1, 4), Fraction(1, 2)])]
    [(2, None, None), (1, None, 2), (0, 2, None)]
    """
    order = sorted(range(len(at)), key=lambda i: at[i])

    def between(first: int, last: int) -> Iterator[Turn]:
        if first < last:
            middle = (first + last) // 2
            lower, upper = first - 1, last
            yield Turn(order[middle], order[lower] if lower >= 0 else None, order[upper] if upper < len(at) else None)
            yield from between(first, middle)
            yield from between(middle + 1, last)

    return between(0, len(at))


def moved(at: Sequence[Fraction]) -> Fraction:
    """Return by how many ranks one person moves all choices together, at most.

    >>> [str(moved([Fraction(i, many) for i in range(1, many)])) for many in (2, 3, 4, 10)]
    ['1', '7/3', '3', '9']
    """
    return _moved(sorted(at)).most


class _Moved(NamedTuple):
    """By how much a person moves some choices who is above all their ranks, below all of them, or anywhere."""

    above: Fraction = Fraction(0)
    below: Fraction = Fraction(0)
    most: Fraction = Fraction(0)


def _moved(at: list[Fraction]) -> _Moved:
    if not at:
        return _Moved()
    middle = len(at) // 2
    left, right = _moved(at[:middle]), _moved(at[middle + 1 :])
    upper, lower = 2 * sum(at[:middle]), 2 * sum(1 - q for q in at[middle + 1 :])  # proof: bounded
    above, below = _inside(at[middle])
    return _Moved(
        above + max(left.above + lower, upper + right.above),
        below + max(left.below + lower, upper + right.below),
        max(above + max(left.above + lower, upper + right.most), below + max(left.most + lower, upper + right.below)),
    )  # proof: moved


def _inside(q: Fraction) -> tuple[Fraction, Fraction]:
    """Return by how many ranks a choice is moved by a person above its rank, and below it, between its bounds."""
    if not 0 < q < 1:
        return Fraction(2), Fraction(2)  # Its rank is not q n, and may be on any side of the others.
    return max(2 * q, Fraction(1)), max(2 - 2 * q, Fraction(1))  # proof: sides
