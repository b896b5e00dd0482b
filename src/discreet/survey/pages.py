"""Pages of surveys: shares with their intervals, how exact they could be, and what a report tells about a person."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final, TypeVar

import numpy as np

from discreet.exact import written
from discreet.figures import figure, outwards
from discreet.measures import MaxDivergence
from discreet.pages.drawings import Bars, Heat
from discreet.pages.page import Block, Facts, Items, Page, Section, Text, named
from discreet.pages.results import FOOTER, page_of
from discreet.pages.sheet import Column, Sheet
from discreet.survey.crosstabs import Crosstab
from discreet.survey.decoding import TextEstimate
from discreet.survey.estimates import Estimate
from discreet.survey.forms import AnyForm, Form
from discreet.survey.plans import LEAST_EPSILON, Plan, limit, margin_of, unit_variance
from discreet.survey.sheets import interval_columns, percent, share_columns
from discreet.survey.surveys import Estimates
from discreet.survey.waves import WavesEstimate
from discreet.survey.wording import Wording, choice_labels, question_text, said_in
from discreet.words import LEARN, bound

__all__ = ["crosstab_page", "estimate_page", "estimates_page", "plan_page", "text_page"]

T = TypeVar("T")

_ENDLESS: Final = Fraction(10**6)
"""Stands for an infinite epsilon, where words are concerned."""


@page_of.register
def estimate_page(estimate: Estimate, /) -> Page:
    """Return the page of one question's estimate."""
    epsilon = _epsilon(estimate.form)
    tiles = [("Reports", f"{estimate.n:,}"), ("Epsilon of a report", _short(epsilon)), _widest(estimate)]
    sections = [
        Section("The estimate", _answer(estimate)),
        Section("How exact this could be", list(_exactness(estimate))),
        Section(LEARN, [Items(list(_learn([estimate.form])))]),
        Section("How it was asked", [Facts(_facts(estimate.form))]),
    ]
    return Page(estimate.form.question.name, _lead(estimate), tiles, sections, FOOTER)


@page_of.register
def estimates_page(found: Estimates, wording: Wording | None = None, /) -> Page:
    """Return the page of a survey: one section a question. Of the same people in several waves, every wave counts.

    With a *wording* it has the texts of questions and choices that people read, in the wording's first language.
    """
    words = Wording() if wording is None else wording
    estimates: list[Estimate | WavesEstimate] = list(found.values())
    forms = [estimate.form for estimate in estimates]
    reports = [form for estimate in estimates for form in [estimate.form] * max(len(_waves(estimate)), 1)]
    names = ", ".join(form.question.name for form in forms)
    waves = list(dict.fromkeys(wave for estimate in estimates for wave in _waves(estimate)))
    tiles = [("Questions", f"{len(estimates):,}"), ("Epsilon of all reports", _short(_total(reports)))]
    if waves:
        tiles.insert(1, ("Waves", f"{len(waves):,}"))
        names += f" · waves {', '.join(map(named, waves))} of the same people"
    sections = []
    for estimate in estimates:
        more = _by_wave(estimate) if isinstance(estimate, WavesEstimate) else _exactness(estimate)
        text, labels = question_text(words, estimate.form), choice_labels(words, estimate.form)
        name = estimate.form.question.name
        lead = _lead(estimate) if text == name else f"{name}: {_lead(estimate)}"
        blocks = [_labelled(block, labels) for block in (*_answer(estimate, labels), *more)]
        sections.append(Section(text, [Text([lead]), *blocks]))
    sections.append(Section(LEARN, [Items(list(_learn(reports, waves=len(waves))))]))
    asked: list[Block] = []
    for form in forms:
        asked += [Facts([("question", form.question.name), *_facts(form)])]
    sections.append(Section("How it was asked", asked))
    counted = "A survey of 1 question" if len(forms) == 1 else f"A survey of {len(forms):,} questions"
    title = said_in(words.title, words.language, words.language) or counted
    return Page(title, names, tiles, sections, FOOTER)


def _waves(estimate: Estimate | WavesEstimate) -> Mapping[Any, Estimate]:
    """Return what each wave of the same people says; nothing where each person is in one."""
    return estimate.waves if isinstance(estimate, WavesEstimate) else {}


