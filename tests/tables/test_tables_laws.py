"""The noise of a table: chosen by public parameters alone, the best of the laws, and charged as it is drawn."""

import itertools
import json
import math
import time
from fractions import Fraction

import ibis
import numpy as np
import pyarrow as pa
import pytest
import tiers
from public_names import PUBLIC
from tables_engines import Engine

from discreet import (
    DiscreetError,
    EpsilonDelta,
    Gaussian,
    GaussianThreshold,
    IntegerGaussian,
    IntegerLaplace,
    Laplace,
    LaplaceThreshold,
    Ledger,
    ParameterError,
    Sensitivity,
    TruncatedLaplace,
    TruncatedLaplaceThreshold,
    words,
)
from discreet.audit import pair_of_laws
from discreet.coins import SystemCoins
from discreet.domains import Integers, Maps, Nullable, Texts, Vectors
from discreet.noise import profile as profiles
from discreet.reals import float_up
from discreet.tables import Bounding, Mean, People, Rows, Sum, Table
from discreet.tables.laws import LAWS, candidates
from discreet.tables.noise import ColumnNoise
from discreet.tables.pages import _guarantee
from discreet.tables.query import Query
from discreet.tables.release import InTurn

KINDS = {"id": "int64", "city": "string", "amount": "float64"}
SCHEMA = ibis.schema(KINDS).to_pyarrow()
KEYS = [f"c{i}" for i in range(40)]
FULL = [{"id": i % 200, "city": KEYS[(i + i // 200) % 40], "amount": 2.0} for i in range(8000)]
DELTA = Fraction("1e-6")
AMOUNT, MEAN = Sum("amount", 0, 10, "1/4"), Mean("amount", 0, 8, 1)
HALF = Fraction(1, 2)


def table(rows=FULL, book=None):
    return Table(pa.Table.from_pylist(rows, schema=SCHEMA), person="id", ledger=book)


def turn(*aggregates, groups, epsilon=1, delta=DELTA, keys=None, noise="auto", weights=None):
    bounding = Bounding(aggregates, person="id", by="city", max_groups=groups, keys=keys)
    shares = weights or [1] * len(aggregates)
    epsilons = [Fraction(epsilon) * share / sum(shares) for share in shares]
    return InTurn.within(bounding, epsilons=epsilons, delta=Fraction(delta), noise=noise)


# The choice.


@tiers.crossed(
    5,
    ids=lambda value: type(value).__name__ if isinstance(value, People | Rows) else None,
    aggregate=[People(), Rows(3)],
    epsilon=["1/10", 1, 8],
    delta=["1e-3", "1e-6", "1e-12"],
    groups=[1, 2, 3, 4, 8, 10, 28, 64],
)
def test_private_groups_get_the_noise_that_shows_the_smallest(aggregate, epsilon, delta, groups):
    part = turn(aggregate, groups=groups, epsilon=epsilon, delta=delta).parts[0]
    apart = {"l0": groups, "li": aggregate.most}
    domain = Maps(part.mechanism.domain.keys, Integers())
    rivals = [
        kind.within(epsilon=epsilon, delta=float(delta), **apart, domain=domain)
        for kind in (LaplaceThreshold, TruncatedLaplaceThreshold, GaussianThreshold)
    ]
    needed = {m.noise.needed(m.threshold, HALF): m for m in reversed(rivals)}
    least = [m for m in rivals if m.noise.needed(m.threshold, HALF) == min(needed)]
    assert part.mechanism == min(least, key=lambda m: m.noise.deviation)
    assert part.laws[0].n50 == min(needed)


@pytest.mark.parametrize("aggregate", [People(), AMOUNT, MEAN], ids=["people", "sum", "mean"])
@pytest.mark.parametrize(("epsilon", "delta"), [(1, "1e-6"), (1, "1e-2"), ("1/20", "1e-4"), (6, "1e-9")])
@pytest.mark.parametrize("groups", [1, 5, 9, 10, 40])
def test_known_groups_get_the_noise_with_the_least_standard_deviation(aggregate, epsilon, delta, groups):
    part = turn(aggregate, groups=groups, epsilon=epsilon, delta=delta, keys=KEYS).parts[0]
    apart = (groups, groups * aggregate.most, aggregate.most)
    domain = Vectors(Integers(), size=len(KEYS))
    laplace = IntegerLaplace.within(epsilon=epsilon, d_in=apart[1], domain=domain)
    gaussian = IntegerGaussian.within(epsilon=epsilon, delta=float(delta), d_in=apart, domain=domain)
    assert part.mechanism == min(laplace, gaussian, key=lambda m: m.noise.second_moment)
    assert part.law == ("laplace" if part.mechanism == laplace else "gaussian")


def test_the_figures_that_the_choice_is_for():
    """At (1, 1e-6) Gaussian noise shows groups of 50 from max_groups 3 on; with known keys it is better from 9 on.

    Before that truncated noise shows the smallest groups; at 2 its threshold is 27, that of Laplace noise 29.
    """
    firsts = [turn(People(), groups=m).parts[0].laws[0] for m in (1, 2, 3, 10, 28)]
    assert [(first.threshold, first.n95) for first in firsts] == [(14, 17), (27, 33), (37, 50), (70, 93), (121, 159)]
    assert [first.law for first in firsts] == ["truncated", "truncated", "gaussian", "gaussian", "gaussian"]
    assert [turn(People(), groups=m, keys=KEYS).parts[0].law for m in (8, 9)] == ["laplace", "gaussian"]


@pytest.mark.parametrize("keys", [None, KEYS], ids=["private", "known"])
@pytest.mark.parametrize("engine", ["duckdb", "sqlite"])
def test_no_row_decides_the_noise(keys, engine):
    seen, full = [], Engine(engine, getattr(ibis, engine).connect()).load(ibis.schema(KINDS), FULL)
    for people in (0, 1, 200):
        source = full.filter(full.id < people)
        answer = (
            Table(source, person="id")
            .group_by("city", keys=keys)
            .release(People(), AMOUNT, epsilon=1, delta=DELTA, max_groups=10)
        )
        said = answer.receipt.to_dict()
        seen.append((said["laws"], said["mechanisms"], said["spent"], answer.noise))
    assert seen[0] == seen[1] == seen[2]
    assert seen[0][0] == {"people": "gaussian", "sum of amount": "gaussian"}


def test_without_delta_the_noise_is_laplace_and_the_loss_pure():
    known = turn(People(), AMOUNT, groups=40, delta=0, keys=KEYS)
    assert [len(part.laws) for part in known.parts] == [1, 1]
    assert known.privacy_map(1) == 1.0
    answer = table().group_by("city", keys=KEYS).count_people(epsilon=1, max_groups=20)
    assert answer.receipt.delta == 0
    assert isinstance(answer.noise["people"].law, Laplace)


# How delta is divided.


@pytest.mark.parametrize("keys", [None, KEYS], ids=["private", "known"])
@pytest.mark.parametrize("noise", ["auto", *LAWS])
@pytest.mark.parametrize("groups", [1, 12])
@pytest.mark.parametrize("delta", ["1e-6", "1/3000000", "1e-290", "0.3"])
@pytest.mark.parametrize("weights", [[1, 1, 1], [5, "1/7", 2]], ids=["equal", "unequal"])
def test_parts_use_no_more_of_delta_than_there_is(keys, noise, groups, delta, weights):
    given = [Fraction(weight) for weight in weights]
    made = turn(People(), AMOUNT, MEAN, groups=groups, delta=delta, keys=keys, noise=noise, weights=given)
    event = made.event(1)
    assert event.delta <= Fraction(delta)
    assert event.epsilon == 1
    for part, (told, share) in zip(made.parts, zip(event.parts, given, strict=True), strict=True):
        epsilon, most = part.mechanism.output_measure.up(part.loss(made.bounding, 1)) if told.delta else (0, 0)
        assert told.delta == Fraction(most)
        assert sum(e * n for e, n in told.moves) == share / sum(given)
        assert epsilon == 0 or epsilon == float(share / sum(given)) or epsilon > share / sum(given)
    pure = [part.law == "laplace" and part.noise.threshold is None for part in made.parts]
    assert [told.delta == 0 for told in event.parts] == pure


@pytest.mark.parametrize("groups", [1, 4, 20])
def test_what_others_do_not_use_of_delta_the_first_has(groups):
    made = turn(People(), AMOUNT, groups=groups)
    first, second = made.parts
    part = DELTA if second.law == "laplace" else DELTA / 2
    alone = turn(People(), groups=groups, epsilon="1/2", delta=part).parts[0]
    assert first.mechanism == alone.mechanism
    assert (second.law == "laplace") == (groups < 10)


@pytest.mark.parametrize("delta", ["1e-400", "5e-324", "1e-320"])
def test_a_delta_that_is_hardly_a_float_is_not_exceeded(delta):
    found = table().group_by("city").explain(People(), AMOUNT, epsilon=1, delta=delta, max_groups=3)
    assert 0 < found.receipt.delta <= Fraction(delta)
    assert found.receipt.laws == {"people": "laplace", "sum of amount": "laplace"}


# What is charged, and what is drawn.


@pytest.fixture
def drawn(monkeypatch):
    """The laws that noise is drawn from, and how many values get it."""
    seen = []
    for law in (Laplace, TruncatedLaplace, Gaussian):
        add = law.add
        monkeypatch.setattr(
            law, "add", lambda noise, x, coins, add=add, **rest: [seen.append(noise), add(noise, x, coins, **rest)][1]
        )
    return seen


@tiers.crossed(
    3,
    law=[(noise, keys) for noise in ("auto", *LAWS) for keys in (None, KEYS) if (noise, keys) != ("truncated", KEYS)],
    asked=[[People()], [Rows(2), AMOUNT], [MEAN], [AMOUNT, People()]],
)
def test_the_noise_that_is_drawn_is_charged(law, asked, drawn):
    noise, keys = law
    book = Ledger.in_memory(epsilon=1, delta=DELTA, accountant="plain")
    answer = (
        table(book=book)
        .group_by("city", keys=keys)
        .release(*asked, epsilon="7/10", delta=DELTA, max_groups=12, left_out=0, noise=noise)
    )
    made = {label: eval(text, PUBLIC | NAMES) for label, text in answer.receipt.mechanisms.items()}
    assert drawn == [m.noise for m in made.values()]
    assert [column.law for column in answer.noise.values()] == [made[label].noise for label in answer.noise]
    most = {"people": 1, "rows": 2, "sum of amount": 40, "mean of amount": 8}
    (entry,) = book.entries()
    told = [m.event((12, 12 * most[label], most[label])) for label, m in made.items() if not _pure(m)]
    assert entry.epsilon == answer.receipt.epsilon == Fraction(7, 10)
    assert entry.delta == answer.receipt.delta == sum(each.delta for each in told) <= DELTA
    pure = sum(12 * most[label] / m.scale for label, m in made.items() if _pure(m))
    assert sum(each.epsilon for each in told) + pure == entry.epsilon
    assert [part.mechanism for part in entry.event.parts] == [type(m).__name__ for m in made.values()]
    first, *others = answer.receipt.laws.values()
    if noise != "auto":
        assert first == noise
        assert set(others) <= {"laplace" if noise == "truncated" else noise}


NAMES = {
    "Fraction": Fraction,
    "Maps": Maps,
    "Nullable": Nullable,
    "Texts": Texts,
    "Vectors": Vectors,
    "Integers": Integers,
}


def _pure(mechanism):
    return isinstance(mechanism, IntegerLaplace)


def test_independent_entries_are_moves_of_their_own_with_known_keys_too():
    made = turn(People(), groups=5, delta=0, keys=KEYS)
    assert made.event(1).moves == ((Fraction(1, 5), 5),)
    assert made.event(2).epsilon == made.loss(2).epsilon == 2


@pytest.mark.parametrize("noise", ["auto", "gaussian"])
def test_auto_max_groups_charges_the_worst_choice_and_draws_the_best_noise_of_each(noise):
    book = Ledger.in_memory(epsilon=50, delta=DELTA, accountant="plain")
    answer = table(book=book).group_by("city").count_people(epsilon=50, delta=DELTA, max_groups="auto", noise=noise)
    found = answer.receipt.found
    again = turn(People(), groups=found.max_groups, epsilon=45, noise=noise).parts[0]
    assert answer.noise["people"] == again.noise
    assert found.laws == {"people": again.law}
    assert found.mechanisms == {"people": repr(again.mechanism).replace("Objects()", "Nullable(of=Texts())")}
    assert book.spent == (50, answer.receipt.delta)
    assert 0 < answer.receipt.delta <= DELTA
    said = answer.receipt.to_dict()
    assert said["noise"] == noise
    assert said["laws"] == {}
    assert said["found"]["laws"] == found.laws
    assert json.loads(json.dumps(said)) == said


def test_a_receipt_says_which_noise_was_asked_for_and_which_was_taken():
    for noise, taken in (("auto", "gaussian"), ("laplace", "laplace")):
        answer = table().group_by("city").count_people(epsilon=1, delta=DELTA, max_groups=10, noise=noise)
        said = json.loads(json.dumps(answer.receipt.to_dict()))
        assert (said["noise"], said["laws"]) == (noise, {"people": taken})
        assert said["mechanisms"]["people"].startswith(f"{taken.title()}Threshold(")
        assert "found" in said
        assert "laws" not in said["found"]


# What is refused.


@pytest.mark.parametrize(
    ("more", "need"),
    [
        ({"noise": "gausian"}, "did you mean 'gaussian'"),
        ({"noise": None}, "noise=None: need one of auto, laplace, truncated, gaussian"),
        ({"noise": ["laplace"]}, "noise="),
        ({"noise": "gaussian", "delta": 1}, "1e-300 <= delta < 1"),
        ({"noise": "gaussian", "delta": "1e-301"}, "1e-300 <= delta < 1"),
        ({"noise": "gaussian", "epsilon": 51}, "epsilon <= 50"),
        ({"delta": 0}, "0 < delta <= 1"),
        ({"delta": "1.0001"}, "0 < delta <= 1"),
        ({"delta": -1}, "delta"),
        ({"delta": "nan"}, "delta"),
    ],
    ids=str,
)
@pytest.mark.parametrize("keys", [None, KEYS], ids=["private", "known"])
def test_a_noise_that_cannot_be_is_refused_before_anything_is_charged_or_drawn(more, need, keys, monkeypatch):
    book = Ledger.in_memory(epsilon=9, delta="1e-3")
    groups = table(book=book).group_by("city", keys=keys)
    monkeypatch.setattr(SystemCoins, "words", lambda *_: pytest.fail("a coin was tossed"))
    given = {"epsilon": 1, "delta": DELTA, "max_groups": 3} | more
    for ask in (groups.count_people, groups.explain):
        with pytest.raises(DiscreetError, match=need):
            ask(**given)
    assert book.entries() == []


def test_gaussian_noise_needs_a_delta_also_where_a_suggestion_is_asked_for():
    book = Ledger.in_memory(epsilon=9, delta="1e-3")
    source = table(book=book)
    with pytest.raises(ParameterError, match="delta=None: need 1e-300 <= delta < 1, for noise='gaussian'"):
        source.group_by("city", keys=KEYS).count_people(epsilon=1, max_groups=3, noise="gaussian")
    with pytest.raises(ParameterError, match="delta=None"):
        source.suggest_max_groups("city", delta=None, noise="gaussian")
    with pytest.raises(ParameterError, match="noise='best'"):
        source.suggest_max_groups("city", noise="best")
    assert book.entries() == []


def test_truncated_noise_is_for_thresholds():
    """Where there is none, it would spread as widely as Laplace noise, and have a delta besides."""
    book = Ledger.in_memory(epsilon=9, delta="1e-3")
    with pytest.raises(ParameterError, match="noise='truncated': need another one: no groups are private"):
        table(book=book).group_by("city", keys=KEYS).count_people(
            epsilon=1, delta=DELTA, max_groups=3, noise="truncated"
        )
    assert book.entries() == []
    law = TruncatedLaplace.within(EpsilonDelta(2, DELTA), Sensitivity(12, 12, 1))
    assert law.scale == 6
    assert law.deviation > 0.999 * Laplace(6).deviation


def test_a_budget_that_a_noise_cannot_have_is_said_as_it_was_typed():
    groups = table().group_by("city")
    with pytest.raises(ParameterError, match=r"^planned=60: need planned <= 50, for noise='gaussian'"):
        table().suggest_max_groups("city", planned=60, noise="gaussian")
    with pytest.raises(ParameterError, match=r"^epsilon='60': need epsilon <= 50, for noise='truncated'"):
        groups.explain(epsilon="60", delta=DELTA, max_groups=3, noise="truncated")
    with pytest.raises(ParameterError, match=r"^delta='1e-301': need 1e-300 <= delta < 1, for noise='gaussian'"):
        groups.explain(epsilon=1, delta="1e-301", max_groups=3, noise="gaussian")
    with pytest.raises(ParameterError, match=r"^delta='5e-301': need 1e-300 <= delta < 1, for noise='gaussian'"):
        groups.explain(People(), AMOUNT, epsilon=1, delta="1e-300", max_groups=3, noise="gaussian")
    assert groups.explain(epsilon=1, delta="1e-300", max_groups=3, noise="gaussian")[3].noise == "gaussian"


@pytest.mark.parametrize("delta", ["1e-12", "1e-6", "0.3", "0.9"])
@pytest.mark.parametrize("epsilon", ["1/10", 1, 8])
def test_truncated_noise_is_never_worse_than_laplace_noise(epsilon, delta):
    for apart in (Sensitivity(1, 1, 1), Sensitivity(3, 3, 1), Sensitivity(4, 20, 5)):
        laplace, truncated = (
            candidates(Maps(Texts(), Integers()), apart, Fraction(epsilon), Fraction(delta), noise)[0]
            for noise in ("laplace", "truncated")
        )
        assert (truncated.threshold, truncated.n50, truncated.n95) <= (laplace.threshold, laplace.n50, laplace.n95)
        assert truncated.mechanism.noise.deviation <= laplace.mechanism.noise.deviation


def test_beside_a_truncated_count_sums_have_laplace_noise_and_the_count_all_of_delta():
    for delta in (DELTA, Fraction("1e-300")):
        made = turn(People(), AMOUNT, MEAN, groups=4, delta=delta, noise="truncated", weights=[2, 1, 1])
        assert [part.law for part in made.parts] == ["truncated", "laplace", "laplace"]
        alone = turn(People(), groups=4, epsilon="1/2", delta=delta, noise="truncated")
        assert made.parts[0].mechanism == alone.parts[0].mechanism
        assert made.event(1).delta == alone.event(1).delta <= delta


@pytest.mark.parametrize("epsilon", ["1e-30", "1e-3", 10**9, 2**1000], ids=["least", "small", "large", "most"])
@pytest.mark.parametrize("delta", ["1e-300", "1e-6", "0.999999", 1])
@pytest.mark.parametrize("keys", [None, KEYS], ids=["private", "known"])
def test_extremes_are_answered_at_once(epsilon, delta, keys):
    start = time.thread_time()
    made = turn(People(), AMOUNT, groups=20, epsilon=epsilon, delta=delta, keys=keys)
    assert made.event(1).delta <= Fraction(delta)
    assert made.loss(1).epsilon == Fraction(epsilon)
    assert time.thread_time() - start < 5


# What is said.


def test_an_explanation_shows_every_law_and_why_one_is_taken():
    found = table().group_by("city").explain(epsilon=1, delta=DELTA, max_groups=10, left_out=0)
    options = [row for row in found.to_options() if row["max_groups"] == 10]
    assert [(row["noise"], row["n95"], row["threshold"], row["taken"]) for row in options] == [
        ("gaussian", 93, 70, True),
        ("truncated", 156, 132, False),
        ("laplace", 179, 155, False),
    ]
    assert [choice.noise for choice in found.choices] == ["truncated", "truncated", *["gaussian"] * 4]
    text = str(found)
    assert "Noise of people: gaussian, for the smallest groups seen as often as not" in text
    assert "(gaussian 71, 95 % from 93, standard deviation 13.4; truncated 133, 95 % from 156, standard" in text
    assert "; laplace 156, 95 % from 179, standard" in text
    assert found[10].deviation == options[0]["deviation"] == turn(People(), groups=10).parts[0].noise.deviation
    assert found.to_rows()[0]["noise"] == "truncated"


def test_an_explanation_of_known_keys_compares_standard_deviations():
    found = table().group_by("city", keys=KEYS).explain(AMOUNT, epsilon=1, delta=DELTA, max_groups=20, left_out=0)
    taken, other = [row for row in found.to_options() if row["max_groups"] == 20]
    assert (taken["noise"], other["noise"], taken["n95"]) == ("gaussian", "laplace", None)
    assert taken["deviation"] < other["deviation"]
    assert "for the least standard deviation (gaussian " in str(found)
    alone = table().group_by("city", keys=KEYS).explain(AMOUNT, epsilon=1, max_groups=20)
    assert "Noise of" not in str(alone)  # There is nothing to choose.


@tiers.crossed(
    5,
    keys=[None, KEYS[:4]],
    left_out=[None, 0, "1/10"],
    chosen=[2, 4, 10],
    asked=[[People()], [MEAN], [Rows(2)]],
    ids=lambda value: "private" if value is None else value if isinstance(value, str | int) else str(len(value)),
)
def test_the_rows_of_other_choices_are_those_of_the_questions_themselves(monkeypatch, keys, left_out, chosen, asked):
    """Also where one of them leaves nobody's groups out, and nothing of epsilon pays for knowing that."""
    monkeypatch.setattr(Query, "check", lambda _: None)  # No engine is asked: to write its query takes the longest.
    groups, given = table().group_by("city", keys=keys), {"epsilon": 1, "delta": DELTA}

    def part(most):
        return None if left_out and keys and most >= len(keys) and asked != [Rows(2)] else left_out

    found = groups.explain(*asked, **given, max_groups=chosen, left_out=part(chosen))
    for most in {1, 2, 3, 5, 10, 20, chosen}:
        if part(chosen) == part(most) or part(most) is None:
            itself = groups.explain(*asked, **given, max_groups=most, left_out=part(most))
            assert found[most] == itself[most]


def test_a_named_noise_is_taken_though_it_is_not_the_best():
    for name in LAWS:
        found = table().group_by("city").explain(epsilon=1, delta=DELTA, max_groups=10, noise=name)
        assert {choice.noise for choice in found.choices} == {name}
        assert len(found.choices[0].options) == 1


@tiers.crossed(
    7,
    noise=["laplace", "truncated"],
    columns=[1, 2],
    epsilon=["0.001", "0.1", "1"],
    delta=["1e-6", "0.01", "0.4", "0.7"],
)
def test_the_promise_of_a_page_fails_no_more_often_than_it_says(epsilon, delta, columns, noise):
    """By the exact laws of a count, and a second column beside it: of a group that is new, and of one that is not.

    What one of the tables cannot give has a probability of at most delta, and all else changes the odds no more than
    the page says, and not much less.
    """
    by_city = Table(pa.table({"u": [1], "c": ["a"], "x": [1]}), person="u").group_by("c")
    asked = [People(), Sum("x", 0, 1, 1)][:columns]
    found = by_city.explain(*asked, epsilon=epsilon, delta=delta, max_groups=1, left_out=0, noise=noise)
    receipt, worst = found.receipt, 0.0
    count = eval(receipt.mechanisms["people"], PUBLIC | NAMES)
    for x, y in (({"a": 1}, {}), ({"a": 901}, {"a": 900})):
        for p, q in itertools.permutations(pair_of_laws(count, x, y)):
            assert sum(map(float_up, (p[z] for z in p if float_up(q[z]) == 0))) <= receipt.delta + 1e-12
            worst = max([worst, *(float_up(p[z] / q[z]) for z in p if float_up(q[z]) > 0 and float_up(p[z]) > 0)])
    worst *= math.exp(float(epsilon) * (columns - 1) / columns)
    first, second, *_ = _guarantee(receipt.odds, receipt.delta, receipt.fails)
    for sentence, steps in ((first, 1), (second, 2)):
        if "too large" not in sentence:
            factor = float(sentence.split("a factor of ")[1].split(". ")[0].replace(",", ""))
            assert worst**steps <= factor * (1 + 1e-12)
            assert factor <= worst**steps * 1.02
    assert f"more than {words.factor(receipt.odds)} times" in found.guarantee


@pytest.mark.parametrize("keys", [None, KEYS], ids=["private", "known"])
def test_intervals_are_of_the_noise_that_was_drawn(keys):
    """The interval of a count with Gaussian noise holds the truth 95 times of 100, and hardly more."""
    answer = table().group_by("city", keys=keys).count_people(epsilon=4, delta=DELTA, max_groups=12)
    noise = answer.noise["people"]
    assert isinstance(noise.law, Gaussian)
    radius = noise.law.radius(Fraction(1, 20))
    assert float_up(2 * noise.law.tail(radius + 1)) <= 0.05 < float_up(2 * noise.law.tail(radius))
    low, high = answer.interval("0.95")
    values = np.array(answer.columns["people"])
    far = values > (noise.threshold or 0) + 10 * noise.law.deviation
    assert far.any()
    assert (high - values <= radius + 1).all()
    assert (values - low)[far].tolist() == [radius] * far.sum() if keys else True


@pytest.mark.parametrize("threshold", [None, 20], ids=["known", "private"])
def test_intervals_of_gaussian_counts_hold_the_truth_as_often_as_they_say(threshold):
    noise = ColumnNoise(Gaussian(30), Fraction(1), threshold)
    for truth in (3, 18, 25, 200):
        seen = [z for z in range(truth - 60, truth + 61) if threshold is None or z > threshold]
        if threshold is None:
            radius = noise.radius(Fraction(1, 20))
            low, high = np.array(seen) - radius, np.array(seen) + radius
        else:
            low, high = noise.above(seen, Fraction(1, 20))
        chances = np.array([float_up(noise.law.point(z - truth)) for z in seen])
        missed = chances[(low > truth) | (high < truth)].sum() / chances.sum()
        assert 0 <= missed <= 0.05
        assert truth < 200 or missed > 0.03


def test_a_suggestion_is_about_the_noise_that_is_to_come():
    found = {noise: table().suggest_max_groups("city", epsilon=10, noise=noise) for noise in ("auto", "laplace")}
    most = max(found["auto"].worth)
    assert most >= 12
    auto, laplace = (each.worth[most].price for each in found.values())
    assert auto == turn(People(), groups=most).parts[0].price
    assert isinstance(auto.law, Gaussian)
    assert isinstance(laplace.law, Laplace)
    assert auto.threshold < laplace.threshold


def test_candidates_are_the_same_value_each_time():
    made = [turn(People(), AMOUNT, groups=10) for _ in "ab"]
    assert made[0] == made[1]
    candidates.cache_clear()
    assert turn(People(), AMOUNT, groups=10) == made[0]


def test_a_question_without_groups_has_laplace_noise():
    answer = table().release(People(), AMOUNT, epsilon=1)
    assert answer.receipt.laws == {"people": "laplace", "sum of amount": "laplace"}
    assert Query.noise == "auto"


@pytest.mark.parametrize("epsilon", ["1e-100", "1e-120", "1e-200"])
@pytest.mark.parametrize("keys", [None, ["a"]])
def test_noise_is_found_at_the_least_epsilons(epsilon, keys):
    """There delta alone decides how much Gaussian noise there is."""
    groups = Table(pa.table({"id": [1], "x": ["a"]}), person="id").group_by("x", keys=keys)
    found = groups.explain(epsilon=epsilon, delta="1e-6", max_groups=2)[2]
    assert found.deviation > 1 / (1e-6 * math.sqrt(8 * math.pi))


def test_noise_for_many_groups_and_a_small_delta_is_found_from_few_numbers_of_new_keys(monkeypatch):
    calls, profile = [], profiles.profile
    monkeypatch.setattr(profiles, "profile", lambda *given: calls.append(given) or profile(*given))
    assert GaussianThreshold.within(epsilon=1, delta="1e-20", l0=1000).threshold == 2789
    assert len(calls) < 500
