"""Fitting: noisy tables of the same counts made to agree, by least squares and then in whole numbers that add up.

Theorem.  Let tables sum the cells of a product over some of its columns, each with independent noise of one variance.
`Fit.estimates` are the best linear unbiased estimates of all their totals, and `Fit.variance` is their variance.
`Whole.numbers` are non-negative integers, 0 where a cell is impossible, of which each table is the sum of any finer.
Proof: fitting.md, which cites the marked lines.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations, pairwise
from math import prod
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Axes", "Fit", "Whole", "reach", "work"]

Axes: TypeAlias = tuple[int, ...]
"""The columns of a table, in ascending order."""
_NEARLY: Final = 1e-9
"""What floats may lack of a whole number."""


def work(sizes: Iterable[int]) -> int:
    """Return how many totals a product of columns has, with all its sums.

    >>> work([2, 3])
    12
    """
    return prod(size + 1 for size in sizes)


@final
@dataclass(frozen=True)
class Fit:
    """Least squares for tables over a product of columns with so many keys each; a variance of 0 is no noise.

    >>> fit = Fit((2,), {(): 1.0, (0,): 1.0})
    >>> {axes: each.tolist() for axes, each in fit.estimates({(): np.array(9), (0,): np.array([4, 2])}).items()}
    {(): 8.0, (0,): [5.0, 3.0]}
    >>> [round(fit.variance(axes), 3) for axes in ((), (0,))]
    [0.667, 0.667]
    """

    sizes: tuple[int, ...]
    variances: Mapping[Axes, float]

    @cached_property
    def below(self) -> list[Axes]:
        """All tables that are sums of one that was measured, the smallest first."""
        found = chain.from_iterable(combinations(axes, n) for axes in self.variances for n in range(len(axes) + 1))
        return sorted(set(found), key=lambda axes: (len(axes), axes))

    def _weights(self, axes: Axes) -> tuple[dict[Axes, float], float]:
        """Return the weights of the tables that a total is summed from, and the variance of that mean."""
        over = {a: v * prod(self.sizes[i] for i in a if i not in axes) for a, v in self.variances.items()}
        over = {a: v for a, v in over.items() if set(axes) <= set(a)}
        known = [a for a, v in over.items() if v == 0]
        if known:
            return {known[0]: 1.0}, 0.0  # proof: known
        precision = sum(1 / v for v in over.values())
        return {a: 1 / v / precision for a, v in over.items()}, 1 / precision  # proof: weights

    def estimates(self, noisy: Mapping[Axes, NDArray[Any]]) -> dict[Axes, NDArray[np.float64]]:
        """Return the fitted totals of all tables below those that were measured, from noisy ones."""
        found: dict[Axes, NDArray[np.float64]] = {}
        sums = {a: self._sums(a, np.asarray(each, np.float64)) for a, each in noisy.items()}
        for axes in self.below:
            mean = sum((w * sums[a][axes] for a, w in self._weights(axes)[0].items()), np.zeros(()))
            for place in range(len(axes)):
                mean = mean - mean.mean(place, keepdims=True)  # proof: apart
            found[axes] = mean
        for i, size in enumerate(self.sizes):
            for axes in self.below:
                if i in axes:
                    rest = tuple(j for j in axes if j != i)
                    found[axes] = found[axes] + np.expand_dims(found[rest], axes.index(i)) / size  # proof: spread
        return found

    def _sums(self, axes: Axes, values: NDArray[np.float64]) -> dict[Axes, NDArray[np.float64]]:
        """Return a table and all its sums, each from a finer one."""
        found = {axes: values}
        for fewer in range(len(axes) - 1, -1, -1):
            for rest in combinations(axes, fewer):
                more = min((i for i in axes if i not in rest), key=lambda i: self.sizes[i])
                finer = tuple(sorted((*rest, more)))
                found[rest] = found[finer].sum(finer.index(more))
        return found

    def variance(self, axes: Axes) -> float:
        """Return the variance of each fitted total of a table."""
        total = 0.0
        for n in range(len(axes) + 1):
            for part in combinations(axes, n):
                kept = prod(1 - 1 / self.sizes[i] for i in part)
                total += self._weights(part)[1] * kept / prod(self.sizes[i] for i in axes if i not in part) ** 2
        return total  # proof: variance


@final
@dataclass(frozen=True)
class Whole:
    """How tables become whole numbers: each of a chain is divided among the cells of the next, and the others summed.

    *tables* are those that are wanted, *known* those whose totals are public. Where two of the finest tables share a
    sum, both chains go through it; `impossible` says where that would need two chains in one.

    >>> whole = Whole((2, 2), ((), (0,), (0, 1)))
    >>> fitted = {(): np.array(3.4), (0,): np.array([2.5, 0.9]), (0, 1): np.array([[2.8, -0.3], [0.5, 0.4]])}
    >>> whole.numbers(fitted, np.ones((2, 2), bool))[0, 1].tolist()
    [[2, 0], [1, 0]]
    """

    sizes: tuple[int, ...]
    tables: tuple[Axes, ...]
    known: tuple[Axes, ...] = ()

    @cached_property
    def finest(self) -> list[Axes]:
        """The tables that are no sums of others."""
        return [a for a in dict.fromkeys(self.tables) if not any(set(a) < set(b) for b in self.tables)]

    @cached_property
    def chained(self) -> list[Axes]:
        """The tables that are divided further, or that sums are made of, the coarsest first."""
        shared: set[Axes] = {()}
        for one in self.finest:
            shared |= {_both(one, other) for other in (*self.finest, *shared)}
        order = sorted(self.tables, key=lambda a: (a not in self.known, len(a)))
        for axes in order:
            if self._is_chain({*shared, axes}):
                shared.add(axes)  # proof: chain
        return sorted(shared, key=lambda a: (len(a), a))

    @property
    def impossible(self) -> bool:
        """Whether some sums cannot all be met: then the finest tables need a table of all their columns."""
        return not (self._is_chain(self.chained) and set(self.known) <= set(self.chained))  # proof: possible

    def _is_chain(self, tables: Iterable[Axes]) -> bool:
        """Whether, of these tables, those below each of the finest are each a sum of the next."""
        for one in self.finest:
            below = sorted((set(a) for a in tables if set(a) <= set(one)), key=len)
            if not all(a <= b for a, b in pairwise(below)):
                return False
        return True

    def numbers(
        self, fitted: Mapping[Axes, NDArray[np.float64]], possible: NDArray[np.bool_]
    ) -> dict[Axes, NDArray[np.int64]]:
        """Return non-negative whole numbers near fitted totals, which add up; 0 where no cell is *possible*."""
        found: dict[Axes, NDArray[np.int64]] = {}
        for axes in self.chained:
            parent = max((a for a in found if set(a) < set(axes)), key=len, default=None)
            totals = np.array([max(round(float(fitted[()])), 0)]) if parent is None else found[parent].ravel()
            inner = parent or ()
            order = [axes.index(i) for i in (*inner, *(i for i in axes if i not in inner))]
            shape = [self.sizes[axes[place]] for place in order]
            rows = len(totals)
            allowed = possible.any(tuple(i for i in range(len(self.sizes)) if i not in axes))
            near = np.rint(fitted[axes]) if any(set(axes) <= set(a) for a in self.known) else fitted[axes]
            cells = near.transpose(order).reshape(rows, -1), np.asarray(allowed).transpose(order).reshape(rows, -1)
            divided = _divided(cells[0], totals, cells[1])  # proof: divide
            found[axes] = divided.reshape(shape).transpose(np.argsort(order))
        for axes in self.tables:
            finer = next(a for a in self.finest if set(axes) <= set(a))
            gone = tuple(place for place, i in enumerate(finer) if i not in axes)
            found.setdefault(axes, found[finer].sum(gone))  # proof: summed
        return found


def _both(one: Axes, other: Axes) -> Axes:
    return tuple(i for i in one if i in other)


def _divided(near: NDArray[Any], totals: NDArray[Any], allowed: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return rows of whole numbers >= 0 with these totals: rounded from the nearest real ones, largest rests first.

    >>> near, allowed = np.array([[2.8, -0.3], [0.5, 0.4]]), np.array([[True, True], [True, False]])
    >>> _divided(near, np.array([2, 1]), allowed).tolist()
    [[2, 0], [1, 0]]
    """
    places = np.arange(1, near.shape[1] + 1)
    ranked = -np.sort(np.where(allowed, -near, np.inf), axis=1)
    fits = np.isfinite(ranked)
    over = (np.cumsum(np.where(fits, ranked, 0.0), axis=1) - totals[:, None]) / places
    last = np.maximum((fits & (ranked > over)).sum(1) - 1, 0)
    lowered = near - np.take_along_axis(over, last[:, None], 1)  # proof: nearest
    real = np.where(allowed & (totals > 0)[:, None], np.maximum(lowered, 0), 0)
    found = np.floor(real + _NEARLY).astype(np.int64)
    rest = totals - found.sum(1)
    order = np.argsort(np.where(allowed, found - real, np.inf), axis=1, kind="stable")
    ranks = np.empty_like(order)
    np.put_along_axis(ranks, order, np.broadcast_to(places - 1, order.shape), 1)
    found += (ranks < rest[:, None]) & allowed  # proof: rests
    for row in np.flatnonzero(found.sum(1) != totals):  # Where totals are so large that floats miss whole people.
        _settle(found[row], int(totals[row]), allowed[row])
    return found


