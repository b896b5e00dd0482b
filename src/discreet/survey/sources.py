"""Sources: columns from wherever they are, a chunk at a time: arrays, frames, Arrow, files, DuckDB and Spark."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np

from discreet.errors import KindError, ParameterError, none_of
from discreet.files import found_files, path_of, whole_file

__all__ = ["Texts", "chunks", "is_spark", "known", "plain", "reader", "spark_texts", "writer"]

_PARQUET: Final = (".parquet", ".pq")
_SUFFIXES: Final = "a file that ends in .parquet, .pq or .csv"


class Texts(list[str]):
    """Cells of a CSV file: text, which may stand for a number or for bytes."""


def chunks(source: Any, names: Sequence[str | None], size: int) -> Iterator[list[Any]]:
    """Yield columns of a source, in lists or arrays of at most *size* values; a source that is a column has no names.

    >>> list(chunks({"n": [1, 2, 3], "x": "abc"}, ["x", "n"], 2))
    [['ab', [1, 2]], ['c', [3]]]
    """
    if isinstance(source, str | os.PathLike):
        for columns in reader(source, names, size):
            yield [column if isinstance(column, Texts) else plain(column) for column in columns]
        return
    kind = type(source).__module__.partition(".")[0]
    if kind in ("pandas", "polars") or isinstance(source, Mapping | np.ndarray | Sequence):
        columns = _columns(source, names, kind)
        for start in range(0, len(columns[0]), size):
            yield [column[start : start + size] for column in columns]
    elif hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__"):
        yield from _arrow(source, names, size)
    else:
        raise KindError("reports", type(source), "a sequence, an array, a column, a frame with column=, or a path")


def _columns(source: Any, names: Sequence[str | None], kind: str) -> list[Any]:
    """Return whole columns of what is all in memory."""
    if isinstance(source, Mapping) or hasattr(source, "columns"):
        if isinstance(source, Mapping) and not all(name in source for name in names):  # Its keys may be data.
            raise KindError("reports", source, f"a mapping from the names of columns: {', '.join(map(str, names))}")
        listed = list(source) if isinstance(source, Mapping) else list(source.columns)
        return [_column(source[known(name, listed)], kind) for name in names]
    if list(names) != [None]:
        raise ParameterError("column", names[0], "none: this is a column already")
    return [_column(source, kind)]


def _column(source: Any, kind: str) -> Any:
    """Return a column as an array or a sequence, whose values are Python's own where they are not numbers."""
    if kind == "polars" and hasattr(source, "dtype"):
        return source.to_list() if source.dtype.is_object() else _joined(source.to_arrow())
    if kind == "pandas" and hasattr(source, "dtype"):
        numeric = isinstance(source.dtype, np.dtype) and source.dtype.kind in "iub"
        return source.to_numpy() if numeric else source.tolist()
    if isinstance(source, np.ndarray) and (source.ndim not in (1, 2) or source.dtype.kind == "S"):
        raise KindError("reports", f"{source.ndim}-dimensional {source.dtype}", "a column, or rows of bytes (uint8)")
    if isinstance(source, bytes | bytearray) or not isinstance(source, np.ndarray | Sequence):
        raise KindError("reports", type(source), "a sequence, an array, a column, a frame with column=, or a path")
    return source


def _joined(array: Any) -> Any:
    parts = [plain(part) for part in getattr(array, "chunks", [array])]
    if len(parts) == 1:
        return parts[0]
    shapes = {part.shape[1:] if isinstance(part, np.ndarray) else None for part in parts}
    if len(shapes) == 1 and None not in shapes:
        return np.concatenate(parts)
    return [value for part in parts for value in _listed(part)]


def _listed(part: Any) -> list[Any]:
    if isinstance(part, np.ndarray):
        return [row.tobytes() for row in part] if part.ndim == 2 else part.tolist()
    return list(part)


