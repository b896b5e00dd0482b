"""Extents: bounds of people's values from a part of the budget, and releases within bounds that are found so.

Theorem.  Let each person be counted in the bin of the least and in that of the greatest value of one of their groups.
Noise in each count loses what it loses at twice as many as the people. A release within bounds that are chosen by those
counts loses that and what the same release loses within any bounds: its noise, in steps, is the same for all.
Proof: extents.md, which cites the marked lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from discreet.coins import Coins
from discreet.core import Measurement
from discreet.domains import Integers, Vectors
from discreet.events import Event
from discreet.measures import Loss, MaxDivergence
from discreet.mechanisms import IntegerLaplace
from discreet.metrics import Sensitivity
from discreet.pages.results import Result
from discreet.pages.sheet import Column, Sheet
from discreet.tables.aggregates import Aggregate, Value
from discreet.tables.asking import asked
from discreet.tables.bounding import Bounding, Tables
from discreet.tables.doubts import doubted
from discreet.tables.engines import engine_of, numbers
from discreet.tables.order import Order
from discreet.tables.powers import BINS, Bounds, Powers, ends_of
from discreet.tables.ready import Question, Ready
from discreet.tables.release import InTurn, Part, Released

if TYPE_CHECKING:
    from discreet.measures import Measure
    from discreet.metrics import PersonDistance
    from discreet.tables.receipts import Receipt

__all__ = ["BoundsSuggestion", "Extents", "InBounds", "bounds_label"]

_COUNT: Final = 2 * BINS + 1
_ENDS: Final = (-(1 << 65), 1 << 65)
_ERROR: Final = Fraction(1, 20)


@final
@dataclass(frozen=True, slots=True)
class Extents(Measurement[Any, Powers]):
    """Noisy numbers of people's least and greatest values, by the powers of two that they are between.

    The *bounding* has one aggregate, which says which values these are, and a max_groups of 1.
    """

    bounding: Bounding
    mechanism: IntegerLaplace

    @classmethod
    def within(cls, bounding: Bounding, of: Value, epsilon: Fraction) -> Extents:
        """Return the counts with the least noise within an epsilon, of the people and rows that a bounding counts."""
        bins = Vectors(Integers(), size=_COUNT)
        one = replace(bounding, aggregates=(of,), max_groups=1, sizes=None)
        return cls(one, IntegerLaplace.within(epsilon=epsilon, d_in=Sensitivity(2, 2, 2), domain=bins))  # type: ignore[arg-type]

    @property
    def of(self) -> Value:
        """What says which values are counted."""
        (of,) = self.bounding.aggregates
        assert isinstance(of, Value)  # noqa: S101
        return of

    @property
    def label(self) -> str:
        """What it is called in weights and receipts."""
        return bounds_label(self.of)

    @property
    def salt(self) -> bytes | None:
        """The bounding's salt, if it is given."""
        return self.bounding.salt

    @property
    def input_domain(self) -> Tables:
        """Tables that have the bounding's columns."""
        return self.bounding.input_domain

    @property
    def input_metric(self) -> PersonDistance:
        """How many people are added or removed."""
        return self.bounding.input_metric

    @property
    def output_measure(self) -> MaxDivergence:
        """Pure: Laplace noise needs no delta."""
        return MaxDivergence()

    def _apart(self, d_in: int) -> Sensitivity:
        d = 2 * self.input_metric.check(d_in)  # proof: twice
        return Sensitivity(d, d, d)

    def loss(self, d_in: int, /) -> Loss:
        """Return the mechanism's loss at twice as many."""
        return self.mechanism.loss(self._apart(d_in))

    def event(self, d_in: int, /) -> Event:
        """Return the mechanism's event at the same distance."""
        return self.mechanism.event(self._apart(d_in))

    def sample(self, x: Ready, coins: Coins, /) -> Powers:
        """Ask the engine for the counts, and draw their noise."""
        counts = self.counts(x.table, asked(x.table, lambda _: x.question(self)))
        return Powers(tuple(self.mechanism.sample(counts, coins).tolist()), self.mechanism.noise)

    def counts(self, table: Any, question: Question) -> Any:
        """Return how many least and greatest values are in each bin."""
        found, _ = asked(table, lambda rows: engine_of(rows).answer(question.query, question.words, []))
        counts, people = np.zeros(_COUNT, np.int64), numbers(found.column("people"))
        for name in ("least", "greatest"):
            np.add.at(counts, numbers(found.column(name)) + BINS, people)  # proof: ends
        return counts

    def expression(self, table: Any, salt: bytes) -> Any:
        """Return the query: how many people there are by the bins of their least and greatest values."""
        bounding = self.bounding
        bounding.input_domain.validate(table)
        engine = engine_of(table)
        engine.check(table, bounding.input_domain.columns)
        rows = bounding.rows(table, engine, lambda value: engine.real(value, *_ENDS))
        binned = engine.once(rows.mutate(power=engine.power(rows.s0)))  # proof: bins
        who, keys = (
            [f"{x}{i}" for i in range(n)] for x, n in (("p", len(bounding.person or ())), ("k", len(bounding.by)))
        )
        if who:
            ends = {"least": binned.power.min(), "greatest": binned.power.max()}
            each = binned.group_by([*who, *keys]).agg(n=binned.count().cast("int64"), **ends)
        else:
            each = binned.mutate(n=1, least=binned.power, greatest=binned.power)
        if who and keys:
            order = Order.of(engine, salt, bounding.common(table, engine))
            each = bounding.first_groups(each, order, who, keys, lambda _: {})  # proof: one
        least, greatest = self.of.extents(each.n, each.least, each.greatest)
        ends = each.select(least=least.cast("int64"), greatest=greatest.cast("int64"))
        return ends.group_by("least", "greatest").agg(people=ends.count().cast("int64"))


