"""Categories: a finite list of distinct answers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from itertools import repeat
from typing import TYPE_CHECKING, Any, Final, final
from zoneinfo import ZoneInfo

import numpy as np

from discreet.domains.base import FOREIGN, Keys, as_objects, is_array, is_list, listed, only
from discreet.errors import KindError, ParameterError
from discreet.frozen import freeze

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Categories", "identity"]

_CHUNK: Final = 1 << 12
_PLAIN: Final = (str, int, bytes, bool)
_SCALARS: Final = frozenset(id(kind) for kind in np.sctypeDict.values())
_ZONES: Final = frozenset(map(id, (type(None), timezone, ZoneInfo)))


@final
@dataclass(frozen=True, slots=True, init=False, eq=False)
class Categories(Keys):
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
    _most: int

    def __init__(self, values: Iterable[Any], name: str = "values") -> None:
        if isinstance(values, str | bytes):
            raise KindError(name, values, "a list of answers")
        try:
            answers = tuple(_plain(value) for value in values)
        except Exception:
            raise KindError(name, values, "a list of answers") from None
        places: dict[Hashable, int] = {}
        for i, value in enumerate(answers):
            try:
                first = places.setdefault(identity(value), i)
                itself = bool(value == value) and not value != value  # noqa: PLR0124, SIM202  NaN is not.
            except Exception:
                raise KindError(name, values, "answers that can be hashed and compared") from None
            if not itself:
                raise ParameterError(name, values, "answers that are equal to themselves, not NaN")
            if first != i:
                raise ParameterError(name, values, "distinct answers")
        most = max((_entries(value) for value in answers), default=0)
        freeze(self, values=answers, _places=places, _kinds=frozenset(map(_kind, answers)), _most=most)

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

    def canonical(self, x: object, /) -> Any:
        """Return the answer as it was declared."""
        place = self.index(x)
        return FOREIGN if place < 0 else self.values[place]

    def many(self, xs: list[Any] | NDArray[Any], /) -> Any:
        """Return the answers as they were declared."""
        places = self.places(xs)
        if places.size and int(places.min()) < 0:
            return FOREIGN
        return self.array()[places] if isinstance(xs, np.ndarray) else [self.values[i] for i in places.tolist()]

    def rank(self, key: Any, /) -> int:
        """Return the place among the answers: they come in the order in which they were declared."""
        return self._places[identity(key)]

    def array(self, keys: list[Any] | NDArray[Any] | None = None, /) -> NDArray[Any]:
        """Return answers, or all of them, as an array of a type that all of them decide, and gives them unchanged."""
        values = list(self.values)
        made = np.array(values) if {type(value) for value in values} in ({str}, {int}, {bool}) else as_objects(values)
        if list(map(type, made.tolist())) != list(map(type, values)) or made.tolist() != values:
            made = as_objects(values)
        return made if keys is None else made[self.places(keys)]

    def index(self, x: object, /) -> int:
        """Return the place of *x* among the answers, or -1; it runs no code of the data's own."""
        x = _plain(x)
        if _entries(x, self._most) > self._most or _kind(x) not in self._kinds:
            return -1
        try:
            return self._places.get(identity(x), -1)
        except Exception:  # Some numbers, such as a signalling NaN, cannot be hashed.
            return -1

    def places(self, xs: Sequence[Any] | NDArray[Any], /) -> NDArray[np.int64]:
        """Return `index` of each of many answers, in a list or a plain array.

        >>> Categories(["a", "b"]).places(["b", "c", "a"])
        array([ 1, -1,  0])
        """
        if not is_list(xs) and not is_array(xs):
            raise KindError("xs", type(xs), "a list or a plain array of answers")
        if isinstance(xs, np.ndarray):
            if xs.dtype.kind == "i" and set(map(type, self.values)) == {int}:
                return _integer_places(self.values, xs.ravel())
            if xs.size > _CHUNK:  # Python's own values are made and dropped a few at a time, in the cache.
                flat = xs.ravel()
                parts = (flat[i : i + _CHUNK] for i in range(0, flat.size, _CHUNK))
                return np.concatenate([self.places(part) for part in parts])
            xs = listed(xs.ravel())
        for kind in _PLAIN:  # Where equal and same are one, a plain dictionary will do.
            if only(kind, xs):
                plain = {value: i for i, value in enumerate(self.values) if type(value) is kind}
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

    def __reduce__(self) -> tuple[Any, ...]:
        return Categories, (self.values,)  # Ids are those of one process.


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
    """Return the type of an answer, of its time zone, and the types inside a tuple or a frozen set, by their ids.

    To hash a type may run code of its own, and to hash a time runs its zone's. Those of the answers live as long as the
    answers, so an id names one type. The zones of Python's own are all alike.
    """
    if issubclass(type(x), tuple):
        return (id(type(x)), *map(_kind, tuple.__iter__(x)))  # type: ignore[arg-type]
    if type(x) is frozenset:
        return (id(frozenset), frozenset(map(_kind, x)))
    if type(x) is datetime or type(x) is time:
        zone = type(x.tzinfo)
        return id(type(x)) if id(zone) in _ZONES else (id(type(x)), id(zone))
    return id(type(x))


def _entries(x: object, most: int | None = None) -> int:
    """Return how many values a tuple or a frozen set holds, nested ones too, or a number above *most*.

    Tuples that share their entries may hold 2**40 of them, so what is longer than any answer is not looked through.
    """
    todo, count = [x], 0
    while todo and (most is None or count + len(todo) <= most):
        value = todo.pop()
        count += 1
        if issubclass(type(value), tuple):
            todo.extend(tuple.__iter__(value))  # type: ignore[arg-type]
        elif type(value) is frozenset:
            todo.extend(value)
    return count + len(todo)


def _plain(x: object) -> object:
    """Return a NumPy scalar as the Python value that it holds."""
    if id(type(x)) not in _SCALARS:
        return x
    plain = x.item()  # type: ignore[attr-defined]
    # NumPy's times become ints or None where Python has no such time.
    return (
        x if issubclass(type(x), np.datetime64 | np.timedelta64) and not isinstance(plain, date | timedelta) else plain
    )


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
