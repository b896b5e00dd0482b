"""Claims about all mechanisms at once: order, aliasing, alike errors, and a fuzz of constructors, maps and releases."""

import gc
import math
import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tiers import cases

from discreet import (
    DiscreetError,
    IntegerLaplace,
    Integers,
    LaplaceThreshold,
    LongitudinalRappor,
    Maps,
    OptimizedUnary,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    SubsetSelection,
    Texts,
    Tuples,
    Vectors,
)

PERMUTED = """
import hashlib, itertools, sys
import numpy as np
from discreet import LaplaceThreshold
from discreet.samplers import discrete_laplace_many

class Same:                       # The same words for every draw: the release depends on the set of keys alone.
    def words(self, n): return np.full(n, 0x5a5a5a5a5a5a5a5a, np.uint64)
    def bits(self, n): return int("5a" * 99, 16) & (1 << n) - 1

m = LaplaceThreshold(scale=2, threshold=3)
discrete_laplace_many(2, 5000)    # From here on all draws come from the tables.
seen = set()
for keys in itertools.permutations(["Rome", "Oslo", "Bath", "Brig", "Ulm", "Lund"]):
    seen.add(repr(m.sample({key: 5 + len(key) for key in keys}, Same())))
    values = np.array([5 + len(key) for key in keys])
    seen.add(repr(dict(zip(*(a.tolist() for a in m.sample((np.array(keys), values), Same()))))))
print(len(seen), seen.pop())
"""


def test_a_release_is_byte_identical_over_permutations_and_hash_seeds():
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", PERMUTED],
            env=os.environ | {"PYTHONHASHSEED": str(seed)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in range(cases(2, 32))
    ]
    printed = {run.communicate()[0] for run in runs}
    assert all(run.returncode == 0 for run in runs)
    (only,) = printed
    assert only.startswith("1 {'Bath': ")


PAIRS = Maps(Tuples(Texts(), Integers()), Integers())
CONTAINERS = [
    (IntegerLaplace(scale=2, domain=Vectors(Integers())), [1, 2, 3]),
    (IntegerLaplace(scale=2, domain=Vectors(Integers())), np.arange(3)),
    (LaplaceThreshold(scale=2, threshold=3), {"k": 100, "l": 200}),
    (LaplaceThreshold(scale=2, threshold=3, domain=PAIRS), {("k", 1): 100, ("l", 2): 200}),
    (LaplaceThreshold(scale=2, threshold=3), (np.array(["k", "l"]), np.array([100, 200]))),
    (Rappor(length=3, max_weight=1, f="1/2"), np.array([True, False, False])),
    (Rappor(length=3, max_weight=1, f="1/2"), [True, False, False]),
    (OptimizedUnary(length=3, p="1/2", q="1/4"), np.array([True, False, False])),
    (LongitudinalRappor(length=3, max_weight=1, f=5e-324, p=0, q=1), np.array([True, False, False])),
    (SubsetSelection(categories=["a", "b", "c"], size=2, prob=1), [1, 2, 3]),
]


@pytest.mark.parametrize(("mechanism", "x"), CONTAINERS, ids=lambda v: type(v).__name__)
def test_a_walk_from_a_release_never_reaches_the_input(mechanism, x):
    inputs = {id(x), *map(id, _arrays(x))}
    release = mechanism.release(x)
    todo, seen = [release], set()
    while todo:
        thing = todo.pop()
        if id(thing) in seen or isinstance(thing, type):
            continue
        seen.add(id(thing))
        assert id(thing) not in inputs
        todo += gc.get_referents(thing)
        if isinstance(thing, np.ndarray):
            assert not any(np.shares_memory(thing, part) for part in _arrays(x))
            todo += [] if thing.base is None else [thing.base]


def _arrays(x):
    return [part for part in (x if isinstance(x, tuple) else (x,)) if isinstance(part, np.ndarray)]


def test_changing_what_was_given_changes_no_mechanism():
    categories = ["a", "b"]
    m = RandomizedResponse(categories=categories, prob="3/4")
    categories.append("c")
    categories[0] = "z"
    assert m == RandomizedResponse(categories=["a", "b"], prob="3/4")
    assert m.release("a") in ("a", "b")
    data = {"a": 1000}
    table = LaplaceThreshold(scale=0, threshold=1)
    release = table.release(data)
    data["b"] = 5000
    assert release == {"a": 1000}
    release["c"] = 1
    assert "c" not in data
    bits = np.array([True, False])
    report = Rappor(length=2, max_weight=1, f=5e-324).release(bits)
    bits[:] = False
    assert report.tolist() == [True, False]
    vector = np.array([5, 6])
    noisy = IntegerLaplace(scale=0, domain=Vectors(Integers())).release(vector)
    vector[0] = 99
    assert noisy.tolist() == [5, 6]
    answers = np.array(["a", "b"])
    replies = RandomizedResponse(categories=["a", "b"], prob=1).release_many(answers)
    answers[:] = "x"
    assert replies.tolist() == ["a", "b"]


