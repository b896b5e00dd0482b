"""SQLite, where a column may hold anything: what is not of the column's type is null as a key, and 0 as a value."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from math import floor
from typing import Any, ClassVar, Final, TypeVar
from uuid import UUID

from discreet.errors import KindError, UnsupportedError
from discreet.tables.engines.engine import HALF, LOW, MOMENTS, Engine, P, call, literal
from discreet.tables.keys import decimals

__all__ = ["SQLite"]

T = TypeVar("T")


class SQLite(Engine):
    """SQLite, with functions of ours: they get texts as bytes, because not all of them are UTF-8."""

    __slots__ = ()
    name: ClassVar = "sqlite"

    def check(self, table: Any, columns: Sequence[str]) -> None:
        """Raise also where a column has no type, of which Ibis would guess one from a row; make our functions known."""
        import ibis.expr.operations as ops

        super().check(table, columns)
        con, failure, untyped = self.backend.con, "", []
        try:
            for source in table.op().find(ops.DatabaseTable):
                found = con.execute("SELECT name, type FROM pragma_table_info(?)", [source.name]).fetchall()
                untyped += [name for name, kind in found if not kind and name in columns]
            if vars(self.backend).get("_discreet_functions") is not con:  # Once: a cursor that is open forbids it.
                for arity, function in _FUNCTIONS:
                    con.create_function(f"discreet{function.__name__}", arity, function, deterministic=True)
                vars(self.backend)["_discreet_functions"] = con
        except sqlite3.Error as error:
            failure = type(error).__name__
        if failure:
            need = "ask in the thread that made the connection, and close cursors that are open"
            raise UnsupportedError(f"sqlite cannot be asked this ({failure}); nothing was charged: {need}")
        for name in untyped:
            raise KindError("column", name, "a column with a type, which its table or view does not say: cast it")

    def schema(self, source: Any) -> Any:
        """Return what is declared: where nothing is, Ibis would look at a row, and nothing that is asked depends on it.

        That goes for all columns of a query, whose values may be of any type, like those of any other column.
        """
        made = source.schema
        if not hasattr(source, "namespace"):
            return made
        read = 'SELECT name, type, NOT "notnull" FROM pragma_table_info(?, ?)'
        rows = self.backend.con.execute(read, (source.name, source.namespace.database or "main"))
        typed = self.backend.compiler.type_mapper.from_string
        return {name: typed(kind, nullable=bool(null)) if kind else made.get(name) for name, kind, null in rows}

    def who(self, column: Any) -> Any:
        """Return people as they are held, texts as bytes: an expression, unlike a column, has no collation."""
        import ibis.expr.datatypes as dt
        import ibis.expr.operations as ops

        octets = ops.Cast(column, dt.binary).to_expr()
        kind = dt.binary if column.type().is_string() else column.type()
        return call("iif", kind, call("typeof", "string", column) == "text", octets, column)

    def key(self, column: Any) -> Any:
        """Return what a function of ours makes of each value."""
        kind, held = column.type(), self.who(column)
        if kind.is_decimal():
            precision, scale = decimals(kind)
            return call("discreet_exact", "binary", held, literal(precision - scale), literal(scale))
        name, returns = next(found for what, found in _READERS.items() if getattr(kind, f"is_{what}")())
        return call(f"discreet{name}", returns, held)

    def octets(self, text: Any) -> Any:
        """Return the bytes."""
        return self.who(text)

    def hex(self, octets: Any) -> Any:
        """Return the digits."""
        return call("hex", "string", octets)

    def moments(self, column: Any) -> Any:
        """Return microseconds."""
        return self.key(column)

    def clock(self, column: Any) -> Any:
        """Return microseconds."""
        return self.key(column)

    def digest(self, text: Any) -> Any:
        """Return what our function computes: SQLite has no digest."""
        return call("discreet_code", "int64", text)

    def present(self, column: Any) -> list[Any]:
        """Return the condition; SQLite keeps NaN as null."""
        return [column.notnull()]

    def real(self, value: Any, low: int, high: int) -> Any:
        """Return what is held: `nearest` takes anything."""
        return self.who(value)

    def nearest(self, x: Any, low: float, high: float, multiply: float, divide: float) -> Any:
        """Return what our function computes: SQLite's parser has little room for nested expressions."""
        return call("discreet_nearest", "int64", x, *map(literal, (low, high, multiply, divide)))

    def number(self, x: Any) -> Any:
        """Return what our function computes."""
        return call("discreet_number", "string", x)

    def place(self, x: Any, code: Any, a: int, b: int) -> Any:
        """Return what our function computes: a remainder, as Ibis writes it for SQLite, goes through floats."""
        return call("discreet_place", "int64", x, code, literal(a), literal(b))


