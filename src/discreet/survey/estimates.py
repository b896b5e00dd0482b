"""Estimates: unbiased shares of each choice, with intervals that hold.

Each of n reports supports the truth with probability p and any other choice with probability q. From the number of
reports that support a choice follow its share, its errors and its interval. Proof: estimates.md, which cites the marked
lines.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, final

import numpy as np

from discreet.errors import KindError, ParameterError, UnsupportedError, one_of
from discreet.exact import Exact, whole
from discreet.intervals import bennett, binomial_high, binomial_low, checked_confidence
from discreet.report import columns, heat, intervals
from discreet.report.drawn import page_of
from discreet.report.scale import interval_text
from discreet.survey.forms import Form
from discreet.survey.misfit import Misfit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["Crosstab", "Difference", "Estimate", "Share", "checked_error", "simplex"]

Of = Literal["sample", "respondents"]
_DRAWN: Final = 30
"""A chart shows so many choices."""
_LEAST_GAP: Final = Fraction(1, 10**12)
"""Reports that support the truth more often by less than this say nothing that floats could tell."""


@final
@dataclass(frozen=True, slots=True)
class Share:
    """The estimated share of one choice, its standard error (as of a sample), its interval, and people in numbers."""

    choice: Any
    share: float
    error: float
    low: float
    high: float
    count: float


@final
@dataclass(frozen=True, slots=True)
class Difference:
    """The estimated difference of two shares, its standard error (as of a sample) and its interval."""

    of: tuple[Any, Any]
    difference: float
    error: float
    low: float
    high: float
    confidence: float
    simultaneous: bool = False

    @property
    def significant(self) -> bool:
        """Whether the interval leaves 0 out."""
        return self.low > 0 or self.high < 0


@final
@dataclass(frozen=True, eq=False)
class Estimate(Mapping[Any, Share]):
    """What the reports say about each choice.

    ``shares`` are unbiased, so they may be negative or exceed 1: keep them for sums and tests, and use
    ``projected()`` to show them. ``intervals`` hold with the stated confidence, both for the respondents at hand and
    for the population they were sampled from: each on its own, or all together where *simultaneous*.

    >>> from discreet import RandomizedResponse
    >>> from discreet.survey import Question
    >>> q = Question("smokes", ["never", "daily"])
    >>> box = q.collector(RandomizedResponse(categories=q.categories, prob="3/4"))
    >>> _ = box.add_many(["never"] * 60 + ["daily"] * 40)
    >>> est = box.estimate()
    >>> print(est)
    smokes: 100 reports, 95 % intervals
      choice  share  error    low   high
      never   0.700  0.098  0.494  0.894
      daily   0.300  0.098  0.106  0.506
    >>> est["daily"].share, est.top(1)[0].choice
    (0.3, 'never')
    """

    form: Form
    n: int
    supports: NDArray[np.int64]
    confidence: float
    simultaneous: bool
    refused: int = 0
    _error: float = field(default=0.05, repr=False)

    @classmethod
    def of(
        cls,
        form: Form,
        supports: NDArray[np.int64],
        n: int,
        *,
        confidence: Exact = "0.95",
        simultaneous: bool = False,
        refused: int = 0,
    ) -> Estimate:
        """Return the estimate from the number of reports that support each choice."""
        error = checked_error(confidence)
        _check_reports(form, n)
        return cls(form, n, supports, 1 - error, checked_flag(simultaneous), refused, error)

    @property
    def choices(self) -> tuple[Any, ...]:
        """The choices, in the question's order."""
        return self.form.question.categories.values

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The unbiased share of each choice."""
        p, q = self.form.support
        exact = [(Fraction(c, self.n) - q) / (p - q) for c in self.supports.tolist()]  # proof: share
        return np.array([float(x) for x in exact])

    @property
    def counts(self) -> NDArray[np.float64]:
        """The unbiased number of respondents of each choice."""
        return self.shares * self.n

    def standard_errors(self, of: Of = "sample") -> NDArray[np.float64]:
        """Return the standard error of each share: as of a sample of a larger population, or of the respondents alone.

        The variance of the first exceeds that of the second by f(1 - f)/n, which is what sampling adds.
        """
        p, q = map(float, self.form.support)
        if one_of("of", of, ("sample", "respondents")) == "sample":
            seen = np.clip(self.supports / self.n, q, p)
            return np.sqrt(seen * (1 - seen) / self.n) / (p - q)  # proof: sample
        f = np.clip(self.shares, 0, 1)
        return np.sqrt((f * p * (1 - p) + (1 - f) * q * (1 - q)) / self.n) / (p - q)  # proof: respondents

    @cached_property
    def misfit(self) -> Misfit:
        """The test of whether the mechanism can have given these counts, whatever the true shares; see `Misfit`."""
        return self.form.oracle.misfit(self.supports, self.n)

    @cached_property
    def intervals(self) -> NDArray[np.float64]:
        """The lower and upper end of each share's interval, within [0, 1].

        An interval is never shorter than one at a share of 0 or 1 is expected to be, however low or high the count.
        """
        return np.stack(self._interval(self._error / (len(self) if self.simultaneous else 1)), axis=1)

    def _interval(self, error: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        p, q = map(float, self.form.support)
        low = binomial_low(np.minimum(self.supports, self.n * p), self.n, error / 2)
        high = binomial_high(np.maximum(self.supports, self.n * q), self.n, error / 2)  # proof: interval
        return np.clip((low - q) / (p - q), 0, 1), np.clip((high - q) / (p - q), 0, 1)  # proof: mapped

    def difference(self, a: Any, b: Any, /, *, simultaneous: bool | None = None) -> Difference:
        """Return the share of *a* less that of *b*, with an interval that holds whatever the shares are.

        Where *simultaneous*, as the estimate is unless said otherwise, the intervals of all differences of two choices
        hold together.

        >>> from discreet import RandomizedResponse
        >>> from discreet.survey import Question
        >>> q = Question("smokes", ["never", "daily"])
        >>> box = q.collector(RandomizedResponse(categories=q.categories, prob="3/4"))
        >>> _ = box.add_many(["never"] * 600 + ["daily"] * 400)
        >>> d = box.estimate().difference("never", "daily")
        >>> round(d.difference, 3), d.significant
        (0.4, True)
        """
        i, j = self._place(a), self._place(b)
        if i == j:
            raise ParameterError("b", b, "another choice than the first")
        together = self.simultaneous if simultaneous is None else checked_flag(simultaneous)
        alpha = self._error / (len(self) * (len(self) - 1) // 2 if together else 1)  # proof: differences
        p, q = map(float, self.form.support)
        with_truth, without = map(float, self.form.oracle.both(i, j))
        own, other = (
            p + q - 2 * with_truth,
            2 * q - 2 * without,
        )  # The mean square, if the truth is one of the two or not.
        middle = float(self.shares[i] - self.shares[j])

        def square(share: float) -> float:
            return (own * share + other * (1 - share)) / (p - q) ** 2  # proof: square

        seen = float(np.clip(self.shares[i] + self.shares[j], 0, 1))
        near = min(max(middle, -1.0), 1.0)  # proof: near
        error = float(np.sqrt(max(square(seen) - near**2, 0.0) / self.n))
        _, high = self._interval(alpha / 10)  # proof: nuisance
        shares = (0.0, min(1.0, float(high[i] + high[j])))
        most, reach = max(map(square, shares)), 1 + 1 / (p - q)
        down, up = (float(_inverted(self.n, near, most, reach, alpha * 0.45, way)) for way in (-1, 1))
        ends = max(near - down, -1.0), min(near + up, 1.0)
        return Difference((a, b), middle, error, *ends, self.confidence, together)

    def top(self, count: int, /) -> list[Share]:
        """Return the choices of the greatest estimated shares, the greatest first."""
        most = whole(count, "count", least=1)
        return sorted(self.values(), key=lambda share: -share.share)[:most]

    def projected(self) -> NDArray[np.float64]:
        """Return the nearest shares that are not negative and add up to 1: to be shown, no longer unbiased.

        >>> simplex(np.array([0.75, 0.5, -0.25])).tolist()
        [0.625, 0.375, 0.0]
        """
        return simplex(self.shares)

    def __getitem__(self, choice: Any) -> Share:
        i = self._place(choice)
        return next(self._shares([i]))

    def __contains__(self, choice: object) -> bool:
        return self.form.question.categories.index(choice) >= 0

    def get(self, choice: Any, default: Any = None, /) -> Any:
        """Return what is known about a choice, or the default if it is none."""
        return self[choice] if choice in self else default  # noqa: SIM401  This is that method.

    def items(self) -> list[tuple[Any, Share]]:  # type: ignore[override]
        """Return each choice with what is known about it, in the question's order."""
        return list(zip(self.choices, self.values(), strict=True))

    def __iter__(self) -> Iterator[Any]:
        return iter(self.choices)

    def __len__(self) -> int:
        return len(self.supports)

    def values(self) -> list[Share]:  # type: ignore[override]
        """Return what is known about each choice, in the question's order."""
        return list(self._shares(range(len(self))))

    def _shares(self, places: Sequence[int]) -> Iterator[Share]:
        shares, errors, ends = self.shares, self.standard_errors(), self.intervals
        for i in places:
            low, high = map(float, ends[i])
            share = float(shares[i])
            yield Share(self.choices[i], share, float(errors[i]), low, high, share * self.n)

    def _place(self, choice: Any) -> int:
        place = self.form.question.categories.index(choice)
        if place < 0:
            raise _no_choice(choice, self.choices)
        return place

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary a choice."""
        return [
            {"choice": s.choice, "share": s.share, "error": s.error, "low": s.low, "high": s.high, "count": s.count}
            for s in self.values()
        ]

    def to_frame(self, kind: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Return the same as a data frame."""
        return as_frame(self.to_rows(), kind)

    def __str__(self) -> str:
        together = ", all together" if self.simultaneous else ""
        refused = f", {self.refused:,} refused" if self.refused else ""
        head = f"{self.form.question.name}: {self.n:,} reports{refused}, {_percent(self._error)} intervals{together}"
        rows = [
            [str(s.choice), f"{s.share:.3f}", f"{s.error:.3f}", *interval_text(s.low, s.high, decimals=3).split(" to ")]
            for s in self.values()
        ]
        return "\n".join([head, columns(["choice", "share", "error", "low", "high"], rows), *_warning(self.misfit)])

    __repr__ = __str__

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the estimate as a page: one HTML file that loads nothing; with a *path*, also write it there.

        >>> from discreet import RandomizedResponse
        >>> from discreet.survey import Question
        >>> q = Question("smokes", ["never", "daily"])
        >>> box = q.collector(RandomizedResponse(categories=q.categories, prob="3/4"))
        >>> _ = box.add_many(["never"] * 60 + ["daily"] * 40)
        >>> "The greatest share is that of <bdi>never</bdi>: 70 %" in box.estimate().to_html()
        True
        """
        return page_of(self).to_html(path)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the shares with their intervals; return the axes."""
        ends, order = self.intervals, np.arange(len(self))
        some = f", the {_DRAWN} greatest of {len(self):,}" if len(self) > _DRAWN else ""
        if some:
            order = np.argsort(-self.shares, kind="stable")[:_DRAWN]
        return intervals(
            [str(self.choices[i]) for i in order],
            self.shares[order],
            ends[order, 0],
            ends[order, 1],
            ax=ax,
            title=f"{self.form.question.name}: {self.n:,} reports, {_percent(self._error)} intervals{some}",
            xlabel="share",
            percent=True,
        )


