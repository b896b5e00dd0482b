"""Total: operations on the columns of one row that are defined for every value, and mean the same on every engine.

An engine that compares a column with something of another type casts one of them, and a cast may fail on a value: then
whether a query fails says whether somebody has that value. So every filter and every derived column is made here, of
operations that are known by name, compare equal types only, and are null where they are not defined. Literals become
values of the column's type in Python. What is not on the list is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, Final

from discreet.errors import ParameterError
from discreet.tables.engines import engine_of
from discreet.tables.engines.duckdb import DuckDB
from discreet.tables.engines.engine import DAYS
from discreet.tables.literals import KINDS, fits, of_type

__all__ = ["FEWER", "PARTS", "UNITS", "Total"]

FEWER: Final = "fewer conditions within each other"
PARTS: Final = {
    "year": "ExtractYear",
    "quarter": "ExtractQuarter",
    "month": "ExtractMonth",
    "week": "ExtractWeekOfYear",
    "day": "ExtractDay",
    "weekday": "DayOfWeekIndex",
    "hour": "ExtractHour",
    "minute": "ExtractMinute",
}
"""The parts of a day or a time; weeks are those of ISO 8601, and Monday is 0."""
UNITS: Final = {"year": "Y", "quarter": "Q", "month": "M", "week": "W", "day": "D", "hour": "h", "minute": "m"}
"""What a day or a time may be truncated to, and what Ibis calls it."""
_COMPARED: Final = frozenset(
    [
        *("Equals", "NotEquals", "IdenticalTo", "Less", "LessEqual", "Greater", "GreaterEqual"),
        *("Between", "InValues", "Coalesce"),
    ]
)
_LOGIC: Final = frozenset(["And", "Or", "Not", "Xor"])
_TEXTS: Final = frozenset(["StringLength", "Lowercase", "Uppercase", "Strip"])
_PATTERNS: Final = frozenset(["StringContains", "StartsWith", "EndsWith", "StringSQLLike", "StringSQLILike"])
_SIGNS: Final = {"Add": "+", "Subtract": "-", "Multiply": "*", "Divide": "/"}
_OURS: Final = frozenset(
    [*PARTS.values(), *_TEXTS, *_SIGNS, "StringSQLILike", "Substring", "Date", "DateTruncate", "TimestampTruncate"]
)
"""Operations for which an engine has our words, and needs none of Ibis's."""
_LONGEST: Final = 1000
"""How long a pattern may be: SQLite fails on long ones, and only where it comes to try them."""
_MOST: Final = 1000
"""How many bins there may be, and how many characters are cut from a text."""
_WIDEST: Final = 10**15
_BELOW: Final = "numbers below 2^63"
_CASED: Final = [c for c in map(chr, range(0x41, 0x530)) if len(c.lower()) == 1 and c.lower() != c == c.lower().upper()]
UPPER: Final = "".join(_CASED)
LOWER: Final = "".join(c.lower() for c in _CASED)


