"""Publications from a file: hostile plans, places before charges, one reservation, the same figures again, crashes."""

import csv
import json
import multiprocessing
import zipfile

import pytest
from publishing_racers import publish_at_once
from tiers import each

pytest.importorskip("ibis", reason="pip install 'discreet[tables]'")
from discreet import BudgetError, DiscreetError, Ledger, UnsupportedError
from discreet.disclosure import Disclosure
from discreet.exact import written
from discreet.tables.answers import Answer
from discreet.tables.files import saved_rows
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
    people = [(i, ("=Rome", "Bath")[i % 2], 5, "fmm"[i % 3]) for i in range(600)]
    rows = "user,city,amount,sex\n" + "".join(f"{i},{city},{n},{sex}\n" for i, city, n, sex in people)
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
        {"tables": "[tables.a]\nby = ['city']\nkeys = 'bin'\nmax_groups = 1\npeople = true"},
        {"tables": "[tables.a]\nby = ['city']\nkeys = 'bins'\nmax_groups = 1\npeople = true"},
        {"tables": "[tables.a]\nby = ['city']\nkeys = {city = 'Bath'}\nmax_groups = 1\npeople = true"},
        {"tables": "[tables.a]\nby = ['city', 'sex']\nkeys = {city = ['Bath']}\nmax_groups = 1\npeople = true"},
    ],
    ids=str,
)
def test_a_plan_that_makes_no_sense_is_refused_before_anything_is_charged_or_written(changed, folder):
    before = sorted(folder.iterdir())
    with pytest.raises(DiscreetError):
        PublicationFile(plan(folder, **changed)).release()
    assert entries(folder) == []
    assert sorted(folder.iterdir()) == sorted([*before, folder / "plan.toml"])


CENSUS = """
[publications.census]
tables = [[], ["city"], ["city", "sex"]]
keys = {city = ["=Rome", "Bath"], sex = ["f", "m"]}
"""
OPEN = """
[publications.open]
tables = [[], ["city"], ["city", "sex"]]
"""


@pytest.mark.parametrize(
    "said",
    [
        "",
        "tables = 7",
        "tables = []",
        "tables = [[], [7]]",
        'tables = [["none"]]\nkeys = {none = ["x"]}',
        'tables = [["city"], ["city"]]',
        'tables = [["city"]]\nkeys = ["Rome"]',
        'tables = [["city"]]\nkeys = {city = "all"}',
        'tables = [["city"]]\nkeys = {city = [7]}',
        'tables = [["city"]]\nkeys = {sex = ["f"]}',
        'tables = [["city"]]\nweights = [1, 2]',
        'tables = [["city"]]\nweights = [0]',
        'tables = [["city"]]\nweights = [1]\nmargins = [1]',
        'tables = [["city"]]\nkeys = {city = ["Bath"]}\nmargins = ["1e-9"]',
        'tables = [["city"]]\nmargins = [true]',
        'tables = [["city"]]\nmax_groups = 0',
        'tables = [["city"]]\nsum = "city"',
        'tables = [["city"]]\nsum = "amount"',
        'tables = [["city"]]\nnoise = "normal"',
        'tables = [["city"]]\nzeros = [{city = "Bath"}]',
        'tables = [[], ["city"]]\ntotal = -1\nkeys = {city = ["Bath"]}',
        'tables = [["city"]]\ntotal = 600\nkeys = {city = ["Bath"]}',
        'tables = [["city"]]\nshare = 0',
        'tables = [["city"]]\nmagic = 1',
        'tables = [["city", "sex"], ["sex", "amount"], ["amount", "city"]]',
        'tables = [["city", "sex"], ["lower(city) as city_"], ["lower(city) as City"]]',
    ],
)
def test_a_publication_that_makes_no_sense_is_refused_before_anything_is_charged_or_written(said, folder):
    before = sorted(folder.iterdir())
    with pytest.raises(DiscreetError):
        PublicationFile(plan(folder, "[publications.census]\n" + said)).release()
    assert entries(folder) == []
    assert sorted(folder.iterdir()) == sorted([*before, folder / "plan.toml"])


