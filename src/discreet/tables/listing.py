"""Lists of groups: from the question which groups a table has to one measurement, its charge and its answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, final

from discreet.errors import ParameterError
from discreet.exact import Exact
from discreet.ledger import Amount, Entry, Event
from discreet.measures import amount
from discreet.mechanisms import FindKeys
from discreet.pages.results import Result
from discreet.pages.sheet import Column, Sheet
from discreet.tables.answers import Answer
from discreet.tables.asking import charged
from discreet.tables.bounding import Bounding, arrow_types, key_domains
from discreet.tables.finding import Finding
from discreet.tables.kept import keep, kept, packed, question, unpacked
from discreet.tables.laws import check_epsilon
from discreet.tables.ready import Ready
from discreet.tables.receipts import Receipt, entered

if TYPE_CHECKING:
    from discreet.tables.data import Data

__all__ = ["KeysExplanation", "KeysQuery"]

_MAX_GROUPS: Final = 100
"""What max_groups is unless given: the weights of people in many groups are small, so that a large one costs little."""
_DEGREES: Final = (1, 2, 5, 10, 20, 50, 100)


@final
@dataclass(frozen=True, repr=False)
class KeysExplanation(Result):
    """The guarantee of a list of groups, and how many people a group needs to be on it.

    *needed* has, by the number of groups that each of its people is in, how many people are needed in the last round
    for a probability of one half and of 95 %.

    >>> import pandas as pd
    >>> from discreet.tables import Table
    >>> groups = Table(pd.DataFrame({"user": [1], "city": ["Rome"]}), person="user").group_by("city")
    >>> groups.explain_keys(epsilon=1, delta="1e-6", max_groups=10).needed
    {1: (25, 33), 2: (36, 46), 5: (56, 73), 10: (79, 103)}
    """

    question: str
    guarantee: str
    needed: dict[int, tuple[int, int]]
    notes: tuple[str, ...]
    receipt: Receipt
    event: Event
    """What the books would be charged for, as `Ledger.reserve` takes it."""

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary for each number of groups."""
        return [{"groups": groups, "n50": half, "n95": sure} for groups, (half, sure) in self.needed.items()]

    @property
    def sheet(self) -> Sheet:
        """How many people a group needs."""
        columns = [
            Column("groups of each person", list(self.needed), head=True),
            Column("half seen", [half for half, _ in self.needed.values()], 0),
            Column("95 % seen", [sure for _, sure in self.needed.values()], 0),
        ]
        note = "nothing is spent, and no rows are read"
        return Sheet(self.question, columns, note, [self.guarantee, *self.notes], "choice")


@final
@dataclass(frozen=True)
class KeysQuery:
    """Which groups a table has: the measurement, and the delta that was asked for."""

    table: Data
    measurement: Finding
    delta: Fraction

    @classmethod
    def of(
        cls,
        table: Data,
        by: tuple[str, ...],
        *,
        epsilon: Exact,
        delta: Exact,
        max_groups: int | None,
        rounds: int | None,
    ) -> KeysQuery:
        """Return the question, or raise where its parameters do not fit each other or the table's columns."""
        most = max_groups if max_groups is not None else 1 if table.person is None else _MAX_GROUPS
        types = key_domains(table._ibis, by)
        bounding = Bounding((), person=table.person, by=by, max_groups=most, where=table.condition, key_types=types)
        close = any(table._ibis[name].type().is_floating() for name in by)
        if close and rounds == 2:
            need = "1, where keys are floats: what is close to one that is found would be left out"
            raise ParameterError("rounds", rounds, need)
        times = (1 if close or bounding.max_groups == 1 else 2) if rounds is None else rounds  # proof: close
        mechanism = FindKeys.within(
            epsilon=check_epsilon(epsilon), delta=delta, max_keys=most, rounds=times, domain=bounding.key_domain
        )
        return cls(table, Finding(bounding, mechanism), amount(delta, "delta"))

    @property
    def spent(self) -> Amount:
        """What the books are charged: epsilon, and delta rounded up to a float."""
        return Amount(self.event.epsilon, self.event.delta)

    @cached_property
    def event(self) -> Event:
        """What the books are charged for: the measurement's event, whose delta is not more than was asked for."""
        (part,) = self.measurement.event(1).parts
        return Event((replace(part, delta=min(part.delta, self.delta)),))  # proof: charge

    def release(self) -> Answer:
        """Charge the books, ask the engine, draw the noise of each round, and return the groups that are found."""
        receipt, ledger, types = self.receipt, self.table.ledger, arrow_types(self.table._ibis, self.receipt.by)
        asked = question(self.table, receipt, self.event)
        known = kept(self.table, asked)
        entry: Entry | None
        if known is not None:  # proof: again
            entry, keys = known[0], unpacked(known[1])
        else:
            ready = Ready.of(self.table._ibis, self.measurement)
            with charged(ledger, self.event, self.table.name, receipt.to_dict()) as entry:
                keys = self.measurement.release(ready)  # proof: drawn
            keep(self.table, asked, entry, packed(keys, types) if asked is not None else None)
        receipt = entered(receipt, entry, kept=known is not None)
        left, whose = (None, ()) if ledger is None else (ledger.last_left, ledger._whose)
        return Answer(receipt.by, keys, (), receipt, types, left, whose=whose)

    def explain(self) -> KeysExplanation:
        """Say what can be said before the question is asked, from public parameters alone."""
        mechanism, bounding = self.measurement.mechanism, self.measurement.bounding
        Ready.of(self.table._ibis, replace(self.measurement, bounding=replace(bounding, salt=bytes(16))))
        last, sure = mechanism.rounds[-1], (Fraction(1, 2), Fraction(19, 20))
        half, most = (last.noise.needed(last.threshold, p) for p in sure)
        degrees = [d for d in _DEGREES if d < bounding.max_groups] + [bounding.max_groups]
        needed = {d: (-(-half // mechanism.weight(d)), -(-most // mechanism.weight(d))) for d in degrees}
        notes = ["A group is found if the noisy total of its people's weights is above a threshold."]
        if bounding.person is not None:
            notes.append("The more groups a person is in, the less the person weighs in each.")
        if len(mechanism.rounds) > 1:
            notes.append(
                "A first round finds the largest groups; in the second, people count only in the others. That finds "
                "more where some groups are much larger than most, and fewer where all are alike: there, say rounds=1."
            )
        question = f"groups by {', '.join(bounding.by)}"
        return KeysExplanation(question, self.receipt.guarantee, needed, tuple(notes), self.receipt, self.event)

    @property
    def receipt(self) -> Receipt:
        """What is said of it before it is asked."""
        engine, bounding = self.table._ibis.get_backend(), self.measurement.bounding
        return Receipt(
            table=self.table.name,
            types=self.table.types,
            person=bounding.person,
            by=bounding.by,
            private=True,
            where=bounding.where,
            filters=self.table.filters,
            derived={each.name: each.text for each in self.table.derived},
            asked=(),
            released=(),
            shares=(),
            max_groups=bounding.max_groups,
            auto=False,
            left_out=None,
            epsilon=self.spent.epsilon,
            delta=self.spent.delta,
            noise="gaussian",
            laws={"keys": "gaussian"},
            mechanisms={"keys": repr(self.measurement.mechanism)},
            engine=f"{engine.name} {engine.version}",
        )
