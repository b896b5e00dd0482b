"""Counts in two rounds: one meaning on every engine, the law of both within the map, and one charge for both."""

import math
import random
from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest
import tables_engines
import tables_reference as reference
from answer_forms import with_ends
from tiers import each

from discreet import BudgetError, GaussianThreshold, KindError, Ledger, Maps, ParameterError, Sensitivity
from discreet.coins import SYSTEM
from discreet.domains import Integers
from discreet.noise import delta_of_rounds
from discreet.reals import expm1, float_up
from discreet.tables import Bounding, Mean, People, Rows, Sum, Table
from discreet.tables.bounding import key_domains
from discreet.tables.laws import Candidate
from discreet.tables.query import Query
from discreet.tables.release import InTurn, Part
from discreet.tables.rounds import InRounds, rest

ibis = pytest.importorskip("ibis")

SALT = bytes(range(16))
SCHEMA = ibis.schema({"id": "int64", "city": "string", "month": "int32", "day": "date", "ok": "boolean"})
POOLS = {
    "id": [0, 1, 2, 3, 2**40, None],
    "city": ["", "a", "A", "a ", "|", "é", "日本", "n", "NULL", "sAB", None],
    "month": [1, 2, 3, -5, None],
    "day": [pd.Timestamp(day).date() for day in ("1969-12-31", "1970-01-01", "2026-02-28")] + [None],
    "ok": [True, False, None],
}
PRIVATE = {"epsilon": 1, "delta": "1e-6"}


@pytest.fixture(scope="module", params=tables_engines.parameters())
def engine(request, tmp_path_factory):
    found, stop = tables_engines.start(request.param, tmp_path_factory.mktemp(request.param))
    yield found
    stop()


def rows_of(seed, size):
    pick = random.Random(seed)
    return [{name: pick.choice(pool) for name, pool in POOLS.items()} for _ in range(size)]


def counting(by="city", max_groups=1, person="id", **more):
    return Bounding(People(), person=person, by=by, max_groups=max_groups, salt=SALT, **more)


def rounds_of(bounding, *noises, epsilon=1):
    """Rounds with given variances and thresholds."""
    made = [
        GaussianThreshold(variance=v, threshold=t, epsilon=epsilon, domain=Maps(bounding.key_domain, Integers()))
        for v, t in noises
    ]
    turns = tuple(InTurn(bounding, (Part(People(), (Candidate.of("gaussian", m),)),)) for m in made)
    return InRounds(turns, Fraction(epsilon))


def left(rows, by, shown):
    return [row for row in rows if tuple(row[name] for name in by) not in shown]


