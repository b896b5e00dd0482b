"""Suggestions: how many groups a person should count in, from a little of the budget.

The noise of an answer grows with max_groups, and what bounding leaves out falls with it. A private histogram of how
many groups people are in says how much is left out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final, final

from discreet.errors import one_of
from discreet.exact import whole
from discreet.report import columns
from discreet.tables.answers import radius
from discreet.tables.engines import engine_of

__all__ = ["EDGES", "Suggestion", "groups_per_person", "suggested"]

EDGES: Final = (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40, 50, 64, 100)
"""People are counted by the number of their groups, up to each of these."""
_SIZES: Final = (100, 1000, 10_000)


@final
@dataclass(frozen=True)
class Suggestion:
    """What each choice of max_groups leaves out, and its noise; the best one for groups of a given size.

    The total error of a group of n people is taken as n times the share left out, plus the mean size of the noise.
    """

    best: int
    group_size: int
    epsilon: Fraction
    left_out: dict[int, float]
    noise: dict[int, float]
    receipt: dict[str, Any]

    def error(self, max_groups: int, group_size: int) -> float:
        """Return the expected error of a group of a size, of bounding and of noise together."""
        m, size = one_of("max_groups", max_groups, self.left_out), whole(group_size, "group_size", least=1)
        return self.left_out[m] * size + self.noise[m]

    def best_for(self, group_size: int, /) -> int:
        """Return the choice with the least total error for groups of a size."""
        return min(self.left_out, key=lambda m: (self.error(m, group_size), m))

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary a choice."""
        return [
            {"max_groups": m, "left_out": share, "noise": self.noise[m], "error": self.error(m, self.group_size)}
            for m, share in self.left_out.items()
        ]

    def __str__(self) -> str:
        sizes = sorted({*_SIZES, self.group_size})
        head = ["max_groups", "left out", "noise", *(f"error at {size:,}" for size in sizes)]
        rows = [
            [
                f"{m}{' *' if m == self.best else ''}",
                f"{share:.1%}",
                f"±{self.noise[m]:.4g}",
                *(f"±{self.error(m, size):,.4g}" for size in sizes),
            ]
            for m, share in self.left_out.items()
        ]
        return f"max_groups = {self.best} is best for groups of {self.group_size:,}\n" + columns(head, rows)

    __repr__ = __str__


def suggested(
    histogram: Sequence[int], epsilon: Fraction, planned: Fraction, group_size: int, receipt: dict[str, Any]
) -> Suggestion:
    """Return the suggestion from a noisy histogram of people by their number of groups, for a planned epsilon."""
    noise_reach = radius(1 / epsilon, Fraction(1, 20))
    people = [count if count > noise_reach else 0 for count in histogram]  # Less may be noise alone.
    pairs = sum(edge * count for edge, count in zip(EDGES, people, strict=True))
    left_out, noise = {}, {}
    for m in EDGES:
        kept = sum(min(edge, m) * count for edge, count in zip(EDGES, people, strict=True))
        left_out[m] = 1 - kept / pairs if pairs else 0.0
        noise[m] = float(m / planned)
        if left_out[m] == 0:
            break
    found = Suggestion(1, group_size, epsilon, left_out, noise, receipt)
    return Suggestion(found.best_for(group_size), group_size, epsilon, left_out, noise, receipt)


def groups_per_person(rows: Any, person: Sequence[str], by: Sequence[str]) -> Any:
    """Return one row for each person: who they are, and, last, the least edge that their number of groups is within.

    It is a function of each person's own rows, so tables that differ by one person still do.
    """
    import ibis

    engine, name = engine_of(rows), "discreet_groups"
    engine.check(rows, (*person, *by))
    while name in person:
        name += "_"
    whose = {each: engine.who(rows[each]) for each in person}
    pairs = rows.select(**whose, **{each: engine.key(rows[each]) for each in by}).distinct()
    counted = pairs.group_by(list(person)).agg(pairs.count().name(name))
    bucket: Any = ibis.literal(EDGES[-1])
    for edge in reversed(EDGES[:-1]):
        bucket = (counted[name] <= edge).ifelse(edge, bucket)
    return counted.select(*person, bucket.cast("int64").name(name))
