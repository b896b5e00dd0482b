"""Errors: every exception that discreet raises on purpose.

DiscreetError
├── ParameterError    (also ValueError)       a parameter is out of its range
├── KindError         (also TypeError)        a parameter is of the wrong type
├── DomainError       (also ValueError)       data outside the input domain; never shows the data
├── MismatchError     (also TypeError)        two components do not fit together
├── BudgetError                               a privacy loss exceeds what is allowed
├── LedgerError                               the budget's books cannot be opened, read or written
├── StoreError                                a collector's store of reports cannot be opened, read or written
├── UnsupportedError  (also NotImplementedError)  a component cannot do what was asked
│   └── AbsentError   (also AttributeError)   a name of another library; the message says what there is instead
├── EngineError       (also RuntimeError)     a table's engine failed; its own words may quote data and are not shown
├── PrecisionError    (also ArithmeticError)  a real number is too close to a tie to be decided
├── ReportError       (also ValueError)       a report that a collector refuses, with the reason
└── EntropyError      (also OSError)          the system's source of randomness failed
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any, ClassVar, Final, TypeVar

T = TypeVar("T")

__all__ = [
    "AbsentError",
    "BudgetError",
    "DiscreetError",
    "DomainError",
    "EngineError",
    "EntropyError",
    "KindError",
    "LedgerError",
    "MismatchError",
    "ParameterError",
    "PrecisionError",
    "ReportError",
    "StoreError",
    "UnsupportedError",
    "none_of",
    "one_of",
    "show",
    "show_path",
]

_WIDTH: Final = 100
_SHOWN: Final = 20
_ENTRIES: Final = 8
_BITS: Final = 250
_VOWELS: Final = tuple("aeiouAEIOU")
_TYPED: Final = frozenset({type(None), type(...), bool, int, float, complex, Fraction, Decimal, str, date, datetime})
"""The types of single parameters. Subclasses are left out: they bring a repr of their own."""
_BARE_COMMA: Final = re.compile(r",(?=\S)")


def show(value: object, *, entries: bool = True) -> str:
    r"""Write a value in a message: a parameter as it was typed, and of whatever may be data only the type.

    Parameters are numbers, days, short texts, and short lists and tuples of these, whose *entries* can be left out.
    Frames, arrays, bytes, dicts, sets, lists of rows and objects may hold data, and so may a text that is long or looks
    like the contents of a file. Lengths are not shown either: they may count people. No code of the value's own runs.

    >>> show("3/4"), show(1.2), show((1, 10)), show(10**1000)
    ("'3/4'", '1.2', '(1, 10)', 'an integer of 3322 bits')
    >>> import numpy as np
    >>> show([("Ann", "flu"), ("Bob", "HIV")]), show("name,disease\nAnn,flu"), show(np.array([1, 2]))
    ('a list', 'a text', 'a numpy.ndarray')
    """
    if entries and (type(value) is list or type(value) is tuple) and len(value) <= _ENTRIES:
        parts = [text for text in map(_parameter, value) if text is not None]
        if len(parts) == len(value) and sum(map(len, parts)) <= _WIDTH:
            text = ", ".join(parts)
            return f"[{text}]" if type(value) is list else f"({text}{',' * (len(parts) == 1)})"
    return _parameter(value) or _type_of(value)


def _parameter(value: object) -> str | None:
    """Return a number, a day or a text as it was typed, or None for anything else."""
    if type(value) not in _TYPED and type(value) in _numpy_types():
        value = _numpy_types()[type(value)](value)
    if type(value) not in _TYPED or (isinstance(value, datetime) and value.tzinfo is not None):  # Zones run their code.
        return None
    if isinstance(value, int) and value.bit_length() > _BITS:
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, Fraction):
        long = max(value.numerator.bit_length(), value.denominator.bit_length()) > _BITS
        return "a fraction of integers too long to print" if long else str(value)
    if isinstance(value, str):
        return repr(value) if _is_brief(value) else "a text"
    if isinstance(value, Decimal) and len(value.as_tuple().digits) > _WIDTH:
        return f"a Decimal of {len(value.as_tuple().digits)} digits"
    return repr(value)


@cache
def _numpy_types() -> dict[type, Callable[[Any], Any]]:
    """Return the types of single parameters that are NumPy's, and how each becomes one of Python's."""
    import numpy as np

    kinds = {np.bool_, np.str_, *(kind for kind in np.sctypeDict.values() if issubclass(kind, np.number))}
    return {kind: float if issubclass(kind, np.floating) else np.generic.item for kind in kinds - {np.timedelta64}}


def show_path(path: object) -> str:
    """Write a path in a message, however long it is, unless it looks like the contents of a file.

    >>> show_path("/srv/books.db"), show_path("Ann,flu,2026,Rome")
    ('/srv/books.db', 'a path')
    """
    return str(path) if _is_line(str(path)) else "a path"


def _is_brief(text: str) -> bool:
    """Whether a text is short, and neither lines of text, nor JSON, nor a row of CSV."""
    return len(text) <= _WIDTH and len(repr(text)) <= 2 * _WIDTH and _is_line(text)


def _is_line(text: str) -> bool:
    name = text.replace("\\", "/").rpartition("/")[2]
    one_line = len(text.splitlines()) <= 1 and "\t" not in text
    return one_line and not name.startswith(("{", "[", "<")) and len(_BARE_COMMA.findall(text)) <= 2


def _type_of(value: object) -> str:
    """Return the name of a value's type, with its article and package; of a class, its own."""
    kind = type(value)
    if issubclass(kind, type):
        return type.__repr__(value)
    package, _, path = type.__repr__(kind)[8:-2].partition(".")
    name = path.rpartition(".")[2]
    full = f"{package}.{name}" if name and package != "__main__" else name or package
    return full[:_WIDTH] if kind is bytes else f"{'an' if full[:1] in _VOWELS else 'a'} {full[:_WIDTH]}"


