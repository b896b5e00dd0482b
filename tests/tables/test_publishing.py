"""Publications from a file: hostile plans, places before charges, one reservation, the same figures again, crashes."""

import csv
import json

import pytest
from tiers import each

pytest.importorskip("ibis", reason="pip install 'discreet[tables]'")
from discreet import BudgetError, DiscreetError, Ledger, UnsupportedError
from discreet.disclosure import Disclosure
from discreet.tables.answers import Answer
from discreet.tables.publishing import PublicationFile

WHOLE = {
    "source": '"visits-{version}.csv"',
    "person": '"user"',
    "ledger": '"b.db"',
    "version": '"2026-11"',
    "out": '"out-{version}"',
    "formats": '["csv", "parquet", "html", "disclosure"]',
    "epsilon": "2",
    "delta": '"1e-6"',
    "bounds": "{amount = [0, 10]}",
}
TABLES = """
[tables.cities]
by = ["city"]
max_groups = 1
people = true
means = ["amount"]
[tables.all]
people = true
share = 3
"""


@pytest.fixture
def folder(tmp_path):
    rows = "user,city,amount\n" + "".join(f"{i},{('=Rome', 'Bath')[i % 2]},5\n" for i in range(600))
    for month in (11, 12):
        (tmp_path / f"visits-2026-{month}.csv").write_text(rows)
    Ledger(tmp_path / "b.db", epsilon=9, delta="1e-4").close()
    return tmp_path


def plan(folder, tables=TABLES, **changed):
    said = {key: value for key, value in (WHOLE | changed).items() if value is not None}
    path = folder / "plan.toml"
    path.write_text("\n".join(f"{key} = {value}" for key, value in said.items()) + "\n" + tables)
    return path


def entries(folder):
    return Ledger(folder / "b.db").entries()


@pytest.mark.parametrize(
    "changed",
    [
        {"sources": '"x"'},
        {"source": "7"},
        {"source": None},
        {"ledger": None},
        {"out": None},
        {"epsilon": None},
        {"epsilon": "true"},
        {"epsilon": "0"},
        {"epsilon": '"x"'},
        {"delta": None},
        {"version": '"../../x"'},
        {"version": '".."'},
        {"version": "7"},
        {"version": None},
        {"formats": '["exe"]'},
        {"formats": "[]"},
        {"person": None},
        {"person": '"nobody"'},
        {"bounds": None},
        {"where": '"amount > (SELECT 1)"'},
        {"tables": ""},
        {"tables": "[tables]"},
        {"tables": "[tables.'../x']\npeople = true"},
        {"tables": "[tables.a]\n[tables.A]\npeople = true"},
        {"tables": "[tables.a]\npeople = true\n[tables.A]\npeople = true"},
        {"tables": "[tables.a]\npeople = false"},
        {"tables": "[tables.a]\npeople = true\nnoise = 'x'"},
        {"tables": "[tables.a]\npeople = true\nshare = -1"},
        {"tables": "[tables.a]\npeople = true\nby = ['city']"},
        {"tables": "[tables.a]\npeople = true\nby = ['none']\nmax_groups = 1"},
        {"tables": "[tables.a]\nby = ['city']\nkeys = [7]\nmax_groups = 1\npeople = true"},
    ],
    ids=str,
)
def test_a_plan_that_makes_no_sense_is_refused_before_anything_is_charged_or_written(changed, folder):
    before = sorted(folder.iterdir())
    with pytest.raises(DiscreetError):
        PublicationFile(plan(folder, **changed)).release()
    assert entries(folder) == []
    assert sorted(folder.iterdir()) == sorted([*before, folder / "plan.toml"])


@pytest.mark.parametrize("text", ["", "x", "[[[", "a = " + "[" * 10_000, "\x00"])
def test_what_is_no_plan_is_refused(text, folder):
    (folder / "plan.toml").write_text(text)
    with pytest.raises(DiscreetError):
        PublicationFile(folder / "plan.toml")


def test_places_that_will_not_do_are_found_before_the_charge(folder):
    (folder / "out-2026-11").mkdir()
    (folder / "out-2026-11" / "all.parquet").mkdir()
    with pytest.raises(DiscreetError, match=r"all\.parquet"):
        PublicationFile(plan(folder)).release()
    with pytest.raises(OSError, match=r"plan\.toml"):
        PublicationFile(plan(folder, out='"plan.toml"')).release()
    assert entries(folder) == []


