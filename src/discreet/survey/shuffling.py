"""Shuffling: what a trusted shuffler of many reports adds to the noise of each one.

Theorem.  If n people send one report each, of a mechanism with loss *local*, and somebody trusted removes everything
but the reports and shuffles them, then what comes out is (epsilon, delta)-DP between any two answers of one person,
whatever the others answered, for every epsilon and delta for which `surplus` is at most delta.
Proof: shuffling.md, which cites the marked lines. [Feldman, McMillan and Talwar 2021, 2023]
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Final, final

from flint import arb, ctx

from discreet.errors import ParameterError
from discreet.exact import Exact, whole, written
from discreet.measures import INFINITE, amount
from discreet.reals import Number, Real, float_up, sign
from discreet.words import bound

__all__ = ["Shuffled", "amplified", "surplus"]

_MOST: Final = 10**7
"""More reports than this hide a person no worse, and are not counted."""
_HALVINGS: Final = 20


@final
@dataclass(frozen=True, slots=True)
class Shuffled:
    """The loss of one person's report among *n*, where a trusted shuffler removes everything else about them.

    *local* is the loss of the report by itself, which holds against the shuffler too.
    """

    n: int
    local: float
    epsilon: float
    delta: Fraction

    def __str__(self) -> str:
        seen = "all reports, shuffled, and all other people's answers"
        before = f"Suppose someone sees {seen}, and thinks that of two answers each has a 50 % chance of being true."
        by_itself = f"By itself a report has an epsilon of {written(self.local, up=True)}."
        return f"{bound(before, 'That', Fraction(self.epsilon), self.delta)} {by_itself}"


def amplified(local: Number | float, alike: Number, n: int, delta: Exact) -> Shuffled:
    """Return the least epsilon, to one part in a million of *local*, for reports of such a loss, n of them shuffled.

    Another person's report is, with probability *alike*, drawn as that of one of any two answers, each equally likely.

    >>> from discreet.reals import exp
    >>> amplified(Fraction(1), exp(Fraction(-1)), 10_000, "1e-6").epsilon < 0.054
    True
    """
    people, most = whole(n, "n", least=1), amount(delta, "delta")
    if not 0 < most < 1:
        raise ParameterError("delta", delta, "0 < delta < 1")
    if isinstance(local, float):
        return Shuffled(people, INFINITE, INFINITE, Fraction(0))
    if sign(local) == 0:
        return Shuffled(people, 0.0, 0.0, Fraction(0))
    low, high = Fraction(0), Fraction(float_up(local))

    def fits(epsilon: Fraction) -> bool:
        count = partial(surplus, min(people, _MOST), float(most))
        return sign(Real(count, local, alike, epsilon) - most) <= 0  # proof: fits

    worth = fits(high * Fraction(99, 100))  # A delta for less than that is a bad bargain.
    for _ in range(_HALVINGS if worth else 0):
        middle = (low + high) / 2
        low, high = (low, middle) if fits(middle) else (middle, high)
    return Shuffled(people, float_up(local), float_up(high), most if worth else Fraction(0))


def surplus(n: int, scale: float, local: arb, alike: arb, epsilon: arb) -> arb:
    """Return a delta for which n shuffled reports are (epsilon, delta)-DP; epsilon is less than local.

    Of n - 1 others, C ~ Bin(n - 1, alike) could be of either answer. Given C = c, it is the surplus of one law over
    exp(epsilon) times the other above a *cut*, which moves by at most one step as c does. Those c that are too rare to
    matter beside a delta of about *scale* count as if everything were told there.
    """
    grow, ratio = epsilon.exp(), local.exp()
    truth = ratio / (1 + ratio)
    theta = (grow * ratio - 1) / ((1 + grow) * (ratio - 1))  # proof: theta
    first, last = _range(n - 1, float(alike.mid()), scale)
    odds, c = alike / (1 - alike), first
    weight = _binomial(n - 1, c, alike.log(), (1 - alike).log())
    cut, unsure = _cut(c, theta)
    above, below = _tail(c, cut)  # The chances that Bin(c, 1/2) is at least the cut, and that it is the one below it.
    found, seen = arb(0), arb(0)
    while True:
        gain = truth - grow * (1 - truth)
        value = above * (1 - grow) + below * gain  # proof: value
        if unsure and cut <= c:
            at = below * (c - cut + 1) / cut
            value = value.max((above - at) * (1 - grow) + at * gain)
        found, seen = found + weight * value.max(arb(0)), seen + weight
        if c == last:
            return found + (1 - seen).max(arb(0))  # proof: rest
        weight = weight * odds * (n - 1 - c) / (c + 1)
        above, below = above + below / 2, below * (c + 1) / (2 * (c + 2 - cut))
        c += 1
        to, unsure = _cut(c, theta)
        while cut < to:
            below = below * (c - cut + 1) / cut
            above, cut = above - below, cut + 1


def _cut(c: int, theta: arb) -> tuple[int, bool]:
    """Return the least count at which one law outweighs the other, or one less where that is not sure."""
    at = (c + 1) * theta
    least, most = (int(end.floor().unique_fmpz() or 0) for end in (at.lower(), at.upper()))
    return least + 1, most > least  # proof: cut


def _range(n: int, p: float, scale: float) -> tuple[int, int]:
    """Return the counts of Bin(n, p) that matter beside a delta, by Bernstein's inequality; any would be sound."""
    rare = 20 - 0.7 * math.frexp(scale)[1]
    far = math.sqrt(2 * n * p * (1 - p) * rare) + rare
    return max(math.floor(n * p - far), 0), min(math.ceil(n * p + far), n)


def _binomial(n: int, k: int, log_p: arb, log_q: arb) -> arb:
    log = arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma()
    return (log + k * log_p + (n - k) * log_q).exp()


def _tail(c: int, cut: int) -> tuple[arb, arb]:
    """Return the chances that Bin(c, 1/2) is at least a cut above c / 2, and that it is one less than the cut."""
    half = arb(2).log()
    below = _binomial(c, cut - 1, -half, -half)
    term, above, least = below * (c - cut + 1) / cut, arb(0), arb(2) ** -(ctx.prec + 64)
    for k in range(cut, c + 1):
        above += term
        term = term * (c - k) / (k + 1)
        if term < least:  # The terms fall at least as fast as a geometric series that begins here.
            falls = arb(c - k) / (k + 1)
            return above + (term / (1 - falls)).union(arb(0)), below  # proof: tail
    return above, below
