"""The bounding plan: an exact aggregate per group, of which each person may change only so much.

Theorem.  Of a table's rows that pass the filter and have a person and a value, keep each person's first max_groups
groups in a keyed order, and let the person add 1 to each ("people"), or their number of rows up to max_rows ("rows"),
or the sum or the mean of their values on an integer grid, clipped to [low, high] ("sum", "mean"). Between tables that
differ by d people, added or removed with all of their rows, and under one salt, the results differ in at most
d max_groups groups, and in each by at most d times the largest such number.
Proof: plan.md, which cites the marked lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC
from fractions import Fraction
from math import ceil, floor
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from discreet.coins import SYSTEM
from discreet.core import Transformation
from discreet.domains import (
    FOREIGN,
    Categories,
    Domain,
    Integers,
    Keys,
    Maps,
    Nullable,
    Objects,
    Tuples,
    Vectors,
)
from discreet.errors import EngineError, KindError, ParameterError, one_of
from discreet.exact import Exact, exact, listed, whole
from discreet.frozen import freeze
from discreet.metrics import L01InfDistance, L1Distance, PersonDistance
from discreet.tables.engines import Engine, engine_of
from discreet.tables.keys import Wire, domain_of, written
from discreet.tables.order import HALF, ID_BITS, Order
from discreet.tables.texts import numbers
from discreet.tables.where import predicate, used

if TYPE_CHECKING:
    from discreet.metrics import Metric

__all__ = ["Found", "Plan", "Tables", "key_domains"]

Known = Sequence[tuple[int | float | bytes | None, ...]]
_AGGREGATES: Final = ("people", "rows", "sum", "mean")
_MOST: Final = 1 << 31
"""What one person may add to a group: four thousand million people then fit into 64 bits."""


@final
@dataclass(frozen=True, slots=True, init=False)
class Tables(Domain):
    """Ibis tables, on any engine, that have certain columns, and at most 2**32 groups."""

    columns: tuple[str, ...]

    def __init__(self, columns: Iterable[str]) -> None:
        freeze(self, columns=tuple(listed(columns, "columns", "a list of names of columns")))

    def canonical(self, x: object, /) -> Any:
        """Return the table itself."""
        if type(x).__module__.partition(".")[0] != "ibis" or not hasattr(x, "get_backend"):
            return FOREIGN
        columns = getattr(x, "columns", ())
        return x if isinstance(columns, tuple) and set(self.columns) <= set(columns) else FOREIGN


class Found(NamedTuple):
    """What an engine answers: the groups' keys, a column of each aggregate, and the Arrow types of the keys."""

    keys: list[tuple[Any, ...]]
    aggregates: dict[str, list[int]]
    types: tuple[Any, ...]


