"""Gathering: people's responses taken apart, question by question, and why some are refused: whole, or not at all."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from discreet.errors import KindError, ReportError
from discreet.survey.forms import AnyForm
from discreet.survey.reading import GOOD, REASONS, Reader
from discreet.survey.reports import HEADER
from discreet.survey.responses import RESPONSE, Response, survey_digest
from discreet.survey.wire import TAG, VERSION

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Gatherer", "codes_of", "is_codes", "is_responses"]

_FILE: Final = re.compile(r"\.(csv|parquet|json|txt)$", re.IGNORECASE)
CODES: Final = ".txt"
"""A file of codes ends so: one a line."""


@final
@dataclass(frozen=True, slots=True)
class Gatherer:
    """What reads responses to the forms of one survey.

    >>> from discreet.survey import Question, Survey
    >>> survey = Survey([Question("smokes", ["no", "yes"]), Question("drinks", ["no", "yes"])], epsilon=2)
    >>> rows, why = Gatherer(survey.forms).read([Response(survey.tag, (bytes([1]), bytes([0])))])
    >>> [row.tolist() for row in rows], why.tolist()
    ([[[1]], [[0]]], [0])
    """

    forms: tuple[AnyForm, ...]

    @property
    def tag(self) -> bytes:
        """What the survey's responses carry."""
        return survey_digest(form.digest for form in self.forms)[:TAG]

    @property
    def widths(self) -> list[int]:
        """The number of bytes of each payload."""
        return [form.width for form in self.forms]

    def response(self, given: Any, /) -> Response:
        """Return a response from one, its bytes, its JSON or its code, or raise ReportError; payloads as they are."""
        if isinstance(given, bytes | bytearray | memoryview):
            given = Response.from_bytes(bytes(given), self.widths) if self._ours(bytes(given)) else None
        elif isinstance(given, str):
            text = given.strip()
            given = Response.from_json(text) if text[:1] == "{" else Response.from_code(text, self.widths)
        if not isinstance(given, Response):
            raise ReportError("not a report", "need a Response, its bytes, its JSON or its code")
        if given.digest != self.tag:
            raise ReportError("another survey", f"it answers {given.digest.hex()}, these boxes {self.tag.hex()}")
        if [len(payload) for payload in given.payloads] != self.widths:
            raise ReportError("wrong length", f"need payloads of {self.widths} bytes")
        return given

    def _ours(self, data: bytes) -> bool:
        """Return True, or raise where whole bytes are of another survey: its length then says nothing."""
        if len(data) >= HEADER and data[:2] == bytes((RESPONSE, VERSION)) and data[2:HEADER] != self.tag:
            raise ReportError("another survey", f"it answers {data[2:HEADER].hex()}, these boxes {self.tag.hex()}")
        return True

    def read(self, chunk: Any, /) -> tuple[list[NDArray[np.uint8]], NDArray[np.uint8]]:
        """Return a payload of each form for each response, and why it is refused as a whole: 0 for a good one."""
        table, why = self._table(chunk)
        parts = np.split(table, np.cumsum(self.widths)[:-1], axis=1)
        for form, part in zip(self.forms, parts, strict=True):
            _, bad = Reader(form).read(part, payloads=True)
            why = np.where(why == GOOD, bad, why)
        return parts, why

    def _table(self, chunk: Any) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Return the payloads of each response, one row of bytes each, and why some are none."""
        head = np.frombuffer(bytes((RESPONSE, VERSION)) + self.tag, np.uint8)
        length = HEADER + sum(self.widths)
        if isinstance(chunk, np.ndarray):
            if chunk.ndim != 2 or chunk.dtype != np.uint8:
                raise KindError("responses", chunk.dtype, "rows of bytes (uint8)")
            listed = None if chunk.shape[1] == length else [row.tobytes() for row in chunk]
            table = chunk
        else:
            listed = list(chunk)
            if set(map(type, listed)) == {bytes} and set(map(len, listed)) == {length}:
                table, listed = np.frombuffer(b"".join(listed), np.uint8).reshape(-1, length), None
            else:
                table = np.empty((0, length), np.uint8)
        if listed is None:
            why = np.zeros(len(table), np.uint8)
            strange = np.flatnonzero((table[:, :HEADER] != head).any(axis=1)).tolist()
            why[strange] = [self._why(table[i].tobytes()) for i in strange]
            return table[:, HEADER:], why
        rows, why = np.zeros((len(listed), length - HEADER), np.uint8), np.zeros(len(listed), np.uint8)
        for i, item in enumerate(listed):
            try:
                rows[i] = np.frombuffer(b"".join(self.response(item).payloads), np.uint8)
            except ReportError as error:
                why[i] = REASONS.index(error.reason)
        return rows, why

    def _why(self, data: bytes) -> int:
        try:
            self.response(data)
        except ReportError as error:
            return REASONS.index(error.reason)
        return GOOD


def is_responses(source: Any, /) -> bool:
    """Whether something is many responses: rows of bytes, or a list of responses, their bytes, JSON or codes.

    A list of nothing but names of files is none: they would all be refused, and nothing counted.

    >>> is_responses([bytes(20)]), is_responses("noisy.csv"), is_responses(["may.csv", "june.csv"])
    (True, False, False)
    """
    if isinstance(source, np.ndarray):
        return source.ndim == 2
    if not isinstance(source, list | tuple) or not all(isinstance(item, Response | bytes | str) for item in source):
        return False
    return not source or not all(isinstance(item, str) and _FILE.search(item) for item in source)


def is_codes(source: Any, /) -> bool:
    """Whether a file is one of codes, a line each, by the end of its name."""
    return isinstance(source, Path) and source.suffix.lower() == CODES


def codes_of(path: Path, size: int, /) -> Iterator[Sequence[str]]:
    """Yield the codes in a file, so many at a time; blank lines are none."""
    some: list[str] = []
    with path.open(encoding="utf-8-sig", errors="replace") as lines:
        for line in lines:
            if line.strip():
                some.append(line.strip())
            if len(some) == size:
                yield some
                some = []
    if some:
        yield some
