"""Books: a privacy budget, and all that was ever charged to it."""

from __future__ import annotations

import os
import sqlite3
from fractions import Fraction
from pathlib import Path
from typing import Any, Final, final

from discreet.errors import BudgetError, KindError, LedgerError, ParameterError, UnsupportedError, show_path
from discreet.exact import Exact, exact, whole
from discreet.ledger.entries import (
    Amount,
    Entry,
    Mark,
    check_notes,
    name_text,
    now,
    page,
    reason_text,
    receipt_text,
    said,
    short,
    total,
)
from discreet.ledger.store import DAMAGED, Store, check, take_notes
from discreet.measures import amount
from discreet.reals import float_down, float_up

__all__ = ["Ledger"]

_MOST_SECONDS: Final = 10**6
_MOST_NAME: Final = 255


@final
class Ledger:
    """A privacy budget and all that was ever charged to it, in a file.

    Given a budget, the file is made, or opened if its budget is the same; ``Ledger(path)`` opens one that exists.
    A ledger may be used by many threads and processes at once, survives a fork, and pickles as its path. An
    operation waits up to *timeout* seconds for others. A file that cannot be written can still be read.

    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "budget.db")
    >>> with Ledger(path, epsilon=3, delta="1e-5") as book:
    ...     _ = book.charge(epsilon=1, delta="1e-6", table="events.parquet")
    >>> Ledger(path).left
    Amount(epsilon=Fraction(2, 1), delta=Fraction(9, 1000000))
    >>> Ledger(path).charge(epsilon="2.5")                                              # doctest: +ELLIPSIS
    Traceback (most recent call last):
    discreet.errors.BudgetError: epsilon=2.5, delta=0: more than is left in ...: epsilon=2, ...; nothing was charged
    >>> folder.cleanup()
    """

    __slots__ = ("_budget", "_mark", "_store")

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        *,
        epsilon: Exact | None = None,
        delta: Exact | None = None,
        timeout: Exact = 60,
    ) -> None:
        asked = _asked(epsilon, delta)
        self._store = Store(None if path is None else _place(path), timeout=_seconds(timeout))
        if asked is None and path is None:
            raise ParameterError("epsilon", epsilon, "epsilon > 0, because a ledger in memory is always new")
        if self._store.is_missing:
            if asked is None:
                self._store.refuse("there is no ledger here: give epsilon=, and delta=, to start one")
            self._store.make(lambda connection: _enter_budget(connection, asked))
        self._store.hold()
        self._mark: Mark | None = None
        self._budget, self._mark = self._store.run("DEFERRED", self._audited)
        if asked is not None and asked != self._budget:
            self._store.refuse(
                f"was made with {said(self._budget, float_up)}, not with {said(asked, float_up)}: "
                "leave epsilon= and delta= away to open it as it is, or choose another path"
            )

    @classmethod
    def in_memory(cls, *, epsilon: Exact, delta: Exact = 0) -> Ledger:
        """Return a ledger for tests and notebooks. It is gone with the process.

        >>> Ledger.in_memory(epsilon=3, delta="1e-5")
        Ledger.in_memory(epsilon='3', delta='1/100000')
        """
        return cls(None, epsilon=epsilon, delta=delta)

    @property
    def path(self) -> Path | None:
        """Where the books are; None in memory.

        >>> Ledger.in_memory(epsilon=1).path is None
        True
        """
        return self._store.path

    @property
    def epsilon(self) -> Fraction:
        """The whole budget's epsilon.

        >>> Ledger.in_memory(epsilon="0.1").epsilon
        Fraction(1, 10)
        """
        return self._budget.epsilon

    @property
    def delta(self) -> Fraction:
        """The whole budget's delta.

        >>> Ledger.in_memory(epsilon=1, delta="1e-6").delta
        Fraction(1, 1000000)
        """
        return self._budget.delta

    @property
    def spent(self) -> Amount:
        """The exact sum of all charges, as the file has it now.

        >>> book = Ledger.in_memory(epsilon=1)
        >>> for _ in range(3):
        ...     _ = book.charge(epsilon="1/3")
        >>> book.spent
        Amount(epsilon=Fraction(1, 1), delta=Fraction(0, 1))
        """
        self._mark, _ = self._store.run("DEFERRED", lambda connection: self._follow(connection, self._mark))
        return self._mark.spent

    @property
    def left(self) -> Amount:
        """What may still be charged, exactly.

        >>> book = Ledger.in_memory(epsilon=1)
        >>> _ = book.charge(epsilon="1/3")
        >>> book.left.epsilon
        Fraction(2, 3)
        """
        return self._budget.minus(self.spent)

    @property
    def last_left(self) -> Amount:
        """What was left when this object last charged or read the books; the file is not asked, so nothing can fail.

        >>> book = Ledger.in_memory(epsilon=1)
        >>> _ = book.charge(epsilon="1/3")
        >>> book.last_left.epsilon
        Fraction(2, 3)
        """
        mark = self._mark
        return self._budget if mark is None else self._budget.minus(mark.spent)

    def charge(self, *, epsilon: Exact, delta: Exact = 0, table: str | None = None, receipt: Any = None) -> Entry:
        """Enter a charge, durably, and return the entry; only then may the release be made.

        *receipt* is anything that JSON can carry. Where a BudgetError is raised, nothing has changed. If the disk
        fails at the last moment, a LedgerError says that the charge may stand: release nothing, and count it.

        >>> book = Ledger.in_memory(epsilon=1, delta="1e-6")
        >>> book.charge(epsilon="1/2", delta="1e-6").number
        1
        >>> book.charge(epsilon="1/2", delta="1e-9")                                    # doctest: +ELLIPSIS
        Traceback (most recent call last):
        discreet.errors.BudgetError: epsilon=0.5, delta=1e-9: more than is left in memory: epsilon=0.5, delta=0; ...
        """
        cost = Amount(amount(epsilon), amount(delta, "delta"))
        if not any(cost):
            raise ParameterError("epsilon", epsilon, "epsilon > 0 or delta > 0: what costs nothing needs no charge")
        text, name = receipt_text(receipt), name_text(table)
        floats = isinstance(epsilon, float) or isinstance(delta, float)

        def enter(connection: sqlite3.Connection) -> tuple[Mark, Entry]:
            mark, _ = self._follow(connection, self._mark)
            if not mark.spent.plus(cost).within(self._budget):
                raise self._exceeded(cost, self._budget.minus(mark.spent), floats)
            return _entered(connection, mark, cost, name, text)

        # Exclusive from the start: whoever has to wait for others does so before anything is written.
        self._mark, entry = self._store.run("EXCLUSIVE", enter)
        return entry

    def mark_failed(self, number: int, *, reason: str) -> Entry:
        """Note that nothing came of a charge, and why. The charge stands: a failure may tell something of the data.

        >>> book = Ledger.in_memory(epsilon=1)
        >>> _ = book.charge(epsilon="1/3")
        >>> book.mark_failed(1, reason="the engine stopped").kind, book.left.epsilon
        ('failed', Fraction(2, 3))
        """
        return self._note("failed", number, reason)

    def void(self, number: int, *, reason: str) -> Entry:
        """Take a charge back, on the record: for an operator who knows that nobody has learned anything from it.

        A failure is no proof of that, since whether a query fails may depend on the data. A charge can be taken back
        once, and a note cannot.

        >>> book = Ledger.in_memory(epsilon=1)
        >>> _ = book.charge(epsilon="1/3")
        >>> book.void(1, reason="the power failed before anything was asked").epsilon, book.left.epsilon
        (Fraction(-1, 3), Fraction(1, 1))
        >>> book.void(1, reason="again")
        Traceback (most recent call last):
        discreet.errors.ParameterError: number=1: need a charge that was not taken back yet
        """
        return self._note("void", number, reason)

    def _note(self, kind: str, number: int, reason: str) -> Entry:
        """Enter a note about a charge, unless there is one of its kind."""
        which, why = whole(number, "number", least=1), reason_text(reason)

        def enter(connection: sqlite3.Connection) -> tuple[Mark, Entry]:
            mark, entries = self._follow(connection, None)
            charge = next((entry for entry in entries if entry.number == which and entry.kind == "charge"), None)
            if charge is None:
                raise ParameterError("number", number, "the number of a charge on these books")
            if any((entry.kind, entry.about) == (kind, which) for entry in entries):
                done = "taken back" if kind == "void" else "marked as failed"
                raise ParameterError("number", number, f"a charge that was not {done} yet")
            nothing = Amount(Fraction(0), Fraction(0))
            cost = nothing if kind == "failed" else nothing.minus(charge.amount)
            take_notes(connection)
            return _entered(connection, mark, cost, charge.table, receipt_text({"entry": which, "reason": why}))

        self._mark, entry = self._store.run("EXCLUSIVE", enter)
        return entry

    def require(self, *, epsilon: Exact, delta: Exact = 0) -> None:
        """Raise the BudgetError that a charge would raise now, and charge nothing: to ask before long work.

        >>> Ledger.in_memory(epsilon=1).require(epsilon=2)                                # doctest: +ELLIPSIS
        Traceback (most recent call last):
        discreet.errors.BudgetError: epsilon=2, delta=0: more than is left in memory: epsilon=1, delta=0; ...
        """
        cost, left = Amount(amount(epsilon), amount(delta, "delta")), self.left
        if not cost.within(left):
            raise self._exceeded(cost, left, isinstance(epsilon, float) or isinstance(delta, float))

    def entries(self) -> list[Entry]:
        """Return all charges, and the notes about them, in the order in which they were made.

        >>> book = Ledger.in_memory(epsilon=1)
        >>> _ = book.charge(epsilon="1/3", table="a"), book.charge(epsilon="1/7", table="b")
        >>> [(entry.number, entry.epsilon, entry.table) for entry in book.entries()]
        [(1, Fraction(1, 3), 'a'), (2, Fraction(1, 7), 'b')]
        """
        return self._store.run("DEFERRED", lambda connection: self._follow(connection, None)[1])

    def to_dict(self) -> dict[str, Any]:
        """Return the books as plain values, for JSON: amounts are exact, as texts, and add up.

        >>> book = Ledger.in_memory(epsilon=1)
        >>> _ = book.charge(epsilon="1/3", table="events.parquet")
        >>> book.to_dict()["left"], book.to_dict()["entries"][0]["epsilon"]
        ({'epsilon': '2/3', 'delta': '0'}, '1/3')
        """
        entries = self.entries()
        spent = total(entries)
        amounts = {"budget": self._budget, "spent": spent, "left": self._budget.minus(spent)}
        said = {name: {"epsilon": str(x.epsilon), "delta": str(x.delta)} for name, x in amounts.items()}
        return {**said, "entries": [entry.to_dict() for entry in entries]}

    def verify(self) -> None:
        """Raise LedgerError unless the file is sound, every digest, note and the sum agree, and nothing has been lost.

        >>> Ledger.in_memory(epsilon=1).verify()
        """
        self._store.run("DEFERRED", self._audited)

    def close(self) -> None:
        """End the use of this object. The books stay, unless they were in memory.

        >>> book = Ledger.in_memory(epsilon=1)
        >>> book.close()
        >>> book.left
        Traceback (most recent call last):
        discreet.errors.LedgerError: memory: this ledger is closed: open it anew
        """
        self._store.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        if self._store.path is not None:
            return f"Ledger({str(self._store.path)!r})"
        epsilon, delta = (repr(str(x)) if short(x, 250) else "..." for x in self._budget)
        return f"Ledger.in_memory(epsilon={epsilon}, delta={delta})"

    def __str__(self) -> str:
        return page(repr(self), self._budget, self.entries())

    def __reduce__(self) -> tuple[Any, ...]:
        if self._store.path is None:
            raise UnsupportedError("a ledger in memory belongs to its process: give it a path to pickle or copy it")
        return _reopened, (str(self._store.path), self._store.timeout, self._mark)

    def _audited(self, connection: sqlite3.Connection) -> tuple[Amount, Mark]:
        """Return the budget, and all that has been charged, having checked everything there is to check."""
        may_note = check(connection, self._store.refuse)
        mark, entries = self._follow(connection, None)
        if not may_note and any(entry.kind != "charge" for entry in entries):
            self._store.refuse(DAMAGED)
        ((epsilon, delta),) = connection.execute("SELECT epsilon, delta FROM budget")
        budget = Amount(Fraction(epsilon), Fraction(delta))
        if not mark.spent.within(budget):
            self._store.refuse(DAMAGED)
        return budget, mark

    def _follow(self, connection: sqlite3.Connection, since: Mark | None) -> tuple[Mark, list[Entry]]:
        """Read the books from a mark on, or from the start; return the new mark, and the entries after the old one."""
        ((*budget, count, tip),) = connection.execute("SELECT made, epsilon, delta, entries, digest FROM budget")
        start = Mark.start(*budget)
        mark, known = since or start, since or self._mark or start
        found = connection.execute("SELECT digest FROM entries WHERE number = ?", (known.number,)).fetchone()
        if known.genesis != start.genesis or (known.number > 0 and found != (known.digest,)):
            self._store.refuse("lacks charges that it had, as an older copy would, or other books: put it back")
        entries: list[Entry] = []
        for *fields, digest in connection.execute("SELECT * FROM entries WHERE number > ? ORDER BY number", mark[1:2]):
            if fields[0] != mark.number + 1 or mark.digest_of(*fields) != digest:
                self._store.refuse(DAMAGED)
            entries.append(Entry.read(*fields))
            mark = mark.after(entries[-1], digest)
        if (mark.number, mark.digest) != (count, tip):
            self._store.refuse(DAMAGED)
        if any(entry.kind != "charge" for entry in entries):
            check_notes(entries if since is None else self._follow(connection, None)[1])
        return mark, entries

    def _exceeded(self, cost: Amount, left: Amount, floats: bool) -> BudgetError:
        near = any(0 < wanted - there <= wanted / 2**40 for wanted, there in zip(cost, left, strict=True))
        hint = '; a float is the binary number that it is: write "0.1" for a tenth' if floats and near else ""
        return BudgetError(
            f"{said(cost, float_up)}: more than is left in {self._store.where}: {said(left, float_down)}; "
            f"nothing was charged{hint}"
        )


