"""Encoders: answers as bit vectors, for RAPPOR.

Both are functions of one answer, so they keep its discrete distance: equal answers have equal images, and any two
answers are at distance at most 1.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from discreet.core import Transformation
from discreet.domains import Anything, BitVectors, Categories, Domain
from discreet.errors import DomainError, KindError, ParameterError
from discreet.exact import whole
from discreet.frozen import freeze
from discreet.metrics import DiscreteDistance

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Bloom", "OneHot"]


_MOST_LENGTH: Final = 1 << 31


class _Encoder(Transformation[Any, Any]):
    """A function from answers to bit vectors."""

    __slots__ = ()

    @property
    def input_metric(self) -> DiscreteDistance:
        """Equal or not."""
        return DiscreteDistance()

    @property
    def output_metric(self) -> DiscreteDistance:
        """Equal or not."""
        return DiscreteDistance()

    def stability_map(self, d_in: int, /) -> int:
        """Return the same distance: equal answers have equal images."""
        return DiscreteDistance().check(d_in)


@final
@dataclass(frozen=True, slots=True, init=False)
class OneHot(_Encoder):
    """One bit for each category, and that of the answer set.

    >>> OneHot(["a", "b", "c"])("b")
    array([False,  True, False])
    """

    categories: Categories

    def __init__(self, categories: Iterable[Any] | Categories) -> None:
        freeze(self, categories=Categories.of(categories, least=1))

    @property
    def input_domain(self) -> Categories:
        """The categories."""
        return self.categories

    @property
    def output_domain(self) -> BitVectors:
        """Vectors with one bit set, at most."""
        return BitVectors(len(self.categories), max_weight=1)

    def apply(self, x: Any, /) -> NDArray[np.bool_]:
        """Return the vector of an answer."""
        bits = np.zeros(len(self.categories), np.bool_)
        bits[self.categories.index(x)] = True
        return bits

    def apply_many(self, xs: Sequence[Any] | NDArray[Any], /) -> NDArray[np.bool_]:
        """Return one row for each answer.

        >>> OneHot(["a", "b"]).apply_many(["b", "a"])
        array([[False,  True],
               [ True, False]])
        """
        places = self.categories.places(xs)
        if places.size and int(places.min()) < 0:
            raise DomainError(f"the data are not all in {self.categories!r}")
        bits = np.zeros((places.size, len(self.categories)), np.bool_)
        bits[np.arange(places.size), places] = True
        return bits


@final
@dataclass(frozen=True, slots=True, init=False)
class Bloom(_Encoder):
    """A Bloom filter of a text: *hashes* keyed hash functions each set one of *length* bits [Erlingsson et al. 2014].

    The hash is BLAKE2b under a public *key* over the text's UTF-8 bytes, the same on every machine and in every
    language; Python's own ``hash`` is neither. At most *hashes* bits are set, fewer where they collide.

    >>> Bloom(length=16, hashes=2, key=b"survey 7")("seven").nonzero()[0].tolist()
    [5, 11]
    """

    length: int
    hashes: int
    key: bytes

    def __init__(self, *, length: int, hashes: int, key: bytes = b"") -> None:
        length, hashes = whole(length, "length", least=1), whole(hashes, "hashes", least=1)
        if length > _MOST_LENGTH:
            raise ParameterError("length", length, f"length <= {_MOST_LENGTH}")
        if hashes > length:
            raise ParameterError("hashes", hashes, f"hashes <= length = {length}")
        if not isinstance(key, bytes):
            raise KindError("key", key, "bytes")
        if len(key) > hashlib.blake2b.MAX_KEY_SIZE:
            raise ParameterError("key", key, f"at most {hashlib.blake2b.MAX_KEY_SIZE} bytes")
        freeze(self, length=length, hashes=hashes, key=key)

    @property
    def input_domain(self) -> Domain:
        """Any answer; one that is neither text nor bytes, but for instance a subclass of them, sets no bit."""
        return Anything()

    @property
    def output_domain(self) -> BitVectors:
        """Vectors with at most *hashes* bits set."""
        return BitVectors(self.length, max_weight=self.hashes)

    def apply(self, x: Any, /) -> NDArray[np.bool_]:
        """Return the filter of an answer."""
        bits = np.zeros(self.length, np.bool_)
        bits[self.places(x)] = True
        return bits

    def places(self, x: Any, /) -> list[int]:
        """Return the bits that an answer sets: each hash is a 128-bit number, scaled down to the length.

        >>> len(Bloom(length=1000, hashes=3).places("seven"))
        3
        """
        if type(x) is np.str_ or type(x) is np.bytes_:
            x = x.item()
        if type(x) is str:
            data = b"s" + x.encode("utf-8", "surrogatepass")
        elif type(x) is bytes:
            data = b"b" + x
        else:
            return []
        digests = (
            hashlib.blake2b(data, key=self.key, salt=i.to_bytes(8, "little"), digest_size=16).digest()
            for i in range(self.hashes)
        )
        return [int.from_bytes(digest, "big") * self.length >> 128 for digest in digests]
