"""Bugs of engines: answers that depend on other rows, values that make a query fail."""

from planted import Mutant, T

E = T + "engines/"
TYPES = "test_tables_types.py::"
KEY = TYPES + "test_a_key_of_any_value_is_released_as_its_type_has_it_and_no_other_key_for_it"
VALUE = TYPES + "test_a_value_of_any_size_is_clipped"

CATALOGUE = [
    Mutant(
        "the sum of one aggregate for another of the same column",
        T + "bounding.py",
        "first.setdefault(value.op(), name)",
        "first.setdefault(self._values[name].column, name)",
        "test_tables_bounding.py::test_each_engine_gives_the_reference_aggregates",
    ),
    Mutant(
        "keys from Spark in the order in which they arrive",
        E + "spark.py",
        "[np.argsort(np.argsort(numbers[rows]))]",
        "",
        "test_tables_keys.py::test_keys_are_those_of_the_places_in_the_order_asked_for[pyspark]",
    ),
    Mutant(
        "all keys sent to Spark's driver",
        E + "spark.py",
        "found = shown.drop(*keys).toArrow()",
        "found = shown.toArrow()",
        "test_tables_keys.py::test_the_driver_of_spark_gets_no_key_that_is_not_asked_for[pyspark]",
    ),
    Mutant(
        "a digest's most significant byte first on Spark",
        E + "spark.py",
        "((number >> (48 - shift)) & 255) << shift",
        "((number >> shift) & 255) << shift",
        "test_tables_order.py::test_a_digest_is_the_first_bytes_of_md5_the_least_significant_first[pyspark]",
    ),
    Mutant(
        "the digest of one column for all of them on Spark",
        E + "spark.py",
        'known = {number: first[f"digest{i}"].op() for i',
        'known = {number: first["digest0"].op() for i',
        "test_tables_order.py::test_a_digest_is_the_first_bytes_of_md5_the_least_significant_first[pyspark]",
    ),
    Mutant(
        "digests that Spark computes seven times",
        E + "spark.py",
        "        if not numbers:\n            return table\n",
        "        if numbers:\n            return table\n",
        "test_tables_order.py::test_spark_is_told_once_to_compute_a_digest",
    ),
    Mutant(
        "keys of other places",
        E + "engine.py",
        "taken(found.column(key), rows) for key in keys",
        "found.column(key).slice(0, len(rows)) for key in keys",
        "test_tables_keys.py::test_keys_are_those_of_the_places_in_the_order_asked_for[duckdb]",
    ),
    Mutant(
        "integers beside a null are floats",
        E + "engine.py",
        "found = self.read(words, query.schema().to_pyarrow())",
        "found = query.to_pyarrow()",
        TYPES + "test_a_null_beside_changes_no_other_key[sqlite]",
    ),
    Mutant(
        "people compared by a column's collation",
        E + "engine.py",
        "return self.octets(column) if kind.is_string() else column",
        "return column",
        TYPES + "test_texts_are_told_apart_by_their_bytes_whatever_the_collation[duckdb-VARCHAR COLLATE NOCASE]",
    ),
    Mutant(
        "groups compared by a column's collation",
        E + "postgres.py",
        'call("convert_to", "binary", text + "", literal("UTF8"))',
        'call("convert_to", "binary", call("lower", "string", text + ""), literal("UTF8"))',
        TYPES + "test_texts_are_told_apart_by_their_bytes_whatever_the_collation[postgres-CITEXT]",
    ),
    Mutant(
        "an infinite time is no number",
        E + "postgres.py",
        "(seconds * 10**6).clip(*MOMENTS).cast",
        "(seconds * 10**6).cast",
        KEY + "[postgres-TIMESTAMP]",
    ),
    Mutant(
        "an infinite day is not clipped",
        E + "engine.py",
        "(column > high).ifelse(high, column)",
        "column",
        KEY + "[postgres-DATE]",
    ),
    Mutant(
        "a float that is too small to be divided",
        E + "postgres.py",
        "_SMALL: Final = 1e-290",
        "_SMALL: Final = 0.0",
        VALUE + "[postgres-FLOAT8]",
    ),
    Mutant(
        "a decimal number that is too small for a float",
        E + "postgres.py",
        "_PLACES: Final = 300",
        "_PLACES: Final = 2000",
        VALUE + "[postgres-NUMERIC]",
    ),
    Mutant(
        "bounds of another type than the column's seconds",
        E + "duckdb.py",
        "(literal(end, dt.Timestamp(scale=6)).cast(kind) for end in ends)",
        "(literal(end, dt.Timestamp(scale=6)) for end in ends)",
        TYPES + "test_frames_of_any_type_are_keys_and_people[times in seconds]",
    ),
    Mutant(
        "the hour that repeats is released as one",
        T + "keys.py",
        'pa.timestamp("us", "UTC" if kind.timezone else None)',
        'pa.timestamp("us", kind.timezone)',
        TYPES + "test_a_known_key_in_the_hour_that_repeats_is_one_of_two",
    ),
    Mutant(
        "numbers of 39 digits read as 38",
        T + "keys.py",
        "whole = (precision, scale) == (_DIGITS, 0)",
        "whole = False",
        KEY + "[duckdb-HUGEINT]",
    ),
    Mutant(
        "texts that are no UTF-8 handed to functions",
        E + "sqlite.py",
        "kind, held = column.type(), self.who(column)",
        "kind, held = column.type(), column",
        KEY + "[sqlite-TEXT]",
    ),
    Mutant(
        "a type guessed from a row",
        E + "sqlite.py",
        "if not kind and name in columns",
        'if kind == "?" and name in columns',
        TYPES + "test_a_type_that_is_no_key_is_refused_before_anything_is_asked[sqlite-]",
    ),
    Mutant(
        "a table taken for a part of the query",
        E + "engine.py",
        "source.name[1:].isdecimal()",
        "source.name[1:].isalpha()",
        TYPES + "test_a_table_with_the_name_of_a_part_of_the_query_is_refused[t5-duckdb]",
    ),
]
