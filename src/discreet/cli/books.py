"""The books as a page: what was charged, on what and when, and what is left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from fractions import Fraction
from typing import Any

from discreet.cli.show import Grid, Part, Title, amount, bar, plain, plural
from discreet.exact import read_in_full
from discreet.pages.books import noted

__all__ = ["book_page", "entry_page"]


def book_page(path: str, books: Mapping[str, Any]) -> Iterator[Part]:
    """Give the books of `Ledger.to_dict` as a page: each charge, the notes, and what is left of the budget."""
    entries = books["entries"]
    kinds = [entry["kind"] for entry in entries]
    notes = [f"{kinds.count(kind)} {word}" for kind, word in (("failed", "failed"), ("void", "taken back"))]
    told = ", ".join([plural(kinds.count("charge"), "charge"), *(note for note in notes if note[0] != "0")])
    yield Title(f"{path}: {told}", "times are UTC")
    rows = []
    left = {name: Fraction(books["budget"][name]) for name in ("epsilon", "delta")}
    for entry in entries:
        for name in left:
            left[name] -= Fraction(entry[name])
        what, table = _what(entry)
        spent = [_signed(Fraction(entry[name])) for name in left]
        when = f"{datetime.fromisoformat(entry['when']):%Y-%m-%d %H:%M}"
        about = f"{table}: {what}" if what and table else what or table
        rows.append([str(entry["number"]), when, about, *spent, amount(left["epsilon"], up=False)])
    if rows:
        yield Grid(["no.", "when", "what", "epsilon", "delta", "epsilon left"], rows, "rltrrr")
        yield ""
    for name in left:
        yield _left(name, *(read_in_full(books[part][name]) for part in ("budget", "spent", "left")))


def _signed(x: Fraction) -> str:
    return f"-{amount(-x, up=False)}" if x < 0 else amount(x, up=True)


def _left(name: str, budget: Fraction, spent: Fraction, left: Fraction) -> str:
    shown = f"{amount(spent, up=True)} of {amount(budget, up=True)} spent, {amount(left, up=False)} left"
    return f"{name:7}  [{bar(float(spent / budget) if budget else 0.0)}]  {shown}"


def entry_page(path: str, entry: Mapping[str, Any]) -> Iterator[Part]:
    """Give one entry as a page, with all that its receipt says."""
    yield Title(f"{path}: {'charge' if entry['kind'] == 'charge' else 'entry'} {entry['number']}", "times are UTC")
    what, table = _what(entry)
    facts = [("what", what), ("table", table), ("when", entry["when"]), ("who", entry["who"] or "")]
    facts += [(name, entry[name]) for name in ("epsilon", "delta")]
    facts += [(f"receipt: {name}", text) for name, text in _flat("", entry["receipt"])]
    yield Grid((), [[plain(name), plain(text)] for name, text in facts if text or name != "who"], "lt")


def _flat(name: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _flat(f"{name} {key}".strip(), inner)
    elif value not in (None, [], {}):
        yield name, ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _what(entry: Mapping[str, Any]) -> tuple[str, str]:
    """Return what an entry is about, and of which table."""
    from discreet.tables.receipts import described

    table = plain(entry["table"] or "")
    if entry["kind"] != "charge":
        return plain(noted(entry)), ""
    return plain(described(entry["receipt"])), table
