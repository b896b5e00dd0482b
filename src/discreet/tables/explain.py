"""Explanations: what can be said of an answer before it is made, from public parameters alone."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, NamedTuple, final

from discreet.errors import one_of
from discreet.exact import typed, written
from discreet.pages.results import Result
from discreet.pages.sheet import Column, Sheet, amounts
from discreet.reals import float_up
from discreet.tables.aggregates.aggregate import needed_by
from discreet.tables.noise import ColumnNoise

if TYPE_CHECKING:
    from discreet.ledger import Event
    from discreet.tables.laws import Candidate
    from discreet.tables.query import Query
    from discreet.tables.receipts import Receipt
    from discreet.tables.release import Part

__all__ = ["Choice", "Expected", "Explanation", "Option", "explained"]

_SEEN: Final = (
    "A group is seen if its noisy number of people is above the threshold: half of the groups of one size, and 95 % of "
    "those of another."
)


class Expected(NamedTuple):
    """The noise of a column: its law, its standard deviation, and what bounds it with probability 95 %.

    For a mean that is the noise of a sum, and *errors* says what it comes to: a bound on the error of the mean of so
    many people, with probability 95 %.
    """

    label: str
    noise: str
    deviation: float
    radius: float
    errors: tuple[tuple[int, float], ...] = ()
    words: str = "noise"
    """What the error is called: of a quantile, it is that of its rank, in people."""
    share_of: str = ""
    """What all these numbers are a share of, where bounds are to be learned: 0.1 is a tenth of the bound."""


class Option(NamedTuple):
    """A law of noise that a released column may have; *n50*, *n95*, *share* and *fits* are as in `Choice`."""

    label: str
    noise: str
    deviation: float
    threshold: int | None
    n50: int | None
    n95: int | None
    taken: bool
    share: Fraction | None = None
    fits: int | None = None
    radius: float = 0.0
    words: str = "noise"
    """What its error is called, of which *radius* is the bound; of a quantile, it is that of the rank."""
    share_of: str = ""
    """What its noise is a share of, as in `Expected`."""


@final
@dataclass(frozen=True, slots=True)
class Choice:
    """What a choice of max_groups gives: noise, and who will appear.

    *n50* and *n95* are how many a group needs, after bounding, to appear with probability one half and 95 %; None where
    every group appears. *noise*, *deviation*, *radius* and *errors* are of the column that is asked for first. Of what
    is left on the books *share* is taken, and *fits* is how many such releases fit; None where there are no books.
    """

    max_groups: int
    threshold: int | None
    n50: int | None
    n95: int | None
    columns: tuple[Expected, ...]
    options: tuple[Option, ...]
    """The laws of noise that the released columns may have; of each column, the one that is taken comes first."""
    rounds: tuple[Option, ...] = ()
    """Of two rounds the first and the second, and what one round would be; the other fields are the second's."""
    share: Fraction | None = None
    fits: int | None = None

    @property
    def noise(self) -> str:
        """The law of the noise."""
        return self.columns[0].noise

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise."""
        return self.columns[0].deviation

    @property
    def radius(self) -> float:
        """What bounds the noise, with probability 95 %."""
        return self.columns[0].radius

    @property
    def errors(self) -> tuple[tuple[int, float], ...]:
        """For a mean, bounds on its error by the number of people."""
        return self.columns[0].errors


@final
@dataclass(frozen=True, repr=False)
class Explanation(Result):
    """The guarantee and the expected error of an answer, with other choices of max_groups beside it."""

    question: str
    guarantee: str
    chosen: int | None
    """None where max_groups="auto" decides when the question is asked."""
    choices: tuple[Choice, ...]
    notes: tuple[str, ...]
    receipt: Receipt
    event: Event
    """What the books would be charged for, as `Ledger.reserve` takes it."""
    lead: str = ""
    """Which epsilon was found for a margin, if one was given; it is the first of the notes, too."""

    def __getitem__(self, max_groups: int) -> Choice:
        choices = {choice.max_groups: choice for choice in self.choices}
        return choices[one_of("max_groups", max_groups, choices)]

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary a choice; for a mean, with its errors as ``error_at_100`` and so on.

        Of several columns, all but the first have their names before what is said of them.
        """
        rows = []
        first = ("max_groups", "noise", "deviation", "radius", "threshold", "n50", "n95")
        for choice in self.choices:
            row = {name: getattr(choice, name) for name in first}
            row |= {f"error_at_{n}": reach for n, reach in choice.errors}
            for column in choice.columns[1:]:
                row |= {f"{column.label} {name}": getattr(column, name) for name in ("noise", "deviation", "radius")}
                row |= {f"{column.label} error_at_{n}": reach for n, reach in column.errors}
            row |= {} if choice.share is None else {"share": float_up(choice.share), "fits": choice.fits}
            for one in choice.rounds:
                row |= {f"{one.label} {name}": getattr(one, name) for name in ("deviation", "threshold", "n50", "n95")}
            rows.append(row)
        return rows

    def to_options(self) -> list[dict[str, Any]]:
        """Return one plain dictionary for each law of noise that a released column may have, at each choice."""
        return [
            {"max_groups": choice.max_groups}
            | option._asdict()
            | {"share": None if option.share is None else float_up(option.share)}
            for choice in self.choices
            for option in choice.options
        ]

    @property
    def sheet(self) -> Sheet:
        """The noise of each choice of max_groups, and who will appear."""
        most = [choice.max_groups for choice in self.choices]
        chosen = [i for i, m in enumerate(most) if m == self.chosen]
        marks = [f"{m}{' *' * (m == self.chosen)}" for m in most]
        columns, remarks = [Column("max_groups", most, head=True, shown=marks)], [self.guarantee]
        if any(not option.taken for option in self.choices[0].options):
            taken = [dict.fromkeys(option.noise for option in each.options if option.taken) for each in self.choices]
            columns.append(Column("law", [", ".join(names) for names in taken]))
            remarks += [line for i in chosen for line in _why(self.choices[i].options)]
        for each in zip(*(choice.columns for choice in self.choices), strict=True):
            label = f"{each[0].label}: " if len(self.choices[0].columns) > 1 else ""
            columns += _reaches(each, label)
        if any(column.errors for column in self.choices[0].columns):
            remarks.append(
                "Noise at so many people: a bound on the error of the value of as many, with probability 95 %."
            )
        if self.choices[0].threshold is not None:
            above = [choice.threshold or 0 for choice in self.choices]
            columns.append(Column("threshold", above, shown=[f">{n:,}" for n in above]))
            columns.append(Column("half seen", [choice.n50 for choice in self.choices], 0))
            columns.append(Column("95 % seen", [choice.n95 for choice in self.choices], 0))
            remarks.append(_SEEN)
        for each in list(zip(*(choice.rounds for choice in self.choices), strict=True))[::2]:
            columns.append(Column(f"{each[0].label}: half seen", [one.n50 for one in each], 0))
        if self.choices[0].share is not None:
            parts = [choice.share or Fraction(0) for choice in self.choices]
            columns.append(Column("of what is left", [*map(float_up, parts)], shown=[*map(_part, parts)]))
            columns.append(Column("such tables", [choice.fits for choice in self.choices], 0))
        note = "nothing is spent, and no rows are read"
        remarks += [text for text in self.notes if text != self.lead]
        return Sheet(self.question, columns, note, remarks, "choice", chosen=chosen, lead=self.lead)


