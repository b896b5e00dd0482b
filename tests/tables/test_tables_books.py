"""Noise that knows the books: what each law would take of what is left, and which one is taken for it."""

import json
from dataclasses import replace
from fractions import Fraction
from itertools import count

import command
import pandas as pd
import pytest
from tiers import crossed

from discreet import Ledger, Sensitivity
from discreet.domains import Integers, Maps, Texts
from discreet.errors import BudgetError
from discreet.ledger import Event, Period
from discreet.reals import float_up
from discreet.tables import Mean, People, Sum, Table
from discreet.tables.laws import LAWS, candidates, within_means

ROWS = pd.DataFrame({"user": [i % 900 for i in range(2700)], "city": [f"town {i % 7}" for i in range(2700)], "paid": 1})
ASKED = {"epsilon": 1, "delta": "1e-6", "max_groups": 10}
BOOKS = {
    "adaptive": {"epsilon": 3, "delta": "1e-3"},
    "little delta": {"epsilon": 3, "delta": "5e-6"},
    "zcdp": {"epsilon": 3, "delta": "1e-4", "accountant": "zcdp"},
    "plain": {"epsilon": 4, "delta": "1e-4", "accountant": "plain"},
    "an analyst": {"epsilon": 9, "delta": "1e-3", "analysts": {"ana": (2, "1e-5")}, "who": "ana"},
    "a month": {"epsilon": 9, "delta": "1e-3", "period": Period("month", epsilon=3, delta="1e-3", start="2026-01-01")},
}


def groups(book=None, **rest):
    return Table(ROWS, person="user", ledger=book, **rest).group_by("city")


def taken(found):
    return [option.noise for option in found if option.taken]


def test_the_law_depends_on_the_currency_of_the_books():
    """A Gaussian is one move of 1 where moves are counted, and a small rho where rho is."""
    laws = {name: taken(groups(Ledger.in_memory(**said)).explain(**ASKED)[10].options) for name, said in BOOKS.items()}
    assert laws == {
        "adaptive": ["truncated"],
        "little delta": ["gaussian"],
        "zcdp": ["gaussian"],
        "plain": ["gaussian"],
        "an analyst": ["gaussian"],
        "a month": ["truncated"],
    }
    assert taken(groups().explain(**ASKED)[10].options) == ["gaussian"]


@crossed(5, books=list(BOOKS), law=[*LAWS, "auto"])
def test_what_is_said_to_fit_is_what_fits(books, law):
    book = Ledger.in_memory(**BOOKS[books])
    said = groups(book).explain(**ASKED, noise=law)
    for made in count():  # noqa: B007
        try:
            book.charge(event=said.event)
        except BudgetError:
            break
    assert (said[10].fits, [option.fits for option in said[10].options if option.taken]) == (made, [made])
    refused = groups(book).explain(**ASKED, noise=law)
    assert refused[10].fits == 0
    assert "does not fit" in str(refused)


@crossed(7, books=list(BOOKS), most=[1, 2, 3, 5, 20], spent=[0, 7, 19])
def test_the_best_law_is_taken_that_fits_and_takes_at_most_twice_the_least(books, most, spent):
    book = Ledger.in_memory(**BOOKS[books])
    if spent:
        book.charge(event=Event.of(moves=[("0.1", spent)]))
    options = groups(book).explain(**ASKED | {"max_groups": most})[most].options
    assert {option.noise for option in options} == set(LAWS)
    least = min(option.share for option in options)
    means = [option for option in options if option.share <= 2 * least and option.share <= max(1, least)]
    best = min(means, key=lambda option: (option.n50, option.deviation))
    assert taken(options) == [best.noise]
    assert options[0].taken


def test_a_better_law_that_does_not_fit_is_not_taken():
    found = candidates(Maps(Texts(), Integers()), Sensitivity(3, 3, 1), Fraction(1), Fraction("1e-6"))
    shares = {"gaussian": Fraction("1.1"), "truncated": Fraction("0.6"), "laplace": Fraction("0.6")}
    assert [law.law for law in within_means(found, shares)] == ["truncated", "laplace", "gaussian"]


def test_several_columns_are_counted_together():
    """The part that decides the groups is chosen last, and sees what the others take."""
    book = Ledger.in_memory(**BOOKS["adaptive"])
    said = groups(book).explain(People(), Sum("paid", 0, 5, 1), Mean("paid", 0, 5, 1, name="mean"), **ASKED)[10]
    for option in said.options:
        assert option.share >= said.share or not option.taken
        assert option.share == pytest.approx(said.share) or not option.taken


def test_the_receipt_says_what_was_compared():
    book = Ledger.in_memory(**BOOKS["adaptive"])
    said = groups(book).explain(**ASKED)[10].options
    receipt = groups(book).count_people(**ASKED).receipt.to_dict()
    assert receipt["share_of_left"] == {"people": {option.noise: float_up(option.share) for option in said}}
    assert receipt["laws"] == {"people": "truncated"}
    assert book.entries()[0].receipt["share_of_left"] == receipt["share_of_left"]
    for given in ({"noise": "gaussian"}, {"rounds": 2}, {"max_groups": "auto"}):
        told = groups(book).explain(**ASKED | given)
        assert "share_of_left" not in told.receipt.to_dict()
    assert "share_of_left" not in groups().explain(**ASKED).receipt.to_dict()


