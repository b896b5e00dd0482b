"""Comparison: how many releases of a kind each accountant would allow."""

from __future__ import annotations

from collections.abc import Mapping

from discreet.accounting.accountants import Accountant, accountants
from discreet.accounting.amounts import Amount
from discreet.errors import KindError, ParameterError
from discreet.events import Event
from discreet.exact import Exact
from discreet.measures import amount
from discreet.noise import least_positive

__all__ = ["compare"]


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
    known = accountants()
    names = sorted(known, key=lambda name: (name != "plain", name))  # What the others are compared with comes first.
    rules = {name: known[name].for_budget(budget) for name in names}
    return {
        label: {name: _allowed(rule, budget, event) for name, rule in rules.items()}
        for label, event in releases.items()
    }


def _allowed(accountant: Accountant, budget: Amount, event: Event) -> int:
    """Return how often an event fits into a budget on which nothing else is charged.

    >>> from fractions import Fraction
    >>> _allowed(accountants()["plain"](), Amount(Fraction(1), Fraction(0)), Event.of(moves=[("1/3", 1)]))
    3
    """
    cost = accountant.cost(event)
    if not any(cost):
        raise ParameterError("event", type(event), "an event that costs something")

    return least_positive(lambda n: accountant.exceeds(tuple(n * x for x in cost), budget)) - 1
