"""Publish tables: the books are charged what the noise costs, what can fail fails first, an answer knows its error."""

import datetime as dt
import decimal
import hashlib
import itertools
import json
import math
import random
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest
import tables_reference as reference
import tiers
from answer_forms import with_ends, without_ends
from public_names import PUBLIC
from tables_totals import exact
from telling import told

from discreet import (
    Approximate,
    BudgetError,
    DiscreetError,
    EngineError,
    EntropyError,
    Gaussian,
    GaussianThreshold,
    IntegerGaussian,
    IntegerLaplace,
    KindError,
    Laplace,
    LaplaceThreshold,
    LedgerError,
    MaxDivergence,
    ParameterError,
    TruncatedLaplace,
    TruncatedLaplaceThreshold,
    UnsupportedError,
)
from discreet.coins import SystemCoins
from discreet.ledger import Ledger
from discreet.reals import float_up
from discreet.tables import Answer, Bounding, Mean, People, Rows, Suggestion, Sum, Table, bounding, ready
from discreet.tables.aggregates import Column
from discreet.tables.keys import Wire
from discreet.tables.noise import ColumnNoise
from discreet.tables.query import Query
from discreet.tables.ready import Ready
from discreet.tables.spread import Sizes

ibis = pytest.importorskip("ibis")

SALT = bytes(range(32))
SENTINEL = "sentinel-7919"
SURE = 10**14
"""An epsilon at which noise is 0, but for a probability that has thousands of zeros."""
SCHEMA = pa.schema(
    {"id": pa.int64(), "city": pa.string(), "month": pa.int32(), "amount": pa.float64(), "units": pa.int64()}
)
CITIES = ["Bath", "Brig", "Rome"]
BOUNDS = {"low": "-2.5", "high": 10, "grid": "1/4"}
QUESTIONS = {
    "count_people": {},
    "count_rows": {"max_rows": 3},
    "sum": {"column": "amount", **BOUNDS},
    "mean": {"column": "amount", **BOUNDS},
}
MOST = {"count_people": [1], "count_rows": [3], "sum": [40], "mean": [1, 50]}
"""What one person may add to a group, at most, for each of the values that a question releases."""
GROUPS = {
    "none": ((), None),
    "private": (("city",), None),
    "private pairs": (("city", "month"), None),
    "known": (("city",), [*CITIES, None]),
    "known pairs": (("city", "month"), [("Bath", 1), ("Rome", None), (None, 2)]),
}
each_question = pytest.mark.parametrize("what", QUESTIONS)
each_groups = pytest.mark.parametrize("groups", GROUPS)


def row(who, city="Rome", month=1, amount=1.0, units=1):
    return {"id": who, "city": city, "month": month, "amount": amount, "units": units}


def arrow(rows):
    return pa.Table.from_pylist(rows, schema=SCHEMA)


TABLES = {
    "empty": [],
    "one group": [row(i) for i in range(300)],
    "none released": [row(i, city=f"city {i}") for i in range(50)],
    "nobody": [row(None) for _ in range(9)],
    "many": [row(i % 40, city=CITIES[i % 3], month=i % 5, amount=i / 7) for i in range(600)],
}


ROWS = {}
"""The rows of the tables below, by the names that Ibis gives them, for the reference engine."""


def table(rows=TABLES["many"], person="id", book=None):
    made = Table(arrow(rows), person=person, ledger=book)
    ROWS[made._ibis.get_name()] = rows
    return made


def books(epsilon=10**15, delta="1/2"):
    return Ledger.in_memory(epsilon=epsilon, delta=delta)


def asking(source, what, groups="none", *, epsilon="7/10", delta="1e-5", max_groups=2, **more):
    """The method that answers a question, and all that it takes."""
    by, keys = GROUPS[groups]
    rest = {**QUESTIONS[what], "epsilon": epsilon, **more}
    if by and keys is None:
        rest["delta"] = delta
    if by and source.person is not None:
        rest["max_groups"] = max_groups
    if what == "count_rows" and source.person is None:
        rest["max_rows"] = 1
    if by or what == "count_rows":
        rest.setdefault("left_out", 0)  # What bounding leaves out has tests of its own.
    return (source.group_by(*by, keys=keys) if by else source), rest


def ask(source, what, groups="none", **more):
    asked, rest = asking(source, what, groups, **more)
    return getattr(asked, what)(**rest)


def aggregate(what):
    """The aggregate that a question is about."""
    rest = QUESTIONS[what]
    if what.startswith("count"):
        return People() if what == "count_people" else Rows(rest["max_rows"])
    kind = Sum if what == "sum" else Mean
    return kind(rest["column"], rest["low"], rest["high"], rest["grid"], name=what)


@pytest.fixture
def queries(monkeypatch):
    """The questions that are released."""
    seen, release = [], Query.release
    monkeypatch.setattr(Query, "release", lambda question: [seen.append(question), release(question)][1])
    return seen


@pytest.fixture
def draws(monkeypatch):
    """The mechanisms that draw, and the law and number of the noise that is really drawn."""
    seen = []

    def watched(draw):
        def add(noise, values, coins, **rest):
            seen[-1][1].append((noise, len(values)))
            return draw(noise, values, coins, **rest)

        return add

    for law in (Laplace, TruncatedLaplace, Gaussian):
        monkeypatch.setattr(law, "add", watched(law.add))
    for kind, name in DRAWS:
        draw = getattr(kind, name)
        monkeypatch.setattr(kind, name, lambda m, x, coins, draw=draw: [seen.append((m, [])), draw(m, x, coins)][1])
    return seen


DRAWS = (
    (IntegerLaplace, "sample"),
    (LaplaceThreshold, "keep"),
    (IntegerGaussian, "sample"),
    (GaussianThreshold, "keep"),
    (TruncatedLaplaceThreshold, "keep"),
)
"""Where noise is drawn."""


def without_noise(monkeypatch):
    for kind, name in DRAWS:
        monkeypatch.setattr(kind, name, lambda *_: pytest.fail("noise was drawn"))


@pytest.fixture
def salted(monkeypatch):
    """Plans draw a salt that the reference engine knows."""

    class Coins:
        @staticmethod
        def words(n):
            return np.frombuffer(SALT, np.uint64)[:n]

    monkeypatch.setattr(ready, "SYSTEM", Coins)


@pytest.fixture
def quick(monkeypatch):
    """The reference engine in the place of DuckDB, and no SQL: a hundred times quicker on a few rows."""

    def run(plan, rows, _):
        rows = ROWS[rows.get_name()]
        found = reference.aggregates(plan, rows, SALT)
        keys = list(found) if plan.keys is None else [key if len(plan.by) > 1 else (key,) for key in plan.keys]
        people, *columns = (np.array([found[key][i] for key in keys], int) for i in range(1 + len(plan.aggregates)))
        for i, each in enumerate(plan.aggregates):
            if each.needs:  # A plan doubles and centres them.
                columns[i] = (columns[i] + sum(each.bounds) * people) // 2
        kinds = [SCHEMA.field(name).type for name in plan.by]
        sent = [pa.chunked_array([pa.array([key[i] for key in keys], kind)]) for i, kind in enumerate(kinds)]
        wires = [Wire(kind, lambda x: x, None) for kind in kinds]
        sizes = None if plan.sizes is None else np.array(reference.sizes(plan, rows))
        if not plan.private:
            return bounding.Totals(people, tuple(columns), sizes)

        def fetch(places):
            return [column.take(places) for column in sent]

        return bounding.Totals(people, tuple(columns), sizes, fetch, tuple(wires), np.arange(len(keys)))

    monkeypatch.setattr(Bounding, "run", run)
    monkeypatch.setattr("ibis.backends.duckdb.Backend.compile", lambda *_, **__: "a query that nobody reads")


quickly = pytest.mark.usefixtures("quick")


def without_coins(monkeypatch):
    def toss(*_):
        pytest.fail("a coin was tossed")

    monkeypatch.setattr(SystemCoins, "words", toss)
    monkeypatch.setattr(SystemCoins, "bits", toss)


def one_person(what, groups, person):
    """Of each value that is released: in how many groups one person may be, and what they may add to each."""
    by, keys = GROUPS[groups]
    many = min(2, len(keys or (1, 2))) if by and person else 1
    return [(many, 1 if what == "count_rows" and person is None else most) for most in MOST[what]]


# The books.


@quickly
@tiers.crossed(7, what=QUESTIONS, groups=GROUPS, person=["id", None], rows=TABLES)
def test_the_charge_is_what_the_noise_that_is_drawn_costs(what, groups, person, rows, queries, draws):
    book = books()
    laplace = {"noise": "laplace"} if GROUPS[groups][0] else {}
    answer = ask(table(TABLES[rows], person, book), what, groups, **laplace)
    (entry,), (query,) = book.entries(), queries
    private = GROUPS[groups][0] != () and GROUPS[groups][1] is None
    # What the measurement says.
    loss = query.measurement.loss(1)
    whole = Approximate(MaxDivergence()).lift(loss)
    assert entry.epsilon == whole.epsilon == Fraction(7, 10)
    assert entry.delta == Fraction(float_up(whole.delta)) <= Fraction("1e-5")
    assert (entry.delta > 0) == private
    assert (answer.receipt.epsilon, answer.receipt.delta) == (entry.epsilon, entry.delta)
    assert answer.receipt.to_dict()["spent"] == {"epsilon": float_up(entry.epsilon), "delta": float(entry.delta)}
    # What is drawn.
    mechanisms = [m for m, _ in draws]
    assert [m.scale for m in mechanisms] == [part.mechanism.scale for part in query.turn.parts]
    assert all(law == m.noise for m, drawn in draws for law, _ in drawn)
    assert all(len(drawn) == 1 for _, drawn in draws)
    assert [type(m) for m in mechanisms] == [type(part.mechanism) for part in query.turn.parts]
    assert [getattr(m, "threshold", None) for m in mechanisms] == [
        getattr(part.mechanism, "threshold", None) for part in query.turn.parts
    ]
    # What it costs, from how much one person may change.
    most = one_person(what, groups, person)
    if private and what == "sum":
        most = [(most[0][0], 1), *most]
    assert sum(many * each / m.scale for (many, each), m in zip(most, mechanisms, strict=True)) == entry.epsilon
    deltas = [
        Fraction(m.privacy_map((many, many * each, each))[1])
        for (many, each), m in zip(most, mechanisms, strict=True)
        if isinstance(m, LaplaceThreshold)
    ]
    assert deltas == ([entry.delta] if private else [])
    assert answer.receipt.mechanisms == {part.aggregate.label: repr(part.mechanism) for part in query.turn.parts}


@quickly
@pytest.mark.parametrize("what", ["sum", "mean"])
@each_groups
def test_a_share_divides_epsilon_and_no_more(what, groups, draws):
    book = books()
    source, rest = asking(table(book=book), what, groups, people_share="1/7")
    if what == "sum" and not groups.startswith("private"):
        with pytest.raises(ParameterError if GROUPS[groups][0] else TypeError, match="people_share"):
            source.sum(**rest)
        return
    answer = getattr(source, what)(**rest)
    assert book.spent.epsilon == Fraction(7, 10)
    assert answer.receipt.to_dict()["shares"] == {"people": "1/7", what: "6/7"}
    most = one_person(what, groups, "id")
    law = draws[0][0].noise
    assert (law.epsilon if isinstance(law, Gaussian) else most[0][0] / law.scale) == Fraction(1, 10)


