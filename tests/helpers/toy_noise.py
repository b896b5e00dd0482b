"""Two laws of noise that the library does not have: each goes through its mechanisms and audits as it is."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from discreet.measures import Approximate, EpsilonDelta, MaxDivergence, Pure
from discreet.noise import Noise
from discreet.reals import exp, floor_bits, ln
from discreet.samplers import bernoulli, categorical


@dataclass(frozen=True, slots=True)
class Plateau(Noise):
    """Pr[Z = z] is the same up to a width, and divided by a base for each step beyond: pure, and then geometric."""

    width: int
    base: int = 2

    measure: ClassVar = MaxDivergence()

    @property
    def settled(self):
        return self.width

    @property
    def _whole(self):
        return 2 * self.width + 1 + Fraction(2, self.base - 1)

    @property
    def second_moment(self):
        b, w = Fraction(self.base), self.width
        moments = 1 / (b - 1), b / (b - 1) ** 2, b * (b + 1) / (b - 1) ** 3  # The sums of 1, j and j^2 over b^j.
        beyond = w**2 * moments[0] + 2 * w * moments[1] + moments[2]
        return 2 * (sum(z * z for z in range(w + 1)) + beyond) / self._whole

    def tail(self, k):
        rest = Fraction(1, self.base - 1)
        inside = self.width + 1 - k
        return (inside + rest if inside > 0 else rest * Fraction(self.base) ** inside) / self._whole

    def draw(self, coins):
        place = categorical([*[self.base - 1] * (2 * self.width + 1), 1, 1], coins)
        if place <= 2 * self.width:
            return place - self.width
        size = self.width + 1
        while bernoulli(Fraction(1, self.base), coins):
            size += 1
        return size if place % 2 else -size

    def draws(self, n, coins, *, private_size=False):
        return np.array([self.draw(coins) for _ in range(n)], np.int64)

    def loss(self, sensitivity):
        return Pure(ln(Fraction(self.base)) * sensitivity.l1)

    @classmethod
    def within(cls, budget, sensitivity):
        return cls(0, floor_bits(exp(budget.epsilon / sensitivity.l1), 0))


@dataclass(frozen=True, slots=True)
class Triangle(Noise):
    """Pr[Z = z] falls in a straight line to 0 at a width: no epsilon, and so a delta."""

    width: int

    measure: ClassVar = Approximate(MaxDivergence())

    @property
    def second_moment(self):
        return Fraction(self.width**2 - 1, 6)

    def tail(self, k):
        return Fraction(max(self.width - k, 0) * (max(self.width - k, 0) + 1), 2 * self.width**2)

    def draw(self, coins):
        return categorical([1] * self.width, coins) - categorical([1] * self.width, coins)

    def draws(self, n, coins, *, private_size=False):
        return np.array([self.draw(coins) for _ in range(n)], np.int64)

    def loss(self, sensitivity):
        # A step of 1 moves as much probability as there is at 0, and l1 steps lead from one to the other.
        return EpsilonDelta(Fraction(0), min(Fraction(sensitivity.l1, self.width), Fraction(1)))

    @classmethod
    def within(cls, budget, sensitivity):
        return cls(-(-sensitivity.l1 // budget.delta))
