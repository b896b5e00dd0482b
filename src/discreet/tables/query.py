"""Questions: from what a user asks of a table to one measurement, its charge and its answer.

What the parameters and the columns decide is checked first; then the books are charged what the measurement loses,
whatever becomes of it; then it is drawn: the engine answers, and noise comes last.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, cast, final

from discreet.core import Measurement
from discreet.errors import KindError, ParameterError, UnsupportedError, none_of
from discreet.exact import Exact, exact
from discreet.ledger import Amount, Event
from discreet.measures import amount
from discreet.reals import float_up
from discreet.tables.aggregates import Aggregate, Column, People, Value
from discreet.tables.aggregates.aggregate import at_most, needed_by
from discreet.tables.answers import Answer
from discreet.tables.asking import charged
from discreet.tables.bounding import Bounding, arrow_types, key_domains
from discreet.tables.doubts import doubted
from discreet.tables.extents import Extents, InBounds, bounds_label
from discreet.tables.kept import keep, kept, packed, question, unpacked
from discreet.tables.laws import check_epsilon, check_noise
from discreet.tables.noise import ColumnNoise
from discreet.tables.powers import Bounds, Powers
from discreet.tables.ready import Asker, Ready
from discreet.tables.receipts import Found, Receipt, entered
from discreet.tables.release import Chosen, InTurn, Released
from discreet.tables.rounds import InRounds, check_rounds, rest
from discreet.tables.spread import Sizes, Spread
from discreet.tables.suggest import CANDIDATES

if TYPE_CHECKING:
    from discreet.tables.data import Data

__all__ = ["GROUP_SIZE", "Query", "check_columns"]

GROUP_SIZE: Final = 1000
"""The group size for which "auto" chooses."""
_LEFT_OUT: Final = Fraction(1, 20)
"""The part of epsilon that pays for knowing what bounding leaves out; twice as much for choosing max_groups too."""
_LEARN: Final = Fraction(1, 4)
"""The weight of learning bounds beside that of a column, which is 1."""
_SIGNS: Final = ";\t|,"
"""What programs write between columns."""


@final
@dataclass(frozen=True)
class Query:
    """What is asked of a table, its bounding, and how epsilon is divided.

    *shares* are the parts of epsilon that the aggregates get, and *left_out* is the one that pays for knowing what
    bounding leaves out; they add up to 1. With *auto*, that also decides max_groups. In two *rounds*, people count in
    the second only in groups that the first has not shown. The books say which *share* of what is left an event takes.
    The *laws* of noise, one for each column, are given where they were chosen before. What is to be learned about
    bounds before, and the part of epsilon that pays for it, is in *learns*.
    """

    table: Data
    asked: tuple[Aggregate, ...]
    bounding: Bounding
    epsilon: Fraction
    delta: Fraction | None
    shares: tuple[Fraction, ...]
    left_out: Fraction | None
    auto: bool = False
    noise: str = "auto"
    rounds: int = 1
    share: Callable[[Event], Fraction] | None = None
    laws: tuple[str, ...] | None = None
    learns: tuple[tuple[Value, Fraction], ...] = ()

    @classmethod
    def of(
        cls,
        table: Data,
        asked: Sequence[Aggregate],
        *,
        by: tuple[str, ...],
        keys: tuple[Any, ...] | None,
        epsilon: Exact,
        delta: Exact | None,
        max_groups: int | Literal["auto"] | None,
        weights: Mapping[str, Exact] | None,
        left_out: Exact | None,
        noise: str = "auto",
        rounds: int = 1,
    ) -> Query:
        """Return the question, or raise where its parameters do not fit each other or the table's columns."""
        auto = isinstance(max_groups, str) and max_groups == "auto"
        if by and table.person is not None and max_groups is None:
            need = "how many groups a person may count in; explain() shows choices, "
            raise ParameterError("max_groups", max_groups, need + '"auto" and suggest_max_groups() choose')
        if auto and not (by and table.person is not None):
            raise ParameterError("max_groups", max_groups, "none: a person is in one group")
        bound = 1 if auto or max_groups is None else at_most(cast("int", max_groups), "max_groups")
        budget, private = check_epsilon(epsilon), bool(by) and keys is None
        if private and delta is None:
            need = "delta > 0, because which groups there are is private; or give their keys"
            raise ParameterError("delta", delta, need)
        most = None if delta is None else amount(delta, "delta")
        if most is not None and not 0 < most <= 1:
            raise ParameterError("delta", delta, "0 < delta <= 1")
        check_rounds(rounds, table, asked, by if private else (), auto, noise)
        check_noise(noise if rounds == 1 else "gaussian", epsilon, delta, private=private)
        aggregates = _released(asked, private)
        for aggregate in aggregates:
            check_value(table, aggregate)
            if table.person is None and (aggregate.rows or 1) != 1:
                raise ParameterError("max_rows", aggregate.rows, "1, where each row is a person")
            if table.person is None and aggregate.brings > 1:
                raise ParameterError("most", aggregate.brings, "1, where each row is a person")
        learns = dict.fromkeys(value for aggregate in aggregates for value in aggregate.learns)
        if learns and auto:
            need = 'a number, where bounds are "auto", too; suggest_max_groups() chooses one'
            raise ParameterError("max_groups", max_groups, need)
        usual = {each.label: Fraction(1) for each in aggregates} | {bounds_label(each): _LEARN for each in learns}
        shares = _shares(usual, weights)
        rows = asked[0].counted
        part = _left_out(left_out, _bites(table, by, keys, bound, rows, auto), auto)
        bounding = Bounding(
            aggregates,
            person=table.person,
            by=by,
            max_groups=bound,
            where=table.condition,
            keys=keys,
            key_types=key_domains(table._ibis, by),
            sizes=_sizes(asked[0], aggregates, by, auto) if part else None,
        )
        parts = tuple(x * (1 - (part or 0)) for x in shares)
        firsts = tuple(zip(learns, parts[len(aggregates) :], strict=True))
        parts = parts[: len(aggregates)]
        share = None if table.ledger is None else _share(table.ledger.shares(), most)
        made = cls(table, tuple(asked), bounding, budget, most, parts, part, auto, noise, rounds, share, learns=firsts)
        made.check_noise()
        return made

    @classmethod
    def of_bounds(cls, table: Data, of: Value, by: tuple[str, ...], epsilon: Exact) -> Query:
        """Return the question between which bounds people's values are."""
        check_value(table, of)
        bounding = Bounding((), person=table.person, by=by, where=table.condition)
        made = cls(table, (), bounding, check_epsilon(epsilon), None, (), None, learns=((of, Fraction(1)),))
        made.check_noise()
        return made

    @classmethod
    def of_sizes(cls, table: Data, by: tuple[str, ...], epsilon: Exact) -> Query:
        """Return the question of how many groups people are in."""
        bounding = Bounding((), person=table.person, by=by, where=table.condition, sizes=Sizes())
        made = cls(table, (), bounding, check_epsilon(epsilon), None, (), Fraction(1))
        made.check_noise()
        return made

    def check_noise(self) -> None:
        """Raise unless there are numbers for the noise."""
        turns = (self.turn,) if self.rounds == 1 else self.in_rounds.rounds
        if not all(part.noise.fits for turn in turns for part in turn.parts):
            raise ParameterError("epsilon", self.epsilon, "more: there are no numbers for noise of this size")
        firsts = [each.mechanism for each in self.extents] + [self.turn.sizes] * (self.turn.sizes is not None)
        if not all(ColumnNoise(each.noise).fits for each in firsts if each is not None):
            need = "more, or a larger part of it: there are no numbers for such noise"
            raise ParameterError("epsilon", self.epsilon, need)

    def keeps(self, margins: Mapping[Aggregate, Fraction]) -> bool:
        """Whether the noise of columns is within margins, with probability 95 %."""
        noises = {part.aggregate: part.noise for part in self.turn.parts}
        return all(noises[of].radius(Fraction(1, 20)) <= margin for of, margin in margins.items())

    @property
    def cost(self) -> tuple[int, float]:
        """What is to be small in the first column: how many people a group needs, then the standard deviation."""
        return self.turn.parts[0].laws[0].cost

    def with_groups(self, max_groups: int, left_out: Exact | None = None) -> Query:
        """Return this question with another max_groups, which is given and not chosen; *left_out* is as it was typed.

        That one leaves nobody out where this one does, or the other way round, changes what is left for the shares.
        """
        bounding, rows, part = self.bounding, self.asked[0].counted, self.left_out
        if not self.auto:
            bites = _bites(self.table, bounding.by, bounding.keys, max_groups, rows, auto=False)
            part = None if not bites else _left_out(left_out, bites, auto=False) if part is None else part
        rest = Fraction(1 - (part or 0)) / (1 - (self.left_out or 0))
        usual = _sizes(self.asked[0], bounding.aggregates, bounding.by, auto=False)
        sizes = (bounding.sizes or usual) if part else None
        bounding = replace(bounding, max_groups=max_groups, sizes=sizes)
        shares, books = tuple(share * rest for share in self.shares), None if self.auto else self.share
        learns = tuple((of, share * rest) for of, share in self.learns)
        return replace(self, bounding=bounding, shares=shares, left_out=part, auto=False, share=books, learns=learns)

    @cached_property
    def turn(self) -> InTurn:
        """The noise of the columns, and of the sizes, for the bounding's max_groups; of two rounds, the last one's."""
        return self._turn(self.bounding) if self.rounds == 1 else self.in_rounds.rounds[-1]

    def _turn(self, bounding: Bounding) -> InTurn:
        epsilons = [self.epsilon * share for share in self.shares]
        sizes = None if bounding.sizes is None else self.epsilon * (self.left_out or 0)
        noise, share = self.laws or self.noise, None if self.auto or self.learns else self.share  # As it is asked for.
        return InTurn.within(bounding, epsilons=epsilons, delta=self.delta, sizes=sizes, noise=noise, share=share)

    @cached_property
    def in_rounds(self) -> InRounds:
        """Both rounds, with the noise of each."""
        sizes = None if self.bounding.sizes is None else self.epsilon * (self.left_out or 0)
        (share,), delta = self.shares, self.delta or Fraction(0)
        return InRounds.within(self.bounding, epsilon=self.epsilon * share, delta=delta, sizes=sizes)

    @cached_property
    def extents(self) -> tuple[Extents, ...]:
        """What bounds are learned from, with its noise."""
        return tuple(Extents.within(self.bounding, of, self.epsilon * share) for of, share in self.learns)

    @cached_property
    def measurement(self) -> Measurement[Any, Released]:
        """What is charged and drawn."""
        if self.learns:
            return InBounds(self.extents, self.turn if self.asked else None)
        if self.rounds > 1:
            return self.in_rounds
        if not self.auto:
            return self.turn.of_tables
        most = CANDIDATES[-1] if self.bounding.keys is None else len(self.bounding.keys)
        boundings = [replace(self.bounding, max_groups=m, sizes=None) for m in CANDIDATES if m <= most]
        return Chosen(self._sizes, tuple(self._turn(bounding) for bounding in boundings), GROUP_SIZE)

    @property
    def _boundings(self) -> tuple[Asker, ...]:
        """What asks the engine; of boundings of which one will be chosen, the first one in its place."""
        if self.learns:
            return (*self.extents, self.bounding) if self.asked else self.extents
        chosen = self.measurement if isinstance(self.measurement, Chosen) else None
        return (self.bounding,) if chosen is None else (chosen.first.bounding, chosen.choices[0].bounding)

    @property
    def _sizes(self) -> InTurn:
        """The noise of the sizes alone, by which max_groups is chosen."""
        return InTurn.within(
            replace(self.bounding, aggregates=()), epsilons=(), sizes=self.epsilon * (self.left_out or 0)
        )

    @property
    def _share_of_left(self) -> dict[str, dict[str, float]] | None:
        """What was compared, where the books have a say: not where the noise is given, or max_groups is chosen."""
        if self.share is None or self.noise != "auto" or self.auto or self.learns or self.rounds > 1:
            return None
        shares = self.turn.shares(self.share)
        return {label: {law: float_up(x) for law, x in laws.items()} for label, laws in shares.items()}

    @cached_property
    def spent(self) -> Amount:
        """What the books are charged: the losses of the event's parts, whose deltas are rounded up to floats."""
        return Amount(self.event.epsilon, self.event.delta)

    @cached_property
    def event(self) -> Event:
        """What the books are charged for: what the measurement tells between tables that a person is apart."""
        return _within(self.measurement.event(1), self.delta)

    def check(self) -> None:
        """Raise where the engine cannot be asked this, which the columns and their types decide."""
        salted = replace(self.bounding, salt=bytes(16))
        self._ready(
            salted, *(replace(each, bounding=replace(each.bounding, salt=salted.salt)) for each in self.extents)
        )

    def _ready(self, *boundings: Asker) -> Ready:
        """Return the table, ready to be asked; of two rounds, the second is tried with some group left out."""
        rows, by = self.table._ibis, self.bounding.by
        if self.rounds > 1:
            Ready.of(rest(rows, by, [(None,) * len(by)]), replace(self.bounding, salt=bytes(16)))
        return Ready.of(rows, *boundings)

    def draw(self) -> tuple[Released, Receipt]:
        """Charge the books, run the query, and draw the noise."""
        receipt, usual = self.receipt, replace(self, share=None)  # A question is one, whatever is left on the books.
        asked = question(self.table, usual.receipt, usual.event, self.bounding.keys) if self.rounds == 1 else None
        known = kept(self.table, asked)
        if known is not None:  # proof: again
            before, answer = known
            receipt = replace(usual, laws=tuple(answer.get("laws", ()))).receipt
            receipt = replace(receipt, share_of_left=answer.get("share_of_left"))
            return self._unpacked(answer), entered(receipt, before, kept=True)
        ready = self._ready(*self._boundings)
        with charged(self.table.ledger, self.event, self.table.name, receipt.to_dict()) as entry:
            released = self.measurement.release(ready)  # proof: drawn
        keep(self.table, asked, entry, self._packed(released) if asked is not None else None)
        return released, entered(receipt, entry)

    def _packed(self, released: Released) -> dict[str, Any] | None:
        """Return what was released as plain values; None where they would not come back as they are."""
        keys = packed(released.keys, arrow_types(self.table._ibis, self.bounding.by)) if self.bounding.by else ""
        spread = released.spread
        sizes = None if spread is None else [list(spread.counts), spread.most]
        told = {"columns": [list(map(int, column)) for column in released.columns], "sizes": sizes}
        told |= {"powers": [list(one.counts) for one in released.powers]} if self.learns else {}
        groups = {"keys": keys, "rows": len(released.keys), "max_groups": released.max_groups}
        laws = {} if self.auto else {"laws": list(self.turn.laws.values()), "share_of_left": self._share_of_left}
        return None if keys is None else told | groups | laws

    def _unpacked(self, told: dict[str, Any]) -> Released:
        """Return what was released from plain values."""
        keys = unpacked(told["keys"]) if self.bounding.by else [()] * told["rows"]
        first = (self._sizes if self.auto else self.turn).sizes
        counts, most = told["sizes"] or ((), None)
        spread = None if told["sizes"] is None or first is None else Spread(tuple(counts), first.noise, most)
        pairs = zip(self.extents, told.get("powers", ()), strict=True)
        powers = tuple(Powers(tuple(counts), each.mechanism.noise) for each, counts in pairs)
        return Released(keys, tuple(told["columns"]), spread, told["max_groups"], powers=powers)

    def release(self) -> Answer:
        """Return the answer, or raise where bounds are to be learned and nothing could be: that is charged for, too."""
        released, receipt = self.draw()
        if isinstance(self.measurement, InBounds):
            known = self._learned(self.measurement.found(released.powers), receipt)
            return known._answer(released, receipt, tuple(each.to_dict() for each in known.asked))
        return self._answer(released, receipt)

    def _learned(self, found: Mapping[Aggregate, Bounds] | None, receipt: Receipt) -> Query:
        """Return this question within bounds that were found."""
        if found is None:
            words = " and ".join(each.label for each in self.extents)
            more = "give low and high, a larger epsilon, or more weight to the bounds"
            hint = doubted([of.column for of, _ in self.learns], self.table.types)
            told = f"nothing could be learned about {words}: {more}; {receipt.paid}"
            raise UnsupportedError(told if hint is None else f"{told}. {hint}")
        asked, bounding = (
            tuple(each.learned(found) for each in aggregates) for aggregates in (self.asked, self.bounding.aggregates)
        )
        return replace(self, asked=asked, bounding=replace(self.bounding, aggregates=bounding), learns=())

    def _answer(self, released: Released, receipt: Receipt, learned: tuple[Any, ...] | None = None) -> Answer:
        """Return the answer; of aggregates whose bounds were learned, with what a receipt says of them then."""
        groups = released.max_groups if self.bounding.by else None
        found = None if learned is None else Found(groups, None, aggregates=learned)
        if released.spread is not None:
            bound = released.max_groups if self.bounding.by else self.asked[0].counted or 1
            shares = [None if spread is None else spread.known(bound) for spread in (released.spread, released.rest)]
            found = Found(groups, shares[0], rest=shares[1], aggregates=learned)
        turn = self.turn if self.auto else replace(self, laws=tuple(receipt.laws.values())).turn
        if self.auto and found is not None:
            turn = self.with_groups(released.max_groups).turn
            found = replace(found, mechanisms=turn.named, laws=turn.laws)
        left, whose = (None, ()) if (book := self.table.ledger) is None else (book.last_left, book._whose)
        columns = self._columns(turn, released)
        types = arrow_types(self.table._ibis, self.bounding.by)
        receipt = replace(receipt, found=found)
        return Answer(self.bounding.by, released.keys, columns, receipt, types, left, released.rounds, whose)

    def _columns(self, turn: InTurn, released: Released) -> tuple[Column, ...]:
        """Return the columns in their own units: those that others had to be released for, then as they were asked."""
        made: dict[Aggregate, list[Column]] = {}
        for part, noisy in zip(turn.parts, released.columns, strict=True):
            of, views = part.aggregate, part.aggregate.views
            needed = tuple(made[need][0] for need in needed_by(of, made))
            noise = part.noise if self.rounds == 1 else self.in_rounds.noise(released.rounds)
            many, made[of] = len(noisy) // len(views), []
            for i, view in enumerate(views):
                drawn = noisy[many * i : many * (i + 1)]
                values = view.finish(drawn, [column.values for column in needed])
                made[of].append(Column(view, values, noise, needed, of in self.asked, drawn))
        others = [of for of in made if of not in self.asked]
        return tuple(column for of in (*others, *self.asked) for column in made[of])

    @property
    def receipt(self) -> Receipt:
        """What is said of it before it is asked."""
        engine, bounding = self.table._ibis.get_backend(), self.bounding
        named = self.turn.named if self.rounds == 1 else self.in_rounds.named
        mechanisms, laws = ({}, {}) if self.auto else (named, self.turn.laws)
        sizes = self._sizes.sizes if self.auto else self.turn.sizes
        learned = {each.label: repr(each.mechanism) for each in self.extents}
        return Receipt(
            table=self.table.name,
            types=self.table.types,
            person=bounding.person,
            by=bounding.by,
            private=bounding.private,
            where=bounding.where,
            filters=self.table.filters,
            derived={each.name: each.text for each in self.table.derived},
            asked=self.asked,
            released=bounding.aggregates,
            shares=self.shares,
            max_groups=None if self.auto or not bounding.by else bounding.max_groups,
            auto=self.auto,
            left_out=self.left_out,
            epsilon=self.spent.epsilon,
            delta=self.spent.delta,
            noise=self.noise,
            rounds=self.rounds,
            laws=laws,
            share_of_left=self._share_of_left,
            mechanisms=({} if sizes is None else {"left_out": repr(sizes)}) | learned | mechanisms,
            learned={each.label: share for each, (_, share) in zip(self.extents, self.learns, strict=True)},
            engine=f"{engine.name} {engine.version}",
        )


