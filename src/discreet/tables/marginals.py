"""Marginals: several tables of one bounding's totals, each with noise of its own, as one measurement.

Theorem.  Let a person add a bounded number of steps to each of at most max_groups cells: 1 where people are counted.
Let each table sum the cells that agree in some columns. With Laplace noise the tables lose the sum of what each loses;
with Gaussian noise what `delta_of_rounds` says of all together. Where cells are private, those that come out above a
threshold are found first, and what their threshold loses is added; all other cells are counted as "other".
Proof: marginals.md, which cites the marked lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import chain, compress, product
from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

import numpy as np

from discreet.coins import Coins
from discreet.core import Measured, Measurement
from discreet.domains import Integers, Vectors
from discreet.errors import ParameterError
from discreet.events import Event, event_of
from discreet.measures import Approximate, EpsilonDelta, Loss, MaxDivergence, Pure, common
from discreet.mechanisms import IntegerLaplace
from discreet.mechanisms.add_noise import AddNoise
from discreet.metrics import Sensitivity
from discreet.noise import Gaussian, Laplace, Noise, delta_of_rounds, least_positive
from discreet.reals import Number, sign
from discreet.tables.fitting import Axes, work
from discreet.tables.keys import OTHER
from discreet.tables.spread import Spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.measures import Measure
    from discreet.mechanisms.keep_above import KeepAbove
    from discreet.metrics import PersonDistance
    from discreet.tables.bounding import Bounding, Totals, TotalsOf

__all__ = ["MOST_CELLS", "Cells", "Drawn", "Marginals"]

MOST_CELLS: Final = 1 << 22
"""How many totals a product of columns may have, with all its sums."""
_APPROXIMATE: Final = Approximate(MaxDivergence())
_SMOOTH: Final = (1, 4)
"""Noise of variance v is nearly continuous noise of variance v less this, rounded at random: more nearly for more."""
_GRID: Final = 1 << 9
"""Variances between one and twice that are looked at."""
_PLACES: Final = 80 * _GRID
_EIGHTHS: Final = 8


@final
@dataclass(frozen=True, slots=True)
class Cells:
    """The keys of each column, of which cells are the product, but for impossible ones, by their places.

    >>> cells = Cells((("Rome", "Bari"), (1, 2)), zeros=(3,))
    >>> cells.keys()
    [('Rome', 1), ('Rome', 2), ('Bari', 1)]
    >>> cells.keys((1,))
    [(1,), (2,)]
    """

    columns: tuple[tuple[Any, ...], ...]
    zeros: tuple[int, ...] = ()

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many keys each column has."""
        return tuple(map(len, self.columns))

    @property
    def possible(self) -> NDArray[np.bool_]:
        """Which cells are not impossible."""
        found = np.ones(prod(self.sizes), bool)
        found[list(self.zeros)] = False
        return found.reshape(self.sizes)

    def keys(self, axes: Axes | None = None) -> list[tuple[Any, ...]]:
        """Return the possible keys of some columns, or of all, in order."""
        wanted = range(len(self.columns)) if axes is None else axes
        return list(compress(product(*(self.columns[i] for i in wanted)), self.allowed(tuple(wanted))))

    def allowed(self, axes: Axes) -> NDArray[np.bool_]:
        """Return of which keys of some columns there are possible cells, as a flat array."""
        return np.asarray(self.possible.any(self._others(axes))).ravel()

    def sums(self, counts: NDArray[np.int64], axes: Axes) -> NDArray[np.int64]:
        """Return the sums of cells that agree in some columns."""
        return np.asarray(counts.sum(self._others(axes)))

    def _others(self, axes: Axes) -> Axes:
        return tuple(i for i in range(len(self.columns)) if i not in axes)


class Drawn(NamedTuple):
    """What a release draws: the cells, noisy totals of each table, and noisy sizes."""

    cells: Cells
    noisy: tuple[NDArray[Any], ...]
    spread: Spread | None


