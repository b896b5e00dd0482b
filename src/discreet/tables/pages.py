"""Pages of answers: what was asked, the answer, what it tells about a person, and what it cost."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, Final

from discreet.disclosure import SUMMARY
from discreet.exact import written
from discreet.pages.page import Details, Facts, Items, Page, Section, Text, Verdict, named, numbers
from discreet.pages.results import FOOTER, page_of
from discreet.reals import exp, float_up
from discreet.tables.answers import Answer
from discreet.tables.publication import Publication
from discreet.words import LEARN, bound

__all__ = ["answer_page", "publication_page"]

_NOBODY: Final = "No ledger was given: this adds to what other answers tell, and nothing limits the sum."


@page_of.register
def answer_page(answer: Answer, /) -> Page:
    """Return the page of an answer."""
    receipt = answer.receipt
    lead = [named(receipt.table)]
    if receipt.where:
        lead.append(f"where {named(receipt.where)}")
    lead.append(f"{datetime.now(UTC):%Y-%m-%d}" if receipt.when is None else f"{receipt.when:%Y-%m-%d %H:%M} UTC")
    alone = [] if receipt.entry is not None else [Verdict("No budget is kept.", _NOBODY, good=False)]
    said, learned = receipt.to_dict(), list(_guarantee(receipt.odds, receipt.delta, receipt.fails))
    told = Details(SUMMARY, _json(answer.disclosure().to_dict()))
    sections = [
        Section("The answer", [*alone, *answer.sheet.blocks(), Text(_notes(answer))]),
        Section(LEARN, [Text([_who(receipt.person)]), Items(learned)]),
        Section("The budget", [Text(_budget(answer))]),
        Section("The receipt", [Facts(numbers(said)), Details("The same as JSON", _json(said)), told]),
    ]
    return Page(answer.heading, " · ".join(lead), _tiles(answer), sections, FOOTER)


@page_of.register
def publication_page(publication: Publication, /) -> Page:
    """Return the page of a publication: all its tables, then what the page of one of them says of all."""
    first, sheet = answer_page(publication.tables[0]), publication.sheet
    alone = [block for block in first.sections[0].blocks if isinstance(block, Verdict)]
    tables = Section("The tables", [*alone, *sheet.blocks(), Text(_notes(publication.tables[0]))])
    each = [Section(answer.title, answer.sheet.blocks()) for answer in publication]
    tiles = [("Tables", f"{len(publication):,}"), *(tile for tile in first.tiles if tile[0] != "Groups shown")]
    return replace(first, title=sheet.title, tiles=tiles, sections=[tables, *each, *first.sections[1:]])


def _json(receipt: Any) -> str:
    return json.dumps(receipt, indent=1, ensure_ascii=False, default=str)


def _tiles(answer: Answer) -> list[tuple[str, str]]:
    epsilon, delta = answer.receipt.epsilon, answer.receipt.delta
    tiles = [("Groups shown", f"{len(answer):,}")] if answer.by else []
    if answer.left_out is not None:
        tiles.append(("Left out by bounding", str(answer.left_out)))
    tiles.append(("Epsilon spent", written(epsilon, up=True)))
    if delta:
        tiles.append(("Delta spent", written(delta, up=True)))
    if answer.left is not None:
        tiles.append(("Epsilon left", written(answer.left.epsilon, up=False)))
        if delta:
            tiles.append(("Delta left", written(answer.left.delta, up=False)))
    return tiles


def _notes(answer: Answer) -> list[str]:
    holds = (
        f"With a confidence of {answer.sure} its interval holds what was counted, after bounding; its ends are rounded "
        "outwards."
    )
    notes = [f"Each value has noise. {holds}"] if answer.released else []
    receipt = answer.receipt
    if "max_groups" in receipt.bounds and receipt.person is not None:
        most = receipt.bounds["max_groups"]
        notes.append(f"Each person counts in at most {'1 group' if most == 1 else f'{most:,} groups'}.")
    if answer.bias is not None:
        notes.append(answer.bias)
    notes += [] if answer.round_note is None else [answer.round_note]
    # Several quantiles of a column say the same.
    notes += dict.fromkeys(note for column in answer.released if (note := column.aggregate.note) is not None)
    notes += answer.notes
    for column in (each for each in answer.released if not (each.asked or each.needed)):
        reach = written(column.noise.radius(Fraction(1, 20)), up=True)
        notes.append(f"The column of {column.aggregate.label} is noisy, too: 95 % of its noise is within ±{reach}.")
    if receipt.private:
        what = "number" if answer.released else "total of its people's weights"
        seen = f"A group appears if its noisy {what} is above a threshold."
        notes.append(f"{seen} What does not appear is private, and so is how many groups that may be.")
    return notes


def _who(person: tuple[str, ...] | None) -> str:
    what = "one row of the table" if person is None else f"all rows of one {', '.join(map(named, person))}"
    return f"A person, here, is {what}. The promises below are made to each of them."


def _guarantee(epsilon: Fraction, delta: Fraction, fails: bool = True) -> Iterator[str]:
    """Say what an attacker can learn: of two tables that differ by a person's rows, and of two versions of these rows.

    Tables without and with a person are within (epsilon, delta). Two versions of a person's rows are two such steps
    apart, which is within (2 epsilon, (1 + exp(epsilon)) delta). That the promise *fails* with a probability of at
    most delta says more: unless a group or a value appears that only one of the tables can give, which has that
    probability, the odds change at most by exp(epsilon).

    Where only (epsilon, delta) is known, let S be the results whose odds change by more than exp(epsilon + s), say up.
    Then P(S) <= exp(epsilon) Q(S) + delta <= exp(-s) P(S) + delta: the promise at epsilon + s fails with a probability
    of at most 2 delta / (1 - exp(-s)), up and down, and for s = 1/10 that is less than 22 delta.
    """
    slack, often = (Fraction(0), 1) if fails else (Fraction(1, 10), 22)
    yield bound(
        "Whether a person is in the table. Suppose someone knows all other rows, and thinks there is a 50 % "
        "chance that this person is in the table.",
        "This page",
        epsilon + slack,
        often * delta,
    )
    twice = (1 + exp(min(epsilon, Fraction(100)))) * delta if delta else Fraction(0)
    yield bound(
        "What a person's rows say. Suppose someone knows all other rows, and thinks that each of two "
        "versions of this person's rows has a 50 % chance of being the true one.",
        "This page",
        2 * epsilon + slack,
        often * Fraction(float_up(twice)),
    )
    if delta:
        yield "Where such a promise fails, the page may show, for example, a group that only this person is in."
    yield (
        "What the page tells about people at large, it tells with or without any one of them. That is what it is for, "
        "and nothing limits it."
    )
    yield "All this is about this page alone. Other answers about the same people add to it."


def _budget(answer: Answer) -> list[str]:
    paid = answer.receipt.paid
    spent = f"This page spent {answer.receipt.cost}." if answer.receipt.is_charged else f"{paid[:1].upper()}{paid[1:]}."
    if answer.left is None:
        return [f"{spent} {_NOBODY}"]
    epsilon, delta = (written(x, up=False) for x in answer.left)
    if answer.whose:
        whose, its = answer.whose
        return [f"{spent} After it, epsilon {epsilon} was left {whose}, and delta {delta} {its}."]
    left = f"epsilon {epsilon} and delta {delta}"
    return [f"{spent} After it, {left} were left in the ledger for all answers to come."]
