"""Outputs: what an audit sees of a release, and the features by which it tells two inputs apart.

An output is taken apart into what a caller can look at: types, dtypes, shapes, keys in their order, and at the ends of
it numbers and texts. Two outputs are the same only if all of this is: True is not 1, 0.0 is not -0.0, a list is not a
tuple. Attributes count, and what an array is a view of. An exception is an output too, by its type and its words.
"""

from __future__ import annotations

import math
import re
import struct
from bisect import bisect_right
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from types import MemberDescriptorType
from typing import Any, Final, NamedTuple

import numpy as np

from discreet.words import brief

__all__ = ["Part", "Raised", "features_of", "seen", "whole_of"]

Feature = Callable[[Any], Hashable]
Route = tuple[Hashable, ...]

_NUMBERS: Final = frozenset({int, float, Fraction, Decimal})
_ORDERED: Final = _NUMBERS | {str, bytes, date, datetime, time, timedelta}
_ENDS: Final = _ORDERED | {bool, type(None), complex}
_WRITTEN: Final = frozenset({Decimal, complex, datetime, time})
"""Types of which equal values may be written in several ways."""
_MOST_ITEMS: Final = 4096
_MOST_DEPTH: Final = 12
_MOST_ROUTES: Final = 12
_MOST_PIECES: Final = 64
_WORDS: Final = re.compile(r"\w+|\W+")
_MOST_BASE: Final = 256
"""Of a larger array that an output is a view of, nothing is looked at: it may be that of all outputs."""
_SIFTED: Final = 50_000
"""Ends of outputs that a first look takes in."""
_MOST_SEEN: Final = 20_000
"""Quantiles are those of so many outputs."""
_CUTS: Final = sorted({i / 64 for i in range(1, 64)} | {tail for k in range(7, 14) for tail in (2**-k, 1 - 2**-k)})
"""The quantiles at which thresholds lie: even ones, and ever finer ones towards both ends."""


@dataclass(frozen=True, slots=True)
class Raised:
    """An output that is an exception: its type, and its arguments, which are its words."""

    kind: type
    args: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """An output that has parts: its own kind, and its parts by their labels, in order."""

    kind: Any
    items: dict[Hashable, Any]


def seen(o: Any, depth: int = 0) -> Any:
    """Return what can be seen of an output: a number, a text or None as it is, a Part for whatever has parts.

    >>> seen(1.5), seen([1, True]).items
    (1.5, {0: 1, 1: True})
    """
    kind: Any = type(o)
    if kind in _ENDS:
        return o
    if kind is Raised:
        return Part((Raised, o.kind), {i: seen(part, depth + 1) for i, part in enumerate(o.args)})
    if depth == _MOST_DEPTH or isinstance(o, type):
        return Part(o if isinstance(o, type) else kind, {})
    if isinstance(o, np.ndarray):
        return _array(o, depth)
    if isinstance(o, np.generic):
        plain = o.item()
        return Part(kind, {"value": o.tobytes() if isinstance(plain, np.generic) else seen(plain, depth + 1)})
    if isinstance(o, Mapping):
        entries = {whole_of(seen(key, depth + 1)): seen(value, depth + 1) for key, value in o.items()}
        return Part(kind, entries | _attributes(_carried(o), depth))
    if isinstance(o, list | tuple | set | frozenset | deque | Iterator):
        parts = {i: seen(part, depth + 1) for i, part in enumerate(islice(o, _MOST_ITEMS))}
        return Part(kind, parts | _attributes(_carried(o), depth))
    return Part(kind, {i: seen(part, depth + 1) for i, part in enumerate(_state(o))})


def _attributes(carried: Mapping[str, Any], depth: int) -> dict[Hashable, Any]:
    return {"attributes": seen(dict(carried), depth + 1)} if carried else {}


def _carried(o: Any) -> dict[str, Any]:
    """Return the attributes of an object, those in slots too."""
    found = dict(getattr(o, "__dict__", {}))
    for kind in type(o).__mro__:
        if "__slots__" in vars(kind):
            slots = {name: slot for name, slot in vars(kind).items() if type(slot) is MemberDescriptorType}
            found |= {name: slot.__get__(o) for name, slot in slots.items() if hasattr(o, name)}
    return found


def _array(o: np.ndarray[Any, Any], depth: int) -> Part:
    kind = (type(o), str(o.dtype), o.dtype.byteorder, o.shape, o.strides)
    if o.size > _MOST_ITEMS and o.dtype != object:
        items: dict[Hashable, Any] = {"bytes": o.tobytes()}
    else:
        items = {i: seen(part, depth + 1) for i, part in enumerate(np.asarray(o).ravel().tolist())}
    extra = _carried(o)  # What a subclass carries along, such as a mask.
    extra |= {} if o.flags.writeable else {"writeable": False}
    extra |= {} if o.dtype.metadata is None else {"metadata": o.dtype.metadata}
    if isinstance(o.base, np.ndarray) and o.base.size <= _MOST_BASE:
        extra["base"] = o.base
    return Part(kind, items | _attributes(extra, depth))


