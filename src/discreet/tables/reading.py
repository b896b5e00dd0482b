"""Reading: SQL text about one row becomes operations that are total.

The grammar has columns, literals, comparisons, AND, OR, NOT, IN, BETWEEN, LIKE, ILIKE, IS NULL, CASE, arithmetic, and
the functions that are listed here: no subqueries, no aggregates. Whatever else is typed is refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any, Final

from discreet.errors import ParameterError, none_of
from discreet.tables.literals import fits
from discreet.tables.total import PARTS, Total

__all__ = ["FUNCTIONS", "Reader", "parsed"]

FUNCTIONS: Final = (
    *(f"{part}(day)" for part in PARTS if part not in ("hour", "minute")),
    *("hour(time)", "minute(time)"),
    *("date_trunc('month', day)", "lower(text)", "upper(text)", "trim(text)", "length(text)", "left(text, 3)"),
    *("substring(text, 2, 3)", "bin(number, 0, 10, 20)", "map(text, {'a': 'b'})", "coalesce(column, 0)"),
)
"""What may be asked of a row, as it is typed."""
_NEED: Final = "comparisons of columns with literals, joined by AND, OR and NOT"
_LISTED: Final = f"a column, a literal, CASE, + - * /, or one of {', '.join(FUNCTIONS)}"
_DIGITS: Final = 38
"""How many digits a number may have: Ibis rounds longer ones."""
_READ: Final = frozenset(
    [
        *("this", "expression", "expressions", "low", "high", "ifs", "true", "default", "start", "length", "unit"),
        *("keys", "values", "to", "quoted", "is_string", "negate"),
    ]
)
"""What is read of nodes; of one that says more, such as a time zone, nothing is."""
_BRACES: Final = re.compile(r"""("[^"]*"|'[^']*')|([{}])""")
_DAY: Final = re.compile(r"(?<!['\d-])\d{4}-\d\d?-\d\d?(?!['\d])")


def parsed(text: str, name: str, clause: str) -> list[Any]:
    """Return what sqlglot reads in a clause of a query: *clause* has the place of the text in it."""
    import sqlglot
    from sqlglot import exp

    try:
        # Of the keys between braces sqlglot makes names, without the sign of a number; between brackets it keeps them.
        kept = _BRACES.sub(lambda found: found[1] or "[]"["{}".index(found[2])], text)
        (tree,) = sqlglot.parse(f"SELECT {clause.format(kept)}")
    except Exception:  # Of the grammar, of too deep a text, or of more than one statement.
        raise ParameterError(name, text, _need(text, clause)) from None
    known = {"expressions", "where"} if "WHERE" in clause else {"expressions"}
    if not isinstance(tree, exp.Select) or {k for k, v in tree.args.items() if v} != known:
        raise ParameterError(name, text, _need(text, clause))
    nodes = [tree.args["where"].this] if "where" in known else list(tree.expressions)
    if any(set(_given(each)) - _READ for node in nodes for each in node.walk()):
        raise ParameterError(name, text, _LISTED)
    return nodes


def _need(text: str, clause: str = "WHERE") -> str:
    if day := _DAY.search(text):
        return f"a day in quotes, such as '{day[0]}'"
    return _NEED if "WHERE" in clause else f'{_LISTED}; a name with a blank in it is quoted: "birth date"'


