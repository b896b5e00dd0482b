"""Questions and forms: what is asked, by which mechanism, and what a report of it looks like.

A form is what a client and a collector must agree on: a question and the mechanism that randomizes its answers. Its
digest travels with each report. Every mechanism here *supports* some of the choices in each report: randomized
response the one it names, a subset those in it, a bit vector those whose bits are set. A report supports the truth with
probability p and any other choice with probability q; estimates need to know no more.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, TypeAlias, final

import numpy as np

from discreet.domains import Categories, freeze
from discreet.errors import DomainError, KindError, MismatchError, ParameterError, ReportError, UnsupportedError
from discreet.mechanisms import (
    LongitudinalRappor,
    OptimizedUnary,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    SubsetSelection,
)
from discreet.survey.poisoning import plausible, plausible_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.exact import Exact
    from discreet.ledger import Ledger
    from discreet.survey.clients import Client
    from discreet.survey.collectors import Collector
    from discreet.survey.plans import Plan

__all__ = [
    "MOST",
    "TAG",
    "VERSION",
    "Form",
    "Mechanism",
    "Question",
    "canonical",
    "count_bits",
    "count_bytes",
    "described",
    "digest_of",
    "is_missing",
    "rebuilt",
    "stated",
]

VERSION: Final = 2
"""The version of the wire format and of the descriptions that digests are made of."""
TAG: Final = 16
"""How many bytes of its form's digest a report carries."""
MOST: Final = 10
"""The greatest epsilon of a form that a client answers unless told otherwise: odds of 22,000 to 1."""

Mechanism: TypeAlias = (
    RandomizedResponse | RandomizedResponseBool | SubsetSelection | OptimizedUnary | Rappor | LongitudinalRappor
)

_PLACES: Final = (RandomizedResponse, RandomizedResponseBool)
_UNARY: Final = (OptimizedUnary, Rappor, LongitudinalRappor)


@final
@dataclass(frozen=True, slots=True, init=False)
class Question:
    """A question with a list of choices: text, whole numbers or booleans. *missing* makes "no answer" one of them.

    With *missing*, an answer of None or NaN is that choice; without, it is refused like any other foreign answer.

    >>> q = Question("smokes", ["never", "sometimes", "daily"], missing="no answer")
    >>> len(q), q.categories
    (4, Categories(['never', 'sometimes', 'daily', 'no answer']))
    >>> q.places(["daily", None, "never"])
    array([2, 3, 0])
    >>> q.places(["weekly"])
    Traceback (most recent call last):
    discreet.errors.DomainError: smokes: an answer is not one of 'never', 'sometimes', 'daily', 'no answer'
    """

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
        listed = Categories(choices, "choices").values
        _check_kinds("choices", listed)
        if missing is not None:
            _check_kinds("missing", (missing,))
        categories = Categories(listed if missing is None else (*listed, missing), "choices and missing")
        if len(categories) < 2:
            raise ParameterError("choices", choices, "at least two choices, missing= counted")
        freeze(self, name=name, choices=listed, missing=missing, categories=categories)

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

        >>> Question("age", [10, 20], missing="unknown").places_of_texts(["20", "", "10.0", "30"])
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

        >>> Question("age", [10, 20], missing="unknown").places_of_reports(["20", "", "unknown"])
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

        >>> Question("age", [10, 20], missing="unknown").places_of_answers(["20", "", "10.0"])
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

    def form(self, mechanism: Mechanism, /) -> Form:
        """Return what client and collector must agree on: this question, asked by a mechanism."""
        return Form(self, mechanism)

    def client(
        self,
        mechanism: Mechanism,
        *,
        secret: bytes | None = None,
        most: Exact = MOST,
        ledger: Ledger | None = None,
    ) -> Client:
        """Return what turns a person's answers into reports; see `Client`.

        >>> q = Question("smokes", ["never", "daily"])
        >>> report = q.client(RandomizedResponse(categories=q.categories, prob="3/4")).report("daily")
        >>> len(report.to_bytes())
        19
        """
        from discreet.survey.clients import Client

        return Client(self.form(mechanism), secret=secret, most=most, ledger=ledger)

    def collector(self, mechanism: Mechanism, /, *, wave: str | int | None = None) -> Collector:
        """Return an empty box for reports; see `Collector`. It refuses the reports of any other question."""
        from discreet.survey.collectors import Collector

        return Collector(self.form(mechanism), wave=wave)

    def plan(
        self,
        *,
        epsilon: Exact,
        margin: Exact | None = None,
        people: int | None = None,
        max_share: Exact | None = None,
        confidence: Exact = "0.95",
    ) -> Plan:
        """Choose the best mechanism within a budget, and say how many people give what margin; see `Plan`.

        >>> q = Question("smokes", ["never", "sometimes", "daily"])
        >>> plan = q.plan(epsilon=1, margin="0.02")
        >>> plan.mechanism.privacy_map(1) <= 1, plan.people
        (True, 18238)
        """
        from discreet.survey.plans import make_plan

        wanted: dict[str, Any] = {"margin": margin, "people": people, "max_share": max_share, "confidence": confidence}
        return make_plan(self.categories, epsilon=epsilon, **wanted)

    def to_dict(self) -> dict[str, Any]:
        """Return the question as plain values, for JSON.

        >>> q = Question("age", [10, 20])
        >>> q.to_dict(), Question.from_dict(q.to_dict()) == q
        ({'name': 'age', 'choices': [10, 20], 'missing': None}, True)
        """
        return {"name": self.name, "choices": list(self.choices), "missing": self.missing}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], /) -> Question:
        """Return the question that `to_dict` wrote."""
        if not isinstance(data, Mapping) or not {"name", "choices"} <= set(data):
            raise KindError("question", data, "a mapping with name, choices and, if any, missing")
        return cls(data["name"], data["choices"], data.get("missing"))

    def __repr__(self) -> str:
        missing = "" if self.missing is None else f", missing={self.missing!r}"
        return f"Question({self.name!r}, {list(self.choices)!r}{missing})"


