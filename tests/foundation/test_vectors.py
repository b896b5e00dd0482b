"""Every recorded answer of OpenDP 0.16, replayed: ours is equal, or less where OpenDP is loose, or more only where it
is unsound. The exceptions are listed with their reasons, and every treatment is counted."""

import json
import math
import re
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import combinations_with_replacement
from pathlib import Path

import pytest

import discreet.opendp as dp
from discreet import DiscreetError, ParameterError, SymmetricDistance

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "opendp.json").read_text())
VECTORS = RECORDED["vectors"]
LN2, LN3 = 0.6931471805599454, 1.0986122886681098  # Each the least float that is at least the logarithm.

# OpenDP raises; we give a right answer, which stands beside the reason.
ANSWERED = {
    "v027": (LN3, "a distance may be of any size"),
    "v072": (LN3, "None may be a category"),
    "v074": (LN3, "bytes may be categories"),
    "v079": (LN2, "every width of integer is there"),
    "v083": (LN2, "a distance may be of any size"),
    "v114": (1.0, "a number may be spelled as a text, which is exact"),
    "v133": (1.0, "every width of integer is there"),
    "v211": ((1.0, 1.5068240375580178e-09), "a distance may be of any size, and l0 <= l1"),
    "v284": (1490.2664382038824, "nothing overflows"),
    "v293": (9437007701.626486, "a weight may be of any size"),
    "v302": (bool, "a vector may be a list of booleans"),
}

# OpenDP answers; we raise.
REFUSED = {
    "v055": "the float nearest to 1/17 is below 1/17: the epsilon of 0 was false",
    "v056": "the float nearest to 1/18 is below 1/18: the epsilon of 0 was false",
    "v059": "the float nearest to 1/107 is below 1/107: the epsilon of 0 was false",
    "v116": "True is not a number",
    "v148": "a list of 2 is not in a domain of lists of 3",
    "v305": "nine bits are set where at most one may be",
    "v310": "f=1: a report says nothing, and there is no estimate, infinite or not",
    "v315": "f is not a number",
}

# Both answer, differently, on purpose.
DIFFERENT = {
    "v240": ({"a": 5}, "values are released strictly above the threshold, because that is the event which is counted"),
}

# What is not there cannot be asked for.
ABSENT = {"v137": "l2_distance"}

# How many vectors have each treatment; none is passed over.
TREATMENTS = {
    "equal": 43,
    "less": 36,
    "same": 10,
    "different": 1,
    "refused": 8,
    "both raise": 57,
    "answered": 11,
    "absent": 1,
}


def test_every_vector_is_treated_and_its_answer_agrees_with_the_recorded_one():
    assert RECORDED["opendp_version"] == "0.16.0"
    assert Counter(map(treatment, VECTORS)) == TREATMENTS
    assert sum(TREATMENTS.values()) == len(VECTORS) == len({v["id"] for v in VECTORS}) == 167


def test_exceptions_are_recorded_vectors():
    errors = {v["id"] for v in VECTORS if "error" in v}
    assert ANSWERED.keys() | ABSENT.keys() <= errors
    assert not (REFUSED.keys() | DIFFERENT.keys()) & errors


def treatment(vector):
    """Replay a vector, assert what must hold, and say how it was treated."""
    name = vector["id"]
    if name in ABSENT:
        assert not hasattr(dp, ABSENT[name])
        return "absent"
    if name in REFUSED or ("error" in vector and name not in ANSWERED):
        with pytest.raises(DiscreetError) as error:
            replay(vector)
        assert len(str(error.value)) > 20
        return "refused" if name in REFUSED else "both raise"
    answer = replay(vector)
    if name in ANSWERED:
        right = ANSWERED[name][0]
        assert answer == right if right is not bool else {type(bit) for bit in answer} == {bool}
        return "answered"
    if name in DIFFERENT:
        assert answer == DIFFERENT[name][0] != vector["output"]
        return "different"
    if vector["kind"] == "map":
        return compared(vector, answer)
    assert_same(vector, answer)
    return "same"


