"""The noise of a column of an answer: a law, in units of the column, and a threshold above which values appear."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, final

from discreet.noise import Noise
from discreet.reals import float_up

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ColumnNoise"]


@final
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
