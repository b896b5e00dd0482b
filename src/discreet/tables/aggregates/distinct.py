"""Distinct: how many different values of a column there are, of which each person brings a few."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, final

from discreet.errors import KindError
from discreet.frozen import freeze
from discreet.tables.aggregates.aggregate import Aggregate, at_most, checked_name

__all__ = ["Distinct"]


@final
@dataclass(frozen=True, slots=True, init=False)
class Distinct(Aggregate):
    """How many distinct values of a column there are, of which at most *most* of a person count in a group.

    Each person brings that many of their own values, chosen by a keyed order; what somebody brings is counted once. So
    a person changes the number by at most *most*. A value that nobody brings is missed: the number is too small, never
    too large, but for its noise. Null and NaN are no values; values are told apart as the keys of groups are.

    >>> Distinct("product", 3).steps, Distinct("product").label
    ((0, 3), 'distinct values of product')
    """

    kind: ClassVar = "distinct"
    unit: ClassVar = Fraction(1)

    column: str
    most: int
    name: str | None

    def __init__(self, column: str, most: int = 1, *, name: str | None = None) -> None:
        if not isinstance(column, str):
            raise KindError("column", column, "a column's name")
        freeze(self, column=column, most=at_most(most, "most"), name=checked_name(name))

    @property
    def steps(self) -> tuple[int, int]:
        """From none that is new to all that a person brings."""
        return 0, self.most

    @property
    def brings(self) -> int:
        """As many as count."""
        return self.most

    @property
    def words(self) -> str:
        """What it counts."""
        return f"distinct values of {self.column}"

    @property
    def note(self) -> str:
        """Which values are missed."""
        return (
            f"Each person brings at most {self.most} distinct {self.column} to a group; what nobody brings is missed."
        )

    @property
    def plan_note(self) -> str:
        """Which values are missed, and what that does."""
        many = f"at most {self.most} of their distinct values of {self.column}"
        kept = f"Each person brings {many} to a group, chosen at random, and a value that nobody brings is missed."
        return f"{kept} That is a bias, not noise: it makes the number too small where many values are rare."

    def to_dict(self) -> dict[str, Any]:
        """Return what a receipt says about it."""
        return {"name": self.label, "kind": self.kind, "column": self.column, "most": self.most}
