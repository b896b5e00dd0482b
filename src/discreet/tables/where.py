"""Where: a filter written in SQL becomes an Ibis expression that looks at one row at a time, by construction.

The grammar has columns, literals, comparisons, AND, OR, NOT, IN, BETWEEN, LIKE and IS NULL, and nothing that could look
at another row or fail on a value: no subqueries, no aggregates, no functions, no arithmetic. For more, filter an Ibis
table yourself; the rows that it then has are the data.
"""

from __future__ import annotations

from datetime import date, datetime
from functools import reduce
from operator import and_, eq, ge, gt, le, lt, ne, or_
from typing import Any, Final

from discreet.errors import KindError, ParameterError, none_of

__all__ = ["predicate", "row_by_row", "used"]

_NEED: Final = "comparisons of columns with literals, joined by AND, OR and NOT"


def predicate(table: Any, text: str) -> Any:
    """Return the condition on rows that a text states, such as ``year = 2026 AND city IN ('Rome', 'Bath')``."""
    import sqlglot
    from sqlglot import exp

    try:
        (tree,) = sqlglot.parse(f"SELECT 1 WHERE {text}")
    except Exception:  # Of the grammar, of too deep a text, or of more than one statement.
        raise ParameterError("where", text, _NEED) from None
    if not isinstance(tree, exp.Select) or {k for k, v in tree.args.items() if v} != {"expressions", "where"}:
        raise ParameterError("where", text, _NEED)
    return _Reader(table, text).condition(tree.args["where"].this)


def used(condition: Any) -> set[str]:
    """Return the columns that a condition looks at."""
    import ibis.expr.operations as ops

    return {field.name for field in condition.op().find(ops.Field)}


class _Reader:
    def __init__(self, table: Any, text: str) -> None:
        from sqlglot import exp

        self.table, self.text, self.exp = table, text, exp
        self.comparisons = {exp.EQ: eq, exp.NEQ: ne, exp.LT: lt, exp.LTE: le, exp.GT: gt, exp.GTE: ge}

    def refuse(self) -> ParameterError:
        return ParameterError("where", self.text, _NEED)

    def condition(self, node: Any) -> Any:
        """Return the Ibis expression of a condition."""
        exp = self.exp
        if isinstance(node, exp.Paren):
            return self.condition(node.this)
        if isinstance(node, exp.Not):
            return ~self.condition(node.this)
        if isinstance(node, exp.And | exp.Or):
            join = and_ if isinstance(node, exp.And) else or_
            return reduce(join, map(self.condition, node.flatten()))
        if type(node) in self.comparisons:
            left, right = self.pair(node.this, node.expression)
            try:
                return self.comparisons[type(node)](left, right)
            except Exception:  # Two columns whose types do not compare.
                raise self.refuse() from None
        if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
            return self.column(node.this).isnull()
        if isinstance(node, exp.Between) and not node.args.get("symmetric"):
            column = self.column(node.this)
            low, high = (self.literal(node.args[side], column) for side in ("low", "high"))
            return (column >= low) & (column <= high)
        if isinstance(node, exp.In) and node.expressions and not node.args.get("query"):
            column = self.column(node.this)
            return column.isin([self.literal(item, column) for item in node.expressions])
        if isinstance(node, exp.Like) and isinstance(node.expression, exp.Literal) and node.expression.is_string:
            column = self.column(node.this)
            if column.type().is_string() and "\\" not in node.expression.this:  # proof: pattern
                return column.like(node.expression.this)
        if isinstance(node, exp.Column):
            column = self.column(node)
            if column.type().is_boolean():
                return column
        raise self.refuse()

    def pair(self, left: Any, right: Any) -> tuple[Any, Any]:
        """Return the two sides of a comparison, of which at least one is a column."""
        columns = [isinstance(node, self.exp.Column) for node in (left, right)]
        if all(columns):
            return self.column(left), self.column(right)
        if columns[0]:
            column = self.column(left)
            return column, self.literal(right, column)
        column = self.column(right)
        return self.literal(left, column), column

    def column(self, node: Any) -> Any:
        """Return a column of the table."""
        if not isinstance(node, self.exp.Column) or node.table:
            raise self.refuse()
        if node.name not in self.table.columns:
            raise none_of("where", node.name, self.table.columns)
        return self.table[node.name]

    def literal(self, node: Any, column: Any) -> Any:
        """Return a literal of a kind that compares with a column."""
        import ibis

        exp, kind, sign = self.exp, column.type(), 1
        if isinstance(node, exp.Neg):
            node, sign = node.this, -1
        try:
            if isinstance(node, exp.Boolean) and kind.is_boolean():
                return ibis.literal(node.this)
            if isinstance(node, exp.Literal) and node.is_string and sign == 1:
                if kind.is_date():
                    return ibis.literal(date.fromisoformat(node.this))
                if kind.is_timestamp():
                    return ibis.literal(datetime.fromisoformat(node.this))
                if kind.is_string():
                    return ibis.literal(node.this)
            if isinstance(node, exp.Literal) and not node.is_string and kind.is_numeric() and not kind.is_boolean():
                number = node.this
                return ibis.literal(sign * (int(number) if number.isdigit() else float(number)))
        except Exception:  # No such day, or a number beyond the engine's.
            raise self.refuse() from None
        raise self.refuse()


_TOTAL: Final = frozenset(
    [
        "Field",
        "Literal",
        "Equals",
        "NotEquals",
        "IdenticalTo",
        "Less",
        "LessEqual",
        "Greater",
        "GreaterEqual",
        "And",
        "Or",
        "Not",
        "Xor",
        "Between",
        "InValues",
        "IsNull",
        "NotNull",
        "IsNan",
        "StringContains",
        "StartsWith",
        "EndsWith",
        "StringSQLLike",
        "StringLength",
        "Lowercase",
        "Uppercase",
        "Strip",
        "ExtractYear",
        "ExtractMonth",
        "ExtractDay",
        "ExtractHour",
        "ExtractMinute",
        "DayOfWeekIndex",
        "Coalesce",
    ]
)
"""What an expression may be made of: functions of one row that fail on no value."""


def row_by_row(table: Any, condition: Any) -> Any:
    """Return an Ibis condition on a table's rows, or raise unless it looks at one row at a time and fails on none."""
    import ibis

    if isinstance(condition, ibis.Deferred):
        condition = condition.resolve(table)
    elif callable(condition) and not isinstance(condition, ibis.Expr):
        condition = condition(table)
    if not (isinstance(condition, ibis.Value) and condition.type().is_boolean()):
        raise KindError("condition", type(condition), "SQL text, or a boolean Ibis expression of the table's columns")
    made_of = {type(node).__name__ for node in condition.op().find(ibis.expr.operations.Value)}
    strange = sorted(made_of - _TOTAL)  # proof: total
    for like in condition.op().find(ibis.expr.operations.StringSQLLike):
        pattern = getattr(like.pattern, "value", "\\")  # Of a column, whatever it holds.
        if like.escape is not None or not isinstance(pattern, str) or "\\" in pattern:
            strange.append("a pattern that is no plain text")
    if not strange and condition.op().relations - {table.op()}:
        strange = ["another table"]
    if strange:
        need = "an expression that looks at one row at a time and fails on none; filter an Ibis table for more"
        raise ParameterError("condition", ", ".join(strange), need)
    return condition
