"""Loss distributions: what releases that are fixed in advance cost together, in integers that are never too small.

Theorem.  Let each release be dominated by a pair of laws that was fixed before the first of them. Then all together,
in any order, each question chosen after the answers before it, are (epsilon, delta)-DP for delta = E(1 - e^(epsilon -
L))+, where L is the sum of independent losses, one of each pair; and for what is computed here, which is no less.
Proof: distributions.md, which cites the marked lines.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, Context, Decimal
from fractions import Fraction
from functools import cached_property, lru_cache, partial, reduce
from itertools import accumulate
from typing import Final, NamedTuple, TypeAlias, final

from flint import fmpz, fmpz_poly

from discreet.accounting.amounts import Amount
from discreet.events import Event, Part
from discreet.exact import Exact
from discreet.measures import amount
from discreet.noise import Laplace, least_positive
from discreet.noise.theta import sum_above
from discreet.reals import Number, Real, enclose_bits, exp, expm1

__all__ = ["LossDistribution"]

_GUARD: Final = 64
"""More bits than the delta that is asked for has; and of what is rounded, more than is kept."""
_SPARE: Final = 24
"""All that is cut off is together at most 2^-24 of the delta that is asked for."""
_POINTS: Final = 1 << 15
"""How many points on each side of 0 a lattice may have."""
_EACH: Final = 1 << 10
"""How many of them one release may reach; each takes half a millisecond to compute."""
_DIGITS: Final = 6
_CEILING: Final = Context(prec=_DIGITS, rounding=ROUND_CEILING, Emax=MAX_EMAX, Emin=MIN_EMIN)
_LAPLACE: Final = ("IntegerLaplace", "LaplaceThreshold")
_GAUSSIAN: Final = ("IntegerGaussian", "GaussianThreshold")


class _LaplacePair(NamedTuple):
    """Discrete Laplace noise, and the same moved by *shift*. Moved by 1 it is a randomized response at 1 / scale."""

    scale: Fraction
    shift: int = 1

    @property
    def step(self) -> Fraction:
        """Of which every loss is a multiple."""
        return 1 / self.scale

    @property
    def rho(self) -> Fraction:
        """What it is at most, as zCDP."""
        return (self.shift / self.scale) ** 2 / 2

    def below(self, loss: Fraction) -> tuple[Number, Number]:
        """Return the probabilities that the loss is at most so much: of the noise, and of the noise that is moved."""
        steps = loss * self.scale
        if steps >= self.shift:
            return Fraction(1), Fraction(1)
        if steps < -self.shift:
            return Fraction(0), Fraction(0)
        k = math.ceil((self.shift - steps) / 2)  # proof: laplace
        return _at_least(self.scale, k), _at_least(self.scale, k - self.shift)


class _GaussianPair(NamedTuple):
    """Discrete Gaussian noise in n numbers, and the same with each of them moved by *shift*."""

    variance: Fraction
    n: int
    shift: int

    @property
    def step(self) -> Fraction:
        """Of which every loss is a multiple; or a hundredth of the deviation, where that is larger."""
        return max(self.shift / (2 * self.variance), _root(2 * self.rho) / 100)

    @property
    def rho(self) -> Fraction:
        """What it is, as zCDP."""
        return self.n * self.shift**2 / (2 * self.variance)

    def below(self, loss: Fraction) -> tuple[Number, Number]:
        """Return the probabilities that the loss is at most so much: of the noise, and of the noise that is moved."""
        k = math.ceil(Fraction(self.n * self.shift, 2) - loss * self.variance / self.shift)  # proof: gaussian
        v, n = self.variance, self.n
        return _sum_at_least(v, n, k), _sum_at_least(v, n, k - n * self.shift)


# The same number is the same expression, which is evaluated once, and tells cells in which there is nothing.
@lru_cache(maxsize=1 << 16)
def _at_least(scale: Fraction, k: int) -> Number:
    """Return the probability that Laplace noise is at least k."""
    return Laplace(scale).at_least(k)


@lru_cache(maxsize=1 << 16)
def _sum_at_least(variance: Fraction, n: int, k: int) -> Number:
    """Return the probability that n draws of Gaussian noise come to k at least."""
    return Real(partial(sum_above, variance, n, k)) if k > 0 else 1 - _sum_at_least(variance, n, 1 - k)


_Pair: TypeAlias = _LaplacePair | _GaussianPair


@final
@dataclass(frozen=True)
class LossDistribution:
    """The loss of releases that are fixed in advance: masses on a lattice, in units of 2^-bits, and at infinity.

    >>> plan = LossDistribution.of(Event.of(moves=[("0.1", 100)]), delta="1e-6")
    >>> float(plan.epsilon("1e-6")), f"{float(plan.delta(3)):.3g}"
    (4.77457, '0.00136')
    """

    step: Fraction
    low: int
    masses: tuple[fmpz, ...]
    infinite: Fraction
    bits: int

    @classmethod
    def of(cls, event: Event, *, delta: Exact) -> LossDistribution:
        """Return the loss of all parts of an event, fine enough for deltas of this size."""
        pairs, infinite = _pairs(event)
        size, count = amount(delta, "delta"), max(sum(pairs.values()), 1)
        small = (size.denominator // size.numerator).bit_length() if size else 0
        bits, spare = -(-(small + _GUARD) // 64) * 64, small + _SPARE + count.bit_length()
        each = {pair: _reach(pair, 1, spare) for pair in pairs}
        reach = {pair: _reach(pair, n, spare) for pair, n in pairs.items()}
        least = max(sum(reach.values(), Fraction(0)) / _POINTS, max(each.values(), default=Fraction(0)) / _EACH)
        step = max(reduce(_common, (pair.step for pair in pairs), Fraction(0)), least) or Fraction(1)
        joint = cls(step, 0, (fmpz(1) << bits,), infinite, bits)  # proof: deltas
        for pair, n in pairs.items():
            own = pair.step if pair.step >= max(reach[pair] / _POINTS, each[pair] / _EACH) else step
            alone = cls._one(pair, own, each[pair], bits)._power(n, 1 << bits - spare)
            joint = joint._then(alone._on(step), 1 << bits - spare)
        return joint

    @classmethod
    def _one(cls, pair: _Pair, step: Fraction, reach: Fraction, bits: int) -> LossDistribution:
        """Return the loss of a pair, each part of it moved to the two points of the lattice around it."""
        top = math.ceil(reach / step)
        found = {j: pair.below(j * step) for j in range(-top, top + 1)}
        fall, split = exp(-step), -1 / expm1(-step)
        masses: list[Number] = [found[-top][0]]  # proof: lowest
        for j in range(-top, top):
            (p, q), (p_next, q_next) = found[j], found[j + 1]
            if (p, q) == (p_next, q_next):
                masses.append(Fraction(0))
                continue
            here, there = p_next - p, (q_next - q) * exp(j * step)
            masses[-1] += (there - here * fall) * split  # proof: down
            masses.append((here - there) * split)  # proof: up
        rounded = [fmpz(max(high, 0)) for _, high in enclose_bits([*masses, 1 - found[top][0]], bits)]  # proof: ceiling
        return cls(step, -top, tuple(rounded[:-1]), Fraction(int(rounded[-1]), 1 << bits), bits)

    def _on(self, step: Fraction) -> LossDistribution:
        """Return the loss on another lattice, each mass moved to the two points around it."""
        if step == self.step:
            return self
        places = [divmod((self.low + i) * self.step, step) for i in range(len(self.masses))]
        low, split = int(places[0][0]), -1 / expm1(-step)
        parts = enclose_bits([-expm1(-rest) * split for _, rest in places], self.bits)
        masses = [fmpz(0)] * (int(places[-1][0]) + 2 - low)
        for (j, _), (least, most), mass in zip(places, parts, self.masses, strict=True):
            masses[int(j) - low] += mass - (mass * least >> self.bits)  # proof: under
            masses[int(j) - low + 1] += -(-mass * most >> self.bits)  # proof: over
        return LossDistribution(step, low, tuple(masses), self.infinite, self.bits)

    def _then(self, other: LossDistribution, cut: int) -> LossDistribution:
        """Return the loss of both: of the sums, rounded up, less ends that hold at most *cut* each."""
        product = fmpz_poly(list(self.masses)) * fmpz_poly(list(other.masses))
        masses = [-(-mass >> self.bits) for mass in product.coeffs()]  # proof: product
        start = bisect_right(list(accumulate(masses)), cut)
        end = len(masses) - bisect_right(list(accumulate(reversed(masses))), cut)
        lost, above = sum(masses[:start], fmpz(0)), sum(masses[end:], fmpz(0))
        kept = [masses[start] + lost, *masses[start + 1 : end]]  # proof: bottom
        infinite = self.infinite + other.infinite + Fraction(int(above), 1 << self.bits)  # proof: top
        return LossDistribution(self.step, self.low + other.low + start, tuple(kept), infinite, self.bits)

    def _power(self, n: int, cut: int) -> LossDistribution:
        """Return the loss of n such releases."""
        if n == 1:
            return self
        half = self._power(n // 2, cut)
        both = half._then(half, cut)
        return both._then(self, cut) if n % 2 else both

    def delta(self, epsilon: Exact, /) -> Fraction:
        """Return a delta at an epsilon, which is not too small."""
        e = amount(epsilon)
        j = math.floor(e / self.step) + 1 - self.low
        if j >= len(self.masses):
            return min(self.infinite, Fraction(1))
        above, weighted = self._sums[max(j, 0)]
        ((least, _),) = enclose_bits([exp(e - (self.low + max(j, 0)) * self.step)], self.bits)
        over = above - (weighted * least >> self.bits)
        return min(self.infinite + Fraction(max(int(over), 0), 1 << self.bits), Fraction(1))  # proof: delta

    @cached_property
    def _sums(self) -> list[tuple[fmpz, fmpz]]:
        """From each point on: the masses, and those times e^-(how far the point is), which is not too large."""
        ((fall, _),) = enclose_bits([exp(-self.step)], self.bits + _GUARD)
        sums, above, weighted = list[tuple[fmpz, fmpz]](), fmpz(0), fmpz(0)
        for mass in reversed(self.masses):
            above, weighted = above + mass, (mass << _GUARD) + (weighted * fall >> self.bits + _GUARD)  # proof: sums
            sums.append((above, weighted >> _GUARD))
        return sums[::-1]

    def epsilon(self, delta: Exact, /) -> Fraction | None:
        """Return an epsilon at a delta, which is not too small; None where there is none."""
        most = amount(delta, "delta")
        return self._least(lambda e: self.delta(e) <= most) if self.infinite <= most else None

    def fairest(self, left: Amount, /) -> Amount | None:
        """Return the point that takes the least share of what is left, of epsilon or of delta; None if it is all.

        >>> plan = LossDistribution.of(Event.of(moves=[("0.1", 100)]), delta="1e-6")
        >>> [f"{float(x):.3g}" for x in plan.fairest(Amount(Fraction(10), Fraction("2e-6")))]
        ['4.78', '9.56e-07']
        """
        if not (left.epsilon > 0 and self.infinite <= left.delta):
            return None
        e = self._least(lambda e: self.delta(e) * left.epsilon <= e * left.delta)  # proof: share
        return Amount(e, _short(self.delta(e)))

    def _least(self, holds: Callable[[Fraction], bool]) -> Fraction:
        """Return the least epsilon, in six digits, at which something holds that holds from some epsilon on."""
        top = (self.low + len(self.masses)) * self.step
        grid = Fraction(10) ** (len(str(math.ceil(top))) - _DIGITS)
        return Fraction(0) if holds(Fraction(0)) else grid * least_positive(lambda k: holds(k * grid))


def _pairs(event: Event) -> tuple[Counter[_Pair], Fraction]:
    """Return the pairs that dominate the parts of an event, and how often; and what tells everything, in all."""
    pairs, infinite = Counter[_Pair](), Fraction(0)
    for part in event.parts:
        gaussian = _gaussian(part)
        if gaussian is None or part.concentrated is None:
            pairs.update(_moves(part))
            infinite += part.delta
        else:
            pairs[gaussian] += 1
            infinite += part.concentrated[1]  # proof: seen
    return pairs, infinite


def _gaussian(part: Part) -> _GaussianPair | None:
    """Return the pair of a part that adds discrete Gaussian noise to numbers which may all differ by as much."""
    variance, apart = dict(part.parameters).get("variance"), part.sensitivity
    if part.mechanism not in _GAUSSIAN or not variance or not (len(apart) == 3 and 0 < apart[1] == apart[0] * apart[2]):
        return None  # proof: equal
    return _GaussianPair(variance, int(apart[0]), int(apart[2]))


def _moves(part: Part) -> Counter[_Pair]:
    """Return a pair for each move: of the noise where it is Laplace noise, else of a randomized response."""
    pairs, scale = Counter[_Pair](), dict(part.parameters).get("scale") if part.mechanism in _LAPLACE else None
    for epsilon, count in part.moves:
        shift = epsilon * (scale or 0)
        whole = shift.denominator == 1 and part.sensitivity[:1] == (Fraction(count),)  # proof: moves
        pairs[_LaplacePair(scale, int(shift)) if scale and whole else _LaplacePair(1 / epsilon)] += count
    return pairs


def _reach(pair: _Pair, n: int, bits: int) -> Fraction:
    """Return a loss of n releases that is exceeded with a probability of about 2^-bits, or never."""
    rho = n * pair.rho
    likely = rho + 2 * _root(rho * bits)
    return min(likely, n * pair.shift / pair.scale) if isinstance(pair, _LaplacePair) else likely


def _root(x: Fraction) -> Fraction:
    """Return about the square root of a number above 0."""
    shift = 2 * max(40 - x.numerator.bit_length() + x.denominator.bit_length(), 0)
    return Fraction(math.isqrt((x.numerator << 2 * shift) // x.denominator), 1 << shift)


def _common(a: Fraction, b: Fraction) -> Fraction:
    """Return the greatest number of which both are multiples."""
    return Fraction(math.gcd(a.numerator * b.denominator, b.numerator * a.denominator), a.denominator * b.denominator)


def _short(x: Fraction) -> Fraction:
    """Return a number of six digits that is at least as large."""
    return Fraction(_CEILING.divide(Decimal(x.numerator), Decimal(x.denominator)))
