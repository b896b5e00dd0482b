"""What surveys said before oracles were values: figures that no tidying may change.

``python tests/helpers/oracle_figures.py`` writes tests/data/oracles.json anew. A changed file is a changed format, a
changed estimate or a changed plan: write it anew only on purpose.
"""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np

from discreet import (
    LongitudinalRappor,
    OptimizedUnary,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    SubsetSelection,
)
from discreet.survey import Estimate, Question, influence, plan

FILE = Path(__file__).parents[1] / "data" / "oracles.json"
SIZES = (2, 3, 8, 9, 20, 300)


def forms():
    """Yield forms of every mechanism over few and many choices, by name."""
    yield "yes or no", Question("smokes", [False, True]).form(RandomizedResponseBool(prob="3/4"))
    for k in SIZES:
        q = Question("city", [f"city {i}" for i in range(k - 1)], missing="elsewhere")
        subset = max(k // 3, 1)
        for m in (
            RandomizedResponse(categories=q.categories, prob="3/4"),
            SubsetSelection(categories=q.categories, size=subset, prob=Fraction(subset, k) / 2 + Fraction(1, 2)),
            OptimizedUnary(length=k, p="1/2", q="1/5"),
            Rappor(length=k, max_weight=1, f="1/2"),
            LongitudinalRappor(length=k, max_weight=1, f="1/2", p="1/4", q="7/8"),
        ):
            yield f"{type(m).__name__}, {k}", q.form(m)


def rows_of(form):
    """Return some reports of a form, written by hand: a place, or some bits in a row."""
    k, m = len(form.question), form.mechanism
    if isinstance(m, RandomizedResponse | RandomizedResponseBool):
        places = [i * i % k for i in range(60)]
        return np.array([list(place.to_bytes(form.width, "little")) for place in places], np.uint8)
    bits = np.zeros((60, k), bool)
    for i in range(60):
        size = m.size if isinstance(m, SubsetSelection) else i % (k + 1)
        bits[i, [(i + j) % k for j in range(size)]] = True
    return np.packbits(bits, axis=1, bitorder="little")


def figures_of(form):
    """Return what a form says about itself and about its reports, as plain values."""
    rows = rows_of(form)
    counts = form.count(rows)
    estimate = Estimate.of(form, counts * 40, len(rows) * 40)
    d = estimate.difference(*estimate.choices[:2])
    few = np.array([0, len(form.question) // 2, len(form.question) - 1])
    return {
        "form": form.to_dict()["mechanism"],
        "digest": form.digest.hex(),
        "width": form.width,
        "support": [str(x) for x in form.support],
        "both": [str(x) for x in form.oracle.both(0, 1)],
        "influence": str(influence(form.mechanism)),
        "count": np.asarray(counts)[few].tolist(),
        "sum": int(np.sum(counts)),
        "valid": int(form.valid(rows).sum()),
        "plausible": int(form.plausible(rows).sum()),
        "shares": estimate.shares[few].tolist(),
        "errors": estimate.standard_errors()[few].tolist(),
        "intervals": estimate.intervals[few].tolist(),
        "difference": [d.difference, d.error, d.low, d.high],
        "misfit": estimate.misfit.p,
        "says": [str(form.read(row.tobytes())) for row in rows[:3]] if len(form.question) < 10 else [],
    }


def plans():
    """Yield the tables of plans, by what was asked."""
    for k in (2, 3, 10, 100):
        for epsilon in ("1/2", "1", "3", "20"):
            for wanted in ({}, {"margin": "0.05"}, {"people": 1000}, {"people": 50_000, "max_share": "0.1"}):
                found = plan(k, epsilon=epsilon, **wanted)
                yield f"{k} choices, epsilon {epsilon}, {wanted}", [list(row.values()) for row in found.to_rows()]


def figures():
    return {"forms": {name: figures_of(form) for name, form in forms()}, "plans": dict(plans())}


if __name__ == "__main__":
    FILE.write_text(json.dumps(figures(), indent=0) + "\n", encoding="utf-8")
