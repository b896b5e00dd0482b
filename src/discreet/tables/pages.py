"""Pages of answers: what was asked, the answer, what it tells about a person, and what it cost."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from discreet._version import __version__
from discreet.exact import written
from discreet.figures import figure, outwards
from discreet.pages.drawings import Bars
from discreet.pages.page import Block, Details, Facts, Grid, Items, Page, Section, Text, Verdict, named, numbers
from discreet.pages.page import Column as Cells
from discreet.reals import exp, float_up, log1p
from discreet.words import LEARN, bound

if TYPE_CHECKING:
    from discreet.tables.aggregates import Column
    from discreet.tables.answers import Answer

__all__ = ["answer_page", "drawn", "labels", "ordered", "titled"]

_Figures: TypeAlias = tuple[list[Any], list[float], list[float], int]
_CHART: Final = 20
"""How many groups a chart shows."""
_SERIES: Final = 100
"""How many it shows where they have an order of their own."""
_TIME: Final = re.compile(r"\d{4}(-\d\d){0,2}")
"""Years, months and days as texts, which sort as they follow each other."""
_NOBODY: Final = "No ledger was given: this adds to what other answers tell, and nothing limits the sum."


def answer_page(answer: Answer, /) -> Page:
    """Return the page of an answer."""
    receipt, title = answer.receipt, titled(answer)
    lead = [named(receipt.table)]
    if receipt.where:
        lead.append(f"where {named(receipt.where)}")
    lead.append(f"{datetime.now(UTC):%Y-%m-%d}" if receipt.when is None else f"{receipt.when:%Y-%m-%d %H:%M} UTC")
    alone = [] if receipt.entry is not None else [Verdict("No budget is kept.", _NOBODY, good=False)]
    charts = [_chart(answer, column) for column in answer.released if column.asked]
    said = receipt.to_dict()
    sections = [
        Section("The answer", [*alone, *charts, _grid(answer, title), Text(_notes(answer))]),
        Section(LEARN, [Text([_who(receipt.person)]), Items(list(_guarantee(receipt.epsilon, receipt.delta)))]),
        Section("The budget", [Text(_budget(answer))]),
        Section("The receipt", [Facts(numbers(said)), Details("The same as JSON", _json(said))]),
    ]
    return Page(title, " · ".join(lead), _tiles(answer), sections, f"Made by discreet {__version__}.")


def _json(receipt: Any) -> str:
    return json.dumps(receipt, indent=1, ensure_ascii=False, default=str)


def titled(answer: Answer, column: Column | None = None, /) -> str:
    """Return what an answer, or one column of it, is about."""
    words = [each.aggregate.words for each in answer.released if (each.asked if column is None else each is column)]
    what = ", ".join(words)
    return what[:1].upper() + what[1:] + (f" by {', '.join(answer.by)}" if answer.by else "")


def _tiles(answer: Answer) -> list[tuple[str, str]]:
    epsilon, delta = answer.receipt.epsilon, answer.receipt.delta
    tiles = [("Groups shown", f"{len(answer):,}")] if answer.by else []
    if answer.left_out is not None:
        tiles.append(("Left out by bounding", f"{answer.left_out.share:.1%}"))
    tiles.append(("Epsilon spent", written(epsilon, up=True)))
    if delta:
        tiles.append(("Delta spent", written(delta, up=True)))
    if answer.left is not None:
        tiles.append(("Epsilon left", written(answer.left.epsilon, up=False)))
        if delta:
            tiles.append(("Delta left", written(answer.left.delta, up=False)))
    return tiles


def ordered(answer: Answer, /) -> bool:
    """Whether the groups have an order of their own: those of numbers, days and times, or years; null comes first."""
    parts = [part for key in answer.keys for part in key if part is not None]
    return all(map(_placed, parts))


def _placed(part: Any) -> bool:
    if isinstance(part, str):
        return bool(_TIME.fullmatch(part))
    return isinstance(part, int | float | date | time | Decimal) and not isinstance(part, bool)


def drawn(answer: Answer, column: Column, most: int, /) -> list[int]:
    """Return the places of the groups that a chart shows: the greatest first, or the last in an order of their own."""
    if ordered(answer):
        return list(range(max(len(answer) - most, 0), len(answer)))
    values = np.array(column.values, float)
    return np.argsort(-values, kind="stable")[:most].tolist()  # type: ignore[no-any-return]


def labels(answer: Answer, places: Sequence[int], /) -> list[str]:
    """Return what groups are called in a chart."""
    if not answer.by:
        return ["all"]
    return [", ".join("no value" if part is None else str(part) for part in answer.keys[i]) for i in places]


def _figures(column: Column) -> _Figures:
    """Return the values, both ends of their 95 % intervals, rounded outwards, and how many decimals they deserve."""
    low, high = (np.asarray(end, float) for end in column.interval("0.95"))
    decimals = column.decimals(low, high)
    return column.values, *outwards(low, high, decimals), decimals


def _chart(answer: Answer, column: Column) -> Block:
    values, low, high, decimals = _figures(column)
    if not values:
        return Text(["No group is shown."])
    most, which = (_SERIES, "last groups") if ordered(answer) else (_CHART, "largest groups")
    order = drawn(answer, column, most)
    caption = f"{titled(answer, column)}, with 95 % intervals of the noise"
    if len(values) > most:
        caption += f": the {most} {which}, of {len(values):,}; the table has them all"
    named = labels(answer, order)
    shown, lows, highs = ([column[i] for i in order] for column in (values, low, high))
    beside = _beside(named, shown, lows, highs, decimals)
    return Bars(caption + ".", named, shown, lows, highs, decimals, beside, from_zero=not column.aggregate.divides)


def _beside(labels: list[str], values: list[Any], lows: list[float], highs: list[float], decimals: int) -> str:
    """Say in words what a chart shows."""

    def one(i: int) -> str:
        ends = f"{figure(lows[i], decimals)} to {figure(highs[i], decimals)}"
        return f"{figure(values[i], decimals)} (95 % interval {ends})"

    if len(values) == 1:
        return f"{one(0)}." if labels == ["all"] else f"{named(labels[0])}: {one(0)}."
    low, high = (choose(range(len(values)), key=values.__getitem__) for choose in (min, max))
    greatest, least = (f"{named(labels[i])} with {one(i)}" for i in (high, low))
    return f"The largest is {greatest}; the smallest shown is {least}."


def _grid(answer: Answer, title: str) -> Grid:
    heads = [Cells(name, [key[i] for key in answer.keys], head=True) for i, name in enumerate(answer.by)]
    if not answer.by:
        heads = [Cells("group", ["all"], head=True)]
    numbers_: list[Cells] = []
    for column in (each for each in answer.released if each.asked):
        values, low, high, decimals = _figures(column)
        numbers_ += [
            Cells(answer.names[column.aggregate.label], values, decimals),
            Cells("noise: 95 % from", low, decimals, quiet=True),
            Cells("to", high, decimals, quiet=True),
        ]
    others = [Cells(answer.names[each.aggregate.label], each.values, 0) for each in answer.released if not each.asked]
    return Grid(title, [*heads, *numbers_, *others], "Find a group")


def _notes(answer: Answer) -> list[str]:
    holds = (
        "With a confidence of 95 % its interval holds what was counted, after bounding; its ends are rounded outwards."
    )
    notes = [f"Each value has noise. {holds}"]
    receipt = answer.receipt
    if "max_groups" in receipt.bounds and receipt.person is not None:
        most = receipt.bounds["max_groups"]
        notes.append(f"Each person counts in at most {'1 group' if most == 1 else f'{most:,} groups'}.")
    if answer.bias is not None:
        notes.append(answer.bias)
    notes += [note for column in answer.released if (note := column.aggregate.note) is not None]
    for column in (each for each in answer.released if not each.asked):
        reach = column.noise.radius(Fraction(1, 20))
        notes.append(f"The number of people is noisy, too: 95 % of its noise is within ±{reach:,.0f}.")
    if receipt.private:
        seen = "A group appears if its noisy number is above a threshold."
        notes.append(f"{seen} What does not appear is private, and so is how many groups that may be.")
    return notes


def _who(person: tuple[str, ...] | None) -> str:
    if person is not None:
        return f"A person, here, is all rows of one {', '.join(person)}. The promises below are made to each of them."
    return "A person, here, is one row of the table. The promises below are made to each of them."


def _guarantee(epsilon: Fraction, delta: Fraction) -> Iterator[str]:
    """Say what an attacker can learn: of two tables that differ by a person's rows, and of two versions of these rows.

    Tables without and with a person are within (epsilon, delta). Two versions of a person's rows are two such steps
    apart, which is within (2 epsilon, (1 + exp(epsilon)) delta). That the promise *fails* with a probability of at
    most delta says more: unless a group appears that only one of the tables has, which has that probability, the odds
    change at most by exp(epsilon), or by 1 / (1 - delta) because none appeared, which is more where delta is large.
    """
    epsilon = max(epsilon, Fraction(float_up(-log1p(-delta))) if 0 < delta < 1 else epsilon)
    yield bound(
        "Whether a person is in the table. Suppose someone knows all other rows, and thinks there is a 50 % "
        "chance that this person is in the table.",
        "This page",
        epsilon,
        delta,
    )
    twice = (1 + exp(min(epsilon, Fraction(100)))) * delta if delta else Fraction(0)
    yield bound(
        "What a person's rows say. Suppose someone knows all other rows, and thinks that each of two "
        "versions of this person's rows has a 50 % chance of being the true one.",
        "This page",
        2 * epsilon,
        Fraction(float_up(twice)),
    )
    if delta:
        yield "Where such a promise fails, the page may show, for example, a group that only this person is in."
    yield (
        "What the page tells about people at large, it tells with or without any one of them. That is what it is for, "
        "and nothing limits it."
    )
    yield "All this is about this page alone. Other answers about the same people add to it."


def _budget(answer: Answer) -> list[str]:
    cost = f"epsilon {written(answer.receipt.epsilon, up=True)}"
    if answer.receipt.delta:
        cost += f" and delta {written(answer.receipt.delta, up=True)}"
    if answer.left is None:
        return [f"This page spent {cost}. {_NOBODY}"]
    left = f"epsilon {written(answer.left.epsilon, up=False)} and delta {written(answer.left.delta, up=False)}"
    return [f"This page spent {cost}. After it, {left} were left in the ledger for all answers to come."]
