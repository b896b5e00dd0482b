"""Which keys people have: the exact law of all rounds, the map and the sampler held against each other."""

import math
from collections import Counter
from fractions import Fraction
from functools import cache, partial
from itertools import chain, combinations, combinations_with_replacement

import numpy as np
import pytest
from tiers import cases

from discreet import DomainError, Integers, Objects, ParameterError, Sensitivity, Texts, UnsupportedError
from discreet.audit import exact as exact_audit
from discreet.mechanisms import FindKeys, KeyRound, KeySets
from discreet.noise import Gaussian
from discreet.noise.profile import profile
from discreet.reals import Real, float_down, float_up, sign

SETS = [frozenset(keys) for n in (1, 2, 3) for keys in combinations("abc", n)]
TWO = [KeyRound(30, 26), KeyRound(14, 20)]


def middle(x):
    return Fraction(x) if isinstance(x, Fraction | int) else sum(x.enclosure(200)) / 2


def far(one, other, epsilon):
    """The least delta at an epsilon between two laws, to 200 bits."""
    grow = middle(Real(lambda e: e.exp(), epsilon))
    return sum(max(p - grow * other.get(keys, 0), 0) for keys, p in one.items())


@cache
def law_of(rounds, people):
    """The law, which depends on no epsilon, to 200 bits."""
    m = FindKeys(rounds, max_keys=3, epsilon=1, norm=12)
    return {keys: middle(p) for keys, p in m.law(list(people)).items()}


def plain_law(m, people):
    """The law, by every outcome of every round, of weights that are computed here."""
    law = {frozenset(): Fraction(1)}
    for one in m.rounds:
        after = Counter()
        for found, p in law.items():
            totals = Counter()
            for keys in people:
                rest = set(keys) - found
                for key in rest:
                    totals[key] += next(
                        w for w in range(m.norm, 0, -1) if w * w * len(rest) <= m.norm**2
                    )  # Up to 16 keys each number has a weight of its own.
            for more in chain.from_iterable(combinations(totals, n) for n in range(len(totals) + 1)):
                q = p
                for key, total in totals.items():
                    above = middle(Gaussian(one.variance).at_least(one.threshold + 1 - total))
                    q *= above if key in more else 1 - above
                after[found | set(more)] += q
        law = after
    return {tuple(sorted(keys)): p for keys, p in law.items()}


@pytest.mark.parametrize("max_keys", [1, 3, 16, 17, 100, 1000, 10**6])
@pytest.mark.parametrize("norm", [1000, 4097, 1 << 16])
def test_the_squares_of_a_persons_weights_never_exceed_the_norm(max_keys, norm):
    m = FindKeys([KeyRound(30, 26)], max_keys=max_keys, epsilon=1, norm=norm)
    for n in {*range(1, min(max_keys, 300) + 1), *range(1, max_keys + 1, max_keys // 50 + 1), max_keys}:
        w = m.weight(n)
        assert w >= 1
        assert n * w * w <= norm * norm < (w + 1) ** 2 * n * 1.3  # And not much less, in whole steps.
        if n <= 16:
            assert norm * norm < n * (w + 1) ** 2
    assert m.weights[-1][0] == max_keys
    assert len(m.weights) < 200


@pytest.mark.parametrize("rounds", [TWO[:1], TWO, [TWO[1]] * 3], ids=["one", "two", "three"])
def test_the_law_is_that_of_every_outcome_of_every_round(rounds):
    m = FindKeys(rounds, max_keys=3, epsilon=1, norm=12)
    for people in ([], ["a"], ["ab"] * 3, ["abc", "ab", "b"], ["a"] * 4 + ["ab"]):
        data = [list(keys) for keys in people]
        law, expected = m.law(data), plain_law(m, data)
        assert sum(map(middle, law.values())) == pytest.approx(1, abs=1e-40)
        assert {keys: float(middle(p)) for keys, p in law.items()} == pytest.approx(
            {keys: float(p) for keys, p in expected.items()}, abs=1e-30
        )


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(2), Fraction(30)], ids=str)
@pytest.mark.parametrize("rounds", [TWO[:1], TWO], ids=["one", "two"])
def test_no_neighbour_is_farther_than_the_map_says_and_one_is_as_far(rounds, epsilon):
    """Every person is added to every small table, both ways; at a large epsilon what tells is a key that is new."""
    m = FindKeys(rounds, max_keys=3, epsilon=epsilon, norm=12)
    claimed = middle(m.loss(1).delta)
    greatest = 0
    for n in range(cases(3, 4)):
        for people in combinations_with_replacement(SETS[:: cases(2, 1)], n):
            law = law_of(m.rounds, people)
            for one in SETS:
                more = law_of(m.rounds, tuple(sorted([*people, one], key=SETS.index)))
                greatest = max(greatest, far(law, more, epsilon), far(more, law, epsilon))
    assert greatest <= claimed
    if epsilon == 30:
        assert greatest > claimed * Fraction(98, 100)


