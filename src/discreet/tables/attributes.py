"""Attributes: a public table, such as the region of each postcode, joined to a private one by a key, many to one.

Each key is in the public table once, which is checked, and keys are compared as those of groups travel, so that no
collation makes two of them one. So each row finds at most one row, stays one row, and stays whose it was. What the
public table holds travels to the engine as texts and whole numbers, and is read there by casts that cannot fail on it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from datetime import date
from typing import Any, Final

from discreet.errors import DiscreetError, KindError, ParameterError, none_of
from discreet.tables.data import Derived
from discreet.tables.derived import check_new
from discreet.tables.engines import engine_of
from discreet.tables.keys import written
from discreet.tables.literals import fits

__all__ = ["joined", "own_names"]

_MOST: Final = 1_000_000
_READ: Final[dict[str, tuple[Callable[[Any], str], Callable[[Any], Any]]]] = {
    "string": (str, lambda text: text),
    "integer": (str, lambda text: text.cast("int64")),
    "boolean": (str, lambda text: text == "True"),
    "date": (date.isoformat, lambda text: text.cast("date")),
}
"""How the values of a type become texts, and how an engine reads them."""


def joined(rows: Any, public: Any, on: str, name: str) -> tuple[Any, tuple[Derived, ...]]:
    """Return an Ibis table with the columns of a public one, and what they are; null where that lacks the key."""
    import ibis
    import pyarrow as pa

    schema = ibis.memtable(public).schema()
    for columns in (rows.columns, public.column_names):
        if on not in columns:
            raise none_of("on", on, columns)
    attributes = [column for column in public.column_names if column != on]
    check_new(rows, attributes)
    kinds = {column: _kind(column, schema[column]) for column in attributes}
    engine, keys = engine_of(rows), _keys(rows, public, on)
    engine.check(rows, (on,))
    key, *names = own_names(rows.columns, 1 + len(attributes))
    cells = {name: _cells(public, column, kinds[column]) for name, column in zip(names, attributes, strict=True)}
    whole = keys and isinstance(keys[0], int)
    frame = pa.table({key: pa.array(keys, pa.int64() if whole else pa.string()), **cells})
    them, mine = ibis.memtable(frame), engine.key(rows[on])
    same = mine.notnull() & ((mine if whole else engine.hex(mine)) == them[key])  # For SQLite, null has no digits.
    found = rows.left_join(them, same)  # proof: joined
    values = {column: _value(found[name], kinds[column]) for name, column in zip(names, attributes, strict=True)}
    text = f"of {name}, by {on}, sha256 {_digest(public, on)}"
    wide = found.select(*(found[column] for column in rows.columns), **values)
    return wide, tuple(Derived(column, text, None) for column in attributes)


def own_names(taken: Iterable[str], count: int) -> list[str]:
    """Return names that no column of the private table has, nor one that differs from it in case alone.

    >>> own_names(["user", "V0", "v1"], 2)
    ['vv0', 'vv1']
    """
    known, sign = [name.casefold() for name in taken], "v"
    while any(name.startswith(sign) for name in known):
        sign += "v"
    return [f"{sign}{i}" for i in range(count)]  # proof: own


def _kind(column: str, kind: Any) -> str:
    found = next((name for name in _READ if getattr(kind, f"is_{name}")() and not kind.is_uint64()), None)
    if found is None:
        raise KindError("public", column, f"columns of texts, whole numbers, days, true and false, not {kind}")
    return found


def _keys(rows: Any, public: Any, on: str) -> list[int] | list[str]:
    """Return the keys as they are compared, or raise where one is twice, is missing, or is not of the column's type."""
    column, keys = rows[on], public.column(on).to_pylist()
    need, travel = f"keys of the type that {on} has, {column.type()}", []
    if column.type().is_floating() or column.type().is_uint64():
        raise KindError("on", on, f"a column of texts, whole numbers or days, not {column.type()}")
    if not 0 < len(keys) <= _MOST or None in keys:
        raise ParameterError("public", on, f"1 to {_MOST:,} rows, each with a key")
    try:
        travel = [key for (key,) in written(keys, [column])]
    except DiscreetError:
        raise ParameterError("on", on, need) from None
    if len(set(travel)) < len(keys):  # proof: once_each
        raise ParameterError(
            "public", on, "each key once: a join that makes two rows of one is not a list of attributes"
        )
    return [key.hex().upper() if isinstance(key, bytes) else key for key in travel]


def _cells(public: Any, column: str, kind: str) -> Any:
    """Return values as texts that begin with a sign; an empty one stands for null."""
    import ibis.expr.datatypes as dt
    import pyarrow as pa

    values = public.column(column).to_pylist()
    if kind == "string" and not all(value is None or fits(value, dt.string) for value in values):
        raise ParameterError("public", column, "texts without null characters and lone surrogates")
    return pa.array(["" if value is None else "=" + _READ[kind][0](value) for value in values], pa.string())


def _value(cell: Any, kind: str) -> Any:
    import ibis

    return _READ[kind][1]((cell == "").ifelse(ibis.literal(None, "string"), cell.substr(1)))


def _digest(public: Any, on: str) -> str:
    """Return a digest of what is joined, in the order of the keys."""
    rows = sorted(json.dumps([str(row[on]), row], default=str, sort_keys=True) for row in public.to_pylist())
    return hashlib.sha256("\n".join(rows).encode()).hexdigest()[:32]
