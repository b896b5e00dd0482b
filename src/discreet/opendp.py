"""OpenDP's names for our mechanisms: a program that uses these constructors alone runs with one import changed.

>>> import discreet.opendp as dp
>>> dp.enable_features("contrib")
>>> m = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=2.0)
>>> m.map(1), m.check(1, 0.5), isinstance(m(100), int)
(0.5, True, True)
>>> (dp.space_of(int) >> dp.m.then_laplace(scale=2.0)) == m
True

Here are randomized response, Laplace, geometric and Gaussian noise on integers, Laplace thresholds and randomized bit
vectors, with the domains, metrics and measures that they take. Any other name of ``opendp.prelude`` says what to
use instead:

>>> dp.Context
Traceback (most recent call last):
discreet.errors.AbsentError: opendp's Context is not here: use discreet.tables.Table with a discreet.Ledger

Names, arguments and their order are those of OpenDP 0.16, with the earlier names that its proofs use. Lists and dicts
give lists and dicts, arrays give arrays. Where the two differ, it is on purpose:

- ``make_laplace_threshold`` releases strictly *above* the threshold, and delta counts that very event. OpenDP also
  releases at the threshold, without counting it; to have those values, write the threshold less 1. Zeros are dropped.
- The range of ``prob`` is compared exactly: the float 1/3 is below 1/3. Write ``prob="1/3"``.
- ``bitvector_domain`` needs a ``length``, because a release is as long as its input: write ``length=8 * len(data)``.
- Data outside their domain are refused; OpenDP checks neither bounds, nor sizes, nor weights. Releases may leave the
  bounds, as there: they saturate at the limits of the type ``T``, where ``int`` is ``i32``.
- At ``f=1`` a report says nothing, and debiasing raises where OpenDP returns infinities.
- Every map is the least float that is at least the truth, so it may be smaller than OpenDP's. Distances between
  integers are rounded down first.
- ``make_gaussian`` takes one integer, and its scale is the standard deviation: the variance is its square, exactly.
- ``make_geometric`` with bounds clamps as OpenDP does, and takes no constant time.
- Parameters may be given exactly, as in ``scale="1/3"``; a bool is not a number.
"""

# ruff: noqa: N803  The arguments T, MO and QO are called what OpenDP calls them.

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, final, get_args, get_origin

import numpy as np

from discreet.core import Measurement as Mechanism
from discreet.domains import Anything, BitVectors, Booleans, Domain, Integers, Keys, Maps, Texts, Vectors, identity
from discreet.errors import (
    AbsentError,
    DiscreetError,
    DomainError,
    KindError,
    MismatchError,
    ParameterError,
    UnsupportedError,
    show,
)
from discreet.exact import Exact, exact
from discreet.measures import Approximate, Loss, MaxDivergence, Measure, ZeroConcentrated
from discreet.mechanisms import (
    IntegerGaussian,
    IntegerLaplace,
    LaplaceThreshold,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
)
from discreet.metrics import (
    AbsoluteDistance,
    DiscreteDistance,
    L01InfDistance,
    L1Distance,
    Metric,
    SymmetricDistance,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Measurement",
    "OpenDPException",
    "Partial",
    "String",
    "Strings",
    "TypedDomain",
    "UnknownTypeException",
    "absolute_distance",
    "approximate",
    "assert_features",
    "atom_domain",
    "bitvector_domain",
    "c",
    "debias_basic_rappor",
    "debias_randomized_response_bitvec",
    "disable_features",
    "discrete_distance",
    "domain_of",
    "enable_features",
    "f32",
    "f64",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "l01inf_distance",
    "l1_distance",
    "m",
    "make_gaussian",
    "make_geometric",
    "make_laplace",
    "make_laplace_threshold",
    "make_randomized_response",
    "make_randomized_response_bitvec",
    "make_randomized_response_bool",
    "make_rappor",
    "make_scalar_integer_laplace_cks20",
    "map_domain",
    "max_divergence",
    "metric_of",
    "space_of",
    "symmetric_distance",
    "t",
    "then_gaussian",
    "then_geometric",
    "then_laplace",
    "then_laplace_threshold",
    "then_randomized_response_bitvec",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "vector_domain",
    "zero_concentrated_divergence",
]

i8, i16, i32, i64, i128, isize = "i8", "i16", "i32", "i64", "i128", "isize"
u8, u16, u32, u64, u128, usize = "u8", "u16", "u32", "u64", "u128", "usize"
f32, f64, String = "f32", "f64", "String"

m: Final = sys.modules[__name__]
"""OpenDP keeps its constructors in a module of their own; here it is this one."""

OpenDPException, UnknownTypeException = DiscreetError, KindError

_ROWS: Final = 1 << 12
"""Reports unpacked at a time."""


Strings = Texts

