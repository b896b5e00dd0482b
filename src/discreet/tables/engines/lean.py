"""Lean: Ibis on DuckDB, without the compilers of all the other engines that Ibis knows."""

from __future__ import annotations

import os
import sys
import weakref
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from threading import RLock
from typing import Any, Final

__all__ = ["closed_at_end", "connected", "put_off"]

_COMPILERS: Final = "ibis.backends.sql.compilers"
_WANTED: Final = f"{_COMPILERS}.duckdb"
_THREADS: Final = 3
"""With fewer threads, DuckDB lets each of them grow one table of all that it groups, which takes more of everything."""


def connected(ibis: Any) -> Any:
    """Return a DuckDB of its own in this process, with threads enough to group people in little memory."""
    put_off()
    backend = ibis.duckdb.connect()
    ((threads,),) = backend.con.execute("SELECT current_setting('threads')").fetchall()
    if threads < _THREADS:
        backend.con.execute(f"SET threads = {_THREADS}")
    return closed_at_end(backend)


def closed_at_end(backend: Any) -> Any:
    """Return a connection that nobody else has, to be closed with the last table on it, or with the process.

    What an engine wrote aside goes with it. A process that was forked leaves it to the one that opened it.
    """
    close, here = getattr(getattr(backend, "con", None), "close", None), os.getpid()
    if close is not None:
        weakref.finalize(backend, lambda: close() if os.getpid() == here else None)
    return backend


def put_off() -> None:
    """Import DuckDB's compiler alone; those of the other engines, once anybody asks their package for a name.

    Ibis's package of compilers imports all twenty, and with them every dialect of SQL: half as long as Ibis itself. It
    does nothing else, so it can wait. Where that package is loaded already, or is not what it was, Ibis imports it.
    """
    if _COMPILERS in sys.modules or (spec := find_spec(_COMPILERS)) is None or spec.loader is None:
        return
    package, lock, loader = module_from_spec(spec), RLock(), spec.loader
    state = "put off"

    def missing(name: str) -> Any:
        nonlocal state
        with lock:  # Another thread waits until all names are there; this one may ask again as they come.
            if state == "put off":
                state = "under way"
                try:
                    loader.exec_module(package)
                except BaseException:
                    state = "put off"
                    raise
        try:
            return vars(package)[name]
        except KeyError:
            raise AttributeError(f"module {_COMPILERS!r} has no attribute {name!r}") from None

    vars(package)["__getattr__"] = missing
    sys.modules[_COMPILERS] = package
    try:
        import_module(_WANTED)
    except Exception:  # An Ibis that is built in another way is imported in its own.
        del sys.modules[_COMPILERS]
        return
    vars(sys.modules[_COMPILERS.rpartition(".")[0]])["compilers"] = package
