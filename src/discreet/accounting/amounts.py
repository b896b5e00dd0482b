"""Amounts: what a budget has, and what a charge takes from it."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple, final

from discreet.errors import show
from discreet.exact import written

__all__ = ["Amount"]

_MOST_BITS = 250  # Longer numbers are not printed in full.


@final
class Amount(NamedTuple):
    """An exact amount of privacy loss. It is a pair, so that ``mechanism.require(d_in, book.left)`` can be asked.

    >>> Amount(Fraction(1), Fraction(1, 10**6))
    Amount(epsilon=Fraction(1, 1), delta=Fraction(1, 1000000))
    """

    epsilon: Fraction
    delta: Fraction

    def __repr__(self) -> str:
        epsilon, delta = (repr(x) if _short(x) else show(x) for x in self)
        return f"Amount(epsilon={epsilon}, delta={delta})"

    def plus(self, other: Amount) -> Amount:
        """Return the sum, part by part.

        >>> Amount(Fraction(1), Fraction(0)).plus(Amount(Fraction(2), Fraction(1, 4)))
        Amount(epsilon=Fraction(3, 1), delta=Fraction(1, 4))
        """
        return Amount(self.epsilon + other.epsilon, self.delta + other.delta)

    def minus(self, other: Amount) -> Amount:
        """Return the difference, part by part.

        >>> Amount(Fraction(3), Fraction(1, 4)).minus(Amount(Fraction(2), Fraction(0)))
        Amount(epsilon=Fraction(1, 1), delta=Fraction(1, 4))
        """
        return Amount(self.epsilon - other.epsilon, self.delta - other.delta)

    def within(self, other: Amount) -> bool:
        """Whether both parts are at most the other's; ``<=`` would compare them like words in a dictionary.

        >>> Amount(Fraction(1), Fraction(1, 4)).within(Amount(Fraction(2), Fraction(0)))
        False
        """
        return self.epsilon <= other.epsilon and self.delta <= other.delta

    def text(self, *, up: bool) -> str:
        """Write the amount as a user would, rounded up or down where it is long.

        >>> Amount(Fraction(3), Fraction("1e-5")).text(up=True)
        'epsilon=3, delta=1e-5'
        """
        return f"epsilon={written(self.epsilon, up=up)}, delta={written(self.delta, up=up)}"


def _short(x: Fraction) -> bool:
    return max(x.numerator.bit_length(), x.denominator.bit_length()) <= _MOST_BITS
