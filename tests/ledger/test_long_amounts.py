"""Amounts of thousands of digits are kept, shown or refused, as short ones are."""

from fractions import Fraction

import pytest
from command import run

from discreet import LaplaceThreshold, Ledger
from discreet.accounting import Event
from discreet.errors import BudgetError, KindError
from discreet.events import Part

LONG = Event.of(moves=[(Fraction(1, 3**5000), 1), (Fraction(1, 7**2800), 1)])


@pytest.mark.parametrize("kind", ["plain", "adaptive", "zcdp"])
def test_losses_without_a_common_denominator_add_up(kind, tmp_path):
    path = tmp_path / "b.db"
    book = Ledger(path, epsilon=1, delta="1e-6", accountant=kind)
    book.require(event=LONG)
    book.charge(event=LONG)
    again = Ledger(path)
    again.verify()
    assert again.entries()[0].epsilon == LONG.epsilon
    again.save(tmp_path / "x.csv")
    again.save(tmp_path / "x.json")
    assert str(again)
    assert str(again.why(1))


@pytest.mark.parametrize("kind", ["plain", "adaptive", "zcdp"])
def test_a_huge_loss_is_refused(kind):
    huge = Event.of(moves=[(Fraction(2**7900, 3), 1), (Fraction(2**7900), 2**7900)])
    with pytest.raises(BudgetError, match="nothing was charged"):
        Ledger.in_memory(epsilon=1, delta="1e-6", accountant=kind).require(event=huge)


@pytest.mark.parametrize("kind", ["plain", "adaptive", "zcdp"])
def test_a_move_that_no_event_has_is_refused(kind):
    event = Event((Part(None, (), (), ((Fraction(0), 1),), Fraction(0)),))
    with pytest.raises(KindError, match="event="):
        Ledger.in_memory(epsilon=1, delta="1e-6", accountant=kind).require(event=event)


def test_groups_of_thousands_of_digits_are_wrong_use():
    asked = run("budget", "--compare", "--epsilon", 1, "--delta", "1e-6", "--release", f"0.1:{'9' * 5000}")
    assert (asked.exit_code, "--release" in asked.stderr) == (2, True)


def test_what_is_left_is_shown_where_a_release_does_not_fit():
    book = Ledger.in_memory(epsilon="1/4", delta="1e-6", accountant="plain")
    with pytest.raises(BudgetError, match=r"need \(1/4, 1/1000000\) or less"):
        LaplaceThreshold(scale=1, threshold=30).require((1, 1, 1), book.left)
