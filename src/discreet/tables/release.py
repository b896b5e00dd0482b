"""Releases: noisy columns of a bounding's totals, drawn in turn, as one measurement.

Theorem.  Let each part of a release add integer noise to one aggregate's totals; where the groups are private, let the
first part keep the groups that come out above its threshold, and the others look at those groups alone. Then the
release loses at most the sum of the parts' losses, each at the bounding's sensitivity for its aggregate.
Proof: release.md, which cites the marked lines.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

import numpy as np

from discreet.coins import Coins
from discreet.core import Measured, Measurement
from discreet.domains import Integers, Maps, Vectors
from discreet.events import Event
from discreet.measures import Approximate, EpsilonDelta, Loss, MaxDivergence, common
from discreet.mechanisms import IntegerLaplace
from discreet.mechanisms.keep_above import KeepAbove
from discreet.reals import float_down, maximum
from discreet.tables.laws import Candidate, Mechanism, shares_of, within_means
from discreet.tables.noise import ColumnNoise
from discreet.tables.powers import Powers
from discreet.tables.spread import Spread
from discreet.tables.suggest import Price, best_of, worths

if TYPE_CHECKING:
    from discreet.measures import Measure
    from discreet.metrics import PersonDistance
    from discreet.tables.aggregates import Aggregate
    from discreet.tables.bounding import Bounding, Tables, Totals, TotalsOf

__all__ = ["Chosen", "InTurn", "Part", "Released"]

_APPROXIMATE: Final = Approximate(MaxDivergence())


class Released(NamedTuple):
    """What a release draws: the keys of the groups that are shown, noisy steps of each aggregate, and noisy sizes.

    In two rounds, *rounds* says in which each group was shown, and *rest* has the sizes of the second. *powers* are
    what bounds were learned from.
    """

    keys: list[tuple[Any, ...]]
    columns: tuple[list[int], ...]
    spread: Spread | None
    max_groups: int
    rounds: tuple[int, ...] = ()
    rest: Spread | None = None
    powers: tuple[Powers, ...] = ()


@final
@dataclass(frozen=True, slots=True)
class Part:
    """An aggregate, and the laws of noise that its totals may go through, the best first: that is the one they do."""

    aggregate: Aggregate
    laws: tuple[Candidate, ...]

    @property
    def law(self) -> str:
        """The name of its noise."""
        return self.laws[0].law

    @property
    def mechanism(self) -> Mechanism:
        """What its totals go through."""
        return self.laws[0].mechanism

    def loss(self, bounding: Bounding, d_in: int) -> Loss:
        """Return the mechanism's loss at the bounding's sensitivity."""
        return self.mechanism.loss(bounding.sensitivity(self.aggregate, d_in))  # proof: part

    def event(self, bounding: Bounding, d_in: int) -> Event:
        """Return what it tells, at the same distance."""
        return self.laws[0].event(bounding.sensitivity(self.aggregate, d_in))

    @property
    def noise(self) -> ColumnNoise:
        """The noise of its values."""
        return ColumnNoise(self.mechanism.noise, self.aggregate.unit, self.laws[0].threshold)

    @property
    def price(self) -> Price:
        """The noise as it weighs against people left out: in people, or in rows where those are counted."""
        return Price(self.mechanism.noise, self.laws[0].threshold, 1 if self.aggregate.lists else self.aggregate.most)


@final
@dataclass(frozen=True, slots=True)
class InTurn(Measurement[Any, Released]):
    """Noisy sizes, if they are asked for, then a noisy column for each of a bounding's aggregates.

    Where the groups are private, the first part decides which are shown.
    """

    bounding: Bounding
    parts: tuple[Part, ...]
    sizes: IntegerLaplace | None = None

    @classmethod
    def within(
        cls,
        bounding: Bounding,
        *,
        epsilons: Sequence[Fraction],
        delta: Fraction | None = None,
        sizes: Fraction | None = None,
        noise: str | Sequence[str] = "auto",
        share: Callable[[Event], Fraction] | None = None,
    ) -> InTurn:
        """Return the release with the least noise within an epsilon for each aggregate, a delta, and one for sizes.

        A part gets of delta what it gets of epsilon. What others leave, because their noise needs none, goes to the
        first, which decides the private groups that are shown. The *noise* is one for all, or one for each. Books say
        which *share* of what is left an event takes; then a law that takes too much is not taken.

        >>> from discreet.tables import People, Bounding, Sum
        >>> bounding = Bounding([People(), Sum("amount", 0, 5, 1)], person="user", by="city", max_groups=2)
        >>> found = InTurn.within(bounding, epsilons=[Fraction(1, 2), Fraction(1, 2)], delta=Fraction("1e-6"))
        >>> [(part.law, part.noise.law.scale, part.noise.threshold) for part in found.parts]
        [('truncated', Fraction(4, 1), 50), ('laplace', Fraction(20, 1), None)]
        """
        made = cls(bounding, (), None)
        if sizes is not None and bounding.sizes is not None:
            bins = Vectors(Integers(), size=bounding.sizes.count)
            made = cls(bounding, (), IntegerLaplace.within(epsilon=sizes, domain=bins))
        deltas, spare = _divided(delta or Fraction(0), epsilons), Fraction(0)
        laws = [noise] * len(deltas) if isinstance(noise, str) else noise
        asked = list(zip(bounding.aggregates, epsilons, deltas, laws, strict=True))
        for place, (aggregate, epsilon, own, law) in reversed(list(enumerate(asked))):
            first = place == 0
            domain = Maps(bounding.key_domain, Integers()) if first and bounding.private else _vectors(bounding)
            most = own + spare if first else own  # proof: spare
            part = Part(aggregate, aggregate.laws(domain, bounding.sensitivity(aggregate), epsilon, most, law))
            if share is not None and len(part.laws) > 1:
                part = Part(aggregate, within_means(part.laws, made._shares(part, share)))  # proof: books
            spare += own if part.mechanism.output_measure == _APPROXIMATE.of else 0
            made = replace(made, parts=(part, *made.parts))
        return made

    def _shares(self, part: Part, share: Callable[[Event], Fraction]) -> dict[str, Fraction]:
        """Return which share is taken by this and one more part, with each law that it may have."""
        return shares_of(part.laws, self.bounding.sensitivity(part.aggregate), share, self.event(1))

    def shares(self, share: Callable[[Event], Fraction]) -> dict[str, dict[str, Fraction]]:
        """Return which share would be taken with each law, by the label of a part and the law's name."""
        found = {}
        for part in self.parts:
            others = replace(self, parts=tuple(other for other in self.parts if other is not part))
            found[part.aggregate.label] = others._shares(part, share)
        return found

    @property
    def input_domain(self) -> TotalsOf:
        """The bounding's totals."""
        return self.bounding.output_domain

    @property
    def input_metric(self) -> PersonDistance:
        """The bounding's."""
        return self.bounding.output_metric

    @property
    def output_measure(self) -> Measure[Loss]:
        """Approximate where groups are shown because of their noisy number."""
        return common([_APPROXIMATE.of, *(part.mechanism.output_measure for part in self.parts)])

    def loss(self, d_in: int, /) -> Loss:
        """Return the sum of the losses at the distance that *d_in* people may make for each part."""
        d = self.input_metric.check(d_in)
        sizes = [] if self.sizes is None else [self.sizes.loss(d)]  # proof: sizes
        return self.output_measure.add([*sizes, *(part.loss(self.bounding, d) for part in self.parts)])  # proof: sum

    def event(self, d_in: int, /) -> Event:
        """Return the parts' events, one after the other."""
        events = [part.event(self.bounding, d_in) for part in self.parts]
        events += [] if self.sizes is None else [self.sizes.event(d_in)]
        return Event(tuple(part for event in events for part in event.parts))

    def sample(self, x: Totals, coins: Coins, /) -> Released:
        """Draw the noise: of sizes, of the part that decides the groups, then of the others."""
        spread = None
        if self.sizes is not None and x.sizes is not None:
            spread = Spread(tuple(self.sizes.sample(x.sizes, coins).tolist()), self.sizes.noise, self._most_groups)
        keys, places, columns = list(self.bounding.keys or [()]), np.arange(len(x.people)), []
        for i, part in enumerate(self.parts):
            if isinstance(part.mechanism, KeepAbove):
                places, noisy = part.mechanism.keep(x.columns[0], coins)  # proof: kept
                keys = self.bounding.named(x.keys(places))
                order = self.bounding.key_domain.order(keys, coins)  # proof: order
                keys, places = [keys[i] for i in order], places[order]
                columns.append(noisy[order].tolist())
            else:
                steps = part.aggregate.read(x.columns[i][places], x.people[places])  # proof: selected
                noisy = part.mechanism.sample(part.mechanism.input_domain.take(steps), coins)
                columns.append([int(x) for x in noisy])
        tuples = [key if isinstance(key, tuple) and len(self.bounding.by) != 1 else (key,) for key in keys]
        return Released(tuples, tuple(columns), spread, self.bounding.max_groups)

    @property
    def named(self) -> dict[str, str]:
        """The mechanisms as code, by the labels of their aggregates."""
        return {part.aggregate.label: repr(part.mechanism) for part in self.parts}

    @property
    def laws(self) -> dict[str, str]:
        """The names of the laws of noise, by the same labels."""
        return {part.aggregate.label: part.law for part in self.parts}

    @property
    def of_tables(self) -> Measured:
        """The release of a table: the bounding, then this."""
        return Measured(self.bounding, self)

    @property
    def _most_groups(self) -> int | None:
        return None if self.bounding.keys is None else len(self.bounding.keys)


