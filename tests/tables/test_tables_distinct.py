"""Distinct values: what one person brings is bounded, and what is counted once is one value on every engine."""

import itertools
import sqlite3
from decimal import Decimal
from fractions import Fraction

import pandas as pd
import pyarrow as pa
import pytest
import tables_reference as reference
from tables_totals import exact
from tiers import cases

from discreet import ParameterError
from discreet.errors import KindError
from discreet.tables import Bounding, Distinct, People, Ratio, Rows, Table
from discreet.tables.release import InTurn

ibis = pytest.importorskip("ibis")

SALT = bytes(range(16))
PLANS = [
    Bounding(Distinct("product", most), person="id", by=by, max_groups=groups, keys=keys, salt=SALT)
    for most in (1, 2)
    for by, groups, keys in (("city", 1, None), ("city", 2, None), ("city", 1, ["a", "b"]), ((), 1, None))
]


def people(rows, keys=None):
    """A table of (person, city, product)."""
    return [dict(zip(("id", "city", "product"), row, strict=True)) for row in rows]


@pytest.mark.parametrize("plan", PLANS, ids=lambda p: f"{p.aggregates[0].most}-{p.by}-{p.max_groups}-{p.keys}")
def test_of_all_small_tables_no_person_changes_more_than_the_map_says_and_one_as_much(plan):
    """Every set of rows of one person, beside every set of few rows of two others: a value may be anybody's."""
    own = [(1, city, product) for city in "ab" for product in "xyz"]
    others = [(who, city, product) for who in (2, 3) for city in "ab" for product in "xy"]
    bound, seen = plan.sensitivity(plan.aggregates[0]), []
    beside = [some for size in range(3) for some in itertools.combinations(others, size)]
    for some in beside[:: cases(3, 1)]:
        before = reference.result(plan, people(some), SALT)
        before = before if isinstance(before, dict) else dict(enumerate(before))
        for size in range(1, len(own) + 1):
            for mine in itertools.combinations(own, size):
                after = reference.result(plan, people([*some, *mine]), SALT)
                after = after if isinstance(after, dict) else dict(enumerate(after))
                far = [after.get(key, 0) - before.get(key, 0) for key in {*before, *after}]
                assert min(far, default=0) >= 0
                seen.append((sum(x > 0 for x in far), sum(far), max(far, default=0)))
    assert tuple(map(max, zip(*seen, strict=True))) == tuple(bound)


def test_the_engine_brings_what_the_reference_brings():
    rows = people([(i % 40, f"c{i * i % 7}", f"p{i * 7 % 31}") for i in range(900)])
    for plan in PLANS:
        assert exact(plan, ibis.memtable(rows)) == reference.result(plan, rows, SALT)


def test_all_values_are_counted_where_people_bring_all_and_once_each():
    rows = people([(i % 50, "a", f"p{i % 20}") for i in range(1000)])
    plan = Bounding(Distinct("product", 20), person="id", by="city", salt=SALT)
    assert exact(plan, ibis.memtable(rows)) == {"a": 20}


def test_people_bring_different_values():
    """Were the order the same for all, a thousand people would bring the same one of a hundred values."""
    rows = people([(i, "a", f"p{j}") for i in range(1000) for j in range(100)])
    (found,) = exact(Bounding(Distinct("product"), person="id", salt=SALT), ibis.memtable(rows))
    assert found > 90


@pytest.mark.parametrize("name", ["COLLATE NOCASE", "COLLATE RTRIM", ""])
def test_texts_that_a_collation_takes_for_equal_are_different_values(tmp_path, name):
    path = tmp_path / "d.sqlite"
    with sqlite3.connect(path) as made:
        made.execute(f"CREATE TABLE d (id INTEGER, product TEXT {name})")
        made.executemany("INSERT INTO d VALUES (?, ?)", [(1, "a"), (2, "A"), (3, "a "), (4, "a"), (5, None)])
    table = ibis.sqlite.connect(path).table("d")
    assert exact(Bounding(Distinct("product"), person="id"), table) == [3]


def test_values_are_told_apart_as_keys_are():
    floats = [0.0, -0.0, float("nan"), None, 1.0, 1.0 + 2**-52, float("inf")]
    tenths = [Decimal("1.1"), Decimal("1.10"), Decimal("1.100"), None, *[Decimal(2)] * 3]
    rows = pa.table({"id": range(7), "x": pa.array(floats, pa.float64()), "d": pa.array(tenths, pa.decimal128(9, 6))})
    for column, many in (("x", 4), ("d", 2)):
        assert exact(Bounding(Distinct(column), person="id"), ibis.memtable(rows)) == [many]