def _code(text: str) -> int:
    return int.from_bytes(hashlib.md5(text.encode(), usedforsecurity=False).digest()[:7], "little")


def _place(x: Any, code: int, a: int, b: int) -> int:
    number: int = x if isinstance(x, int) else _code(repr(x))  # A column of integers may hold anything.
    rest = number % P if number >= 0 else -(-number % P)  # The sign is the number's, as in SQL.
    return ((rest + a) * ((code >> 28) + b) % P + code % HALF) ** 3 % P * LOW + code % LOW


def _number(x: float) -> str:
    inside = min(max(x, -(2.0**62)), 2.0**62)
    return f"{floor(inside)}.{floor((inside - floor(inside)) * 2.0**30)}"


def _nearest(x: Any, low: float, high: float, multiply: float, divide: float) -> int:
    number = float(x) if isinstance(x, int | float) else 0.0
    return floor(min(max(number, low), high) * multiply / divide + 0.5)


def _truth(x: Any) -> int | None:
    return int(bool(x)) if isinstance(x, int | float) else None


def _whole(x: Any) -> int | None:
    return x if isinstance(x, int) else None


def _real(x: Any) -> float | None:
    return float(x) + 0.0 if isinstance(x, int | float) else None


def _exact(x: Any, digits: int, places: int) -> bytes | None:
    if not isinstance(x, int | float) or not abs(x) < 10**digits - 1:
        return None
    text = f"{x:.{places}f}"
    return (text.lstrip("-") if not text.strip("-0.") else text).encode()


def _letters(x: Any) -> bytes | None:
    if x is None:
        return None
    return x.decode(errors="replace").encode() if isinstance(x, bytes) else str(x).encode()


def _uuid(x: Any) -> bytes | None:
    return _read(x, lambda text: str(UUID(text)).encode())


def _day(x: Any) -> int | None:
    return _read(x, lambda text: (datetime.fromisoformat(text).date() - date(1970, 1, 1)).days)


def _moment(x: Any) -> int | None:
    least, most = MOMENTS
    return _read(x, lambda text: min(max(_since_1970(datetime.fromisoformat(text)), least), most))


def _clock(x: Any) -> int | None:
    midnight = datetime(1970, 1, 1)
    return _read(x, lambda text: _since_1970(datetime.combine(midnight, time.fromisoformat(text).replace(tzinfo=None))))


def _since_1970(moment: datetime) -> int:
    known = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (known - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def _read(x: Any, reader: Callable[[str], T]) -> T | None:
    """Return what a text says, or None where it says nothing of the kind."""
    try:
        return reader(x.decode())
    except (AttributeError, ValueError, OverflowError):
        return None


_READERS: Final = {
    "boolean": ("_truth", "int64"),
    "integer": ("_whole", "int64"),
    "floating": ("_real", "float64"),
    "date": ("_day", "int64"),
    "timestamp": ("_moment", "int64"),
    "time": ("_clock", "int64"),
    "uuid": ("_uuid", "binary"),
    "string": ("_letters", "binary"),
    "binary": ("_letters", "binary"),
}
"""How the values of a type are read, and what they become."""
_FUNCTIONS: Final = (
    (1, _code),
    (4, _place),
    (1, _number),
    (5, _nearest),
    (3, _exact),
    *((1, function) for function in (_truth, _whole, _real, _day, _moment, _clock, _uuid, _letters)),
)
