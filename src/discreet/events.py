"""Events: what was released, as plain data, so that any accountant can count it, today's or a better one later."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import Any, Final, TypeVar, final

from discreet.errors import KindError, ParameterError
from discreet.exact import Exact, exact, whole
from discreet.measures import Approximate, Bound, EpsilonDelta, Loss, MaxDivergence, Rho, amount
from discreet.reals import Number, Real, float_up

__all__ = ["Event", "Part", "event_of"]

T = TypeVar("T")

_VERSION: Final = 1
_MOST_BITS: Final = 8000
_NUMBER: Final = re.compile(r"-?[0-9]{1,4300}(?:/[0-9]{1,4300})?")
_MEASURE: Final = Approximate(MaxDivergence())
_NOTHING: Final = EpsilonDelta(Fraction(0), Fraction(1))
"""What can be said of any release."""


@final
@dataclass(frozen=True, slots=True)
class Part:
    """One release of one mechanism, between data that are *sensitivity* apart in the mechanism's metric.

    It tells at most what independent randomized responses tell, one at the epsilon of each move, as many as the move
    says; and everything with probability *delta*. A table that adds noise in three groups is three moves of a third.
    The *parameters* are the mechanism's own numbers, such as its scale, for accountants that know more of it.

    Where it is *concentrated*, a rho and a delta, it also tells at most what a rho-zCDP release tells, and everything
    with that delta: each of the two statements holds by itself. A Gaussian whose loss is stated as zCDP alone has no
    moves and delta 1, which says nothing.
    """

    mechanism: str | None
    sensitivity: tuple[Fraction, ...]
    parameters: tuple[tuple[str, Fraction], ...]
    moves: tuple[tuple[Fraction, int], ...]
    delta: Fraction
    concentrated: tuple[Fraction, Fraction] | None = None


@final
@dataclass(frozen=True, slots=True)
class Event:
    """What was released at once: the parts, whose losses add up.

    >>> from discreet import IntegerLaplace, LaplaceThreshold
    >>> event = IntegerLaplace(scale=3).event(1) + Event.of(moves=[("1/4", 2)], delta="1e-6")
    >>> event.moves, event.epsilon, event.delta
    (((Fraction(1, 3), 1), (Fraction(1, 4), 2)), Fraction(5, 6), Fraction(1, 1000000))
    >>> event.parts[0].mechanism, event.parts[0].parameters
    ('IntegerLaplace', (('scale', Fraction(3, 1)),))
    >>> Event.from_dict(event.to_dict()) == event
    True
    """

    parts: tuple[Part, ...]

    @classmethod
    def of(
        cls,
        *,
        moves: Iterable[tuple[Exact, int]],
        delta: Exact = 0,
        mechanism: str | None = None,
        sensitivity: Iterable[Exact] = (),
        parameters: Mapping[str, Exact] | None = None,
        concentrated: tuple[Exact, Exact] | None = None,
    ) -> Event:
        """Return the event of one release, of amounts as a user may type them.

        >>> Event.of(moves=[("0.1", 3)]).epsilon
        Fraction(3, 10)
        """
        if not (mechanism is None or isinstance(mechanism, str)):
            raise KindError("mechanism", type(mechanism), "a text, such as the name of a class")
        kept = _entries("moves", moves, "pairs of an epsilon, at least 0, and how often", _move)
        apart = _entries("sensitivity", sensitivity, "numbers that are at least 0", amount)
        given = _entries("parameters", parameters or {}, "names with their numbers", _parameter)
        steps = tuple(move for move in kept if move[0])
        rho = None if concentrated is None else _entries("concentrated", concentrated, "a rho and a delta", amount)
        if rho is not None and len(rho) != 2:
            raise ParameterError("concentrated", type(concentrated), "a rho and a delta")
        return cls((Part(mechanism, apart, given, steps, amount(delta, "delta"), rho),))

    @property
    def moves(self) -> tuple[tuple[Fraction, int], ...]:
        """The moves of all parts.

        >>> Event.of(moves=[("1/2", 1), (0, 5)]).moves
        ((Fraction(1, 2), 1),)
        """
        return tuple(chain.from_iterable(part.moves for part in self.parts))

    @property
    def epsilon(self) -> Fraction:
        """What the moves come to by plain addition.

        >>> Event.of(moves=[("1/2", 3)]).epsilon
        Fraction(3, 2)
        """
        return sum((epsilon * count for epsilon, count in self.moves), Fraction(0))

    @property
    def delta(self) -> Fraction:
        """What the parts' deltas come to.

        >>> Event.of(moves=[], delta="1e-6").delta
        Fraction(1, 1000000)
        """
        return sum((part.delta for part in self.parts), Fraction(0))

    @property
    def concentrated(self) -> tuple[Fraction, Fraction]:
        """What the parts come to as zCDP, rho and delta: a move of epsilon is epsilon^2 / 2, where no rho is stated.

        >>> Event.of(moves=[("1/2", 3)], delta="1e-6").concentrated
        (Fraction(3, 8), Fraction(1, 1000000))
        """
        told = [part.concentrated or (_half_squares(part.moves), part.delta) for part in self.parts]
        return sum((rho for rho, _ in told), Fraction(0)), sum((delta for _, delta in told), Fraction(0))

    def __add__(self, other: Event) -> Event:
        return Event(self.parts + other.parts) if isinstance(other, Event) else NotImplemented

    def to_dict(self) -> dict[str, Any]:
        """Return the event as plain values, for JSON: numbers are exact, as texts.

        >>> Event.of(moves=[("1/2", 3)]).to_dict()["parts"][0]["moves"]
        [['1/2', 3]]
        """
        return {"version": _VERSION, "parts": [_told(part) for part in self.parts]}

    @classmethod
    def from_dict(cls, data: Any, /) -> Event:
        """Return the event that `to_dict` wrote; raise for anything else.

        >>> Event.from_dict({"version": 2, "parts": []})
        Traceback (most recent call last):
        discreet.errors.ParameterError: version=2: need an event of version 1: upgrade discreet to read it
        """
        if isinstance(data, dict) and type(data.get("version")) is int and data["version"] > _VERSION:
            need = f"an event of version {_VERSION}: upgrade discreet to read it"
            raise ParameterError("version", data["version"], need)
        try:
            event = cls(tuple(map(_read, data["parts"])))
            if event.to_dict() == data:
                return event
        except Exception:  # noqa: S110  Its words may quote what was given.
            pass
        raise KindError("event", type(data), "what Event.to_dict gives")


def event_of(
    loss: Loss,
    *,
    mechanism: str,
    sensitivity: tuple[int, ...],
    parameters: Mapping[str, Exact],
    equal: int = 1,
    concentrated: tuple[Bound, Number] | None = None,
) -> Event:
    """Return the event of a release by its loss: one move, or as many *equal* ones as its independent draws allow.

    A loss that is zCDP alone has no moves, and delta 1; *concentrated* is what is known beside another loss.

    >>> from discreet.measures import Pure
    >>> event_of(Pure("1/3"), mechanism="Mine", sensitivity=(1,), parameters={}, equal=2).moves
    ((Fraction(1, 6), 2),)
    """
    rho = (loss.rho, Fraction(0)) if isinstance(loss, Rho) else concentrated
    both = _NOTHING if isinstance(loss, Rho) else _MEASURE.lift(loss)
    if math.inf in (both.epsilon, rho and rho[0]):
        raise ParameterError("epsilon", math.inf, "a finite loss: no budget pays for a release that hides nothing")
    return Event.of(
        moves=[(_rounded(both.epsilon / equal), equal)],
        delta=_rounded(both.delta),
        mechanism=mechanism,
        sensitivity=sensitivity,
        parameters=parameters,
        concentrated=None if rho is None else (_rounded(rho[0]), _rounded(rho[1])),
    )


def _half_squares(moves: Iterable[tuple[Fraction, int]]) -> Fraction:
    return sum((count * epsilon * epsilon / 2 for epsilon, count in moves), Fraction(0))


def _entries(name: str, given: Any, need: str, read: Callable[[Any], T]) -> tuple[T, ...]:
    """Return the entries of an argument, read one by one; of one that is wrong only the argument's type is shown."""
    wrong: type[KindError | ParameterError] = KindError
    try:
        return tuple(read(entry) for entry in list(given.items() if isinstance(given, Mapping) else given))
    except (ValueError, TypeError) as error:
        wrong = ParameterError if isinstance(error, ParameterError) else KindError
    raise wrong(name, type(given), need)


