"""Clients: where an answer is randomized, before it leaves the person.

Without a secret, each report is drawn anew and each one costs its loss again. With a secret, known to this person's
device alone, the coins of a *permanent* answer are the secret's own: HMAC-SHA256 of the form and the answer. Asked
twice, the client says the same, and any number of reports costs what one does.

Whoever asks may ask again in other words, and each form is a new one. So a client refuses a form that costs too much,
and may have a ledger: what this person has given, over all forms. Proof: clients.md, which cites the marked lines.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, final

from discreet.coins import SYSTEM, Coins, KeyedCoins
from discreet.errors import BudgetError, KindError, ParameterError, show
from discreet.exact import Exact, whole
from discreet.ledger import Ledger
from discreet.measures import INFINITE, MaxDivergence, Pure, amount
from discreet.reals import sign
from discreet.survey.forms import AnyForm, Form
from discreet.survey.reports import Report

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MOST", "Client", "Teller"]

MOST: Final = 10
"""The greatest epsilon of a form that a client answers unless told otherwise: odds of 22,000 to 1."""
_LEAST_SECRET: Final = 16


class Teller:
    """What clients share: a secret that stays where it is, what they may give, and what it costs.

    *most* is the greatest epsilon of a form that is answered; `math.inf` answers any, also one that hides nothing.
    *ledger* has what this person has given, over all forms: a report is charged before it is drawn, and one that does
    not fit is refused. An answer that was paid for, and that the secret gives again, is free.
    """

    form: AnyForm

    def __init__(self, form: AnyForm, secret: bytes | None, most: Exact, ledger: Ledger | None) -> None:
        self.form = form
        self._secret = _checked_secret(secret)
        self._most, self._ledger = most, ledger
        if form.oracle.lasting and secret is None:
            need = f"a secret: {type(form.mechanism).__name__} keeps its permanent answer by it"
            raise ParameterError("secret", secret, need)
        if secret is not None and (options := form.oracle.options):  # proof: drawn
            need = "False beside a secret: drawn in another way, the same coins would say something new"
            raise ParameterError(options[0], True, need)
        if ledger is not None and not isinstance(ledger, Ledger):
            raise KindError("ledger", type(ledger), "a Ledger, of this person alone")
        if not (isinstance(most, float) and most == INFINITE):
            amount(most, "most")
        price = self.loss_of(1 if secret is None else None)
        self._cost = MaxDivergence().up(price)
        if not MaxDivergence().allows(price, most):  # proof: most
            raise self._beyond(f"most={show(most)}")
        if ledger is not None and self._cost == INFINITE:
            raise self._beyond("any ledger has")
        if ledger is not None and self._cost > 0 and not self._may_be_free():
            ledger.require(epsilon=self._cost)

    def _may_be_free(self) -> bool:
        """Whether some answer to this form may have been paid for; which one, `report` sees."""
        form = self.form.digest.hex()
        return self._secret is not None and any(r["form"] == form and r["answer"] for r in self._receipts())

    def _beyond(self, limit: str) -> BudgetError:
        return BudgetError(f"{self.form.question.name}: epsilon={self._cost} is more than {limit}; nothing was asked")

    def _receipts(self) -> list[dict[str, Any]]:
        """Return the receipts of what this person has given to surveys; a charge that was taken back has none."""
        entries = [] if self._ledger is None else self._ledger.entries()
        void = {entry.about for entry in entries if entry.kind == "void"}  # proof: void
        return [entry.receipt for entry in entries if _is_receipt(entry.receipt) and entry.number not in void]

    def _paid(self, context: bytes) -> Coins:
        """Return the coins of a report, once it is paid for: those of the secret and the context, if there is one."""
        coins: Coins = SYSTEM
        mark = None
        if self._secret is not None:
            coins = KeyedCoins(self._secret, context)  # proof: memory
            mark = f"{KeyedCoins(self._secret, b'mark' + context).bits(128):032x}"  # proof: mark
        if self._ledger is not None and self._cost > 0:
            receipt = {"form": self.form.digest.hex(), "answer": mark}
            if mark is None or receipt not in self._receipts():  # proof: free
                self._ledger.charge(epsilon=self._cost, table=self.form.question.name, receipt=receipt)  # proof: charge
        return coins

    def loss_of(self, reports: int | None = 1, /) -> Pure:
        """Return the exact loss of so many reports of one unchanged answer; None stands for any number of them."""
        count = None if reports is None else whole(reports, "reports", least=0)
        if count == 0:
            return self.form.mechanism.loss(0)
        if self._secret is not None:
            return self.form.oracle.loss_of(count)
        epsilon = self.form.mechanism.loss(1).epsilon
        if isinstance(epsilon, float) or (count is None and sign(epsilon) > 0):
            return Pure(INFINITE)
        return Pure(epsilon * (count or 0))  # proof: anew

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
    >>> from discreet import Ledger
    >>> book = Ledger.in_memory(epsilon=2)                                      # of this person, for all surveys
    >>> for day in range(30):
    ...     client = q.client(RandomizedResponse(categories=q.categories, prob="3/4"), secret=bytes(16), ledger=book)
    ...     _ = client.report("daily")
    >>> book.spent.epsilon == client.privacy_map_of(1)
    True
    >>> q.client(RandomizedResponse(categories=q.categories, prob="2/3"), ledger=book)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    discreet.errors.BudgetError: epsilon=1.39, delta=0: more than is left in memory: ...
    """

    form: Form

    def __init__(
        self, form: Form, *, secret: bytes | None = None, most: Exact = MOST, ledger: Ledger | None = None
    ) -> None:
        if not isinstance(form, Form):
            raise KindError("form", type(form), "a Form, as question.form(mechanism) gives")
        super().__init__(form, secret, most, ledger)

    def report(self, answer: Any, /) -> Report:
        """Return a report of an answer; a foreign answer raises DomainError, is not charged, and no coin is tossed."""
        place = int(self.form.question.places([answer])[0])
        return Report(self.form.tag, self._payload(place))

    def report_many(self, answers: Sequence[Any] | NDArray[Any], /) -> NDArray[np.uint8]:
        """Return the payloads of many people's reports, one row of bytes each; not for a client with a secret.

        >>> from discreet.survey import Question
        >>> from discreet import RandomizedResponse
        >>> q = Question("smokes", ["never", "daily"])
        >>> q.client(RandomizedResponse(categories=q.categories, prob="3/4")).report_many(["never", "daily"]).shape
        (2, 1)
        """
        if self._secret is not None:
            raise ParameterError("secret", "...", "no secret for many people: each has their own")
        if self._ledger is not None:
            raise ParameterError("ledger", self._ledger, "no ledger for many people: each has their own")
        return self.form.perturb(self.form.question.places(answers))

    def _payload(self, place: int) -> bytes:
        coins = self._paid(self.form.digest + place.to_bytes(4, "little"))  # proof: context
        return self.form.oracle.draw(place, coins).tobytes()

    def __repr__(self) -> str:
        return f"<client of {self.form.question.name}{' with a secret' if self._secret is not None else ''}>"

    def _remake(self) -> tuple[Any, ...]:
        return _client, (self.form, self._most, self._ledger)


def _client(form: Form, most: Exact, ledger: Ledger | None) -> Client:
    return Client(form, most=most, ledger=ledger)


def _is_receipt(receipt: Any) -> bool:
    return isinstance(receipt, dict) and set(receipt) == {"form", "answer"}


def _checked_secret(secret: bytes | None) -> bytes | None:
    """Return a secret, or raise without showing it."""
    if secret is not None and not isinstance(secret, bytes):
        raise KindError("secret", type(secret), "bytes")
    if secret is not None and len(secret) < _LEAST_SECRET:
        raise ParameterError(
            "secret", f"{len(secret)} bytes", f"at least {_LEAST_SECRET} bytes, such as os.urandom(32)"
        )
    return secret
