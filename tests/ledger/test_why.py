"""What auditors read: why an entry costs what it costs, all of the books as files, and a check of every number."""

import csv
import json
import re
import sqlite3
from contextlib import closing
from fractions import Fraction

import pytest
from command import ok, run
from ledger_past import write

from discreet import (
    GaussianThreshold,
    IntegerGaussian,
    IntegerLaplace,
    LaplaceThreshold,
    Ledger,
    ParameterError,
    TruncatedLaplaceThreshold,
)
from discreet.ledger import Event
from discreet.ledger.formats import STEP

BUDGET = {"epsilon": 3, "delta": "5e-6"}
KINDS = ["plain", "adaptive", "zcdp"]


@pytest.fixture(params=KINDS)
def book(request, tmp_path):
    book = Ledger(tmp_path / "b.db", **BUDGET, accountant=request.param)
    book.charge(event=IntegerLaplace(scale=40).event(1), table="=1+1", who="@Ada", receipt={"a": [1, None]})
    book.charge(event=LaplaceThreshold(scale=50, threshold=900).event((3, 3, 1)))
    book.charge(event=GaussianThreshold(variance=900, threshold=400, epsilon="1/2").event((3, 3, 1)), who="-Bo")
    book.charge(epsilon="0.013", table="+x")
    book.void(2, reason="the disk was full", unseen=True)
    return book


def told(sheet):
    """The facts of a sheet; names that occur more than once have the last."""
    return dict(zip(*(column.values for column in sheet.columns), strict=True))


