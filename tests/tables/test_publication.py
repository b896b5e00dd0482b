"""Publications: what one person changes in each table, the law of all within the map, one charge, honest intervals."""

import itertools
import json
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
import tables_engines
import tables_reference as reference
from tiers import cases, crossed

from discreet import BudgetError, Gaussian, KindError, Laplace, Ledger, ParameterError, UnsupportedError
from discreet.coins import SYSTEM
from discreet.mechanisms import LaplaceThreshold
from discreet.reals import float_up
from discreet.tables import Bounding, Mean, People, Publication, PublicationPlan, Quantile, Rows, Sum, Table
from discreet.tables.bounding import Totals, key_domains
from discreet.tables.keys import OTHER
from discreet.tables.marginals import Cells, Drawn, Marginals, apart_by, gaussians
from discreet.tables.ready import Ready

ibis = pytest.importorskip("ibis")

SALT = bytes(range(16))
KEYS = {"region": ["n", "s", "w"], "sex": ["f", "m"]}
NESTED = [[], ["region"], ["region", "sex"]]
CELLS = Cells((("n", "s", "w"), ("f", "m")))


def people(n=300):
    rows = [(i, "nsw"[i % 3], "fm"[i % 2]) for i in range(n)]
    return pd.DataFrame(rows, columns=["id", "region", "sex"])


def table(**more):
    return Table(people(), person="id", **more)


def counting(cells=CELLS, max_groups=1, **more):
    return Bounding(People(), person="id", by=["region", "sex"], max_groups=max_groups, keys=cells.keys(), **more)


def totals(counts):
    counts = np.array(counts, np.int64)
    return Totals(counts, (counts,))


def moves(cells, max_groups):
    """All that adding a person may do to the cells."""
    places = np.flatnonzero(cells.possible.ravel())
    for n in range(max_groups + 1):
        for chosen in itertools.combinations(places, min(n, len(places))):
            moved = np.zeros(cells.possible.size, np.int64)
            moved[list(chosen)] = 1
            yield moved.reshape(cells.sizes)


SHAPES = [
    (CELLS, 1),
    (CELLS, 2),
    (CELLS, 4),
    (Cells(CELLS.columns, zeros=(1, 3)), 3),
    (Cells((("n",), ("f", "m"))), 2),
    (Cells(CELLS.columns, zeros=(1, 3, 5)), 2),
]
AXES = ((), (0,), (1,), (0, 1))


