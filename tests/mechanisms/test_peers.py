"""What the README says was seen of peers is what they do, where they are installed."""

import pickle
from fractions import Fraction

import numpy as np
import pytest

from discreet import LaplaceThreshold, RandomizedResponse, Rappor
from discreet.survey import Question


@pytest.fixture(scope="module")
def dp():
    module = pytest.importorskip("opendp.prelude")
    if not module.__version__.startswith("0.16."):
        pytest.skip("the statements are about OpenDP 0.16")
    module.enable_features("contrib")
    return module


def test_opendp_counts_another_event_than_the_one_that_happens(dp):
    domain = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int))
    peer = dp.m.make_laplace_threshold(domain, dp.l01inf_distance(dp.absolute_distance(T=int)), 1.0, 2)
    _, claimed = peer.map((1, 1, 1))
    trials = 3000
    kept = sum(len(peer({"a": 1})) for _ in range(trials)) / trials
    _, at = LaplaceThreshold(scale=1, threshold=1).privacy_map((1, 1, 1))  # Strictly above 1: at 2 too.
    _, above = LaplaceThreshold(scale=1, threshold=2).privacy_map((1, 1, 1))
    assert claimed == pytest.approx(above, rel=1e-9)
    assert kept == pytest.approx(at, abs=0.05)
    assert kept > claimed + 0.05


def test_opendp_releases_a_zero_that_its_map_does_not_see(dp):
    domain = dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T=int))
    peer = dp.m.make_laplace_threshold(domain, dp.l01inf_distance(dp.absolute_distance(T=int)), 1.0, 1)
    assert peer.map((0, 0, 0)) == (0.0, 0.0)
    assert any(peer({"a": 0}) for _ in range(200))


def test_opendp_reports_zero_where_it_is_not(dp):
    peer = dp.m.make_randomized_response(["a", "b", "c"], 1 / 3)
    assert Fraction(1 / 3) < Fraction(1, 3)
    assert peer.map(1) == 0
    with pytest.raises(ValueError, match="below 1/3"):
        RandomizedResponse(categories=["a", "b", "c"], prob=1 / 3)


def test_opendp_takes_vectors_that_are_too_heavy(dp):
    peer = dp.m.make_randomized_response_bitvec(dp.bitvector_domain(max_weight=1), dp.discrete_distance(), 0.5)
    assert len(peer(b"\xff")) == 1
    assert len(peer(b"\xff\xff")) == 2
    with pytest.raises(ValueError):
        Rappor(length=8, max_weight=1, f="1/2").release([True] * 8)


def test_opendp_neither_compares_nor_pickles(dp):
    one, other = (dp.m.make_randomized_response_bool(0.75) for _ in range(2))
    assert one != other
    with pytest.raises(ValueError, match="pickled"):
        pickle.dumps(one)
    assert "0.75" not in repr(one)
    ours = RandomizedResponse(categories=["a", "b"], prob="3/4")
    assert pickle.loads(pickle.dumps(ours)) == ours


def test_multi_freq_ldpy_draws_from_a_generator_that_can_be_seeded():
    numba = pytest.importorskip("numba")
    grr = pytest.importorskip("multi_freq_ldpy.pure_frequency_oracles.GRR")
    seed = numba.njit(lambda: np.random.seed(5))

    def drawn():
        seed()
        return [int(grr.GRR_Client(3, 1000, 1.0)) for _ in range(10)]

    assert drawn() == drawn()


def test_multi_freq_ldpy_clips_and_is_far_off_where_we_are_not():
    grr = pytest.importorskip("multi_freq_ldpy.pure_frequency_oracles.GRR")
    k, epsilon = 64, 1.0
    truth = np.r_[np.zeros(1000, int), np.arange(1000) % k]
    reports = [[int(grr.GRR_Client(x, k, epsilon)) for x in truth] for _ in range(20)]
    theirs = np.mean([grr.GRR_Aggregator_MI(said, k, epsilon)[0] for said in reports])
    q = Question("answer", range(k))
    m = RandomizedResponse.within(epsilon=epsilon, categories=q.categories)
    shares = []
    for _ in range(20):
        box = q.collector(m)
        box.add_many(q.client(m).report_many(truth), payloads=True)
        shares.append(box.estimate()[0].share)
    assert np.mean(truth == 0) == 0.508
    assert theirs < 0.25
    assert abs(np.mean(shares) - 0.508) < 0.15  # Six standard errors of the mean.
