"""Several quantiles, each chosen between those before it: what is lost is what is claimed, and ties move no rank."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from test_tables_quantiles import Counts, laplace_between, neighbours, one, table
from tiers import cases

from discreet.audit import exact as exact_audit
from discreet.coins import SYSTEM
from discreet.measures import Pure
from discreet.metrics import Sensitivity
from discreet.reals import float_up
from discreet.tables import Quantile
from discreet.tables.nested import moved, turns
from discreet.tables.quantiles import CutByRank

HALF, ONE, NONE = Fraction(1, 2), Sensitivity(1, 1, 1), Fraction(0)
QUARTERS = (Fraction(1, 4), HALF, Fraction(3, 4))
SEVERAL = [
    QUARTERS,
    (Fraction(9, 10), Fraction(1, 10)),
    (Fraction(1, 3), Fraction(2, 3)),
    (NONE, HALF, Fraction(1)),
    (Fraction(9, 10), NONE),
]
ids = {"ids": lambda at: " ".join(map(str, at))}


def plain(counts, at, epsilon):
    """The law of several quantiles in floats, by nothing but sums: of bins, in the order of the quantiles."""
    up_to, bins = np.cumsum(counts), len(counts)
    scale = float(moved(at) / epsilon)

    def cut(q, low, high):
        inwards = np.ceil(scale / 2 * np.log(bins - 1) - 1e-9) * ((q == 0) - (q == 1))
        far = (up_to[low:high] - float(q) * up_to[-1] - inwards) / scale
        odds = np.log(np.cumsum(np.exp(far))) - np.log(np.cumsum(np.exp(-far[::-1]))[::-1])
        return laplace_between(np.array([-np.inf, *odds]), np.array([*odds, np.inf]))

    def law(wanted, low, high):
        if not wanted:
            return {(): 1.0}
        middle = len(wanted) // 2
        found = {}
        for place, p in enumerate(cut(wanted[middle], low, high), low):
            for (left, a), (right, b) in itertools.product(
                law(wanted[:middle], low, place).items(), law(wanted[middle + 1 :], place, high).items()
            ):
                outcome = (*left, place, *right)
                found[outcome] = found.get(outcome, 0) + p * a * b
        return found

    return law(sorted(at), 0, bins - 1)


def shown(law, at):
    """The same with the bins in the order in which they were asked for."""
    order = [sorted(at).index(q) for q in at]
    return {tuple(bins[i] for i in order): p for bins, p in law.items()}


@pytest.mark.parametrize("at", SEVERAL, **ids)
class TestLoss:
    def test_all_choices_lose_no_more_than_they_say_for_all_small_histograms(self, at):
        bins = 3 if len(at) > 2 else 4
        laws = {counts: plain(counts, at, 2) for counts in itertools.product(range(4), repeat=bins)}
        worst = 0
        for counts, more in neighbours(bins, 2):
            before, after = laws[tuple(counts)], laws[tuple(more)]
            assert before.keys() == after.keys()
            worst = max(worst, *(abs(np.log(before[each] / after[each])) for each in before))
        assert 1.1 < worst <= 2 + 1e-9

    def test_the_law_is_that_of_the_plain_one(self, at):
        """Also of nobody, and of people who all share a bin."""
        for counts in ([1, 0, 2], [0, 0, 0], [5, 1, 0], [0, 7, 0]):
            law = CutByRank(3, at, Fraction(2), NONE).law(one(counts))
            expected = shown(plain(counts, at, 2), at)
            assert {row[::3]: pytest.approx(float_up(p), abs=1e-9) for row, p in law.items()} == expected

    def test_the_audit_holds_and_what_is_drawn_has_the_law(self, at):
        cut = CutByRank(2, at, Fraction(2), NONE)
        assert cut.loss(ONE) == Pure(Fraction(2))
        pairs = [([2, 1], [2, 2]), ([0, 0], [1, 0]), ([0, 3], [1, 3])]
        assert exact_audit(Counts(2) >> cut, pairs=pairs, draws=cases(200, 2000)).holds


def test_and_no_less_where_a_person_is_below_all_that_is_chosen():
    before, after = (plain([many, 12, 8, 10], QUARTERS, 2) for many in (2, 3))
    assert 1.999 < max(abs(np.log(before[each] / after[each])) for each in before if before[each] > 1e-12) <= 2


@pytest.mark.parametrize("many", range(1, 20))
def test_each_is_bounded_by_the_nearest_that_were_chosen_before(many):
    at, done = [Fraction(i * 23 % (many + 1) + 1, many + 2) for i in range(many)], []
    for which, lower, upper in turns(at):
        below, above = [i for i in done if at[i] < at[which]], [i for i in done if at[i] > at[which]]
        assert lower == max(below, key=lambda i: at[i], default=None)
        assert upper == min(above, key=lambda i: at[i], default=None)
        done.append(which)
    assert sorted(done) == list(range(many))


def test_a_person_moves_equally_spaced_quantiles_by_one_rank_each():
    """Where each by itself would be moved by up to two, and so by half as much again."""
    for many in (1, 3, 5, 9, 99):
        assert moved([Fraction(i + 1, many + 1) for i in range(many)]) == many
    assert moved([Fraction(9, 10)]) == Fraction(9, 5)
    assert moved([Fraction(9, 10), Fraction(1, 10)]) == 2 * Fraction(9, 5)


@pytest.mark.parametrize(
    "at", [*SEVERAL, tuple(Fraction(i, 8) for i in range(1, 8)), (HALF, Fraction(4, 5), Fraction(9, 10))], **ids
)
def test_moved_is_the_most_over_all_ways_in_which_a_person_may_stand(at):
    """By trying them: between which of the chosen bins, or at one."""
    at = sorted(at)

    def walk(first, last, place):
        """The ranks by which a person moves those from first to last; bins are at odd places."""
        if first == last:
            return 0
        k = (first + last) // 2
        q, chosen = at[k], 2 * k + 1
        inside = max(2 * q, 2 - 2 * q)
        left = walk(first, k, place) if place < chosen else sum(2 * q for q in at[first:k])
        right = walk(k + 1, last, place) if place > chosen else sum(2 - 2 * q for q in at[k + 1 : last])
        return inside + left + right

    assert moved(at) == max(walk(0, len(at), place) for place in range(2 * len(at) + 1))


def test_people_who_share_a_value_move_no_other_rank():
    """Most have the value of the median; the quartiles beside it are as exact as if nobody shared one."""
    counts = np.ones(1001, np.int64)
    counts[500] = 600
    many, at = 300, (Fraction(1, 10), HALF, Fraction(9, 10))
    drawn = CutByRank(1001, at, Fraction(1), NONE).sample(one(counts)[np.zeros(many, np.intp)], SYSTEM)
    low, middle, high = drawn.reshape(3, 3, many)[:, 0]
    assert (middle == 500).all()
    assert abs(low - 160).mean() < 12
    assert abs(high - 840).mean() < 12
    assert (low <= middle).all()
    assert (middle <= high).all()


def test_the_error_of_the_ranks_is_within_what_is_said():
    """Of people who share values in some bins and leave many empty: each quantile by itself."""
    rng = np.random.default_rng(3)
    at, many = (Fraction(1, 10), Fraction(3, 10), HALF, Fraction(4, 5)), cases(300, 2000)
    cut = CutByRank(200, at, Fraction(1), NONE)
    for spread in (20, 200):
        counts = np.bincount(rng.integers(0, spread, 150) * (200 // spread), minlength=200)
        up_to = np.cumsum(counts)
        drawn = cut.sample(one(counts)[np.zeros(many, np.intp)], SYSTEM).reshape(len(at), 3, many)[:, 0]
        for q, bins in zip(at, drawn, strict=True):
            asked = float(q) * 150
            errors = np.maximum(up_to[bins] - counts[bins] - asked, asked - up_to[bins])
            assert (errors > cut.noise.radius(Fraction(1, 20))).mean() <= 0.05


def test_without_intervals_a_few_quantiles_are_chosen_and_many_are_read_from_a_tree():
    laws = {}
    for many in (1, 2, 3, 5, 9, 29):
        asked = Quantile("amount", *(Fraction(i + 1, many + 1) for i in range(many)), low=0, high=1000, ends=0)
        laws[many] = table([]).explain(asked, epsilon=1)[1].noise
    assert laws == dict.fromkeys((1, 2, 3, 5, 9), "laplace-on-ranks") | {29: "laplace"}
