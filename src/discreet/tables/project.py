"""Projects: a file that says of tables who a person is, which books are charged, and which types and bounds hold.

    [tables.events]
    source = "events.csv"            # a file beside this one, or a database's URL, with table = "events"
    person = "user_id"               # or ["country", "user_id"], or each_row = true
    ledger = "budget.db"
    types = {amount = "integer"}
    bounds = {amount = [0, 100]}

Whoever asks by the command line then need not know, and cannot forget.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, final

from discreet.errors import KindError, ParameterError, none_of
from discreet.exact import exact
from discreet.files import path_of, read_toml
from discreet.frozen import freeze
from discreet.ledger import Ledger
from discreet.tables.table import Table

__all__ = ["Binding", "Project", "is_same"]

NAME: Final = "discreet.toml"
_NEEDS: Final[Mapping[str, tuple[str, Callable[[Any], bool]]]] = MappingProxyType(
    {
        "source": ("a path, or a database's URL, in text", lambda x: isinstance(x, str) and bool(x)),
        "table": ("the name of a table in the database, in text", lambda x: isinstance(x, str)),
        "person": ("the name of a column, or a list of names", lambda x: bool(x) and _are_texts(_as_list(x))),
        "each_row": ("true, or nothing", lambda x: x is True),
        "ledger": ("the path of the books, in text", lambda x: isinstance(x, str) and bool(x)),
        "types": ('names with types, such as {year = "integer"}', lambda x: _is_table(x) and _are_texts(x.values())),
        "bounds": (
            "names with two numbers, such as {amount = [0, 100]}",
            lambda x: _is_table(x) and all(isinstance(pair, list) and len(pair) == 2 for pair in x.values()),
        ),
    }
)


@final
@dataclass(frozen=True, slots=True)
class Binding:
    """What a project says of one table. A *person* of None says that each row is one; bounds are as they were typed."""

    name: str
    source: str
    person: tuple[str, ...] | None
    ledger: str | None
    table: str | None
    types: Mapping[str, str]
    bounds: Mapping[str, tuple[Any, Any]]

    def open(self) -> Table:
        """Return the table, charged to its books."""
        books = None if self.ledger is None else Ledger(self.ledger)
        return Table(self.source, person=self.person, ledger=books, table=self.table, types=self.types or None)


@final
@dataclass(frozen=True, slots=True, init=False)
class Project:
    r"""The tables of a project file, by their names. Paths in it are beside it.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "events.csv").write_text("user_id,amount\n1,7\n")
    ...     _ = pathlib.Path(folder, "discreet.toml").write_text('''
    ...     [tables.events]
    ...     source = "events.csv"
    ...     person = "user_id"
    ...     bounds = {amount = [0, 0.1]}
    ...     ''')
    ...     project = Project(pathlib.Path(folder, "discreet.toml"))
    ...     project.table("events"), project["events"].bounds["amount"]
    (<table events.csv: person=user_id>, (0, '0.1'))
    """

    path: Path
    bindings: Mapping[str, Binding]

    def __init__(self, path: str | os.PathLike[str] = NAME) -> None:
        place = path_of(path).absolute()
        data = read_toml(place)
        tables: Any = data.get("tables")
        if set(data) - {"tables"} or not (_is_table(tables) and all(map(_is_table, tables.values()))):
            raise ParameterError("path", str(path), "[tables.NAME] for each table, and nothing else")
        found = {name: _binding(place, name, said) for name, said in tables.items()}
        freeze(self, path=place, bindings=MappingProxyType(found))

    @classmethod
    def near(cls, source: str, /) -> Project | None:
        """Return the project of the nearest file above a source, or else above the working folder; None without one.

        >>> Project.near("/no/such/folder/events.csv") is None
        True
        """
        place = None if _is_url(source) else path_of(source, "source")
        beside = [] if place is None else [place.absolute().parent, place.resolve().parent]
        for start in (*beside, Path.cwd()):
            for folder in (start, *start.parents):
                if (folder / NAME).is_file():
                    return cls(folder / NAME)
        return None

    def __getitem__(self, name: str) -> Binding:
        if not isinstance(name, str) or name not in self.bindings:
            raise none_of("name", name, self.bindings)
        return self.bindings[name]

    def table(self, name: str) -> Table:
        """Return a table of the project, charged to its books."""
        return self[name].open()

    def of(self, source: str, /, table: str | None = None) -> Binding | None:
        """Return what is said of a table, by its name here or by its source; None where nothing is.

        A pattern that finds a part of a table's files, or more than them, is refused: it would be on no books.
        """
        if not isinstance(table, str | None):
            raise KindError("table", table, "the name of a table in a database, or none")
        if not _is_url(source) and not path_of(source, "source").exists() and source in self.bindings:
            return self.bindings[source]
        asked = _places(source)
        for binding in self.bindings.values():
            said = _places(binding.source)
            if asked == said and table in (None, binding.table):
                return binding
            if asked & said and not _is_url(source):
                raise ParameterError("source", source, f"{binding.name}, whose files {self.path} binds")
        return None


def _binding(place: Path, name: str, said: Mapping[str, Any]) -> Binding:
    """Return what a project says of a table, checked."""
    for key, value in said.items():
        if key not in _NEEDS:
            raise none_of(f"tables.{name}", key, _NEEDS)
        need, fits = _NEEDS[key]
        if not fits(value):
            raise ParameterError(f"tables.{name}.{key}", value, need)
    if "source" not in said:
        raise ParameterError(f"tables.{name}", "no source", "source = PATH, or a database's URL")
    if ("person" in said) is ("each_row" in said):
        raise ParameterError(f"tables.{name}", "who a person is", "person = COLUMN, or each_row = true")
    bounds = {column: (low, high) for column, (low, high) in said.get("bounds", {}).items()}
    for column, pair in bounds.items():
        low, high = (exact(x, f"tables.{name}.bounds.{column}") for x in pair)
        if low > high:
            raise ParameterError(f"tables.{name}.bounds.{column}", list(pair), "the lower bound first")
    return Binding(
        name,
        _beside(place, said["source"]),
        tuple(_as_list(said["person"])) if "person" in said else None,
        _beside(place, said["ledger"]) if "ledger" in said else None,
        said.get("table"),
        MappingProxyType(dict(said.get("types", {}))),
        MappingProxyType(bounds),
    )


def _beside(place: Path, source: str) -> str:
    return source if _is_url(source) else str(place.parent / source)


def _is_url(source: str) -> bool:
    if not isinstance(source, str):
        raise KindError("source", source, "a path, or a database's URL, in text")
    return "://" in source


def is_same(source: str, other: str, /) -> bool:
    """Return whether two paths, patterns or URLs lead to the same place.

    >>> is_same("a/../events.csv", "events.csv"), is_same("sqlite://b.db", "b.db")
    (True, False)
    """
    return _places(source) == _places(other)


def _places(source: str) -> set[str]:
    """Return where a source is: the URL as it is, or the files of a path or pattern without links."""
    if _is_url(source):
        return {source}
    found = [] if Path(source).exists() else glob.glob(source, recursive=True)  # noqa: PTH207  Absolute patterns.
    return {os.path.realpath(each) for each in found or [source]}


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)


def _are_texts(values: Any) -> bool:
    return all(isinstance(value, str) and value for value in values)
