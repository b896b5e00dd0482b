"""Progress: how far long work is, on a terminal, after a while; silent anywhere else."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Final, final

__all__ = ["Progress"]

_PATIENCE: Final = 2.0
_PAUSE: Final = 0.1


@final
class Progress:
    """A line on a terminal that says how much of the work is done; it appears after two seconds.

    >>> with Progress("reports", total=10) as progress:
    ...     progress.add(5)
    """

    def __init__(self, what: str, total: int | None = None) -> None:
        self._what, self._total, self._done = what, total, 0
        self._next = time.monotonic() + _PATIENCE
        self._shown = False

    def add(self, done: int, /) -> None:
        """Say that so much more is done."""
        self._done += done
        if time.monotonic() >= self._next and sys.stderr.isatty():
            self._shown = True
            self._next = time.monotonic() + _PAUSE
            share = f" ({min(self._done / self._total, 1):.0%})" if self._total else ""
            print(f"\r{self._done:,} {self._what}{share}", end="", file=sys.stderr, flush=True)

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            print(f"\r{self._done:,} {self._what}, done" if kind is None else "", file=sys.stderr, flush=True)
