"""Bugs in the law, the profile and the joint loss of Gaussian noise."""

from planted import M, Mutant

N = "noise/"
TESTS = "test_gaussian_law.py::"

CATALOGUE = [
    Mutant(
        "a profile's threshold off by half a step, as if noise were continuous",
        N + "profile.py",
        "for k in {int(first) + 1, int(last) + 1}",
        "for k in {int(first) + 2, int(last) + 2}",
        TESTS + "TestProfile::test_delta_is_the_divergence_of_the_law",
    ),
    Mutant(
        "the law of a sum taken for that of one wide draw",
        N + "theta.py",
        "    if n > 1 and 14 * v < ctx.prec + 2 * n.bit_length():\n        return _convolved(v, n, k)\n",
        "",
        TESTS + "TestTheta::test_sums_of_draws_are_convolutions",
    ),
    Mutant(
        "the probability that a new key is released left out",
        N + "profile.py",
        "here = -(-phi).expm1() + (-phi).exp() *",
        "here = (-phi).exp() *",
        TESTS + "TestThreshold::test_delta_is_the_joint_one",
    ),
    Mutant(
        "not all keys may be new",
        N + "profile.py",
        "greatest = piece(0, 0).max(piece(new, new))",
        "greatest = piece(0, 0).max(piece(max(new - 1, 0), max(new - 1, 0)))",
        TESTS + "TestThreshold::test_delta_is_the_joint_one",
    ),
    Mutant(
        "values of a far tail that weigh alike",
        N + "theta.py",
        "(-m / ball(v)).exp(), arb(0)",
        "arb(1), arb(0)",
        TESTS + "TestTheta::test_far_tails_are_those_of_pairs_added_up",
    ),
    Mutant(
        "a window that is taken to begin where the tail does",
        N + "theta.py",
        "    kept *= weight ** max(-start, 0)\n",
        "",
        TESTS + "TestTheta::test_a_window_that_begins_after_the_tail_does",
    ),
    Mutant(
        "one new key skipped",
        N + "profile.py",
        "between = [(1, new - 1)]",
        "between = [(2, new - 1)]",
        TESTS + "TestThreshold::test_one_new_key_may_be_the_worst",
    ),
    Mutant(
        "no keys new on both sides",
        N + "profile.py",
        "((phi / 2).cosh() - 1 if j > 1 else 0)",
        "-((phi / 2).cosh() - 1 if j > 1 else 0)",
        TESTS + "TestThreshold::test_delta_is_the_joint_one",
    ),
    Mutant(
        "the least epsilon from below",
        N + "profile.py",
        "    return low.union(high)",
        "    return low",
        TESTS + "TestProfile::test_the_reported_epsilon_is_the_least_float",
    ),
    Mutant(
        "a shift of 1 where entries differ by li",
        N + "profile.py",
        "sum_above(v, n, k + n * li)",
        "sum_above(v, n, k + n)",
        TESTS + "TestProfile::test_delta_is_the_divergence_of_the_law",
    ),
    Mutant(
        "unequal shifts taken for equal ones of their number",
        N + "profile.py",
        "    if l1 < n * li:\n",
        "    li = l1 // n\n    if l1 < n:\n",
        TESTS + "TestProfile::test_no_shift_within_the_distances_is_worse",
    ),
    Mutant(
        "new keys of value 1 where they may have li",
        M + "keep_above.py",
        "lambda j: values.new(Sensitivity(j, l1, li)),",
        "lambda j: values.new(Sensitivity(j, j, 1)),",
        TESTS + "TestThreshold::test_delta_is_the_joint_one",
    ),
    Mutant(
        "a remainder of Euler and Maclaurin left out",
        N + "theta.py",
        "integral + first * series + arb(0, rest)",
        "integral + first * series",
        TESTS + "TestTheta::test_any_number_of_derivatives_encloses",
    ),
    Mutant(
        "what rounding down loses left out",
        N + "theta.py",
        "kept + arb(fmpq(lost, 2), arb(fmpq(lost, 2)))",
        "kept",
        TESTS + "TestTheta::test_what_rounding_loses_is_kept",
    ),
    Mutant(
        "a step of the grid too little noise",
        N + "gaussian.py",
        "_on_grid(_least(enough, _guess(epsilon, delta, apart)))",
        "_on_grid(_least(enough, _guess(epsilon, delta, apart)) - 1)",
        TESTS + "TestProfile::test_within_is_the_least_of_the_grid",
    ),
    Mutant(
        "a standard deviation taken for a variance",
        "opendp.py",
        "IntegerGaussian(variance=sigma**2,",
        "IntegerGaussian(variance=sigma,",
        "test_opendp.py::test_rho_of_gaussian_noise_is_at_most_what_opendp_0_16_says_and_the_least_float",
    ),
    Mutant(
        "rho of l1 instead of l2",
        N + "gaussian.py",
        "return apart.l2_squared / (2 * self.variance)",
        "return apart.l1 / (2 * self.variance)",
        TESTS + "TestMechanisms::test_vectors_have_three_distances",
    ),
    Mutant(
        "a tail remembered at another precision",
        N + "theta.py",
        "return _sum_above(v, n, k, ctx.prec)",
        "return _sum_above(v, n, k, 64)",
        TESTS + "TestTheta::test_a_tail_that_is_remembered_is_as_tight_as_whoever_asks_needs",
    ),
]
