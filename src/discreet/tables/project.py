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
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, final
from urllib.parse import parse_qsl, urlsplit

from discreet.errors import KindError, ParameterError, none_of
from discreet.exact import exact
from discreet.files import path_of, read_toml
from discreet.frozen import freeze
from discreet.ledger import Ledger
from discreet.tables.table import Table
from discreet.tables.texts import declared
from discreet.urls import database_file, without_secrets

__all__ = ["NEEDS", "Binding", "Project", "binding_of", "is_same"]

NAME: Final = "discreet.toml"
_PORTS: Final = {"postgres": ":5432", "mysql": ":3306"}


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


def _is_place(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and "\0" not in value


def _are_names(value: Any) -> bool:
    return isinstance(value, str | list) and bool(value) and _are_texts(_as_list(value))


def _is_table(value: Any) -> bool:
    return isinstance(value, dict)


def _are_texts(values: Any) -> bool:
    return all(isinstance(value, str) and value for value in values)


NEEDS: Final[Mapping[str, tuple[str, Callable[[Any], bool]]]] = MappingProxyType(
    {
        "source": ("a path, or a database's URL, in text", _is_place),
        "table": ("the name of a table in the database, in text", lambda x: isinstance(x, str) and bool(x)),
        "person": ("the name of a column, or a list of names", _are_names),
        "each_row": ("true, or nothing", lambda x: x is True),
        "ledger": ("the path of the books, in text", _is_place),
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
    source: str = field(repr=False)  # A URL may have a password in it.
    person: tuple[str, ...] | None
    ledger: str | None = field(repr=False)
    table: str | None
    types: Mapping[str, str]
    bounds: Mapping[str, tuple[Any, Any]]

    def has(self, table: str, /) -> bool:
        """Return whether this is what is said of a table of the source; most engines read names in any case."""
        return self.table is not None and self.table.casefold() == table.casefold()

    def open(
        self, *, who: str | None = None, plan: int | None = None, version: str | None = None, fresh: bool = False
    ) -> Table:
        """Return the table, charged to its books; *who* asks, and *plan* is the number of a reservation there."""
        if self.ledger is None and not (who is None and plan is None):
            raise ParameterError("who" if plan is None else "plan", who if plan is None else plan, "none: no books")
        books = None if self.ledger is None else Ledger(self.ledger, who=who)
        charged = books if books is None or plan is None else books.reservation(plan)
        said: dict[str, Any] = {"table": self.table, "types": self.types or None, "version": version, "fresh": fresh}
        return Table(self.source, person=self.person, ledger=charged, **said)


@final
@dataclass(frozen=True, slots=True, init=False)
class Project:
    r"""The tables of a project file, by their names. Paths in it are beside it.

    Without a path it is the nearest one above the working folder. Python takes no bounds from it by itself, but as in
    ``Sum("amount", *project["events"].bounds["amount"])``.

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

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        path = _above(Path.cwd()) or NAME if path is None else path
        place = path_of(path).absolute()
        if not place.is_file():
            raise ParameterError("path", str(path), "a file that exists")
        data = read_toml(place)
        tables: Any = data.get("tables")
        if set(data) - {"tables"} or not (_is_table(tables) and all(map(_is_table, tables.values()))):
            raise ParameterError("path", str(path), "[tables.NAME] for each table, and nothing else")
        found = {name: binding_of(place, name, said) for name, said in tables.items()}
        places = [(each, _places(each.source)) for each in found.values()]
        for (one, here), (other, there) in combinations(places, 2):
            if here & there and (one.table is None or other.has(one.table)):
                raise ParameterError(f"tables.{other.name}", "a source", f"another than that of {one.name}")
        freeze(self, path=place, bindings=MappingProxyType(found))

    @classmethod
    def near(cls, source: str, /) -> tuple[Project, ...]:
        """Return the projects of the nearest files above those of a source, and above the working folder.

        >>> Project.near("/no/such/folder/events.csv")
        ()
        """
        ways = [way for place in _files(source) for way in (place.absolute(), place.resolve())]
        found = (_above(folder) for folder in dict.fromkeys([*(way.parent for way in ways), Path.cwd()]))
        return tuple(cls(place) for place in dict.fromkeys(found) if place is not None)

    def __getitem__(self, name: str) -> Binding:
        if not isinstance(name, str) or name not in self.bindings:
            raise none_of("name", name, self.bindings)
        return self.bindings[name]

    def table(self, name: str, **asked: Any) -> Table:
        """Return a table of the project, charged to its books; *asked* is what `Binding.open` takes."""
        return self[name].open(**asked)

    def of(self, source: str, /, table: str | None = None) -> Binding | None:
        """Return what is said of a table, by its name here or by its source; None where nothing is.

        A pattern that finds a part of a table's files, or more than them, is refused: it would be on no books.
        """
        if not isinstance(table, str | None):
            raise KindError("table", table, "the name of a table in a database, or none")
        if not _is_url(source) and not path_of(source, "source").exists() and source in self.bindings:
            if table is not None and not self.bindings[source].has(table):
                raise ParameterError("table", table, f"none: {self.path} says which table {source} is")
            return self.bindings[source]
        asked, found = _places(source), []
        for binding in self.bindings.values():
            said = _places(binding.source)
            if asked == said and (table is None or binding.has(table)):
                found.append(binding)
            elif asked & said and not _is_url(source):
                raise ParameterError("source", source, f"{binding.name}, whose files {self.path} binds")
        return found[0] if len(found) == 1 else None


def binding_of(place: Path, name: str, said: Mapping[str, Any]) -> Binding:
    """Return what a project says of a table, checked."""
    for key, value in said.items():
        if key not in NEEDS:
            raise none_of(f"tables.{name}", key, NEEDS)
        need, fits = NEEDS[key]
        if not fits(value):
            is_url = isinstance(value, str) and "://" in value
            raise ParameterError(f"tables.{name}.{key}", "a URL" if is_url else value, need)
    if "source" not in said:
        raise ParameterError(f"tables.{name}", "no source", "source = PATH, or a database's URL")
    if ("table" in said) is not _is_url(said["source"]):
        raise ParameterError(
            f"tables.{name}", "table", "table = NAME where the source is a database's URL, and only there"
        )
    if ("person" in said) is ("each_row" in said):
        raise ParameterError(f"tables.{name}", "who a person is", "person = COLUMN, or each_row = true")
    types = declared(said.get("types", {}), f"tables.{name}.types")
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
        types,
        MappingProxyType(bounds),
    )


def _beside(place: Path, source: str) -> str:
    """Return a path, or a URL of a file, as one that does not depend on the working folder."""
    file = database_file(source) if _is_url(source) else Path(source)
    if file is None:
        return source
    scheme, sign, rest = source.partition("://")
    return f"{scheme}://{place.parent / file}{''.join(rest.partition('?')[1:])}" if sign else str(place.parent / file)


def _is_url(source: str) -> bool:
    if not isinstance(source, str):
        raise KindError("source", source, "a path, or a database's URL, in text")
    return "://" in source


def is_same(source: str, other: str, /) -> bool:
    """Return whether two paths, patterns or URLs lead to the same place.

    >>> is_same("a/../events.csv", "events.csv"), is_same("postgres://ana:pw@h/books", "postgres://h/books")
    (True, True)
    """
    return _places(source) == _places(other)


def _places(source: str) -> set[str]:
    """Return where a source is: its files without links, or a URL without who asks there and with which secrets."""
    files = {os.path.realpath(each) for each in _files(source)}
    if files:
        return files
    url = urlsplit(without_secrets(source).replace("postgresql:", "postgres:", 1))
    hosts = url.netloc.rpartition("@")[2].removesuffix(_PORTS.get(url.scheme, ""))
    schema = [value for name, value in parse_qsl(url.query) if name == "schema"]  # The rest is how one gets there.
    return {" ".join([url.scheme, hosts, url.path.rstrip("/"), *schema]).casefold()}


def _files(source: str) -> list[Path]:
    """Return the file of a path or of a URL, or those that a pattern finds; none of a database elsewhere."""
    if _is_url(source):
        file = database_file(source)
        return [] if file is None else [file]
    place = path_of(source, "source")
    found = [] if place.exists() else glob.glob(source, recursive=True)  # noqa: PTH207  Absolute patterns.
    return [Path(each) for each in found] or [place]


def _above(folder: Path) -> Path | None:
    """Return the nearest project file in a folder or above it."""
    return next((each / NAME for each in (folder, *folder.parents) if (each / NAME).is_file()), None)
