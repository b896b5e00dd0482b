"""Order: the keyed order in which a person's groups are kept, the same on every engine.

Under a salt, each group has a code of 56 bits, the beginning of an MD5 digest of the salt and the group's text, and so
has each person who is not an integer. A person x and a group with code 2**28 y1 + y2 are mixed by

    z = (x + a) (y1 + b) mod P + y2,    h = z**3 mod P,    P = 1518500213,

where a and b come from the salt, in integers that stay below 2**63 on the way. A person's groups are ordered by h, then
by code, then by the engine's order of the keys. Digests are computed once per group and not once per row, because that
is what takes time; the mixing is five remainders.

How unpredictable it is: without the salt, codes are (MD5 has no known bias that would help), and so is the order. The
mixing is no cipher. Nothing about privacy rests on either: see plan.md.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from functools import cache
from math import floor
from typing import Any, Final

from discreet.errors import KindError, UnsupportedError

__all__ = ["ID_BITS", "Engine"]

P: Final = 1518500213
"""A prime below 2**30.5 with P = 2 modulo 3, so that cubing is one-to-one."""
HALF: Final = 1 << 28
ID_BITS: Final = 32
_TESTED: Final = frozenset({"duckdb", "postgres", "pyspark", "sqlite"})
_CASELESS: Final = frozenset({"mssql", "mysql", "singlestoredb"})
"""Engines that take different texts for equal ones: which of them stands for a group would depend on others' rows."""

_NANO: Final = 9
"""The scale of times in nanoseconds, which reach no further than the year 2262."""
_ENDS: Final[dict[str, Any]] = {
    "date": (date(1, 1, 1), date(9999, 12, 31)),
    "timestamp": (datetime(1, 1, 2), datetime(9999, 12, 30)),  # A time zone may add a day.
    "time": (time(0), time(23, 59, 59, 999999)),
}
"""The first and the last that Python has: engines have more, and 24:00."""


@dataclass(frozen=True, slots=True)
class Engine:
    """What the order needs from one engine, under one salt."""

    name: str
    salt: str
    a: int
    b: int

    @classmethod
    def of(cls, table: Any, salt: bytes) -> Engine:
        """Return the engine that holds a table; refuse one that lacks a digest, by name."""
        import ibis.expr.operations as ops

        backend = table.get_backend()
        name = str(backend.name)
        if name in _CASELESS:
            raise UnsupportedError(f"{name} compares texts regardless of case, and a plan needs equal to mean the same")
        if name not in _TESTED and not all(map(backend.has_operation, (ops.HexDigest, ops.DenseRank, ops.StringFind))):
            raise UnsupportedError(f"{name} has no MD5 digest or no window functions, which a plan needs")
        if name == "sqlite":
            for arity, function in (
                (1, _code),
                (1, _number),
                (5, _nearest),
                (6, _place),
                (3, _exact),
                *((1, f) for f in _TIDY.values()),
            ):
                backend.con.create_function(f"discreet{function.__name__}", arity, function, deterministic=True)
        digest = hashlib.sha256(salt).digest()
        a, b = int.from_bytes(digest[:8], "big"), int.from_bytes(digest[8:16], "big")
        return cls(name=name, salt=salt.hex(), a=P + a % P, b=1 + b % HALF)

    def placed(self, rows: Any, kept: list[str]) -> Any:
        """Return v = 2**32 h + id for rows with x, y1, y2 and id, and some other columns."""
        if self.name == "sqlite":  # Its remainder, as Ibis writes it, goes through floats.
            v = _builtins()["discreet_place"](rows.x, rows.y1, rows.y2, rows.id, self.a, self.b)
            return rows.select(*kept, v=v)
        z = (rows.x % P + self.a) * (rows.y1 + self.b) % P + rows.y2
        mixed = rows.select(*kept, "id", z=z)  # proof: mix
        h = mixed.z * mixed.z % P * mixed.z % P
        return mixed.select(*kept, v=h * (1 << ID_BITS) + mixed.id)  # proof: place

    def code(self, role: str, columns: Iterable[Any]) -> Any:
        """Return the first 56 bits of the digest of the salt, a role and the text of some columns, null or not."""
        text = _literal(f"{self.salt}{role}")
        for column in columns:
            text = text + "|" + _text(column, self.name)
        call = _builtins()
        if self.name == "sqlite":
            return call["discreet_code"](text)
        if self.name == "postgres":
            data = call["decode"](call["md5"](text), "hex")
            return sum(call["get_byte"](data, i).cast("int64") * (1 << 8 * (6 - i)) for i in range(7))
        digits = text.hexdigest("md5")
        if self.name == "duckdb":
            return (_literal("0x") + digits.left(14)).cast("int64")
        if self.name == "pyspark":
            return call["conv"](digits.left(14), 16, 10).cast("int64")
        value = (_literal("0123456789abcdef").find(digits.substr(i, 1)).cast("int64") for i in range(14))
        return sum(digit * (1 << 4 * (13 - i)) for i, digit in enumerate(value))

    def nearest(self, x: Any, low: float, high: float, multiply: float, divide: float) -> Any:
        """Return the integer nearest to a float, clipped and scaled. No float makes it fail, nor does null."""
        if self.name == "sqlite":  # Whose parser has little room for nested expressions.
            return _builtins()["discreet_nearest"](x, low, high, multiply, divide)
        return (_total(x).clip(low, high) * multiply / divide + 0.5).floor().cast("int64")

    def same(self, left: Any, right: Any) -> Any:
        """Return the condition that two columns are equal, or both null, in a form that the engine can hash."""
        kind = left.type()
        if self.name != "postgres" or not (kind.is_integer() or kind.is_string() or kind.is_floating()):
            return left.identical_to(right)
        empty = _literal("" if kind.is_string() else 0).cast(kind)
        return (left.isnull() == right.isnull()) & (left.fill_null(empty) == right.fill_null(empty))


