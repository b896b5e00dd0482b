"""Bugs of loss distributions."""

from planted import Mutant

CATALOGUE = [
    Mutant(
        "mass above the lattice that is dropped and not counted as delta",
        "accounting/distributions.py",
        "infinite = self.infinite + other.infinite + Fraction(int(above), 1 << self.bits)",
        "infinite = self.infinite + other.infinite",
        "test_distributions.py::test_what_is_cut_off_is_counted_as_delta",
    ),
    Mutant(
        "mass below the lattice that is dropped",
        "accounting/distributions.py",
        "[masses[start] + lost, *masses[start + 1 : end]]",
        "[masses[start], *masses[start + 1 : end]]",
        "test_distributions.py::test_what_is_cut_off_is_counted_as_delta",
    ),
    Mutant(
        "a Gaussian by the continuous formula",
        "accounting/distributions.py",
        "Real(partial(sum_above, variance, n, k)) if k > 0 else 1 - _sum_at_least(variance, n, 1 - k)",
        "Fraction(math.erfc((k - 0.5) / math.sqrt(2 * n * variance)) / 2)",
        "test_distributions.py::test_gaussian_noise_is_counted_by_the_discrete_law",
    ),
    Mutant(
        "losses that are moved to the nearest point, up or down",
        "accounting/distributions.py",
        "parts = enclose_bits([-expm1(-rest) * split for _, rest in places], self.bits)",
        "parts = [(int(2 * rest >= step) << self.bits,) * 2 for _, rest in places]",
        "test_distributions.py::test_a_rough_lattice_is_not_below_the_truth",
    ),
    Mutant(
        "a cell of losses that is moved down",
        "accounting/distributions.py",
        "            masses[-1] += (there - here * fall) * split  # proof: down\n"
        "            masses.append((here - there) * split)  # proof: up\n",
        "            masses[-1] += here  # proof: down\n            masses.append(Fraction(0))  # proof: up\n",
        "test_distributions.py::test_a_rough_lattice_is_not_below_the_truth",
    ),
    Mutant(
        "the joint delta of noise and new keys, where the noise is counted by its law, left out",
        "accounting/distributions.py",
        "infinite += part.concentrated[1]",
        "infinite += 0",
        "test_distributions.py::test_deltas_of_thresholds_are_those_of_new_keys",
    ),
    Mutant(
        "Laplace noise of unequal entries as one shift",
        "accounting/distributions.py",
        "whole = shift.denominator == 1 and part.sensitivity[:1] == (Fraction(count),)",
        "whole = shift.denominator == 1",
        "test_distributions.py::test_laplace_noise_of_unequal_entries_is_a_randomized_response",
    ),
]