def _entered(
    connection: sqlite3.Connection, mark: Mark, cost: Amount, name: str | None, text: str
) -> tuple[Mark, Entry]:
    """Write the next entry; return it, and the mark after it."""
    fields = mark.number + 1, now(), str(cost.epsilon), str(cost.delta), name, text
    digest, entry = mark.digest_of(*fields), Entry.read(*fields)
    connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)", (*fields, digest))
    connection.execute("UPDATE budget SET entries = ?, digest = ?", (entry.number, digest))
    return mark.after(entry, digest), entry


def _reopened(path: str, timeout: float, mark: Mark) -> Ledger:
    """Return a ledger that was pickled: never a new one, nor one with fewer entries."""
    book = Ledger(path, timeout=timeout)
    book._store.run("DEFERRED", lambda connection: book._follow(connection, mark))
    return book


def _enter_budget(connection: sqlite3.Connection, budget: Amount) -> None:
    fields = now(), str(budget.epsilon), str(budget.delta)
    connection.execute("INSERT INTO budget VALUES (1, ?, ?, ?, 0, ?)", (*fields, Mark.start(*fields).digest))


def _asked(epsilon: Exact | None, delta: Exact | None) -> Amount | None:
    """Return a budget, or None where none is given."""
    if epsilon is None:
        if delta is not None:
            raise ParameterError("epsilon", epsilon, "epsilon > 0, where delta is given")
        return None
    budget = Amount(amount(epsilon), amount(0 if delta is None else delta, "delta"))
    if not budget.epsilon > 0:
        raise ParameterError("epsilon", epsilon, "epsilon > 0")
    if not budget.delta < 1:
        raise ParameterError("delta", delta, "0 <= delta < 1")
    return budget


