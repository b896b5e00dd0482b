"""Poisoning: what one crafted report can do to an estimate.

Nobody can tell a crafted report from an honest one by its looks: every report that the mechanism can give is possible
for every answer. So whoever sends reports by hand, or again, moves the estimate. This file says by how much.
"""

from __future__ import annotations

from fractions import Fraction

from discreet.survey.oracles import LocalMechanism, oracle_of

__all__ = ["influence"]


def influence(mechanism: LocalMechanism, /) -> Fraction:
    """Return by how many people one crafted report can move the estimated number of a choice, exactly.

    A report adds (1 - q)/(p - q) to the number of each choice that it supports, and takes q/(p - q) from every other.
    Randomized response supports one choice, a subset its size, and a bit vector as many as it likes.

    >>> from discreet import OptimizedUnary, RandomizedResponse
    >>> influence(RandomizedResponse(categories=("no", "yes"), prob="3/4"))
    Fraction(3, 2)
    >>> round(float(influence(RandomizedResponse.within(epsilon=1, categories=range(1000)))))
    582
    >>> round(float(influence(OptimizedUnary.within(epsilon=1, length=1000))), 1)
    3.2
    """
    return oracle_of(mechanism).influence
