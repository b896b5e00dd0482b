"""Bounds that are learned: one meaning on every engine, what a person may change, what is charged, what is refused."""

import itertools
import json
import math
import random
import re
from fractions import Fraction

import pandas as pd
import pytest
import tables_engines
import tables_reference as reference
from tiers import cases

from discreet import Integers, Ledger, ParameterError, UnsupportedError, Vectors
from discreet.metrics import Sensitivity
from discreet.tables import Bounding, Mean, People, Quantile, StandardDeviation, Sum, Table, Variance
from discreet.tables.aggregates.values import AUTO
from discreet.tables.extents import Extents, InBounds, within
from discreet.tables.powers import BINS, LEAST, Powers, ends_of
from discreet.tables.ready import Question
from discreet.tables.release import InTurn

ibis = pytest.importorskip("ibis")

SALT = bytes(range(16))
SCHEMA = ibis.schema({"id": "int64", "city": "string", "amount": "float64", "units": "int64"})
EDGES = [
    sign * 2.0**e * near for sign, e, near in itertools.product((1, -1), (-33, -32, -1, 0, 6, 64, 65), (1, 1 + 2**-52))
]
VALUES = [*EDGES, 0.0, -0.0, 1e-300, 5e-324, 1e300, float("inf"), float("-inf"), float("nan"), None, 3.5, -17.0]
UNITS = [0, 1, -1, 2, 3, 64, 65, 2**62, 2**63 - 1, -(2**63), None]
SURE = 10**8
VALUE, TOTAL = Mean("amount", "auto", "auto"), Sum("amount", "auto", "auto")


@pytest.fixture(scope="module", params=[each for each in tables_engines.parameters() if each.values != ("pyspark",)])
def engine(request, tmp_path_factory):
    found, stop = tables_engines.start(request.param, tmp_path_factory.mktemp(request.param))
    yield found
    stop()


def rows(seed, size):
    pick = random.Random(seed)
    few = pick.sample(VALUES, 9)
    pools = {"id": [1, 2, 3, 4, 7, -9, None], "city": ["a", "b", "c", None], "amount": few, "units": UNITS}
    return [{name: pick.choice(pool) for name, pool in pools.items()} for _ in range(size)]


def extents(of, **given):
    plan = {"person": "id", "by": "city", "salt": SALT} | given
    return Extents.within(Bounding((), **plan), of, Fraction(1))


PLANS = [
    extents(VALUE),
    extents(TOTAL),
    extents(TOTAL, by=()),
    extents(VALUE, person=None, by=()),
    extents(TOTAL, person=None),
    extents(Sum("units", "auto", "auto"), keys=["a", None]),
    extents(Mean("units", "auto", "auto"), by=(), where="city = 'a'"),
]


def counted(plan, table):
    question = Question.of(table, SALT, plan.expression(table, SALT))
    return plan.counts(table, question).tolist()


@pytest.mark.parametrize("plan", PLANS, ids=range(len(PLANS)))
def test_counts_are_those_of_plain_python_on_every_engine(engine, plan):
    for seed in range(cases(1, 4)):
        data = rows(seed, 60)
        where = None if plan.bounding.where is None else lambda row: row["city"] == "a"
        sums = plan.of.kind == "sum"
        expected = reference.extents(plan.bounding, engine.seen(data), SALT, sums=sums, where=where)
        assert counted(plan, engine.load(SCHEMA, data)) == expected


@pytest.mark.parametrize("name", [pytest.param("pyspark", marks=tables_engines.marks("pyspark"))])
def test_and_on_spark(name, tmp_path):
    engine, stop = tables_engines.start(name, tmp_path)
    data = rows(1, 60)
    assert counted(PLANS[1], engine.load(SCHEMA, data)) == reference.extents(PLANS[1].bounding, data, SALT, sums=True)
    stop()


@pytest.mark.parametrize("plan", PLANS[:5], ids=range(5))
def test_a_person_changes_the_counts_by_two_in_all_and_at_most(plan):
    most = 0
    for seed in range(cases(25, 150)):
        data = rows(seed, 25)
        whole = reference.extents(plan.bounding, data, SALT, sums=plan.of.kind == "sum")
        people = {row["id"] for row in data} if plan.bounding.person else range(len(data))
        for who in people:
            left = [row for i, row in enumerate(data) if (row["id"] if plan.bounding.person else i) != who]
            other = reference.extents(plan.bounding, left, SALT, sums=plan.of.kind == "sum")
            most = max(most, sum(abs(a - b) for a, b in zip(whole, other, strict=True)))
    assert most == 2
    assert plan.loss(3) == plan.mechanism.loss(6)
    assert plan.privacy_map(1) == 1.0


