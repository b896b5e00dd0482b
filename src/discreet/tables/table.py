"""Tables: what a user asks, from the first parameter to the released answer.

Each release is a chain, ``plan >> mechanism``, and its loss is that chain's map. What the parameters and the columns
decide is checked first; then the books are charged, whatever becomes of the query; noise is drawn last.
"""

from __future__ import annotations

import hashlib
import json
import platform
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import product
from typing import Any, Final, Literal, cast, final

from discreet import __version__
from discreet.core import Measurement
from discreet.domains import Maps, Vectors
from discreet.errors import DiscreetError, KindError, ParameterError, UnsupportedError, none_of
from discreet.exact import Exact, exact, whole
from discreet.frozen import freeze
from discreet.ledger import Amount, Ledger
from discreet.measures import Approximate, MaxDivergence, amount
from discreet.mechanisms import IntegerLaplace, LaplaceThreshold
from discreet.reals import float_up
from discreet.tables.answers import Answer
from discreet.tables.asking import alone, asked, charged
from discreet.tables.explain import Explanation, explained
from discreet.tables.keys import checked, typed
from discreet.tables.noise import ColumnNoise
from discreet.tables.plan import Found, Plan, key_domains, names
from discreet.tables.select import Select
from discreet.tables.sources import opened
from discreet.tables.spread import QUARTERS, SIZES, Spread, by_size
from discreet.tables.suggest import Suggestion, suggested
from discreet.tables.texts import hinted
from discreet.tables.where import predicate, row_by_row

__all__ = ["Groups", "Table"]