@quickly
def test_many_answers_add_up_and_are_entered_with_their_receipts():
    book = books(epsilon=3, delta="1e-5")
    t = table(book=book)
    asked = [("count_people", "private"), ("sum", "none"), ("mean", "known")]
    answers = [ask(t, what, groups, epsilon="1/3", delta="1e-6") for what, groups in asked]
    assert book.spent.epsilon == 1
    assert book.spent.delta == sum(a.receipt.delta for a in answers)
    for entry, answer in zip(book.entries(), answers, strict=True):
        said = answer.receipt.to_dict()
        assert said.pop("ledger") == {"entry": entry.number, "when": entry.when.isoformat()}
        assert entry.receipt == said
        assert entry.table == "a pyarrow frame"


@quickly
def test_a_whole_budget_can_be_spent_and_not_more():
    book = Ledger.in_memory(epsilon=1, delta="1e-6", release_delta="1e-6")
    t = table(book=book)
    ask(t, "count_people", "private", epsilon="0.4", delta="1e-6")
    ask(t, "count_people", "known", epsilon="0.6")
    assert book.left.epsilon == 0
    with pytest.raises(BudgetError, match="nothing was charged"):
        ask(t, "count_people", epsilon="1e-9")


@pytest.mark.parametrize(
    ("column", "keys"),
    [
        ("units", [1, 1.0]),
        ("units", [1, True]),
        ("amount", [0.0, -0.0]),
        ("stamp", [dt.datetime(2020, 1, 1), pd.Timestamp("2020-01-01")]),
    ],
    ids=["1, 1.0", "1, True", "0.0, -0.0", "times"],
)
def test_keys_that_are_one_group_are_refused_or_one_person_changes_no_more_than_is_paid_for(column, keys):
    frame = pa.table({"id": [1], "units": [1], "amount": [0.0], "stamp": [dt.datetime(2020, 1, 1)]})
    plan = Bounding(People(), person="id", by=column, max_groups=1)
    try:
        plan = replace(plan, keys=tuple(keys))
    except DiscreetError:
        return
    with_one, without = (exact(plan, ibis.memtable(rows)) for rows in (frame, frame.slice(0, 0)))
    assert sum(abs(a - b) for a, b in zip(with_one, without, strict=True)) <= plan.sensitivity(People())[1]


@quickly
def test_a_delta_below_all_floats_is_not_exceeded():
    book = books()
    ask(table(book=book), "count_people", "private", delta="1e-400")
    assert book.spent.delta <= Fraction("1e-400")


# The order of doing.


@quickly
@tiers.crossed(3, what=QUESTIONS, groups=GROUPS)
def test_the_books_are_charged_then_the_engine_answers_then_noise_is_drawn(what, groups, monkeypatch):
    events = []

    def noted(kind, name, word):
        found = getattr(kind, name)
        monkeypatch.setattr(kind, name, lambda *a, **k: [events.append(word), found(*a, **k)][1])

    noted(Bounding, "run", "engine")
    noted(Ledger, "charge", "books")
    for kind, name in DRAWS:
        noted(kind, name, "noise")
    ask(table(book=books()), what, groups)
    assert events[:3] == ["books", "engine", "noise"]
    assert set(events[3:]) <= {"noise"}


@tiers.crossed(3, what=QUESTIONS, groups=GROUPS)
def test_an_exhausted_ledger_refuses_before_anything_is_done(what, groups, monkeypatch):
    book = books(epsilon="0.6", delta="1e-4")
    t = table(book=book)
    monkeypatch.setattr(Bounding, "run", lambda *_: pytest.fail("the engine was asked"))
    words, tossed = SystemCoins.words, []
    monkeypatch.setattr(SystemCoins, "words", lambda coins, n: [tossed.append(n), words(coins, n)][1])
    without_noise(monkeypatch)
    with pytest.raises(BudgetError, match="nothing was charged"):
        ask(t, what, groups)
    assert book.entries() == []
    assert tossed == [4]  # The salt, with which the engine's words are made.


def test_too_little_delta_is_refused_too():
    book = books(epsilon=9, delta="1e-9")
    with pytest.raises(BudgetError):
        ask(table(book=book), "count_people", "private")
    assert book.entries() == []


def test_a_budget_that_others_spend_first_is_refused_before_the_engine_is_asked(monkeypatch):
    book = Ledger.in_memory(epsilon=1, delta="1/2", accountant="plain")
    of = Ready.of
    monkeypatch.setattr(Ready, "of", lambda *question: [of(*question), book.charge(epsilon="0.5")][0])
    monkeypatch.setattr(Bounding, "run", lambda *_: pytest.fail("the engine was asked"))
    with pytest.raises(BudgetError, match="nothing was charged"):
        ask(table(book=book), "count_people")
    assert book.spent.epsilon == Fraction(1, 2)


@quickly
@tiers.crossed(3, what=QUESTIONS, groups=GROUPS)
def test_a_coin_that_fails_after_the_charge_leaves_the_charge(what, groups, monkeypatch):
    def fail(*_, **__):
        raise EntropyError("no coins")

    book = books()
    for law in (Laplace, TruncatedLaplace, Gaussian):
        monkeypatch.setattr(law, "add", fail)
    with pytest.raises(EntropyError, match=r"no coins; epsilon 0.7.* stays charged, as entry 1 in memory"):
        ask(table(book=book), what, groups)
    assert book.spent.epsilon == Fraction(7, 10)
    assert [(entry.kind, entry.about) for entry in book.entries()] == [("charge", None), ("failed", 1)]


@tiers.crossed(3, what=QUESTIONS, groups=GROUPS)
def test_a_failing_engine_costs_what_an_answer_does(what, groups, monkeypatch):
    def fail(*_):
        raise RuntimeError(f"cannot convert {SENTINEL}")

    book = books()
    t = table(book=book)
    monkeypatch.setattr(Bounding, "run", fail)
    without_noise(monkeypatch)
    with pytest.raises(
        EngineError, match=r"could not answer .*RuntimeError.*; epsilon 0.7.* stays charged, as entry 1"
    ):
        ask(t, what, groups)
    assert book.spent.epsilon == Fraction(7, 10)
    assert [(entry.kind, entry.about) for entry in book.entries()] == [("charge", None), ("failed", 1)]


def anything(tmp_path, kind):
    """A column of SQLite that is declared as one kind and holds another."""
    path = tmp_path / "x.db"
    with sqlite3.connect(path) as con:
        con.execute(f"CREATE TABLE t (id INTEGER, city {kind}, amount REAL)")
        con.executemany("INSERT INTO t VALUES (?, ?, ?)", [(1, 1, 1.0), (2, SENTINEL, SENTINEL)])
    con.close()
    return Table(f"sqlite:///{path}", table="t", person="id")


def two_schemas(tmp_path):
    pq.write_table(pa.table({"id": [1], "city": ["Rome"]}), tmp_path / "1.parquet")
    pq.write_table(pa.table({"id": [SENTINEL]}), tmp_path / "2.parquet")
    return Table(tmp_path / "*.parquet", person="id")


PRIVATE = {"epsilon": 1, "delta": "1e-6", "max_groups": 1}
KNOWN = {"epsilon": 1, "max_groups": 1}
NAMED = pd.DataFrame({"id": [1, 2, 3], "city": [SENTINEL, "Rome", "Bath"]})
FAILING = {
    "files of two kinds": lambda p: two_schemas(p).group_by("city").count_people(**PRIVATE),
    "keys of another type": lambda _: Table(NAMED, person="id").group_by("city", keys=[1]).count_people(**KNOWN),
    "keys of no type": lambda _: Table(NAMED, person="id").group_by("city", keys=[object()]).count_people(**KNOWN),
}


@pytest.mark.parametrize("call", FAILING.values(), ids=FAILING)
def test_an_engines_error_is_a_declared_one_that_shows_no_data(call, tmp_path):
    with pytest.raises(Exception) as caught:
        call(tmp_path)
    assert isinstance(caught.value, DiscreetError)
    assert SENTINEL not in told(caught.value)


@pytest.mark.parametrize("kind", ["INTEGER", "TIMESTAMP", "DATE", "BOOLEAN", "REAL", "TEXT"])
def test_what_a_column_of_sqlite_holds_is_no_error(kind, tmp_path):
    answer = anything(tmp_path, kind).group_by("city").sum("amount", low=0, high=1, **PRIVATE)
    assert SENTINEL not in answer.to_html()


def test_a_broken_engine_is_a_declared_error_without_its_words(monkeypatch):
    def fail(*_):
        raise RuntimeError(f"cannot convert {SENTINEL}")

    t = table()
    monkeypatch.setattr(Bounding, "run", fail)
    with pytest.raises(Exception) as caught:
        t.count_people(epsilon=1)
    assert isinstance(caught.value, DiscreetError)
    assert SENTINEL not in told(caught.value)


@pytest.mark.parametrize("what", ["sum", "mean"])
def test_a_group_of_nan_is_a_group_like_any_other(what):
    frame = pl.DataFrame({"id": range(200), "score": [math.nan] * 100 + [1.5] * 100, "amount": [1.0] * 200})
    groups = Table(frame, person="id", ledger=books()).group_by("score")
    answer = getattr(groups, what)("amount", low=0, high=1, epsilon=SURE, delta="1e-6", max_groups=1)
    assert answer.columns["people"] == [100, 100]
    assert answer.columns[what] == [100, 100] if what == "sum" else [1, 1]


# The truth.


def random_rows(seed, size=150):
    pick = random.Random(seed)
    pools = {
        "id": [*range(8), None],
        "city": [*CITIES, "", "a|b", "日本", None],
        "month": [1, 2, -3, None],
        "amount": [0.0, -0.0, 1.0, 3.14, -7.5, 1e300, math.inf, -math.inf, math.nan, None, 2.625, -2.5],
        "units": [0, 5, -1, 2**40, None],
    }
    return [{name: pick.choice(pool) for name, pool in pools.items()} for _ in range(size)]


@tiers.crossed(3, what=QUESTIONS, groups=GROUPS, person=["id", None])
def test_without_noise_answers_are_the_reference_engines(what, groups, person, salted, queries):
    rows = random_rows(f"{what} {groups} {person}")
    answer = ask(table(rows, person), what, groups, epsilon=SURE)
    (query,) = queries
    plan = query.bounding
    by, keys = GROUPS[groups]
    asked, counting = query.asked[0], replace(plan, aggregates=(*plan.aggregates, People(name="again")))
    places = (plan.aggregates.index(asked), len(plan.aggregates))
    found = [dict(zip_keys(reference.result(counting, rows, SALT, place=place), keys)) for place in places]
    if keys is None and by:
        first = found[0] if what in {"count_people", "count_rows"} else found[1]
        threshold = query.turn.parts[0].mechanism.threshold
        shown = {key for key, value in first.items() if value > threshold}
        assert len(answer) == len(shown)
        assert len(shown) >= 2 or groups == "private pairs"
    else:
        shown = set(found[0])
        assert [key if len(by) != 1 else key[0] for key in answer.keys] == list(keys or [()])
    units = {"sum": asked.unit, "count_people": 1, "count_rows": 1}
    for key, value in zip(answer.keys, answer.columns[answer.value], strict=True):
        bare = key[0] if len(by) == 1 else key
        assert bare in shown
        total, people = found[0][bare], found[1][bare]
        if what == "mean":
            middle = (asked.low + asked.high) / 2
            assert value == float(middle + total * asked.grid / 2 / people if people else middle)
        else:
            assert Fraction(value) == total * units[what]
        if "people" in answer.columns:
            assert answer.columns["people"][answer.keys.index(key)] == people


