"""Where: a filter, in SQL or as an Ibis expression, becomes a condition that looks at one row and fails on none.

An engine that compares a column with something of another type casts one of them, and a cast may fail on a value: then
whether a query fails says whether somebody has that value. So both roads lead through `_Total`, which compares equal
types only, makes every literal one of the column's type in Python, and knows each function by name. The grammar of SQL
has columns, literals, comparisons, AND, OR, NOT, IN, BETWEEN, LIKE and IS NULL: no subqueries, no aggregates, no
functions, no arithmetic. For more, filter an Ibis table yourself; the rows that it then has are the data.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from functools import partial, reduce
from typing import Any, Final

from discreet.errors import KindError, ParameterError, none_of
from discreet.tables.engines import engine_of
from discreet.tables.literals import KINDS, fits, of_type

__all__ = ["predicate", "row_by_row", "used"]

_NEED: Final = "comparisons of columns with literals, joined by AND, OR and NOT"
_FEWER: Final = "fewer conditions within each other"
_COMPARED: Final = frozenset(
    [
        *("Equals", "NotEquals", "IdenticalTo", "Less", "LessEqual", "Greater", "GreaterEqual"),
        *("Between", "InValues", "Coalesce"),
    ]
)
_LOGIC: Final = frozenset(["And", "Or", "Not", "Xor"])
_TEXTS: Final = frozenset(["StringLength", "Lowercase", "Uppercase", "Strip"])
_PATTERNS: Final = frozenset(["StringContains", "StartsWith", "EndsWith", "StringSQLLike"])
_TIMES: Final = frozenset(
    ["ExtractYear", "ExtractMonth", "ExtractDay", "ExtractHour", "ExtractMinute", "DayOfWeekIndex"]
)
_DIGITS: Final = 38
"""How many digits a number may have: Ibis rounds longer ones."""
_LONGEST: Final = 1000
"""How long a pattern may be: SQLite fails on long ones, and only where it comes to try them."""


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
    total = _Total(table, "where", text)
    try:
        return total.walled(_Reader(table, total).condition(tree.args["where"].this))
    except RecursionError:
        raise total.refuse(_FEWER) from None


def row_by_row(table: Any, condition: Any) -> Any:
    """Return an Ibis condition on a table's rows, or raise unless it looks at one row at a time and fails on none."""
    import ibis

    if isinstance(condition, ibis.Deferred):
        condition = _resolved(condition, table)
    elif callable(condition) and not isinstance(condition, ibis.Expr):
        condition = condition(table)
    if not (isinstance(condition, ibis.Value) and condition.type().is_boolean()):
        raise KindError("condition", type(condition), "SQL text, or a boolean Ibis expression of the table's columns")
    total = _Total(table, "condition", type(condition.op()).__name__)
    if condition.op().relations - {table.op()}:
        raise total.refuse("columns of this table alone")
    try:
        return total.walled(total.value(condition.op())).name(condition.get_name())
    except RecursionError:
        raise total.refuse(_FEWER) from None


def _resolved(condition: Any, table: Any) -> Any:
    """Return a deferred expression as one of a table, or raise where that lacks a column, or a type a method."""
    failure = ""
    try:
        return condition.resolve(table)
    except RecursionError:
        raise ParameterError("condition", type(condition), _FEWER) from None
    except Exception as error:  # Whatever Ibis has for what cannot be.
        failure = type(error).__name__
    raise KindError("condition", type(condition), f"an expression of columns that are there ({failure})")


def used(condition: Any) -> set[str]:
    """Return the columns of its table that a condition looks at, and not those that the table is made from."""
    import ibis.expr.operations as ops

    return {field.name for field in condition.op().find(ops.Field, filter=ops.Value)}