def _within(event: Event, delta: Fraction | None) -> Event:
    """Return an event of which no part has a greater delta than was asked for."""
    most = delta or Fraction(0)
    return Event(tuple(replace(part, delta=min(part.delta, most)) for part in event.parts))  # proof: charge


def _share(books: Callable[[Event], Fraction], delta: Fraction | None) -> Callable[[Event], Fraction]:
    """Return which share of what is left on the books an event takes, as it is charged."""
    return lambda event: books(_within(event, delta))


def _released(asked: Sequence[Aggregate], private: bool) -> tuple[Aggregate, ...]:
    """Return what has to be released, the aggregate that decides which private groups are shown first.

    That is the number of people, if it is asked for or needed; else an aggregate that is above 0 where there are
    people; else the number of people after all. What others need comes before them.
    """
    for aggregate in asked:
        if not isinstance(aggregate, Aggregate):
            raise KindError("aggregates", aggregate, "aggregates, such as People() or Sum(column, low, high)")
    if not asked:
        raise ParameterError("aggregates", None, "at least one aggregate, such as People()")
    wanted: list[Aggregate] = []
    for aggregate in asked:
        wanted += (*_needed(aggregate, asked), aggregate)
    people: Aggregate | None = next((each for each in wanted if isinstance(each, People)), None)
    if people is None and private:
        people = next((each for each in asked if each.lists), People())
    found = tuple(dict.fromkeys(wanted if people is None else (people, *wanted)))  # proof: first
    shown = [view for each in (*asked, *(each for each in found if each not in asked)) for view in each.views]
    labels = [view.label for view in shown]
    if len(set(labels)) < len(labels):
        raise ParameterError("name", labels, "a different name for each: two have the same")
    return found


