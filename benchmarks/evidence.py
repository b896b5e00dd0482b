"""The exact audit of every mechanism, as one table: what each claims, and what its real law shows."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from itertools import permutations, product
from pathlib import Path
from typing import Any

from discreet import (
    Composition,
    IntegerLaplace,
    Integers,
    LaplaceThreshold,
    LongitudinalRappor,
    Measurement,
    OneHot,
    OptimizedUnary,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    SubsetSelection,
    Vectors,
    audit,
)

PAGE = Path(__file__).parents[1] / "docs" / "evidence.md"
Pairs = list[tuple[Any, Any]]


def cases() -> Iterator[tuple[str, Measurement[Any, Any], Pairs]]:
    """Each mechanism with the pairs of inputs that are looked at."""
    for p in ("1/2", "3/4", "999/1000"):
        yield f"RandomizedResponseBool, p = {p}", RandomizedResponseBool(prob=p), both((True, False))
    for t, p in ((2, "3/4"), (3, "1/3"), (16, "1/2")):
        m = RandomizedResponse(categories=range(t), prob=p)
        yield f"RandomizedResponse, {t} categories, p = {p}", m, both((*range(t), "foreign"))
    for k, d, p in ((3, 2, "4/5"), (6, 2, "1/3"), (7, 3, "2/3")):
        sets = SubsetSelection(categories=range(k), size=d, prob=p)
        yield f"SubsetSelection, {d} of {k} categories, p = {p}", sets, both((*range(k), "foreign"))
    for s in ("1/3", "1", "10"):
        yield f"IntegerLaplace, scale {s}", IntegerLaplace(scale=s), both((0, 1, 2, 5))
    yield (
        "IntegerLaplace, scale 2, saturating in 0..3",
        IntegerLaplace(scale=2, domain=Integers(low=0, high=3)),
        both(range(4)),
    )
    yield (
        "IntegerLaplace on vectors, scale 3",
        IntegerLaplace(scale=3, domain=Vectors(Integers())),
        both(list(map(list, product((0, 1, 3), repeat=2)))),
    )
    maps = [{}, {"a": 1}, {"a": 2}, {"b": 1}, {"a": 1, "b": 1}, {"a": 9}, {"a": 8, "c": 1}, {"a": 1, "b": 1, "c": 1}]
    for s, t in (("1/2", 3), ("1", 6), ("5", 20)):
        threshold = LaplaceThreshold(scale=s, threshold=t)
        near = [(x, y) for x, y in both(maps) if threshold.input_metric.measure(x, y)[2] <= t]
        yield f"LaplaceThreshold, scale {s}, T = {t}", threshold, near
    for k, w, f in ((1, 1, "1/2"), (4, 1, "1/2"), (5, 2, "1/10"), (3, 3, "1")):
        vectors = [x for x in product((False, True), repeat=k) if sum(x) <= w]
        yield f"Rappor, {k} bits, weight {w}, f = {f}", Rappor(length=k, max_weight=w, f=f), both(vectors)
    for k, p, q in ((1, "1/2", "1/5"), (4, "1/2", "1/4"), (5, "2/3", "1/10")):
        unary = OptimizedUnary(length=k, p=p, q=q)
        vectors = [x for x in product((False, True), repeat=k) if sum(x) <= 1]
        yield f"OptimizedUnary, {k} bits, p = {p}, q = {q}", unary, both(vectors)
    for k, w, f, p, q in ((4, 1, "1/2", "1/2", "3/4"), (3, 2, "1/4", "1/5", "9/10"), (4, 3, "1/3", "0", "1/2")):
        lasting = LongitudinalRappor(length=k, max_weight=w, f=f, p=p, q=q)
        vectors = [x for x in product((False, True), repeat=k) if sum(x) <= w]
        yield f"LongitudinalRappor, one report, {k} bits, weight {w}, f = {f}, p = {p}, q = {q}", lasting, both(vectors)
    yield "OneHot >> Rappor", OneHot(["a", "b", "c"]) >> Rappor(length=3, max_weight=1, f="1/4"), both("abc")
    yield (
        "Composition of two",
        Composition([RandomizedResponseBool(prob="3/4"), RandomizedResponseBool(prob="2/3")]),
        both((True, False)),
    )


def both(members: Any) -> Pairs:
    return list(permutations(members, 2))


def page() -> str:
    """The table, as a page of the documentation."""
    lines = [
        "# Evidence",
        "",
        "For each mechanism, the exact divergence of its real output laws over pairs of inputs, next to what its",
        "privacy map claims at their distance: epsilon, or delta at the claimed epsilon. The truth is an enclosure",
        "from the exact law, tails included, 256 bits fine. A tightness of 1 means that no smaller claim would hold.",
        "`make evidence` makes this page, and a test fails when it is stale.",
        "",
        "| mechanism | pairs | verdict | worst pair | claimed | true | tightness |",
        "|---|---:|---|---|---:|---:|---:|",
    ]
    for name, mechanism, pairs in cases():
        result = audit.exact(mechanism, pairs=pairs)
        worst = result.worst
        verdict = "holds" if result.holds else "**VIOLATED**"
        lines.append(
            f"| {name} | {len(pairs)} | {verdict} | `{worst.x!r}`, `{worst.y!r}` "
            f"| {result.quantity} {worst.claimed:.12g} | {float(worst.low):.12g} | {worst.tightness:.9f} |"
        )
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with docs/evidence.md and write nothing")
    text = page()
    if parser.parse_args().check:
        return 0 if PAGE.exists() and PAGE.read_text() == text else 1
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(text)
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
