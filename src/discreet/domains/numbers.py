"""Numbers: truth values, whole numbers between bounds, floats and decimals."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, Final, final

import numpy as np

from discreet.domains.base import FOREIGN, Domain, Keys, as_objects, listed, only
from discreet.errors import KindError, ParameterError
from discreet.exact import whole
from discreet.frozen import freeze

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = ["Booleans", "Decimals", "Floats", "Integers", "saturated"]

_INTEGERS: Final = frozenset(id(np.dtype(code).type) for code in "bhilqBHILQ") | {id(int)}
_FLOATS: Final = frozenset(map(id, (np.float16, np.float32, np.float64, float)))
_MOST_PLACES: Final = 1000


@final
@dataclass(frozen=True, slots=True)
class Booleans(Keys):
    """True and False, and not 1 or 0.

    >>> True in Booleans(), 1 in Booleans(), np.True_ in Booleans()
    (True, False, True)
    """

    def canonical(self, x: object, /) -> Any:
        """Return a bool."""
        return bool(x) if type(x) is bool or type(x) is np.bool_ else FOREIGN

    def many(self, xs: list[Any] | NDArray[Any], /) -> Any:
        """Return bools, quickly where their type says that they are."""
        if isinstance(xs, np.ndarray) and xs.dtype.kind != "O":
            return xs.astype(np.bool_) if xs.dtype.kind == "b" else FOREIGN
        return Keys.many(self, xs)

    def array(self, keys: list[Any] | NDArray[Any], /) -> NDArray[Any]:
        """Return an array of bools."""
        return np.array(keys, np.bool_)

    @property
    def count(self) -> int:
        """Two."""
        return 2


@final
@dataclass(frozen=True, slots=True, init=False)
class Integers(Keys):
    """Whole numbers, between bounds if there are any. Booleans and floats are not integers.

    Releases saturate at the bounds. A NumPy integer type may be given in their place.

    >>> 5 in Integers(), True in Integers(), 5.0 in Integers(), np.int8(5) in Integers()
    (True, False, False, True)
    >>> Integers(dtype="int8")
    Integers(low=-128, high=127)
    """

    low: int | None
    high: int | None

    def __init__(self, low: int | None = None, high: int | None = None, *, dtype: DTypeLike | None = None) -> None:
        if dtype is not None:
            try:
                info = np.iinfo(np.dtype(dtype))
            except Exception:
                raise KindError("dtype", dtype, "a NumPy integer type") from None
            low = int(info.min) if low is None else low
            high = int(info.max) if high is None else high
        low = None if low is None else whole(low, "low")
        high = None if high is None else whole(high, "high")
        if low is not None and high is not None and low > high:
            raise ParameterError("low", low, f"low <= high = {high}")
        freeze(self, low=low, high=high)

    def canonical(self, x: object, /) -> Any:
        """Return an int."""
        if id(type(x)) not in _INTEGERS:
            return FOREIGN
        number = int(x)  # type: ignore[call-overload]
        return number if self.clamp(number) == number else FOREIGN

    def many(self, xs: list[Any] | NDArray[Any], /) -> Any:
        """Return integers, quickly where their type says that they are: then only the extremes are compared."""
        if isinstance(xs, np.ndarray) and xs.dtype.kind != "O":
            fits = xs.dtype.kind in "iu" and (not xs.size or (int(xs.min()) in self and int(xs.max()) in self))
            return xs if fits else FOREIGN
        found = listed(xs)
        if only(int, found):
            if found and self != Integers() and not (min(found) in self and max(found) in self):
                return FOREIGN
            return as_objects(found) if isinstance(xs, np.ndarray) else found
        return Keys.many(self, xs)

    def array(self, keys: list[Any] | NDArray[Any], /) -> NDArray[Any]:
        """Return int64 where all of them fit, else Python ints."""
        try:
            return np.array(listed(keys) if isinstance(keys, np.ndarray) and keys.dtype.kind != "i" else keys, np.int64)
        except OverflowError:
            return as_objects(listed(keys))

    @property
    def width(self) -> int | None:
        """The greatest distance between two members; None without bounds on both sides."""
        return None if self.low is None or self.high is None else self.high - self.low

    @property
    def count(self) -> int | None:
        """The number of integers between the bounds."""
        return None if self.width is None else self.width + 1

    def clamp(self, x: int, /) -> int:
        """Return the member nearest to *x*."""
        if self.low is not None and x < self.low:
            return self.low
        return self.high if self.high is not None and x > self.high else x


@final
@dataclass(frozen=True, slots=True)
class Floats(Keys):
    """Floats, and not whole numbers. 0.0 and -0.0 are one, and so is every NaN, which comes last in an order.

    >>> Floats().take(-0.0), 1 in Floats(), np.float32(0.5) in Floats()
    (0.0, False, True)
    """

    def canonical(self, x: object, /) -> Any:
        """Return a float; 0.0 for a negative zero, and one NaN for all."""
        if id(type(x)) not in _FLOATS:
            return FOREIGN
        number = float(x) + 0.0  # type: ignore[arg-type]
        return number if number == number else math.nan  # noqa: PLR0124  NaN is not.

    def many(self, xs: list[Any] | NDArray[Any], /) -> Any:
        """Return floats, quickly where their type says that they are."""
        if isinstance(xs, np.ndarray) and xs.dtype.kind != "O":
            return self.array(xs) if id(xs.dtype.type) in _FLOATS else FOREIGN
        return Keys.many(self, xs)

    def array(self, keys: list[Any] | NDArray[Any], /) -> NDArray[Any]:
        """Return an array of doubles."""
        out: NDArray[Any] = np.array(keys, np.float64) + 0.0
        out[np.isnan(out)] = math.nan
        return out

    def rank(self, key: float, /) -> Any:
        """Return what puts NaN last."""
        return key != key, key  # noqa: PLR0124


@final
@dataclass(frozen=True, slots=True, init=False)
class Decimals(Keys):
    """Finite decimal numbers, with as many digits after the point as *places* says, or with as few as will do.

    A number that has more digits after the point than *places* is no member. 1.5 and 1.50 are one number.

    >>> from decimal import Decimal
    >>> Decimals().take(Decimal("1.50")), Decimals(places=2).take(Decimal("1.5")), Decimals().take(Decimal("-0"))
    (Decimal('1.5'), Decimal('1.50'), Decimal('0'))
    >>> Decimal("0.001") in Decimals(places=2), Decimal("sNaN") in Decimals()
    (False, False)
    """

    places: int | None

    def __init__(self, places: int | None = None) -> None:
        digits = None if places is None else whole(places, "places", least=0)
        if digits is not None and digits > _MOST_PLACES:
            raise ParameterError("places", places, f"at most {_MOST_PLACES}")
        freeze(self, places=digits)

    def canonical(self, x: object, /) -> Any:
        """Return the number in its one spelling; digits are counted, and nothing is rounded."""
        if type(x) is not Decimal or not x.is_finite():
            return FOREIGN
        sign, digits, exponent = x.as_tuple()
        text = "".join(map(str, digits)).lstrip("0")
        stripped = text.rstrip("0")
        if not stripped:
            return Decimal((0, (0,), -(self.places or 0)))
        power = int(exponent) + len(text) - len(stripped)
        if self.places is not None:
            zeros = power + self.places
            if not 0 <= zeros <= _MOST_PLACES:  # More zeros than that no type of a column has.
                return FOREIGN
            stripped, power = stripped + "0" * zeros, -self.places
        return Decimal((sign, tuple(map(int, stripped)), power))


def saturated(values: NDArray[Any], domain: Domain) -> NDArray[Any]:
    """Return integers, each moved to the nearest member of a domain of integers: int64 where all fit, else objects.

    >>> saturated(np.array([-5, 5, 300]), Integers(dtype="uint8"))
    array([  0,   5, 255])
    """
    if not isinstance(domain, Integers) or domain == Integers():
        return values
    if values.dtype == np.int64:
        least, most = -(1 << 63), (1 << 63) - 1
        low, high = domain.clamp(least), domain.clamp(most)
        if low <= most and high >= least:  # Else every value moves beyond int64.
            clipped: NDArray[Any] = np.clip(values, low, high)
            return clipped
    return domain.array([domain.clamp(int(x)) for x in values.tolist()])
