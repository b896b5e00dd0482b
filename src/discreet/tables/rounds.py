"""Rounds: people counted in two rounds, in the second only in groups that the first has not shown, as one measurement.

Theorem.  Let each round count people under one bounding, with Gaussian noise and a threshold, the second among the rows
whose groups the first has not shown. Both together lose what `delta_of_rounds` says of the bounding's sensitivity in
each round, and beside it what the noise of sizes loses.
Proof: rounds.md, which cites the marked lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Final, final

from discreet.coins import Coins
from discreet.core import Measurement
from discreet.domains import Integers, Maps
from discreet.errors import ParameterError, one_of
from discreet.events import Event, event_of
from discreet.exact import Exact, whole
from discreet.measures import Approximate, EpsilonDelta, MaxDivergence
from discreet.mechanisms import GaussianThreshold
from discreet.noise import Gaussian, delta_of_rounds, least_positive
from discreet.reals import Number, expm1, log1p, sign, total
from discreet.tables.aggregates import People
from discreet.tables.bounding import key_wires, with_type
from discreet.tables.engines import engine_of
from discreet.tables.laws import LAWS, Candidate
from discreet.tables.noise import NoiseByRound
from discreet.tables.order import spelled
from discreet.tables.release import InTurn, Part, Released

if TYPE_CHECKING:
    from discreet.metrics import PersonDistance, Sensitivity
    from discreet.tables.aggregates import Aggregate
    from discreet.tables.bounding import Bounding, Tables
    from discreet.tables.data import Data
    from discreet.tables.ready import Ready

__all__ = ["InRounds", "check_rounds", "rest"]

_SMOOTH: Final = (1, 4)
"""Noise of variance v is nearly continuous noise of variance v less this, rounded at random: more nearly for more."""
_SHARES: Final = (Fraction(1, 16), Fraction(15, 16))
"""What part of the noise's budget, in squares, each round has."""
_NEW: Final = (Fraction(1, 16), Fraction(5, 16))
"""What part of delta pays for new groups in each round; the rest is the noise's."""
_GRID: Final = 1 << 9
"""Variances between one and twice that are looked at."""
_PLACES: Final = 80 * _GRID
_EIGHTHS: Final = 8