def plain(column: Any, engine: str) -> Any:
    """Return a column in which equal values are the same: -0.0 becomes 0.0, and texts lose a collation."""
    kind = column.type()
    if kind.is_floating():
        return (column == 0).ifelse(0.0, column).cast(kind)
    # In SQLite an expression, unlike a column, is compared byte by byte.
    return column + "" if kind.is_string() and engine == "sqlite" else column


def readable(column: Any, engine: str) -> Any:
    """Return a column of keys that Python can hold, one for one: none may fail to be read, or be read like another.

    Days and times beyond the years 1 to 9999 become the first and the last ones; so do numbers beyond 38 digits, which
    PostgreSQL's decimals without a precision may have. In SQLite, where a column may hold anything, what is not of its
    type becomes null.
    """
    kind = column.type()
    if engine == "sqlite":
        if kind.is_decimal():
            places = 9 if kind.scale is None else kind.scale
            return _builtins()["discreet_exact"](column, (kind.precision or 24) - places, places).cast(kind)
        tidy = next((tidy for what, tidy in _TIDY.items() if getattr(kind, f"is_{what}")()), None)
        name = "_moment_utc" if kind.is_timestamp() and kind.timezone else tidy and tidy.__name__
        return column if name is None else _builtins()[f"discreet{name}"](column)
    if kind.is_decimal() and engine == "postgres":  # Where there is a NaN among them, and no end to digits.
        number = (column.cast("string") == "NaN").ifelse(_literal(None, kind), column)
        least, most = (_literal(sign * Decimal(10) ** 28, "decimal(38, 9)") for sign in (-1, 1))
        return number if kind.precision else number.clip(least, most).cast("decimal(38, 9)")
    ends = next((ends for what, ends in _ENDS.items() if getattr(kind, f"is_{what}")()), None)
    if ends is None or (kind.is_timestamp() and kind.scale == _NANO):
        return column
    zone = UTC if kind.is_timestamp() and kind.timezone else None
    low, high = (_literal(end.replace(tzinfo=zone) if zone else end, kind) for end in ends)
    return (column < low).ifelse(low, (column > high).ifelse(high, column))


