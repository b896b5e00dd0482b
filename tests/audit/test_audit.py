"""The audit tells right mechanisms from wrong ones, exactly, by samples, and by the clock."""

import math
import time
from fractions import Fraction

import numpy as np
import pytest
import tiers

from discreet import (
    Composition,
    IntegerLaplace,
    Integers,
    KindError,
    LaplaceThreshold,
    Maps,
    OneHot,
    ParameterError,
    RandomizedResponse,
    RandomizedResponseBool,
    Rappor,
    UnsupportedError,
    Vectors,
    audit,
)
from discreet.mechanisms import randomized_response

pytestmark = pytest.mark.usefixtures("given_coins")

BOOLS = (True, False)


class TestExact:
    @pytest.mark.parametrize("scale", ["1/3", 1, "7/2", 100])
    def test_integer_laplace_is_as_tight_as_can_be(self, scale):
        result = audit.exact(IntegerLaplace(scale=scale), members=(0, 1, 5, -3))
        assert result.holds
        assert result.tightness > 1 - 1e-12

    def test_saturation_only_hides(self):
        m = IntegerLaplace(scale=2, domain=Integers(low=0, high=3))
        result = audit.exact(m, members=(0, 1, 2, 3))
        assert result.holds
        assert result.tightness > 1 - 1e-12

    def test_vectors_add_up(self):
        m = IntegerLaplace(scale=2, domain=Vectors(Integers()))
        result = audit.exact(m, pairs=[([0, 0], [1, 2]), ([5, 5], [5, 6]), ([1, 1], [1, 1])])
        assert result.holds
        assert [pair.d_in for pair in result.pairs] == [3, 1, 0, 3, 1]
        assert result.tightness > 1 - 1e-12

    @pytest.mark.parametrize("scale", ["1/2", 1, 5])
    @pytest.mark.parametrize("threshold", [3, -3])
    def test_threshold_is_as_tight_as_can_be(self, scale, threshold):
        sign = 1 if threshold > 0 else -1
        m = LaplaceThreshold(scale=scale, threshold=threshold)
        maps = [{}, {"a": 1}, {"a": 2}, {"a": 1, "b": 1}, {"a": 9, "b": 1}, {"a": 8, "c": 1}]
        maps = [{k: sign * v for k, v in x.items()} for x in maps]
        pairs = [(x, y) for x in maps for y in maps if m.input_metric.measure(x, y)[2] <= 3]
        result = audit.exact(m, pairs=pairs, draws=tiers.cases(100, 2000))
        assert result.holds
        assert result.quantity == "delta"
        new_keys = next(p for p in result.pairs if (len(p.x), len(p.y)) == (2, 0))
        assert new_keys.tightness > 1 - 1e-12

    def test_chains_and_compositions_are_followed(self):
        chain = OneHot(["a", "b", "c"]) >> Rappor(length=3, max_weight=1, f="1/2")
        assert audit.exact(chain, members=("a", "b", "c")).tightness > 1 - 1e-12
        both = Composition([RandomizedResponseBool(prob="3/4"), RandomizedResponseBool(prob="2/3")])
        assert audit.exact(both, members=BOOLS).tightness > 1 - 1e-12
        mixed = Composition([IntegerLaplace(scale=1), IntegerLaplace(scale=3)])
        assert audit.exact(mixed, members=(0, 2)).holds

    def test_a_loss_reported_too_small_is_a_violation(self, monkeypatch):
        m = RandomizedResponse(categories=range(4), prob="3/4")
        monkeypatch.setattr(randomized_response.RandomizedResponse, "privacy_map", lambda *_: math.log(9) * (1 - 1e-15))
        result = audit.exact(m, members=range(4))
        assert not result.holds
        assert result.tightness > 1
        assert "VIOLATED" in repr(result)

    def test_a_threshold_that_keeps_equality_is_a_violation(self, monkeypatch):
        from discreet.audit import laws as module

        # The law of a release at or above the threshold, as the seed document has it.
        real = module._thresholded
        monkeypatch.setattr(module, "_thresholded", lambda s, t, x, y: real(s, t - 1, x, y))
        result = audit.exact(LaplaceThreshold(scale=1, threshold=6), pairs=[({"a": 1}, {})])
        assert not result.holds
        assert math.isclose(result.tightness, math.e)

    def test_certainty_is_told(self):
        result = audit.exact(RandomizedResponseBool(prob=1), members=BOOLS)
        assert result.holds
        assert result.worst.low == math.inf
        assert audit.exact(LaplaceThreshold(scale=0, threshold=1), pairs=[({"a": 5}, {"a": 6})]).holds

    def test_bad_calls_are_refused(self):
        for nothing in ({"pairs": []}, {"members": ()}, {"members": (True,)}):
            with pytest.raises(ParameterError):
                audit.exact(RandomizedResponseBool(prob=1), **nothing)
        with pytest.raises(UnsupportedError):
            audit.exact(IntegerLaplace(scale=1) >> abs, members=(0, 1))
        with pytest.raises(UnsupportedError):
            audit.exact(IntegerLaplace(scale=1, domain=Vectors(Integers())), pairs=[([0] * 9, [99] * 9)])