class TestLoss:
    @pytest.mark.parametrize(("cells", "most"), SHAPES, ids=range(len(SHAPES)))
    def test_a_table_is_as_far_apart_as_one_person_can_make_it(self, cells, most):
        bounding = counting(cells, most)
        for axes in AXES:
            apart = apart_by(bounding, cells, axes).tightest()
            seen = [cells.sums(moved, axes).ravel() for moved in moves(cells, most)]
            assert apart.l1 == max(x.sum() for x in seen)
            assert apart.li == max(x.max(initial=0) for x in seen)
            assert apart.l0 == max((x > 0).sum() for x in seen)
            assert apart.l2_squared >= max((x * x).sum() for x in seen)
            twice = apart_by(bounding, cells, axes, 2)
            assert twice.l1 == 2 * apart.l1

    @pytest.mark.parametrize(("cells", "most"), SHAPES, ids=range(len(SHAPES)))
    def test_sums_are_as_far_apart_as_one_person_can_make_them(self, cells, most):
        """A person adds 0 to 7 steps to each of some cells: as far as people counted, 7 times."""
        of = Sum("amount", 0, 7, 1)
        bounding = Bounding(of, person="id", by=["region", "sex"], max_groups=most, keys=cells.keys())
        for axes in AXES:
            apart = apart_by(bounding, cells, axes).tightest()
            seen = [7 * cells.sums(moved, axes).ravel() for moved in moves(cells, most)]
            assert apart.l1 == max(x.sum() for x in seen)
            assert apart.li == max(x.max(initial=0) for x in seen)
            assert apart.l0 == max((x > 0).sum() for x in seen)
            assert apart.l2_squared >= max((x * x).sum() for x in seen)

    @pytest.mark.parametrize(("cells", "most"), SHAPES, ids=range(len(SHAPES)))
    def test_laplace_noise_loses_exactly_what_some_person_costs(self, cells, most):
        noises = tuple(map(Laplace, (2, 3, 5, 7)))
        made = Marginals(counting(cells, most), AXES, noises, cells)
        worst = max(
            sum(Fraction(int(cells.sums(moved, axes).sum())) / n.scale for axes, n in zip(AXES, noises, strict=True))
            for moved in moves(cells, most)
        )
        assert made.loss(1).epsilon == worst
        assert made.event(1).epsilon == worst
        assert made.privacy_map(2) == pytest.approx(2 * float(worst))

    @pytest.mark.parametrize("most", [1, 2])
    def test_gaussian_noise_loses_less_than_is_stated_and_not_much(self, most):
        """The exact delta of the worst person, by convolving the laws of the losses of all totals."""
        cells, axes, variances, epsilon = CELLS, ((), (0,), (0, 1)), (30, 20, 25), Fraction(1)
        made = Marginals(counting(cells, most), axes, tuple(map(Gaussian, variances)), cells, epsilon=epsilon)
        worst = 0.0
        for moved in moves(cells, most):
            shifts = [
                (int(s), v)
                for each, v in zip(axes, variances, strict=True)
                for s in cells.sums(moved, each).ravel()
                if s
            ]
            worst = max(worst, exact_delta(shifts, 1.0))
        stated = made.privacy_map(1)
        assert stated[0] == 1.0
        assert worst <= stated[1] <= 1.6 * worst
        assert made.event(1).concentrated[0] == made_rho(made)

    def test_gaussian_noise_is_the_least_on_its_grid_within_a_budget(self):
        aparts = tuple(apart_by(counting(), CELLS, axes) for axes in AXES)
        shares = (Fraction(1, 2), Fraction(1, 4), Fraction(1, 8), Fraction(1, 8))
        noises = gaussians(aparts, shares, Fraction(1), Fraction("1e-6"))
        made = Marginals(counting(), AXES, noises, CELLS, epsilon=Fraction(1))
        assert float_up(made.loss(1).delta) <= 1e-6
        less = tuple(Gaussian(noise.variance * Fraction(99, 100)) for noise in noises)
        assert float_up(Marginals(counting(), AXES, less, CELLS, epsilon=Fraction(1)).loss(1).delta) > 1e-6
        squares = [1 / (noise.variance - 1) for noise in noises]
        assert [float(x / sum(squares)) for x in squares] == pytest.approx([float(x) for x in shares], rel=0.02)

    def test_as_many_groups_as_there_are_leave_nothing_out_and_nothing_to_pay_for(self):
        for most, pays in ((5, True), (6, False), (7, False)):
            plan = table().plan(NESTED, epsilon=1, keys=KEYS, max_groups=most)
            assert (plan.measurement.sizes is not None, plan.left_out is not None) == (pays, pays)

    def test_the_noise_of_the_sizes_needs_numbers_too(self):
        assert table().plan(NESTED, epsilon="1e-8", keys=KEYS, left_out=0).measurement.sizes is None
        with pytest.raises(ParameterError, match="no numbers for noise"):
            table().plan(NESTED, epsilon="1e-8", keys=KEYS)

    def test_the_list_of_private_cells_and_the_sizes_are_paid_for(self):
        plan = table().plan(NESTED, epsilon=1, delta="1e-6")
        made = plan.measurement
        parts = made.listing.loss(made._listed(1)), made.sizes.loss(1), made._noise_loss(1)
        assert [float_up(part.epsilon) for part in parts] == pytest.approx([0.95 / 4, 0.05, 0.95 * 3 / 4])
        assert plan.spent.epsilon == 1
        assert plan.spent.delta <= Fraction("1e-6")
        assert made.privacy_map(1) == (1.0, float_up(plan.spent.delta))
        gaussian = table().plan(NESTED, epsilon=1, delta="1e-6", noise="gaussian")
        assert 0.5e-6 < float(gaussian.spent.delta) <= 1e-6

    def test_cells_that_are_not_shown_may_all_be_one(self):
        """Three cells of a person, none of them shown, move one total by 3."""
        private = Bounding(People(), person="id", by=["region", "sex"], max_groups=3)
        assert apart_by(private, None, (0, 1)) == (3, 3, 3)
        listing = LaplaceThreshold(scale="1/50", threshold=9)  # It draws 0.
        made = Marginals(private, ((0, 1),), (Gaussian(50),), listing=listing, epsilon=Fraction(1))
        with_one, without = ({("n", "f"): 20, **dict.fromkeys([("s", "f"), ("w", "m"), ("w", "f")], n)} for n in (1, 0))
        drawn = []
        for data in (with_one, without):
            counts = np.array(list(data.values()), np.int64)
            cells, seen = made._counted(FakeTotals(counts, list(data)), SYSTEM)
            assert cells.keys() == list(itertools.product(("n", OTHER), ("f", OTHER)))
            drawn.append(seen)
        assert made.event(1).concentrated[0] >= Fraction(int(((drawn[0] - drawn[1]) ** 2).sum()), 100)
        assert drawn[0].sum() - drawn[1].sum() == 3

    def test_laws_that_cannot_be_stated_together_are_refused(self):
        with pytest.raises(ParameterError):
            Marginals(counting(), ((), (0,)), (Laplace(1), Gaussian(9)), CELLS)
        with pytest.raises(ParameterError):
            Marginals(counting(), ((),), (Gaussian(9),), CELLS)
        with pytest.raises(ParameterError):
            Marginals(counting(), ((),), (Gaussian(1),), CELLS, epsilon=Fraction(1))
        with pytest.raises(ParameterError):
            Marginals(counting(), ((),), (Laplace(1),))


class FakeTotals:
    """Totals of some cells, whose keys are known here."""

    def __init__(self, counts, keys):
        self.columns, self._keys = (counts,), keys

    def keys(self, places):
        return [self._keys[i] for i in places]


def made_rho(made):
    pairs = zip(made.noises, made._aparts(1), strict=True)
    return sum(Fraction(apart.l2_squared) / (2 * noise.variance) for noise, apart in pairs)


def exact_delta(shifts, epsilon):
    """The delta between independent discrete Gaussian totals that are moved by shifts, up to a fine rounding down."""
    step, law, first = 1 / 1024, np.ones(1), 0
    for shift, v in shifts:
        far = int(9 * v**0.5) + 2
        z = np.arange(-far, far + 1)
        p = np.exp(-z * z / (2 * v))
        loss = np.floor((2 * z * shift + shift * shift) / (2 * v) / step).astype(int)
        law = np.convolve(law, np.bincount(loss - loss[0], p / p.sum()))
        first += loss[0]
    loss = (first + np.arange(len(law))) * step
    return float((law * np.maximum(1 - np.exp(epsilon - loss), 0)).sum())


