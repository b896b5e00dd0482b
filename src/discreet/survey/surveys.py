"""Surveys: several questions to the same people, within one budget."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, final

import numpy as np

from discreet.errors import KindError, MismatchError, ParameterError, ReportError, UnsupportedError, none_of, show
from discreet.exact import Exact, exact, listed, written
from discreet.files import path_of, read_toml
from discreet.frozen import freeze
from discreet.measures import INFINITE, MaxDivergence, amount
from discreet.pages.results import page_of
from discreet.progress import Progress
from discreet.survey.choices import Choices
from discreet.survey.clients import MOST
from discreet.survey.collectors import TAKING, Collector, Tally, Wave, pieces
from discreet.survey.crosstabs import Crosstab
from discreet.survey.estimates import Estimate
from discreet.survey.files import digest_of_file, read_json, write_json
from discreet.survey.forms import Form
from discreet.survey.gathering import Gatherer, codes_of, is_codes, is_responses
from discreet.survey.oracles import KINDS, LocalMechanism, kind_named
from discreet.survey.oracles.places import played
from discreet.survey.pairs import PairCollector
from discreet.survey.questions import Question
from discreet.survey.reading import GOOD, REASONS, Reader
from discreet.survey.respondents import SurveyClient
from discreet.survey.responses import Response, survey_digest
from discreet.survey.sources import Texts, chunks, is_spark, known, plain, reader, writer
from discreet.survey.texts import TextForm, TextQuestion
from discreet.survey.waves import People, Waves, WavesEstimate
from discreet.survey.wire import TAG, VERSION, canonical

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.ledger import Ledger
    from discreet.measures import Pure

__all__ = ["Boxes", "Estimates", "Survey"]

Q = TypeVar("Q", bound=Choices | TextQuestion)

_CHUNK: Final = 1 << 16
_KEYS: Final = (
    *("epsilon", "questions", "dice"),
    *("title", "sponsor", "consent", "language", "collector", "most", "memory"),  # Of its page.
    *("waves", "people", "invitations"),  # Of whoever collects.
)
"""What a survey's file may say; a word that is none of these may be a slip, and is not passed over."""
_QUESTION_KEYS: Final = (
    *("name", "choices", "missing", "weight", "mechanism", "text", "labels", "group"),
    *("length", "hashes", "cohorts", "key"),  # Of open text.
)
_FLOATS: Final = (float, np.floating)


