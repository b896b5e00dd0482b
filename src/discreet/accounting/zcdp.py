"""The zCDP filter: rho adds up, for ledgers that hold Gaussian releases [Bun and Steinke 2016].

Theorem.  Let a > 1 be the *order* and c = (1/a) (1 - 1/a)^(a - 1). If c exp((a - 1) (a R - epsilon)) <= delta - D, then
any releases, each chosen after the answers before it, of which each is rho_i-zCDP but for probability delta_i, are
together (epsilon, delta)-DP, if the rho_i come to at most R and the delta_i to at most D.
Proof: zcdp.md, which cites the marked lines.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final, final

from discreet.accounting.accountants import Accountant, State
from discreet.accounting.amounts import Amount
from discreet.errors import ParameterError
from discreet.events import Event
from discreet.exact import in_full, read_in_full
from discreet.measures import amount
from discreet.reals import Number, float_down, float_up, ln, sign

__all__ = ["ZCDP"]

_DIGITS: Final = 6
_FURTHEST: Final = 700
"""Orders between 1 + e^-700 and 1 + e^700 are looked at."""
_ROOT_BITS: Final = 128


@final
@dataclass(frozen=True, slots=True)
class ZCDP(Accountant):
    """At most *rho* in all, which is worth *composed* of delta at an *order*, beside deltas of *release_delta* in all.

    >>> book = ZCDP.for_budget(Amount(Fraction(3), Fraction("5e-6")))
    >>> float(book.rho), book.release_delta
    (0.198959, Fraction(1, 400000))
    >>> book.cost(Event.of(moves=[("0.02", 10)], delta="1e-9"))
    (Fraction(1, 500), Fraction(1, 1000000000))
    """

    name = "zcdp"
    sums = MappingProxyType({"rho": "rho", "delta": "the releases' own deltas"})

    rho: Fraction
    order: Fraction
    composed: Fraction
    release_delta: Fraction

    @classmethod
    def for_budget(cls, budget: Amount, release_delta: Fraction | None = None) -> ZCDP:
        """Return the filter with the greatest rho, in six digits; half of delta is for the releases' own, unless said.

        >>> float(ZCDP.for_budget(Amount(Fraction(3), Fraction("5e-6")), Fraction(0)).rho)
        0.210876
        """
        own = budget.delta / 2 if release_delta is None else amount(release_delta, "release_delta")
        if not own < budget.delta:
            need = f"0 <= release_delta < {budget.delta}, the whole delta, which accountant='zcdp' needs above 0"
            raise ParameterError("release_delta", release_delta, need)
        rest = budget.delta - own
        order = _best(lambda a: _rho(budget.epsilon, rest, a))
        most = float_down(_exact_rho(budget.epsilon, rest, order))
        short = Context(prec=_DIGITS, rounding=ROUND_FLOOR).create_decimal(Decimal(max(most, 0.0)))
        return cls(Fraction(short), order, rest, own)

    @property
    def terms(self) -> dict[str, Any]:
        """Its numbers, as plain values."""
        return {name: in_full(getattr(self, name)) for name in ("rho", "order", "composed", "release_delta")}

    @classmethod
    def of_terms(cls, terms: dict[str, Any], /) -> ZCDP:
        """Return the filter that books name.

        >>> book = ZCDP(Fraction(1, 5), Fraction(8), Fraction("1e-6"), Fraction(0))
        >>> ZCDP.of_terms(book.terms) == book
        True
        """
        return cls(**{name: read_in_full(text) for name, text in terms.items()})

    def is_sound(self, budget: Amount, /) -> bool:
        """Whether rho is worth no more than is kept for it, compared exactly.

        >>> book = ZCDP(Fraction(1, 4), Fraction(8), Fraction("5e-6"), Fraction(0))
        >>> book.is_sound(Amount(Fraction(3), Fraction("5e-6")))
        False
        """
        parts = self.composed, self.release_delta, budget.delta - self.composed - self.release_delta
        if min(*parts, self.rho) < 0 or self.order <= 1 or not self.composed:
            return False
        most = _exact_rho(budget.epsilon, self.composed, self.order)
        return self.rho == 0 or sign(most - self.rho) >= 0  # proof: worth

    def cost(self, event: Event, /) -> State:
        """Return the event's rho and delta, as zCDP."""
        return event.concentrated  # proof: cost

    def limits(self, budget: Amount, /) -> State:
        """Return rho, and the part of delta that is for the releases' own."""
        return self.rho, self.release_delta  # proof: limits

    def left(self, state: State, budget: Amount, /) -> Amount:
        """Return the greatest epsilon of one move that still fits, and what is left of the releases' own delta."""
        rho, delta = state
        return Amount(_root_down(2 * (self.rho - rho)), self.release_delta - delta)

    def spent(self, state: State, /) -> Amount:
        """Return an epsilon and a delta that the events so far come to, rounded up, if they were planned in advance.

        It is no odometer: for whoever stops because of what the answers say, only the budget's epsilon and delta hold.

        >>> book = ZCDP.for_budget(Amount(Fraction(3), Fraction("5e-6")))
        >>> [round(float(book.spent((rho, Fraction(0))).epsilon), 3) for rho in (Fraction(0), book.rho / 4, book.rho)]
        [0.0, 1.405, 3.0]
        """
        rho, delta = state
        if rho <= 0:
            return Amount(Fraction(0), delta)
        order = _best(lambda a: -_epsilon(rho, self.composed, a))
        worth = float_up(order * rho + _ln_constant(order, self.composed) / (order - 1))
        return Amount(Fraction(max(worth, 0.0)), self.composed + delta)


