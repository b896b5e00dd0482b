"""Bugs of distinct values."""

from planted import Mutant, T

FILE = "test_tables_distinct.py::"
ENGINE = FILE + "test_the_engine_brings_what_the_reference_brings"
CATALOGUE = [
    Mutant(
        "a person brings one value more",
        T + "bounding.py",
        "ranked.filter(ranked.q <= self.aggregates[place].brings)",
        "ranked.filter(ranked.q <= self.aggregates[place].brings + 1)",
        ENGINE,
    ),
    Mutant(
        "a person brings so many values in all groups that are left out, too",
        T + "bounding.py",
        "values[i] = pairs.inner_join(groups, same)  # proof: there",
        "values[i] = pairs",
        ENGINE,
    ),
    Mutant(
        "all people bring the same values",
        T + "bounding.py",
        'placed = order.placed(pairs, who, [*keys, "w"])',
        'placed = order.placed(pairs.mutate(p0=0 * pairs.p0), who, [*keys, "w"])',
        FILE + "test_people_bring_different_values",
    ),
    Mutant(
        "a value is counted for each person who brings it",
        T + "bounding.py",
        'once = values.select(*keys, "w").distinct()  # proof: different',
        'once = values.select(*keys, "w")',
        FILE + "test_all_values_are_counted_where_people_bring_all_and_once_each",
    ),
    Mutant(
        "values are compared by their collation",
        T + "bounding.py",
        'columns[f"w{i}"] = engine.key(value)',
        'columns[f"w{i}"] = value',
        FILE + "test_texts_that_a_collation_takes_for_equal_are_different_values",
    ),
    Mutant(
        "NaN is a value",
        T + "bounding.py",
        'wanted += [*engine.present(value), columns[f"w{i}"].notnull()]  # proof: value',
        'wanted += [columns[f"w{i}"].notnull()]',
        FILE + "test_values_are_told_apart_as_keys_are",
    ),
    Mutant(
        "a person brings more values than noise hides",
        T + "aggregates/distinct.py",
        "return self.most",
        "return self.most + 1",
        ENGINE,
    ),
    Mutant(
        "distinct values decide which private groups are shown",
        T + "aggregates/distinct.py",
        "unit: ClassVar = Fraction(1)",
        "unit: ClassVar = Fraction(1)\n    lists: ClassVar = True",
        FILE + "test_private_groups_are_shown_by_their_people_and_not_by_how_many_values_they_have",
    ),
    Mutant(
        "what is learned of values is of rows",
        T + "bounding.py",
        'sums["d"] = rows[f"w{self.sizes.values}"].nunique().cast("int64")',
        'sums["d"] = rows.count().cast("int64")',
        "test_tables_bounding.py::test_each_engine_gives_the_reference_aggregates",
    ),
]
