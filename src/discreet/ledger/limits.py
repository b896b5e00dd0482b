"""Limits: an organisation's rules inside the whole budget: what a period may spend, and what an analyst.

The budget is the promise to people, over all that the books will ever allow. A period's budget is a promise too, and a
smaller one: whatever was learned before, all that is charged in one period is within it. An analyst's limit is a rule
of the house: it counts plain epsilon and delta of what is charged under a name, and promises nothing by itself.
"""

from __future__ import annotations

import calendar
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from discreet.accounting import Accountant, Amount, Event, Plain
from discreet.accounting.accountants import State
from discreet.errors import BudgetError, KindError, ParameterError, none_of
from discreet.exact import Exact, in_full, read_in_full, whole
from discreet.frozen import freeze
from discreet.measures import amount

if TYPE_CHECKING:
    from discreet.ledger.entries import Entry

__all__ = ["NO_LIMITS", "Analyst", "Limits", "Period", "Spell", "unstated"]

_DAYS: Final = {"day": 1, "week": 7}
_MONTHS: Final = {"month": 1, "quarter": 3, "year": 12}
_NOTHING: Final = Amount(Fraction(0), Fraction(0))


@final
@dataclass(frozen=True, slots=True, init=False)
class Period:
    """A budget for each day, week, month, quarter or year from a stated day on, in UTC, inside the whole.

    Whatever was learned before, all that is charged in one period is (epsilon, delta)-DP for the period's amounts.
    What one period leaves is lost to the next, and the whole budget never grows.

    >>> month = Period("month", epsilon=1, delta="1e-6", start="2026-01-31")
    >>> month.begin(1), month.index_of(date(2026, 3, 30))
    (datetime.date(2026, 2, 28), 1)
    """

    every: str
    epsilon: Fraction
    delta: Fraction
    start: date

    def __init__(self, every: str, *, epsilon: Exact, delta: Exact = 0, start: str | date) -> None:
        if not (isinstance(every, str) and every in _DAYS | _MONTHS):
            raise none_of("every", every, _DAYS | _MONTHS)
        spend = amount(epsilon)
        if not spend > 0:
            raise ParameterError("epsilon", epsilon, "epsilon > 0")
        freeze(self, every=every, epsilon=spend, delta=amount(delta, "delta"), start=_day(start))

    @property
    def budget(self) -> Amount:
        """What may be spent in one period.

        >>> Period("day", epsilon="1/2", start="2026-11-01").budget
        Amount(epsilon=Fraction(1, 2), delta=Fraction(0, 1))
        """
        return Amount(self.epsilon, self.delta)

    def begin(self, index: int) -> date:
        """Return the first day of a period; a month that is too short begins on its last day.

        >>> Period("quarter", epsilon=1, start="2026-11-15").begin(2)
        datetime.date(2027, 5, 15)
        """
        n = whole(index, "index", least=0)
        try:
            if self.every in _DAYS:
                return self.start + timedelta(days=n * _DAYS[self.every])
            years, month = divmod(self.start.month - 1 + n * _MONTHS[self.every], 12)
            first = self.start.replace(self.start.year + years, month + 1, 1)
        except (OverflowError, ValueError):
            raise ParameterError("index", index, f"a {self.every} that begins before the year 10000") from None
        return first.replace(day=min(self.start.day, calendar.monthrange(first.year, first.month)[1]))

    def index_of(self, day: date) -> int:
        """Return the number of the period that a day is in, from 0; days before the start are in the first.

        >>> Period("week", epsilon=1, start="2026-11-01").index_of(date(2026, 11, 8))
        1
        """
        if not isinstance(day, date):
            raise KindError("day", type(day), "a date")
        if self.every in _DAYS:
            return max(0, (day - self.start).days // _DAYS[self.every])
        months = 12 * (day.year - self.start.year) + day.month - self.start.month
        index = max(0, months // _MONTHS[self.every])
        return index - (index > 0 and self.begin(index) > day)


class Analyst(NamedTuple):
    """What one analyst may spend in all, and has spent since the limit was first set, by plain epsilon and delta.

    >>> Analyst(1, Amount(Fraction(1), Fraction(0)), Amount(Fraction(1, 4), Fraction(0))).left.epsilon
    Fraction(3, 4)
    """

    since: int
    limit: Amount
    spent: Amount

    @property
    def left(self) -> Amount:
        """What the analyst may still spend, if the whole has it.

        >>> Analyst(1, Amount(Fraction(1), Fraction(0)), Amount(Fraction(0), Fraction(0))).left.epsilon
        Fraction(1, 1)
        """
        return self.limit.minus(self.spent)


@final
@dataclass(frozen=True, slots=True)
class Spell:
    """The period that books are in: its budget and who counts it, which one it is, its first entry, and its sums."""

    period: Period
    accountant: Accountant = field(compare=False)
    index: int
    first: int
    state: State

    @classmethod
    def start(cls, period: Period, accountant: Accountant) -> Spell:
        """Return the first period of new books."""
        return cls(period, accountant, 0, 1, accountant.start)

    def at(self, when: datetime, number: int) -> Spell:
        """Return the period in which an entry of some time is: the one that has begun, or a later one.

        A clock that goes back leads to no earlier period, so none is ever filled again.
        """
        index = self.period.index_of(when.date())
        if index <= self.index:  # proof: forward
            return self
        return replace(self, index=index, first=number, state=self.accountant.start)

    def after(self, charge: Entry, *, back: bool) -> Spell:
        """Return the period after a charge, or after one was taken back: of an earlier period, nothing comes back."""
        if charge.event is None or charge.number < self.first:  # proof: own
            return self
        rule = self.accountant.without if back else self.accountant.after
        return replace(self, state=rule(self.state, charge.event))

    @property
    def is_exceeded(self) -> bool:
        """Whether more was charged than fits, as no ledger does."""
        return self.accountant.exceeds(self.state, self.period.budget)

    def require(self, event: Event, where: str) -> None:
        """Raise BudgetError unless an event fits into the period."""
        rule, budget = self.accountant, self.period.budget
        if rule.exceeds(rule.after(self.state, event), budget):  # proof: period
            raise BudgetError(
                f"{rule.text_of(event)}: more than is left of the {self.period.every} from "
                f"{self.period.begin(self.index)} in {where}: {rule.text_left(self.state, budget)}; "
                f"{rule.excess(self.state, event, budget)}; the next begins on {self.period.begin(self.index + 1)}; "
                f"nothing was charged{unstated(event, rule)}"
            )

    def to_dict(self) -> dict[str, Any]:
        """Return the period as plain values for JSON: amounts are exact, as texts."""
        read = self.accountant.readings(self.state, self.period.budget)
        return {
            "every": self.period.every,
            "begins": self.period.begin(self.index).isoformat(),
            "ends": self.period.begin(self.index + 1).isoformat(),
            "accountant": self.accountant.name,
            "budget": _texts(self.period.budget),
            "readings": {name: {"spent": in_full(spent), "of": in_full(of)} for name, (spent, of) in read.items()},
        }


@final
@dataclass(frozen=True, slots=True)
class Limits:
    """The rules inside a budget, and how much of each is used up. Most books have none."""

    spell: Spell | None = None
    analysts: Mapping[str, Analyst] = field(default_factory=dict)

    def at(self, when: datetime, number: int) -> Limits:
        """Return the limits at the time of an entry."""
        return self if self.spell is None else replace(self, spell=self.spell.at(when, number))

    def after(self, entry: Entry, taken: Entry | None = None) -> Limits:
        """Return the limits after an entry; *taken* is the charge that it takes back."""
        then = self.at(entry.when, entry.number)
        if entry.kind == "limit":
            return replace(then, analysts={**self.analysts, entry.receipt["analyst"]: self._limited(entry)})
        charge = entry if entry.kind == "charge" else taken
        if charge is None:
            return then
        spell = then.spell and then.spell.after(charge, back=taken is not None)
        analyst, analysts = self.analysts.get(charge.who or ""), self.analysts
        if analyst is not None and charge.number > analyst.since:
            analysts = {**analysts, charge.who or "": analyst._replace(spent=analyst.spent.plus(entry.amount))}
        return Limits(spell, analysts)

    def _limited(self, entry: Entry) -> Analyst:
        """Return an analyst after an entry that sets the limit."""
        known = self.analysts.get(entry.receipt["analyst"], Analyst(entry.number, _NOTHING, _NOTHING))
        limit = Amount(*(read_in_full(entry.receipt[name]) for name in Amount._fields))
        if not known.spent.within(limit):
            raise ValueError(f"entry {entry.number}")
        return known._replace(limit=limit)

    @property
    def is_exceeded(self) -> bool:
        """Whether more was charged than the rules allow, as no ledger does."""
        over = self.spell is not None and self.spell.is_exceeded
        return over or not all(analyst.spent.within(analyst.limit) for analyst in self.analysts.values())

    def check_who(self, who: str | None) -> None:
        """Raise ParameterError unless who asks is one of the analysts, where there are any."""
        if self.analysts and who not in self.analysts:
            raise none_of("who", who, self.analysts)

    def require(self, event: Event, who: str | None, where: str) -> None:
        """Raise BudgetError unless an event fits into the period, and into the limit of who asks."""
        if self.spell is not None:
            self.spell.require(event, where)
        cost, analyst = Amount(event.epsilon, event.delta), self.analysts.get(who or "")
        if analyst is not None and not cost.within(analyst.left):  # proof: analyst
            raise BudgetError(
                f"{cost.text(up=True)}: more than is left to {who!r} in {where}: {analyst.left.text(up=False)}, of "
                f"{analyst.limit.text(up=False)}; nothing was charged{unstated(event, Plain())}"
            )

    def _rules_for(self, who: str | None) -> Iterator[tuple[Accountant, State, Amount]]:
        """Give what applies besides the whole, each with who counts it: the period, and the limit of who asks."""
        spell, analyst = self.spell, self.analysts.get(who or "")
        if spell is not None:
            yield spell.accountant, spell.state, spell.period.budget
        if analyst is not None:
            yield Plain(), analyst.spent, analyst.limit

    def left(self, all_left: Amount, who: str | None) -> Amount:
        """Return what is left of all that applies: the whole, the period, and the limit of who asks."""
        return Amount(*map(min, zip(*self._lefts(all_left, who).values(), strict=True)))

    def whose(self, all_left: Amount, who: str | None) -> tuple[str, ...]:
        """Return whose the epsilon and the delta are that `left` gives, in words; none where only the whole applies."""
        lefts = self._lefts(all_left, who)
        least = [min(lefts, key=lambda name: lefts[name][part]) for part in range(2)]
        return tuple(least) if len(lefts) > 1 else ()

    def _lefts(self, all_left: Amount, who: str | None) -> dict[str, Amount]:
        """Return what is left of each that applies, by words that say whose it is."""
        names = [f"this {self.spell.period.every}"] if self.spell is not None else []
        parts = [rule.left(state, budget) for rule, state, budget in self._rules_for(who)]
        return {"in all": all_left, **dict(zip([*names, f"to {who!r}"], parts, strict=False))}

    def share(self, event: Event, of_all: Fraction, who: str | None) -> Fraction:
        """Return which part of what is left an event takes, of whichever has least: the whole, the period, who asks."""
        return max([of_all, *(rule.share(state, event, budget) for rule, state, budget in self._rules_for(who))])

    def is_over(self, charge: int) -> bool:
        """Whether the period in which a charge was made is over."""
        return self.spell is not None and charge < self.spell.first

    @property
    def rules(self) -> dict[str, Any]:
        """What the genesis says of periods; nothing where there are none."""
        if self.spell is None:
            return {}
        period = self.spell.period
        told = {"every": period.every, "start": period.start.isoformat(), **_texts(period.budget)}
        return {"period": {**told, "accountant": self.spell.accountant.text}}

    @classmethod
    def read(cls, rules: Mapping[str, Any]) -> Limits:
        """Return the limits of books without an entry, from what their genesis says."""
        if "period" not in rules:
            return cls()
        told = rules["period"]
        budget = {name: read_in_full(told[name]) for name in Amount._fields}
        period = Period(told["every"], start=told["start"], **budget)
        return cls(Spell.start(period, Accountant.read(told["accountant"])))

    def to_dict(self) -> dict[str, Any]:
        """Return the rules and what is used up, as plain values for JSON: amounts are exact, as texts."""
        analysts = {
            name: {"limit": _texts(analyst.limit), "spent": _texts(analyst.spent), "left": _texts(analyst.left)}
            for name, analyst in self.analysts.items()
        }
        return {"period": None if self.spell is None else self.spell.to_dict(), "analysts": analysts}

    @property
    def state(self) -> dict[str, Any]:
        """What a checkpoint keeps."""
        spell = None if self.spell is None else [self.spell.index, self.spell.first, *map(in_full, self.spell.state)]
        known = self.analysts.items()
        return {"spell": spell, "analysts": {n: [x.since, *map(in_full, (*x.limit, *x.spent))] for n, x in known}}

    def with_state(self, state: Mapping[str, Any]) -> Limits:
        """Return the limits that a checkpoint has, under the rules of these."""
        spell = self.spell
        if spell is not None:
            index, first, *sums = state["spell"]
            spell = replace(spell, index=index, first=first, state=tuple(map(read_in_full, sums)))
        analysts = {}
        for name, (since, *parts) in state["analysts"].items():
            a, b, c, d = map(read_in_full, parts)
            analysts[name] = Analyst(since, Amount(a, b), Amount(c, d))
        return Limits(spell, analysts)


NO_LIMITS: Final = Limits()


def unstated(event: Event, accountant: Accountant) -> str:
    """Return what to do about an event whose loss is zCDP alone, where no rho is counted; nothing for another."""
    if "rho" in accountant.sums or not any(part.concentrated and part.delta == 1 for part in event.parts):
        return ""
    return "; its loss is zCDP alone: state it at an epsilon, as Gaussian(variance, epsilon=...) does"


def _texts(cost: Amount) -> dict[str, str]:
    return {name: in_full(x) for name, x in cost._asdict().items()}


def _day(start: str | date) -> date:
    """Return the day that is given as a date, or as a text such as 2026-11-01."""
    if isinstance(start, date) and not isinstance(start, datetime):
        return start
    if not isinstance(start, str):
        raise KindError("start", type(start), "a day, such as 2026-11-01")
    try:
        return date.fromisoformat(start)
    except ValueError:
        raise ParameterError("start", start, "a day, such as 2026-11-01") from None