class TestEngines:
    def test_each_counts_in_the_rest_what_plain_python_counts(self, engine):
        plans = [
            (["city"], 2, "id"),
            (["city", "month"], 3, "id"),
            (["day"], 1, ["id", "month"]),
            (["ok", "city"], 2, "id"),
        ]
        for seed, (by, most, person) in enumerate(plans if engine.name != "pyspark" else plans[1:3]):
            rows, bounding = rows_of(seed, 60), counting(by, most, person)
            table = engine.load(SCHEMA, rows)
            whole = reference.aggregates(bounding, rows, SALT)
            shown = sorted(whole, key=lambda key: (-whole[key][0], str(key)))[: len(whole) // 2]
            totals = bounding.apply(rest(table, by, shown))
            keys = totals.keys(np.arange(len(totals.people)))
            expected = reference.aggregates(bounding, left(rows, by, set(shown)), SALT)
            assert dict(zip(keys, totals.people.tolist(), strict=True)) == {key: n[0] for key, n in expected.items()}
            assert any(expected[key][0] > whole.get(key, [0])[0] for key in expected)  # Places have become free.

    def test_both_rounds_are_drawn_from_the_same_counts(self, engine):
        """The noise is small beside the gaps between counts, which are those of plain Python."""
        rows = [
            {**dict.fromkeys(POOLS), "id": i, "city": city} for i in range(300) for city in ("Rome", f"town {i % 3}")
        ]
        rows += [{**dict.fromkeys(POOLS), "id": 1000 + i, "city": None} for i in range(130)]
        bounding, table = counting(), engine.load(SCHEMA, rows)
        both = rounds_of(bounding, (2, 115), (2, 60))
        released = both.release(table)
        first = reference.result(bounding, rows, SALT)
        shown = {key for key, n in first.items() if n > 115}
        second = reference.result(bounding, left(rows, ["city"], {(key,) for key in shown}), SALT)
        assert shown == {"Rome", None}
        assert second == {f"town {i}": 100 for i in range(3)}
        places = [key for (key,) in released.keys]
        assert sorted(places, key=str) == sorted([*shown, *second], key=str)
        assert released.rounds == tuple(1 if key in shown else 2 for key in places)
        expected = [first[key] if key in shown else second[key] for key in places]
        assert max(abs(a - b) for a, b in zip(released.columns[0], expected, strict=True)) < 15

    def test_thousands_of_groups_can_be_left_out(self, engine):
        if engine.name == "pyspark":
            return
        rows = [{**dict.fromkeys(POOLS), "id": i, "city": f"c{i}", "month": i % 7} for i in range(3000)]
        table = engine.load(SCHEMA, rows)
        shown = [(f"c{i}", i % 7) for i in range(2999)]
        assert counting(["city", "month"]).apply(rest(table, ["city", "month"], shown)).people.tolist() == [1]


@pytest.mark.parametrize(
    "kind",
    each(
        [
            *("BIGINT", "UBIGINT", "HUGEINT", "BOOLEAN", "VARCHAR", "DATE", "TIME", "UUID", "DECIMAL(9, 2)"),
            *("TIMESTAMP", "TIMESTAMPTZ", "TIMESTAMP_S", "TIMESTAMP_NS", "DECIMAL(38, 0)", "DECIMAL(4, 4)"),
        ],
        2,
    ),
)
def test_a_group_of_any_type_that_is_shown_is_left_out(kind):
    values = {
        "BIGINT": "-3, 0, 9223372036854775807",
        "UBIGINT": "0, 1, 18446744073709551615",
        "HUGEINT": "0, -1, 170141183460469231731687303715884105727",
        "BOOLEAN": "true, false",
        "VARCHAR": "'', 'n', 'é|'",
        "TIME": "'00:00:00', '12:30:01.000001', '24:00:00'",
        "UUID": "'00000000-0000-0000-0000-00000000000a', 'ffffffff-ffff-ffff-ffff-ffffffffffff'",
        "DECIMAL(9, 2)": "1.50, -0.01, 0",
        "DECIMAL(4, 4)": "0.05, -0.0001, 0",
        "DECIMAL(38, 0)": "1, -99999999999999999999999999999999999999",
    }.get(
        kind,
        "'1970-01-01', '1969-12-31', '2200-02-28', 'infinity'"
        if kind != "TIMESTAMP_NS"
        else "'1970-01-01', '2100-02-03'",
    )
    con = ibis.duckdb.connect()
    con.raw_sql(f"CREATE TABLE events AS SELECT unnest([{values}, NULL])::{kind} x, 1 id")
    table = con.table("events")
    bounding = counting("x", 9, key_types=key_domains(table, ["x"]))
    keys = [(key,) for key in bounding.named(bounding.apply(table).keys(np.arange(table.count().execute())))]
    for shown in [keys[:1], keys[1:], keys]:
        found = bounding.apply(rest(table, ["x"], shown))
        assert Counter(found.keys(np.arange(len(found.people)))) == Counter(key for key in keys if key not in shown)


# The law of both rounds, written out.


def points(variance, count, threshold):
    """What becomes of a group of so many people: shown with a value, each with its probability, or not."""
    reach = range(-math.ceil(9 * variance**0.5), math.ceil(9 * variance**0.5) + 1)
    weights = {count + z: math.exp(-z * z / (2 * variance)) for z in reach}
    norm = math.fsum(weights.values())
    seen = {value: w / norm for value, w in weights.items() if value > threshold}
    return {None: 1 - math.fsum(seen.values())} | seen


def law(bounding, noises, rows):
    """The probability of every result: of each group, the round in which it was shown, and its value there."""
    found = {frozenset(): 1.0}
    for number, (variance, threshold) in enumerate(noises, 1):
        after, made = Counter(), {}
        for result, p in found.items():
            shown = frozenset(key for key, _, _ in result)
            if shown not in made:
                totals = reference.aggregates(bounding, left(rows, bounding.by, shown), SALT)
                made[shown] = {key: points(variance, n[0], threshold) for key, n in totals.items()}
            groups = made[shown]
            for values in product(*(groups[key].items() for key in groups)):
                more = [
                    (key, number, value) for key, (value, _) in zip(groups, values, strict=True) if value is not None
                ]
                after[result.union(more)] += p * math.prod(q for _, q in values)
        found = after
    return found


def divergence(p, q, epsilon):
    """The least delta at an epsilon, both ways."""
    factor = math.exp(epsilon)
    return max(math.fsum(max(x.get(y, 0.0) - factor * z.get(y, 0.0), 0.0) for y in x) for x, z in ((p, q), (q, p)))


def who_counts_first(key, other):
    """A person whose place in one group comes before that in another."""
    return next(i for i in range(99) if reference.place((i,), (key,), SALT) < reference.place((i,), (other,), SALT))


def crowd(**sizes):
    return [{"id": 10_000 * ord(city) + i, "city": city} for city, n in sizes.items() for i in range(n)]


def around(person, *cities):
    return [{"id": person, "city": city} for city in cities]


class TestLaw:
    CASES = (
        # Variances and thresholds, max_groups, who else is there, and at an epsilon how much of delta is attained.
        ([(60, 130), (20, 20)], 1, {"a": 200, "b": 60}, "1/2", 0.7),  # Shared: a in round 1, b in round 2.
        ([(60, 30), (20, 20)], 2, {"a": 60, "b": 60}, "1/2", 0.0),
        ([(9, 8), (4, 6)], 1, {}, "4", 0.9),  # New groups, in both rounds.
        ([(9, 8), (4, 6)], 2, {}, "4", 0.9),
        ([(9, 8), (4, 6)], 2, {"a": 60}, "1", 0.0),
        ([(9, 8), (4, 6)], 1, {"b": 9}, "1", 0.0),
        ([(9, 5), (4, 5)], 1, {"a": 4, "b": 4}, "1", 0.0),
    )

    @pytest.mark.parametrize(("noises", "most", "others", "at", "attained"), CASES, ids=range(len(CASES)))
    def test_no_neighbour_is_farther_than_the_map_says(self, noises, most, others, at, attained):
        bounding, person = counting(max_groups=most), who_counts_first("a", "b")
        rows = crowd(**others)
        without, all_ = law(bounding, noises, rows), law(bounding, noises, rows + around(person, "a", "b"))
        assert math.fsum(all_.values()) == pytest.approx(1, abs=1e-9)
        for epsilon in ("0", "1/10", "1/2", "1", "2", "4"):
            stated = rounds_of(bounding, *noises, epsilon=Fraction(epsilon)).privacy_map(1)[1]
            found = divergence(without, all_, float(Fraction(epsilon)))
            assert found <= stated + 1e-12
            assert found >= attained * stated or epsilon != at

    def test_both_rounds_tell_something_of_a_person(self):
        """What a person tells in the two groups, one in each round, is more than either round loses."""
        (noises, most, others, *_), person = self.CASES[0], who_counts_first("a", "b")
        bounding, rows = counting(max_groups=most), crowd(**others)
        laws = [law(bounding, noises, more) for more in (rows, rows + around(person, "a", "b"))]
        found = divergence(*laws, 0.5)
        for one in noises:
            assert found > rounds_of(bounding, one, epsilon=Fraction(1, 2)).privacy_map(1)[1]

    def test_two_people_may_be_one_added_and_one_removed(self):
        noises, bounding = [(9, 8), (4, 6)], counting(max_groups=1)
        laws = [law(bounding, noises, around(i, city)) for i, city in ((1, "a"), (2, "b"))]
        for epsilon in ("0", "1/2", "1"):
            both = rounds_of(bounding, *noises, epsilon=Fraction(epsilon))
            assert divergence(*laws, float(Fraction(epsilon))) <= both.privacy_map(2)[1]
            assert both.privacy_map(2)[1] >= both.privacy_map(1)[1]

    def test_the_second_round_is_bounded_after_the_rest_is_taken(self):
        """A person whose one place went to a group that was shown counts in another, and in one alone."""
        bounding, person = counting(), who_counts_first("a", "b")
        rows = around(person, "a", "b")
        totals = [reference.result(bounding, left(rows, ["city"], shown), SALT) for shown in ([], [("a",)])]
        assert totals == [{"a": 1}, {"b": 1}]
        table = ibis.memtable(rows)
        for rows, expected in zip([table, rest(table, ["city"], [("a",)])], totals, strict=True):
            found = bounding.apply(rows)
            assert [
                (key, n) for (key,), n in zip(found.keys(np.arange(1)), found.people.tolist(), strict=True)
            ] == list(expected.items())


class TestMap:
    def test_one_round_is_nearly_the_exact_joint_profile(self):
        for v, t, m, epsilon in ((54, 37, 3, 1), (600, 120, 28, 1), (21, 24, 1, 1), (200, 78, 10, "1/2")):
            exact = GaussianThreshold(variance=v, threshold=t, epsilon=epsilon).privacy_map((m, m, 1))[1]
            here = rounds_of(counting(max_groups=m), (v, t), epsilon=Fraction(epsilon)).privacy_map(1)[1]
            assert exact <= here <= 2.5 * exact

    def test_people_who_are_not_there_tell_nothing_and_too_many_all(self):
        both = rounds_of(counting(max_groups=2), (40, 30), (20, 20))
        assert both.privacy_map(0) == (0.0, 0.0)
        assert both.privacy_map(21) == (1.0, 1.0)
        deltas = [both.privacy_map(d)[1] for d in range(8)]
        assert deltas == sorted(deltas)

    @pytest.mark.parametrize("m", each([1, 2, 3, 10, 28, 1000, 10**6], 2))
    def test_the_noise_found_is_within_the_budget(self, m):
        for epsilon, delta in ((1, "1e-6"), ("1/20", "1e-9"), (10, "1e-6"), (50, "1/2"), (1, "1e-300"), (2, "1e-12")):
            bounding = counting(max_groups=m)
            both = InRounds.within(bounding, epsilon=Fraction(epsilon), delta=Fraction(delta))
            both.require(1, (Fraction(epsilon), Fraction(delta)))
            v = [one.variance for one in both.mechanisms]
            assert v[0] > v[1] > 1
            assert (v[0] - 1) / (v[1] - 1) == pytest.approx(15, rel=0.1 + 1 / float(v[1] - 1))
            apart = Sensitivity(m, m, 1)
            parts = [float_up(-expm1(-one.noise.surprise(one.threshold, apart))) for one in both.mechanisms]
            assert parts[0] <= float(Fraction(delta)) / 16 * (1 + 1e-9)
            assert parts[1] <= float(Fraction(delta)) * 5 / 16 * (1 + 1e-9)

    def test_no_less_noise_would_do(self):
        for m in (1, 3, 28):
            both = InRounds.within(counting(max_groups=m), epsilon=Fraction(1), delta=Fraction("1e-6"))
            noises = [(one.variance, one.threshold) for one in both.mechanisms]
            less = rounds_of(counting(max_groups=m), *((v * Fraction(9, 10), t - 2) for v, t in noises))
            assert less.privacy_map(1)[1] > 1e-6

    def test_smoothing_costs_less_than_it_says(self):
        """Discrete noise of variance v is rounded noise of v - s, but for a factor: computed, not quoted."""
        for s in (1, 2, 4):
            q = math.exp(-2 * math.pi**2 * s)
            eta = 2 * sum(q ** (k * k) for k in range(1, 5))
            assert math.log1p(eta) - math.log1p(-eta) < 2.0 ** (2 - 28 * s)
            exact, rough = (
                float_up(delta_of_rounds(Fraction(1), [(1, Fraction(9))], moved, Fraction(0), s))
                for moved in (0, 1 << (28 * s - 5))  # An eighth, by which epsilon is less twice.
            )
            less = float_up(delta_of_rounds(Fraction(3, 4), [(1, Fraction(9))], 0, Fraction(0), s))
            assert rough == pytest.approx(math.exp(1 / 8) * less, rel=1e-12)
            assert exact < rough

    def test_what_is_new_on_both_sides_costs_no_less(self):
        given = (Fraction(1), [(3, Fraction(60))], 3, Fraction(1, 10**6), 1)
        assert float_up(delta_of_rounds(*given, mixed=True)) >= float_up(delta_of_rounds(*given))

    @pytest.mark.parametrize(
        "make",
        [
            lambda: rounds_of(counting(keys=["a"]), (40, 30)),
            lambda: replace(
                rounds_of(counting(), (40, 30), (40, 30)),
                rounds=(*rounds_of(counting(), (4, 3)).rounds, *rounds_of(counting(max_groups=2), (4, 3)).rounds),
            ),
            lambda: InRounds(
                (InTurn.within(counting(), epsilons=[Fraction(1)], delta=Fraction("1e-6"), noise="laplace"),),
                Fraction(1),
            ),
        ],
        ids=["known keys", "two boundings", "laplace"],
    )
    def test_what_is_no_such_release_is_refused(self, make):
        with pytest.raises(ParameterError, match="Gaussian noise, of one bounding's private groups"):
            make()


def frame(n=900, towns=9):
    rows = [(user, city, 1.5) for user in range(n) for city in ("Rome", "Bari", f"town {user % towns}")]
    return pd.DataFrame(rows, columns=["user", "city", "paid"])


def groups(data=None, book=None, by=("city",)):
    return Table(frame() if data is None else data, person="user", ledger=book).group_by(*by)


class TestQuestion:
    def test_each_group_is_shown_once_with_the_noise_of_its_round(self, given_coins):
        answer = groups().count_people(**PRIVATE, max_groups=1, rounds=2)
        towns = {f"town {i}": 2 for i in range(9)}
        assert dict(zip((key for (key,) in answer.keys), answer.rounds, strict=True)) == {"Bari": 1, "Rome": 1} | towns
        assert [row["round"] for row in answer] == list(answer.rounds) == answer.to_arrow()["round"].to_pylist()
        noise = answer["people"].noise
        assert (noise.rounds, noise.threshold) == (answer.rounds, noise.each[1].threshold)
        low, high = answer.interval("0.9")
        for i, which in enumerate(answer.rounds):
            one = noise.each[which - 1].above([answer.columns["people"][i]], Fraction(1, 10))
            assert (low[i], high[i]) == (one[0][0], one[1][0])
        assert noise.radius(Fraction(1, 20)) == noise.each[0].radius(Fraction(1, 20))
        assert noise.deviation == noise.each[0].deviation
        assert "round" in str(answer)
        assert "In round 2 people counted only in the others" in answer.to_html()

    def test_intervals_hold_the_counts_as_often_as_they_say(self, given_coins):
        both = rounds_of(counting(max_groups=1), (400, 100), (25, 25))
        error = Fraction(1, 5)
        misses = {1: [0, 0], 2: [0, 0]}
        for which, (turn, count) in enumerate(zip(both.rounds, (130, 33), strict=True), 1):
            noisy = turn.parts[0].mechanism.keep(np.full(4000, count), SYSTEM)[1]
            low, high = both.noise((which,) * len(noisy)).above(noisy, error)
            misses[which] = [int(np.sum((low > count) | (high < count))), len(noisy)]
        for missed, shown in misses.values():
            assert shown > 1000
            assert missed <= 0.2 * shown + 5 * (0.16 * shown) ** 0.5
            assert missed >= 0.1 * shown

    def test_a_group_column_may_be_called_round(self):
        data = frame().rename(columns={"city": "round"})
        answer = groups(data, by=("round",)).count_people(**PRIVATE, max_groups=1, rounds=2)
        assert answer.to_arrow().column_names == ["round", *with_ends("people"), "released_round"]

    def test_both_rounds_are_one_charge_before_anything_is_asked(self, monkeypatch):
        book = Ledger.in_memory(epsilon=2, delta="1e-5")
        answer = groups(book=book).count_people(**PRIVATE, max_groups=2, rounds=2)
        (entry,) = book.entries()
        query = Query.of(
            groups().table,
            (People(),),
            by=("city",),
            keys=None,
            **PRIVATE,
            max_groups=2,
            weights=None,
            left_out=None,
            rounds=2,
        )
        both = query.measurement
        assert isinstance(both, InRounds)
        assert entry.event == both.event(1)
        assert (float(entry.epsilon), float(entry.delta)) == both.privacy_map(1)
        assert entry.epsilon == 1
        assert answer.receipt.to_dict()["rounds"] == 2
        assert list(answer.receipt.mechanisms) == ["left_out", "people, round 1", "people, round 2"]
        codes = list(answer.receipt.mechanisms.values())[1:]
        assert codes == [repr(one) for one in both.mechanisms]
        part = entry.event.parts[0]
        v = [one.variance for one in both.mechanisms]
        assert part.concentrated[0] == 2 / (2 * v[0]) + 2 / (2 * v[1])
        asked = []

        def fail(self, *_):
            asked.append(len(list(book.entries())))
            raise RuntimeError("Rome")

        monkeypatch.setattr(Bounding, "run", fail)
        with pytest.raises(Exception, match=r"\(RuntimeError\); epsilon 1"):
            groups(book=book).count_people(epsilon=1, delta="1e-6", max_groups=2, rounds=2)
        assert asked == [2]
        assert [entry.kind for entry in book.entries()] == ["charge", "charge", "failed"]
        with pytest.raises(BudgetError):
            groups(book=book).count_people(epsilon=1, delta="1e-6", max_groups=2, rounds=2)

    def test_a_failure_of_the_second_round_is_charged(self, monkeypatch):
        book, run = Ledger.in_memory(epsilon=2, delta="1e-5"), Bounding.run
        runs = []

        def once(self, *asked):
            runs.append(asked)
            if len(runs) == 2:
                raise RuntimeError("Rome")
            return run(self, *asked)

        monkeypatch.setattr(Bounding, "run", once)
        with pytest.raises(Exception, match=r"\(RuntimeError\); epsilon 1"):
            groups(book=book).count_people(**PRIVATE, max_groups=1, rounds=2)
        assert [entry.kind for entry in book.entries()] == ["charge", "failed"]

    def test_what_bounding_leaves_out_is_told_of_each_round(self, given_coins):
        """Everybody is in Rome and a town: one of two groups is left out in round 1, none of the towns in round 2."""
        rows = [(user, city) for user in range(20_000) for city in ("Rome", f"town {user % 400}")]
        data = pd.DataFrame(rows, columns=["user", "city"])
        answer = groups(data).count_people(epsilon=1, delta="1e-6", max_groups=1, rounds=2)
        assert answer.rounds.count(1) == 1
        first, second = answer.left_out, answer.receipt.found.rest
        assert first.low <= 0.5 <= first.high
        assert (round(first.share, 2), second.share, second.low) == (0.5, 0, 0)
        assert answer.bias.startswith("Bias in round 1: max_groups = 1 left out")
        assert "Bias in round 2, of groups that round 1 had not shown: max_groups = 1 left out" in answer.bias
        assert groups(data).count_people(**PRIVATE, max_groups=1, rounds=2, left_out=0).left_out is None

    @pytest.mark.parametrize(
        ("given", "words"),
        [
            ({"rounds": 3}, "rounds=3: need 1 or 2"),
            ({"rounds": 0}, "at least 1"),
            ({"max_groups": "auto"}, "a number, with rounds=2"),
            ({"noise": "laplace"}, "'gaussian' or 'auto', with rounds=2"),
            ({"noise": "x"}, "one of auto"),
            ({"delta": None}, "delta > 0"),
            ({"epsilon": 51}, "epsilon <= 50"),
            ({"epsilon": "1e-30", "delta": "1e-30"}, "no numbers"),
        ],
        ids=str,
    )
    def test_bad_parameters_are_refused_before_anything_is_charged(self, given, words):
        book = Ledger.in_memory(epsilon=99, delta="1/10")
        asked = groups(book=book)
        for ask in (asked.count_people, asked.explain):
            with pytest.raises(ParameterError, match=words):
                ask(**PRIVATE | {"max_groups": 1, "rounds": 2} | given)
        assert not list(book.entries())

    def test_what_two_rounds_are_not_for_is_refused_with_a_reason(self):
        table, given = Table(frame(), person="user"), PRIVATE | {"max_groups": 1, "rounds": 2}
        for aggregates in ([People(), Sum("paid", 0, 2)], [Rows(2)], [Mean("paid", 0, 2)]):
            with pytest.raises(ParameterError, match="people alone are counted: then ask for the others, with"):
                table.group_by("city").release(*aggregates, **given)
        with pytest.raises(ParameterError, match="rounds=2: need 1, where the groups are known"):
            table.group_by("city", keys=["Rome"]).count_people(**given)
        with pytest.raises(ParameterError, match="rounds=2: need 1, where keys are floats"):
            table.group_by("paid").count_people(**given)
        with pytest.raises(ParameterError, match="rounds=2: need 1, where each row is a person"):
            Table(frame(), person=None).group_by("city").count_people(**PRIVATE, rounds=2)
        with pytest.raises(KindError, match="rounds='2': need an integer"):
            table.group_by("city").count_people(**given | {"rounds": "2"})
        alone = table.group_by("city").release(People(name="visitors"), **given)
        assert list(alone.to_arrow().column_names) == ["city", *with_ends("visitors"), "round"]

    def test_one_round_is_as_before(self):
        asked = groups()
        answer = asked.count_people(**PRIVATE, max_groups=1, rounds=1)
        assert answer.rounds == ()
        assert "rounds" not in answer.receipt.to_dict()
        assert answer.to_arrow().column_names == ["city", *with_ends("people")]

    def test_filters_and_several_columns_hold_in_both_rounds(self):
        data = frame().assign(year=2026)
        table = Table(data, person="user").where("city <> 'Bari'")
        answer = table.group_by("city", "year").count_people(**PRIVATE, max_groups=1, rounds=2)
        assert {key[0] for key in answer.keys} == {"Rome"} | {f"town {i}" for i in range(9)}
        assert len(answer.keys) == len(set(answer.keys))


class TestExplanation:
    def test_it_has_the_rows_of_both_rounds_and_of_one(self):
        said = groups().explain(**PRIVATE, max_groups=3, rounds=2, left_out=0)
        one = groups().explain(**PRIVATE, max_groups=3, left_out=0)
        both = InRounds.within(counting(max_groups=3), epsilon=Fraction(1), delta=Fraction("1e-6"))
        first, last, once = said[3].rounds
        for option, m in zip((first, last), both.mechanisms, strict=True):
            half, sure = (m.noise.needed(m.threshold, p) for p in (Fraction(1, 2), Fraction(19, 20)))
            assert (option.threshold, option.n50, option.n95) == (m.threshold, half, sure)
        assert (said[3].n50, said[3].n95) == (last.n50, last.n95)
        assert (once.n50, once.n95, once.threshold) == (one[3].n50, one[3].n95, one[3].threshold)
        row = next(row for row in said.to_rows() if row["max_groups"] == 3)
        assert (row["round 1 n50"], row["round 2 n95"], row["one round n50"]) == (first.n50, last.n95, once.n50)
        assert one[3].rounds == ()
        assert "rounds" not in str(one)

    def test_it_says_what_is_lost_on_flat_data(self):
        for m in (1, 3, 10):
            said = groups().explain(**PRIVATE, max_groups=m, rounds=2)
            _, last, once = said[m].rounds
            one, two = once.n50, last.n50
            more, fewer = math.ceil(Fraction(100 * two, one) - 100), math.ceil(100 - 100 * Fraction(one, two) ** 2)
            note = said.notes[-1]
            assert f"a group needs {more} % more people than in one round ({last.n50}, not {once.n50}" in note
            assert f"{fewer} % fewer groups are seen: there, use rounds=1" in note
            assert note in str(said)


def test_two_rounds_show_more_of_large_and_small_groups_and_fewer_of_equal_ones(given_coins):
    """Zipf's law, in small; and groups of one size, of which the first round shows none."""
    rng = np.random.default_rng(3)
    shares = 1 / np.arange(1, 5001)
    zipf = pd.DataFrame(
        {"user": rng.integers(0, 10**4, 10**5), "city": rng.choice(5000, 10**5, p=shares / shares.sum())}
    )
    flat = pd.DataFrame({"user": rng.integers(0, 10**4, 10**5), "city": rng.integers(0, 800, 10**5)})
    given = PRIVATE | {"max_groups": 3, "left_out": 0}
    found = {
        name: [len(groups(data).count_people(**given, rounds=n)) for n in (1, 2)]
        for name, data in (("zipf", zipf), ("flat", flat))
    }
    assert found["zipf"][1] > 1.2 * found["zipf"][0]
    assert found["flat"][1] < found["flat"][0]


def test_a_first_round_that_showed_nothing_is_not_said_to_have_shown_something():
    rows = pd.DataFrame({"user": [1], "city": ["Rome"]})
    answer = Table(rows, person="user").group_by("city").count_people(epsilon=1, delta="1e-12", max_groups=1, rounds=2)
    assert (list(answer.rounds), answer.round_note.startswith("Round 1 showed no group.")) == ([], True)