_HALF: Final = Fraction(1, 2)
_QUESTIONS: Final = {"count_people": "people", "count_rows": "rows", "sum": "sum", "mean": "mean"}
_STEPS: Final = 1 << 16
_LEFT_OUT: Final = Fraction(1, 20)
"""The part of epsilon that pays for knowing what bounding leaves out; twice as much for choosing max_groups too."""
_GROUP_SIZE: Final = 1000
"""The group size for which "auto" chooses."""
_MOST_STEPS: Final = 1 << 30
_MEASURE: Final = Approximate(MaxDivergence())


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Table:
    """A table of which private answers are wanted.

    *source* is a path (CSV, Parquet, JSON; ``*`` for many files), a database's URL with the name of a *table*, a
    frame of pandas, Polars or Arrow, or an Ibis table. *person* names the column, or columns, that identify a
    person: what they are protected against is that all of their rows are added or removed. Without it, each row is a
    person. A *ledger* is charged for each answer before it is made. Columns of CSV and JSON files are text, whatever
    their rows hold; *types* declares others: ``{"year": "integer", "price": "decimal(9,2)"}``.

    >>> import pandas as pd
    >>> t = Table(pd.DataFrame({"user": [1, 1, 2], "city": ["Rome", "Bath", "Rome"]}), person="user")
    >>> answer = t.group_by("city", keys=["Rome", "Bath"]).count_people(epsilon=1, max_groups=2)
    >>> answer.keys, answer.receipt["spent"]["epsilon"]
    ([('Rome',), ('Bath',)], 1.0)
    """

    name: str
    person: tuple[str, ...] | None
    ledger: Ledger | None
    types: Mapping[str, str] | None
    condition: str | None
    filters: tuple[str, ...]
    _ibis: Any

    def __init__(
        self,
        source: Any,
        *,
        person: str | Sequence[str] | None = None,
        ledger: Ledger | None = None,
        table: str | None = None,
        types: Mapping[str, str] | None = None,
    ) -> None:
        if ledger is not None and not isinstance(ledger, Ledger):
            raise KindError("ledger", ledger, "a Ledger")
        rows, name, declared = opened(source, table, types)
        who = None if person is None else names(person, "person")
        _check_names(rows)
        check_columns("person", who or (), rows)
        freeze(self, name=name, person=who, ledger=ledger, types=declared, condition=None, filters=(), _ibis=rows)

    def where(self, condition: Any, /) -> Table:
        """Return the table of the rows for which a condition holds: ``year = 2026 AND city IN ('Rome', 'Bath')``.

        It looks at one row at a time: SQL text, or an Ibis expression such as ``ibis._.year == 2026``. For anything
        else, filter an Ibis table and give that as the source; what it then holds are the data.
        """
        if isinstance(condition, str):
            with hinted(self.types):
                predicate(self._ibis, condition)
            both = " AND ".join(_bracketed(each) for each in (self.condition, condition) if each is not None)
            return self._with(condition=condition if self.condition is None else both)
        with hinted(self.types):
            rows = row_by_row(self._ibis, condition)
        # Its text would show data.
        return self._with(_ibis=self._ibis.filter(rows), filters=(*self.filters, rows.get_name()))

    def group_by(self, *columns: str, keys: Iterable[Any] | None = None) -> Groups:
        """Return the table in groups. With *keys* known beforehand, each appears, and no threshold is needed."""
        if not columns:
            raise ParameterError("columns", columns, "at least one column; without groups, ask the table itself")
        return Groups(self, columns, keys)

    def count_people(self, *, epsilon: Exact) -> Answer:
        """Return how many people there are."""
        return self._whole().count_people(epsilon=epsilon)

    def count_rows(self, *, epsilon: Exact, max_rows: int = 1, left_out: Exact | None = None) -> Answer:
        """Return how many rows there are, at most *max_rows* of a person counted; for *left_out* see `Groups`."""
        return self._whole().count_rows(epsilon=epsilon, max_rows=max_rows, left_out=left_out)

    def sum(self, column: str, *, low: Exact, high: Exact, epsilon: Exact, grid: Exact | None = None) -> Answer:
        """Return the sum of a column; each value, and then each person's sum, is clipped to [low, high]."""
        return self._whole().sum(column, low=low, high=high, epsilon=epsilon, grid=grid)

    def mean(
        self,
        column: str,
        *,
        low: Exact,
        high: Exact,
        epsilon: Exact,
        grid: Exact | None = None,
        share: Exact | None = None,
    ) -> Answer:
        """Return the mean over people of their own mean of a column, clipped to [low, high].

        A *share* of epsilon, one half unless given, pays for counting people, which is what the sum is divided by.
        """
        return self._whole().mean(column, low=low, high=high, epsilon=epsilon, grid=grid, share=share)

    def explain(
        self,
        what: str = "count_people",
        column: str | None = None,
        *,
        epsilon: Exact,
        max_rows: int = 1,
        low: Exact | None = None,
        high: Exact | None = None,
        grid: Exact | None = None,
        share: Exact | None = None,
        left_out: Exact | None = None,
    ) -> Explanation:
        """Say everything about an answer without groups that can be said before it is made; see `Groups.explain`."""
        bounds: dict[str, Any] = {"low": low, "high": high, "grid": grid, "share": share}
        return self._whole().explain(what, column, epsilon=epsilon, max_rows=max_rows, left_out=left_out, **bounds)

    def typed_keys(self, *columns: str, texts: Iterable[str], null: str | None = None) -> list[Any]:
        """Return keys for `group_by` from texts, of the columns' own types; of several columns, each text is CSV.

        *null* is the text that stands for a missing key: no other does.

        >>> import pandas as pd
        >>> t = Table(pd.DataFrame({"user": [1], "city": ["Rome"], "year": [2026]}), person="user")
        >>> t.typed_keys("year", texts=["2025", "2026"]), t.typed_keys("city", "year", texts=["Rome,2026"])
        ([2025, 2026], [('Rome', 2026)])
        >>> t.typed_keys("year", texts=["2026", "NULL"], null="NULL")
        [2026, None]
        """
        check_columns("columns", columns, self._ibis)
        return typed(texts, [self._ibis[column] for column in columns], null)

    def suggest_max_groups(
        self,
        *by: str,
        epsilon: Exact = "0.1",
        planned: Exact = 1,
        delta: Exact | None = "1e-6",
        group_size: int = _GROUP_SIZE,
    ) -> Suggestion:
        """Spend a little to learn in how many groups people are, and say which max_groups leaves the least error.

        *planned* and *delta* are those of the answer to come, without a delta where its keys are known; *group_size* is
        the group size to optimise for.
        """
        if self.person is None:
            raise ParameterError("person", None, "a person column: where each row is a person, max_groups is 1")
        size = whole(group_size, "group_size", least=1)
        future, private = (
            amount(planned, "planned"),
            None if delta is None else amount(delta, "delta"),
        )
        if not by or future == 0:
            raise ParameterError("by" if future else "planned", by if future else planned, "columns, and planned > 0")
        if private is not None and not 0 < private <= 1:
            raise ParameterError("delta", delta, "0 < delta <= 1, or none where the keys are known")
        check_columns("by", by, self._ibis)
        if len({*by, *self.person}) < len(by) + len(self.person):
            raise ParameterError("by", by, "distinct columns, other than the person's")
        plan = Plan("people", person=self.person, by=by, where=self.condition)
        sizes = _sizes(self, plan, amount(epsilon), rows=False)
        answer = sizes.release()
        spread = Spread(tuple(answer.columns["people"]), answer.noise["people"].law)
        return suggested(spread, epsilon=future, delta=private, group_size=size, receipt=answer.receipt)

    def _whole(self) -> Groups:
        return Groups(self, ())

    def _with(self, **fields: Any) -> Table:
        """Return this table but for some fields."""
        other = copy(self)
        freeze(other, **fields)
        return other

    def __repr__(self) -> str:
        who = "each row is a person" if self.person is None else f"person={', '.join(self.person)}"
        return f"<table {self.name}: {who}>"


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Groups:
    """A table in groups: what may be asked of it. Each question has an epsilon, and a delta if groups are private.

    Each also says what its bounds leave out: a part of epsilon, *left_out*, pays for a histogram of the numbers of
    people's groups. It is 1/20 unless given; 0 asks for none. With ``max_groups="auto"`` the histogram comes first and
    chooses max_groups, for groups of about 1,000 people; *left_out* is then 1/10 unless given.
    """

    table: Table
    by: tuple[str, ...]
    keys: tuple[Any, ...] | None

    def __init__(self, table: Table, by: Sequence[str], keys: Iterable[Any] | None = None) -> None:
        if not isinstance(table, Table):
            raise KindError("table", table, "a Table")
        if not isinstance(by, tuple | list):
            raise KindError("by", by, "a tuple of names of columns")
        check_columns("columns", by, table._ibis)
        with hinted(table.types):
            known = None if keys is None else checked(keys, [table._ibis[name] for name in by])
        freeze(self, table=table, by=tuple(by), keys=known)

    def count_people(
        self,
        *,
        epsilon: Exact,
        delta: Exact | None = None,
        max_groups: int | Literal["auto"] | None = None,
        left_out: Exact | None = None,
    ) -> Answer:
        """Return how many people are in each group; a person counts in at most *max_groups* of them."""
        return self._query("people", epsilon, delta, max_groups, left_out=left_out).release()

    def count_rows(
        self,
        *,
        epsilon: Exact,
        delta: Exact | None = None,
        max_groups: int | Literal["auto"] | None = None,
        max_rows: int = 1,
        left_out: Exact | None = None,
    ) -> Answer:
        """Return how many rows are in each group; a person adds at most *max_rows* to each of *max_groups*."""
        return self._query("rows", epsilon, delta, max_groups, max_rows=max_rows, left_out=left_out).release()

    def sum(
        self,
        column: str,
        *,
        low: Exact,
        high: Exact,
        epsilon: Exact,
        delta: Exact | None = None,
        max_groups: int | Literal["auto"] | None = None,
        grid: Exact | None = None,
        share: Exact | None = None,
        left_out: Exact | None = None,
    ) -> Answer:
        """Return the sum of a column in each group; values, then each person's sum in a group, are clipped.

        Where the groups are private, a *share* of epsilon, one half unless given, pays for counting people, which
        decides the groups to show.
        """
        bounds = {"value": column, "low": low, "high": high, "grid": grid}
        return self._query("sum", epsilon, delta, max_groups, share=share, left_out=left_out, **bounds).release()

    def mean(
        self,
        column: str,
        *,
        low: Exact,
        high: Exact,
        epsilon: Exact,
        delta: Exact | None = None,
        max_groups: int | Literal["auto"] | None = None,
        grid: Exact | None = None,
        share: Exact | None = None,
        left_out: Exact | None = None,
    ) -> Answer:
        """Return the mean in each group, over people, of their own mean of a column, clipped to [low, high].

        A *share* of epsilon, one half unless given, pays for counting people, which is what the sum is divided by.
        """
        bounds = {"value": column, "low": low, "high": high, "grid": grid}
        return self._query("mean", epsilon, delta, max_groups, share=share, left_out=left_out, **bounds).release()

    def explain(
        self,
        what: str = "count_people",
        column: str | None = None,
        *,
        epsilon: Exact,
        delta: Exact | None = None,
        max_groups: int | Literal["auto"] | None = None,
        max_rows: int = 1,
        low: Exact | None = None,
        high: Exact | None = None,
        grid: Exact | None = None,
        share: Exact | None = None,
        left_out: Exact | None = None,
    ) -> Explanation:
        """Say everything about an answer that can be said before it is made: the guarantee, noise, who will appear.

        It takes what the question itself takes, and touches no data.
        """
        if not isinstance(what, str) or what not in _QUESTIONS:
            raise ParameterError("what", what, f"one of {', '.join(_QUESTIONS)}")
        aggregate = _QUESTIONS[what]
        if whole(max_rows, "max_rows", least=1) != 1 and aggregate != "rows":
            raise ParameterError("max_rows", max_rows, "1, except for count_rows")
        chosen = max_groups if max_groups is not None or not self._needs_groups else 1
        bounds = {"value": column, "low": low, "high": high, "max_rows": max_rows}
        query = self._query(aggregate, epsilon, delta, chosen, grid=grid, share=share, left_out=left_out, **bounds)
        query.check()
        others = sorted({1, 2, 3, 5, 10, 20, query.plan.max_groups}) if self._needs_groups else [1]
        return explained([query.with_groups(m) for m in others], query)

    @property
    def _needs_groups(self) -> bool:
        return bool(self.by) and self.table.person is not None

    def _query(
        self,
        aggregate: str,
        epsilon: Exact,
        delta: Exact | None,
        max_groups: int | Literal["auto"] | None,
        *,
        share: Exact | None = None,
        grid: Exact | None = None,
        left_out: Exact | None = None,
        **rest: Any,
    ) -> Query:
        auto = isinstance(max_groups, str) and max_groups == "auto"
        bound = 1 if auto or max_groups is None else cast("int", max_groups)
        if self._needs_groups and max_groups is None:
            need = (
                'how many groups a person may count in; explain() shows choices, "auto" and suggest_max_groups() choose'
            )
            raise ParameterError("max_groups", max_groups, need)
        if auto and not self._needs_groups:
            raise ParameterError("max_groups", max_groups, "none: a person is in one group")
        budget = amount(epsilon)
        if budget == 0:
            raise ParameterError("epsilon", epsilon, "epsilon > 0")
        if budget > 1 << 1000:
            raise ParameterError(
                "epsilon", epsilon, "an epsilon that is a number among floats; this one promises nothing"
            )
        private = bool(self.by) and self.keys is None
        if private and delta is None:
            raise ParameterError(
                "delta", delta, "delta > 0, because which groups there are is private; or give their keys"
            )
        if not private and delta is not None:
            raise ParameterError("delta", delta, "none: with known groups the answer is purely epsilon-private")
        if share is not None and not (aggregate == "mean" or (aggregate == "sum" and private)):
            raise ParameterError("share", share, "none: there is one value to release, and all of epsilon pays for it")
        part = _HALF if share is None else exact(share, "share")
        if not 0 < part < 1:
            raise ParameterError("share", share, "0 < share < 1")
        if aggregate in ("sum", "mean"):
            check_columns("column", (rest.get("value"),), self.table._ibis)
            kind = self.table._ibis[rest["value"]].type()
            meant = None if self.table.types is None else self.table.types.get(rest["value"], "number")
            if (
                kind.is_string() and meant != "number"
            ):  # Undeclared values of a text file are the numbers among its texts.
                raise KindError("column", rest["value"], f"a column of numbers, not {kind}")
            grid = _grid(rest.get("low"), rest.get("high"), aggregate) if grid is None else grid
        plan = Plan(
            aggregate,
            person=self.table.person,
            by=self.by,
            max_groups=bound,
            where=self.table.condition,
            keys=self.keys,
            key_types=key_domains(self.table._ibis, self.by),
            grid=grid,
            **rest,
        )
        told = _told(plan, left_out, auto)
        most = None if delta is None else amount(delta, "delta")
        query = Query(self.table, plan, budget, most, part, told, auto)
        if not query.fits:
            raise ParameterError("epsilon", epsilon, "more: there are no numbers for noise of this size")
        return query


