"""The audit sees all of an output, and the exact one looks at the law, both ways and against what is drawn."""

import random
import struct
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
import pytest
import tiers

from discreet import (
    Booleans,
    Composition,
    DiscreetError,
    DiscreteDistance,
    IntegerLaplace,
    Integers,
    LaplaceThreshold,
    MaxDivergence,
    Measurement,
    ParameterError,
    Pure,
    RandomizedResponseBool,
    Rappor,
    Vectors,
    audit,
)
from discreet.audit.outputs import Raised, kind_of, seen, whole_of
from discreet.reals import exp
from discreet.samplers import bernoulli_many, categorical, discrete_laplace

pytestmark = pytest.mark.usefixtures("given_coins")

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


class Slotted:
    """An object whose copy leaves out what it holds."""

    __slots__ = ("__value",)

    def __init__(self, value):
        self.__value = value

    def __reduce__(self):
        return Slotted, (0,)


class Named(dict):
    """A dict that can carry something along."""


def named(x):
    found = Named(a=noise())
    found.x = x
    return found


def fixed(x):
    array = np.array([noise()])
    array.flags.writeable = bool(x)
    return array


def says(x):
    raise ValueError(f"bad: {x}")


def says_now_and_then(x):
    return noise() if rng.random() < 0.5 else says(x)


def nan(x):
    return struct.unpack("<d", struct.pack("<Q", 0x7FF8 << 48 | x))[0]


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
    "what an exception says": says,
    "what an exception says now and then": says_now_and_then,
    "what a dict carries along": named,
    "what a copy leaves out": lambda x: (noise(), Slotted(x)),
    "a kind of NaN": lambda x: [noise(), nan(x)],
    "a fold": lambda x: datetime(2026, 1, 1, fold=x),
    "the name of a time zone": lambda x: datetime(2026, 1, 1, tzinfo=timezone(timedelta(0), f"zone {x}")),
    "what a type carries along": lambda x: np.array([0], np.dtype("i8", metadata={"x": x})),
    "what an array is a view of": lambda x: np.array([x, noise()])[1:],
    "whether an array can be written to": fixed,
    "what a generator gives": lambda x: (value for value in (noise(), x)),
    "one entry of a long list": lambda x: [*(noise() for _ in range(70)), x, *(noise() for _ in range(30))],
    "one entry of a long array": lambda x: np.insert(numbers.normal(size=300), 200, x),
    "one value of a long dict": lambda x: {str(i): noise() for i in range(60)} | {"x": x + rng.random() / 2},
    "the last entry of a large array": lambda x: np.append(numbers.normal(size=5000), x),
    "a word of a text": lambda x: f"{noise()} and {x} and {noise()}",
    "a byte in the middle": lambda x: rng.randbytes(20) + bytes([x]) + rng.randbytes(20),
    "a digit in the middle": lambda x: 10**8 * rng.getrandbits(40) + 10**6 * x + rng.randrange(10**6),
    "a bit in the middle": lambda x: (2 * rng.getrandbits(40) + x) << 20 | rng.getrandbits(20),
}


@pytest.mark.parametrize("name", NO_PRIVACY)
def test_what_hides_nothing_is_refuted(name):
    trials = 200 if "long" in name or "large" in name else 500
    result = audit.sampled(NO_PRIVACY[name], 0, 1, claim=1, trials=tiers.cases(trials, 2000))
    assert result.violated, result
    assert result.bound > 1.5


@pytest.mark.parametrize(
    "name", tiers.each(["True or 1", "a noisy float in a tuple", "a large number and small noise"], 3)
)
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
    for _ in range(tiers.cases(1, 2)):
        assert not audit.sampled(HONEST[name], 0, 1, claim=1, trials=tiers.cases(500, 3000)).violated


def test_false_alarms_are_no_more_than_stated():
    """At a confidence of 0.8, of 60 audits of what tells nothing 12 may be false alarms, and are about 2.

    Were an event bounded by the trials that chose it, out of many, they would be about 27. Half as many by default.
    """
    audits = tiers.cases(30, 60)

    def coins(x, n):
        return [tuple(rng.randrange(4) for _ in range(6)) for _ in range(n)]

    alarms = [audit.sampled(len, 0, 1, 0, 300, many=coins, confidence="0.8").violated for _ in range(audits)]
    assert sum(alarms) < audits / 5


@pytest.mark.parametrize("far", [1, -1])
def test_thresholds_reach_both_ends(far):
    """One release in twenty, and for one input only, lies beyond all others."""

    def release(x):
        return rng.random() + far * (x and rng.random() < 0.05)

    assert audit.sampled(release, 0, 1, claim=1, trials=10_000).bound > 1.5


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
    Raised(KeyError, ("a",)),
    Raised(KeyError, ("b",)),
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


