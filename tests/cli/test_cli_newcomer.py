"""The command line, as somebody in a hurry uses it: what they are told, and that it fits on their screen."""

import json
import re

import pandas as pd
import pytest

click = pytest.importorskip("click", reason="pip install 'discreet[cli]'")
pytest.importorskip("ibis", reason="pip install 'discreet[tables]'")
from command import run  # noqa: E402  After the check that they are there.

from discreet.cli import demo  # noqa: E402
from discreet.pages import Column, Sheet  # noqa: E402
from discreet.survey import Boxes, Question, Survey  # noqa: E402

COUNT = "count visits.csv --by city --person user --max-groups 2 --epsilon 1 --delta 1e-6"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{i},{city}" for i in range(300) for city in ("Rome", "Oslo", "Bern")]
    (tmp_path / "visits.csv").write_text("\n".join(["user,city", *rows]))
    return tmp_path


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (COUNT.replace("1e-6", "1%"), "--delta '1%': need a number without a percent sign: 0.01"),
        (COUNT + " --type user=datum", "--type 'datum': need one of integer, number, text"),
        (COUNT + " --out x.xls", "discreet: 'x.xls': need a file that ends in .parquet, .csv, .json or .xlsx"),
        (COUNT + " --html x.pdf", "discreet: 'x.pdf': need a file that ends in .html or .htm"),
        ("explain visits.csv --by city", "need the question before the file: discreet explain count visits.csv"),
        ("budget b.db --epsilon 3", "--period and --answers make a budget: add --create"),
        ("budget b.db --create", "--create needs --epsilon, the whole budget"),
        ("survey plan --choices 3 --epsilon 1 --margin 2", "--margin '2': need 0 < margin < 1, such as 0.02"),
        ("survey plan --choices 3 --epsilon 1 --margin 2%", "need a number without a percent sign: 0.02"),
    ],
)
def test_a_slip_is_answered_with_what_to_write(words, said, folder):
    done = run(*words.split())
    assert done.exit_code == 2
    assert said in done.stderr


@pytest.mark.parametrize(
    ("survey", "said"),
    [
        ("", "survey='no epsilon': need epsilon = 2, say"),
        ("epsilon = 1", "survey='no questions': need [[questions]], each with name and choices"),
        ("epsilon = 1\n[[question]]\nname = 'a'", "did you mean 'questions'?"),
        ("epsilon = 'one'\n[[questions]]\nname = 'a'\nchoices = ['b', 'c']", "discreet: epsilon='one': need a"),
        ("epsilon = 1\n[[questions]]\nname = 'a'\nchoices = ['b']", "discreet: choices=['b']: need at least two"),
        ("epsilon = 1\n[questions]\nname = 'a'", "in TOML, [[questions]] before each"),
    ],
)
def test_a_slip_in_a_survey_is_answered_as_it_stands_in_the_file(survey, said, folder):
    (folder / "survey.toml").write_text(survey)
    done = run("survey", "page", "survey.toml", "--out", "page.html")
    assert done.exit_code == 2
    assert said in done.stderr


def test_a_slip_in_a_plan_is_answered_as_it_stands_in_the_file(folder):
    plan = 'source = "visits.csv"\nperson = "user"\nledger = "b.db"\nversion = "1"\nout = "o"\nformats = ["csv"]\n'
    (folder / "plan.toml").write_text(f'{plan}epsilon = 1\n[tables.a]\nby = ["city"]\nmedians = ["amount"]\n')
    assert "tables.a='medians': need `discreet quantile`: a plan has no quantiles" in run("publish", "plan.toml").stderr