def _needed(aggregate: Aggregate, asked: Sequence[Aggregate]) -> Iterator[Aggregate]:
    """Give what an aggregate needs, and before each of them what that needs; what is asked for serves as well."""
    for need in needed_by(aggregate, asked):
        yield from (*_needed(need, asked), need)


def _shares(usual: Mapping[str, Fraction], weights: Mapping[str, Exact] | None) -> list[Fraction]:
    """Return the parts of epsilon that columns get, by their labels: the usual ones, unless weights are given."""
    if weights is not None and not isinstance(weights, Mapping):
        raise KindError("weights", weights, "a dict from names of columns to numbers")
    given = dict(weights or {})
    for label in given:
        if label not in usual:
            raise none_of("weights", label, usual)
    found = [exact(given.get(label, weight), "weights") for label, weight in usual.items()]
    if min(found, default=1) <= 0:
        raise ParameterError("weights", weights, "weights above 0")
    return [weight / sum(found) for weight in found]  # proof: shares


def _bites(
    table: Data, by: tuple[str, ...], keys: tuple[Any, ...] | None, bound: int, rows: int | None, auto: bool
) -> bool:
    """Whether the bounds can leave out some of a person's groups, or rows where those are counted first."""
    if table.person is None or not (by or rows is not None):
        return False
    return auto or rows is not None or keys is None or len(keys) > bound


