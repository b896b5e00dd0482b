"""Quantiles of histograms, each with the ends of its interval: cut at their ranks, or read from noisy counts.

Theorem.  At a cut between two bins, the people below it are F = c - q n beyond the rank that is asked for, which one
person moves by 1 - q or by -q; so a cut by rank (cuts.py) at scale 2 max(q, 1 - q) / epsilon loses epsilon. Of several
quantiles, each is cut between those before it, and people beyond those move it less (nested.py). Each person adds 1 to
one node at each depth of a tree of counts. The ends hold every q-quantile with probability 95 %.
Proof: quantiles.md, which cites the marked lines.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, final

import numpy as np

from discreet.coins import Coins
from discreet.core import Measurement, numbers
from discreet.events import Event
from discreet.measures import Loss, MaxDivergence, Measure, Pure
from discreet.mechanisms.add_noise import AddNoise
from discreet.metrics import L01InfDistance, Sensitivity
from discreet.noise import Noise
from discreet.reals import Number, float_down, float_up, ln
from discreet.tables.cuts import Cuts
from discreet.tables.histograms import Histograms, HistogramsOf
from discreet.tables.nested import Turn, moved, turns

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ERROR", "CountInTree", "CutByRank", "RankError", "deepest"]

ERROR: Final = Fraction(1, 20)
"""How often an interval may miss."""
_HALF: Final = Fraction(1, 2)
_TRIES: Final = 48
"""At how many exponents the bound on a sum of noises is tried; each is one, and the least is taken."""
_LEAST: Final = Fraction(1, 1 << 12)
"""How far below the deviation's inverse exponents are looked for."""
_SLACK: Final = 1 + 1e-9
"""More than floats may be off."""
_ENDLESS: Final = 2.0**1000
"""Stands for distances that are no floats; those of 2**56 are refused."""
_FAR: Final = 1 << 56
"""Ranks, in the units in which they are compared, that no number of people reaches."""


@dataclass(frozen=True, slots=True)
class RankError:
    """How many people may be between a released value and the rank that was asked for: a law by its tail.

    A bin beyond one of the *cuts* whose rank is off by r is released with a probability of at most exp(-r / scale) / 2,
    for each. The first and the last rank, which no one is beyond, are *moved* inwards besides.

    >>> RankError(Fraction(1), 1023).radius(Fraction(1, 20))
    10
    """

    scale: Fraction
    cuts: int
    moved: Fraction = Fraction(0)

    @property
    def deviation(self) -> float:
        """A bound on the root of the mean square: of an error that is bounded by its tail."""
        few = float_up(ln(Fraction(max(self.cuts, 2), 2)))
        return float_up(self.scale) * math.sqrt(few * few + 2 * few + 2) + float_up(self.moved)

    @property
    def usual(self) -> float:
        """What the error is about, where there are not many more bins than people."""
        return float_up(self.scale + self.moved)

    def radius(self, error: Fraction, /) -> int:
        """Return a number of people that the error is below, except with probability *error*."""
        return math.ceil(self.moved + reach(self.scale, self.cuts, error))


@final
@dataclass(frozen=True, slots=True)
class RankNoise:
    """The noise in the rank of a value, which is a sum of noisy counts of a tree."""

    of: CountInTree

    @property
    def deviation(self) -> float:
        """A bound on the standard deviation, of the quantile that has the greatest."""
        most = max(Fraction(_most(q), q.denominator) for q in self.of.at)
        return float_up(most) * math.sqrt(self.of.nodes) * self.of.adding.noise.deviation

    @property
    def usual(self) -> float:
        """What it is about: the mean, over the quantiles, of a normal law without its sign.

        Its variance is that of a rank which has as many counts below it as above.
        """
        parts = [float(q * q + (1 - q) ** 2) for q in self.of.at]
        mean = sum(math.sqrt(self.of.nodes * part / math.pi) for part in parts) / len(parts)
        return mean * self.of.adding.noise.deviation

    def radius(self, error: Fraction, /) -> int:
        """Return a number of people that bounds it, for any one value, except with probability *error*."""
        return math.ceil(max(float(self.of.far(q, error / 2).max()) / q.denominator for q in self.of.at))


