"""Estimates: unbiased shares of each choice, with intervals that hold.

Each of n reports supports the truth with probability p and any other choice with probability q. From the number of
reports that support a choice follow its share, its errors and its interval. Proof: estimates.md, which cites the marked
lines.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, final

import numpy as np

from discreet.disclosure import SOFTWARE, Disclosure, digest_of
from discreet.errors import KindError, ParameterError, UnsupportedError, one_of
from discreet.exact import Exact, whole
from discreet.intervals import bennett, binomial_high, binomial_low, checked_confidence
from discreet.pages.results import Result
from discreet.pages.sheet import Column, Sheet
from discreet.survey.forms import Form
from discreet.survey.misfit import Misfit
from discreet.survey.sheets import share_columns
from discreet.survey.shuffling import Shuffled, amplified
from discreet.words import promise

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Difference",
    "Estimate",
    "Of",
    "Share",
    "as_frame",
    "check_reports",
    "checked_error",
    "checked_flag",
    "ends_of",
    "inverted",
    "no_choice",
    "shares_sheet",
    "simplex",
    "warning",
]

Of = Literal["sample", "respondents"]
_SHOWN: Final = 20
"""Mechanisms of more choices are named, and not written out."""
_ORDERED: Final = 30
"""So many choices are drawn in the question's order; of more, the greatest."""
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
@dataclass(frozen=True, eq=False, repr=False)
class Estimate(Result, Mapping[Any, Share]):
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
    smokes: 100 reports
      choice  share, %  95 % interval  error  people
      never       70.0   49.4 to 89.4    9.8      70
      daily       30.0   10.6 to 50.6    9.8      30
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
        check_reports(form, n)
        return cls(form, n, supports, 1 - error, checked_flag(simultaneous), refused, error)

    def disclosure(self) -> Disclosure:
        """Return what is to be told in public of the estimate: the promise to each person, and how it was kept."""
        form, epsilon = self.form, self.form.mechanism.privacy_map(1)
        if math.isinf(epsilon):
            raise UnsupportedError("reports without noise promise nothing, and there is nothing to disclose")
        name, mechanism = form.question.name, form.mechanism
        shown = repr(mechanism) if len(form.question) <= _SHOWN else type(mechanism).__name__
        sure = f"{100 * self.confidence:.10g} %"
        return Disclosure(
            {
                "title": f"Shares of answers to {name}",
                "model": "local",
                "variant": "Pure DP",
                "unit": "one person's report on this question",
                "relation": "changed: the answer behind one report",
                "epsilon": epsilon,
                "delta": 0.0,
                "guarantee": f"{promise(Fraction(epsilon))}'s answer; answers were randomized before they were sent.",
                "domain": f"one of {len(form.question)} choices a person",
                "bounds": "one report a person",
                "mechanisms": {name: shown},
                "errors": f"With a confidence of {sure} the intervals hold the true shares.",
                "post_processing": "Shares are debiased, and so may be below 0 or above 1.",
                "composition": "Other reports of the same people add to this one.",
                "date": f"{datetime.now(UTC):%Y-%m-%d}",
                "figures_sha256": digest_of([str(x) for row in self.to_rows() for x in row.values()]),
                "receipt_sha256": form.digest.hex(),
                "ledger_entry": None,
                "software": SOFTWARE,
            }
        )

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
        return np.stack(ends_of(self, self._error / (len(self) if self.simultaneous else 1)), axis=1)

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
        _, high = ends_of(self, alpha / 10)  # proof: nuisance
        shares = (0.0, min(1.0, float(high[i] + high[j])))
        most, reach = max(map(square, shares)), 1 + 1 / (p - q)
        down, up = (float(inverted(self.n, near, most, reach, alpha * 0.45, way)) for way in (-1, 1))
        ends = max(near - down, -1.0), min(near + up, 1.0)
        return Difference((a, b), middle, error, *ends, self.confidence, together)

    def shuffled(self, n: int | None = None, *, delta: Exact = "1e-6") -> Shuffled:
        """Return what a trusted shuffler of *n* reports promises each person; of as many as there are, unless given.

        >>> from discreet import RandomizedResponse
        >>> from discreet.survey import Question
        >>> q = Question("smokes", ["never", "daily"])
        >>> box = q.collector(RandomizedResponse(categories=q.categories, prob="3/4"))
        >>> _ = box.add_many(["never", "daily"] * 5000)
        >>> found = box.estimate().shuffled()
        >>> found.n, round(found.local, 3), round(found.epsilon, 3)
        (10000, 1.099, 0.049)
        """
        oracle = self.form.oracle
        return amplified(oracle.mechanism.loss(1).epsilon, oracle.alike, self.n if n is None else n, delta)

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
            raise no_choice(choice, self.choices)
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

    @property
    def sheet(self) -> Sheet:
        """The shares, their intervals and errors in percent, and people in numbers."""
        return shares_sheet(self, f"{self.n:,} reports")


def shares_sheet(found: Any, reports: str) -> Sheet:
    """Return the sheet of an estimate of each choice, of one wave or of several."""
    refused = f", {found.refused:,} refused" if found.refused else ""
    together = "; the intervals hold all together" if found.simultaneous else ""
    columns = [
        Column("choice", found.choices, head=True),
        *share_columns(found.shares, found.intervals, found.standard_errors(), found.confidence),
        Column("people", [share.count for share in found.values()], 0),
    ]
    ordered, name = len(found) <= _ORDERED, found.form.question.name
    return Sheet(name, columns, f"{reports}{refused}{together}", warning(found.misfit), "choice", ordered)


def ends_of(estimate: Estimate, error: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the lower and the upper end of each share's interval, which fails with probability *error*."""
    p, q = map(float, estimate.form.support)
    low = binomial_low(np.minimum(estimate.supports, estimate.n * p), estimate.n, error / 2)
    high = binomial_high(np.maximum(estimate.supports, estimate.n * q), estimate.n, error / 2)  # proof: interval
    return np.clip((low - q) / (p - q), 0, 1), np.clip((high - q) / (p - q), 0, 1)  # proof: mapped


def inverted(n: int, middle: Any, square: Any, reach: Any, error: float, way: int) -> NDArray[np.float64]:
    """Return how far below (-1) or above (1) an estimate its truth may lie, except with probability *error*.

    A truth d has a variance of at most *square* - d²; each round knows better how small d can be.
    """
    radius = bennett(n, square, reach, error)  # proof: bennett
    for _ in range(4):
        end = middle + way * radius
        least = np.where(middle * end > 0, np.minimum(np.abs(middle), np.abs(end)), 0.0)
        radius = bennett(n, square - least**2, reach, error)  # proof: rounds
    return radius


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


def check_reports(form: Form, n: int) -> None:
    """Raise unless there are reports, and they say something about the answer."""
    p, q = form.support
    if p - q < _LEAST_GAP:
        raise UnsupportedError(
            f"{form.question.name}: its mechanism says nothing about the answer, so nothing can be estimated"
        )
    if whole(n, "n") < 1:
        raise ParameterError("reports", n, "at least one report")


def no_choice(choice: Any, choices: tuple[Any, ...]) -> ParameterError:
    """Return the error for what is none of the choices."""
    return ParameterError("choice", choice, f"one of {', '.join(map(repr, choices[:8]))}{', ...' * (len(choices) > 8)}")


def warning(misfit: Misfit) -> list[str]:
    """Return what is to be said of counts that the mechanism hardly gives."""
    return [str(misfit)] if misfit.implausible else []


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
