"""Discrete Gaussian noise [Canonne, Kamath and Steinke 2020], and its exact privacy profile.

Theorem.  With Pr[Z = z] proportional to exp(-z^2 / 2v), noise in numbers that differ by c in each of n places is
(epsilon, delta)-DP for delta = max over k of Pr[Y >= k] - e^epsilon Pr[Y >= k + nc], where Y is the sum of n draws,
and for no smaller delta; and (l2^2 / 2v)-zCDP between any numbers, l2^2 the sum of the squares of their differences.
Proof: gaussian.md, which cites the marked lines.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, ClassVar, Final, final

import numpy as np

from discreet.coins import Coins
from discreet.errors import ParameterError
from discreet.exact import Exact, exact
from discreet.frozen import freeze
from discreet.measures import (
    INFINITE,
    Approximate,
    Bound,
    EpsilonDelta,
    Loss,
    MaxDivergence,
    Measure,
    Rho,
    ZeroConcentrated,
    amount,
)
from discreet.metrics import L01InfDistance, Sensitivity
from discreet.noise.base import Noise, root_up
from discreet.noise.profile import Curve, joint_profile, least_epsilon, profile
from discreet.noise.theta import second_moment, sum_above
from discreet.reals import Number, Real, exp, sign
from discreet.samplers import discrete_gaussian, discrete_gaussian_many

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Gaussian"]

_GRID: Final = 1 << 11
_WIDE: Final = 1 << 12
_GAP: Final = 2.0**-12
_HALF: Final = 0.5


@final
@dataclass(frozen=True, slots=True, init=False)
class Gaussian(Noise):
    """Discrete Gaussian noise: Pr[Z = z] proportional to exp(-z^2 / 2 variance). Variance 0 is no noise.

    Its loss is stated as zCDP; with an *epsilon*, as (epsilon, delta) at that epsilon; with a *delta*, at that delta.
    The expectation of Z squared is the *second_moment*: less than *variance*, from 1 on by less than one in a million.

    >>> three = Sensitivity(l0=3, l1=3, li=1)
    >>> Gaussian(50).loss(three), Gaussian(50).measure
    (Rho(rho=Fraction(3, 100)), ZeroConcentrated())
    >>> noise = Gaussian(50, epsilon=1)
    >>> noise.measure.up(noise.loss(three)), noise.radius(Fraction(1, 20))
    ((1.0, 1.9927109428123403e-06), 14)
    """

    vector_metric: ClassVar[L01InfDistance] = L01InfDistance()

    variance: Fraction
    epsilon: Fraction | None
    delta: Fraction | None

    def __init__(self, variance: Exact, *, epsilon: Exact | None = None, delta: Exact | None = None) -> None:
        v = exact(variance, "variance")
        if v < 0:  # proof: variance
            raise ParameterError("variance", variance, "variance >= 0")
        e, d = (None if x is None else amount(x, name) for x, name in ((epsilon, "epsilon"), (delta, "delta")))
        if e is not None and d is not None:
            raise ParameterError("delta", delta, "an epsilon or a delta, at which the other is stated")
        if d is not None and not 0 < d < 1:
            raise ParameterError("delta", delta, "0 < delta < 1")
        freeze(self, variance=v, epsilon=e, delta=d)

    @property
    def measure(self) -> Measure[Loss]:
        """ZeroConcentrated, or Approximate at the epsilon or the delta that is given."""
        return ZeroConcentrated() if self._concentrated else Approximate(MaxDivergence())

    @property
    def _concentrated(self) -> bool:
        return self.epsilon is None and self.delta is None

    @classmethod
    def within(cls, budget: Loss, sensitivity: Sensitivity, /) -> Gaussian:
        """Return the least noise within a zCDP budget, exactly; or within (epsilon, delta), stated at that epsilon.

        The latter's variance is the least of the form m 2^e, with 2^11 <= m < 2^12.

        >>> Gaussian.within(Rho("1/8"), Sensitivity(3, 3, 1)).variance
        Fraction(12, 1)
        >>> Gaussian.within(EpsilonDelta(1, "1e-6"), Sensitivity(3, 3, 1))
        Gaussian(variance=Fraction(107, 2), epsilon=Fraction(1, 1))
        """
        apart = sensitivity.tightest()
        if isinstance(budget, Rho):
            if not isinstance(budget.rho, Fraction) or budget.rho == 0:
                raise ParameterError("rho", budget.rho, "a rational number above 0")
            return cls(apart.l2_squared / (2 * budget.rho))  # proof: rho
        both = Approximate(MaxDivergence()).lift(budget)
        epsilon, delta = both.epsilon, both.delta
        if not isinstance(epsilon, Fraction):
            raise ParameterError("epsilon", epsilon, "a rational number")
        if not (isinstance(delta, Fraction) and 0 < delta < 1):
            raise ParameterError("delta", delta, "0 < delta < 1, a rational number")
        if apart.l1 == 0:
            return cls(0, epsilon=epsilon)

        def enough(place: int) -> bool:
            noise = cls(_on_grid(place), epsilon=epsilon)
            return sign(noise.loss(apart).delta - delta) <= 0  # type: ignore[attr-defined]

        return cls(_on_grid(_least(enough, _guess(epsilon, delta, apart))), epsilon=epsilon)  # proof: within

    @property
    def second_moment(self) -> Number:
        """The expectation of Z squared."""
        return Real(partial(second_moment, self.variance)) if self.variance else Fraction(0)

    @property
    def deviation(self) -> float:
        """The standard deviation, as a float that may be a little too large; from a variance of 1 on, of that."""
        return root_up(self.variance if self.variance >= 1 else self.second_moment)  # proof: deviation

    def tail(self, k: int, /) -> Number:
        """Return the sum of exp(-z^2 / 2v) over z >= k, over that of all integers."""
        return Real(partial(sum_above, self.variance, 1, k)) if self.variance else Fraction(0)  # proof: tail

    def tails(self, k: NDArray[Any], /) -> NDArray[np.float64]:
        """Return the tail as floats: by the integral and two derivatives at k - 1/2, where the law is wide."""
        if self.variance < _WIDE:
            return Noise.tails(self, k)  # A class with slots is another one, to super() in a method.
        s = math.sqrt(self.variance)
        x = (k - 0.5) / s
        integral = np.array([math.erfc(each) for each in (x / math.sqrt(2)).ravel()]).reshape(x.shape) / 2
        slope = x * (1 / 24 - 7 / 5760 * (x * x - 3) / s**2) / s**2
        return np.asarray(integral - slope * np.exp(-x * x / 2) / math.sqrt(2 * math.pi))  # noqa: TID251  Statistics, which claim no privacy.

    def reach(self, p: Number, /) -> int:
        """Return the least k >= 1 with Pr[Z >= k] <= p, looked for near where the continuous law has it."""
        near = float(p.enclosure(64)[1] if isinstance(p, Real) else p)  # Near is enough: a p may itself be a float.
        far = -NormalDist().inv_cdf(near) if 0 < near < _HALF else 0.0
        return _least(lambda k: k > 0 and sign(self.tail(k) - p) <= 0, 1 + int(far * root_up(self.variance)))

    def draw(self, coins: Coins, /) -> int:
        """Draw one Z."""
        return discrete_gaussian(self.variance, coins)

    def draws(self, n: int, coins: Coins, /, *, private_size: bool = False) -> NDArray[Any]:
        """Draw *n* independent Z."""
        return discrete_gaussian_many(self.variance, n, coins, private_size=private_size)

    def loss(self, sensitivity: Sensitivity, /) -> Loss:
        """Return l2^2 / 2v as zCDP, or the least delta at an epsilon, or the least epsilon at a delta."""
        apart = sensitivity.tightest()
        if apart.l1 == 0:
            return self.measure.zero
        if self._concentrated:
            return Rho(self.rho(apart))
        return self._stated(partial(profile, self.variance, apart))

    def log_moment(self, t: Fraction, /) -> Number:
        """Return t^2 / 2 times the variance, that of the continuous law [Canonne, Kamath and Steinke 2020]."""
        return t * t * self.variance / 2  # proof: moment

    def rho(self, sensitivity: Sensitivity, /) -> Bound:
        """Return l2^2 / 2v, however the loss is stated."""
        apart = sensitivity.tightest()
        if apart.l1 == 0:
            return Fraction(0)
        return apart.l2_squared / (2 * self.variance) if self.variance else INFINITE  # proof: zcdp

    def joint(
        self, threshold: int, most: int, shared: Callable[[int], Sensitivity], new: Callable[[int], Sensitivity], /
    ) -> EpsilonDelta | None:
        """Return the joint loss, by the exact profile."""
        if self._concentrated:
            return None

        def surprise(j: int) -> Number:
            return self.surprise(threshold, new(j))

        phi = surprise(most)
        if self.delta is not None and sign((exp(phi / 2) + exp(-phi / 2)) / 2 - exp(-phi) - self.delta) >= 0:
            return EpsilonDelta(INFINITE, self.delta)  # proof: never
        return self._stated(partial(joint_profile, self.variance, most, shared, surprise))

    @property
    def written(self) -> str:
        """The parameters, as they are typed."""
        given = {"variance": self.variance, "epsilon": self.epsilon, "delta": self.delta}
        return ", ".join(f"{name}={value!r}" for name, value in given.items() if value is not None)

    def __repr__(self) -> str:
        return f"Gaussian({self.written})"

    def _stated(self, curve: Curve) -> EpsilonDelta:
        """Return a point of a curve: at the epsilon, or at the delta, that is given."""
        if self.epsilon is not None:
            return EpsilonDelta(self.epsilon, Real(curve, self.epsilon) if self.variance else Fraction(1))
        delta = self.delta or Fraction(1)
        return EpsilonDelta(Real(partial(least_epsilon, curve), delta) if self.variance else INFINITE, delta)


def _on_grid(place: int) -> Fraction:
    """Return the place-th number of the form m 2^e, with _GRID <= m < 2 _GRID, counted from _GRID on."""
    e, m = divmod(place, _GRID)
    return (_GRID + m) * Fraction(2) ** e


def _least(holds: Callable[[int], bool], start: int) -> int:
    """Return an integer at which a condition holds, and not one before, near a start."""
    step = 1
    if holds(start):
        low, high = start - step, start
        while holds(low):
            low, high, step = low - 2 * step, low, 2 * step
    else:
        low, high = start, start + step
        while not holds(high):
            low, high, step = high, high + 2 * step, 2 * step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _guess(epsilon: Fraction, delta: Fraction, apart: Sensitivity) -> int:
    """Return about where on the grid the least variance lies: by the profile of continuous noise, where floats do."""
    if epsilon <= 700 and delta > Fraction(1, 10**300):
        epsilon = max(epsilon, Fraction(1, 10**100))  # Delta alone decides below.
        low, high = 2.0**-20, 2.0**400
        while high / low > 1 + 2.0**-14:
            middle = math.sqrt(low * high)
            low, high = (low, middle) if _continuous(float(epsilon), middle) <= float(delta) else (middle, high)
        m, e = math.frexp(high * high)
        scale = apart.l2_squared.bit_length()
        m, more = math.frexp(m * float(Fraction(apart.l2_squared, 1 << scale)))
        return (e + more + scale - 12) * _GRID + int((2 * m - 1) * _GRID)
    bits = max(delta.denominator.bit_length() - delta.numerator.bit_length(), 1)
    rho = min(epsilon * epsilon / (3 * bits), epsilon) or delta * delta
    return (apart.l2_squared.bit_length() - 12 + rho.denominator.bit_length() - rho.numerator.bit_length()) * _GRID


def _continuous(epsilon: float, s: float) -> float:
    """Return about the delta at an epsilon of continuous noise of deviation s, between numbers that are 1 apart."""
    middle, gap = epsilon * s / math.sqrt(2), 1 / (s * math.sqrt(8))
    far = math.erfc(middle + gap)
    slope = math.e ** (-middle * middle) * 4 / math.sqrt(math.pi)
    between = math.erfc(middle - gap) - far if gap > _GAP else slope * gap
    grow = math.e**epsilon - 1 if epsilon > _GAP else epsilon + epsilon**2 / 2
    return (between - grow * far) / 2
