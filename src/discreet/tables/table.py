"""Tables: what a user asks, and the answer.

Each method is one release: see `query`, where it is checked, charged and drawn.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Literal, cast, final

from discreet.coins import SYSTEM
from discreet.errors import DiscreetError, KindError, ParameterError
from discreet.exact import Exact, exact, listed, whole
from discreet.frozen import freeze
from discreet.ledger import Ledger, Reservation
from discreet.measures import amount
from discreet.tables.aggregates import Aggregate, Mean, People, Rows, Sum
from discreet.tables.aggregates.aggregate import at_most
from discreet.tables.aggregates.values import AUTO
from discreet.tables.answers import Answer
from discreet.tables.attributes import joined
from discreet.tables.bounding import names
from discreet.tables.data import Data
from discreet.tables.derived import check_new, derived, is_name
from discreet.tables.explain import Explanation, explained
from discreet.tables.extents import BoundsSuggestion
from discreet.tables.kept import declared
from discreet.tables.keys import checked, typed
from discreet.tables.laws import LAWS, check_noise
from discreet.tables.query import GROUP_SIZE, Query, check_columns
from discreet.tables.solving import least_by_noise, margins_of, solved_words
from discreet.tables.sources import opened
from discreet.tables.suggest import Suggestion, prices, worths
from discreet.tables.texts import hinted
from discreet.tables.traits import check_books, own_traits, said_of_both
from discreet.tables.where import predicate, row_by_row

if TYPE_CHECKING:
    from discreet.tables.listing import KeysExplanation, KeysQuery
    from discreet.tables.planning import PublicationPlan
    from discreet.tables.publication import Publication

__all__ = ["Groups", "Table", "people_weights"]


@final
@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Table(Data):
    """A table of which private answers are wanted.

    *source* is a path (CSV, Parquet, JSON; ``*`` for many files), a database's URL with the name of a *table*, a
    frame of pandas, Polars or Arrow, or an Ibis table. *person* names the column, or columns, that identify a
    person: what they are protected against is that all of their rows are added or removed. It has to be given, because
    without it somebody with many rows would count as many people: None says that each row is a person. A *ledger* is
    charged for each answer before it is made; a `Reservation` in its place makes releases that were reserved. Columns
    of CSV and JSON files are text, whatever their rows hold; *types* declares others: ``{"year": "integer", "price":
    "decimal(9,2)"}``. With a *version*, a name that you give to the data as they are, such as "2026-11", the ledger
    keeps answers, and the same question has the same answer for nothing; with *fresh* it is asked and paid anew.

    >>> import pandas as pd
    >>> t = Table(pd.DataFrame({"user": [1, 1, 2], "city": ["Rome", "Bath", "Rome"]}), person="user")
    >>> answer = t.group_by("city", keys=["Rome", "Bath"]).count_people(epsilon=1, max_groups=2)
    >>> answer.keys, answer.receipt.epsilon
    ([('Rome',), ('Bath',)], Fraction(1, 1))
    """

    def __init__(
        self,
        source: Any,
        *,
        person: str | Sequence[str] | None,
        ledger: Ledger | Reservation | None = None,
        table: str | None = None,
        types: Mapping[str, str] | None = None,
        version: str | None = None,
        fresh: bool = False,
    ) -> None:
        known = declared(source, table, version)
        if ledger is not None and not isinstance(ledger, Ledger | Reservation):
            raise KindError("ledger", ledger, "a Ledger, or what Ledger.reserve gives")
        rows, name, kinds = opened(source, table, types)
        who = None if person is None else names(person, "person")
        _check_names(rows)
        check_columns("person", who or (), rows)
        said = {"name": name, "person": who, "ledger": ledger, "types": kinds, "condition": None, "filters": ()}
        freeze(self, **said, derived=(), _ibis=rows, version=known, fresh=bool(fresh))

    def where(self, condition: Any, /) -> Table:
        """Return the table of the rows for which a condition holds: ``year = 2026 AND city IN ('Rome', 'Bath')``.

        It looks at one row at a time: SQL text, or an Ibis expression such as ``ibis._.year == 2026``. For anything
        else, filter an Ibis table and give that as the source; what it then holds are the data.
        """
        if isinstance(condition, str):
            with hinted(self.types, _named_in(condition, self._ibis.columns)):
                predicate(self._ibis, condition)
            both = " AND ".join(_bracketed(each) for each in (self.condition, condition) if each is not None)
            return self._with(condition=condition if self.condition is None else both)
        with hinted(self.types):
            rows = row_by_row(self._ibis, condition)
        # Its text would show data.
        return self._with(_ibis=self._ibis.filter(rows), filters=(*self.filters, rows.get_name()))

    def derive(self, **columns: Any) -> Table:
        """Return the table with further columns, each made of its row alone, and null where it is not defined.

        They are texts such as ``"age by 10"``, ``"day by month"``, ``"lower(city)"``, ``"price * number"``, or Ibis
        expressions such as ``ibis._.day.truncate("M")``; see the guide for all that may be asked of a row.

        >>> import pandas as pd
        >>> t = Table(pd.DataFrame({"user": [1, 2], "age": [31, 47]}), person="user")
        >>> t.derive(decade="age by 10").group_by("decade", keys=[30, 40]).count_people(epsilon=1, max_groups=1).keys
        [(30,), (40,)]
        """
        table = self
        for name, column in columns.items():
            table = table._derive(column, name)[0]
        return table

    def join(self, other: Any, /, *, on: str | None = None, types: Mapping[str, str] | None = None) -> Table:
        """Return the table with the columns of a public one, such as the region of each postcode, or of people.

        A public table is a path or a frame, read now, in which each key of the column *on* is once. A row whose key it
        lacks has nulls. It must not be about people of this table: what is learned of them from it, nobody counts.

        Another `Table` of the same people, such as their ages, is joined by the person columns of both: of its rows one
        of each person counts, chosen at random, and whoever has none there has nulls. A person is then who they are in
        both tables, and an answer is charged once, to the ledger that they share or that one of them has.

        >>> import pandas as pd
        >>> t = Table(pd.DataFrame({"user": [1, 2], "code": ["a", "b"]}), person="user")
        >>> regions = pd.DataFrame({"code": ["a", "b"], "region": ["north", "south"]})
        >>> t.join(regions, on="code").group_by("region", keys=["north"]).count_people(epsilon=1, max_groups=1).keys
        [('north',)]
        >>> ages = Table(pd.DataFrame({"user": [1, 2], "age": [31, 47]}), person="user")
        >>> t.join(ages).group_by("age by 10", keys=[30, 40]).count_people(epsilon=1, max_groups=1).keys
        [(30,), (40,)]
        """
        if isinstance(other, Groups):
            raise KindError("other", other, "a public table, or a Table of the same people, not in groups")
        if isinstance(other, Table):
            return self._join_people(other, on, types)
        if not isinstance(on, str):
            raise KindError("on", on, "the name of a column that both tables have")
        known, name, _ = opened(other, None, types)
        rows, made = joined(self._ibis, known.to_pyarrow(), on, name)
        _check_names(rows)
        return self._with(_ibis=rows, derived=(*self.derived, *made))

    def _join_people(self, other: Table, on: Any, types: Any) -> Table:
        """Return the table with what another says of the same people."""
        for name, given in (("on", on), ("types", types)):
            if given is not None:
                raise ParameterError(name, type(given), "none: two private tables are joined by the person columns")
        check_books(self, other)
        rows, made = own_traits(self, other, SYSTEM.words(4).tobytes())
        _check_names(rows)
        return self._with(_ibis=rows, derived=(*self.derived, *made), **said_of_both(self, other))

    def group_by(
        self,
        *columns: Any,
        keys: Iterable[Any] | Mapping[str, Iterable[Any] | Literal["bins"]] | Literal["bins"] | None = None,
    ) -> Groups:
        """Return the table in groups. With *keys* known beforehand, each appears, and no threshold is needed.

        A column is a name, or is derived as in `derive`: ``"age by 10"``, ``"day by month as m"``, ``"month(day)"``.
        With ``keys="bins"`` the keys are all the bins that the columns' own words say, as in ``"age by 10 from 0 to
        100"`` or ``"day by month from 2026-01 to 2026-12"``. A dict has the known keys of each column, or "bins", and
        the groups are their product: ``{"ward": ["A", "B"], "month": "bins"}``.

        >>> import pandas as pd
        >>> t = Table(pd.DataFrame({"user": [1, 2], "age": [31, 47]}), person="user")
        >>> t.group_by("age by 25 from 0 to 100", keys="bins").count_people(epsilon=1, max_groups=1).keys
        [(0,), (25,), (50,), (75,)]
        >>> halves = t.group_by("user", "age by 50 from 0 to 100 as half", keys={"user": [1, 2], "half": "bins"})
        >>> halves.count_people(epsilon=1, max_groups=1).keys
        [(1, 0), (1, 50), (2, 0), (2, 50)]
        """
        if not columns:
            raise ParameterError("columns", columns, "at least one column; without groups, ask the table itself")
        table, by = self._derived(columns)
        each = dict.fromkeys(by, "bins") if _is_bins(keys) else keys
        return Groups(table, by, table._product(by, each) if isinstance(each, Mapping) else each)

    def release(
        self,
        *aggregates: Aggregate,
        epsilon: Exact,
        weights: Mapping[str, Exact] | None = None,
        left_out: Exact | None = None,
    ) -> Answer:
        """Return several aggregates of the whole table; see `Groups.release`."""
        return self._whole().release(*aggregates, epsilon=epsilon, weights=weights, left_out=left_out)

    def count_people(self, *, epsilon: Exact) -> Answer:
        """Return how many people there are."""
        return self._whole().count_people(epsilon=epsilon)

    def count_rows(self, *, epsilon: Exact, max_rows: int = 1, left_out: Exact | None = None) -> Answer:
        """Return how many rows there are, at most *max_rows* of a person counted; for *left_out* see `Groups`."""
        return self._whole().count_rows(epsilon=epsilon, max_rows=max_rows, left_out=left_out)

    def sum(
        self,
        column: str,
        *,
        epsilon: Exact,
        low: Exact | None = None,
        high: Exact | None = None,
        grid: Exact | None = None,
    ) -> Answer:
        """Return the sum of a column; each value, and then each person's sum, is clipped to [low, high].

        Bounds that are "auto" are learned first, from a fifth of epsilon; `release` takes another part, in *weights*.
        """
        return self._whole().sum(column, low=low, high=high, epsilon=epsilon, grid=grid)

    def mean(
        self,
        column: str,
        *,
        epsilon: Exact,
        low: Exact | None = None,
        high: Exact | None = None,
        grid: Exact | None = None,
        people_share: Exact | None = None,
    ) -> Answer:
        """Return the mean over people of their own mean of a column, clipped to [low, high].

        The *people_share* of epsilon, one half unless given, pays for counting people, by whom the sum is divided.
        """
        return self._whole().mean(column, low=low, high=high, epsilon=epsilon, grid=grid, people_share=people_share)

    def explain(
        self,
        *aggregates: Aggregate,
        epsilon: Exact | None = None,
        margin: Exact | Mapping[str, Exact] | None = None,
        weights: Mapping[str, Exact] | None = None,
        left_out: Exact | None = None,
    ) -> Explanation:
        """Say everything about an answer without groups that can be said before it is made; see `Groups.explain`."""
        return self._whole().explain(*aggregates, epsilon=epsilon, margin=margin, weights=weights, left_out=left_out)

    def publish(
        self,
        tables: Iterable[Sequence[str]],
        *,
        of: Aggregate | None = None,
        epsilon: Exact,
        delta: Exact | None = None,
        keys: Mapping[str, Iterable[Any]] | None = None,
        max_groups: int = 1,
        weights: Mapping[Any, Exact] | None = None,
        left_out: Exact | None = None,
        noise: str = "auto",
        totals: Mapping[Any, Any] | None = None,
        zeros: Iterable[Mapping[str, Any]] | None = None,
    ) -> Publication:
        """Return how many people there are, by several lists of columns, in tables that add up; [] is all people.

        With *of*, a `Sum` whose lower bound is 0 or more, it is that sum. Columns may be derived, as in
        `group_by`: ``["age by 10 from 0 to 100 as tens"]``, whose keys may be ``{"tens": "bins"}``. A person
        counts once in each of at most *max_groups* of the finest groups, those by all of the columns, and is left
        out of the others; with more than one, totals are not numbers of different people. *keys* has the known keys
        of each column, or "bins", and the groups are their product; rows with others do not count. Without it
        groups are private: those that a threshold shows decide which keys appear, and all others are in rows
        "other". The budget is divided equally among the tables, but for *weights*, such as ``{("region", "age"):
        2}``: for Laplace noise it is epsilon that is divided, for Gaussian noise the squares that add up. *totals*
        are public numbers, such as ``{(): 5000}`` or ``{"region": {"north": 2000, "south": 3000}}``, and are met
        exactly. *zeros* are impossible groups: ``[{"age": "0-9", "job": "doctor"}]``. For *left_out* see `Groups`.

        >>> import pandas as pd
        >>> rows = pd.DataFrame({"user": range(90), "region": ["north", "south", "south"] * 30, "sex": ["f", "m"] * 45})
        >>> keys = {"region": ["north", "south"], "sex": ["f", "m"]}
        >>> found = Table(rows, person="user").publish([[], ["region"], ["region", "sex"]], epsilon=1, keys=keys)
        >>> [len(answer) for answer in found], found["region"].keys
        ([1, 2, 4], [('north',), ('south',)])
        >>> sum(found["region", "sex"].columns["people"]) == found[()].columns["people"][0]
        True
        """
        return self.plan(
            tables,
            of=of,
            epsilon=epsilon,
            delta=delta,
            keys=keys,
            max_groups=max_groups,
            weights=weights,
            left_out=left_out,
            noise=noise,
            totals=totals,
            zeros=zeros,
        ).release()

    def plan(
        self,
        tables: Iterable[Sequence[str]],
        *,
        of: Aggregate | None = None,
        epsilon: Exact | None = None,
        margins: Mapping[Any, Exact] | None = None,
        delta: Exact | None = None,
        keys: Mapping[str, Iterable[Any]] | None = None,
        max_groups: int = 1,
        weights: Mapping[Any, Exact] | None = None,
        left_out: Exact | None = None,
        noise: str = "auto",
        totals: Mapping[Any, Any] | None = None,
        zeros: Iterable[Mapping[str, Any]] | None = None,
    ) -> PublicationPlan:
        """Say everything about a publication that can be said before it is made; it takes what `publish` takes.

        With *margins* in the place of epsilon, such as ``{"region": 50}``, its `solve` finds the least epsilon at which
        each table's fitted totals are as near to the truth as that, with probability 95 %.

        >>> import pandas as pd
        >>> table = Table(pd.DataFrame({"user": [1], "region": ["north"]}), person="user")
        >>> plan = table.plan([[], ["region"]], margins={(): 50, "region": 10}, keys={"region": ["north", "south"]})
        >>> plan.solve().epsilon
        Fraction(391, 1000)
        """
        from discreet.tables.planning import planned

        table, wanted = self, list[Any]()
        for each in listed(tables, "tables", "a list of lists of columns"):
            named = isinstance(each, list | tuple) and all(isinstance(name, str) for name in each)
            table, by = table._derived(each, "tables") if named else (table, each)
            wanted.append(by)
        keys = table._with_bins(keys) if isinstance(keys, Mapping) else keys
        return planned(
            table,
            wanted,
            of=of,
            epsilon=epsilon,
            margins=margins,
            delta=delta,
            keys=keys,
            max_groups=max_groups,
            weights=weights,
            left_out=left_out,
            noise=noise,
            totals=totals,
            zeros=zeros,
        )

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
        table, by = self._derived(columns)
        return typed(texts, [table._ibis[column] for column in by], null)

    def suggest_max_groups(
        self,
        *by: str,
        epsilon: Exact = "0.1",
        planned: Exact = 1,
        delta: Exact | None = "1e-6",
        group_size: int = GROUP_SIZE,
        noise: str = "auto",
    ) -> Suggestion:
        """Spend a little to learn in how many groups people are, and say which max_groups leaves the least error.

        *planned*, *delta* and *noise* are those of the answer to come, without a delta where its keys are known;
        *group_size* is the group size to optimise for.
        """
        if self.person is None:
            raise ParameterError("person", None, "a person column: where each row is a person, max_groups is 1")
        size, future = whole(group_size, "group_size", least=1), amount(planned, "planned")
        private = None if delta is None else amount(delta, "delta")
        if not by or future == 0:
            raise ParameterError("by" if future else "planned", by if future else planned, "columns, and planned > 0")
        if private is not None and not 0 < private <= 1:
            raise ParameterError("delta", delta, "0 < delta <= 1, or none where the keys are known")
        check_noise(noise, planned, delta, name="planned")
        table, groups = self._derived(by, "by")
        if len({*groups, *self.person}) < len(groups) + len(self.person):
            raise ParameterError("by", groups, "distinct columns, other than the person's")
        released, receipt = Query.of_sizes(table, groups, epsilon).draw()
        assert released.spread is not None  # noqa: S101  It is what was asked for.
        share = None
        with suppress(DiscreetError):  # What is paid for is told, even where the books can be read no more.
            share = None if self.ledger is None else self.ledger.shares()
        worth = worths(released.spread, prices(future, private, noise, share))
        return Suggestion(size, released.spread, worth, receipt)

    def suggest_bounds(self, column: str, *by: str, epsilon: Exact = "0.1", sums: bool = False) -> BoundsSuggestion:
        """Spend a little to learn between which powers of two people's values of a column are.

        Each person counts by the least and by the greatest value in one of their groups, those of the columns *by*.
        With *sums*, by what their sum there may come to: for bounds of a sum, and not of a mean.

        >>> import pandas as pd
        >>> people = pd.DataFrame({"user": range(900), "age": [20 + i % 70 for i in range(900)]})
        >>> found = Table(people, person="user").suggest_bounds("age", epsilon=1)
        >>> int(found.low), int(found.high)
        (16, 128)
        """
        table, groups = self._derived(by, "by")
        of = Sum(column, AUTO, AUTO) if sums else Mean(column, AUTO, AUTO)
        released, receipt = Query.of_bounds(table, of, groups, epsilon).draw()
        return BoundsSuggestion(of.extent, released.powers[0], receipt, column)

    def _derived(self, columns: Sequence[Any], name: str = "columns") -> tuple[Table, tuple[str, ...]]:
        """Return the table with the columns that are named or derived, and their names."""
        table, found = self, []
        for column in columns:
            known = isinstance(column, str) and (column in table._ibis.columns or is_name(column))
            if known:
                check_columns(name, (column,), table._ibis)
            table, made = (table, column) if known else table._derive(column)
            found.append(made)
        return table, tuple(found)

    def _derive(self, column: Any, name: str | None = None) -> tuple[Table, str]:
        """Return the table with one more column, and its name, which no other column has."""
        columns = self._ibis.columns
        with hinted(self.types, _named_in(column, columns) if isinstance(column, str) else columns):
            made, expression = derived(self._ibis, column, name)
        if made in self.derived:
            return self, made.name
        check_new(self._ibis, (made.name,))
        rows = self._ibis.mutate(expression.name(made.name))
        _check_names(rows)
        return self._with(_ibis=rows, derived=(*self.derived, made)), made.name

    def _product(self, by: tuple[str, ...], keys: Mapping[str, Any]) -> list[Any]:
        """Return the product of the known keys of each column."""
        from discreet.tables.given import product_of

        return product_of(self, by, self._with_bins(keys))

    def _with_bins(self, keys: Mapping[str, Any]) -> dict[str, Any]:
        """Return the known keys of columns, with those that the words of derived columns say in the place of "bins"."""
        known = {each.name: each.values for each in self.derived}
        for name, each in keys.items():
            if _is_bins(each) and known.get(name) is None:
                need = "columns whose bins are known, such as 'age by 10 from 0 to 100', CASE or map"
                raise ParameterError("keys", "bins", f"{need}; {name!r} has none: {{{name!r}: [...]}} lists its keys")
        return {name: known[name] if _is_bins(each) else each for name, each in keys.items()}

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

    Its *noise* is "laplace", "truncated" or "gaussian"; "auto", the default, takes the best one, by public parameters
    alone: for the column that decides which private groups are shown, the one that shows the smallest groups as often
    as not; for any other, the one with the least standard deviation; of those that fit and take at most twice the least
    share of what is left, where a ledger is charged. Truncated noise is Laplace noise that never
    exceeds the threshold; where there is none, it is plain Laplace noise. Gaussian noise needs a delta, also with known
    keys. Both are considered up to an epsilon of 50.

    Each also says what its bounds leave out: a part of epsilon, *left_out*, pays for a histogram of the numbers of
    people's groups. It is 1/20 unless given; 0 asks for none. With ``max_groups="auto"`` the histogram comes first and
    chooses max_groups, for groups of about 1,000 people; *left_out* is then 1/10 unless given.
    """

    table: Table
    by: tuple[str, ...]
    known: tuple[Any, ...] | None

    def __init__(self, table: Table, by: Sequence[str], keys: Iterable[Any] | None = None) -> None:
        if not isinstance(table, Table):
            raise KindError("table", table, "a Table")
        if not isinstance(by, tuple | list):
            raise KindError("by", by, "a tuple of names of columns")
        check_columns("columns", by, table._ibis)
        with hinted(table.types, by):
            known = None if keys is None else checked(keys, [table._ibis[name] for name in by])
        freeze(self, table=table, by=tuple(by), known=known)

    def release(
        self,
        *aggregates: Aggregate,
        epsilon: Exact,
        delta: Exact | None = None,
        max_groups: int | Literal["auto"] | None = None,
        weights: Mapping[str, Exact] | None = None,
        left_out: Exact | None = None,
        noise: str = "auto",
        rounds: int = 1,
    ) -> Answer:
        """Return several aggregates of each group, from one query and under one bound: at most *max_groups* a person.

        A row counts if it has a person and a value for each aggregate. Epsilon is divided equally among the columns
        that are released, but for those that *weights* names: with ``{"people": 3}`` the number of people gets three
        times as much as any other. It is one of them, if it is asked for, or if a mean is divided by it, or if nothing
        else decides which of the private groups are shown. For *rounds* see `count_people`.

        >>> import pandas as pd
        >>> people = pd.DataFrame({"user": range(9), "city": ["Rome"] * 9, "age": range(30, 39), "paid": 5.0})
        >>> groups = Table(people, person="user").group_by("city", keys=["Rome"])
        >>> answer = groups.release(
        ...     People(), Sum("paid", 0, 10, name="revenue"), Mean("age", 0, 120), epsilon=1, max_groups=1
        ... )
        >>> list(answer.columns), answer.noise["people"].law.scale
        (['people', 'revenue', 'mean of age'], Fraction(3, 1))
        """
        return self._query(aggregates, epsilon, delta, max_groups, weights, left_out, noise, rounds).release()

    def count_people(
        self,
        *,
        epsilon: Exact,
        delta: Exact | None = None,
        max_groups: int | Literal["auto"] | None = None,
        left_out: Exact | None = None,
        noise: str = "auto",
        rounds: int = 1,
    ) -> Answer:
        """Return how many people are in each group; a person counts in at most *max_groups* of them.

        In the second of two *rounds*, people count in at most *max_groups* of the private groups that the first has
        not shown. That shows more groups where some are much larger than most, and fewer where none is; `explain` says
        how many people a group needs. Each count has the noise of its round.

        >>> import pandas as pd
        >>> rows = [(user, city) for user in range(900) for city in ("Rome", "Bari", f"town {user % 9}")]
        >>> groups = Table(pd.DataFrame(rows, columns=["user", "city"]), person="user").group_by("city")
        >>> answer = groups.count_people(epsilon=1, delta="1e-6", max_groups=1, rounds=2)
        >>> len(answer), set(answer.rounds)
        (11, {1, 2})
        """
        return self._query((People(),), epsilon, delta, max_groups, None, left_out, noise, rounds).release()

    def count_rows(
        self,
        *,
        epsilon: Exact,
        delta: Exact | None = None,
        max_groups: int | Literal["auto"] | None = None,
        max_rows: int = 1,
        left_out: Exact | None = None,
        noise: str = "auto",
    ) -> Answer:
        """Return how many rows are in each group; a person adds at most *max_rows* to each of *max_groups*."""
        rows = Rows(at_most(max_rows, "max_rows"))
        return self._query((rows,), epsilon, delta, max_groups, None, left_out, noise).release()

    def sum(
        self,
        column: str,
        *,
        epsilon: Exact,
        low: Exact | None = None,
        high: Exact | None = None,
        delta: Exact | None = None,
        max_groups: int | Literal["auto"] | None = None,
        grid: Exact | None = None,
        people_share: Exact | None = None,
        left_out: Exact | None = None,
        noise: str = "auto",
    ) -> Answer:
        """Return the sum of a column in each group; values, then each person's sum in a group, are clipped.

        Where the groups are private, the *people_share* of epsilon, one half unless given, pays for counting people,
        which decides the groups to show.
        """
        private = bool(self.by) and self.known is None
        if people_share is not None and not private:
            raise ParameterError(
                "people_share", people_share, "none: there is one value to release, and all of epsilon pays for it"
            )
        asked = Sum(column, low, high, grid, name="sum")
        weights = people_weights(people_share, "sum")
        return self._query((asked,), epsilon, delta, max_groups, weights, left_out, noise).release()

    def mean(
        self,
        column: str,
        *,
        epsilon: Exact,
        low: Exact | None = None,
        high: Exact | None = None,
        delta: Exact | None = None,
        max_groups: int | Literal["auto"] | None = None,
        grid: Exact | None = None,
        people_share: Exact | None = None,
        left_out: Exact | None = None,
        noise: str = "auto",
    ) -> Answer:
        """Return the mean in each group, over people, of their own mean of a column, clipped to [low, high].

        The *people_share* of epsilon, one half unless given, pays for counting people, by whom the sum is divided.
        """
        asked = Mean(column, low, high, grid, name="mean")
        weights = people_weights(people_share, "mean")
        return self._query((asked,), epsilon, delta, max_groups, weights, left_out, noise).release()

    def keys(self, *, epsilon: Exact, delta: Exact, max_groups: int | None = None, rounds: int | None = None) -> Answer:
        """Return which groups there are, without counts: that finds more of them.

        A person counts in at most *max_groups* groups, 100 unless given, and weighs the less in each the more groups
        they are. In the second of two *rounds*, people count only in groups that the first has not found; one round
        is better where all groups are about equally large.

        >>> import pandas as pd
        >>> people = pd.DataFrame({"user": range(1000), "city": ["Rome"] * 999 + ["Brig"]})
        >>> Table(people, person="user").group_by("city").keys(epsilon=1, delta="1e-6").to_rows()
        [{'city': 'Rome'}]
        """
        return self._list(epsilon, delta, max_groups, rounds).release()

    def explain_keys(
        self, *, epsilon: Exact, delta: Exact, max_groups: int | None = None, rounds: int | None = None
    ) -> KeysExplanation:
        """Say of `keys` what can be said before it is asked, and how many people a group needs. It touches no data."""
        return self._list(epsilon, delta, max_groups, rounds).explain()

    def _list(self, epsilon: Exact, delta: Exact, max_groups: int | None, rounds: int | None) -> KeysQuery:
        from discreet.tables.listing import KeysQuery

        if not self.by or self.known is not None:
            raise ParameterError("keys", None, "group columns whose keys are not known")
        return KeysQuery.of(self.table, self.by, epsilon=epsilon, delta=delta, max_groups=max_groups, rounds=rounds)

    def explain(
        self,
        *aggregates: Aggregate,
        epsilon: Exact | None = None,
        delta: Exact | None = None,
        margin: Exact | Mapping[str, Exact] | None = None,
        max_groups: int | Literal["auto"] | None = None,
        weights: Mapping[str, Exact] | None = None,
        left_out: Exact | None = None,
        noise: str = "auto",
        rounds: int = 1,
    ) -> Explanation:
        """Say everything about a release that can be said before it is made: the guarantee, noise, who will appear.

        It takes what `release` takes, people unless something else is asked about, and touches no data. With a *margin*
        in the place of epsilon, it finds the least epsilon, of three digits, at which each column's noise is within it
        with probability 95 %; ``{"people": 50}`` names the columns for which that has to hold. Where ``noise="auto"``
        needs more for it than one of the laws by its name, it is that law which is explained, and to be asked for.

        >>> import pandas as pd
        >>> groups = Table(pd.DataFrame({"user": [1], "city": ["Rome"]}), person="user").group_by("city", keys=["Rome"])
        >>> groups.explain(margin=50).receipt.epsilon
        Fraction(297, 5000)
        """
        needed = bool(self.by) and self.table.person is not None
        chosen = max_groups if max_groups is not None or not needed else 1
        asked, lead = aggregates or (People(),), ""

        def question_at(epsilon: Exact, noise: str = noise) -> Query:
            return self._query(asked, epsilon, delta, chosen, weights, left_out, noise, rounds)

        if epsilon is not None and margin is not None:
            raise ParameterError("epsilon", epsilon, "an epsilon or a margin, and both were given: leave one away")
        if epsilon is None and margin is None:
            raise ParameterError("epsilon", epsilon, "an epsilon, or a margin by which to find it")
        if margin is not None:
            question_at(1)  # What is wrong with the rest is said first.
            if chosen == "auto":
                raise ParameterError("max_groups", "auto", "a number, with a margin; suggest_max_groups() chooses one")
            limits = margins_of(margin, asked)

            def keeps(noise: str, epsilon: Fraction) -> bool:
                with suppress(ParameterError):  # There is no such noise here, or there are no numbers for its size.
                    return question_at(epsilon, noise).keeps(limits)
                return False

            # Without groups, and in two rounds, no other noise can be asked for.
            noises = ("auto", *LAWS) if noise == "auto" and self.by and rounds == 1 else (noise,)
            found = least_by_noise(keeps, noises, "margin", margin)
            # Of two laws that need as much, it is the one that shows the smaller groups.
            noise = min(found, key=lambda each: (found[each], question_at(found[each], each).cost))
            epsilon, lead = found[noise], solved_words(noise, found, named=noises == (noise,) != ("auto",))
        question = question_at(cast("Exact", epsilon), noise)
        question.check()
        others = sorted({1, 2, 3, 5, 10, 20, question.bounding.max_groups}) if needed else [1]
        return explained([question.with_groups(m, left_out) for m in others], question, lead)

    def _query(
        self,
        aggregates: Sequence[Aggregate],
        epsilon: Exact,
        delta: Exact | None,
        max_groups: int | Literal["auto"] | None,
        weights: Mapping[str, Exact] | None,
        left_out: Exact | None,
        noise: str = "auto",
        rounds: int = 1,
    ) -> Query:
        return Query.of(
            self.table,
            aggregates,
            by=self.by,
            keys=self.known,
            epsilon=epsilon,
            delta=delta,
            max_groups=max_groups,
            weights=weights,
            left_out=left_out,
            noise=noise,
            rounds=rounds,
        )


