"""Bugs of variances, standard deviations and ratios."""

from planted import Mutant, T

TESTS = "test_tables_quotients.py::"
Q = T + "aggregates/quotients.py"

CATALOGUE = [
    Mutant(
        "a variance forgets the square of the mean",
        Q,
        "square - (Fraction(mean) - middle) ** 2",
        "square - 0 * (Fraction(mean) - middle) ** 2",
        TESTS + "test_they_are_those_of_people_means_and_of_totals",
    ),
    Mutant(
        "squares are not clipped to their steps",
        Q,
        "return -_SQUARES, _SQUARES",
        "return -_SQUARES // 2, _SQUARES // 2",
        "test_tables_bounding.py::test_one_person_changes_no_more_than_the_map_says_and_somewhere_as_much",
    ),
    Mutant(
        "the interval of a variance forgets the noise of the mean",
        Q,
        "np.maximum(abs(low), abs(high)) ** 2 - slack",
        "near**2 - slack",
        TESTS + "test_intervals_of_variances_hold_the_truth_where_all_noises_are_within_reach",
    ),
    Mutant(
        "the interval of a ratio forgets the noise of the denominator",
        Q,
        "for n in (fewest, most)]\n        unknown",
        "for n in ((fewest + most) / 2,)]\n        unknown",
        TESTS + "test_intervals_of_ratios_hold_the_truth_and_are_all_numbers_where_the_second_may_be_0",
    ),
    Mutant(
        "what is asked for is released again because it is needed",
        T + "aggregates/aggregate.py",
        "next((each for each in others if _same(need, each)), need)",
        "next((each for each in others if need == each), need)",
        TESTS + "test_what_they_need_is_released_once_and_is_what_is_asked_for_where_it_is",
    ),
]
