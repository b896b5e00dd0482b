"""Text files: CSV and JSON, in which every column is text unless its type is declared.

What may be asked of a file follows from its header and from what is declared, never from its rows: no type, separator
or quote is guessed from them, and none of them makes a query fail. Columns of .csv are separated by commas, or by
semicolons where the header has these alone, as spreadsheets write it where a comma is the decimal sign. A declared type
is a cast that gives null where a text is not of the type. A row of CSV that has too few fields, or is not UTF-8, is
left out, and so is what a row has beyond the header; a line of JSON that is no object is one of nulls. A row or line of
more than 2 MB is left out.
"""

from __future__ import annotations

import codecs
import csv
import glob
import json
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from discreet.errors import KindError, ParameterError, none_of
from discreet.tables.conventions import CONVENTIONS, convention
from discreet.tables.engines import checked_again, connected, read_by, reader_of

__all__ = ["SUFFIXES", "declared", "header", "hinted", "text_rows"]

_SEPARATORS: Final = {".csv": ",", ".tsv": "\t"}
SUFFIXES: Final = (*_SEPARATORS, ".json", ".jsonl", ".ndjson")
_TYPES: Final = {
    "integer": "int64",
    "number": "float64",
    "text": "string",
    "boolean": "boolean",
    "date": "date",
    "timestamp": "timestamp",
}
_DECIMAL: Final = re.compile(r"decimal\((\d{1,2}), ?(\d{1,2})\)")
_NAMES: Final = f"{', '.join(_TYPES)}, decimal(p,s), {', '.join(CONVENTIONS)}"
_PLAIN: Final = "auto_detect=false, strict_mode=false, parallel=false"
"""In parallel, DuckDB guesses where a part of a file begins: one long field would be rows, and hide those of others."""
_CSV: Final = f"{_PLAIN}, header=true, quote='\"', escape='\"'"
_LINES: Final = f"{_PLAIN}, header=false, delim='\x1f', quote='', escape='', new_line='\\n'"
"""Lines, read as CSV of one column: DuckDB's own reader of JSON stops at one that is longer than its buffers."""
_TOTAL: Final = "ignore_errors=true, hive_partitioning=false"
_OF_DAYS: Final = re.compile(r" by (?:year|quarter|month|week|day)\b.*: need |: need (?:a day|date)\b")
"""An error about a column that is meant to have days."""
_BLANKS: Final = 1 << 16
"""An array begins within so many characters of a file."""


def declared(types: Any, name: str = "types", /) -> Mapping[str, str]:
    """Return the types that are declared for columns, checked.

    >>> dict(declared({"year": "integer", "price": "decimal(9,2)"}))
    {'year': 'integer', 'price': 'decimal(9,2)'}
    >>> declared({"year": "int"})
    Traceback (most recent call last):
    discreet.errors.ParameterError: types='int': need one of integer, number, ..., decimal comma, day.month.year, ...
    """
    if not isinstance(types, Mapping) or not all(isinstance(text, str) for pair in types.items() for text in pair):
        raise KindError(name, type(types), 'columns with their types, such as {"year": "integer"}')
    for kind in types.values():
        _ibis_type(kind, name)
    return MappingProxyType(dict(types))


def _ibis_type(kind: str, name: str = "types") -> str:
    known = _TYPES | dict(CONVENTIONS)
    if kind in known:
        return known[kind]
    found = _DECIMAL.fullmatch(kind)
    if found and 0 <= int(found[2]) <= int(found[1]) <= 38 and int(found[1]):
        return kind
    raise ParameterError(name, kind, f"one of {_NAMES}")


def text_rows(ibis: Any, paths: Sequence[Path], types: Mapping[str, str]) -> Any:
    """Return the rows of CSV or JSON files of one kind as an Ibis table on DuckDB, of the declared types.

    The columns of CSV are those of the header, which all files share. JSON has no header, and which names its objects
    use is data: its columns are the declared ones, null where an object has none of that name.
    """
    suffix = paths[0].suffix.lower()
    if suffix in _SEPARATORS:
        separator, names = _first_header(paths)
        options = f"delim='{separator}', {_CSV}"
        rows = _view(ibis, paths, names, options, lambda: _check_header(paths, separator, names))
    elif not types:
        need = 'the columns of JSON, which has no header, such as {"city": "text", "year": "integer"}'
        raise ParameterError("types", None, need)
    else:
        names = list(types)
        rows = _json_rows(ibis, paths, names)
    for name in types:
        if name not in names:
            raise none_of("types", name, names)
    texts = {name: convention(rows[name], kind) if kind in CONVENTIONS else rows[name] for name, kind in types.items()}
    casts = {name: texts[name].try_cast(_ibis_type(kind)) for name, kind in types.items() if kind != "text"}
    return rows.mutate(**casts) if casts else rows


