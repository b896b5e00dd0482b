"""Reports on the wire: bytes and JSON, versioned, with the digest of the form they answer.

    byte 0      0xD5
    byte 1      the version, 1
    bytes 2-9   the form's digest: the first 8 bytes of the SHA-256 of its canonical JSON
    bytes 10-   the payload: a place (lowest byte first) or packed bits (bit i is bit i % 8 of byte i // 8)

Reports on open text put their cohort, two bytes, lowest first, before the bits. The digest tells forms apart; it does
not authenticate: anyone who knows the form can make a report.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any, Final, final

from discreet.errors import KindError, ReportError
from discreet.survey.questions import VERSION

__all__ = ["HEADER", "MAGIC", "Report"]

MAGIC: Final = 0xD5
HEADER: Final = 10
"""The number of bytes before the payload."""


@final
@dataclass(frozen=True, slots=True)
class Report:
    """One randomized answer, as it leaves a person.

    >>> report = Report(bytes(8), bytes([1, 2]))
    >>> report.to_bytes().hex()
    'd50100000000000000000102'
    >>> report.to_json()
    '{"discreet":1,"form":"0000000000000000","payload":"AQI="}'
    >>> Report.from_bytes(report.to_bytes()) == Report.from_json(report.to_json()) == report
    True
    """

    digest: bytes
    payload: bytes

    def __post_init__(self) -> None:
        if not isinstance(self.digest, bytes) or len(self.digest) != HEADER - 2:
            raise KindError("digest", type(self.digest), f"{HEADER - 2} bytes")
        if not isinstance(self.payload, bytes):
            raise KindError("payload", type(self.payload), "bytes")

    def to_bytes(self) -> bytes:
        """Return the header and the payload."""
        return bytes((MAGIC, VERSION)) + self.digest + self.payload

    @classmethod
    def from_bytes(cls, data: bytes, /) -> Report:
        """Return the report that `to_bytes` wrote, or raise ReportError."""
        if not isinstance(data, bytes | bytearray | memoryview):
            raise KindError("data", type(data), "bytes")
        data = bytes(data)
        if len(data) < HEADER or data[0] != MAGIC:
            raise ReportError("not a report", f"need {HEADER} bytes of header that begin with {MAGIC:#x}")
        if data[1] != VERSION:
            raise ReportError("another version", f"the report's is {data[1]}, this collector's is {VERSION}")
        return cls(data[2:HEADER], data[HEADER:])

    def to_json(self) -> str:
        """Return the report as one line of JSON; the payload is in base 64."""
        payload = base64.b64encode(self.payload).decode()
        return json.dumps({"discreet": VERSION, "form": self.digest.hex(), "payload": payload}, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes, /) -> Report:
        """Return the report that `to_json` wrote, or raise ReportError."""
        try:
            data: Any = json.loads(text)
            version, digest, payload = data["discreet"], data["form"], data["payload"]
        except (ValueError, TypeError, KeyError, RecursionError):
            raise ReportError("not a report", "need JSON with discreet, form and payload") from None
        if type(version) is not int or version != VERSION:
            raise ReportError("another version", f"this collector's is {VERSION}")
        try:
            return cls(bytes.fromhex(digest), base64.b64decode(payload, validate=True))
        except (ValueError, TypeError, binascii.Error):
            raise ReportError("not a report", "need form, 8 bytes in hexadecimal, and payload in base 64") from None

    def __repr__(self) -> str:
        return f"Report(digest=bytes.fromhex({self.digest.hex()!r}), payload=bytes.fromhex({self.payload.hex()!r}))"
