"""Quotients: variances and standard deviations of people's means, and ratios of two aggregates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Final, final

import numpy as np

from discreet.errors import KindError, ParameterError
from discreet.exact import Exact
from discreet.frozen import freeze
from discreet.tables.aggregates.aggregate import Aggregate, Column, Ends, checked_name
from discreet.tables.aggregates.counts import People
from discreet.tables.aggregates.values import SIZES, Mean, Value
from discreet.tables.engines.engine import clipped

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.tables.engines import Engine
    from discreet.tables.noise import ColumnNoise
    from discreet.tables.powers import Bounds

__all__ = ["Ratio", "StandardDeviation", "Variance"]

_SQUARES: Final = 1 << 30
"""Into how many steps squares are cut."""
_THIRD: Final = Fraction(1, 60)
"""A third of the error that 95 % leaves."""


@dataclass(frozen=True, slots=True, init=False)
class Variance(Value):
    """The variance over people of their own mean of a column in the group, clipped to [low, high].

    It is the mean square of people's distances from the middle of the bounds, less the square of the mean distance.
    The number of people and the mean are released with it. Squares are cut into 2**30 steps, and what gets noise is
    their sum, counted from the middle of these: that needs half as much.

    >>> Variance("age", 0, 120).steps == (-(2**30), 2**30), [each.label for each in Variance("age", 0, 120).needs]
    (True, ['people', 'mean of age'])
    """

    kind: ClassVar = "variance"
    whole: ClassVar = False

    def __init__(
        self,
        column: str,
        low: Exact | None = None,
        high: Exact | None = None,
        grid: Exact | None = None,
        *,
        name: str | None = None,
    ) -> None:
        Value.__init__(self, column, low, high, grid, name=name)
        least, most = self.bounds
        if least == most:
            raise ParameterError("high", high, "low < high, by at least a unit of the grid")

    _step = staticmethod(Mean._step)

    @property
    def mean(self) -> Mean:
        """The mean of the same values."""
        return Mean(self.column, self.low, self.high, self.grid)

    @property
    def needs(self) -> tuple[Aggregate, ...]:
        """The number of people, and the mean."""
        return People(), self.mean

    @property
    def learns(self) -> tuple[Value, ...]:
        """What the mean learns."""
        return self.mean.learns

    @property
    def share_of(self) -> str:
        """The square of the bound."""
        return "the bound squared" if self.learns else ""

    @property
    def greatest(self) -> Fraction:
        """The greatest variance: the square of half of the range."""
        low, high = self.bounds
        return (self.grid * (high - low) / 2) ** 2

    @property
    def unit(self) -> Fraction:
        """Half of a step of the squares."""
        return self.greatest / (2 * _SQUARES)

    @property
    def steps(self) -> tuple[int, int]:
        """Twice the distances of squares from the middle."""
        return -_SQUARES, _SQUARES

    def total(self, each: Any, s: Any) -> Any:
        """Return the sum of the squares of people's distances from the middle of the bounds, each in whole steps."""
        low, high = self.bounds
        twice = (2 * self.own_mean(each, s) - (low + high)).cast("float64")
        squares = (twice * twice * (_SQUARES / (high - low) ** 2) + 0.5).floor().cast("int64")
        return clipped(squares, 0, _SQUARES).sum()  # proof: square

    def read(self, totals: NDArray[np.int64], people: NDArray[np.int64]) -> list[int]:
        """Return the sums of twice the distances of squares from the middle of their range."""
        pairs = zip(totals.tolist(), people.tolist(), strict=True)
        return [2 * total - _SQUARES * many for total, many in pairs]  # proof: halved

    def finish(self, noisy: Sequence[int], needed: Sequence[Sequence[Any]]) -> list[Any]:
        """Return the variances, between 0 and the greatest; that of nobody is half of it."""
        most, middle = self.greatest, sum(self.span) / 2
        found = []
        for value, many, mean in zip(noisy, *needed, strict=True):
            square = most / 2 + (self.unit * value / many if many > 0 else 0)
            found.append(float(min(max(square - (Fraction(mean) - middle) ** 2, Fraction(0)), most)))
        return found

    def ends(self, column: Column, error: Fraction) -> Ends:
        """Return the range of what squares, people and means within their intervals give, a third of the error each.

        Rounding the squares moves their mean by half a step at most.
        """
        people, mean = column.needed
        most, middle, part = float(self.greatest), float(sum(self.span) / 2), 1 - error / 3
        fewest, many = people.interval(part)
        squares, reach = np.array(column.drawn, float) * float(self.unit), column.noise.radius(error / 3)
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = [c / n for c in (squares - reach, squares + reach) for n in (fewest, many)]
        low, high = (end - middle for end in mean.interval(part))
        near = np.where((low <= 0) & (high >= 0), 0.0, np.minimum(abs(low), abs(high)))
        slack = most * 2.0**-30
        least = np.minimum.reduce(ends) + most / 2 - np.maximum(abs(low), abs(high)) ** 2 - slack
        greatest = np.maximum.reduce(ends) + most / 2 - near**2 + slack
        unknown = fewest <= 0
        return np.where(unknown, 0.0, least.clip(0.0, most)), np.where(unknown, most, greatest.clip(0.0, most))

    def errors(self, noise: ColumnNoise, needed: Sequence[ColumnNoise]) -> tuple[tuple[int, float], ...]:
        """Return bounds on the errors of variances of several numbers of people; each noise has a third of the error.

        The mean square is off by no more than a mean is, and the square of the mean distance by the range times as
        much as the mean is, since it is between half the range and its negative with noise and without.
        """
        people, mean = needed
        (low, high), most = self.span, float(self.greatest)
        squares, total, many, width = (
            noise.radius(_THIRD),
            mean.radius(_THIRD),
            people.radius(_THIRD),
            float(high - low),
        )

        def error(n: int) -> float:
            if n <= many:
                return most
            return min((squares + many * most / 2 + (total + many * width / 2) * width) / (n - many), most)

        return tuple((n, error(n)) for n in SIZES)


