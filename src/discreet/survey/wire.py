"""The wire format: its version, what names a form in a report, and the JSON that digests are made of."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final

__all__ = ["TAG", "VERSION", "canonical", "digest_of"]

VERSION: Final = 2
"""The version of the wire format and of the descriptions that digests are made of."""
TAG: Final = 16
"""How many bytes of its form's digest a report carries."""


def digest_of(question: Mapping[str, Any], mechanism: Mapping[str, Any]) -> bytes:
    """Return the digest of a form: the SHA-256 of the canonical JSON of its question and its mechanism.

    >>> len(digest_of({"name": "age"}, {"name": "Rappor"}))
    32
    """
    said = {key: value for key, value in mechanism.items() if value is not True}  # Options: how it is drawn.
    return hashlib.sha256(canonical({"discreet": VERSION, "question": question, "mechanism": said})).digest()


def canonical(data: Any) -> bytes:
    r"""Return plain values as the JSON that digests are made of: sorted keys, no spaces, ASCII.

    >>> canonical({"b": 1, "a": "é"})
    b'{"a":"\\u00e9","b":1}'
    """
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()