class TestWhy:
    def test_it_says_the_promise_the_mechanism_the_theorems_and_the_numbers(self, book):
        kind = book.to_dict()["accountant"]
        said = told(book.why(1))
        assert said["promise"].startswith("No possible result becomes more than 1.026 times likelier")
        assert said["mechanism"] == "IntegerLaplace, scale 40, at distance 1, 1, 1"
        assert said["what it tells"] == "at most a randomized response of epsilon 0.025"
        assert "(d / s)-DP" in said["by the theorem"]
        assert said["counted by"].startswith(f"{kind}: ")
        assert {"plain": "add up", "adaptive": "V_B(0) <= delta - D", "zcdp": "the rho_i come to at most R"}[
            kind
        ] in said["counted by"]

    def test_costs_and_sums_are_those_of_the_books(self, book):
        entries, sums = book.entries(), {}
        for entry in entries:
            for name, x in entry.cost.items():
                sums[name] = sums.get(name, 0) + x
            said = told(book.why(entry.number))
            assert [each.split()[0] for each in said["cost"].split(" (")[0].split(", ")] == list(entry.cost)
            assert (entry.remark or "") in said["cost"]
            for name, spent in re.findall(r"(\w+) (\S+) of", said["books after it"]):
                shown = Fraction(spent)
                assert sums[name] <= shown <= sums[name] * Fraction(102, 100)

    @pytest.mark.parametrize(
        "event",
        [
            IntegerGaussian(variance=18, epsilon=1).event(1),  # A result beyond e has the probability 1.78e-5.
            GaussianThreshold(variance=900, threshold=400, epsilon="1/2").event((3, 3, 1)),
            Event.of(moves=[(1, 1)], delta="1e-6"),
            Event.of(moves=[(1, 1)], delta="1e-6") + LaplaceThreshold(scale=50, threshold=900).event((3, 3, 1)),
        ],
        ids=["gaussian", "threshold", "bare", "mixed"],
    )
    def test_a_delta_is_the_probability_of_a_failure_only_where_that_is_known(self, event):
        book = Ledger.in_memory(epsilon=3, delta="1e-3", accountant="plain")
        book.charge(event=event)
        said = told(book.why(1))["promise"]
        assert said.startswith("No set of results becomes more than")
        assert ", plus a probability of" in said

    def test_that_no_key_appeared_tells_something_too(self):
        book = Ledger.in_memory(epsilon=3, delta="0.9", accountant="plain")
        for threshold in (2, 900):
            book.charge(event=LaplaceThreshold(scale=100, threshold=threshold).event((1, 1, 1)))
        shown, small = (told(book.why(n))["promise"] for n in (1, 2))
        (times,) = re.findall(r"more than (\S+) times", shown)
        delta = book.entries()[0].delta
        assert 1 / (1 - delta) <= Fraction(times) <= Fraction(102, 100) / (1 - delta)
        assert "because of one person, except with probability 0.493" in shown
        assert small.startswith("No possible result becomes more than 1.011 times likelier")

    def test_truncated_noise_fails_with_the_probability_delta(self):
        book = Ledger.in_memory(epsilon=3, delta="1e-3", accountant="plain")
        book.charge(event=TruncatedLaplaceThreshold.within(epsilon=1, delta="1e-6", l0=2).event((2, 2, 1)))
        said = told(book.why(1))
        assert said["promise"].endswith("because of one person, except with probability 6.72e-7.")
        assert said["what it tells"].startswith("at most 2 randomized responses of epsilon 0.5 and everything with")

    def test_every_statement_of_a_part_is_there(self, book):
        said = told(book.why(3))
        assert said["what it tells"].startswith("at most a randomized response of epsilon 0.5 and everything with")
        assert "; as zCDP, rho 0.00167 and everything with probability" in said["what it tells"]
        assert "3 randomized responses of epsilon 0.02 and everything" in told(book.why(2))["what it tells"]

    def test_a_note_says_what_it_notes(self, book):
        assert told(book.why(5))["note"] == "entry 2 taken back: the disk was full"

    def test_a_charge_that_was_taken_back_says_so(self, book):
        assert told(book.why(2))["note"] == "entry 2 taken back: the disk was full"
        assert "note" not in told(book.why(1))
        for page in ("--why", "--entry"):
            shown = ok("budget", book.path, page, 2, "--verify")
            assert "entry 2 taken back: the disk was full" in shown
            assert "Every digest, every cost and the accountant's numbers are right." in shown
        assert run("budget", book.path, "--why", 2, "--entry", 2).exit_code == 2

    def test_a_release_by_its_cost_alone_has_no_theorem(self, book):
        assert (told(book.why(4))["mechanism"], told(book.why(4))["by the theorem"]) == ("not said", "not said")

    def test_rho_alone_makes_no_promise_in_epsilon(self):
        book = Ledger.in_memory(**BUDGET, accountant="zcdp")
        book.charge(event=IntegerGaussian(variance=100).event(1))
        said = told(book.why(1))
        assert said["promise"] == "Delta is too large for a useful promise to a person."
        assert said["what it tells"] == "at most everything with probability 1; as zCDP, rho 0.005"

    @pytest.mark.parametrize("number", [0, 6, -1, "1", 1.5, True, None])
    def test_an_entry_is_one_of_the_books(self, number, tmp_path):
        with pytest.raises((ParameterError, TypeError), match="entry="):
            Ledger.in_memory(**BUDGET).why(number)

    def test_the_command_line_says_the_same(self, book):
        pairs = json.loads(ok("budget", book.path, "--why", 3, "--json"))["why"]
        assert dict(pairs) == told(book.why(3))
        assert "GaussianThreshold" in ok("budget", book.path, "--why", 3)
        assert "entry" in run("budget", book.path, "--why", 9).stderr


