"""Traits: what a private table says of the same people, such as their ages, joined to their rows in another one.

Of each person one row of the second table is taken, in a keyed order of that person's rows alone; that it is one is
made so and not checked, because a check would tell something about rows. So each row of the first table finds at most
one row, which is its own person's, and stays one row, and whose it was.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from discreet.errors import KindError, MismatchError, ParameterError
from discreet.tables.attributes import own_names
from discreet.tables.data import Data, Derived
from discreet.tables.derived import check_new
from discreet.tables.engines import engine_of, reader_of
from discreet.tables.keys import decimals
from discreet.tables.order import Order, spelled
from discreet.tables.where import predicate

if TYPE_CHECKING:
    from discreet.tables.engines import Engine

__all__ = ["check_books", "own_traits", "said_of_both"]

_KINDS: Final[dict[str, Callable[[Engine, Any], Any]]] = {
    "string": lambda engine, column: engine.bare(column),
    "boolean": lambda engine, column: engine.key(column),
    "integer": lambda engine, column: engine.key(column),
    "floating": lambda engine, column: engine.key(column),
    "decimal": lambda _, column: column,
    "date": lambda engine, column: engine.read_moment(column),
    "timestamp": lambda engine, column: engine.read_moment(column),
}
"""The values of a type in a form of which the greatest is one, whatever the order of rows."""


def own_traits(table: Data, other: Data, salt: bytes) -> tuple[Any, tuple[Derived, ...]]:
    """Return the rows of a table with what another says of each row's person, and how that is told in receipts.

    The salt decides which of several rows is taken.
    """
    import ibis

    who, whom = table.person, other.person
    if who is None or whom is None:
        raise ParameterError("person", None, "a person column in both tables: that is what they are joined by")
    if len(who) != len(whom):
        raise ParameterError("person", whom, f"as many person columns as {who}")
    rows, them = table._ibis, _on_one_engine(table._ibis, other._ibis)
    engine = engine_of(rows)
    traits = [name for name in them.columns if name not in whom]
    check_new(rows, traits)
    for mine, theirs in zip(who, whom, strict=True):
        engine.usable(rows[mine], mine, "person")
        _check_alike(rows[mine], them[theirs], theirs)
    engine.check(rows, who)
    engine.check(them, (*whom, *traits))
    them = them if other.condition is None else them.filter(predicate(them, other.condition))
    names = own_names([*rows.columns, *them.columns], len(whom) + 2 * len(traits))
    people, values = names[: len(whom)], names[len(whom) :: 2]
    kinds = {name: _kind(name, them[name].type()) for name in traits}
    held = {name: _KINDS[kinds[trait]](engine, them[trait]) for name, trait in zip(values, traits, strict=True)}
    same = {name: _who(engine, them[column]) for name, column in zip(people, whom, strict=True)}
    keys = dict(zip(names[len(whom) + 1 :: 2], (engine.key(them[trait]) for trait in traits), strict=True))
    each = them.filter([condition for name in whom for condition in engine.present(them[name])])
    each = each.select(**same, **held, **keys)
    order = Order.of(engine, salt)
    said = [each[name] for name in keys]
    if said:
        code = order.code("t", [*(engine.key(each[name]) for name in people), *said])
        ties = [key for key in said if key.type().is_floating()]  # Close ones are spelled alike.
        window = ibis.window(group_by=[each[name] for name in people], order_by=[code, spelled(engine, said), *ties])
        first = each.mutate(place=ibis.rank().over(window))
        each = first.filter(first.place == 0)  # proof: foremost
    one = each.group_by(people).agg(**{name: each[name].max() for name in values})  # proof: one_each
    found = rows.left_join(one, [_who(engine, rows[a]) == one[b] for a, b in zip(who, people, strict=True)])
    made = {trait: _typed(found[name], them[trait].type()) for name, trait in zip(values, traits, strict=True)}
    wide = found.select(*(found[column] for column in rows.columns), **made)  # proof: beside
    return wide, tuple(Derived(trait, _text(other, trait), None) for trait in traits)


def check_books(table: Data, other: Data) -> None:
    """Raise where two tables have two ledgers: one person in both is one person, who is charged once."""
    if None not in (table.ledger, other.ledger) and table.ledger is not other.ledger:
        raise MismatchError(
            "two tables that are joined need one ledger: give the same Ledger object to both, or to one"
        )


def said_of_both(table: Data, other: Data) -> dict[str, Any]:
    """Return what receipts and kept answers have to know of both: types, filters, and by what they are known again."""
    known = None
    if table.version is not None and other.version is not None:
        known = (*table.version, *other.version, *(other.person or ()))  # By which columns, in which order.
    types: Mapping[str, str] | None = None
    if table.types is not None or other.types is not None:
        types = {**_declared(table), **_declared(other)}
    return {
        "types": types,
        "filters": (*table.filters, *other.filters),
        "version": known,
        "fresh": table.fresh or other.fresh,
        "ledger": other.ledger if table.ledger is None else table.ledger,
    }


def _declared(data: Data) -> dict[str, str]:
    """Return the declared types; where a source has types of its own, that its texts are texts."""
    if data.types is not None:
        return dict(data.types)
    return {name: "text" for name, kind in data._ibis.schema().items() if kind.is_string()}


def _on_one_engine(rows: Any, them: Any) -> Any:
    """Return the second table where the first one is, or can be: frames go anywhere, and files are read from there."""
    import ibis.expr.operations as ops

    mine, theirs = rows.get_backend(), them.get_backend()
    if mine is theirs or _is_one_place(mine, theirs):
        return them
    if mine.name == theirs.name == "duckdb":
        stored, read = (ops.DatabaseTable, ops.SQLQueryResult), reader_of(theirs)
        sources = them.op().find(stored)
        if not sources or not rows.op().find(stored):
            return them
        if read is not None and len(sources) == 1:
            return them.op().replace({sources[0]: read(mine).op()}).to_expr()
    raise MismatchError("two tables that are joined need one engine: load one of them where the other is")


def _is_one_place(mine: Any, theirs: Any) -> bool:
    """Whether two connections lead to the same database: in memory, each has its own."""
    if mine.name != theirs.name or mine != theirs:
        return False
    if mine.name == "sqlite":
        files = [each.con.execute("PRAGMA database_list").fetchall()[0][2] for each in (mine, theirs)]
        return bool(files[0]) and files[0] == files[1]
    return mine.name in ("postgres", "pyspark")


def _check_alike(mine: Any, theirs: Any, name: str) -> None:
    """Raise unless people are told apart alike in both tables: by equal types, or by whole numbers."""
    kinds = [each.type().copy(nullable=True) for each in (mine, theirs)]
    if kinds[0] != kinds[1] and not all(kind.is_integer() and not kind.is_uint64() for kind in kinds):
        raise KindError("person", name, f"the type that the other table's person has, {kinds[0]}, not {kinds[1]}")


def _who(engine: Engine, column: Any) -> Any:
    """Return a person as both tables tell people apart; two types of one name are compared by all their digits."""
    kind = column.type()
    twofold = engine.two_of_38 and kind.is_decimal() and decimals(kind) == (38, 0)
    whole = kind.is_integer() and not kind.is_uint64()
    return engine.key(column) if whole or twofold else engine.who(column)  # proof: whose


def _kind(name: str, kind: Any) -> str:
    found = next((each for each in _KINDS if getattr(kind, f"is_{each}")() and not kind.is_uint64()), None)
    if found is None:
        need = f"columns of texts, numbers, days, times, true and false, not {kind}: select others in an Ibis table"
        raise KindError("table", name, need)
    return found


def _typed(value: Any, kind: Any) -> Any:
    return value == 1 if kind.is_boolean() else value


def _text(other: Data, trait: str) -> str:
    made = next((each.text for each in other.derived if each.name == trait), None)
    where = "" if other.condition is None else f", where {other.condition}"
    return f"{'' if made is None else made + ', '}of {other.name}, one row of each person{where}"
