"""Loss distributions: never below the truth, near it, and down to any delta. The truth is enumerated in balls."""

from fractions import Fraction
from itertools import product
from math import comb

import pytest
from flint import arb, ctx, fmpq

from discreet import Gaussian, GaussianThreshold, IntegerGaussian, IntegerLaplace, Integers, LaplaceThreshold, Vectors
from discreet.accounting import Amount, Event, distributions
from discreet.accounting.distributions import LossDistribution
from discreet.metrics import Sensitivity
from discreet.reals import float_up

BITS = 600


@pytest.fixture(autouse=True)
def many_bits():
    with ctx.workprec(BITS):
        yield


def ball(x):
    x = Fraction(x)
    return arb(fmpq(x.numerator, x.denominator))


def response(epsilon):
    rise = 1 / (1 + (-ball(epsilon)).exp())
    return {Fraction(epsilon): rise, -Fraction(epsilon): 1 - rise}


def shifted(weight, loss, reach):
    """The losses of integer noise of these weights and the same moved, by what the law says of each integer."""
    everything = sum((weight(z) for z in range(-reach, reach + 1)), arb(0))
    law = {}
    for z in range(-reach, reach + 1):
        law[loss(z)] = law.get(loss(z), 0) + weight(z) / everything
    return law


def laplace(scale, c, reach=300):
    s = Fraction(scale)
    return shifted(lambda z: (-ball(abs(z) / s)).exp(), lambda z: (abs(z - c) - abs(z)) / s, reach)


def gaussian(variance, c, reach=60):
    v = Fraction(variance)
    return shifted(lambda z: (-ball(z * z / (2 * v))).exp(), lambda z: (c * c - 2 * c * z) / (2 * v), reach)


def both(*laws):
    joint = {Fraction(0): arb(1)}
    for law in laws:
        sums = {}
        for (a, p), (b, q) in product(joint.items(), law.items()):
            sums[a + b] = sums.get(a + b, 0) + p * q
        joint = sums
    return joint


def truth(law, epsilon, infinite=0):
    over = (p * (1 - (ball(epsilon) - ball(loss)).exp()) for loss, p in law.items() if loss > Fraction(epsilon))
    return sum(over, ball(infinite))


def close(plan, law, epsilons, infinite=0, slack=Fraction(1, 10**4)):
    """The computed delta is at least the truth, and at most the truth at an epsilon that is a little smaller."""
    for epsilon in map(Fraction, epsilons):
        found = ball(plan.delta(epsilon))
        assert not found < truth(law, epsilon, infinite)
        assert found < truth(law, epsilon - slack, infinite) + ball("1e-13")  # What is cut off, for deltas of 1e-6.


def repeated(event, n):
    return Event(event.parts * n)


def test_a_hundred_tenths_come_to_less_than_4_78():
    plan = LossDistribution.of(Event.of(moves=[("0.1", 100)]), delta="1e-6")
    tenth = response("0.1")
    p = tenth[Fraction(1, 10)]
    law = {Fraction(2 * i - 100, 10): comb(100, i) * p**i * (1 - p) ** (100 - i) for i in range(101)}
    found = plan.epsilon("1e-6")
    assert found <= Fraction("4.78")
    assert truth(law, found) <= ball("1e-6") < truth(law, found - Fraction(1, 10**4))
    close(plan, law, ["0", "0.05", "1", "3.33", "4.77", "6"])


@pytest.mark.parametrize(("scale", "c"), [("3", 1), ("3", 5), ("7/2", 4), ("1/3", 2)])
def test_laplace_noise_is_counted_by_its_own_losses(scale, c):
    event = IntegerLaplace(scale=scale, domain=Vectors(Integers())).event(Sensitivity(1, c, c))
    law = both(*[laplace(scale, c)] * 3)
    plan = LossDistribution.of(repeated(event, 3), delta="1e-9")
    close(plan, law, [0, "0.01", "0.5", "1", "2"])
    if c > 1:  # And not as the worst pair with the same epsilon, which tells more.
        worst = both(*[response(c / Fraction(scale))] * 3)
        assert ball(plan.delta("0.5")) < truth(worst, "0.5")


