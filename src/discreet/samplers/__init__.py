"""Samplers: exact laws from coins, one draw at a time and as arrays.

Everything here rests on one lemma, proved in samplers.md: reveal a uniform U word by word, compare it
with a real number known to any precision, and stop at the first word that decides. No floating point
takes part.
"""

from discreet.samplers.gaussian import discrete_gaussian, discrete_gaussian_many
from discreet.samplers.many import (
    add_exactly,
    below_many,
    bernoulli_many,
    categorical_many,
    discrete_laplace_many,
    fitted,
    geometric_many,
)
from discreet.samplers.one import (
    WORD,
    below,
    below_real,
    bernoulli,
    categorical,
    discrete_laplace,
    floor_of,
    geometric,
    shuffled,
)
from discreet.samplers.tables import Table
from discreet.samplers.truncated import truncated_laplace, truncated_laplace_many

__all__ = [
    "WORD",
    "Table",
    "add_exactly",
    "below",
    "below_many",
    "below_real",
    "bernoulli",
    "bernoulli_many",
    "categorical",
    "categorical_many",
    "discrete_gaussian",
    "discrete_gaussian_many",
    "discrete_laplace",
    "discrete_laplace_many",
    "fitted",
    "floor_of",
    "geometric",
    "geometric_many",
    "shuffled",
    "truncated_laplace",
    "truncated_laplace_many",
]
