"""Frames: pandas, Polars and Arrow as Arrow tables, a column at a time, so that one column does not spoil another."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from functools import cache
from typing import Any, Final

__all__ = ["arrow_table"]

_UNITS: Final = {"s": 10**6, "ms": 10**3}
"""Microseconds in the units that reach beyond them."""
_MOST: Final = 1 << 62
_DAY: Final = 86_400
_LAST: Final = 4_000_000
"""A day, by its number, that is beyond all years which Python has."""


def arrow_table(frame: Any) -> Any:
    """Return a frame as an Arrow table; a lazy Polars frame is collected, a reader read.

    A category is its value. A column that the engine cannot hold, such as pandas' periods, becomes an empty struct with
    the name of its type: no question takes a struct, and the error then says which type it was.
    """
    import pyarrow as pa

    for method in ("collect", "read_all"):
        if hasattr(frame, method) and type(frame).__name__ in ("LazyFrame", "RecordBatchReader"):
            frame = getattr(frame, method)()
    pairs = dict(_columns(frame))
    if len(pairs) < frame.shape[1]:
        raise ValueError
    return pa.table(pairs)


def _columns(frame: Any) -> Iterator[tuple[str, Any]]:
    import pyarrow as pa

    named = getattr(frame, "column_names", None)  # Arrow makes the list anew each time that it is asked.
    names = named or list(frame.columns)
    for i, name in enumerate(names):
        if not isinstance(name, str):
            raise TypeError
        column = frame[name] if named is None else frame.column(i)
        try:
            yield name, _converted(column)
        except (pa.ArrowException, TypeError, ValueError, NotImplementedError):
            kind = getattr(column, "dtype", None)
            said = getattr(kind, "name", None) or type(kind).__name__ if kind is not None else str(column.type)
            yield name, pa.nulls(len(column), pa.struct([(said, pa.bool_())]))


def _converted(column: Any) -> Any:
    import pyarrow as pa

    if not isinstance(column, pa.Array | pa.ChunkedArray):
        column = column.to_arrow() if hasattr(column, "to_arrow") else _from_pandas(column)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_duration(column.type) or pa.types.is_nested(column.type):  # No question takes any.
        raise TypeError  # DuckDB stops on long durations, and of lists one entry may be no text.
    column = _in_microseconds(column) if getattr(column.type, "tz", None) else _valid(column)
    _check(column.type)
    return column


def _from_pandas(column: Any) -> Any:
    """Return a column of pandas; in one of texts, a lone surrogate, which is no character, is replaced."""
    import pyarrow as pa

    try:
        return pa.Array.from_pandas(column)
    except UnicodeEncodeError:
        if column.dtype != "string":
            raise
        texts = [x.encode(errors="replace").decode() if isinstance(x, str) else None for x in column]
        return pa.array(texts, pa.large_string())


def _in_microseconds(column: Any) -> Any:
    """Return times with a zone as DuckDB has them; it stops on seconds that are beyond its microseconds."""
    import pyarrow as pa
    import pyarrow.compute as pc

    unit, zone = column.type.unit, column.type.tz
    if unit in _UNITS:
        most = pa.scalar(_MOST // _UNITS[unit])
        counts = pc.min_element_wise(column.cast(pa.int64()), most, skip_nulls=False)
        column = pc.max_element_wise(counts, pc.negate(most), skip_nulls=False).cast(column.type)
    return column.cast(pa.timestamp("us", zone), safe=False)


def _valid(column: Any) -> Any:
    """Return a column with what its type has: bytes that are no UTF-8 are replaced, a day has no hours.

    Numbers of too many digits are null, and so are times that no day has. Arrow checks none of this unless asked, and
    DuckDB stops on some of it; after such a number, it answers no question any more. Whether there is any may tell of
    one row, so that nothing is refused for it.
    """
    import pyarrow as pa

    kind = column.type
    if pa.types.is_date64(kind):
        return _days(column)
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        if pa.types.is_decimal(kind):
            most = Decimal(10) ** (kind.precision - kind.scale)
            return pa.array([None if x is None or x.copy_abs() >= most else x for x in column.to_pylist()], kind)
        if pa.types.is_time(kind):
            return _clocks(column)
        if not any(is_text(kind) for is_text in (pa.types.is_string, pa.types.is_large_string, _is_view)):
            raise
        texts = column.cast(pa.binary_view() if _is_view(kind) else pa.large_binary()).to_pylist()
        return pa.array([None if x is None else x.decode(errors="replace") for x in texts], pa.large_string())
    return column


def _is_view(kind: Any) -> bool:
    import pyarrow as pa

    return bool(kind == pa.string_view())


def _days(column: Any) -> Any:
    """Return the days of milliseconds, whatever their hours are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    day, most = _DAY * 1000, pa.scalar(_LAST * _DAY * 1000)
    count = pc.max_element_wise(column.cast(pa.int64()), pc.negate(most), skip_nulls=False)
    count = pc.min_element_wise(count, most, skip_nulls=False)
    down = pc.if_else(pc.less(count, 0), pc.subtract(count, day - 1), count)
    return pc.divide(down, pa.scalar(day)).cast(pa.int32()).cast(pa.date32())


def _clocks(column: Any) -> Any:
    """Return times of the day; numbers that are none are null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    count = column.cast(pa.int32() if kind.bit_width == 32 else pa.int64()).cast(pa.int64())
    most = _DAY * {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}[kind.unit]
    inside = pc.and_(pc.greater_equal(count, 0), pc.less(count, most))
    return pc.if_else(inside, count, None).cast(pa.int32() if kind.bit_width == 32 else pa.int64()).cast(kind)


@cache
def _check(kind: Any) -> None:
    """Raise where Ibis or DuckDB has no such type."""
    import duckdb
    import ibis
    import pyarrow as pa

    try:
        ibis.Schema.from_pyarrow(pa.schema([("x", kind)]))
        duckdb.connect().from_arrow(pa.table({"x": pa.array([], kind)})).fetchall()
    except Exception as error:  # Of either, each has its own.
        raise TypeError from error
