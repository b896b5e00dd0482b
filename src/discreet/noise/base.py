"""What a law of noise is: an integer, symmetric around 0 and log-concave, known by its upper tail.

Probabilities, radii, intervals and the laws that audits compare follow from the tail, here, once for every law.
Proof: noise.md, which cites the marked lines.
"""

from __future__ import annotations

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Final

import numpy as np

from discreet.coins import Coins
from discreet.errors import PrecisionError
from discreet.measures import Bound, EpsilonDelta, Loss, Measure
from discreet.metrics import L01InfDistance, L1Distance, Sensitivity
from discreet.reals import Number, Real, exp, float_up, ln, log1p, maximum, sign, total
from discreet.samplers import add_exactly

if TYPE_CHECKING:
    from typing import Self

    from numpy.typing import NDArray

__all__ = ["Noise", "least_positive", "root_up"]

_WIDEN: Final = 1e-9
"""By so much of their error intervals are widened: far more than floats may be wrong by."""
_NEVER: Final = Fraction(1, 1 << 256)


class Noise(ABC):
    """The law of an integer Z that is added to data: Pr[Z = z] = Pr[Z = -z], and Pr[Z = z + 1] / Pr[Z = z] never grows.

    A law states its tail, its variance, how it is drawn, and what it loses; a frozen value, whose fields are public.
    """

    __slots__ = ()

    vector_metric: ClassVar[L1Distance | L01InfDistance] = L1Distance()
    """How far apart vectors are: by l1 alone, unless the loss depends on more."""

    @property
    @abstractmethod
    def measure(self) -> Measure[Loss]:
        """How its loss is stated."""

    @property
    @abstractmethod
    def second_moment(self) -> Number:
        """The expectation of Z squared, exactly."""

    @abstractmethod
    def tail(self, k: int, /) -> Number:
        """Return Pr[Z >= k] exactly, for k >= 1."""

    @abstractmethod
    def draw(self, coins: Coins, /) -> int:
        """Draw one Z."""

    @abstractmethod
    def draws(self, n: int, coins: Coins, /, *, private_size: bool = False) -> NDArray[Any]:
        """Draw *n* independent Z, as int64 or Python ints; with *private_size* nothing that depends on n is kept."""

    @abstractmethod
    def loss(self, sensitivity: Sensitivity, /) -> Loss:
        """Return the exact loss of numbers with independent noise in each, between data so far apart."""

    def equal_moves(self, sensitivity: Sensitivity, /) -> int:
        """Return into how many equal losses, of independent draws, the loss divides: 1 where that is not known."""
        return 1

    def rho(self, sensitivity: Sensitivity, /) -> Bound | None:
        """Return the loss as zCDP; None where it follows from the epsilons of the moves."""
        return None

    def joint(
        self, threshold: int, most: int, shared: Callable[[int], Sensitivity], new: Callable[[int], Sensitivity], /
    ) -> EpsilonDelta | None:
        """Return the loss of noisy values, seen above a threshold, of which one side may lack up to *most*.

        Where it lacks at most j, those are *new(j)* above 0, and the others *shared(j)* apart. None: add up the parts.
        """
        return None

    def surprise(self, threshold: int, apart: Sensitivity, /) -> Number:
        """Return the greatest -ln Pr[no c + Z is above a threshold], over values c >= 1 within a distance of 0.

        n values get 1 each; the rest of l1 is packed onto as few of them as possible, up to li. Of all n, four need a
        look.

        >>> from discreet import Laplace
        >>> float_up(Laplace(2).surprise(30, Sensitivity(l0=1, l1=1, li=1)))
        1.9041177196098216e-07
        """
        l0, l1, li = apart
        room = li - 1  # What a value can take beyond its first unit.
        fewest = -(-l1 // li) if li else 0
        counts = {l0, fewest}  # proof: candidates
        if room > 0:
            spare = [l1 - n for n in counts]  # What is left for packing with the most and the fewest values.
            counts |= {l1 - -(-min(spare) // room) * room, l1 - max(spare) // room * room}  # proof: multiples
        return maximum(*(self._packed(threshold, l1, li, n) for n in counts if fewest <= n <= l0))

    def _packed(self, threshold: int, l1: int, li: int, n: int) -> Number:
        """Return -ln Pr[none is above], when l1 is packed onto n values: nothing cancels, however small."""
        room = li - 1
        full, rest = divmod(l1 - n, room) if room > 0 else (0, 0)
        packing = [(full, li), (int(rest > 0), 1 + rest), (n - full - int(rest > 0), 1)]
        tails = [(self.at_least(threshold + 1 - c), count) for count, c in packing if count]
        return total(-log1p(-tail) * count for tail, count in tails)  # proof: packed

    @classmethod
    @abstractmethod
    def within(cls, budget: Loss, sensitivity: Sensitivity, /) -> Self:
        """Return the least noise whose loss between data so far apart is within a budget."""

    def add(self, values: NDArray[Any] | list[int], coins: Coins, /, *, private_size: bool = False) -> NDArray[Any]:
        """Return integers with independent noise added to each, exactly: Python ints where int64 is too small.

        With *private_size* how many there are decides nothing that outlives the call.
        """
        return add_exactly(values, lambda n: self.draws(n, coins, private_size=private_size))

    def log_moment(self, t: Fraction, /) -> Number | None:
        """Return an upper bound on ln E exp(t Z), for t >= 0; None where none is known."""
        return None

    @property
    def deviation(self) -> float:
        """The standard deviation, as a float that may be a little too large."""
        return root_up(self.second_moment)

    def at_least(self, k: int, /) -> Number:
        """Return Pr[Z >= k] for k of either sign."""
        return self.tail(k) if k > 0 else 1 - self.tail(1 - k)  # proof: either

    def point(self, z: int, /) -> Number:
        """Return Pr[Z = z]."""
        return self.at_least(abs(z)) - self.tail(abs(z) + 1)  # proof: point

    def reach(self, p: Number, /) -> int:
        """Return the least k >= 1 with Pr[Z >= k] <= p, for p > 0."""
        return least_positive(lambda k: sign(self.tail(k) - p) <= 0)

    def radius(self, error: Fraction, /) -> int:
        """Return the least r that Z exceeds in size with a probability of at most *error*."""
        return self.reach(error / 2) - 1  # proof: radius

    def needed(self, threshold: int, probability: Fraction, /) -> int:
        """Return the least count that noise leaves strictly above a threshold with a probability of 1/2 or more."""
        return threshold + self.reach(1 - probability)  # proof: needed

    def interval(
        self, values: Any, error: Fraction, /, *, threshold: int | None = None
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return both ends of intervals for integers whose noisy values are seen; each misses with probability *error*.

        With a threshold, a value is seen only if it is above it, and the integers are counts, of at least 1.
        """
        if threshold is not None:
            return self._above(np.asarray(values, np.int64), threshold, float(error) * (1 - _WIDEN))
        seen, reach = np.asarray(values), self.radius(error)
        low, high = (add_exactly(seen, partial(_repeated, end)) for end in (-reach, reach))
        return low, high

    def pair(self, x: int, y: int, /, *, low: int | None = None, high: int | None = None) -> tuple[Events, Events]:
        """Return the laws of x + Z and y + Z, moved to the nearest bound if there are any, over common events.

        Outcomes between which the ratio of the two probabilities does not change are one event.
        """
        first, last = min(x, y) - self.settled, max(x, y) + self.settled
        first = first if low is None else max(first, low)
        last = last if high is None else min(last, high)
        if first >= last:
            return {"anything": Fraction(1)}, {"anything": Fraction(1)}
        laws = []
        for mean in (x, y):
            law: Events = {f"<= {first}": self.at_least(mean - first)}
            law |= {z: self.point(z - mean) for z in range(first + 1, last)}
            law[f">= {last}"] = self.at_least(last - mean)  # proof: pair
            laws.append(law)
        return laws[0], laws[1]

    @property
    def settled(self) -> int:
        """A size from which on every probability is the same multiple of the one before.

        Where there is none, one that Z exceeds with a probability of at most 2**-256.
        """
        return self.reach(_NEVER)

    def chances(self, k: Any, /) -> NDArray[np.float64]:
        """Return Pr[Z >= k] for many k of either sign as floats, which may be a little wrong: for statistics."""
        tails = self.tails(np.where(k > 0, k, 1 - k))
        return np.where(k > 0, tails, 1 - tails)

    def tails(self, k: NDArray[Any], /) -> NDArray[np.float64]:
        """Return the tail at many k >= 1 as floats, which may be a little wrong: for statistics."""
        different, places = np.unique(k, return_inverse=True)
        return np.array([float_up(self.tail(int(each))) for each in different], np.float64)[places].reshape(k.shape)

    def _above(self, seen: NDArray[Any], threshold: int, error: float) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return intervals for counts, of which a noisy value is seen only if it is above a threshold.

        The law of a value that is seen grows with the count. So the counts under which it is not too large, nor too
        small, each with half of the error, lie between two ends. Counts so far below the threshold that hardly any of
        their values are seen are not told apart.
        """
        reach = self.reach(Fraction(error) / 4) + 1
        bottom = max(threshold + 1 - reach, 1)
        lowest = np.where(seen - reach > threshold, seen - reach, bottom)

        def not_too_large(count: NDArray[Any]) -> NDArray[np.bool_]:
            return np.asarray(self.chances(seen - count) >= error / 2 * self.chances(threshold + 1 - count))

        def too_small(count: NDArray[Any]) -> NDArray[np.bool_]:
            above = self.chances(threshold + 1 - count)
            return np.asarray(above - self.chances(seen + 1 - count) < error / 2 * above)

        low = _firsts(lowest, seen, not_too_large)  # proof: low
        high = np.maximum(_firsts(seen, seen + reach, too_small) - 1, seen)  # proof: high
        return np.where(low <= bottom, 1, low), high  # proof: bottom


Events = dict[Any, Number]


def root_up(x: Number) -> float:
    """Return the square root of a number >= 0, as a float that may be a little too large."""
    rounded = float_up(x)
    root = math.nextafter(math.sqrt(rounded), math.inf) if rounded else 0.0
    if rounded == 0 or sys.float_info.min < rounded < math.inf:
        return root
    try:  # From above, since no enclosure tells a root from a float that it may be.
        half = ln(x) / 2
        return float_up(exp(half.enclosure(1 << 12)[1] if isinstance(half, Real) else half))
    except PrecisionError:  # Nearer to 0 than can be said.
        return root


def _repeated(value: int, n: int) -> NDArray[Any]:
    return np.full(n, value, np.int64 if abs(value) < 1 << 63 else object)


def least_positive(holds: Callable[[int], bool]) -> int:
    """Return the least integer >= 1 from which on a condition holds."""
    low, high = 0, 1
    while not holds(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high


def _firsts(low: NDArray[Any], high: NDArray[Any], holds: Callable[[NDArray[Any]], NDArray[np.bool_]]) -> NDArray[Any]:
    """Return the least integers between two ends from which on a condition holds; the upper end if none does."""
    while (low < high).any():
        middle = (low + high) // 2
        yes = holds(middle)
        low, high = np.where(yes, low, middle + 1), np.where(yes, middle, high)
        low = np.minimum(low, high)
    return low
