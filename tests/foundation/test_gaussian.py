"""The discrete Gaussian sampler's real law: by enumeration of every word, by enclosure, and last by statistics."""

from collections import Counter
from fractions import Fraction
from functools import cache

import gmpy2
import numpy as np
import pytest
from coin_tree import ArrayCoins, StreamCoins, law_by_walking
from scipy import stats
from tiers import ALL, each

from discreet.coins import SYSTEM
from discreet.errors import ParameterError
from discreet.samplers import blocks, discrete_gaussian, discrete_gaussian_many, gaussian, many, one, tables
from discreet.samplers.blocks import Blocks

BELOW_ONE = [Fraction(1, 10), Fraction(1, 3), Fraction(9, 10)]
SMALL = [*BELOW_ONE, Fraction(1), Fraction(5, 2), Fraction(4), Fraction(30)]
BLOCKED = [Fraction(128**2), Fraction(300**2 + 1, 3), Fraction(513**2), Fraction(10**6)]
BITS = 40 if ALL else 24
"""How many bits of a draw are walked."""
HUGE = [Fraction((64 << k) ** 2) for k in (7, 8, 15, 16, 31, 32, 47)]


@cache
def curve(variance, x):
    """exp(-x**2 / (2 variance)) to 400 bits, by MPFR."""
    with gmpy2.context(precision=400):
        return Fraction(*map(int, gmpy2.exp(-gmpy2.mpq(x * x) / (2 * gmpy2.mpq(variance))).as_integer_ratio()))


@pytest.fixture
def coarse(monkeypatch):
    """A few blocks of several integers for small variances."""
    monkeypatch.setattr(blocks, "_FINE", 1)
    monkeypatch.setattr(blocks, "_SPAN", 2)


@pytest.mark.parametrize("variance", each(SMALL[:5], 3))
def test_a_trial_of_one_draw_keeps_each_integer_in_proportion(variance, monkeypatch):
    m, laplace, _, geometric = gaussian._logarithms(variance.numerator, variance.denominator, 8)
    # Every word of the two logarithms; what they say is all that a trial depends on.
    logs = [law_by_walking(lambda coins, log=log: one.floor_log(*log, coins, 8), 24) for log in (laplace, geometric)]
    undecided = logs[0][1] + logs[1][1]
    kept = {}
    for first, mass in logs[0][0].items():
        for second, other in logs[1][0].items():
            said = iter([first, second])
            monkeypatch.setattr(gaussian, "floor_log", lambda *_, said=said: next(said))
            try:
                z = discrete_gaussian(variance, word=8)
            except StopIteration:  # A second trial.
                z = None
            kept[z] = kept.get(z, 0) + mass * other
    # A trial gives z with the probability of a discrete Laplace variable times that of being kept.
    with gmpy2.context(precision=400):
        q = gmpy2.exp(-(2 * m + 1) / (2 * gmpy2.mpq(variance)))
        top = (1 - q) / (1 + q) * gmpy2.exp(-m * (m + 1) / (2 * gmpy2.mpq(variance)))
        top = Fraction(*map(int, top.as_integer_ratio()))
    assert undecided < Fraction(1, 2**12)
    assert kept[None] < Fraction(42, 100)
    for z in range(-200, 201):
        mass = kept.pop(z, Fraction(0))
        assert mass <= top * curve(variance, z) <= mass + undecided
    assert set(kept) == {None}


