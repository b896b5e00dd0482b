"""A project's file: tables are bound to people, books, types and bounds, and the command line uses it by itself."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from command import assert_one_line, ok, run

from discreet import Ledger
from discreet.cli.project import UNCOUNTED
from discreet.tables import Project

ROWS = "user_id,city,amount\n" + "".join(f"{i},{'Rome' if i % 2 else 'Bath'},{i % 7}\n" for i in range(40))
TABLE = """
[tables.events]
source = "data/events.csv"
person = "user_id"
ledger = "budget.db"
types = {amount = "integer"}
bounds = {amount = [0, 6.5]}
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A project with books of epsilon 3, and the working folder in it."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "events.csv").write_text(ROWS)
    (tmp_path / "discreet.toml").write_text(TABLE)
    Ledger(tmp_path / "budget.db", epsilon=3).close()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def left(folder):
    """What is left on the project's books."""
    return Ledger(folder / "budget.db").left.epsilon


class TestCommandLine:
    @pytest.mark.parametrize("source", ["events", "data/events.csv", "./data/../data/events.csv", "data/event?.csv"])
    def test_a_bound_table_is_charged_to_its_books(self, folder, source):
        done = run("count", source, "--epsilon", 1)
        assert (done.exit_code, done.stderr) == (0, "")
        assert left(folder) == 2

    def test_the_file_beside_the_data_counts_wherever_one_asks_from(self, folder, tmp_path_factory, monkeypatch):
        monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
        assert run("count", folder / "data" / "events.csv", "--epsilon", 1).exit_code == 0
        Path("linked.csv").symlink_to(folder / "data" / "events.csv")
        assert run("count", "linked.csv", "--epsilon", 1).exit_code == 0
        assert left(folder) == 1

    def test_bounds_and_types_need_not_be_typed(self, folder):
        told = json.loads(ok("sum", "events", "amount", "--epsilon", "1/2", "--json"))
        assert "13/2" in json.dumps(told["receipt"])
        assert json.loads(ok("mean", "events", "amount", "--low", 1, "--epsilon", "1/2", "--json"))
        ok("release", "events", "--people", "--mean", "amount", "--epsilon", 1)
        ok("explain", "sum", "events", "amount", "--epsilon", 1)
        ok("suggest", "events", "--by", "city", "--epsilon", "1/2")
        assert left(folder) == 3 - 2 - Fraction(1, 2)

    @pytest.mark.parametrize(
        "words",
        [
            ["--person", "city"],
            ["--each-row"],
            ["--ledger", "other.db"],
            ["--type", "amount=text"],
        ],
    )
    def test_what_is_said_cannot_be_said_otherwise(self, folder, words):
        Ledger(folder / "other.db", epsilon=3).close()
        done = run("count", "events", "--epsilon", 1, *words)
        assert_one_line(done, 2)
        assert "need none" in done.stderr
        assert left(folder) == 3

    def test_what_is_said_may_be_said_again(self, folder):
        again = ["--person", "user_id", "--ledger", folder / "budget.db", "--type", "amount=integer"]
        ok("count", "events", "--epsilon", 1, *again)
        assert left(folder) == 2

    def test_a_pattern_does_not_lead_around_the_books(self, folder):
        (folder / "data" / "more.csv").write_text(ROWS)
        done = run("count", "data/*.csv", "--person", "user_id", "--epsilon", 1)
        assert_one_line(done, 2)
        assert "events, whose files" in done.stderr

    def test_other_tables_are_as_they_were(self, folder):
        (folder / "data" / "more.csv").write_text(ROWS)
        done = run("count", "data/more.csv", "--person", "user_id", "--epsilon", 1)
        assert (done.exit_code, done.stderr) == (0, f"{UNCOUNTED}\n")
        assert run("count", "data/more.csv", "--epsilon", 1).exit_code == 2
        assert left(folder) == 3

    def test_a_table_that_is_bound_to_no_books_is_told_what_binds_it(self, folder):
        (folder / "discreet.toml").write_text(TABLE.replace('ledger = "budget.db"\n', ""))
        done = run("count", "events", "--epsilon", 1)
        assert done.exit_code == 0
        assert 'and ledger = "books.db" in discreet.toml charges it.' in done.stderr
        assert "--ledger" not in done.stderr

    def test_bounds_that_nobody_said_are_asked_for(self, folder):
        done = run("sum", "events", "user_id", "--high", 3, "--epsilon", 1)
        assert_one_line(done, 2)
        assert "Missing option '--low'" in done.stderr


class TestFile:
    def test_python_opens_the_same_table(self, folder):
        Project().table("events").count_people(epsilon=1)
        assert left(folder) == 2

    @pytest.mark.parametrize(
        ("old", "new", "said"),
        [
            ("person =", "persom =", r"tables.events='persom': need one of .*did you mean 'person'\?"),
            ('person = "user_id"', "", "tables.events='who a person is': need person = COLUMN, or each_row = true"),
            ("person =", "each_row = true\nperson =", "need person = COLUMN, or each_row = true"),
            ('person = "user_id"', "person = []", "tables.events.person="),
            ('person = "user_id"', "each_row = false", "tables.events.each_row=False: need true, or nothing"),
            ("source =", "table =", "tables.events='no source'"),
            ('"budget.db"', "5", "tables.events.ledger=5: need the path of the books"),
            ("[0, 6.5]", "[0]", "tables.events.bounds="),
            ("[0, 6.5]", "[7, 6.5]", "the lower bound first"),
            ("[0, 6.5]", '["x", 6.5]', "tables.events.bounds.amount="),
            ("[tables.events]", "[table.events]", "need .tables.NAME. for each table"),
            ("[tables.events]", "[tables.events", "need TOML"),
        ],
    )
    def test_what_is_wrong_is_said_as_it_was_typed(self, folder, old, new, said):
        (folder / "discreet.toml").write_text(TABLE.replace(old, new))
        with pytest.raises(ValueError, match=said):
            Project()
        assert_one_line(run("count", "events", "--epsilon", 1), 2)

    def test_an_unknown_table_is_named(self, folder):
        with pytest.raises(ValueError, match=r"name='evnts': need one of events; did you mean 'events'\?"):
            Project(folder / "discreet.toml").table("evnts")
