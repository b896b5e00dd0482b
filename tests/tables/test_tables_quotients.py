"""Variances, standard deviations and ratios: what they need, what they are, and what their intervals hold."""

import itertools
import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from tiers import each

from discreet import Laplace, Ledger, ParameterError
from discreet.tables import Histogram, Mean, People, Ratio, Rows, StandardDeviation, Sum, Table, Variance
from discreet.tables.aggregates import Column
from discreet.tables.noise import ColumnNoise

pytest.importorskip("ibis")

SURE = 10**13
AGES = ("age", 0, 120, 1)


def frame(people=600):
    rows = [(i, ["Rome", "Bari"][i % 2], 20 + i % 70, i % 5) for i in range(people) for _ in range(1 + i % 3)]
    return pd.DataFrame(rows, columns=["user", "city", "age", "paid"])


def groups(**given):
    return Table(frame(), person="user", **given).group_by("city", keys=["Rome", "Bari"])


def test_they_are_those_of_people_means_and_of_totals():
    asked = [Variance(*AGES), StandardDeviation(*AGES), Ratio(Sum("paid", 0, 12, 1), Rows(3))]
    answer = groups().release(*asked, epsilon=SURE, max_groups=1)
    people = frame().groupby(["city", "user"]).age.mean().groupby("city")
    told = [answer.columns[of.label] for of in asked]
    rows = frame().groupby("city")
    for i, city in enumerate(["Rome", "Bari"]):
        assert told[0][i] == pytest.approx(people.var(ddof=0)[city], abs=60**2 * 2.0**-30)
        assert told[1][i] == pytest.approx(people.std(ddof=0)[city], abs=1e-4)
        assert told[2][i] == float(rows.paid.sum()[city]) / float(rows.size()[city])
    for of, values in zip(asked, told, strict=True):
        low, high = answer.interval("0.95", of.label)
        assert all(a <= value <= b for a, value, b in zip(low, values, high, strict=True))


def test_what_they_need_is_released_once_and_is_what_is_asked_for_where_it_is():
    asked = [StandardDeviation(*AGES), Mean(*AGES, name="average"), People(name="visitors"), Variance(*AGES)]
    book = Ledger.in_memory(epsilon=1)
    answer = groups(ledger=book).release(*asked, epsilon=1, max_groups=1)
    labels = ["standard deviation of age", "average", "visitors", "variance of age"]
    assert list(answer.columns) == labels
    assert sorted(answer.receipt.to_dict()["shares"]) == sorted(labels)
    assert [each.aggregate.label for each in answer["variance of age"].needed] == ["visitors", "average"]
    assert book.spent.epsilon == 1
    alone = groups().release(Variance(*AGES), epsilon=1, max_groups=1)
    assert list(alone.columns) == ["people", "mean of age", "variance of age"]
    ratio = groups().release(Ratio(Sum("paid", 0, 12), Sum("age", 0, 360)), epsilon=1, max_groups=1)
    assert list(ratio.columns) == ["sum of age", "ratio of sum of paid to sum of age"]


REACH = [-1, Fraction(-1, 2), 0, Fraction(1, 3), 1]


@pytest.mark.parametrize("kind", [Variance, StandardDeviation])
@pytest.mark.parametrize(("low", "high"), [(0, 10), (-3, 3), (5, 6)])
def test_intervals_of_variances_hold_the_truth_where_all_noises_are_within_reach(kind, low, high):
    of = kind("x", low, high, Fraction(1, 4))
    people, mean = of.needs
    noises = [ColumnNoise(Laplace(3)), ColumnNoise(Laplace(90), mean.unit), ColumnNoise(Laplace(2**31), of.unit)]
    reach = [noise.law.radius(Fraction(1, 60)) for noise in noises]
    reach[1] = noises[1].law.radius(Fraction(1, 120))  # A mean gives half of its third to people.
    bounds = of.bounds
    narrow = 0
    samples = [[bounds[0]] * 7, [*bounds] * 900, [bounds[1]] * 4000, [bounds[0]] * 3000 + [bounds[1]] * 900]
    for sample in samples:
        n, twice = len(sample), np.array([2 * x - sum(bounds) for x in sample], float)
        squares = np.floor(twice**2 * (2**30 / (bounds[1] - bounds[0]) ** 2) + 0.5).astype(int)
        exact = [n, int(twice.sum()), int(2 * squares.sum()) - 2**30 * n]
        truth = float(np.var(np.array(sample) / 4)) ** (0.5 if kind is StandardDeviation else 1)
        signs = each(list(itertools.product(REACH, repeat=3)), 3)
        noisy = [[total + int(sign[i] * reach[i]) for sign in signs] for i, total in enumerate(exact)]
        first = Column(people, noisy[0], noises[0], drawn=noisy[0])
        second = Column(mean, mean.finish(noisy[1], [noisy[0]]), noises[1], (first,), drawn=noisy[1])
        values = of.finish(noisy[2], [first.values, second.values])
        a, b = Column(of, values, noises[2], (first, second), drawn=noisy[2]).interval("0.95")
        assert all(a <= truth + 1e-9)
        assert all(b >= truth - 1e-9)
        narrow += sum(b - a < (high - low) / 4)
    assert narrow > 20  # And not by saying nothing.


