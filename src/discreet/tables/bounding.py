"""Bounding: exact totals per group, of which each person may change only so much.

Theorem.  Of a table's rows that pass the filter and have a person and all values, keep each person's first max_groups
groups in a keyed order, and let the person add to each of them what each aggregate says: at most `most` steps. Between
tables that differ by d people, added or removed with all of their rows, and under one salt, the totals of an aggregate
differ in at most d max_groups groups, and in each by at most d times `most`.
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
from discreet.tables.engines import Engine, Fetch, engine_of, numbers
from discreet.tables.keys import Wire, domain_of, written
from discreet.tables.order import Order
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

    *columns* has one array for each of the bounding's aggregates. *sizes* are the numbers of people in each bin.
    """

    people: NDArray[np.int64]
    columns: tuple[NDArray[np.int64], ...]
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
        names = ["people", *(f"a{i}" for i in range(len(self.aggregates)))]
        rows, sizes = np.arange(answer.num_rows), None
        arrays = [numbers(answer.column(name)) for name in names]
        if self.sizes is not None:
            bins = numbers(answer.column("b"))
            sizes = np.zeros(self.sizes.count, np.int64)
            sizes[bins[bins > 0] - 1] = arrays[0][bins > 0]
            rows = np.flatnonzero(bins == 0)
            arrays = [array[rows] for array in arrays]
        found = Totals(arrays[0], tuple(arrays[1:]), sizes, fetch, wires, rows)
        if self.keys is None:
            return found
        listed = found.keys(np.arange(len(rows)))
        places = {key[0] if len(wires) == 1 else key: place for place, key in enumerate(listed)}
        if len(places) < len(rows):  # proof: apart
            raise EngineError("the engine tells apart keys that Python does not: cast the column")
        order = [places.get(key, -1) for key in self.keys]  # Where -1 is, 0 will be.
        people, *columns = (np.append(array, 0)[order] for array in arrays)
        return Totals(people, tuple(columns), sizes)

    def expression(self, table: Any, salt: bytes) -> Any:
        """Return the query: one row per group, with its keys k0, k1, ..., its people, and the totals a0, a1, ...

        With sizes, a column b is 0 there; further rows have the number of a bin in it, and how many people are in it.
        """
        self.input_domain.validate(table)
        engine = engine_of(table)
        engine.check(table, self.input_domain.columns)
        rows = self.rows(table, engine)
        keys = [f"k{i}" for i in range(len(self.by))]
        known = None if self.keys is None else written(self.keys, [table[name] for name in self.by])
        if known is not None:
            rows = rows.filter(_among([rows[key] for key in keys], known, engine))  # proof: known
        if self.person is None:  # proof: row
            return self._grouped(rows.mutate(n=1), {key: rows[key] for key in keys})
        who = [f"p{i}" for i in range(len(self.person))]
        if not keys:
            each = self.each(rows, who)
            if self.sizes is None:
                return self._grouped(each, {})
            found = self._grouped(each.mutate(b=self.sizes.bin(each)), {})
            return _with_bins(found.agg(**self._summed(found)), found)
        order = Order.of(engine, salt, self.common(table, engine))
        return self._bounded(self.each(rows, [*who, *keys]), order, who, keys)

    def rows(self, table: Any, engine: Engine) -> Any:
        """Return the rows that count: people p0, p1, ..., keys k0, k1, ... and values s0, s1, ... on their grids."""
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
            value = with_type(rows[aggregate.column], "float64")
            value = engine.text_number(value) if value.type().is_string() else value  # proof: number
            if not value.type().is_numeric() or value.type().is_boolean():
                raise KindError("column", aggregate.column, f"a column of numbers, not {value.type()}")
            wanted += engine.present(value)  # proof: valueless
            columns[name] = aggregate.placed(value, engine)
        rows = rows.filter(wanted) if wanted else rows
        return rows.select(**columns) if columns else rows

    @property
    def _values(self) -> dict[str, Aggregate]:
        """The aggregates that have values, by the names s0, s1, ... of those."""
        return {f"s{i}": aggregate for i, aggregate in enumerate(self.aggregates) if aggregate.column is not None}

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
        import ibis

        placed = order.placed(each, who, keys)
        people = [placed[p] for p in who]
        ties = [placed[key] for key in keys if placed[key].type().is_floating()]  # Close ones share a code.
        until = ibis.range_window(group_by=people, order_by=[placed.v, *ties], preceding=None, following=0)
        ranked = placed.mutate(r=placed.count().over(until), **more(placed))
        return ranked.filter(ranked.r <= self.max_groups)  # proof: first

    def _bounded(self, each: Any, order: Order, who: list[str], keys: list[str]) -> Any:
        """Return the totals of each person's first groups in the keyed order, from a row for each person and group."""
        sizes = self.sizes
        kept = self.first_groups(
            each, order, who, keys, lambda placed: {} if sizes is None else sizes.of_people(placed, who)
        )
        if self.sizes is None:
            return self._grouped(kept, {key: kept[key] for key in keys})
        bins = self.sizes.bin(kept, self.max_groups)
        kept = kept.mutate(b=(kept.r == 1).ifelse(bins, 0))  # proof: bin
        found = self._grouped(kept, {key: kept[key] for key in keys})
        return _with_bins(found.group_by(keys).agg(**self._summed(found)), found)

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

    def each(self, rows: Any, who: list[str]) -> Any:
        """Return one row for each person, or for each person and group: how many rows, and the sums of the values."""
        sums = {name: rows[name].sum().cast("int64") for name in self._values}
        return rows.group_by(who).agg(n=rows.count().cast("int64"), **sums)

    def _grouped(self, each: Any, keys: Mapping[str, Any]) -> Any:
        """Return what people add up to in each group, and in each bin of it: each has one row there."""
        found = {"people": each.count()} | {
            f"a{i}": aggregate.total(each, each[f"s{i}"] if f"s{i}" in each.columns else None)
            for i, aggregate in enumerate(self.aggregates)
        }
        totals = {name: column.fill_null(0).cast("int64") for name, column in found.items()}
        by = dict(keys) if self.sizes is None else {**keys, "b": each.b}
        return each.group_by(**by).agg(**totals) if by else each.agg(**totals)

    def _summed(self, found: Any) -> dict[str, Any]:
        """Return the people and totals of groups from those of the bins within."""
        names = ["people", *(f"a{i}" for i in range(len(self.aggregates)))]
        return {name: found[name].sum().fill_null(0).cast("int64") for name in names}


def _with_bins(groups: Any, found: Any) -> Any:
    """Return the rows of groups, and those of bins, which have a number b above 0."""
    import ibis

    bins = found.filter(found.b > 0).group_by("b").agg(people=found.people.sum().cast("int64"))
    rows = groups.mutate(b=ibis.literal(0, "int64"))
    empty = {name: ibis.literal(None, kind) for name, kind in rows.schema().items() if name[0] == "k"}
    zeros = {name: ibis.literal(0, "int64") for name in rows.columns if name[0] == "a"}
    return rows.union(bins.mutate(**empty, **zeros).select(*rows.columns))


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
    return ibis.or_(*(_one_of(first, [one], engine) & _among(rest, tail, engine) for one, tail in tails.items()))


def _one_of(column: Any, known: list[Any], engine: Engine) -> Any:
    """Return the condition that a column is one of some values, each as it travels; bytes are compared as digits."""
    import ibis

    values = [key for key in known if key is not None]
    found = ibis.literal(False)
    if values and column.type().is_binary():
        found = engine.hex(column).isin([key.hex().upper() for key in values]).fill_null(False)
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