def _seconds(timeout: Exact) -> float:
    seconds = exact(timeout, "timeout")
    if not 0 <= seconds <= _MOST_SECONDS:
        raise ParameterError("timeout", timeout, f"0 <= timeout <= {_MOST_SECONDS}, in seconds")
    return float(seconds)


def _place(path: str | os.PathLike[str]) -> Path:
    """Return where a path leads, whatever the working directory and links will be later."""
    try:
        given = Path(path)
    except Exception:
        raise KindError("path", path, "a path, or None for a ledger in memory") from None
    longest = max((len(part.encode("utf-8", "replace")) for part in given.parts), default=0)
    if longest > _MOST_NAME:
        raise ParameterError("path", str(given), f"a path, of names of at most {_MOST_NAME} bytes")
    if str(given) in (".", ":memory:") or "\0" in str(given):
        raise ParameterError("path", path, "a path; Ledger.in_memory(...) makes a ledger in memory")
    try:
        place = given.resolve()
        folder = place.parent.is_dir()
    except (ValueError, OSError, RuntimeError) as error:
        why = getattr(error, "strerror", None) or type(error).__name__
        raise LedgerError(f"{show_path(given)}: leads nowhere: give a path that can be reached ({why})") from None
    if not folder:
        raise LedgerError(f"{show_path(place)}: there is no folder {show_path(place.parent)}: make it first")
    return place