@pytest.mark.parametrize("keys", [1, 2, 3, 7, 16])
def test_noise_alone_loses_what_the_exact_profile_says_or_a_little_more(keys):
    """Between totals of keys that others have too: never less than the law's own, and hardly more."""
    for norm, v in ((1 << 10, 20 << 20), (1 << 16, 20 << 32)):
        m = FindKeys([KeyRound(v, 1000 * norm)], max_keys=keys, epsilon=1, norm=norm)
        w = m.weight(keys)
        least = Real(partial(profile, Fraction(v), Sensitivity(keys, keys * w, w)), Fraction(1))
        claimed = m.loss(1).delta
        assert sign(claimed - least) >= 0
        if keys in {1, 16}:  # Where the squares add up to the norm's.
            assert float_up(claimed) < 1.001 * float_down(least)


@pytest.mark.parametrize(("v", "w"), [((400, 90), (16, 16)), ((90, 400), (16, 11)), ((100, 100), (16, 9))])
def test_noise_of_two_rounds_loses_at_least_what_both_lose_together(v, w):
    """Two totals, one in each round, of which a person moves both: every pair of noises."""
    m = FindKeys([KeyRound(each, 10**4) for each in v], max_keys=3, epsilon=1, norm=16)
    z = np.arange(-400, 401)
    laws = [np.exp(-(z**2) / (2 * each)) for each in v]
    laws = [law / law.sum() for law in laws]
    moved = [
        np.exp(-((z - each) ** 2) / (2 * u)) / np.exp(-(z**2) / (2 * u)).sum() for each, u in zip(w, v, strict=True)
    ]
    truth = np.maximum(np.outer(*laws) - math.e * np.outer(*moved), 0).sum()
    claimed = m.privacy_map(1)[1]
    assert truth <= claimed
    if w == (16, 16):
        assert claimed < 1.1 * truth


@pytest.mark.parametrize("rounds", [1, 2])
@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [(1, "1e-6"), ("0.01", "1e-9"), (20, "0.3"), ("3", "1e-300"), ("1e-6", "1e-6"), (10**9, "1e-6")],
)
def test_within_is_within(epsilon, delta, rounds):
    for max_keys in (1, 5, 100):
        m = FindKeys.within(epsilon=epsilon, delta=delta, max_keys=max_keys, rounds=rounds)
        m.require(1, (epsilon, delta))
        assert len(m.rounds) == rounds
        idle = float_up(m.loss(1).delta) / float(Fraction(delta))
        assert idle > (0.99 if Fraction(epsilon) < 100 else 0.3)  # Beyond, the least noise is more than is needed.


def test_a_round_less_or_a_lower_threshold_loses_no_more_than_it_should():
    one, other = KeyRound(40, 30), KeyRound(20, 25)
    deltas = [middle(FindKeys(r, max_keys=3, epsilon=1, norm=12).loss(1).delta) for r in ([one], [other], [one, other])]
    assert max(deltas[:2]) < deltas[2]
    lower = FindKeys([KeyRound(40, 29)], max_keys=3, epsilon=1, norm=12)
    assert middle(lower.loss(1).delta) > deltas[0]


def test_several_people_lose_more_and_nobody_nothing():
    m = FindKeys([KeyRound(400, 250)], max_keys=2, epsilon=1, norm=12)
    deltas = [middle(m.loss(d).delta) for d in range(5)]
    assert deltas[0] == 0 == m.loss(0).epsilon
    assert deltas == sorted(deltas)
    assert middle(m.loss(100).delta) == 1
    laws = [{keys: middle(p) for keys, p in m.law([["a", "b"]] * n).items()} for n in range(3)]
    for one, other in ((laws[0], laws[2]), (laws[2], laws[0])):
        assert far(one, other, Fraction(1)) <= deltas[2]


def test_the_numbers_of_keys_that_tell_most_are_found():
    """With much noise many new keys tell most, with little noise one: all numbers are compared, by plain floats."""
    for v, threshold in ((400, 60), (30, 26), (4000, 200)):
        m = FindKeys([KeyRound(v, threshold)], max_keys=6, epsilon=200, norm=20)
        z = np.arange(-2000, 2001)
        law = np.exp(-(z**2) / (2 * v))
        tails = {w: law[z > threshold - w].sum() / law.sum() for _, w in m.weights}
        found = {n: 1 - (1 - tails[w]) ** n for n, w in m.weights}
        assert m.privacy_map(1)[1] == pytest.approx(max(found.values()), rel=1e-9)
        assert v == 30 or max(found, key=found.get) == 6
        assert v != 30 or max(found, key=found.get) == 1