@final
@dataclass(frozen=True, init=False, eq=False)
class Survey:
    """Several questions to the same people: the budget is divided among them, and each gets its best mechanism.

    *weights* divides the budget in other than equal parts; *kinds* chooses mechanisms, by the name of the question.
    With *dice*, given by their sides, each gets the randomized response that they can play; see `Paper`.

    >>> s = Survey([Question("smokes", ["no", "yes"]), Question("age", ["young", "old"], missing="?")], epsilon=2)
    >>> [type(form.mechanism).__name__ for form in s.forms], s.privacy_map(1) <= 2
    (['RandomizedResponse', 'RandomizedResponse'], True)
    """

    forms: tuple[Form | TextForm, ...]
    epsilon: Fraction | float
    """The budget; infinite where a mechanism hides nothing."""
    dice: tuple[int, ...] | None
    """The sides of the dice that people roll, where they answer on paper."""

    def __init__(
        self,
        questions: Iterable[Question | TextQuestion],
        *,
        epsilon: Exact,
        weights: Mapping[str, Exact] | None = None,
        kinds: Mapping[str, type] | None = None,
        dice: Sequence[int] | None = None,
    ) -> None:
        asked = _questions(questions)
        budget = amount(epsilon)
        if budget == 0:
            raise ParameterError("epsilon", epsilon, "epsilon > 0: at 0 a report says nothing")
        names = [question.name for question in asked]
        for what, given in (("weights", weights), ("kinds", kinds)):
            if given is not None and not isinstance(given, Mapping):
                raise KindError(what, given, "a mapping from names of questions")
            if given is not None and set(given) - set(names):
                raise ParameterError(what, given, f"names of questions: {', '.join(names)}")
        shares = {name: exact((weights or {}).get(name, 1), f"weights[{name!r}]") for name in names}
        if min(shares.values()) <= 0:
            raise ParameterError("weights", weights, "weights > 0")
        total = sum(shares.values())
        parts = {name: budget * share / total for name, share in shares.items()}
        sides = _sides(dice)
        if sides is not None and kinds:
            raise ParameterError("kinds", kinds, "none beside dice, which play randomized response")
        forms = tuple(_form(q, parts[q.name], (kinds or {}).get(q.name), sides) for q in asked)
        freeze(self, forms=forms, epsilon=budget, dice=sides)

    @classmethod
    def of(cls, forms: Iterable[Form | TextForm]) -> Survey:
        """Return a survey with these mechanisms as they are; its budget is what they cost together."""
        need = "a list of forms, as question.form(mechanism) gives"
        found = tuple(listed(forms, "forms", need))
        if not all(isinstance(form, Form | TextForm) for form in found):
            raise KindError("forms", forms, need)
        _questions([form.question for form in found])
        survey = cls.__new__(cls)
        freeze(survey, forms=found, epsilon=Fraction(0), dice=None)
        cost = survey.privacy_map(1)
        freeze(survey, epsilon=cost if cost == INFINITE else Fraction(cost))
        return survey

    @property
    def names(self) -> list[str]:
        """The names of the questions."""
        return [form.question.name for form in self.forms]

    @property
    def digest(self) -> bytes:
        """The SHA-256 of the forms' digests, in order: surveys agree where all their forms do."""
        return survey_digest(form.digest for form in self.forms)

    @property
    def tag(self) -> bytes:
        """The first 16 bytes of the digest: what a response carries."""
        return self.digest[:TAG]

    def __getitem__(self, name: str) -> Form | TextForm:
        for form in self.forms:
            if isinstance(name, str) and form.question.name == name:
                return form
        raise ParameterError("question", name, f"one of {', '.join(self.names)}")

    @property
    def _choices(self) -> tuple[Form, ...]:
        """The forms of a survey without open text, or raise."""
        for form in self.forms:
            if isinstance(form, TextForm):
                raise UnsupportedError(f"{form.question.name}: open text is answered by clients; see Survey.client")
        return tuple(form for form in self.forms if isinstance(form, Form))

    def loss(self, d_in: int, /) -> Pure:
        """Return the exact loss of a person's reports on all questions: the sum."""
        return MaxDivergence().add(form.mechanism.loss(d_in) for form in self.forms)

    def privacy_map(self, d_in: int, /) -> float:
        """Return the loss of a person's reports on all questions, rounded up once."""
        return MaxDivergence().up(self.loss(d_in))

    def client(self, *, secret: bytes | None = None, most: Exact = MOST, ledger: Ledger | None = None) -> SurveyClient:
        """Return what turns a person's answers to all questions into one response; see `SurveyClient`.

        >>> s = Survey([Question("smokes", ["no", "yes"]), Question("age", ["young", "old"], missing="?")], epsilon=2)
        >>> response = s.client().report({"smokes": "no"})
        >>> boxes = s.collector()
        >>> boxes.add(response.to_bytes())
        >>> boxes["age"].n
        1
        """
        return SurveyClient(self.forms, secret=secret, most=most, ledger=ledger)

    def perturb(self, frame: Any, /, keep: Sequence[str] = ()) -> Any:
        """Return a frame of randomized answers, of the same kind: pandas, Polars or Arrow.

        It has the questions' columns and no other: *keep* names public ones that go along as they are. Randomized
        response answers with a choice; the other mechanisms with packed bytes, which collectors and `estimate` read.
        All answers are checked before a coin is tossed.
        """
        import narwhals as nw

        self._check_kept(keep)
        try:
            table = nw.from_native(frame, eager_only=True)
        except Exception:  # Whatever is wrong with it, it is no frame.
            raise KindError("frame", type(frame), "a frame of pandas or Polars, or an Arrow table") from None
        for name in (*self.names, *keep):
            known(name, table.columns)
        places = [form.question.places(_answers(table[form.question.name], form.question)) for form in self._choices]
        noisy: dict[str, Any] = {name: table[name] for name in keep}
        for form, column in zip(self._choices, places, strict=True):
            noisy[form.question.name] = form.values(form.perturb(column))
        backend = nw.get_native_namespace(table)
        series = {
            name: values if isinstance(values, nw.Series) else nw.new_series(name, values, backend=backend)
            for name, values in noisy.items()
        }
        return nw.from_dict(series, backend=backend).to_native()

    def perturb_file(
        self, source: str | os.PathLike[str], target: str | os.PathLike[str], /, keep: Sequence[str] = ()
    ) -> int:
        """Randomize the answers in a CSV or Parquet file into another; return how many people there were.

        It is read twice, a chunk at a time: all answers are checked before the first coin is tossed.
        """
        self._check_kept(keep)
        asked = self._choices
        if path_of(target, "file").suffix.lower() == ".csv":
            for form in asked:
                if form.says == "choice":
                    form.question.places_of_reports([])  # Raises where a choice would be written as a blank cell.
        rows = 0
        for _ in self._file_places(source, keep):
            pass
        with Progress("people") as progress, writer(target) as write:
            for places, kept in self._file_places(source, keep):
                noisy = {
                    form.question.name: form.column(form.perturb(p))
                    for form, p in zip(self._choices, places, strict=True)
                }
                write(dict(zip(keep, kept, strict=True)) | noisy)
                rows += len(places[0])
                progress.add(len(places[0]))
        return rows

    def _check_kept(self, keep: Sequence[str]) -> None:
        if not isinstance(keep, list | tuple) or not all(isinstance(name, str) for name in keep):
            raise KindError("keep", keep, "a list of names of columns")
        if overlap := set(keep) & set(self.names):
            raise ParameterError("keep", sorted(overlap), "columns that are not questions")

    def _file_places(
        self, source: str | os.PathLike[str], keep: Sequence[str]
    ) -> Iterator[tuple[list[NDArray[np.int64]], list[Any]]]:
        """Yield the places of the answers in a file, and the kept columns, a chunk at a time."""
        for columns in reader(source, [*keep, *self.names], _CHUNK):
            places = []
            for form, column in zip(self._choices, columns[len(keep) :], strict=True):
                question = form.question
                if isinstance(column, Texts):
                    found = question.places_of_answers(column)
                else:
                    found = question.places(_plain(plain(column), question))
                places.append(found)
            yield places, list(columns[: len(keep)])

    def collector(self, *, wave: Wave = None) -> Boxes:
        """Return empty boxes, one a question, for a wave in which each person answers once."""
        return Boxes({form.question.name: Collector(form, wave=wave) for form in self.forms})

    def collect(self, sources: Any, /, *, wave: Wave = None) -> Boxes:
        """Return boxes with the reports of a source or a list of them: paths, frames, or boxes saved as .json.

        No file is counted twice, by itself or in a box that was saved; and all of it is of one *wave*.
        """
        boxes = self.collector(wave=wave)
        for source in sources if isinstance(sources, list | tuple) else [sources]:
            if isinstance(source, str | os.PathLike) and Path(source).suffix.lower() == ".json":
                saved = Boxes.load(source)
                if any(box.seen for box in saved.values()):
                    saved.note(digest_of_file(Path(source)))
                boxes = boxes.merge(saved)
            else:
                boxes.add_many(source)
        return boxes

    def estimate(self, noisy: Any, /, *, confidence: Exact = "0.95", simultaneous: bool = False) -> Estimates:
        """Return what randomized answers say about each question; *noisy* is what `perturb` gave, or a path to it.

        >>> import pandas as pd
        >>> s = Survey([Question("smokes", ["no", "yes"])], epsilon=1)
        >>> noisy = s.perturb(pd.DataFrame({"smokes": ["no"] * 80 + ["yes"] * 20}))
        >>> est = s.estimate(noisy)
        >>> est["smokes"].n
        100
        """
        boxes = self.collector()
        boxes.add_many(noisy)
        return boxes.estimate(confidence=confidence, simultaneous=simultaneous)

    def crosstab(
        self, noisy: Any, first: str, second: str, /, *, confidence: Exact = "0.95", simultaneous: bool = False
    ) -> Crosstab:
        """Return the estimated share of each pair of choices of two questions; see `Crosstab`."""
        forms = self[first], self[second]
        if not isinstance(forms[0], Form) or not isinstance(forms[1], Form):
            raise UnsupportedError(f"{first} and {second}: open text has no choices, and no table of pairs of them")
        if first == second:
            raise ParameterError("second", second, "another question than the first")
        box = PairCollector(forms[0], forms[1])
        box.add_frame(noisy, first, second, payloads=True)
        return box.estimate(confidence=confidence, simultaneous=simultaneous)

    def to_dict(self) -> dict[str, Any]:
        """Return the survey as plain values, for JSON."""
        forms = [form.to_dict() for form in self.forms]
        questions = [form["question"] | {"mechanism": form["mechanism"]} for form in forms]
        rolled = {} if self.dice is None else {"dice": list(self.dice)}
        return {"epsilon": str(self.epsilon), "questions": questions} | rolled  # An infinite one is written as "inf".

    @classmethod
    def from_dict(cls, data: Any, /) -> Survey:
        """Return the survey that `to_dict` wrote, or that a person wrote: a mechanism may be left out, and is chosen.

        >>> s = Survey.from_dict({"epsilon": 1, "questions": [{"name": "smokes", "choices": ["no", "yes"]}]})
        >>> Survey.from_dict(s.to_dict()).forms == s.forms
        True
        """
        if not isinstance(data, Mapping) or (data and not set(data) & set(_KEYS)):  # Data, perhaps: no key is shown.
            raise KindError("survey", data, "a mapping with epsilon and questions")
        if strange := [key for key in data if key not in _KEYS]:
            raise none_of("key of a survey", strange[0], _KEYS)
        for key, need in (("epsilon", "epsilon = 2, say"), ("questions", "[[questions]], each with name and choices")):
            if key not in data:
                raise ParameterError("survey", f"no {key}", need)
        items = data["questions"]
        if not isinstance(items, list) or not all(isinstance(item, Mapping) for item in items):
            need = "a list of mappings with name and choices; in TOML, [[questions]] before each"
            raise KindError("questions", items, need)
        if strange := [key for each in items for key in each if key not in _QUESTION_KEYS]:
            raise none_of("key of a question", strange[0], _QUESTION_KEYS)
        questions = [_read_question(item) for item in items]
        chosen = [item.get("mechanism") for item in items]
        weights = {q.name: item["weight"] for q, item in zip(questions, items, strict=True) if "weight" in item}
        dice = _sides(data.get("dice"))
        if not any(isinstance(each, Mapping) for each in chosen):
            kinds = {
                q.name: kind_named(name, _BUDGETED).of
                for q, name in zip(questions, chosen, strict=True)
                if name is not None
            }
            return cls(questions, epsilon=data["epsilon"], weights=weights, kinds=kinds, dice=dice)
        if not all(isinstance(each, Mapping) for each in chosen):
            raise ParameterError("questions", items, "a mechanism's numbers for each question, or for none")
        forms = [_rebuilt(q, each) for q, each in zip(questions, chosen, strict=True)]
        survey = cls.of(forms)
        freeze(survey, dice=dice)
        if survey.epsilon == INFINITE and data["epsilon"] == "inf":
            return survey
        budget = amount(data["epsilon"])
        if not MaxDivergence().allows(survey.loss(1), budget):
            raise ParameterError(
                "epsilon", data["epsilon"], f"at least {survey.privacy_map(1)}, what the mechanisms cost"
            )
        freeze(survey, epsilon=budget)
        return survey

    def to_json(self) -> str:
        """Return what clients in other languages read: all forms, in order, and the survey's digest, as JSON.

        >>> s = Survey([Question("smokes", ["no", "yes"])], epsilon=1)
        >>> import json
        >>> data = json.loads(s.to_json())
        >>> sorted(data), data["survey"] == s.digest.hex(), data["forms"] == [s.forms[0].to_dict()]
        (['discreet', 'forms', 'survey'], True, True)
        """
        forms = [form.to_dict() for form in self.forms]
        return canonical({"discreet": VERSION, "survey": self.digest.hex(), "forms": forms}).decode()

    def save(self, path: str | os.PathLike[str], /) -> None:
        """Write the survey, with its mechanisms, to a file of JSON: what clients and collectors must share."""
        write_json(path, "survey", self.to_dict())

    @classmethod
    def load(cls, path: str | os.PathLike[str], /) -> Survey:
        """Read a survey from what `save` wrote, or from JSON or TOML written by hand."""
        if (place := path_of(path)).suffix.lower() == ".toml":
            return cls.from_dict(read_toml(place, float))
        return cls.from_dict(read_json(path, "survey", checked=False))

    def __str__(self) -> str:
        lines = [
            f"  {form.question.name}: {_kind(form)}, {type(form.mechanism).__name__}, "
            f"epsilon {written(form.mechanism.privacy_map(1), up=True)}"
            for form in self.forms
        ]
        return "\n".join(
            [f"a survey of {len(self.forms)} questions within epsilon {written(self.epsilon, up=True)}", *lines]
        )

    __repr__ = __str__