@contextmanager
def hinted(types: Mapping[str, str] | None, names: Iterable[str] | None = None) -> Iterator[None]:
    """Add to an error about a text file's columns how a type is declared; *types* are None for other sources.

    Nothing is added where all columns with these *names* are declared, or there are none.
    """
    try:
        yield
    except (ParameterError, KindError) as error:
        texts = ["COLUMN"] if names is None else [name for name in names if name not in (types or {})]
        if types is not None and texts:
            name = texts[0] if len(texts) == 1 else "COLUMN"  # Of several it may be any.
            kind = "date" if _OF_DAYS.search(str(error)) else "integer"
            how = f'types={{"{name}": "{kind}"}}, or --type {shlex.quote(f"{name}={kind}")}'
            error.args = (f"{error}; columns of CSV and JSON are text unless declared: {how}",)
        elif types is None and str(error).endswith("where string is"):
            error.args = (f"{error}; the column is text: convert it first",)
        raise


def header(path: Path) -> tuple[str, list[str]]:
    """Return what separates the columns of a CSV file, and the names in its first row; no name is one by its place."""
    separator = _SEPARATORS[path.suffix.lower()]
    names = _first_row(path, separator)
    if separator == "," and len(names) == 1 and len(several := _first_row(path, ";")) > 1:
        separator, names = ";", several
    return separator, [name or f"column{i}" for i, name in enumerate(names)]


def _first_row(path: Path, separator: str) -> list[str]:
    # Bytes below the header that are not UTF-8 are not for it to fail on.
    with (
        path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as lines,
        suppress(csv.Error, UnicodeError),
    ):
        names = next(csv.reader(lines, delimiter=separator), [])
        "".join(names).encode()
        return names
    return []


def _first_header(paths: Sequence[Path]) -> tuple[str, list[str]]:
    separator, names = header(paths[0])
    if not names or len(set(names)) < len(names) or any("\n" in name or "\r" in name for name in names):
        raise ParameterError(
            "source", paths[0].name, "a first row, in UTF-8 and on one line, that names each column once"
        )
    return separator, names


def _check_header(paths: Sequence[Path], separator: str, names: Sequence[str]) -> None:
    """Raise unless files have the first row that one of them had: their columns are read by their places."""
    for path in paths:
        if header(path) != (separator, names):
            raise ParameterError("source", path.name, f"the same first row as {paths[0].name} had")


def _view(
    ibis: Any,
    paths: Sequence[Path],
    names: Sequence[str],
    options: str,
    check: Callable[[], None] = lambda: None,
    taken: str = "*",
) -> Any:
    """Return files as an Ibis table of texts on a DuckDB of their own; nothing is read yet."""
    files = ", ".join(_quoted(glob.escape(str(path))) for path in paths)  # DuckDB reads each as a pattern once more.
    columns = ", ".join(f"{_quoted(name)}: 'VARCHAR'" for name in names)
    rows = f"SELECT {taken} FROM read_csv([{files}], columns={{{columns}}}, {options}, {_TOTAL})"  # noqa: S608

    def read(engine: Any) -> Any:
        checked_again(engine, check)
        name = "texts" if reader_of(engine) is read else ibis.util.gen_name("texts")
        engine.con.execute(f"CREATE TEMP VIEW {name} AS {rows}")
        return engine.table(name)

    return read_by(connected(ibis), read)


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _json_rows(ibis: Any, paths: Sequence[Path], names: Sequence[str]) -> Any:
    """Return the rows of files of JSON: each an array, which is read here, or one object a line, which DuckDB reads."""
    arrays = [path for path in paths if _is_array(path)]
    if arrays and len(arrays) < len(paths):
        raise ParameterError("source", "JSON files", "files that are all arrays, or all have one object a line")
    if arrays:
        return ibis.memtable(_texts(arrays, names))
    if any(_has_mark(path) for path in paths):
        raise ParameterError("source", "JSON files", "lines without a byte order mark before the first")
    fields = ", ".join(f"{_field(name)} AS {_named(name)}" for name in names)
    return _view(ibis, paths, ["line"], _LINES, taken=fields)


def _field(name: str) -> str:
    """Return a field of a line as text; null where the line is no object, or has none of that name."""
    place = "/" + name.replace("~", "~0").replace("/", "~1")  # A JSON pointer, in which no name is a pattern.
    field = f"CASE WHEN json_type(line) = 'OBJECT' THEN json_extract_string(line, {_quoted(place)}) END"
    return f"CASE WHEN json_valid(line) THEN {field} END"


def _named(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _has_mark(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8


def _is_array(path: Path) -> bool:
    with path.open(encoding="utf-8-sig", errors="replace") as text:
        return text.read(_BLANKS).lstrip()[:1] == "["


def _texts(paths: Sequence[Path], names: Sequence[str]) -> Any:
    """Return the objects of JSON arrays as an Arrow table of texts, on some of which DuckDB's own reader fails."""
    import pyarrow as pa

    rows: list[Any] = []
    for path in paths:
        text = path.read_text(encoding="utf-8-sig", errors="replace")
        try:
            rows += json.loads(text, strict=False, parse_int=str, parse_float=str, parse_constant=str)
        except (ValueError, RecursionError):
            raise ParameterError("source", path.name, "a JSON array of objects") from None
    objects = [row if isinstance(row, dict) else {} for row in rows]
    return pa.table({name: pa.array([_text(row.get(name)) for row in objects], pa.string()) for name in names})


def _text(value: Any) -> str | None:
    """Return a value as text, as DuckDB writes it."""
    if value is None:
        return None
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode(errors="replace").decode()  # A lone surrogate is no character.