_SPELLINGS: Final = {"int": i32, "float": f64, "str": String}
_SIZES: Final = {"8": 8, "16": 16, "32": 32, "64": 64, "128": 128, "size": 64}
_CARRIERS: Final[dict[str, Domain]] = {
    "bool": Booleans(),
    String: Strings(),
    **{f"i{name}": Integers(-(1 << n - 1), (1 << n - 1) - 1) for name, n in _SIZES.items()},
    **{f"u{name}": Integers(0, (1 << n) - 1) for name, n in _SIZES.items()},
}


@final
@dataclass(frozen=True, slots=True)
class TypedDomain:
    """A domain in OpenDP's sense: *members* are the data, *carrier* is their type, at whose limits releases saturate.

    >>> atom_domain(T=i8, bounds=(0, 10))
    TypedDomain(members=Integers(low=0, high=10), carrier=Integers(low=-128, high=127))
    """

    members: Domain
    carrier: Domain


@final
@dataclass(frozen=True, slots=True)
class Measurement:
    """One of our mechanisms, called as OpenDP's are.

    >>> rr = make_randomized_response_bool(0.75)
    >>> rr.map(1), rr.check(1, 1.0), rr(True) in (True, False)
    (1.0986122886681098, False, True)
    """

    mechanism: Mechanism[Any, Any]
    input_domain: TypedDomain
    clamps: bool = False

    def __call__(self, arg: Any) -> Any:
        """Return a private answer about the data, as `invoke` does."""
        return self.invoke(arg)

    def invoke(self, arg: Any) -> Any:
        """Return a private answer about the data. Each call spends ``map(d_in)`` anew."""
        if isinstance(self.mechanism, Rappor):
            return _report(self.mechanism, arg)
        arg = self.input_domain.members.take(arg)
        return self.mechanism.release(_clamped(arg, self.mechanism.input_domain) if self.clamps else arg)

    def map(self, d_in: Any) -> Any:
        """Return the loss between data within *d_in*: epsilon, rho, or (epsilon, delta)."""
        return self.mechanism.privacy_map(d_in)

    def check(self, d_in: Any, d_out: Any, *, debug: bool = False) -> bool:
        """Whether the loss between data within *d_in* is at most *d_out*, compared exactly; *debug* changes nothing."""
        loss, parts = self.mechanism.loss(d_in), d_out if isinstance(d_out, tuple | list) else (d_out,)
        negative = any(isinstance(part, int | float | Fraction) and part < 0 for part in parts)
        return not negative and self.output_measure.allows(loss, d_out)

    @property
    def input_metric(self) -> Metric:
        """How far apart data are."""
        return self.mechanism.input_metric

    @property
    def input_space(self) -> tuple[TypedDomain, Metric]:
        """The data that it takes, and how far apart they are."""
        return self.input_domain, self.input_metric

    @property
    def output_measure(self) -> Measure[Loss]:
        """How the loss is stated."""
        return self.mechanism.output_measure


@final
@dataclass(frozen=True, slots=True)
class Partial:
    """A constructor that waits for its space, a pair of a domain and a metric, on the left of ``>>``.

    >>> (atom_domain(T=int), absolute_distance(T=int)) >> then_laplace(scale=2.0) == space_of(int) >> then_laplace(2.0)
    True
    """

    make: Callable[..., Measurement]
    parameters: tuple[Any, ...]

    def __call__(self, input_domain: TypedDomain, input_metric: Metric) -> Measurement:
        """Return the measurement on a space."""
        return self.make(input_domain, input_metric, *self.parameters)

    def __rrshift__(self, space: object) -> Measurement:
        if isinstance(space, tuple) and len(space) == 2 and isinstance(space[0], TypedDomain):
            return self(*space)
        raise MismatchError(f"{show(space, entries=False)} >> {self.make.__name__}: need a pair (domain, metric)")


def enable_features(*features: str) -> None:
    """Do nothing: there are no features to enable.

    >>> enable_features("contrib", "honest-but-curious")
    """


def disable_features(*features: str) -> None:
    """Do nothing: there are no features to disable.

    >>> disable_features("contrib")
    """


def assert_features(*features: str) -> None:
    """Do nothing: whatever is here is enabled.

    >>> assert_features("contrib")
    """


def atom_domain(
    bounds: tuple[int, int] | None = None,
    nan: bool | None = None,
    T: type | str | None = None,
) -> TypedDomain:
    """Return the domain of single values of a type, between bounds if there are any; *nan* is for floats only.

    >>> 5 in atom_domain(T=int).members, 2**31 in atom_domain(T=int).members, "a" in atom_domain(T=str).members
    (True, False, True)
    """
    if T is None and bounds is None:
        raise KindError("T", T, "a type such as int, bool, str or dp.i64")
    name = _type_name(int if T is None else T, "T")
    if name not in _CARRIERS:
        raise UnsupportedError(f"T={name}: need a type other than a float; put the values on a grid of integers first")
    carrier = _CARRIERS[name]
    if bounds is None:
        return TypedDomain(carrier, carrier)
    return TypedDomain(_between(bounds, carrier, f"of type {name}; for others write T=dp.i64, say"), carrier)


