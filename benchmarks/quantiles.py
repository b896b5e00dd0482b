"""Quantiles: the median of 1,000 people at epsilon 1, and how many people are between it and the true one.

Each library is given the same whole numbers from 0 to 1,000 and the same grid of them: amounts that hardly repeat, and
numbers of visits, of which most are 0. OpenDP chooses by a score from the same candidates; PipelineDP counts in a tree.
Ours is one median with all of epsilon; with an interval, half of epsilon pays for its ends.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from benchmarks.measure import Look, Row
from benchmarks.peers import PEERS, NotRunError, environment

PEOPLE, TOP = 1000, 1000
OPENDP = """
import json, sys
import opendp.prelude as dp
dp.enable_features("contrib")
values, top, often = json.load(sys.stdin)
space = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
scores = dp.t.make_quantile_score_candidates(*space, list(range(top + 1)), alpha=0.5)
def made(scale):
    return scores >> dp.m.then_noisy_max(dp.max_divergence(), scale=scale, negate=True)
choose = dp.binary_search_chain(made, d_in=1, d_out=1.0, T=float)
print(json.dumps([choose(values) for _ in range(often)]))
"""
PIPELINEDP = """
import json, sys
import pipeline_dp as pdp
values, top, often = json.load(sys.stdin)
rows = list(enumerate(values))
take = pdp.DataExtractors(
    privacy_id_extractor=lambda row: row[0], partition_extractor=lambda row: 0, value_extractor=lambda row: row[1]
)
asked = pdp.AggregateParams(
    metrics=[pdp.Metrics.PERCENTILE(50)], max_partitions_contributed=1, max_contributions_per_partition=1,
    min_value=0, max_value=top
)
found = []
for _ in range(often):
    budget = pdp.NaiveBudgetAccountant(total_epsilon=1, total_delta=1e-12)
    result = pdp.DPEngine(budget, pdp.LocalBackend()).aggregate(rows, asked, take, public_partitions=[0])
    budget.compute_budgets()
    found.append(next(iter(result))[1][0])
print(json.dumps(found))
"""


def opendp(look: Look) -> Iterator[Row]:
    """Beside OpenDP's choice by score."""
    yield from _beside("opendp", OPENDP, look)


def pipelinedp(look: Look) -> Iterator[Row]:
    """Beside PipelineDP's tree."""
    yield from _beside("pipelinedp", PIPELINEDP, look)


def _beside(name: str, script: str, look: Look) -> Iterator[Row]:
    peer, often = PEERS[name], 20 if look.quick else 400
    python = environment(peer, look)
    for kind, values in _people().items():
        given = json.dumps([values.tolist(), TOP, often])
        done = subprocess.run([python, "-c", script], input=given, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NotRunError(f"{peer.title}: {(done.stderr.strip() or 'no message').splitlines()[-1][:200]}")
        theirs = _rank_error(values, json.loads(done.stdout))
        for ends, words in ((0, "the median"), (Fraction(1, 2), "the median with its interval")):
            ours = _rank_error(values, medians(values, often, Fraction(ends)))
            what = f"{words} of 1,000 {kind}: mean rank error over {peer.title}'s"
            goal = None if ends else 0.5
            yield Row(what, f"{ours:.2f}", f"{theirs:.2f}", ours / theirs if theirs else None, "<=", goal)


def medians(values: np.ndarray, often: int, ends: Fraction) -> list[int]:
    """Return as many medians of the same people, each at epsilon 1."""
    from discreet.coins import SYSTEM
    from discreet.tables.histograms import Histograms
    from discreet.tables.quantiles import ChooseByRank

    counts = np.bincount(values, minlength=TOP + 1)
    bins = np.flatnonzero(counts)
    one = Histograms.of(np.zeros(len(bins), np.intp), bins, counts[bins], 1)
    choose = ChooseByRank(TOP + 1, (Fraction(1, 2),), 1 - ends, ends / 2)
    return choose.sample(one[np.zeros(often, np.intp)], SYSTEM)[:often].tolist()  # type: ignore[no-any-return]


def _people() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(1)
    amounts = rng.lognormal(5.5, 0.7, PEOPLE).astype(int)
    visits = rng.geometric(0.3, PEOPLE) * (rng.random(PEOPLE) < 0.45)
    return {"amounts": np.clip(amounts, 0, TOP), "numbers of visits": np.clip(visits, 0, TOP)}


def _rank_error(values: np.ndarray, found: list[float]) -> float:
    """Return the mean number of people between released values and the middle rank."""
    below, up_to = ((values < x).sum() for x in found), ((values <= x).sum() for x in found)
    half = len(values) / 2
    return float(np.mean([max(a - half, half - b, 0) for a, b in zip(below, up_to, strict=True)]))


PARTS = {"opendp-quantiles": opendp, "pipelinedp-quantiles": pipelinedp}
