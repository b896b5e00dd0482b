"""Measures: how privacy losses are compared, added and rounded.

A mechanism states its loss exactly: a rational or a Real, or infinity. It becomes a float here, upward, once.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, TypeAlias, final

from discreet.errors import KindError, ParameterError
from discreet.exact import Exact, exact
from discreet.reals import Number, float_up, sign, total

__all__ = ["INFINITE", "Approximate", "Loss", "MaxDivergence", "Measure", "checked_epsilon"]

INFINITE: float = math.inf
"""The loss of a release that hides nothing."""

_MOST_BITS: Final = 8000
_NEARLY_ONE: Final = 1 - Fraction(1, 1 << 54)

Loss: TypeAlias = Number | float
"""An exact number, or INFINITE; no other float is a loss."""


class Measure(ABC):
    """A way to state how much a release tells."""

    __slots__ = ()

    @property
    @abstractmethod
    def zero(self) -> Any:
        """The loss of a release that says nothing."""

    @abstractmethod
    def up(self, loss: Any, /) -> Any:
        """Return an exact loss as floats, each the least that is at least the truth."""

    @abstractmethod
    def add(self, losses: Iterable[Any], /) -> Any:
        """Return the exact loss of several releases on the same data."""

    @abstractmethod
    def within(self, loss: Any, allowed: Any, /) -> bool:
        """Whether an exact loss is at most what a user allows."""


@final
@dataclass(frozen=True, slots=True)
class MaxDivergence(Measure):
    """Pure differential privacy: the loss is epsilon.

    >>> MaxDivergence().up(Fraction(1, 3)), MaxDivergence().within(Fraction(1, 3), "1/3")
    (0.33333333333333337, True)
    """

    @property
    def zero(self) -> Number:
        """No loss."""
        return Fraction(0)

    def up(self, loss: Loss, /) -> float:
        """Return epsilon, rounded up."""
        return INFINITE if _infinite(loss) else float_up(loss)  # type: ignore[arg-type]

    def add(self, losses: Iterable[Loss], /) -> Loss:
        """Return the sum."""
        terms = list(losses)
        return INFINITE if any(map(_infinite, terms)) else total(terms)  # type: ignore[arg-type]

    def within(self, loss: Loss, allowed: Exact, /) -> bool:
        """Whether the loss is at most *allowed*."""
        return _at_most(loss, allowed, "epsilon")


@final
@dataclass(frozen=True, slots=True, init=False)
class Approximate(Measure):
    """Approximate differential privacy: the loss is (epsilon, delta).

    >>> Approximate(MaxDivergence()).up((Fraction(1), Fraction(1, 10**400)))
    (1.0, 5e-324)
    """

    of: MaxDivergence

    def __init__(self, of: MaxDivergence) -> None:
        if not isinstance(of, MaxDivergence):
            raise KindError("of", of, "MaxDivergence()")
        object.__setattr__(self, "of", of)

    @property
    def zero(self) -> tuple[Number, Number]:
        """No loss."""
        return Fraction(0), Fraction(0)

    def up(self, loss: tuple[Loss, Number], /) -> tuple[float, float]:
        """Return (epsilon, delta), each rounded up; delta is at most 1."""
        epsilon, delta = loss
        # Past this no float below 1 is left, and to say 1 at once needs no enclosure that tells delta from 1.
        return self.of.up(epsilon), 1.0 if sign(delta - _NEARLY_ONE) > 0 else float_up(delta)

    def add(self, losses: Iterable[tuple[Loss, Number]], /) -> tuple[Loss, Number]:
        """Return the sums."""
        pairs = list(losses)
        return self.of.add(epsilon for epsilon, _ in pairs), total(delta for _, delta in pairs)

    def within(self, loss: tuple[Loss, Number], allowed: tuple[Exact, Exact], /) -> bool:
        """Whether both parts are at most what is allowed."""
        if not isinstance(allowed, tuple | list) or len(allowed) != 2:
            raise KindError("d_out", allowed, "two losses (epsilon, delta)")
        within = self.of.within(loss[0], allowed[0]), _at_most(loss[1], allowed[1], "delta", enough=Fraction(1))
        return all(within)


def checked_epsilon(epsilon: Exact, name: str = "epsilon") -> Fraction:
    """Return a budget as a Fraction, or raise unless it is finite and at least 0.

    >>> checked_epsilon("0.5")
    Fraction(1, 2)
    """
    budget = exact(epsilon, name)
    if max(budget.numerator.bit_length(), budget.denominator.bit_length()) > _MOST_BITS:
        raise ParameterError(name, epsilon, f"integers of at most {_MOST_BITS} bits")
    if budget < 0:
        raise ParameterError(name, epsilon, f"{name} >= 0")
    return budget


def _infinite(loss: Loss) -> bool:
    return isinstance(loss, float)


def _at_most(loss: Loss, allowed: Exact, name: str, enough: Fraction | None = None) -> bool:
    """Whether a loss is at most what is allowed; *enough* allows any."""
    if isinstance(allowed, float) and allowed == math.inf:
        return True
    bound = checked_epsilon(allowed, name)
    if enough is not None and bound >= enough:
        return True
    return not _infinite(loss) and sign(loss - bound) <= 0  # type: ignore[arg-type]
