"""Write Reported.v: parameters of each mechanism, and the loss that the Python reports for them, as m 2^e.

`python proofs/floats.py --write` with discreet on the path. Floats.v proves that each is the least float that is at
least the loss that the marked lines state.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import frexp
from pathlib import Path

from discreet import (
    Choose,
    IntegerGaussian,
    IntegerLaplace,
    LaplaceThreshold,
    LongitudinalRappor,
    OptimizedUnary,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    SubsetSelection,
)

REPORTED = Path(__file__).with_name("Reported.v")
MANY, MORE = 10, 300
"""How many parameters of each mechanism are committed, and how many are tried in `make test-all`."""

Row = tuple[int, ...]


def as_integers(loss: float) -> Row:
    """Return m and e with loss = m 2^e, m of 53 bits."""
    m, e = frexp(loss)
    return int(m * 2**53), e - 53


def scattered(i: int, low: int, high: int, salt: int) -> int:
    """Return a number from low to high that depends on i in no simple way, and never changes."""
    return low + pow(3, 1000 * salt + i + 1, 1_000_003) % (high - low + 1)


def inside(i: int, low: Fraction, high: Fraction, salt: int) -> Fraction:
    """Return a fraction strictly between two others, of any denominator up to 1000."""
    d = scattered(i, 3, 1000, salt)
    return low + (high - low) * Fraction(scattered(i, 1, d - 1, salt + 1), d)


def response_bool(many: int) -> Iterator[Row]:
    """Yield the numerator and denominator of prob."""
    for i in range(many):
        p = inside(i, Fraction(1, 2), Fraction(1), 1)
        yield p.numerator, p.denominator, *as_integers(RandomizedResponseBool(prob=p).privacy_map(1))


def response(many: int) -> Iterator[Row]:
    """Yield prob and the number of categories."""
    for i in range(many):
        t = scattered(i, 2, 40, 3)
        p = inside(i, Fraction(1, t), Fraction(1), 4)
        loss = RandomizedResponse(categories=range(t), prob=p).privacy_map(1)
        yield p.numerator, p.denominator, t, *as_integers(loss)


def rappor(many: int) -> Iterator[Row]:
    """Yield f, the greatest weight and the length."""
    for i in range(many):
        f, k = inside(i, Fraction(0), Fraction(1), 6), scattered(i, 1, 60, 8)
        w = scattered(i, 1, k, 9)
        yield f.numerator, f.denominator, w, k, *as_integers(Rappor(length=k, max_weight=w, f=f).privacy_map(1))


def unary(many: int) -> Iterator[Row]:
    """Yield p, q and the length; one bit is a case of its own."""
    for i in range(many):
        p, k = inside(i, Fraction(0), Fraction(1), 10), scattered(i, 2, 60, 12) if i % 3 else 1
        q = inside(i, Fraction(0), p, 13)
        loss = OptimizedUnary(length=k, p=p, q=q).privacy_map(1)
        yield p.numerator, p.denominator, q.numerator, q.denominator, k, *as_integers(loss)


def subset(many: int) -> Iterator[Row]:
    """Yield prob, the size of the set and the number of categories."""
    for i in range(many):
        k = scattered(i, 2, 40, 22)
        size = scattered(i, 1, k - 1, 23)
        p = inside(i, Fraction(size, k), Fraction(1), 24)
        loss = SubsetSelection(categories=range(k), size=size, prob=p).privacy_map(1)
        yield p.numerator, p.denominator, size, k, *as_integers(loss)


def laplace(many: int) -> Iterator[Row]:
    """Yield the distance and the scale."""
    for i in range(many):
        l1, s = scattered(i, 1, 50, 15), inside(i, Fraction(0), Fraction(100), 16)
        yield l1, s.numerator, s.denominator, *as_integers(IntegerLaplace(scale=s).privacy_map(l1))


def choose(many: int) -> Iterator[Row]:
    """Yield how much scores may differ by, and the scale."""
    for i in range(many):
        d, s = scattered(i, 1, 50, 26), inside(i, Fraction(0), Fraction(100), 27)
        yield d, s.numerator, s.denominator, *as_integers(Choose(categories=range(3), scale=s).privacy_map(d))


def gaussian(many: int) -> Iterator[Row]:
    """Yield the square of how far apart vectors are, of one number each, and the variance; the float is rho."""
    for i in range(many):
        d, v = scattered(i, 1, 50, 29), inside(i, Fraction(0), Fraction(1000), 30)
        yield d * d, v.numerator, v.denominator, *as_integers(IntegerGaussian(variance=v).privacy_map(d))


def longitudinal(many: int) -> Iterator[Row]:
    """Yield f, p, q, how many reports, the greatest weight and the length; then the loss of these, and for ever."""
    for i in range(many):
        f, k, r = inside(i, Fraction(0), Fraction(1), 32), scattered(i, 1, 60, 34), scattered(i, 1, 12, 35)
        p = inside(i, Fraction(0), Fraction(1), 36) if i % 4 else Fraction(0)
        q = inside(i, p, Fraction(1), 38) if i % 4 != 2 else Fraction(1)
        w = scattered(i, 1, k, 40)
        m = LongitudinalRappor(length=k, max_weight=w, f=f, p=p, q=q)
        pairs = [x for share in (f, p, q) for x in (share.numerator, share.denominator)]
        yield (*pairs, r, w, k, *as_integers(m.privacy_map_of(r)), *as_integers(m.privacy_map_for_ever()))


def threshold(many: int) -> Iterator[Row]:
    """Yield how many groups a person is in, the threshold, and the scale; the float is delta."""
    for i in range(many):
        l0, s = scattered(i, 1, 20, 18), inside(i, Fraction(1, 2), Fraction(4), 19)
        t = scattered(i, 1, 1 + int(12 * s), 21)
        _, delta = LaplaceThreshold(scale=s, threshold=t).privacy_map((l0, l0, 1))
        yield l0, t, s.numerator, s.denominator, *as_integers(delta)


TABLES = (response_bool, response, rappor, unary, subset, laplace, choose, gaussian, longitudinal, threshold)


def text(many: int = MANY) -> str:
    """Return Reported.v, as the Python reports."""
    head = [
        "(* Written by floats.py from what the Python reports: do not edit. *)",
        "From Coq Require Import ZArith List.",
        "Import ListNotations.",
        "Open Scope Z_scope.",
    ]
    return "\n".join(head) + "\n" + "".join(f"\n{_table(t.__name__, list(t(many)))}" for t in TABLES)


def _table(name: str, rows: Iterable[Row]) -> str:
    # The first two of a threshold are exponents, and so positive.
    shown = [[f"{n}%positive" if name == "threshold" and i < 2 else str(n) for i, n in enumerate(row)] for row in rows]
    return f"Definition {name}_rows := [\n  " + ";\n  ".join(f"({', '.join(row)})" for row in shown) + "].\n"


if __name__ == "__main__":
    if "--write" in sys.argv:
        REPORTED.write_text(text())
    else:
        print(text())
