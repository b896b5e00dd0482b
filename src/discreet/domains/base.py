"""What a domain is: a set of data, each with one canonical form."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeGuard, final

import numpy as np

from discreet.coins import Coins
from discreet.errors import DomainError
from discreet.samplers import shuffled

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "FOREIGN",
    "Anything",
    "Domain",
    "Keys",
    "as_objects",
    "bare",
    "is_array",
    "is_list",
    "listed",
    "only",
]


@final
class _Foreign:
    """What stands for data that are not in a domain."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "FOREIGN"


FOREIGN: Final = _Foreign()


class Domain(ABC):
    """A set of data, each with one canonical form."""

    __slots__ = ()

    @abstractmethod
    def canonical(self, x: object, /) -> Any:
        """Return the data in their canonical form, or FOREIGN; no code of the data's own runs."""

    def many(self, xs: list[Any] | NDArray[Any], /) -> Any:
        """Return the canonical form of each of many: a list for a list, an array for an array; or FOREIGN."""
        found = [self.canonical(x) for x in listed(xs)]
        if any(x is FOREIGN for x in found):
            return FOREIGN
        return as_objects(found) if isinstance(xs, np.ndarray) else found

    def take(self, x: object, /) -> Any:
        """Return the data in their canonical form, or raise DomainError; the message does not show them.

        >>> from discreet import Integers, Maps, Texts
        >>> Maps(Texts(), Integers()).take({np.str_("Rome"): np.int8(3)})
        {'Rome': 3}
        """
        found = self.canonical(x)
        if found is FOREIGN:
            raise DomainError(f"the data are not in {self!r}")
        return found

    def validate(self, x: object, /) -> None:
        """Raise DomainError unless *x* is a member; the message does not show *x*.

        >>> from discreet import Integers
        >>> Integers(low=0).validate(-5)
        Traceback (most recent call last):
        discreet.errors.DomainError: the data are not in Integers(low=0, high=None)
        """
        self.take(x)

    def __contains__(self, x: object, /) -> bool:
        return self.canonical(x) is not FOREIGN

    @property
    def count(self) -> int | None:
        """How many members there are; None where there is no end of them, or the number is not known."""
        return None


class Keys(Domain):
    """A domain whose members can be the keys of a map: they can be hashed, and are equal only if they are the same."""

    __slots__ = ()

    @property
    def ordered(self) -> bool:
        """Whether `rank` puts the members in an order."""
        return True

    def rank(self, key: Any, /) -> Any:
        """Return what canonical keys are sorted by."""
        return key

    def order(self, keys: list[Any] | NDArray[Any], coins: Coins, /) -> Any:
        """Return the places of canonical keys in an order that the set of them decides: sorted, or else shuffled."""
        if not self.ordered:
            return shuffled(range(len(keys)), coins)
        if isinstance(keys, np.ndarray) and keys.dtype.kind in "iufbM":  # NaN comes last there, too.
            return np.argsort(keys, kind="stable")
        found = listed(keys)
        ranks = found if type(self).rank is Keys.rank else [self.rank(key) for key in found]
        return sorted(range(len(ranks)), key=ranks.__getitem__)

    def array(self, keys: list[Any] | NDArray[Any], /) -> NDArray[Any]:
        """Return canonical keys as a plain array, of a type that the domain and these keys decide alone."""
        return as_objects(listed(keys))

    def many(self, xs: list[Any] | NDArray[Any], /) -> Any:
        """Return the canonical form of each of many: a list for a list, an array for an array; or FOREIGN."""
        found = [self.canonical(x) for x in listed(xs)]
        if any(x is FOREIGN for x in found):
            return FOREIGN
        return self.array(found) if isinstance(xs, np.ndarray) else found


@final
@dataclass(frozen=True, slots=True)
class Anything(Domain):
    """Every value there is, for what releases nothing of the data but which of its own answers they are.

    >>> None in Anything(), [1] in Anything()
    (True, True)
    """

    def canonical(self, x: object, /) -> Any:
        """Return the data as they are."""
        return x


def is_array(x: object) -> TypeGuard[NDArray[Any]]:
    """Whether x is a plain array, not structured: a subclass may run code of its own, or carry a mask or attributes."""
    return type(x) is np.ndarray and x.dtype.kind != "V"


def is_list(x: object) -> TypeGuard[list[Any] | tuple[Any, ...]]:
    """Whether x is a plain list or tuple, and no subclass."""
    return type(x) is list or type(x) is tuple


def bare(x: NDArray[Any]) -> NDArray[Any]:
    """Return an array whose type carries no metadata, which would go wherever the type goes."""
    return x if x.dtype.metadata is None else x.view(x.dtype.str)


def only(kind: type, xs: Iterable[Any]) -> bool:
    """Whether every entry is of one type exactly. Types are told apart by id: to hash one may run code of its own."""
    return set(map(id, map(type, xs))) <= {id(kind)}


def listed(xs: list[Any] | NDArray[Any]) -> list[Any]:
    """Return the entries of a list or a plain array as Python values, or as NumPy's own times."""
    if not isinstance(xs, np.ndarray):
        return xs
    return list(xs) if xs.dtype.kind in "mM" else xs.tolist()


def as_objects(xs: list[Any]) -> NDArray[Any]:
    """Return an array that holds the entries of a list, whatever they are; it asks them nothing."""
    return np.fromiter(xs, object, len(xs))
