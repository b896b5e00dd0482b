"""Noise: how far the noise of an answer reaches."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from discreet.reals import exp, float_up, floor_bits, ln

__all__ = ["Noise", "radius"]


@final
@dataclass(frozen=True, slots=True)
class Noise:
    """Discrete Laplace noise of a scale, in units of a grid; values up to the threshold were not released."""

    scale: Fraction
    unit: Fraction = Fraction(1)
    threshold: int | None = None

    @property
    def fits(self) -> bool:
        """Whether its values are sure to fit: into floats, or into 64 bits where there is a threshold."""
        if self.threshold is None:
            return self.scale * max(self.unit, Fraction(1)) < 1 << 900
        return self.scale < 1 << 50 and self.threshold < 1 << 61

    def radius(self, error: Fraction) -> float:
        """Return what bounds the noise, except with probability *error*."""
        return float_up(radius(self.scale, error) * self.unit)


def radius(scale: Fraction, error: Fraction) -> int:
    """Return the least r that discrete Laplace noise of a scale exceeds in size with a probability of at most *error*.

    Pr[|Z| > r] = 2 q**(r + 1) / (1 + q), with q = exp(-1 / scale).

    >>> radius(Fraction(3), Fraction(1, 20))
    9
    """
    if scale == 0:
        return 0
    q = exp(-1 / scale)
    bound = (ln(2 / (1 + q)) - ln(error)) * scale - 1
    return max(-floor_bits(-bound, 0), 0)
