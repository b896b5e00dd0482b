"""Doubts: what to look at where figures say that hardly anybody has a value; from released figures alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from discreet.tables.aggregates import Aggregate, Column, People, Sum
from discreet.tables.conventions import COMMA

__all__ = ["doubt", "doubted"]


def doubt(
    asked: Sequence[Aggregate], types: Mapping[str, str] | None, released: Sequence[Column], confidence: Fraction, /
) -> str | None:
    """Return which column of a text file may have no numbers, in a sentence; None where the figures say that it has."""
    counted = [column for column in released if isinstance(column.aggregate, People)]
    counted = counted or [column for column in released if isinstance(column.aggregate, Sum)]
    if not counted or any(_is_clear(column, confidence) for column in counted):
        return None
    return doubted([each.column for each in asked if each.column is not None and not each.brings], types)


def doubted(names: Iterable[str], types: Mapping[str, str] | None) -> str | None:
    """Return how the numbers of a text file's column have to be written, where none may be so, by its type alone.

    Values of a column of texts that is not declared are the numbers among them, as SQL writes numbers: "1.234,50" is
    none. With a decimal comma, "1234.50" is none. *types* are None for other sources.

    >>> doubted(["age"], {})[:66]
    'Nobody may have a value of age: only numbers such as 1234.5 are va'
    >>> doubted(["age"], {"age": "decimal comma"})[:68]
    'Nobody may have a value of age: only numbers such as 1.234,50 are va'
    >>> doubted(["age"], {"age": "number"})
    """
    if types is None:
        return None
    named = list(names)
    texts = [name for name in named if name not in types]
    commas = [name for name in named if types.get(name) == COMMA]
    said = [_only(name, "1234.5", "1.234,50", COMMA) for name in texts[:1]]
    said += [_only(name, "1.234,50", "1234.5", "number") for name in commas[:1]]
    return " ".join(said) or None


def _only(name: str, numbers: str, others: str, kind: str) -> str:
    """Say how the numbers of a column have to be written, and the type to declare where they are written otherwise."""
    how = f'types={{"{name}": "{kind}"}}, or --type "{name}={kind}"'
    return f"Nobody may have a value of {name}: only numbers such as {numbers} are values. Of {others}, declare {how}."


def _is_clear(column: Column, confidence: Fraction) -> bool:
    """Whether some value is further from 0 than its noise."""
    low, high = column.interval(confidence)
    return bool((low > 0).any() or (high < 0).any())
