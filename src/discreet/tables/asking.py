"""Asking: a question is charged, then put to the engine; whatever becomes of it, the charge stands.

A failure that cost nothing could be had again and again, and whether a query fails may depend on the data.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, TypeVar

from discreet.errors import DiscreetError, EngineError, UnsupportedError
from discreet.exact import written
from discreet.ledger import Entry, Event, Ledger, Reservation
from discreet.progress import Waiting

__all__ = ["alone", "answerable", "asked", "charged"]

T = TypeVar("T")


def alone(table: Any) -> threading.Lock:
    """Return the lock of a table's connection, which answers one question at a time.

    It is kept with the connection itself: Ibis calls two of them equal where they lead to the same place.
    """
    return vars(table.get_backend()).setdefault("_discreet_lock", threading.Lock())  # type: ignore[no-any-return]


def asked(table: Any, call: Callable[[Any], T]) -> T:
    """Return what an engine answers; whatever it fails with is not shown, as it may quote the data."""
    engine, failure, found = table.get_backend().name, "", None
    with Waiting(f"{engine} runs the query"), alone(table), _interrupts() as pressed:
        try:
            found = call(table)
        except DiscreetError:
            raise
        except Exception as error:  # Each engine has its own, also for an interrupt.
            failure = type(error).__name__
    if pressed:
        raise KeyboardInterrupt
    if failure or found is None:
        raise EngineError(f"{engine} could not answer the query ({failure})")
    return found


def answerable(table: Any, ask: Callable[[Any], T]) -> T:
    """Return a question in an engine's words; raise where it has none, which the columns and their types decide."""
    failure, found = "", None
    with alone(table):
        try:
            found = ask(table)
        except DiscreetError:
            raise
        except Exception as error:  # Each engine has its own.
            failure = type(error).__name__
    if failure or found is None:
        raise UnsupportedError(f"{table.get_backend().name} cannot be asked this ({failure}); nothing was charged")
    return found


@contextmanager
def charged(
    ledger: Ledger | Reservation | None, event: Event, table: str, receipt: dict[str, Any]
) -> Iterator[Entry | None]:
    """Charge the books, if there are any, for what is then done; should that fail, mark the charge, which stands.

    >>> book = Ledger.in_memory(epsilon=1)
    >>> with charged(book, Event.of(moves=[(1, 1)]), "events", {}):
    ...     raise EngineError("duckdb could not answer the query (OSError)")            # doctest: +ELLIPSIS
    Traceback (most recent call last):
    discreet.errors.EngineError: duckdb could not ... (OSError); epsilon 1 stays charged, as entry 1 in memory; ...
    >>> [entry.kind for entry in book.entries()]
    ['charge', 'failed']
    """
    if ledger is None:
        yield None
        return
    entry = None
    try:
        entry = ledger.charge(event=event, table=table, receipt=receipt)
        yield entry
    except BaseException as error:
        if entry is not None:
            _say(error, _stands(ledger, entry, error))
        elif isinstance(error, KeyboardInterrupt):
            _say(error, f"whether it was charged, the books {_place(ledger)} say")
        raise


def _stands(ledger: Ledger | Reservation, entry: Entry, error: BaseException) -> str:
    """Mark a charge as failed; return what the books then hold."""
    marked = ""
    try:
        ledger.mark_failed(entry.number, reason=type(error).__name__)
    except DiscreetError:  # The charge is what counts, and it is there.
        marked = ", not marked as failed"
    amounts = [f"{name} {written(x, up=True)}" for name, x in entry.amount._asdict().items() if x]
    if isinstance(ledger, Reservation):
        return f"it is released, as entry {entry.number} {_place(ledger)}{marked}, and cannot be again"
    return (
        f"{', '.join(amounts)} stays charged, as entry {entry.number} {_place(ledger)}{marked}; "
        f"Ledger.void({entry.number}, reason=...) takes it back"
    )


def _place(ledger: Ledger | Reservation) -> str:
    return "in memory" if ledger.path is None else f"of {ledger.path}"


def _say(error: BaseException, words: str) -> None:
    """Add words to an error of ours, or to an interrupt."""
    if isinstance(error, DiscreetError | KeyboardInterrupt):
        error.args = (f"{error}; {words}" if str(error) else words,)


@contextmanager
def _interrupts() -> Iterator[list[int]]:
    """Give a list that is not empty once Ctrl-C was pressed; an engine may take that for a failure of its own."""
    pressed: list[int] = []
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield pressed
        return

    def press(number: int, frame: FrameType | None) -> Any:
        pressed.append(number)
        return before(number, frame)

    signal.signal(signal.SIGINT, press)
    try:
        yield pressed
    finally:
        signal.signal(signal.SIGINT, before)
