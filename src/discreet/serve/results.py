"""Results: what the reports say by now, as a page and as JSON, made again only when there are more reports."""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final, NamedTuple, final

from discreet.exact import Exact
from discreet.serve.counts import Counts
from discreet.survey import Boxes, Estimates, Form, Wording
from discreet.survey.calendar import ALL, Calendar, text_of
from discreet.survey.pages import estimates_page

__all__ = ["Results", "Shown"]


_ONLY_TEXT: Final = (
    "<!doctype html><title>Results</title><p>This survey asks for open text only: export it to decode it."
)


@final
class Shown(NamedTuple):
    """Results of so many reports in each wave: a page, and the same in JSON."""

    n: tuple[int, ...]
    html: str
    data: str


@final
class Results:
    """Results of one wave or of all. With *step*, a wave moves on only when it has so many more reports.

    Whoever sees the results before and after a single report sees that report, which its epsilon protects; a step hides
    it among others. A wave is shown as it was at one moment, by itself and among all: two views of it must not differ
    by a single report either.
    """

    def __init__(
        self, counts: Counts, calendar: Calendar, /, *, confidence: Exact, step: int, wording: Wording | None = None
    ) -> None:
        self._counts, self._calendar, self._wording = counts, calendar, wording
        self._confidence, self._step = confidence, step
        self._moments: dict[str, Boxes] = {}
        self._shown: dict[str, Shown] = {}
        self._making = asyncio.Lock()

    async def of(self, name: str, /) -> Shown | None:
        """Return the results of the waves of a name, or None where there are too few reports yet."""
        async with self._making:
            boxes = [self._moment(wave) for wave in self._waves(name)]
            numbers = tuple(map(_n, boxes))
            if not any(numbers):
                return None
            if name not in self._shown or self._shown[name].n != numbers:
                self._shown[name] = await asyncio.to_thread(self._make, name, boxes)
            return self._shown[name]

    def _waves(self, name: str) -> list[str]:
        periods = self._calendar.periods
        return [text_of(each.wave) for each in periods if name == ALL or str(each.wave) == name]

    def _moment(self, wave: str) -> Boxes:
        """Return the boxes of a wave as they are shown, which are the present ones if there is enough in them."""
        now = self._counts.of(wave)
        shown = self._moments.setdefault(wave, self._counts.none(wave))
        if _n(now) - _n(shown) >= self._step:
            self._moments[wave] = now
        return self._moments[wave]

    def _make(self, name: str, boxes: list[Boxes]) -> Shown:
        numbers = tuple(map(_n, boxes))
        # Open text is decoded by whoever has candidates; see `export`.
        chosen = [{name: box for name, box in each.items() if isinstance(box.form, Form)} for each in boxes]
        some = [Boxes(each) for each, n in zip(chosen, numbers, strict=True) if n and each]
        if not some:
            return Shown(numbers, _ONLY_TEXT, json.dumps({"reports": sum(numbers), "questions": {}, "estimates": []}))
        people = self._calendar.people if name == ALL else None
        found: Estimates = some[0].estimate(*some[1:], people=people, confidence=self._confidence)
        data: dict[str, Any] = {"reports": sum(numbers), **found.to_dict()}
        page = estimates_page(found, self._wording)
        return Shown(numbers, page.to_html(), json.dumps(data, ensure_ascii=False))


def _n(boxes: Boxes) -> int:
    return next(iter(boxes.values())).n
