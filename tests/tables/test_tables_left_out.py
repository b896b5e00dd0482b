"""What bounding leaves out: said beside each answer, paid for from its epsilon, and what max_groups is chosen by."""

import sqlite3
from contextlib import closing
from fractions import Fraction

import ibis
import numpy as np
import pandas as pd
import pytest
import tiers

from discreet import IntegerLaplace, Laplace, Ledger, Pure
from discreet.domains import Integers, Vectors
from discreet.errors import ParameterError
from discreet.tables import Bounding, Mean, People, Rows, Suggestion, Sum, Table
from discreet.tables.pages import answer_page
from discreet.tables.spread import QUARTERS, SIZES, Sizes, Spread
from discreet.tables.suggest import best_of, prices, worths

pytestmark = pytest.mark.usefixtures("given_coins")

SURE = 10**9
"""An epsilon whose noise is 0 but for a probability far below any that matters."""
CITIES = tuple(f"c{i:02}" for i in range(60))


def visits(*counts, rows=1):
    """People who are in so many cities each, with so many rows in each of them."""
    return pd.DataFrame(
        [(who, CITIES[(who + i) % 60]) for who, n in enumerate(counts) for i in range(n) for _ in range(rows)],
        columns=["who", "city"],
    ).assign(paid=1.0)


def by_city(data, *, keys=None, ledger=None):
    return Table(data, person="who", ledger=ledger).group_by("city", keys=keys)


def truth(counts, bound):
    return 1 - sum(min(n, bound) for n in counts) / sum(counts)


MANY = [1] * 900 + [2] * 300 + [3] * 100 + [7] * 40 + [20] * 10


class TestEstimate:
    @tiers.crossed(4, what=["count_people", "sum", "mean"], bound=[1, 2, 3, 5, 8])
    def test_without_noise_it_is_the_share_of_peoples_groups(self, what, bound):
        paid = {} if what == "count_people" else {"column": "paid", "low": 0, "high": 2}
        found = getattr(by_city(visits(*MANY)), what)(epsilon=SURE, delta="1e-6", max_groups=bound, **paid).left_out
        assert found.low <= truth(MANY, bound) <= found.high
        assert found.share == pytest.approx(truth(MANY, bound), abs=0.02)

    @pytest.mark.parametrize(("bound", "most"), [(1, 1), (2, 3), (3, 2), (30, 1), (30, 4)])
    def test_of_rows_it_is_the_share_of_rows(self, bound, most):
        rows = 4
        kept = sum(min(n, bound) * min(rows, most) for n in MANY)
        answer = by_city(visits(*MANY, rows=rows)).count_rows(
            epsilon=SURE, delta="1e-6", max_groups=bound, max_rows=most
        )
        exact = 1 - kept / (rows * sum(MANY))
        assert answer.left_out.low <= exact + 1e-9
        assert answer.left_out.high >= exact - 1e-9
        assert answer.left_out.share == pytest.approx(exact, abs=0.13)  # Quarters are coarse.

    def test_without_groups_rows_are_bounded_too(self):
        counts = [1] * 500 + [4] * 300 + [30] * 20
        answer = Table(visits(*counts), person="who").count_rows(epsilon=SURE, max_rows=3)
        assert answer.left_out.low <= truth(counts, 3) <= answer.left_out.high
        assert answer.left_out.share == pytest.approx(truth(counts, 3), abs=0.02)

    def test_known_keys_are_the_groups_that_count(self):
        data = visits(*[5] * 600)
        answer = by_city(data, keys=CITIES[:2]).count_people(epsilon=SURE, max_groups=1)
        inside = data[data.city.isin(CITIES[:2])].groupby("who").city.nunique()
        assert answer.left_out.share == pytest.approx(truth(list(inside), 1), abs=1e-6)

    def test_filters_and_nobodies_are_followed(self):
        data = visits(*[3] * 600)
        data.loc[data.who < 200, "who"] = np.nan
        kept = data[(data.city < "c30") & data.who.notna()]
        answer = (
            Table(data, person="who")
            .where("city < 'c30'")
            .group_by("city")
            .count_people(epsilon=SURE, delta="1e-6", max_groups=1)
        )
        assert answer.left_out.share == pytest.approx(truth(list(kept.groupby("who").size()), 1), abs=1e-6)

    def test_a_person_in_more_groups_than_the_last_bin_is_counted_in_it(self):
        data = pd.DataFrame([(who, f"{i}") for who in range(500) for i in range(70)], columns=["who", "city"])
        found = Table(data, person="who").group_by("city").count_people(epsilon=SURE, delta="1e-6", max_groups=32)
        assert found.left_out.low <= 1 / 2 <= found.left_out.high

    @pytest.mark.parametrize("sizes", [Sizes(), Sizes(rows=2), Sizes(rows=2, groups=False)], ids=str)
    def test_one_person_is_in_one_bin_whatever_they_did(self, sizes):
        by = {"by": "city", "max_groups": 2} if sizes.groups else {}
        plan = Bounding(Rows(2), person="who", **by, sizes=sizes)
        person = pd.DataFrame([(9999, city) for city in CITIES for _ in range(9)], columns=["who", "city"])
        without = visits(*MANY).drop(columns="paid")
        before, after = (plan(ibis.memtable(data)).sizes for data in (without, pd.concat([without, person])))
        assert len(before) == sizes.count == (len(SIZES) * len(QUARTERS) if sizes == Sizes(rows=2) else len(SIZES))
        assert before.sum() == len(MANY)
        assert sorted((after - before).tolist())[-2:] == [0, 1]
        assert (after - before).sum() == 1

    def test_sqlite_agrees(self, tmp_path):
        with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
            visits(*MANY).to_sql("visits", connection, index=False)
        table = Table(f"sqlite://{tmp_path}/a.db", table="visits", person="who").group_by("city")
        for what, rest in (("count_people", {}), ("count_rows", {"max_rows": 1})):
            found = getattr(table, what)(epsilon=SURE, delta="1e-6", max_groups=2, **rest).left_out
            beside = getattr(by_city(visits(*MANY)), what)(epsilon=SURE, delta="1e-6", max_groups=2, **rest).left_out
            assert found == beside


