"""Tables of plain text, for a terminal or a repr."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["columns"]


def columns(head: Sequence[str], rows: Sequence[Sequence[str]], most: int = 20) -> str:
    """Return a table in columns: the first is set to the left, the others to the right.

    >>> print(columns(["choice", "share"], [["never", "0.25"], ["daily", "-0.1"]]))
      choice  share
      never    0.25
      daily    -0.1
    """
    shown = [head, *rows[:most]]
    widths = [max(len(row[i]) for row in shown) for i in range(len(head))]
    lines = ["  " + "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]) for row in shown]
    if len(rows) > most:
        lines.append(f"  ... and {len(rows) - most:,} more")
    return "\n".join(line.rstrip() for line in lines)
