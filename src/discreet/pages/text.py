"""Tables of plain text, for a terminal or a repr."""

from __future__ import annotations

from collections.abc import Sequence
from unicodedata import combining, east_asian_width

__all__ = ["columns"]


def columns(head: Sequence[str], rows: Sequence[Sequence[str]], most: int = 20) -> str:
    """Return a table in columns: the first is set to the left, the others to the right.

    >>> print(columns(["choice", "share"], [["never", "0.25"], ["daily", "-0.1"]]))
      choice  share
      never    0.25
      daily    -0.1
    """
    shown = [head, *rows[:most]]
    widths = [max(_cells(row[i]) for row in shown) for i in range(len(head))]
    blanks = [[" " * (width - _cells(text)) for text, width in zip(row, widths, strict=True)] for row in shown]
    lines = [
        "  " + "  ".join([row[0] + blank[0], *map(str.__add__, blank[1:], row[1:])])
        for row, blank in zip(shown, blanks, strict=True)
    ]
    if len(rows) > most:
        lines.append(f"  ... and {len(rows) - most:,} more")
    return "\n".join(line.rstrip() for line in lines)


def _cells(text: str) -> int:
    """Return how many columns of a terminal a text takes: a wide character takes two, a combining one none.

    >>> _cells("Oslo"), _cells("東京"), _cells("e\u0301")
    (4, 4, 1)
    """
    return sum(0 if combining(c) else 1 + (east_asian_width(c) in "WF") for c in text)