class TestDraws:
    def test_each_table_is_the_sum_of_its_cells_with_its_own_noise(self):
        counts = np.arange(6).reshape(3, 2)
        exact = Marginals(counting(), AXES, (Laplace(0),) * 4, CELLS)
        drawn = exact.sample(totals(counts.ravel()), SYSTEM)
        for axes, noisy in zip(AXES, drawn.noisy, strict=True):
            assert (noisy == counts.sum(tuple(i for i in (0, 1) if i not in axes))).all()

    def test_noise_is_drawn_for_impossible_cells_too(self, given_coins):
        cells = Cells(CELLS.columns, zeros=(0,))
        drawn = Marginals(counting(cells), ((0, 1),), (Laplace(50),), cells).sample(totals([0] * 5), SYSTEM)
        assert drawn.noisy[0].shape == (3, 2)
        assert drawn.noisy[0][0, 0] != 0

    def test_the_noise_has_its_scale_in_each_table(self, given_coins):
        made = Marginals(counting(), ((), (0, 1)), (Laplace(3), Laplace(30)), CELLS)
        drawn = [made.sample(totals([5] * 6), SYSTEM).noisy for _ in range(cases(400, 2000))]
        small = np.array([x[0] - 30 for x in drawn])
        large = np.concatenate([(x[1] - 5).ravel() for x in drawn])
        assert 3.4 < small.std() < 5.2  # 4.23, and not 42.4.
        assert 38 < large.std() < 47
        assert abs(np.corrcoef(small, [x[1].sum() for x in drawn])[0, 1]) < 0.25


@pytest.fixture(scope="module", params=tables_engines.parameters())
def engine(request, tmp_path_factory):
    found, stop = tables_engines.start(request.param, tmp_path_factory.mktemp(request.param))
    yield found
    stop()


SCHEMA = ibis.schema({"id": "int64", "region": "string", "sex": "string", "year": "int32"})


def test_every_engine_counts_what_plain_python_counts(engine):
    """Known cells with an impossible one and a missing key, and private cells with "other", without noise."""
    pick = np.random.default_rng(4)
    pools = {"id": [*range(40), None], "region": ["n", "s", None, "|"], "sex": ["f", "m", "x"], "year": [1, 2, None]}
    rows = [{name: pool[pick.integers(len(pool))] for name, pool in pools.items()} for _ in range(300)]
    found = engine.load(SCHEMA, rows)
    by = ["region", "sex", "year"]
    cells = Cells((("n", None, "|"), ("f", "m"), (1, 2, None)), zeros=(4,))
    known = Bounding(People(), person="id", by=by, max_groups=3, keys=cells.keys(), salt=SALT)
    drawn = Marginals(known, ((), (0, 2), (0, 1, 2)), (Laplace(0),) * 3, cells).of_tables.release(found)
    expected = np.zeros(18, np.int64)
    expected[cells.possible.ravel()] = reference.result(known, rows, SALT)
    expected = expected.reshape(3, 2, 3)
    assert expected.sum() > 50
    sums = Bounding(Sum("year", 1, 2, 1), person="id", by=by, max_groups=3, keys=cells.keys(), salt=SALT)
    drawn_sums = Marginals(sums, ((0, 2),), (Laplace(0),), cells).of_tables.release(found)
    added = np.zeros(18, np.int64)
    added[cells.possible.ravel()] = reference.result(sums, rows, SALT)
    assert (drawn_sums.noisy[0] == added.reshape(3, 2, 3).sum(1)).all()
    assert added.sum() > 60
    for noisy, sums in zip(drawn.noisy, (expected.sum(), expected.sum(1), expected), strict=True):
        assert (noisy == sums).all()
    private = Bounding(People(), person="id", by=by, max_groups=3, salt=SALT, key_types=key_domains(found, by))
    counts = reference.result(private, rows, SALT)
    above = sorted(counts.values())[-3]
    listing = LaplaceThreshold(scale=0, threshold=above)
    drawn = Marginals(private, ((), (0, 1, 2)), (Laplace(0),) * 2, listing=listing).of_tables.release(found)
    shown = [key for key, n in counts.items() if n > above]
    for i, column in enumerate(drawn.cells.columns):
        assert set(column) == {OTHER, *(key[i] for key in shown)}
    expected = dict.fromkeys(itertools.product(*drawn.cells.columns), 0)
    for key, n in counts.items():
        there = tuple(x if x in column else OTHER for x, column in zip(key, drawn.cells.columns, strict=True))
        expected[there] += n
    assert dict(zip(drawn.cells.keys(), drawn.noisy[1].ravel().tolist(), strict=True)) == expected
    assert drawn.noisy[0] == sum(counts.values())
    assert 0 < len(shown) < 3
    assert sum(n for key, n in expected.items() if OTHER in key) > 20