@final
@dataclass(frozen=True)
class Query:
    """One question: a plan, a budget, and the mechanisms that follow from them."""

    table: Table
    plan: Plan
    epsilon: Fraction
    delta: Fraction | None
    share: Fraction
    left_out: Fraction = Fraction(0)
    """The part of epsilon that pays for knowing what bounding leaves out."""
    auto: bool = False
    """Whether that decides max_groups."""

    @property
    def _chains(self) -> list[tuple[str, Measurement[Any, Any]]]:
        """All chains of the release, in the order in which they are asked."""
        sizes = [] if self.sizes is None else [("left_out", self.sizes.parts[0][1])]
        return [*sizes, *self.parts]

    @property
    def fits(self) -> bool:
        """Whether there are numbers for the noise of the values."""
        return all(self._noise(name, chain.then).fits for name, chain in self.parts)  # type: ignore[attr-defined]

    @property
    def value_epsilon(self) -> Fraction:
        """What is left of epsilon for the values."""
        return self.epsilon * (1 - self.left_out)

    @cached_property
    def sizes(self) -> Query | None:
        """The question of how many groups, or rows, people have: it is asked first."""
        if not self.left_out:
            return None
        rows = self.plan.aggregate == "rows" and not self.auto
        return _sizes(self.table._with(ledger=None), self.plan, self.epsilon * self.left_out, rows=rows)

    def with_groups(self, max_groups: int) -> Query:
        """Return this question with another max_groups, which is given and not chosen."""
        return replace(self, plan=replace(self.plan, max_groups=max_groups), auto=False)

    @cached_property
    def parts(self) -> list[tuple[str, Measurement[Any, Any]]]:
        """The chains of the release, by the aggregate that each releases; the first decides which groups are shown."""
        plan = self.plan
        if plan.aggregate in ("people", "rows") or (plan.aggregate == "sum" and self.delta is None):
            return [(plan.aggregate, self._noisy(plan, self.value_epsilon))]
        people = ("people", self._noisy(plan.counting(), self.value_epsilon * self.share))
        return [people, (plan.aggregate, self._noisy_value(self.value_epsilon * (1 - self.share)))]

    def _noisy(self, plan: Plan, epsilon: Fraction) -> Measurement[Any, Any]:
        """Return a plan with the least noise within a budget."""
        d_in = plan.stability_map(1)
        if self.delta is None:
            known = cast("Vectors", plan.output_domain)
            return plan >> IntegerLaplace.within(epsilon=epsilon, d_in=d_in, domain=known)  # type: ignore[no-any-return]
        l0, l1, li = d_in
        domain = cast("Maps", plan.output_domain)
        noise = LaplaceThreshold.within(epsilon=epsilon, delta=self.delta, l0=l0, l1=l1, li=li, domain=domain)
        return plan >> noise  # type: ignore[no-any-return]

    def _noisy_value(self, epsilon: Fraction, keys: Sequence[Any] = ()) -> Measurement[Any, Any]:
        """Return the values, of groups that are known by now, with the least noise within a budget.

        The loss does not depend on which groups these are, so it is known before they are.
        """
        plan = self.plan
        if self.delta is None:
            return self._noisy(plan, epsilon)
        select = Select(keys, cast("Maps", plan.output_domain))
        d_in = select.stability_map(plan.stability_map(1))
        noise = IntegerLaplace.within(epsilon=epsilon, d_in=d_in, domain=select.output_domain)
        return plan >> select >> noise  # type: ignore[no-any-return]

    @cached_property
    def loss(self) -> tuple[Fraction, Fraction]:
        """What the books are charged: the chains' losses added, delta rounded up to a float."""
        loss = _MEASURE.add(chain.loss(1) for _, chain in self._chains)
        most = Fraction(0) if self.delta is None else self.delta
        spent = most if self.auto else min(Fraction(_MEASURE.up(loss)[1]), most)
        return Fraction(loss.epsilon), spent  # type: ignore[arg-type]  # Both are divided: a rational.

    def check(self) -> None:
        """Raise where the engine cannot be asked this, which the columns and their types decide."""
        if self.sizes is not None:
            self.sizes.check()
        engine, failure = self.table._ibis.get_backend(), ""
        with alone(self.table._ibis):
            try:
                engine.compile(self.plan.expression(self.table._ibis, bytes(16)))
            except DiscreetError:
                raise
            except Exception as error:  # Each engine has its own.
                failure = type(error).__name__
        if failure:
            raise UnsupportedError(f"{engine.name} cannot be asked this ({failure}); nothing was charged")

    def release(self) -> Answer:
        """Charge the books, run the query, draw the noise, and return the answer."""
        self.check()
        receipt, ledger = self.receipt(), self.table.ledger
        with charged(ledger, Amount(*self.loss), self.table.name, receipt) as entry:
            if entry is not None:
                receipt = receipt | {"ledger": {"entry": entry.number, "when": entry.when.isoformat()}}
            answer = self._made(receipt)
        return answer if ledger is None else replace(answer, left=ledger.last_left)

    def _made(self, receipt: dict[str, Any]) -> Answer:
        """Ask the engine and draw the noise: first of what bounding leaves out, then of the values."""
        if self.sizes is None:
            return self._answer(asked(self.table._ibis, self.plan.run), receipt)
        counted = self.sizes._made({})
        most = None if self.plan.keys is None or not self.plan.by else len(self.plan.keys)
        spread = Spread(tuple(counted.columns["people"]), counted.noise["people"].law, most)
        query = self.with_groups(self._chosen(spread)) if self.auto else self
        plan = query.plan
        bound = plan.max_groups if plan.by else plan.max_rows
        left_out = spread.left_out(bound) if spread.learned and spread.reaches(bound) else None
        found = {"max_groups": plan.max_groups if plan.by else None} | ({} if left_out is None else asdict(left_out))
        told = receipt | {"left_out": receipt["left_out"] | found}
        return replace(query._answer(asked(self.table._ibis, plan.run), told), left_out=left_out)

    def _chosen(self, spread: Spread) -> int:
        """Return the max_groups with the least error by the histogram; 1, the least noise, where it says nothing."""
        first = self.value_epsilon if len(self.parts) == 1 else self.value_epsilon * self.share
        rows = self.plan.max_rows
        found = suggested(spread, epsilon=first, delta=self.delta, max_rows=rows, group_size=_GROUP_SIZE, receipt={})
        return found.best or 1

    def _answer(self, exact_values: Found, receipt: dict[str, Any]) -> Answer:
        (first, chain), *rest = self.parts
        plan = self.plan if first == self.plan.aggregate else self.plan.counting()
        mechanism = chain.then  # type: ignore[attr-defined]
        noisy = mechanism.release(plan.read(exact_values))
        if self.delta is None:
            keys = list(self.plan.keys or [()])
            columns = {first: list(noisy)}
        else:
            noisy = dict(sorted(noisy.items(), key=lambda item: _order(item[0])))
            keys, columns = list(noisy), {first: list(noisy.values())}
        noise = {first: self._noise(first, mechanism)}
        for name, _ in rest:
            again = self._noisy_value(self.value_epsilon * (1 - self.share), keys)
            found = self.plan.read(exact_values)
            values = found if self.delta is None else again.first.then(found)  # type: ignore[attr-defined]
            columns[name] = list(again.then.release(values))  # type: ignore[attr-defined]
            noise[name] = self._noise(name, again.then)  # type: ignore[attr-defined]
        self._finish(columns)
        tuples = [key if isinstance(key, tuple) and len(self.plan.by) != 1 else (key,) for key in keys]
        return Answer(self.plan.by, tuples, columns, noise, self.plan.aggregate, receipt, exact_values.types)

    def _finish(self, columns: dict[str, list[Any]]) -> None:
        """Bring values from the grid back to their own units, and sums of means to means."""
        grid = self.plan.grid
        if self.plan.aggregate == "sum" and grid is not None:
            columns["sum"] = [_times(value, grid) for value in columns["sum"]]
        if self.plan.aggregate == "mean" and grid is not None:
            low, high = self.plan.low or 0, self.plan.high or 0
            middle, half = (low + high) / 2, grid / 2
            columns["mean"] = [
                float(min(max(middle + half * value / people, low), high)) if people > 0 else float(middle)
                for value, people in zip(columns["mean"], columns["people"], strict=True)
            ]

    def _noise(self, name: str, mechanism: Any) -> ColumnNoise:
        grid = self.plan.grid or Fraction(1)
        unit = {"sum": grid, "mean": grid / 2}.get(name, Fraction(1))
        return ColumnNoise(mechanism.noise, unit, getattr(mechanism, "threshold", None))

    def receipt(self) -> dict[str, Any]:
        """Say what is done, in plain values that a ledger can keep."""
        plan = self.plan
        epsilon, delta = self.loss
        engine = self.table._ibis.get_backend()
        said = {
            "question": next(name for name, aggregate in _QUESTIONS.items() if aggregate == plan.aggregate),
            "table": self.table.name,
            "types": None if self.table.types is None else dict(self.table.types),
            "person": "each row is a person" if plan.person is None else list(plan.person),
            "by": list(plan.by),
            "keys": "private" if self.delta is not None else "known",
            "where": plan.where,
            "filters": list(self.table.filters),
            "column": plan.value,
            "bounds": {
                "max_groups": "auto" if self.auto else plan.max_groups if plan.by else None,
                "max_rows": plan.max_rows if plan.aggregate == "rows" else None,
                **{name: None if x is None else float(x) for name, x in (("low", plan.low), ("high", plan.high))},
                "grid": None if plan.grid is None else str(plan.grid),
            },
            "left_out": {"part of epsilon": str(self.left_out)} if _bites(plan, self.auto) else None,
            "spent": {"epsilon": float_up(epsilon), "delta": float_up(delta)},
            "share": str(self.share) if len(self.parts) > 1 else None,
            "mechanisms": {name: repr(chain.then) for name, chain in self._chains},  # type: ignore[attr-defined]
            "engine": f"{engine.name} {engine.version}",
            "versions": {"discreet": __version__, "python": platform.python_version()},
        }
        digest = hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
        return said | {"sha256": digest}


