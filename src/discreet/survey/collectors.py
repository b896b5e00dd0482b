"""Collectors: boxes that count reports. They hold integers only, so they merge in any order to the same.

A box is of one wave, in which each person sends one report. What is held is one value, replaced as a whole: whatever
interrupts an addition, the box is as it was before, or has all of it.
"""

from __future__ import annotations

import json
import os
import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

import numpy as np

from discreet.errors import (
    DiscreetError,
    KindError,
    MismatchError,
    ParameterError,
    ReportError,
    UnsupportedError,
    show,
)
from discreet.exact import Exact
from discreet.report import Progress
from discreet.report.files import found_files
from discreet.survey.estimates import Crosstab, Estimate
from discreet.survey.files import digest_of_file, read_json, write_json
from discreet.survey.questions import VERSION, Form, is_missing
from discreet.survey.reports import HEADER, MAGIC, Report
from discreet.survey.sources import Texts, chunks, is_spark, spark_texts
from discreet.survey.texts import TextEstimate, TextForm

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TAKING", "Collector", "Held", "PairCollector", "Tally", "Wave", "check_box", "checked_wave", "pieces"]

Wave = str | int | None
"""What a wave is called; None where there is only one."""

TAKING: Final = threading.RLock()
"""Held while what a box holds is replaced: no thread loses what another has added."""
_CHUNK: Final = 1 << 18
_PAIRS: Final = 1 << 14
_MOST: Final = 1 << 53
"""A box holds no more reports than this: every count is exact as a float, and no sum of them overflows."""
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
    "no header",
    "not a payload",
    "blank",
)
"""Why a report is refused; the first is that it is not."""
_PAIR: Final = "one of the pair"
_ALL_REASONS: Final = frozenset((*_REASONS[1:], _PAIR))
_KEYS: Final = frozenset(("form", "wave", "n", "supports", "refused", "files"))
_DIGEST: Final = re.compile(r"[0-9a-f]{64}")
_LONGEST: Final = 200
"""The name of a wave has no more characters."""


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
class Held(NamedTuple):
    """What a box holds: reports, how many support each choice, refusals by reason, and digests of files read."""

    n: int
    supports: NDArray[np.int64]
    refused: Counter[str]
    files: frozenset[str] = frozenset()

    def plus(self, other: Held, /) -> Held:
        """Return both together, or raise where a sum would be more than a box can hold."""
        if self.n + other.n > _MOST or self.refused.total() + other.refused.total() > _MOST:
            raise ParameterError("reports", self.n + other.n, "at most 2**53 reports in a box")
        if twice := self.files & other.files:
            raise MismatchError(f"{len(twice)} files were counted in both boxes: need boxes of different reports")
        supports = self.supports + other.supports
        supports.flags.writeable = False
        return Held(self.n + other.n, supports, self.refused + other.refused, self.files | other.files)


