"""Bugs of listing groups: weights, rounds, new keys, and what an engine is asked."""

from planted import M, Mutant, T

R = "noise/gaussian_rounds.py"
F, TEST, TABLES = M + "find_keys.py", "test_find_keys.py::", "test_tables_finding.py::"
NORM = TEST + "test_the_squares_of_a_persons_weights_never_exceed_the_norm"
NEAR = TEST + "test_no_neighbour_is_farther_than_the_map_says_and_one_is_as_far"
LAW = TEST + "test_the_law_is_that_of_every_outcome_of_every_round"
BOTH = TEST + "test_noise_of_two_rounds_loses_at_least_what_both_lose_together"
ALONE = TEST + "test_noise_alone_loses_what_the_exact_profile_says_or_a_little_more"
REST = TEST + "test_the_second_round_counts_people_in_what_was_not_found"
ENGINE = TABLES + "test_each_engine_gives_the_reference_weights_in_both_rounds"
CHARGED = TABLES + "test_what_is_charged_is_what_the_measurement_loses"

CATALOGUE = [
    Mutant(
        "a rho of one round for two",
        M + "find_keys.py",
        "(2 * one.variance) for one in self.rounds), Fraction(0))",
        "(2 * one.variance) for one in self.rounds[-1:]), Fraction(0))",
        "test_find_keys_rho.py::test_its_rho_is_that_of_the_noise_and_its_delta_that_of_new_keys",
    ),
    Mutant(
        "a key that nobody has can be found",
        F,
        "there = np.flatnonzero(totals)",
        "there = np.arange(len(totals))",
        TEST + "test_a_total_at_the_threshold_is_not_found",
    ),
    Mutant("weights are rounded up", F, "isqrt(self.norm**2 // keys)))", "isqrt(self.norm**2 // keys - 1) + 1))", NORM),
    Mutant("weights fall with the number of keys itself", F, "isqrt(self.norm**2 // keys)", "self.norm // keys", NORM),
    Mutant("a number of keys is rounded down to the list", F, "if n <= most)  # proof: row", "if n < most + 2)", NORM),
    Mutant(
        "new keys of people with one key alone are looked at",
        F,
        "rows = self.weights if d == 1",
        "rows = self.weights[:1] if d == 1",
        TEST + "test_the_numbers_of_keys_that_tell_most_are_found",
    ),
    Mutant(
        "new keys of people with most keys alone are looked at",
        F,
        "rows = self.weights if d == 1",
        "rows = self.weights[-1:] if d == 1",
        NEAR,
    ),
    Mutant(
        "of several new keys one counts",
        F,
        "self.noise.tail(self.threshold + 1 - weight)) * keys",
        "self.noise.tail(self.threshold + 1 - weight))",
        TEST + "test_the_numbers_of_keys_that_tell_most_are_found",
    ),
    Mutant(
        "a key at the threshold is found",
        F,
        "private_size=True) > self.thr",
        "private_size=True) >= self.thr",
        TEST + "test_a_total_at_the_threshold_is_not_found",
    ),
    Mutant(
        "a new key at the threshold counts as none",
        F,
        "self.threshold + 1 - weight)) * k",
        "self.threshold + 2 - weight)) * k",
        NEAR,
    ),
    Mutant(
        "new keys of the first round alone",
        F,
        "for one in self.rounds)  # proof: rounds",
        "for one in self.rounds[:1])",
        NEAR,
    ),
    Mutant(
        "the noise of the second round costs nothing",
        F,
        "[(length**2, v) for v in variances]",
        "[(length**2, v) for v in variances[:1]]",
        BOTH,
    ),
    Mutant("noise of the whole variance", R, "(variance - smooth)", "(variance + smooth)", ALONE),
    Mutant("the second round counts found keys too", F, "rest = keys - known", "rest = keys", LAW),
    Mutant("people weigh by all of their keys", F, "self.weight(len(rest))", "self.weight(len(keys))", REST),
    Mutant(
        "the loss of several people is that of one",
        F,
        "rows = self.weights if d == 1",
        "rows = self.weights if d",
        TEST + "test_several_people_lose_more_and_nobody_nothing",
    ),
    Mutant(
        "found groups are asked for again", T + "finding.py", "        if found:\n", "        if not found:\n", ENGINE
    ),
    Mutant("each group has the full weight", T + "finding.py", "self._weight(each.d) if who else", "", ENGINE),
    Mutant(
        "the next number of keys decides the weight",
        T + "finding.py",
        "(degree <= most, weight)",
        "(degree < most, weight)",
        ENGINE,
    ),
    Mutant(
        "only the first round is drawn",
        T + "finding.py",
        "for one in self.mechanism.rounds:",
        "for one in self.mechanism.rounds[:1]:",
        TABLES + "test_the_answer_is_the_mechanisms_on_the_same_people",
    ),
    Mutant(
        "found groups are not left out",
        T + "finding.py",
        "codes += totals.columns[0][places].tolist()",
        "codes += []",
        TABLES + "test_the_answer_is_the_mechanisms_on_the_same_people",
    ),
    Mutant(
        "a bounding with more groups than the mechanism allows",
        T + "finding.py",
        " or self.bounding.max_groups > self.mechanism.max_keys:",
        ":",
        TABLES + "test_a_bounding_that_does_not_fit_is_refused",
    ),
    Mutant(
        "the list is free",
        T + "listing.py",
        "delta=min(part.delta, self.delta))",
        "delta=min(part.delta, self.delta), moves=())",
        CHARGED,
    ),
    Mutant(
        "a delta of 0 is charged",
        T + "listing.py",
        "delta=min(part.delta, self.delta)",
        "delta=min(part.delta, 0)",
        CHARGED,
    ),
]
