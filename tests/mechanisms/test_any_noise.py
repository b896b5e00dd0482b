"""AddNoise and KeepAbove take any law: laws that are defined in the tests go through them, and through audits."""

import itertools
import pickle
from dataclasses import replace
from fractions import Fraction
from math import prod

import pytest
import tiers
from toy_noise import Plateau, Triangle

from discreet import (
    AddNoise,
    Categories,
    IntegerLaplace,
    Integers,
    KeepAbove,
    KindError,
    Laplace,
    LaplaceThreshold,
    Maps,
    Sensitivity,
    Vectors,
    audit,
)
from discreet.measures import EpsilonDelta, Pure
from discreet.reals import ln, sign

TOYS = [Plateau(0, 2), Plateau(2, 3), Triangle(7)]
LETTERS = Maps(Categories(["a", "b", "c"]), Integers())


def packings(l0, l1, li):
    """All multisets of at most l0 positive numbers, at most li each and l1 in all."""
    every = itertools.chain.from_iterable(
        itertools.combinations_with_replacement(range(1, li + 1), n) for n in range(l0 + 1)
    )
    return [cs for cs in every if sum(cs) <= l1]


def delta_of(noise, threshold, d_in):
    """The greatest probability that a new key is released, over all packings."""
    return max(1 - prod((1 - noise.tail(threshold + 1 - c) for c in cs), start=Fraction(1)) for cs in packings(*d_in))


class TestAddNoise:
    @tiers.crossed(
        5,
        noise=TOYS,
        domain=[Integers(), Integers(0, 5), Vectors(Integers()), Vectors(Integers(0, 3), 2)],
        ids=repr,
    )
    def test_the_exact_audit_takes_it(self, noise, domain):
        found = audit.exact(AddNoise(noise, domain), draws=200)
        assert found.holds
        assert found.tightness > 1 - 1e-12 or isinstance(noise, Triangle)

    def test_the_audit_sees_a_loss_that_is_too_small_and_a_law_that_is_not_drawn(self, monkeypatch):
        m = AddNoise(Plateau(1, 2))
        with monkeypatch.context() as patch:
            patch.setattr(Plateau, "loss", lambda noise, d: Pure(ln(Fraction(2)) * d.l1 * Fraction(99, 100)))
            assert not audit.exact(m, draws=0).holds
        monkeypatch.setattr(Plateau, "draw", lambda noise, coins: Triangle(2).draw(coins))
        assert not audit.exact(m, pairs=[(0, 1)]).holds

    def test_the_loss_is_that_of_the_noise_at_the_sensitivity_of_the_domain(self):
        m = AddNoise(Triangle(100), Vectors(Integers(0, 10), size=3))
        assert m.sensitivity("100.5") == Sensitivity(3, 30, 10)
        assert m.loss(100) == EpsilonDelta(0, "3/10")
        assert AddNoise(Plateau(1, 2)).loss(0) == Pure(0)
        assert AddNoise(Triangle(9), Vectors(Integers(), size=0)).sensitivity(4) == Sensitivity(4, 4, 4)

    @pytest.mark.parametrize("scale", ["1e-3", "1e40", "1e80", "1e300"])
    def test_the_exact_audit_takes_wide_noise(self, scale):
        assert audit.exact(AddNoise(Laplace(scale)), pairs=[(0, 5)], draws=20).holds

    def test_integer_laplace_is_one_by_name(self):
        m = IntegerLaplace(scale=2, domain=Integers(0, 9))
        assert m.noise == Laplace(2)
        assert m.loss(3) == AddNoise(Laplace(2), Integers(0, 9)).loss(3)
        assert (
            pickle.loads(pickle.dumps(m)) == m == eval(repr(m), {**vars(__import__("discreet")), "Fraction": Fraction})
        )
        for wrong in (Laplace, 2, None):
            with pytest.raises(KindError, match="a Noise"):
                AddNoise(wrong)


