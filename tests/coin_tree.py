"""Scripted coins, and the enumeration of every word that a sampler may draw."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

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