def _most(q: Fraction) -> int:
    """Return by how much a person moves a rank from the one that is asked for, in parts of it."""
    return max(q.numerator, q.denominator - q.numerator)


def reach(scale: Fraction, cuts: int, error: Fraction) -> Fraction:
    """Return s ln(cuts / (2 error)), rounded up: what errors are below, except with a probability of *error*."""
    if scale == 0 or cuts <= 2 * error:
        return Fraction(0)
    far = float_up(scale * ln(Fraction(cuts) / (2 * error)))  # proof: reach
    return Fraction(min(far, _ENDLESS))


@final
@dataclass(frozen=True)
class CutByRank(Measurement[Any, Any]):
    """Of each group and each quantile *at*, the bin where all bins are cut at a rank, and an interval's ends likewise.

    All quantiles together cost the epsilon *points* in each group that a person is in, and each of their ends the
    epsilon *end*, if there are any. Each is cut between those that were cut before it. What is drawn has, for each
    quantile, the bins of all groups, then the lower and the upper ends.

    >>> cut = CutByRank(100, (Fraction(1, 2),), Fraction(1, 2), Fraction(1, 4))
    >>> cut.privacy_map((3, 3, 1))
    3.0
    """

    output_measure: ClassVar[MaxDivergence] = MaxDivergence()
    input_metric: ClassVar[L01InfDistance] = L01InfDistance()

    bins: int
    at: tuple[Fraction, ...]
    points: Fraction
    end: Fraction

    @property
    def input_domain(self) -> HistogramsOf:
        """Histograms of so many bins."""
        return HistogramsOf(self.bins)

    @property
    def ends(self) -> int:
        """How many ends are drawn: nothing is below the first value, or above the last."""
        return sum((q > 0) + (q < 1) for q in self.at) if self.end else 0

    def loss(self, d_in: tuple[int, int, int], /) -> Pure:
        """Return what all choices lose, times in how many groups how many people differ."""
        apart = Sensitivity(*self.input_metric.check(d_in)).tightest()
        return Pure(apart.l1 * self._each)  # proof: loss

    @property
    def _each(self) -> Fraction:
        """What one person's group loses."""
        return self.points + self.ends * self.end

    def event(self, d_in: tuple[int, int, int], /) -> Event:
        """Return moves for the points and for each end in each group, where these differ by as many people each."""
        apart = Sensitivity(*self.input_metric.check(d_in)).tightest()
        moves = [(apart.l1 * self._each, 1)]
        if apart.l1 == apart.l0 * apart.li and apart.l0:
            each = ((self.points, 1), (self.end, self.ends))
            moves = [(apart.li * epsilon, apart.l0 * many) for epsilon, many in each if many]  # proof: moves
        return Event.of(moves=moves, mechanism=type(self).__name__, sensitivity=apart, parameters=numbers(self))

    def sample(self, x: Histograms, coins: Coins, /) -> NDArray[np.int64]:
        """Draw the bins, some groups at a time."""
        parts = [self._drawn(counts, coins) for counts in x.chunks(self.bins)]
        return np.concatenate([np.empty((3 * len(self.at), 0), np.int64), *parts], axis=1).ravel()

    def law(self, x: Histograms, /) -> Mapping[tuple[int, ...], Number]:
        """Return the probability of each outcome, for a single group."""
        up_to = np.cumsum(x.dense(self.bins), axis=1)
        drawn: list[tuple[_Places, Number]] = [({}, Fraction(1))]
        for choice in self._choices:
            drawn = [
                (places | {choice.name: np.array([place])}, p * chance)
                for places, p in drawn
                for place, chance in self._cuts(up_to, choice, places).law(0, choice.scale).items()
            ]
        found: dict[tuple[int, ...], Number] = {}
        for places, p in drawn:
            outcome = tuple(self._rows(places).ravel().tolist())
            found[outcome] = found.get(outcome, Fraction(0)) + p
        return found

    def _drawn(self, counts: NDArray[np.int64], coins: Coins) -> NDArray[np.int64]:
        """Return a row for each quantile, and each end, of the groups that have these counts."""
        up_to, places = np.cumsum(counts, axis=1), _Places()
        for choice in self._choices:
            places[choice.name] = self._cuts(up_to, choice, places).draw(choice.scale, coins)
        return self._rows(places)

    @cached_property
    def _choices(self) -> tuple[_Choice, ...]:
        """The choices in the order in which they are made: the quantiles, each in its turn, and then all ends."""
        made = [_Choice((turn.which, 0), turn, self._moved(turn), self._point(turn)) for turn in turns(self.at)]
        for i, q in enumerate(self.at if self.end else ()):
            turn, scale = Turn(i, None, None), self._scale(q, moved((q,)), self.end)
            made += [_Choice((i, -1), turn, -self._far(q), scale)] if q > 0 else []  # proof: lower
            made += [_Choice((i, 1), turn, self._far(q), scale)] if q < 1 else []  # proof: upper
        return tuple(made)

    def _cuts(self, up_to: NDArray[np.int64], choice: _Choice, places: _Places) -> Cuts:
        """Return how far the people below each cut are beyond the rank, and the bins that bound the choice."""
        which, lower, upper = choice.turn
        q = self.at[which]
        ranks = q.denominator * up_to[:, :-1] - (q.numerator * up_to[:, -1:] + choice.move)  # proof: ranks
        cuts = Cuts.all(ranks)
        first = cuts.first if lower is None else places[lower, 0]  # proof: before
        last = cuts.last if upper is None else places[upper, 0]  # proof: after
        return cuts._replace(first=first, last=last)

    def _rows(self, places: _Places) -> NDArray[np.int64]:
        """Return the bin and the ends of each quantile; an end that was not drawn is that of all bins."""
        rows = []
        for i in range(len(self.at)):
            point = places[i, 0]
            lower = places.get((i, -1), np.zeros_like(point))
            upper = places.get((i, 1), np.full_like(point, self.bins - 1))
            rows += [point, np.minimum(lower, point), np.maximum(upper, point)]
        return np.array(rows)

    def _scale(self, q: Fraction, ranks: Fraction, epsilon: Fraction) -> Fraction:
        """Return the scale of a choice, in parts of a rank, of which q is so many."""
        return q.denominator * ranks / epsilon  # proof: scale

    @cached_property
    def _together(self) -> Fraction:
        """By how many ranks a person moves all quantiles."""
        return moved(self.at)

    def _point(self, turn: Turn) -> Fraction:
        """Return the scale of a quantile, which is that of all, in ranks."""
        return self._scale(self.at[turn.which], self._together, self.points)

    def _far(self, q: Fraction) -> int:
        """Return how far the ends' ranks are from the quantile's: farther than their errors, with probability 95 %."""
        half = self._scale(q, moved((q,)), self.end) / 2
        return max(math.ceil(reach(half, self.bins - 1, ERROR / 2)), 1)  # proof: far

    def _moved(self, turn: Turn) -> int:
        """Return by how much the first and the last rank are moved inwards: else any value beyond would do."""
        q, far = self.at[turn.which], math.ceil(reach(self._point(turn) / 2, self.bins - 1, _HALF))
        return 0 if 0 < q < 1 else far if q == 0 else -far

    @property
    def fits(self) -> bool:
        """Whether all ranks are numbers of 64 bits."""
        return all(abs(choice.move) < _FAR for choice in self._choices)

    @cached_property
    def noise(self) -> RankError:
        """The error of the ranks, of the quantile that has the greatest."""
        moves = [Fraction(abs(self._moved(turn)), self.at[turn.which].denominator) for turn in turns(self.at)]
        cuts = (self.bins - 1) * len(self.at).bit_length()  # proof: chain
        return RankError(self._together / self.points / 2, cuts, max(moves))


