"""Discrete Laplace noise [Ghosh, Roughgarden and Sundararajan 2009].

Theorem.  With Pr[Z = z] proportional to exp(-|z| / s), Pr[Z >= k] = q^k / (1 + q) for k >= 1, where q = exp(-1 / s).
Added to numbers that differ by l1 in all it is (l1 / s)-DP, and no less.
Proof: laplace.md, which cites the marked lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from discreet.coins import Coins
from discreet.errors import KindError, ParameterError
from discreet.exact import Exact, exact, whole
from discreet.frozen import freeze
from discreet.measures import INFINITE, Loss, MaxDivergence, Pure
from discreet.metrics import Sensitivity
from discreet.noise.base import Noise
from discreet.reals import Number, exp, expm1, float_up, floor_bits, ln
from discreet.samplers import discrete_laplace, discrete_laplace_many

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Laplace", "continuous_laplacian_tail_to_alpha", "discrete_laplacian_tail_to_alpha"]


@final
@dataclass(frozen=True, slots=True, init=False)
class Laplace(Noise):
    """Discrete Laplace noise of a rational scale. Scale 0 is no noise.

    >>> noise = Laplace(3)
    >>> noise.loss(Sensitivity(l0=1, l1=2, li=2)), noise.radius(Fraction(1, 20))
    (Pure(epsilon=Fraction(2, 3)), 9)
    >>> noise.needed(44, Fraction(1, 2)), noise.needed(44, Fraction(19, 20))
    (45, 52)
    >>> low, high = noise.interval([46, 60, 1000], Fraction(1, 20), threshold=44)
    >>> low.tolist(), high.tolist()
    ([1, 51, 991], [53, 69, 1009])
    """

    measure: ClassVar[MaxDivergence] = MaxDivergence()
    settled: ClassVar[int] = 0

    scale: Fraction

    def __init__(self, scale: Exact) -> None:
        s = exact(scale, "scale")
        if s < 0:  # proof: scale
            raise ParameterError("scale", scale, "scale >= 0")
        freeze(self, scale=s)

    @classmethod
    def within(cls, budget: Loss, sensitivity: Sensitivity, /) -> Laplace:
        """Return the noise of the least scale: l1 / epsilon, exactly.

        >>> Laplace.within(Pure("0.3"), Sensitivity(1, 1, 1))
        Laplace(scale=Fraction(10, 3))
        """
        epsilon = cls.measure.lift(budget).epsilon
        if not isinstance(epsilon, Fraction):
            raise KindError("budget", budget, "an epsilon that is a rational number")
        if epsilon == 0:
            raise ParameterError("epsilon", epsilon, "epsilon > 0")
        return cls(sensitivity.l1 / epsilon)  # proof: within

    @property
    def second_moment(self) -> Number:
        """2q / (1 - q)^2."""
        return 2 * exp(-1 / self.scale) / expm1(-1 / self.scale) ** 2 if self.scale else Fraction(0)  # proof: variance

    def tail(self, k: int, /) -> Number:
        """Return q^k / (1 + q)."""
        return _tail(k, self.scale, exp) if self.scale else Fraction(0)

    def tails(self, k: NDArray[Any], /) -> NDArray[np.float64]:
        """Return the tail as floats."""
        with np.errstate(divide="ignore"):  # A scale of 0, or one that is no float, leaves no tail.
            return np.asarray(_tail(k, np.float64(self.scale), np.exp))  # noqa: TID251  Statistics, which claim no privacy.

    def reach(self, p: Number, /) -> int:
        """Return the least k >= 1 that is at least the real number at which the tail is p."""
        if self.scale == 0 or (isinstance(p, Fraction) and p >= Fraction(1, 2)):
            return 1
        return max(-floor_bits(self.scale * ln(p * (1 + exp(-1 / self.scale))), 0), 1)  # proof: reach

    def draw(self, coins: Coins, /) -> int:
        """Draw one Z."""
        return discrete_laplace(self.scale, coins)

    def draws(self, n: int, coins: Coins, /, *, private_size: bool = False) -> NDArray[Any]:
        """Draw *n* independent Z."""
        return discrete_laplace_many(self.scale, n, coins, private_size=private_size)

    def loss(self, sensitivity: Sensitivity, /) -> Pure:
        """Return l1 / scale."""
        if sensitivity.l1 == 0:
            return self.measure.zero
        return Pure(INFINITE if self.scale == 0 else sensitivity.l1 / self.scale)  # proof: map

    def log_moment(self, t: Fraction, /) -> Number | None:
        """Return -ln(1 - s^2 t^2), that of the continuous law, for t < 1 / s.

        >>> float_up(Laplace(2).log_moment(Fraction(1, 4))), Laplace(2).log_moment(Fraction(1, 2))
        (0.28768207245178096, None)
        """
        rest = 1 - (self.scale * t) ** 2
        return -ln(rest) if rest > 0 else None  # proof: moment

    def equal_moves(self, sensitivity: Sensitivity, /) -> int:
        """Return l0 where each of as many numbers may differ by li.

        >>> Laplace(3).equal_moves(Sensitivity(3, 30, 10)), Laplace(3).equal_moves(Sensitivity(3, 25, 10))
        (3, 1)
        """
        l0, l1, li = sensitivity.tightest()
        return l0 if 0 < l1 == l0 * li else 1  # proof: entries


def _tail(k: Any, s: Any, exp: Any) -> Any:
    """Return q^k / (1 + q), with q = exp(-1 / s), in the arithmetic that *exp* is of."""
    return exp(-k / s) / (1 + exp(-1 / s))  # proof: tail


def discrete_laplacian_tail_to_alpha(scale: Exact, tail: int) -> float:
    """Return Pr[Z > tail], rounded up, for discrete Laplace noise Z of a scale, and tail >= 0.

    >>> discrete_laplacian_tail_to_alpha(1, 5)
    0.0018121130430497389
    """
    return float_up(Laplace(_positive_scale(scale)).tail(whole(tail, "tail", least=0) + 1))


def continuous_laplacian_tail_to_alpha(scale: Exact, tail: Exact) -> float:
    """Return Pr[C > tail], rounded up, for continuous Laplace noise C of a scale, and tail >= 0.

    It is never less than the discrete tail, which is what mechanisms use.

    >>> continuous_laplacian_tail_to_alpha(1, 5)
    0.003368973499542734
    """
    t = exact(tail, "tail")
    if t < 0:
        raise ParameterError("tail", tail, "tail >= 0")
    return float_up(exp(-t / _positive_scale(scale)) / 2)


def _positive_scale(scale: Exact) -> Fraction:
    s = exact(scale, "scale")
    if s <= 0:
        raise ParameterError("scale", scale, "scale > 0")
    return s
