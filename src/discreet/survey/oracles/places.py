"""Reports that name one choice, by its place: randomized response."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.domains import Categories
from discreet.errors import KindError, ParameterError, ReportError
from discreet.mechanisms import RandomizedResponse, RandomizedResponseBool
from discreet.survey.counting import count_bytes
from discreet.survey.misfit import Misfit, misfit_of_counts
from discreet.survey.oracles.base import M, Oracle

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.coins import Coins
    from discreet.exact import Exact

__all__ = ["Places", "played"]


class Places(Oracle[M]):
    """A report supports the choice that it names, and no other."""

    says = "choice"
    payload = (
        "the place of the choice, from 0, lowest byte first: 1 byte for up to 256 choices, 2 for up to 65,536, else 4"
    )

    @property
    def width(self) -> int:
        """One byte for up to 256 choices, two for up to 65,536, else four."""
        return 1 if self.size <= 1 << 8 else 2 if self.size <= 1 << 16 else 4

    def both(self, i: int, j: int, /) -> tuple[Fraction, Fraction]:
        """Return 0: no report supports two choices."""
        return Fraction(0), Fraction(0)

    @property
    def alike(self) -> Fraction:
        """Of two answers at most one is the choice that a report names, which is more than the loss alone says."""
        p, q = self.support
        return 2 * q / (p + q)

    @property
    def weights(self) -> tuple[int, int]:
        """A report supports one choice."""
        return 1, 1

    def pack(self, places: NDArray[Any], /) -> NDArray[np.uint8]:
        """Return places as rows of bytes, the lowest byte first."""
        if not isinstance(places, np.ndarray) or places.dtype.kind not in "iu":
            raise KindError("places", type(places), "an array of integers")
        return np.ascontiguousarray(places, f"<u{self.width}").view(np.uint8).reshape(-1, self.width)

    def unpack(self, rows: NDArray[np.uint8], /) -> NDArray[Any]:
        """Return the places that `pack` packed."""
        return np.ascontiguousarray(rows).view(f"<u{self.width}").ravel()

    def valid(self, rows: NDArray[np.uint8], /) -> NDArray[np.bool_]:
        """Return which rows are the place of a choice."""
        return np.asarray(self.unpack(rows) < self.size)

    def supported(self, rows: NDArray[np.uint8], /) -> NDArray[np.bool_]:
        """Return which choice each report names."""
        return np.asarray(self.unpack(rows)[:, None] == np.arange(self.size), np.bool_)

    def count(self, rows: NDArray[np.uint8], /) -> NDArray[np.int64]:
        """Return how many reports name each choice."""
        places = self.unpack(rows)
        if self.width == 1:
            return count_bytes(places)[: self.size]
        return np.bincount(places, minlength=self.size).astype(np.int64)

    def written(self, supported: NDArray[np.bool_], /) -> NDArray[np.uint8]:
        """Return the reports that name the one choice of each row."""
        if (np.count_nonzero(supported, axis=1) != 1).any():
            raise ReportError("impossible", "a report names one choice")
        return self.pack(np.nonzero(supported)[1])

    def misfit(self, supports: NDArray[np.int64], n: int, /) -> Misfit:
        """Return the test for counts that add up to the number of reports."""
        p, q = map(float, self.support)
        return misfit_of_counts(supports, n, p, q, weight=1)


class Responses(Places[RandomizedResponse], of=RandomizedResponse):
    """Randomized response over the choices."""

    @classmethod
    def given(cls, choices: Categories, /) -> dict[str, Any]:
        """Return the choices themselves."""
        return {"categories": choices}

    def needed(self, choices: Categories, /) -> str:
        """Return that the choices are to be the same, and in the same order."""
        return "" if self.mechanism.categories == choices else "the mechanism's categories to be the question's"

    @property
    def size(self) -> int:
        """The number of categories."""
        return len(self.mechanism.categories)

    def perturb(self, places: NDArray[np.int64], /) -> NDArray[np.uint8]:
        """Return the place of each reply."""
        return self.pack(self.mechanism.release_places(places))

    def draw(self, place: int, coins: Coins, /) -> NDArray[np.uint8]:
        """Return the place of one reply."""
        categories = self.mechanism.categories
        reply = self.mechanism.sample(categories.values[place], coins)
        return self.pack(np.array([categories.index(reply)]))


def played(choices: Categories, epsilon: Exact, dice: tuple[int, ...]) -> RandomizedResponse:
    """Return the response that dice can play and that is the most truthful within a budget."""
    found = RandomizedResponse.for_dice(*dice, epsilon=epsilon, categories=choices)
    if found.prob == Fraction(1, len(choices)):
        raise ParameterError("dice", dice, f"dice with more outcomes: within epsilon {epsilon} these say nothing")
    return found


class YesOrNo(Places[RandomizedResponseBool], of=RandomizedResponseBool, planned=False):
    """Randomized response to a question of no and yes, which are the places 0 and 1."""

    @classmethod
    def given(cls, choices: Categories, /) -> dict[str, Any]:
        """Return nothing: the choices are False and True."""
        return {}

    def needed(self, choices: Categories, /) -> str:
        """Return which choices there are to be."""
        return "" if choices == Categories((False, True)) else "the choices False and True, in this order"

    @property
    def size(self) -> int:
        """No and yes."""
        return 2

    def perturb(self, places: NDArray[np.int64], /) -> NDArray[np.uint8]:
        """Return the place of each reply."""
        return self.mechanism.release_many(places.astype(np.bool_)).astype(np.uint8)[:, None]

    def draw(self, place: int, coins: Coins, /) -> NDArray[np.uint8]:
        """Return the place of one reply."""
        return self.pack(np.array([self.mechanism.sample(bool(place), coins)], np.uint8))
