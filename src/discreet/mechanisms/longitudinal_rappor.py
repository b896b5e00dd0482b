"""RAPPOR for many reports: a permanent response, and a fresh response to it for each report [Erlingsson et al. 2014].

Theorem.  For 0 < f <= 1 and 0 <= p < q <= 1, with k bits of which at most m are set, r reports from one permanent
response are m ln max(A, B) + (min(2m, k) - m) ln min(A, B) -DP, where with g = f / 2
    A = ((1 - g) q^r + g p^r) / (g q^r + (1 - g) p^r),
    B = ((1 - g) (1 - p)^r + g (1 - q)^r) / (g (1 - p)^r + (1 - g) (1 - q)^r),
and any number of them are min(2m, k) ln((2 - f) / f) -DP.
Proof: longitudinal_rappor.md, which cites the marked lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Final, final

import numpy as np

from discreet.coins import SYSTEM, Coins
from discreet.core import Measurement
from discreet.domains import BitVectors
from discreet.errors import ParameterError
from discreet.exact import Exact, exact, whole
from discreet.frozen import freeze
from discreet.measures import MaxDivergence, Pure, amount
from discreet.mechanisms._bits import check_rows, law_of_bits
from discreet.metrics import DiscreteDistance
from discreet.reals import Number, exp, float_up, ln, maximum
from discreet.samplers import bernoulli_many

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LongitudinalRappor"]

_MOST_BITS: Final = 1024


@final
@dataclass(frozen=True, slots=True, init=False)
class LongitudinalRappor(Measurement[Any, Any]):
    """Flip each bit with probability f/2, once and for ever; report a 1 of that with probability q, a 0 with p.

    A client draws ``permanent(x)`` once, keeps it, and answers every question with ``instantaneous`` of it: then
    `loss_of` bounds several reports and `loss_for_ever` any number. A `release` is one report from a permanent
    response of its own, so the losses of several releases add up.

    >>> m = LongitudinalRappor(length=8, max_weight=1, f="1/2", p="1/2", q="3/4")
    >>> m.privacy_map(1), m.privacy_map_of(10), m.privacy_map_for_ever()
    (0.5371429320833642, 2.1496720194732206, 2.1972245773362196)
    >>> memo = m.permanent([True] + [False] * 7)
    >>> m.instantaneous(memo).shape
    (8,)
    """

    input_metric: ClassVar[DiscreteDistance] = DiscreteDistance()
    output_measure: ClassVar[MaxDivergence] = MaxDivergence()

    length: int
    max_weight: int
    f: Fraction
    p: Fraction
    q: Fraction

    def __init__(self, *, length: int, max_weight: int, f: Exact, p: Exact, q: Exact) -> None:
        domain, share, no, yes = BitVectors(length, max_weight), exact(f, "f"), exact(p, "p"), exact(q, "q")
        if not 0 < share <= 1:  # proof: range
            raise ParameterError("f", f, "0 < f <= 1")
        if not 0 <= no < 1:  # proof: zero
            raise ParameterError("p", p, "0 <= p < 1")
        if not no < yes <= 1:  # proof: order
            raise ParameterError("q", q, "p < q <= 1, compared exactly")
        freeze(self, length=domain.length, max_weight=domain.max_weight, f=share, p=no, q=yes)

    @classmethod
    def within(cls, *, epsilon: Exact, length: int, max_weight: int, p: Exact, q: Exact) -> LongitudinalRappor:
        """Return the mechanism with the fewest permanent flips whose reports are for ever within a budget.

        >>> m = LongitudinalRappor.within(epsilon=2, length=8, max_weight=1, p="1/2", q="3/4")
        >>> float(m.f), m.privacy_map_for_ever() <= 2
        (0.5378828427399903, True)
        """
        budget, domain = amount(epsilon), BitVectors(length, max_weight)
        bits = min(2 * domain.max_weight, domain.length)
        share = Fraction(2) / (1 + exp(budget / bits)) if bits else Fraction(1)
        return cls(length=length, max_weight=max_weight, f=float_up(share), p=p, q=q)  # proof: within

    @property
    def input_domain(self) -> BitVectors:
        """Vectors of one length with at most *max_weight* bits set."""
        return BitVectors(self.length, self.max_weight)

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """The probabilities that a bit of a report is 1 where the vector's is, and where it is not: the paper's q*, p*.

        >>> LongitudinalRappor(length=8, max_weight=1, f="1/2", p="1/2", q="3/4").support
        (Fraction(11, 16), Fraction(9, 16))
        """
        g = self.f / 2
        return (1 - g) * self.q + g * self.p, g * self.q + (1 - g) * self.p  # proof: support

    def loss(self, d_in: int, /) -> Pure:
        """Return the loss of one report, or 0 between equal vectors."""
        return self.loss_of(self.input_metric.check(d_in))  # proof: one

    def loss_of(self, reports: int, /) -> Pure:
        """Return the exact loss of several reports from one permanent response, between any two vectors."""
        r = whole(reports, "reports", least=0)
        if r.bit_length() > _MOST_BITS:
            raise ParameterError("reports", reports, f"less than 2**{_MOST_BITS}")
        m, bits = self.max_weight, min(2 * self.max_weight, self.length)
        ones, zeros = self._ratio(self.p / self.q, r), self._ratio((1 - self.q) / (1 - self.p), r)
        return Pure((ones + zeros) * (bits - m) + maximum(ones, zeros) * (2 * m - bits))  # proof: map

    def loss_for_ever(self) -> Pure:
        """Return the loss of the permanent response itself, which bounds that of any number of reports."""
        return Pure(ln((2 - self.f) / self.f) * min(2 * self.max_weight, self.length))  # proof: ever

    def privacy_map_of(self, reports: int, /) -> float:
        """Return the loss of several reports from one permanent response, rounded up once."""
        return self.output_measure.up(self.loss_of(reports))

    def privacy_map_for_ever(self) -> float:
        """Return the loss of any number of reports from one permanent response, rounded up once."""
        return self.output_measure.up(self.loss_for_ever())

    def _ratio(self, base: Fraction, r: int) -> Number:
        """Return ln(((1 - g) + g t) / (g + (1 - g) t)) for t = base**r."""
        if r == 0 or self.f == 1:
            return Fraction(0)
        t = exp(ln(base) * r) if base else Fraction(0)
        g = self.f / 2
        return ln((t * g + (1 - g)) / (t * (1 - g) + g))  # proof: ratio

    def sample(self, x: Any, coins: Coins, /) -> NDArray[np.bool_]:
        """Draw one report, from a permanent response of its own."""
        return self.instantaneous(self.permanent(x, coins), coins)

    def permanent(self, x: Any, coins: Coins = SYSTEM, /) -> NDArray[np.bool_]:
        """Draw a permanent response. Keep it secret, and draw no other for the same answer."""
        bits: NDArray[np.bool_] = self.input_domain.take(x)
        return bits ^ bernoulli_many(self.f / 2, self.length, coins)  # proof: permanent

    def instantaneous(self, memo: Any, coins: Coins = SYSTEM, /) -> NDArray[np.bool_]:
        """Draw a report from a permanent response. The same coins are drawn whatever it is."""
        bits = BitVectors(self.length).take(memo)
        zeros = bernoulli_many(self.p, self.length, coins)
        return np.where(bits, bernoulli_many(self.q, self.length, coins), zeros)  # proof: report

    def release_many(self, xs: NDArray[np.bool_], /) -> NDArray[np.bool_]:
        """Return one report for each row of an (n, length) array, each from a permanent response of its own.

        >>> m = LongitudinalRappor(length=3, max_weight=1, f="1/2", p="1/2", q="3/4")
        >>> m.release_many(np.eye(3, dtype=bool)).shape
        (3, 3)
        """
        rows = check_rows(xs, self.input_domain)
        memos = rows ^ bernoulli_many(self.f / 2, rows.size).reshape(rows.shape)
        ones, zeros = (bernoulli_many(share, rows.size).reshape(rows.shape) for share in (self.q, self.p))
        return np.where(memos, ones, zeros)  # proof: rows

    def law(self, x: Any, /) -> Mapping[tuple[bool, ...], Fraction]:
        """Return the probability of each report, for vectors of at most 16 bits."""
        return law_of_bits(x, self.input_domain, *self.support)
