"""Doubts: what to look at where figures say that hardly anybody has a value; from released figures alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from discreet.tables.aggregates import Aggregate, Column, People, Sum

__all__ = ["doubt"]


def doubt(
    asked: Sequence[Aggregate], types: Mapping[str, str] | None, released: Sequence[Column], confidence: Fraction, /
) -> str | None:
    """Return which column of a text file may have no numbers, in a sentence; None where the figures say that it has.

    Values of a column of texts that is not declared are the numbers among them, as SQL writes numbers: "1.234,50" is
    none. *types* are None for other sources.
    """
    names = [each.column for each in asked if each.column is not None and not each.brings]
    texts = [] if types is None else [name for name in names if name not in types]
    counted = [column for column in released if isinstance(column.aggregate, People)]
    counted = counted or [column for column in released if isinstance(column.aggregate, Sum)]
    if not texts or not counted or any(_is_clear(column, confidence) for column in counted):
        return None
    name = texts[0]
    how = f'types={{"{name}": "decimal comma"}}, or --type "{name}=decimal comma"'
    return f"Nobody may have a value of {name}: only numbers such as 1234.5 are values. Of 1.234,50, declare {how}."


def _is_clear(column: Column, confidence: Fraction) -> bool:
    """Whether some value is further from 0 than its noise."""
    low, high = column.interval(confidence)
    return bool((low > 0).any() or (high < 0).any())
