"""Accountants: the rules by which losses add up, by name. The class statement is the registration."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from operator import add, sub
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

from discreet.accounting.amounts import Amount
from discreet.errors import DiscreetError, ParameterError, none_of
from discreet.events import Event
from discreet.exact import written

if TYPE_CHECKING:
    from typing import Self

__all__ = ["Accountant", "accountants"]

State: TypeAlias = tuple[Fraction, ...]
"""What an accountant remembers of all events so far: a few exact sums."""

_ALL: Final = Fraction(1 << 64)
"""More than is left, where nothing is."""
_KNOWN: Final[dict[str, type[Accountant]]] = {}


class Accountant(ABC):
    """A rule that says whether a sequence of events, each chosen after the answers before it, fits into a budget.

    Guarantee, which every subclass proves: if ``exceeds`` is False after each event, all releases together are
    (epsilon, delta)-differentially private for the budget's epsilon and delta, whoever chose them and how.

    Its name stands on the books under their digest, with its terms: the numbers that it was made with for a budget.
    What they mean never changes: a better rule gets a new name.
    """

    __slots__ = ()
    name: ClassVar[str]
    sums: ClassVar[Mapping[str, str]]
    """What it adds up, by name, and what a message calls it."""
    start: ClassVar[State]
    """The state before the first event: nothing, of each sum."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.start = (Fraction(0),) * len(cls.sums)
        known = _KNOWN.get(cls.name, cls)
        # A dataclass with slots is made twice.
        if (known.__module__, known.__qualname__) != (cls.__module__, cls.__qualname__):
            raise ParameterError("name", cls.name, "a name that no accountant has yet")
        _KNOWN[cls.name] = cls

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    @classmethod
    def for_budget(cls, budget: Amount, release_delta: Fraction | None = None) -> Self:
        """Return the accountant of a new budget; *release_delta* is the part of delta for the releases' own deltas."""
        if release_delta is not None:
            raise ParameterError(
                "release_delta", release_delta, f"None, because accountant={cls.name!r} divides no delta"
            )
        return cls()

    @property
    def terms(self) -> dict[str, Any]:
        """The numbers that it was made with, as plain values for JSON."""
        return {}

    @classmethod
    def of_terms(cls, terms: dict[str, Any], /) -> Self:
        """Return the accountant that was made with some numbers."""
        return cls(**terms)

    def is_sound(self, budget: Amount, /) -> bool:
        """Whether its guarantee holds for a budget with the terms that it has, computed anew."""
        return True

    @property
    def text(self) -> str:
        """What stands on the books.

        >>> accountants()["plain"]().text
        'plain'
        """
        return json.dumps({"name": self.name, **self.terms}) if self.terms else self.name

    @staticmethod
    def read(text: str, /) -> Accountant:
        """Return the accountant that books name.

        >>> Accountant.read("plain")
        Plain()
        """
        terms = json.loads(text) if text.startswith("{") else {"name": text}
        name = terms.pop("name")
        if name not in _KNOWN:
            raise none_of("accountant", name, _KNOWN)
        try:
            return _KNOWN[name].of_terms(terms)
        except DiscreetError:  # Here it is no user's mistake.
            raise ValueError("terms that no accountant has") from None

    @abstractmethod
    def cost(self, event: Event, /) -> State:
        """Return what an event adds to each sum."""

    @abstractmethod
    def limits(self, budget: Amount, /) -> State:
        """Return how much each sum may come to."""

    @abstractmethod
    def left(self, state: State, budget: Amount, /) -> Amount:
        """Return the most that one more release may cost: an event of one move, and a delta."""

    @abstractmethod
    def spent(self, state: State, /) -> Amount:
        """Return what the events so far come to, as an epsilon and a delta."""

    def remark(self, event: Event, /) -> str | None:
        """Return how an event is counted, where that is not what it says of itself."""
        return None

    def after(self, state: State, event: Event, /) -> State:
        """Return the state after one more event."""
        return tuple(map(add, state, self.cost(event)))

    def without(self, state: State, event: Event, /) -> State:
        """Return the state as if an event that it counts had not happened."""
        return tuple(map(sub, state, self.cost(event)))

    def exceeds(self, state: State, budget: Amount, /) -> bool:
        """Whether the events so far are more than a budget allows: in any of the sums."""
        return any(spent > of for spent, of in zip(state, self.limits(budget), strict=True))

    def share(self, state: State, event: Event, budget: Amount, /) -> Fraction:
        """Return which part of what is left an event takes, of the sum of which it takes most.

        >>> accountants()["plain"]().share(
        ...     (Fraction(1), Fraction(0)), Event.of(moves=[(1, 1)]), Amount(Fraction(3), Fraction(0))
        ... )
        Fraction(1, 2)
        """
        return max(self._shares(state, event, budget))

    def _shares(self, state: State, event: Event, budget: Amount) -> list[Fraction]:
        parts = zip(self.cost(event), map(sub, self.limits(budget), state), strict=True)
        return [cost / left if left > 0 else _ALL * bool(cost) for cost, left in parts]

    def readings(self, state: State, budget: Amount, /) -> dict[str, tuple[Fraction, Fraction]]:
        """Return the sums that decide, by name: how much, and of how much."""
        return dict(zip(self.sums, zip(state, self.limits(budget), strict=True), strict=True))

    def text_of(self, event: Event, /) -> str:
        """Write what an event costs as a user would: its epsilon and delta, or what else is added up instead."""
        if "epsilon" in self.sums:
            return Amount(event.epsilon, event.delta).text(up=True)
        return self._named(self.cost(event), up=True)

    def text_left(self, state: State, budget: Amount, /) -> str:
        """Write what is left, in the units of `text_of`."""
        if "epsilon" in self.sums:
            return self.left(state, budget).text(up=False)
        return self._named(tuple(map(sub, self.limits(budget), state)), up=False)

    def _named(self, parts: State, *, up: bool) -> str:
        return ", ".join(f"{name}={written(x, up=up)}" for name, x in zip(self.sums, parts, strict=True))

    def excess(self, state: State, event: Event, budget: Amount, /) -> str:
        """Return in words by which sums one more event would be too much.

        >>> accountants()["plain"]().excess(
        ...     (Fraction(3), Fraction(0)), Event.of(moves=[(1, 1)]), Amount(Fraction(3), Fraction(0))
        ... )
        'epsilon would come to 4 of 3'
        """
        decide, after = self.readings(state, budget), self.readings(self.after(state, event), budget)
        over = [(self.sums[name], x, most) for name, (x, most) in after.items() if x > most and name in decide]
        told = [f"{word} would come to {written(x, up=True)} of {written(most, up=False)}" for word, x, most in over]
        return ", ".join([*told[:1], *(text.replace(" would come", "") for text in told[1:])])


def accountants() -> Mapping[str, type[Accountant]]:
    """Return all kinds of accountants, by name.

    >>> accountants()["plain"]
    <class 'discreet.accounting.plain.Plain'>
    """
    return MappingProxyType(_KNOWN)
