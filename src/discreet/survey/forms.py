"""Forms: what a client and a collector must agree on. A question, and the mechanism that randomizes its answers.

A form's digest travels with each report. What its reports are, the oracle of its mechanism knows.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self, final

import numpy as np

from discreet.errors import KindError, MismatchError, ParameterError, ReportError, UnsupportedError
from discreet.frozen import freeze
from discreet.survey.choices import Choices
from discreet.survey.oracles import LocalMechanism, Oracle, kind_named, oracle_of
from discreet.survey.oracles.base import Says
from discreet.survey.wire import TAG, digest_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.exact import Exact

__all__ = ["AnyForm", "Form", "form_of", "parts_of"]

_KINDS: dict[str, type[AnyForm]] = {}
"""The kinds of forms, by a key of their questions in files that no other kind has."""


class AnyQuestion(Protocol):
    """What every question has."""

    @property
    def name(self) -> str:
        """What it is called."""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values."""


class AnyForm(ABC):
    """What a collector knows of a form, whatever is asked. A subclass is registered by its *key*."""

    __slots__ = ()

    key: ClassVar[str]
    question: AnyQuestion
    mechanism: LocalMechanism
    oracle: Oracle[Any]
    digest: bytes

    def __init_subclass__(cls) -> None:
        _KINDS[cls.key] = cls

    @property
    def tag(self) -> bytes:
        """The first 16 bytes of the digest: what a report carries."""
        return self.digest[:TAG]

    @property
    @abstractmethod
    def says(self) -> Says:
        """What a payload says by itself."""

    @property
    @abstractmethod
    def width(self) -> int:
        """The number of bytes of a report, its header not counted."""

    @property
    @abstractmethod
    def size(self) -> int:
        """How many counters a collector keeps."""

    @abstractmethod
    def valid(self, rows: NDArray[np.uint8], /) -> NDArray[np.bool_]:
        """Return which rows of bytes are payloads that the mechanism can give."""

    @abstractmethod
    def plausible(self, rows: NDArray[np.uint8], /) -> NDArray[np.bool_]:
        """Return which rows have a weight that honest reports have, except with probability 1e-12 each."""

    @abstractmethod
    def possible(self, n: int, counts: Sequence[int], /) -> bool:
        """Whether *n* reports can give these counts."""

    @abstractmethod
    def count(self, rows: NDArray[np.uint8], /) -> NDArray[np.int64]:
        """Return what a collector counts of some payloads."""

    @abstractmethod
    def payload_of(self, said: Any, /) -> bytes:
        """Return the payload of a report given as what it says, or raise ReportError."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the form as plain values, for JSON."""

    @classmethod
    @abstractmethod
    def from_dict(cls, data: Mapping[str, Any], /) -> Self:
        """Return the form that `to_dict` wrote."""

    def decode(self, counts: NDArray[np.int64], candidates: Iterable[str], *, confidence: Exact = "0.95") -> Any:
        """Refuse: only forms of open text are decoded."""
        raise UnsupportedError(f"{self.question.name}: a question with choices has no texts; use estimate()")


def form_of(data: Any, /) -> AnyForm:
    """Return the form that any form's `to_dict` wrote."""
    asked = parts_of(data)[0]
    kinds = [kind for key, kind in _KINDS.items() if key in asked]
    return (kinds or [Form])[0].from_dict(data)


def parts_of(data: Any, /) -> tuple[Any, Any]:
    """Return the question and the mechanism of a form, as plain values."""
    if not isinstance(data, Mapping) or not {"question", "mechanism"} <= set(data):
        raise KindError("form", data, "a mapping with a question and a mechanism")
    return data["question"], data["mechanism"]


