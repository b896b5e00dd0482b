"""Metrics: how far apart two members of a domain are.

Each metric checks a distance that a user types (``check``) and measures one (``measure``). Data are integers, so
a distance between them is rounded down to a whole number: nothing lies in between.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, final

import numpy as np

from discreet.domains import Integers, Maps, Objects, Vectors, identity
from discreet.errors import KindError, MismatchError, ParameterError
from discreet.exact import Exact, exact, whole

__all__ = [
    "AbsoluteDistance",
    "DiscreteDistance",
    "L01InfDistance",
    "L1Distance",
    "LInfDistance",
    "Metric",
    "PersonDistance",
    "Sensitivity",
    "SymmetricDistance",
]

_MOST_BITS: Final = 1024


class Metric(ABC):
    """A distance between data."""

    __slots__ = ()

    @abstractmethod
    def check(self, d_in: Any, /) -> Any:
        """Return a distance as whole numbers, or raise an error shaped like the call."""

    @abstractmethod
    def measure(self, x: Any, y: Any, /) -> Any:
        """Return the distance between two members."""


@final
@dataclass(frozen=True, slots=True)
class DiscreteDistance(Metric):
    """0 between equal data, else 1.

    >>> DiscreteDistance().measure("a", "b"), DiscreteDistance().measure("a", "a")
    (1, 0)
    """

    def check(self, d_in: int, /) -> int:
        """Return the distance, a whole number."""
        return min(_whole_distance(d_in, "d_in"), 1)

    def measure(self, x: Any, y: Any, /) -> int:
        """Return 0 if the two are the same answer, else 1."""
        bits = _bits(x)
        if bits is not None:
            return int(bits != _bits(y))
        if isinstance(x, np.ndarray) or isinstance(y, np.ndarray):
            return int(type(x) is not type(y) or not np.array_equal(x, y))
        return int(identity(x) != identity(y))


@final
@dataclass(frozen=True, slots=True)
class AbsoluteDistance(Metric):
    """|x - y|, for integers.

    >>> AbsoluteDistance().measure(3, -4), AbsoluteDistance().check(2.9)
    (7, 2)
    """

    def check(self, d_in: Exact, /) -> int:
        """Return the distance rounded down."""
        return _floored(d_in, "d_in")

    def measure(self, x: int, y: int, /) -> int:
        """Return |x - y|."""
        return abs(whole(x, "x") - whole(y, "y"))


@final
@dataclass(frozen=True, slots=True)
class L1Distance(Metric):
    """The sum of |x_i - y_i|, for integer vectors of one length.

    >>> L1Distance().measure([1, 2, 3], [1, 0, 4])
    3
    """

    def check(self, d_in: Exact, /) -> int:
        """Return the distance rounded down."""
        return _floored(d_in, "d_in")

    def measure(self, x: Sequence[int], y: Sequence[int], /) -> int:
        """Return the sum of the absolute differences."""
        if len(x) != len(y):
            raise MismatchError("vectors of two lengths have no L1 distance")
        return sum(abs(int(a) - int(b)) for a, b in zip(x, y, strict=True))


@final
@dataclass(frozen=True, slots=True)
class LInfDistance(Metric):
    """The largest |x_i - y_i|, for integer vectors of one length.

    >>> LInfDistance().measure([1, 2, 3], [1, 0, 4])
    2
    """

    def check(self, d_in: Exact, /) -> int:
        """Return the distance rounded down."""
        return _floored(d_in, "d_in")

    def measure(self, x: Sequence[int], y: Sequence[int], /) -> int:
        """Return the largest absolute difference."""
        if len(x) != len(y):
            raise MismatchError("vectors of two lengths have no distance")
        return max((abs(int(a) - int(b)) for a, b in zip(x, y, strict=True)), default=0)


class Sensitivity(NamedTuple):
    """How far apart numbers may be: in how many places, by how much in all, and by how much in one place.

    It equals the tuple of the three.

    >>> Sensitivity(l0=3, l1=25, li=10) == (3, 25, 10)
    True
    """

    l0: int
    l1: int
    li: int

    def tightest(self) -> Sensitivity:
        """Return the tightest equivalent bounds between integers: l1 <= l0 li, li <= l1, l0 <= l1; or three zeros.

        >>> Sensitivity(3, 100, 10).tightest(), Sensitivity(3, 2, 10).tightest()
        (Sensitivity(l0=3, l1=30, li=10), Sensitivity(l0=2, l1=2, li=2))
        """
        l1 = min(self.l1, self.l0 * self.li)  # No more than l0 places change by li each.
        return Sensitivity(min(self.l0, l1), l1, min(self.li, l1))  # A place that changes, changes by at least 1.

    @property
    def l2_squared(self) -> int:
        """The greatest sum of squares: l1 is packed onto as few places as possible. It is at most l1 li.

        >>> Sensitivity(3, 30, 10).l2_squared, Sensitivity(3, 25, 10).l2_squared
        (300, 225)
        """
        _, l1, li = self.tightest()
        full, rest = divmod(l1, li) if li else (0, 0)
        return full * li**2 + rest**2


@final
@dataclass(frozen=True, slots=True)
class L01InfDistance(Metric):
    """(l0, l1, li): how many keys differ, by how much in all, and by how much at most. A missing key counts as 0.

    The entries of an integer vector are keyed by their places; only vectors of one length have a distance.

    Keys of different types differ, though Python may call them equal: 1 and True are two keys.

    >>> L01InfDistance().measure({"a": 5, "b": 1}, {"a": 3, "c": 4})
    Sensitivity(l0=3, l1=7, li=4)
    """

    def check(self, d_in: tuple[int, Exact, Exact], /) -> Sensitivity:
        """Return the tightest equivalent bounds, each rounded down first."""
        if type(d_in) not in (tuple, list, Sensitivity) or len(d_in) != 3:
            raise KindError("d_in", d_in, "three distances (l0, l1, li)")
        l0, l1, li = d_in
        return Sensitivity(_whole_distance(l0, "l0"), _floored(l1, "l1"), _floored(li, "li")).tightest()

    def measure(self, x: Mapping[Any, int], y: Mapping[Any, int], /) -> Sensitivity:
        """Return the three distances between two maps, or two vectors."""
        left, right = _map(x), _map(y)
        if isinstance(x, list | np.ndarray) and len(left) != len(right):
            raise MismatchError("vectors of two lengths have no distance")
        gaps = [abs(left.get(key, 0) - right.get(key, 0)) for key in {**left, **right}]
        return Sensitivity(sum(gap > 0 for gap in gaps), sum(gaps), max(gaps, default=0))


@final
@dataclass(frozen=True, slots=True)
class SymmetricDistance(Metric):
    """How many records are in one data set and not in the other, counted with repetition.

    >>> SymmetricDistance().measure(["a", "a", "b"], ["a", "c"])
    3
    """

    def check(self, d_in: int, /) -> int:
        """Return the distance, a whole number."""
        return _whole_distance(d_in, "d_in")

    def measure(self, x: Sequence[Any], y: Sequence[Any], /) -> int:
        """Return the size of the symmetric difference."""
        left, right = Counter(map(identity, x)), Counter(map(identity, y))
        return ((left - right) + (right - left)).total()


@final
@dataclass(frozen=True, slots=True, init=False)
class PersonDistance(Metric):
    """How many people's rows have to be added or removed, each with all of their rows, to make one table the other.

    *person* names the columns that say whose a row is; None makes each row a person. To change a person's rows is to
    remove them and add others, and counts 2. A row in which a person column is null is nobody's, and does not count.

    >>> rows = [{"id": 1, "city": "Rome"}, {"id": 1, "city": "Bath"}, {"id": 2, "city": "Rome"}]
    >>> PersonDistance(("id",)).measure(rows, rows[2:]), PersonDistance(("id",)).measure(rows, rows[1:])
    (1, 2)
    """

    person: tuple[str, ...] | None

    def __init__(self, person: Sequence[str] | None) -> None:
        names = tuple(person) if isinstance(person, list | tuple) else None
        if person is not None and not (names and all(isinstance(name, str) for name in names)):
            raise KindError("person", person, "a tuple of column names, or None")
        object.__setattr__(self, "person", names)

    def check(self, d_in: int, /) -> int:
        """Return the distance, a whole number."""
        return _whole_distance(d_in, "d_in")

    def measure(self, x: Sequence[Mapping[str, Any]], y: Sequence[Mapping[str, Any]], /) -> int:
        """Return how many people are added or removed between two lists of rows."""
        left, right = self._people(x), self._people(y)
        if self.person is None:
            return SymmetricDistance().measure(left[()], right[()])
        changed = [who for who in {**left, **right} if SymmetricDistance().measure(left[who], right[who])]
        return sum(bool(left[who]) + bool(right[who]) for who in changed)

    def _people(self, rows: Sequence[Mapping[str, Any]]) -> defaultdict[Any, list[Any]]:
        """Return each person's rows."""
        people: defaultdict[Any, list[Any]] = defaultdict(list)
        for row in rows:
            who = tuple(row[name] for name in self.person or ())
            if all(part is not None and part == part for part in who):  # noqa: PLR0124  NaN is nobody.
                people[who].append(tuple(sorted(row.items())))
        return people


