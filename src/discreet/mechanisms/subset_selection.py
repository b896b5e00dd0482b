"""Subset selection over k categories [Wang et al. 2016; Ye and Barg 2018].

Theorem.  For d/k <= p < 1, a set of d categories that holds the truth with probability p, and is uniform given whether
it does, is ln(p (k - d) / ((1 - p) d))-DP between any two answers.
Proof: subset_selection.md, which cites the marked lines.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any, ClassVar, Final, final

import numpy as np

from discreet.coins import SYSTEM, Coins, fields
from discreet.core import Measurement
from discreet.domains import Anything, Categories
from discreet.errors import ParameterError, UnsupportedError
from discreet.exact import Exact, exact, whole
from discreet.frozen import freeze
from discreet.measures import INFINITE, MaxDivergence, Pure, amount
from discreet.mechanisms._bits import packed_reports, unpack
from discreet.metrics import DiscreteDistance
from discreet.reals import Number, exp, float_down, ln, sign
from discreet.samplers import Table, below, below_many, bernoulli, bernoulli_many

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SubsetSelection"]

_MOST_LAW: Final = 1 << 16
_MOST_SETS: Final = 1 << 14
"""Up to this many sets are drawn from one table."""
_MOST_MASK: Final = 63
"""A set of more places does not fit a table's value."""
_MOST_KEY: Final = (1 << 32) - 1
_SCRATCH: Final = 1 << 14
"""Keys drawn at a time, so that scratch memory stays in the processor's cache."""


