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
from scipy import stats

import discreet
from discreet import (
    DiscreetError,
    KindError,
    ParameterError,
    RandomizedResponse,
    SubsetSelection,
    UnsupportedError,
    audit,
)
from discreet.coins import SYSTEM
from discreet.mechanisms import subset_selection
from discreet.reals import float_up, ln

EPSILONS = [0, 5e-324, 1e-17, 1e-9, 0.1, 1, 3.7, 36, 745, 1e300]


class Counting:
    """Coins that count the bits drawn one draw at a time."""

    drawn = 0

    def bits(self, n):
        self.drawn += n
        return SYSTEM.bits(n)


def same_value(m):
    names = {**vars(discreet), "Fraction": Fraction}
    assert eval(repr(m), names) == m
    assert pickle.loads(pickle.dumps(m)) == m
    assert copy.deepcopy(m) == m
    assert hash(pickle.loads(pickle.dumps(m))) == hash(m)


def bits_of(packed, length):
    return np.unpackbits(packed, axis=1, count=length, bitorder="little").astype(bool)


def fits(counts, law):
    """The p-value of counted outcomes under a law; 0 if an impossible outcome was seen."""
    n = sum(counts.values())
    possible = {outcome: p for outcome, p in law.items() if p}
    if set(counts) - set(possible):
        return 0.0
    if len(possible) == 1:
        return 1.0
    return stats.chisquare([counts[o] for o in possible], [float(p) * n for p in possible.values()]).pvalue


def sets(k, d, p):
    return SubsetSelection(categories=range(k), size=d, prob=p)


SETS = [
    sets(k, d, p)
    for k, d in ((2, 1), (3, 1), (3, 2), (4, 2), (5, 2), (5, 3), (5, 4))
    for p in sorted({Fraction(d, k), max(Fraction(3, 4), Fraction(d, k)), Fraction(9, 10)})
]


class TestSubsetSelection:
    @pytest.mark.parametrize("m", SETS, ids=repr)
    def test_the_map_is_the_least_float_that_bounds_every_pair(self, m):
        members = (*m.categories.values, "foreign")
        assert all(sum(m.law(x).values()) == 1 for x in members)
        result = audit.exact(m, members=members)
        assert result.holds
        assert m.privacy_map(0) == 0
        laws = [m.law(x) for x in members]
        worst = max(p[o] / q[o] for p, q in itertools.permutations(laws, 2) for o in p)
        assert m.privacy_map(1) == m.privacy_map(7) == float_up(ln(worst))

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
        # Words of two or three bits in the place of 64, so that every script can be run, and ties go on.
        for word, k, d in ((2, 3, 1), (2, 3, 2), (3, 3, 2), (2, 4, 2), (2, 4, 3)):
            monkeypatch.setattr(subset_selection, "WORD", word)
            monkeypatch.setattr(subset_selection.below_real, "__defaults__", (word,))
            monkeypatch.setattr(subset_selection.floor_of, "__defaults__", (word,))
            m = sets(k, d, Fraction(3, 4))
            for x in (0, k - 1, "foreign"):
                decided, undecided = law_by_counting(lambda coins, m=m, x=x: m.sample(x, coins), word * (d + 2), 1)
                for chosen, p in m.law(x).items():
                    assert decided.get(chosen, 0) <= p <= decided.get(chosen, 0) + undecided
                if (word, d) == (2, 1):  # All ties of two more words.
                    decided, undecided = law_by_counting(lambda coins, m=m, x=x: m.sample(x, coins), word, d + 6)
                    assert undecided < Fraction(1, 20)
                    for chosen, p in m.law(x).items():
                        assert decided[chosen] <= p <= decided[chosen] + undecided

    def test_words_that_never_tie_give_exactly_the_law(self, monkeypatch):
        # Four others, sets of one, and words of two bits: every limit and p are dyadic but the stand-in's.
        monkeypatch.setattr(subset_selection, "WORD", 2)
        monkeypatch.setattr(subset_selection, "floor_of", _dyadic_floor)
        m = sets(5, 1, Fraction(3, 4))
        for x in range(5):
            decided, undecided = law_by_counting(lambda coins, x=x: m.sample(x, coins), 6, 1)
            assert undecided == 0
            assert decided == m.law(x)

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

    @pytest.mark.parametrize("k", [10, 100])
    def test_no_more_memory_than_the_reports_and_a_little(self, k):
        m = SubsetSelection.within(epsilon=1, categories=range(k))
        places = np.arange(100_000) % k
        m.release_packed(places[:9])
        tracemalloc.start()
        packed = m.release_packed(places)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak - packed.nbytes < 300 << 10

    @pytest.mark.parametrize(("k", "size"), [(2, 1), (3, 2), (10, 3), (10, None), (1000, None)])
    @pytest.mark.parametrize("epsilon", EPSILONS)
    def test_within_is_maximal(self, k, size, epsilon):
        m = SubsetSelection.within(epsilon=epsilon, categories=range(k), size=size)
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
        with pytest.raises(UnsupportedError, match="merge"):
            SubsetSelection(categories=[1, True, 2], size=1, prob=1).law(1)

    def test_bad_parameters_get_declared_errors(self):
        for size in (0, 3, -1, 10**5000):
            with pytest.raises(ParameterError, match="size"):
                SubsetSelection(categories=["a", "b", "c"], size=size, prob=1)
        for size in (1.0, True, None, "1"):
            with pytest.raises(KindError, match="size"):
                SubsetSelection(categories=["a", "b", "c"], size=size, prob=1)
        for prob in (math.nan, 0.6, 2 / 3, -1, 1.1):  # The float 2/3 is below the number.
            with pytest.raises(ParameterError, match="prob"):
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


def _dyadic_floor(n, prefix, bits, coins):
    """The floor of n U where n divides 2**bits; 0 otherwise, for a draw that is not looked at."""
    return prefix * n >> bits if (1 << bits) % n == 0 else 0
