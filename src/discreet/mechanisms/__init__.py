"""Mechanisms: one file each, its proof as ``<name>.md`` beside it."""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
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


_HOMES: Final = {
    "AddNoise": "add_noise",
    "Choose": "choose",
    "Bloom": "encoders",
    "OneHot": "encoders",
    "FindKeys": "find_keys",
    "KeyRound": "find_keys",
    "KeySets": "find_keys",
    "GaussianThreshold": "gaussian_threshold",
    "IntegerGaussian": "integer_gaussian",
    "IntegerLaplace": "integer_laplace",
    "KeepAbove": "keep_above",
    "LaplaceThreshold": "laplace_threshold",
    "LongitudinalRappor": "longitudinal_rappor",
    "OptimizedUnary": "optimized_unary",
    "RandomizedResponse": "randomized_response",
    "RandomizedResponseBool": "randomized_response_bool",
    "Debiased": "rappor",
    "Rappor": "rappor",
    "SubsetSelection": "subset_selection",
    "TruncatedLaplaceThreshold": "truncated_laplace_threshold",
}
"""The file of each: it is imported when its name is first asked for, since nobody uses all of them."""


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    return globals().setdefault(name, getattr(import_module(f"{__name__}.{_HOMES[name]}"), name))


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
