"""Randomized response to a yes-or-no question [Warner 1965].

Theorem.  For 1/2 <= p < 1 the release is ln(p / (1 - p))-DP between the two answers.
Proof: randomized_response_bool.md, which cites the marked lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from discreet.coins import SYSTEM, Coins
from discreet.core import Measurement
from discreet.domains import Booleans, Vectors
from discreet.errors import KindError, ParameterError
from discreet.exact import Exact, exact
from discreet.frozen import freeze
from discreet.measures import INFINITE, MaxDivergence, Pure, amount
from discreet.metrics import DiscreteDistance
from discreet.reals import exp, float_down, ln
from discreet.samplers import bernoulli, bernoulli_many

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["RandomizedResponseBool"]


@final
@dataclass(frozen=True, slots=True, init=False)
class RandomizedResponseBool(Measurement[bool, bool]):
    """Answer truthfully with probability *prob*, else with the opposite.

    With *constant_time* the number of random words drawn and compared does not depend on the outcome; it
    promises no more than that.

    >>> rr = RandomizedResponseBool(prob="3/4")
    >>> rr.privacy_map(1)
    1.0986122886681098
    >>> rr.law(True)
    {True: Fraction(3, 4), False: Fraction(1, 4)}
    >>> rr.release(True) in (True, False)
    True
    """

    input_domain: ClassVar[Booleans] = Booleans()
    input_metric: ClassVar[DiscreteDistance] = DiscreteDistance()
    output_measure: ClassVar[MaxDivergence] = MaxDivergence()

    prob: Fraction
    constant_time: bool

    def __init__(self, *, prob: Exact, constant_time: bool = False) -> None:
        p = exact(prob, "prob")
        if not Fraction(1, 2) <= p <= 1:  # proof: range
            raise ParameterError("prob", prob, "1/2 <= prob <= 1")
        if not isinstance(constant_time, bool):
            raise KindError("constant_time", constant_time, "True or False")
        freeze(self, prob=p, constant_time=constant_time)

    @classmethod
    def within(cls, *, epsilon: Exact, constant_time: bool = False) -> RandomizedResponseBool:
        """Return the mechanism that answers truthfully most often within a budget; *prob* is a float.

        >>> rr = RandomizedResponseBool.within(epsilon=1)
        >>> float(rr.prob), rr.privacy_map(1) <= 1
        (0.7310585786300048, True)
        """
        q = exp(-min(amount(epsilon), Fraction(1000)))  # Beyond that no float lies between.
        return cls(prob=float_down(1 / (1 + q)), constant_time=constant_time)  # proof: within

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """The probabilities that an answer is the truth, and that it is the opposite.

        >>> RandomizedResponseBool(prob="3/4").support
        (Fraction(3, 4), Fraction(1, 4))
        """
        return self.prob, 1 - self.prob  # proof: support

    def loss(self, d_in: int, /) -> Pure:
        """Return ln(p / (1 - p)), or 0 between equal answers."""
        if self.input_metric.check(d_in) == 0:
            return self.output_measure.zero
        return Pure(INFINITE if self.prob == 1 else ln(self.prob / (1 - self.prob)))  # proof: map

    def sample(self, x: bool, coins: Coins, /) -> bool:
        """Draw an answer."""
        honest = bernoulli(self.prob, coins, constant_words=self.constant_time)
        return bool(x) is honest  # proof: answer

    def release_many(self, xs: NDArray[np.bool_] | list[bool], /) -> NDArray[np.bool_]:
        """Return an answer for each of many people, each independently.

        >>> RandomizedResponseBool(prob=1).release_many([True, False])
        array([ True, False])
        """
        truths = np.asarray(Vectors(Booleans()).take(xs), np.bool_)
        honest = bernoulli_many(self.prob, truths.size, SYSTEM, constant_words=self.constant_time)
        answers: NDArray[np.bool_] = truths == honest  # proof: answers
        return answers

    def law(self, x: Any, /) -> Mapping[bool, Fraction]:
        """Return the probability of each answer."""
        truth = self.input_domain.take(x)
        return {truth: self.prob, not truth: 1 - self.prob}
