"""Domains: which data a component accepts.

``x in domain`` and ``domain.validate(x)`` are one idea: the second raises where the first is False. The error
describes the domain, never the data.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from discreet.errors import DomainError, KindError, ParameterError
from discreet.exact import whole

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = [
    "Anything",
    "BitVectors",
    "Booleans",
    "Categories",
    "Domain",
    "Integers",
    "Maps",
    "Vectors",
    "freeze",
    "identity",
    "saturated",
]


def freeze(self: object, **fields: object) -> None:
    """Set the fields of a frozen value, once, in its constructor."""
    for name, value in fields.items():
        object.__setattr__(self, name, value)


class Domain(ABC):
    """A set of data."""

    __slots__ = ()

    @abstractmethod
    def __contains__(self, x: object, /) -> bool: ...

    @property
    def count(self) -> int | None:
        """How many members there are; None where no number is known."""
        return None

    def validate(self, x: object, /) -> None:
        """Raise DomainError unless *x* is a member; the message does not show *x*.

        >>> Integers(low=0).validate(-5)
        Traceback (most recent call last):
        discreet.errors.DomainError: the data are not in Integers(low=0, high=None)
        """
        if x not in self:
            raise DomainError(f"the data are not in {self!r}")


@final
@dataclass(frozen=True, slots=True)
class Anything(Domain):
    """Every value there is.

    >>> None in Anything(), [1] in Anything()
    (True, True)
    """

    def __contains__(self, x: object, /) -> bool:
        return True


@final
@dataclass(frozen=True, slots=True)
class Booleans(Domain):
    """True and False, and not 1 or 0.

    >>> True in Booleans(), 1 in Booleans(), np.True_ in Booleans()
    (True, False, True)
    """

    def __contains__(self, x: object, /) -> bool:
        return x is True or x is False or isinstance(x, np.bool_)

    @property
    def count(self) -> int:
        """Two."""
        return 2


@final
@dataclass(frozen=True, slots=True, init=False, eq=False)
class Categories(Domain):
    """A finite list of distinct answers. 1, 1.0 and True are three answers, and so are 0.0 and -0.0.

    >>> colours = Categories(["red", "green"])
    >>> "red" in colours, "blue" in colours, colours.index("green")
    (True, False, 1)
    >>> 1.0 in Categories([1, 2])
    False
    """

    values: tuple[Any, ...]
    _places: dict[Hashable, int]
    _kinds: frozenset[Hashable]

    def __init__(self, values: Iterable[Any], name: str = "values") -> None:
        if isinstance(values, str | bytes):
            raise KindError(name, values, "a list of answers")
        try:
            listed = tuple(_plain(value) for value in values)
        except Exception:
            raise KindError(name, values, "a list of answers") from None
        places: dict[Hashable, int] = {}
        for i, value in enumerate(listed):
            try:
                first = places.setdefault(identity(value), i)
                itself = bool(value == value) and not value != value  # noqa: PLR0124, SIM202  NaN is not.
            except Exception:
                raise KindError(name, values, "answers that can be hashed and compared") from None
            if not itself:
                raise ParameterError(name, values, "answers that are equal to themselves, not NaN")
            if first != i:
                raise ParameterError(name, values, "distinct answers")
        freeze(self, values=listed, _places=places, _kinds=frozenset(map(_kind, listed)))

    @classmethod
    def of(cls, categories: Iterable[Any] | Categories, /, *, least: int) -> Categories:
        """Return a mechanism's categories, given as such or as a list, or raise unless there are at least so many.

        >>> Categories.of(["red", "green"], least=2)
        Categories(['red', 'green'])
        """
        made = categories if isinstance(categories, Categories) else cls(categories, "categories")
        if len(made) < least:
            need = {1: "at least one category", 2: "at least two categories"}[least]
            raise ParameterError("categories", categories, need)
        return made

    def __contains__(self, x: object, /) -> bool:
        return self.index(x) >= 0

    def index(self, x: object, /) -> int:
        """Return the place of *x* among the answers, or -1; it runs no code of the data's own."""
        x = _plain(x)
        try:
            if _kind(x) not in self._kinds:
                return -1
        except RecursionError:  # A tuple nested without end is not an answer.
            return -1
        return self._places.get(identity(x), -1)

    def places(self, xs: Sequence[Any] | NDArray[Any], /) -> NDArray[np.int64]:
        """Return `index` of each of many answers.

        >>> Categories(["a", "b"]).places(["b", "c", "a"])
        array([ 1, -1,  0])
        """
        if not isinstance(xs, Sequence | np.ndarray) or isinstance(xs, str | bytes):
            raise KindError("xs", type(xs), "a sequence or an array of answers")
        if isinstance(xs, np.ndarray):
            if xs.dtype.kind == "i" and set(map(type, self.values)) == {int}:
                return _integer_places(self.values, xs.ravel())
            if xs.size > _CHUNK:  # Python's own values are made and dropped a few at a time, in the cache.
                flat = xs.ravel()
                parts = (flat[i : i + _CHUNK] for i in range(0, flat.size, _CHUNK))
                return np.concatenate([self.places(part) for part in parts])
            xs = _listed(xs.ravel())
        kinds = set(map(type, xs))
        if len(kinds) == 1 and kinds <= _PLAIN:  # Where equal and same are one, a plain dictionary will do.
            plain = {value: i for i, value in enumerate(self.values) if type(value) in kinds}
            return np.fromiter(map(plain.get, xs, repeat(-1)), np.int64, len(xs))
        return np.fromiter(map(self.index, xs), np.int64, len(xs))

    def __len__(self) -> int:
        return len(self.values)

    @property
    def count(self) -> int:
        """The number of answers."""
        return len(self.values)

    def __eq__(self, other: object) -> bool:
        return type(other) is Categories and list(self._places) == list(other._places)

    def __hash__(self) -> int:
        return hash(tuple(self._places))

    def __repr__(self) -> str:
        return f"Categories({list(self.values)!r})"