class _Choice(NamedTuple):
    """A choice: of which quantile, and -1, 0 or 1 for its lower end, the value or the upper end; and all it needs."""

    name: tuple[int, int]
    turn: Turn
    move: int
    scale: Fraction


_Places = dict[tuple[int, int], Any]
"""The places of what was chosen, of all groups, by the choice's name."""


def deepest(bins: int) -> tuple[int, int]:
    """Return the fan-out and the depth of the tree whose ranks have the least noise.

    A rank is a sum of (fan - 1) depth + 1 counts, and the variance of each grows like depth squared.

    >>> deepest(8), deepest(100), deepest(1000), deepest(10**5)
    ((8, 1), (10, 2), (32, 2), (18, 4))
    """
    trees = []
    for depth in range(1, 18):
        fan = next(b for b in range(max(int(bins ** (1 / depth)) - 1, 1), bins + 1) if b**depth >= bins)
        trees.append((((fan - 1) * depth + 1) * depth**2, depth, fan))
    _, depth, fan = min(trees)
    return fan, depth


@final
@dataclass(frozen=True)
class CountInTree(Measurement[Any, Any]):
    """Of each group and each quantile *at*, a bin and the ends of its interval, from noisy counts of a tree's nodes.

    The leaves of the tree are the bins; each node has *fan* children, and is at most *depth* steps from the root, whose
    count is not needed. What is drawn is computed from the noisy counts, in the order of `ChooseByRank`.
    """

    input_metric: ClassVar[L01InfDistance] = L01InfDistance()

    bins: int
    at: tuple[Fraction, ...]
    fan: int
    depth: int
    adding: AddNoise

    @property
    def input_domain(self) -> HistogramsOf:
        """Histograms of so many bins."""
        return HistogramsOf(self.bins)

    @property
    def output_measure(self) -> Measure[Loss]:
        """That of the noise."""
        return self.adding.output_measure

    def apart(self, d_in: tuple[int, int, int]) -> Sensitivity:
        """Return how far apart the counts of all nodes are: a person is in one of each depth."""
        l0, l1, li = self.input_metric.check(d_in)
        return Sensitivity(l0 * self.depth, l1 * self.depth, li)  # proof: depth

    def loss(self, d_in: tuple[int, int, int], /) -> Loss:
        """Return what the noise loses."""
        return self.adding.loss(self.apart(d_in))

    def event(self, d_in: tuple[int, int, int], /) -> Event:
        """Return what the noise tells."""
        return self.adding.event(self.apart(d_in))

    def sample(self, x: Histograms, coins: Coins, /) -> NDArray[np.int64]:
        """Draw the counts, some groups at a time, and compute the bins."""
        parts = [self._read(*self._ranks(counts, coins)) for counts in x.chunks(self.fan**self.depth)]
        return np.concatenate([np.empty((3 * len(self.at), 0), np.int64), *parts], axis=1).ravel()

    def _ranks(self, counts: NDArray[np.int64], coins: Coins) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return noisy numbers of people below each bin, in it, and above it."""
        groups, leaves = counts.shape
        below = above = noisy = np.zeros((groups, 1, 1))
        for level in range(1, self.depth + 1):
            nodes = counts.reshape(groups, self.fan**level, -1).sum(axis=2)
            noisy = self.adding.sample(nodes.ravel(), coins).astype(float)  # proof: noisy
            noisy = noisy.reshape(groups, -1, self.fan)
            upto = np.cumsum(noisy, axis=2)
            below = (below + upto - noisy).reshape(groups, -1, 1)
            above = (above + upto[:, :, -1:] - upto).reshape(groups, -1, 1)
        return tuple(each.reshape(groups, leaves)[:, : self.bins] for each in (below, noisy, above))  # type: ignore[return-value]

    def _read(self, below: NDArray[Any], inside: NDArray[Any], above: NDArray[Any]) -> NDArray[np.int64]:
        """Return a row for each quantile and each of its ends."""
        rows, lefts = [], _lefts(self.bins, self.fan, self.depth)
        for q in self.at:
            up, down = q.denominator - q.numerator, q.numerator
            at_least = up * (below + inside) - down * above  # At the quantile, it is not negative;
            before = up * below - down * (inside + above)  # and before it, not positive.
            far = self.far(q, ERROR / 2)
            possible = (at_least >= -far[lefts + 1]) & (before <= far[lefts])  # proof: possible
            possible |= ~possible.any(axis=1, keepdims=True)
            move = ((q == 0) - (q == 1)) * self.far(q, _HALF).max()
            sums = np.cumsum(at_least - move, axis=1)
            point = np.argmin(np.hstack([np.zeros((len(sums), 1)), sums[:, :-1]]), axis=1)
            low, high = np.argmax(possible, axis=1), self.bins - 1 - np.argmax(possible[:, ::-1], axis=1)
            rows.append((point, low, high))
        points = np.sort([point for point, _, _ in rows], axis=0)  # No quantile is below a smaller one.
        places = np.argsort(np.argsort([float(q) for q in self.at], kind="stable"))
        return np.array(
            [
                row
                for place, (_, low, high) in zip(places, rows, strict=True)
                for row in (points[place], np.minimum(low, points[place]), np.maximum(high, points[place]))
            ]
        )

    @property
    def nodes(self) -> int:
        """How many counts a rank is made of: one in each place of a number in base *fan*, and the bin's own."""
        return (self.fan - 1) * self.depth + 1

    def far(self, q: Fraction, error: Fraction) -> NDArray[np.float64]:
        """Return what bounds a sum of noises, of which so many have the weight of those below, and the rest the other.

        By Chernoff's bound, at the best of several exponents.
        """
        return _far(self.adding.noise, self.nodes, q, error)

    @property
    def noise(self) -> RankNoise:
        """The noise of a rank."""
        return RankNoise(self)


