"""Which keys people have, without counts: weights by degree, Gaussian noise and a threshold, in rounds.

Theorem.  In each round a person adds the same weight to each of their keys that are not yet found, so that the squares
add up to at most G^2; keys whose totals, with discrete Gaussian noise of variance v, come out strictly above T are
found. Between data to which one person is added or removed, all rounds together are (epsilon, delta)-DP, where delta is
that of Gaussian noise at distance G in each round, and of the probability that a key of this person alone is found.
Weights by degree: [Gopi et al. 2020]; rounds: DP-SIPS [Swanberg, Desfontaines and Haney 2023].
Proof: find_keys.md, which cites the marked lines.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import TYPE_CHECKING, Any, ClassVar, Final, final

import numpy as np

from discreet.coins import Coins
from discreet.core import Measurement
from discreet.domains import FOREIGN, Domain, Keys, Texts
from discreet.errors import KindError, ParameterError, UnsupportedError
from discreet.events import Event, event_of
from discreet.exact import Exact, exact, listed, whole
from discreet.frozen import freeze
from discreet.measures import Approximate, EpsilonDelta, MaxDivergence, amount
from discreet.metrics import SymmetricDistance
from discreet.noise import Gaussian, delta_of_rounds, least_positive
from discreet.reals import Number, expm1, log1p, maximum, sign, total
from discreet.samplers import fitted

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["FindKeys", "KeyRound", "KeySets"]

NORM: Final = 1 << 16
"""The greatest sum of squares of a person's weights is the square of this, unless it is given."""
_SMOOTH: Final = 4
"""Noise of variance v is nearly continuous noise of variance v less this, rounded at random."""
_GRID: Final = 1 << 14
"""Variances between one and twice that are looked at."""
_PLACES: Final = 80 * _GRID
"""How many of them: totals with noise of the last one are sure to fit into 64 bits."""
_LARGE: Final = 1 << 20
"""An epsilon from which on delta is stated at this one."""
_SHARES: Final = {
    1: ((Fraction(1), Fraction(3, 8)),),
    2: ((Fraction(1, 10), Fraction(1, 16)), (Fraction(9, 10), Fraction(5, 16))),
}
"""For each number of rounds: what part of the noise's budget a round has, and what part of delta pays for new keys."""


@final
@dataclass(frozen=True, slots=True, init=False)
class KeySets(Domain):
    """Lists with a collection of keys for each person: at most so many, each of a domain of keys.

    >>> [["Rome", "Bath"], {"Rome"}] in KeySets(Texts(), 2), [["Rome", "Bath", "Brig"]] in KeySets(Texts(), 2)
    (True, False)
    """

    keys: Keys
    most: int

    def __init__(self, keys: Keys, most: int) -> None:
        if not isinstance(keys, Keys):
            raise KindError("keys", keys, "a domain of keys, such as Texts() or Integers()")
        freeze(self, keys=keys, most=whole(most, "most", least=1))

    def canonical(self, x: object, /) -> Any:
        """Return a list of frozen sets of canonical keys."""
        if type(x) not in (list, tuple):
            return FOREIGN
        found = [self._person(person) for person in x]  # type: ignore[attr-defined]
        return FOREIGN if any(person is FOREIGN for person in found) else found

    def _person(self, keys: object) -> Any:
        if type(keys) not in (list, tuple, set, frozenset):
            return FOREIGN
        found = self.keys.many(list(keys))  # type: ignore[call-overload]
        if found is FOREIGN or len(set(found)) > self.most:
            return FOREIGN
        return frozenset(found)


@final
@dataclass(frozen=True, slots=True, init=False)
class KeyRound:
    """Noise and a threshold: a key whose noisy total of weights is strictly above it is found."""

    variance: Fraction
    threshold: int

    def __init__(self, variance: Exact, threshold: int) -> None:
        v = exact(variance, "variance")
        if v <= _SMOOTH:  # proof: smooth
            raise ParameterError("variance", variance, f"variance > {_SMOOTH}")
        freeze(self, variance=v, threshold=whole(threshold, "threshold", least=0))

    @property
    def noise(self) -> Gaussian:
        """The law of the noise."""
        return Gaussian(self.variance)

    def _surprise(self, keys: int, weight: int) -> Number:
        """Return -ln Pr[none of so many keys, which have one weight and nothing else, is found]."""
        return -log1p(-self.noise.tail(self.threshold + 1 - weight)) * keys  # proof: surprise

    def find(self, totals: NDArray[Any], coins: Coins) -> NDArray[np.intp]:
        """Return the places of the totals that are above 0, and with noise strictly above the threshold."""
        there = np.flatnonzero(totals)  # proof: present
        return there[self.noise.add(totals[there], coins, private_size=True) > self.threshold]  # proof: strict

    def _law(self, totals: Mapping[Any, int]) -> list[tuple[frozenset[Any], Number]]:
        """Return the sets of keys that may be found, each with its probability."""
        law: list[tuple[frozenset[Any], Number]] = [(frozenset(), Fraction(1))]
        for key, weight in totals.items():
            p = self.noise.at_least(self.threshold + 1 - weight)
            law = [(keys, q * (1 - p)) for keys, q in law] + [(keys | {key}, q * p) for keys, q in law]
        return law