def test_intervals_of_ratios_hold_the_truth_and_are_all_numbers_where_the_second_may_be_0():
    of = Ratio(Sum("a", -10, 10, 1), Sum("b", 0, 10, 1))
    noise = ColumnNoise(Laplace(5))
    reach = noise.law.radius(Fraction(1, 40))
    signs = list(itertools.product(REACH, repeat=2))
    for top, below in itertools.product([-300, -1, 0, 77], [5, 40, 900]):
        one, two = ([total + int(sign[i] * reach) for sign in signs] for i, total in enumerate((top, below)))
        by = Column(of.denominator, two, noise, drawn=two)
        values = of.finish(one, [two])
        low, high = Column(of, values, noise, (by,), drawn=one).interval("0.95")
        assert all(low <= top / below) and all(high >= top / below)  # noqa: PT018
        wide = np.array([abs(x) <= reach for x in two])
        assert (np.isinf(low) == wide).all()
        assert (np.isinf(high) == wide).all()
    assert of.finish([3], [[0]]) == [0.0]


def test_what_is_told_beforehand_bounds_the_error():
    of = Variance(*AGES)
    noises = [ColumnNoise(Laplace(3)), ColumnNoise(Laplace(300), of.needs[1].unit)]
    errors = dict(of.errors(ColumnNoise(Laplace(2**31), of.unit), noises))
    assert errors[100] > errors[1000] > errors[10000] > 0
    assert errors[100] <= 3600
    roots = dict(StandardDeviation(*AGES).errors(ColumnNoise(Laplace(2**31), of.unit), noises))
    assert roots == {n: error**0.5 for n, error in errors.items()}
    said = groups().explain(of, StandardDeviation(*AGES), Ratio(Sum("paid", 0, 12), People()), epsilon=1, max_groups=1)
    assert "variance of age: noise at 100" in str(said)
    assert "that is told of the ratio of sum of paid to people is that of the sum of paid." in str(said)


def test_bounds_are_learned_once_for_a_mean_and_a_variance():
    asked = [Mean("age", "auto", "auto"), Variance("age", "auto", "auto"), Ratio(Sum("paid", 0, "auto"), People())]
    answer = groups().release(*asked, epsilon=SURE, max_groups=1)
    shares = answer.receipt.to_dict()["shares"]
    assert [label for label in shares if "bounds" in label] == ["bounds of age", "bounds of sums of paid"]
    assert [each.aggregate.span for each in answer.released[1:3]] == [(0, 128)] * 2
    assert answer.released[-1].aggregate.numerator == Sum("paid", 0, 16)


def test_receipts_and_files_take_them(tmp_path):
    few = Table(frame(2), person="user").release(Ratio(Sum("paid", 0, 12), People()), epsilon="0.01")
    assert json.loads(json.dumps(few.receipt.to_dict()))["aggregates"][0]["denominator"] == {
        "name": "people",
        "kind": "people",
    }
    few.save(tmp_path / "few.json")
    few.to_html(tmp_path / "few.html")
    assert "ratio of sum of paid to people" in str(few)


@pytest.mark.parametrize(
    ("make", "need"),
    [
        (lambda: Variance("age"), "low=None: need low and high"),
        (lambda: Variance("age", 5, 5), "high=5: need low < high"),
        (lambda: Ratio(Mean(*AGES), People()), "numerator='mean of age': need a count or a sum"),
        (lambda: Ratio(Histogram("age", 0, 50, 120), People()), "numerator='.*': need a count or a sum"),
        (lambda: Ratio(People(), 3), "denominator=3: need an aggregate"),
    ],
)
def test_what_makes_no_sense_is_refused(make, need):
    with pytest.raises((ParameterError, TypeError), match=need):
        make()