@final
class Collector:
    """A box for the reports of one form, in one *wave*: each person sends one of them.

    A report of another form, version or length is refused and counted, and the others are kept. Boxes of different
    waves do not merge: the same people may have sent reports in both; see `Waves`.

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

    __slots__ = ("_form", "_wave", "held")

    def __init__(self, form: Form | TextForm, *, wave: Wave = None) -> None:
        if not isinstance(form, Form | TextForm):
            raise KindError("form", form, "a form, as question.form(mechanism) gives")
        self._form: Any = form
        self._wave = checked_wave(wave)
        self.held = self._nothing()

    @property
    def form(self) -> Any:
        """The form whose reports are counted."""
        return self._form

    @property
    def wave(self) -> Wave:
        """The name of the wave, in which each person sends one report."""
        return self._wave

    def _nothing(self) -> Held:
        nothing: NDArray[np.int64] = np.zeros(self.form.size, np.int64)
        nothing.flags.writeable = False
        return Held(0, nothing, Counter())

    @property
    def n(self) -> int:
        """The number of reports."""
        return self.held.n

    @property
    def supports(self) -> NDArray[np.int64]:
        """How many reports support each choice; for open text, how many set each bit in each cohort, and more."""
        return self.held.supports

    @property
    def refused(self) -> Counter[str]:
        """How many reports were refused, by reason."""
        return self.held.refused.copy()

    def add(self, report: Report | bytes | str, /) -> None:
        """Add one report: a Report, its bytes or its JSON. One that is refused is counted, and raises ReportError."""
        try:
            row = np.frombuffer(self._payload(report), np.uint8)[None, :]
        except ReportError as error:
            self.refuse(error.reason)
            raise
        self.count(row)

    def add_many(self, reports: Any, /, column: str | None = None, *, payloads: bool = False) -> Tally:
        """Add many reports, in chunks, with a progress bar on a terminal; say how many were added and refused.

        They may be whole reports, as a sequence of Report, bytes or JSON, or as rows of bytes; booleans, one row of
        supported choices each; the choices that randomized response answered with; a column of pandas, Polars or
        Arrow; or, with the *column*'s name, a data frame, an Arrow table or reader, a DuckDB relation, a Spark frame,
        or the path of a CSV or Parquet file (`*` and `?` stand for many).

        Bytes are whole reports, header and all, unless *payloads* says that all of them are bare payloads, as
        `Client.report_many` and `Survey.perturb` give them: the bytes alone cannot tell. A file is counted once.
        Whatever goes wrong, all of it is added or nothing.
        """
        part = Collector(self.form, wave=self.wave)
        if is_spark(reports):
            part._add_spark(reports, column, payloads)
        else:
            with Progress("reports") as progress:
                for source in pieces(reports, [self], [part]):
                    for (chunk,) in chunks(source, [column], _CHUNK):
                        part.add_chunk(chunk, payloads=payloads)
                        progress.add(len(chunk))
        return self.take(part)

    def take(self, part: Collector, /) -> Tally:
        """Add all that another box of this form and wave holds, at once, and say what it was."""
        self._put(part.held)
        return Tally(part.n, dict(part.refused))

    def _put(self, more: Held) -> None:
        with TAKING:
            self.held = self.held.plus(more)

    def add_chunk(self, chunk: Any, /, *, payloads: bool = False) -> None:
        """Add one chunk of reports, as `add_many` cuts them."""
        rows, why = self.read(chunk, payloads=payloads)
        found = np.bincount(why, minlength=len(_REASONS)).tolist()
        refused = Counter({reason: n for reason, n in zip(_REASONS[1:], found[1:], strict=True) if n})
        counted = self._counted(rows[why == _GOOD] if refused else rows)
        self._put(counted._replace(refused=refused))

    @property
    def seen(self) -> int:
        """The number of reports, those that were refused too."""
        return self.held.n + self.held.refused.total()

    @property
    def files(self) -> frozenset[str]:
        """The SHA-256 of each file that was counted, in hexadecimal."""
        return self.held.files

    def note(self, digest: str, /) -> None:
        """Remember that a file was counted, by its digest."""
        self.held = self.held._replace(files=self.files | {digest})

    def refuse(self, reason: str, times: int = 1) -> None:
        """Count refusals."""
        self._put(self._nothing()._replace(refused=+Counter({reason: times})))

    def count(self, rows: NDArray[np.uint8], /) -> None:
        """Count payloads that are known to be good."""
        self._put(self._counted(rows))

    def _counted(self, rows: NDArray[np.uint8]) -> Held:
        return Held(len(rows), self.form.count(rows), Counter())

    def _add_spark(self, frame: Any, column: str | None, payloads: bool) -> None:
        """Count a Spark frame's reports where they are; one small box a partition comes back."""
        form, wave = self.form, self.wave

        def count(batches: Iterable[Any]) -> Iterable[str]:
            box = Collector(form, wave=wave)
            for batch in batches:
                box.add_many(batch.column(0), payloads=payloads)
            yield json.dumps(box.to_dict())

        for text in spark_texts(frame, column, count):
            self.take(Collector.from_dict(json.loads(text)))

    def _payload(self, report: Any) -> bytes:
        """Return the payload of one whole report, or raise ReportError."""
        if isinstance(report, str):
            report = Report.from_json(report)
        elif not isinstance(report, Report):
            if not isinstance(report, bytes | bytearray | memoryview):
                raise ReportError("not a report", "need a Report, its bytes or its JSON")
            data = bytes(report)
            if len(data) == self.form.width and data[:1] != bytes((MAGIC,)):
                raise ReportError("no header", "bare payloads are for add_many(..., payloads=True)")
            report = Report.from_bytes(data)
        if report.digest != self.form.tag:
            raise ReportError("another form", f"it answers {report.digest.hex()}, this box {self.form.tag.hex()}")
        return self._bare(report.payload)

    def _bare(self, payload: bytes) -> bytes:
        """Return one bare payload, or raise ReportError."""
        if len(payload) != self.form.width:
            raise ReportError("wrong length", f"need {self.form.width} bytes of payload, not {len(payload)}")
        if not self.form.valid(np.frombuffer(payload, np.uint8)[None, :])[0]:
            raise ReportError("impossible", "no answer to this question gives such a report")
        if not self.form.plausible(np.frombuffer(payload, np.uint8)[None, :])[0]:
            raise ReportError("implausible weight", "honest reports have as many bits set next to never")
        return payload

    def read(self, chunk: Any, /, *, payloads: bool = False) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Return a payload for each report of a chunk, and why it is refused: 0 for a good one."""
        form = self.form
        if isinstance(chunk, np.ndarray) and chunk.ndim == 2:
            return self._table(chunk, payloads)
        if isinstance(chunk, Texts) and not form.packs_bits:
            return self._choices(form.question.places_of_reports(chunk), chunk, payloads)
        if isinstance(chunk, np.ndarray) and chunk.dtype != object and not form.packs_bits:
            return self._choices(form.question.categories.places(chunk), chunk, payloads)
        listed = chunk.tolist() if isinstance(chunk, np.ndarray) else list(chunk)
        kinds = set(map(type, listed))
        if kinds == {bytes}:
            lengths = set(map(len, listed))
            if len(lengths) == 1:
                width = lengths.pop()
                return self._table(np.frombuffer(b"".join(listed), np.uint8).reshape(len(listed), width), payloads)
        if not form.packs_bits and kinds <= {str, int, bool}:
            return self._choices(form.question.categories.places(listed), listed, payloads)
        return self._each(listed, payloads)

    def _table(self, table: NDArray[Any], payloads: bool) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Read rows of bytes, with headers or, if said so, without; or rows of booleans."""
        form, n = self.form, len(table)
        if table.dtype == np.bool_ and isinstance(form, Form) and form.packs_bits and table.shape[1] == form.size:
            table, payloads = np.packbits(table, axis=1, bitorder="little"), True
        if table.dtype != np.uint8:
            raise KindError("reports", table.dtype, "rows of bytes (uint8), or of booleans, one a choice")
        head = b"" if payloads else bytes((MAGIC, VERSION)) + form.tag
        if table.shape[1] != len(head) + form.width:
            return self._each([row.tobytes() for row in table], payloads)
        rows, why = table[:, len(head) :], np.zeros(n, np.uint8)
        if not payloads:
            strange = np.flatnonzero((table[:, : len(head)] != np.frombuffer(head, np.uint8)).any(axis=1))
            if strange.size:
                _, why[strange] = self._each([row.tobytes() for row in table[strange]], payloads)
        valid = form.valid(rows)
        if not valid.all():
            why[(why == _GOOD) & ~valid] = _REASONS.index("impossible")
        why[(why == _GOOD) & ~form.plausible(rows)] = _REASONS.index("implausible weight")
        return rows, why

    def _choices(
        self, places: NDArray[np.int64], cells: Any, payloads: bool
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Read a column of choices, by their places; what is none of them is looked at by itself."""
        why = np.zeros(len(places), np.uint8)
        strange = np.flatnonzero(places < 0)
        rows = self.form.pack_places(np.maximum(places, 0))
        if strange.size:
            found, why[strange] = self._each([cells[i] for i in strange.tolist()], payloads)
            rows[strange] = found
        return rows, why

    def _each(self, listed: list[Any], payloads: bool) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Read reports one by one, from a mixed or broken column."""
        rows, why = np.zeros((len(listed), self.form.width), np.uint8), np.zeros(len(listed), np.uint8)
        for i, item in enumerate(listed):
            try:
                rows[i] = np.frombuffer(self._one(item, payloads), np.uint8)
            except ReportError as error:
                why[i] = _REASONS.index(error.reason)
        return rows, why

    def _one(self, item: Any, payloads: bool) -> bytes:
        """Return the payload of whatever stands for a report, or raise ReportError."""
        if isinstance(item, bytes | bytearray | memoryview):
            return self._bare(bytes(item)) if payloads else self._payload(item)
        if isinstance(item, Report):
            if payloads:
                raise ReportError("not a payload", "whole reports are for add_many(...)")
            return self._payload(item)
        try:
            return self._bare(self.form.payload_of(item))
        except ReportError as error:
            if error.reason in ("impossible", "implausible weight"):
                raise
            if is_missing(item) or item == "":
                raise ReportError("blank", "a report that was lost says nothing") from None
            said = item if isinstance(item, str) else ""
            data = _from_hex(said)
            if payloads and self.form.packs_bits and data:
                return self._bare(data)
            if not payloads and (said.startswith("{") or len(data) >= HEADER):
                return self._payload(data or said)
            if payloads and error.reason == "not a report":
                raise ReportError("not a payload", "need bytes, or the choices that it supports") from None
            raise

    def merge(self, *others: Collector) -> Collector:
        """Return a new box with the reports of this one and of others of the same form and wave.

        >>> from discreet import RandomizedResponse
        >>> from discreet.survey import Question
        >>> q = Question("smokes", ["never", "daily"])
        >>> m = RandomizedResponse(categories=q.categories, prob="3/4")
        >>> box, other = q.collector(m), q.collector(m)
        >>> _ = box.add_many(["never"]), other.add_many(["daily", "daily"])
        >>> box.merge(other).supports.tolist()
        [1, 2]
        """
        merged = Collector(self.form, wave=self.wave)
        for box in (self, *others):
            check_box(box, self)
            if box.wave != self.wave:
                raise MismatchError(
                    f"a box of wave {show(box.wave)} does not merge with one of wave {show(self.wave)}: the same "
                    f"people may have sent reports in both; say whether they have, with Waves(boxes, people=...)"
                )
            merged.take(box)
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
            "wave": self.wave,
            "n": self.n,
            "supports": self.supports.tolist(),
            "refused": dict(sorted(self.refused.items())),
            "files": sorted(self.files),
        }

    @classmethod
    def from_dict(cls, data: Any, /) -> Collector:
        """Return the box that `to_dict` wrote; one that no reports can give is refused."""
        try:
            box = cls(_form_of(data["form"]), wave=data.get("wave"))
            n, supports = _count_of(data["n"]), [_count_of(count) for count in data["supports"]]
            refused = {_known(reason, _ALL_REASONS): _count_of(count) for reason, count in data["refused"].items()}
            files = [_digest_text(digest) for digest in data.get("files", [])]
            _ = [_known(key, _KEYS) for key in data]
        except DiscreetError:
            raise
        except Exception:  # Whatever a thing of another kind raises.
            raise ParameterError("box", "...", "what Collector.to_dict wrote") from None
        if len(supports) != box.form.size or not box.form.possible(n, supports):
            raise ParameterError("box", "...", f"counts that {n:,} reports of {box.form.question.name} can give")
        box.held = box.held.plus(Held(n, np.array(supports, np.int64), Counter(refused), frozenset(files)))
        return box

    def save(self, path: str | os.PathLike[str], /) -> None:
        """Write the box to a file of JSON, whole or not at all."""
        write_json(path, "box", self.to_dict())

    @classmethod
    def load(cls, path: str | os.PathLike[str], /) -> Collector:
        """Return the box that `save` wrote; a file that is damaged, or another program's, is refused."""
        return cls.from_dict(read_json(path, "box"))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Collector) and self._compared() == other._compared()

    def _compared(self) -> tuple[Any, ...]:
        return self.form.digest, self.wave, self.n, self.supports.tolist(), self.refused

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        refused = f", {self.refused.total():,} refused" if self.refused else ""
        wave = "" if self.wave is None else f", wave {self.wave}"
        return f"<{self.form.question.name}{wave}: {self.n:,} reports{refused}>"


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

    __slots__ = ("_held",)

    def __init__(self, first: Form, second: Form, /, *, wave: Wave = None) -> None:
        boxes = Collector(first, wave=wave), Collector(second, wave=wave)
        self._held = boxes, np.zeros((len(first.question), len(second.question)), np.int64)

    @property
    def boxes(self) -> tuple[Collector, Collector]:
        """The two boxes, of the first question and of the second."""
        return self._held[0]

    @property
    def pairs(self) -> NDArray[np.int64]:
        """How many pairs of reports support each pair of choices."""
        return self._held[1]

    @property
    def n(self) -> int:
        """The number of pairs of reports."""
        return self.boxes[0].n

    def _part(self) -> PairCollector:
        return PairCollector(self.boxes[0].form, self.boxes[1].form, wave=self.boxes[0].wave)

    def add_many(
        self,
        first: Any,
        second: Any,
        /,
        columns: tuple[str | None, str | None] = (None, None),
        *,
        payloads: bool = False,
    ) -> Tally:
        """Add the reports of many people on both questions, in the same order; a pair is refused if either is.

        *columns* names those of two frames or files; where both are columns of one, `add_frame` reads it once.
        *payloads* says that bytes are bare payloads; see `Collector.add_many`.
        """
        both = []
        for box, source, name in zip(self.boxes, (first, second), columns, strict=True):
            read = [box.read(chunk, payloads=payloads) for (chunk,) in chunks(source, [name], _CHUNK)]
            rows = [rows for rows, _ in read] or [np.empty((0, box.form.width), np.uint8)]
            both.append((np.concatenate(rows), np.concatenate([why for _, why in read] or [np.empty(0, np.uint8)])))
        n, other = (len(rows) for rows, _ in both)
        if n != other:
            raise ParameterError("second", f"{other} reports", f"as many as of the first, {n}")
        part = self._part()
        part._count(both)
        return self._take(part)

    def add_frame(self, source: Any, /, first: str, second: str, *, payloads: bool = False) -> Tally:
        """Add the reports in two columns of a frame, a file, or whatever else has columns; see `Collector.add_many`."""
        part = self._part()
        for pair in chunks(source, [first, second], _CHUNK):
            part._count([box.read(chunk, payloads=payloads) for box, chunk in zip(self.boxes, pair, strict=True)])
        return self._take(part)

    def _count(self, columns: list[tuple[NDArray[np.uint8], NDArray[np.uint8]]]) -> None:
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
            # Sums of fewer than 2**24 ones are exact in single precision.
            self._held = self.boxes, self.pairs + (left.T @ right).astype(np.int64)
        self.boxes[0].refuse(_PAIR, int(good.size - np.count_nonzero(good)))

    def _take(self, part: PairCollector) -> Tally:
        """Add all that another box holds, at once."""
        with TAKING:
            first, second = (a.merge(b) for a, b in zip(self.boxes, part.boxes, strict=True))
            self._held = (first, second), self.pairs + part.pairs
        return Tally(part.n, dict(part.boxes[0].refused))

    def merge(self, *others: PairCollector) -> PairCollector:
        """Return a new box with the pairs of this one and of others of the same forms and wave."""
        merged = self._part()
        for other in (self, *others):
            if not isinstance(other, PairCollector):
                raise KindError("other", type(other), "a PairCollector")
            merged._take(other)
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


