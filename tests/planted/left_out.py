"""Bugs of what bounding leaves out."""

from planted import Mutant, T

TESTS = "test_tables_left_out.py::"

CATALOGUE = [
    Mutant(
        "the histogram of sizes is free",
        T + "release.py",
        "sizes = [] if self.sizes is None else [self.sizes.loss(d)]",
        "sizes: list[Loss] = []",
        TESTS + "TestCharge::test_the_charge_is_what_all_chains_cost_and_what_was_typed",
    ),
    Mutant(
        "the values spend what the histogram has spent",
        T + "query.py",
        "tuple(x * (1 - (part or 0)) for x in shares)",
        "tuple(shares)",
        TESTS + "TestCharge::test_the_charge_is_what_all_chains_cost_and_what_was_typed",
    ),
    Mutant(
        "the histogram is drawn with all of epsilon",
        T + "query.py",
        "sizes = None if bounding.sizes is None else self.epsilon * (self.left_out or 0)",
        "sizes = None if bounding.sizes is None else self.epsilon",
        TESTS + "TestCharge::test_the_histogram_that_is_paid_for_is_the_one_that_is_drawn",
    ),
    Mutant(
        "a person is in a bin for each group",
        T + "bounding.py",
        "kept.mutate(b=(kept.r == 1).ifelse(bins, 0))",
        "kept.mutate(b=bins)",
        TESTS + "TestEstimate::test_one_person_is_in_one_bin_whatever_they_did",
    ),
    Mutant(
        "known keys are forgotten",
        T + "bounding.py",
        "        if self.keys is None:\n            return rows\n",
        "        return rows\n",
        TESTS + "TestEstimate::test_known_keys_are_the_groups_that_count",
    ),
    Mutant(
        "what noise may hide is not in the interval",
        T + "spread.py",
        "max(n + reach, 0) * largest",
        "max(n, 0) * largest",
        TESTS + "TestInterval::test_it_covers_at_least_as_often_as_it_says",
    ),
    Mutant(
        "hidden groups cost nothing",
        T + "suggest.py",
        "return shown * (lost + self.price.deviation) + (1 - shown) * group_size",
        "return lost + self.price.deviation",
        TESTS + "TestAuto::test_the_thresholds_cost_counts",
    ),
    Mutant(
        "a choice by noise alone is called learned",
        T + "spread.py",
        "< max(sum(self.counts), 0) ** 2",
        "< max(sum(self.counts), 10**9) ** 2",
        TESTS + "TestInterval::test_too_few_people_teach_nothing_and_it_says_so",
    ),
]