@final
@dataclass(frozen=True, slots=True, init=False)
class FindKeys(Measurement[Any, tuple[Any, ...]]):
    """Find keys that many people have. The data are a list with a collection of keys for each person.

    A person has at most *max_keys* keys; the sum of the squares of what they add is at most the square of *norm*. The
    loss is stated as a delta at an *epsilon*. The keys that are found are in an order that depends on nothing else.

    >>> m = FindKeys.within(epsilon=1, delta="1e-6", max_keys=2, rounds=1)
    >>> m.weights, m.rounds
    (((1, 65536), (2, 46340)), (KeyRound(variance=Fraction(80169926660, 1), threshold=1485054),))
    >>> set(m.release([["Rome", "Bath"]] * 1000 + [["Brig"]])) <= {"Bath", "Brig", "Rome"}
    True
    """

    input_metric: ClassVar[SymmetricDistance] = SymmetricDistance()
    output_measure: ClassVar[Approximate] = Approximate(MaxDivergence())

    rounds: tuple[KeyRound, ...]
    max_keys: int
    epsilon: Fraction
    norm: int
    domain: Keys

    def __init__(
        self,
        rounds: Iterable[KeyRound],
        *,
        max_keys: int,
        epsilon: Exact,
        norm: int = NORM,
        domain: Keys = Texts(),  # noqa: B008  A frozen value.
    ) -> None:
        each = tuple(listed(rounds, "rounds", "a list of rounds, such as [KeyRound(variance, threshold)]"))
        if not each or not all(isinstance(one, KeyRound) for one in each):
            raise KindError("rounds", type(rounds), "a list of rounds, such as [KeyRound(variance, threshold)]")
        most, length = whole(max_keys, "max_keys", least=1), whole(norm, "norm", least=1)
        if length > NORM or length * length < most:  # proof: weight
            raise ParameterError("norm", norm, f"at most {NORM}, and a square of at least max_keys")
        if not isinstance(domain, Keys):
            raise KindError("domain", domain, "a domain of keys, such as Texts() or Integers()")
        freeze(self, rounds=each, max_keys=most, epsilon=amount(epsilon), norm=length, domain=domain)

    @classmethod
    def within(
        cls,
        *,
        epsilon: Exact,
        delta: Exact,
        max_keys: int,
        rounds: int = 2,
        norm: int = NORM,
        domain: Keys = Texts(),  # noqa: B008  A frozen value.
    ) -> FindKeys:
        """Return a mechanism within a budget, in one or two rounds.

        Of delta, 3/8 pay for new keys. Of two rounds, the first has a tenth of the noise's budget, and finds the keys
        that most people have; in the second, people count in the others alone.

        >>> m = FindKeys.within(epsilon=1, delta="1e-6", max_keys=100)
        >>> m.privacy_map(1) <= (1.0, 1e-6)
        True
        """
        budget, most = amount(epsilon), amount(delta, "delta")
        if not 0 < most < 1:
            raise ParameterError("delta", delta, "0 < delta < 1")
        if budget == 0:
            raise ParameterError("epsilon", epsilon, "epsilon > 0")
        if whole(rounds, "rounds", least=1) not in _SHARES:
            raise ParameterError("rounds", rounds, "1 or 2")
        shares = _SHARES[rounds]
        start = cls([KeyRound(_SMOOTH + 1, 0)], max_keys=max_keys, epsilon=budget, norm=norm, domain=domain)
        surprises = [-log1p(-most * part) for _, part in shares]

        def variances(place: int) -> list[Fraction]:
            e, m = divmod(place, _GRID)
            return [_SMOOTH + (_GRID + m) * Fraction(start.norm**2 << e, _GRID << 12) / part for part, _ in shares]

        def enough(place: int) -> bool:
            delta = start._delta(variances(place), start.norm, rounds * start.max_keys, total(surprises))
            return sign(delta - most) <= 0

        if not enough(_PLACES):
            raise ParameterError("epsilon", epsilon, "more: there are no numbers for noise of this size")
        noise = [Fraction(-(-v.numerator // v.denominator)) for v in variances(least_positive(enough))]
        found = [KeyRound(v, start._least(v, phi)) for v, phi in zip(noise, surprises, strict=True)]  # proof: within
        return cls(found, max_keys=max_keys, epsilon=budget, norm=norm, domain=domain)

    @property
    def input_domain(self) -> KeySets:
        """Lists with at most so many keys for each person."""
        return KeySets(self.domain, self.max_keys)

    @property
    def weights(self) -> tuple[tuple[int, int], ...]:
        """The numbers of keys that are told apart, and what a person with up to so many adds to each."""
        found, keys = [], 0
        while keys < self.max_keys:
            keys = min(keys + (1 << max(keys.bit_length() - 4, 0)), self.max_keys)
            found.append((keys, isqrt(self.norm**2 // keys)))  # proof: norm
        return tuple(found)

    def weight(self, keys: int) -> int:
        """Return what a person with so many keys adds to each.

        >>> FindKeys.within(epsilon=1, delta="1e-6", max_keys=4, rounds=1).weight(4)
        32768
        """
        n = whole(keys, "keys", least=1)
        if n > self.max_keys:
            raise ParameterError("keys", keys, f"keys <= {self.max_keys}, max_keys")
        return next(weight for most, weight in self.weights if n <= most)  # proof: row

    def loss(self, d_in: int, /) -> EpsilonDelta:
        """Return the epsilon, and the delta at it."""
        d = self.input_metric.check(d_in)
        if d == 0:
            return EpsilonDelta(Fraction(0), Fraction(0))
        # Several people may give a key that they alone have the sum of their weights.
        rows = self.weights if d == 1 else ((d * self.max_keys, d * self.norm),)  # proof: several
        if rows[0][1] > min(one.threshold for one in self.rounds):
            return EpsilonDelta(self.epsilon, Fraction(1))
        phi = self._phi(rows)
        shifted = len(self.rounds) * d * self.max_keys
        delta = self._delta([one.variance for one in self.rounds], d * self.norm, shifted, phi, mixed=d > 1)
        return EpsilonDelta(self.epsilon, delta)

    def _phi(self, rows: Sequence[tuple[int, int]]) -> Number:
        """Return -ln Pr[no key of theirs alone is found], in all rounds, of people who may have such keys."""
        return total(maximum(*(one._surprise(*row) for row in rows)) for one in self.rounds)  # proof: rounds

    def _delta(
        self, variances: Sequence[Fraction], length: int, shifted: int, phi: Number, *, mixed: bool = False
    ) -> Number:
        """Return delta by the noise of each round, how far totals move and how many, and the surprise of new keys."""
        epsilon, moves = min(self.epsilon, Fraction(_LARGE)), [(length**2, v) for v in variances]  # proof: falls
        return delta_of_rounds(epsilon, moves, shifted, phi, _SMOOTH, mixed=mixed)  # proof: delta

    def _least(self, variance: Fraction, phi: Number) -> int:
        """Return the least threshold at which new keys of one person surprise by at most phi."""
        noise, threshold = Gaussian(variance), 0
        for keys, weight in reversed(self.weights):
            p = -expm1(-phi / keys)
            if threshold < weight or sign(noise.tail(threshold + 1 - weight) - p) > 0:
                threshold = max(weight - 1 + noise.reach(p), weight)  # proof: least
        return threshold

    def event(self, d_in: int, /) -> Event:
        """Return one move of epsilon, and the delta; for one person also rho, and its own delta."""
        parameters: dict[str, Exact] = {"max_keys": self.max_keys, "norm": self.norm}
        for i, one in enumerate(self.rounds, 1):
            parameters |= {f"variance {i}": one.variance, f"threshold {i}": one.threshold}
        loss, rho = self.loss(d_in), sum((self.norm**2 / (2 * one.variance) for one in self.rounds), Fraction(0))
        one_apart = d_in == 1 and self.norm <= min(one.threshold for one in self.rounds)
        return event_of(
            loss,
            mechanism="FindKeys",
            sensitivity=(self.input_metric.check(d_in),),
            parameters=parameters,
            concentrated=(rho, -expm1(-self._phi(self.weights))) if one_apart else None,  # proof: concentrated
        )

    def sample(self, x: Any, coins: Coins, /) -> tuple[Any, ...]:
        """Draw the keys that are found."""
        found: list[Any] = []
        for one in self.rounds:
            totals = self._totals(x, found)
            keys = list(totals)
            found += [keys[i] for i in one.find(fitted(list(totals.values())), coins)]  # proof: find
        return tuple(found[i] for i in self.domain.order(found, coins))  # proof: order

    def law(self, x: Any, /) -> Mapping[Any, Number]:
        """Return the probability of each set of keys, as a sorted tuple.

        >>> m = FindKeys([KeyRound(100, 60)], max_keys=1, epsilon=1, norm=20)
        >>> list(m.law([["Rome"]] * 3))
        [(), ('Rome',)]
        """
        if not self.domain.ordered:
            raise UnsupportedError(
                "keys without an order are released in one that is drawn; their law is not written out"
            )
        people = self.input_domain.take(x)
        law: dict[frozenset[Any], Number] = {frozenset(): Fraction(1)}
        for one in self.rounds:
            after: dict[frozenset[Any], list[Number]] = {}
            for found, p in law.items():
                for more, q in one._law(self._totals(people, found)):
                    after.setdefault(found | more, []).append(p * q)
            law = {keys: total(parts) for keys, parts in after.items()}
        return {tuple(sorted(keys, key=self.domain.rank)): p for keys, p in law.items()}

    def _totals(self, people: Iterable[frozenset[Any]], found: Iterable[Any]) -> Counter[Any]:
        """Return what people add up to in each key that is not yet found."""
        known, totals = frozenset(found), Counter[Any]()
        for keys in people:
            rest = keys - known  # proof: rest
            for key in rest:
                totals[key] += self.weight(len(rest))
        return totals