def _check_kinds(name: str, values: tuple[Any, ...]) -> None:
    if not all(type(value) in (str, int, bool) for value in values):
        raise KindError(name, values, "text, whole numbers or booleans, which every machine writes alike")


def is_missing(answer: Any) -> bool:
    """Whether an answer is None, NaN, or what frames put in the place of a value."""
    if answer is None or type(answer).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(answer, float | np.floating) and bool(np.isnan(answer))


@final
@dataclass(frozen=True, slots=True, init=False)
class Form:
    """A question and the mechanism that randomizes its answers.

    >>> q = Question("smokes", ["never", "sometimes", "daily"])
    >>> form = q.form(SubsetSelection.within(epsilon=1, categories=q.categories))
    >>> form.tag.hex(), form.width
    ('7405bb1c06d1bb585241b9ad1b642174', 1)
    """

    question: Question
    mechanism: Mechanism
    _digest: bytes

    def __init__(self, question: Question, mechanism: Mechanism) -> None:
        if not isinstance(question, Question):
            raise KindError("question", question, "a Question")
        if not isinstance(mechanism, Mechanism):
            raise KindError("mechanism", mechanism, f"one of {', '.join(_names())}")
        _check_fit(question, mechanism)
        digest = digest_of(question.to_dict(), described(mechanism))
        freeze(self, question=question, mechanism=mechanism, _digest=digest)

    @property
    def digest(self) -> bytes:
        """The SHA-256 of the form's canonical JSON: forms agree where all of it does."""
        return self._digest

    @property
    def tag(self) -> bytes:
        """The first 16 bytes of the digest: what a report carries."""
        return self._digest[:TAG]

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """The probabilities (p, q) that a report supports the truth, and that it supports any other choice."""
        return self.mechanism.support

    @property
    def both(self) -> tuple[Fraction, Fraction]:
        """The probabilities that a report supports two choices together: the truth and another, or two others."""
        p, q = self.support
        m, k = self.mechanism, len(self.question)
        if isinstance(m, _PLACES):
            return Fraction(0), Fraction(0)
        if isinstance(m, _UNARY):
            return p * q, q * q
        d, others = m.size, (k - 1) * max(k - 2, 1)
        return p * (d - 1) / (k - 1), (p * (d - 1) * (d - 2) + (1 - p) * d * (d - 1)) / others

    @property
    def size(self) -> int:
        """How many counters a collector keeps: one a choice."""
        return len(self.question)

    @property
    def weights(self) -> tuple[int, int]:
        """The least and the greatest number of choices that a report can support."""
        m = self.mechanism
        if isinstance(m, _UNARY):
            return 0, len(self.question)
        size = m.size if isinstance(m, SubsetSelection) else 1
        return size, size

    def possible(self, n: int, supports: Sequence[int], /) -> bool:
        """Whether *n* reports can support the choices so many times.

        They can if no choice has more than n and the sum is that of n reports: dealt out in turn, one choice after
        the other, each report gets distinct choices, and as many as any other or one more.

        >>> q = Question("smokes", ["never", "daily"])
        >>> form = q.form(RandomizedResponse(categories=q.categories, prob="3/4"))
        >>> form.possible(3, [1, 2]), form.possible(3, [1, 1])
        (True, False)
        """
        least, most = self.weights
        return min(supports) >= 0 and max(supports) <= n and least * n <= sum(supports) <= most * n

    @property
    def packs_bits(self) -> bool:
        """Whether a payload is packed bits, one a choice; else it is the place of one choice."""
        return not isinstance(self.mechanism, _PLACES)

    @property
    def width(self) -> int:
        """The number of bytes of a report, its header not counted."""
        k = len(self.question)
        if isinstance(self.mechanism, _PLACES):
            return 1 if k <= 1 << 8 else 2 if k <= 1 << 16 else 4
        return -(-k // 8)

    def perturb(self, places: NDArray[np.int64], /) -> NDArray[np.uint8]:
        """Return a randomized report for each answer, given by its place: one row of `width` bytes each."""
        m = self.mechanism
        if isinstance(m, RandomizedResponseBool):
            return m.release_many(places.astype(np.bool_)).astype(np.uint8)[:, None]
        if isinstance(m, RandomizedResponse):
            return self.pack_places(m.release_places(places))
        if isinstance(m, LongitudinalRappor):
            raise UnsupportedError("LongitudinalRappor keeps a permanent answer a person: use a client with a secret")
        return m.release_packed(places)

    def pack_places(self, places: NDArray[Any], /) -> NDArray[np.uint8]:
        """Return places as rows of bytes, the lowest byte first."""
        if not isinstance(places, np.ndarray) or places.dtype.kind not in "iu":
            raise KindError("places", type(places), "an array of integers")
        return np.ascontiguousarray(places, f"<u{self.width}").view(np.uint8).reshape(-1, self.width)

    def valid(self, rows: NDArray[np.uint8], /) -> NDArray[np.bool_]:
        """Return which rows of bytes are reports that this form's mechanism can give."""
        k = len(self.question)
        if not self.packs_bits:
            return self._unpack_places(rows) < k
        valid = np.ones(len(rows), np.bool_)
        if k % 8:
            valid &= rows[:, -1] >> np.uint8(k % 8) == 0
        if isinstance(self.mechanism, SubsetSelection):
            set_bits = np.zeros(len(rows), np.int64)
            for column in rows.T:
                set_bits += np.bitwise_count(column)
            valid &= set_bits == self.mechanism.size
        return valid

    def plausible(self, rows: NDArray[np.uint8], /) -> NDArray[np.bool_]:
        """Return which rows have a weight that honest reports have, except with probability 1e-12 each."""
        if not isinstance(self.mechanism, _UNARY):
            return np.ones(len(rows), np.bool_)
        p, q = map(float, self.support)
        return plausible(rows, self.size, plausible_weights(self.size, p, q))

    def supported(self, rows: NDArray[np.uint8], /) -> NDArray[np.bool_]:
        """Return which choices each report supports: one row of booleans each."""
        k = len(self.question)
        if isinstance(self.mechanism, _PLACES):
            return np.asarray(self._unpack_places(rows)[:, None] == np.arange(k), np.bool_)
        return np.unpackbits(rows, axis=1, count=k, bitorder="little").view(np.bool_)

    def count(self, rows: NDArray[np.uint8], /) -> NDArray[np.int64]:
        """Return how many of the reports support each choice."""
        k = len(self.question)
        if isinstance(self.mechanism, _PLACES):
            places = self._unpack_places(rows)
            return count_bytes(places)[:k] if self.width == 1 else np.bincount(places, minlength=k).astype(np.int64)
        return count_bits(rows, k)

    def payload_of(self, said: Any, /) -> bytes:
        """Return the payload of a report given as what it says: a choice, or the choices that it supports."""
        choices = [said]
        if self.packs_bits:
            if not isinstance(said, tuple | list | set | frozenset):
                raise ReportError("not a report", "need a Report, its bytes, its JSON, or the choices that it supports")
            choices = list(said)
        places = [self._place(choice) for choice in choices]
        if min(places, default=0) < 0 or len(set(places)) < len(places):
            raise ReportError("not a choice", "need one of the choices, or distinct ones")
        if not self.packs_bits:
            return self.pack_places(np.array(places)).tobytes()
        bits = np.zeros(self.size, np.bool_)
        bits[places] = True
        return np.packbits(bits, bitorder="little").tobytes()

    def _place(self, choice: Any) -> int:
        """Return the place of a choice, or of the one that a text stands for; -1 for any other."""
        place = self.question.categories.index(choice)
        if place < 0 and isinstance(choice, str) and choice and self._written[0] != self.question.choices[0]:
            place = int(self.question.places_of_texts([choice])[0])
        return place

    @property
    def _written(self) -> tuple[Any, ...]:
        """The choices as a column can hold them: as text, where they are of several types or beyond 64 bits."""
        values = self.question.categories.values
        fit = all(not isinstance(value, int) or -(1 << 63) <= value < 1 << 63 for value in values)
        if fit and len(set(map(type, values))) == 1:
            return values
        self.question.places_of_texts([])  # Raises unless the texts tell them apart.
        return tuple(map(str, values))

    def values(self, rows: NDArray[np.uint8], /) -> list[Any]:
        """Return payloads as a column of plain values: choices, or bytes."""
        if not self.packs_bits:
            values = self._written
            return [values[i] for i in self._unpack_places(rows).tolist()]
        data, width = np.ascontiguousarray(rows).tobytes(), self.width
        return [data[i : i + width] for i in range(0, len(data), width)]

    def column(self, rows: NDArray[np.uint8], /) -> Any:
        """Return payloads as an Arrow column: of choices, or of bytes of one length."""
        import pyarrow as pa

        if not self.packs_bits:
            return pa.array(self._written).take(pa.array(self._unpack_places(rows)))
        kind, data = pa.binary(self.width), pa.py_buffer(np.ascontiguousarray(rows).tobytes())
        return pa.FixedSizeBinaryArray.from_buffers(kind, len(rows), [None, data])

    def _unpack_places(self, rows: NDArray[np.uint8]) -> NDArray[Any]:
        return np.ascontiguousarray(rows).view(f"<u{self.width}").ravel()

    def read(self, payload: bytes, /) -> Any:
        """Return what a report says: the choice it names, or the choices it supports.

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
        return said[0] if isinstance(self.mechanism, _PLACES) else said

    def to_dict(self) -> dict[str, Any]:
        """Return the form as plain values, for JSON."""
        return {"question": self.question.to_dict(), "mechanism": described(self.mechanism)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], /) -> Form:
        """Return the form that `to_dict` wrote.

        >>> q = Question("smokes", ["never", "daily"])
        >>> form = q.form(OptimizedUnary.within(epsilon=1, length=2))
        >>> Form.from_dict(form.to_dict()) == form
        True
        """
        if not isinstance(data, Mapping) or not {"question", "mechanism"} <= set(data):
            raise KindError("form", data, "a mapping with a question and a mechanism")
        question = Question.from_dict(data["question"])
        return cls(question, rebuilt(data["mechanism"], question))

    def __repr__(self) -> str:
        return f"Form({self.question!r}, {self.mechanism!r})"


_ONES: Final = np.uint64(0x0101010101010101)
_BITS: Final = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little").astype(np.int64)


def count_bits(rows: NDArray[np.uint8], k: int) -> NDArray[np.int64]:
    """Return how many rows of packed bits set each of the first *k* bits.

    Few columns are counted by how often each byte is each of 256. More are added up as words of eight bytes, one bit of
    each byte at a time: 255 of them fit a byte.

    >>> count_bits(np.array([[3, 1], [1, 1]], np.uint8), 10).tolist()
    [2, 1, 0, 0, 0, 0, 0, 0, 2, 0]
    """
    n, width = rows.shape
    if width < 8:
        return np.concatenate([count_bytes(column) @ _BITS for column in rows.T])[:k]
    padded = np.zeros((-(-n // 255) * 255, -(-width // 8) * 8), np.uint8)
    padded[:n, :width] = rows
    words = np.ascontiguousarray(padded.view(np.uint64).T)
    totals = np.empty((len(words), 8, 8), np.int64)
    for bit in range(8):
        sums = (words >> np.uint64(bit) & _ONES).reshape(len(words), -1, 255).sum(axis=2)
        totals[:, :, bit] = sums.view(np.uint8).reshape(len(words), -1, 8).sum(axis=1, dtype=np.int64)
    return totals.reshape(-1)[:k]


def count_bytes(values: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return how often each byte occurs; many are counted in pairs.

    >>> count_bytes(np.array([3, 0, 3], np.uint8))[:4].tolist()
    [1, 0, 0, 2]
    """
    if len(values) < 1 << 17:
        return np.bincount(values, minlength=256).astype(np.int64)
    even = len(values) // 2 * 2
    pairs = np.bincount(np.ascontiguousarray(values[:even]).view(np.uint16), minlength=1 << 16).reshape(256, 256)
    return np.asarray(pairs.sum(axis=0) + pairs.sum(axis=1) + np.bincount(values[even:], minlength=256), np.int64)


def _names() -> list[str]:
    return [kind.__name__ for kind in (*_PLACES, SubsetSelection, *_UNARY)]


def _check_fit(question: Question, mechanism: Mechanism) -> None:
    name, k = type(mechanism).__name__, len(question)
    if isinstance(mechanism, RandomizedResponseBool):
        fits, need = question.categories == Categories((False, True)), "the choices False and True, in this order"
    elif isinstance(mechanism, RandomizedResponse | SubsetSelection):
        fits, need = mechanism.categories == question.categories, "the mechanism's categories to be the question's"
    else:
        fits, need = mechanism.length == k, f"a mechanism of length {k}, one bit for each choice"
        if fits and not isinstance(mechanism, OptimizedUnary):
            fits, need = mechanism.max_weight == 1, "max_weight=1, for one choice"
    if not fits:
        raise MismatchError(f"{question.name} and {name}: need {need}")


_FIELDS: Final[dict[str, tuple[type, tuple[str, ...]]]] = {
    "RandomizedResponseBool": (RandomizedResponseBool, ("prob",)),
    "RandomizedResponse": (RandomizedResponse, ("prob",)),
    "SubsetSelection": (SubsetSelection, ("size", "prob")),
    "OptimizedUnary": (OptimizedUnary, ("p", "q")),
    "Rappor": (Rappor, ("f",)),
    "LongitudinalRappor": (LongitudinalRappor, ("f", "p", "q")),
}
"""What describes each mechanism, beside the question: fractions as text, so that no machine rounds them."""


def described(mechanism: Mechanism) -> dict[str, Any]:
    """Return a mechanism as plain values, for JSON: its name, and its numbers as exact texts.

    >>> described(OptimizedUnary(length=2, p="1/2", q="1/4"))
    {'name': 'OptimizedUnary', 'p': '1/2', 'q': '1/4'}
    """
    name = type(mechanism).__name__
    said: dict[str, Any] = {"name": name} | {field: str(getattr(mechanism, field)) for field in _FIELDS[name][1]}
    return said | ({"constant_time": True} if getattr(mechanism, "constant_time", False) else {})


def rebuilt(data: Mapping[str, Any], question: Question) -> Mechanism:
    """Return the mechanism that `described` wrote, for its question."""
    name = data.get("name") if isinstance(data, Mapping) else None
    if not isinstance(name, str) or name not in _FIELDS:
        raise ParameterError("mechanism", name, f"one of {', '.join(_FIELDS)}")
    kind, fields = _FIELDS[name]
    values = stated(data, kind, fields)
    if kind in (RandomizedResponse, SubsetSelection):
        values["categories"] = question.categories
    elif kind in _UNARY:
        values["length"] = len(question)
        if kind is not OptimizedUnary:
            values["max_weight"] = 1
    made: Mechanism = kind(**values)
    return made


def stated(data: Mapping[str, Any], kind: type, fields: Iterable[str]) -> dict[str, Any]:
    """Return the numbers that describe a mechanism, each as exactly as it was written.

    >>> stated({"name": "SubsetSelection", "size": "3", "prob": "1/2"}, SubsetSelection, ["size", "prob"])
    {'size': 3, 'prob': '1/2'}
    """
    values: dict[str, Any] = {}
    for name in fields:
        text = str(data.get(name))
        if name in ("size", "max_weight"):
            if not re.fullmatch(r"[0-9]{1,9}", text):
                raise ParameterError(name, data.get(name), f"a whole number, for {kind.__name__}")
            values[name] = int(text)
        else:
            values[name] = text
    if data.get("constant_time") is True and kind in (Rappor, RandomizedResponseBool):
        values["constant_time"] = True
    return values


def digest_of(question: dict[str, Any], mechanism: dict[str, Any]) -> bytes:
    """Return the digest of a form: the SHA-256 of the canonical JSON of its question and its mechanism.

    >>> len(digest_of({"name": "age"}, {"name": "Rappor"}))
    32
    """
    said = {key: value for key, value in mechanism.items() if key != "constant_time"}  # How it is drawn is no matter.
    return hashlib.sha256(canonical({"discreet": VERSION, "question": question, "mechanism": said})).digest()


def canonical(data: Any) -> bytes:
    r"""Return plain values as the JSON that digests are made of: sorted keys, no spaces, ASCII.

    >>> canonical({"b": 1, "a": "é"})
    b'{"a":"\\u00e9","b":1}'
    """
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()