def usable(column: Any, name: str) -> None:
    """Raise unless a column is of a type that can name a person or a group."""
    kind = column.type()
    scalar = ("integer", "string", "boolean", "date", "timestamp", "floating", "decimal", "uuid", "time")
    if not any(getattr(kind, f"is_{what}")() for what in scalar):
        raise KindError("column", name, f"a column of integers, texts, booleans, dates, times or numbers, not {kind}")


def _text(column: Any, engine: str) -> Any:
    """Return a text that says the type and the value; alike values of a type may share one where that is harmless."""
    kind = column.type()
    if kind.is_boolean():
        text = column.ifelse("bt", "bf")
    elif kind.is_integer():
        text = _literal("i") + column.cast("string")
    elif kind.is_date():
        text = _literal("d") + _parts(column, "year", "month", "day")
    elif kind.is_timestamp():
        text = _literal("t") + _parts(column, "year", "month", "day", "hour", "minute", "second")
    elif kind.is_floating() or kind.is_decimal():
        text = _number_text(inside(column, -(1 << 62), 1 << 62, engine).cast("float64"), engine)
    else:
        text = _literal("s") + column.cast("string").replace("~", "~0").replace("|", "~1")
    return column.isnull().ifelse("n", text)


def _parts(column: Any, *names: str) -> Any:
    """Return the parts of a date or a time as digits, joined."""
    parts = [getattr(column, name)().cast("int64").cast("string") for name in names]
    text = parts[0]
    for part in parts[1:]:
        text = text + "-" + part
    return text


def _number_text(x: Any, engine: str) -> Any:
    """Return a float's whole part and 30 bits of its fraction. Floats that are closer share a code, and no key."""
    if engine == "sqlite":
        return _builtins()["discreet_number"](x)
    inside = _total(x).clip(-(2.0**62), 2.0**62)
    fraction = ((inside - inside.floor()) * 2.0**30).floor()
    text = _literal("f") + inside.floor().cast("int64").cast("string") + "." + fraction.cast("int64").cast("string")
    return _nan(x).ifelse("fnan", text)


def present(column: Any, engine: str) -> list[Any]:
    """Return the conditions that a value is there: neither null nor NaN, which SQLite keeps as null."""
    kind = column.type()
    if kind.is_decimal() and engine == "postgres":
        return [column.notnull(), column.cast("string") != "NaN"]
    return [column.notnull(), *([~_nan(column)] if kind.is_floating() and engine != "sqlite" else [])]


def inside(column: Any, low: int, high: int, engine: str) -> Any:
    """Return a column that can become floats: PostgreSQL's decimals may be larger than any, which is an error there."""
    return column.clip(low, high) if column.type().is_decimal() and engine == "postgres" else column


def _nan(x: Any) -> Any:
    return x.isnan().fill_null(False)


def _total(x: Any) -> Any:
    """Return a float, with 0 in the place of NaN and of null: what follows must not fail before they are dropped."""
    return _nan(x).ifelse(0.0, x.fill_null(0.0))


def _literal(value: Any, kind: Any = None) -> Any:
    import ibis

    return ibis.literal(value, type=kind)


def _code(text: str) -> int:
    return int(hashlib.md5(text.encode(errors="surrogatepass"), usedforsecurity=False).hexdigest()[:14], 16)


def _place(x: Any, y1: int, y2: int, group: int, a: int, b: int) -> int:
    number: int = x if isinstance(x, int) else _code(repr(x))  # A column of integers may hold anything in SQLite.
    rest = number % P if number >= 0 else -(-number % P)  # The sign is the number's, as in SQL.
    return ((rest + a) * (y1 + b) % P + y2) ** 3 % P * (1 << ID_BITS) + group


def _number(x: Any) -> str:
    inside = min(max(_float(x), -(2.0**62)), 2.0**62)
    return f"f{floor(inside)}.{floor((inside - floor(inside)) * 2.0**30)}"


