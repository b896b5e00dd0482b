"""What the documentation says of epsilon is computed, for the relation that holds: added or removed, or changed."""

import math
import re
from fractions import Fraction
from pathlib import Path

import pytest

from discreet import IntegerLaplace
from discreet.domains import Integers, Vectors

PAGE = Path(__file__).parents[2] / "docs" / "choosing-epsilon.md"
EPSILONS = (0.1, 0.5, 1, 2, 4, 8)


def rows():
    """The percentages of the page's table: of one step, and of two."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ") and " % |" in line]
    return [[float(x) for x in re.findall(r"([\d.]+) % \|", line)] for line in lines[:2]]


def after(before, factor):
    odds = before / (1 - before) * factor
    return odds / (1 + odds)


@pytest.mark.parametrize("steps", [1, 2])
def test_the_table_of_beliefs_is_computed_and_rounded_to_the_safe_side(steps):
    for printed, epsilon in zip(rows()[steps - 1], EPSILONS, strict=True):
        truth = 100 * after(0.1, math.exp(steps * epsilon))
        assert truth <= printed < truth + 0.1


def test_a_histogram_really_moves_the_odds_by_one_step_for_presence_and_by_two_for_an_attribute():
    """Smokers and others at epsilon 1, by the law of the noise: some answer attains each factor, none exceeds it."""
    scale = Fraction(1)
    noise = IntegerLaplace.within(epsilon=1, d_in=1, domain=Vectors(Integers(), size=2))
    assert noise.scale == scale
    others = (5, 5)

    def density(answer, counts):
        return math.exp(-sum(abs(a - c) for a, c in zip(answer, counts, strict=True)) / float(scale))

    answers = [(a, b) for a in range(-5, 16) for b in range(-5, 16)]
    there = max(density(x, (6, 5)) / density(x, others) for x in answers)
    smokes = max(density(x, (6, 5)) / density(x, (5, 6)) for x in answers)
    assert there == pytest.approx(math.e)
    assert smokes == pytest.approx(math.e**2)
    assert round(100 * after(0.1, there), 1) == 23.2
    assert round(100 * after(0.1, smokes), 1) == 45.1