@final
@dataclass(frozen=True, slots=True)
class Chosen(Measurement[Any, Released]):
    """Noisy sizes first, then the release with the max_groups that they say is best.

    *choices* are the same release with several max_groups, the least first; the best is for groups of a given size.
    """

    first: InTurn
    choices: tuple[InTurn, ...]
    group_size: int

    @property
    def input_domain(self) -> Tables:
        """Tables that have the columns of the choices."""
        return self.choices[0].bounding.input_domain

    @property
    def input_metric(self) -> PersonDistance:
        """How many people are added or removed."""
        return self.choices[0].bounding.input_metric

    @property
    def output_measure(self) -> Approximate:
        """Approximate, with delta 0 where the groups are known."""
        return _APPROXIMATE

    def loss(self, d_in: int, /) -> Loss:
        """Return the first loss, and the worst of those that may follow."""
        losses = [_APPROXIMATE.lift(choice.of_tables.loss(d_in)) for choice in self.choices]
        worst = EpsilonDelta(max(loss.epsilon for loss in losses), maximum(*(loss.delta for loss in losses)))
        return _APPROXIMATE.add([self.first.of_tables.loss(d_in), worst])  # proof: worst

    def sample(self, x: Any, coins: Coins, /) -> Released:
        """Draw the sizes, choose, and draw the choice."""
        spread = self.first.of_tables.sample(x, coins).spread
        choices = {choice.bounding.max_groups: choice for choice in self.choices}
        worth = worths(spread, ((m, choice.parts[0].price) for m, choice in choices.items()))
        best = best_of(worth, spread, self.group_size) or 1  # proof: choice
        return choices[best].of_tables.sample(x, coins)._replace(spread=spread)  # type: ignore[no-any-return]


def _divided(delta: Fraction, epsilons: Sequence[Fraction]) -> list[Fraction]:
    """Return parts of delta, in proportion to epsilons: floats whose sum is one, which no rounding up exceeds.

    >>> [float(part) for part in _divided(Fraction("1e-6"), [Fraction(1, 4), Fraction(3, 4)])]
    [2.5000000000000015e-07, 7.499999999999998e-07]
    """
    whole = Fraction(float_down(delta)) or delta  # Below all floats, the first has all of it.
    step = Fraction(math.ulp(float(whole)))
    others = [whole * epsilon / sum(epsilons) // step * step for epsilon in epsilons[1:]]
    return [whole - sum(others), *others][: len(epsilons)]  # proof: divided


def _vectors(bounding: Bounding) -> Vectors:
    """Return the domain of a column: of as many groups as there are, where that is known."""
    return Vectors(Integers()) if bounding.private else Vectors(Integers(), size=len(bounding.keys or ((),)))
