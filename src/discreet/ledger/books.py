"""Books: a privacy budget, and all that was ever charged to it."""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from contextlib import closing, suppress
from fractions import Fraction
from hashlib import sha256
from pathlib import Path
from typing import Any, Final, TypeVar, final

from discreet.accounting import Accountant, Adaptive, Amount, Event, Plain, accountants
from discreet.coins import SYSTEM
from discreet.errors import (
    BudgetError,
    KindError,
    LedgerError,
    ParameterError,
    UnsupportedError,
    none_of,
    one_of,
    show_path,
)
from discreet.exact import Exact, exact, in_full, whole
from discreet.files import checked_place, write_text
from discreet.ledger.entries import Entry, Mark, Row, amount_text, chained, checked_text, event_text, json_text, now
from discreet.ledger.formats import ANSWERS, FORMAT, Books, create, enter
from discreet.ledger.limits import NO_LIMITS, Analyst, Limits, Period, Spell, unstated
from discreet.ledger.older import Old, check_origin, migrate
from discreet.ledger.reservations import NAMED, RESERVED, Plan, Reservation
from discreet.ledger.sqlite import SQLiteStore, in_memory
from discreet.ledger.store import DAMAGED, Connection, Kind, Store, UnwritableError
from discreet.measures import amount
from discreet.pages.books import as_csv, book_sheet, notes_about
from discreet.pages.sheet import Sheet
from discreet.pages.timeline import timeline_page
from discreet.pages.why import why_sheet

__all__ = ["Ledger"]

T = TypeVar("T")

_NOTHING: Final = Amount(Fraction(0), Fraction(0))
_MOST_SECONDS: Final = 10**6
_MOST_NAME: Final = 255
_MOST_SHOWN: Final = 80
_MOST_QUESTION: Final = 2000
_URL: Final = re.compile(r"\s*([a-z][a-z0-9+.-]+:/{1,2})", re.IGNORECASE)
"""How a URL begins, even one that was made a path; a drive has one letter."""


