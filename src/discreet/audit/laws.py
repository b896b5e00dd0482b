"""The exact audit: the divergence of the real output laws, as an enclosure, next to what the map claims.

An infinite law is not cut off. Far enough out, the ratio of the two probabilities of an outcome no longer changes; all
outcomes from there on are one event whose probability is known in closed form, and no other event tells more. (They
share one likelihood ratio, so which of them happened says nothing further. Where noise has a ratio that always changes,
the event begins where less than 2**-256 is left.) A law has to be one: no probability is
negative, and together they are 1. And what is drawn has to follow it, which `fits` looks at by samples.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from itertools import permutations, product
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np

from discreet.audit.fits import Misfit, Outcome, answers, as_map, misfits
from discreet.audit.inputs import pairs_of
from discreet.audit.outputs import seen, whole_of
from discreet.composition import Composition
from discreet.core import Measured, Measurement, Postprocessed
from discreet.domains import Vectors
from discreet.errors import KindError, ParameterError, PrecisionError, UnsupportedError
from discreet.exact import listed, whole
from discreet.measures import Approximate
from discreet.mechanisms import AddNoise, KeepAbove
from discreet.noise import Noise
from discreet.pages.charts import points
from discreet.pages.results import Result
from discreet.pages.sheet import Column, Sheet, amounts
from discreet.reals import Number, Real, enclosures, exp, float_down, float_up, ln, maximum, total
from discreet.words import brief

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ExactAudit", "PairAudit", "exact", "pair_of_laws"]

Laws: TypeAlias = tuple[Mapping[Any, Number], Mapping[Any, Number]]
_MOST_OUTCOMES: Final = 200_000
_BITS: Final = 256
"""Enclosures are this fine: a claim that exceeds the truth by less is not told from a claim that equals it."""
_FIGURES: Final = 7


@dataclass(frozen=True, slots=True)
class PairAudit:
    """What one pair of neighbours shows: the claim, an enclosure of the truth, and the event that tells most."""

    x: Any
    y: Any
    d_in: Any
    claimed: float
    low: Fraction | float
    high: Fraction | float
    event: Any

    @property
    def holds(self) -> bool:
        """Whether the truth does not exceed the claim."""
        return self.low <= self.claimed

    @property
    def tightness(self) -> float:
        """The truth over the claim: 1 is as tight as can be, and more than 1 is a violation."""
        if self.claimed == self.low:
            return 1.0
        return float(self.low / self.claimed) if self.claimed else float("inf")


@dataclass(frozen=True, slots=True)
class ExactAudit(Result):
    """The result of an exact audit: a verdict, how tight the claim is, and the worst pair.

    For a pure loss the truth is the max divergence, to be compared with epsilon; for an approximate one it is the
    hockey-stick divergence at the claimed epsilon, to be compared with delta. *misfits* are inputs of which *draws*
    samples do not follow the stated law.
    """

    mechanism: str
    quantity: str
    pairs: tuple[PairAudit, ...]
    misfits: tuple[Misfit, ...] = ()
    draws: int = 0

    @property
    def holds(self) -> bool:
        """Whether the truth exceeds the claim for no pair, and no draws contradict the law."""
        return all(pair.holds for pair in self.pairs) and not self.misfits

    @property
    def worst(self) -> PairAudit:
        """The pair for which the claim is tightest, or most violated."""
        return max(self.pairs, key=lambda pair: pair.tightness)

    @property
    def tightness(self) -> float:
        """The worst pair's."""
        return self.worst.tightness

    def __repr__(self) -> str:
        worst = self.worst
        wrong = f"{len(self.misfits)} misfits of {self.draws} draws with the law; " if self.misfits else ""
        return (
            f"<{'holds' if self.holds else 'VIOLATED'}: {self.mechanism}; {wrong}{len(self.pairs)} pairs; worst at "
            f"{brief(worst.x)}, {brief(worst.y)} by {brief(worst.event)}: {self.quantity} claimed {worst.claimed!r}, "
            f"true {float(worst.low)!r}, tightness {worst.tightness:.6g}>"
        )

    @property
    def verdict(self) -> str:
        """Whether the claim holds, in a few words."""
        return "The claim holds" if self.holds else "The claim is VIOLATED"

    @property
    def sheet(self) -> Sheet:
        """The pairs of inputs, the tightest first: what was claimed, and what is true."""
        pairs = sorted(self.pairs, key=lambda pair: -pair.tightness)
        columns = [
            Column("input", [brief(pair.x) for pair in pairs], head=True),
            Column("other input", [brief(pair.y) for pair in pairs], head=True),
            Column("distance", [brief(pair.d_in) for pair in pairs]),
            amounts("claimed", [pair.claimed for pair in pairs], digits=_FIGURES),
            amounts("exact", [pair.high for pair in pairs], digits=_FIGURES),
            Column("of the claim", [100 * pair.tightness for pair in pairs], 2, unit="%"),
            Column("verdict", ["holds" if pair.holds else "VIOLATED" for pair in pairs]),
        ]
        wrong = [i for i, pair in enumerate(pairs) if not pair.holds]
        return Sheet(self.verdict, columns, f"{self.quantity} of {self.mechanism}", row="pair", chosen=wrong)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the true loss of each pair against the claimed one; return the axes."""
        return points(
            [pair.claimed for pair in self.pairs],
            [float(pair.low) for pair in self.pairs],
            ax=ax,
            title=self.verdict,
            xlabel=f"claimed {self.quantity}",
            ylabel=f"exact {self.quantity}",
            bad=not self.holds,
        )


def exact(
    mechanism: Measurement[Any, Any],
    *,
    pairs: Iterable[tuple[Any, Any]] | None = None,
    members: Sequence[Any] | None = None,
    draws: int = 2000,
) -> ExactAudit:
    """Compare a mechanism's map with its exact output laws, for pairs of inputs or for all pairs of some members.

    Without either, pairs are chosen that show the mechanism at its worst. Each pair is looked at both ways round. A law
    that is none, because it is negative somewhere or does not sum to 1, is refused. Then *draws* releases of each input
    are held against its law: a sampler that is 1/5 away from it, in total variation, is found by 2,000 draws with
    probability 99 %, and a right one is not in all but 1e-9 of audits. With 0 none are drawn.

    >>> from discreet import RandomizedResponse
    >>> audit = exact(RandomizedResponse(categories=("a", "b", "c"), prob="3/4"), members=("a", "b", "c", "other"))
    >>> audit.holds, audit.tightness > 1 - 1e-15, audit.worst.event in ("a", "b", "c")
    (True, True, True)
    """
    if not isinstance(mechanism, Measurement):
        raise KindError("mechanism", mechanism, "a Measurement")
    n = whole(draws, "draws", least=0)
    if pairs is None and members is not None:
        pairs = permutations(listed(members, "members", "a list of inputs"), 2)
    given = pairs_of(mechanism) if pairs is None else listed(pairs, "pairs", "a list of pairs of inputs")
    if not given:
        raise ParameterError("pairs", given, "at least one pair of inputs, or two members")
    if not all(isinstance(pair, tuple | list) and len(pair) == 2 for pair in given):
        raise KindError("pairs", pairs, "a list of pairs of inputs")
    todo = _both_ways(given)
    approximate = isinstance(mechanism.output_measure, Approximate)
    look = _delta if approximate else _epsilon
    return ExactAudit(
        mechanism=repr(mechanism),
        quantity="delta" if approximate else "epsilon",
        pairs=tuple(look(mechanism, x, y) for x, y in todo),
        misfits=tuple(misfits(mechanism, (x for x, _ in todo), n)) if n else (),
        draws=n,
    )


def _both_ways(pairs: Iterable[tuple[Any, Any]]) -> list[tuple[Any, Any]]:
    """Return pairs, and then each of them the other way round unless it is there."""
    there = list(pairs)
    found = {whole_of(seen((x, y))): (x, y) for x, y in [*there, *((y, x) for x, y in there)]}
    return list(found.values())


@singledispatch
def pair_of_laws(mechanism: Measurement[Any, Any], x: Any, y: Any) -> Laws:
    """Return two finite laws over common outcomes that keep every ratio of probabilities of a mechanism's releases.

    >>> from discreet import RandomizedResponseBool
    >>> pair_of_laws(RandomizedResponseBool(prob="3/4"), True, False)[1]
    {False: Fraction(3, 4), True: Fraction(1, 4)}
    """
    return mechanism.law(x), mechanism.law(y)


@pair_of_laws.register
def _(mechanism: Measured, x: Any, y: Any) -> Laws:
    return pair_of_laws(mechanism.then, mechanism.first(x), mechanism.first(y))


@pair_of_laws.register
def _(mechanism: Postprocessed, x: Any, y: Any) -> Laws:
    laws: tuple[dict[Any, Number], dict[Any, Number]] = ({}, {})
    for law, data in zip(laws, (x, y), strict=True):
        for answer, p in answers(mechanism, data):
            law[Outcome(answer)] = law.get(Outcome(answer), Fraction(0)) + p
    return laws


@pair_of_laws.register
def _(mechanism: Composition, x: Any, y: Any) -> Laws:
    return _product([pair_of_laws(part, x, y) for part in mechanism.measurements])


@pair_of_laws.register
def _(mechanism: AddNoise, x: Any, y: Any) -> Laws:
    if isinstance(mechanism.domain, Vectors):
        of = mechanism.domain.of
        return _product([_noisy(mechanism.noise, of, a, b) for a, b in zip(x, y, strict=True) if a != b])
    return _noisy(mechanism.noise, mechanism.domain, x, y)


@pair_of_laws.register
def _(mechanism: KeepAbove, x: Any, y: Any) -> Laws:
    x, y = as_map(x), as_map(y)
    keys = [key for key in {**x, **y} if x.get(key, 0) != y.get(key, 0)]
    sign = 1 if mechanism.threshold >= 0 else -1
    laws = [
        _thresholded(mechanism.noise, sign * mechanism.threshold, sign * x.get(key, 0), sign * y.get(key, 0))
        for key in keys
    ]
    return _product(laws)


def _noisy(noise: Noise, domain: Any, x: int, y: int) -> Laws:
    """The laws of x + Z and y + Z; saturation gathers what lies past a bound at the bound."""
    _check_size(abs(x - y) + 2 * noise.settled)
    return noise.pair(x, y, low=domain.low, high=domain.high)


def _thresholded(noise: Noise, threshold: int, x: int, y: int) -> Laws:
    """The laws of one key: not released, released with a value, or with any value far past both counts."""
    far = max(max(x, y) + noise.settled, threshold + 1)
    _check_size(far - threshold)
    laws = []
    for mean in (x, y):
        if mean == 0:
            law: dict[Any, Number] = {"absent": Fraction(1)}
        else:
            law = {"absent": 1 - noise.at_least(threshold + 1 - mean)}
            law |= {v: noise.point(v - mean) for v in range(threshold + 1, far)}
            law[f">= {far}"] = noise.at_least(far - mean)
        laws.append(law)
    return laws[0], laws[1]


def _product(laws: list[Laws]) -> Laws:
    size = 1
    for p, q in laws:
        size *= len({**p, **q})
    _check_size(size)
    joint: tuple[dict[Any, Number], dict[Any, Number]] = ({}, {})
    for outcome in product(*({**p, **q} for p, q in laws)):
        for side in (0, 1):
            mass: Number = Fraction(1)
            for law, part in zip(laws, outcome, strict=True):
                mass = mass * law[side].get(part, Fraction(0))
            joint[side][outcome] = mass
    return joint


def _check_size(outcomes: int) -> None:
    if outcomes > _MOST_OUTCOMES:
        raise UnsupportedError(f"an exact audit of {outcomes} outcomes: choose inputs that differ less")


def _checked_laws(mechanism: Measurement[Any, Any], x: Any, y: Any) -> Laws:
    """Return two laws, or raise unless each is one."""
    laws = pair_of_laws(mechanism, x, y)
    for law in laws:
        for p in law.values():
            if not isinstance(p, int | Fraction | Real):
                raise KindError("law", type(p), "probabilities that are exact: Fractions")
        *each, (low, high) = _enclosures([*law.values(), total(law.values())])
        for p, (_, most) in zip(law.values(), each, strict=True):
            if most < 0:
                raise ParameterError("law", p, "probabilities >= 0")
        if not low <= 1 <= high:
            raise ParameterError("law", float(low), "probabilities that sum to exactly 1")
    return laws


def _epsilon(mechanism: Measurement[Any, Any], x: Any, y: Any) -> PairAudit:
    d_in = mechanism.input_metric.measure(x, y)
    claimed = mechanism.privacy_map(d_in)
    p, q = _checked_laws(mechanism, x, y)
    certain = [o for o in p if _positive(p[o]) and not _positive(q.get(o, Fraction(0)))]
    if certain:
        return PairAudit(x, y, d_in, claimed, float("inf"), float("inf"), certain[0])
    ratios = {o: p[o] / q[o] for o in p if _positive(p[o])}
    _, event = max(zip(_middles(ratios.values()), ratios, strict=True), key=itemgetter(0))
    low, high = _enclosure(ln(maximum(*ratios.values())))
    return PairAudit(x, y, d_in, claimed, low, high, event)


def _delta(mechanism: Measurement[Any, Any], x: Any, y: Any) -> PairAudit:
    d_in = mechanism.input_metric.measure(x, y)
    epsilon, claimed = mechanism.privacy_map(d_in)
    p, q = _checked_laws(mechanism, x, y)
    grow = exp(Fraction(epsilon)) if np.isfinite(epsilon) else None
    excess: dict[Any, Number] = {}
    for o in p:
        other = q.get(o, Fraction(0))
        if grow is None:
            excess[o] = Fraction(0) if _positive(other) else p[o]
        else:
            excess[o] = maximum(p[o] - grow * other if _positive(other) else p[o], Fraction(0))
    low, high = _enclosure(total(excess.values()))
    event = [o for o, middle in zip(excess, _middles(excess.values()), strict=True) if middle > 0]
    return PairAudit(x, y, d_in, claimed, low, high, event)


def _positive(p: Number) -> bool:
    """Whether a probability is above 0. Those that are Reals, of noise without an end, are."""
    return isinstance(p, Real) or p > 0


def _enclosure(value: Number) -> tuple[Fraction, Fraction]:
    [ends] = _enclosures([value])
    return ends


def _enclosures(values: Iterable[Number]) -> list[tuple[Fraction, Fraction]]:
    """Return rationals around numbers: from more bits where two tails of wide noise are not told apart by fewer."""
    kept = list(values)
    for bits in (_BITS, 4 * _BITS, 16 * _BITS):
        with suppress(PrecisionError):
            return enclosures(kept, bits)
    return enclosures(kept, 64 * _BITS)


def _middles(values: Iterable[Number]) -> list[float]:
    return [(float_down(low) + float_up(high)) / 2 for low, high in _enclosures(values)]
