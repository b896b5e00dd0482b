"""The sampled audit: a lower bound for the loss of any function, from its outputs alone.

The event that tells most is chosen on one half of the trials and bounded on the other, so the choice costs no
confidence. Both probabilities are bounded by Clopper and Pearson (1934), each with half of the allowed error. What an
event is made of is in `outputs`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from discreet.audit.outputs import Raised, features_of, seen, whole_of
from discreet.core import Measurement
from discreet.errors import KindError, ParameterError
from discreet.exact import Exact, whole, written
from discreet.exact import exact as exact_number
from discreet.intervals import binomial_high, binomial_low, checked_confidence
from discreet.measures import amount
from discreet.pages.charts import intervals
from discreet.pages.results import Result
from discreet.pages.sheet import Sheet, facts
from discreet.progress import Progress
from discreet.samplers import bernoulli_many
from discreet.words import brief

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SampledAudit", "sampled"]

Feature = Callable[[Any], Hashable]
_FIRST_LOOK: Final = 10_000
_SIFTED: Final = 4
"""Of the features that a first look at some trials favours, this many are looked at with all."""


@dataclass(frozen=True, slots=True)
class SampledAudit(Result):
    """The result of a sampled audit: a lower bound for the loss that holds with the stated confidence.

    ``violated`` means that the bound exceeds the claim. That it does not is no proof: another event may tell more.
    """

    quantity: str
    claimed: float
    bound: float
    confidence: float
    trials: int
    event: str

    @property
    def violated(self) -> bool:
        """Whether the claim is refuted."""
        return self.bound > self.claimed

    def __repr__(self) -> str:
        verdict = "VIOLATED" if self.violated else "no violation found"
        return (
            f"<{verdict}: {self.quantity} claimed {self.claimed:.6g}, at least {self.bound:.6g} by {self.event}; "
            f"{self.trials} trials a side, confidence 1 - {1 - self.confidence:.2g}>"
        )

    @property
    def verdict(self) -> str:
        """Whether the claim is refuted, in a few words."""
        return "The claim is VIOLATED" if self.violated else "No violation found"

    @property
    def sheet(self) -> Sheet:
        """What was claimed, and what was seen."""
        pairs = [
            (f"claimed {self.quantity}", written(self.claimed, up=True, digits=7)),
            (f"{self.quantity} at least", written(self.bound, up=False, digits=7)),
            ("confidence", f"1 - {1 - self.confidence:.2g}"),
            ("trials", f"{self.trials:,} for each input to choose an event, and as many to bound it"),
            ("event", self.event),
        ]
        return facts(self.verdict, pairs)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the bound beside the claim; return the axes."""
        return intervals(
            ["claimed", "at least"],
            [self.claimed, self.bound],
            [self.claimed, self.bound],
            [self.claimed, math.inf],
            ax=ax,
            title=self.verdict,
            xlabel=self.quantity,
            bad=[1] if self.violated else (),
        )


def sampled(
    release: Callable[[Any], Any] | Measurement[Any, Any],
    x: Any,
    y: Any,
    claim: Exact | tuple[Exact, Exact] | None = None,
    trials: int = 100_000,
    *,
    confidence: Exact = 1 - 1e-9,
    features: Iterable[Feature] | None = None,
    many: Callable[[Any, int], Iterable[Any]] | None = None,
) -> SampledAudit:
    """Bound from below the loss between two inputs of *release*, any function of one argument or a measurement.

    *claim* is epsilon, or (epsilon, delta); a measurement claims its own. *trials* outputs are drawn for each input
    to choose an event, and as many again to bound it. *many* may draw them in bulk: ``many(x, n)``; a measurement's
    ``release_many`` is used where it has one, and its ``release`` is audited by handing in that.

    An event is a set of values of one of the *features*, functions of an output. The default ones look at the whole
    output, with all its types; at types, shapes and keys alone; and at each number or text in it: its value, between
    which quantiles it lies, its last digits and its precision. An exception is an output, by its type and its words.

    >>> from discreet import RandomizedResponseBool
    >>> audit = sampled(RandomizedResponseBool(prob="3/4"), True, False, trials=2000)
    >>> audit.violated, audit.claimed
    (False, 1.0986122886681098)
    """
    n = whole(trials, "trials", least=2)
    error = checked_confidence(confidence)
    if isinstance(release, Measurement):
        if claim is None:
            claim = release.privacy_map(release.input_metric.measure(x, y))
        many = _bulk(release) if many is None else many
        release = release.release
    if claim is None:
        raise ParameterError("claim", claim, "epsilon, or (epsilon, delta)")
    if not callable(release):
        raise KindError("release", release, "a function of one argument, or a Measurement")
    epsilon, delta = claim if isinstance(claim, tuple | list) else (claim, None)
    infinite = isinstance(epsilon, float) and epsilon == math.inf
    limit = math.inf if infinite else float(amount(epsilon))
    draws = _draws(release, (x, y), n, many, seen if features is None else _as_it_is)
    looks = features_of(draws[:2], x, y) if features is None else list(features)
    _, look, values, swap = _best(looks, draws, limit, delta is not None)
    hits = [sum(look(o) in values for o in side) for side in draws[2:]]
    a, b = (hits[1], hits[0]) if swap else (hits[0], hits[1])
    p, q = float(binomial_low(a, n, error / 2)), float(binomial_high(b, n, error / 2))
    event = f"{_name(look)} in {brief(sorted(values, key=repr)[:4])}{'...' if len(values) > 4 else ''}"
    if delta is None:
        bound, quantity, claimed = (math.log(p / q) if p > 0 else -math.inf), "epsilon", limit
    else:
        grown = math.exp(min(limit, 700)) * q
        bound, quantity, claimed = p - grown, "delta", float(exact_number(delta, "delta"))
    return SampledAudit(quantity, claimed, max(bound, 0.0), 1 - error, n, event)


