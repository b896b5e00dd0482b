"""Counts per key where the keys themselves are private: noise and a threshold [Korolova et al. 2009].

Theorem.  Drop the zeros, add noise to each value, and release the pairs that come out strictly above T. Between maps
that differ in at most l0 keys, by l1 in all and li at most, the release loses what the noise loses between values of
keys that both have, and delta beyond it: the greatest probability that a key which one of the maps lacks is released.
Proof: keep_above.md, which cites the marked lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from discreet.coins import Coins
from discreet.core import Measurement, numbers
from discreet.domains import Integers, Maps, Texts, saturated
from discreet.errors import KindError, ParameterError
from discreet.events import Event, event_of
from discreet.exact import Exact, exact, whole
from discreet.frozen import freeze
from discreet.measures import INFINITE, Approximate, EpsilonDelta, MaxDivergence, amount
from discreet.metrics import L01InfDistance, Sensitivity
from discreet.noise import Noise, least_positive
from discreet.reals import Number, expm1, log1p, sign
from discreet.samplers import fitted

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["KeepAbove"]


@dataclass(frozen=True, slots=True, init=False)
class KeepAbove(Measurement[Any, Any]):
    """Release the noisy values of a map's keys that come out strictly above a threshold.

    The data are a dict, or a pair of arrays (distinct keys, values); the release is of the same kind, in an order that
    depends on nothing but what is released. The *domain* declares the keys' type: texts, unless another is given. Under
    a negative threshold the pairs strictly below it are released.

    >>> from discreet import Laplace
    >>> m = KeepAbove(Laplace(2), threshold=30)
    >>> m.privacy_map((1, 1, 1))
    (0.5, 1.9041175383266187e-07)
    >>> set(m.release({"Rome": 1000, "Brig": 1})) <= {"Rome", "Brig"}
    True
    """

    input_metric: ClassVar[L01InfDistance] = L01InfDistance()
    output_measure: ClassVar[Approximate] = Approximate(MaxDivergence())

    noise: Noise
    threshold: int
    domain: Maps

    def __init__(
        self,
        noise: Noise,
        threshold: int,
        domain: Maps = Maps(Texts(), Integers()),  # noqa: B008  A frozen value.
    ) -> None:
        if not isinstance(noise, Noise):
            raise KindError("noise", noise, "a Noise, such as Laplace(2)")
        if not (isinstance(domain, Maps) and isinstance(domain.values, Integers)):
            raise KindError("domain", domain, "Maps(..., Integers())")
        self.output_measure.lift(noise.measure.zero)  # A loss in other terms is no (epsilon, delta).
        freeze(self, noise=noise, threshold=whole(threshold, "threshold"), domain=domain)

    @property
    def input_domain(self) -> Maps:
        """Maps from keys to integers."""
        return self.domain

    def sensitivity(self, d_in: tuple[int, Exact, Exact], /) -> tuple[Sensitivity, Sensitivity]:
        """Return how far apart two maps of the domain may be: on keys that both have, and on keys that one lacks.

        >>> from discreet import Laplace
        >>> m = KeepAbove(Laplace(2), 30, Maps(Texts(), Integers(0, 5)))
        >>> m.sensitivity((2, 100, 100))
        (Sensitivity(l0=2, l1=8, li=4), Sensitivity(l0=2, l1=10, li=5))
        """
        distances = self.input_metric.check(d_in)
        return self._values.shared(distances), self._values.new(distances)

    @classmethod
    def distances(cls, l0: int, l1: Exact | None, li: Exact) -> Sensitivity:
        """Return distances above 0, as a user may type them; *l1* is l0 times li where it is not given.

        >>> KeepAbove.distances(3, None, 2)
        Sensitivity(l0=3, l1=6, li=2)
        """
        l1 = whole(l0, "l0", least=0) * exact(li, "li") if l1 is None else l1
        apart = cls.input_metric.check((l0, l1, li))
        if apart.l1 == 0:
            raise ParameterError("(l0, l1, li)", tuple(apart), "distances above 0")
        return apart

    @property
    def _values(self) -> _Values:
        return _Values.of(self.domain, positive=self.threshold >= 0)

    def loss(self, d_in: tuple[int, Exact, Exact], /) -> EpsilonDelta:
        """Return (epsilon, delta); raise if the threshold is below li, where no delta is worth having."""
        (shared, new), t = self.sensitivity(d_in), abs(self.threshold)
        both = self.output_measure.lift(self.noise.loss(shared))  # proof: map
        if both.epsilon == INFINITE:
            return EpsilonDelta(INFINITE, Fraction(1))
        if new.li > t:  # proof: stable
            raise ParameterError("d_in", d_in, f"li <= {t}, the threshold")
        joint = self._joint(t, self.input_metric.check(d_in))
        if joint is not None:
            return joint
        return EpsilonDelta(both.epsilon, both.delta + self._unseen(new))  # proof: sum

    def _unseen(self, new: Sensitivity) -> Number:
        """Return the probability that a key is seen which one of two maps lacks."""
        return -expm1(-self.noise.surprise(abs(self.threshold), new)) if new.l0 else Fraction(0)  # proof: delta

    def _joint(self, threshold: int, distances: Sensitivity) -> EpsilonDelta | None:
        """Return the joint loss of noise and new keys, if the noise knows it."""
        values, (l0, l1, li) = self._values, distances
        l0 = values.count(l0)
        return self.noise.joint(
            threshold,
            values.new(distances).l0,
            lambda j: values.shared(Sensitivity(l0 - j, l1 - j, li)),  # proof: rest
            lambda j: values.new(Sensitivity(j, l1, li)),  # proof: lacking
        )  # proof: joint

    def event(self, d_in: tuple[int, Exact, Exact], /) -> Event:
        """Return what the noise tells, with a move for each value that may differ, where these are equal."""
        apart, new = self.sensitivity(d_in)
        rho = self.noise.rho(apart)
        return event_of(
            self.loss(d_in),
            mechanism=type(self).__name__,
            sensitivity=self.input_metric.check(d_in),
            parameters=numbers(self) | numbers(self.noise),
            equal=self.noise.equal_moves(apart),
            concentrated=None if rho is None else (rho, self._unseen(new)),  # proof: concentrated
        )

    def least_above(self, delta: Exact, d_in: tuple[int, Exact, Exact], /) -> int:
        """Return the least threshold at which keys that one of two maps lacks are released with probability *delta*.

        Where the noise knows the joint loss, it is the least at which the delta of both together is at most that.

        >>> from discreet import Laplace
        >>> KeepAbove(Laplace(3), threshold=0).least_above("1e-6", (3, 3, 1))
        44
        """
        most = amount(delta, "delta")
        if not 0 < most <= 1:
            raise ParameterError("delta", delta, "0 < delta <= 1")
        (shared, new), distances = self.sensitivity(d_in), self.input_metric.check(d_in)
        least = _least_threshold(self.noise, new, most)
        if self._joint(least, distances) is None:
            return least
        if sign(self.output_measure.lift(self.noise.loss(shared)).delta - most) > 0:
            raise ParameterError("delta", delta, "more: the noise alone loses more at its epsilon")

        def enough(k: int) -> bool:
            joint = self._joint(least + k, distances)
            return joint is not None and sign(joint.delta - most) <= 0

        return least if enough(0) else least + least_positive(enough)  # proof: climb

    def sample(self, x: Any, coins: Coins, /) -> Any:
        """Draw a release: a dict for a dict, a pair of arrays for a pair of arrays."""
        if isinstance(x, dict):
            places, noisy = self.keep(fitted(list(x.values())), coins)
            keys, values = list(x), noisy.tolist()
            released = [keys[i] for i in places.tolist()]
            return {released[i]: values[i] for i in self.domain.keys.order(released, coins)}  # proof: order
        places, noisy = self.keep(x[1], coins)
        shown = self.domain.keys.array(x[0][places])  # proof: type
        order = self.domain.keys.order(shown, coins)  # proof: orders
        return shown[order], noisy[order]

    def keep(self, values: NDArray[Any], coins: Coins) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """Return the places of the values that are released, in their order, and what they are with noise."""
        kept = np.flatnonzero(values)  # proof: drop
        noisy = self.noise.add(values[kept], coins, private_size=True)  # proof: noise
        above = noisy > self.threshold if self.threshold >= 0 else noisy < self.threshold  # proof: strict
        released = noisy[above]
        if released.dtype == object:  # The type of the array, too, is decided by what is released alone.
            released = fitted(released.tolist())
        return kept[above], saturated(released, self.domain.values)


@dataclass(frozen=True, slots=True)
class _Values:
    """The values that a key may have, 0 left out, mirrored where a threshold is negative; and how many keys there are.

    None stands for no bound.
    """

    low: int | None
    high: int | None
    keys: int | None

    @classmethod
    def of(cls, domain: Maps, *, positive: bool) -> _Values:
        low, high = domain.values.low, domain.values.high  # type: ignore[attr-defined]
        if not positive:
            low, high = None if high is None else -high, None if low is None else -low
        return cls(1 if low == 0 else low, -1 if high == 0 else high, domain.keys.count)  # proof: nonzero

    def shared(self, d_in: Sensitivity) -> Sensitivity:
        """Return by how much two maps within a distance may differ on the keys that both have."""
        l0, l1, li = d_in
        step = 1
        if self.low is not None and self.high is not None:
            li = min(li, max(self.high - self.low, 0))  # proof: width
            step = 2 if self.low + self.high == 0 and self.high == 1 else 1  # Between -1 and 1 there is only 0.
        l0, l1, li = Sensitivity(self.count(l0), l1 // step, li // step).tightest()
        return Sensitivity(l0, l1 * step, li * step)  # proof: shared

    def new(self, d_in: Sensitivity) -> Sensitivity:
        """Return how many keys only one of two maps may have, and their values' sum and greatest, but for signs."""
        l0, l1, li = d_in
        least, most = self.low, self.high
        if most is not None and most < 0:
            least, most = -most, None if self.low is None else -self.low
        m = 1 if least is None else max(least, 1)
        li = li if most is None else min(li, most)
        if li < m:
            return Sensitivity(0, 0, 0)
        return Sensitivity(min(self.count(l0), l1 // m), l1, li).tightest()  # proof: new

    def count(self, l0: int) -> int:
        """Return how many keys may differ, of l0 that are allowed to."""
        return l0 if self.keys is None else min(l0, self.keys)


def _least_threshold(noise: Noise, new: Sensitivity, most: Fraction) -> int:
    """Return the least threshold at which delta is at most *most*, between bounds that close in on it."""
    l0, l1, li = new
    if most == 1 or l0 == 0:
        return li
    full = l1 // li  # So many keys may have a value of li at once.
    low = li - 2 + noise.reach(most if full == 1 else -expm1(log1p(-most) / full))  # proof: start
    if full == l0:  # proof: full
        return low + 1
    here, high = low + 1, None
    while high is None or high - low > 1:
        surprise = noise.surprise(here, new)
        # To divide the surprise by a number it is enough to divide the tail of the greatest value by it.
        tail = -log1p(-most) / surprise * noise.tail(here + 1 - li) if surprise else Fraction(1)
        there = li - 1 + noise.reach(tail)
        if there > here:  # proof: up
            low = here
            here = there if high is None or there < high else (low + high) // 2
        else:  # proof: down
            low, high = max(low, there - 1), here
            here = low + 1
    return high