def zip_keys(found, keys):
    return found.items() if isinstance(found, dict) else zip(keys or [()], found, strict=True)


def test_sums_and_means_are_in_their_own_units():
    rows = [row(i, amount=10.0 + i) for i in range(5)] + [row(9, amount=1e9)]
    t = table(rows)
    for grid, certain in [(None, True), ("0.01", False), ("1/3", False), (1, True)]:
        total = t.sum("amount", low=0, high=100, epsilon=SURE, grid=grid)
        mean = t.mean("amount", low=0, high=100, epsilon=SURE, grid=grid)
        assert total.columns["sum"] == [160.0]
        assert mean.columns["mean"][0] == pytest.approx(160 / 6, abs=0 if certain else 1e-9)
        assert mean.columns["people"] == [6]
        assert isinstance(total.columns["sum"][0], int if grid == 1 else float)
    assert t.sum("units", low=0, high=3, epsilon=SURE, grid=1).columns["sum"] == [6]
    assert t.count_rows(epsilon=SURE).columns == {"rows": [6]}
    assert table(person=None).count_people(epsilon=SURE).columns == {"people": [600]}


@quickly
@pytest.mark.parametrize(("low", "high"), [(0, 100), ("0.1", "0.2"), (-3, 3), (0, "1e-9"), (0, 10**12), (-7, "-6.5")])
def test_the_default_grid_is_a_power_of_two_that_cuts_finely_and_is_reported(low, high):
    answer = table().sum("amount", low=low, high=high, epsilon=1)
    grid = answer["sum"].aggregate.grid
    assert answer.receipt.to_dict()["aggregates"][0]["grid"] == str(grid)
    assert grid.numerator & (grid.numerator - 1) == 0 == grid.denominator & (grid.denominator - 1)
    assert 2**15 <= max(abs(Fraction(low)), abs(Fraction(high))) / grid <= 2**17
    assert answer.noise["sum"].unit == grid


def test_a_mean_of_nobody_is_the_middle_of_its_bounds():
    answer = table([]).mean("amount", low=2, high=6, epsilon=SURE)
    assert answer.columns == {"people": [0], "mean": [4.0]}
    assert [end.tolist() for end in answer.interval()] == [[2.0], [6.0]]


@quickly
@pytest.mark.parametrize("person", ["id", ["id", "month"], None])
@each_question
def test_an_empty_table_has_a_noisy_answer(person, what):
    book = books()
    t = table([], person, book)
    assert len(ask(t, what)) == 1
    assert ask(t, what, "known").keys == [("Bath",), ("Brig",), ("Rome",), (None,)]
    assert len(ask(t, what, "private")) == 0
    assert book.spent.epsilon == Fraction(21, 10)


# Groups.


def test_every_known_key_appears_in_the_order_given_zeros_and_null_included():
    keys = ["Rome", "nowhere", None, "Bath"]
    rows = [row(1, "Bath"), row(2, "Bath"), row(3, None), row(4, "Brig")]
    answer = table(rows).group_by("city", keys=keys).count_people(epsilon=SURE, max_groups=4)
    assert answer.keys == [("Rome",), ("nowhere",), (None,), ("Bath",)]
    assert answer.columns["people"] == [0, 0, 1, 2]
    assert not answer.receipt.private
    noisy = table([]).group_by("city", keys=keys).count_people(epsilon="1e-9", max_groups=4)
    assert any(noisy.columns["people"])


def test_known_keys_of_several_columns_are_tuples():
    rows = [row(1, "Bath", 1), row(2, "Bath", None), row(3, None, 2), row(4, "Rome", 1)]
    keys = [("Bath", None), (None, 2), ("Bath", 1), ("Rome", 2)]
    answer = table(rows).group_by("city", "month", keys=iter(keys)).count_people(epsilon=SURE, max_groups=4)
    assert answer.keys == keys
    assert answer.columns["people"] == [1, 1, 1, 0]
    assert without_ends(answer)[0] == {"city": "Bath", "month": None, "people": 1}


@pytest.mark.parametrize(
    ("column", "key"),
    [("day", dt.date(2020, 1, 2)), ("stamp", dt.datetime(2020, 1, 2, 3)), ("flag", True), ("score", 0.5), ("units", 7)],
)
def test_keys_may_be_of_any_type_that_names_a_group(column, key):
    frame = pa.table({"id": range(100), column: [key] * 90 + [None] * 10})
    groups = Table(frame, person="id").group_by
    known = groups(column, keys=[None, key]).count_people(epsilon=SURE, max_groups=1)
    assert (known.keys, known.columns["people"]) == ([(None,), (key,)], [10, 90])
    private = groups(column).count_people(epsilon=SURE, delta="1e-6", max_groups=1)
    assert dict(zip(private.keys, private.columns["people"], strict=True)) == {(key,): 90, (None,): 10}


def test_the_keys_of_an_answer_are_keys_for_the_next():
    t = table()
    keys = t.group_by("city", keys=CITIES).count_people(epsilon=1, max_groups=1).keys
    assert t.group_by("city", keys=keys).count_people(epsilon=1, max_groups=1).keys == keys


def test_only_known_keys_use_up_a_persons_groups():
    rows = [row(1, city) for city in ["x", "y", "z", "Rome"]]
    for _ in range(5):
        answer = table(rows).group_by("city", keys=["Rome"]).count_people(epsilon=SURE, max_groups=1)
        assert answer.columns["people"] == [1]


def test_private_groups_are_sorted_by_key():
    names = [f"{i:03}" for i in range(60)]
    rows = [row(i, city, month) for city in names for month in (2, 1) for i in range(3)]
    random.Random(1).shuffle(rows)
    t = table(rows)
    one = t.group_by("city").count_people(epsilon=SURE, delta="1e-6", max_groups=60)
    assert one.keys == [(name,) for name in names]
    two = t.group_by("month", "city").sum("amount", low=0, high=1, epsilon=SURE, delta="1e-6", max_groups=120)
    assert two.keys == list(itertools.product([1, 2], names))


@quickly
def test_private_groups_are_sorted_with_null_among_them():
    rows = [row(i, city) for city in ["a", "b", None, "c", "d", "e"] for i in range(9)]
    keys = {
        tuple(table(rows).group_by("city").count_people(**PRIVATE | {"epsilon": SURE, "left_out": 0}).keys)
        for _ in range(9)
    }
    assert len(keys) == 1


@quickly
@pytest.mark.usefixtures("given_coins")
def test_a_group_of_one_person_never_appears():
    rows = [row(i, f"city {i}", amount=1e9) for i in range(500)] + [row(i + 500) for i in range(500)]
    for what, person in itertools.product(QUESTIONS, ["id", None]):
        for _ in range(tiers.cases(1, 3)):
            answer = ask(table(rows, person), what, "private", epsilon=5, delta="1e-12", max_groups=1)
            assert answer.keys == [("Rome",)]


@quickly
def test_nothing_says_how_many_groups_were_withheld(queries):
    """Two tables with the same answer, one with many more groups, are told apart by nothing."""
    few = [row(i) for i in range(400)]
    many = few + [row(1000 + i, f"{SENTINEL} {i}") for i in range(317)]
    t = [table(rows, person="id", book=books()) for rows in (few, many)]
    answers = [ask(x, "sum", "private", epsilon=SURE, max_groups=1) for x in t]
    plain = [(a.keys, a.columns, replace(a.receipt, when=None), repr(a), a.noise) for a in answers]
    assert plain[0] == plain[1]
    assert not any(s in repr(vars(answers[1])) for s in ("317", "318", SENTINEL))
    # The receipt is that of an empty table, too, but for the digest.
    empty = ask(table([], book=books()), "sum", "private", epsilon=SURE, max_groups=1)
    assert replace(empty.receipt, when=None) == replace(answers[0].receipt, when=None)


# Answers.

SCALES = [Fraction(s) for s in ("1/50", "1/3", "1", "10/7", "3", "50", "12345/67")]


def beyond(scale, r):
    """Pr[|Z| > r], to 60 digits."""
    with mpmath.workdps(60):
        q = mpmath.exp(-mpmath.mpf(scale.denominator) / scale.numerator)
        return 2 * q ** (r + 1) / (1 + q)


@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.parametrize("error", ["1/20", "1/2", "0.99", "1e-9", "1/100"])
def test_the_radius_is_the_least_that_covers(scale, error):
    r = Laplace(scale).radius(Fraction(error))
    bound = mpmath.mpf(Fraction(error).numerator) / Fraction(error).denominator
    assert beyond(scale, r) <= bound
    assert r == 0 or beyond(scale, r - 1) > bound


def answered(of, values, noise, people=None):
    """An answer with one column, and with one of people that it is divided by."""
    by = () if people is None else (Column(People(), people, noise["people"], asked=False),)
    columns = (*by, Column(of, values, noise[of.label], by))
    return Answer(("n",), [(i,) for i in range(len(values))], columns, None)


@pytest.mark.parametrize("confidence", ["0.95", "1/2", 0.99])
@pytest.mark.parametrize("scale", SCALES[1:5], ids=str)
def test_intervals_of_counts_hold_the_truth_as_often_as_they_say_and_hardly_more(scale, confidence):
    noise, truth = range(-300, 301), 1000
    answer = answered(People(), [truth + z for z in noise], {"people": ColumnNoise(Laplace(scale))})
    low, high = answer.interval(confidence)
    with mpmath.workdps(40):
        q = mpmath.exp(-1 / (mpmath.mpf(scale.numerator) / scale.denominator))
        law = [(1 - q) / (1 + q) * q ** abs(z) for z in noise]
        covered = sum(p for p, a, b in zip(law, low, high, strict=True) if a <= truth <= b)
        assert covered >= mpmath.mpf(Fraction(confidence).numerator) / Fraction(confidence).denominator
        inner = sum(p for p, a, b in zip(law, low, high, strict=True) if a + 1 <= truth <= b - 1)
        assert inner < mpmath.mpf(Fraction(confidence).numerator) / Fraction(confidence).denominator


