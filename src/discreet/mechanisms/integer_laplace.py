"""Integer Laplace noise [Ghosh, Roughgarden and Sundararajan 2009]: `AddNoise` of a discrete Laplace law.

Theorem.  x + Z with Pr[Z = z] proportional to exp(-|z| / s) is (d / s)-DP between integers, or integer vectors, at
distance d, and no less. In a bounded domain no distance exceeds its diameter.
Proof: integer_laplace.md, which cites the marked lines.
"""

from __future__ import annotations

from fractions import Fraction
from typing import final

from discreet.domains import Integers, Vectors
from discreet.errors import ParameterError
from discreet.exact import Exact
from discreet.measures import Pure, amount
from discreet.mechanisms.add_noise import AddNoise
from discreet.noise import Laplace

__all__ = ["IntegerLaplace"]


@final
class IntegerLaplace(AddNoise):
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

    __slots__ = ()

    noise: Laplace

    def __init__(self, *, scale: Exact, domain: Integers | Vectors = Integers()) -> None:  # noqa: B008  A frozen value.
        super().__init__(Laplace(scale), domain)  # proof: law

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
        noise = Laplace.within(Pure(budget), cls(scale=0, domain=domain).sensitivity(d_in))  # proof: within
        return cls(scale=noise.scale, domain=domain)

    @property
    def scale(self) -> Fraction:
        """The scale of the noise."""
        return self.noise.scale

    def __repr__(self) -> str:
        return f"IntegerLaplace(scale={self.scale!r}, domain={self.domain!r})"
