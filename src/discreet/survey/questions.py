"""Questions: what is asked, and the way from there to plans, clients and collectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from discreet.survey.choices import Choices
from discreet.survey.clients import MOST, Client
from discreet.survey.collectors import Collector
from discreet.survey.forms import Form
from discreet.survey.plans import Plan, make_plan

if TYPE_CHECKING:
    from discreet.exact import Exact
    from discreet.ledger import Ledger
    from discreet.survey.oracles import LocalMechanism

__all__ = ["Question"]


@final
class Question(Choices):
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

    __slots__ = ()

    def form(self, mechanism: LocalMechanism, /) -> Form:
        """Return what client and collector must agree on: this question, asked by a mechanism."""
        return Form(self, mechanism)

    def client(
        self,
        mechanism: LocalMechanism,
        *,
        secret: bytes | None = None,
        most: Exact = MOST,
        ledger: Ledger | None = None,
    ) -> Client:
        """Return what turns a person's answers into reports; see `Client`.

        >>> from discreet import RandomizedResponse
        >>> q = Question("smokes", ["never", "daily"])
        >>> report = q.client(RandomizedResponse(categories=q.categories, prob="3/4")).report("daily")
        >>> len(report.to_bytes())
        19
        """
        return Client(self.form(mechanism), secret=secret, most=most, ledger=ledger)

    def collector(self, mechanism: LocalMechanism, /, *, wave: str | int | None = None) -> Collector:
        """Return an empty box for reports; see `Collector`. It refuses the reports of any other question."""
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
        wanted: dict[str, Any] = {"margin": margin, "people": people, "max_share": max_share, "confidence": confidence}
        return make_plan(self.categories, epsilon=epsilon, **wanted)