@pytest.mark.parametrize("grid", ["1/4", "1/65536", 3, "0.01", "1/3"])
def test_intervals_of_sums_hold_the_truth_where_the_noise_is_within_reach(grid):
    grid, scale = Fraction(grid), Fraction(40)
    reach = Laplace(scale).radius(Fraction(1, 20))
    truths = [n for n in range(1, 3000, 7) for _ in (0, 1)]
    noisy = [float((n + z * reach) * grid) for n, z in zip(truths, itertools.cycle([-1, 1]), strict=False)]
    of = Sum("x", 0, 10**4, grid, name="sum")
    low, high = answered(of, noisy, {"sum": ColumnNoise(Laplace(scale), grid)}).interval()
    for n, a, b in zip(truths, low, high, strict=True):
        assert Fraction(float(a)) <= n * grid <= Fraction(float(b))


@pytest.mark.parametrize(("low", "high"), [(0, 10), (-3, 3), (5, 6)])
def test_intervals_of_means_hold_the_truth_where_both_noises_are_within_reach(low, high):
    grid = Fraction(1, 4)
    noise = {"people": ColumnNoise(Laplace(3)), "mean": ColumnNoise(Laplace(90), grid / 2)}
    reach = [noise[name].law.radius(Fraction(1, 40)) for name in ("mean", "people")]
    mean = Mean("amount", low, high, grid, name="mean")
    most = int((high - low) / grid)
    checked = 0
    for people, where in itertools.product([0, 1, 5, 20, 300], [-1, Fraction(-1, 3), 0, Fraction(9, 10), 1]):
        centred = int(where * most * people)
        signs = list(itertools.product([-1, Fraction(-1, 2), 0, Fraction(1, 3), 1], repeat=2))
        many = [people + int(b * reach[1]) for _, b in signs]
        answer = answered(mean, mean.finish([centred + int(a * reach[0]) for a, _ in signs], [many]), noise, many)
        least, greatest = answer.interval("0.95")
        assert all(low <= a <= b <= high for a, b in zip(least, greatest, strict=True))
        truth = Fraction(low + high, 2) + (centred * grid / 2 / people if people else 0)
        assert all(a <= truth + Fraction(1, 10**12) for a in map(Fraction, map(float, least)))
        assert all(b >= truth - Fraction(1, 10**12) for b in map(Fraction, map(float, greatest)))
        checked += sum(b - a < high - low for a, b in zip(least, greatest, strict=True))
    assert checked > 50  # And not by saying nothing.


@quickly
@pytest.mark.usefixtures("given_coins")
def test_intervals_really_cover():
    """Of 4000 counts at least 95 % less 5 standard deviations; intervals of 60 % do not."""
    keys = list(range(4000))
    answer = table().group_by("id", keys=keys).count_people(epsilon="1/4", max_groups=1, left_out=0)
    truth = np.array([1] * 40 + [0] * 3960)

    def covered(confidence):
        low, high = answer.interval(confidence)
        return ((low <= truth) & (truth <= high)).sum()

    least = 0.95 * 4000 - 5 * (4000 * 0.95 * 0.05) ** 0.5
    assert covered("0.95") > least > covered("0.6")


@quickly
@each_question
@pytest.mark.parametrize("groups", ["none", "known", "known pairs", "private"])
def test_all_forms_of_an_answer_agree(what, groups):
    answer = ask(table(book=books()), what, groups, epsilon=500)
    rows = answer.to_rows()
    assert list(answer) == rows
    assert len(answer) == len(rows) >= 1
    assert list(rows[0]) == [*answer.by, *with_ends(*answer.columns)]
    assert answer.to_arrow().to_pylist() == rows
    assert answer.to_polars().to_dicts() == rows
    frame = answer.to_pandas()
    assert list(frame.columns) == list(rows[0])
    assert frame[answer.value].tolist() == answer.columns[answer.value]
    assert json.loads(answer.to_arrow().schema.metadata[b"discreet"]) == answer.receipt.to_dict() | {
        "confidence": "19/20"
    }
    text = repr(answer)
    assert text == str(answer)
    assert "epsilon 500" in text
    assert ("delta" in text.splitlines()[0]) == (groups == "private")
    assert "95 % noise interval" in text
    assert " to " in text.splitlines()[2]


def test_an_answer_without_groups_has_all_its_forms():
    answer = ask(table([]), "sum", "private")
    assert answer.to_rows() == list(answer) == answer.to_arrow().to_pylist() == answer.to_polars().to_dicts() == []
    assert list(answer.to_pandas().columns) == ["city", *with_ends("people", "sum")]
    assert "0 groups" in repr(answer)
    assert [end.tolist() for end in answer.interval()] == [[], []]


@pytest.mark.parametrize("name", ["people", "rows", "sum", "mean"])
def test_a_group_column_may_have_the_name_of_a_value(name):
    frame = pa.table({"id": [1, 2], name: ["a", "b"], "amount": [1.0, 2.0]})
    groups = Table(frame, person="id").group_by(name, keys=["a", "b"])
    what = {"people": "count_people", "rows": "count_rows"}.get(name, name)
    rest = {} if what.startswith("count") else {"column": "amount", "low": 0, "high": 2}
    answer = getattr(groups, what)(epsilon=SURE, max_groups=1, **rest)
    assert all("a" in row.values() or "b" in row.values() for row in answer.to_rows())
    assert answer.to_arrow().column_names == [
        name,
        *([] if name in {"people", "rows", "sum"} else with_ends("people")),
        *with_ends(f"noisy_{name}"),
    ]
    assert f"noisy_{name}" in str(answer)


def test_a_value_finds_a_name_that_no_group_column_has():
    frame = pa.table({"id": [1], "people": ["a"], "noisy_people": ["b"]})
    answer = Table(frame, person="id").group_by("people", "noisy_people", keys=[("a", "b")]).count_people(**KNOWN)
    assert answer.to_arrow().column_names == ["people", "noisy_people", *with_ends("noisy_noisy_people")]


@pytest.mark.parametrize("what", QUESTIONS)
def test_an_empty_answer_keeps_the_types_of_its_columns(what):
    answer = ask(table([]), what, "private pairs")
    assert len(answer) == 0
    schema = answer.to_arrow().schema
    assert [schema.field(name).type for name in ("city", "month")] == [pa.string(), pa.int32()]
    kinds = {"count_people": "people", "count_rows": "rows"}
    assert schema.field(kinds.get(what, what)).type == (pa.int64() if what in kinds else pa.float64())
    if what not in kinds:
        assert schema.field("people").type == pa.int64()


@pytest.mark.usefixtures("given_coins")
def test_values_beyond_64_bits_are_floats_in_arrow():
    answer = table().count_people(epsilon=Fraction(1, 1 << 90))
    (value,) = answer.columns["people"]
    assert abs(value) > 1 << 64
    assert answer.to_arrow()["people"].to_pylist() == [float(value)]
    assert answer.to_pandas()["people"].tolist() == [float(value)]


KEYS = {
    "integers": (pa.int8(), [1, 2], ["1", 1.0, True, 128, None.__class__]),
    "texts": (pa.string(), ["a", "b"], [1, b"a"]),
    "truths": (pa.bool_(), [True, False], [1, "true"]),
    "days": (pa.date32(), [dt.date(2026, 1, 31), dt.date(2026, 2, 1)], [dt.datetime(2026, 1, 31), "2026-01-31"]),
    "moments": (
        pa.timestamp("us"),
        [dt.datetime(2026, 1, 31, 12), dt.datetime(2026, 2, 1)],
        [dt.date(2026, 1, 31), dt.datetime(2026, 1, 31, tzinfo=dt.UTC), "2026-01-31"],
    ),
    "moments in a zone": (
        pa.timestamp("us", tz="UTC"),
        [dt.datetime(2026, 1, 31, 12, tzinfo=dt.UTC), dt.datetime(2026, 2, 1, tzinfo=dt.UTC)],
        [dt.datetime(2026, 1, 31)],
    ),
    "times of day": (pa.time64("us"), [dt.time(12, 1), dt.time(0)], ["12:01", dt.datetime(2026, 1, 1)]),
    "floats": (pa.float64(), [0.1, 2.0], ["0.1", True]),
    "narrow floats": (pa.float32(), [0.1, 2.0], ["0.1", True]),
    "decimals": (pa.decimal128(5, 2), [decimal.Decimal("1.50"), decimal.Decimal(2)], ["1.50", 1.5]),
}


@pytest.mark.parametrize("kind", tiers.each(KEYS, 2))
def test_known_keys_find_their_groups_and_others_are_refused(kind):
    type_, good, bad = KEYS[kind]
    frame = pa.table({"id": [1, 2, 3], "k": pa.array([good[0], good[0], None], type_)})
    t = Table(frame, person="id")
    groups = t.group_by("k", keys=[*good, None])
    assert t.group_by("k", keys=[*((key,) for key in good), None]).known == groups.known
    answer = groups.count_people(epsilon=SURE, max_groups=1)
    assert answer.columns["people"] == [2, 0, 1]
    assert answer.to_arrow().schema.field("k").type.id == type_.id
    pairs = [(good[0], 1), (good[1], 1), (None, 3)]
    answer = t.group_by("k", "id", keys=pairs).count_people(epsilon=SURE, max_groups=1)
    assert answer.columns["people"] == [1, 0, 1]
    for key in bad:
        with pytest.raises(ParameterError, match="keys"):
            t.group_by("k", keys=[key])
        with pytest.raises(ParameterError, match="keys"):
            t.group_by("id", "k", keys=[(1, key)])


def test_keys_may_be_an_array_or_a_series():
    t = table()
    for keys in (np.array([1, 2]), pd.Series([1, 2]), pl.Series([1, 2]), range(1, 3), iter([1, 2])):
        assert t.group_by("month", keys=keys).known == (1, 2)
        assert all(type(key) is int for key in t.group_by("month", keys=np.array([1, 2], np.int8)).known)


def test_the_error_of_a_mean_that_is_explained_holds_and_is_not_idle():
    found = table().explain(Mean("amount", -2, 10), epsilon=1)[1]
    for n, reach in found.errors:
        off = []
        people = Laplace(2).radius(Fraction(1, 40))
        for z in (-people, people):
            for centred in (-6 * n, 0, 6 * n):
                for y in (-1, 1):
                    noise = y * Laplace(Fraction(12)).radius(Fraction(1, 40))
                    off.append(abs((centred + noise) / (n + z) - centred / n))
        assert max(off) <= reach * (1 + 1e-9) <= 1.3 * max(off)


def test_a_hundred_thousand_columns_are_refused_at_once_and_those_that_are_not_needed_are_left_out():
    frame = pa.table([pa.array([1])] * 10**5, names=[f"c{i}" for i in range(10**5)])
    for made in (frame, frame.to_reader(), pl.from_arrow(frame).lazy()):
        with pytest.raises(ParameterError, match="100,000 columns"):
            Table(made, person="c1")
    t = Table(frame.select([f"c{i}" for i in range(300)]), person="c1").where("c2 = 1")
    plan = t.group_by("c3").explain(epsilon=1, delta="1e-6")
    assert plan.receipt.by == ("c3",)
    query = Bounding(People(), person="c1", by="c3", where="c2 = 1").expression(t._ibis, SALT)
    assert '"c4"' not in ibis.to_sql(query, dialect="duckdb")


