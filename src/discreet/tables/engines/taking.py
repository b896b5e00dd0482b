"""Taking: some values of an Arrow column, and its numbers, in NumPy.

Arrow's own `take` and `cast` first import all of Arrow's functions, in longer than a small question takes to answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["of_types", "taken"]

_FEW: Final = 1 << 14
"""Of more values than this, Arrow's own functions are worth their import. They are groups that are released."""
_WIDE: Final = {"int64": np.int64, "double": np.float64}
_WHOLE: Final = {"int32": np.int32, "decimal128(38, 0)": np.int64}
"""Whole numbers of other widths, and of what they are made: the lower half before the upper."""


def taken(column: Any, rows: NDArray[np.intp]) -> Any:
    """Return the values of a column in some rows, in their order, as an Arrow array.

    >>> import pyarrow as pa
    >>> taken(pa.chunked_array([[b"a", None], [b"c"]]), np.array([2, 0, 1])).to_pylist()
    [b'c', b'a', None]
    """
    import pyarrow as pa

    if len(rows) > _FEW or str(column.type) not in {*_WIDE, "binary"}:
        return column.take(pa.Array.from_buffers(pa.int64(), len(rows), [None, _buffer(rows.astype(np.int64))]))
    order = np.argsort(rows, kind="stable")
    starts = np.cumsum([0, *map(len, column.chunks)])
    cuts = np.searchsorted(rows[order], starts)
    parts = [
        _of_chunk(chunk, rows[order[low:high]] - start)
        for chunk, start, low, high in zip(column.chunks, starts, cuts, cuts[1:], strict=False)
    ]
    return _of_chunk(pa.concat_arrays([pa.nulls(0, column.type), *parts]), np.argsort(order))


def of_types(table: Any, schema: Any) -> Any:
    """Return an answer with the types of the query: engines have wider ones for sums, and narrower ones for constants.

    >>> import pyarrow as pa
    >>> from decimal import Decimal
    >>> sums = pa.table({"a": pa.array([Decimal(-7), Decimal(2**62)], pa.decimal128(38, 0))})
    >>> of_types(sums, pa.schema([("a", pa.int64())]))["a"].to_pylist() == [-7, 2**62]
    True
    """
    import pyarrow as pa

    columns = [_of_type(column, kind) for column, kind in zip(table.columns, schema.types, strict=True)]
    return pa.Table.from_arrays(columns, schema=schema)


def _of_type(column: Any, kind: Any) -> Any:
    import pyarrow as pa

    if column.type == kind:
        return column
    if str(kind) != "int64" or str(column.type) not in _WHOLE or column.null_count:
        return column.cast(kind)
    chunks = [_whole(chunk) for chunk in column.chunks]
    return pa.chunked_array([pa.Array.from_buffers(kind, len(x), [None, _buffer(x)]) for x in chunks], kind)


def _whole(chunk: Any) -> NDArray[np.int64]:
    """Return whole numbers of 32 or 128 bits as such of 64, which they must fit into."""
    words = np.frombuffer(chunk.buffers()[1] or b"", _WHOLE[str(chunk.type)])
    if str(chunk.type) == "int32":
        return words[chunk.offset : chunk.offset + len(chunk)].astype(np.int64)
    low, high = words.reshape(-1, 2)[chunk.offset : chunk.offset + len(chunk)].T
    if (high != low >> 63).any():
        raise OverflowError("a number beyond 64 bits")
    return low  # type: ignore[no-any-return]


def _of_chunk(chunk: Any, rows: NDArray[np.intp]) -> Any:
    """Return values as an array: which are there, where each ends if they have lengths, and what they are."""
    import pyarrow as pa

    valid, *data = chunk.buffers()
    at = rows + chunk.offset
    if valid is not None:
        bits = np.frombuffer(valid, np.uint8)[at >> 3] >> (at & 7) & 1
        valid = _buffer(np.packbits(bits.astype(np.uint8), bitorder="little"))
    if len(data) == 1:
        values = np.frombuffer(data[0] or b"", _WIDE[str(chunk.type)])[at]
        return pa.Array.from_buffers(chunk.type, len(rows), [valid, _buffer(values)])
    offsets = np.frombuffer(data[0], np.int32)
    first = offsets[at].astype(np.int64)
    sizes = offsets[at + 1] - first
    ends = np.concatenate([[0], np.cumsum(sizes)])
    places = np.repeat(first - ends[:-1], sizes) + np.arange(ends[-1])
    octets = np.frombuffer(data[1] or b"", np.uint8)[places]
    return pa.Array.from_buffers(chunk.type, len(rows), [valid, _buffer(ends.astype(np.int32)), _buffer(octets)])


def _buffer(values: NDArray[Any]) -> Any:
    import pyarrow as pa

    return pa.py_buffer(np.ascontiguousarray(values))