class Total:
    """What makes operations of Ibis that are defined on every value of the columns that they look at.

    *name* and *given* are what an error is about; *known* has the values of choices among literals. Methods take and
    return operations in their total form, and literals.
    """

    def __init__(self, table: Any, name: str, given: object, more: str = "") -> None:
        import ibis.expr.operations as ops

        self.name, self.given, self.more, self.ops = name, given, more, ops
        self.known: dict[Any, tuple[Any, ...]] = {}
        self.engine = DuckDB(None) if table.op().find(ops.UnboundTable) else engine_of(table)

    def refuse(self, need: str) -> ParameterError:
        """Return the error that says what is needed instead."""
        return ParameterError(self.name, self.given, need + self.more)

    def walled(self, op: Any) -> Any:
        """Return a condition as an expression; should it fail on a row all the same, it does not hold there."""
        return self.engine.attempt(self.shallow(op).to_expr())  # proof: wall

    def shallow(self, op: Any) -> Any:
        """Return an operation, or raise where it is too deep for the engine's parser."""
        if _height(op, self.ops.Value, {}) > self.engine.deepest:  # proof: shallow
            raise self.refuse(FEWER)
        return op

    def row(self, op: Any, table: Any) -> Any:
        """Return the total form of an operation on a table's rows, or raise where it looks at anything else."""
        if op.relations - {table.op()}:
            raise self.refuse("columns of this table alone")
        try:
            return self.value(op)
        except RecursionError:
            raise self.refuse(FEWER) from None

    def value(self, op: Any) -> Any:
        """Return an operation of Ibis in its total form, or raise where there is none; a literal as it is."""
        name = type(op).__name__
        if type(op) is not getattr(self.ops, name, None):  # A function of the user's own may have any name.
            name = "a function"
        if name == "Literal":
            return op
        if name == "Field":
            return self.field(op)
        if name not in _OURS and self.engine.backend and not self.engine.backend.has_operation(type(op)):
            raise self.refuse(f"what {self.engine.name} has, not {name}")
        operands = [part for arg in op.args for part in (arg if isinstance(arg, tuple) else (arg,))]
        raw = [part for part in operands if isinstance(part, self.ops.Value)]
        make = partial(_remade, op)
        if name in ("IsNull", "NotNull"):
            return make(self.held(raw[0]) if isinstance(raw[0], self.ops.Field) else self.value(raw[0]))
        if name in ("SearchedCase", "SimpleCase", "IfElse"):
            return self.case(*self.branches(op))
        values = [self.value(each) for each in raw]
        if name in _COMPARED:
            return self.compared(make, *values)
        if name in _LOGIC:
            return make(*(self.of(value, "boolean") for value in values))
        if name in _PATTERNS and operands[2:] in ([], [None]):
            return self.matched(name, make, *values)
        return make(self.of(values[0], "floating")) if name == "IsNan" else self.function(name, op, values)

    def function(self, name: str, op: Any, values: list[Any]) -> Any:
        """Return a function of Ibis, for which an engine has our words."""
        if name in _TEXTS:
            return self.text(name, values[0])
        if name == "Substring" and len(values) == 3:
            return self.cut(values[0], *(getattr(each, "value", None) for each in values[1:]))
        if name in PARTS.values():
            return self.part(name, values[0])
        if name in ("DateTruncate", "TimestampTruncate", "Date"):
            unit = "D" if name == "Date" else op.unit.value
            return self.truncated(values[0], next((u for u, sign in UNITS.items() if sign == unit), ""), op.dtype)
        if name in _SIGNS:
            return self.arithmetic(_SIGNS[name], *values)
        raise self.refuse(
            f"an expression that looks at one row at a time and fails on none, not {name}"
        )  # proof: total

    def of(self, value: Any, *kinds: str) -> Any:
        """Return a value, if it is of one of some types; a text may be a literal."""
        if not any(getattr(value.dtype, f"is_{kind}")() for kind in kinds):
            raise self.refuse(f"{' or '.join(kinds)} where {_named(value.dtype)} is")
        if isinstance(value, self.ops.Literal) and not value.dtype.is_boolean():
            raise self.refuse(f"a column of {' or '.join(kinds)}, not a literal")
        return value

    def held(self, op: Any) -> Any:
        """Return a column that may be asked for nulls: one of structs may stand for what the engine cannot hold."""
        if op.dtype.is_struct():
            raise self.refuse(f"a column of single values, not of {_named(op.dtype)}")
        return op

    def field(self, op: Any) -> Any:
        """Return a column; a text without its collation, a day or a time as it is compared."""
        if op.dtype.is_date() or op.dtype.is_timestamp():
            return self.engine.read_moment(op.to_expr()).op()
        return self.engine.bare(op.to_expr()).op() if op.dtype.is_string() else op  # proof: collation

    # Days and times.

    def part(self, name: str, moment: Any) -> Any:
        """Return a part of a day or a time within Python's years; that of a time with a zone, in UTC."""
        kinds = ("timestamp",) if name in ("ExtractHour", "ExtractMinute") else ("date", "timestamp")
        return self.engine.part(name, self.engine.inside(self.of(moment, *kinds).to_expr())).op()  # proof: part

    def truncated(self, moment: Any, unit: str, kind: Any = None) -> Any:
        """Return the beginning of the year, month, ... of a day or a time: a day, or a time of *kind* is one."""
        import ibis.expr.datatypes as dt

        time = self.of(moment, "date", "timestamp").dtype.is_timestamp()
        units = list(UNITS) if time else DAYS
        if unit not in units:
            raise self.refuse(f"one of {', '.join(units)} that a {'time' if time else 'day'} is truncated to")
        day = unit in DAYS and (kind is None or kind.is_date())
        found = self.engine.truncated(self.engine.inside(moment.to_expr()), unit)
        return found.cast(dt.date).op() if day and found.type().is_timestamp() else found.op()  # proof: truncated

    # Texts.

    def text(self, name: str, text: Any) -> Any:
        """Return a text in small letters, in capitals or without blanks at its ends; or its length."""
        known = self.of(text, "string").to_expr()
        if name == "Lowercase":
            return self.engine.translated(known, UPPER, LOWER).op()  # proof: letters
        if name == "Uppercase":
            return self.engine.translated(known, LOWER, UPPER).op()
        return (self.engine.trimmed(known) if name == "Strip" else self.engine.length(known)).op()

    def cut(self, text: Any, start: Any, length: Any) -> Any:
        """Return some characters of a text, from a place on, the first of which is 0."""
        if not (_is_whole(start) and _is_whole(length) and 0 <= start <= _MOST and 0 <= length <= _MOST):
            raise self.refuse(f"a text's characters by whole numbers of at most {_MOST}")
        return self.engine.cut(self.of(text, "string").to_expr(), int(start), int(length)).op()

    def matched(self, name: str, make: Callable[..., Any], value: Any, pattern: Any) -> Any:
        """Return whether a text matches a pattern, which is a short text without escapes."""
        text = getattr(pattern, "value", None) if isinstance(pattern, self.ops.Literal) else None
        if not isinstance(text, str) or "\\" in text or len(text) > _LONGEST:  # proof: pattern
            raise self.refuse(f"a pattern that is a text, without backslashes and of at most {_LONGEST} characters")
        if name == "StringSQLILike":
            value, text = self.text("Lowercase", value), text.translate(str.maketrans(UPPER, LOWER))
        if name.startswith("StringSQL"):
            kept = self.literal(text, pattern.dtype).value
            return self.engine.like(self.of(value, "string").to_expr(), kept).op()
        return make(self.of(value, "string"), self.literal(text, pattern.dtype))

    # Numbers.

    def arithmetic(self, sign: str, x: Any, y: Any) -> Any:
        """Return a sum, difference, product or quotient of numbers; null where it has none that can be held.

        Of whole numbers, all but quotients are whole, of 64 bits. All else is in floats, decimals too. Floats above
        1e100 are null, those below 1e-100 are 0: so no engine meets an overflow or an underflow.
        """
        literal, kinds = self.ops.Literal, ("floating", "integer", "decimal")
        columns = [self.short(self.of(each, *kinds)) for each in (x, y) if not isinstance(each, literal)]
        numbers = [each.value for each in (x, y) if isinstance(each, literal)]
        whole = all(each.dtype.is_integer() for each in columns) and all(map(_is_whole, numbers)) and sign != "/"
        if any(each.dtype.is_uint64() for each in columns) or not columns:
            raise self.refuse("arithmetic with a column of numbers, of at most 64 bits with a sign")
        kind = "int64" if whole else "float64"
        sides = [self.literal(each.value, _kind(kind)) if isinstance(each, literal) else each for each in (x, y)]
        return self.engine.arithmetic(sign, *(each.to_expr() for each in sides), whole=whole).op()  # proof: arithmetic

    def floored(self, x: Any, width: Any) -> Any:
        """Return the greatest multiple of a whole number that is at most a number; null beyond 53 bits of a float."""
        kind = self.of(x, "integer", "floating", "decimal").dtype
        if not (_is_whole(width) and 1 <= width <= _WIDEST):
            raise self.refuse(f"a width that is a whole number from 1 to {_WIDEST}; for others, bin(column, 0, 0.5, 1)")
        if kind.is_uint64():
            raise self.refuse(f"{_BELOW}, which {_named(kind)} may exceed; or bin(column, ...)")
        return self.engine.floored(self.short(x).to_expr(), int(width)).op()  # proof: floored

    def short(self, x: Any) -> Any:
        """Return numbers, if decimals among them have at most 18 digits before the point: what is longer may be two."""
        kind = x.dtype
        if kind.is_decimal() and not (kind.precision or 99) - (kind.scale or 0) <= 18:
            raise self.refuse(f"{_BELOW}, which {_named(kind)} may exceed; or bin(column, ...)")
        return x

    def bins(self, x: Any, ends: Sequence[Any], names: Sequence[Any] = ()) -> Any:
        """Return the lower end, or the name, of the bin that a value is in; null before the first and from the last."""
        if len(ends) < 2 or len(ends) > _MOST + 1:
            raise self.refuse(f"the ends of 1 to {_MOST} bins, as in bin(age, 0, 18, 65, 120)")
        kind = self.common([x.dtype.copy(nullable=True)], list(ends))
        ordered: list[Any] = [of_type(each, kind) if fits(each, kind) else None for each in ends]
        if None in ordered or any(a >= b for a, b in pairwise(ordered)):
            raise self.refuse(f"ends of bins that ascend, of the column's type, {_named(kind)}")
        literals = [self.literal(each, kind) for each in ends]
        tests = [self.compared(self.ops.Less, x, end) for end in literals]
        labels = self.alike([self.loose(each) for each in (None, *names)], free=True) if names else []
        results = labels or [self.literal(None, kind), *literals[:-1]]
        return self.choice(tests, results, self.literal(None, results[0].dtype))  # proof: bins

    def loose(self, value: Any) -> Any:
        """Return a literal whose type another one decides."""
        import ibis

        return ibis.literal(value).op()

    # Choices and comparisons.

    def branches(self, op: Any) -> tuple[list[Any], list[Any], Any]:
        """Return the conditions, the results and the default of a choice of Ibis."""
        if hasattr(op, "bool_expr"):
            return [self.value(op.bool_expr)], [self.value(op.true_expr)], self.value(op.false_null_expr)
        tests = [self.value(case) for case in op.cases]
        if hasattr(op, "base"):
            base = self.value(op.base)
            tests = [self.compared(self.ops.Equals, base, test) for test in tests]
        return tests, [self.value(each) for each in op.results], self.value(op.default)

    def case(self, tests: Sequence[Any], results: Sequence[Any], default: Any) -> Any:
        """Return the result of the first condition that holds; all results are of one type."""
        other = self.loose(None) if default is None else default
        *found, last = self.alike([*results, other], free=True)
        conditions = tuple(self.of(test, "boolean") for test in tests)
        if not 1 <= len(conditions) <= _MOST + 1:
            raise self.refuse(f"1 to {_MOST} cases")
        return self.choice(conditions, found, last)

    def choice(self, tests: Sequence[Any], results: Sequence[Any], default: Any) -> Any:
        """Return a choice, and remember its values where its words say them."""
        found = self.engine.exactly(self.ops.SearchedCase(tuple(tests), tuple(results), default).to_expr()).op()
        if all(isinstance(each, self.ops.Literal) for each in (*results, default)):
            values = (each.value for each in (*results, default))
            self.known[found] = tuple(dict.fromkeys(value for value in values if value is not None))
        return found

    def compared(self, make: Callable[..., Any], *values: Any) -> Any:
        """Return a comparison of values of one type; each literal becomes one of that type."""
        return make(*self.alike(values))

    def alike(self, values: Sequence[Any], *, free: bool = False) -> list[Any]:
        """Return values in one type; literals among themselves have one where that is *free*."""
        literal = self.ops.Literal
        columns = [value.dtype.copy(nullable=True) for value in values if not isinstance(value, literal)]
        literals = [value.value for value in values if isinstance(value, literal)]
        kind = self.common(columns, literals) if columns or not free else _kind_of(literals)  # proof: alike
        if kind is None:
            raise self.refuse("results of one type")
        return [self.literal(x.value, kind) if isinstance(x, literal) else self.widened(x, kind) for x in values]

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
        if self.engine.two_of_38 and first == dt.Decimal(38, 0):  # proof: huge
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


