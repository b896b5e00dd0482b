"""Core: measurements, transformations, and chaining them with ``>>``."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Generic, TypeVar, final

from discreet.coins import SYSTEM, Coins
from discreet.errors import BudgetError, KindError, MismatchError, UnsupportedError, show
from discreet.events import Event, event_of

if TYPE_CHECKING:
    from discreet.domains import Domain
    from discreet.measures import Loss, Measure
    from discreet.metrics import Metric
    from discreet.reals import Number

__all__ = ["Composed", "Measured", "Measurement", "Postprocessed", "Transformation", "numbers"]

X = TypeVar("X")
Y = TypeVar("Y")


class Measurement(ABC, Generic[X, Y]):
    """A randomized release with a stated privacy loss: a frozen value, whose fields are public.

    Two guarantees, which every subclass proves and the tests check against the real output law:

    1. Inside ``input_domain`` a release fails for no reason that depends on the data.
    2. If ``input_metric`` puts x and x' within d_in, the laws of their releases are within ``privacy_map(d_in)``
       under ``output_measure``.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def input_domain(self) -> Domain:
        """The data that a release accepts."""

    @property
    @abstractmethod
    def input_metric(self) -> Metric:
        """How far apart data are."""

    @property
    @abstractmethod
    def output_measure(self) -> Measure[Loss]:
        """How the loss is stated."""

    @abstractmethod
    def loss(self, d_in: Any, /) -> Loss:
        """Return the exact privacy loss between data within *d_in*."""

    @abstractmethod
    def sample(self, x: X, coins: Coins, /) -> Y:
        """Draw a release of *x*, a member of the input domain in its canonical form, from the given coins."""

    def event(self, d_in: Any, /) -> Event:
        """Return what a release tells of data within *d_in*, as plain data for the books: one move of its loss."""
        distance = self.input_metric.check(d_in)
        return event_of(
            self.loss(d_in),
            mechanism=type(self).__name__,
            sensitivity=distance if isinstance(distance, tuple) else (distance,),
            parameters=numbers(self),
        )

    def privacy_map(self, d_in: Any, /) -> Any:
        """Return the privacy loss between data within *d_in*: the least float that is at least the truth."""
        return self.output_measure.up(self.loss(d_in))

    def require(self, d_in: Any, d_out: Any, /) -> None:
        """Raise BudgetError unless the loss between data within *d_in* is at most *d_out*, compared exactly."""
        if not self.output_measure.allows(self.loss(d_in), d_out):
            most = show(tuple(d_out) if isinstance(d_out, tuple) else d_out)  # An amount, too, is shown as numbers.
            raise BudgetError(f"the loss at d_in={show(d_in)} is {self.privacy_map(d_in)}: need {most} or less")

    def release(self, x: X, /) -> Y:
        """Return a private answer about *x*. Each call spends ``privacy_map(d_in)`` anew."""
        return self.sample(self.input_domain.take(x), SYSTEM)

    def law(self, x: X, /) -> Mapping[Any, Number]:
        """Return the exact probability of each answer, where there are finitely many."""
        raise UnsupportedError(f"{type(self).__name__} has no finite law")

    def __rshift__(self, function: Callable[[Y], Any]) -> Postprocessed:
        if not callable(function):
            raise MismatchError(f"{self!r} >> {show(function)}: need a function of the release on the right")
        return Postprocessed(self, function)


class Transformation(ABC, Generic[X, Y]):
    """A deterministic function of data whose effect on distances is known."""

    __slots__ = ()

    @property
    @abstractmethod
    def input_domain(self) -> Domain:
        """The data that it accepts."""

    @property
    @abstractmethod
    def output_domain(self) -> Domain:
        """The data that it gives."""

    @property
    @abstractmethod
    def input_metric(self) -> Metric:
        """How far apart its inputs are."""

    @property
    @abstractmethod
    def output_metric(self) -> Metric:
        """How far apart its outputs are."""

    @abstractmethod
    def stability_map(self, d_in: Any, /) -> Any:
        """Return how far apart outputs may be whose inputs are within *d_in*."""

    @abstractmethod
    def apply(self, x: X, /) -> Y:
        """Return the image of *x*, a member of the input domain in its canonical form."""

    def __call__(self, x: X, /) -> Y:
        """Return the image of *x*, after checking that it is a member of the input domain."""
        return self.apply(self.input_domain.take(x))

    def __rshift__(self, other: Any) -> Any:
        if isinstance(other, Measurement):
            return Measured(self, other)
        if isinstance(other, Transformation):
            return Composed(self, other)
        raise MismatchError(f"{self!r} >> {show(other)}: need a Transformation or a Measurement on the right")