@final
@dataclass(frozen=True, slots=True, init=False)
class Integers(Domain):
    """Whole numbers, between bounds if there are any. Booleans and floats are not integers.

    Releases saturate at the bounds. A NumPy integer type may be given in their place.

    >>> 5 in Integers(), True in Integers(), 5.0 in Integers(), np.int8(5) in Integers()
    (True, False, False, True)
    >>> Integers(dtype="int8")
    Integers(low=-128, high=127)
    """

    low: int | None
    high: int | None

    def __init__(self, low: int | None = None, high: int | None = None, *, dtype: DTypeLike | None = None) -> None:
        if dtype is not None:
            try:
                info = np.iinfo(np.dtype(dtype))
            except Exception:
                raise KindError("dtype", dtype, "a NumPy integer type") from None
            low = int(info.min) if low is None else low
            high = int(info.max) if high is None else high
        low = None if low is None else whole(low, "low")
        high = None if high is None else whole(high, "high")
        if low is not None and high is not None and low > high:
            raise ParameterError("low", low, f"low <= high = {high}")
        freeze(self, low=low, high=high)

    def __contains__(self, x: object, /) -> bool:
        if type(x) is not int and (not isinstance(x, np.integer) or isinstance(x, np.timedelta64)):
            return False
        return (self.low is None or int(x) >= self.low) and (self.high is None or int(x) <= self.high)

    @property
    def width(self) -> int | None:
        """The greatest distance between two members; None without bounds on both sides."""
        return None if self.low is None or self.high is None else self.high - self.low

    @property
    def count(self) -> int | None:
        """The number of integers between the bounds."""
        return None if self.width is None else self.width + 1

    def clamp(self, x: int, /) -> int:
        """Return the member nearest to *x*."""
        if self.low is not None and x < self.low:
            return self.low
        return self.high if self.high is not None and x > self.high else x


