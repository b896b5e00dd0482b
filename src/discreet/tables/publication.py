"""Publications: tables of the same people whose totals add up, each an answer that knows its error."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from discreet.errors import KindError, none_of
from discreet.pages.results import Result
from discreet.pages.sheet import Column, Sheet, amounts
from discreet.tables.bounding import names
from discreet.tables.fitting import reach
from discreet.tables.noise import ColumnNoise

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.tables.answers import Answer
    from discreet.tables.receipts import Receipt

__all__ = ["TITLE", "FittedNoise", "Publication", "bias", "raw"]

TITLE: Final = "Tables that add up"
_ERROR: Final = Fraction(1, 20)
_LEAST: Final = 1e-9
"""What floats may miss whole numbers by."""
_WHOLE: Final = 2.0**62
"""Below this, ends that are whole numbers are told as such."""


def raw(label: str) -> str:
    """Return what the column of totals is called as they were drawn."""
    return f"noisy {label}"


def bias(label: str) -> str:
    """Say what becomes of totals because none of them can be below 0."""
    what = "Counts" if label == "people" else "Totals"
    return (
        f"{what} below 0 are impossible, so noise lifts small groups a little, on average, and lowers the larger ones "
        f"of the same total. Sums of many small groups that are in none of the tables are too large; those of "
        f"{raw(label)!r} are not. The margin is that before this: where many groups are empty, a large one may be "
        "further off, as its interval says."
    )


@final
@dataclass(frozen=True, slots=True, eq=False)
class FittedNoise(ColumnNoise):
    """The error of whole steps that were fitted: what least squares gave, and the standard deviation of that.

    An interval is that of least squares, of which the negative part is left out, made to hold the number itself.
    """

    centres: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    spread: float = 0.0
    heavy: float = 0.0

    @property
    def deviation(self) -> float:
        """The standard deviation of the fitted totals."""
        return self.spread * float(self.unit)

    def radius(self, error: Fraction) -> float:
        """Return what bounds the error of a fitted total, except with probability *error*."""
        return reach(self.spread, error, self.heavy) * float(self.unit)

    def above(self, values: Any, error: Fraction) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return intervals that hold the true totals, which are whole numbers of steps, and the published ones."""
        far = reach(self.spread, error, self.heavy) + _LEAST
        near = np.rint(np.asarray(values, float) * self.unit.denominator / self.unit.numerator)
        low, high = np.ceil(self.centres - far), np.floor(self.centres + far)
        ends = np.maximum(np.minimum(low, near), 0), np.maximum(high, near)
        if self.unit.denominator == 1 and ends[1].max(initial=0) * self.unit.numerator < _WHOLE:
            low, high = (end.astype(np.int64) * self.unit.numerator for end in ends)
            return low, high
        low, high = (end * self.unit.numerator / self.unit.denominator for end in ends)
        return np.minimum(low, values), np.maximum(high, values)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Publication(Result):
    """Tables of the same people, whose totals add up: ``publication["region", "age"]`` is one, ``publication[()]`` all.

    Each is an `Answer` with two columns: "people" has whole numbers that are not negative and of which each table is
    the sum of any finer one; "noisy people" has the totals as they were drawn, which are unbiased. Intervals of both
    hold what was counted, after bounding. Of sums, the columns are "sum of amount" and "noisy sum of amount".
    """

    tables: tuple[Answer, ...]
    receipt: Receipt

    def __len__(self) -> int:
        return len(self.tables)

    def __iter__(self) -> Iterator[Answer]:
        return iter(self.tables)

    def __getitem__(self, by: str | tuple[str, ...]) -> Answer:
        found = {frozenset(answer.by): answer for answer in self.tables}
        wanted = frozenset(names(by, "by"))
        if wanted not in found:
            known = [", ".join(answer.by) or "()" for answer in self.tables]
            if isinstance(by, str):
                raise none_of("by", by, known)
            raise KindError("by", by, f"the columns of one of the tables: {'; '.join(known)}")
        return found[wanted]

    @property
    def sheet(self) -> Sheet:
        """The tables, with how many groups each has and how wrong its values may be."""
        rows = self.tables
        columns = [Column("by", [", ".join(answer.by) or "all" for answer in rows], head=True)]
        columns.append(Column("groups", [len(answer) for answer in rows], 0))
        label = rows[0].value
        totals = [sum(answer.columns[label]) for answer in rows]
        columns.append(Column(label, totals, rows[0][label].decimals(*rows[0].interval())))
        for title, name in (("fitted", label), (raw(label), raw(label))):
            radii = [answer.noise[name].radius(_ERROR) for answer in rows]
            columns.append(amounts(f"{title}, 95 %", radii, "±"))
        remarks = [*dict.fromkeys(chain.from_iterable(answer.remarks for answer in rows))]
        return Sheet("Tables that add up", columns, self.receipt.paid, remarks, "table")
