"""Paper: a survey that people answer with dice, out of sight, and a sheet to print for them.

Theorem.  Of n equally likely outcomes of the dice let s stand for each choice and all others for the truth. Whoever
ticks what the outcome says answers by the form's own mechanism.
Proof.  Another choice than the truth is ticked at its own s outcomes, with probability s/n; the truth at its own s and
at the n - t s others, with probability 1 - (t - 1) s/n. `Table` is made only if s/n is the mechanism's own
probability of another choice (proof: same); then the other is its probability of the truth, as both laws add up to 1.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from importlib import resources
from itertools import product
from math import prod
from typing import Any, Final, final

from discreet.errors import KindError, ParameterError, one_of
from discreet.exact import listed, whole, written
from discreet.files import path_of, read_toml
from discreet.frozen import freeze
from discreet.measures import MaxDivergence
from discreet.pages.page import clean, head, put
from discreet.pages.results import FOOTER, Result
from discreet.pages.sheet import Column, Sheet
from discreet.survey.files import read_json
from discreet.survey.forms import Form
from discreet.survey.oracles.places import Places
from discreet.survey.plans import margin_of
from discreet.survey.surveys import Survey
from discreet.survey.wording import Wording, check_names, fixed_texts, said_in
from discreet.words import bound, plain

__all__ = ["Paper", "Table"]

_PEOPLE: Final = (30, 100, 300, 1000, 3000)
_SIZES: Final = ("A4", "letter")
_CARD: Final = (4, 13)
_SUITS: Final = ("♣ clubs", "♦ diamonds", "♥ hearts", "♠ spades")
_RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
_LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_MOST_ROWS, _MOST_COLUMNS = 36, 20
_ERROR: Final = 0.05
_NUMBERS: Final = "a list of numbers of people, each from 1 to 2**50"


@final
@dataclass(frozen=True, slots=True, init=False)
class Table:
    """What each outcome of dice says to tick: the place of a choice, or None for the truth.

    >>> from discreet import RandomizedResponse
    >>> from discreet.survey import Question
    >>> q = Question("smokes", ["no", "yes"])
    >>> form = q.form(RandomizedResponse.for_dice(6, epsilon="0.7", categories=q.categories))
    >>> Table(form, [6]).cells
    (0, 0, 1, 1, None, None)
    """

    form: Form
    sides: tuple[int, ...]
    cells: tuple[int | None, ...]

    def __init__(self, form: Form, sides: Sequence[int]) -> None:
        if not isinstance(getattr(form, "oracle", None), Places):
            raise KindError("form", type(form), "a form whose reports name one choice, which dice can play")
        dice = tuple(whole(side, "sides", least=2) for side in sides)
        n, t, (_, other) = prod(dice), len(form.question), form.support
        each = int(other * n)
        if each < 1 or Fraction(each, n) != other or each * t > n:  # proof: same
            need = f"dice that play {form.question.name}: another choice has probability {other}"
            raise ParameterError("sides", sides, need)
        forced = [place for place in range(t) for _ in range(each)]
        freeze(self, form=form, sides=dice, cells=(*forced, *[None] * (n - len(forced))))

    def law(self, place: int) -> list[Fraction]:
        """Return how likely each choice is to be ticked by a person whose true answer has this place."""
        ticked = [place if cell is None else cell for cell in self.cells]
        return [Fraction(ticked.count(i), len(ticked)) for i in range(len(self.form.question))]


@final
@dataclass(frozen=True, init=False, repr=False)
class Paper(Result):
    """A survey on paper: how exact it will be for numbers of *people*, and `to_html`, a sheet to print for each person.

    >>> from discreet.survey import Question, Survey
    >>> Paper(Survey([Question("smokes", ["no", "yes"])], epsilon=1, dice=[6, 6]), people=[30, 300])
    On paper: 2 dice with 6 sides: each person loses at most epsilon 0.956
      people  smokes
      30      ± 42.1
      300     ± 13.1
    In points: half the width of a 95 % interval at the least favourable share.
    """

    survey: Survey
    people: tuple[int, ...]
    size: str
    wording: Wording
    """What people read in the place of the names of questions and choices; in English, where it is in several."""

    def __init__(
        self, survey: Survey, wording: Wording | None = None, *, people: Sequence[int] = _PEOPLE, size: str = "A4"
    ) -> None:
        if not isinstance(survey, Survey):
            raise KindError("survey", type(survey), "a Survey")
        if survey.dice is None:
            raise ParameterError("dice", None, "the dice that people have: dice = [6, 6] in the survey")
        counts = tuple(listed(people, "people", _NUMBERS))
        if not counts or not all(type(count) is int and 1 <= count <= 1 << 50 for count in counts):
            raise KindError("people", people, _NUMBERS)
        if prod(survey.dice[:-1]) > _MOST_ROWS or survey.dice[-1] > _MOST_COLUMNS:
            need = f"dice whose outcomes fit on a sheet: {_MOST_ROWS} rows, and {_MOST_COLUMNS} sides of the last one"
            raise ParameterError("dice", survey.dice, need)
        if max(len(form.question) for form in _forms(survey)) > len(_LETTERS):
            raise ParameterError("questions", survey.names, f"at most {len(_LETTERS)} choices each, on paper")
        told = Wording() if wording is None else wording
        if not isinstance(told, Wording):
            raise KindError("wording", type(told), "a Wording")
        forms = _forms(survey)
        missing = [form.question.missing is not None for form in forms]
        check_names(told, survey.names, [len(form.question) for form in forms], missing)
        freeze(self, survey=survey, people=counts, size=one_of("size", size, _SIZES), wording=told)
        _ = self.tables

    @classmethod
    def load(cls, path: str | os.PathLike[str], /, **asked: Any) -> Paper:
        """Return the paper of a survey's file of TOML or JSON, with the texts in it; *asked* are people and size."""
        place = path_of(path)
        toml = place.suffix.lower() == ".toml"
        data = read_toml(place, float) if toml else read_json(path, "survey", checked=False)
        return cls(Survey.from_dict(data), Wording.from_dict(data), **asked)

    @property
    def tables(self) -> list[Table]:
        """What the dice say, for each question."""
        return [Table(form, self.survey.dice or ()) for form in _forms(self.survey)]

    @property
    def sheet(self) -> Sheet:
        """The margin of each question, for each number of people."""
        columns = [Column("people", list(self.people), 0, head=True)]
        for name in self.survey.names:
            margins = [100 * row[name] for row in self.to_rows()]
            columns.append(Column(plain(name), margins, shown=[f"± {x:.1f}" for x in margins]))
        note = f"each person loses at most epsilon {written(self.survey.privacy_map(1), up=True)}"
        remark = "In points: half the width of a 95 % interval at the least favourable share."
        if any(x >= 0.5 for row in self.to_rows() for x in list(row.values())[1:]):
            remark += " ± 50.0 says nothing: ask more people, or allow a larger epsilon."
        return Sheet(f"On paper: {_dice(self.survey.dice or ())}", columns, note, [remark], "people")

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary a number of people, with the margin of each question as a share."""
        forms = _forms(self.survey)
        return [
            {"people": n} | {form.question.name: margin_of(form.mechanism, n, _ERROR) for form in forms}
            for n in self.people
        ]

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the sheet to print, one a person, and a page for whoever counts; with a *path*, also write it."""
        return put(self._lines(), path)

    def _lines(self) -> Iterator[str]:
        style = resources.files("discreet.survey").joinpath("paper.css").read_text(encoding="utf-8")
        policy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
        page = f"@page {{ size: {self.size}; margin: 16mm; }}\n"
        yield from head(self._said(self.wording.title) or ", ".join(self.survey.names), page + style, policy)
        yield "<main>"
        yield from self._answering()
        yield "</main>"
        yield from self._counting()
        yield "</body>\n</html>"

    def _answering(self) -> Iterator[str]:
        dice, many = self.survey.dice or (), len(self.survey.forms) > 1
        epsilon = Fraction(MaxDivergence().up(self.survey.loss(1)))
        before = "Suppose someone sees this sheet, and thinks that of two answers of yours each has a 50 % chance."
        again = ", anew for each question" * many
        if title := self._said(self.wording.title):
            yield f"<h1>{clean(title)}</h1>"
        if sponsor := self._said(self.wording.sponsor):
            yield f"<p>{clean(sponsor)}</p>"
        yield f"<h{1 + bool(title)}>Your answer stays with you</h{1 + bool(title)}>"
        yield f"<p>{_roll(dice)}, so that nobody else sees it{again}. Look up in the table what it says:</p>"
        yield "<ul><li>a <b>letter</b>: tick the choice with this letter, whatever your own answer is;</li>"
        yield "<li><b>you</b>: tick your own answer.</li></ul>"
        yield "<p>Tell nobody what came up: then nobody can know whether a tick is your answer or that of the dice."
        yield f"{clean(bound(before, 'That', epsilon))}</p>"
        for table in self.tables:
            yield from _question(table, self._text(table.form), self._labels(table.form))

    def _said(self, told: Mapping[str, Any]) -> Any:
        return said_in(told, "en", self.wording.language)

    def _text(self, form: Form) -> str:
        """Return what a question asks, below the text of its group."""
        asking = self.wording.questions.get(form.question.name)
        told = [] if asking is None else [self._said(asking.group), self._said(asking.text)]
        return " ".join(text for text in told if text) or form.question.name

    def _labels(self, form: Form) -> list[str]:
        """Return what stands beside the boxes to tick."""
        asking, own = self.wording.questions.get(form.question.name), list(form.question.categories.values)
        labels = [] if asking is None else list(self._said(asking.labels))
        yes_no = {flag: fixed_texts()["en"][word] for flag, word in ((True, "yes"), (False, "no"))}
        names = [yes_no[choice] if isinstance(choice, bool) else plain(choice) for choice in own]
        return [*labels, *names[len(labels) :]]

    def _counting(self) -> Iterator[str]:
        words = " ".join(f"{_quoted(form.question.name)} {_ticks(form)}" for form in _forms(self.survey))
        sheet = self.sheet
        yield "<aside>\n<h1>For whoever counts</h1>"
        yield "<p>Print the pages before this one for each person. Collect the sheets face down, shuffle them, count"
        yield "the ticks of each choice, and type them in. A question without a tick, or with two, is not counted.</p>"
        yield f"<pre>discreet survey tally survey.toml {clean(words)} --out box.json"
        yield "discreet survey estimate box.json</pre>"
        yield f"<p>How exact that is, {clean(sheet.remarks[0][0].lower() + sheet.remarks[0][1:])}</p>"
        yield from _grid([column.title for column in sheet.columns], sheet.cells())
        yield f"<p>{clean(sheet.title)}: {clean(sheet.note)}. {clean(FOOTER)}</p>\n</aside>"


