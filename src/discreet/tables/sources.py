"""Sources: a user's table, wherever it is, as an Ibis table on an engine."""

from __future__ import annotations

import glob
import os
from pathlib import Path
from typing import Any, Final

from discreet.errors import KindError, ParameterError, UnsupportedError

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
_SIGNS: Final = frozenset("*?[")


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
        return _files(ibis, text), Path(text).name
    if table is not None:
        raise ParameterError("table", table, "no name, where the source is not a database")
    if isinstance(source, ibis.Table):
        return source, _name(source)
    if type(source).__module__.partition(".")[0] in ("pandas", "polars", "pyarrow"):
        try:
            return ibis.memtable(_frame(source)), f"a {type(source).__module__.partition('.')[0]} frame"
        except Exception as error:
            raise KindError("source", type(source), f"a frame that Arrow can hold ({type(error).__name__})") from None
    raise KindError(
        "source", type(source), "a path, a database's URL, a pandas, Polars or Arrow frame, or an Ibis table"
    )


def _ibis() -> Any:
    try:
        import ibis
    except ModuleNotFoundError:
        raise UnsupportedError("tables need Ibis and DuckDB: pip install 'discreet[tables]'") from None
    return ibis


def _in_database(ibis: Any, url: str, table: str) -> Any:
    scheme, _, rest = url.partition("://")
    if scheme in ("sqlite", "duckdb") and rest.strip("/") and not Path(rest.partition("?")[0]).exists():
        raise ParameterError("source", f"{scheme}://...", "the path of a database that exists")
    try:
        return ibis.connect(url).table(table)
    except Exception as error:  # Whatever the driver says; a password must not be shown again.
        place = f"{url.partition('://')[0]}://..."
        raise ParameterError("source", place, f"a database with a table {table!r} ({type(error).__name__})") from None


def _files(ibis: Any, text: str) -> Any:
    found = sorted(glob.glob(text, recursive=True)) if _SIGNS & set(text) else [text]  # noqa: PTH207  Absolute patterns.
    if not found or not all(Path(name).is_file() for name in found):
        raise ParameterError("source", text, "a file that exists, or a pattern that finds some")
    if any(_SIGNS & set(name) for name in found):
        raise ParameterError("source", text, "names of files without *, ? and [, which DuckDB reads as patterns")
    suffixes = {Path(name).suffix.lower() for name in found}
    reader = _READERS.get(suffixes.pop()) if len(suffixes) == 1 else None
    if reader is None:
        raise ParameterError("source", text, f"files of one kind that end in {', '.join(_READERS)}")
    try:
        return getattr(ibis.duckdb.connect(), reader)(found)
    except Exception as error:  # The engine's words may quote a row.
        raise ParameterError("source", text, f"files that DuckDB can read ({type(error).__name__})") from None


def _frame(source: Any) -> Any:
    """Return a frame as Ibis takes it: a lazy Polars frame is collected, a reader read."""
    for method in ("collect", "read_all"):
        if hasattr(source, method) and type(source).__name__ in ("LazyFrame", "RecordBatchReader"):
            return getattr(source, method)()
    return source


def _name(table: Any) -> str:
    try:
        return str(table.get_name())
    except Exception:  # Only a table that is no query has a name.
        return "an Ibis table"
