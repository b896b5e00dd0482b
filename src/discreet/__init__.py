"""discreet: exact differential privacy.

Ask people: randomize each answer before it leaves them. Publish tables: noisy counts per group, the groups private.

>>> import discreet
>>> discreet.RandomizedResponseBool(prob="3/4").privacy_map(1)
1.0986122886681098
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from discreet._version import __version__ as __version__
from discreet.exact import exact

if TYPE_CHECKING:
    from discreet.composition import Composition
    from discreet.core import Measurement, Transformation
    from discreet.domains import (
        Anything,
        BitVectors,
        Booleans,
        Bytes,
        Categories,
        Dates,
        Decimals,
        Floats,
        Integers,
        Maps,
        Nullable,
        Objects,
        Texts,
        Times,
        Timestamps,
        Tuples,
        Vectors,
    )
    from discreet.errors import (
        BudgetError,
        DiscreetError,
        DomainError,
        EngineError,
        EntropyError,
        KindError,
        LedgerError,
        MismatchError,
        ParameterError,
        PrecisionError,
        ReportError,
        UnsupportedError,
    )
    from discreet.ledger import Ledger
    from discreet.measures import Approximate, EpsilonDelta, Loss, MaxDivergence, Pure, Rho, ZeroConcentrated
    from discreet.mechanisms import (
        AddNoise,
        Bloom,
        Choose,
        Debiased,
        FindKeys,
        GaussianThreshold,
        IntegerGaussian,
        IntegerLaplace,
        KeepAbove,
        KeyRound,
        KeySets,
        LaplaceThreshold,
        LongitudinalRappor,
        OneHot,
        OptimizedUnary,
        RandomizedResponse,
        RandomizedResponseBool,
        Rappor,
        SubsetSelection,
        TruncatedLaplaceThreshold,
    )
    from discreet.metrics import (
        AbsoluteDistance,
        DiscreteDistance,
        L01InfDistance,
        L1Distance,
        LInfDistance,
        PersonDistance,
        Sensitivity,
        SymmetricDistance,
    )
    from discreet.noise import (
        Gaussian,
        Laplace,
        Noise,
        TruncatedLaplace,
        continuous_laplacian_tail_to_alpha,
        discrete_laplacian_tail_to_alpha,
    )

__all__ = [
    "AbsoluteDistance",
    "AddNoise",
    "Anything",
    "Approximate",
    "BitVectors",
    "Bloom",
    "Booleans",
    "BudgetError",
    "Bytes",
    "Categories",
    "Choose",
    "Composition",
    "Dates",
    "Debiased",
    "Decimals",
    "DiscreetError",
    "DiscreteDistance",
    "DomainError",
    "EngineError",
    "EntropyError",
    "EpsilonDelta",
    "FindKeys",
    "Floats",
    "Gaussian",
    "GaussianThreshold",
    "IntegerGaussian",
    "IntegerLaplace",
    "Integers",
    "KeepAbove",
    "KeyRound",
    "KeySets",
    "KindError",
    "L01InfDistance",
    "L1Distance",
    "LInfDistance",
    "Laplace",
    "LaplaceThreshold",
    "Ledger",
    "LedgerError",
    "LongitudinalRappor",
    "Loss",
    "Maps",
    "MaxDivergence",
    "Measurement",
    "MismatchError",
    "Noise",
    "Nullable",
    "Objects",
    "OneHot",
    "OptimizedUnary",
    "ParameterError",
    "PersonDistance",
    "PrecisionError",
    "Pure",
    "RandomizedResponse",
    "RandomizedResponseBool",
    "Rappor",
    "ReportError",
    "Rho",
    "Sensitivity",
    "SubsetSelection",
    "SymmetricDistance",
    "Texts",
    "Times",
    "Timestamps",
    "Transformation",
    "TruncatedLaplace",
    "TruncatedLaplaceThreshold",
    "Tuples",
    "UnsupportedError",
    "Vectors",
    "ZeroConcentrated",
    "continuous_laplacian_tail_to_alpha",
    "discrete_laplacian_tail_to_alpha",
    "exact",
]


_MODULES: Final = ("errors", "measures", "metrics", "domains", "core", "composition", "noise", "mechanisms", "ledger")


def __getattr__(name: str) -> Any:
    """Import what is first asked for: a command that only prints its help needs no NumPy, and few need SQLite."""
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    for module in map(__getattr__, _MODULES if name in __all__ else ()):
        if name in module.__all__:
            return globals().setdefault(name, getattr(module, name))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