def _kind_of(literals: Sequence[Any]) -> Any:
    """Return the type of some literals; None where they have none in common."""
    import ibis.expr.datatypes as dt

    given = [value for value in literals if value is not None]
    kinds = (dt.boolean, dt.int64, dt.float64, dt.string, dt.date, dt.timestamp)
    texts = any(isinstance(value, str) for value in given)  # A text can be read as a day, and is none here.
    return next((kind for kind in kinds if texts in (False, kind.is_string()) and _all_fit(given, kind)), None)


def _all_fit(values: Sequence[Any], kind: Any) -> bool:
    return bool(values) and all(fits(value, kind) for value in values)


def _kind(name: str) -> Any:
    import ibis.expr.datatypes as dt

    return dt.dtype(name)


def _is_whole(value: Any) -> bool:
    try:
        return not isinstance(value, bool | str) and value == int(value)
    except (TypeError, ValueError, OverflowError):
        return False


def _height(op: Any, kind: type, known: dict[Any, int]) -> int:
    """Return how many operations are within each other."""
    if op not in known:
        args = [x for arg in op.args for x in (arg if isinstance(arg, tuple) else (arg,)) if isinstance(x, kind)]
        known[op] = 1 + max((_height(each, kind, known) for each in args), default=0)
    return known[op]


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
