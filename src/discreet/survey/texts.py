"""Open text: Bloom filters randomized by RAPPOR, in cohorts, and decoded against a list of candidates.

Each person is in one of a number of cohorts, drawn once and kept; each cohort has its own keyed hash functions, so
that two texts whose filters collide in one cohort differ in the next. The collector counts reports by cohort and bit.
A text that is no candidate cannot be found, only counted among the others.

Pitfalls: a person who changes cohort shows more bits of the same text than the loss allows for, so keep the client
(or give it a secret, which fixes the cohort); candidates must come from elsewhere than the reports; few people a
cohort make noisy bits, few bits make colliding texts.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeAlias, final

import numpy as np

from discreet.coins import SYSTEM, Coins, KeyedCoins
from discreet.domains import freeze
from discreet.errors import KindError, MismatchError, ParameterError, ReportError, UnsupportedError
from discreet.exact import Exact, listed, whole
from discreet.intervals import bennett, checked_confidence
from discreet.mechanisms import Bloom, LongitudinalRappor, Rappor
from discreet.report import columns, intervals
from discreet.report.scale import interval_text
from discreet.samplers import below
from discreet.survey.clients import Teller
from discreet.survey.estimates import as_frame
from discreet.survey.misfit import Misfit, misfit_of_cells
from discreet.survey.poisoning import plausible, plausible_weights
from discreet.survey.questions import MOST, TAG, described, digest_of, stated
from discreet.survey.reports import Report

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from discreet.ledger import Ledger
    from discreet.survey.collectors import Collector

__all__ = ["TextClient", "TextEstimate", "TextForm", "TextQuestion"]

TextMechanism: TypeAlias = Rappor | LongitudinalRappor
_MOST_COHORTS: Final = 1 << 16
_MOST_CELLS: Final = 1 << 24


@final
@dataclass(frozen=True, slots=True, init=False)
class TextQuestion:
    """A question whose answer is any text: *hashes* of *length* bits are set in a Bloom filter, by cohort.

    >>> q = TextQuestion("homepage", length=64, hashes=2, cohorts=16)
    >>> q.mechanism(epsilon=4).privacy_map(1) <= 4
    True
    """

    name: str
    length: int
    hashes: int
    cohorts: int
    key: bytes

    def __init__(self, name: str, *, length: int = 128, hashes: int = 2, cohorts: int = 64, key: bytes = b"") -> None:
        if not isinstance(name, str):
            raise KindError("name", name, "a text")
        if not name.strip():
            raise ParameterError("name", name, "a text that is not blank")
        bloom = Bloom(length=length, hashes=hashes, key=key)
        count = whole(cohorts, "cohorts", least=1)
        if count > _MOST_COHORTS or count * bloom.length > _MOST_CELLS:
            raise ParameterError(
                "cohorts", cohorts, f"cohorts <= {_MOST_COHORTS}, and cohorts * length <= {_MOST_CELLS}"
            )
        freeze(self, name=name, length=bloom.length, hashes=bloom.hashes, cohorts=count, key=key)

    def bloom(self, cohort: int, /) -> Bloom:
        """Return the filter of a cohort; its key is the SHA-256 of the question's key and the cohort's number."""
        number = whole(cohort, "cohort", least=0)
        if number >= self.cohorts:
            raise ParameterError("cohort", cohort, f"cohort < {self.cohorts}")
        data = b"discreet cohort" + number.to_bytes(2, "little") + self.key
        return Bloom(length=self.length, hashes=self.hashes, key=hashlib.sha256(data).digest())

    def mechanism(self, *, epsilon: Exact) -> Rappor:
        """Return the RAPPOR with the fewest flips within a budget."""
        return Rappor.within(epsilon=epsilon, length=self.length, max_weight=min(self.hashes, self.length))

    def form(self, mechanism: TextMechanism, /) -> TextForm:
        """Return what client and collector must agree on."""
        return TextForm(self, mechanism)

    def client(
        self,
        mechanism: TextMechanism,
        *,
        secret: bytes | None = None,
        cohort: int | None = None,
        most: Exact = MOST,
        ledger: Ledger | None = None,
    ) -> TextClient:
        """Return what turns a person's texts into reports; see `TextClient`."""
        return TextClient(self.form(mechanism), secret=secret, cohort=cohort, most=most, ledger=ledger)

    def collector(self, mechanism: TextMechanism, /, *, wave: str | int | None = None) -> Collector:
        """Return an empty box for reports; see `Collector`. Its `decode` finds candidates."""
        from discreet.survey.collectors import Collector

        return Collector(self.form(mechanism), wave=wave)

    def to_dict(self) -> dict[str, Any]:
        """Return the question as plain values, for JSON."""
        numbers = {"length": self.length, "hashes": self.hashes, "cohorts": self.cohorts}
        return {"name": self.name, **numbers, "key": self.key.hex()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], /) -> TextQuestion:
        """Return the question that `to_dict` wrote."""
        try:
            name, key = data["name"], bytes.fromhex(data["key"])
            return cls(name, length=data["length"], hashes=data["hashes"], cohorts=data["cohorts"], key=key)
        except Exception:  # Whatever a thing of another kind raises.
            raise KindError("question", data, "a mapping with name, length, hashes, cohorts and key") from None