@final
@dataclass(frozen=True, slots=True, init=False)
class Vectors(Domain):
    """Lists, tuples or one-dimensional arrays of members of another domain.

    >>> [1, 2] in Vectors(Integers()), np.arange(3) in Vectors(Integers(low=0), size=3), [1.5] in Vectors(Integers())
    (True, True, False)
    """

    of: Domain
    size: int | None

    def __init__(self, of: Domain, size: int | None = None) -> None:
        if not isinstance(of, Domain):
            raise KindError("of", of, "a domain")
        freeze(self, of=of, size=None if size is None else whole(size, "size", least=0))

    def __contains__(self, x: object, /) -> bool:
        fits = x.ndim == 1 if isinstance(x, np.ndarray) else isinstance(x, list | tuple)
        if not fits or (self.size is not None and len(x) != self.size):  # type: ignore[arg-type]
            return False
        return all_members(self.of, x)  # type: ignore[arg-type]


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

    def __contains__(self, x: object, /) -> bool:
        if isinstance(x, np.ndarray):
            member = x.dtype == np.bool_ and x.shape == (self.length,)
            return member and int(np.count_nonzero(x)) <= self.max_weight
        if not isinstance(x, list | tuple) or len(x) != self.length:
            return False
        return all_members(Booleans(), x) and sum(map(bool, x)) <= self.max_weight


@final
@dataclass(frozen=True, slots=True, init=False)
class Maps(Domain):
    """Dicts from keys of one domain to values of another, or a pair of arrays: distinct keys, and their values.

    >>> {"a": 3} in Maps(Anything(), Integers()), {"a": 0.5} in Maps(Anything(), Integers())
    (True, False)
    >>> (np.array(["a", "b"]), np.array([3, 4])) in Maps(Anything(), Integers())
    True
    >>> (np.array(["a", "a"]), np.array([3, 4])) in Maps(Anything(), Integers())
    False
    """

    keys: Domain
    values: Domain

    def __init__(self, keys: Domain, values: Domain) -> None:
        for name, domain in (("keys", keys), ("values", values)):
            if not isinstance(domain, Domain):
                raise KindError(name, domain, "a domain")
        freeze(self, keys=keys, values=values)

    def __contains__(self, x: object, /) -> bool:
        if isinstance(x, Mapping):
            keys: Any = list(x)
            values: Any = list(x.values())
        elif isinstance(x, tuple) and len(x) == 2 and all(isinstance(a, np.ndarray) for a in x):
            keys, values = x
            if keys.ndim != 1 or keys.shape != values.shape or not distinct(keys):
                return False
        else:
            return False
        return all_members(self.values, values) and all_members(self.keys, keys)


def identity(x: object) -> Hashable:
    """Return a key that two values share only if they are the same answer: of one type, and equal.

    >>> identity(1) == identity(1.0), identity(0.0) == identity(-0.0), identity("a") == identity("a")
    (False, False, True)
    """
    if issubclass(type(x), tuple):
        return (type(x), *map(identity, tuple.__iter__(x)))  # type: ignore[arg-type]
    if type(x) is frozenset:
        return (frozenset, frozenset(map(identity, x)))
    if type(x) is float:
        return (float, x.hex())
    return (type(x), x)


def _kind(x: object) -> Hashable:
    """Return the type of an answer, and the types inside a tuple or a frozen set; no code of its own runs."""
    if issubclass(type(x), tuple):
        return (type(x), *map(_kind, tuple.__iter__(x)))  # type: ignore[arg-type]
    if type(x) is frozenset:
        return (frozenset, frozenset(map(_kind, x)))
    return type(x)  # type: ignore[return-value]


_CHUNK: Final = 1 << 12
_PLAIN: Final = frozenset({str, int, bytes, bool})
_EXACT_INTEGERS: Final = frozenset("iu")


def all_members(domain: Domain, xs: Sequence[Any] | NDArray[Any]) -> bool:
    """Whether each of *xs* is a member; quick where the answer is a matter of types and extremes."""
    if isinstance(domain, Anything):
        return True
    if isinstance(xs, np.ndarray) and xs.dtype != object:
        if isinstance(domain, Integers):
            if xs.dtype.kind not in _EXACT_INTEGERS:
                return False
            return not xs.size or (int(xs.min()) in domain and int(xs.max()) in domain)
        if isinstance(domain, Booleans):
            return bool(xs.dtype == np.bool_)
        xs = _listed(xs)
    elif isinstance(domain, Integers) and isinstance(xs, list | tuple) and set(map(type, xs)) <= {int}:
        return not xs or domain == Integers() or (min(xs) in domain and max(xs) in domain)
    return all(x in domain for x in xs)


