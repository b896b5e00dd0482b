"""The samplers' real laws, by enumeration of every word, by enclosure, and last by statistics."""

import ast
from fractions import Fraction
from functools import lru_cache
from itertools import product
from pathlib import Path

import gmpy2
import numpy as np
import pytest
from coin_tree import ArrayCoins, Exhausted, OneCellCoins, ScriptedCoins, law_by_counting
from scipy import stats
from tiers import ALL, cases, each

import discreet.samplers
from discreet.coins import SYSTEM
from discreet.errors import KindError, ParameterError
from discreet.reals import ScaledLog, exp, floor_bits, maximum
from discreet.samplers import (
    Table,
    add_exactly,
    below,
    below_many,
    bernoulli,
    bernoulli_many,
    categorical,
    categorical_many,
    cks20,
    discrete_laplace,
    discrete_laplace_many,
    geometric,
    geometric_many,
    many,
    tables,
)
from discreet.samplers.cks20 import bernoulli_exp, discrete_laplace_cks20
from discreet.samplers.one import integer_weights

SAMPLERS = Path(discreet.samplers.__file__).parent


def first_layer(a, d):
    """What bernoulli(a/d) makes of each 8-bit word; None where it asks for more."""
    answers = []
    for w in range(256):
        try:
            answers.append(bernoulli(Fraction(a, d), ScriptedCoins(w, 8), word=8))
        except Exhausted:
            answers.append(None)
    return answers


def test_bernoulli_has_exactly_its_law_for_all_fractions_to_64ths():
    # The states of an undecided draw are the fractions a'/d again. If each state's first layer has mass
    # a/d, with what its ties pass on, and every tie continues as the state that it passes to, then
    # x_a = a/d solves the equations of the process; they are a contraction, so nothing else does.
    layers = {(a, d): first_layer(a, d) for d in range(1, 65) for a in range(d + 1)}
    for (a, d), answers in layers.items():
        ties = [w for w, answer in enumerate(answers) if answer is None]
        passed = {w: 256 * a - w * d for w in ties}
        assert all(0 < rest < d for rest in passed.values())
        assert answers.count(True) + sum(Fraction(rest, d) for rest in passed.values()) == Fraction(256 * a, d)
        for w, rest in passed.items():
            follow_up = layers[rest, d]
            for v in range(0, 256, 37):  # A sample of second words; every (rest, d) is enumerated in full above.
                try:
                    answer = bernoulli(Fraction(a, d), ScriptedCoins(w << 8 | v, 16), word=8)
                except Exhausted:
                    answer = None
                assert answer == follow_up[v]


@pytest.mark.parametrize("p", each([Fraction(1, 3), Fraction(1), Fraction(3, 8), Fraction(0), Fraction(255, 256)], 2))
def test_constant_words_draw_17_words_whatever_the_outcome(p):
    counts = {True: 0, False: 0, None: 0}
    for value in range(1 << 17):  # Words of one bit, so that all 17-word scripts can be enumerated.
        coins = ScriptedCoins(value, 17)
        try:
            counts[bernoulli(p, coins, constant_words=True, word=1)] += 1
        except Exhausted:
            counts[None] += 1
        assert coins.length == 0
    assert counts[True] == floor_bits(p, 17)
    assert counts[None] == (0 if p.denominator & (p.denominator - 1) == 0 else 1)


@pytest.mark.parametrize("p", [Fraction(0), Fraction(1), Fraction(3, 10), Fraction(1, 2), Fraction(1, 1000)])
def test_constant_words_arrays_agree_with_single_draws(p):
    rng = np.random.default_rng(1)
    words = rng.integers(0, 2**64, (500, 17), np.uint64)
    floor = floor_bits(p, 17 * 64)
    words[0] = [floor >> 64 * (16 - j) & (2**64 - 1) for j in range(17)]  # A tie, or the first word past it.
    words[1:17] = words[0]
    for j in range(16):
        words[j + 1, j] ^= np.uint64(1)
    many_answers = bernoulli_many(p, 500, _NoTie(words), constant_words=True)
    one_answers = [bernoulli(p, _NoTie(row), constant_words=True) for row in ([int(w) for w in row] for row in words)]
    assert many_answers.tolist() == one_answers


class _NoTie:
    """Given words; a tie goes on with ones, so U is as large as it can be."""

    def __init__(self, words):
        self.given = words

    def words(self, n):
        return self.given.reshape(-1).view(np.uint64)

    def bits(self, n):
        if self.given is not None and n == 17 * 64:
            value = 0
            for w in self.given:
                value = value << 64 | w
            return value
        return (1 << n) - 1


