"""Mechanisms: one file each, its proof as ``<name>.md`` beside it."""

from discreet.mechanisms.encoders import Bloom, OneHot
from discreet.mechanisms.integer_laplace import IntegerLaplace
from discreet.mechanisms.laplace_threshold import (
    LaplaceThreshold,
    continuous_laplacian_tail_to_alpha,
    discrete_laplacian_tail_to_alpha,
)
from discreet.mechanisms.longitudinal_rappor import LongitudinalRappor
from discreet.mechanisms.optimized_unary import OptimizedUnary
from discreet.mechanisms.randomized_response import RandomizedResponse
from discreet.mechanisms.randomized_response_bool import RandomizedResponseBool
from discreet.mechanisms.rappor import Debiased, Rappor
from discreet.mechanisms.subset_selection import SubsetSelection

__all__ = [
    "Bloom",
    "Debiased",
    "IntegerLaplace",
    "LaplaceThreshold",
    "LongitudinalRappor",
    "OneHot",
    "OptimizedUnary",
    "RandomizedResponse",
    "RandomizedResponseBool",
    "Rappor",
    "SubsetSelection",
    "continuous_laplacian_tail_to_alpha",
    "discrete_laplacian_tail_to_alpha",
]
