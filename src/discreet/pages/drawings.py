"""Drawings: charts for pages, as SVG in percentages of their width, so that one drawing fits a phone and a desk.

Colours are the page's own, by class; each drawing has its text beside it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, final

from discreet.figures import figure
from discreet.pages.page import attribute, clean, unmarked
from discreet.pages.scale import Scale

__all__ = ["Bars", "Heat", "Stack"]

_ROW: Final = 27
_TOP: Final = 22
"""Room for the name of a limit."""
_AXIS: Final = 26
_END: Final = 7
"""Of a name that is long, so many characters are always shown at its end."""
_TALL: Final = 160
_PARTS: Final = 5
"""How many parts of a stack have a colour of their own."""


@final
@dataclass(frozen=True, slots=True)
class Bars:
    """Values with their intervals, one a row. With *from_zero* each is a bar, else a point on an axis of their own.

    An infinite end of an interval is an arrow. A *limit* is a line across all rows, with its name. *decimals* say how
    values are written, unless they are *shown* otherwise. *bad* are the rows that are drawn as warnings.
    """

    caption: str
    labels: Sequence[str]
    values: Sequence[float]
    lows: Sequence[float] | None = None
    highs: Sequence[float] | None = None
    decimals: int = 0
    beside: str = ""
    limit: tuple[float, str] | None = None
    from_zero: bool = True
    bad: frozenset[int] = frozenset()
    shown: Sequence[str] | None = None

    def lines(self, ids: Iterator[int], /) -> Iterator[str]:
        """Give the block as HTML."""
        name = f"chart-{next(ids)}"
        lows, highs = self.lows or self.values, self.highs or self.values
        ends = [
            *self.values,
            *lows,
            *highs,
            *([0.0] if self.from_zero else []),
            *([self.limit[0]] if self.limit else []),
        ]
        scale = Scale.over(ends)
        top = _TOP if self.limit else 0
        yield f'<figure>\n<figcaption id="{name}">{clean(self.caption)}</figcaption>'
        style = "bars marked" if self.limit else "bars"
        yield f'<div class="{style}" role="img" aria-labelledby="{name}" aria-describedby="{name}-text">'
        yield f"<div>{''.join(map(_name, self.labels))}</div>"
        foot = top + _ROW * len(self.labels)
        yield f'<svg height="{foot + _AXIS}" aria-hidden="true" focusable="false">'
        yield from self._axis(scale, top, foot)
        for i, (value, low, high) in enumerate(zip(self.values, lows, highs, strict=True)):
            yield from self._row(i, top + _ROW * i + _ROW / 2, value, low, high, scale)
        if self.limit:
            yield from self._limit(scale.place(self.limit[0]), self.limit[1], top, foot)
        yield "</svg>"
        texts = self.shown or [figure(value, self.decimals) for value in self.values]
        yield '<div class="figures">' + "".join(f"<span>{clean(text)}</span>" for text in texts) + "</div></div>"
        yield f'<p class="beside" id="{name}-text">{clean(self.beside)}</p>\n</figure>'

    def _axis(self, scale: Scale, top: int, foot: int) -> Iterator[str]:
        for i, (tick, label) in enumerate(zip(scale.ticks, scale.labels, strict=True)):
            x = scale.place(tick)
            style = "zero" if tick == 0 and self.from_zero else "grid-line"
            yield f'<line class="{style}" x1="{x:.2f}%" x2="{x:.2f}%" y1="{top}" y2="{foot}"/>'
            odd = ' class="odd"' if i % 2 else ""
            yield f'<text{odd} x="{x:.2f}%" y="{foot + 17}" text-anchor="middle">{clean(label)}</text>'

    @staticmethod
    def _limit(x: float, name: str, top: int, foot: int) -> Iterator[str]:
        anchor = "start" if x < 30 else "end" if x > 70 else "middle"
        yield f'<line class="limit" x1="{x:.2f}%" x2="{x:.2f}%" y1="{top - 4}" y2="{foot}"/>'
        yield f'<text class="limit-name" x="{x:.2f}%" y="{top - 9}" text-anchor="{anchor}">{clean(name)}</text>'

    def _row(self, i: int, y: float, value: float, low: float, high: float, scale: Scale) -> Iterator[str]:
        x, left, right = scale.place(value), scale.place(low), scale.place(high)
        warn = " bad" if i in self.bad else ""
        if self.from_zero and math.isfinite(value):
            start, end = sorted((scale.place(0.0), x))
            yield f'<rect class="bar{warn}" x="{start:.2f}%" y="{y - 8:g}" width="{end - start:.2f}%" height="16"/>'
        if low != high:
            yield f'<line class="whisker{warn}" x1="{left:.2f}%" x2="{right:.2f}%" y1="{y:g}" y2="{y:g}"/>'
            yield from (_cap(at, y, end, warn) for at, end in ((left, low), (right, high)))
        if not self.from_zero:
            yield f'<circle class="dot{warn}" cx="{x:.2f}%" cy="{y:g}" r="3.2"/>'


def _name(label: str) -> str:
    """Return a name in two parts: where there is no room, the end of the first is left out, and so its middle."""
    text = unmarked(label)
    last = _END if text == label else 2 * _END  # Of several names, also the end of the one before the last.
    start, end = (text[:-last], text[-last:]) if len(text) > 2 * _END else (label, "")
    return f'<span title="{attribute(label)}"><bdi><span>{clean(start)}</span><span>{clean(end)}</span></bdi></span>'


def _cap(x: float, y: float, end: float, warn: str) -> str:
    """Return the end of an interval: a short line across, or the head of an arrow."""
    if math.isfinite(end):
        return f'<line class="whisker{warn}" x1="{x:.2f}%" x2="{x:.2f}%" y1="{y - 4:g}" y2="{y + 4:g}"/>'
    head = f'<path class="whisker{warn}" d="M-6 -4L0 0L-6 4"/>'
    return f'<svg x="{x:.2f}%" y="{y:g}" overflow="visible">{head}</svg>'


@final
@dataclass(frozen=True, slots=True)
class Heat:
    """A table of shares in percent, each with its interval, shaded by its size."""

    caption: str
    names: tuple[str, str]
    rows: Sequence[str]
    columns: Sequence[str]
    values: Sequence[Sequence[float]]
    lows: Sequence[Sequence[float]]
    highs: Sequence[Sequence[float]]

    def lines(self, _: Iterator[int], /) -> Iterator[str]:
        """Give the block as HTML."""
        most = max((x for row in self.values for x in row), default=0.0)
        yield f'<div class="scroll" role="group" tabindex="0" aria-label="{attribute(self.caption)}">'
        yield '<table class="heat">'
        yield f'<caption class="unseen">{clean(self.caption)}</caption>'
        yield f'<thead><tr><th scope="col">{clean(self.names[0])} \\ {clean(self.names[1])}</th>'
        yield "".join(f'<th scope="col">{clean(column)}</th>' for column in self.columns) + "</tr></thead><tbody>"
        for label, values, lows, highs in zip(self.rows, self.values, self.lows, self.highs, strict=True):
            shown = "".join(self._cell(x, low, high, most) for x, low, high in zip(values, lows, highs, strict=True))
            yield f'<tr><th scope="row">{clean(label)}</th>{shown}</tr>'
        yield "</tbody></table></div>"

    @staticmethod
    def _cell(value: float, low: float, high: float, most: float) -> str:
        shade = 100 * max(value, 0.0) / most if most > 0 else 0.0
        ends = f"{figure(low, 1)} to {figure(high, 1)}"
        return f'<td style="--v:{shade:.0f}">{figure(value, 1)}<small>{ends}</small></td>'


@final
@dataclass(frozen=True, slots=True)
class Stack:
    """Columns along a time, each of parts on top of each other, in percent of a whole, which is a line across.

    *names* are the parts', at most five; *ends* say where the first column begins and the last one ends.
    """

    caption: str
    names: Sequence[str]
    columns: Sequence[Sequence[float]]
    ends: tuple[str, str]
    whole: str
    beside: str = ""

    def lines(self, ids: Iterator[int], /) -> Iterator[str]:
        """Give the block as HTML."""
        name, foot = f"chart-{next(ids)}", _TOP + _TALL
        yield f'<figure>\n<figcaption id="{name}">{clean(self.caption)}</figcaption>'
        keys = "".join(f'<span class="part-{i}">{clean(part)}</span>' for i, part in enumerate(self.names[:_PARTS]))
        yield f'<div class="stack" role="img" aria-labelledby="{name}" aria-describedby="{name}-text">'
        yield f'<div class="keys">{keys}</div>'
        yield f'<svg height="{foot + _AXIS}" aria-hidden="true" focusable="false">'
        for share in (0, 25, 50, 75):
            y = foot - _TALL * share / 100
            yield f'<line class="{"grid-line" if share else "zero"}" x1="0%" x2="100%" y1="{y:g}" y2="{y:g}"/>'
        for i, column in enumerate(self.columns):
            yield from self._column(i, column, foot)
        yield f'<line class="limit" x1="0%" x2="100%" y1="{_TOP}" y2="{_TOP}"/>'
        yield f'<text class="limit-name" x="0%" y="{_TOP - 7}">{clean(self.whole)}</text>'
        for x, anchor, text in (("0%", "start", self.ends[0]), ("100%", "end", self.ends[1])):
            yield f'<text x="{x}" y="{foot + 17}" text-anchor="{anchor}">{clean(text)}</text>'
        yield "</svg></div>"
        yield f'<p class="beside" id="{name}-text">{clean(self.beside)}</p>\n</figure>'

    def _column(self, i: int, column: Sequence[float], foot: int) -> Iterator[str]:
        width, base = 100 / len(self.columns), 0.0
        for part, share in enumerate(column):
            height = _TALL * min(max(share, 0.0), 100 - base) / 100
            if height > 0:
                y = foot - _TALL * base / 100 - height
                place = f'x="{i * width:.2f}%" y="{y:.2f}" width="{width:.2f}%" height="{height:.2f}"'
                yield f'<rect class="part-{part}" {place}/>'
            base = min(base + max(share, 0.0), 100.0)
