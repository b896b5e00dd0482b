"""The page of the books: what was spent by whom and when, in percent of what decides."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from command import ok, run

from discreet import Ledger
from discreet.ledger import books as module

EVIL = "</script><b>\u202eAda"


@pytest.fixture
def days(monkeypatch):
    """A clock that goes on by a day with each entry."""
    time = [datetime(2026, 1, 1, tzinfo=UTC)]

    def later():
        time[0] += timedelta(days=1)
        return time[0].isoformat(timespec="microseconds")

    monkeypatch.setattr(module, "now", later)


def heights(page, part):
    """How high the columns of a part are, from left to right, in percent."""
    found = re.findall(rf'<rect class="part-{part}" x="([\d.]+)%" y="[\d.]+" width="[\d.]+%" height="([\d.]+)"', page)
    return [(float(x), round(float(height) / 1.6, 1)) for x, height in found]


@pytest.mark.usefixtures("days")
class TestSpending:
    def test_what_was_spent_is_drawn_by_who_asked(self):
        book = Ledger.in_memory(epsilon=1)
        book.charge(epsilon="0.4", who="Ada")
        book.charge(epsilon="0.25", who="Bob")
        book.charge(epsilon="0.1", who="Ada")
        page = book.to_html()
        assert "<bdi>Ada</bdi> 50 %, <bdi>Bob</bdi> 25 %; 25 % of epsilon is left." in page
        ada, bob = heights(page, 0), heights(page, 1)
        assert len(ada) == 60  # It had spent something from the first column on.
        assert (ada[0][1], ada[-2][1], ada[-1][1]) == (40, 40, 50)
        assert bob == [(x, 25) for x, _ in ada[30:]]  # It asked half-way.

    def test_what_is_taken_back_is_taken_back_from_who_had_asked(self):
        book = Ledger.in_memory(epsilon=1)
        book.charge(epsilon="0.5", who="Ada")
        book.charge(epsilon="0.25", who="Bob")
        book.void(1, reason="the disk was full", unseen=True, who="Eve")
        assert "<bdi>Bob</bdi> 25 %, <bdi>Ada</bdi> 0 %; 75 % of epsilon is left." in book.to_html()

    def test_those_who_asked_little_are_drawn_together_and_nobody_has_a_name(self):
        book = Ledger.in_memory(epsilon=10)
        for i, who in enumerate(["a", "b", "c", None, "e", "f"]):
            book.charge(epsilon=f"0.{9 - i}", who=who)
        page = book.to_html()
        assert re.search(r"a</bdi> 9 %, .*<bdi>not said</bdi> 6 %, <bdi>2 others</bdi> 9 %; 61 % of", page)
        assert max(height for _, height in heights(page, 4)) == 9

    def test_the_sum_that_decides_is_drawn(self):
        book = Ledger.in_memory(epsilon=1, delta="1e-6")
        book.charge(epsilon="0.1", who="Ada")
        page = book.to_html()
        assert "Spent of units" in page
        assert "19.6 %; 80.4 % of units is left." in page

    def test_names_are_text(self):
        book = Ledger.in_memory(epsilon=1)
        book.charge(epsilon="0.4", who=EVIL, table=EVIL)
        page = book.to_html()
        assert EVIL not in page
        assert "<b>" not in page
        assert "\u202e" not in page

    def test_everybody_who_has_a_limit_is_told_of_whatever_the_name(self):
        book = Ledger.in_memory(epsilon=1, analysts={"ana  [x": "1/2"})
        book.charge(epsilon="0.4", who="ana  [x")
        page = book.to_html()
        assert "ana  [x: epsilon 0.4 and delta 0 spent, epsilon 0.1 and delta 0 left." in page
        assert "####" not in page

    def test_one_moment_is_one_column(self, monkeypatch):
        monkeypatch.setattr(module, "now", lambda: "2026-01-01T00:00:00.000000+00:00")
        book = Ledger.in_memory(epsilon=1)
        book.charge(epsilon="0.4")
        book.charge(epsilon="0.4")
        assert heights(book.to_html(), 0) == [(0, 80)]


class TestCommand:
    def test_the_command_line_writes_it(self, tmp_path):
        path, page = tmp_path / "b.db", tmp_path / "b.html"
        with Ledger(path, epsilon=1) as book:
            book.charge(epsilon="0.4", who="Ada", table="events.csv")
        assert f"{page}: open it in a browser" in ok("budget", path, "--html", page)
        assert "<bdi>Ada</bdi> 40 %; 60 % of epsilon is left." in page.read_text()

    @pytest.mark.parametrize("more", [["--entry", 1], ["--why", 1], ["--void", 1, "--reason", "none"]])
    def test_it_is_a_page_of_the_whole_books(self, tmp_path, more):
        path = tmp_path / "b.db"
        Ledger(path, epsilon=1).charge(epsilon="0.4")
        assert run("budget", path, "--html", tmp_path / "b.html", *more).exit_code == 2
        assert not (tmp_path / "b.html").exists()
        assert Ledger(path).left.epsilon < 1

    def test_it_does_not_overwrite_the_books(self, tmp_path):
        path = tmp_path / "b.html"
        Ledger(path, epsilon=1).close()
        assert run("budget", path, "--html", path).exit_code == 2
        Ledger(path).verify()