# --- The exact audit. ---


class Home(Measurement):
    """A mechanism made at home: a law, a loss and a sampler that need not fit together."""

    input_domain = Booleans()
    input_metric = DiscreteDistance()
    output_measure = MaxDivergence()

    def __init__(self, laws, draw=None, epsilon=1.1):
        self.laws, self.draw, self.epsilon = laws, draw, epsilon

    def loss(self, d_in):
        return Pure(Fraction(self.epsilon) * d_in)

    def law(self, x):
        return self.laws[bool(x)]

    def sample(self, x, coins):
        if self.draw:
            return self.draw(x)
        law = self.law(x)
        return list(law)[categorical(list(law.values()), coins)]


def fractions(*shares):
    return dict(zip("abc", map(Fraction, shares), strict=False))


FAIR = {True: fractions("3/4", "1/4"), False: fractions("1/4", "3/4")}
LOPSIDED = {True: fractions("1/2", "1/2"), False: fractions("3/4", "1/4")}  # ln 2 one way, ln 3/2 the other.


def test_a_law_that_is_right_holds():
    result = audit.exact(Home(FAIR), pairs=[(True, False)])
    assert result.holds
    assert (result.draws, result.misfits) == (2000, ())


@pytest.mark.parametrize(
    "wrong",
    [
        fractions("3/4", "1/8"),
        fractions("3/4", "1/2"),
        fractions("5/4", "-1/4"),
        {},
        fractions("3/4", Fraction(1, 4) + Fraction(1, 10**30)),
        {"a": 0.75, "b": 0.25},
    ],
    ids=["too little", "too much", "negative", "nothing", "by 1e-30", "floats"],
)
@pytest.mark.parametrize("side", [True, False])
def test_a_law_that_is_none_is_refused(wrong, side):
    with pytest.raises(DiscreetError, match=r"^law="):
        audit.exact(Home(FAIR | {side: wrong}), pairs=[(True, False)], draws=0)


def test_a_law_of_reals_that_is_none_is_refused(monkeypatch):
    from discreet.audit import laws as module

    real = module._noisy
    monkeypatch.setattr(module, "_noisy", lambda s, d, x, y: ({"<": 1 - exp(-s.scale)}, real(s, d, x, y)[1]))
    with pytest.raises(ParameterError, match="sum to exactly 1"):
        audit.exact(IntegerLaplace(scale=1), pairs=[(0, 1)], draws=0)


@pytest.mark.parametrize("pair", [(True, False), (False, True)])
def test_pairs_are_looked_at_both_ways(pair):
    result = audit.exact(Home(LOPSIDED, epsilon=0.5), pairs=[pair], draws=0)
    assert not result.holds
    assert len(result.pairs) == 2
    assert {(p.x, p.y) for p in result.pairs} == {(True, False), (False, True)}
    assert audit.exact(Home(LOPSIDED, epsilon=0.7), pairs=[pair], draws=0).holds


def test_pairs_given_both_ways_are_looked_at_once():
    arrays = np.array([0, 1]), np.array([1, 1])
    m = IntegerLaplace(scale=1, domain=Vectors(Integers()))
    assert len(audit.exact(m, pairs=[arrays, arrays[::-1], arrays], draws=0).pairs) == 2
    assert len(audit.exact(m, pairs=[([1], [1])], draws=0).pairs) == 1


@pytest.mark.parametrize(
    "draw",
    [
        lambda x: "a" if x else "b",
        lambda x: "a" if (rng.random() < 0.95) is bool(x) else "b",
        lambda x: "ab"[rng.randrange(2)],
        lambda x: "a" if (rng.random() < 0.75) is not bool(x) else "b",
        lambda x: "c" if rng.random() < 0.02 else "a" if (rng.random() < 0.75) is bool(x) else "b",
        lambda x: True,
    ],
    ids=["the truth", "a fifth off", "no truth", "turned round", "an outcome that the law has not", "another type"],
)
def test_a_sampler_that_does_not_follow_its_law_is_found(draw):
    result = audit.exact(Home(FAIR, draw), pairs=[(True, False)])
    assert not result.holds
    assert all(pair.holds for pair in result.pairs)
    misfit = result.misfits[0]
    assert not misfit.low <= misfit.stated <= misfit.high
    assert "misfits" in repr(result)
    assert "does not follow the law" in result.to_html()
    assert audit.exact(Home(FAIR, draw), pairs=[(True, False)], draws=0).holds