@final
@dataclass(frozen=True, eq=False)
class Crosstab:
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
            _check_reports(form, n)
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
            highs.append(estimate._interval(error / 10)[1])
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
        down = _inverted(self.n, near, most, max(ends), error * 0.45, -1)
        up = _inverted(self.n, near, most, 1 - min(ends), error * 0.45, 1)  # proof: crosstab
        return np.clip(np.stack([near - down, near + up], axis=2), 0, 1)

    def __getitem__(self, pair: tuple[Any, Any]) -> Share:
        i, j = (form.question.categories.index(choice) for form, choice in zip(self.forms, _pair(pair), strict=True))
        for place, form, choice in zip((i, j), self.forms, pair, strict=True):
            if place < 0:
                raise _no_choice(choice, form.question.categories.values)
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

    def __str__(self) -> str:
        first, second = (form.question.categories.values for form in self.forms)
        shares, ends = self.shares, self.intervals

        def cell(i: int, j: int) -> str:
            low, high = map(float, ends[i, j])
            return f"{shares[i, j]:.3f} ({interval_text(low, high, decimals=3)})"

        rows = [[str(a), *(cell(i, j) for j in range(len(second)))] for i, a in enumerate(first)]
        names, together = self._names(), ", all together" * self.simultaneous
        head = f"{names[0]} by {names[1]}: {self.n:,} pairs of reports, {_percent(self._error)} intervals{together}"
        return "\n".join([head, columns([names[0], *map(str, second)], rows), *_warning(self.misfit)])

    __repr__ = __str__

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the table as a page: one HTML file that loads nothing; with a *path*, also write it there.

        >>> from discreet.survey import PairCollector, Question
        >>> from discreet import RandomizedResponse
        >>> qs = [Question("smokes", ["no", "yes"]), Question("<b>", ["no", "yes"])]
        >>> box = PairCollector(*(q.form(RandomizedResponse(categories=q.categories, prob="3/4")) for q in qs))
        >>> _ = box.add_many(["no", "yes", "no"], ["no", "yes", "yes"])
        >>> "<h1>smokes by &lt;b&gt;</h1>" in box.estimate().to_html()
        True
        """
        return page_of(self).to_html(path)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the shares as a table of shades; return the axes."""
        first, second = ([str(v) for v in form.question.categories.values] for form in self.forms)
        names = self._names()
        title = f"{names[0]} by {names[1]}: {self.n:,} pairs of reports"
        return heat(first, second, self.shares, ax=ax, title=title, names=names)