def _state(o: Any) -> Iterator[Any]:
    """Yield what a copy of an object would be made of, or else its repr."""
    try:
        made = o.__reduce_ex__(4)
    except Exception:  # An object that cannot be copied is seen as it shows itself.
        made = None
    if not isinstance(made, tuple):
        yield made or brief(o)
        return
    carried = _carried(o)  # A copy may leave some of it out.
    for i, part in enumerate(made[1:]):
        yield carried if i == 1 and carried else list(part) if isinstance(part, Iterator) else part
    if len(made) < 3:
        yield carried


def whole_of(o: Any) -> Hashable:
    """Return a key that two seen outputs share only if nothing tells them apart.

    >>> whole_of(True) == whole_of(1), whole_of(0.0) == whole_of(-0.0), whole_of(2) == whole_of(2)
    (False, False, True)
    """
    if isinstance(o, Part):
        return (o.kind, *((label, whole_of(part)) for label, part in o.items.items()))
    kind: Any = type(o)
    if kind is float:
        return (kind, o.hex()) if o == o else (kind, struct.pack("<d", o))  # noqa: PLR0124  There are many NaNs.
    return (kind, repr(o)) if kind in _WRITTEN else (kind, o)


def kind_of(o: Any) -> Hashable:
    """Return all of a seen output but its numbers and texts: types, shapes and labels."""
    if isinstance(o, Part):
        return (o.kind, *((label, kind_of(part)) for label, part in o.items.items()))
    kind: Any = type(o)
    return kind  # type: ignore[no-any-return]