def _arrow(source: Any, names: Sequence[str | None], size: int) -> Iterator[list[Any]]:
    """Yield what speaks Arrow: a column of it, or the named columns of a table."""
    import pyarrow as pa

    if isinstance(source, pa.Array):
        source = pa.chunked_array([source])
    if isinstance(source, pa.ChunkedArray):
        if list(names) != [None]:
            raise ParameterError("column", names[0], "none: this is a column already")
        for part in source.chunks:
            yield from ([plain(part.slice(start, size))] for start in range(0, len(part), size))
        return
    if isinstance(source, pa.RecordBatch):
        source = pa.Table.from_batches([source])
    batches = pa.RecordBatchReader.from_stream(source)
    places = [batches.schema.names.index(known(name, batches.schema.names)) for name in names]
    for batch in batches:
        for start in range(0, len(batch), size):
            yield [plain(batch.column(i).slice(start, size)) for i in places]


def plain(array: Any) -> Any:
    """Return an Arrow array as rows of bytes where they are all of one length, else as an array or a list."""
    import pyarrow as pa

    kind = array.type
    if pa.types.is_dictionary(kind):
        array = array.dictionary_decode()
        kind = array.type
    if array.null_count:
        return array.to_pylist()
    if pa.types.is_fixed_size_binary(kind):
        width = kind.byte_width
        data = np.frombuffer(array.buffers()[1] or b"", np.uint8)[array.offset * width :]
        return data[: len(array) * width].reshape(len(array), width)
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        step = np.int64 if pa.types.is_large_binary(kind) else np.int32
        ends = np.frombuffer(array.buffers()[1] or b"", step)[array.offset : array.offset + len(array) + 1]
        widths = np.diff(ends)
        if len(widths) and (widths == widths[0]).all():
            data = np.frombuffer(array.buffers()[2] or b"", np.uint8)[int(ends[0]) : int(ends[-1])]
            return data.reshape(len(array), int(widths[0]))
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return array.to_numpy(zero_copy_only=False)
    return array.to_pylist()


def reader(source: str | os.PathLike[str], names: Sequence[str | None], size: int) -> Iterator[list[Any]]:
    """Yield columns of CSV or Parquet files, a chunk at a time and one chunk at least: Texts, or Arrow arrays."""
    for path in found_files(source, "file"):
        suffix = path.suffix.lower()
        if suffix in _PARQUET:
            yield from _parquet(path, names, size)
        elif suffix == ".csv":
            yield from _csv(path, names, size)
        else:
            raise ParameterError("file", str(path), _SUFFIXES)


