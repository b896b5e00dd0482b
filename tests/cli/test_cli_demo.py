"""The demo: it works, again and again, says the truth, and removes nothing that it did not make."""

import json
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pyarrow.parquet as pq
import pytest

pytest.importorskip("click", reason="pip install 'discreet[cli]'")
pytest.importorskip("ibis", reason="pip install 'discreet[tables]'")
from command import run

import discreet
from discreet import Ledger, ParameterError
from discreet.cli import demo
from discreet.reals import float_up
from discreet.survey import Boxes, Survey

ROOT = Path(discreet.__file__).parents[2]
ROWS, PEOPLE = 60_000, 1000


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return demo.make(tmp_path_factory.mktemp("demo") / "demo", rows=ROWS, people=PEOPLE)


class TestTable:
    def test_it_is_of_the_size_asked_for_and_realistic(self, made):
        table = pq.read_table(made.folder / "events.parquet").to_pandas()
        assert len(table) == ROWS == made.rows
        assert list(table.columns) == ["person_id", "city", "month", "amount"]
        assert set(table["month"]) == set(range(1, 13))
        assert table["person_id"].nunique() <= made.people == ROWS // 10 + 1
        assert (table["amount"] > 0).all()
        sizes = table["city"].value_counts()
        assert sizes.iloc[0] > 0.03 * ROWS
        assert (sizes <= 20).sum() > 500  # A long tail.
        assert sizes.index[0] == "London"

    def test_the_truth_is_the_truth(self, made):
        table = pq.read_table(made.folder / "events.parquet").to_pandas()
        assert made.cities_true == table.groupby("city")["person_id"].nunique().to_dict()
        assert made.months_true == pytest.approx(table.groupby("month")["amount"].sum().to_dict())
        answers = pq.read_table(made.folder / "answers.parquet").to_pandas()
        for name, shares in made.shares_true.items():
            assert shares == pytest.approx(answers[name].value_counts(normalize=True).to_dict())

    def test_the_same_size_makes_the_same_table(self, made, tmp_path):
        again = demo._invent(tmp_path, ROWS, ROWS // 10)
        assert again == (made.cities_true, made.months_true)


class TestPublished:
    def test_a_city_of_one_person_never_appears(self, made):
        assert made.cities_true["Little Snoring"] == 1
        assert ("Little Snoring",) not in made.cities.keys
        noise = made.cities.noise["people"]
        appears = float_up(noise.law.tail(noise.threshold))  # What one person in one group can be known by.
        assert 0 < appears < 1e-6
        for name in ("people-by-city.parquet", "people-by-city.html"):
            assert b"Little Snoring" not in (made.folder / name).read_bytes()

    def test_it_is_near_the_truth_and_from_it_alone(self, made):
        found = dict(zip([key[0] for key in made.cities.keys], made.cities.columns["people"], strict=True))
        assert "London" in found
        largest = max(made.cities_true, key=made.cities_true.get)
        assert abs(found[largest] - made.cities_true[largest]) < 0.05 * made.cities_true[largest] + 60
        total, truth = sum(made.months.columns["sum"]), sum(made.months_true.values())
        assert abs(total - truth) < 0.05 * truth + 200_000

    def test_the_books_agree(self, made):
        book = Ledger(made.folder / "budget.db")
        assert [entry.receipt["aggregates"][0]["kind"] for entry in book.entries()] == ["people", "sum"]
        assert book.spent.epsilon == 2
        assert book.left == tuple(made.left)
        assert made.left[0] == Fraction(1)
        assert "nothing was charged" in made.refusal

    def test_the_files_are_those_that_it_names(self, made):
        assert sorted(path.name for path in made.folder.iterdir()) == sorted([*made.files, demo._MARK])
        assert set(made.files) == set(demo._FILES)
        table = pq.read_table(made.folder / "people-by-city.parquet")
        assert table["people"].to_pylist() == made.cities.columns["people"]


class TestAsked:
    def test_estimates_come_from_the_files_of_randomized_answers(self, made):
        again = Boxes.load(made.folder / "box.json").estimate()
        assert again.to_rows() == made.estimates.to_rows()
        asked = Survey.load(made.folder / "survey.json")
        assert made.survey_loss == asked.privacy_map(1) <= 3
        assert {estimate.n for estimate in again.values()} == {PEOPLE}

    def test_most_intervals_hold_the_truth(self, made):
        for name, estimate in made.estimates.items():
            for share in estimate.values():
                assert abs(share.share - made.shares_true[name][share.choice]) < 6 * share.error + 0.05


class TestFolder:
    def test_a_second_run_works_and_starts_its_books_anew(self, tmp_path):
        for _ in range(2):
            made = demo.make(tmp_path / "demo", rows=2000, people=100)
            assert len(Ledger(made.folder / "budget.db").entries()) == 2

    def test_an_interrupted_run_is_no_obstacle(self, tmp_path, monkeypatch):
        monkeypatch.setattr(demo, "_publish", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            demo.make(tmp_path / "demo", rows=2000, people=100)
        monkeypatch.undo()
        assert demo.make(tmp_path / "demo", rows=2000, people=100).files

    @pytest.mark.parametrize("name", ["budget.db", "thesis.txt"])
    def test_what_it_did_not_make_is_left_alone(self, name, tmp_path):
        (tmp_path / name).write_text("precious")
        with pytest.raises(ParameterError, match="that is empty"):
            demo.make(tmp_path, rows=2000, people=100)
        assert [path.name for path in tmp_path.iterdir()] == [name]
        assert (tmp_path / name).read_text() == "precious"

    def test_a_stranger_among_its_files_survives(self, tmp_path):
        demo.make(tmp_path / "demo", rows=2000, people=100)
        (tmp_path / "demo" / "thesis.txt").write_text("precious")
        demo.make(tmp_path / "demo", rows=2000, people=100)
        assert (tmp_path / "demo" / "thesis.txt").read_text() == "precious"

    @pytest.mark.parametrize("wrong", [{"rows": 10}, {"people": 1}, {"rows": "many"}])
    def test_wrong_sizes_make_nothing(self, wrong, tmp_path):
        with pytest.raises((ParameterError, discreet.KindError)):
            demo.make(tmp_path / "demo", **wrong)
        assert not (tmp_path / "demo").exists()

    def test_a_file_is_no_folder(self, tmp_path):
        (tmp_path / "demo").write_text("")
        with pytest.raises(ParameterError, match="a folder, or a place for one"):
            demo.make(tmp_path / "demo", rows=2000, people=100)

    def test_a_name_with_a_quote_in_it(self, tmp_path):
        assert demo.make(tmp_path / "it's a demo", rows=2000, people=100).files


class TestPage:
    def test_it_is_a_screenful_that_says_what_to_open(self, made, monkeypatch):
        monkeypatch.setattr(demo, "make", lambda *_, **__: made)
        text = run("demo").stdout
        shown = text.rstrip("\n").split("\n")
        assert 24 <= len(shown) <= 40
        assert re.search(r"^Little Snoring +absent +1$", text, re.MULTILINE)
        assert f"discreet budget {made.folder / 'budget.db'}" in text
        for name in made.files:
            assert (str(made.folder / name) in text) is (name.endswith((".html", ".db")))
        assert str(max(made.cities_true.values())).replace(",", "") in text.replace(",", "")

    def test_json_has_the_figures(self, made, monkeypatch):
        monkeypatch.setattr(demo, "make", lambda *_, **__: made)
        said = json.loads(run("demo", "--json").stdout)
        assert said["cities"]["true"]["Little Snoring"] == 1
        assert "Little Snoring" not in said["cities"]["published"]
        assert said["files"] == made.files
        assert said["left"]["epsilon"] == "1"

    def test_few_cities_are_no_error(self, tmp_path):
        done = run("demo", "--folder", tmp_path / "demo", "--rows", 1000, "--people", 100)
        assert (done.exit_code, done.stderr) == (0, "")

    def test_it_works_from_the_shell(self, tmp_path):
        words = ["-m", "discreet.cli", "demo", "--folder", "d", "--rows", "2000", "--people", "100"]
        done = subprocess.run([sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr) == (0, "")
        assert "d/people-by-city.html" in done.stdout


def test_make_demo_is_the_command():
    makefile = (ROOT / "Makefile").read_text()
    assert re.search(r"^demo: .*\n\t@\$\(BIN\)/discreet demo$", makefile, re.MULTILINE)
    assert "demo/" in (ROOT / ".gitignore").read_text().split()
