"""Coins: the only file in which randomness enters.

The system's coins have no buffer, no seed and no state: nothing to share across a fork, to pickle or to replay. The
only others are those of a secret that a person keeps, so that the same question gets the same permanent answer.
"""

from __future__ import annotations

import os
import ssl
from typing import TYPE_CHECKING, Any, Final, Protocol, final, runtime_checkable

import numpy as np

from discreet.errors import EntropyError, UnsupportedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SYSTEM", "Coins", "KeyedCoins", "SystemCoins", "fields"]

_MOST_BYTES: Final = 1 << 30


@runtime_checkable
class Coins(Protocol):
    """A source of independent fair coins.

    >>> isinstance(SYSTEM, Coins)
    True
    """

    def words(self, n: int, /) -> NDArray[np.uint64]:
        """Return *n* independent uniform 64-bit words."""
        ...

    def bits(self, n: int, /) -> int:
        """Return an integer made of *n* independent fair bits."""
        ...


@final
class SystemCoins:
    """The operating system's generator for single draws, OpenSSL's for arrays.

    Both are safe to use from many threads and after a fork; both are cryptographic.

    >>> 0 <= SYSTEM.bits(3) < 8, SYSTEM.words(5).shape
    (True, (5,))
    """

    __slots__ = ()

    def words(self, n: int, /) -> NDArray[np.uint64]:
        """Return *n* independent uniform 64-bit words."""
        if 8 * n > _MOST_BYTES:
            half = n // 2
            return np.concatenate([self.words(half), self.words(n - half)])
        try:
            return np.frombuffer(ssl.RAND_bytes(8 * n), np.uint64)
        except ssl.SSLError as error:
            raise EntropyError(f"OpenSSL has no entropy: {error}") from None

    def bits(self, n: int, /) -> int:
        """Return an integer made of *n* independent fair bits."""
        try:
            return int.from_bytes(os.urandom((n + 7) >> 3), "big") >> (-n & 7)
        except (OSError, NotImplementedError) as error:
            raise EntropyError(f"the operating system has no entropy: {error}") from None

    def __repr__(self) -> str:
        return "SYSTEM"

    def __reduce__(self) -> str:
        return "SYSTEM"  # Copies and pickles are this very object.


SYSTEM: Final = SystemCoins()


@final
class KeyedCoins:
    """The coins of a secret and a context: the same for the same, and fair to whoever does not know the secret.

    Block i is HMAC-SHA256 of i, 8 bytes, lowest first, under a key that is HMAC-SHA256 of "discreet coins 1" and the
    context under the secret. That they look fair is an assumption about HMAC [Bellare, Canetti and Krawczyk 1996].

    >>> KeyedCoins(b"secret", b"context").bits(16) == KeyedCoins(b"secret", b"context").bits(16)
    True
    """

    __slots__ = ("_block", "_key", "_rest")

    def __init__(self, secret: bytes, context: bytes) -> None:
        from hmac import digest

        self._key = digest(secret, b"discreet coins 1" + context, "sha256")
        self._block = 0
        self._rest = b""

    def words(self, n: int, /) -> NDArray[np.uint64]:
        """Return the next *n* words of 64 bits."""
        return np.frombuffer(self._take(8 * n), "<u8").astype(np.uint64)

    def bits(self, n: int, /) -> int:
        """Return an integer made of the next *n* bits, or a few more that are dropped."""
        return int.from_bytes(self._take((n + 7) >> 3), "big") >> (-n & 7)

    def _take(self, n: int) -> bytes:
        from hmac import digest

        while len(self._rest) < n:
            self._rest += digest(self._key, self._block.to_bytes(8, "little"), "sha256")
            self._block += 1
        taken, self._rest = self._rest[:n], self._rest[n:]
        return taken

    def __repr__(self) -> str:
        return "<coins of a secret>"

    def __reduce__(self) -> str:
        raise UnsupportedError("the coins of a secret are not pickled: the secret stays where it is")


def fields(coins: Coins, n: int, width: int) -> NDArray[np.unsignedinteger[Any]]:
    """Return *n* independent uniform integers of *width* bits: 8, 16, 32 or 64.

    >>> fields(SYSTEM, 5, 16).dtype, fields(SYSTEM, 5, 16).shape
    (dtype('uint16'), (5,))
    """
    return coins.words(-(-n * width // 64)).view(f"u{width >> 3}")[:n]
