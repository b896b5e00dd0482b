"""Intervals: exact and guaranteed confidence bounds, from counts.

They are statements about statistics, not about privacy: nothing here is a privacy loss. Each is computed in floats and
widened by a billionth, which is far more than the special functions may be wrong by.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from discreet.errors import ParameterError
from discreet.exact import Exact, exact

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "bennett",
    "binomial",
    "binomial_high",
    "binomial_low",
    "binomial_tails",
    "checked_confidence",
    "fewest_hits",
]

_WIDEN: Final = 1e-9


def checked_confidence(confidence: Exact) -> float:
    """Return the error that a confidence leaves, or raise unless it is inside (0, 1).

    >>> checked_confidence("0.95")
    0.05
    """
    sure = exact(confidence, "confidence")
    if not 0 < sure < 1:
        raise ParameterError("confidence", confidence, "0 < confidence < 1, such as 0.95")
    return float(1 - sure)


def binomial_low(k: Any, n: int, error: float) -> NDArray[np.float64]:
    """Return a lower bound for the probability of an event seen *k* times in *n*: too high with probability *error*.

    It is Clopper and Pearson's (1934): the probability under which k or more are seen with probability *error*.

    >>> float(binomial_low(0, 10, 0.025)), round(float(binomial_low(5, 10, 0.025)), 6)
    (0.0, 0.187086)
    """
    from scipy.special import betaincinv

    hits = np.asarray(k, np.float64)
    low = np.where(hits > 0, betaincinv(np.maximum(hits, 1), n - hits + 1, error), 0.0)
    return np.asarray(low * (1 - _WIDEN))


def binomial_high(k: Any, n: int, error: float) -> NDArray[np.float64]:
    """Return an upper bound for the probability of an event seen *k* times in *n*: too low with probability *error*.

    >>> float(binomial_high(10, 10, 0.025)), round(float(binomial_high(5, 10, 0.025)), 6)
    (1.0, 0.812914)
    """
    from scipy.special import betainccinv

    hits = np.asarray(k, np.float64)
    high = np.where(hits < n, betainccinv(hits + 1, np.maximum(n - hits, 1), error), 1.0)
    return np.asarray(np.minimum(high * (1 + _WIDEN), 1.0))


def binomial(k: Any, n: int, error: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both bounds, each with half of the error.

    >>> low, high = binomial([0, 5, 10], 10, 0.05)
    >>> low.round(3).tolist(), high.round(3).tolist()
    ([0.0, 0.187, 0.692], [0.308, 0.813, 1.0])
    """
    return binomial_low(k, n, error / 2), binomial_high(k, n, error / 2)


def binomial_tails(k: Any, n: Any, low: float, high: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the probabilities of at most, and of at least, *k* of *n* events.

    The events have the probability *low* for the first, and *high* for the second.

    >>> below, above = binomial_tails([0, 3], 3, 0.5, 0.25)
    >>> below.round(6).tolist(), above.round(6).tolist()
    ([0.125, 1.0], [1.0, 0.015625])
    """
    from scipy.special import betainc, betaincc

    hits, trials = np.broadcast_arrays(np.asarray(k, np.float64), np.asarray(n, np.float64))
    below = np.where(hits < trials, betaincc(hits + 1, np.maximum(trials - hits, 1), low), 1.0)
    above = np.where(hits > 0, betainc(np.maximum(hits, 1), trials - hits + 1, high), 1.0)
    return below, above


def fewest_hits(hits: int, n: int, q: float, k: int, s: int) -> float:
    """Return a bound for the probability that some *s* of *k* counts of n coins have so few hits together.

    Each coin has a probability of at least q, and the coins of a set are independent or negatively associated: it is
    Chernoff's bound (1952), times the number of sets.

    >>> fewest_hits(0, 100, 0.1, 10, 2) < 1e-7, fewest_hits(20, 100, 0.1, 10, 2)
    (True, 1.0)
    """
    from scipy.special import gammaln, rel_entr

    seen = hits / (n * s)
    if seen >= q:
        return 1.0
    surprise = n * s * (rel_entr(seen, q) + rel_entr(1 - seen, 1 - q))
    ways = gammaln(k + 1) - gammaln(s + 1) - gammaln(k - s + 1)
    return float(np.exp(min(ways - surprise, 0.0)))


def bennett(n: int, variance: Any, reach: Any, error: Any) -> NDArray[np.float64]:
    """Return how far the mean of *n* independent variables exceeds its expectation, except with probability *error*.

    *variance* bounds the mean of the variables' variances, *reach* what each may exceed its expectation by. Bennett
    (1962): a deviation of t has a probability of at most exp(-n v/b² h(b t/v)), h(u) = (1 + u) ln(1 + u) - u. The
    equation is solved by Newton's method from Bernstein's radius down: h is convex, so each step stays on the safe
    side.

    >>> round(float(bennett(10_000, 0.25, 1.0, 0.025)), 5)
    0.0137
    """
    b = np.asarray(reach, np.float64)
    v = np.maximum(np.asarray(variance, np.float64), 1e-12 * b**2)  # More than the truth is on the safe side.
    c = -np.log(error) * b**2 / (n * v)
    u = c / 3 + np.sqrt(c**2 / 9 + 2 * c)
    for _ in range(8):
        u = np.maximum(u - ((1 + u) * np.log1p(u) - u - c) / np.log1p(u), 0.0)
    return np.asarray(u * v / b * (1 + _WIDEN))