def _parquet(path: Path, names: Sequence[str | None], size: int) -> Iterator[list[Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
    except pa.ArrowInvalid:
        raise ParameterError("file", str(path), "a Parquet file") from None
    with file:
        wanted = [known(name, file.schema_arrow.names) for name in names]
        empty = True
        for batch in file.iter_batches(batch_size=size, columns=wanted):
            empty = False
            yield [batch.column(name) for name in wanted]
        if empty:
            yield [pa.array([], file.schema_arrow.field(name).type) for name in wanted]


def _csv(path: Path, names: Sequence[str | None], size: int) -> Iterator[list[Any]]:
    """Yield columns of a CSV file. An error quotes nothing of the file, nor does what lies behind the error."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = _checked(csv.reader(file, strict=True), path)
        header = next(rows, None)
        if header is None:
            raise ParameterError("file", str(path), "a CSV file with a line of names at its top")
        wanted = [header.index(known(name, header)) for name in names]
        picked: list[list[str]] = []
        empty = True
        for row in rows:
            if not row and len(header) == 1:
                row = [""]  # noqa: PLW2901  An empty line is an empty cell, where there is one to a line.
            if row:
                picked.append(row)
            if len(picked) == size:
                empty = False
                yield _turned(picked, wanted, len(header), path)
                picked = []
        if picked or empty:
            yield _turned(picked, wanted, len(header), path)


def _checked(rows: Iterator[list[str]], path: Path) -> Iterator[list[str]]:
    while True:
        row: list[str] | None = None
        broken = False
        try:
            row = next(rows, None)
        except (csv.Error, UnicodeDecodeError):
            broken = True
        if broken:
            raise ParameterError("file", str(path), "a CSV file in UTF-8, with quotes that close")
        if row is None:
            return
        yield row


def _turned(rows: list[list[str]], wanted: list[int], width: int, path: Path) -> list[Texts]:
    if any(len(row) != width for row in rows):
        raise ParameterError("file", str(path), f"{width} cells in each line, as at the top")
    return [Texts(row[i] for row in rows) for i in wanted]


@contextmanager
def writer(target: str | os.PathLike[str]) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Give a function that adds columns to a CSV or Parquet file; the file appears when all of it is written."""
    path = path_of(target, "file")
    suffix = path.suffix.lower()
    if suffix not in (*_PARQUET, ".csv"):
        raise ParameterError("file", str(path), _SUFFIXES)
    if not path.parent.is_dir():
        raise ParameterError("file", str(path), "a folder that exists")
    with whole_file(path) as part, (_csv_writer if suffix == ".csv" else _parquet_writer)(part) as write:
        yield write


@contextmanager
def _csv_writer(path: Path) -> Iterator[Callable[[dict[str, Any]], None]]:
    with path.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file)
        fresh = [True]

        def write(columns: dict[str, Any]) -> None:
            if fresh.pop() if fresh else False:
                rows.writerow(columns)
            rows.writerows(zip(*map(_texts, columns.values()), strict=True))

        yield write


@contextmanager
def _parquet_writer(path: Path) -> Iterator[Callable[[dict[str, Any]], None]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    opened: list[Any] = []

    def write(columns: dict[str, Any]) -> None:
        batch = pa.RecordBatch.from_pydict(columns)
        if not opened:
            opened.append(pq.ParquetWriter(path, batch.schema))
        if batch.schema != opened[0].schema:
            raise ParameterError("keep", list(columns), "columns of one type throughout")
        opened[0].write_batch(batch)

    try:
        yield write
    finally:
        for file in opened:
            file.close()


def _texts(column: Any) -> Iterator[str]:
    """Yield a column as a CSV file can hold it: bytes in hexadecimal, the rest as it prints."""
    values = column.to_pylist() if hasattr(column, "to_pylist") else column
    return ("" if v is None else v.hex() if isinstance(v, bytes) else str(v) for v in values)


def known(column: str | None, names: Iterable[Any]) -> str:
    """Return the name of a column, or raise with the names there are; None stands for the only one.

    >>> known("ctiy", ["city", "age"])
    Traceback (most recent call last):
    discreet.errors.ParameterError: column='ctiy': need one of city, age; did you mean 'city'?
    """
    listed = list(names)
    if column is None and len(listed) == 1:
        return str(listed[0])
    if listed.count(column) == 1:
        return str(column)
    if column in listed:
        raise ParameterError("column", column, "one column of that name, not several")
    raise none_of("column", column, listed)


def is_spark(source: Any) -> bool:
    """Whether a source is a Spark data frame.

    >>> is_spark([1, 2])
    False
    """
    return type(source).__module__.startswith("pyspark.sql")


def spark_texts(frame: Any, column: str | None, count: Callable[[Iterable[Any]], Iterable[str]]) -> list[str]:
    """Return what *count* makes, on Spark's workers, of the Arrow batches of each partition's column."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # Else workers may start another Python.
    name = known(column, frame.columns).replace("`", "``")

    def each(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        yield pa.RecordBatch.from_pydict({"box": list(count(batches))})

    reports = frame.select(frame[f"`{name}`"].alias("report"))  # Dots and backticks mean something to Spark.
    return [row["box"] for row in reports.mapInArrow(each, "box string").collect()]
