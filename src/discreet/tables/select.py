"""Select: the values of groups that are known by now, as a vector.

Theorem.  Between maps that differ by l1 in all, the vectors of their values at a list of keys differ by at most l1:
they are sums over distinct keys, and a key that a map lacks counts as 0 in both.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, final

from discreet.core import Transformation
from discreet.domains import Integers, Maps, Objects, Vectors
from discreet.errors import KindError, ParameterError
from discreet.frozen import freeze
from discreet.metrics import L01InfDistance, L1Distance

__all__ = ["Select"]


@final
@dataclass(frozen=True, slots=True, init=False)
class Select(Transformation[Any, Any]):
    """The values of a list of distinct keys of a domain of maps, in their order; 0 for one that is not there.

    >>> Select(["a", "c"])({"a": 3, "b": 4}), Select(["a", "c"]).stability_map((3, 30, 10))
    ([3, 0], 30)
    """

    keys: tuple[Any, ...]
    domain: Maps

    def __init__(self, keys: Iterable[Any], domain: Maps = Maps(Objects(), Integers())) -> None:  # noqa: B008  A frozen value.
        try:
            listed = () if isinstance(keys, str | bytes) else tuple(keys)
            distinct = not isinstance(keys, str | bytes) and len(set(listed)) == len(listed)
        except TypeError:
            distinct, listed = False, ()
        if not distinct:
            raise ParameterError("keys", type(keys), "a list of distinct keys that can be hashed")
        if not (isinstance(domain, Maps) and isinstance(domain.values, Integers)):
            raise KindError("domain", domain, "Maps(..., Integers())")
        freeze(self, keys=listed, domain=domain)  # One of the keys may be NaN, of which a domain has one.

    @property
    def input_domain(self) -> Maps:
        """Maps from keys to integers."""
        return self.domain

    @property
    def output_domain(self) -> Vectors:
        """Integers, one a key."""
        return Vectors(Integers(), size=len(self.keys))

    @property
    def input_metric(self) -> L01InfDistance:
        """In how many keys, by how much in all, and at most."""
        return L01InfDistance()

    @property
    def output_metric(self) -> L1Distance:
        """By how much in all."""
        return L1Distance()

    def stability_map(self, d_in: Any, /) -> Any:
        """Return l1, however many keys there are: what a release costs must be known before they are."""
        return self.input_metric.check(d_in)[1]

    def apply(self, x: Mapping[Any, int], /) -> list[int]:
        """Return the values."""
        return [x.get(key, 0) for key in self.keys]
