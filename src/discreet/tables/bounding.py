"""Bounding: exact totals per group, of which each person may change only so much.

Theorem.  Of a table's rows that pass the filter and have a person and all values, keep each person's first max_groups
groups in a keyed order, and let the person add to each of them what each aggregate says: at most `most` steps. Between
tables that differ by d people, added or removed with all of their rows, and under one salt, the totals of an aggregate
differ in at most d max_groups groups, and in each by at most d times `most`. So do numbers of distinct values, of which
each person brings `most` to a group.
Proof: bounding.md, which cites the marked lines.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC
from typing import TYPE_CHECKING, Any, final

import numpy as np

from discreet.core import Transformation
from discreet.domains import FOREIGN, Categories, Domain, Keys, Nullable, Objects, Tuples
from discreet.errors import EngineError, KindError, ParameterError
from discreet.exact import listed
from discreet.frozen import freeze
from discreet.metrics import PersonDistance, Sensitivity
from discreet.tables.aggregates import Aggregate
from discreet.tables.aggregates.aggregate import at_most
from discreet.tables.asking import asked
from discreet.tables.engines import Engine, Fetch, alike, engine_of, numbers
from discreet.tables.engines.engine import literal
from discreet.tables.histograms import Histograms
from discreet.tables.keys import Wire, domain_of, written
from discreet.tables.order import Order
from discreet.tables.packing import Packing
from discreet.tables.ready import Question, Ready
from discreet.tables.spread import Sizes
from discreet.tables.where import predicate, used

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Bounding", "Tables", "Totals", "TotalsOf", "arrow_types", "key_domains", "key_wires", "names", "with_type"]

Known = Sequence[tuple[int | float | bytes | None, ...]]


@final
@dataclass(frozen=True, slots=True, init=False)
class Tables(Domain):
    """Ibis tables, on any engine, that have certain columns."""

    columns: tuple[str, ...]

    def __init__(self, columns: Iterable[str]) -> None:
        freeze(self, columns=tuple(listed(columns, "columns", "a list of names of columns")))

    def canonical(self, x: object, /) -> Any:
        """Return the table, ready to be asked."""
        ready = x if isinstance(x, Ready) else Ready(x)
        if type(ready.table).__module__.partition(".")[0] != "ibis" or not hasattr(ready.table, "get_backend"):
            return FOREIGN
        columns = getattr(ready.table, "columns", ())
        return ready if isinstance(columns, tuple) and set(self.columns) <= set(columns) else FOREIGN


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Totals:
    """What people add up to in each group, as arrays; a group is a place in them, and its key is read on release.

    *columns* has one array, or histograms, for each of the bounding's aggregates. *sizes* are the numbers of people in
    each bin.
    """

    people: NDArray[np.int64]
    columns: tuple[Any, ...]
    sizes: NDArray[np.int64] | None = None
    fetch: Fetch | None = None
    """How the keys of some rows of the engine's answer are had, as they travel; none where they are known."""
    wires: tuple[Wire, ...] = ()
    rows: NDArray[np.intp] | None = None
    """Where the groups are in that answer."""

    def keys(self, places: NDArray[np.intp]) -> list[tuple[Any, ...]]:
        """Return the keys of some groups, of their columns' own types."""
        if self.rows is None or self.fetch is None:
            return []
        pairs = zip(self.wires, self.fetch(self.rows[places]), strict=True)
        return list(zip(*(_listed(wire.read(sent)) for wire, sent in pairs), strict=True))


@final
@dataclass(frozen=True, slots=True)
class TotalsOf(Domain):
    """The totals that a bounding gives."""

    bounding: Bounding

    def canonical(self, x: object, /) -> Any:
        """Return the totals themselves."""
        return x if isinstance(x, Totals) and len(x.columns) == len(self.bounding.aggregates) else FOREIGN


