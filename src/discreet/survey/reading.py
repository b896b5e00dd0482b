"""Reading: the payloads of reports, from whatever stands for them, and why some are refused."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from discreet.errors import KindError, ReportError
from discreet.survey.choices import is_missing
from discreet.survey.forms import AnyForm, Form
from discreet.survey.reports import HEADER, MAGIC, Report
from discreet.survey.sources import Texts
from discreet.survey.wire import VERSION

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["GOOD", "REASONS", "Reader"]

GOOD: Final = 0
REASONS: Final = (
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
    "another survey",
)
"""Why a report is refused; the first is that it is not."""


@final
@dataclass(frozen=True, slots=True)
class Reader:
    """What reads the reports of one form."""

    form: AnyForm

    def payload(self, report: Any, /) -> bytes:
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
        return self.bare(report.payload)

    def bare(self, payload: bytes, /) -> bytes:
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
        if isinstance(chunk, np.ndarray) and chunk.ndim == 2:
            return self._table(chunk, payloads)
        question = self.form.question if isinstance(self.form, Form) and self.form.says == "choice" else None
        if question is not None and isinstance(chunk, Texts):
            return self._choices(question.places_of_reports(chunk), chunk, payloads)
        if question is not None and isinstance(chunk, np.ndarray) and chunk.dtype != object:
            return self._choices(question.categories.places(chunk), chunk, payloads)
        listed = chunk.tolist() if isinstance(chunk, np.ndarray) else list(chunk)
        kinds = set(map(type, listed))
        if kinds == {bytes}:
            lengths = set(map(len, listed))
            if len(lengths) == 1:
                width = lengths.pop()
                return self._table(np.frombuffer(b"".join(listed), np.uint8).reshape(len(listed), width), payloads)
        if question is not None and kinds <= {str, int, bool}:
            return self._choices(question.categories.places(listed), listed, payloads)
        return self._each(listed, payloads)

    def _table(self, table: NDArray[Any], payloads: bool) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Read rows of bytes, with headers or, if said so, without; or rows of booleans."""
        form, n = self.form, len(table)
        if table.dtype == np.bool_ and form.says == "choices" and table.shape[1] == form.size:
            table, payloads = form.oracle.written(table), True
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
            why[(why == GOOD) & ~valid] = REASONS.index("impossible")
        why[(why == GOOD) & ~form.plausible(rows)] = REASONS.index("implausible weight")
        return rows, why

    def _choices(
        self, places: NDArray[np.int64], cells: Any, payloads: bool
    ) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Read a column of choices, by their places; what is none of them is looked at by itself."""
        why = np.zeros(len(places), np.uint8)
        strange = np.flatnonzero(places < 0)
        rows = self.form.oracle.pack(np.maximum(places, 0))
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
                why[i] = REASONS.index(error.reason)
        return rows, why

    def _one(self, item: Any, payloads: bool) -> bytes:
        """Return the payload of whatever stands for a report, or raise ReportError."""
        if isinstance(item, bytes | bytearray | memoryview):
            return self.bare(bytes(item)) if payloads else self.payload(item)
        if isinstance(item, Report):
            if payloads:
                raise ReportError("not a payload", "whole reports are for add_many(...)")
            return self.payload(item)
        try:
            return self.bare(self.form.payload_of(item))
        except ReportError as error:
            if error.reason in ("impossible", "implausible weight"):
                raise
            said = item if type(item) is str else ""
            if is_missing(item) or (type(item) is str and not said):
                raise ReportError("blank", "a report that was lost says nothing") from None
            data = _from_hex(said)
            if payloads and self.form.says != "choice" and data:
                return self.bare(data)
            if not payloads and (said.startswith("{") or len(data) >= HEADER):
                return self.payload(data or said)
            if payloads and error.reason == "not a report":
                raise ReportError("not a payload", "need bytes, or the choices that it supports") from None
            raise


def _from_hex(text: str) -> bytes:
    """Return the bytes that a text stands for in hexadecimal; none where it does not."""
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""
