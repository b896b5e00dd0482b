"""Publishing: a file that says which tables are published of a source, month after month, charged to the same books.

    source = "visits-{version}.csv"    # and person, types, bounds, ledger as in a project's file
    person = "user"
    ledger = "books.db"
    version = "2026-11"
    title = "Visits to our cities"     # of the page; else the file's own name
    out = "published-{version}"
    epsilon = 1                        # of all tables together, divided by their shares
    delta = "1e-6"

    [tables.cities]
    by = ["city"]
    max_groups = 3
    people = true
    means = ["amount"]
    share = 2

    [publications.census]              # tables that add up: see `wanted`
    tables = [[], ["city"], ["city", "sex"]]

All tables are reserved on the books as one charge. What was released is kept there, so that whoever asks again, also
after a crash, gets the same figures, and pays nothing.
"""

from __future__ import annotations

import json
import math
import os
import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from fractions import Fraction
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final, NamedTuple, final

from discreet.accounting import Amount
from discreet.disclosure import SUMMARY, digest_of
from discreet.errors import BudgetError, KindError, ParameterError, UnsupportedError, none_of
from discreet.exact import written
from discreet.files import checked_page, checked_place, path_of, read_toml
from discreet.frozen import freeze
from discreet.ledger import Ledger, Reservation
from discreet.pages.page import Details, Page, Section, Text, named
from discreet.pages.results import FOOTER, Result
from discreet.pages.sheet import Column, Sheet, amounts
from discreet.tables.answers import Answer
from discreet.tables.explain import Explanation
from discreet.tables.files import checked_target, receipt_path, write_tables
from discreet.tables.kept import declared
from discreet.tables.planning import PublicationPlan
from discreet.tables.project import NEEDS, Binding, binding_of
from discreet.tables.publication import TITLE
from discreet.tables.table import Table
from discreet.tables.wanted import Need, Wanted, WantedTogether, are_texts, check, is_number, is_text, wanted

__all__ = ["Preview", "PublicationFile", "Published"]

_FORMATS: Final = ("csv", "parquet", "xlsx", "html", "disclosure")
_PATIENCE: Final = 20
"""Seconds to wait for figures that somebody else is drawing."""
_PAUSE: Final = 0.2
_SHOWN: Final = 4
"""Of how many tables of a publication each error has room in a row."""
_VERSION: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")


def _is_some(value: Any) -> bool:
    return isinstance(value, dict) and bool(value)


_WHOLE: Final[Mapping[str, Need]] = MappingProxyType(
    {
        "version": ("a name for the data as they are, of letters, digits, dots and dashes", is_text),
        "title": ("what the page is called, in text", is_text),
        "out": ("a folder, in text", is_text),
        "formats": (f"some of {', '.join(_FORMATS)}", lambda x: are_texts(x) and set(x) <= {*_FORMATS}),
        "epsilon": ("a number above 0", is_number),
        "delta": ("a number above 0", is_number),
        "where": ("a condition, in text", is_text),
        "tables": ("[tables.NAME] for each table", _is_some),
        "publications": ("[publications.NAME] for tables that add up", _is_some),
    }
)


class Published(NamedTuple):
    """The tables that were published, by their names, and the files that they are in.

    All of them are paid for by one *entry* on the books, which was charged *spent*, and on which so much is *left*.
    """

    answers: Mapping[str, Answer]
    files: tuple[Path, ...]
    entry: int
    spent: Amount
    left: Amount


