"""Scales: round numbers along an axis, and numbers as a page shows them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from typing import Any, Final, final

import numpy as np

__all__ = ["Scale", "decimals_for", "figure", "interval_text", "outwards"]

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


def decimals_for(widths: Iterable[float]) -> int:
    """Return how many decimals numbers deserve whose errors have these widths: two figures of the middle one.

    >>> decimals_for([0.034]), decimals_for([1.5, 1.5]), decimals_for([900.0]), decimals_for([])
    (3, 1, 0, 2)
    """
    some = sorted(w for w in widths if math.isfinite(w) and w > 0)
    if not some:
        return 2
    return min(max(1 - int(f"{some[len(some) // 2]:e}".split("e")[1]), 0), 12)


def outwards(lows: Any, highs: Any, decimals: int, /) -> tuple[Any, Any]:
    """Return the ends of intervals as lists, rounded to a number of decimals, so that no interval gets shorter.

    >>> outwards([0.12, 3.0], [0.21, 4.0], 1)
    ([0.1, 3.0], [0.3, 4.0])
    """
    unit = 10.0**decimals
    down, up = np.floor(np.asarray(lows, float) * unit) / unit, np.ceil(np.asarray(highs, float) * unit) / unit
    return down.tolist(), up.tolist()


def interval_text(low: float, high: float, /, decimals: int | None = None) -> str:
    """Write an interval in a few figures, or with some decimals; its ends are rounded outwards, so that it still holds.

    >>> interval_text(0.12345, 98.7651), interval_text(1234.5, 98765.4), interval_text(-3.0, 4)
    ('0.1234 to 98.77', '1,234 to 98,766', '-3 to 4')
    >>> interval_text(0.12345, 0.98761, decimals=3), interval_text(-1.0, float("inf"))
    ('0.123 to 0.988', '-1 to inf')
    """
    return f"{_rounded(low, ROUND_FLOOR, decimals)} to {_rounded(high, ROUND_CEILING, decimals)}"


def _rounded(x: float, side: str, decimals: int | None) -> str:
    if not math.isfinite(x):
        return f"{x}"
    with localcontext(prec=400, rounding=side):
        exact = Decimal(int(x)) if x == int(x) else Decimal(float(x))
        if decimals is not None:
            return f"{exact.quantize(Decimal(1).scaleb(-decimals)):,f}"
        least = Decimal(1) if abs(exact) >= 1000 else Decimal(1).scaleb(exact.adjusted() - 3)
        shown = exact.quantize(least).normalize()
        return f"{shown + 0:,f}" if shown == 0 or shown.adjusted() >= -5 else f"{shown:e}"


def figure(x: float, decimals: int = 0) -> str:
    """Write a number with commas between thousands.

    >>> figure(1234567), figure(-0.5, 2), figure(float("inf"))
    ('1,234,567', '-0.50', '∞')
    """
    if isinstance(x, int):
        return f"{x:,}" + ("." + "0" * decimals if decimals else "")
    if not math.isfinite(x):
        return "not a number" if math.isnan(x) else "∞" if x > 0 else "-∞"
    text = f"{x:,.{decimals}f}"
    return text[1:] if text.startswith("-") and not text.strip("-0.,") else text
