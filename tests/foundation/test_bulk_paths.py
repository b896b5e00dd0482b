"""Every public bulk path, on long inputs: the coins it asks for, the order it keeps, the branches it seldom takes.

Three kinds of test for each path. The coins: how many bytes it asks for, and that no draws repeat others at any lag.
The input: the element that matters stands at any place of a long input, so that a look at the ends does not do.
The law: whole paths on scripted coins, at the very number where a draw must change, in the far tail, and at ties.
"""

import math
import secrets
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, combinations, pairwise
from typing import Any

import mpmath
import numpy as np
import pytest
import scipy.fft
import tiers
from coin_tree import CycleCoins, Exhausted, PointCoins, ScriptedCoins, StreamCoins

from discreet import (
    DomainError,
    IntegerLaplace,
    Integers,
    Laplace,
    LaplaceThreshold,
    LongitudinalRappor,
    OneHot,
    OptimizedUnary,
    ParameterError,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    SubsetSelection,
    Vectors,
)
from discreet.coins import SYSTEM, KeyedCoins, SystemCoins
from discreet.mechanisms import _bits, subset_selection
from discreet.samplers import (
    below_many,
    bernoulli_many,
    categorical_many,
    discrete_gaussian_many,
    discrete_laplace,
    discrete_laplace_many,
    geometric_many,
    many,
    tables,
)
from discreet.survey import Question

THIRD = Fraction(1, 3)
NEAR = Fraction(1, 2**70)
"""Between a number and a float: two words are needed to tell them apart."""
LONG = 9 << 19  # More than 2**22.
SOME = tiers.cases(9 << 17, LONG)  # Many chunks, and more than 2**16 rows of 16 bits.
ONES = 2**64 - 1

BOOL = RandomizedResponseBool(prob="2/3")
CONSTANT = RandomizedResponseBool(prob="2/3", constant_time=True)
FIVE = RandomizedResponse(categories=range(5), prob="2/5")
FLIPS = Rappor(length=16, max_weight=1, f="2/3")
UNARY = OptimizedUnary(length=16, p="4/7", q="1/3")
SETS = SubsetSelection(categories=range(12), size=3, prob="3/7")
KEYED = SubsetSelection(categories=range(100), size=20, prob="3/7")  # Too many sets for a table.
LASTING = LongitudinalRappor(length=16, max_weight=1, f="2/3", p="1/5", q="5/7")
NOISE = IntegerLaplace(scale=1000)
VECTORS = IntegerLaplace(scale=1000, domain=Vectors(Integers()))
COUNTS = LaplaceThreshold(scale=1000, threshold=0)
KEYS = np.array([f"{i:06}" for i in range(1 << 17)])


def use(monkeypatch: pytest.MonkeyPatch, coins: Any) -> None:
    """Let the system's coins be others."""
    monkeypatch.setattr(SystemCoins, "words", lambda _, n: coins.words(n))
    monkeypatch.setattr(SystemCoins, "bits", lambda _, n: coins.bits(n))


def turns(n: int, k: int = 16) -> Any:
    """Return n places, in turn."""
    return np.arange(n) % k


def hot(n: int) -> Any:
    """Return n vectors of 16 bits, one of each set."""
    return np.eye(16, dtype=np.bool_)[turns(n)]


def unpacked(rows: Any, length: int = 16) -> Any:
    return np.unpackbits(rows, axis=1, count=length, bitorder="little").view(np.bool_)


def client(mechanism: Any, choices: int) -> Any:
    return Question("asked", range(choices)).client(mechanism)


def bits_of(p: float) -> float:
    """Return the entropy of a coin."""
    return -(p * math.log2(p) + (1 - p) * math.log2(1 - p))


