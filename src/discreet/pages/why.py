"""Why an entry costs what it costs, for auditors: the promise, the mechanism, the theorems, the numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import groupby
from typing import Any, Final

from discreet import mechanisms
from discreet.accounting import Event
from discreet.accounting.distributions import LossDistribution
from discreet.events import Part
from discreet.exact import read_in_full, written
from discreet.pages.books import noted, rule, theorem
from discreet.pages.sheet import Sheet, facts
from discreet.reals import float_up, log1p
from discreet.words import promise

__all__ = ["why_sheet"]

_FAILING: Final = frozenset({"LaplaceThreshold", "TruncatedLaplaceThreshold"})
"""Mechanisms whose delta is the probability that a key or a value appears which only one of the two data can give."""

_OF_TABLES: Final = {
    "InRounds": "Two rounds count people with Gaussian noise and a threshold, the second among groups that the first "
    "has not shown: both together lose what the joint loss of the two noises is, at the sensitivity of each round.",
    "Chosen": "Noisy numbers of people's groups choose one of several releases: both together lose what the numbers "
    "lose and what the costliest of the releases does.",
    "Marginals": "Several tables sum the same cells, each with Gaussian noise: all together lose what one Gaussian "
    "noise does at the root of the sum of their squared distances over their variances.",
}
"""Theorems of measurements on tables, whose proofs are rounds.md, release.md and marginals.md there."""


def why_sheet(
    title: str,
    entry: Mapping[str, Any],
    accountant: str,
    readings: Mapping[str, tuple[Fraction, Fraction]],
    notes: Sequence[str] = (),
) -> Sheet:
    """Return what an entry of `Ledger.to_dict` says of itself, and how it is counted.

    The *readings* are those after it, and the *notes* what was written about it later.

    >>> from discreet import IntegerLaplace, Ledger
    >>> book = Ledger.in_memory(epsilon=1)
    >>> _ = book.charge(event=IntegerLaplace(scale=4).event(1))
    >>> print(book.why(1))                                                            # doctest: +ELLIPSIS
    Ledger.in_memory(epsilon='1', delta='0'): entry 1
    <BLANKLINE>
      promise         No possible result becomes more than 1.29 times likelier or less likely because of one person.
      mechanism       IntegerLaplace, scale 4, at distance 1, 1, 1
      what it tells   at most a randomized response of epsilon 0.25
      by the theorem  x + Z with Pr[Z = z] proportional to exp(-|z| / s) is (d / s)-DP between integers, or ...
      counted by      plain: Epsilons and deltas add up, whichever releases they belong to.
      cost            epsilon 0.25, delta 0
      books after it  epsilon 0.25 of 1, delta 0 of 0
    """
    pairs = [*_parts(entry), *_counted(entry, accountant)]
    after = ", ".join(f"{name} {_up(x)} of {_up(of)}" for name, (x, of) in readings.items())
    return facts(title, [*pairs, ("books after it", after), *(("note", note) for note in notes)])


def _parts(entry: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Give what was released; of a note, what it notes."""
    note = noted(entry)
    if note:
        yield "note", note
    if entry["event"] is None or entry["kind"] == "void":
        return
    event = Event.from_dict(entry["event"])
    yield "promise", f"{_promise(event)}."
    for name, parts in groupby(Counter(event.parts).items(), lambda pair: pair[0].mechanism):
        for part, count in parts:
            numbers = [f"{parameter} {_up(value)}" for parameter, value in part.parameters]
            apart = [f"at distance {', '.join(map(_up, part.sensitivity))}"] if part.sensitivity else []
            times = f"{count:,} x " if count > 1 else ""
            yield "mechanism", times + ", ".join([name or "not said", *numbers, *apart])
            yield "what it tells", f"{_told(part)}{', each' * (count > 1)}"
        kind = getattr(mechanisms, name or "", LossDistribution if name == "Reservation" else None)
        yield "by the theorem", theorem(kind) or _OF_TABLES.get(name or "", "not said")


def _promise(event: Event) -> str:
    """Say what the presence of one person can change.

    Where all deltas are probabilities that something appears which only one of the data can give, the promise fails so
    often; that no such thing appeared changes the odds by 1 / (1 - delta), beside what the noise tells.
    """
    fails = all(part.mechanism in _FAILING for part in event.parts if part.delta)
    unseen = Fraction(float_up(-log1p(-event.delta))) if fails and 0 < event.delta < 1 else 0
    return promise(event.epsilon + unseen, event.delta, fails=fails)


def _told(part: Part) -> str:
    """Say what a part tells at most, each of its statements by itself."""
    moves = [
        f"{f'{n} randomized responses' if n > 1 else 'a randomized response'} of epsilon {_up(e)}"
        for e, n in part.moves
    ]
    sure = [f"everything with probability {_up(part.delta)}"] if part.delta else []
    told = f"at most {' and '.join([*moves, *sure]) or 'nothing'}"
    if part.concentrated is None:
        return told
    rho, delta = part.concentrated
    return f"{told}; as zCDP, rho {_up(rho)}" + (f" and everything with probability {_up(delta)}" if delta else "")


def _counted(entry: Mapping[str, Any], accountant: str) -> Iterator[tuple[str, str]]:
    """Give by which rule an entry is counted, and as how much."""
    yield "counted by", f"{accountant}: {rule(accountant)}"
    costs = ", ".join(f"{name} {_up(read_in_full(x))}" for name, x in entry["cost"].items())
    yield "cost", costs + (f" ({entry['remark']})" if entry["remark"] else "")


def _up(x: Fraction) -> str:
    return written(x, up=True)