def test_what_is_chosen_on_the_way_is_charged_as_it_is_asked_for_and_takes_the_best_law():
    assert groups().explain(**ASKED | {"max_groups": "auto"}).event == (
        groups(Ledger.in_memory(**BOOKS["adaptive"])).explain(**ASKED | {"max_groups": "auto"}).event
    )


# Answers that are kept, and releases that were reserved.


@pytest.fixture
def kept(tmp_path):
    ROWS.to_parquet(tmp_path / "rows.parquet")
    return lambda book: Table(tmp_path / "rows.parquet", person="user", ledger=book, version="1").group_by("city")


def test_a_question_is_the_same_whatever_is_left_on_the_books(kept):
    book = Ledger.in_memory(**BOOKS["adaptive"])
    first = kept(book).count_people(**ASKED)
    book.charge(epsilon="0.01", delta="4.96e-4")
    assert taken(kept(book).explain(**ASKED)[10].options) == ["gaussian"]
    spent = book.spent
    again = kept(book).count_people(**ASKED)
    assert (first.receipt.laws, again.receipt.laws) == ({"people": "truncated"},) * 2
    assert (again.to_rows(), again.noise, book.spent) == (first.to_rows(), first.noise, spent)
    assert again.receipt.to_dict() | {"ledger": None} == first.receipt.to_dict() | {"ledger": None}


def test_an_answer_that_was_kept_without_its_laws_has_the_usual_ones(kept, monkeypatch):
    book, packed = Ledger.in_memory(**BOOKS["little delta"]), "discreet.tables.query.Query._packed"
    from discreet.tables.query import Query

    before = Query._packed
    older = {"laws", "share_of_left"}
    monkeypatch.setattr(packed, lambda *given: {k: v for k, v in before(*given).items() if k not in older})
    first, again = kept(book).count_people(**ASKED), kept(book).count_people(**ASKED)
    assert (again.noise, again.receipt.laws) == (first.noise, {"people": "gaussian"})


@crossed(5, books=list(BOOKS), explained=["with books", "without"])
def test_what_was_reserved_is_released_whatever_is_left_then(books, explained):
    book = Ledger.in_memory(**BOOKS[books])
    said = groups(book if explained == "with books" else None).explain(**ASKED)
    plan = book.reserve([said])
    book.charge(epsilon="0.1", delta="1e-7")
    answer = groups(plan).count_people(**ASKED)
    assert answer.receipt.laws == said.receipt.laws
    assert plan.left.total() == 0
    with pytest.raises(BudgetError, match="nothing is left of the plan"):
        groups(plan).count_people(**ASKED)


def test_a_reservation_of_two_laws_is_used_up_the_better_one_first():
    book = Ledger.in_memory(epsilon=9, delta="1e-4")
    plan = book.reserve([groups().explain(**ASKED, noise=law) for law in ("laplace", "gaussian")])
    assert "reserved" in str(groups(plan).explain(**ASKED))
    assert [groups(plan).count_people(**ASKED).receipt.laws["people"] for _ in range(2)] == ["gaussian", "laplace"]


def test_a_part_that_is_in_a_release_twice_must_be_there_twice():
    book, event = Ledger.in_memory(epsilon=1), Event.of(moves=[("0.1", 1)])
    shares = book.reserve([event]).shares()
    assert (shares(event), shares(event + event) > 1, shares(replace(event))) == (0, True, 0)


def test_a_suggestion_prices_the_law_that_will_be_taken():
    rows, found = pd.DataFrame({"user": [i % 99 for i in range(1980)], "city": [i % 20 for i in range(1980)]}), {}
    for name in ("adaptive", "zcdp"):
        book = Ledger.in_memory(**BOOKS[name])
        worth = Table(rows, person="user", ledger=book).suggest_max_groups("city", epsilon="0.1").worth
        found[name] = type(worth[10].price.law).__name__
    assert found == {"adaptive": "TruncatedLaplace", "zcdp": "Gaussian"}


def test_the_command_explains_by_the_books(tmp_path):
    book, rows = tmp_path / "books.db", tmp_path / "rows.csv"
    Ledger(book, **BOOKS["adaptive"]).close()
    ROWS.to_csv(rows, index=False)
    words = ["explain", "count", str(rows), "--by", "city", "--person", "user", "--max-groups", "10"]
    words += ["--epsilon", "1", "--delta", "1e-6", "--ledger", str(book)]
    options = json.loads(command.run(*words, "--json").stdout)["options"]
    assert [row["noise"] for row in options if row["max_groups"] == 10 and row["taken"]] == ["truncated"]
    text = command.run(*words).stdout
    assert "of what is left" in text
    assert "at most twice the least part of what is left on the books" in " ".join(text.split())
    assert Ledger(book).entries() == []
