"""A budget's books as a sheet: what was charged, on what and when, and what is left."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from itertools import accumulate
from typing import Any, Final

from discreet.accounting import accountants
from discreet.errors import none_of
from discreet.exact import in_full, read_in_full, written
from discreet.pages.sheet import Column, Sheet, amounts

__all__ = ["account_of", "as_csv", "book_sheet", "noted", "notes_about", "rule", "theorem"]

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
        if not books.get("account"):  # What a person's limit was then, nobody says: it may have been set anew since.
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
        rest = f"{plan['releases'] - plan['made']:,}"
        state = f"{rest} not made before its period was over" if plan["over"] else f"{rest} left"
        remarks.append(f"Entry {plan['entry']} reserved {plan['releases']:,} releases: {plan['made']:,} made, {state}.")
    remarks += _limits(books)
    return Sheet(f"{title}: {', '.join([charges, *notes])}", columns, remarks=remarks, row="charge")


def account_of(books: Mapping[str, Any], who: str) -> dict[str, Any]:
    """Return what `Ledger.to_dict` says of one person, by plain epsilon and delta, inside the limit if there is one.

    >>> from discreet import Ledger
    >>> book = Ledger.in_memory(epsilon=3, analysts={"ana": 1, "ben": 2})
    >>> _ = book.charge(epsilon="1/4", who="ana"), book.charge(epsilon=1, who="ben")
    >>> account_of(book.to_dict(), "ana")["readings"]["epsilon"]
    {'spent': '1/4', 'of': '1'}
    """
    made = [entry for entry in books["entries"] if entry["kind"] in ("charge", "release") and entry["who"] == who]
    numbers = {entry["number"] for entry in made}
    about = [e for e in books["entries"] if _told_of(e, who, numbers)]
    named = {e["who"] for e in books["entries"] if e["who"]} | {*books["analysts"]}
    if named and who not in named:
        raise none_of("who", who, sorted(named))
    listed = [{**e, "cost": {name: e[name] for name in books["budget"]}, "remark": None} for e in about]
    limit = books["analysts"].get(who, {"limit": books["budget"]})
    sums = {name: sum((read_in_full(e[name]) for e in about), Fraction(0)) for name in books["budget"]}
    spent = limit.get("spent", {name: in_full(x) for name, x in sums.items()})
    readings = {name: {"spent": spent[name], "of": of} for name, of in limit["limit"].items()}
    plain = {"sums": list(books["budget"]), "budget": limit["limit"], "spent": spent, "readings": readings}
    plans = [plan for plan in books["reservations"] if plan["entry"] in numbers]
    return {**books, **plain, "account": who, "analysts": {}, "entries": listed, "reservations": plans}


def _told_of(entry: Mapping[str, Any], who: str, numbers: Container[int]) -> bool:
    """Whether an entry is a charge or a release of a person's, a note about one, or sets the person's limit."""
    receipt = entry["receipt"]
    if entry["number"] in numbers or entry["kind"] not in (*_DONE, *_MADE, "limit"):
        return entry["number"] in numbers
    return receipt["analyst"] == who if entry["kind"] == "limit" else receipt["entry"] in numbers


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
    text = _printable(value)
    return f"'{text}" if text.lstrip()[:1] in tuple("=+-@") else text


def _printable(text: str) -> str:
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


_DONE: Final = {"failed": "failed", "void": "taken back"}
_RESERVED: Final = "discreet:reserved"
_MADE: Final = {"release": "released from reservations", "answer": "kept for asking again"}


def noted(entry: Mapping[str, Any]) -> str:
    """Return what a note says, or how many releases a charge reserves; nothing for another charge.

    >>> noted({"kind": "void", "receipt": {"entry": 1, "reason": "the disk was full"}})
    'entry 1 taken back: the disk was full'
    """
    kind, receipt = entry["kind"], entry["receipt"]
    if kind == "migrated":
        return f"moved from format {receipt['format']}"
    if kind == "answer":
        return f"answer of entry {receipt['entry']} kept"
    if kind == "release":
        return f"release reserved by entry {receipt['entry']}"
    if kind == "charge" and isinstance(receipt, dict) and _RESERVED in receipt:
        return f"{sum(count for _, count in receipt[_RESERVED]['releases']):,} releases reserved"
    if kind == "limit":
        return f"{_printable(receipt['analyst'])} may spend {_amount(receipt, up=False)}"
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


def _amount(parts: Mapping[str, str], *, up: bool) -> str:
    return " and ".join(f"{name} {written(read_in_full(parts[name]), up=up)}" for name in ("epsilon", "delta"))


def _limits(books: Mapping[str, Any]) -> list[str]:
    """Return a line about the period that the books are in, and one about each analyst."""
    lines, period = [], books["period"]
    if period is not None:
        read = period["readings"].items()
        sums = [_of(name, *map(read_in_full, x.values())) for name, x in read]
        lines.append(f"This {period['every']}, from {period['begins']} to {period['ends']}: {', '.join(sums)} spent.")
        if period["accountant"] == "adaptive" and "units" not in period["readings"]:
            lines.append(f"Too much for units: for the rest of this {period['every']} epsilons add up plainly.")
    for name, analyst in books["analysts"].items():
        spent, left = _amount(analyst["spent"], up=True), _amount(analyst["left"], up=False)
        lines.append(f"{_printable(name)}: {spent} spent, {left} left.")
    return lines


def _of(name: str, spent: Fraction, of: Fraction) -> str:
    return f"{name} {written(spent, up=True)} of {written(of, up=False)}"


def _about(entry: Mapping[str, Any]) -> str:
    text = noted(entry) or entry["table"] or ""
    return text if len(text) <= _MOST else f"{text[: _MOST - 3]}..."


def _rounded(numbers: Sequence[str]) -> list[str]:
    """Return a line about entries that count as more than they say, if there are any."""
    listed = [*numbers[:_LISTED], *([f"{len(numbers) - _LISTED:,} more"] if len(numbers) > _LISTED else [])]
    counted = "Counted as a little more than their epsilons, which are between the steps of these books"
    return [f"{counted}: {', '.join(listed)}; --why shows how much."] if numbers else []


def _left(name: str, spent: Fraction, of: Fraction) -> str:
    shown = f"{written(spent, up=True)} of {written(of, up=True)} spent, {written(of - spent, up=False)} left"
    share = float(spent / of) if of else 0.0
    filled = min(max(round(share * _BAR), int(share > 0)), _BAR)
    return f"{name:7}  [{'#' * filled}{'.' * (_BAR - filled)}]  {shown}"
