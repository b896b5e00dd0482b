"""SQLite, where a column may hold anything: what is not of the column's type is null as a key, and 0 as a value."""

from __future__ import annotations

import hashlib
import sqlite3
from bisect import bisect_left
from collections.abc import Sequence
from datetime import date, datetime, time
from math import floor
from typing import Any, ClassVar, Final
from uuid import UUID

from discreet.errors import KindError, UnsupportedError
from discreet.tables.engines.engine import DAYS, HALF, LOW, MOMENTS, POWERS, TIME, Engine, P, call, literal
from discreet.tables.engines.rowwise import FUNCTIONS, read, since_1970
from discreet.tables.keys import decimals

__all__ = ["SQLite"]

_MOST: Final = (1 << 63) - 1


class SQLite(Engine):
    """SQLite, with functions of ours: they get texts as bytes, because not all of them are UTF-8."""

    __slots__ = ()
    name: ClassVar = "sqlite"
    deepest: ClassVar = 10

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
                for arity, function in (*_FUNCTIONS, *FUNCTIONS):
                    name = f"discreet_{function.__name__.lstrip('_')}"
                    con.create_function(name, arity, function, deterministic=True)
                vars(self.backend)["_discreet_functions"] = con
        except sqlite3.Error as error:
            failure = type(error).__name__
        if failure:
            need = "ask in the thread that made the connection, and close cursors that are open"
            raise UnsupportedError(f"sqlite cannot be asked this ({failure}); nothing was charged: {need}")
        for name in untyped:
            raise KindError("column", name, "a column with a type, which its table or view does not say: cast it")

    def words(self, query: Any) -> str:
        """Return a query whose steps follow each other: within each other they overflow the parser's stack."""
        import sqlglot
        from sqlglot.optimizer.eliminate_subqueries import eliminate_subqueries

        steps = eliminate_subqueries(sqlglot.parse_one(super().words(query), dialect="sqlite"))
        return str(steps.sql("sqlite"))

    def prepare(self, query: Any, words: str) -> None:
        """Let SQLite parse the query, and run nothing: its parser's stack has room for a hundred words."""
        failure = ""
        self.backend._run_pre_execute_hooks(query)
        try:
            self.backend.con.execute(f"EXPLAIN {words}").close()
        except sqlite3.Error as error:
            failure = type(error).__name__
        if failure:
            raise UnsupportedError(f"sqlite cannot parse the query ({failure}); nothing was charged: nest less in it")

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
        if kind.is_integer():
            least, most = kind.bounds
            ends = literal(max(int(least), -_MOST - 1)), literal(min(int(most), _MOST))
            return call("discreet_whole", "int64", held, *ends)
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

    def power(self, x: Any) -> Any:
        """Return what our function computes."""
        return call("discreet_power", "int64", x)

    def number(self, x: Any) -> Any:
        """Return what our function computes."""
        return call("discreet_number", "string", x)

    def place(self, x: Any, code: Any, a: int, b: int) -> Any:
        """Return what our function computes: a remainder, as Ibis writes it for SQLite, goes through floats."""
        return call("discreet_place", "int64", x, code, literal(a), literal(b))

    def read_moment(self, moment: Any) -> Any:
        """Return what our function reads, in one form: a column has many for one moment, and may hold anything."""
        kind = moment.type()
        returns = kind if kind.is_date() else kind.copy(scale=6)
        return call("discreet_moment", returns, self._held(moment), literal(int(kind.is_date())))

    def inside(self, moment: Any) -> Any:
        """Return what is held: our functions read it."""
        return self._held(moment)

    def part(self, name: str, moment: Any) -> Any:
        """Return what our function reads."""
        return call("discreet_part", "int32", moment, literal(name), literal(int(moment.type().is_date())))

    def truncated(self, moment: Any, unit: str) -> Any:
        """Return what our function reads: a day, or a time."""
        day = literal(int(moment.type().is_date()))
        return call("discreet_truncated", "date" if unit in DAYS else TIME, moment, literal(unit), day)

    def translated(self, text: Any, before: str, after: str) -> Any:
        """Return what our function makes of the text."""
        return call("discreet_translated", "string", self._held(text), literal(before), literal(after))

    def trimmed(self, text: Any) -> Any:
        """Return what our function makes of the text."""
        return call("discreet_trimmed", "string", self._held(text))

    def cut(self, text: Any, start: int, length: int) -> Any:
        """Return what our function makes of the text."""
        return call("discreet_cut", "string", self._held(text), literal(start), literal(length))

    def length(self, text: Any) -> Any:
        """Return what our function counts: SQLite stops at a null character."""
        return call("discreet_length", "int32", self._held(text))

    def like(self, text: Any, pattern: str) -> Any:
        """Return what our function says: for SQLite's own, case does not count."""
        return call("discreet_like", "boolean", self._held(text), literal(pattern))

    def arithmetic(self, sign: str, x: Any, y: Any, *, whole: bool) -> Any:
        """Return what our function computes."""
        name, returns = ("discreet_wholes", "int64") if whole else ("discreet_reals", "float64")
        return call(name, returns, self._held(x), literal(sign), self._held(y))

    def floored(self, x: Any, width: int) -> Any:
        """Return what our function computes."""
        return call("discreet_floored", "int64", self._held(x), literal(width))

    def _held(self, column: Any) -> Any:
        """Return a value as `who` does; what our functions return, and a literal, is said once."""
        import ibis.expr.operations as ops

        return column if isinstance(column.op(), ops.ScalarUDF | ops.Literal) else self.who(column)


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


def _power(x: Any) -> int:
    number = float(x) if isinstance(x, int | float) else 0.0
    place = min(bisect_left(POWERS, abs(number)), len(POWERS) - 1)
    return -place if number < 0 else place


def _truth(x: Any) -> int | None:
    return int(bool(x)) if isinstance(x, int | float) else None


def _whole(x: Any, least: int, most: int) -> int | None:
    return x if isinstance(x, int) and least <= x <= most else None  # A SMALLINT may hold any number.


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
    return read(x, lambda text: str(UUID(text)).encode())


def _day(x: Any) -> int | None:
    return read(x, lambda text: (datetime.fromisoformat(text).date() - date(1970, 1, 1)).days)


def _moment(x: Any) -> int | None:
    least, most = MOMENTS
    return read(x, lambda text: min(max(since_1970(datetime.fromisoformat(text)), least), most))


def _clock(x: Any) -> int | None:
    midnight = datetime(1970, 1, 1)
    return read(x, lambda text: since_1970(datetime.combine(midnight, time.fromisoformat(text).replace(tzinfo=None))))


_READERS: Final = {
    "boolean": ("_truth", "int64"),
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
    (3, _whole),
    *((1, function) for function in (_power, _truth, _real, _day, _moment, _clock, _uuid, _letters)),
)
