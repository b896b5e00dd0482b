"""Quantiles and histograms of a column: people counted by where their own mean is on a public grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil, gcd, lcm
from typing import TYPE_CHECKING, Any, ClassVar, Final, final

import numpy as np

from discreet.domains import Integers, Vectors
from discreet.errors import ParameterError
from discreet.exact import Exact, exact, typed, written
from discreet.frozen import freeze
from discreet.metrics import Sensitivity
from discreet.tables.aggregates.aggregate import MOST, Aggregate, Column, Ends, checked_name
from discreet.tables.aggregates.values import AUTO, Mean, Value, nearest
from discreet.tables.laws import Candidate, candidates
from discreet.tables.quantiles import ERROR, CountInTree, CutByRank, deepest

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.domains import Maps
    from discreet.tables.histograms import Histograms
    from discreet.tables.powers import Bounds

__all__ = ["Bin", "Histogram", "Quantile"]

_STEPS: Final = 1 << 10
_MOST_STEPS: Final = 1 << 16
_FARTHEST: Final = Fraction(1 << 61)
"""The largest bound that is learned: beyond, a step of the grid would be more than a quotient of numbers holds."""
_MOST_BINS: Final = 100
_MOST_PARTS: Final = 1 << 20
_BY_RANK: Final = "laplace-on-ranks"
_NAMES: Final = {Fraction(0): "least value", Fraction(1, 2): "median", Fraction(1): "greatest value"}
_HALF: Final = Fraction(1, 2)


@final
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Quantile(Value):
    """Quantiles of a column over people, each by their own mean of it in the group, clipped to [low, high].

    *at* says which: 0.5 is the median, which half of the people are below. Without a *grid*, it is a power of two that
    cuts the range into some 1,000 steps; a coarse one is more exact, as far as it goes. A quantile is a cut at its
    rank, of several each between those before it, and an interval's *ends*, which half of epsilon pays for unless
    given, are two more; where that is better, all are read from one tree of noisy counts. An interval holds the
    quantile of the people's values on the grid with probability 95 %; without *ends*, or with more confidence, it is
    [low, high]. Bounds that are "auto" are learned from a part of epsilon; one of them may be given, as 0.

    The least and the greatest value, at 0 and 1, are some person's own, and cannot be told: what is released is a value
    that some people are beyond.

    >>> Quantile("amount", "0.5", "0.9", low=0, high=100, grid=1).bins
    101
    """

    kind: ClassVar = "quantile"
    levels: ClassVar = True
    whole: ClassVar = False
    noise_words: ClassVar = "rank error"
    share_of: ClassVar = ""
    noted: ClassVar = True
    unit: ClassVar = Fraction(1)
    steps: ClassVar = (0, 1)

    at: tuple[Fraction, ...]
    ends_share: Fraction

    def __init__(
        self,
        column: str,
        /,
        *at: Exact,
        low: Exact | None = None,
        high: Exact | None = None,
        grid: Exact | None = None,
        ends: Exact = _HALF,
        name: str | None = None,
    ) -> None:
        super(Quantile, self).__init__(column, low, high, grid, name=name)
        found = tuple(typed(exact(q, "at")) for q in at)
        if not found or not all(0 <= q <= 1 and q.denominator <= _MOST_PARTS for q in found):
            need = f"parts of the people, such as 0.5 for the median, in fractions of at most {_MOST_PARTS}"
            raise ParameterError("at", at, need)
        if len(set(found)) < len(found):
            raise ParameterError("at", at, "different quantiles")
        if self.bins > _MOST_STEPS:
            raise ParameterError("grid", grid, f"a grid that has at most {_MOST_STEPS} steps between the bounds")
        share = exact(ends, "ends")
        if not 0 <= share < 1:
            raise ParameterError("ends", ends, "0 <= ends < 1, a part of its epsilon")
        freeze(self, at=found, ends_share=share)

    def __repr__(self) -> str:
        at = "".join(f"{q!r}, " for q in self.at)
        bounds = f"low={self.low!r}, high={self.high!r}, grid={self.grid!r}"
        return f"Quantile({self.column!r}, {at}{bounds}, ends={self.ends_share!r}, name={self.name!r})"

    @staticmethod
    def _step(low: Fraction, high: Fraction) -> Fraction:
        """Return a part of the range between the bounds, as far as numbers reach."""
        return max((high - low) / _STEPS, max(abs(low), abs(high)) / (1 << 30))

    @property
    def bins(self) -> int:
        """How many places there are on the grid."""
        low, high = self.bounds
        return high - low + 1

    @property
    def views(self) -> tuple[Quantile, ...]:
        """Each quantile by itself."""
        if len(self.at) == 1:
            return (self,)
        names = [None if self.name is None else f"{self.name} {written(q, up=True)}" for q in self.at]
        given = {"low": self.low, "high": self.high, "grid": self.grid, "ends": self.ends_share}
        return tuple(Quantile(self.column, q, **given, name=n) for q, n in zip(self.at, names, strict=True))

    @property
    def learns(self) -> tuple[Value, ...]:
        """What a mean of the same values would learn."""
        return Mean(self.column, AUTO, AUTO).learns if AUTO in (self.low, self.high) else ()

    def learned(self, found: Mapping[Aggregate, Bounds]) -> Quantile:
        """Return it within bounds that were found, which the grid cuts into as many bins whatever they are."""
        if not self.learns:
            return self
        ends = Mean(self.column, self.low, self.high).learned(found).span
        low, high = (min(max(end, -_FARTHEST), _FARTHEST) for end in ends)
        made = Quantile(self.column, *self.at, low=low, high=high, ends=self.ends_share, name=self.name)
        assert made.bins == self.bins  # noqa: S101  # proof: many
        return made

    @property
    def words(self) -> str:
        """Which quantiles it is, of which column."""
        each = [_NAMES.get(q, f"{written(q, up=True)} quantile") for q in self.at]
        return f"{', '.join(each)} of {self.column}"

    @property
    def note(self) -> str:
        """What the value is, and what its interval holds."""
        grid = f"{float(self.grid):g}"
        means = f"Of each person, the mean of their own {self.column} counts, rounded to a multiple of {grid}."
        return " ".join([super(Quantile, self).note, means, *self._coarser, *self._extreme])

    @property
    def plan_note(self) -> str:
        """The bounds, the grid, and in which unit errors are."""
        ranks = "A rank error is how many people are between the value and the rank that was asked for."
        first = f"Bounds of {self.extent} are learned first, from a part of epsilon that weights can change."
        values = [first] if self.learns else [super(Quantile, self).plan_note, *self._coarser]
        return " ".join([*values, ranks, *self._extreme])

    @property
    def _coarser(self) -> list[str]:
        """What another grid would do, where this is the one that is taken unless one is given."""
        if self.grid != self._power(*self.span):
            return []
        such = ", such as 1 for whole numbers," if self.grid < 1 < self.span[1] - self.span[0] else ""
        return [f"A coarser public grid{such} makes it more exact."]

    @property
    def _extreme(self) -> list[str]:
        """What cannot be told."""
        if not {0, 1} & {*self.at}:
            return []
        own = "The least and the greatest value are a person's own, and noise hides them:"
        return [f"{own} the value that is shown has some people beyond it, about as many as the rank error says."]

    def bin(self, each: Any, s: Any) -> Any:
        """Return how far each person's mean is from the lower bound."""
        return self.own_mean(each, s) - self.bounds[0]

    def laws(
        self, domain: Maps | Vectors, apart: Sensitivity, epsilon: Fraction, delta: Fraction, noise: str
    ) -> tuple[Candidate, ...]:
        """Return the cut by rank and the trees of noisy counts; the first is the one whose ranks are least wrong.

        That is by a bound of probability 95 %, as the intervals need it; where there are none, by what is usual.
        """
        found = [] if noise not in ("auto", _BY_RANK) else [Candidate.of(_BY_RANK, self._by_rank(epsilon / apart.l1))]
        if noise != _BY_RANK:
            fan, depth = deepest(self.bins)
            deep = Sensitivity(apart.l0 * depth, apart.l1 * depth, apart.li)
            for each in candidates(Vectors(Integers()), deep, epsilon, delta, noise):
                tree = CountInTree(self.bins, self.at, fan, depth, each.mechanism)  # type: ignore[arg-type]  # It adds.
                found.append(Candidate.of(each.law, tree))
        return tuple(sorted(found, key=lambda each: self._wrong(each.mechanism.noise)))

    def _wrong(self, noise: Any) -> float:
        return noise.radius(ERROR) if self.ends_share else noise.usual  # type: ignore[no-any-return]

    def _by_rank(self, epsilon: Fraction) -> CutByRank:
        """Return the cut by rank within an epsilon for each group."""
        ends = sum((q > 0) + (q < 1) for q in self.at)
        points, end = (1 - self.ends_share) * epsilon, self.ends_share * epsilon / ends
        made = CutByRank(self.bins, self.at, points, end)
        if not made.fits:
            raise ParameterError("epsilon", epsilon, "more: there are no numbers for noise of this size")
        return made

    def finish(self, noisy: Sequence[int], needed: Sequence[Sequence[Any]]) -> list[float]:
        """Return the values at the bins, which come before those of the ends."""
        return self._values(noisy)[0]

    def _values(self, noisy: Sequence[int]) -> list[list[float]]:
        """Return what is at bins: the values, their lower ends and their upper ends."""
        low, high = self.span  # A grid may be wider than they are apart.
        values = [float(min(max((self.bounds[0] + place) * self.grid, low), high)) for place in noisy]
        many = len(noisy) // 3
        return [values[:many], values[many : 2 * many], values[2 * many :]]

    def ends(self, column: Column, error: Fraction) -> Ends:
        """Return the ends that were released with the values; where they are to hold more often, the bounds."""
        values, low, high = self._values(column.drawn)
        if error < ERROR:
            low, high = ([float(end)] * len(values) for end in self.span)
        return np.array(low), np.array(high)

    def to_dict(self) -> dict[str, Any]:
        """Return what a receipt says about it."""
        said = super(Quantile, self).to_dict()
        return said | {"at": [str(q) for q in self.at], "ends": str(self.ends_share)}