def _by_wave(estimate: WavesEstimate) -> Iterator[Block]:
    """Give each wave on its own, and the change from the first to the last."""
    waves, name, sure = estimate.waves, estimate.form.question.name, percent(estimate.confidence)
    places = [(wave, choice) for wave in waves for choice in estimate.choices]
    heads = [
        Column("wave", [str(wave) for wave, _ in places], head=True),
        Column("choice", [choice for _, choice in places], head=True),
    ]
    found = list(waves.values())
    shares, ends = (np.concatenate(parts) for parts in ([e.shares for e in found], [e.intervals for e in found]))
    errors = np.concatenate([each.standard_errors() for each in found])
    average = "The shares above are averages over the waves, each by the number of its reports."
    yield Text(
        [average, f"Each wave on its own. With a confidence of {sure} the intervals of all waves hold together:"]
    )
    columns = [*heads, *share_columns(shares, ends, errors, estimate.confidence)]
    yield Sheet(f"{name}: each wave", columns, row="choice")
    if len(waves) < 2:
        return
    (first, before), *_, (last, after) = waves.items()
    low = np.maximum(after.intervals[:, 0] - before.intervals[:, 1], -1)
    high = np.minimum(after.intervals[:, 1] - before.intervals[:, 0], 1)
    yield Text([f"The change from {named(first)} to {named(last)}, in points. It is significant where 0 is outside:"])
    change = after.shares - before.shares, np.stack([low, high], axis=1)
    columns = [
        Column("choice", estimate.choices, head=True),
        *interval_columns("change", *change, estimate.confidence, unit=""),
        Column("significant", ["yes" if a > 0 or b < 0 else "" for a, b in zip(low, high, strict=True)]),
    ]
    yield Sheet(f"{name}: the change", columns, row="choice")


@page_of.register
def crosstab_page(table: Crosstab, /) -> Page:
    """Return the page of the shares of pairs."""
    names = tuple(form.question.name for form in table.forms)
    title = f"{names[0]} by {names[1]}"
    rows, columns = ([str(value) for value in form.question.categories.values] for form in table.forms)
    shares, ends = 100 * table.shares, 100 * table.intervals
    caption = f"Shares of pairs in percent, each with its {percent(table.confidence)} interval"
    lows, highs = outwards(ends[:, :, 0], ends[:, :, 1], 1)
    heat = Heat(caption, (names[0], names[1]), rows, columns, shares.tolist(), lows, highs)
    most = np.unravel_index(int(np.argmax(shares)), shares.shape)
    greatest = f"{named(rows[most[0]])} with {named(columns[most[1]])}"
    beside = f"{caption}; the greatest is {greatest}, {figure(float(shares[most]), 1)} %."
    tiles = [("Pairs of reports", f"{table.n:,}"), ("Epsilon of both reports", _short(_total(table.forms)))]
    sections = [
        Section(
            "The estimate",
            [
                Text([*table.sheet.remarks, beside]),
                heat,
                Text(_notes(table.simultaneous, table.confidence)),
                table.sheet,
            ],
        ),
        Section(LEARN, [Items(list(_learn(table.forms)))]),
    ]
    return Page(title, f"{table.n:,} pairs of reports", tiles, sections, FOOTER)


@page_of.register
def text_page(estimate: TextEstimate, /) -> Page:
    """Return the page of candidates found among texts."""
    sheet, found = estimate.sheet, estimate.found()
    sure = f"With a confidence of {percent(estimate.confidence)}, none of those that are marked as found is wrong."
    form = estimate.form
    tiles = [("Reports", f"{estimate.n:,}"), ("Found", f"{len(found):,} of {len(estimate.candidates):,}")]
    tiles.append(("Epsilon of a report", _short(_epsilon(form))))
    sections = [
        Section("The estimate", [*sheet.blocks(), Text([*sheet.remarks, sure])]),
        Section(LEARN, [Items(list(_learn([form])))]),
    ]
    return Page(form.question.name, f"{estimate.n:,} reports of texts", tiles, sections, FOOTER)


@page_of.register
def plan_page(plan: Plan, /) -> Page:
    """Return the page of a plan."""
    sheet, best = plan.sheet, plan.options[0]
    share = f"{figure(best.of_limit * 100, 1)} % of the limit"
    serves = "has the least variance:" if best.people is None else "serves best what is asked for. Its variance is"
    beside = f"{best.name} {serves} {share}, below which nothing within this epsilon is, with many people."
    caption = "n × variance of a share, where all choices are equally frequent; less is better."
    names, units = sheet.columns[:2]
    limit_text = f"limit {written(plan.limit, up=False)}"
    chart = Bars(caption, names.values, units.values, beside=beside, limit=(plan.limit, limit_text), shown=units.shown)
    tiles = [("Choices", f"{plan.choices:,}"), ("Epsilon", written(plan.epsilon, up=True))]
    if plan.people is not None and plan.margin is not None:
        tiles += [("People", f"{plan.people:,}"), ("Margin", f"±{figure(100 * plan.margin, 2)} points")]
    sections = [
        Section("The mechanisms", [chart, sheet, Text(sheet.remarks)]),
        Section("What anyone could learn about one person from their report", [Items([_one(plan.epsilon), _NOBODY])]),
    ]
    return Page(f"A plan for {plan.choices:,} choices", sheet.note, tiles, sections, FOOTER)


_NOTHING: Final = (
    "With so few reports every share from 0 to 100 % is possible: the noise hides all that they could say."
)
_NOBODY: Final = (
    "Answers are randomized before they leave a person, so nobody else has the true ones, and nobody can lose them."
)


