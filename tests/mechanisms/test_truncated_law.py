"""Truncated Laplace noise: its loss and its joint loss with new keys, against every packing and every output law."""

import itertools
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
import tiers
from public_names import PUBLIC

import discreet
from discreet import (
    AddNoise,
    Categories,
    EpsilonDelta,
    GaussianThreshold,
    Integers,
    KeepAbove,
    LaplaceThreshold,
    Maps,
    ParameterError,
    Pure,
    Sensitivity,
    TruncatedLaplace,
    TruncatedLaplaceThreshold,
    Vectors,
    audit,
)
from discreet.reals import float_up, sign

LETTERS = Maps(Categories(["a", "b", "c"]), Integers())
DISTANCES = [(1, 1, 1), (2, 2, 1), (3, 3, 1), (2, 4, 2), (2, 3, 2), (3, 5, 3), (1, 3, 3)]
NOISES = [TruncatedLaplace(s, r) for s, r in ((2, 3), (1, 5), ("1/3", 4), (9, 4))]


def masses(noise):
    """The law as floats, by its formula."""
    weights = {z: math.exp(-abs(z) / noise.scale) for z in range(-noise.limit, noise.limit + 1)}
    return {z: weight / sum(weights.values()) for z, weight in weights.items()}


def stick(p, q, grow):
    return sum(max(mass - grow * q.get(o, 0.0), 0.0) for o, mass in p.items())


def product(laws):
    joint = {(): 1.0}
    for law in laws:
        joint = {(*o, z): mass * p for o, mass in joint.items() for z, p in law.items()}
    return joint


def seen(noise, threshold, count):
    """The law of a key: its value above the threshold, or None."""
    law = {None: 0.0} if count else {None: 1.0}
    for z, p in masses(noise).items() if count else ():
        law[count + z if count + z > threshold else None] = law.get(count + z if count + z > threshold else None, 0) + p
    return law


def packings(d_in):
    """All ways to part a distance among keys: at most l0 of them, li each and l1 in all."""
    l0, l1, li = d_in
    every = itertools.chain.from_iterable(
        itertools.combinations_with_replacement(range(1, li + 1), n) for n in range(1, l0 + 1)
    )
    return [cs for cs in every if sum(cs) <= l1]


@pytest.mark.parametrize("noise", NOISES, ids=repr)
class TestNoise:
    def test_points_are_those_of_the_formula(self, noise):
        law = masses(noise)
        for z in range(-noise.limit - 2, noise.limit + 3):
            assert float_up(noise.point(z)) == pytest.approx(law.get(z, 0.0), rel=1e-12)
        assert noise.tail(noise.limit + 1) == noise.point(noise.limit + 1) == 0
        assert float_up(noise.second_moment) == pytest.approx(sum(z * z * p for z, p in law.items()), rel=1e-12)

    @pytest.mark.parametrize("d_in", DISTANCES)
    def test_delta_is_the_greatest_divergence_of_any_shift(self, noise, d_in):
        epsilon, delta = noise.measure.up(noise.loss(Sensitivity(*d_in)))
        assert epsilon == float_up(Sensitivity(*d_in).tightest().l1 / noise.scale)
        law, worst = masses(noise), 0.0
        for shift in packings(d_in):
            p = product([{z + c: mass for z, mass in law.items()} for c in shift])
            worst = max(worst, stick(p, product([law] * len(shift)), math.exp(epsilon) * (1 + 1e-12)))
        assert delta == pytest.approx(worst, rel=1e-9)

    def test_a_distance_past_both_ends_hides_nothing(self, noise):
        far = 2 * noise.limit
        assert noise.loss(Sensitivity(1, far + 1, far + 1)).delta == 1
        assert 0 < float_up(1 - noise.loss(Sensitivity(1, far, far)).delta) < 1


