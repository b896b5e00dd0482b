"""What output and clock together tell of the input of a Laplace release, ours and OpenDP's, for a claimed epsilon of 1.

The audit bounds the loss of (output, time) from below, at a confidence of 1 - 1e-9. Neither library promises that the
clock tells nothing: this is a report. The finer the clock's quantiles, the more it tells.
"""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.measure import Look, Row
from benchmarks.peers import opendp
from discreet import IntegerLaplace, audit

TRIALS = 40_000


def clock(look: Look) -> Iterator[Row]:
    dp = opendp(look)
    peer = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), 1.0)
    trials = look.size(TRIALS)
    for bins in (8, 32):
        ours, theirs = (bound(release, bins, trials) for release in (IntegerLaplace(scale=1).release, peer))
        what = f"(output, time in {bins} quantiles) of a Laplace release: least epsilon over OpenDP's"
        ratio = ours / theirs if theirs else None
        yield Row(what, f"{ours:.2f}", f"{theirs:.2f}", ratio, "<=", 1, f"claimed 1, from {trials:,} trials")


def bound(release: object, bins: int, trials: int) -> float:
    return audit.sampled(audit.timed(release, bins=bins, calls=min(trials, 5000)), 0, 1, claim=1.0, trials=trials).bound


PARTS = {"clock": clock}
