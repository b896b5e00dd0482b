"""Spark, with ANSI mode on or off."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from discreet.errors import UnsupportedError
from discreet.tables.engines.engine import MOMENTS, Engine, call, literal

__all__ = ["Spark"]


class Spark(Engine):
    """Spark: a column may have any collation, a text any bytes, and a time may be after 2262."""

    __slots__ = ()
    name: ClassVar = "pyspark"

    def check(self, table: Any, columns: Sequence[str]) -> None:
        """Raise also where the session is in a time zone, in which times without one would be shifted."""
        super().check(table, columns)
        if self.backend._session.conf.get("spark.sql.session.timeZone") not in ("UTC", "Etc/UTC", "Z", "+00:00"):
            raise UnsupportedError("pyspark needs spark.sql.session.timeZone=UTC, as Ibis sets it")

    def octets(self, text: Any) -> Any:
        """Return the bytes, which have no collation."""
        return text.cast("binary")

    def letters(self, text: Any) -> Any:
        """Return the bytes, with a replacement character for those that are no UTF-8."""
        return call("make_valid_utf8", "string", text).cast("binary")

    def hex(self, octets: Any) -> Any:
        """Return the digits."""
        return call("hex", "string", octets)

    def moments(self, column: Any) -> Any:
        """Return microseconds; in UTC, times with and without a zone are the same."""
        return call("unix_micros", "int64", call("to_timestamp", "timestamp", column)).clip(*MOMENTS)

    def clock(self, column: Any) -> Any:
        """Spark has no times of day."""
        raise UnsupportedError("pyspark has no times of day")

    def digest(self, text: Any) -> Any:
        """Return the first pairs of digits, the last of them first, read as a number."""
        digits = text.hexdigest("md5")
        pairs = (digits.substr(2 * i, 2) for i in reversed(range(7)))
        return call("conv", "string", call("concat", "string", *pairs), literal(16), literal(10)).cast("int64")

    def answer(self, query: Any) -> Any:
        """Return the answer as Spark sends it; Ibis would make integers floats beside a null."""
        self.backend._run_pre_execute_hooks(query)
        return self.backend.raw_sql(self.backend.compile(query)).toArrow().cast(query.schema().to_pyarrow())