@pytest.mark.parametrize("a_d", [(a, d) for d in (1, 2, 3, 5, 7, 10, 64) for a in each(range(d + 1), 1 + d // 10)])
def test_bernoulli_arrays_follow_single_draws_word_by_word(a_d):
    p = Fraction(*a_d)

    def one_of_many(coins):
        return bool(bernoulli_many(p, 1, coins, word=8)[0])

    assert law_by_counting(one_of_many_coins(one_of_many), 8, 2) == law_by_counting(
        lambda coins: bernoulli(p, coins, word=8), 8, 2
    )


def one_of_many_coins(draw):
    """Let law_by_counting script a draw from an array."""
    return lambda coins: draw(OneCellCoins(coins.value, coins.length))


def test_bernoulli_arrays_of_all_bytes_have_exact_counts():
    cells = np.arange(256, dtype=np.uint8)
    for p in (Fraction(3, 10), Fraction(1, 256), Fraction(255, 256), Fraction(1, 2), exp(Fraction(-1))):
        truths = Fraction(0)
        for v in range(256):  # The second word decides to 16 bits; its last byte is not looked at.
            try:
                drawn = bernoulli_many(p, 256, ArrayCoins(cells, np.uint16([v << 8 | 0xFF])), word=16)
                truths += int(drawn.sum())
            except Exhausted:
                drawn = bernoulli_many(p, 256, _TieIsFalse(cells, np.uint16([v << 8])), word=16)
                truths += int(drawn.sum())
        assert truths == floor_bits(p, 16)


class _TieIsFalse(ArrayCoins):
    def bits(self, n):
        return (1 << n) - 1


class _GoesOn(ArrayCoins):
    """Arrays that are given; then single draws that all give one number."""

    def __init__(self, word, *arrays):
        super().__init__(*arrays)
        self.word = word

    def bits(self, n):
        return self.word


class _Asked(ArrayCoins):
    """Arrays that are given, else the system's coins; remembers how many words each call asks for."""

    def __init__(self, *arrays):
        super().__init__(*arrays)
        self.asked = []

    def words(self, n):
        self.asked.append(n)
        return super().words(n) if self.arrays else SYSTEM.words(n)

    def bits(self, n):
        return SYSTEM.bits(n)


@pytest.mark.parametrize(
    ("p", "word", "open_cells"),
    [
        (Fraction(1, 3), 16, [85]),
        (Fraction(1, 2) - Fraction(1, 2**17), 16, [127]),  # The cell at 128 is not open, though an end touches it.
        (exp(Fraction(-200)) + Fraction(1, 2), 8, [127, 128]),
    ],
    ids=["inside", "edge", "between"],
)
def test_an_array_asks_for_more_words_only_where_the_byte_leaves_it_open(p, word, open_cells):
    others = [c for c in (3, 126, 129, 200, 128, 127) if c not in open_cells] * 8
    coins = _Asked(np.uint8(open_cells + others))
    drawn = bernoulli_many(p, len(open_cells + others), coins, word=word)
    assert drawn.dtype == np.bool_
    assert drawn[len(open_cells) :].tolist() == [c < open_cells[-1] for c in others]
    assert coins.asked == [-(-len(open_cells + others) // 8), 1]


def test_every_draw_of_a_long_array_takes_its_own_coins_once(monkeypatch):
    for module, name in ((many, "_BYTES"), (many, "CHUNK"), (tables, "CHUNK")):
        monkeypatch.setattr(module, name, 64)
    n = 3 * 64 + 5
    for draw, asked in (
        (lambda coins: bernoulli_many(Fraction(1, 2), n, coins), [8, 8, 8, 1]),  # One byte decides.
        (lambda coins: below_many(7, n, coins), [64, 64, 64, 5]),
        (lambda coins: categorical_many([1, 1], n, coins), [16, 16, 16, 2]),  # One cell decides.
        (lambda coins: bernoulli_many(Fraction(1, 3), 20, coins, constant_words=True), [8 * 17, 8 * 17, 4 * 17]),
    ):
        coins = _Asked()
        assert len(set(draw(coins).tolist())) <= 7
        assert coins.asked == asked
    for p in (0, 1):
        assert bernoulli_many(Fraction(p), 100, constant_words=True).tolist() == [bool(p)] * 100


def test_every_digit_is_drawn_once(monkeypatch):
    digits, filled = many.Digits(Fraction(10**6), True), []
    for i, table in enumerate(digits._tables):

        def fill(out, coins, i=i):
            filled.append((i, out.size))
            out[:] = 0
            return tables.NOWHERE, tables.NOWHERE

        monkeypatch.setattr(table, "fill", fill)
    digits.draw(many.CHUNK + 5, SYSTEM)
    assert filled == [(i, size) for size in (many.CHUNK, 5) for i in (2, 0, 1)]


def test_an_array_decides_a_dyadic_of_more_than_one_byte_at_its_edge():
    words = np.arange(256, dtype=np.uint16) << 8
    drawn = bernoulli_many(Fraction(1, 2**12), 256, ArrayCoins(np.zeros(256, np.uint8), words), word=16)
    assert drawn.tolist() == [w < 16 for w in range(256)]


@pytest.mark.parametrize(("word", "at_the_edge"), [(0, True), (1, False)])
def test_an_array_leaves_both_bytes_open_that_a_real_may_lie_between(word, at_the_edge):
    p = exp(Fraction(-200)) + Fraction(1, 2)  # So near 1/2 that a first enclosure reaches below it.
    drawn = bernoulli_many(p, 4, _GoesOn(word, np.uint8([126, 127, 128, 129]), np.uint8([0, 0])), word=8)
    assert drawn.tolist() == [True, True, at_the_edge, False]


@pytest.mark.parametrize(("word", "less"), [(0x54, True), (0x56, False)])
@pytest.mark.parametrize("p", [Fraction(1, 3), exp(Fraction(-1000)) + Fraction(1, 3)], ids=["rational", "real"])
def test_constant_words_go_on_where_all_of_them_tie(p, word, less):
    tie = np.full(24, 0x55, np.uint8)  # The digits of 1/3, of which 17 are looked at.
    assert bernoulli_many(p, 1, _GoesOn(word, tie), constant_words=True, word=8).tolist() == [less]


def test_a_real_that_is_known_exactly_is_not_below_itself():
    p = maximum(exp(Fraction(-1)), Fraction(3, 4))
    assert [bernoulli(p, ScriptedCoins(w, 8), word=8) for w in (191, 192, 193)] == [True, False, False]


@pytest.mark.parametrize("n", [*range(1, 9), *each(range(9, 128), 24), 128, *each([257, 200, 255, 256, 511, 512], 3)])
def test_below_takes_each_value_on_its_own_nth_part(n):
    layers = 1 if n >= 128 else 2
    word = 8 if n < 128 else 16
    decided, undecided = law_by_counting(lambda coins: below(n, coins, word=word), word, layers)
    depth = 8 * layers if n < 128 else 16
    assert set(decided) == set(range(n))
    assert all(Fraction(1, n) - Fraction(2, 2**depth) < mass <= Fraction(1, n) for mass in decided.values())
    assert sum(decided.values()) + undecided == 1
    if n & (n - 1) == 0:
        assert undecided == 0


def test_below_takes_each_script_to_the_floor_of_n_u():
    # The cell of every decided script lies inside its outcome's interval: no mass is misplaced.
    for n in (3, 5, 6, 7, 10, 100):
        todo = [(0, 0)]
        for _ in range(3):
            longer = []
            for value, length in todo:
                for w in range(256):
                    script = (value << 8 | w, length + 8)
                    try:
                        k = below(n, ScriptedCoins(*script), word=8)
                    except Exhausted:
                        longer.append(script)
                    else:
                        assert k << script[1] <= script[0] * n
                        assert (script[0] + 1) * n <= k + 1 << script[1]
            todo = longer


@pytest.mark.parametrize(("n", "words"), [(1, 1), (3, 1), (2**63 - 1, 1), (2**63, 2), (2**64, 2), (2**127, 3)])
def test_below_looks_at_a_word_more_than_n_is_long(n, words):
    for value in (0, (1 << 64 * words) - 1):
        coins = ScriptedCoins(value, 64 * words)
        assert below(n, coins) == (n - 1 if value else 0)
        assert coins.length == 0


@pytest.mark.parametrize(("scale", "words"), [(Fraction(1, 3), 1), (10, 1), (2**63, 2), (10**30, 2), (2**128, 3)])
def test_a_first_look_at_a_logarithm_takes_a_word_more_than_the_scale_is_long(scale, words):
    for draw in (geometric, discrete_laplace):
        drawn = []
        for last in (0, 1):  # The last bit is the sign.
            coins = ScriptedCoins(1 << 64 * words - 4 | last, 64 * words)
            drawn.append(draw(scale, coins))
            assert coins.length == 0
        assert drawn[0] == (-drawn[1] if draw is discrete_laplace else drawn[1])
        assert 2 * scale < drawn[0] + 1 < 4 * scale + 1  # U is 1/16.


class AllThenLast(ArrayCoins):
    """Every word there is, then, for words drawn anew, the last one, which is never rejected."""

    def words(self, n):
        if self.arrays:
            return super().words(n)
        self.anew = n
        return np.full(n, 2**64 - 1, np.uint64)


@pytest.mark.parametrize("word", [8, 16])
def test_below_arrays_count_equal_for_every_n_to_512(word):
    words = np.arange(1 << word, dtype=f"u{word // 8}")
    for n in range(1, min(512, 1 << word) + 1):
        coins = AllThenLast(words)
        drawn = many._below(np.full(1 << word, n, np.uint64), coins, word)
        rejected = words.astype(np.uint64) * np.uint64(n) % np.uint64(1 << word) < (1 << word) % n
        assert np.bincount(drawn[~rejected].astype(np.int64)).tolist() == [(1 << word) // n] * n
        assert (drawn[rejected] == n - 1).all()
        assert getattr(coins, "anew", 0) == -(-int(rejected.sum()) * word // 64)


def test_below_arrays_multiply_whole_words():
    rng = np.random.default_rng(2)
    a, b = rng.integers(0, 2**64, (2, 20_000), np.uint64)
    a[:4], b[:4] = 2**64 - 1, [2**64 - 1, 1, 2**32, 0]
    high, low = many._multiply(a, b, 64)
    assert all(int(x) * int(y) == int(h) << 64 | int(m) for x, y, h, m in zip(a, b, high, low, strict=True))


def test_below_takes_any_n_and_arrays_of_n():
    limits = np.array([[1, 2**62], [2**63, 7]], np.uint64)
    drawn = below_many(limits)
    assert drawn.shape == (2, 2)
    assert drawn.dtype == np.int64
    assert (drawn < limits).all()
    assert (drawn >= 0).all()
    assert 0 <= below_many(10**30, 3).max() < 10**30
    assert below_many(np.array([], np.int64)).size == 0
    assert 0 <= below(2**64) < 2**64
    for wrong in (0, -1, np.array([1, 0])):
        with pytest.raises(ParameterError):
            below_many(wrong, 1) if isinstance(wrong, int) else below_many(wrong)
    for wrong in (0, -1):
        with pytest.raises(ParameterError):
            below(wrong)
    with pytest.raises(KindError):
        below_many(np.array([1.5]))


def test_below_arrays_draw_a_rejected_word_anew():
    coins = ArrayCoins(np.uint64([0, 2**64 - 1]), np.uint64([2**64 - 1]))  # 2**64 mod 3 is 1: of all words, 0 goes.
    assert below_many(3, 2, coins).tolist() == [2, 2]


@pytest.mark.parametrize("limits", [[2**63 + 1, 2**63 + 1], [1, 2**64 - 1], [2**64 - 1, 1]])
def test_past_2_to_the_63_an_array_is_of_python_ints_from_the_coins_given(limits):
    for all_bits, expected in ((0, [0, 0]), (-1, [n - 1 for n in limits])):
        coins = ArrayCoins()
        coins.bits = lambda n, all_bits=all_bits: all_bits & (1 << n) - 1
        drawn = below_many(np.array(limits, np.uint64), coins=coins)
        assert drawn.dtype == object
        assert drawn.tolist() == expected


WEIGHTS = [
    [1],
    [1, 1],
    [1, 2, 3],
    [0, 5, 0, 1],
    [Fraction(1, 3), Fraction(1, 7), Fraction(2, 5)],
    [1, 10**6],
    [1] * 300,
]


@pytest.mark.parametrize("weights", WEIGHTS[:-2])
def test_categorical_has_exactly_its_law(weights):
    total = sum(weights)
    decided, undecided = law_by_counting(lambda coins: categorical(weights, coins, word=8), 8, 3)
    for i, weight in enumerate(weights):
        mass = decided.get(i, Fraction(0))
        assert mass <= Fraction(weight, 1) / total <= mass + undecided
    assert sum(decided.values()) + undecided == 1
    assert undecided <= Fraction(sum(integer_weights(weights)), 2**24)


@pytest.fixture
def quick_ends(monkeypatch):
    """Remember the enclosures of a table's law, so that its whole tree of coins can be walked."""
    real = tables.enclose_bits
    kept = {}

    def remembered(law, bits):
        return kept.setdefault((id(law), bits), real(law, bits))

    monkeypatch.setattr(tables, "enclose_bits", remembered)


def table_law(table, layers):
    def draw(coins):
        return int(table.draw(1, OneCellCoins(coins.value, coins.length))[0])

    return law_by_counting(draw, 8, layers)


@pytest.mark.usefixtures("quick_ends")
@pytest.mark.parametrize("weights", WEIGHTS[:-1])
def test_tables_have_exactly_their_law(weights):
    total = Fraction(sum(weights))
    table = many.categorical_table(weights, cell=8, word=8)
    decided, undecided = table_law(table, 4)
    for i, weight in enumerate(weights):
        mass = decided.get(i, Fraction(0))
        assert mass <= weight / total <= mass + undecided
    assert sum(decided.values()) + undecided == 1
    assert undecided <= Fraction(len(weights), 2**32)


def test_tables_count_exactly_on_all_16_bit_words():
    # The shipped sizes are 16-bit cells and 64-bit words; here all 2**16 cells are drawn at once.
    cells = np.arange(1 << 16, dtype=np.uint16)
    middle = np.full(1 << 15, 2**63, np.uint64)
    for weights in ([1, 2, 3], [1] * 300, [1, 10**6]):
        table = many.categorical_table(weights)
        low = table.draw(1 << 15, ArrayCoins(cells[: 1 << 15], middle))
        high = table.draw(1 << 15, ArrayCoins(cells[1 << 15 :], middle))
        counts = np.bincount(np.concatenate([low, high]), minlength=len(weights))
        for count, weight in zip(counts, weights, strict=True):
            # An outcome has its whole cells and at most one unit more or less from the leftovers.
            assert abs(count - Fraction(weight, sum(weights)) * 2**16) <= 1


def test_a_table_whose_cells_are_all_open_compares_whole_words():
    # Ends on both sides of 2**63, and no cell settled: each end must be right to the last bits.
    table = many.categorical_table([1] * 300, cell=8)
    for i in range(1, 300):
        for prefix in ((i << 64) // 300 - 2, (i << 64) // 300 + 2):
            coins = ArrayCoins(np.uint8([prefix >> 56]), np.uint64([(prefix & 2**56 - 1) << 8]))
            assert table.draw(1, coins).tolist() == [prefix * 300 >> 64]


def test_a_table_holds_integers_of_64_bits_and_says_what_is_left_open():
    table = Table([Fraction(1)], [2**60 + 1])
    out = np.zeros(3, np.int64)
    for places in table.fill(out, SYSTEM):
        assert places.dtype == np.intp
        assert places.size == 0
    assert out.tolist() == [2**60 + 1] * 3


def test_a_probability_that_may_seem_negative_has_no_whole_cells():
    p = exp(Fraction(-500)) + 1 - 1  # A first enclosure reaches below 0.
    table = Table([p, 1 - p], [7, 9])
    assert table.draw(2, ArrayCoins(np.uint16([2**16 - 1, 0]), np.uint64([2**63]))).tolist() == [9, 9]


def test_the_sizes_of_cells_and_words_are_handed_on():
    coins = _Asked()
    categorical_many([1] * 300, 64, coins, cell=8, word=16)  # Every cell is open.
    assert coins.asked == [8, 16]
    discrete_laplace_many(1000, 0, private_size=True, cell=8, word=16)
    for table in many._KEPT[1000, 1, True, 8, 16]._tables:
        assert (table._cell, table._word) == (8, 16)
    for draw, one in ((geometric_many, geometric), (discrete_laplace_many, discrete_laplace)):
        assert draw(10, 1, ScriptedCoins(0x80, 8), word=8).tolist() == [one(10, ScriptedCoins(0x80, 8), word=8)]


def true_law(scale, signed, k):
    """An enclosure of the probability of k, from MPFR."""
    ends = []
    for rounding in (gmpy2.RoundDown, gmpy2.RoundUp):
        with gmpy2.context(precision=400, round=gmpy2.RoundToNearest):
            q = gmpy2.exp(-1 / gmpy2.mpfr(gmpy2.mpq(scale)))
            power = gmpy2.exp(-abs(k) / gmpy2.mpfr(gmpy2.mpq(scale)))
            p = (1 - q) / (1 + q) * power if signed else (1 - q) * power
            slack = p * gmpy2.mpfr(2) ** -380
            ends.append(p - slack if rounding == gmpy2.RoundDown else p + slack)
    return tuple(Fraction(*map(int, end.as_integer_ratio())) for end in ends)


@pytest.fixture
def quick_logs(monkeypatch):
    """Remember what each prefix decides, so that the tree of coins is walked from its root in no time."""
    monkeypatch.setattr(ScaledLog, "decide", lru_cache(maxsize=None)(ScaledLog.decide))


@pytest.mark.usefixtures("quick_logs")
@pytest.mark.parametrize(
    ("scale", "signed", "layers"),
    [(Fraction(1, 3), False, 5), (Fraction(1, 3), True, 14 if ALL else 5)]
    + [
        (scale, signed, 4)
        for scale, signed in each(product((Fraction(1), Fraction(5, 2), Fraction(10)), (False, True)), 3)
    ],
)
def test_single_draws_have_exactly_their_law(scale, signed, layers):
    draw = discrete_laplace if signed else geometric
    decided, undecided = law_by_counting(lambda coins: draw(scale, coins, word=8), 8, layers)
    assert undecided < (Fraction(1, 2**100) if layers == 14 else Fraction(1, 2**20))
    for k, mass in decided.items():
        low, high = true_law(scale, signed, k)
        assert mass <= high
        assert low <= mass + undecided
    assert len(decided) > 8
    assert sum(decided.values()) + undecided == 1


@pytest.mark.usefixtures("quick_ends")
@pytest.mark.parametrize(("signed", "layers"), [(False, 4), pytest.param(True, 14, marks=pytest.mark.deep)])
def test_digits_compose_to_exactly_the_law(signed, layers, monkeypatch):
    # Small digits, so that every table's tree of coins can be walked until less than 2**-100 is undecided.
    monkeypatch.setattr(many, "_TOP_SCALE", 1)
    monkeypatch.setattr(many, "_DIGIT_BITS", 2)
    monkeypatch.setattr(many, "_TOP_SPAN", 6)
    scale = Fraction(10)
    digits = many.Digits(scale, signed, cell=8, word=8)
    laws = [table_law(table, layers) for table in digits._tables]
    assert len(laws) == 3
    assert all(undecided < Fraction(1, 2 ** (101 if layers == 14 else 22)) for _, undecided in laws)
    slack = sum(undecided for _, undecided in laws)
    composed = {}
    for outcomes in product(*(law.items() for law, _ in laws)):
        z, mass = 0, Fraction(1)
        for value, p in outcomes:
            z, mass = z ^ value, mass * p
        composed[z] = composed.get(z, Fraction(0)) + mass
    beyond = digits._span << digits._shift
    assert sum(composed.values()) >= 1 - slack
    for z, mass in composed.items():
        if (z if z >= 0 else ~z) < beyond:  # A draw beyond the table's span goes on from there, below.
            low, high = true_law(scale, signed, z)
            assert mass <= high
            assert low <= mass + slack
    rest = sum(mass for z, mass in composed.items() if (z if z >= 0 else ~z) >= beyond)
    assert abs(rest - true_tail(scale, beyond)) <= slack + Fraction(1, 2**300)


@pytest.mark.parametrize(
    ("scale", "count"),
    [(Fraction(1, 7), 1), (64, 1), (65, 2), (128, 2), (129, 2), (1000, 2), (2**22, 3), (2**23, 4), (2**54 - 1, 7)],
)
def test_digits_have_at_most_8_bits_and_the_top_digit_a_scale_of_at_most_64(scale, count):
    digits = many.Digits(Fraction(scale), False)
    assert digits._rest[0].scale == Fraction(scale, 1 << digits._shift) <= 64
    assert digits._rest[0].scale > 32 or digits._shift == 0
    assert digits._span - 1 < 16 * digits._rest[0].scale <= digits._span
    assert len(digits._tables) == count
    assert all(len(table._law) <= 256 for table in digits._tables[:-1])


def true_tail(scale, k):
    with gmpy2.context(precision=400):
        return Fraction(*map(int, gmpy2.exp(-k / gmpy2.mpfr(gmpy2.mpq(scale))).as_integer_ratio()))


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(10), Fraction(1000), Fraction(10**6)])
@pytest.mark.parametrize("signed", [False, True])
def test_a_draw_past_the_span_goes_on_where_the_table_ends(scale, signed, monkeypatch):
    digits = many.Digits(scale, signed)
    span, shift = digits._span, digits._shift
    assert not any(table._whole[i] for table in digits._tables[-1:] for i in range(digits._beyond, len(table._law)))
    for extra in (0, 1, 12345, 2**70):
        monkeypatch.setattr(many, "floor_log", lambda *_, extra=extra: (extra, 0))
        for rest in {0, (1 << shift) - 1}:
            whole = span << shift | rest
            assert digits._go_on(whole, SYSTEM) == (span + extra) << shift | rest
            assert digits._go_on(~whole, SYSTEM) == ~((span + extra) << shift | rest)


@pytest.mark.parametrize("signed", [False, True])
def test_a_draw_is_the_xor_of_all_its_digits(signed, monkeypatch):
    digits = many.Digits(Fraction(10**6), signed)
    values = [0b1010 ^ -signed, 0b0110 << 7, 0b11 << 14]
    assert len(digits._tables) == len(values)
    for table, value in zip(digits._tables, values, strict=True):

        def fill(out, coins, value=value):
            out[:] = value
            return tables.NOWHERE, tables.NOWHERE

        monkeypatch.setattr(table, "fill", fill)
    n = many.CHUNK + 1
    assert digits.draw(n, SYSTEM).tolist() == [values[0] ^ values[1] ^ values[2]] * n


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(64), Fraction(65), Fraction(1000)])
@pytest.mark.parametrize("signed", [False, True])
def test_every_draw_past_the_span_goes_on_and_no_other(scale, signed, monkeypatch):
    digits = many.Digits(scale, signed)
    top = digits._tables[-1]
    monkeypatch.setattr(digits, "_go_on", lambda draw, coins: 2**70)
    for i, value in list(enumerate(top._values.tolist()))[-6:]:

        def fill(out, coins, i=i, value=value):
            out[:] = value
            return np.array([0]), np.array([i])

        monkeypatch.setattr(top, "fill", fill)
        past = (value if value >= 0 else ~value) >= digits._span << digits._shift
        assert (digits.draw(1, SYSTEM)[0] == 2**70) == past


def test_a_draw_that_does_not_fit_int64_is_never_wrapped(monkeypatch):
    digits = many.Digits(Fraction(1), True)
    monkeypatch.setattr(many, "floor_log", lambda *_: (2**70, 0))
    top = (1 << 16) - 1  # The last cell is the last leftover: beyond, complemented.
    drawn = digits.draw(3, ArrayCoins(np.uint16([0, top, 5]), np.uint64([2**64 - 1])))
    assert drawn.dtype == object
    assert drawn[1] == ~(digits._span + 2**70)
    assert abs(drawn[0]) < 100


def test_scales_from_tiny_to_huge():
    for draw in (geometric, discrete_laplace):
        assert draw(0) == draw(Fraction(1, 10**300)) == 0
        assert isinstance(draw(Fraction(10**300)), int)
    for draw in (geometric_many, discrete_laplace_many):
        assert draw(0, 3).tolist() == [0, 0, 0]
        assert not draw(Fraction(1, 10**300), 10_000).any()
        for scale in (2**54, 10**30, 10**300):
            drawn = draw(scale, 200)
            assert drawn.dtype == object
            # Pr[|Z| > 60 scale] < 1e-25, and Pr[|Z| < scale / 10**27] < 1e-26.
            assert all(scale // 10**27 < abs(z) < 60 * scale for z in drawn)
        for scale in (2**54 - 1, 10**15, 10**9):
            drawn = draw(scale, 5000)
            assert drawn.dtype == np.int64
            assert 0.5 * scale < np.abs(drawn).mean() < 2 * scale
        assert draw(5, 0).size == 0
        with pytest.raises(ParameterError):
            draw(-1, 3)
    for wrong in (Fraction(-1, 2), -3):
        with pytest.raises(ParameterError):
            discrete_laplace(wrong)
        with pytest.raises(ParameterError):
            geometric(wrong)


@pytest.mark.parametrize("draw", [geometric_many, discrete_laplace_many])
def test_the_scale_decides_alike_for_few_draws_and_for_many(draw):
    for n in (0, 3, 5000):
        assert draw(0, n).tolist() == [0] * n
        assert draw(2**54, n).dtype == object
        assert draw(2**54 - 1, n).dtype == np.int64
        with pytest.raises(ParameterError):
            draw(-1, n)


def test_draws_are_added_to_integers_of_every_type():
    def none(n):
        return np.zeros(n, np.int64)

    for kind in (np.int8, np.int64, np.uint8, np.uint64, object):
        assert add_exactly(np.array([1, 2], kind), none).tolist() == [1, 2]
        assert add_exactly(np.array([], kind), none).size == 0
        assert add_exactly(np.array([0], kind), lambda n: discrete_laplace_many(2**54, n)).shape == (1,)
    assert add_exactly([1, 2], none).dtype == np.int64
    assert add_exactly(np.array([2**63], np.uint64), none).tolist() == [2**63]
    assert add_exactly(np.array([2**63 - 1], np.uint64), none).dtype == np.int64
    assert add_exactly(np.array([-(2**70), 1], object), none).tolist() == [-(2**70), 1]


@pytest.mark.parametrize(
    ("value", "noise", "kind"),
    [
        (2**63 - 1, 1, object),
        (2**63 - 2, 1, np.int64),
        (-(2**63), -1, object),
        (1 - 2**63, -1, np.int64),
    ],
)
def test_a_sum_is_exact_at_both_ends_of_int64(value, noise, kind):
    for values in ([value], [value, 0]):
        noisy = add_exactly(np.array(values), lambda n: np.full(n, noise, np.int64))
        assert noisy.tolist() == [x + noise for x in values]
        assert noisy.dtype == kind


@pytest.mark.parametrize(("value", "noise"), [(2**63 - 1, [1, -5]), (-(2**63), [-1, 5])])
def test_a_sum_is_exact_where_the_noise_has_both_signs(value, noise):
    assert add_exactly(np.array([value, 0]), lambda _: np.array(noise)).tolist() == [value + noise[0], noise[1]]
    assert add_exactly(np.array([0, 2**63], np.uint64), lambda _: np.array(noise)).tolist() == [
        noise[0],
        2**63 + noise[1],
    ]


def test_a_single_draw_and_a_short_array_build_no_tables(monkeypatch):
    monkeypatch.setattr(many, "Digits", None)
    discrete_laplace(Fraction(987, 654))
    assert discrete_laplace_many(Fraction(987, 653), 100).dtype == np.int64


@pytest.mark.parametrize(("one", "as_array"), [(geometric, geometric_many), (discrete_laplace, discrete_laplace_many)])
def test_a_short_array_is_single_draws(one, as_array):
    for word in (2**50, 2**50 + 1, 2**63, 2**63 + 1):  # The last bit is the sign.
        assert as_array(Fraction(321, 7), 3, _GoesOn(word)).tolist() == [one(Fraction(321, 7), _GoesOn(word))] * 3


def test_an_array_is_patched_at_both_ends_of_int64():
    for values, kind in (
        ([], np.int64),
        ([2**63 - 1, -(2**63)], np.int64),
        ([2**63, 1], object),
        ([1, -(2**63) - 1], object),
    ):
        patched = many.patched(np.array([5, 6]), dict(enumerate(values)))
        assert patched.tolist() == [*values, *[5, 6][len(values) :]]
        assert patched.dtype == kind


def test_tables_are_kept_for_a_few_laws_only(monkeypatch):
    kept = {}
    monkeypatch.setattr(many, "_KEPT", kept)
    monkeypatch.setattr(many, "_ROOM", 2)
    made = [many.kept((k,), True, object) for k in range(1, 6)]
    assert len(set(made)) == 5
    assert list(kept.values()) == made[-2:]
    for build in (False, True):
        assert [many.kept((k,), build, object) for k in (4, 5)] == made[-2:]
    assert many.kept((1,), False, object) is None
    assert list(kept.values()) == made[-2:]


def test_tables_are_made_for_a_call_that_is_worth_them_and_used_from_then_on(monkeypatch):
    kept, enough = {}, many._WORTH_TABLES
    monkeypatch.setattr(many, "_KEPT", kept)
    for draw in (geometric_many, discrete_laplace_many):
        for n, made in ((enough - 1, 0), (1, 0), (enough - 1, 0), (enough, 1), (1, 1)):
            draw(Fraction(1, 3), n)
            assert len(kept) == made
        kept.clear()
    discrete_laplace_many(Fraction(1, 3), 0, private_size=True)
    assert len(kept) == 1


def test_bernoulli_takes_reals_and_checks_rationals():
    assert isinstance(bernoulli(exp(Fraction(-1))), bool)
    assert 0.2 < bernoulli_many(exp(Fraction(-1)), 10_000).mean() < 0.5
    decided, undecided = law_by_counting(lambda coins: bernoulli(exp(Fraction(-1)), coins, word=8), 8, 5)
    assert 0 <= exp(Fraction(-1)).enclosure(200)[0] - decided[True] <= undecided == Fraction(1, 2**40)
    for wrong in (Fraction(-1, 2), Fraction(3, 2)):
        with pytest.raises(ParameterError):
            bernoulli(wrong)
        with pytest.raises(ParameterError):
            bernoulli_many(wrong, 3)
    for wrong in ([], [0, 0], [1, -1]):
        with pytest.raises(ParameterError):
            categorical(wrong)
        with pytest.raises(ParameterError):
            categorical_many(wrong, 2)


def test_samplers_contain_no_floating_point():
    for path in SAMPLERS.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            where = f"{path.name}:{getattr(node, 'lineno', '?')}"
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), where
            assert not (isinstance(node, ast.Name) and node.id in {"float", "math", "round"}), where
            assert not (isinstance(node, ast.Attribute) and "float" in node.attr), where
            if isinstance(node, ast.ImportFrom) and node.module == "math":
                assert {alias.name for alias in node.names} <= {"lcm", "gcd", "isqrt"}, where
            if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div):
                # Only Fractions and Reals are divided: the one operand that names a scale or a share is one.
                assert path.name in {"one.py", "many.py", "gaussian.py", "blocks.py"}, where


def bins(scale, pieces=40):
    """Integer cut points that part the law into pieces of about equal probability."""
    x = stats.laplace(scale=float(scale)).ppf(np.arange(1, pieces) / pieces)
    return np.unique(np.round(x).astype(np.int64))


def chi_square(counts, scale, cuts):
    """The p-value of counts between the cuts (-inf, c0], (c0, c1] ... (c_last, inf) under the true law."""
    q = np.exp(-1 / float(scale))
    cdf = np.where(cuts >= 0, 1 - q ** (cuts + 1.0) / (1 + q), q ** (-cuts.astype(float)) / (1 + q))
    p = np.diff(np.concatenate([[0.0], cdf, [1.0]]))
    return stats.chisquare(counts, p * counts.sum()).pvalue


def binned(draws, cuts):
    return np.bincount(np.searchsorted(cuts, draws, side="left"), minlength=len(cuts) + 1)


@pytest.mark.parametrize("scale", each([Fraction(1, 2), Fraction(1), Fraction(1000), Fraction(10), Fraction(10**6)], 2))
def test_ten_million_draws_fit_the_law_and_not_one_half_a_percent_off(scale):
    cuts = bins(scale)
    counts = binned(discrete_laplace_many(scale, 10**7), cuts)
    assert chi_square(counts, scale, cuts) > 1e-9
    assert chi_square(counts, scale * Fraction(201, 200), cuts) < 1e-12  # Once in many runs it is just above 1e-20.


@pytest.mark.parametrize("scale", each([Fraction(7, 3), Fraction(100)], 2))
def test_three_samplers_that_share_little_agree(scale):
    n = cases(10_000, 40_000)
    cuts = bins(scale, 20)
    for draws in (
        [discrete_laplace_cks20(scale) for _ in range(n)],
        [discrete_laplace(scale) for _ in range(n)],
        discrete_laplace_many(scale, n),
    ):
        counts = binned(np.array(draws), cuts)
        assert chi_square(counts, scale, cuts) > 1e-9
        assert chi_square(counts, scale * Fraction(12, 10), cuts) < 1e-20


def test_bernoulli_exp_has_its_law():
    for x in (Fraction(0), Fraction(1, 3), Fraction(1), Fraction(5, 2)):
        n = cases(5000, 20_000)
        successes = sum(bernoulli_exp(x) for _ in range(n))
        assert stats.binomtest(successes, n, float(np.exp(-float(x)))).pvalue > 1e-9


@pytest.mark.parametrize("x", [Fraction(0), Fraction(1, 3), Fraction(2, 3), Fraction(1)])
def test_bernoulli_exp_is_the_parity_of_a_run(x, monkeypatch):
    # Success has probability x/k in the k-th turn, so an even run has 1 - x + x**2/2! - ..., which is exp(-x).
    for run in range(12):
        asked, coins = [], object()

        def below(n, given, asked=asked, coins=coins, run=run):
            assert given is coins
            asked.append(n)
            return x.numerator - (len(asked) <= run)  # The greatest success, then the least failure.

        monkeypatch.setattr(cks20, "below", below)
        assert bernoulli_exp(x, coins) == (run % 2 == 0)
        assert asked == [x.denominator * k for k in range(1, run + 2)]


@pytest.mark.parametrize(
    ("x", "units"),
    [
        (Fraction(0), [0]),
        (Fraction(1), [1]),
        (Fraction(2), [1, 1]),
        (Fraction(4, 3), [1, Fraction(1, 3)]),
        (Fraction(7, 2), [1, 1, 1, Fraction(1, 2)]),
    ],
)
def test_bernoulli_exp_is_a_product_of_units(x, units, monkeypatch):
    for failure in range(len(units) + 1):
        asked, coins = [], object()

        def unit(y, given, asked=asked, coins=coins, failure=failure):
            assert given is coins
            asked.append(y)
            return len(asked) <= failure

        monkeypatch.setattr(cks20, "_bernoulli_exp_unit", unit)
        assert bernoulli_exp(x, coins) is (failure == len(units))
        assert asked == units[: failure + 1]


def test_the_sampler_of_cks20_follows_its_algorithm_step_by_step(monkeypatch):
    # (what below, bernoulli_exp and the sign say, in order; the draw), for scale 5/3.
    for below_says, flips_say, signs_say, drawn in (
        ([4], [1, 0], [0], 1),
        ([4], [1, 0], [1], -1),
        ([2], [1, 0], [0], 0),
        ([2, 3], [1, 0, 1, 0], [1, 1], -1),  # A negative zero is drawn anew.
        ([4, 1], [0, 1, 1, 1, 1, 0], [0], 5),  # So is u, where its own flip fails.
        ([0], [1, 1, 1, 0], [1], -3),
    ):
        u, flips, signs = iter(below_says), iter(flips_say), iter(signs_say)
        x, coins = [], ArrayCoins()
        monkeypatch.setattr(coins, "bits", lambda n, signs=signs: next(signs) if n == 1 else None)

        def below(n, given, u=u, x=x, coins=coins):
            assert (n, given) == (5, coins)
            x.append(next(u))
            return x[-1]

        def flip(y, given, flips=flips, x=x, coins=coins):
            assert (y, given) == (Fraction(x.pop(), 5) if x else 1, coins)
            return bool(next(flips))

        monkeypatch.setattr(cks20, "below", below)
        monkeypatch.setattr(cks20, "bernoulli_exp", flip)
        assert discrete_laplace_cks20(Fraction(5, 3), coins) == drawn
        assert [*u, *flips, *signs] == []
    with pytest.raises(ParameterError, match=r"^scale=-1"):
        discrete_laplace_cks20(-1)
    assert discrete_laplace_cks20(0) == 0


def test_tables_tell_a_tie_from_a_decision():
    # 1/3 owns 21845 cells of 2**16 and 2/3 owns 43690, so the last cell is cut at a third.
    table = Table([Fraction(1, 3), Fraction(2, 3)], [0, 1])
    tie = 2**48 // 3

    def draw(rest):
        return int(table.draw(1, ArrayCoins(np.uint16([2**16 - 1]), np.uint64([rest << 16])))[0])

    assert (draw(0), draw(tie - 1), draw(tie + 1), draw(2**48 - 1)) == (0, 0, 1, 1)
    with pytest.raises(Exhausted):
        draw(tie)
