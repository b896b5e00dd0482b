"""Powers: between which powers of two people's values are, by a noisy histogram of their least and greatest ones.

A person is counted twice, in the bin of the least and in that of the greatest value; so adding or removing a person
changes the counts by 2 in all, whatever the person's values are.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias, final

from discreet.noise import Noise
from discreet.tables.engines.engine import POWERS

__all__ = ["BINS", "LEAST", "Bounds", "Powers", "ends_of"]

Bounds: TypeAlias = tuple[Fraction, Fraction]

_EDGES: Final = (Fraction(0), *map(Fraction, POWERS[1:]))
BINS: Final = len(_EDGES) - 1
"""How many bins of values above 0 there are; there are as many below 0, with numbers below 0, and one of 0 itself."""
LEAST: Final = _EDGES[1]
_ERROR: Final = Fraction(1, 10**9)
"""A bin far beyond all values would ruin the bounds: none is to be seen by chance."""


@final
@dataclass(frozen=True, slots=True)
class Powers:
    """Noisy numbers of least and greatest values by the powers of two that they are between, from below 0 to above.

    >>> from discreet import Laplace
    >>> counts = [0] * (2 * BINS + 1)
    >>> counts[BINS + 37 : BINS + 41] = [500, 900, 20, 300]                             # Up to 16, 32, 64 and 128.
    >>> powers = Powers(tuple(counts), Laplace(10))
    >>> powers.threshold, [int(bound) for bound in powers.bounds]
    (260, [8, 128])
    """

    counts: tuple[int, ...]
    noise: Noise

    @property
    def threshold(self) -> int:
        """The number above which a bin is taken to have people; no empty one is, except with probability 1e-9."""
        return self.noise.radius(_ERROR / len(self.counts))

    @property
    def learned(self) -> list[int]:
        """The numbers of the bins that have people."""
        return [i - BINS for i, count in enumerate(self.counts) if count > self.threshold]

    @property
    def bounds(self) -> Bounds | None:
        """The ends of the outermost bins that have people; None where there are none."""
        if not (found := self.learned):
            return None
        return ends_of(found[0])[0], ends_of(found[-1])[1]


def ends_of(number: int) -> Bounds:
    """Return the ends of a bin.

    >>> [tuple(map(str, ends_of(number))) for number in (-33, -1, 0, 1, 34)]
    [('-1', '-1/2'), ('-1/4294967296', '0'), ('0', '0'), ('0', '1/4294967296'), ('1', '2')]
    """
    if number > 0:
        return _EDGES[number - 1], _EDGES[number]
    return -_EDGES[-number], -_EDGES[max(-number - 1, 0)]
