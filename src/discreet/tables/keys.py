"""Keys: how they are typed, given in Python, and sent to an engine and back, always of the columns' own types."""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any, Final
from uuid import UUID

import numpy as np

from discreet.domains import Booleans, Dates, Decimals, Floats, Integers, Keys, Texts, Times, Timestamps
from discreet.errors import KindError, ParameterError
from discreet.exact import listed

__all__ = ["OTHER", "Wire", "checked", "decimals", "domain_of", "typed", "written"]

_TRUTHS: Final = {"true": True, "false": False}
_REFUSED: Final = (ValueError, TypeError, KeyError, ArithmeticError)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_DIGITS: Final = 38
_PLACES: Final = 9


class Other(Enum):
    """What stands in a key for all values that are not shown.

    >>> str(OTHER)
    'other'
    """

    OTHER = "other"

    def __str__(self) -> str:
        return self.value

    def __repr__(self) -> str:
        return self.name


OTHER: Final = Other.OTHER


@dataclass(frozen=True, slots=True)
class _Column:
    """What a group column's keys must be, how one is read from a text, and what is taken for one in Python."""

    need: str
    read: Callable[[str], Any]
    take: Callable[[Any], Any]


def typed(texts: Iterable[str], columns: Sequence[Any], null: str | None = None) -> list[Any]:
    """Return keys of some Ibis columns from texts; of several columns, each text is a line of CSV.

    Where an entry is the text *null*, it is the missing key; without it, nothing that can be typed is.
    """
    if isinstance(texts, str):
        raise KindError("keys", texts, "a list of texts")
    if null is not None and not isinstance(null, str):
        raise KindError("null", null, "a text")
    kinds = [_column(column) for column in columns]
    return [_typed(text, kinds, null) for text in listed(texts, "keys", "a list of texts")]


def _typed(text: Any, kinds: Sequence[_Column], null: str | None) -> Any:
    if not isinstance(text, str):
        raise KindError("keys", type(text), "texts")
    cells = [text] if len(kinds) == 1 else next(csv.reader([text], skipinitialspace=True), [])
    if len(cells) != len(kinds):
        raise ParameterError("keys", text, f"{len(kinds)} entries, separated by commas")
    pairs = zip(cells, kinds, strict=True)
    key = tuple(None if cell == null else _tried(kind.read, cell, kind.need) for cell, kind in pairs)
    return key if len(kinds) > 1 else key[0]


def checked(keys: Any, columns: Sequence[Any]) -> tuple[Any, ...]:
    """Return known keys of some Ibis columns, each of its column's own type or None; of several columns, tuples.

    A key of another type would name no group whatever the data, or be one more way to write a key that is there.
    """
    if isinstance(keys, str | bytes | Mapping | Set) or not isinstance(keys, Iterable):
        raise KindError("keys", keys if isinstance(keys, str) else type(keys), "a list of keys, in the answer's order")
    kinds = [_column(column) for column in columns]
    found = tuple(_checked(key, kinds) for key in listed(keys, "keys", "a list of keys, in the answer's order"))
    if not found:
        raise ParameterError("keys", list(found), "at least one key; for private groups, give none and a delta")
    return found


def written(keys: Iterable[Any], columns: Sequence[Any]) -> list[tuple[Any, ...]]:
    """Return known keys as tuples, each entry as it travels to an engine."""
    wires = [Wire.of(column.type()) for column in columns]
    rows = (key if len(wires) > 1 else (key,) for key in checked(list(keys), columns))
    return [tuple(None if x is None else wire.write(x) for x, wire in zip(row, wires, strict=True)) for row in rows]


