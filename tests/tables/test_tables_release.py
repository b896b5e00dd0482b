"""Several aggregates at once: one query, one bound, one list of groups, one charge; and each as exact as alone."""

import itertools
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
import tables_reference as reference
import tiers
from answer_forms import with_ends

from discreet import DiscreetError, IntegerLaplace, LaplaceThreshold, Ledger
from discreet.coins import SYSTEM
from discreet.tables import Bounding, Mean, People, Rows, Sum, Table, ready
from discreet.tables.engines.duckdb import DuckDB
from discreet.tables.release import InTurn
from discreet.tables.spread import Sizes

SALT = bytes(range(32))
SURE = 10**14
"""An epsilon at which noise is 0, but for a probability that has thousands of zeros."""
AMOUNT, UNITS = Sum("amount", "-2.5", 10, "1/4"), Mean("units", 0, 8, 1)
CITIES = ["Bath", "Brig", "Rome", None]
ASKED = {
    "all": [People(), Rows(2), AMOUNT, UNITS],
    "values": [AMOUNT, Sum("units", 0, 3, 1)],
    "mean first": [UNITS, Mean("amount", 0, 4, "1/2"), People(name="visitors")],
    "rows and a sum": [Rows(3), AMOUNT],
    "people last": [AMOUNT, People()],
}
GROUPS = {"none": ((), None), "private": (("city",), None), "known": (("city",), CITIES)}
each_question = tiers.crossed(2, asked=ASKED.values(), groups=GROUPS)


def rows(seed=1, size=400):
    pick = random.Random(seed)
    pools = {
        "id": [*range(60), None],
        "city": CITIES,
        "amount": [0.0, 1.0, 3.14, -7.5, 1e300, float("nan"), None, 2.625],
        "units": [0, 5, 7, -1, 2**40, None],
    }
    return [{name: pick.choice(pool) for name, pool in pools.items()} for _ in range(size)]


SCHEMA = pa.schema({"id": pa.int64(), "city": pa.string(), "amount": pa.float64(), "units": pa.int64()})


def table(data=None, book=None):
    return Table(pa.Table.from_pylist(rows() if data is None else data, schema=SCHEMA), person="id", ledger=book)


def ask(source, asked, groups, *, epsilon=1, noise="auto", **more):
    by, keys = GROUPS[groups]
    if not by:
        return source.release(*asked, epsilon=epsilon, **more)
    delta = {"delta": "1e-6"} if keys is None else {}
    return source.group_by(*by, keys=keys).release(*asked, epsilon=epsilon, max_groups=2, noise=noise, **delta, **more)


@pytest.fixture
def salted(monkeypatch):
    """Plans draw a salt that the reference engine knows."""

    class Coins:
        words = staticmethod(lambda n: np.frombuffer(SALT, np.uint64)[:n])

    monkeypatch.setattr(ready, "SYSTEM", Coins)


@pytest.fixture
def queries(monkeypatch):
    """How often an engine is asked."""
    seen, answer = [], DuckDB.read
    monkeypatch.setattr(DuckDB, "read", lambda *query: [seen.append(query), answer(*query)][1])
    return seen


@pytest.mark.usefixtures("salted")
@each_question
def test_without_noise_all_columns_are_the_reference_engines_by_one_query(asked, groups, queries):
    data = rows()
    answer = ask(table(data), asked, groups, epsilon=SURE)
    assert len(queries) == 1
    by, keys = GROUPS[groups]
    plan = Bounding([*asked, People(name="counted")], person="id", by=by, max_groups=2, keys=keys)
    found = [reference.result(plan, data, SALT, place=place) for place in range(len(plan.aggregates))]
    shown = [key[0] if by else () for key in answer.keys]
    if groups == "private":
        assert sorted(shown, key=str) == sorted(found[-1], key=str)  # All are above the threshold.
        assert shown == sorted(shown, key=lambda key: (key is not None, key))
    else:
        found = [dict(zip(keys or [()], column, strict=True)) for column in found]
        assert shown == list(keys or [()])
    for place, aggregate in enumerate(asked):
        for key, value in zip(shown, answer.columns[aggregate.label], strict=True):
            steps, people = found[place][key], found[-1][key]
            if aggregate.needs:
                middle = (aggregate.low + aggregate.high) / 2
                assert value == float(middle + steps * aggregate.unit / people)
            else:
                assert Fraction(value) == steps * aggregate.unit


@each_question
def test_what_is_charged_is_what_each_column_loses(asked, groups):
    """Written out: in how many groups a person is, times what they add, over the scale of each column's noise."""
    book = Ledger.in_memory(epsilon=1, delta="1e-6", release_delta="1e-6")
    answer = ask(
        table(book=book), asked, groups, epsilon="7/10", noise="laplace", left_out=0 if groups != "none" else None
    )
    many = 2 if groups != "none" else 1
    part = Fraction(19, 20) if groups == "none" and asked[0].rows else Fraction(1)  # Rows are bounded without groups.
    most = {"people": 1, "visitors": 1, "rows": asked[0].rows or 2}
    most |= {"sum of amount": 40, "sum of units": 3, "mean of units": 8, "mean of amount": 8}
    spent = {label: many * most[label] / noise.law.scale for label, noise in answer.noise.items()}
    assert sum(spent.values()) == part * Fraction(7, 10)
    assert len(set(spent.values())) == 1  # Equal shares.
    assert book.spent.epsilon == answer.receipt.epsilon == Fraction(7, 10)
    assert book.spent.delta == answer.receipt.delta
    assert (book.spent.delta > 0) == (groups == "private")
    thresholds = [noise.threshold for noise in answer.noise.values() if noise.threshold is not None]
    assert len(thresholds) == (groups == "private")