def test_a_value_that_is_missing_counts_for_no_column_and_an_empty_text_is_one():
    rows = pd.DataFrame({"id": [1, 2, 3], "product": ["", None, "x"]})
    plan = Bounding([People(), Distinct("product"), Rows()], person="id")
    assert [total.tolist() for total in plan(ibis.memtable(rows)).columns] == [[2], [2], [2]]


def test_private_groups_are_shown_by_their_people_and_not_by_how_many_values_they_have():
    rows = pd.DataFrame({"id": range(2000), "city": "Rome", "product": ["a", "b"] * 1000})
    groups = Table(rows, person="id").group_by("city")
    answer = groups.release(Distinct("product"), epsilon=2, delta="1e-6", max_groups=1)
    assert answer.keys == [("Rome",)]
    assert list(answer.columns) == ["people", "distinct values of product"]
    assert answer.receipt.asked == (Distinct("product"),)
    assert {"kind": "distinct", "column": "product", "most": 1}.items() <= answer.receipt.asked[0].to_dict().items()


def test_noise_is_for_as_many_values_as_a_person_brings_and_the_interval_covers():
    rows = pd.DataFrame({"id": range(300), "product": [f"p{i}" for i in range(300)]})
    answer = Table(rows, person="id").release(Distinct("product", 5), epsilon=1)
    assert answer.noise["distinct values of product"].law.scale * Fraction(19, 20) == 5
    low, high = answer.interval("0.999999999999", "distinct values of product")
    assert low[0] <= 300 <= high[0]


def test_a_ratio_may_be_of_distinct_values():
    rows = pd.DataFrame({"id": [1, 1, 2], "product": ["a", "b", "b"], "n": 1})
    plan = Bounding([People(), Ratio(Distinct("product", 2), People())], person="id")
    assert [total.tolist() for total in plan(ibis.memtable(rows)).columns] == [[2], [2]]
    assert plan.sensitivity(plan.aggregates[1]) == (1, 2, 2)


def test_the_loss_is_that_of_the_noise_at_what_a_person_brings():
    plan = Bounding(Distinct("product", 3), person="id", by="city", max_groups=2, keys=["a", "b", "c"], salt=SALT)
    turn = InTurn.within(plan, epsilons=[1])
    assert turn.parts[0].mechanism.scale == 6
    assert (plan >> turn).privacy_map(1) == 1.0


def test_what_does_not_fit_is_refused_before_anything():
    table = Table(pd.DataFrame({"id": [1], "product": ["a"], "tags": [["a"]]}), person="id")
    with pytest.raises(ParameterError, match="most"):
        Distinct("product", 0)
    with pytest.raises(KindError, match="column"):
        Distinct(3)
    with pytest.raises(ParameterError, match="most=2: need 1, where each row is a person"):
        Table(pd.DataFrame({"product": ["a"]}), person=None).release(Distinct("product", 2), epsilon=1)
    with pytest.raises(KindError, match="tags"):
        table.release(Distinct("tags"), epsilon=1)
    with pytest.raises(ParameterError, match="product"):
        table.release(Distinct("prodct"), epsilon=1)
    with pytest.raises(ParameterError, match="people, or the sum"):  # Numbers of distinct values do not add up.
        table.publish([[], ["product"]], epsilon=1, keys={"product": ["a"]}, of=Distinct("id"))


def test_the_share_of_values_that_nobody_brings_for_their_person_is_learned():
    rows = pd.DataFrame({"id": [i for i in range(3000) for _ in range(4)], "product": [*"abcd"] * 3000})
    table = Table(rows, person="id")
    answer = table.release(Distinct("product", 3), epsilon=4000)
    assert 0.249 < answer.left_out.low <= 0.25 <= answer.left_out.high < 0.251  # Of 4 values 3 are kept.
    assert any("max_values = 3 left out" in line and "of people's values" in line for line in answer.remarks)
    assert "what share of people's values" in " ".join(table.explain(Distinct("product", 3), epsilon=4).notes)
    assert answer.receipt.bounds == {"max_values": 3}


def test_an_explanation_says_that_values_are_missed():
    table = Table(pd.DataFrame({"id": [1], "product": ["a"]}), person="id")
    said = " ".join(table.explain(Distinct("product", 2), epsilon=1).notes)
    assert "at most 2 of their distinct values of product" in said
    assert "bias, not noise" in said
