"""Histograms: how many people each bin of each group has, as arrays that hold no empty bin."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from discreet.domains import FOREIGN, Domain

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Histograms", "HistogramsOf"]

_CELLS: Final = 1 << 21
"""How many cells are written out at a time."""


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Histograms:
    """The people of several groups by bin: *counts* in *bins*, of group i those from starts[i] to starts[i + 1].

    Indexed by places, it is the histograms of the groups there; the place after the last is a group of nobody.

    >>> two = Histograms.of(np.array([1, 0, 1]), np.array([7, 3, 2]), np.array([5, 1, 4]), 2)
    >>> two.dense(8).tolist()
    [[0, 0, 0, 1, 0, 0, 0, 0], [0, 0, 4, 0, 0, 0, 0, 5]]
    >>> two[np.array([1, 2])].dense(8).tolist()
    [[0, 0, 4, 0, 0, 0, 0, 5], [0, 0, 0, 0, 0, 0, 0, 0]]
    """

    starts: NDArray[np.intp]
    bins: NDArray[np.int64]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, groups: NDArray[np.intp], bins: NDArray[np.int64], counts: NDArray[np.int64], many: int) -> Histograms:
        """Return the histograms of as *many* groups, from the group, the bin and the count of each cell."""
        order = np.lexsort((bins, groups))
        starts = np.searchsorted(groups[order], np.arange(many + 1))
        return cls(starts, bins[order], counts[order])

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, places: NDArray[np.intp]) -> Histograms:
        ends = np.append(self.starts, self.starts[-1])
        first, sizes = ends[places], ends[places + 1] - ends[places]
        starts = np.concatenate([[0], np.cumsum(sizes)])
        cells = np.arange(starts[-1]) + np.repeat(first - starts[:-1], sizes)
        return Histograms(starts, self.bins[cells], self.counts[cells])

    def dense(self, width: int) -> NDArray[np.int64]:
        """Return the counts of all bins, a row for each group."""
        out = np.zeros((len(self), width), np.int64)
        out[np.repeat(np.arange(len(self)), np.diff(self.starts)), self.bins] = self.counts
        return out

    def chunks(self, width: int) -> Iterator[NDArray[np.int64]]:
        """Give the counts of all bins, some groups at a time; how many is decided by the number of bins alone."""
        step = max(_CELLS // width, 1)
        for start in range(0, len(self), step):
            yield self[np.arange(start, min(start + step, len(self)))].dense(width)


@final
@dataclass(frozen=True, slots=True)
class HistogramsOf(Domain):
    """Histograms of any number of groups, of bins that are numbered from 0 on."""

    bins: int

    def canonical(self, x: object, /) -> Any:
        """Return the histograms themselves."""
        if not isinstance(x, Histograms):
            return FOREIGN
        inside = x.bins.size == 0 or (x.bins.min() >= 0 and x.bins.max() < self.bins and x.counts.min() >= 0)
        return x if inside else FOREIGN
