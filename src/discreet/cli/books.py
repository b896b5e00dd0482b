"""The books as a page: what was charged, on what and when, and what is left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from discreet.cli.show import Grid, Part, Title, plain
from discreet.pages.books import book_sheet, noted
from discreet.pages.sheet import Sheet

__all__ = ["book_page", "entry_page"]


def book_page(path: str, books: Mapping[str, Any]) -> Sheet:
    """Return the books of `Ledger.to_dict` as a sheet: each charge, the notes, and what is left of the budget."""
    return book_sheet(path, books, lambda entry: ": ".join(filter(None, reversed(_what(entry)))))


def entry_page(path: str, entry: Mapping[str, Any]) -> Iterator[Part]:
    """Give one entry as a page, with all that its receipt says."""
    yield Title(f"{path}: {'charge' if entry['kind'] == 'charge' else 'entry'} {entry['number']}", "times are UTC")
    what, table = _what(entry)
    facts = [("what", what), ("table", table), ("when", entry["when"]), ("who", entry["who"] or "")]
    facts += [(name, entry[name]) for name in ("epsilon", "delta")]
    facts += [(name, entry["cost"][name]) for name in entry["cost"].keys() - {"epsilon", "delta"}]
    facts += [("remark", entry["remark"] or "")]
    facts += [(f"receipt: {name}", text) for name, text in _flat("", entry["receipt"])]
    yield Grid((), [[plain(name), plain(text)] for name, text in facts if text or name not in ("who", "remark")], "lt")


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
