"""What is given for the tables of a publication: keys, impossible groups, public totals, and numbers for each table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from discreet.errors import KindError, ParameterError, none_of
from discreet.exact import Exact, exact, listed, whole
from discreet.tables.bounding import names
from discreet.tables.fitting import Axes, work
from discreet.tables.keys import checked
from discreet.tables.marginals import MOST_CELLS, Cells
from discreet.tables.texts import hinted

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.tables.data import Data

__all__ = ["bare_keys", "by_table", "cells_of", "known_totals", "product_of", "shares_of"]

_MOST: Final = 10**15
"""How many people public totals may have: they are fitted in floats, which then still tell an eighth of a person."""


def cells_of(
    table: Data,
    by: tuple[str, ...],
    keys: Mapping[str, Iterable[Any]] | None,
    zeros: Iterable[Mapping[str, Any]] | None,
) -> Cells | None:
    """Return the known cells, without those that are impossible; None where they are private."""
    if not by:
        return Cells(())
    if keys is None:
        if zeros is not None:
            raise ParameterError("zeros", type(zeros), "none, where the groups are private")
        return None
    if not isinstance(keys, Mapping):
        raise KindError("keys", type(keys), "a dict from columns to lists of keys")
    if set(keys) != set(by):
        raise ParameterError("keys", type(keys), f"the keys of {', '.join(by)}; or none, and a delta")
    columns = []
    for name in by:
        with hinted(table.types, [name]):
            columns.append(checked(keys[name], [table._ibis[name]]))
        if len(set(columns[-1])) < len(columns[-1]):
            raise ParameterError("keys", columns[-1], "distinct keys")
    cells = Cells(tuple(columns))
    if work(cells.sizes) > MOST_CELLS or zeros is None:
        return cells
    possible = cells.possible
    for zero in listed(zeros, "zeros", 'a list of dicts, such as [{"age": "0-9", "job": "doctor"}]'):
        possible[_matching(zero, by, cells)] = False
    if not possible.any():
        raise ParameterError("zeros", None, "some cells that are possible")
    return Cells(cells.columns, tuple(np.flatnonzero(~possible).tolist()))


def _matching(zero: Any, by: tuple[str, ...], cells: Cells) -> tuple[Any, ...]:
    """Return where the cells are that have some keys."""
    if not isinstance(zero, Mapping) or not zero:
        raise KindError("zeros", type(zero), "dicts from columns to keys")
    for name, key in zero.items():
        if name not in by:
            raise none_of("zeros", name, by)
        if not _is_among(key, cells.columns[by.index(name)]):
            raise ParameterError("zeros", key, f"one of the keys of {name}")
    return tuple(cells.columns[i].index(zero[name]) if name in zero else slice(None) for i, name in enumerate(by))


def _is_among(key: Any, keys: Sequence[Any]) -> bool:
    try:
        return key in keys
    except (TypeError, ValueError):  # An array is compared with a key value by value.
        return False


def bare_keys(cells: Cells) -> list[Any]:
    """Return keys as a bounding has them: of one column, bare."""
    keys = cells.keys()
    return [key[0] for key in keys] if len(cells.columns) == 1 else list(keys)


def product_of(table: Data, by: tuple[str, ...], keys: Mapping[str, Iterable[Any]]) -> list[Any]:
    """Return the product of the known keys of each column, or raise where it is too large."""
    cells = cells_of(table, by, keys, None)
    if cells is None or prod(cells.sizes) > MOST_CELLS:
        raise ParameterError("keys", type(keys), f"fewer columns or keys: at most {MOST_CELLS:,} groups")
    return bare_keys(cells)


def known_totals(
    totals: Mapping[Any, Any] | None, by: tuple[str, ...], axes: Sequence[Axes], cells: Cells | None
) -> tuple[tuple[Axes, tuple[int, ...]], ...]:
    """Return public totals, as flat tables; they have to agree with each other and with impossible cells."""
    if totals is None:
        return ()
    if cells is None:
        raise ParameterError("totals", None, "none, where the groups are private")
    tables = [tuple(by[i] for i in each) for each in axes]
    given = dict(zip(axes, by_table(totals, tables, "totals", {}, read=lambda x: x), strict=True))
    found: dict[Axes, NDArray[np.int64]] = {}
    for each, said in given.items():
        if isinstance(said, Mapping) and not said:
            continue
        keys = cells.keys(each)
        plain = {(): said} if not each else said
        if not isinstance(plain, Mapping):
            raise KindError("totals", type(said), "a number for (), and else a dict from keys to numbers")
        named = {key if isinstance(key, tuple) else (key,): whole(n, "totals", least=0) for key, n in plain.items()}
        if sum(named.values()) > _MOST:
            raise ParameterError("totals", type(said), f"at most {_MOST:,} in all: floats miss people beyond")
        if set(named) != set(keys):
            raise ParameterError("totals", type(said), f"a number for each key of {', '.join(by[i] for i in each)}")
        values = np.zeros(len(cells.allowed(each)), np.int64)
        values[cells.allowed(each)] = [named[key] for key in keys]
        found[each] = values.reshape([cells.sizes[i] for i in each])
    for one, a in found.items():
        for other, b in found.items():
            sums = [
                x.sum(tuple(p for p, i in enumerate(n) if i not in m)) for x, n, m in ((a, one, other), (b, other, one))
            ]
            if (sums[0] != sums[1]).any():
                raise ParameterError("totals", None, "totals that agree with each other")
    return tuple((each, tuple(values.ravel().tolist())) for each, values in found.items())


def by_table(
    given: Mapping[Any, Any] | None,
    tables: Sequence[tuple[str, ...]],
    name: str,
    default: Any,
    read: Callable[[Any], Any] | None = None,
) -> list[Any]:
    """Return what is given for each table, by its columns; where nothing is, the default, unless that is None."""
    if given is not None and not isinstance(given, Mapping):
        raise KindError(name, type(given), "a dict from tables, such as () or (column, column), to numbers")
    found = {frozenset(names(by, name)): x for by, x in (given or {}).items()}
    known = {frozenset(by) for by in tables}
    for by in given or {}:
        if frozenset(names(by, name)) not in known:
            listed_tables = "; ".join(", ".join(each) or "()" for each in tables)
            raise ParameterError(name, type(given), f"tables that are asked for: {listed_tables}")
    if default is None and len(found) < len(tables):
        raise ParameterError(name, type(given), "one for each table whose totals are not public")
    values = [found.get(frozenset(by), default) for by in tables]
    if read is not None:
        return values
    numbers = [exact(x, name) for x in values]
    if min(numbers) < 0:
        raise ParameterError(name, type(given), "numbers of at least 0")
    return numbers


def shares_of(weights: Mapping[Any, Exact] | None, tables: Sequence[tuple[str, ...]]) -> tuple[Fraction, ...]:
    """Return the tables' shares of the budget: equal ones, but for weights that are given."""
    found = by_table(weights, tables, "weights", 1)
    if min(found) == 0:
        raise ParameterError("weights", type(weights), "weights above 0")
    return tuple(Fraction(weight) / sum(found) for weight in found)
