"""The audit sees all of an output, and the exact one looks at the law, both ways and against what is drawn."""

import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from discreet import IntegerLaplace, Integers, RandomizedResponseBool, audit
from discreet.audit.outputs import Raised, kind_of, seen, whole_of

rng = random.Random(12)
numbers = np.random.default_rng(12)


def noise():
    """Noise of scale 1000: nothing of inputs 0 and 1 can be told by its size."""
    return rng.expovariate(1 / 1000) - rng.expovariate(1 / 1000)


@dataclass
class Row:
    """An output that is an object of somebody's own."""

    name: str
    value: float


class Tagged(np.ndarray):
    """An array that carries something along."""


def tagged(x):
    array = np.array([noise()]).view(Tagged)
    array.tag = x
    return array


def refuses(x):
    if rng.random() < 0.5 and x:
        raise KeyError(x)
    return noise()


def raises_always(x):
    raise KeyError(x) if x else IndexError(x)


NO_PRIVACY = {
    "a large number and small noise": lambda x: x * 10**12 + rng.getrandbits(38),
    "a float and small noise": lambda x: x + rng.random() / 2,
    "a noisy float in a tuple": lambda x: (x + rng.random() / 2, noise()),
    "a noisy float in a list": lambda x: [noise(), x + rng.random() / 2],
    "a noisy float in a dict": lambda x: {"count": noise(), "mean": x + rng.random() / 2},
    "a noisy float in an array": lambda x: np.array([noise(), noise(), x + rng.random() / 2]),
    "a noisy float in a matrix": lambda x: np.array([[noise(), noise()], [x + rng.random() / 2, noise()]]),
    "a noisy float in an object": lambda x: Row("mean", x + rng.random() / 2),
    "a noisy float deep inside": lambda x: {"a": [(noise(), {"b": x + rng.random() / 2})]},
    "a noisy number of numpy's": lambda x: np.float64(x + rng.random() / 2),
    "a noisy Fraction": lambda x: Fraction(x) + Fraction(rng.random()) / 2,
    "a noisy Decimal": lambda x: Decimal(x) + Decimal(rng.random()) / 2,
    "a noisy time": lambda x: datetime(2020, 1, 1) + timedelta(days=x, seconds=rng.randrange(1000)),
    "a noisy number as a text": lambda x: f"{x + rng.random() / 2:.12f}",
    "True or 1": lambda x: True if x else 1,
    "True or 1 beside noise": lambda x: (noise(), True if x else 1),
    "True or 1 as a key": lambda x: {True if x else 1: noise()},
    "-0.0 or 0.0": lambda x: -0.0 if x else 0.0,
    "-0.0 or 0.0 beside noise": lambda x: [noise(), -0.0 if x else 0.0],
    "-0.0 or 0.0 in an array": lambda x: np.array([-0.0 if x else 0.0, noise()]),
    "1.0 or 1": lambda x: 1.0 if x else 1,
    "1.0 or 1.00": lambda x: Decimal("1.0") if x else Decimal("1.00"),
    "float32 or float64": lambda x: np.array([1.0], np.float32 if x else np.float64),
    "float32 or float64 of noise": lambda x: np.array([noise()], np.float32).astype("f4" if x else "f8"),
    "numpy's number or Python's": lambda x: np.float64(noise()) if x else noise(),
    "a byte order": lambda x: np.array([noise()], ">f8" if x else "<f8"),
    "a shape": lambda x: numbers.normal(size=(2, 3) if x else (3, 2)),
    "a layout": lambda x: np.array(numbers.normal(size=(2, 3)), order="F" if x else "C"),
    "a mask": lambda x: np.ma.array([noise(), noise()], mask=[x, 0]),
    "what an array carries along": tagged,
    "a list or a tuple": lambda x: [noise()] if x else (noise(),),
    "a length": lambda x: [noise()] * (2 + x),
    "a width of texts": lambda x: np.array(["a"], f"U{1 + x}"),
    "a key": lambda x: {"a": noise()} | ({"b": noise()} if x else {}),
    "an order of keys": lambda x: dict(reversed([("a", noise()), ("b", noise())])) if x else {"a": 1.5, "b": noise()},
    "a set": lambda x: {1, 2 + x, rng.getrandbits(60)},
    "None or noise": lambda x: None if x else noise(),
    "NaN or noise": lambda x: float("nan") if x else noise(),
    "an exception": refuses,
    "a kind of exception": raises_always,
    "the last digits of a number": lambda x: 1000 * rng.getrandbits(50) + 7 * x,
    "the last bit of a number": lambda x: 2 * rng.getrandbits(70) + x,
    "the last digit of a float": lambda x: round(noise(), 3) + (5e-7 if x else 0),
    "the last character of a text": lambda x: f"{rng.getrandbits(60)}{'.' if x else ''}",
    "a large array": lambda x: np.full(5000, x),
}


