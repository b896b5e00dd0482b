"""What an oracle is: how a local mechanism's reports are drawn, written, read, counted and planned.

A report *supports* some of k choices: the truth with probability p, any one other choice with probability q. Shares,
their intervals, and what one crafted report can do follow from that; differences need `Oracle.both` as well.

A new local mechanism is its own file and an oracle in this folder. The class statement registers it, and forms,
clients, collectors, plans, files and pages know it from then on: nothing else names a mechanism.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar, Final, Generic, Literal, Protocol, TypeAlias, TypeVar

import numpy as np

from discreet.errors import KindError, ParameterError, ReportError, UnsupportedError
from discreet.reals import Number, exp
from discreet.survey.misfit import Misfit, misfit_of_counts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from discreet.coins import Coins
    from discreet.domains import Categories
    from discreet.exact import Exact
    from discreet.measures import Pure

__all__ = ["KINDS", "LocalMechanism", "Oracle", "Says", "Width", "kind_named", "oracle_of"]

Says = Literal["choice", "choices", "bytes"]
"""What a payload says by itself: one choice, the choices that it supports, or nothing that people would write."""

Width: TypeAlias = Callable[[float, float], float]
"""Half the width of an interval, as a function of q and p - q, for the people that a plan is for."""

KINDS: Final[dict[str, type[Oracle[Any]]]] = {}
"""The oracle of each mechanism, by the name of the mechanism."""


class LocalMechanism(Protocol):
    """A mechanism that randomizes one person's answer: a dataclass of exact numbers, whose reports support choices."""

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """The probabilities that a report supports the truth, and that it supports any one other choice."""

    def loss(self, d_in: int, /) -> Pure:
        """Return the exact loss of one report."""

    def privacy_map(self, d_in: int, /) -> float:
        """Return the loss of one report, rounded up."""


M = TypeVar("M", bound=LocalMechanism)


