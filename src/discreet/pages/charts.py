"""Charts of values with their intervals, by Matplotlib. Each returns its axes, for the caller to go on with."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from discreet.words import shortened

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

__all__ = ["curves", "heat", "intervals", "points"]

_INK: Final = "#1f262c"
_SOFT: Final = "#59646d"
_LINE: Final = "#e3e0da"
_BAR: Final = "#a9cbdf"
_MARK: Final = "#123f59"
_BAD: Final = "#b3261e"
_BAD_BAR: Final = "#e0a29d"
_CURVES: Final = ("#123f59", "#3b8ea5", "#c77d2b", "#8a5a83", "#6b8f3a")
_TITLE: Final = 11
_LETTER: Final = 0.57
"""How wide a letter is, on average, as a part of its height."""
_LONGEST: Final = 32
"""Longer labels are cut in their middle, or they would leave no room for what they label."""


def intervals(
    labels: Sequence[str],
    values: ArrayLike,
    lows: ArrayLike,
    highs: ArrayLike,
    *,
    ax: Axes | None = None,
    title: str = "",
    xlabel: str = "",
    bars: bool = True,
    percent: bool = False,
    limit: tuple[float, str] | None = None,
    bad: Collection[int] = (),
) -> Axes:
    """Draw a bar for each value, or a point, and a thin line for its interval, the first at the top.

    An infinite upper end is an arrow. A *limit* is a line across, with its name. *bad* rows are drawn as warnings.
    """
    import numpy as np

    middle, left, right = (np.asarray(a, float) for a in (values, lows, highs))
    count = len(labels)
    rows = np.arange(count)[::-1]
    axes = _axes(ax, (6.4, 0.95 + 0.27 * count + (0.2 if limit else 0)))
    ends = np.concatenate([middle, left, right, [0.0] if bars or not count else [], [limit[0]] if limit else []])
    reach = ends[np.isfinite(ends)]
    least, most = (float(reach.min()), float(reach.max())) if reach.size else (0.0, 1.0)
    span = (most - least) or 1.0
    edge = most + (0.15 if not np.isfinite(ends).all() else 0.03) * span
    inks = [_BAD if i in bad else _MARK for i in range(count)]
    if bars:
        shades = [_BAD_BAR if i in bad else _BAR for i in range(count)]
        axes.barh(rows, np.where(np.isfinite(middle), middle, edge), height=0.6, color=shades, zorder=2)
        axes.axvline(0, color=_SOFT, linewidth=0.8, zorder=3)
    axes.hlines(rows, left, np.where(np.isfinite(right), right, edge), color=inks, linewidth=1.2, zorder=4)
    for row, low, high, ink in zip(rows, left, right, inks, strict=True):
        if low != high:
            axes.plot([low], [row], "|", color=ink, markersize=6, markeredgewidth=1.2, zorder=4)
            at, mark = (high, "|") if math.isfinite(high) else (edge, ">")
            axes.plot([at], [row], mark, color=ink, markersize=6 if mark == "|" else 4, markeredgewidth=1.2, zorder=4)
    if not bars:
        axes.scatter(middle, rows, s=16, color=inks, zorder=5)
    if limit:
        axes.axvline(limit[0], color=_CURVES[1], linewidth=1.1, linestyle=(0, (4, 3)), zorder=5)
        _name_limit(axes, limit, (least, most))
    axes.set_xlim(least - (0.03 * span if least or not bars else 0), edge)
    axes.set_yticks(rows, [_cut(label) for label in labels])
    axes.set_ylim(-0.6, max(count, 1) - 0.4)
    axes.grid(axis="x", color=_LINE, linewidth=0.8, zorder=0)
    _dress(axes, title, xlabel)
    if ax is None:
        lines = axes.get_title(loc="left").count("\n")
        axes.figure.set_figheight(axes.figure.get_figheight() + 0.18 * lines)
    axes.spines[["left", "bottom"]].set_visible(False)
    _ticks(axes.xaxis, percent)
    return axes  # type: ignore[no-any-return]


def heat(
    rows: Sequence[str],
    columns: Sequence[str],
    values: ArrayLike,
    *,
    ax: Axes | None = None,
    title: str = "",
    names: tuple[str, str] = ("", ""),
) -> Axes:
    """Draw a table of shares as shades, each with its number."""
    import numpy as np
    from matplotlib.colors import LinearSegmentedColormap

    shown = np.asarray(values, float)
    axes = _axes(ax, (max(4.8, 1.8 + 0.85 * len(columns)), 1.15 + 0.42 * len(rows)))
    shades = LinearSegmentedColormap.from_list("discreet", ["#ffffff", _BAR, _CURVES[1], _MARK])
    axes.imshow(
        np.clip(shown, 0, None), cmap=shades, aspect="auto", vmin=0, vmax=max(float(shown.max(initial=0)), 1e-12)
    )
    most = max(float(shown.max(initial=0)), 1e-12)
    size = 9 if len(columns) <= 12 else 6
    for (i, j), value in np.ndenumerate(shown):
        ink = "white" if value > 0.55 * most else _INK
        text = f"{100 * value:.1f} %".replace("-0.0", "0.0")
        axes.text(j, i, text, ha="center", va="center", color=ink, fontsize=size)
    axes.set_xticks(range(len(columns)), [_cut(label) for label in columns])
    axes.set_yticks(range(len(rows)), [_cut(label) for label in rows])
    axes.set_xticks(np.arange(1, len(columns)) - 0.5, minor=True)
    axes.set_yticks(np.arange(1, len(rows)) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=2)
    axes.set_ylabel(names[0], color=_SOFT, fontsize=9).set_parse_math(False)
    _dress(axes, title, names[1])
    axes.tick_params(which="both", length=0)
    axes.spines[:].set_visible(False)
    return axes  # type: ignore[no-any-return]


def points(
    xs: Sequence[float],
    ys: Sequence[float],
    *,
    ax: Axes | None = None,
    title: str = "",
    xlabel: str = "",
    ylabel: str = "",
    bad: bool = False,
) -> Axes:
    """Draw points against the line of those that are as high as they are far right."""
    axes = _axes(ax, (4.6, 4.2))
    finite = [x for x in (*xs, *ys) if math.isfinite(x)]
    top = max([*finite, 0.0]) * 1.08 or 1.0
    axes.plot(
        [0, top], [0, top], color=_SOFT, linewidth=0.9, linestyle=(0, (4, 3)), zorder=2, label="as tight as can be"
    )
    axes.scatter(
        xs, ys, s=26, color=_BAD if bad else _MARK, alpha=0.85, linewidths=0, zorder=3, label="pairs of inputs"
    )
    axes.set(xlim=(0, top), ylim=(0, top), aspect="equal")
    axes.set_ylabel(ylabel, color=_SOFT, fontsize=9)
    axes.grid(color=_LINE, linewidth=0.8, zorder=0)
    _dress(axes, title, xlabel)
    axes.spines[["left", "bottom"]].set_color(_LINE)
    axes.locator_params(nbins=5)
    axes.legend(frameon=False, loc="upper left", fontsize=9, labelcolor=_INK)
    return axes  # type: ignore[no-any-return]


def curves(
    xs: ArrayLike,
    lines: Mapping[str, ArrayLike],
    *,
    below: tuple[str, ArrayLike],
    ax: Axes | None = None,
    title: str = "",
    xlabel: str = "",
    ylabel: str = "",
) -> Axes:
    """Draw lines over logarithmic axes, and a dotted one *below* which none can be."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axes = _axes(ax, (6.4, 4))
    for (name, ys), ink in zip(lines.items(), _CURVES * len(lines), strict=False):
        axes.plot(xs, ys, label=name, color=ink, linewidth=1.5)
    axes.plot(xs, below[1], label=below[0], color=_INK, linewidth=1.4, linestyle=(0, (1, 1.6)))
    axes.set(xscale="log", yscale="log")
    axes.margins(x=0)
    axes.set_ylabel(ylabel, color=_SOFT, fontsize=9)
    axes.grid(color=_LINE, linewidth=0.8)
    _dress(axes, title, xlabel)
    axes.spines[["left", "bottom"]].set_color(_LINE)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.yaxis.set_major_formatter(FuncFormatter(lambda y, _: f"{100 * y:g} %"))
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_minor_formatter(NullFormatter())
    axes.tick_params(which="both", length=0)
    axes.legend(frameon=False, fontsize=9, labelcolor=_INK)
    return axes  # type: ignore[no-any-return]


