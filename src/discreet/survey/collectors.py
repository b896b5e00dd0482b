"""Collectors: boxes that count reports. They hold integers only, so they merge in any order to the same."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, cast, final

import numpy as np

from discreet.errors import KindError, MismatchError, ParameterError, ReportError, UnsupportedError
from discreet.exact import Exact
from discreet.report import Progress
from discreet.survey.estimates import Crosstab, Estimate
from discreet.survey.files import read_json, write_json
from discreet.survey.questions import VERSION, Form
from discreet.survey.reports import HEADER, MAGIC, Report
from discreet.survey.sources import Texts, chunks, is_spark, spark_texts
from discreet.survey.texts import TextEstimate, TextForm

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Collector", "PairCollector", "Tally"]

_CHUNK: Final = 1 << 18
_PAIRS: Final = 1 << 14
_GOOD: Final = 0
_REASONS: Final = (
    "",
    "not a report",
    "another version",
    "another form",
    "wrong length",
    "impossible",
    "not a choice",
    "implausible weight",
)
"""Why a report is refused; the first is that it is not."""


@final
@dataclass(frozen=True, slots=True)
class Tally:
    """How many reports were added, and how many were refused, by reason."""

    added: int
    refused: dict[str, int]

    def __repr__(self) -> str:
        refused = ", ".join(f"{count:,} refused: {reason}" for reason, count in sorted(self.refused.items()))
        return f"<{self.added:,} added{'; ' * bool(refused)}{refused}>"


@final
class Collector:
    """A box for the reports of one form.

    A report of another form, version or length is refused and counted, and the others are kept.

    >>> from discreet import RandomizedResponse
    >>> from discreet.survey import Question
    >>> q = Question("smokes", ["never", "daily"])
    >>> m = RandomizedResponse(categories=q.categories, prob="3/4")
    >>> box = q.collector(m)
    >>> box.add(q.client(m).report("daily"))
    >>> box.add_many(["never", "daily", "weekly"])
    <2 added; 1 refused: not a choice>
    >>> box
    <smokes: 3 reports, 1 refused>
    """

    def __init__(self, form: Form | TextForm) -> None:
        if not isinstance(form, Form | TextForm):
            raise KindError("form", form, "a form, as question.form(mechanism) gives")
        self.form: Any = form
        self.n = 0
        self.supports: NDArray[np.int64] = np.zeros(form.size, np.int64)
        self.refused: Counter[str] = Counter()

    def add(self, report: Report | bytes | str, /) -> None:
        """Add one report: a Report, its bytes or its JSON. One that is refused is counted, and raises ReportError."""
        try:
            row = np.frombuffer(self._payload(report), np.uint8)[None, :]
        except ReportError as error:
            self.refused[error.reason] += 1
            raise
        self.count(row)

    def add_many(self, reports: Any, /, column: str | None = None) -> Tally:
        """Add many reports, in chunks, with a progress bar on a terminal; say how many were added and refused.

        They may be payloads, one row of bytes each; whole reports as rows of bytes, or as a sequence of Report, bytes
        or JSON; booleans, one row of supported choices each; the choices that randomized response answered with; a
        column of pandas, Polars or Arrow; or, with the *column*'s name, a data frame, an Arrow table or reader, a
        DuckDB relation, a Spark frame, or the path of a CSV or Parquet file (`*` and `?` stand for many).
        """
        if is_spark(reports):
            return self._add_spark(reports, column)
        before, refused = self.n, self.refused.copy()
        with Progress("reports") as progress:
            for (chunk,) in chunks(reports, [column], _CHUNK):
                self.add_chunk(chunk)
                progress.add(len(chunk))
        return Tally(self.n - before, dict(self.refused - refused))

    def add_chunk(self, chunk: Any, /) -> None:
        """Add one chunk of reports, as `add_many` cuts them."""
        rows, why = self.read(chunk)
        if not why.any():
            self.count(rows)
            return
        self.count(rows[why == _GOOD])
        found = np.bincount(why, minlength=len(_REASONS))
        self.refused += Counter({reason: int(n) for reason, n in zip(_REASONS[1:], found[1:], strict=True) if n})

    def count(self, rows: NDArray[np.uint8], /) -> None:
        """Count payloads that are known to be good."""
        self.supports += self.form.count(rows)
        self.n += len(rows)

    def _add_spark(self, frame: Any, column: str | None) -> Tally:
        """Count a Spark frame's reports where they are; one small box a partition comes back."""
        form = self.form

        def count(batches: Iterable[Any]) -> Iterable[str]:
            box = Collector(form)
            for batch in batches:
                box.add_many(batch.column(0))
            yield json.dumps(box.to_dict())

        boxes = [Collector.from_dict(json.loads(text)) for text in spark_texts(frame, column, count)]
        both = self.merge(*boxes)
        tally = Tally(both.n - self.n, dict(both.refused - self.refused))
        self.n, self.supports, self.refused = both.n, both.supports, both.refused
        return tally

    def _payload(self, report: Any) -> bytes:
        """Return the payload of one whole report, or raise ReportError."""
        if isinstance(report, str):
            report = Report.from_json(report)
        elif not isinstance(report, Report):
            if not isinstance(report, bytes | bytearray | memoryview):
                raise ReportError("not a report", "need a Report, its bytes or its JSON")
            report = Report.from_bytes(bytes(report))
        if report.digest != self.form.digest:
            raise ReportError("another form", f"it answers {report.digest.hex()}, this box {self.form.digest.hex()}")
        if len(report.payload) != self.form.width:
            raise ReportError("wrong length", f"need {self.form.width} bytes of payload, not {len(report.payload)}")
        payload: bytes = report.payload
        if not self.form.valid(np.frombuffer(payload, np.uint8)[None, :])[0]:
            raise ReportError("impossible", "no answer to this question gives such a report")
        if not self.form.plausible(np.frombuffer(payload, np.uint8)[None, :])[0]:
            raise ReportError("implausible weight", "honest reports have as many bits set next to never")
        return payload

    def read(self, chunk: Any, /) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Return a payload for each report of a chunk, and why it is refused: 0 for a good one."""
        form = self.form
        if isinstance(chunk, np.ndarray) and chunk.ndim == 2:
            return self._table(chunk)
        if isinstance(chunk, Texts):
            if not form.packs_bits:
                return self._choices(form.question.places_of_texts(chunk), chunk)
            chunk = [_from_hex(text) for text in chunk]
        if isinstance(chunk, np.ndarray) and chunk.dtype != object and not form.packs_bits:
            return self._choices(form.question.categories.places(chunk), chunk)
        listed = chunk.tolist() if isinstance(chunk, np.ndarray) else list(chunk)
        kinds = set(map(type, listed))
        if kinds == {bytes}:
            lengths = set(map(len, listed))
            if len(lengths) == 1:
                width = lengths.pop()
                return self._table(np.frombuffer(b"".join(listed), np.uint8).reshape(len(listed), width))
        if not form.packs_bits and kinds <= {str, int, bool}:
            return self._choices(form.question.categories.places(listed), listed)
        # Long payloads may look like reports of another form: where one cell is a whole report, all have to be.
        return self._each(listed, payloads=form.width < HEADER or not any(map(self._is_whole, listed)))

    def _is_whole(self, item: Any) -> bool:
        """Whether bytes are a report of this form, header and all."""
        return isinstance(item, bytes) and len(item) == HEADER + self.form.width and item.startswith(self._head)

    @property
    def _head(self) -> bytes:
        return bytes((MAGIC, VERSION)) + cast("bytes", self.form.digest)

    def _table(self, table: NDArray[Any]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Read rows of bytes, with or without headers, or rows of booleans."""
        form, n = self.form, len(table)
        if table.dtype == np.bool_ and isinstance(form, Form) and form.packs_bits and table.shape[1] == form.size:
            table = np.packbits(table, axis=1, bitorder="little")
        if table.dtype != np.uint8:
            raise KindError("reports", table.dtype, "rows of bytes (uint8), or of booleans, one a choice")
        why = np.zeros(n, np.uint8)
        rows = table
        if table.shape[1] != form.width:
            rows = np.zeros((n, form.width), np.uint8)
            if table.shape[1] < HEADER:
                why[:] = _REASONS.index("not a report")
                return rows, why
            if table.shape[1] == HEADER + form.width:
                rows = table[:, HEADER:]
            else:
                why[:] = _REASONS.index("wrong length")
            same = table[:, :HEADER] == np.frombuffer(self._head, np.uint8)
            why[~same[:, 2:].all(axis=1)] = _REASONS.index("another form")
            why[~same[:, 1]] = _REASONS.index("another version")
            why[~same[:, 0]] = _REASONS.index("not a report")
        return rows, self._judged(rows, why)

    def _judged(self, rows: NDArray[np.uint8], why: NDArray[np.uint8]) -> NDArray[np.uint8]:
        """Return why reports are refused, with those that no answer can give."""
        valid = self.form.valid(rows)
        if not valid.all():
            why[(why == _GOOD) & ~valid] = _REASONS.index("impossible")
        why[(why == _GOOD) & ~self.form.plausible(rows)] = _REASONS.index("implausible weight")
        return why

    def _choices(self, places: NDArray[np.int64], cells: Any) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Read a column of choices, by their places; what is none of them is looked at by itself."""
        why = np.zeros(len(places), np.uint8)
        strange = np.flatnonzero(places < 0)
        rows = self.form.pack_places(np.maximum(places, 0))
        if strange.size:
            found, why[strange] = self._each([cells[i] for i in strange.tolist()])
            rows[strange] = found
        return rows, why

    def _each(self, listed: list[Any], *, payloads: bool = True) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Read reports one by one, from a mixed or broken column."""
        rows, why = np.zeros((len(listed), self.form.width), np.uint8), np.zeros(len(listed), np.uint8)
        for i, item in enumerate(listed):
            try:
                rows[i] = np.frombuffer(self._one(item, payloads), np.uint8)
            except ReportError as error:
                why[i] = _REASONS.index(error.reason)
        return rows, self._judged(rows, why)

    def _one(self, item: Any, payloads: bool) -> bytes:
        """Return the payload of whatever stands for a report, or raise ReportError."""
        if isinstance(item, bytes | bytearray | memoryview):
            data = bytes(item)
            return data if payloads and len(data) == self.form.width else self._payload(data)
        if isinstance(item, Report):
            return self._payload(item)
        try:
            payload: bytes = self.form.payload_of(item)
            return payload
        except ReportError:
            if not isinstance(item, str):
                raise
        if item.startswith("{"):
            return self._payload(item)
        read = _from_hex(item)
        return self._payload(read) if isinstance(read, bytes) and len(read) >= HEADER else self.form.payload_of(item)

    def merge(self, *others: Collector) -> Collector:
        """Return a new box with the reports of this one and of others of the same form.

        >>> from discreet import RandomizedResponse
        >>> from discreet.survey import Question
        >>> q = Question("smokes", ["never", "daily"])
        >>> m = RandomizedResponse(categories=q.categories, prob="3/4")
        >>> box, other = q.collector(m), q.collector(m)
        >>> _ = box.add_many(["never"]), other.add_many(["daily", "daily"])
        >>> box.merge(other).supports.tolist()
        [1, 2]
        """
        merged = Collector(self.form)
        for box in (self, *others):
            if not isinstance(box, Collector):
                raise KindError("other", type(box), "a Collector")
            if box.form.digest != self.form.digest:
                raise MismatchError(f"a box of {box.form!r} does not merge with one of {self.form!r}")
            merged.n += box.n
            merged.supports += box.supports
            merged.refused += box.refused
        return merged

    def estimate(self, *, confidence: Exact = "0.95", simultaneous: bool = False) -> Estimate:
        """Return what the reports say about each choice; see `Estimate`."""
        if isinstance(self.form, TextForm):
            raise UnsupportedError(f"{self.form.question.name}: open text has no choices; use decode(candidates)")
        return Estimate.of(
            self.form,
            self.supports.copy(),
            self.n,
            confidence=confidence,
            simultaneous=simultaneous,
            refused=self.refused.total(),
        )

    def decode(self, candidates: Iterable[str], *, confidence: Exact = "0.95") -> TextEstimate:
        """Return which of a list of candidates were among the texts, and how often; see `TextEstimate`."""
        if not isinstance(self.form, TextForm):
            raise UnsupportedError(f"{self.form.question.name}: a question with choices has no texts; use estimate()")
        return self.form.decode(self.supports.copy(), candidates, confidence=confidence)

    def to_dict(self) -> dict[str, Any]:
        """Return the box as plain values, for JSON."""
        return {
            "form": self.form.to_dict(),
            "n": self.n,
            "supports": self.supports.tolist(),
            "refused": dict(sorted(self.refused.items())),
        }

    @classmethod
    def from_dict(cls, data: Any, /) -> Collector:
        """Return the box that `to_dict` wrote."""
        try:
            kind = TextForm if "length" in data["form"]["question"] else Form
            box = cls(kind.from_dict(data["form"]))
            box.n = _count_of(data["n"])
            box.supports = np.array([_count_of(count) for count in data["supports"]], np.int64)
            box.refused = Counter({str(reason): _count_of(count) for reason, count in data["refused"].items()})
            sound = box.supports.shape == (box.form.size,) and int(box.supports.max(initial=0)) <= box.n
        except (TypeError, KeyError, AttributeError, OverflowError):
            raise ParameterError("box", "...", "what Collector.to_dict wrote") from None
        if not sound:
            raise ParameterError("box", "...", "counts that fit together")
        return box

    def save(self, path: str | os.PathLike[str], /) -> None:
        """Write the box to a file of JSON, whole or not at all."""
        write_json(path, "box", self.to_dict())

    @classmethod
    def load(cls, path: str | os.PathLike[str], /) -> Collector:
        """Return the box that `save` wrote; a file that is damaged, or another program's, is refused."""
        return cls.from_dict(read_json(path, "box"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Collector) and self.to_dict() == other.to_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        refused = f", {self.refused.total():,} refused" if self.refused else ""
        return f"<{self.form.question.name}: {self.n:,} reports{refused}>"


@final
class PairCollector:
    """A box for pairs of reports, of two questions that the same people answered.

    >>> from discreet import RandomizedResponse
    >>> from discreet.survey import PairCollector, Question
    >>> forms = [q.form(RandomizedResponse(categories=q.categories, prob="3/4"))
    ...          for q in (Question("smokes", ["no", "yes"]), Question("age", ["young", "old"]))]
    >>> box = PairCollector(*forms)
    >>> box.add_many(["no", "yes", "no"], ["old", "old", "young"])
    <3 added>
    >>> box.pairs.tolist()
    [[1, 1], [0, 1]]
    """

    def __init__(self, first: Form, second: Form, /) -> None:
        self.boxes = Collector(first), Collector(second)
        self.pairs: NDArray[np.int64] = np.zeros((len(first.question), len(second.question)), np.int64)

    @property
    def n(self) -> int:
        """The number of pairs of reports."""
        return self.boxes[0].n

    def add_many(self, first: Any, second: Any, /, columns: tuple[str | None, str | None] = (None, None)) -> Tally:
        """Add the reports of many people on both questions, in the same order; a pair is refused if either is.

        *columns* names those of two frames or files; where both are columns of one, `add_frame` reads it once.
        """
        both = []
        for box, source, name in zip(self.boxes, (first, second), columns, strict=True):
            read = [box.read(chunk) for (chunk,) in chunks(source, [name], _CHUNK)]
            rows = [rows for rows, _ in read] or [np.empty((0, box.form.width), np.uint8)]
            both.append((np.concatenate(rows), np.concatenate([why for _, why in read] or [np.empty(0, np.uint8)])))
        n, other = (len(rows) for rows, _ in both)
        if n != other:
            raise ParameterError("second", f"{other} reports", f"as many as of the first, {n}")
        return self._tally(both)

    def add_frame(self, source: Any, /, first: str, second: str) -> Tally:
        """Add the reports in two columns of a frame, a file, or whatever else has columns; see `Collector.add_many`."""
        tallies = [
            self._tally([box.read(chunk) for box, chunk in zip(self.boxes, pair, strict=True)])
            for pair in chunks(source, [first, second], _CHUNK)
        ]
        refused = sum((Counter(tally.refused) for tally in tallies), Counter[str]())
        return Tally(sum(tally.added for tally in tallies), dict(refused))

    def _tally(self, columns: list[tuple[NDArray[np.uint8], NDArray[np.uint8]]]) -> Tally:
        """Count pairs, both of which have been read."""
        good = (columns[0][1] == _GOOD) & (columns[1][1] == _GOOD)
        rows = [table[good] for table, _ in columns]
        for box, table in zip(self.boxes, rows, strict=True):
            box.count(table)
        for start in range(0, len(rows[0]), _PAIRS):
            left, right = (
                box.form.supported(table[start : start + _PAIRS]).astype(np.float32)
                for box, table in zip(self.boxes, rows, strict=True)
            )
            self.pairs += (left.T @ right).astype(np.int64)  # Sums of fewer than 2**24 ones: exact in single precision.
        refused = Counter({"one of the pair": int(good.size - np.count_nonzero(good))})
        self.boxes[0].refused += refused
        return Tally(len(rows[0]), dict(+refused))

    def merge(self, *others: PairCollector) -> PairCollector:
        """Return a new box with the pairs of this one and of others of the same forms."""
        merged = PairCollector(self.boxes[0].form, self.boxes[1].form)
        for other in (self, *others):
            if not isinstance(other, PairCollector):
                raise KindError("other", type(other), "a PairCollector")
            merged.boxes = tuple(a.merge(b) for a, b in zip(merged.boxes, other.boxes, strict=True))  # type: ignore[assignment]
            merged.pairs += other.pairs
        return merged

    def estimate(self, *, confidence: Exact = "0.95", simultaneous: bool = False) -> Crosstab:
        """Return the estimated share of each pair of choices; see `Crosstab`."""
        first, second = self.boxes
        return Crosstab.of(
            (first.form, second.form),
            (first.supports.copy(), second.supports.copy()),
            self.pairs.copy(),
            self.n,
            confidence=confidence,
            simultaneous=simultaneous,
        )

    def __repr__(self) -> str:
        first, second = (box.form.question.name for box in self.boxes)
        return f"<{first} and {second}: {self.n:,} pairs of reports>"


def _from_hex(text: str) -> bytes | str:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return text


def _count_of(value: Any) -> int:
    if type(value) is not int or not 0 <= value < 1 << 62:
        raise TypeError
    return value
