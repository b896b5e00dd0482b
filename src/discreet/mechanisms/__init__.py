"""Mechanisms: one file each, its proof as ``<name>.md`` beside it."""

from discreet.mechanisms.add_noise import AddNoise
from discreet.mechanisms.choose import Choose
from discreet.mechanisms.encoders import Bloom, OneHot
from discreet.mechanisms.find_keys import FindKeys, KeyRound, KeySets
from discreet.mechanisms.gaussian_threshold import GaussianThreshold
from discreet.mechanisms.integer_gaussian import IntegerGaussian
from discreet.mechanisms.integer_laplace import IntegerLaplace
from discreet.mechanisms.keep_above import KeepAbove
from discreet.mechanisms.laplace_threshold import LaplaceThreshold
from discreet.mechanisms.longitudinal_rappor import LongitudinalRappor
from discreet.mechanisms.optimized_unary import OptimizedUnary
from discreet.mechanisms.randomized_response import RandomizedResponse
from discreet.mechanisms.randomized_response_bool import RandomizedResponseBool
from discreet.mechanisms.rappor import Debiased, Rappor
from discreet.mechanisms.subset_selection import SubsetSelection
from discreet.mechanisms.truncated_laplace_threshold import TruncatedLaplaceThreshold

__all__ = [
    "AddNoise",
    "Bloom",
    "Choose",
    "Debiased",
    "FindKeys",
    "GaussianThreshold",
    "IntegerGaussian",
    "IntegerLaplace",
    "KeepAbove",
    "KeyRound",
    "KeySets",
    "LaplaceThreshold",
    "LongitudinalRappor",
    "OneHot",
    "OptimizedUnary",
    "RandomizedResponse",
    "RandomizedResponseBool",
    "Rappor",
    "SubsetSelection",
    "TruncatedLaplaceThreshold",
]
