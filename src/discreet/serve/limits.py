"""Limits: how often one address may ask. No address is kept, nor anything that outlives its minute."""

from __future__ import annotations

import hashlib
import ipaddress
import time
from collections import Counter
from collections.abc import Callable
from typing import Final, final

from discreet.coins import SYSTEM

__all__ = ["Limiter"]

_MOST_ADDRESSES: Final = 100_000
"""Addresses that are told apart; beyond that, new ones share a limit, so that memory stays small."""
_OTHERS: Final = b"others"


@final
class Limiter:
    """At most so many requests of one address in one period of some seconds; None is no limit.

    An address is counted under a keyed hash, and the key is drawn anew for each period.

    >>> limiter = Limiter(1, clock=lambda: 0.0)
    >>> limiter.allows("192.0.2.1"), limiter.allows("192.0.2.1"), limiter.allows("192.0.2.2")
    (True, False, True)
    """

    def __init__(
        self, most: int | None, /, *, seconds: float = 60, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._most, self._seconds, self._clock = most, seconds, clock
        self._period = -1.0
        self._key = b""
        self._seen: Counter[bytes] = Counter()

    @property
    def seconds(self) -> float:
        """How long a period is."""
        return self._seconds

    def allows(self, address: str, /) -> bool:
        """Count a request, and say whether it is within the limit."""
        if self._most is None:
            return True
        period = self._clock() // self._seconds
        if period != self._period:
            self._period, self._key, self._seen = period, SYSTEM.bits(256).to_bytes(32), Counter()
        mark = hashlib.blake2b(_network(address), key=self._key, digest_size=8).digest()
        if mark not in self._seen and len(self._seen) >= _MOST_ADDRESSES:
            mark = _OTHERS
        self._seen[mark] += 1
        return self._seen[mark] <= self._most


def _network(address: str) -> bytes:
    """Return an address of four bytes, or the first eight of one of sixteen, which are one household's."""
    try:
        found = ipaddress.ip_address(address)
    except ValueError:
        return address.encode("utf-8", "replace")
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    return found.packed[:8]
