"""Bugs of what a second attack on tables found."""

from planted import Mutant, T

A = "test_attack_tables.py::"
FILES = "test_tables_files.py::"

CATALOGUE = [
    Mutant(
        "the year of an infinite day cast to an integer",
        T + "total.py",
        "self.engine.inside(self.of(moment, *kinds).to_expr())",
        "self.of(moment, *kinds).to_expr()",
        A + "TestPartsOfTimes",
    ),
    Mutant(
        "Parquet files cast to the types of the first",
        T + "sources.py",
        "if columns != described[0]:",
        "if len(columns) != len(described[0]):",
        A + "TestParquet::test_files_of_different_types_are_refused_whatever_their_values",
    ),
    Mutant(
        "types of folders' columns guessed from their names",
        T + "sources.py",
        "hive_types_autocast=False",
        "hive_types_autocast=True",
        A + "TestParquet::test_columns_of_folders_are_text_whatever_their_names",
    ),
    Mutant(
        "a file of texts is read in parts that begin where it is guessed",
        T + "texts.py",
        '"auto_detect=false, strict_mode=false, parallel=false"',
        '"auto_detect=false, strict_mode=false"',
        FILES + "test_a_long_field_is_one_row_wherever_it_is_in_a_file",
    ),
    Mutant(
        "a name of a column may be all that follows",
        T + "texts.py",
        ' or any("\\n" in name or "\\r" in name for name in names)',
        "",
        FILES + "test_a_file_without_a_header_is_refused",
    ),
    Mutant(
        "a key of a narrow type of SQLite is any number",
        T + "engines/sqlite.py",
        "return x if isinstance(x, int) and least <= x <= most else None",
        "return x if isinstance(x, int) else None",
        FILES + "test_numbers_that_a_type_of_sqlite_has_not_are_null_keys",
    ),
    Mutant(
        "a day with an hour is refused",
        T + "frames.py",
        "if pa.types.is_date64(kind):",
        "if False:",
        FILES + "test_one_odd_value_of_a_frame_is_answered_or_refused_as_all_others_are",
    ),
    Mutant(
        "a lone surrogate is refused",
        T + "frames.py",
        'if column.dtype != "string":',
        "if True:",
        FILES + "test_one_odd_value_of_a_frame_is_answered_or_refused_as_all_others_are",
    ),
    Mutant(
        "an array of Arrow taken at its word",
        T + "frames.py",
        "column.validate(full=True)",
        "column.validate()",
        A + "TestFrames",
    ),
    Mutant(
        "seconds with a zone beyond microseconds",
        T + "frames.py",
        '_UNITS: Final = {"s": 10**6, "ms": 10**3}',
        "_UNITS: Final[dict[str, int]] = {}",
        A + "TestFrames::test_times_with_a_zone_are_answered_at_any_distance",
    ),
    Mutant(
        "a null beside a time with a zone is the last time",
        T + "frames.py",
        "column.cast(pa.int64()), most, skip_nulls=False)",
        "column.cast(pa.int64()), most)",
        A + "TestFrames::test_times_with_a_zone_keep_their_microseconds_and_nulls",
    ),
    Mutant(
        "nothing left out beyond what the histogram tells apart",
        T + "spread.py",
        "return within or bound < SIZES[-1] or len(self.counts) > len(SIZES)",
        "return True",
        A + "TestLeftOut::test_nothing_is_said_where_nothing_can_be_told",
    ),
    Mutant(
        "NaN of different bits as keys",
        T + "engines/engine.py",
        "return _nan(column).ifelse(literal(nan, kind), (column == 0).ifelse(0.0, column)).cast(kind)",
        "return (column == 0).ifelse(0.0, column).cast(kind)",
        A + "TestKeysOfOtherBits::test_one_persons_bits_move_nobody_else",
    ),
    Mutant(
        "a bin of no group is counted in whichever one",
        T + "bounding.py",
        "np.full(int(same.max(initial=0)) + 1, -1, np.intp)",
        "np.zeros(int(same.max(initial=0)) + 1, np.intp)",
        A + "TestKeysOfOtherBits::test_a_bin_of_no_group_is_an_error_and_moves_nobody",
    ),
]
