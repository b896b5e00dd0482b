"""Completion: what a shell may offer after a tab, from the file that was named before."""

from __future__ import annotations

import csv
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import click

__all__ = ["columns", "mechanisms", "proofs"]

_MOST_HEAD: Final = 1 << 16


def columns(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the columns of FILE that begin like what was typed, but for those that were named already."""
    named = ctx.params.get(param.name or "") or ()
    taken = {named} if isinstance(named, str) else set(named)
    file = ctx.params.get("file") or next(iter(ctx.args), "")  # An option that still lacks its value ends the parsing.
    return [name for name in _head(file) if name.startswith(incomplete) and name not in taken]


def mechanisms(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of mechanisms, with an open bracket."""
    from discreet import Measurement
    from discreet.audit.reading import NAMES

    names = [name for name, made in NAMES.items() if isinstance(made, type) and issubclass(made, Measurement)]
    return [f"{name}(" for name in names if name.startswith(incomplete)]


def proofs(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return the names of proofs."""
    from discreet.audit import proofs as known

    return [name for name in known() if name.lower().startswith(incomplete.lower())]


def _head(file: str) -> list[str]:
    """Return a file's columns where they are quickly read, which is of CSV and Parquet; else none."""
    found: Any = []
    path = next(iter(sorted(Path().glob(file))), None) if "*" in file and not Path(file).is_absolute() else Path(file)
    with suppress(Exception):  # A shell that waits for a tab wants no errors.
        if path is not None and path.suffix.lower() in (".csv", ".tsv"):
            with path.open(encoding="utf-8-sig", newline="") as text:
                first = text.readline(_MOST_HEAD)
            found = next(csv.reader([first], delimiter="\t" if path.suffix.lower() == ".tsv" else ","))
        elif path is not None and path.suffix.lower() in (".parquet", ".pq"):
            from pyarrow import parquet

            found = parquet.read_schema(path).names
    return list(found)
