"""OpenDP's names for our mechanisms: a program written for OpenDP runs with one import changed.

>>> import discreet.opendp as dp
>>> dp.enable_features("contrib")
>>> m = dp.m.make_laplace(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=2.0)
>>> m.map(1), m.check(1, 0.5), isinstance(m(100), int)
(0.5, True, True)

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
- Parameters may be given exactly, as in ``scale="1/3"``; a bool is not a number.
"""

# ruff: noqa: N803  The arguments T, MO and QO are called what OpenDP calls them.

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from discreet.core import Measurement as Mechanism
from discreet.domains import Anything, BitVectors, Booleans, Domain, Integers, Maps, Vectors, identity
from discreet.errors import DomainError, KindError, MismatchError, ParameterError, UnsupportedError
from discreet.exact import Exact
from discreet.measures import Approximate, MaxDivergence, Measure
from discreet.mechanisms import IntegerLaplace, LaplaceThreshold, RandomizedResponse, RandomizedResponseBool, Rappor
from discreet.metrics import AbsoluteDistance, DiscreteDistance, L01InfDistance, L1Distance, Metric

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Measurement",
    "String",
    "Strings",
    "TypedDomain",
    "absolute_distance",
    "approximate",
    "atom_domain",
    "bitvector_domain",
    "debias_basic_rappor",
    "debias_randomized_response_bitvec",
    "discrete_distance",
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
    "make_laplace",
    "make_laplace_threshold",
    "make_randomized_response",
    "make_randomized_response_bitvec",
    "make_randomized_response_bool",
    "make_rappor",
    "make_scalar_integer_laplace_cks20",
    "map_domain",
    "max_divergence",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "vector_domain",
]

i8, i16, i32, i64, i128, isize = "i8", "i16", "i32", "i64", "i128", "isize"
u8, u16, u32, u64, u128, usize = "u8", "u16", "u32", "u64", "u128", "usize"
f32, f64, String = "f32", "f64", "String"

m: Final = sys.modules[__name__]
"""OpenDP keeps its constructors in a module of their own; here it is this one."""

_ROWS: Final = 1 << 12
"""Reports unpacked at a time."""


@final
@dataclass(frozen=True, slots=True)
class Strings(Domain):
    """Texts.

    >>> "a" in Strings(), b"a" in Strings()
    (True, False)
    """

    def __contains__(self, x: object, /) -> bool:
        return isinstance(x, str)


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

    def __call__(self, arg: Any) -> Any:
        """Return a private answer about the data, as `invoke` does."""
        return self.invoke(arg)

    def invoke(self, arg: Any) -> Any:
        """Return a private answer about the data. Each call spends ``map(d_in)`` anew."""
        if isinstance(self.mechanism, Rappor):
            return _report(self.mechanism, arg)
        if self.input_domain.members != self.mechanism.input_domain:
            self.input_domain.members.validate(arg)
        return self.mechanism.release(arg)

    def map(self, d_in: Any) -> Any:
        """Return the loss between data within *d_in*: epsilon, or (epsilon, delta)."""
        return self.mechanism.privacy_map(d_in)

    def check(self, d_in: Any, d_out: Any, *, debug: bool = False) -> bool:
        """Whether the loss between data within *d_in* is at most *d_out*, compared exactly; *debug* changes nothing."""
        loss, parts = self.mechanism.loss(d_in), d_out if isinstance(d_out, tuple | list) else (d_out,)
        negative = any(isinstance(part, int | float | Fraction) and part < 0 for part in parts)
        return not negative and self.output_measure.within(loss, d_out)

    @property
    def input_metric(self) -> Metric:
        """How far apart data are."""
        return self.mechanism.input_metric

    @property
    def output_measure(self) -> Measure:
        """How the loss is stated."""
        return self.mechanism.output_measure


def enable_features(*features: str) -> None:
    """Do nothing: there are no features to enable.

    >>> enable_features("contrib", "honest-but-curious")
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
    if not (isinstance(carrier, Integers) and isinstance(bounds, tuple | list) and len(bounds) == 2):
        raise KindError("bounds", bounds, "a pair (low, high) of integers")
    if not all(bound in carrier for bound in bounds):
        raise ParameterError("bounds", bounds, f"two integers of type {name}; for others write T=dp.i64, say")
    return TypedDomain(Integers(*bounds), carrier)


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
    return TypedDomain(Maps(keys.members, values.members), Maps(Anything(), values.carrier))


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
        call = f"bitvector_domain(max_weight={max_weight}, length=8 * len(data))"
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


def max_divergence() -> MaxDivergence:
    """Return the measure of pure differential privacy.

    >>> max_divergence()
    MaxDivergence()
    """
    return MaxDivergence()


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
    elif isinstance(answers, list | tuple | np.ndarray) and len(answers):
        try:
            rows = np.asarray(answers)
        except ValueError:  # Of several lengths.
            rows = np.empty(0)
        if rows.ndim == 2 and rows.dtype in (np.bool_, np.uint8):
            return rows
    raise DomainError("answers are one or more reports of one length: bytes, or vectors of booleans")


def _without_repeats(categories: Iterable[Any]) -> Any:
    """Return the categories once each, as OpenDP takes them; what cannot be listed is left for the mechanism to say."""
    try:
        return list({identity(category): category for category in categories}.values())
    except TypeError:
        return categories


def _fitting(mechanism: Mechanism[Any, Any], domain: TypedDomain, metric: Metric) -> Measurement:
    if metric != mechanism.input_metric:
        name = {AbsoluteDistance: "absolute_distance(T=...)", L1Distance: "l1_distance(T=...)"}
        name |= {L01InfDistance: "l01inf_distance(absolute_distance(T=...))", DiscreteDistance: "discrete_distance()"}
        need = name[type(mechanism.input_metric)]
        raise MismatchError(f"input_metric={metric!r} does not fit input_domain={domain!r}: need {need}")
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


def _one_of(MO: Any, text: str, measure: Measure) -> None:
    if MO not in (text, measure, type(measure)):
        raise KindError("MO", MO, repr(text))
