"""Accountants: the rules by which losses add up, by name. The class statement is the registration."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias

from discreet.accounting.amounts import Amount
from discreet.errors import ParameterError, none_of
from discreet.events import Event

if TYPE_CHECKING:
    from typing import Self

__all__ = ["Accountant", "accountants"]

State: TypeAlias = tuple[Fraction, ...]
"""What an accountant remembers of all events so far: a few exact numbers."""

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
    start: ClassVar[State]
    """The state before the first event."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
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
        return _KNOWN[name].of_terms(terms)

    @abstractmethod
    def after(self, state: State, event: Event, /) -> State:
        """Return the state after one more event."""

    @abstractmethod
    def without(self, state: State, event: Event, /) -> State:
        """Return the state as if an event that it counts had not happened."""

    @abstractmethod
    def exceeds(self, state: State, budget: Amount, /) -> bool:
        """Whether the events so far are more than a budget allows."""

    @abstractmethod
    def left(self, state: State, budget: Amount, /) -> Amount:
        """Return the most that one more release may cost: an event of one move, and a delta."""

    @abstractmethod
    def spent(self, state: State, /) -> Amount:
        """Return what the events so far come to by plain addition."""

    def readings(self, state: State, budget: Amount, /) -> dict[str, tuple[Fraction, Fraction]]:
        """Return what is added up, by name: how much, and of how much."""
        pairs = zip(self.spent(state), budget, strict=True)
        return dict(zip(Amount._fields, pairs, strict=True))


def accountants() -> Mapping[str, type[Accountant]]:
    """Return all kinds of accountants, by name.

    >>> accountants()["plain"]
    <class 'discreet.accounting.plain.Plain'>
    """
    return MappingProxyType(_KNOWN)
