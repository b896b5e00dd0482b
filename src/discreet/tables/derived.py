"""Derived columns: a month, an age group, a name without blanks, made of one row alone and null where undefined.

A text is read as

    VALUE [by WIDTH [from LOW to HIGH]] [as NAME]

in which VALUE is an expression of `reading`, such as ``age``, ``lower(city)`` or ``CASE WHEN age < 18 THEN 'y' END``;
the width is a whole number, or a unit of time such as month. With a range, all bins are known beforehand: numbers from
LOW to below HIGH, or days of all the months from LOW to HIGH. An Ibis expression is made of the same operations.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterable
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final

from discreet.errors import KindError, ParameterError
from discreet.exact import exact
from discreet.tables.data import Derived
from discreet.tables.engines.engine import DAYS
from discreet.tables.reading import Reader, parsed
from discreet.tables.total import FEWER, PARTS, UNITS, Total
from discreet.tables.where import resolved, used

__all__ = ["check_new", "derived", "is_name"]

_AS: Final = re.compile(r"""(.*\S)\s+as\s+(?:"([^"]+)"|(\w+))\s*""", re.IGNORECASE | re.DOTALL)
_BY: Final = re.compile(
    r"(.*\S)\s+by\s+([\w.]+)(?:\s+from\s+([\w.:+-]+)\s+to\s+([\w.:+-]+))?", re.IGNORECASE | re.DOTALL
)
_LONGEST: Final = 60
"""How many bytes a name may have: PostgreSQL cuts those off that are beyond 63."""
_MOST: Final = 1000
_UNITS: Final = {sign: unit for unit, sign in UNITS.items()}
_WORDS: Final = {
    **{operation: f"{part}({{}})" for part, operation in PARTS.items()},
    "Lowercase": "lower({})",
    "Uppercase": "upper({})",
    "Strip": "trim({})",
    "StringLength": "length({})",
    "Add": "({} + {})",
    "Subtract": "({} - {})",
    "Multiply": "({} * {})",
    "Divide": "({} / {})",
}
_BLANKS: Final = re.compile(r"""("[^"]*"|'[^']*')|\s+""")
_PLAIN: Final = re.compile(r"(?!(?:true|false|none|nan|inf)$)[^\W\d]\w*", re.IGNORECASE)
"""Names that are told without quotes: nothing else is told so."""
_STEPS: Final = {"year": 366, "quarter": 92, "month": 31, "week": 7, "day": 1}


def is_name(text: str) -> bool:
    """Whether a text can only be meant as the name of a column, or as several.

    >>> is_name("citty"), is_name("city,year"), is_name("age by 10"), is_name("month(day)")
    (True, True, False, False)
    """
    return re.fullmatch(r"[\w ,;|\t.]*", text) is not None and not (_AS.fullmatch(text) or _BY.fullmatch(text))


def derived(table: Any, given: Any, name: str | None = None) -> tuple[Derived, Any]:
    """Return a column of an Ibis table, with its expression, from a text or an Ibis expression.

    >>> import ibis
    >>> people = ibis.table({"age": "int64", "day": "date"}, name="people")
    >>> derived(people, "age by 10 from 0 to 30 as decade")[0]
    Derived(name='decade', text='age by 10 from 0 to 30', values=(0, 10, 20))
    >>> derived(people, ibis._.day.truncate("M"), "month")[0]
    Derived(name='month', text='day by month', values=None)
    """
    said, text, total, op = _read(table, given) if isinstance(given, str) else _resolved(table, given)
    if isinstance(op, total.ops.Literal):
        raise total.refuse("a value that depends on a column")
    called = name or said
    if not called.isprintable() or not 0 < len(called.encode()) <= _LONGEST:
        raise ParameterError("columns", called, f'a name of at most {_LONGEST} bytes: "... as name", or .name("...")')
    column = total.shallow(op).to_expr()
    total.engine.check(table, sorted(used(column)))
    return Derived(called, text, total.known.get(op)), total.engine.attempt(column)


def check_new(table: Any, names: Iterable[str]) -> None:
    """Raise where a further column has the name of one that a table has: the person's stays what it is."""
    taken = {column.casefold() for column in table.columns}  # For some engines, case does not count in names.
    for name in names:
        if name.casefold() in taken:  # proof: new
            need = 'a name that no column has, in capitals or not: "... as name", or .name("...")'
            raise ParameterError("columns", name, need)


def _resolved(table: Any, given: Any) -> tuple[str, str, Total, Any]:
    """Return the name, the text, and the total form of an Ibis expression."""
    import ibis

    found = resolved(given, table, "columns")
    if not isinstance(found, ibis.Value):
        raise KindError("columns", found, "a column's name, a text such as 'age by 10', or an Ibis expression")
    op = found.op()
    while type(op).__name__ == "Alias":
        op = op.arg
    total = Total(table, "columns", type(op).__name__, "; derive it in an Ibis table of your own for more")
    text = _told(op, total.ops)
    return text if op is found.op() else found.get_name(), text, total, total.row(op, table)