LAWS = ["alone", "few", "all alike", "many"]


class TestInterval:
    @tiers.crossed(3, law=LAWS, epsilon=["1/20", "1/2"])
    def test_it_covers_at_least_as_often_as_it_says(self, law, epsilon):
        """Of 150 intervals each, at most 13 miss: of intervals that miss one time in ten, more do in 96 % of cases."""
        draws = np.random.default_rng(5)
        counts = {
            "alone": np.ones(5000, int),
            "few": draws.geometric(0.4, 5000),
            "many": np.minimum(draws.zipf(2.2, 5000), 64),
            "all alike": np.full(2000, 20),
        }[law]
        histogram = np.bincount(np.searchsorted(SIZES, counts), minlength=len(SIZES)).tolist()
        noise = IntegerLaplace.within(epsilon=epsilon, domain=Vectors(Integers(), size=len(SIZES)))
        for bound in tiers.each((1, 3, 8), 2):
            missed = 0
            for _ in range(150):
                found = Spread(tuple(map(int, noise.release(histogram))), noise.noise).left_out(bound)
                missed += not found.low - 1e-12 <= truth(counts, bound) <= found.high + 1e-12
                assert found.low <= found.share <= found.high
            assert missed <= 13

    def test_without_noise_it_is_as_narrow_as_the_bins(self):
        found = Spread((100, 50, 20, *[0] * 9), Laplace("1e-6")).left_out(1)
        assert found.low == pytest.approx(found.high)
        assert found.share == pytest.approx(1 - 170 / 260)

    def test_nobody_is_in_more_groups_than_there_are(self):
        open_ended, known = (Spread((1000, *[0] * 11), Laplace(20), most).left_out(1) for most in (None, 2))
        assert known.high < open_ended.high / 4

    def test_too_few_people_teach_nothing_and_it_says_so(self):
        answer = by_city(visits(1, 2, 3)).count_people(epsilon=1, delta="1e-6", max_groups=2)
        assert answer.left_out is None
        assert "is not known: the noise is larger than the table" in str(answer)

    @pytest.mark.parametrize("counts", [[], [0] * 12, [-5] * 12, [10**9, *[0] * 11]])
    def test_no_counts_fail(self, counts):
        spread = Spread(tuple(counts or [0] * 60), Laplace(10))
        found = spread.left_out(2)
        assert 0 <= found.low <= found.share <= found.high <= 1