@final
@dataclass(frozen=True, eq=False)
class Boxes(Mapping[str, Collector]):
    """The boxes of a survey, one a question, by its name."""

    boxes: dict[str, Collector]

    def add(self, response: Response | bytes | str, /) -> None:
        """Add one person's response: a Response, its bytes, its JSON or its code; to all boxes or to none.

        One that is refused is counted as such in each box, and raises ReportError.

        >>> survey = Survey([Question("smokes", ["no", "yes"]), Question("drinks", ["no", "yes"])], epsilon=2)
        >>> boxes = survey.collector()
        >>> boxes.add(Response(survey.tag, (bytes([1]), bytes([0]))))
        >>> boxes
        <boxes: smokes: 1 reports, drinks: 1 reports>
        """
        gatherer = self._gatherer
        try:
            payloads = gatherer.response(response).payloads
            rows = [Reader(form).bare(payload) for form, payload in zip(gatherer.forms, payloads, strict=True)]
        except ReportError as error:
            self._take(self._refusals({error.reason: 1}))
            raise
        self._take(self._parts([np.frombuffer(row, np.uint8)[None, :] for row in rows]))

    @property
    def _gatherer(self) -> Gatherer:
        return Gatherer(tuple(box.form for box in self.boxes.values()))

    def _empty(self) -> dict[str, Collector]:
        return {name: Collector(box.form, wave=box.wave) for name, box in self.boxes.items()}

    def _parts(self, rows: Sequence[NDArray[np.uint8]]) -> dict[str, Collector]:
        """Return boxes with the payloads of each question, which are known to be good."""
        parts = self._empty()
        for part, payloads in zip(parts.values(), rows, strict=True):
            part.count(payloads)
        return parts

    def _refusals(self, reasons: Mapping[str, int]) -> dict[str, Collector]:
        """Return boxes in which so many responses were refused, in each."""
        parts = self._empty()
        for part in parts.values():
            for reason, times in reasons.items():
                part.refuse(reason, times)
        return parts

    def add_many(self, noisy: Any, /) -> dict[str, Tally]:
        """Add many people's randomized answers: what `Survey.perturb` gave, a path, Arrow, or a Spark frame.

        Or responses: rows of bytes, a list of what `add` takes, or a path that ends in .txt, of a file with a code a
        line. A response is refused as a whole, and counted as such in each box.

        A file is counted once; and whatever goes wrong, all of it is added or nothing.
        """
        boxes = list(self.boxes.values())
        parts = list(self._empty().values())
        if is_spark(noisy):
            for name, part in zip(self.boxes, parts, strict=True):
                part.add_many(noisy, column=name, payloads=True)
        else:
            with Progress("people") as progress:
                for source in pieces(noisy, boxes, parts):
                    for chunk in _responses(source):
                        _gather(self._gatherer, chunk, parts)
                        progress.add(len(chunk))
                    for columns in () if _is_gathered(source) else chunks(source, list(self.boxes), _CHUNK):
                        for part, column in zip(parts, columns, strict=True):
                            part.add_chunk(column, payloads=True)
                        progress.add(len(columns[0]))
        return self._take(dict(zip(self.boxes, parts, strict=True)))

    def add_counts(self, counts: Mapping[str, Mapping[Any, int]], /) -> None:
        """Add reports that were counted by hand, by question and choice: all of them or none."""
        if not isinstance(counts, Mapping) or not set(counts) <= set(self.boxes):
            need = f"a mapping from questions to counts of their choices: {', '.join(self.boxes)}"
            raise KindError("counts", counts, need)
        parts = self._empty()
        for name, ticks in counts.items():
            parts[name].add_counts(ticks)
        self._take(parts)

    def _take(self, parts: Mapping[str, Collector]) -> dict[str, Tally]:
        """Add what other boxes hold to each box, or to none."""
        with TAKING:
            before = {name: box.held for name, box in self.boxes.items()}
            try:
                return {name: box.take(parts[name]) for name, box in self.boxes.items()}
            except BaseException:
                for name, box in self.boxes.items():
                    box.held = before[name]
                raise

    def note(self, digest: str, /) -> None:
        """Remember in each box that a file was counted, by its digest."""
        for box in self.boxes.values():
            box.note(digest)

    def merge(self, *others: Boxes) -> Boxes:
        """Return new boxes with the reports of these and of others of the same survey."""
        self._check(others)
        return Boxes({name: box.merge(*(other[name] for other in others)) for name, box in self.boxes.items()})

    def estimate(
        self,
        *others: Boxes,
        people: People | None = None,
        confidence: Exact = "0.95",
        simultaneous: bool = False,
    ) -> Estimates:
        """Return what the reports say about each question that has some; with boxes of *others*, over all these waves.

        Open text has no estimate by itself: its box finds candidates, with `decode`.

        Then *people* says whether the same people may be in several waves, or different ones are in each; see `Waves`.
        """
        if not others and people is None:
            asked = {name: box for name, box in self.boxes.items() if isinstance(box.form, Form)} or self.boxes
            told = {name: box for name, box in asked.items() if box.n} or asked
            found = {n: b.estimate(confidence=confidence, simultaneous=simultaneous) for n, b in told.items()}
            return Estimates(dict(found))
        self._check(others)
        if people is None:
            raise ParameterError("people", people, '"same" or "different": whether people may be in several waves')
        waves = {name: Waves([each[name] for each in (self, *others)], people=people) for name in self}
        return Estimates({n: w.estimate(confidence=confidence, simultaneous=simultaneous) for n, w in waves.items()})

    def _check(self, others: Iterable[Boxes]) -> None:
        for other in others:
            if not isinstance(other, Boxes) or set(other) != set(self):
                raise MismatchError("need boxes of the same survey")

    def save(self, path: str | os.PathLike[str], /) -> None:
        """Write the boxes to a file of JSON, whole or not at all."""
        write_json(path, "boxes", {"boxes": [box.to_dict() for box in self.boxes.values()]})

    @classmethod
    def load(cls, path: str | os.PathLike[str], /) -> Boxes:
        """Return the boxes that `save` wrote; a file that is damaged, or another program's, is refused."""
        found = read_json(path, "boxes").get("boxes")
        if not isinstance(found, list):
            raise ParameterError("path", str(path), "a file of boxes")
        boxes = [Collector.from_dict(data) for data in found]
        if not boxes or len({box.form.question.name for box in boxes}) < len(boxes):
            raise ParameterError("path", str(path), "boxes of questions with distinct names")
        if len({box.wave for box in boxes}) > 1:
            raise ParameterError("path", str(path), "boxes of one wave")
        return cls({box.form.question.name: box for box in boxes})

    def __getitem__(self, name: str) -> Collector:
        if isinstance(name, str) and name in self.boxes:
            return self.boxes[name]
        raise KeyError(show(name, entries=False))

    def __iter__(self) -> Iterator[str]:
        return iter(self.boxes)

    def __len__(self) -> int:
        return len(self.boxes)

    def __repr__(self) -> str:
        return f"<boxes: {', '.join(repr(box)[1:-1] for box in self.boxes.values())}>"


