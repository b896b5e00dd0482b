"""The truncated discrete Laplace: Pr[z] proportional to exp(-|z| / scale) up to a limit, and 0 beyond it.

A trial is kept, or drawn anew. Where the limit is at least the scale, it is a discrete Laplace variable, kept up to the
limit; else a uniform one, kept where a geometric variable reaches its size. Proof: samplers.md.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.coins import SYSTEM, Coins
from discreet.errors import ParameterError
from discreet.samplers.many import below_many, discrete_laplace_many, geometric_many
from discreet.samplers.one import WORD, below, check_scale, discrete_laplace, geometric
from discreet.samplers.tables import CELL

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["truncated_laplace", "truncated_laplace_many"]


def truncated_laplace(scale: Fraction | int, limit: int, coins: Coins = SYSTEM, *, word: int = WORD) -> int:
    """Return an integer z of -limit .. limit with probability proportional to exp(-|z| / scale).

    The number of trials is random and says nothing of the draw that is kept.

    >>> truncated_laplace(0, 9), truncated_laplace(Fraction(10), 0), -7 <= truncated_laplace(Fraction(10), 7) <= 7
    (0, 0, True)
    """
    _check(scale, limit)
    while True:
        if limit >= scale:
            z = discrete_laplace(scale, coins, word=word)
            if -limit <= z <= limit:  # proof: within
                return z
        else:
            z = below(2 * limit + 1, coins, word=word) - limit
            if geometric(scale, coins, word=word) >= abs(z):  # proof: reaches
                return z


def truncated_laplace_many(
    scale: Fraction | int,
    limit: int,
    n: int,
    coins: Coins = SYSTEM,
    *,
    private_size: bool = False,
    cell: int = CELL,
    word: int = WORD,
) -> NDArray[Any]:
    """Return *n* independent draws of z in -limit .. limit, with probability proportional to exp(-|z| / scale).

    int64 where the limit is below 2**62, else Python ints. For tables and *private_size* see discrete_laplace_many.

    >>> truncated_laplace_many(Fraction(10), 7, 5).dtype, truncated_laplace_many(10**20, 10**21, 5).dtype
    (dtype('int64'), dtype('O'))
    """
    _check(scale, limit)
    kind = np.int64 if limit < 1 << 62 else object

    def trials(m: int) -> NDArray[Any]:
        """Return those of m proposals that are kept."""
        if limit >= scale:
            z = discrete_laplace_many(scale, m, coins, private_size=private_size, cell=cell, word=word)
            return z[(z >= -limit) & (z <= limit)]
        z = below_many(2 * limit + 1, m, coins, word=word).astype(kind, copy=False) - limit
        return z[geometric_many(scale, m, coins, private_size=private_size, cell=cell, word=word) >= abs(z)]

    out = trials(n)
    while out.size < n:
        out = np.concatenate([out, trials(n - out.size)])  # proof: trials
    return out.astype(kind, copy=False)


def _check(scale: Fraction | int, limit: int) -> None:
    check_scale(scale)
    if limit < 0:
        raise ParameterError("limit", limit, "limit >= 0")