@final
@dataclass(frozen=True, slots=True)
class Marginals(Measurement[Any, Drawn]):
    """Tables of the totals of a bounding's aggregate, each by some of its columns, with noise of a law in each.

    The *cells* are known, or else *listing* finds those to show. With Gaussian noise the loss of all tables is stated
    as a delta at *epsilon*.
    """

    bounding: Bounding
    tables: tuple[Axes, ...]
    noises: tuple[Noise, ...]
    cells: Cells | None = None
    listing: KeepAbove | None = None
    sizes: IntegerLaplace | None = None
    epsilon: Fraction | None = None

    def __post_init__(self) -> None:
        kinds = {type(noise) for noise in self.noises}
        if kinds not in ([{Laplace}, set()] if self.epsilon is None else [{Gaussian}]):  # proof: kinds
            raise ParameterError("noises", len(self.noises), "Laplace noise in all, or Gaussian noise at an epsilon")
        if self.epsilon is not None and min(n.variance for n in self._gaussians) <= _SMOOTH[0]:  # proof: smooth
            raise ParameterError("variance", self._gaussians[0].variance, f"variance > {_SMOOTH[0]}")
        if (self.cells is None) != (self.listing is not None):
            raise ParameterError("listing", None, "what finds the cells, exactly where they are not known")

    @property
    def noise_name(self) -> str:
        """The name of the tables' noise."""
        return "laplace" if self.epsilon is None else "gaussian"

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
        """Approximate with Gaussian noise, or where cells are shown because of their noisy number."""
        measures = [] if self.listing is None else [self.listing.output_measure]
        return common([*measures, _APPROXIMATE if self.epsilon is not None else _APPROXIMATE.of])

    @property
    def of_tables(self) -> Measured:
        """The release of a table: the bounding, then this."""
        return Measured(self.bounding, self)

    @property
    def _gaussians(self) -> list[Gaussian]:
        return [noise for noise in self.noises if isinstance(noise, Gaussian)]

    def _aparts(self, d: int) -> list[Sensitivity]:
        return [apart_by(self.bounding, self.cells, axes, d) for axes in self.tables]

    def _noise_loss(self, d: int) -> Loss:
        """Return what the noise of all tables loses together."""
        aparts = self._aparts(d)
        if self.epsilon is None:
            pairs = zip(self.noises, aparts, strict=True)
            return _APPROXIMATE.of.add(noise.loss(apart) for noise, apart in pairs)  # proof: laplace
        if not sum(apart.l1 for apart in aparts):
            return _APPROXIMATE.zero
        return EpsilonDelta(self.epsilon, _delta(aparts, [n.variance for n in self._gaussians], self.epsilon))

    def loss(self, d_in: int, /) -> Loss:
        """Return what the noise of all tables, of the list of cells, and of the sizes loses."""
        d = self.input_metric.check(d_in)
        listing = [] if self.listing is None else [self.listing.loss(self._listed(d))]
        sizes = [] if self.sizes is None else [self.sizes.loss(d)]
        return self.output_measure.add([self._noise_loss(d), *listing, *sizes])  # proof: sum

    def _listed(self, d: int) -> Sensitivity:
        return self.bounding.sensitivity(self.bounding.aggregates[0], d)

    def event(self, d_in: int, /) -> Event:
        """Return a part for each table, or one for all with Gaussian noise; then those of the list and the sizes."""
        d = self.input_metric.check(d_in)
        aparts, events = self._aparts(d), list[Event]()
        if self.epsilon is None:
            events += [mechanism.event(apart) for mechanism, apart in zip(self.mechanisms, aparts, strict=True)]
        else:
            variances = [noise.variance for noise in self._gaussians]
            pairs = list(zip(aparts, variances, strict=True))
            told = event_of(
                self._noise_loss(d),
                mechanism="Marginals",
                sensitivity=(d * self.bounding.max_groups * self.bounding.aggregates[0].most,),
                parameters={f"variance {i}": v for i, v in enumerate(variances, 1)},
                concentrated=(sum((Fraction(a.l2_squared) / (2 * v) for a, v in pairs), Fraction(0)), Fraction(0)),
            )
            events.append(told)  # proof: concentrated
        events += [] if self.listing is None else [self.listing.event(self._listed(d))]
        events += [] if self.sizes is None else [self.sizes.event(d)]
        return Event(tuple(chain.from_iterable(event.parts for event in events)))

    def sample(self, x: Totals, coins: Coins, /) -> Drawn:
        """Draw the noise: of the sizes, of the list of cells if they are private, then of each table."""
        spread = None
        if self.sizes is not None and x.sizes is not None:
            most = None if self.bounding.keys is None else len(self.bounding.keys)
            spread = Spread(tuple(self.sizes.sample(x.sizes, coins).tolist()), self.sizes.noise, most)
        cells, counts = self._counted(x, coins)
        noisy = []
        for axes, mechanism in zip(self.tables, self.mechanisms, strict=True):
            totals = cells.sums(counts, axes)  # proof: projected
            noisy.append(mechanism.sample(totals.ravel(), coins).reshape(totals.shape))  # proof: noise
        return Drawn(cells, tuple(noisy), spread)

    def _counted(self, x: Totals, coins: Coins) -> tuple[Cells, NDArray[np.int64]]:
        """Return the cells and their counts, impossible ones among them; if they are private, find them first."""
        if self.cells is not None:
            counts = np.zeros(prod(self.cells.sizes), np.int64)
            counts[self.cells.possible.ravel()] = x.columns[0]  # proof: cells
            return self.cells, counts.reshape(self.cells.sizes)
        assert self.listing is not None  # noqa: S101  One of the two is there.
        places, noisy = self.listing.keep(x.columns[0], coins)  # proof: listed
        shown = _fitting(x.keys(places[np.argsort(-noisy, kind="stable")]), len(self.bounding.by))
        columns, codes = [], []
        keys = x.keys(np.arange(len(x.columns[0])))
        for i, values in enumerate(shown):
            types = self.bounding.key_types
            column = replace(
                self.bounding, by=self.bounding.by[i : i + 1], key_types=None if types is None else types[i : i + 1]
            )
            named = column.named([(value,) for value in values])
            order = column.key_domain.order(named, coins)  # proof: order
            columns.append((*(named[j] for j in order), OTHER))
            codes.append({values[j]: place for place, j in enumerate(order)})
        cells = Cells(tuple(columns))
        counts = np.zeros(cells.sizes, np.int64)
        found = [[code.get(key[i], len(code)) for key in keys] for i, code in enumerate(codes)]  # proof: rest
        np.add.at(counts, tuple(np.array(each, np.intp) for each in found), x.columns[0])
        return cells, counts

    @property
    def mechanisms(self) -> tuple[AddNoise, ...]:
        """What the totals of each table go through."""
        return tuple(
            IntegerLaplace(scale=noise.scale, domain=Vectors(Integers()))
            if isinstance(noise, Laplace)
            else AddNoise(noise, Vectors(Integers()))
            for noise in self.noises
        )