@final
@dataclass(frozen=True, eq=False)
class Estimates(Mapping[str, Estimate | WavesEstimate]):
    """The estimates of a survey, one a question, by its name."""

    estimates: dict[str, Estimate | WavesEstimate] = field(repr=False)

    def __getitem__(self, name: str) -> Any:
        if isinstance(name, str) and name in self.estimates:
            return self.estimates[name]
        raise KeyError(show(name, entries=False))

    def __iter__(self) -> Iterator[str]:
        return iter(self.estimates)

    def __len__(self) -> int:
        return len(self.estimates)

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary a choice of each question."""
        return [{"question": name} | row for name, estimate in self.items() for row in estimate.to_rows()]

    def to_dict(self) -> dict[str, Any]:
        """Return the estimates as plain values, for JSON, with what is to be said of each question."""
        facts = {}
        for name, found in self.items():
            misfit = {"p": found.misfit.p, "implausible": found.misfit.implausible}
            facts[name] = {"reports": found.n, "refused": found.refused, "misfit": misfit}
        return {"questions": facts, "estimates": self.to_rows()}

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the survey as a page: one HTML file that loads nothing; with a *path*, also write it there.

        >>> s = Survey([Question("smokes", ["no", "yes"]), Question("drinks", ["no", "yes"])], epsilon=2)
        >>> import pandas as pd
        >>> noisy = s.perturb(pd.DataFrame({"smokes": ["no", "yes"] * 50, "drinks": ["no"] * 100}))
        >>> "<h1>A survey of 2 questions</h1>" in s.estimate(noisy).to_html()
        True
        """
        return page_of(self).to_html(path)

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.estimates.values()))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return "\n".join(estimate._repr_html_() for estimate in self.estimates.values())


