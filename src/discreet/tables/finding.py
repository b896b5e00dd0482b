"""Finding: which groups a table has, without counts, as one measurement.

Theorem.  Let each person count in at most max_groups groups, and in each round only in those that are not yet found,
with a weight by their number. Then finding the groups loses what `FindKeys` loses, at as many people.
Proof: finding.md, which cites the marked lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, final

import numpy as np

from discreet.coins import Coins
from discreet.core import Measurement
from discreet.errors import ParameterError
from discreet.measures import Approximate, EpsilonDelta, MaxDivergence
from discreet.mechanisms import FindKeys
from discreet.tables.asking import asked
from discreet.tables.bounding import Bounding, Tables, Totals
from discreet.tables.engines import engine_of, numbers
from discreet.tables.order import Order
from discreet.tables.ready import Question, Ready

if TYPE_CHECKING:
    from discreet.events import Event
    from discreet.metrics import PersonDistance

__all__ = ["Finding"]


@final
@dataclass(frozen=True, slots=True)
class Finding(Measurement[Any, list[tuple[Any, ...]]]):
    """The groups of a table that are found in rounds, in an order that says nothing else.

    The *bounding* has no aggregates and no known keys; its max_groups is the mechanism's max_keys.
    """

    output_measure: ClassVar[Approximate] = Approximate(MaxDivergence())

    bounding: Bounding
    mechanism: FindKeys

    def __post_init__(self) -> None:
        if not self.bounding.private or self.bounding.max_groups > self.mechanism.max_keys:  # proof: fit
            raise ParameterError("max_groups", self.bounding.max_groups, "at most max_keys, of groups that are private")

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

    def loss(self, d_in: int, /) -> EpsilonDelta:
        """Return the mechanism's loss at as many people."""
        return self.mechanism.loss(self.input_metric.check(d_in))  # proof: people

    def event(self, d_in: int, /) -> Event:
        """Return the mechanism's event at as many people."""
        return self.mechanism.event(self.input_metric.check(d_in))

    def sample(self, x: Ready, coins: Coins, /) -> list[tuple[Any, ...]]:
        """Ask the engine for the totals of each round, and draw its noise; all rounds are under one salt."""
        question = asked(x.table, lambda _: x.question(self))
        keys: list[tuple[Any, ...]] = []
        codes: list[int] = []
        for one in self.mechanism.rounds:
            totals = self.totals(x.table, question, codes)
            places = one.find(totals.people, coins)  # proof: find
            keys += totals.keys(places)
            codes += totals.columns[0][places].tolist()  # proof: codes
        named = self.bounding.named(keys)
        tuples = named if len(self.bounding.by) > 1 else [(key,) for key in named]
        return [tuples[i] for i in self.bounding.key_domain.order(named, coins)]  # proof: order

    def totals(self, table: Any, question: Question, found: Sequence[int] = ()) -> Totals:
        """Return what people add up to in each group whose code is not among those *found*, and the groups' codes."""
        totals = asked(table, lambda rows: self._run(rows, question, found))
        fetch = totals.fetch
        assert fetch is not None  # noqa: S101  Its groups are private.
        return replace(totals, fetch=lambda rows: asked(table, lambda _: fetch(rows)))

    def _run(self, table: Any, question: Question, found: Sequence[int]) -> Totals:
        salt, wires = question.salt, self.bounding.wires(table)  # proof: salt
        now = Question.of(table, salt, self.expression(table, salt, found)) if found else question
        answer, fetch = engine_of(table).answer(now.query, now.words, [f"k{i}" for i in range(len(wires))])
        weights, codes = (numbers(answer.column(name)) for name in ("w", "c"))
        return Totals(weights, (codes,), None, fetch, wires, np.arange(answer.num_rows))

    def expression(self, table: Any, salt: bytes, found: Sequence[int] = ()) -> Any:
        """Return the query: one row per group, with its keys k0, k1, ..., the total w of weights, and its code c."""
        bounding = self.bounding
        bounding.input_domain.validate(table)
        engine = engine_of(table)
        engine.check(table, bounding.input_domain.columns)
        order, each = Order.of(engine, salt, bounding.common(table, engine)), bounding.rows(table, engine)
        who, keys = (
            [f"{x}{i}" for i in range(n)] for x, n in (("p", len(bounding.person or ())), ("k", len(bounding.by)))
        )
        each = bounding.each(each, [*who, *keys]) if who else each
        if found:
            code = order.code("g", [each[key] for key in keys])
            each = engine.without(each, code, found)  # proof: rest
        if who:
            each = bounding.first_groups(each, order, who, keys, lambda placed: {"d": _degree(placed, who)})
        each = each.mutate(w=self._weight(each.d) if who else self.mechanism.norm)
        totals = each.group_by(keys).agg(w=each.w.sum().cast("int64"))
        return totals.mutate(c=order.code("g", [totals[key] for key in keys]))

    def _weight(self, degree: Any) -> Any:
        """Return what people in so many groups add to each."""
        import ibis

        *rest, (_, last) = ((most, ibis.literal(weight, "int64")) for most, weight in self.mechanism.weights)
        return (
            ibis.cases(*((degree <= most, weight) for most, weight in rest), else_=last) if rest else last
        )  # proof: weight


def _degree(placed: Any, who: list[str]) -> Any:
    """Return how many of a person's groups there are, from a row for each."""
    import ibis

    return placed.count().over(ibis.window(group_by=[placed[p] for p in who]))  # proof: degree
