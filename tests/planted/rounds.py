"""Bugs of counts in two rounds: what is counted again, what both rounds cost, and what is said of each."""

from planted import Mutant, T

F, TEST = T + "rounds.py", "test_tables_rounds.py::"
NOISE = "noise/gaussian_rounds.py"
DRAWN = TEST + "TestEngines::test_both_rounds_are_drawn_from_the_same_counts[duckdb]"
LAW = TEST + "TestLaw::test_no_neighbour_is_farther_than_the_map_says"
CHARGED = TEST + "TestQuestion::test_both_rounds_are_one_charge_before_anything_is_asked"
REST = "            rows = rest(x.table, self.bounding.by, keys) if keys else x\n"
SHOWN = """            shown = turn.of_tables.sample(rows, coins)  # proof: rest
            keys += shown.keys
            values += shown.columns[0]
            rounds += [number] * len(shown.keys)
"""
TWICE = """            shown = turn.of_tables.sample(x, coins)
            new = [i for i, key in enumerate(shown.keys) if key not in keys]
            keys += [shown.keys[i] for i in new]
            values += [shown.columns[0][i] for i in new]
            rounds += [number] * len(new)
"""

CATALOGUE = [
    Mutant(
        "the second round counts the groups that were shown, and shows them twice",
        F,
        REST,
        "            rows = x\n",
        DRAWN,
    ),
    Mutant("people are bounded before the rest is taken", F, REST + SHOWN, TWICE, DRAWN),
    Mutant(
        "the rest is what was shown",
        F,
        "engine.without(table, keys, texts)",
        "table.filter(keys.isin(texts))",
        TEST + "TestEngines::test_each_counts_in_the_rest_what_plain_python_counts[duckdb]",
    ),
    Mutant(
        "a group without a key is counted again",
        T + "keys.py",
        'return "n" if sent is None',
        'return "null" if sent is None',
        DRAWN,
    ),
    Mutant(
        "the second round's noise costs nothing",
        F,
        "moves = [(apart.l2_squared, one.variance) for one in self.mechanisms]",
        "moves = [(apart.l2_squared, one.variance) for one in self.mechanisms[:1]]",
        LAW + "[0]",
    ),
    Mutant(
        "new groups of the first round alone",
        F,
        "one.noise.surprise(one.threshold, apart) for one in self.mechanisms)",
        "one.noise.surprise(one.threshold, apart) for one in self.mechanisms[:1])",
        LAW + "[2]",
    ),
    Mutant(
        "the noise is said to be as far as its distance, and not its square",
        NOISE,
        "square / (variance - smooth)",
        "square / (variance - smooth) / 4",
        LAW + "[0]",
    ),
    Mutant(
        "rounding costs nothing",
        NOISE,
        "slack = Fraction(moved, 1 << (28 * smooth - 2))",
        "slack = Fraction(0 * moved)",
        TEST + "TestMap::test_smoothing_costs_less_than_it_says",
    ),
    Mutant(
        "the sizes of the second round are free",
        F,
        "sizes = [turn.sizes.event(d) for turn in self.rounds if",
        "sizes = [turn.sizes.event(d) for turn in self.rounds[:1] if",
        CHARGED,
    ),
    Mutant(
        "on books of zCDP only the second round counts",
        F,
        "(2 * one.variance) for one in self.mechanisms)",
        "(2 * one.variance) for one in self.mechanisms[1:])",
        CHARGED,
    ),
    Mutant(
        "all intervals are the second round's",
        T + "noise.py",
        "np.array(self.rounds, np.intp) - 1, :",
        "np.full(len(self.rounds), -1), :",
        TEST + "TestQuestion::test_each_group_is_shown_once_with_the_noise_of_its_round",
    ),
    Mutant(
        "both rounds are said to have left out what the first did",
        T + "query.py",
        "for spread in (released.spread, released.rest)]",
        "for spread in (released.spread, released.spread)]",
        TEST + "TestQuestion::test_what_bounding_leaves_out_is_told_of_each_round",
    ),
    Mutant(
        "floats that are close to one that is shown are left out",
        F,
        "elif any(table._ibis[name].type().is_floating() for name in private):",
        "elif False:",
        TEST + "TestQuestion::test_what_two_rounds_are_not_for_is_refused_with_a_reason",
    ),
    Mutant(
        "flat data are said to lose nothing",
        T + "explain.py",
        "max(-(-100 * (b - a) // n), 0)",
        "max(-100 * (b - a) // n, 0)",
        TEST + "TestExplanation::test_it_says_what_is_lost_on_flat_data",
    ),
]
