"""Errors: every exception that discreet raises on purpose.

DiscreetError
├── ParameterError    (also ValueError)       a parameter is out of its range
├── KindError         (also TypeError)        a parameter is of the wrong type
├── DomainError       (also ValueError)       data outside the input domain; never shows the data
├── MismatchError     (also TypeError)        two components do not fit together
├── BudgetError                               a privacy loss exceeds what is allowed
├── LedgerError                               the budget's books cannot be opened, read or written
├── UnsupportedError  (also NotImplementedError)  a component cannot do what was asked
├── EngineError       (also RuntimeError)     a table's engine failed; its own words may quote data and are not shown
├── PrecisionError    (also ArithmeticError)  a real number is too close to a tie to be decided
├── ReportError       (also ValueError)       a report that a collector refuses, with the reason
└── EntropyError      (also OSError)          the system's source of randomness failed
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from fractions import Fraction
from typing import Final

__all__ = [
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
    "UnsupportedError",
    "none_of",
    "show",
]

_WIDTH: Final = 80
_SHOWN: Final = 20


def show(value: object) -> str:
    """Write a public value as the user typed it, cut short where it is long.

    >>> show("3/4"), show(1.2), show(10**1000)
    ("'3/4'", '1.2', 'an integer of 3322 bits')
    """
    try:
        return _show(value)
    except Exception:  # A repr that fails, or that is too long to make, must not hide the error.
        return f"a {type(value).__name__}"


def _show(value: object) -> str:
    if isinstance(value, int) and not isinstance(value, bool) and value.bit_length() > 250:
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, Fraction):
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > 250:
            return "a fraction of integers too long to print"
        return str(value)
    if isinstance(value, str | bytes) and len(value) > _WIDTH:
        return f"{value[:20]!r}... ({len(value)} long)"
    if isinstance(value, Decimal) and len(value.as_tuple().digits) > _WIDTH:
        return f"a Decimal of {len(value.as_tuple().digits)} digits"
    if isinstance(value, list | tuple | set | frozenset | dict) and len(value) > 8:
        return f"a {type(value).__name__} of {len(value)}"
    text = repr(value)
    return text if len(text) <= _WIDTH else f"{text[:60]}..."


class DiscreetError(Exception):
    """The root of every exception raised on purpose."""


class _CallError(DiscreetError):
    """An error shaped like the call that caused it: ``name=given: need ...``."""

    def __init__(self, name: str, given: object, need: str) -> None:
        super().__init__(f"{name}={show(given)}: need {need}")

    def __reduce__(self) -> tuple[object, ...]:
        return _remake, (type(self), str(self))


class ParameterError(_CallError, ValueError):
    """A parameter is out of its range.

    >>> raise ParameterError("prob", 1.2, "1/2 <= prob <= 1")
    Traceback (most recent call last):
    discreet.errors.ParameterError: prob=1.2: need 1/2 <= prob <= 1
    """


class KindError(_CallError, TypeError):
    """A parameter is of the wrong type.

    >>> raise KindError("prob", None, "a number")
    Traceback (most recent call last):
    discreet.errors.KindError: prob=None: need a number
    """


def none_of(name: str, value: object, choices: Iterable[object], /) -> ParameterError:
    """Return the error for what is none of some names, with the one that may have been meant.

    >>> raise none_of("column", "ctiy", ["city", "age"])
    Traceback (most recent call last):
    discreet.errors.ParameterError: column='ctiy': need one of city, age; did you mean 'city'?
    """
    from difflib import get_close_matches

    names = [str(choice) for choice in choices]
    close = get_close_matches(str(value), names, n=1)
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


class UnsupportedError(DiscreetError, NotImplementedError):
    """A component cannot do what was asked of it."""


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
