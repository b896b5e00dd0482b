"""Confidence bounds: against another implementation, and against the exact laws that they are about."""

import numpy as np
import pytest
from scipy import stats

from discreet import ParameterError
from discreet.intervals import bennett, binomial, binomial_high, binomial_low, checked_confidence


@pytest.mark.parametrize(("k", "n"), [(0, 1), (1, 1), (0, 10), (3, 10), (10, 10), (500, 1000), (7, 10**6)])
@pytest.mark.parametrize("error", [0.1, 1e-4, 1e-9])
def test_the_bounds_are_clopper_and_pearson_a_little_wider(k, n, error):
    low, high = float(binomial_low(k, n, error)), float(binomial_high(k, n, error))
    if k == 0:
        assert low == 0
    else:
        assert error * (1 - 1e-5) <= stats.binom.sf(k - 1, n, low) <= error * (1 + 1e-10)
    if k == n:
        assert high == 1
    else:
        assert stats.binom.cdf(k, n, high) <= error * (1 + 1e-10)
        assert stats.binom.cdf(k, n, high - 3e-9) >= error * (1 - 1e-5)


@pytest.mark.parametrize("n", [1, 2, 5, 50])
@pytest.mark.parametrize("p", [0.001, 0.1, 0.37, 0.5, 0.9, 0.999])
def test_the_binomial_interval_covers_exactly(n, p):
    low, high = binomial(np.arange(n + 1), n, 0.05)
    law = stats.binom.pmf(np.arange(n + 1), n, p)
    assert law[(low <= p) & (p <= high)].sum() >= 0.95


@pytest.mark.parametrize("n", [5, 50, 500])
@pytest.mark.parametrize("p", [0.01, 0.3, 0.5, 0.95])
@pytest.mark.parametrize("error", [0.2, 0.025, 1e-4])
def test_bennetts_radius_is_exceeded_less_often_than_stated(n, p, error):
    radius = float(bennett(n, p * (1 - p), 1 - p, error))
    assert stats.binom.sf(np.floor(n * (p + radius)), n, p) <= error


def test_bennetts_radius_solves_its_equation_from_above_and_nears_the_normal_one():
    n, v, b, error = 1000, 0.2, 3.0, 0.01
    u = float(bennett(n, v, b, error)) * b / v
    known = n * v / b**2 * ((1 + u) * np.log1p(u) - u)
    assert -np.log(error) <= known <= -np.log(error) * (1 + 1e-6)
    assert 1 <= float(bennett(10**12, v, b, error)) / np.sqrt(-2 * np.log(error) * v / 10**12) < 1.001
    assert bennett(10, [0.0, 0.1], 1.0, 0.5).shape == (2,)


@pytest.mark.parametrize("wrong", [0, 1, -1, 2, "x", float("nan")])
def test_a_confidence_lies_between_0_and_1(wrong):
    with pytest.raises(ParameterError):
        checked_confidence(wrong)
