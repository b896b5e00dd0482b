"""Exchange: an invitation becomes a ticket that nobody recognises. It is spent, durably, before anything is signed.

Who repeats a request gets the same answer, so that a lost one costs nobody their vote; another request with the same
invitation is refused. Those who wait share one transaction, and signatures are made one at a time in a thread aside.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, Final, final

from discreet.serve.signing import SigningKey
from discreet.serve.store import Store
from discreet.serve.writer import BusyError, answer, fail
from discreet.survey.tickets import TicketKey, ticket_about

__all__ = ["Exchange"]

_MOST_WAITING: Final = 4096
_LONGEST: Final = 1024
"""More characters than any ticket has."""


@final
class Exchange:
    """What gives tickets for invitations, and knows a ticket again: a key for each wave, by its name in the store."""

    def __init__(
        self,
        store: Store,
        keys: Mapping[str, SigningKey],
        tag: bytes,
        aside: Callable[[Callable[[], Any]], Awaitable[Any]],
        /,
    ) -> None:
        self._store, self._keys, self._tag, self._aside = store, keys, tag, aside
        self._thread = ThreadPoolExecutor(1, "sign")
        self._waiting: list[tuple[bytes, bytes, asyncio.Future[bool]]] = []
        self._signing = 0
        self._task: asyncio.Task[None] | None = None

    def key(self, wave: str, /) -> TicketKey:
        """Return the public key of a wave."""
        return self._keys[wave].public

    async def sign(self, wave: str, invitation: bytes, blinded: bytes, /) -> bytes | None:
        """Return a signature for an invitation, which is spent by then; None where it was spent on something else."""
        if self._signing >= _MOST_WAITING:
            raise BusyError("too many wait for a ticket")
        self._signing += 1
        try:
            if not await self._spent(invitation, hashlib.sha256(blinded).digest()):
                return None
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._thread, self._keys[wave].sign, blinded)
        finally:
            self._signing -= 1

    async def _spent(self, invitation: bytes, request: bytes) -> bool:
        future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append((invitation, request, future))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._spend())
        return await asyncio.shield(future)

    async def _spend(self) -> None:
        while self._waiting:
            group, self._waiting = self._waiting, []
            asked = [(invitation, request) for invitation, request, _ in group]
            try:
                granted = await self._aside(partial(self._store.grant, asked))
            except Exception as error:  # Whatever it is, nobody may wait for ever.
                fail((future for _, _, future in group), error, "an invitation could not be spent")
            else:
                answer((future for _, _, future in group), granted)

    def mark(self, wave: str, name: str | int | None, given: str, /) -> bytes | None:
        """Return the mark of a ticket of a wave, in base 64; None for what its key has not signed."""
        try:
            ticket = base64.b64decode(given.encode("ascii"), validate=True) if len(given) <= _LONGEST else b""
        except (ValueError, binascii.Error):
            return None
        about = ticket_about(self._tag, name)
        drawn = self._keys[wave].public.opened(ticket, about)
        return None if drawn is None else hashlib.sha256(about + drawn).digest()

    async def close(self) -> None:
        """Spend what waits, and end the thread."""
        while self._task is not None and not self._task.done():
            await asyncio.wait([self._task])
        self._thread.shutdown()