@final
@dataclass(frozen=True, slots=True)
class InRounds(Measurement[Any, Released]):
    """Releases of one bounding's counts, one after the other, each of the groups that none before it has shown.

    The loss of their noise is stated as a delta at an *epsilon*; sizes, where they are asked for, cost beside it.
    """

    output_measure: ClassVar[Approximate] = Approximate(MaxDivergence())

    rounds: tuple[InTurn, ...]
    epsilon: Fraction

    def __post_init__(self) -> None:
        for turn in self.rounds:
            kinds = [type(part.mechanism) for part in turn.parts]
            if kinds != [GaussianThreshold] or turn.bounding != self.bounding or not turn.bounding.private:
                need = "counts with Gaussian noise, of one bounding's private groups"
                raise ParameterError("rounds", len(self.rounds), need)  # proof: fit
        if min(one.variance for one in self.mechanisms) <= _SMOOTH[0]:  # proof: smooth
            raise ParameterError("variance", self.mechanisms[-1].variance, f"variance > {_SMOOTH[0]}")

    @classmethod
    def within(
        cls, bounding: Bounding, *, epsilon: Fraction, delta: Fraction, sizes: Fraction | None = None
    ) -> InRounds:
        """Return two rounds within a budget for counting people; *sizes* is the epsilon of both rounds' sizes together.

        The first round has a sixteenth of the noise's budget, in squares, and a sixteenth of delta for new groups. The
        second has the rest, and five sixteenths. These numbers are the same for all data.

        >>> from discreet.tables import Bounding, People
        >>> bounding = Bounding(People(), person="user", by="city", max_groups=3)
        >>> both = InRounds.within(bounding, epsilon=Fraction(1), delta=Fraction("1e-6"))
        >>> [(float(one.variance), one.threshold) for one in both.mechanisms]
        [(898.0, 165), (60.875, 41)]
        """
        (aggregate,), domain = bounding.aggregates, Maps(bounding.key_domain, Integers())
        part = None if sizes is None else sizes / len(_SHARES)
        spread, rounds = InTurn.within(replace(bounding, aggregates=()), epsilons=(), sizes=part).sizes, []
        for variance, threshold in _least_noise(bounding.sensitivity(aggregate), epsilon, delta):
            made = GaussianThreshold(variance=variance, threshold=threshold, epsilon=epsilon, domain=domain)
            rounds.append(InTurn(bounding, (Part(aggregate, (Candidate.of("gaussian", made),)),), spread))
        return cls(tuple(rounds), epsilon)

    @property
    def bounding(self) -> Bounding:
        """The one that all rounds have."""
        return self.rounds[0].bounding

    @property
    def input_domain(self) -> Tables:
        """Tables that have the bounding's columns."""
        return self.bounding.input_domain

    @property
    def input_metric(self) -> PersonDistance:
        """How many people are added or removed."""
        return self.bounding.input_metric

    def loss(self, d_in: int, /) -> EpsilonDelta:
        """Return the joint loss of the counts, and those of the sizes."""
        d = self.input_metric.check(d_in)
        sizes = [turn.sizes.loss(d) for turn in self.rounds if turn.sizes is not None]
        return self.output_measure.add([self._counts(d), *sizes])  # proof: sizes

    def _counts(self, d: int) -> EpsilonDelta:
        """Return the epsilon, and the delta at it, of both rounds' counts together."""
        apart = self._apart(d)
        if apart.l1 == 0:
            return self.output_measure.zero
        if apart.li > min(one.threshold for one in self.mechanisms):
            return EpsilonDelta(self.epsilon, Fraction(1))
        moves = [(apart.l2_squared, one.variance) for one in self.mechanisms]
        return EpsilonDelta(self.epsilon, _delta(apart, self.epsilon, moves, self._surprise(apart), mixed=d > 1))

    def _apart(self, d: int) -> Sensitivity:
        """Return how far apart the totals of one round may be."""
        (aggregate,) = self.bounding.aggregates
        return self.bounding.sensitivity(aggregate, d).tightest()  # proof: round

    def _surprise(self, apart: Sensitivity) -> Number:
        """Return -ln Pr[no new group is shown], in all rounds."""
        return total(one.noise.surprise(one.threshold, apart) for one in self.mechanisms)  # proof: new

    def event(self, d_in: int, /) -> Event:
        """Return one part for the counts of both rounds, also as zCDP, and one for the sizes of each."""
        d = self.input_metric.check(d_in)
        apart, parameters = self._apart(d), dict[str, Exact](max_groups=self.bounding.max_groups)
        for i, one in enumerate(self.mechanisms, 1):
            parameters |= {f"variance {i}": one.variance, f"threshold {i}": one.threshold}
        rho = sum((Fraction(apart.l2_squared) / (2 * one.variance) for one in self.mechanisms), Fraction(0))
        counts = event_of(
            self._counts(d),
            mechanism="InRounds",
            sensitivity=apart,
            parameters=parameters,
            concentrated=(rho, -expm1(-self._surprise(apart))),  # proof: concentrated
        )
        sizes = [turn.sizes.event(d) for turn in self.rounds if turn.sizes is not None]
        return Event((*counts.parts, *chain.from_iterable(event.parts for event in sizes)))

    def sample(self, x: Ready, coins: Coins, /) -> Released:
        """Draw the rounds, each of the rows whose groups were not shown before it."""
        keys: list[tuple[Any, ...]] = []
        values, rounds, spreads = list[int](), list[int](), []
        for number, turn in enumerate(self.rounds, 1):
            rows = rest(x.table, self.bounding.by, keys) if keys else x
            shown = turn.of_tables.sample(rows, coins)  # proof: rest
            keys += shown.keys
            values += shown.columns[0]
            rounds += [number] * len(shown.keys)
            spreads.append(shown.spread)
        order = self.bounding.key_domain.order(self.bounding.named(keys), coins)  # proof: order
        columns = ([values[i] for i in order],)
        which = tuple(rounds[i] for i in order)
        return Released([keys[i] for i in order], columns, spreads[0], self.bounding.max_groups, which, spreads[-1])

    @property
    def mechanisms(self) -> tuple[GaussianThreshold, ...]:
        """What the totals of each round go through."""
        return tuple(turn.parts[0].mechanism for turn in self.rounds)  # type: ignore[misc]

    def noise(self, rounds: tuple[int, ...]) -> NoiseByRound:
        """Return the noise of a column whose values are from these rounds."""
        return NoiseByRound.of([turn.parts[0].noise for turn in self.rounds], rounds)

    @property
    def named(self) -> dict[str, str]:
        """The mechanisms as code, by the label of what is counted and the round."""
        return {
            f"{label}, round {i}": code for i, turn in enumerate(self.rounds, 1) for label, code in turn.named.items()
        }