class Reader:
    """What reads the nodes of sqlglot; a name that a table does not have is an error about *name*."""

    def __init__(self, table: Any, total: Total) -> None:
        from sqlglot import exp

        self.table, self.total, self.exp, self.ops = table, total, exp, total.ops
        comparisons = ("Equals", "NotEquals", "Less", "LessEqual", "Greater", "GreaterEqual")
        nodes = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
        self.comparisons = {node: getattr(self.ops, name) for node, name in zip(nodes, comparisons, strict=True)}
        self.signs = {exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/"}
        self.texts = {exp.Lower: "Lowercase", exp.Upper: "Uppercase", exp.Trim: "Strip", exp.Length: "StringLength"}

    def condition(self, node: Any) -> Any:
        """Return the operation that a condition is."""
        exp, ops, total = self.exp, self.ops, self.total
        if isinstance(node, exp.Paren):
            return self.condition(node.this)
        if isinstance(node, exp.Not):
            return ops.Not(self.condition(node.this))
        if isinstance(node, exp.And | exp.Or):
            return _joined(ops.And if isinstance(node, exp.And) else ops.Or, [*map(self.condition, node.flatten())])
        if type(node) in self.comparisons:
            sides = map(self.value, (node.this, node.expression))
            return total.compared(self.comparisons[type(node)], *sides)
        if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
            plain = isinstance(node.this, exp.Column)
            return ops.IsNull(total.held(self.column(node.this)) if plain else self.made(node.this))
        if isinstance(node, exp.Between) and not node.args.get("symmetric"):
            ends = (self.literal(node.args[side]) for side in ("low", "high"))
            return total.compared(ops.Between, self.made(node.this), *ends)
        if isinstance(node, exp.In) and node.expressions and not node.args.get("query"):
            items = map(self.literal, node.expressions)
            return total.compared(lambda value, *rest: ops.InValues(value, rest), self.made(node.this), *items)
        if isinstance(node, exp.Like | exp.ILike):
            name = "StringSQLILike" if isinstance(node, exp.ILike) else "StringSQLLike"
            found = total.matched(name, ops.StringSQLLike, self.made(node.this), self.literal(node.expression))
            return ops.Not(found) if node.args.get("negate") else found  # As newer versions of sqlglot write NOT LIKE.
        if isinstance(node, exp.Column):
            return total.of(self.made(node), "boolean")
        raise total.refuse(_need(str(total.given)))

    def key(self, node: Any) -> Any:
        """Return the operation that a value is, or a condition."""
        exp = self.exp
        logic = (exp.And, exp.Or, exp.Not, exp.Is, exp.Between, exp.In, exp.Like, exp.ILike, *self.comparisons)
        return (
            self.key(node.this)
            if isinstance(node, exp.Paren)
            else (self.condition(node) if isinstance(node, logic) else self.made(node))
        )

    def value(self, node: Any) -> Any:
        """Return a literal as it was typed, or the operation that a value is."""
        exp = self.exp
        if isinstance(node, exp.Paren):
            return self.value(node.this)
        signed = isinstance(node, exp.Neg | exp.Cast) and isinstance(node.this, exp.Literal)
        return self.literal(node) if signed or isinstance(node, exp.Literal | exp.Boolean) else self.made(node)

    def made(self, node: Any) -> Any:
        """Return the operation that a value is."""
        exp, total = self.exp, self.total
        if isinstance(node, exp.Paren):
            return self.made(node.this)
        if isinstance(node, exp.Column):
            return total.value(self.column(node))
        if type(node) in self.signs:
            if _DAY.search(str(total.given)) and not list(node.find_all(exp.Column)):
                raise total.refuse(_need(str(total.given)))
            return total.arithmetic(self.signs[type(node)], self.value(node.this), self.value(node.expression))
        if isinstance(node, exp.Neg):
            return total.arithmetic("-", self.ops.Literal(0, "int8"), self.made(node.this))
        if isinstance(node, exp.Case):
            return self.case(node)
        if isinstance(node, exp.Coalesce):
            return total.compared(
                lambda *values: self.ops.Coalesce(values), *map(self.value, (node.this, *node.expressions))
            )
        return self.map(node) if isinstance(node, exp.Map) else self.function(node)

    def function(self, node: Any) -> Any:
        """Return the operation that a function on the list is."""
        exp, total = self.exp, self.total
        if type(node) in self.texts and not set(_given(node)) - {"this"}:
            return total.text(self.texts[type(node)], self.value(node.this))
        if isinstance(node, exp.Substring | exp.Left):
            return self.cut(node)
        name, arguments = self.called(node)
        if name in PARTS and len(arguments) == 1:
            return total.part(PARTS[name], self.made(arguments[0]))
        if name == "date_trunc" and len(arguments) == 2:
            return total.truncated(self.made(arguments[0]), arguments[1].name.lower())
        if name == "bin" and len(arguments) > 1:
            return total.bins(self.made(arguments[0]), [self.literal(each).value for each in arguments[1:]])
        raise total.refuse(_LISTED)

    def called(self, node: Any) -> tuple[str, Sequence[Any]]:
        """Return the name of a function, as it is typed, and its arguments."""
        exp = self.exp
        if isinstance(node, exp.Anonymous):
            return str(node.this).lower(), node.expressions
        if isinstance(node, exp.Extract) and isinstance(node.this, exp.Var):
            return node.this.name.lower(), [node.expression]
        if isinstance(node, exp.DateTrunc | exp.TimestampTrunc) and isinstance(
            node.args["unit"], exp.Literal | exp.Var
        ):
            return "date_trunc", [node.this, node.args["unit"]]
        return (type(node).__name__.lower(), [node.this]) if set(_given(node)) == {"this"} else ("", [])

    def cut(self, node: Any) -> Any:
        """Return some characters of a text; the first is 1."""
        first = isinstance(node, self.exp.Left)
        start = 1 if first else self.number(node.args.get("start"))
        length = self.number(node.expression if first else node.args.get("length"))
        return self.total.cut(self.made(node.this), start - 1, length)

    def number(self, node: Any) -> int:
        """Return a whole number that was typed."""
        value = self.literal(node).value if isinstance(node, self.exp.Literal) else None
        if not isinstance(value, Decimal) or value != int(value):
            raise self.total.refuse("a text's characters by whole numbers, as in substring(text, 2, 3)")
        return int(value)

    def case(self, node: Any) -> Any:
        """Return what the first condition that holds chooses; with a value after CASE, what is equal to it."""
        total, branches = self.total, node.args["ifs"]
        if node.this is None:
            tests = [self.condition(branch.this) for branch in branches]
        else:
            value = self.made(node.this)
            tests = [total.compared(self.ops.Equals, value, self.literal(branch.this)) for branch in branches]
        default = node.args.get("default")
        chosen = [self.chosen(branch.args["true"]) for branch in branches]
        return total.case(tests, chosen, None if default is None else self.chosen(default))

    def chosen(self, node: Any) -> Any:
        """Return what a case chooses: a value, or nothing."""
        return self.total.loose(None) if isinstance(node, self.exp.Null) else self.value(node)

    def map(self, node: Any) -> Any:
        """Return what a dictionary has for a value, and null where it has nothing."""
        exp, made = self.exp, node.args.get("values")
        value, pairs = self.made(node.args["keys"]), made.expressions if isinstance(made, exp.Array) else []
        if not pairs or not all(
            isinstance(each, exp.Slice) and not isinstance(each.this, exp.Column) for each in pairs
        ):
            raise self.total.refuse("a dictionary, as in map(region, {'N': 'north', 'S': 'south'})")
        tests = [self.total.compared(self.ops.Equals, value, self.literal(each.this)) for each in pairs]
        return self.total.case(tests, [self.chosen(each.expression) for each in pairs], None)

    def column(self, node: Any) -> Any:
        """Return a column of the table."""
        if not isinstance(node, self.exp.Column) or node.table:
            raise self.total.refuse(_LISTED)
        if node.name not in self.table.columns:
            raise none_of(self.total.name, node.name, self.table.columns)
        return self.table[node.name].op()

    def literal(self, node: Any) -> Any:
        """Return a literal as it was typed: of which type it is, the column says."""
        import ibis.expr.datatypes as dt

        exp, sign = self.exp, ""
        if isinstance(node, exp.Cast) and node.to.this in (exp.DataType.Type.DATE, exp.DataType.Type.TIMESTAMP):
            day = node.to.this == exp.DataType.Type.DATE
            if set(_given(node.to)) != {"this"} or (day and not fits(node.name, dt.date)):
                raise self.total.refuse(_LISTED)
            node = node.this  # DATE '2026-01-31' is a text, which the column reads.
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
        raise self.total.refuse(_LISTED)


def _given(node: Any) -> list[str]:
    return [name for name, value in node.args.items() if value not in (None, [], False)]


def _joined(make: Callable[[Any, Any], Any], values: list[Any]) -> Any:
    """Return conditions that are joined as in a tournament, so that few are within each other."""
    if len(values) == 1:
        return values[0]
    middle = len(values) // 2
    return make(_joined(make, values[:middle]), _joined(make, values[middle:]))