class TestThreshold:
    @pytest.mark.parametrize("d_in", DISTANCES[:6])
    @pytest.mark.parametrize(("s", "limit", "threshold"), [(2, 3, 3), (2, 3, 4), (2, 4, 3), (1, 3, 7), ("1/2", 2, 3)])
    def test_delta_is_the_joint_one(self, s, limit, threshold, d_in):
        """Over all packings, each key shared, or new on one side or the other, the stated delta is the greatest."""
        m = TruncatedLaplaceThreshold(scale=s, limit=limit, threshold=threshold)
        epsilon, delta = m.privacy_map(d_in)
        far, worst = 40, 0.0
        for cs in packings(d_in):
            for ways in itertools.product([(0, 1), (1, 0), (far, far), (-far, far)], repeat=len(cs)):
                pair = [
                    (far, far + c) if way[0] == far else (far + c, far) if way[0] < 0 else (way[0] * c, way[1] * c)
                    for way, c in zip(ways, cs, strict=True)
                ]
                p, q = (product([seen(m.noise, threshold, counts[i]) for counts in pair]) for i in (0, 1))
                worst = max(worst, stick(p, q, math.exp(epsilon) * (1 + 1e-12)))
        assert delta == pytest.approx(worst, rel=1e-9, abs=1e-12)

    @pytest.mark.parametrize(("limit", "threshold"), [(3, 3), (3, 5), (5, 3), (4, -4)])
    def test_the_exact_audit_finds_it_tight_on_small_maps(self, limit, threshold):
        m = TruncatedLaplaceThreshold(scale=1, limit=limit, threshold=threshold, domain=LETTERS)
        side = 1 if threshold > 0 else -1
        values = [(0, 0), (0, 1), (1, 0), (20, 21), (21, 20)]
        pairs = [
            tuple({k: side * pair[i] for k, pair in zip("ab", chosen, strict=True) if pair[i]} for i in (0, 1))
            for chosen in itertools.combinations_with_replacement(values, 2)
        ]
        found = audit.exact(m, pairs=[pair for pair in pairs if pair[0] != pair[1]], draws=tiers.cases(20, 200))
        assert found.holds
        assert found.tightness > 1 - 1e-12

    def test_the_exact_audit_takes_known_keys(self):
        for domain in (Integers(), Integers(0, 5), Vectors(Integers())):
            found = audit.exact(AddNoise(TruncatedLaplace(2, 4), domain), draws=tiers.cases(20, 200))
            assert found.holds
            assert found.tightness > 1 - 1e-12

    @pytest.mark.parametrize(
        ("l0", "threshold", "needed"), [(1, 14, 17), (2, 27, 33), (3, 40, 48), (4, 53, 63), (10, 132, 156)]
    )
    def test_thresholds_of_the_reference_budget(self, l0, threshold, needed):
        given = {"epsilon": 1, "delta": "1e-6", "l0": l0}
        m = TruncatedLaplaceThreshold.within(**given)
        assert (m.threshold, m.noise.needed(m.threshold, Fraction(19, 20))) == (threshold, needed)
        assert m.output_measure.allows(m.loss((l0, l0, 1)), (1, "1e-6"))
        assert LaplaceThreshold.within(**given).threshold >= threshold + (l0 > 1) * 2
        assert (GaussianThreshold.within(**given).threshold > threshold) == (l0 < 3)

    @pytest.mark.parametrize("d_in", [(1, 1, 1), (2, 2, 1), (5, 15, 3), (3, 7, 5), (200, 200, 1)])
    @pytest.mark.parametrize("delta", ["1e-2", "1e-9", "1e-100"])
    def test_no_limit_and_no_threshold_below_will_do(self, d_in, delta):
        m = TruncatedLaplaceThreshold.within(epsilon="1/2", delta=delta, l0=d_in[0], l1=d_in[1], li=d_in[2])
        assert m.limit == m.threshold
        assert sign(m.loss(d_in).delta - Fraction(delta)) <= 0
        for limit in (m.limit - 1, m.limit, m.limit + 1, m.limit + 50):
            lower = TruncatedLaplaceThreshold(scale=m.scale, limit=limit, threshold=m.threshold - 1)
            assert sign(lower.loss(d_in).delta - Fraction(delta)) > 0

    @pytest.mark.parametrize(
        "values", [Integers(0, 5), Integers(-5, 5), Integers(3, 9), Integers(-1, 1), Integers(0, 1), Integers(-9, 0)]
    )
    @pytest.mark.parametrize("d_in", [(2, 20, 10), (3, 7, 5), (3, 3, 1)])
    def test_bounded_values_meet_the_budget(self, values, d_in):
        domain = Maps(Categories(["a", "b", "c"]), values)
        l0, l1, li = d_in
        m = TruncatedLaplaceThreshold.within(epsilon=1, delta="1e-2", l0=l0, l1=l1, li=li, domain=domain)
        assert m.output_measure.allows(m.loss(d_in), (1, "1e-2"))
        assert m.threshold <= m.limit
        assert KeepAbove(TruncatedLaplace(m.scale, m.limit + 1), 0, domain).least_above("1e-2", d_in) <= m.limit + li

    @tiers.crossed(
        5,
        values=[Integers(0, 3), Integers(-2, 2), Integers(2, 4), Integers(-1, 1)],
        limit_and_threshold=[(4, 4), (3, 5), (6, 4)],
        ids=str,
    )
    def test_the_exact_audit_holds_for_bounded_values(self, values, limit_and_threshold):
        limit, threshold = limit_and_threshold
        m = TruncatedLaplaceThreshold(
            scale=2, limit=limit, threshold=threshold, domain=Maps(Categories(["a", "b"]), values)
        )
        every = [v for v in range(values.low, values.high + 1) if v]
        maps = [{}, *({"a": v} for v in every), *({"a": v, "b": w} for v in every for w in every[:2])]
        near = [(x, y) for x, y in itertools.combinations(maps, 2) if m.input_metric.measure(x, y).l1 <= 4]
        assert audit.exact(m, pairs=near, draws=0).holds

    def test_a_threshold_that_no_new_key_reaches_leaves_the_loss_of_the_noise(self):
        noise = TruncatedLaplace(2, 9)
        for d_in in ((2, 4, 2), (3, 5, 2)):
            alone = float_up(noise.loss(Sensitivity(*d_in)).delta)
            reached = [KeepAbove(noise, t).privacy_map(d_in)[1] for t in (8, 9, 10, 11)]
            assert reached[0] > reached[1] == reached[2] == reached[3] == alone

    def test_the_event_has_a_move_for_each_key_and_holds_the_parameters(self):
        event = TruncatedLaplaceThreshold(scale=3, limit=40, threshold=40).event((3, 3, 1))
        assert event.moves == ((Fraction(1, 3), 3),)
        assert 0 < event.delta <= Fraction("1e-6")
        assert dict(event.parts[0].parameters) == {"scale": 3, "limit": 40, "threshold": 40}
        assert TruncatedLaplaceThreshold(scale=3, limit=40, threshold=40).event((3, 7, 5)).moves == (
            (Fraction(7, 3), 1),
        )

    def test_it_tells_no_more_than_its_moves(self):
        """The divergence at every epsilon is at most that of as many randomized responses, and the delta beyond it."""
        m = TruncatedLaplaceThreshold(scale=2, limit=4, threshold=4)
        delta, far = float_up(m.loss((2, 2, 1)).delta), 40
        yes = math.exp(0.5) / (1 + math.exp(0.5))
        answers = product([{1: yes, 0: 1 - yes}] * 2), product([{1: 1 - yes, 0: yes}] * 2)
        for pair in itertools.combinations_with_replacement([(0, 1), (1, 0), (far, far + 1)], 2):
            p, q = (product([seen(m.noise, 4, counts[i]) for counts in pair]) for i in (0, 1))
            for epsilon in (0, 0.1, 0.3, 0.5, 0.8, 1, 1.5):
                allowed = delta + (1 - delta) * stick(*answers, math.exp(epsilon))
                assert stick(p, q, math.exp(epsilon)) <= allowed + 1e-12

    def test_names_and_wrong_parameters(self):
        m = TruncatedLaplaceThreshold(scale="7/2", limit=9, threshold=20, domain=LETTERS)
        assert eval(repr(m), {**PUBLIC, "Fraction": Fraction}) == m == pickle.loads(pickle.dumps(m))
        for wrong in ({"scale": -1}, {"limit": -1}, {"limit": 1.5}):
            with pytest.raises((ParameterError, TypeError), match=next(iter(wrong))):
                TruncatedLaplace(**{"scale": 1, "limit": 1, **wrong})
        for budget in (EpsilonDelta(1, 0), EpsilonDelta(0, "1e-6"), Pure(1)):
            with pytest.raises(ParameterError):
                TruncatedLaplace.within(budget, Sensitivity(1, 1, 1))

    def test_no_noise_and_no_distance(self):
        one, none = Sensitivity(1, 1, 1), Sensitivity(0, 0, 0)
        assert TruncatedLaplace(0, 5).loss(one) == EpsilonDelta(math.inf, 1)
        assert TruncatedLaplace(2, 0).loss(one) == EpsilonDelta("1/2", 1)
        assert TruncatedLaplace(2, 5).loss(none) == TruncatedLaplace(0, 0).loss(none) == EpsilonDelta(0, 0)
        assert TruncatedLaplace.within(EpsilonDelta(1, "1e-6"), none) == TruncatedLaplace(0, 0)
        assert TruncatedLaplace.within(EpsilonDelta(1, 1), one) == TruncatedLaplace(1, 0)

    def test_extreme_scales(self):
        for s, r in (("1e-300", 3), ("1e300", 3), ("1e300", 10**302), (10**20, 10**9)):
            noise = TruncatedLaplace(s, r)
            assert 0 <= float_up(noise.tail(1)) <= 0.5
            assert 0 <= noise.deviation <= r
            assert noise.radius(Fraction(1, 20)) <= r
            assert 0 <= noise.tails(np.array([1]))[0] <= 0.5
            assert -r <= noise.draw(discreet.coins.SYSTEM) <= r
        assert sign(TruncatedLaplace("1e300", 1).tail(1) - Fraction(1, 3)) < 0

    @pytest.mark.parametrize(
        ("epsilon", "delta", "l0", "li"),
        [
            *((1, "1e-6", 2**100, 1), (1, "1e-6", 1, 2**100), ("1e-300", "1e-6", 1, 1), ("1e300", "1e-6", 1, 1)),
            *((1, "1e-300", 3, 1), (1, "0.999", 3, 2), (1, 1, 3, 2), ("1/7", "0.6", 1, 5)),
        ],
    )
    def test_extreme_budgets_are_met(self, epsilon, delta, l0, li):
        m = TruncatedLaplaceThreshold.within(epsilon=epsilon, delta=delta, l0=l0, li=li)
        assert m.output_measure.allows(m.loss((l0, l0 * li, li)), (epsilon, delta))
        assert m.threshold == max(m.limit, li)
