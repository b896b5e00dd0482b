"""Clients: where an answer is randomized, before it leaves the person.

Without a secret, each report is drawn anew and each one costs its loss again. With a secret, known to this person's
device alone, the coins of a *permanent* answer are the secret's own: HMAC-SHA256 of the form and the answer. Asked
twice, the client says the same, and any number of reports costs what one does. Proof: clients.md, which cites the
marked lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from discreet.coins import SYSTEM, Coins, KeyedCoins
from discreet.errors import KindError, ParameterError
from discreet.exact import whole
from discreet.measures import INFINITE, Loss, MaxDivergence
from discreet.mechanisms import LongitudinalRappor, RandomizedResponse, RandomizedResponseBool, SubsetSelection
from discreet.reals import sign
from discreet.survey.questions import Form, Mechanism
from discreet.survey.reports import Report

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Client", "Teller", "checked_secret"]

_LEAST_SECRET: Final = 16


class Teller:
    """What clients share: a secret that stays where it is, and losses of one report and of many, stated apart."""

    form: Any
    _secret: bytes | None

    def loss_of(self, reports: int | None = 1, /) -> Loss:
        """Return the exact loss of so many reports of one unchanged answer; None stands for any number of them."""
        count = None if reports is None else whole(reports, "reports", least=0)
        m: Mechanism = self.form.mechanism
        if count == 0:
            return m.loss(0)
        if isinstance(m, LongitudinalRappor):
            return m.loss_for_ever() if count is None else m.loss_of(count)
        if self._secret is not None:
            return m.loss(1)  # proof: same
        loss = m.loss(1)
        if isinstance(loss, float) or (count is None and sign(loss) > 0):
            return INFINITE
        return loss * (count or 0)  # proof: anew

    def privacy_map_of(self, reports: int | None = 1, /) -> float:
        """Return the loss of so many reports of one unchanged answer, rounded up.

        >>> from discreet.survey import Question
        >>> from discreet import RandomizedResponseBool
        >>> client = Question("smokes", [False, True]).client(RandomizedResponseBool(prob="3/4"))
        >>> client.privacy_map_of(2), client.privacy_map_of(None)                       # 2 ln 3
        (2.1972245773362196, inf)
        """
        return MaxDivergence().up(self.loss_of(reports))

    def __reduce__(self) -> str | tuple[Any, ...]:
        if self._secret is not None:
            raise KindError("client", type(self), "a client without a secret to pickle: a secret stays where it is")
        return self._remake()

    def _remake(self) -> tuple[Any, ...]:
        raise NotImplementedError


@final
class Client(Teller):
    """What turns a person's answers to one question into reports.

    >>> from discreet.survey import Question
    >>> from discreet import RandomizedResponse
    >>> q = Question("smokes", ["never", "sometimes", "daily"])
    >>> client = q.client(RandomizedResponse(categories=q.categories, prob="3/4"), secret=b"only on this device")
    >>> client.report("daily") == client.report("daily")
    True
    >>> client.privacy_map_of(1) == client.privacy_map_of(1000)
    True
    """

    def __init__(self, form: Form, *, secret: bytes | None = None) -> None:
        if not isinstance(form, Form):
            raise KindError("form", type(form), "a Form, as question.form(mechanism) gives")
        self.form = form
        self._secret = checked_secret(secret)
        if isinstance(form.mechanism, LongitudinalRappor) and secret is None:
            raise ParameterError("secret", secret, "a secret: LongitudinalRappor keeps its permanent answer by it")

    def report(self, answer: Any, /) -> Report:
        """Return a report of an answer; a foreign answer raises DomainError, and no coin is tossed."""
        place = int(self.form.question.places([answer])[0])
        return Report(self.form.digest, self._payload(place))

    def report_many(self, answers: Sequence[Any] | NDArray[Any], /) -> NDArray[np.uint8]:
        """Return the payloads of many people's reports, one row of bytes each; not for a client with a secret.

        >>> from discreet.survey import Question
        >>> from discreet import RandomizedResponse
        >>> q = Question("smokes", ["never", "daily"])
        >>> q.client(RandomizedResponse(categories=q.categories, prob=1)).report_many(["never", "daily"]).tolist()
        [[0], [1]]
        """
        if self._secret is not None:
            raise ParameterError("secret", "...", "no secret for many people: each has their own")
        form: Form = self.form
        return form.perturb(form.question.places(answers))

    def _payload(self, place: int) -> bytes:
        form: Form = self.form
        m = form.mechanism
        coins: Coins = SYSTEM
        if self._secret is not None:
            coins = KeyedCoins(self._secret, form.digest + place.to_bytes(4, "little"))  # proof: memory
        if isinstance(m, LongitudinalRappor):
            memo = m.permanent(_one_hot(place, m.length), coins)  # proof: permanent
            return _packed(m.instantaneous(memo, SYSTEM))  # proof: instantaneous
        values = form.question.categories
        if isinstance(m, RandomizedResponse | RandomizedResponseBool):
            said = values.index(m.sample(values.values[place], coins))
            return form.pack_places(np.array([said])).tobytes()
        if isinstance(m, SubsetSelection):
            bits = np.zeros(len(values), np.bool_)
            bits[[values.index(value) for value in m.sample(values.values[place], coins)]] = True
            return _packed(bits)
        return _packed(m.sample(_one_hot(place, m.length), coins))

    def __repr__(self) -> str:
        return f"<client of {self.form.question.name}{' with a secret' if self._secret is not None else ''}>"

    def _remake(self) -> tuple[Any, ...]:
        return Client, (self.form,)


def checked_secret(secret: bytes | None) -> bytes | None:
    """Return a secret, or raise without showing it."""
    if secret is not None and not isinstance(secret, bytes):
        raise KindError("secret", type(secret), "bytes")
    if secret is not None and len(secret) < _LEAST_SECRET:
        raise ParameterError(
            "secret", f"{len(secret)} bytes", f"at least {_LEAST_SECRET} bytes, such as os.urandom(32)"
        )
    return secret


def _one_hot(place: int, length: int) -> NDArray[np.bool_]:
    bits = np.zeros(length, np.bool_)
    bits[place] = True
    return bits


def _packed(bits: NDArray[np.bool_]) -> bytes:
    return np.packbits(bits, bitorder="little").tobytes()
