"""Where a line of bins is cut at a rank: Laplace noise on the odds of the cuts, which count the bins on both sides.

Theorem.  Between bins 0, 1, .. there are cuts 0, 1, ..; F_k is how far the people below cut k are beyond a rank. The
odds u_i are the sum of exp(F_k / s) over k <= i, over that of exp(-F_k / s) over k >= i, and Pr[J <= i] is
Pr[Z <= ln u_i] for a Laplace variable Z of scale 1. Whoever moves the F_k above some bin by g, and those below it by
-d, changes no probability of bin J by more than a factor of exp(2 max(g, d) / s), whatever the F_k are.
Proof: quantiles.md, which cites the marked lines.
"""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from discreet.coins import Coins, fields
from discreet.reals import Number, exp, float_down, maximum, total
from discreet.samplers.one import WORD, rank_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Cuts"]

_REACH: Final = 300
"""Odds of exp(150) to 1 need no coin; sums of powers up to exp(300) are floats, with room."""
_LEAST: Final = 2.0**-450
"""What stands for powers that are less than exp(-300), and may be no floats."""
_SLACK: Final = 1 + 2.0**-30
"""Far more than sums of a hundred thousand floats may be off."""
_DIGIT: Final = 8
_BITS: Final = WORD - 1


class Cuts(NamedTuple):
    """The cuts of several groups: their *ranks*, and of each group the bins between which it is cut.

    >>> from discreet.coins import SYSTEM
    >>> cuts = Cuts.all(np.array([[-900, -700, 800, 900]]))                # Four cuts between five bins.
    >>> cuts.draw(Fraction(2), SYSTEM).tolist()
    [2]
    """

    ranks: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    @classmethod
    def all(cls, ranks: NDArray[np.int64]) -> Cuts:
        """Return cuts between all bins."""
        groups, many = ranks.shape
        return cls(ranks, np.zeros(groups, np.int64), np.full(groups, many, np.int64))

    def draw(self, scale: Fraction, coins: Coins) -> NDArray[np.int64]:
        """Draw a bin for each group.

        Of a word, one bit says on which side the noise is, and the others are the first of a uniform V: the noise is
        ln V or -ln V. The number of cuts with odds below it is where the bin is.
        """
        number = np.arange(self.ranks.shape[1])
        inside = (number >= self.first[:, None]) & (number < self.last[:, None])  # proof: inside
        up = _powers(self.ranks, scale)
        below = np.cumsum(up * inside, axis=1)  # proof: below
        above = np.cumsum((inside / up)[:, ::-1], axis=1)[:, ::-1]  # proof: above
        words = fields(coins, len(self.ranks), WORD)
        positive, prefixes = (words & np.uint64(1)).astype(np.bool_), words >> np.uint64(1)
        less, more = np.where(positive[:, None], (above, below), (below, above))
        least = np.ldexp(prefixes.astype(np.float64), -_BITS)[:, None]
        most = np.ldexp((prefixes + np.uint64(1)).astype(np.float64), -_BITS)[:, None]
        beyond = inside & (less * _SLACK < least * more)  # proof: sure
        left = inside & ~beyond & (less <= _SLACK * most * more)
        many = beyond.sum(axis=1)
        for i in np.flatnonzero(left.any(axis=1)).tolist():
            odds = self._odds(i, np.flatnonzero(left[i]), scale)
            odds = [1 / each for each in odds] if positive[i] else odds
            many[i] += rank_of(odds, int(prefixes[i]), _BITS, coins)  # proof: settle
        return np.asarray(np.where(positive, self.last - many, self.first + many), np.int64)  # proof: side

    def _odds(self, group: int, which: NDArray[np.intp], scale: Fraction) -> list[Number]:
        """Return the odds of some cuts of a group that are between its bounds."""
        first, last = int(self.first[group]), int(self.last[group])
        ranks = self.ranks[group, first:last].tolist()
        up, down = [exp(rank / scale) for rank in ranks], [exp(-rank / scale) for rank in ranks]
        return [total(up[: i + 1]) / total(down[i:]) for i in (which - first).tolist()]

    def law(self, group: int, scale: Fraction) -> dict[int, Number]:
        """Return the probability of each bin between the bounds of a group.

        >>> Cuts.all(np.array([[0]])).law(0, Fraction(1))
        {0: Fraction(1, 2), 1: Fraction(1, 2)}
        """
        first = int(self.first[group])
        odds = self._odds(group, np.arange(first, self.last[group]), scale)
        steps = [Fraction(0), *(_at_most(each) for each in odds), Fraction(1)]
        return {first + i: b - a for i, (a, b) in enumerate(pairwise(steps))}


def _at_most(odds: Number) -> Number:
    """Return the probability that a Laplace variable of scale 1 is at most the logarithm of the odds."""
    return (1 + maximum(Fraction(-1), -1 / odds) - maximum(Fraction(-1), -odds)) / 2  # proof: most


def _powers(ranks: NDArray[np.int64], scale: Fraction) -> NDArray[np.float64]:
    """Return exp(F / s), close to the truth from exp(-300) to exp(300), and beyond that beyond it."""
    most, digits = _digits(scale)
    far = np.minimum(np.abs(ranks), most)
    falling = digits[0][far & (1 << _DIGIT) - 1]
    for i, digit in enumerate(digits[1:], 1):
        falling *= digit[far >> _DIGIT * i & (1 << _DIGIT) - 1]
    return np.asarray(np.where(ranks > 0, 1 / falling, falling), np.float64)  # proof: powers


@lru_cache(maxsize=64)
def _digits(scale: Fraction) -> tuple[int, list[NDArray[np.float64]]]:
    """Return the first distance that is farther than 300 times the scale, and exp(-k / s) for its digits, by place."""
    most = min(int(_REACH * scale) + 1, 1 << 62)
    places = range(0, most.bit_length(), _DIGIT)
    tables = [
        [exp(-(k << place) / scale) for k in range(min(most >> place, (1 << _DIGIT) - 1) + 1)] for place in places
    ]
    return most, [np.array([max(float_down(each), _LEAST) for each in table]) for table in tables]
