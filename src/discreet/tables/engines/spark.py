"""Spark, with ANSI mode on or off."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import Any, ClassVar, Final

from discreet.errors import UnsupportedError
from discreet.tables.engines.engine import MOMENTS, TIME, Engine, Fetch, call, literal

__all__ = ["Spark"]

_READ_DIGITS: Final = "conv"


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

    def inside(self, moment: Any) -> Any:
        """Return a time; in UTC, which the session is in, a zone makes no difference."""
        if moment.type().is_date():
            return super().inside(moment)
        return super().inside(call("to_timestamp", TIME, moment))

    def clock(self, column: Any) -> Any:
        """Spark has no times of day."""
        raise UnsupportedError("pyspark has no times of day")

    def digest(self, text: Any) -> Any:
        """Return the first digits, read as a number, the bytes of which then trade places."""
        digits = call("left", "string", text.hexdigest("md5"), literal(14))
        number = call(_READ_DIGITS, "string", digits, literal(16), literal(10)).cast("int64")
        return reduce(or_, (((number >> (48 - shift)) & 255) << shift for shift in range(0, 56, 8)))

    def once(self, table: Any) -> Any:
        """Return the table of another one, to which the numbers that digests are read as are added first.

        Each is said seven times in its digest, and Spark computes what stands beside an aggregate as often as it is
        said. It merges no two steps of which the second says what the first computes more than once.
        """
        import ibis.expr.operations as ops

        made = table.op()
        numbers = dict.fromkeys(number for value in made.values.values() for number in _read(value))
        if not numbers:
            return table
        before = made.parent.to_expr()
        first = before.mutate(**{f"digest{i}": number.to_expr() for i, number in enumerate(numbers)})
        known = {number: first[f"digest{i}"].op() for i, number in enumerate(numbers)}
        known |= {before[name].op(): first[name].op() for name in before.columns}
        return first.select(**{name: value.replace(known, ops.Value).to_expr() for name, value in made.values.items()})

    def without(self, rows: Any, value: Any, listed: Sequence[Any]) -> Any:
        """Return the rows; a value that is a digest becomes a column first."""
        if not _read(value.op()):
            return super().without(rows, value, listed)
        coded = self.once(rows.mutate(digest=value))
        return super().without(coded, coded.digest, listed).select(rows.columns)

    def answer(self, query: Any, words: str, keys: list[str]) -> tuple[Any, Fetch]:
        """Return the answer without its keys, which stay on the executors; the driver gets those of some rows.

        Rows are sorted before they are numbered, so that a task that runs twice numbers them alike; and they are kept
        as they are then: should some be lost, Spark fails, and computes none anew.
        """
        import numpy as np
        import pyarrow as pa
        from pyspark.sql import Window, functions

        self.backend._run_pre_execute_hooks(query)
        frame = self.backend.raw_sql(words)
        sorted_ = frame.sortWithinPartitions(*frame.columns)
        held = sorted_.withColumn("row", functions.monotonically_increasing_id()).localCheckpoint()
        types = query.schema().to_pyarrow()
        shown = held
        if "h" in frame.columns and keys:  # Rows of one group are known by the first of them.
            shown = held.withColumn("g", functions.min("row").over(Window.partitionBy(*keys)))
        found = shown.drop(*keys).toArrow()  # As Spark sends it; Ibis would make integers floats beside a null.
        numbers = found.column("row").to_numpy()

        def fetch(rows: Any) -> list[Any]:
            wanted = self.backend._session.createDataFrame(pa.table({"row": numbers[rows]}))
            sent = held.select("row", *keys).join(functions.broadcast(wanted), "row").toArrow()
            places = np.argsort(sent.column("row").to_numpy())[np.argsort(np.argsort(numbers[rows]))]
            return [sent.column(key).take(places).cast(types.field(key).type) for key in keys]

        return found, fetch


def _read(value: Any) -> list[Any]:
    """Return the parts of a value that are digits read as numbers."""
    import ibis.expr.operations as ops

    return value.find(  # type: ignore[no-any-return]
        lambda node: getattr(getattr(node, "arg", None), "__func_name__", "") == _READ_DIGITS, ops.Value
    )