class DiscreetError(Exception):
    """The root of every exception raised on purpose."""


class _CallError(DiscreetError):
    """An error shaped like the call that caused it: ``name=given: need ...``."""

    _entries: ClassVar[bool] = True

    def __init__(self, name: str, given: object, need: str) -> None:
        super().__init__(f"{name}={show(given, entries=self._entries)}: need {need}")

    def __reduce__(self) -> tuple[object, ...]:
        return _remake, (type(self), str(self))


class ParameterError(_CallError, ValueError):
    """A parameter is out of its range.

    >>> raise ParameterError("prob", 1.2, "1/2 <= prob <= 1")
    Traceback (most recent call last):
    discreet.errors.ParameterError: prob=1.2: need 1/2 <= prob <= 1
    """


class KindError(_CallError, TypeError):
    """A parameter is of the wrong type. A list in its place may be a column of data, and its entries are not shown.

    >>> raise KindError("prob", None, "a number")
    Traceback (most recent call last):
    discreet.errors.KindError: prob=None: need a number
    >>> raise KindError("column", ["Ann", "Bob"], "a column's name")
    Traceback (most recent call last):
    discreet.errors.KindError: column=a list: need a column's name
    """

    _entries = False


def one_of(name: str, value: T, choices: Iterable[T], /) -> T:
    """Return a value that is one of some names or numbers, or raise; nothing else is compared with them.

    >>> one_of("kind", "pandas", ["pandas", "polars"])
    'pandas'
    """
    listed = list(choices)
    if not isinstance(value, str | int) or value not in listed:
        raise none_of(name, value, listed)
    return value


def none_of(name: str, value: object, choices: Iterable[object], /) -> ParameterError:
    """Return the error for what is none of some names, with the one that may have been meant.

    >>> raise none_of("column", "ctiy", ["city", "age"])
    Traceback (most recent call last):
    discreet.errors.ParameterError: column='ctiy': need one of city, age; did you mean 'city'?
    """
    from difflib import get_close_matches

    names = [str(choice) for choice in choices]
    close = get_close_matches(value, names, n=1) if type(value) is str and _is_brief(value) else []
    hint = f"; did you mean {close[0]!r}?" if close else ""
    more = ", ..." if len(names) > _SHOWN else ""
    return ParameterError(name, value, f"one of {', '.join(names[:_SHOWN])}{more}{hint}")


class DomainError(DiscreetError, ValueError):
    """Data lie outside the input domain. The message describes the domain and never the data."""


class MismatchError(DiscreetError, TypeError):
    """Two components do not fit together; the message names both sides."""


class BudgetError(DiscreetError):
    """A privacy loss exceeds what is allowed."""


class LedgerError(DiscreetError):
    """The budget's books cannot be opened, read or written; the message names the file and the remedy."""


class StoreError(DiscreetError):
    """A collector's store of reports cannot be opened, read or written; the message names it and the remedy."""


class UnsupportedError(DiscreetError, NotImplementedError):
    """A component cannot do what was asked of it."""


class AbsentError(UnsupportedError, AttributeError):
    """A name of another library is not here; the message says what there is instead."""


class EngineError(DiscreetError, RuntimeError):
    """A table's engine failed. Its own words may quote data, so only the kind of its error is shown."""


class PrecisionError(DiscreetError, ArithmeticError):
    """A real number lies too close to a tie to be decided."""


class ReportError(DiscreetError, ValueError):
    """A collector refuses a report. *reason* is one of a few short texts, under which refusals are counted.

    >>> raise ReportError("another version", "the report's is 2, this collector's is 1")
    Traceback (most recent call last):
    discreet.errors.ReportError: another version: the report's is 2, this collector's is 1
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason, self.detail = reason, detail

    def __reduce__(self) -> tuple[object, ...]:
        return ReportError, (self.reason, self.detail)


class EntropyError(DiscreetError, OSError):
    """The system's source of randomness failed; nothing was released."""


def _remake(kind: type[_CallError], message: str) -> _CallError:
    """Rebuild a pickled error from its message."""
    error = kind.__new__(kind)
    error.args = (message,)
    return error
