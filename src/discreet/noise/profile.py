"""Privacy profiles of discrete Gaussian noise, enclosed: delta as a function of epsilon, alone and with new keys.

The functions are for Reals, which evaluate them in Arb at a precision of their choice; a ball that is not finite says
that the precision is too small. Proof: gaussian.md, which cites the marked lines.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final, TypeAlias

from flint import arb, ctx

from discreet.metrics import Sensitivity
from discreet.noise.theta import ball, sum_above
from discreet.reals import Number, balls

__all__ = ["Curve", "joint_profile", "least_epsilon", "profile"]

Curve: TypeAlias = Callable[[arb], arb]
"""Delta at an epsilon. It falls."""

_UNKNOWN: Final = arb.nan()
_BITS: Final = 8
"""As many bits of a delta have to be known before others are compared with it."""


def profile(v: Fraction, apart: Sensitivity, epsilon: arb) -> arb:
    """Return the least delta for noise in numbers so far apart, where each place may differ by li; else a bound."""
    n, l1, li = apart
    if n == 0:
        return (-epsilon.expm1()).max(arb(0))  # proof: nothing
    if l1 < n * li:
        return _converted(ball(Fraction(apart.l2_squared) / (2 * v)), epsilon)  # proof: unequal
    loss, grow = epsilon * ball(v / li) - ball(Fraction(n * li, 2)), epsilon.exp()
    first, last = (end.floor().unique_fmpz() for end in (loss.lower(), loss.upper()))
    if first is None or last is None or last - first > 1:
        return _UNKNOWN
    ends = [sum_above(v, n, k) - grow * sum_above(v, n, k + n * li) for k in {int(first) + 1, int(last) + 1}]
    return ends[0].max(ends[-1])  # proof: profile


def _converted(rho: arb, epsilon: arb) -> arb:
    """Return a delta that rho-zCDP has at an epsilon."""
    if not epsilon > rho:
        return arb(1)
    more = (epsilon - rho) / (2 * rho)  # The order of the Rényi divergence, less 1.
    log = more * (more / (1 + more)).log() - (1 + more).log() - more * more * rho
    return log.exp()  # proof: order


def joint_profile(
    v: Fraction, new: int, shared: Callable[[int], Sensitivity], surprise: Callable[[int], Number], epsilon: arb
) -> arb:
    """Return the greatest delta over j = 0 .. new: j keys are new, and with others that are *shared(j)* apart."""
    value = balls()

    def piece(i: int, j: int) -> arb:
        """Return delta for j new keys; for i < j, no less than for any number of new keys between them."""
        phi = value(surprise(j)) if j else arb(0)
        here = -(-phi).expm1() + (-phi).exp() * profile(v, shared(i), epsilon + phi)  # proof: here
        there = profile(v, shared(i), epsilon - phi) if j else here  # proof: there
        return here.max(there) + ((phi / 2).cosh() - 1 if j > 1 else 0)  # proof: both

    greatest = piece(0, 0).max(piece(new, new))
    if greatest.is_finite() and greatest.rel_accuracy_bits() < _BITS:
        return _UNKNOWN  # In balls as wide as their values no piece is less than another, and all would be looked at.
    between = [(1, new - 1)]
    while between and greatest.is_finite():
        i, j = between.pop()
        if i < j and not piece(i, j) <= greatest:  # proof: bound
            between += [(i, (i + j) // 2), ((i + j) // 2 + 1, j)]
        elif i == j:
            greatest = greatest.max(piece(i, i))
    return greatest


def least_epsilon(curve: Curve, delta: arb) -> arb:
    """Return the least epsilon >= 0 at which a curve is at most *delta*, between two that halving brings together."""
    low, high = arb(0), arb(1)
    if curve(low) <= delta:
        return low
    while not curve(high) < delta:
        if not curve(high) > delta:
            return _UNKNOWN
        low, high = high, 2 * high
    for _ in range(2 * ctx.prec):
        middle = ((low + high) / 2).mid()
        there = curve(middle)
        if there > delta:  # proof: low
            low = middle
        elif there < delta:  # proof: high
            high = middle
        if not (there > delta or there < delta) or not (high - low) * arb(2) ** ctx.prec > high:
            break
    return low.union(high)