def vector_domain(atom_domain: TypedDomain, size: int | None = None) -> TypedDomain:
    """Return the domain of lists, or one-dimensional arrays, of values of a domain.

    >>> [1, 2] in vector_domain(atom_domain(T=int)).members, [1, 2] in vector_domain(atom_domain(T=int), size=3).members
    (True, False)
    """
    atoms = _typed(atom_domain, "atom_domain")
    return TypedDomain(Vectors(atoms.members, size), Vectors(atoms.carrier))


def map_domain(key_domain: TypedDomain, value_domain: TypedDomain) -> TypedDomain:
    """Return the domain of dicts, or of pairs of arrays: distinct keys, and their values.

    >>> {"a": 3} in map_domain(atom_domain(T=str), atom_domain(T=int)).members
    True
    """
    keys, values = _typed(key_domain, "key_domain"), _typed(value_domain, "value_domain")
    if not isinstance(keys.members, Keys) or not isinstance(keys.carrier, Keys):
        raise KindError("key_domain", key_domain, "a domain of keys, such as atom_domain(T=str)")
    return TypedDomain(Maps(keys.members, values.members), Maps(keys.carrier, values.carrier))


def bitvector_domain(max_weight: int | None = None, length: int | None = None) -> TypedDomain:
    """Return the domain of vectors of *length* bits, at most *max_weight* of them set.

    >>> bitvector_domain(max_weight=1, length=8).members
    BitVectors(length=8, max_weight=1)
    >>> bitvector_domain(max_weight=1)
    Traceback (most recent call last):
    discreet.errors.KindError: length=None: need the number of bits, since a release is as long as its input: \
write bitvector_domain(max_weight=1, length=8 * len(data))
    """
    if length is None:
        call = f"bitvector_domain(max_weight={show(max_weight)}, length=8 * len(data))"
        raise KindError("length", None, f"the number of bits, since a release is as long as its input: write {call}")
    bits = BitVectors(length, max_weight)
    return TypedDomain(bits, bits)


def absolute_distance(T: type | str) -> AbsoluteDistance:
    """Return the metric |x - y|; a distance may be of any type of number, whatever *T* is.

    >>> absolute_distance(T=int) == absolute_distance(T=f64)
    True
    """
    _number_type(T, "T")
    return AbsoluteDistance()


def l1_distance(T: type | str) -> L1Distance:
    """Return the sum of the absolute differences; a distance may be of any type of number, whatever *T* is.

    >>> l1_distance(T=int)
    L1Distance()
    """
    _number_type(T, "T")
    return L1Distance()


def l01inf_distance(metric: AbsoluteDistance) -> L01InfDistance:
    """Return the metric (l0, l1, li): how many keys differ, by how much in all, and by how much at most.

    >>> l01inf_distance(absolute_distance(T=int))
    L01InfDistance()
    """
    if not isinstance(metric, AbsoluteDistance):
        raise KindError("metric", metric, "absolute_distance(T=...)")
    return L01InfDistance()


def discrete_distance() -> DiscreteDistance:
    """Return the metric that is 0 between equal data, else 1.

    >>> discrete_distance()
    DiscreteDistance()
    """
    return DiscreteDistance()


def symmetric_distance() -> SymmetricDistance:
    """Return the metric that counts the records added or removed.

    >>> symmetric_distance()
    SymmetricDistance()
    """
    return SymmetricDistance()


def domain_of(T: Any, infer: bool = False) -> TypedDomain:
    """Return the domain of a type: ``int``, ``dp.i64``, ``list[int]``, ``dict[str, int]``, ``"Vec<i32>"``.

    Data are not looked at: there is no *infer*.

    >>> domain_of(list[int]) == domain_of("Vec<i32>") == vector_domain(atom_domain(T=int))
    True
    >>> domain_of(dict[str, int]) == map_domain(atom_domain(T=str), atom_domain(T=int))
    True
    """
    if infer is not False:
        raise UnsupportedError("infer: a domain is not inferred from data, which it would reveal; give a type")
    origin, parts = _parsed(T)
    if origin == "list" and len(parts) == 1:
        return vector_domain(domain_of(parts[0]))
    if origin == "dict" and len(parts) == 2:
        return map_domain(domain_of(parts[0]), domain_of(parts[1]))
    return atom_domain(T=T)


