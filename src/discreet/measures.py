"""Measures: how privacy losses are compared, added and rounded.

A mechanism states its loss exactly, as a Loss: in rationals, Reals or infinity. These become floats here, upward, once.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, Generic, TypeAlias, TypeVar, final

from discreet.errors import KindError, MismatchError, ParameterError
from discreet.exact import Exact, exact
from discreet.reals import Number, Real, float_up, sign, total

__all__ = [
    "INFINITE",
    "Approximate",
    "Bound",
    "EpsilonDelta",
    "Loss",
    "MaxDivergence",
    "Measure",
    "Pure",
    "Rho",
    "ZeroConcentrated",
    "amount",
    "common",
]

INFINITE: float = math.inf
"""The epsilon of a release that hides nothing."""

_MOST_BITS: Final = 8000
_NEARLY_ONE: Final = 1 - Fraction(1, 1 << 54)

Bound: TypeAlias = Number | float
"""An exact number, or INFINITE; no other float is one."""


class Loss:
    """How much a release tells, exactly, in the terms of one measure."""

    __slots__ = ()


@final
@dataclass(frozen=True, slots=True)
class Pure(Loss):
    """No probability changes by more than a factor of e^epsilon.

    >>> Pure("1/3")
    Pure(epsilon=Fraction(1, 3))
    """

    epsilon: Bound

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _bound(self.epsilon, "epsilon"))


@final
@dataclass(frozen=True, slots=True)
class EpsilonDelta(Loss):
    """No probability changes by more than a factor of e^epsilon, and delta beyond it.

    >>> EpsilonDelta(1, "1e-6")
    EpsilonDelta(epsilon=Fraction(1, 1), delta=Fraction(1, 1000000))
    """

    epsilon: Bound
    delta: Number

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", _bound(self.epsilon, "epsilon"))
        object.__setattr__(self, "delta", _number(self.delta, "delta"))


@final
@dataclass(frozen=True, slots=True)
class Rho(Loss):
    """The Rényi divergence of each order a > 1 is at most a rho [Bun and Steinke 2016].

    >>> Rho("1/8")
    Rho(rho=Fraction(1, 8))
    """

    rho: Bound

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", _bound(self.rho, "rho"))


L_co = TypeVar("L_co", bound=Loss, covariant=True)


class Measure(ABC, Generic[L_co]):
    """A way to state how much a release tells."""

    __slots__ = ()

    @property
    @abstractmethod
    def zero(self) -> L_co:
        """The loss of a release that says nothing."""

    @abstractmethod
    def lift(self, loss: Loss, /) -> L_co:
        """Return a loss of this measure, or of a stricter one, as one of this; raise MismatchError for any other."""

    @abstractmethod
    def up(self, loss: Loss, /) -> Any:
        """Return a loss as floats, each the least that is at least the truth."""

    @abstractmethod
    def add(self, losses: Iterable[Loss], /) -> L_co:
        """Return the loss of several releases on the same data."""

    @abstractmethod
    def allows(self, loss: Loss, limit: Any, /) -> bool:
        """Whether a loss is at most what a user allows."""


@final
@dataclass(frozen=True, slots=True)
class MaxDivergence(Measure[Pure]):
    """Pure differential privacy: the loss is epsilon.

    >>> MaxDivergence().up(Pure("1/3")), MaxDivergence().allows(Pure("1/3"), "1/3")
    (0.33333333333333337, True)
    """

    @property
    def zero(self) -> Pure:
        """No loss."""
        return Pure(Fraction(0))

    def lift(self, loss: Loss, /) -> Pure:
        """Return a pure loss as it is."""
        if isinstance(loss, Pure):
            return loss
        raise _unlike(self, loss)

    def up(self, loss: Loss, /) -> float:
        """Return epsilon, rounded up."""
        epsilon = self.lift(loss).epsilon
        return epsilon if isinstance(epsilon, float) else float_up(epsilon)

    def add(self, losses: Iterable[Loss], /) -> Pure:
        """Return the sum."""
        return Pure(_sum(self.lift(loss).epsilon for loss in losses))

    def allows(self, loss: Loss, limit: Exact, /) -> bool:
        """Whether epsilon is at most *limit*."""
        return _at_most(self.lift(loss).epsilon, limit, "epsilon")


@final
@dataclass(frozen=True, slots=True, init=False)
class Approximate(Measure[EpsilonDelta]):
    """Approximate differential privacy: the loss is (epsilon, delta), and a pure one has delta 0.

    >>> Approximate(MaxDivergence()).up(EpsilonDelta(1, Fraction(1, 10**400)))
    (1.0, 5e-324)
    """

    of: MaxDivergence

    def __init__(self, of: MaxDivergence) -> None:
        if not isinstance(of, MaxDivergence):
            raise KindError("of", of, "MaxDivergence()")
        object.__setattr__(self, "of", of)

    @property
    def zero(self) -> EpsilonDelta:
        """No loss."""
        return self.lift(self.of.zero)

    def lift(self, loss: Loss, /) -> EpsilonDelta:
        """Return an approximate loss as it is, and a pure one with delta 0."""
        if isinstance(loss, EpsilonDelta):
            return loss
        if isinstance(loss, Pure):
            return EpsilonDelta(loss.epsilon, Fraction(0))
        raise _unlike(self, loss)

    def up(self, loss: Loss, /) -> tuple[float, float]:
        """Return (epsilon, delta), each rounded up; delta is at most 1."""
        both = self.lift(loss)
        # Past this no float below 1 is left, and to say 1 at once needs no enclosure that tells delta from 1.
        delta = 1.0 if sign(both.delta - _NEARLY_ONE) > 0 else float_up(both.delta)
        return self.of.up(Pure(both.epsilon)), delta

    def add(self, losses: Iterable[Loss], /) -> EpsilonDelta:
        """Return the sums."""
        terms = [self.lift(loss) for loss in losses]
        return EpsilonDelta(_sum(term.epsilon for term in terms), total(term.delta for term in terms))

    def allows(self, loss: Loss, limit: tuple[Exact, Exact], /) -> bool:
        """Whether both parts are at most what is allowed."""
        if not isinstance(limit, tuple | list) or len(limit) != 2:
            raise KindError("d_out", limit, "two losses (epsilon, delta)")
        both, (epsilon, delta) = self.lift(loss), limit
        allowed = _at_most(both.epsilon, epsilon, "epsilon"), _at_most(both.delta, delta, "delta", enough=Fraction(1))
        return all(allowed)


@final
@dataclass(frozen=True, slots=True)
class ZeroConcentrated(Measure[Rho]):
    """Zero-concentrated differential privacy: the loss is rho, and a pure one of epsilon has rho = epsilon^2 / 2.

    >>> ZeroConcentrated().up(Rho("1/3")), ZeroConcentrated().lift(Pure(1))
    (0.33333333333333337, Rho(rho=Fraction(1, 2)))
    """

    @property
    def zero(self) -> Rho:
        """No loss."""
        return Rho(Fraction(0))

    def lift(self, loss: Loss, /) -> Rho:
        """Return a concentrated loss as it is, and half the square of a pure one [Bun and Steinke 2016, 1.4]."""
        if isinstance(loss, Rho):
            return loss
        if isinstance(loss, Pure):
            return Rho(INFINITE if isinstance(loss.epsilon, float) else loss.epsilon**2 / 2)
        raise _unlike(self, loss)

    def up(self, loss: Loss, /) -> float:
        """Return rho, rounded up."""
        rho = self.lift(loss).rho
        return rho if isinstance(rho, float) else float_up(rho)

    def add(self, losses: Iterable[Loss], /) -> Rho:
        """Return the sum."""
        return Rho(_sum(self.lift(loss).rho for loss in losses))

    def allows(self, loss: Loss, limit: Exact, /) -> bool:
        """Whether rho is at most *limit*."""
        return _at_most(self.lift(loss).rho, limit, "rho")


def common(measures: Iterable[Measure[Loss]], /) -> Measure[Loss]:
    """Return the first of several measures in which the losses of all can be stated.

    >>> common([MaxDivergence(), Approximate(MaxDivergence()), MaxDivergence()])
    Approximate(of=MaxDivergence())
    """
    listed = list(measures)
    for measure in listed:
        try:
            measure.add(other.zero for other in listed)
        except MismatchError:
            continue
        return measure
    raise MismatchError(f"no one measure states the losses of {', '.join(map(repr, dict.fromkeys(listed)))}")


def amount(value: Exact, name: str = "epsilon") -> Fraction:
    """Return a budget as a Fraction, or raise unless it is finite and at least 0.

    >>> amount("0.5")
    Fraction(1, 2)
    """
    budget = exact(value, name)
    if max(budget.numerator.bit_length(), budget.denominator.bit_length()) > _MOST_BITS:
        raise ParameterError(name, value, f"integers of at most {_MOST_BITS} bits")
    if budget < 0:
        raise ParameterError(name, value, f"{name} >= 0")
    return budget


def _bound(value: Bound | Exact, name: str) -> Bound:
    """Return an exact number of at least 0, or INFINITE."""
    return INFINITE if isinstance(value, float) and value == INFINITE else _number(value, name)


def _number(value: Number | Exact, name: str) -> Number:
    """Return an exact number of at least 0. A Real is taken at its word, and a Fraction of any length as it is."""
    if isinstance(value, Real):
        return value
    number = value if type(value) is Fraction else exact(value, name)
    if number < 0:
        raise ParameterError(name, value, f"{name} >= 0")
    return number


def _sum(bounds: Iterable[Bound]) -> Bound:
    terms = list(bounds)
    finite = [term for term in terms if not isinstance(term, float)]
    return total(finite) if len(finite) == len(terms) else INFINITE


def _at_most(bound: Bound, limit: Exact, name: str, enough: Fraction | None = None) -> bool:
    """Whether a part of a loss is at most what is allowed; *enough* allows any."""
    if isinstance(limit, float) and limit == math.inf:
        return True
    most = amount(limit, name)
    if enough is not None and most >= enough:
        return True
    return not isinstance(bound, float) and sign(bound - most) <= 0


def _unlike(measure: Measure[Loss], loss: object) -> MismatchError | KindError:
    if isinstance(loss, Loss):
        return MismatchError(f"{measure!r} cannot state a loss that is {type(loss).__name__}")
    return KindError("loss", type(loss), "a Loss, such as Pure(epsilon)")
