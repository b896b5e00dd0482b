"""Entries: what a ledger holds, as values and as text."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fractions import Fraction
from functools import reduce
from hashlib import sha256
from typing import Any, Final, NamedTuple, final

from discreet.errors import KindError, ParameterError, show
from discreet.exact import written
from discreet.reals import float_down, float_up

__all__ = [
    "Amount",
    "Entry",
    "Mark",
    "brief",
    "check_notes",
    "name_text",
    "now",
    "page",
    "reason_text",
    "receipt_text",
    "said",
    "short",
    "total",
]

_MOST_RECEIPT: Final = 1 << 20  # Characters of JSON.
_MOST_NAME: Final = 1000


@final
class Amount(NamedTuple):
    """An exact amount of privacy loss. It is a pair, so that ``mechanism.require(d_in, book.left)`` can be asked.

    >>> Amount(Fraction(1), Fraction(1, 10**6))
    Amount(epsilon=Fraction(1, 1), delta=Fraction(1, 1000000))
    """

    epsilon: Fraction
    delta: Fraction

    def __repr__(self) -> str:
        epsilon, delta = (repr(x) if short(x, 250) else show(x) for x in self)
        return f"Amount(epsilon={epsilon}, delta={delta})"

    def plus(self, other: Amount) -> Amount:
        """Return the sum, part by part.

        >>> Amount(Fraction(1), Fraction(0)).plus(Amount(Fraction(2), Fraction(1, 4)))
        Amount(epsilon=Fraction(3, 1), delta=Fraction(1, 4))
        """
        return Amount(self.epsilon + other.epsilon, self.delta + other.delta)

    def minus(self, other: Amount) -> Amount:
        """Return the difference, part by part.

        >>> Amount(Fraction(3), Fraction(1, 4)).minus(Amount(Fraction(2), Fraction(0)))
        Amount(epsilon=Fraction(1, 1), delta=Fraction(1, 4))
        """
        return Amount(self.epsilon - other.epsilon, self.delta - other.delta)

    def within(self, other: Amount) -> bool:
        """Whether both parts are at most the other's; ``<=`` would compare them like words in a dictionary.

        >>> Amount(Fraction(1), Fraction(1, 4)).within(Amount(Fraction(2), Fraction(0)))
        False
        """
        return self.epsilon <= other.epsilon and self.delta <= other.delta


@final
@dataclass(frozen=True, slots=True)
class Entry:
    """One entry on the books: a charge, or a note about one, that it failed or that it was taken back.

    A charge costs something. A note of a failure costs nothing, and one that takes a charge back costs less than
    nothing, so the amounts tell them apart; a note's receipt says which entry it is about, and why.

    >>> from discreet import Ledger
    >>> book = Ledger.in_memory(epsilon=1)
    >>> entry = book.charge(epsilon="1/3", table="events.parquet", receipt={"by": ["city"]})
    >>> entry.number, entry.epsilon, entry.table, entry.receipt
    (1, Fraction(1, 3), 'events.parquet', {'by': ['city']})
    >>> entry.when.tzinfo
    datetime.timezone.utc
    >>> note = book.void(1, reason="the disk was full")
    >>> note.kind, note.about, note.epsilon, note.reason
    ('void', 1, Fraction(-1, 3), 'the disk was full')
    """

    number: int
    when: datetime
    epsilon: Fraction
    delta: Fraction
    table: str | None
    receipt: Any = field(hash=False)

    @property
    def amount(self) -> Amount:
        """What the entry costs: nothing for a failure, less than nothing for a charge that is taken back.

        >>> Entry.read(1, now(), "1/3", "0", None, "null").amount
        Amount(epsilon=Fraction(1, 3), delta=Fraction(0, 1))
        """
        return Amount(self.epsilon, self.delta)

    @property
    def kind(self) -> str:
        """What the entry is: ``charge``, ``failed`` or ``void``.

        >>> Entry.read(1, now(), "1/3", "0", None, "null").kind
        'charge'
        """
        if min(self.amount) < 0:
            return "void"
        return "charge" if any(self.amount) else "failed"

    @property
    def about(self) -> int | None:
        """The number of the charge that a note is about; a charge has none.

        >>> Entry.read(2, now(), "0", "0", None, '{"entry": 1, "reason": "Ctrl-C"}').about
        1
        """
        return None if self.kind == "charge" else self.receipt["entry"]

    @property
    def reason(self) -> str | None:
        """Why a charge failed or was taken back; a charge has none.

        >>> Entry.read(2, now(), "0", "0", None, '{"entry": 1, "reason": "Ctrl-C"}').reason
        'Ctrl-C'
        """
        return None if self.kind == "charge" else self.receipt["reason"]

    @classmethod
    def read(cls, number: int, made: str, epsilon: str, delta: str, name: str | None, receipt: str) -> Entry:
        """Return an entry from the fields of its row.

        >>> Entry.read(1, now(), "1/3", "0", None, '{"by": ["city"]}').receipt
        {'by': ['city']}
        """
        when = datetime.fromisoformat(made)
        return cls(number, when, Fraction(epsilon), Fraction(delta), name, json.loads(receipt))

    def to_dict(self) -> dict[str, Any]:
        """Return the entry as plain values, for JSON: its amounts are exact, as texts.

        >>> Entry.read(1, "2026-11-16T09:30:00+00:00", "1/3", "0", None, "null").to_dict()["epsilon"]
        '1/3'
        """
        said = {"number": self.number, "kind": self.kind, "when": self.when.isoformat()}
        amounts = {"epsilon": str(self.epsilon), "delta": str(self.delta)}
        return {**said, **amounts, "table": self.table, "receipt": self.receipt}


class Mark(NamedTuple):
    """How far the books have been read; they may grow from here, and do nothing else.

    >>> Mark.start(now(), "1", "0").spent
    Amount(epsilon=Fraction(0, 1), delta=Fraction(0, 1))
    """

    genesis: str
    number: int
    digest: str
    spent: Amount

    @classmethod
    def start(cls, *budget: str) -> Mark:
        """Return the mark before the first entry: the digest of the budget.

        >>> Mark.start(now(), "1", "0").number
        0
        """
        genesis = _digest("", *budget)
        return cls(genesis, 0, genesis, Amount(Fraction(0), Fraction(0)))

    def digest_of(self, *fields: object) -> str:
        """Return the digest of the row that comes next.

        >>> len(Mark.start(now(), "1", "0").digest_of(1, now(), "1/3", "0", None, "null"))
        64
        """
        return _digest(self.digest, *fields)

    def after(self, entry: Entry, digest: str) -> Mark:
        """Return the mark after one more entry.

        >>> Mark.start(now(), "1", "0").after(Entry.read(1, now(), "1/3", "0", None, "null"), "").spent.epsilon
        Fraction(1, 3)
        """
        return Mark(self.genesis, entry.number, digest, self.spent.plus(entry.amount))


def now() -> str:
    """Return the time in UTC, to the microsecond.

    >>> len(now()), now()[-6:]
    (32, '+00:00')
    """
    return datetime.now(UTC).isoformat(timespec="microseconds")


def receipt_text(receipt: object) -> str:
    """Return a receipt as JSON that reads back equal. A message shows its type alone: a receipt may be long.

    >>> receipt_text({"by": ["city"]})
    '{"by": ["city"]}'
    >>> receipt_text({"by": ("city",)})                                                 # doctest: +ELLIPSIS
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
    if len(text) > _MOST_RECEIPT:
        raise ParameterError("receipt", type(receipt), f"at most {_MOST_RECEIPT} characters of JSON, not {len(text)}")
    return text