@final
@dataclass(frozen=True, slots=True, init=False)
class Plan(Transformation[Any, Any]):
    """What each person may contribute to an aggregate per group, as one query of the engine that holds the table.

    The result is a dict from groups to integers, for `LaplaceThreshold`; or, where *keys* are known or there are no
    groups, a list of integers in the order of the keys, for `IntegerLaplace`. Sums and means are in units of *grid*.
    Rows in which a person column is null or NaN are dropped, and so are rows without a value; null is a group like any
    other. Without a *person*, each row is a person. A mean is the sum of people's means, to be divided by their number.

    *key_types* are the domains of the group columns' keys, as `key_domains` reads them from a table. The salt is drawn
    anew for each application, unless one is given.

    >>> from discreet import LaplaceThreshold, Texts
    >>> plan = Plan("people", person="user_id", by="city", max_groups=3, key_types=[Texts()])
    >>> plan.stability_map(1)
    (3, 3, 1)
    >>> (plan >> LaplaceThreshold.within(epsilon=1, delta="1e-6", l0=3, domain=plan.output_domain)).privacy_map(1)[0]
    1.0
    >>> plan = Plan("sum", person="user_id", by="city", max_groups=3, value="amount", low=0, high=100, grid="0.01")
    >>> plan.stability_map(1)
    (3, 30000, 10000)
    """

    aggregate: str
    person: tuple[str, ...] | None
    by: tuple[str, ...]
    max_groups: int
    max_rows: int
    value: str | None
    low: Fraction | None
    high: Fraction | None
    grid: Fraction | None
    where: str | None
    keys: tuple[Any, ...] | None
    key_types: tuple[Keys, ...] | None
    salt: bytes | None = field(repr=False)

    def __init__(
        self,
        aggregate: str,
        *,
        person: str | Sequence[str] | None,
        by: str | Sequence[str] = (),
        max_groups: int = 1,
        max_rows: int = 1,
        value: str | None = None,
        low: Exact | None = None,
        high: Exact | None = None,
        grid: Exact | None = None,
        where: str | None = None,
        keys: Iterable[Any] | None = None,
        key_types: Sequence[Keys] | None = None,
        salt: bytes | None = None,
    ) -> None:
        one_of("aggregate", aggregate, _AGGREGATES)
        if where is not None and not isinstance(where, str):
            raise KindError("where", where, "a condition as SQL text")
        if salt is not None and not (isinstance(salt, bytes) and len(salt) >= 16):
            raise KindError("salt", type(salt), "16 bytes or more")
        who, groups = (None if person is None else names(person, "person")), names(by, "by")
        if who == ():
            raise ParameterError("person", person, "at least one column, or None")
        if who is None and (max_groups, max_rows) != (1, 1):
            raise ParameterError("max_groups", max_groups, "1, and max_rows=1, where each row is a person")
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
            aggregate=aggregate,
            person=who,
            by=groups,
            max_groups=_count(max_groups, "max_groups"),
            max_rows=_count(max_rows, "max_rows"),
            where=where,
            keys=keys,
            key_types=None if key_types is None else _key_types(key_types, groups),
            salt=salt,
            **_scale(aggregate, value, low, high, grid),
        )

    @property
    def input_domain(self) -> Tables:
        """Tables that have the plan's columns."""
        value = () if self.value is None else (self.value,)
        return Tables(dict.fromkeys((*(self.person or ()), *self.by, *value)))

    @property
    def input_metric(self) -> PersonDistance:
        """How many people are added or removed."""
        return PersonDistance(self.person)

    @property
    def output_domain(self) -> Domain:
        """Integers per group, or a vector of them where the groups are known."""
        return Maps(self._key_domain, Integers()) if self._open else Vectors(Integers(), size=len(self.keys or ((),)))

    @property
    def _key_domain(self) -> Keys:
        """What the keys are: of the declared types or null, or else whatever the engine says."""
        if self.key_types is None:
            return Objects()
        nullable = [Nullable(domain) for domain in self.key_types]
        return nullable[0] if len(nullable) == 1 else Tuples(*nullable)

    @property
    def output_metric(self) -> Metric:
        """In how many groups, by how much in all and at most; or by how much in all, where the groups are known."""
        return L01InfDistance() if self._open else L1Distance()

    @property
    def steps(self) -> tuple[int, int]:
        """The bounds of one person's contribution to a group, in units of the grid; for means, in halves of it.

        What is released of a mean is twice its distance from the middle of the bounds: that needs the least noise.
        """
        if self.aggregate == "people":
            return 0, 1
        if self.aggregate == "rows":
            return 0, self.max_rows
        low, high = self._bounds
        return (low, high) if self.aggregate == "sum" else (low - high, high - low)

    @property
    def _open(self) -> bool:
        """Whether the groups are private."""
        return bool(self.by) and self.keys is None

    @property
    def _bounds(self) -> tuple[int, int]:
        """The bounds of a value, in units of the grid."""
        if self.low is None or self.high is None or self.grid is None:
            return 0, 0
        return _nearest(self.low / self.grid), _nearest(self.high / self.grid)

    def stability_map(self, d_in: int, /) -> Any:
        """Return (l0, l1, li) between results, or l1 where the groups are known, for *d_in* people added or removed."""
        d = self.input_metric.check(d_in)
        groups = self.max_groups if self.by else 1
        if self.keys is not None:
            groups = min(groups, len(self.keys))
        most = max(map(abs, self.steps))
        l1 = d * groups * most  # proof: map
        return (d * groups, l1, d * most) if self._open else l1

    def counting(self) -> Plan:
        """Return the plan that counts the people behind this one, from the same query and under the same bounds."""
        return replace(self, aggregate="people")

    def apply(self, x: Any, /) -> Any:
        """Return the aggregate of an Ibis table."""
        return self.read(self.run(x))

    def run(self, table: Any) -> Found:
        """Ask the engine; return the groups' keys, of their columns' own types, and their aggregates."""
        salt = SYSTEM.words(4).tobytes() if self.salt is None else self.salt  # proof: salt
        query = self.expression(table, salt)
        wires = [Wire.of(_known(table[name], "string").type()) for name in self.by]  # proof: typed
        if self.key_types not in (None, key_domains(table, self.by)):
            raise KindError("key_types", self.key_types, f"{key_domains(table, self.by)!r}, as the columns are")
        answer = engine_of(table).answer(query)
        columns = [_listed(wire.read(answer.column(i))) for i, wire in enumerate(wires)]
        keys = list(zip(*columns, strict=True)) if wires else [()] * answer.num_rows
        if len(set(keys)) < len(keys):  # proof: apart
            raise EngineError("the engine tells apart keys that Python does not: cast the column")
        aggregates = {name: answer.column(name).to_pylist() for name in answer.column_names[len(wires) :]}
        return Found(keys, aggregates, tuple(wire.type for wire in wires))

    def read(self, answer: Found) -> Any:
        """Return this plan's aggregate from what the engine answered to it, or to the plan that it is counting for."""
        named = (key[0] for key in answer.keys) if len(self.by) == 1 else answer.keys
        found = dict(zip(named, self._values(answer.aggregates), strict=True))
        if self._open:
            return found
        return [found.get(key, 0) for key in (self.keys or ((),))]

    def _values(self, aggregates: Mapping[str, list[int]]) -> list[int]:
        """Return the groups' aggregates; for a mean, the sums of twice the distances from the middle of the bounds."""
        if self.aggregate != "mean":
            return aggregates[self.aggregate]
        middle, pairs = sum(self._bounds), zip(aggregates["mean"], aggregates["people"], strict=True)
        return [2 * total - middle * people for total, people in pairs]  # proof: centred

    def expression(self, table: Any, salt: bytes) -> Any:
        """Return the query: one row per group, with columns k0, k1, ... of keys, then people, and rows, sum or mean."""
        self.input_domain.validate(table)
        engine = engine_of(table)
        engine.check(table, self.input_domain.columns)
        rows = self._rows(table, engine)
        keys = [f"k{i}" for i in range(len(self.by))]
        if self.person is None:  # proof: row
            return self._grouped(rows.mutate(n=1), {key: rows[key] for key in keys})
        who = [f"p{i}" for i in range(len(self.person))]
        if not keys:
            return self._grouped(_each(rows, who), {})
        known = None if self.keys is None else written(self.keys, [table[name] for name in self.by])
        return self._bounded(rows, Order.of(engine, salt), who, keys, known)

    def contributions(self, table: Any) -> Any:
        """Return the rows that count, before bounding: people p0, p1, ..., groups k0, k1, ... and the value s."""
        self.input_domain.validate(table)
        engine = engine_of(table)
        engine.check(table, self.input_domain.columns)
        rows = self._rows(table, engine)
        if self.keys is None:
            return rows
        known = written(self.keys, [table[name] for name in self.by])
        return rows.filter(_among([rows[f"k{i}"] for i in range(len(self.by))], known, engine))

    def _rows(self, table: Any, engine: Engine) -> Any:
        """Return the rows that count: people p0, p1, ..., keys k0, k1, ... and the value s on the grid."""
        import ibis

        rows = self._narrow(table)  # proof: where
        columns: dict[str, Any] = {}
        wanted: list[Any] = []
        for letter, names in (("p", self.person or ()), ("k", self.by)):
            for i, name in enumerate(names):
                column = _known(rows[name], "string")
                engine.usable(column, name, "person" if letter == "p" else "by")
                if letter == "p":
                    columns[f"p{i}"] = engine.who(column)  # proof: same
                    wanted += engine.present(column)  # proof: nobody
                else:
                    columns[f"k{i}"] = engine.key(column)  # proof: readable
        columns["s"] = ibis.literal(0, "int64")
        if self.value is not None:
            value = _known(rows[self.value], "float64")
            if value.type().is_string() and engine.name == "duckdb":  # proof: number
                value = numbers(value)
            if not value.type().is_numeric() or value.type().is_boolean():
                raise KindError("value", self.value, f"a column of numbers, not {value.type()}")
            wanted += engine.present(value)  # proof: valueless
            columns["s"] = self._step(value, engine)
        return (rows.filter(wanted) if wanted else rows).select(**columns)

    def _narrow(self, table: Any) -> Any:
        """Return the rows that pass the filter, with the columns that are needed: engines are slow on thousands."""
        wanted = dict.fromkeys(self.input_domain.columns)
        if self.where is None:
            return table.select(*wanted) if wanted else table
        rows = table.select(*wanted, *(used(predicate(table, self.where)) - wanted.keys()))
        return rows.filter(predicate(rows, self.where))

    def _step(self, value: Any, engine: Engine) -> Any:
        """Return a value on the grid, between the bounds."""
        assert self.low is not None and self.high is not None and self.grid is not None  # noqa: PT018, S101
        multiply, divide = float(self.grid.denominator), float(self.grid.numerator)
        x = engine.real(value, floor(self.low), ceil(self.high))
        step = engine.nearest(x, float(self.low), float(self.high), multiply, divide)
        return step.clip(*self._bounds)  # proof: step

    def _bounded(self, rows: Any, order: Order, who: list[str], keys: list[str], known: Known | None) -> Any:
        """Return the aggregates of each person's first groups in the keyed order."""
        import ibis

        groups = _dictionary(rows, order, keys, known)
        people, who = _numbered(rows, order, who)
        joined = people.join(groups, [order.engine.same(people[key], groups[key]) for key in keys])
        placed = order.placed(joined, [*who, "s"])
        first = ibis.dense_rank().over(group_by=[placed[p] for p in who], order_by=placed.v)
        kept = placed.mutate(r=first).filter(lambda t: t.r < self.max_groups)  # proof: first
        each = _each(kept, [*who, "v"])
        found = self._grouped(each, {"g": each.v & ((1 << ID_BITS) - 1)})
        back = groups.join(found, groups.id == found.g)  # On the left, unlike above: Ibis then writes it once.
        return back.select(*keys, *found.columns[1:])

    def _grouped(self, each: Any, keys: Mapping[str, Any]) -> Any:
        """Return what people add up to in each group: each has one row with n rows and the sum s of their values."""
        low, high = self.steps if self.aggregate == "rows" else self._bounds
        columns = {"people": each.count()}
        if self.aggregate == "rows":
            columns["rows"] = each.n.clip(upper=high).sum()  # proof: rows
        if self.aggregate == "sum":
            columns["sum"] = each.s.clip(low, high).sum()  # proof: sum
        if self.aggregate == "mean":
            # Nearest to the mean, counted from the lower bound up: no negative number is divided.
            twice = (2 * (each.s - low * each.n) + each.n).cast("float64") / (2 * each.n).cast("float64")
            columns["mean"] = (twice.floor().cast("int64") + low).clip(low, high).sum()  # proof: mean
        totals = {name: column.fill_null(0).cast("int64") for name, column in columns.items()}
        return each.group_by(**keys).agg(**totals) if keys else each.agg(**totals)


