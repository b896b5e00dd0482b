"""Keys made of others: tuples, keys that may be missing, and objects of any type."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, final

from discreet.domains.base import FOREIGN, Keys
from discreet.errors import KindError, ParameterError
from discreet.frozen import freeze

__all__ = ["Nullable", "Objects", "Tuples", "key_domain"]


@final
@dataclass(frozen=True, slots=True, init=False, repr=False)
class Tuples(Keys):
    """Tuples with one entry from each of some domains of keys.

    >>> from discreet import Integers, Texts
    >>> ("Rome", 1999) in Tuples(Texts(), Integers()), ("Rome",) in Tuples(Texts(), Integers())
    (True, False)
    """

    of: tuple[Keys, ...]

    def __init__(self, *of: Keys) -> None:
        if not of:
            raise ParameterError("of", of, "at least one domain")
        freeze(self, of=tuple(key_domain(domain, "of") for domain in of))

    def canonical(self, x: object, /) -> Any:
        """Return a tuple of canonical entries."""
        if type(x) is not tuple or len(x) != len(self.of):
            return FOREIGN
        found = tuple(domain.canonical(entry) for domain, entry in zip(self.of, x, strict=True))
        return FOREIGN if any(entry is FOREIGN for entry in found) else found

    @property
    def ordered(self) -> bool:
        """Whether every entry has an order."""
        return all(domain.ordered for domain in self.of)

    def rank(self, key: tuple[Any, ...], /) -> Any:
        """Return the ranks of the entries."""
        return tuple(domain.rank(entry) for domain, entry in zip(self.of, key, strict=True))

    @property
    def count(self) -> int | None:
        """The product of the entries' numbers, where each has one."""
        counts = [domain.count for domain in self.of]
        return None if None in counts else prod(counts)  # type: ignore[arg-type]

    def __repr__(self) -> str:
        return f"Tuples({', '.join(map(repr, self.of))})"


@final
@dataclass(frozen=True, slots=True, init=False)
class Nullable(Keys):
    """The keys of a domain, and None, which comes first in an order.

    >>> from discreet import Texts
    >>> None in Nullable(Texts()), "a" in Nullable(Texts()), 1 in Nullable(Texts())
    (True, True, False)
    """

    of: Keys

    def __init__(self, of: Keys) -> None:
        freeze(self, of=key_domain(of, "of"))

    def canonical(self, x: object, /) -> Any:
        """Return None, or the canonical key."""
        return None if x is None else self.of.canonical(x)

    @property
    def ordered(self) -> bool:
        """Whether the keys other than None have an order."""
        return self.of.ordered

    def rank(self, key: Any, /) -> Any:
        """Return what puts None first."""
        return (False,) if key is None else (True, self.of.rank(key))

    @property
    def count(self) -> int | None:
        """One more."""
        return None if self.of.count is None else self.of.count + 1


@final
@dataclass(frozen=True, slots=True)
class Objects(Keys):
    """Any objects that can be hashed, released as they are, in an order that is drawn.

    This is for keys that no other domain has, and it promises less. The data's own objects are handed through, with
    their type, spelling and attributes: 1 and True, or two zeros, are told apart in a release although they are one
    key, and the loss between them is claimed to be 0. Code of their own runs to hash and compare them; it may fail,
    take its time, or write down what it sees.

    >>> None in Objects(), 1 + 2j in Objects(), [1] in Objects()
    (True, True, False)
    """

    def canonical(self, x: object, /) -> Any:
        """Return the object itself, if it can be hashed."""
        try:
            hash(x)
        except Exception:  # What its own code says of it stays here.
            return FOREIGN
        return x

    @property
    def ordered(self) -> bool:
        """They have none."""
        return False


def key_domain(domain: Any, name: str) -> Keys:
    """Return a domain, or raise unless it is one of keys."""
    if not isinstance(domain, Keys):
        raise KindError(name, domain, "a domain of keys, such as Texts() or Integers()")
    return domain
