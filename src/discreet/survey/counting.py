"""Counting: how many payloads set each bit, and weights that honest reports do not have."""

from __future__ import annotations

import math
from bisect import bisect_left
from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["count_bits", "count_bytes", "plausible", "plausible_weights"]

_ONES: Final = np.uint64(0x0101010101010101)
_BITS: Final = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(np.int64)
_NEVER: Final = 1e-12
"""An honest report has an implausible weight with at most this probability."""


def count_bits(rows: NDArray[np.uint8], k: int) -> NDArray[np.int64]:
    """Return how many rows of packed bits set each of the first *k* bits.

    Few columns are counted by how often each byte is each of 256. More are added up as words of eight bytes, one bit of
    each byte at a time: 255 of them fit a byte.

    >>> count_bits(np.array([[3, 1], [1, 1]], np.uint8), 10).tolist()
    [2, 1, 0, 0, 0, 0, 0, 0, 2, 0]
    """
    n, width = rows.shape
    if width < 8:
        return np.concatenate([count_bytes(column) @ _BITS for column in rows.T])[:k]
    padded = np.zeros((-(-n // 255) * 255, -(-width // 8) * 8), np.uint8)
    padded[:n, :width] = rows
    words = np.ascontiguousarray(padded.view(np.uint64).T)
    totals = np.empty((len(words), 8, 8), np.int64)
    for bit in range(8):
        sums = (words >> np.uint64(bit) & _ONES).reshape(len(words), -1, 255).sum(axis=2)
        totals[:, :, bit] = sums.view(np.uint8).reshape(len(words), -1, 8).sum(axis=1, dtype=np.int64)
    return totals.reshape(-1)[:k]


def count_bytes(values: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return how often each byte occurs; many are counted in pairs.

    >>> count_bytes(np.array([3, 0, 3], np.uint8))[:4].tolist()
    [1, 0, 0, 2]
    """
    if len(values) < 1 << 17:
        return np.bincount(values, minlength=256).astype(np.int64)
    even = len(values) // 2 * 2
    pairs = np.bincount(np.ascontiguousarray(values[:even]).view(np.uint16), minlength=1 << 16).reshape(256, 256)
    return np.asarray(pairs.sum(axis=0) + pairs.sum(axis=1) + np.bincount(values[even:], minlength=256), np.int64)


@lru_cache(maxsize=64)
def plausible_weights(length: int, p: float, q: float, least: int = 1, most: int = 1) -> tuple[int, int]:
    """Return the least and the greatest number of set bits that an honest report plausibly has.

    Of *length* bits, between *least* and *most* are set with probability p, and all others with probability q < p. An
    honest report is outside with a probability of at most 1e-12, whatever the answer.

    >>> plausible_weights(100, 0.5, 0.27)
    (1, 61)
    >>> plausible_weights(10, 0.5, 0.27)
    (0, 10)
    """
    return length - _greatest(length, 1 - p, 1 - q, least), _greatest(length, p, q, most)


def _greatest(length: int, p: float, q: float, ones: int) -> int:
    """Return the greatest weight that is reached with a probability of more than half of what is never."""
    from scipy.special import betainc

    heads = [math.comb(ones, i) * p**i * (1 - p) ** (ones - i) for i in range(ones + 1)]

    def reached(j: int) -> float:
        rest = length - ones
        return 1.0 if j <= 0 else 0.0 if j > rest else float(betainc(j, rest - j + 1, q))

    def never(weight: int) -> bool:
        return sum(mass * reached(weight - i) for i, mass in enumerate(heads)) <= _NEVER / 2

    return bisect_left(range(length + 1), True, key=never) - 1


def plausible(rows: NDArray[np.uint8], length: int, between: tuple[int, int]) -> NDArray[np.bool_]:
    """Return which rows of packed bits have a weight within two ends.

    >>> plausible(np.array([[255, 1], [0, 2]], np.uint8), 16, (0, 8)).tolist()
    [False, True]
    """
    low, high = between
    if low <= 0 and high >= length:
        return np.ones(len(rows), np.bool_)
    total = np.zeros(len(rows), np.int64)
    for column in rows.T:
        total += np.bitwise_count(column)
    return (low <= total) & (total <= high)