@dataclass(frozen=True, slots=True)
class Wire:
    """How the keys of a column travel: as whole numbers, floats or bytes, whatever the engine, whatever the rows.

    *type* is the Arrow type of the keys that are released; *read* makes an Arrow array of it from what an engine sent;
    *write* makes of one key what an engine compares.
    """

    type: Any
    read: Callable[[Any], Any]
    write: Callable[[Any], int | float | bytes]

    @classmethod
    def of(cls, kind: Any) -> Wire:
        """Return how keys of an Ibis type travel."""
        import pyarrow as pa

        if kind.is_boolean():
            return cls(pa.bool_(), lambda sent: sent.cast(pa.bool_()), int)
        if kind.is_integer():
            return cls(kind.to_pyarrow(), lambda sent: _of_type(sent, kind.to_pyarrow()), int)
        if kind.is_floating():
            return cls(kind.to_pyarrow(), lambda sent: _of_type(sent, kind.to_pyarrow()), float)
        if kind.is_date():
            return cls(pa.date32(), lambda sent: sent.cast(pa.int32()).cast(pa.date32()), _days)
        if kind.is_timestamp():
            moments = pa.timestamp("us", "UTC" if kind.timezone else None)
            return cls(moments, lambda sent: sent.cast(moments), _microseconds)
        if kind.is_time():
            clock = pa.time64("us")
            return cls(clock, lambda sent: sent.cast(clock), lambda x: _microseconds(datetime.combine(_EPOCH, x)))
        if kind.is_decimal():
            precision, scale = decimals(kind)
            whole = (precision, scale) == (_DIGITS, 0)  # DuckDB's HUGEINT, which has 39 digits, looks like this.
            number = pa.decimal256(_DIGITS + 1, 0) if whole else pa.decimal128(precision, scale)
            return cls(number, lambda sent: sent.cast(pa.string()).cast(number), lambda x: _digits(x, scale))
        return cls(pa.string(), _texts, str.encode)

    def spelled(self, key: Any) -> str:
        """Return the text that an engine makes of a key, but for floats: `order.spelled` says how."""
        sent = None if key is None else self.write(key)
        return "n" if sent is None else f"s{sent.hex().upper()}" if isinstance(sent, bytes) else f"i{sent}"


def domain_of(kind: Any) -> Keys:
    """Return the domain of the keys of an Ibis type, but for null, as `Wire` reads them."""
    if kind.is_boolean():
        return Booleans()
    if kind.is_integer():
        return Integers(*map(int, kind.bounds))
    if kind.is_decimal():
        return Decimals(places=decimals(kind)[1])
    if kind.is_timestamp():
        return Timestamps(utc=kind.timezone is not None)
    for what, domain in (("floating", Floats()), ("date", Dates()), ("time", Times())):
        if getattr(kind, f"is_{what}")():
            return domain
    return Texts()


def decimals(kind: Any) -> tuple[int, int]:
    """Return how many digits the keys of a decimal type have, and how many of them are after the point."""
    precision, scale = kind.precision, kind.scale
    if precision is None or scale is None or not 0 <= scale <= precision <= _DIGITS:
        return _DIGITS, _PLACES  # Of types without an end, or beyond Arrow's.
    return precision, scale


def _of_type(sent: Any, kind: Any) -> Any:
    return sent if sent.type == kind else sent.cast(kind)


def _texts(sent: Any) -> Any:
    """Return bytes as the texts that they are; to say that they are costs nothing, where it is checked."""
    import pyarrow as pa

    if not isinstance(sent, pa.BinaryArray):
        return sent.cast(pa.string())
    texts = sent.view(pa.string())
    texts.validate(full=True)
    return texts


def _days(x: date) -> int:
    return (x - _EPOCH.date()).days


def _microseconds(x: datetime) -> int:
    return ((x if x.tzinfo else x.replace(tzinfo=UTC)) - _EPOCH) // timedelta(microseconds=1)


def _digits(x: Decimal | int, scale: int) -> bytes:
    """Return the digits of a number; one with more places than the column has stays as it is, and is no key there."""
    exact, rounded = Decimal(x), f"{Decimal(x):.{scale}f}"
    return (rounded if Decimal(rounded) == exact else f"{exact:f}").encode()