def explained(questions: Sequence[Query], chosen: Query, lead: str = "") -> Explanation:
    """Return the explanation of a question, with other choices of max_groups beside it; a *lead* is said first."""
    bounding = chosen.bounding
    receipt = chosen.receipt
    by = f" by {', '.join(bounding.by)}" if bounding.by else ""
    notes = [lead] if lead else []
    if bounding.by and bounding.person is not None:
        notes.append(
            "A person in more than max_groups groups counts in that many of them, chosen at random. That is a bias, "
            "not noise: it makes counts and sums too small."
        )
    if chosen.left_out:
        of = "groups" if bounding.sizes is None else bounding.sizes.words
        part = f"A part of epsilon, {written(chosen.left_out * chosen.epsilon, up=True)}"
        learn = f"{part}, pays for learning what share of people's {of} is left out"
        notes.append(f"{learn}, and chooses max_groups by it." if chosen.auto else f"{learn}; left_out=0 saves it.")
    choices = tuple(_choice(question) for question in questions)
    if chosen.rounds > 1:
        notes += next(_about_rounds(*choice.rounds) for choice in choices if choice.max_groups == bounding.max_groups)
    notes += [note for aggregate in chosen.asked if (note := aggregate.plan_note) is not None]
    notes += ["Clipping to bounds is a bias, not noise."] if any(each.clips for each in chosen.asked) else []
    words = ", ".join(aggregate.words for aggregate in chosen.asked)
    most = None if chosen.auto else bounding.max_groups
    return Explanation(f"{words}{by}", receipt.guarantee, most, choices, tuple(notes), receipt, chosen.event, lead)


def _choice(question: Query) -> Choice:
    parts = {part.aggregate: part for part in question.turn.parts}
    taken = question.turn.parts[0].laws[0]
    columns = []
    for aggregate in question.asked:
        noise, law = parts[aggregate].noise, parts[aggregate].law
        errors = aggregate.errors(noise, [parts[need].noise for need in needed_by(aggregate, parts)])
        radius = noise.radius(Fraction(1, 20))
        words = aggregate.noise_words, aggregate.share_of
        columns.append(Expected(aggregate.label, law, noise.deviation, radius, errors, *words))
    free = question.share is None or question.rounds > 1 or question.learns
    shares = {} if free or question.share is None else question.turn.shares(question.share)
    options = tuple(
        _option(part, each)._replace(**_priced(shares.get(part.aggregate.label, {}).get(each.law)))
        for part in question.turn.parts
        for each in part.laws
    )
    sizes, books = (taken.threshold, taken.n50, taken.n95), question.share and _priced(question.share(question.event))
    return Choice(
        question.bounding.max_groups,
        *sizes,
        tuple(columns),
        options,
        _rounds(question),
        **books or {},
    )


