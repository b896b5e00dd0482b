"""Values: sums and means of a column, on a grid of integers and between bounds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, final

import numpy as np

from discreet.errors import KindError, ParameterError
from discreet.exact import Exact, exact
from discreet.frozen import freeze
from discreet.tables.aggregates.aggregate import MOST, Aggregate, Column, Ends, checked_name
from discreet.tables.aggregates.counts import People
from discreet.tables.engines.engine import clipped, placed
from discreet.tables.powers import BINS, LEAST, Bounds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.tables.engines import Engine
    from discreet.tables.noise import ColumnNoise

__all__ = ["AUTO", "SIZES", "Mean", "Sum", "Value", "nearest"]

_STEPS: Final = 1 << 16
_MOST_STEPS: Final = 1 << 30
SIZES: Final = (100, 1000, 10_000)
AUTO: Final = "auto"
_OR: Final = "suggest_bounds() suggests some"
_DOUBLED: Final = tuple(1 << i for i in range(41))
_HALF: Final = Fraction(1, 40)
"""Half of the error that 95 % leaves."""


@dataclass(frozen=True, slots=True, init=False)
class Value(Aggregate):
    """An aggregate of a column of numbers: each is clipped to [low, high] and rounded to a multiple of *grid*.

    Without a *grid*, it is a power of two that cuts the range into some 2**16 steps: values lose little, and floats
    scale exactly. Bounds that are "auto" are learned from a part of epsilon; one of them may be given, as 0.
    """

    clips: ClassVar = True

    column: str
    low: Fraction | Literal["auto"]
    high: Fraction | Literal["auto"]
    grid: Fraction
    name: str | None

    def __init__(
        self,
        column: str,
        low: Exact | None = None,
        high: Exact | None = None,
        grid: Exact | None = None,
        *,
        name: str | None = None,
    ) -> None:
        if not isinstance(column, str):
            raise KindError("column", column, "a column's name")
        ends = checked_bound(low, "low"), checked_bound(high, "high")
        if AUTO in ends and not set(ends) <= {AUTO, 0}:
            raise ParameterError("low" if ends[1] == AUTO else "high", low if ends[1] == AUTO else high, '"auto" or 0')
        lower, upper = _span(*ends)
        if lower > upper:
            raise ParameterError("low", low, f"low <= high = {upper}")
        if lower == upper == 0:
            raise ParameterError("high", high, "bounds that are not both 0")
        unit = self._power(lower, upper) if grid is None else exact(grid, "grid")
        if AUTO in ends and unit != self._power(lower, upper):
            raise ParameterError("grid", grid, 'none, where bounds are "auto": what is found decides it')
        if unit <= 0 or max(unit.numerator, unit.denominator) >= 1 << 53:
            raise ParameterError("grid", grid, "grid > 0, a quotient of integers below 2**53")
        if not 1 <= max(abs(nearest(lower / unit)), abs(nearest(upper / unit))) <= MOST:  # proof: most
            raise ParameterError("grid", grid, f"bounds of 1 to {MOST} units of the grid")
        freeze(self, column=column, low=ends[0], high=ends[1], grid=unit, name=checked_name(name))

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
    def span(self) -> Bounds:
        """The bounds as numbers; -1 and 1 in the place of those that are to be learned."""
        return _span(self.low, self.high)

    @property
    def bounds(self) -> tuple[int, int]:
        """The bounds of a value, in units of the grid."""
        low, high = self.span
        return nearest(low / self.grid), nearest(high / self.grid)

    @property
    def extent(self) -> str:
        """What its bounds are of, in words."""
        return self.column

    def extents(self, n: Any, least: Any, greatest: Any) -> tuple[Any, Any]:
        """Return the bins of the least and the greatest number to be bounded, of a person's *n* values in a group."""
        return least, greatest

    @property
    def learns(self) -> tuple[Value, ...]:
        """Itself without bounds, where they are to be learned."""
        return (type(self)(self.column, AUTO, AUTO),) if AUTO in (self.low, self.high) else ()

    def learned(self, found: Mapping[Aggregate, Bounds]) -> Value:
        """Return it within 0 and a power of two, or within one and its negative, by what was found.

        That cuts the range into as many steps whatever the power is: the noise, in steps, is the same.
        """
        if not self.learns:
            return self
        low, high = found[self.learns[0]]
        top = max(-low, high)
        if self.low == 0 or (low >= 0 and self.high == AUTO):
            ends = Fraction(0), max(high, LEAST)
        elif self.high == 0 or high <= 0:
            ends = -max(-low, LEAST), Fraction(0)
        else:
            ends = -top, top
        return type(self)(self.column, *ends, name=self.name)  # proof: scaled

    @property
    def words(self) -> str:
        """What it is, of which column."""
        return f"{self.kind} of {self.column}"

    @property
    def note(self) -> str:
        """What becomes of values beyond the bounds."""
        low, high = (f"{float(end):,g}" for end in self.span)
        return f"What is below {low} counts as {low}, and what is above {high} as {high}."

    @property
    def plan_note(self) -> str:
        """The bounds and the grid."""
        if self.learns:
            first = f"Bounds of {self.extent} are learned first, from a part of epsilon that weights can change"
            return f"{first}. Noise is told as a share of {self.share_of}, which is not known yet."
        low, high = (f"{float(end):g}" for end in self.span)
        return f"Values are clipped to [{low}, {high}] and put on a grid of {self.grid}."

    @property
    def share_of(self) -> str:
        """The bound, where it is to be learned: until then it is 1."""
        return "the bound" if self.learns else ""

    def placed(self, value: Any, engine: Engine) -> Any:
        """Return an Ibis column of numbers as units of the grid, between the bounds."""
        low, high = self.span
        x = engine.real(value, floor(low), ceil(high))
        multiply, divide = float(self.grid.denominator), float(self.grid.numerator)
        step = engine.nearest(x, float(low), float(high), multiply, divide)
        return clipped(step, *self.bounds)  # proof: step

    def own_mean(self, each: Any, s: Any) -> Any:
        """Return the mean of each person's values in a group, the nearest integer in units of the grid."""
        (low, high), n = self.bounds, each.n
        # Counted from the lower bound up: no negative number is divided.
        twice = (2 * (s - low * n) + n).cast("float64") / (2 * n).cast("float64")
        return clipped(twice.floor().cast("int64") + low, low, high)  # proof: mean

    def to_dict(self) -> dict[str, Any]:
        """Return what a receipt says about it; numbers are exact."""
        numbers = {"low": str(self.low), "high": str(self.high), "grid": None if self.learns else str(self.grid)}
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
    def extent(self) -> str:
        """The values, and people's sums of them."""
        return f"sums of {self.column}"

    def extents(self, n: Any, least: Any, greatest: Any) -> tuple[Any, Any]:
        """Return the bins of the least and the greatest value, or of as many times that as there are values."""
        import ibis

        more = placed(n, _DOUBLED)  # proof: doubled
        lower = (least < 0).ifelse(ibis.greatest(least - more, -BINS), least)
        return lower, (greatest > 0).ifelse(ibis.least(greatest + more, BINS), greatest)

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
    needs: ClassVar = (People(),)
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
        """Return the sum of people's means."""
        return self.own_mean(each, s).sum()

    def read(self, totals: NDArray[np.int64], people: NDArray[np.int64]) -> list[int]:
        """Return the sums of twice the distances from the middle of the bounds."""
        both = sum(self.bounds)
        pairs = zip(totals.tolist(), people.tolist(), strict=True)
        return [2 * total - both * many for total, many in pairs]  # proof: centred

    def finish(self, noisy: Sequence[int], needed: Sequence[Sequence[Any]]) -> list[Any]:
        """Return the means; that of nobody is the middle of the bounds."""
        (people,) = needed
        low, high = self.span
        middle, pairs = (low + high) / 2, zip(noisy, people, strict=True)
        means = [middle + self.unit * value / many if many > 0 else middle for value, many in pairs]
        return [float(min(max(mean, low), high)) for mean in means]

    def ends(self, column: Column, error: Fraction) -> Ends:
        """Return the range of the quotients of all sums and people within their intervals, half the error each."""
        (people,) = column.needed
        low, high = map(float, self.span)
        middle = (low + high) / 2
        centred = (np.array(column.values, float) - middle) * np.array(people.values, float)
        reach = column.noise.radius(error / 2)
        fewest, most_people = people.interval(1 - error / 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = [c / n for c in (centred - reach, centred + reach) for n in (fewest, most_people)]
        least, most = np.minimum.reduce(ends) + middle, np.maximum.reduce(ends) + middle
        unknown = fewest <= 0
        return np.where(unknown, low, least.clip(low, high)), np.where(unknown, high, most.clip(low, high))

    def errors(self, noise: ColumnNoise, needed: Sequence[ColumnNoise]) -> tuple[tuple[int, float], ...]:
        """Return bounds on the errors of means of several numbers of people; each noise has half of the error.

        With noise Y in the sum S of distances from the middle of the bounds, and Z in the number n of people,

            |(S + Y) / (n + Z) - S / n| = |Y - Z S / n| / (n + Z) <= (|Y| + |Z| (high - low) / 2) / (n - |Z|).
        """
        (people,), (low, high) = needed, self.span
        total, many, width = noise.radius(_HALF), people.radius(_HALF), float(high - low)
        return tuple((n, min((total + many * width / 2) / (n - many), width) if n > many else width) for n in SIZES)


def checked_bound(given: Exact | None, name: str) -> Fraction | Literal["auto"]:
    """Return a bound, or raise; None is a bound that was not given.

    >>> checked_bound(None, "low")                                                      # doctest: +ELLIPSIS
    Traceback (most recent call last):
    discreet.errors.ParameterError: low=None: need low and high, ...; or "auto", ...; suggest_bounds() ...
    """
    if given is None:
        known = "low and high, known without the data: values beyond them count as them"
        raise ParameterError(name, given, f'{known}; or "auto", to learn them from a part of epsilon; {_OR}')
    return AUTO if isinstance(given, str) and given == AUTO else exact(given, name)


def _span(low: Fraction | Literal["auto"], high: Fraction | Literal["auto"]) -> Bounds:
    return Fraction(-1) if low == AUTO else low, Fraction(1) if high == AUTO else high


def nearest(x: Fraction) -> int:
    """Return the nearest integer, the upper one of two."""
    return (2 * x.numerator + x.denominator) // (2 * x.denominator)
