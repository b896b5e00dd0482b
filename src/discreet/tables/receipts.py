"""Receipts: what was asked of a table, how it was made private, and what that cost, as plain values.

A receipt is kept in the ledger and with the answer. The meaning of a field never changes within a version of the
schema; what means something else gets another name, and the schema another version.
"""

from __future__ import annotations

import hashlib
import json
import platform
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, final

from discreet._version import __version__
from discreet.exact import written
from discreet.reals import float_up, log1p
from discreet.tables.laws import LAWS
from discreet.words import promise

if TYPE_CHECKING:
    from discreet.ledger import Entry
    from discreet.tables.aggregates import Aggregate
    from discreet.tables.spread import LeftOut

__all__ = ["Found", "Receipt", "described", "entered"]


@final
@dataclass(frozen=True, slots=True)
class Found:
    """What a release found out about bounding: the max_groups that was used, and what share it left out, if known.

    Where max_groups was chosen on the way, *mechanisms* and *laws* are those of the choice. In two rounds, *rest* is
    the share that the second left out, of people's groups that the first had not shown. Where bounds were learned,
    *aggregates* are what was asked, with these.
    """

    max_groups: int | None
    left_out: LeftOut | None
    mechanisms: Mapping[str, str] | None = None
    laws: Mapping[str, str] | None = None
    rest: LeftOut | None = None
    aggregates: tuple[Mapping[str, Any], ...] | None = None


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What was asked, of whom, under which bounds, for what price.

    *person* is None where each row is a person; *keys* says whether the groups were private. *max_groups* is None where
    it is to be chosen, or there are no groups. *left_out* is the part of epsilon that pays for knowing what bounding
    leaves out, and None where it can leave nothing out. *shares* are the parts of the rest that pay for each column,
    and *learned* those that pay for learning bounds first.
    *released* says which columns were released, also those that were not asked for. The amounts are what was charged.
    *noise* is what was asked for, and *laws* says which law each column's noise has. These and the *mechanisms* are
    those that were known before the release: with *auto*, the mechanism of the sizes alone. *rounds* says in how many
    rounds people were counted. *derived* says how columns were made from others. *entry* is where the books have it;
    the answer was *kept* there, and costs nothing now, or it was reserved by the entry *plan*. Where the laws were
    chosen by the books, too, *share_of_left* says for each column and law which share of what was left the whole
    release would take with it; above 1, it does not fit. *tables* are those of a publication: by which columns, and
    with which share of what the columns have.
    """

    schema: ClassVar[str] = "discreet.tables.receipt"
    version: ClassVar[int] = 1

    table: str
    types: Mapping[str, str] | None
    person: tuple[str, ...] | None
    by: tuple[str, ...]
    private: bool
    where: str | None
    filters: tuple[str, ...]
    asked: tuple[Aggregate, ...]
    released: tuple[Aggregate, ...]
    shares: tuple[Fraction, ...]
    max_groups: int | None
    auto: bool
    left_out: Fraction | None
    epsilon: Fraction
    delta: Fraction
    noise: str
    laws: Mapping[str, str]
    mechanisms: Mapping[str, str]
    engine: str
    rounds: int = 1
    tables: tuple[Mapping[str, Any], ...] = ()
    learned: Mapping[str, Fraction] = field(default_factory=dict)
    derived: Mapping[str, str] = field(default_factory=dict)
    share_of_left: Mapping[str, Mapping[str, float]] | None = None
    found: Found | None = None
    entry: int | None = None
    when: datetime | None = None
    kept: bool = False
    plan: int | None = None

    @property
    def bounds(self) -> dict[str, int]:
        """The bounds that can leave out some of a person's groups, rows or values, by name; max_groups as it was."""
        groups = self.max_groups if self.found is None else self.found.max_groups
        rows, values = (self.asked[0].rows, self.asked[0].brings or None) if self.asked else (None, None)
        bounds = {"max_groups": groups, "max_rows": rows, "max_values": values}
        return {name: n for name, n in bounds.items() if n is not None}

    @property
    def times(self) -> int:
        """How often a person may count in a coarser table of a publication of people; 1 in all other tables."""
        several = self.tables and self.person is not None and self.asked[0].kind == "people"
        return self.bounds.get("max_groups", 1) if several else 1

    @property
    def repeats(self) -> str | None:
        """What totals of people are who count in several of the finest groups, in a sentence; None where none do."""
        if self.times == 1:
            return None
        return (
            f"A person counts in up to {self.times:,} of the finest groups, so totals may count a person as often: "
            "they are not numbers of different people."
        )

    @property
    def limited(self) -> str | None:
        """In how many groups a person counts, what that does to figures, and how to change it; None where in all."""
        most = self.bounds.get("max_groups")
        if most is None or self.left_out is None:
            return None
        columns = [shlex.quote(self.derived.get(name, name)) for name in self.by]
        learn = " ".join(["discreet suggest FILE", *(f"--by {column}" for column in columns)])
        finest = f"{most:,} of the finest groups, by {', '.join(self.by)}" if self.tables else _groups(most)
        return (
            f"Each person counts in at most {finest}. Whoever is in more of them is left out of the others, which "
            "makes counts and sums too small: a bias, which the noise intervals do not include. max_groups changes "
            f"it; for a little epsilon, `{learn}` says how many groups are needed."
        )

    @property
    def limits(self) -> list[str]:
        """What can be said of these before anything is released."""
        return [text for text in (self.limited, self.repeats) if text is not None]

    @property
    def fails(self) -> bool:
        """Whether the loss exceeds epsilon with a probability of at most delta; False where it may be more often."""
        laws = self.laws if self.found is None or self.found.laws is None else self.found.laws
        if not laws and self.asked:  # To be chosen.
            return not self.delta or (self.noise in LAWS and LAWS[self.noise].fails)
        return all(LAWS[law].fails for law in laws.values() if law in LAWS)  # Others lose no delta.

    @property
    def odds(self) -> Fraction:
        """The epsilon by which the odds change at most, except with probability delta, where the promise *fails* so.

        That no group appeared which only one of the tables has changes them by up to 1 / (1 - delta). It takes the
        place of what the noise of the first column would tell, and what the others tell is added.
        """
        if not (self.private and self.fails and self.delta < 1):
            return self.epsilon
        first = self.epsilon * self.shares[0]
        return self.epsilon - first + max(first, Fraction(float_up(-log1p(-self.delta))))

    @property
    def people(self) -> str:
        """Who a person is, in words."""
        return (
            "each row is a person" if self.person is None else f"a person is all rows of one {', '.join(self.person)}"
        )

    @property
    def guarantee(self) -> str:
        """What is promised to a person, in a sentence."""
        return f"{promise(self.odds, self.delta, fails=self.fails)}; {self.people}."

    @property
    def cost(self) -> str:
        """What the release costs, in words."""
        delta = f" and delta {written(self.delta, up=True)}" if self.delta else ""
        return f"epsilon {written(self.epsilon, up=True)}{delta}"

    @property
    def paid(self) -> str:
        """What was spent on the release now, in words: nothing, where it was kept or reserved."""
        if self.is_charged:
            return f"{self.cost} spent"
        kept = f"free: kept answer of entry {self.entry}"
        return kept if self.kept else f"from the plan of entry {self.plan}, nothing more spent"

    @property
    def is_charged(self) -> bool:
        """Whether it was paid for now; not so where it was kept or reserved."""
        return not self.kept and self.plan is None

    def to_dict(self) -> dict[str, Any]:
        """Return the receipt as JSON has it; the digest is of what was known before the release."""
        said = {
            "schema": self.schema,
            "version": self.version,
            "table": self.table,
            "types": None if self.types is None else dict(self.types),
            "person": None if self.person is None else list(self.person),
            "by": list(self.by),
            "private": self.private,
            "where": self.where,
            "filters": list(self.filters),
            "aggregates": [aggregate.to_dict() for aggregate in self.asked],
            "max_groups": "auto" if self.auto else self.max_groups,
            "left_out": None if self.left_out is None else str(self.left_out),
            "shares": {each.label: str(share) for each, share in zip(self.released, self.shares, strict=True)}
            | {label: str(share) for label, share in self.learned.items()},
            "spent": {"epsilon": float_up(self.epsilon), "delta": float_up(self.delta)},
            "noise": self.noise,
            "laws": dict(self.laws),
            "mechanisms": dict(self.mechanisms),
            "engine": self.engine,
            "versions": {"discreet": __version__, "python": platform.python_version()},
        }
        if self.derived:
            said["derived"] = dict(self.derived)
        if self.rounds > 1:
            said["rounds"] = self.rounds
        if self.tables:
            said["tables"] = [dict(table) for table in self.tables]
        if self.share_of_left is not None:
            said["share_of_left"] = {name: dict(laws) for name, laws in self.share_of_left.items()}
        said["sha256"] = hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
        if self.found is not None:
            unsaid = [name for name in ("mechanisms", "laws") if self.found.mechanisms is None]
            unsaid += ["rest"] * (self.rounds == 1) + ["aggregates"] * (self.found.aggregates is None)
            said["found"] = {name: found for name, found in asdict(self.found).items() if name not in unsaid}
        if self.entry is not None and self.when is not None:
            free = {} if self.is_charged else {"kept": True} if self.kept else {"plan": self.plan}
            said["ledger"] = {"entry": self.entry, "when": self.when.isoformat(), **free}
        return said


