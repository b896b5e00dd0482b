"""Open text: Bloom filters randomized by RAPPOR, in cohorts, and decoded against a list of candidates.

Each person is in one of a number of cohorts, drawn once and kept; each cohort has its own keyed hash functions, so
that two texts whose filters collide in one cohort differ in the next. The collector counts reports by cohort and bit.
A text that is no candidate cannot be found, only counted among the others.

Pitfalls: a person who changes cohort shows more bits of the same text than the loss allows for, so keep the client
(or give it a secret, which fixes the cohort); candidates must come from elsewhere than the reports; few people a
cohort make noisy bits, few bits make colliding texts.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Final, final

import numpy as np

from discreet.coins import SYSTEM, Coins, KeyedCoins
from discreet.errors import KindError, MismatchError, ParameterError, ReportError, UnsupportedError
from discreet.exact import Exact, listed, whole
from discreet.frozen import freeze
from discreet.intervals import checked_confidence
from discreet.mechanisms import Bloom, Rappor
from discreet.samplers import below
from discreet.survey.clients import MOST, Teller
from discreet.survey.collectors import Collector
from discreet.survey.counting import plausible, plausible_weights
from discreet.survey.decoding import TextEstimate, solve
from discreet.survey.forms import AnyForm, parts_of
from discreet.survey.misfit import misfit_of_cells
from discreet.survey.oracles import KINDS, kind_named, oracle_of
from discreet.survey.oracles.base import Says
from discreet.survey.oracles.bits import FilterMechanism, Filters
from discreet.survey.wire import digest_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.ledger import Ledger

__all__ = ["TextClient", "TextForm", "TextQuestion"]

_FILTERS: Final = {name: kind for name, kind in KINDS.items() if issubclass(kind, Filters)}
_MOST_COHORTS: Final = 1 << 16
_MOST_CELLS: Final = 1 << 24


@final
@dataclass(frozen=True, slots=True, init=False)
class TextQuestion:
    """A question whose answer is any text: *hashes* of *length* bits are set in a Bloom filter, by cohort.

    >>> q = TextQuestion("homepage", length=64, hashes=2, cohorts=16)
    >>> q.mechanism(epsilon=4).privacy_map(1) <= 4
    True
    """

    name: str
    length: int
    hashes: int
    cohorts: int
    key: bytes

    def __init__(self, name: str, *, length: int = 128, hashes: int = 2, cohorts: int = 64, key: bytes = b"") -> None:
        if not isinstance(name, str):
            raise KindError("name", name, "a text")
        if not name.strip():
            raise ParameterError("name", name, "a text that is not blank")
        bloom = Bloom(length=length, hashes=hashes, key=key)
        count = whole(cohorts, "cohorts", least=1)
        if count > _MOST_COHORTS or count * bloom.length > _MOST_CELLS:
            raise ParameterError(
                "cohorts", cohorts, f"cohorts <= {_MOST_COHORTS}, and cohorts * length <= {_MOST_CELLS}"
            )
        freeze(self, name=name, length=bloom.length, hashes=bloom.hashes, cohorts=count, key=key)

    def bloom(self, cohort: int, /) -> Bloom:
        """Return the filter of a cohort; its key is the SHA-256 of the question's key and the cohort's number."""
        number = whole(cohort, "cohort", least=0)
        if number >= self.cohorts:
            raise ParameterError("cohort", cohort, f"cohort < {self.cohorts}")
        data = b"discreet cohort" + number.to_bytes(2, "little") + self.key
        return Bloom(length=self.length, hashes=self.hashes, key=hashlib.sha256(data).digest())

    def mechanism(self, *, epsilon: Exact) -> Rappor:
        """Return the RAPPOR with the fewest flips within a budget."""
        return Rappor.within(epsilon=epsilon, length=self.length, max_weight=min(self.hashes, self.length))

    def form(self, mechanism: FilterMechanism, /) -> TextForm:
        """Return what client and collector must agree on."""
        return TextForm(self, mechanism)

    def client(
        self,
        mechanism: FilterMechanism,
        *,
        secret: bytes | None = None,
        cohort: int | None = None,
        most: Exact = MOST,
        ledger: Ledger | None = None,
    ) -> TextClient:
        """Return what turns a person's texts into reports; see `TextClient`."""
        return TextClient(self.form(mechanism), secret=secret, cohort=cohort, most=most, ledger=ledger)

    def collector(self, mechanism: FilterMechanism, /, *, wave: str | int | None = None) -> Collector:
        """Return an empty box for reports; see `Collector`. Its `decode` finds candidates."""
        return Collector(self.form(mechanism), wave=wave)

    def to_dict(self) -> dict[str, Any]:
        """Return the question as plain values, for JSON."""
        numbers = {"length": self.length, "hashes": self.hashes, "cohorts": self.cohorts}
        return {"name": self.name, **numbers, "key": self.key.hex()}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], /) -> TextQuestion:
        """Return the question that `to_dict` or a person wrote; what is left out is as in `TextQuestion`."""
        try:
            name, key = data["name"], bytes.fromhex(data.get("key", ""))
            filters = {each: data[each] for each in ("hashes", "cohorts") if each in data}
            return cls(name, length=data["length"], key=key, **filters)
        except Exception:  # Whatever a thing of another kind raises.
            raise KindError(
                "question", data, "a mapping with name, length and, if any, hashes, cohorts and key"
            ) from None