def apart_by(bounding: Bounding, cells: Cells | None, axes: Axes, d: int = 1) -> Sensitivity:
    """Return how far *d* people may move a table's totals: of its cells, so many are in one total.

    >>> from discreet.tables import Bounding, People
    >>> cells = Cells((("Rome", "Bari"), (1, 2, 3)))
    >>> bounding = Bounding(People(), person="user", by=["city", "age"], max_groups=2, keys=cells.keys())
    >>> [apart_by(bounding, cells, axes) for axes in ((), (0,), (0, 1))]
    [Sensitivity(l0=1, l1=2, li=2), Sensitivity(l0=2, l1=2, li=2), Sensitivity(l0=2, l1=2, li=1)]
    """
    whole = bounding.sensitivity(bounding.aggregates[0])
    if cells is None:  # Cells that are not shown may all be one.
        return Sensitivity(d * whole.l0, d * whole.l1, d * whole.l1)  # proof: other
    inner = int(cells.sums(cells.possible.astype(np.int64), axes).max())
    totals = int(cells.allowed(axes).sum())
    return Sensitivity(d * min(whole.l0, totals), d * whole.l1, d * min(whole.l1, inner * whole.li))  # proof: apart


def _fitting(keys: Iterable[tuple[Any, ...]], width: int) -> list[list[Any]]:
    """Return the values of each column that some cells have, as long as the product is not too large."""
    found: list[dict[Any, None]] = [{} for _ in range(width)]
    for key in keys:
        if work(len(values) + 1 + (key[i] not in values) for i, values in enumerate(found)) > MOST_CELLS:
            break  # proof: prefix
        for value, values in zip(key, found, strict=True):
            values[value] = None
    return [list(values) for values in found]


def laplaces(aparts: Sequence[Sensitivity], epsilons: Iterable[Fraction]) -> tuple[Laplace, ...]:
    """Return the least Laplace noise of each table within its epsilon."""
    return tuple(Laplace.within(Pure(e), apart) for e, apart in zip(epsilons, aparts, strict=True))


@lru_cache(maxsize=512)
def gaussians(
    aparts: tuple[Sensitivity, ...], shares: tuple[Fraction, ...], epsilon: Fraction, delta: Fraction
) -> tuple[Gaussian, ...]:
    """Return Gaussian noise within a budget for all tables together, whose squares it divides by shares."""
    smooth = _smooth(aparts, epsilon)

    def variances(place: int) -> list[Fraction]:
        e, m = divmod(place, _GRID)
        far = Fraction((_GRID + m) << e, _GRID << 20)
        pairs = zip(aparts, shares, strict=True)
        return [Fraction(-(-(smooth + a.l2_squared * far / w) * _EIGHTHS // 1), _EIGHTHS) for a, w in pairs]

    def enough(place: int) -> bool:
        return sign(_delta(aparts, variances(place), epsilon) - delta) <= 0

    if not enough(_PLACES):
        raise ParameterError("epsilon", epsilon, "more: there are no numbers for noise of this size")
    return tuple(map(Gaussian, variances(least_positive(enough))))  # proof: within


def _delta(aparts: Sequence[Sensitivity], variances: Sequence[Fraction], epsilon: Fraction) -> Number:
    """Return the delta at an epsilon of Gaussian noise in all tables."""
    moves = [(apart.l2_squared, v) for apart, v in zip(aparts, variances, strict=True)]
    moved, smooth = sum(apart.l0 for apart in aparts), _smooth(aparts, epsilon)
    smooth = smooth if min(variances) > smooth else _SMOOTH[0]
    return delta_of_rounds(epsilon, moves, moved, Fraction(0), smooth, mixed=True)  # proof: gaussian


def _smooth(aparts: Sequence[Sensitivity], epsilon: Fraction) -> int:
    """Return the lesser smoothing where what it adds to epsilon, for each total that moves, is small beside it."""
    return _SMOOTH[0] if sum(apart.l0 for apart in aparts) <= epsilon * (1 << 15) else _SMOOTH[1]