def _bulk(mechanism: Measurement[Any, Any]) -> Callable[[Any, int], Iterable[Any]] | None:
    """Return a function that draws many releases of one input at once, if the mechanism has one."""
    release_many = getattr(mechanism, "release_many", None)
    if release_many is None:
        return None

    def draw(x: Any, n: int) -> Iterable[Any]:
        if isinstance(x, np.ndarray):
            return map(tuple, release_many(np.tile(x, (n, 1))).tolist())
        out = release_many([x] * n)
        return out.tolist() if isinstance(out, np.ndarray) else out  # type: ignore[no-any-return]

    return draw


def _draws(
    release: Callable[[Any], Any],
    inputs: tuple[Any, Any],
    n: int,
    many: Callable[[Any, int], Iterable[Any]] | None,
    see: Callable[[Any], Any],
) -> list[list[Any]]:
    """Return the outputs for x and y of the first half of the trials, then of the second."""
    if many is not None:
        return [[see(o) for o in many(x, n)] for x in (*inputs, *inputs)]
    sides: list[list[Any]] = [[], [], [], []]
    error: Exception | None = None
    words: set[Hashable] = set()
    failed = 0
    with Progress("trials", total=4 * n) as progress:
        for half in (0, 2):
            # The inputs take turns in random order: whatever drifts meanwhile, such as a clock, drifts for both.
            for swap in bernoulli_many(Fraction(1, 2), n).tolist():
                for side in (1, 0) if swap else (0, 1):
                    try:
                        output = see(release(inputs[side]))
                    except Exception as raised:  # To whoever calls the release this is an answer like any other.
                        failed, error, output = failed + 1, raised, see(Raised(type(raised), raised.args))
                        words.add(whole_of(seen(Raised(type(raised), raised.args))))
                    sides[half + side].append(output)
                progress.add(2)
    if error is not None and failed == 4 * n and len(words) == 1:
        raise error  # It never answers: a mistake in the call, and nothing to audit.
    return sides


def _as_it_is(o: Any) -> Any:
    return o


def _best(
    looks: list[Feature], draws: list[list[Any]], epsilon: float, approximate: bool
) -> tuple[float, Feature, set[Hashable], bool]:
    """Return the feature, and the set of its values, that seem to tell most; a first look at some trials sifts."""
    if not looks:
        raise ParameterError("features", looks, "at least one function of an output")
    some = [side[:_FIRST_LOOK] for side in draws[:2]]

    def telling(look: Feature) -> float:
        return _choose(look, some, epsilon, approximate)[0]

    sifted = looks if len(draws[0]) <= _FIRST_LOOK else sorted(looks, key=telling, reverse=True)[:_SIFTED]
    return max((_choose(look, draws, epsilon, approximate) for look in sifted), key=lambda choice: choice[0])


def _choose(
    look: Feature, draws: list[list[Any]], epsilon: float, approximate: bool
) -> tuple[float, Feature, set[Hashable], bool]:
    """Return the set of a feature's values that seems to tell most, in one direction or the other."""
    middle = len(draws[0]) // 2
    ranks = [Counter(map(look, side[:middle])) for side in draws[:2]]
    hits = [Counter(map(look, side[middle:])) for side in draws[:2]]
    there = _best_prefix(ranks[0], ranks[1], hits[0], hits[1], epsilon, approximate)
    back = _best_prefix(ranks[1], ranks[0], hits[1], hits[0], epsilon, approximate)
    swap = back[0] > there[0]
    score, values = back if swap else there
    return score, look, values, swap


def _best_prefix(
    rank_a: Counter[Hashable],
    rank_b: Counter[Hashable],
    a: Counter[Hashable],
    b: Counter[Hashable],
    epsilon: float,
    approximate: bool,
) -> tuple[float, set[Hashable]]:
    """Return the values, from the one of the greatest ratio down, that a rough bound favours; and that bound.

    They are ranked on some trials and scored on others: values seen once would all look telling.
    """
    n = a.total()
    ranked = sorted(rank_a, key=lambda value: (rank_b[value] + 0.5) / (rank_a[value] + 0.5))
    hits_a = hits_b = size = 0
    best = -math.inf
    for count, value in enumerate(ranked, 1):
        hits_a, hits_b = hits_a + a[value], hits_b + b[value]
        # Three standard errors down; the sharp bound is for the other half of the trials.
        low = max(hits_a - 3 * math.sqrt(hits_a), 0.0) / n
        high = (hits_b + 3 * math.sqrt(hits_b) + 10) / n
        score = low - math.exp(min(epsilon, 700)) * high if approximate else low / high
        if score > best:
            best, size = score, count
    return best, set(ranked[:size])


def _name(look: Feature) -> str:
    return getattr(look, "__name__", repr(look)).strip("_<>")