@pytest.mark.parametrize(("variance", "c"), [("1/4", 1), ("2", 1), ("9/2", 3), ("10", 2)])
def test_gaussian_noise_is_counted_by_the_discrete_law(variance, c):
    event = IntegerGaussian(variance=variance, epsilon=1).event(c)
    law = both(*[gaussian(variance, c)] * 2)
    close(LossDistribution.of(repeated(event, 2), delta="1e-12"), law, [0, "0.01", "0.7", "1", "2.5", "5"])


def test_several_numbers_are_as_many_releases_of_one():
    vectors = IntegerGaussian(variance=5, epsilon=1, domain=Vectors(Integers())).event((3, 6, 2))
    one = IntegerGaussian(variance=5, epsilon=1).event(2)
    together, apart = (LossDistribution.of(event, delta="1e-9") for event in (vectors, repeated(one, 3)))
    for epsilon in ("0.5", 1, 3):
        assert abs(together.delta(epsilon) - apart.delta(epsilon)) < Fraction("1e-15")


@pytest.mark.parametrize("other", ["0.1", "0.0317"])
def test_a_lattice_that_misses_the_losses_is_near_and_not_below(monkeypatch, other):
    event = Event.of(moves=[("0.1", 40), (other, 60)])
    speck = Event.of(moves=[("1e-9", 1)])  # It makes the lattice of all losses too long.
    monkeypatch.setattr(distributions, "_POINTS", 1 << 17)
    exact = LossDistribution.of(event, delta="1e-6")
    monkeypatch.undo()
    rough = LossDistribution.of(event + speck, delta="1e-6")
    assert exact.step in (Fraction("0.1"), Fraction("0.0001")) != rough.step
    for epsilon in ("0.2", "1", "2", "3", "4"):
        assert exact.delta(epsilon) <= rough.delta(epsilon) <= exact.delta(Fraction(epsilon) - Fraction(1, 10**4))


@pytest.mark.parametrize("points", [3, 40, 1000])
def test_a_rough_lattice_is_not_below_the_truth(monkeypatch, points):
    monkeypatch.setattr(distributions, "_POINTS", points)
    event = (
        Event.of(moves=[("0.37", 2), ("0.11", 1)])
        + IntegerLaplace(scale=4, domain=Vectors(Integers())).event(Sensitivity(1, 3, 3))
        + IntegerGaussian(variance=3, epsilon=1).event(1)
    )
    law = both(response("0.37"), response("0.37"), response("0.11"), laplace(4, 3), gaussian(3, 1))
    plan = LossDistribution.of(event, delta="1e-9")
    for epsilon in ("0", "0.1", "0.4", "0.9", "1.5", "2.5", "4"):
        assert not ball(plan.delta(epsilon)) < truth(law, epsilon)


def test_different_releases_are_one_sum():
    event = (
        Event.of(moves=[("0.3", 2)], delta="1e-7")
        + IntegerLaplace(scale=4, domain=Vectors(Integers())).event(Sensitivity(1, 3, 3))
        + IntegerGaussian(variance=3, epsilon=1).event(1)
    )
    law = both(response("0.3"), response("0.3"), laplace(4, 3), gaussian(3, 1))
    close(LossDistribution.of(event, delta="1e-9"), law, ["0", "0.4", "1", "1.6", "3"], infinite="1e-7")


def test_what_is_cut_off_is_counted_as_delta(monkeypatch):
    monkeypatch.setattr(distributions, "_SPARE", -8)  # Far more is cut than a delta of 1e-3 can bear.
    plan = LossDistribution.of(Event.of(moves=[("0.5", 20)]), delta="1e-3")
    assert plan.infinite > Fraction(1, 1000)
    law = both(*[response("0.5")] * 20)
    for epsilon in ("0", "2", "5", "8", "10"):
        assert not ball(plan.delta(epsilon)) < truth(law, epsilon)


@pytest.mark.parametrize("delta", ["1e-6", "1e-39", "1e-120", "1e-300"])
def test_there_is_no_floor_in_delta(delta):
    event = IntegerGaussian(variance=100, epsilon=1).event(1)
    found = LossDistribution.of(event, delta=delta).epsilon(delta)
    exact = Fraction(float_up(Gaussian(100, delta=delta).loss(Sensitivity(1, 1, 1)).epsilon))
    assert exact <= found + Fraction(1, 10**9)
    assert found <= exact + Fraction(1, 10**4)


