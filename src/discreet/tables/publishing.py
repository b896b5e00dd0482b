"""Publishing: a file that says which tables are published of a source, month after month, charged to the same books.

    source = "visits-{version}.csv"    # and person, types, bounds, ledger as in a project's file
    person = "user"
    ledger = "books.db"
    version = "2026-11"
    out = "published-{version}"
    epsilon = 1                        # of all tables together, divided by their shares
    delta = "1e-6"

    [tables.cities]
    by = ["city"]
    max_groups = 3
    people = true
    means = ["amount"]
    share = 2

All tables are reserved on the books as one charge. What was released is kept there, so that whoever asks again, also
after a crash, gets the same figures, and pays nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple, final

from discreet.accounting import Amount
from discreet.disclosure import digest_of
from discreet.errors import BudgetError, ParameterError, UnsupportedError, none_of
from discreet.exact import exact, written
from discreet.files import checked_page, checked_place, path_of, read_toml
from discreet.frozen import freeze
from discreet.ledger import Ledger, Reservation
from discreet.pages.page import Page, Section, Text, named
from discreet.pages.results import FOOTER, Result
from discreet.pages.sheet import Column, Sheet, amounts
from discreet.tables.aggregates import Aggregate, Mean, People, Rows, Sum
from discreet.tables.answers import Answer
from discreet.tables.explain import Explanation
from discreet.tables.files import checked_target, write_tables
from discreet.tables.project import NEEDS, Binding, binding_of
from discreet.tables.table import Groups, Table

__all__ = ["Preview", "PublicationFile", "Published", "Wanted"]

_FORMATS: Final = ("csv", "parquet", "xlsx", "html", "disclosure")
_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,59}")
_VERSION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value) and "\0" not in value


def _is_number(value: Any) -> bool:
    return isinstance(value, str | int) and not isinstance(value, bool)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_is_text, value))


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0


_Need = tuple[str, Callable[[Any], bool]]
_WHOLE: Final[Mapping[str, _Need]] = MappingProxyType(
    {
        "version": ("a name for the data as they are, of letters, digits, dots and dashes", _is_text),
        "out": ("a folder, in text", _is_text),
        "formats": (f"some of {', '.join(_FORMATS)}", lambda x: _are_texts(x) and set(x) <= {*_FORMATS}),
        "epsilon": ("a number above 0", _is_number),
        "delta": ("a number above 0", _is_number),
        "where": ("a condition, in text", _is_text),
        "tables": ("[tables.NAME] for each table", lambda x: isinstance(x, dict) and bool(x)),
    }
)
_TABLE: Final[Mapping[str, _Need]] = MappingProxyType(
    {
        "by": ("a list of columns", _are_texts),
        "keys": ("a list of known keys", lambda x: isinstance(x, list) and bool(x)),
        "max_groups": ("an integer above 0", _is_count),
        "people": ("true, or nothing", lambda x: x is True),
        "rows": ("how many rows of a person count", _is_count),
        "sums": ("a list of columns that have bounds", _are_texts),
        "means": ("a list of columns that have bounds", _are_texts),
        "share": ("a number above 0", _is_number),
    }
)


@final
@dataclass(frozen=True, slots=True)
class Wanted:
    """A table that is to be published, and its part of the budget."""

    name: str
    asked: tuple[Aggregate, ...]
    by: tuple[str, ...]
    keys: tuple[Any, ...] | None
    epsilon: Fraction
    delta: Fraction | None
    max_groups: int | None

    def _groups(self, table: Table) -> tuple[Groups, dict[str, Any]]:
        groups = table.group_by(*self.by, keys=self.keys) if self.by else Groups(table, ())
        return groups, {"epsilon": self.epsilon, "delta": self.delta, "max_groups": self.max_groups}

    def explain(self, table: Table) -> Explanation:
        """Say what can be said of it before it is made."""
        groups, numbers = self._groups(table)
        if numbers["max_groups"] is None and self.by and table.person is not None:
            raise ParameterError(
                f"tables.{self.name}", "max_groups", "max_groups = 3, say: in how many a person counts"
            )
        return groups.explain(*self.asked, **numbers)

    def release(self, table: Table) -> Answer:
        """Make it, or get it again where it is kept."""
        groups, numbers = self._groups(table)
        return groups.release(*self.asked, **numbers)


class Published(NamedTuple):
    """The tables that were published, by their names, and the files that they are in."""

    answers: Mapping[str, Answer]
    files: tuple[Path, ...]


@final
@dataclass(frozen=True, slots=True)
class Preview(Result):
    """What a publication will promise, cost, and show, before it is made: for whoever has to agree to it."""

    title: str
    explained: Mapping[str, Explanation]
    price: str
    left: Amount

    @property
    def sheet(self) -> Sheet:
        """The tables, what each costs alone, how wrong it may be, and who will appear."""
        rows = [
            (name, each, each.choices[[c.max_groups for c in each.choices].index(each.chosen or 1)])
            for name, each in self.explained.items()
        ]
        columns = [
            Column("table", [name for name, _, _ in rows], head=True),
            Column("figures", [each.question for _, each, _ in rows]),
            amounts("epsilon", [each.receipt.epsilon for _, each, _ in rows]),
            amounts("delta", [each.receipt.delta for _, each, _ in rows]),
            amounts("noise, 95 %", [choice.radius for _, _, choice in rows], "±"),
        ]
        if any(choice.n95 is not None for _, _, choice in rows):
            shown = ["all" if choice.n95 is None else f"{choice.n95:,}" for _, _, choice in rows]
            columns.append(Column("95 % seen from", [choice.n95 or 0 for _, _, choice in rows], shown=shown))
        epsilon, delta = (written(x, up=False) for x in self.left)
        left = f"The budget has epsilon {epsilon} and delta {delta} left."
        return Sheet(self.title, columns, "nothing is spent, and no rows are read", [self.price, left], "table")

    @property
    def page(self) -> Page:
        """All of it as a page, to be signed off."""
        agreed = ["Agreed by: ____________________    Date: ____________________"]
        sections = [
            Section("What will be published, and what it costs", [*self.sheet.blocks(), Text(self.sheet.remarks)])
        ]
        sections += [
            Section(f"{named(name)}: {each.question}", [each.sheet, Text(each.sheet.remarks)])
            for name, each in self.explained.items()
        ]
        return Page(
            self.title, "A plan: nothing is released yet", (), [*sections, Section("Sign-off", [Text(agreed)])], FOOTER
        )


@final
@dataclass(frozen=True, slots=True, init=False)
class PublicationFile:
    r"""A publication as its file says it. Paths in it are beside it; *version* takes the place of the file's own.

    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "visits.csv").write_text("user,city\n1,Rome\n")
    ...     _ = Ledger(pathlib.Path(folder, "books.db"), epsilon=2).close()
    ...     plan = pathlib.Path(folder, "plan.toml")
    ...     _ = plan.write_text('''
    ...     source = "visits.csv"
    ...     person = "user"
    ...     ledger = "books.db"
    ...     version = "2026-11"
    ...     out = "published"
    ...     formats = ["csv"]
    ...     epsilon = 1
    ...     [tables.cities]
    ...     by = ["city"]
    ...     keys = ["Rome", "Bari"]
    ...     max_groups = 1
    ...     people = true
    ...     ''')
    ...     first, again = PublicationFile(plan).release(), PublicationFile(plan).release()
    ...     rows = [each.answers["cities"].to_rows() for each in (first, again)]
    ...     rows[0] == rows[1], Ledger(pathlib.Path(folder, "books.db")).left.epsilon
    (True, Fraction(1, 1))
    """

    path: Path
    binding: Binding
    version: str
    out: Path
    formats: tuple[str, ...]
    where: str | None
    tables: tuple[Wanted, ...]

    def __init__(self, path: str | os.PathLike[str], version: str | None = None) -> None:
        place = path_of(path).absolute()
        if not place.is_file():
            raise ParameterError("path", str(path), "a file that exists")
        said = read_toml(place)
        needs = dict(NEEDS) | dict(_WHOLE)
        for key, value in said.items():
            if key not in needs:
                raise none_of("plan", key, needs)
            _check(f"plan.{key}", value, needs[key])
        for key in ("ledger", "out", "epsilon", "tables"):
            if key not in said:
                raise ParameterError("plan", f"no {key}", f"{key} = ..., as the guide says")
        name = said.get("version") if version is None else version
        if not isinstance(name, str) or not _VERSION.fullmatch(name) or ".." in name:
            raise ParameterError("version", name, "a name for the data as they are, such as 2026-11")
        own = {key: value for key, value in said.items() if key in NEEDS}
        own |= {key: own[key].replace("{version}", name) for key in ("source",) if key in own}
        binding = binding_of(place, "plan", own)
        out = place.parent / said["out"].replace("{version}", name)
        formats = tuple(dict.fromkeys(said.get("formats", _FORMATS)))
        tables = _wanted(said, binding)
        freeze(
            self,
            path=place,
            binding=binding,
            version=name,
            out=out,
            formats=formats,
            where=said.get("where"),
            tables=tables,
        )

    @property
    def _title(self) -> str:
        return f"{self.path.stem}, {self.version}"

    def _table(self, ledger: Ledger | Reservation | None = None) -> Table:
        said = self.binding
        table = Table(
            said.source,
            person=said.person,
            ledger=ledger,
            table=said.table,
            types=said.types or None,
            version=self.version,
        )
        return table if self.where is None else table.where(self.where)

    def check(self, who: str | None = None) -> Preview:
        """Say what will be published and what it will cost, from public parameters alone; nothing is spent."""
        explained = self._explained()
        with self._books(who) as book:
            made = self._reserved(book)
            costs = [[each.event.epsilon, each.event.delta] for each in explained.values()]
            apart = Amount(*(sum(parts, Fraction(0)) for parts in zip(*costs, strict=True)))
            price = (
                f"One by one the tables cost {_text(apart)}; together they are charged what takes least of the rest."
            )
            if made is not None:
                price = f"It is reserved, as entry {made.number}: nothing more is spent."
            return Preview(self._title, explained, price, book.left)

    def release(self, who: str | None = None) -> Published:
        """Publish all tables, charged as one reservation; what was released before comes again, for nothing.

        Places are tried before anything is charged. After a crash, the same call goes on where it was.
        """
        explained = self._explained()
        self.out.mkdir(parents=True, exist_ok=True)
        files = self._places()
        with self._books(who) as book:
            plan = self._reserved(book)
            if plan is None:
                plan = book.reserve(list(explained.values()), table=self._title, receipt={"publication": self._digest})
            answers = {each.name: _released(each, self._table(plan)) for each in self.tables}
        self._write(answers)
        return Published(MappingProxyType(answers), files)

    def _explained(self) -> dict[str, Explanation]:
        table = self._table()
        return {each.name: each.explain(table) for each in self.tables}

    def _books(self, who: str | None) -> Ledger:
        book = Ledger(self.binding.ledger or "", who=who)
        if book._run("DEFERRED", book._head).answers == "none":
            raise UnsupportedError("these books keep no answers, so a publication cannot be had again: make others")
        return book

    @property
    def _digest(self) -> str:
        """By what a reservation is known again: the tables and the version, wherever the files are."""
        return digest_of([self.version, self.where, [repr(each) for each in self.tables]])

    def _reserved(self, book: Ledger) -> Reservation | None:
        """Return the reservation of this publication that the books have, if one stands."""
        entries = book.entries()
        gone = {entry.about for entry in entries if entry.kind == "void"}
        for entry in entries:
            told = entry.receipt.get("receipt") if isinstance(entry.receipt, Mapping) else None
            if isinstance(told, Mapping) and told.get("publication") == self._digest and entry.number not in gone:
                return book.reservation(entry.number)
        return None

    def _places(self) -> tuple[Path, ...]:
        """Return the files that will be written, or raise."""
        files = [
            checked_target(self.out / f"{each.name}.{suffix}")
            for suffix in ("csv", "parquet")
            if suffix in self.formats
            for each in self.tables
        ]
        files += [checked_target(self.out / "tables.xlsx")] if "xlsx" in self.formats else []
        files += [checked_page(self.out / "index.html")] if "html" in self.formats else []
        if "disclosure" in self.formats:
            files += [checked_place(self.out / f"{each.name}.disclosure.json", (".json",)) for each in self.tables]
        return tuple(files)

    def _write(self, answers: Mapping[str, Answer]) -> None:
        """Write each file, whole or not at all."""
        for name, answer in answers.items():
            for suffix in ("csv", "parquet"):
                if suffix in self.formats:
                    answer.save(self.out / f"{name}.{suffix}", safe_csv=True)
            if "disclosure" in self.formats:
                answer.disclosure().save(self.out / f"{name}.disclosure.json")
        if "xlsx" in self.formats:
            write_tables(self.out / "tables.xlsx", answers)
        if "html" in self.formats:
            self._page(answers).to_html(self.out / "index.html")

    def _page(self, answers: Mapping[str, Answer]) -> Page:
        sections = [
            Section(
                f"{named(name)}: {answer.heading}",
                [*answer.sheet.blocks(), Text([text for _, text in answer.statements])],
            )
            for name, answer in answers.items()
        ]
        return Page(self._title, f"{len(answers)} tables", (), sections, FOOTER)


def _released(wanted: Wanted, table: Table) -> Answer:
    """Return a table's figures; say so where they were drawn and lost, as in a crash before they were kept."""
    try:
        return wanted.release(table)
    except BudgetError as error:
        lost = (
            "its figures were drawn and lost before they were kept; under another name of the table they are paid anew"
        )
        raise BudgetError(f"tables.{wanted.name}: {lost} ({error})") from None