def _questions(questions: Iterable[Q]) -> list[Q]:
    found = listed(questions, "questions", "a list of questions")
    if not found or not all(isinstance(question, Choices | TextQuestion) for question in found):
        raise KindError("questions", questions, "a list of questions")
    names = [question.name for question in found]
    if len(set(names)) < len(names):
        raise ParameterError("questions", names, "questions with distinct names")
    return found


_BUDGETED: Final = {name: kind for name, kind in KINDS.items() if kind.budgeted}


def _is_gathered(source: Any) -> bool:
    return is_codes(source) or is_responses(source)


def _responses(source: Any) -> Iterable[Any]:
    """Yield the responses of a source in chunks; nothing where it has columns instead."""
    if is_codes(source):
        return codes_of(source, _CHUNK)
    return (source[i : i + _CHUNK] for i in range(0, len(source), _CHUNK)) if is_responses(source) else ()


def _gather(gatherer: Gatherer, chunk: Any, parts: Sequence[Collector]) -> None:
    """Add responses to boxes, each to all of them or, refused, to none."""
    rows, why = gatherer.read(chunk)
    found = np.bincount(why, minlength=len(REASONS)).tolist()
    for part, payloads in zip(parts, rows, strict=True):
        part.count(payloads[why == GOOD])
        for reason, times in zip(REASONS[1:], found[1:], strict=True):
            part.refuse(reason, times)