def test_bins_hold_the_values_between_their_ends_and_the_sums_of_them():
    for value in [*EDGES, 3.5, -17.0, 0.0]:
        low, high = ends_of(reference.power(value))
        assert (abs(value) > 2**64) or low <= Fraction(value) <= high
    for many in (1, 2, 3, 4, 5, 1000):
        more = (many - 1).bit_length()
        assert 2 ** (more - 1) < many <= 2**more


@pytest.mark.parametrize("kind", [Sum, Mean])
@pytest.mark.parametrize(("low", "high"), [("auto", "auto"), (0, "auto"), ("auto", 0)])
def test_the_noise_in_steps_is_the_same_whatever_is_found(kind, low, high):
    of = kind("x", low, high)
    powers = [0, *(Fraction(2) ** e for e in range(-32, 65, cases(8, 1)))]
    ends = sorted({sign * power for sign in (1, -1) for power in powers})
    for least, greatest in itertools.combinations_with_replacement(ends, 2):
        found = of.learned({of.learns[0]: (least, greatest)})
        a, b = found.span
        assert found.most == of.most
        assert not found.learns
        assert low != 0 or a == 0
        assert high != 0 or b == 0
        if low == high == "auto":
            assert a <= least
            assert greatest <= b
            assert max(-a, b) == max(-least, greatest, LEAST)


def test_what_is_charged_is_the_extents_and_the_release():
    bounding = Bounding([People(), TOTAL], person="user", by="city", max_groups=2)
    turn = InTurn.within(bounding, epsilons=[Fraction(1, 4), Fraction(1, 2)], delta=Fraction("1e-6"))
    both = InBounds((Extents.within(bounding, TOTAL, Fraction(1, 4)),), turn)
    alone = turn.loss(1)
    assert both.loss(1).epsilon == alone.epsilon + Fraction(1, 4)
    assert both.event(1).epsilon == 1
    found = within(turn, {TOTAL: (Fraction(-3), Fraction(8))})
    assert [part.mechanism for part in found.parts] == [part.mechanism for part in turn.parts]
    assert found.privacy_map(1) == turn.privacy_map(1)
    assert found.bounding.aggregates[1] == Sum("amount", -8, 8)


def frame(people=3000, value=lambda i: 20.0 + i % 70):
    users = [i for i in range(people) for _ in range(1 + i % 3)]
    return pd.DataFrame({"user": users, "city": [["Rome", "Bari"][i % 2] for i in users], "age": map(value, users)})


@pytest.mark.usefixtures("given_coins")
def test_a_release_within_bounds_that_are_learned_is_that_within_the_same_bounds_given():
    book = Ledger.in_memory(epsilon=3 * SURE, delta="1e-6", accountant="plain")
    table = Table(frame(), person="user", ledger=book)
    asked = [Sum("age", "auto", "auto"), Mean("age", 0, "auto"), People()]
    given = [Sum("age", 0, 512), Mean("age", 0, 128), People()]
    groups = table.group_by("city", keys=["Rome", "Bari"])
    one, other = (groups.release(*each, epsilon=SURE, max_groups=1, left_out=0) for each in (asked, given))
    assert one.columns == other.columns
    assert [column.aggregate for column in one.released] == [column.aggregate for column in other.released]
    assert [entry.epsilon for entry in book.entries()] == [SURE, SURE]
    said = one.receipt.to_dict()
    assert said["shares"]["bounds of age"] == "1/14"
    assert said["shares"]["mean of age"] == "2/7"
    assert [each.get("high") for each in said["found"]["aggregates"]] == ["512", "128", None]
    assert (
        "Bounds were learned for mean of age. What is below 0 counts as 0, and what is above 128 as 128." in one.remarks
    )
    weighed = groups.explain(*asked, epsilon=1, max_groups=1, left_out=0, weights={"bounds of age": 2})
    assert weighed.receipt.to_dict()["shares"]["bounds of age"] == "8/21"
    assert weighed.event.epsilon == 1