def _check(name: str, value: Any, need: _Need) -> None:
    text, fits = need
    if not fits(value):
        is_url = isinstance(value, str) and "://" in value
        raise ParameterError(name, "a URL" if is_url else value, text)


def _wanted(said: Mapping[str, Any], binding: Binding) -> tuple[Wanted, ...]:
    """Return the tables, each with its part of the budget; a delta is for those whose groups are private."""
    tables: Mapping[str, Any] = said["tables"]
    for name, told in tables.items():
        if not _NAME.fullmatch(name) or not isinstance(told, dict):
            raise ParameterError("tables", name, "names of letters, digits, - and _, which files can have")
        for key, value in told.items():
            if key not in _TABLE:
                raise none_of(f"tables.{name}", key, _TABLE)
            _check(f"tables.{name}.{key}", value, _TABLE[key])
    if len({name.casefold() for name in tables}) < len(tables):
        raise ParameterError("tables", list(tables), "names that differ in more than case: they are files")
    shares = {name: exact(told.get("share", 1), f"tables.{name}.share") for name, told in tables.items()}
    epsilon = exact(said["epsilon"], "plan.epsilon")
    private = [name for name, told in tables.items() if "by" in told and "keys" not in told]
    if min(shares.values()) <= 0:
        raise ParameterError("tables", "a share", "shares above 0")
    if private and "delta" not in said:
        raise ParameterError("plan", "no delta", f"a delta, because the groups of {private[0]} are private; or keys")
    delta, of = exact(said.get("delta", 0), "plan.delta"), sum((shares[name] for name in private), Fraction(0))
    return tuple(
        Wanted(
            name,
            _asked(name, told, binding),
            tuple(told.get("by", ())),
            _keys(told.get("keys")),
            epsilon * shares[name] / sum(shares.values()),
            delta * shares[name] / of if name in private else None,
            told.get("max_groups"),
        )
        for name, told in tables.items()
    )


def _asked(name: str, told: Mapping[str, Any], binding: Binding) -> tuple[Aggregate, ...]:
    """Return what is asked of a table; sums and means take the bounds that the plan says."""
    asked: list[Aggregate] = [People()] if "people" in told else []
    asked += [Rows(told["rows"])] if "rows" in told else []
    for key, kind in (("sums", Sum), ("means", Mean)):
        for column in told.get(key, ()):
            if column not in binding.bounds:
                raise ParameterError(f"tables.{name}.{key}", column, "a column with bounds = {...} in the plan")
            asked.append(kind(column, *binding.bounds[column]))
    if not asked:
        raise ParameterError(f"tables.{name}", "no figures", "people = true, rows, sums or means")
    return tuple(asked)


def _keys(keys: Sequence[Any] | None) -> tuple[Any, ...] | None:
    return None if keys is None else tuple(tuple(key) if isinstance(key, list) else key for key in keys)


def _text(price: Amount) -> str:
    return f"epsilon {written(price.epsilon, up=True)} and delta {written(price.delta, up=True)}"