class TestKeepAbove:
    @pytest.mark.parametrize("noise", TOYS, ids=repr)
    @pytest.mark.parametrize("threshold", [5, -5])
    def test_the_exact_audit_takes_it(self, noise, threshold):
        m = KeepAbove(noise, threshold, LETTERS)
        pairs = [({"a": 1}, {}), ({"a": 2, "b": 1}, {"b": 1}), ({"a": 8}, {"a": 7, "c": 1}), ({"a": 5}, {"b": 5})]
        pairs = [tuple({k: v if threshold > 0 else -v for k, v in x.items()} for x in pair) for pair in pairs]
        found = audit.exact(m, pairs=pairs, draws=200)
        assert found.holds
        assert found.tightness > 1 - 1e-12 or isinstance(noise, Triangle)

    def test_the_audit_sees_a_value_at_the_threshold_that_is_released(self, monkeypatch):
        m = KeepAbove(Plateau(1, 2), 3, LETTERS)
        keep, lower = KeepAbove.keep, replace(m, threshold=2)
        monkeypatch.setattr(KeepAbove, "keep", lambda m, values, coins: keep(lower, values, coins))
        assert not audit.exact(m, pairs=[({"a": 1}, {})]).holds

    @pytest.mark.parametrize("noise", [*TOYS, Plateau(6, 2), Triangle(30)], ids=repr)
    def test_delta_is_the_greatest_over_all_packings(self, noise):
        for d_in in itertools.product((1, 2, 4), (1, 3, 5, 7), (1, 2, 3, 5)):
            new = Sensitivity(*d_in).tightest()
            for threshold in {new.li, new.li + 1, new.li + 6}:
                loss = KeepAbove(noise, threshold).loss(d_in)
                shared = noise.loss(new)
                beyond = loss.delta - (shared.delta if isinstance(shared, EpsilonDelta) else 0)
                true = delta_of(noise, threshold, new)
                low, high = (beyond, beyond) if isinstance(beyond, Fraction) else beyond.enclosure(300)
                assert low - Fraction(1, 2**200) <= true <= high + Fraction(1, 2**200)

    @pytest.mark.parametrize("noise", [*TOYS, Plateau(6, 2), Triangle(30), Laplace(1), Laplace("7/2")], ids=repr)
    @pytest.mark.parametrize("delta", ["0.37", "0.0123", "1e-7", "0.9997"])
    def test_the_least_threshold_is_the_least(self, noise, delta):
        for d_in in itertools.product((1, 2, 4), (1, 3, 5, 7), (1, 2, 3, 5)):
            new = Sensitivity(*d_in).tightest()
            found = KeepAbove(noise, 0).least_above(delta, d_in)
            assert found >= new.li
            assert sign(delta_of(noise, found, new) - Fraction(delta)) <= 0
            assert found == new.li or sign(delta_of(noise, found - 1, new) - Fraction(delta)) > 0

    def test_any_delta_is_met_at_once_where_all_is_allowed_or_no_key_can_be_new(self):
        assert KeepAbove(Plateau(1, 2), 0).least_above(1, (3, 9, 3)) == 3
        known = Maps(Categories(["a"]), Integers(10, 30))
        assert KeepAbove(Plateau(1, 2), 0, known).least_above("1e-9", (1, 5, 5)) == 0

    def test_laplace_threshold_is_one_by_name(self):
        m = LaplaceThreshold.within(epsilon=1, delta="1e-6", l0=3)
        assert m.noise == Laplace(3)
        assert KeepAbove(Laplace(3), 44).loss((3, 3, 1)).epsilon == m.loss((3, 3, 1)).epsilon == 1
        assert KeepAbove(Laplace(3), 44).privacy_map((3, 3, 1)) == m.privacy_map((3, 3, 1))
        assert m.privacy_map(Sensitivity(3, 3, 1)) == m.privacy_map([3, 3, 1])
        assert pickle.loads(pickle.dumps(m)) == m
        with pytest.raises(KindError, match="a Noise"):
            KeepAbove("Laplace(3)", 44)