def test_a_release_says_its_bias_who_paid_and_how_much_was_spent(folder):
    plan = 'source = "visits.csv"\nperson = "user"\nledger = "b.db"\nversion = "1"\nout = "o"\nformats = ["csv"]\n'
    tables = '[publications.p]\ntables = [[], ["city"]]\nkeys = {city = ["Rome", "Oslo", "Bern"]}\n'
    (folder / "plan.toml").write_text(f"{plan}epsilon = 1\n{tables}")
    run("budget", "b.db", "--create", "--epsilon", "3")
    assert "p: Each person counts in at most 1 of the finest groups, by city. " in run("publish", "plan.toml").stdout
    first, again = (run("publish", "plan.toml", "--release").stdout.splitlines() for _ in range(2))
    assert first[:2] == ["p-all: 1 row; paid with the plan, entry 1", "p-city: 3 rows; paid with the plan, entry 1"]
    assert again[:2] == ["p-all: 1 row; free: kept answer of entry 2", "p-city: 3 rows; free: kept answer of entry 2"]
    assert first[2:] == again[2:]
    assert re.match(r"p: Bias: .*max_groups = 1 left out", first[2])
    assert first[3] == "On the books, entry 1 has paid for all of it: epsilon 1, delta 0; epsilon 2, delta 0 left"
    several = f"{plan}epsilon = 1\n{tables}max_groups = 2\n".replace('"o"', '"several"')
    (folder / "plan.toml").write_text(several)
    assert "p: A person counts in up to 2 of the finest groups, so totals may count a person as often" in (
        run("publish", "plan.toml", "--release").stdout
    )


MONTHS = ["--by", "city", "--by", "day by month from 2026-01 to 2026-02 as month", "--bins"]


def test_known_cities_in_known_months_are_typed_by_column(folder):
    (folder / "days.csv").write_text("user,city,day\n1,Rome,2026-01-05\n2,Bath,2026-02-05\n")
    count = ("count", "days.csv", "--person", "user", "--type", "day=date", "--max-groups", "1", "--epsilon", "1")
    done = run(*count, *MONTHS, "--key", "city=Rome", "--key", "city=a=b", "--out", "-")
    rows = [line.replace('"', "").split(",")[:2] for line in done.stdout.splitlines()[1:]]
    assert rows == [[city, f"2026-0{month}-01"] for city in ("Rome", "a=b") for month in (1, 2)]
    for words, said in (
        ((), "--bins: 'city' has no known bins: need --key city=KEY for each of its keys, or bins, as in"),
        (("--key", "Rome"), "--key Rome: beside --bins, need --key city=KEY or month=KEY"),
        (("--key", "city=Rome", "--key", "month=May"), "--key 'May': need a day such as 2026-01-31"),
        (("--keys", "days.csv"), "--bins: leave --keys away; a column without bins has --key COLUMN=KEY"),
    ):
        done = run(*count, *MONTHS, *words)
        assert (done.exit_code, said in done.stderr) == (2, True), done.stderr


def test_check_is_what_publish_does_without_release(folder):
    plan = 'source = "visits.csv"\nperson = "user"\nledger = "b.db"\nversion = "1"\nout = "o"\nformats = ["csv"]\n'
    (folder / "plan.toml").write_text(f"{plan}epsilon = 1\n[tables.a]\npeople = true\n")
    assert run("budget", "b.db", "--create", "--epsilon", "2").exit_code == 0
    done = run("publish", "plan.toml", "--check")
    assert (done.exit_code, done.stdout) == (0, run("publish", "plan.toml").stdout)
    done = run("publish", "plan.toml", "--check", "--release")
    assert (done.exit_code, "--check says what --release would publish: give one of them" in done.stderr) == (2, True)
    assert not (folder / "o").exists()


def test_auto_is_read_in_any_case_and_nothing_is_starred(folder):
    done = run("explain", *COUNT.replace("-groups 2", "-groups AUTO").split())
    assert done.exit_code == 0
    assert re.search(r"^1 +[a-z]+ +±", done.stdout, re.MULTILINE)
    assert "*" not in done.stdout
    assert "2 *" in run("explain", *COUNT.split()).stdout


@pytest.mark.parametrize(
    ("margin", "said"),
    [
        ("--margin 50", "Epsilon 0.125 is the least, of three digits"),
        ("", "--epsilon: need an epsilon, or a margin by which to find it"),
        ("--margin 50 --epsilon 1", "--epsilon '1': need an epsilon or a margin, and both were given: leave one away"),
        ("--margin 5%", "--margin '5%': need a number without a percent sign: 0.05"),
    ],
)
def test_epsilon_is_found_by_a_margin(margin, said, folder):
    done = run("explain", *COUNT.replace("--epsilon 1", margin).split())
    assert done.exit_code == (0 if said.startswith("Epsilon") else 2)
    assert said in (done.stdout.splitlines()[1] if done.exit_code == 0 else done.stderr)