def total(entries: list[Entry]) -> Amount:
    """Return what entries come to, exactly.

    >>> total([Entry.read(1, now(), "1/3", "0", None, "null")] * 3)
    Amount(epsilon=Fraction(1, 1), delta=Fraction(0, 1))
    """
    return reduce(Amount.plus, (entry.amount for entry in entries), Amount(Fraction(0), Fraction(0)))


def name_text(table: str | None) -> str | None:
    """Return a table's name as it is stored.

    >>> name_text("events.parquet")
    'events.parquet'
    """
    if table is None:
        return None
    if not isinstance(table, str):
        raise KindError("table", table, "a text, such as a file's name")
    if len(table) > _MOST_NAME or any("\ud800" <= c <= "\udfff" for c in table):
        raise ParameterError("table", table, f"at most {_MOST_NAME} characters, none of them a lone surrogate")
    return str(table)


def reason_text(reason: str) -> str:
    """Return a reason as it is stored.

    >>> reason_text("the disk was full")
    'the disk was full'
    """
    if not isinstance(reason, str):
        raise KindError("reason", type(reason), "a text")
    if not reason.strip() or len(reason) > _MOST_NAME or any("\ud800" <= c <= "\udfff" for c in reason):
        raise ParameterError("reason", reason, f"a text of 1 to {_MOST_NAME} characters, none a lone surrogate")
    return str(reason)


