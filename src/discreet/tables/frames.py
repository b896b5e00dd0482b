"""Frames: pandas, Polars and Arrow as Arrow tables, a column at a time, so that one column does not spoil another."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any

__all__ = ["arrow_table"]


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

    names = getattr(frame, "column_names", None) or list(frame.columns)
    for i, name in enumerate(names):
        if not isinstance(name, str):
            raise TypeError
        column = frame.column(i) if hasattr(frame, "column_names") else frame[name]
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
    _check(column.type)
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
