"""Randomized response over t categories [Warner 1965].

Theorem.  For 1/t <= p < 1 the release is ln(p (t - 1) / (1 - p))-DP between any two answers.
Proof: randomized_response.md, which cites the marked lines.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import TYPE_CHECKING, Any, ClassVar, Final, final

import numpy as np

from discreet.coins import SYSTEM, Coins
from discreet.core import Measurement
from discreet.domains import Anything, Categories
from discreet.errors import KindError, ParameterError, UnsupportedError
from discreet.exact import Exact, exact, whole
from discreet.frozen import freeze
from discreet.measures import INFINITE, MaxDivergence, Pure, amount
from discreet.metrics import DiscreteDistance
from discreet.reals import exp, float_down, ln
from discreet.samplers import WORD, Table, below_many, below_real, floor_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["RandomizedResponse"]

_MOST_OUTCOMES: Final = 10**6


@final
@dataclass(frozen=True, slots=True, init=False)
class RandomizedResponse(Measurement[Any, Any]):
    """Answer truthfully with probability *prob*, else with another category, each equally likely.

    An answer outside the categories gets a reply that is uniform over them: refusing it would tell.

    >>> rr = RandomizedResponse(categories=("yes", "no", "unsure"), prob="3/4")
    >>> rr.privacy_map(1)
    1.7917594692280552
    >>> rr.law("no")
    {'yes': Fraction(1, 8), 'no': Fraction(3, 4), 'unsure': Fraction(1, 8)}
    >>> rr.release("no") in ("yes", "no", "unsure")
    True
    """

    input_domain: ClassVar[Anything] = Anything()
    input_metric: ClassVar[DiscreteDistance] = DiscreteDistance()
    output_measure: ClassVar[MaxDivergence] = MaxDivergence()

    categories: Categories
    prob: Fraction

    def __init__(self, *, categories: Iterable[Any] | Categories, prob: Exact) -> None:
        cats, p = Categories.of(categories, least=2), exact(prob, "prob")
        t = len(cats)
        if not Fraction(1, t) <= p <= 1:  # proof: range
            raise ParameterError("prob", prob, _needed(prob, p, t))
        freeze(self, categories=cats, prob=p)

    @classmethod
    def within(cls, *, epsilon: Exact, categories: Iterable[Any] | Categories) -> RandomizedResponse:
        """Return the mechanism that answers truthfully most often within a budget; *prob* is a float, or 1/t.

        >>> rr = RandomizedResponse.within(epsilon=1, categories="a b c d".split())
        >>> float(rr.prob), rr.privacy_map(1) <= 1
        (0.47536688641867164, True)
        """
        cats = Categories.of(categories, least=2)
        q = exp(-min(amount(epsilon), Fraction(1000)))  # Beyond that no float lies between.
        p = Fraction(float_down(1 / (1 + q * (len(cats) - 1))))
        return cls(categories=cats, prob=max(p, Fraction(1, len(cats))))  # proof: within

    @classmethod
    def for_dice(cls, *sides: int, epsilon: Exact, categories: Iterable[Any] | Categories) -> RandomizedResponse:
        """Return the mechanism that answers truthfully most often within a budget, of those that dice can play.

        Of all outcomes of dice with these *sides*, equally many stand for each category, and the others for the truth.

        >>> rr = RandomizedResponse.for_dice(6, 6, epsilon=1, categories=("no", "yes"))
        >>> rr.prob, rr.privacy_map(1)                      # 10 of 36 outcomes say no, 10 yes, and 16 the truth
        (Fraction(13, 18), 0.9555114450274365)
        """
        cats, budget = Categories.of(categories, least=2), amount(epsilon)
        t, n = len(cats), prod(whole(side, "sides", least=2) for side in sides)
        if not t <= n <= _MOST_OUTCOMES:
            raise ParameterError("sides", sides, f"dice with {t} to {_MOST_OUTCOMES} outcomes, for {t} categories")

        def made(each: int) -> RandomizedResponse:
            return cls(categories=cats, prob=1 - (t - 1) * Fraction(each, n))  # proof: dice

        def fits(each: int) -> bool:
            return cls.output_measure.allows(made(each).loss(1), budget)

        if not fits(n // t):
            least = made(n // t).privacy_map(1)
            raise ParameterError("epsilon", epsilon, f"at least {least}, or other dice: {n} is no multiple of {t}")
        return made(1 + bisect_left(range(1, n // t), x=True, key=fits))  # proof: fewest

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """The probabilities that a reply is the truth, and that it is any one other category.

        They are those of an answer among the categories; the reply to any other answer is uniform.

        >>> RandomizedResponse(categories=("yes", "no", "unsure"), prob="3/4").support
        (Fraction(3, 4), Fraction(1, 8))
        """
        return self.prob, (1 - self.prob) / (len(self.categories) - 1)  # proof: support

    def loss(self, d_in: int, /) -> Pure:
        """Return ln(p (t - 1) / (1 - p)), or 0 between equal answers."""
        if self.input_metric.check(d_in) == 0:
            return self.output_measure.zero
        p, t = self.prob, len(self.categories)
        return Pure(INFINITE if p == 1 else ln(p * (t - 1) / (1 - p)))  # proof: map

    def sample(self, x: Any, coins: Coins, /) -> Any:
        """Draw an answer. The same number of coins is drawn whatever the answer."""
        values = self.categories.values
        t, place = len(values), self.categories.index(x)
        draw = coins.bits(2 * WORD)
        honest = below_real(self.prob, draw >> WORD, WORD, coins)  # proof: honest
        choice = floor_of(t if place < 0 else t - 1, draw & (1 << WORD) - 1, WORD, coins)  # proof: choice
        if place < 0:
            return values[choice]  # proof: foreign
        return values[place if honest else (place + 1 + choice) % t]  # proof: answer

    def release_many(self, xs: Sequence[Any] | NDArray[Any], /) -> Any:
        """Return an answer for each of many people, each independently: an array for an array, else a list.

        >>> rr = RandomizedResponse(categories=("a", "b"), prob=1)
        >>> rr.release_many(["a", "b", "a"]), rr.release_many(np.array(["a", "b"]))
        (['a', 'b', 'a'], array(['a', 'b'], dtype='<U1'))
        """
        replies = self.release_places(self.categories.places(xs))
        if isinstance(xs, np.ndarray):
            return self.categories.array()[replies].reshape(xs.shape)
        values = self.categories.values
        return [values[i] for i in replies.tolist()]

    def release_places(self, places: NDArray[np.int64], /) -> NDArray[np.int64]:
        """Return the places of replies to answers given by their places; -1 stands for any other answer.

        >>> RandomizedResponse(categories=("a", "b"), prob=1).release_places(np.array([0, 1, 1]))
        array([0, 1, 1])
        """
        t = len(self.categories)
        if not (type(places) is np.ndarray and places.dtype.kind in "iu"):
            raise KindError("places", type(places), "an array of integers")
        flat = places.ravel()
        foreign = np.flatnonzero((flat < 0) | (flat >= t))
        replies = _offsets(self.prob.numerator, self.prob.denominator, t).draw(flat.size, SYSTEM)
        replies += flat.astype(np.int64)
        np.subtract(replies, t, out=replies, where=replies >= t)  # proof: answers
        replies[foreign] = below_many(t, foreign.size)  # proof: strangers
        return replies

    def law(self, x: Any, /) -> Mapping[Any, Fraction]:
        """Return the probability of each answer."""
        t, place = len(self.categories), self.categories.index(x)
        lie = (1 - self.prob) / (t - 1)
        law = {
            value: Fraction(1, t) if place < 0 else self.prob if i == place else lie
            for i, value in enumerate(self.categories.values)
        }
        if len(law) < t:
            raise UnsupportedError("a dict would merge categories such as 1 and True; their law is not written out")
        return law


def _needed(prob: Exact, p: Fraction, t: int) -> str:
    """Say what the range is, and how to write the nearest number inside it."""
    need = f"1/{t} <= prob <= 1, compared exactly"
    least = Fraction(1, t)
    if isinstance(prob, float) and p < least and float(least) == prob:
        above = np.nextafter(prob, 1.0)
        need += f'; this float is below 1/{t}: write prob="1/{t}", or {float(above)!r}, the least float that is not'
    return need


@lru_cache(maxsize=64)
def _offsets(num: int, den: int, t: int) -> Table:
    """The law of how far a reply is from the truth, around the circle of categories."""
    p = Fraction(num, den)
    law = [p, *[(1 - p) / (t - 1)] * (t - 1)] if p < 1 else [p]
    return Table(law, range(len(law)))