def check_notes(entries: list[Entry]) -> None:
    """Raise ValueError unless each note is about an earlier charge, once of its kind, and takes back what it cost.

    >>> charge = Entry.read(1, now(), "1/3", "0", None, "null")
    >>> void = Entry.read(2, now(), "-1/3", "0", None, '{"entry": 1, "reason": "none"}')
    >>> check_notes([charge, void])
    >>> check_notes([charge, void, void])
    Traceback (most recent call last):
    ValueError: note 2
    """
    charges, seen = {entry.number: entry for entry in entries if entry.kind == "charge"}, set()
    for note in entries:
        if note.kind == "charge":
            continue
        charge, key = charges.get(note.about or 0), (note.kind, note.about)
        back = note.amount if note.kind == "failed" or charge is None else note.amount.plus(charge.amount)
        if (
            charge is None
            or charge.number >= note.number
            or key in seen
            or any(back)
            or not isinstance(note.reason, str)
        ):
            raise ValueError(f"note {note.number}")
        seen.add(key)


def brief(x: Fraction, rounded: Callable[[Fraction], float]) -> str:
    """Write an amount exactly where that is short, else rounded to the safe side.

    >>> brief(Fraction(2), float_up), brief(Fraction("1e-6"), float_up), brief(Fraction(1, 3), float_up)
    ('2', '1e-6', '1/3')
    """
    return written(x, up=rounded is float_up)


def said(amount: Amount, rounded: Callable[[Fraction], float]) -> str:
    """Write an amount as a user would.

    >>> said(Amount(Fraction(3), Fraction("1e-5")), float_up)
    'epsilon=3, delta=1e-5'
    """
    return f"epsilon={brief(amount.epsilon, rounded)}, delta={brief(amount.delta, rounded)}"


def page(title: str, budget: Amount, entries: list[Entry]) -> str:
    """Write the books as a table.

    >>> print(page("Empty", Amount(Fraction(3), Fraction("1e-5")), []))
    Empty
    <BLANKLINE>
            when (UTC)  epsilon  delta  table
    -----------------------------------------
    spent               0        0
    left                3        1e-5
    budget              3        1e-5
    """
    spent = total(entries)
    rows = [["", "when (UTC)", "epsilon", "delta", "table"]]
    for entry in entries:
        amounts = brief(entry.epsilon, float_up), brief(entry.delta, float_up)
        rows.append([str(entry.number), f"{entry.when:%Y-%m-%d %H:%M:%S}", *amounts, _printable(_what(entry))])
    for what, amount, rounded in (
        ("spent", spent, float_up),
        ("left", budget.minus(spent), float_down),
        ("budget", budget, float_up),
    ):
        rows.append([what, "", *(brief(x, rounded) for x in amount), ""])
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(map(str.ljust, row, widths)).rstrip() for row in rows]
    rule = "-" * max(map(len, lines))
    return "\n".join([title, "", lines[0], rule, *lines[1:-3], *([rule] if entries else []), *lines[-3:]])


def short(x: Fraction, bits: int) -> bool:
    """Whether an amount can be printed in full.

    >>> short(Fraction(1, 3), 2), short(Fraction(1, 4), 2)
    (True, False)
    """
    return max(x.numerator.bit_length(), x.denominator.bit_length()) <= bits


def _digest(previous: str, *fields: object) -> str:
    return sha256(json.dumps([previous, *fields], default=repr).encode()).hexdigest()


def _what(entry: Entry) -> str | None:
    if entry.kind == "charge":
        return entry.table
    return f"entry {entry.about} {'failed' if entry.kind == 'failed' else 'taken back'}: {entry.reason}"


def _printable(name: str | None) -> str:
    if name is None:
        return ""
    brief = name if len(name) <= 60 else f"{name[:57]}..."
    return brief if brief.isprintable() else repr(brief)
