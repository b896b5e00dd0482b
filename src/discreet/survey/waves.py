"""Waves: what the boxes of several waves say together, and how the people in them are related.

In one wave each person sends one report. Over several waves the same people may send several, and those depend on each
other: with client memory they are even equal. Whoever adds them up as if they came from different people gets
intervals that are too narrow. Proof: waves.md, which cites the marked lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, final

import numpy as np

from discreet.errors import MismatchError, ParameterError, UnsupportedError, show
from discreet.exact import Exact, listed
from discreet.pages.results import Result
from discreet.pages.sheet import Sheet
from discreet.survey.collectors import Collector, Wave, check_box, checked_wave
from discreet.survey.estimates import Difference, Estimate, Share, as_frame, checked_error, shares_sheet
from discreet.survey.forms import Form
from discreet.survey.misfit import Misfit

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["People", "Waves", "WavesEstimate"]

People = Literal["same", "different"]


@final
class Waves(Mapping[Wave, Collector]):
    """The boxes of several waves of one form, by the name of the wave.

    *people* says how the reports are related: "different" if nobody sent reports in two waves, "same" if some or all
    people may have. There is no default: the counts cannot tell.

    >>> from discreet import RandomizedResponse
    >>> from discreet.survey import Question
    >>> q = Question("smokes", ["never", "daily"])
    >>> m = RandomizedResponse(categories=q.categories, prob="3/4")
    >>> spring, autumn = q.collector(m, wave="spring"), q.collector(m, wave="autumn")
    >>> _ = spring.add_many(["never"] * 600 + ["daily"] * 400), autumn.add_many(["never"] * 500 + ["daily"] * 500)
    >>> print(Waves([spring, autumn], people="same").estimate())
    smokes: 2,000 reports in 2 waves of the same people
      choice  share, %  95 % interval  error  people
      never       60.0   52.8 to 67.1    3.1     600
      daily       40.0   32.9 to 47.2    3.1     400
    >>> Waves([spring, autumn], people="different").estimate().n
    2000
    """

    __slots__ = ("_boxes", "_form", "people")

    def __init__(self, boxes: Iterable[Collector], *, people: People) -> None:
        if not isinstance(people, str) or people not in ("same", "different"):
            raise ParameterError("people", people, '"same" or "different": whether people may be in several waves')
        several = listed(boxes, "boxes", "a list of boxes of different waves")
        if not several:
            raise ParameterError("boxes", several, "at least one box")
        for box in several:
            check_box(box, several[0])
        form = several[0].form
        if not isinstance(form, Form):
            raise UnsupportedError(f"{form.question.name}: open text is decoded one wave at a time")
        self._form = form
        self.people: People = people
        self._boxes = {box.wave: box for box in several}
        if len(self._boxes) < len(several):
            raise ParameterError("boxes", [box.wave for box in several], "boxes of different waves: merge those of one")
        if len(frozenset().union(*(box.files for box in several))) < sum(len(box.files) for box in several):
            raise MismatchError("a file was counted in two waves: need boxes of different reports")

    def __getitem__(self, wave: Wave) -> Collector:
        if isinstance(wave, str | int | None) and wave in self._boxes:
            return self._boxes[wave]
        raise KeyError(show(wave, entries=False))

    def __iter__(self) -> Iterator[Wave]:
        return iter(self._boxes)

    def __len__(self) -> int:
        return len(self._boxes)

    def estimate(self, *, confidence: Exact = "0.95", simultaneous: bool = False) -> Estimate | WavesEstimate:
        """Return what all reports say about each choice: the average share over the waves, by their reports."""
        boxes = list(self.values())
        if self.people == "different":
            held = boxes[0].held
            for box in boxes[1:]:
                held = held.plus(box.held)
            return Estimate.of(
                self._form,
                held.supports,
                held.n,
                confidence=confidence,
                simultaneous=simultaneous,
                refused=held.refused.total(),
            )
        error = checked_error(confidence)
        each = 1 - Fraction(error) / len(boxes)  # proof: union
        found = {box.wave: box.estimate(confidence=each, simultaneous=simultaneous) for box in boxes}
        return WavesEstimate(self._form, found, 1 - error, bool(simultaneous), error)

    def change(self, choice: Any, before: Wave, after: Wave, /, *, confidence: Exact = "0.95") -> Difference:
        """Return how much the share of a choice changed from one wave to another, whoever was in both.

        >>> from discreet import RandomizedResponse
        >>> from discreet.survey import Question
        >>> q = Question("smokes", ["never", "daily"])
        >>> m = RandomizedResponse(categories=q.categories, prob="3/4")
        >>> boxes = q.collector(m, wave=1), q.collector(m, wave=2)
        >>> _ = boxes[0].add_many(["never"] * 600 + ["daily"] * 400), boxes[1].add_many(["never"] * 1000)
        >>> change = Waves(boxes, people="same").change("never", 1, 2)
        >>> round(change.difference, 3), change.significant
        (0.8, True)
        """
        for wave in (before, after):
            if checked_wave(wave) not in self._boxes:
                raise ParameterError("wave", wave, f"one of {', '.join(map(repr, self._boxes))}")
        if before == after:
            raise ParameterError("after", after, "another wave than the first")
        error = checked_error(confidence)
        each = 1 - Fraction(error) / 2  # proof: change
        a, b = (self[wave].estimate(confidence=each)[choice] for wave in (before, after))
        low, high = max(b.low - a.high, -1.0), min(b.high - a.low, 1.0)
        return Difference((before, after), b.share - a.share, a.error + b.error, low, high, 1 - error)

    def __repr__(self) -> str:
        return f"<{len(self)} waves of {self.people} people: {', '.join(repr(box)[1:-1] for box in self.values())}>"


@final
@dataclass(frozen=True, eq=False, repr=False)
class WavesEstimate(Result, Mapping[Any, Share]):
    """What reports of the same people in several waves say about each choice, on average over the waves.

    The intervals hold whatever a person's reports in different waves have to do with each other; ``error`` bounds the
    standard error. What each wave says by itself is in ``waves``, with intervals that hold for all waves together.
    """

    form: Form
    waves: dict[Wave, Estimate]
    confidence: float
    simultaneous: bool
    _error: float = field(default=0.05, repr=False)

    @property
    def n(self) -> int:
        """The number of reports, over all waves."""
        return sum(each.n for each in self.waves.values())

    @property
    def refused(self) -> int:
        """The number of reports that were refused, over all waves."""
        return sum(each.refused for each in self.waves.values())

    @cached_property
    def misfit(self) -> Misfit:
        """The test of whether the mechanism can have given the counts of each wave; see `Misfit`."""
        return Misfit(min(len(self.waves) * min(each.misfit.p for each in self.waves.values()), 1.0))

    @property
    def choices(self) -> tuple[Any, ...]:
        """The choices, in the question's order."""
        return self.form.question.categories.values

    def _average(self, parts: Iterable[NDArray[np.float64]]) -> NDArray[np.float64]:
        """Return the average over the waves, each by the number of its reports."""
        weights = [each.n / self.n for each in self.waves.values()]
        return np.asarray(sum(weight * part for weight, part in zip(weights, parts, strict=True)))

    @cached_property
    def shares(self) -> NDArray[np.float64]:
        """The unbiased average share of each choice."""
        return self._average(each.shares for each in self.waves.values())  # proof: average

    def standard_errors(self) -> NDArray[np.float64]:
        """Return a bound of the standard error of each share."""
        return self._average(each.standard_errors() for each in self.waves.values())  # proof: error

    @cached_property
    def intervals(self) -> NDArray[np.float64]:
        """The lower and upper end of each average share's interval, within [0, 1]."""
        return self._average(each.intervals for each in self.waves.values())  # proof: ends

    def __getitem__(self, choice: Any) -> Share:
        place = self.form.question.categories.index(choice)
        if place < 0:
            raise KeyError(show(choice, entries=False))
        return self.values()[place]

    def __iter__(self) -> Iterator[Any]:
        return iter(self.choices)

    def __len__(self) -> int:
        return len(self.choices)

    def values(self) -> list[Share]:  # type: ignore[override]
        """Return what is known about each choice, in the question's order."""
        people = self.n / len(self.waves)
        numbers = np.column_stack([self.shares, self.standard_errors(), self.intervals]).tolist()
        return [
            Share(choice, share, error, low, high, share * people)
            for choice, (share, error, low, high) in zip(self.choices, numbers, strict=True)
        ]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary a choice."""
        names = ("choice", "share", "error", "low", "high", "count")
        return [{name: getattr(share, name) for name in names} for share in self.values()]

    def to_frame(self, kind: Literal["pandas", "polars", "pyarrow"] = "pandas") -> Any:
        """Return the same as a data frame."""
        return as_frame(self.to_rows(), kind)

    @property
    def sheet(self) -> Sheet:
        """The average shares, their intervals and errors in percent, and people in numbers."""
        return shares_sheet(self, f"{self.n:,} reports in {len(self.waves)} waves of the same people")
