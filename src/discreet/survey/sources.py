"""Sources: reports from wherever they are, a chunk at a time: arrays, frames, Arrow, files, DuckDB and Spark."""

from __future__ import annotations

import glob
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import numpy as np

from discreet.errors import KindError, ParameterError

__all__ = ["Texts", "chunks", "is_spark", "plain", "reader", "spark_texts", "writer"]

_SIGNS: Final = frozenset("*?[")


class Texts(list[str]):
    """Cells of a CSV file: text, which may stand for a number or for bytes."""


def chunks(source: Any, column: str | None, size: int) -> Iterator[Any]:
    """Yield a source in lists or arrays of at most *size* reports.

    >>> [chunk for chunk in chunks(["a", "b", "c"], None, 2)]
    [['a', 'b'], ['c']]
    """
    if isinstance(source, str | os.PathLike):
        for (values,) in reader(source, [column], size):
            yield values if isinstance(values, Texts) else plain(values)
    elif isinstance(source, np.ndarray):
        if source.ndim not in (1, 2) or source.dtype.kind == "S":
            raise KindError(
                "reports", f"{source.ndim}-dimensional {source.dtype}", "a column, or rows of bytes (uint8)"
            )
        yield from (source[i : i + size] for i in range(0, len(source), size))
    elif hasattr(source, "__arrow_c_stream__") or hasattr(source, "__arrow_c_array__"):
        yield from _arrow(source, column, size)
    elif hasattr(source, "to_numpy") and column is None:  # A column of pandas.
        yield from chunks(source.to_numpy(), None, size)
    elif isinstance(source, Sequence) and not isinstance(source, bytes | bytearray):
        yield from (source[i : i + size] for i in range(0, len(source), size))
    elif hasattr(source, "__getitem__") and column is not None:  # A frame.
        yield from chunks(source[_known(column, getattr(source, "columns", [column]))], None, size)
    else:
        raise KindError("reports", type(source), "a sequence, an array, a column, a frame with column=, or a path")


def _arrow(source: Any, column: str | None, size: int) -> Iterator[Any]:
    """Yield what speaks Arrow: a column of it, or the named column of a table."""
    import pyarrow as pa

    if isinstance(source, pa.Array):
        source = pa.chunked_array([source])
    elif not isinstance(source, pa.ChunkedArray):
        schema = source.__arrow_c_schema__() if hasattr(source, "__arrow_c_schema__") else None
        if (schema is not None and not pa.types.is_struct(pa.DataType._import_from_c_capsule(schema))) or (
            hasattr(source, "__arrow_c_stream__") and column is None and not _has_columns(source)
        ):
            source = pa.chunked_array(source)
    if isinstance(source, pa.ChunkedArray):
        for part in source.chunks:
            for start in range(0, len(part), size):
                yield plain(part.slice(start, size))
        return
    reader = pa.RecordBatchReader.from_stream(source)
    name = _known(column, reader.schema.names)
    for batch in reader:
        for start in range(0, len(batch), size):
            yield plain(batch.column(name).slice(start, size))


def _has_columns(source: Any) -> bool:
    return hasattr(source, "columns") or hasattr(source, "schema")


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
        data = np.frombuffer(array.buffers()[1], np.uint8)[array.offset * width :]
        return data[: len(array) * width].reshape(len(array), width)
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        step = np.int64 if pa.types.is_large_binary(kind) else np.int32
        ends = np.frombuffer(array.buffers()[1], step)[array.offset : array.offset + len(array) + 1]
        widths = np.diff(ends)
        if len(widths) and (widths == widths[0]).all():
            data = np.frombuffer(array.buffers()[2] or b"", np.uint8)[int(ends[0]) : int(ends[-1])]
            return data.reshape(len(array), int(widths[0]))
    if pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return array.to_numpy(zero_copy_only=False)
    return array.to_pylist()


def _paths(source: str | os.PathLike[str]) -> list[Path]:
    text = os.fspath(source)
    found = sorted(glob.glob(text, recursive=True)) if _SIGNS & set(text) else [text]  # noqa: PTH207  Absolute patterns.
    paths = [Path(name) for name in found]
    if not paths or not all(path.is_file() for path in paths):
        raise ParameterError("reports", text, "a file that exists, or a pattern that finds some")
    return paths


def reader(source: str | os.PathLike[str], names: Sequence[str | None], size: int) -> Iterator[list[Any]]:
    """Yield columns of CSV or Parquet files, a chunk at a time and one chunk at least: Texts, or Arrow arrays."""
    for path in _paths(source):
        suffix = path.suffix.lower()
        if suffix in (".parquet", ".pq"):
            yield from _parquet(path, names, size)
        elif suffix == ".csv":
            yield from _csv(path, names, size)
        else:
            raise ParameterError("file", str(path), "a file that ends in .parquet, .pq or .csv")


