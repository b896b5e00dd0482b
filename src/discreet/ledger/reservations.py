"""Reservations: releases that are fixed in advance, charged together by what they tell together, and made once each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, final

from discreet.accounting import Amount, Event
from discreet.accounting.distributions import LossDistribution
from discreet.errors import DiscreetError, KindError, ParameterError
from discreet.exact import Exact, in_full, read_in_full, whole

if TYPE_CHECKING:
    from pathlib import Path

    from discreet.ledger.books import Ledger
    from discreet.ledger.entries import Entry

__all__ = ["NAMED", "RESERVED", "Plan", "Reservation"]

RESERVED: Final = "discreet:reserved"
"""Where the receipt of a charge has the plan that it is for."""
NAMED: Final = "discreet:named"
"""Where it has the digest of the plan's name, if it has one."""
_MECHANISM: Final = "Reservation"
_MOST: Final = 1 << 20


@final
@dataclass(frozen=True)
class Plan:
    """Releases that are fixed in advance, each as often as it will be made; *fine* is the size of deltas that count."""

    releases: Counter[Event]
    fine: Fraction

    @classmethod
    def of(cls, releases: Iterable[Any], left: Amount) -> Plan:
        """Return the plan of some events, or of what explains questions."""
        if hasattr(releases, "event") or isinstance(releases, Event):
            raise KindError("releases", type(releases), "a list of events, or of explanations: [it] for one")
        try:
            events = Counter(getattr(each, "event", each) for each in releases)
        except TypeError:
            raise KindError("releases", type(releases), "a list of events, or of explanations") from None
        if not all(isinstance(event, Event) for event in events):
            raise KindError("releases", type(releases), "a list of events, or of explanations")
        if not any(event.epsilon or event.delta for event in events):
            raise ParameterError("releases", type(releases), "releases that cost something")
        if events.total() > _MOST:
            raise ParameterError("releases", type(releases), f"at most {_MOST:,} releases")
        small = len(str(left.delta.denominator // left.delta.numerator)) if left.delta > 0 else 0
        return cls(events, Fraction(1, 10**small))

    def to_dict(self) -> dict[str, Any]:
        """Return the plan as plain values, for JSON."""
        releases = [[event.to_dict(), count] for event, count in self.releases.items()]
        return {"releases": releases, "fine": in_full(self.fine)}

    @classmethod
    def read(cls, receipt: Any) -> Plan | None:
        """Return the plan that the receipt of a charge has, if it has one; raise where `of` makes no such plan."""
        if not (isinstance(receipt, dict) and RESERVED in receipt):
            return None
        told = receipt[RESERVED]
        try:
            releases = Counter({Event.from_dict(event): count for event, count in told["releases"]})
        except DiscreetError as error:  # Here it is no user's mistake.
            raise ValueError(str(error)) from None
        plan, counts = cls(releases, read_in_full(told["fine"])), releases.values()
        possible = all(type(n) is int and n > 0 for n in counts) and 0 < sum(counts) <= _MOST and 0 < plan.fine <= 1
        if not possible or plan.to_dict() != told:
            raise ValueError("a plan that no ledger wrote")
        return plan

    @property
    def whole(self) -> Event:
        """All releases as one event: what they tell if nothing is gained by their being fixed."""
        return Event(tuple(part for event in self.releases.elements() for part in event.parts))

    @property
    def losses(self) -> LossDistribution:
        """What they tell together, because they are fixed."""
        return LossDistribution.of(self.whole, delta=self.fine)

    def cheapest(self, left: Amount, share: Callable[[Event], Fraction]) -> Event:
        """Return the event by which books are charged: the one that takes the least *share* of what is left.

        It is all releases one by one, or one release at the point of their joint curve that takes the least share.
        """
        events = [self.whole]
        point = self.losses.fairest(left) if left.delta > 0 else None
        if point is not None:
            moves, numbers = [(point.epsilon, 1)], {"releases": self.releases.total()}
            events.append(Event.of(moves=moves, delta=point.delta, mechanism=_MECHANISM, parameters=numbers))
        return min(events, key=share)  # proof: cheapest

    def is_worth(self, event: Event | None) -> bool:
        """Whether an event tells no less than the whole plan, computed anew."""
        if event is None or event == self.whole:
            return event is not None
        is_point = [part.mechanism for part in event.parts] == [_MECHANISM]
        return is_point and self.losses.delta(event.epsilon) <= event.delta  # proof: worth


@final
@dataclass(frozen=True, slots=True)
class Reservation:
    """Releases that were reserved as entry *number* of a ledger. Each can be made once; if not, it stays paid for.

    On books with periods it is made in the period in which it was reserved, or never.

    It stands where a ledger does: ``Table(..., ledger=reservation)`` makes a release that is left in it, and refuses
    any other.

    >>> from discreet import IntegerLaplace, Ledger
    >>> book = Ledger.in_memory(epsilon=5, delta="2e-6", accountant="plain")
    >>> count = IntegerLaplace(scale=10).event(1)                                       # A tenth, a hundred times.
    >>> plan = book.reserve([count] * 100)
    >>> [f"{float(x):.4g}" for x in book.spent], plan.left.total()
    (['4.653', '1.861e-06'], 100)
    >>> plan.charge(event=count, table="rides.parquet").kind, plan.left.total()
    ('release', 99)
    >>> plan.charge(epsilon="0.1")                                                      # doctest: +ELLIPSIS
    Traceback (most recent call last):
    discreet.errors.BudgetError: this release is none of the 99 that are left of entry 1 in memory; nothing was released
    """

    ledger: Ledger
    number: int

    def __post_init__(self) -> None:
        if not callable(getattr(self.ledger, "reservation", None)):
            raise KindError("ledger", type(self.ledger), "a Ledger, whose reserve() and reservation() give this")
        whole(self.number, "number", least=1)

    @property
    def left(self) -> Counter[Event]:
        """The releases that may still be made, and how often each; none once their period is over."""
        return self.ledger._reserved(self.number)

    @property
    def path(self) -> Path | str | None:
        """Where the books are."""
        return self.ledger.path

    @property
    def last_left(self) -> Amount:
        """What was left on the books when they were last read."""
        return self.ledger.last_left

    @property
    def _whose(self) -> tuple[str, ...]:
        return self.ledger._whose

    def charge(
        self,
        *,
        epsilon: Exact | None = None,
        delta: Exact = 0,
        event: Event | None = None,
        table: str | None = None,
        receipt: Any = None,
        who: str | None = None,
    ) -> Entry:
        """Note that one of the releases is being made, durably, and return the entry; only then may it be made."""
        return self.ledger._release(self.number, epsilon, delta, event, table=table, receipt=receipt, who=who)

    def shares(self) -> Callable[[Event], Fraction]:
        """Return a function that says whether a release is left in it, or is a part of one: 0, or else more than 1."""
        left = [Counter(release.parts) for release in self.left]
        return lambda event: Fraction(0 if any(Counter(event.parts) <= parts for parts in left) else 2)

    def keep(self, number: int, *, question: str, answer: Any) -> Entry:
        """Keep an answer with the ledger."""
        return self.ledger.keep(number, question=question, answer=answer)

    def kept(self, question: str, /) -> tuple[Entry, Any] | None:
        """Return what the ledger has kept."""
        return self.ledger.kept(question)

    def mark_failed(self, number: int, *, reason: str, who: str | None = None) -> Entry:
        """Note that nothing came of a release, and why. It is made all the same."""
        return self.ledger.mark_failed(number, reason=reason, who=who)
