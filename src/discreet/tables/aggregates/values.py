"""Values: sums and means of a column, on a grid of integers and between bounds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any, ClassVar, Final, final

import numpy as np

from discreet.errors import KindError, ParameterError
from discreet.exact import Exact, exact
from discreet.frozen import freeze
from discreet.tables.aggregates.aggregate import MOST, Aggregate, Column, Ends, checked_name
from discreet.tables.engines.engine import clipped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.tables.engines import Engine
    from discreet.tables.noise import ColumnNoise

__all__ = ["Mean", "Sum", "Value"]

_STEPS: Final = 1 << 16
_MOST_STEPS: Final = 1 << 30
_SIZES: Final = (100, 1000, 10_000)
_HALF: Final = Fraction(1, 40)
"""Half of the error that 95 % leaves."""


@dataclass(frozen=True, slots=True, init=False)
class Value(Aggregate):
    """An aggregate of a column of numbers: each is clipped to [low, high] and rounded to a multiple of *grid*.

    Without a *grid*, it is a power of two that cuts the range into some 2**16 steps: values lose little, and floats
    scale exactly.
    """

    column: str
    low: Fraction
    high: Fraction
    grid: Fraction
    name: str | None

    def __init__(
        self, column: str, low: Exact, high: Exact, grid: Exact | None = None, *, name: str | None = None
    ) -> None:
        if not isinstance(column, str):
            raise KindError("column", column, "a column's name")
        lower, upper = exact(low, "low"), exact(high, "high")
        if lower > upper:
            raise ParameterError("low", low, f"low <= high = {upper}")
        if lower == upper == 0:
            raise ParameterError("high", high, "bounds that are not both 0")
        unit = self._power(lower, upper) if grid is None else exact(grid, "grid")
        if unit <= 0 or max(unit.numerator, unit.denominator) >= 1 << 53:
            raise ParameterError("grid", grid, "grid > 0, a quotient of integers below 2**53")
        if not 1 <= max(abs(_nearest(lower / unit)), abs(_nearest(upper / unit))) <= MOST:  # proof: most
            raise ParameterError("grid", grid, f"bounds of 1 to {MOST} units of the grid")
        freeze(self, column=column, low=lower, high=upper, grid=unit, name=checked_name(name))

    @classmethod
    def _power(cls, low: Fraction, high: Fraction) -> Fraction:
        """Return a power of two that is about as large as a step."""
        step = cls._step(low, high)
        return Fraction(2) ** (step.numerator.bit_length() - step.denominator.bit_length())

    @staticmethod
    @abstractmethod
    def _step(low: Fraction, high: Fraction) -> Fraction:
        """Return how finely the range deserves to be cut."""

    @property
    def bounds(self) -> tuple[int, int]:
        """The bounds of a value, in units of the grid."""
        return _nearest(self.low / self.grid), _nearest(self.high / self.grid)

    @property
    def words(self) -> str:
        """What it is, of which column."""
        return f"{self.kind} of {self.column}"

    @property
    def note(self) -> str:
        """What becomes of values beyond the bounds."""
        low, high = f"{float(self.low):,g}", f"{float(self.high):,g}"
        return f"What is below {low} counts as {low}, and what is above {high} as {high}."

    @property
    def plan_note(self) -> str:
        """The bounds and the grid."""
        return f"Values are clipped to [{float(self.low):g}, {float(self.high):g}] and put on a grid of {self.grid}."

    def placed(self, value: Any, engine: Engine) -> Any:
        """Return an Ibis column of numbers as units of the grid, between the bounds."""
        x = engine.real(value, floor(self.low), ceil(self.high))
        multiply, divide = float(self.grid.denominator), float(self.grid.numerator)
        step = engine.nearest(x, float(self.low), float(self.high), multiply, divide)
        return clipped(step, *self.bounds)  # proof: step

    def to_dict(self) -> dict[str, Any]:
        """Return what a receipt says about it; numbers are exact."""
        numbers = {"low": str(self.low), "high": str(self.high), "grid": str(self.grid)}
        return {"name": self.label, "kind": self.kind, "column": self.column, **numbers}


@final
@dataclass(frozen=True, slots=True, init=False)
class Sum(Value):
    """The sum of a column: each value, and then each person's sum in a group, is clipped to [low, high].

    >>> Sum("amount", 0, 100, "0.01").steps, Sum("amount", 0, 100).grid
    ((0, 10000), Fraction(1, 1024))
    """

    kind: ClassVar = "sum"

    @staticmethod
    def _step(low: Fraction, high: Fraction) -> Fraction:
        """Return a part of the range from 0 on, as large as the noise is."""
        return max(abs(low), abs(high)) / _STEPS

    @property
    def unit(self) -> Fraction:
        """The grid."""
        return self.grid

    @property
    def steps(self) -> tuple[int, int]:
        """The bounds."""
        return self.bounds

    def total(self, each: Any, s: Any) -> Any:
        """Return the sum of people's sums."""
        return clipped(s, *self.bounds).sum()  # proof: clip


