"""Tables of plain text, for a terminal or a repr."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final
from unicodedata import combining, east_asian_width

from discreet.errors import show

__all__ = ["brief", "columns", "plain"]

_WIDTH: Final = 80


def brief(value: Any) -> str:
    """Return the repr of a value that is not private, cut short where it is long: an input that an audit tries, say.

    >>> brief({"a": 1}), brief(list(range(1000)))
    ("{'a': 1}", '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1...')
    """
    try:
        text = str(value) if isinstance(value, Fraction) else repr(value)
    except Exception:  # A repr that fails, or that is too long to make, must not hide what it is in.
        return show(value)
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 20]}..."


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


def plain(value: Any) -> str:
    r"""Return a text in which a terminal finds no commands: what cannot be printed is written as an escape.

    >>> plain("Rome"), plain(None), plain("a\x1b[2Jb\n")
    ('Rome', 'null', 'a\\x1b[2Jb\\n')
    """
    if value is None:
        return "null"
    text = str(value)
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
