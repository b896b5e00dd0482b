"""Accountants: the rules by which losses add up, by name. The class statement is the registration."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from fractions import Fraction
from types import MappingProxyType
from typing import Any, ClassVar, Final, TypeAlias

from discreet.accounting.amounts import Amount
from discreet.errors import ParameterError
from discreet.events import Event

__all__ = ["Accountant", "accountants"]

State: TypeAlias = tuple[Fraction, ...]
"""What an accountant remembers of all events so far: a few exact numbers."""

_KNOWN: Final[dict[str, Accountant]] = {}


class Accountant(ABC):
    """A rule that says whether a sequence of events, each chosen after the answers before it, fits into a budget.

    Guarantee, which every subclass proves: if ``exceeds`` is False after each event, all releases together are
    (epsilon, delta)-differentially private for the budget's epsilon and delta, whoever chose them and how.

    Its name stands on the books under their digest, and what it means never changes: a better rule gets a new name.
    """

    __slots__ = ()
    name: ClassVar[str]
    start: ClassVar[State]
    """The state before the first event."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if cls.name in _KNOWN:
            raise ParameterError("name", cls.name, "a name that no accountant has yet")
        _KNOWN[cls.name] = cls()

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

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
        """Return an amount that one more event may certainly cost."""


def accountants() -> Mapping[str, Accountant]:
    """Return all accountants, by name.

    >>> accountants()["plain"]
    Plain()
    """
    return MappingProxyType(_KNOWN)
