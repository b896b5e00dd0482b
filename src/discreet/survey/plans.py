"""Plans: which mechanism to choose, how many people to ask, and how near that is to the best that can be.

The choice is made by what is asked for: the fewest people for a margin, the least margin for a number of people, or,
with neither, the least variance at equal shares. For k choices within epsilon no mechanism has, at large n, a mean
squared error below M/n over all choices together, with M = min over d of (k-1)² (d e + k - d)² / (k d (k-d) (e-1)²),
e = exp(epsilon) [Ye and Barg 2018].
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING, Any, Final, final

from discreet.domains import Categories
from discreet.errors import ParameterError
from discreet.exact import Exact, exact, whole, written
from discreet.intervals import binomial
from discreet.measures import amount
from discreet.pages.charts import curves
from discreet.pages.results import Result
from discreet.pages.sheet import Column, Sheet, amounts
from discreet.reals import Number, exp, float_down, float_up
from discreet.survey.estimates import checked_error
from discreet.survey.oracles import KINDS, LocalMechanism, Oracle, oracle_of
from discreet.survey.oracles.base import Width
from discreet.survey.sheets import percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LEAST_EPSILON: Final = Fraction(1, 10**9)
_MOST_PEOPLE: Final = 1 << 50
_MOST_CHOICES: Final = 10**6
_VARIANCE: Final = (
    "n × var: the number of people times the variance of a share, where all are equal. Influence: by how many people "
    "one crafted report can move the estimated number of a choice."
)

__all__ = ["LEAST_EPSILON", "Option", "Plan", "limit", "make_plan", "margin_of", "plan", "unit_variance"]


@final
@dataclass(frozen=True, slots=True)
class Option:
    """A mechanism within the budget, with its figures.

    *unit_variance* is n times the variance of one share, at equal shares. For so many *people*, *error* is the standard
    error of a share at equal shares, and *margin* half the width of an interval at the least favourable share.
    *influence* is by how many people one crafted report can move the estimated number of a choice; see `influence`.
    """

    mechanism: LocalMechanism
    unit_variance: float
    of_limit: float
    people: int | None
    margin: float | None

    @property
    def error(self) -> float | None:
        """The standard error of a share, at equal shares."""
        return None if self.people is None else float((self.unit_variance / self.people) ** 0.5)

    @property
    def influence(self) -> Fraction:
        """By how many people one crafted report can move the estimated number of a choice, exactly."""
        return oracle_of(self.mechanism).influence

    @property
    def name(self) -> str:
        """The mechanism's name, with what sets it apart: the size of its subsets, if it has one."""
        return oracle_of(self.mechanism).name