def metric_of(M: Any) -> Metric:
    """Return a metric from itself, its class, or its name.

    >>> metric_of("AbsoluteDistance<i32>") == metric_of(AbsoluteDistance) == absolute_distance(T=int)
    True
    """
    if isinstance(M, Metric):
        return M
    known = (AbsoluteDistance, L1Distance, DiscreteDistance, SymmetricDistance, L01InfDistance)
    name = M.partition("<")[0] if isinstance(M, str) else M.__name__ if isinstance(M, type) else ""
    for metric in known:
        if metric.__name__ == name:
            return metric()
    raise KindError("M", M, f"one of {', '.join(metric.__name__ for metric in known)}")


def space_of(T: Any, M: Any = None, infer: bool = False) -> tuple[TypedDomain, Metric]:
    """Return the domain of a type and a metric on it, which is OpenDP's default where *M* is not given.

    >>> space_of(int) == (atom_domain(T=int), absolute_distance(T=int))
    True
    >>> space_of(list[int], M=L1Distance) == (vector_domain(atom_domain(T=int)), l1_distance(T=int))
    True
    """
    domain = domain_of(T, infer)
    if M is not None:
        return domain, metric_of(M)
    if isinstance(domain.carrier, Vectors):
        return domain, SymmetricDistance()
    if isinstance(domain.carrier, Integers):
        return domain, AbsoluteDistance()
    raise KindError("M", M, "a metric, such as dp.discrete_distance(): this domain has no default")


def max_divergence() -> MaxDivergence:
    """Return the measure of pure differential privacy.

    >>> max_divergence()
    MaxDivergence()
    """
    return MaxDivergence()


def zero_concentrated_divergence() -> ZeroConcentrated:
    """Return the measure of zero-concentrated differential privacy.

    >>> zero_concentrated_divergence()
    ZeroConcentrated()
    """
    return ZeroConcentrated()


def approximate(measure: MaxDivergence) -> Approximate:
    """Return the measure of approximate differential privacy.

    >>> approximate(max_divergence())
    Approximate(of=MaxDivergence())
    """
    return Approximate(measure)


def make_randomized_response_bool(
    prob: Exact, constant_time: bool = False, *, QO: type | str | None = None
) -> Measurement:
    """Answer a yes-or-no question truthfully with probability *prob*, else with the opposite.

    >>> make_randomized_response_bool(prob=0.75).map(1)
    1.0986122886681098
    """
    _number_type(QO, "QO")
    rr = RandomizedResponseBool(prob=prob, constant_time=constant_time)
    return Measurement(rr, TypedDomain(rr.input_domain, rr.input_domain))


def make_randomized_response(
    categories: Iterable[Any],
    prob: Exact,
    T: type | str | None = None,
    *,
    constant_time: bool = False,
    QO: type | str | None = None,
) -> Measurement:
    """Answer truthfully with probability *prob*, else with another category, each equally likely.

    The number of coins never depends on the answer, whatever *constant_time* says.

    >>> make_randomized_response(["a", "b", "c"], prob="1/3").map(1)
    0.0
    >>> make_randomized_response(["a", "b", "c"], prob=1 / 3)
    Traceback (most recent call last):
    discreet.errors.ParameterError: prob=0.3333333333333333: need 1/3 <= prob <= 1, compared exactly; \
this float is below 1/3: write prob="1/3", or 0.33333333333333337, the least float that is not
    """
    _number_type(QO, "QO")
    if not isinstance(constant_time, bool):
        raise KindError("constant_time", constant_time, "True or False")
    rr = RandomizedResponse(categories=_without_repeats(categories), prob=prob)
    values = rr.categories.values
    if T is None:
        kinds: tuple[Domain, ...] = (Booleans(), Integers(), Strings(), Anything())
        domain = next(kind for kind in kinds if all(value in kind for value in values))
    else:
        domain = atom_domain(T=T).carrier
        if not all(value in domain for value in values):
            raise KindError("categories", categories, f"values of type {_type_name(T, 'T')}")
    return Measurement(rr, TypedDomain(domain, domain))


def make_laplace(
    input_domain: TypedDomain,
    input_metric: Metric,
    scale: Exact,
    k: None = None,
    MO: Any = "MaxDivergence",
    *,
    QO: type | str | None = None,
) -> Measurement:
    """Add discrete Laplace noise to an integer, or to each entry of a list or an array of them.

    >>> space = vector_domain(atom_domain(T=int)), l1_distance(T=int)
    >>> make_laplace(*space, scale=0.0)([1, 2, 3]), make_laplace(*space, scale=2.0).map(3)
    ([1, 2, 3], 1.5)
    """
    _only_integers(k, QO)
    _one_of(MO, "MaxDivergence", MaxDivergence())
    carrier = _typed(input_domain, "input_domain").carrier
    if not isinstance(carrier.of if isinstance(carrier, Vectors) else carrier, Integers):
        raise KindError("input_domain", input_domain, "atom_domain(T=int), or vector_domain(atom_domain(T=int))")
    return _fitting(IntegerLaplace(scale=scale, domain=carrier), input_domain, input_metric)  # type: ignore[arg-type]


