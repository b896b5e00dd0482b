"""discreet: exact differential privacy.

Ask people: randomize each answer before it leaves them. Publish tables: noisy counts per group, the groups private.

>>> import discreet
>>> discreet.RandomizedResponseBool(prob="3/4").privacy_map(1)
1.0986122886681098
"""

from discreet.composition import Composition
from discreet.core import Measurement, Transformation
from discreet.domains import (
    Anything,
    BitVectors,
    Booleans,
    Categories,
    Integers,
    Maps,
    Vectors,
)
from discreet.errors import (
    BudgetError,
    DiscreetError,
    DomainError,
    EntropyError,
    KindError,
    MismatchError,
    ParameterError,
    PrecisionError,
    UnsupportedError,
)
from discreet.exact import exact
from discreet.measures import Approximate, MaxDivergence
from discreet.mechanisms import (
    Bloom,
    Debiased,
    IntegerLaplace,
    LaplaceThreshold,
    OneHot,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    continuous_laplacian_tail_to_alpha,
    discrete_laplacian_tail_to_alpha,
)
from discreet.metrics import (
    AbsoluteDistance,
    DiscreteDistance,
    L01InfDistance,
    L1Distance,
    PersonDistance,
    SymmetricDistance,
)

__version__ = "0.1.0"

__all__ = [
    "AbsoluteDistance",
    "Anything",
    "Approximate",
    "BitVectors",
    "Bloom",
    "Booleans",
    "BudgetError",
    "Categories",
    "Composition",
    "Debiased",
    "DiscreetError",
    "DiscreteDistance",
    "DomainError",
    "EntropyError",
    "IntegerLaplace",
    "Integers",
    "KindError",
    "L01InfDistance",
    "L1Distance",
    "LaplaceThreshold",
    "Maps",
    "MaxDivergence",
    "Measurement",
    "MismatchError",
    "OneHot",
    "ParameterError",
    "PersonDistance",
    "PrecisionError",
    "RandomizedResponse",
    "RandomizedResponseBool",
    "Rappor",
    "SymmetricDistance",
    "Transformation",
    "UnsupportedError",
    "Vectors",
    "continuous_laplacian_tail_to_alpha",
    "discrete_laplacian_tail_to_alpha",
    "exact",
]
