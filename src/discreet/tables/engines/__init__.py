"""Engines that tables live in: one file each, and nothing about an engine elsewhere."""

from __future__ import annotations

from typing import Any, Final

from discreet.errors import UnsupportedError
from discreet.tables.engines.duckdb import DuckDB
from discreet.tables.engines.engine import Engine, Fetch, alike, checked_again, numbers, read_by, reader_of
from discreet.tables.engines.lean import closed_at_end, connected
from discreet.tables.engines.postgres import Postgres
from discreet.tables.engines.spark import Spark
from discreet.tables.engines.sqlite import SQLite

__all__ = [
    "Engine",
    "Fetch",
    "alike",
    "checked_again",
    "closed_at_end",
    "connected",
    "engine_of",
    "numbers",
    "read_by",
    "reader_of",
]

_ENGINES: Final[dict[str, type[Engine]]] = {engine.name: engine for engine in (DuckDB, Postgres, Spark, SQLite)}


def engine_of(table: Any) -> Engine:
    """Return the engine that holds a table; refuse one of which we do not know what it does with every value."""
    backend = table.get_backend()
    if backend.name not in _ENGINES:
        raise UnsupportedError(f"{backend.name} is none of the engines that answer here: {', '.join(_ENGINES)}")
    return _ENGINES[backend.name](backend)