def test_a_name_of_a_table_is_refused_for_a_file(tmp_path):
    pq.write_table(arrow(TABLES["many"]), tmp_path / "t.parquet")
    with pytest.raises(ParameterError, match="table='t'"):
        Table(tmp_path / "t.parquet", table="t", person=None)


def test_keys_of_39_digits_go_into_arrow():
    con = ibis.duckdb.connect()
    most = (1 << 127) - 1
    con.raw_sql(f"CREATE TABLE t AS SELECT {most}::HUGEINT k, range id FROM range(300)")
    answer = Table(con.table("t"), person="id").group_by("k").count_people(epsilon=1, delta="1e-6", max_groups=1)
    assert answer.to_arrow()["k"].to_pylist() == [most]


def test_a_key_gives_a_terminal_no_commands():
    answer = Table(pa.table({"c": ["a"]}), person=None).group_by("c", keys=["\x1b[2J", None]).count_people(epsilon=1)
    assert "\x1b" not in str(answer)
    assert "\\x1b[2J" in str(answer)
    assert "no value" in str(answer)


def test_an_engines_words_are_not_kept_behind_an_error(tmp_path):
    (tmp_path / "t.parquet").write_text(SENTINEL)
    with pytest.raises(ParameterError) as caught:
        Table(tmp_path / "t.parquet", person=None)
    assert caught.value.__context__ is None


def test_a_group_of_the_empty_text_is_not_shown_as_all():
    answer = Table(pa.table({"c": [""]}), person=None).group_by("c", keys=[""]).count_people(epsilon=1)
    assert "all" not in repr(answer)


@quickly
@each_question
def test_an_answer_draws_itself(what):
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    answer = ask(table(), what, "known pairs")
    axes = answer.plot()
    assert isinstance(axes, plt.Axes)
    assert answer.value in axes.get_title() + axes.get_xlabel()
    _, other = plt.subplots()
    assert ask(table(), what).plot(ax=other, most=1) is other
    plt.close("all")


@quickly
@pytest.mark.parametrize(
    "call",
    [
        lambda a: a.interval(0),
        lambda a: a.interval(1),
        lambda a: a.interval("nan"),
        lambda a: a.interval(None),
        lambda a: a.interval(column="city"),
    ],
)
def test_wrong_intervals_are_refused(call):
    with pytest.raises(DiscreetError):
        call(ask(table(), "count_people", "known"))


@quickly
@tiers.crossed(3, what=QUESTIONS, groups=GROUPS, person=["id", None])
def test_a_receipt_says_what_was_done_and_nothing_of_the_data(what, groups, person):
    rows = [row(918273, SENTINEL, 918273, 918273.5, 918273)] * 50
    receipt = ask(table(rows, person, books()).where("month > 0"), what, groups).receipt.to_dict()
    assert json.loads(json.dumps(receipt)) == receipt
    said = {key: value for key, value in receipt.items() if key not in {"sha256", "ledger"}}
    assert hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest() == receipt["sha256"]
    by, keys = GROUPS[groups]
    assert (receipt["schema"], receipt["version"]) == ("discreet.tables.receipt", 1)
    assert (receipt["by"], receipt["where"]) == (list(by), "month > 0")
    assert receipt["person"] == (["id"] if person else None)
    assert receipt["private"] == bool(by and keys is None)
    assert receipt["max_groups"] == ((2 if person else 1) if by else None)
    rest = {"count_people": {}, "count_rows": {"most": 3 if person else 1}}
    bounds = {"column": "amount", "low": "-5/2", "high": "10", "grid": "1/4"}
    kind = {"count_people": "people", "count_rows": "rows"}.get(what, what)
    assert receipt["aggregates"] == [{"name": kind, "kind": kind, **rest.get(what, bounds)}]
    assert receipt["engine"].startswith("duckdb ")
    assert set(receipt["versions"]) == {"discreet", "python"}
    assert not any(s in json.dumps(receipt) for s in (SENTINEL, "918273"))


@quickly
def test_a_mechanism_in_a_receipt_reads_back(queries):

    answer = ask(table(), "mean", "private", noise="laplace")
    read = {name: eval(text, {**PUBLIC, "Fraction": Fraction}) for name, text in answer.receipt.mechanisms.items()}
    assert read == {part.aggregate.label: part.mechanism for part in queries[0].turn.parts}
    assert {name: m.scale for name, m in read.items()} == {name: n.law.scale for name, n in answer.noise.items()}


# Explanations.


def appears(scale, threshold, n):
    """Pr[n + Z > threshold], to 60 digits."""
    with mpmath.workdps(60):
        q, k = mpmath.exp(-mpmath.mpf(scale.denominator) / scale.numerator), threshold + 1 - n
        return q**k / (1 + q) if k > 0 else 1 - q ** (1 - k) / (1 + q)


@pytest.mark.parametrize("scale", SCALES, ids=str)
@pytest.mark.parametrize("probability", ["1/2", "19/20", "999999/1000000"])
def test_needed_is_the_least_count_that_appears_so_often(scale, probability):
    p = mpmath.mpf(Fraction(probability).numerator) / Fraction(probability).denominator
    for threshold in (0, 1, 44, 10**6):
        n = Laplace(scale).needed(threshold, Fraction(probability))
        assert appears(scale, threshold, n) >= p > appears(scale, threshold, n - 1)


@quickly
@tiers.crossed(3, what=QUESTIONS, groups=GROUPS, person=["id", None])
def test_an_explanation_touches_no_data_and_says_what_a_release_then_uses(what, groups, person, monkeypatch, queries):
    book = books()
    t = table(person=person, book=book)
    asked, rest = asking(t, what, groups)
    answer = getattr(asked, what)(**rest)
    for name in ("run", "apply"):
        monkeypatch.setattr(Bounding, name, lambda *_: pytest.fail("data were touched"))
    for name in ("execute", "to_pyarrow", "to_pyarrow_batches"):
        monkeypatch.setattr(ibis.Expr, name, lambda *_, **__: pytest.fail("data were touched"))
    without_coins(monkeypatch)
    of = Rows(1) if what == "count_rows" and person is None else aggregate(what)
    found = asked.explain(of, **{name: x for name, x in rest.items() if name not in {"max_rows", *QUESTIONS["sum"]}})
    assert len(book.entries()) == 1
    chosen = found[found.chosen]
    noise, first = answer.noise[answer.value], next(iter(answer.noise.values()))
    assert (chosen.noise, chosen.deviation) == (answer.receipt.laws[answer.value], noise.deviation)
    assert chosen.radius == noise.radius(Fraction(1, 20))
    assert chosen.threshold == first.threshold
    shares = found.receipt.share_of_left  # By now less is left, and the same is a larger share of it.
    assert found.receipt == replace(answer.receipt, entry=None, when=None, share_of_left=shares)
    for name, laws in (answer.receipt.share_of_left or {}).items():
        assert all(shares[name][law] >= share for law, share in laws.items())
    assert found.to_rows()[0]["max_groups"] == 1
    grouped = bool(GROUPS[groups][0]) and person is not None
    assert [c.max_groups for c in found.choices] == ([1, 2, 3, 5, 10, 20] if grouped else [1])
    for choice in found.choices:
        if first.threshold is None:
            assert choice.threshold is choice.n50 is choice.n95 is None
            continue
        law = queries[0].with_groups(choice.max_groups).turn.parts[0].mechanism.noise
        for n, p in ((choice.n50, 0.5), (choice.n95, 0.95)):
            above = [float_up(law.at_least(choice.threshold + 1 - count)) for count in (n, n - 1)]
            assert above[0] >= p > above[1]
    text = str(found)
    assert text == repr(found)
    assert "more than 2.02 times likelier" in text
    assert ("each row is a person" in text) == (person is None)
    gaussian = any(part.law == "gaussian" for part in queries[0].turn.parts)
    assert ("except with probability" in text) == (first.threshold is not None and not gaussian)
    assert ("plus a probability of" in text) == gaussian


def test_an_explanation_of_the_seeds_example_is_the_mechanisms():
    groups = table().group_by("city")
    found = groups.explain(epsilon=1, delta="1e-6", max_groups=3, left_out=0, noise="laplace")
    for m in (1, 2, 3, 5, 10, 20):
        mechanism = LaplaceThreshold.within(epsilon=1, delta="1e-6", l0=m)
        assert (found[m].deviation, found[m].threshold) == (mechanism.noise.deviation, mechanism.threshold)
    assert (found[3].threshold, found[3].n50, found[3].n95) == (44, 45, 52)
    assert found.chosen == 3
    assert groups.explain(epsilon=1, delta="1e-6").chosen == 1  # To choose is what it is for.
    assert 7 in [c.max_groups for c in groups.explain(epsilon=1, delta="1e-6", max_groups=7).choices]


@pytest.mark.parametrize(
    ("asked", "rest"),
    [
        ("median", {}),
        (People, {}),
        (People(), {"epsilon": 0}),
        (People(), {"delta": None}),
        (People(), {"max_groups": 0}),
        (Sum("amonut", 0, 1), {}),
        (Sum("city", 0, 1), {}),
        (People(), {"weights": {"rows": 1}}),
        (People(), {"weights": {"people": 0}}),
        (People(), {"weights": ["people"]}),
    ],
    ids=str,
)
def test_wrong_questions_are_refused_by_explain(asked, rest):
    with pytest.raises(DiscreetError):
        table().group_by("city").explain(asked, **{"epsilon": 1, "delta": "1e-6", "max_groups": 2, **rest})


def test_a_choice_that_was_not_made_is_refused():
    found = table().group_by("city").explain(epsilon=1, delta="1e-6")
    with pytest.raises((DiscreetError, LookupError)):
        found[7]


# Suggestions.


def people_in(groups_of_people):
    """Rows of people who are in so many groups each, and twice in each group."""
    return [row(who, f"city {j}") for who, count in enumerate(groups_of_people) for j in range(count) for _ in range(2)]


@pytest.mark.parametrize("each", [1, 2, 5])
def test_where_everybody_is_in_as_many_groups_that_many_are_suggested(each):
    found = table(people_in([each] * 50)).suggest_max_groups("city", epsilon=SURE)
    assert isinstance(found, Suggestion)
    assert (found.best, found.left_out[each], max(found.left_out)) == (each, 0, each)


def test_a_suggestion_follows_the_filter_and_counts_no_nobody():
    rows = people_in([4] * 9) + [row(None, f"city {i}") for i in range(50)]
    found = table(rows).where("city IN ('city 1', 'city 2')").suggest_max_groups("city", epsilon=SURE)
    assert found.best == 2


def test_a_suggestion_of_an_empty_table_is_no_failure():
    assert table([]).suggest_max_groups("city", epsilon=SURE).best is None


def test_a_suggestion_is_charged_once_and_costs_a_tenth():
    book = books()
    table(book=book).suggest_max_groups("city", "month")
    assert [(e.epsilon, e.delta) for e in book.entries()] == [(Fraction(1, 10), 0)]