def distinct(keys: NDArray[Any]) -> bool:
    """Whether no key of an array occurs twice."""
    if keys.dtype.kind in "iufbmM":
        ordered = np.sort(keys)  # Those that are unequal to themselves, NaN and NaT, come last.
        return not bool((ordered[1:] == ordered[:-1]).any()) and int(np.count_nonzero(ordered[-2:] != ordered[-2:])) < 2
    if keys.dtype.kind in "US" and keys.size and keys.dtype.itemsize:
        # Texts with different fingerprints differ; only if two are the same are the texts compared.
        ordered = np.sort(_fingerprints(keys))
        if not (ordered[1:] == ordered[:-1]).any():
            return True
    listed = keys.tolist()
    try:
        return len(set(listed)) == len(listed) and sum(bool(key != key) for key in listed) < 2  # noqa: PLR0124
    except Exception:  # Keys that cannot be hashed or compared are no keys; what they say of it stays here.
        return False


def _fingerprints(texts: NDArray[Any]) -> NDArray[np.uint64]:
    """Return a number for each text, computed from all of its characters."""
    unit = np.uint32 if texts.dtype.kind == "U" else np.uint8
    letters = np.ascontiguousarray(texts).view(unit).reshape(texts.size, -1)
    out = np.zeros(texts.size, np.uint64)
    for column in letters.T:
        out = out * np.uint64(0x9E3779B97F4A7C15) + column.astype(np.uint64)
    return out


def _integer_places(values: tuple[int, ...], xs: NDArray[Any]) -> NDArray[np.int64]:
    """Return the place of each integer among distinct values, -1 for any other."""
    known = [(value, i) for i, value in enumerate(values) if -(1 << 63) <= value < 1 << 63]
    low, high = min(known, default=(0, 0))[0], max(known, default=(0, 0))[0]
    if high - low < 4 * len(known) and xs.size and low <= int(xs.min()) and int(xs.max()) <= high:
        table = np.full(high - low + 1, -1)  # Values that lie close together are looked up.
        table[[value - low for value, _ in known]] = [i for _, i in known]
        return table[xs.astype(np.int64) - low]
    ordered, places = np.array(sorted(known), np.int64).reshape(-1, 2).T
    found = np.searchsorted(ordered, xs)
    found[found == ordered.size] = 0
    out: NDArray[np.int64] = np.where(ordered[found] == xs, places[found], -1) if known else np.full(xs.size, -1)
    return out


def saturated(values: NDArray[Any], domain: Domain) -> NDArray[Any]:
    """Return integers, each moved to the nearest member of a domain of integers.

    >>> saturated(np.array([-5, 5, 300]), Integers(dtype="uint8"))
    array([  0,   5, 255])
    """
    if not isinstance(domain, Integers) or domain == Integers():
        return values
    if values.dtype == np.int64:
        least, most = -(1 << 63), (1 << 63) - 1
        low, high = domain.clamp(least), domain.clamp(most)
        if low <= most and high >= least:  # Else every value moves beyond int64.
            clipped: NDArray[Any] = np.clip(values, low, high)
            return clipped
    moved = np.empty(values.shape, object)
    moved[:] = [domain.clamp(int(x)) for x in values.tolist()]
    return moved


def _plain(x: object) -> object:
    """Return a NumPy scalar as the Python value that it holds."""
    if not issubclass(type(x), np.generic):
        return x
    plain = x.item()  # type: ignore[attr-defined]
    # NumPy's times become ints or None where Python has no such time.
    return (
        x if issubclass(type(x), np.datetime64 | np.timedelta64) and not isinstance(plain, date | timedelta) else plain
    )


def _listed(xs: NDArray[Any]) -> list[Any]:
    """Return an array's entries as Python values, or as NumPy's own times."""
    return list(xs) if xs.dtype.kind in "mM" else xs.tolist()