def _priced(share: Fraction | None) -> dict[str, Any]:
    """Return which share of what is left is taken, and how often that fits; what was reserved takes nothing."""
    return {} if share is None else {"share": share, "fits": int(1 / share) if share else None}


def _part(share: Fraction) -> str:
    """Write which part of what is left is taken."""
    if share > 1:
        return "does not fit"
    return f"{written(100 * share, up=True)} %" if share else "reserved"


def _rounds(question: Query) -> tuple[Option, ...]:
    """Return what each of two rounds is, and what one round would be."""
    if question.rounds == 1:
        return ()
    turns = {f"round {i}": turn for i, turn in enumerate(question.in_rounds.rounds, 1)}
    turns["one round"] = replace(question, rounds=1).turn
    parts = {label: turn.parts[0] for label, turn in turns.items()}
    return tuple(_option(part, part.laws[0])._replace(label=label) for label, part in parts.items())


def _about_rounds(first: Option, last: Option, once: Option) -> list[str]:
    """Say what two rounds are for, and what they cost where they are of no use."""
    one, two = once.n50 or 1, last.n50 or 1
    more, fewer = (max(-(-100 * (b - a) // n), 0) for a, b, n in ((one, two, one), (one**2, two**2, two**2)))
    use = f"Round 1 shows the largest groups, half of those of {first.n50:,} people."
    rest = "In round 2 people count only in the others: their max_groups places go to groups that were not shown yet."
    flat = f"Where no group is much larger than most, round 1 shows none. Then a group needs {more} % more people"
    loss = f"than in one round ({two:,}, not {one:,}, for half of such groups to be seen)"
    rank = f"and where sizes fall like 1 / √rank, {fewer} % fewer groups are seen: there, use rounds=1."
    return [f"{use} {rest}", f"{flat} {loss}, {rank}"]


def _option(part: Part, law: Candidate) -> Option:
    of, noise = part.aggregate, ColumnNoise(law.mechanism.noise, part.aggregate.unit)
    option = Option(of.label, law.law, noise.deviation, law.threshold, law.n50, law.n95, law is part.laws[0])
    return option._replace(radius=noise.radius(Fraction(1, 20)), words=of.noise_words, share_of=of.share_of)


def _why(options: Sequence[Option]) -> Iterator[str]:
    """Say of each column which noise is taken, and what the others would be."""
    for label, group in groupby(options, lambda option: option.label):
        taken, *others = group
        errors = [f"{each.noise} {_of(each.deviation, each.share_of)}" for each in (taken, *others)]
        reason, figures = "the least standard deviation", errors
        if taken.words != "noise":
            reason = f"the least {taken.words} with probability 95 %"
            figures = [f"{each.noise} {written(each.radius, up=True)}" for each in (taken, *others)]
        if taken.n50 is not None:
            reason = "the smallest groups seen as often as not"
            sizes = [f"{each.n50:,}, 95 % from {each.n95:,}, standard deviation" for each in (taken, *others)]
            figures = [error.replace(" ", f" {size} ") for error, size in zip(errors, sizes, strict=True)]
        if taken.share is not None and others:
            figures = [
                f"{text}, {_part(each.share or Fraction(0))}"
                for text, each in zip(figures, (taken, *others), strict=True)
            ]
            if all((each.share or 0) > 1 for each in (taken, *others)):
                reason = "the least part of what is left on the books, because none of the laws fits"
            else:
                reason += ", of the laws that fit and take at most twice the least part of what is left on the books"
        yield f"Noise of {label}: {taken.noise}, for {reason} ({'; '.join(figures)})."


def _reaches(columns: Sequence[Expected], label: str) -> list[Column]:
    """Return the noise of a column at each choice, or what it comes to for so many people."""
    share_of = columns[0].share_of
    if not columns[0].errors:
        return [_amounts(f"{label}{columns[0].words}, 95 %", [column.radius for column in columns], share_of)]
    return [
        _amounts(
            f"{label}noise at {same[0][0]:,}" if i == 0 else f"at {same[0][0]:,}",
            [reach for _, reach in same],
            share_of,
        )
        for i, same in enumerate(zip(*(column.errors for column in columns), strict=True))
    ]


def _amounts(name: str, reaches: Sequence[float], share_of: str) -> Column:
    """Return a column of what bounds noises, or of their shares of a bound that is not known yet."""
    if not share_of:
        return amounts(name, [_rounded(reach) for reach in reaches], "±")
    percent = amounts(name, [_rounded(100 * reach) for reach in reaches], "±")
    return replace(percent, shown=[f"{text} % of {share_of}" for text in percent.shown or ()])


def _of(deviation: float, share_of: str) -> str:
    """Write a standard deviation, or its share of a bound that is not known yet."""
    return f"{written(100 * deviation, up=True)} % of {share_of}" if share_of else written(deviation, up=True)


def _rounded(reach: float) -> Fraction | float:
    """Return what bounds a noise in three digits, or in all those before the point, rounded up."""
    if not 0 < reach < math.inf:
        return reach
    step = Fraction(10) ** min(0, Decimal(reach).adjusted() - 2)
    return math.ceil(typed(Fraction(reach)) / step) * step