def _parquet(path: Path, names: Sequence[str | None], size: int) -> Iterator[list[Any]]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
    except pa.ArrowInvalid as error:
        raise ParameterError("file", str(path), f"a Parquet file ({error})") from None
    with file:
        known = [_known(name, file.schema_arrow.names) for name in names]
        empty = True
        for batch in file.iter_batches(batch_size=size, columns=known):
            empty = False
            yield [batch.column(name) for name in known]
        if empty:
            yield [pa.array([], file.schema_arrow.field(name).type) for name in known]


def _csv(path: Path, names: Sequence[str | None], size: int) -> Iterator[list[Any]]:
    import pyarrow as pa
    import pyarrow.csv as pc

    with path.open("rb") as file:
        head = file.readline()
    try:
        known = [_known(name, pc.read_csv(pa.BufferReader(head.rstrip() + b"\n")).column_names) for name in names]
        options = pc.ConvertOptions(
            include_columns=known, column_types=dict.fromkeys(known, pa.string()), strings_can_be_null=False
        )
        parsing = pc.ParseOptions(newlines_in_values=True)
        with pc.open_csv(path, convert_options=options, parse_options=parsing) as rows:
            empty = True
            for batch in rows:
                columns = [batch.column(i).to_pylist() for i in range(len(known))]
                for start in range(0, len(batch), size):
                    empty = False
                    yield [Texts(column[start : start + size]) for column in columns]
            if empty:
                yield [Texts() for _ in known]
    except pa.ArrowInvalid as error:
        reason = str(error).split(":", 1)[0]  # What follows may quote a row.
        raise ParameterError("file", str(path), f"a CSV file with a line of names at its top ({reason})") from None


@contextmanager
def writer(target: str | os.PathLike[str]) -> Iterator[Callable[[dict[str, Any]], None]]:
    """Give a function that adds columns to a CSV or Parquet file; the file appears when all of it is written."""
    import pyarrow as pa

    path = Path(target)
    suffix = path.suffix.lower()
    if suffix not in (".parquet", ".pq", ".csv"):
        raise ParameterError("file", str(path), "a file that ends in .parquet, .pq or .csv")
    if not path.parent.is_dir():
        raise ParameterError("file", str(path), "a folder that exists")
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    opened: list[Any] = []

    def write(columns: dict[str, Any]) -> None:
        if suffix == ".csv":
            columns = {name: _as_texts(column) for name, column in columns.items()}
        batch = pa.RecordBatch.from_pydict(columns)
        if not opened:
            opened.append(_open(part, batch.schema, csv=suffix == ".csv"))
        opened[0].write_batch(batch)

    try:
        yield write
        for file in opened:
            file.close()
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def _open(path: Path, schema: Any, *, csv: bool) -> Any:
    if csv:
        from pyarrow.csv import CSVWriter

        return CSVWriter(path, schema)
    from pyarrow.parquet import ParquetWriter

    return ParquetWriter(path, schema)


def _as_texts(column: Any) -> Any:
    """Return a column as a CSV file can hold it: bytes in hexadecimal, the rest as it prints."""
    import pyarrow as pa

    values = column.to_pylist() if isinstance(column, pa.Array) else column
    return pa.array(["" if v is None else v.hex() if isinstance(v, bytes) else str(v) for v in values], pa.string())


def _known(column: str | None, names: Iterable[Any]) -> str:
    """Return the name of the column, or raise with the names there are."""
    listed = list(names)
    if column is None and len(listed) == 1:
        return str(listed[0])
    if column not in listed:
        raise ParameterError("column", column, f"one of {', '.join(map(str, listed[:20]))}{_near(column, listed)}")
    return str(column)


def _near(column: str | None, names: list[Any]) -> str:
    from difflib import get_close_matches

    close = get_close_matches(str(column), [str(name) for name in names], n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def is_spark(source: Any) -> bool:
    """Whether a source is a Spark data frame.

    >>> is_spark([1, 2])
    False
    """
    return type(source).__module__.startswith("pyspark.sql")


def spark_texts(frame: Any, column: str | None, count: Callable[[Iterable[Any]], Iterable[str]]) -> list[str]:
    """Return what *count* makes, on Spark's workers, of the Arrow batches of each partition's column."""
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # Else workers may start another Python.
    name = _known(column, frame.columns)

    def each(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow as pa

        yield pa.RecordBatch.from_pydict({"box": list(count(batches))})

    return [row["box"] for row in frame.select(f"`{name}`").mapInArrow(each, "box string").collect()]