def then_laplace(scale: Exact, k: None = None, MO: Any = "MaxDivergence") -> Partial:
    """Return `make_laplace` for the space on the left of ``>>``.

    >>> (vector_domain(atom_domain(T=int)), l1_distance(T=int)) >> then_laplace(2.0) == make_laplace(
    ...     vector_domain(atom_domain(T=int)), l1_distance(T=int), 2.0
    ... )
    True
    """
    return Partial(make_laplace, (scale, k, MO))


def make_gaussian(
    input_domain: TypedDomain,
    input_metric: Metric,
    scale: Exact,
    k: None = None,
    MO: Any = "ZeroConcentratedDivergence",
) -> Measurement:
    """Add discrete Gaussian noise to an integer; *scale* is the standard deviation, and the loss is zCDP's rho.

    >>> make_gaussian(*space_of(int), scale=2.0).map(1), make_gaussian(*space_of(int), scale=0.0)(7)
    (0.125, 7)
    """
    _only_integers(k, None)
    _one_of(MO, "ZeroConcentratedDivergence", ZeroConcentrated())
    carrier, sigma = _typed(input_domain, "input_domain").carrier, exact(scale, "scale")
    if not isinstance(carrier, Integers):
        need = "atom_domain(T=int); for vectors use discreet.IntegerGaussian, which counts the entries that differ"
        raise KindError("input_domain", input_domain, need)
    if sigma < 0:
        raise ParameterError("scale", scale, "scale >= 0")
    return _fitting(IntegerGaussian(variance=sigma**2, domain=carrier), input_domain, input_metric)


def then_gaussian(scale: Exact, k: None = None, MO: Any = "ZeroConcentratedDivergence") -> Partial:
    """Return `make_gaussian` for the space on the left of ``>>``.

    >>> (space_of(int) >> then_gaussian(scale=2.0)).map(2)
    0.5
    """
    return Partial(make_gaussian, (scale, k, MO))


def make_geometric(
    input_domain: TypedDomain,
    input_metric: Metric,
    scale: Exact,
    bounds: tuple[int, int] | None = None,
    MO: Any = "MaxDivergence",
) -> Measurement:
    """Add discrete Laplace noise to integers, which are clamped to the bounds before and after, if there are any.

    >>> make_geometric(*space_of(int), scale=0.0, bounds=(1, 10))(100)
    10
    """
    made = make_laplace(input_domain, input_metric, scale, None, MO)
    if bounds is None:
        return made
    carrier = input_domain.carrier
    atom = _between(bounds, carrier.of if isinstance(carrier, Vectors) else carrier, "of the domain's type")
    domain = Vectors(atom) if isinstance(carrier, Vectors) else atom
    return Measurement(IntegerLaplace(scale=scale, domain=domain), input_domain, clamps=True)


def then_geometric(scale: Exact, bounds: tuple[int, int] | None = None, MO: Any = "MaxDivergence") -> Partial:
    """Return `make_geometric` for the space on the left of ``>>``.

    >>> (space_of(int) >> then_geometric(scale=2.0, bounds=(1, 10))).map(1)
    0.5
    """
    return Partial(make_geometric, (scale, bounds, MO))


def make_scalar_integer_laplace_cks20(
    input_domain: TypedDomain, input_metric: Metric, scale: Exact, QO: type | str | None = None
) -> Measurement:
    """Add discrete Laplace noise to an integer: an earlier name of `make_laplace`.

    >>> make_scalar_integer_laplace_cks20(atom_domain(T=i64), absolute_distance(T=i64), scale=0.0)(7)
    7
    """
    if isinstance(_typed(input_domain, "input_domain").carrier, Vectors):
        raise KindError("input_domain", input_domain, "atom_domain(T=int)")
    return make_laplace(input_domain, input_metric, scale, QO=QO)


def make_laplace_threshold(
    input_domain: TypedDomain,
    input_metric: Metric,
    scale: Exact,
    threshold: int,
    k: None = None,
    MO: Any = "Approximate<MaxDivergence>",
    *,
    QO: type | str | None = None,
) -> Measurement:
    """Release the noisy values of a map's keys that come out strictly above a threshold.

    OpenDP releases at the threshold too; for that write the threshold less 1.

    >>> space = map_domain(atom_domain(T=str), atom_domain(T=int)), l01inf_distance(absolute_distance(T=int))
    >>> make_laplace_threshold(*space, scale=2.0, threshold=28).map((1, 10, 10))
    (5.0, 4.65922199711331e-05)
    >>> make_laplace_threshold(*space, scale=0.0, threshold=3)({"a": 5, "b": 3})
    {'a': 5}
    """
    _only_integers(k, QO)
    _one_of(MO, "Approximate<MaxDivergence>", Approximate(MaxDivergence()))
    carrier = _typed(input_domain, "input_domain").carrier
    if not (isinstance(carrier, Maps) and isinstance(carrier.values, Integers)):
        raise KindError("input_domain", input_domain, "map_domain(atom_domain(T=str), atom_domain(T=int))")
    mechanism = LaplaceThreshold(scale=scale, threshold=threshold, domain=carrier)
    return _fitting(mechanism, input_domain, input_metric)


