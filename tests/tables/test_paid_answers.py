"""What was paid for is told: nothing that comes after a charge makes the answer fail."""

import pandas as pd
import pytest

from discreet import Ledger
from discreet.tables import Table
from discreet.tables.query import Query

ROWS = pd.DataFrame({"user": [i % 30 for i in range(90)], "city": [f"town {i % 3}" for i in range(90)]})


@pytest.mark.parametrize("planned", [False, True])
def test_a_suggestion_is_told_though_the_books_are_gone(planned, tmp_path, monkeypatch):
    book = Ledger(tmp_path / "b.db", epsilon=3, delta="1e-5")
    event = Query.of_sizes(Table(ROWS, person="user"), ("city",), "0.1").event
    draw, ledger = Query.draw, book.reserve([event]) if planned else book

    def drawn(self):
        found = draw(self)
        book.path.unlink()
        return found

    monkeypatch.setattr(Query, "draw", drawn)
    found = Table(ROWS, person="user", ledger=ledger).suggest_max_groups("city", epsilon="0.1")
    assert found.receipt.entry == 1 + planned


@pytest.mark.parametrize("noise", ["auto", "laplace", "truncated", "gaussian"])
def test_a_delta_that_is_nearly_1_is_no_delta_of_1(noise):
    book = Ledger.in_memory(epsilon=3, delta="0.99999999999999", accountant="plain")
    asked = Table(ROWS, person="user", ledger=book).group_by("city")
    answer = asked.count_people(epsilon=1, delta="0.99999999999", max_groups=2, noise=noise)
    assert answer.receipt.entry == 1
