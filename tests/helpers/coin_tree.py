"""Scripted coins, and the enumeration of every word that a sampler may draw."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction
from itertools import cycle

import numpy as np


class Exhausted(Exception):
    """The script has ended: the draw asks for a word more."""


class ScriptedCoins:
    """Coins that give the bits of a script, once, and then raise Exhausted."""

    def __init__(self, value: int, length: int) -> None:
        self.value, self.length = value, length

    def bits(self, n):
        if n > self.length:
            raise Exhausted(n - self.length)
        self.length -= n
        drawn = self.value >> self.length
        self.value &= (1 << self.length) - 1
        return drawn

    def words(self, n):
        raise AssertionError("a single draw asks for an array")


class ArrayCoins:
    """Coins whose arrays are given, one for each call; single draws raise Exhausted."""

    def __init__(self, *arrays) -> None:
        self.arrays = [np.asarray(array) for array in arrays]

    def words(self, n):
        raw = self.arrays.pop(0).tobytes() if n else b""
        raw = raw[: 8 * n] + bytes(max(8 * n - len(raw), 0))
        return np.frombuffer(raw, np.uint64)

    def bits(self, n):
        raise Exhausted(n)


def law_by_counting(draw, word, layers):
    """Run *draw* on every script of words; return each outcome's decided mass and the undecided mass.

    Only scripts that a shorter script leaves undecided are made longer, so this enumerates the whole tree of
    coins down to the given number of layers of *word* bits.
    """
    decided = defaultdict(Fraction)
    undecided = [(0, 0)]
    for _ in range(layers):
        longer = []
        for value, length in undecided:
            for w in range(1 << word):
                script = (value << word | w, length + word)
                try:
                    outcome = draw(ScriptedCoins(*script))
                except Exhausted:
                    longer.append(script)
                else:
                    decided[outcome] += Fraction(1, 1 << script[1])
        undecided = longer
    return dict(decided), sum((Fraction(1, 1 << length) for _, length in undecided), Fraction(0))


def law_by_walking(draw, most):
    """Walk the tree of coins, by as many bits at a time as *draw* asks for; return what law_by_counting does.

    Scripts longer than *most* bits are left undecided.
    """
    decided, undecided, todo = defaultdict(Fraction), Fraction(0), [(0, 0)]
    while todo:
        value, length = todo.pop()
        try:
            decided[draw(ScriptedCoins(value, length))] += Fraction(1, 1 << length)
        except Exhausted as ended:
            (more,) = ended.args
            if length + more > most:
                undecided += Fraction(1, 1 << length)
            else:
                todo += [(value << more | w, length + more) for w in range(1 << more)]
    return dict(decided), undecided


class OneCellCoins(ScriptedCoins):
    """Scripted coins for arrays of one draw with 8-bit cells and words.

    The first array asked for is the cell, from the script. Of the word that follows an open cell only the bits
    beyond the cell count, and with 8-bit words there are none.
    """

    def __init__(self, value: int, length: int) -> None:
        super().__init__(value, length)
        self.asked = False

    def words(self, n):
        first, self.asked = not self.asked, True
        return np.array([self.bits(8) if first else 0xFF] * n, np.uint64)


class StreamCoins:
    """Coins of a fixed stream, taken in order: the same draws in the same order get the same coins."""

    def __init__(self, seed: int = 1) -> None:
        self.stream = np.random.PCG64(seed)

    def words(self, n):
        return self.stream.random_raw(n)

    def bits(self, n):
        drawn = int.from_bytes(self.words(-(-n // 64)).tobytes(), "little")
        return drawn >> (-n % 64)


class PointCoins:
    """Coins by which every draw of an array compares the one number *u*, told to 128 bits.

    A draw looks at its first *cell* bits, then at what a word adds to them, then at one more word. The sizes of what
    is asked for tell which: *cells* are the numbers of words that hold the cells of one call. Anything longer than
    the longest of them could leave open is *other* coins.
    """

    def __init__(self, u: Fraction, cell: int, *cells: int) -> None:
        self.u = u.numerator * 2**128 // u.denominator
        self.cell, self.cells = cell, cells
        self.most, self.other = max(cells) * 64 // cell, StreamCoins()

    def words(self, n):
        if n > self.most:
            return self.other.words(n)
        if n in self.cells:
            return np.full(64 // self.cell * n, self.u >> 128 - self.cell, f"u{self.cell // 8}").view(np.uint64)
        return np.full(n, (self.u >> 64 & (1 << 64 - self.cell) - 1) << self.cell, np.uint64)

    def bits(self, n):
        return self.u >> 64 - n & (1 << n) - 1


class CycleCoins:
    """Coins that give some words in turn, one a call, for arrays and for single draws.

    A long array has the word at both ends only, and zeros between: few draws of it are out of the ordinary.
    """

    def __init__(self, words, bits=()) -> None:
        self.of_arrays, self.of_one = cycle(words), cycle(bits)

    def words(self, n):
        words = np.full(n, next(self.of_arrays) if n else 0, np.uint64)
        words[1 : -1 if n > 16 else 1] = 0
        return words

    def bits(self, n):
        return next(self.of_one) & (1 << n) - 1
