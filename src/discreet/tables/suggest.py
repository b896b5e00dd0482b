"""Suggestions: how many groups a person should count in, from a little of the budget.

The noise of an answer grows with max_groups, and so does the threshold above which a group appears; what bounding
leaves out falls. A private histogram of how many groups people are in says how much is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

import numpy as np

from discreet.domains import Integers, Maps, Texts, Vectors
from discreet.errors import one_of
from discreet.events import Event
from discreet.exact import whole
from discreet.metrics import Sensitivity
from discreet.noise import Noise
from discreet.pages.results import Result
from discreet.pages.sheet import Column, Sheet, amounts
from discreet.tables.laws import candidates, shares_of, within_means
from discreet.tables.spread import LeftOut, Spread

if TYPE_CHECKING:
    from discreet.tables.receipts import Receipt

__all__ = ["CANDIDATES", "Price", "Suggestion", "Worth", "best_of", "prices", "worths"]

CANDIDATES: Final = (1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32, 48, 64)
"""The choices of max_groups that are compared."""
_SIZES: Final = (100, 1000, 10_000)


class Price(NamedTuple):
    """What a choice of max_groups costs: noise, *most* steps of which are a person, and a threshold if there is one."""

    law: Noise
    threshold: int | None
    most: int = 1

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise, in people."""
        return self.law.deviation / self.most


@final
@dataclass(frozen=True, slots=True)
class Worth:
    """What a choice of max_groups costs, and what it leaves out."""

    price: Price
    left_out: LeftOut

    def error(self, group_size: int) -> float:
        """Return the expected error in the count of a group: its bias and noise, or all of it where it is hidden.

        >>> from discreet import Laplace
        >>> known, private = (Worth(Price(Laplace(3), above), LeftOut(0.0, 0.0, 0.0)) for above in (None, 44))
        >>> round(known.error(1000), 1), round(private.error(44), 1)
        (4.2, 27.4)
        """
        lost = self.left_out.share * group_size
        shown = self._shown(group_size - round(lost))
        return shown * (lost + self.price.deviation) + (1 - shown) * group_size

    def _shown(self, count: int) -> float:
        """Return the probability that noise leaves a count above the threshold."""
        if self.price.threshold is None:
            return 1.0
        return float(self.price.law.chances(np.array(self.price.threshold + 1 - count)))


@final
@dataclass(frozen=True, repr=False)
class Suggestion(Result):
    """What each choice of max_groups leaves out, its noise and threshold; the best one for groups of a given size.

    *best* is None where the noise of the suggestion itself is larger than what could be learned.
    """

    group_size: int
    spread: Spread
    worth: Mapping[int, Worth]
    receipt: Receipt

    @property
    def best(self) -> int | None:
        """The choice with the least error for groups of the size that was asked about."""
        return self.best_for(self.group_size)

    @property
    def left_out(self) -> dict[int, float]:
        """The estimated share of people's groups that each choice leaves out."""
        return {m: worth.left_out.share for m, worth in self.worth.items()}

    def error(self, max_groups: int, group_size: int) -> float:
        """Return the expected error of a group of a size: of bounding, of noise, and of being hidden."""
        m, size = one_of("max_groups", max_groups, self.worth), whole(group_size, "group_size", least=1)
        return self.worth[m].error(size)

    def best_for(self, group_size: int, /) -> int | None:
        """Return the choice with the least error for groups of a size; the smallest, where several have it."""
        return best_of(self.worth, self.spread, whole(group_size, "group_size", least=1))

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary a choice."""
        return [
            {
                "max_groups": m,
                "left_out": worth.left_out.share,
                "noise": worth.price.deviation,
                "threshold": worth.price.threshold,
                "error": worth.error(self.group_size),
            }
            for m, worth in self.worth.items()
        ]

    @property
    def sheet(self) -> Sheet:
        """What each choice leaves out, its noise and threshold, and the error in groups of some sizes."""
        worths, sizes = list(self.worth.values()), sorted({*_SIZES, self.group_size})
        marks = [f"{m}{' *' * (m == self.best)}" for m in self.worth]
        columns = [
            Column("max_groups", list(self.worth), head=True, shown=marks),
            Column("left out", [w.left_out.share for w in worths], shown=[str(w.left_out) for w in worths]),
            amounts("noise", [w.price.deviation for w in worths], "±"),
        ]
        if worths[0].price.threshold is not None:
            above = [w.price.threshold or 0 for w in worths]
            columns.append(Column("shown", above, shown=[f">{n:,}" for n in above]))
        columns += [amounts(f"at {size:,}", [w.error(size) for w in worths], "±") for size in sizes]
        chosen = [i for i, m in enumerate(self.worth) if m == self.best]
        said = f"noise: its standard deviation; at {sizes[0]:,}: the expected error in the count of a group of "
        remark = f"{said}{sizes[0]:,} people, of noise, of what is left out, and of not being shown."
        return Sheet(self.verdict, columns, self.receipt.paid, [remark], "choice", chosen=chosen)

    @property
    def verdict(self) -> str:
        """What was found, in a sentence."""
        if self.best is None:
            return (
                "The noise is larger than what could be learned: give a larger epsilon, or choose max_groups yourself."
            )
        return f"max_groups = {self.best} is best for groups of {self.group_size:,}"


def prices(
    epsilon: Fraction,
    delta: Fraction | None,
    noise: str = "auto",
    share: Callable[[Event], Fraction] | None = None,
) -> Iterator[tuple[int, Price]]:
    """Give what each choice costs a count of people that is to come: of private groups where there is a delta.

    Books say which *share* of what is left an event takes.
    """
    domain = Vectors(Integers()) if delta is None else Maps(Texts(), Integers())
    for m in CANDIDATES:
        apart = Sensitivity(m, m, 1)
        found = candidates(domain, apart, epsilon, delta or Fraction(0), noise)
        if share is not None:
            found = within_means(found, shares_of(found, apart, share, Event(())))
        best, *_ = found
        yield m, Price(best.mechanism.noise, best.threshold)


def worths(spread: Spread, prices: Iterable[tuple[int, Price]]) -> dict[int, Worth]:
    """Return what choices of max_groups are worth, the least first, up to one that leaves nothing out."""
    worth: dict[int, Worth] = {}
    for m, price in prices:
        if spread.most is not None and m > spread.most:
            break
        worth[m] = Worth(price, spread.left_out(m))
        if worth[m].left_out.share == 0:
            break
    return worth


def best_of(worth: Mapping[int, Worth], spread: Spread, group_size: int) -> int | None:
    """Return the choice with the least error for groups of a size; the smallest, where several have it."""
    return min(worth, key=lambda m: (worth[m].error(group_size), m)) if spread.learned else None