@final
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Histogram(Value):
    """How many people there are in each bin of a column, by their own mean of it in the group.

    The *edges* are the ends of the bins, of which each begins a bin that ends below the next; the last belongs to the
    last bin. What is below the first counts in the first bin, and what is above the last in the last.

    Values and edges are rounded to multiples of the *grid*. Without one, it cuts the range into some 2**16 steps, and
    has all edges, unless these have too little in common.

    >>> [view.label for view in Histogram("age", 0, 18, 65, 120).views]
    ['age 0 to 18', 'age 18 to 65', 'age 65 to 120']
    >>> Histogram("age", 0, 18, 65, 120).grid, Histogram("share", 0, "0.7", 1).grid
    (Fraction(1, 1024), Fraction(1, 81920))
    """

    kind: ClassVar = "histogram"
    unit: ClassVar = Fraction(1)
    steps: ClassVar = (0, 1)

    edges: tuple[Fraction, ...]

    def __init__(self, column: str, /, *edges: Exact, grid: Exact | None = None, name: str | None = None) -> None:
        found = tuple(exact(edge, "edges") for edge in edges)
        if not 2 <= len(found) <= _MOST_BINS + 1 or any(a >= b for a, b in pairwise(found)):
            raise ParameterError("edges", edges, f"2 to {_MOST_BINS + 1} numbers, each greater than the one before it")
        unit = _shared(found, self._power(found[0], found[-1])) if grid is None else grid
        super(Histogram, self).__init__(column, found[0], found[-1], unit, name=name)
        freeze(self, edges=found)
        if any(a == b for a, b in pairwise(self._places)):
            raise ParameterError("grid", grid, "a grid on which no two edges are the same")

    def __repr__(self) -> str:
        edges = "".join(f"{edge!r}, " for edge in self.edges)
        return f"Histogram({self.column!r}, {edges}grid={self.grid!r}, name={self.name!r})"

    @staticmethod
    def _step(low: Fraction, high: Fraction) -> Fraction:
        """Return a part of the range between the bounds, as far as numbers reach."""
        return max((high - low) / (1 << 16), max(abs(low), abs(high)) / (1 << 30))

    @property
    def bins(self) -> int:
        """How many bins there are."""
        return len(self.edges) - 1

    @property
    def views(self) -> tuple[Bin, ...]:
        """The bins."""
        of = self.column if self.name is None else self.name
        return tuple(Bin(f"{of} {_short(low)} to {_short(high)}") for low, high in pairwise(self.edges))

    @property
    def note(self) -> str:
        """What becomes of values beyond the bounds, and which bin an edge belongs to."""
        means = f"Of each person, the mean of their own {self.column} counts, in one bin,"
        means += f" rounded to a multiple of {float(self.grid):g}."
        return f"{super(Histogram, self).note} {means} A bin begins with its first number and ends below its last."

    def bin(self, each: Any, s: Any) -> Any:
        """Return how many of the edges between bins are not above each person's mean."""
        mean, place = self.own_mean(each, s), 0
        for edge in self._places[1:-1]:
            place = place + (mean >= edge).ifelse(1, 0)  # proof: edges
        return place if self.bins > 1 else mean * 0

    @property
    def _places(self) -> list[int]:
        """The edges in units of the grid, rounded as values are."""
        return [nearest(edge / self.grid) for edge in self.edges]

    def read(self, totals: Histograms, people: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the counts, of all groups for each bin in turn."""
        return totals.dense(self.bins).T.ravel()

    def laws(
        self, domain: Maps | Vectors, apart: Sensitivity, epsilon: Fraction, delta: Fraction, noise: str
    ) -> tuple[Candidate, ...]:
        """Return the laws of noise for the counts of all bins, of which a person changes one in each group."""
        return candidates(Vectors(Integers()), apart, epsilon, delta, noise)

    def to_dict(self) -> dict[str, Any]:
        """Return what a receipt says about it."""
        return super(Histogram, self).to_dict() | {"edges": [str(edge) for edge in self.edges]}


@final
@dataclass(frozen=True, slots=True, init=False)
class Bin(Aggregate):
    """One bin of a histogram, as a column of an answer: how many people are in it."""

    kind: ClassVar = "bin"
    unit: ClassVar = Fraction(1)
    steps: ClassVar = (0, 1)

    name: str

    def __init__(self, name: str) -> None:
        freeze(self, name=checked_name(name))

    @property
    def words(self) -> str:
        """Its name."""
        return self.name


def _shared(edges: Sequence[Fraction], power: Fraction) -> Fraction:
    """Return a grid that has all edges: a power of two, or one about as fine; or that power, where there is none.

    >>> [str(_shared([Fraction(edge) for edge in edges], Fraction(1, 64))) for edges in (("1", "3/4"), ("1", "0.7"))]
    ['1/64', '1/80']
    """
    parts = lcm(*(edge.denominator for edge in edges))
    common = Fraction(gcd(*(int(edge * parts) for edge in edges)), parts)
    unit = common / (1 << (ceil(common / power) - 1).bit_length())
    fits = max(unit.numerator, unit.denominator) < 1 << 53 and max(map(abs, edges)) <= MOST * unit
    return unit if fits and (common / power).denominator > 1 else power


def _short(x: Fraction) -> str:
    return written(x, up=True)
