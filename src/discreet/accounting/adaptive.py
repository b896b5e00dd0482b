"""The adaptive filter: charges are integers, and what they allow holds against any analyst who chooses as he goes.

Theorem.  A move m on the menu, a loss of m h, costs m^2 units. Let V_0(l) = (1 - exp(epsilon - l))+ and V_b(l) the
greatest of V_{b-1}(l) and p V_{b-m^2}(l + m h) + (1 - p) V_{b-m^2}(l - m h), p = 1 / (1 + exp(-m h)), over moves m with
m^2 <= b. If V_B(0) <= delta - D, then any releases, each chosen after the answers before it, are together
(epsilon, delta)-DP, if their deltas come to at most D, and their units to B or their epsilons to epsilon at most.
Proof: adaptive.md, which cites the marked lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import count, islice, takewhile
from types import MappingProxyType
from typing import Any, Final, final

import numpy as np

from discreet.accounting.accountants import Accountant, State
from discreet.accounting.amounts import Amount
from discreet.errors import ParameterError
from discreet.events import Event
from discreet.exact import in_full, read_in_full, whole, written
from discreet.measures import amount
from discreet.reals import exp, expm1, float_up

__all__ = ["Adaptive"]

_MENU: Final = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 16, 20, 25, 30, 40, 50)
"""Dense where moves are small; the steps of the epsilons that people write."""
_STEPS: Final = 300
"""About so many steps make the budget's epsilon."""
_ABOVE: Final = 600
_BELOW: Final = 300
"""How many steps beyond epsilon and below 0 the lattice reaches; outside it, values are bounded."""
_MOST_UNITS: Final = 1 << 14
_MOST_STEPS: Final = 1000
_LONGEST: Final = 64
"""Terms that name a finer step or a longer move are unsound: to compute their value may take for ever."""
_FAR: Final = Fraction(40)
"""Beyond it probabilities are as good as 1 or 0, and bounded rather than computed."""
_SURELY: Final = 1 + Fraction(1, 1 << 32)
_AGAIN: Final = 1 + Fraction(1, 1 << 35)
"""By so much rounding may make a computed value too small; books are made with more to spare than is asked later."""
_TINY: Final = Fraction(1, 1 << 999)
"""More than all that underflows."""


