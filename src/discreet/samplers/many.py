"""Arrays of draws: the laws of `one`, from table lookups on words.

A geometric variable's digits in any base are independent truncated geometrics, so a draw is one lookup
a digit. A discrete Laplace variable is a geometric one, complemented (z -> -1 - z) by an independent coin
of bias q / (1 + q): complementing is XOR, so the coin joins the lowest digit's table and the digits are
put together by XOR, each already in its place. Every draw takes the same number of lookups.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from discreet.coins import SYSTEM, Coins, fields
from discreet.errors import KindError, ParameterError
from discreet.reals import Number, Real, enclose_bits, exp, expm1, floor_bits, powers
from discreet.samplers.one import (
    CONSTANT_WORDS,
    WORD,
    below,
    below_real,
    check_probability,
    check_scale,
    discrete_laplace,
    floor_log,
    geometric,
    integer_weights,
    scaled_log,
)
from discreet.samplers.tables import CELL, CHUNK, Table

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "add_exactly",
    "below_many",
    "bernoulli_many",
    "categorical_many",
    "discrete_laplace_many",
    "geometric_many",
]

L = TypeVar("L")

# A digit has at most this many bits, and the top digit's own scale is at most this: with 16-bit cells a
# table of K outcomes leaves about K / 2**17 of the draws open.
_DIGIT_BITS: Final = 8
_TOP_SCALE: Final = 64
# The top digit's table stops where a share of exp(-16) is left; by memorylessness that share starts anew.
_TOP_SPAN: Final = 16
_LARGEST: Final = 1 << 54
"""From this scale on, draws are Python ints."""
_BYTES: Final = 1 << 19
"""Coin flips made at a time."""
_WORTH_TABLES: Final = 4096
"""Building tables takes as long as a few thousand single draws."""
_ROOM: Final = 24
"""Laws whose tables are kept."""


def bernoulli_many(
    p: Number, n: int, coins: Coins = SYSTEM, *, constant_words: bool = False, word: int = WORD
) -> NDArray[np.bool_]:
    """Return *n* independent draws, each True with probability exactly p.

    One byte of U settles all but one draw in 256; *constant_words* compares 17 words for each.

    >>> bernoulli_many(Fraction(1, 3), 5).shape
    (5,)
    """
    check_probability(p)
    if constant_words:
        return _bernoulli_constant(p, n, coins, word)
    out = np.empty(n, np.bool_)
    [(low, high)] = enclose_bits([p], word)
    first, last = low >> (word - 8), (high - 1) >> (word - 8)  # The cells that leave it open.
    for start in range(0, n, _BYTES):
        part = out[start : start + _BYTES]
        cells = fields(coins, part.size, 8)
        np.less(cells, first, out=part)
        if (low, high) != (first << (word - 8), first << (word - 8)):
            places = np.flatnonzero(cells == first if first == last else (cells >= first) & (cells <= last))
            part[places] = _settle_bits(p, cells[places], low, high, coins, word)
    return out


def _settle_bits(p: Number, cells: NDArray[Any], low: int, high: int, coins: Coins, word: int) -> NDArray[np.bool_]:
    """Return whether U < p where the first byte of U leaves it open."""
    words = fields(coins, cells.size, word)
    prefixes = cells.astype(words.dtype) << words.dtype.type(word - 8)
    prefixes |= words >> words.dtype.type(8)
    answers: NDArray[np.bool_] = prefixes < low
    for i in np.flatnonzero((prefixes >= low) & (prefixes < high)):
        answers[i] = below_real(p, int(prefixes[i]), word, coins, word)
    return answers


def _bernoulli_constant(p: Number, n: int, coins: Coins, word: int) -> NDArray[np.bool_]:
    """Return *n* draws; each compares all of its first 17 words, whatever they are."""
    bits = CONSTANT_WORDS * word
    floor = floor_bits(p, bits)
    exact = not isinstance(p, Real) and floor * p.denominator == p.numerator << bits
    digits = [floor >> word * (CONSTANT_WORDS - 1 - j) & (1 << word) - 1 for j in range(CONSTANT_WORDS)]
    out = np.empty(n, np.bool_)
    for start in range(0, n, CHUNK // 8):
        part = out[start : start + CHUNK // 8]
        words = fields(coins, part.size * CONSTANT_WORDS, word).reshape(part.size, CONSTANT_WORDS)
        part[:] = floor >> bits  # p = 1 is above every U.
        same = np.ones(part.size, np.bool_)
        for j, digit in enumerate(digits):
            part |= same & (words[:, j] < digit)
            same &= words[:, j] == digit
        for i in [] if exact else np.flatnonzero(same):
            part[i] = below_real(p, floor, bits, coins, word)
    return out


def below_many(
    n: int | NDArray[Any], size: int | None = None, coins: Coins = SYSTEM, *, word: int = WORD
) -> NDArray[Any]:
    """Return independent uniform integers of 0 .. n-1, for one n or an array of them.

    The high half of word * n is uniform once a word whose low half is under 2**word mod n is drawn anew
    [Lemire 2019]. Where n exceeds 2**63 the draws are Python ints.

    >>> bool((below_many(np.array([1, 2, 3])) < [1, 2, 3]).all()), below_many(6, 4).shape
    (True, (4,))
    """
    limits = np.full(() if size is None else size, n) if isinstance(n, int) else np.asarray(n)
    if limits.dtype.kind not in "iuO":
        raise KindError("n", limits.dtype, "integers")
    flat = limits.ravel()
    if flat.size and int(flat.min()) < 1:
        raise ParameterError("n", int(flat.min()), "n >= 1")
    if flat.size and int(flat.max()) > 1 << 63:
        return fitted([below(int(m), coins) for m in flat.tolist()], False).reshape(limits.shape)
    out = np.empty(flat.size, np.int64)
    for start in range(0, flat.size, CHUNK):
        stop = start + CHUNK
        out[start:stop] = _below(flat[start:stop].astype(np.uint64), coins, word)
    return out.reshape(limits.shape)


def _below(limits: NDArray[np.uint64], coins: Coins, word: int) -> NDArray[np.uint64]:
    """Return one uniform integer below each limit, which is at most 2**word."""
    most, one = np.uint64((1 << word) - 1), np.uint64(1)
    out, low = _multiply(fields(coins, limits.size, word).astype(np.uint64), limits, word)
    doubtful = np.flatnonzero(low < limits)
    m = limits[doubtful]
    again = doubtful[low[doubtful] < (most - m + one) % m]  # The remainder of 2**word by m.
    if again.size:
        out[again] = _below(limits[again], coins, word)
    return out


def _multiply(a: NDArray[np.uint64], b: NDArray[np.uint64], word: int) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the high and the low word of a * b, by halves of a word."""
    half = np.uint64(word // 2)
    mask = np.uint64((1 << word // 2) - 1)
    a1, a0, b1, b0 = a >> half, a & mask, b >> half, b & mask
    low = a0 * b0
    middle = a1 * b0 + (low >> half)
    other = a0 * b1 + (middle & mask)
    return a1 * b1 + (middle >> half) + (other >> half), (other & mask) << half | low & mask


def categorical_many(
    weights: Sequence[int | Fraction], n: int, coins: Coins = SYSTEM, *, cell: int = CELL, word: int = WORD
) -> NDArray[np.int64]:
    """Return *n* independent indexes, i with probability exactly weights[i] over their sum.

    >>> set(categorical_many([1, 0, 2], 1000).tolist()) <= {0, 2}
    True
    """
    return categorical_table(weights, cell=cell, word=word).draw(n, coins)


def categorical_table(weights: Sequence[int | Fraction], *, cell: int = CELL, word: int = WORD) -> Table:
    """Return the table of the law that categorical_many draws from."""
    scaled = integer_weights(weights)
    whole = sum(scaled)
    values = [i for i, weight in enumerate(scaled) if weight]
    return Table([Fraction(scaled[i], whole) for i in values], values, cell=cell, word=word)


def geometric_many(
    scale: Fraction | int,
    n: int,
    coins: Coins = SYSTEM,
    *,
    private_size: bool = False,
    cell: int = CELL,
    word: int = WORD,
) -> NDArray[Any]:
    """Return *n* independent draws of k >= 0, with probability proportional to exp(-k / scale).

    int64 where the scale is below 2**54, else Python ints; also Python ints if a draw does not fit. For tables and
    *private_size* see discrete_laplace_many.

    >>> geometric_many(Fraction(10), 5).dtype, bool((geometric_many(1, 5) >= 0).all())
    (dtype('int64'), True)
    """
    return _draw_many(Fraction(scale), False, n, coins, private_size or n >= _WORTH_TABLES, cell, word)


def discrete_laplace_many(
    scale: Fraction | int,
    n: int,
    coins: Coins = SYSTEM,
    *,
    private_size: bool = False,
    cell: int = CELL,
    word: int = WORD,
) -> NDArray[Any]:
    """Return *n* independent draws of z, with probability proportional to exp(-|z| / scale).

    int64 where the scale is below 2**54, else Python ints; also Python ints if a draw does not fit. Tables are built
    for a large *n*, and kept; with *private_size* for any, because *n* is then nothing that a later call may feel.

    >>> discrete_laplace_many(Fraction(10), 5).dtype, discrete_laplace_many(10**20, 5).dtype
    (dtype('int64'), dtype('O'))
    """
    return _draw_many(Fraction(scale), True, n, coins, private_size or n >= _WORTH_TABLES, cell, word)


def add_exactly(values: NDArray[Any] | Sequence[int], draws: Callable[[int], NDArray[Any]]) -> NDArray[Any]:
    """Return integers with a draw added to each, exactly: Python ints where int64 is too small.

    *draws* is asked once, for as many draws as there are integers.

    >>> add_exactly([1, 2**70], lambda n: np.full(n, 5))
    array([6, 1180591620717411303429], dtype=object)
    """
    flat = values if isinstance(values, np.ndarray) else fitted(list(values))
    if flat.dtype.kind == "u" and flat.size and int(flat.max()) < 1 << 63:
        flat = flat.astype(np.int64)
    noise = draws(flat.size)
    if flat.dtype.kind == "i" and noise.dtype == np.int64 and flat.size:
        edges = (int(flat.min()) + int(noise.min()), int(flat.max()) + int(noise.max()))
        if edges[0] >= -(1 << 63) and edges[1] < 1 << 63:
            noisy: NDArray[np.int64] = np.add(flat, noise, dtype=np.int64)
            return noisy
    return fitted([x + z for x, z in zip(map(int, flat.tolist()), noise.tolist(), strict=True)])


def _draw_many(scale: Fraction, signed: bool, n: int, coins: Coins, build: bool, cell: int, word: int) -> NDArray[Any]:
    check_scale(scale)
    if scale == 0:
        return np.zeros(n, np.int64)
    law = (scale.numerator, scale.denominator, signed)
    if scale < _LARGEST:
        digits = kept((*law, cell, word), build, lambda: Digits(scale, signed, cell=cell, word=word))
        if digits is not None:
            return digits.draw(n, coins)
    scaled_log(*law, word)  # Made now, because whether a draw follows may be private.
    one = discrete_laplace if signed else geometric
    return fitted([one(scale, coins, word=word) for _ in range(n)], scale < _LARGEST)


def fitted(draws: list[int], try_int64: bool = True) -> NDArray[Any]:
    """Return integers as int64 if they all fit, else as Python ints."""
    if try_int64:
        try:
            return np.array(draws, np.int64)
        except OverflowError:
            pass
    out = np.empty(len(draws), object)
    out[:] = draws
    return out


class Digits:
    """The tables of a geometric (or, signed, a discrete Laplace) law: one a digit, lowest first."""

    def __init__(self, scale: Fraction, signed: bool, *, cell: int = CELL, word: int = WORD) -> None:
        low_bits = ((scale / _TOP_SCALE).__ceil__() - 1).bit_length()
        count = -(-low_bits // _DIGIT_BITS)
        cuts = [*(low_bits * j // count for j in range(count)), low_bits]
        self._shift = low_bits
        top_scale = scale / (1 << low_bits)
        self._span = (_TOP_SPAN * top_scale).__ceil__()
        self._rest = scaled_log(top_scale.numerator, top_scale.denominator, False, WORD)
        self._tables = []
        for low, high in zip(cuts, [*cuts[1:], None], strict=True):
            size = self._span if high is None else 1 << high - low
            shares = _shares(scale) if signed and low == 0 else (Fraction(1),)
            law = _digit_law(scale / (1 << low), size, high is None, shares)
            ways = (0, -1)[: len(shares)]  # XOR with -1 complements.
            values = [k << low ^ way for k in range(len(law) // len(ways)) for way in ways]
            reported = len(ways) if high is None else 0
            self._tables.append(Table(law, values, reported=reported, cell=cell, word=word))
        self._beyond = 2 * self._span if signed and not low_bits else self._span

    def draw(self, n: int, coins: Coins) -> NDArray[Any]:
        """Return *n* independent draws."""
        out = np.empty(n, np.int64)
        digit = np.empty(min(n, CHUNK), np.int64)
        large: dict[int, int] = {}
        for start in range(0, n, CHUNK):
            part = out[start : start + CHUNK]
            places, outcomes = self._tables[-1].fill(part, coins)
            for table in self._tables[:-1]:
                table.fill(digit[: part.size], coins)
                part ^= digit[: part.size]
            for i in places[outcomes >= self._beyond].tolist():
                large[start + i] = self._go_on(int(part[i]), coins)
        return patched(out, large)

    def _go_on(self, draw: int, coins: Coins) -> int:
        """Return the draw with its top digit, which passed the table's span, replaced by one drawn anew."""
        top = self._span + floor_log(*self._rest, coins, WORD)[0]
        return draw ^ (self._span << self._shift) ^ (top << self._shift)


def patched(out: NDArray[np.int64], large: dict[int, int]) -> NDArray[Any]:
    """Return the array with some values replaced; as Python ints if one of them does not fit."""
    fits = all(-(1 << 63) <= value < 1 << 63 for value in large.values())
    whole: NDArray[Any] = out if fits else out.astype(object)
    for i, value in large.items():
        whole[i] = value
    return whole


def _digit_law(scale: Fraction, size: int, top: bool, shares: Sequence[Number]) -> list[Number]:
    """Return shares of Pr[k] = exp(-k / scale) (1 - exp(-1 / scale)) over what is kept, for k below *size*.

    A top digit keeps everything: k = *size* then stands for all the rest.
    """
    kept = Fraction(1) if top else -expm1(-size / scale)
    factors = [share * -expm1(-1 / scale) / kept for share in shares]
    law = [power * factor for power in powers(-1 / scale, size) for factor in factors]
    return law + [share * exp(-size / scale) for share in shares if top]


def _shares(scale: Fraction) -> tuple[Number, Number]:
    """Return the probabilities that a geometric variable is kept, and that it is complemented."""
    q = exp(-1 / scale)
    return 1 / (1 + q), q / (1 + q)


_KEPT: Final[dict[tuple[object, ...], Any]] = {}


def kept(law: tuple[object, ...], build: bool, make: Callable[[], L]) -> L | None:
    """Return a law's tables if they are kept, or are to be built.

    What is kept is a function of the laws asked for, in their order, and of *build*, which must be public.
    """
    made: L | None = _KEPT.get(law)
    if made is None and build:
        made = _KEPT[law] = make()
        for old in list(_KEPT)[:-_ROOM]:
            _KEPT.pop(old, None)
    return made
