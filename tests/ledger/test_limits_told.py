"""What the books say of their rules: when a period counts plainly, and who pays for a plan."""

import pytest

from discreet import Ledger
from discreet.ledger import Event, Period

MONTH = Period("month", epsilon=1, delta="1e-6", start="2026-01-01")
PLAINLY = "for the rest of this month epsilons add up plainly"


@pytest.mark.parametrize(("epsilon", "told"), [("0.01", False), ("0.9", True)])
def test_a_release_that_is_too_large_for_units_is_told(epsilon, told):
    book = Ledger.in_memory(epsilon=9, delta="1e-5", period=MONTH)
    assert PLAINLY not in str(book)
    book.charge(epsilon=epsilon)
    assert (PLAINLY in str(book)) is told


def test_months_that_always_add_up_plainly_say_nothing_of_it():
    book = Ledger.in_memory(epsilon=9, delta="1e-5", accountant="plain", period=MONTH)
    book.charge(epsilon="0.9")
    assert PLAINLY not in str(book)


def test_a_plan_is_open_to_all_and_paid_by_who_reserved_it():
    tenth, book = Event.of(moves=[("0.1", 1)]), Ledger.in_memory(epsilon=3, analysts={"ana": 1, "ben": 1})
    plan = book.reserve([tenth] * 2, who="ana")
    before = {name: analyst.spent for name, analyst in book.analysts.items()}
    assert (before["ana"].epsilon > 0, before["ben"].epsilon, plan.charge(event=tenth, who="ben").who) == (
        True,
        0,
        "ben",
    )
    assert {name: analyst.spent for name, analyst in book.analysts.items()} == before
