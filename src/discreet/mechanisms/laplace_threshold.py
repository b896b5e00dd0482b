"""Integer Laplace noise and a threshold: `KeepAbove` of a discrete Laplace law.

Theorem.  Drop the zeros, add discrete Laplace noise of scale s to each value, and release the pairs that come out
strictly above T. Between maps that differ in at most l0 keys, by l1 in all and li at most, the release is
(l1 / s, delta)-DP, where delta is the greatest probability that a key which one of the maps lacks is released.
Proof: laplace_threshold.md, which cites the marked lines.
"""

from __future__ import annotations

from fractions import Fraction
from typing import final

from discreet.domains import Integers, Maps, Texts
from discreet.errors import ParameterError
from discreet.exact import Exact
from discreet.measures import Pure, amount
from discreet.mechanisms.keep_above import KeepAbove
from discreet.noise import Laplace

__all__ = ["LaplaceThreshold"]


@final
class LaplaceThreshold(KeepAbove):
    """Release the noisy values of a map's keys that come out strictly above a threshold.

    The data are a dict, or a pair of arrays (distinct keys, values); the release is of the same kind, in an order that
    depends on nothing but what is released. The *domain* declares the keys' type: texts, unless another is given. Under
    a negative threshold the pairs strictly below it are released.

    >>> m = LaplaceThreshold(scale=2, threshold=30)
    >>> m.privacy_map((1, 1, 1))
    (0.5, 1.9041175383266187e-07)
    >>> set(m.release({"Rome": 1000, "Brig": 1})) <= {"Rome", "Brig"}
    True
    """

    __slots__ = ()

    noise: Laplace

    def __init__(
        self,
        *,
        scale: Exact,
        threshold: int,
        domain: Maps = Maps(Texts(), Integers()),  # noqa: B008  A frozen value.
    ) -> None:
        super().__init__(Laplace(scale), threshold, domain)  # proof: law

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
    ) -> LaplaceThreshold:
        """Return the mechanism with the least scale, and then the least threshold, within a budget at a distance.

        *l1* is l0 times li where it is not given.

        >>> LaplaceThreshold.within(epsilon=1, delta="1e-6", l0=3).threshold
        44
        """
        budget, most = amount(epsilon), amount(delta, "delta")
        if budget == 0:
            raise ParameterError("epsilon", epsilon, "epsilon > 0")
        if not 0 < most <= 1:
            raise ParameterError("delta", delta, "0 < delta <= 1")
        distances = cls.distances(l0, l1, li)
        shared, _ = cls(scale=0, threshold=0, domain=domain).sensitivity(distances)
        scale = Laplace.within(Pure(budget), shared if shared.l1 else distances).scale  # proof: within
        threshold = cls(scale=scale, threshold=0, domain=domain).least_above(most, distances)
        return cls(scale=scale, threshold=threshold, domain=domain)

    @property
    def scale(self) -> Fraction:
        """The scale of the noise."""
        return self.noise.scale

    def __repr__(self) -> str:
        return f"LaplaceThreshold(scale={self.scale!r}, threshold={self.threshold!r}, domain={self.domain!r})"
