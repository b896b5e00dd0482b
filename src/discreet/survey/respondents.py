"""Respondents: where a person's answers to a whole survey are randomized, before they leave the person.

All questions are answered at once, and none is left out: one without an answer gets its *missing* choice, randomized.
All answers are checked, and the sum of what they lose is charged at once, before the first coin is tossed.
Proof: clients.md, which cites the marked lines.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, final

from discreet.errors import KindError, ParameterError
from discreet.measures import INFINITE, MaxDivergence, Pure
from discreet.survey.clients import MOST, Client, Teller, cost_within, given, is_paid
from discreet.survey.forms import AnyForm, Form
from discreet.survey.responses import Response, survey_digest
from discreet.survey.texts import TextClient, TextForm
from discreet.survey.wire import TAG

if TYPE_CHECKING:
    from discreet.exact import Exact
    from discreet.ledger import Ledger

__all__ = ["SurveyClient"]


@final
class SurveyClient:
    """What turns a person's answers to all questions of a survey into one response.

    *secret*, *most* and *ledger* are those of a `Client`; *most* is for the whole survey.

    >>> from discreet.survey import Question, Survey
    >>> survey = Survey([Question("smokes", ["no", "yes"]), Question("age", ["young", "old"], missing="?")], epsilon=2)
    >>> client = survey.client(secret=b"only on this device")
    >>> response = client.report({"smokes": "yes"})                                     # Of the age, "?" is said.
    >>> len(response.payloads), response == client.report({"smokes": "yes", "age": None})
    (2, True)
    >>> client.privacy_map_of(None) <= 2, client.privacy_map_of(None, devices=2) <= 4
    (True, True)
    """

    def __init__(
        self,
        forms: tuple[AnyForm, ...],
        *,
        secret: bytes | None = None,
        most: Exact = MOST,
        ledger: Ledger | None = None,
    ) -> None:
        if not isinstance(forms, tuple) or not forms or not all(isinstance(form, AnyForm) for form in forms):
            raise KindError("forms", type(forms), "a tuple of forms, as survey.forms is")
        self._tellers = [_teller(form, secret) for form in forms]
        self._given = forms, secret is not None, most, ledger
        self.digest = survey_digest(form.digest for form in forms)
        price = MaxDivergence().add(teller._price for teller in self._tellers)
        cost = cost_within(price, most, ledger, "this survey")  # proof: whole
        if ledger is not None and cost > 0:
            paid = given(ledger)
            if not any(teller._may_be_free(paid) for teller in self._tellers):
                ledger.require(epsilon=cost)
        self._ledger = ledger

    @property
    def tag(self) -> bytes:
        """What the survey's responses carry."""
        return self.digest[:TAG]

    def report(self, answers: Mapping[str, Any], /) -> Response:
        """Return a response to all questions, from answers by name; what has no answer gets its missing choice.

        A foreign answer, or none where it is required, is refused: nothing is charged and no coin is tossed.
        """
        names = [teller.form.question.name for teller in self._tellers]
        if not isinstance(answers, Mapping):
            raise KindError("answers", type(answers), "a mapping from names of questions to answers")
        if not set(answers) <= set(names):
            raise ParameterError("answers", "...", f"answers to {', '.join(names)}")
        heard = [teller._heard(answers.get(name)) for name, teller in zip(names, self._tellers, strict=True)]
        self._pay([context for context, _ in heard])
        drawn = [t._drawn(told, t._coins(context)) for t, (context, told) in zip(self._tellers, heard, strict=True)]
        return Response(self.tag, tuple(drawn))

    def _pay(self, contexts: list[bytes]) -> None:
        """Charge what these reports lose together, but for those that were paid for, in one entry."""
        if self._ledger is None:
            return
        paid = given(self._ledger)
        both = [(t, t._receipt(context)) for t, context in zip(self._tellers, contexts, strict=True)]
        owed = [(teller, receipt) for teller, receipt in both if not is_paid(receipt, paid)]  # proof: owed
        cost = MaxDivergence().up(MaxDivergence().add(teller._price for teller, _ in owed))
        if cost > 0:
            receipt = {"survey": self.digest.hex(), "reports": [receipt for _, receipt in owed]}
            self._ledger.charge(epsilon=cost, table="survey", receipt=receipt)  # proof: together

    def loss_of(self, reports: int | None = 1, /, *, devices: int = 1) -> Pure:
        """Return the exact loss of so many responses of unchanged answers, from each of some devices: the sum."""
        return MaxDivergence().add(teller.loss_of(reports, devices=devices) for teller in self._tellers)  # proof: sum

    def privacy_map_of(self, reports: int | None = 1, /, *, devices: int = 1) -> float:
        """Return the loss of so many responses of unchanged answers, from each of some *devices*, rounded up.

        Two devices have two secrets, so that each draws answers of its own: the losses add up.
        """
        return MaxDivergence().up(self.loss_of(reports, devices=devices))

    def __repr__(self) -> str:
        forms, secret, _, _ = self._given
        return f"<client of {len(forms)} questions{' with a secret' if secret else ''}>"

    def __reduce__(self) -> tuple[Any, ...]:
        forms, secret, most, ledger = self._given
        if secret:
            raise KindError("client", type(self), "a client without a secret to pickle: a secret stays where it is")
        return _client, (forms, most, ledger)


def _teller(form: AnyForm, secret: bytes | None) -> Teller:
    """Return the client of one question; what may be given is a matter of the whole."""
    if isinstance(form, TextForm):
        return TextClient(form, secret=secret, most=INFINITE)
    if isinstance(form, Form):
        return Client(form, secret=secret, most=INFINITE)
    raise KindError("forms", type(form), "forms of questions with choices, or of open text")


def _client(forms: tuple[AnyForm, ...], most: Exact, ledger: Ledger | None) -> SurveyClient:
    return SurveyClient(forms, most=most, ledger=ledger)
