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
from discreet.exact import Exact, whole, written
from discreet.ledger import Ledger
from discreet.measures import INFINITE, MaxDivergence, Pure, amount
from discreet.reals import sign
from discreet.survey.forms import AnyForm, Form
from discreet.survey.reports import Report

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MOST", "Client", "Teller", "cost_within", "given", "is_paid"]

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
        self._price = self.loss_of(1 if secret is None else None)
        """What is charged: the loss of a report, or with a secret that of any number of them."""
        self._cost = cost_within(self._price, most, ledger, form.question.name)
        if ledger is not None and self._cost > 0 and not self._may_be_free(given(ledger)):
            ledger.require(epsilon=self._cost)

    def _may_be_free(self, paid: list[dict[str, Any]], /) -> bool:
        """Whether some answer to this form may have been paid for; which one, `report` sees."""
        form = self.form.digest.hex()
        return self._secret is not None and any(r["form"] == form and r["answer"] for r in paid)

    def report(self, answer: Any, /) -> Report:
        """Return a report of an answer; a foreign answer is refused, is not charged, and no coin is tossed."""
        context, told = self._heard(answer)
        receipt = self._receipt(context)
        if self._ledger is not None and self._cost > 0 and not is_paid(receipt, given(self._ledger)):  # proof: free
            self._ledger.charge(epsilon=self._cost, table=self.form.question.name, receipt=receipt)  # proof: charge
        return Report(self.form.tag, self._drawn(told, self._coins(context)))

    def _heard(self, answer: Any, /) -> tuple[bytes, Any]:
        """Return the context of an answer, and the answer as `_drawn` takes it; raise where it is foreign."""
        raise NotImplementedError

    def _drawn(self, told: Any, coins: Coins, /) -> bytes:
        """Return a payload drawn with these coins."""
        raise NotImplementedError

    def _coins(self, context: bytes, /) -> Coins:
        """Return the coins of a report that is paid for: those of the secret and the context, if there is one."""
        return SYSTEM if self._secret is None else KeyedCoins(self._secret, context)  # proof: memory

    def _receipt(self, context: bytes, /) -> dict[str, Any]:
        """Return what a ledger keeps of a report: its form, and a mark that tells its answer to nobody else."""
        mark = None
        if self._secret is not None:
            mark = f"{KeyedCoins(self._secret, b'mark' + context).bits(128):032x}"  # proof: mark
        return {"form": self.form.digest.hex(), "answer": mark}

    def loss_of(self, reports: int | None = 1, /, *, devices: int = 1) -> Pure:
        """Return the exact loss of so many reports of one unchanged answer; None stands for any number of them.

        With *devices*, each of them sends so many, by a secret of its own, or without one: the losses add up.
        """
        count = None if reports is None else whole(reports, "reports", least=0)
        several = whole(devices, "devices", least=1)
        if count == 0:
            return self.form.mechanism.loss(0)
        if self._secret is not None:
            return MaxDivergence().add([self.form.oracle.loss_of(count)] * several)  # proof: devices
        epsilon = self.form.mechanism.loss(1).epsilon
        if isinstance(epsilon, float) or (count is None and sign(epsilon) > 0):
            return Pure(INFINITE)
        return Pure(epsilon * (count or 0) * several)  # proof: anew

    def privacy_map_of(self, reports: int | None = 1, /, *, devices: int = 1) -> float:
        """Return the loss of so many reports of one unchanged answer, from each of some *devices*, rounded up.

        >>> from discreet.survey import Question
        >>> from discreet import RandomizedResponseBool
        >>> client = Question("smokes", [False, True]).client(RandomizedResponseBool(prob="3/4"))
        >>> client.privacy_map_of(2), client.privacy_map_of(None)                       # 2 ln 3
        (2.1972245773362196, inf)
        >>> client.privacy_map_of(devices=2)
        2.1972245773362196
        """
        return MaxDivergence().up(self.loss_of(reports, devices=devices))

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

    def _heard(self, answer: Any, /) -> tuple[bytes, int]:
        """Return the context of an answer and its place; a foreign answer raises DomainError."""
        place = int(self.form.question.places([answer])[0])
        return self.form.digest + place.to_bytes(4, "little"), place  # proof: context

    def _drawn(self, told: int, coins: Coins, /) -> bytes:
        """Return a payload of the answer at a place, drawn with these coins."""
        return self.form.oracle.draw(told, coins).tobytes()

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

    def __repr__(self) -> str:
        return f"<client of {self.form.question.name}{' with a secret' if self._secret is not None else ''}>"

    def _remake(self) -> tuple[Any, ...]:
        return _client, (self.form, self._most, self._ledger)


def _client(form: Form, most: Exact, ledger: Ledger | None) -> Client:
    return Client(form, most=most, ledger=ledger)


def cost_within(price: Pure, most: Exact, ledger: Ledger | None, name: str, /) -> float:
    """Return what is charged, rounded up; raise where it is more than *most*, or than any ledger has."""
    if ledger is not None and not isinstance(ledger, Ledger):
        raise KindError("ledger", type(ledger), "a Ledger, of this person alone")
    if not (isinstance(most, float) and most == INFINITE):
        amount(most, "most")
    cost = MaxDivergence().up(price)
    if not MaxDivergence().allows(price, most):  # proof: most
        told = _shown(price, cost)
        hint = "" if cost == INFINITE else f" (most = {told} would let it be asked)"
        raise BudgetError(f"{name}: epsilon={told} is more than most={show(most)}; nothing was asked{hint}")
    if ledger is not None and cost == INFINITE:
        raise BudgetError(f"{name}: epsilon={cost} is more than any ledger has; nothing was asked")
    return cost


def _shown(price: Pure, cost: float) -> str:
    """Write a loss shortly, and such that it is enough as a limit."""
    if cost == INFINITE:
        return "inf"
    short = written(cost, up=True)
    return short if "/" not in short and MaxDivergence().allows(price, short) else repr(cost)


def given(ledger: Ledger | None, /) -> list[dict[str, Any]]:
    """Return the receipts of what a person has given to surveys, by form; a charge that was taken back has none."""
    entries = [] if ledger is None else ledger.entries()
    void = {entry.about for entry in entries if entry.kind == "void"}  # proof: void
    receipts = [entry.receipt for entry in entries if entry.number not in void]
    return [each for receipt in receipts for each in _reports(receipt) if _is_receipt(each)]


def is_paid(receipt: dict[str, Any], paid: list[dict[str, Any]], /) -> bool:
    """Whether the same answer to the same form, by the same secret, is among the receipts."""
    return receipt["answer"] is not None and receipt in paid


def _reports(receipt: Any) -> list[Any]:
    """Return the receipts of single reports: that of a survey has several."""
    if isinstance(receipt, dict) and set(receipt) == {"survey", "reports"} and isinstance(receipt["reports"], list):
        return receipt["reports"]
    return [receipt]


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