def people_weights(people_share: Exact | None, label: str) -> dict[str, Exact] | None:
    """Return the weights by which counting people gets a share of epsilon."""
    if people_share is None:
        return None
    part = exact(people_share, "people_share")
    if not 0 < part < 1:
        raise ParameterError("people_share", people_share, "0 < people_share < 1")
    return {"people": part, label: 1 - part}


def _named_in(text: str, columns: Iterable[str]) -> list[str]:
    """Return the columns whose names stand in a text, and not within a longer one's.

    >>> _named_in("date of visit by month", ["date", "date of visit", "mon"])
    ['date of visit']
    """
    found = []
    for name in sorted(columns, key=len, reverse=True):
        text, count = re.subn(rf"(?<!\w){re.escape(name)}(?!\w)", " ", text)
        found += [name] * bool(count)
    return found


def _is_bins(keys: Any) -> bool:
    """Whether the keys are to be those that derived columns say."""
    return isinstance(keys, str) and keys == "bins"


def _check_names(table: Any) -> None:
    """Raise where an engine that ignores case would take one column for another, and so one person for another."""
    if table.get_backend().name not in ("duckdb", "pyspark", "sqlite"):
        return
    seen: dict[str, str] = {}
    for name in table.columns:
        if (other := seen.setdefault(name.lower(), name)) != name:
            need = "columns whose names differ in more than case, which the engine ignores: rename one"
            raise ParameterError("source", (other, name), need)


def _bracketed(condition: str) -> str:
    """Return a condition in brackets, which a comment at its end does not swallow."""
    return f"({condition}\n)" if "--" in condition else f"({condition})"
