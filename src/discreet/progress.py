"""Progress: how far long work is, on a terminal, after a while; silent anywhere else."""

from __future__ import annotations

import sys
import threading
import time
from types import TracebackType
from typing import Final, final

__all__ = ["Progress", "Waiting"]

_PATIENCE: Final = 2.0
_PAUSE: Final = 0.1
_BAR: Final = 24
_CLEAR: Final = "\r\033[K"


@final
class Progress:
    """A line on a terminal that says how much of the work is done; it appears after two seconds.

    >>> with Progress("reports", total=10) as progress:
    ...     progress.add(5)
    """

    def __init__(self, what: str, total: int | None = None) -> None:
        self._what, self._total, self._done = what, total, 0
        self._start = time.monotonic()
        self._next = self._start + _PATIENCE
        self._shown = False

    def add(self, done: int, /) -> None:
        """Say that so much more is done."""
        self._done += done
        if time.monotonic() >= self._next and _is_terminal():
            self._shown = True
            self._next = time.monotonic() + _PAUSE
            _say(self._line())

    def _line(self) -> str:
        seconds = time.monotonic() - self._start
        if not self._total:
            return f"{self._done:,} {self._what}, {seconds:.0f} s"
        share = min(self._done / self._total, 1.0)
        full = round(share * _BAR)
        left = f", {seconds * (1 - share) / share:.0f} s left" if 0 < share < 1 else ""
        return f"[{'#' * full}{'.' * (_BAR - full)}] {share:4.0%}  {self._done:,} of {self._total:,} {self._what}{left}"

    def __enter__(self) -> Progress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown:
            _say("")


@final
class Waiting:
    """A line on a terminal that says for how long something has run that says nothing itself, such as a query.

    >>> with Waiting("duckdb runs the query"):
    ...     pass
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Waiting:
        if _is_terminal():
            self._thread = threading.Thread(target=self._tell, name="discreet-waiting", daemon=True)
            self._thread.start()
        return self

    def _tell(self) -> None:
        start, pause = time.monotonic(), _PATIENCE
        while not self._over.wait(pause):
            _say(f"{self._what}, {time.monotonic() - start:.0f} s")
            pause = _PAUSE
        if pause != _PATIENCE:
            _say("")

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()


def _is_terminal() -> bool:
    """Whether somebody may be looking: a program without a console has no stderr at all."""
    return sys.stderr is not None and sys.stderr.isatty()


def _say(line: str) -> None:
    """Write a line over the last one; an empty one leaves nothing behind."""
    print(f"{_CLEAR}{line}", end="", file=sys.stderr, flush=True)
