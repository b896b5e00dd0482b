"""Bugs of quantiles and histograms."""

from planted import Mutant, T

LOSS = "test_tables_quantiles.py::TestLoss::"
NESTED = "test_tables_nested.py::"
INTERVAL = "test_tables_quantiles.py::TestInterval::"
ANSWER = "test_tables_quantiles.py::TestAnswer::"
CATALOGUE = [
    Mutant(
        "a rank is moved by the smaller part of the people",
        T + "nested.py",
        "return max(2 * q, Fraction(1)), max(2 - 2 * q, Fraction(1))",
        "return min(2 * q, Fraction(1)), min(2 - 2 * q, Fraction(1))",
        LOSS + "test_a_choice_loses_no_more_than_it_says_for_all_small_histograms",
    ),
    Mutant(
        "who is beyond the bounds of a choice does not move it",
        T + "nested.py",
        "upper, lower = 2 * sum(at[:middle]), 2 * sum(1 - q for q in at[middle + 1 :])",
        "upper, lower = Fraction(0), Fraction(0)",
        NESTED + "TestLoss::test_all_choices_lose_no_more_than_they_say_for_all_small_histograms",
    ),
    Mutant(
        "whoever is added is above the ranks",
        T + "nested.py",
        "max(above + max(left.above + lower, upper + right.most), below +",
        "max(above + max(left.above + lower, upper + right.most), 0 *",
        LOSS + "test_a_choice_loses_no_more_than_it_says_for_all_small_histograms",
    ),
    Mutant(
        "the least and the greatest rank are in their order among all",
        T + "nested.py",
        "if not 0 < q < 1:",
        "if False:",
        NESTED + "test_moved_is_the_most_over_all_ways_in_which_a_person_may_stand",
    ),
    Mutant(
        "a quantile is chosen beyond those that bound it",
        T + "quantiles.py",
        "heads &= gaps >= 0  # proof: inside",
        "",
        NESTED + "test_people_who_share_a_value_move_no_other_rank",
    ),
    Mutant(
        "the people of a bound are told from those beyond it",
        T + "quantiles.py",
        "np.copyto(low, -2 * _FAR, where=number >= last)  # proof: last",
        "np.copyto(low, -2 * _FAR, where=number > last)",
        NESTED + "TestLoss::test_the_law_is_that_of_the_plain_one",
    ),
    Mutant(
        "a quantile is bounded by any that was chosen before",
        T + "nested.py",
        "lower, upper = first - 1, last",
        "lower, upper = min(first - 1, 0), last",
        NESTED + "test_each_is_bounded_by_the_nearest_that_were_chosen_before",
    ),
    Mutant(
        "a bin that holds the rank is no better than one that touches it",
        T + "quantiles.py",
        "= np.maximum(high, low, out=high)",
        "= np.maximum(np.maximum(high, low, out=high), 0)",
        LOSS + "test_a_bin_that_holds_the_rank_is_told_from_those_beside_it_by_all_its_people",
    ),
    Mutant(
        "the least rank error is taken for 0",
        T + "quantiles.py",
        "gaps -= gaps.min(axis=1, keepdims=True)",
        "gaps -= 0",
        LOSS + "test_a_choice_loses_no_more_than_it_says_for_all_small_histograms",
    ),
    Mutant(
        "learned bounds beyond all grids are refused after the charge",
        T + "aggregates/quantiles.py",
        "low, high = (min(max(end, -_FARTHEST), _FARTHEST) for end in ends)",
        "low, high = ends",
        "test_tables_bounds.py::test_a_quantile_within_bounds_that_are_learned_has_as_many_bins_and_the_same_noise"
        "_whatever_they_are",
    ),
    Mutant(
        "a quantile learns bounds of sums",
        T + "aggregates/quantiles.py",
        "return Mean(self.column, AUTO, AUTO).learns if",
        "from discreet.tables import Sum; return Sum(self.column, AUTO, AUTO).learns if",
        "test_tables_bounds.py::test_quantiles_learn_their_bounds_within_the_question_on_one_charge",
    ),
    Mutant(
        "the ends of intervals are free",
        T + "quantiles.py",
        "return self.points + self.ends * self.end",
        "return self.points",
        LOSS + "test_quantiles_and_their_ends_lose_the_sum_and_are_drawn_by_their_law",
    ),
    Mutant(
        "the books are charged for one end in each group",
        T + "quantiles.py",
        "each = ((self.points, 1), (self.end, self.ends))",
        "each = ((self.points, 1), (self.end, 1))",
        LOSS + "test_the_event_has_a_move_for_all_points_and_for_each_end_in_each_group",
    ),
    Mutant(
        "the depth of a tree is not paid for",
        T + "quantiles.py",
        "return Sensitivity(l0 * self.depth, l1 * self.depth, li)",
        "return Sensitivity(l0, l1, li)",
        LOSS + "test_a_person_is_in_one_node_of_each_depth",
    ),
    Mutant(
        "the first bin with heads is chosen",
        T + "quantiles.py",
        "which = below_many(heads.sum(axis=1), coins=coins)",
        "which = 0 * below_many(heads.sum(axis=1), coins=coins)",
        LOSS + "test_the_audit_holds_and_finds_a_scale_that_is_too_small",
    ),
    Mutant(
        "an end is as near as it is likely",
        T + "quantiles.py",
        "self.bins + 1, ERROR / 2)), 1)",
        "1, Fraction(1, 2))), 1)",
        INTERVAL + "test_it_holds_every_quantile_with_probability_95_percent_exactly",
    ),
    Mutant(
        "no rank is before the first bin",
        T + "quantiles.py",
        "high[:, 0], low[:, -1] = -2 * _FAR, -2 * _FAR",
        "low[:, -1] = -2 * _FAR",
        INTERVAL + "test_it_holds_every_quantile_with_probability_95_percent_exactly",
    ),
    Mutant(
        "a tree's interval knows one noise of many",
        T + "quantiles.py",
        "many * float_up(below) + many[::-1] * float_up(above)",
        "np.minimum(many, 1) * float_up(below) + 0 * many[::-1] * float_up(above)",
        INTERVAL + "test_far_bounds_the_noise_of_a_rank",
    ),
    Mutant(
        "little noise in a tree has no bound",
        T + "quantiles.py",
        "while first * unit > _LEAST and noise",
        "while first * unit > 1 and noise",
        INTERVAL + "test_far_has_an_end_and_is_near_where_there_is_little_noise",
    ),
    Mutant(
        "an edge belongs to the bin before it",
        T + "aggregates/quantiles.py",
        "(mean >= edge)",
        "(mean > edge)",
        ANSWER + "test_without_noise_values_are_quantiles_of_clipped_values",
    ),
    Mutant(
        "edges are rounded up, and values to the nearest",
        T + "aggregates/quantiles.py",
        "[nearest(edge / self.grid) for",
        "[ceil(edge / self.grid) for",
        ANSWER + "test_edges_off_a_given_grid_are_rounded_as_values_are",
    ),
    Mutant(
        "edges beside the grid",
        T + "aggregates/quantiles.py",
        "return unit if fits and",
        "return power if fits and",
        "test_tables_quantiles.py::test_a_grid_is_one_of_the_edges_where_that_is_possible",
    ),
    Mutant(
        "histograms are those of groups in the order of the engine",
        T + "bounding.py",
        "group[same[rows]] = np.arange(len(rows))  # proof: numbered",
        "group[np.sort(same[rows])] = np.arange(len(rows))",
        "test_tables_bounding.py::test_each_engine_gives_the_reference_aggregates[duckdb]",
    ),
]
