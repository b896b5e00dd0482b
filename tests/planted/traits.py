"""Bugs of two private tables that are joined by the person."""

from planted import Mutant, T

FILE = "test_tables_traits.py::"
REFERENCE = FILE + "test_each_person_has_the_traits_of_one_own_row_as_plain_python_chooses_it"
CATALOGUE = [
    Mutant(
        "a row becomes as many as its person has in the other table",
        T + "traits.py",
        "found = rows.left_join(one, [",
        "found = rows.left_join(each, [",
        FILE + "test_what_becomes_of_one_person_is_decided_by_their_own_rows_in_both_tables",
    ),
    Mutant(
        "traits of one person are of several rows",
        T + "traits.py",
        "each = first.filter(first.place == 0)  # proof: foremost",
        "each = first",
        FILE + "test_a_row_is_taken_whole_and_any_of_several_is",
    ),
    Mutant(
        "the same row is taken of all people, the least",
        T + "traits.py",
        "order_by=[code, spelled(engine, said), *ties]",
        "order_by=[spelled(engine, said), *ties]",
        FILE + "test_a_row_is_taken_whole_and_any_of_several_is",
    ),
    Mutant(
        "close floats of one person are mixed",
        T + "traits.py",
        "order_by=[code, spelled(engine, said), *ties]",
        "order_by=[code, spelled(engine, said)]",
        FILE + "test_of_close_floats_one_row_is_taken",
    ),
    Mutant(
        "people are joined by a column's collation",
        T + "traits.py",
        "else engine.who(column)  # proof: whose",
        "else column",
        FILE + "test_people_are_told_apart_as_in_bounding_whatever_the_collation",
    ),
    Mutant(
        "two ledgers are joined, and one is charged",
        T + "traits.py",
        "table.ledger is not other.ledger",
        "False",
        FILE + "test_one_answer_is_charged_once_to_the_one_ledger",
    ),
    Mutant(
        "the ledger of the second table is forgotten",
        T + "traits.py",
        '"ledger": other.ledger if table.ledger is None else table.ledger',
        '"ledger": table.ledger',
        FILE + "test_one_answer_is_charged_once_to_the_one_ledger",
    ),
    Mutant(
        "a kept answer is of another second table",
        T + "traits.py",
        "known = (*table.version, *other.version, *(other.person or ()))",
        "known = (*table.version, *(other.person or ()))",
        FILE + "test_a_question_is_known_again_only_if_both_tables_are",
    ),
    Mutant(
        "two databases in memory are one",
        T + "traits.py",
        "return bool(files[0]) and files[0] == files[1]",
        "return files[0] == files[1]",
        FILE + "test_a_key_to_join_by_a_table_in_groups_and_another_engine_are_refused",
    ),
    Mutant(
        "a filter of the second table is forgotten",
        T + "traits.py",
        "them = them if other.condition is None else them.filter",
        "them = them if True else them.filter",
        FILE + "test_a_condition_of_the_second_table_comes_before_the_choice_and_derived_columns_come_with_it",
    ),
    Mutant(
        "the second table's file is checked no more",
        T + "engines/engine.py",
        "        before()\n        check()",
        "        before()",
        FILE + "test_files_and_frames_are_joined_in_one_engine",
    ),
    Mutant(
        "an answer is kept though the second table is to be paid anew",
        T + "traits.py",
        '"fresh": table.fresh or other.fresh',
        '"fresh": table.fresh',
        "test_tables_traits.py::test_what_is_to_be_paid_anew_in_either_table_is_paid_anew",
    ),
]
