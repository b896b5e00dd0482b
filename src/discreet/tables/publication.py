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

__all__ = ["BIAS", "RAW", "TITLE", "FittedNoise", "Publication"]

RAW: Final = "noisy people"
"""The column of totals as they were drawn."""
TITLE: Final = "Tables that add up"
BIAS: Final = (
    "Counts below 0 are impossible, so noise lifts small groups a little, on average, and lowers the larger ones of "
    f"the same total. Sums of many small groups that are in none of the tables are too large; those of {RAW!r} are "
    "not. The margin is that before this: where many groups are empty, a large one may be further off, as its "
    "interval says."
)
_ERROR: Final = Fraction(1, 20)
_LEAST: Final = 1e-9
"""What floats may miss whole numbers by."""


@final
@dataclass(frozen=True, slots=True, eq=False)
class FittedNoise(ColumnNoise):
    """The error of whole numbers that were fitted: what least squares gave, and the standard deviation of that.

    An interval is that of least squares, of which the negative part is left out, made to hold the number itself.
    """

    centres: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    spread: float = 0.0
    heavy: float = 0.0

    @property
    def deviation(self) -> float:
        """The standard deviation of the fitted totals."""
        return self.spread

    def radius(self, error: Fraction) -> float:
        """Return what bounds the error of a fitted total, except with probability *error*."""
        return reach(self.spread, error, self.heavy)

    def above(self, values: Any, error: Fraction) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return intervals that hold the true totals, which are whole, and the published ones."""
        far, near = self.radius(error) + _LEAST, np.asarray(values, np.int64)
        low, high = np.ceil(self.centres - far), np.floor(self.centres + far)
        return np.maximum(np.minimum(low, near), 0).astype(np.int64), np.maximum(high, near).astype(np.int64)


@final
@dataclass(frozen=True, eq=False, repr=False)
class Publication(Result):
    """Tables of the same people, whose totals add up: ``publication["region", "age"]`` is one, ``publication[()]`` all.

    Each is an `Answer` with two columns: "people" has whole numbers that are not negative and of which each table is
    the sum of any finer one; "noisy people" has the totals as they were drawn, which are unbiased. Intervals of both
    hold what was counted, after bounding.
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
        columns.append(Column("people", [sum(answer.columns["people"]) for answer in rows], 0))
        for title, label in (("fitted", "people"), (RAW, RAW)):
            radii = [answer.noise[label].radius(_ERROR) for answer in rows]
            columns.append(amounts(f"{title}, 95 %", radii, "±"))
        remarks = [*dict.fromkeys(chain.from_iterable(answer.remarks for answer in rows))]
        return Sheet("Tables that add up", columns, self.receipt.paid, remarks, "table")
