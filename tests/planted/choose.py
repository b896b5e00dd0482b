"""Bugs of permute and flip."""

from planted import M, Mutant

TEST = "test_choose.py::"
HEADS = TEST + "test_a_category_shows_heads_where_a_geometric_variable_reaches_its_gap"

CATALOGUE = [
    Mutant(
        "scores that all move count once",
        M + "choose.py",
        "return Pure(2 * d / self.scale if self.scale else INFINITE)",
        "return Pure(d / self.scale if self.scale else INFINITE)",
        TEST + "test_the_map_is_the_greatest_loss_between_all_small_scores",
    ),
    Mutant(
        "heads only beyond the gap",
        M + "choose.py",
        "coins) >= gaps)",
        "coins) > gaps - 1 + (gaps > 0))",
        HEADS,
    ),
    Mutant(
        "the first of the heads instead of any",
        M + "choose.py",
        "heads[below(heads.size, coins)]",
        "heads[0]",
        HEADS,
    ),
    Mutant(
        "gaps that wrap",
        M + "choose.py",
        "if scores.dtype != object and most < 1 << 63 and most - least < 1 << 63:",
        "if scores.dtype != object:",
        HEADS,
    ),
    Mutant(
        "a scale of one distance",
        M + "choose.py",
        "scale=2 * cls.input_metric.check(d_in) / budget",
        "scale=cls.input_metric.check(d_in) / budget",
        TEST + "test_one_category_loses_nothing_and_no_noise_loses_all",
    ),
]