def _sides(dice: Any) -> tuple[int, ...] | None:
    """Return the sides of dice, or raise."""
    if dice is None:
        return None
    if not isinstance(dice, list | tuple) or not dice or not all(type(side) is int and side > 1 for side in dice):
        raise KindError("dice", dice, "a list of their sides, such as [6, 6]")
    return tuple(dice)


def _form(
    question: Question | TextQuestion, epsilon: Fraction, kind: type | None, dice: tuple[int, ...] | None
) -> Form | TextForm:
    """Return the form of a question within its part of the budget."""
    if isinstance(question, Question):
        return question.form(_mechanism(question, epsilon, kind, dice))
    if kind is not None or dice is not None:
        raise ParameterError("questions", question.name, "no open text beside kinds or dice, which are for choices")
    return question.form(question.mechanism(epsilon=epsilon))


def _read_question(item: Any) -> Question | TextQuestion:
    """Return the question that plain values are: one of open text has a *length*, the bits of its filter."""
    return TextQuestion.from_dict(item) if TextForm.key in item else Question.from_dict(item)


def _rebuilt(question: Question | TextQuestion, mechanism: Any) -> Form | TextForm:
    if isinstance(question, Question):
        return Form.rebuilt(question, mechanism)
    return TextForm.from_dict({"question": question.to_dict(), "mechanism": mechanism})


