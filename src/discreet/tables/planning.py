"""Planning: from the tables that are to be published to one measurement, its charge and the publication.

What is drawn is in `marginals`; what becomes of it, in `fitting`, is computed from that and public parameters alone.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from discreet.domains import Integers, Maps, Vectors
from discreet.errors import KindError, ParameterError, UnsupportedError
from discreet.exact import Exact, exact, listed
from discreet.frozen import freeze
from discreet.ledger import Amount, Event
from discreet.measures import amount
from discreet.mechanisms import IntegerLaplace
from discreet.noise import Laplace, Noise
from discreet.pages.results import Result
from discreet.pages.sheet import Column as Cell
from discreet.pages.sheet import Sheet, amounts
from discreet.reals import float_down, float_up
from discreet.tables.aggregates import Aggregate, Column, People
from discreet.tables.aggregates.aggregate import at_most
from discreet.tables.answers import Answer
from discreet.tables.asking import charged
from discreet.tables.bounding import Bounding, arrow_types, key_domains, names
from discreet.tables.fitting import Axes, Fit, Whole, reach, work
from discreet.tables.given import bare_keys, by_table, cells_of, known_totals, shares_of
from discreet.tables.kept import keep, kept, packed, question, unpacked
from discreet.tables.keys import OTHER
from discreet.tables.laws import LAWS, candidates, check_epsilon, check_noise
from discreet.tables.marginals import MOST_CELLS, Cells, Drawn, Marginals, apart_by, gaussians, laplaces
from discreet.tables.noise import ColumnNoise
from discreet.tables.publication import TITLE, FittedNoise, Publication, bias, raw
from discreet.tables.query import check_columns, check_value
from discreet.tables.ready import Ready
from discreet.tables.receipts import Found, Receipt, entered
from discreet.tables.solving import least_epsilon
from discreet.tables.spread import Sizes, Spread
from discreet.words import promise

if TYPE_CHECKING:
    from discreet.tables.data import Data

__all__ = ["PublicationPlan", "planned"]

_ERROR: Final = Fraction(1, 20)
_LEFT_OUT: Final = Fraction(1, 20)
"""The part of epsilon that pays for knowing what bounding leaves out."""
_LISTED: Final = Fraction(1, 4)
"""The part of what is left that pays for finding private cells."""
_MOST: Final = 50
"""An epsilon that promises nothing."""
_WIDE: Final = 2.0**30
_LEAST: Final = 1e-9
"""Variances below this are taken for it."""


@final
@dataclass(frozen=True, repr=False)
class PublicationPlan(Result):
    """Tables to be published, and how epsilon is divided: what it will cost and how wrong it may be, before any data.

    *axes* are the tables' columns, by their places in the bounding's. *known* has public totals. `release` makes it;
    where *margins* are given in the place of epsilon, `solve` finds the least epsilon at which all are kept.
    """

    table: Data
    axes: tuple[Axes, ...]
    bounding: Bounding
    cells: Cells | None
    epsilon: Fraction | None
    delta: Fraction | None
    shares: tuple[Fraction, ...] | None
    left_out: Fraction | None
    noise: str = "auto"
    known: tuple[tuple[Axes, tuple[int, ...]], ...] = ()
    margins: tuple[Fraction, ...] | None = None

    def check_noise(self) -> None:
        """Raise unless there are numbers for the noise."""
        sizes = [] if self.measurement.sizes is None else [self.measurement.sizes.noise]
        if any(noise.deviation >= _WIDE for noise in (*self.measurement.noises, *sizes)):
            raise ParameterError("epsilon", self.epsilon, "more: there are no numbers for noise of this size")

    @property
    def of(self) -> Aggregate:
        """What is published."""
        return self.bounding.aggregates[0]

    @property
    def measured(self) -> tuple[Axes, ...]:
        """The tables that get noise: those that are not public."""
        return tuple(each for each in self.axes if each not in dict(self.known))

    def _by(self, axes: Axes) -> tuple[str, ...]:
        """Return the columns of a table."""
        return tuple(self.bounding.by[i] for i in axes)

    @cached_property
    def measurement(self) -> Marginals:
        """What is charged and drawn: with the law of noise that is best."""
        return self.choices[0]

    @cached_property
    def choices(self) -> list[Marginals]:
        """The laws of noise that the tables may have, the least standard deviations first."""
        epsilon, delta = self._budget
        laws = [law for law in ("laplace", "gaussian") if self._may_be(law, epsilon, delta)]
        found = [self._with(law) for law in laws]
        return sorted(found, key=lambda each: sum(noise.deviation for noise in each.noises))

    @property
    def _budget(self) -> tuple[Fraction, Fraction]:
        if self.epsilon is None:
            raise UnsupportedError("this plan has margins and no epsilon: solve() finds it")
        return self.epsilon, Fraction(float_down(self.delta or Fraction(0)))

    def _may_be(self, law: str, epsilon: Fraction, delta: Fraction) -> bool:
        named = {"truncated": "laplace"}.get(self.noise, self.noise)
        return named in ("auto", law) and LAWS[law].fits(epsilon, delta)

    def _with(self, law: str) -> Marginals:
        """Return the measurement with noise of a law: with a part of the budget for sizes, and for private cells."""
        epsilon, delta = self._budget
        sizes, listing, rest = None, None, epsilon * (1 - (self.left_out or 0))
        if self.bounding.sizes is not None:
            bins = Vectors(Integers(), size=self.bounding.sizes.count)
            sizes = IntegerLaplace.within(epsilon=epsilon - rest, domain=bins)
        if self.cells is None:
            domain, apart = Maps(self.bounding.key_domain, Integers()), self.bounding.sensitivity(self.of)
            part, noise = delta if law == "laplace" else delta / 2, "auto" if self.noise == "gaussian" else self.noise
            listing = candidates(domain, apart, rest * _LISTED, part, noise)[0].mechanism
            rest, delta = rest * (1 - _LISTED), delta - part
        aparts = tuple(apart_by(self.bounding, self.cells, each) for each in self.measured)
        shares = self.shares or ()
        noises: tuple[Noise, ...] = (
            laplaces(aparts, [rest * share for share in shares])
            if law == "laplace"
            else gaussians(aparts, shares, rest, delta)
        )
        stated = None if law == "laplace" else rest
        return Marginals(self.bounding, self.measured, noises, self.cells, listing, sizes, stated)  # type: ignore[arg-type]

    @cached_property
    def event(self) -> Event:
        """What the books are charged for, as `Ledger.reserve` takes it; no part has a greater delta than was asked."""
        most = self.delta or Fraction(0)
        return Event(tuple(replace(part, delta=min(part.delta, most)) for part in self.measurement.event(1).parts))

    @property
    def spent(self) -> Amount:
        """What the books are charged."""
        return Amount(self.event.epsilon, self.event.delta)

    @property
    def question(self) -> str:
        """What is published, in words."""
        return f"{self.of.words}: {'; '.join(', '.join(self._by(axes)) or 'all' for axes in self.axes)}"

    @property
    def n95(self) -> int | None:
        """How many people one of the finest groups needs to be found with probability 95 %; None with known keys."""
        listing = self.measurement.listing
        return None if listing is None else listing.noise.needed(listing.threshold, 1 - _ERROR)

    @property
    def reaches(self) -> list[float]:
        """What bounds the error of each table's fitted totals, with probability 95 %, before they are whole numbers.

        Where the groups are private, how many there will be is not known, and the bound is that of the noise alone.
        """
        if self.cells is None:
            own = dict(zip(self.measured, self.measurement.noises, strict=True))
            return [float(own[axes].radius(_ERROR)) if axes in own else 0.0 for axes in self.axes]
        fit, heavy = _fit(self.measurement, self.cells, self.known)
        unit = float_up(self.of.unit)
        return [unit * reach(fit.variance(axes) ** 0.5, _ERROR, heavy) for axes in self.axes]

    def solve(self) -> PublicationPlan:
        """Return the plan with the least epsilon, of three digits, at which the fitted totals keep all margins.

        The budget is divided as the margins are: Laplace noise falls as epsilon grows, Gaussian noise as its root.
        """
        if self.margins is None:
            raise UnsupportedError("this plan has an epsilon: give margins in its place, and solve() finds it")
        aparts = [apart_by(self.bounding, self.cells, each) for each in self.measured]
        far = [max(margin / self.of.unit, Fraction(1, 2)) for margin in self.margins]
        weights = {
            "laplace": [Fraction(apart.l1) / r for apart, r in zip(aparts, far, strict=True)],
            "gaussian": [Fraction(apart.l2_squared) / r**2 for apart, r in zip(aparts, far, strict=True)],
        }
        named = {"auto": ("laplace", *["gaussian"] * (self.delta is not None))}.get(self.noise, (self.noise,))
        limits, found = dict(zip(self.measured, self.margins, strict=True)), list[PublicationPlan]()
        for law in named:
            each = weights["gaussian" if law == "gaussian" else "laplace"]
            shares = tuple(weight / sum(each) for weight in each)
            plan = replace(self, shares=shares, margins=None, noise=law)

            def keeps(epsilon: Fraction, plan: PublicationPlan = plan) -> bool:
                pairs = zip(self.axes, replace(plan, epsilon=epsilon).reaches, strict=True)
                return all(axes not in limits or far <= limits[axes] for axes, far in pairs)

            try:
                found.append(replace(plan, epsilon=least_epsilon(keeps, "margins", [float(r) for r in self.margins])))
            except ParameterError:
                if law == named[-1] and not found:
                    raise
        best = min(found, key=lambda each: each.epsilon or 0)
        best.check_noise()
        return best

    def release(self) -> Publication:
        """Charge the books, run the query, draw the noise, and make the tables agree."""
        receipt, entry = self.receipt, None
        asked = question(self.table, receipt, self.event, self.cells, self.known)
        known = kept(self.table, asked)
        if known is not None:
            entry, drawn = known[0], self._unpacked(known[1])
        else:
            ready = Ready.of(self.table._ibis, self.bounding)
            with charged(self.table.ledger, self.event, self.table.name, receipt.to_dict()) as entry:
                drawn = self.measurement.of_tables.release(ready)
            keep(self.table, asked, entry, None if asked is None else self._packed(drawn))
        return self._published(drawn, entered(receipt, entry, kept=known is not None))

    def _packed(self, drawn: Drawn) -> dict[str, Any] | None:
        """Return what was drawn as plain values, with the keys that were found; None where they would not come back."""
        sizes = None if drawn.spread is None else list(drawn.spread.counts)
        told = {"noisy": [[int(x) for x in each.ravel()] for each in drawn.noisy], "sizes": sizes}
        if self.cells is not None:
            return told
        types = arrow_types(self.table._ibis, self.bounding.by)
        found = [
            packed([(key,) for key in column[:-1]], [kind])
            for column, kind in zip(drawn.cells.columns, types, strict=True)
        ]
        return None if None in found else told | {"keys": found}

    def _unpacked(self, told: Mapping[str, Any]) -> Drawn:
        """Return what was drawn from plain values."""
        cells = self.cells
        if cells is None:
            cells = Cells(tuple((*(key for (key,) in unpacked(each)), OTHER) for each in told["keys"]))
        noisy = [
            np.array(values).reshape([cells.sizes[i] for i in axes])
            for axes, values in zip(self.measured, told["noisy"], strict=True)
        ]
        sizes, most = self.measurement.sizes, None if self.cells is None else len(cells.keys())
        spread = None if sizes is None else Spread(tuple(told["sizes"]), sizes.noise, most)
        return Drawn(cells, tuple(noisy), spread)

    def _published(self, drawn: Drawn, receipt: Receipt) -> Publication:
        """Return the tables: fitted to each other, then in whole numbers that add up."""
        ledger, cells, measurement = self.table.ledger, drawn.cells, self.measurement
        public = {axes: np.array(values).reshape([cells.sizes[i] for i in axes]) for axes, values in self.known}
        seen = dict(zip(measurement.tables, drawn.noisy, strict=True)) | public
        laws = dict(zip(measurement.tables, measurement.noises, strict=True))
        fit, heavy = _fit(measurement, cells, self.known)
        fitted = fit.estimates(seen)
        numbers = Whole(cells.sizes, self.axes, tuple(public)).numbers(fitted, cells.possible)
        left_out = None
        if drawn.spread is not None:
            left_out = Found(self.bounding.max_groups, drawn.spread.known(self.bounding.max_groups))
        receipt = replace(receipt, found=left_out)
        left, whose = (None, ()) if ledger is None else (ledger.last_left, ledger._whose)
        of, tables = self.of, []
        drawn_of = copy(of)
        freeze(drawn_of, name=raw(of.label))
        for axes in self.axes:
            shown, law = cells.allowed(axes), laws.get(axes, Laplace(0))
            values = numbers[axes].ravel()[shown].tolist()
            noise = FittedNoise(law, of.unit, -1, fitted[axes].ravel()[shown], fit.variance(axes) ** 0.5, heavy)
            noisy = [int(x) for x in seen[axes].ravel()[shown]]
            columns = (
                Column(of, of.finish(values, ()), noise),
                Column(drawn_of, of.finish(noisy, ()), ColumnNoise(law, of.unit), asked=False),
            )
            by, keys = self._by(axes), cells.keys(axes)
            types = arrow_types(self.table._ibis, by)
            tables.append(Answer(by, keys, columns, receipt, types, left, whose=whose, notes=(bias(of.label),)))
        return Publication(tuple(tables), receipt)

    @property
    def receipt(self) -> Receipt:
        """What is said of it before it is asked."""
        engine, bounding, made = self.table._ibis.get_backend(), self.bounding, self.measurement
        rest, shares = 1 - (self.left_out or 0), dict(zip(self.measured, self.shares or (), strict=True))
        tables = [
            {"by": list(self._by(axes)), "share": str(shares[axes]) if axes in shares else None} for axes in self.axes
        ]
        released, parts, laws = [self.of], [Fraction(rest)], {self.of.label: made.noise_name}
        mechanisms = {
            ", ".join((self.of.label, *self._by(axes))): repr(each)
            for axes, each in zip(made.tables, made.mechanisms, strict=True)
        }
        if made.listing is not None:
            released, parts = [People(name="groups"), self.of], [rest * _LISTED, rest * (1 - _LISTED)]
            laws = {"groups": next(n for n, law in LAWS.items() if law.keep.__self__ is type(made.listing))} | laws  # type: ignore[attr-defined]
            mechanisms = {"groups": repr(made.listing)} | mechanisms
        return Receipt(
            table=self.table.name,
            types=self.table.types,
            person=bounding.person,
            by=bounding.by,
            private=bounding.private,
            where=bounding.where,
            filters=self.table.filters,
            derived={each.name: each.text for each in self.table.derived},
            asked=(self.of,),
            released=tuple(released),
            shares=tuple(parts),
            max_groups=bounding.max_groups if bounding.by else None,
            auto=False,
            left_out=self.left_out,
            epsilon=self.spent.epsilon,
            delta=self.spent.delta,
            noise=self.noise,
            laws=laws,
            mechanisms=({} if made.sizes is None else {"left_out": repr(made.sizes)}) | mechanisms,
            engine=f"{engine.name} {engine.version}",
            tables=tuple(tables),
        )

    @property
    def sheet(self) -> Sheet:
        """The tables, their shares of the budget, and how wrong their totals may be."""
        columns = [Cell("by", [", ".join(self._by(axes)) or "all" for axes in self.axes], head=True)]
        if self.cells is not None:
            columns.append(Cell("groups", [int(self.cells.allowed(axes).sum()) for axes in self.axes], 0))
        if self.epsilon is None:
            limits = dict(zip(self.measured, self.margins or (), strict=True))
            columns.append(amounts("margin, 95 %", [limits.get(axes, Fraction(0)) for axes in self.axes], "±"))
            return Sheet(TITLE, columns, "nothing is spent, and no rows are read", ["solve() finds epsilon."])
        receipt, made = self.receipt, self.measurement
        shares = dict(zip(made.tables, self.shares or (), strict=True))
        laws = dict(zip(made.tables, made.noises, strict=True))
        columns.append(amounts("share", [shares.get(axes, Fraction(0)) for axes in self.axes]))
        radii = [self.of.unit * laws[axes].radius(_ERROR) if axes in laws else Fraction(0) for axes in self.axes]
        columns.append(amounts(f"{raw(self.of.label)}, 95 %", radii, "±"))
        if self.cells is not None:
            columns.append(amounts("fitted, 95 %", self.reaches, "±"))
        who = (
            "each row is a person"
            if self.bounding.person is None
            else f"a person is all rows of one {', '.join(self.bounding.person)}"
        )
        remarks = [f"{promise(receipt.odds, receipt.delta, fails=receipt.fails)}; {who}.", bias(self.of.label)]
        remarks += [] if self.of.plan_note is None else [self.of.plan_note]
        if self.n95 is not None:
            remarks.insert(1, _found(self.n95))
        remarks[1:1] = receipt.limits
        note = f"{receipt.cost}, {made.noise_name} noise; nothing is spent, and no rows are read"
        return Sheet(TITLE, columns, note, remarks, "table")


def _found(n95: int) -> str:
    seen = f"One of the finest groups is found with probability 95 % if it has {n95:,} people"
    return f'{seen}. Keys that are in none of those found are together in the rows "other".'


def _fit(made: Marginals, cells: Cells, known: Iterable[tuple[Axes, Any]]) -> tuple[Fit, float]:
    """Return the least squares for a measurement's noise, and how heavy its tail is."""
    variances = {axes: max(noise.deviation**2, _LEAST) for axes, noise in zip(made.tables, made.noises, strict=True)}
    scales = [noise for noise in made.noises if isinstance(noise, Laplace)]
    heavy = max((float_up(noise.scale) / max(noise.deviation, _LEAST) for noise in scales), default=0.0)
    return Fit(cells.sizes, variances | {axes: 0.0 for axes, _ in known}), heavy