def _forms(survey: Survey) -> list[Form]:
    """Return the forms of a survey that dice play: open text is never among them."""
    return [form for form in survey.forms if isinstance(form, Form)]


def _grid(head: Iterable[str], rows: Iterable[Iterable[str]]) -> Iterator[str]:
    yield f"<table>\n<tr>{''.join(f'<th>{clean(text)}</th>' for text in head)}</tr>"
    for row in rows:
        yield f"<tr>{''.join(f'<td>{clean(text)}</td>' for text in row)}</tr>"
    yield "</table>"


def _question(table: Table, text: str, labels: Sequence[str]) -> Iterator[str]:
    """Give a question's table of outcomes and its choices to tick."""
    *first, last = table.sides
    yield f"<section>\n<h2>{clean(text)}</h2>\n<div>\n<table>"
    top = "".join(f"<th>{clean(face)}</th>" for face in _faces(table.sides, len(first)))
    yield f"<tr><td></td>{top}</tr>"
    heads = product(*(_faces(table.sides, i) for i in range(len(first))))
    for row, faces in enumerate(heads):
        cells = table.cells[row * last : (row + 1) * last]
        said = "".join('<td class="own">you</td>' if i is None else f"<td>{_LETTERS[i]}</td>" for i in cells)
        yield f"<tr><th>{clean(', '.join(faces))}</th>{said}</tr>"
    yield "</table>\n<ul>"
    for letter, label in zip(_LETTERS, labels, strict=False):
        yield f"<li><b>{letter}</b> {clean(label)}</li>"
    yield "</ul>\n</div>\n</section>"


