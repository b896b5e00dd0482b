"""The category with nearly the largest score: permute and flip [McKenna and Sheldon 2020].

Theorem.  Each category flips a coin that shows heads with probability exp(-(m - u) / s), where u is its score and m
the largest; one of those with heads is chosen, each equally likely. Between scores of which none differs by more than
d, that is (2 d / s)-DP, and no less if there are two categories.
Proof: choose.md, which cites the marked lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from discreet.coins import Coins
from discreet.core import Measurement
from discreet.domains import Categories, Integers, Vectors
from discreet.errors import ParameterError, UnsupportedError
from discreet.exact import Exact, exact
from discreet.frozen import freeze
from discreet.measures import INFINITE, MaxDivergence, Pure, amount
from discreet.metrics import LInfDistance
from discreet.reals import Number, exp, total
from discreet.samplers import below, fitted, geometric_many

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Choose"]


@final
@dataclass(frozen=True, slots=True, init=False)
class Choose(Measurement[Any, Any]):
    """Choose a category with a large score. The data are integer scores, one for each category, in their order.

    Scale 0 chooses one of those with the largest score.

    >>> choose = Choose(categories=("Rome", "Oslo", "Lima"), scale=2)
    >>> choose.privacy_map(1)
    1.0
    >>> choose.release([70, 12, 500]) in ("Rome", "Oslo", "Lima")
    True
    """

    input_metric: ClassVar[LInfDistance] = LInfDistance()
    output_measure: ClassVar[MaxDivergence] = MaxDivergence()

    categories: Categories
    scale: Fraction

    def __init__(self, *, categories: Iterable[Any] | Categories, scale: Exact) -> None:
        values, s = Categories.of(categories, least=1), exact(scale, "scale")
        if s < 0:
            raise ParameterError("scale", scale, "scale >= 0")
        freeze(self, categories=values, scale=s)

    @classmethod
    def within(cls, *, epsilon: Exact, categories: Iterable[Any] | Categories, d_in: Exact = 1) -> Choose:
        """Return the most accurate mechanism within a budget at a distance: its scale is 2 d_in / epsilon, exactly.

        >>> Choose.within(epsilon="0.3", categories=range(5)).scale
        Fraction(20, 3)
        """
        budget = amount(epsilon)
        if budget == 0:
            raise ParameterError("epsilon", epsilon, "epsilon > 0")
        return cls(categories=categories, scale=2 * cls.input_metric.check(d_in) / budget)  # proof: within

    @property
    def input_domain(self) -> Vectors:
        """Vectors of as many integers as there are categories."""
        return Vectors(Integers(), size=len(self.categories))

    def loss(self, d_in: Exact, /) -> Pure:
        """Return 2 d / s, or 0 for a single category."""
        d = self.input_metric.check(d_in)
        if d == 0 or len(self.categories) == 1:
            return self.output_measure.zero
        return Pure(2 * d / self.scale if self.scale else INFINITE)  # proof: map

    def sample(self, x: Any, coins: Coins, /) -> Any:
        """Draw a category."""
        gaps = _gaps(x if isinstance(x, np.ndarray) else fitted(x))
        heads = np.flatnonzero(geometric_many(self.scale, gaps.size, coins) >= gaps)  # proof: heads
        return self.categories.values[heads[below(heads.size, coins)]]  # proof: choice

    def law(self, x: Any, /) -> Mapping[Any, Number]:
        """Return the probability of each category.

        >>> Choose(categories=("a", "b", "c"), scale=0).law([5, 3, 5])
        {'a': Fraction(1, 2), 'b': Fraction(0, 1), 'c': Fraction(1, 2)}
        """
        scores = [int(u) for u in self.input_domain.take(x)]
        gaps = [max(scores) - u for u in scores]
        heads = [exp(-gap / self.scale) if self.scale else Fraction(gap == 0) for gap in gaps]
        law = {
            value: _chosen(p, heads[:i] + heads[i + 1 :])
            for i, (value, p) in enumerate(zip(self.categories.values, heads, strict=True))
        }
        if len(law) < len(heads):
            raise UnsupportedError("a dict would merge categories such as 1 and True; their law is not written out")
        return law


def _gaps(scores: NDArray[Any]) -> NDArray[Any]:
    """Return how far each score is from the largest, exactly."""
    most, least = int(scores.max()), int(scores.min())
    if scores.dtype != object and most < 1 << 63 and most - least < 1 << 63:  # proof: gaps
        return most - scores.astype(np.int64)
    return fitted([most - int(u) for u in scores.tolist()])


def _chosen(p: Number, others: list[Number]) -> Number:
    """Return p times the expectation of 1 / (1 + N), where N counts the heads among *others*."""
    law: list[Number] = [Fraction(1)]  # Of N.
    for q in others:
        tails = 1 - q
        law = [total((tails * a, q * b)) for a, b in zip([*law, Fraction(0)], [Fraction(0), *law], strict=True)]
    return total(mass * Fraction(1, 1 + n) for n, mass in enumerate(law)) * p
