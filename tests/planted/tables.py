"""Bugs of tables."""

from planted import Mutant, T

CATALOGUE = [
    Mutant(
        "a person counts in one group more than the map says",
        T + "bounding.py",
        "ranked.r <= self.max_groups)  # proof: first",
        "ranked.r <= self.max_groups + 1)  # proof: first",
        "test_tables_bounding.py::test_each_engine_gives_the_reference_aggregates[duckdb]",
    ),
    Mutant(
        "max_groups forgotten in the map",
        T + "bounding.py",
        "groups = self.max_groups if self.by else 1",
        "groups = 1",
        "test_tables_bounding.py::test_one_person_changes_no_more_than_the_map_says_and_somewhere_as_much",
    ),
    Mutant(
        "a person's rows not bounded",
        T + "aggregates/counts.py",
        "n.clip(upper=self.most).sum()",
        "n.sum()",
        "test_tables_bounding.py::test_each_engine_gives_the_reference_aggregates[duckdb]",
    ),
    Mutant(
        "values clipped, and a person's sum not",
        T + "aggregates/values.py",
        "clipped(s, *self.bounds).sum()",
        "s.sum()",
        "test_tables_bounding.py::test_each_engine_gives_the_reference_aggregates[duckdb]",
    ),
    Mutant(
        "a number that depends on everyone's groups mixed with the person",
        T + "order.py",
        "% P + (coded.c & (HALF - 1))\n",
        "% P + coded.count().over()\n",
        "test_tables_bounding.py::test_a_new_group_does_not_move_the_groups_of_others",
    ),
    Mutant(
        "groups that share a place are kept beyond max_groups",
        T + "bounding.py",
        "ranked = placed.mutate(r=placed.count().over(until)",
        "ranked = placed.mutate(r=ibis.rank().over(until) + 1",
        "test_tables_order.py::test_groups_that_share_a_place_are_kept_or_left_out_together",
    ),
    Mutant(
        "close floats are not told apart",
        T + "bounding.py",
        "order_by=[placed.v, *ties]",
        "order_by=[placed.v]",
        "test_tables_order.py::test_of_close_floats_which_share_a_code_the_least_are_kept[duckdb]",
    ),
    Mutant(
        "a digest without its last bit",
        T + "engines/duckdb.py",
        '(number & literal((1 << 56) - 1, "uint64"))',
        '(number & literal((1 << 55) - 1, "uint64"))',
        "test_tables_bounding.py::test_each_engine_gives_the_reference_aggregates[duckdb]",
    ),
    Mutant(
        "a salt that everyone knows",
        T + "ready.py",
        "SYSTEM.words(4).tobytes() if",
        "bytes(32) if",
        "test_tables_bounding.py::test_a_salt_changes_who_keeps_what_and_a_fresh_one_is_drawn_each_time",
    ),
    Mutant(
        "what was checked is not what runs",
        T + "ready.py",
        "self._questions.pop(asker, None) or ",
        "",
        "test_tables_ready.py::test_the_words_that_were_checked_before_the_charge_are_those_that_run",
    ),
    Mutant(
        "two questions under one salt",
        T + "ready.py",
        "self._questions.pop(asker, None)",
        "self._questions.get(asker)",
        "test_tables_ready.py::test_a_question_is_asked_once_and_then_under_another_salt",
    ),
    Mutant(
        "what was checked for another question is asked",
        T + "ready.py",
        "self._questions.pop(asker, None)",
        "(self._questions and self._questions.popitem()[1])",
        "test_tables_ready.py::test_a_table_that_was_made_ready_for_another_question_is_not_asked_that_one",
    ),
    Mutant(
        "only the head count is charged",
        T + "release.py",
        "part.loss(self.bounding, d) for part in self.parts",
        "part.loss(self.bounding, d) for part in self.parts[:1]",
        "test_tables.py::test_the_charge_is_what_the_noise_that_is_drawn_costs",
    ),
    Mutant(
        "noise before the books",
        T + "query.py",
        "        receipt, ledger = self.receipt, self.table.ledger\n",
        "        receipt, ledger = self.receipt, self.table.ledger\n"
        "        self.measurement.release(self.table._ibis)\n",
        "test_tables.py::test_the_books_are_charged_then_the_engine_answers_then_noise_is_drawn",
    ),
]
