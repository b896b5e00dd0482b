"""Counts: what the reports of each wave add up to, kept in memory beside the store that holds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import numpy as np

from discreet.serve.store import DAMAGED, Store
from discreet.survey import Boxes, Survey
from discreet.survey.calendar import name_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Counts"]


@final
class Counts:
    """The boxes of each wave. They are as many as the choices, however many reports there are."""

    def __init__(self, survey: Survey, store: Store, /) -> None:
        self._survey, self._store = survey, store
        self._ends = np.cumsum([form.width for form in survey.forms])[:-1]
        self._boxes: dict[str, Boxes] = {}
        self._stale = True
        self.refresh()

    def of(self, wave: str, /) -> Boxes:
        """Return the boxes of a wave; others that are made later do not change them."""
        return self._boxes.get(wave) or self.none(wave)

    def none(self, wave: str, /) -> Boxes:
        """Return the boxes of a wave in which nobody has answered."""
        return self._survey.collector(wave=name_of(wave))

    def n(self, wave: str, /) -> int:
        """Return how many responses a wave has."""
        return next(iter(self.of(wave).values())).n

    def add(self, wave: str, payloads: bytes, /) -> None:
        """Count payloads that are stored now."""
        rows = np.frombuffer(payloads, np.uint8).reshape(-1, self._store.width)
        self._boxes[wave] = self.of(wave).merge(self._counted(wave, rows))

    def doubt(self) -> None:
        """Say that the store may hold what is not counted here."""
        self._stale = True

    def refresh(self) -> None:
        """Count all again, where there is doubt."""
        if not self._stale:
            return
        found = {wave: self.none(wave) for wave in self._store.waves()}
        for wave in list(found):

            def take(rows: NDArray[np.uint8], wave: str = wave) -> None:
                found[wave] = found[wave].merge(self._counted(wave, rows))

            self._store.each(wave, take)
        self._boxes, self._stale = found, False

    def _counted(self, wave: str, rows: NDArray[np.uint8]) -> Boxes:
        """Return the boxes of some payloads; those that nobody can have sent are damage."""
        boxes = self.none(wave)
        for box, part in zip(boxes.values(), np.split(rows, self._ends, axis=1), strict=True):
            box.add_chunk(part, payloads=True)
            if box.refused:
                self._store.refuse(DAMAGED)
        return boxes
