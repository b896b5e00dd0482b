"""Calendar: the waves of a survey, when each begins and ends, and which one is open."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path
from typing import Any, Final, final

from discreet.errors import KindError, ParameterError, none_of, one_of
from discreet.files import path_of, read_toml
from discreet.survey.collectors import Wave, checked_wave
from discreet.survey.files import strict_json
from discreet.survey.waves import People

__all__ = ["ALL", "Calendar", "Period", "name_of", "text_of"]

ALL: Final = "all"
"""What stands for all waves together."""


@final
@dataclass(frozen=True, slots=True)
class Period:
    """One wave: from its *start*, and until before its *end*; None where it has always been open, or stays so."""

    wave: Wave = None
    start: datetime | None = None
    end: datetime | None = None

    def __post_init__(self) -> None:
        checked_wave(self.wave)
        for name, moment in (("start", self.start), ("end", self.end)):
            if moment is not None and (not isinstance(moment, datetime) or moment.utcoffset() is None):
                shown = str(moment) if isinstance(moment, date) else moment
                raise KindError(name, shown, "a time with its offset, such as 2026-05-01T08:00:00+02:00")
        if self.start is not None and self.end is not None and self.start >= self.end:
            raise ParameterError("end", self.end.isoformat(), "an end after the start")

    def has(self, moment: datetime, /) -> bool:
        """Whether a moment is in this wave."""
        return (self.start is None or self.start <= moment) and (self.end is None or moment < self.end)


@final
@dataclass(frozen=True, slots=True)
class Calendar:
    """The waves of a survey, in their order; no two at the same time.

    >>> Calendar().open_at(datetime.fromisoformat("2026-05-01T08:00Z"))
    Period(wave=None, start=None, end=None)
    """

    periods: tuple[Period, ...] = (Period(),)
    people: People | None = None
    """Whether the same people may answer in several waves, or different ones do; None where nobody says."""

    def __post_init__(self) -> None:
        names = [str(each.wave) for each in self.periods]
        if not names or len({*names, ALL}) <= len(names):
            raise ParameterError("waves", names, f"waves with distinct names, none of which is {ALL!r}")
        for before, after in zip(self.periods, self.periods[1:], strict=False):
            if before.end is None or after.start is None or before.end > after.start:
                names = [str(before.wave), str(after.wave)]
                raise ParameterError("waves", names, "waves that begin when the one before has ended")

    def open_at(self, moment: datetime, /) -> Period | None:
        """Return the wave that is open at a moment, or None."""
        return next((each for each in self.periods if each.has(moment)), None)

    def is_over(self, moment: datetime, /) -> bool:
        """Whether the last wave has ended."""
        end = self.periods[-1].end
        return end is not None and moment >= end

    def latest(self, moment: datetime, /) -> Period:
        """Return the wave that is open at a moment, or else the last that was, or else the first."""
        begun = [each for each in self.periods if each.start is None or each.start <= moment]
        return (begun or [self.periods[0]])[-1]

    def named(self, text: str, /) -> Period | None:
        """Return the wave that is called so, or None."""
        return next((each for each in self.periods if str(each.wave) == text), None)

    def chosen(self, text: str | None, /) -> Period:
        """Return the wave that is called so, or the only one; raise where that is none, or leaves several."""
        found = self.named(str(text)) if text is not None or len(self.periods) == 1 else None
        if found is None and self.periods[0].wave is None:
            raise ParameterError("wave", text, "none: this survey has no waves")
        if found is None:
            raise none_of("wave", text, [each.wave for each in self.periods])
        return found

    @classmethod
    def from_dict(cls, data: Any, /) -> Calendar:
        """Return the waves that a survey's file names under ``waves``; without any, one that is always open.

        >>> waves = [{"name": "spring", "end": "2026-06-01T00:00Z"}, {"name": "autumn", "start": "2026-09-01T00:00Z"}]
        >>> [each.wave for each in Calendar.from_dict({"waves": waves}).periods]
        ['spring', 'autumn']
        """
        listed = data.get("waves") if isinstance(data, Mapping) else None
        if listed is None:
            return cls()
        if not isinstance(listed, list) or not all(isinstance(each, Mapping) for each in listed):
            raise KindError("waves", listed, "a list of waves, each with its name, and its start and end")
        people = data.get("people")
        return cls(tuple(_periods(listed)), None if people is None else one_of("people", people, ("same", "different")))

    @classmethod
    def load(cls, path: str | Path, /) -> Calendar:
        """Return the waves in a survey's file of TOML or JSON."""
        place = path_of(path)
        if place.suffix.lower() == ".toml":
            return cls.from_dict(read_toml(place))
        return cls.from_dict(strict_json(place.read_bytes()))


def _periods(listed: Iterable[Mapping[str, Any]]) -> Iterable[Period]:
    for each in listed:
        if set(each) - {"name", "start", "end"} or "name" not in each:
            raise ParameterError("waves", sorted(map(str, each)), "name, and start and end where they matter")
        yield Period(each["name"], _moment(each.get("start"), "start"), _moment(each.get("end"), "end"))


def _moment(given: Any, name: str) -> datetime | None:
    """Return a time as TOML has it, or as text in JSON."""
    if not isinstance(given, str):
        return given  # type: ignore[no-any-return]  # A period refuses what is none.
    try:
        return datetime.fromisoformat(given)
    except ValueError:
        raise ParameterError(name, given, "a time such as 2026-05-01T08:00:00+02:00") from None


def text_of(wave: Wave, /) -> str:
    """Return the name of a wave as a store writes it: the text "1" and the number 1 are two names.

    >>> text_of("1"), text_of(1), text_of(None)
    ('"1"', '1', 'null')
    """
    return json.dumps(wave)


def name_of(text: str, /) -> Wave:
    """Return the name of a wave that `text_of` wrote.

    >>> name_of('"spring"')
    'spring'
    """
    return json.loads(text)  # type: ignore[no-any-return]