@pytest.mark.parametrize(
    ("tables", "changed"),
    [
        (OPEN, {"delta": None}),
        (CENSUS + 'noise = "gaussian"', {"delta": None}),
        (CENSUS, {"epsilon": None}),
        (CENSUS + "margins = [50, 20, 20]", {}),
        (CENSUS + "[tables.census-city]\npeople = true", {}),
        (CENSUS + "[tables.CENSUS-all]\npeople = true", {}),
    ],
)
def test_a_publication_needs_its_budget_and_files_of_its_own(tables, changed, folder):
    with pytest.raises(DiscreetError):
        PublicationFile(plan(folder, tables, **changed))


def figures(folder, name):
    return list(csv.DictReader((folder / "out-2026-11" / f"{name}.csv").open()))


@pytest.mark.parametrize("tables", [CENSUS, CENSUS + 'noise = "gaussian"\nweights = [1, 2, 3]', OPEN])
def test_tables_of_a_publication_add_up_in_their_files_and_come_again_for_nothing(tables, folder):
    made = PublicationFile(plan(folder, tables + TABLES)).release()
    name = "open" if tables is OPEN else "census"
    assert list(made.answers) == ["cities", "all", f"{name}-all", f"{name}-city", f"{name}-city-sex"]
    (whole,), cities, fine = (figures(folder, f"{name}-{by}") for by in ("all", "city", "city-sex"))
    assert int(whole["people"]) == sum(int(row["people"]) for row in cities)
    for city in cities:
        parts = [int(row["people"]) for row in fine if row["city"] == city["city"]]
        assert int(city["people"]) == sum(parts)
    assert {"'=Rome", "Bath"} <= {row["city"] for row in cities}
    kinds = [entry.kind for entry in entries(folder)]
    assert (kinds.count("charge"), kinds.count("release")) == (1, 3)
    assert Ledger(folder / "b.db").spent.epsilon <= 2
    again = PublicationFile(folder / "plan.toml").release()
    assert len(entries(folder)) == len(kinds)
    for file, answer in made.answers.items():
        assert again.answers[file].to_rows() == answer.to_rows()
        assert again.answers[file].keys == answer.keys
        assert again.answers[file].receipt.kept
        told = Disclosure.of_file(folder / "out-2026-11" / f"{file}.disclosure.json")
        assert told.check_ledger(Ledger(folder / "b.db"))
        assert ("One of 3 tables" in told.facts["composition"]) is file.startswith(name)
        told.check_figures(saved_rows(folder / "out-2026-11" / f"{file}.parquet"))
    page = folder / "out-2026-11" / "index.html"
    assert page.read_text().count("<p>Counts below 0 are impossible") == 1
    assert [each.facts["title"] for each in Disclosure.all_of_file(page)] == [
        answer.title for answer in made.answers.values()
    ]
    Ledger(folder / "b.db").verify()


def test_margins_set_the_epsilon_of_a_publication_and_the_rest_is_divided(folder):
    asked = PublicationFile(plan(folder, CENSUS + "margins = [60, 40, 30]\n" + TABLES))
    found = asked.check()
    assert [each.receipt.epsilon for name, each in found.explained.items() if name != "census"] == [0.5, 1.5]
    census = found.explained["census"]
    assert max(x / y for x, y in zip(census.reaches, (60, 40, 30), strict=True)) <= 1
    assert census.epsilon < 1
    page = found.page.to_html()
    assert "people: all; city; city, sex" in page
    assert "95 % seen from" in page
    alone = PublicationFile(plan(folder, CENSUS + "margins = [60, 40, 30]", epsilon=None, delta=None)).release()
    assert Ledger(folder / "b.db").spent.epsilon == census.epsilon
    assert alone.answers["census-city"].receipt.epsilon == census.epsilon


def test_sums_public_totals_impossible_groups_and_derived_columns_are_published(folder):
    tables = """
[publications.paid]
sum = "amount"
tables = [[], ["length(city) by 3 from 3 to 9 as long"]]
keys = {long = "bins"}
[publications.known]
tables = [[], ["city", "sex"]]
keys = {city = ["=Rome", "Bath"], sex = ["f", "m"]}
zeros = [{city = "Bath", sex = "f"}]
total = 600
"""
    made = PublicationFile(plan(folder, tables, delta=None)).release()
    assert [key for (key,) in made.answers["paid-long"].keys] == [3, 6]
    assert made.answers["known-all"].columns["people"] == [600]
    assert len(made.answers["known-city-sex"]) == 3
    assert sum(made.answers["known-city-sex"].columns["people"]) == 600
    assert abs(made.answers["paid-all"].columns["sum of amount"][0] - 3000) < 500