class TestAnswers:
    def test_tables_add_up_and_say_how_wrong_they_are(self):
        found = table().publish([*NESTED, ["sex"]], epsilon=1, keys=KEYS)
        assert isinstance(found, Publication)
        assert [answer.by for answer in found] == [(), ("region",), ("region", "sex"), ("sex",)]
        fine = found["sex", "region"].to_rows()
        for answer in found:
            for row in answer.to_rows():
                parts = [x["people"] for x in fine if all(x[name] == row[name] for name in answer.by)]
                assert row["people"] == sum(parts)
        low, high = found["region"].interval("0.95")
        assert all(a <= n <= b for a, n, b in zip(low, found["region"].columns["people"], high, strict=True))
        raw = found["region"].interval("0.95", "noisy people")
        assert (raw[1] - raw[0] == 2 * found["region"].noise["noisy people"].radius(Fraction(1, 20))).all()
        for text in (str(found), found.to_html(), found._repr_html_()):
            assert "impossible, so noise lifts small groups" in text
        assert found["region"].plot() is not None
        with pytest.raises(ParameterError, match="by='age'"):
            found["age"]

    @pytest.mark.parametrize("noise", ["laplace", "gaussian"])
    def test_intervals_hold_as_often_as_they_say(self, given_coins, noise):
        """The published numbers, also of empty and impossible groups; half as wide, they hold too seldom."""
        counts = np.array([[0, 3], [40, 0], [1, 0]])
        zeros = [{"region": "w", "sex": "m"}]
        plan = table().plan(NESTED, epsilon=1, delta="1e-6", keys=KEYS, noise=noise, left_out=0, zeros=zeros)
        sums, runs = {(): 44, ("region",): [3, 40, 1], ("region", "sex"): [0, 3, 40, 0, 1]}, cases(250, 1500)
        held, narrow = dict.fromkeys(sums, 0), dict.fromkeys(sums, 0)
        for _ in range(runs):
            drawn = plan.measurement.sample(totals(counts.ravel()[:5]), SYSTEM)
            found = plan._published(drawn, plan.receipt)
            for by, true in sums.items():
                answer = found[by]
                low, high = answer.interval("0.95")
                held[by] += ((low <= true) & (np.array(true) <= high)).mean()
                noise_of = answer.noise["people"]
                narrow[by] += (abs(noise_of.centres - true) <= noise_of.radius(Fraction(1, 20)) / 2).mean()
        for by in sums:
            assert held[by] / runs > 0.95 - 4 * (0.05 / runs) ** 0.5
            assert narrow[by] / runs < 0.85

    def test_what_was_drawn_is_unbiased_and_the_fit_as_well(self, given_coins):
        plan = table().plan(NESTED, epsilon=1, keys=KEYS, left_out=0)
        counts, runs = [0, 3, 40, 0, 1, 0], cases(300, 2000)
        fits, raws, wholes = np.zeros(6), np.zeros(6), np.zeros(6)
        for _ in range(runs):
            answer = plan._published(plan.measurement.sample(totals(counts), SYSTEM), plan.receipt)["region", "sex"]
            fits += answer.noise["people"].centres
            raws += answer.columns["noisy people"]
            wholes += answer.columns["people"]
        near = 4 * plan.measurement.noises[2].deviation / runs**0.5
        assert abs(raws / runs - counts).max() < near
        assert abs(fits / runs - counts).max() < near
        assert (wholes / runs)[[0, 3, 5]].min() > 0.3  # The bias that is said.

    @pytest.mark.parametrize("total", [-1000, 0, 1000])
    def test_intervals_hold_what_is_published_however_far_the_noise_went(self, total):
        plan = table().plan([[], ["region"]], epsilon=1, keys={"region": KEYS["region"]}, left_out=0)
        drawn = Drawn(plan.cells, (np.array(total), np.array([-70, 10, 200])), None)
        for answer in plan._published(drawn, plan.receipt):
            low, high = answer.interval("0.5")
            assert (low >= 0).all()
            assert (low <= answer.columns["people"]).all()
            assert (answer.columns["people"] <= high).all()

    @pytest.mark.parametrize("epsilon", [8, 1, "0.01"])
    def test_a_table_alone_reaches_as_far_as_its_noise_does(self, epsilon):
        plan = table().plan([["region", "sex"]], epsilon=epsilon, keys=KEYS, left_out=0)
        (noise,), (reach,) = plan.measurement.noises, plan.reaches
        assert math.floor(reach) >= noise.radius(Fraction(1, 20))
        assert reach < noise.radius(Fraction(1, 20)) + 2

    def test_public_totals_are_met_and_impossible_groups_left_out(self):
        known = {(): 300, "sex": {"f": 150, "m": 150}}
        zeros = [{"region": "w", "sex": "m"}]
        tables = [[], ["sex"], ["region", "sex"]]
        found = table().publish(tables, epsilon=1, keys=KEYS, totals=known, zeros=zeros)
        assert found["sex"].columns["people"] == [150, 150]
        assert found[()].columns["people"] == [300]
        assert ("w", "m") not in found["region", "sex"].keys
        assert sum(found["region", "sex"].columns["people"]) == 300
        assert len(found.receipt.mechanisms) == 2  # What is public costs nothing.
        assert found["sex"].interval("0.95")[0].tolist() == [150, 150]

    def test_bins_are_keys_of_derived_columns(self):
        rows = Table(people().assign(age=lambda x: x.id % 90), person="id").derive(tens="age by 30 from 0 to 90")
        found = rows.publish([[], ["tens"], ["tens", "sex"]], epsilon=9, keys={"tens": "bins", "sex": ["f", "m"]})
        assert found["tens"].keys == [(0,), (30,), (60,)]

    def test_private_groups_add_up_with_the_others(self, given_coins):
        rows = pd.concat([people(), pd.DataFrame({"id": range(900, 906), "region": "x", "sex": "m"})])
        found = Table(rows, person="id").publish(NESTED, epsilon=5, delta="1e-6")
        assert found["region"].keys == [("n",), ("s",), ("w",), (OTHER,)]
        values = found["region"].columns["people"]
        assert sum(values) == found[()].columns["people"][0]
        assert values[3] <= 20
        (last,) = found["region"].to_rows()[3:]
        assert last["region"] is None
        assert last["other"] == "region"
        assert found["region"].to_arrow()["other"].to_pylist() == ["", "", "", "region"]
        assert "other" in str(found["region"])
        assert found.receipt.private

    def test_nobody_and_one_key_and_no_columns_are_answered(self):
        nobody = Table(people().iloc[:0], person="id")
        assert [len(answer) for answer in nobody.publish(NESTED, epsilon=1, keys=KEYS)] == [1, 3, 6]
        assert [len(answer) for answer in nobody.publish(NESTED, epsilon=1, delta="1e-6")] == [1, 1, 1]
        assert len(table().publish([[]], epsilon=1)[()]) == 1
        one = table().publish([["region"]], epsilon=9, keys={"region": ["n"]})
        assert abs(one["region"].columns["people"][0] - 100) < 20
        rows = Table(people(), person=None).publish([[], ["sex"]], epsilon=9, keys={"sex": ["f", "m"]})
        assert abs(rows[()].columns["people"][0] - 300) < 20

    def test_a_person_in_several_groups_counts_in_as_many_as_are_allowed(self):
        rows = pd.DataFrame([(i, r, "f") for i in range(200) for r in "nsw"], columns=["id", "region", "sex"])
        for most, total in ((1, 200), (3, 600)):
            found = Table(rows, person="id").publish(NESTED, epsilon=40, keys=KEYS, max_groups=most)
            assert abs(found[()].columns["people"][0] - total) < 10
        assert "as often" in str(Table(rows, person="id").plan(NESTED, epsilon=1, keys=KEYS, max_groups=3))