def then_laplace_threshold(
    scale: Exact, threshold: int, k: None = None, MO: Any = "Approximate<MaxDivergence>"
) -> Partial:
    """Return `make_laplace_threshold` for the space on the left of ``>>``.

    >>> (space_of(dict[str, int], M=L01InfDistance) >> then_laplace_threshold(2.0, 28)).map((1, 1, 1))[0]
    0.5
    """
    return Partial(make_laplace_threshold, (scale, threshold, k, MO))


def make_randomized_response_bitvec(
    input_domain: TypedDomain, input_metric: Metric, f: Exact, constant_time: bool = False
) -> Measurement:
    """Flip each bit of a vector with probability f/2.

    Data are bytes, or an array of them, or booleans; a report is of the same kind. Bit i is bit i % 8, from the lowest,
    of byte i // 8.

    >>> rappor = make_randomized_response_bitvec(bitvector_domain(4, length=24), discrete_distance(), f=0.95)
    >>> rappor.map(1), len(rappor(bytes([0, 8, 12])))
    (0.800667668455861, 3)
    """
    bits = _typed(input_domain, "input_domain").members
    if not isinstance(bits, BitVectors):
        raise KindError("input_domain", input_domain, "bitvector_domain(max_weight=..., length=...)")
    rappor = Rappor(length=bits.length, max_weight=bits.max_weight, f=f, constant_time=constant_time)
    return _fitting(rappor, input_domain, input_metric)


def then_randomized_response_bitvec(f: Exact, constant_time: bool = False) -> Partial:
    """Return `make_randomized_response_bitvec` for the space on the left of ``>>``.

    >>> ((bitvector_domain(1, length=8), discrete_distance()) >> then_randomized_response_bitvec(f=0.5)).map(1)
    2.1972245773362196
    """
    return Partial(make_randomized_response_bitvec, (f, constant_time))


def make_rappor(input_domain: TypedDomain, input_metric: Metric, f: Exact, constant_time: bool = False) -> Measurement:
    """Flip each bit of a vector with probability f/2: an earlier name of `make_randomized_response_bitvec`.

    >>> make_rappor(bitvector_domain(max_weight=1, length=8), discrete_distance(), f=0.5).map(1)
    2.1972245773362196
    """
    return make_randomized_response_bitvec(input_domain, input_metric, f, constant_time)


def debias_randomized_response_bitvec(answers: Any, f: Exact) -> Any:
    """Return unbiased estimates of how many respondents set each bit, from their reports.

    The reports are bytes or vectors of booleans, all of one length; an array of reports gives an array.

    >>> debias_randomized_response_bitvec([bytes([1]), bytes([3])], f=0.5)
    [3.0, 1.0, -1.0, -1.0, -1.0, -1.0, -1.0, -1.0]
    """
    rows = _reports(answers)
    packed = rows.dtype == np.uint8
    length = rows.shape[1] * (8 if packed else 1)
    totals = np.zeros(length, np.int64)
    for start in range(0, len(rows), _ROWS):
        some = rows[start : start + _ROWS]
        bits = np.unpackbits(some, axis=1, bitorder="little") if packed else some
        totals += bits.sum(axis=0, dtype=np.int64)
    counts = Rappor(length=length, max_weight=length, f=f).debias_totals(totals, len(rows)).counts
    return counts if isinstance(answers, np.ndarray) else counts.tolist()


def debias_basic_rappor(answers: Any, f: Exact) -> Any:
    """Return the same estimates: an earlier name of `debias_randomized_response_bitvec`.

    >>> debias_basic_rappor([[True, False]] * 4, f=0.5)
    [6.0, -2.0]
    """
    return debias_randomized_response_bitvec(answers, f)


def _report(rappor: Rappor, x: Any) -> Any:
    """Return a report of the same kind as the data."""
    is_array = isinstance(x, np.ndarray)
    if not isinstance(x, bytes | bytearray) and not (is_array and x.dtype == np.uint8):
        report: NDArray[Any] = rappor.release(x)
        return report if is_array else report.tolist()
    if rappor.length % 8:
        raise DomainError(f"bytes hold a multiple of 8 bits: give {rappor.length} bits as booleans")
    report = rappor.pack(rappor.release(rappor.unpack(x if is_array else np.frombuffer(x, np.uint8))))
    return report if is_array else report.tobytes()


