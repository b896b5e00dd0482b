"""Reading: a mechanism from its text, by a fixed list of names and without running any code."""

from __future__ import annotations

import ast
from fractions import Fraction
from inspect import isabstract, isclass, signature
from typing import Any, Final

import discreet
from discreet.core import Composed, Measured, Measurement, Transformation
from discreet.domains import Domain
from discreet.errors import DiscreetError, KindError, ParameterError, none_of
from discreet.mechanisms import KeyRound
from discreet.noise import Noise
from discreet.words import brief

__all__ = ["NAMES", "read"]

NAMES: Final[dict[str, Any]] = {
    name: kind
    for name in sorted(discreet.__all__)
    if isclass(kind := getattr(discreet, name))
    and issubclass(kind, Domain | Measurement | Noise | Transformation)
    and not isabstract(kind)
} | {"Measured": Measured, "Fraction": Fraction, "Composed": Composed, "KeyRound": KeyRound, "range": range}
"""What a text may name: these, and ``within`` of those that have it."""
_MOST_TEXT: Final = 20_000
_MOST_RANGE: Final = 10**6
_EXAMPLE: Final = "a mechanism such as RandomizedResponse(categories=['a', 'b'], prob='3/4')"


def read(text: str, /) -> Measurement[Any, Any]:
    """Return the mechanism that a text describes: its repr, or the call that makes it. Nothing is evaluated.

    Numbers are exact: ``3/4`` is three quarters. ``Rappor.within(epsilon=1, length=8, max_weight=1)`` is understood,
    and so is ``OneHot(["a", "b"]) >> Rappor(length=2, max_weight=1, f="1/2")``.

    >>> read('RandomizedResponse(categories=["a", "b"], prob=3/4)')
    RandomizedResponse(categories=Categories(['a', 'b']), prob=Fraction(3, 4))
    >>> read("open('/etc/passwd')")                                                     # doctest: +ELLIPSIS
    Traceback (most recent call last):
    discreet.errors.ParameterError: mechanism='open': need one of AddNoise, Anything, BitVectors, ...
    """
    if not isinstance(text, str):
        raise KindError("mechanism", text, f"the text of {_EXAMPLE}")
    if len(text) > _MOST_TEXT:
        raise ParameterError("mechanism", text, f"at most {_MOST_TEXT} characters")
    try:
        made = _made(ast.parse(text.strip(), mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError, ArithmeticError, TypeError, ValueError) as error:
        if isinstance(error, DiscreetError):
            raise
        raise ParameterError("mechanism", text, _EXAMPLE) from None
    if not isinstance(made, Measurement):
        raise ParameterError("mechanism", text, _EXAMPLE)
    return made


def _made(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=str() | bytes() | int() | float() | None as value):
            return value
        case ast.List(elts=parts) | ast.Tuple(elts=parts):
            return [_made(part) for part in parts] if isinstance(node, ast.List) else tuple(map(_made, parts))
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.BinOp(left=left, op=ast.Div(), right=right):
            return _quotient(_made(left), _made(right), node)
        case ast.BinOp(left=left, op=ast.RShift(), right=right):
            return _chain(_made(left), _made(right), node)
        case ast.Call(func=func, args=args, keywords=named) if all(each.arg for each in named):
            return _called(func, [_made(arg) for arg in args], {str(each.arg): _made(each.value) for each in named})
    raise ParameterError("mechanism", ast.unparse(node), "calls, texts, numbers and lists alone")


def _quotient(left: Any, right: Any, node: ast.expr) -> Fraction:
    if not (type(left) is type(right) is int) or right == 0:
        raise ParameterError("mechanism", ast.unparse(node), "a fraction of two integers, such as 3/4")
    return Fraction(left, right)


def _chain(left: Any, right: Any, node: ast.expr) -> Any:
    if not hasattr(left, "stability_map"):
        raise ParameterError("mechanism", ast.unparse(node), "an encoder on the left of >>, such as OneHot(['a', 'b'])")
    return left >> right


def _called(func: ast.expr, args: list[Any], named: dict[str, Any]) -> Any:
    match func:
        case ast.Name(id=name):
            made = _named(name)
        case ast.Attribute(value=ast.Name(id=name), attr="within") if hasattr(_named(name), "within"):
            made, name = _named(name).within, f"{name}.within"
        case _:
            raise ParameterError("mechanism", ast.unparse(func), "a name, or within() of a mechanism that has it")
    try:
        bound = signature(made).bind(*args, **named)
    except (TypeError, ValueError):
        if made is not range:  # It has no signature, and says itself what is wrong.
            raise KindError("mechanism", _typed(name, args, named), f"{name}{_parameters(made)}") from None
        bound = None
    made_now = made(*args, **named) if bound is None else made(*bound.args, **bound.kwargs)
    if isinstance(made_now, range) and len(made_now) > _MOST_RANGE:
        raise ParameterError("range", made_now, f"at most {_MOST_RANGE} members")
    return made_now


def _typed(name: str, args: list[Any], named: dict[str, Any]) -> str:
    """Return a call as it was typed, for a message."""
    return f"{name}({', '.join([*map(brief, args), *(f'{key}={brief(value)}' for key, value in named.items())])})"


def _parameters(made: Any) -> str:
    shown = [str(each).split(":")[0] for each in signature(made).parameters.values()]
    return f"({', '.join(shown)})"


def _named(name: str) -> Any:
    if name not in NAMES:
        raise none_of("mechanism", name, sorted(NAMES))
    return NAMES[name]
