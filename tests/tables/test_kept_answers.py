"""The same question of the same source at the same declared version: the same figures, for nothing."""

from dataclasses import replace
from datetime import date
from decimal import Decimal

import pandas as pd
import pytest
from tiers import each

from discreet import BudgetError, Ledger, LedgerError
from discreet.errors import ParameterError
from discreet.tables import Mean, People, Sum, Table
from discreet.tables.kept import packed

RIDES = pd.DataFrame(
    {
        "user": [1, 2, 2, 3],
        "city": ["Rome", "Bath", "Rome", None],
        "day": [date(2026, 1, 1), date(2026, 1, 2), date(2026, 1, 2), None],
        "price": [1.5, 2.0, 0.25, 9.0],
        "n": [7, 8, 9, 7],
    }
)
ASKED = [
    lambda t: t.count_people(epsilon=1),
    lambda t: t.count_rows(epsilon=1, max_rows=2),
    lambda t: t.group_by("city", keys=["Rome", "Bath"]).count_people(epsilon=1, max_groups=2),
    lambda t: t.group_by("city").count_people(epsilon=20, delta="0.4", max_groups=2),
    lambda t: t.group_by("day", "n").release(
        People(), Sum("price", low=0, high=5), epsilon=30, delta="0.4", max_groups=2
    ),
    lambda t: t.group_by("city", keys=["Rome", "Bath"]).release(
        Mean("price", low=0, high=5), epsilon=1, max_groups="auto"
    ),
    lambda t: t.group_by("n").keys(epsilon=5, delta="1e-3", rounds=1),
]


@pytest.fixture
def place(tmp_path):
    RIDES.to_parquet(tmp_path / "rides.parquet")
    return tmp_path / "rides.parquet"


def told(answer):
    keys = [[(type(each), each) for each in key] for key in answer.keys]
    ends = [column.interval("0.95") for column in answer.released]
    return keys, answer.columns, str(ends), answer.left_out, answer.types, replace(answer.receipt, kept=False).to_dict()


@pytest.mark.parametrize("ask", each(ASKED, 2), ids=each(range(len(ASKED)), 2))
def test_the_same_question_has_the_same_answer_and_costs_nothing(place, ask):
    book = Ledger.in_memory(epsilon=100, delta="0.99", accountant="plain")
    first = ask(Table(place, person="user", ledger=book, version="2026-11"))
    spent = book.spent
    again = ask(Table(place, person="user", ledger=book, version="2026-11"))
    assert told(again) == told(first)
    assert (first.receipt.kept, again.receipt.kept) == (False, True)
    assert (book.spent, [entry.kind for entry in book.entries()]) == (spent, ["charge", "answer"])
    fresh = ask(Table(place, person="user", ledger=book, version="2026-11", fresh=True))
    assert (fresh.receipt.entry, book.spent.epsilon) == (3, 2 * spent.epsilon)
    assert told(ask(Table(place, person="user", ledger=book, version="2026-11"))) == told(fresh)
    book.verify()


def test_another_question_is_paid_for(place, tmp_path):
    other = tmp_path / "others.parquet"
    RIDES.to_parquet(other)
    typed = tmp_path / "typed"
    typed.mkdir()
    RIDES.assign(n=RIDES["n"].astype("int16")).to_parquet(typed / "rides.parquet")
    book = Ledger.in_memory(epsilon=100, delta="0.4")

    def asked(path=place, *, version="2026-11", where=None, person="user", keys=("Rome", "Bath"), epsilon=1, groups=2):
        table = Table(path, person=person, ledger=book, version=version)
        table = table if where is None else table.where(where)
        return table.group_by("city", keys=keys).count_people(epsilon=epsilon, max_groups=groups)

    asked()
    others = [
        lambda: asked(version="2026-12"),
        lambda: asked(version=None),
        lambda: asked(version=None),
        lambda: asked(other),
        lambda: asked(typed / "rides.parquet"),
        lambda: asked(where="n = 7"),
        lambda: asked(where="n = 8"),
        lambda: asked(person="n"),
        lambda: asked(keys=("Rome", "Oslo")),
        lambda: asked(epsilon="1.0000000000000000001"),
        lambda: asked(epsilon="1.0000000000000000002"),  # The least float above both is one.
        lambda: asked(groups=1),
    ]
    for number, other_question in enumerate(others, 2):
        other_question()
        assert sum(entry.kind == "charge" for entry in book.entries()) == number
    asked()
    assert sum(entry.kind == "charge" for entry in book.entries()) == len(others) + 1


def test_a_condition_in_python_is_never_free(place):
    book = Ledger.in_memory(epsilon=100)
    table = Table(place, person="user", ledger=book, version="2026-11")
    for _ in range(2):
        table.where(table._ibis.n == 7).count_people(epsilon=1)
    assert [entry.kind for entry in book.entries()] == ["charge", "charge"]


def test_without_a_ledger_or_a_name_for_the_source_nothing_is_kept(place):
    assert Table(place, person="user", version="2026-11").count_people(epsilon=1).receipt.entry is None
    with pytest.raises(ParameterError, match="version='2026-11': need none"):
        Table(RIDES, person="user", version="2026-11")


def test_a_kept_answer_is_had_when_the_budget_is_spent_and_the_engine_is_not_asked(place, monkeypatch):
    book = Ledger.in_memory(epsilon=1)
    table = Table(place, person="user", ledger=book, version="2026-11")
    answer = table.count_people(epsilon=1)
    with pytest.raises(BudgetError):
        table.count_people(epsilon="0.5")
    monkeypatch.setattr("discreet.tables.query.Ready.of", lambda *_: 1 / 0)
    assert table.count_people(epsilon=1).columns == answer.columns


def test_an_answer_that_cannot_be_kept_is_paid_for_again(place, monkeypatch):
    book = Ledger.in_memory(epsilon=3)
    table = Table(place, person="user", ledger=book, version="2026-11")

    def full(*_, **__):
        raise LedgerError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(Ledger, "keep", full)
        table.count_people(epsilon=1)
    table.count_people(epsilon=1)
    assert [entry.kind for entry in book.entries()] == ["charge", "charge", "answer"]


def test_a_charge_whose_answer_is_kept_is_not_taken_back(place):
    book = Ledger.in_memory(epsilon=3)
    table = Table(place, person="user", ledger=book, version="2026-11")
    table.count_people(epsilon=1)
    with pytest.raises(ParameterError, match="number=1: need a charge whose answer was not kept"):
        book.void(1, reason="a wrong file", unseen=True)
    assert table.count_people(epsilon=1).receipt.entry == 1


def test_keys_that_would_come_back_as_others_are_not_kept():
    import pyarrow as pa

    assert packed([(1,)], [pa.float64()]) is None
    assert packed([("a",)], [pa.int8()]) is None
    assert packed([(Decimal("1.50"), date(2026, 1, 1))], [pa.decimal128(9, 2), pa.date32()]) is not None


def test_an_answer_is_kept_once_for_a_charge_that_there_is():
    book = Ledger.in_memory(epsilon=1)
    book.charge(epsilon="0.5")
    book.keep(1, question="q", answer=[1])
    for wrong in (1, 2, 3):
        with pytest.raises(ParameterError, match="number="):
            book.keep(wrong, question="q", answer=[1])
    assert book.spent.epsilon * 2 == 1
