"""Spread: in how many groups people are, by a noisy histogram, and so what a bound on them leaves out.

A person is in one bin, by the number of their groups; where rows are counted, or distinct values, by the number of
those and by how much of them the bounds keep. So adding or removing a person changes one count by 1, whatever the
person did.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, final

from discreet.noise import Noise

__all__ = ["QUARTERS", "SIZES", "LeftOut", "Sizes", "Spread"]

SIZES: Final = (1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32, 64)
"""The upper ends of the bins. Whoever is in more groups than the last one is taken to be in that many."""
QUARTERS: Final = (4, 3, 2, 1, 0)
"""How many whole quarters of a person's rows are kept."""
_ERROR: Final = Fraction(1, 20)


@final
@dataclass(frozen=True, slots=True)
class LeftOut:
    """The share of people's groups, rows or values that bounding left out: an estimate and a 95 % interval.

    Of a person in more than 64 groups, or with more rows or values, 64 are counted.
    """

    share: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.share:.1%} ({self.low:.1%} to {self.high:.1%})"


@final
@dataclass(frozen=True)
class Spread:
    """Noisy numbers of people by the number of their groups; or by the number of their rows, and how much is kept.

    *counts* has a number for each of `SIZES`, or for each pair of `SIZES` and `QUARTERS`; *noise* is the law of the
    noise in each. Nobody has more than *most* groups, where that is known.

    >>> from discreet import Laplace
    >>> spread = Spread((9000, 600, 400, *[0] * 9), Laplace(10), most=3)
    >>> print(spread.left_out(1))
    12.3% (11.4% to 13.1%)
    >>> print(spread.left_out(2))
    3.5% (3.2% to 3.8%)
    """

    counts: tuple[int, ...]
    noise: Noise
    most: int | None = None

    @property
    def learned(self) -> bool:
        """Whether there are more people than six standard deviations of the noise in their number.

        >>> from discreet import Laplace
        >>> Spread((100, *[0] * 11), Laplace(10)).learned, Spread((1000, *[0] * 11), Laplace(10)).learned
        (False, True)
        """
        return self.noise.second_moment * (36 * len(self.counts)) < max(sum(self.counts), 0) ** 2

    def reaches(self, bound: int) -> bool:
        """Whether some of the people whom a bound cuts are told from those whom it does not.

        >>> Spread((0,) * 12, Fraction(10)).reaches(64), Spread((0,) * 12, Fraction(10), most=50).reaches(64)
        (False, True)
        """
        within = self.most is not None and self.most <= SIZES[-1]
        return within or bound < SIZES[-1] or len(self.counts) > len(SIZES)

    def known(self, bound: int) -> LeftOut | None:
        """Return the share that a bound leaves out; None where the noise, or a large bound, hides it.

        >>> from discreet import Laplace
        >>> Spread((100, *[0] * 11), Laplace(10)).known(1) is None
        True
        """
        return self.left_out(bound) if self.learned and self.reaches(bound) else None

    def left_out(self, bound: int) -> LeftOut:
        """Return the share of people's groups that is left out where each counts in at most *bound* of them.

        All counts at once are within their reach with probability 95 %; the bins that weigh most have most of the rest.
        Between such counts, and between the ends of the bins, the share is greatest where the bins of large shares
        weigh as much as they can and the others as little, and the share that is kept likewise.
        """
        shares, total = self._shares(bound), sum(largest for _, largest in self._sizes)
        weights = []
        for n, (smallest, largest) in zip(self.counts, self._sizes, strict=True):
            reach = self.noise.radius(_ERROR * largest / total) if largest else 0
            weights.append((max(n - reach, 0) * smallest, max(n + reach, 0) * largest))
        high = _greatest((*weight, most) for weight, (_, most) in zip(weights, shares, strict=True))
        low = 1 - _greatest((*weight, 1 - least) for weight, (least, _) in zip(weights, shares, strict=True))
        return LeftOut(min(max(self._estimate(bound), low), high), low, high)

    def _estimate(self, bound: int) -> float:
        """Return the share left out by the fitted counts, each bin's people in its middle."""
        middles = [(low + high) / 2 for low, high in self._sizes]
        if len(self.counts) == len(SIZES):
            lost = [max(1 - bound / (middle or 1), 0.0) for middle in middles]
        else:
            lost = [(least + most) / 2 for least, most in self._shares(bound)]
        units = [n * middle for n, middle in zip(self._fitted, middles, strict=True)]
        return sum(unit * part for unit, part in zip(units, lost, strict=True)) / (sum(units) or 1)

    @cached_property
    def _sizes(self) -> list[tuple[int, int]]:
        """The least and the greatest number of groups in each bin; (0, 0) in one that nobody can be in."""
        ends = [(low + 1, high) for low, high in zip((0, *SIZES), SIZES, strict=False)]
        if self.most is not None:
            ends = [(low, min(high, self.most)) if low <= self.most else (0, 0) for low, high in ends]
        return [end for end in ends for _ in range(len(self.counts) // len(SIZES))]

    def _shares(self, bound: int) -> list[tuple[float, float]]:
        """Return the least and the greatest share that is left out of what a person in each bin has."""
        if len(self.counts) > len(SIZES):
            quarters = [(0.0, 0.0), *((1 - (q + 1) / 4, 1 - q / 4) for q in QUARTERS[1:])]
            return quarters * len(SIZES)
        return [(max(1 - bound / (low or 1), 0.0), max(1 - bound / (high or 1), 0.0)) for low, high in self._sizes]

    @cached_property
    def _fitted(self) -> list[float]:
        """The counts without what may be noise alone: how many people are in a bin or beyond it never grows.

        Beyond the last bin at which those who are there or beyond are more than noise may be, there is nobody.
        """
        width = len(self.counts) // len(SIZES)
        rows = [self.counts[i : i + width] for i in range(0, len(self.counts), width)]
        beyond = [float(sum(sum(row) for row in rows[i:])) for i in range(len(rows))]
        noise = self.noise.deviation / 2**0.5
        seen = [i for i, n in enumerate(beyond) if n > noise * (3 + 4 * (width * (len(rows) - i)) ** 0.5)]
        kept = _falling(beyond[: max(seen, default=-1) + 1])
        kept += [0.0] * (len(rows) + 1 - len(kept))
        people = [a - b for a, b in pairwise(kept)]
        return [n * part for n, row in zip(people, rows, strict=True) for part in _parts(row)]


@final
@dataclass(frozen=True, slots=True)
class Sizes:
    """The bins that people are counted in: by the number of their groups.

    Where *rows* of a person count, it is by the number of their rows; and, in *groups*, by how much of them is kept.
    With *values*, it is by distinct values in the place of rows: those of the aggregate at that place.
    """

    rows: int | None = None
    groups: bool = True
    values: int | None = None

    @property
    def words(self) -> str:
        """What a share of is learned."""
        return "groups" if self.rows is None else "rows" if self.values is None else "values"

    @property
    def count(self) -> int:
        """How many bins there are."""
        return len(SIZES) * (1 if self.rows is None or not self.groups else len(QUARTERS))

    def counted(self, each: Any) -> Any:
        """Return how many rows, or distinct values, people have in a group."""
        return each.n if self.values is None else each.d

    def of_people(self, each: Any, who: list[str]) -> dict[str, Any]:
        """Return what a person's bin is computed from, for rows of people and groups, of that person's rows alone."""
        import ibis

        window = ibis.window(group_by=[each[p] for p in who], order_by=each.v, rows=(None, None))
        columns = {"groups": each.count()}
        if self.rows is not None:
            counted = self.counted(each)
            columns |= {"rows": counted.sum(), "kept": counted.clip(upper=self.rows).sum()}
        return {name: column.over(window).cast("float64") for name, column in columns.items()}

    def bin(self, each: Any, max_groups: int = 1) -> Any:
        """Return the number of a person's bin, from 1 on."""
        if not self.groups:
            return _place(self.counted(each)) + 1
        place = _place(each.groups if self.rows is None else each.rows)
        if self.rows is None:
            return place + 1
        kept = each.kept / each.rows * (each.groups.clip(upper=max_groups) / each.groups)
        return place * len(QUARTERS) + (QUARTERS[0] + 1 - (kept * 4).floor().cast("int64"))


def _place(size: Any) -> Any:
    """Return the place of the bin that a number of groups or rows is in."""
    import ibis

    place = ibis.literal(len(SIZES) - 1, "int64")
    for i, edge in reversed(list(enumerate(SIZES[:-1]))):
        place = (size <= edge).ifelse(i, place)
    return place.cast("int64")


def _greatest(bins: Iterable[tuple[float, float, float]]) -> float:
    """Return the greatest mean of some shares, whose weights are each between two bounds.

    >>> _greatest([(1, 3, 0.0), (1, 1, 1.0)]), _greatest([(0, 1, 0.5), (0, 0, 1.0)])
    (0.5, 0.5)
    """
    ordered = sorted(bins, key=lambda each: -each[2])
    best = 0.0
    for heavy in range(1, len(ordered) + 1):
        weights = [high if i < heavy else low for i, (low, high, _) in enumerate(ordered)]
        if total := sum(weights):
            best = max(best, sum(w * share for w, (_, _, share) in zip(weights, ordered, strict=True)) / total)
    return best


def _falling(values: list[float]) -> list[float]:
    """Return the nearest values that never grow, by pooling neighbours that do [Ayer et al. 1955].

    >>> _falling([5.0, 1.0, 3.0, 0.0])
    [5.0, 2.0, 2.0, 0.0]
    """
    pools: list[tuple[float, int]] = []
    for value in values:
        total, size = value, 1
        while pools and pools[-1][0] / pools[-1][1] < total / size:
            before, many = pools.pop()
            total, size = total + before, size + many
        pools.append((total, size))
    return [total / size for total, size in pools for _ in range(size)]


def _parts(row: tuple[int, ...]) -> list[float]:
    """Return how the people of a size are divided among the quarters, with none where a count is below 0."""
    counts = [max(n, 0) for n in row]
    return [n / sum(counts) for n in counts] if any(counts) else [1.0, *[0.0] * (len(row) - 1)]
