"""Days, times of day, and moments."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timezone
from typing import TYPE_CHECKING, Any, Final, final
from zoneinfo import ZoneInfo

import numpy as np

from discreet.domains.base import FOREIGN, Keys
from discreet.errors import KindError
from discreet.frozen import freeze

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Dates", "Times", "Timestamps"]

_FIRST, _LAST = np.datetime64(date.min), np.datetime64(date.max)
_UNITS: Final = {"s": 1, "ms": 1, "us": 1, "ns": 1000}
_MOMENT: Final = np.dtype("M8[us]")


@final
@dataclass(frozen=True, slots=True)
class Dates(Keys):
    """Days from the year 1 to the year 9999. A moment is no day.

    >>> from datetime import date
    >>> date(2026, 1, 31) in Dates(), np.datetime64("2026-01-31") in Dates(), np.datetime64("NaT", "D") in Dates()
    (True, True, False)
    """

    def canonical(self, x: object, /) -> Any:
        """Return a date."""
        if type(x) is np.datetime64 and x.dtype == "M8[D]":
            x = x.item() if _FIRST <= x <= _LAST else None
        return date(x.year, x.month, x.day) if type(x) is date else FOREIGN

    def many(self, xs: list[Any] | NDArray[Any], /) -> Any:
        """Return days, quickly where their type says that they are."""
        if isinstance(xs, np.ndarray) and xs.dtype.kind == "M":
            days = xs.astype("M8[D]") if xs.dtype.newbyteorder("=") == "M8[D]" else None
            return FOREIGN if days is None or not ((days >= _FIRST) & (days <= _LAST)).all() else days
        return Keys.many(self, xs)

    def array(self, keys: list[Any] | NDArray[Any], /) -> NDArray[Any]:
        """Return an array of days."""
        return np.array(keys, "M8[D]")


@final
@dataclass(frozen=True, slots=True)
class Times(Keys):
    """Times of day, without a time zone.

    >>> from datetime import time
    >>> time(12, 30) in Times(), "12:30" in Times()
    (True, False)
    """

    def canonical(self, x: object, /) -> Any:
        """Return a time."""
        if type(x) is not time or x.tzinfo is not None:
            return FOREIGN
        return time(x.hour, x.minute, x.second, x.microsecond)


@final
@dataclass(frozen=True, slots=True, init=False)
class Timestamps(Keys):
    """Moments from the year 1 to the year 9999, in microseconds: without a time zone, or with one and then in UTC.

    The zones are those of Python's ``datetime.timezone`` and ``zoneinfo``. Others would have to be asked, in code of
    their own, what time it is.

    >>> from datetime import datetime, timedelta, timezone
    >>> noon = datetime(2026, 1, 31, 12, tzinfo=timezone(timedelta(hours=1)))
    >>> noon in Timestamps(), Timestamps(utc=True).take(noon).isoformat()
    (False, '2026-01-31T11:00:00+00:00')
    """

    utc: bool

    def __init__(self, *, utc: bool = False) -> None:
        if not isinstance(utc, bool):
            raise KindError("utc", utc, "True or False")
        freeze(self, utc=utc)

    def canonical(self, x: object, /) -> Any:
        """Return a datetime; with a time zone, in UTC."""
        if type(x) is np.datetime64:
            found = self.many(np.array([x]))
            return found if found is FOREIGN else found[0].item()
        if type(x) is not datetime or (x.tzinfo is not None) != self.utc:
            return FOREIGN
        if self.utc:
            if type(x.tzinfo) is not timezone and type(x.tzinfo) is not ZoneInfo:
                return FOREIGN
            try:
                x = x.astimezone(UTC)
            except OverflowError:  # In UTC it would be before the year 1, or after 9999.
                return FOREIGN
        return datetime(x.year, x.month, x.day, x.hour, x.minute, x.second, x.microsecond, x.tzinfo)

    def many(self, xs: list[Any] | NDArray[Any], /) -> Any:
        """Return moments, quickly where their type says that they are; NumPy's have no time zone."""
        if not isinstance(xs, np.ndarray) or xs.dtype.kind != "M":
            return Keys.many(self, xs)
        unit, step = np.datetime_data(xs.dtype)
        if self.utc or step != 1 or unit not in _UNITS or not _between(xs, unit):
            return FOREIGN
        exact = xs.astype("i8") % _UNITS[unit] == 0
        return xs.astype(_MOMENT) if exact.all() else FOREIGN

    def array(self, keys: list[Any] | NDArray[Any], /) -> NDArray[Any]:
        """Return an array of microseconds; of datetimes where they have a time zone, which NumPy's have not."""
        return Keys.array(self, keys) if self.utc else np.array(keys, _MOMENT)


def _between(moments: NDArray[Any], unit: str) -> bool:
    """Whether none is NaT, or outside the years 1 to 9999, compared as integers, which do not overflow."""
    if not moments.size:
        return True
    counts = moments.astype("i8")
    per_day = {"s": 86400, "ms": 86400 * 10**3, "us": 86400 * 10**6, "ns": 86400 * 10**9}[unit]
    first, last = int(_FIRST.astype("i8")) * per_day, (int(_LAST.astype("i8")) + 1) * per_day
    return not np.isnat(moments).any() and first <= int(counts.min()) and int(counts.max()) < last
