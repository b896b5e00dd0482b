"""Invitations: codes that let a person answer once. A store keeps their marks, from which no code can be found."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Final

from discreet.coins import SYSTEM
from discreet.survey.calendar import text_of
from discreet.survey.collectors import Wave

__all__ = ["invitation_mark", "new_codes", "once_mark"]

_SIGNS: Final = "0123456789abcdefghjkmnpqrstvwxyz"
"""Crockford's 32 signs, none of which is taken for another when it is read or typed."""
_LENGTH: Final = 20
_MISREAD: Final = str.maketrans("oil", "011", " -")
_CODE: Final = re.compile(f"[{_SIGNS}]{{{_LENGTH}}}")
_ONCE: Final = re.compile("[0-9a-fA-F]{32}")


def new_codes(number: int, /) -> Iterator[str]:
    """Yield new codes of 100 random bits each, in four groups.

    >>> [len(code) for code in new_codes(2)]
    [23, 23]
    """
    for _ in range(number):
        bits = SYSTEM.bits(5 * _LENGTH)
        code = "".join(_SIGNS[bits >> 5 * place & 31] for place in range(_LENGTH))
        yield "-".join(code[start : start + 5] for start in range(0, _LENGTH, 5))


def invitation_mark(code: str, tag: bytes, wave: Wave, /) -> bytes | None:
    """Return the mark of a code for one wave of the survey with this tag; None for what is no code.

    >>> invitation_mark("OIL00-00000-00000-0000a", bytes(16), None) == invitation_mark(
    ...     " 0110000000000000000A", bytes(16), None)
    True
    >>> invitation_mark("please", bytes(16), None)
    """
    plain = code.lower().translate(_MISREAD)
    if not _CODE.fullmatch(plain):
        return None
    return hashlib.sha256(b"discreet invitation 1" + tag + text_of(wave).encode() + plain.encode()).digest()


def once_mark(key: str, tag: bytes, /) -> bytes | None:
    """Return the mark of a key that a client has drawn for one submission; None for what is no key.

    >>> len(once_mark("00" * 16, bytes(16))), once_mark("0", bytes(16))
    (16, None)
    """
    if not _ONCE.fullmatch(key):
        return None
    return hashlib.sha256(b"discreet once 1" + tag + bytes.fromhex(key)).digest()[:16]
