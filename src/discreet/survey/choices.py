"""Choices: what may be answered, and the place of each answer. What a question is, below all that is done with it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self

import numpy as np

from discreet.domains import Categories
from discreet.errors import DomainError, KindError, ParameterError
from discreet.frozen import freeze

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Choices", "is_missing"]

_MOST: Final = 1 << 53
_PAIR: Final = re.compile("[\ud800-\udbff][\udc00-\udfff]")


@dataclass(frozen=True, slots=True, init=False)
class Choices:
    """A name and a list of choices: what forms, clients and collectors know of a `Question`.

    >>> q = Choices("smokes", ["never", "sometimes", "daily"], missing="no answer")
    >>> q.places(["daily", None, "never"])
    array([2, 3, 0])
    """

    front: ClassVar[type[Choices]]
    """What files are read into: `Question`, which rests on everything that rests on this class."""

    name: str
    choices: tuple[Any, ...] = field(compare=False)  # 0 and False are equal, and two choices all the same.
    missing: Any
    categories: Categories
    """The choices, and the missing one after them."""

    def __init__(self, name: str, choices: Iterable[Any], missing: Any = None) -> None:
        if not isinstance(name, str):
            raise KindError("name", name, "a text")
        if not name.strip():
            raise ParameterError("name", name, "a text that is not blank")
        _check_kinds("name", (name,))
        listed = Categories(choices, "choices").values
        _check_kinds("choices", listed)
        if missing is not None:
            _check_kinds("missing", (missing,))
        categories = Categories(listed if missing is None else (*listed, missing), "choices and missing")
        if len(categories) < 2:
            raise ParameterError("choices", choices, "at least two choices, of which missing= may be one")
        freeze(self, name=name, choices=listed, missing=missing, categories=categories)

    def __init_subclass__(cls) -> None:
        Choices.front = cls

    def __len__(self) -> int:
        return len(self.categories)

    def places(self, answers: Sequence[Any] | NDArray[Any], /) -> NDArray[np.int64]:
        """Return the place of each answer among the choices, or raise DomainError, which does not show the answer."""
        places = self.categories.places(answers)
        if places.size and int(places.min()) < 0:
            if self.missing is not None:
                flat = answers.ravel() if isinstance(answers, np.ndarray) else answers
                for i in np.flatnonzero(places < 0).tolist():
                    if is_missing(flat[i]):
                        places[i] = len(self) - 1
            if int(places.min()) < 0:
                raise DomainError(self.foreign())
        return places

    def foreign(self) -> str:
        """Return the message for an answer that is not one of the choices; it shows the choices, not the answer."""
        values = [repr(value) for value in self.categories.values]
        shown = ", ".join(values if len(values) <= 8 else [*values[:7], f"... ({len(values)} choices)"])
        hint = "" if self.missing is not None else '; give the question missing="no answer" to accept None'
        return f"{self.name}: an answer is not one of {shown}{hint}"

    def places_of_texts(self, texts: Sequence[str], /) -> NDArray[np.int64]:
        """Return the place of each choice that a text stands for, as in a CSV file, or -1.

        >>> Choices("age", [10, 20], missing="unknown").places_of_texts(["20", "", "10.0", "30"])
        array([ 1, -1,  0, -1])
        """
        table = {str(choice): i for i, choice in enumerate(self.categories.values)}
        if len(table) < len(self):
            raise ParameterError("choices", self.choices, "choices that differ as text")
        for i, choice in enumerate(self.categories.values):
            if type(choice) is int:  # Frames write a column of whole numbers with gaps as floats.
                table.setdefault(f"{choice}.0", i)
        return np.fromiter((table.get(text, -1) for text in texts), np.int64, len(texts))

    def places_of_reports(self, texts: Sequence[str], /) -> NDArray[np.int64]:
        """Return the place of each randomized answer that a text stands for, or -1; a blank one is a lost report.

        >>> Choices("age", [10, 20], missing="unknown").places_of_reports(["20", "", "unknown"])
        array([ 1, -1,  2])
        """
        if "" in map(str, self.categories.values):
            raise ParameterError(
                "choices", self.choices, "no blank choice: a blank cell of a CSV file is a lost report"
            )
        return self.places_of_texts(texts)

    def places_of_answers(self, texts: Sequence[str], /) -> NDArray[np.int64]:
        """Return the place of each true answer that a text stands for, or raise DomainError; a blank one is missing.

        Only a true answer that is blank is missing. Among randomized answers it is a report that was lost.

        >>> Choices("age", [10, 20], missing="unknown").places_of_answers(["20", "", "10.0"])
        array([1, 2, 0])
        """
        places = self.places_of_texts(texts)
        if self.missing is not None:
            for i in np.flatnonzero(places < 0).tolist():
                if not texts[i]:
                    places[i] = len(self) - 1
        if places.size and int(places.min()) < 0:
            raise DomainError(self.foreign())
        return places

    def to_dict(self) -> dict[str, Any]:
        """Return the question as plain values, for JSON.

        >>> q = Choices("age", [10, 20])
        >>> q.to_dict(), Choices.from_dict(q.to_dict()) == q
        ({'name': 'age', 'choices': [10, 20], 'missing': None}, True)
        """
        return {"name": self.name, "choices": list(self.choices), "missing": self.missing}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], /) -> Self:
        """Return the question that `to_dict` wrote."""
        if not isinstance(data, Mapping) or not {"name", "choices"} <= set(data):
            raise KindError("question", data, "a mapping with name, choices and, if any, missing")
        return cls(data["name"], data["choices"], data.get("missing"))

    def __repr__(self) -> str:
        missing = "" if self.missing is None else f", missing={self.missing!r}"
        return f"{type(self).__name__}({self.name!r}, {list(self.choices)!r}{missing})"


def _check_kinds(name: str, values: tuple[Any, ...]) -> None:
    if not all(type(value) in (str, int, bool) for value in values):
        raise KindError(name, values, "text, whole numbers or booleans, which every machine writes alike")
    if not all(type(value) is not int or abs(value) < _MOST for value in values):
        raise ParameterError(name, values, "whole numbers between -2**53 and 2**53, which every browser keeps apart")
    if any(type(value) is str and _PAIR.search(value) for value in values):
        raise ParameterError(name, values, "texts whose characters are whole: two halves are written as one character")


def is_missing(answer: Any) -> bool:
    """Whether an answer is None, NaN, or what frames put in the place of a value."""
    if answer is None or type(answer).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(answer, float | np.floating) and bool(np.isnan(answer))
