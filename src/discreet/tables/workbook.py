"""Workbooks: figures and what is to be said of them as xlsx, in which no text is ever a formula or a link."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from discreet.errors import UnsupportedError
from discreet.words import shortened

__all__ = ["check_writer", "write_workbook"]

_ROWS: Final = (1 << 20) - 1
"""Rows of a sheet, below its head."""
_LONGEST: Final = 32_767
"""Characters of a cell."""
_NAME: Final = 31
"""Characters of a sheet's name."""
_EXACT: Final = 10**15
"""From here on a spreadsheet rounds integers."""
_FIRST: Final = 1901
"""The first year in which its days are right."""
_WIDE: Final = 60
_LOOKED: Final = 1000
"""How many texts of a column say how wide it is to be."""


def check_writer() -> None:
    """Raise where workbooks cannot be written."""
    if find_spec("xlsxwriter") is None:
        raise UnsupportedError("a workbook needs XlsxWriter: pip install 'discreet[xlsx]'")


def write_workbook(
    path: Path,
    tables: Sequence[tuple[str, Any]],
    statements: Sequence[tuple[str, str]],
    receipts: Mapping[str, Any] | Sequence[Mapping[str, Any]],
) -> None:
    """Write Arrow tables, each on sheets of its own, and after them a sheet of statements with the receipts."""
    check_writer()
    import xlsxwriter

    with xlsxwriter.Workbook(path, {"in_memory": True, "default_date_format": "yyyy-mm-dd"}) as book:
        bold = book.add_format({"bold": True})
        wrap = book.add_format({"text_wrap": True, "valign": "top"})
        moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        parts = [
            (name, table.slice(start, _ROWS))
            for name, table in tables
            for start in range(0, max(table.num_rows, 1), _ROWS)
        ]
        *names, last = _sheet_names([*(name for name, _ in parts), "Guarantee"])
        for name, (_, table) in zip(names, parts, strict=True):
            _fill(book.add_worksheet(name), table, bold, moment)
        sheet = book.add_worksheet(last)
        sheet.set_column(0, 0, min(max([14, *(len(name) + 2 for name, _ in statements)]), _WIDE))
        sheet.set_column(1, 1, 100, wrap)
        said = [*statements, ("receipt", json.dumps(receipts, indent=1, ensure_ascii=False, default=str))]
        for row, (name, text) in enumerate(said):
            sheet.write_string(row, 0, name, bold)
            sheet.write_string(row, 1, shortened(text, _LONGEST), wrap)


def _fill(sheet: Any, table: Any, bold: Any, moment: Any) -> None:
    """Write a table into a sheet, below its head."""
    sheet.freeze_panes(1, 0)
    for i, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        values = column.to_pylist()
        longest = max((len(str(value)) for value in values[:_LOOKED] if isinstance(value, str)), default=0)
        sheet.set_column(i, i, min(max(len(name), longest, 10) + 2, _WIDE))
        sheet.write_string(0, i, shortened(name, _LONGEST), bold)
        for row, value in enumerate(values, 1):
            if value is None:
                continue
            if isinstance(value, bool):
                sheet.write_boolean(row, i, value)
            elif _is_number(value):
                sheet.write_number(row, i, value)
            elif isinstance(value, date) and _is_moment(value):
                sheet.write_datetime(row, i, value, moment if isinstance(value, datetime) else None)
            else:
                sheet.write_string(row, i, shortened(str(value), _LONGEST))


def _is_moment(value: date) -> bool:
    """Whether a spreadsheet keeps a day or a time as it is, and shows all of it."""
    return value.year >= _FIRST and not (getattr(value, "tzinfo", None) or getattr(value, "microsecond", 0))


def _is_number(value: Any) -> bool:
    """Whether a spreadsheet keeps a value as it is, as a number."""
    if isinstance(value, Decimal):
        return len(value.as_tuple().digits) <= 15 and math.isfinite(value)
    return isinstance(value, int | float) and math.isfinite(value) and (isinstance(value, float) or abs(value) < _EXACT)


def _sheet_names(names: Sequence[str]) -> Iterator[str]:
    """Give names that sheets can have: short, without some signs, and different in more than case.

    >>> list(_sheet_names(["a/b", "A?B", "'", "x" * 40]))
    ['a b', 'A B 2', 'Sheet', 'xxxxxxxxxxxxxxx…xxxxxxxxxxxxxxx']
    """
    used = {"history"}  # A spreadsheet keeps that name for itself.
    for name in names:
        plain = re.sub(r"[\[\]:*?/\\\x00-\x1f']+", " ", name).strip() or "Sheet"
        found, n = shortened(plain, _NAME), 1
        while found.casefold() in used:
            n += 1
            found = f"{shortened(plain, _NAME - len(f' {n}'))} {n}"
        used.add(found.casefold())
        yield found
