"""Signing: the private key of one wave's tickets, made and used here only; it signs what it cannot read.

Primes are drawn as FIPS 186-5 wants them (A.1.3): of half the length each, with both top bits set so that the product
has its full length, far from each other, and p - 1 without the factor 65537. Each passes a Baillie-PSW test, which no
composite number is known to pass.
"""

from __future__ import annotations

from time import sleep
from typing import Final, final

from flint import fmpz

from discreet.coins import SYSTEM, Coins
from discreet.errors import ParameterError, StoreError
from discreet.survey.tickets import EXPONENT, TicketKey, factor

__all__ = ["BITS", "SigningKey"]

BITS: Final = 3072
_APART: Final = 100
_REST: Final = 5e-4
"""Seconds between two long computations, in which no other thread can run, so that reports get their turn."""


@final
class SigningKey:
    """Two primes. Whoever has them can make tickets for whoever they like, and still recognise none."""

    __slots__ = ("_coefficient", "_first", "_powers", "_second", "public")

    def __init__(self, first: int, second: int, /) -> None:
        primes = (first, second)
        if first.bit_length() != second.bit_length() or not all(_is_good(each) for each in primes) or first == second:
            raise ParameterError("key", "two numbers", "two primes of equal length")
        self._first, self._second = first, second
        self._powers = tuple(pow(EXPONENT, -1, each - 1) for each in primes)
        self._coefficient = pow(second, -1, first)
        self.public = TicketKey(first * second)

    @classmethod
    def made(cls, bits: int = BITS, /, coins: Coins = SYSTEM) -> SigningKey:
        """Return a new key."""
        first = _prime(bits // 2, coins)
        while True:
            second = _prime(bits // 2, coins)
            if abs(first - second).bit_length() > bits // 2 - _APART:
                return cls(first, second)

    def sign(self, blinded: bytes, /, coins: Coins = SYSTEM) -> bytes:
        """Return what a request becomes under this key; one that is no number below the modulus is refused.

        The number is multiplied by a random one first, so that the time tells nothing about the key, and the result is
        checked: one wrong signature by the Chinese remainder theorem would tell the primes [Boneh et al. 1997].
        """
        key, value = self.public, int.from_bytes(blinded)
        if not key.takes(blinded):
            raise ParameterError("blinded", type(blinded), "a number below the modulus, in as many bytes")
        mask = factor(key.modulus, coins)
        number = value * _raised(mask, EXPONENT, key.modulus) % key.modulus
        by_first = _raised(number % self._first, self._powers[0], self._first)
        sleep(_REST)
        by_second = _raised(number % self._second, self._powers[1], self._second)
        sleep(_REST)
        whole = by_second + self._second * ((by_first - by_second) * self._coefficient % self._first)
        signed = whole * _raised(mask, -1, key.modulus) % key.modulus
        if _raised(signed, EXPONENT, key.modulus) != value:
            raise StoreError("a signature came out wrong, and was not sent: this machine miscalculates")
        return signed.to_bytes(key.width)

    def to_bytes(self) -> bytes:
        """Return the primes, one after the other, the highest byte first."""
        width = self.public.width // 2
        return self._first.to_bytes(width) + self._second.to_bytes(width)

    @classmethod
    def from_bytes(cls, data: bytes, /) -> SigningKey:
        """Return the key that `to_bytes` wrote; a damaged one is refused."""
        half = len(data) // 2
        return cls(int.from_bytes(data[:half]), int.from_bytes(data[half:]))

    def __repr__(self) -> str:
        return "<key that signs tickets>"


def _raised(base: int, power: int, modulus: int) -> int:
    """Return a power modulo a number, by FLINT, which is several times quicker than Python."""
    return int(pow(fmpz(base), fmpz(power), fmpz(modulus)))


def _prime(bits: int, coins: Coins) -> int:
    while True:
        found = coins.bits(bits) | 3 << (bits - 2) | 1
        if _is_good(found):
            return found


def _is_good(number: int) -> bool:
    """Whether a number is a prime after which 65537 has an inverse."""
    return number > 1 and (number - 1) % EXPONENT != 0 and bool(fmpz(number).is_probable_prime())
