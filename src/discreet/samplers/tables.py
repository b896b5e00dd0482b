"""Tables: any finite law as one array lookup, exact to the last unit of probability.

Cut [0, 1) into 2**cell cells. Outcome i owns floor(2**cell p_i) whole cells; what is left of each p_i is
laid end to end over the remaining cells. So the outcome is a function of U that takes each value i on a
set of measure exactly p_i, and the first `cell` bits of U nearly always settle it. Otherwise U is compared
with the ends of the leftovers, word by word, by the one lemma. Proof: samplers.md.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from discreet.coins import Coins, fields
from discreet.reals import Number, enclose_bits

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CELL", "CHUNK", "NOWHERE", "Table"]

CELL: Final = 16
CHUNK: Final = 1 << 15
"""Draws made at a time, so that tables and words stay in the processor's cache."""
_GUARD: Final = 32
NOWHERE: Final = np.empty(0, np.intp)


class Table:
    """The law that gives values[i] the probability law[i], ready to be drawn from in bulk.

    The probabilities are Fractions or Reals, not negative, and sum to exactly 1. *cell* and *word* are the numbers of
    bits of U looked at first and next. The last *reported* outcomes own no cell: `fill` tells all of their places.

    >>> from fractions import Fraction
    >>> from discreet.coins import SYSTEM
    >>> table = Table([Fraction(1, 3), Fraction(2, 3)], [7, 9])
    >>> set(table.draw(1000, SYSTEM).tolist()) <= {7, 9}
    True
    """

    def __init__(
        self, law: Sequence[Number], values: Sequence[int], *, reported: int = 0, cell: int = CELL, word: int = 64
    ) -> None:
        self._law = law
        self._cell = cell
        self._word = word
        self._values = np.array(values, np.int64)
        # Any number of whole cells that is at most 2**cell p_i will do; the rest is left over.
        fine = word + _GUARD
        bounds = enclose_bits(law, fine)
        self._whole = [max(low, 0) >> (fine - cell) for low, _ in bounds]
        self._whole[len(law) - reported :] = [0] * reported  # proof: reported
        self._settled = sum(self._whole)
        self._cells = np.zeros(1 << cell, np.int64)
        self._cells[: self._settled] = np.repeat(self._values, self._whole)
        lows, highs = self._ends(bounds, word)
        kind = f"u{word >> 3}"
        # An end may be 1, which no prefix reaches; 2**word is not a word.
        self._lows = np.array([low for low in lows if low >> word == 0], kind)
        self._under_highs = np.array([high - 1 for high in highs], kind)

    def draw(self, n: int, coins: Coins) -> NDArray[np.int64]:
        """Return *n* independent values."""
        values = np.empty(n, np.int64)
        for start in range(0, n, CHUNK):
            self.fill(values[start : start + CHUNK], coins)
        return values

    def fill(self, out: NDArray[np.int64], coins: Coins) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Fill *out* with independent values; return the places that a cell left open, and their outcomes."""
        cells = fields(coins, out.size, self._cell)
        np.take(self._cells, cells, out=out, mode="wrap")
        if self._settled == 1 << self._cell:
            return NOWHERE, NOWHERE
        places = np.flatnonzero(cells >= self._settled)
        outcomes = self._settle(cells[places], coins)
        out[places] = self._values[outcomes]
        return places, outcomes

    def _settle(self, cells: NDArray[np.unsignedinteger[Any]], coins: Coins) -> NDArray[np.intp]:
        """Return the outcomes of draws that their cell leaves open."""
        words = fields(coins, cells.size, self._word)
        prefixes = cells.astype(words.dtype) << words.dtype.type(self._word - self._cell)
        prefixes |= words >> words.dtype.type(self._cell)
        outcomes: NDArray[np.intp] = np.searchsorted(self._lows, prefixes, side="right")
        ties = outcomes != np.searchsorted(self._under_highs, prefixes, side="left")
        for i in np.flatnonzero(ties):
            outcomes[i] = self._compare(int(prefixes[i]), coins)
        return outcomes

    def _compare(self, prefix: int, coins: Coins) -> int:
        """Return how many of the ends are at most U, given its first word."""
        bits = self._word
        while True:
            prefix, bits = prefix << self._word | coins.bits(self._word), bits + self._word
            lows, highs = self._ends(enclose_bits(self._law, bits + _GUARD), bits)
            outcome = bisect_right(lows, prefix)
            if outcome == bisect_right(highs, prefix):
                return outcome

    def _ends(self, bounds: list[tuple[int, int]], bits: int) -> tuple[list[int], list[int]]:
        """Return integers below and above 2**bits times the end of each leftover but the last."""
        shift = bits + _GUARD - self._cell
        lows, highs = (
            list(accumulate(self._left(side, shift), initial=self._settled << shift))[1:-1]
            for side in zip(*bounds, strict=True)
        )
        one = 1 << bits
        return [low >> _GUARD for low in lows], [min(-(-high >> _GUARD), one) for high in highs]

    def _left(self, bounds: Iterable[int], shift: int) -> Iterator[int]:
        return (max(p - (whole << shift), 0) for p, whole in zip(bounds, self._whole, strict=True))
