"""Short tests for the catalogue of known bugs, where no other test is as quick; see mutants.py."""

import math
import os
from fractions import Fraction

import gmpy2
import numpy as np
import pytest
from coin_tree import Exhausted, ScriptedCoins, law_by_counting

from discreet import BitVectors, ParameterError, RandomizedResponseBool, Rappor
from discreet.coins import SYSTEM
from discreet.mechanisms import rappor
from discreet.samplers import discrete_laplace, many


def test_a_vector_of_another_length_is_refused():
    assert np.zeros(5, bool) not in BitVectors(4)
    assert [False] * 5 not in BitVectors(4)


def test_an_overweight_vector_is_refused():
    assert np.ones(4, bool) not in BitVectors(4, max_weight=3)
    assert [True] * 4 not in BitVectors(4, max_weight=3)


def test_forked_children_draw_different_coins():
    SYSTEM.bits(64)
    seen = set()
    for _ in range(8):
        read, write = os.pipe()
        if os.fork() == 0:
            os.write(write, SYSTEM.bits(64).to_bytes(8, "big"))
            os._exit(0)
        os.wait()
        seen.add(os.read(read, 8))
        os.close(read)
        os.close(write)
    assert len(seen) == 8


def test_the_two_sided_law_has_one_zero():
    q = math.exp(-1)
    decided, undecided = law_by_counting(lambda coins: discrete_laplace(Fraction(1), coins, word=8), 8, 2)
    for z in (-1, 0, 1):
        true = (1 - q) / (1 + q) * q ** abs(z)
        assert float(decided[z]) <= true <= float(decided[z] + undecided)
    digits = many.Digits(Fraction(1), True)
    law = dict(zip(digits._tables[0]._values.tolist(), digits._tables[0]._law, strict=True))
    for z in (-1, 0, 1):
        low, high = law[z].enclosure(100)
        assert float(low) <= (1 - q) / (1 + q) * q ** abs(z) * (1 + 1e-14)
        assert float(high) >= (1 - q) / (1 + q) * q ** abs(z) * (1 - 1e-14)


def test_losses_are_rounded_upward():
    up = gmpy2.context(precision=53, round=gmpy2.RoundUp)
    for k in range(3, 200):
        claim = RandomizedResponseBool(prob=Fraction(k, k + 1)).privacy_map(1)
        assert claim == float(up.log(gmpy2.mpfr(k)))


def test_the_complement_is_exact():
    # 1 - p is not a float for p = 2/3, nor for many a p that is one.
    assert RandomizedResponseBool(prob="2/3").privacy_map(1) == math.nextafter(math.log(2), 1)


def test_half_of_the_least_float_is_not_zero(monkeypatch):
    seen = []
    monkeypatch.setattr(rappor, "bernoulli_many", lambda p, n, *_, **__: seen.append(p) or np.zeros(n, bool))
    Rappor(length=1, max_weight=1, f=5e-324).release([True])
    assert seen == [Fraction(5e-324) / 2]


@pytest.mark.parametrize("nan", [float("nan"), np.float32("nan"), "nan"])
def test_nan_is_no_parameter(nan):
    with pytest.raises(ParameterError):
        RandomizedResponseBool(prob=nan)


def test_a_script_that_ends_asks_for_more():
    with pytest.raises(Exhausted):
        discrete_laplace(Fraction(1), ScriptedCoins(0, 7), word=8)