@each_question
def test_the_noise_that_is_drawn_is_the_noise_that_is_said(asked, groups, monkeypatch):
    seen = []
    for kind, name in ((IntegerLaplace, "sample"), (LaplaceThreshold, "keep")):
        draw = getattr(kind, name)
        monkeypatch.setattr(kind, name, lambda m, x, coins, draw=draw: [seen.append(m), draw(m, x, coins)][1])
    answer = ask(table(), asked, groups, noise="laplace")
    drawn = {repr(mechanism) for mechanism in seen}
    assert len(seen) == len(answer.receipt.mechanisms)
    assert drawn == set(answer.receipt.mechanisms.values())
    scales = sorted(
        mechanism.scale for mechanism in seen if mechanism.scale in [n.law.scale for n in answer.noise.values()]
    )
    assert len(scales) >= len(answer.noise)


@pytest.mark.parametrize(
    "weights", [{"people": 3}, {"sum of amount": "1/2", "people": 1}, {"mean of units": 9}], ids=str
)
def test_weights_divide_epsilon_in_the_noise_and_in_the_receipt(weights):
    asked = [People(), AMOUNT, UNITS]
    answer = ask(table(), asked, "private", weights=weights, left_out=0, noise="laplace")
    given = {"people": 1, "sum of amount": 1, "mean of units": 1} | {k: Fraction(v) for k, v in weights.items()}
    shares = {label: Fraction(weight) / sum(map(Fraction, given.values())) for label, weight in given.items()}
    assert answer.receipt.to_dict()["shares"] == {label: str(share) for label, share in shares.items()}
    for label, most in (("people", 1), ("sum of amount", 40), ("mean of units", 8)):
        assert 2 * most / answer.noise[label].law.scale == shares[label]


@pytest.mark.parametrize(
    ("asked", "labels"),
    [
        ([AMOUNT, UNITS, Mean("amount", 0, 1)], ["people", "sum of amount", "mean of units", "mean of amount"]),
        ([UNITS, People()], ["mean of units", "people"]),
        ([Rows(2), AMOUNT], ["rows", "sum of amount"]),
        ([Rows(2), UNITS], ["people", "rows", "mean of units"]),
    ],
    ids=lambda x: str(len(x)),
)
def test_the_number_of_people_is_released_once(asked, labels):
    answer = ask(table(), asked, "private")
    assert list(answer.columns) == labels
    lists = [label for label, noise in answer.noise.items() if noise.threshold is not None]
    assert lists == (["people"] if "people" in labels else ["rows"])
    assert [column.asked for column in answer.released].count(False) == len(labels) - len(asked)


def test_what_is_left_out_is_said_of_the_first_aggregate():
    data = [{"id": i % 300, "city": CITIES[i % 3], "amount": 1.0, "units": 1} for i in range(3000)]
    first, second = (
        ask(table(data), asked, "private", epsilon=SURE) for asked in ([Rows(2), AMOUNT], [AMOUNT, Rows(2)])
    )
    assert "max_groups = 2 and max_rows = 2 left out" in first.bias
    assert "people's rows" in first.bias
    assert "max_groups = 2 left out" in second.bias
    assert "people's groups" in second.bias
    truth = 1 - sum(min(n, 2) for n in [1] * 300) / 300
    assert second.left_out.low <= truth <= second.left_out.high


@pytest.mark.parametrize(
    ("asked", "more", "need"),
    [
        ([], {}, "at least one aggregate"),
        (["people"], {}, "aggregates, such as People"),
        ([People], {}, "aggregates, such as People"),
        ([AMOUNT, AMOUNT], {}, "different name"),
        ([AMOUNT, Sum("units", 0, 1, name="people")], {}, "different name"),
        ([People(), People()], {}, "different name"),
        ([Sum("amuont", 0, 1)], {}, "did you mean 'amount'"),
        ([People(), Sum("city", 0, 1)], {}, "a column of numbers"),
        ([People()], {"weights": {"poeple": 2}}, "did you mean 'people'"),
        ([People()], {"weights": {"people": 0}}, "weights above 0"),
        ([People()], {"weights": {"people": "nan"}}, "weights"),
        ([People()], {"weights": [1]}, "a dict"),
    ],
    ids=str,
)
def test_what_makes_no_sense_is_refused_before_anything_is_charged(asked, more, need):
    book = Ledger.in_memory(epsilon=9, delta="1e-3")
    with pytest.raises(DiscreetError, match=need):
        ask(table(book=book), asked, "private", **more)
    assert book.entries() == []