class TestFiles:
    def test_json_is_all_that_the_books_say(self, book, tmp_path):
        book.save(tmp_path / "x.json")
        assert json.loads((tmp_path / "x.json").read_text()) == json.loads(json.dumps(book.to_dict()))
        assert book.to_dict()["terms"] == book._accountant.terms

    def test_csv_has_a_row_for_each_entry_and_adds_up(self, book, tmp_path):
        ok("budget", book.path, "--out", tmp_path / "x.csv")
        with (tmp_path / "x.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        entries = book.entries()
        assert [int(row["number"]) for row in rows] == [entry.number for entry in entries]
        for row, entry in zip(rows, entries, strict=True):
            assert {name: Fraction(row[f"cost of {name}"]) for name in entry.cost} == entry.cost
            assert (Fraction(row["epsilon"]), Fraction(row["delta"])) == entry.amount
            assert json.loads(row["receipt"]) == entry.receipt
            found = json.loads(row["event"])
            assert (None if found is None else Event.from_dict(found)) == entry.event

    def test_no_text_is_a_formula(self, book, tmp_path):
        book.save(tmp_path / "x.csv")
        with (tmp_path / "x.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert [rows[0]["table"], rows[0]["who"], rows[2]["who"], rows[3]["table"]] == ["'=1+1", "'@Ada", "'-Bo", "'+x"]

    @pytest.mark.parametrize(
        "name", ["a\r=1+1", "a\n=1+1", "\r=1+1", "\t=1", "\x01=1", "\ufeff=1", " =1", "\xa0=1", 'a",=1', "a\x85=1"]
    )
    def test_no_text_starts_a_row_or_a_cell(self, name, tmp_path):
        book = Ledger.in_memory(epsilon=1)
        book.charge(epsilon="1/2", table=name, who=name)
        book.save(tmp_path / "x.csv")
        text = (tmp_path / "x.csv").read_bytes().decode()
        header, row, end = text.split("\n")
        assert (end, (header + row).isprintable()) == ("", True)
        (cells,) = csv.reader([row])
        assert len(cells) == header.count(",") + 1
        assert not any(cell.lstrip()[:1] in ("=", "+", "-", "@") for cell in cells)
        assert row.startswith('1,"charge","')

    @pytest.mark.parametrize("name", ["x.txt", "x", "missing/x.csv"])
    def test_a_place_that_is_none_is_refused(self, name, tmp_path):
        with pytest.raises(ParameterError, match="path="):
            Ledger.in_memory(epsilon=1).save(tmp_path / name)
        assert not list(tmp_path.iterdir())

    def test_verify_is_asked_first(self, book, tmp_path):
        assert "Every digest, every cost and the accountant's numbers are right." in ok("budget", book.path, "--verify")
        for _ in range(STEP):
            book.charge(epsilon="0.01")
        write(book.path, "UPDATE entries SET source = 'x' WHERE number = 1")
        Ledger(book.path)  # What is before the checkpoint is read by verify, and by whoever asks for all entries.
        asked = run("budget", book.path, "--verify", "--out", tmp_path / "x.json")
        assert (asked.exit_code, "is damaged" in asked.stderr) == (1, True)
        assert not (tmp_path / "x.json").exists()

    @pytest.mark.parametrize("more", [["--out", "missing/x.csv"], ["--why", 1], ["--entry", 1]])
    def test_a_charge_is_taken_back_by_a_command_that_does_nothing_else(self, more, book):
        asked = run("budget", book.path, "--void", 1, "--reason", "ok", *more)
        assert (asked.exit_code, "--void goes with --reason and --verify alone" in asked.stderr) == (2, True)
        assert len(book.entries()) == 5

    def test_books_are_verified_before_a_charge_is_taken_back(self, book):
        for _ in range(STEP):
            book.charge(epsilon="0.01")
        ok("budget", book.path, "--void", 9, "--reason", "x", "--unseen", "--verify")
        n = len(Ledger(book.path).entries())
        write(book.path, "UPDATE entries SET source = 'x' WHERE number = 1")
        asked = run("budget", book.path, "--void", 36, "--reason", "x", "--unseen", "--verify")
        assert (asked.exit_code, "is damaged" in asked.stderr) == (1, True)
        with closing(sqlite3.connect(book.path)) as connection:
            assert connection.execute("SELECT max(number) FROM entries").fetchone() == (n,)

    def test_nothing_is_written_of_books_whose_accountant_promises_too_much(self, book, tmp_path, monkeypatch):
        monkeypatch.setattr(type(book._accountant), "is_sound", lambda *_: False)
        assert "is damaged" in run("budget", book.path, "--verify", "--out", tmp_path / "x.json").stderr
        assert not (tmp_path / "x.json").exists()

    def test_books_are_not_written_over_themselves(self, tmp_path):
        book = Ledger(tmp_path / "books.json", epsilon=1)
        book.charge(epsilon="1/2")
        (tmp_path / "link.json").symlink_to(book.path)
        for name in ("books.json", "link.json"):
            with pytest.raises(ParameterError, match="another file than the books themselves"):
                book.save(tmp_path / name)
        assert len(Ledger(book.path).entries()) == 1

    def test_a_charge_that_was_rounded_up_and_taken_back_is_listed_once(self):
        book = Ledger.in_memory(epsilon=1, delta="1e-6")
        book.charge(epsilon="0.012")
        book.void(1, reason="nobody saw it", unseen=True)
        assert "of these books: 1; --why shows how much.\n" in f"{book}\n"