@pytest.mark.parametrize(
    "rest",
    [
        {"by": ()},
        {"by": ("town",)},
        {"epsilon": 0},
        {"planned": 0},
        {"planned": "x"},
        {"person": None},
        pytest.param({"group_size": 0}),
        pytest.param({"group_size": "many"}),
        pytest.param({"by": ("city", "city")}),
        pytest.param({"by": ("id",)}),
    ],
    ids=str,
)
def test_a_wrong_suggestion_is_refused_before_the_charge(rest):
    rest = {"by": ("city",), "person": "id", **rest}
    book = books()
    t = table(person=rest.pop("person"), book=book)
    with pytest.raises(Exception) as caught:
        t.suggest_max_groups(*rest.pop("by"), **rest)
    assert isinstance(caught.value, DiscreetError)
    assert book.entries() == []


# Sources.

PLAIN = [
    {"user": i, "odd name, 'quoted' \"so\"": ["Rome", "Bath"][i % 3 > 0], "k0": i % 2, "amount": i / 4}
    for i in range(30)
]
ODD = "odd name, 'quoted' \"so\""
FRAME = pa.Table.from_pylist(PLAIN)


def lines(path, rows):
    path.write_text("".join(json.dumps(r) + "\n" for r in rows))
    return path


def csv(path, table=FRAME, delimiter=","):
    pc.write_csv(table, path, pc.WriteOptions(delimiter=delimiter))
    return path


def parquet(path, table=FRAME):
    pq.write_table(table, path)
    return path


def sqlite(path, frame=FRAME):
    """A table of SQLite; Ibis 12 makes none of a frame under the newest sqlglot."""
    con = ibis.sqlite.connect(path)
    con.create_table("events", schema=ibis.memtable(frame).schema())
    marks = ", ".join("?" * frame.num_columns)
    con.con.executemany(f"INSERT INTO events VALUES ({marks})", [tuple(r.values()) for r in frame.to_pylist()])
    con.con.commit()
    return con


def duck(path=":memory:"):
    con = ibis.duckdb.connect(path)
    con.con.register("frame", FRAME)
    con.con.execute("CREATE TABLE events AS SELECT * FROM frame")
    return con


def closed(path, make):
    make(path).disconnect()
    return path


def parts(folder, write, suffix):
    for i in range(3):
        write(folder / f"part-{i}{suffix}", FRAME.slice(10 * i, 10))
    return str(folder / f"part-*{suffix}")


TYPED = {"user": "integer", ODD: "text", "k0": "integer", "amount": "number"}


def nested(folder):
    (folder / "a" / "b").mkdir(parents=True)
    parquet(folder / "a" / "b" / "x.parquet")
    return str(folder / "**" / "*.parquet")


SOURCES = {
    "CSV": (lambda p: csv(p / "x.csv"), "x.csv"),
    "CSV, capital letters": (lambda p: str(csv(p / "X.CSV")), "X.CSV"),
    "TSV": (lambda p: csv(p / "x.tsv", delimiter="\t"), "x.tsv"),
    "JSON lines": (lambda p: lines(p / "x.jsonl", PLAIN), "x.jsonl"),
    "newline-delimited JSON": (lambda p: lines(p / "x.ndjson", PLAIN), "x.ndjson"),
    "JSON": (lambda p: [(p / "x.json").write_text(json.dumps(PLAIN)), p / "x.json"][1], "x.json"),
    "Parquet": (lambda p: parquet(p / "x.parquet"), "x.parquet"),
    "Parquet, short": (lambda p: parquet(p / "x.pq"), "x.pq"),
    "a path with a quote": (lambda p: parquet(p / "it's; --.parquet"), "it's; --.parquet"),
    "Parquet files": (lambda p: parts(p, parquet, ".parquet"), "part-*.parquet"),
    "CSV files": (lambda p: parts(p, csv, ".csv"), "part-*.csv"),
    "files in folders": (nested, "*.parquet"),
    "pandas": (lambda _: FRAME.to_pandas(), "a pandas frame"),
    "Polars": (lambda _: pl.from_arrow(FRAME), "a polars frame"),
    "a lazy frame": (lambda _: pl.from_arrow(FRAME).lazy(), "a polars frame"),
    "Arrow": (lambda _: FRAME, "a pyarrow frame"),
    "a reader": (lambda _: FRAME.to_reader(max_chunksize=7), "a pyarrow frame"),
    "a record batch": (lambda _: FRAME.to_batches()[0], "a pyarrow frame"),
    "DuckDB": (lambda _: duck().table("events"), "events"),
    "SQLite": (lambda _: sqlite(None).table("events"), "events"),
    "a query": (lambda _: ibis.memtable(FRAME).filter(ibis._.user >= 0), "an Ibis table"),
    "a URL of SQLite": (lambda p: (f"sqlite:///{closed(p / 'x.db', sqlite)}", "events"), "events"),
    "a URL of DuckDB": (lambda p: (f"duckdb:///{closed(p / 'x.ddb', duck)}", "events"), "events"),
}


def read(source, folder):
    """The table of a source, and its name."""
    make, name = SOURCES[source]
    made = make(folder)
    given, rest = (made[0], {"table": made[1]}) if isinstance(made, tuple) else (made, {})
    text = name.lower().endswith(("csv", "tsv", "json", "jsonl"))  # They have no types of their own.
    return Table(given, person="user", types=TYPED if text else None, **rest), name


@pytest.mark.parametrize("source", tiers.each(SOURCES, 4))
def test_known_keys_are_found_in_all_sources(source, tmp_path):
    t, _ = read(source, tmp_path)
    answer = t.group_by(ODD, keys=["Rome", "Bath"]).count_people(epsilon=SURE, max_groups=2)
    assert answer.columns["people"] == [10, 20]


@pytest.mark.parametrize("source", SOURCES)
def test_all_sources_give_the_same_answers(source, tmp_path):
    t, name = read(source, tmp_path)
    assert t.name == name
    assert repr(t) == f"<table {name}: person=user>"
    large = t.where("amount >= 2").group_by("k0", ODD)
    large = large.sum("amount", low=0, high=8, epsilon=SURE, delta="1e-6", max_groups=2)
    assert large.receipt.table == name
    assert without_ends(large) == [
        {"k0": k, ODD: city, "people": len(found), "sum": sum(found)}
        for k, city in itertools.product([0, 1], ["Bath", "Rome"])
        for found in [[r["amount"] for r in PLAIN if (r["k0"], r[ODD]) == (k, city) and r["amount"] >= 2]]
    ]


@pytest.mark.parametrize(
    "names", [("k0", "p0", "s"), ("id", "x", "v"), ("q", "g", "n"), ("r", "c", "y1"), ("select", "where", "%s")]
)
def test_columns_may_have_the_names_that_the_plan_uses(names):
    who, key, value = names
    frame = pa.table({who: list("aabbc"), key: ["x", "y", "x", "x", "y"], value: [1, 2, 3, 4, 5]})
    for source in (frame, sqlite(None, frame).table("events")):
        groups = Table(source, person=who).group_by(key, keys=["x", "y"])
        answer = groups.sum(value, low=0, high=9, grid=1, epsilon=SURE, max_groups=2)
        assert answer.columns["sum"] == [8, 7]


def test_several_columns_may_name_a_person():
    rows = [row(1, "Rome"), row(1, "Bath"), row(2, "Rome"), row(2, None)]
    assert Table(arrow(rows), person=["id", "city"]).count_people(epsilon=SURE).columns["people"] == [3]
    assert Table(arrow(rows), person=("id",)).count_people(epsilon=SURE).columns["people"] == [2]


BAD_SOURCES = {
    "missing": (lambda p: p / "nowhere.csv", ParameterError),
    "a pattern that finds nothing": (lambda p: str(p / "*.csv"), ParameterError),
    "a folder": (lambda p: p, ParameterError),
    "another suffix": (lambda p: lines(p / "x.xlsx", []), ParameterError),
    "no suffix": (lambda p: lines(p / "x", []), ParameterError),
    "mixed kinds": (lambda p: [csv(p / "x.csv"), parquet(p / "x.parquet"), str(p / "x.*")][-1], ParameterError),
    "no Parquet": (lambda p: lines(p / "x.parquet", [SENTINEL]), ParameterError),
    "no JSON": (lambda p: [(p / "x.json").write_text('{"a": ' + SENTINEL), p / "x.json"][1], ParameterError),
    "a URL without a table": (lambda p: f"sqlite:///{p}/x.db", ParameterError),
    "a dict": (lambda _: {"a": [SENTINEL]}, KindError),
    "a list": (lambda _: [{"a": SENTINEL}], KindError),
    "None": (lambda _: None, KindError),
    "a column": (lambda _: pd.Series([SENTINEL]), KindError),
    "the same name twice": (lambda _: pd.DataFrame([[SENTINEL, 1]], columns=["a", "a"]), KindError),
}  # fmt: skip


@pytest.mark.parametrize(("make", "kind"), BAD_SOURCES.values(), ids=BAD_SOURCES)
def test_what_cannot_be_read_is_refused_without_its_contents(make, kind, tmp_path):
    book = books()
    with pytest.raises(Exception) as caught:
        Table(make(tmp_path), ledger=book, person=None).count_people(epsilon=1)
    assert type(caught.value) is kind
    assert SENTINEL not in told(caught.value)
    assert book.entries() == []


def test_a_table_that_is_not_in_a_database_is_refused_and_no_password_is_shown(tmp_path):
    path = closed(tmp_path / "x.db", sqlite)
    with pytest.raises(ParameterError, match="table 'evnets'"):
        Table(f"sqlite:///{path}", table="evnets", person=None)
    with pytest.raises(ParameterError) as caught:
        Table(f"postgres://me:{SENTINEL}@127.0.0.1:1/db", table="t", person=None)
    assert SENTINEL not in told(caught.value)
    with pytest.raises(ParameterError, match="table"):
        Table(FRAME, table="t", person=None)


def test_a_password_among_a_urls_options_is_not_shown():
    with pytest.raises(ParameterError) as caught:
        Table(f"postgres://127.0.0.1:1/db?user=me&password={SENTINEL}", table="t", person=None)
    assert SENTINEL not in str(caught.value)


def test_a_database_that_is_missing_is_not_made(tmp_path):
    with pytest.raises(ParameterError):
        Table(f"sqlite:///{tmp_path}/nowhere.db", table="t", person=None)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("pattern", ["a[1].csv", "a*.csv"])
def test_a_file_whose_name_looks_like_a_pattern_is_that_file(pattern, tmp_path):
    (tmp_path / "a[1].csv").write_text("id\n1\n2\n3\n")
    (tmp_path / "a1.csv").write_text("id\n4\n")
    expected = 3 if pattern == "a[1].csv" else 4
    assert Table(tmp_path / pattern, person="id").count_people(epsilon=SURE).columns["people"] == [expected]


def test_an_engine_that_lacks_what_is_needed_is_refused_by_name():
    book = books()
    t = Table(ibis.polars.connect({"t": pl.from_arrow(FRAME)}).table("t"), person="user", ledger=book)
    with pytest.raises(UnsupportedError, match="polars"):
        t.group_by("k0", keys=[0]).count_people(epsilon=1, max_groups=1)
    assert book.entries() == []


def test_a_table_without_an_engine_is_refused():
    with pytest.raises(DiscreetError):
        Table(ibis.table({"a": "int64"}, name="t"), person=None).count_people(epsilon=1)