@lru_cache(maxsize=256)
def _far(noise: Noise, nodes: int, q: Fraction, error: Fraction) -> NDArray[np.float64]:
    many, best = np.arange(nodes + 1), np.full(nodes + 1, np.inf)
    up, down = q.denominator - q.numerator, q.numerator
    unit = Fraction(max(noise.deviation, 1e-3)) * _most(q) * math.isqrt(nodes)
    first = Fraction(1, 2) / unit
    while first * unit > _LEAST and noise.log_moment(2 * _most(q) * first) is None:
        first /= 2  # The moments are those of a continuous law, which has more than a small integer noise.
    for i in range(_TRIES):
        t = Fraction((16.0 * math.sqrt(nodes)) ** (i / (_TRIES - 1))) * first
        below, above = noise.log_moment(up * t), noise.log_moment(down * t)
        if below is not None and above is not None:
            sums = many * float_up(below) + many[::-1] * float_up(above) + float_up(-ln(error))
            best = np.minimum(best, sums / float_down(t) * _SLACK)  # proof: chernoff
    return best


def _lefts(bins: int, fan: int, depth: int) -> NDArray[np.intp]:
    """Return how many counts are added up for what is below each bin: the sum of the digits of its number.

    >>> _lefts(10, 3, 3).tolist()
    [0, 1, 2, 1, 2, 3, 2, 3, 4, 1]
    """
    number = np.arange(bins)
    return np.asarray(sum(number // fan**i % fan for i in range(depth)))
