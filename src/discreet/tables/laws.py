"""Laws: which noise a part of a release has. Public parameters alone decide, and no data."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, final

from discreet.domains import Maps, Vectors
from discreet.errors import ParameterError, one_of
from discreet.events import Event
from discreet.exact import Exact, written
from discreet.measures import amount
from discreet.mechanisms import (
    GaussianThreshold,
    IntegerGaussian,
    IntegerLaplace,
    LaplaceThreshold,
    TruncatedLaplaceThreshold,
)
from discreet.mechanisms.add_noise import AddNoise
from discreet.mechanisms.keep_above import KeepAbove
from discreet.metrics import Sensitivity
from discreet.reals import float_down

if TYPE_CHECKING:
    from discreet.coins import Coins
    from discreet.domains import Domain
    from discreet.measures import Loss, Measure

__all__ = ["LAWS", "Candidate", "Mechanism", "candidates", "check_epsilon", "check_noise", "shares_of", "within_means"]

_SURE: Final = (Fraction(1, 2), Fraction(19, 20))
_MOST: Final = 50
"""An epsilon that promises nothing; above it noise is Laplace noise."""
_TIMES: Final = 2
"""A better law may take so many times the share of what is left that the cheapest one takes."""
_LEAST: Final = Fraction(float_down(Fraction("1e-300")))


class Mechanism(Hashable, Protocol):
    """What a column goes through: a measurement that says its noise, which has a deviation and a radius."""

    @property
    def noise(self) -> Any:
        """The law of the noise, or of the error."""

    @property
    def input_domain(self) -> Domain:
        """What it takes."""

    @property
    def output_measure(self) -> Measure[Loss]:
        """How the loss is stated."""

    def loss(self, d_in: Any, /) -> Loss:
        """Return what it loses."""

    def event(self, d_in: Any, /) -> Event:
        """Return what it tells."""

    def sample(self, x: Any, coins: Coins, /) -> Any:
        """Draw a release: numbers, of all groups for each view in turn."""


@final
@dataclass(frozen=True, slots=True)
class Candidate:
    """A law of noise, by name, and the mechanism with the least of it within a budget."""

    law: str
    mechanism: Mechanism
    n50: int | None = None
    n95: int | None = None
    """How many a group needs to be shown as often as not, and with probability 95 %; None where every group is."""

    @classmethod
    def of(cls, law: str, mechanism: Mechanism) -> Candidate:
        """Return the candidate with what it needs."""
        above = getattr(mechanism, "threshold", None)
        return cls(law, mechanism, *(mechanism.noise.needed(above, p) for p in _SURE if above is not None))

    @property
    def threshold(self) -> int | None:
        """The number above which a group is shown; None where every group is."""
        return getattr(self.mechanism, "threshold", None)

    def event(self, apart: Sensitivity) -> Event:
        """Return what books are charged for, between totals that are so far apart."""
        return _event(self.mechanism, apart)

    @property
    def cost(self) -> tuple[int, float]:
        """What is to be small: how many a group needs to be shown as often as not, then the standard deviation."""
        return self.n50 or 0, self.mechanism.noise.deviation


class Law(NamedTuple):
    """How a law is found within a budget, with a threshold and without, and whether it is: some need a delta.

    *add* is None where Laplace noise takes its place if there is no threshold. *fails* says that its loss exceeds
    epsilon with a probability of at most delta, which is more than (epsilon, delta).
    """

    keep: Callable[..., KeepAbove]
    add: Callable[..., AddNoise] | None
    fits: Callable[[Fraction, Fraction], bool]
    fails: bool


def _laplace(*, delta: Fraction, **given: object) -> IntegerLaplace:
    """Return noise that loses no delta."""
    return IntegerLaplace.within(**given)  # type: ignore[arg-type]


def _small(epsilon: Fraction, delta: Fraction) -> bool:
    """Whether noise with a delta of its own is found within the budget in milliseconds."""
    return epsilon <= _MOST and _LEAST <= delta < 1


LAWS: Final = {
    "laplace": Law(LaplaceThreshold.within, _laplace, lambda epsilon, delta: True, fails=True),
    "truncated": Law(TruncatedLaplaceThreshold.within, None, _small, fails=True),
    "gaussian": Law(GaussianThreshold.within, IntegerGaussian.within, _small, fails=False),
}


@lru_cache(maxsize=512)
def candidates(
    domain: Maps | Vectors, apart: Sensitivity, epsilon: Fraction, delta: Fraction, noise: str = "auto"
) -> tuple[Candidate, ...]:
    """Return the laws that a part may have, or the one that is named, the best first.

    Over maps, whose keys are private, that is the law under which the smallest groups are shown as often as not: where
    sizes fall like 1 / rank, that decides how many are. Over vectors it is the one with the least standard deviation;
    there truncated noise spreads as widely as Laplace noise of its scale, which needs no delta and takes its place.

    >>> from discreet.domains import Integers, Texts
    >>> three, delta = Sensitivity(3, 3, 1), Fraction("1e-6")
    >>> [(each.law, each.n50, each.n95) for each in candidates(Maps(Texts(), Integers()), three, Fraction(1), delta)]
    [('gaussian', 38, 50), ('truncated', 41, 48), ('laplace', 45, 52)]
    >>> [each.law for each in candidates(Vectors(Integers()), three, Fraction(1), delta)]
    ['laplace', 'gaussian']
    """
    private = isinstance(domain, Maps)
    if noise in LAWS and not (private or LAWS[noise].add):
        noise = "laplace"
    if noise not in LAWS or not LAWS[noise].fits(epsilon, delta):  # As it is written, it may be 1.
        check_noise(noise, epsilon, written(delta, up=True))
    found = []
    for name, law in LAWS.items():
        make = law.keep if private else law.add
        if make is not None and (noise == name or (noise == "auto" and law.fits(epsilon, delta))):
            given = apart._asdict() if private else {"d_in": apart}
            found.append(Candidate.of(name, make(epsilon=epsilon, delta=delta, domain=domain, **given)))
    return tuple(sorted(found, key=lambda each: each.cost))


@lru_cache(maxsize=512)
def _event(mechanism: Mechanism, apart: Sensitivity) -> Event:
    return mechanism.event(apart)


def shares_of(
    found: Sequence[Candidate], apart: Sensitivity, share: Callable[[Event], Fraction], beside: Event
) -> dict[str, Fraction]:
    """Return which share of what is left on the books is taken with each law, and by what is released *beside* it."""
    return {each.law: share(each.event(apart) + beside) for each in found}


def within_means(found: Sequence[Candidate], shares: Mapping[str, Fraction]) -> tuple[Candidate, ...]:
    """Return laws, the one to take first: the best that fits and takes at most twice the least share of what is left.

    Where none fits, it is the one that takes the least.

    >>> from discreet.domains import Integers, Texts
    >>> found = candidates(Maps(Texts(), Integers()), Sensitivity(3, 3, 1), Fraction(1), Fraction("1e-6"))
    >>> for gaussian, other in ((".4", ".2"), (".5", ".2"), ("1.1", ".6"), ("1.2", "1.1")):
    ...     shares = {"gaussian": Fraction(gaussian), "truncated": Fraction(other), "laplace": Fraction(other)}
    ...     print(gaussian, other, within_means(found, shares)[0].law)
    .4 .2 gaussian
    .5 .2 truncated
    1.1 .6 truncated
    1.2 1.1 truncated
    """
    least = min(shares.values())
    most = min(_TIMES * least, max(least, Fraction(1)))
    return tuple(sorted(found, key=lambda each: shares[each.law] > most))


def check_noise(
    noise: str, epsilon: Exact, delta: Exact | None, *, private: bool = True, name: str = "epsilon"
) -> None:
    """Raise unless a noise has a name, a use, and a budget at which it can be found; *name* is that of its epsilon.

    >>> check_noise("gaussian", 1, None)
    Traceback (most recent call last):
    discreet.errors.ParameterError: delta=None: need 1e-300 <= delta < 1, for noise='gaussian'
    >>> check_noise("truncated", 1, "1e-6", private=False)
    Traceback (most recent call last):
    discreet.errors.ParameterError: noise='truncated': need another one: no groups are private, so there is no threshold
    """
    if one_of("noise", noise, ("auto", *LAWS)) == "auto":
        return
    if not (private or LAWS[noise].add):
        raise ParameterError("noise", noise, "another one: no groups are private, so there is no threshold")
    budget, most = amount(epsilon, name), amount(0 if delta is None else delta, "delta")
    if LAWS[noise].fits(budget, most):
        return
    if budget > _MOST:
        raise ParameterError(name, epsilon, f"{name} <= {_MOST}, for noise={noise!r}")
    raise ParameterError("delta", delta, f"1e-300 <= delta < 1, for noise={noise!r}")


def check_epsilon(epsilon: Exact) -> Fraction:
    """Return an epsilon that a question may have."""
    budget = amount(epsilon)
    if budget == 0:
        raise ParameterError("epsilon", epsilon, "epsilon > 0")
    if budget > 1 << 1000:
        need = "an epsilon that is a number among floats; this one promises nothing"
        raise ParameterError("epsilon", epsilon, need)
    return budget