# Filters.


def test_where_keeps_the_rows_for_which_it_holds():
    t = table()
    people = {r["id"] for r in TABLES["many"] if r["city"] == "Rome" and r["month"] < 2}
    first = t.where("city = 'Rome'")
    both = first.where("month < 2")
    assert both.count_people(epsilon=SURE).columns["people"] == [len(people)]
    assert t.where("city = 'Rome' AND month < 2").count_people(epsilon=SURE).columns["people"] == [len(people)]
    assert both.condition == "(city = 'Rome') AND (month < 2)"
    assert (t.condition, first.condition) == (None, "city = 'Rome'")
    assert (both.name, both.person, both.ledger) == (t.name, t.person, t.ledger)


def test_chained_filters_are_each_taken_as_a_whole():
    t = table([row(1, "Rome", 1), row(2, "Bath", 2), row(3, "Brig", 1)])
    both = t.where("city = 'Rome' OR city = 'Bath'").where("month = 1 OR month = 3")
    assert both.count_people(epsilon=SURE).columns["people"] == [1]


def test_a_comment_in_a_filter_ends_with_it():
    t = table([row(1, "Rome", 1), row(2, "Bath", 2)]).where("city = 'Rome' -- the capital").where("month = 1")
    assert t.count_people(epsilon=SURE).columns["people"] == [1]


@pytest.mark.parametrize(
    "condition",
    ["town = 'Rome'", "", "city", "city + 1 > 2", "1 = 1; DROP TABLE x", "city = 'a') OR (month = 1", "month = 'x'"],
)
def test_a_wrong_filter_is_refused_where_it_is_written(condition):
    with pytest.raises(ParameterError, match="where"):
        table().where(condition)


def test_a_column_that_a_filter_lacks_is_named_with_the_one_that_may_be_meant():
    with pytest.raises(ParameterError, match=r"where='ctiy': need one of .*; did you mean 'city'"):
        table().where("month = 1 AND ctiy = 'Rome'")


@pytest.mark.parametrize("condition", [None, 3, True, b"month = 1", ["month = 1"]])
def test_a_filter_that_is_no_text_is_refused(condition):
    with pytest.raises(KindError, match="SQL text"):
        table().where(condition)


def test_an_ibis_expression_filters_row_by_row_or_is_refused_with_what_is_needed():
    table = Table(pd.DataFrame([row(1, month=1), row(2, month=2), row(3, month=2)]), person="id")
    assert table.where(ibis._.month == 2).count_people(epsilon=10**6).columns["people"] == [2]
    assert table.where(lambda t: t.month.isin([1])).count_people(epsilon=10**6).columns["people"] == [1]
    assert table.where(ibis._.city.like("R%")).count_people(epsilon=10**6).columns["people"] == [3]
    patterns = (ibis._.city.like("R\\"), ibis._.city.like(ibis._.city), ibis._.city.like(["Ro%", "B\\"]))
    functions = (ibis._.month > ibis._.month.mean(), ibis._.city.cast("int64") == 1, lambda t: ibis.random() > 0.5)
    for wrong in (*patterns, *functions):
        with pytest.raises(ParameterError, match="filter an Ibis table"):
            table.where(wrong)
    receipt = table.where(ibis._.city == "Bath").count_people(epsilon=1).receipt
    assert receipt.filters == ("Equals(city, 'Bath')",)


def test_an_ibis_table_may_be_filtered_beforehand():
    rows = ibis.memtable(arrow(TABLES["many"])).filter(ibis._.month * 2 == 4)
    assert Table(rows, person="id").count_rows(epsilon=SURE, max_rows=99).columns["rows"] == [120]


# Bad input.

ASK = {"epsilon": 1, "delta": "1e-6", "max_groups": 2}
KEYED = {"epsilon": 1, "max_groups": 1}
SUM = {"low": 0, "high": 1}
BAD = {
    "an unknown column": (lambda t: t.group_by("ctiy").count_people(**ASK), "did you mean 'city'"),
    "an unknown value": (lambda t: t.group_by("city").sum("amuont", **SUM, **ASK), "did you mean 'amount'"),
    "an unknown value, no groups": (lambda t: t.mean("amuont", **SUM, epsilon=1), "did you mean 'amount'"),
    "nothing like it": (lambda t: t.group_by("zzzzzz"), "need one of id, city, month, amount, units$"),
    "a column that is no text": (lambda t: t.group_by(3), "a column's name"),
    "a list of columns": (lambda t: t.group_by(["city"]), "a column's name"),
    "a value that is no text": (lambda t: t.sum(None, **SUM, epsilon=1), "a column's name"),
    "no columns": (lambda t: t.group_by(), "at least one column"),
    "a column twice": (lambda t: t.group_by("city", "city").count_people(**ASK), "distinct"),
    "a sum of texts": (lambda t: t.sum("city", **SUM, epsilon=1), "a column of numbers"),
    "epsilon 0": (lambda t: t.count_people(epsilon=0), "epsilon > 0"),
    "epsilon < 0": (lambda t: t.count_people(epsilon=-1), "epsilon"),
    "epsilon NaN": (lambda t: t.count_people(epsilon=math.nan), "finite"),
    "epsilon infinite": (lambda t: t.count_people(epsilon=math.inf), "finite"),
    "epsilon a text": (lambda t: t.count_people(epsilon="much"), "a finite number"),
    "epsilon None": (lambda t: t.count_people(epsilon=None), "epsilon"),
    "epsilon True": (lambda t: t.count_people(epsilon=True), "not a bool"),
    "no delta": (lambda t: t.group_by("city").count_people(**{**ASK, "delta": None}), "or give their keys"),
    "delta 0": (lambda t: t.group_by("city").count_people(**{**ASK, "delta": 0}), "0 < delta"),
    "delta > 1": (lambda t: t.group_by("city").count_people(**{**ASK, "delta": 2}), "delta <= 1"),
    "delta < 0": (lambda t: t.group_by("city").sum("amount", **SUM, **{**ASK, "delta": -1}), "delta"),
    "delta a text": (lambda t: t.group_by("city").count_people(**{**ASK, "delta": "few"}), "delta"),
    "a delta of 0 with known keys": (
        lambda t: t.group_by("city", keys=CITIES).count_rows(**{**ASK, "delta": 0}),
        "0 < delta <= 1",
    ),
    "low > high": (lambda t: t.sum("amount", low=2, high=1, epsilon=1), "low <= high"),
    "low > high on a grid": (lambda t: t.mean("amount", low=2, high=1, epsilon=1, grid=1), "low <= high"),
    "no width": (lambda t: t.sum("amount", low=0, high=0, epsilon=1), "not both 0"),
    "low NaN": (lambda t: t.sum("amount", low=math.nan, high=1, epsilon=1), "finite"),
    "high infinite": (lambda t: t.sum("amount", low=0, high=math.inf, epsilon=1), "finite"),
    "high None": (lambda t: t.sum("amount", low=0, high=None, epsilon=1), "high"),
    "high beyond": (lambda t: t.sum("amount", low=0, high="1e300", epsilon=1), "grid"),
    "a grid of 0": (lambda t: t.sum("amount", **SUM, epsilon=1, grid=0), "grid > 0"),
    "a grid too fine": (lambda t: t.sum("amount", **SUM, epsilon=1, grid="1e-12"), "grid"),
    "a grid too coarse": (lambda t: t.sum("amount", **SUM, epsilon=1, grid=10), "grid"),
    "no max_groups": (lambda t: t.group_by("city").count_people(epsilon=1, delta="1e-6"), "explain"),
    "no max_groups, known": (lambda t: t.group_by("city", keys=CITIES).count_people(epsilon=1), "suggest_max_groups"),
    "max_groups 0": (lambda t: t.group_by("city").count_people(**{**ASK, "max_groups": 0}), "at least 1"),
    "max_groups < 0": (lambda t: t.group_by("city").mean("amount", **SUM, **{**ASK, "max_groups": -3}), "at least 1"),
    "max_groups 1.5": (lambda t: t.group_by("city").count_people(**{**ASK, "max_groups": 1.5}), "an integer"),
    "max_groups True": (lambda t: t.group_by("city").count_people(**{**ASK, "max_groups": True}), "an integer"),
    "max_groups huge": (lambda t: t.group_by("city").count_people(**{**ASK, "max_groups": 10**5000}), "max_groups"),
    "max_groups beyond": (lambda t: t.group_by("city").count_people(**{**ASK, "max_groups": 2**32}), "max_groups"),
    "max_rows 0": (lambda t: t.count_rows(epsilon=1, max_rows=0), "at least 1"),
    "max_rows a text": (lambda t: t.group_by("city").count_rows(**ASK, max_rows="3"), "an integer"),
    "max_rows beyond": (lambda t: t.count_rows(epsilon=1, max_rows=2**40), "max_rows"),
    "share 0": (lambda t: t.group_by("city").sum("amount", **SUM, **ASK, people_share=0), "0 < people_share < 1"),
    "share 1": (lambda t: t.group_by("city").mean("amount", **SUM, **ASK, people_share=1), "0 < people_share < 1"),
    "share NaN": (lambda t: t.group_by("city").mean("amount", **SUM, **ASK, people_share=math.nan), "people_share"),
    "keys twice": (lambda t: t.group_by("city", keys=["a", "a"]).count_people(**KEYED), "distinct"),
    "keys of pairs": (lambda t: t.group_by("city", "month", keys=["a"]).count_people(**KEYED), "tuples of 2"),
    "a key NaN": (lambda t: t.group_by("amount", keys=[math.nan]).count_people(**KEYED), "NaN"),
    "a key of lists": (lambda t: t.group_by("city", keys=[["a"]]).count_people(**KEYED), "a text, as in city"),
    "keys a text": (lambda t: t.group_by("city", keys="abc").count_people(**KEYED), "list"),
    "keys a set": (lambda t: t.group_by("city", keys={"a", "b"}).count_people(**KEYED), "list"),
    "keys a number": (lambda t: t.group_by("city", keys=5), "list"),
    "no keys": (lambda t: t.group_by("city", keys=[]).count_people(**KEYED), "key"),
    "keys of another kind": (lambda t: t.group_by("month", keys=["x"]).count_people(**KEYED), "key"),
    "days for numbers": (lambda t: t.group_by("month", keys=[dt.date(2020, 1, 1)]).count_people(**KEYED), "key"),
    "texts for times": (
        lambda t: Table(pa.table({"t": [dt.datetime(2020, 1, 1)]}), ledger=t.ledger, person=None)
        .group_by("t", keys=["2020-01-01"]).count_people(epsilon=1),
        "key",
    ),
    "an unknown person": (lambda t: Table(t._ibis, person="idd"), "did you mean 'id'"),
    "no person column": (lambda t: Table(t._ibis, person=[]).count_people(epsilon=1), "person"),
    "a person twice": (lambda t: Table(t._ibis, person=["id", "id"]).count_people(epsilon=1), "distinct"),
    "a person that is no text": (lambda t: Table(t._ibis, person=[3]), "a column's name"),
    "a person of a number": (lambda t: Table(t._ibis, person=3), "person"),
    "rows in two groups": (lambda t: Table(t._ibis, person=None).group_by("city").count_people(**ASK), "a person"),
    "rows counted twice": (lambda t: Table(t._ibis, person=None).count_rows(epsilon=1, max_rows=2), "row is a person"),
    "a ledger that is a path": (lambda t: Table(t._ibis, ledger="budget.db", person=None), "a Ledger"),
    "a ledger that is a number": (lambda t: Table(t._ibis, ledger=3, person=None), "a Ledger"),
}  # fmt: skip