def _axes(ax: Axes | None, size: tuple[float, float]) -> Any:
    from matplotlib import pyplot as plt
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    if ax is not None:
        return ax
    layout: Any = ConstrainedLayoutEngine(w_pad=0.1, h_pad=0.1)
    return plt.subplots(figsize=size, layout=layout)[1]


def _dress(axes: Any, title: str, xlabel: str) -> None:
    """Make axes quiet: no box, soft numbers, a title at the left; no text is read as mathematics."""
    axes.set_title(_wrapped(axes, title), loc="left", fontsize=_TITLE, color=_INK, pad=10).set_parse_math(False)
    axes.set_xlabel(xlabel, color=_SOFT, fontsize=9).set_parse_math(False)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(axis="both", length=0, labelsize=9, labelcolor=_SOFT)
    axes.tick_params(axis="y", labelcolor=_INK)
    for label in (*axes.get_xticklabels(), *axes.get_yticklabels()):
        label.set_parse_math(False)


def _wrapped(axes: Any, title: str) -> str:
    """Return a title in lines that fit above the axes; in a layout, the labels at their left will take some room."""
    room = 72 * axes.figure.get_figwidth() * axes.get_position().width
    if axes.figure.get_layout_engine() is not None:
        longest = max((len(label.get_text()) for label in axes.get_yticklabels()), default=0)
        room = 72 * axes.figure.get_figwidth() - _LETTER * 9 * longest
    return textwrap.fill(title, max(int(room / (_LETTER * _TITLE)), 20))


def _ticks(axis: Any, percent: bool) -> None:
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=6, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda x, _: f"{100 * x:g} %" if percent else _number(x)))


def _number(x: float) -> str:
    return f"{x:g}" if x and not 1e-4 <= abs(x) < 1e15 else f"{x:,.10f}".rstrip("0").rstrip(".").replace("-", "−")


def _name_limit(axes: Any, limit: tuple[float, str], ends: tuple[float, float]) -> None:
    share = (limit[0] - ends[0]) / ((ends[1] - ends[0]) or 1.0)
    side = "left" if share < 0.3 else "right" if share > 0.7 else "center"
    axes.annotate(
        limit[1],
        (limit[0], 1),
        xycoords=("data", "axes fraction"),
        xytext=(0, 2),
        textcoords="offset points",
        ha=side,
        fontsize=8,
        color=_CURVES[1],
        parse_math=False,
    )


def _cut(label: object) -> str:
    return shortened(str(label), _LONGEST)