def _answer(estimate: Estimate | WavesEstimate, labels: Mapping[Any, str] | None = None) -> list[Block]:
    sheet = _labelled(estimate.sheet, labels or {})
    if ((estimate.intervals[:, 0] <= 0) & (estimate.intervals[:, 1] >= 1)).all():
        return [Text([*sheet.remarks, _NOTHING])]  # Figures such as -58 % would only puzzle.
    return [Text(sheet.remarks), *sheet.blocks(), Text(_notes(estimate.simultaneous, estimate.confidence))]


def _labelled(block: T, labels: Mapping[Any, str]) -> T:
    """Return a block; in a table with choices, each is called by its label."""
    if not isinstance(block, Sheet):
        return block
    columns = [
        replace(column, values=[labels.get(choice, choice) for choice in column.values])
        if column.name == "choice"
        else column
        for column in block.columns
    ]
    return replace(block, columns=columns)


def _notes(simultaneous: bool, confidence: float) -> list[str]:
    sure = percent(confidence)
    together = "all of them together" if simultaneous else "each of them on its own"
    whose = "of those who answered, and of those they were sampled from"
    small = (
        "Shares are unbiased, so noise may bring a small one below 0. The error is the standard error, as of a sample."
    )
    return [f"With a confidence of {sure} the intervals hold the true shares, {together}: {whose}.", small]


def _exactness(estimate: Estimate) -> Iterator[Block]:
    """Say what error was to be expected, and what the least possible one is."""
    form, n, k = estimate.form, estimate.n, len(estimate)
    epsilon = _epsilon(form)
    expected = 100 * math.sqrt(float(unit_variance(form.mechanism, k)) / n)
    wide = 100 * margin_of(form.mechanism, n, 1 - estimate.confidence)
    one = f"for one interval of {percent(estimate.confidence)} at the least favourable share"
    pairs = [
        ("expected standard error", f"{figure(expected, 3)} points, where all choices are equally frequent"),
        ("expected margin", f"±{figure(wide, 3)} points, {one}"),
    ]
    if k >= 2 and LEAST_EPSILON <= epsilon < _ENDLESS:
        least = 100 * math.sqrt(limit(k, epsilon) / n)
        said = "the least standard error of any mechanism within this epsilon, with many people"
        pairs.append(("theoretical limit", f"{figure(least, 3)} points: {said}"))
        pairs.append(("error over limit", f"{figure(100 * expected / least, 1)} %"))
    yield Facts(pairs)


def _lead(estimate: Estimate | WavesEstimate) -> str:
    refused = f", and {estimate.refused:,} that were refused" if estimate.refused else ""
    return f"{estimate.n:,} reports{refused}; {len(estimate):,} choices"


def _widest(estimate: Estimate) -> tuple[str, str]:
    ends = 100 * estimate.intervals
    _, (half,) = outwards([0], [(ends[:, 1] - ends[:, 0]).max() / 2], 2)
    return "Widest interval", f"±{figure(half, 2)} points"


def _learn(forms: Iterable[AnyForm], *, waves: int = 0) -> Iterator[str]:
    listed = list(forms)
    many = " on each question" * (len(listed) > max(waves, 1)) + " in each wave" * bool(waves)
    yield f"A person, here, is one who sent one report{many}."
    yield _NOBODY
    if len(listed) > 1:
        yield _one(_total(listed), "all of this person's reports", "lists of answers")
        return
    yield _one(_epsilon(listed[0]))
    if listed[0].oracle.lasting:
        for_ever = _fraction(MaxDivergence().up(listed[0].oracle.loss_of(None)))
        yield _one(for_ever, "every report that this person will ever send of the same answer")


def _one(epsilon: Fraction, seen: str = "this person's report", answers: str = "answers") -> str:
    before = f"Suppose someone sees {seen}, and thinks that of two {answers} each has a 50 % chance of being true."
    return bound(before, "That", epsilon)


def _total(forms: Iterable[AnyForm]) -> Fraction:
    return _fraction(MaxDivergence().up(MaxDivergence().add(form.mechanism.loss(1) for form in forms)))


def _epsilon(form: AnyForm) -> Fraction:
    return _fraction(form.mechanism.privacy_map(1))


def _fraction(loss: float) -> Fraction:
    return _ENDLESS if math.isinf(loss) else min(Fraction(loss), _ENDLESS)


def _short(epsilon: Fraction) -> str:
    return "∞" if epsilon >= _ENDLESS else written(epsilon, up=True)


def _facts(form: Form) -> list[tuple[str, str]]:
    p, q = form.support
    return [
        ("mechanism", repr(form.mechanism) if len(form.question) <= 20 else type(form.mechanism).__name__),
        ("epsilon of a report", "∞" if (loss := form.mechanism.privacy_map(1)) == math.inf else repr(loss)),
        ("supports the truth", f"with probability {float(p):.6g}"),
        ("supports another choice", f"with probability {float(q):.6g}"),
        ("digest", form.digest.hex()),
    ]