def _part(left_out: Exact | None, bites: bool) -> Fraction | None:
    """Return the part of epsilon that pays for knowing what bounding leaves out; None where it leaves nothing out."""
    if left_out is None:
        return _LEFT_OUT if bites else None
    part = exact(left_out, "left_out")
    if not 0 <= part < 1 or (part and not bites):
        need = "0 <= left_out < 1, a part of epsilon" if bites else "none: these bounds leave nobody's groups out"
        raise ParameterError("left_out", left_out, need)
    return part if bites else None


def planned(
    table: Data,
    tables: Iterable[Any],
    *,
    of: Aggregate | None = None,
    keys: Mapping[str, Iterable[Any]] | None = None,
    epsilon: Exact | None = None,
    delta: Exact | None = None,
    max_groups: int = 1,
    weights: Mapping[Any, Exact] | None = None,
    margins: Mapping[Any, Exact] | None = None,
    left_out: Exact | None = None,
    noise: str = "auto",
    totals: Mapping[Any, Any] | None = None,
    zeros: Iterable[Mapping[str, Any]] | None = None,
) -> PublicationPlan:
    """Return the plan, or raise where its parameters do not fit each other or the table's columns."""
    wanted = [_columns(each) for each in listed(tables, "tables", "a list of lists of columns")]
    check_columns("tables", chain.from_iterable(wanted), table._ibis)
    if not wanted or len({frozenset(each) for each in wanted}) < len(wanted):
        raise ParameterError("tables", wanted, "at least one table, and none twice")
    what = _aggregate(of, table)
    wanted_first = sorted(wanted, key=len, reverse=True)
    by = tuple(dict.fromkeys(chain.from_iterable(wanted_first)))
    axes = tuple(tuple(sorted(by.index(name) for name in each)) for each in wanted)
    cells = cells_of(table, by, keys, zeros)
    private = cells is None
    if private and not what.lists:
        raise ParameterError("keys", None, "known keys: private groups are found by the people in them")
    if cells is not None and work(cells.sizes) > MOST_CELLS:
        raise ParameterError("tables", wanted, f"fewer columns or keys: at most {MOST_CELLS:,} totals, with all sums")
    if totals is not None and what.column is not None:
        raise ParameterError("totals", type(totals), "none, for sums")
    public = known_totals(totals, by, axes, cells)
    sizes = (2,) * len(by) if cells is None else cells.sizes
    if Whole(sizes, axes, tuple(each for each, _ in public)).impossible:
        raise ParameterError("tables", wanted, f"a table by {', '.join(by)} as well: not all sums can be met without")
    if (epsilon is None) == (margins is None):
        raise ParameterError("epsilon", epsilon, "an epsilon, or margins by which to find it")
    budget = None if epsilon is None else check_epsilon(epsilon)
    most = None if delta is None else amount(delta, "delta")
    if private and most is None:
        raise ParameterError("delta", delta, "delta > 0, because which groups there are is private; or give their keys")
    if most is not None and not 0 < most <= 1:
        raise ParameterError("delta", delta, "0 < delta <= 1")
    check_noise(noise, 1 if epsilon is None else epsilon, delta, private=private)
    if private and any(table._ibis[name].type().is_floating() for name in by):
        raise ParameterError("keys", None, "known keys, where some are floats")
    bound = at_most(max_groups, "max_groups")
    bites = table.person is not None and bool(by) and (cells is None or len(cells.keys()) > bound)
    part = _part(left_out, bites)
    bounding = Bounding(
        what,
        person=table.person,
        by=by,
        max_groups=bound,
        where=table.condition,
        keys=None if cells is None or not by else bare_keys(cells),
        key_types=key_domains(table._ibis, by),
        sizes=Sizes() if part else None,
    )
    measured = [each for each in axes if each not in dict(public)]
    if not measured:
        raise ParameterError("totals", None, "a table whose totals are not public")
    asked = [tuple(by[i] for i in each) for each in measured]
    shares = None if margins is not None else shares_of(weights, asked)
    reaches = None if margins is None else tuple(by_table(margins, asked, "margins", None))
    plan = PublicationPlan(table, axes, bounding, cells, budget, most, shares, part, noise, public, reaches)
    if budget is not None:
        plan.check_noise()
    return plan


def _aggregate(of: Any, table: Data) -> Aggregate:
    """Return what is published, or raise where its totals do not add up, or may be negative."""
    if of is None:
        return People()
    if not isinstance(of, Aggregate):
        raise KindError("of", type(of), "an aggregate, such as Sum(column, 0, high)")
    if of.needs or of.bins or of.counted is not None or len(of.views) > 1:
        raise ParameterError("of", of.label, "people, or the sum of a column")
    if of.learns or of.steps[0] < 0:
        raise ParameterError("of", of.label, "bounds that are given, from 0 on: totals are then never negative")
    check_value(table, of)
    return of


def _columns(table: Any) -> tuple[str, ...]:
    """Return the columns of a table, or raise: of what is no list of names, only the type is shown."""
    if not isinstance(table, list | tuple) or not all(isinstance(name, str) for name in table):
        raise KindError("tables", type(table), 'a list of columns for each table, such as [[], ["city"]]')
    return names(table, "tables")
