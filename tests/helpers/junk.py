"""Values that no parameter and no data should be: whoever takes them says so in a declared error."""

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np

TEXT, NUMBER = "sentinel-7919", 7919104729
MILLION_DIGITS = 1 << 3_321_929  # By a shift: a power of ten takes a third of a second to compute.
TINY, VAST = 5e-324, 1e300


def fail(*_):
    raise RuntimeError(TEXT)


def hostile(*slots, base=object):
    """Return a new object of whose special methods some fail."""
    return type("Hostile", (base,), {"__hash__": base.__hash__} | dict.fromkeys(slots, fail))()


def objects(*values):
    """Return values as an array of objects."""
    array = np.empty(len(values), object)
    for i, value in enumerate(values):
        array[i] = value
    return array


SLOTS = (
    "__repr__",
    "__str__",
    "__eq__",
    "__ne__",
    "__hash__",
    "__bool__",
    "__len__",
    "__lt__",
    "__iter__",
    "__float__",
)
JUNK = {
    "None": lambda: None,
    "Ellipsis": lambda: ...,
    "a class": lambda: int,
    "a function": lambda: len,
    "an object": object,
    "True": lambda: True,
    "False": lambda: False,
    "nan": lambda: math.nan,
    "inf": lambda: math.inf,
    "-inf": lambda: -math.inf,
    "-0.0": lambda: -0.0,
    "-1": lambda: -1,
    "0": lambda: 0,
    "1": lambda: 1,
    "2": lambda: 2,
    "0.5": lambda: 0.5,
    "1.5": lambda: 1.5,
    "5e-324": lambda: TINY,
    "1e300": lambda: VAST,
    "-1e300": lambda: -VAST,
    "2**64": lambda: 2**64,
    "-2**64": lambda: -(2**64),
    "10**5000": lambda: 10**5000,
    "a million digits": lambda: MILLION_DIGITS,
    "minus a million digits": lambda: -MILLION_DIGITS,
    "1/10**5000": lambda: Fraction(1, 10**5000),
    "-1/3": lambda: Fraction(-1, 3),
    "Decimal NaN": lambda: Decimal("NaN"),
    "Decimal sNaN": lambda: Decimal("sNaN"),
    "Decimal inf": lambda: Decimal("-Infinity"),
    "Decimal 1e999999": lambda: Decimal("1e999999"),
    "complex": lambda: 1 + 2j,
    "empty text": lambda: "",
    "text": lambda: "text",
    "text nan": lambda: "nan",
    "text 1/0": lambda: "1/0",
    "text 1e999999999": lambda: "1e999999999",
    "text with commas": lambda: ",,",
    "surrogate": lambda: "\ud800",
    "NUL": lambda: "\0",
    "a million letters": lambda: "x" * 1_000_000,
    "a million nines": lambda: "9" * 1_000_000,
    "bytes": lambda: b"\xff\x00",
    "bytearray": lambda: bytearray(b"ab"),
    "memoryview": lambda: memoryview(b"ab"),
    "[]": list,
    "()": tuple,
    "{}": dict,
    "set": lambda: {1, 2},
    "[None]": lambda: [None],
    "[nan, nan, nan]": lambda: [math.nan] * 3,
    "[-1, -1, -1]": lambda: [-1] * 3,
    "[1, 1, 1]": lambda: [1] * 3,
    "two": lambda: (1, -1),
    "ragged": lambda: [[True], [True, False]],
    "deep": lambda: [[[[[]]]]],
    "{'a': None}": lambda: {"a": None},
    "{'a': nan}": lambda: {"a": math.nan},
    "range": lambda: range(3),
    "an iterator": lambda: iter([1, 1]),
    "np.int8": lambda: np.int8(-128),
    "np.uint64": lambda: np.uint64(2**64 - 1),
    "np.float16": lambda: np.float16("nan"),
    "np.float64": lambda: np.float64("inf"),
    "np.longdouble": lambda: np.longdouble("1e-4000"),
    "np.bool_": lambda: np.bool_(1),
    "np.str_": lambda: np.str_("a"),
    "np.timedelta64": lambda: np.timedelta64(5, "s"),
    "np.timedelta64 without unit": lambda: np.timedelta64(5),
    "np.datetime64 NaT": lambda: np.datetime64("NaT"),
    "np.void": lambda: np.zeros(1, "i4,f8")[0],
    "array of ints": lambda: np.array([1, 2]),
    "array of bools": lambda: np.array([True, True, True]),
    "array of floats": lambda: np.array([math.nan, math.inf]),
    "array of texts": lambda: np.array(["a", "a"]),
    "array of objects": lambda: objects(None, [1], object()),
    "array of times": lambda: np.array([5, 6], "m8[ns]"),
    "array of records": lambda: np.zeros(2, "i4,f8"),
    "array of uint64": lambda: np.array([2**64 - 1, 0], np.uint64),
    "array of bytes": lambda: np.array([255], np.uint8),
    "0-d array": lambda: np.array(1),
    "0-d array of nan": lambda: np.array(math.nan),
    "empty array": lambda: np.array([]),
    "2-d array": lambda: np.ones((2, 2)),
    "3-d array of bools": lambda: np.ones((2, 2, 3), bool),
    "two arrays": lambda: (np.array(["a", "a"]), np.array([1, 2])),
    "two arrays of two lengths": lambda: (np.array(["a"]), np.array([1, 2])),
    "two arrays of objects": lambda: (objects([], {}), objects(1, 2)),
    "hostile": lambda: hostile(*SLOTS),
    "[hostile]": lambda: [hostile(*SLOTS), hostile(*SLOTS)],
    "(hostile,)": lambda: (hostile(*SLOTS),),
    "{'a': hostile}": lambda: {"a": hostile(*SLOTS)},
    "array of hostile": lambda: objects(hostile(*SLOTS), hostile(*SLOTS)),
    "keys are hostile": lambda: (objects(hostile(*SLOTS), hostile(*SLOTS)), np.array([1, 2])),
    **{f"hostile {slot}": lambda slot=slot: hostile(slot) for slot in SLOTS},
    **{f"[hostile {slot}]": lambda slot=slot: [hostile(slot), hostile(slot)] for slot in SLOTS},
}