def rest(table: Any, by: Sequence[str], shown: Sequence[tuple[Any, ...]]) -> Any:
    """Return the rows of a table whose groups are not among those that were shown, which are public."""
    engine, wires = engine_of(table), key_wires(table, by)
    texts = ["|".join(wire.spelled(part) for wire, part in zip(wires, key, strict=True)) for key in shown]
    keys = spelled(engine, [engine.key(with_type(table[name], "string")) for name in by])
    return engine.without(table, keys, texts)  # proof: row


def check_rounds(
    rounds: int, table: Data, asked: Sequence[Aggregate], private: tuple[str, ...], auto: bool, noise: str
) -> None:
    """Raise unless this can be asked in so many rounds; *private* are the columns of private groups."""
    need = ""
    if whole(rounds, "rounds", least=1) == 1:
        return
    if rounds > len(_SHARES):
        need = "1 or 2"
    elif not private:
        need = "1, where the groups are known: a first round is there to find some"
    elif table.person is None:
        need = "1, where each row is a person, who is in one group"
    elif len(asked) != 1 or not isinstance(asked[0], People):
        need = "1, unless people alone are counted: then ask for the others, with that answer's groups as keys"
    elif any(table._ibis[name].type().is_floating() for name in private):
        need = "1, where keys are floats: what is close to one that is shown would be left out"
    if need:
        raise ParameterError("rounds", rounds, need)
    if auto:
        raise ParameterError("max_groups", "auto", "a number, with rounds=2; suggest_max_groups() chooses one")
    if one_of("noise", noise, ("auto", *LAWS)) not in ("auto", "gaussian"):
        raise ParameterError("noise", noise, "'gaussian' or 'auto', with rounds=2: the noise of both counts as one")


@lru_cache(maxsize=512)
def _least_noise(apart: Sensitivity, epsilon: Fraction, delta: Fraction) -> tuple[tuple[Fraction, int], ...]:
    """Return the least variances on a grid, and thresholds, at which rounds are within a budget."""
    surprises, smooth = [-log1p(-delta * part) for part in _NEW], _smooth(apart, epsilon)

    def variances(place: int) -> list[Fraction]:
        e, m = divmod(place, _GRID)
        far = Fraction((_GRID + m) << e, _GRID << 12)
        return [smooth + apart.l2_squared * far / share for share in _SHARES]

    def enough(place: int) -> bool:
        moves = [(apart.l2_squared, v) for v in variances(place)]
        return sign(_delta(apart, epsilon, moves, total(surprises)) - delta) <= 0

    if not enough(_PLACES):
        raise ParameterError("epsilon", epsilon, "more: there are no numbers for noise of this size")
    found = []
    for v, phi in zip(variances(least_positive(enough)), surprises, strict=True):
        variance = Fraction(-(-v * _EIGHTHS // 1), _EIGHTHS)
        found.append((variance, Gaussian(variance).reach(-expm1(-phi / apart.l0))))  # proof: within
    return tuple(found)


def _delta(
    apart: Sensitivity,
    epsilon: Fraction,
    moves: Sequence[tuple[int, Fraction]],
    surprise: Number,
    *,
    mixed: bool = False,
) -> Number:
    """Return the delta of rounds in which so many totals may move, so far each."""
    smooth = _smooth(apart, epsilon) if min(v for _, v in moves) > _SMOOTH[1] else _SMOOTH[0]
    return delta_of_rounds(epsilon, moves, len(moves) * apart.l0, surprise, smooth, mixed=mixed)  # proof: both


def _smooth(apart: Sensitivity, epsilon: Fraction) -> int:
    """Return the lesser smoothing where what it adds to epsilon, for each total that moves, is small beside it."""
    return _SMOOTH[0] if apart.l0 <= epsilon * (1 << 15) else _SMOOTH[1]