def _kind(form: Form | TextForm) -> str:
    return f"{len(form.question)} choices" if isinstance(form, Form) else "open text"


def _mechanism(
    question: Question, epsilon: Fraction, kind: type | None, dice: tuple[int, ...] | None
) -> LocalMechanism:
    """Return the best mechanism for a question within its part of the budget, or of the kind or dice asked for."""
    if dice is not None:
        return played(question.categories, epsilon, dice)
    if kind is None:
        return question.plan(epsilon=epsilon).mechanism
    for oracle in _BUDGETED.values():
        if oracle.of is kind:
            made: LocalMechanism = oracle.within(question.categories, epsilon)
            return made
    raise ParameterError("kinds", kind, f"one of {', '.join(sorted(_BUDGETED))}")


def _answers(series: Any, question: Choices) -> Any:
    """Return a column of answers as an array or a list."""
    if series.dtype.is_integer() and not series.is_null().any():
        return series.to_numpy()
    return _plain(series.to_list(), question)


def _plain(answers: Any, question: Choices) -> Any:
    """Return answers, with whole floats as integers where the choices are: frames make floats of integers with gaps."""
    if isinstance(answers, np.ndarray):
        return answers
    if any(isinstance(v, _FLOATS) for v in answers) and any(type(choice) is int for choice in question.choices):
        return [int(v) if isinstance(v, _FLOATS) and v.is_integer() else v for v in answers]
    return answers
