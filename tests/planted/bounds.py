"""Bugs of bounds that are learned."""

from planted import Mutant, T

TESTS = "test_tables_bounds.py::"

CATALOGUE = [
    Mutant(
        "a person who counts twice is charged once",
        T + "extents.py",
        "d = 2 * self.input_metric.check(d_in)  # proof: twice",
        "d = self.input_metric.check(d_in)",
        TESTS + "test_a_person_changes_the_counts_by_two_in_all_and_at_most",
    ),
    Mutant(
        "learning bounds is free",
        T + "extents.py",
        "return self.output_measure.add([*(each.loss(d_in) for each in self.extents), *then])  # proof: both",
        "return self.output_measure.add(then or [each.loss(d_in) for each in self.extents])",
        TESTS + "test_what_is_charged_is_the_extents_and_the_release",
    ),
    Mutant(
        "all groups of a person are counted",
        T + "extents.py",
        "each = bounding.first_groups(each, order, who, keys, lambda _: {})  # proof: one",
        "each = each.mutate(v=1)",
        TESTS + "test_counts_are_those_of_plain_python_on_every_engine",
    ),
    Mutant(
        "bounds are of values where sums are clipped",
        T + "aggregates/values.py",
        "more = placed(n, _DOUBLED)  # proof: doubled",
        "more = 0 * placed(n, _DOUBLED)",
        TESTS + "test_counts_are_those_of_plain_python_on_every_engine",
    ),
    Mutant(
        "a power of two is in the bin above it",
        T + "engines/engine.py",
        "return (x <= edges[half - 1]).ifelse(",
        "return (x < edges[half - 1]).ifelse(",
        TESTS + "test_counts_are_those_of_plain_python_on_every_engine",
    ),
    Mutant(
        "that nothing could be learned is taken for a failure",
        T + "extents.py",
        "        if found is None or self.then is None:",
        "        assert found is not None\n        if self.then is None:",
        TESTS + "test_what_cannot_be_learned_is_refused_charged_and_not_taken_for_a_failure",
    ),
]