class TestSums:
    AMOUNTS = Table(people().assign(amount=lambda x: x.id % 9), person="id")

    def test_sums_are_those_of_the_bounded_values_and_add_up(self, given_coins):
        """At an epsilon at which the noise is nearly nothing, and at one at which it is not."""
        true = people().assign(amount=lambda x: (x.id % 9).clip(2, 7)).groupby("region").amount.sum().tolist()
        for epsilon, near in (("4000", 0.02), (1, 200)):
            plan = self.AMOUNTS.plan(NESTED, epsilon=epsilon, keys=KEYS, of=Sum("amount", 2, 7, "0.01"), left_out=0)
            assert plan.spent.epsilon == plan.epsilon
            found = plan.release()
            values = found["region"].columns["sum of amount"]
            assert [abs(x - y) < near for x, y in zip(values, true, strict=True)] == [True] * 3
            fine = found["region", "sex"].to_rows()
            for row in found["region"].to_rows():
                parts = [x["sum of amount"] for x in fine if x["region"] == row["region"]]
                assert sum(round(100 * x) for x in parts) == round(100 * row["sum of amount"])
                assert row["sum of amount_low"] <= row["sum of amount"] <= row["sum of amount_high"]
                assert row["noisy sum of amount"] != pytest.approx(0)

    @pytest.mark.parametrize("noise", ["laplace", "gaussian"])
    def test_intervals_hold_as_often_as_they_say(self, given_coins, noise):
        of = Sum("amount", 0, 8, "1/4")
        plan = self.AMOUNTS.plan(NESTED, epsilon=1, delta="1e-6", keys=KEYS, noise=noise, left_out=0, of=of)
        steps, runs = np.array([0, 30, 900, 0, 4, 0]), cases(250, 1500)
        true, held, raw = steps.reshape(3, 2).sum(1) / 4, 0.0, 0.0
        for _ in range(runs):
            answer = plan._published(plan.measurement.sample(totals(steps), SYSTEM), plan.receipt)["region"]
            for column in ("sum of amount", "noisy sum of amount"):
                low, high = answer.interval("0.95", column)
                share = ((low <= true) & (true <= high)).mean()
                held, raw = (held + share, raw) if column[0] == "s" else (held, raw + share)
        assert min(held, raw) / runs > 0.95 - 4 * (0.05 / runs) ** 0.5
        assert raw / runs < 0.99

    @pytest.mark.parametrize("high", [2**31, 2**45, 2**62, 2**66])
    def test_intervals_of_large_sums_have_their_sums_inside(self, given_coins, high):
        rows = people().assign(amount=float(high))
        found = Table(rows, person="id").publish(NESTED, epsilon=9, keys=KEYS, of=Sum("amount", 0, high))
        for answer, true in zip(found, (300 * high, 100 * high, 50 * high), strict=True):
            low, high_end = answer.interval("0.999999999")
            for least, value, most in zip(
                low.tolist(), answer.columns["sum of amount"], high_end.tolist(), strict=True
            ):
                assert 0 <= least <= value <= most
                assert least <= true <= most

    def test_margins_are_in_the_units_of_the_sum(self):
        margins = {(): 200, "region": 100, ("region", "sex"): 100}
        coarse, fine = (
            self.AMOUNTS.plan(NESTED, margins=margins, keys=KEYS, of=Sum("amount", 0, 8, grid)).solve()
            for grid in (1, "1/64")
        )
        assert coarse.epsilon == pytest.approx(fine.epsilon, rel=0.02)
        for plan in (coarse, fine):
            assert max(plan.reaches[1:]) <= 100
            assert max(plan.reaches[1:]) > 97

    @pytest.mark.parametrize(
        "asked",
        [
            {"of": Mean("amount", 0, 9)},
            {"of": Sum("amount", -1, 9)},
            {"of": Sum("amount", 0, "auto")},
            {"of": Rows(3)},
            {"of": "people"},
            {"of": Sum("none", 0, 9)},
            {"of": Sum("sex", 0, 9)},
            {"of": Sum("amount", 0, 9), "keys": None, "delta": "1e-6"},
            {"of": Sum("amount", 0, 9), "totals": {(): 300}},
        ],
        ids=str,
    )
    def test_what_has_no_totals_that_add_up_is_refused(self, asked):
        with pytest.raises((ParameterError, KindError)):
            self.AMOUNTS.publish(NESTED, **({"epsilon": 1, "keys": KEYS} | asked))

    def test_columns_may_be_derived_where_they_are_asked_for(self):
        tables = [[], ["amount by 3 from 0 to 9 as thirds"], ["thirds", "sex"]]
        found = self.AMOUNTS.publish(tables, epsilon=9, keys={"thirds": "bins", "sex": ["f", "m"]})
        assert found["thirds"].keys == [(0,), (3,), (6,)]
        assert found.receipt.derived == {"thirds": "amount by 3 from 0 to 9"}


