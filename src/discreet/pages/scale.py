"""Scales: round numbers along an axis."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, final

__all__ = ["Scale"]

_STEPS: Final = (Decimal(1), Decimal(2), Decimal("2.5"), Decimal(5), Decimal(10))
_LONG: Final = Decimal(10**4)
"""Where one number along an axis is as large as this, all thousands are written as k."""
_UNITS: Final = ((Decimal(10) ** 12, "T"), (Decimal(10) ** 9, "B"), (Decimal(10) ** 6, "M"), (Decimal(10) ** 3, "k"))


@final
@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from *low* to *high*, with a few round numbers on it: multiples of *step*.

    >>> Scale.over([0, 1234]).labels
    ['0', '250', '500', '750', '1,000', '1,250']
    >>> Scale.over([0, 61_000]).labels, Scale.over([0, 2e-6]).labels
    (['0', '20k', '40k', '60k'], ['0', '5e-7', '1e-6', '1.5e-6', '2e-6'])
    >>> Scale.over([0, 12_500]).labels
    ['0', '2.5k', '5k', '7.5k', '10k', '12.5k']
    """

    low: float
    high: float
    step: Decimal

    @classmethod
    def over(cls, values: Iterable[float], most: int = 5) -> Scale:
        """Return the scale that holds some values, with at most *most* steps; an end at 0 is kept, others have room."""
        given = [float(x) for x in values]
        finite = [x for x in given if math.isfinite(x)] or [0.0]
        low, high = min(finite), max(finite)
        if low == high:
            low, high = (min(low, 0.0), max(high, 0.0)) if low else (0.0, 1.0)
        span = high - low
        rough = Decimal(span) / most
        size = Decimal(1).scaleb(rough.adjusted())
        step = next(size * s for s in _STEPS if size * s >= rough)
        beyond = 0.15 if len(finite) < len(given) else 0.03
        return cls(low - 0.03 * span if low else 0.0, high + beyond * span if high else 0.0, step)

    def _multiples(self) -> list[Decimal]:
        first, last = math.ceil(Decimal(self.low) / self.step), math.floor(Decimal(self.high) / self.step)
        return [i * self.step for i in range(first, last + 1)]

    @property
    def ticks(self) -> list[float]:
        """The round numbers."""
        return [float(tick) for tick in self._multiples()]

    @property
    def labels(self) -> list[str]:
        """The round numbers in figures, short enough for a phone."""
        ticks = self._multiples()
        long = any(abs(tick) >= _LONG for tick in ticks)
        return [_short(tick, Decimal(1000) if long else _LONG) for tick in ticks]

    def place(self, value: float) -> float:
        """Return where a value lies, in percent of the axis; what is infinite lies at its end."""
        if not math.isfinite(value):
            return 100.0
        return min(max((value - self.low) / (self.high - self.low), 0.0), 1.0) * 100


def _short(x: Decimal, least: Decimal) -> str:
    if x == 0:
        return "0"
    if abs(x) >= 10**15 or abs(x) < Decimal("0.0001"):
        digits, exponent = f"{x.normalize():e}".split("e")
        return f"{digits.rstrip('0').rstrip('.') if '.' in digits else digits}e{int(exponent)}".replace("-", "−", x < 0)
    for unit, name in _UNITS:
        if abs(x) >= max(unit, least):
            return f"{(x / unit).normalize():f}{name}".replace("-", "−")
    return f"{x.normalize():,f}".replace("-", "−")
