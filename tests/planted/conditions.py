"""Bugs of filters, and of what a question does to the books."""

from planted import Mutant, T

C = "test_tables_conditions.py::"

CATALOGUE = [
    Mutant(
        "values of two types compared",
        T + "total.py",
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
        "what is not like a pattern taken for what is",
        T + "reading.py",
        'return ops.Not(found) if node.args.get("negate") else found',
        "return found",
        C + "test_what_is_not_like_a_pattern",
    ),
    Mutant(
        "moments compared as texts",
        T + "total.py",
        "return self.engine.read_moment(op.to_expr()).op()",
        "return op",
        C + "test_sqlite_compares_moments_and_not_their_texts",
    ),
    Mutant(
        "a choice that hands SQLite's functions a text that is no UTF-8",
        T + "engines/sqlite.py",
        "return column if isinstance(column.op(), ops.ScalarUDF | ops.Literal) else self.who(column)",
        "return self.who(column) if isinstance(column.op(), ops.Field) else column",
        C + "test_no_choice_fails_on_a_text_that_is_no_utf_8",
    ),
    Mutant(
        "collations that meet in PostgreSQL",
        T + "total.py",
        "return self.engine.bare(op.to_expr()).op() if op.dtype.is_string() else op",
        "return op",
        C + "test_no_accepted_condition_fails_on_a_value[postgres]",
    ),
    Mutant(
        "a pattern as long as one likes",
        T + "total.py",
        "_LONGEST: Final = 1000",
        "_LONGEST: Final = 100_000",
        C + "test_a_long_pattern_is_refused",
    ),
    Mutant(
        "a function known by its name alone",
        T + "total.py",
        "if type(op) is not getattr(self.ops, name, None):",
        "if not hasattr(self.ops, name.partition('_')[0]):",
        C + "test_a_function_that_is_called_like_a_good_one_is_refused",
    ),
    Mutant(
        "no second wall",
        T + "total.py",
        "return self.engine.attempt(self.shallow(op).to_expr())",
        "return self.shallow(op).to_expr()",
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