@final
@dataclass(frozen=True, slots=True)
class Preview(Result):
    """What a publication will promise, cost, and show, before it is made: for whoever has to agree to it."""

    title: str
    explained: Mapping[str, Explanation | PublicationPlan]
    price: str
    left: Amount
    fits: bool = True
    """Whether there is enough left on the books."""

    @property
    def sheet(self) -> Sheet:
        """The tables, what each costs alone, how wrong it may be, and who will appear."""
        rows = list(self.explained.values())
        radii, seen = zip(*map(_errors, rows), strict=True)
        columns = [
            Column("table", list(self.explained), head=True),
            Column("figures", [each.question for each in rows]),
            amounts("epsilon", [each.receipt.epsilon for each in rows]),
            amounts("delta", [each.receipt.delta for each in rows]),
            Column("noise, 95 %", [max(each) for each in radii], shown=list(map(_reach, radii))),
        ]
        if any(n is not None for n in seen):
            shown = ["all" if n is None else f"{n:,}" for n in seen]
            columns.append(Column("95 % seen from", [n or 0 for n in seen], shown=shown))
        said = [(name, text) for name, each in self.explained.items() for text in each.receipt.limits]
        remarks = [*(f"{name}: {text}" for name, text in said), *self._prices]
        return Sheet(self.title, columns, "nothing is spent, and no rows are read", remarks, "table")

    @property
    def _prices(self) -> list[str]:
        epsilon, delta = (written(x, up=False) for x in self.left)
        return [self.price, f"The budget has epsilon {epsilon} and delta {delta} left."]

    @property
    def page(self) -> Page:
        """All of it as a page, to be signed off."""
        agreed = ["Agreed by: ____________________    Date: ____________________"]
        sections = [Section("What will be published, and what it costs", [*self.sheet.blocks(), Text(self._prices)])]
        for name, each in self.explained.items():
            several = isinstance(each, PublicationPlan) and f"{each.of.words}, in {len(each.axes)} tables that add up"
            head = f"{named(name)}: {several or each.question}"
            sections.append(Section(head, [each.sheet, Text(each.sheet.remarks)]))
        sections.append(Section("Sign-off", [Text(agreed)]))
        return Page(self.title, "A plan: nothing is released yet", self._tiles, sections, FOOTER)

    @property
    def _tiles(self) -> list[tuple[str, str]]:
        count = sum(len(each.axes) if isinstance(each, PublicationPlan) else 1 for each in self.explained.values())
        price, left = _price(self.explained.values()), self.left
        tiles = [("Tables", f"{count:,}"), ("Epsilon at most", written(price.epsilon, up=True))]
        tiles += [("Delta at most", written(price.delta, up=True))] if price.delta else []
        return [*tiles, ("Epsilon left now", written(left.epsilon, up=False))]


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
    title: str
    out: Path
    formats: tuple[str, ...]
    where: str | None
    tables: tuple[Wanted | WantedTogether, ...]

    def __init__(self, path: str | os.PathLike[str], version: str | None = None) -> None:
        place = path_of(path).absolute()
        if not place.is_file():
            raise ParameterError("path", str(path), "a file that exists")
        said = read_toml(place)
        needs = dict(NEEDS) | dict(_WHOLE)
        for key, value in said.items():
            if key not in needs:
                raise none_of("plan", key, needs)
            check(f"plan.{key}", value, needs[key])
        for key in ("ledger", "out"):
            if key not in said:
                raise ParameterError("plan", f"no {key}", f"{key} = ..., as the guide says")
        if "tables" not in said and "publications" not in said:
            raise ParameterError("plan", "no tables", "[tables.NAME], or [publications.NAME], as the guide says")
        name = said.get("version") if version is None else version
        if not isinstance(name, str) or not _VERSION.fullmatch(name) or ".." in name:
            raise ParameterError("version", name, "a name for the data as they are, such as 2026-11")
        own = {key: value for key, value in said.items() if key in NEEDS}
        own |= {key: own[key].replace("{version}", name) for key in ("source",) if key in own}
        binding = binding_of(place, "plan", own)
        out = place.parent / said["out"].replace("{version}", name)
        formats = tuple(dict.fromkeys(said.get("formats", _FORMATS)))
        tables = wanted(said, binding)
        freeze(
            self,
            path=place,
            binding=binding,
            version=name,
            title=f"{said.get('title', place.stem)}, {name}",
            out=out,
            formats=formats,
            where=said.get("where"),
            tables=tables,
        )

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
            made = book.reserved_as(self._digest)
            if made is not None:
                price = f"It is reserved, as entry {made.number}: nothing more is spent."
                return Preview(self.title, explained, price, book.left)
            event = book.quote(list(explained.values()), who=who)
            apart, together = _price(explained.values()), Amount(event.epsilon, event.delta)
            part = book.shares(who=who)(event)
            rest = "more than is left on the books, so that they cannot be released"
            if part <= 1:
                rest = f"{_percent(part)} of {_what(part, together, book.left)}"
            more = "" if together == apart else f"; one by one it would be {_text(apart)}"
            price = f"The tables cost {_text(together)}, which is {rest}{more}."
            return Preview(self.title, explained, price, book.left, part <= 1)

    def release(self, who: str | None = None) -> Published:
        """Publish all tables, charged as one reservation; what was released before comes again, for nothing.

        Places are tried before anything is charged. After a crash, the same call goes on where it was.
        """
        explained = self._explained()
        self.out.mkdir(parents=True, exist_ok=True)
        files = self._places()
        with self._books(who) as book:
            plan = book.reserved_as(self._digest)
            if plan is None:
                plan = book.reserve(list(explained.values()), table=self.title, name=self._digest)
            answers = dict[str, Answer]()
            for each in self.tables:
                answers |= zip(each.files, _released(each, self._table(plan), plan), strict=True)
            spent, left = book.entries()[plan.number - 1].amount, book.left
        self._write(answers)
        return Published(MappingProxyType(answers), files, plan.number, spent, left)

    def _explained(self) -> dict[str, Explanation | PublicationPlan]:
        table, found = self._table(), dict[str, Explanation | PublicationPlan]()
        for each in self.tables:
            try:
                found[each.name] = each.explain(table)
            except (ParameterError, KindError) as error:  # Said as the plan says it.
                if not str(error).startswith(each.place):
                    error.args = (f"{each.place}.{re.sub('^columns=', 'by=', str(error))}",)
                raise
        return found

    def _books(self, who: str | None) -> Ledger:
        book = Ledger(self.binding.ledger or "", who=who)
        if book._run("DEFERRED", book._head).answers == "none":
            raise UnsupportedError("these books keep no answers, so a publication cannot be had again: make others")
        return book

    @property
    def _digest(self) -> str:
        """By what a reservation is known again: the tables, types, the source and its version, as answers are."""
        said, tables = self.binding, [repr(each) for each in self.tables]
        place = declared(said.source, said.table, self.version)
        return digest_of([self.version, place, self.where, said.person, sorted(said.types.items()), tables])

    @property
    def _files(self) -> list[str]:
        return [name for each in self.tables for name in each.files]

    def _places(self) -> tuple[Path, ...]:
        """Return the files that will be written, or raise."""
        files = [
            checked_target(self.out / f"{name}.{suffix}")
            for suffix in ("csv", "parquet")
            if suffix in self.formats
            for name in self._files
        ]
        files += [receipt_path(file) for file in files if file.suffix == ".csv"]
        files += [checked_target(self.out / "tables.xlsx")] if "xlsx" in self.formats else []
        files += [checked_page(self.out / "index.html")] if "html" in self.formats else []
        if "disclosure" in self.formats:
            files += [checked_place(self.out / f"{name}.disclosure.json", (".json",)) for name in self._files]
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
        """Return the page: a section for each table, and what is said of several that add up after the last.

        What bounds did to the figures stands below each table, because a table may be read, or copied, alone.
        """
        sections = list[Section]()
        for each in self.tables:
            some = [answers[name] for name in each.files]
            heads = [f"{named(each.name)}: {answer.heading}" for answer in some]
            below = [[*answer.sheet.blocks(), Text([*answer.limits, *answer.value_notes])] for answer in some]
            sections += [Section(head, blocks) for head, blocks in zip(heads, below, strict=True)]
            said = [text for name, text in some[0].statements if name not in ("figures", "bias", "totals")]
            told = [Details(SUMMARY, _disclosed(answer)) for answer in some]
            if isinstance(each, WantedTogether):
                sections.append(Section(f"{named(each.name)}: {TITLE.lower()}", [Text(said), *told]))
            else:
                sections[-1] = replace(sections[-1], blocks=[*sections[-1].blocks, Text(said), *told])
        count = len(answers)
        return Page(self.title, f"{count:,} table{'s' * (count != 1)}", (), sections, FOOTER)


