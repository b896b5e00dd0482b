"""Bugs of sums that are packed."""

from planted import Mutant, T

TESTS = "test_tables_packing.py::"
REFERENCE = "test_tables_bounding.py::test_each_engine_gives_the_reference_aggregates[duckdb]"

CATALOGUE = [
    Mutant(
        "a field has room for one value and not for the sum of all",
        T + "packing.py",
        "(width := ROWS + (ends[1] - ends[0]).bit_length())",
        "(width := 1 + (ends[1] - ends[0]).bit_length())",
        TESTS + "test_values_at_their_bounds_come_back_from_the_engine",
    ),
    Mutant(
        "a field is a bit too narrow for the sums of as many rows as may be",
        T + "packing.py",
        "(width := ROWS + (ends[1] - ends[0]).bit_length())",
        "(width := ROWS - 1 + (ends[1] - ends[0]).bit_length())",
        TESTS + "test_fields_hold_the_sums_of_as_many_rows_as_may_be_and_none_reaches_the_next",
    ),
    Mutant(
        "fields reach beyond the bits of a number",
        T + "packing.py",
        "if shift + width > WIDE:  # proof: next",
        "if shift > WIDE:",
        TESTS + "test_fields_hold_the_sums_of_as_many_rows_as_may_be_and_none_reaches_the_next",
    ),
    Mutant(
        "the lower bound is added once and not for each row",
        T + "packing.py",
        'field.low * found["n"]',
        'field.low + 0 * found["n"]',
        REFERENCE,
    ),
    Mutant(
        "a field is read with those above it",
        T + "packing.py",
        ">> field.shift) & ((1 << field.width) - 1)",
        ">> field.shift) & ((1 << 63) - 1)",
        TESTS + "test_values_at_their_bounds_come_back_from_the_engine",
    ),
    Mutant(
        "a ratio is packed by the bounds of nothing",
        T + "aggregates/quotients.py",
        "        return self.numerator.bounds\n",
        "        return 1, 2\n",
        REFERENCE,
    ),
    Mutant(
        "rows are looked at that are packed",
        T + "bounding.py",
        "if not self.by or looked_at or",
        "if not self.by or",
        TESTS + "test_sums_are_packed_where_groups_are_waited_for_and_fewer_numbers_hold_them",
    ),
]
