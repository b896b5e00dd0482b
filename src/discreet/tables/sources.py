"""Sources: a user's table, wherever it is, as an Ibis table on an engine."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from discreet.errors import DiscreetError, KindError, ParameterError, UnsupportedError
from discreet.files import found_files
from discreet.tables.engines import checked_again, closed_at_end, connected, read_by
from discreet.tables.frames import arrow_table
from discreet.tables.texts import SUFFIXES, declared, text_rows
from discreet.urls import database_file

__all__ = ["Opened", "opened"]

_PARQUET: Final = (".parquet", ".pq")
_DESCRIBED: Final = "SELECT column_name, column_type FROM (DESCRIBE FROM read_parquet(?, hive_partitioning=false))"
_MOST_COLUMNS: Final = 20_000


class Opened(NamedTuple):
    """An Ibis table, a name for receipts, and the types declared for a text file; None where the source has its own."""

    rows: Any
    name: str
    types: Mapping[str, str] | None = None


def opened(source: Any, table: str | None = None, types: Mapping[str, str] | None = None) -> Opened:
    """Return a source as an Ibis table.

    Files, and frames of pandas, Polars and Arrow, run in DuckDB, in this process; a URL such as ``postgres://...`` runs
    where it leads, and needs the name of the *table*; an Ibis table runs where it is. *types* are those of the columns
    of CSV and JSON files, where they are not text.
    """
    ibis = _ibis()
    text = os.fspath(source) if isinstance(source, str | os.PathLike) else None
    if text is not None and "://" not in text:
        if table is not None:
            raise ParameterError("table", table, "no name, where the source is a file")
        return _files(ibis, text, types)
    if types is not None:
        raise ParameterError("types", type(types), "none: only CSV and JSON files lack types of their own")
    if text is not None:
        if table is None:
            raise ParameterError("table", table, "the name of a table, where the source is a database")
        return Opened(_in_database(ibis, text, table), table)
    if table is not None:
        raise ParameterError("table", table, "no name, where the source is not a database")
    if isinstance(source, ibis.Table):
        if _tried(source.get_backend)[1]:
            raise UnsupportedError("this Ibis table is on no engine: make it from a connection, such as ibis.connect()")
        return Opened(source, _tried(source.get_name)[0] or "an Ibis table")  # Only a table that is no query has one.
    kind = type(source).__module__.partition(".")[0]
    if kind in ("pandas", "polars", "pyarrow"):
        columns = getattr(source, {"pandas": "columns", "polars": "collect_schema", "pyarrow": "schema"}[kind], ())
        _few(columns() if callable(columns) else columns)
        rows, failure = _tried(lambda: ibis.memtable(arrow_table(source)))
        if failure:
            raise KindError("source", type(source), f"a frame that Arrow can hold ({failure})")
        return Opened(rows, f"a {kind} frame")
    raise KindError(
        "source", type(source), "a path, a database's URL, a pandas, Polars or Arrow frame, or an Ibis table"
    )


def _ibis() -> Any:
    try:
        import ibis
    except ModuleNotFoundError:
        raise UnsupportedError("tables need Ibis and DuckDB: pip install 'discreet[tables]'") from None
    return ibis


def _tried(call: Callable[[], Any]) -> tuple[Any, str]:
    """Return what a call returns, or None and the kind of its error, whose words may quote a row or a password."""
    try:
        return call(), ""
    except DiscreetError:
        raise
    except Exception as error:  # Each engine has its own.
        return None, type(error).__name__


def _in_database(ibis: Any, url: str, table: str) -> Any:
    scheme, file = url.partition("://")[0], database_file(url)
    if file is not None and not file.exists():
        raise ParameterError("source", f"{scheme}://...", "the path of a database that exists")
    found, failure = _tried(lambda: closed_at_end(ibis.connect(url)).table(table))
    if failure:
        raise ParameterError("source", f"{scheme}://...", f"a database with a table {table!r} ({failure})")
    return found


def _files(ibis: Any, text: str, types: Mapping[str, str] | None) -> Opened:
    found, name = found_files(text, "source"), Path(text).name
    suffixes = {path.suffix.lower() for path in found}
    suffix = suffixes.pop() if len(suffixes) == 1 else ""
    if suffix in SUFFIXES:
        said = declared({} if types is None else types)
        rows, failure = _tried(lambda: text_rows(ibis, found, said))
    elif suffix in _PARQUET and types is None:
        said = None
        rows, failure = _tried(lambda: _parquet(ibis, found))
    elif suffix in _PARQUET:
        raise ParameterError("types", type(types), "none: Parquet says the types of its columns")
    else:
        raise ParameterError("source", text, f"files of one kind that end in {', '.join((*_PARQUET, *SUFFIXES))}")
    if failure:
        raise ParameterError("source", text, f"files that DuckDB can read ({failure})")
    _few(rows.columns)
    return Opened(rows, name, said)


def _parquet(ibis: Any, paths: Sequence[Path]) -> Any:
    """Return Parquet files as an Ibis table on a DuckDB of their own.

    All have the columns of the first: others would be cast as they are read, which fails on some values. Columns that
    the names of folders say are text: whether all of these are numbers is for no type to tell.
    """
    names = [glob.escape(str(path)) for path in paths]  # DuckDB reads each of them as a pattern once more.

    def read(engine: Any) -> Any:
        checked_again(engine, lambda: check(engine))
        return engine.read_parquet(names, hive_types_autocast=False)

    def check(engine: Any) -> None:
        described = [engine.con.execute(_DESCRIBED, [name]).fetchall() for name in names] if len(names) > 1 else []
        for path, columns in zip(paths, described, strict=False):
            if columns != described[0]:
                raise ParameterError("source", path.name, f"the columns of {paths[0].name}, of the same types")

    return read_by(connected(ibis), read)


def _few(columns: Any) -> None:
    """Raise where an engine would take minutes to name the columns alone."""
    if len(columns) > _MOST_COLUMNS:
        need = f"at most {_MOST_COLUMNS:,} columns: select those that are asked about, and the person's"
        raise ParameterError("source", f"{len(columns):,} columns", need)