@final
@dataclass(frozen=True, slots=True, init=False)
class Form(AnyForm):
    """A question with choices and the mechanism that randomizes its answers.

    >>> from discreet import SubsetSelection
    >>> from discreet.survey import Question
    >>> q = Question("smokes", ["never", "sometimes", "daily"])
    >>> form = q.form(SubsetSelection.within(epsilon=1, categories=q.categories))
    >>> form.tag.hex(), form.width
    ('7405bb1c06d1bb585241b9ad1b642174', 1)
    """

    key: ClassVar[str] = "choices"

    question: Choices
    mechanism: LocalMechanism
    oracle: Oracle[Any] = field(compare=False)
    digest: bytes
    """The SHA-256 of the form's canonical JSON: forms agree where all of it does."""

    def __init__(self, question: Choices, mechanism: LocalMechanism) -> None:
        if not isinstance(question, Choices):
            raise KindError("question", question, "a Question")
        oracle = oracle_of(mechanism)
        if need := oracle.needed(question.categories):
            raise MismatchError(f"{question.name} and {type(mechanism).__name__}: need {need}")
        digest = digest_of(question.to_dict(), oracle.described(oracle.given(question.categories)))
        freeze(self, question=question, mechanism=mechanism, oracle=oracle, digest=digest)

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """The probabilities (p, q) that a report supports the truth, and that it supports any one other choice."""
        return self.oracle.support

    @property
    def says(self) -> Says:
        """What a payload says by itself."""
        return self.oracle.says

    @property
    def width(self) -> int:
        """The number of bytes of a report, its header not counted."""
        return self.oracle.width

    @property
    def size(self) -> int:
        """How many counters a collector keeps: one a choice."""
        return len(self.question)

    def perturb(self, places: NDArray[np.int64], /) -> NDArray[np.uint8]:
        """Return a randomized report for each answer, given by its place: one row of `width` bytes each."""
        return self.oracle.perturb(places)

    def valid(self, rows: NDArray[np.uint8], /) -> NDArray[np.bool_]:
        """Return which rows of bytes are reports that this form's mechanism can give."""
        return self.oracle.valid(rows)

    def plausible(self, rows: NDArray[np.uint8], /) -> NDArray[np.bool_]:
        """Return which rows have a weight that honest reports have, except with probability 1e-12 each."""
        return self.oracle.plausible(rows)

    def supported(self, rows: NDArray[np.uint8], /) -> NDArray[np.bool_]:
        """Return which choices each report supports: one row of booleans each."""
        return self.oracle.supported(rows)

    def count(self, rows: NDArray[np.uint8], /) -> NDArray[np.int64]:
        """Return how many of the reports support each choice."""
        return self.oracle.count(rows)

    def possible(self, n: int, counts: Sequence[int], /) -> bool:
        """Whether *n* reports can support the choices so many times.

        They can only if no choice has more than n and the sum is that of n reports. For sets of one size, or of any,
        that is enough: dealt out in turn, one choice after the other, each report gets distinct choices, and as many as
        any other or one more.

        >>> from discreet import RandomizedResponse
        >>> from discreet.survey import Question
        >>> q = Question("smokes", ["never", "daily"])
        >>> form = q.form(RandomizedResponse(categories=q.categories, prob="3/4"))
        >>> form.possible(3, [1, 2]), form.possible(3, [1, 1])
        (True, False)
        """
        least, most = self.oracle.weights
        return min(counts) >= 0 and max(counts) <= n and least * n <= sum(counts) <= most * n

    def payload_of(self, said: Any, /) -> bytes:
        """Return the payload of a report given as what it says: a choice, or the choices that it supports."""
        choices = [said]
        if self.says != "choice":
            if not isinstance(said, tuple | list | set | frozenset):
                raise ReportError("not a report", "need a Report, its bytes, its JSON, or the choices that it supports")
            choices = list(said)
        places = [self._place(choice) for choice in choices]
        if min(places, default=0) < 0 or len(set(places)) < len(places):
            raise ReportError("not a choice", "need one of the choices, or distinct ones")
        supported = np.zeros((1, self.size), np.bool_)
        supported[0, places] = True
        return self.oracle.written(supported).tobytes()

    def _place(self, choice: Any) -> int:
        """Return the place of a choice, or of the one that a text stands for; -1 for any other."""
        place = self.question.categories.index(choice)
        if place < 0 and isinstance(choice, str) and choice and self._written[0] != self.question.choices[0]:
            place = int(self.question.places_of_texts([choice])[0])
        return place

    @property
    def _written(self) -> tuple[Any, ...]:
        """The choices as a column can hold them: as text, where they are of several types."""
        values = self.question.categories.values
        if len(set(map(type, values))) == 1:
            return values
        self.question.places_of_texts([])  # Raises unless the texts tell them apart.
        return tuple(map(str, values))

    def values(self, rows: NDArray[np.uint8], /) -> list[Any]:
        """Return payloads as a column of plain values: choices, or bytes."""
        if self.says == "choice":
            values = self._written
            return [values[i] for i in self.oracle.unpack(rows).tolist()]
        data, width = np.ascontiguousarray(rows).tobytes(), self.width
        return [data[i : i + width] for i in range(0, len(data), width)]

    def column(self, rows: NDArray[np.uint8], /) -> Any:
        """Return payloads as an Arrow column: of choices, or of bytes of one length."""
        import pyarrow as pa

        if self.says == "choice":
            return pa.array(self._written).take(pa.array(self.oracle.unpack(rows)))
        kind, data = pa.binary(self.width), pa.py_buffer(np.ascontiguousarray(rows).tobytes())
        return pa.FixedSizeBinaryArray.from_buffers(kind, len(rows), [None, data])

    def read(self, payload: bytes, /) -> Any:
        """Return what a report says: the choice it names, or the choices it supports.

        >>> from discreet import RandomizedResponse
        >>> from discreet.survey import Question
        >>> q = Question("smokes", ["never", "daily"])
        >>> form = q.form(RandomizedResponse(categories=q.categories, prob="3/4"))
        >>> form.read(bytes([1]))
        'daily'
        """
        row = np.frombuffer(payload, np.uint8)[None, :] if len(payload) == self.width else np.empty((1, 0), np.uint8)
        if not row.size or not self.valid(row)[0]:
            raise ParameterError("payload", payload, f"a report of {self.width} bytes of this form")
        values = self.question.categories.values
        said = tuple(values[i] for i in np.flatnonzero(self.supported(row)[0]).tolist())
        return said[0] if self.says == "choice" else said

    def to_dict(self) -> dict[str, Any]:
        """Return the form as plain values, for JSON."""
        known = self.oracle.given(self.question.categories)
        return {"question": self.question.to_dict(), "mechanism": self.oracle.described(known)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], /) -> Form:
        """Return the form that `to_dict` wrote.

        >>> from discreet import OptimizedUnary
        >>> from discreet.survey import Question
        >>> form = Question("smokes", ["never", "daily"]).form(OptimizedUnary.within(epsilon=1, length=2))
        >>> Form.from_dict(form.to_dict()) == form
        True
        """
        asked, given = parts_of(data)
        return cls.rebuilt(Choices.front.from_dict(asked), given)

    @classmethod
    def rebuilt(cls, question: Choices, mechanism: Any, /) -> Form:
        """Return the form of a question and of a mechanism that is given as plain values."""
        kind = kind_named(mechanism.get("name") if isinstance(mechanism, Mapping) else None)
        return cls(question, kind.rebuilt(mechanism, kind.given(question.categories)))

    def __repr__(self) -> str:
        return f"Form({self.question!r}, {self.mechanism!r})"
