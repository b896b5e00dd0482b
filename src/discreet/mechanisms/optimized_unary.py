"""Optimized unary encoding: two kinds of coins, for the set bit and for the others [Wang, Blocki, Li and Jha 2017].

Theorem.  For 0 < q <= p < 1, reporting a set bit as 1 with probability p and each other with probability q is
(ln(p / q) + ln((1 - q) / (1 - p)))-DP between any two vectors of two or more bits with at most one set.
Proof: optimized_unary.md, which cites the marked lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from discreet.coins import Coins
from discreet.core import Measurement
from discreet.domains import BitVectors
from discreet.errors import ParameterError
from discreet.exact import Exact, exact
from discreet.frozen import freeze
from discreet.measures import MaxDivergence, Pure, amount
from discreet.mechanisms._bits import AT_A_TIME, check_rows, law_of_bits, pack, packed_reports, unpack
from discreet.metrics import DiscreteDistance
from discreet.reals import exp, float_up, ln
from discreet.samplers import bernoulli_many

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["OptimizedUnary"]


@final
@dataclass(frozen=True, slots=True, init=False)
class OptimizedUnary(Measurement[Any, Any]):
    """Report a set bit as 1 with probability p, and any other with probability q.

    The domain is the vectors of *length* bits with at most one set, as ``OneHot`` makes them.

    >>> m = OptimizedUnary(length=8, p="1/2", q="1/4")
    >>> m.privacy_map(1)                                                                # ln 3
    1.0986122886681098
    >>> m.release([True] + [False] * 7).shape
    (8,)
    """

    input_metric: ClassVar[DiscreteDistance] = DiscreteDistance()
    output_measure: ClassVar[MaxDivergence] = MaxDivergence()

    length: int
    p: Fraction
    q: Fraction

    def __init__(self, *, length: int, p: Exact, q: Exact) -> None:
        domain, yes, no = BitVectors(length), exact(p, "p"), exact(q, "q")
        if not 0 < yes < 1:  # proof: bias
            raise ParameterError("p", p, "0 < p < 1")
        if not 0 < no <= yes:  # proof: range
            raise ParameterError("q", q, "0 < q <= p, compared exactly")
        freeze(self, length=domain.length, p=yes, q=no)

    @classmethod
    def within(cls, *, epsilon: Exact, length: int) -> OptimizedUnary:
        """Return the mechanism with p = 1/2 and the least q within a budget; *q* is a float.

        >>> m = OptimizedUnary.within(epsilon=1, length=8)
        >>> float(m.q), m.privacy_map(1) <= 1
        (0.26894142136999516, True)
        """
        budget, domain = amount(epsilon), BitVectors(length)
        least = 1 / (1 + exp(budget)) if domain.length > 1 else exp(-budget) / 2
        return cls(length=length, p=Fraction(1, 2), q=float_up(least))  # proof: within

    @property
    def input_domain(self) -> BitVectors:
        """Vectors of one length with at most one bit set."""
        return BitVectors(self.length, 1)

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """The probabilities that a bit of a report is 1 where the vector's is, and where it is not.

        >>> OptimizedUnary(length=8, p="1/2", q="1/4").support
        (Fraction(1, 2), Fraction(1, 4))
        """
        return self.p, self.q

    def loss(self, d_in: int, /) -> Pure:
        """Return ln(p / q) + ln((1 - q) / (1 - p)), the greater of the two for one bit, or 0 between equal vectors."""
        if self.input_metric.check(d_in) == 0:
            return self.output_measure.zero
        one, other = self.p / self.q, (1 - self.q) / (1 - self.p)
        return Pure(ln(one * other if self.length > 1 else max(one, other)))  # proof: map

    def sample(self, x: Any, coins: Coins, /) -> NDArray[np.bool_]:
        """Draw a report. The same coins are drawn whether a bit is set or none."""
        honest = bernoulli_many(self.p, 1, coins)
        return np.where(np.asarray(x, np.bool_), honest, bernoulli_many(self.q, self.length, coins))  # proof: bits

    def release_many(self, xs: NDArray[np.bool_], /) -> NDArray[np.bool_]:
        """Return a report for each row of an (n, length) array, each independently.

        >>> OptimizedUnary(length=3, p="1/2", q="1/3").release_many(np.eye(3, dtype=bool)).shape
        (3, 3)
        """
        rows = check_rows(xs, self.input_domain)
        honest = bernoulli_many(self.p, len(rows)).reshape(-1, 1)
        return np.where(rows, honest, bernoulli_many(self.q, rows.size).reshape(rows.shape))  # proof: rows

    def release_packed(self, places: NDArray[Any], /) -> NDArray[np.uint8]:
        """Return packed reports on vectors given by the place of their set bit; -1 stands for no bit.

        >>> OptimizedUnary(length=10, p="1/2", q="1/3").release_packed(np.array([0, 9, -1])).shape
        (3, 2)
        """
        return packed_reports(places, self.length, self._fill, AT_A_TIME // self.length)

    def _fill(self, places: NDArray[np.int64], out: NDArray[np.uint8]) -> None:
        bits = bernoulli_many(self.q, places.size * self.length).reshape(-1, self.length)
        rows = np.flatnonzero(places >= 0)
        bits[rows, places[rows]] = bernoulli_many(self.p, places.size)[rows]  # proof: places
        out[:] = np.packbits(bits, axis=1, bitorder="little")

    def law(self, x: Any, /) -> Mapping[tuple[bool, ...], Fraction]:
        """Return the probability of each report, for vectors of at most 16 bits."""
        return law_of_bits(x, self.input_domain, *self.support)

    def pack(self, reports: NDArray[np.bool_], /) -> NDArray[np.uint8]:
        """Return reports as bytes: bit i of a report is bit i % 8, from the lowest, of byte i // 8.

        >>> OptimizedUnary(length=10, p="1/2", q="1/3").pack(np.array([True] + [False] * 8 + [True]))
        array([1, 2], dtype=uint8)
        """
        return pack(reports, self.length)

    def unpack(self, packed: NDArray[np.uint8], /) -> NDArray[np.bool_]:
        """Return the reports that `pack` packed.

        >>> m = OptimizedUnary(length=10, p="1/2", q="1/3")
        >>> m.unpack(m.pack(np.eye(10, dtype=bool)))[3].nonzero()[0].tolist()
        [3]
        """
        return unpack(packed, self.length)
