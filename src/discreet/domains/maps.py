"""Maps: dicts, or pairs of arrays, from keys to values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from discreet.domains.base import FOREIGN, Domain, Keys, bare, is_array, listed
from discreet.domains.keys import key_domain
from discreet.errors import KindError
from discreet.frozen import freeze

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Maps"]


@final
@dataclass(frozen=True, slots=True, init=False)
class Maps(Domain):
    """Dicts from keys of one domain to values of another, or a pair of arrays: distinct keys, and their values.

    A Counter, or another kind of dict, is read as the dict that it is. Any other mapping decides itself what its
    entries are, each time that it is asked: make a dict of it first.

    >>> from discreet import Integers, Texts
    >>> {"a": 3} in Maps(Texts(), Integers()), {"a": 0.5} in Maps(Texts(), Integers())
    (True, False)
    >>> (np.array(["a", "b"]), np.array([3, 4])) in Maps(Texts(), Integers())
    True
    >>> (np.array(["a", "a"]), np.array([3, 4])) in Maps(Texts(), Integers())
    False
    """

    keys: Keys
    values: Domain

    def __init__(self, keys: Keys, values: Domain) -> None:
        if not isinstance(values, Domain):
            raise KindError("values", values, "a domain")
        freeze(self, keys=key_domain(keys, "keys"), values=values)

    def canonical(self, x: object, /) -> Any:
        """Return a dict of canonical entries, or a pair of plain arrays for a pair."""
        if issubclass(type(x), dict):
            entries: list[tuple[Any, Any]] = list(dict.items(x))  # type: ignore[arg-type]
            keys: Any = [key for key, _ in entries]
            values: Any = [value for _, value in entries]
        elif type(x) is tuple and len(x) == 2 and all(map(is_array, x)) and x[0].ndim == 1 and x[0].shape == x[1].shape:
            keys, values = map(bare, x)
        else:
            return FOREIGN
        keys, values = self.keys.many(keys), self.values.many(values)
        if keys is FOREIGN or values is FOREIGN or not _distinct(keys):
            return FOREIGN
        return (keys, values) if isinstance(keys, np.ndarray) else dict(zip(keys, values, strict=True))


def _distinct(keys: list[Any] | NDArray[Any]) -> bool:
    """Whether no canonical key occurs twice."""
    if isinstance(keys, np.ndarray) and keys.dtype.kind in "iufbM":
        ordered = np.sort(keys)  # NaN comes last, and counts once.
        return not bool((ordered[1:] == ordered[:-1]).any()) and int(np.count_nonzero(ordered[-2:] != ordered[-2:])) < 2
    if isinstance(keys, np.ndarray) and keys.dtype.kind == "U" and keys.size and keys.dtype.itemsize:
        # Texts with different fingerprints differ; only if two are the same are the texts compared.
        ordered = np.sort(_fingerprints(keys))
        if not (ordered[1:] == ordered[:-1]).any():
            return True
    found = listed(keys)
    try:
        return len(set(found)) == len(found)
    except Exception:  # Only objects of any type can fail to compare; what they say of it stays here.
        return False


def _fingerprints(texts: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a number for each text, computed from all of its characters."""
    letters = np.ascontiguousarray(texts).view(np.uint32).reshape(texts.size, -1)
    out = np.zeros(texts.size, np.uint64)
    for column in letters.T:
        out = out * np.uint64(0x9E3779B97F4A7C15) + column.astype(np.uint64)
    return out