def shared(self, x, coins):
    """Noise from one draw for all."""
    z = discrete_laplace(self.scale, coins)
    return [value + z for value in x]


def half_scale(self, x, coins):
    return x + discrete_laplace(self.scale / 2, coins)


def one_coin(self, x, coins):
    return np.asarray(x, np.bool_) ^ (bernoulli_many(self.f / 2, 1, coins)[0] & True)


def at_threshold(self, x, coins):
    noisy = {key: value + discrete_laplace(self.scale, coins) for key, value in x.items()}
    return {key: value for key, value in noisy.items() if value >= self.threshold}


def with_zeros(self, x, coins):
    noisy = {key: value + discrete_laplace(self.scale, coins) for key, value in (x | {"zero": 0}).items()}
    return {key: value for key, value in noisy.items() if value > self.threshold}


@pytest.mark.parametrize(
    ("mechanism", "sample", "pair"),
    [
        (IntegerLaplace(scale=2), half_scale, (0, 1)),
        (IntegerLaplace(scale=3, domain=Vectors(Integers())), shared, ([0, 0], [1, 0])),
        (Rappor(length=3, max_weight=1, f="1/2"), one_coin, ([True, False, False], [False, False, True])),
        (LaplaceThreshold(scale=1, threshold=1), at_threshold, ({"a": 1}, {})),
        (LaplaceThreshold(scale=2, threshold=1), with_zeros, ({"a": 1}, {})),
    ],
    ids=["half of the noise", "one noise for all", "one coin for all", "at the threshold", "zeros"],
)
def test_a_wrong_sampler_of_ours_would_be_found(mechanism, sample, pair, monkeypatch):
    assert audit.exact(mechanism, pairs=[pair], draws=tiers.cases(500, 2000)).holds
    monkeypatch.setattr(type(mechanism), "sample", sample)
    result = audit.exact(mechanism, pairs=[pair], draws=4000)
    assert result.misfits
    assert not result.holds


def test_parts_that_share_their_coins_are_found(monkeypatch):
    both = Composition([RandomizedResponseBool(prob="3/4"), RandomizedResponseBool(prob="3/4")])
    assert audit.exact(both, members=(True, False)).holds
    monkeypatch.setattr(Composition, "sample", lambda self, x, coins: (self.measurements[0].sample(x, coins),) * 2)
    assert audit.exact(both, members=(True, False)).misfits


def test_a_fifth_of_total_variation_is_found_nearly_always():
    """The power that is stated, at the hardest: a fair coin that is said to fall 7 to 3."""
    law = {True: fractions("7/10", "3/10"), False: fractions("7/10", "3/10")}
    found = sum(
        bool(audit.exact(Home(law, lambda _: "ab"[rng.randrange(2)]), pairs=[(True, False)]).misfits) for _ in range(20)
    )
    assert found == 20
    assert not any(audit.exact(Home(law), pairs=[(True, False)]).misfits for _ in range(20))


def test_arrays_are_inputs_and_outputs():
    exact = partial(audit.exact, draws=tiers.cases(300, 2000))
    rappor = Rappor(length=3, max_weight=1, f="1/2")
    rows = np.eye(3, dtype=bool)
    assert exact(rappor, pairs=[(rows[0], rows[1])]).holds
    assert exact(rappor, members=list(rows)).tightness > 1 - 1e-12
    masked = rappor >> (lambda report: report & np.array([True, False, True]))
    result = exact(masked, pairs=[(rows[0], rows[2])])
    assert result.holds
    assert result.tightness > 1 - 1e-12
    counted = rappor >> (lambda report: np.array([report.sum()]))
    assert exact(counted, pairs=[(rows[0], rows[2])]).worst.low == 0
    keys = np.array(["a", "b"]), np.array(["a"])
    counts = LaplaceThreshold(scale=1, threshold=6)
    pair = (keys[0], np.array([5, 1])), (keys[1], np.array([5]))
    assert exact(counts, pairs=[pair]).tightness > 1 - 1e-12
    both = Composition([rappor, rappor])
    assert exact(both, pairs=[(rows[0], rows[1])]).holds
    noise = IntegerLaplace(scale=2, domain=Vectors(Integers()))
    assert exact(noise, pairs=[(np.array([1, 2]), np.array([1, 3]))]).tightness > 1 - 1e-12


def test_functions_of_releases_are_told_apart_by_type():
    """True and 1 are one key of a dict, and two releases."""
    typed = RandomizedResponseBool(prob="3/4") >> (lambda said: True if said else 1)
    result = audit.exact(typed, pairs=[(True, False)])
    assert result.tightness > 1 - 1e-12
    assert result.holds
