"""A budget's books as a page: what is left by each reading, what was spent by whom and when, and every charge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from fractions import Fraction
from typing import Any, Final

from discreet.exact import read_in_full, written
from discreet.pages.books import rule
from discreet.pages.drawings import Bars, Stack
from discreet.pages.page import Block, Facts, Page, Section, Text, named
from discreet.pages.results import FOOTER
from discreet.pages.sheet import Sheet
from discreet.words import promise

__all__ = ["timeline_page"]

_COLUMNS: Final = 60
_NAMED: Final = 4
"""How many of those who asked are drawn by name; the others together."""
_DRAWN: Final = 20
"""How many analysts are drawn."""
_NOBODY: Final = "not said"


def timeline_page(title: str, books: Mapping[str, Any], sheet: Sheet) -> Page:
    """Return the page of the books of `Ledger.to_dict`; the *sheet* lists the charges.

    >>> from discreet import Ledger
    >>> book = Ledger.in_memory(epsilon=1)
    >>> _ = book.charge(epsilon="1/4", who="Ada"), book.charge(epsilon="1/4", who="Bob")
    >>> page = timeline_page("Books", book.to_dict(), book.sheet).to_html()
    >>> "<bdi>Ada</bdi> 25 %, <bdi>Bob</bdi> 25 %; 50 % of epsilon is left." in page
    True
    """
    budget, left = books["budget"], books["left"]
    now = "" if books["period"] is None else f" this {books['period']['every']}"
    tiles = [(f"{name.capitalize()} left{now}", written(read_in_full(left[name]), up=False)) for name in budget]
    charges = sum(entry["kind"] == "charge" for entry in books["entries"])
    tiles += [("Charges", f"{charges:,}"), ("Entries, with notes", f"{len(books['entries']):,}")]
    epsilon, delta = (read_in_full(budget[name]) for name in ("epsilon", "delta"))
    told = "That holds for all that these books will ever allow, whatever is asked next, and why."
    counted = [(f"budget: {name}", written(read_in_full(x), up=True)) for name, x in budget.items()]
    if (own := books["terms"].get("release_delta")) is not None:
        counted.append(("of which for the releases' own deltas", written(read_in_full(own), up=False)))
    counted.append((f"counted by: {books['accountant']}", rule(books["accountant"])))
    sections = [
        # The sheet's first remarks are the readings, which are drawn here.
        Section("What is left", [*_left(books), Text(sheet.remarks[len(books["readings"]) :])]),
        Section("What was spent, when and by whom", _spending(books)),
        Section(
            "What all answers together can tell",
            [Text([f"{promise(epsilon, delta, fails=False)}. {told}", *_of_periods(books["period"])])],
        ),
        Section("How it is counted", [Facts(counted)]),
        Section("The entries", _narrow(sheet).blocks()),
    ]
    return Page(title, "", tiles, sections, FOOTER)


def _narrow(sheet: Sheet) -> Sheet:
    """Return a sheet with what entries cost before what they are: a phone shows the first columns."""
    return replace(sheet, columns=sorted(sheet.columns, key=lambda column: (not column.head, not column.number)))


def _of_periods(period: Mapping[str, Any] | None) -> list[str]:
    """Say what is promised of each period, where there are any."""
    if period is None:
        return []
    epsilon, delta = (read_in_full(period["budget"][name]) for name in ("epsilon", "delta"))
    said = f"Whatever was known before, of all answers of one {period['every']} together: "
    return [f"{said}{promise(epsilon, delta, fails=False)}."]


def _left(books: Mapping[str, Any]) -> list[Block]:
    """Draw how much is spent of the whole, of the period, and of what each analyst may spend."""
    drawn: list[Block] = [_readings("Spent of each sum, %", books["readings"])]
    if books["period"] is not None:
        drawn.append(_readings(f"Spent of each sum this {books['period']['every']}, %", books["period"]["readings"]))
    limits = {
        name: {"spent": each["spent"]["epsilon"], "of": each["limit"]["epsilon"]}
        for name, each in list(books["analysts"].items())[:_DRAWN]
    }
    return [*drawn, *([_readings("Spent of each analyst's epsilon, %", limits)] if limits else [])]


def _readings(caption: str, readings: Mapping[str, Mapping[str, str]]) -> Bars:
    """Draw how much of each sum is spent; a charge passes while those fit that decide."""
    pairs = {name: (read_in_full(read["spent"]), read_in_full(read["of"])) for name, read in readings.items()}
    shares = [float(100 * spent / of) if of else 0.0 for spent, of in pairs.values()]
    texts = [f"{written(spent, up=True)} of {written(of, up=True)}" for spent, of in pairs.values()]
    beside = "; ".join(f"{named(name)}: {text} spent" for name, text in zip(pairs, texts, strict=True)) + "."
    return Bars(caption, list(pairs), shares, beside=beside, limit=(100, "the whole"), shown=texts)


def _spending(books: Mapping[str, Any]) -> list[Block]:
    """Draw what the charges came to as time went on, by who asked, in percent of the first sum that decides."""
    name, reading = next(iter(books["readings"].items()))
    of, entries = read_in_full(reading["of"]), [entry for entry in books["entries"] if entry["event"] is not None]
    if not entries or not of:
        return [Text(["Nothing is charged yet."])]
    costs = _costs(entries, name)
    places, names = _columns(costs)
    times = [datetime.fromisoformat(when) for when, _, _ in costs]
    first, last = min(times), max(times)
    span = (last - first).total_seconds()
    count = _COLUMNS if span else 1
    sums = [[Fraction(0)] * len(names) for _ in range(count)]
    for time, (_, who, cost) in zip(times, costs, strict=True):
        place = min(int(count * (time - first).total_seconds() / span), count - 1) if span else 0
        sums[place][places[who]] += cost
    columns, total = [], [Fraction(0)] * len(names)
    for added in sums:
        total = [x + y for x, y in zip(total, added, strict=True)]
        columns.append([float(100 * x / of) for x in total])
    spent = ", ".join(f"{named(who)} {_percent(x / of, up=True)}" for who, x in zip(names, total, strict=True))
    beside = f"{spent}; {_percent(1 - sum(total, Fraction(0)) / of, up=False)} of {name} is left."
    ends = (f"{first:%Y-%m-%d %H:%M}", f"{last:%Y-%m-%d %H:%M} UTC")
    caption = f"Spent of {name}, {written(of, up=True)} in all, as time went on, by who asked."
    return [Stack(caption, names, columns, ends, f"all {name}", beside)]


def _costs(entries: Sequence[Mapping[str, Any]], name: str) -> list[tuple[str, str | None, Fraction]]:
    """Return when, by whom and how much was charged; what is taken back is taken back from who had asked."""
    asked = {entry["number"]: entry["who"] for entry in entries}
    return [
        (
            entry["when"],
            asked[entry["receipt"]["entry"] if entry["kind"] == "void" else entry["number"]],
            read_in_full(entry["cost"][name]),
        )
        for entry in entries
    ]


def _columns(costs: Sequence[tuple[str, str | None, Fraction]]) -> tuple[dict[str | None, int], list[str]]:
    """Return the column of each who asked, those first who spent most, and its name; beyond a few, of all others."""
    spent: dict[str | None, Fraction] = {}
    for _, who, cost in costs:
        spent[who] = spent.get(who, Fraction(0)) + cost
    ranked = sorted(spent, key=lambda who: (-spent[who], who or ""))
    names, rest = [_NOBODY if who is None else who for who in ranked], len(ranked) - _NAMED
    places = {who: min(place, _NAMED) for place, who in enumerate(ranked)}
    return places, names if rest <= 1 else [*names[:_NAMED], f"{rest} others"]


def _percent(share: Fraction, *, up: bool) -> str:
    return f"{written(100 * share, up=up, digits=3)} %"
