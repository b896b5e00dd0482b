"""Integer Gaussian noise and a threshold, with the joint delta of both: `KeepAbove` of a discrete Gaussian law.

Theorem.  Drop the zeros, add discrete Gaussian noise of variance v to each value, and release the pairs that come out
strictly above T. Between maps that differ in at most l0 keys, by li at most, the release is (epsilon, delta)-DP,
where delta is the greatest over the numbers of keys that one of the maps lacks, and not a sum of two parts.
Proof: gaussian_threshold.md, which cites the marked lines.
"""

from __future__ import annotations

from fractions import Fraction
from typing import final

from discreet.domains import Integers, Maps, Texts
from discreet.errors import ParameterError
from discreet.exact import Exact
from discreet.measures import EpsilonDelta, amount
from discreet.mechanisms.keep_above import KeepAbove
from discreet.noise import Gaussian

__all__ = ["GaussianThreshold"]


@final
class GaussianThreshold(KeepAbove):
    """Release the noisy values of a map's keys that come out strictly above a threshold.

    The loss is (epsilon, delta) at an *epsilon*, or at a *delta*, that is given. The data are a dict, or a pair of
    arrays (distinct keys, values), and so is the release, as for `LaplaceThreshold`. Under a negative threshold the
    pairs strictly below it are released.

    >>> m = GaussianThreshold(variance=54, threshold=37, epsilon=1)
    >>> m.privacy_map((3, 3, 1))
    (1.0, 9.999253785399385e-07)
    >>> set(m.release({"Rome": 1000, "Brig": 1})) <= {"Rome", "Brig"}
    True
    """

    __slots__ = ()

    noise: Gaussian

    def __init__(
        self,
        *,
        variance: Exact,
        threshold: int,
        epsilon: Exact | None = None,
        delta: Exact | None = None,
        domain: Maps = Maps(Texts(), Integers()),  # noqa: B008  A frozen value.
    ) -> None:
        if epsilon is None and delta is None:
            raise ParameterError("epsilon", epsilon, "an epsilon or a delta, at which the other is stated")
        super().__init__(Gaussian(variance, epsilon=epsilon, delta=delta), threshold, domain)  # proof: law

    @classmethod
    def within(
        cls,
        *,
        epsilon: Exact,
        delta: Exact,
        l0: int = 1,
        l1: Exact | None = None,
        li: Exact = 1,
        domain: Maps = Maps(Texts(), Integers()),  # noqa: B008  A frozen value.
    ) -> GaussianThreshold:
        """Return the mechanism with the least variance, as `IntegerGaussian`, and then the least threshold for it.

        Delta is not split: with the least variance it is spent on the noise if no key is new, and on new keys if all
        are. *l1* is l0 times li where it is not given.

        >>> m = GaussianThreshold.within(epsilon=1, delta="1e-6", l0=3)
        >>> m.variance, m.threshold, m.noise.needed(m.threshold, Fraction(19, 20))
        (Fraction(107, 2), 37, 50)
        """
        budget, most = amount(epsilon), amount(delta, "delta")
        distances = cls.distances(l0, l1, li)
        shared, _ = cls(variance=0, threshold=0, epsilon=0, domain=domain).sensitivity(distances)
        noise = Gaussian.within(EpsilonDelta(budget, most), shared if shared.l1 else distances)  # proof: within
        start = cls(variance=noise.variance, threshold=0, epsilon=budget, domain=domain)
        threshold = start.least_above(most, distances)
        return cls(variance=noise.variance, threshold=threshold, epsilon=budget, domain=domain)

    @property
    def variance(self) -> Fraction:
        """The variance of the noise."""
        return self.noise.variance

    def __repr__(self) -> str:
        return f"GaussianThreshold({self.noise.written}, threshold={self.threshold!r}, domain={self.domain!r})"
