"""Bugs of truncated Laplace noise: its sampler, its law and its joint loss."""

from planted import M, Mutant, S

N = "noise/"
LAW = "test_truncated_law.py::"
DRAWS = "test_truncated_sampler.py::"
JOINT = LAW + "TestThreshold::test_delta_is_the_joint_one"

CATALOGUE = [
    Mutant(
        "a draw at the limit drawn anew",
        S + "truncated.py",
        "if -limit <= z <= limit:",
        "if -limit < z < limit:",
        DRAWS + "test_a_laplace_trial_by_every_word_keeps_each_integer_in_proportion",
    ),
    Mutant(
        "a uniform draw kept one step too far",
        S + "truncated.py",
        "if geometric(scale, coins, word=word) >= abs(z):",
        "if geometric(scale, coins, word=word) + 1 >= abs(z):",
        DRAWS + "test_a_uniform_trial_by_every_word_keeps_each_integer_in_proportion",
    ),
    Mutant(
        "an array that keeps what is below the limit, however far",
        S + "truncated.py",
        "return z[(z >= -limit) & (z <= limit)]",
        "return z[z <= limit]",
        DRAWS + "test_an_array_holds_the_trials_that_are_kept_in_their_order",
    ),
    Mutant(
        "tables of geometric proposals by a private number of draws",
        S + "truncated.py",
        "geometric_many(scale, m, coins, private_size=private_size, cell",
        "geometric_many(scale, m, coins, cell",
        DRAWS + "test_what_a_call_leaves_behind_does_not_depend_on_a_private_size",
    ),
    Mutant(
        "a tail one step short of the limit",
        N + "truncated.py",
        "expm1((k - r - 1) / s)",
        "expm1((k - r) / s)",
        LAW + "TestNoise::test_points_are_those_of_the_formula",
    ),
    Mutant(
        "the delta of the noise left out of the joint one",
        N + "truncated.py",
        "self._beyond(min(threshold, self.limit), apart)",
        "self._beyond(threshold, apart)",
        JOINT,
    ),
    Mutant(
        "new keys left out of the joint delta",
        N + "truncated.py",
        "self._beyond(min(threshold, self.limit), apart)",
        "self._beyond(self.limit, apart)",
        JOINT,
    ),
    Mutant(
        "new keys thought never to be released one step too early",
        N + "truncated.py",
        "threshold >= self.limit + lacking.li:",
        "threshold >= self.limit + lacking.li - 1 - self.limit:",
        JOINT,
    ),
    Mutant(
        "a limit that is not the least",
        N + "truncated.py",
        "return cls(scale, 0 if enough(0) else least_positive(enough))",
        "return cls(scale, 0 if enough(0) else least_positive(enough) + 1)",
        LAW + "TestThreshold::test_thresholds_of_the_reference_budget",
    ),
    Mutant(
        "a limit for common keys alone",
        M + "truncated_laplace_threshold.py",
        "Sensitivity(*map(max, apart, new))",
        "apart",
        LAW + "TestThreshold::test_bounded_values_meet_the_budget",
    ),
]
