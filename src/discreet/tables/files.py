"""Files of answers: written whole or not at all, and tried before anything is charged."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO, Final

from discreet.errors import ParameterError
from discreet.files import checked_place, free_place, path_of, whole_file, write_text
from discreet.tables.workbook import check_writer, write_workbook

__all__ = ["checked_target", "jsonable", "print_csv", "receipt_path", "saved_rows", "write", "write_tables"]

_SUFFIXES: Final = (".parquet", ".csv", ".json", ".xlsx")
_SIGNS: Final = tuple("=+-@\t\r\n'＝＋－＠")
"""With what a text begins that a spreadsheet takes for a formula; and the apostrophe, so that none is taken for two."""


def checked_target(path: str | os.PathLike[str], /) -> Path:
    """Return where an answer can be saved, or raise: ask before the answer is made, because afterwards it is paid for.

    >>> checked_target("answer.txt")
    Traceback (most recent call last):
    discreet.errors.ParameterError: path='answer.txt': need a file that ends in .parquet, .csv, .json or .xlsx
    """
    target = checked_place(path, _SUFFIXES)
    if target.suffix.lower() == ".xlsx":
        check_writer()
    free_place(receipt_path(target))
    return target


def receipt_path(target: Path) -> Path:
    """Return where the receipt of an answer is kept that has no room for it."""
    return target.with_name(f"{target.name}.receipt.json")


def write(
    path: str | os.PathLike[str],
    table: Any,
    receipt: Mapping[str, Any],
    statements: Sequence[tuple[str, str]] = (),
    *,
    safe_csv: bool = False,
) -> None:
    """Write an Arrow table: Parquet, with its metadata, a workbook, or CSV or JSON, with the receipt beside it.

    The *statements* are what is said of the figures on a sheet of their own.
    """
    target = checked_target(path)
    suffix = target.suffix.lower()
    if suffix == ".parquet":
        from pyarrow import parquet

        with whole_file(target) as part:
            parquet.write_table(table, part)
    elif suffix == ".xlsx":
        with whole_file(target) as part:
            write_workbook(part, [("Figures", table)], statements, receipt)
    else:
        write_text(receipt_path(target), to_json(receipt))
        if suffix == ".json":
            rows = [{name: jsonable(value) for name, value in row.items()} for row in table.to_pylist()]
            write_text(target, to_json(rows))
            return
        with whole_file(target) as part, part.open("wb") as file:
            _write_csv(file, table, safe_csv)


def write_tables(path: str | os.PathLike[str], answers: Mapping[str, Any], /) -> None:
    """Write answers into one workbook, each on a sheet of its own, and what is said of them on another."""
    target = checked_target(path)
    said = [(f"{name}: {what}", text) for name, answer in answers.items() for what, text in answer.statements]
    receipts = {name: answer.said for name, answer in answers.items()}
    with whole_file(target) as part:
        write_workbook(part, [(name, answer.to_arrow()) for name, answer in answers.items()], said, receipts)


def saved_rows(path: str | os.PathLike[str], /) -> list[dict[str, Any]]:
    """Return the rows of an answer that was saved as Parquet or JSON, in which no value has lost its type.

    >>> saved_rows("answer.csv")
    Traceback (most recent call last):
    discreet.errors.ParameterError: path='answer.csv': need a file that ends in .parquet or .json, as answers are saved
    """
    place = path_of(path)
    suffix, rows = place.suffix.lower(), None
    if suffix not in (".parquet", ".json"):
        raise ParameterError("path", str(path), "a file that ends in .parquet or .json, as answers are saved")
    if not place.is_file():
        raise ParameterError("path", str(path), "a file that exists")
    if suffix == ".parquet":
        import pyarrow as pa
        from pyarrow import parquet

        with suppress(pa.ArrowException):
            rows = parquet.read_table(place).to_pylist()
    else:
        with suppress(ValueError, RecursionError):
            rows = json.loads(place.read_text(encoding="utf-8"))
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ParameterError("path", str(path), "an answer that was saved")
    return rows


def print_csv(table: Any, *, safe_csv: bool = False) -> None:
    """Write an Arrow table to the standard output, as CSV."""
    sys.stdout.flush()
    _write_csv(sys.stdout.buffer, table, safe_csv)
    sys.stdout.flush()


def _write_csv(file: BinaryIO, table: Any, safe_csv: bool) -> None:
    from pyarrow import csv

    csv.write_csv(_without_formulas(table) if safe_csv else table, file)


def _without_formulas(table: Any) -> Any:
    """Return a table in which no text is taken for a formula by a spreadsheet, and texts that differ still do."""
    import pyarrow as pa

    columns = [
        pa.array([None if x is None else _escaped(x) for x in column.to_pylist()], pa.large_string())
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
        else column
        for column in table.columns
    ]
    return pa.table(columns, names=[_escaped(name) for name in table.column_names])


def _escaped(text: str) -> str:
    return f"'{text}" if text.startswith(_SIGNS) else text


def jsonable(value: Any) -> Any:
    """Return a key or a value as JSON has it: dates, decimals and what is not finite as texts.

    >>> jsonable(3), jsonable(None), jsonable(float("inf"))
    (3, None, 'inf')
    """
    if value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return str(value)


def to_json(data: Any) -> str:
    """Return the text of a file of JSON."""
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
