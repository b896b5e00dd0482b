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
        column = column.to_arrow() if hasattr(column, "to_arrow") else pa.Array.from_pandas(column)
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    if pa.types.is_duration(column.type):  # DuckDB stops on long ones, and no question takes any.
        raise TypeError
    column = _in_microseconds(column) if getattr(column.type, "tz", None) else _valid(column)
    _check(column.type)
    return column


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
    """Return a column with what its type has: bytes that are no UTF-8 are replaced, numbers of too many digits null.

    Arrow checks neither unless asked, and DuckDB stops on both; after such a number, it answers no question any more.
    """
    import pyarrow as pa

    kind = column.type
    try:
        column.validate(full=True)
    except pa.ArrowInvalid:
        if pa.types.is_decimal(kind):
            most = Decimal(10) ** (kind.precision - kind.scale)
            return pa.array([None if x is None or x.copy_abs() >= most else x for x in column.to_pylist()], kind)
        if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
            raise
        texts = column.cast(pa.large_binary()).to_pylist()
        return pa.array([None if x is None else x.decode(errors="replace") for x in texts], pa.large_string())
    return column


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