@final
@dataclass(frozen=True, slots=True, init=False)
class Bounding(Transformation[Any, Totals]):
    """What each person may contribute to some aggregates per group, as one query of the engine that holds the table.

    Rows in which a person column is null or NaN are dropped, and so are rows that lack one of the aggregates' values;
    null is a group like any other. Without a *person*, each row is a person. Where *keys* are known, or there are no
    groups, the totals are in the order of the keys, else in one that says nothing. With *sizes*, people are also
    counted by how much they contribute before bounding.

    *key_types* are the domains of the group columns' keys, as `key_domains` reads them from a table. The salt is drawn
    anew for each application, unless one is given.

    >>> from discreet.tables import Mean, People, Sum
    >>> bounding = Bounding([People(), Sum("amount", 0, 100, "0.01")], person="user_id", by="city", max_groups=3)
    >>> [bounding.sensitivity(aggregate) for aggregate in bounding.aggregates]
    [Sensitivity(l0=3, l1=3, li=1), Sensitivity(l0=3, l1=30000, li=10000)]
    """

    aggregates: tuple[Aggregate, ...]
    person: tuple[str, ...] | None
    by: tuple[str, ...]
    max_groups: int
    where: str | None
    keys: tuple[Any, ...] | None
    key_types: tuple[Keys, ...] | None
    sizes: Sizes | None
    salt: bytes | None = field(repr=False)

    def __init__(
        self,
        aggregates: Aggregate | Iterable[Aggregate],
        *,
        person: str | Sequence[str] | None,
        by: str | Sequence[str] = (),
        max_groups: int = 1,
        where: str | None = None,
        keys: Iterable[Any] | None = None,
        key_types: Sequence[Keys] | None = None,
        sizes: Sizes | None = None,
        salt: bytes | None = None,
    ) -> None:
        wanted = _aggregates((aggregates,) if isinstance(aggregates, Aggregate) else aggregates)
        if where is not None and not isinstance(where, str):
            raise KindError("where", where, "a condition as SQL text")
        if salt is not None and not (isinstance(salt, bytes) and len(salt) >= 16):
            raise KindError("salt", type(salt), "16 bytes or more")
        who, groups = (None if person is None else names(person, "person")), names(by, "by")
        if who == ():
            raise ParameterError("person", person, "at least one column, or None")
        if who is None and (max_groups != 1 or sizes is not None):
            raise ParameterError("max_groups", max_groups, "1, where each row is a person")
        if keys is not None:
            if not groups:
                raise ParameterError("keys", None, "group columns that they are keys of")
            keys = Categories(keys, "keys").values
            if len(groups) == 1 and all(isinstance(key, tuple) and len(key) == 1 for key in keys):
                keys = tuple(key[0] for key in keys)  # As an answer has them.
            if len(set(keys)) < len(keys):  # proof: distinct
                raise ParameterError("keys", keys, "distinct keys: 1, 1.0 and True name one group")
            if len(groups) > 1 and not all(isinstance(key, tuple) and len(key) == len(groups) for key in keys):
                raise ParameterError("keys", keys, f"tuples of {len(groups)}, one entry for each group column")
        freeze(
            self,
            aggregates=wanted,
            person=who,
            by=groups,
            max_groups=at_most(max_groups, "max_groups"),
            where=where,
            keys=keys,
            key_types=None if key_types is None else _key_types(key_types, groups),
            sizes=sizes,
            salt=salt,
        )

    @property
    def input_domain(self) -> Tables:
        """Tables that have the bounding's columns."""
        values = (aggregate.column for aggregate in self.aggregates if aggregate.column is not None)
        return Tables(dict.fromkeys((*(self.person or ()), *self.by, *values)))

    @property
    def input_metric(self) -> PersonDistance:
        """How many people are added or removed."""
        return PersonDistance(self.person)

    @property
    def output_domain(self) -> TotalsOf:
        """The bounding's totals."""
        return TotalsOf(self)

    @property
    def output_metric(self) -> PersonDistance:
        """How many people's contributions are added or removed; `sensitivity` says what these are at most."""
        return self.input_metric

    @property
    def private(self) -> bool:
        """Whether the groups are private."""
        return bool(self.by) and self.keys is None

    @property
    def key_domain(self) -> Keys:
        """What the keys are: of the declared types or null, or else whatever the engine says."""
        if self.key_types is None:
            return Objects()
        nullable = [Nullable(domain) for domain in self.key_types]
        return nullable[0] if len(nullable) == 1 else Tuples(*nullable)

    def named(self, keys: list[tuple[Any, ...]]) -> list[Any]:
        """Return released keys in their canonical form; each names one group."""
        named = self.key_domain.many([key[0] for key in keys] if len(self.by) == 1 else keys)
        if named is FOREIGN or len(set(named)) < len(named):
            raise EngineError("the engine tells apart keys that Python does not: cast the column")
        return named  # type: ignore[no-any-return]

    def stability_map(self, d_in: int, /) -> int:
        """Return the number of people, who stay as many."""
        return self.input_metric.check(d_in)

    def sensitivity(self, aggregate: Aggregate, d_in: int = 1) -> Sensitivity:
        """Return in how many groups *d_in* people may change an aggregate's totals, by how much in all and at most."""
        (aggregate,) = _aggregates((aggregate,))
        d = self.input_metric.check(d_in)
        groups = self.max_groups if self.by else 1
        if self.keys is not None:
            groups = min(groups, len(self.keys))
        return Sensitivity(d * groups, d * groups * aggregate.most, d * aggregate.most)  # proof: map

    def apply(self, x: Any, /) -> Totals:
        """Return the totals of an Ibis table, or raise an error that shows none of the engine's words."""
        ready = self.input_domain.take(x)
        found = asked(ready.table, lambda table: self.run(table, ready.question(self)))
        fetch = found.fetch
        if fetch is None:
            return found
        return replace(found, fetch=lambda rows: asked(ready.table, lambda _: fetch(rows)))

    def run(self, table: Any, question: Question) -> Totals:
        """Ask the engine."""
        wires = self.wires(table)
        keys = [f"k{i}" for i in range(len(wires))]
        return self._read(*engine_of(table).answer(question.query, question.words, keys), wires)

    def wires(self, table: Any) -> tuple[Wire, ...]:
        """Return how the keys of a table's columns travel; raise where they are not as they were declared."""
        if self.key_types not in (None, key_domains(table, self.by)):
            raise KindError("key_types", self.key_types, f"{key_domains(table, self.by)!r}, as the columns are")
        return key_wires(table, self.by)

    def _read(self, answer: Any, fetch: Fetch, wires: tuple[Wire, ...]) -> Totals:
        """Return the totals from an engine's answer, in the order of the keys where these are known."""
        kind = {name: numbers(answer.column(name)) for name in ("b", "h") if name in answer.column_names}
        rows = np.flatnonzero(sum(kind.values(), np.zeros(answer.num_rows, np.int64)) == 0)
        people, sizes = numbers(answer.column("people")), None
        if self.sizes is not None:
            bins = kind["b"]
            sizes = np.zeros(self.sizes.count, np.int64)
            sizes[bins[bins > 0] - 1] = people[bins > 0]
        columns = self._histograms(answer, kind.get("h"), rows)
        for i in range(len(self.aggregates)):
            columns[i] = columns[i] if i in columns else numbers(answer.column(f"a{i}"))[rows]
        ordered = tuple(columns[i] for i in range(len(self.aggregates)))
        found = Totals(people[rows], ordered, sizes, fetch, wires, rows)
        if self.keys is None:
            return found
        listed = found.keys(np.arange(len(rows)))
        places = {key[0] if len(wires) == 1 else key: place for place, key in enumerate(listed)}
        if len(places) < len(rows):  # proof: apart
            raise EngineError("the engine tells apart keys that Python does not: cast the column")
        order = np.array([places.get(key, len(rows)) for key in self.keys], np.intp)  # Beyond the last is nobody.
        (taken,) = _taken((found.people,), order)
        return Totals(taken, _taken(ordered, order), sizes)

    def _histograms(self, answer: Any, which: NDArray[np.int64] | None, rows: NDArray[np.intp]) -> dict[int, Any]:
        """Return histograms and numbers of values, by the places of their aggregates: of the groups in these rows."""
        if which is None:
            return {}
        bins, counts = numbers(answer.column("x")), numbers(answer.column("people"))
        found: dict[int, Any] = {}
        same = alike(answer, [f"k{i}" for i in range(len(self.by))])
        group = np.full(int(same.max(initial=0)) + 1, -1, np.intp)
        group[same[rows]] = np.arange(len(rows))  # proof: numbered
        for i in (*self._binned, *self._brought):
            cells = np.flatnonzero(which == i + 1)
            if (group[same[cells]] < 0).any():  # proof: matched
                raise EngineError("the engine takes keys for equal that Arrow tells apart: cast the column")
            if self.aggregates[i].brings:
                found[i] = np.zeros(len(rows), np.int64)
                found[i][group[same[cells]]] = counts[cells]
            else:
                found[i] = Histograms.of(group[same[cells]], bins[cells], counts[cells], len(rows))
        return found

    def expression(self, table: Any, salt: bytes) -> Any:
        """Return the query: one row per group, with its keys k0, k1, ..., its people, and the totals a0, a1, ...

        With sizes, a column b is 0 there; further rows have the number of a bin in it, and how many people are in it.
        With histograms, h and x are 0 there; further rows have keys, which histogram h, a bin x of it, and its people.
        """
        self.input_domain.validate(table)
        engine = engine_of(table)
        engine.check(table, self.input_domain.columns)
        rows = self.rows(table, engine)
        keys = [f"k{i}" for i in range(len(self.by))]
        if self.person is None:  # proof: row
            brought = {i: rows.select(*keys, w=rows[f"w{i}"]) for i in self._brought}
            return self._totals(rows.mutate(n=1), keys, brought, {})
        who = [f"p{i}" for i in range(len(self.person))]
        brought = {i: self._first_values(rows, i, Order.of(engine, salt), who, keys) for i in self._brought}
        shared = self._shared(table, engine)
        if (packing := self._packing(engine, shared)) is not None:
            each = packing.each(rows, [*who, *keys], engine)
        else:
            each = self.each(rows, [*who, *keys], shared.values())
        if not keys:
            each = each if self.sizes is None else each.mutate(b=self.sizes.bin(each))
            return self._totals(each, keys, brought, shared)
        order = Order.of(engine, salt, self.common(table, engine))
        return self._totals(*self._bounded(each, order, who, keys, brought, packing), shared)

    def rows(self, table: Any, engine: Engine, number: Callable[[Any], Any] | None = None) -> Any:
        """Return the rows that count: people p0, p1, ..., keys k0, k1, ... and values s0, s1, ..., or w0, w1, ...

        Numbers are on their grids, unless it is said which *number* is made of a value; values w are as keys are.
        """
        rows = self._narrow(table)  # proof: where
        columns: dict[str, Any] = {}
        wanted: list[Any] = []
        for letter, names in (("p", self.person or ()), ("k", self.by)):
            for i, name in enumerate(names):
                column = with_type(rows[name], "string")
                engine.usable(column, name, "person" if letter == "p" else "by")
                if letter == "p":
                    columns[f"p{i}"] = engine.who(column)  # proof: same
                    wanted += engine.present(column)  # proof: nobody
                else:
                    columns[f"k{i}"] = engine.key(column)  # proof: readable
        for name, aggregate in self._values.items():
            value = _numbers(rows, str(aggregate.column), engine)
            wanted += engine.present(value)  # proof: valueless
            columns[name] = aggregate.placed(value, engine) if number is None else number(value)
        for i in self._brought:
            name = str(self.aggregates[i].column)
            value = with_type(rows[name], "string")
            engine.usable(value, name, "column")
            columns[f"w{i}"] = engine.key(value)
            wanted += [*engine.present(value), columns[f"w{i}"].notnull()]  # proof: value
        rows = rows.filter(wanted) if wanted else rows
        rows = rows.select(**columns) if columns else rows
        if self.keys is None:
            return rows
        known = written(self.keys, [table[name] for name in self.by])
        return rows.filter(_among([rows[f"k{i}"] for i in range(len(self.by))], known, engine))  # proof: known

    @property
    def _values(self) -> dict[str, Aggregate]:
        """The aggregates of numbers, by the names s0, s1, ... of those."""
        return {
            f"s{i}": aggregate
            for i, aggregate in enumerate(self.aggregates)
            if aggregate.column is not None and not aggregate.brings
        }

    def _shared(self, table: Any, engine: Engine) -> dict[str, str]:
        """Return for each of the values s0, s1, ... the first that is the same column, whose sums are its sums."""
        first: dict[Any, str] = {}
        values = {
            name: each.placed(_numbers(table, str(each.column), engine), engine) for name, each in self._values.items()
        }
        return {name: first.setdefault(value.op(), name) for name, value in values.items()}  # proof: shared

    def _packing(self, engine: Engine, shared: Mapping[str, str]) -> Packing | None:
        """Return how sums are packed, where there are groups to wait for, and rows are not looked at before."""
        looked_at = self.sizes is not None and self.sizes.rows is not None
        if not self.by or looked_at or engine.wide(literal(0)) is None:
            return None
        return Packing.of({name: self._values[name].bounds for name in dict.fromkeys(shared.values())})

    def _narrow(self, table: Any) -> Any:
        """Return the rows that pass the filter, with the columns that are needed: engines are slow on thousands."""
        wanted = dict.fromkeys(self.input_domain.columns)
        if self.where is None:
            return table.select(*wanted) if wanted else table
        rows = table.select(*wanted, *(used(predicate(table, self.where)) - wanted.keys()))
        return rows.filter(predicate(rows, self.where))

    def first_groups(
        self, each: Any, order: Order, who: list[str], keys: list[str], more: Callable[[Any], Mapping[str, Any]]
    ) -> Any:
        """Return each person's first groups in the keyed order, from a row for each person and group.

        They are numbered r; *more* gives further columns, over all of a person's groups.
        """
        placed = order.placed(each, who, keys)
        ranked = placed.mutate(r=_rank(placed, who, keys), **more(placed))
        return ranked.filter(ranked.r <= self.max_groups)  # proof: first

    def _first_values(self, rows: Any, place: int, order: Order, who: list[str], keys: list[str]) -> Any:
        """Return each person's first values w in a group, in the keyed order, for the aggregate at a place."""
        pairs = rows.select(*who, *keys, w=rows[f"w{place}"]).distinct()  # proof: pairs
        placed = order.placed(pairs, who, [*keys, "w"])
        ranked = placed.mutate(q=_rank(placed, [*who, *keys], ["w"]))
        return ranked.filter(ranked.q <= self.aggregates[place].brings).select(*who, *keys, "w")  # proof: brought

    def _bounded(
        self,
        each: Any,
        order: Order,
        who: list[str],
        keys: list[str],
        brought: Mapping[int, Any],
        packing: Packing | None,
    ) -> tuple[Any, list[str], dict[int, Any]]:
        """Return each person's first groups in the keyed order, from a row for each person and group.

        With them are the names of keys, and what is brought to these groups. What is packed is unpacked last: until
        then, it is what all groups of all people are held in.
        """
        sizes = self.sizes
        kept = self.first_groups(
            each, order, who, keys, lambda placed: {} if sizes is None else sizes.of_people(placed, who)
        )
        kept = kept if packing is None else packing.unpacked(kept)
        if self.sizes is not None:
            bins = self.sizes.bin(kept, self.max_groups)
            kept = kept.mutate(b=(kept.r == 1).ifelse(bins, 0))  # proof: bin
        groups = kept.select(**{f"o{name}": kept[name] for name in (*who, *keys)})
        values = {}
        for i, pairs in brought.items():
            same = [pairs[name] == groups[f"o{name}"] for name in who]
            same += [pairs[name].identical_to(groups[f"o{name}"]) for name in keys]
            values[i] = pairs.inner_join(groups, same)  # proof: there
        return kept, keys, values

    def common(self, table: Any, engine: Engine) -> Any:
        """Return the groups of a table's first rows, where an engine looks codes up faster than it computes them.

        A table that is the result of a query is not asked for them: it might be computed twice.
        """
        import ibis.expr.operations as ops

        if not engine.ahead or not isinstance(table.op(), ops.PhysicalTable):
            return None
        rows = table.limit(engine.ahead)
        keys = {f"k{i}": engine.key(with_type(rows[name], "string")) for i, name in enumerate(self.by)}
        return rows.select(**keys).distinct()  # proof: apiece

    def each(self, rows: Any, who: list[str], summed: Iterable[str] | None = None) -> Any:
        """Return one row for each person, or for each person and group: how many rows, and the sums of the values.

        Those that are *summed* are all of them unless said.
        """
        names = self._values if summed is None else dict.fromkeys(summed)
        sums = {name: rows[name].sum().cast("int64") for name in names}
        if self.sizes is not None and self.sizes.values is not None:
            sums["d"] = rows[f"w{self.sizes.values}"].nunique().cast("int64")
        return rows.group_by(who).agg(n=rows.count().cast("int64"), **sums)

    def _totals(self, each: Any, keys: list[str], brought: Mapping[int, Any], shared: Mapping[str, str]) -> Any:
        """Return what people add up to, each of whom has one row in a group: totals of groups, and of bins of them.

        Of aggregates of distinct values it is how many different ones are *brought*. Those that are *shared* are under
        the names of others.
        """
        found, bins = {"people": each.count()}, {} if self.sizes is None else {"b": each.b}
        for i, aggregate in enumerate(self.aggregates):
            name = shared.get(f"s{i}", f"s{i}")
            s = each[name] if name in each.columns else None
            if i in self._binned:
                bins[f"x{i}"] = aggregate.bin(each, s).cast("int64")  # proof: cell
            elif i not in brought:
                found[f"a{i}"] = aggregate.total(each, s)
        totals = {name: column.fill_null(0).cast("int64") for name, column in found.items()}
        by = {name: each[name] for name in keys} | bins
        cells = each.group_by(**by).agg(**totals) if by else each.agg(**totals)
        if not bins:
            return cells if not brought else self._with_bins(cells, cells, keys, brought)
        sums = {name: cells[name].sum().fill_null(0).cast("int64") for name in totals}
        groups = cells.group_by(keys).agg(**sums) if keys else cells.agg(**sums)
        return self._with_bins(groups, cells, keys, brought)

    def _with_bins(self, groups: Any, cells: Any, keys: list[str], brought: Mapping[int, Any]) -> Any:
        """Return the rows of groups; those of sizes, whose b is a bin, from 1 on; and those of histogram i.

        The latter have h = i + 1, and x is the bin; so have numbers of distinct values, whose x is 0.
        """
        import ibis

        parts = [] if self.sizes is None else [cells.filter(cells.b > 0).group_by("b").agg(people=_people(cells))]
        for i in self._binned:
            bins = cells.group_by(*keys, x=cells[f"x{i}"]).agg(people=_people(cells))
            parts.append(bins.mutate(h=ibis.literal(i + 1, "int64")))
        for i, values in brought.items():
            once = values.select(*keys, "w").distinct()  # proof: different
            many = once.count().cast("int64")
            number = once.group_by(keys).agg(people=many) if keys else once.agg(people=many)
            parts.append(number.mutate(h=ibis.literal(i + 1, "int64")))
        marks = (["b"] if self.sizes is not None else []) + (["h", "x"] if self._binned or brought else [])
        rows = groups.mutate(**{name: ibis.literal(0, "int64") for name in marks})
        for part in parts:
            lacks = {name: kind for name, kind in rows.schema().items() if name not in part.columns}
            empty = {name: ibis.literal(None if name[0] == "k" else 0, kind) for name, kind in lacks.items()}
            rows = rows.union(part.mutate(**empty).select(*rows.columns))
        return rows

    @property
    def _binned(self) -> list[int]:
        """The places of the aggregates that count people by bin."""
        return [i for i, aggregate in enumerate(self.aggregates) if aggregate.bins]

    @property
    def _brought(self) -> list[int]:
        """The places of the aggregates that count distinct values."""
        return [i for i, aggregate in enumerate(self.aggregates) if aggregate.brings]


