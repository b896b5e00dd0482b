"""Sheets: a result's rows and columns, from which texts, terminals, notebooks, pages and plots are drawn alike."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, final

from discreet.exact import written
from discreet.figures import figure, interval_text
from discreet.pages.charts import intervals
from discreet.pages.drawings import Bars
from discreet.pages.page import Block, Text, attribute, clean, named, printable, unmarked
from discreet.words import plain, width_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Column", "Sheet", "amounts", "facts"]

_CHART: Final = 30
"""How many rows a chart shows, the greatest first."""
_SERIES: Final = 100
"""How many it shows where they have an order of their own."""
_NOTEBOOK: Final = 50
_ROWS: Final = 25
"""How many rows of a page's table are shown at a time."""
_STATIC: Final = 1000
"""How many are in the page's own text, for whoever reads it without scripts."""
_SHORT: Final = 12
_LONG: Final = 20
_MOST: Final = 10**300
"""Amounts beyond this sort as this, which a float can hold."""
_EXACT: Final = 1 << 53
"""Integers from here on are no longer exact in a browser."""


@final
@dataclass(frozen=True, slots=True)
class Column:
    """A column of a sheet. Numbers with *decimals* are written with as many; without, values are written as they are.

    What is *shown* in the values' place does not change how they sort. With *highs*, each is an interval, and the
    values are its lower ends. A *head* column says what a row is about: it is searched, and numbers in it are names,
    such as years. A *quiet* one is read after the others.
    """

    name: str
    values: Sequence[Any]
    decimals: int | None = None
    head: bool = False
    quiet: bool = False
    shown: Sequence[str] | None = None
    highs: Sequence[float] | None = None
    unit: str = ""
    points: bool = False
    """Whether charts draw points on an axis of their own in the place of bars from 0."""

    @property
    def title(self) -> str:
        """What stands above the column."""
        return f"{self.name}, {self.unit}" if self.unit else self.name

    @property
    def number(self) -> bool:
        """Whether it is set to the right."""
        return not self.head and (self.decimals is not None or self.shown is not None)

    def text(self, i: int) -> str:
        """Return a row's value as it is written, the same everywhere."""
        if self.shown is not None:
            return self.shown[i]
        value = self.values[i]
        if value is None:
            return "no value"
        if self.highs is not None:
            return interval_text(value, self.highs[i], decimals=self.decimals)
        cell = _cell(value, self.decimals) if isinstance(value, float) else value
        return str(cell) if self.decimals is None or isinstance(cell, str) else figure(cell, self.decimals)

    def to_dict(self) -> dict[str, Any]:
        """Return the column as a page's script reads it."""
        cells = [_cell(value, self.decimals) for value in self.values]
        number = all(value is None or isinstance(value, int | float) for value in cells)
        said: dict[str, Any] = {"head": self.head, "decimals": self.decimals, "number": number, "style": self.style}
        long = number and any(x is not None and abs(x) >= _EXACT for x in cells)
        if self.shown is not None or self.highs is not None or long:
            said["texts"] = [printable(self.text(i)) for i in range(len(self.values))]
        return said | {"values": cells if number else [None if cell is None else str(cell) for cell in cells]}

    @property
    def style(self) -> str:
        """The column's classes on a page; short names, such as dates, stay in one line, and long texts may break."""
        short = self.head and all(len(str(value)) <= _SHORT for value in self.values)
        long = not self.head and not self.number and any(len(str(value)) > _LONG for value in self.values)
        return " ".join(["num"] * self.number + ["quiet"] * self.quiet + ["short"] * short + ["long"] * long)


def _cell(value: Any, decimals: int | None) -> Any:
    """Return a value as JSON has it; a number as it is shown, so that what is sorted is what is seen."""
    if value is None or type(value) is int:
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            return figure(value)
        if decimals is None:
            return value
        near = round(value, decimals)
        return int(near) if decimals == 0 else near
    return printable(str(value))


def amounts(
    name: str, values: Sequence[Fraction | float], sign: str = "", *, up: bool = True, digits: int = 3
) -> Column:
    """Return a column of amounts: as they were typed where they were typed, else in a few digits to the safe side."""
    shown = [f"{sign}{written(x, up=up, digits=digits, commas=True)}" for x in values]
    return Column(name, [float(max(min(x, _MOST), -_MOST)) for x in values], shown=shown)


def facts(title: str, pairs: Sequence[tuple[str, str]]) -> Sheet:
    """Return a sheet of names with what they stand for."""
    names, texts = zip(*pairs, strict=True)
    return Sheet(title, [Column("", names, head=True), Column("", texts)])


