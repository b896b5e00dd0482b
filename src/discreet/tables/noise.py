"""The noise of a column of an answer: a law, in units of the column, and a threshold above which values appear."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, final

import numpy as np

from discreet.noise import Noise
from discreet.reals import float_up

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ColumnNoise", "NoiseByRound"]


@dataclass(frozen=True, slots=True)
class ColumnNoise:
    """Noise of a law, in units of a grid; values up to the threshold, if there is one, were not released."""

    law: Noise
    unit: Fraction = Fraction(1)
    threshold: int | None = None

    @property
    def fits(self) -> bool:
        """Whether its values are sure to fit: into floats, or into 64 bits where there is a threshold."""
        if self.threshold is None:
            return self.law.deviation * float_up(max(self.unit, Fraction(1))) < 2.0**900
        return self.law.deviation < 2.0**50 and self.threshold < 1 << 61

    @property
    def deviation(self) -> float:
        """The standard deviation, as a float that may be a little too large."""
        return self.law.deviation * float_up(self.unit)

    def radius(self, error: Fraction) -> float:
        """Return what bounds the noise, except with probability *error*."""
        return float_up(self.law.radius(error) * self.unit)

    def above(self, values: Any, error: Fraction) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return intervals for the counts of which these noisy values appeared."""
        return self.law.interval(values, error, threshold=self.threshold)


@final
@dataclass(frozen=True, slots=True)
class NoiseByRound(ColumnNoise):
    """The noise of values that were released in rounds: *rounds* says of each value from which one it is.

    As a whole it is the last round's, but what bounds it bounds the noise of all.

    >>> from discreet import Laplace
    >>> noise = NoiseByRound.of([ColumnNoise(Laplace(20), threshold=99), ColumnNoise(Laplace(2), threshold=9)], (1, 2))
    >>> [ends.tolist() for ends in noise.above([200, 200], Fraction(1, 20))]
    [[139, 194], [260, 206]]
    """

    each: tuple[ColumnNoise, ...] = ()
    rounds: tuple[int, ...] = ()

    @classmethod
    def of(cls, each: Sequence[ColumnNoise], rounds: tuple[int, ...]) -> NoiseByRound:
        """Return the noise of values from these rounds, of which each has its own."""
        return cls(each[-1].law, each[-1].unit, each[-1].threshold, tuple(each), rounds)

    @property
    def deviation(self) -> float:
        """The greatest standard deviation."""
        return max(noise.deviation for noise in self.each)

    def radius(self, error: Fraction) -> float:
        """Return what bounds the noise of a value from any round, except with probability *error*."""
        return max(noise.radius(error) for noise in self.each)

    def above(self, values: Any, error: Fraction) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return intervals for the counts of which these noisy values appeared, each by the noise of its round."""
        ends = np.array([noise.above(values, error) for noise in self.each])
        low, high = ends[np.array(self.rounds, np.intp) - 1, :, np.arange(len(self.rounds))].T
        return low, high
