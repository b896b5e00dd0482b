"""Vectors: lists and arrays of members of another domain, and vectors of bits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import numpy as np

from discreet.domains.base import FOREIGN, Domain, bare, is_array, is_list
from discreet.domains.numbers import Booleans
from discreet.errors import KindError, ParameterError
from discreet.exact import whole
from discreet.frozen import freeze

__all__ = ["BitVectors", "Vectors"]


@final
@dataclass(frozen=True, slots=True, init=False)
class Vectors(Domain):
    """Lists, tuples or one-dimensional arrays of members of another domain; no subclasses of them, and no masks.

    >>> from discreet import Integers
    >>> [1, 2] in Vectors(Integers()), np.arange(3) in Vectors(Integers(low=0), size=3), [1.5] in Vectors(Integers())
    (True, True, False)
    """

    of: Domain
    size: int | None

    def __init__(self, of: Domain, size: int | None = None) -> None:
        if not isinstance(of, Domain):
            raise KindError("of", of, "a domain")
        freeze(self, of=of, size=None if size is None else whole(size, "size", least=0))

    def canonical(self, x: object, /) -> Any:
        """Return a list of canonical entries, or a plain array for an array."""
        if not is_list(x) and not (is_array(x) and x.ndim == 1):
            return FOREIGN
        if self.size is not None and len(x) != self.size:
            return FOREIGN
        return self.of.many(bare(x) if is_array(x) else list(x))


@final
@dataclass(frozen=True, slots=True, init=False)
class BitVectors(Domain):
    """Boolean vectors of one length, with at most *max_weight* bits set.

    The length is a parameter, because a release is as long as its input.

    >>> domain = BitVectors(3, max_weight=1)
    >>> np.array([True, False, False]) in domain, [True, True, False] in domain, [True] in domain
    (True, False, False)
    """

    length: int
    max_weight: int

    def __init__(self, length: int, max_weight: int | None = None) -> None:
        length = whole(length, "length", least=1)
        weight = length if max_weight is None else whole(max_weight, "max_weight", least=0)
        if weight > length:
            raise ParameterError("max_weight", max_weight, f"max_weight <= length = {length}")
        freeze(self, length=length, max_weight=weight)

    def canonical(self, x: object, /) -> Any:
        """Return a plain array of bools."""
        if is_list(x):
            bits = Booleans().many(list(x))
            x = bits if bits is FOREIGN else np.array(bits, np.bool_)
        if not is_array(x) or x.dtype != np.bool_ or x.shape != (self.length,):
            return FOREIGN
        return bare(x) if int(np.count_nonzero(x)) <= self.max_weight else FOREIGN
