"""Composition: several releases on the same data, and what they cost together.

Theorem.  Releases of the same data with losses that one measure states, each with coins of its own, lose the sum.
Proof: composition.md, which cites the marked lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import TYPE_CHECKING, Any, final

from discreet.coins import Coins
from discreet.core import Measurement
from discreet.errors import KindError, MismatchError, ParameterError
from discreet.events import Event
from discreet.frozen import freeze
from discreet.measures import common

if TYPE_CHECKING:
    from discreet.domains import Domain
    from discreet.measures import Loss, Measure
    from discreet.metrics import Metric
    from discreet.reals import Number

__all__ = ["Composition"]


@final
@dataclass(frozen=True, slots=True, init=False)
class Composition(Measurement[Any, tuple[Any, ...]]):
    """Several measurements of the same data, released together as a tuple.

    Their losses add up [Dwork et al. 2006]: exactly, and rounded up once at the end. A pure loss joins an
    approximate one with delta 0.

    >>> from discreet import Composition, RandomizedResponseBool
    >>> both = Composition([RandomizedResponseBool(prob="3/4"), RandomizedResponseBool(prob="2/3")])
    >>> both.privacy_map(1)                                                             # ln 3 + ln 2 = ln 6
    1.7917594692280552
    """

    measurements: tuple[Measurement[Any, Any], ...]

    def __init__(self, measurements: Iterable[Measurement[Any, Any]]) -> None:
        try:
            parts = tuple(measurements)
        except Exception:
            raise KindError("measurements", measurements, "a list of measurements") from None
        if not parts:
            raise ParameterError("measurements", parts, "at least one measurement")
        for part in parts:
            if not isinstance(part, Measurement):
                raise KindError("measurements", type(part), "measurements")
            for what in ("input_domain", "input_metric"):
                if getattr(part, what) != getattr(parts[0], what):  # proof: same
                    raise MismatchError(
                        f"the {what} of one measurement is {getattr(parts[0], what)!r}, "
                        f"of another {getattr(part, what)!r}"
                    )
        freeze(self, measurements=parts)

    @property
    def input_domain(self) -> Domain:
        """The one that all parts share."""
        return self.measurements[0].input_domain

    @property
    def input_metric(self) -> Metric:
        """The one that all parts share."""
        return self.measurements[0].input_metric

    @property
    def output_measure(self) -> Measure[Loss]:
        """The one in which all parts' losses can be stated: approximate if any part's is."""
        return common(part.output_measure for part in self.measurements)  # proof: measure

    def loss(self, d_in: Any, /) -> Loss:
        """Return the sum of the parts' losses."""
        return self.output_measure.add(part.loss(d_in) for part in self.measurements)  # proof: add

    def event(self, d_in: Any, /) -> Event:
        """Return the parts' events, one after the other."""
        return Event(tuple(part for measurement in self.measurements for part in measurement.event(d_in).parts))

    def sample(self, x: Any, coins: Coins, /) -> tuple[Any, ...]:
        """Draw a release from each part."""
        return tuple(part.sample(x, coins) for part in self.measurements)  # proof: independent

    def law(self, x: Any, /) -> Mapping[Any, Number]:
        """Return the product of the parts' laws."""
        law: dict[Any, Number] = {}
        for answers in product(*(part.law(x).items() for part in self.measurements)):
            p: Number = Fraction(1)
            for _, share in answers:
                p *= share
            key = tuple(answer for answer, _ in answers)
            law[key] = law.get(key, Fraction(0)) + p
        return law
