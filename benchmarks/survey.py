"""Surveys beside multi-freq-ldpy (insecure, compiled by numba) and OpenDP; accuracy beside the limit of any mechanism.

A peer that is slow perturbs fewer answers, and its time is scaled up to as many.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.measure import Look, Row, faster, power
from benchmarks.peers import here, opendp
from discreet import OptimizedUnary, RandomizedResponse, Rappor, SubsetSelection
from discreet.survey import Question, TextQuestion

FEW = 2000
MANY = 10**6
LDPY = "multi-freq-ldpy"


def answers(look: Look) -> Iterator[Row]:
    client, aggregator = _ldpy("GRR", look)
    k, epsilon, n, few = 16, 1.0, look.size(MANY), look.size(MANY // 10)
    q, form, given = _asked(k, RandomizedResponse, epsilon, n)
    client(int(given[0]), k, epsilon)
    ours, theirs = look.best(
        lambda: form.perturb(q.places(given)), lambda: [client(x, k, epsilon) for x in given[:few]]
    )
    what = f"{power(n)} answers of {k}: perturb, faster than {LDPY}"
    yield faster(what, ours, theirs / few * n, 10, _each(ours, n))
    listed, reports = [client(x, k, epsilon) for x in given], form.perturb(q.places(given))
    ours, theirs = look.best(_estimate(q, form, reports), lambda: aggregator(listed, k, epsilon))
    what = f"{power(n)} answers of {k}: collect and estimate, faster than {LDPY}"
    yield faster(what, ours, theirs, 50, _each(ours, n))


def against_opendp(look: Look) -> Iterator[Row]:
    dp = opendp(look)
    k, epsilon, n, few = 16, 1.0, look.size(MANY), look.size(FEW)
    q, form, given = _asked(k, RandomizedResponse, epsilon, n)
    names = [str(i) for i in range(k)]
    peer, fewer = dp.m.make_randomized_response(names, 0.5), [names[i] for i in given[:few]]
    ours, theirs = look.best(lambda: form.perturb(q.places(given)), lambda: [peer(x) for x in fewer])
    yield faster(f"{power(n)} answers of {k}: perturb, faster than OpenDP", ours, theirs / few * n, 500)
    k, n = 128, look.size(10**5)
    vectors = np.random.default_rng(1).integers(0, k, n)
    for m in _unary(k):
        f = float(_unary(k)[1].f)
        bits = dp.m.make_randomized_response_bitvec(dp.bitvector_domain(max_weight=1), dp.discrete_distance(), f)
        packed = [np.packbits(row).tobytes() for row in np.eye(k, dtype=bool)[vectors[:few]]]
        ours, theirs = look.best(lambda m=m: m.release_packed(vectors), lambda b=bits, p=packed: [b(x) for x in p])
        what = f"{power(n)} one-hot vectors of {k} bits, {type(m).__name__}: perturb, faster than OpenDP"
        yield faster(what, ours, theirs / few * n, 500, f"{ours / n / k * 1e9:.2f} ns a bit")


def subsets(look: Look) -> Iterator[Row]:
    client, aggregator = _ldpy("SS", look)
    k, epsilon, n = 16, 1.0, look.size(MANY // 10)
    q, form, given = _asked(k, SubsetSelection, epsilon, n)
    client(given[0], k, epsilon)
    ours, theirs = look.best(lambda: form.perturb(given), lambda: [client(x, k, epsilon) for x in given], repeat=3)
    yield faster(f"{power(n)} subsets of {k}: perturb, faster than {LDPY}", ours, theirs, 10, _each(ours, n))
    listed, reports = [client(x, k, epsilon) for x in given], form.perturb(given)
    ours, theirs = look.best(_estimate(q, form, reports), lambda: aggregator(listed, k, epsilon))
    yield faster(f"{power(n)} subsets of {k}: collect and estimate, faster than {LDPY}", ours, theirs, 50)


def vectors(look: Look) -> Iterator[Row]:
    client, aggregator = _ldpy("UE", look)
    k, epsilon, n, few = 128, 2.0, look.size(10**5), look.size(10**4)
    given, q = np.random.default_rng(1).integers(0, k, n), Question("answer", range(k))
    client(int(given[0]), k, epsilon)
    for m in _unary(k):
        ours, theirs = look.best(
            lambda m=m: m.release_packed(given), lambda: [client(x, k, epsilon) for x in given[:few]]
        )
        what = f"{power(n)} one-hot vectors of {k} bits, {type(m).__name__}: perturb, faster than {LDPY}"
        yield faster(what, ours, theirs / few * n, 10, f"{ours / n / k * 1e9:.2f} ns a bit")
    form = q.form(_unary(k)[0])
    reports, listed = form.perturb(given), [client(x, k, epsilon) for x in given[:few]]
    ours, theirs = look.best(_estimate(q, form, reports), lambda: aggregator(listed, epsilon))
    what = f"{power(n)} vectors of {k} bits: collect and estimate, faster than {LDPY}"
    yield faster(what, ours, theirs / few * n, 10)


def memory(look: Look) -> Iterator[Row]:
    n, k = look.size(10**5), 128
    m = _unary(k)[0]
    given = np.random.default_rng(1).integers(0, k, n)
    m.release_packed(given[:100])
    tracemalloc.start()
    reports = m.release_packed(given)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    what = f"{power(n)} packed vectors of {k} bits: peak memory over the reports' own"
    yield Row(what, f"{peak:,} B", f"{reports.nbytes:,} B", peak / reports.nbytes, "<=", 1.5)


def accuracy(look: Look) -> Iterator[Row]:
    """The mean squared error of the planner's choice over the limit, by simulation at equal shares."""
    for k in (2, 10, 100):
        q = Question("answer", range(k))
        for epsilon in (0.5, 1, 2, 4):
            plan = q.plan(epsilon=epsilon)
            error = simulated(q, plan.mechanism, look.size(100_000))
            what = f"k = {k}, epsilon = {epsilon}: squared error over the limit, {type(plan.mechanism).__name__}"
            yield Row(what, f"{error:.4g}", f"{plan.limit:.4g}", error / plan.limit, "<=", 1.03)