@pytest.mark.parametrize(("call", "need"), BAD.values(), ids=BAD)
def test_wrong_input_is_refused_before_the_charge_with_what_is_needed(call, need, monkeypatch):
    book = books()
    t = table(book=book)
    without_noise(monkeypatch)
    with pytest.raises(DiscreetError, match=need):
        call(t)
    assert book.entries() == []


@pytest.mark.parametrize("role", ["person", "by", "value"])
@pytest.mark.parametrize(
    "column",
    [
        pa.array([[1], [2]]),
        pa.array([{"a": 1}, {"a": 2}]),
        pd.Series([SENTINEL, 7919], dtype=object),
        pa.array([b"a", b"b"]),
    ],
    ids=["lists", "structs", "mixed", "bytes"],
)
def test_columns_of_what_names_no_group_are_refused(role, column):
    if role == "person" and getattr(column, "type", None) == pa.binary():
        pytest.skip("bytes name a person")
    book = books()
    odd = {"id": [1, 2], "city": ["a", "b"], "amount": [1, 2]} | {
        {"person": "id", "by": "city", "value": "amount"}[role]: column
    }
    frame = pd.DataFrame(odd) if isinstance(column, pd.Series) else pa.table(odd)
    with pytest.raises(Exception) as caught:
        Table(frame, person="id", ledger=book).group_by("city").sum("amount", low=0, high=1, **ASK)
    assert isinstance(caught.value, KindError)
    assert SENTINEL not in told(caught.value)
    assert book.entries() == []


def test_thousands_of_columns_are_no_trouble():
    n = tiers.cases(2000, 10**4)
    t = Table(pa.table({f"column {i}": [i, i + 1] for i in range(n)}), person="column 17")
    assert t.group_by(f"column {n - 1}", keys=[n]).count_people(epsilon=SURE, max_groups=1).columns["people"] == [1]
    with pytest.raises(ParameterError, match=rf"did you mean 'column {n - 2}'\?") as caught:
        t.group_by(f"colunm {n - 2}")
    assert len(str(caught.value)) < 1000


def test_a_column_may_have_two_parts_to_play():
    rows = [row(i % 50, units=i % 50) for i in range(200)]
    t = table(rows)
    assert len(t.group_by("id").count_people(epsilon=1, delta="1e-9", max_groups=1)) == 0  # Each group has one person.
    assert t.group_by("id", keys=[7, 99]).count_people(epsilon=SURE, max_groups=1).columns["people"] == [1, 0]
    both = t.group_by("units", keys=[2, 30]).sum("units", low=0, high=20, grid=1, epsilon=SURE, max_groups=3)
    assert both.columns["sum"] == [8, 20]
    assert t.sum("id", low=0, high=4, grid=1, epsilon=SURE).columns["sum"] == [sum(min(4 * i, 4) for i in range(50))]


def test_a_bound_that_is_never_reached_costs_noise_and_nothing_else():
    """As many groups as a person could ever have: valid, if silly."""
    answer = table().group_by("city", keys=CITIES).count_people(epsilon=1, max_groups=2**31)
    assert answer.noise["people"].law.scale == 3
    assert len(table().group_by("city").count_people(**{**ASK, "max_groups": 2**31})) == 0


def test_books_that_are_closed_or_only_read_are_refused_before_noise(tmp_path, monkeypatch):
    book = Ledger(tmp_path / "budget.db", epsilon=1)
    t = table(book=book)
    book.close()
    without_noise(monkeypatch)
    with pytest.raises(LedgerError):
        t.count_people(epsilon="1/2")
    assert Ledger(tmp_path / "budget.db").entries() == []


def test_without_a_ledger_an_answer_says_what_it_spent():
    receipt = ask(table(), "count_people").receipt
    assert receipt.entry is receipt.when is None
    assert "ledger" not in receipt.to_dict()
    assert receipt.to_dict()["spent"] == {"epsilon": 0.7000000000000001, "delta": 0.0}  # Upward.


@quickly
@pytest.mark.usefixtures("given_coins")
def test_noise_is_the_mechanisms():
    """A scale of 10 / 7, and not 1 or 2: over 3000 keys the mean size of the noise is within 6 standard deviations."""
    scale, keys = Fraction(10, 7), list(range(1000, 4000))
    answer = table([]).group_by("id", keys=keys).count_people(epsilon="7/10", max_groups=1, left_out=0)
    assert answer.noise["people"] == ColumnNoise(Laplace(scale))
    assert answer.receipt.mechanisms["people"].startswith(repr(IntegerLaplace(scale=scale)).partition(", domain")[0])
    q = {s: math.exp(-1 / s) for s in (float(scale), 1.0, 2.0)}
    mean = {s: 2 * p / (1 - p * p) for s, p in q.items()}
    second = {s: 2 * p / (1 - p) ** 2 for s, p in q.items()}
    found = float(np.mean(np.abs(answer.columns["people"])))
    far = {s: abs(found - mean[s]) / ((second[s] - mean[s] ** 2) / 3000) ** 0.5 for s in q}
    assert far[float(scale)] < 6 < min(far[1.0], far[2.0])


@pytest.mark.parametrize(
    "frame", [lambda t: t, lambda t: t.to_pandas(), pl.from_arrow], ids=["arrow", "pandas", "polars"]
)
def test_columns_that_an_engine_takes_for_one_are_refused(frame):
    twins = pa.table({"User": [1, 1], "user": [1, 2], "city": ["a", "b"]})
    with pytest.raises(ParameterError, match=r"'User', 'user'.*differ in more than case"):
        Table(frame(twins), person="user")
    assert Table(frame(twins.drop_columns("User")), person="user").person == ("user",)


@pytest.mark.parametrize("epsilon", ["1e-310", "1e-320", "1e320"])
@pytest.mark.parametrize("groups", [{}, {"keys": ["a"]}, {"delta": "0.1"}], ids=["none", "known", "private"])
def test_an_epsilon_without_numbers_for_its_noise_is_refused_before_the_charge(epsilon, groups):
    book = Ledger.in_memory(epsilon=10**330, delta="0.5")
    t = Table(pa.table({"u": [1], "c": ["a"], "v": [1.0]}), person="u", ledger=book)
    by = t.group_by("c", keys=groups.get("keys")) if groups else t
    rest = (
        {"epsilon": epsilon} | ({"max_groups": 1} if groups else {}) | {k: v for k, v in groups.items() if k == "delta"}
    )
    for ask in (by.count_people, lambda **rest: by.sum("v", low=0, high=1, **rest)):
        with pytest.raises(ParameterError, match=r"^epsilon="):
            ask(**rest)
    assert book.entries() == []


@pytest.mark.parametrize("epsilon", ["1e-14", "1e200"])
def test_an_epsilon_of_any_other_size_has_an_answer_that_can_be_shown(epsilon):
    t = Table(pa.table({"u": [1, 2], "c": ["a", "a"], "v": [1.0, 1.0]}), person="u")
    for by, rest in ((t, {}), (t.group_by("c"), {"max_groups": 1, "delta": "1e-9"})):
        answer = by.mean("v", low=0, high=1, epsilon=epsilon, **rest)
        assert "95 % noise interval" in str(answer)
        assert "<title>" in answer.to_html()


def test_that_all_values_are_missing_is_no_error():
    t = Table(pd.DataFrame({"u": [1, 2], "c": [None, None]}), person="u")
    assert t.group_by("c").count_people(epsilon=1, delta=1e-6, max_groups=1).keys in ([], [(None,)])
    assert t.sum("c", low=0, high=1, epsilon=200).columns["sum"][0] == pytest.approx(0, abs=1)
    assert Table(pd.DataFrame({"u": [None, None]}), person="u").count_people(epsilon=200).columns["people"] == [0]


def test_a_suggestion_tells_the_people_apart_that_an_answer_does():
    con = ibis.sqlite.connect()
    con.con.execute("CREATE TABLE t (u TEXT COLLATE NOCASE, c TEXT)")
    con.con.executemany("INSERT INTO t VALUES (?, ?)", [("a", "p"), ("A", "p"), ("A", "q")])
    con.con.commit()
    plan = Bounding(People(), person="u", by="c", max_groups=2, sizes=Sizes())
    assert plan(con.table("t")).sizes.tolist()[:3] == [1, 1, 0]


@pytest.mark.parametrize("name", ["size", "quarter", "p0", "k0"])
def test_a_person_column_may_have_the_name_that_a_suggestion_uses(name):
    t = Table(pa.table({name: [1, 2], "c": ["a", "b"]}), person=name)
    assert t.suggest_max_groups("c", epsilon=100).best == 1


def test_intervals_in_text_hold_what_the_intervals_hold():
    answer = Table(pa.table({"u": range(50), "v": [0.37] * 50}), person="u").sum("v", low=0, high=1, epsilon=1)
    (low,), (high,) = answer.interval("0.95")
    texts = [end.replace(",", "") for end in str(answer).splitlines()[2].split("  ")[-1].split(" to ")]
    (decimals,) = {len(text.partition(".")[2]) for text in texts}
    assert decimals == 1  # Two figures of a reach of about 3.
    ends, unit = [float(text) for text in texts], 10.0**-decimals
    assert low - unit < ends[0] <= low
    assert high <= ends[1] < high + unit


def test_known_keys_may_be_beyond_signed_integers():
    big = pa.table({"u": [1, 2, 3], "c": pa.array([2**63 + 1, 2**63 + 1, 5], pa.uint64())})
    answer = Table(big, person="u").group_by("c", keys=[2**63 + 1, 5, 7]).count_people(epsilon=SURE, max_groups=1)
    assert answer.columns["people"] == [2, 1, 0]


@pytest.mark.parametrize(("low", "high"), [(10**6, "1000000.5"), (-2026, -2025), (1_700_000_000, 1_700_086_400)])
def test_the_grid_of_a_mean_is_fine_between_its_bounds_however_far_from_zero(low, high):
    middle = (Fraction(low) + Fraction(high)) / 2
    values = pa.array([float(middle)] * 1000)
    answer = Table(pa.table({"u": range(1000), "v": values}), person="u").mean("v", low=low, high=high, epsilon=SURE)
    assert float(answer.columns["mean"][0]) == pytest.approx(float(middle), abs=float(Fraction(high) - low) / 1000)
    assert answer.receipt.epsilon == SURE


def test_threads_may_ask_tables_that_share_an_engine():
    table = Table(pa.table({"u": range(1000), "c": ["a", "b"] * 500}), person="u")
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: table.count_people(epsilon=SURE).columns["people"], range(8)))
    assert found == [[1000]] * 8
