"""Counts: of people, and of rows."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

from discreet.frozen import freeze
from discreet.tables.aggregates.aggregate import Aggregate, at_most, checked_name

__all__ = ["People", "Rows"]


@final
@dataclass(frozen=True, slots=True, init=False)
class People(Aggregate):
    """How many people there are.

    >>> People().label, People(name="visitors").label
    ('people', 'visitors')
    """

    kind: ClassVar = "people"
    lists: ClassVar = True
    unit: ClassVar = Fraction(1)
    steps: ClassVar = (0, 1)
    words: ClassVar = "people"

    name: str | None

    def __init__(self, *, name: str | None = None) -> None:
        freeze(self, name=checked_name(name))

    def total(self, each: Any, s: Any) -> Any:
        """Return the number of people."""
        return each.count()


@final
@dataclass(frozen=True, slots=True, init=False)
class Rows(Aggregate):
    """How many rows there are, of which at most *most* of a person count in a group.

    >>> Rows(3).steps
    (0, 3)
    """

    kind: ClassVar = "rows"
    lists: ClassVar = True
    unit: ClassVar = Fraction(1)
    words: ClassVar = "rows"

    most: int
    name: str | None

    def __init__(self, most: int = 1, *, name: str | None = None) -> None:
        freeze(self, most=at_most(most, "most"), name=checked_name(name))

    @property
    def steps(self) -> tuple[int, int]:
        """From none to all that count."""
        return 0, self.most

    @property
    def rows(self) -> int:
        """As many as count."""
        return self.most

    def total(self, each: Any, s: Any) -> Any:
        """Return the number of rows."""
        return each.n.clip(upper=self.most).sum()  # proof: rows

    def to_dict(self) -> dict[str, Any]:
        """Return what a receipt says about it."""
        return {"name": self.label, "kind": self.kind, "most": self.most}