def texts(look: Look) -> Iterator[Row]:
    """How often the 95 % intervals of open text hold, with few cohorts and with texts that are no candidates."""
    ranks = 1 / np.arange(1, 120)
    cases = {
        "half of the people have texts that are no candidates": ([0.3, 0.2], [0.25, 0.15, 0.1]),
        "200 texts are no candidates": ([0.2, 0.1], [0.7 / 200] * 200),
        "texts by rank": (ranks[:3].tolist(), ranks[3:].tolist()),
    }
    rounds = look.size(200)
    for cohorts in (2, 8, 64):
        for name, (known, unknown) in cases.items():
            held = covered(cohorts, known, unknown, rounds)
            goal = 0.95 - 3 * (0.95 * 0.05 / rounds) ** 0.5
            yield Row(
                f"open text, {cohorts} cohorts, {name}: intervals that hold", f"{held:.3f}", "0.95", held, ">=", goal
            )


def covered(cohorts: int, known: list[float], unknown: list[float], rounds: int) -> float:
    """The share of rounds in which the interval of the first candidate holds its share; each has hashes of its own."""
    rng, held, n = np.random.default_rng(cohorts), 0, 100_000
    shares = np.array([*known, *unknown]) / sum([*known, *unknown])
    names = [f"text {i}" for i in range(len(shares))]
    for _ in range(rounds):
        q = TextQuestion("text", length=64, hashes=2, cohorts=cohorts, key=rng.bytes(8))
        form = q.form(q.mechanism(epsilon=4))
        people = rng.multinomial(n, np.full(cohorts, 1 / cohorts))
        ones = np.zeros((cohorts, q.length), np.int64)
        for cohort, count in enumerate(people):
            bloom = q.bloom(cohort)
            for name, holders in zip(names, rng.multinomial(count, shares), strict=True):
                ones[cohort, bloom.places(name)] += holders
        p, other = map(float, form.mechanism.support)
        totals = rng.binomial(ones, p) + rng.binomial(people[:, None] - ones, other)
        found = form.decode(np.concatenate([totals.ravel(), people]), names[: len(known)])
        low, high = found.intervals[0]
        held += bool(low <= shares[0] <= high)
    return held / rounds


def simulated(q: Question, mechanism: object, squares: int) -> float:
    """People times the mean squared error of a share, over many samples of a population of equal shares."""
    form, k = q.form(mechanism), len(q)
    rng, found, rounds, n = np.random.default_rng(7), [], 400, 100
    for _ in range(-(-squares // (k - 1) // rounds)):
        supported = form.supported(form.perturb(rng.integers(0, k, n * rounds))).reshape(rounds, n, k)
        p, other = map(float, form.support)
        shares = (supported.mean(axis=1) - other) / (p - other)
        found.append(np.mean((shares - 1 / k) ** 2))
    return float(n * np.mean(found))


def _ldpy(name: str, look: Look) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """Return a client and an aggregator of multi-freq-ldpy."""
    here(LDPY, look)
    import importlib

    module = importlib.import_module(f"multi_freq_ldpy.pure_frequency_oracles.{name}")
    return getattr(module, f"{name}_Client"), getattr(module, f"{name}_Aggregator_MI")


def _asked(k: int, mechanism: Any, epsilon: float, n: int) -> tuple[Question, Any, Any]:
    """Return a question, its form, and n answers to it."""
    q = Question("answer", range(k))
    form = q.form(mechanism.within(epsilon=epsilon, categories=q.categories))
    return q, form, np.random.default_rng(1).integers(0, k, n)


def _unary(k: int) -> tuple[OptimizedUnary, Rappor]:
    return OptimizedUnary.within(epsilon=2, length=k), Rappor.within(epsilon=2, length=k, max_weight=1)


def _estimate(q: Question, form: Any, reports: Any) -> Callable[[], None]:
    def estimate() -> None:
        box = q.collector(form.mechanism)
        box.add_many(reports, payloads=True)
        est = box.estimate()
        est.shares, est.intervals, est.standard_errors()

    return estimate


def _each(seconds: float, n: int) -> str:
    return f"{seconds / n * 1e9:.1f} ns an answer"


PARTS = {
    "answers": answers,
    "subsets": subsets,
    "vectors": vectors,
    "opendp": against_opendp,
    "memory": memory,
    "accuracy": accuracy,
    "texts": texts,
}
