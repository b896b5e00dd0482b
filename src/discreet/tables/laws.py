"""Laws: which noise a part of a release has. Public parameters alone decide, and no data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias, final

from discreet.domains import Maps, Vectors
from discreet.errors import ParameterError, one_of
from discreet.exact import Exact
from discreet.measures import amount
from discreet.mechanisms import GaussianThreshold, IntegerGaussian, IntegerLaplace, LaplaceThreshold
from discreet.mechanisms.add_noise import AddNoise
from discreet.mechanisms.keep_above import KeepAbove
from discreet.metrics import Sensitivity

__all__ = ["LAWS", "Candidate", "Mechanism", "candidates", "check_epsilon", "check_noise"]

Mechanism: TypeAlias = AddNoise | KeepAbove
_SURE: Final = (Fraction(1, 2), Fraction(19, 20))
_MOST: Final = 50
"""An epsilon that promises nothing; above it noise is Laplace noise."""
_DELTAS: Final = "1e-300 <= delta < 1"


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

    @property
    def cost(self) -> tuple[int, float]:
        """What is to be small: how many a group needs to be shown as often as not, then the standard deviation."""
        return self.n50 or 0, self.mechanism.noise.deviation


class Law(NamedTuple):
    """How a law is found within a budget, with a threshold and without, and whether it is: some need a delta.

    *fails* says that its loss exceeds epsilon with a probability of at most delta, which is more than (epsilon, delta).
    """

    keep: Callable[..., KeepAbove]
    add: Callable[..., AddNoise]
    fits: Callable[[Fraction, Fraction], bool]
    fails: bool


def _laplace(*, delta: Fraction, **given: object) -> IntegerLaplace:
    """Return noise that loses no delta."""
    return IntegerLaplace.within(**given)  # type: ignore[arg-type]


def _small(epsilon: Fraction, delta: Fraction) -> bool:
    """Whether the exact profile of Gaussian noise is found within the budget in milliseconds."""
    return epsilon <= _MOST and Fraction("1e-300") <= delta < 1


LAWS: Final = {
    "laplace": Law(LaplaceThreshold.within, _laplace, lambda epsilon, delta: True, fails=True),
    "gaussian": Law(GaussianThreshold.within, IntegerGaussian.within, _small, fails=False),
}


@lru_cache(maxsize=512)
def candidates(
    domain: Maps | Vectors, apart: Sensitivity, epsilon: Fraction, delta: Fraction, noise: str = "auto"
) -> tuple[Candidate, ...]:
    """Return the laws that a part may have, or the one that is named, the best first.

    Over maps, whose keys are private, that is the law under which the smallest groups are shown as often as not: where
    sizes fall like 1 / rank, that decides how many are. Over vectors it is the one with the least standard deviation.

    >>> from discreet.domains import Integers, Texts
    >>> three, delta = Sensitivity(3, 3, 1), Fraction("1e-6")
    >>> [(each.law, each.n50, each.n95) for each in candidates(Maps(Texts(), Integers()), three, Fraction(1), delta)]
    [('gaussian', 38, 50), ('laplace', 45, 52)]
    >>> [each.law for each in candidates(Vectors(Integers()), three, Fraction(1), delta)]
    ['laplace', 'gaussian']
    """
    check_noise(noise, epsilon, delta)
    found = []
    for name, law in LAWS.items() if noise == "auto" else [(noise, LAWS[noise])]:
        if not law.fits(epsilon, delta):
            continue
        if isinstance(domain, Maps):
            made: Mechanism = law.keep(epsilon=epsilon, delta=delta, **apart._asdict(), domain=domain)
        else:
            made = law.add(epsilon=epsilon, delta=delta, d_in=apart, domain=domain)
        found.append(Candidate.of(name, made))
    return tuple(sorted(found, key=lambda each: each.cost))


def check_noise(noise: str, epsilon: Fraction, delta: Fraction | None) -> None:
    """Raise unless a noise has a name, and a budget at which it can be found.

    >>> check_noise("gaussian", Fraction(1), None)
    Traceback (most recent call last):
    discreet.errors.ParameterError: delta=None: need 1e-300 <= delta < 1, for noise='gaussian'
    """
    if one_of("noise", noise, ("auto", *LAWS)) == "auto" or LAWS[noise].fits(epsilon, delta or Fraction(0)):
        return
    name, value, need = ("delta", delta, _DELTAS) if epsilon <= _MOST else ("epsilon", epsilon, f"epsilon <= {_MOST}")
    raise ParameterError(name, value, f"{need}, for noise={noise!r}")


def check_epsilon(epsilon: Exact) -> Fraction:
    """Return an epsilon that a question may have."""
    budget = amount(epsilon)
    if budget == 0:
        raise ParameterError("epsilon", epsilon, "epsilon > 0")
    if budget > 1 << 1000:
        need = "an epsilon that is a number among floats; this one promises nothing"
        raise ParameterError("epsilon", epsilon, need)
    return budget