def _rank(placed: Any, among: list[str], names: list[str]) -> Any:
    """Return how many rows that share some columns are not after each in the order; what is so named is placed."""
    import ibis

    ties = [placed[name] for name in names if placed[name].type().is_floating()]  # Close ones share a code.
    group_by = [placed[name] for name in among]
    until = ibis.range_window(group_by=group_by, order_by=[placed.v, *ties], preceding=None, following=0)
    return placed.count().over(until)


def _numbers(rows: Any, name: str, engine: Engine) -> Any:
    """Return a column of numbers."""
    value = with_type(rows[name], "float64")
    value = engine.text_number(value) if value.type().is_string() else value  # proof: number
    if not value.type().is_numeric() or value.type().is_boolean():
        raise KindError("column", name, f"a column of numbers, not {value.type()}")
    return value


def _people(cells: Any) -> Any:
    return cells.people.sum().cast("int64")


def _taken(columns: Iterable[Any], order: NDArray[np.intp]) -> tuple[Any, ...]:
    """Return columns at some places; after the last place is a group of nobody, as histograms have it already."""
    return tuple((np.append(each, 0) if isinstance(each, np.ndarray) else each)[order] for each in columns)


def with_type(column: Any, kind: str) -> Any:
    """Return a column with a type: a frame's column of nothing but nulls has none, and that it is so is private."""
    return column.cast(kind) if column.type().is_null() else column