@pytest.mark.parametrize("ends", ["1/2", 0])
@pytest.mark.parametrize("at", [(0.5,), (0.1, 0.5, 0.9)])
def test_a_quantile_within_bounds_that_are_learned_has_as_many_bins_and_the_same_noise_whatever_they_are(at, ends):
    for low, high in ((AUTO, AUTO), (0, AUTO), (AUTO, 0)):
        asked = Quantile("age", *at, low=low, high=high, ends=ends, name="q")
        assert asked.learns == (Mean("age", AUTO, AUTO),)
        laws = asked.laws(Vectors(Integers(), size=1), Sensitivity(1, 1, 1), Fraction(1), Fraction(0), "auto")
        for found in itertools.product([-(2**63), -1, Fraction(-1, 2**32), 0], [0, Fraction(1, 2**32), 1, 2**63]):
            known = asked.learned({asked.learns[0]: tuple(map(Fraction, found))})
            assert (known.bins, known.at, known.ends_share, known.name) == (asked.bins, asked.at, asked.ends_share, "q")
            assert (
                known.laws(Vectors(Integers(), size=1), Sensitivity(1, 1, 1), Fraction(1), Fraction(0), "auto") == laws
            )
            assert known.low <= max(found[0], -(2**61)) or low == 0
            assert known.learned({}) is known


@pytest.mark.usefixtures("given_coins")
def test_quantiles_learn_their_bounds_within_the_question_on_one_charge():
    book = Ledger.in_memory(epsilon=3 * SURE, delta="1e-6", accountant="plain")
    groups = Table(frame(), person="user", ledger=book).group_by("city", keys=["Rome", "Bari"])
    asked = [Quantile("age", 0.5, low=0, high="auto"), Mean("age", 0, "auto")]
    answer = groups.release(*asked, epsilon=SURE, max_groups=1, left_out=0)
    assert answer["median of age"].aggregate == Quantile("age", 0.5, low=0, high=128)
    ages = frame().groupby("user").first().groupby("city").age.median()
    low, high = answer.interval(column="median of age")
    for i, (city,) in enumerate(answer.keys):
        assert abs(answer.columns["median of age"][i] - ages[city]) <= 2
        assert low[i] <= ages[city] + 1
        assert ages[city] - 1 <= high[i]
    assert [entry.epsilon for entry in book.entries()] == [SURE]
    assert answer.receipt.to_dict()["shares"]["bounds of age"] == "1/13"
    said = " ".join(groups.explain(asked[0], epsilon=1, max_groups=1).notes)
    assert "Bounds of age are learned first" in said
    assert "share of the bound" not in said


BIAS = "Clipping to bounds is a bias, which the noise intervals do not include."


@pytest.mark.usefixtures("given_coins")
def test_that_clipping_is_a_bias_is_said_once_and_that_bounds_were_learned_on_the_page_too():
    table = Table(frame(), person="user")
    for asked in ([Mean("age", 0, "auto")], [Sum("age", 0, 9), Mean("age", 0, "auto")], [Mean("age", 0, 9)]):
        answer = table.release(*asked, epsilon=SURE)
        assert [text.count(BIAS) for text in (str(answer), answer.to_html().split("The budget")[0])] == [1, 1]
        assert BIAS in dict(answer.statements)["bias"]
        learned = "Bounds were learned for mean of age. What is below 0 counts as 0, and what is above 128 as 128."
        assert (learned in str(answer)) == (learned in answer.to_html()) == any(each.learns for each in asked)
    assert BIAS not in str(table.count_people(epsilon=1)) + table.count_people(epsilon=1).to_html()


def test_what_is_explained_of_bounds_to_be_learned_is_a_share_of_them():
    table = Table(frame(), person="user")
    said, given = (table.explain(Mean("age", 0, high), epsilon=1) for high in ("auto", 1))
    assert "noise at 100" in str(said)
    assert "±8.86 % of the bound  ±0.822 % of the bound" in str(said)
    assert "% of" not in str(given)
    assert "% of the bound squared" in str(table.explain(Variance("age", 0, "auto"), epsilon=1))
    deviation = str(table.explain(StandardDeviation("age", 0, "auto"), epsilon=1))
    assert "% of the bound" in deviation
    assert "squared" not in deviation
    private = table.group_by("city").explain(Sum("age", 0, "auto"), epsilon=1, delta="1e-6", max_groups=1)
    assert re.search("Noise of sum of age: laplace, for .* [(]laplace 335 % of the bound; gaussian", str(private))
    assert "±710 % of the bound" in str(private)
    assert "% of" not in str(table.explain(Quantile("age", 0.5, low=0, high="auto"), epsilon=1))


