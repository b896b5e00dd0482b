"""Keys: what a person types becomes a key of the group columns' own types."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Final

from discreet.errors import KindError, ParameterError

__all__ = ["typed"]

_TRUTHS: Final = {"true": True, "false": False}


def typed(texts: Iterable[str], columns: Sequence[Any]) -> list[Any]:
    """Return keys of some Ibis columns from texts; of several columns, each text is a line of CSV."""
    if isinstance(texts, str):
        raise KindError("keys", texts, "a list of texts")
    readers = [_reader(column) for column in columns]
    return [_key(text, readers) for text in texts]


def _key(text: Any, readers: Sequence[tuple[str, Callable[[str], Any]]]) -> Any:
    if not isinstance(text, str):
        raise KindError("keys", text, "texts")
    cells = [text] if len(readers) == 1 else next(csv.reader([text], skipinitialspace=True), [])
    if len(cells) != len(readers):
        raise ParameterError("keys", text, f"{len(readers)} entries, separated by commas")
    key = tuple(_read(cell, *reader) for cell, reader in zip(cells, readers, strict=True))
    return key if len(readers) > 1 else key[0]


def _read(text: str, need: str, read: Callable[[str], Any]) -> Any:
    try:
        return read(text)
    except (ValueError, KeyError, ArithmeticError):
        raise ParameterError("keys", text, need) from None


def _reader(column: Any) -> tuple[str, Callable[[str], Any]]:
    """Return what a key of a column must be, and how it is read."""
    kind, name = column.type(), column.get_name()
    if kind.is_integer():
        least, most = kind.bounds

        def integer(text: str) -> int:
            if not least <= (value := int(text)) <= most:
                raise ValueError
            return value

        return f"an integer from {least} to {most}, as in {name}", integer
    for what, need, read in (
        ("string", "a text", str),
        ("boolean", "true or false", lambda text: _TRUTHS[text.lower()]),
        ("date", "a day such as 2026-01-31", date.fromisoformat),
        ("timestamp", "a time such as 2026-01-31T12:00:00", datetime.fromisoformat),
        ("floating", "a number", float),
        ("decimal", "a number", Decimal),
    ):
        if getattr(kind, f"is_{what}")():
            return f"{need}, as in {name}", read
    raise KindError("keys", name, f"a column whose keys can be typed, which {kind} cannot: give them in Python")
