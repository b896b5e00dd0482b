"""Intake: the payloads in the body of a request, in bytes or JSON; one that is refused refuses all of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, final

import numpy as np

from discreet.errors import ReportError
from discreet.survey import Survey
from discreet.survey.files import strict_json
from discreet.survey.gathering import Gatherer
from discreet.survey.reading import GOOD, Reader
from discreet.survey.reports import HEADER
from discreet.survey.responses import RESPONSE, Response
from discreet.survey.wire import VERSION

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Intake"]


@final
class Intake:
    """What reads responses to one survey. Each has the same *length* in bytes, so many of them need no separator.

    >>> from discreet.survey import Question
    >>> survey = Survey([Question("smokes", ["no", "yes"]), Question("drinks", ["no", "yes"])], epsilon=2)
    >>> Intake(survey).from_bytes(2 * Response(survey.tag, (bytes([1]), bytes([0]))).to_bytes()).hex()
    '01000100'
    """

    def __init__(self, survey: Survey, /) -> None:
        self._gatherer = Gatherer(survey.forms)
        self.widths = self._gatherer.widths
        self.width = sum(self.widths)
        self.length = HEADER + self.width
        self._head = bytes((RESPONSE, VERSION)) + survey.tag
        self._ends = np.cumsum(self.widths)[:-1]

    def from_bytes(self, body: bytes, /) -> bytes:
        """Return the payloads of one response or of many, one after the other, or raise ReportError.

        What they say is not looked at; see `why`.
        """
        if len(body) == self.length and body.startswith(self._head):
            return body[HEADER:]
        if not body or len(body) % self.length:
            self._gatherer.response(body[: self.length])  # Another survey's, most likely.
            raise ReportError("wrong length", f"need {self.length} bytes for each response")
        table = np.frombuffer(body, np.uint8).reshape(-1, self.length)
        strange = (table[:, :HEADER] != np.frombuffer(self._head, np.uint8)).any(axis=1)
        for row in table[strange][:1]:
            self._gatherer.response(row.tobytes())
        return table[:, HEADER:].tobytes()

    def from_json(self, body: bytes, /) -> bytes:
        """Return the payloads of one response in JSON, or of a list of them, or raise ReportError."""
        try:
            said = strict_json(body)
        except ValueError:
            raise ReportError("not a report", "need JSON, of one response or of a list of them") from None
        listed: list[Any] = said if isinstance(said, list) else [said]
        if not listed:
            raise ReportError("not a report", "need at least one response")
        found = (self._gatherer.response(Response.from_json(json.dumps(each))) for each in listed)
        return b"".join(payload for response in found for payload in response.payloads)

    def why(self, payloads: bytes, /) -> NDArray[np.uint8]:
        """Return why each response is refused, as a place among `REASONS`, given its payloads; 0 for a good one."""
        rows = np.frombuffer(payloads, np.uint8).reshape(-1, self.width)
        found = np.zeros(len(rows), np.uint8)
        for form, part in zip(self._gatherer.forms, np.split(rows, self._ends, axis=1), strict=True):
            _, bad = Reader(form).read(part, payloads=True)
            found = np.where(found == GOOD, bad, found)
        return found