@final
@dataclass(frozen=True, slots=True, init=False)
class SubsetSelection(Measurement[Any, Any]):
    """Report a set of *size* categories that holds the true one with probability *prob*.

    Given that it does, or that it does not, the rest of the set is uniform over the other categories. With *size* 1
    this is randomized response. An answer outside the categories gets a uniform set: refusing it would tell.

    >>> m = SubsetSelection(categories=("a", "b", "c"), size=2, prob="4/5")
    >>> m.privacy_map(1)                                                                # ln 2
    0.6931471805599454
    >>> m.law("a")
    {('a', 'b'): Fraction(2, 5), ('a', 'c'): Fraction(2, 5), ('b', 'c'): Fraction(1, 5)}
    >>> m.release("a") in m.law("a")
    True
    """

    input_domain: ClassVar[Anything] = Anything()
    input_metric: ClassVar[DiscreteDistance] = DiscreteDistance()
    output_measure: ClassVar[MaxDivergence] = MaxDivergence()

    categories: Categories
    size: int
    prob: Fraction

    def __init__(self, *, categories: Iterable[Any] | Categories, size: int, prob: Exact) -> None:
        cats, p = Categories.of(categories, least=2), exact(prob, "prob")
        d, k = _size(size, len(cats)), len(cats)
        if not Fraction(d, k) <= p <= 1:  # proof: range
            raise ParameterError("prob", prob, f"{d}/{k} <= prob <= 1, compared exactly")
        freeze(self, categories=cats, size=d, prob=p)

    @classmethod
    def within(
        cls, *, epsilon: Exact, categories: Iterable[Any] | Categories, size: int | None = None
    ) -> SubsetSelection:
        """Return the mechanism whose sets hold the truth most often within a budget; *prob* is a float, or d/k.

        Unless a size is given it is the one that makes estimates least noisy, next to k / (exp(epsilon) + 1).

        >>> m = SubsetSelection.within(epsilon=1, categories=range(10))
        >>> m.size, float(m.prob), m.privacy_map(1) <= 1
        (3, 0.5381015262244488, True)
        """
        cats, budget = Categories.of(categories, least=2), min(amount(epsilon), Fraction(1000))
        k = len(cats)
        d = _best_size(budget, k) if size is None else _size(size, k)
        p = Fraction(float_down(1 / (1 + exp(-budget) * Fraction(k - d, d))))  # Beyond 1000 no float lies between.
        return cls(categories=cats, size=d, prob=max(p, Fraction(d, k)))  # proof: within

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """The probabilities that a report holds the truth, and that it holds any one other category.

        They are those of an answer among the categories; any other answer's set holds each with probability d/k.

        >>> SubsetSelection(categories=("a", "b", "c"), size=2, prob="4/5").support
        (Fraction(4, 5), Fraction(3, 5))
        """
        p, d, k = self.prob, self.size, len(self.categories)
        return p, (p * (d - 1) + (1 - p) * d) / (k - 1)  # proof: support

    def loss(self, d_in: int, /) -> Pure:
        """Return ln(p (k - d) / ((1 - p) d)), or 0 between equal answers."""
        if self.input_metric.check(d_in) == 0:
            return self.output_measure.zero
        p, d, k = self.prob, self.size, len(self.categories)
        return Pure(INFINITE if p == 1 else ln(p * (k - d) / ((1 - p) * d)))  # proof: map

    def sample(self, x: Any, coins: Coins, /) -> tuple[Any, ...]:
        """Draw a set, in the order of the categories. The same number of coins is drawn whatever the answer."""
        values, d, k = self.categories.values, self.size, len(self.categories)
        place, p, stand_in = self.categories.index(x), self.prob, below(k, coins)
        if place < 0:
            place, p = stand_in, Fraction(d, k)  # proof: foreign
        others = [*range(place), *range(place + 1, k)]
        for i in range(d):
            j = i + below(k - 1 - i, coins)
            others[i], others[j] = others[j], others[i]  # proof: shuffle
        if bernoulli(p, coins):
            others[0] = place  # proof: exchange
        return tuple(values[i] for i in sorted(others[:d]))

    def release_many(self, xs: Sequence[Any] | NDArray[Any], /) -> NDArray[np.bool_]:
        """Return an (n, k) array for many people, each independently: which categories are in each one's set.

        >>> SubsetSelection(categories=("a", "b"), size=1, prob=1).release_many(["a", "b"])
        array([[ True, False],
               [False,  True]])
        """
        return unpack(self.release_packed(self.categories.places(xs)), len(self.categories))

    def release_packed(self, places: NDArray[Any], /) -> NDArray[np.uint8]:
        """Return the sets of answers given by their places, as bytes; -1 stands for any other answer.

        Category i is in a set where bit i % 8, from the lowest, of byte i // 8 is 1.

        >>> SubsetSelection(categories=range(10), size=1, prob=1).release_packed(np.array([0, 9]))
        array([[1, 0],
               [0, 2]], dtype=uint8)
        """
        k = len(self.categories)
        if k <= _MOST_MASK and _at_most(_MOST_SETS, k, self.size):
            return packed_reports(places, k, self._look_up, _SCRATCH >> 1)
        return packed_reports(places, k, self._compare_keys, _SCRATCH // k)

    def _look_up(self, places: NDArray[np.int64], out: NDArray[np.uint8]) -> None:
        """Fill *out* from a table of the sets as they are where the truth is category 0, turned to the truth."""
        d, k = self.size, len(self.categories)
        uniform = _sets(d, k, d, k)  # Made for any answers: that it is kept tells nothing of them.
        sets = _sets(self.prob.numerator, self.prob.denominator, d, k).draw(places.size, SYSTEM)
        foreign = np.flatnonzero(places < 0)
        if foreign.size:
            places[foreign] = below_many(k, foreign.size)
            sets[foreign] = uniform.draw(foreign.size, SYSTEM)  # proof: strangers
        turned = sets.view(np.uint64)
        wrapped = turned >> (k - places).view(np.uint64)
        turned <<= places.view(np.uint64)
        turned |= wrapped  # proof: turn
        turned &= np.uint64((1 << k) - 1)
        out[:] = turned.astype("<u8", copy=False).view(np.uint8).reshape(-1, 8)[:, : out.shape[1]]

    def _compare_keys(self, places: NDArray[np.int64], out: NDArray[np.uint8]) -> None:
        """Fill *out* with the truth, where it is to be in, and the other places whose random keys are least."""
        d, k = self.size, len(self.categories)
        honest = bernoulli_many(self.prob, places.size)
        foreign = np.flatnonzero(places < 0)
        if foreign.size:
            places[foreign] = below_many(k, foreign.size)
            honest[foreign] = bernoulli_many(Fraction(d, k), foreign.size)  # proof: outsiders
        todo = np.arange(places.size)
        while todo.size:
            keys = fields(SYSTEM, todo.size * k, 32).reshape(-1, k)
            truth = np.arange(todo.size), places[todo]
            ranked = keys.copy()
            ranked[truth] = np.where(honest[todo], 0, _MOST_KEY)
            ranked.partition(d, axis=1)
            sets = keys < ranked[:, d : d + 1]  # proof: keys
            sets[truth] = honest[todo]
            full = np.count_nonzero(sets, axis=1) == d  # proof: full
            out[todo[full]] = np.packbits(sets[full], axis=1, bitorder="little")
            todo = todo[~full]

    def law(self, x: Any, /) -> Mapping[tuple[Any, ...], Fraction]:
        """Return the probability of each set, where there are at most 2**16."""
        values, d, k = self.categories.values, self.size, len(self.categories)
        if not _at_most(_MOST_LAW, k, d):
            raise UnsupportedError(f"a law over more than {_MOST_LAW} sets is not written out")
        place, p = self.categories.index(x), self.prob
        inside, outside = p / comb(k - 1, d - 1), (1 - p) / comb(k - 1, d)
        if place < 0:
            inside = outside = Fraction(1, comb(k, d))
        law = {
            tuple(values[i] for i in chosen): inside if place in chosen else outside
            for chosen in combinations(range(k), d)
        }
        if len(law) < comb(k, d):
            raise UnsupportedError("a dict would merge categories such as 1 and True; their law is not written out")
        return law


def _size(size: int, k: int) -> int:
    d = whole(size, "size", least=1)
    if d >= k:
        raise ParameterError("size", size, f"size < {k}, the number of categories")
    return d


def _best_size(epsilon: Fraction, k: int) -> int:
    """Return the least of the sizes whose estimates have the least variance."""
    grow = exp(2 * epsilon)

    def no_larger_is_better(a: int) -> bool:
        return sign(grow * (a * (a + 1)) - (k - a) * (k - a - 1)) >= 0  # proof: size

    return 1 + bisect_left(range(1, k), True, key=no_larger_is_better)


def _at_most(most: int, k: int, d: int) -> bool:
    """Whether there are at most *most* sets of d places out of k; comb(k, m) >= 2**m where k >= 2 m."""
    m = min(d, k - d)
    return m < most.bit_length() and comb(k, m) <= most


@lru_cache(maxsize=16)
def _sets(num: int, den: int, d: int, k: int) -> Table:
    """The law of the set where the truth is place 0, with place i as bit i."""
    p = Fraction(num, den)
    law: list[Number] = []
    masks = []
    for first, size, mass in ((1, d - 1, p), (0, d, 1 - p)):
        chosen = [first + sum(1 << i for i in places) for places in combinations(range(1, k), size)]
        if mass:
            masks += chosen
            law += [mass / len(chosen)] * len(chosen)  # proof: table
    return Table(law, masks)
