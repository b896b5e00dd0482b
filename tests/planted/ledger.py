"""Bugs of the ledger."""

from planted import Mutant

CATALOGUE = [
    Mutant(
        "a charge that is checked without itself",
        "ledger/books.py",
        "self._accountant.exceeds(self._accountant.after(mark.state, event), self._budget)",
        "self._accountant.exceeds(mark.state, self._budget)",
        "test_ledger.py::TestRefusals::test_both_parts_of_the_budget_count",
    ),
    Mutant(
        "books that the disk may not have yet",
        "ledger/store.py",
        '"synchronous = EXTRA"',
        '"synchronous = NORMAL"',
        "test_ledger.py::TestFiles::test_a_commit_is_durable",
    ),
]