def _settle(row: NDArray[np.int64], total: int, allowed: NDArray[np.bool_]) -> None:
    """Give what a row lacks to its largest cell, or take what it has too much from the largest ones."""
    lacks, places = total - int(row.sum()), np.flatnonzero(allowed)
    for place in places[np.argsort(-row[places], kind="stable")]:
        change = max(lacks, -int(row[place]))
        row[place] += change  # proof: settle
        lacks -= change


def reach(deviation: float, error: Fraction, heavy: float = 0.0) -> float:
    """Return what bounds the error of a fitted total, except with probability *error*, by its standard deviation.

    The error is a sum of independent ones, in size between one of the noise itself and a normal one. *heavy* says how
    far Laplace noise of deviation 1 reaches, for each factor of e by which the probability falls.

    >>> round(reach(4.0, Fraction(1, 20)), 2), round(reach(4.0, Fraction(1, 20), 0.71), 2), reach(0.0, Fraction(1, 20))
    (8.34, 9.01, 0.0)
    """
    if deviation < 1:
        return float(deviation / float(error) ** 0.5)  # proof: chebyshev
    normal = -NormalDist().inv_cdf(float(error) / 2)
    return deviation * max(normal, heavy * -math.log(error)) + 1 / 2  # noqa: TID251  Statistics, which claim no privacy.
