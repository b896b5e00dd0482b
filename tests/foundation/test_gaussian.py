"""The discrete Gaussian sampler's real law: by enumeration of words, by enclosure, and last by statistics."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from discreet.errors import ParameterError
from discreet.samplers import discrete_gaussian, discrete_gaussian_many


def law(variance, cuts):
    """The probabilities of (-inf, c0], (c0, c1] ... (c_last, inf), in floats."""
    most = int(cuts[-1] + 20 * float(variance) ** 0.5 + 20)
    z = np.arange(-most, most + 1)
    p = np.exp(-(z.astype(float) ** 2) / (2 * float(variance)))
    return np.bincount(np.searchsorted(cuts, z, side="left"), weights=p) / p.sum()


def p_value(draws, variance, pieces=40):
    """The p-value of draws, by chi-square between cuts of about equal probability."""
    cuts = np.unique(np.round(stats.norm(scale=float(variance) ** 0.5).ppf(np.arange(1, pieces) / pieces)).astype(int))
    counts = np.bincount(np.searchsorted(cuts, draws, side="left"), minlength=len(cuts) + 1)
    return stats.chisquare(counts, law(variance, cuts) * counts.sum()).pvalue


@pytest.mark.parametrize("variance", [Fraction(1, 3), Fraction(9, 10), Fraction(1), Fraction(25, 3), Fraction(10**4)])
def test_single_draws_fit_the_law_and_not_one_of_another_variance(variance):
    draws = [discrete_gaussian(variance) for _ in range(30_000)]
    assert p_value(draws, variance) > 1e-9
    assert p_value(draws, variance * Fraction(12, 10)) < 1e-20


def test_variances_from_tiny_to_huge():
    assert discrete_gaussian(0) == discrete_gaussian(Fraction(1, 10**300)) == 0
    for variance in (10**40, 10**300, Fraction(10**300 + 1, 3)):
        draws = discrete_gaussian_many(variance, 100)
        assert draws.dtype == object
        # Pr[|Z| > 16 sigma] < 1e-56; Pr[|Z| < sigma / 10**12] < 1e-12.
        assert all(variance / 10**24 < z * z < 256 * variance for z in draws.tolist())
    for n in (0, 3):
        assert discrete_gaussian_many(0, n).tolist() == [0] * n
        assert discrete_gaussian_many(2**108, n).dtype == object
        assert discrete_gaussian_many(2**108 - 1, n).dtype == np.int64
        with pytest.raises(ParameterError, match=r"^variance=-1: need variance >= 0"):
            discrete_gaussian_many(-1, n)
    for wrong in (-1, Fraction(-1, 2)):
        with pytest.raises(ParameterError):
            discrete_gaussian(wrong)
