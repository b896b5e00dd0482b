"""Paper: what dice say to tick has exactly the mechanism's law; the sheet says it; what was counted is estimated."""

import itertools
import re
from collections import Counter
from fractions import Fraction
from math import prod

import pytest
from command import assert_one_line, ok, run
from hypothesis import given
from hypothesis import strategies as st
from tiers import cases

from discreet import (
    KindError,
    MaxDivergence,
    OptimizedUnary,
    ParameterError,
    RandomizedResponse,
    UnsupportedError,
)
from discreet.coins import SYSTEM
from discreet.samplers import below
from discreet.survey import Asking, Paper, Question, Survey, TextQuestion, Wording
from discreet.survey.paper import Table

SMOKES = Question("smokes", ["never", "sometimes", "daily"], missing="no answer")
CHEATS = Question("cheats", ["no", "yes"])
DICE = [(6,), (6, 6), (2,), (2, 2, 2), (4, 13), (20,), (6, 20), (10, 10)]


def survey(dice=(6, 6), epsilon=2):
    return Survey([CHEATS, SMOKES], epsilon=epsilon, dice=dice)


@pytest.mark.parametrize("sides", DICE, ids=str)
@pytest.mark.parametrize("t", [2, 3, 5, 6])
@pytest.mark.parametrize("epsilon", ["0.2", "1", "3", "20"])
def test_dice_give_the_most_truth_that_the_budget_allows(sides, t, epsilon):
    n, budget = prod(sides), Fraction(epsilon)
    choices = [RandomizedResponse(categories=range(t), prob=Fraction(n - (t - 1) * s, n)) for s in range(1, n // t + 1)]
    allowed = [m for m in choices if MaxDivergence().allows(m.loss(1), budget)]
    if not allowed:
        with pytest.raises(ParameterError, match=r"^(sides|epsilon)="):
            RandomizedResponse.for_dice(*sides, epsilon=epsilon, categories=range(t))
        return
    found = RandomizedResponse.for_dice(*sides, epsilon=epsilon, categories=range(t))
    assert found == max(allowed, key=lambda m: m.prob)


@pytest.mark.parametrize("sides", DICE, ids=str)
@pytest.mark.parametrize("t", [2, 3, 6])
def test_what_dice_say_to_tick_has_the_law_of_the_mechanism(sides, t):
    if prod(sides) < t:
        return
    q = Question("q", [f"choice {i}" for i in range(t)])
    form = q.form(RandomizedResponse.for_dice(*sides, epsilon=30, categories=q.categories))
    table = Table(form, sides)
    assert len(table.cells) == prod(sides)
    for place, answer in enumerate(q.choices):
        assert dict(zip(q.choices, table.law(place), strict=True)) == form.mechanism.law(answer)


@pytest.mark.parametrize("prob", ["1/2", "3/4", "0.7"])
def test_a_table_is_refused_where_its_law_would_be_another(prob):
    form = CHEATS.form(RandomizedResponse(categories=CHEATS.categories, prob=prob))
    for sides in ([6, 6], [10], [2, 2]):
        lie = (1 - Fraction(prob)) * prod(sides)
        if lie.denominator == 1:
            assert Table(form, sides).law(0) == [Fraction(prob), 1 - Fraction(prob)]
        else:
            with pytest.raises(ParameterError, match="dice that play cheats"):
                Table(form, sides)


def test_a_table_that_would_need_more_than_all_outcomes_is_refused():
    form = CHEATS.form(RandomizedResponse(categories=CHEATS.categories, prob=1))
    with pytest.raises(ParameterError, match="dice that play cheats"):
        Table(form, [6])


def _printed(html):
    """Return the tables that a reader of the sheet sees, as lists of rows of texts."""
    main = html.split("<aside>")[0]
    tables = re.findall(r"<table>(.*?)</table>", main, re.S)
    return [
        [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", table, re.S)][1:]
        for table in tables
    ]


@pytest.mark.parametrize("dice", [(6,), (6, 6), (2, 2, 2), (4, 13), (6, 20)], ids=str)
def test_the_sheet_that_people_read_has_the_law(dice):
    """Whoever follows the printed table, letter by letter, answers by the mechanism."""
    asked = survey(dice, epsilon=20)
    tables = _printed(Paper(asked).to_html())
    assert len(tables) == len(asked.forms)
    for form, table in zip(asked.forms, tables, strict=True):
        cells = Counter(itertools.chain.from_iterable(table))
        assert sum(cells.values()) == prod(dice)
        assert all(len(row) == dice[-1] for row in table)
        for place, answer in enumerate(form.question.categories.values):
            law = form.mechanism.law(answer)
            for other, choice in enumerate(form.question.categories.values):
                ticked = cells["ABCDEFGH"[other]] + cells["you"] * (place == other)
                assert Fraction(ticked, prod(dice)) == law[choice]


def test_people_read_the_texts_of_the_survey_and_not_its_names(tmp_path):
    (tmp_path / "class.toml").write_text(
        """
        epsilon = 2
        dice = [6, 6]
        title = {de = "Schule", en = "Our <school>"}
        sponsor = "The council asks."
        language = "de"
        [[questions]]
        name = "cheats"
        choices = ["n", "y"]
        missing = "none"
        text = {de = "Geschummelt?", en = "Have you cheated?"}
        labels = ["Never", "Once"]
        [[questions]]
        name = "bus"
        choices = [false, true]
        group = "How do you get here?"
        text = "By bus"
        """
    )
    html = Paper.load(tmp_path / "class.toml").to_html()
    main, aside = html.split("<aside>")
    for text in (
        "<h1>Our &lt;school&gt;</h1>",
        "The council asks.",
        "Have you cheated?",
        "How do you get here? By bus",
    ):
        assert text in main
    assert re.findall(r"<li><b>(.)</b> (.*?)</li>", main) == [
        ("A", "Never"), ("B", "Once"), ("C", "none"), ("A", "No"), ("B", "Yes"),
    ]  # fmt: skip
    assert "cheats n=… y=… none=… bus False=… True=…" in aside
    with pytest.raises(ParameterError, match="a label for each of the 2 choices of cheats"):
        Paper(Survey([CHEATS], epsilon=2, dice=[6, 6]), Wording(questions={"cheats": Asking(labels=["x"])}))
    with pytest.raises(KindError, match="a Wording"):
        Paper(Survey([CHEATS], epsilon=2, dice=[6, 6]), "Have you cheated?")


def test_the_sheet_loads_nothing_and_holds_names_as_text():
    evil = Question("<script>alert(1)</script>", ["<b>", "\u202eabc"])
    html = Paper(Survey([evil], epsilon=1, dice=[6, 6]), size="letter").to_html()
    assert "<script" not in html
    assert "\u202e" not in html
    assert "default-src 'none'" in html
    assert "size: letter" in html
    assert not re.search(r'(src|href)="(?!data:)', html)


def test_a_survey_by_dice_is_saved_and_read_as_it_is(tmp_path):
    asked = survey()
    asked.save(tmp_path / "survey.json")
    again = Survey.load(tmp_path / "survey.json")
    assert (again.forms, again.dice) == (asked.forms, (6, 6))
    assert Paper(again).to_html() == Paper(asked).to_html()
    assert Survey([CHEATS], epsilon=1).dice is None
    assert "dice" not in Survey([CHEATS], epsilon=1).to_dict()


@pytest.mark.parametrize(
    ("make", "error", "words"),
    [
        (lambda: survey(dice=6), KindError, "a list of their sides"),
        (lambda: survey(dice=[]), KindError, "dice="),
        (lambda: survey(dice=[1]), KindError, "dice=a list"),
        (lambda: survey(dice=[2]), ParameterError, "more outcomes"),
        (lambda: Survey([SMOKES], epsilon=9, dice=[2]), ParameterError, "sides="),
        (lambda: Survey([CHEATS], epsilon=1, dice=[2]), ParameterError, "these say nothing"),
        (lambda: Survey([CHEATS], epsilon=1, dice=[6], kinds={"cheats": OptimizedUnary}), ParameterError, "kinds="),
        (lambda: Paper(Survey([CHEATS], epsilon=1)), ParameterError, r"dice = \[6, 6\]"),
        (lambda: Paper("survey.toml"), KindError, "need a Survey"),
        (lambda: Paper(survey(), people=[0]), KindError, "people=a list"),
        (lambda: Paper(survey(), people=[]), KindError, "people="),
        (lambda: Paper(survey(), size="A5"), ParameterError, "size='A5'"),
        (lambda: Paper(survey(dice=[100, 100])), ParameterError, "fit on a sheet"),
        (lambda: Paper(Survey([Question("q", range(30))], epsilon=9, dice=[6, 6])), ParameterError, "at most 26"),
        (lambda: RandomizedResponse.for_dice(epsilon=1, categories=["a", "b"]), ParameterError, "sides="),
        (lambda: RandomizedResponse.for_dice(10**4, 10**4, epsilon=1, categories=["a", "b"]), ParameterError, "sides="),
    ],
    ids=range(16),
)
def test_what_does_not_fit_is_refused(make, error, words):
    with pytest.raises(error, match=words):
        make()


class TestCounts:
    @given(st.lists(st.integers(0, 50), min_size=4, max_size=4))
    def test_typed_counts_are_the_reports_one_by_one(self, counts):
        typed, added = survey().collector()["smokes"], survey().collector()["smokes"]
        typed.add_counts(dict(zip(SMOKES.categories.values, counts, strict=True)))
        added.add_many([c for c, n in zip(SMOKES.categories.values, counts, strict=True) for _ in range(n)])
        assert typed == added

    def test_counts_add_up(self):
        box = survey().collector()["smokes"]
        box.add_counts({"never": 2, "daily": 1})
        box.add_counts({"daily": 3})
        assert box.supports.tolist() == [2, 0, 4, 0]

    def test_all_questions_are_added_or_none(self):
        boxes = survey().collector()
        for bad in ({"cheats": {"no": 1}, "smokes": {"nevr": 1}}, {"cheats": {"no": 1}, "smoke": {}}, [("cheats", {})]):
            with pytest.raises((ParameterError, KindError)):
                boxes.add_counts(bad)
            assert all(box.n == 0 for box in boxes.values())
        boxes.add_counts({"cheats": {"no": 1}, "smokes": {"never": 2}})
        assert [box.n for box in boxes.values()] == [1, 2]

    def test_numbers_may_be_named_by_their_texts(self):
        ages = Question("age", [10, 20])
        box = Survey([ages], epsilon=1, dice=[6, 6]).collector()["age"]
        box.add_counts({"10": 3, 20: 4})
        assert box.supports.tolist() == [3, 4]

    @pytest.mark.parametrize(
        ("counts", "error"),
        [
            ({"nevr": 1}, ParameterError),
            ({"never": -1}, ParameterError),
            ({"never": 1.5}, KindError),
            ({"never": True}, KindError),
            ({"never": 2**53, "daily": 1}, ParameterError),
            ([("never", 1)], KindError),
        ],
        ids=range(6),
    )
    def test_bad_counts_leave_the_box_as_it_was(self, counts, error):
        box = survey().collector()["smokes"]
        box.add_counts({"never": 2})
        before = box.to_dict()
        with pytest.raises(error):
            box.add_counts(counts)
        assert box.to_dict() == before

    def test_one_choice_under_two_names_is_refused(self):
        box = Survey([Question("age", [10, 20])], epsilon=1, dice=[6, 6]).collector()["age"]
        with pytest.raises(ParameterError, match="each choice once"):
            box.add_counts({"10": 3, 10: 4})

    def test_reports_that_name_no_single_choice_cannot_be_typed(self):
        unary = CHEATS.collector(OptimizedUnary.within(epsilon=1, length=2))
        text = TextQuestion("homepage")
        for box in (unary, text.collector(text.mechanism(epsilon=4))):
            with pytest.raises(UnsupportedError, match="no single choice"):
                box.add_counts({"no": 1})


@pytest.mark.usefixtures("given_coins")
def test_a_class_that_rolls_dice_is_estimated():
    """Intervals hold for a class of which everybody rolls: 95 of 100 times, by a wide margin of luck."""
    asked, held, times = Survey([CHEATS], epsilon=1, dice=[6, 6]), 0, cases(60, 300)
    form = asked["cheats"]
    table = Table(form, [6, 6])
    for _ in range(times):
        ticks = Counter({"no": 0, "yes": 0})
        for place in [0] * 200 + [1] * 100:
            cell = table.cells[below(36, SYSTEM)]
            ticks[CHEATS.choices[place if cell is None else cell]] += 1
        box = asked.collector()["cheats"]
        box.add_counts(ticks)
        held += box.estimate()["yes"].low <= 1 / 3 <= box.estimate()["yes"].high
    assert held >= 0.86 * times


class TestCommandLine:
    @pytest.fixture
    def folder(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "survey.toml").write_text(
            'epsilon = 2\ndice = [6, 6]\n[[questions]]\nname = "cheats"\nchoices = ["no", "yes"]\n'
            '[[questions]]\nname = "smokes"\nchoices = ["never", "daily"]\n'
        )
        return tmp_path

    def test_from_a_sheet_to_an_estimate(self, folder):
        said = ok("survey", "sheet", "survey.toml", "--people", "30", "--out", "sheet.html", "--size", "Letter")
        assert "± 42.1" in said
        assert "size: letter" in (folder / "sheet.html").read_text(encoding="utf-8")
        ok("survey", "tally", "survey.toml", "cheats", "no=52", "yes=31", "--out", "box.json")
        told = ok("survey", "estimate", "box.json")
        assert "83 reports" in told
        assert "smokes: no reports" in told

    @pytest.mark.parametrize(
        "counts",
        [
            ["no=1"],
            ["cheats", "no=x"],
            ["cheats", "no=1", "no=2"],
            ["cheat", "no=1"],
            ["cheats", "cheats"],
            ["cheats", "no=-1"],
        ],
        ids=" ".join,
    )
    def test_what_was_not_meant_is_not_counted(self, folder, counts):
        done = run("survey", "tally", "survey.toml", *counts, "--out", "box.json")
        assert_one_line(done, 2)
        assert not (folder / "box.json").exists()

    def test_a_box_is_never_overwritten(self, folder):
        for code in (0, 2):
            done = run("survey", "tally", "survey.toml", "cheats", "no=1", "--out", "box.json")
            assert done.exit_code == code
