"""Conventions: declared types of numbers and days that are not written as in SQL.

Each is a rewriting of the text, of one row alone, before a cast that gives null where it fails. A text that is not of
the convention is null, and never another number or day: 1234.50 is none with a decimal comma, because 1.234 is 1234.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

__all__ = ["COMMA", "CONVENTIONS", "convention"]

COMMA: Final = "decimal comma"
_GROUPED: Final = r"^\s*[+-]?([0-9]+|[0-9]{1,3}(\.[0-9]{3})+)(,[0-9]+)?\s*$"
_DAYS: Final = {
    "day.month.year": r"^\s*([0-9]{1,2})\.([0-9]{1,2})\.([0-9]{4})\s*$",
    "day/month/year": r"^\s*([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})\s*$",
    "month/day/year": r"^\s*([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})\s*$",
}
CONVENTIONS: Final[Mapping[str, str]] = MappingProxyType({COMMA: "float64"} | dict.fromkeys(_DAYS, "date"))
"""The types of Ibis that the declared ones stand for."""


def convention(texts: Any, kind: str, /) -> Any:
    """Return an Ibis column of texts as SQL writes them, null where a text is not as the convention has it.

    Days may also be written as 2026-12-31, which is the same in every convention.

    >>> import ibis
    >>> convention(ibis.memtable({"k": ["1.234,50", "1234.50"]}).k, "decimal comma").to_pyarrow().to_pylist()
    ['1234.50', None]
    """
    if kind == COMMA:
        plain = texts.replace(".", "").replace(",", ".")
        return texts.re_search(_GROUPED).ifelse(plain, None)
    names, pattern = re.split("[./]", kind), _DAYS[kind]
    year, month, day = (texts.re_extract(pattern, names.index(part) + 1) for part in ("year", "month", "day"))
    return texts.re_search(pattern).ifelse(year + "-" + month + "-" + day, texts)
