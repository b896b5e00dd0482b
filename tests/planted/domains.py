"""Bugs of what a release may show or leave behind, and of losses in bounded domains."""

from planted import M, Mutant, S

STATE, BOUNDED = "test_sampler_state.py::", "test_bounded_losses.py::"

CATALOGUE = [
    Mutant(
        "tables built from a number of private keys on",
        M + "laplace_threshold.py",
        "self.scale, coins, private_size=True)",
        "self.scale, coins)",
        STATE + "test_what_a_release_builds_does_not_depend_on_the_number_of_keys",
    ),
    Mutant(
        "nothing built for no keys",
        S + "many.py",
        "private_size or n >= _WORTH_TABLES",
        "(private_size and n > 0) or n >= _WORTH_TABLES",
        STATE + "test_what_a_release_builds_does_not_depend_on_the_number_of_keys",
    ),
    Mutant(
        "the logarithm of a large scale made at the first private key",
        S + "many.py",
        "    scaled_log(*law, word)  # Made now, because whether a draw follows may be private.\n",
        "",
        STATE + "test_what_a_release_builds_does_not_depend_on_the_number_of_keys",
    ),
    Mutant(
        "a draw past the tables leaves a trace",
        S + "many.py",
        "floor_log(*self._rest, coins, WORD)[0]",
        "geometric(self._rest[0].scale + 1, coins)",
        STATE + "test_a_draw_past_the_tables_makes_nothing_new",
    ),
    Mutant(
        "a diameter of one entry for all",
        M + "integer_laplace.py",
        "else width * domain.size",
        "else width",
        BOUNDED + "TestIntegerLaplace",
    ),
    Mutant(
        "a value of 0 taken for one that both maps have",
        M + "laplace_threshold.py",
        "1 if low == 0 else low",
        "low",
        BOUNDED + "TestLaplaceThreshold",
    ),
    Mutant(
        "new keys bounded by the width of the values",
        M + "laplace_threshold.py",
        "li = li if most is None else min(li, most)",
        "li = li if most is None else min(li, most - (least or 0))",
        BOUNDED + "TestLaplaceThreshold",
    ),
    Mutant(
        "-1 and 1 thought to be 1 apart",
        M + "laplace_threshold.py",
        "step = 2 if",
        "step = 1 if",
        BOUNDED + "TestLaplaceThreshold",
    ),
    Mutant(
        "a delta next to 1 taken for 1",
        M + "laplace_threshold.py",
        "if new else Fraction(0)  # proof: delta",
        "if 0 < new < 60 else Fraction(int(new > 0))  # proof: delta",
        BOUNDED + "TestDeltaNearOne",
    ),
]