@final
@dataclass(frozen=True, slots=True)
class Sheet:
    """A result as a table: what stands above it, its columns, and *remarks* below. *row* is what a row is.

    A *lead* is a sentence between the title and the table.

    A column that intervals follow is drawn in charts: in the rows' own order if they are *ordered*, else the greatest
    first; or the greatest in the rows' own order, if that is *partly* one of numbers or dates. Rows that are *chosen*
    stand out where there are letters to do it.

    >>> share = Column("share", [70.2, 29.8], 0, unit="%"), Column("95 % interval", [49.4, 10.6], 0, highs=[89.4, 50.6])
    >>> print(Sheet("smokes", [Column("choice", ["never", "daily"], head=True), *share], note="100 reports"))
    smokes: 100 reports
      choice  share, %  95 % interval
      never         70       49 to 90
      daily         30       10 to 51
    """

    title: str
    columns: Sequence[Column]
    note: str = ""
    remarks: Sequence[str] = ()
    row: str = "row"
    ordered: bool = False
    chosen: Collection[int] = ()
    partly: bool = False
    lead: str = ""

    def __len__(self) -> int:
        return len(self.columns[0].values)

    @property
    def _heading(self) -> str:
        return f"{self.title}: {self.note}" if self.note else self.title

    def cells(self, most: int | None = None) -> list[list[str]]:
        """Return the first *most* rows, or all, as texts that a terminal can print."""
        rows = range(len(self) if most is None else min(most, len(self)))
        return [[plain(column.text(i)) for column in self.columns] for i in rows]

    def to_text(self, most: int | None = 20) -> str:
        """Return the sheet as text, with the first *most* rows, or all: names to the left, numbers to the right."""
        rows = [[plain(column.title) for column in self.columns], *self.cells(most)]
        widths = [max(map(width_of, column)) for column in zip(*rows, strict=True)]
        lines = [plain(self._heading), *[self.lead] * bool(self.lead)]
        for row in rows:
            blanks = [" " * (width - width_of(text)) for text, width in zip(row, widths, strict=True)]
            sides = [column.number for column in self.columns]
            texts = [f"{b}{t}" if right else f"{t}{b}" for t, b, right in zip(row, blanks, sides, strict=True)]
            lines.append("  ".join(["", *texts]).rstrip())
        return "\n".join([*lines, *self._more(len(rows) - 1, "  "), *self.remarks])

    __str__ = to_text

    def _more(self, shown: int, before: str = "") -> list[str]:
        return [f"{before}... and {len(self) - shown:,} more"] if shown < len(self) else []

    def _repr_html_(self) -> str:
        sides = ["right;white-space:nowrap" if column.number else "left" for column in self.columns]
        head = "".join(f"<th>{clean(column.title)}</th>" for column in self.columns)
        rows = range(min(len(self), _NOTEBOOK))
        pairs = list(zip(self.columns, sides, strict=True))
        cells = [[f'<td style="text-align:{side}">{clean(c.text(i))}</td>' for c, side in pairs] for i in rows]
        bold = ['tr style="font-weight:bold"' if i in self.chosen else "tr" for i in rows]
        body = "".join(f"<{tag}>{''.join(row)}</tr>" for tag, row in zip(bold, cells, strict=True))
        below = "".join(f"<p>{clean(text)}</p>" for text in [*self._more(len(rows)), *self.remarks])
        top = f"<p><strong>{clean(self.title)}</strong> {clean(self.note)}</p>"
        top += f"<p>{clean(self.lead)}</p>" if self.lead else ""
        return f"{top}<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{below}"

    def lines(self, ids: Iterator[int], /) -> Iterator[str]:
        """Give the sheet as a block of a page, which can be sorted and searched; where it is long, a part at a time."""
        name = f"grid-{next(ids)}"
        data = {"rows": len(self), "page": _ROWS, "columns": [column.to_dict() for column in self.columns]}
        yield f'<div class="grid" id="{name}">'
        yield '<div class="tools" hidden>'
        yield f'<label><span>Find a {clean(self.row)}</span><input type="search" autocomplete="off"></label>'
        yield '<p role="status"></p>'
        yield f'<div class="pager"><button type="button" aria-controls="{name}-body">Previous</button>'
        yield f'<button type="button" aria-controls="{name}-body">Next</button></div></div>'
        yield f'<div class="scroll" role="group" tabindex="0" aria-label="{attribute(self.title)}"><table>'
        yield f'<caption class="unseen">{clean(self.title)}</caption><thead><tr>'
        styles = [column.style for column in self.columns]
        for column, style in zip(self.columns, styles, strict=True):
            yield f'<th scope="col" class="{style}">{clean(column.title)}</th>'
        yield f'</tr></thead><tbody id="{name}-body">'
        for i in range(min(len(self), _STATIC)):
            yield "<tr>" + "".join(map(_html, self.columns, styles, repeat(i))) + "</tr>"
        yield "</tbody></table></div>"
        if len(self) > _STATIC:
            said = f"The first {_STATIC:,} of {len(self):,} rows; the others need a browser that runs scripts."
            yield f"<noscript><p>{said}</p></noscript>"
        yield f'<script type="application/json">{_json(data)}</script></div>'

    def blocks(self) -> list[Block]:
        """Return the sheet for a page: a chart of each column that intervals follow, and the table."""
        if not len(self):
            return [Text([f"No {self.row} is shown."])]
        first = [Text([self.lead])] if self.lead else []
        return [*first, *(self._bars(*pair) for pair in self._charted()), self]

    def _charted(self) -> list[tuple[Column, Column]]:
        pairs = zip(self.columns, self.columns[1:], strict=False)
        return [(value, ends) for value, ends in pairs if ends.highs is not None]

    def _places(self, column: Column, most: int) -> Sequence[int]:
        if self.ordered:
            return range(max(len(self) - most, 0), len(self))
        greatest = sorted(range(len(self)), key=lambda i: -column.values[i])[:most]
        return sorted(greatest) if self.partly else greatest

    def _labels(self, places: Sequence[int]) -> list[str]:
        """Return what rows are about; each of several names leaves the direction of the others alone."""
        heads = [column for column in self.columns if column.head]
        return [
            ", ".join(named(head.text(i)) for head in heads) if len(heads) > 1 else heads[0].text(i) for i in places
        ]

    def _cut(self, most: int) -> str:
        which = "last" if self.ordered else "greatest"
        return f", the {most:,} {which} of {len(self):,}" if len(self) > most else ""

    def _bars(self, column: Column, ends: Column) -> Bars:
        most = _SERIES if self.ordered else _CHART
        order = self._places(column, most)
        labels, more = self._labels(order), "; the table has them all" if len(self) > most else ""
        caption = f"{named(column.title)}, with {ends.name}s{self._cut(most)}{more}."
        values, lows, highs = (
            [float(side[i]) for i in order] for side in (column.values, ends.values, ends.highs or ())
        )
        texts = [column.text(i) for i in order]
        beside = self._beside(column, ends, labels, order)
        return Bars(caption, labels, values, lows, highs, beside=beside, from_zero=not column.points, shown=texts)

    @staticmethod
    def _beside(column: Column, ends: Column, labels: Sequence[str], order: Sequence[int]) -> str:
        """Say in words what a chart shows."""
        texts = [f"{column.text(i)}{column.unit and f' {column.unit}'} ({ends.name} {ends.text(i)})" for i in order]
        if len(order) == 1:
            return f"{_marked(labels[0])}: {texts[0]}."
        low, high = (choose(range(len(order)), key=lambda k: column.values[order[k]]) for choose in (min, max))
        greatest, least = (f"{_marked(labels[k])} with {texts[k]}" for k in (high, low))
        mark = "point" if column.points else "bar"
        return f"The largest is {greatest}; the smallest {mark} is {least}."

    def plot(self, ax: Axes | None = None, most: int = _CHART, column: str | None = None) -> Axes:
        """Draw a column with its intervals, the first that has some or one by its name; return the axes."""
        shown, ends = next(pair for pair in self._charted() if column is None or pair[0].name == column)
        order = self._places(shown, most)
        return intervals(
            [unmarked(label) for label in self._labels(order)],
            *([side[i] for i in order] for side in (shown.values, ends.values, ends.highs or ())),
            ax=ax,
            title=f"{self._heading}{self._cut(most)}",
            xlabel=f"{shown.title}, with {ends.name}s",
            bars=not shown.points,
        )


def _marked(label: str) -> str:
    """Return a label for a sentence: one name is marked here, several are already."""
    return named(label) if unmarked(label) == label else label


def _html(column: Column, style: str, i: int) -> str:
    """Return a cell of a page's table."""
    tag = 'th scope="row"' if column.head else "td"
    return f'<{tag} class="{"none" if column.values[i] is None else style}">{clean(column.text(i))}</{tag[:2]}>'


def _json(data: Any) -> str:
    """Return JSON that cannot end the element it stands in."""
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate({ord(sign): f"\\u{ord(sign):04x}" for sign in "&<>\u2028\u2029"})
