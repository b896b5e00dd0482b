"""Truncated discrete Laplace noise: the least thresholds for few private keys [Desfontaines, Voss and others 2022].

Theorem.  With Pr[Z = z] proportional to exp(-|z| / s) for |z| <= R, and 0 beyond, noise in numbers that differ by l1 in
all is (l1 / s, delta)-DP, where delta is the greatest probability that a number comes out where the other's cannot;
and together with new keys above a threshold of R or more, for the same delta. No smaller delta will do.
Proof: truncated.md, which cites the marked lines.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from discreet.coins import Coins
from discreet.errors import ParameterError
from discreet.exact import Exact, exact, whole
from discreet.frozen import freeze
from discreet.measures import INFINITE, Approximate, Bound, EpsilonDelta, Loss, MaxDivergence, Pure
from discreet.metrics import L01InfDistance, Sensitivity
from discreet.noise.base import Noise, least_positive
from discreet.noise.laplace import Laplace
from discreet.reals import Number, exp, expm1, sign
from discreet.samplers import truncated_laplace, truncated_laplace_many

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TruncatedLaplace"]


@final
@dataclass(frozen=True, slots=True, init=False)
class TruncatedLaplace(Noise):
    """Discrete Laplace noise of a rational scale that never exceeds a limit in size. Scale 0, or limit 0, is no noise.

    >>> noise = TruncatedLaplace(2, limit=27)
    >>> noise.measure.up(noise.loss(Sensitivity(l0=2, l1=2, li=1))), noise.radius(Fraction(0))
    ((1.0, 6.715475137271951e-07), 27)
    """

    measure: ClassVar[Approximate] = Approximate(MaxDivergence())
    vector_metric: ClassVar[L01InfDistance] = L01InfDistance()

    scale: Fraction
    limit: int

    def __init__(self, scale: Exact, limit: int) -> None:
        s = exact(scale, "scale")
        if s < 0:  # proof: scale
            raise ParameterError("scale", scale, "scale >= 0")
        freeze(self, scale=s, limit=whole(limit, "limit", least=0))

    @classmethod
    def within(cls, budget: Loss, sensitivity: Sensitivity, /) -> TruncatedLaplace:
        """Return the noise of the least scale, l1 / epsilon exactly, and then of the least limit.

        >>> TruncatedLaplace.within(EpsilonDelta(1, "1e-6"), Sensitivity(2, 2, 1))
        TruncatedLaplace(scale=Fraction(2, 1), limit=27)
        """
        both, apart = cls.measure.lift(budget), sensitivity.tightest()
        return cls.limited(Laplace.within(Pure(both.epsilon), apart).scale, both.delta, apart)

    @classmethod
    def limited(cls, scale: Exact, delta: Bound, sensitivity: Sensitivity, /) -> TruncatedLaplace:
        """Return the noise of a scale with the least limit at which its delta is at most *delta*.

        >>> TruncatedLaplace.limited(3, Fraction(1, 1000), Sensitivity(3, 3, 1)).limit
        19
        """
        if not (isinstance(delta, Fraction) and 0 < delta <= 1):
            raise ParameterError("delta", delta, "0 < delta <= 1, a rational number")
        apart = sensitivity.tightest()

        def enough(limit: int) -> bool:
            return sign(cls(scale, limit)._beyond(limit, apart) - delta) <= 0

        return cls(scale, 0 if enough(0) else least_positive(enough))  # proof: least

    @property
    def settled(self) -> int:
        """The size from which on there is no probability."""
        return self.limit + 1

    @property
    def second_moment(self) -> Number:
        """The expectation of Z squared."""
        if not self._noisy:
            return Fraction(0)
        r, q = self.limit, exp(-1 / self.scale)
        far = exp(-r / self.scale) * ((r + 1) ** 2 - (2 * r * (r + 1) - 1) * q + r * r * q * q)
        whole: Number = _whole(self.scale, r, exp, expm1)
        return 2 * q * (1 + q - far) / (expm1(-1 / self.scale) ** 2 * whole)  # proof: moment

    def tail(self, k: int, /) -> Number:
        """Return (q^k - q^(R + 1)) / (1 + q - 2 q^(R + 1)), up to R."""
        return _tail(k, self.scale, self.limit, exp, expm1) if self._noisy and k <= self.limit else Fraction(0)

    def tails(self, k: NDArray[Any], /) -> NDArray[np.float64]:
        """Return the tail as floats."""
        s, r = float(self.scale), float(self.limit)
        if not (s and r):  # A scale that is no float leaves no tail.
            return np.zeros(k.shape)
        return np.asarray(_tail(np.minimum(k, r + 1), s, r, np.exp, np.expm1))  # noqa: TID251  Statistics, which claim no privacy.

    def draw(self, coins: Coins, /) -> int:
        """Draw one Z."""
        return truncated_laplace(self.scale, self.limit, coins)

    def draws(self, n: int, coins: Coins, /, *, private_size: bool = False) -> NDArray[Any]:
        """Draw *n* independent Z."""
        return truncated_laplace_many(self.scale, self.limit, n, coins, private_size=private_size)

    def loss(self, sensitivity: Sensitivity, /) -> EpsilonDelta:
        """Return l1 / scale, and the probability that a number comes out where the other side's cannot."""
        apart = sensitivity.tightest()
        return self._stated(apart, self._beyond(self.limit, apart))

    def joint(
        self, threshold: int, most: int, shared: Callable[[int], Sensitivity], new: Callable[[int], Sensitivity], /
    ) -> EpsilonDelta:
        """Return the joint loss: what is new and what is shared tell too much in the same way."""
        both, lacking = shared(0), new(most)
        if not most or threshold >= self.limit + lacking.li:
            return self.loss(both)  # proof: never
        apart = Sensitivity(*map(max, both, lacking)).tightest()
        return self._stated(both, self._beyond(min(threshold, self.limit), apart))  # proof: joint

    def equal_moves(self, sensitivity: Sensitivity, /) -> int:
        """Return l0 where each of as many numbers may differ by li, as for Laplace noise.

        >>> TruncatedLaplace(3, 40).equal_moves(Sensitivity(3, 30, 10))
        3
        """
        return Laplace(self.scale).equal_moves(sensitivity)  # proof: moves

    @property
    def _noisy(self) -> bool:
        return self.scale > 0 and self.limit > 0

    def _stated(self, apart: Sensitivity, delta: Number) -> EpsilonDelta:
        epsilon = Laplace(self.scale).loss(apart).epsilon
        return EpsilonDelta(epsilon, Fraction(1) if epsilon == INFINITE else delta)  # proof: map

    def _beyond(self, end: int, apart: Sensitivity) -> Number:
        """Return the greatest probability that a value c within a distance of 0 comes out above an end, c + Z > end."""
        if apart.li > end + self.limit:
            return Fraction(1)
        return -expm1(-self.surprise(end, apart))  # proof: beyond


def _tail(k: Any, s: Any, r: Any, exp: Any, expm1: Any) -> Any:
    """Return (q^k - q^(r + 1)) / (1 + q - 2 q^(r + 1)), with q = exp(-1 / s), in the arithmetic that *exp* is of."""
    return exp(-k / s) * expm1((k - r - 1) / s) / -_whole(s, r, exp, expm1)  # proof: tail


def _whole(s: Any, r: Any, exp: Any, expm1: Any) -> Any:
    """Return 1 + q - 2 q^(r + 1), as (1 - q) + 2q (1 - q^r): nothing cancels."""
    return -expm1(-1 / s) - 2 * exp(-1 / s) * expm1(-r / s)  # proof: whole
