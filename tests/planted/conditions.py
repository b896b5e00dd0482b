"""Bugs of filters, and of what a question does to the books."""

from planted import Mutant, T

C = "test_tables_conditions.py::"

CATALOGUE = [
    Mutant(
        "values of two types compared",
        T + "where.py",
        "        if others:\n            raise",
        "        if others and not first.is_date():\n            raise",
        C + "test_a_refusal_says_what_is_needed",
    ),
    Mutant(
        "a type of Ibis taken for a type of DuckDB",
        T + "engines/duckdb.py",
        "two_of_38: ClassVar = True",
        "two_of_38: ClassVar = False",
        C + "test_no_accepted_condition_fails_on_a_value[duckdb]",
    ),
    Mutant(
        "collations that meet in PostgreSQL",
        T + "where.py",
        "return self.engine.bare(op.to_expr()).op()",
        "return op",
        C + "test_no_accepted_condition_fails_on_a_value[postgres]",
    ),
    Mutant(
        "a pattern as long as one likes",
        T + "where.py",
        "_LONGEST: Final = 1000",
        "_LONGEST: Final = 100_000",
        C + "test_no_accepted_text_fails_on_a_value[sqlite]",
    ),
    Mutant(
        "a function known by its name alone",
        T + "where.py",
        "if type(op) is not getattr(self.ops, name, None):",
        "if not hasattr(self.ops, name.partition('_')[0]):",
        C + "test_a_function_that_is_called_like_a_good_one_is_refused",
    ),
    Mutant(
        "no second wall",
        T + "where.py",
        "return condition if self.engine is None else self.engine.attempt(condition)",
        "return condition",
        C + "test_what_fails_on_a_value_all_the_same_holds_for_no_row_in_duckdb",
    ),
    Mutant(
        "a literal that is rounded to the column's type",
        T + "literals.py",
        "if number.denominator != 1 or not least <= number <= most:",
        "if not least <= number <= most:",
        C + "test_a_refusal_says_what_is_needed",
    ),
    Mutant(
        "a failure that is free",
        T + "asking.py",
        "        yield entry\n    except",
        "        yield entry\n    except EngineError:\n"
        "        ledger.void(entry.number, reason='it failed', unseen=True)\n        raise\n    except",
        "test_tables_charging.py::test_a_failure_keeps_its_charge_and_says_so",
    ),
    Mutant(
        "an interrupt that an engine takes for a failure",
        T + "asking.py",
        "        pressed.append(number)\n",
        "",
        "test_tables_charging.py::test_an_interrupt_that_an_engine_takes_for_its_own_is_one",
    ),
    Mutant(
        "one lock for all connections",
        T + "asking.py",
        "vars(table.get_backend()).setdefault",
        "globals().setdefault",
        "test_tables_charging.py::test_questions_to_different_connections_run_side_by_side_and_to_one_in_turn",
    ),
    Mutant(
        "a charge that can be taken back twice",
        "ledger/books.py",
        "            if _notes(connection, kind, which):\n",
        "            if kind == 'failed' and _notes(connection, kind, which):\n",
        "test_tables_charging.py::test_a_charge_is_taken_back_exactly_once_and_the_record_shows_it",
    ),
    Mutant(
        "a note that takes back more than was charged",
        "ledger/books.py",
        "            or note.event != taken  # proof: back\n",
        "",
        "test_tables_charging.py::test_a_note_that_no_ledger_wrote_is_damage_though_its_digest_is_right",
    ),
    Mutant(
        "a table that can be changed",
        T + "table.py",
        "@final\n@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)\nclass Groups:",
        "Table.__setattr__ = object.__setattr__\n\n\n"
        "@final\n@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)\nclass Groups:",
        "test_tables_charging.py::test_a_table_cannot_be_changed",
    ),
]
