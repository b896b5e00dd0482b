"""Where: a filter, in SQL or as an Ibis expression, becomes a condition that looks at one row and fails on none.

Both roads lead through `Total`. For more, filter an Ibis table yourself; the rows that it then has are the data.
"""

from __future__ import annotations

from typing import Any

from discreet.errors import KindError, ParameterError
from discreet.tables.reading import Reader, parsed
from discreet.tables.total import FEWER, Total

__all__ = ["predicate", "resolved", "row_by_row", "used"]


def predicate(table: Any, text: str) -> Any:
    """Return the condition on rows that a text states, such as ``year = 2026 AND city IN ('Rome', 'Bath')``."""
    (node,) = parsed(text, "where", "1 WHERE {}")
    total = Total(table, "where", text)
    try:
        return total.walled(Reader(table, total).condition(node))
    except RecursionError:
        raise total.refuse(FEWER) from None


def row_by_row(table: Any, condition: Any) -> Any:
    """Return an Ibis condition on a table's rows, or raise unless it looks at one row at a time and fails on none."""
    import ibis

    found = resolved(condition, table, "condition")
    if not (isinstance(found, ibis.Value) and found.type().is_boolean()):
        raise KindError("condition", type(found), "SQL text, or a boolean Ibis expression of the table's columns")
    total = Total(table, "condition", type(found.op()).__name__, "; filter an Ibis table for more")
    return total.walled(total.row(found.op(), table)).name(found.get_name())


def resolved(given: Any, table: Any, name: str) -> Any:
    """Return an expression of a table from one that is deferred, or from a function of the table."""
    import ibis

    if not isinstance(given, ibis.Deferred):
        return given(table) if callable(given) and not isinstance(given, ibis.Expr) else given
    failure = ""
    try:
        return given.resolve(table)
    except RecursionError:
        raise ParameterError(name, type(given), FEWER) from None
    except Exception as error:  # Whatever Ibis has for what cannot be.
        failure = type(error).__name__
    raise KindError(name, type(given), f"an expression of columns that are there ({failure})")


def used(condition: Any) -> set[str]:
    """Return the columns of its table that a condition looks at, and not those that the table is made from."""
    import ibis.expr.operations as ops

    return {field.name for field in condition.op().find(ops.Field, filter=ops.Value)}
