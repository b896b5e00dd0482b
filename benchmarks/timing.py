"""What output and clock together tell of the input of a Laplace release, ours and OpenDP's, for a claimed epsilon of 1.

The audit bounds the loss of (output, time) from below, at a confidence of 1 - 1e-9. Neither library promises that the
clock tells nothing: this is a report. The finer the clock's quantiles, the more it tells.
"""

from __future__ import annotations

import opendp.prelude as dp

from benchmarks.measure import Row
from discreet import IntegerLaplace, audit

TRIALS = 40_000


def rows() -> list[Row]:
    peer = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), 1.0)
    found = []
    for bins in (8, 32):
        ours, theirs = (bound(release, bins) for release in (IntegerLaplace(scale=1).release, peer))
        what = f"(output, time in {bins} quantiles) of a Laplace release: least epsilon over opendp's"
        found.append(Row(what, ours / theirs, "<=", 1, f"claimed 1, at least {ours:.2f} beside {theirs:.2f}"))
    return found


def bound(release: object, bins: int) -> float:
    return audit.sampled(audit.timed(release, bins=bins, calls=5000), 0, 1, claim=1.0, trials=TRIALS).bound
