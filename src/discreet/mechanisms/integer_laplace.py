"""Integer Laplace noise [Ghosh, Roughgarden and Sundararajan 2009].

Theorem.  x + Z with Pr[Z = z] proportional to exp(-|z| / s) is (d / s)-DP between integers, or integer vectors, at
distance d, and no less. In a bounded domain no distance exceeds its diameter.
Proof: integer_laplace.md, which cites the marked lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from discreet.coins import SYSTEM, Coins
from discreet.core import Measurement
from discreet.domains import Integers, Vectors, freeze, saturated
from discreet.errors import KindError, ParameterError, UnsupportedError
from discreet.exact import Exact, exact
from discreet.measures import INFINITE, MaxDivergence, Pure, amount
from discreet.metrics import AbsoluteDistance, L1Distance
from discreet.samplers import add_discrete_laplace, discrete_laplace

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["IntegerLaplace"]


@final
@dataclass(frozen=True, slots=True, init=False)
class IntegerLaplace(Measurement[Any, Any]):
    """Add discrete Laplace noise of a rational scale to an integer, or to each entry of an integer vector.

    The sum is exact, then saturates at the domain's bounds if it has any. Scale 0 releases the truth.

    >>> IntegerLaplace(scale=2).privacy_map(1)
    0.5
    >>> IntegerLaplace(scale=2, domain=Vectors(Integers())).privacy_map(3)
    1.5
    >>> IntegerLaplace(scale=2, domain=Integers(0, 10)).privacy_map(100)                # No two are 100 apart.
    5.0
    >>> isinstance(IntegerLaplace(scale=2).release(100), int)
    True
    """

    output_measure: ClassVar[MaxDivergence] = MaxDivergence()

    scale: Fraction
    domain: Integers | Vectors

    def __init__(self, *, scale: Exact, domain: Integers | Vectors = Integers()) -> None:  # noqa: B008  A frozen value.
        s = exact(scale, "scale")
        if s < 0:  # proof: scale
            raise ParameterError("scale", scale, "scale >= 0")
        if not isinstance(domain.of if isinstance(domain, Vectors) else domain, Integers):
            raise KindError("domain", domain, "Integers() or Vectors(Integers())")
        freeze(self, scale=s, domain=domain)

    @classmethod
    def within(
        cls,
        *,
        epsilon: Exact,
        d_in: Exact = 1,
        domain: Integers | Vectors = Integers(),  # noqa: B008  A frozen value.
    ) -> IntegerLaplace:
        """Return the least noisy mechanism within a budget at a distance: its scale is d_in / epsilon, exactly.

        Where no two members of the domain are so far apart, the distance is the domain's diameter.

        >>> IntegerLaplace.within(epsilon="0.3").scale
        Fraction(10, 3)
        """
        budget = amount(epsilon)
        if budget == 0:
            raise ParameterError("epsilon", epsilon, "epsilon > 0")
        farthest = Fraction(cls(scale=1, domain=domain).loss(d_in).epsilon)  # type: ignore[arg-type]  # A distance.
        return cls(scale=farthest / budget, domain=domain)  # proof: within

    @property
    def input_domain(self) -> Integers | Vectors:
        """The integers, or vectors of them."""
        return self.domain

    @property
    def input_metric(self) -> AbsoluteDistance | L1Distance:
        """|x - y|, or its sum over the entries."""
        return L1Distance() if isinstance(self.domain, Vectors) else AbsoluteDistance()

    def loss(self, d_in: Exact, /) -> Pure:
        """Return d_in / scale; a distance is rounded down first, and is at most the domain's diameter."""
        distance, diameter = self.input_metric.check(d_in), _diameter(self.domain)
        if diameter is not None:
            distance = min(distance, diameter)  # proof: diameter
        if distance == 0:
            return self.output_measure.zero
        return Pure(INFINITE if self.scale == 0 else distance / self.scale)  # proof: map

    def sample(self, x: Any, coins: Coins, /) -> Any:
        """Draw a release: an int for an int, an array for an array, else a list."""
        if isinstance(self.domain, Integers):
            return self.domain.clamp(int(x) + discrete_laplace(self.scale, coins))  # proof: sum
        noisy = saturated(add_discrete_laplace(x, self.scale, coins), self.domain.of)  # proof: sums
        return noisy if isinstance(x, np.ndarray) else noisy.tolist()

    def release_many(self, xs: NDArray[Any] | list[int], /) -> NDArray[Any]:
        """Return a release of each of many independent integers.

        >>> IntegerLaplace(scale=0).release_many([1, 2, 3])
        array([1, 2, 3])
        """
        if not isinstance(self.domain, Integers):
            raise UnsupportedError("release_many is for a mechanism over Integers(); release each vector by itself")
        integers = Vectors(self.domain).take(xs)
        return saturated(add_discrete_laplace(integers, self.scale, SYSTEM), self.domain)


def _diameter(domain: Integers | Vectors) -> int | None:
    """Return the greatest distance between two members, or None where there is none."""
    if isinstance(domain, Integers):
        return domain.width
    width = _diameter(domain.of)  # type: ignore[arg-type]
    if width == 0:
        return 0
    return None if width is None or domain.size is None else width * domain.size
