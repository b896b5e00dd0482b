"""Bugs of files, frames, pages and words."""

from planted import Mutant, T

F = "test_tables_files.py::"
R = "test_pages.py::"

CATALOGUE = [
    Mutant(
        "columns read as numbers where DuckDB can",
        T + "texts.py",
        """rows = _view(ibis, paths, names, options, lambda: _check_header(paths, separator, names))""",
        "rows = ibis.duckdb.connect().read_csv(list(map(str, paths)))",
        F + "test_what_can_be_asked_does_not_depend_on_a_row",
    ),
    Mutant(
        "a row that is broken makes the query fail",
        T + "texts.py",
        "ignore_errors=true, hive",
        "ignore_errors=false, hive",
        F + "test_no_row_of_csv_makes_a_query_fail_or_moves_another",
    ),
    Mutant(
        "a cast that fails on a value",
        T + "texts.py",
        "texts[name].try_cast(_ibis_type(kind))",
        "texts[name].cast(_ibis_type(kind))",
        F + "test_declared_columns_have_their_type_and_null_where_a_text_has_not",
    ),
    Mutant(
        "a value that is no number makes a sum fail",
        T + "engines/duckdb.py",
        'return text.try_cast("float64")',
        'return text.cast("float64")',
        F + "test_values_are_numbers_without_being_declared",
    ),
    Mutant(
        "rows decide whether a header can be read",
        T + "texts.py",
        'encoding="utf-8-sig", errors="surrogateescape", newline=""',
        'encoding="utf-8-sig", newline=""',
        F + "test_explain_reads_the_header_only",
    ),
    Mutant(
        "the header of the first of many files taken for all",
        T + "texts.py",
        "if header(path) != (separator, names):",
        "if len(header(path)[1]) != len(names):",
        F + "test_files_of_one_table_have_one_header",
    ),
    Mutant(
        "files with other separators taken for one table",
        T + "texts.py",
        "if header(path) != (separator, names):",
        "if header(path)[1] != names:",
        F + "test_files_of_one_table_have_one_separator",
    ),
    Mutant(
        "a decimal point taken for one of thousands",
        T + "conventions.py",
        "return texts.re_search(_GROUPED).ifelse(plain, None)",
        "return plain",
        F + "test_each_type_reads_the_texts_that_are_of_it",
    ),
    Mutant(
        "the month before the day",
        T + "conventions.py",
        "names.index(part) + 1",
        '1 + ("month", "day", "year").index(part)',
        F + "test_each_type_reads_the_texts_that_are_of_it",
    ),
    Mutant(
        "a folder's name taken for a column",
        T + "texts.py",
        "hive_partitioning=false",
        "hive_partitioning=true",
        F + "test_a_folders_name_adds_no_column",
    ),
    Mutant(
        "one column of a frame spoils all",
        T + "frames.py",
        "except (pa.ArrowException, TypeError, ValueError, NotImplementedError):",
        "except ZeroDivisionError:",
        F + "test_a_column_that_is_not_asked_about_may_be_anything",
    ),
    Mutant(
        "an enumeration's values in a message",
        T + "frames.py",
        'getattr(kind, "name", None) or type(kind).__name__',
        "str(kind)",
        F + "test_a_column_that_cannot_be_held_says_no_more_than_its_type",
    ),
    Mutant(
        "an amount rounded to the nearest, not to the safe side",
        "exact.py",
        "rounding=ROUND_CEILING if up else ROUND_FLOOR",
        "rounding=ROUND_FLOOR",
        "test_words.py::test_what_was_computed_is_rounded_to_the_safe_side_in_three_digits",
    ),
    Mutant(
        "a float taken for a shorter number that is above it",
        "exact.py",
        "-math.inf) < short <= x",
        "-math.inf) <= short",
        "test_words.py::test_a_float_is_off_by_no_more_than_its_own_rounding",
    ),
    Mutant(
        "a key turns the page's own sentence",
        "pages/page.py",
        "*range(0xD800, 0xE000), *_TURNS}",
        "*range(0xD800, 0xE000)}",
        R + "TestEscaping::test_no_name_turns_a_sentence",
    ),
    Mutant(
        "a long series ranked by value",
        "pages/sheet.py",
        "        if self.ordered:\n            return range",
        "        if self.ordered and len(self) <= most:\n            return range",
        R + "TestAnswers::test_what_has_an_order_keeps_it_however_many_there_are",
    ),
    Mutant(
        "a terminal's commands in a sheet",
        "pages/sheet.py",
        "[[plain(column.text(i)) for column",
        "[[column.text(i) for column",
        "test_sheet.py::test_all_five_forms_say_the_same",
    ),
    Mutant(
        "markup in a notebook",
        "pages/sheet.py",
        "{clean(c.text(i))}</td>",
        "{c.text(i)}</td>",
        "test_sheet.py::test_all_five_forms_say_the_same",
    ),
    Mutant(
        "amounts of a sheet rounded down",
        "pages/sheet.py",
        "written(x, up=up, digits=digits, commas=True)",
        "written(x, up=False, digits=digits, commas=True)",
        "test_sheet.py::test_all_five_forms_say_the_same",
    ),
]
