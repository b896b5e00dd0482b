"""The books as a page: what was charged, on what and when, and what is left."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

import click

from discreet.cli.show import Grid, Part, Title, plural
from discreet.errors import ParameterError
from discreet.exact import written
from discreet.pages.books import book_sheet, noted, notes_about
from discreet.pages.sheet import Column, Sheet
from discreet.words import plain

if TYPE_CHECKING:
    from discreet.ledger import Event, Period

__all__ = [
    "book_page",
    "compared_page",
    "entry_page",
    "facts_page",
    "limits_of",
    "period_of",
    "release_event",
    "typed_as",
]

_MOST_DIGITS: Final = 9
"""A number of groups has no more."""


def book_page(path: str, books: Mapping[str, Any]) -> Sheet:
    """Return the books of `Ledger.to_dict` as a sheet: each charge, the notes, and what is left of the budget."""
    return book_sheet(path, books, lambda entry: ": ".join(filter(None, reversed(_what(entry)))))


def entry_page(path: str, entries: Sequence[Mapping[str, Any]], number: int) -> Iterator[Part]:
    """Give one of the entries as a page, with all that its receipt says, and later notes about it."""
    if not 0 < number <= len(entries):
        raise click.BadParameter(
            f"{number}: the books hold {plural(len(entries), 'entry', 'entries')}", param_hint="--entry"
        )
    entry = entries[number - 1]
    yield Title(f"{path}: {'charge' if entry['kind'] == 'charge' else 'entry'} {number}", "times are UTC")
    what, table = _what(entry)
    facts = [("what", what), ("table", table), ("when", entry["when"]), ("who", entry["who"] or "")]
    facts += [(name, entry[name]) for name in ("epsilon", "delta")]
    facts += [(name, entry["cost"][name]) for name in entry["cost"].keys() - {"epsilon", "delta"}]
    facts += [("remark", entry["remark"] or ""), *(("note", note) for note in notes_about(number, entries))]
    facts += _receipt(entry)
    yield Grid((), [[plain(name), plain(text)] for name, text in facts if text or name not in ("who", "remark")], "lt")


def facts_page(title: str, pairs: Sequence[Sequence[str]]) -> Iterator[Part]:
    """Give names with what they stand for as a page."""
    yield Title(title)
    yield Grid((), [[plain(text) for text in pair] for pair in pairs], "lt")


def release_event(text: str) -> Event:
    """Return the event that is typed as EPSILON[:GROUPS[:DELTA]], or as gaussian:EPSILON:GROUPS:DELTA."""
    from discreet import IntegerGaussian, Integers, Vectors
    from discreet.exact import exact
    from discreet.ledger import Event

    words = text.removeprefix("gaussian:").split(":")
    epsilon, groups, delta, *more = *words, *["1", "0"][len(words) - 1 :]
    if more or not groups.isdecimal() or len(groups) > _MOST_DIGITS or int(groups) < 1:
        raise click.UsageError(f"--release {text}: need EPSILON[:GROUPS[:DELTA]], or gaussian:EPSILON:GROUPS:DELTA")
    n = int(groups)
    if text.startswith("gaussian:"):
        vectors = Vectors(Integers())
        return IntegerGaussian.within(epsilon=epsilon, delta=delta, d_in=(n, n, 1), domain=vectors).event((n, n, 1))
    return Event.of(moves=[(exact(epsilon, "epsilon") / n, n)], delta=delta)


def limits_of(typed: Sequence[str]) -> dict[str, tuple[str, str | None]]:
    """Return the limits that are typed as NAME=EPSILON[:DELTA]."""
    from discreet.measures import amount

    limits: dict[str, tuple[str, str | None]] = {}
    for text in typed:
        name, sign, most = text.rpartition("=")
        epsilon, colon, delta = most.partition(":")
        if not (name and sign and epsilon) or name in limits:
            raise click.UsageError(f"--analyst {text}: need NAME=EPSILON[:DELTA], such as ana=1, once for each name")
        with typed_as(f"--analyst {text}"):
            _ = amount(epsilon), amount(delta or 0, "delta")
        limits[name] = epsilon, delta if colon else None
    return limits


def period_of(typed: str | None, start: str | None) -> Period | None:
    """Return the period that is typed as EVERY:EPSILON[:DELTA]."""
    from discreet.ledger import Period

    if typed is None and start is None:
        return None
    every, *amounts = (typed or "").split(":")
    if start is None or len(amounts) not in (1, 2):
        raise click.UsageError("--period needs EVERY:EPSILON[:DELTA], such as month:1:1e-6, and --start DAY")
    with typed_as(f"--period {typed}"):
        return Period(every, epsilon=amounts[0], delta=amounts[1] if len(amounts) == 2 else 0, start=start)


@contextmanager
def typed_as(option: str) -> Iterator[None]:
    """Name the option in which an epsilon or a delta was typed, where it is wrong."""
    try:
        yield
    except ParameterError as error:
        if not str(error).startswith(("epsilon=", "delta=")):
            raise
        raise click.UsageError(f"{option}: need {str(error).partition(': need ')[2]}") from None


def compared_page(epsilon: str, delta: str, allowed: Mapping[str, Mapping[str, int]]) -> Sheet:
    """Return how often each release fits, by each accountant, as a sheet."""
    names = list(next(iter(allowed.values())))
    columns = [Column("release", list(allowed), head=True)]
    for name in names:
        counts = [row[name] for row in allowed.values()]
        columns.append(Column(name, counts, shown=[f"{n:,}" for n in counts]))
    remarks = ["A release is an epsilon, the groups that a person is in, and a delta of its own."]
    return Sheet(f"Releases that fit into epsilon {epsilon} and delta {delta}", columns, remarks=remarks, row="release")


def _receipt(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Give what a receipt says; of a plan each kind of release, and of a kept answer how long it is."""
    from discreet.ledger.reservations import Plan

    receipt = entry["receipt"]
    if entry["kind"] == "answer" and "answer" in receipt:
        size = f"{len(json.dumps(receipt['answer'])):,} characters of JSON, which --out writes"
        receipt = {**receipt, "answer": size}
    if entry["kind"] == "charge" and (plan := Plan.read(receipt)) is not None:
        for event, count in plan.releases.items():
            names = ", ".join(part.mechanism or "not said" for part in event.parts)
            yield "reserved", f"{count:,} x {names}: {_amount(event)}"
        receipt = receipt["receipt"]
    yield from ((f"receipt: {name}", text) for name, text in _flat("", receipt))


def _amount(event: Event) -> str:
    delta = f" and delta {written(event.delta, up=True)}" if event.delta else ""
    return f"epsilon {written(event.epsilon, up=True)}{delta}"


def _flat(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _flat(f"{name} {key}".strip(), inner)
    elif value not in (None, [], {}):
        yield name, ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _what(entry: Mapping[str, Any]) -> tuple[str, str]:
    """Return what an entry is about, and of which table."""
    from discreet.tables.receipts import described

    note, receipt = noted(entry), entry["receipt"]
    if entry["kind"] not in ("charge", "release"):
        return plain(note), ""
    told = described(receipt["receipt"] if entry["kind"] == "release" else receipt)
    return plain(": ".join(filter(None, (note, told)))), plain(entry["table"] or "")