@final
class Ledger:
    """A privacy budget and all that was ever charged to it, in a file.

    Given a budget, the file is made, or opened if its budget is the same; ``Ledger(path)`` opens one that exists.
    Charges are counted by the *accountant*: ``"adaptive"``, which keeps a part of delta, *release_delta* (half), for
    the releases' own deltas and turns the rest into many more releases; ``"plain"``, which adds up epsilons and deltas,
    and is the default where delta is 0; or ``"zcdp"``, for Gaussian releases. A file keeps what it was made with.
    A ledger may be used by many threads and processes at once, survives a fork, and pickles as its path. An
    operation waits up to *timeout* seconds for others. A file that cannot be written can still be read.
    Inside the whole, a *period* has a budget of its own, and *analysts* have limits; *who* asks through this object.
    The *answers* that are kept are ``"inside"`` the books, ``"beside"`` them, where their owner may delete them, or
    ``"none"``.

    >>> import tempfile, pathlib
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = pathlib.Path(folder.name, "budget.db")
    >>> with Ledger(path, epsilon=3, delta="1e-5") as book:
    ...     _ = book.charge(epsilon=1, delta="1e-6", table="events.parquet")
    >>> Ledger(path).left
    Amount(epsilon=Fraction(2, 1), delta=Fraction(1, 250000))
    >>> Ledger(path).charge(epsilon="2.5")                                              # doctest: +ELLIPSIS
    Traceback (most recent call last):
    discreet.errors.BudgetError: epsilon=2.5, delta=0: more than is left in ...: epsilon=2, ...; nothing was charged
    >>> folder.cleanup()
    """

    __slots__ = ("_accountant", "_budget", "_mark", "_store", "_who")

    def __init__(
        self,
        path: str | os.PathLike[str] | None,
        *,
        epsilon: Exact | None = None,
        delta: Exact | None = None,
        accountant: str | None = None,
        release_delta: Exact | None = None,
        period: Period | None = None,
        analysts: Mapping[str, Exact | tuple[Exact, Exact]] | None = None,
        answers: str | None = None,
        who: str | None = None,
        timeout: Exact = 60,
    ) -> None:
        asked, own = _asked(epsilon, delta), None if release_delta is None else amount(release_delta, "release_delta")
        kind, named, self._who = _kind(accountant, asked), _named(analysts), checked_text(who, "who")
        if not (period is None or isinstance(period, Period)):
            raise KindError("period", type(period), 'a Period, such as Period("month", epsilon=1, start="2026-11-01")')
        self._store, kept = _store(path, _seconds(timeout)), _answers(answers, path)
        if asked is None and path is None:
            raise ParameterError("epsilon", epsilon, "epsilon > 0, because a ledger in memory is always new")
        if self._store.is_missing:
            if asked is None:
                self._store.refuse("there is no ledger here: give epsilon=, and delta=, to start one")
            counting, limits = kind.for_budget(asked, own), _periods(period, accountant, asked, own)
            self._store.make(lambda connection: self._found(connection, asked, counting, limits, named, kept))
        self._store.hold()
        self._mark: Mark | None = None
        if self._store.run("DEFERRED", self._store.format_of) < FORMAT:
            with suppress(UnwritableError):  # It can be read all the same.
                self._run("EXCLUSIVE", lambda _: None)
        self._budget, self._accountant, self._mark = self._run("DEFERRED", self._opened)
        if asked is not None and asked != self._budget:
            self._store.refuse(
                f"was made with {self._budget.text(up=True)}, not with {asked.text(up=True)}: "
                "leave epsilon= and delta= away to open it as it is, or choose another path"
            )
        if accountant not in (None, self._accountant.name):
            name = self._accountant.name
            self._store.refuse(f"is counted by accountant={name!r}: leave accountant= away, or choose another path")
        if own is not None and str(own) != self._accountant.terms.get("release_delta"):
            self._store.refuse("was made with another release_delta=: leave it away, or choose another path")
        spell, known = self._mark.limits.spell, self._mark.limits.analysts
        if period is not None and (spell is None or spell.period != period):
            self._store.refuse("was made with other periods: leave period= away, or choose another path")
        if analysts is not None and {x: _limit(x, *y, self.delta) for x, y in named.items()} != {
            name: analyst.limit for name, analyst in known.items()
        }:
            self._store.refuse("has other analysts, or other limits: leave analysts= away, and use set_limit(...)")
        if answers not in (None, there := self._run("DEFERRED", self._head).answers):
            self._store.refuse(f"was made with answers={there!r}: leave answers= away, or choose another path")

    @classmethod
    def in_memory(
        cls,
        *,
        epsilon: Exact,
        delta: Exact = 0,
        accountant: str | None = None,
        release_delta: Exact | None = None,
        period: Period | None = None,
        analysts: Mapping[str, Exact | tuple[Exact, Exact]] | None = None,
        who: str | None = None,
    ) -> Ledger:
        """Return a ledger for tests and notebooks. It is gone with the process.

        >>> Ledger.in_memory(epsilon=3, delta="1e-5", accountant="plain")
        Ledger.in_memory(epsilon='3', delta='1/100000', accountant='plain')
        """
        return cls(
            None,
            epsilon=epsilon,
            delta=delta,
            accountant=accountant,
            release_delta=release_delta,
            period=period,
            analysts=analysts,
            who=who,
        )

    @property
    def path(self) -> Path | str | None:
        """Where the books are: a file, or the URL of a database without its password; None in memory.

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
        """What the charges come to, as an epsilon and a delta, as the file has it now.

        It is exact, except on books of zCDP, which count rho: there it is rounded up, and holds for charges that were
        planned in advance. Whoever stops because of what the answers say has the promise of the whole budget alone.

        >>> book = Ledger.in_memory(epsilon=1)
        >>> for _ in range(3):
        ...     _ = book.charge(epsilon="1/3")
        >>> book.spent
        Amount(epsilon=Fraction(1, 1), delta=Fraction(0, 1))
        """
        return self._accountant.spent(self._current().state)

    @property
    def left(self) -> Amount:
        """What may still be charged, exactly: of the whole, of the period, and by who asks, where these have limits.

        >>> book = Ledger.in_memory(epsilon=1)
        >>> _ = book.charge(epsilon="1/3")
        >>> book.left.epsilon
        Fraction(2, 3)
        """
        return self._left(self._current(), self._who)

    @property
    def last_left(self) -> Amount:
        """What was left when this object last charged or read the books; the file is not asked, so nothing can fail.

        >>> book = Ledger.in_memory(epsilon=1)
        >>> _ = book.charge(epsilon="1/3")
        >>> book.last_left.epsilon
        Fraction(2, 3)
        """
        mark = self._mark
        return self._budget if mark is None else self._left(mark, self._who)

    def _current(self) -> Mark:
        """Read the books to their end, and return the mark there."""
        self._mark, _ = self._run("DEFERRED", lambda connection: self._follow(connection, self._mark))
        return self._mark

    def _left(self, mark: Mark, who: str | None) -> Amount:
        return mark.limits_at(now()).left(self._accountant.left(mark.state, self._budget), who)

    @property
    def _whose(self) -> tuple[str, ...]:
        """Whose `last_left` is, in words; nobody's where there are no limits inside the whole."""
        mark = self._mark
        if mark is None:
            return ()
        return mark.limits_at(now()).whose(self._accountant.left(mark.state, self._budget), self._who)

    @property
    def analysts(self) -> dict[str, Analyst]:
        """Who may spend how much, and has spent how much, as the file has it now.

        >>> Ledger.in_memory(epsilon=3, analysts={"ana": 1}).analysts["ana"].left
        Amount(epsilon=Fraction(1, 1), delta=Fraction(0, 1))
        """
        return dict(self._current().limits.analysts)

    def set_limit(self, analyst: str, *, epsilon: Exact, delta: Exact | None = None, who: str | None = None) -> Entry:
        """Say on the record how much an analyst may spend in all: never less than was spent.

        It counts plain epsilon and delta of what is charged with ``who=`` that name, from the first time that a limit
        is set; delta is the budget's, unless given. On books with analysts each charge has to say which of them asks.

        >>> book = Ledger.in_memory(epsilon=3, analysts={"ana": 1})
        >>> _ = book.set_limit("ben", epsilon="1/2")
        >>> book.charge(epsilon=1, who="ben")                                             # doctest: +ELLIPSIS
        Traceback (most recent call last):
        discreet.errors.BudgetError: epsilon=1, delta=0: more than is left to 'ben' in memory: epsilon=0.5, delta=0, ...
        """
        limit, asker = _limit(analyst, epsilon, delta, self.delta), self._asker(who)

        def write(connection: Connection) -> tuple[Mark, Entry]:
            mark, _ = self._follow(connection, self._mark)
            known = mark.limits.analysts.get(analyst)
            if known is not None and not known.spent.within(limit):
                raise ParameterError("epsilon", epsilon, f"at least what was spent: {known.spent.text(up=True)}")
            return enter(connection, mark, _limit_row(mark, analyst, limit, asker), self._accountant)

        self._mark, entry = self._run("EXCLUSIVE", write)
        return entry

    def _asker(self, who: str | None) -> str | None:
        return self._who if who is None else checked_text(who, "who")

    def charge(
        self,
        *,
        epsilon: Exact | None = None,
        delta: Exact = 0,
        event: Event | None = None,
        table: str | None = None,
        receipt: Any = None,
        who: str | None = None,
    ) -> Entry:
        """Enter a charge, durably, and return the entry; only then may the release be made.

        It is for an *event*, or for one release by its epsilon and delta. *receipt* is anything that JSON can carry;
        *who* asked is on the books only if it is given. Where a BudgetError is raised, nothing has changed. If the
        disk fails at the last moment, a LedgerError says that the charge may stand: release nothing, and count it.

        >>> book = Ledger.in_memory(epsilon=1, delta="1e-6")
        >>> book.charge(epsilon="1/2", delta="5e-7").number
        1
        >>> from discreet import IntegerLaplace
        >>> book.charge(event=IntegerLaplace(scale=4).event(1), who="Ada").epsilon
        Fraction(1, 4)
        >>> book.charge(epsilon="1/2", delta="1e-9")                                    # doctest: +ELLIPSIS
        Traceback (most recent call last):
        discreet.errors.BudgetError: epsilon=0.5, delta=1e-9: more than is left in memory: epsilon=0.25, delta=0; ...
        """
        released, floats = _event(epsilon, delta, event), isinstance(epsilon, float) or isinstance(delta, float)
        if not (released.epsilon or released.delta):
            raise ParameterError("epsilon", epsilon, "epsilon > 0 or delta > 0: what costs nothing needs no charge")
        if isinstance(receipt, dict) and RESERVED in receipt:
            raise ParameterError("receipt", type(receipt), f"no {RESERVED!r} in it, which reserve() alone writes")
        return self._charged(released, table, receipt, who, floats=floats)

    def reserve(
        self,
        releases: Iterable[Any],
        *,
        table: str | None = None,
        receipt: Any = None,
        who: str | None = None,
        name: str | None = None,
    ) -> Reservation:
        """Charge releases that are fixed in advance by what they tell together; each can then be made once.

        They are events, or explanations of questions to tables. What is asked may still be chosen as one goes, after
        any answers; what is fixed is each release's event: its mechanism, its numbers and its distance. They are
        charged as one release, at the point of their exact joint curve that takes the least share of what is left of
        epsilon and of delta; or one by one, where that takes less. What is never released stays paid for; on books
        with periods a release is made in the period in which it was reserved, or never. A *name* is reserved once:
        whoever reserves the same under it, later or at the same moment, gets the one that stands, for nothing.

        >>> book = Ledger.in_memory(epsilon=5, delta="2e-6")
        >>> plan = book.reserve([Event.of(moves=[("0.1", 1)])] * 100, name="2026-11")
        >>> f"{float(book.spent.epsilon):.3f}", book.entries()[0].event.parts[0].mechanism
        ('4.780', 'Reservation')
        >>> book.reserve([Event.of(moves=[("0.1", 1)])] * 100, name="2026-11") == plan
        True
        """
        plan, event = self._quoted(releases, who)
        key = None if name is None else _key(name)
        told = {RESERVED: plan.to_dict(), "receipt": receipt} | ({} if key is None else {NAMED: key})
        entry = self._charged(event, table, told, who, key=key)
        made = Plan.read(entry.receipt)
        if made is None or made.releases != plan.releases:
            raise ParameterError("name", name, "a name under which the same releases were reserved, or nothing")
        return Reservation(self, entry.number)

    def quote(self, releases: Iterable[Any], *, who: str | None = None) -> Event:
        """Return what `reserve` would charge for releases now; nothing is charged, and `shares` says whether it fits.

        >>> book = Ledger.in_memory(epsilon=5, delta="2e-6")
        >>> f"{float(book.quote([Event.of(moves=[('0.1', 1)])] * 100).epsilon):.3f}", book.spent.epsilon
        ('4.780', Fraction(0, 1))
        """
        return self._quoted(releases, who)[1]

    def _quoted(self, releases: Iterable[Any], who: str | None) -> tuple[Plan, Event]:
        """Return a plan, and the event by which it takes least of what is left."""
        mark, asker = self._current(), self._asker(who)
        left = self._left(mark, asker)
        plan = Plan.of(releases, left)
        return plan, plan.cheapest(left, self._shares(mark, asker))

    def reserved_as(self, name: str, /) -> Reservation | None:
        """Return what was reserved under a name and not taken back; None where nothing was.

        >>> Ledger.in_memory(epsilon=1).reserved_as("2026-11") is None
        True
        """
        key = _key(name)

        def read(connection: Connection) -> Entry | None:
            self._mark, _ = self._follow(connection, self._mark)
            return self._named(connection, key)

        found = self._run("DEFERRED", read)
        return None if found is None else Reservation(self, found.number)

    def _named(self, connection: Connection, key: str) -> Entry | None:
        """Return the reservation of a name that stands, on books that were read to their end."""
        books = self._head(connection)
        query = "SELECT number FROM entries WHERE kind = 'charge' AND receipt LIKE ? ORDER BY number"
        for (number,) in connection.execute(query, (f"%{key}%",)).fetchall():
            charge = self._charge(connection, books, number)
            if charge is None or Plan.read(charge.receipt) is None or charge.receipt.get(NAMED) != key:
                continue
            if not _notes(connection, "void", number):
                return charge
        return None

    def shares(self, *, who: str | None = None) -> Callable[[Event], Fraction]:
        """Return a function that says which part of what is left now an event would take; above 1, it does not fit.

        It is the greatest part that the event takes of anything that is added up: for the whole, the period, and who
        asks. So the whole number of times that it goes into 1 is how often the event fits.

        >>> book = Ledger.in_memory(epsilon=3)
        >>> _ = book.charge(epsilon=1)
        >>> book.shares()(Event.of(moves=[("1/2", 1)]))
        Fraction(1, 4)
        """
        return self._shares(self._current(), self._asker(who))

    def _shares(self, mark: Mark, who: str | None) -> Callable[[Event], Fraction]:
        limits = mark.limits_at(now())
        return lambda event: limits.share(event, self._accountant.share(mark.state, event, self._budget), who)

    def reservation(self, number: int, /) -> Reservation:
        """Return the releases that were reserved as an entry, such as after a restart.

        >>> book = Ledger.in_memory(epsilon=1)
        >>> plan = book.reserve([Event.of(moves=[("0.1", 1)])] * 2)
        >>> book.reservation(1) == plan
        True
        """
        self._reserved(whole(number, "number", least=1))
        return Reservation(self, number)

    def _charged(
        self,
        released: Event,
        table: str | None,
        receipt: Any,
        who: str | None,
        *,
        floats: bool = False,
        key: str | None = None,
    ) -> Entry:
        """Enter a charge; or return the reservation that stands under the same key."""
        cost = Amount(released.epsilon, released.delta)
        texts = event_text(released), amount_text(cost), checked_text(table, "table"), json_text(receipt)
        asker = self._asker(who)

        def write(connection: Connection) -> tuple[Mark, Entry]:
            mark, _ = self._follow(connection, self._mark)
            standing = None if key is None else self._named(connection, key)
            if standing is not None:  # proof: named
                return mark, standing
            made = now()
            self._require(mark, released, made, asker, floats)  # proof: before
            row = Row(mark.number + 1, made, "charge", *texts, asker, None)
            return enter(connection, mark, row, self._accountant)

        # Exclusive from the start: whoever has to wait for others does so before anything is written.
        self._mark, entry = self._run("EXCLUSIVE", write)  # proof: exclusive
        return entry

    def _reserved(self, number: int) -> Counter[Event]:
        """Return what may still be released of a reservation."""

        def read(connection: Connection) -> Counter[Event]:
            mark, _ = self._follow(connection, self._mark)
            left = self._left_of(connection, number)
            return Counter() if mark.limits_at(now()).is_over(number) else left

        return self._run("DEFERRED", read)

    def _left_of(self, connection: Connection, number: int) -> Counter[Event]:
        """Return what is left of a reservation, of books that were read to their end."""
        charge = self._charge(connection, self._head(connection), number)
        plan = None if charge is None else Plan.read(charge.receipt)
        if plan is None:
            raise ParameterError("number", number, "the number of a reservation on these books")
        if _notes(connection, "void", number):
            raise ParameterError("number", number, "a reservation that was not taken back")
        return plan.releases - _made(connection, number)  # proof: rest

    def _release(
        self,
        number: int,
        epsilon: Exact | None,
        delta: Exact,
        event: Event | None,
        *,
        table: str | None,
        receipt: Any,
        who: str | None,
    ) -> Entry:
        """Enter that a release of a reservation is being made."""
        released = _event(epsilon, delta, event)
        told = json_text({"entry": number, "receipt": receipt})
        texts = event_text(released), amount_text(_NOTHING), checked_text(table, "table"), told
        asker = self._asker(who)

        def write(connection: Connection) -> tuple[Mark, Entry]:
            mark, _ = self._follow(connection, self._mark)
            left, made = self._left_of(connection, number), now()
            limits = mark.limits_at(made)
            limits.check_who(asker)
            if limits.spell is not None and limits.is_over(number):  # proof: over
                raise BudgetError(
                    f"entry {number} was reserved in a {limits.spell.period.every} that is over in "
                    f"{self._store.where}: what was reserved stays spent; nothing was released"
                )
            if not left[released]:  # proof: left
                rest = f"this release is none of the {left.total():,} that are left of"
                none = rest if left else "nothing is left of the plan of"
                raise BudgetError(f"{none} entry {number} in {self._store.where}; nothing was released")
            row = Row(mark.number + 1, made, "release", *texts, asker, number)
            return enter(connection, mark, row, self._accountant)

        self._mark, entry = self._run("EXCLUSIVE", write)
        return entry

    def keep(self, number: int, *, question: str, answer: Any) -> Entry:
        """Keep the answer of a charge with it, under a text that stands for the question. It costs nothing.

        What is kept has been released; it is JSON of a mebibyte at most, and public, like the books.

        >>> book = Ledger.in_memory(epsilon=1)
        >>> _ = book.charge(epsilon="1/3")
        >>> _ = book.keep(1, question="people in 2026-11", answer=81_004)
        >>> entry, answer = book.kept("people in 2026-11")
        >>> entry.number, answer, book.kept("people in 2026-12")
        (1, 81004, None)
        """
        which, asked = whole(number, "number", least=1), _asked_text(question)
        # The salt goes with the text: the digest of what was deleted tells nobody who guesses it that it is right.
        text = f'{{"salt": "{SYSTEM.bits(256):064x}", "answer": {json_text(answer)}}}'  # proof: salted
        digest = sha256(text.encode()).hexdigest()

        def write(connection: Connection) -> tuple[Mark, Entry]:
            mark, _ = self._follow(connection, self._mark)
            books = self._head(connection)
            if books.answers == "none":
                raise ParameterError("answer", type(answer), "none: these books were made with answers='none'")
            if self._charge(connection, books, which, "release") is None:
                raise ParameterError("number", number, "the number of a charge on these books")
            if _notes(connection, "answer", which):
                raise ParameterError("number", number, "a charge whose answer was not kept yet")
            if _notes(connection, "void", which):
                raise ParameterError("number", number, "a charge that was not taken back")
            told: dict[str, Any] = {"entry": which, "answer": answer}
            if books.answers == "beside":
                self._store.put_beside(connection, digest, text)  # proof: beside
                told = {"entry": which, "sha256": digest}
            cost, receipt = amount_text(_NOTHING), json_text(told)
            row = Row(mark.number + 1, now(), "answer", None, cost, asked, receipt, None, which)
            return enter(connection, mark, row, self._accountant)

        self._mark, entry = self._run("EXCLUSIVE", write)
        return entry

    def kept(self, question: str, /) -> tuple[Entry, Any] | None:
        """Return the charge and the answer that was last kept for a question; None if none was, or it was deleted.

        >>> Ledger.in_memory(epsilon=1).kept("people") is None
        True
        """
        asked = _asked_text(question)

        def read(connection: Connection) -> tuple[Entry, Any] | None:
            self._mark, _ = self._follow(connection, self._mark)
            books = self._head(connection)
            query = "SELECT number, about FROM entries WHERE kind = 'answer' AND source = ? ORDER BY number DESC"
            for number, about in connection.execute(query, (asked,)).fetchall():
                answer = self._charge(connection, books, number, "answer")  # proof: kept
                charge = self._charge(connection, books, about, "release")
                text = None if answer is None else self._answer(connection, answer)
                if charge is not None and text is not None:
                    return charge, json.loads(text)
            return None

        return self._run("DEFERRED", read)

    def _answer(self, connection: Connection, note: Entry) -> str | None:
        """Return what a note keeps, as JSON: inside, or beside the books, where it may be missing."""
        if "answer" in note.receipt:
            return json.dumps(note.receipt["answer"])
        text = self._store.get_beside(connection, note.receipt["sha256"])
        if text is not None and sha256(text).hexdigest() != note.receipt["sha256"]:  # proof: same
            self._store.refuse(
                f"the answer that entry {note.number} keeps beside it, {note.receipt['sha256']}, is damaged: put it "
                "back, or delete it and pay for it again"
            )
        return None if text is None else json.dumps(json.loads(text)["answer"])

    def mark_failed(self, number: int, *, reason: str, who: str | None = None) -> Entry:
        """Note that nothing came of a charge, and why. The charge stands: a failure may tell something of the data.

        >>> book = Ledger.in_memory(epsilon=1)
        >>> _ = book.charge(epsilon="1/3")
        >>> book.mark_failed(1, reason="the engine stopped").kind, book.left.epsilon
        ('failed', Fraction(2, 3))
        """
        return self._note("failed", number, reason, who)

    def void(self, number: int, *, reason: str, unseen: bool = False, who: str | None = None) -> Entry:
        """Take a charge back, on the record: for an operator who knows that nobody has learned anything from it.

        A failure is no proof of that, since whether a query fails may depend on the data. Of a charge that is not
        marked as failed the books know nothing: ``unseen=True`` confirms that nobody has seen its answer. A charge can
        be taken back once, unless its answer is kept, and a note cannot.

        >>> book = Ledger.in_memory(epsilon=1)
        >>> _ = book.charge(epsilon="1/3")
        >>> book.void(1, reason="the power failed before anything was asked", unseen=True).epsilon, book.left.epsilon
        (Fraction(-1, 3), Fraction(1, 1))
        >>> book.void(1, reason="again")
        Traceback (most recent call last):
        discreet.errors.ParameterError: number=1: need a charge that was not taken back yet
        """
        return self._note("void", number, reason, who, unseen=unseen is True)

    def _note(self, kind: str, number: int, reason: str, who: str | None, *, unseen: bool = False) -> Entry:
        """Enter a note about a charge, unless there is one of its kind."""
        which, why = whole(number, "number", least=1), checked_text(reason, "reason", blank=False)
        receipt, asker = json_text({"entry": which, "reason": why}), self._asker(who)

        def write(connection: Connection) -> tuple[Mark, Entry]:
            mark, _ = self._follow(connection, self._mark)
            books = self._head(connection)
            charge = self._charge(connection, books, which, *["release"] * (kind == "failed"))
            if charge is None:
                raise ParameterError("number", number, "the number of a charge on these books")
            if kind == "void" and _made(connection, which):
                raise ParameterError("number", number, "a reservation of which nothing was released yet")
            if kind == "void" and _notes(connection, "answer", which):
                raise ParameterError("number", number, "a charge whose answer was not kept")
            if _notes(connection, kind, which):
                done = "taken back" if kind == "void" else "marked as failed"
                raise ParameterError("number", number, f"a charge that was not {done} yet")
            if kind == "void" and not (unseen or _notes(connection, "failed", which)):  # proof: unseen
                need = "a charge that is marked as failed, or unseen=True, if nobody has seen its answer"
                raise ParameterError("number", number, need)
            event, cost = (charge.event, _NOTHING.minus(charge.amount)) if kind == "void" else (None, _NOTHING)
            texts = None if event is None else event_text(event), amount_text(cost), charge.table, receipt
            row = Row(mark.number + 1, now(), kind, *texts, asker, which)
            return enter(connection, mark, row, self._accountant, charge if kind == "void" else None)

        self._mark, entry = self._run("EXCLUSIVE", write)
        return entry

    def require(
        self, *, epsilon: Exact | None = None, delta: Exact = 0, event: Event | None = None, who: str | None = None
    ) -> None:
        """Raise the BudgetError that a charge would raise now, and charge nothing: to ask before long work.

        >>> Ledger.in_memory(epsilon=1).require(epsilon=2)                                # doctest: +ELLIPSIS
        Traceback (most recent call last):
        discreet.errors.BudgetError: epsilon=2, delta=0: more than is left in memory: epsilon=1, delta=0; ...
        """
        released, floats = _event(epsilon, delta, event), isinstance(epsilon, float) or isinstance(delta, float)
        event_text(released)
        self._require(self._current(), released, now(), self._asker(who), floats)

    def entries(self) -> list[Entry]:
        """Return all charges, and the notes about them, in the order in which they were made.

        >>> book = Ledger.in_memory(epsilon=1)
        >>> _ = book.charge(epsilon="1/3", table="a"), book.charge(epsilon="1/7", table="b")
        >>> [(entry.number, entry.epsilon, entry.table) for entry in book.entries()]
        [(1, Fraction(1, 3), 'a'), (2, Fraction(1, 7), 'b')]
        """
        return self._run("DEFERRED", self._all)[1]

    def to_dict(self) -> dict[str, Any]:
        """Return the books as plain values, for JSON: amounts are exact, as texts, and add up.

        >>> book = Ledger.in_memory(epsilon=1)
        >>> _ = book.charge(epsilon="1/3", table="events.parquet")
        >>> book.to_dict()["left"], book.to_dict()["entries"][0]["epsilon"]
        ({'epsilon': '2/3', 'delta': '0'}, '1/3')
        """
        mark, entries = self._run("DEFERRED", self._all)
        spent, left = self._accountant.spent(mark.state), self._left(mark, self._who)
        amounts = {"budget": self._budget, "spent": spent, "left": left}
        told = {name: {part: in_full(x) for part, x in amount._asdict().items()} for name, amount in amounts.items()}
        read = self._accountant.readings(mark.state, self._budget)
        readings = {name: {"spent": in_full(spent), "of": in_full(of)} for name, (spent, of) in read.items()}
        listed = [entry.to_dict() for entry in entries]
        made, sums = Counter(entry.about for entry in entries if entry.kind == "release"), list(self._accountant.sums)
        void = {entry.about for entry in entries if entry.kind == "void"}
        plans = {entry.number: Plan.read(entry.receipt) for entry in entries if entry.kind == "charge"}
        limits = mark.limits_at(now())
        reservations = [
            {"entry": n, "releases": plan.releases.total(), "made": made[n], "over": limits.is_over(n)}
            for n, plan in plans.items()
            if plan is not None and n not in void
        ]
        counting = {"accountant": self._accountant.name, "terms": self._accountant.terms, "sums": sums}
        rules = {**limits.to_dict(), "reservations": reservations}
        return {**counting, **told, "readings": readings, **rules, "entries": listed}

    def why(self, entry: int, /) -> Sheet:
        """Return why an entry costs what it costs: its promise, its mechanism, the theorems, and the numbers.

        >>> book = Ledger.in_memory(epsilon=1)
        >>> _ = book.charge(epsilon="1/3")
        >>> book.why(1).title
        "Ledger.in_memory(epsilon='1', delta='0'): entry 1"
        """
        _, entries = self._run("DEFERRED", self._all)
        which = whole(entry, "entry", least=1)
        if which > len(entries):
            raise ParameterError("entry", entry, f"an entry on these books, of which there are {len(entries)}")
        costs = zip(*(each.cost.values() for each in entries[:which]), strict=True)
        state = tuple(sum(parts, Fraction(0)) for parts in costs)
        readings = self._accountant.readings(state, self._budget)
        told = entries[which - 1].to_dict()
        notes = notes_about(which, (each.to_dict() for each in entries if each.about == which))
        return why_sheet(f"{self!r}: entry {which}", told, self._accountant.name, readings, notes)

    def save(self, path: str | os.PathLike[str], /) -> None:
        """Write all that the books say to a file, whole or not at all: as JSON, or the entries as CSV.

        >>> import tempfile, pathlib
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     Ledger.in_memory(epsilon=1).save(pathlib.Path(folder, "books.json"))
        """
        target = checked_place(path, (".csv", ".json"))
        if target.resolve() == self.path:
            raise ParameterError("path", str(target), "another file than the books themselves")
        books = self.to_dict()
        write_text(target, as_csv(books) if target.suffix.lower() == ".csv" else json.dumps(books, indent=2) + "\n")

    def verify(self) -> None:
        """Raise LedgerError unless the file is sound, every digest, note and the sum agree, and nothing has been lost.

        Each cost is counted anew from its event, and the accountant's numbers are computed anew for the budget.

        >>> Ledger.in_memory(epsilon=1).verify()
        """
        self._run("DEFERRED", self._verified)
        # Long, so after the file is free again; the terms are those that were just read, by the genesis.
        plans = [(Plan.read(entry.receipt), entry.event) for entry in self.entries() if entry.kind == "charge"]
        if not all(plan.is_worth(event) for plan, event in plans if plan is not None):
            self._store.refuse(DAMAGED)
        spell = None if self._mark is None else self._mark.limits.spell
        rules = [] if spell is None else [(spell.accountant, spell.period.budget)]
        every = [(self._accountant, self._budget), *rules]
        if not all(rule.is_sound(budget) for rule, budget in every):  # proof: terms
            self._store.refuse(DAMAGED)

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
            return f"Ledger({str(self._store.path)!r}{self._asking})"
        epsilon, delta = (repr(str(x)) if len(str(x)) < _MOST_SHOWN else "..." for x in self._budget)
        return f"Ledger.in_memory(epsilon={epsilon}, delta={delta}{self._counted}{self._asking})"

    @property
    def _asking(self) -> str:
        return "" if self._who is None else f", who={self._who!r}"

    @property
    def _counted(self) -> str:
        """How the accountant was chosen, as it is typed; nothing for the usual one."""
        name, own = self._accountant.name, self._accountant.terms.get("release_delta")
        usual = name == _kind(None, self._budget).name
        divided = own is not None and own != str(self._budget.delta / 2)
        return "".join([f", accountant={name!r}"] * (not usual) + [f", release_delta={own!r}"] * divided)

    @property
    def sheet(self) -> Sheet:
        """The books as a table: what was charged, on what and when, and what is left.

        >>> Ledger.in_memory(epsilon=1).sheet.title
        "Ledger.in_memory(epsilon='1', delta='0'): 0 charges"
        """
        return book_sheet(repr(self), self.to_dict())

    def __str__(self) -> str:
        return self.sheet.to_text(None)

    def _repr_html_(self) -> str:
        return self.sheet._repr_html_()

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the books as a page: one HTML file that loads nothing; with a *path*, also write it there.

        >>> "Nothing is charged yet." in Ledger.in_memory(epsilon=1).to_html()
        True
        """
        books = self.to_dict()
        return timeline_page(repr(self), books, book_sheet(repr(self), books)).to_html(path)

    def __reduce__(self) -> tuple[Any, ...]:
        if self._store.path is None:
            raise UnsupportedError("a ledger in memory belongs to its process: give it a path to pickle or copy it")
        return _reopened, (str(self._store.path), self._store.timeout, self._mark, self._who)

    def _run(self, kind: Kind, work: Callable[[Connection], T]) -> T:
        """Do some work in one transaction on books of today's format.

        A file of an older format is moved to it, or, where nothing is to be written, read as if it had been.
        """
        refuse = self._store.refuse

        def adapted(connection: Connection) -> T:
            if self._store.format_of(connection) == FORMAT:
                return work(connection)
            if kind == "EXCLUSIVE":
                migrate(connection, refuse)
                self._verified(connection)  # proof: moved
                return work(connection)
            with closing(in_memory()) as view:
                Old.read(connection, refuse).write(view)
                return work(view)

        return self._store.run(kind, adapted)

    def _found(
        self,
        connection: Connection,
        budget: Amount,
        accountant: Accountant,
        limits: Limits,
        named: Mapping[str, tuple[Exact, Exact | None]],
        answers: str,
    ) -> None:
        """Write new books: the budget, and a limit for each analyst."""
        mark = create(connection, now(), budget, accountant, limits, answers)
        if answers == "beside":
            self._store.make_beside(connection)
        for name, limit in named.items():
            row = _limit_row(mark, name, _limit(name, *limit, budget.delta), self._who)
            mark, _ = enter(connection, mark, row, accountant)

    def _opened(self, connection: Connection) -> tuple[Amount, Accountant, Mark]:
        """Return the budget, who counts, and what has been charged, from the last checkpoint on."""
        self._store.check(connection)
        books = self._head(connection)
        mark, _ = self._follow(connection, books.checkpoint(connection, self._store.refuse))
        if books.accountant.exceeds(mark.state, books.budget) or mark.limits.is_exceeded:
            self._store.refuse(DAMAGED)
        return books.budget, books.accountant, mark

    def _verified(self, connection: Connection) -> None:
        """Refuse books unless all that there is to check agrees."""
        refuse = self._store.refuse
        self._opened(connection)
        self._store.check_pages(connection)
        _, entries = self._all(connection)
        for entry in entries:
            if entry.kind == "migrated":
                check_origin(connection, entry, refuse)
            if entry.kind == "answer":
                self._answer(connection, entry)

    def _head(self, connection: Connection) -> Books:
        return Books.read(connection, self._store.refuse)

    def _all(self, connection: Connection) -> tuple[Mark, list[Entry]]:
        """Read the books from the start; return the mark at their end, and all entries."""
        return self._follow(connection, self._head(connection).start)

    def _follow(self, connection: Connection, since: Mark | None) -> tuple[Mark, list[Entry]]:
        """Read the books from a mark on; return the new mark, and the entries after the old one."""
        refuse = self._store.refuse
        books = Books.read(connection, refuse)
        checkpoint = books.checkpoint(connection, refuse)
        mark = since or checkpoint
        for known in (mark, self._mark or mark):  # proof: known
            if known.genesis != books.start.genesis or known.digest != books.digest_at(connection, known.number):
                refuse("lacks charges that it had, as an older copy would, or other books: put it back")
        entries, released = list[Entry](), set[int]()
        for *fields, digest in connection.execute("SELECT * FROM entries WHERE number > ? ORDER BY number", mark[1:2]):
            row = Row(*fields)
            if row.number != mark.number + 1 or mark.digest_of(row) != digest:  # proof: chain
                refuse(DAMAGED)
            entry = Entry.read(row, books.accountant)
            entries.append(entry)
            mark = mark.after(entry, digest, self._taken(connection, books, entry))
            if entry.kind == "release":
                released.add(about := row.about or 0)
                if about >= entry.number or mark.limits.is_over(about):  # proof: waited
                    refuse(DAMAGED)
            if mark.number == checkpoint.number and mark != checkpoint:  # proof: passed
                refuse(DAMAGED)
        if (mark.number, mark.digest) != (books.count, books.tip):  # proof: tip
            refuse(DAMAGED)
        for number in released:
            self._check_releases(connection, books, number)
        return mark, entries

    def _taken(self, connection: Connection, books: Books, note: Entry) -> Entry | None:
        """Return the charge that a note takes back.

        Refuse a note unless it is about an earlier charge, once of its kind, and takes back what was charged.
        """
        if note.kind in ("charge", "limit", "migrated", "release"):
            return None
        others, excluded = ["release"] * (note.kind != "void"), {"void": "answer", "answer": "void"}.get(note.kind, "")
        charge = self._charge(connection, books, note.about, *others) if type(note.about) is int else None
        taken = None if note.kind != "void" or charge is None else charge.event
        if (
            charge is None
            or charge.number >= note.number
            or note.event != taken  # proof: back
            or _notes(connection, note.kind, charge.number) != 1  # proof: once
            or _notes(connection, excluded, charge.number)  # proof: either
            or isinstance(note.reason, str) is (note.kind == "answer")
        ):
            self._store.refuse(DAMAGED)
        return charge if note.kind == "void" else None

    def _check_releases(self, connection: Connection, books: Books, number: int) -> None:
        """Refuse the releases of a charge unless it reserved each as often as it was made, and stands."""
        charge = self._charge(connection, books, number)
        plan = None if charge is None else Plan.read(charge.receipt)
        if plan is None or _made(connection, number) - plan.releases or _notes(connection, "void", number):
            self._store.refuse(DAMAGED)  # proof: handed

    def _charge(self, connection: Connection, books: Books, number: int, *others: str) -> Entry | None:
        """Return a charge, checked against the digest before it; None where there is none of this number.

        Of *others*, too: kinds that are none.
        """
        if not 1 <= number <= books.count:
            return None
        (found,) = connection.execute("SELECT * FROM entries WHERE number = ?", (number,))
        row, before = Row(*found[:-1]), books.digest_at(connection, number - 1)
        if before is None or chained(before, *row) != found[-1]:
            self._store.refuse(DAMAGED)
        entry = Entry.read(row, books.accountant)
        return entry if entry.kind in ("charge", *others) else None

    def _require(self, mark: Mark, event: Event, made: str, who: str | None, floats: bool) -> None:
        """Raise BudgetError unless an event fits: into the whole, into the period, and into the limit of who asks."""
        limits = mark.limits_at(made)
        limits.check_who(who)
        if not self._accountant.exceeds(self._accountant.after(mark.state, event), self._budget):  # proof: fits
            return limits.require(event, who, self._store.where)
        cost, left = Amount(event.epsilon, event.delta), self._accountant.left(mark.state, self._budget)
        near = any(0 < wanted - there <= wanted / 2**40 for wanted, there in zip(cost, left, strict=True))
        hint = '; a float is the binary number that it is: write "0.1" for a tenth' if floats and near else ""
        hint += unstated(event, self._accountant)
        raise BudgetError(
            f"{self._accountant.text_of(event)}: more than is left in {self._store.where}: "
            f"{self._accountant.text_left(mark.state, self._budget)}; "
            f"{self._accountant.excess(mark.state, event, self._budget)}; nothing was charged{hint}"
        )


def _notes(connection: Connection, kind: str, about: int) -> int:
    """Return how many notes of a kind there are about a charge. Its index has no releases, and the query says so."""
    query = "SELECT count(*) FROM entries WHERE about = ? AND kind = ? AND kind <> 'release'"
    return int(connection.execute(query, (about, kind)).fetchone()[0])


def _made(connection: Connection, number: int) -> Counter[Event]:
    """Return what was released of a reservation, and how often; each kind of release is read once."""
    made = Counter[Event]()
    query = "SELECT event, count(*) FROM entries WHERE about = ? AND kind = 'release' GROUP BY event"
    for text, count in connection.execute(query, (number,)):
        made[Event.from_dict(json.loads(text))] += count
    return made


def _key(name: str) -> str:
    """Return by what a reservation is found that has a name."""
    return sha256((checked_text(name, "name", blank=False) or "").encode()).hexdigest()


def _asked_text(question: str) -> str:
    """Return the text of a question as it is stored: short enough for an index."""
    asked = str(checked_text(question, "question", blank=False))
    if len(asked.encode()) > _MOST_QUESTION:
        raise ParameterError("question", question, f"at most {_MOST_QUESTION} bytes: give its digest")
    return asked


def _answers(answers: str | None, path: object) -> str:
    """Return where answers are kept."""
    places = ANSWERS if path is not None else ANSWERS[::2]  # Beside memory there is nothing.
    return ANSWERS[0] if answers is None else str(one_of("answers", answers, places))


def _event(epsilon: Exact | None, delta: Exact, event: Event | None) -> Event:
    """Return what is charged: an event, or one release of a cost."""
    if event is None:
        return Event.of(moves=[(amount(epsilon), 1)], delta=amount(delta, "delta"))  # type: ignore[arg-type]
    if not isinstance(event, Event):
        raise KindError("event", type(event), "an Event, such as mechanism.event(d_in)")
    if epsilon is not None or delta != 0:
        raise ParameterError("event", type(event), "an event alone: its epsilon and delta are its own")
    return event


def _kind(name: str | None, budget: Amount | None) -> type[Accountant]:
    """Return a kind of accountant by its name; else the adaptive filter, which gives nothing without a delta."""
    if name is None:
        return Adaptive if budget is not None and budget.delta > 0 else Plain
    found = accountants().get(name) if isinstance(name, str) else None
    if found is None:
        raise none_of("accountant", name, accountants())
    return found


def _reopened(path: str, timeout: float, mark: Mark, who: str | None) -> Ledger:
    """Return a ledger that was pickled: never a new one, nor one with fewer entries."""
    book = Ledger(path, timeout=timeout, who=who)
    book._run("DEFERRED", lambda connection: book._follow(connection, mark))
    return book


def _named(analysts: object) -> dict[str, tuple[Exact, Exact | None]]:
    """Return the limits that are given: an epsilon, or an epsilon and a delta, by name."""
    if not (analysts is None or isinstance(analysts, Mapping)):
        raise KindError("analysts", type(analysts), 'a mapping of names to limits, such as {"ana": 1, "ben": (1, 0)}')
    pairs = {name: x if isinstance(x, tuple) else (x, None) for name, x in (analysts or {}).items()}
    if not all(len(pair) == 2 for pair in pairs.values()):
        raise ParameterError("analysts", type(analysts), "for each name an epsilon, or an epsilon and a delta")
    for name, (epsilon, delta) in pairs.items():
        _limit(name, epsilon, delta, Fraction(0))
    return pairs


def _limit(analyst: str, epsilon: Exact, delta: Exact | None, whole: Fraction) -> Amount:
    checked_text(analyst, "analyst", blank=False)
    return Amount(amount(epsilon), whole if delta is None else amount(delta, "delta"))


def _limit_row(mark: Mark, analyst: str, limit: Amount, who: str | None) -> Row:
    """Return the row that says what an analyst may spend."""
    receipt = json_text({"analyst": analyst, **json.loads(amount_text(limit))})
    return Row(mark.number + 1, now(), "limit", None, amount_text(_NOTHING), None, receipt, who, None)


def _periods(period: Period | None, accountant: str | None, whole: Amount, own: Fraction | None) -> Limits:
    """Return the limits of new books: each period is counted by the rule of the whole, for its own budget."""
    if period is None:
        return NO_LIMITS
    if not period.budget.within(whole):
        raise ParameterError("period", period.budget.text(up=True), f"at most the whole: {whole.text(up=False)}")
    name = accountant if period.delta else None
    share = None if own is None or not period.delta else own * period.delta / whole.delta
    return Limits(Spell.start(period, _kind(name, period.budget).for_budget(period.budget, share)))


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


def _store(path: str | os.PathLike[str] | None, timeout: float) -> Store:
    """Return the place that a path or a URL leads to. No message shows a URL, which may have a password."""
    scheme = _URL.match(str(path)) if isinstance(path, str | os.PathLike) else None
    if scheme is None:
        return SQLiteStore(None if path is None else _place(path), timeout=timeout)
    if not isinstance(path, str) or scheme[1].lower() not in ("postgresql://", "postgres://"):
        raise ParameterError("path", "...://...", "a path, or a URL such as postgresql://user@host/database")
    try:
        from discreet.ledger.postgres import PostgresStore
    except ImportError:
        raise UnsupportedError("books in PostgreSQL need psycopg: pip install 'discreet[postgres]'") from None
    return PostgresStore(f"postgresql://{path[scheme.end() :].strip()}", timeout=timeout)


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
