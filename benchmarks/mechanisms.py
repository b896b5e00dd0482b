"""The mechanisms beside OpenDP's. A peer that is slow answers fewer, and its time is scaled up to as many."""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from benchmarks.measure import Look, Row, faster, power
from benchmarks.peers import opendp
from discreet import (
    Choose,
    Gaussian,
    IntegerLaplace,
    LaplaceThreshold,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    Sensitivity,
)
from discreet.reals import float_up, sign

FEW = 3000
CATEGORIES = [f"answer {i}" for i in range(16)]


def single(look: Look) -> Iterator[Row]:
    dp = opendp(look)
    scalar = dp.atom_domain(T=int), dp.absolute_distance(T=int)
    pairs = {
        "randomized response, yes or no": (
            RandomizedResponseBool(prob=0.75),
            dp.m.make_randomized_response_bool(0.75),
            True,
        ),
        "randomized response, 16 categories": (
            RandomizedResponse(categories=CATEGORIES, prob=0.75),
            dp.m.make_randomized_response(CATEGORIES, 0.75),
            CATEGORIES[3],
        ),
        "integer Laplace": (IntegerLaplace(scale=10.0), dp.m.make_laplace(*scalar, 10.0), 100),
    }
    for what, (ours, theirs, x) in pairs.items():
        mine, other = look.each((lambda m=ours, x=x: m.release(x), 3000), (lambda t=theirs, x=x: t(x), 300))
        yield faster(f"one release, {what}: faster than OpenDP", mine, other, 20)


def answers(look: Look) -> Iterator[Row]:
    dp = opendp(look)
    n, few = look.size(10**6), look.size(FEW)
    given = np.random.default_rng(1).choice(CATEGORIES, n)
    m = RandomizedResponse(categories=CATEGORIES, prob=0.5)
    peer = dp.m.make_randomized_response(CATEGORIES, 0.5)
    fewer = given[:few].tolist()
    for kind, xs in {"strings in an array": given, "strings in a list": given.tolist()}.items():
        ours, theirs = look.best(lambda xs=xs: m.release_many(xs), lambda: [peer(x) for x in fewer])
        note = f"{ours / n * 1e9:.0f} ns an answer"
        what = f"{power(n)} categorical answers, {kind}: faster than OpenDP"
        yield faster(what, ours, theirs / few * n, 500, note)


def bits(look: Look) -> Iterator[Row]:
    dp = opendp(look)
    n, k, few = look.size(10**5), 128, look.size(FEW)
    m = Rappor(length=k, max_weight=1, f=0.5)
    rows = np.eye(k, dtype=bool)[np.random.default_rng(1).integers(0, k, n)]
    peer = dp.m.make_randomized_response_bitvec(dp.bitvector_domain(max_weight=1), dp.discrete_distance(), 0.5)
    packed = [np.packbits(row).tobytes() for row in rows[:few]]
    ours, theirs = look.best(lambda: m.release_many(rows), lambda: [peer(report) for report in packed])
    what, note = f"RAPPOR bits, {power(n)} vectors of 128: faster than OpenDP", f"{ours / rows.size * 1e9:.1f} ns a bit"
    yield faster(what, ours, theirs / few * n, 300, note)


def keys(look: Look) -> Iterator[Row]:
    dp = opendp(look)
    n = look.size(10**5)
    values = np.random.default_rng(1).zipf(1.5, n).clip(0, 10**6)
    table = {f"key {i}": int(v) for i, v in enumerate(values)}
    m = LaplaceThreshold.within(epsilon=1, delta=1e-6)
    space = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int)), dp.l01inf_distance(dp.absolute_distance(T=int))
    peer = dp.m.make_laplace_threshold(*space, scale=1.0, threshold=m.threshold)
    for what, data, goal in (
        ("dict in, dict out", table, 50),
        ("arrays of integer keys", (np.arange(n), values), 200),
        ("arrays of string keys", (np.array(list(table)), values), 200),
    ):
        ours, theirs = look.best(lambda x=data: m.release(x), lambda: peer(table), repeat=3)
        ours = min(ours, *look.best(lambda x=data: m.release(x)))
        note = f"{ours / n * 1e9:.0f} ns a key"
        yield faster(f"threshold over {power(n)} keys, {what}: faster than OpenDP", ours, theirs, goal, note)


def losses(look: Look) -> Iterator[Row]:
    """Reported epsilons beside the exact curve: delta is kept at each of them, and exceeded at the float below."""
    deltas = ("0.2", "1e-6", "1e-20", "1e-300")
    grid = [(v, l0, Fraction(d)) for v in ("1/2", 3, 12, 400, 10**6) for l0 in (1, 4, 100) for d in deltas]
    grid, wrong = grid[:1] if look.quick else grid, []
    for v, l0, delta in grid:
        apart = Sensitivity(l0, l0, 1)
        found = float_up(Gaussian(v, delta=delta).loss(apart).epsilon)
        below = Fraction(math.nextafter(found, 0))
        over = [sign(Gaussian(v, epsilon=e).loss(apart).delta - delta) > 0 for e in (Fraction(found), below)]
        wrong += [] if over == [False, found > 0] else [(v, l0, delta)]
    what = "epsilons of Gaussian noise that are not the least float, over a grid of variance, l0 and delta to 1e-300"
    yield Row(what, f"{len(wrong)}", f"{len(grid)}", len(wrong) / len(grid), "<=", 0)


def selection(look: Look) -> Iterator[Row]:
    dp = opendp(look)
    n = look.size(10**4)
    scores = np.random.default_rng(1).integers(0, 1000, n)
    m = Choose(categories=range(n), scale=100)
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    peer = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=100.0)
    listed = scores.tolist()
    for kind, xs, goal in (("an array", scores, 20), ("a list", listed, 5)):
        ours, theirs = look.each((lambda xs=xs: m.release(xs), 100), (lambda: peer(listed), 10))
        yield faster(
            f"one of {power(n)} candidates, scores in {kind}: faster than OpenDP's noisy max", ours, theirs, goal
        )


PARTS = {"single": single, "answers": answers, "bits": bits, "keys": keys, "losses": losses, "selection": selection}
