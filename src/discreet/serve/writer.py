"""Writer: all that waits is stored in one transaction, and each is answered when that is durable.

While one transaction is made durable, the next ones gather: under load many share the wait for the disk.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from typing import TYPE_CHECKING, Final, TypeVar, final

import numpy as np

from discreet.errors import StoreError
from discreet.serve.counts import Counts
from discreet.serve.store import Outcome, Store, Submission
from discreet.survey.reading import REASONS

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["BusyError", "Writer", "answer", "fail"]

T = TypeVar("T")

_MOST_WAITING: Final = 1 << 26
"""Bytes that may wait for the disk; beyond that it is too slow for those who send."""


class BusyError(StoreError):
    """More waits to be stored than memory should hold."""


@final
class Writer:
    """The only one who writes to a store, in a thread of its own, for many who wait."""

    def __init__(self, store: Store, counts: Counts, why: Callable[[bytes], NDArray[np.uint8]], /) -> None:
        self._store, self._counts, self._why = store, counts, why
        self._thread = ThreadPoolExecutor(1, "store")
        self._waiting: list[tuple[str, Submission, asyncio.Future[Outcome]]] = []
        self._bytes = 0
        self._task: asyncio.Task[None] | None = None
        self.commits = 0
        self.seconds = 0.0
        self.stored = 0
        self.refused: Counter[str] = Counter()

    @property
    def waiting(self) -> int:
        """How many submissions wait."""
        return len(self._waiting)

    async def add(self, wave: str, submission: Submission, /) -> Outcome:
        """Store a submission; when this returns, it is durable. StoreError says that it may not be stored."""
        if self._bytes + len(submission.payloads) > _MOST_WAITING:
            raise BusyError("too much waits to be stored")
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._waiting.append((wave, submission, future))
        self._bytes += len(submission.payloads)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._write())
        # Whoever goes away while this waits has sent it all the same: a task that is ended must not end the others.
        return await asyncio.shield(future)

    async def _write(self) -> None:
        while self._waiting:
            group, self._waiting, self._bytes = self._waiting, [], 0
            for wave, some in groupby(group, key=lambda each: each[0]):
                await self._commit(wave, list(some))

    async def _commit(self, wave: str, group: list[tuple[str, Submission, asyncio.Future[Outcome]]]) -> None:
        began = time.perf_counter()
        try:
            outcomes = await self.aside(lambda: self._store_all(wave, [submission for _, submission, _ in group]))
        except Exception as error:  # Whatever it is, nobody may wait for ever.
            fail((future for _, _, future in group), error, "a report could not be stored")
            return
        self.commits, self.seconds = self.commits + 1, self.seconds + time.perf_counter() - began
        answer((future for _, _, future in group), outcomes)

    def _store_all(self, wave: str, group: list[Submission]) -> list[Outcome]:
        """Store those that somebody can have sent. All that waits is looked at together, which is much quicker."""
        good = self._possible(group)
        try:
            self._counts.refresh()
            stored = iter(self._store.add(wave, [each for each, fine in zip(group, good, strict=True) if fine]))
        except BaseException:
            self._counts.doubt()  # A commit that failed may be there all the same.
            raise
        outcomes = [next(stored) if fine else Outcome.REFUSED for fine in good]
        new = b"".join(each.payloads for each, told in zip(group, outcomes, strict=True) if told is Outcome.STORED)
        if new:
            self._counts.add(wave, new)
            self.stored += len(new) // self._store.width
        return outcomes

    def _possible(self, group: list[Submission]) -> list[bool]:
        """Return which submissions have only responses that the forms can give; and count the others by reason."""
        why = self._why(b"".join(each.payloads for each in group))
        if not why.any():
            return [True] * len(group)
        ends = np.cumsum([len(each.payloads) // self._store.width for each in group])[:-1]
        parts = np.split(why, ends)
        self.refused.update(REASONS[int(part[np.flatnonzero(part)[0]])] for part in parts if part.any())
        return [not part.any() for part in parts]

    async def aside(self, work: Callable[[], T], /) -> T:
        """Do some work with the store in its thread."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def close(self) -> None:
        """Store all that waits, and let go of the store."""
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task])
        await self.aside(self._store.close)
        self._thread.shutdown()


def answer(waiting: Iterable[asyncio.Future[T]], results: Iterable[T], /) -> None:
    """Tell each of those who wait what became of theirs."""
    for future, result in zip(waiting, results, strict=True):
        if not future.done():
            future.set_result(result)


def fail(waiting: Iterable[asyncio.Future[T]], error: Exception, words: str, /) -> None:
    """Tell all who wait that something failed: a StoreError as it is, and whatever else in these words."""
    told = error if isinstance(error, StoreError) else StoreError(words)
    for future in waiting:
        if not future.done():
            future.set_exception(told)
            future.exception()  # It is known here; who asked may be gone.
