"""Inputs for an audit: pairs that show a mechanism at its worst, chosen from what it accepts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations, product
from math import comb
from typing import Any, Final

from discreet.composition import Composition
from discreet.core import Measurement
from discreet.domains import Anything, BitVectors, Booleans, Categories, Domain, Integers, Maps, Vectors
from discreet.errors import KindError, UnsupportedError
from discreet.mechanisms import Bloom, KeepAbove, KeySets

__all__ = ["pairs_of"]

_MOST_BITS: Final = 4096
_ALL_BITS: Final = 5
"""Up to this length every vector is looked at; beyond, those that differ in as many bits as any."""
_MOST_CATEGORIES: Final = 8
_MOST_SUBSETS: Final = 1000
_TEXTS: Final = 200
_MAPS: Final = ((), (1,), (2,), (0, 1), (1, 1), (9,), (8, 0, 1), (1, 1, 1))


def pairs_of(mechanism: Measurement[Any, Any], /) -> list[tuple[Any, Any]]:
    """Return pairs of inputs, both ways round, among them one between which the mechanism loses most.

    >>> from discreet import Rappor, RandomizedResponseBool
    >>> pairs_of(RandomizedResponseBool(prob="3/4"))
    [(True, False), (False, True)]
    >>> len(pairs_of(Rappor(length=3, max_weight=1, f="1/2")))
    12
    """
    if not isinstance(mechanism, Measurement):
        raise KindError("mechanism", mechanism, "a Measurement")
    members = _members(mechanism)
    pairs = list(permutations(members, 2))
    if isinstance(mechanism, KeepAbove) and mechanism.noise.settled:  # Noise that tells most of keys that surely pass.
        far = mechanism.threshold + (mechanism.noise.settled + 1) * (1 if mechanism.threshold >= 0 else -1)
        key = next(key for member in members for key in member)
        if all(count in mechanism.domain.values for count in (far, far + 1)):
            pairs += permutations(({key: far}, {key: far + 1}), 2)
    thresholds = [part.threshold for part in _parts(mechanism) if isinstance(part, KeepAbove)]
    if thresholds:  # Past its threshold a key's change is seen with certainty: the claim is infinite, and so the truth.
        near = min(map(abs, thresholds))
        pairs = [(x, y) for x, y in pairs if mechanism.input_metric.measure(x, y)[2] <= near]
    if not pairs:
        raise UnsupportedError(f"{mechanism!r}: no two inputs are near enough to be told apart by noise; give pairs")
    return pairs


def _parts(mechanism: Any) -> list[Any]:
    """Return the mechanisms at the end of a chain, or in a composition."""
    if isinstance(mechanism, Composition):
        return [part for each in mechanism.measurements for part in _parts(each)]
    return _parts(mechanism.then) if hasattr(mechanism, "then") else [mechanism]


def _members(mechanism: Measurement[Any, Any]) -> Sequence[Any]:
    domain = mechanism.input_domain
    first: Any = getattr(mechanism, "first", mechanism)
    if isinstance(first, Bloom):
        return _texts(first)
    if isinstance(domain, Anything):
        for part in _parts(mechanism):
            if hasattr(part, "categories"):
                return _answers(part)
    return _of_domain(domain)


def _answers(mechanism: Any) -> Sequence[Any]:
    """Return some categories, which are all alike, and what is none."""
    values = mechanism.categories.values
    many = comb(len(values), getattr(mechanism, "size", 1)) > _MOST_SUBSETS
    return [*values[: 2 if many else _MOST_CATEGORIES], "an answer that is no category"]


def _texts(bloom: Bloom) -> Sequence[str]:
    """Return a text whose filter is as full as any here, and those whose filters are farthest from it."""
    filters = {text: set(bloom(text).nonzero()[0].tolist()) for text in map(str, range(_TEXTS))}
    full = max(filters, key=lambda text: len(filters[text]))
    return sorted(filters, key=lambda text: (text != full, -len(filters[text] ^ filters[full])))[:3]


def _of_domain(domain: Domain) -> Sequence[Any]:
    if isinstance(domain, Booleans):
        return True, False
    if isinstance(domain, Categories):
        return domain.values[:_MOST_CATEGORIES]
    if isinstance(domain, Integers):
        return _integers(domain, (0, 1, 2, 5))
    if isinstance(domain, Vectors) and isinstance(domain.of, Integers):
        size = 2 if domain.size is None else domain.size
        least, *_ = steps = _integers(domain.of, (0, 1, 2))
        return [[*ends, *[least] * (size - len(ends))] for ends in product(steps, repeat=min(size, 2))]
    if isinstance(domain, BitVectors):
        return _vectors(domain)
    if isinstance(domain, Maps) and isinstance(domain.values, Integers):
        return _maps(domain)
    if isinstance(domain, KeySets):
        keys = _some_keys(domain.keys)[: domain.most]
        return [[], *([tuple(keys[:n])] for n in range(1, len(keys) + 1))]
    raise UnsupportedError(f"inputs from {domain!r} are not chosen here: give pairs")


def _integers(domain: Integers, steps: Sequence[int]) -> list[int]:
    start = domain.low if domain.low is not None else 0 if domain.high is None else min(domain.high - max(steps), 0)
    return [start + step for step in steps if start + step in domain]


def _vectors(domain: BitVectors) -> list[tuple[bool, ...]]:
    k, w = domain.length, domain.max_weight
    if k > _MOST_BITS:
        raise UnsupportedError(f"vectors of {k} bits: need at most {_MOST_BITS} for an audit; give pairs")
    if k <= _ALL_BITS:
        return [x for x in product((False, True), repeat=k) if sum(x) <= w]
    first, last = [i < w for i in range(k)], [i >= k - min(w, k - w) for i in range(k)]
    others = ([False] * k, [i < 1 <= w for i in range(k)]) if k <= 2 * _ALL_BITS else ()
    return list(dict.fromkeys(tuple(x) for x in (first, last, *others)))


def _maps(domain: Maps) -> list[dict[Any, int]]:
    keys = _some_keys(domain.keys)
    made = [{key: count for key, count in zip(keys, counts, strict=False) if count} for counts in _MAPS]
    return [x for i, x in enumerate(made) if x in domain and x not in made[:i]]


def _some_keys(domain: Domain) -> list[Any]:
    return ["a", "b", "c"] if all(key in domain for key in "abc") else list(_of_domain(domain))[:3]