def test_a_workbook_has_a_sheet_for_each_table_that_adds_up(folder):
    pytest.importorskip("xlsxwriter")
    made = PublicationFile(plan(folder, CENSUS, formats='["xlsx"]')).release()
    with zipfile.ZipFile(made.files[0]) as book:
        said = book.read("xl/workbook.xml").decode()
        assert all(f'name="census-{by}"' in said for by in ("all", "city", "city-sex"))
        assert "below 0 are impossible" in book.read("xl/sharedStrings.xml").decode()


def test_of_two_processes_at_the_same_moment_one_pays_and_both_have_the_figures(folder):
    """They meet at a barrier, so that each finds no reservation, and then no figures."""
    path, spawn = plan(folder, CENSUS + TABLES), multiprocessing.get_context("spawn")
    barrier, results = spawn.Barrier(2), spawn.Queue()
    racers = [spawn.Process(target=publish_at_once, args=(path, barrier, results)) for _ in range(2)]
    for racer in racers:
        racer.start()
    found = [results.get(timeout=120) for _ in racers]
    for racer in racers:
        racer.join()
    assert isinstance(found[0], dict), found
    assert found[0] == found[1]
    kinds = [entry.kind for entry in entries(folder)]
    assert (kinds.count("charge"), kinds.count("release"), kinds.count("answer")) == (1, 3, 3)
    Ledger(folder / "b.db").verify()


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


def test_a_look_says_what_is_charged_and_whether_it_fits(folder):
    found = PublicationFile(plan(folder)).check()
    made = PublicationFile(folder / "plan.toml").release()
    spent = Ledger(folder / "b.db").spent
    assert made.files
    assert found.fits
    assert f"The tables cost epsilon {written(spent.epsilon, up=True)} and delta {written(spent.delta, up=True)}" in (
        found.price
    )
    large = PublicationFile(plan(folder, epsilon="50")).check()
    assert not large.fits
    assert "cannot be released" in str(large)
    with pytest.raises(BudgetError):
        PublicationFile(folder / "plan.toml").release()


@pytest.mark.parametrize(
    ("tables", "said"),
    [
        ('[tables.a]\nby = ["town"]\nmax_groups = 1\npeople = true', r"^tables\.a\.by='town': need"),
        ('[publications.b]\ntables = [["town"]]', r"^publications\.b\.tables='town': need"),
        ('[publications.b]\ntables = [["city"]]\nkeys = {sex = ["f"]}', r"^publications\.b\.keys="),
    ],
)
def test_mistakes_are_said_as_the_plan_says_them(tables, said, folder):
    with pytest.raises(DiscreetError, match=said):
        PublicationFile(plan(folder, tables)).check()


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


@pytest.mark.parametrize(
    "changed",
    [{"where": "\"sex = 'f'\""}, {"person": '"city"'}, {"types": '{amount = "integer"}'}],
    ids=["where", "person", "types"],
)
def test_another_question_under_the_same_version_is_paid_for_and_not_called_lost(changed, folder):
    first = PublicationFile(plan(folder)).release()
    again = PublicationFile(plan(folder, **changed)).release()
    assert again.entry != first.entry
    assert PublicationFile(plan(folder)).release().entry == first.entry
    assert PublicationFile(plan(folder, **changed)).release().entry == again.entry
    assert [entry.kind for entry in entries(folder)].count("charge") == 2


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


def test_a_release_that_failed_is_not_waited_for(folder, monkeypatch):
    """Nobody is drawing: whoever asks again is told so at once."""
    path = plan(folder)

    def failing(*_):
        raise UnsupportedError("the engine stopped")

    with monkeypatch.context() as patch:
        patch.setattr("discreet.tables.release.InTurn.sample", failing)
        with pytest.raises(UnsupportedError, match="stopped"):
            PublicationFile(path).release()
    assert "failed" in [entry.kind for entry in entries(folder)]
    monkeypatch.setattr("time.sleep", lambda _: pytest.fail("waited for nobody"))
    with pytest.raises(BudgetError, match="lost"):
        PublicationFile(path).release()


