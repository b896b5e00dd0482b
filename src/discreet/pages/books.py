"""A budget's books as a sheet: what was charged, on what and when, and what is left."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from itertools import accumulate
from typing import Any, Final

from discreet.accounting import accountants
from discreet.exact import read_in_full, written
from discreet.pages.sheet import Column, Sheet, amounts

__all__ = ["as_csv", "book_sheet", "noted", "notes_about", "rule", "theorem"]

_MOST: Final = 60
_BAR: Final = 30
_LISTED: Final = 5


def book_sheet(title: str, books: Mapping[str, Any], about: Callable[[Mapping[str, Any]], str] | None = None) -> Sheet:
    """Return the books of `Ledger.to_dict` as a sheet; *about* says what an entry is about, else its note or table.

    >>> from discreet import Ledger
    >>> print(book_sheet("Empty", Ledger.in_memory(epsilon=3, delta="1e-5", accountant="plain").to_dict()))
    Empty: 0 charges
      no.  when (UTC)  what  epsilon  delta  epsilon left
    epsilon  [..............................]  0 of 3 spent, 3 left
    delta    [..............................]  0 of 1e-5 spent, 1e-5 left
    """
    entries = books["entries"]
    kinds = [entry["kind"] for entry in entries]
    charges = f"{kinds.count('charge'):,} charge{'s' * (kinds.count('charge') != 1)}"
    notes = [f"{n:,} {word}" for kind, word in (_DONE | _MADE).items() if (n := kinds.count(kind))]
    decide = books["readings"]
    spent = {name: [read_in_full(entry["cost"][name]) for entry in entries] for name in books["sums"]}
    columns = [
        Column("no.", [entry["number"] for entry in entries], head=True),
        Column("when (UTC)", [f"{datetime.fromisoformat(entry['when']):%Y-%m-%d %H:%M}" for entry in entries]),
        Column("what", [(about or _about)(entry) for entry in entries]),
        *([Column("who", [entry["who"] or "" for entry in entries])] if any(e["who"] for e in entries) else []),
        *(amounts(name, costs) for name, costs in spent.items() if name in decide or name in books["budget"]),
    ]
    remarks = [_left(name, *map(read_in_full, reading.values())) for name, reading in decide.items()]
    if set(decide) == set(books["budget"]):
        whole = read_in_full(books["budget"]["epsilon"])
        left = list(accumulate(spent["epsilon"], Fraction.__sub__, initial=whole))[1:]
        columns.append(amounts("epsilon left", left, up=False))
    else:
        most = written(read_in_full(books["left"]["epsilon"]), up=False)
        remarks.append(f"At most epsilon {most} fits in one release of a single number.")
        remarks += _rounded(
            [str(entry["number"]) for entry in entries if entry["remark"] and entry["kind"] == "charge"]
        )
    for plan in books["reservations"]:
        rest = plan["releases"] - plan["made"]
        remarks.append(f"Entry {plan['entry']} reserved {plan['releases']:,} releases, of which {rest:,} are left.")
    return Sheet(f"{title}: {', '.join([charges, *notes])}", columns, remarks=remarks, row="charge")


def as_csv(books: Mapping[str, Any]) -> str:
    """Return the entries of `Ledger.to_dict` as CSV, a row for each.

    Texts are in quotes; one that begins like a formula gets an apostrophe, and what does not print is escaped.

    >>> from discreet import Ledger
    >>> print(as_csv(Ledger.in_memory(epsilon=1).to_dict()), end="")                  # doctest: +ELLIPSIS
    "number","kind","when","who","table","what","epsilon","delta","cost of epsilon","cost of delta","remark",...
    """
    file = io.StringIO()
    rows = csv.writer(file, quoting=csv.QUOTE_NONNUMERIC, lineterminator="\n")
    plain, nested = ("number", "kind", "when", "who", "table"), ("event", "receipt")
    sums = books["sums"]
    rows.writerow([*plain, "what", "epsilon", "delta", *(f"cost of {name}" for name in sums), "remark", *nested])
    for entry in books["entries"]:
        texts = [*(entry[name] for name in plain), noted(entry)]
        costs = [entry["epsilon"], entry["delta"], *(entry["cost"][name] for name in sums)]
        whole = [json.dumps(entry[name]) for name in nested]
        rows.writerow([*map(_cell, texts), *costs, _cell(entry["remark"]), *whole])
    return file.getvalue()


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in value)
    return f"'{text}" if text.lstrip()[:1] in tuple("=+-@") else text


_DONE: Final = {"failed": "failed", "void": "taken back"}
_MADE: Final = {"release": "released from reservations"}


def noted(entry: Mapping[str, Any]) -> str:
    """Return what a note says, or how many releases a charge reserves; nothing for another charge.

    >>> noted({"kind": "void", "receipt": {"entry": 1, "reason": "the disk was full"}})
    'entry 1 taken back: the disk was full'
    """
    kind, receipt = entry["kind"], entry["receipt"]
    if kind == "migrated":
        return f"moved from format {receipt['format']}"
    if kind in _MADE:
        return f"release reserved by entry {receipt['entry']}"
    if kind == "charge" and isinstance(receipt, dict) and "reserved" in receipt:
        return f"{sum(count for _, count in receipt['reserved']['releases']):,} releases reserved"
    return f"entry {receipt['entry']} {_DONE[kind]}: {receipt['reason']}" if kind in _DONE else ""


def notes_about(number: int, entries: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return what the notes about a charge say.

    >>> notes_about(1, [{"kind": "void", "receipt": {"entry": 1, "reason": "the disk was full"}}])
    ['entry 1 taken back: the disk was full']
    """
    return [noted(entry) for entry in entries if entry["kind"] in _DONE and entry["receipt"]["entry"] == number]


def rule(accountant: str) -> str:
    """Return by which rule an accountant counts, in a sentence.

    >>> rule("plain")
    'Epsilons and deltas add up, whichever releases they belong to.'
    """
    kind = accountants()[accountant]
    return theorem(kind) or (kind.__doc__ or "").split("\n", maxsplit=1)[0]


def theorem(kind: type | None) -> str | None:
    """Return the theorem that the docstring of a class's file states.

    >>> theorem(int) is None
    True
    """
    if not isinstance(kind, type):
        return None
    found = re.search(
        r"^Theorem\.\s+(.*?)(?:\nProof:|\n\n|\Z)", sys.modules[kind.__module__].__doc__ or "", re.S | re.M
    )
    return " ".join(found[1].split()) if found else None


def _about(entry: Mapping[str, Any]) -> str:
    text = noted(entry) or entry["table"] or ""
    return text if len(text) <= _MOST else f"{text[: _MOST - 3]}..."


def _rounded(numbers: Sequence[str]) -> list[str]:
    """Return a line about entries that count as more than they say, if there are any."""
    listed = [*numbers[:_LISTED], *([f"{len(numbers) - _LISTED:,} more"] if len(numbers) > _LISTED else [])]
    return [f"Rounded up to the menu, as the remark of each says: {', '.join(listed)}."] if numbers else []


def _left(name: str, spent: Fraction, of: Fraction) -> str:
    shown = f"{written(spent, up=True)} of {written(of, up=True)} spent, {written(of - spent, up=False)} left"
    share = float(spent / of) if of else 0.0
    filled = min(max(round(share * _BAR), int(share > 0)), _BAR)
    return f"{name:7}  [{'#' * filled}{'.' * (_BAR - filled)}]  {shown}"
