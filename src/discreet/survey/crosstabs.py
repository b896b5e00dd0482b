"""Cross-tabulations: unbiased shares of the pairs of choices of two questions, with intervals that hold.

Proof: estimates.md, which cites the marked lines.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any, Final, Literal, final

import numpy as np

from discreet.errors import KindError
from discreet.exact import Exact
from discreet.pages.charts import heat
from discreet.pages.results import Result
from discreet.pages.sheet import Column, Sheet
from discreet.survey.estimates import (
    Estimate,
    Share,
    as_frame,
    check_reports,
    checked_error,
    checked_flag,
    ends_of,
    inverted,
    no_choice,
    warning,
)
from discreet.survey.forms import Form
from discreet.survey.misfit import Misfit
from discreet.survey.sheets import share_columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["Crosstab"]

_NUMBERS: Final = ("share", "error", "low", "high")


@final
@dataclass(frozen=True, eq=False, repr=False)
class Crosstab(Result):
    """The estimated share of each pair of choices of two questions, which the same people answered.

    Rows are the first question's choices. The intervals hold for each pair on its own, or for all together.
    """

    forms: tuple[Form, Form]
    n: int
    supports: tuple[NDArray[np.int64], NDArray[np.int64]]
    pairs: NDArray[np.int64]
    confidence: float
    simultaneous: bool = False
    _error: float = field(default=0.05, repr=False)

    @classmethod
    def of(
        cls,
        forms: tuple[Form, Form],
        supports: tuple[NDArray[np.int64], NDArray[np.int64]],
        pairs: NDArray[np.int64],
        n: int,
        *,
        confidence: Exact = "0.95",
        simultaneous: bool = False,
    ) -> Crosstab:
        """Return the table from how many reports support each choice, and how many pairs of them each pair."""
        error = checked_error(confidence)
        for form in forms:
            check_reports(form, n)
        return cls(forms, n, supports, pairs, 1 - error, checked_flag(simultaneous), error)

    @property
    def shares(self) -> NDArray[np.float64]:
        """The unbiased share of each pair."""
        (p1, q1), (p2, q2) = (tuple(map(float, form.support)) for form in self.forms)
        seen, first, second = self.pairs / self.n, self.supports[0] / self.n, self.supports[1] / self.n
        centred = seen - q1 * second[None, :] - q2 * first[:, None] + q1 * q2  # proof: pair
        return np.asarray(centred / ((p1 - q1) * (p2 - q2)))

    def _squares(
        self, share: NDArray[np.float64], first: NDArray[np.float64], second: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Return the mean square of a report's contribution, from the shares of a pair and of its two choices."""
        (a1, a0), (b1, b0) = (_squares(form) for form in self.forms)
        rest = 1 - first - second + share
        return share * a1 * b1 + (first - share) * a1 * b0 + (second - share) * a0 * b1 + rest * a0 * b0

    @property
    def errors(self) -> NDArray[np.float64]:
        """The standard error of each share, as of a sample."""
        first, second = (
            np.clip(Estimate.of(form, sums, self.n).shares, 0, 1)
            for form, sums in zip(self.forms, self.supports, strict=True)
        )
        share = np.clip(self.shares, 0, np.minimum(first[:, None], second[None, :]))
        squares = self._squares(share, first[:, None], second[None, :])
        return np.sqrt(np.maximum(squares - share**2, 0) / self.n)

    @property
    def misfit(self) -> Misfit:
        """The test of whether the mechanisms can have given the counts of each question; see `Misfit`."""
        each = [Estimate.of(form, sums, self.n) for form, sums in zip(self.forms, self.supports, strict=True)]
        return Misfit(min(2 * min(estimate.misfit.p for estimate in each), 1.0))

    @property
    def intervals(self) -> NDArray[np.float64]:
        """The lower and upper end of each pair's interval, within [0, 1]: an array of rows, columns and ends."""
        error = self._error / (self.pairs.size if self.simultaneous else 1)
        highs, reaches = [], []
        for form, sums in zip(self.forms, self.supports, strict=True):
            estimate = Estimate.of(form, sums, self.n)
            highs.append(ends_of(estimate, error / 10)[1])
            p, q = map(float, form.support)
            reaches.append((-q / (p - q), (1 - q) / (p - q)))
        first, second = np.broadcast_arrays(highs[0][:, None], highs[1][None, :])
        most = np.maximum.reduce(
            [
                self._squares(share, f, s)
                for f in (first * 0, first)
                for s in (second * 0, second)
                for share in (np.maximum(f + s - 1, 0), np.minimum(f, s))
            ]
        )  # proof: corners
        ends = [x * y for x in reaches[0] for y in reaches[1]]
        near = np.clip(self.shares, 0, 1)
        down = inverted(self.n, near, most, max(ends), error * 0.45, -1)
        up = inverted(self.n, near, most, 1 - min(ends), error * 0.45, 1)  # proof: crosstab
        return np.clip(np.stack([near - down, near + up], axis=2), 0, 1)

    def __getitem__(self, pair: tuple[Any, Any]) -> Share:
        i, j = (form.question.categories.index(choice) for form, choice in zip(self.forms, _pair(pair), strict=True))
        for place, form, choice in zip((i, j), self.forms, pair, strict=True):
            if place < 0:
                raise no_choice(choice, form.question.categories.values)
        share, (low, high) = float(self.shares[i, j]), map(float, self.intervals[i, j])
        return Share(pair, share, float(self.errors[i, j]), low, high, share * self.n)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary a pair."""
        names = [name if name not in _NUMBERS else f"question {name}" for name in self._names()]
        shares, errors, ends = self.shares, self.errors, self.intervals
        rows = []
        for i, a in enumerate(self.forms[0].question.categories.values):
            for j, b in enumerate(self.forms[1].question.categories.values):
                numbers = {"share": shares[i, j], "error": errors[i, j], "low": ends[i, j, 0], "high": ends[i, j, 1]}
                rows.append({names[0]: a, names[1]: b} | {name: float(x) for name, x in numbers.items()})
        return rows

    def to_frame(self, kind: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Return the same as a data frame, one row a pair."""
        return as_frame(self.to_rows(), kind)

    def _names(self) -> tuple[str, str]:
        return self.forms[0].question.name, self.forms[1].question.name

    @property
    def sheet(self) -> Sheet:
        """The share of each pair, its interval and error, in percent."""
        first, second = (form.question.categories.values for form in self.forms)
        pairs = list(zip(*product(first, second), strict=True))
        heads = [Column(name, values, head=True) for name, values in zip(self._names(), pairs, strict=True)]
        columns = [*heads, *share_columns(self.shares, self.intervals, self.errors, self.confidence)]
        note = f"{self.n:,} pairs of reports{'; the intervals hold all together' * self.simultaneous}"
        return Sheet(" by ".join(self._names()), columns, note, warning(self.misfit), "choice")

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the shares as a table of shades; return the axes."""
        first, second = ([str(v) for v in form.question.categories.values] for form in self.forms)
        title = f"{' by '.join(self._names())}: {self.n:,} pairs of reports"
        return heat(first, second, self.shares, ax=ax, title=title, names=self._names())


def _squares(form: Form) -> tuple[float, float]:
    """Return the mean squares of (1[supported] - q)/(p - q), if the choice is the truth or not."""
    p, q = form.support
    return float((p * (1 - q) ** 2 + (1 - p) * q**2) / (p - q) ** 2), float(q * (1 - q) / (p - q) ** 2)


def _pair(pair: Any) -> tuple[Any, Any]:
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise KindError("pair", pair, "a pair of choices, one of each question")
    return pair
