"""Bugs of tables."""

from planted import Mutant, T

CATALOGUE = [
    Mutant(
        "a person counts in one group more than the map says",
        T + "plan.py",
        "each.r < self.max_groups)  # proof: first",
        "each.r <= self.max_groups)  # proof: first",
        "test_tables_plan.py::test_each_engine_gives_the_reference_aggregates[duckdb]",
    ),
    Mutant(
        "max_groups forgotten in the map",
        T + "plan.py",
        "groups = self.max_groups if self.by else 1",
        "groups = 1",
        "test_tables_plan.py::test_one_person_changes_no_more_than_the_map_says_and_somewhere_as_much",
    ),
    Mutant(
        "a person's rows not bounded",
        T + "aggregates/counts.py",
        "n.clip(upper=self.most).sum()",
        "n.sum()",
        "test_tables_plan.py::test_each_engine_gives_the_reference_aggregates[duckdb]",
    ),
    Mutant(
        "values clipped, and a person's sum not",
        T + "aggregates/values.py",
        "clipped(s, *self.bounds).sum()",
        "s.sum()",
        "test_tables_plan.py::test_each_engine_gives_the_reference_aggregates[duckdb]",
    ),
    Mutant(
        "a number that depends on everyone's groups mixed with the person",
        T + "order.py",
        "* (rows.y1 + self.b) % P + rows.y2\n",
        "* (rows.y1 + self.b) % P + rows.id\n",
        "test_tables_plan.py::test_a_new_group_does_not_move_the_groups_of_others",
    ),
    Mutant(
        "a salt that everyone knows",
        T + "plan.py",
        "SYSTEM.words(4).tobytes() if",
        "bytes(32) if",
        "test_tables_plan.py::test_a_salt_changes_who_keeps_what_and_a_fresh_one_is_drawn_each_time",
    ),
    Mutant(
        "only the head count is charged",
        T + "release.py",
        "part.loss(self.plan, d) for part in self.parts",
        "part.loss(self.plan, d) for part in self.parts[:1]",
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