@pytest.mark.parametrize("variance", [Fraction(1, 3), Fraction(5), Fraction(10**6, 7), Fraction(2**41 + 1, 3), 10**40])
def test_a_draw_is_kept_where_a_geometric_variable_reaches_a_triangular_number(variance, monkeypatch):
    num, den = Fraction(variance).as_integer_ratio()
    m, laplace, shift, geometric = gaussian._logarithms(num, den, 64)
    assert m * m < variance <= (m + 1) ** 2
    assert laplace[0].scale == Fraction(2 * num, den * (2 * m + 1))
    assert geometric[0].scale * 2**shift == variance
    assert geometric[0].scale < 2**20
    asked = []

    def reaches(p, coins, *, word):
        asked.append((p, word))
        return len(asked) % 2 == 1

    monkeypatch.setattr(gaussian, "bernoulli", reaches)
    for size in {0, 1, m, m + 1, m + 2, 2 * m, 5 * m + 7}:
        needed = (size - m) * (size - m - 1) // 2
        assert curve_exponent(size, variance) == size / laplace[0].scale + needed / Fraction(variance) + (
            curve_exponent(m, variance) - m / laplace[0].scale
        )
        high, low = divmod(needed, 1 << shift)
        for top, negative, answers in (
            (high + 1, 0, []),
            (high, 1, [True, False] if low else []),
            (high - 1, 0, None),
        ):
            asked.clear()
            for answer in answers or [True]:
                drawn = iter([(size, negative), (top, 0), (m, 1), (10**90, 0)])
                monkeypatch.setattr(gaussian, "floor_log", lambda *_, drawn=drawn: next(drawn))
                kept = answer and answers is not None
                assert discrete_gaussian(variance) == ((size * (-1) ** negative) if kept else -m)
            for p, word in asked:
                assert word == 64
                low_end, high_end = p.enclosure(300)
                exact = digit_reaches(low, 1 << shift, variance)
                assert low_end - exact / 2**200 <= exact <= high_end + exact / 2**200
            assert len(asked) == len(answers or [])


def curve_exponent(x, variance):
    return Fraction(x * x) / (2 * Fraction(variance))


def digit_reaches(low, size, variance):
    """Pr[D >= low] for the truncated geometric law of D below *size*."""
    with gmpy2.context(precision=600):
        q = gmpy2.mpq(Fraction(1) / Fraction(variance))
        p = (gmpy2.exp(-low * q) - gmpy2.exp(-size * q)) / (1 - gmpy2.exp(-size * q))
        return Fraction(*map(int, p.as_integer_ratio()))


@pytest.mark.parametrize("variance", [*SMALL, *BLOCKED, *HUGE], ids=str)
def test_steps_enclose_the_curve_and_own_their_share(variance):
    b = Blocks(variance)
    n, k, end = len(b._low), b._bits, b._end
    points, ends = block_points(b)
    assert [abs(z) for z in b._table._values[:n].tolist()] == [x for x, _ in ends]
    for low, gap, (first, last) in zip(b._low, b._gap, ends, strict=True):
        assert 0 <= curve(variance, last) * 2**64 - low <= 1
        assert 0 <= low + gap - curve(variance, first) * 2**64 <= 1
    assert end >= 5 * gmpy2.isqrt(int(variance)) + 5
    weights = [points * low for low in b._low] + [points * gap for gap in b._gap] + [2 * b._rest]
    assert b._table._law == [Fraction(weight, sum(weights)) for weight in weights]
    assert b._table._values.tolist() == [*b._table._values[:n].tolist()] * 2 + [0]
    assert b._table._whole[n:] == [0] * (n + 1)  # An outcome that has to be looked at owns no cell.
    with gmpy2.context(precision=600):
        ratio = gmpy2.exp(-(2 * end + 1) / (2 * gmpy2.mpq(variance)))
        rest = Fraction(*map(int, (1 / (1 - ratio)).as_integer_ratio())) * curve(variance, end) * 2**64
    assert 0 <= b._rest - rest <= 2
    # What makes it quick: few points are above the lower steps, and few of them near a chord.
    assert b._table._settled > 2**16 * 97 // 100
    slack = sum(gap * int(s) for gap, s in zip(b._gap, (b._below + b._above)[:-1], strict=True))
    assert not k or points * slack <= sum(weights) * 2**61 // 2**14