def test_books_that_keep_no_answers_are_refused(folder):
    Ledger(folder / "none.db", epsilon=9, delta="1e-4", answers="none").close()
    with pytest.raises(UnsupportedError, match="keep no answers"):
        PublicationFile(plan(folder, ledger='"none.db"')).release()
    assert Ledger(folder / "none.db").entries() == []


def test_a_look_costs_nothing_and_says_what_it_will_cost(folder):
    found = PublicationFile(plan(folder)).check()
    assert entries(folder) == []
    assert "epsilon 2" in found.price
    assert [each.receipt.epsilon for each in found.explained.values()] == [0.5, 1.5]
    page = found.page.to_html()
    assert "Agreed by" in page
    assert "nothing is released yet" in page
    assert "95 % seen from" in str(found.sheet)


def test_all_is_one_charge_and_the_same_figures_come_again_for_nothing(folder):
    made = PublicationFile(plan(folder)).release()
    kinds = [entry.kind for entry in entries(folder)]
    assert (kinds.count("charge"), kinds.count("release")) == (1, 2)
    again = PublicationFile(folder / "plan.toml").release()
    assert len(entries(folder)) == len(kinds)
    for name, answer in made.answers.items():
        assert again.answers[name].to_rows() == answer.to_rows()
        assert again.answers[name].receipt.kept
    assert all(file.is_file() for file in made.files)
    rows = list(csv.DictReader((folder / "out-2026-11" / "cities.csv").open()))
    assert [row["city"] for row in rows] == ["'=Rome", "Bath"]
    assert json.loads((folder / "out-2026-11" / "cities.csv.receipt.json").read_text())["confidence"] == "19/20"
    told = Disclosure.of_file(folder / "out-2026-11" / "all.disclosure.json")
    assert told.check_ledger(Ledger(folder / "b.db")) == told.facts["ledger_entry"]
    assert "reserved, as entry 1" in PublicationFile(folder / "plan.toml").check().price


def test_the_next_month_is_the_same_plan_and_another_charge(folder):
    plan(folder)
    PublicationFile(folder / "plan.toml").release()
    made = PublicationFile(folder / "plan.toml", "2026-12").release()
    assert [entry.kind for entry in entries(folder)].count("charge") == 2
    assert {file.parent.name for file in made.files} == {"out-2026-12"}


@pytest.mark.parametrize("after", each(range(6), 2))
def test_a_crash_midway_goes_on_where_it_was_and_pays_nothing_twice(after, folder, monkeypatch):
    path, calls = plan(folder), []
    whole = Answer.save

    def failing(self, place, **more):
        calls.append(place)
        if len(calls) > after:
            raise KeyboardInterrupt
        whole(self, place, **more)

    with monkeypatch.context() as patch:
        patch.setattr(Answer, "save", failing)
        with pytest.raises(KeyboardInterrupt) if after < 4 else _nothing():
            PublicationFile(path).release()
    spent = Ledger(folder / "b.db").spent
    first = {entry.number for entry in entries(folder)}
    made = PublicationFile(path).release()
    assert {entry.number for entry in entries(folder)} == first
    assert Ledger(folder / "b.db").spent == spent
    assert all(file.is_file() for file in made.files)


def _nothing():
    import contextlib

    return contextlib.nullcontext()


def test_a_crash_between_two_tables_releases_the_other_later(folder, monkeypatch):
    path = plan(folder)
    from discreet.tables.publishing import Wanted

    whole = Wanted.release
    with monkeypatch.context() as patch:

        def stopped(self, table):
            if self.name == "all":
                raise KeyboardInterrupt
            return whole(self, table)

        patch.setattr(Wanted, "release", stopped)
        with pytest.raises(KeyboardInterrupt):
            PublicationFile(path).release()
    spent = Ledger(folder / "b.db").spent
    made = PublicationFile(path).release()
    assert made.answers["cities"].receipt.kept
    assert not made.answers["all"].receipt.kept
    assert Ledger(folder / "b.db").spent == spent


def test_figures_that_were_lost_are_not_drawn_again_for_nothing(folder, monkeypatch):
    path = plan(folder)
    with monkeypatch.context() as patch:
        patch.setattr("discreet.tables.query.keep", lambda *_: None)
        PublicationFile(path).release()
    spent = Ledger(folder / "b.db").spent
    with pytest.raises(BudgetError, match=r"tables\.cities: its figures were drawn and lost"):
        PublicationFile(path).release()
    assert Ledger(folder / "b.db").spent == spent
