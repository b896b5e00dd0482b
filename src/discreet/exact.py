"""Exact: what a user types becomes a Fraction, once, and is written again as it was typed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from contextlib import suppress
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal, Inexact
from fractions import Fraction
from operator import index
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from discreet.errors import KindError, ParameterError

if TYPE_CHECKING:
    import numpy as np

Exact: TypeAlias = "int | float | str | Decimal | Fraction | np.integer[Any] | np.floating[Any]"
"""What a user may type where an exact number is needed."""

T = TypeVar("T")

__all__ = ["Exact", "exact", "in_full", "listed", "read_in_full", "typed", "whole", "written"]

# Longer numbers are refused: converting a million digits takes minutes, and no parameter needs them.
_MOST_DIGITS: Final = 4000
_MOST_BITS: Final = 13_300
_SHORT: Final = 12
"""Numbers of as many digits, and quotients by numbers up to this, are written as they are."""
_PLAIN: Final = 15
"""Numbers from as many digits on are written with an exponent."""
_MOST_FLOAT: Final = 1 << 1000
_IN_FULL: Final = re.compile(r"-?[0-9]+(?:/[0-9]+)?")
_NUMBER: Final = re.compile(r"\s*[+-]?(?:\d+/\d+|(?:\d+\.?\d*|\.\d+)(?:[eE](?P<exponent>[+-]?\d+))?)\s*", re.ASCII)


def exact(value: Exact, name: str = "value") -> Fraction:
    """Return the rational number that *value* denotes, without rounding.

    A float stands for its own binary value, a string for the number it spells.

    >>> exact("3/4"), exact("1e-6"), exact(0.5)
    (Fraction(3, 4), Fraction(1, 1000000), Fraction(1, 2))
    >>> exact(0.1) == exact("0.1")
    False
    >>> exact("nan", name="prob")
    Traceback (most recent call last):
    discreet.errors.ParameterError: prob='nan': need a finite number such as "3/4", "0.75" or "1e-6"
    """
    if type(value) is Fraction or type(value) is int:
        if max(value.numerator.bit_length(), value.denominator.bit_length()) > _MOST_BITS:
            raise ParameterError(name, value, f"integers of at most {_MOST_BITS} bits")
        return value if type(value) is Fraction else Fraction(value)
    if isinstance(value, str):
        return _from_text(value, name)
    if isinstance(value, Decimal):
        return _from_decimal(value, name)
    if isinstance(value, bool):
        raise KindError(name, value, "a number, not a bool")
    if isinstance(value, int | Fraction):
        return exact(Fraction(value), name)
    import numpy as np

    if isinstance(value, np.integer) and not isinstance(value, np.timedelta64):
        return Fraction(int(value))
    if isinstance(value, float | np.floating):
        try:
            return Fraction(*map(int, value.as_integer_ratio()))
        except (ValueError, OverflowError):
            raise ParameterError(name, value, "a finite number") from None
    raise KindError(name, value, "an int, float, str, Decimal or Fraction")


def written(amount: Fraction | float, /, *, up: bool, digits: int = 3, commas: bool = False) -> str:
    """Write an amount exactly where that is short, as it was typed; else in three digits, rounded up or down.

    A float that was rounded up from a short number is written as that number.

    >>> written(Fraction("0.1"), up=True), written(Fraction("1e-6"), up=True), written(Fraction(1, 3), up=True)
    ('0.1', '1e-6', '1/3')
    >>> written(0.3, up=False), written(0.30000000000000004, up=True), written(0.33333333333333337, up=True)
    ('0.3', '0.3', '1/3')
    >>> written(7.461343184566792e-07, up=True), written(Fraction(47, 30), up=True), written(Fraction(47, 30), up=False)
    ('7.47e-7', '1.57', '1.56')
    """
    if amount == math.inf:
        return "∞"
    x = typed(Fraction(amount))
    top, bottom, short = Decimal(x.numerator), Decimal(x.denominator), Context(prec=_SHORT)
    shown = short.divide(top, bottom)
    if short.flags[Inexact]:
        if x.denominator <= _SHORT and abs(x) < _MOST_FLOAT:
            return str(x)
        shown = Context(prec=digits, rounding=ROUND_CEILING if up else ROUND_FLOOR).divide(top, bottom)
    if shown == 0 or -5 < shown.adjusted() < _PLAIN:
        return f"{shown.normalize():{',' * commas}f}"
    figures, exponent = f"{shown.normalize():e}".split("e")
    return f"{figures}e{int(exponent)}"


def typed(x: Fraction) -> Fraction:
    """Return the short number that a float was typed as, or rounded up from; any other number as it is."""
    near = float(x) if abs(x) < _MOST_FLOAT else math.inf
    if x != near:
        return x
    if len(repr(near).partition("e")[0]) <= _SHORT:
        return Fraction(repr(near))
    for short in (Fraction(f"{near:.{_SHORT}g}"), x.limit_denominator(_SHORT)):
        if math.nextafter(near, -math.inf) < short <= x:
            return short
    return x


def in_full(x: Fraction) -> str:
    """Write a number in full, however long; ``str`` stops at some thousands of digits.

    >>> in_full(Fraction(1, 3)), in_full(Fraction(-2)), len(in_full(Fraction(10**9999)))
    ('1/3', '-2', 10000)
    """
    top, below = (f"{Decimal(part):f}" for part in (x.numerator, x.denominator))
    return top if below == "1" else f"{top}/{below}"


def read_in_full(text: str) -> Fraction:
    """Return the number that `in_full` wrote.

    >>> read_in_full("-1/3"), read_in_full(in_full(Fraction(1, 10**9999))) * 10**9999
    (Fraction(-1, 3), Fraction(1, 1))
    """
    if _IN_FULL.fullmatch(text) is None:
        raise ValueError("no number that was written in full")
    top, _, below = text.partition("/")
    return Fraction(int(Decimal(top)), int(Decimal(below or "1")))


def whole(value: int, name: str = "value", least: int | None = None) -> int:
    """Return *value* as a Python int, which it must already be in all but type.

    >>> import numpy as np
    >>> whole(np.int8(3)), whole(4)
    (3, 4)
    >>> whole(2.0, name="length")
    Traceback (most recent call last):
    discreet.errors.KindError: length=2.0: need an integer
    """
    if type(value) is not int:
        import numpy as np

        if isinstance(value, bool | np.bool_ | np.timedelta64 | np.ndarray):
            raise KindError(name, value, "an integer")
        try:
            value = index(value)
        except Exception:  # Its own words may quote data.
            raise KindError(name, value, "an integer") from None
    if value.bit_length() > _MOST_BITS:
        raise ParameterError(name, value, f"an integer of at most {_MOST_BITS} bits")
    if least is not None and value < least:
        raise ParameterError(name, value, f"an integer of at least {least}")
    return value


def listed(values: Iterable[T], name: str, need: str) -> list[T]:
    """Return the entries of what a user gives as a list; a text is none.

    >>> listed(("a", "b"), "choices", "a list of choices")
    ['a', 'b']
    >>> listed("ab", "choices", "a list of choices")
    Traceback (most recent call last):
    discreet.errors.KindError: choices='ab': need a list of choices
    """
    if not isinstance(values, str | bytes):
        with suppress(Exception):  # Its own words may quote data.
            return list(values)
    raise KindError(name, values, need)


def _from_text(text: str, name: str) -> Fraction:
    need = 'a finite number such as "3/4", "0.75" or "1e-6"'
    percent = text.removesuffix("%").rstrip()
    if percent != text and len(text) <= _SHORT and percent.replace(".", "", 1).isdecimal() and percent.isascii():
        need = f"a number without a percent sign: {written(Fraction(percent) / 100, up=True)}"
    if len(text) > _MOST_DIGITS:
        raise ParameterError(name, text, f"at most {_MOST_DIGITS} characters")
    match = _NUMBER.fullmatch(text)
    if match is None:
        raise ParameterError(name, text, need)
    exponent = match["exponent"]
    if exponent is not None and (len(exponent) > 8 or abs(int(exponent)) > _MOST_DIGITS):
        raise ParameterError(name, text, f"an exponent of at most {_MOST_DIGITS}")
    try:
        return Fraction(text)
    except ZeroDivisionError:
        raise ParameterError(name, text, "a denominator other than 0") from None
    except ValueError:  # The interpreter's own limit on the digits of an int.
        raise ParameterError(name, text, "fewer digits") from None


def _from_decimal(value: Decimal, name: str) -> Fraction:
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise ParameterError(name, value, "a finite number")
    if len(digits) > _MOST_DIGITS or abs(exponent) > _MOST_DIGITS:
        raise ParameterError(name, value, f"at most {_MOST_DIGITS} digits")
    return Fraction(value)
