"""Literals: what a filter compares a column with becomes a value of the column's own type, exactly, or is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time
from decimal import Decimal
from fractions import Fraction
from sys import float_info
from typing import Any, Final
from zoneinfo import ZoneInfo

from discreet.errors import DiscreetError
from discreet.exact import exact

__all__ = ["KINDS", "fits", "of_type"]

_DIGITS: Final = 38
"""How many digits, on either side, a literal has beside a column of decimals without a precision."""
_MICRO, _NANO = 6, 9
_NANO_YEARS: Final = (1678, 2261)  # Times in nanoseconds reach a little further, to either side.


def of_type(value: Any, kind: Any) -> Any:
    """Return a literal's value as a type of Ibis has it; raise TypeError or ValueError, with what is needed instead.

    >>> import ibis.expr.datatypes as dt
    >>> of_type(7, dt.int8), of_type("2026-01-31", dt.date), of_type(0.5, dt.Decimal(9, 2))
    (7, datetime.date(2026, 1, 31), Decimal('0.50'))
    >>> of_type(300, dt.int8)
    Traceback (most recent call last):
    ValueError: a whole number from -128 to 127
    """
    return next(read for name, read in KINDS.items() if getattr(kind, f"is_{name}")())(value, kind)


def fits(value: Any, kind: Any) -> bool:
    """Whether a type of Ibis has a literal's value.

    >>> import ibis.expr.datatypes as dt
    >>> fits(127, dt.int8), fits(128, dt.int8)
    (True, False)
    """
    try:
        of_type(value, kind)
    except (TypeError, ValueError):
        return False
    return True


def _truth(value: Any, _: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError("true or false")
    return value


def _whole(value: Any, kind: Any) -> int:
    number, (least, most) = _number(value), kind.bounds
    if number.denominator != 1 or not least <= number <= most:
        raise ValueError(f"a whole number from {least} to {most}")
    return number.numerator


def _float(value: Any, _: Any) -> float:
    number = _number(value)
    if abs(number) > float_info.max or (isinstance(value, int) and float(number) != number):
        raise ValueError("a number that a float can hold")
    return float(number)


def _decimal(value: Any, kind: Any) -> Decimal:
    digits, places = (2 * _DIGITS, _DIGITS) if kind.precision is None else (kind.precision, kind.scale or 0)
    units = _number(value) * 10**places
    if units.denominator != 1 or abs(units) >= 10**digits:
        raise ValueError(f"a number that {kind} can hold")
    return Decimal(f"{units.numerator}e-{places}")


def _number(value: Any) -> Fraction:
    """Return a number exactly; a float as it is written, which is how it was typed."""
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise TypeError("a number")
    try:
        return exact(repr(value) if isinstance(value, float) else value)
    except DiscreetError:
        raise ValueError("a finite number of some digits") from None


def _text(value: Any, _: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("a text")
    if "\0" in value or any("\ud800" <= c <= "\udfff" for c in value):
        raise ValueError("a text without null characters and lone surrogates")
    return value


def _day(value: Any, _: Any) -> date:
    if isinstance(value, str):
        value = _iso(date.fromisoformat, value, "a day such as 2026-01-31")
    if isinstance(value, datetime) and value.tzinfo is None and value.time() == time(0):
        value = value.date()
    if not isinstance(value, date) or isinstance(value, datetime):
        raise TypeError("a day such as 2026-01-31")
    return value


def _moment(value: Any, kind: Any) -> datetime:
    """Return a time; in a column with a time zone, a time that has none is in the column's."""
    need = "a time such as 2026-01-31T12:00:00"
    if isinstance(value, str):
        value = _iso(datetime.fromisoformat, value, need)
    if isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time(0))
    if not isinstance(value, datetime):
        raise TypeError(need)
    if kind.timezone is None and value.tzinfo is not None:
        raise ValueError(f"{need}, without a time zone")
    moment = value if kind.timezone is None else _in_utc(value, kind.timezone)
    scale = _MICRO if kind.scale is None else kind.scale
    if moment.microsecond % 10 ** max(_MICRO - scale, 0):
        raise ValueError(f"{need}, with at most {scale} decimals of a second")
    if scale == _NANO and not _NANO_YEARS[0] <= moment.year <= _NANO_YEARS[1]:
        raise ValueError(f"{need}, of the years {_NANO_YEARS[0]} to {_NANO_YEARS[1]}")
    return moment


def _in_utc(moment: datetime, zone: str) -> datetime:
    try:
        return (moment if moment.tzinfo is not None else moment.replace(tzinfo=ZoneInfo(zone))).astimezone(UTC)
    except Exception:  # No such zone, a name that leads out of the database of zones, or a day before the first.
        raise ValueError("a time with its offset, such as 2026-01-31T12:00:00+01:00") from None


def _iso(read: Callable[[str], Any], text: str, need: str) -> Any:
    try:
        return read(text)
    except ValueError:
        raise ValueError(need) from None


KINDS: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "boolean": _truth,
    "integer": _whole,
    "floating": _float,
    "decimal": _decimal,
    "string": _text,
    "date": _day,
    "timestamp": _moment,
}
"""The types that a filter can compare, and how a literal of each is read."""
