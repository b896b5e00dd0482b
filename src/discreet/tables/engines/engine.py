"""An engine: what a bounding asks of the database that holds the table, in forms that fail on no value.

People are compared as the engine holds them, and texts byte by byte, whatever their collation. The key of a group
travels as a whole number, a float or bytes: `key` makes it so in the engine, row by row, and `keys.Wire` reads it in
Python. How a key is read, and as which type, is thus decided by the column's type and never by other rows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache, reduce
from inspect import Parameter, Signature
from math import nan
from operator import add, and_, mul, sub, truediv
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from discreet.errors import KindError, MismatchError, ParameterError, show
from discreet.tables.engines.taking import taken

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "ARITHMETIC",
    "BLANKS",
    "DAYS",
    "DAY_END",
    "ENDS",
    "HALF",
    "LOW",
    "MOMENTS",
    "POWERS",
    "SIZES",
    "TIME",
    "WHOLE",
    "Engine",
    "Fetch",
    "P",
    "alike",
    "call",
    "checked_again",
    "clipped",
    "literal",
    "numbers",
    "placed",
    "read_by",
    "reader_of",
    "within",
]

_EPOCH: Final = datetime(1970, 1, 1)
P: Final = 1518500213
"""A prime below 2**30.5 with P = 2 modulo 3, so that cubing is one-to-one."""
HALF: Final = 1 << 28
LOW: Final = 1 << 32
MOMENTS: Final = tuple(
    (end - _EPOCH) // timedelta(microseconds=1) for end in (datetime(1, 1, 2), datetime(9999, 12, 30))
)
"""The first and the last moment, in microseconds: a time zone may still add a day to it."""
DAY_END: Final = 24 * 60 * 60 * 10**6 - 1
"""The last microsecond of a day: engines have 24:00."""
POWERS: Final = (2.0**-64, *(2.0**exponent for exponent in range(-32, 65)))
"""The upper ends of the bins 0, 1, 2, ... that sizes of values are in: those beyond in the last, 0 in the first."""
ENDS: Final = tuple(_EPOCH + timedelta(microseconds=end) for end in MOMENTS)
WHOLE: Final = (-(1 << 63), (1 << 63) - 1)
"""The ends of whole numbers."""
TIME: Final = "timestamp(6)"
DAYS: Final = ("year", "quarter", "month", "week", "day")
"""The units that begin with a day."""
BLANKS: Final = " \t\n\v\f\r"
ARITHMETIC: Final[dict[str, Callable[[Any, Any], Any]]] = {"+": add, "-": sub, "*": mul, "/": truediv}
SIZES: Final = (1e-100, 1e100)
"""Between which floats are added and multiplied: PostgreSQL fails on an overflow, and on an underflow."""
_CHUNK: Final = 1 << 20
"""How many rows are read at a time."""
_AGAIN: Final = "_discreet_again"
_READ: Final = "_discreet_read"
_NAMES: Final = ("integer", "string", "boolean", "date", "timestamp", "floating", "decimal", "uuid", "time")


Fetch = Callable[[Any], list[Any]]
"""From places in an answer to the keys there, an Arrow array for each group column."""


@dataclass(frozen=True, slots=True)
class Engine(ABC):
    """A connection to an engine, and the engine's own words for what a bounding needs."""

    backend: Any
    name: ClassVar[str]
    ahead: ClassVar[int] = 0
    """How many of a table's first rows are looked at for groups whose codes are then looked up."""
    two_of_38: ClassVar[bool] = False
    """Whether Ibis has one name for two types of 38 digits, which do not mix."""
    deepest: ClassVar[int] = 200
    """How many operations within each other the engine's parser takes, in the place that a filter has in a query."""

    def check(self, table: Any, columns: Sequence[str]) -> None:
        """Raise where a table, or a column that is asked about, would fail whatever it holds."""
        import ibis.expr.operations as ops

        for source in table.op().find((ops.DatabaseTable, ops.InMemoryTable)):
            if (
                source.name[:1] in "tT"
                and source.name[1:].isdecimal()
                and not getattr(source.namespace, "database", None)
            ):
                need = "a table that is not called t and a number, as parts of the query are: make a view of it"
                raise ParameterError("table", source.name, need)

    def words(self, query: Any) -> str:
        """Return a query in the words of the engine."""
        return self.backend.compile(query)  # type: ignore[no-any-return]

    def prepare(self, query: Any, words: str) -> None:
        """Raise where the engine cannot read the words of a query, if that is not known of all of them."""
        return

    def check_unchanged(self, table: Any) -> None:
        """Raise unless all that a table stands on has the columns, of the types, that it had when the table was made.

        A query is total for those types alone. Of another one, a single row might decide whether it fails.
        """
        import ibis.expr.operations as ops

        vars(self.backend).get(_AGAIN, lambda: None)()
        for source in table.op().find((ops.DatabaseTable, ops.SQLQueryResult)):
            made, now = source.schema, self.schema(source)
            if [*now.items()] != [*made.items()]:
                other = [name for name in {**made, **now} if made.get(name) != now.get(name)] or ["their order"]
                raise MismatchError(
                    f"the columns of the source, or their types, are not what they were when the Table was made "
                    f"({show(other)}): make the Table anew; nothing was charged"
                )

    def schema(self, source: Any) -> Any:
        """Return the columns of a source and their types, as they are now."""
        if not hasattr(source, "namespace"):
            return self.backend._get_schema_using_query(source.query)
        where = source.namespace
        return self.backend.get_schema(source.name, catalog=where.catalog, database=where.database)

    def usable(self, column: Any, name: str, role: str) -> None:
        """Raise unless a column is of a type that can name a person or a group."""
        kind = column.type()
        if not any(getattr(kind, f"is_{what}")() for what in _NAMES) and not (role == "person" and kind.is_binary()):
            need = f"a column of integers, texts, booleans, dates, times or numbers, not {kind}"
            raise KindError("column", name, need)

    def without(self, rows: Any, value: Any, listed: Sequence[Any]) -> Any:
        """Return the rows whose value, which is never null, is none of those that are listed."""
        return rows.filter(~value.isin(list(listed)))

    def who(self, column: Any) -> Any:
        """Return a column of people in which equal means the same: texts are bytes, -0.0 is 0.0, and NaN is one."""
        kind = column.type()
        if kind.is_floating():
            return _nan(column).ifelse(literal(nan, kind), (column == 0).ifelse(0.0, column)).cast(kind)
        return self.octets(column) if kind.is_string() else column

    def key(self, column: Any) -> Any:
        """Return a column of keys, or of people, as whole numbers, floats or bytes.

        Days and times beyond Python's become its first and last ones, and 24:00 the last microsecond of the day.
        """
        import ibis

        kind = column.type()
        if kind.is_boolean():
            return ibis.cases((column, 1), (~column, 0)).cast("int64")
        if kind.is_integer():
            return column if kind.is_uint64() else column.cast("int64")
        if kind.is_floating():
            return self.who(column).cast("float64")
        if kind.is_date():
            return self.days(column)
        if kind.is_timestamp():
            return self.moments(column)
        if kind.is_time():
            return self.clock(column).clip(0, DAY_END)
        if kind.is_decimal():
            return self.octets(self.digits(column))
        if kind.is_uuid():
            return self.octets(column.cast("string"))
        return column if kind.is_binary() else self.letters(column)

    def attempt(self, value: Any) -> Any:
        """Return a value, or a condition, that is null for a row on which it fails, where there is a way to say so."""
        return value

    def exactly(self, value: Any) -> Any:
        """Return a choice among literals that has the type which Ibis says: for engines, those of floats are exact."""
        import ibis.expr.operations as ops

        kind = value.type()
        return ops.Cast(value, kind).to_expr() if kind.is_floating() else value  # Ibis's own would be left out.

    def inside(self, moment: Any) -> Any:
        """Return a day or a time within Python's years; one with a time zone, in UTC and without it."""
        import ibis.expr.datatypes as dt

        if moment.type().is_date():
            return within(moment, literal(date.min), literal(date.max))
        if moment.type().timezone is None:
            return within(moment.cast(TIME), *(literal(end, TIME) for end in ENDS))
        kind = dt.Timestamp(timezone="UTC", scale=6)
        utc = within(moment.cast(kind), *(literal(end.replace(tzinfo=UTC), kind) for end in ENDS))
        return call("timezone", TIME, literal("UTC"), utc)

    def part(self, name: str, moment: Any) -> Any:
        """Return the part of a day or a time, within Python's years, that an operation of Ibis with this name is."""
        import ibis.expr.operations as ops

        return getattr(ops, name)(moment).to_expr()

    def truncated(self, moment: Any, unit: str) -> Any:
        """Return the time at which the year, month, week, ... of a day or a time begins."""
        return call("date_trunc", TIME, literal(unit), moment.cast(TIME))

    def translated(self, text: Any, before: str, after: str) -> Any:
        """Return a text in which some characters stand for others."""
        return call("translate", "string", text, literal(before), literal(after))

    def trimmed(self, text: Any) -> Any:
        """Return a text without the blanks of ASCII at its ends."""
        return call("btrim", "string", text, literal(BLANKS))

    def cut(self, text: Any, start: int, length: int) -> Any:
        """Return some characters of a text, each a code point."""
        return text.substr(start, length)

    def length(self, text: Any) -> Any:
        """Return how many code points a text has."""
        return text.length()

    def like(self, text: Any, pattern: str) -> Any:
        """Return whether a text is like a pattern, in which case counts."""
        return text.like(pattern)

    def arithmetic(self, sign: str, x: Any, y: Any, *, whole: bool) -> Any:
        """Return a sum, difference, product or quotient: of whole numbers in 64 bits, or of floats; null beyond."""
        import ibis.expr.datatypes as dt

        if whole:  # In decimal numbers of 38 digits, which hold every product.
            found = ARITHMETIC[sign](*(side.cast(dt.Decimal(19, 0)) for side in (x, y)))
            low, high = (literal(Decimal(end), dt.Decimal(38, 0)) for end in WHOLE)
            return ((found >= low) & (found <= high)).ifelse(found, literal(None, found.type())).cast("int64")
        a, b = (_moderate(self.floated(side)) for side in (x, y))
        return ARITHMETIC[sign](a, b.nullif(0.0) if sign == "/" else b)

    def floated(self, x: Any) -> Any:
        """Return numbers as floats; of decimals, those with at most 18 digits before the point."""
        return self.real(self.known(x), -(10**18), 10**18) if x.type().is_decimal() else x.cast("float64")

    def known(self, decimal: Any) -> Any:
        """Return decimals without the NaN that an engine may have among them."""
        return reduce(and_, self.present(decimal)).ifelse(decimal, literal(None, decimal.type()))

    def floored(self, x: Any, width: int) -> Any:
        """Return the greatest multiple of a whole number that is at most a number, or null."""
        kind, least = x.type(), -(-WHOLE[0] // width) * width  # The least multiple there is.
        if kind.is_floating():
            x = (x.cast("float64").abs() < 2.0**53).ifelse(x.cast("float64"), literal(None, "float64")).floor()
        elif kind.is_decimal():
            x = call("floor", "float64", self.known(x))  # Ibis would cast it to its own type, which may be too narrow.
        number = x.cast("int64")
        safe = (number < least).ifelse(least, number)
        return (number >= least).ifelse(safe - (safe % width + width) % width, literal(None, "int64"))

    def bare(self, text: Any) -> Any:
        """Return a text that can be compared with any other: an engine may fail, row by row, where collations meet."""
        return text

    def read_moment(self, moment: Any) -> Any:
        """Return a day or a time of a column as it is compared with others."""
        return moment

    @abstractmethod
    def octets(self, text: Any) -> Any:
        """Return the bytes of a text, in UTF-8 and without its collation."""

    def letters(self, text: Any) -> Any:
        """Return the bytes of a text that Python can decode."""
        return self.octets(text)

    @abstractmethod
    def hex(self, octets: Any) -> Any:
        """Return the hexadecimal digits of bytes, in capitals."""

    def days(self, column: Any) -> Any:
        """Return dates as days since 1970."""
        return self.inside(column).delta(literal(_EPOCH.date()), unit="day").cast("int64")

    @abstractmethod
    def moments(self, column: Any) -> Any:
        """Return times as microseconds since 1970; those with a time zone in UTC."""

    @abstractmethod
    def clock(self, column: Any) -> Any:
        """Return times of day as microseconds; a time zone is dropped."""

    def digits(self, column: Any) -> Any:
        """Return decimal numbers as texts, with all the digits of their scale."""
        return column.cast("string")

    @abstractmethod
    def digest(self, text: Any) -> Any:
        """Return the first 7 bytes of the MD5 digest of a text as a number, the least significant byte first."""

    def present(self, column: Any) -> list[Any]:
        """Return the conditions that a value is there: neither null nor NaN."""
        return [column.notnull(), *([~_nan(column)] if column.type().is_floating() else [])]

    def real(self, value: Any, low: int, high: int) -> Any:
        """Return numbers as floats that can be scaled; those beyond the bounds may become the bounds."""
        return value.cast("float64")

    def nearest(self, x: Any, low: float, high: float, multiply: float, divide: float) -> Any:
        """Return the integer nearest to a float, clipped and scaled. No float makes it fail, nor does null."""
        return (clipped(_total(x), low, high) * multiply / divide + 0.5).floor().cast("int64")

    def number(self, x: Any) -> Any:
        """Return a float's whole part and 30 bits of its fraction, as text. Floats that are closer share it."""
        inside = _total(x).clip(-(2.0**62), 2.0**62)
        fraction = ((inside - inside.floor()) * 2.0**30).floor()
        text = inside.floor().cast("int64").cast("string") + "." + fraction.cast("int64").cast("string")
        return _nan(x).ifelse("nan", text)

    def power(self, x: Any) -> Any:
        """Return the bin of powers of two that a float's size is in, below 0 for floats below 0. None makes it fail."""
        place = placed(x.abs(), POWERS)
        return (x < 0).ifelse(-place, place)

    def text_number(self, text: Any) -> Any:
        """Return the numbers that texts are, null for those that are none, where the engine has a cast that says so."""
        return text

    def wide(self, x: Any) -> Any:
        """Return a whole number as one of 128 bits, where the engine adds such and shifts them; else None.

        Ibis takes it for one of 64 bits.
        """
        return None

    def once(self, table: Any) -> Any:
        """Return a table of which each column is computed once, however often it is used."""
        return table

    def place(self, x: Any, code: Any, a: int, b: int) -> Any:
        """Return the place in the order, where the engine has a shorter way to it; else None."""
        return None

    def answer(self, query: Any, words: str, keys: list[str]) -> tuple[Any, Fetch]:
        """Return the answer as an Arrow table with the types of the query, and how the keys of its rows are had.

        *words* are the query as it is sent. An engine that holds the answer elsewhere sends the keys of some rows only.
        """
        self.backend._run_pre_execute_hooks(query)  # Which show it the tables that are in this process.
        found = self.read(words, query.schema().to_pyarrow())
        return found, lambda rows: [taken(found.column(key), rows) for key in keys]

    def read(self, words: str, schema: Any) -> Any:
        """Return an answer as an Arrow table, from the rows of a cursor."""
        import pyarrow as pa

        with self.cursor(words) as cursor:
            chunks = iter(lambda: cursor.fetchmany(_CHUNK), [])
            rows = [pa.array(map(tuple, chunk), pa.struct(list(schema))) for chunk in chunks]
        return pa.Table.from_batches(map(pa.RecordBatch.from_struct_array, rows), schema)

    def cursor(self, words: str) -> AbstractContextManager[Any]:
        """Return a cursor over an answer."""
        return self.backend._safe_raw_sql(words)  # type: ignore[no-any-return]


def checked_again(backend: Any, check: Callable[[], None]) -> None:
    """Do a check of files now, and again before each question to the connection that reads them."""
    check()
    before = vars(backend).get(_AGAIN, lambda: None)

    def both() -> None:
        before()
        check()

    vars(backend)[_AGAIN] = both


def read_by(backend: Any, read: Callable[[Any], Any]) -> Any:
    """Return a table of files by a connection of its own, which remembers how another connection would read them."""
    vars(backend)[_READ] = read
    return read(backend)


def reader_of(backend: Any) -> Callable[[Any], Any] | None:
    """Return how the files of a connection are read by another one; None where it has no files."""
    found: Callable[[Any], Any] | None = vars(backend).get(_READ)
    return found


def numbers(column: Any) -> NDArray[np.int64]:
    """Return a column of whole numbers, none of which is null; Arrow's own `to_numpy` would import pandas."""
    return np.concatenate([np.empty(0, np.int64), *map(np.from_dlpack, column.chunks)])


def alike(answer: Any, keys: Sequence[str]) -> NDArray[np.intp]:
    """Return a number for each row of an answer, which rows of the same keys share; missing keys are the same, too.

    Where the keys stay with the engine, it says in a column g which rows have the same.
    """
    codes = np.zeros(answer.num_rows, np.intp)
    columns = [answer.column("g")] if "g" in answer.column_names else [answer.column(key) for key in keys]
    for column in columns:
        coded = column.combine_chunks().dictionary_encode(null_encoding="encode").indices
        both = codes * (len(codes) + 1) + np.from_dlpack(coded)
        codes = np.unique(both, return_inverse=True)[1]
    return codes


def call(name: str, returns: Any, *arguments: Any) -> Any:
    """Return a call of a function of the engine's own, for which Ibis has no name."""
    return _function(name, len(arguments), returns)(*arguments)


@cache
def _function(name: str, arity: int, returns: Any) -> Any:
    import ibis

    def stub() -> None: ...

    parameters = [Parameter(f"x{i}", Parameter.POSITIONAL_OR_KEYWORD) for i in range(arity)]
    stub.__signature__ = Signature(parameters)  # type: ignore[attr-defined]  # From which Ibis makes the call.
    stub.__annotations__ = {"return": ibis.dtype(returns)}
    return ibis.udf.scalar.builtin(stub, name=name)


def literal(value: Any, kind: Any = None) -> Any:
    """Return a value as an Ibis expression."""
    import ibis

    return ibis.literal(value, type=kind)


def within(column: Any, low: Any, high: Any) -> Any:
    """Return a column between two ends, of which there are values beyond; null stays null."""
    return (column < low).ifelse(low, (column > high).ifelse(high, column))


def placed(x: Any, edges: Sequence[float]) -> Any:
    """Return the place of the first edge that a number does not exceed, or the last, in few comparisons."""
    if len(edges) == 1:
        return literal(0, "int64")
    half = (len(edges) + 1) // 2
    return (x <= edges[half - 1]).ifelse(placed(x, edges[:half]), half + placed(x, edges[half:]))


def clipped(x: Any, low: float, high: float) -> Any:
    """Return numbers, none of which is null, between two ends; Ibis's own clip says each of them four times."""
    import ibis

    return ibis.least(ibis.greatest(x, low), high)


def _moderate(x: Any) -> Any:
    """Return a float that can be multiplied: 0 if it is small, null if it is large; NaN is the largest of all."""
    small, large = SIZES
    return (x.abs() <= large).ifelse((x.abs() < small).ifelse(0.0, x), literal(None, "float64"))


def _nan(x: Any) -> Any:
    return x.isnan().fill_null(False)


def _total(x: Any) -> Any:
    """Return a float, with 0 in the place of NaN and of null: what follows must not fail before they are dropped."""
    return _nan(x).ifelse(0.0, x.fill_null(0.0))