@pytest.mark.parametrize("name", NO_PRIVACY)
def test_what_hides_nothing_is_refuted(name):
    result = audit.sampled(NO_PRIVACY[name], 0, 1, claim=1, trials=2000)
    assert result.violated, result
    assert result.bound > 1.5


@pytest.mark.parametrize("name", ["a large number and small noise", "True or 1", "a noisy float in a tuple"])
def test_what_hides_nothing_is_refuted_by_default(name):
    assert audit.sampled(NO_PRIVACY[name], 0, 1, 1).bound > 5


def geometric(scale=1):
    return IntegerLaplace(scale=scale).release(0)


def honest_floats(x):
    return (x + geometric()) / 4


HONEST = {
    "a number": lambda x: x + geometric(),
    "a pair": lambda x: (x + geometric(2), x + geometric(2)),
    "a list and what is public": lambda x: [x + geometric(), noise(), rng.random()],
    "a dict": lambda x: {"count": x + geometric(), "noise": noise()},
    "an array": lambda x: np.array([x + geometric(), rng.randrange(5)]),
    "a float": honest_floats,
    "an exception now and then": lambda x: [geometric(), x + geometric()] if rng.random() < 0.9 else 1 // 0,
    "an object": lambda x: Row(str(rng.randrange(3)), honest_floats(x)),
    "a text": lambda x: str(x + geometric()),
}


@pytest.mark.parametrize("name", HONEST)
def test_what_keeps_its_promise_is_not_refuted(name):
    for _ in range(2):
        assert not audit.sampled(HONEST[name], 0, 1, claim=1, trials=3000).violated


def test_false_alarms_are_as_rare_as_stated():
    """At a confidence of 0.8, of 50 audits of a claim that is the truth itself 10 may refute it; 25 are too many."""
    many = RandomizedResponseBool(prob="3/4").release_many

    def pairs(x, n):
        return [(a, noise(), [b]) for a, b in zip(many([bool(x)] * n).tolist(), range(n), strict=True)]

    alarms = sum(
        audit.sampled(lambda x: x, 0, 1, Fraction(1.0986122886681098), 200, many=pairs, confidence="0.8").violated
        for _ in range(50)
    )
    assert alarms < 25


def test_a_release_that_never_answers_is_a_mistake_in_the_call():
    with pytest.raises(TypeError):
        audit.sampled(lambda: 5, 0, 1, claim=1, trials=100)
    with pytest.raises(KeyboardInterrupt):
        audit.sampled(interrupt, 0, 1, claim=1, trials=100)


def interrupt(x):
    raise KeyboardInterrupt


def test_features_of_ones_own_are_given_the_outputs_as_they_are():
    kinds = set()

    def mean(o):
        kinds.add(type(o))
        return o.mean() > 0.5

    result = audit.sampled(lambda x: np.full(3, x), 0, 1, claim=1, trials=1000, features=[mean])
    assert result.violated
    assert kinds == {np.ndarray}
    assert result.event.startswith("mean in")


SAME = [True, 1, 1.0, np.int64(1), np.True_, Decimal(1), Decimal("1.0"), Fraction(1), "1", b"1", (1,), [1], {1}, {1: 1}]
SAME += [
    frozenset({1}),
    {True: 1},
    {1: True},
    {1.0: 1},
    np.array([1]),
    np.array([1], "i2"),
    np.array([[1]]),
    None,
    1 + 0j,
]
SAME += [
    0.0,
    -0.0,
    float("nan"),
    Raised(KeyError),
    Raised(IndexError),
    Row("a", 1),
    Row("a", 1.0),
    [[1]],
    [(1,)],
    np.array(1),
]
SAME += [np.ma.array([1]), np.ma.array([1], mask=[1]), Integers(), int, str, len]


def test_no_two_outputs_that_differ_are_seen_as_one():
    keys = [whole_of(seen(o)) for o in SAME]
    assert len(set(keys)) == len(SAME)
    assert [whole_of(seen(o)) for o in SAME] == keys
    assert hash(tuple(map(kind_of, map(seen, SAME))))


def test_an_output_inside_itself_is_seen():
    loop = [1]
    loop.append(loop)
    assert hash(whole_of(seen(loop)))


def test_an_output_may_change_after_it_was_seen():
    buffer = [0.0]

    def release(x):
        buffer[0] = x + rng.random() / 2
        return buffer

    assert audit.sampled(release, 0, 1, claim=1, trials=1000).violated
