"""Browsers' own randomized response: fields that are random at a stated rate, and true otherwise.

Chrome's PerformanceTimingConfidence gives a value, "low" or "high", and its ``randomizedTriggerRate``: with that
probability the value is one of the two at random, each equally likely.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from discreet.errors import ParameterError
from discreet.exact import Exact, exact, listed
from discreet.mechanisms import RandomizedResponse

__all__ = ["from_trigger_rate"]


def from_trigger_rate(rate: Exact, answers: Iterable[Any] = ("low", "high")) -> RandomizedResponse:
    """Return the mechanism of a field that is uniformly random with probability *rate*, and true otherwise.

    Its collector debiases what browsers report; its privacy map says what the rate is worth.

    >>> m = from_trigger_rate("1/2", ["low", "high"])
    >>> m.law("low"), m.privacy_map(1)                                                   # ln 3
    ({'low': Fraction(3, 4), 'high': Fraction(1, 4)}, 1.0986122886681098)
    """
    share = exact(rate, "rate")
    if not 0 <= share <= 1:
        raise ParameterError("rate", rate, "0 <= rate <= 1")
    found = listed(answers, "answers", "a list of answers")
    if len(found) < 2:
        raise ParameterError("answers", answers, "at least two answers")
    return RandomizedResponse(categories=found, prob=1 - share + share / len(found))
