"""Solving: the least epsilon at which errors are as small as was asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from discreet.errors import ParameterError
from discreet.exact import Exact, exact, written
from discreet.noise import least_positive

if TYPE_CHECKING:
    from discreet.tables.aggregates import Aggregate

__all__ = ["least_by_noise", "least_epsilon", "margins_of", "solved_words"]

_DIGITS: Final = 900
"""How many numbers have three digits."""
_FIRST: Final = Fraction(1, 10**8)
_MOST: Final = 50
"""An epsilon that promises nothing."""


def least_epsilon(keeps: Callable[[Fraction], bool], name: str, given: Any) -> Fraction:
    """Return the least epsilon of three digits, from 0.000001 to 50, at which a margin is kept; raise if none does.

    >>> least_epsilon(lambda epsilon: epsilon >= Fraction(1, 3), "margin", 5)
    Fraction(167, 500)
    >>> least_epsilon(lambda epsilon: False, "margin", 0)
    Traceback (most recent call last):
    discreet.errors.ParameterError: margin=0: need a larger margin: this one takes an epsilon above 50
    """
    if not keeps(Fraction(_MOST)):
        raise ParameterError(name, given, f"a larger margin: this one takes an epsilon above {_MOST}")
    return _on_grid(least_positive(lambda place: _on_grid(place) >= _MOST or keeps(_on_grid(place))))


def least_by_noise(
    keeps: Callable[[str, Fraction], bool], noises: Sequence[str], name: str, given: Any
) -> dict[str, Fraction]:
    """Return the least epsilon with each noise that may be asked for, where there is one; raise if there is none.

    The best law by other measures, which "auto" takes, may need more than a law that is asked for by its name.

    >>> needs = {"auto": Fraction(1, 2), "laplace": Fraction(1, 3), "gaussian": Fraction(99)}
    >>> least_by_noise(lambda noise, epsilon: epsilon >= needs[noise], [*needs], "margin", 5)
    {'auto': Fraction(1, 2), 'laplace': Fraction(167, 500)}
    """
    found: dict[str, Fraction] = {}
    for noise in noises:
        try:
            found[noise] = least_epsilon(partial(keeps, noise), name, given)
        except ParameterError:
            if noise == noises[-1] and not found:
                raise
    return found


def solved_words(noise: str, found: Mapping[str, Fraction], *, named: bool) -> str:
    """Say which epsilon was found with a noise, and what "auto" would need where that one was not *named* by the user.

    >>> print(solved_words("gaussian", {"gaussian": Fraction(1, 2)}, named=True))
    Epsilon 0.5 is the least, of three digits, that keeps the margin with gaussian noise.
    >>> solved_words("laplace", {"auto": Fraction(1, 2), "laplace": Fraction(167, 500)}, named=False)[68:]
    'It needs noise="laplace", or --noise laplace: with "auto" the least is 0.5.'
    """
    least = f"Epsilon {written(found[noise], up=True)} is the least, of three digits, that keeps the margin"
    if noise == "auto" or named:
        return f"{least} with {noise} noise." if named else f"{least}."
    usual = f"the least is {written(found['auto'], up=True)}" if "auto" in found else "there is none"
    return f'{least}. It needs noise="{noise}", or --noise {noise}: with "auto" {usual}.'


def _on_grid(place: int) -> Fraction:
    """Return the place-th number of three digits."""
    e, m = divmod(place - 1, _DIGITS)
    return (_DIGITS // 9 + m) * _FIRST * Fraction(10) ** e


def margins_of(margin: Exact | Mapping[str, Exact], asked: Sequence[Aggregate]) -> dict[Aggregate, Fraction]:
    """Return how far the noise of columns may reach: one for all of them, or one for each that is named.

    >>> from discreet.tables import Mean, People, Rows
    >>> list(margins_of({"rows": 5}, [People(), Rows(2)]).values())
    [Fraction(5, 1)]
    >>> margins_of(1, [Mean("age", 0, 120)])
    Traceback (most recent call last):
    discreet.errors.ParameterError: margin=1: need counts and sums: the error of a mean depends on the number of people
    """
    labels = [aggregate.label for aggregate in asked]
    given = margin if isinstance(margin, Mapping) else dict.fromkeys(labels, margin)
    if not set(given) <= set(labels) or not given:
        raise ParameterError("margin", type(margin), f"margins of {', '.join(labels)}")
    found = {aggregate: exact(given[aggregate.label], "margin") for aggregate in asked if aggregate.label in given}
    if min(found.values()) < 0:
        raise ParameterError("margin", margin, "margins of at least 0")
    if any(aggregate.needs for aggregate in found):
        need = "counts and sums: the error of a mean depends on the number of people"
        raise ParameterError("margin", margin, need)
    if any(aggregate.learns for aggregate in found):
        raise ParameterError("margin", margin, 'bounds that are given: with "auto" they are not known yet')
    return found
