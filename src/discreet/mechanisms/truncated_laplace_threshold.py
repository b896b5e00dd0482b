"""Truncated integer Laplace noise and a threshold, with the joint delta of both: `KeepAbove` of a truncated law.

Theorem.  Drop the zeros, add discrete Laplace noise of scale s that never exceeds R to each value, and release the
pairs that come out strictly above T. Between maps that differ in at most l0 keys, by l1 in all and li at most, the
release is (l1 / s, delta)-DP, where delta is the greatest probability that a value passes the lesser of R and T.
Proof: truncated_laplace_threshold.md, which cites the marked lines.
"""

from __future__ import annotations

from fractions import Fraction
from typing import final

from discreet.domains import Integers, Maps, Texts
from discreet.exact import Exact
from discreet.measures import Pure, amount
from discreet.mechanisms.keep_above import KeepAbove
from discreet.metrics import Sensitivity
from discreet.noise import Laplace, TruncatedLaplace

__all__ = ["TruncatedLaplaceThreshold"]


@final
class TruncatedLaplaceThreshold(KeepAbove):
    """Release the noisy values of a map's keys that come out strictly above a threshold.

    The noise never exceeds the *limit*. The data are a dict, or a pair of arrays (distinct keys, values), and so is the
    release, as for `LaplaceThreshold`. Under a negative threshold the pairs strictly below it are released.

    >>> m = TruncatedLaplaceThreshold(scale=2, limit=27, threshold=27)
    >>> m.privacy_map((2, 2, 1))
    (1.0, 6.715475137271951e-07)
    >>> set(m.release({"Rome": 1000, "Brig": 1})) <= {"Rome", "Brig"}
    True
    """

    __slots__ = ()

    noise: TruncatedLaplace

    def __init__(
        self,
        *,
        scale: Exact,
        limit: int,
        threshold: int,
        domain: Maps = Maps(Texts(), Integers()),  # noqa: B008  A frozen value.
    ) -> None:
        super().__init__(TruncatedLaplace(scale, limit), threshold, domain)  # proof: law

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
    ) -> TruncatedLaplaceThreshold:
        """Return the mechanism with the least scale, then the least limit, and the least threshold for them.

        Delta is not split: noise and new keys take all of it, each. *l1* is l0 times li where it is not given.

        >>> m = TruncatedLaplaceThreshold.within(epsilon=1, delta="1e-6", l0=2)
        >>> m.scale, m.limit, m.threshold, m.noise.needed(m.threshold, Fraction(19, 20))
        (Fraction(2, 1), 27, 27, 33)
        """
        budget, most, distances = amount(epsilon), amount(delta, "delta"), cls.distances(l0, l1, li)
        shared, new = cls(scale=0, limit=0, threshold=0, domain=domain).sensitivity(distances)
        apart = shared if shared.l1 else distances
        scale = Laplace.within(Pure(budget), apart).scale
        limit = TruncatedLaplace.limited(scale, most, Sensitivity(*map(max, apart, new))).limit  # proof: within
        threshold = cls(scale=scale, limit=limit, threshold=0, domain=domain).least_above(most, distances)
        return cls(scale=scale, limit=limit, threshold=threshold, domain=domain)

    @property
    def scale(self) -> Fraction:
        """The scale of the noise."""
        return self.noise.scale

    @property
    def limit(self) -> int:
        """What the noise never exceeds."""
        return self.noise.limit

    def __repr__(self) -> str:
        return (
            f"TruncatedLaplaceThreshold(scale={self.scale!r}, limit={self.limit!r}, "
            f"threshold={self.threshold!r}, domain={self.domain!r})"
        )
