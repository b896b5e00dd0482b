"""Integer Gaussian noise [Canonne, Kamath and Steinke 2020]: `AddNoise` of a discrete Gaussian law.

Theorem.  x + Z with Pr[Z = z] proportional to exp(-z^2 / 2v) is (l2^2 / 2v)-zCDP between integers, or integer vectors,
whose differences have squares that sum to l2^2; and (epsilon, delta)-DP by the exact profile of the discrete law.
Proof: integer_gaussian.md, which cites the marked lines.
"""

from __future__ import annotations

from fractions import Fraction
from typing import final

from discreet.domains import Integers, Vectors
from discreet.errors import ParameterError
from discreet.exact import Exact
from discreet.measures import EpsilonDelta, Rho, amount
from discreet.mechanisms.add_noise import AddNoise
from discreet.noise import Gaussian

__all__ = ["IntegerGaussian"]


@final
class IntegerGaussian(AddNoise):
    """Add discrete Gaussian noise of a rational variance to an integer, or to each entry of an integer vector.

    The loss is zCDP's rho, or (epsilon, delta) at an *epsilon* or a *delta* that is given. The distance between vectors
    is (l0, l1, li): how many entries differ, by how much in all, and by how much at most. The sum is exact, then
    saturates at the domain's bounds if it has any.

    >>> IntegerGaussian(variance=18).privacy_map(1)
    0.02777777777777778
    >>> IntegerGaussian(variance=18, epsilon=1).privacy_map(1)
    (1.0, 9.565223075500266e-07)
    >>> IntegerGaussian(variance=18, delta="1e-6", domain=Vectors(Integers())).privacy_map((3, 3, 1))
    (1.8032490688259903, 1.0000000000000002e-06)
    >>> isinstance(IntegerGaussian(variance=18).release(100), int)
    True
    """

    __slots__ = ()

    noise: Gaussian

    def __init__(
        self,
        *,
        variance: Exact,
        epsilon: Exact | None = None,
        delta: Exact | None = None,
        domain: Integers | Vectors = Integers(),  # noqa: B008  A frozen value.
    ) -> None:
        super().__init__(Gaussian(variance, epsilon=epsilon, delta=delta), domain)  # proof: law

    @classmethod
    def within(
        cls,
        *,
        epsilon: Exact | None = None,
        delta: Exact | None = None,
        rho: Exact | None = None,
        d_in: Exact | tuple[int, Exact, Exact] = 1,
        domain: Integers | Vectors = Integers(),  # noqa: B008  A frozen value.
    ) -> IntegerGaussian:
        """Return the least noisy mechanism within a budget at a distance: of *rho*, or of *epsilon* and *delta*.

        The variance for rho is exact; the other is the least of the form m 2^e, with 2^11 <= m < 2^12.

        >>> IntegerGaussian.within(rho="1/8").variance
        Fraction(4, 1)
        >>> IntegerGaussian.within(epsilon=1, delta="1e-6", d_in=(3, 3, 1), domain=Vectors(Integers())).variance
        Fraction(107, 2)
        """
        if rho is not None and epsilon is None and delta is None:
            budget: Rho | EpsilonDelta = Rho(amount(rho, "rho"))
        elif rho is None and epsilon is not None and delta is not None:
            budget = EpsilonDelta(amount(epsilon), amount(delta, "delta"))
        else:
            raise ParameterError("rho", rho, "rho alone, or epsilon and delta")
        noise = Gaussian.within(budget, cls(variance=0, domain=domain).sensitivity(d_in))  # proof: within
        return cls(variance=noise.variance, epsilon=noise.epsilon, domain=domain)

    @property
    def variance(self) -> Fraction:
        """The variance of the noise."""
        return self.noise.variance

    def __repr__(self) -> str:
        return f"IntegerGaussian({self.noise.written}, domain={self.domain!r})"
