"""Books on the command line: found by a table's name, and told in words that a newcomer can act on."""

import pytest
from command import assert_one_line, ok, run

from discreet import IntegerLaplace, Ledger
from discreet.errors import KindError, ParameterError
from discreet.tables import Project, Sum, Table
from discreet.tables.project import is_same

TOML = '[tables.people]\nsource = "people.csv"\nperson = "user"\nledger = "b.db"\nbounds = {age = [0, 90]}\n'
GROUPS = "--by city --max-groups 1 --epsilon 0.1 --delta 1e-7"


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A project with a table and its books."""
    monkeypatch.chdir(tmp_path)
    tmp_path.joinpath("people.csv").write_text("user,city,age\n1,Rome,7\n2,Bari,8\n")
    tmp_path.joinpath("discreet.toml").write_text(TOML)
    ok("budget", "people", "--create", "--epsilon", "3", "--delta", "1e-5")
    return tmp_path


def test_a_tables_name_is_that_of_its_books(place):
    ok("count", "people", "--epsilon", "0.1")
    assert "b.db: 1 charge" in ok("budget", "people")
    assert ok("budget", "people").replace(f"{place}/", "") == ok("budget", "b.db")
    place.joinpath("discreet.toml").write_text(TOML.replace('ledger = "b.db"\n', ""))
    done = run("budget", "people")
    assert_one_line(done, 2)
    assert "names no books for it" in done.stderr


def test_a_misspelt_table_is_told_the_names_that_there_are(place):
    done = run("count", "peple", "--epsilon", "0.1")
    assert_one_line(done, 2)
    assert "peple: need a file that exists, or a table of " in done.stderr
    assert "discreet.toml: people" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (f"count people {GROUPS} --noise truncted", "--noise 'truncted': need"),
        ("budget x.db --create --epsilon 1 --accountant adaptiv", "--accountant 'adaptiv': need"),
        ("budget x.db --create --epsilon 1 --answers besides", "--answers 'besides': need"),
        ("budget x.db --create --epsilon 1 --period mnth:1 --start 2026-01-01", "--period 'mnth': need"),
        ("budget x.db --create --epsilon 1 --period month:2 --start 2026-01-01", "--period 'epsilon=2, delta=0': need"),
        ("budget x.db --create --epsilon 1 --period month:1 --start soon", "--start 'soon': need"),
        ("count free.csv --person user --epsilon 1 --data-version a", "--data-version needs --ledger"),
    ],
)
def test_options_are_shown_as_they_are_typed(words, said, place):
    place.joinpath("free.csv").write_text("user\n1\n")
    done = run(*words.split())
    assert_one_line(done, 2)
    assert said in done.stderr


def test_who_is_on_the_books_is_told_to_who_asks_for_another(place):
    assert "b.db, nobody: 0 charges" in ok("budget", "b.db", "--who", "nobody")
    ok("count", "people", "--epsilon", "0.1", "--who", "ana")
    done = run("budget", "b.db", "--who", "nobody")
    assert_one_line(done, 2)
    assert "--who 'nobody': need one of ana" in done.stderr


def test_who_asks_is_asked_for_by_its_option(place):
    ok("budget", "b.db", "--analyst", "ana=1")
    done = run("count", "people", "--epsilon", "0.1")
    assert_one_line(done, 2)
    assert "--who: need one of ana" in done.stderr


def test_a_fault_of_the_project_is_told_as_one(place):
    place.joinpath("discreet.toml").write_text(f'{TOML}types = {{age = "intger"}}\n')
    done = run("count", "people", "--epsilon", "0.1")
    assert_one_line(done, 2)
    assert "tables.people.types='intger': need one of integer," in done.stderr


def test_what_is_not_kept_says_so(place):
    done = run("count", "people", *GROUPS.split(), "--rounds", 2, "--data-version", "a")
    assert (done.exit_code, "an answer in two rounds is not kept" in done.stderr) == (0, True)
    assert ok("keys", "people", "--by", "city", "--epsilon", "0.1", "--delta", "1e-7", "--data-version", "a")


def test_a_period_that_is_to_come_says_so(place):
    said = ok("budget", "x.db", "--create", "--epsilon", 1, "--period", "month:1", "--start", "9000-01-01")
    assert "--start 9000-01-01 is to come: what is charged before counts in the first month." in said
    said = ok("budget", "y.db", "--create", "--epsilon", 1, "--period", "month:1", "--start", "2000-01-01")
    assert "is to come" not in said


def test_why_names_a_theorem_for_every_release_and_says_it_once(place):
    ok("count", "people", *GROUPS.split(), "--rounds", 2)
    ok("count", "people", *GROUPS.replace("groups 1", "groups auto").split())
    for number in (1, 2):
        said = ok("budget", "people", "--why", number)
        assert "not said" not in said
        assert said.count("is (d / s)-DP") == (number == 1)
    assert "2 x IntegerLaplace" in ok("budget", "people", "--why", 1)


def test_a_kept_answer_is_shown_by_its_size(place):
    ok("keys", "people", "--by", "city", "--epsilon", "0.1", "--delta", "1e-7", "--data-version", "a")
    said = ok("budget", "b.db", "--entry", 2)
    assert "characters of JSON, which --out writes" in said
    assert max(map(len, said.split())) < 40
    assert "1 kept for asking again" in ok("budget", "people")


def test_a_project_is_found_above_and_opens_as_it_is_asked_to(place, monkeypatch):
    place.joinpath("deep").mkdir()
    monkeypatch.chdir(place / "deep")
    project = Project()
    project.table("people", who="ana", version="a").count_people(epsilon="0.1")
    book = Ledger(place / "b.db")
    assert [(entry.kind, entry.who) for entry in book.entries()] == [("charge", "ana"), ("answer", None)]
    total = Sum("age", *project["people"].bounds["age"])
    plan = book.reserve([Table(place / "people.csv", person="user").explain(total, epsilon="0.1")])
    answer = project.table("people", plan=plan.number).release(total, epsilon="0.1")
    assert answer.receipt.plan == plan.number
    place.joinpath("discreet.toml").write_text(TOML.replace('ledger = "b.db"\n', ""))
    with pytest.raises(ParameterError, match="who='ana': need none"):
        Project().table("people", who="ana")


def test_a_plan_is_a_list(place):
    book, event = Ledger.in_memory(epsilon=1), IntegerLaplace(scale=10).event(1)
    for one in (event, Table("people.csv", person="user").explain(epsilon="0.1")):
        with pytest.raises(KindError, match=r"a list of events, or of explanations: \[it\] for one"):
            book.reserve(one)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("postgres://h/shop", "postgresql://ana:pw@h:5432/shop?sslmode=require", True),
        ("postgres://h/shop?schema=a", "postgres://h/shop?application_name=x&schema=a", True),
        ("postgres://h/shop?schema=a", "postgres://h/shop?schema=b", False),
        ("postgres://h:5433/shop", "postgres://h/shop", False),
        ("postgres://h:15432/shop", "postgres://h:1/shop", False),
        ("mysql://h:3306/shop", "mysql://h/shop", True),
        ("mysql://h/shop", "postgres://h/shop", False),
    ],
)
def test_a_server_is_the_same_however_one_gets_there(one, other, same):
    assert is_same(one, other) is same


class TestMistakesAreBlamedOnWhatWasTyped:
    @pytest.fixture
    def place(self, tmp_path, monkeypatch):
        """A folder with books, on which ben has spent, and a table that a project binds to them."""
        monkeypatch.chdir(tmp_path)
        tmp_path.joinpath("people.csv").write_text("user,age\n1,3\n2,4\n")
        said = '[tables.clinic]\nsource = "people.csv"\nperson = "user"\nledger = "books.db"\n'
        tmp_path.joinpath("discreet.toml").write_text(said)
        with Ledger("books.db", epsilon=5, analysts={"ben": 1}) as book:
            book.charge(epsilon="0.5", who="ben")
        return tmp_path

    @pytest.mark.parametrize(
        ("typed", "said"),
        [
            ("budget books.db --analyst ben=0.1", "--analyst ben=0.1: need at least what was spent"),
            ("budget books.db --analyst ben=x", "--analyst ben=x: need a finite number"),
            ("budget new.db --create --epsilon 2 --analyst ben=1:x", "--analyst ben=1:x: need a finite number"),
            (
                "budget new.db --create --epsilon 2 --period month:x --start 2026-11-01",
                "--period month:x: need a finite",
            ),
            ("budget books.db --why 40", "--why 40: need an entry on these books"),
            ("explain clinic --epsilon 1", "need the question before the file: discreet explain count clinic"),
            ("count clinic --epsilon 0.1 --who ben --data-version=", "--data-version '': need"),
            ("count clinic --epsilon 0.1 --who ben --fresh", "--fresh needs --data-version"),
        ],
    )
    def test_an_option_is_named_as_it_was_typed(self, typed, said, place):
        done = run(*typed.split())
        assert_one_line(done, 2)
        assert said in done.stderr
        assert len(Ledger("books.db").entries()) == 2

    @pytest.mark.parametrize(
        ("line", "said"), [('person = "usr"', "person='usr'"), ('types.agee = "date"', "types='agee'")]
    )
    def test_the_projects_file_is_named_for_what_it_says(self, line, said, place):
        toml = place / "discreet.toml"
        kept = [old for old in toml.read_text().splitlines() if old.split()[0] != line.split()[0]]
        toml.write_text("\n".join([*kept, line]))
        done = run("count", "clinic", "--epsilon", "0.1", "--who", "ben")
        assert_one_line(done, 2)
        assert f"discreet.toml: {said}: need" in done.stderr
        assert "--person" not in done.stderr
        assert "--type" not in done.stderr