def _read(table: Any, given: str) -> tuple[str, str, Total, Any]:
    """Return the name, the text, and the total form of what a text says."""
    text, name = given.strip(), None
    if "--" not in text:  # A comment ends with its line.
        text = _BLANKS.sub(lambda found: found[1] or " ", text)
    if found := _AS.fullmatch(text):
        text, name = found[1], found[2] or found[3]
    total, by = Total(table, "columns", given), _BY.fullmatch(text)
    source = by[1] if by else text
    if source in table.columns and not source.isidentifier():  # A column with a blank in its name, say.
        source = '"' + source.replace('"', '""') + '"'
    nodes = parsed(source, "columns", "{}")
    if len(nodes) != 1:
        raise total.refuse("one expression")
    reader = Reader(table, total)
    try:
        op = reader.key(nodes[0])
        return name or text, text, total, _binned(total, op, *by.groups()[1:]) if by else op
    except RecursionError:
        raise total.refuse(FEWER) from None


def _binned(total: Total, op: Any, width: str, low: str | None, high: str | None) -> Any:
    """Return the bin that a value is in."""
    unit = width.lower()
    if op.dtype.is_date() or op.dtype.is_timestamp():
        if low is None or high is None:
            return total.truncated(op, unit)
        starts = _starts(total, unit, low, high)
        zone = op.dtype.is_timestamp() and op.dtype.timezone
        ends = [datetime.combine(start, time(0), UTC) for start in starts] if zone else starts
        return total.bins(op, ends, starts[:-1])
    if op.dtype.is_string() and unit in UNITS:
        raise total.refuse("date or timestamp where string is")
    step = exact(width, "columns") if re.fullmatch(r"[\d.]+", width) else None
    if step is None or step <= 0:
        raise total.refuse("a width that is a number above 0, or a column of days or times by month, say")
    if low is None or high is None:
        return total.floored(op, step)
    first, last = exact(low, "columns"), exact(high, "columns")
    count = (last - first) / step
    if not 1 <= count <= _MOST or {number.denominator for number in (count, first, step)} != {1}:
        raise total.refuse(
            f"a range of 1 to {_MOST} whole widths, in whole numbers; for others, bin(column, 0, 0.5, 1)"
        )
    numbers = [int(first + i * step) for i in range(int(count) + 1)]
    return total.bins(op, numbers, numbers[:-1])


def _starts(total: Total, unit: str, low: str, high: str) -> list[date]:
    """Return the first days of the units of a range, and the one after its end."""
    if unit not in DAYS:
        raise total.refuse(f"a range of one of {', '.join(DAYS)}")
    try:
        starts, last = [_first(unit, date.fromisoformat(f"{low}-01-01"[:10]))], _last(high)
        while starts[-1] <= last and len(starts) <= _MOST:
            starts.append(_first(unit, starts[-1] + timedelta(days=_STEPS[unit])))
    except (ValueError, OverflowError):
        starts = []
    if not 1 < len(starts) <= _MOST:
        raise total.refuse(f"a range of fewer than {_MOST}, such as 2026-01 to 2026-12, or 2026-01-05 to 2026-03-31")
    return starts


def _last(text: str) -> date:
    """Return the last day of a year, of a month, or a day."""
    if len(text) == len("2026"):
        return date(int(text), 12, 31)
    day = date.fromisoformat(f"{text}-01"[:10])
    return day if len(text) > len("2026-01") else day.replace(day=monthrange(day.year, day.month)[1])


def _first(unit: str, day: date) -> date:
    """Return the first day of the year, month, ... that a day is in."""
    if unit == "week":
        return day - timedelta(days=day.weekday())
    month = {"year": 1, "quarter": (day.month - 1) // 3 * 3 + 1}.get(unit, day.month)
    return day if unit == "day" else day.replace(month=month, day=1)


def _told(op: Any, ops: Any) -> str:
    """Return what an operation of Ibis does: in the words of a text that does so, where there are some."""
    if isinstance(op, ops.Field):
        return op.name if _PLAIN.fullmatch(op.name) else _quoted(op.name, '"')
    if isinstance(op, ops.Literal):
        return _quoted(op.value, "'") if isinstance(op.value, str) else repr(op.value)
    if isinstance(op, tuple):
        return f"({', '.join(_told(each, ops) for each in op)})"
    if not isinstance(op, ops.Value):
        return repr(getattr(op, "value", op))
    name = type(op).__name__
    unit = _UNITS.get(op.unit.value) if name in ("DateTruncate", "TimestampTruncate") else None
    if unit and (op.dtype.is_date() or unit not in DAYS):  # In a text, a time by month is a day.
        return f"{_told(op.arg, ops)} by {unit}"
    said = [_told(arg, ops) for arg in op.args]
    if name == "Substring" and isinstance(start := getattr(op.start, "value", None), int):
        said[1], name = str(start + 1), "substring"  # In a text, the first character is 1.
    return _WORDS[name].format(*said) if name in _WORDS else f"{name}({', '.join(said)})"


def _quoted(text: str, mark: str) -> str:
    return f"{mark}{text.replace(mark, 2 * mark)}{mark}"