class TestBooks:
    def test_one_charge_for_all_tables_and_a_receipt_of_each(self):
        book = Ledger.in_memory(epsilon=2, delta="1e-6")
        found = table(ledger=book).publish(NESTED, epsilon=1, keys=KEYS, weights={"region": 2})
        (entry,) = book.entries()
        assert book.spent.epsilon == 1
        assert found.receipt.entry == entry.number
        said = json.loads(json.dumps(found.receipt.to_dict()))
        assert said == entry.receipt | {name: said[name] for name in ("found", "ledger")}
        assert [each["share"] for each in said["tables"]] == ["1/4", "1/2", "1/4"]
        with pytest.raises(BudgetError):
            table(ledger=book).publish(NESTED, epsilon="1.1", keys=KEYS)
        assert len(list(book.entries())) == 1

    def test_a_plan_is_reserved_and_released_once(self):
        book = Ledger.in_memory(epsilon=2, delta="1e-6")
        plan = table().plan(NESTED, epsilon=1, keys=KEYS)
        reserved = book.reserve([plan])
        assert len(table(ledger=reserved).publish(NESTED, epsilon=1, keys=KEYS)) == 3
        with pytest.raises(BudgetError):
            table(ledger=reserved).publish(NESTED, epsilon=1, keys=KEYS)

    def test_the_same_question_of_the_same_version_is_free(self, tmp_path):
        people().to_csv(tmp_path / "rows.csv", index=False)
        book = Ledger(tmp_path / "book.sqlite", epsilon=9, delta="1e-6")
        asked = Table(tmp_path / "rows.csv", person="id", ledger=book, version="1")
        first, again = (asked.publish(NESTED, epsilon=1, keys=KEYS) for _ in range(2))
        assert book.spent.epsilon == 1
        assert again.receipt.kept
        for one, other in zip(first, again, strict=True):
            assert one.to_rows() == other.to_rows()
            assert one.left_out == other.left_out
        asked.publish(NESTED, epsilon=1, keys=KEYS, weights={"region": 2})
        assert book.spent.epsilon == 2
        for spent, text in ((3, "lower(region)"), (4, "substring(region, 1, 1)"), (4, "lower(region)")):
            derived = asked.derive(place=text)
            derived.publish([["place"]], epsilon=1, keys={"place": ["n", "s"]})
            assert book.spent.epsilon == spent

    def test_nothing_is_charged_for_what_cannot_be_asked(self):
        book = Ledger.in_memory(epsilon=2, delta="1e-6")
        for wrong in ({"weights": {"region": 0}}, {"keys": {"region": ["n"]}}, {"max_groups": 0}, {"epsilon": 0}):
            with pytest.raises(ParameterError):
                table(ledger=book).publish(NESTED, **{"epsilon": 1, "keys": KEYS} | wrong)
        assert not list(book.entries())