def _disclosed(answer: Answer) -> str:
    return json.dumps(answer.disclosure().to_dict(), indent=1, ensure_ascii=False)


def _errors(explained: Explanation | PublicationPlan) -> tuple[list[float], int | None]:
    """Return what bounds each table's noise with probability 95 %, and how many people a group needs to be seen so."""
    if isinstance(explained, PublicationPlan):
        return explained.reaches, explained.n95
    choice = explained[explained.chosen or 1]
    return [choice.radius], choice.n95


def _reach(radii: Sequence[float]) -> str:
    """Write what bounds the noise of each table; of many tables, of that which has most.

    >>> _reach([8.0, 16.5]), _reach([1.0, 2.0, 3.0, 4.0, 5.0])
    ('±8; 16.5', 'up to ±5')
    """
    few = len(radii) <= _SHOWN
    texts = [written(x, up=True, commas=True) for x in (radii if few else [max(radii)])]
    return f"{'' if few else 'up to '}±{'; '.join(texts)}"


def _released(wanted: Wanted | WantedTogether, table: Table, plan: Reservation) -> tuple[Answer, ...]:
    """Return the figures, waiting a while for whoever else may be drawing them, who then keeps them.

    Where nobody does, as after a crash between the draw and the note, they are lost: nobody knows who has seen them.
    """
    while True:
        try:
            return wanted.release(table)
        except BudgetError as error:
            if not _is_drawing(plan):
                lost = "its figures were drawn and are not kept: somebody is still at it, or they were lost in a crash"
                anew = "under another name of the table they are paid anew"
                raise BudgetError(f"{wanted.name}: {lost}; {anew} ({error})") from None
        time.sleep(_PAUSE)


