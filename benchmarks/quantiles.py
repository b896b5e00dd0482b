"""Quantiles: the median of 1,000 people at epsilon 1, and how many people are between it and the true one.

Each library is given the same whole numbers from 0 to 1,000 and the same grid of them: amounts that hardly repeat, and
numbers of visits, of which most are 0. There are many tables of each kind: in one, the error depends most of all on
whether the middle rank is between two values, and over forty the ratio is still off by 0.09. OpenDP chooses by a score
from the same candidates, by permute and flip, and for the same neighbours; PipelineDP counts in a tree, and its values
are rounded to whole numbers, which helps them. Ours is one median with all of epsilon; with an interval, half of
epsilon pays for its ends.
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
_TABLES = 200
OPENDP = """
import json, sys
import opendp.prelude as dp
dp.enable_features("contrib")
tables, top, often = json.load(sys.stdin)
space = dp.vector_domain(dp.atom_domain(T=int)), dp.symmetric_distance()
scores = dp.t.make_quantile_score_candidates(*space, list(range(top + 1)), alpha=0.5)
def made(scale):
    return scores >> dp.m.then_noisy_max(dp.max_divergence(), scale=scale, negate=True)
choose = dp.binary_search_chain(made, d_in=1, d_out=1.0, T=float)
print(json.dumps([[choose(values) for _ in range(often)] for values in tables]))
"""
PIPELINEDP = """
import json, sys
import pipeline_dp as pdp
tables, top, often = json.load(sys.stdin)
take = pdp.DataExtractors(
    privacy_id_extractor=lambda row: row[0], partition_extractor=lambda row: 0, value_extractor=lambda row: row[1]
)
asked = pdp.AggregateParams(
    metrics=[pdp.Metrics.PERCENTILE(50)], max_partitions_contributed=1, max_contributions_per_partition=1,
    min_value=0, max_value=top
)
def found(rows):
    budget = pdp.NaiveBudgetAccountant(total_epsilon=1, total_delta=1e-12)
    result = pdp.DPEngine(budget, pdp.LocalBackend()).aggregate(rows, asked, take, public_partitions=[0])
    budget.compute_budgets()
    return round(next(iter(result))[1][0])
print(json.dumps([[found(list(enumerate(values))) for _ in range(often)] for values in tables]))
"""


def opendp(look: Look) -> Iterator[Row]:
    """Beside OpenDP's choice by score."""
    yield from _beside("opendp", OPENDP, look)


def pipelinedp(look: Look) -> Iterator[Row]:
    """Beside PipelineDP's tree."""
    yield from _beside("pipelinedp", PIPELINEDP, look)


def _beside(name: str, script: str, look: Look) -> Iterator[Row]:
    peer, often = PEERS[name], 1 if look.quick else 10
    python = environment(peer, look)
    for kind, tables in _people().items():
        given = json.dumps([[values.tolist() for values in tables], TOP, often])
        done = subprocess.run([python, "-c", script], input=given, capture_output=True, text=True, check=False)
        if done.returncode:
            raise NotRunError(f"{peer.title}: {(done.stderr.strip() or 'no message').splitlines()[-1][:200]}")
        theirs = _rank_error(tables, json.loads(done.stdout))
        for ends, words in ((0, "the median"), (Fraction(1, 2), "the median with its interval")):
            ours = _rank_error(tables, [medians(values, often, Fraction(ends)) for values in tables])
            what = f"{words} of 1,000 {kind}: mean rank error over {peer.title}'s"
            goal = None if ends else 0.5
            yield Row(what, f"{ours:.2f}", f"{theirs:.2f}", ours / theirs if theirs else None, "<=", goal)


def medians(values: np.ndarray, often: int, ends: Fraction) -> list[int]:
    """Return as many medians of the same people, each at epsilon 1."""
    from discreet.coins import SYSTEM
    from discreet.tables.histograms import Histograms
    from discreet.tables.quantiles import CutByRank

    counts = np.bincount(values, minlength=TOP + 1)
    bins = np.flatnonzero(counts)
    one = Histograms.of(np.zeros(len(bins), np.intp), bins, counts[bins], 1)
    cut = CutByRank(TOP + 1, (Fraction(1, 2),), 1 - ends, ends / 2)
    return cut.sample(one[np.zeros(often, np.intp)], SYSTEM)[:often].tolist()  # type: ignore[no-any-return]


def _people() -> dict[str, list[np.ndarray]]:
    rng = np.random.default_rng(1)
    amounts = [rng.lognormal(5.5, 0.7, PEOPLE).astype(int) for _ in range(_TABLES)]
    visits = [rng.geometric(0.3, PEOPLE) * (rng.random(PEOPLE) < 0.45) for _ in range(_TABLES)]
    kinds = {"amounts": amounts, "numbers of visits": visits}
    return {kind: [np.clip(values, 0, TOP) for values in tables] for kind, tables in kinds.items()}


def _rank_error(tables: list[np.ndarray], found: list[list[float]]) -> float:
    """Return the mean number of people between released values and the middle rank."""
    errors = []
    for values, medians in zip(tables, found, strict=True):
        half = len(values) / 2
        errors += [max((values < x).sum() - half, half - (values <= x).sum(), 0) for x in medians]
    return float(np.mean(errors))


PARTS = {"opendp-quantiles": opendp, "pipelinedp-quantiles": pipelinedp}