def _reports(answers: Any) -> NDArray[Any]:
    """Return reports as the rows of an array, of packed bytes or of booleans."""
    if isinstance(answers, list | tuple) and answers and all(isinstance(a, bytes | bytearray) for a in answers):
        if len(set(map(len, answers))) == 1:
            return np.frombuffer(b"".join(answers), np.uint8).reshape(len(answers), len(answers[0]))
    elif isinstance(answers, list | tuple | np.ndarray) and getattr(answers, "shape", None) != () and len(answers):
        try:
            rows = np.asarray(answers)
        except Exception:  # Of several lengths, or no numbers.
            rows = np.empty(0)
        if rows.ndim == 2 and rows.dtype in (np.bool_, np.uint8):
            return rows
    raise DomainError("answers are one or more reports of one length: bytes, or vectors of booleans")


def _without_repeats(categories: Iterable[Any]) -> Any:
    """Return the categories once each, as OpenDP takes them; what cannot be listed is left for the mechanism to say."""
    try:
        once = list({identity(category): category for category in categories}.values())
    except Exception:
        return categories
    return once if len(once) > 1 or isinstance(categories, list | tuple) else categories


def _fitting(mechanism: Mechanism[Any, Any], domain: TypedDomain, metric: Metric) -> Measurement:
    if not isinstance(metric, Metric) or metric != mechanism.input_metric:
        name = {AbsoluteDistance: "absolute_distance(T=...)", L1Distance: "l1_distance(T=...)"}
        name |= {L01InfDistance: "l01inf_distance(absolute_distance(T=...))", DiscreteDistance: "discrete_distance()"}
        need = name[type(mechanism.input_metric)]
        given = repr(metric) if isinstance(metric, Metric) else show(metric, entries=False)
        raise MismatchError(f"input_metric={given} does not fit input_domain={domain!r}: need {need}")
    return Measurement(mechanism, domain)


def _typed(domain: TypedDomain, name: str) -> TypedDomain:
    if not isinstance(domain, TypedDomain):
        raise KindError(name, domain, "a domain made by this module, such as atom_domain(T=int)")
    return domain


def _type_name(T: type | str, name: str) -> str:
    text = T.__name__ if isinstance(T, type) else T
    text = _SPELLINGS.get(text, text) if isinstance(text, str) else ""
    if text not in {*_CARRIERS, f32, f64}:
        raise KindError(name, T, "a type such as int, float, bool, str or dp.i64")
    return text


def _number_type(T: type | str | None, name: str) -> None:
    """Raise unless *T* is a type of numbers; None stands for the default of an argument that has one."""
    if (T is None and name == "T") or (T is not None and _type_name(T, name) in {"bool", String}):
        raise KindError(name, T, "a type of numbers, such as int, float or dp.i64")


def _only_integers(k: object, QO: type | str | None) -> None:
    _number_type(QO, "QO")
    if k is not None:
        raise ParameterError("k", k, "no k: it is the granularity of floats, and these are integers")


def _one_of(MO: Any, text: str, measure: Measure[Loss]) -> None:
    if not (MO is type(measure) or (isinstance(MO, str | Measure) and MO in (text, measure))):
        raise KindError("MO", MO, repr(text))


def _between(bounds: Any, carrier: Domain, what: str) -> Integers:
    """Return the integers between bounds, which are of a type themselves."""
    if not (isinstance(carrier, Integers) and isinstance(bounds, tuple | list) and len(bounds) == 2):
        raise KindError("bounds", bounds, "a pair (low, high) of integers")
    if not all(bound in carrier for bound in bounds):
        raise ParameterError("bounds", bounds, f"two integers {what}")
    return Integers(*bounds)


def _parsed(T: Any) -> tuple[str, list[Any]]:
    """Return "list" or "dict" and the types inside, of Python's generics or of Rust's names; else "" and nothing."""
    if isinstance(T, str) and T.endswith(">"):
        outer, _, inner = T[:-1].partition("<")
        return {"Vec": "list", "HashMap": "dict"}.get(outer, ""), [part.strip() for part in inner.split(",")]
    origin = get_origin(T)
    return (origin.__name__ if origin in (list, dict) else ""), list(get_args(T))


def _clamped(x: Any, domain: Domain) -> Any:
    """Return integers within the bounds of a domain."""
    if isinstance(domain, Vectors):
        entries = [_clamped(entry, domain.of) for entry in x]
        return np.array(entries) if isinstance(x, np.ndarray) else entries
    return domain.clamp(int(x))  # type: ignore[attr-defined]