@pytest.mark.usefixtures("given_coins")
def test_several_quantiles_say_once_which_bounds_were_learned():
    asked = Quantile("age", 0, 0.5, low=0, high="auto")
    answer = Table(frame(), person="user").release(asked, epsilon=SURE)
    said = [remark for remark in answer.remarks if remark.startswith("Bounds were learned for least value, median of")]
    assert len(said) == 1
    assert said[0].count("what is above 128 as 128") == 1
    assert "noise hides them" in said[0]


@pytest.mark.usefixtures("given_coins")
def test_what_cannot_be_learned_is_refused_charged_and_not_taken_for_a_failure(tmp_path):
    frame(3).to_csv(tmp_path / "few.csv", index=False)
    book = Ledger(tmp_path / "books.db", epsilon=3)
    table = Table(tmp_path / "few.csv", person="user", ledger=book, version="1")
    suggestion = table.suggest_bounds("age", epsilon=1)
    assert (suggestion.low, suggestion.high, suggestion.to_rows()) == (None, None, [])
    assert "Nothing could be learned" in str(suggestion)
    assert "epsilon 1 spent" in str(suggestion)
    for paid in ("epsilon 1 spent", r"free: kept answer of entry \d"):
        with pytest.raises(UnsupportedError, match=f"nothing could be learned about bounds of age: .*; {paid}"):
            table.mean("age", low="auto", high="auto", epsilon=1)
    assert [entry.epsilon for entry in book.entries() if entry.kind == "charge"] == [1, 1]
    assert "failed" not in [entry.kind for entry in book.entries()]


@pytest.mark.usefixtures("given_coins")
def test_the_same_question_has_the_same_bounds_and_figures_again(tmp_path):
    frame(9000).to_csv(tmp_path / "ages.csv", index=False)
    book = Ledger(tmp_path / "books.db", epsilon=3)
    table = Table(tmp_path / "ages.csv", person="user", ledger=book, version="1")
    first, again = (table.sum("age", low=0, high="auto", epsilon=1) for _ in range(2))
    assert (first.columns, first["sum"].aggregate) == (again.columns, again["sum"].aggregate)
    assert again.receipt.kept
    assert book.spent.epsilon == 1
    told, twice = (table.suggest_bounds("age", epsilon="0.5") for _ in range(2))
    assert (told.powers, book.spent.epsilon) == (twice.powers, Fraction(3, 2))
    assert json.dumps(told.receipt.to_dict())
    assert (int(told.low), int(told.high)) == (16, 128)


@pytest.mark.parametrize(
    ("given", "need"),
    [
        ({}, 'low=None: need low and high, known without the data: .*; or "auto", .*; suggest_bounds'),
        ({"low": 0}, "high=None: need low and high"),
        ({"low": "auto"}, "high=None: need low and high"),
        ({"low": 3, "high": "auto"}, 'low=3: need "auto" or 0'),
        ({"low": "auto", "high": 3}, 'high=3: need "auto" or 0'),
        ({"low": "auto", "high": "auto", "grid": 1}, 'grid=1: need none, where bounds are "auto"'),
    ],
)
def test_bounds_that_are_missing_or_do_not_fit_are_refused_in_words(given, need):
    for kind in (Sum, Mean):
        with pytest.raises(ParameterError, match=need):
            kind("age", **given)
    with pytest.raises(ParameterError, match=need):
        Table(frame(9), person="user").sum("age", epsilon=1, **given)


def test_only_one_of_max_groups_and_bounds_is_auto():
    groups = Table(frame(9), person="user").group_by("city", keys=["Rome"])
    with pytest.raises(ParameterError, match="max_groups='auto': need a number, where bounds are \"auto\", too"):
        groups.sum("age", low=0, high="auto", epsilon=1, max_groups="auto")


def test_an_empty_bin_is_taken_for_one_with_people_with_a_probability_of_one_in_a_thousand_million():
    powers = Powers((0,) * (2 * BINS + 1), PLANS[0].mechanism.noise)
    q = math.exp(-1 / 2)
    beyond = q ** (powers.threshold + 1) / (1 + q)
    assert 1e-10 < beyond * (2 * BINS + 1) < 1e-9
    assert powers.bounds is None
    at = [0] * (2 * BINS + 1)
    at[BINS + 34], at[BINS + 36] = powers.threshold + 1, powers.threshold
    assert Powers(tuple(at), powers.noise).bounds == (1, 2)