def test_figures_that_were_lost_are_not_drawn_again_for_nothing(folder, monkeypatch):
    path = plan(folder)
    with monkeypatch.context() as patch:
        patch.setattr("discreet.tables.query.keep", lambda *_: None)
        PublicationFile(path).release()
    monkeypatch.setattr("discreet.tables.publishing._PATIENCE", 1)
    spent = Ledger(folder / "b.db").spent
    with pytest.raises(BudgetError, match="cities: its figures were drawn and are not kept"):
        PublicationFile(path).release()
    assert Ledger(folder / "b.db").spent == spent


def test_the_files_that_are_told_are_those_that_were_written(folder):
    made = PublicationFile(plan(folder, CENSUS + TABLES)).release()
    assert sorted(made.files) == sorted((folder / "out-2026-11").iterdir())


def test_a_page_has_the_title_of_the_plan_or_its_name(folder):
    for title, said in {None: "plan", '"Visits & people"': "Visits &amp; people"}.items():
        asked = PublicationFile(plan(folder, title=title))
        assert f"<h1>{said}, 2026-11</h1>" in asked.check().page.to_html()
        asked.release()
        assert f"<h1>{said}, 2026-11</h1>" in (folder / "out-2026-11" / "index.html").read_text()
    with pytest.raises(DiscreetError, match="need what the page is called"):
        PublicationFile(plan(folder, title="7"))


@pytest.mark.parametrize("changed", [{"types": '{amount = "decimal comma"}'}, {"person": '["user", "sex"]'}])
def test_other_types_or_people_are_another_publication_which_is_paid_anew(changed, folder):
    PublicationFile(plan(folder)).release()
    asked = PublicationFile(plan(folder, **changed))
    assert "The tables cost epsilon 2" in asked.check().price
    asked.release()
    assert Ledger(folder / "b.db").spent.epsilon == 4


def test_readers_are_told_the_price_and_get_the_same_page_again(folder):
    page = folder / "out-2026-11" / "index.html"
    PublicationFile(plan(folder)).release()
    first = page.read_text()
    assert "<p>Epsilon 0.5 and delta " in first
    assert "spent, once for these figures.</p>" in first
    PublicationFile(plan(folder)).release()
    assert page.read_text() == first


WARDS = """
[publications.wards]
tables = [[], ["city"], ["city", "sex"]]
keys = {city = ["Rome", "Bath", "Oslo"], sex = ["f", "m"]}
"""


@pytest.fixture
def wards(folder):
    """Each of 3,000 people is in all of three cities."""
    rows = [f"{i},{city},5,{'fm'[i % 2]}\n" for i in range(3000) for city in ("Rome", "Bath", "Oslo")]
    (folder / "visits-2026-11.csv").write_text("user,city,amount,sex\n" + "".join(rows))
    return folder


@pytest.mark.parametrize("most", [1, 2])
def test_a_look_says_in_how_many_groups_a_person_counts_and_that_it_is_a_bias(most, wards):
    found = PublicationFile(plan(wards, WARDS + f"max_groups = {most}\n" * (most > 1))).check()
    for text in (str(found.sheet), found.page.to_html()):
        assert f"Each person counts in at most {most} of the finest groups, by city, sex. Whoever is in more" in text
        assert "a bias, which the noise intervals do not include. max_groups changes it" in text
        assert "discreet suggest FILE --by city --by sex" in text
        assert ("they are not numbers of different people" in text) is (most > 1)
    assert f"wards: Each person counts in at most {most}" in str(found.sheet)


def test_a_look_names_derived_columns_as_they_are_asked_for(wards):
    tables = '[publications.long]\ntables = [[], ["length(city) by 3 from 0 to 9 as long"]]\nkeys = {long = "bins"}'
    said = str(PublicationFile(plan(wards, tables)).check().sheet)
    assert "of the finest groups, by long. " in said
    assert "`discreet suggest FILE --by 'length(city) by 3 from 0 to 9'`" in said


def test_a_look_at_tables_that_leave_nobody_out_speaks_of_no_bias(wards):
    every = PublicationFile(plan(wards, WARDS + "max_groups = 6\n")).check()
    assert "a bias, which" not in str(every.sheet)
    assert "they are not numbers of different people" in str(every.sheet)
    assert "a bias, which" not in str(PublicationFile(plan(wards, "[tables.all]\npeople = true")).check().sheet)