def _bits(x: Any) -> list[bool] | None:
    """Return a bit vector, which may be a list, a tuple or an array, as one kind of thing; None for anything else."""
    listed = x.tolist() if isinstance(x, np.ndarray) and x.dtype == np.bool_ and x.ndim == 1 else x
    if not isinstance(listed, list | tuple) or not listed:
        return None
    return [bool(bit) for bit in listed] if all(isinstance(bit, bool | np.bool_) for bit in listed) else None


def _map(x: Any) -> dict[Any, int]:
    """Return the values of a map, which may be a pair of arrays or a vector, by what tells its keys apart."""
    if isinstance(x, list | np.ndarray):
        return dict(enumerate(map(int, Vectors(Integers()).take(x))))
    taken = Maps(Objects(), Integers()).take(x)
    pairs = taken.items() if isinstance(taken, dict) else zip(*(part.tolist() for part in taken), strict=True)
    return {identity(key): value for key, value in pairs}


def _whole_distance(value: int, name: str) -> int:
    distance = whole(value, name, least=0)
    if distance.bit_length() > _MOST_BITS:
        raise ParameterError(name, value, f"less than 2**{_MOST_BITS}")
    return distance


def _floored(value: Exact, name: str) -> int:
    if isinstance(value, int) and not isinstance(value, bool):
        return _whole_distance(value, name)
    distance = exact(value, name)
    if distance < 0:
        raise ParameterError(name, value, f"{name} >= 0")
    return _whole_distance(distance.numerator // distance.denominator, name)