class TestCharge:
    @pytest.mark.parametrize("what", ["count_people", "count_rows", "sum", "mean"])
    @pytest.mark.parametrize("keys", [None, CITIES[:9]], ids=["private", "known"])
    @pytest.mark.parametrize("bound", [2, "auto"])
    @pytest.mark.parametrize("part", [None, "1/4"])
    def test_the_charge_is_what_all_chains_cost_and_what_was_typed(self, what, keys, bound, part):
        of = {"count_people": People(), "count_rows": Rows(), "sum": Sum("paid", 0, 2), "mean": Mean("paid", 0, 2)}
        groups = by_city(visits(1, 2, 3), keys=keys)
        question = groups._query([of[what]], "0.7", None if keys else "1e-6", bound, None, part)
        share = Fraction(part or ("1/10" if bound == "auto" else "1/20"))
        assert question.left_out == share
        turns = question.measurement.choices if bound == "auto" else [question.turn]
        sizes = question.measurement.first.sizes if bound == "auto" else question.turn.sizes
        assert sizes.loss(1) == Pure(share * Fraction("0.7"))
        for turn in turns:
            losses = [sizes.loss(1), *(part.loss(turn.bounding, 1) for part in turn.parts)]
            assert question.spent.epsilon == sum(loss.epsilon for loss in losses) == Fraction("0.7")
        assert question.spent.delta <= (0 if keys else Fraction("1e-6"))
        assert question.measurement.loss(1).epsilon == question.spent.epsilon

    def test_the_histogram_that_is_paid_for_is_the_one_that_is_drawn(self, monkeypatch):
        seen = []
        draw = IntegerLaplace.sample
        monkeypatch.setattr(IntegerLaplace, "sample", lambda m, x, coins: [seen.append(m.scale), draw(m, x, coins)][1])
        book = Ledger.in_memory(epsilon=1)
        by_city(visits(*[2] * 30), keys=CITIES[:5], ledger=book).count_people(epsilon=1, max_groups=2)
        assert seen == [20, Fraction(40, 19)]
        assert book.left.epsilon == 0

    def test_one_entry_says_all_of_it(self):
        book = Ledger.in_memory(epsilon=2, delta="1e-5")
        asked = {"epsilon": 1, "delta": "1e-6", "max_groups": "auto", "noise": "laplace"}
        answer = by_city(visits(*MANY), ledger=book).count_people(**asked)
        (entry,) = book.entries()
        assert entry.epsilon == 1
        assert Fraction("9e-7") < entry.delta <= Fraction("1e-6")
        assert entry.receipt["max_groups"] == "auto"
        assert entry.receipt["left_out"] == "1/10"
        assert answer.receipt.found.max_groups in SIZES
        assert set(entry.receipt["mechanisms"]) == {"left_out"}  # The other one was not chosen yet.
        (said,) = answer.receipt.found.mechanisms.values()
        noise = answer["people"].noise
        assert said.startswith(f"LaplaceThreshold(scale={noise.law.scale!r}, threshold={noise.threshold},")

    @pytest.mark.parametrize(
        ("ask", "words"),
        [
            (
                lambda t: t.group_by("city").count_people(epsilon=1, delta="1e-6", max_groups=2, left_out=1),
                "left_out=1",
            ),
            (
                lambda t: t.group_by("city").count_people(epsilon=1, delta="1e-6", max_groups=2, left_out=-1),
                "left_out=-1",
            ),
            (
                lambda t: t.group_by("city").count_people(epsilon=1, delta="1e-6", max_groups="auto", left_out=0),
                "left_out > 0",
            ),
            (
                lambda t: t.group_by("city").count_people(epsilon=1, delta="1e-6", max_groups="most"),
                "max_groups='most'",
            ),
            (
                lambda t: t.group_by("city", keys=["c01"]).count_people(epsilon=1, max_groups=1, left_out="1/9"),
                "nobody's",
            ),
            (lambda t: t.count_rows(epsilon=1, left_out=2), "left_out=2"),
        ],
    )
    def test_what_makes_no_sense_is_refused_before_anything_is_charged(self, ask, words):
        book = Ledger.in_memory(epsilon=9, delta="1e-5")
        with pytest.raises((ParameterError, TypeError), match=words):
            ask(Table(visits(1, 2), person="who", ledger=book))
        assert not book.entries()

    def test_where_bounds_leave_nothing_out_nothing_is_asked_or_said(self):
        for answer in (
            by_city(visits(1, 2), keys=CITIES[:3]).count_people(epsilon=1, max_groups=3),
            Table(visits(1, 2), person=None).group_by("city").count_people(epsilon=1, delta="1e-6"),
            Table(visits(1, 2), person="who").count_people(epsilon=1),
            Table(visits(1, 2), person="who").sum("paid", low=0, high=1, epsilon=1),
        ):
            assert answer.left_out is answer.bias is answer.receipt.left_out is None

    def test_where_it_is_not_asked_for_it_says_so(self):
        answer = by_city(visits(*MANY)).count_people(epsilon=1, delta="1e-6", max_groups=2, left_out=0)
        assert answer.left_out is None
        assert "max_groups = 2 left out is not known: it was not asked for" in str(answer)
        assert answer.noise["people"].law.scale == 2

    def test_too_few_people_are_said_to_be_too_few(self):
        asked = {"epsilon": 10, "delta": "1e-6", "max_groups": 2}
        few, many = (by_city(visits(*[1] * people)).count_people(**asked) for people in (500, 9000))
        assert few.left_out.high - few.left_out.low > 0.25 > many.left_out.high - many.left_out.low
        assert "left out between 0.0% and " in few.bias
        assert "too few people to say more" in few.bias
        assert "left out 0.0% of people's groups (0.0% to " in many.bias
        tiles = [dict(answer_page(answer).tiles)["Left out by bounding"] for answer in (few, many)]
        assert tiles == ["not known", str(many.left_out)]