def _told(plan: Plan, left_out: Exact | None, auto: bool) -> Fraction:
    """Return the part of epsilon that pays for knowing what the bounds of a plan leave out: 0 where they cannot."""
    bites = _bites(plan, auto)
    if left_out is None:
        return _LEFT_OUT * (2 if auto else 1) if bites else Fraction(0)
    part = exact(left_out, "left_out")
    if not 0 <= part < 1:
        raise ParameterError("left_out", left_out, "0 <= left_out < 1, a part of epsilon")
    if part and not bites:
        raise ParameterError("left_out", left_out, "none: these bounds leave nobody's groups or rows out")
    if auto and not part:
        raise ParameterError("left_out", left_out, 'left_out > 0, where max_groups="auto"')
    return part


def _bites(plan: Plan, auto: bool) -> bool:
    """Whether the bounds of a plan can leave out some of a person's groups or rows."""
    if plan.person is None or not (plan.by or plan.aggregate == "rows"):
        return False
    return auto or plan.aggregate == "rows" or plan.keys is None or len(plan.keys) > plan.max_groups


def _sizes(table: Table, plan: Plan, epsilon: Fraction, *, rows: bool) -> Query:
    """Return the question of how many groups, or rows, people have."""
    each, bins = by_size(plan, table._ibis, rows=rows)
    who = tuple(name for name in each.columns if name not in bins)
    keys = SIZES if len(bins) == 1 else tuple(product(SIZES, QUARTERS))
    name = f"{'rows' if rows else 'groups'} per person in {table.name}"
    people = table._with(_ibis=each, person=who, condition=None, filters=(), name=name)
    query = Query(people, Plan("people", person=who, by=bins, keys=keys), epsilon, None, _HALF)
    if not query.fits:
        raise ParameterError("epsilon", epsilon, "more, or a larger part of it: there are no numbers for such noise")
    return query


