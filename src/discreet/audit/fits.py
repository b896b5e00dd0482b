"""Fits: whether what a mechanism draws follows the law that it states.

A map may be right about a law that the sampler does not follow. Half of the draws choose an event, the outcomes that
are seen more often than stated, and the other half bound its probability by Clopper and Pearson (1934), so that the
choice costs no confidence. Of joint laws the parts are looked at one by one, and then together, each cut in two: parts
that share their coins are each right alone. An outcome that cannot happen contradicts the law by happening once.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, singledispatch
from itertools import product
from operator import itemgetter
from typing import Any, Final, TypeAlias

import numpy as np

from discreet.audit.outputs import seen, whole_of
from discreet.composition import Composition
from discreet.core import Measured, Measurement, Postprocessed
from discreet.domains import Integers
from discreet.intervals import binomial_high, binomial_low
from discreet.mechanisms import AddNoise, KeepAbove
from discreet.noise import Noise
from discreet.reals import Number, Real, total
from discreet.words import brief

__all__ = ["Misfit", "Outcome", "answers", "misfits"]

View: TypeAlias = tuple[Callable[[Any], Hashable], Mapping[Any, Number]]
_ERROR: Final = 1e-9
"""The probability that an audit of a right sampler finds a misfit."""
_TOGETHER: Final = 6
_CUTS: Final = tuple(Fraction(1, k) for k in (3, 5, 10, 16, 25, 40))
"""Probabilities of the noise beyond each cut, on either side."""


@dataclass(frozen=True, slots=True)
class Misfit:
    """An input whose draws do not follow the stated law: an event, its stated probability, and bounds from draws."""

    x: Any
    event: Any
    stated: float
    low: float
    high: float


class Outcome:
    """A release as a key: two are equal only if they have the same type and value, and arrays are as their entries.

    >>> Outcome(True) == Outcome(1), Outcome(np.array([1, 2])) == Outcome((1, 2))
    (False, True)
    """

    __slots__ = ("_key", "value")

    def __init__(self, value: Any) -> None:
        self.value = value
        self._key = whole_of(seen(_plain(value)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Outcome) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def __repr__(self) -> str:
        return brief(self.value)


def _plain(o: Any) -> Any:
    """Return arrays and lists as tuples, and NumPy's numbers as Python's."""
    if isinstance(o, np.ndarray | np.generic):
        o = o.tolist()
    return tuple(map(_plain, o)) if isinstance(o, list | tuple) else o


def misfits(mechanism: Measurement[Any, Any], inputs: Iterable[Any], draws: int) -> Iterator[Misfit]:
    """Yield where the draws of a mechanism do not follow its law; for a right one, with probability 1e-9, any."""
    listed = list({whole_of(seen(x)): x for x in inputs}.values())
    for x in listed:
        looked_at = views(mechanism, x)
        outputs = [mechanism.release(x) for _ in range(draws)]
        for look, law in looked_at:
            found = _misfit(x, law, [look(o) for o in outputs], _ERROR / len(listed) / len(looked_at))
            if found is not None:
                yield found


def _misfit(x: Any, law: Mapping[Any, Number], events: list[Hashable], error: float) -> Misfit | None:
    """Return an event that the draws contradict: one that cannot happen, or else one that happens too often."""
    stated = {event: _middle(law.get(event, Fraction(0))) for event in set(events)}
    never = [event for event in stated if law.get(event, Fraction(0)) == 0]
    half = 0 if never else len(events) // 2
    first = Counter(events[:half])
    often = [event for event in first if first[event] > half * stated[event] + math.sqrt(half * stated[event])]
    chosen = never or often
    p, n = sum(stated[event] for event in chosen), len(events) - half
    hits = sum(event in chosen for event in events[half:])
    low, high = float(binomial_low(hits, n, error / 2)), float(binomial_high(hits, n, error / 2))
    return None if low <= p <= high else Misfit(x, chosen, p, low, high)


@singledispatch
def answers(mechanism: Measurement[Any, Any], x: Any) -> Iterator[tuple[Any, Number]]:
    """Yield each release of an input, as the mechanism gives it, with its probability; there are finitely many."""
    law = mechanism.law(x)
    drawn = mechanism.release(x)
    for answer, p in law.items():
        yield np.array(answer, drawn.dtype) if isinstance(drawn, np.ndarray) else answer, p


@answers.register
def _(mechanism: Measured, x: Any) -> Iterator[tuple[Any, Number]]:
    return answers(mechanism.then, mechanism.first(x))


@answers.register
def _(mechanism: Postprocessed, x: Any) -> Iterator[tuple[Any, Number]]:
    return ((mechanism.function(answer), p) for answer, p in answers(mechanism.measurement, x))


@singledispatch
def views(mechanism: Measurement[Any, Any], x: Any) -> list[View]:
    """Return functions of a release, each with the law that it has to follow."""
    law: dict[Any, Number] = {}
    for answer, p in answers(mechanism, x):
        law[Outcome(answer)] = law.get(Outcome(answer), Fraction(0)) + p
    return [(Outcome, law)]


@views.register
def _(mechanism: Measured, x: Any) -> list[View]:
    return views(mechanism.then, mechanism.first(x))


@views.register
def _(mechanism: Composition, x: Any) -> list[View]:
    parts = enumerate(mechanism.measurements)
    return _and_together([_of(itemgetter(i), view) for i, part in parts for view in views(part, x)])


@views.register
def _(mechanism: AddNoise, x: Any) -> list[View]:
    noise, domain = mechanism.noise, mechanism.domain
    if isinstance(domain, Integers):
        return [_noisy(noise, domain, int(x))]
    of: Any = domain.of
    entries = enumerate(list(x)[:_TOGETHER])
    return _and_together([_of(itemgetter(i), _noisy(noise, of, int(mean))) for i, mean in entries])


@views.register
def _(mechanism: KeepAbove, x: Any) -> list[View]:
    counts = as_map(x)
    parts: list[View] = [(lambda o: set(as_map(o)) <= set(counts), {True: Fraction(1)})]
    for key in list(counts)[: _TOGETHER - 1]:
        view = _thresholded(mechanism.noise, mechanism.threshold, int(counts[key]))
        parts.append(_of(partial(_value_of, key), view))
    return _and_together(parts)


def _of(pick: Callable[[Any], Any], view: View) -> View:
    """Return a view of what is picked from a release."""
    look, law = view
    return (lambda o: look(pick(o))), law


def _value_of(key: Any, o: Any) -> Any:
    return as_map(o).get(key)


def as_map(x: Any) -> Mapping[Any, Any]:
    """Return counts by their keys, given as such or as a pair of arrays."""
    return x if isinstance(x, Mapping) else dict(zip(x[0].tolist(), x[1].tolist(), strict=True))


def _noisy(noise: Noise, domain: Integers, mean: int) -> View:
    """Return how a noisy number lies between cuts around its mean; past its bounds all is at the bound."""
    reaches = [noise.reach(cut) for cut in _CUTS]
    cuts = sorted({mean, mean + 1, *(mean + k for k in reaches), *(mean + 1 - k for k in reaches)})
    cuts = [c for c in cuts if (domain.low is None or c > domain.low) and (domain.high is None or c <= domain.high)]
    above = [Fraction(1), *(noise.at_least(c - mean) for c in cuts), Fraction(0)]
    law = {i: above[i] - above[i + 1] for i in range(len(cuts) + 1)}
    return (lambda o: bisect_right(cuts, int(o))), law


def _thresholded(noise: Noise, threshold: int, mean: int) -> View:
    """Return whether a count is released, and whether above its mean: both have closed forms."""
    sign = 1 if threshold >= 0 else -1
    least, far = sign * threshold + 1, max(sign * threshold, sign * mean) + 1
    if mean == 0:
        return (lambda value: "absent" if value is None else "there"), {"absent": Fraction(1)}
    released, beyond = noise.at_least(least - sign * mean), noise.at_least(far - sign * mean)
    law: dict[Any, Number] = {"absent": 1 - released, "far": beyond}
    if least < far:
        law["near"] = released - beyond
    return (lambda value: "absent" if value is None else "far" if sign * value >= far else "near"), law


def _and_together(parts: list[View]) -> list[View]:
    """Return views, and one of some of them together, each cut in two."""
    if len(parts) < 2:
        return parts
    cut = [(look, _half_of(law), law) for look, law in parts[:_TOGETHER]]
    masses = [total(law[event] for event in half) for _, half, law in cut]
    law: dict[Any, Number] = {}
    for sides in product((True, False), repeat=len(cut)):
        mass: Number = Fraction(1)
        for side, p in zip(sides, masses, strict=True):
            mass = mass * (p if side else 1 - p)
        law[sides] = mass
    return [*parts, (lambda o: tuple(look(o) in half for look, half, _ in cut), law)]


def _half_of(law: Mapping[Any, Number]) -> set[Any]:
    """Return events that have about half of the probability together."""
    half: set[Any] = set()
    mass = 0.0
    for event in law:
        if mass < 0.5:
            half.add(event)
            mass += _middle(law[event])
    return half


def _middle(p: Number) -> float:
    return max(float(p.enclosure(64)[0]), 0.0) if isinstance(p, Real) else float(p)
