"""Responses on the wire: one person's randomized answers to all questions of a survey, as bytes, JSON and codes.

    byte 0       0xD6, where a report on a single question has 0xD5
    byte 1       the version, 2
    bytes 2-17   the survey's tag: the first 16 bytes of its digest
    bytes 18-    the payload of each question, in the survey's order; the form fixes how long each is

The survey's digest is the SHA-256 of the 17 bytes "discreet survey 2" and the 32 bytes of each form's digest, in order.
All questions are always there: one that is not answered has its *missing* choice, randomized like any other, so that
what was left out tells nothing. JSON has the same, the payloads in base 64. A code is the bytes and the first 4 bytes
of their SHA-256, which find a slip of the pen, in base 64 for addresses and without padding.

As for reports, the tag tells surveys apart and does not authenticate.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any, Final, final

from discreet.errors import KindError, ReportError
from discreet.survey.files import strict_json
from discreet.survey.reports import HEADER, check_version, from_hex
from discreet.survey.wire import TAG, VERSION

__all__ = ["CODED", "RESPONSE", "Response", "survey_digest"]

RESPONSE: Final = 0xD6
"""The first byte of a response."""
CODED: Final = 4
"""How many bytes of their SHA-256 follow the bytes of a response in a code."""
_DOMAIN: Final = b"discreet survey 2"


def survey_digest(forms: Iterable[bytes], /) -> bytes:
    """Return the digest of a survey from those of its forms, in order.

    >>> survey_digest([bytes(32)]).hex()[:16]
    '54afeeb3c8613a41'
    """
    return hashlib.sha256(_DOMAIN + b"".join(forms)).digest()


@final
@dataclass(frozen=True, slots=True)
class Response:
    """One person's randomized answers to all questions, as they leave the person. *digest* is the survey's tag.

    >>> response = Response(bytes(16), (bytes([1]), bytes([2, 3])))
    >>> response.to_bytes().hex()
    'd60200000000000000000000000000000000010203'
    >>> response.to_json()
    '{"discreet":2,"survey":"00000000000000000000000000000000","payloads":["AQ==","AgM="]}'
    >>> response.to_code()
    '1gIAAAAAAAAAAAAAAAAAAAAAAQIDl0jTbQ'
    >>> Response.from_bytes(response.to_bytes(), [1, 2]) == Response.from_json(response.to_json()) == response
    True
    """

    digest: bytes
    payloads: tuple[bytes, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.digest, bytes) or len(self.digest) != TAG:
            raise KindError("digest", type(self.digest), f"{TAG} bytes")
        if not isinstance(self.payloads, tuple) or not all(isinstance(each, bytes) for each in self.payloads):
            raise KindError("payloads", type(self.payloads), "a tuple of bytes")

    def to_bytes(self) -> bytes:
        """Return the header and the payloads."""
        return bytes((RESPONSE, VERSION)) + self.digest + b"".join(self.payloads)

    @classmethod
    def from_bytes(cls, data: bytes, /, widths: Sequence[int]) -> Response:
        """Return the response that `to_bytes` wrote, given how many bytes each payload has, or raise ReportError."""
        if not isinstance(data, bytes | bytearray | memoryview):
            raise KindError("data", type(data), "bytes")
        if not isinstance(widths, list | tuple) or not all(type(width) is int and width >= 0 for width in widths):
            raise KindError("widths", widths, "a list of numbers of bytes")
        data = bytes(data)
        if len(data) < 2 or data[0] != RESPONSE:
            raise ReportError("not a report", f"need {HEADER} bytes of header that begin with {RESPONSE:#x}")
        check_version(data[1])
        if len(data) < HEADER:
            raise ReportError("not a report", f"need {HEADER} bytes of header, not {len(data)}")
        if len(data) != HEADER + sum(widths):
            raise ReportError("wrong length", f"need {HEADER} bytes of header and as many as the widths say")
        ends = accumulate(widths, initial=HEADER)
        return cls(data[2:HEADER], tuple(data[a:b] for a, b in pairwise(ends)))

    def to_json(self) -> str:
        """Return the response as one line of JSON; the payloads are in base 64."""
        payloads = [base64.b64encode(payload).decode() for payload in self.payloads]
        said = {"discreet": VERSION, "survey": self.digest.hex(), "payloads": payloads}
        return json.dumps(said, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str | bytes, /) -> Response:
        """Return the response that `to_json` wrote, or raise ReportError; a key that is there twice is refused.

        So is any other key: a client with a mistake could send an answer in it, and nobody would notice.
        """
        try:
            data: Any = strict_json(text)
        except (ValueError, TypeError):
            data = None
        if not isinstance(data, dict) or set(data) != {"discreet", "survey", "payloads"}:
            raise ReportError("not a report", "need JSON with discreet, survey and payloads, each once, and no more")
        version, digest, payloads = data["discreet"], data["survey"], data["payloads"]
        check_version(version)
        try:
            listed: list[Any] = payloads if isinstance(payloads, list) else [None]
            return cls(from_hex(digest), tuple(base64.b64decode(payload, validate=True) for payload in listed))
        except (ValueError, TypeError, binascii.Error):
            need = f"need survey, {TAG} bytes in hexadecimal, and payloads, a list of texts in base 64"
            raise ReportError("not a report", need) from None

    def to_code(self) -> str:
        """Return the response as a text to hand in: letters, digits, `-` and `_`."""
        data = self.to_bytes()
        return base64.urlsafe_b64encode(data + hashlib.sha256(data).digest()[:CODED]).decode().rstrip("=")

    @classmethod
    def from_code(cls, code: str, /, widths: Sequence[int]) -> Response:
        r"""Return the response that `to_code` wrote, or raise ReportError; spaces around and inside it do not matter.

        >>> Response.from_code("1gIAAAAAAAAAAAAAAAAAAAAA AQIDl0jTbQ", [1, 2]).payloads
        (b'\x01', b'\x02\x03')
        >>> Response.from_code("1gIAAAAAAAAAAAAAAAAAAAAAAQIEl0jTbQ", [1, 2])
        Traceback (most recent call last):
        discreet.errors.ReportError: not a report: need a code as it was shown, each character of it
        """
        if not isinstance(code, str):
            raise KindError("code", type(code), "a text")
        text = "".join(code.split())
        try:
            data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
            same = base64.urlsafe_b64encode(data).decode().rstrip("=") == text
        except (ValueError, binascii.Error):
            data, same = b"", False
        if not same or hashlib.sha256(data[:-CODED]).digest()[:CODED] != data[-CODED:]:
            raise ReportError("not a report", "need a code as it was shown, each character of it")
        return cls.from_bytes(data[:-CODED], widths)

    def __repr__(self) -> str:
        payloads = "".join(f"bytes.fromhex({payload.hex()!r}), " for payload in self.payloads)
        return f"Response(digest=bytes.fromhex({self.digest.hex()!r}), payloads=({payloads.strip()}))"
