"""The mechanisms for surveys: real laws against stated ones, all pairs against the map, bytes against booleans."""

import copy
import itertools
import math
import pickle
import tracemalloc
from collections import Counter
from fractions import Fraction
from math import comb

import numpy as np
import pytest
from coin_tree import law_by_counting
from public_names import PUBLIC
from survey_laws import fits
from tiers import cases, each

from discreet import (
    DiscreetError,
    DomainError,
    KindError,
    LongitudinalRappor,
    OneHot,
    OptimizedUnary,
    ParameterError,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    SubsetSelection,
    UnsupportedError,
    audit,
)
from discreet.coins import SYSTEM
from discreet.mechanisms import longitudinal_rappor, optimized_unary, rappor, subset_selection
from discreet.reals import float_up, ln

pytestmark = pytest.mark.usefixtures("given_coins")

EPSILONS = [0, 5e-324, 1e-17, 1e-9, 0.1, 1, 3.7, 36, 745, 1e300]


class Counting:
    """Coins that count the bits drawn one draw at a time."""

    drawn = 0

    def bits(self, n):
        self.drawn += n
        return SYSTEM.bits(n)


def same_value(m):
    names = {**PUBLIC, "Fraction": Fraction}
    assert eval(repr(m), names) == m
    assert pickle.loads(pickle.dumps(m)) == m
    assert copy.deepcopy(m) == m
    assert hash(pickle.loads(pickle.dumps(m))) == hash(m)


def bits_of(packed, length):
    return np.unpackbits(packed, axis=1, count=length, bitorder="little").astype(bool)


def one_hot(length):
    """Every vector of at most one set bit."""
    return [tuple(i == j for i in range(length)) for j in range(-1, length)]


def worst_ratio(m, members):
    laws = [m.law(x) for x in members]
    return max(p[o] / q[o] for p, q in itertools.permutations(laws, 2) for o in p)


def assert_support_is_what_the_law_says(m, members):
    for x in members:
        law = m.law(x)
        for i, bit in enumerate(x):
            assert sum(p for report, p in law.items() if report[i]) == m.support[not bit]


def peak_over_output(release, places):
    release(places[:9])
    tracemalloc.start()
    packed = release(places)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / packed.nbytes


def coins_of(module, monkeypatch, draw):
    """The coins that *draw* hands on to each of its Bernoulli arrays; None stands for the system's."""
    seen = []
    monkeypatch.setattr(module, "bernoulli_many", lambda p, n, coins=None: seen.append(coins) or np.zeros(n, np.bool_))
    draw()
    return seen


class ScriptedBernoulli:
    """Stands for bernoulli_many: each call gives the next bits of a script, and notes its bias and size."""

    def __init__(self, *scripts):
        self.scripts, self.calls = list(scripts), []

    def __call__(self, p, n, *_, **__):
        self.calls.append((p, n))
        bits = np.array(self.scripts.pop(0), bool).reshape(-1)
        assert bits.size == n
        return bits


def law_by_scripts(module, monkeypatch, sizes, draw):
    """Run *draw* on every outcome of its Bernoulli arrays, each weighed exactly; return the law of what it gives."""
    law = Counter()
    for script in itertools.product(*(itertools.product((False, True), repeat=n) for n in sizes)):
        coins = ScriptedBernoulli(*script)
        monkeypatch.setattr(module, "bernoulli_many", coins)
        outcome = tuple(draw().tolist())
        assert [n for _, n in coins.calls] == list(sizes)
        law[outcome] += math.prod(
            p if bit else 1 - p for (p, _), bits in zip(coins.calls, script, strict=True) for bit in bits
        )
    return {outcome: p for outcome, p in law.items() if p}


def sets(k, d, p):
    return SubsetSelection(categories=range(k), size=d, prob=p)


SETS = [
    sets(k, d, p)
    for k, d in ((2, 1), (3, 1), (3, 2), (4, 2), (5, 2), (5, 3), (5, 4))
    for p in sorted({Fraction(d, k), max(Fraction(3, 4), Fraction(d, k)), Fraction(9, 10)})
]