@final
@dataclass(frozen=True, slots=True, init=False)
class Mean(Value):
    """The mean over people of their own mean of a column in the group, clipped to [low, high].

    What gets noise is the sum of people's distances from the middle of the bounds, in halves of the grid: that needs
    the least. It is divided by the noisy number of people.

    >>> Mean("age", 0, 120, 1).steps
    (-120, 120)
    """

    kind: ClassVar = "mean"
    divides: ClassVar = True
    whole: ClassVar = False

    @staticmethod
    def _step(low: Fraction, high: Fraction) -> Fraction:
        """Return a part of the range between the bounds, as far as numbers reach."""
        return max((high - low) / _STEPS, max(abs(low), abs(high)) / _MOST_STEPS)

    @property
    def unit(self) -> Fraction:
        """Half of the grid."""
        return self.grid / 2

    @property
    def steps(self) -> tuple[int, int]:
        """Twice the distances from the middle."""
        low, high = self.bounds
        return low - high, high - low

    def total(self, each: Any, s: Any) -> Any:
        """Return the sum of people's means, each the nearest integer."""
        (low, high), n = self.bounds, each.n
        # Counted from the lower bound up: no negative number is divided.
        twice = (2 * (s - low * n) + n).cast("float64") / (2 * n).cast("float64")
        return clipped(twice.floor().cast("int64") + low, low, high).sum()  # proof: mean

    def read(self, totals: NDArray[np.int64], people: NDArray[np.int64]) -> list[int]:
        """Return the sums of twice the distances from the middle of the bounds."""
        both = sum(self.bounds)
        pairs = zip(totals.tolist(), people.tolist(), strict=True)
        return [2 * total - both * many for total, many in pairs]  # proof: centred

    def finish(self, noisy: Sequence[int], people: Sequence[int]) -> list[Any]:
        """Return the means; that of nobody is the middle of the bounds."""
        middle = (self.low + self.high) / 2
        pairs = zip(noisy, people, strict=True)
        means = [middle + self.unit * value / many if many > 0 else middle for value, many in pairs]
        return [float(min(max(mean, self.low), self.high)) for mean in means]

    def ends(self, column: Column, error: Fraction) -> Ends:
        """Return the range of the quotients of all sums and people within their intervals, half the error each."""
        assert column.people is not None  # noqa: S101  It divides.
        low, high = float(self.low), float(self.high)
        middle = (low + high) / 2
        centred = (np.array(column.values, float) - middle) * np.array(column.people.values, float)
        reach = column.noise.radius(error / 2)
        fewest, most_people = column.people.interval(1 - error / 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = [c / n for c in (centred - reach, centred + reach) for n in (fewest, most_people)]
        least, most = np.minimum.reduce(ends) + middle, np.maximum.reduce(ends) + middle
        unknown = fewest <= 0
        return np.where(unknown, low, least.clip(low, high)), np.where(unknown, high, most.clip(low, high))

    def errors(self, noise: ColumnNoise, people: ColumnNoise) -> tuple[tuple[int, float], ...]:
        """Return bounds on the errors of means of several numbers of people; each noise has half of the error.

        With noise Y in the sum S of distances from the middle of the bounds, and Z in the number n of people,

            |(S + Y) / (n + Z) - S / n| = |Y - Z S / n| / (n + Z) <= (|Y| + |Z| (high - low) / 2) / (n - |Z|).
        """
        total, many, width = noise.radius(_HALF), people.radius(_HALF), float(self.high - self.low)
        return tuple((n, min((total + many * width / 2) / (n - many), width) if n > many else width) for n in _SIZES)


def _nearest(x: Fraction) -> int:
    """Return the nearest integer, the upper one of two."""
    return (2 * x.numerator + x.denominator) // (2 * x.denominator)
