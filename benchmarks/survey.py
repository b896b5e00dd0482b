"""Surveys beside multi-freq-ldpy (insecure, compiled by numba) and OpenDP; accuracy beside the limit."""

from __future__ import annotations

import tracemalloc

import numpy as np
import opendp.prelude as dp
from multi_freq_ldpy.pure_frequency_oracles.GRR import GRR_Aggregator_MI, GRR_Client
from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Aggregator_MI, SS_Client
from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI, UE_Client

from benchmarks.measure import Row, best
from discreet import OptimizedUnary, RandomizedResponse, Rappor, SubsetSelection
from discreet.survey import Question

FEW = 2000
MANY = 10**6


def rows() -> list[Row]:
    return [*_answers(), *_subsets(), *_vectors(), *_memory(), *_accuracy()]


def _answers() -> list[Row]:
    k, epsilon = 16, 1.0
    q = Question("answer", range(k))
    form = q.form(RandomizedResponse.within(epsilon=epsilon, categories=q.categories))
    answers = np.random.default_rng(1).integers(0, k, MANY)
    theirs = best(lambda: [GRR_Client(x, k, epsilon) for x in answers[: MANY // 10]], 3) * 10
    names = [str(i) for i in range(k)]
    peer = dp.m.make_randomized_response(names, 0.5)
    few = [names[i] for i in answers[:FEW]]
    opendp = best(lambda: [peer(x) for x in few], 3) * (MANY / FEW)
    ours = best(lambda: form.perturb(q.places(answers)), 5)
    reports = form.perturb(q.places(answers))
    listed = [GRR_Client(x, k, epsilon) for x in answers]
    theirs_estimate = best(lambda: GRR_Aggregator_MI(listed, k, epsilon), 3)

    def estimate() -> None:
        box = q.collector(form.mechanism)
        box.add_many(reports)
        est = box.estimate()
        est.shares, est.intervals, est.standard_errors()

    ours_estimate = best(estimate, 5)
    return [
        Row("10^6 answers of 16: perturb, faster than multi-freq-ldpy", theirs / ours, ">=", 10, _ns(ours, MANY)),
        Row("10^6 answers of 16: perturb, faster than opendp", opendp / ours, ">=", 500),
        Row(
            "10^6 answers of 16: collect and estimate, faster than multi-freq-ldpy",
            theirs_estimate / ours_estimate,
            ">=",
            50,
            _ns(ours_estimate, MANY),
        ),
    ]


def _subsets() -> list[Row]:
    k, epsilon, n = 16, 1.0, MANY // 10
    q = Question("answer", range(k))
    form = q.form(SubsetSelection.within(epsilon=epsilon, categories=q.categories))
    answers = np.random.default_rng(1).integers(0, k, n)
    SS_Client(answers[0], k, epsilon)
    theirs = best(lambda: [SS_Client(x, k, epsilon) for x in answers], 3)
    ours = best(lambda: form.perturb(answers), 5)
    listed, reports = [SS_Client(x, k, epsilon) for x in answers], form.perturb(answers)
    theirs_estimate = best(lambda: SS_Aggregator_MI(listed, k, epsilon), 3)

    def estimate() -> None:
        box = q.collector(form.mechanism)
        box.add_many(reports)
        est = box.estimate()
        est.shares, est.intervals, est.standard_errors()

    return [
        Row("10^5 subsets of 16: perturb, faster than multi-freq-ldpy", theirs / ours, ">=", 10, _ns(ours, n)),
        Row(
            "10^5 subsets of 16: collect and estimate, faster than multi-freq-ldpy",
            theirs_estimate / best(estimate, 5),
            ">=",
            50,
        ),
    ]


def _vectors() -> list[Row]:
    n, k, epsilon = 10**5, 128, 2.0
    answers = np.random.default_rng(1).integers(0, k, n)
    q = Question("answer", range(k))
    UE_Client(int(answers[0]), k, epsilon)
    theirs = best(lambda: [UE_Client(x, k, epsilon) for x in answers[: n // 10]], 3) * 10
    rappor = Rappor.within(epsilon=epsilon, length=k, max_weight=1)
    peer = dp.m.make_randomized_response_bitvec(
        dp.bitvector_domain(max_weight=1), dp.discrete_distance(), float(rappor.f)
    )
    packed = [np.packbits(row).tobytes() for row in np.eye(k, dtype=bool)[answers[:FEW]]]
    opendp = best(lambda: [peer(report) for report in packed], 3) * (n / FEW)
    found = []
    for m in (OptimizedUnary.within(epsilon=epsilon, length=k), rappor):
        ours = best(lambda m=m: m.release_packed(answers), 5)
        name, note = f"10^5 one-hot vectors of 128 bits, {type(m).__name__}", f"{ours / n / k * 1e9:.2f} ns a bit"
        found.append(Row(f"{name}: perturb, faster than multi-freq-ldpy", theirs / ours, ">=", 10, note))
        found.append(Row(f"{name}: perturb, faster than opendp", opendp / ours, ">=", 500))
    form = q.form(OptimizedUnary.within(epsilon=epsilon, length=k))
    reports, listed = form.perturb(answers), [UE_Client(x, k, epsilon) for x in answers[: n // 10]]
    theirs = best(lambda: UE_Aggregator_MI(listed, epsilon), 3) * 10

    def estimate() -> None:
        box = q.collector(form.mechanism)
        box.add_many(reports)
        est = box.estimate()
        est.shares, est.intervals, est.standard_errors()

    ratio = theirs / best(estimate, 5)
    return [*found, Row("10^5 vectors of 128 bits: collect and estimate, faster than multi-freq-ldpy", ratio, ">=", 10)]


def _memory() -> list[Row]:
    n, k = 10**5, 128
    m = OptimizedUnary.within(epsilon=2, length=k)
    answers = np.random.default_rng(1).integers(0, k, n)
    m.release_packed(answers[:100])
    tracemalloc.start()
    reports = m.release_packed(answers)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return [Row("10^5 packed vectors of 128 bits: peak memory over the reports' own", peak / reports.nbytes, "<=", 1.5)]


def _accuracy() -> list[Row]:
    """The mean squared error of the planner's choice over the limit, by simulation at equal shares."""
    found = []
    for k in (2, 10, 100):
        q = Question("answer", range(k))
        for epsilon in (0.5, 1, 2, 4):
            plan = q.plan(epsilon=epsilon)
            ratio = simulated(q, plan.mechanism) / plan.limit
            name = type(plan.mechanism).__name__
            found.append(Row(f"k = {k}, epsilon = {epsilon}: squared error over the limit, {name}", ratio, "<=", 1.03))
    return found


def simulated(q: Question, mechanism: object, n: int = 100) -> float:
    """n times the mean squared error of a share, over many samples of a population of equal shares."""
    form, k = q.form(mechanism), len(q)
    rng, squares, rounds = np.random.default_rng(7), [], 400
    for _ in range(-(-100_000 // (k - 1) // rounds)):
        supported = form.supported(form.perturb(rng.integers(0, k, n * rounds))).reshape(rounds, n, k)
        p, other = map(float, form.support)
        shares = (supported.mean(axis=1) - other) / (p - other)
        squares.append(np.mean((shares - 1 / k) ** 2))
    return float(n * np.mean(squares))


def _ns(seconds: float, n: int) -> str:
    return f"{seconds / n * 1e9:.1f} ns an answer"