def _listed(column: Any) -> list[Any]:
    """Return keys as Python has them; moments with Python's own UTC, not with that of a package which Arrow prefers."""
    keys = column.to_pylist()
    if getattr(column.type, "tz", None) is None:
        return keys  # type: ignore[no-any-return]
    return [None if key is None else key.replace(tzinfo=UTC) for key in keys]


def key_domains(table: Any, by: Sequence[str]) -> tuple[Keys, ...]:
    """Return the domains of the keys of a table's columns, which its schema decides alone."""
    return tuple(domain_of(with_type(table[name], "string").type()) for name in by)


def arrow_types(table: Any, by: Sequence[str]) -> tuple[Any, ...]:
    """Return the Arrow types of the keys of a table's columns."""
    return tuple(wire.type for wire in key_wires(table, by))


def key_wires(table: Any, by: Sequence[str]) -> tuple[Wire, ...]:
    """Return how the keys of a table's columns travel."""
    return tuple(Wire.of(with_type(table[name], "string").type()) for name in by)  # proof: typed


def _key_types(domains: Sequence[Keys], by: tuple[str, ...]) -> tuple[Keys, ...]:
    given = tuple(domains) if isinstance(domains, list | tuple) else ()
    if len(given) != len(by) or not all(isinstance(domain, Keys) for domain in given):
        raise KindError("key_types", domains, "a domain of keys for each group column, such as [Texts()]")
    return given


