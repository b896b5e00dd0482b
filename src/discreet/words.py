"""Words: what a loss means to a person who reads it, each number rounded to the safe side; and values as texts."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final
from unicodedata import combining, east_asian_width

from discreet.errors import show
from discreet.exact import typed, written
from discreet.reals import Number, exp, floor_bits

__all__ = ["LEARN", "belief", "bound", "brief", "factor", "one_in", "plain", "promise", "shortened", "width_of"]

LEARN: Final = "What anyone could learn about one person from this page"

_MOST: Final = 40
"""Beyond this epsilon a factor has 18 digits, and says no more than that there is no limit worth the name."""
_WIDTH: Final = 80


def factor(epsilon: Fraction, /) -> str | None:
    """Return exp(epsilon) in figures, rounded up; None where it is beyond all use.

    >>> [factor(Fraction(x)) for x in ("1", "0.1", "0.001", "10", "99")]
    ['2.72', '1.11', '1.0011', '22,027', None]
    """
    if epsilon > _MOST:
        return None
    value = exp(epsilon)
    digits = 0 if epsilon > 7 else 1 if epsilon > 4 else 2
    while digits < 12 and ceiling((value - 1) * 10**digits) < 10:
        digits += 1
    return decimal(ceiling(value * 10**digits), digits)


def belief(epsilon: Fraction, /) -> str | None:
    """Return what a belief of 50 % can become, at most, when its odds grow by exp(epsilon): in percent, rounded up.

    >>> belief(Fraction(1)), belief(Fraction(1, 1000)), belief(Fraction(10)), belief(Fraction(99))
    ('73.2', '50.1', '99.996', None)
    """
    if epsilon > _MOST:
        return None
    value = 100 / (1 + exp(-epsilon))
    for digits in range(1, 20):
        if (up := ceiling(value * 10**digits)) < 100 * 10**digits:
            return decimal(up, digits)
    return None  # pragma: no cover  At an epsilon of 40 the belief differs from 100 in the sixteenth digit.


def one_in(probability: Fraction, /) -> str:
    """Return an n for which a probability is at most 1/n, in figures: the greatest of three digits.

    >>> one_in(Fraction("1e-6")), one_in(Fraction(1.0000000000000002e-06)), one_in(Fraction(3, 10**9))
    ('1,000,000', '1,000,000', '333,000,000')
    """
    short = typed(probability)
    n = short.denominator // short.numerator
    n -= n % 10 ** max(len(str(n)) - 3, 0)
    return f"{n:,}" if n < 10**15 else f"10^{len(str(n)) - 1}"


def bound(before: str, what: str, epsilon: Fraction, delta: Fraction = Fraction(0), /) -> str:
    """Say how far something can raise a belief of 50 %, after a sentence that says whose belief and what it is.

    >>> bound("Suppose so, at 50 %.", "This page", Fraction(1))
    'Suppose so, at 50 %. This page can raise that to 73.2 %, and no more: the odds change at most by a factor of 2.72.'
    """
    times, grown = factor(epsilon), belief(epsilon)
    if times is None or grown is None or delta >= 1:
        large = "delta" if delta >= 1 else "epsilon"
        return f"{before} {what} may make them all but certain: {large} is too large for a useful promise."
    but = f" This promise fails with a probability of at most 1 in {one_in(delta)}." if delta else ""
    odds = f"the odds change at most by a factor of {times}"
    return f"{before} {what} can raise that to {grown} %, and no more: {odds}.{but}"


def promise(epsilon: Fraction, delta: Fraction = Fraction(0), /, *, fails: bool = True) -> str:
    """Say what the presence of one person can change, without a full stop.

    If the loss exceeds epsilon with a probability of at most delta, the promise *fails* so often; (epsilon, delta)-DP
    alone does not say that, but bounds the probabilities of sets of results.

    >>> promise(Fraction(1), Fraction("6.278e-7"))
    'No possible result becomes more than 2.72 times likelier or less likely because of one person, except with \
probability 6.278e-7'
    """
    times = factor(epsilon)
    if times is None or delta >= 1:
        return f"{'Delta' if delta >= 1 else 'Epsilon'} is too large for a useful promise to a person"
    if delta and not fails:
        changes = f"becomes more than {times} times likelier or less likely because of one person"
        return f"No set of results {changes}, plus a probability of {written(delta, up=True)}"
    but = f", except with probability {written(delta, up=True)}" if delta else ""
    return f"No possible result becomes more than {times} times likelier or less likely because of one person{but}"


def ceiling(x: Number, /) -> int:
    """Return the least integer that is at least a real.

    >>> ceiling(exp(1)), ceiling(Fraction(3))
    (3, 3)
    """
    return -floor_bits(-x, 0)


def decimal(value: int, digits: int, /) -> str:
    """Write value / 10**digits, with commas between thousands.

    >>> decimal(12345678, 3), decimal(-5, 2), decimal(7, 0)
    ('12,345.678', '-0.05', '7')
    """
    whole, part = divmod(abs(value), 10**digits)
    return f"{'-' * (value < 0)}{whole:,}" + (f".{part:0{digits}}" if digits else "")


def brief(value: Any) -> str:
    """Return the repr of a value that is not private, cut short where it is long: an input that an audit tries, say.

    >>> brief({"a": 1}), brief(list(range(1000)))
    ("{'a': 1}", '[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 1...')
    """
    try:
        text = str(value) if isinstance(value, Fraction) else repr(value)
    except Exception:  # A repr that fails, or that is too long to make, must not hide what it is in.
        return show(value)
    return text if len(text) <= _WIDTH else f"{text[: _WIDTH - 20]}..."


def plain(value: Any) -> str:
    r"""Return a text in which a terminal finds no commands: what cannot be printed is written as an escape.

    >>> plain("Rome"), plain(None), plain("a\x1b[2Jb\n")
    ('Rome', 'null', 'a\\x1b[2Jb\\n')
    """
    if value is None:
        return "null"
    text = str(value)
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def shortened(text: str, most: int, /) -> str:
    """Return a text of at most *most* characters: of a longer one, its two ends, by which names differ.

    >>> shortened("Rome", 9), shortened("University Hospital, ward 12", 15)
    ('Rome', 'Univers…ward 12')
    """
    if len(text) <= most:
        return text
    end = (most - 1) // 2
    return f"{text[: most - 1 - end]}…{text[len(text) - end :]}"


def width_of(text: str, /) -> int:
    """Return how many columns of a terminal a text takes: a wide character takes two, a combining one none.

    >>> width_of("Oslo"), width_of("東京"), width_of("e\u0301")
    (4, 4, 1)
    """
    return sum(0 if combining(c) else 1 + (east_asian_width(c) in "WF") for c in text)