class TestSampled:
    @pytest.mark.parametrize("prob", ["3/4", "9/10", "1/2"])
    def test_never_above_the_claim_of_a_right_mechanism(self, prob):
        for _ in range(tiers.cases(1, 3)):
            result = audit.sampled(RandomizedResponseBool(prob=prob), True, False, trials=20_000)
            assert not result.violated

    @pytest.mark.deep
    def test_nearly_all_of_the_loss_is_found_with_a_million_trials(self):
        result = audit.sampled(RandomizedResponseBool(prob="9/10"), True, False, trials=10**6)
        assert not result.violated
        assert result.bound >= 0.985 * result.claimed

    def test_categories_vectors_and_noise_are_found(self):
        for m, x, y, least in (
            (RandomizedResponse(categories=list("abc"), prob="8/10"), "a", "b", 0.9),
            (
                Rappor(length=3, max_weight=1, f="1/2"),
                np.array([True, False, False]),
                np.array([False, True, False]),
                0.8,
            ),
            (IntegerLaplace(scale=1), 0, 1, 0.8),
        ):
            result = audit.sampled(m, x, y, trials=tiers.cases(15_000, 100_000))
            assert not result.violated
            assert result.bound > least * result.claimed

    def test_a_home_made_threshold_with_equality_is_refuted(self):
        noise = IntegerLaplace(scale=1)

        def release(table):
            noisy = {key: noise.release(value) for key, value in table.items()}
            return {key: value for key, value in noisy.items() if value >= 6}

        def many(table, n):
            values = noise.release_many([1] * n).tolist() if table else [0] * n
            return [{"a": value} if value >= 6 else {} for value in values]

        claim = LaplaceThreshold(scale=1, threshold=6).privacy_map((1, 1, 1))
        result = audit.sampled(release, {"a": 1}, {}, claim, trials=tiers.cases(60_000, 400_000), many=many)
        assert result.violated
        assert result.quantity == "delta"

    def test_our_threshold_is_not_refuted(self):
        m = LaplaceThreshold(scale=1, threshold=4)
        numbered = LaplaceThreshold(scale=1, threshold=4, domain=Maps(Integers(), Integers()))

        def many(table, n):  # Each of n keys is a trial of its own.
            keys, values = numbered.release((np.arange(n), np.full(n, table.get("a", 0))))
            released = dict(zip(keys.tolist(), values.tolist(), strict=True))
            return [{"a": released[i]} if i in released else {} for i in range(n)]

        result = audit.sampled(m, {"a": 1}, {}, trials=tiers.cases(20_000, 400_000), many=many)
        assert not result.violated
        assert result.bound > 0.3 * result.claimed
        assert not audit.sampled(m, {"a": 1}, {}, trials=2000).violated

    def test_float_laplace_betrays_its_input_by_its_precision(self):
        generator = np.random.default_rng(5)
        result = audit.sampled(
            lambda x: x + float(generator.laplace(0, 1)),
            0.0,
            1.0,
            1.0,
            trials=tiers.cases(20_000, 200_000),
            many=lambda x, n: (x + generator.laplace(0, 1, n)).tolist(),
        )
        assert result.violated
        assert result.bound > 5
        assert "precision" in result.event

    def test_the_peer_under_reports_its_delta(self):
        dp = pytest.importorskip("opendp.prelude")
        dp.enable_features("contrib")
        space = (
            dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int)),
            dp.l01inf_distance(dp.absolute_distance(T=int)),
        )
        peer = dp.m.make_laplace_threshold(*space, scale=1.0, threshold=6)
        claim = peer.map((1, 1, 1))

        def many(table, n):  # Each of n keys is a trial of its own.
            released = peer({str(i): 1 for i in range(n)}) if table else {}
            return [{"a": released[str(i)]} if str(i) in released else {} for i in range(n)]

        result = audit.sampled(peer, {"a": 1}, {}, claim, trials=200_000, many=many)
        assert result.violated
        assert 0.0017 < result.claimed < 0.0019 < result.bound

    def test_a_wrong_coin_is_refuted(self):
        m = RandomizedResponseBool(prob="4/5")
        assert audit.sampled(m.release, True, False, math.log(3), trials=tiers.cases(20_000, 50_000)).violated

    def test_bad_calls_are_refused(self):
        for wrong in (
            {"claim": None},
            {"claim": "x"},
            {"claim": -1},
            {"claim": 1, "trials": 0},
            {"claim": 1, "confidence": 1},
        ):
            with pytest.raises((ParameterError, KindError)):
                audit.sampled(lambda x: x, 0, 1, **wrong)
        with pytest.raises(KindError):
            audit.sampled(5, 0, 1, 1)


