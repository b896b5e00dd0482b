"""Figures: numbers and intervals as people read them, rounded so that no interval gets shorter."""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from typing import Any

import numpy as np

__all__ = ["decimals_for", "figure", "interval_text", "outwards"]


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