@final
@dataclass(frozen=True, slots=True, init=False)
class StandardDeviation(Variance):
    """The standard deviation over people of their own mean of a column: the square root of `Variance`.

    >>> StandardDeviation("age", 0, 120).label
    'standard deviation of age'
    """

    kind: ClassVar = "standard deviation"

    @property
    def share_of(self) -> str:
        """The bound, as that of any value."""
        return "the bound" if self.learns else ""

    def finish(self, noisy: Sequence[int], needed: Sequence[Sequence[Any]]) -> list[Any]:
        """Return the roots."""
        return [variance**0.5 for variance in Variance.finish(self, noisy, needed)]

    def ends(self, column: Column, error: Fraction) -> Ends:
        """Return the roots of the ends, rounded outwards."""
        low, high = (np.sqrt(end) for end in Variance.ends(self, column, error))
        return np.nextafter(low, 0.0), np.nextafter(high, np.inf)

    def errors(self, noise: ColumnNoise, needed: Sequence[ColumnNoise]) -> tuple[tuple[int, float], ...]:
        """Return bounds on the errors: roots of numbers differ by at most the root of what the numbers differ by."""
        return tuple((n, error**0.5) for n, error in Variance.errors(self, noise, needed))


@final
@dataclass(frozen=True, slots=True, init=False)
class Ratio(Aggregate):
    """The ratio of two aggregates, such as sums, each with its own noise; the second is released with it.

    >>> from discreet.tables import Rows, Sum
    >>> Ratio(Sum("cost", 0, 100), Rows(5)).label
    'ratio of sum of cost to rows'
    """

    kind: ClassVar = "ratio"
    whole: ClassVar = False

    numerator: Aggregate
    denominator: Aggregate
    name: str | None

    def __init__(self, numerator: Aggregate, denominator: Aggregate, *, name: str | None = None) -> None:
        for place, part in (("numerator", numerator), ("denominator", denominator)):
            if not isinstance(part, Aggregate):
                raise KindError(place, part, "an aggregate, such as Sum(column, low, high)")
            if part.needs or part.bins:
                raise ParameterError(place, part.label, "a count or a sum")
        freeze(self, numerator=numerator, denominator=denominator, name=checked_name(name))

    @property
    def needs(self) -> tuple[Aggregate, ...]:
        """The second."""
        return (self.denominator,)

    @property
    def column(self) -> str | None:
        """That of the first."""
        return self.numerator.column

    @property
    def unit(self) -> Fraction:
        """That of the first."""
        return self.numerator.unit

    @property
    def rows(self) -> int | None:
        """Those of the first."""
        return self.numerator.rows

    @property
    def brings(self) -> int:
        """As many as the first."""
        return self.numerator.brings

    @property
    def steps(self) -> tuple[int, int]:
        """Those of the first."""
        return self.numerator.steps

    @property
    def words(self) -> str:
        """What it is of what."""
        return f"ratio of {self.numerator.words} to {self.denominator.words}"

    @property
    def note(self) -> str | None:
        """That of the first."""
        return self.numerator.note

    @property
    def clips(self) -> bool:
        """Whether one of both does."""
        return self.numerator.clips or self.denominator.clips

    @property
    def plan_note(self) -> str:
        """What is told of its noise."""
        said = f"The noise that is told of the {self.label} is that of the {self.numerator.words}."
        notes = [note for each in (self.numerator, self.denominator) if (note := each.plan_note) is not None]
        return " ".join([said, *notes])

    @property
    def share_of(self) -> str:
        """That of the first."""
        return self.numerator.share_of

    @property
    def learns(self) -> tuple[Value, ...]:
        """What both learn."""
        return (*self.numerator.learns, *self.denominator.learns)

    def learned(self, found: Mapping[Aggregate, Bounds]) -> Ratio:
        """Return it with the bounds of both."""
        return Ratio(self.numerator.learned(found), self.denominator.learned(found), name=self.name)

    @property
    def bounds(self) -> tuple[int, int] | None:
        """Those of the first."""
        return self.numerator.bounds

    def placed(self, value: Any, engine: Engine) -> Any:
        """Return the steps of the first."""
        return self.numerator.placed(value, engine)

    def total(self, each: Any, s: Any) -> Any:
        """Return the total of the first."""
        return self.numerator.total(each, s)  # proof: ratio

    def read(self, totals: Any, people: NDArray[np.int64]) -> Any:
        """Return the steps of the first."""
        return self.numerator.read(totals, people)

    def finish(self, noisy: Sequence[int], needed: Sequence[Sequence[Any]]) -> list[Any]:
        """Return the ratios; by nothing, it is 0."""
        pairs = zip(noisy, *needed, strict=True)
        return [float(self.unit * value / Fraction(by)) if by else 0.0 for value, by in pairs]

    def ends(self, column: Column, error: Fraction) -> Ends:
        """Return the range of the ratios of all numbers within their intervals, half the error each.

        Where the second may be 0, it is all numbers.
        """
        (by,) = column.needed
        total, reach = np.array(column.drawn, float) * float(self.unit), column.noise.radius(error / 2)
        fewest, most = by.interval(1 - error / 2)
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = [c / n for c in (total - reach, total + reach) for n in (fewest, most)]
        unknown = (fewest <= 0) & (most >= 0)
        least, greatest = np.minimum.reduce(ends), np.maximum.reduce(ends)
        least, greatest = (end + side * 2.0**-50 * abs(end) for end, side in ((least, -1), (greatest, 1)))
        return np.where(unknown, -np.inf, least), np.where(unknown, np.inf, greatest)

    def to_dict(self) -> dict[str, Any]:
        """Return what a receipt says about it."""
        parts = {"numerator": self.numerator.to_dict(), "denominator": self.denominator.to_dict()}
        return {"name": self.label, "kind": self.kind, **parts}
