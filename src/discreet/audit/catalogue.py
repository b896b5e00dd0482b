"""The catalogue: every mechanism of the library with inputs for its audit, and the evidence that comes of them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from typing import Any, TypeAlias

from discreet.audit.laws import ExactAudit, exact
from discreet.composition import Composition
from discreet.core import Measurement
from discreet.domains import Integers, Vectors
from discreet.mechanisms import (
    Choose,
    FindKeys,
    GaussianThreshold,
    IntegerGaussian,
    IntegerLaplace,
    KeyRound,
    LaplaceThreshold,
    LongitudinalRappor,
    OneHot,
    OptimizedUnary,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    SubsetSelection,
    TruncatedLaplaceThreshold,
)
from discreet.metrics import L01InfDistance
from discreet.progress import Progress

__all__ = ["cases", "evidence"]

Pairs: TypeAlias = list[tuple[Any, Any]]


def evidence() -> dict[str, ExactAudit]:
    """Return the exact audit of every mechanism of the library, by a name that says its parameters.

    It takes some seconds: every audit is made anew, with 200 draws of each input.

    >>> from discreet import audit
    >>> next(iter(audit.cases()))[0]
    'RandomizedResponseBool, p = 1/2'
    """
    listed = list(cases())
    found = {}
    with Progress("audits", total=len(listed)) as progress:
        for name, mechanism, pairs in listed:
            found[name] = exact(mechanism, pairs=pairs, draws=200)
            progress.add(1)
    return found


def cases() -> Iterator[tuple[str, Measurement[Any, Any], Pairs]]:
    """Each mechanism with the pairs of inputs that are looked at."""
    for p in ("1/2", "3/4", "999/1000"):
        yield f"RandomizedResponseBool, p = {p}", RandomizedResponseBool(prob=p), _both((True, False))
    for t, p in ((2, "3/4"), (3, "1/3"), (16, "1/2")):
        m = RandomizedResponse(categories=range(t), prob=p)
        yield f"RandomizedResponse, {t} categories, p = {p}", m, _both((*range(t), "foreign"))
    for k, d, p in ((3, 2, "4/5"), (6, 2, "1/3"), (7, 3, "2/3")):
        sets = SubsetSelection(categories=range(k), size=d, prob=p)
        yield f"SubsetSelection, {d} of {k} categories, p = {p}", sets, _both((*range(k), "foreign"))
    for s in ("1/3", "1", "10"):
        yield f"IntegerLaplace, scale {s}", IntegerLaplace(scale=s), _both((0, 1, 2, 5))
    yield (
        "IntegerLaplace, scale 2, saturating in 0..3",
        IntegerLaplace(scale=2, domain=Integers(low=0, high=3)),
        _both(range(4)),
    )
    yield (
        "IntegerLaplace on vectors, scale 3",
        IntegerLaplace(scale=3, domain=Vectors(Integers())),
        _both(list(map(list, product((0, 1, 3), repeat=2)))),
    )
    for s in ("1/2", "3"):
        scores = list(map(list, product(range(4), repeat=2)))
        yield f"Choose, 2 categories, scale {s}", Choose(categories=range(2), scale=s), _both(scores)
    maps = [{}, {"a": 1}, {"a": 2}, {"b": 1}, {"a": 1, "b": 1}, {"a": 9}, {"a": 8, "c": 1}, {"a": 1, "b": 1, "c": 1}]
    for s, t in (("1/2", 3), ("1", 6), ("5", 20)):
        threshold = LaplaceThreshold(scale=s, threshold=t)
        yield f"LaplaceThreshold, scale {s}, T = {t}", threshold, _near(maps, t)
    yield "IntegerGaussian, variance 2, epsilon 1", IntegerGaussian(variance=2, epsilon=1), _both((0, 1, 2, 5))
    yield (
        "GaussianThreshold, variance 1/5, T = 3, epsilon 3",
        GaussianThreshold(variance="1/5", threshold=3, epsilon=3),
        [*_both([{}, {"a": 1}, {"b": 1}]), *_both([{"a": 9}, {"a": 8}, {"a": 8, "c": 1}])],
    )
    for s, r, t in (("1", 5, 5), ("2", 9, 6)):
        limited = TruncatedLaplaceThreshold(scale=s, limit=r, threshold=t)
        yield f"TruncatedLaplaceThreshold, scale {s}, limit {r}, T = {t}", limited, _near(maps, t)
    people = [[], [("a",)], [("a", "b")], [("a", "b"), ("b",)], [("a",)] * 3, [("a",)] * 3 + [("a", "b")]]
    for rounds in ((KeyRound(30, 26),), (KeyRound(30, 26), KeyRound(14, 20))):
        keys = FindKeys(rounds, max_keys=2, epsilon=80, norm=12)
        near = [(x, y) for x, y in _both(people) if keys.input_metric.measure(x, y) == 1]
        yield f"FindKeys, {len(rounds)} round{'s' * (len(rounds) > 1)}, norm 12, epsilon 80", keys, near
    for k, w, f in ((1, 1, "1/2"), (4, 1, "1/2"), (5, 2, "1/10"), (3, 3, "1")):
        vectors = [x for x in product((False, True), repeat=k) if sum(x) <= w]
        yield f"Rappor, {k} bits, weight {w}, f = {f}", Rappor(length=k, max_weight=w, f=f), _both(vectors)
    for k, p, q in ((1, "1/2", "1/5"), (4, "1/2", "1/4"), (5, "2/3", "1/10")):
        unary = OptimizedUnary(length=k, p=p, q=q)
        vectors = [x for x in product((False, True), repeat=k) if sum(x) <= 1]
        yield f"OptimizedUnary, {k} bits, p = {p}, q = {q}", unary, _both(vectors)
    for k, w, f, p, q in ((4, 1, "1/2", "1/2", "3/4"), (3, 2, "1/4", "1/5", "9/10"), (4, 3, "1/3", "0", "1/2")):
        lasting = LongitudinalRappor(length=k, max_weight=w, f=f, p=p, q=q)
        vectors = [x for x in product((False, True), repeat=k) if sum(x) <= w]
        yield (
            f"LongitudinalRappor, one report, {k} bits, weight {w}, f = {f}, p = {p}, q = {q}",
            lasting,
            _both(vectors),
        )
    yield "OneHot >> Rappor", OneHot(["a", "b", "c"]) >> Rappor(length=3, max_weight=1, f="1/4"), _both("abc")
    yield (
        "Composition of two",
        Composition([RandomizedResponseBool(prob="3/4"), RandomizedResponseBool(prob="2/3")]),
        _both((True, False)),
    )


def _both(members: Any) -> Pairs:
    return list(permutations(members, 2))


def _near(maps: list[dict[str, int]], most: int) -> Pairs:
    """The pairs of maps in which no value differs by more than a threshold."""
    return [(x, y) for x, y in _both(maps) if L01InfDistance().measure(x, y).li <= most]