def _ln_constant(order: Fraction, delta: Fraction) -> Number:
    """Return ln(c / delta), exactly."""
    return (order - 1) * ln(1 - 1 / order) - ln(order * delta)  # proof: constant


def _exact_rho(epsilon: Fraction, delta: Fraction, order: Fraction) -> Number:
    """Return the rho that is worth (epsilon, delta) at an order."""
    return (epsilon - _ln_constant(order, delta) / (order - 1)) / order  # proof: rho


def _rho(epsilon: Fraction, delta: Fraction, a: float) -> float:
    """Return about the same, for the order 1 + a."""
    return (_float(epsilon) - _about(delta, a) / a) / (1 + a)


def _epsilon(rho: Fraction, delta: Fraction, a: float) -> float:
    """Return about the epsilon that rho is worth at the order 1 + a."""
    return (1 + a) * _float(rho) + _about(delta, a) / a


def _about(delta: Fraction, a: float) -> float:
    odds = math.log(a) - math.log1p(a)  # noqa: TID251  An order is as good as another; which is best need not be exact.
    return a * odds - math.log1p(a) - math.log(delta.numerator) + math.log(delta.denominator)  # noqa: TID251


def _best(worth: Callable[[float], float]) -> Fraction:
    """Return about the order at which something is worth most: any order is valid, and this one loses little."""
    low, high = -float(_FURTHEST), float(_FURTHEST)
    while high - low > 2**-30:
        steps = [low + (high - low) * i / 8 for i in range(9)]
        best = max(range(9), key=lambda i: worth(math.exp(steps[i])))  # noqa: TID251
        low, high = steps[max(best - 1, 0)], steps[min(best + 1, 8)]
    return 1 + Fraction(math.exp(low))  # noqa: TID251


def _float(x: Fraction) -> float:
    try:
        return float(x)
    except OverflowError:
        return math.inf


def _root_down(x: Fraction) -> Fraction:
    """Return about the square root, and not more.

    >>> _root_down(Fraction(1, 4)), _root_down(Fraction(0))
    (Fraction(1, 2), Fraction(0, 1))
    """
    scale = max(_ROOT_BITS - x.numerator.bit_length() + x.denominator.bit_length(), 0)
    return Fraction(math.isqrt((x.numerator << 2 * scale) // x.denominator), 1 << scale)  # proof: root