@final
@dataclass(frozen=True, repr=False)
class Plan(Result):
    """The mechanisms within a budget, the best first, with what they need and what they give.

    The best is the one that needs the fewest people for the margin that is asked for, or that has the least margin for
    the people that are given: both at the least favourable share. With neither it has the least variance at equal
    shares.

    >>> from discreet.survey import Question
    >>> Question("city", [f"city {i}" for i in range(10)]).plan(epsilon=1, people=10_000)
    10 choices, epsilon 1: no mechanism has an n × variance below 3
      mechanism                 n × var  of limit  influence  people  error  margin
      SubsetSelection, 4 of 10     3.26   108.5 %       2.31  10,000   1.80    3.63
      Rappor                       4.01   133.6 %       2.55  10,000   2.00    4.02
      OptimizedUnary               3.88   129.1 %       3.17  10,000   1.97    4.26
      RandomizedResponse           4.19   139.5 %       6.24  10,000   2.05    5.68
    n × var: the number of people times the variance of a share, where all are equal. Influence: by how many people \
one crafted report can move the estimated number of a choice.
    In points: error, the standard error of a share, where all are equal; margin, half the width of a 95 % interval \
at the least favourable share.
    """

    choices: int
    epsilon: Fraction
    confidence: float
    limit: float
    options: tuple[Option, ...]

    @property
    def best(self) -> Option:
        """The option that serves best what was asked for."""
        return self.options[0]

    @property
    def mechanism(self) -> LocalMechanism:
        """The best mechanism."""
        return self.best.mechanism

    @property
    def people(self) -> int | None:
        """How many people to ask, with the best mechanism."""
        return self.best.people

    @property
    def margin(self) -> float | None:
        """Half the width of an interval at the least favourable share, with the best mechanism."""
        return self.best.margin

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary an option."""
        return [
            {
                "mechanism": option.name,
                "unit_variance": option.unit_variance,
                "of_limit": option.of_limit,
                "influence": float_up(option.influence),
                "people": option.people,
                "error": option.error,
                "margin": option.margin,
            }
            for option in self.options
        ]

    @property
    def sheet(self) -> Sheet:
        """The mechanisms, the best first: variance, influence and, where people are asked for, errors."""
        options, shares = self.options, [option.of_limit for option in self.options]
        columns = [
            Column("mechanism", [option.name for option in options], head=True),
            amounts("n × var", [option.unit_variance for option in options]),
            Column("of limit", shares, shown=[f"{100 * share:.1f} %" for share in shares]),
            amounts("influence", [option.influence for option in options]),
        ]
        remarks = [_VARIANCE]
        if self.people is not None:
            columns += [
                Column("people", [option.people for option in options], 0),
                Column("error", [100 * float(option.error or 0) for option in options], 2),
                Column("margin", [100 * float(option.margin or 0) for option in options], 2),
            ]
            width = f"half the width of a {percent(self.confidence)} interval at the least favourable share"
            remarks.append(f"In points: error, the standard error of a share, where all are equal; margin, {width}.")
        note = f"no mechanism has an n × variance below {written(self.limit, up=False)}"
        title = f"{self.choices:,} choices, epsilon {written(self.epsilon, up=True)}"
        return Sheet(title, columns, note, remarks, "mechanism", chosen=[0])

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw each mechanism's standard error of a share, at equal shares, by the number of people."""
        import numpy as np

        middle = self.people or 10_000
        people = np.geomspace(max(middle / 10, 1), middle * 10, 50)
        errors = {option.name: np.sqrt(option.unit_variance / people) for option in self.options}
        return curves(
            people,
            errors,
            below=("limit", np.sqrt(self.limit / people)),
            ax=ax,
            title=self.sheet.title,
            xlabel="people",
            ylabel="standard error of a share",
        )


def make_plan(
    choices: Categories,
    *,
    epsilon: Exact,
    margin: Exact | None = None,
    people: int | None = None,
    max_share: Exact | None = None,
    confidence: Exact = "0.95",
) -> Plan:
    """Return the plan for a list of choices: for a *margin*, how many people; for *people*, what margin.

    The margin is that of the least favourable share; of those up to *max_share*, if no choice can have a greater one.

    >>> make_plan(Categories(["no", "yes"]), epsilon=1, margin="0.05").people
    1840
    """
    budget, error = amount(epsilon), checked_error(confidence)
    if budget < LEAST_EPSILON:
        raise ParameterError("epsilon", epsilon, f"epsilon >= {float(LEAST_EPSILON)}: below, a report says nothing")
    if len(choices) < 2:
        raise ParameterError("choices", len(choices), "at least two choices")
    if margin is not None and people is not None:
        raise ParameterError("people", people, "either margin or people, not both")
    wide = None if margin is None else exact(margin, "margin")
    if wide is not None and not 0 < wide < 1:
        raise ParameterError("margin", margin, "0 < margin < 1, such as 0.02 for two points")
    count = None if people is None else whole(people, "people", least=1)
    if count is not None and count > _MOST_PEOPLE:
        raise ParameterError("people", people, f"people <= {_MOST_PEOPLE}")
    if max_share is not None and wide is None and count is None:
        raise ParameterError("max_share", max_share, "a margin or people beside it")
    greatest = exact(1 if max_share is None else max_share, "max_share")
    if not 0 < greatest <= 1:
        raise ParameterError("max_share", max_share, "0 < max_share <= 1")
    k, best, share = len(choices), limit(len(choices), budget), float(greatest)

    def option(kind: type[Oracle[Any]]) -> Option:
        best_for: Callable[[Width | None], LocalMechanism] = kind.chooser(choices, budget)

        def make(n: int | None) -> LocalMechanism:
            return best_for(None if n is None else partial(_half_width, n=n, error=error, max_share=share))

        n = count if wide is None else _people(lambda n: margin_of(make(n), n, error, share), float(wide))
        mechanism = make(n)
        unit = float(unit_variance(mechanism, k))
        found = None if n is None else margin_of(mechanism, n, error, share)
        return Option(mechanism, unit, unit / best, n, found)

    options = [option(kind) for kind in KINDS.values() if kind.planned]
    options = [option for option in options if not oracle_of(option.mechanism).redundant]
    options.sort(key=lambda option: (option.people or 0, option.margin or 0.0, option.unit_variance))
    return Plan(k, budget, 1 - error, best, tuple(options))


