"""Reports on the wire: bytes and JSON, versioned, with the digest of the form they answer.

    byte 0       0xD5
    byte 1       the version, 2
    bytes 2-17   the form's tag: the first 16 bytes of its digest, the SHA-256 of its canonical JSON
    bytes 18-    the payload: a place (lowest byte first) or packed bits (bit i is bit i % 8 of byte i // 8)

Reports on open text put their cohort, two bytes, lowest first, before the bits. The tag tells forms apart; it does not
authenticate: anyone who knows the form can make a report. Version 1 had a tag of 8 bytes, so short that two forms with
one tag were found; its reports are refused.
"""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any, Final, final

from discreet.errors import KindError, ReportError
from discreet.survey.files import strict_json
from discreet.survey.wire import TAG, VERSION

__all__ = ["HEADER", "MAGIC", "Report", "check_version", "from_hex"]

MAGIC: Final = 0xD5
HEADER: Final = 2 + TAG
"""The number of bytes before the payload."""
_OLD: Final = "version 1 names its form by 8 bytes, which two forms can share: ask again"


@final
@dataclass(frozen=True, slots=True)
class Report:
    """One randomized answer, as it leaves a person. *digest* is the form's tag.

    >>> report = Report(bytes(16), bytes([1, 2]))
    >>> report.to_bytes().hex()
    'd502000000000000000000000000000000000102'
    >>> report.to_json()
    '{"discreet":2,"form":"00000000000000000000000000000000","payload":"AQI="}'
    >>> Report.from_bytes(report.to_bytes()) == Report.from_json(report.to_json()) == report
    True
    """

    digest: bytes
    payload: bytes

    def __post_init__(self) -> None:
        if not isinstance(self.digest, bytes) or len(self.digest) != TAG:
            raise KindError("digest", type(self.digest), f"{TAG} bytes")
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
        if len(data) < 2 or data[0] != MAGIC:
            raise ReportError("not a report", f"need {HEADER} bytes of header that begin with {MAGIC:#x}")
        check_version(data[1])
        if len(data) < HEADER:
            raise ReportError("not a report", f"need {HEADER} bytes of header, not {len(data)}")
        return cls(data[2:HEADER], data[HEADER:])

    def to_json(self) -> str:
        """Return the report as one line of JSON; the payload is in base 64."""
        payload = base64.b64encode(self.payload).decode()
        return json.dumps({"discreet": VERSION, "form": self.digest.hex(), "payload": payload}, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes, /) -> Report:
        """Return the report that `to_json` wrote, or raise ReportError; a key that is there twice is refused."""
        try:
            data: Any = strict_json(text)
            version, digest, payload = data["discreet"], data["form"], data["payload"]
        except (ValueError, TypeError, KeyError):
            raise ReportError("not a report", "need JSON with discreet, form and payload, each once") from None
        check_version(version)
        try:
            return cls(from_hex(digest), base64.b64decode(payload, validate=True))
        except (ValueError, TypeError, binascii.Error):
            raise ReportError(
                "not a report", f"need form, {TAG} bytes in hexadecimal, and payload in base 64"
            ) from None

    def __repr__(self) -> str:
        return f"Report(digest=bytes.fromhex({self.digest.hex()!r}), payload=bytes.fromhex({self.payload.hex()!r}))"


def check_version(version: Any) -> None:
    """Raise ReportError unless it is the version that is read."""
    if type(version) is not int or version != VERSION:
        detail = _OLD if type(version) is int and version == 1 else f"this collector's is {VERSION}"
        raise ReportError("another version", detail)


def from_hex(text: str) -> bytes:
    """Return bytes in hexadecimal, two digits each and nothing between them."""
    data = bytes.fromhex(text)
    if len(text) != 2 * len(data):
        raise ValueError
    return data
