"""The seeds' two properties, for every mechanism: errors do not depend on the data, and the map bounds the real law."""

import itertools
import math
import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

import mpmath
import numpy as np
import pytest
import tiers
from coin_tree import Exhausted, ScriptedCoins, law_by_counting
from junk import objects
from scipy import stats

from discreet import (
    BitVectors,
    Bloom,
    BudgetError,
    Categories,
    DomainError,
    EpsilonDelta,
    IntegerLaplace,
    Integers,
    KindError,
    LaplaceThreshold,
    Maps,
    Measurement,
    OneHot,
    ParameterError,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    UnsupportedError,
    Vectors,
    continuous_laplacian_tail_to_alpha,
    discrete_laplacian_tail_to_alpha,
)
from discreet.coins import SYSTEM
from discreet.domains import (
    Booleans,
    Bytes,
    Dates,
    Decimals,
    Floats,
    Nullable,
    Objects,
    Texts,
    Times,
    Timestamps,
    Tuples,
    base,
)
from discreet.measures import INFINITE
from discreet.mechanisms import (
    Debiased,
    randomized_response,
    randomized_response_bool,
    rappor,
)
from discreet.metrics import L01InfDistance, Sensitivity
from discreet.noise import Laplace
from discreet.reals import expm1, float_up, ln, log1p, sign

pytestmark = pytest.mark.usefixtures("given_coins")

PROBS = [Fraction(1, 2), Fraction(3, 4), Fraction(1, 2) + Fraction(1, 2**52), Fraction(999, 1000), Fraction(0.9)]


@dataclass(frozen=True)
class Case:
    """A mechanism with a finite law, and members of its domain, of which any two are neighbours."""

    mechanism: Measurement[Any, Any]
    members: tuple[Any, ...]

    def __str__(self):
        return repr(self.mechanism)[:60]