def compared(vector, answer):
    """Assert that a loss is right beside OpenDP's, and say how it compares."""
    ours, theirs = as_tuple(answer), tuple(float(x) for x in as_tuple(vector["output"]))
    verdicts = as_tuple(vector.get("verdict", ("none",) * len(ours)))
    assert len(ours) == len(theirs) == len(verdicts)
    assert all(type(loss) is float for loss in ours)
    for loss, peer, verdict in zip(ours, theirs, verdicts, strict=True):
        assert loss <= peer or verdict.startswith("UNSOUND")
    return "equal" if ours == theirs else "less" if all(map(float.__le__, ours, theirs)) else "more"


def assert_same(vector, answer):
    output = vector["output"]
    if vector["mechanism"].startswith("debias"):
        f, n = Fraction(float(vector["params"]["f"])), len(vector["arg"])
        for ours, theirs in zip(answer, map(float, output), strict=True):
            assert math.isclose(ours, theirs, rel_tol=1e-15)
            total = round((1 - f) * Fraction(theirs) + n * f / 2)
            assert ours == float((total - n * f / 2) / (1 - f))  # Rounded once.
    else:
        assert answer == decoded(output)
        assert type(answer) is type(decoded(output))


# The least float, wherever the exact value is known.

EXACT = [v for v in VECTORS if "exact" in v and v["id"] not in REFUSED]


@pytest.mark.parametrize("vector", [v for v in EXACT if "threshold" not in v["mechanism"]], ids=lambda v: v["id"])
def test_map_is_the_least_float_that_is_at_least_the_truth(vector):
    assert replay(vector) in least_floats(vector["exact"])


@pytest.mark.parametrize("vector", [v for v in EXACT if "threshold" in v["mechanism"]], ids=lambda v: v["id"])
def test_threshold_less_one_has_the_delta_that_was_meant(vector):
    """Strictly above T - 1 is OpenDP's event, at least T: ours is its exact delta, and more where OpenDP is unsound."""
    epsilon, delta = vector["exact"]
    less = dict(vector, params=dict(vector["params"], threshold=vector["params"]["threshold"] - 1))
    if decoded(vector["d_in"])[2] >= vector["params"]["threshold"]:
        with pytest.raises(ParameterError):
            replay(less)
    else:
        ours = replay(less)
        assert ours[0] in least_floats(epsilon)
        assert ours[1] in least_floats(delta)
        assert (ours[1] > float(vector["output"][1])) == vector["verdict"][1].startswith("UNSOUND")


@pytest.mark.parametrize("vector", [v for v in EXACT if "threshold" in v["mechanism"]], ids=lambda v: v["id"])
def test_delta_is_the_least_float_over_all_packings(vector):
    params = vector["params"]
    with localcontext(prec=520):
        exact = most_likely_release(Decimal(float(params["scale"])), params["threshold"], decoded(vector["d_in"]))
        assert replay(vector)[1] in {least_float(Fraction(exact) + slack) for slack in slacks(exact, 60)}


def test_few_exact_values_are_too_close_to_a_float_to_tell():
    parts = [x for v in EXACT for x in as_tuple(v["exact"])]
    assert (len(EXACT), len(parts)) == (60, 84)
    assert sum(len(least_floats(x)) > 1 for x in parts) == 2


def most_likely_release(scale, threshold, d_in):
    """The greatest probability that a new key is released strictly above the threshold, by trying every packing."""
    l0, l1, li = d_in[0], math.floor(d_in[1]), math.floor(d_in[2])
    packings = (c for n in range(1, l0 + 1) for c in combinations_with_replacement(range(1, min(li, l1) + 1), n))
    held = [1 - (-(threshold - c + 1) / scale).exp() / (1 + (-1 / scale).exp()) for c in range(li + 1)]
    return 1 - min(math.prod(held[c] for c in packing) for packing in packings if sum(packing) <= l1)


def least_floats(text):
    """The least floats that are at least the numbers which a text of 30 digits may stand for: most often one."""
    exact = Decimal(text)
    slack = slacks(exact, 30) if len(exact.as_tuple().digits) > 25 else (Fraction(0),)
    return {least_float(Fraction(exact) + s) for s in slack}