@final
@dataclass(frozen=True, slots=True, init=False)
class TextForm:
    """A question about open text and the mechanism that randomizes its filters.

    >>> q = TextQuestion("homepage", length=128, hashes=2, cohorts=16)
    >>> form = q.form(q.mechanism(epsilon=4))
    >>> form.width, form.size                           # 2 bytes of cohort, 16 of bits; a counter a bit and a cohort
    (18, 2064)
    """

    question: TextQuestion
    mechanism: TextMechanism
    digest: bytes = field(repr=False)
    """The SHA-256 of the form's canonical JSON: forms agree where all of it does."""

    def __init__(self, question: TextQuestion, mechanism: TextMechanism) -> None:
        if not isinstance(question, TextQuestion):
            raise KindError("question", question, "a TextQuestion")
        if not isinstance(mechanism, TextMechanism):
            raise KindError("mechanism", mechanism, "Rappor or LongitudinalRappor")
        if mechanism.length != question.length or mechanism.max_weight < question.hashes:
            need = f"length {question.length} and a max_weight of at least {question.hashes}"
            raise MismatchError(f"{question.name} and {type(mechanism).__name__}: need {need}")
        digest = digest_of(question.to_dict(), _described(mechanism))
        freeze(self, question=question, mechanism=mechanism, digest=digest)

    @property
    def tag(self) -> bytes:
        """The first 16 bytes of the digest: what a report carries."""
        return self.digest[:TAG]

    @property
    def packs_bits(self) -> bool:
        """Whether a payload is packed bits: yes, after the cohort."""
        return True

    @property
    def width(self) -> int:
        """The number of bytes of a report, its header not counted."""
        return 2 + -(-self.question.length // 8)

    @property
    def size(self) -> int:
        """How many counters a collector keeps: one a cohort and bit, then one a cohort."""
        return self.question.cohorts * (self.question.length + 1)

    def valid(self, rows: NDArray[np.uint8], /) -> NDArray[np.bool_]:
        """Return which rows of bytes are reports that this form's mechanism can give."""
        valid = self._cohorts(rows) < self.question.cohorts
        if self.question.length % 8:
            valid &= rows[:, -1] >> np.uint8(self.question.length % 8) == 0
        return valid

    def plausible(self, rows: NDArray[np.uint8], /) -> NDArray[np.bool_]:
        """Return which rows have a weight that honest reports have, except with probability 1e-12 each."""
        q, (p1, p0) = self.question, self.mechanism.support
        return plausible(rows[:, 2:], q.length, plausible_weights(q.length, float(p1), float(p0), 1, q.hashes))

    def possible(self, n: int, counts: Sequence[int], /) -> bool:
        """Whether *n* reports can give these counts: in a cohort, no bit is set more often than there are reports."""
        q = self.question
        cells, people = np.array(counts[: -q.cohorts]).reshape(q.cohorts, q.length), np.array(counts[-q.cohorts :])
        return min(counts) >= 0 and sum(counts[-q.cohorts :]) == n and bool((cells <= people[:, None]).all())

    def count(self, rows: NDArray[np.uint8], /) -> NDArray[np.int64]:
        """Return how many reports set each bit in each cohort, and how many there are in each cohort."""
        q = self.question
        totals = np.zeros((q.cohorts, q.length), np.int64)
        cohorts = self._cohorts(rows)
        for start in range(0, len(rows), 1 << 13):
            part = slice(start, start + (1 << 13))
            bits = np.unpackbits(rows[part, 2:], axis=1, count=q.length, bitorder="little")
            np.add.at(totals, cohorts[part], bits)
        return np.concatenate([totals.ravel(), np.bincount(cohorts, minlength=q.cohorts).astype(np.int64)])

    def _cohorts(self, rows: NDArray[np.uint8]) -> NDArray[np.int64]:
        return rows[:, 0].astype(np.int64) | rows[:, 1].astype(np.int64) << 8

    def payload_of(self, said: Any, /) -> bytes:
        """Refuse: a report on open text is bytes."""
        raise ReportError("not a report", "need a Report, its bytes or its JSON")

    def decode(
        self, counts: NDArray[np.int64], candidates: Iterable[str], *, confidence: Exact = "0.95"
    ) -> TextEstimate:
        """Return which candidates were among the texts, from a collector's counts; see `TextEstimate`."""
        error = checked_confidence(confidence)
        listed = _candidates(candidates)
        q, (p1, p0) = self.question, self.mechanism.support
        if p1 == p0:
            raise UnsupportedError(f"{q.name}: its mechanism says nothing about the text, so nothing can be decoded")
        totals, people = counts[: -q.cohorts].reshape(q.cohorts, q.length), counts[-q.cohorts :]
        n = int(people.sum())
        if n < 1:
            raise ParameterError("reports", n, "at least one report")
        misfit = misfit_of_cells(totals, people[:, None], float(p1), float(p0))
        support = float(p1), float(p0)
        found = _solve(self._design(listed, people), totals, people, support, min(q.hashes, q.length), error)
        ends = np.stack([found.low, found.high], axis=1)[1:]
        others, each = float(found.shares[0]), (found.shares[1:], found.errors[1:], found.chances[1:])
        return TextEstimate(self, n, tuple(listed), *each, ends, others, 1 - error, error, misfit)

    def _design(self, candidates: Sequence[str], people: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how many people set each bit of each cohort, if all had one text: another's, then each candidate's."""
        q = self.question
        design = np.zeros((q.cohorts, q.length, 1 + len(candidates)))
        design[:, :, 0] = 1 - (1 - 1 / q.length) ** q.hashes  # A text unknown sets each bit as often.
        for cohort in range(q.cohorts):
            bloom = q.bloom(cohort)
            for i, text in enumerate(candidates, 1):
                design[cohort, bloom.places(text), i] = 1
        return design * people[:, None, None]

    def to_dict(self) -> dict[str, Any]:
        """Return the form as plain values, for JSON."""
        return {"question": self.question.to_dict(), "mechanism": _described(self.mechanism)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], /) -> TextForm:
        """Return the form that `to_dict` wrote.

        >>> q = TextQuestion("homepage", length=64)
        >>> form = q.form(q.mechanism(epsilon=4))
        >>> TextForm.from_dict(form.to_dict()) == form
        True
        """
        if not isinstance(data, Mapping) or not {"question", "mechanism"} <= set(data):
            raise KindError("form", data, "a mapping with a question and a mechanism")
        question = TextQuestion.from_dict(data["question"])
        given = data["mechanism"]
        kinds: dict[str, Any] = {"Rappor": Rappor, "LongitudinalRappor": LongitudinalRappor}
        name = given.get("name") if isinstance(given, Mapping) else None
        if not isinstance(name, str) or name not in kinds:
            raise ParameterError("mechanism", name, f"one of {', '.join(kinds)}")
        values = stated(given, kinds[name], ("max_weight", *(("f",) if name == "Rappor" else ("f", "p", "q"))))
        return cls(question, kinds[name](length=question.length, **values))


def _described(mechanism: TextMechanism) -> dict[str, Any]:
    return described(mechanism) | {"max_weight": str(mechanism.max_weight)}


def _candidates(candidates: Iterable[str]) -> list[str]:
    found = listed(candidates, "candidates", "a list of texts")
    if not found or not all(isinstance(text, str) for text in found):
        raise KindError("candidates", candidates, "a list of texts")
    if len(set(found)) < len(found):
        raise ParameterError("candidates", candidates, "distinct texts")
    return found


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


def _solve(
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
@dataclass(frozen=True, eq=False)
class TextEstimate:
    """Which candidates were among the texts: their shares, and whether they are there beyond doubt.

    ``shares`` are the non-negative ones that fit the reports best, and ``other`` that of texts that are no candidate.
    ``intervals`` hold with the stated confidence, each on its own, with any number of cohorts and whatever else people
    wrote: texts that are no candidates share bits with those that are, and the intervals allow for it. ``significant``
    are the candidates whose share is above 0 by Holm's test (1979) of all together: none of them is wrong with the
    stated confidence. Both take the noise for normal, which needs some hundreds of reports, and the hashes for random.
    """

    form: TextForm
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

    def __str__(self) -> str:
        found = f"{len(self.found())} of {len(self.candidates)} candidates found"
        head = f"{self.form.question.name}: {self.n:,} reports, {found}, {100 * self.confidence:.10g} % intervals"
        rows = [
            [
                row["candidate"],
                f"{row['share']:.4f}",
                f"{row['error']:.4f}",
                *interval_text(row["low"], row["high"], decimals=4).split(" to "),
                "found" if row["significant"] else "",
            ]
            for row in self._rows()
        ]
        rows.append(["(others)", f"{self.other:.4f}", *[""] * 4])
        warning = [str(self.misfit)] if self.misfit.implausible else []
        return "\n".join([head, columns(["candidate", "share", "error", "low", "high", ""], rows), *warning])

    __repr__ = __str__

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the estimate as a page: one HTML file that loads nothing; with a *path*, also write it there.

        >>> q = TextQuestion("homepage", length=16, cohorts=2)
        >>> form = q.form(q.mechanism(epsilon=8))
        >>> one = np.ones(1)
        >>> ends = np.array([[0.4, 0.6]])
        >>> found = TextEstimate(form, 500, ("a.org",), one / 2, one / 50, one * 0, ends, 0.5, 0.95, 0.05)
        >>> "1 of 1 candidates are there beyond doubt" in found.to_html()
        True
        """
        from discreet.survey.pages import text_page

        return text_page(self).to_html(path)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the shares with their intervals, the most frequent first; return the axes."""
        rows = self.to_rows()[:30]
        return intervals(
            [row["candidate"] for row in rows],
            *([row[key] for row in rows] for key in ("share", "low", "high")),
            ax=ax,
            title=f"{self.form.question.name}: {self.n:,} reports, {100 * self.confidence:.10g} % intervals",
            xlabel="share",
            percent=True,
        )


@final
class TextClient(Teller):
    """What turns a person's texts into reports. The cohort is drawn once, or comes from the secret, and is kept.

    >>> q = TextQuestion("homepage")
    >>> client = q.client(q.mechanism(epsilon=4), secret=b"only on this device")
    >>> client.report("example.org") == client.report("example.org")
    True
    """

    def __init__(
        self,
        form: TextForm,
        *,
        secret: bytes | None = None,
        cohort: int | None = None,
        most: Exact = MOST,
        ledger: Ledger | None = None,
    ) -> None:
        if not isinstance(form, TextForm):
            raise KindError("form", type(form), "a TextForm, as question.form(mechanism) gives")
        super().__init__(form, secret, most, ledger)
        if cohort is None:
            coins: Coins = SYSTEM if secret is None else KeyedCoins(secret, b"cohort" + form.digest)
            cohort = below(form.question.cohorts, coins)
        self._bloom = form.question.bloom(cohort)
        self.cohort = int(cohort)

    def report(self, text: str, /) -> Report:
        """Return a report of a text."""
        if not isinstance(text, str):
            raise KindError("text", type(text), "a text")
        m, bits, coins = self.form.mechanism, self._bloom(text), self._paid(self._context(text))
        noisy = (
            m.instantaneous(m.permanent(bits, coins), SYSTEM)
            if isinstance(m, LongitudinalRappor)
            else m.sample(bits, coins)
        )
        head = self.cohort.to_bytes(2, "little")
        return Report(self.form.tag, head + np.packbits(noisy, bitorder="little").tobytes())

    def _context(self, text: str) -> bytes:
        form: TextForm = self.form
        data = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        return b"text" + form.digest + self.cohort.to_bytes(2, "little") + data

    def __repr__(self) -> str:
        return f"<client of {self.form.question.name}, cohort {self.cohort}>"

    def _remake(self) -> tuple[Any, ...]:
        return _text_client, (self.form, self.cohort, self._most, self._ledger)


def _text_client(form: TextForm, cohort: int, most: Exact, ledger: Ledger | None) -> TextClient:
    return TextClient(form, cohort=cohort, most=most, ledger=ledger)
