"""Coins: the only file in which randomness enters.

There is no buffer, no seed and no state: nothing to share across a fork, to pickle or to replay.
"""

from __future__ import annotations

import os
import ssl
from typing import TYPE_CHECKING, Any, Final, Protocol, final, runtime_checkable

import numpy as np

from discreet.errors import EntropyError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SYSTEM", "Coins", "SystemCoins", "fields"]

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


def fields(coins: Coins, n: int, width: int) -> NDArray[np.unsignedinteger[Any]]:
    """Return *n* independent uniform integers of *width* bits: 8, 16, 32 or 64.

    >>> fields(SYSTEM, 5, 16).dtype, fields(SYSTEM, 5, 16).shape
    (dtype('uint16'), (5,))
    """
    return coins.words(-(-n * width // 64)).view(f"u{width >> 3}")[:n]
