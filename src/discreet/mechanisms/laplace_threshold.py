"""Counts per key where the keys themselves are private: integer Laplace noise and a threshold [Korolova et al. 2009].

Theorem.  Drop the zeros, add discrete Laplace noise of scale s to each value, and release the pairs that come out
strictly above T. Between maps that differ in at most l0 keys, by l1 in all and li at most, the release is
(l1 / s, delta)-DP, where delta is the greatest probability that a key which one of the maps lacks is released.
Proof: laplace_threshold.md, which cites the marked lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from discreet.coins import Coins
from discreet.core import Measurement
from discreet.domains import Integers, Keys, Maps, Texts, freeze, saturated
from discreet.errors import KindError, ParameterError
from discreet.exact import Exact, exact, whole
from discreet.measures import INFINITE, Approximate, EpsilonDelta, MaxDivergence, amount
from discreet.metrics import L01InfDistance
from discreet.reals import Number, exp, expm1, float_up, floor_bits, ln, log1p, maximum, total
from discreet.samplers import add_discrete_laplace, below, fitted

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LaplaceThreshold", "continuous_laplacian_tail_to_alpha", "discrete_laplacian_tail_to_alpha"]


@final
@dataclass(frozen=True, slots=True, init=False)
class LaplaceThreshold(Measurement[Any, Any]):
    """Release the noisy values of a map's keys that come out strictly above a threshold.

    The data are a dict, or a pair of arrays (distinct keys, values); the release is of the same kind, in an order that
    depends on nothing but what is released. The *domain* declares the keys' type: texts, unless another is given. Under
    a negative threshold the pairs strictly below it are released.

    >>> m = LaplaceThreshold(scale=2, threshold=30)
    >>> m.privacy_map((1, 1, 1))
    (0.5, 1.9041175383266187e-07)
    >>> set(m.release({"Rome": 1000, "Brig": 1})) <= {"Rome", "Brig"}
    True
    """

    input_metric: ClassVar[L01InfDistance] = L01InfDistance()
    output_measure: ClassVar[Approximate] = Approximate(MaxDivergence())

    scale: Fraction
    threshold: int
    domain: Maps

    def __init__(
        self,
        *,
        scale: Exact,
        threshold: int,
        domain: Maps = Maps(Texts(), Integers()),  # noqa: B008  A frozen value.
    ) -> None:
        s = exact(scale, "scale")
        if s < 0:  # proof: scale
            raise ParameterError("scale", scale, "scale >= 0")
        if not (isinstance(domain, Maps) and isinstance(domain.values, Integers)):
            raise KindError("domain", domain, "Maps(..., Integers())")
        freeze(self, scale=s, threshold=whole(threshold, "threshold"), domain=domain)

    @classmethod
    def within(
        cls,
        *,
        epsilon: Exact,
        delta: Exact,
        l0: int = 1,
        l1: Exact | None = None,
        li: Exact = 1,
        domain: Maps = Maps(Texts(), Integers()),  # noqa: B008  A frozen value.
    ) -> LaplaceThreshold:
        """Return the mechanism with the least scale, and then the least threshold, within a budget at a distance.

        *l1* is l0 times li where it is not given.

        >>> LaplaceThreshold.within(epsilon=1, delta="1e-6", l0=3).threshold
        44
        """
        budget, most = amount(epsilon), amount(delta, "delta")
        if budget == 0:
            raise ParameterError("epsilon", epsilon, "epsilon > 0")
        if not 0 < most <= 1:
            raise ParameterError("delta", delta, "0 < delta <= 1")
        d_in = L01InfDistance().check((l0, whole(l0, "l0", least=0) * exact(li, "li") if l1 is None else l1, li))
        if d_in[1] == 0:
            raise ParameterError("(l0, l1, li)", d_in, "distances above 0")
        values = _Values.of(cls(scale=0, threshold=0, domain=domain).domain, positive=True)
        s = Fraction(values.shared(d_in) or d_in[1]) / budget  # proof: within
        return cls(scale=s, threshold=_least_threshold(s, values.new(d_in), most), domain=domain)

    @property
    def input_domain(self) -> Maps:
        """Maps from keys to integers."""
        return self.domain

    def loss(self, d_in: tuple[int, Exact, Exact], /) -> EpsilonDelta:
        """Return (l1 / scale, delta); raise if the threshold is below li, where no delta is worth having.

        In a bounded domain l0, l1 and li are at most what two of its maps can differ by.
        """
        distances, t = self.input_metric.check(d_in), abs(self.threshold)
        values = _Values.of(self.domain, positive=self.threshold >= 0)
        shared, (new, l1, li) = values.shared(distances), values.new(distances)
        if shared == new == 0:  # proof: zero
            return self.output_measure.zero
        if self.scale == 0:
            return EpsilonDelta(INFINITE, Fraction(1))
        if li > t:  # proof: stable
            raise ParameterError("d_in", d_in, f"li <= {t}, the threshold")
        delta = -expm1(-_surprise(self.scale, t, (new, l1, li))) if new else Fraction(0)  # proof: delta
        return EpsilonDelta(shared / self.scale, delta)  # proof: map

    def sample(self, x: Any, coins: Coins, /) -> Any:
        """Draw a release: a dict for a dict, a pair of arrays for a pair of arrays."""
        if isinstance(x, dict):
            places, noisy = self._released(fitted(list(x.values())), coins)
            keys, values = list(x), noisy.tolist()
            released = [keys[i] for i in places.tolist()]
            return {released[i]: values[i] for i in _order(released, self.domain.keys, coins)}  # proof: order
        places, noisy = self._released(x[1], coins)
        shown = self.domain.keys.array(x[0][places])  # proof: type
        order = _order(shown, self.domain.keys, coins)  # proof: orders
        return shown[order], noisy[order]

    def _released(self, values: NDArray[Any], coins: Coins) -> tuple[NDArray[np.intp], NDArray[Any]]:
        """Return the places of the keys that are released, and their noisy values."""
        kept = np.flatnonzero(values)  # proof: drop
        noisy = add_discrete_laplace(values[kept], self.scale, coins, private_size=True)  # proof: noise
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

    def shared(self, d_in: tuple[int, int, int]) -> int:
        """Return by how much two maps within a distance may differ, in all, on the keys that both have."""
        l0, l1, li = d_in
        step = 1
        if self.low is not None and self.high is not None:
            li = min(li, max(self.high - self.low, 0))  # proof: width
            step = 2 if self.low + self.high == 0 and self.high == 1 else 1  # Between -1 and 1 there is only 0.
        return min(l1 // step, self._keys(l0) * (li // step)) * step  # proof: shared

    def new(self, d_in: tuple[int, int, int]) -> tuple[int, int, int]:
        """Return how many keys only one of two maps may have, and their values' sum and greatest, but for signs."""
        l0, l1, li = d_in
        least, most = self.low, self.high
        if most is not None and most < 0:
            least, most = -most, None if self.low is None else -self.low
        m = 1 if least is None else max(least, 1)
        li = li if most is None else min(li, most)
        if li < m:
            return 0, 0, 0
        return L01InfDistance().check((min(self._keys(l0), l1 // m), l1, li))  # proof: new

    def _keys(self, l0: int) -> int:
        return l0 if self.keys is None else min(l0, self.keys)


def discrete_laplacian_tail_to_alpha(scale: Exact, tail: int) -> float:
    """Return Pr[Z > tail], rounded up, for discrete Laplace noise Z of a scale, and tail >= 0.

    >>> discrete_laplacian_tail_to_alpha(1, 5)
    0.0018121130430497389
    """
    return float_up(_tail(_positive_scale(scale), whole(tail, "tail", least=0)))


def continuous_laplacian_tail_to_alpha(scale: Exact, tail: Exact) -> float:
    """Return Pr[C > tail], rounded up, for continuous Laplace noise C of a scale, and tail >= 0.

    It is never less than the discrete tail, which is what the mechanism uses.

    >>> continuous_laplacian_tail_to_alpha(1, 5)
    0.003368973499542734
    """
    t = exact(tail, "tail")
    if t < 0:
        raise ParameterError("tail", tail, "tail >= 0")
    return float_up(exp(-t / _positive_scale(scale)) / 2)


def _order(keys: list[Any] | NDArray[Any], domain: Keys, coins: Coins) -> Any:
    """Return the places of keys in an order that the set of them decides: sorted, or shuffled where they have none."""
    if not domain.ordered:
        return _shuffled(list(range(len(keys))), coins)
    if isinstance(keys, np.ndarray) and keys.dtype.kind in "iufbM":  # NaN comes last there, too.
        return np.argsort(keys, kind="stable")
    listed = keys.tolist() if isinstance(keys, np.ndarray) else keys
    ranks = listed if isinstance(domain, Texts) else [domain.rank(key) for key in listed]
    return sorted(range(len(ranks)), key=ranks.__getitem__)


def _shuffled(items: list[Any], coins: Coins) -> list[Any]:
    """Return the items in an order drawn uniformly [Fisher and Yates 1938]."""
    for i in range(len(items) - 1, 0, -1):
        j = below(i + 1, coins)
        items[i], items[j] = items[j], items[i]
    return items


def _tail(s: Fraction, t: int) -> Number:
    """Return Pr[Z > t] = exp(-t / s) / (exp(1 / s) + 1) for t >= 0."""
    return exp(-(t + 1) / s) / (1 + exp(-1 / s))  # proof: tail


def _surprise(s: Fraction, threshold: int, d_in: tuple[int, int, int]) -> Number:
    """Return the greatest -ln Pr[no new key is released], over the keys that one of two maps may have alone.

    n keys get 1 each; the rest of l1 is packed onto as few of them as possible, up to li. Of all n, four need a look.
    """
    l0, l1, li = d_in
    room = li - 1  # What a key can take beyond its first unit.
    keys = {l0, -(-l1 // li)}  # proof: candidates
    if room:
        spare = [l1 - n for n in keys]  # What is left for packing with the most and the fewest keys.
        keys |= {l1 - -(-min(spare) // room) * room, l1 - max(spare) // room * room}
    return maximum(*(_packed(s, threshold, l1, li, n) for n in keys if -(-l1 // li) <= n <= l0))


def _packed(s: Fraction, threshold: int, l1: int, li: int, n: int) -> Number:
    """Return -ln Pr[none of n new keys is released], when l1 is packed onto them: nothing cancels, however small."""
    room = li - 1
    full, rest = divmod(l1 - n, room) if room else (0, 0)
    packing = [(full, li), (int(rest > 0), 1 + rest), (n - full - int(rest > 0), 1)]
    return total(-log1p(-_tail(s, threshold - c)) * count for count, c in packing if count)  # proof: packed


def _least_threshold(s: Fraction, d_in: tuple[int, int, int], most: Fraction) -> int:
    """Return the least threshold at which delta is at most *most*, between bounds that close in on it."""
    low, here = d_in[2] - 1, d_in[2]  # The answer is above low.
    high: int | None = None  # The answer is at most high.
    if most == 1 or d_in == (0, 0, 0):
        return here
    allowed = -log1p(-most)
    while here != high:
        # A unit more of threshold divides each tail by e^(1/s), and the surprise by at least as much.
        away = floor_bits(s * ln(_surprise(s, here, d_in) / allowed), 0)  # proof: steps
        if away >= 0:
            low, here = here, here + away + 1
        else:
            high, here = here, max(here + away + 1, low + 1)
    return here


def _positive_scale(scale: Exact) -> Fraction:
    s = exact(scale, "scale")
    if s <= 0:
        raise ParameterError("scale", scale, "scale > 0")
    return s
