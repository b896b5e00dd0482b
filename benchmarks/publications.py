"""Tables that add up: a census-like table of 20,000 people in 50 regions, 18 age groups and 2 sexes, at epsilon 1.

Published are all people, regions, regions by age, and regions by age and sex. The error of the finest groups, its mean
size over all of them, is that of the published counts over that of tables with noise of their own and the same budget,
which are released beside them. People are made with a fixed seed, and regions are very unequal.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

from benchmarks.measure import Look, Row, power, seconds
from discreet.tables import Table
from discreet.tables.fitting import Fit, Whole

SIZES = (50, 18, 2)
CENSUS = ("region", "age", "sex")
PEOPLE, RUNS = 20_000, 10
SIDE = 100
"""As many keys has each of three columns in the large table."""


def census(look: Look) -> Iterator[Row]:
    """The finest groups' errors, published and as they were drawn."""
    pick = np.random.default_rng(11)
    regions, ages = pick.dirichlet(np.full(SIZES[0], 0.3)), pick.dirichlet(np.full(SIZES[1], 2.0))
    chances = np.multiply.outer(np.multiply.outer(regions, ages), [0.5, 0.5])
    counts = pick.multinomial(look.size(PEOPLE), chances.ravel())
    cells = np.repeat(np.arange(counts.size), counts)
    columns = dict(zip(CENSUS, np.unravel_index(cells, SIZES), strict=True))
    table = Table(pd.DataFrame({"id": np.arange(len(cells)), **columns}), person="id")
    keys = {name: list(range(size)) for name, size in zip(CENSUS, SIZES, strict=True)}
    plan = table.plan([CENSUS[:n] for n in range(len(SIZES) + 1)], epsilon=1, keys=keys)
    errors = []
    for _ in range(1 if look.quick else RUNS):
        found = plan.release()[CENSUS].columns
        errors.append([np.abs(np.array(found[name]) - counts).mean() for name in ("people", "noisy people")])
    ours, alone = np.mean(errors, 0)
    what = f"a census of {PEOPLE:,} people: error of the finest groups over tables with noise of their own"
    yield Row(what, f"{ours:.3g} people", f"{alone:.3g} people", ours / alone, "<=", 0.6)


def cells(look: Look) -> Iterator[Row]:
    """A million cells, with three tables above them, fitted and made whole."""
    sizes = (10 if look.quick else SIDE,) * 3
    pick, tables = np.random.default_rng(1), [tuple(range(n)) for n in range(4)]
    noisy = {axes: pick.integers(-9, 12, [sizes[i] for i in axes]) for axes in tables}
    fit, whole, possible = Fit(sizes, dict.fromkeys(tables, 36.0)), Whole(sizes, tuple(tables)), np.ones(sizes, bool)
    (ours,) = look.best(lambda: whole.numbers(fit.estimates(noisy), possible))
    what = f"{power(SIDE**3)} cells and three tables above them made to add up: CPU in seconds"
    yield Row(what, seconds(ours), "1 s", ours, "<=", 1)


PARTS = {"census": census, "cells": cells}