@dataclass(frozen=True)
class Path:
    """A bulk path: the function that draws, the entropy of a draw in bits, and the most bytes that it may ask for.

    A draw is one of *each* in an output; those of one output may depend on each other unless *free*.
    """

    draw: Callable[[int], Any]
    entropy: float
    most: float
    each: int = 1
    free: bool = True
    length: int = 10**6

    def stream(self, n: int) -> Any:
        """Return n draws, or a few more, one after another."""
        return np.ravel(self.draw(-(-n // self.each)))


COIN, REPLY, WIDE = bits_of(1 / 3), bits_of(0.4) + 0.6 * 2, math.log2(2 * math.e * 1000) - 0.01
PATHS = {
    "bernoulli_many": Path(lambda n: bernoulli_many(THIRD, n), COIN, 1.04),
    "bernoulli_many, constant words": Path(
        lambda n: bernoulli_many(THIRD, n, constant_words=True), COIN, 136, length=10**4
    ),
    "below_many": Path(lambda n: below_many(7, n), math.log2(7), 8, length=10**5),
    "below_many, an array": Path(lambda n: below_many(np.full(n, 7)), math.log2(7), 8, length=10**5),
    "below_many, a quarter drawn anew": Path(lambda n: below_many(3 << 61, n), 62.5, 10.8, length=10**5),
    "categorical_many": Path(lambda n: categorical_many([1, 1, 2], n), 1.5, 2),
    "geometric_many": Path(lambda n: geometric_many(1000, n), WIDE - 1, 4.3),
    "discrete_laplace_many, 10": Path(lambda n: discrete_laplace_many(10, n), 5.75, 2.2),
    "discrete_laplace_many, 10**6": Path(lambda n: discrete_laplace_many(10**6, n), 22.3, 6.5),
    "discrete_gaussian_many, 10**2": Path(lambda n: discrete_gaussian_many(10**2, n), 5.36, 2.2),
    "discrete_gaussian_many, 10**12": Path(lambda n: discrete_gaussian_many(10**12, n), 21.9, 4.3),
    "Laplace.add": Path(lambda n: Laplace(1000).add(np.zeros(n, np.uint8), SYSTEM), WIDE, 4.3),
    "RandomizedResponseBool.release_many": Path(lambda n: BOOL.release_many(np.ones(n, np.bool_)), COIN, 1.04),
    "RandomizedResponseBool.release_many, constant time": Path(
        lambda n: CONSTANT.release_many(np.ones(n, np.bool_)), COIN, 136, length=10**4
    ),
    "RandomizedResponse.release_places": Path(
        lambda n: (FIVE.release_places(turns(n, 5)) - turns(n, 5)) % 5, REPLY, 2.01
    ),
    "RandomizedResponse.release_places, foreign": Path(
        lambda n: FIVE.release_places(np.full(n, -1)), math.log2(5), 10.1, length=10**5
    ),
    "RandomizedResponse.release_many": Path(lambda n: FIVE.release_many(np.zeros(n, np.int64)), REPLY, 2.01),
    "Rappor.release_many": Path(lambda n: FLIPS.release_many(hot(n)) ^ hot(n), COIN, 1.04, each=16),
    "Rappor.release_packed": Path(lambda n: unpacked(FLIPS.release_packed(turns(n))) ^ hot(n), COIN, 1.04, each=16),
    "OptimizedUnary.release_many": Path(lambda n: UNARY.release_many(np.zeros((n, 16), np.bool_)), COIN, 1.12, each=16),
    "OptimizedUnary.release_packed": Path(
        lambda n: unpacked(UNARY.release_packed(np.full(n, -1))), COIN, 1.12, each=16
    ),
    "OptimizedUnary, set bits": Path(
        lambda n: OptimizedUnary(length=1, p="1/2", q="1/3").release_packed(np.zeros(n, np.int64)), 1, 2.04
    ),
    "SubsetSelection.release_packed, from a table": Path(
        lambda n: SETS.release_packed(np.zeros(n, np.int64)).view("<u2"), math.log2(100), 2.1
    ),
    "SubsetSelection.release_packed, from keys": Path(
        lambda n: unpacked(KEYED.release_packed(np.zeros(n, np.int64)), 100)[:, 1:],
        0.6,
        4.1,
        each=99,
        free=False,
    ),
    "SubsetSelection.release_many": Path(
        lambda n: SETS.release_many(np.zeros(n, np.int64))[:, 1:], 0.6, 0.2, each=11, free=False
    ),
    "LongitudinalRappor.release_many": Path(
        lambda n: LASTING.release_many(np.zeros((n, 16), np.bool_)), 0.95, 3.2, each=16
    ),
    "IntegerLaplace.release_many": Path(lambda n: NOISE.release_many(np.zeros(n, np.int64)), WIDE, 4.3),
    "IntegerLaplace.release": Path(lambda n: VECTORS.release(np.zeros(n, np.int64)), WIDE, 4.3),
    "LaplaceThreshold.release": Path(
        lambda n: COUNTS.release((KEYS[:n], np.full(len(KEYS[:n]), 10**9)))[1] - 10**9, WIDE, 4.3, length=10**4
    ),
    "Client.report_many, one choice": Path(
        lambda n: client(FIVE, 5).report_many(np.zeros(n, np.int64)), REPLY, 2.01, length=10**5
    ),
    "Client.report_many, bits": Path(
        lambda n: unpacked(client(FLIPS, 16).report_many(turns(n))) ^ hot(n), COIN, 1.04, each=16
    ),
    "Client.report_many, sets": Path(
        lambda n: client(SETS, 12).report_many(np.zeros(n, np.int64)).view("<u2"), math.log2(100), 2.1, length=10**5
    ),
}

SAMPLERS = list(PATHS)[:12]


# --- Coins: as many as the law needs, and no draw twice. ---


@pytest.fixture
def asked(monkeypatch):
    """Return a function that says how many bytes of coins a call asks for."""
    given = [0]
    words, bits = SystemCoins.words, SystemCoins.bits

    def counted_words(coins, n):
        given[0] += 8 * n
        return words(coins, n)

    def counted_bits(coins, n):
        given[0] += n + 7 >> 3
        return bits(coins, n)

    monkeypatch.setattr(SystemCoins, "words", counted_words)
    monkeypatch.setattr(SystemCoins, "bits", counted_bits)

    def measure(call, *arguments):
        before = given[0]
        call(*arguments)
        return given[0] - before

    return measure


@pytest.mark.usefixtures("given_coins")
@pytest.mark.parametrize("name", PATHS)
def test_a_path_asks_for_the_coins_that_its_law_needs(name, asked):
    path = PATHS[name]
    path.stream(5000)  # Tables that are made once take no coins, but this keeps the clock out of it.
    n = path.length if name in SAMPLERS else tiers.cases(path.length // 5, path.length)
    once, tenfold = asked(path.stream, n), asked(path.stream, 10 * n)
    for draws, total in ((n, once), (10 * n, tenfold)):
        assert path.entropy * draws / 8 <= total <= path.most * draws + 64
    # As many for each draw of a long array as of a short one: four standard errors of the cells left open.
    assert math.isclose(tenfold, 10 * once, rel_tol=0.004 * math.sqrt(path.length / n))


def repeated(stream: Any, least: int = 1) -> bool:
    """Whether draws repeat others, some distance of at least *least* apart, more often than chance.

    The autocorrelation of n independent draws at one lag is about 1 / sqrt(n); 8 times that has probability 1e-15,
    and there are n lags. Where a share of the draws repeat others it is that share. Sums of four draws take a quarter
    of the time; half of that share or more shows at one of their lags, from the *first* that those nearer leave alone.
    """
    x = stream[: 4 * scipy.fft.prev_fast_len(stream.size // 4, real=True)].astype(np.float32)
    x -= x.mean()
    x /= x.std()
    first = (least + 2) // 4 + 1
    near = [float(x[lag:] @ x[:-lag]) / math.sqrt(x.size) for lag in range(least, 4 * first - 2)]
    sums = x.reshape(-1, 4).sum(axis=1) / 2
    spectrum = scipy.fft.rfft(sums)
    echo = scipy.fft.irfft((spectrum * spectrum.conj()).real.astype(np.float32), sums.size)
    far = np.abs(echo[first : sums.size // 2]).max() / math.sqrt(sums.size)
    return bool(max(map(abs, [*near, far])) > 8)


def digits(stream: Any) -> Any:
    """Return a vector in which the sign and every third binary digit of wide noise show alike."""
    if stream.dtype != np.int64 or stream.max() < 16:
        return stream
    size = np.where(stream < 0, ~stream, stream)
    masks = (1 << i for i in range(0, int(stream.max()).bit_length(), 3))
    mask = sum(m for m in masks if 0.1 < (size[:10_000] & m > 0).mean() < 0.9)
    return np.bitwise_count(size & mask) + (stream < 0)


@pytest.mark.parametrize("name", [*list(PATHS)[:19], *tiers.each(list(PATHS)[19:], 4)])
def test_no_draws_repeat_others(name):
    path = PATHS[name]
    n = min(LONG, 100 * path.length)
    stream = path.stream(n)
    assert not repeated(digits(stream), 1 if path.free else path.each)


@pytest.mark.parametrize("lag", [1, 2, 4096, (1 << 20) + 10])  # An even lag that is no multiple of 4 shows least.
def test_draws_of_which_one_in_forty_repeats_another_would_be_seen(lag):
    stream = StreamCoins().words(LONG).astype(np.uint8)
    assert not repeated(stream)
    stream[lag::41] = stream[:-lag:41]
    assert repeated(stream)


# --- Pieces: a long array is the same as its chunks, one after another, on the same coins. ---

PIECES = {
    "bernoulli_many": (lambda n: bernoulli_many(THIRD, n), many._BYTES),
    "bernoulli_many, a real": (lambda n: bernoulli_many(many.exp(Fraction(-1)), n), many._BYTES),
    "bernoulli_many, constant words": (lambda n: bernoulli_many(THIRD, n, constant_words=True), tables.CHUNK // 8),
    "below_many": (lambda n: below_many(2**63 - 25, n), tables.CHUNK),
    "categorical_many": (lambda n: categorical_many([1] * 300, n), tables.CHUNK),
    "geometric_many": (lambda n: geometric_many(Fraction(2001, 2), n), tables.CHUNK),
    "discrete_laplace_many, 1/2": (lambda n: discrete_laplace_many(Fraction(1, 2), n), tables.CHUNK),
    "discrete_laplace_many, 10": (lambda n: discrete_laplace_many(10, n), tables.CHUNK),
    "discrete_laplace_many, 10**6": (lambda n: discrete_laplace_many(10**6, n), tables.CHUNK),
    "Laplace.add": (lambda n: Laplace(10**6).add(np.ones(n, np.int8), SYSTEM), tables.CHUNK),
    "RandomizedResponse.release_places": (lambda n: FIVE.release_places(np.zeros(n, np.int32)), tables.CHUNK),
    "Rappor.release_packed": (lambda n: FLIPS.release_packed(np.full(n, 15)), _bits.AT_A_TIME // 16),
    "OptimizedUnary.release_packed": (lambda n: UNARY.release_packed(np.full(n, 15)), _bits.AT_A_TIME // 16),
    "SubsetSelection.release_packed, from a table": (
        lambda n: SETS.release_packed(np.full(n, 11)),
        subset_selection._SCRATCH >> 1,
    ),
    "SubsetSelection.release_packed, foreign": (
        lambda n: SETS.release_packed(np.full(n, 12)),
        subset_selection._SCRATCH >> 1,
    ),
    "SubsetSelection.release_packed, from keys": (
        lambda n: KEYED.release_packed(np.full(n, 99)),
        subset_selection._SCRATCH // 100,
    ),
}


@pytest.mark.parametrize("name", PIECES)
def test_a_long_array_is_its_chunks_one_after_another(name, monkeypatch):
    draw, chunk = PIECES[name]
    sizes = [chunk] * 43 + [chunk // 2 + 13]
    draw(chunk)
    use(monkeypatch, StreamCoins())
    whole = draw(sum(sizes))
    use(monkeypatch, StreamCoins())
    pieces = [draw(size) for size in sizes]
    assert np.array_equal(whole, np.concatenate(pieces))


ROWS = SOME // 16 + 3


def rows_of(p, n=ROWS):
    return bernoulli_many(p, n * 16).reshape(n, 16)


MEANT = {
    "RandomizedResponseBool.release_many": (
        lambda: BOOL.release_many(turns(SOME, 2) > 0),
        lambda: (turns(SOME, 2) > 0) == bernoulli_many(BOOL.prob, SOME),
    ),
    "RandomizedResponseBool.release_many, a list": (
        lambda: BOOL.release_many([True, False] * 5000),
        lambda: BOOL.release_many(np.array([True, False] * 5000)),
    ),
    "RandomizedResponse.release_places": (
        lambda: FIVE.release_places(turns(SOME, 5).astype(np.uint8)),
        lambda: (turns(SOME, 5) + categorical_many([Fraction(2, 5), *[Fraction(3, 20)] * 4], SOME)) % 5,
    ),
    "RandomizedResponse.release_many, numbers": (
        lambda: FIVE.release_many(turns(SOME, 5)),
        lambda: FIVE.release_places(turns(SOME, 5)),
    ),
    "RandomizedResponse.release_many, a list": (
        lambda: FIVE.release_many([0, 1, 2, 3, 4] * 2000),
        lambda: FIVE.release_places(turns(10_000, 5)),
    ),
    "RandomizedResponse.release_many, texts": (
        lambda: RandomizedResponse(categories=list("abcde"), prob="2/5").release_many(np.array(list("abcde") * 20_000)),
        lambda: np.array(list("abcde"))[FIVE.release_places(turns(100_000, 5))],
    ),
    "Rappor.release_many": (lambda: FLIPS.release_many(hot(ROWS)), lambda: hot(ROWS) ^ rows_of(THIRD)),
    "Rappor.release_packed": (
        lambda: FLIPS.unpack(FLIPS.release_packed(turns(ROWS))),
        lambda: hot(ROWS) ^ np.concatenate([rows_of(THIRD, min(8192, ROWS - i)) for i in range(0, ROWS, 8192)]),
    ),
    "OptimizedUnary.release_many": (
        lambda: UNARY.release_many(hot(ROWS)),
        lambda: np.where(hot(ROWS), bernoulli_many(UNARY.p, ROWS)[:, None], rows_of(UNARY.q)),
    ),
    "LongitudinalRappor.release_many": (
        lambda: LASTING.release_many(hot(ROWS)),
        lambda: np.where(hot(ROWS) ^ rows_of(LASTING.f / 2), rows_of(LASTING.q), rows_of(LASTING.p)),
    ),
    "SubsetSelection.release_many": (
        lambda: SETS.release_many(turns(100_000, 12)),
        lambda: unpacked(SETS.release_packed(turns(100_000, 12)), 12),
    ),
    "IntegerLaplace.release_many": (
        lambda: NOISE.release_many(turns(SOME, 2)),
        lambda: turns(SOME, 2) + discrete_laplace_many(1000, SOME),
    ),
    "IntegerLaplace.release, an array": (
        lambda: VECTORS.release(turns(SOME, 2).astype(np.int16)),
        lambda: turns(SOME, 2) + discrete_laplace_many(1000, SOME),
    ),
    "IntegerLaplace.release, a list": (
        lambda: VECTORS.release(list(range(50_000))),
        lambda: np.arange(50_000) + discrete_laplace_many(1000, 50_000),
    ),
    "LaplaceThreshold.release, arrays": (
        lambda: COUNTS.release((KEYS, np.full(KEYS.size, 10**9)))[1],
        lambda: 10**9 + discrete_laplace_many(1000, KEYS.size),
    ),
    "LaplaceThreshold.release, a dict": (
        lambda: list(COUNTS.release(dict.fromkeys(KEYS[:50_000].tolist(), 10**9)).values()),
        lambda: 10**9 + discrete_laplace_many(1000, 50_000),
    ),
    "Client.report_many, one choice": (
        lambda: client(FIVE, 5).report_many(turns(100_000, 5))[:, 0],
        lambda: FIVE.release_places(turns(100_000, 5)),
    ),
    "Client.report_many, bits": (
        lambda: client(FLIPS, 16).report_many(turns(100_000)),
        lambda: FLIPS.release_packed(turns(100_000)),
    ),
    "Client.report_many, a yes": (
        lambda: Question("asked", [False, True]).client(BOOL).report_many([True, False] * 50_000)[:, 0],
        lambda: BOOL.release_many([True, False] * 50_000),
    ),
    "OneHot.apply_many": (lambda: OneHot(range(16)).apply_many(turns(ROWS)), lambda: hot(ROWS)),
    "OneHot.apply_many, a list": (lambda: OneHot(range(16)).apply_many([*range(16)] * 500), lambda: hot(8000)),
}


@pytest.mark.parametrize("name", MEANT)
def test_a_path_is_what_its_samplers_say_on_the_same_coins(name, monkeypatch):
    drawn = []
    for draw in MEANT[name]:
        draw()
        use(monkeypatch, StreamCoins())
        drawn.append(draw())
    assert np.array_equal(*drawn)


@pytest.mark.parametrize("kind", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i4", object])
def test_every_kind_of_integers_gets_the_same_noise(kind, monkeypatch):
    values = np.arange(70_000) % 100
    discrete_laplace_many(1000, 5000)
    use(monkeypatch, StreamCoins())
    meant = values + discrete_laplace_many(1000, values.size)
    for release in (NOISE.release_many, VECTORS.release):
        use(monkeypatch, StreamCoins())
        assert np.array_equal(release(values.astype(kind)), meant)


# --- Input: what matters may stand anywhere. ---


def somewhere(n: int) -> list[int]:
    """Return places of a long input: its ends, those of likely chunks, and some at random."""
    edges = {0, 1, n - 2, n - 1, n // 2} | {c + i for k in (12, 15, 16, 17, 19) for c in [1 << k] for i in (-1, 0, 1)}
    return sorted(i for i in edges | {secrets.randbelow(n) for _ in range(3)} if 0 <= i < n)


LISTS = 5003
NO_BOOLS = [1, 0, None, "True", np.int64(1), 1.0]
NO_INTEGERS = [True, 1.0, "1", None, Fraction(1), np.float64(1), np.bool_(True)]


def spoilt(values: list[Any], place: int, bad: Any) -> list[Any]:
    return [*values[:place], bad, *values[place + 1 :]]


@pytest.fixture
def dry(monkeypatch):
    """No coins: what is to be refused is refused before any is asked for."""

    def none(*_):
        raise AssertionError("a coin is tossed")

    monkeypatch.setattr(SystemCoins, "words", none)
    monkeypatch.setattr(SystemCoins, "bits", none)


BAD_LISTS = {
    "RandomizedResponseBool.release_many": (BOOL.release_many, [True] * LISTS, NO_BOOLS),
    "RandomizedResponseBool.release_many, objects": (
        lambda xs: BOOL.release_many(np.array(xs, object)),
        [True] * LISTS,
        NO_BOOLS,
    ),
    "IntegerLaplace.release_many": (NOISE.release_many, [7] * LISTS, NO_INTEGERS),
    "IntegerLaplace.release_many, objects": (
        lambda xs: NOISE.release_many(np.array(xs, object)),
        [7] * LISTS,
        NO_INTEGERS,
    ),
    "IntegerLaplace.release": (VECTORS.release, [7] * LISTS, NO_INTEGERS),
    "IntegerLaplace.release, a tuple": (lambda xs: VECTORS.release(tuple(xs)), [7] * LISTS, NO_INTEGERS),
    "IntegerLaplace.release_many, bounded": (
        IntegerLaplace(scale=1, domain=Integers(0, 9)).release_many,
        [7] * LISTS,
        [-1, 10, 2**64, -(2**64), True],
    ),
    "IntegerLaplace.release, bounded": (
        IntegerLaplace(scale=1, domain=Vectors(Integers(0, 9))).release,
        [7] * LISTS,
        [-1, 10, np.int64(10)],
    ),
    "LaplaceThreshold.release, a dict": (
        lambda xs: COUNTS.release(dict(zip(KEYS.tolist(), xs, strict=False))),
        [7] * LISTS,
        NO_INTEGERS,
    ),
    "OneHot.apply_many": (OneHot(["a", "b"]).apply_many, ["a"] * LISTS, ["c", None, 1, b"a"]),
    "OneHot.apply_many, an array": (
        lambda xs: OneHot(["a", "b"]).apply_many(np.array(xs)),
        ["a"] * LISTS,
        ["c", ""],
    ),
    "Client.report_many": (client(FIVE, 5).report_many, [0, 1, 2, 3, 4] * 1001, [5, -1, True, None, "0"]),
    "Client.report_many, an array": (
        lambda xs: client(FIVE, 5).report_many(np.array(xs)),
        [0, 1, 2, 3, 4] * 1001,
        [5, -1, 2**40],
    ),
}


@pytest.mark.parametrize("name", BAD_LISTS)
@pytest.mark.usefixtures("dry")
def test_one_bad_element_anywhere_is_refused_and_no_coin_is_tossed(name):
    release, values, bad = BAD_LISTS[name]
    for place in somewhere(len(values)):
        with pytest.raises(DomainError):
            release(spoilt(values, place, bad[secrets.randbelow(len(bad))]))
    for each in bad:
        with pytest.raises(DomainError):
            release(spoilt(values, secrets.randbelow(len(values)), each))


@pytest.mark.parametrize("kind", ["i8", "i2", "u8"])
@pytest.mark.usefixtures("dry")
def test_one_number_out_of_bounds_anywhere_in_a_long_array_is_refused(kind):
    values = np.full(10**6, 7, kind)
    for place in somewhere(values.size):
        for bad in (0, 1000):
            values[place] = bad
            with pytest.raises(DomainError):
                IntegerLaplace(scale=1, domain=Integers(1, 999)).release_many(values)
            with pytest.raises(DomainError):
                IntegerLaplace(scale=1, domain=Vectors(Integers(1, 999))).release(values)
        values[place] = 7


@pytest.mark.parametrize(
    "mechanism", [FLIPS, OptimizedUnary(length=16, p="1/2", q="1/3"), LASTING], ids=lambda m: type(m).__name__
)
@pytest.mark.usefixtures("dry")
def test_one_overweight_row_anywhere_is_refused(mechanism):
    rows = hot(150_000)
    for place in somewhere(len(rows)):
        bit = (place + 1 + secrets.randbelow(15)) % 16
        rows[place, bit] = True
        with pytest.raises(DomainError):
            mechanism.release_many(rows)
        rows[place, bit] = False


@pytest.mark.usefixtures("dry")
def test_one_limit_below_one_anywhere_is_refused():
    limits = np.full(10**6, 7)
    for place in somewhere(limits.size):
        limits[place] = -secrets.randbelow(2)
        with pytest.raises(ParameterError):
            below_many(limits)
        limits[place] = 7


def test_each_limit_anywhere_is_its_own():
    limits = np.full(600_000, 1)
    places = somewhere(limits.size)
    limits[places] = 2**62
    drawn = below_many(limits)
    assert set(np.flatnonzero(drawn)) == set(places)


@pytest.mark.usefixtures("dry")
def test_a_key_that_occurs_twice_anywhere_is_refused():
    for place in somewhere(KEYS.size):
        twice = KEYS.copy()
        twice[(place + 1 + secrets.randbelow(KEYS.size - 1)) % KEYS.size] = twice[place]
        with pytest.raises(DomainError):
            COUNTS.release((twice, np.full(KEYS.size, 10**9)))


def test_keys_come_out_in_one_order_whatever_that_of_the_input():
    values = np.full(KEYS.size, 10**9)
    for place in somewhere(KEYS.size - 1)[::4]:
        keys = KEYS.copy()
        keys[[place, place + 1]] = keys[[place + 1, place]]
        assert np.array_equal(COUNTS.release((keys, values))[0], KEYS)
    for place in somewhere(6000):
        keys = KEYS[:6001].tolist()
        keys[place], keys[place + 1] = keys[place + 1], keys[place]
        assert list(COUNTS.release(dict.fromkeys(keys, 10**9))) == sorted(keys)


def test_each_key_keeps_its_own_count():
    counts = np.arange(KEYS.size) + 1
    order = np.random.default_rng(3).permutation(KEYS.size)
    still = LaplaceThreshold(scale=Fraction(1, 10**9), threshold=0)
    keys, values = still.release((KEYS[order], counts[order]))
    assert np.array_equal(keys, KEYS)
    assert np.array_equal(values, counts)
    shuffled = dict(zip(KEYS[order[:20_000]].tolist(), counts[order[:20_000]].tolist(), strict=True))
    assert still.release(shuffled) == shuffled


def test_a_count_of_zero_anywhere_takes_no_coins_and_is_not_released(monkeypatch):
    for place in somewhere(LISTS):
        values = np.full(LISTS, 10**9)
        values[place] = 0
        use(monkeypatch, StreamCoins())
        keys, noisy = COUNTS.release((KEYS[:LISTS], values))
        use(monkeypatch, StreamCoins())
        assert np.array_equal(noisy, 10**9 + discrete_laplace_many(1000, LISTS - 1))
        assert KEYS[place] not in keys
        assert keys.size == LISTS - 1


@pytest.mark.parametrize("kind", ["i8", "i2", "u8", "u2"])
def test_a_foreign_place_anywhere_gets_a_uniform_reply_and_disturbs_no_other(kind):
    n = 10**6
    places = turns(n, 5).astype(kind)
    strange = somewhere(n)
    places[strange] = np.iinfo(kind).max
    honest = RandomizedResponse(categories=range(5), prob=1).release_places(places)
    others = np.ones(n, np.bool_)
    others[strange] = False
    assert np.array_equal(honest[others], turns(n, 5)[others])
    assert ((honest >= 0) & (honest < 5)).all()
    for mechanism in (
        Rappor(length=5, max_weight=1, f=5e-324),
        SubsetSelection(categories=range(5), size=1, prob=1),
        OptimizedUnary(length=5, p=1 - Fraction(1, 2**200), q=Fraction(1, 2**200)),
    ):
        packed = mechanism.release_packed(places)[:, 0]
        assert np.array_equal(packed[others], 1 << turns(n, 5)[others])
        if not isinstance(mechanism, SubsetSelection):
            assert not packed[strange].any()
    wide = SubsetSelection(categories=range(100), size=1, prob=1)
    many_places = turns(20_000, 100)
    many_places[[0, 10_000, 19_999]] = 100
    hits = unpacked(wide.release_packed(many_places), 100)
    assert (hits.sum(axis=1) == 1).all()
    assert np.array_equal(
        np.delete(hits.argmax(axis=1), [0, 10_000, 19_999]), np.delete(many_places, [0, 10_000, 19_999])
    )


def test_foreign_answers_anywhere_get_a_uniform_reply():
    rr = RandomizedResponse(categories=("a", "b", "c", "d"), prob=1)
    for xs in (["a", "b"] * 2502, np.array(["a", "b"] * 20_000)):
        for place in somewhere(len(xs)):
            mine = xs.copy()
            mine[place] = "x"
            said = list(rr.release_many(mine))
            assert said[place] in "abcd"
            del said[place]
            assert said == list(xs[:place]) + list(xs[place + 1 :])


@pytest.mark.parametrize("end", [2**63 - 1, -(2**63)])
def test_a_number_at_the_end_of_int64_anywhere_is_not_wrapped(end):
    values = np.zeros(100_000, np.int64)
    for place in somewhere(values.size):
        values[place] = end
        noisy = Laplace(1000).add(values, SYSTEM)
        sums = [int(noisy[i]) - int(values[i]) for i in {0, place, values.size - 1}]
        assert all(abs(z) < 100_000 for z in sums)
        assert all(-(2**64) < int(z) < 2**64 for z in (noisy.min(), noisy.max()))
        values[place] = 0


@pytest.mark.parametrize("place", [0, 1, 4095, 4096, 50_000, 99_999])
def test_a_number_beyond_int64_anywhere_is_exact(place):
    for values in (np.zeros(100_000, np.uint64), [0] * 100_000):
        values[place] = 2**64 - 1
        noisy = Laplace(10).add(values, SYSTEM)
        assert abs(int(noisy[place]) - (2**64 - 1)) < 1000
        assert max(abs(int(z)) for i, z in enumerate(noisy.tolist()) if i != place) < 1000


# --- Law: whole paths on scripted coins. ---


def table_ends(law: list[Fraction]) -> list[Fraction]:
    """Return where the outcome changes among the leftovers of a table of 16-bit cells, as its proof lays them out."""
    whole = [p * 2**16 // 1 for p in law]
    left = [p * 2**16 - w for p, w in zip(law, whole, strict=True)]
    return [end / 2**16 for end in accumulate(left, initial=Fraction(sum(whole)))][1:-1]


def masks(d: int, k: int) -> list[int]:
    """Return the sets of d of k places as a table has them: those with place 0, then those without."""
    chosen = [(0, *rest) for rest in combinations(range(1, k), d - 1)]
    return [sum(1 << i for i in places) for places in (*chosen, *combinations(range(1, k), d))]


PROBS = [
    THIRD,
    Fraction(2, 3),
    Fraction(1, 2) + THIRD / 2**60,
    Fraction(1, 2) - THIRD / 2**60,
    THIRD / 2**30,
    Fraction(3, 2**12),  # No tie: a word is enough, and equality is not below.
    1 - THIRD / 2**40,
    Fraction(0.3) + THIRD / 2**62,
]


@pytest.mark.parametrize("p", PROBS, ids=str)
@pytest.mark.parametrize("side", [-1, 1])
def test_a_coin_changes_at_its_very_probability(p, side):
    coins = PointCoins(p + side * NEAR, 8, 8)
    assert bernoulli_many(p, 64, coins).tolist() == [side < 0] * 64


COINS = {
    "RandomizedResponseBool.release_many": (BOOL.prob, lambda: BOOL.release_many([True] * 64)),
    "RandomizedResponseBool.release_many, no": (BOOL.prob, lambda: ~BOOL.release_many([False] * 64)),
    "Rappor.release_many": (FLIPS.f / 2, lambda: FLIPS.release_many(hot(64)) ^ hot(64)),
    "Rappor.release_packed": (FLIPS.f / 2, lambda: unpacked(FLIPS.release_packed(turns(64))) ^ hot(64)),
    "OptimizedUnary.release_many, the set bit": (UNARY.p, lambda: UNARY.release_many(hot(64))[hot(64)]),
    "OptimizedUnary.release_many, others": (UNARY.q, lambda: UNARY.release_many(hot(64))[~hot(64)]),
    "OptimizedUnary.release_packed, the set bit": (
        UNARY.p,
        lambda: unpacked(UNARY.release_packed(turns(64)))[hot(64)],
    ),
    "OptimizedUnary.release_packed, others": (
        UNARY.q,
        lambda: unpacked(UNARY.release_packed(turns(64)))[~hot(64)],
    ),
    # A permanent bit of 0 is reported as 1 with probability p = 1/5, one of 1 with q = 5/7. Near f/2 = 1/3 a coin of
    # 1/5 says no and one of 5/7 yes: so the report is the permanent bit.
    "LongitudinalRappor.release_many, permanent": (LASTING.f / 2, lambda: LASTING.release_many(hot(64)) ^ hot(64)),
    # Near p = 1/5 the permanent coin of 1/3 says yes: a set bit becomes 0.
    "LongitudinalRappor.release_many, zeros": (LASTING.p, lambda: LASTING.release_many(hot(64))[hot(64)]),
    # Near q = 5/7 it says no.
    "LongitudinalRappor.release_many, ones": (LASTING.q, lambda: LASTING.release_many(hot(64))[hot(64)]),
    "SubsetSelection.release_packed, from keys": (
        KEYED.prob,
        lambda: unpacked(KEYED.release_packed(np.zeros(64, np.int64)), 100)[:, 0],
    ),
    "Client.report_many": (
        FLIPS.f / 2,
        lambda: unpacked(client(FLIPS, 16).report_many(turns(64))) ^ hot(64),
    ),
}


@pytest.mark.parametrize("name", COINS)
def test_a_bit_changes_at_its_very_probability(name, monkeypatch):
    p, draw = COINS[name]
    assert float(p) != p
    for side in (-1, 1):
        use(monkeypatch, PointCoins(p + side * NEAR, 8, 8, 128))
        drawn = draw()
        assert drawn.size >= 64
        assert (drawn == (side < 0)).all(), side


LAWS = [
    [THIRD, 2 * THIRD],
    [Fraction(2, 7)] * 3 + [Fraction(1, 7)],
    [Fraction(1, 300)] * 300,
    [Fraction(1, 2**40), 1 - Fraction(1, 2**40)],
    [1 - THIRD / 2**55, THIRD / 2**55],
]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: f"{len(law)} outcomes")
def test_an_outcome_changes_at_its_very_end(law):
    ends = table_ends(law)
    for end in ends[:: max(len(ends) // 5, 1)]:
        for u in (end - NEAR, end + NEAR):
            drawn = categorical_many(law, 16, PointCoins(u, 16, 4))
            assert drawn.tolist() == [bisect_right(ends, u)] * 16


@pytest.mark.parametrize("t", [2, 3, 5, 250])
@pytest.mark.parametrize("prob", ["2/3", Fraction(1, 2) + THIRD / 2**60, 1 - THIRD / 2**50])
@pytest.mark.parametrize("as_list", [False, True])
def test_a_reply_changes_at_its_very_end(t, prob, as_list, monkeypatch):
    rr = RandomizedResponse(categories=range(t), prob=prob)
    ends = table_ends([rr.prob, *[(1 - rr.prob) / (t - 1)] * (t - 1)])
    for end in ends[:: max(len(ends) // 5, 1)]:
        for u in (end - NEAR, end + NEAR):
            use(monkeypatch, PointCoins(u, 16, 4))
            places = [t - 1, 0] * 8
            drawn = rr.release_many(places) if as_list else rr.release_places(np.array(places))
            assert list(drawn) == [(place + bisect_right(ends, u)) % t for place in places]


@pytest.mark.parametrize(("d", "k", "prob"), [(3, 12, "3/7"), (1, 3, "2/3"), (2, 63, "1/3"), (5, 9, "3/5")])
def test_a_set_changes_at_its_very_end(d, k, prob, monkeypatch):
    m = SubsetSelection(categories=range(k), size=d, prob=prob)
    inside = math.comb(k - 1, d - 1)
    outside = math.comb(k - 1, d)
    sets = masks(d, k)
    ends = table_ends([m.prob / inside] * inside + [(1 - m.prob) / outside] * outside)
    for end in [ends[inside - 1], *ends[:: max(len(ends) // 4, 1)]]:
        for u in (end - NEAR, end + NEAR):
            use(monkeypatch, PointCoins(u, 16, 1))
            places = [k - 1, 0, 1, k // 2]
            drawn = m.release_many(places)
            meant = sets[bisect_right(ends, u)]
            for row, place in zip(drawn[:4], places, strict=False):
                assert {int(i) for i in np.flatnonzero(row)} == {(i + place) % k for i in range(k) if meant >> i & 1}


def tail_meant(scale: Fraction, bits: int) -> tuple[int, int, bool]:
    """Return the top digit of a draw past its table where U is 2**-bits, the bits below it, and whether U < 2**(1-bits)
    is enough to tell.
    """
    low = 0
    while scale / 2**low > 64:
        low += 1
    top = scale / 2**low
    with mpmath.workprec(200):
        beyond, less = (
            int(mpmath.floor(mpmath.mpf(top.numerator) / top.denominator * b * mpmath.log(2))) for b in (bits, bits - 1)
        )
    return math.ceil(16 * top) + beyond, low, beyond == less


TAILS = [(63, [2, 0]), (127, [0, 1, 0]), (1535, [*[0] * 23, 1, 0])]
TWO = tables.CHUNK + 8000
"""Two chunks, in which the coins below send the first and the last four draws far out."""


def far_out(n: int = TWO) -> list[int]:
    edges = [0, tables.CHUNK, n] if n > tables.CHUNK else [0, n]
    return [i for a, b in pairwise(edges) for i in (*range(a, a + 4), *range(b - 4, b))]


@pytest.mark.parametrize("scale", tiers.each([Fraction(1, 2), 10, 1000, 64, 2**53, 10**6], 2), ids=str)
@pytest.mark.parametrize(("bits", "script"), TAILS, ids=lambda v: str(v)[:5])
def test_noise_reaches_as_far_as_its_law(scale, bits, script, monkeypatch):
    """Words of ones leave every digit at its last outcome; then single draws of zeros go on, tens of scales out."""
    top, low, told = tail_meant(Fraction(scale), bits)
    far = (top + 1 << low) - 1
    assert far > 0.69 * bits * scale
    script = script[:-1] if told else script
    counts = LaplaceThreshold(scale=scale, threshold=-1)
    for draw, meant in (
        (lambda: geometric_many(scale, TWO), far),
        (lambda: discrete_laplace_many(scale, TWO), ~far),
        (lambda: Laplace(scale).add(np.full(TWO, 5), SYSTEM), 5 + ~far),
        (lambda: IntegerLaplace(scale=scale).release_many(np.full(TWO, 5)), 5 + ~far),
        (lambda: IntegerLaplace(scale=scale, domain=Vectors(Integers())).release([5] * TWO), 5 + ~far),
        (lambda: counts.release((KEYS[:TWO], np.full(TWO, 5)))[1], 5 + ~far),
        (lambda: [*counts.release(dict.fromkeys(KEYS[:TWO].tolist(), 5)).values()], 5 + ~far),
    ):
        draw()
        use(monkeypatch, CycleCoins([ONES], script))
        drawn = list(map(int, draw()))
        assert drawn[:4] + drawn[-4:] == [meant] * 8
        if len(drawn) == TWO:
            assert [i for i, z in enumerate(drawn) if z == meant] == far_out()
            assert len(set(drawn)) == 2
        else:
            assert drawn == [meant] * 16  # Of the counts those below -1 are released, and no other.


@pytest.mark.parametrize("scale", [1000, 10**6])
def test_far_noise_has_both_signs(scale, monkeypatch):
    top, low, told = tail_meant(Fraction(scale), 63)
    digits = 2 if scale == 1000 else 3
    discrete_laplace_many(scale, TWO)
    # The top digit passes its table; those below are 0, and the lowest says that the draw is not complemented.
    use(monkeypatch, CycleCoins([ONES, ONES, *[0] * (digits - 1)], [2] if told else [2, 0]))
    drawn = discrete_laplace_many(scale, TWO)
    assert np.flatnonzero(drawn).tolist() == far_out()
    assert set(drawn.tolist()) == {0, top << low}


def test_a_bounded_domain_gathers_far_noise_at_its_bound(monkeypatch):
    bounded = IntegerLaplace(scale=1000, domain=Integers(0, 50_000))
    for words, start, bound in (([ONES], 50_000, 0), ([ONES, ONES, 0], 5, 50_000)):
        bounded.release_many([5] * TWO)
        use(monkeypatch, CycleCoins(words, [2]))
        drawn = bounded.release_many([start] * TWO)
        assert set(drawn[far_out()].tolist()) == {bound}
        assert set(drawn.tolist()) == {start, bound}


@pytest.mark.parametrize("scale", [10, 1000, 10**6])
def test_words_of_zeros_are_no_noise(scale, monkeypatch):
    discrete_laplace_many(scale, 5000)
    use(monkeypatch, CycleCoins([0]))
    assert not discrete_laplace_many(scale, 70_000).any()
    assert not geometric_many(scale, 70_000).any()
    assert not below_many(2**62, 70_000).any()
    assert not categorical_many([1, 1, 2], 70_000).any()
    assert bernoulli_many(THIRD, 70_000).all()


@pytest.mark.parametrize("scale", [200, Fraction(511, 2), 256, 70_000])
def test_draws_of_two_and_three_words_lie_where_the_law_says(scale):
    """With 8-bit words a scale of 128 or more takes several at a first look."""
    length = 8 * (1 + (scale // 1).bit_length() // 8)
    s = mpmath.mpf(Fraction(scale).numerator) / Fraction(scale).denominator
    scripts = {*range(2, 64, 2), *(2 * secrets.randbelow(1 << length - 1) for _ in range(1000))} - {0}
    decided = 0
    with mpmath.workprec(100):
        shift = mpmath.log(2 / (1 + mpmath.exp(-1 / s)))
        for script in scripts:
            drawn = []
            for sign in (0, 1):
                try:
                    drawn.append(discrete_laplace(scale, ScriptedCoins(script | sign, length), word=8))
                except Exhausted:
                    drawn.append(None)
            if drawn[0] is None:
                assert drawn[1] is None
                continue
            decided += 1
            assert drawn[1] == -drawn[0] <= 0
            for u in (script >> 1, (script >> 1) + 1):
                exact = s * (shift - mpmath.log(mpmath.mpf(u) / 2 ** (length - 1)))
                assert drawn[0] - NEAR <= exact <= drawn[0] + 1 + NEAR
    assert decided > 500


def test_keys_that_tie_are_drawn_anew(monkeypatch):
    class Ties(StreamCoins):
        """Keys that are all the same, twice, then others."""

        ties = 2

        def words(self, n):
            if n == 64 * 100 // 2 and self.ties:
                self.ties -= 1
                return np.zeros(n, np.uint64)
            return super().words(n)

    coins = Ties()
    use(monkeypatch, coins)
    rows = unpacked(KEYED.release_packed(turns(64, 100)), 100)
    assert coins.ties == 0
    assert (rows.sum(axis=1) == 20).all()
    assert len({row.tobytes() for row in rows}) == 64


# --- Coins of a secret. ---


def test_coins_of_a_secret_differ_wherever_secret_or_context_do():
    long = bytes(range(256)) * 8
    streams = set()
    pairs = [(long, long)]
    for place in (0, 15, 16, 31, 32, 63, 64, 65, 127, 128, 1000, len(long) - 1):
        changed = bytearray(long)
        changed[place] ^= 1
        pairs += [(bytes(changed), long), (long, bytes(changed)), (long[: place + 1], long), (long, long[: place + 1])]
    pairs += [(long[:-1], long[-1:] + long), (long[:32], long[32:] + b"\0"), (long[:32], long[32:])]
    for secret, context in pairs:
        streams.add(KeyedCoins(secret, context).words(8).tobytes())
    assert len(streams) == len(set(pairs))


def test_coins_of_a_secret_never_repeat():
    coins = KeyedCoins(b"a secret of some length", b"context")
    drawn = np.concatenate([coins.words(512) for _ in range(512)])
    assert np.unique(drawn).size == drawn.size
    assert not repeated(drawn.view(np.uint8))
    again = KeyedCoins(b"a secret of some length", b"context")
    assert b"".join(again.bits(8).to_bytes() for _ in range(4096)) == drawn[:512].tobytes()


def test_permanent_answers_are_apart_for_questions_and_choices_that_share_a_long_beginning():
    beginning = "How often, in all of the past year, and honestly now, " * 20
    choices = [f"{beginning}{i}" for i in range(40)]
    rr = RandomizedResponse(categories=choices, prob="1/40")
    seen = set()
    for end in ("a", "b", "c"):
        asked = Question(beginning + end, choices)
        teller = asked.client(rr, secret=b"only on this device")
        said = tuple(teller.report(choice).payload for choice in choices)
        assert said == tuple(teller.report(choice).payload for choice in choices)
        assert len(set(said)) > 10  # Forty replies out of forty: one reply for all has probability 40**-39.
        seen.add(said)
    assert len(seen) == 3
    others = [asked.client(rr, secret=b"only on this device" * 5 + bytes([i])) for i in range(3)]
    assert len({tuple(teller.report(choice).payload for choice in choices) for teller in others}) == 3