def block_points(b):
    """How many integers a block has, and the magnitudes at its ends."""
    w = 1 << b._bits
    if b._bits:
        return 2 * w, [(x, x + w) for x in range(0, b._end, w)]
    return 1, [(abs(z), abs(z)) for x in range(b._end) for z in (x, ~x)]


@pytest.mark.parametrize("variance", [*BLOCKED, *HUGE[:2]], ids=str)
def test_the_curve_lies_within_the_slacks_of_each_chord_at_every_point(variance):
    b = Blocks(variance)
    points, ends = block_points(b)
    w = points // 2
    for i, (first, _) in enumerate(ends):
        for x in range(0, w + 1, max(w // 16, 1)):
            share = (curve(variance, first + x) * 2**64 - b._low[i]) / b._gap[i]
            chord = Fraction(w - x, w)
            assert chord - Fraction(int(b._below[i]), 2**61) <= share <= chord + Fraction(int(b._above[i]), 2**61)


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("word", [8, 16])
@pytest.mark.parametrize("variance", [*SMALL, Fraction(1000)])
def test_the_curve_lies_within_the_slacks_of_wide_blocks(variance, word):
    b = Blocks(variance, cell=8, word=word)
    w = 1 << b._bits
    for i, (first, last) in enumerate(block_points(b)[1]):
        for x in range(last - first + 1):
            if b._gap[i]:
                share = (curve(variance, first + x) * 2**word - b._low[i]) / b._gap[i] * 2 ** (word - 3)
                chord = Fraction(w - x, w) * 2 ** (word - 3)
                assert chord - int(b._below[i]) <= share <= chord + int(b._above[i])
            else:
                assert (b._below[i], b._above[i]) == (2 ** (word - 3),) * 2
    assert (b._below[-1], b._above[-1]) == (2 ** (word - 3),) * 2


class Constant:
    """A given array of words, then single draws whose bits are all alike."""

    def __init__(self, words, bit):
        self.given, self.bit = words, bit

    def words(self, n):
        return np.frombuffer(self.given.tobytes() + bytes(-self.given.nbytes % 8), np.uint64)

    def bits(self, n):
        return self.bit * ((1 << n) - 1)


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("variance", each([*SMALL, Fraction(300)], 2))
def test_every_word_keeps_exactly_the_points_under_the_curve(variance):
    b = Blocks(variance, cell=8, word=8)
    words = np.arange(256, dtype=np.uint8)
    for i, (first, last) in enumerate(block_points(b)[1]):
        if not b._gap[i]:
            continue
        start = int(b._table._values[i])
        for z in {s * x for x in range(first, last + 1) for s in (1, -1)} if b._bits else {start}:
            share = (curve(variance, z) * 256 - b._low[i]) / b._gap[i] * 256
            for bit, count in ((0, share.__ceil__()), (1, share.__floor__())):
                places, which, large = np.arange(256), np.full(256, i), {}
                under = b._keep(np.full(256, z), places, which, large, Constant(words, bit))
                assert under.tolist() == [u < count for u in range(256)]
                assert large == {}


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("variance", SMALL)
def test_blocks_part_the_integers_and_their_points_are_equally_likely(variance, monkeypatch):
    b = Blocks(variance, cell=8, word=8)
    n, size = len(b._low), 1 << 8 if b._bits else 1
    every = []
    for i, value in enumerate(b._table._values[: 2 * n].tolist()):

        def fill(out, coins, i=i, value=value):
            out[:] = value
            return np.arange(out.size), np.full(out.size, i)

        monkeypatch.setattr(b._table, "fill", fill)
        out = np.empty(size, np.int64)
        places, which = b._fill(out, ArrayCoins(np.arange(256, dtype=np.uint8)))
        assert (places.tolist(), which.tolist()) == ((list(range(size)), [i - n] * size) if i >= n else ([], []))
        seen, counts = np.unique(out, return_counts=True)
        assert len(seen) == (2 << b._bits if b._bits else 1)
        assert len(set(counts.tolist())) == 1
        every += seen.tolist()
    assert sorted(every) == sorted([*range(-b._end, b._end)] * 2)


@pytest.mark.parametrize("variance", [*BLOCKED, *HUGE], ids=str)
def test_fair_bits_are_the_places_in_a_block_and_the_sign(variance, monkeypatch):
    b = Blocks(variance)
    k, start = b._bits, 3 << b._bits

    def fill(out, coins):
        out[:] = start
        return tables.NOWHERE, tables.NOWHERE

    monkeypatch.setattr(b._table, "fill", fill)
    width = next(bits for bits in (8, 16, 32, 64) if bits > k)
    top = 2 ** (width - 1)
    given = [0, top - 1, top, 2 * top - 1, 1 << width - 1 - k]
    out = np.empty(5, np.int64)
    b._fill(out, ArrayCoins(np.array(given, f"u{width // 8}")))
    last = start + (1 << k) - 1
    assert out.tolist() == [start, last, ~last, ~start, start + 1]


def trial(b, monkeypatch, most):
    """Return the law of a trial by every word of its coins, with None for a draw anew, and what is undecided.

    A trial is a point under the upper steps; for one above a lower step, whether it is kept; and beyond the blocks a
    geometric variable, and whether it is kept. Each of these takes fresh coins, so each is walked by itself, for all
    that the one before may have said, until scripts of *most* bits. No bit is asked for that does not count.
    """
    enclose, known, cells = tables.enclose_bits, {}, []
    monkeypatch.setattr(tables, "enclose_bits", lambda law, bits: known.setdefault(bits, enclose(law, bits)))
    monkeypatch.setattr(
        tables, "fields", lambda coins, n, _: np.array([cells.pop()(8) if cells else 0xFF] * n, np.uint8)
    )

    def point(coins):
        cells[:], out = [coins.bits], np.empty(1, np.int64)
        _, which = b._fill(out, coins)
        return int(out[0]), *which.tolist()

    def kept(z, i, coins):
        large, out = {}, np.array([z])
        return large.get(0, z) if b._keep(out, np.array([0]), np.array([i]), large, coins)[0] else None

    def beyond(said):
        monkeypatch.setattr(blocks, "floor_log", lambda *_: said)
        return law_by_walking(b._beyond, most)

    place = 1 + b._bits
    monkeypatch.setattr(blocks, "fields", lambda coins, n, _: np.array([coins.bits(place) << 8 - place] * n, np.uint8))
    points, undecided = law_by_walking(point, most)
    place = 8
    excesses, left = law_by_walking(lambda coins: one.floor_log(*b._log, coins, 8), most)
    tails = [(mass, *beyond(said)) for said, mass in excesses.items()]
    law = Counter()
    for (z, *which), mass in points.items():
        if not which:
            answers, rest = {z: 1}, 0
        elif which[0] < len(b._low):
            answers, rest = law_by_walking(lambda coins, z=z, i=which[0]: kept(z, i, coins), most)
        else:
            with monkeypatch.context() as patch:  # Whatever the height.
                patch.setattr(b, "_beyond", lambda coins: 10**30)
                assert law_by_walking(lambda coins, z=z: kept(z, len(b._low), coins), 8) == ({10**30: 1}, 0)
            answers, rest = Counter(), left + sum(share * more for share, _, more in tails)
            for share, kept_, _ in tails:
                answers.update({x: share * p for x, p in kept_.items()})
        law.update({x: mass * p for x, p in answers.items()})
        undecided += mass * rest
    return law, undecided


def hold_to_law(b, variance, decided, undecided):
    """A trial gives z with probability 2**word exp(-z**2 / 2 variance) over the weight of all."""
    n = len(b._low)
    points = block_points(b)[0]
    whole = points * (sum(b._low) + sum(b._gap)) + 2 * b._rest
    assert len(b._table._law) == 2 * n + 1
    assert sum(decided.values()) + undecided == 1
    decided.pop(None, None)  # Drawn anew.
    for z in range(-20 * b._end, 20 * b._end):
        mass = decided.pop(z, Fraction(0))
        assert mass <= curve(variance, z) * 256 / whole <= mass + undecided
    assert not decided


@pytest.mark.parametrize("variance", each([*BELOW_ONE, Fraction(1), Fraction(5, 2), Fraction(4)], 3), ids=str)
def test_an_array_has_exactly_its_law_by_every_word(variance, monkeypatch):
    monkeypatch.setattr(blocks, "_SPAN", 2)
    b = Blocks(variance, cell=8, word=8)
    decided, undecided = trial(b, monkeypatch, BITS)
    assert undecided < Fraction(1, 2 ** (BITS - 16))  # No number of words is sure to decide a comparison with a real.
    hold_to_law(b, variance, decided, undecided)


@pytest.mark.usefixtures("coarse")
@pytest.mark.parametrize("variance", each([Fraction(4), Fraction(17, 2), Fraction(21)], 3), ids=str)
def test_an_array_of_blocks_has_exactly_its_law_by_every_word(variance, monkeypatch):
    b = Blocks(variance, cell=8, word=8)
    assert b._bits
    decided, undecided = trial(b, monkeypatch, BITS)
    assert undecided < Fraction(1, 2 ** (BITS - 16))
    hold_to_law(b, variance, decided, undecided)


@pytest.mark.parametrize("variance", [*SMALL, *BLOCKED, *HUGE], ids=str)
def test_a_draw_beyond_the_blocks_is_kept_in_proportion(variance, monkeypatch):
    b = Blocks(variance)
    scale = 2 * variance / (2 * b._end + 1)
    assert b._log[0].scale == scale
    given = []
    monkeypatch.setattr(blocks, "bernoulli", lambda p, coins, *, word: given.append((p, word)) or True)
    with gmpy2.context(precision=700):
        ratio = gmpy2.exp(-1 / gmpy2.mpq(scale))
    for excess in (0, 1, 2, 17, 2 * b._end):
        for side in (0, 1):
            monkeypatch.setattr(blocks, "floor_log", lambda *_, e=excess, s=side: (e, s))
            x = b._end + excess
            assert b._beyond(SYSTEM) == (~x if side else x)
            p, word = given.pop()
            assert word == 64
            # Drawn in proportion to rest (1 - ratio) ratio**excess, it is to be kept in proportion to 2**64 curve.
            with gmpy2.context(precision=700):
                law = (1 - ratio) * ratio**excess
                share = gmpy2.exp(-gmpy2.mpq((x + side) ** 2) / (2 * gmpy2.mpq(variance))) * 2**64 / law / b._rest
                exact = Fraction(*map(int, share.as_integer_ratio()))
            low, high = p.enclosure(400)
            assert low - exact / 2**200 <= exact <= high + exact / 2**200
            assert 0 < exact <= 1
    monkeypatch.setattr(blocks, "bernoulli", lambda *_, **__: False)
    assert b._beyond(SYSTEM) is None


def test_what_is_not_kept_is_drawn_anew_and_what_is_beyond_is_patched_in(monkeypatch):
    b = Blocks(Fraction(10**6))
    n = len(b._low)
    # Rounds of: what is filled in, which places are above a lower step, and what becomes of those.
    filled = iter([([1, 2, 3, 4, 5], [0, 2, 4]), ([20, 50], [0, 1]), ([21], [0]), ([22], [])])
    kept = iter([[True, False, False], [False, True], [False]])

    def fill(out, coins):
        values, places = next(filled)
        out[:] = values
        return np.array(places, np.intp), np.full(len(places), n)

    def keep(out, places, which, large, coins):
        said = next(kept)
        large |= {int(place): 2**70 for place, under in zip(places, said, strict=True) if under}
        return np.array(said)

    monkeypatch.setattr(b, "_fill", fill)
    monkeypatch.setattr(b, "_keep", keep)
    drawn = b.draw(5, SYSTEM)
    assert drawn.tolist() == [2**70, 2, 22, 4, 2**70]
    assert drawn.dtype == object
    assert list(filled) == list(kept) == []


def test_only_a_draw_that_is_kept_from_beyond_the_blocks_is_patched_in(monkeypatch):
    b = Blocks(Fraction(10**6))
    said = iter([None, -(2**65), 7])
    monkeypatch.setattr(b, "_beyond", lambda coins: next(said))
    large = {}
    which = np.full(3, len(b._low))
    for bit in (0, 1):
        words = np.full(3, bit * (2**64 - 1), np.uint64)
        if bit:
            said = iter([None, -(2**65), 7])
        under = b._keep(np.array([3, 1, -8, 0, 5]), np.array([4, 2, 0]), which, large, Constant(words, 0))
        assert under.tolist() == [False, True, True]
        assert large == {2: -(2**65), 0: 7}


def test_a_long_array_takes_fresh_coins_for_every_chunk(monkeypatch):
    for variance, width in ((Fraction(100), 0), (Fraction(10**6), 8), (Fraction(10**10), 16), (Fraction(10**14), 32)):
        b = Blocks(variance)
        asked = []

        class Counted(StreamCoins):
            def words(self, n, asked=asked):
                asked.append(n)
                return super().words(n)

        coins = Counted()
        monkeypatch.setattr(b, "_keep", lambda out, places, *_: np.ones(places.size, bool))
        drawn = b.draw(2 * blocks.CHUNK + 5, coins)
        large = [n for n in asked if n * 64 >= blocks.CHUNK * 8]
        assert large == [blocks.CHUNK * bits // 64 for bits in (16, *[width] * bool(width))] * 2
        for lag in (blocks.CHUNK, 1):
            assert abs(np.corrcoef(drawn[:-lag], drawn[lag:])[0, 1]) < 0.05


def p_value(draws, variance, pieces=40):
    """The p-value of draws, by chi-square between cuts of about equal probability."""
    sigma = float(variance) ** 0.5
    cuts = np.unique(np.round(stats.norm(scale=sigma).ppf(np.arange(1, pieces) / pieces)).astype(np.int64))
    counts = np.bincount(np.searchsorted(cuts, draws, side="left"), minlength=len(cuts) + 1)
    if sigma < 1000:
        z = np.arange(-int(20 * sigma) - 20, int(20 * sigma) + 21)
        p = np.exp(-(z.astype(float) ** 2) / (2 * float(variance)))
        expected = np.bincount(np.searchsorted(cuts, z, side="left"), weights=p) / p.sum()
    else:  # Then the discrete law is the rounded continuous one, but for a relative 1e-6.
        expected = np.diff(np.concatenate([[0], stats.norm(scale=sigma).cdf(cuts + 0.5), [1]]))
    return stats.chisquare(counts, expected * counts.sum()).pvalue


@pytest.mark.parametrize("variance", [Fraction(1, 3), Fraction(9, 10), Fraction(1), Fraction(25, 3), Fraction(10**12)])
def test_single_draws_fit_the_law_and_not_one_of_another_variance(variance):
    draws = [discrete_gaussian(variance) for _ in range(20_000)]
    assert p_value(draws, variance) > 1e-9
    assert p_value(draws, variance * Fraction(13, 10)) < 1e-20


@pytest.mark.parametrize("variance", [Fraction(1, 2), *[Fraction(s) ** 2 for s in (1, 10, 128, 1000, 10**6)]], ids=str)
def test_arrays_fit_the_law_and_not_one_two_percent_off(variance):
    draws = discrete_gaussian_many(variance, 3 * 10**6)
    assert p_value(draws, variance) > 1e-9
    assert p_value(draws, variance * Fraction(102, 100)) < 1e-20


def test_variances_from_tiny_to_huge():
    assert discrete_gaussian(0) == discrete_gaussian(Fraction(1, 10**300)) == 0
    assert not discrete_gaussian_many(Fraction(1, 10**300), 10**4).any()
    for variance in (10**40, 10**300, Fraction(10**300 + 1, 3), Fraction(7**400, 3**300)):
        draws = discrete_gaussian_many(variance, 100)
        assert draws.dtype == object
        # Pr[|Z| > 16 sigma] < 1e-56, and Pr[|Z| < sigma / 10**12] < 1e-12.
        assert all(variance / 10**24 < z * z < 256 * variance for z in draws.tolist())
    for variance in (2**108 - 1, 10**20, Fraction(7**400, 3**665)):
        draws = discrete_gaussian_many(variance, 5000)
        assert draws.dtype == np.int64
        assert 0.8 * variance < np.square(draws.astype(float)).mean() < 1.2 * variance
    for n in (0, 3, 5000):
        assert discrete_gaussian_many(0, n).tolist() == [0] * n
        assert discrete_gaussian_many(2**108, n).dtype == object
        assert discrete_gaussian_many(2**108 - 1, n).dtype == np.int64
        with pytest.raises(ParameterError, match=r"^variance=-1: need variance >= 0"):
            discrete_gaussian_many(-1, n)
    for wrong in (-1, Fraction(-1, 2)):
        with pytest.raises(ParameterError):
            discrete_gaussian(wrong)


def test_tables_are_made_for_a_call_that_is_worth_them_or_where_its_size_is_private(monkeypatch):
    known, enough = {}, gaussian._WORTH_TABLES
    monkeypatch.setattr(many, "_KEPT", known)
    for n, made in ((enough - 1, 0), (1, 0), (enough, 1), (1, 1)):
        discrete_gaussian_many(Fraction(1, 3), n)
        assert len(known) == made
    known.clear()
    for n in (0, 1, enough):
        discrete_gaussian_many(Fraction(1, 7), n, private_size=True, cell=8, word=16)
        assert list(known) == [("gaussian", 1, 7, 8, 16)]
    table = known["gaussian", 1, 7, 8, 16]._table
    assert (table._cell, table._word) == (8, 16)


@pytest.mark.parametrize("variance", [Fraction(1, 11), Fraction(10**7, 3), Fraction(2**108), Fraction(10**50, 7)])
def test_what_a_call_leaves_behind_does_not_depend_on_a_private_size(variance, monkeypatch):
    seen = []
    for sizes in ((0, 0), (1, 5), (gaussian._WORTH_TABLES, 0)):
        with monkeypatch.context() as patch:
            patch.setattr(many, "_KEPT", {})
            gaussian._logarithms.cache_clear()
            one.scaled_log.cache_clear()
            for n in sizes:
                discrete_gaussian_many(variance, n, private_size=True)
            infos = gaussian._logarithms.cache_info(), one.scaled_log.cache_info()
            seen.append([tuple(many._KEPT), *((info.misses, info.currsize) for info in infos)])
    assert seen == [seen[0]] * 3


def test_a_draw_beyond_the_blocks_makes_nothing_new():
    b = Blocks(Fraction(10**6))
    before = one.scaled_log.cache_info()
    for _ in range(20):
        b._beyond(SYSTEM)
    assert one.scaled_log.cache_info() == before


def test_words_of_all_sizes_are_handed_on(monkeypatch):
    asked = []
    monkeypatch.setattr(gaussian, "floor_log", lambda *a: asked.append(a[-1]) or (10**20 * (1 - len(asked) % 2), 0))
    assert discrete_gaussian(Fraction(2**50), word=16) == 0
    assert discrete_gaussian_many(Fraction(2**50), 1, word=16).tolist() == [0]
    assert asked == [16] * 4