def _groups(most: int) -> str:
    return "1 group" if most == 1 else f"{most:,} groups"


def entered(receipt: Receipt, entry: Entry | None, *, kept: bool = False) -> Receipt:
    """Return a receipt with the entry of the books that is about it, if there is one."""
    if entry is None:
        return receipt
    return replace(receipt, entry=entry.number, when=entry.when, kept=kept, plan=entry.about)


def described(receipt: Any) -> str:
    """Return what the receipt of a table in a ledger is about, in a few words; nothing where it is something else.

    >>> asked = [{"name": "revenue", "kind": "sum", "column": "amount"}, {"name": "people", "kind": "people"}]
    >>> described({"schema": "discreet.tables.receipt", "aggregates": asked, "by": ["city"], "max_groups": 3})
    'sum of amount, people by city, max_groups 3'
    """
    if not isinstance(receipt, dict) or receipt.get("schema") != Receipt.schema:
        return ""
    words = [each["kind"] + (f" of {each['column']}" if "column" in each else "") for each in receipt["aggregates"]]
    what = ", ".join(words) or _without_values(receipt["mechanisms"])
    by = f" by {', '.join(map(str, receipt['by']))}" if receipt.get("by") else ""
    where = f", where {receipt['where']}" if receipt.get("where") else ""
    most = f", max_groups {receipt['max_groups']}" if receipt.get("max_groups") else ""
    rounds = f", {receipt['rounds']} rounds" if receipt.get("rounds") else ""
    tables = f", {len(receipt['tables'])} tables that add up" if receipt.get("tables") else ""
    return f"{what}{by}{where}{most}{rounds}{tables}"


def _without_values(mechanisms: Mapping[str, str]) -> str:
    """Return what a release without aggregates is about."""
    learned = next((label for label in mechanisms if label.startswith("bounds of ")), "max_groups")
    return "groups" if "keys" in mechanisms else f"suggestion of {learned}"