def test_columns_have_names_that_no_group_column_and_no_other_column_has():
    frame = pa.table({"id": [1], "people": ["a"], "noisy_people": ["b"], "x": [1.0]})
    groups = Table(frame, person="id").group_by("people", "noisy_people", keys=[("a", "b")])
    answer = groups.release(People(), Sum("x", 0, 1, name="noisy_noisy_people"), epsilon=1, max_groups=1)
    names = answer.to_arrow().column_names
    assert names[:2] == ["people", "noisy_people"]
    assert len(set(names)) == len(names) == 8
    assert set(answer.to_rows()[0]) == set(names)


def test_every_form_of_an_answer_has_every_column():
    answer = ask(table(), ASKED["all"], "known", epsilon=50)
    labels = ["people", "rows", "sum of amount", "mean of units"]
    assert list(answer.to_rows()[0]) == ["city", *with_ends(*labels)]
    assert answer.to_arrow().to_pylist() == answer.to_rows()
    assert str(answer).count("95 % noise interval") == 4
    page = answer.to_html()
    for label in labels:
        low, high = answer[label].interval("0.95")
        assert (low <= answer.columns[label]).all()
        assert (high >= answer.columns[label]).all()
        assert label in str(answer)
        assert label in page
    with pytest.raises(DiscreetError, match="column='sum'"):
        answer["sum"]


def test_an_explanation_says_what_each_column_then_has():
    answer = ask(table(), ASKED["all"], "private")
    found = table().group_by("city").explain(*ASKED["all"], epsilon=1, delta="1e-6", max_groups=2)
    assert found.receipt == replace(answer.receipt, found=None)
    for column in found[2].columns:
        noise = answer.noise[column.label]
        assert (column.deviation, column.radius) == (noise.deviation, noise.radius(Fraction(1, 20)))
        assert column.noise == answer.receipt.laws[column.label]
    assert found[2].threshold == answer.noise["people"].threshold
    assert "mean of units: noise at 100" in str(found)
    assert found.to_rows()[1]["rows radius"] == found[2].columns[1].radius


@pytest.mark.parametrize("groups", GROUPS)
def test_a_release_is_one_measurement_and_a_value(groups):
    by, keys = GROUPS[groups]
    plan = Bounding(
        [People(), AMOUNT], person="id", by=by, keys=keys, max_groups=2 if by else 1, sizes=Sizes(None, bool(by))
    )
    delta = Fraction("1e-6") if plan.private else None
    plan = plan if by else replace(plan, sizes=None)
    made = [
        InTurn.within(
            plan, epsilons=[Fraction(1, 3), Fraction(1, 2)], delta=delta, sizes=Fraction(1, 6), noise="laplace"
        ).of_tables
        for _ in "ab"
    ]
    assert made[0] == made[1]
    assert made[0].loss(1).epsilon == (1 if by else Fraction(5, 6))
    assert made[0].loss(3).epsilon == 3 * made[0].loss(1).epsilon
    released = made[0].sample(table()._ibis, SYSTEM)
    assert len(released.columns) == 2
    assert all(len(column) == len(released.keys) for column in released.columns)


@pytest.mark.parametrize("max_groups", [1, 2, 3])
def test_all_neighbours_of_all_small_tables_are_as_near_as_each_column_says(max_groups):
    """Two people, each with up to two rows in up to three groups: everything that one of them can change."""
    one = [("a", 1.0, 3), ("a", -9.0, None), ("b", 2.0, 9), ("c", None, 1)]
    sets = [c for n in range(4) for c in itertools.combinations(one, n)]
    plan = Bounding(ASKED["all"], person="id", by="city", max_groups=max_groups, sizes=Sizes())
    for mine, other in itertools.product(sets, sets):
        both = [
            dict(zip(("id", "city", "amount", "units"), (who, *r), strict=True))
            for who, rs in ((1, mine), (2, other))
            for r in rs
        ]
        fewer = [row for row in both if row["id"] == 2]
        bins = [reference.sizes(plan, data) for data in (both, fewer)]
        assert sum(abs(a - b) for a, b in zip(*bins, strict=True)) <= 1
        for place, aggregate in enumerate(plan.aggregates):
            x, y = (reference.result(plan, data, SALT, place=place) for data in (both, fewer))
            far = [abs(x.get(key, 0) - y.get(key, 0)) for key in {*x, *y}]
            l0, l1, li = plan.sensitivity(aggregate)
            assert sum(map(bool, far)) <= l0
            assert sum(far) <= l1
            assert max(far, default=0) <= li


def test_auto_chooses_for_all_columns_at_once():
    data = [{"id": i % 500, "city": CITIES[(i // 500 + i % 500) % 3], "amount": 1.0, "units": 1} for i in range(1500)]
    answer = table(data).group_by("city").release(*ASKED["all"], epsilon=400, delta="1e-6", max_groups="auto")
    assert answer.receipt.found.max_groups == 3
    assert answer.noise["people"].law.scale == 3 / (Fraction(9, 10) * 400 / 4)
