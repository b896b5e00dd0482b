"""Pairs: boxes for the reports of two questions that the same people answered."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from discreet.errors import KindError, ParameterError
from discreet.exact import Exact
from discreet.survey.collectors import PAIR, TAKING, Collector, Tally, Wave, files_of, note_once, pieces
from discreet.survey.crosstabs import Crosstab
from discreet.survey.forms import Form
from discreet.survey.reading import GOOD, Reader
from discreet.survey.sources import chunks

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PairCollector"]

_CHUNK: Final = 1 << 18
_PAIRS: Final = 1 << 14
"""Pairs multiplied at a time."""


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

    __slots__ = ("_forms", "_held")

    def __init__(self, first: Form, second: Form, /, *, wave: Wave = None) -> None:
        for form in (first, second):
            if not isinstance(form, Form):
                raise KindError("form", form, "a form of a question with choices, as question.form(mechanism) gives")
        boxes = Collector(first, wave=wave), Collector(second, wave=wave)
        self._forms = first, second
        self._held = boxes, np.zeros((first.size, second.size), np.int64)

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
        return PairCollector(*self._forms, wave=self.boxes[0].wave)

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
        part = self._part()
        for box, new, source, name in zip(self.boxes, part.boxes, (first, second), columns, strict=True):
            read = []
            for piece in files_of(source):
                found = [Reader(box.form).read(chunk, payloads=payloads) for (chunk,) in chunks(piece, [name], _CHUNK)]
                if isinstance(piece, Path) and any(len(rows) for rows, _ in found):
                    note_once(piece, [box], [new])
                read += found
            rows = [rows for rows, _ in read] or [np.empty((0, box.form.width), np.uint8)]
            both.append((np.concatenate(rows), np.concatenate([why for _, why in read] or [np.empty(0, np.uint8)])))
        n, other = (len(rows) for rows, _ in both)
        if n != other:
            raise ParameterError("second", f"{other} reports", f"as many as of the first, {n}")
        part._count(both)
        return self._take(part)

    def add_frame(self, source: Any, /, first: str, second: str, *, payloads: bool = False) -> Tally:
        """Add the reports in two columns of a frame, a file, or whatever else has columns; see `Collector.add_many`."""
        part, readers = self._part(), [Reader(form) for form in self._forms]
        for piece in pieces(source, self.boxes, part.boxes):
            for pair in chunks(piece, [first, second], _CHUNK):
                part._count([each.read(chunk, payloads=payloads) for each, chunk in zip(readers, pair, strict=True)])
        return self._take(part)

    def _count(self, columns: list[tuple[NDArray[np.uint8], NDArray[np.uint8]]]) -> None:
        """Count pairs, both of which have been read."""
        good = (columns[0][1] == GOOD) & (columns[1][1] == GOOD)
        rows = [table[good] for table, _ in columns]
        for box, table in zip(self.boxes, rows, strict=True):
            box.count(table)
        for start in range(0, len(rows[0]), _PAIRS):
            left, right = (
                form.supported(table[start : start + _PAIRS]).astype(np.float32)
                for form, table in zip(self._forms, rows, strict=True)
            )
            # Sums of fewer than 2**24 ones are exact in single precision.
            self._held = self.boxes, self.pairs + (left.T @ right).astype(np.int64)
        self.boxes[0].refuse(PAIR, int(good.size - np.count_nonzero(good)))

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
            self._forms,
            (first.supports.copy(), second.supports.copy()),
            self.pairs.copy(),
            self.n,
            confidence=confidence,
            simultaneous=simultaneous,
        )

    def __repr__(self) -> str:
        first, second = (box.form.question.name for box in self.boxes)
        return f"<{first} and {second}: {self.n:,} pairs of reports>"