def test_a_total_at_the_threshold_is_not_found(monkeypatch):
    monkeypatch.setattr(Gaussian, "add", lambda _, values, *__, **___: values + 26 * (values == 0))
    totals = np.array([25, 0, 26, 27, 26, 28])
    assert KeyRound(30, 26).find(totals, None).tolist() == [3, 5]
    assert KeyRound(30, 25).find(totals, None).tolist() == [2, 3, 4, 5]


def test_the_second_round_counts_people_in_what_was_not_found():
    """b has 280 of weight beside a, and 400 once a is found."""
    rounds = [KeyRound(100, 330), KeyRound(100, 330)]
    m = FindKeys(rounds, max_keys=2, epsilon=1, norm=20)
    people = [["a", "b"]] * 20 + [["a"]] * 100
    assert [m.release(people) for _ in range(20)] == [("a", "b")] * 20
    assert [FindKeys(rounds[:1], max_keys=2, epsilon=1, norm=20).release(people) for _ in range(20)] == [("a",)] * 20


def test_the_exact_audit_holds_and_the_sampler_fits():
    m = FindKeys([KeyRound(30, 26), KeyRound(14, 20)], max_keys=2, epsilon=2, norm=12)
    data = [[], [("a",)], [("a", "b")], [("a", "b"), ("b",)], [("a",)] * 3, [("a",)] * 3 + [("a", "b")]]
    pairs = [(x, y) for x in data for y in data if m.input_metric.measure(x, y) == 1]
    assert len(pairs) > 6
    assert exact_audit(m, pairs=pairs, draws=cases(300, 2000)).holds


def test_what_is_released_is_sorted_and_of_the_declared_type():
    m = FindKeys([KeyRound(30, 26)], max_keys=2, epsilon=1, norm=12, domain=Integers())
    people = [[np.int8(7), True + 4], (9,), {np.int64(9)}] * 50
    assert m.release(people) == (5, 7, 9)
    assert all(type(key) is int for key in m.release(people))
    loose = FindKeys([KeyRound(30, 26)], max_keys=2, epsilon=1, norm=12, domain=Objects())
    assert set(loose.release([[1j]] * 99)) == {1j}
    with pytest.raises(UnsupportedError):
        loose.law([[1j]])


@pytest.mark.parametrize(
    "data", [None, "ab", [["a", "b", "c"]], [[1]], ["ab"], [None], [["a", None]], {"a"}, [{"a": 1}]], ids=repr
)
def test_data_that_do_not_fit_are_refused_without_a_word_of_them(data):
    m = FindKeys([KeyRound(30, 26)], max_keys=2, epsilon=1, norm=12)
    with pytest.raises(DomainError) as refusal:
        m.release(data)
    assert str(refusal.value) == "the data are not in KeySets(keys=Texts(), most=2)"


@pytest.mark.parametrize(
    "call",
    [
        lambda: KeyRound(4, 10),
        lambda: KeyRound(30, -1),
        lambda: KeySets(Texts(), 0),
        lambda: KeySets("texts", 1),
        lambda: FindKeys([], max_keys=1, epsilon=1),
        lambda: FindKeys([Gaussian(3)], max_keys=1, epsilon=1),
        lambda: FindKeys(TWO, max_keys=0, epsilon=1),
        lambda: FindKeys(TWO, max_keys=101, epsilon=1, norm=10),
        lambda: FindKeys(TWO, max_keys=1, epsilon=1, norm=(1 << 16) + 1),
        lambda: FindKeys(TWO, max_keys=1, epsilon=-1),
        lambda: FindKeys(TWO, max_keys=1, epsilon=1, domain=Sensitivity),
        lambda: FindKeys.within(epsilon=0, delta="1e-6", max_keys=1),
        lambda: FindKeys.within(epsilon=1, delta=0, max_keys=1),
        lambda: FindKeys.within(epsilon=1, delta=1, max_keys=1),
        lambda: FindKeys.within(epsilon=1, delta="1e-6", max_keys=1, rounds=3),
        lambda: FindKeys.within(epsilon="1e-300", delta="1e-300", max_keys=1),
    ],
)
def test_bad_parameters_are_refused(call):
    with pytest.raises((ParameterError, TypeError, ValueError)):
        call()


def test_the_event_holds_what_is_charged_and_the_noise_of_each_round():
    m = FindKeys.within(epsilon=1, delta="1e-6", max_keys=3)
    event = m.event(1)
    (part,) = event.parts
    assert (event.epsilon, float(event.delta)) == m.privacy_map(1)
    numbers = dict(part.parameters)
    assert [(numbers[f"variance {i}"], numbers[f"threshold {i}"]) for i in (1, 2)] == [
        (one.variance, one.threshold) for one in m.rounds
    ]
    assert (part.mechanism, numbers["max_keys"]) == ("FindKeys", 3)