_NUMBERS: Final = ("share", "error", "low", "high")


def _inverted(n: int, middle: Any, square: Any, reach: Any, error: float, way: int) -> NDArray[np.float64]:
    """Return how far below (-1) or above (1) an estimate its truth may lie, except with probability *error*.

    A truth d has a variance of at most *square* - d²; each round knows better how small d can be.
    """
    radius = bennett(n, square, reach, error)  # proof: bennett
    for _ in range(4):
        end = middle + way * radius
        least = np.where(middle * end > 0, np.minimum(np.abs(middle), np.abs(end)), 0.0)
        radius = bennett(n, square - least**2, reach, error)  # proof: rounds
    return radius


def _squares(form: Form) -> tuple[float, float]:
    """Return the mean squares of (1[supported] - q)/(p - q), if the choice is the truth or not."""
    p, q = form.support
    return float((p * (1 - q) ** 2 + (1 - p) * q**2) / (p - q) ** 2), float(q * (1 - q) / (p - q) ** 2)


def checked_error(confidence: Exact) -> float:
    """Return the error that a confidence leaves; the intervals are proved for one of at most 1/2."""
    error = checked_confidence(confidence)
    if error > 0.5:
        raise ParameterError("confidence", confidence, "1/2 <= confidence < 1")
    return error