@final
@dataclass(frozen=True, slots=True)
class Adaptive(Accountant):
    """Moves of *step*, of which *units* are allowed in squares, beside deltas of *release_delta* in all.

    >>> book = Adaptive.for_budget(Amount(Fraction(3), Fraction("5e-6")))
    >>> book.step, book.units, book.release_delta
    (Fraction(1, 100), 4434, Fraction(1, 400000))
    >>> state = book.after(book.start, Event.of(moves=[("0.02", 1000)]))
    >>> book.left(state, Amount(Fraction(3), Fraction("5e-6")))
    Amount(epsilon=Fraction(1, 5), delta=Fraction(1, 400000))
    """

    name = "adaptive"
    sums = MappingProxyType(
        {"units": "units", "epsilon": "the plain sum of epsilons", "delta": "the releases' own deltas"}
    )

    step: Fraction
    menu: tuple[int, ...]
    units: int
    release_delta: Fraction

    @classmethod
    def for_budget(cls, budget: Amount, release_delta: Fraction | None = None) -> Adaptive:
        """Return the filter with the most units, and half of delta for the releases' own, unless another part is said.

        >>> Adaptive.for_budget(Amount(Fraction(1), Fraction("1e-6")), Fraction(0)).units
        2186
        """
        own = budget.delta / 2 if release_delta is None else amount(release_delta, "release_delta")
        if own > budget.delta:
            raise ParameterError(
                "release_delta", release_delta, f"0 <= release_delta <= {budget.delta}, the whole delta"
            )
        step = _round(budget.epsilon / _STEPS)
        return cls(step, _MENU, _most_units(budget.epsilon, budget.delta - own, step, _MENU), own)

    @property
    def terms(self) -> dict[str, Any]:
        """Its numbers, as plain values."""
        return {
            "step": in_full(self.step),
            "menu": list(self.menu),
            "units": self.units,
            "release_delta": in_full(self.release_delta),
        }

    @classmethod
    def of_terms(cls, terms: dict[str, Any], /) -> Adaptive:
        """Return the filter that books name.

        >>> book = Adaptive(Fraction(1, 100), (1, 2), 100, Fraction(0))
        >>> Adaptive.of_terms(book.terms) == book
        True
        """
        menu, units = tuple(whole(m, "menu", 1) for m in terms["menu"]), whole(terms["units"], "units", 0)
        return cls(read_in_full(terms["step"]), menu, units, read_in_full(terms["release_delta"]))

    def is_sound(self, budget: Amount, /) -> bool:
        """Whether V_B(0) <= delta - D for a budget, computed anew.

        >>> Adaptive(Fraction(1, 100), (1, 2), 10**4, Fraction(0)).is_sound(Amount(Fraction(1), Fraction("1e-6")))
        False
        """
        rest = budget.delta - self.release_delta
        if not (self.release_delta >= 0 <= rest and 0 <= self.units <= _MOST_UNITS):
            return False
        moves = self.menu and self.menu == tuple(sorted({*self.menu})) and 0 < self.menu[0] <= self.menu[-1] <= _LONGEST
        if not (moves and 0 < budget.epsilon <= _MOST_STEPS * self.step):  # proof: bounds
            return False
        value = _value(budget.epsilon, self.step, self.menu, self.units)
        return self.units == 0 or value * _AGAIN + _TINY <= rest  # proof: again

    def cost(self, event: Event, /) -> State:
        """Return the event's units, epsilon and delta."""
        units = sum(self._counted(*move)[0] for move in event.moves)
        return Fraction(units), event.epsilon, event.delta

    def limits(self, budget: Amount, /) -> State:
        """Return the units, the budget's epsilon, and the part of delta that is for the releases' own."""
        return Fraction(self.units), budget.epsilon, self.release_delta

    def exceeds(self, state: State, budget: Amount, /) -> bool:
        """Whether the deltas are more than is kept for them, or both the units and the epsilons are too many."""
        units, epsilon, delta = state
        return delta > self.release_delta or (units > self.units and epsilon > budget.epsilon)  # proof: or

    def left(self, state: State, budget: Amount, /) -> Amount:
        """Return the greatest epsilon of one move that still fits, and what is left of the releases' own delta."""
        units, epsilon, delta = state
        moves = [m * self.step for m in self.menu if units + m * m <= self.units]
        return Amount(max([Fraction(0), budget.epsilon - epsilon, *moves]), self.release_delta - delta)

    def spent(self, state: State, /) -> Amount:
        """Return the sums of epsilons and deltas, which may be more than the budget."""
        _, epsilon, delta = state
        return Amount(epsilon, delta)

    def share(self, state: State, event: Event, budget: Amount, /) -> Fraction:
        """Return which part of what is left an event takes: of the deltas, and of the units or of epsilon."""
        units, epsilon, delta = self._shares(state, event, budget)
        return max(min(units, epsilon), delta)

    def readings(self, state: State, budget: Amount, /) -> dict[str, tuple[Fraction, Fraction]]:
        """Return units, epsilons and deltas; of the first two only one, where the other can decide no more.

        >>> book = Adaptive(Fraction(1, 100), (1, 2), 100, Fraction(0))
        >>> list(book.readings((Fraction(8), Fraction(4), Fraction(0)), Amount(Fraction(3), Fraction(0))))
        ['units', 'delta']
        """
        both = Accountant.readings(self, state, budget)  # A class with slots is another one, to super() in a method.
        over = [name for name in ("units", "epsilon") if both[name][0] > both[name][1]]
        return both if len(over) == 2 else {name: pair for name, pair in both.items() if name not in over}

    def remark(self, event: Event, /) -> str | None:
        """Return which epsilons were rounded up to the menu, or are beyond it.

        >>> book = Adaptive(Fraction(1, 100), (1, 2, 4), 100, Fraction(0))
        >>> book.remark(Event.of(moves=[("0.013", 1), ("0.02", 5), ("0.013", 7), (1, 1)]))
        '0.013 counted as 0.02, 7 x 0.013 counted as 7 x 0.02, 1 only by plain addition, as all that follows'
        >>> book.remark(Event.of(moves=[("0.005", 2)])) is None
        True
        """
        return ", ".join(filter(None, (self._told(*move) for move in event.moves))) or None

    def _told(self, epsilon: Fraction, count: int) -> str:
        """Return as what equal moves are counted, if not as what they are."""
        _, n, m = self._counted(epsilon, count)
        loss = m * self.step
        if m and n * loss == count * epsilon:
            return ""
        counted = f"counted as {_times(n, loss, up=False)}" if m else "only by plain addition, as all that follows"
        return f"{_times(count, epsilon, up=True)} {counted}"

    def _counted(self, epsilon: Fraction, count: int) -> tuple[int, int, int]:
        """Return the least cost of equal moves, of which several may be counted as one: n times m of the menu."""
        together = [(m, min(count, m * self.step // epsilon)) for m in self.menu]
        ways = [(-(-count // n), m) for m, n in together if n]
        costs = [(n * m * m, n, m) for n, m in ways]  # proof: cost
        return min(costs, default=(self.units + 1, 0, 0))  # proof: off


@lru_cache(maxsize=64)
def _most_units(epsilon: Fraction, delta: Fraction, step: Fraction, menu: tuple[int, ...]) -> int:
    """Return the greatest B, up to a limit, with V_B(0) <= delta for sure. No unit is needed for B = 0."""
    values = islice(_values(epsilon, step, menu), 1, _MOST_UNITS + 1)
    return sum(1 for _ in takewhile(lambda value: value * _SURELY + _TINY <= delta, values))  # proof: most


@lru_cache(maxsize=64)
def _value(epsilon: Fraction, step: Fraction, menu: tuple[int, ...], units: int) -> Fraction:
    """Return V_b(0) for some units b."""
    return next(islice(_values(epsilon, step, menu), units, None))


def _values(epsilon: Fraction, step: Fraction, menu: tuple[int, ...]) -> Iterator[Fraction]:
    """Yield V_0(0), V_1(0), ...: sums, products and maxima of floats of which none is negative, and each is rounded up.

    Rows of the lattice are kept as long as the longest move needs them, with room for it at both ends.
    """
    lattice = range(-_BELOW, (epsilon / step).__ceil__() + _ABOVE)
    room, size = max(menu), len(lattice)
    here = slice(room, room + size)
    rows = np.ones((room * room + 1, size + 2 * room))  # proof: top
    best = np.array([_payoff(j * step - epsilon) for j in lattice])
    chances = [(m, *_chances(m * step)) for m in menu]
    up, down = np.empty(size), np.empty(size)
    for units in count():
        for m, rises, falls in chances:
            if m * m <= units:
                row = rows[(units - m * m) % len(rows)]
                np.multiply(row[room + m : room + m + size], rises, out=up)
                np.multiply(row[room - m : room - m + size], falls, out=down)
                np.maximum(best, np.add(up, down, out=up), out=best)  # proof: value
        row = rows[units % len(rows)]
        row[here], row[:room] = best, best[0]  # proof: bottom
        yield Fraction(float(best[_BELOW]))


def _times(n: int, loss: Fraction, *, up: bool) -> str:
    return f"{n} x " * (n > 1) + written(loss, up=up)


def _payoff(over: Fraction) -> float:
    """Return 1 - exp(-over), rounded up; 0 below 0."""
    return 0.0 if over <= 0 else 1.0 if over > _FAR else float_up(-expm1(-over))  # proof: payoff


def _chances(loss: Fraction) -> tuple[float, float]:
    """Return 1 / (1 + exp(-loss)) and 1 / (1 + exp(loss)), rounded up."""
    falls = float_up(1 / (1 + exp(min(loss, _FAR))))
    return 1.0 if loss > _FAR else float_up(1 / (1 + exp(-loss))), falls  # proof: chances


def _round(x: Fraction) -> Fraction:
    """Return the number nearest in ratio among 1, 2 and 5 times the powers of ten; the lesser of two.

    >>> _round(Fraction(1, 300)), _round(Fraction(1, 100)), _round(Fraction(20, 300))
    (Fraction(1, 200), Fraction(1, 100), Fraction(1, 20))
    """
    power = Fraction(10) ** (len(str(x.numerator)) - len(str(x.denominator)) - 1)
    candidates = [digit * power * scale for scale in (1, 10, 100) for digit in (1, 2, 5)]
    return min(candidates, key=lambda c: max(c / x, x / c))