def test_neighbours_in_the_domain_behave_alike():
    # 10^5 pairs of neighbours: a release of one raises if and only if a release of the other does; neither may.
    rng = np.random.default_rng(11)
    laplace = IntegerLaplace(scale=3, domain=Integers(dtype="int64"))
    table = LaplaceThreshold(scale=3, threshold=9)
    answer = RandomizedResponse(categories=range(5), prob="1/2")
    edges = [0, 1, -1, 2**31, -(2**63), 2**63 - 1]
    for _ in range(cases(2_000, 20_000)):
        x = int(rng.choice(edges)) if rng.random() < 0.5 else int(rng.integers(-(2**62), 2**62))
        y = min(x + 1, 2**63 - 1)
        assert type(laplace.release(x)) is type(laplace.release(y)) is int
    for junk in (None, "a", 2.5, float("nan"), [], {}, 7, -1, object(), b"", (1,), np.int64(3), True):
        for _ in range(cases(300, 3000)):
            assert answer.release(junk) in range(5)
            assert answer.release(3) in range(5)
    for _ in range(cases(2_000, 20_000)):
        x = {str(k): int(v) for k, v in enumerate(rng.integers(-50, 50, 4))}
        y = {**x, "new": 1}
        assert isinstance(table.release(x), dict)
        assert isinstance(table.release(y), dict)
    rows = np.eye(4, dtype=bool)
    rappor = Rappor(length=4, max_weight=1, f="1/3")
    chosen = SubsetSelection(categories=range(4), size=2, prob="3/4")
    for junk in (None, "a", float("nan"), [], 7, -1, object(), True):
        for _ in range(cases(50, 500)):
            assert len(chosen.release(junk)) == len(chosen.release(3)) == 2
    for i in range(cases(2_100, 21_000)):
        assert rappor.release(rows[i % 4]).shape == rappor.release(rows[(i + 1) % 4]).shape


numbers = st.one_of(
    st.floats(),
    st.fractions(),
    st.integers(),
    st.sampled_from(["1/3", "0.75", "1e-6", "nan", "", "1/0", 5e-324, 1e300, 0.5, 1, 0, -1, True, None]),
)
distances = st.one_of(st.integers(-1, 50), st.floats(), st.sampled_from([0, 1, 2**64, "3", None]))


def mechanisms():
    """Any mechanism that the drawn numbers make, or the declared error that they get."""
    kinds = st.sampled_from(["bool", "categories", "laplace", "threshold", "rappor", "sets", "unary", "lasting"])
    return st.tuples(kinds, numbers, st.integers(-2, 12), st.integers(-1, 9))


def build(kind, number, a, b):
    if kind == "bool":
        return RandomizedResponseBool(prob=number), True
    if kind == "categories":
        return RandomizedResponse(categories=range(max(a, 0)), prob=number), b
    if kind == "laplace":
        return IntegerLaplace(scale=number), 7 * a
    if kind == "threshold":
        return LaplaceThreshold(scale=number, threshold=a), {"k": b, "l": 30}
    if kind == "sets":
        return SubsetSelection(categories=range(max(a, 0)), size=b, prob=number), a
    if kind == "unary":
        return OptimizedUnary(length=a, p="2/3", q=number), [False] * a
    if kind == "lasting":
        return LongitudinalRappor(length=a, max_weight=b, f="1/3", p=number, q="3/4"), [False] * a
    return Rappor(length=a, max_weight=b, f=number), [False] * a


@pytest.mark.parametrize("shard", range(cases(1, 4)))
def test_only_declared_errors_and_only_sound_losses(shard):
    @settings(max_examples=cases(300, 5_000), deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(mechanisms(), distances, distances)
    def fuzz(parameters, d, e):
        try:
            m, x = build(*parameters)
            m.release(x)
            threshold = isinstance(m, LaplaceThreshold)
            low, high = sorted((d, e)) if isinstance(d, int) and isinstance(e, int) else (d, e)
            losses = [m.privacy_map((2, k, 1) if threshold else k) for k in (0, low, high)]
        except DiscreetError:
            return
        for loss in losses:
            epsilon, delta = loss if threshold else (loss, 0.0)
            assert epsilon >= 0
            assert 0 <= delta <= 1
            assert not math.isnan(epsilon)
        assert losses[0] in (0, (0, 0))
        if isinstance(d, int) and isinstance(e, int):
            assert losses[1] <= losses[2]

    fuzz()


def test_the_fuzz_reaches_real_mechanisms():
    for kind, number in (
        ("bool", 0.75),
        ("categories", Fraction(1, 2)),
        ("laplace", 2),
        ("threshold", 2),
        ("rappor", 0.5),
        ("sets", 0.5),
        ("unary", 0.5),
        ("lasting", 0.5),
    ):
        m, x = build(kind, number, 8, 1)
        m.release(x)
        assert m.privacy_map((1, 1, 1) if kind == "threshold" else 1)
