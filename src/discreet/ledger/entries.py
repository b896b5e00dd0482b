"""Entries: what a ledger holds, as values and as the texts of a row."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from hashlib import sha256
from operator import add
from typing import Any, Final, NamedTuple, final

from discreet.accounting import Accountant, Amount, Event
from discreet.accounting.accountants import State
from discreet.errors import DiscreetError, KindError, ParameterError
from discreet.exact import in_full, read_in_full
from discreet.ledger.limits import NO_LIMITS, Limits
from discreet.ledger.reservations import Plan

__all__ = ["Entry", "Mark", "Row", "amount_text", "chained", "checked_text", "event_text", "json_text", "now"]

_MOST_JSON: Final = 1 << 20
_MOST_TEXT: Final = 1000
_KINDS: Final = {
    **dict.fromkeys(("charge", "release", "void"), False),
    **dict.fromkeys(("answer", "failed", "limit", "migrated"), True),
}
"""The kinds of entries, and whether one has no event."""


class Row(NamedTuple):
    """The fields of an entry as the file has them, all but the digest."""

    number: int
    made: str
    kind: str
    event: str | None
    cost: str
    source: str | None
    receipt: str
    who: str | None
    about: int | None


@final
@dataclass(frozen=True, slots=True)
class Entry:
    """One entry on the books: a charge, or a note about one, that it failed or that it was taken back.

    A charge costs what its event does. A note of a failure costs nothing, and one that takes a charge back costs less
    than nothing; its receipt says which entry it is about, and why. Books that were made by an older discreet have one
    more kind of note, which says from which format they were moved.

    >>> from discreet import Ledger
    >>> book = Ledger.in_memory(epsilon=1)
    >>> entry = book.charge(epsilon="1/3", table="events.parquet", receipt={"by": ["city"]}, who="Ada")
    >>> entry.number, entry.epsilon, entry.table, entry.receipt, entry.who
    (1, Fraction(1, 3), 'events.parquet', {'by': ['city']}, 'Ada')
    >>> entry.when.tzinfo
    datetime.timezone.utc
    >>> note = book.void(1, reason="the disk was full", unseen=True)
    >>> note.kind, note.about, note.epsilon, note.reason
    ('void', 1, Fraction(-1, 3), 'the disk was full')

    What it adds to each sum of the books' accountant is its *cost*; where the accountant counts the event as more than
    it says, as where an epsilon is rounded up, the *remark* says so.

    >>> entry = Ledger.in_memory(epsilon=1, delta="1e-6").charge(epsilon="0.012")
    >>> entry.cost["units"], entry.remark
    (Fraction(9, 1), '0.012 counted as 0.015')
    """

    number: int
    when: datetime
    kind: str
    epsilon: Fraction
    delta: Fraction
    table: str | None
    receipt: Any = field(hash=False)
    event: Event | None
    who: str | None
    cost: Mapping[str, Fraction] = field(hash=False)
    remark: str | None

    @property
    def amount(self) -> Amount:
        """What the entry costs: nothing for a failure, less than nothing for a charge that is taken back.

        >>> from discreet import Ledger
        >>> Ledger.in_memory(epsilon=1).charge(epsilon="1/3").amount
        Amount(epsilon=Fraction(1, 3), delta=Fraction(0, 1))
        """
        return Amount(self.epsilon, self.delta)

    @property
    def about(self) -> int | None:
        """The number of the charge that a note is about, or that a release was reserved by; a charge has none.

        >>> from discreet import Ledger
        >>> Ledger.in_memory(epsilon=1).charge(epsilon="1/3").about is None
        True
        """
        return self.receipt["entry"] if self.kind in ("answer", "failed", "release", "void") else None

    @property
    def reason(self) -> str | None:
        """Why a charge failed or was taken back; a charge has none.

        >>> from discreet import Ledger
        >>> Ledger.in_memory(epsilon=1).charge(epsilon="1/3").reason is None
        True
        """
        return self.receipt["reason"] if self.kind in ("failed", "void") else None

    @classmethod
    def read(cls, row: Row, accountant: Accountant) -> Entry:
        """Return an entry from its row, as an accountant counts it; raise ValueError where parts of a row disagree.

        >>> from discreet.accounting import Plain
        >>> row = Row(1, now(), "failed", None, '{"epsilon": "0", "delta": "0"}', None, '{"entry": 1}', None, 1)
        >>> Entry.read(row, Plain()).about
        1
        """
        told, event = json.loads(row.cost), None if row.event is None else _event(row.event)
        amount = Amount(read_in_full(told["epsilon"]), read_in_full(told["delta"]))
        when, receipt = datetime.fromisoformat(row.made), json.loads(row.receipt)
        free = event is None or row.kind == "release"
        counts = accountant.start if event is None or free else accountant.cost(event)
        cost = {name: -x if row.kind == "void" else x for name, x in zip(accountant.sums, counts, strict=True)}
        remark = None if event is None or free else accountant.remark(event)
        entry = cls(row.number, when, row.kind, *amount, row.source, receipt, event, row.who, cost, remark)
        worth = Amount(Fraction(0), Fraction(0)) if event is None or free else Amount(event.epsilon, event.delta)
        if row.kind == "void":
            worth = Amount(Fraction(0), Fraction(0)).minus(worth)
        if row.kind == "charge":
            Plan.read(receipt)  # proof: plan
        if amount != worth or row.about != entry.about or _KINDS[row.kind] is not (event is None):
            raise ValueError(f"entry {row.number}")
        return entry

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as plain values, for JSON: its amounts are exact, as texts.

        >>> from discreet import Ledger
        >>> Ledger.in_memory(epsilon=1).charge(epsilon="1/3").to_dict()["epsilon"]
        '1/3'
        """
        return {
            "number": self.number,
            "kind": self.kind,
            "when": self.when.isoformat(),
            "epsilon": in_full(self.epsilon),
            "delta": in_full(self.delta),
            "table": self.table,
            "receipt": self.receipt,
            "event": None if self.event is None else self.event.to_dict(),
            "who": self.who,
            "cost": {name: in_full(x) for name, x in self.cost.items()},
            "remark": self.remark,
        }


