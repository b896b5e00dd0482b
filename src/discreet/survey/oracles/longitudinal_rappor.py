"""RAPPOR's reports over time: a permanent answer, kept by a secret, and a fresh response to it for each report."""

from __future__ import annotations

from typing import TYPE_CHECKING

from discreet.coins import SYSTEM, Coins
from discreet.errors import UnsupportedError
from discreet.measures import Pure
from discreet.mechanisms import LongitudinalRappor
from discreet.survey.oracles.bits import Filters

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["LastingRappors"]


class LastingRappors(Filters[LongitudinalRappor], of=LongitudinalRappor, planned=False, budgeted=False):
    """Each report is new, and all of them are about one permanent vector."""

    lasting = True

    def perturb(self, places: NDArray[np.int64], /) -> NDArray[np.uint8]:
        """Refuse: the permanent answers of many people are many people's to keep."""
        raise UnsupportedError("LongitudinalRappor keeps a permanent answer a person: use a client with a secret")

    def reply(self, bits: NDArray[np.bool_], coins: Coins, /) -> NDArray[np.bool_]:
        """Return the bits of a fresh report about the permanent vector that the coins give."""
        memo = self.mechanism.permanent(bits, coins)  # proof: permanent
        return self.mechanism.instantaneous(memo, SYSTEM)  # proof: instantaneous

    def loss_of(self, reports: int | None, /) -> Pure:
        """Return the loss of so many different reports about one permanent vector."""
        return self.mechanism.loss_for_ever() if reports is None else self.mechanism.loss_of(reports)
