"""What was not typed, from the project's file: who a person is, the books, types and bounds."""

from __future__ import annotations

import glob
import os
import shutil
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial, wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

import click

from discreet.errors import DiscreetError

if TYPE_CHECKING:
    from discreet.tables import Answer
    from discreet.tables.project import Binding

__all__ = ["UNCOUNTED", "books_of", "bound", "completed", "is_bound", "said_in", "say_uncounted", "say_unkept"]

_UNCOUNTED: Final = (
    "discreet: no ledger was given, so this answer is not added up with others about the same people. "
    "discreet budget books.db --create --epsilon 3 makes one, and {} charges it."
)
UNCOUNTED: Final = _UNCOUNTED.format("--ledger books.db")


def say_uncounted(given: dict[str, Any]) -> None:
    """Say so where an answer was charged to no books."""
    if given["ledger"] is None:
        bound_to_none = _UNCOUNTED.format('ledger = "books.db" in discreet.toml')
        click.echo(bound_to_none if "bounds" in given else UNCOUNTED, err=True)


def say_unkept(given: dict[str, Any], answer: Answer) -> None:
    """Say so where an answer was to be kept and is not."""
    if given["version"] is not None and answer.by and answer.receipt.rounds > 1:
        click.echo("discreet: an answer in two rounds is not kept: asked again, it is paid for again.", err=True)


def bound(command: Callable[..., None]) -> Callable[..., None]:
    """Return a command that takes what was not typed from what the project says of its table."""

    @wraps(command)
    def asked(**given: Any) -> None:
        if given["file"] != "-":
            return command(**completed(given))
        if given.get("version") is not None:
            raise click.UsageError("--data-version needs a FILE: what comes by a pipe is not known again")
        with _piped() as file:  # No project says anything of it: one near a temporary folder may be anybody's.
            return command(**given | {"file": file})

    return asked


@contextmanager
def _piped() -> Iterator[str]:
    """Give a file of CSV with what comes by the standard input, in a folder of this user's, while it is read.

    It is removed also where this process is asked to end; only one that is killed leaves it.
    """
    with TemporaryDirectory() as folder, _ending():
        file = Path(folder, "stdin.csv")
        with open(file, "wb", opener=partial(os.open, mode=0o600)) as target:
            shutil.copyfileobj(sys.stdin.buffer, target)
        yield str(file)


@contextmanager
def _ending() -> Iterator[None]:
    """Let signals that end a process end it as an exception does: what is within is tidied up."""

    def end(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    names = [name for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]
    if threading.current_thread() is not threading.main_thread():
        names = []
    before = {name: signal.signal(getattr(signal, name), end) for name in names}
    try:
        yield
    finally:
        for name, handler in before.items():
            signal.signal(getattr(signal, name), handler)


def completed(given: dict[str, Any]) -> dict[str, Any]:
    """Return what was typed, and for the rest what the project says of the table.

    What it says of people and books cannot be said otherwise: that would be another promise.
    """
    from discreet.tables.project import Project

    for project in Project.near(given["file"]):
        if found := project.of(given["file"], given["table"]):
            return _filled(given, found, project.path)
    check_name(given["file"])
    return given


def check_name(file: str) -> None:
    """Raise where neither a file nor a table has this name, and there are tables that may have been meant."""
    from discreet.tables.project import Project

    if "://" in file or Path(file).exists() or glob.glob(file, recursive=True):  # noqa: PTH207
        return
    for project in Project.near(file):
        names = ", ".join(project.bindings)
        raise click.UsageError(f"{file}: need a file that exists, or a table of {project.path}: {names}")


def is_bound(name: str) -> bool:
    """Whether a table of the project has this name."""
    from discreet.tables.project import Project

    return any(name in project.bindings for project in Project.near(name))


@contextmanager
def said_in(given: dict[str, Any]) -> Iterator[None]:
    """Name the project's file where it says a person or types that the table does not have."""
    try:
        yield
    except DiscreetError as error:
        if not str(error).startswith(given.get("said", ())):
            raise
        raise click.UsageError(f"{given['project']}: {error}") from None


def books_of(path: str) -> str:
    """Return the books of the project's table that has this name; else what was typed."""
    from discreet.tables.project import Project

    for project in () if "://" in path or Path(path).exists() else Project.near(path):
        if path in project.bindings:
            if (books := project[path].ledger) is None:
                raise click.UsageError(f"{path}: {project.path} names no books for it: ledger = PATH")
            return books
    return path


def _filled(given: dict[str, Any], said: Binding, path: Path) -> dict[str, Any]:
    """Return what was typed, and for the rest what is said; or raise where they differ."""
    from discreet.tables.project import is_same

    typed = (given["person"] or None, given["each_row"])
    if any(typed) and typed != (said.person, said.person is None):
        is_said = "each_row = true" if said.person is None else f"person = {', '.join(said.person)}"
        raise click.UsageError(f"--person, --each-row: need none: {path} says {is_said}")
    if given.get("ledger") is not None and not (said.ledger and is_same(given["ledger"], said.ledger)):
        raise click.UsageError(f"--ledger: need none: {path} names the books, or none, itself")
    types = dict(said.types)
    for text in given["types"]:
        column, _, kind = text.rpartition("=")
        if types.setdefault(column, kind) != kind:
            raise click.UsageError(f"--type {text}: need none: {path} says {column} = {types[column]}")
    low, high = said.bounds.get(given.get("column") or "", (None, None))
    ends = {name: str(end) for name, end in (("low", low), ("high", high)) if end is not None and name in given}
    return given | {
        "file": given["file"] if "://" in given["file"] else said.source,  # Its own password, its own way there.
        "person": said.person or (),
        "each_row": said.person is None,
        "table": given["table"] or said.table,
        "types": tuple(f"{column}={kind}" for column, kind in types.items()),
        **({"ledger": given["ledger"] or said.ledger} if "ledger" in given else {}),
        **{name: end for name, end in ends.items() if given[name] is None},
        "bounds": said.bounds,
        "project": path,
        "said": ("person=",) if given["types"] else ("person=", "types="),
    }