def _faces(sides: Sequence[int], i: int) -> Sequence[str]:
    if tuple(sides) == _CARD:
        return (_SUITS, _RANKS)[i]
    return ("heads", "tails") if sides[i] == 2 else [str(face) for face in range(1, sides[i] + 1)]


def _dice(sides: Sequence[int]) -> str:
    """Return what is rolled, in words.

    >>> [_dice(sides) for sides in ([6], [6, 6], [6, 20], [2, 2, 2], [2], [4, 13])]
    ['a die with 6 sides', '2 dice with 6 sides', 'dice with 6 and 20 sides', '3 coins', 'a coin', 'a card of 52']
    """
    if tuple(sides) == _CARD:
        return "a card of 52"
    if set(sides) == {2}:
        return "a coin" if len(sides) == 1 else f"{len(sides)} coins"
    if len(set(sides)) == 1:
        return f"a die with {sides[0]} sides" if len(sides) == 1 else f"{len(sides)} dice with {sides[0]} sides"
    return f"dice with {', '.join(map(str, sides[:-1]))} and {sides[-1]} sides"


def _roll(sides: Sequence[int]) -> str:
    """Return what a person is to do, in words.

    >>> [_roll(sides) for sides in ([6], [2, 2, 2], [2, 6], [4, 13])]          # doctest: +NORMALIZE_WHITESPACE
    ['Roll a die', 'Toss a coin 3 times, the last for the column', 'Roll dice with 2 and 6 sides, in this order',
     'Shuffle 52 cards and draw one']
    """
    if tuple(sides) == _CARD:
        return "Shuffle 52 cards and draw one"
    if len(set(sides)) > 1:
        return f"Roll {_dice(sides)}, in this order"
    do = "Toss a coin" if sides[0] == 2 else "Roll a die" if sides[0] == 6 else f"Roll a die with {sides[0]} sides"
    times = {1: "", 2: " twice, first for the row and then for the column"}
    return do + times.get(len(sides), f" {len(sides)} times, the last for the column")


def _ticks(form: Form) -> str:
    return " ".join(f"{_quoted(plain(choice))}=…" for choice in form.question.categories.values)


def _quoted(text: Any) -> str:
    return f"'{text}'" if " " in str(text) else str(text)
