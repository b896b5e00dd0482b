"""Noise added to integers.

Theorem.  Let Z have the law of a Noise, independently in each entry. Between integers, or integer vectors, at distance
d, the release x + Z loses what the noise says of entries that differ by d in all; in a bounded domain no distance
exceeds its diameter, and no entry differs by more than its width.
Proof: add_noise.md, which cites the marked lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.coins import SYSTEM, Coins
from discreet.core import Measurement, numbers
from discreet.domains import Integers, Vectors, saturated
from discreet.errors import KindError, UnsupportedError
from discreet.events import Event, event_of
from discreet.exact import Exact
from discreet.frozen import freeze
from discreet.measures import Loss, Measure
from discreet.metrics import AbsoluteDistance, L01InfDistance, L1Distance, Metric, Sensitivity
from discreet.noise import Noise

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["AddNoise"]


@dataclass(frozen=True, slots=True, init=False)
class AddNoise(Measurement[Any, Any]):
    """Add noise to an integer, or to each entry of an integer vector.

    The sum is exact, then saturates at the domain's bounds if it has any.

    >>> from discreet import Laplace
    >>> AddNoise(Laplace(2)).privacy_map(1), AddNoise(Laplace(2), Vectors(Integers())).privacy_map(3)
    (0.5, 1.5)
    """

    noise: Noise
    domain: Integers | Vectors

    def __init__(self, noise: Noise, domain: Integers | Vectors = Integers()) -> None:  # noqa: B008  A frozen value.
        if not isinstance(noise, Noise):
            raise KindError("noise", noise, "a Noise, such as Laplace(2)")
        if not isinstance(domain.of if isinstance(domain, Vectors) else domain, Integers):
            raise KindError("domain", domain, "Integers() or Vectors(Integers())")
        freeze(self, noise=noise, domain=domain)

    @property
    def input_domain(self) -> Integers | Vectors:
        """The integers, or vectors of them."""
        return self.domain

    @property
    def input_metric(self) -> AbsoluteDistance | L1Distance | L01InfDistance:
        """|x - y|, or its sum over the entries, or what else the noise needs to know of them."""
        return self.noise.vector_metric if isinstance(self.domain, Vectors) else AbsoluteDistance()

    @property
    def output_measure(self) -> Measure[Loss]:
        """The noise's."""
        return self.noise.measure

    def sensitivity(self, d_in: Exact | tuple[int, Exact, Exact], /) -> Sensitivity:
        """Return how far apart two members of the domain within a distance, which is rounded down first, may be.

        Between vectors a `Sensitivity` is a distance, too, whatever the metric.

        >>> from discreet import Laplace
        >>> AddNoise(Laplace(2), Vectors(Integers(0, 10), size=3)).sensitivity(100)
        Sensitivity(l0=3, l1=30, li=10)
        >>> AddNoise(Laplace(2), Vectors(Integers())).sensitivity(Sensitivity(3, 30, 10))
        Sensitivity(l0=3, l1=30, li=10)
        """
        metric: Metric = self.input_metric
        if isinstance(d_in, Sensitivity) and isinstance(self.domain, Vectors):
            metric = L01InfDistance()  # proof: three
        distance = metric.check(d_in)
        size, of = (self.domain.size, self.domain.of) if isinstance(self.domain, Vectors) else (1, self.domain)
        width = of.width  # type: ignore[attr-defined]  # It is a domain of integers.
        l0, l1, li = distance if isinstance(distance, tuple) else (distance, distance, distance)
        l0 = min(l0, 1) if isinstance(self.domain, Integers) else l0  # proof: one
        if width is None:
            return Sensitivity(l0, l1, li).tightest()
        return Sensitivity(l0 if size is None else min(l0, size), l1, min(li, width)).tightest()  # proof: diameter

    def loss(self, d_in: Exact | tuple[int, Exact, Exact], /) -> Loss:
        """Return what the noise loses between members of the domain within a distance."""
        return self.noise.loss(self.sensitivity(d_in))  # proof: map

    def event(self, d_in: Exact | tuple[int, Exact, Exact], /) -> Event:
        """Return what the noise tells, with a move for each entry that may differ, where these are equal."""
        apart = self.sensitivity(d_in)
        rho = self.noise.rho(apart)
        return event_of(
            self.loss(d_in),
            mechanism=type(self).__name__,
            sensitivity=apart,
            parameters=numbers(self) | numbers(self.noise),
            equal=self.noise.equal_moves(apart),
            concentrated=None if rho is None else (rho, Fraction(0)),
        )

    def sample(self, x: Any, coins: Coins, /) -> Any:
        """Draw a release: an int for an int, an array for an array, else a list."""
        if isinstance(self.domain, Integers):
            return self.domain.clamp(int(x) + self.noise.draw(coins))  # proof: sum
        noisy = saturated(self.noise.add(x, coins), self.domain.of)  # proof: sums
        return noisy if isinstance(x, np.ndarray) else noisy.tolist()

    def release_many(self, xs: NDArray[Any] | list[int], /) -> NDArray[Any]:
        """Return a release of each of many independent integers.

        >>> from discreet import Laplace
        >>> AddNoise(Laplace(0)).release_many([1, 2, 3])
        array([1, 2, 3])
        """
        if not isinstance(self.domain, Integers):
            raise UnsupportedError("release_many is for a mechanism over Integers(); release each vector by itself")
        integers = Vectors(self.domain).take(xs)
        return saturated(self.noise.add(integers, SYSTEM), self.domain)