def _sizes(first: Aggregate, aggregates: Sequence[Aggregate], by: tuple[str, ...], auto: bool) -> Sizes:
    """Return the bins that people are counted in: by what the first aggregate counts, unless max_groups is chosen."""
    values = aggregates.index(first) if first.brings and not auto else None
    return Sizes(None if auto else first.counted, bool(by), values)


def _left_out(left_out: Exact | None, bites: bool, auto: bool) -> Fraction | None:
    """Return the part of epsilon that pays for knowing what bounds leave out; None where they leave nothing out."""
    if left_out is None:
        return _LEFT_OUT * (2 if auto else 1) if bites else None
    part = exact(left_out, "left_out")
    if not 0 <= part < 1:
        raise ParameterError("left_out", left_out, "0 <= left_out < 1, a part of epsilon")
    if part and not bites:
        raise ParameterError("left_out", left_out, "none: these bounds leave nobody's groups or rows out")
    if auto and not part:
        raise ParameterError("left_out", left_out, 'left_out > 0, where max_groups="auto"')
    return part if bites else None


def check_value(table: Data, aggregate: Aggregate) -> None:
    """Raise unless a column of numbers is one; undeclared texts of a file are the numbers in them."""
    if aggregate.column is None:
        return
    check_columns("column", (aggregate.column,), table._ibis)
    if aggregate.brings:
        return
    kind = table._ibis[aggregate.column].type()
    meant = None if table.types is None else table.types.get(aggregate.column, "number")
    if kind.is_string() and meant != "number":
        raise KindError("column", aggregate.column, f"a column of numbers, not {kind}")


def check_columns(name: str, wanted: Iterable[Any], table: Any) -> None:
    """Raise unless a table has these columns; say which one may have been meant."""
    for column in wanted:
        if not isinstance(column, str):
            raise KindError(name, column, "a column's name")
        if column in table.columns:
            continue
        several = [part.strip() for part in column.split(",")]
        if len(several) > 1 and set(several) <= set(table.columns):
            need = f"each column by itself: {', '.join(map(repr, several))}; on the command line, repeat the option"
            raise ParameterError(name, column, need)
        only = table.columns[0] if len(table.columns) == 1 else ""
        if sign := next((sign for sign in _SIGNS if sign in only), None):
            need = f"a column; the only one has {sign!r} in its name: .csv needs ',' or ';' between columns, .tsv '\\t'"
            raise ParameterError(name, column, need)
        raise none_of(name, column, table.columns)
