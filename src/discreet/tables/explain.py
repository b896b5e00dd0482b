"""Explanations: what can be said of an answer before it is made, from public parameters alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, final

from discreet.errors import one_of
from discreet.report import columns
from discreet.report.words import promise
from discreet.tables.noise import ColumnNoise

if TYPE_CHECKING:
    from discreet.tables.table import Query

__all__ = ["Choice", "Explanation", "explained"]


@final
@dataclass(frozen=True, slots=True)
class Choice:
    """What a choice of max_groups gives: noise, and who will appear.

    *n50* and *n95* are how many a group needs, after bounding, to appear with probability one half and 95 %; None where
    every group appears. *radius* bounds the noise of the value with probability 95 %. For a mean that is the noise of a
    sum, and *errors* says what it comes to: a bound on the error of the mean of so many people, with probability 95 %.
    """

    max_groups: int
    scale: float
    radius: float
    threshold: int | None
    n50: int | None
    n95: int | None
    errors: tuple[tuple[int, float], ...] = ()


@final
@dataclass(frozen=True)
class Explanation:
    """The guarantee and the expected error of an answer, with other choices of max_groups beside it."""

    question: str
    guarantee: str
    chosen: int | None
    """None where max_groups="auto" decides when the question is asked."""
    choices: tuple[Choice, ...]
    notes: tuple[str, ...]
    receipt: dict[str, Any]

    def __getitem__(self, max_groups: int) -> Choice:
        choices = {choice.max_groups: choice for choice in self.choices}
        return choices[one_of("max_groups", max_groups, choices)]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary a choice; for a mean, with its errors as ``error_at_100`` and so on."""
        names = [name for name in Choice.__slots__ if name != "errors"]
        return [
            {name: getattr(choice, name) for name in names} | {f"error_at_{n}": reach for n, reach in choice.errors}
            for choice in self.choices
        ]

    def __str__(self) -> str:
        private = self.choices[0].threshold is not None
        errors = [f"of {n:,} people" for n, _ in self.choices[0].errors]
        noise = ["noise, 95 %, " + errors[0], *errors[1:]] if errors else ["noise, 95 %"]
        head = ["max_groups", *noise, *(["threshold", "half seen", "95 % seen"] if private else [])]
        rows = [
            [
                f"{choice.max_groups}{' *' if choice.max_groups == self.chosen else ''}",
                *(f"±{reach:,.{4 if errors else 6}g}" for _, reach in choice.errors or [(1, choice.radius)]),
                *([f">{choice.threshold:,}", f"{choice.n50:,}", f"{choice.n95:,}"] if private else []),
            ]
            for choice in self.choices
        ]
        return "\n".join([self.question, self.guarantee, columns(head, rows), *self.notes])

    __repr__ = __str__


def explained(queries: Sequence[Query], chosen: Query) -> Explanation:
    """Return the explanation of a question, with other choices of max_groups beside it."""
    plan = chosen.plan
    epsilon, delta = chosen.loss
    who = "each row is a person" if plan.person is None else f"a person is all rows of one {', '.join(plan.person)}"
    guarantee = f"{promise(epsilon, delta)}; {who}."
    by = f" by {', '.join(plan.by)}" if plan.by else ""
    what = {"people": "people", "rows": "rows"}.get(plan.aggregate, f"{plan.aggregate} of {plan.value}")
    notes = []
    if plan.by and plan.person is not None:
        notes.append(
            "A person in more than max_groups groups counts in that many of them, chosen at random. That is a bias, "
            "not noise: it makes counts and sums too small."
        )
    if chosen.left_out:
        of = "rows" if plan.aggregate == "rows" and not chosen.auto else "groups"
        learn = f"A part of epsilon, {chosen.left_out}, pays for learning what share of people's {of} is left out"
        notes.append(f"{learn}, and chooses max_groups by it." if chosen.auto else f"{learn}; left_out=0 saves it.")
    if plan.grid is not None:
        bounds = f"[{float(plan.low or 0):g}, {float(plan.high or 0):g}]"
        notes.append(f"Values are clipped to {bounds} and put on a grid of {plan.grid}.")
    choices = tuple(_choice(query) for query in queries)
    most = None if chosen.auto else plan.max_groups
    return Explanation(f"{what}{by}", guarantee, most, choices, tuple(notes), chosen.receipt())


def _choice(query: Query) -> Choice:
    parts = dict(query.parts)
    value: Any = parts[query.plan.aggregate].then  # type: ignore[attr-defined]
    first: Any = query.parts[0][1].then  # type: ignore[attr-defined]
    noise: ColumnNoise = query._noise(query.plan.aggregate, value)
    threshold = getattr(first, "threshold", None)
    sure = (Fraction(1, 2), Fraction(19, 20))
    n50, n95 = (None if threshold is None else first.noise.needed(threshold, p) for p in sure)
    scale, reach = float(value.scale * noise.unit), noise.radius(Fraction(1, 20))
    errors = _mean_errors(query) if query.plan.aggregate == "mean" else ()
    return Choice(query.plan.max_groups, scale, reach, threshold, n50, n95, errors)


def _mean_errors(query: Query) -> tuple[tuple[int, float], ...]:
    """Return bounds on the errors of means of several numbers of people, with probability 95 %; each noise has half.

    With noise Y in the sum S of distances from the middle of the bounds, and Z in the number n of people,

        |(S + Y) / (n + Z) - S / n| = |Y - Z S / n| / (n + Z) <= (|Y| + |Z| (high - low) / 2) / (n - |Z|).
    """
    half = Fraction(1, 40)
    people, total = (query._noise(name, chain.then).radius(half) for name, chain in query.parts)  # type: ignore[attr-defined]
    width = float((query.plan.high or 0) - (query.plan.low or 0))
    sizes = (100, 1000, 10_000)
    return tuple((n, min((total + people * width / 2) / (n - people), width) if n > people else width) for n in sizes)
