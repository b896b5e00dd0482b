"""Bugs of releases of several aggregates."""

from planted import Mutant, T

TESTS = "test_tables_release.py::"

CATALOGUE = [
    Mutant(
        "keys of groups that stay private are fetched too",
        T + "bounding.py",
        "pairs = zip(self.wires, self.fetch(self.rows[places]), strict=True)",
        "pairs = zip(self.wires, (sent.take(places) for sent in self.fetch(self.rows)), strict=True)",
        "test_tables_fetched.py::test_one_person_changes_nothing_of_what_is_fetched",
    ),
    Mutant(
        "what an engine says where it cannot fetch keys is shown",
        T + "bounding.py",
        "return replace(found, fetch=lambda rows: asked(ready.table, lambda _: fetch(rows)))",
        "return found",
        "test_tables_fetched.py::test_nor_of_an_error",
    ),
    Mutant(
        "a second aggregate is not charged",
        T + "release.py",
        "return self.mechanism.loss(bounding.sensitivity(self.aggregate, d_in))  # proof: part",
        "return self.mechanism.loss(bounding.sensitivity(bounding.aggregates[0], d_in))",
        TESTS + "test_a_release_is_one_measurement_and_a_value",
    ),
    Mutant(
        "a second aggregate is not on the books",
        T + "release.py",
        "return self.laws[0].event(bounding.sensitivity(self.aggregate, d_in))",
        "return self.laws[0].event(bounding.sensitivity(bounding.aggregates[0], d_in))",
        TESTS + "test_what_is_charged_is_what_each_column_loses",
    ),
    Mutant(
        "weights decide what is said and not the noise",
        T + "query.py",
        "epsilons = [self.epsilon * share for share in self.shares]",
        "epsilons = [self.epsilon * sum(self.shares) / len(self.shares) for _ in self.shares]",
        TESTS + "test_weights_divide_epsilon_in_the_noise_and_in_the_receipt",
    ),
    Mutant(
        "people are counted twice, once to show groups and once to divide by",
        T + "query.py",
        "(people, *wanted)",
        "(People(name='people shown'), *wanted)",
        TESTS + "test_the_number_of_people_is_released_once",
    ),
    Mutant(
        "each aggregate drops only the rows that lack its own value",
        T + "bounding.py",
        "wanted += engine.present(value)  # proof: valueless",
        "wanted += engine.present(value) if name == 's0' else []",
        "test_tables_bounding.py::test_each_engine_gives_the_reference_aggregates[duckdb]",
    ),
    Mutant(
        "the noise of the first aggregate serves for all",
        T + "release.py",
        "aggregate.laws(domain, bounding.sensitivity(aggregate), epsilon, most, law)",
        "aggregate.laws(domain, bounding.sensitivity(bounding.aggregates[0]), epsilon, most, law)",
        TESTS + "test_what_is_charged_is_what_each_column_loses",
    ),
    Mutant(
        "values are of other groups than those that are shown",
        T + "release.py",
        "keys, places = [keys[i] for i in order], places[order]",
        "keys = [keys[i] for i in order]",
        TESTS + "test_without_noise_all_columns_are_the_reference_engines_by_one_query",
    ),
    Mutant(
        "the bias of one column is said of a bound that another has",
        T + "query.py",
        "sizes=_sizes(asked[0], aggregates",
        "sizes=_sizes(asked[-1], aggregates",
        TESTS + "test_what_is_left_out_is_said_of_the_first_aggregate",
    ),
]
