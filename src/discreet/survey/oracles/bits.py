"""Reports with one bit a choice, each with a coin of its own: unary encodings and RAPPOR."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np

from discreet.domains import Categories
from discreet.mechanisms import OptimizedUnary, Rappor
from discreet.survey.counting import count_bits, plausible, plausible_weights
from discreet.survey.misfit import Misfit, misfit_of_counts
from discreet.survey.oracles.base import LocalMechanism, M, Oracle

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.coins import Coins

__all__ = ["Bits", "Filters", "Unary"]


class Bits(Oracle[M]):
    """A report supports the choices whose bits are set. Bit i is bit i % 8, from the lowest, of byte i // 8."""

    says = "choices"
    payload = (
        "one bit a choice: bit i is bit i % 8 of byte i // 8, from the lowest; the bits after the last choice are 0"
    )

    @property
    def width(self) -> int:
        """The bytes that hold a bit for each choice."""
        return -(-self.size // 8)

    def valid(self, rows: NDArray[np.uint8], /) -> NDArray[np.bool_]:
        """Return which rows have no bit set after the last choice."""
        if self.size % 8:
            return np.asarray(rows[:, -1] >> np.uint8(self.size % 8) == 0)
        return np.ones(len(rows), np.bool_)

    def supported(self, rows: NDArray[np.uint8], /) -> NDArray[np.bool_]:
        """Return the bits of each report."""
        return np.unpackbits(rows, axis=1, count=self.size, bitorder="little").view(np.bool_)

    def count(self, rows: NDArray[np.uint8], /) -> NDArray[np.int64]:
        """Return how many reports set each bit."""
        return count_bits(rows, self.size)

    def written(self, supported: NDArray[np.bool_], /) -> NDArray[np.uint8]:
        """Return the reports with these bits set."""
        return np.packbits(supported, axis=1, bitorder="little")


class UnaryMechanism(LocalMechanism, Protocol):
    """A mechanism of vectors of one length, whose bits have coins of their own."""

    @property
    def length(self) -> int:
        """The number of bits."""

    def sample(self, x: Any, coins: Coins, /) -> NDArray[np.bool_]:
        """Draw a report."""


class FilterMechanism(UnaryMechanism, Protocol):
    """One whose vectors may have several bits set."""

    @property
    def max_weight(self) -> int:
        """The greatest number of set bits."""


U = TypeVar("U", bound=UnaryMechanism)
F = TypeVar("F", bound=FilterMechanism)


class Unary(Bits[U]):
    """Given the truth, each bit has a coin of its own: p for the truth's, q for any other."""

    @classmethod
    def given(cls, choices: Categories, /) -> dict[str, Any]:
        """Return one bit for each choice."""
        return {"length": len(choices)}

    def needed(self, choices: Categories, /) -> str:
        """Return how many bits there are to be."""
        return "" if self.size == len(choices) else f"a mechanism of length {len(choices)}, one bit for each choice"

    @property
    def size(self) -> int:
        """The number of bits."""
        return self.mechanism.length

    def both(self, i: int, j: int, /) -> tuple[Fraction, Fraction]:
        """Return the products: the two coins are independent."""
        p, q = self.support
        return p * q, q * q

    def draw(self, place: int, coins: Coins, /) -> NDArray[np.uint8]:
        """Return the packed bits of one report."""
        return np.packbits(self.reply(np.arange(self.size) == place, coins)[None, :], axis=1, bitorder="little")

    def reply(self, bits: NDArray[np.bool_], coins: Coins, /) -> NDArray[np.bool_]:
        """Return the bits of one report about a vector."""
        return self.mechanism.sample(bits, coins)

    def plausible(self, rows: NDArray[np.uint8], /) -> NDArray[np.bool_]:
        """Return which rows set as many bits as honest reports do, except with probability 1e-12 each."""
        p, q = map(float, self.support)
        return plausible(rows, self.size, plausible_weights(self.size, p, q))

    def misfit(self, supports: NDArray[np.int64], n: int, /) -> Misfit:
        """Return the test for counts of bits that have coins of their own."""
        p, q = map(float, self.support)
        return misfit_of_counts(supports, n, p, q, own_coins=True)


class OptimizedUnaries(Unary[OptimizedUnary], of=OptimizedUnary):
    """Optimized unary encoding of one choice."""

    def perturb(self, places: NDArray[np.int64], /) -> NDArray[np.uint8]:
        """Return the packed bits of each report."""
        return self.mechanism.release_packed(places)


class Filters(Unary[F]):
    """Bits about any vector of at most *max_weight* set ones: that of one choice, or the Bloom filter of a text."""

    @classmethod
    def given(cls, choices: Categories, /) -> dict[str, Any]:
        """Return one bit for each choice, of which one is set."""
        return {"length": len(choices), "max_weight": 1}

    def needed(self, choices: Categories, /) -> str:
        """Return how many bits there are to be, and that one is set."""
        one = "" if self.mechanism.max_weight == 1 else "max_weight=1, for one choice"
        return super().needed(choices) or one


class Rappors(Filters[Rappor], of=Rappor):
    """RAPPOR's flipped bits."""

    def perturb(self, places: NDArray[np.int64], /) -> NDArray[np.uint8]:
        """Return the packed bits of each report."""
        return self.mechanism.release_packed(places)
