"""Samplers: exact laws from coins, one draw at a time and as arrays.

Everything here rests on one lemma, proved in samplers.md: reveal a uniform U word by word, compare it
with a real number known to any precision, and stop at the first word that decides. No floating point
takes part.
"""

from discreet.samplers.many import (
    below_many,
    bernoulli_many,
    categorical_many,
    discrete_laplace_many,
    geometric_many,
)
from discreet.samplers.one import below, bernoulli, categorical, discrete_laplace, geometric
from discreet.samplers.tables import Table

__all__ = [
    "Table",
    "below",
    "below_many",
    "bernoulli",
    "bernoulli_many",
    "categorical",
    "categorical_many",
    "discrete_laplace",
    "discrete_laplace_many",
    "geometric",
    "geometric_many",
]