def _checked(key: Any, kinds: Sequence[_Column]) -> Any:
    if len(kinds) == 1:
        one = key[0] if isinstance(key, tuple) and len(key) == 1 else key  # As an answer has it.
        return _entry(one, kinds[0])
    if not isinstance(key, tuple | list) or len(key) != len(kinds):
        raise ParameterError("keys", type(key), f"tuples of {len(kinds)}, one entry for each group column")
    return tuple(_entry(one, kind) for one, kind in zip(key, kinds, strict=True))


def _entry(one: Any, kind: _Column) -> Any:
    if one is None:
        return None
    try:
        return kind.take(one.item() if isinstance(one, np.generic) else one)
    except _REFUSED:
        raise ParameterError("keys", type(one), kind.need) from None


def _tried(call: Callable[[Any], Any], given: Any, need: str) -> Any:
    try:
        return call(given)
    except _REFUSED:
        raise ParameterError("keys", given, need) from None


def _column(column: Any) -> _Column:
    """Return what the keys of a column are."""
    kind, name = column.type(), column.get_name()
    name = "this column" if "'" in name else name  # A derived one may be called by a literal, which may be of the data.
    if kind.is_integer():
        least, most = kind.bounds
        need = f"an integer from {least} to {most}, as in {name}"
        return _Column(need, lambda text: _within(int(text), least, most), lambda x: _within(_is(x, int), least, most))
    if kind.is_timestamp():
        zone = "with" if kind.timezone else "without"
        need = f"a time such as 2026-01-31T12:00:00, {zone} a time zone, as in {name}"
        return _Column(need, lambda text: _moment(datetime.fromisoformat(text), kind), lambda x: _moment(x, kind))
    if kind.is_floating():
        width = np.dtype(f"f{kind.nbytes}")  # A key of 0.1 is the float nearest to it, of the column's width.
        need = f"a number other than NaN, as in {name}"
        return _Column(
            need, lambda text: _equal(width.type(text).item()), lambda x: _equal(width.type(_is(x, float, int)).item())
        )
    if kind.is_uuid():  # Engines answer with texts.
        return _Column(
            f"a UUID, as in {name}", lambda text: str(UUID(text)), lambda x: str(UUID(str(_is(x, UUID, str))))
        )
    if kind.is_string():
        return _Column(f"a text, as in {name}", _text, lambda x: _text(_is(x, str)))
    for what, need, read, kinds in (
        ("boolean", "true or false", lambda text: _TRUTHS[text.lower()], (bool,)),
        ("date", "a day such as 2026-01-31", date.fromisoformat, (date,)),
        ("time", "a time of day such as 12:00:00", time.fromisoformat, (time,)),
        ("decimal", "a decimal number", Decimal, (Decimal, int)),
    ):
        if getattr(kind, f"is_{what}")():
            return _Column(f"{need}, as in {name}", read, lambda x, kinds=kinds: _is(x, *kinds))  # type: ignore[misc]
    raise KindError("keys", name, f"a column of which keys can be given, which {kind} is not")


def _is(x: Any, *kinds: type) -> Any:
    """Return x if it is of one of the types: a truth value is no number, and a time is no day."""
    if not isinstance(x, kinds) or (isinstance(x, bool) and bool not in kinds) or isinstance(x, datetime):
        raise TypeError
    return x


def _text(x: str) -> str:
    x.encode()  # A lone surrogate is no character, and an error.
    return x


def _equal(x: float) -> float:
    if math.isnan(x):  # Which is not equal to itself, and so would be no group's key.
        raise ValueError
    return x


def _within(x: int, least: int, most: int) -> int:
    if not least <= x <= most:
        raise ValueError
    return x


def _moment(x: Any, kind: Any) -> datetime:
    """Return a moment as it is released: a plain one, and in UTC, where no hour repeats."""
    if not isinstance(x, datetime) or (x.tzinfo is None) != (kind.timezone is None):
        raise TypeError
    moment = _EPOCH + timedelta(microseconds=_microseconds(x))
    return moment if kind.timezone else moment.replace(tzinfo=None)
