"""The sampled audit: a lower bound for the loss of any function, from its outputs alone.

The event that tells most is chosen on one half of the trials and bounded on the other, so the choice costs no
confidence. Both probabilities are bounded by Clopper and Pearson (1934), each with half of the allowed error.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.core import Measurement
from discreet.errors import KindError, ParameterError, show
from discreet.exact import Exact, whole
from discreet.exact import exact as exact_number
from discreet.intervals import binomial_high, binomial_low, checked_confidence
from discreet.measures import checked_epsilon
from discreet.report import Progress, intervals
from discreet.samplers import bernoulli_many

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SampledAudit", "sampled"]

Feature = Callable[[Any], Hashable]


@dataclass(frozen=True, slots=True)
class SampledAudit:
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

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the audit as a page: one HTML file that loads nothing; with a *path*, also write it there.

        >>> "The claim is violated." in sampled(lambda x: x, 0, 1, claim=1, trials=1000).to_html()
        True
        """
        from discreet.audit.pages import to_html

        return to_html(self, path=path)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the bound beside the claim; return the axes."""
        return intervals(
            ["claimed", "at least"],
            [self.claimed, self.bound],
            [self.claimed, self.bound],
            [self.claimed, math.inf],
            ax=ax,
            title="The claim is VIOLATED" if self.violated else "No violation found",
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
    to choose an event, and as many again to bound it. *many* may draw them in bulk: ``many(x, n)``. An event is a
    set of values of one of the *features*, functions of an output; the default ones look at the output itself, at
    the keys of a dict, and at the precision of a float.

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
    limit = float("inf") if epsilon == math.inf else float(checked_epsilon(epsilon))
    draws = _draws(release, (x, y), n, many)
    looks = list(features) if features is not None else _default_features(draws[0][:200] + draws[1][:200], x, y)
    best = max((_choose(look, draws, limit, delta is not None) for look in looks), key=lambda choice: choice[0])
    _, look, values, swap = best
    hits = [sum(look(o) in values for o in side) for side in draws[2:]]
    a, b = (hits[1], hits[0]) if swap else (hits[0], hits[1])
    p, q = float(binomial_low(a, n, error / 2)), float(binomial_high(b, n, error / 2))
    event = f"{_name(look)} in {show(sorted(values, key=repr)[:4])}{'...' if len(values) > 4 else ''}"
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
    release: Callable[[Any], Any], inputs: tuple[Any, Any], n: int, many: Callable[[Any, int], Iterable[Any]] | None
) -> list[list[Any]]:
    """Return the outputs for x and y of the first half of the trials, then of the second."""
    if many is not None:
        return [[_hashable(o) for o in many(x, n)] for x in (*inputs, *inputs)]
    sides: list[list[Any]] = [[], [], [], []]
    with Progress("trials", total=4 * n) as progress:
        for half in (0, 2):
            # The inputs take turns in random order: whatever drifts meanwhile, such as a clock, drifts for both.
            for swap in bernoulli_many(Fraction(1, 2), n).tolist():
                for side in (1, 0) if swap else (0, 1):
                    sides[half + side].append(_hashable(release(inputs[side])))
                progress.add(2)
    return sides


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


def _default_features(outputs: list[Any], x: Any, y: Any) -> list[Feature]:
    features: list[Feature] = [_output]
    first, second = (_hashable(side) for side in (x, y))
    if _are_vectors(first, second) and all(_are_vectors(o, first) for o in outputs):
        differ = [i for i, (a, b) in enumerate(zip(first, second, strict=True)) if a != b]

        def agreement(o: Any) -> Hashable:
            """How many of the bits in which the inputs differ are as in the first: no report is seen twice."""
            return int(sum(o[i] == first[i] for i in differ))

        features.append(agreement)
    if any(isinstance(o, tuple) and o[:1] == ("dict",) for o in outputs):
        features.append(_keys)
    if any(isinstance(o, float) for o in outputs):
        features += [_precision, _rounded]
    return features


def _are_vectors(x: Any, y: Any) -> bool:
    """Whether two values are vectors of one length."""
    return isinstance(x, tuple) and isinstance(y, tuple) and len(x) == len(y) > 0


def _output(o: Any) -> Hashable:
    return o  # type: ignore[no-any-return]


def _keys(o: Any) -> Hashable:
    return tuple(key for key, _ in o[1]) if isinstance(o, tuple) and o[:1] == ("dict",) else None


def _precision(o: Any) -> Hashable:
    """The place of the last bit of a float that is set, and its size: noise added to a number inherits its grid."""
    if not isinstance(o, float) or not math.isfinite(o) or o == 0:
        return None
    num, den = o.as_integer_ratio()
    last = (num & -num).bit_length() - den.bit_length()
    return max(last, -70) if abs(o) < 0.25 else "large"


def _rounded(o: Any) -> Hashable:
    return round(o * 4) if isinstance(o, float) and math.isfinite(o) else None


def _hashable(o: Any) -> Any:
    """Return an output as something that can be counted."""
    if isinstance(o, np.ndarray):
        return tuple(o.ravel().tolist())
    if isinstance(o, Mapping):
        return ("dict", tuple(o.items()))
    if isinstance(o, list | tuple):
        return tuple(_hashable(part) for part in o)
    return o.item() if isinstance(o, np.generic) else o


def _name(look: Feature) -> str:
    return getattr(look, "__name__", repr(look)).strip("_<>")
