"""An aggregate: what a person adds to a group, what one unit of it is worth, and what becomes of the noisy total.

Nothing outside a class asks which aggregate it is: a new one is a new class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeAlias, final

import numpy as np

from discreet.errors import KindError, ParameterError
from discreet.exact import Exact, exact, whole
from discreet.figures import decimals_for
from discreet.tables.laws import Candidate, candidates

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.domains import Maps, Vectors
    from discreet.metrics import Sensitivity
    from discreet.tables.aggregates.values import Value
    from discreet.tables.engines import Engine
    from discreet.tables.noise import ColumnNoise
    from discreet.tables.powers import Bounds

__all__ = ["MOST", "Aggregate", "Column", "Ends", "at_most", "checked_name", "needed_by"]

Ends: TypeAlias = "tuple[NDArray[Any], NDArray[Any]]"
MOST: Final = 1 << 31
"""What one person may add to a group: four thousand million people then fit into 64 bits."""


class Aggregate(ABC):
    """What people add up to in each group, in whole units of which each person adds a bounded number.

    *name* is what its column is called in the answer: what it is, in words, unless given.
    """

    __slots__ = ()

    kind: ClassVar[str]
    """Its name in receipts."""
    lists: ClassVar[bool] = False
    """Whether it is above 0 exactly where there are people: then it can decide which private groups are shown."""
    noise_words: ClassVar[str] = "noise"
    """What an explanation calls its error."""
    noted: ClassVar[bool] = False
    """Whether its note is said wherever its values are, and not on pages alone."""

    @property
    @abstractmethod
    def name(self) -> str | None:
        """What its column is to be called, if that was said."""

    @property
    def column(self) -> str | None:
        """The column of the values that it is about, if any."""
        return None

    @property
    @abstractmethod
    def unit(self) -> Fraction:
        """What one step is worth."""

    @property
    def rows(self) -> int | None:
        """How many rows of a person count in a group, where it counts rows."""
        return None

    @property
    def brings(self) -> int:
        """How many distinct values of its column a person brings to a group, where it counts those; 0 elsewhere."""
        return 0

    @property
    def counted(self) -> int | None:
        """How many rows, or distinct values, of a person count in a group, where it counts those."""
        return self.rows or self.brings or None

    @property
    @abstractmethod
    def steps(self) -> tuple[int, int]:
        """The least and the greatest number of steps that a person may add to a group."""

    @property
    def bounds(self) -> tuple[int, int] | None:
        """The least and the greatest of what `placed` gives, where it has a column of numbers."""
        return None

    @property
    def bins(self) -> int:
        """How many bins its people are counted in, each in one of them; 0 where they add up to a total."""
        return 0

    @property
    def views(self) -> tuple[Aggregate, ...]:
        """The columns of an answer that it gives: itself, or one aggregate for each."""
        return (self,)

    @property
    @abstractmethod
    def words(self) -> str:
        """What it is, in words."""

    @property
    def note(self) -> str | None:
        """What a reader has to know of its bounds, in a sentence."""
        return None

    @property
    def clips(self) -> bool:
        """Whether values beyond its bounds count as the bounds, which is a bias."""
        return False

    @property
    def plan_note(self) -> str | None:
        """What is done with its values, in a sentence."""
        return None

    @property
    def share_of(self) -> str:
        """What its noise is told as a share of, before its bounds are learned; nothing where it is told as it is."""
        return ""

    @property
    def needs(self) -> tuple[Aggregate, ...]:
        """The aggregates from whose released values its own are made, besides its total: those are released too."""
        return ()

    @property
    def levels(self) -> bool:
        """Whether its values are places on a scale, which a chart shows as points, and no amounts, shown as bars."""
        return bool(self.needs)

    @property
    def label(self) -> str:
        """What its column is called: its name, or the words."""
        return self.words if self.name is None else self.name

    @property
    def most(self) -> int:
        """The greatest number of steps by which a person may change a group."""
        return max(map(abs, self.steps))

    @property
    def whole(self) -> bool:
        """Whether its values are integers."""
        return self.unit.denominator == 1

    @property
    def learns(self) -> tuple[Value, ...]:
        """What the bounds of its values are learned from, before it is released, where they are not given."""
        return ()

    def learned(self, found: Mapping[Aggregate, Bounds]) -> Aggregate:
        """Return it with bounds that were found; a person's greatest number of steps stays the same."""
        return self

    def placed(self, value: Any, engine: Engine) -> Any:
        """Return the steps of the values of its column, as an Ibis column, where it has one."""
        return value

    def total(self, each: Any, s: Any) -> Any:
        """Return the total of a group as an Ibis column.

        Each person in it has a row of *each*, with the number n of their rows there and the sum *s* of their values'
        steps.
        """
        raise NotImplementedError

    def bin(self, each: Any, s: Any) -> Any:
        """Return the bin of each person in a group, numbered from 0 on, as an Ibis column over the same rows."""
        raise NotImplementedError

    def read(self, totals: Any, people: NDArray[np.int64]) -> Any:
        """Return what groups get noise for, from their totals or histograms, and numbers of people: steps, by view."""
        return totals

    def laws(
        self, domain: Maps | Vectors, apart: Sensitivity, epsilon: Fraction, delta: Fraction, noise: str
    ) -> tuple[Candidate, ...]:
        """Return what its totals may go through within a budget, or what the *noise* names, the best first.

        The *domain* is that of a number for each group, and *apart* is how far a person may move those.
        """
        return candidates(domain, apart, epsilon, delta, noise)

    def finish(self, noisy: Sequence[int], needed: Sequence[Sequence[Any]]) -> list[Any]:
        """Return the released values from noisy steps, and from the released values of what it needs."""
        return [value * self.unit.numerator if self.whole else float(value * self.unit) for value in noisy]

    def ends(self, column: Column, error: Fraction) -> Ends:
        """Return intervals of released values, each of which misses with probability *error*."""
        noise = column.noise
        if noise.threshold is not None:
            return noise.above(column.values, error)
        values, reach = np.array(column.values, float), noise.radius(error)
        if not _whole_in_floats(noise.unit, max(abs(values).max(initial=0), reach)):  # Each step may round to nearest.
            return _down(_down(values) - reach), -_down(_down(-values) - reach)
        return values - reach, values + reach

    def errors(self, noise: ColumnNoise, needed: Sequence[ColumnNoise]) -> tuple[tuple[int, float], ...]:
        """Return bounds on the error by the number of people, with probability 95 %, where it depends on them."""
        return ()

    def to_dict(self) -> dict[str, Any]:
        """Return what a receipt says about it, in plain values."""
        return {"name": self.label, "kind": self.kind}