def test_the_bias_is_said_where_the_answer_goes_to_a_file(folder):
    said = run(*COUNT.split(), "--out", "a.csv").stdout.splitlines()
    assert said[0].startswith("a.csv: ")
    assert said[1].startswith("Bias: ")


def test_an_empty_answer_says_where_to_look(folder):
    (folder / "one.csv").write_text("user,city\n1,Rome")
    text = run(*COUNT.replace("visits.csv", "one.csv").split()).stdout
    assert "0 groups" in text
    assert "`discreet explain` says how many people a group needs." in text


@pytest.mark.parametrize(
    ("found", "started", "shown"),
    [
        (None, ".venv/bin/discreet", ".venv/bin/discreet"),
        ("/usr/bin/discreet", "discreet", "discreet"),
        (None, "pytest", "discreet"),
    ],
)
def test_the_demo_names_a_command_that_there_is(found, started, shown, monkeypatch):
    monkeypatch.setattr(demo, "which", lambda _: found)
    monkeypatch.setattr("sys.argv", [started])
    assert demo._command() == shown


@pytest.fixture(scope="module")
def waves():
    survey = Survey([Question("smokes", ["never", "daily"]), Question("drinks", ["no", "yes"])], epsilon=20)
    made = []
    for wave, share in (("spring", 300), ("autumn", 900)):
        people = pd.DataFrame({"smokes": ["never"] * share + ["daily"] * (1200 - share), "drinks": ["no", "yes"] * 600})
        made.append(survey.collect(survey.perturb(people), wave=wave))
    return made


class TestWavesOfTheSamePeople:
    def test_they_have_a_page_with_each_wave_and_the_change(self, waves):
        page = waves[0].estimate(waves[1], people="same").to_html()
        assert "waves <bdi>spring</bdi>, <bdi>autumn</bdi> of the same people" in page
        assert "The change from <bdi>spring</bdi> to <bdi>autumn</bdi>, in points." in page
        assert "one report on each question in each wave." in page
        assert page.count("significant") > page.count("smokes: the change") > 0

    def test_every_wave_adds_to_what_a_person_gives(self, waves):
        alone, both = waves[0].estimate().to_html(), waves[0].estimate(waves[1], people="same").to_html()
        tile = r"Epsilon of all reports</dt><dd>([\d.]+)</dd>"
        assert [re.search(tile, page)[1] for page in (alone, both)] == ["20", "40"]

    def test_the_terminal_says_that_they_are_waves(self, waves, tmp_path):
        paths = [tmp_path / f"{i}.json" for i in range(2)]
        for path, boxes in zip(paths, waves, strict=True):
            boxes.save(path)
        text = run("survey", "estimate", *paths, "--people", "same", "--html", tmp_path / "a.html").stdout
        assert "2,400 reports in 2 waves of the same people\n" in text
        assert "95 % interval" in text
        assert (tmp_path / "a.html").exists()


def test_json_says_whether_the_reports_fit(tmp_path):
    survey = Survey([Question("smokes", ["a", "b", "c"])], epsilon=1)
    (tmp_path / "raw.csv").write_text("smokes\n" + "a\n" * 3000)
    survey.collect(tmp_path / "raw.csv").save(tmp_path / "box.json")
    said = json.loads(run("survey", "estimate", tmp_path / "box.json", "--json").stdout)
    misfit = Boxes.load(tmp_path / "box.json").estimate()["smokes"].misfit
    assert said["questions"]["smokes"] == {
        "reports": 3000,
        "refused": 0,
        "misfit": {"p": misfit.p, "implausible": True},
    }


def test_the_suggestion_fits_eighty_columns_and_says_what_it_shows(folder):
    words = "suggest visits.csv --by city --person user --epsilon 1"
    said = run(*words.split()).stdout.splitlines()
    assert max(map(len, said[1:-1])) <= 78  # A terminal of 80 columns needs two more than a pipe.
    assert " ".join(said[1].split()) == "max_groups left out noise shown at 100 at 1,000 at 10,000"
    assert said[-1].startswith("noise: its standard deviation; at 100: the expected error")


def test_wide_letters_do_not_shift_a_column():
    columns = [Column("city", ["東京", "Oslo"], head=True), Column("people", [5, 12], 0)]
    shown = str(Sheet("Cities", columns)).split("\n")[1:]
    assert shown == ["  city  people", "  東京       5", "  Oslo      12"]
