"""Packing: the sums of several values as one sum of wide numbers, which an engine holds in less memory.

An engine keeps the sums of all pairs of a person and a group until it knows which of them count: as many numbers, each
with room for every sum. A number of 128 bits has room for several, side by side: a row adds 1 to the lowest field,
which counts rows, and to each field above it the distance of one value from its lower bound.

Theorem.  If a person has fewer than 2**32 rows in a group, and each value is between its bounds, then what is unpacked
is the number of rows and the sum of each value. However many rows there are, it is a function of that person's rows.
Proof: bounding.md, which cites the marked lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, final

from discreet.tables.engines.engine import literal

if TYPE_CHECKING:
    from discreet.tables.engines import Engine

__all__ = ["Field", "Packing"]

ROWS: Final = 32
"""The bits of a number of rows."""
WIDE: Final = 126
"""The bits of a wide number: one is its sign, and one is left over."""
NARROW: Final = 63
"""The bits of what is unpacked."""


@final
@dataclass(frozen=True, slots=True)
class Field:
    """Some bits of a wide *number*, from *shift* on: the sum, over rows, of a value's distance from *low*."""

    name: str
    number: int
    shift: int
    width: int
    low: int


@final
@dataclass(frozen=True, slots=True)
class Packing:
    """Which bits of which wide number hold which sum; the first field counts rows, and is called n.

    >>> for field in Packing.of({"s1": (0, 100), "s2": (-10, 10)}).fields:
    ...     print(field)
    Field(name='n', number=0, shift=0, width=32, low=0)
    Field(name='s1', number=0, shift=32, width=39, low=0)
    Field(name='s2', number=0, shift=71, width=37, low=-10)
    """

    fields: tuple[Field, ...]

    @classmethod
    def of(cls, bounds: Mapping[str, tuple[int, int] | None]) -> Packing | None:
        """Return a packing of values between bounds, by name; None where it would take as many numbers.

        >>> Packing.of({"s1": (0, 100)}) is Packing.of({"s1": (0, 2**31), "s2": (-(2**31), 2**31)}) is None
        True
        """
        fields = [Field("n", 0, 0, ROWS, 0)]
        for name, ends in bounds.items():
            if ends is None or (width := ROWS + (ends[1] - ends[0]).bit_length()) > NARROW:  # proof: width
                return None
            last = fields[-1]
            shift, number = last.shift + last.width, last.number
            if shift + width > WIDE:  # proof: next
                shift, number = 0, number + 1
            fields.append(Field(name, number, shift, width, ends[0]))
        return cls(tuple(fields)) if fields[-1].number + 1 < len(bounds) else None

    def each(self, rows: Any, by: list[str], engine: Engine) -> Any:
        """Return one row for each person and group, with the wide numbers w0, w1, ..."""
        numbers: dict[str, Any] = {}
        for field in self.fields:
            value = literal(1, "int64") if field.name == "n" else rows[field.name] - field.low
            placed = engine.wide(value) << field.shift
            name = f"w{field.number}"
            numbers[name] = numbers[name] + placed if name in numbers else placed
        return rows.group_by(by).agg(**{name: number.sum() for name, number in numbers.items()})

    def unpacked(self, each: Any) -> Any:
        """Return the same rows with the number n of rows and the sums of values."""
        import ibis.expr.operations as ops

        found = {}
        for field in self.fields:
            bits = (each[f"w{field.number}"] >> field.shift) & ((1 << field.width) - 1)
            found[field.name] = ops.Cast(bits, "int64").to_expr()  # Which Ibis takes it for, and the engine does not.
        lows = {field.name: field.low * found["n"] for field in self.fields if field.low}
        return each.mutate(**found | {name: found[name] + low for name, low in lows.items()})  # proof: lower
