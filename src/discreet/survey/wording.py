"""Wording: what people read on a survey's page, in one language or several. It is no part of what is asked.

A form's digest is of the question's name, its choices and the mechanism. Texts may be mended, or translated, and the
reports of before and after are counted together.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final, final

from discreet.errors import KindError, ParameterError, one_of
from discreet.frozen import freeze
from discreet.survey.forms import AnyForm, Form

__all__ = [
    "LANGUAGES",
    "Asking",
    "Wording",
    "check_names",
    "choice_labels",
    "fixed_texts",
    "question_text",
    "said_in",
]

_LONGEST: Final = 5000


@cache
def fixed_texts() -> dict[str, dict[str, str]]:
    """Return what the page itself says, by language."""
    text = resources.files("discreet.survey").joinpath("poll_texts.json").read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = json.loads(text)
    return found


LANGUAGES: Final = ("en", "de", "fr", "es", "ar")

Said = str | Mapping[str, str]
"""A text, or one for each of some languages."""


@final
@dataclass(frozen=True, slots=True, init=False)
class Asking:
    """How a question is asked: its *text*, the *labels* of its choices in their order, and the *group* it is in.

    Questions of one group are shown as boxes to tick below one text; each has the choices false and true.
    """

    text: Mapping[str, str]
    labels: Mapping[str, tuple[str, ...]]
    group: Mapping[str, str]

    def __init__(self, text: Said = "", labels: Any = (), group: Said = "") -> None:
        told = labels if isinstance(labels, Mapping) else {"": labels}
        for code, listed in told.items():
            if not isinstance(listed, list | tuple) or not all(isinstance(each, str) for each in listed):
                raise KindError("labels", labels, "a list of texts, or a mapping from languages to them")
            if code:
                one_of("language", code, LANGUAGES)
        found = {code: tuple(_checked("labels", each) for each in listed) for code, listed in told.items()}
        freeze(self, text=_said("text", text), labels=found, group=_said("group", group))


@final
@dataclass(frozen=True, slots=True, init=False)
class Wording:
    """What people read: *title*, the *sponsor*'s words, *consent*, and how each question is asked, by its name.

    Each text is one for all languages, or a mapping from languages: en, de, fr, es, ar. *language* is the first that
    is shown; people can switch to the others in which all such texts are.

    >>> wording = Wording(title={"en": "Smoking", "de": "Rauchen"}, questions={"smokes": Asking("Do you smoke?")})
    >>> wording.languages
    ('en', 'de')
    """

    title: Mapping[str, str]
    sponsor: Mapping[str, str]
    consent: Mapping[str, str]
    language: str
    questions: Mapping[str, Asking]

    def __init__(
        self,
        *,
        title: Said = "",
        sponsor: Said = "",
        consent: Said = "",
        language: str = "en",
        questions: Mapping[str, Asking] | None = None,
    ) -> None:
        asked = {} if questions is None else questions
        if not isinstance(asked, Mapping) or not all(isinstance(each, Asking) for each in asked.values()):
            raise KindError("questions", type(questions), "a mapping from names of questions to Asking")
        texts = {"title": _said("title", title), "sponsor": _said("sponsor", sponsor)}
        freeze(self, **texts, consent=_said("consent", consent), questions=dict(asked))
        freeze(self, language=one_of("language", language, LANGUAGES))

    @classmethod
    def from_dict(cls, data: Any, /) -> Wording:
        """Return the wording in a survey's file: title, sponsor, consent, language; text, labels, group of questions.

        >>> item = {"name": "smokes", "choices": ["no", "yes"], "text": "Do you smoke?", "labels": ["No", "Yes"]}
        >>> Wording.from_dict({"epsilon": 1, "title": "Habits", "questions": [item]}).questions["smokes"].text
        {'': 'Do you smoke?'}
        """
        if not isinstance(data, Mapping) or not isinstance(data.get("questions"), list):
            raise KindError("survey", type(data), "a mapping with epsilon and questions")
        items = [item for item in data["questions"] if isinstance(item, Mapping) and isinstance(item.get("name"), str)]
        asked = {
            item["name"]: Asking(**{k: item[k] for k in ("text", "labels", "group") if k in item}) for item in items
        }
        given = {key: data[key] for key in ("title", "sponsor", "consent", "language") if key in data}
        return cls(**given, questions=asked)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages that the page can be shown in, the first one first: those of every text that names some."""
        told: list[Mapping[str, Any]] = [self.title, self.sponsor, self.consent]
        told += [each for asking in self.questions.values() for each in (asking.text, asking.labels, asking.group)]
        named = [set(each) for each in told if each and "" not in each]
        common = set.intersection(*named) if named else {self.language}
        return (self.language, *(code for code in LANGUAGES if code in common and code != self.language))


def said_in(told: Mapping[str, Any], language: str, first: str, /) -> Any:
    """Return a text in a language; in the *first* one where it is not in that."""
    return told.get(language, told.get("", told.get(first, next(iter(told.values()), ""))))


def question_text(wording: Wording, form: AnyForm, /) -> str:
    """Return how a question is asked, in the wording's first language; its name where nothing is said."""
    asking = wording.questions.get(form.question.name)
    return (said_in(asking.text, wording.language, wording.language) if asking else "") or form.question.name


def choice_labels(wording: Wording, form: Form, /) -> dict[Any, str]:
    """Return the labels of a question's choices, where it has some; the missing choice may be without."""
    asking = wording.questions.get(form.question.name)
    labels = said_in(asking.labels, wording.language, wording.language) if asking else ()
    return dict(zip(form.question.categories.values, labels, strict=False))


def _said(name: str, told: Any) -> dict[str, str]:
    """Return a text by language; the blank one stands for all."""
    if isinstance(told, str):
        return {"": _checked(name, told)} if told.strip() else {}
    if not isinstance(told, Mapping) or not told or not all(isinstance(text, str) for text in told.values()):
        raise KindError(name, type(told), "a text, or a mapping from languages to texts")
    return {one_of("language", code, LANGUAGES): _checked(name, text) for code, text in told.items()}


def _checked(name: str, text: str) -> str:
    if len(text) > _LONGEST:
        raise ParameterError(name, f"{len(text)} characters", f"at most {_LONGEST} characters")
    return text


def check_names(wording: Wording, names: Iterable[str], counts: Sequence[int], missing: Sequence[bool], /) -> None:
    """Raise unless the wording fits questions with these names and so many choices, the missing one counted."""
    listed = list(names)
    for name, asking in wording.questions.items():
        if name not in listed:
            raise ParameterError("questions", name, f"one of {', '.join(listed)}")
        place = listed.index(name)
        for labels in asking.labels.values():
            if labels and len(labels) not in {counts[place], counts[place] - missing[place]}:
                raise ParameterError(
                    "labels", len(labels), f"a label for each of the {counts[place]} choices of {name}"
                )
