"""One draw at a time. U lies in [prefix, prefix + 1) / 2**bits, and words are added until that decides.

A draw asks for one word more in a rare event that may depend on its value: of probability below 2**-17 for the
quick logarithm (scales below 2**20), and n / 2**64 for `below`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import lcm
from typing import Final, TypeVar

from discreet.coins import SYSTEM, Coins
from discreet.errors import ParameterError
from discreet.reals import Number, Real, ScaledLog, enclose_bits, expm1, log1p

__all__ = ["below", "bernoulli", "categorical", "discrete_laplace", "geometric", "shuffled"]

T = TypeVar("T")

WORD: Final = 64
CONSTANT_WORDS: Final = 17
"""Every double is a multiple of 2**-1074, so 17 words of 64 bits decide any comparison with one."""


def bernoulli(p: Number, coins: Coins = SYSTEM, *, constant_words: bool = False, word: int = WORD) -> bool:
    """Return True with probability exactly p.

    With *constant_words* every draw compares at least 17 words of U with p, whatever the outcome.

    >>> bernoulli(Fraction(1)), bernoulli(Fraction(0)), bernoulli(Fraction(1, 3)) in (True, False)
    (True, False, True)
    """
    check_probability(p)
    bits = CONSTANT_WORDS * word if constant_words else word
    return below_real(p, coins.bits(bits), bits, coins, word)


def below_real(p: Number, prefix: int, bits: int, coins: Coins, word: int = WORD) -> bool:
    """Return whether U < p, given the first *bits* bits of U. This is the one lemma."""
    if isinstance(p, Real):
        while True:
            [(low, high)] = enclose_bits([p], bits)
            if prefix < low or prefix >= high:
                return prefix < low
            prefix, bits = prefix << word | coins.bits(word), bits + word
    a, d = p.numerator, p.denominator
    while True:
        gap = (a << bits) - prefix * d  # U < p for all such U iff gap >= d, for none iff gap <= 0.
        if gap >= d or gap <= 0:
            return gap > 0
        prefix, bits = prefix << word | coins.bits(word), bits + word


def rank_of(numbers: Sequence[Number], prefix: int, bits: int, coins: Coins, word: int = WORD) -> int:
    """Return how many of some numbers are at most U, given the first *bits* bits of U.

    >>> rank_of([Fraction(1, 4), Fraction(1, 2), Fraction(3, 4)], 5, 3, SYSTEM)
    2
    """
    while True:
        ends = enclose_bits(numbers, bits)
        at_most, above = (sum(high <= prefix for _, high in ends), sum(prefix < low for low, _ in ends))
        if at_most + above == len(ends):
            return at_most
        prefix, bits = prefix << word | coins.bits(word), bits + word


def below(n: int, coins: Coins = SYSTEM, *, word: int = WORD) -> int:
    """Return a uniform integer of 0 .. n-1, for any n: the floor of n U.

    >>> 0 <= below(10**40) < 10**40
    True
    """
    if n < 1:
        raise ParameterError("n", n, "n >= 1")
    bits = word * (n.bit_length() // word + 1)
    return floor_of(n, coins.bits(bits), bits, coins, word)


def floor_of(n: int, prefix: int, bits: int, coins: Coins, word: int = WORD) -> int:
    """Return the floor of n U, given the first *bits* bits of U."""
    while True:
        low, high = prefix * n >> bits, prefix * n + n - 1 >> bits
        if low == high:
            return low
        prefix, bits = prefix << word | coins.bits(word), bits + word


def categorical(weights: Sequence[int | Fraction], coins: Coins = SYSTEM, *, word: int = WORD) -> int:
    """Return index i with probability exactly weights[i] over their sum.

    >>> categorical([0, 1, 0]), categorical([Fraction(1, 3), Fraction(1, 6)]) in (0, 1)
    (1, True)
    """
    steps = list(accumulate(integer_weights(weights)))
    return bisect_right(steps, below(steps[-1], coins, word=word))


def shuffled(items: Iterable[T], coins: Coins = SYSTEM, *, word: int = WORD) -> list[T]:
    """Return items in an order drawn uniformly [Fisher and Yates 1938].

    >>> sorted(shuffled("abc"))
    ['a', 'b', 'c']
    """
    out = list(items)
    for i in range(len(out) - 1, 0, -1):
        j = below(i + 1, coins, word=word)
        out[i], out[j] = out[j], out[i]
    return out


def geometric(scale: Fraction | int, coins: Coins = SYSTEM, *, word: int = WORD) -> int:
    """Return k >= 0 with probability proportional to exp(-k / scale): the floor of -scale ln U.

    >>> geometric(0), geometric(Fraction(10)) >= 0
    (0, True)
    """
    check_scale(scale)
    return floor_log(*scaled_log(scale.numerator, scale.denominator, False, word), coins, word)[0] if scale else 0


def discrete_laplace(scale: Fraction | int, coins: Coins = SYSTEM, *, word: int = WORD) -> int:
    """Return an integer z with probability proportional to exp(-|z| / scale).

    With q = exp(-1/scale), Pr[|Z| >= k] = 2 q**k / (1 + q) for k >= 1: |Z| is the floor of
    scale (ln(2 / (1 + q)) - ln U), and its sign is one more coin.

    >>> discrete_laplace(0), isinstance(discrete_laplace(Fraction(10)), int)
    (0, True)
    """
    check_scale(scale)
    if not scale:
        return 0
    size, negative = floor_log(*scaled_log(scale.numerator, scale.denominator, True, word), coins, word)
    return -size if negative else size


def check_probability(p: Number) -> None:
    """Raise unless 0 <= p <= 1; a Real is taken at its word."""
    if not isinstance(p, Real) and not 0 <= p.numerator <= p.denominator:
        raise ParameterError("p", p, "0 <= p <= 1")


def check_scale(scale: Fraction | int) -> None:
    """Raise unless the scale is at least 0."""
    if scale.numerator < 0:
        raise ParameterError("scale", scale, "scale >= 0")


def integer_weights(weights: Sequence[int | Fraction]) -> list[int]:
    """Return integers in the same proportions; raise unless they are weights."""
    common = lcm(*(w.denominator for w in weights))
    scaled = [w.numerator * (common // w.denominator) for w in weights]
    if not scaled or min(scaled) < 0 or max(scaled) == 0:
        raise ParameterError("weights", weights, "numbers >= 0, at least one of them > 0")
    return scaled


def floor_log(log: ScaledLog, length: int, coins: Coins, word: int) -> tuple[int, int]:
    """Return the floor of scale (shift - ln U), and one fair bit; the first look at U takes *length* bits."""
    draw = coins.bits(length)
    prefix, bits = draw >> 1, length - 1
    while (k := log.decide(prefix, bits)) is None:
        prefix, bits = prefix << word | coins.bits(word), bits + word
    return k, draw & 1


@lru_cache(maxsize=4096)
def scaled_log(num: int, den: int, two_sided: bool, word: int) -> tuple[ScaledLog, int]:
    """Return the logarithm for a scale, and how many bits a first look at it takes."""
    scale = Fraction(num, den)
    # ln(2 / (1 + q)) = -ln(1 - (1 - q) / 2), which stays accurate as q tends to 1.
    shift: Number = -log1p(expm1(-1 / scale) / 2) if two_sided else Fraction(0)
    return ScaledLog(scale, shift), word * (1 + (num // den).bit_length() // word)