def plan(choices: int | Iterable[Any], **wanted: Any) -> Plan:
    """Return the plan for a number of choices, or a list of them; the rest is as for `Question.plan`.

    >>> plan(2, epsilon=1, margin="0.05").people
    1840
    """
    if not isinstance(choices, Iterable):
        count = whole(choices, "choices", least=2)
        if count > _MOST_CHOICES:
            raise ParameterError("choices", choices, f"choices <= {_MOST_CHOICES}")
        choices = range(count)
    return make_plan(Categories(choices, "choices"), **wanted)


def unit_variance(mechanism: LocalMechanism, k: int) -> Fraction:
    """Return n times the variance of a share of 1/k, as of a sample, exactly.

    >>> from discreet import RandomizedResponse
    >>> m = RandomizedResponse.within(epsilon=1, categories=range(10))
    >>> round(float(unit_variance(m, 10)), 2)
    4.19
    """
    p, q = mechanism.support
    seen = (p + (k - 1) * q) / k
    return seen * (1 - seen) / (p - q) ** 2


def limit(k: int, epsilon: Fraction) -> float:
    """Return the least n times variance of one share that any mechanism can have: M/k.

    >>> round(limit(10, Fraction(1)), 2), round(limit(2, Fraction(1)), 2)
    (3.0, 1.17)
    """
    e = exp(epsilon)

    def at(d: int) -> Number:
        return (k - 1) ** 2 * (d * e + (k - d)) ** 2 / (k * k * d * (k - d) * (e - 1) ** 2)

    middle = int(float_down(k / (e + 1)))  # The least is next to k / (e + 1), where it would be if d were real.
    return min(float_down(at(d)) for d in {max(middle, 1), min(middle + 1, k - 1)})


def margin_of(mechanism: LocalMechanism, n: int, error: float, max_share: float = 1.0) -> float:
    """Return half the width of the interval at the least favourable share, of those up to *max_share*.

    >>> from discreet import RandomizedResponse
    >>> round(margin_of(RandomizedResponse.within(epsilon=1, categories=range(2)), 1840, 0.05), 4)
    0.05
    """
    p, q = mechanism.support
    return min(_half_width(float(q), float(p - q), n, error, max_share), 0.5)


def _half_width(q: float, gap: float, n: int, error: float, max_share: float) -> float:
    """Return half the width where reports support a choice as nearly half of the time as its share allows."""
    low, high = binomial(n * min(max(0.5, q), q + max_share * gap), n, error)
    return float(high - low) / gap / 2


def _people(margin_at: Callable[[int], float], margin: float) -> int:
    """Return the least number of people for a margin: the width falls as n grows."""
    low, high = 0, 1
    while margin_at(high) > margin:
        low, high = high, 2 * high
        if high > _MOST_PEOPLE:
            raise ParameterError("margin", margin, "a margin that fewer than 2**50 people give")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if margin_at(middle) <= margin else (middle, high)
    return high