class SeededCoins:
    """Coins that a seed decides: what draws from no others comes out the same twice."""

    def __init__(self, seed):
        self.generator = np.random.default_rng(seed)

    def bits(self, n):
        return int.from_bytes(self.generator.bytes(-(-n // 8)), "little") >> -n % 8

    def words(self, n):
        return self.generator.integers(0, 2**64, n, np.uint64)


def bit_vectors(length, weight):
    return tuple(x for x in itertools.product((False, True), repeat=length) if sum(x) <= weight)


FINITE = [
    *(Case(RandomizedResponseBool(prob=p), (True, False)) for p in PROBS),
    *(
        Case(RandomizedResponse(categories=range(t), prob=p), (*range(t), "foreign", None))
        for t in (2, 3, 7)
        for p in (Fraction(1, t), *PROBS)
    ),
    *(
        Case(Rappor(length=k, max_weight=m, f=f), bit_vectors(k, m))
        for k, m in ((1, 1), (2, 1), (3, 1), (3, 2), (4, 2), (4, 4))
        for f in (Fraction(1), Fraction(1, 2), Fraction(1, 1000), Fraction(0.1))
    ),
    Case(OneHot(["a", "b", "c"]) >> Rappor(length=3, max_weight=1, f="1/3"), ("a", "b", "c")),
    Case(RandomizedResponse(categories=list("abcd"), prob="1/2") >> (lambda r: r in "ab"), tuple("abcde")),
]


@pytest.mark.parametrize("case", FINITE, ids=str)
class TestFiniteLaws:
    def test_a_law_is_a_law(self, case):
        for x in case.members:
            law = case.mechanism.law(x)
            assert sum(law.values()) == 1
            assert all(p >= 0 for p in law.values())

    def test_the_map_is_the_least_float_that_bounds_the_real_loss(self, case):
        worst = Fraction(1)
        for x, y in itertools.permutations(case.members, 2):
            p, q = case.mechanism.law(x), case.mechanism.law(y)
            worst = max(worst, *(p[answer] / q[answer] for answer in p))
        claim = case.mechanism.privacy_map(1)
        true = float_up(ln(worst))
        assert claim >= true
        if type(case.mechanism).__name__ != "Postprocessed":  # A function of a release may tell less.
            assert claim == true

    def test_equal_data_lose_nothing(self, case):
        assert case.mechanism.privacy_map(0) == 0

    def test_the_loss_does_not_depend_on_d_in_beyond_one(self, case):
        assert case.mechanism.privacy_map(5) == case.mechanism.privacy_map(1)

    def test_every_member_gets_an_answer_of_the_law(self, case):
        for x in case.members:
            for _ in range(5):
                answer = case.mechanism.release(x)
                key = tuple(answer.tolist()) if isinstance(answer, np.ndarray) else answer
                assert case.mechanism.law(x)[key] > 0


@pytest.mark.parametrize("case", tiers.each(FINITE, 3), ids=str)
def test_releases_fit_the_law_and_not_a_shifted_one(case):
    x, n = case.members[0], tiers.cases(1500, 3000)
    law = case.mechanism.law(x)
    counts = dict.fromkeys(law, 0)
    for _ in range(n):
        answer = case.mechanism.release(x)
        counts[tuple(answer.tolist()) if isinstance(answer, np.ndarray) else answer] += 1
    top = max(law, key=law.get)
    assert stats.binomtest(counts[top], n, float(law[top])).pvalue > 1e-10
    if law[top] <= Fraction(9, 10):
        assert stats.binomtest(counts[top], n, float(law[top]) + 0.1).pvalue < 1e-5


class TestRandomizedResponseBool:
    @pytest.mark.parametrize("honest", [True, False])
    def test_the_answer_is_true_to_the_coin(self, honest, monkeypatch):
        seen = []
        monkeypatch.setattr(
            randomized_response_bool, "bernoulli", lambda p, coins, **words: seen.append((p, words)) or honest
        )
        m = RandomizedResponseBool(prob="2/3", constant_time=True)
        for x in (True, False, np.True_, np.False_):
            answer = m.sample(x, SYSTEM)
            assert type(answer) is bool
            assert answer == (bool(x) if honest else not x)
        assert seen == [(Fraction(2, 3), {"constant_words": True})] * 4

    def test_arrays_are_true_to_the_coins(self, monkeypatch):
        coins = np.array([True, False, True, False])
        monkeypatch.setattr(randomized_response_bool, "bernoulli_many", lambda p, n, *_, **__: coins)
        m = RandomizedResponseBool(prob="2/3")
        assert m.release_many(np.array([True, True, False, False])).tolist() == [True, False, False, True]
        assert m.release_many([True, True, False, False]).tolist() == [True, False, False, True]

    @pytest.mark.parametrize("constant_time", [False, True])
    def test_many_releases_fit_the_law(self, constant_time):
        m, n = RandomizedResponseBool(prob=0.7, constant_time=constant_time), 50_000
        honest = int(m.release_many(np.ones(n, bool)).sum())
        assert stats.binomtest(honest, n, 0.7).pvalue > 1e-9
        assert stats.binomtest(honest, n, 0.74).pvalue < 1e-9

    def test_certainty_loses_everything(self):
        m = RandomizedResponseBool(prob=1)
        assert m.privacy_map(1) == math.inf
        assert m.privacy_map(0) == 0
        assert m.release(True) is True
        m.require(1, math.inf)
        with pytest.raises(BudgetError):
            m.require(1, 1e300)

    @pytest.mark.parametrize("epsilon", [0, 5e-324, 1e-17, 1e-9, 0.1, 1, 3.7, 36, 40, 745, 1e5])
    def test_within_is_maximal(self, epsilon):
        m = RandomizedResponseBool.within(epsilon=epsilon)
        m.require(1, epsilon)
        assert m.privacy_map(1) <= epsilon
        louder = math.nextafter(float(m.prob), 2)
        if louder < 1:
            assert RandomizedResponseBool(prob=louder).privacy_map(1) > epsilon

    def test_the_least_probability_is_one_half(self):
        assert RandomizedResponseBool(prob="1/2").privacy_map(1) == 0
        for wrong in (math.nextafter(0.5, 0), "2/5", "1/3", 0):
            with pytest.raises(ParameterError):
                RandomizedResponseBool(prob=wrong)

    def test_many_answers_take_constant_words_if_asked(self, monkeypatch):
        seen = []
        monkeypatch.setattr(
            randomized_response_bool, "bernoulli_many", lambda p, n, *_, **words: seen.append(words) or np.ones(n, bool)
        )
        for constant_time in (False, True):
            RandomizedResponseBool(prob="2/3", constant_time=constant_time).release_many([True])
        assert seen == [{"constant_words": False}, {"constant_words": True}]

    def test_what_is_neither_true_nor_false_is_refused(self):
        m = RandomizedResponseBool(prob="3/4")
        for wrong in (1, None, "True", np.int8(0)):
            with pytest.raises(DomainError):
                m.law(wrong)
            with pytest.raises(DomainError):
                m.release_many([True, wrong])
        with pytest.raises(DomainError):
            m.release_many(np.array([1, 0]))


class TestRandomizedResponse:
    def test_every_script_of_coins_gives_the_law(self, monkeypatch):
        # Words of four bits in the place of 64, so that all 2**8 scripts of the two words can be run.
        monkeypatch.setattr(randomized_response, "WORD", 4)
        for t in (2, 3, 5):
            for p in (Fraction(1, t), Fraction(3, 4), Fraction(5, 8)):
                m = RandomizedResponse(categories=range(t), prob=max(p, Fraction(1, t)))
                for x in (*range(t), "foreign"):
                    decided, undecided = law_by_counting(lambda coins, m=m, x=x: m.sample(x, coins), 8, 1)
                    for answer, p_answer in m.law(x).items():
                        mass = decided.get(answer, Fraction(0))
                        assert mass <= p_answer <= mass + undecided
                    assert undecided <= Fraction(1, 16) * (1 + t)

    def test_ties_go_on_to_the_exact_law(self, monkeypatch):
        monkeypatch.setattr(randomized_response, "WORD", 2)
        monkeypatch.setattr(randomized_response.below_real, "__defaults__", (2,))
        monkeypatch.setattr(randomized_response.floor_of, "__defaults__", (2,))
        m = RandomizedResponse(categories=["a", "b", "c"], prob="2/5")
        decided, undecided = law_by_counting(lambda coins: m.sample("b", coins), 4, 4)
        for answer, p in m.law("b").items():
            assert decided[answer] <= p <= decided[answer] + undecided
        assert undecided < Fraction(1, 60)

    def test_the_number_of_coins_does_not_depend_on_the_answer(self):
        class Counting:
            drawn = 0

            def bits(self, n):
                self.drawn += n
                return SYSTEM.bits(n)

        m = RandomizedResponse(categories=range(5), prob="3/4")
        drawn = set()
        for x in (0, 4, "foreign", None, []):
            coins = Counting()
            m.sample(x, coins)
            drawn.add(coins.drawn)
        assert drawn == {128}

    def test_arrays_take_each_offset_to_its_category(self, monkeypatch):
        class Offsets:
            def draw(self, n, coins):
                return np.arange(n, dtype=np.int64) % 3

        monkeypatch.setattr(randomized_response, "_offsets", lambda *_: Offsets())
        monkeypatch.setattr(randomized_response, "below_many", lambda t, n: np.full(n, 2))
        m = RandomizedResponse(categories=["a", "b", "c"], prob="3/4")
        assert m.release_many(["a", "a", "a", "c", "c", "c", "?", None, [1]]) == list("abccab") + ["c"] * 3
        assert m.release_places(np.array([2, 2, -1, 7])).tolist() == [2, 0, 2, 2]

    @pytest.mark.parametrize(
        ("t", "p"), [(2, Fraction(3, 4)), (3, Fraction(1, 3)), (5, Fraction(1)), (7, Fraction(0.3))]
    )
    def test_the_offsets_have_the_law_of_the_mechanism(self, t, p):
        table = randomized_response._offsets(p.numerator, p.denominator, t)
        law = RandomizedResponse(categories=range(t), prob=p).law(0)
        assert dict(zip(table._values.tolist(), table._law, strict=True)) == {k: v for k, v in law.items() if v}

    def test_many_releases_fit_the_law(self):
        n, categories = 60_000, ["a", "b", "c", "d"]
        m = RandomizedResponse(categories=categories, prob="0.4")
        for x in ("c", "foreign"):
            replies = m.release_many(np.array([x] * n))
            counts = [int((replies == c).sum()) for c in categories]
            expected = [float(p) * n for p in m.law(x).values()]
            assert stats.chisquare(counts, expected).pvalue > 1e-9
            wrong = [float(p) * n for p in RandomizedResponse(categories=categories, prob="0.43").law("c").values()]
            assert stats.chisquare(counts, wrong).pvalue < 1e-9

    def test_kinds_of_answers_are_kept(self):
        m = RandomizedResponse(categories=[True, 1, 1.0, "1", None, (1, "x")], prob=1)
        answers = [True, 1, 1.0, "1", None, (1, "x")]
        replies = m.release_many(answers)
        assert [type(r) for r in replies] == [type(a) for a in answers]
        assert [m.release(a) for a in answers] == answers
        assert m.release_many(np.array(["1", "1"], object)).tolist() == ["1", "1"]
        ints = RandomizedResponse(categories=range(4), prob=1).release_many(np.array([[0, 1], [2, 3]], np.int8))
        assert ints.tolist() == [[0, 1], [2, 3]]

    def test_the_float_below_one_third_is_refused_and_told_why(self):
        refused = [t for t in range(2, 400) if Fraction(1 / t) < Fraction(1, t)]
        assert len(refused) > 20
        for t in refused:
            with pytest.raises(ParameterError, match="the least float that is not") as error:
                RandomizedResponse(categories=range(t), prob=1 / t)
            named = float(str(error.value).split(", or ")[1].split(",")[0])
            assert RandomizedResponse(categories=range(t), prob=named).privacy_map(1) > 0
            assert RandomizedResponse(categories=range(t), prob=f"1/{t}").privacy_map(1) == 0

    def test_places_are_an_array_of_integers(self):
        m = RandomizedResponse(categories=["a", "b"], prob=1)
        for wrong in ([0, 1], (0,), 0, None, np.array([0.0, 1.0]), np.array([True]), np.array(["0"]), objects(0)):
            with pytest.raises(KindError, match="an array of integers"):
                m.release_places(wrong)

    def test_within_needs_two_categories_and_says_so_of_what_was_given(self):
        for categories in ([], ["a"]):
            with pytest.raises(ParameterError, match=rf"^categories={re.escape(str(categories))}: need at least two"):
                RandomizedResponse.within(epsilon=1, categories=categories)

    @pytest.mark.parametrize("t", [2, 3, 10, 1000])
    @pytest.mark.parametrize("epsilon", [0, 5e-324, 1e-17, 1e-9, 0.1, 1, 3.7, 36, 745])
    def test_within_is_maximal(self, t, epsilon):
        m = RandomizedResponse.within(epsilon=epsilon, categories=range(t))
        m.require(1, epsilon)
        louder = math.nextafter(float(m.prob), 2)
        if Fraction(1, t) <= Fraction(louder) < 1:
            assert RandomizedResponse(categories=range(t), prob=louder).privacy_map(1) > epsilon


class TestIntegerLaplace:
    def test_the_release_is_the_sum_clamped(self, monkeypatch):
        monkeypatch.setattr(Laplace, "draw", lambda noise, coins: 10**30)
        assert IntegerLaplace(scale=1).sample(-5, SYSTEM) == 10**30 - 5
        assert IntegerLaplace(scale=1, domain=Integers(high=7)).sample(5, SYSTEM) == 7
        assert IntegerLaplace(scale=1, domain=Integers(dtype="int8")).sample(np.int8(5), SYSTEM) == 127

    def test_scale_zero_releases_the_truth(self):
        for domain, x in ((Integers(), 10**40), (Vectors(Integers()), [1, -(2**70)])):
            m = IntegerLaplace(scale=0, domain=domain)
            assert m.release(x) == x
            assert m.privacy_map(1) == math.inf
            assert m.privacy_map(0) == m.privacy_map(0.9) == 0

    @pytest.mark.parametrize("scale", ["1/3", 1, 0.1, 7.5, 1e300, 5e-324, "22/7"])
    @pytest.mark.parametrize("d_in", [0, 1, 2, 3.99, 10**6])
    def test_the_map_is_the_least_float_above_the_quotient(self, scale, d_in):
        claim = IntegerLaplace(scale=scale).privacy_map(d_in)
        true = Fraction(math.floor(d_in)) / IntegerLaplace(scale=scale).scale
        assert claim == float_up(true)

    def test_the_worst_ratio_of_the_real_law_is_the_map(self):
        mpmath.mp.dps = 60
        for scale in (Fraction(1, 2), Fraction(3), Fraction(22, 7)):
            q = mpmath.exp(-mpmath.mpf(scale.denominator) / scale.numerator)
            for d in (1, 2, 5):
                worst = max(q ** abs(z) / q ** abs(z - d) for z in range(-30, 31))
                claim = IntegerLaplace(scale=scale).privacy_map(d)
                assert mpmath.log(worst) <= claim * (1 + mpmath.mpf(2) ** -150)
                assert mpmath.log(worst) > math.nextafter(claim, 0)

    def test_vectors_and_many_never_wrap(self):
        edge = [2**63 - 1, -(2**63), 0, 2**64, -(2**80)]
        for release in (
            IntegerLaplace(scale=5, domain=Vectors(Integers())).release,
            IntegerLaplace(scale=5).release_many,
        ):
            for _ in range(20):
                noisy = release(edge)
                assert all(abs(int(a) - b) < 1000 for a, b in zip(noisy, edge, strict=True))
            array = np.array([2**63 - 1, -(2**63)])
            unsigned = np.array([2**64 - 1, 0], np.uint64)
            for x in [array, unsigned] * 40:  # Noise must be towards the edge: in one draw of two it is not.
                assert all(abs(int(a) - int(b)) < 1000 for a, b in zip(release(x), x, strict=True))

    def test_bounded_vectors_saturate(self):
        m = IntegerLaplace(scale=50, domain=Vectors(Integers(low=0, high=10)))
        noisy = m.release(np.full(5000, 5))
        assert set(noisy.tolist()) == set(range(11))
        assert noisy.dtype == np.int64
        listed = m.release([0, 10])
        assert isinstance(listed, list)
        assert IntegerLaplace(scale=3, domain=Integers(dtype="uint64")).release_many([2**64 - 1] * 9).max() <= 2**64 - 1

    def test_within_spends_the_budget_exactly(self):
        for epsilon in ("1/3", 0.1, 1, 7):
            m = IntegerLaplace.within(epsilon=epsilon, d_in=5)
            m.require(5, epsilon)
            with pytest.raises(BudgetError):
                m.require(6, epsilon)
        with pytest.raises(ParameterError):
            IntegerLaplace.within(epsilon=0)

    def test_the_domain_is_checked_first(self):
        m = IntegerLaplace(scale=1, domain=Integers(low=0, high=10))
        for wrong in (-1, 11, 5.0, True, "5", None, [5]):
            with pytest.raises(DomainError):
                m.release(wrong)
        with pytest.raises(UnsupportedError):
            IntegerLaplace(scale=1, domain=Vectors(Integers())).release_many([1])
        with pytest.raises(KindError):
            IntegerLaplace(scale=1, domain=Maps(Texts(), Integers()))

    def test_many_are_checked_first(self):
        m = IntegerLaplace(scale=1, domain=Integers(low=0, high=10))
        for wrong in ([-1], [5, 11], [5.0], [True], np.array([5.0]), np.array([11]), np.array([[5]]), 5, None):
            with pytest.raises(DomainError):
                m.release_many(wrong)

    def test_all_coins_are_those_given(self):
        m, x = IntegerLaplace(scale=10**6, domain=Vectors(Integers())), [1, 2, 3]
        assert m.sample(x, SeededCoins(1)) == m.sample(x, SeededCoins(1)) != m.sample(x, SeededCoins(2))


def tail(s, t):
    """Pr[Z > t] to 60 digits, for any integer t."""
    q = mpmath.exp(-mpmath.mpf(s.denominator) / s.numerator)
    return q ** (t + 1) / (1 + q) if t >= 0 else 1 - q ** (-t) / (1 + q)


@cache
def packings(l0, l1, li):
    """All multisets of at most l0 positive numbers, at most li each and l1 in all."""

    def grow(room, most, keys):
        yield ()
        if keys:
            for c in range(1, min(most, room) + 1):
                for rest in grow(room - c, c, keys - 1):
                    yield (c, *rest)

    return set(grow(l1, li, l0))


NUMBERED, OBJECTS = Maps(Integers(), Integers()), Maps(Objects(), Integers())


class TestLaplaceThreshold:
    @pytest.mark.parametrize("s", [Fraction(1, 3), Fraction(1), Fraction(5), Fraction(40), Fraction(1000)])
    @pytest.mark.parametrize("extra", [0, 1, 7, 60])
    def test_delta_is_the_greatest_over_all_packings(self, s, extra):
        mpmath.mp.dps = 60
        quiet = cache(lambda c: mpmath.log1p(-tail(s, c)))
        for l0, l1, li in itertools.product((1, 2, 3, 5, 8), (1, 2, 4, 7, 11), (1, 2, 3, 5, 6)):
            threshold = min(li, l1) + extra
            true = -mpmath.expm1(min(sum(quiet(threshold - c) for c in cs) for cs in packings(l0, l1, li)))
            epsilon, delta = LaplaceThreshold(scale=s, threshold=threshold).privacy_map((l0, l1, li))
            assert true <= delta * (1 + mpmath.mpf(10) ** -50)
            assert delta <= true * (1 + mpmath.mpf(2) ** -50)
            assert epsilon == float_up(Fraction(min(l1, l0 * li)) / s)

    @pytest.mark.parametrize("li", [2, 3, 4, 5, 6, 9])
    def test_four_numbers_of_keys_hold_the_greatest_of_all(self, li):
        # Near this scale a full key weighs as much as li keys of 1, and any of the four may be the best.
        even = (li - 1) / math.log(li)
        best = set()
        for factor, l1, l0 in itertools.product((0.6, 0.8, 0.99, 1.01, 1.2), (7, 8, 11, 14, 19), (3, 5, 6, 8, 10, 19)):
            s, d_in = Fraction(even * factor), L01InfDistance().check((l0, l1, li))
            l0_, l1_, li_ = d_in
            fewest = -(-l1_ // li_)
            over_n = {n: float_up(Laplace(s)._packed(40, l1_, li_, n)) for n in range(fewest, l0_ + 1)}
            assert float_up(Laplace(s).surprise(40, d_in)) == max(over_n.values())
            best |= {n not in (fewest, l0_) for n in over_n if over_n[n] == max(over_n.values())}
        assert li == 2 or best == {False, True}

    def test_numbers_of_keys_beyond_the_floats_integers_are_exact(self):
        for n in (2**53 + 1, 2**60 - 1, 10**25 + 1):  # None is a float: the first is rounded down, the others up.
            s = Laplace(3)
            every = float_up(s._packed(500, n, 1, n))
            assert float_up(s.surprise(500, Sensitivity(n, n, 1))) == every

    def test_delta_is_right_down_to_the_least_float(self):
        mpmath.mp.dps = 60
        for threshold in (10, 100, 600, 690, 700, 740, 744):
            _, delta = LaplaceThreshold(scale=1, threshold=threshold).privacy_map((3, 3, 1))
            true = (
                1 - (1 - tail(Fraction(1), threshold - 1)) ** 3
                if threshold < 60
                else 3 * tail(Fraction(1), threshold - 1)
            )
            assert mpmath.mpf(delta) >= true * (1 - mpmath.mpf(2) ** -80)
            if delta > 1e-300:
                assert delta <= true * (1 + mpmath.mpf(2) ** -50)
        assert LaplaceThreshold(scale=1, threshold=10**6).privacy_map((1, 1, 1))[1] == 5e-324

    @pytest.mark.parametrize("s", [Fraction(1, 2), Fraction(1), Fraction(3)])
    def test_the_hockey_stick_of_the_real_law_is_within_the_map(self, s):
        # Maps over two keys; the law of each key is a released value above T, or its absence. The keys'
        # noise is independent, so the joint law is a product; what lies past the cut has mass below 1e-40.
        mpmath.mp.dps = 60
        q = mpmath.exp(-mpmath.mpf(s.denominator) / s.numerator)
        threshold = 3
        cut = threshold + int(100 * max(s, 1))

        def law(c):
            if c == 0:
                return {None: mpmath.mpf(1)}
            released = {v: (1 - q) / (1 + q) * q ** abs(v - c) for v in range(threshold + 1, cut)}
            return {**released, None: 1 - tail(s, threshold - c)}

        def single(p, r, e):
            return mpmath.fsum(max(mpmath.mpf(0), p.get(y, 0) - e * r.get(y, 0)) for y in {**p, **r})

        worst = {}
        for x in range(7):
            for y in range(7):
                if x == y or abs(x - y) > threshold:
                    continue
                d_in = (1, abs(x - y), abs(x - y))
                epsilon, delta = LaplaceThreshold(scale=s, threshold=threshold).privacy_map(d_in)
                true = single(law(x), law(y), mpmath.exp(mpmath.mpf(epsilon)))
                assert true <= delta + mpmath.mpf(10) ** -40
                worst[d_in] = max(worst.get(d_in, 0), true / delta)
        assert all(ratio > 1 - mpmath.mpf(2) ** -50 for ratio in worst.values())

    def test_two_changed_keys_are_within_the_map(self):
        mpmath.mp.dps = 40
        s, threshold = Fraction(1), 3
        q = mpmath.exp(-1)
        cut = threshold + 60

        def law(c):
            if c == 0:
                return [mpmath.mpf(1)] + [mpmath.mpf(0)] * (cut - threshold - 1)
            return [1 - tail(s, threshold - c)] + [
                (1 - q) / (1 + q) * q ** abs(v - c) for v in range(threshold + 1, cut)
            ]

        for (a, b), (c, d) in [
            ((1, 1), (0, 0)),
            ((2, 1), (0, 0)),
            ((2, 0), (0, 1)),
            ((5, 0), (4, 1)),
            ((3, 1), (2, 2)),
        ]:
            gaps = [abs(a - c), abs(b - d)]
            d_in = (sum(g > 0 for g in gaps), sum(gaps), max(gaps))
            epsilon, delta = LaplaceThreshold(scale=s, threshold=threshold).privacy_map(d_in)
            e = mpmath.exp(mpmath.mpf(epsilon))
            pa, pb, pc, pd = law(a), law(b), law(c), law(d)
            true = mpmath.fsum(
                max(mpmath.mpf(0), pa[i] * pb[j] - e * pc[i] * pd[j]) for i in range(len(pa)) for j in range(len(pb))
            )
            assert true <= delta * (1 + mpmath.mpf(10) ** -20)

    def test_a_value_at_the_threshold_is_not_released(self, monkeypatch):
        for array in (False, True):
            for noise, kept in ((-1, False), (0, False), (1, True)):
                monkeypatch.setattr(Laplace, "add", lambda noise, values, coins, z=noise, **_: np.asarray(values) + z)
                m = LaplaceThreshold(scale=1, threshold=6)
                data = (np.array(["a"]), np.array([6])) if array else {"a": 6}
                released = m.release(data)
                assert (len(released[0]) if array else len(released)) == kept
                mirrored = LaplaceThreshold(scale=1, threshold=-6)
                data = (np.array(["a"]), np.array([-6])) if array else {"a": -6}
                released = mirrored.release(data)
                assert (len(released[0]) if array else len(released)) == (noise < 0)

    def test_the_release_probability_of_a_key_at_the_limit_is_delta(self):
        m, n = LaplaceThreshold(scale=1, threshold=6, domain=NUMBERED), 200_000
        delta = m.privacy_map((1, 1, 1))[1]
        keys, values = np.arange(n), np.ones(n, np.int64)
        hits = len(m.release((keys, values))[0])
        assert stats.binomtest(hits, n, delta).pvalue > 1e-9
        assert stats.binomtest(hits, n, delta * math.e).pvalue < 1e-9  # What ">=" would release.

    def test_zeros_are_never_released(self):
        m, numbered = LaplaceThreshold(scale=10, threshold=1), LaplaceThreshold(scale=10, threshold=1, domain=NUMBERED)
        assert all(not m.release({"a": 0, "b": 0}) for _ in range(200))
        assert all(not len(numbered.release((np.arange(3), np.zeros(3, int)))[0]) for _ in range(200))

    def test_a_negative_threshold_mirrors(self):
        up, down = LaplaceThreshold(scale=2, threshold=9), LaplaceThreshold(scale=2, threshold=-9)
        assert up.privacy_map((2, 3, 2)) == down.privacy_map((2, 3, 2))
        assert set(down.release({"low": -(10**6), "high": 10**6})) == {"low"}

    def test_dicts_and_arrays_have_one_law(self):
        m = LaplaceThreshold(scale=3, threshold=10, domain=NUMBERED)
        values = np.array([0, 5, 8, 9, 10, 11, 20, -40])
        n = tiers.cases(1500, 4000)
        from_dict = np.zeros(8)
        from_arrays = np.zeros(8)
        for _ in range(n):
            from_dict[[*m.release(dict(enumerate(values.tolist())))]] += 1
            from_arrays[m.release((np.arange(8), values))[0]] += 1
        for hits in (from_dict, from_arrays):
            for i, value in enumerate(values.tolist()):
                p = float(tail(Fraction(3), 10 - value)) if value else 0.0
                assert stats.binomtest(int(hits[i]), n, p).pvalue > 1e-9

    @pytest.mark.parametrize(
        ("keys", "domain"),
        [
            (list("cab"), Texts()),
            ([3, 1, 2], Integers()),
            ([3, 2**80, -(2**80)], Integers()),
            ([0.5, -1.5, 2.0], Floats()),
            ([b"b", b"a", b"c"], Bytes()),
            ([("x", 2), ("x", 1), ("a", 9)], Tuples(Texts(), Integers())),
            ([False, True], Booleans()),
            ([datetime(2020, 1, 2), datetime(2020, 1, 1), datetime(1999, 1, 1)], Timestamps()),
            ([datetime(2020, 1, 2, tzinfo=UTC), datetime(2020, 1, 1, tzinfo=UTC)], Timestamps(utc=True)),
            ([date(2020, 1, 2), date(2020, 1, 1)], Dates()),
            ([time(2), time(1)], Times()),
            ([Decimal(2), Decimal("1.5"), Decimal(-1)], Decimals()),
        ],
        ids=repr,
    )
    def test_keys_come_out_sorted(self, keys, domain, monkeypatch):
        monkeypatch.setattr(base, "shuffled", None)
        m = LaplaceThreshold(scale=0, threshold=1, domain=Maps(domain, Integers()))
        for shuffled in itertools.permutations(keys):
            assert list(m.release(dict.fromkeys(shuffled, 5))) == sorted(keys)
            assert m.release((objects(*shuffled), np.full(len(keys), 5)))[0].tolist() == sorted(keys)

    @pytest.mark.parametrize(
        ("keys", "domain"),
        [
            ([math.nan, 1.0, -2.0], Floats()),
            (["b", None, "a"], Nullable(Texts())),
            ([("b", 1), (None, 2), ("b", None)], Tuples(Nullable(Texts()), Nullable(Integers()))),
            (["c", "a", "b"], Categories(["b", "c", "a"])),
        ],
        ids=repr,
    )
    def test_keys_come_out_in_the_order_of_their_domain(self, keys, domain):
        m = LaplaceThreshold(scale=0, threshold=1, domain=Maps(domain, Integers()))
        said = {
            Floats: [-2.0, 1.0, math.nan],
            Nullable: [None, "a", "b"],
            Tuples: [(None, 2), ("b", None), ("b", 1)],
            Categories: ["b", "c", "a"],
        }[type(domain)]
        for shuffled in itertools.permutations(keys):
            assert repr(list(m.release(dict.fromkeys(shuffled, 5)))) == repr(said)
            assert repr(m.release((objects(*shuffled), np.full(len(keys), 5)))[0].tolist()) == repr(said)

    @pytest.mark.parametrize(
        "keys", [["a", 1, None], [frozenset("a"), frozenset("ab"), frozenset("c")], [float("nan"), 1.0, 2.0]]
    )
    def test_objects_come_out_shuffled(self, keys):
        m = LaplaceThreshold(scale=0, threshold=1, domain=OBJECTS)
        orders = {tuple(map(str, m.release(dict.fromkeys(keys, 5)))) for _ in range(300)}
        assert len(orders) == 6
        orders = {tuple(map(str, m.release((objects(*keys), np.full(3, 5)))[0])) for _ in range(300)}
        assert len(orders) == 6

    def test_no_keys_of_any_kind_come_out_as_they_are(self):
        kinds = {Objects(): object, Texts(): np.str_, Integers(): np.int64, Floats(): np.float64, Dates(): "M8[D]"}
        for domain, kind in kinds.items():
            m = LaplaceThreshold(scale=0, threshold=1, domain=Maps(domain, Integers()))
            keys, values = m.release((np.array([], kind), np.array([], np.int64)))
            assert keys.size == values.size == 0
            assert m.release({}) == {}

    def test_all_coins_are_those_given(self):
        m = LaplaceThreshold(scale=10**6, threshold=1, domain=OBJECTS)
        data = dict.fromkeys([1, "a", None, *map(str, range(9))], 10**9)
        arrays = (objects(*data), np.array(list(data.values())))
        for x, shown in ((data, lambda r: list(r.items())), (arrays, lambda r: [part.tolist() for part in r])):
            first, again, other = (shown(m.sample(x, SeededCoins(seed))) for seed in (1, 1, 2))
            assert first == again != other

    def test_a_threshold_below_the_sensitivity_is_refused(self):
        m = LaplaceThreshold(scale=1, threshold=3)
        with pytest.raises(ParameterError, match="li <= 3"):
            m.privacy_map((1, 4, 4))
        assert m.privacy_map((1, 1, 4))[1] > 0  # li is at most l1.
        assert m.privacy_map((5, 5, 0)) == m.privacy_map((0, 9, 9)) == m.privacy_map((3, 0.5, 1)) == (0.0, 0.0)

    def test_scale_zero_loses_everything(self):
        m = LaplaceThreshold(scale=0, threshold=3)
        assert m.privacy_map((1, 1, 1)) == (math.inf, 1.0)
        assert m.release({"a": 4, "b": 3}) == {"a": 4}

        assert m.loss((1, 1, 1)) == EpsilonDelta(INFINITE, 1)

    def test_a_delta_that_rounds_to_one_is_one(self):
        m = LaplaceThreshold(scale=1000, threshold=1)
        assert m.privacy_map((10**5, 10**5, 1)) == (100.0, 1.0)

    def test_threshold_zero_releases_what_is_above_it(self):
        data = {"up": 5, "down": -5, "one": 1, "minus one": -1, "minus two": -2}
        assert LaplaceThreshold(scale=0, threshold=0).release(data) == {"one": 1, "up": 5}
        assert LaplaceThreshold(scale=0, threshold=-1).release(data) == {"down": -5, "minus two": -2}

    def test_parameters_outside_the_theorem_are_refused(self):
        for scale in (-1, "-1/2", -5e-324):
            with pytest.raises(ParameterError, match="scale >= 0"):
                LaplaceThreshold(scale=scale, threshold=1)
        for domain in (Integers(), Vectors(Integers()), Maps(Texts(), Texts()), None):
            with pytest.raises(KindError, match=r"Maps\(\.\.\., Integers\(\)\)"):
                LaplaceThreshold(scale=1, threshold=1, domain=domain)

    @pytest.mark.parametrize("s", [Fraction(1, 50), Fraction(1, 2), Fraction(1), Fraction(7, 2), Fraction(30)])
    @pytest.mark.parametrize("delta", [5e-324, 1e-9, "1/100", "1/3", 0.5, "9/10", 1 - 2**-20, 1])
    def test_within_takes_the_least_threshold_for_deltas_up_to_one(self, s, delta):
        for l0, l1, li in ((1, 1, 1), (2, 5, 4), (5, 5, 2), (30, 60, 3), (4, 100, 90)):
            m = LaplaceThreshold.within(epsilon=l1 / s, delta=delta, l0=l0, l1=l1, li=li)
            assert m.scale == s
            least = L01InfDistance().check((l0, l1, li))[2]
            assert m.threshold >= least
            m.require((l0, l1, li), (l1 / s, delta))
            if m.threshold > least:
                with pytest.raises(BudgetError):
                    LaplaceThreshold(scale=s, threshold=m.threshold - 1).require((l0, l1, li), (l1 / s, delta))

    def test_l1_is_l0_times_li_where_it_is_not_given(self):
        given = {"epsilon": 1, "delta": "1e-6", "l0": 2, "li": 3}
        assert LaplaceThreshold.within(**given) == LaplaceThreshold.within(**given, l1=6)

    @pytest.mark.parametrize("epsilon", ["1/10", 1, 5])
    @pytest.mark.parametrize("delta", ["1e-6", 1e-12, 0.1, "1e-300"])
    @pytest.mark.parametrize("d_in", [(1, 1, 1), (3, 3, 1), (3, 5, 2), (10, 40, 20), (2, 1000, 1000)])
    def test_within_takes_the_least_scale_and_the_least_threshold(self, epsilon, delta, d_in):
        l0, l1, li = d_in
        m = LaplaceThreshold.within(epsilon=epsilon, delta=delta, l0=l0, l1=l1, li=li)
        m.require(d_in, (epsilon, delta))
        assert m.privacy_map(d_in)[0] == float_up(Fraction(epsilon))
        with pytest.raises((BudgetError, ParameterError)):
            LaplaceThreshold(scale=m.scale, threshold=m.threshold - 1).require(d_in, (epsilon, delta))

    def test_large_numbers_of_keys_are_no_trouble(self):
        m = LaplaceThreshold.within(epsilon=1, delta=1e-6, l0=10**30, l1=10**40, li=10**12)
        m.require((10**30, 10**40, 10**12), (1, 1e-6))

    def test_values_of_any_size(self):
        m = LaplaceThreshold(scale=2, threshold=10)
        released = m.release({"a": 10**40, "b": -(10**40), "c": 2**63 - 1})
        assert set(released) == {"a", "c"}
        assert abs(released["a"] - 10**40) < 1000
        bounded = LaplaceThreshold(scale=2, threshold=10, domain=Maps(Texts(), Integers(dtype="int8")))
        assert bounded.release({"a": 127})["a"] <= 127

    def test_the_type_of_an_array_says_nothing_about_keys_that_are_not_released(self):
        m = LaplaceThreshold(scale=2, threshold=10)
        for _ in range(40):  # Half of the time the noisy value of "low" does not fit int64.
            keys, values = m.release((np.array(["high", "low"]), np.array([1000, -(2**63)])))
            assert keys.tolist() == ["high"]
            assert values.dtype == np.int64

    def test_the_width_of_an_array_says_nothing_about_keys(self):
        m = LaplaceThreshold(scale=1, threshold=100)
        keys = np.array(["Rome", "a town with a long name"])
        released, _ = m.release((keys, np.array([1000, 1])))
        nothing, _ = m.release((keys, np.array([1, 1])))
        assert released.tolist() == ["Rome"]
        assert released.dtype == nothing.dtype == np.dtypes.StringDType()

    def test_the_discrete_tail_is_never_the_larger(self):
        for scale in ("1/1000", "1/3", 1, 7, 1000, 10**9, 1e300):
            for t in (0, 1, 5, 100, 10**6):
                assert discrete_laplacian_tail_to_alpha(scale, t) <= continuous_laplacian_tail_to_alpha(scale, t)
        for wrong in ((0, 1), (1, -1)):
            with pytest.raises(ParameterError):
                discrete_laplacian_tail_to_alpha(*wrong)
            with pytest.raises(ParameterError):
                continuous_laplacian_tail_to_alpha(*wrong)


class TestRappor:
    def test_every_bit_is_flipped_by_a_coin_of_its_own(self, monkeypatch):
        calls = []

        def flips(p, n, coins, *, constant_words):
            calls.append((p, n, constant_words))
            return np.ones(n, bool)

        monkeypatch.setattr(rappor, "bernoulli_many", flips)
        m = Rappor(length=5, max_weight=2, f="1/3", constant_time=True)
        assert m.release([True, False, True, False, False]).tolist() == [False, True, False, True, True]
        rows = np.eye(5, dtype=bool)[:3]
        assert (m.release_many(rows) == ~rows).all()
        assert calls == [(Fraction(1, 6), 5, True), (Fraction(1, 6), 15, True)]

    @pytest.mark.parametrize("constant_time", [False, True])
    def test_each_bit_of_many_reports_fits_the_law(self, constant_time):
        n = 4000 if constant_time else 40_000
        m = Rappor(length=9, max_weight=1, f="1/2", constant_time=constant_time)
        reports = m.release_many(np.tile(np.eye(9, dtype=bool)[8], (n, 1)))
        for i in range(9):
            p = 0.75 if i == 8 else 0.25
            hits = int(reports[:, i].sum())
            assert stats.binomtest(hits, n, p).pvalue > 1e-9
            assert stats.binomtest(hits, n, p + 0.1).pvalue < 1e-9

    def test_the_domain_is_checked_before_a_coin_is_drawn(self, monkeypatch):
        monkeypatch.setattr(rappor, "bernoulli_many", None)
        m = Rappor(length=4, max_weight=1, f="1/2")
        for wrong in ([True], [True] * 4, [1, 0, 0, 0], np.zeros(4), np.ones((1, 4), bool), "1000", None):
            with pytest.raises(DomainError):
                m.release(wrong)
        for wrong in (np.ones((2, 4), bool), np.zeros((2, 3), bool), np.zeros(4, bool), np.zeros((2, 4), int)):
            with pytest.raises(DomainError):
                m.release_many(wrong)

    def test_a_set_bit_in_a_packed_report_is_flipped_too(self, monkeypatch):
        monkeypatch.setattr(rappor, "bernoulli_many", lambda p, n, coins, **_: np.ones(n, bool))
        m = Rappor(length=10, max_weight=1, f="1/2")
        assert m.release_packed(np.array([0, 9, -1])).tolist() == [[254, 3], [255, 1], [255, 3]]

    def test_no_weight_leaves_no_place(self):
        with pytest.raises(UnsupportedError, match="max_weight=0"):
            Rappor(length=3, max_weight=0, f="1/2").release_packed(np.array([0]))

    def test_reports_are_rows_of_booleans(self):
        m = Rappor(length=3, max_weight=1, f="1/2")
        for wrong in (np.zeros((2, 3), int), np.zeros(3, bool), np.zeros((2, 4), bool), np.zeros((1, 2, 3), bool), []):
            with pytest.raises(DomainError, match=r"an \(n, 3\) array of booleans"):
                m.debias(wrong)

    def test_a_frequency_is_a_count_of_n_and_its_error_too(self):
        m = Rappor(length=2, max_weight=1, f="1/2")
        for n in (1, 2, 3, 10):
            estimate = m.debias_totals(np.array([0, n]), n)
            assert np.allclose(estimate.frequencies * n, estimate.counts, rtol=1e-12)
            assert math.isclose(estimate.frequency_error * n, estimate.count_error, rel_tol=1e-12)

    def test_debias_is_unbiased_with_the_stated_error(self):
        # The expectation over all reports, by the exact law: no simulation.
        m = Rappor(length=3, max_weight=2, f="1/3")
        people = [(True, False, True), (True, False, False)]
        mean, square = np.zeros(3), np.zeros(3)
        for (a, p), (b, q) in itertools.product(*(m.law(x).items() for x in people)):
            counts = m.debias(np.array([a, b])).counts
            mean += float(p * q) * counts
            square += float(p * q) * counts**2
        assert np.allclose(mean, np.sum(people, axis=0))
        estimate = m.debias(np.array(people))
        assert np.allclose(square - mean**2, estimate.count_error**2)
        assert np.allclose(estimate.frequencies * 2, estimate.counts)
        assert math.isclose(estimate.frequency_error * 2, estimate.count_error)
        # Theorem 3.5 of the seed: the mean squared error summed over k bits.
        f, n, k = 1 / 3, 2, 3
        assert math.isclose(k * estimate.frequency_error**2, k * (f - f**2 / 2) / (2 * n * (1 - f) ** 2))
        assert (estimate.sample_errors >= estimate.frequency_error).all()

    def test_a_samples_error_adds_the_variance_of_a_share(self):
        shares = np.array([-0.5, 0.0, 0.25, 1.0, 1.5])
        debiased = Debiased(n=16, counts=16 * shares, frequencies=shares, count_error=4.8, frequency_error=0.3)
        expected = [0.3, 0.3, math.sqrt(0.3**2 + 0.25 * 0.75 / 16), 0.3, 0.3]
        assert np.allclose(debiased.sample_errors, expected, rtol=1e-12)

    def test_a_law_is_written_out_to_16_bits(self):
        law = Rappor(length=16, max_weight=1, f="1/2").law([True] + [False] * 15)
        assert len(law) == 2**16
        assert sum(law.values()) == 1
        with pytest.raises(UnsupportedError):
            Rappor(length=17, max_weight=1, f="1/2").law([False] * 17)

    def test_totals_lie_from_0_to_the_number_of_reports(self):
        m = Rappor(length=2, max_weight=1, f="1/2")
        assert m.debias_totals(np.array([0, 3]), 3).counts.tolist() == [-1.5, 4.5]
        most = 2**63 - 1
        assert m.debias_totals(np.array([0, most]), most).n == most
        for totals, n in (([0, 4], 3), ([-1, 3], 3), ([0.0, 3.0], 3), ([3], 3), ([0, 0, 0], 3)):
            with pytest.raises(DomainError):
                m.debias_totals(np.array(totals), n)
        for n in (0, 2**63):
            with pytest.raises(ParameterError):
                m.debias_totals(np.array([0, 0]), n)

    def test_f_one_says_nothing_and_cannot_be_debiased(self):
        m = Rappor(length=3, max_weight=1, f=1)
        assert m.privacy_map(1) == 0
        with pytest.raises(UnsupportedError, match="f=1"):
            m.debias(np.eye(3, dtype=bool))
        with pytest.raises(ParameterError):
            Rappor(length=3, max_weight=1, f="1/2").debias(np.empty((0, 3), bool))

    @pytest.mark.parametrize("length", [1, 7, 8, 9, 64, 129])
    def test_packing_round_trips_and_puts_bit_i_where_it_says(self, length):
        m = Rappor(length=length, max_weight=length, f=1)
        for i in range(length):
            packed = m.pack(np.arange(length) == i)
            assert packed.nbytes == -(-length // 8)
            assert int.from_bytes(packed.tobytes(), "little") == 1 << i
        rows = np.random.default_rng(3).random((20, length)) < 0.5
        assert (m.unpack(m.pack(rows)) == rows).all()
        with pytest.raises(DomainError):
            m.unpack(np.zeros(99, np.uint8))
        with pytest.raises(DomainError):
            m.pack(np.zeros(length))

    @pytest.mark.parametrize(("k", "m"), [(1, 1), (8, 1), (3, 2), (128, 4)])
    @pytest.mark.parametrize("epsilon", [0, 1e-9, 0.1, 1, 10, 700])
    def test_within_is_maximal(self, k, m, epsilon):
        mechanism = Rappor.within(epsilon=epsilon, length=k, max_weight=m)
        mechanism.require(1, epsilon)
        louder = math.nextafter(float(mechanism.f), 0)
        assert Rappor(length=k, max_weight=m, f=louder).privacy_map(1) > epsilon

    def test_a_tiny_f_does_not_underflow(self):
        m = Rappor(length=2, max_weight=1, f=5e-324)
        assert m.privacy_map(1) == float_up(ln((2 - m.f) / m.f) * 2)
        assert m.release([True, False]).tolist() == [True, False]

    def test_no_weight_loses_nothing(self):
        m = Rappor(length=3, max_weight=0, f="1/2")
        assert m.privacy_map(1) == 0
        assert Rappor.within(epsilon=1, length=3, max_weight=0).f == 1


class TestEncoders:
    def test_bloom_bits_are_fixed_for_ever(self):
        # A change here would make old reports unreadable: these are part of the format.
        bloom = Bloom(length=128, hashes=3, key=b"key")
        assert bloom.places("discreet") == [4, 68, 119]
        assert bloom.places(b"discreet") != bloom.places("discreet")
        assert bloom.places(5) == bloom.places(None) == []

    def test_bloom_bits_spread_and_depend_on_the_key(self):
        bloom = Bloom(length=64, hashes=2, key=b"a")
        counts = np.bincount([i for n in range(4000) for i in bloom.places(f"word {n}")], minlength=64)
        assert stats.chisquare(counts).pvalue > 1e-9
        assert any(bloom.places(f"{n}") != Bloom(length=64, hashes=2, key=b"b").places(f"{n}") for n in range(9))
        assert all(bloom(f"word {n}") in bloom.output_domain for n in range(100))

    def test_bloom_bits_of_bytes_and_without_a_key_are_fixed_too(self):
        assert Bloom(length=1000, hashes=3, key=b"key").places(b"discreet") == [536, 647, 962]
        assert Bloom(length=1000, hashes=3).places("discreet") == [776, 2, 387]

    def test_images_lie_in_the_domain_of_the_fewest_bits(self):
        assert OneHot(["a", "b", "c"]).output_domain == BitVectors(3, max_weight=1)
        assert Bloom(length=8, hashes=2).output_domain == BitVectors(8, max_weight=2)

    def test_one_hot_takes_categories_as_they_are(self):
        categories = Categories(["a", "b"])
        assert OneHot(categories).categories is categories

    def test_blooms_limits_are_taken_and_no_more(self):
        assert Bloom(length=1, hashes=1).places("x") == [0]
        assert Bloom(length=2, hashes=2, key=bytes(64)).hashes == 2
        assert Bloom(length=2**31, hashes=1).length == 2**31
        wrongs = [("length", 2**31 + 1), ("length", 0), ("hashes", 0), ("hashes", 9), ("key", bytes(65))]
        for name, wrong in wrongs:
            with pytest.raises(ParameterError, match=f"^{name}="):
                Bloom(**{"length": 8, "hashes": 1} | {name: wrong})
        for wrong in ("key", bytearray(b"key"), None):
            with pytest.raises(KindError, match="key="):
                Bloom(length=8, hashes=1, key=wrong)

    def test_one_hot_sets_the_bit_of_its_category(self):
        encoder = OneHot(["a", "b", "c"])
        assert encoder.apply_many(["c", "a"]).tolist() == [[False, False, True], [True, False, False]]
        for wrong in ("d", None):
            with pytest.raises(DomainError):
                encoder(wrong)
            with pytest.raises(DomainError):
                encoder.apply_many(["a", wrong])


@pytest.mark.parametrize(
    ("make", "given", "defaults"),
    [
        (RandomizedResponseBool, {"prob": "3/4"}, {"constant_time": False}),
        (RandomizedResponseBool.within, {"epsilon": 1}, {"constant_time": False}),
        (Rappor, {"length": 3, "max_weight": 1, "f": "1/2"}, {"constant_time": False}),
        (Rappor.within, {"epsilon": 1, "length": 3, "max_weight": 1}, {"constant_time": False}),
        (IntegerLaplace, {"scale": 2}, {"domain": Integers()}),
        (IntegerLaplace.within, {"epsilon": "1/2"}, {"d_in": 1, "domain": Integers()}),
        (LaplaceThreshold, {"scale": 2, "threshold": 30}, {"domain": Maps(Texts(), Integers())}),
        (
            LaplaceThreshold.within,
            {"epsilon": 1, "delta": "1e-6"},
            {"l0": 1, "l1": 1, "li": 1, "domain": Maps(Texts(), Integers())},
        ),
        (Bloom, {"length": 8, "hashes": 2}, {"key": b""}),
    ],
)
def test_what_is_not_given_is_the_default(make, given, defaults):
    assert make(**given) == make(**given, **defaults)


@pytest.mark.parametrize(
    ("make", "given", "field", "value"),
    [
        (RandomizedResponseBool.within, {"epsilon": 1}, "constant_time", True),
        (Rappor.within, {"epsilon": 1, "length": 3, "max_weight": 1}, "constant_time", True),
        (IntegerLaplace.within, {"epsilon": 1}, "domain", Vectors(Integers(low=0))),
        (LaplaceThreshold.within, {"epsilon": 1, "delta": "1e-6"}, "domain", Maps(Texts(), Integers(low=0))),
    ],
)
def test_within_hands_on_what_it_does_not_choose(make, given, field, value):
    assert getattr(make(**given, **{field: value}), field) == value


@pytest.mark.parametrize(
    ("make", "given"),
    [
        (RandomizedResponseBool, {"prob": "3/4"}),
        (RandomizedResponseBool.within, {"epsilon": 1}),
        (Rappor, {"length": 3, "max_weight": 1, "f": "1/2"}),
        (Rappor.within, {"epsilon": 1, "length": 3, "max_weight": 1}),
    ],
)
@pytest.mark.parametrize("wrong", [0, 1, None, "True", np.True_])
def test_constant_time_is_true_or_false(make, given, wrong):
    with pytest.raises(KindError, match="constant_time="):
        make(**given, constant_time=wrong)


def test_exact_numbers_are_compared_to_the_truth_not_to_each_other():
    # The two forms of a logarithm agree, so no rounding direction was mistaken in one of them.
    for p in PROBS[1:]:
        assert float_up(ln(p / (1 - p))) == float_up(log1p((2 * p - 1) / (1 - p)))
    assert sign(expm1(Fraction(1, 10**9)) - Fraction(1, 10**9)) == 1


def test_scripts_end():
    with pytest.raises(Exhausted):
        ScriptedCoins(0, 4).bits(5)
