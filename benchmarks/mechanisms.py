"""The mechanisms beside OpenDP's."""

from __future__ import annotations

import numpy as np
import opendp.prelude as dp

from benchmarks.measure import Row, best, each
from discreet import IntegerLaplace, LaplaceThreshold, RandomizedResponse, RandomizedResponseBool, Rappor

FEW = 3000
CATEGORIES = [f"answer {i}" for i in range(16)]


def rows() -> list[Row]:
    return [*_single(), *_answers(), *_bits(), *_keys()]


def _single() -> list[Row]:
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
    found = []
    for what, (ours, theirs, x) in pairs.items():
        ratio = each(lambda t=theirs, x=x: t(x), 300) / each(lambda m=ours, x=x: m.release(x), 3000)
        found.append(Row(f"one release, {what}: faster than opendp", ratio, ">=", 20))
    return found


def _answers() -> list[Row]:
    n = 10**6
    answers = np.random.default_rng(1).choice(CATEGORIES, n)
    m = RandomizedResponse(categories=CATEGORIES, prob=0.5)
    peer = dp.m.make_randomized_response(CATEGORIES, 0.5)
    few = answers[:FEW].tolist()
    theirs = best(lambda: [peer(x) for x in few], 5) / FEW
    found = []
    for what, xs in {"strings in an array": answers, "strings in a list": answers.tolist()}.items():
        ours = best(lambda xs=xs: m.release_many(xs), 5) / n
        note = f"{ours * 1e9:.0f} ns an answer"
        found.append(Row(f"10^6 categorical answers, {what}: faster than opendp", theirs / ours, ">=", 500, note))
    return found


def _bits() -> list[Row]:
    n, k = 10**5, 128
    m = Rappor(length=k, max_weight=1, f=0.5)
    rows = np.eye(k, dtype=bool)[np.random.default_rng(1).integers(0, k, n)]
    ours = best(lambda: m.release_many(rows), 5) / rows.size
    peer = dp.m.make_randomized_response_bitvec(dp.bitvector_domain(max_weight=1), dp.discrete_distance(), 0.5)
    packed = [np.packbits(row).tobytes() for row in rows[:FEW]]
    theirs = best(lambda: [peer(report) for report in packed], 5) / (FEW * k)
    note = f"{ours * 1e9:.1f} ns a bit"
    return [Row("RAPPOR bits, 10^5 vectors of 128: faster than opendp", theirs / ours, ">=", 300, note)]


def _keys() -> list[Row]:
    n = 10**5
    values = np.random.default_rng(1).zipf(1.5, n).clip(0, 10**6)
    table = {f"key {i}": int(v) for i, v in enumerate(values)}
    m = LaplaceThreshold.within(epsilon=1, delta=1e-6)
    space = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int)), dp.l01inf_distance(dp.absolute_distance(T=int))
    peer = dp.m.make_laplace_threshold(*space, scale=1.0, threshold=m.threshold)
    theirs = best(lambda: peer(table), 3)
    found = []
    for what, data, goal in (
        ("dict in, dict out", table, 50),
        ("arrays of integer keys", (np.arange(n), values), 200),
        ("arrays of string keys", (np.array(list(table)), values), 200),
    ):
        ours = best(lambda x=data: m.release(x))
        note = f"{ours / n * 1e9:.0f} ns a key"
        found.append(Row(f"threshold over 10^5 keys, {what}: faster than opendp", theirs / ours, ">=", goal, note))
    return found