class _Total:
    """What makes operations of Ibis that are defined on every value of the columns that they look at."""

    def __init__(self, table: Any, name: str, given: object) -> None:
        import ibis.expr.operations as ops

        self.name, self.given, self.ops = name, given, ops
        self.engine = None if table.op().find(ops.UnboundTable) else engine_of(table)

    def refuse(self, need: str) -> ParameterError:
        more = "; filter an Ibis table for more" if self.name == "condition" else ""
        return ParameterError(self.name, self.given, need + more)

    def walled(self, op: Any) -> Any:
        """Return a condition as an expression; should it fail on a row all the same, it does not hold there."""
        condition = op.to_expr()
        return condition if self.engine is None else self.engine.attempt(condition)  # proof: wall

    def value(self, op: Any) -> Any:
        """Return an operation in its total form, or raise where there is none."""
        name = type(op).__name__
        if type(op) is not getattr(self.ops, name, None):  # A function of the user's own may have any name.
            name = "a function"
        if self.engine is not None and not self.engine.backend.has_operation(type(op)):
            raise self.refuse(f"what {self.engine.name} has, not {name}")
        operands = [part for arg in op.args for part in (arg if isinstance(arg, tuple) else (arg,))]
        values = [part for part in operands if isinstance(part, self.ops.Value)]
        make = partial(_remade, op)
        if name == "Field":
            return self.field(op)
        if name == "Literal" and op.dtype.is_boolean():
            return op
        if name in _COMPARED:
            return self.compared(make, *values)
        if name in _LOGIC:
            return make(*(self.of(value, "boolean") for value in values))
        if name in ("IsNull", "NotNull"):
            return make(self.held(values[0]) if isinstance(values[0], self.ops.Field) else self.value(values[0]))
        if name == "IsNan":
            return make(self.of(values[0], "floating"))
        if name in _TEXTS:
            return make(self.of(values[0], "string"))
        if name in _PATTERNS and operands[2:] in ([], [None]):
            return self.matched(make, *values)
        if name in _TIMES:
            return self.part(make, self.of(values[0], "date", "timestamp"))
        raise self.refuse(
            f"an expression that looks at one row at a time and fails on none, not {name}"
        )  # proof: total

    def of(self, op: Any, *kinds: str) -> Any:
        """Return a value in its total form, if it is of one of some types."""
        value = self.value(op)
        if not any(getattr(value.dtype, f"is_{kind}")() for kind in kinds):
            raise self.refuse(f"{' or '.join(kinds)} where {_named(value.dtype)} is")
        return value

    def held(self, op: Any) -> Any:
        """Return a column that may be asked for nulls: one of structs may stand for what the engine cannot hold."""
        if op.dtype.is_struct():
            raise self.refuse(f"a column of single values, not of {_named(op.dtype)}")
        return op

    def field(self, op: Any) -> Any:
        """Return a column; a text without its collation."""
        if self.engine is None or not op.dtype.is_string():
            return op
        return self.engine.bare(op.to_expr()).op()  # proof: collation

    def part(self, make: Callable[..., Any], moment: Any) -> Any:
        """Return a part of a day or a time; it may be compared with, and so be cast to, any whole number."""
        part = make(moment)
        if self.engine is None:
            return part
        return self.engine.part(part.to_expr(), moment.to_expr()).op()  # proof: part

    def compared(self, make: Callable[..., Any], *values: Any) -> Any:
        """Return a comparison of values of one type; each literal becomes one of that type."""
        literal = self.ops.Literal
        known = [value if isinstance(value, literal) else self.value(value) for value in values]
        columns = [value.dtype.copy(nullable=True) for value in known if not isinstance(value, literal)]
        kind = self.common(columns, [value.value for value in known if isinstance(value, literal)])  # proof: alike
        return make(*(self.literal(x.value, kind) if isinstance(x, literal) else self.widened(x, kind) for x in known))

    def common(self, columns: list[Any], literals: list[Any]) -> Any:
        """Return the type in which columns are compared: theirs, or a wider one that holds each of their values."""
        import ibis.expr.datatypes as dt

        for kind in columns:
            if not any(getattr(kind, f"is_{name}")() for name in KINDS):
                raise self.refuse(f"columns of {', '.join(KINDS)}, not of {_named(kind)}")
        first, *others = sorted(set(columns), key=str) or [None]
        if first is None:
            raise self.refuse("a column in each comparison")
        if all(kind.is_floating() for kind in columns):
            return dt.float64
        if all(kind.is_integer() and not kind.is_uint64() for kind in columns):
            wide = others or not all(fits(x, first) for x in literals if fits(x, dt.int64))
            return dt.int64 if wide else first
        if others:
            raise self.refuse(f"values of one type, not of {' and '.join(map(_named, (first, *others)))}")
        if self.engine is not None and self.engine.two_of_38 and first == dt.Decimal(38, 0):  # proof: huge
            if len(columns) > 1:
                raise self.refuse("a literal beside a column of 38 digits, which may be one of two types")
            return dt.int64
        return first

    def widened(self, op: Any, kind: Any) -> Any:
        """Return a value in a type that has all of its values."""
        wider = (kind.is_integer() and op.dtype.is_integer()) or (kind.is_floating() and op.dtype.is_floating())
        return self.ops.Cast(op, kind) if wider and op.dtype.copy(nullable=True) != kind else op

    def literal(self, value: Any, kind: Any) -> Any:
        """Return a literal of a column's type, or raise where that has no such value."""
        import ibis.expr.datatypes as dt

        try:
            exact = None if value is None else of_type(value, kind)
        except (TypeError, ValueError) as error:
            raise self.refuse(f"{error}, where a column of {_named(kind)} is compared") from None
        if exact is not None and kind.is_timestamp() and kind.timezone is None and kind.scale not in (None, 6):
            return self.ops.Cast(self.ops.Literal(exact, dt.Timestamp(scale=6)), kind)  # Ibis would leave it at 6.
        return self.ops.Literal(exact, kind)

    def matched(self, make: Callable[..., Any], value: Any, pattern: Any) -> Any:
        """Return whether a text matches a pattern, which is a short text without escapes."""
        text = getattr(pattern, "value", None) if isinstance(pattern, self.ops.Literal) else None
        if not isinstance(text, str) or "\\" in text or len(text) > _LONGEST:  # proof: pattern
            raise self.refuse(f"a pattern that is a text, without backslashes and of at most {_LONGEST} characters")
        return make(self.of(value, "string"), self.literal(text, pattern.dtype))