class TestSubsetSelection:
    @pytest.mark.parametrize("m", each(SETS, 5), ids=repr)
    def test_the_map_is_the_least_float_that_bounds_every_pair(self, m):
        members = (*m.categories.values, "foreign")
        assert all(sum(m.law(x).values()) == 1 for x in members)
        result = audit.exact(m, members=members, draws=cases(50, 500))
        assert result.holds
        assert m.privacy_map(0) == 0
        assert m.privacy_map(1) == m.privacy_map(7) == float_up(ln(worst_ratio(m, members)))

    def test_certainty_loses_everything(self):
        m = sets(4, 2, 1)
        assert m.privacy_map(1) == math.inf
        assert m.privacy_map(0) == 0
        assert all(3 in m.release(3) for _ in range(50))
        assert bits_of(m.release_packed(np.array([3] * 50)), 4)[:, 3].all()

    @pytest.mark.parametrize("m", SETS, ids=repr)
    def test_support_is_what_the_law_says(self, m):
        for x in m.categories.values:
            law = m.law(x)
            held = {y: sum(p for chosen, p in law.items() if y in chosen) for y in m.categories.values}
            assert [held.pop(x), *held.values()] == [m.support[0]] + [m.support[1]] * len(held)

    @pytest.mark.parametrize(("k", "p"), [(2, "3/4"), (5, "1/5"), (7, "0.3"), (4, 1)])
    def test_sets_of_one_are_randomized_response(self, k, p):
        one, rr = sets(k, 1, p), RandomizedResponse(categories=range(k), prob=p)
        assert one.privacy_map(1) == rr.privacy_map(1)
        for x in (*range(k), None):
            assert {o: q for (o,), q in one.law(x).items()} == rr.law(x)

    def test_every_script_of_coins_gives_the_law(self, monkeypatch):
        # Words of two bits in the place of 64, so that every script can be run, and ties go on.
        for draw in (subset_selection.below, subset_selection.bernoulli):
            monkeypatch.setitem(draw.__kwdefaults__, "word", 2)
        for k, d, bits in ((2, 1, 8), (3, 1, 10), (3, 2, 12)):
            m = sets(k, d, Fraction(3, 4))
            for x in (0, k - 1, "foreign"):
                decided, undecided = law_by_counting(lambda coins, m=m, x=x: m.sample(x, coins), bits, 1)
                assert undecided < Fraction(3, 5)
                for chosen, p in m.law(x).items():
                    assert decided.get(chosen, 0) <= p <= decided.get(chosen, 0) + undecided
                if k == 3 and d == 1:  # With up to three more words for the ties.
                    decided, undecided = law_by_counting(lambda coins, m=m, x=x: m.sample(x, coins), 2, bits // 2 + 3)
                    assert undecided < Fraction(1, 15)
                    for chosen, p in m.law(x).items():
                        assert decided[chosen] <= p <= decided[chosen] + undecided

    @pytest.mark.parametrize("m", [*SETS, sets(6, 3, "3/5")], ids=repr)
    def test_every_outcome_of_the_draws_gives_exactly_the_law(self, m, monkeypatch):
        # Each uniform and each coin has its exact law by the samplers' own tests: here all their outcomes are run.
        k, d = len(m.categories), m.size
        limits = [k, *range(k - 1, k - 1 - d, -1)]
        for x in (0, k - 1, "foreign"):
            law = Counter()
            for honest, *draws in itertools.product((False, True), *map(range, limits)):
                script, asked, odds = iter(draws), [], []
                monkeypatch.setattr(
                    subset_selection, "below", lambda n, coins, a=asked, s=script: a.append(n) or next(s)
                )
                monkeypatch.setattr(subset_selection, "bernoulli", lambda p, coins, o=odds, h=honest: o.append(p) or h)
                chosen = m.sample(x, SYSTEM)
                assert asked == limits
                law[chosen] += (odds[0] if honest else 1 - odds[0]) / math.prod(limits)
            assert {chosen: p for chosen, p in law.items() if p} == {o: p for o, p in m.law(x).items() if p}

    def test_the_number_of_coins_does_not_depend_on_the_answer(self):
        drawn = set()
        for x in (0, 6, "foreign", None, []):
            for _ in range(50):
                coins = Counting()
                sets(7, 3, "1/2").sample(x, coins)
                drawn.add(coins.drawn)
        assert drawn == {5 * 64}

    @pytest.mark.parametrize("m", [*SETS, sets(6, 3, 1), sets(9, 4, Fraction(0.6))], ids=repr)
    def test_the_table_has_the_law_of_the_mechanism_where_the_truth_is_first(self, m):
        k = len(m.categories)
        table = subset_selection._sets(m.prob.numerator, m.prob.denominator, m.size, k)
        named = [tuple(i for i in range(k) if mask >> i & 1) for mask in table._values.tolist()]
        assert dict(zip(named, table._law, strict=True)) == {o: p for o, p in m.law(0).items() if p}
        uniform = subset_selection._sets(m.size, k, m.size, k)
        assert set(uniform._law) == {Fraction(1, comb(k, m.size))}

    @pytest.mark.parametrize(("k", "d"), [(2, 1), (8, 3), (9, 2), (13, 1), (63, 1), (63, 2)])
    def test_a_set_is_turned_to_the_truth(self, k, d, monkeypatch):
        masks = [sum(1 << i for i in chosen) for chosen in itertools.islice(itertools.combinations(range(k), d), 99)]

        class Masks:
            def draw(self, n, coins):
                return np.resize(np.array(masks, np.int64), n)

        monkeypatch.setattr(subset_selection, "_sets", lambda *_: Masks())
        m = sets(k, d, 1)
        for place in range(k):
            reports = bits_of(m.release_packed(np.full(len(masks), place)), k)
            for mask, report in zip(masks, reports, strict=True):
                assert set(np.flatnonzero(report)) == {(i + place) % k for i in range(k) if mask >> i & 1}

    @pytest.mark.parametrize(("k", "d"), [(3, 1), (3, 2), (4, 2), (4, 3), (4, 1)])
    @pytest.mark.parametrize("honest", [False, True])
    def test_every_array_of_keys_gives_equally_many_of_each_set(self, k, d, honest, monkeypatch):
        # Keys of four values, the least and the greatest among them, in the place of 2**32: ties are frequent.
        alphabet = np.array([0, 1, 7, 2**32 - 1], np.uint32)
        keys = np.array(list(itertools.product(alphabet, repeat=k)), np.uint32)
        for truth in range(k):
            rounds = []

            def fields(coins, n, width, rounds=rounds):
                rounds.append(n)
                if len(rounds) == 1:
                    return keys.reshape(-1)
                return np.tile(np.arange(1, k + 1, dtype=np.uint32), n // k)  # Distinct: all are settled.

            monkeypatch.setattr(subset_selection, "fields", fields)
            monkeypatch.setattr(subset_selection, "bernoulli_many", lambda p, n: np.full(n, honest))
            out = np.zeros((len(keys), 1), np.uint8)
            sets(k, d, Fraction(9, 10))._compare_keys(np.full(len(keys), truth), out)
            later = 0 if len(rounds) == 1 else rounds[1] // k
            counts = Counter(tuple(np.flatnonzero(row).tolist()) for row in bits_of(out, k))
            wanted = [c for c in itertools.combinations(range(k), d) if (truth in c) == honest]
            others = [i for i in range(k) if i != truth][: d - honest]
            counts[tuple(sorted([truth] * honest + others))] -= later
            assert set(counts) == set(wanted)
            assert len(set(counts.values())) == 1

    @pytest.mark.parametrize("path", ["table", "keys"])
    @pytest.mark.parametrize("x", [2, -1, 99])
    def test_many_releases_fit_the_law_and_not_another(self, path, x, monkeypatch):
        if path == "keys":
            monkeypatch.setattr(subset_selection, "_MOST_SETS", 0)
        m, n = sets(6, 3, Fraction(7, 10)), 60_000
        packed = m.release_packed(np.full(n, x))
        assert (packed.shape, packed.dtype) == ((n, 1), np.uint8)
        counts = Counter(tuple(np.flatnonzero(row).tolist()) for row in bits_of(packed, 6))
        assert fits(counts, m.law(x)) > 1e-9
        for wrong in (sets(6, 3, Fraction(73, 100)).law(2), sets(6, 3, Fraction(7, 10)).law(3)):
            assert fits(counts, wrong) < 1e-9

    def test_booleans_are_the_bytes_unpacked(self):
        for k, d in ((7, 2), (8, 2), (9, 3), (100, 27), (70, 3)):
            m = sets(k, d, 1)
            answers = [*range(k)]
            for reports in (m.release_many(answers), m.release_many(np.array(answers))):
                assert (reports.dtype, reports.shape) == (np.bool_, (k, k))
                assert reports[answers, answers].all()
                assert (reports.sum(axis=1) == d).all()
            packed = m.release_packed(np.array(answers, np.int8))
            assert packed.shape == (k, -(-k // 8))
            assert np.unpackbits(packed, axis=1).sum() == k * d  # Nothing beyond the last category.

    @pytest.mark.parametrize("k", [62, 63, 64, 65, 200])
    def test_few_sets_of_many_categories(self, k):
        reports = bits_of(sets(k, 1, 1).release_packed(np.arange(-1, k)), k)
        assert (reports[1:] == np.eye(k, dtype=bool)).all()
        assert reports[0].sum() == 1

    @pytest.mark.parametrize("k", [10, 100])
    def test_no_more_memory_than_the_reports_and_a_little(self, k):
        m = SubsetSelection.within(epsilon=1, categories=range(k))
        places = np.arange(100_000) % k
        packed = places.size * -(-k // 8)
        assert (peak_over_output(m.release_packed, places) - 1) * packed < 300 << 10

    @pytest.mark.parametrize(("k", "size"), [(2, 1), (3, 2), (10, 3), (10, None), (1000, None)])
    @pytest.mark.parametrize("epsilon", EPSILONS)
    def test_within_is_maximal(self, k, size, epsilon):
        m = SubsetSelection.within(epsilon=epsilon, categories=range(k), size=size)
        assert size in (None, m.size)
        m.require(1, epsilon)
        louder = math.nextafter(float(m.prob), 2)
        if Fraction(m.size, k) <= Fraction(louder) < 1:
            assert sets(k, m.size, louder).privacy_map(1) > epsilon

    @pytest.mark.parametrize("epsilon", [0.01, 0.5, 1, 2, 4, 7])
    def test_the_size_is_the_best_of_all(self, epsilon):
        e = math.exp(epsilon)
        for k in range(2, 60):
            variance = {d: (d * e + k - d) ** 2 / (d * (k - d)) for d in range(1, k)}
            d = SubsetSelection.within(epsilon=epsilon, categories=range(k)).size
            assert math.isclose(variance[d], min(variance.values()), rel_tol=1e-12)
            p, q = SubsetSelection.within(epsilon=epsilon, categories=range(k)).support
            summed = sum(s * (1 - s) / (p - q) ** 2 for s in [(p + (k - 1) * q) / k] * k)  # Shares of 1/k each.
            assert math.isclose(summed, (k - 1) ** 2 / k / (e - 1) ** 2 * variance[d], rel_tol=1e-9)

    def test_no_budget_gives_a_uniform_set(self):
        for k in (2, 3, 10, 11):
            m = SubsetSelection.within(epsilon=0, categories=range(k))
            assert (m.size, m.privacy_map(1)) == (k // 2, 0)

    def test_a_law_that_is_too_long_or_that_a_dict_would_merge_is_not_written_out(self):
        for m in (sets(40, 20, 1), sets(100_000, 50_000, 1)):
            with pytest.raises(UnsupportedError):
                m.law(3)
        for m in (sets(20, 19, 1), sets(2**16, 1, 1)):
            assert sum(m.law(3).values()) == 1
        with pytest.raises(UnsupportedError):
            sets(2**16 + 1, 1, 1).law(3)
        with pytest.raises(UnsupportedError, match="merge"):
            SubsetSelection(categories=[1, True, 2], size=1, prob=1).law(1)

    def test_bad_parameters_get_declared_errors(self):
        for size in (0, 3, -1, 10**5000):
            with pytest.raises(ParameterError, match=r"^size="):
                SubsetSelection(categories=["a", "b", "c"], size=size, prob=1)
        for make in (lambda: sets(1, 1, 1), lambda: SubsetSelection.within(epsilon=1, categories=range(1))):
            with pytest.raises(ParameterError, match=r"^categories=.*range.*need at least two"):
                make()
        for size in (1.0, True, None, "1"):
            with pytest.raises(KindError, match="size"):
                SubsetSelection(categories=["a", "b", "c"], size=size, prob=1)
        for prob in (math.nan, 0.6, 2 / 3, -1, 1.1):  # The float 2/3 is below the number.
            with pytest.raises(ParameterError, match=r"^prob="):
                SubsetSelection(categories=["a", "b", "c"], size=2, prob=prob)
        assert sets(3, 2, "2/3").privacy_map(1) == 0
        for places in ([0], np.array([0.0]), np.array([True]), None, np.array(["a"])):
            with pytest.raises(DiscreetError):
                sets(3, 2, 1).release_packed(places)

    def test_it_is_a_value(self):
        m = SubsetSelection(categories=["a", "b", 3], size=2, prob="4/5")
        same_value(m)
        assert m != SubsetSelection(categories=["a", "b", 3], size=1, prob="4/5")
        assert m.release("a") in m.law("a")


def unary(k, p, q):
    return OptimizedUnary(length=k, p=p, q=q)


UNARY = [
    unary(k, p, q)
    for k in (1, 2, 3, 5)
    for p, q in (("1/2", "1/4"), ("1/2", "1/2"), ("3/4", "1/4"), ("9/10", "1/3"), ("1/5", "1/6"), (0.5, 0.1))
]


class TestOptimizedUnary:
    @pytest.mark.parametrize("m", each(UNARY, 5), ids=repr)
    def test_the_map_is_the_least_float_that_bounds_every_pair(self, m):
        members = one_hot(m.length)
        assert all(sum(m.law(x).values()) == 1 for x in members)
        assert audit.exact(m, members=members, draws=cases(50, 500)).holds
        assert m.privacy_map(0) == 0
        assert m.privacy_map(1) == m.privacy_map(7) == float_up(ln(worst_ratio(m, members)))

    @pytest.mark.parametrize("m", UNARY, ids=repr)
    def test_support_is_what_the_law_says(self, m):
        assert_support_is_what_the_law_says(m, one_hot(m.length))

    @pytest.mark.parametrize("f", ["1/2", "1/10", 0.3])
    def test_a_symmetric_one_is_rappor(self, f):
        for k in (1, 2, 4):
            flips = Rappor(length=k, max_weight=1, f=f)
            m = unary(k, 1 - flips.f / 2, flips.f / 2)
            assert m.privacy_map(1) == flips.privacy_map(1)
            assert all(m.law(x) == flips.law(x) for x in one_hot(k))

    @pytest.mark.parametrize("k", [1, 2, 3])
    def test_every_outcome_of_the_coins_gives_the_law(self, k, monkeypatch):
        m = unary(k, "2/3", "1/5")
        for place, x in enumerate(one_hot(k), -1):
            single = law_by_scripts(optimized_unary, monkeypatch, (1, k), lambda x=x: m.sample(x, SYSTEM))
            rows = law_by_scripts(optimized_unary, monkeypatch, (1, k), lambda x=x: m.release_many(np.array([x]))[0])
            packed = law_by_scripts(
                optimized_unary,
                monkeypatch,
                (k, 1),
                lambda place=place: bits_of(m.release_packed(np.array([place])), k)[0],
            )
            assert single == rows == packed == m.law(x)

    def test_every_row_has_coins_of_its_own(self, monkeypatch):
        m = unary(3, "2/3", "1/5")
        for honest in itertools.product((False, True), repeat=2):
            for noise in itertools.product((False, True), repeat=6):
                monkeypatch.setattr(optimized_unary, "bernoulli_many", ScriptedBernoulli(honest, noise))
                reports = m.release_many(np.array([[False, True, False], [False] * 3]))
                assert reports.tolist() == [[noise[0], honest[0], noise[2]], list(noise[3:])]
                monkeypatch.setattr(optimized_unary, "bernoulli_many", ScriptedBernoulli(noise, honest))
                assert (bits_of(m.release_packed(np.array([1, -1])), 3) == reports).all()

    def test_many_releases_fit_the_law_and_not_another(self):
        m, n = unary(5, "1/2", "1/4"), 40_000
        for place in (3, -1, 5):
            counts = Counter(tuple(row) for row in bits_of(m.release_packed(np.full(n, place)), 5).tolist())
            truth = [i == place for i in range(5)]
            assert fits(counts, m.law(truth)) > 1e-9
            assert fits(counts, unary(5, "0.55", "1/4").law([False] * 4 + [True])) < 1e-9
            assert fits(counts, unary(5, "1/2", "0.28").law(truth)) < 1e-9

    def test_all_coins_are_those_given(self, monkeypatch):
        coins = Counting()
        drawn = coins_of(optimized_unary, monkeypatch, lambda: unary(3, "2/3", "1/5").sample([False] * 3, coins))
        assert drawn == [coins] * 2

    @pytest.mark.parametrize("k", [1, 2, 8, 1000])
    @pytest.mark.parametrize("epsilon", [*EPSILONS, "1/3"])
    def test_within_is_maximal(self, k, epsilon):
        m = OptimizedUnary.within(epsilon=epsilon, length=k)
        m.require(1, epsilon)
        assert m.p == Fraction(1, 2)
        if (louder := math.nextafter(float(m.q), 0)) > 0:
            assert unary(k, "1/2", louder).privacy_map(1) > float(Fraction(epsilon))

    @pytest.mark.parametrize(
        "m", [OptimizedUnary.within(epsilon=1, length=128), Rappor(length=128, max_weight=1, f="1/2")], ids=repr
    )
    def test_no_more_memory_than_the_reports_and_a_little(self, m):
        assert peak_over_output(m.release_packed, np.arange(100_000) % 128) < 1.5

    def test_it_chains_after_one_hot(self):
        m = OneHot(["a", "b", "c"]) >> unary(3, "1/2", "1/4")
        assert m.privacy_map(1) == float_up(ln(Fraction(3)))
        assert audit.exact(m, members=["a", "b", "c"]).tightness > 1 - 1e-12

    def test_packing_is_rappors(self):
        for k in (1, 7, 8, 9, 64):
            reports = np.random.default_rng(1).random((20, k)) < 0.5
            m, flips = unary(k, "1/2", "1/4"), Rappor(length=k, max_weight=1, f=1)
            assert (m.pack(reports) == flips.pack(reports)).all()
            assert (m.unpack(m.pack(reports)) == reports).all()

    def test_bad_parameters_and_data_get_declared_errors(self):
        for p, q in ((0, 0), (1, "1/2"), ("1/2", 0), ("1/2", "2/3"), ("1/2", -1), ("1/3", 1 / 3 + 1e-16), (0.5, 1)):
            with pytest.raises(ParameterError):
                unary(3, p, q)
        for p, q in ((math.nan, "1/2"), ("1/2", math.nan), (True, "1/2"), ("1/2", None), (10**5000, 1)):
            with pytest.raises(DiscreetError):
                unary(3, p, q)
        for p in (0, "-1/2", 1):  # It is p that is wrong, whatever q.
            with pytest.raises(ParameterError, match=r"^p="):
                unary(3, p, "1/4")
        for length in (0, -1, 2.0, True, None, 10**5000):
            with pytest.raises(DiscreetError, match="length"):
                unary(length, "1/2", "1/4")
        m = unary(3, "1/2", "1/4")
        for wrong in ([True] * 3, [True], [1, 0, 0], np.zeros(3), None):
            with pytest.raises(DomainError):
                m.release(wrong)
        for wrong in (np.ones((2, 3), bool), np.zeros((2, 4), bool), np.zeros(3, bool), np.zeros((2, 3)), None):
            with pytest.raises(DomainError):
                m.release_many(wrong)
        for places in ([0], np.array([0.0]), np.array([True]), None):
            with pytest.raises(KindError):
                m.release_packed(places)
        with pytest.raises(UnsupportedError):
            unary(17, "1/2", "1/4").law([False] * 17)
        with pytest.raises(UnsupportedError):
            unary(2**100, "1/2", "1/4").release_packed(np.array([1]))

    def test_it_is_a_value(self):
        same_value(unary(3, "1/2", 0.1))
        assert unary(3, "1/2", "1/4") == unary(3, 0.5, 0.25)
        assert unary(3, "1/2", "1/4") != unary(4, "1/2", "1/4")


def lasting(k, m, f="1/2", p="1/2", q="3/4"):
    return LongitudinalRappor(length=k, max_weight=m, f=f, p=p, q=q)


def weighing(k, m):
    return [x for x in itertools.product((False, True), repeat=k) if sum(x) <= m]


RATES = [
    ("1/2", "1/2", "3/4"),
    ("1/10", "1/4", "3/4"),
    ("1/3", 0, "1/2"),
    ("1/3", "1/5", 1),
    ("1/2", 0, 1),
    (1, "1/3", "2/3"),
    (0.3, 0.7, 0.9),
]
LASTING = [
    lasting(k, m, *rates)
    for k, m in ((1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (4, 3), (3, 0))
    for rates in RATES
]


def law_of_reports(m, x, r):
    """The law of r reports from one permanent response, from the two stages, by the definition."""
    flip = m.f / 2
    law = Counter()
    for memo in itertools.product((False, True), repeat=m.length):
        kept = math.prod(flip if a != b else 1 - flip for a, b in zip(x, memo, strict=True))
        one = {
            report: math.prod(
                (m.q if b else m.p) if bit else 1 - (m.q if b else m.p) for b, bit in zip(memo, report, strict=True)
            )
            for report in itertools.product((False, True), repeat=m.length)
        }
        for reports in itertools.product(one, repeat=r):
            law[reports] += kept * math.prod(one[report] for report in reports)
    return law


class TestLongitudinalRappor:
    @pytest.mark.parametrize("m", each(LASTING, 5), ids=repr)
    def test_the_map_is_the_least_float_that_bounds_every_pair(self, m):
        members = weighing(m.length, m.max_weight)
        assert all(sum(m.law(x).values()) == 1 for x in members)
        assert m.privacy_map(0) == 0
        if m.max_weight:
            assert audit.exact(m, members=members, draws=cases(50, 500)).holds
            assert m.privacy_map(1) == m.privacy_map(7) == float_up(ln(worst_ratio(m, members)))
        else:
            assert m.privacy_map(1) == m.privacy_map_for_ever() == 0

    @pytest.mark.parametrize("rates", RATES)
    @pytest.mark.parametrize(("k", "weight", "r"), [(1, 1, 1), (1, 1, 2), (1, 1, 3), (2, 1, 2), (2, 2, 2), (2, 1, 3)])
    def test_the_loss_of_several_reports_is_exactly_that_of_their_joint_law(self, rates, k, weight, r):
        m = lasting(k, weight, *rates)
        laws = [law_of_reports(m, x, r) for x in weighing(k, weight)]
        assert all(sum(law.values()) == 1 for law in laws)
        worst = max(p[o] / q[o] for p, q in itertools.permutations(laws, 2) for o in p if p[o])
        assert m.privacy_map_of(r) == float_up(ln(worst))
        if r == 1:
            stated = [{(o,): p for o, p in m.law(x).items()} for x in weighing(k, weight)]
            assert [dict(law) for law in laws] == stated

    @pytest.mark.parametrize("m", LASTING, ids=repr)
    def test_the_loss_grows_to_that_of_the_permanent_response(self, m):
        losses = [m.privacy_map_of(r) for r in (0, 1, 2, 3, 10, 100, 10**6, 2**1000)]
        assert losses == sorted(losses)
        assert losses[0] == 0
        assert losses[1] == m.privacy_map(1)
        assert losses[-1] <= m.privacy_map_for_ever() <= math.nextafter(losses[-1], math.inf)
        basic = Rappor(length=m.length, max_weight=m.max_weight, f=m.f)
        assert m.privacy_map_for_ever() == basic.privacy_map(1)

    def test_certain_reports_are_basic_rappor(self):
        m, basic = lasting(3, 1, "1/3", 0, 1), Rappor(length=3, max_weight=1, f="1/3")
        assert all(m.law(x) == basic.law(x) for x in weighing(3, 1))
        assert m.privacy_map(1) == m.privacy_map_of(9) == basic.privacy_map(1)

    @pytest.mark.parametrize("m", LASTING, ids=repr)
    def test_support_is_what_the_law_says(self, m):
        assert_support_is_what_the_law_says(m, weighing(m.length, m.max_weight))

    def test_every_outcome_of_the_coins_gives_the_law(self, monkeypatch):
        m = lasting(2, 1, "1/3", "1/5", "3/7")
        for x in weighing(2, 1):
            for draw in (lambda x=x: m.sample(x, SYSTEM), lambda x=x: m.release_many(np.array([x]))[0]):
                assert law_by_scripts(longitudinal_rappor, monkeypatch, (2, 2, 2), draw) == m.law(x)
            kept = law_by_scripts(longitudinal_rappor, monkeypatch, (2,), lambda x=x: m.permanent(x))
            assert kept == Rappor(length=2, max_weight=1, f="1/3").law(x)
        memo = [True, False]
        law = law_by_scripts(longitudinal_rappor, monkeypatch, (2, 2), lambda: m.instantaneous(memo))
        q, p = Fraction(3, 7), Fraction(1, 5)
        assert law == {(a, b): (q if a else 1 - q) * (p if b else 1 - p) for a in (False, True) for b in (False, True)}

    def test_many_releases_fit_the_law_and_not_another(self):
        m, n = lasting(4, 2, "1/4", "1/3", "3/4"), 60_000
        x = [True, False, True, False]
        counts = Counter(tuple(row) for row in m.release_many(np.tile(x, (n, 1))).tolist())
        assert fits(counts, m.law(x)) > 1e-9
        for wrong in (m.law([True, True, False, False]), lasting(4, 2, "1/3", "1/3", "3/4").law(x)):
            assert fits(counts, wrong) < 1e-9

    @pytest.mark.parametrize(("k", "weight"), [(1, 1), (8, 1), (3, 2), (128, 4)])
    @pytest.mark.parametrize("epsilon", [0, 1e-9, 0.1, 1, 10, 700])
    def test_within_is_maximal(self, k, weight, epsilon):
        m = LongitudinalRappor.within(epsilon=epsilon, length=k, max_weight=weight, p="1/2", q="3/4")
        assert m.privacy_map_for_ever() <= epsilon
        m.require(1, epsilon)
        louder = math.nextafter(float(m.f), 0)
        assert lasting(k, weight, louder).privacy_map_for_ever() > epsilon

    @pytest.mark.parametrize("epsilon", [0, 1])
    def test_nothing_to_hide_is_within_any_budget(self, epsilon):
        m = LongitudinalRappor.within(epsilon=epsilon, length=3, max_weight=0, p="1/2", q="3/4")
        assert (m.f, m.privacy_map_for_ever()) == (1, 0)

    def test_all_coins_are_those_given(self, monkeypatch):
        m, x, coins = lasting(3, 1), [False] * 3, Counting()
        for draw, arrays in ((m.sample, 3), (m.permanent, 1), (m.instantaneous, 2)):
            drawn = coins_of(longitudinal_rappor, monkeypatch, lambda draw=draw: draw(x, coins))
            assert drawn == [coins] * arrays

    def test_bad_parameters_and_data_get_declared_errors(self):
        for f, p, q in ((0, 0, 1), (2, 0, 1), (1, -1, 1), (1, 1, 1), (1, "1/2", "1/2"), (1, "1/2", "1/3"), (1, 0, 2)):
            with pytest.raises(ParameterError):
                lasting(3, 1, f, p, q)
        for f, p, q in ((math.nan, 0, 1), (1, math.nan, 1), (1, 0, math.nan), (True, 0, 1), (1, None, 1), (1, 0, True)):
            with pytest.raises(DiscreetError):
                lasting(3, 1, f, p, q)
        for p in (-1, 1, "3/2"):  # It is p that is wrong, whatever q.
            with pytest.raises(ParameterError, match=r"^p="):
                lasting(3, 1, 1, p, 1)
        m = lasting(3, 1)
        assert m.privacy_map_of(2**1024 - 1) <= m.privacy_map_for_ever()
        for reports in (-1, 1.0, None, True, 2**1024, 10**5000):
            with pytest.raises(DiscreetError, match="reports"):
                m.loss_of(reports)
        for wrong in ([True] * 3, [True], [1, 0, 0], None):
            with pytest.raises(DomainError):
                m.permanent(wrong)
        assert m.instantaneous([True] * 3).shape == (3,)
        for wrong in ([True], [1, 0, 0], None, np.ones((3, 3), bool)):
            with pytest.raises(DomainError):
                m.instantaneous(wrong)
        for wrong in (np.ones((2, 3), bool), np.zeros((2, 4), bool), None):
            with pytest.raises(DomainError):
                m.release_many(wrong)

    def test_it_is_a_value(self):
        same_value(lasting(3, 1))
        assert lasting(3, 1) != lasting(3, 1, "1/3")


class TestSupport:
    """What the estimators use, for the mechanisms that there were before."""

    @pytest.mark.parametrize("p", ["1/2", "3/4", 0.9, 1])
    def test_of_randomized_response(self, p):
        for k in (2, 3, 5):
            m = RandomizedResponse(categories=range(k), prob=p)
            for x in range(k):
                law = dict(m.law(x))
                assert (law.pop(x), set(law.values())) == (m.support[0], {m.support[1]})
        yes_no = RandomizedResponseBool(prob=p)
        assert (yes_no.law(True)[True], yes_no.law(True)[False]) == yes_no.support
        assert (yes_no.law(False)[False], yes_no.law(False)[True]) == yes_no.support

    @pytest.mark.parametrize("f", ["1/2", 0.1, 1])
    def test_of_rappor(self, f):
        for weight in (1, 2):
            m = Rappor(length=3, max_weight=weight, f=f)
            members = [x for x in itertools.product((False, True), repeat=3) if sum(x) <= weight]
            assert_support_is_what_the_law_says(m, members)

    def test_packed_reports_of_rappor_have_its_law(self, monkeypatch):
        m = Rappor(length=3, max_weight=1, f="1/3")
        for place, x in enumerate(one_hot(3), -1):
            packed = law_by_scripts(
                rappor, monkeypatch, (3,), lambda place=place: bits_of(m.release_packed(np.array([place])), 3)[0]
            )
            assert packed == m.law(x)
        with pytest.raises(UnsupportedError, match="max_weight=0"):
            Rappor(length=3, max_weight=0, f=1).release_packed(np.array([-1]))

    @pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.uint64])
    @pytest.mark.parametrize("length", [1, 8, 9, 100])
    def test_places_of_any_integer_type_and_range(self, dtype, length):
        m = Rappor(length=length, max_weight=1, f=5e-324)
        places = np.array([0, length - 1, length, np.iinfo(dtype).max, np.iinfo(dtype).min], dtype)
        reports = bits_of(m.release_packed(places), length)
        for place, report in zip(places.tolist(), reports, strict=True):
            assert np.flatnonzero(report).tolist() == ([place] if 0 <= place < length else [])
        assert m.release_packed(places[:0]).shape == (0, -(-length // 8))

    @pytest.mark.parametrize("m", [Rappor(length=9, max_weight=1, f=1), unary(9, "1/2", "1/4")], ids=repr)
    def test_reports_of_any_number_of_axes_are_packed(self, m):
        for shape in ((9,), (4, 9), (2, 3, 9), (0, 9), (9, 9)):
            reports = np.random.default_rng(1).random(shape) < 0.5
            assert m.pack(reports).shape == (*shape[:-1], 2)
            assert (m.unpack(m.pack(reports)) == reports).all()
        with pytest.raises(DomainError):
            m.unpack(np.zeros((2, 3), np.uint8))

    def test_each_row_is_filled_where_one_is_longer_than_are_made_at_a_time(self):
        length, places = 2**17 + 3, np.array([0, -1, 2**17 + 2, 5])
        reports = bits_of(Rappor(length=length, max_weight=1, f=5e-324).release_packed(places), length)
        assert np.argwhere(reports).tolist() == [[0, 0], [2, 2**17 + 2], [3, 5]]

    def test_reports_of_2_to_the_31_bits_are_the_longest(self):
        none = np.array([], np.int64)
        assert unary(2**31, "1/2", "1/4").release_packed(none).shape == (0, 2**28)
        with pytest.raises(UnsupportedError):
            unary(2**31 + 1, "1/2", "1/4").release_packed(none)

    @pytest.mark.parametrize(
        "m", [Rappor(length=3, max_weight=1, f="1/2"), unary(3, "1/2", "1/4"), lasting(3, 1)], ids=repr
    )
    def test_one_vector_outside_the_domain_is_refused(self, m):
        for rows in ([[True, True, False], [False] * 3], [[False] * 3, [True, False, True]]):
            with pytest.raises(DomainError):
                m.release_many(np.array(rows))
        assert m.release_many(np.zeros((0, 3), bool)).shape == (0, 3)
        for x in ([True, True, False], [True], [1, 0, 0], None):
            with pytest.raises(DomainError):
                m.law(x)

    @pytest.mark.parametrize(
        "m", [Rappor(length=3, max_weight=1, f="1/2"), unary(3, "1/2", "1/4"), lasting(3, 1)], ids=repr
    )
    def test_what_is_no_array_is_refused(self, m):
        with pytest.raises(DomainError):
            m.release_many([[True, False, False], [True]])