def check_columns(name: str, wanted: Sequence[Any], table: Any) -> None:
    """Raise unless a table has these columns; say which one may have been meant."""
    for column in wanted:
        if not isinstance(column, str):
            raise KindError(name, column, "a column's name")
        if column not in table.columns:
            raise none_of(name, column, table.columns)


def _check_names(table: Any) -> None:
    """Raise where an engine that ignores case would take one column for another, and so one person for another."""
    if table.get_backend().name not in ("duckdb", "pyspark"):
        return
    seen: dict[str, str] = {}
    for name in table.columns:
        if (other := seen.setdefault(name.lower(), name)) != name:
            need = "columns whose names differ in more than case, which the engine ignores: rename one"
            raise ParameterError("source", (other, name), need)


def _grid(low: Any, high: Any, aggregate: str) -> Fraction:
    """Return a power of two that cuts the range into some 2**16 steps: values lose little, and floats scale exactly.

    The range is from 0 on for a sum, whose noise is as large, and from low to high for a mean, as far as numbers reach.
    """
    lower, upper = exact(low, "low"), exact(high, "high")
    if lower > upper:
        raise ParameterError("low", low, f"low <= high = {high}")
    widest = max(abs(lower), abs(upper))
    if widest == 0:
        raise ParameterError("high", high, "bounds that are not both 0")
    step = widest / _STEPS if aggregate == "sum" else max((upper - lower) / _STEPS, widest / _MOST_STEPS)
    exponent = step.numerator.bit_length() - step.denominator.bit_length()
    return Fraction(2) ** exponent


def _bracketed(condition: str) -> str:
    """Return a condition in brackets, which a comment at its end does not swallow."""
    return f"({condition}\n)" if "--" in condition else f"({condition})"


def _order(key: Any) -> tuple[Any, ...]:
    """Return what released keys are sorted by, column by column: null first, then by type, then by value, NaN last."""
    return tuple(_place(part) for part in (key if isinstance(key, tuple) else (key,)))


def _place(part: Any) -> tuple[Any, ...]:
    kind = type(part).__name__
    if part is None:
        return False, kind
    if part != part:  # noqa: PLR0124  NaN has no place among numbers.
        return True, kind, True
    return True, kind, False, part


def _times(value: int, grid: Fraction) -> int | float:
    product = value * grid
    return product.numerator if grid.denominator == 1 else float(product)
