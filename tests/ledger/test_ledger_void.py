"""A charge is taken back where it is marked as failed, or where somebody confirms that nobody has seen its answer."""

import pytest
from command import assert_one_line, ok, run

from discreet import Ledger
from discreet.errors import ParameterError


@pytest.mark.parametrize("unseen", [False, None, 1, "no"])
def test_what_may_have_been_seen_is_taken_back_only_with_a_confirmation(unseen, shelf):
    book = Ledger(shelf / "b.db", epsilon=1)
    book.charge(epsilon=1)
    with pytest.raises(ParameterError, match="marked as failed, or unseen=True, if nobody has seen its answer"):
        book.void(1, reason="a mistake", unseen=unseen)
    assert (book.left.epsilon, len(book.entries())) == (0, 1)
    book.void(1, reason="a mistake", unseen=True)
    assert book.left.epsilon == 1


def test_a_failed_charge_needs_no_confirmation(shelf):
    book = Ledger(shelf / "b.db", epsilon=1)
    book.mark_failed(book.charge(epsilon="1/2").number, reason="the disk was full")
    book.charge(epsilon="1/2")
    book.void(1, reason="the disk was full")
    with pytest.raises(ParameterError, match="unseen=True"):  # Another charge's failure says nothing of it.
        book.void(3, reason="the disk was full")
    book.verify()


def test_the_command_line_asks_for_it_too(tmp_path):
    book = Ledger(tmp_path / "b.db", epsilon=1)
    book.charge(epsilon=1)
    asked = run("budget", book.path, "--void", 1, "--reason", "a mistake")
    assert_one_line(asked, 2)
    assert "--void 1: need a charge that is marked as failed, or --unseen, if nobody" in asked.stderr
    assert_one_line(run("budget", book.path, "--unseen"), 2)
    ok("budget", book.path, "--void", 1, "--reason", "a mistake", "--unseen")
    assert book.left.epsilon == 1
