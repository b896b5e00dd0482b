"""Charts of values with their intervals, by Matplotlib. Each returns its axes, for the caller to go on with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import ArrayLike

__all__ = ["heat", "intervals"]

_INK: Final = "#1b4965"
_BAR: Final = "#8ecae6"


def intervals(
    labels: Sequence[str],
    values: ArrayLike,
    lows: ArrayLike,
    highs: ArrayLike,
    *,
    ax: Axes | None = None,
    title: str = "",
    xlabel: str = "",
) -> Axes:
    """Draw a bar for each value and a line for its interval, the first at the top."""
    import numpy as np
    from matplotlib import pyplot as plt

    middle, left, right = (np.asarray(a, float) for a in (values, lows, highs))
    rows = np.arange(len(labels))[::-1]
    axes: Any = plt.subplots(figsize=(6.4, 0.9 + 0.32 * len(labels)), layout="constrained")[1] if ax is None else ax
    axes.barh(rows, middle, height=0.62, color=_BAR, zorder=2)
    axes.hlines(rows, left, right, color=_INK, linewidth=2, zorder=3)
    axes.plot(middle, rows, "o", color=_INK, markersize=4, zorder=4)
    axes.axvline(0, color="0.4", linewidth=0.8, zorder=1)
    axes.set_yticks(rows, [str(label) for label in labels])
    axes.set_ylim(-0.6, len(labels) - 0.4)
    axes.grid(axis="x", color="0.9", zorder=0)
    axes.set_xlabel(xlabel)
    axes.set_title(title, loc="left", fontsize=11)
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(axis="y", length=0)
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
    """Draw a table of values as shades, each with its number."""
    import numpy as np
    from matplotlib import pyplot as plt

    shown = np.asarray(values, float)
    size = (1.6 + 0.9 * len(columns), 1.1 + 0.45 * len(rows))
    axes: Any = plt.subplots(figsize=size, layout="constrained")[1] if ax is None else ax
    axes.imshow(np.clip(shown, 0, None), cmap="Blues", aspect="auto", vmin=0)
    most = max(float(shown.max(initial=0)), 1e-12)
    for (i, j), value in np.ndenumerate(shown):
        axes.text(j, i, f"{value:.1%}", ha="center", va="center", color="white" if value > 0.6 * most else "0.1")
    axes.set_xticks(range(len(columns)), [str(label) for label in columns])
    axes.set_yticks(range(len(rows)), [str(label) for label in rows])
    axes.set_ylabel(names[0])
    axes.set_xlabel(names[1])
    axes.set_title(title, loc="left", fontsize=11)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    return axes  # type: ignore[no-any-return]
