"""Files of answers: written whole or not at all, and tried before anything is charged."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from discreet.files import checked_place, free_place, whole_file, write_text

__all__ = ["checked_target", "jsonable", "write"]

_SUFFIXES: Final = (".parquet", ".csv", ".json")


def checked_target(path: str | os.PathLike[str], /) -> Path:
    """Return where an answer can be saved, or raise: ask before the answer is made, because afterwards it is paid for.

    >>> checked_target("answer.txt")
    Traceback (most recent call last):
    discreet.errors.ParameterError: path='answer.txt': need a file that ends in .parquet, .csv or .json
    """
    target = checked_place(path, _SUFFIXES)
    free_place(receipt_path(target))
    return target


def receipt_path(target: Path) -> Path:
    """Return where the receipt of an answer is kept that has no room for it."""
    return target.with_name(f"{target.name}.receipt.json")


def write(path: str | os.PathLike[str], table: Any, receipt: Mapping[str, Any]) -> None:
    """Write an Arrow table: as Parquet, with its metadata, or as CSV or JSON, with the receipt beside it."""
    target = checked_target(path)
    suffix = target.suffix.lower()
    if suffix == ".parquet":
        from pyarrow import parquet

        with whole_file(target) as part:
            parquet.write_table(table, part)
        return
    write_text(receipt_path(target), _json(receipt))
    if suffix == ".csv":
        from pyarrow import csv

        with whole_file(target) as part:
            csv.write_csv(table, part)
        return
    rows = [{name: jsonable(value) for name, value in row.items()} for row in table.to_pylist()]
    write_text(target, _json(rows))


def jsonable(value: Any) -> Any:
    """Return a key or a value as JSON has it: dates, decimals and what is not finite as texts.

    >>> jsonable(3), jsonable(None), jsonable(float("inf"))
    (3, None, 'inf')
    """
    if value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    return str(value)


def _json(data: Any) -> str:
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"