class Mark(NamedTuple):
    """How far the books have been read, and what they come to; they may grow from here, and do nothing else."""

    genesis: str
    number: int
    digest: str
    state: State
    limits: Limits = NO_LIMITS

    @classmethod
    def start(cls, accountant: Accountant, *budget: str, limits: Limits = NO_LIMITS) -> Mark:
        """Return the mark before the first entry: the digest of the budget.

        >>> from discreet.accounting import Plain
        >>> Mark.start(Plain(), now(), "plain", "{}").number
        0
        """
        genesis = chained("", *budget)
        return cls(genesis, 0, genesis, accountant.start, limits)

    def digest_of(self, row: Row) -> str:
        """Return the digest of the row that comes next."""
        return chained(self.digest, *row)

    def after(self, entry: Entry, digest: str, taken: Entry | None = None) -> Mark:
        """Return the mark after one more entry; *taken* is the charge that it takes back."""
        state = tuple(map(add, self.state, entry.cost.values()))
        return Mark(self.genesis, entry.number, digest, state, self.limits.after(entry, taken))

    def limits_at(self, made: str) -> Limits:
        """Return the limits for an entry that would be the next, made at a time."""
        return self.limits.at(datetime.fromisoformat(made), self.number + 1)

    @property
    def state_text(self) -> str:
        """The state as a checkpoint has it."""
        return json.dumps({"sums": [in_full(x) for x in self.state], **self.limits.state})

    @property
    def seal(self) -> str:
        """The digest of a checkpoint at this mark: of the budget, of the chain so far, and of what it comes to."""
        return chained(self.genesis, self.number, self.digest, self.state_text)  # proof: sealed

    def at(self, number: int, digest: str, state: str) -> Mark:
        """Return the mark that a checkpoint has, on the books that start with this one."""
        told = json.loads(state)
        return Mark(self.genesis, number, digest, tuple(map(read_in_full, told["sums"])), self.limits.with_state(told))


def now() -> str:
    """Return the time in UTC, to the microsecond.

    >>> len(now()), now()[-6:]
    (32, '+00:00')
    """
    return datetime.now(UTC).isoformat(timespec="microseconds")


def amount_text(amount: Amount) -> str:
    """Return an amount as it is stored.

    >>> amount_text(Amount(Fraction(1, 3), Fraction(0)))
    '{"epsilon": "1/3", "delta": "0"}'
    """
    return json.dumps({"epsilon": in_full(amount.epsilon), "delta": in_full(amount.delta)})


def event_text(event: Event) -> str:
    """Return an event as it is stored; one that a file would not give back equal is refused.

    >>> event_text(Event.of(moves=[]))[:15]
    '{"version": 1, '
    """
    text = json.dumps(event.to_dict())
    if len(text) > _MOST_JSON:
        raise ParameterError("event", type(event), f"at most {_MOST_JSON} characters of JSON, not {len(text)}")
    if Event.from_dict(json.loads(text)) != event:
        raise ParameterError("event", type(event), "an event that Event.of makes")
    return text


def json_text(receipt: object) -> str:
    """Return a receipt as JSON that reads back equal. A message shows its type alone: a receipt may be long.

    >>> json_text({"by": ["city"]})
    '{"by": ["city"]}'
    >>> json_text({"by": ("city",)})                                                 # doctest: +ELLIPSIS
    Traceback (most recent call last):
    discreet.errors.KindError: receipt=<class 'dict'>: need JSON: texts, finite numbers, booleans, None, lists ...
    """
    try:
        text = json.dumps(receipt, allow_nan=False)
        same = bool(json.loads(text) == receipt)
    except Exception:
        same, text = False, ""
    if not same:
        need = "JSON: texts, finite numbers, booleans, None, lists (no tuples), and dicts whose keys are texts"
        raise KindError("receipt", type(receipt), need)
    if len(text) > _MOST_JSON:
        raise ParameterError("receipt", type(receipt), f"at most {_MOST_JSON} characters of JSON, not {len(text)}")
    return text


def checked_text(value: str | None, name: str, *, blank: bool = True) -> str | None:
    """Return a table's name, a reason or a person's name as it is stored.

    >>> checked_text("events.parquet", "table"), checked_text(None, "who")
    ('events.parquet', None)
    """
    if value is None and blank:
        return None
    if not isinstance(value, str):
        raise KindError(name, type(value), "a text")
    if len(value) > _MOST_TEXT or any(c == "\0" or "\ud800" <= c <= "\udfff" for c in value):  # Which no store keeps.
        raise ParameterError(name, value, f"at most {_MOST_TEXT} characters, none of them NUL or a lone surrogate")
    if not (blank or value.strip()):
        raise ParameterError(name, value, "a text that says something")
    return str(value)


def _event(text: str) -> Event:
    try:
        return Event.from_dict(json.loads(text))
    except DiscreetError as error:  # Here it is no user's mistake.
        raise ValueError(str(error)) from None


def chained(previous: str, *fields: object) -> str:
    """Return the digest of some fields and of what came before them.

    >>> len(chained("", "2026-11-16", "plain"))
    64
    """
    return sha256(json.dumps([previous, *fields], default=repr).encode()).hexdigest()