@final
@dataclass(frozen=True, slots=True)
class Measured(Measurement[Any, Any]):
    """A measurement of transformed data: its loss is the measurement's, at the transformation's distance."""

    first: Transformation[Any, Any]
    then: Measurement[Any, Any]

    def __post_init__(self) -> None:
        _fit(self.first, self.then)

    @property
    def input_domain(self) -> Domain:
        """The transformation's."""
        return self.first.input_domain

    @property
    def input_metric(self) -> Metric:
        """The transformation's."""
        return self.first.input_metric

    @property
    def output_measure(self) -> Measure[Loss]:
        """The measurement's."""
        return self.then.output_measure

    def loss(self, d_in: Any, /) -> Loss:
        """Return the measurement's loss at the distance that the transformation may make of *d_in*."""
        return self.then.loss(self.first.stability_map(d_in))

    def event(self, d_in: Any, /) -> Event:
        """Return the measurement's event at the distance that the transformation may make of *d_in*."""
        return self.then.event(self.first.stability_map(d_in))

    def sample(self, x: Any, coins: Coins, /) -> Any:
        """Draw a release of the transformed data."""
        return self.then.sample(self.then.input_domain.take(self.first.apply(x)), coins)

    def law(self, x: Any, /) -> Mapping[Any, Number]:
        """Return the measurement's law at the transformed data."""
        return self.then.law(self.first(x))


@final
@dataclass(frozen=True, slots=True)
class Composed(Transformation[Any, Any]):
    """One transformation after another."""

    first: Transformation[Any, Any]
    then: Transformation[Any, Any]

    def __post_init__(self) -> None:
        _fit(self.first, self.then)

    @property
    def input_domain(self) -> Domain:
        """The first one's."""
        return self.first.input_domain

    @property
    def output_domain(self) -> Domain:
        """The second one's."""
        return self.then.output_domain

    @property
    def input_metric(self) -> Metric:
        """The first one's."""
        return self.first.input_metric

    @property
    def output_metric(self) -> Metric:
        """The second one's."""
        return self.then.output_metric

    def stability_map(self, d_in: Any, /) -> Any:
        """Return the second map at the first one's distance."""
        return self.then.stability_map(self.first.stability_map(d_in))

    def apply(self, x: Any, /) -> Any:
        """Return the second image of the first."""
        return self.then.apply(self.then.input_domain.take(self.first.apply(x)))


@final
@dataclass(frozen=True, slots=True)
class Postprocessed(Measurement[Any, Any]):
    """A function of a release. It costs nothing more, because it sees the release and not the data."""

    measurement: Measurement[Any, Any]
    function: Callable[[Any], Any]

    @property
    def input_domain(self) -> Domain:
        """The measurement's."""
        return self.measurement.input_domain

    @property
    def input_metric(self) -> Metric:
        """The measurement's."""
        return self.measurement.input_metric

    @property
    def output_measure(self) -> Measure[Loss]:
        """The measurement's."""
        return self.measurement.output_measure

    def loss(self, d_in: Any, /) -> Loss:
        """Return the measurement's loss."""
        return self.measurement.loss(d_in)

    def event(self, d_in: Any, /) -> Event:
        """Return the measurement's event."""
        return self.measurement.event(d_in)

    def sample(self, x: Any, coins: Coins, /) -> Any:
        """Draw a release and apply the function to it."""
        return self.function(self.measurement.sample(x, coins))

    def law(self, x: Any, /) -> Mapping[Any, Number]:
        """Return the law of the function's values, where the measurement's is finite."""
        law: dict[Any, Number] = {}
        for answer, p in self.measurement.law(x).items():
            image = self.function(answer)
            law[image] = law.get(image, Fraction(0)) + p
        return law


def numbers(value: object) -> dict[str, Fraction | int]:
    """Return the numbers among a value's fields.

    >>> from discreet import Laplace
    >>> numbers(Laplace(3))
    {'scale': Fraction(3, 1)}
    """
    found = {each.name: getattr(value, each.name) for each in fields(value)} if is_dataclass(value) else {}
    return {name: x for name, x in found.items() if isinstance(x, Fraction | int) and not isinstance(x, bool)}


def _fit(first: Transformation[Any, Any], then: Any) -> None:
    """Raise unless what the first gives is what the second takes."""
    if not isinstance(first, Transformation):
        raise KindError("first", first, "a Transformation")
    if not isinstance(then, Transformation | Measurement):
        raise KindError("then", then, "a Transformation or a Measurement")
    for what, given, wanted in (
        ("domain", first.output_domain, then.input_domain),
        ("metric", first.output_metric, then.input_metric),
    ):
        if given != wanted:
            raise MismatchError(
                f"{type(first).__name__} >> {type(then).__name__}: the {what} on the left is {given!r}, "
                f"the {what} on the right is {wanted!r}"
            )
