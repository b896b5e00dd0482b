"""In which order several quantiles are chosen, each between those that were chosen before it, and what that loses.

Theorem.  A person who is added between the bounds of a choice at q moves it by max(2 q, 2 - 2 q) ranks; at the upper
bound or beyond, by 2 q; at the lower one or beyond, by 2 - 2 q. `moved` is the most by which a person moves all choices
together, whatever is chosen.
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
    ['1', '8/3', '3', '9']
    """
    if not at:
        return Fraction(0)
    order, middle = sorted(at), len(at) // 2
    q, left, right = order[middle], order[:middle], order[middle + 1 :]
    upper, lower = 2 * sum(left), 2 * sum(1 - q for q in right)  # proof: bounded
    return max(2 * q, 2 - 2 * q) + max(moved(left) + lower, upper + moved(right))  # proof: moved
