"""PostgreSQL, 14 and later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, ClassVar, Final

from discreet.errors import UnsupportedError
from discreet.tables.engines.engine import MOMENTS, Engine, call, literal
from discreet.tables.keys import decimals

__all__ = ["Postgres"]

_PLACES: Final = 300
"""Decimal numbers with so many places are floats; smaller ones are none, and an error."""
_SMALL: Final = 1e-290
"""A float below this is 0 in units of any grid, and an error where it is divided."""


class Postgres(Engine):
    """PostgreSQL: texts that ignore case or blanks, infinite days, numbers without end, and errors on underflow."""

    __slots__ = ()
    name: ClassVar = "postgres"

    def check(self, table: Any, columns: Sequence[str]) -> None:
        """Raise also where texts have no encoding."""
        super().check(table, columns)
        if self.backend.con.info.parameter_status("server_encoding") == "SQL_ASCII":
            raise UnsupportedError("postgres needs a database with an encoding, and SQL_ASCII is none")

    def prepare(self, query: Any, words: str) -> None:
        """Make the temporary tables of what is in this process: that may be forbidden, and is then not paid for."""
        self.backend._run_pre_execute_hooks(query)

    def bare(self, text: Any) -> Any:
        """Return a text of the database's own collation, which any pattern can be looked for in."""
        return call("convert_from", "string", self.octets(text), literal("UTF8"))

    def octets(self, text: Any) -> Any:
        """Return the bytes, which have no collation. What is joined to a text is one, be it citext or an enum."""
        return call("convert_to", "binary", text + "", literal("UTF8"))

    def hex(self, octets: Any) -> Any:
        """Return the digits."""
        return call("encode", "string", octets, literal("hex")).upper()

    def moments(self, column: Any) -> Any:
        """Return microseconds, by way of exact numbers, of which infinity is one."""
        seconds = column.epoch_seconds().cast("decimal")
        return (seconds * 10**6).clip(*MOMENTS).cast("int64")

    def clock(self, column: Any) -> Any:
        """Return microseconds, from the parts, which are there with a time zone and without."""
        seconds = (column.hour() * 60 + column.minute()) * 60 + column.second()
        return seconds.cast("int64") * 10**6 + column.microsecond().cast("int64")

    def digits(self, column: Any) -> Any:
        """Return texts of numbers that have an end, null for NaN."""
        import ibis.expr.datatypes as dt

        precision, scale = decimals(column.type())
        kind = dt.Decimal(precision, scale)
        least, most = (literal(Decimal(f"{sign}{10**precision - 1}e-{scale}"), kind) for sign in "-+")
        number = (column.cast("string") == "NaN").ifelse(literal(None, "decimal"), column.cast("decimal"))
        return number.clip(least, most).cast(kind).cast("string")

    def digest(self, text: Any) -> Any:
        """Return the first bytes, put together."""
        data = call("decode", "binary", call("md5", "string", text), literal("hex"))
        return sum(call("get_byte", "int32", data, literal(i)).cast("int64") * (1 << 8 * i) for i in range(7))

    def present(self, column: Any) -> list[Any]:
        """Return the conditions; among decimal numbers there is a NaN."""
        if column.type().is_decimal():
            return [column.notnull(), column.cast("string") != "NaN"]
        return super().present(column)

    def real(self, value: Any, low: int, high: int) -> Any:
        """Return floats that are neither too large nor too small for one, nor for what is done with them."""
        if value.type().is_decimal():
            return call("round", "decimal", value.cast("decimal").clip(low, high), literal(_PLACES)).cast("float64")
        x = value.cast("float64")
        return (x.abs() < _SMALL).ifelse(0.0, x)

    @contextmanager
    def cursor(self, words: str) -> Iterator[Any]:
        """Give a cursor that the server holds, so that the rows are not all here at once."""
        with self.backend.con.cursor(name="discreet") as cursor, self.backend.con.transaction():
            yield cursor.execute(words)

    def once(self, table: Any) -> Any:
        """Return the table with a limit that none reaches: PostgreSQL computes what is below one once."""
        return table.limit((1 << 63) - 1)
