"""Comparison: how many releases of a kind each accountant would allow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from discreet.accounting.accountants import Accountant
from discreet.accounting.adaptive import Adaptive
from discreet.accounting.amounts import Amount
from discreet.accounting.plain import Plain
from discreet.accounting.zcdp import ZCDP
from discreet.errors import KindError, ParameterError
from discreet.events import Event
from discreet.exact import Exact
from discreet.measures import amount

__all__ = ["compare"]

_KINDS: Final[tuple[type[Accountant], ...]] = (Plain, Adaptive, ZCDP)


def compare(*, epsilon: Exact, delta: Exact, releases: Mapping[str, Event]) -> dict[str, dict[str, int]]:
    """Return how often each of some releases fits into a new budget, by the accountant's name.

    >>> compare(epsilon=3, delta="5e-6", releases={"counts": Event.of(moves=[("0.02", 1)])})
    {'counts': {'plain': 150, 'adaptive': 1108, 'zcdp': 994}}
    """
    budget = Amount(amount(epsilon), amount(delta, "delta"))
    if not budget.epsilon > 0:
        raise ParameterError("epsilon", epsilon, "epsilon > 0")
    if not 0 < budget.delta < 1:
        raise ParameterError("delta", delta, "0 < delta < 1: without a delta, losses add up plainly")
    if not (isinstance(releases, Mapping) and all(isinstance(event, Event) for event in releases.values())):
        raise KindError("releases", type(releases), "names with Events, such as mechanism.event(d_in)")
    rules = {kind.name: kind.for_budget(budget) for kind in _KINDS}
    return {
        label: {name: _allowed(rule, budget, event) for name, rule in rules.items()}
        for label, event in releases.items()
    }


def _allowed(accountant: Accountant, budget: Amount, event: Event) -> int:
    """Return how often an event fits into a budget on which nothing else is charged.

    >>> from fractions import Fraction
    >>> _allowed(Plain(), Amount(Fraction(1), Fraction(0)), Event.of(moves=[("1/3", 1)]))
    3
    """
    cost = accountant.cost(event)
    if not any(cost):
        raise ParameterError("event", type(event), "an event that costs something")

    def fits(n: int) -> bool:
        return not accountant.exceeds(tuple(n * x for x in cost), budget)

    low, high = 0, 1
    while fits(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low