def features_of(sides: Sequence[Sequence[Any]], x: Any, y: Any) -> list[Feature]:
    """Return the features to look at, chosen by what seen outputs of two inputs look like, and where these differ."""
    found: list[Feature] = [_named("output", whole_of), _named("kind", kind_of)]
    first, second = seen(x), seen(y)
    differ = _difference(first, second)
    if differ:
        found.append(_agreement(first, differ))
    outputs = [*sides[0], *sides[1]]
    some = outputs[:: -(-len(outputs) // _MOST_SEEN)]
    scores = _scores(sides)
    ranked = sorted(scores, key=lambda route: -scores[route] - 3 * bool(set(route) & differ))
    for route in ranked[:_MOST_ROUTES]:
        if route:
            found.append(_along(route, "value", whole_of))
        if route and type(route[-1]) is Piece:
            continue
        ends = [end for o in some if (end := _at(o, route)) is not None]
        kinds = set(map(type, ends))
        if kinds & _ORDERED:
            found.append(_along(route, "threshold", _thresholds(ends)))
            found.append(_along(route, "ending", _ending))
        if kinds & {int, float}:
            found.append(_along(route, "precision", _precision))
    return found


def _named(name: str, look: Feature) -> Feature:
    def feature(o: Any) -> Hashable:
        return look(o)

    feature.__name__ = name
    return feature


def _along(route: Route, name: str, look: Feature) -> Feature:
    """Return a feature of one number or text of an output; None stands for an output that has none there."""

    def feature(o: Any) -> Hashable:
        end = _at(o, route)
        return None if end is None else look(end)

    feature.__name__ = f"{name} at {'.'.join(map(_label, route))}" if route else name
    return feature


def _label(label: Hashable) -> str:
    if type(label) is Piece:
        return f"{label.kind} {label.place}"
    return str(label[1] if isinstance(label, tuple) and len(label) == 2 else label)


def _routes(o: Any, route: Route = ()) -> Iterator[Route]:
    """Yield the way to each number or text of a seen output."""
    if isinstance(o, Part):
        for label, part in o.items.items():
            yield from _routes(part, (*route, label))
    else:
        yield route
        for piece in _pieces(o):
            yield (*route, piece)


class Piece(NamedTuple):
    """The label of a piece of a number or a text: a word, a byte (the last is -1), or a digit (the last is 0)."""

    kind: str
    place: int


def _pieces(end: Any) -> Iterator[Piece]:
    """Yield the labels of the pieces of a text, of bytes, at both ends, or of a large number."""
    if type(end) is str:
        count = len(_WORDS.findall(end, 0, 8 * _MOST_PIECES))
        yield from (Piece("word", i) for i in range(min(count, _MOST_PIECES) if count > 1 else 0))
    elif type(end) is bytes:
        half = min(len(end), _MOST_PIECES) // 2
        yield from (Piece("byte", i) for i in range(-half, half + len(end) % 2))
    elif type(end) is int and 16 < end.bit_length() <= 128:
        yield from (Piece("digit", i) for i in range(len(str(abs(end)))))
        yield from (Piece("hexadecimal digit", i) for i in range(-(-end.bit_length() // 4)))


def _piece(end: Any, piece: Piece) -> Any:
    """Return a piece of a number or a text, or None where there is none.

    >>> _piece("a, b", Piece("word", 2)), _piece(1234, Piece("digit", 1)), _piece(b"ab", Piece("byte", -1))
    ('b', 3, 98)
    """
    kind, place = piece
    if type(end) is int:
        return abs(end) // 10**place % 10 if kind == "digit" else abs(end) >> 4 * place & 15
    if type(end) is bytes:
        return end[place] if -len(end) <= place < len(end) else None
    words = _WORDS.findall(end, 0, 8 * _MOST_PIECES) if type(end) is str else ()
    return words[place] if place < len(words) else None


def _at(o: Any, route: Route) -> Any:
    for label in route:
        if type(label) is Piece:
            return _piece(o, label)
        if not isinstance(o, Part) or label not in o.items:
            return None
        o = o.items[label]
    return None if isinstance(o, Part) else o


def _scores(sides: Sequence[Sequence[Any]]) -> dict[Route, float]:
    """Return how much each number or text of an output seems to tell, from a few outputs of either input.

    It is the greatest difference, in standard errors, of how often it is above its median or ends in one way.
    """
    size = sum(1 for _ in _routes(sides[0][0])) + sum(1 for _ in _routes(sides[1][0]))
    many = min(max(_SIFTED // (size + 1), 40), 400)
    ends: dict[Route, list[tuple[int, Any]]] = {}
    for side, outputs in enumerate(sides):
        for o in outputs[:many]:
            for route in _routes(o):
                ends.setdefault(route, []).append((side, _at(o, route)))
    return {route: _score(found) for route, found in ends.items()}


def _score(found: list[tuple[int, Any]]) -> float:
    between = _thresholds((end for _, end in found), (0.5,))
    facts: dict[Hashable, list[int]] = {}
    for side, end in found:
        for fact in (("", type(end)), between(end), ("ending", _ending(end))):
            facts.setdefault(fact, [0, 0])[side] += 1
    return max(abs(a - b) / math.sqrt(a + b) for a, b in facts.values())


def _difference(first: Any, second: Any) -> set[Hashable]:
    """Return the labels at which two inputs of the same labels differ."""
    if not (isinstance(first, Part) and isinstance(second, Part) and list(first.items) == list(second.items)):
        return set()
    return {label for label in first.items if whole_of(first.items[label]) != whole_of(second.items[label])}


def _agreement(first: Part, differ: set[Hashable]) -> Feature:
    meant = {label: whole_of(first.items[label]) for label in differ}

    def agreement(o: Any) -> Hashable:
        """How many of the parts in which the inputs differ are as in the first: no report is seen twice."""
        if not isinstance(o, Part):
            return None
        return sum(label in o.items and whole_of(o.items[label]) == part for label, part in meant.items())

    return agreement


def _thresholds(ends: Iterable[Any], quantiles: Sequence[float] = _CUTS) -> Feature:
    """Return the feature that says between which quantiles of its type a value lies."""
    cuts: dict[type, list[Any]] = {}
    by_kind: dict[type, list[Any]] = {}
    for end in ends:
        if type(end) in _ORDERED and end == end:  # noqa: PLR0124  NaN has no place in an order.
            by_kind.setdefault(type(end), []).append(end)
    for kind, values in by_kind.items():
        try:
            values.sort()
        except (TypeError, ArithmeticError):  # Times with and without a zone, and some Decimals, have no order.
            continue
        cuts[kind] = sorted({values[int(cut * len(values))] for cut in quantiles})

    def between(end: Any) -> Hashable:
        kind = type(end)
        if kind not in cuts or end != end:  # noqa: PLR0124
            return (kind.__name__,)
        try:
            place = bisect_right(cuts[kind], end)
        except (TypeError, ArithmeticError):
            return (kind.__name__,)
        low = cuts[kind][place - 1] if place else None
        return (kind.__name__, place, low)

    return between


def _ending(end: Any) -> Hashable:
    """The last digits of a number, or the length and the end of how it is written."""
    if type(end) is int:
        return end % 1000
    text = repr(end)
    return len(text), text[-2:]


def _precision(end: Any) -> Hashable:
    """The place of the last bit of a number that is set, and its size: noise added to a number inherits its grid."""
    if type(end) is int:
        return end & 0xFF
    if type(end) is not float or not math.isfinite(end) or end == 0:
        return None
    num, den = end.as_integer_ratio()
    last = (num & -num).bit_length() - den.bit_length()
    return max(last, -70) if abs(end) < 0.25 else "large"