def test_deltas_of_thresholds_are_those_of_new_keys():
    known = IntegerGaussian(variance=50, epsilon=1, domain=Vectors(Integers())).event((2, 2, 1))
    found = GaussianThreshold(variance=50, threshold=60, epsilon=1).event((2, 2, 1))
    new = found.parts[0].concentrated[1]
    assert 0 < new < found.delta
    one, two = (LossDistribution.of(event, delta="1e-9") for event in (known, found))
    assert two.delta("0.3") == one.delta("0.3") + new
    laplace_keys = LaplaceThreshold(scale=3, threshold=44).event((3, 6, 2))
    assert LossDistribution.of(laplace_keys, delta="1e-9").infinite >= laplace_keys.delta


def test_unequal_shifts_are_counted_by_what_the_event_says():
    gaussian = IntegerGaussian(variance=50, epsilon=1, domain=Vectors(Integers())).event((3, 5, 2))
    said = Event.of(moves=gaussian.moves, delta=gaussian.delta)
    deltas = {LossDistribution.of(event, delta="1e-6").delta("0.4") for event in (gaussian, said)}
    assert len(deltas) == 1


@pytest.mark.parametrize("epsilon", ["0.2", "0.9", "1.2"])
def test_no_order_and_no_stop_that_answers_decide_beats_a_plan(epsilon):
    """All strategies: after each answer the analyst takes any release that is left, or stops. None gains."""
    losses = ("0.75", "0.5", "0.25", "0.5")

    def best(rest, loss):
        stop = (1 - (ball(epsilon) - ball(loss)).exp()).max(arb(0))
        for i, each in enumerate(rest):
            others = rest[:i] + rest[i + 1 :]
            stop = stop.max(sum((p * best(others, loss + move) for move, p in response(each).items()), arb(0)))
        return stop

    plan = LossDistribution.of(Event.of(moves=[(each, 1) for each in losses]), delta="1e-6")
    assert abs(best(losses, Fraction(0)) - ball(plan.delta(epsilon))) < ball("1e-30")


def test_the_fairest_point_takes_the_least_share():
    plan = LossDistribution.of(Event.of(moves=[("0.1", 100)]), delta="1e-6")
    left = Amount(Fraction(6), Fraction("1e-6"))
    point = plan.fairest(left)
    share = max(point.epsilon / left.epsilon, point.delta / left.delta)
    for epsilon in map(Fraction, ("4", "4.7", "4.8", "4.9", "5.5")):
        assert share <= max(epsilon / left.epsilon, plan.delta(epsilon) / left.delta)
    assert plan.delta(point.epsilon) <= point.delta
    assert LossDistribution.of(Event.of(moves=[], delta="1e-5"), delta="1e-6").fairest(left) is None


def test_nothing_costs_nothing():
    plan = LossDistribution.of(Event.of(moves=[]), delta="1e-6")
    assert plan.delta(0) == 0 == plan.epsilon(0)


def test_laplace_noise_of_unequal_entries_is_a_randomized_response():
    event = IntegerLaplace(scale=3, domain=Vectors(Integers())).event(Sensitivity(2, 4, 3))
    close(LossDistribution.of(event, delta="1e-6"), response("4/3"), ["0", "0.2", "0.7", "1.3"])


def test_a_sum_of_large_values_is_near_with_few_points():
    """Noise moved by as many units as a sum on a fine grid: a lattice of all its losses would take half a minute."""
    shift, scale = 92_160, 921_600
    alone = LossDistribution.of(IntegerLaplace(scale=scale).event(shift), delta="1e-6")
    assert len(alone.masses) < 1 << 12
    tail = (-ball(Fraction(shift // 2, scale))).exp() / (1 + (-ball(Fraction(1, scale))).exp())  # Of half the way on.
    apart = 1 - tail - tail * (-ball(Fraction(1, scale))).exp()  # The total variation.
    assert 0 <= float(alone.delta(0)) - float(apart) < 1e-8
    assert alone.delta("0.1") == 0