def pieces(source: Any, boxes: Sequence[Collector], parts: Sequence[Collector]) -> Iterator[Any]:
    """Yield a source, or each of its files; one whose contents the boxes have counted before is refused.

    What is yielded is counted in *parts* before the next is asked for. A file without reports may come many times.
    """
    if not isinstance(source, str | os.PathLike):
        yield source
        return
    for path in found_files(source, "file"):
        before = parts[0].seen
        yield path
        if parts[0].seen > before:
            digest = digest_of_file(path)
            for box, part in zip(boxes, parts, strict=True):
                if digest in box.files or digest in part.files:
                    raise ParameterError(
                        "file", str(path), "a file that was not counted before: these contents were, in this box"
                    )
                part.note(digest)


def check_box(box: Any, first: Any) -> None:
    """Raise unless both are boxes, and of the same form."""
    for each in (first, box):
        if not isinstance(each, Collector):
            raise KindError("other", type(each), "a Collector")
    if box.form.digest != first.form.digest:
        raise MismatchError(f"a box of {box.form!r} does not merge with one of {first.form!r}")


def checked_wave(wave: Any) -> Wave:
    """Return the name of a wave, or raise."""
    if wave is not None and type(wave) not in (str, int):
        raise KindError("wave", type(wave), "a text or a whole number")
    if wave == "" or (isinstance(wave, int) and abs(wave) > _MOST) or len(str(wave)) > _LONGEST:
        raise ParameterError("wave", wave, f"a text of 1 to {_LONGEST} characters, or a whole number")
    return wave  # type: ignore[no-any-return]


def _from_hex(text: str) -> bytes:
    """Return the bytes that a text stands for in hexadecimal; none where it does not."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


def _form_of(data: Any) -> Form | TextForm:
    return TextForm.from_dict(data) if "length" in data["question"] else Form.from_dict(data)


def _known(name: Any, names: frozenset[str]) -> str:
    if name not in names:
        raise TypeError
    return str(name)


def _digest_text(text: Any) -> str:
    if not _DIGEST.fullmatch(text):
        raise TypeError
    return str(text)


def _count_of(value: Any) -> int:
    if type(value) is not int or not 0 <= value <= _MOST:
        raise TypeError
    return value