class TestSolving:
    @pytest.mark.parametrize("noise", ["laplace", "gaussian", "auto"])
    def test_the_least_epsilon_keeps_all_margins_and_a_smaller_one_does_not(self, noise):
        margins = {(): 50, "region": 20, ("region", "sex"): 10}
        plan = table().plan(NESTED, margins=margins, delta="1e-6", keys=KEYS, noise=noise)
        found = plan.solve()
        assert isinstance(found, PublicationPlan)
        assert all(far <= margin for far, margin in zip(found.reaches, margins.values(), strict=True))
        digits = Fraction(found.epsilon)
        less = digits - Fraction(1, 10 ** (2 - math.floor(math.log10(digits))))
        shares = dict(zip(margins, found.shares, strict=True))
        again = table().plan(NESTED, epsilon=less, delta="1e-6", keys=KEYS, noise=found.noise, weights=shares)
        assert any(far > margin for far, margin in zip(again.reaches, margins.values(), strict=True))
        assert len(found.release()) == 3

    def test_what_is_impossible_is_said(self):
        plan = table().plan(NESTED, margins={(): 0, "region": 0, ("region", "sex"): 0}, keys=KEYS)
        with pytest.raises(ParameterError, match="an epsilon above 50"):
            plan.solve()
        with pytest.raises(UnsupportedError, match=r"solve\(\) finds it"):
            plan.release()
        with pytest.raises(UnsupportedError, match="has an epsilon"):
            table().plan(NESTED, epsilon=1, keys=KEYS).solve()
        with pytest.raises(ParameterError, match="one for each table"):
            table().plan(NESTED, margins={(): 5}, keys=KEYS)
        assert "solve() finds epsilon" in str(plan)


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"tables": []}, ParameterError, "at least one table"),
        ({"tables": [["region"], ("region",)]}, ParameterError, "none twice"),
        ({"tables": ["region"]}, KindError, "a list of columns for each table"),
        ({"tables": [["nowhere"]]}, ParameterError, "nowhere"),
        ({"tables": [["region", "region"]]}, ParameterError, "distinct columns"),
        ({"tables": [3]}, KindError, "tables"),
        ({"keys": None}, ParameterError, "delta > 0"),
        ({"keys": ["n"]}, KindError, "a dict from columns"),
        ({"keys": {"region": ["n"]}}, ParameterError, "the keys of region, sex"),
        ({"keys": {**KEYS, "region": ["n", "n"]}}, ParameterError, "distinct keys"),
        ({"keys": {**KEYS, "region": [1]}}, ParameterError, "a text, as in region"),
        ({"epsilon": None}, ParameterError, "an epsilon, or margins"),
        ({"delta": 2}, ParameterError, "0 < delta <= 1"),
        ({"noise": "truncated"}, ParameterError, "another one"),
        ({"noise": "gaussian"}, ParameterError, "1e-300 <= delta"),
        ({"weights": {"age": 1}}, ParameterError, "weights"),
        ({"weights": [1, 2, 3]}, KindError, "a dict from tables"),
        ({"left_out": 1}, ParameterError, "0 <= left_out < 1"),
        ({"left_out": "0.1", "max_groups": 9}, ParameterError, "leave nobody"),
        ({"zeros": [{"age": 1}]}, ParameterError, "zeros"),
        ({"zeros": [{"region": "q"}]}, ParameterError, "one of the keys of region"),
        ({"zeros": [{}]}, KindError, "dicts from columns to keys"),
        ({"zeros": [{"sex": "f"}, {"sex": "m"}]}, ParameterError, "some cells that are possible"),
        ({"totals": {(): -1}}, ParameterError, "totals"),
        ({"totals": {"region": 5}}, KindError, "a dict from keys to numbers"),
        ({"totals": {"region": {"n": 5}}}, ParameterError, "a number for each key of region"),
        ({"totals": {(): 5, "region": {"n": 5, "s": 5, "w": 5}}}, ParameterError, "agree with each other"),
        ({"totals": {(): 10**15 + 1}}, ParameterError, "at most 1,000,000,000,000,000 in all"),
        ({"totals": {(): 10**30}}, ParameterError, "in all"),
        ({"totals": {"region": {"n": 2**62, "s": 2**62, "w": 0}}}, ParameterError, "in all"),
        ({"zeros": [{"region": np.array(["n", "s"])}]}, ParameterError, "one of the keys of region"),
        ({"zeros": [{"region": pd.Series(["n", "s"])}]}, ParameterError, "one of the keys of region"),
        ({"tables": [[]], "keys": None, "totals": {(): 5}}, ParameterError, "not public"),
        ({"epsilon": "1e-12"}, ParameterError, "no numbers for noise"),
    ],
    ids=range(34),
)
def test_what_does_not_fit_is_refused_in_words(given, error, words):
    asked = {"tables": NESTED, "epsilon": 1, "keys": KEYS} | given
    with pytest.raises(error, match=words):
        table().plan(asked.pop("tables"), **asked)


def test_tables_that_share_sums_in_a_circle_need_a_table_of_all():
    rows = people().assign(age=1)
    keys = {**KEYS, "age": [1, 2]}
    pairs = [["region", "sex"], ["sex", "age"], ["age", "region"]]
    with pytest.raises(ParameterError, match="a table by region, sex, age as well"):
        Table(rows, person="id").plan(pairs, epsilon=1, keys=keys)
    assert len(Table(rows, person="id").publish([*pairs, ["region", "sex", "age"]], epsilon=1, keys=keys)) == 4


def test_private_keys_that_are_floats_are_refused():
    rows = people().assign(region=1.5)
    with pytest.raises(ParameterError, match="floats"):
        Table(rows, person="id").plan(NESTED, epsilon=1, delta="1e-6")


def test_as_many_private_values_are_shown_as_fit(monkeypatch):
    """Those of the largest cells, whatever comes after them."""
    monkeypatch.setattr("discreet.tables.marginals.MOST_CELLS", 12)
    rows = pd.DataFrame([(i, f"r{i % 9}", "fm"[i % 2]) for i in range(9000)], columns=["id", "region", "sex"])
    found = Table(rows, person="id").publish(NESTED, epsilon=20, delta="1e-6")
    values = [{key[i] for key in found["region", "sex"].keys} for i in (0, 1)]
    assert (len(values[0]) + 1) * (len(values[1]) + 1) <= 12
    assert len(values[0]) > 1
    assert sum(found["region"].columns["people"]) == found[()].columns["people"][0]
    assert abs(found[()].columns["people"][0] - 9000) < 30


def test_other_keys_and_other_public_totals_are_other_questions(tmp_path):
    """What was kept of some groups is not told of others."""
    people().to_csv(tmp_path / "p.csv", index=False)
    book, kept = Ledger.in_memory(epsilon=10**6), []
    first = ["n", "s"]
    for keys, known in ((first, None), (["s", "n"], None), (["n", "q"], None), (first, {(): 200}), (first, None)):
        one = Table(tmp_path / "p.csv", person="id", ledger=book, version="1")
        found = one.publish([[], ["region"]], epsilon=999, keys={"region": keys}, left_out=0, totals=known)
        kept.append((found["region"].columns["people"], found.receipt.kept))
    half = [100, 100]
    assert kept == [(half, False), (half, False), ([100, 0], False), (half, False), (half, True)]