def _known(column: Any, kind: str) -> Any:
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
    return tuple(domain_of(_known(table[name], "string").type()) for name in by)


def _key_types(domains: Sequence[Keys], by: tuple[str, ...]) -> tuple[Keys, ...]:
    given = tuple(domains) if isinstance(domains, list | tuple) else ()
    if len(given) != len(by) or not all(isinstance(domain, Keys) for domain in given):
        raise KindError("key_types", domains, "a domain of keys for each group column, such as [Texts()]")
    return given


def _each(rows: Any, who: list[str]) -> Any:
    """Return one row for each person, or for each person and group: how many rows, and the sum of the values."""
    return rows.group_by(who).agg(n=rows.count().cast("int64"), s=rows.s.sum().cast("int64"))


def _dictionary(rows: Any, order: Order, keys: list[str], known: Known | None) -> Any:
    """Return the groups, each with a number in the order of its code, and the halves of the code."""
    import ibis

    groups = rows.select(*keys).distinct()
    if known is not None:
        groups = groups.filter(_among([groups[key] for key in keys], known, order.engine))  # proof: known
    coded = groups.mutate(c=order.code("g", [groups[key] for key in keys]))
    place = ibis.row_number().over(order_by=[coded.c, *(coded[key] for key in keys)])  # proof: dense
    return coded.select(*keys, id=place.cast("int64"), y1=coded.c >> 28, y2=coded.c & (HALF - 1))


