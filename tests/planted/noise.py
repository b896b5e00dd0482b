"""Bugs in laws of noise, and in what is derived from them."""

from planted import M, Mutant

N = "noise/"
NOISE, ANY = "test_noise.py::", "test_any_noise.py::"

CATALOGUE = [
    Mutant(
        "the other side of a law begins one later",
        N + "base.py",
        "else 1 - self.tail(1 - k)",
        "else 1 - self.tail(max(-k, 1))",
        NOISE + "TestEveryLaw::test_it_is_symmetric_and_log_concave_and_sums_to_one",
    ),
    Mutant(
        "a radius for one side alone",
        N + "base.py",
        "return self.reach(error / 2) - 1",
        "return self.reach(error) - 1",
        NOISE + "TestEveryLaw::test_quantiles_are_the_least",
    ),
    Mutant(
        "counts far below a threshold are excluded unseen",
        N + "base.py",
        "np.where(low <= bottom, 1, low)",
        "low",
        NOISE + "TestEveryLaw::test_intervals_above_a_threshold_cover_given_that_a_value_is_seen",
    ),
    Mutant(
        "a pair of laws put together where it still changes",
        N + "base.py",
        "max(x, y) + self.settled",
        "max(x, y)",
        NOISE + "TestEveryLaw::test_pairs_of_laws_keep_every_divergence",
    ),
    Mutant(
        "a quantile rounded down",
        N + "laplace.py",
        "return max(-floor_bits(",
        "return max(-1 - floor_bits(",
        NOISE + "TestLaplace::test_the_quick_way_to_a_quantile_is_the_slow_one",
    ),
    Mutant(
        "li taken for l1",
        N + "laplace.py",
        "else sensitivity.l1 / self.scale",
        "else sensitivity.li / self.scale",
        NOISE + "TestLaplace::test_the_loss_is_l1_over_the_scale",
    ),
    Mutant(
        "squares without the rest",
        "metrics.py",
        "return full * li**2 + rest**2",
        "return full * li**2",
        NOISE + "TestSensitivity::test_its_tightest_form_and_its_squares_are_those_of_all_vectors",
    ),
    Mutant(
        "the noise's own delta forgotten",
        M + "keep_above.py",
        "both.delta + self._unseen(new)",
        "self._unseen(new)",
        ANY + "TestKeepAbove::test_the_exact_audit_takes_it",
    ),
    Mutant(
        "a threshold for as many keys as fit, and no rest",
        M + "keep_above.py",
        "if full == l0:",
        "if full >= 1:",
        ANY + "TestKeepAbove::test_the_least_threshold_is_the_least",
    ),
    Mutant(
        "a step down taken for the answer",
        M + "keep_above.py",
        "low, high = max(low, there - 1), here",
        "low, high = here - 1, here",
        ANY + "TestKeepAbove::test_the_least_threshold_is_the_least",
    ),
    Mutant(
        "vectors' entries as far apart as the vectors",
        M + "add_noise.py",
        "l1, min(li, width))",
        "l1, li)",
        ANY + "TestAddNoise::test_the_loss_is_that_of_the_noise_at_the_sensitivity_of_the_domain",
    ),
]