def slacks(exact, digits):
    unit = Fraction(10) ** (exact.adjusted() + 1 - digits) if exact else Fraction(0)
    return -unit, Fraction(0), unit


def least_float(number):
    nearest = float(number)
    return nearest if Fraction(nearest) >= number else math.nextafter(nearest, math.inf)


# A vector, run under our module.


def replay(vector):
    call = {
        "map": lambda: made(vector).map(decoded(vector["d_in"])),
        "invoke": lambda: invoked(vector),
        "check": lambda: [made(vector).check(vector["d_in"], d_out) for d_out in (LN3, 1.0, -1.0)],
        "construct": lambda: made(vector),
        "call": lambda: dp.m.debias_randomized_response_bitvec(decoded(vector["arg"]), **decoded(vector["params"])),
        "invoke_len": lambda: [len(made(vector, arg)(arg)) for arg in decoded(vector["arg"])],
    }
    return call[vector["kind"]]()


def invoked(vector):
    arg, measurement = decoded(vector["arg"]), made(vector, decoded(vector["arg"]))
    if "set of outputs" not in vector.get("note", ""):
        return measurement(arg)
    return sorted({measurement(arg) for _ in range(100)})


def made(vector, arg=None):
    params = decoded(vector["params"])
    match vector["mechanism"]:
        case "randomized_response_bool":
            return dp.m.make_randomized_response_bool(**params)
        case "randomized_response":
            return dp.m.make_randomized_response(**params)
        case "laplace_int" | "laplace_int_vector" as mechanism:
            atoms, metric = dp.atom_domain(T=params.pop("T", int)), dp.absolute_distance(T=params.pop("QI", int))
            if mechanism == "laplace_int_vector":
                atoms, metric = dp.vector_domain(atoms, size=params.pop("size", None)), dp.l1_distance(T=int)
            if params.pop("metric", None) == "symmetric_distance":
                metric = SymmetricDistance()
            return dp.m.make_laplace(atoms, metric, **{"scale": 1.0, **params})
        case "laplace_threshold_int":
            domain = dp.map_domain(dp.atom_domain(T=params.pop("key", str)), dp.atom_domain(T=int))
            metric = dp.l01inf_distance(dp.absolute_distance(T=params.pop("QI", int)))
            if params.pop("metric", None) == "l1_distance":
                metric = dp.l1_distance(T=int)
            return dp.m.make_laplace_threshold(domain, metric, **{"scale": 1.0, "threshold": 20, **params})
        case "randomized_response_bitvec":
            weight = params.pop("max_weight")
            length = 8 * max(1, -(-2 * weight // 8)) if isinstance(weight, int) else 8
            if isinstance(arg, bytes | list):
                length = len(arg) * (8 if isinstance(arg, bytes) else 1)
            domain = dp.bitvector_domain(max_weight=weight, length=length)
            return dp.m.make_randomized_response_bitvec(domain, dp.discrete_distance(), **params)
    raise AssertionError(vector["mechanism"])


FLOAT = re.compile(r"-?(\d+\.\d+(e[+-]?\d+)?|\d+e[+-]?\d+|inf|nan)")


def decoded(value):
    """A recorded value: floats are written as texts, bytes as texts that begin with ``hex:``, tuples as lists."""
    if isinstance(value, dict):
        return {int(k) if k.isdigit() else k: decoded(v) for k, v in value.items()}
    if isinstance(value, list):
        numbers = len(value) == 3 and all(type(x) is int or (type(x) is str and FLOAT.fullmatch(x)) for x in value)
        return (tuple if numbers else list)(map(decoded, value))
    if isinstance(value, str) and value.startswith("hex:"):
        return bytes.fromhex(value[4:])
    if isinstance(value, str) and (match := re.fullmatch(r"<list len=(\d+): 0\.\.\d+>", value)):
        return list(range(int(match[1])))
    return float(value) if isinstance(value, str) and FLOAT.fullmatch(value) else value


def as_tuple(value):
    return tuple(value) if isinstance(value, tuple | list) else (value,)
