"""Bits: reports as booleans and as bytes, for the mechanisms that release them.

Bit i of a report is bit i % 8, from the lowest, of byte i // 8.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from discreet.domains import FOREIGN
from discreet.errors import DomainError, KindError, UnsupportedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.domains import BitVectors

__all__ = ["AT_A_TIME", "as_array", "check_rows", "law_of_bits", "pack", "packed_reports", "unpack"]

AT_A_TIME: Final = 1 << 17
"""Bits made at a time, so that scratch memory stays in the processor's cache."""
_MOST_LAW_BITS: Final = 16
_MOST_LENGTH: Final = 1 << 31


def as_array(data: Any) -> NDArray[Any]:
    """Return data as an array; what is no array becomes one that no domain contains."""
    try:
        return np.asarray(data)
    except Exception:  # Ragged lists, and objects that refuse: the caller's error says what is needed.
        return np.empty(0, object)


def check_rows(xs: Any, domain: BitVectors) -> NDArray[np.bool_]:
    """Return an (n, length) array of booleans, or raise unless each row is in the domain."""
    if type(xs) is list or type(xs) is tuple:
        taken = [domain.canonical(x) for x in xs]
        foreign = any(row is FOREIGN for row in taken)
        xs = None if foreign else np.array(taken, np.bool_).reshape(-1, domain.length)
    fits = type(xs) is np.ndarray and xs.dtype == np.bool_ and xs.ndim == 2 and xs.shape[1] == domain.length
    if not fits or (xs.size and int(np.count_nonzero(xs, axis=1).max()) > domain.max_weight):
        raise DomainError(f"the data are not all in {domain!r}")
    return xs.view("?")  # type: ignore[no-any-return]  # A type without metadata.


def law_of_bits(x: Any, domain: BitVectors, yes: Fraction, no: Fraction) -> dict[tuple[bool, ...], Fraction]:
    """Return the law of independent bits, 1 with probability *yes* where x is set and *no* where it is not."""
    if domain.length > _MOST_LAW_BITS:
        raise UnsupportedError(f"a law over 2**{domain.length} reports is not written out")
    x = domain.take(x)
    weight = int(np.count_nonzero(x))
    on = [yes**i * (1 - yes) ** (weight - i) for i in range(weight + 1)]
    off = [no**i * (1 - no) ** (domain.length - weight - i) for i in range(domain.length - weight + 1)]
    law = {}
    for report in product((False, True), repeat=domain.length):
        hits = sum(bool(a) and b for a, b in zip(x, report, strict=True))
        law[report] = on[hits] * off[sum(report) - hits]
    return law


def pack(reports: Any, length: int) -> NDArray[np.uint8]:
    """Return reports of booleans as bytes."""
    bits = as_array(reports)
    if bits.dtype != np.bool_ or bits.shape[-1:] != (length,):
        raise DomainError(f"reports are boolean vectors of {length} bits")
    return np.packbits(bits, axis=-1, bitorder="little")


def unpack(packed: Any, length: int) -> NDArray[np.bool_]:
    """Return the reports that `pack` packed."""
    data = as_array(packed)
    if data.dtype != np.uint8 or data.shape[-1:] != (-(-length // 8),):
        raise DomainError(f"packed reports have {-(-length // 8)} bytes each")
    return np.unpackbits(data, axis=-1, count=length, bitorder="little").view(np.bool_)


def packed_reports(
    places: Any, length: int, fill: Callable[[NDArray[np.int64], NDArray[np.uint8]], None], rows: int
) -> NDArray[np.uint8]:
    """Return packed reports on answers given by their places, made *rows* at a time.

    *fill* is handed some places, -1 for each that is out of range, and the bytes to fill.
    """
    if not (type(places) is np.ndarray and places.dtype.kind in "iu"):
        raise KindError("places", type(places), "an array of integers")
    if length > _MOST_LENGTH:
        raise UnsupportedError(f"reports of more than {_MOST_LENGTH} bits are not made in bulk")
    flat = places.reshape(-1)
    out = np.empty((flat.size, -(-length // 8)), np.uint8)
    step = max(rows, 1)
    for start in range(0, flat.size, step):
        part = flat[start : start + step]
        known = (part >= 0) & (part < length)
        fill(np.where(known, part.astype(np.int64), -1), out[start : start + step])
    return out