def _among(columns: list[Any], known: Known, engine: Engine) -> Any:
    """Return the condition that a group is one of the known keys."""
    import ibis

    first, *rest = columns
    if not rest:
        return _one_of(first, [key[0] for key in known], engine)
    tails: dict[Any, list[tuple[Any, ...]]] = {}
    for key in known:
        tails.setdefault(key[0], []).append(key[1:])
    firsts: dict[tuple[Any, ...], list[Any]] = {}
    for one, tail in tails.items():
        firsts.setdefault(tuple(tail), []).append(one)  # A product of columns is one condition a column.
    return ibis.or_(*(_one_of(first, ones, engine) & _among(rest, tail, engine) for tail, ones in firsts.items()))


def _one_of(column: Any, known: list[Any], engine: Engine) -> Any:
    """Return the condition that a column is one of some values, each as it travels; bytes are compared as digits."""
    import ibis

    values = [key for key in known if key is not None]
    found = ibis.literal(False)
    if values and column.type().is_binary():
        digits = engine.hex(column).isin([key.hex().upper() for key in values])
        found = (column.notnull() & digits).fill_null(False)  # For SQLite, null has the digits of an empty text.
    elif values:
        found = column.isin([ibis.literal(key, column.type()) for key in values]).fill_null(False)
    return (found | column.isnull()) if len(values) < len(known) else found


def _aggregates(aggregates: Iterable[Aggregate]) -> tuple[Aggregate, ...]:
    found = tuple(listed(aggregates, "aggregates", "a list of aggregates, such as [People()]"))
    for aggregate in found:
        if not isinstance(aggregate, Aggregate):
            raise KindError("aggregates", type(aggregate), "aggregates, such as People()")
    return found


def names(names: str | Sequence[str], name: str) -> tuple[str, ...]:
    """Return names of columns, which are distinct."""
    listed = (names,) if isinstance(names, str) else tuple(names) if isinstance(names, list | tuple) else (None,)
    if not all(isinstance(n, str) for n in listed):
        raise KindError(name, names, "a column's name, or a list of them")
    if len(set(listed)) < len(listed):
        raise ParameterError(name, names, "distinct columns")
    return listed