def test_which_private_values_fit_is_decided_by_noisy_numbers_alone(monkeypatch):
    """The true ones would tell which of two groups is the larger, and nobody has paid for that."""
    monkeypatch.setattr("discreet.tables.marginals.MOST_CELLS", 9)  # One value of each of two columns, and others.
    rows = [(i, "n", "f") for i in range(50)] + [(i, "s", "m") for i in range(50, 70)]
    few = Table(pd.DataFrame(rows, columns=["id", "region", "sex"]), person="id")
    plan = few.plan([["region", "sex"]], epsilon=9, delta="1e-6")
    for sign, shown in ((1, ("n", "f")), (-1, ("s", "m"))):

        class Listing:
            """Noise that leaves the order as it is, or turns it."""

            def keep(self, counts, coins, sign=sign):
                return np.arange(len(counts)), 100 + sign * counts

        made = replace(plan.measurement, listing=Listing())
        drawn = made.of_tables.sample(Ready.of(few._ibis, plan.bounding), SYSTEM)
        assert drawn.cells.columns == tuple((value, OTHER) for value in shown)


class TestMargins:
    """`explain` with a margin in the place of epsilon."""

    @crossed(
        2,
        asked=[(["n", "s"], {}), (["n", "s"], {"noise": "gaussian", "delta": "1e-6"}), (None, {"delta": "1e-6"})],
        margin=[0, 7, 50],
    )
    def test_the_least_epsilon_is_found_for_a_count(self, asked, margin):
        keys, more = asked
        groups = table().group_by("region", keys=keys)
        said = groups.explain(margin=margin, max_groups=2, **more)
        assert said[2].radius <= margin
        assert f"Epsilon {float(said.receipt.epsilon):.3g} is the least" in said.notes[0]
        less = said.receipt.epsilon - Fraction(1, 10 ** (2 - math.floor(math.log10(said.receipt.epsilon))))
        assert groups.explain(epsilon=less, max_groups=2, **more)[2].radius > margin

    def test_the_least_epsilon_is_that_of_the_law_that_needs_the_least(self):
        groups, asked = table().group_by("region"), {"margin": 20, "max_groups": 3, "delta": "1e-6"}
        laws = ("laplace", "truncated", "gaussian")
        least = {noise: groups.explain(**asked, noise=noise).receipt.epsilon for noise in laws}
        said = groups.explain(**asked)
        assert said.receipt.epsilon == min(least.values()) < least["gaussian"]
        assert said.receipt.noise == "truncated"
        assert said[3].noise == "truncated"
        needs = 'It needs noise="truncated", or --noise truncated: with "auto" the least is 0.717.'
        assert said.lead == f"Epsilon 0.462 is the least, of three digits, that keeps the margin. {needs}"
        given = {"epsilon": said.receipt.epsilon, "max_groups": 3, "delta": "1e-6"}
        assert groups.explain(**given)[3].radius > 20 >= groups.explain(**given, noise="truncated")[3].radius

    def test_without_groups_no_law_is_named_that_cannot_be_asked_for(self):
        rows = Table(people().assign(amount=2.0), person="id")
        many = Quantile("amount", *(Fraction(i, 19) for i in range(1, 19)), low=0, high=50, ends=0)
        said = rows.explain(many, margin=40)
        assert said.receipt.noise == "auto"
        assert "noise=" not in said.lead
        assert said.choices[0].radius <= 40

    def test_what_was_found_stands_between_the_title_and_the_table(self):
        said = table().group_by("region", keys=["n", "s"]).explain(margin=20, noise="laplace")
        lead = "Epsilon 0.154 is the least, of three digits, that keeps the margin with laplace noise."
        assert str(said).splitlines()[1] == lead
        assert [text.count(lead) for text in (str(said), said._repr_html_(), said.to_html())] == [1, 1, 1]
        assert said.notes[0] == lead

    def test_each_column_has_a_margin_or_none(self):
        rows = Table(people().assign(amount=2.0), person="id")
        asked = People(), Sum("amount", 0, 100, 1, name="paid")
        both, one = (rows.explain(*asked, margin=margin) for margin in (90, {"people": 90}))
        assert both.receipt.epsilon > 50 * one.receipt.epsilon
        assert max(column.radius for column in both.choices[0].columns) <= 90

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ({}, "an epsilon, or a margin"),
            ({"epsilon": 1, "margin": 5}, "an epsilon or a margin, and both were given"),
            ({"margin": -1}, "at least 0"),
            ({"margin": {"rows": 1}}, "margins of people"),
            ({"margin": {}}, "margins of people"),
            ({"margin": 5, "max_groups": "auto"}, "a number, with a margin"),
            ({"margin": 5, "noise": "loud"}, "noise"),
        ],
        ids=range(7),
    )
    def test_what_does_not_fit_is_refused_in_words(self, given, words):
        with pytest.raises(ParameterError, match=words):
            table().group_by("region", keys=["n", "s"]).explain(**given)

    def test_means_and_margins_beyond_reach_are_refused(self):
        rows = Table(people().assign(amount=2.0), person="id")
        with pytest.raises(ParameterError, match="depends on the number of people"):
            rows.explain(Mean("amount", 0, 1), margin=5)
        with pytest.raises(ParameterError, match="bounds that are given"):
            rows.explain(Sum("amount", "auto", "auto"), margin=5)
        with pytest.raises(ParameterError, match="an epsilon above 50"):
            rows.explain(Sum("amount", 0, 10**6, 1), margin=0)
