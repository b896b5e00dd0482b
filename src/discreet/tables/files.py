"""Files of answers: written whole or not at all, and tried before anything is charged."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from discreet.errors import KindError, ParameterError

__all__ = ["checked_target", "jsonable", "write"]

_SUFFIXES: Final = (".parquet", ".csv", ".json")


def checked_target(path: str | os.PathLike[str], /) -> Path:
    """Return where an answer can be saved, or raise: ask before the answer is made, because afterwards it is paid for.

    >>> checked_target("answer.txt")
    Traceback (most recent call last):
    discreet.errors.ParameterError: path='answer.txt': need a file that ends in .parquet, .csv or .json
    """
    try:
        target = Path(path)
    except TypeError:
        raise KindError("path", path, "a path") from None
    if target.suffix.lower() not in _SUFFIXES:
        raise ParameterError("path", str(target), "a file that ends in .parquet, .csv or .json")
    if not target.parent.is_dir():
        raise ParameterError("path", str(target), f"a folder that exists, unlike {str(target.parent)!r}")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise ParameterError("path", str(target), "a folder that can be written")
    for place in (target, receipt_path(target)):
        if place.exists() and not place.is_file():
            raise ParameterError("path", str(place), "a place for a file, where nothing else is")
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

        return _whole(target, lambda part: parquet.write_table(table, part))
    _whole(receipt_path(target), lambda part: part.write_text(_json(receipt), encoding="utf-8"))
    if suffix == ".csv":
        from pyarrow import csv

        return _whole(target, lambda part: csv.write_csv(table, part))
    rows = [{name: jsonable(value) for name, value in row.items()} for row in table.to_pylist()]
    return _whole(target, lambda part: part.write_text(_json(rows), encoding="utf-8"))


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


def _whole(target: Path, fill: Callable[[Path], object]) -> None:
    """Make a file: the old contents stay until the new ones are safe on the disk."""
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        fill(part)
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)
