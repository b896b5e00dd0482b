"""DuckDB, in this process."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar, Final

from discreet.tables.engines.engine import BLANKS, ENDS, TIME, Engine, call, literal, within
from discreet.tables.engines.taking import of_types

__all__ = ["DuckDB"]

_NANO: Final = 9
"""The scale of times in nanoseconds."""
_NANO_ENDS: Final = (datetime(1677, 9, 22), datetime(2262, 4, 11))


class DuckDB(Engine):
    """DuckDB: a column may ignore case or accents without its type saying so, and times may be infinite."""

    __slots__ = ()
    name: ClassVar = "duckdb"
    ahead: ClassVar = 1 << 14
    two_of_38: ClassVar = True  # HUGEINT and DECIMAL(38, 0).

    def attempt(self, value: Any) -> Any:
        """Return the value in a TRY; what is wrong within a COALESCE, that does not catch."""
        return call("try", value.type(), value)

    def without(self, rows: Any, value: Any, listed: Sequence[Any]) -> Any:
        """Return the rows by a join: in a list that it must not be in, DuckDB looks for each value from the start."""
        import ibis

        them = ibis.literal(list(listed), f"array<{value.type()}>").unnest().name("x").as_table()
        return rows.anti_join(them, value == them.x).select(rows.columns)

    def octets(self, text: Any) -> Any:
        """Return the bytes, which have no collation; a cast would read escapes in them."""
        return call("encode", "binary", text)

    def hex(self, octets: Any) -> Any:
        """Return the digits."""
        return call("hex", "string", octets)

    def moments(self, column: Any) -> Any:
        """Return microseconds, of times that are clipped first: a column of seconds holds more than fit into them."""
        return call("epoch_us", "int64", self.inside(column))

    def inside(self, moment: Any) -> Any:
        """Return a time that was clipped in its own type; those with a zone are one type, in microseconds."""
        import ibis.expr.datatypes as dt

        kind = moment.type()
        if kind.is_date() or kind.timezone:
            return super().inside(moment)
        ends = _NANO_ENDS if kind.scale == _NANO else ENDS
        return within(moment, *(literal(end, dt.Timestamp(scale=6)).cast(kind) for end in ends)).cast(TIME)

    def trimmed(self, text: Any) -> Any:
        """Return what DuckDB's trim returns."""
        return call("trim", "string", text, literal(BLANKS))

    def digits(self, column: Any) -> Any:
        """Return texts; where all digits are behind the point, DuckDB leaves out the 0 before it."""
        return call("regexp_replace", "string", column.cast("string"), literal("^(-?)[.]"), literal("\\10."))

    def clock(self, column: Any) -> Any:
        """Return microseconds."""
        return call("epoch_us", "int64", column)

    def digest(self, text: Any) -> Any:
        """Return the lowest bits of a number that DuckDB makes of the digest, the least significant byte first."""
        number = call("md5_number", "uint64", text)  # It has 128 bits, for which Ibis has no name.
        return (number & literal((1 << 56) - 1, "uint64")).cast("int64")

    def text_number(self, text: Any) -> Any:
        """Return the numbers, by a cast that gives null."""
        return text.try_cast("float64")

    def wide(self, x: Any) -> Any:
        """Return a HUGEINT, for which Ibis has no name: the type of a factorial."""
        return call("cast_to_type", "int64", x, call("factorial", "int64", literal(1)))

    def read(self, words: str, schema: Any) -> Any:
        """Return the answer, which is an Arrow table."""
        return of_types(self.backend.con.sql(words).to_arrow_table(), schema)
