"""Reports that are sets of choices, all of one size."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.domains import Categories
from discreet.mechanisms import SubsetSelection
from discreet.reals import exp, expm1, float_up
from discreet.survey.misfit import Misfit, misfit_of_counts
from discreet.survey.oracles.base import Width
from discreet.survey.oracles.bits import Bits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.coins import Coins

__all__ = ["Subsets"]


class Subsets(Bits[SubsetSelection], of=SubsetSelection):
    """A report supports the choices of its set."""

    payload = f"{Bits.payload}; as many bits are set as a subset has choices"

    @classmethod
    def given(cls, choices: Categories, /) -> dict[str, Any]:
        """Return the choices themselves."""
        return {"categories": choices}

    def needed(self, choices: Categories, /) -> str:
        """Return that the choices are to be the same, and in the same order."""
        return "" if self.mechanism.categories == choices else "the mechanism's categories to be the question's"

    @classmethod
    def chooser(cls, choices: Categories, epsilon: Fraction) -> Callable[[Width | None], SubsetSelection]:
        """Return what finds the mechanism whose subsets have the size that makes intervals narrowest."""

        def chosen(width: Width | None) -> SubsetSelection:
            size = None if width is None else _narrowest(len(choices), min(epsilon, Fraction(1000)), width)
            return SubsetSelection.within(epsilon=epsilon, categories=choices, size=size)

        return chosen

    @property
    def redundant(self) -> bool:
        """Whether subsets have one choice: that is randomized response."""
        return self.mechanism.size == 1

    @property
    def name(self) -> str:
        """The mechanism's name, with the size of its subsets."""
        return f"{super().name}, {self.mechanism.size} of {self.size}"

    @property
    def size(self) -> int:
        """The number of categories."""
        return len(self.mechanism.categories)

    @property
    def weights(self) -> tuple[int, int]:
        """A report supports as many choices as a subset has."""
        return self.mechanism.size, self.mechanism.size

    def both(self, i: int, j: int, /) -> tuple[Fraction, Fraction]:
        """Return the share of the sets that hold both, among those with the truth and those without it."""
        (p, _), d, k = self.support, self.mechanism.size, self.size
        others = (k - 1) * max(k - 2, 1)
        return p * (d - 1) / (k - 1), (p * (d - 1) * (d - 2) + (1 - p) * d * (d - 1)) / others

    def perturb(self, places: NDArray[np.int64], /) -> NDArray[np.uint8]:
        """Return the packed bits of each set."""
        return self.mechanism.release_packed(places)

    def draw(self, place: int, coins: Coins, /) -> NDArray[np.uint8]:
        """Return the packed bits of one set."""
        categories, bits = self.mechanism.categories, np.zeros((1, self.size), np.bool_)
        drawn = self.mechanism.sample(categories.values[place], coins)
        bits[0, [categories.index(value) for value in drawn]] = True
        return self.written(bits)

    def valid(self, rows: NDArray[np.uint8], /) -> NDArray[np.bool_]:
        """Return which rows set as many bits as a subset has choices, and none after the last."""
        set_bits = np.zeros(len(rows), np.int64)
        for column in rows.T:
            set_bits += np.bitwise_count(column)
        return np.asarray(super().valid(rows) & (set_bits == self.mechanism.size))

    def misfit(self, supports: NDArray[np.int64], n: int, /) -> Misfit:
        """Return the test for counts that add up to the size of a subset for each report."""
        p, q = map(float, self.support)
        return misfit_of_counts(supports, n, p, q, weight=self.mechanism.size)


def _narrowest(k: int, epsilon: Fraction, width: Width) -> int:
    """Return the size of subsets that gives the least width: as the size grows it falls, then rises."""
    shrink, gain = float_up(exp(-epsilon)), float_up(-expm1(-epsilon))

    def wide(d: int) -> float:
        rest = d + (k - d) * shrink
        gap = d * (k - d) * gain / ((k - 1) * rest)
        return width(d / rest - gap, gap)

    return 1 + bisect_left(range(1, k - 1), True, key=lambda d: wide(d + 1) >= wide(d))
