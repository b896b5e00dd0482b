"""Plans on the command line: questions reserved together from a file, and made one by one."""

import json

import pytest
from command import assert_one_line, ok, run
from tiers import each

from discreet import Ledger
from discreet.cli.tables import explained
from discreet.exact import written

CSV = "user,city,age\n" + "".join(f"{i},{'Rome' if i % 2 else 'Bari'},{i % 90}\n" for i in range(400))
PEOPLE = {"file": "people.csv", "table": None}
BY = "--by city --max-groups 1 --epsilon 0.1 --delta 1e-8"
QUESTIONS = (
    f"count people.csv --person user {BY}",
    f"count people.csv --person user {BY} --rows --max-rows 2",
    f"count people.csv --person user {BY} --rounds 2",
    "count people.csv --person user --by city --max-groups auto --epsilon 0.1 --delta 1e-8",
    f"count people.csv --each-row {BY}",
    "count people.csv --person user --epsilon 0.1",
    "count people.csv --person user --by city --key Rome --key Bari --max-groups 1 --epsilon 0.1",
    f"sum people.csv age --low 0 --high 90 --person user {BY} --people-share 1/3",
    "sum people.csv age --low 0 --high 90 --person user --epsilon 0.1",
    f"mean people.csv age --low 0 --high 90 --person user {BY} --noise laplace",
    f"release people.csv --people --rows 2 --mean age:0:90 --weight people=2 --person user {BY}",
    "keys people.csv --person user --by city --epsilon 0.1 --delta 1e-8",
)


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder with a table and books of a round budget."""
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("people.csv").write_text(CSV)
    ok("budget", "books.db", "--create", "--epsilon", "5", "--delta", "1e-5", "--accountant", "plain")
    return tmp_path


@pytest.mark.parametrize("question", each(QUESTIONS, 2))
def test_what_is_reserved_is_what_is_asked(question, place):
    place.joinpath("plan.txt").write_text(f"{question}\n")
    assert "To make one of the releases: --plan 1" in ok("budget", "books.db", "--reserve", "plan.txt")
    spent = Ledger("books.db").spent
    said = ok(*question.split(), "--ledger", "books.db", "--plan", "1")
    assert "from the plan of entry 1, nothing more spent" in said
    assert Ledger("books.db").spent == spent
    done = run(*question.split(), "--ledger", "books.db", "--plan", "1")
    assert_one_line(done, 1)
    assert "nothing is left of the plan of entry 1" in done.stderr


def test_a_plan_is_a_file_of_questions_with_how_often_each_is_asked(place):
    place.joinpath("plan.txt").write_text(f"# a year\n\n12 {QUESTIONS[0]}\n{QUESTIONS[5]}\n")
    said = ok("budget", "books.db", "--reserve", "plan.txt", "--who", "head")
    assert "plan.txt: 13 releases reserved" in said
    assert "Entry 1 reserved 13 releases: 0 made, 13 left." in said
    ok(*QUESTIONS[0].split(), "--ledger", "books.db", "--plan", "1")
    books = json.loads(ok("budget", "books.db", "--json"))
    assert books["reservations"] == [{"entry": 1, "releases": 13, "made": 1, "over": False}]
    assert books["entries"][0]["who"] == "head"
    assert "12 count people.csv" in ok("budget", "books.db", "--entry", "1")
    assert "discreet:reserved" not in ok("budget", "books.db", "--entry", "1")
    done = json.loads(ok(*QUESTIONS[0].split(), "--ledger", "books.db", "--plan", "1", "--json"))
    assert done["receipt"]["ledger"]["plan"] == 1


@pytest.mark.parametrize(
    ("plan", "said"),
    [
        ("", "need questions, one a line"),
        ("12 counts people.csv", "plan.txt, line 1: need how often, if not once, and a question"),
        ("\n# a year\ncount 'people.csv", "plan.txt, line 3: need how often"),
        ("12", "plan.txt, line 1: need how often"),
        ("count people.csv --person user", "plan.txt, line 1: --epsilon: need an epsilon"),
        ("count people.csv --person user --by city --epsilon 1 --max-groups Ann", "line 1: need '--max-groups' as"),
        ("count people.csv --person user --epsilon Ann", "plan.txt, line 1: --epsilon 'Ann': need"),
        ("count people.csv --person user --epsilon 1 --ledger other.db", "plan.txt, line 1: leave out --ledger, which"),
        ("count people.csv --person user --epsilon 1 --who=ben", "plan.txt, line 1: leave out --who, which"),
        ("count people.csv --person user --epsilon 1 --html a.html", "plan.txt, line 1: leave out --html, which"),
        ("count people.csv --person user --help", "plan.txt, line 1: leave out --help, which"),
        ("count people.csv --person user --by city --epsilon 1 --delta 1e-8", "need --max-groups"),
        ("suggest people.csv --by city --person user", "need how often"),
    ],
)
def test_a_plan_that_is_none_reserves_nothing(plan, said, place):
    place.joinpath("plan.txt").write_text(plan)
    done = run("budget", "books.db", "--reserve", "plan.txt")
    assert_one_line(done, 2)
    assert said in done.stderr
    assert Ledger("books.db").entries() == []


@pytest.mark.parametrize(
    "row", ['{"name": "Ann", "illness": "flu"}', "count Ann flu", "12 count Ann --flu Ann", "Ann,flu"]
)
def test_a_row_of_data_in_the_place_of_a_plan_is_not_shown(row, place):
    place.joinpath("people.jsonl").write_text(f"{row}\n")
    done = run("budget", "books.db", "--reserve", "people.jsonl")
    assert_one_line(done, 2)
    assert "people.jsonl, line 1: need " in done.stderr
    assert not {"Ann", "flu"} & {*done.stderr.replace("-", " ").split()}


def test_a_plan_keeps_and_shows_no_password(place, monkeypatch):
    url = "postgresql://ana:hunter2@h/db"
    monkeypatch.setattr("discreet.cli.plans.explained", lambda name, given: explained(name, given | PEOPLE))
    place.joinpath("plan.txt").write_text(f"2 count '{url}' --table e --person user --epsilon 0.1\n")
    ok("budget", "books.db", "--reserve", "plan.txt")
    said = ok("budget", "books.db", "--entry", "1") + ok("budget", "books.db", "--json")
    kept = "2 count postgresql://ana@h/db --table e --person user --epsilon 0.1"
    assert Ledger("books.db").entries()[0].receipt["receipt"]["plan"] == [kept]
    assert "hunter2" not in said
    place.joinpath("plan.txt").write_text(f"count {url} --table e --person user --epsilon\n")
    done = run("budget", "books.db", "--reserve", "plan.txt")
    assert_one_line(done, 2)
    assert "hunter2" not in done.stderr


def test_reserving_says_both_prices(place):
    place.joinpath("plan.txt").write_text("40 count people.csv --person user --epsilon 0.1\n")
    said = ok("budget", "books.db", "--reserve", "plan.txt")
    spent = Ledger("books.db").spent
    price = f"epsilon {written(spent.epsilon, up=True)} and delta {written(spent.delta, up=True)}"
    assert f"Together they cost {price}; one by one it would be epsilon 4 and delta 0." in said
    place.joinpath("plan.txt").write_text("count people.csv --person user --epsilon 0.1\n")
    assert "They cost epsilon 0.1 and delta 0, as one by one" in ok("budget", "books.db", "--reserve", "plan.txt")


def test_a_plan_of_a_table_that_is_on_other_books_is_refused(place):
    place.joinpath("discreet.toml").write_text(
        '[tables.people]\nsource = "people.csv"\nperson = "user"\nledger = "books.db"\n'
    )
    place.joinpath("plan.txt").write_text("2 count people --epsilon 0.1\n")
    ok("budget", "others.db", "--create", "--epsilon", "1")
    done = run("budget", "others.db", "--reserve", "plan.txt")
    assert_one_line(done, 2)
    assert "need a table of these books" in done.stderr
    ok("budget", "books.db", "--reserve", "plan.txt")
    assert "nothing more spent" in ok("count", "people", "--epsilon", "0.1", "--plan", "1")


def test_a_plan_needs_books_and_is_on_them(place):
    done = run(*QUESTIONS[5].split(), "--plan", "1")
    assert_one_line(done, 2)
    assert "--plan needs --ledger" in done.stderr
    done = run(*QUESTIONS[5].split(), "--plan", "1", "--ledger", "books.db")
    assert_one_line(done, 2)
    assert "--plan 1: need the number of a reservation on these books" in done.stderr


def test_a_kept_answer_is_said_to_be_free(place):
    ask = [*QUESTIONS[5].split(), "--ledger", "books.db", "--data-version", "a"]
    assert "epsilon 0.1 spent" in ok(*ask)
    assert "free: kept answer of entry 1" in ok(*ask)
    assert "free: kept answer of entry 1" in ok(*ask, "--out", "a.csv")
    ok(*ask, "--html", "a.html")
    assert "Free: kept answer of entry 1." in place.joinpath("a.html").read_text()
    assert json.loads(ok(*ask, "--json"))["receipt"]["ledger"]["kept"] is True