class _Reader:
    def __init__(self, table: Any, total: _Total) -> None:
        from sqlglot import exp

        self.table, self.total, self.exp, self.ops = table, total, exp, total.ops
        names = ("Equals", "NotEquals", "Less", "LessEqual", "Greater", "GreaterEqual")
        nodes = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
        self.comparisons = {node: getattr(self.ops, name) for node, name in zip(nodes, names, strict=True)}

    def condition(self, node: Any) -> Any:
        """Return the operation of Ibis that a condition is."""
        exp, ops, total = self.exp, self.ops, self.total
        if isinstance(node, exp.Paren):
            return self.condition(node.this)
        if isinstance(node, exp.Not):
            return ops.Not(self.condition(node.this))
        if isinstance(node, exp.And | exp.Or):
            return reduce(ops.And if isinstance(node, exp.And) else ops.Or, map(self.condition, node.flatten()))
        if type(node) in self.comparisons:
            sides = map(self.side, (node.this, node.expression))
            return total.compared(self.comparisons[type(node)], *sides)
        if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
            return ops.IsNull(total.held(self.column(node.this)))
        if isinstance(node, exp.Between) and not node.args.get("symmetric"):
            ends = (self.literal(node.args[side]) for side in ("low", "high"))
            return total.compared(ops.Between, self.column(node.this), *ends)
        if isinstance(node, exp.In) and node.expressions and not node.args.get("query"):
            items = map(self.literal, node.expressions)
            return total.compared(lambda value, *rest: ops.InValues(value, rest), self.column(node.this), *items)
        if isinstance(node, exp.Like):
            return total.matched(ops.StringSQLLike, self.column(node.this), self.literal(node.expression))
        if isinstance(node, exp.Column):
            return total.of(self.column(node), "boolean")
        raise total.refuse(_NEED)

    def side(self, node: Any) -> Any:
        """Return one side of a comparison."""
        return self.column(node) if isinstance(node, self.exp.Column) else self.literal(node)

    def column(self, node: Any) -> Any:
        """Return a column of the table."""
        if not isinstance(node, self.exp.Column) or node.table:
            raise self.total.refuse(_NEED)
        if node.name not in self.table.columns:
            raise none_of("where", node.name, self.table.columns)
        return self.table[node.name].op()

    def literal(self, node: Any) -> Any:
        """Return a literal as it was typed: of which type it is, the column says."""
        import ibis.expr.datatypes as dt

        exp, sign = self.exp, ""
        if isinstance(node, exp.Neg):
            node, sign = node.this, "-"
        if isinstance(node, exp.Boolean) and not sign:
            return self.ops.Literal(node.this, dt.boolean)
        if isinstance(node, exp.Literal) and node.is_string and not sign:
            return self.ops.Literal(node.this, dt.string)
        if isinstance(node, exp.Literal) and not node.is_string:
            try:
                number = Decimal(sign + node.this)
                if len(number.as_tuple().digits) <= _DIGITS:
                    return self.ops.Literal(number, dt.decimal)
            except (ArithmeticError, TypeError, ValueError):
                pass  # No number, or one beyond all columns.
        raise self.total.refuse(_NEED)


def _remade(op: Any, *values: Any) -> Any:
    """Return an operation with other operands in the same places."""
    import ibis.expr.operations as ops

    rest = iter(values)

    def new(arg: Any) -> Any:
        if isinstance(arg, tuple):
            return tuple(map(new, arg))
        return next(rest) if isinstance(arg, ops.Value) else arg

    return type(op)(*map(new, op.args))


def _named(kind: Any) -> str:
    return type(kind).__name__.lower() if kind.is_unknown() else str(kind)