@final
@dataclass(frozen=True, slots=True, init=False)
class TextForm(AnyForm):
    """A question about open text and the mechanism that randomizes its filters.

    >>> q = TextQuestion("homepage", length=128, hashes=2, cohorts=16)
    >>> form = q.form(q.mechanism(epsilon=4))
    >>> form.width, form.size                           # 2 bytes of cohort, 16 of bits; a counter a bit and a cohort
    (18, 2064)
    """

    key: ClassVar[str] = "length"
    says: ClassVar[Says] = "bytes"

    question: TextQuestion
    mechanism: FilterMechanism
    oracle: Filters[Any] = field(compare=False, repr=False)
    digest: bytes = field(repr=False)
    """The SHA-256 of the form's canonical JSON: forms agree where all of it does."""

    def __init__(self, question: TextQuestion, mechanism: FilterMechanism) -> None:
        if not isinstance(question, TextQuestion):
            raise KindError("question", question, "a TextQuestion")
        oracle = oracle_of(mechanism)
        if not isinstance(oracle, Filters):
            raise KindError("mechanism", mechanism, f"one of {', '.join(sorted(_FILTERS))}")
        if mechanism.length != question.length or mechanism.max_weight < question.hashes:
            need = f"length {question.length} and a max_weight of at least {question.hashes}"
            raise MismatchError(f"{question.name} and {type(mechanism).__name__}: need {need}")
        digest = digest_of(question.to_dict(), oracle.described({"length": question.length}))
        freeze(self, question=question, mechanism=mechanism, oracle=oracle, digest=digest)

    @property
    def width(self) -> int:
        """The number of bytes of a report, its header not counted: those of the cohort, and those of the bits."""
        return 2 + self.oracle.width

    @property
    def size(self) -> int:
        """How many counters a collector keeps: one a cohort and bit, then one a cohort."""
        return self.question.cohorts * (self.question.length + 1)

    def valid(self, rows: NDArray[np.uint8], /) -> NDArray[np.bool_]:
        """Return which rows of bytes are reports that this form's mechanism can give."""
        return (self._cohorts(rows) < self.question.cohorts) & self.oracle.valid(rows[:, 2:])

    def plausible(self, rows: NDArray[np.uint8], /) -> NDArray[np.bool_]:
        """Return which rows have a weight that honest reports have, except with probability 1e-12 each."""
        q, (p1, p0) = self.question, self.mechanism.support
        return plausible(rows[:, 2:], q.length, plausible_weights(q.length, float(p1), float(p0), 1, q.hashes))

    def possible(self, n: int, counts: Sequence[int], /) -> bool:
        """Whether *n* reports can give these counts: in a cohort, no bit is set more often than there are reports."""
        q = self.question
        cells, people = np.array(counts[: -q.cohorts]).reshape(q.cohorts, q.length), np.array(counts[-q.cohorts :])
        return min(counts) >= 0 and sum(counts[-q.cohorts :]) == n and bool((cells <= people[:, None]).all())

    def count(self, rows: NDArray[np.uint8], /) -> NDArray[np.int64]:
        """Return how many reports set each bit in each cohort, and how many there are in each cohort."""
        q = self.question
        totals = np.zeros((q.cohorts, q.length), np.int64)
        cohorts = self._cohorts(rows)
        for start in range(0, len(rows), 1 << 13):
            part = slice(start, start + (1 << 13))
            bits = np.unpackbits(rows[part, 2:], axis=1, count=q.length, bitorder="little")
            np.add.at(totals, cohorts[part], bits)
        return np.concatenate([totals.ravel(), np.bincount(cohorts, minlength=q.cohorts).astype(np.int64)])

    def _cohorts(self, rows: NDArray[np.uint8]) -> NDArray[np.int64]:
        return rows[:, 0].astype(np.int64) | rows[:, 1].astype(np.int64) << 8

    def payload_of(self, said: Any, /) -> bytes:
        """Refuse: a report on open text is bytes."""
        raise ReportError("not a report", "need a Report, its bytes or its JSON")

    def decode(
        self, counts: NDArray[np.int64], candidates: Iterable[str], *, confidence: Exact = "0.95"
    ) -> TextEstimate:
        """Return which candidates were among the texts, from a collector's counts; see `TextEstimate`."""
        error = checked_confidence(confidence)
        listed = _candidates(candidates)
        q, (p1, p0) = self.question, self.mechanism.support
        if p1 == p0:
            raise UnsupportedError(f"{q.name}: its mechanism says nothing about the text, so nothing can be decoded")
        totals, people = counts[: -q.cohorts].reshape(q.cohorts, q.length), counts[-q.cohorts :]
        n = int(people.sum())
        if n < 1:
            raise ParameterError("reports", n, "at least one report")
        misfit = misfit_of_cells(totals, people[:, None], float(p1), float(p0))
        support = float(p1), float(p0)
        found = solve(self._design(listed, people), totals, people, support, min(q.hashes, q.length), error)
        ends = np.stack([found.low, found.high], axis=1)[1:]
        others, each = float(found.shares[0]), (found.shares[1:], found.errors[1:], found.chances[1:])
        return TextEstimate(self, n, tuple(listed), *each, ends, others, 1 - error, error, misfit)

    def _design(self, candidates: Sequence[str], people: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return how many people set each bit of each cohort, if all had one text: another's, then each candidate's."""
        q = self.question
        design = np.zeros((q.cohorts, q.length, 1 + len(candidates)))
        design[:, :, 0] = 1 - (1 - 1 / q.length) ** q.hashes  # A text unknown sets each bit as often.
        for cohort in range(q.cohorts):
            bloom = q.bloom(cohort)
            for i, text in enumerate(candidates, 1):
                design[cohort, bloom.places(text), i] = 1
        return design * people[:, None, None]

    def to_dict(self) -> dict[str, Any]:
        """Return the form as plain values, for JSON."""
        known = {"length": self.question.length}
        return {"question": self.question.to_dict(), "mechanism": self.oracle.described(known)}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], /) -> TextForm:
        """Return the form that `to_dict` wrote.

        >>> q = TextQuestion("homepage", length=64)
        >>> form = q.form(q.mechanism(epsilon=4))
        >>> TextForm.from_dict(form.to_dict()) == form
        True
        """
        asked, given = parts_of(data)
        question = TextQuestion.from_dict(asked)
        kind = kind_named(given.get("name") if isinstance(given, Mapping) else None, _FILTERS)
        return cls(question, kind.rebuilt(given, {"length": question.length}))


def _candidates(candidates: Iterable[str]) -> list[str]:
    found = listed(candidates, "candidates", "a list of texts")
    if not found or not all(isinstance(text, str) for text in found):
        raise KindError("candidates", candidates, "a list of texts")
    if len(set(found)) < len(found):
        raise ParameterError("candidates", candidates, "distinct texts")
    return found


@final
class TextClient(Teller):
    """What turns a person's texts into reports. The cohort is drawn once, or comes from the secret, and is kept.

    >>> q = TextQuestion("homepage")
    >>> client = q.client(q.mechanism(epsilon=4), secret=b"only on this device")
    >>> client.report("example.org") == client.report("example.org")
    True
    """

    form: TextForm

    def __init__(
        self,
        form: TextForm,
        *,
        secret: bytes | None = None,
        cohort: int | None = None,
        most: Exact = MOST,
        ledger: Ledger | None = None,
    ) -> None:
        if not isinstance(form, TextForm):
            raise KindError("form", type(form), "a TextForm, as question.form(mechanism) gives")
        super().__init__(form, secret, most, ledger)
        if cohort is None:
            coins: Coins = SYSTEM if secret is None else KeyedCoins(secret, b"cohort" + form.digest)
            cohort = below(form.question.cohorts, coins)
        self._bloom = form.question.bloom(cohort)
        self.cohort = int(cohort)

    def _heard(self, answer: str, /) -> tuple[bytes, str]:
        """Return the context of a text, and the text."""
        if not isinstance(answer, str):
            raise KindError("text", type(answer), "a text")
        return self._context(answer), answer

    def _drawn(self, told: str, coins: Coins, /) -> bytes:
        """Return a payload of a text, drawn with these coins: the cohort, and the noisy filter."""
        noisy = self.form.oracle.reply(self._bloom(told), coins)
        return self.cohort.to_bytes(2, "little") + np.packbits(noisy, bitorder="little").tobytes()

    def _context(self, text: str) -> bytes:
        data = hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
        return b"text" + self.form.digest + self.cohort.to_bytes(2, "little") + data

    def __repr__(self) -> str:
        return f"<client of {self.form.question.name}, cohort {self.cohort}>"

    def _remake(self) -> tuple[Any, ...]:
        return _text_client, (self.form, self.cohort, self._most, self._ledger)


def _text_client(form: TextForm, cohort: int, most: Exact, ledger: Ledger | None) -> TextClient:
    return TextClient(form, cohort=cohort, most=most, ledger=ledger)