def test_the_bias_stands_below_each_table_of_the_page(wards):
    made = PublicationFile(plan(wards, WARDS, epsilon="8")).release()
    page = (wards / "out-2026-11" / "index.html").read_text()
    sections = page.split("<h2")[1:]
    assert len(made.answers) == 3
    assert ["<p>Bias: max_groups = 1 left out 66" in section for section in sections] == [True, True, True, False]
    assert "not numbers of different people" not in page


def test_totals_that_count_a_person_several_times_say_so_in_every_form(wards):
    pytest.importorskip("xlsxwriter")
    made = PublicationFile(plan(wards, WARDS + "max_groups = 3", formats='["html", "xlsx", "disclosure"]')).release()
    said = "A person counts in up to 3 of the finest groups, so totals may count a person as often: they are not "
    assert [answer.title for answer in made.answers.values()] == [
        "People, each counted up to 3 times",
        "People, each counted up to 3 times, by city",
        "People by city, sex",
    ]
    assert all(said in str(answer) for answer in made.answers.values())
    assert (wards / "out-2026-11" / "index.html").read_text().count(f"<p>{said}") == 3
    assert said in Disclosure.of_file(wards / "out-2026-11" / "wards-all.disclosure.json").facts["errors"]
    with zipfile.ZipFile(wards / "out-2026-11" / "tables.xlsx") as book:
        assert said in book.read("xl/sharedStrings.xml").decode()


def test_sums_count_what_people_have_in_all_their_groups_and_are_titled_as_sums(wards):
    tables = WARDS + 'sum = "amount"\nmax_groups = 3\n'
    made = PublicationFile(plan(wards, tables, types='{amount = "integer"}')).release()
    assert made.answers["wards-all"].title == "Sum of amount"
    assert "different people" not in str(made.answers["wards-all"])


def test_a_look_says_of_what_the_price_takes_a_part_and_how_wrong_each_table_may_be(folder):
    found = PublicationFile(plan(folder, CENSUS + "margins = [50, 20, 20]", epsilon=None, delta=None)).check()
    reaches = "; ".join(written(x, up=True) for x in found.explained["census"].reaches)
    assert f"±{reaches}" in str(found.sheet)
    Ledger(folder / "plain.db", epsilon=3, accountant="plain").close()
    plain = PublicationFile(plan(folder, CENSUS, ledger='"plain.db"')).check()
    assert "which is 66.7 % of the epsilon that is left on the books." in plain.price
    Ledger(folder / "rho.db", epsilon=20, delta="1e-4", accountant="zcdp").close()
    assert "% of what is left on the books, in their own units" in (
        PublicationFile(plan(folder, CENSUS, ledger='"rho.db"')).check().price
    )


def test_the_same_plan_of_other_files_is_another_publication(folder):
    """In a folder of its own, with the same books, version and words."""
    PublicationFile(plan(folder)).release()
    other = folder / "other"
    other.mkdir()
    (other / "visits-2026-11.csv").write_text((folder / "visits-2026-11.csv").read_text())
    again = PublicationFile(plan(other, ledger='"../b.db"'))
    assert again.release().answers.keys() == PublicationFile(plan(folder)).release().answers.keys()
    assert [entry.kind for entry in entries(folder)].count("charge") == 2


def test_a_table_takes_the_known_keys_of_each_column_and_bins(folder):
    fives = "amount by 5 from 0 to 10 as fives"
    tables = f"""
[tables.both]
by = ["city", "{fives}"]
keys = {{city = ["Bath", "Oslo"], fives = "bins"}}
max_groups = 1
people = true
[tables.fives]
by = ["{fives}"]
keys = "bins"
max_groups = 1
people = true
"""
    file = PublicationFile(plan(folder, tables, types='{amount = "integer"}', delta=None))
    made, again = file.release(), file.release()
    assert made.answers["both"].keys == [("Bath", 0), ("Bath", 5), ("Oslo", 0), ("Oslo", 5)]
    assert made.answers["fives"].keys == [(0,), (5,)]
    assert [each.to_rows() for each in made.answers.values()] == [each.to_rows() for each in again.answers.values()]
    assert len({entry.number for entry in entries(folder) if entry.amount.epsilon}) == 1
