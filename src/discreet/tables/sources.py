"""Sources: a user's table, wherever it is, as an Ibis table on an engine."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from discreet.errors import KindError, ParameterError, UnsupportedError
from discreet.report.files import found_files

__all__ = ["opened"]

_READERS: Final = {
    ".parquet": "read_parquet",
    ".pq": "read_parquet",
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".json": "read_json",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
}
_MOST_COLUMNS: Final = 20_000


def opened(source: Any, table: str | None = None) -> tuple[Any, str]:
    """Return an Ibis table, and a name for receipts.

    Files, and frames of pandas, Polars and Arrow, run in DuckDB, in this process; a URL such as ``postgres://...`` runs
    where it leads, and needs the name of the *table*; an Ibis table runs where it is.
    """
    ibis = _ibis()
    if isinstance(source, str | os.PathLike):
        text = os.fspath(source)
        if "://" in text:
            if table is None:
                raise ParameterError("table", table, "the name of a table, where the source is a database")
            return _in_database(ibis, text, table), table
        if table is not None:
            raise ParameterError("table", table, "no name, where the source is a file")
        return _files(ibis, text), Path(text).name
    if table is not None:
        raise ParameterError("table", table, "no name, where the source is not a database")
    if isinstance(source, ibis.Table):
        if _tried(source.get_backend)[1]:
            raise UnsupportedError("this Ibis table is on no engine: make it from a connection, such as ibis.connect()")
        return source, _tried(source.get_name)[0] or "an Ibis table"  # Only a table that is no query has a name.
    kind = type(source).__module__.partition(".")[0]
    if kind in ("pandas", "polars", "pyarrow"):
        _few(getattr(source, "column_names", getattr(source, "columns", ())))
        rows, failure = _tried(lambda: ibis.memtable(_frame(source)))
        if failure:
            raise KindError("source", type(source), f"a frame that Arrow can hold ({failure})")
        return rows, f"a {kind} frame"
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
    except Exception as error:  # Each engine has its own.
        return None, type(error).__name__


def _in_database(ibis: Any, url: str, table: str) -> Any:
    scheme, _, rest = url.partition("://")
    if scheme in ("sqlite", "duckdb") and rest.strip("/") and not Path(rest.partition("?")[0]).exists():
        raise ParameterError("source", f"{scheme}://...", "the path of a database that exists")
    found, failure = _tried(lambda: ibis.connect(url).table(table))
    if failure:
        raise ParameterError("source", f"{scheme}://...", f"a database with a table {table!r} ({failure})")
    return found


def _files(ibis: Any, text: str) -> Any:
    found = found_files(text, "source")
    suffixes = {path.suffix.lower() for path in found}
    reader = _READERS.get(suffixes.pop()) if len(suffixes) == 1 else None
    if reader is None:
        raise ParameterError("source", text, f"files of one kind that end in {', '.join(_READERS)}")
    names = [glob.escape(str(path)) for path in found]  # DuckDB reads each of them as a pattern once more.
    rows, failure = _tried(lambda: getattr(ibis.duckdb.connect(), reader)(names))
    if failure:
        raise ParameterError("source", text, f"files that DuckDB can read ({failure})")
    _few(rows.columns)
    return rows


def _few(columns: Any) -> None:
    """Raise where an engine would take minutes to name the columns alone."""
    if len(columns) > _MOST_COLUMNS:
        need = f"at most {_MOST_COLUMNS:,} columns: select those that are asked about, and the person's"
        raise ParameterError("source", f"{len(columns):,} columns", need)


def _frame(source: Any) -> Any:
    """Return a frame as Ibis takes it: a lazy Polars frame is collected, a reader read."""
    for method in ("collect", "read_all"):
        if hasattr(source, method) and type(source).__name__ in ("LazyFrame", "RecordBatchReader"):
            return getattr(source, method)()
    return source