def _nearest(x: Any, low: float, high: float, multiply: float, divide: float) -> int:
    return floor(min(max(_float(x), low), high) * multiply / divide + 0.5)


def _float(x: Any) -> float:
    """Return a number that SQLite holds, or 0 for what is none."""
    return float(x) if isinstance(x, int | float) else 0.0


def _whole(x: Any) -> int | None:
    return x if isinstance(x, int) else None


def _real(x: Any) -> float | None:
    return float(x) if isinstance(x, int | float) else None


def _exact(x: Any, digits: int, places: int) -> float | None:
    return round(float(x), places) if isinstance(x, int | float) and abs(x) < 10**digits - 1 else None


def _truth(x: Any) -> bool | None:
    return bool(x) if isinstance(x, int | float) else None


def _day(x: Any) -> str | None:
    moment = _moment(x)
    return None if moment is None else moment[:10]


def _moment(x: Any) -> str | None:
    try:
        moment = datetime.fromisoformat(x)
        return (moment if moment.tzinfo is None else moment.astimezone(UTC).replace(tzinfo=None)).isoformat(sep=" ")
    except (TypeError, ValueError, OverflowError):
        return None


_TIDY: Final = {"boolean": _truth, "integer": _whole, "floating": _real, "date": _day, "timestamp": _moment}
"""What SQLite may hold in a column, as its type has it, or null."""


@cache
def _builtins() -> dict[str, Any]:
    """Return the engines' own functions that Ibis has no name for."""
    import ibis
    import ibis.expr.datatypes as dt

    def md5(text: str) -> str: ...  # type: ignore[empty-body]
    def decode(text: str, how: str) -> bytes: ...  # type: ignore[empty-body]
    def get_byte(data: bytes, place: int) -> int: ...  # type: ignore[empty-body]
    def conv(text: str, base: int, to: int) -> str: ...  # type: ignore[empty-body]
    def discreet_code(text: str) -> int: ...  # type: ignore[empty-body]
    def discreet_place(x: int, y1: int, y2: int, group: int, a: int, b: int) -> int: ...  # type: ignore[empty-body]
    def discreet_number(x: float) -> str: ...  # type: ignore[empty-body]
    def discreet_nearest(x: float, low: float, high: float, multiply: float, divide: float) -> int: ...  # type: ignore[empty-body]
    def discreet_whole(x: int) -> int: ...  # type: ignore[empty-body]
    def discreet_real(x: float) -> float: ...  # type: ignore[empty-body]
    def discreet_exact(x: Decimal, digits: int, places: int) -> float: ...  # type: ignore[empty-body]
    def discreet_truth(x: bool) -> bool: ...  # type: ignore[empty-body]
    def discreet_day(x: date) -> date: ...  # type: ignore[empty-body]
    def discreet_moment(x: datetime) -> datetime: ...  # type: ignore[empty-body]

    functions: list[Any] = [
        md5,
        decode,
        get_byte,
        conv,
        discreet_code,
        discreet_place,
        discreet_number,
        discreet_nearest,
    ]
    functions += [discreet_whole, discreet_real, discreet_exact, discreet_truth, discreet_day, discreet_moment]
    kinds = {"str": "string", "bytes": "binary", "int": "int64", "float": "float64", "bool": "boolean", "date": "date"}
    kinds |= {"datetime": "timestamp", "Decimal": "decimal"}
    for function in functions:
        function.__annotations__ = {name: dt.dtype(kinds[kind]) for name, kind in function.__annotations__.items()}
    get_byte.__annotations__["return"] = dt.int32  # So that a cast to 64 bits is not thought idle.
    found = {function.__name__: ibis.udf.scalar.builtin(function) for function in functions}
    discreet_moment.__annotations__["return"] = dt.Timestamp(timezone="UTC")
    return found | {"discreet_moment_utc": ibis.udf.scalar.builtin(discreet_moment)}
