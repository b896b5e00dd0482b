"""Basic RAPPOR: flip each bit of a vector by an independent coin [Erlingsson, Pihur and Korolova 2014].

Theorem.  For 0 < f <= 1, flipping each of k bits, at most m of them set, with probability f/2 is
min(2m, k) ln((2 - f) / f)-DP between any two vectors.
Proof: rappor.md, which cites the marked lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from discreet.coins import SYSTEM, Coins
from discreet.core import Measurement
from discreet.domains import BitVectors
from discreet.errors import DomainError, KindError, ParameterError, UnsupportedError
from discreet.exact import Exact, exact, whole
from discreet.frozen import freeze
from discreet.measures import MaxDivergence, Pure, amount
from discreet.mechanisms._bits import AT_A_TIME, as_array, check_rows, law_of_bits, pack, packed_reports, unpack
from discreet.metrics import DiscreteDistance
from discreet.reals import exp, float_up, ln
from discreet.samplers import bernoulli_many

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Debiased", "Rappor"]


@final
@dataclass(frozen=True, slots=True, init=False)
class Rappor(Measurement[Any, Any]):
    """Flip each bit of a boolean vector with probability f/2.

    The domain is the vectors of *length* bits with at most *max_weight* set: 1 for a one-hot vector, the number of
    hashes for a Bloom filter. With *constant_time* each bit draws and compares the same number of words.

    >>> m = Rappor(length=8, max_weight=1, f="1/2")
    >>> m.privacy_map(1)                                                                # 2 ln 3
    2.1972245773362196
    >>> m.release([True] + [False] * 7).shape
    (8,)
    """

    input_metric: ClassVar[DiscreteDistance] = DiscreteDistance()
    output_measure: ClassVar[MaxDivergence] = MaxDivergence()

    length: int
    max_weight: int
    f: Fraction
    constant_time: bool

    def __init__(self, *, length: int, max_weight: int, f: Exact, constant_time: bool = False) -> None:
        domain, share = BitVectors(length, max_weight), exact(f, "f")
        if not 0 < share <= 1:  # proof: range
            raise ParameterError("f", f, "0 < f <= 1")
        if not isinstance(constant_time, bool):
            raise KindError("constant_time", constant_time, "True or False")
        freeze(self, length=domain.length, max_weight=domain.max_weight, f=share, constant_time=constant_time)

    @classmethod
    def within(cls, *, epsilon: Exact, length: int, max_weight: int, constant_time: bool = False) -> Rappor:
        """Return the mechanism with the fewest flips within a budget; *f* is a float.

        >>> m = Rappor.within(epsilon=2, length=8, max_weight=1)
        >>> float(m.f), m.privacy_map(1) <= 2
        (0.5378828427399903, True)
        """
        domain = BitVectors(length, max_weight)
        bits = min(2 * domain.max_weight, domain.length)
        share = Fraction(2) / (1 + exp(amount(epsilon) / bits)) if bits else Fraction(1)
        f = float_up(share)  # proof: within
        return cls(length=length, max_weight=max_weight, f=f, constant_time=constant_time)

    @property
    def input_domain(self) -> BitVectors:
        """Vectors of one length with at most *max_weight* bits set."""
        return BitVectors(self.length, self.max_weight)

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """The probabilities that a bit of a report is 1 where the vector's is, and where it is not.

        >>> Rappor(length=8, max_weight=1, f="1/2").support
        (Fraction(3, 4), Fraction(1, 4))
        """
        return 1 - self.f / 2, self.f / 2  # proof: support

    def loss(self, d_in: int, /) -> Pure:
        """Return min(2m, k) ln((2 - f) / f), or 0 between equal vectors."""
        if self.input_metric.check(d_in) == 0:
            return self.output_measure.zero
        return Pure(ln((2 - self.f) / self.f) * min(2 * self.max_weight, self.length))  # proof: map

    def sample(self, x: Any, coins: Coins, /) -> NDArray[np.bool_]:
        """Draw a report."""
        return np.asarray(x, np.bool_) ^ self._flips(self.length, coins)  # proof: xor

    def release_many(self, xs: NDArray[np.bool_], /) -> NDArray[np.bool_]:
        """Return a report for each row of an (n, length) array, each independently.

        >>> Rappor(length=3, max_weight=1, f=1).release_many(np.eye(3, dtype=bool)).shape
        (3, 3)
        """
        rows = check_rows(xs, self.input_domain)
        return rows ^ self._flips(rows.size, SYSTEM).reshape(rows.shape)

    def release_packed(self, places: NDArray[Any], /) -> NDArray[np.uint8]:
        """Return packed reports on vectors of one set bit, given by its place; -1 stands for no bit.

        >>> m = Rappor(length=10, max_weight=1, f=5e-324)
        >>> m.release_packed(np.array([0, 9, -1])).tolist()
        [[1, 0], [0, 2], [0, 0]]
        """
        if self.max_weight < 1:
            raise UnsupportedError("max_weight=0: need max_weight >= 1 for vectors of one set bit")

        def fill(known: NDArray[np.int64], out: NDArray[np.uint8]) -> None:
            bits = self._flips(known.size * self.length, SYSTEM).reshape(-1, self.length)
            rows = np.flatnonzero(known >= 0)
            bits[rows, known[rows]] ^= True  # proof: places
            out[:] = np.packbits(bits, axis=1, bitorder="little")

        return packed_reports(places, self.length, fill, AT_A_TIME // self.length)

    def _flips(self, n: int, coins: Coins) -> NDArray[np.bool_]:
        return bernoulli_many(self.f / 2, n, coins, constant_words=self.constant_time)  # proof: flips

    def law(self, x: Any, /) -> Mapping[tuple[bool, ...], Fraction]:
        """Return the probability of each report, for vectors of at most 16 bits."""
        return law_of_bits(x, self.input_domain, *self.support)

    def pack(self, reports: NDArray[np.bool_], /) -> NDArray[np.uint8]:
        """Return reports as bytes: bit i of a report is bit i % 8, from the lowest, of byte i // 8.

        >>> m = Rappor(length=10, max_weight=1, f=1)
        >>> m.pack(np.array([True] + [False] * 8 + [True]))
        array([1, 2], dtype=uint8)
        """
        return pack(reports, self.length)

    def unpack(self, packed: NDArray[np.uint8], /) -> NDArray[np.bool_]:
        """Return the reports that `pack` packed.

        >>> m = Rappor(length=10, max_weight=1, f=1)
        >>> m.unpack(m.pack(np.eye(10, dtype=bool)))[3].nonzero()[0].tolist()
        [3]
        """
        return unpack(packed, self.length)

    def debias(self, reports: NDArray[np.bool_], /) -> Debiased:
        """Return unbiased estimates of how many of the respondents set each bit, and of what share of them.

        >>> m = Rappor(length=3, max_weight=1, f="1/2")
        >>> m.debias(np.array([[True, False, False]] * 4)).counts.tolist()
        [6.0, -2.0, -2.0]
        """
        rows = as_array(reports)
        if rows.dtype != np.bool_ or rows.ndim != 2 or rows.shape[1] != self.length:
            raise DomainError(f"reports are an (n, {self.length}) array of booleans")
        return self.debias_totals(np.count_nonzero(rows, axis=0), len(rows))

    def debias_totals(self, totals: NDArray[Any], n: int, /) -> Debiased:
        """Return the same estimates from the number of reports that set each bit, and the number of reports.

        >>> Rappor(length=2, max_weight=1, f="1/2").debias_totals(np.array([4, 0]), 4).frequencies.tolist()
        [1.5, -0.5]
        """
        n, sums = whole(n, "n", least=0), as_array(totals)
        if n >= 1 << 63:
            raise ParameterError("n", n, "n < 2**63")
        if (
            sums.dtype.kind not in "iu"
            or sums.shape != (self.length,)
            or (sums.size and not 0 <= sums.min() <= sums.max() <= n)
        ):
            raise DomainError(f"totals are {self.length} whole numbers, each from 0 to the number of reports")
        if self.f == 1:
            raise UnsupportedError("f=1: need f < 1 to estimate; with f = 1 a report says nothing about its answer")
        if n == 0:
            raise ParameterError("reports", 0, "at least one report")
        f = self.f
        counts = [(int(y) - n * f / 2) / (1 - f) for y in sums]  # proof: debias
        variance = n * (f / 2) * (1 - f / 2) / (1 - f) ** 2  # proof: variance
        return Debiased(
            n=n,
            counts=np.array([float(c) for c in counts]),
            frequencies=np.array([float(c / n) for c in counts]),
            count_error=float(variance) ** 0.5,
            frequency_error=float(variance / n**2) ** 0.5,
        )


@final
@dataclass(frozen=True, slots=True, eq=False)
class Debiased:
    """Unbiased estimates from RAPPOR reports, for each bit, with their standard errors.

    The errors are those of the coins, for the respondents at hand. Where the respondents are a sample of a larger
    population, add its own variance: ``sample_errors``. Estimates may be negative; sums of them stay unbiased.

    >>> Rappor(length=1, max_weight=1, f="1/2").debias(np.array([[True]] * 9)).count_error
    2.598076211353316
    """

    n: int
    counts: NDArray[np.float64]
    frequencies: NDArray[np.float64]
    count_error: float
    frequency_error: float

    @property
    def sample_errors(self) -> NDArray[np.float64]:
        """The standard error of each frequency where the respondents are a sample of a population."""
        q = np.clip(self.frequencies, 0, 1)
        return np.sqrt(self.frequency_error**2 + q * (1 - q) / self.n)