_COUNT: Final = "discreet.tables.Table, which counts, sums and averages per group; or count yourself, and state d_in"
_PREPARE: Final = "discreet.tables.Table, or prepare the data before: d_in says how far apart they may then be"
_FRAMES: Final = "discreet.tables.Table, which takes frames, files and databases"
_TYPES: Final = "Python's types, such as list[int], or names of types, such as dp.i64"
_OWN: Final = "a subclass of discreet.Measurement or Transformation, or measurement >> function"
_BOOKS: Final = "discreet.Ledger, which counts what any sequence of releases spends"
_LOSSES: Final = "losses as they are: epsilon, rho, or (epsilon, delta)"
_BEST: Final = "discreet.Choose, from the score of every candidate"
_INSTEAD: Final = {
    "Context Query Chain PartialChain unit_of loss_of register": "discreet.tables.Table with a discreet.Ledger",
    "*_expr *_lazyframe lazyframe_domain wild_expr_domain *eries* *Frame* Expr frame_distance polars ibis": _FRAMES,
    "len *IdDistance *_id_distance with_margin summarize_polars_measurement categorical_domain": _FRAMES,
    "datetime_domain enum_domain option_domain OptionDomain array_domain *_split_* *_select_column": _FRAMES,
    "*_create_dataframe *_subset_by *_df_*": _FRAMES,
    "*_gaussian_threshold": "discreet.GaussianThreshold",
    "*_noise_threshold *_alp_queryable": "make_laplace_threshold",
    "make_noise then_noise *_canonical_noise": "make_laplace or make_gaussian",
    "*_noisy_max *_noisy_top_k *_noisy_max_gumbel *_private_quantile *_quantile_score_candidates": _BEST,
    "make_select_private_candidate": _BEST,
    "*_count *_count_by *_count_by_categories *_count_distinct *_sum *_mean *_variance": _COUNT,
    "*_sum_of_squared_deviations": _COUNT,
    "*_cast *_cast_default *_cast_inherent *_clamp *_drop_null *_find *_find_bin *_identity *_impute_*": _PREPARE,
    "*_index *_is_equal *_is_null *_lipschitz_float_mul *_metric_bounded *_metric_unbounded *_ordered_random": _PREPARE,
    "*_resize *_unordered *_b_ary_tree choose_branching_factor make_cdf make_quantiles_from_counts": _PREPARE,
    "*_user_* user_* new_function new_queryable as_array Function Transformation Queryable Extrinsic*": _OWN,
    "make_composition make_basic_composition": "discreet.Composition",
    "*adaptive_composition *_sequential_composition make_privacy_filter Odometer*": _BOOKS,
    "make_approximate": "discreet.Composition, where a pure loss joins an approximate one",
    "make_chain_*": "transformation >> measurement, or measurement >> function",
    "make_fix_delta make_fixed_* make_pureDP_* *rivacy*rofile *moothed*": _LOSSES,
    "ApproximateDivergence renyi_divergence": _LOSSES,
    "make_zCDP_*": "discreet.IntegerGaussian with a delta, whose loss is (epsilon, delta)",
    "ZeroConcentratedDivergence": "zero_concentrated_divergence",
    "make_population_amplification": "the loss of the whole population: sampling is not counted here",
    "binary_search* exponential_bounds_search": "Mechanism.within(epsilon=...), in closed form",
    "accuracy_to_* *_scale_to_accuracy": "discreet.discrete_laplacian_tail_to_alpha(scale, tail)",
    "l2_distance L2Distance l02inf_distance linf_distance": "l1_distance or l01inf_distance",
    "hamming_distance HammingDistance change_one* ChangeOneDistance insert_delete* InsertDelete*": "symmetric_distance",
    "AtomDomain VectorDomain": "atom_domain and vector_domain",
    "SensitivityMetric": "absolute_distance, l1_distance or l01inf_distance",
    "Vec HashMap NDArray BitVector Carrier RuntimeType* ATOM_* Any*Ptr get_* parse_or_infer set_default_*": _TYPES,
    "pass_through domain_* metric_* measure_*": _TYPES,
    "serialize deserialize": "pickle: every measurement of discreet is a value",
    "GLOBAL_FEATURES": "nothing: there are no features to enable",
    "sklearn numpy mbi examples import_optional_dependency": "the library that it wraps, on released answers",
}
"""What to use instead of OpenDP's other names, by patterns of them."""


def _absent(name: str) -> AttributeError:
    for patterns, instead in _INSTEAD.items():
        if any(fnmatchcase(name, pattern) for pattern in patterns.split()):
            return AbsentError(f"opendp's {name} is not here: use {instead}")
    return AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __getattr__(name: str) -> Any:
    raise _absent(name)


@final
class _Nothing:
    """OpenDP's transformations, or its combinators: of each, what to use instead."""

    __slots__ = ()

    def __getattr__(self, name: str) -> Any:
        raise _absent(name)


t: Final = _Nothing()
c: Final = _Nothing()
