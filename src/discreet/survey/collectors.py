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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

import numpy as np

from discreet.errors import (
    DiscreetError,
    KindError,
    MismatchError,
    ParameterError,
    ReportError,
    UnsupportedError,
    none_of,
    show,
)
from discreet.exact import Exact, whole
from discreet.files import found_files
from discreet.progress import Progress
from discreet.survey.decoding import TextEstimate
from discreet.survey.estimates import Estimate
from discreet.survey.files import digest_of_file, read_json, write_json
from discreet.survey.forms import AnyForm, Form, form_of
from discreet.survey.reading import GOOD, REASONS, Reader
from discreet.survey.reports import Report
from discreet.survey.sources import chunks, is_spark, spark_texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "PAIR",
    "TAKING",
    "Collector",
    "Held",
    "Tally",
    "Wave",
    "check_box",
    "checked_wave",
    "files_of",
    "note_once",
    "pieces",
]

Wave = str | int | None
"""What a wave is called; None where there is only one."""

TAKING: Final = threading.RLock()
"""Held while what a box holds is replaced: no thread loses what another has added."""
_CHUNK: Final = 1 << 18
_MOST: Final = 1 << 53
"""A box holds no more reports than this: every count is exact as a float, and no sum of them overflows."""
PAIR: Final = "one of the pair"
"""Why a pair of reports is refused."""
_ALL_REASONS: Final = frozenset((*REASONS[1:], PAIR))
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

    def __init__(self, form: AnyForm, *, wave: Wave = None) -> None:
        if not isinstance(form, AnyForm):
            raise KindError("form", form, "a form, as question.form(mechanism) gives")
        self._form = form
        self._wave = checked_wave(wave)
        self.held = self._nothing()

    @property
    def form(self) -> AnyForm:
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
            row = np.frombuffer(Reader(self.form).payload(report), np.uint8)[None, :]
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

    def add_counts(self, counts: Mapping[Any, int], /) -> None:
        """Add reports that were counted by hand: how many name each choice, or each text that stands for one.

        >>> from discreet.survey import Question, Survey
        >>> box = Survey([Question("smokes", ["no", "yes"])], epsilon=1, dice=[6, 6]).collector()["smokes"]
        >>> box.add_counts({"no": 52, "yes": 31})
        >>> box
        <smokes: 83 reports>
        """
        if not isinstance(self.form, Form) or self.form.says != "choice":
            raise UnsupportedError(f"{self.form.question.name}: its reports name no single choice that can be counted")
        if not isinstance(counts, Mapping):
            raise KindError("counts", type(counts), "a mapping from choices to numbers of reports")
        question, supports = self.form.question, [0] * self.form.size
        places: dict[int, Any] = {}
        for choice, count in counts.items():
            place = question.categories.index(choice)
            if place < 0 and isinstance(choice, str):
                place = int(question.places_of_texts([choice])[0])
            if place < 0:
                raise none_of("counts", choice, question.categories.values)
            if place in places:
                raise ParameterError("counts", choice, f"each choice once: it is also {show(places[place])}")
            places[place], supports[place] = choice, whole(count, "counts", least=0)
        n = sum(supports)
        if n > _MOST:
            raise ParameterError("counts", n, "at most 2**53 reports in a box")
        self._put(Held(n, np.array(supports, np.int64), Counter()))

    def take(self, part: Collector, /) -> Tally:
        """Add all that another box of this form and wave holds, at once, and say what it was."""
        self._put(part.held)
        return Tally(part.n, dict(part.refused))

    def _put(self, more: Held) -> None:
        with TAKING:
            self.held = self.held.plus(more)

    def add_chunk(self, chunk: Any, /, *, payloads: bool = False) -> None:
        """Add one chunk of reports, as `add_many` cuts them."""
        rows, why = Reader(self.form).read(chunk, payloads=payloads)
        found = np.bincount(why, minlength=len(REASONS)).tolist()
        refused = Counter({reason: n for reason, n in zip(REASONS[1:], found[1:], strict=True) if n})
        counted = self._counted(rows[why == GOOD] if refused else rows)
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
        if not isinstance(self.form, Form):
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
        found: TextEstimate = self.form.decode(self.supports.copy(), candidates, confidence=confidence)
        return found

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
            box = cls(form_of(data["form"]), wave=data.get("wave"))
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


def pieces(source: Any, boxes: Sequence[Collector], parts: Sequence[Collector]) -> Iterator[Any]:
    """Yield a source, or each of its files; one whose contents the boxes have counted before is refused.

    What is yielded is counted in *parts* before the next is asked for. A file without reports may come many times.
    """
    for piece in files_of(source):
        before = parts[0].seen
        yield piece
        if isinstance(piece, Path) and parts[0].seen > before:
            note_once(piece, boxes, parts)


def files_of(source: Any, /) -> list[Any]:
    """Return the files that a path or a pattern finds; any other source as it is."""
    return list(found_files(source, "file")) if isinstance(source, str | os.PathLike) else [source]


def note_once(path: Path, boxes: Sequence[Collector], parts: Sequence[Collector], /) -> None:
    """Remember in *parts* that a file was counted, or raise where it was before."""
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