def checked_flag(simultaneous: bool) -> bool:
    """Return whether intervals hold all together."""
    if not isinstance(simultaneous, bool | np.bool_):
        raise KindError("simultaneous", simultaneous, "True or False")
    return bool(simultaneous)


def _check_reports(form: Form, n: int) -> None:
    p, q = form.support
    if p - q < _LEAST_GAP:
        raise UnsupportedError(
            f"{form.question.name}: its mechanism says nothing about the answer, so nothing can be estimated"
        )
    if whole(n, "n") < 1:
        raise ParameterError("reports", n, "at least one report")


def _no_choice(choice: Any, choices: tuple[Any, ...]) -> ParameterError:
    return ParameterError("choice", choice, f"one of {', '.join(map(repr, choices[:8]))}{', ...' * (len(choices) > 8)}")


def _pair(pair: Any) -> tuple[Any, Any]:
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise KindError("pair", pair, "a pair of choices, one of each question")
    return pair


def _warning(misfit: Misfit) -> list[str]:
    return [str(misfit)] if misfit.implausible else []


def _percent(error: float) -> str:
    return f"{100 * (1 - error):.10g} %"


def simplex(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the point nearest to *shares* among those that are not negative and add up to 1 [Duchi et al. 2008].

    >>> simplex(np.array([0.2, 0.2])).tolist()
    [0.5, 0.5]
    """
    down = np.sort(shares)[::-1]
    slack = (np.cumsum(down) - 1) / np.arange(1, len(down) + 1)
    last = np.flatnonzero(down > slack)[-1]
    return np.asarray(np.maximum(shares - slack[last], 0.0))


def as_frame(rows: list[dict[str, Any]], kind: str) -> Any:
    """Return rows as a data frame of the kind asked for."""
    if one_of("kind", kind, ("pandas", "polars", "pyarrow")) == "pandas":
        import pandas as pd

        return pd.DataFrame(rows)
    if kind == "polars":
        import polars as pl

        return pl.DataFrame(rows)
    import pyarrow as pa

    return pa.Table.from_pylist(rows)
