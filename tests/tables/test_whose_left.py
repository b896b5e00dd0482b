"""Whose what is left is: an answer says it where more than the whole is limited, and so does a person's account."""

import pandas as pd
import pytest

from discreet import Ledger
from discreet.ledger import Event, Period
from discreet.pages.books import account_of, book_sheet
from discreet.tables import Table

ROWS = pd.DataFrame({"id": range(9), "city": ["Rome"] * 9})
MONTH = Period("month", epsilon=2, delta="1e-6", start="2026-11-01")


@pytest.mark.parametrize(
    ("rules", "said", "page"),
    [
        ({}, "The budget has epsilon 8.5 and delta 1e-5 left.", "8.5 and delta 1e-5 were left in the ledger"),
        ({"period": MONTH}, "Left: epsilon 1.5 this month, delta 1e-6 this month.", "1.5 was left this month, and"),
        ({"analysts": {"ben": 1}}, "Left: epsilon 0.5 to 'ben', delta 1e-5 in all.", "0.5 was left to &#x27;ben&#x27;"),
        (
            {"period": MONTH, "analysts": {"ben": 1}},
            "Left: epsilon 0.5 to 'ben', delta 1e-6 this month.",
            "delta 1e-6 this",
        ),
    ],
    ids=["whole", "month", "ben", "both"],
)
def test_an_answer_says_whose_what_is_left_is(rules, said, page):
    book = Ledger.in_memory(epsilon=9, delta="1e-5", accountant="plain", who="ben", **rules)
    answer = Table(ROWS, person="id", ledger=book).count_people(epsilon="0.5")
    assert answer.remarks[-1] == said
    assert page in answer.to_html()


def test_groups_alone_say_it_too():
    book = Ledger.in_memory(epsilon=9, delta="1e-5", accountant="plain", period=MONTH)
    plan = book.reserve([Table(ROWS, person="id").group_by("city").explain_keys(epsilon="0.5", delta="1e-7")])
    for ledger in (book, plan):
        answer = Table(ROWS, person="id", ledger=ledger).group_by("city").keys(epsilon="0.5", delta="1e-7")
        assert " this month, delta " in answer.remarks[-1]


class TestAccounts:
    def test_old_rows_are_not_measured_by_todays_limit(self):
        book = Ledger.in_memory(epsilon=9, analysts={"ben": 1})
        book.charge(epsilon="0.5", who="ben")
        book.set_limit("ben", epsilon=3)
        sheet = book_sheet("ben", account_of(book.to_dict(), "ben"))
        assert "epsilon left" not in [column.name for column in sheet.columns]
        assert sheet.remarks[0].endswith("0.5 of 3 spent, 2.5 left")

    def test_a_release_from_anothers_plan_is_its_makers_and_the_plan_is_not(self):
        book, one = Ledger.in_memory(epsilon=9, analysts={"ana": 5, "ben": 1}), Event.of(moves=[("0.1", 1)])
        plan = book.reserve([one] * 3, who="ana")
        made = plan.charge(event=one, who="ben")
        books = account_of(book.to_dict(), "ben")
        assert made.number in [entry["number"] for entry in books["entries"]]
        assert plan.number not in [entry["number"] for entry in books["entries"]]
        assert books["reservations"] == []
        assert [each["entry"] for each in account_of(book.to_dict(), "ana")["reservations"]] == [plan.number]
