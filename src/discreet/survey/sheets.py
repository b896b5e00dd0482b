"""Sheets of surveys: shares in percent with their intervals, in one wording wherever they are drawn."""

from __future__ import annotations

from typing import Any

from discreet.figures import decimals_for
from discreet.pages.sheet import Column

__all__ = ["interval_columns", "percent", "share_columns"]


def percent(confidence: float, /) -> str:
    """Return a confidence in percent.

    >>> percent(0.95), percent(1 - 1e-9)
    ('95 %', '99.9999999 %')
    """
    return f"{100 * confidence:.10g} %"


def interval_columns(name: str, values: Any, ends: Any, confidence: float, unit: str = "%") -> list[Column]:
    """Return values with their intervals in percent, with as many decimals as the intervals' widths give sense to."""
    middle, low, high = ((100 * side).ravel().tolist() for side in (values, ends[..., 0], ends[..., 1]))
    decimals = max(decimals_for((b - a) / 2 for a, b in zip(low, high, strict=True)), 1)
    interval = Column(f"{percent(confidence)} interval", low, decimals, quiet=True, highs=high)
    return [Column(name, middle, decimals, unit=unit), interval]


def share_columns(shares: Any, ends: Any, errors: Any, confidence: float) -> list[Column]:
    """Return shares, their intervals and their standard errors, in percent."""
    columns = interval_columns("share", shares, ends, confidence)
    return [*columns, Column("error", (100 * errors).ravel().tolist(), columns[0].decimals, quiet=True)]
