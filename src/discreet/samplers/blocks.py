"""Blocks: the discrete Gaussian in bulk, by rejection from steps close above its curve.

Cut the magnitudes into blocks of 2**k. Over a block the curve exp(-x**2 / (2 variance)) lies between two steps, its
values at the two ends. A point is drawn under the upper steps, by one lookup for its block and k + 1 fair bits for its
place and sign. Under the lower step it is kept: 99 in 100 are. The others are compared with the curve, that is with
its chord and, where they lie near that, exactly; what is not kept is drawn anew. Proof: samplers.md.
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from discreet.coins import Coins, fields
from discreet.reals import Number, enclose_bits, exp, expm1
from discreet.samplers.many import patched
from discreet.samplers.one import WORD, below_real, bernoulli, floor_log, scaled_log
from discreet.samplers.tables import CELL, CHUNK, NOWHERE, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Blocks"]

_FINE: Final = 64
"""A standard deviation is at least as many blocks, unless a block is one integer."""
_SPAN: Final = 5
"""The standard deviations that blocks cover: a draw lies beyond with probability 2**-20."""
_SPARE: Final = 3
"""Bits of a word that the comparison with a chord leaves out, so that it fits 64-bit integers."""


class Blocks:
    """The tables of a discrete Gaussian law of a positive variance; heights are counted in units of 2**-word.

    Outcome i of the table is block i below its lower step, outcome i + n is the same block above it, and the last is
    beyond all blocks.
    """

    def __init__(self, variance: Fraction, *, cell: int = CELL, word: int = WORD) -> None:
        self._rate, self._word = -1 / (2 * variance), word
        root = isqrt(int(variance)) + 1
        self._bits = k = min(max((root // _FINE).bit_length() - 1, 0), word - _SPARE)
        self._end = -(-_SPAN * root >> k) << k
        grid = range(0, self._end + 1, 1 << k)
        bounds = enclose_bits([self._curve(x) for x in grid], word)
        at = {x: (max(low, 0), high) for x, (low, high) in zip(grid, bounds, strict=True)}
        if k:  # A block is an interval of magnitudes, with both signs.
            values, points = list(grid[:-1]), 2 << k
            ends = [(near, near + (1 << k)) for near in values]
        else:  # A block is one integer.
            values, points = [x ^ -side for x in grid[:-1] for side in (0, 1)], 1
            ends = [(abs(z), abs(z)) for z in values]
        self._low = [at[far][0] for _, far in ends]  # proof: steps
        self._gap = [at[near][1] - at[far][0] for near, far in ends]
        # Beyond the blocks, the curve lies below a geometric law's.
        scale = 2 * variance / (2 * self._end + 1)
        self._log = scaled_log(scale.numerator, scale.denominator, False, word)
        self._series = -1 / expm1(-1 / scale)
        [(_, self._rest)] = enclose_bits([self._curve(self._end) * self._series], word)
        weights = [*(points * low for low in self._low), *(points * gap for gap in self._gap), 2 * self._rest]
        whole = sum(weights)
        law = [Fraction(weight, whole) for weight in weights]
        self._table = Table(law, [*values, *values, 0], reported=len(values) + 1, cell=cell, word=word)
        one = 1 << word - _SPARE
        slacks = [_slacks(variance, near, far, at[near], at[far], one) for near, far in ends]
        self._near = np.array([*(near for near, _ in ends), 0])
        self._below, self._above = np.array([*slacks, (one, one)]).T

    def draw(self, n: int, coins: Coins) -> NDArray[Any]:
        """Return *n* independent draws."""
        out = np.empty(n, np.int64)
        large: dict[int, int] = {}
        places, blocks = self._fill(out, coins)
        while places.size:
            again = places[~self._keep(out, places, blocks, large, coins)]
            anew = np.empty(again.size, np.int64)
            places, blocks = self._fill(anew, coins)
            out[again] = anew
            places = again[places]
        return patched(out, large)

    def _fill(self, out: NDArray[np.int64], coins: Coins) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Fill *out* with points under the upper steps; return the places and the blocks of those above the lower."""
        width, count = max(8, 1 << self._bits.bit_length()), len(self._low)
        found = [(NOWHERE, NOWHERE)]
        for start in range(0, out.size, CHUNK):
            part = out[start : start + CHUNK]
            places, outcomes = self._table.fill(part, coins)
            if self._bits:
                part ^= fields(coins, part.size, width).view(f"i{width >> 3}") >> width - 1 - self._bits  # proof: place
            above = outcomes >= count
            found.append((places[above] + start, outcomes[above] - count))
        all_places, blocks = map(np.concatenate, zip(*found, strict=True))
        return all_places, blocks

    def _keep(
        self,
        out: NDArray[np.int64],
        places: NDArray[np.intp],
        blocks: NDArray[np.intp],
        large: dict[int, int],
        coins: Coins,
    ) -> NDArray[np.bool_]:
        """Return which points above a lower step are under the curve; write those beyond the blocks to *large*."""
        words = fields(coins, places.size, self._word)
        height = (words >> words.dtype.type(_SPARE)).astype(np.int64)
        left = (1 << self._bits) - (np.abs(out[places]) - self._near[blocks])
        chord = left << self._word - _SPARE - self._bits
        under: NDArray[np.bool_] = height < chord - self._below[blocks]  # proof: under
        for i in np.flatnonzero(~under & (height < chord + self._above[blocks])).tolist():  # proof: over
            place, b = int(places[i]), int(blocks[i])
            if b < len(self._low):
                share = (self._curve(int(out[place])) * (1 << self._word) - self._low[b]) / self._gap[b]
                under[i] = below_real(share, int(words[i]), self._word, coins, self._word)
            elif (z := self._beyond(coins)) is not None:
                under[i], large[place] = True, z
        return under

    def _beyond(self, coins: Coins) -> int | None:
        """Return a draw from beyond the blocks, unless it is to be drawn anew."""
        excess, side = floor_log(*self._log, coins, self._word)
        x = self._end + excess
        ratio = exp(self._rate * ((x + side) ** 2 - excess * (2 * self._end + 1))) * self._series
        kept = bernoulli(ratio * Fraction(1 << self._word, self._rest), coins, word=self._word)  # proof: beyond
        return x ^ -side if kept else None

    def _curve(self, x: int) -> Number:
        return exp(self._rate * (x * x))


def _slacks(
    variance: Fraction, near: int, far: int, at_near: tuple[int, int], at_far: tuple[int, int], one: int
) -> list[int]:
    """Return how far the curve may lie below and above a block's chord, if *one* is the gap between its steps."""
    num, den = variance.numerator, variance.denominator
    gap, rounding = at_near[1] - at_far[0], max(high - low for low, high in (at_near, at_far))
    curvature = max(abs(x * x * den - num) for x in (near, far)) * den * at_near[1]
    bend = -(-((far - near) ** 2) * curvature // (8 * num * num))  # proof: bend
    sides = (bend if far * far * den > num else 0, bend if near * near * den < num else 0)  # proof: convex
    return [min(-(-one * (rounding + side) // gap), one) if gap else one for side in sides]
