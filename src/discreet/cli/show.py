"""Showing: tables and sentences on a terminal, the same without colours in a pipe, and JSON for programs."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

import click

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

    from discreet.pages.sheet import Sheet

__all__ = [
    "Grid",
    "Part",
    "Title",
    "check_page",
    "console",
    "figure",
    "page",
    "plural",
    "show",
    "show_json",
    "with_page",
    "write",
]

_PIPE: Final = 1 << 14
"""A pipe is as wide as need be: nothing is wrapped or cut there."""
_READABLE: Final = 100
"""Sentences are not set wider than this on a terminal."""
_NARROW: Final = 12
"""A column of texts may be folded to this width, and no further."""
_DATE: Final = 16
"""Texts as short as a date with its time are not folded."""


@final
@dataclass(frozen=True, slots=True)
class Title:
    """A line that stands above others; *note* is said more quietly beside it."""

    text: str
    note: str = ""


@final
@dataclass(frozen=True, slots=True)
class Grid:
    """A table: names of columns, or none, rows of texts, a letter for each column, and rows that stand out.

    The letters are ``t`` for a text, which may be folded, ``l`` for what is set to the left and ``r`` to the right,
    which may not. Where a terminal is too narrow even so, each row is a block of lines. Nothing is ever cut.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[str]]
    kinds: str
    chosen: frozenset[int] = frozenset()

    def drawn(self, width: int) -> RenderableType:
        """Return what Rich prints at a width."""
        from rich.cells import cell_len

        shown = [self.head, *self.rows] if self.head else self.rows
        widths = [max(cell_len(row[i]) for row in shown) for i in range(len(self.kinds))]
        least = [min(w, _NARROW) if kind == "t" else w for w, kind in zip(widths, self.kinds, strict=True)]
        return self._blocks() if sum(least) + 2 * len(least) > width and self.head else self._table()

    def _table(self) -> RenderableType:
        from rich import box
        from rich.table import Table
        from rich.text import Text

        table = Table(
            box=box.SIMPLE_HEAD if self.head else None,
            show_header=bool(self.head),
            show_edge=False,
            pad_edge=False,
            padding=(0, 1, 0, 0) if self.head else (0, 2, 0, 0),
            header_style="bold",
        )
        for i, kind in enumerate(self.kinds):
            style, name = "cyan" if i == 0 else "", Text(self.head[i] if self.head else "")
            side: Any = "right" if kind == "r" else "left"
            table.add_column(name, justify=side, no_wrap=kind != "t", overflow="fold", style=style)
        for i, row in enumerate(self.rows):
            table.add_row(*map(Text, row), style="bold" if i in self.chosen else "")
        return table

    def _blocks(self) -> RenderableType:
        from rich.console import Group
        from rich.text import Text

        lines: list[Text] = []
        most = max(map(len, self.head))
        for row in self.rows:
            for name, cell in zip(self.head, row, strict=True):
                lines.append(Text.assemble((name.ljust(most), "bold"), "  ", cell, overflow="fold"))
            lines.append(Text(""))
        return Group(*lines[:-1])


Part: TypeAlias = "str | Title | Grid | Sheet"


def console(*, width: int | None = None) -> Console:
    """Return what prints on a terminal at its width, or into a pipe without codes or limits."""
    from rich.console import Console
    from rich.theme import Theme

    plain_text: dict[str, Any] = {"highlight": False, "markup": False, "emoji": False}
    plain_text["theme"] = Theme({"markdown.code": "bold cyan", "markdown.block_quote": ""})
    made = Console(file=sys.stdout, width=width, **plain_text)
    return made if made.is_terminal or width is not None else Console(file=sys.stdout, width=_PIPE, **plain_text)


def page(parts: Iterable[Part]) -> None:
    """Print a page."""
    from rich.text import Text

    to = console()
    for part in _parts(parts):
        if isinstance(part, Grid):
            if part.rows:
                write(to, part.drawn(to.width), to.width)
        elif isinstance(part, Title):
            write(to, Text.assemble((part.text, "bold"), *((f"  {part.note}", "dim"),) * bool(part.note)), to.width)
        else:
            write(to, Text(part), min(to.width, _READABLE) if to.is_terminal else to.width)


def _parts(parts: Iterable[Part]) -> Iterator[str | Title | Grid]:
    """Give the parts of a page, each sheet as its title, its rows and its remarks."""
    from discreet.pages.sheet import Sheet
    from discreet.words import plain

    for part in parts:
        if not isinstance(part, Sheet):
            yield part
            continue
        yield Title(plain(part.title), part.note)
        if part.lead:
            yield part.lead
        rows = part.cells()
        short = [all(len(text) <= _DATE for text in column) for column in zip(*rows, strict=True)]
        kinds = [
            "r" if column.number else "l" if brief else "t" for column, brief in zip(part.columns, short, strict=False)
        ]
        yield Grid([plain(column.title) for column in part.columns], rows, "".join(kinds), frozenset(part.chosen))
        for remark in part.remarks:
            yield remark.replace("explain()", "`discreet explain`")


def write(to: Console, what: RenderableType, width: int) -> None:
    """Print without blanks at the ends of lines, which a pipe would carry along."""
    with to.capture() as captured:
        to.print(what, width=width)
    to.file.write("".join(f"{line.rstrip(' ')}\n" for line in captured.get().splitlines()))


def show(parts: Iterable[Part], data: Any, *, as_json: bool) -> None:
    """Print a page, or the data as a line of JSON."""
    if as_json:
        show_json(data)
    else:
        page(parts)


def check_page(path: str | None) -> None:
    """Raise where a page cannot be written, before there is something to write."""
    if path is not None:
        from discreet.files import checked_page

        checked_page(path)


def with_page(
    path: str | None, write_page: Callable[[str], object], parts: Iterable[Part], data: Any
) -> tuple[list[Part], Any]:
    """Write a page where one is wanted; return what to print and the data, each with a word about it."""
    if path is None:
        return list(parts), data
    write_page(path)
    return [*parts, f"{path}: open it in a browser"], data | {"html": path} if isinstance(data, dict) else data


def show_json(data: Any) -> None:
    """Print data as a line of JSON."""
    click.echo(json.dumps(_finite(data), ensure_ascii=False, allow_nan=False, default=str))


def _finite(data: Any) -> Any:
    """Return data that JSON can carry: numbers that are not finite as texts."""
    if isinstance(data, dict):
        return {key: _finite(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_finite(value) for value in data]
    return str(data) if isinstance(data, float) and not math.isfinite(data) else data


def figure(x: Any) -> str:
    """Return a number as it is read: with commas, and as many digits as say something.

    >>> figure(1234567), figure(0.123456), figure(98765.4), figure(3.0), figure(float("inf"))
    ('1,234,567', '0.1235', '98,765', '3', 'inf')
    """
    if isinstance(x, int) or not math.isfinite(x):
        return f"{x:,}"
    return f"{x:,.4g}" if abs(x) < 1000 else f"{x:,.0f}"


def plural(count: int, one: str, many: str | None = None) -> str:
    """Return a number of things.

    >>> plural(1, "group"), plural(2000, "group"), plural(0, "entry", "entries")
    ('1 group', '2,000 groups', '0 entries')
    """
    return f"{count:,} {one if count == 1 else many or f'{one}s'}"
