"""Decoding: which candidates were among texts, from how often each bit was set in each cohort."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, final

import numpy as np

from discreet.figures import figure
from discreet.intervals import bennett
from discreet.pages.results import Result
from discreet.pages.sheet import Column, Sheet
from discreet.survey.estimates import as_frame, warning
from discreet.survey.forms import AnyForm
from discreet.survey.misfit import Misfit
from discreet.survey.sheets import share_columns

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TextEstimate", "solve"]


def _fitted(
    design: NDArray[np.float64],
    totals: NDArray[np.int64],
    people: NDArray[np.int64],
    rates: NDArray[np.float64],
    p: float,
    q: float,
) -> tuple[NDArray[np.float64], ...]:
    """Return the cells' equations, each over its standard error at the given rates; their QR; and the shares."""
    from scipy.linalg import qr
    from scipy.optimize import nnls

    sigma = np.sqrt(np.maximum(people, 1)[:, None] * np.clip(rates * (1 - rates), 1e-12, None)) / (p - q)
    matrix = (design / sigma[:, :, None]).reshape(-1, design.shape[2])
    target = ((totals - q * people[:, None]) / (p - q) / sigma).ravel()
    missing = max(design.shape[2] - len(matrix), 0)  # With more unknowns than cells, rows of nothing make it square.
    matrix, target = np.pad(matrix, ((0, missing), (0, 0))), np.pad(target, (0, missing))
    rotation, triangle = qr(matrix, mode="economic")
    return matrix, target, rotation, triangle, nnls(triangle, rotation.T @ target)[0]


class _Solution(NamedTuple):
    """What the cells say about each unknown: the others, then each candidate."""

    shares: NDArray[np.float64]
    errors: NDArray[np.float64]
    chances: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


def solve(
    design: NDArray[np.float64],
    totals: NDArray[np.int64],
    people: NDArray[np.int64],
    support: tuple[float, float],
    hashes: int,
    error: float,
) -> _Solution:
    """Return the non-negative shares that fit best, with errors, intervals, and each one's chance under a share of 0.

    The shares are non-negative least squares, weighted in a second pass by the rates that the first one fits: weights
    from the cells themselves would favour those that came out low. All else is of the unrestricted least squares, whose
    estimates are unbiased. They err for two reasons, each of which gets half of the error: the noise, which is normal
    at large n; and texts that are no candidates, whose bits are those of a candidate by chance (see `_Collisions`).
    Where candidates cannot be told apart, nothing is known.
    """
    from scipy.linalg import solve_triangular

    (cohorts, length), unknowns, (p, q) = totals.shape, design.shape[2], support
    n = np.maximum(people, 1)[:, None]
    rates = np.broadcast_to(totals.sum(axis=1, keepdims=True) / (n * length), totals.shape)
    _, _, _, _, shares = _fitted(design, totals, people, rates, p, q)
    rates = np.clip(q + (p - q) * (design @ shares) / n, q, p)
    matrix, target, rotation, triangle, shares = _fitted(design, totals, people, rates, p, q)
    diagonal = np.abs(np.diag(triangle))
    if diagonal.min() <= 1e-9 * max(diagonal.max(), 1e-300):
        nothing, whole_range = np.zeros(unknowns), np.ones(unknowns)
        return _Solution(shares, np.full(unknowns, np.inf), whole_range, nothing, whole_range)
    inverse = solve_triangular(triangle, np.eye(unknowns))
    raw, noise = inverse @ (rotation.T @ target), np.sqrt((inverse**2).sum(axis=1))
    cells = slice(totals.size)
    scale = people[:, None] * (p - q) / np.sqrt(n * np.clip(rates * (1 - rates), 1e-12, None))
    pull = (inverse @ rotation.T)[:, cells].reshape(unknowns, cohorts, length) * scale
    others = float(min(max(raw[0], 0.0) + 3 * noise[0], 1.0))
    found = _Collisions.of((target - matrix @ raw)[cells], pull, scale, hashes, unknowns, others)
    radius = found.radius(noise, error / 2)
    near = np.clip(raw, 0, 1)
    low, high = np.minimum(near - radius, shares), np.maximum(near + radius, shares)
    errors = np.sqrt(noise**2 + found.variance * found.expected)
    return _Solution(shares, errors, found.chance(raw, noise), np.clip(low, 0, 1), np.clip(high, 0, 1))


