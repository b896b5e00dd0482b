"""Plain addition: epsilon to epsilon, delta to delta [Dwork et al. 2006; for parameters chosen as one goes, too]."""

from __future__ import annotations

from types import MappingProxyType
from typing import final

from discreet.accounting.accountants import Accountant, State
from discreet.accounting.amounts import Amount
from discreet.events import Event

__all__ = ["Plain"]


@final
class Plain(Accountant):
    """Epsilons and deltas add up, whichever releases they belong to.

    >>> from fractions import Fraction
    >>> state = Plain().after(Plain.start, Event.of(moves=[("1/3", 2)], delta="1e-6"))
    >>> Plain().left(state, Amount(Fraction(1), Fraction(0)))
    Amount(epsilon=Fraction(1, 3), delta=Fraction(-1, 1000000))
    """

    __slots__ = ()
    name = "plain"
    sums = MappingProxyType({"epsilon": "epsilon", "delta": "delta"})

    def cost(self, event: Event, /) -> State:
        """Return the event's epsilon and delta."""
        return event.epsilon, event.delta

    def limits(self, budget: Amount, /) -> State:
        """Return the budget's epsilon and delta."""
        return budget

    def left(self, state: State, budget: Amount, /) -> Amount:
        """Return what the sums leave of the budget."""
        return budget.minus(Amount(*state))

    def spent(self, state: State, /) -> Amount:
        """Return the sums."""
        return Amount(*state)
