"""Misfit: whether counts of reports are plausible under a mechanism, whatever the true answers are.

Theorem.  If the reports are drawn independently by the mechanism, p is at most x with probability at most x, for any
number of people and any answers. Proof: misfit.md, which cites the marked lines.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from typing import TYPE_CHECKING, Final, final

import numpy as np

from discreet.intervals import binomial_tails, fewest_hits

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Misfit", "misfit_of_cells", "misfit_of_counts"]

_DOUBT: Final = 0.01
_LEAST: Final = 1e-300
"""Below this floats run out of digits."""


@final
@dataclass(frozen=True, slots=True)
class Misfit:
    """A test of whether the mechanism can have given these counts: *p* is small if hardly any answers explain them.

    >>> str(Misfit(2e-9)).split(":")[0]
    'These reports are implausible under this mechanism (p = 2e-9)'
    >>> Misfit(0.3).implausible, str(Misfit(0.3))
    (False, '')
    """

    p: float

    @property
    def implausible(self) -> bool:
        """Whether p is below 0.01."""
        return self.p < _DOUBT

    def __str__(self) -> str:
        if not self.implausible:
            return ""
        chance = f"p = {_brief(self.p)}" if self.p > _LEAST else "p < 1e-300"
        why = "the file may hold answers not yet randomized, or be of another survey, altered or hand-made"
        return f"These reports are implausible under this mechanism ({chance}): {why}."


def misfit_of_counts(
    supports: NDArray[np.int64], n: int, p: float, q: float, *, weight: int | None = None, own_coins: bool = False
) -> Misfit:
    """Return the test for counts of the reports that support each choice.

    *weight* is how many choices each report supports, if it is a uniform set of one size given whether it holds the
    truth; *own_coins* says that each choice is supported by a coin of its own. With neither the test is valid whatever
    the choices of one report have to do with each other, and sees less.

    >>> misfit_of_counts(np.array([990, 5, 5]), 1000, 0.5, 0.25, weight=1).p < 1e-99
    True
    >>> misfit_of_counts(np.array([480, 270, 250]), 1000, 0.5, 0.25, weight=1).p
    1.0
    """
    k = len(supports)
    if weight is not None and int(supports.sum()) != weight * n:
        return Misfit(0.0)  # proof: structure
    tests = [k * float(np.min(tail)) for tail in binomial_tails(supports, n, q, p)]  # proof: single
    least = np.cumsum(np.sort(supports))
    if weight is not None or own_coins:
        sizes = [1 << i for i in range(1, k.bit_length()) if 1 << i < k]
        tests += [fewest_hits(int(least[s - 1]), n, q, k, s) for s in sizes]  # proof: groups
    if own_coins:
        total, coins, mean = int(least[-1]), n * k, (p + (k - 1) * q) / k
        apart = abs(total - coins * mean) >= 1
        tests += [float(tail) if apart else 1.0 for tail in binomial_tails(total, coins, mean, mean)]  # proof: weight
    return _least(tests)


def misfit_of_cells(counts: NDArray[np.int64], n: NDArray[np.int64], p: float, q: float) -> Misfit:
    """Return the test for counts of set bits, each among its own number of reports.

    >>> misfit_of_cells(np.array([[50, 100], [0, 20]]), np.array([[100], [80]]), 0.75, 0.25).p < 1e-9
    True
    """
    return _least([counts.size * float(np.min(tail)) for tail in binomial_tails(counts, n, q, p)])


def _least(tests: list[float]) -> Misfit:
    """Return the least of several p-values, times their number."""
    return Misfit(min(len(tests) * min(tests) * (1 + 1e-9), 1.0))  # proof: bonferroni


def _brief(p: float) -> str:
    digits, exponent = f"{Context(prec=1, rounding=ROUND_CEILING).create_decimal(Decimal(repr(p))):e}".split("e")
    return f"{digits}e{int(exponent)}"
