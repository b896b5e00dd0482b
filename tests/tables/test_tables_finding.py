"""Which groups a table has: one meaning on every engine, what is charged is what is drawn, and nothing else is told."""

import json
import random
from collections import Counter, defaultdict
from dataclasses import replace

import pandas as pd
import pytest
import tables_engines
import tables_reference as reference
import tiers

from discreet import BudgetError, Integers, Ledger, Nullable, ParameterError, Texts, UnsupportedError
from discreet.mechanisms import FindKeys, KeyRound
from discreet.tables import Bounding, People, Table
from discreet.tables.finding import Finding
from discreet.tables.listing import KeysQuery
from discreet.tables.ready import Question

ibis = pytest.importorskip("ibis")

SALT = bytes(range(16))
SCHEMA = ibis.schema({"id": "int64", "city": "string", "month": "int32", "score": "float64"})
POOLS = {
    "id": [0, 1, 2, 3, 2**40, None],
    "city": ["", "a", "A", "a ", "|", "é", "日本", "n", "NULL", None],
    "month": [1, 2, 3, -5, None],
    "score": [0.0, -0.0, 0.1, float("inf"), float("nan"), None],
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


def finding(by, max_groups, person="id", **rest):
    bounding = Bounding((), person=person, by=by, max_groups=max_groups, salt=SALT, **rest)
    return Finding(bounding, FindKeys([KeyRound(400, 300)] * 2, max_keys=max_groups, epsilon=1, norm=100))


def weighed(finding, rows, found=()):
    """What people add up to in each group that is not yet found, in plain Python, with a weight for each number."""
    totals, most = Counter(), finding.bounding.max_groups
    for who, groups in reference.people_of(finding.bounding, rows).items():
        rest = [key for key in groups if key not in found]
        places = {key: reference.place(who, key, SALT) for key in rest}
        degree = min(len(rest), most)
        weight = max(w for w in range(101) if w * w * degree <= 100**2) if degree else 0
        for key, here in places.items():
            if sum(there <= here for there in places.values()) <= most:
                totals[key] += weight
    return totals


def read(finding, totals):
    keys = [tuple(map(reference.plain, key)) for key in totals.keys(range(len(totals.people)))]
    return dict(zip(keys, totals.people.tolist(), strict=True)), dict(
        zip(keys, totals.columns[0].tolist(), strict=True)
    )


def test_each_engine_gives_the_reference_weights_in_both_rounds(engine):
    plans = [
        (["city"], 3, "id"),
        (["city", "month"], 2, "id"),
        (["score"], 10, ["id", "month"]),
        (["city"], 1, None),
        (["month", "score"], 12, "city"),
    ]
    asked = {"duckdb": plans, "pyspark": plans[1::2]}.get(engine.name) or tiers.each(plans, 2)
    for seed, (by, most, person) in enumerate(asked):
        rows = rows_of(seed, 60)
        table, each = engine.load(SCHEMA, rows), finding(by, most, person)
        question = Question.of(table, SALT, each.expression(table, SALT))
        totals, codes = read(each, each.totals(table, question))
        assert totals == weighed(each, engine.seen(rows))
        first = sorted(totals, key=totals.get, reverse=True)[: len(totals) // 2]
        rest, _ = read(each, each.totals(table, question, [codes[key] for key in first]))
        assert rest == weighed(each, engine.seen(rows), set(first))
        assert rest.keys() >= totals.keys() - set(first)
        assert not rest.keys() & set(first)
        assert person is None or any(rest[key] > totals.get(key, 0) for key in rest)  # People weigh more in the rest.


def test_an_empty_table_has_no_groups(engine):
    each = finding(["city"], 3)
    assert each.release(engine.load(SCHEMA, [])) == []


def test_the_answer_is_the_mechanisms_on_the_same_people():
    """With hardly any noise beside the totals: in two rounds, of each person's groups."""
    rows = [{"user": i, "city": f"c{j}"} for i in range(300) for j in range(i % 4 + 1)]
    people = defaultdict(set)
    for row in rows:
        people[row["user"]].add(row["city"])
    m = FindKeys([KeyRound(25, 20000), KeyRound(25, 15000)], max_keys=4, epsilon=1, norm=100, domain=Nullable(Texts()))
    bounding = Bounding((), person="user", by="city", max_groups=4, key_types=[Texts()])
    expected = m.release([tuple(keys) for keys in people.values()])
    assert Finding(bounding, m).release(ibis.memtable(rows)) == [(key,) for key in expected]
    assert expected == ("c0", "c1")  # c1 has 13,275 beside c0, and 17,025 once that is found.
    assert Finding(bounding, replace(m, rounds=m.rounds[:1])).release(ibis.memtable(rows)) != [(k,) for k in expected]


def test_one_person_adds_one_weight_to_few_groups_and_moves_no_others():
    each = finding(["city", "month"], 3)
    for seed in range(tiers.cases(8, 40)):
        rows = [row for row in rows_of(seed, 40) if row["id"] is not None]
        for who in {row["id"] for row in rows}:
            fewer = [row for row in rows if row["id"] != who]
            for found in ((), set(list(weighed(each, rows))[:4])):
                all_, without = weighed(each, rows, found), weighed(each, fewer, found)
                moved = [all_[key] - without[key] for key in all_ if all_[key] != without[key]]
                assert sum(w * w for w in moved) <= 100**2
                assert len(set(moved)) <= 1
                assert set(without) <= set(all_)


def frame(n=400):
    return pd.DataFrame({"user": range(n), "city": ["Rome"] * (n - 1) + ["Brig"], "year": 2026})


def test_what_is_charged_is_what_the_measurement_loses():
    book = Ledger.in_memory(epsilon=2, delta="1e-5")
    answer = Table(frame(), person="user", ledger=book).group_by("city").keys(**PRIVATE, max_groups=7)
    (entry,) = book.entries()
    m = FindKeys.within(**PRIVATE, max_keys=7, domain=Nullable(Texts()))
    epsilon, delta = m.privacy_map(1)
    assert (entry.epsilon, float(entry.delta)) == (epsilon, delta)
    assert entry.event == m.event(1)
    assert (answer.receipt.epsilon, answer.receipt.entry) == (1, 1)
    assert answer.receipt.mechanisms == {"keys": repr(m)}
    assert answer.left == book.left
    with pytest.raises(BudgetError):
        Table(frame(), person="user", ledger=book).group_by("city").keys(epsilon=2, delta="1e-6")
    assert len(list(book.entries())) == 1


def test_a_failure_is_charged_and_says_nothing(monkeypatch):
    book = Ledger.in_memory(epsilon=2, delta="1e-5")
    groups = Table(frame(), person="user", ledger=book).group_by("city")

    def fail(*_):
        raise RuntimeError("Rome")

    monkeypatch.setattr(Finding, "_run", fail)
    with pytest.raises(Exception, match=r"could not answer the query \(RuntimeError\); epsilon 1") as error:
        groups.keys(**PRIVATE)
    assert "Rome" not in str(error.value)
    assert [entry.kind for entry in book.entries()] == ["charge", "failed"]


def test_the_list_has_all_forms_and_no_values(tmp_path):
    answer = Table(frame(), person="user").group_by("city", "year").keys(**PRIVATE)
    assert answer.keys == [("Rome", 2026)]
    assert answer.to_rows() == list(answer) == [{"city": "Rome", "year": 2026}]
    assert answer.to_pandas().to_dict("records") == answer.to_rows()
    assert answer.to_polars().to_dicts() == answer.to_rows()
    assert str(answer).startswith(
        "Groups by city, year: 1 group; epsilon 1 and delta 1e-6 spent\n  city  year\n  Rome  2026"
    )
    assert "<h1>Groups by <bdi>city</bdi>, <bdi>year</bdi></h1>" in answer.to_html()
    assert "Each value has noise" not in answer.to_html()
    answer.save(tmp_path / "groups.json")
    assert json.loads((tmp_path / "groups.json").read_text()) == answer.to_rows()
    assert answer.columns == answer.noise == {}
    for ask in (answer.interval, answer.plot):
        with pytest.raises(UnsupportedError, match="no values"):
            ask()


def test_rows_that_are_people_are_in_one_group_and_one_round():
    groups = Table(frame(), person=None).group_by("city")
    assert groups.keys(**PRIVATE).keys == [("Rome",)]
    said = KeysQuery.of(groups.table, groups.by, **PRIVATE, max_groups=None, rounds=None).measurement.mechanism
    assert (len(said.rounds), said.max_keys) == (1, 1)


def test_filters_and_types_hold():
    table = Table(frame(), person="user").where("city = 'Rome'")
    assert table.group_by("year").keys(**PRIVATE).keys == [(2026,)]
    assert table.where("city = 'Brig'").group_by("year").keys(**PRIVATE).keys == []


def test_the_explanation_says_how_many_people_a_group_needs():
    groups = Table(frame(), person="user").group_by("city")
    said = groups.explain_keys(**PRIVATE, max_groups=10)
    m = FindKeys.within(**PRIVATE, max_keys=10, domain=Nullable(Texts()))
    last = m.rounds[-1]
    for groups_, (half, sure) in said.needed.items():
        w = m.weight(groups_)
        for n, p in ((half, 0.5), (sure, 0.95)):
            chances = [float(last.noise.chances(last.threshold + 1 - people * w)) for people in (n - 1, n)]
            assert chances[0] < p <= chances[1] + 1e-12
    assert "rounds=1" in str(said)
    assert "rounds=1" not in str(groups.explain_keys(**PRIVATE, rounds=1))
    assert [row["groups"] for row in said.to_rows()] == [1, 2, 5, 10]


@pytest.mark.parametrize(
    "given",
    [
        {"epsilon": 0},
        {"delta": 0},
        {"delta": None},
        {"delta": 1},
        {"epsilon": "1e-30", "delta": "1e-30"},
        {"max_groups": 0},
        {"max_groups": "auto"},
        {"rounds": 0},
        {"rounds": 3},
    ],
    ids=str,
)
def test_bad_parameters_are_refused_before_anything_is_charged(given):
    book = Ledger.in_memory(epsilon=9, delta="1/10", accountant="plain")
    groups = Table(frame(), person="user", ledger=book).group_by("city")
    for ask in (groups.keys, groups.explain_keys):
        with pytest.raises((ParameterError, TypeError)):
            ask(**PRIVATE | given)
    assert not list(book.entries())


def test_known_keys_are_no_secret():
    table = Table(frame(), person="user")
    with pytest.raises(ParameterError):
        table.group_by("city", keys=["Rome"]).keys(**PRIVATE)


def test_a_bounding_that_does_not_fit_is_refused():
    m = FindKeys([KeyRound(400, 300)], max_keys=3, epsilon=1, norm=100, domain=Integers())
    for bounding in (
        Bounding((), person="id", by="city", max_groups=4),
        Bounding((), person="id"),
        Bounding((), person="id", by="city", keys=["a"]),
    ):
        with pytest.raises(ParameterError):
            Finding(bounding, m)
    assert Finding(Bounding(People(), person="id", by="city", max_groups=2), m).privacy_map(1) == m.privacy_map(1)


def test_floats_that_are_close_are_found_in_one_round():
    """Their codes are the same, so a second round would leave out what is close to a float that was found."""
    close = [1e-10] * 3000 + [2e-10] * 300
    groups = Table(pd.DataFrame({"id": range(len(close)), "x": close}), person="id").group_by("x")
    assert groups.keys(epsilon=10, delta="1e-6", max_groups=2).keys == [(1e-10,), (2e-10,)]
    with pytest.raises(ParameterError, match="1, where keys are floats"):
        groups.keys(epsilon=10, delta="1e-6", max_groups=2, rounds=2)


def test_an_epsilon_beyond_floats_is_refused():
    groups = Table(pd.DataFrame({"id": [1], "x": ["a"]}), person="id").group_by("x")
    with pytest.raises(ParameterError, match="a number among floats"):
        groups.keys(epsilon=10**400, delta="1e-6", max_groups=2)
