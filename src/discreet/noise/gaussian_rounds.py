"""Gaussian noise in rounds, each chosen by the results before it, where some totals are new: what all lose together.

Theorem.  In each round let a person move shared totals by a Euclidean distance, and bring totals that others lack, of
which none is seen with probability e^-phi at least. Then all rounds together are (epsilon, delta)-DP with the delta
of one Gaussian at the root of the sum of the squares, and of new totals that surprise by the sum of the phi.
Proof: gaussian_rounds.md, which cites the marked lines.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from flint import arb

from discreet.reals import Number, Real, exp, expm1, maximum

__all__ = ["delta_of_rounds"]


def delta_of_rounds(
    epsilon: Fraction,
    moves: Iterable[tuple[int, Fraction]],
    moved: int,
    surprise: Number,
    smooth: int,
    *,
    mixed: bool = False,
) -> Number:
    """Return the delta at an epsilon of discrete Gaussian noise in rounds, between data with and without some people.

    Of each round, *moves* has the square of the distance by which shared totals move, and the variance, which is above
    *smooth*. At most so many shared totals are *moved* in all rounds; *surprise* bounds -ln Pr[no new total is seen].
    With *mixed*, some people are added and others removed, and totals may be new on both sides.

    >>> from discreet.reals import float_up
    >>> float_up(delta_of_rounds(Fraction(1), [(3, Fraction(1000)), (3, Fraction(60))], 6, Fraction("1e-7"), 1))
    7.600701370895536e-07
    """
    far = sum((square / (variance - smooth) for square, variance in moves), Fraction(0))  # proof: far
    slack = Fraction(moved, 1 << (28 * smooth - 2))  # proof: nearly

    def noise(at: Number) -> Number:
        return exp(slack) * Real(_gaussian, far, at - 2 * slack)

    if mixed:
        return -expm1(-surprise) + noise(epsilon - surprise)  # proof: mixed
    here = -expm1(-surprise) + exp(-surprise) * noise(epsilon + surprise)  # proof: here
    return maximum(here, noise(epsilon - surprise))  # proof: there


def _gaussian(far: arb, epsilon: arb) -> arb:
    """Return the least delta of continuous Gaussian noise; *far* is the square of a distance over the variance."""
    mu = far.sqrt()
    both = [((epsilon / mu + sign * mu / 2) / arb(2).sqrt()).erfc() / 2 for sign in (-1, 1)]
    return both[0] - epsilon.exp() * both[1]  # proof: gaussian