@final
@dataclass(frozen=True, slots=True)
class _Collisions:
    """What texts that are no candidates do to the estimates, because their bits are those of a candidate by chance.

    An unknown text of share f adds f times the *pull* of its bits, less what is expected of a text's bits. Cohorts hash
    independently, so that is a sum of independent terms: its variance is at most f² *variance*, its terms at most
    f *reach*, and over all unknown texts, with the sum of their f² for f², no more. That sum is the same in all cells,
    so the residuals of all of them tell it: *expected*, and *most* with three standard errors added, or the square of
    what share unknown texts can have at all. Bennett's inequality does the rest, for any number of cohorts.
    """

    variance: NDArray[np.float64]
    reach: NDArray[np.float64]
    expected: float
    most: float

    @classmethod
    def of(
        cls,
        residuals: NDArray[np.float64],
        pull: NDArray[np.float64],
        scale: NDArray[np.float64],
        hashes: int,
        unknowns: int,
        others: float,
    ) -> _Collisions:
        """Return them from the residuals of all cells, each over its standard error."""
        length = pull.shape[2]
        often = 1 - (1 - 1 / length) ** hashes
        size = np.abs(pull)
        greatest = np.partition(size, -hashes, axis=2)[:, :, -hashes:] if hashes < length else size
        reach = (greatest.sum(axis=2) + often * size.sum(axis=2)).max(axis=1)
        lift = max(float((scale**2).sum()) * often * (1 - often), 1e-300)
        excess = float(residuals @ residuals) - (len(residuals) - unknowns)
        expected, most = (
            min(max(x / lift, 0.0), others**2) for x in (excess, excess + 3 * (2 * len(residuals)) ** 0.5)
        )
        return cls(often * (size**2).sum(axis=(1, 2)), reach, expected, most)

    def radius(self, noise: NDArray[np.float64], error: Any) -> NDArray[np.float64]:
        """Return how far an estimate exceeds its truth, or falls short of it, with probability *error* each."""
        from scipy.special import ndtri

        beyond = bennett(1, self.variance * self.most, self.reach * self.most**0.5, error / 2) if self.most else 0.0
        return np.asarray(-ndtri(error / 2) * noise + beyond)

    def chance(self, raw: NDArray[np.float64], noise: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the least error, to within a thousandth, at which the radius is at most each estimate."""
        low, high = np.full(len(raw), -300.0), np.zeros(len(raw))  # Of powers of ten.
        for _ in range(20):
            middle = (low + high) / 2
            within = self.radius(noise, 10.0**middle) <= raw
            low, high = np.where(within, low, middle), np.where(within, middle, high)
        return np.asarray(np.where(raw > 0, 10.0**high, 1.0))


@final
@dataclass(frozen=True, eq=False, repr=False)
class TextEstimate(Result):
    """Which candidates were among the texts: their shares, and whether they are there beyond doubt.

    ``shares`` are the non-negative ones that fit the reports best, and ``other`` that of texts that are no candidate.
    ``intervals`` hold with the stated confidence, each on its own, with any number of cohorts and whatever else people
    wrote: texts that are no candidates share bits with those that are, and the intervals allow for it. ``significant``
    are the candidates whose share is above 0 by Holm's test (1979) of all together: none of them is wrong with the
    stated confidence. Both take the noise for normal, which needs some hundreds of reports, and the hashes for random.
    """

    form: AnyForm
    n: int
    candidates: tuple[str, ...]
    shares: NDArray[np.float64]
    errors: NDArray[np.float64]
    chances: NDArray[np.float64]
    intervals: NDArray[np.float64]
    other: float
    confidence: float
    _error: float = field(repr=False)
    misfit: Misfit = field(default_factory=lambda: Misfit(1.0))
    """The test of whether the mechanism can have given these counts, whatever the texts."""

    @property
    def significant(self) -> NDArray[np.bool_]:
        """Which candidates are there, by Holm's step-down test."""
        order = np.argsort(self.chances)
        limits = self._error / np.arange(len(order), 0, -1)
        passed = np.minimum.accumulate(self.chances[order] <= limits)
        there = np.zeros(len(order), np.bool_)
        there[order] = passed
        return there

    def found(self) -> list[str]:
        """Return the candidates that are there, the most frequent first."""
        there = self.significant
        return [self.candidates[i] for i in np.argsort(-self.shares, kind="stable") if there[i]]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary a candidate, the most frequent first."""
        return list(self._rows())

    def _rows(self) -> Iterator[dict[str, Any]]:
        there = self.significant
        for i in np.argsort(-self.shares, kind="stable").tolist():
            yield {
                "candidate": self.candidates[i],
                "share": float(self.shares[i]),
                "error": float(self.errors[i]),
                "low": float(self.intervals[i, 0]),
                "high": float(self.intervals[i, 1]),
                "chance": float(self.chances[i]),
                "significant": bool(there[i]),
            }

    def to_frame(self, kind: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Return the same as a data frame."""
        return as_frame(self.to_rows(), kind)

    @property
    def sheet(self) -> Sheet:
        """The candidates, the most frequent first: share, interval and error in percent, and whether it is there."""
        order, there = np.argsort(-self.shares, kind="stable"), self.significant
        shares = share_columns(self.shares[order], self.intervals[order], self.errors[order], self.confidence)
        columns = [
            Column("candidate", [self.candidates[i] for i in order], head=True),
            *shares,
            Column("found", ["found" if there[i] else "" for i in order]),
        ]
        others = f"Texts that are no candidate have a share of {figure(100 * self.other, shares[0].decimals or 0)} %."
        note = f"{self.n:,} reports, {there.sum():,} of {len(self.candidates):,} candidates found"
        return Sheet(self.form.question.name, columns, note, [others, *warning(self.misfit)], "candidate")
