"""Rowwise: parts, texts and arithmetic of one row for SQLite, in plain Python, which take whatever a column holds.

They say what these mean on every engine. A text comes as bytes, as not every one is UTF-8, or as a result of these.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from functools import cache
from math import floor
from typing import Any, Final, TypeVar

from discreet.tables.engines.engine import ARITHMETIC, BLANKS, DAYS, MOMENTS, SIZES, WHOLE

__all__ = ["FUNCTIONS", "read", "since_1970"]

T = TypeVar("T")
_PARTS: Final[dict[str, Callable[[datetime], int]]] = {
    "ExtractYear": lambda x: x.year,
    "ExtractQuarter": lambda x: (x.month + 2) // 3,
    "ExtractMonth": lambda x: x.month,
    "ExtractWeekOfYear": lambda x: x.isocalendar().week,
    "ExtractDay": lambda x: x.day,
    "DayOfWeekIndex": lambda x: x.weekday(),
    "ExtractHour": lambda x: x.hour,
    "ExtractMinute": lambda x: x.minute,
}
_STARTS: Final[dict[str, Callable[[datetime], datetime]]] = {
    "year": lambda x: x.replace(month=1, day=1),
    "quarter": lambda x: x.replace(month=(x.month - 1) // 3 * 3 + 1, day=1),
    "month": lambda x: x.replace(day=1),
    "week": lambda x: x - timedelta(days=x.weekday()),
    "day": lambda x: x,
    "hour": lambda x: x,
    "minute": lambda x: x,
}


def moment(x: Any, is_day: int) -> str | None:
    """Return a day, or a time in UTC, in the form that literals have, in which texts compare as moments do."""
    found = read(x, datetime.fromisoformat)
    if found is None or is_day:
        return None if found is None else found.date().isoformat()
    return _in_utc(found, *map(since_1970, (datetime.min, datetime.max))).isoformat(sep=" ")


def part(x: Any, name: str, is_day: int) -> int | None:
    """Return a part of a day or a time."""
    moment = _moment(x, is_day)
    return None if moment is None else _PARTS[name](moment)


def truncated(x: Any, unit: str, is_day: int) -> str | None:
    """Return the day, or the time, at which the year, month, week, ... of a day or a time begins."""
    moment = _moment(x, is_day)
    if moment is None:
        return None
    start = _STARTS[unit](moment)
    if unit in DAYS:
        return start.date().isoformat()
    return start.replace(minute=start.minute if unit == "minute" else 0, second=0, microsecond=0).isoformat(sep=" ")


def translated(x: Any, before: str, after: str) -> str | None:
    """Return a text in which some characters stand for others."""
    text = _text(x)
    return None if text is None else text.translate(_table(before, after))


def trimmed(x: Any) -> str | None:
    """Return a text without the blanks at its ends."""
    text = _text(x)
    return None if text is None else text.strip(BLANKS)


def cut(x: Any, start: int, length: int) -> str | None:
    """Return some characters of a text."""
    text = _text(x)
    return None if text is None else text[start : start + length]


def length(x: Any) -> int | None:
    """Return how many characters a text has."""
    text = _text(x)
    return None if text is None else len(text)


def like(x: Any, pattern: str) -> bool | None:
    """Return whether a text is like a pattern, in which % stands for any text and _ for any character.

    Between two % each part is sought once, at the first place from which it fits: a later one would help no other, so
    nothing is tried again, and no text takes much longer than another of its length.
    """
    text = _text(x)
    if text is None:
        return None
    first, *rest = pattern.split("%")
    if not rest:
        return _part(first).fullmatch(text) is not None
    at, end = len(first), len(text) - len(rest[-1])
    ends = _part(first).match(text) and end >= at and _part(rest[-1]).fullmatch(text, end)
    for part in rest[:-1] if ends else ():
        found = _part(part).search(text, at, end)
        if found is None:
            return False
        at = found.end()
    return bool(ends)


def wholes(x: Any, sign: str, y: Any) -> int | None:
    """Return a sum, difference or product of whole numbers, if it is one of 64 bits."""
    if not (isinstance(x, int) and isinstance(y, int)):
        return None
    found: int = ARITHMETIC[sign](x, y)
    return found if WHOLE[0] <= found <= WHOLE[1] else None


def reals(x: Any, sign: str, y: Any) -> float | None:
    """Return a sum, difference, product or quotient of floats that are neither too large nor too small."""
    if not (isinstance(x, int | float) and isinstance(y, int | float)):
        return None
    a, b = (0.0 if abs(side) < SIZES[0] else float(side) for side in (x, y))
    if max(abs(a), abs(b)) > SIZES[1] or (sign == "/" and not b):
        return None
    found: float = ARITHMETIC[sign](a, b)
    return found


def floored(x: Any, width: int) -> int | None:
    """Return the greatest multiple of a whole number that is at most a number; a float has 53 bits."""
    if not isinstance(x, int | float) or (isinstance(x, float) and not abs(x) < 2**53):
        return None
    found = floor(x) // width * width
    return found if found >= WHOLE[0] else None


def read(x: Any, reader: Callable[[str], T]) -> T | None:
    """Return what a text says, or None where it says nothing of the kind."""
    try:
        return reader(x if isinstance(x, str) else x.decode())
    except (AttributeError, ValueError, OverflowError):
        return None


def since_1970(moment: datetime) -> int:
    """Return microseconds; a time without a zone is in UTC."""
    known = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (known - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def _moment(x: Any, is_day: int) -> datetime | None:
    """Return the time that a text says, in UTC and within Python's years; a day is its midnight."""
    found = read(x, datetime.fromisoformat)
    if found is None or is_day:
        return found if found is None else datetime.combine(found.date(), time(0))
    return _in_utc(found, *MOMENTS)


def _in_utc(moment: datetime, least: int, most: int) -> datetime:
    """Return a time without its zone, between two ends in microseconds since 1970."""
    return datetime(1970, 1, 1) + timedelta(microseconds=min(max(since_1970(moment), least), most))


def _text(x: Any) -> str | None:
    return x.decode(errors="replace") if isinstance(x, bytes) else None if x is None else str(x)


@cache
def _table(before: str, after: str) -> dict[int, int]:
    return str.maketrans(before, after)


@cache
def _part(part: str) -> re.Pattern[str]:
    """Return what finds a part of a pattern, which is as long as what it finds."""
    return re.compile(re.escape(part).replace("_", "."), re.DOTALL)


FUNCTIONS: Final = (
    (2, moment),
    (3, part),
    (3, truncated),
    (3, translated),
    (1, trimmed),
    (3, cut),
    (1, length),
    (2, like),
    (3, wholes),
    (3, reals),
    (2, floored),
)
"""The functions, each with the number of its arguments."""