class TestTiming:
    @pytest.mark.parametrize(
        ("mechanism", "x", "y"),
        [
            (RandomizedResponseBool(prob="3/4"), True, False),
            (RandomizedResponse(categories=list("abc"), prob="3/4"), "a", "c"),
            (RandomizedResponse(categories=list("abc"), prob="3/4"), "a", "foreign"),
            (IntegerLaplace(scale=10), 0, 1000),
            (Rappor(length=8, max_weight=1, f="1/2"), np.eye(8, dtype=bool)[0], np.eye(8, dtype=bool)[5]),
        ],
        ids=lambda v: type(v).__name__,
    )
    def test_entropy_and_calls_do_not_depend_on_the_input(self, mechanism, x, y):
        result = audit.timing(mechanism, x, y, trials=50, streams=30)
        assert result.entropy == 0
        assert result.calls == 0

    def test_entropy_of_the_integer_laplace_does_not_depend_on_the_noise(self):
        asked = {tuple(self.trace(IntegerLaplace(scale=10))) for _ in range(50)}
        assert asked == {(("bits", 64),)}

    @staticmethod
    def trace(mechanism):
        from discreet.audit import clock as module

        return module._trace(mechanism, 0, module._Replayed())[0]

    def test_a_sleeping_release_is_told_apart_and_its_control_is_not(self):
        result = audit.timing(time.sleep, 0, 0.0005, trials=200)
        assert result.entropy is None
        assert result.told_apart
        assert "TOLD APART" in repr(result)

    def test_calls_that_depend_on_the_input_are_seen(self):
        m = Composition([LaplaceThreshold(scale=1, threshold=1)])
        result = audit.timing(m, {"a": 5}, dict.fromkeys(map(str, range(40)), 5), trials=10, streams=10)
        assert result.entropy > 0 or result.calls > 0


def test_results_draw_themselves():
    import matplotlib as mpl

    mpl.use("Agg")
    exact = audit.exact(RandomizedResponse(categories=range(3), prob="3/4"), members=range(3))
    assert exact.plot().get_xlabel() == "claimed epsilon"
    sampled = audit.sampled(RandomizedResponseBool(prob="3/4"), True, False, trials=1000)
    assert sampled.plot().get_xlabel() == "epsilon"
    assert audit.timing(lambda x: x, 0, 1, trials=50).plot().get_xlabel() == "Welch's |t|"
    assert "no violation found" in repr(sampled)
    assert repr(exact).startswith("<holds: RandomizedResponse")


def test_a_claim_equal_to_the_truth_holds():
    assert audit.exact(IntegerLaplace(scale=2), pairs=[(0, 1)]).pairs[0].claimed == Fraction(1, 2)
    assert audit.exact(IntegerLaplace(scale=2), pairs=[(0, 1)]).holds