def _numbered(rows: Any, order: Order, who: list[str]) -> tuple[Any, list[str]]:
    """Return the rows with a number x for each person: their integer, or their code."""
    import ibis

    kind = rows[who[0]].type()
    if len(who) == 1 and kind.is_integer() and not kind.is_uint64():
        return rows.mutate(x=rows[who[0]].cast("int64")), who

    def code(table: Any) -> Any:
        return order.code("p", [order.engine.key(table[p]) for p in who])

    if not order.engine.joins_people:
        return rows.mutate(x=code(rows)), who
    people = rows.select(*who).distinct()
    people = people.mutate(x=code(people))
    people = people.mutate(q=ibis.row_number().over(order_by=[people.x, *(people[p] for p in who)]))
    joined = rows.join(people, [rows[p] == people[p] for p in who])  # proof: people
    return joined.select(*[name for name in rows.columns if name not in who], "x", p0=joined.q), ["p0"]


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


def names(names: str | Sequence[str], name: str) -> tuple[str, ...]:
    listed = (names,) if isinstance(names, str) else tuple(names) if isinstance(names, list | tuple) else (None,)
    if not all(isinstance(n, str) for n in listed):
        raise KindError(name, names, "a column's name, or a list of them")
    if len(set(listed)) < len(listed):
        raise ParameterError(name, names, "distinct columns")
    return listed