class TestAuto:
    @pytest.mark.parametrize("each", [1, 2, 3, 5, 8])
    def test_where_everybody_is_in_as_many_groups_that_many_are_chosen(self, each):
        answer = by_city(visits(*[each] * 3000)).count_people(epsilon=400, delta="1e-6", max_groups="auto")
        assert answer.receipt.found.max_groups == each
        assert f"max_groups = {each} left out" in answer.bias

    def test_few_people_get_the_least_noise(self):
        answer = by_city(visits(1, 2, 3)).count_people(epsilon=1, delta="1e-6", max_groups="auto")
        assert answer.receipt.found.max_groups == 1

    def test_no_more_groups_are_chosen_than_there_are(self):
        answer = by_city(visits(*[9] * 3000), keys=CITIES[:4]).count_people(epsilon=1, max_groups="auto")
        assert answer.receipt.found.max_groups <= 4

    def test_the_thresholds_cost_counts(self):
        """Everybody is in 8 groups; at max_groups 8 a group of 100 would be hidden, which costs all of its people."""
        spread = Spread((*[0] * 6, 5000, *[0] * 5), Laplace(10))
        private, known = (
            Suggestion(100, spread, worths(spread, prices(Fraction(1), delta, "laplace")), None)
            for delta in (Fraction("1e-6"), None)
        )
        assert known.best == 8
        assert private.best < 8
        assert private.error(8, 100) > 95 > known.error(8, 100)

    def test_suggestions_for_the_same_data_agree(self):
        """Of thirty runs at the default epsilon, one at either end aside, the largest is at most twice the smallest."""
        counts = np.random.default_rng(2).geometric(0.35, 10_000)
        histogram = np.bincount(np.searchsorted(SIZES, counts), minlength=len(SIZES)).tolist()
        noise = IntegerLaplace.within(epsilon="0.1", domain=Vectors(Integers(), size=len(SIZES)))
        found = sorted(
            best_of(worths(spread, prices(Fraction(1), Fraction("1e-6"))), spread, 1000)
            for spread in (Spread(tuple(map(int, noise.release(histogram))), noise.noise) for _ in range(30))
        )[1:-1]
        assert max(found) <= 2 * min(found), found

    def test_a_suggestion_is_charged_and_follows_filters(self):
        book = Ledger.in_memory(epsilon=2 * SURE)
        table = Table(visits(*[4] * 99), person="who", ledger=book).where("city IN ('c01', 'c02')")
        found = table.suggest_max_groups("city", epsilon=SURE, planned=2, group_size=10**6)
        assert (found.best, found.best_for(10**6)) == (2, 2)
        assert [(entry.epsilon, entry.delta) for entry in book.entries()] == [(SURE, 0)]
        assert (found.receipt.table, found.receipt.asked) == ("a pandas frame", ())
        assert found.to_rows()[0] | {"left_out": 0, "error": 0} == {
            "max_groups": 1, "left_out": 0, "noise": pytest.approx(0.6017, abs=1e-4), "threshold": 7, "error": 0,
        }  # fmt: skip

    def test_a_suggestion_that_could_learn_nothing_is_none(self):
        found = Table(visits(1, 2, 3), person="who").suggest_max_groups("city")
        assert found.best is None
        assert "The noise is larger than what could be learned" in str(found)