def _move(move: Any) -> tuple[Fraction, int]:
    epsilon, count = move
    return amount(epsilon), whole(count, "count", least=1)


def _parameter(entry: Any) -> tuple[str, Fraction]:
    name, value = entry
    return str(name), exact(value, "value")


def _rounded(bound: Bound) -> Exact:
    """Return a number as it is where it is a rational that is short enough to keep, else rounded up to a float."""
    if isinstance(bound, Real):
        return float_up(bound)
    if isinstance(bound, Fraction) and max(bound.numerator.bit_length(), bound.denominator.bit_length()) > _MOST_BITS:
        return float_up(bound)
    return bound


def _told(part: Part) -> dict[str, Any]:
    rho = {} if part.concentrated is None else {"concentrated": list(map(str, part.concentrated))}
    return {
        "mechanism": part.mechanism,
        "sensitivity": [str(distance) for distance in part.sensitivity],
        "parameters": {name: str(value) for name, value in part.parameters},
        "moves": [[str(epsilon), count] for epsilon, count in part.moves],
        "delta": str(part.delta),
        **rho,
    }


def _read(told: Any) -> Part:
    event = Event.of(
        moves=[(_fraction(epsilon), count) for epsilon, count in told["moves"]],
        delta=_fraction(told["delta"]),
        mechanism=told["mechanism"],
        sensitivity=map(_fraction, told["sensitivity"]),
        parameters={name: _fraction(value) for name, value in told["parameters"].items()},
        concentrated=tuple(map(_fraction, told["concentrated"])) if "concentrated" in told else None,  # type: ignore[arg-type]
    )
    return event.parts[0]


def _fraction(text: str) -> Fraction:
    """Return a number that was written as digits, and nothing else: an exponent would take for ever to write out."""
    if _NUMBER.fullmatch(text) is None:
        raise ParameterError("event", type(text), "an exact number")
    return Fraction(text)