def _count(value: int, name: str) -> int:
    n = whole(value, name, least=1)
    if n > _MOST:
        raise ParameterError(name, value, f"an integer of at most {_MOST}")
    return n


def _scale(
    aggregate: str, value: str | None, low: Exact | None, high: Exact | None, grid: Exact | None
) -> dict[str, Any]:
    """Return the checked fields of a sum or a mean, or Nones."""
    given = {"low": low, "high": high, "grid": grid}
    if value is None and aggregate in {"sum", "mean"}:
        raise ParameterError("value", value, f"the column of which the {aggregate} is wanted")
    if value is None:
        extra = [name for name, bound in given.items() if bound is not None]
        if extra:
            raise ParameterError(extra[0], given[extra[0]], "a value that it is about")
        return {"value": None, **given}
    if not isinstance(value, str):
        raise KindError("value", value, "a column's name")
    for name, bound in given.items():
        if bound is None:
            raise ParameterError(name, None, "a number")
    lower, upper, unit = (exact(bound, name) for name, bound in given.items() if bound is not None)
    if lower > upper:
        raise ParameterError("low", low, f"low <= high = {upper}")
    if unit <= 0 or max(unit.numerator, unit.denominator) >= 1 << 53:
        raise ParameterError("grid", grid, "grid > 0, a quotient of integers below 2**53")
    if not 1 <= max(abs(_nearest(lower / unit)), abs(_nearest(upper / unit))) <= _MOST:  # proof: most
        raise ParameterError("grid", grid, f"bounds of 1 to {_MOST} units of the grid")
    return {"value": value, "low": lower, "high": upper, "grid": unit}


def _nearest(x: Fraction) -> int:
    """Return the nearest integer, the upper one of two."""
    return (2 * x.numerator + x.denominator) // (2 * x.denominator)