def _is_drawing(plan: Reservation) -> bool:
    """Whether a release of a plan was begun a moment ago, and has not failed."""
    entries = plan.ledger.entries()
    failed = {entry.about for entry in entries if entry.kind == "failed"}
    made = [e.when for e in entries if e.kind == "release" and e.about == plan.number and e.number not in failed]
    return bool(made) and abs((datetime.now(UTC) - max(made)).total_seconds()) < _PATIENCE  # Clocks may disagree.


def _price(explained: Iterable[Explanation | PublicationPlan]) -> Amount:
    """Return what tables cost one by one."""
    costs = [(each.event.epsilon, each.event.delta) for each in explained]
    return Amount(*(sum(parts, Fraction(0)) for parts in zip(*costs, strict=True)))


def _percent(part: Fraction) -> str:
    """Write a part in percent, in three digits.

    >>> _percent(Fraction(1, 6)), _percent(Fraction(1, 8)), _percent(Fraction(1))
    ('16.7 %', '12.5 %', '100 %')
    """
    places = 1000 if part < Fraction(1, 10) else 10
    return f"{written(Fraction(math.ceil(100 * part * places), places), up=True)} %"


def _what(part: Fraction, price: Amount, left: Amount) -> str:
    """Say of what a price takes a part: of the epsilon or the delta that is left, or of what else books add up."""
    for name, cost, rest in zip(Amount._fields, price, left, strict=True):
        if cost == part * rest:
            return f"the {name} that is left on the books"
    return "what is left on the books, in their own units"


def _text(price: Amount) -> str:
    return f"epsilon {written(price.epsilon, up=True)} and delta {written(price.delta, up=True)}"
