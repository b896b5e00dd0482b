"""Tickets: an invited person answers once, and the collector that signed the ticket cannot tell whose it is.

RSABSSA-SHA384-PSS-Randomized [RFC 9474]. A person draws 32 random bytes, encodes them by PSS and multiplies the result
by r^65537 for a random r: what the collector sees and signs is uniform, whatever was drawn. Divided by r, its answer is
an ordinary PSS signature of the 32 bytes. Both together are the ticket, which the collector sees for the first time
when it is used. Everybody must have the same key: a collector that gives each a key of their own knows them by it.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from math import gcd
from typing import Final, final

from discreet.coins import SYSTEM, Coins
from discreet.errors import KindError, ParameterError

__all__ = ["EXPONENT", "INVITATIONS", "TicketKey", "TicketRequest", "factor", "ticket_about"]

INVITATIONS: Final = ("codes", "blind")
"""How one answer a person is had: by codes that come with the response, or by tickets for them."""
EXPONENT: Final = 65537
"""The only exponent: under another one a collector could choose a modulus that hides less."""
_LEAST, _MOST = 2048, 4096
_PREFIX: Final = 32
_HASH: Final = 48
_TRAILER: Final = b"\xbc"


def ticket_about(tag: bytes, wave: str | int | None, /) -> bytes:
    """Return what a ticket is about, which is signed after its random bytes: one wave of the survey with this tag.

    >>> ticket_about(b"tag", "spring")
    b'discreet ticket 1tag"spring"'
    """
    return b"discreet ticket 1" + tag + json.dumps(wave).encode()


@final
@dataclass(frozen=True, slots=True)
class TicketKey:
    """The public key of one wave's tickets: a modulus of 2048 to 4096 bits; the exponent is 65537."""

    modulus: int

    def __post_init__(self) -> None:
        if not isinstance(self.modulus, int) or isinstance(self.modulus, bool):
            raise KindError("modulus", type(self.modulus), "a whole number")
        bits = self.modulus.bit_length()
        if not (_LEAST <= bits <= _MOST and bits % 8 == 0 and self.modulus % 2 == 1 and self.modulus > 0):
            raise ParameterError(
                "modulus", f"{bits} bits", f"an odd number of {_LEAST} to {_MOST} bits, in whole bytes"
            )

    @property
    def width(self) -> int:
        """How many bytes the modulus has, and every signature."""
        return self.modulus.bit_length() // 8

    @property
    def fingerprint(self) -> str:
        """What people compare: the first 128 bits of the modulus' SHA-256, in groups."""
        digest = hashlib.sha256(self.to_bytes()).hexdigest()
        return "-".join(digest[start : start + 4] for start in range(0, 32, 4))

    def to_bytes(self) -> bytes:
        """Return the modulus, the highest byte first."""
        return self.modulus.to_bytes(self.width)

    @classmethod
    def from_hex(cls, text: str, /) -> TicketKey:
        """Return the key that is written in hexadecimal."""
        try:
            return cls(int.from_bytes(bytes.fromhex(text)))
        except (ValueError, TypeError):
            raise ParameterError("key", type(text), "a modulus of 2048 to 4096 bits in hexadecimal") from None

    def takes(self, blinded: bytes, /) -> bool:
        """Whether something can be signed: a number below the modulus, in as many bytes."""
        return len(blinded) == self.width and int.from_bytes(blinded) < self.modulus

    def opened(self, ticket: bytes, about: bytes, /) -> bytes | None:
        """Return the random bytes by which a ticket is known, or None for what this key has not signed."""
        drawn, signature = ticket[:_PREFIX], ticket[_PREFIX:]
        if len(ticket) != _PREFIX + self.width or not self._signed(drawn + about, signature):
            return None
        return drawn

    def _signed(self, message: bytes, signature: bytes) -> bool:
        """Whether a signature is of a message: EMSA-PSS-VERIFY [RFC 8017, 9.1.2], with a salt of 48 bytes."""
        value = int.from_bytes(signature)
        if value >= self.modulus:
            return False
        encoded = pow(value, EXPONENT, self.modulus).to_bytes(self.width)
        masked, digest = encoded[: -_HASH - 1], encoded[-_HASH - 1 : -1]
        if encoded[-1:] != _TRAILER or encoded[0] & 0x80:
            return False
        block = _unmasked(masked, digest)
        filled = len(block) - _HASH - 1
        salt = block[filled + 1 :]
        return block[: filled + 1] == bytes(filled) + b"\1" and _salted(message, salt) == digest


@final
class TicketRequest:
    """What a person asks a collector to sign, and what turns its answer into a ticket. Keep it until that is used.

    *about* is that of `ticket_about`. The collector gets `blinded`, which tells nothing about the ticket.
    """

    __slots__ = ("_about", "_drawn", "_inverse", "blinded", "key")

    def __init__(self, key: TicketKey, about: bytes, coins: Coins = SYSTEM, /) -> None:
        self.key, self._about = key, about
        number = 0
        while gcd(number, key.modulus) != 1:  # What shares a factor with the modulus shows it through any blinding.
            self._drawn = coins.bits(8 * _PREFIX).to_bytes(_PREFIX)
            salt = coins.bits(8 * _HASH).to_bytes(_HASH)
            number = int.from_bytes(_encoded(self._drawn + about, salt, key.width))
        mask = factor(key.modulus, coins)
        self._inverse = pow(mask, -1, key.modulus)
        self.blinded = (number * pow(mask, EXPONENT, key.modulus) % key.modulus).to_bytes(key.width)

    def ticket(self, signed: bytes, /) -> bytes:
        """Return the ticket, or raise where the answer is not of this key: then nothing is sent with it."""
        value = int.from_bytes(signed) * self._inverse % self.key.modulus
        ticket = self._drawn + value.to_bytes(self.key.width)
        if len(signed) != self.key.width or self.key.opened(ticket, self._about) is None:
            raise ParameterError("signed", type(signed), "what the collector answers, signed by the key of this survey")
        return ticket

    def __repr__(self) -> str:
        return "<request for a ticket>"


def factor(modulus: int, coins: Coins, /) -> int:
    """Return a random number that can be divided by, each equally likely."""
    while True:
        found = coins.bits(modulus.bit_length())
        if found < modulus and gcd(found, modulus) == 1:
            return found


def _encoded(message: bytes, salt: bytes, width: int) -> bytes:
    """Return a message as PSS encodes it for a modulus of so many whole bytes [RFC 8017, 9.1.1]."""
    digest = _salted(message, salt)
    block = b"\1".rjust(width - 2 * _HASH - 1, b"\0") + salt
    return _unmasked(block, digest) + digest + _TRAILER


def _salted(message: bytes, salt: bytes) -> bytes:
    return hashlib.sha384(bytes(8) + hashlib.sha384(message).digest() + salt).digest()


def _unmasked(block: bytes, digest: bytes) -> bytes:
    """Return a block masked by MGF1 of a digest, or unmasked if it was; its highest bit is cleared."""
    rounds = range(-(-len(block) // _HASH))
    mask = b"".join(hashlib.sha384(digest + count.to_bytes(4)).digest() for count in rounds)[: len(block)]
    mixed = int.from_bytes(block) ^ int.from_bytes(mask)
    return (mixed & ((1 << (8 * len(block) - 1)) - 1)).to_bytes(len(block))