@dataclass(frozen=True)
class Oracle(ABC, Generic[M]):
    """The reports of one mechanism. ``class X(Oracle[M], of=M)`` is the registration.

    *planned* says that a plan considers the mechanism, and *budgeted* that a budget alone is enough to make it.

    >>> from discreet import RandomizedResponse
    >>> oracle = oracle_of(RandomizedResponse(categories=("never", "daily"), prob="3/4"))
    >>> oracle.size, oracle.width, oracle.support, oracle.influence
    (2, 1, (Fraction(3, 4), Fraction(1, 4)), Fraction(3, 2))
    """

    of: ClassVar[Any]
    planned: ClassVar[bool]
    budgeted: ClassVar[bool]
    says: ClassVar[Says]
    payload: ClassVar[str]
    """What the bytes of a report are."""
    lasting: ClassVar[bool] = False
    """Whether the reports of one permanent answer differ from each other; a client of such a form needs a secret."""

    mechanism: M

    def __init_subclass__(cls, of: type | None = None, planned: bool = True, budgeted: bool = True) -> None:
        if of is None:
            return
        if of.__name__ in KINDS:
            raise TypeError(f"{of.__name__} has an oracle: {KINDS[of.__name__].__qualname__}")
        cls.of, cls.planned, cls.budgeted = of, planned, budgeted
        KINDS[of.__name__] = cls

    @classmethod
    @abstractmethod
    def given(cls, choices: Categories, /) -> dict[str, Any]:
        """Return the parameters of the mechanism that follow from the choices."""

    @abstractmethod
    def needed(self, choices: Categories, /) -> str:
        """Return what is needed where the mechanism is not for these choices; nothing where it is."""

    @classmethod
    def within(cls, choices: Categories, epsilon: Exact) -> M:
        """Return the least noisy mechanism for some choices within a budget."""
        made: M = cls.of.within(epsilon=epsilon, **cls.given(choices))
        return made

    @classmethod
    def chooser(cls, choices: Categories, epsilon: Fraction) -> Callable[[Width | None], M]:
        """Return what finds the mechanism that serves a plan best within a budget, from the width of its intervals."""
        least_noisy = cls.within(choices, epsilon)
        return lambda _: least_noisy

    @property
    def redundant(self) -> bool:
        """Whether a plan leaves this one out, because with these numbers it is another mechanism."""
        return False

    @property
    def name(self) -> str:
        """The mechanism's name, with what sets it apart in a plan."""
        return type(self.mechanism).__name__

    @property
    @abstractmethod
    def size(self) -> int:
        """The number of choices."""

    @property
    @abstractmethod
    def width(self) -> int:
        """The number of bytes of a payload."""

    @property
    def support(self) -> tuple[Fraction, Fraction]:
        """The probabilities (p, q) that a report supports the truth, and that it supports any one other choice."""
        return self.mechanism.support

    @property
    def alike(self) -> Number:
        """With what probability any report is drawn as that of one of any two answers, each equally likely.

        By the loss, no answer makes a report exp(loss) times as likely as another does.
        """
        loss = self.mechanism.loss(1).epsilon
        return Fraction(0) if isinstance(loss, float) else exp(-loss)

    @abstractmethod
    def both(self, i: int, j: int, /) -> tuple[Fraction, Fraction]:
        """Return the least probabilities that a report supports two choices together, given by their places.

        The first is that where one of the two is the truth, the second where neither is: the least over the other
        truths. Less than is true makes intervals of differences wider, more would make them too narrow.
        """

    @property
    def weights(self) -> tuple[int, int]:
        """The least and the greatest number of choices that a report can support."""
        return 0, self.size

    @property
    def influence(self) -> Fraction:
        """By how many people one crafted report can move the estimated number of a choice, exactly.

        A report adds (1 - q)/(p - q) to the number of each choice that it supports, and takes q/(p - q) from others.
        """
        p, q = self.support
        if p == q:
            raise UnsupportedError("the mechanism says nothing about the answer, so nothing can be estimated")
        return max(1 - q, q) / (p - q)

    def loss_of(self, reports: int | None, /) -> Pure:
        """Return the exact loss of one report or more of one permanent answer; None stands for any number.

        They are all the same, so it is that of one.
        """
        return self.mechanism.loss(1)  # proof: same

    @abstractmethod
    def perturb(self, places: NDArray[np.int64], /) -> NDArray[np.uint8]:
        """Return a randomized payload for each answer, given by its place: one row of `width` bytes each."""

    @abstractmethod
    def draw(self, place: int, coins: Coins, /) -> NDArray[np.uint8]:
        """Return the payload of one answer, given by its place, from the coins of its permanent answer."""

    @abstractmethod
    def valid(self, rows: NDArray[np.uint8], /) -> NDArray[np.bool_]:
        """Return which rows of bytes are payloads that the mechanism can give."""

    def plausible(self, rows: NDArray[np.uint8], /) -> NDArray[np.bool_]:
        """Return which rows are payloads that honest clients send, except with probability 1e-12 each."""
        return np.ones(len(rows), np.bool_)

    @abstractmethod
    def supported(self, rows: NDArray[np.uint8], /) -> NDArray[np.bool_]:
        """Return which choices each payload supports: one row of booleans each."""

    def pack(self, places: NDArray[Any], /) -> NDArray[np.uint8]:
        """Return the payloads that support one choice each, given by its place."""
        return self.written(places[:, None] == np.arange(self.size))

    def unpack(self, rows: NDArray[np.uint8], /) -> NDArray[Any]:
        """Return the place of the one choice that each payload supports."""
        return np.asarray(np.argmax(self.supported(rows), axis=1))

    @abstractmethod
    def count(self, rows: NDArray[np.uint8], /) -> NDArray[np.int64]:
        """Return how many of the payloads support each choice."""

    def written(self, supported: NDArray[np.bool_], /) -> NDArray[np.uint8]:
        """Return the payloads that support given choices, one row of booleans each, where that is all they say."""
        raise ReportError("not a report", "need a Report, its bytes or its JSON")

    def misfit(self, supports: NDArray[np.int64], n: int, /) -> Misfit:
        """Return the test of whether the mechanism can have given these counts; see `Misfit`."""
        p, q = map(float, self.support)
        return misfit_of_counts(supports, n, p, q)

    def described(self, known: Mapping[str, Any], /) -> dict[str, Any]:
        """Return the mechanism as plain values, but for what is known: its name, and its numbers as exact texts.

        >>> from discreet import OptimizedUnary
        >>> oracle_of(OptimizedUnary(length=2, p="1/2", q="1/4")).described({"length": 2})
        {'name': 'OptimizedUnary', 'p': '1/2', 'q': '1/4'}
        """
        said: dict[str, Any] = {"name": type(self.mechanism).__name__}
        for name, kind in self._stated(known):
            value = getattr(self.mechanism, name)
            if kind != "bool":
                said[name] = str(value)
            elif value:
                said[name] = True
        return said

    @classmethod
    def rebuilt(cls, data: Mapping[str, Any], known: Mapping[str, Any], /) -> M:
        """Return the mechanism that `described` wrote, with what is known.

        >>> kind_named("SubsetSelection").rebuilt({"size": "1", "prob": "1/2"}, {"categories": ("no", "yes")})
        SubsetSelection(categories=Categories(['no', 'yes']), size=1, prob=Fraction(1, 2))
        """
        values = dict(known)
        for name, kind in cls._stated(known):
            text = str(data.get(name))
            if kind == "int" and not re.fullmatch(r"[0-9]{1,9}", text):
                raise ParameterError(name, data.get(name), f"a whole number, for {cls.of.__name__}")
            values[name] = data.get(name) is True if kind == "bool" else int(text) if kind == "int" else text
        made: M = cls.of(**values)
        return made

    @property
    def options(self) -> tuple[str, ...]:
        """The flags that are set. They say how a report is drawn and not by which law, and are no part of a digest."""
        return tuple(name for name, kind in self._stated({}) if kind == "bool" and getattr(self.mechanism, name))

    @classmethod
    def _stated(cls, known: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield the name and the type of each field that describes the mechanism, beside what is known."""
        for field in fields(cls.of):
            if field.name not in known:
                yield field.name, getattr(field.type, "__name__", str(field.type))


def oracle_of(mechanism: Any, /) -> Oracle[Any]:
    """Return the oracle of a mechanism, or raise KindError where it has none.

    >>> oracle_of(2)
    Traceback (most recent call last):
    discreet.errors.KindError: mechanism=2: need one of LongitudinalRappor, OptimizedUnary, RandomizedResponse, \
RandomizedResponseBool, Rappor, SubsetSelection
    """
    kind = KINDS.get(type(mechanism).__name__)
    if kind is None or kind.of is not type(mechanism):
        raise KindError("mechanism", mechanism, f"one of {', '.join(sorted(KINDS))}")
    return kind(mechanism)


def kind_named(name: Any, known: Mapping[str, type[Oracle[Any]]] = KINDS) -> type[Oracle[Any]]:
    """Return the oracle of the mechanism of a name, or raise with the names that are known."""
    if not isinstance(name, str) or name not in known:
        raise ParameterError("mechanism", name, f"one of {', '.join(sorted(known))}")
    return known[name]
