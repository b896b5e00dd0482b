"""Cuts by rank: what is drawn has the law, by floats where they are sure and by enclosures where they are not."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from coin_tree import ScriptedCoins, StreamCoins
from tiers import cases

from discreet.coins import SYSTEM
from discreet.reals import enclosures, exp, float_down, total
from discreet.samplers.one import rank_of
from discreet.tables import cuts as module
from discreet.tables.cuts import Cuts

SCALES = [Fraction(1, 10**6), Fraction(1, 3), Fraction(2), Fraction(1999, 7), Fraction(10**9), Fraction(10**30)]


class Words:
    """Coins that begin with given words, and go on with a stream; what is asked for beyond is counted."""

    def __init__(self, words):
        self.given, self.more, self.asked = np.array(words, np.uint64), StreamCoins(), 0

    def words(self, n):
        taken, self.given = self.given[:n], self.given[n:]
        assert len(taken) == n
        return taken

    def bits(self, n):
        self.asked += 1
        return self.more.bits(n)


def naive(ranks, scale, positive, v):
    """The bin by the definition, in exact enclosures: of cuts with odds at most the noise, how many there are.

    Powers beyond exp(1000) are as good as that: no sum of these few, over another, is then near any word.
    """
    powers = [min(max(int(rank) / scale, Fraction(-1000)), Fraction(1000)) for rank in ranks]
    up, down = ([exp(sign * power) for power in powers] for sign in (1, -1))
    odds = [total(up[: i + 1]) / total(down[i:]) for i in range(len(ranks))]
    noise = 1 / v if positive else v
    return sum(enclosures([each], 200)[0][1] < noise for each in odds)


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_what_is_drawn_is_what_the_definition_says_for_given_words(scale):
    """Ranks from none to far beyond all floats, words from the least to the greatest."""
    rng = np.random.default_rng(1)
    for spread in (0, 1, 40, 10**4, 10**12, 1 << 56):
        ranks = np.sort(rng.integers(-spread, spread + 1, (6, 9)), axis=1)
        words = rng.integers(0, 1 << 63, 6, dtype=np.uint64) * np.uint64(2) + rng.integers(0, 2, 6, dtype=np.uint64)
        words[:2] = (5 << 20, (1 << 64) - 1)
        drawn = Cuts.all(ranks).draw(scale, Words(words))
        for row, word, bin_ in zip(ranks, words.tolist(), drawn, strict=True):
            assert bin_ == naive(row, scale, word & 1, Fraction((word >> 1) * 2 + 1, 1 << 64))


@pytest.mark.parametrize("word", [0, 1])
def test_a_word_of_zeros_goes_on_with_further_words(word):
    """The odds of the second cut are less than all that a first word tells from 0."""
    coins = Words([word])
    ranks = np.array([[-70, -50]]) if word == 0 else np.array([[50, 70]])
    bin_ = Cuts.all(ranks).draw(Fraction(1), coins)
    assert coins.asked > 0
    assert bin_ in ([0, 1, 2])


def test_without_floats_the_same_is_drawn(monkeypatch):
    """All cuts are settled by enclosures; the words are the same, and so is what they draw."""
    rng = np.random.default_rng(2)
    ranks = np.sort(rng.integers(-30, 30, (40, 12)), axis=1)
    words = rng.integers(0, 1 << 64, 40, dtype=np.uint64)
    by_floats = Cuts.all(ranks).draw(Fraction(3), Words(words))
    monkeypatch.setattr(module, "_SLACK", float("inf"))
    with np.errstate(invalid="ignore"):
        exactly = Cuts.all(ranks).draw(Fraction(3), Words(words))
    assert exactly.tolist() == by_floats.tolist()
    assert len(set(by_floats.tolist())) > 3


@pytest.mark.parametrize("scale", SCALES, ids=str)
def test_powers_are_close_or_beyond_where_floats_are_sure_of_nothing(scale):
    rng = np.random.default_rng(3)
    far = [int(x * scale) for x in (0, 1, 40, 149, 150, 299, 300, 301, 10**4)] + rng.integers(0, 1 << 61, 9).tolist()
    ranks = np.array([rank for rank in far if rank < 1 << 62] + [1, 2, 255, 256, 257, 65535, 65536])
    for sign in (1, -1):
        found = module._powers(sign * ranks, scale)
        for rank, power in zip(ranks.tolist(), found.tolist(), strict=True):
            if rank <= 300 * scale:
                assert power == pytest.approx(float_down(exp(Fraction(sign * rank) / scale)), rel=2.0**-45)
            else:
                assert 0 < min(power, 1 / power) <= 1.01 * np.exp(-300)


@pytest.mark.usefixtures("given_coins")
def test_the_draws_have_the_law_between_their_bounds():
    """By a chi-squared test, which a noise of half the size fails."""
    ranks, many = np.array([-9, -4, -4, 0, 1, 7]), cases(4000, 40000)
    for first, last in itertools.combinations(range(7), 2):
        group = Cuts(np.tile(ranks, (many, 1)), np.full(many, first), np.full(many, last))
        drawn = np.bincount(group.draw(Fraction(4), SYSTEM), minlength=7)
        for scale, fits in ((Fraction(4), True), (Fraction(1), last - first < 2 and first > 4)):
            law = group.law(0, scale)
            assert sorted(law) == list(range(first, last + 1))
            expected = np.array([many * float(enclosures([law[i]], 64)[0][0]) if i in law else 0 for i in range(7)])
            seen = expected > 5
            chi = ((drawn[seen] - expected[seen]) ** 2 / expected[seen]).sum()
            assert (chi < 30) >= fits
            assert drawn[:first].sum() == drawn[last + 1 :].sum() == 0


def test_bounds_that_are_the_same_bin_leave_nothing_to_draw():
    group = Cuts(np.array([[-3, 0, 5]] * 4), np.arange(4), np.arange(4))
    assert group.draw(Fraction(1), SYSTEM).tolist() == [0, 1, 2, 3]
    assert group.law(2, Fraction(1)) == {2: 1}


def test_one_bin_has_no_cuts():
    assert Cuts.all(np.empty((3, 0), np.int64)).draw(Fraction(1), SYSTEM).tolist() == [0, 0, 0]


def test_a_rank_among_numbers_is_settled_by_one_uniform_for_all():
    numbers = [Fraction(1, 3), exp(Fraction(-1)), exp(Fraction(-1, 2))]
    assert [rank_of(numbers, prefix, 3, SYSTEM) for prefix in (0, 1, 3, 5, 7)] == [0, 0, 2, 3, 3]
    for word, rank in ((0, 0), ((1 << 64) - 1, 1)):  # 1/3, as far as 32 bits go: the next ones tell.
        assert rank_of(numbers, 0x55555555, 32, ScriptedCoins(word, 64)) == rank
