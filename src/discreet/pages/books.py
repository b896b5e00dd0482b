"""A budget's books as a table of text."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from fractions import Fraction
from typing import Any, Final

from discreet.exact import read_in_full, written
from discreet.words import plain

__all__ = ["book_text", "noted"]

_MOST: Final = 60


def book_text(title: str, books: Mapping[str, Any]) -> str:
    """Write the books of `Ledger.to_dict` as a table.

    >>> from discreet import Ledger
    >>> print(book_text("Empty", Ledger.in_memory(epsilon=3, delta="1e-5").to_dict()))
    Empty
    <BLANKLINE>
            when (UTC)  epsilon  delta  table
    -----------------------------------------
    spent               0        0
    left                3        1e-5
    budget              3        1e-5
    """
    rows = [["", "when (UTC)", "epsilon", "delta", "table"]]
    for entry in books["entries"]:
        amounts = [written(Fraction(entry[part]), up=True) for part in ("epsilon", "delta")]
        when = f"{datetime.fromisoformat(entry['when']):%Y-%m-%d %H:%M:%S}"
        rows.append([str(entry["number"]), when, *amounts, _cut(noted(entry) or entry["table"] or "")])
    for name in ("spent", "left", "budget"):
        amounts = [written(read_in_full(x), up=name != "left") for x in books[name].values()]
        rows.append([name, "", *amounts, ""])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    rule = "-" * max(map(len, lines))
    return "\n".join([title, "", lines[0], rule, *lines[1:-3], *([rule] if books["entries"] else []), *lines[-3:]])


def noted(entry: Mapping[str, Any]) -> str:
    """Return what a note says; nothing for a charge.

    >>> noted({"kind": "void", "receipt": {"entry": 1, "reason": "the disk was full"}})
    'entry 1 taken back: the disk was full'
    """
    kind, receipt = entry["kind"], entry["receipt"]
    if kind == "migrated":
        return f"moved from format {receipt['format']}"
    done = {"failed": "failed", "void": "taken back"}.get(kind)
    return "" if done is None else f"entry {receipt['entry']} {done}: {receipt['reason']}"


def _cut(text: str) -> str:
    return plain(text if len(text) <= _MOST else f"{text[: _MOST - 3]}...")