@final
@dataclass(frozen=True, slots=True, eq=False)
class Column:
    """A released column: an aggregate, its noisy values, and the noise in them.

    *needed* are the columns that it was made from, too. One that was not *asked* for had to be released for another.
    """

    aggregate: Aggregate
    values: list[Any]
    noise: ColumnNoise
    needed: tuple[Column, ...] = ()
    asked: bool = True
    drawn: Sequence[int] = ()
    """What was released for it, of which its values were made."""

    def interval(self, confidence: Exact = "0.95") -> Ends:
        """Return the lower and upper ends of each value's interval."""
        sure = exact(confidence, "confidence")
        if not 0 < sure < 1:
            raise ParameterError("confidence", confidence, "0 < confidence < 1, such as 0.95")
        return self.aggregate.ends(self, 1 - sure)

    def decimals(self, low: NDArray[Any], high: NDArray[Any]) -> int:
        """Return with how many decimals the values deserve to be shown, by the ends of their intervals."""
        return 0 if self.aggregate.whole else decimals_for(((high - low) / 2).tolist())


def needed_by(aggregate: Aggregate, among: Iterable[Aggregate]) -> tuple[Aggregate, ...]:
    """Return what an aggregate needs: those *among* others that are the same, whatever their names, or else its own."""
    others = tuple(among)
    return tuple(next((each for each in others if _same(need, each)), need) for need in aggregate.needs)


def _same(one: Aggregate, other: Aggregate) -> bool:
    """Whether two aggregates are the same but for their names."""
    names = [field.name for field in fields(one) if field.name != "name"]  # type: ignore[arg-type]
    return type(one) is type(other) and all(getattr(one, name) == getattr(other, name) for name in names)


def checked_name(name: str | None) -> str | None:
    """Return the name of a column, or raise."""
    if name is not None and not isinstance(name, str):
        raise KindError("name", name, "a text")
    if name == "":
        raise ParameterError("name", name, "a text that is not empty")
    return name


def at_most(value: int, name: str) -> int:
    """Return a number of groups or rows, or raise."""
    n = whole(value, name, least=1)
    if n > MOST:
        raise ParameterError(name, value, f"an integer of at most {MOST}")
    return n


def _whole_in_floats(unit: Fraction, most: float) -> bool:
    """Whether all multiples of a unit up to twice a size are floats, so that sums of two of them are exact."""
    denominator = unit.denominator
    return denominator & (denominator - 1) == 0 and most < 2.0**52 / denominator


def _down(x: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(np.nextafter(x, -np.inf))