@final
@dataclass(frozen=True, slots=True)
class InBounds(Measurement[Any, Released]):
    """Noisy extents first, then a release within the bounds that they say; none where nothing could be learned.

    Of *then*, the aggregates whose bounds are to be learned have others in their place; the noise is the same.
    """

    extents: tuple[Extents, ...]
    then: InTurn | None

    @property
    def input_domain(self) -> Tables:
        """Tables that have the columns of all."""
        askers = [each.bounding for each in self.extents] + ([] if self.then is None else [self.then.bounding])
        return Tables(dict.fromkeys(name for bounding in askers for name in bounding.input_domain.columns))

    @property
    def input_metric(self) -> PersonDistance:
        """How many people are added or removed."""
        return self.extents[0].input_metric

    @property
    def output_measure(self) -> Measure[Loss]:
        """That of the release, if there is one."""
        return self.extents[0].output_measure if self.then is None else self.then.output_measure

    def loss(self, d_in: int, /) -> Loss:
        """Return the sum of the losses."""
        then = [] if self.then is None else [self.then.of_tables.loss(d_in)]
        return self.output_measure.add([*(each.loss(d_in) for each in self.extents), *then])  # proof: both

    def event(self, d_in: int, /) -> Event:
        """Return the events, one after the other."""
        events = [each.event(d_in) for each in self.extents] + ([] if self.then is None else [self.then.event(d_in)])
        return Event(tuple(part for event in events for part in event.parts))

    def sample(self, x: Ready, coins: Coins, /) -> Released:
        """Draw the extents, and then the release, if bounds were found for all."""
        powers = tuple(each.sample(x, coins) for each in self.extents)
        found = self.found(powers)
        if found is None or self.then is None:
            return Released([], (), None, 1, powers=powers)
        return within(self.then, found).of_tables.sample(x, coins)._replace(powers=powers)  # type: ignore[no-any-return]

    def found(self, powers: tuple[Powers, ...]) -> dict[Aggregate, Bounds] | None:
        """Return the bounds that were found, by what they are for; None where some were not."""
        pairs = {each.of: one.bounds for each, one in zip(self.extents, powers, strict=True)}
        known: dict[Aggregate, Bounds] = {of: bounds for of, bounds in pairs.items() if bounds is not None}
        return known if len(known) == len(pairs) else None


def bounds_label(of: Value) -> str:
    """Return what learning bounds is called in weights and receipts."""
    return f"bounds of {of.extent}"


def within(turn: InTurn, found: Mapping[Aggregate, Bounds]) -> InTurn:
    """Return a release with the same noise, in steps, within bounds that were found."""
    parts = tuple(Part(part.aggregate.learned(found), part.laws) for part in turn.parts)
    for old, new in zip(turn.parts, parts, strict=True):
        assert old.aggregate.most == new.aggregate.most  # noqa: S101  # proof: alike
    bounding = replace(turn.bounding, aggregates=tuple(part.aggregate for part in parts))
    return replace(turn, bounding=bounding, parts=parts)


@final
@dataclass(frozen=True, repr=False)
class BoundsSuggestion(Result):
    """Bounds between which nearly all people's values are, by the powers of two beyond which few are.

    *low* and *high* are None where nothing could be learned: the noise hides fewer people than there are.
    """

    extent: str
    powers: Powers
    receipt: Receipt
    column: str
    """The column whose values these are."""

    @property
    def low(self) -> Fraction | None:
        """The lower bound."""
        return None if self.powers.bounds is None else self.powers.bounds[0]

    @property
    def high(self) -> Fraction | None:
        """The upper bound."""
        return None if self.powers.bounds is None else self.powers.bounds[1]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary for each bin that is seen to have people: its ends, and their noisy number.

        A person whose least and greatest values are in two bins is half in each.
        """
        bins = [(*ends_of(i), self.powers.counts[i + BINS] / 2) for i in self.powers.learned]
        return [{"low": float(low), "high": float(high), "people": people} for low, high, people in bins]

    @property
    def sheet(self) -> Sheet:
        """The bins that are seen to have people, and how many have their least or greatest value there."""
        rows, reach = self.to_rows(), self.powers.noise.radius(_ERROR) / 2
        people = [row["people"] for row in rows]
        columns = [
            Column("from", [f"{row['low']:,g}" for row in rows], head=True),
            Column("to", [f"{row['high']:,g}" for row in rows], head=True),
            Column("people", people, 0),
            Column(
                "95 % noise interval", [n - reach for n in people], 0, quiet=True, highs=[n + reach for n in people]
            ),
        ]
        few = f"Beyond the bounds, noise left no power of two with more than {self.powers.threshold / 2:,g} people."
        half = "A person counts by the least and by the greatest value, half by each."
        hint = doubted([self.column], self.receipt.types) if self.powers.bounds is None else None
        remarks = [half, few, *([] if hint is None else [hint])]
        return Sheet(self.verdict, columns, self.receipt.paid, remarks, "choice", ordered=True)

    @property
    def verdict(self) -> str:
        """What was found, in a sentence."""
        if self.powers.bounds is None:
            return "Nothing could be learned: give a larger epsilon, or low and high that are known without the data"
        low, high = (f"{float(end):,g}" for end in self.powers.bounds)
        return f"low = {low} and high = {high} hold nearly all {self.extent}"
