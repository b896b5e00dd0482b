"""Finding keys as zCDP: on books that count rho it is charged by rho."""

from fractions import Fraction

import pytest

from discreet import FindKeys, Gaussian, Ledger
from discreet.reals import expm1, float_up, log1p


@pytest.mark.parametrize("rounds", [1, 2])
def test_its_rho_is_that_of_the_noise_and_its_delta_that_of_new_keys(rounds):
    m = FindKeys.within(epsilon=1, delta="1e-6", max_keys=5, rounds=rounds)
    (part,) = m.event(1).parts
    rho, delta = part.concentrated
    assert rho == sum(Fraction(m.norm**2) / (2 * one.variance) for one in m.rounds)
    surprises = [
        max(float_up(-log1p(-Gaussian(one.variance).tail(one.threshold + 1 - w)) * k) for k, w in m.weights)
        for one in m.rounds
    ]
    assert float(delta) == pytest.approx(float_up(-expm1(-Fraction(sum(surprises)))), rel=1e-9)
    assert 0 < delta < part.delta
    assert (part.moves, part.delta) == (((Fraction(1), 1),), m.event(1).delta)


def test_rho_is_stated_for_one_person_alone():
    m = FindKeys.within(epsilon=1, delta="1e-6", max_keys=2)
    assert [m.event(d).parts[0].concentrated is None for d in (0, 1, 2)] == [True, False, True]


def test_books_of_rho_count_it():
    event = FindKeys.within(epsilon=1, delta="1e-6", max_keys=100).event(1)
    book = Ledger.in_memory(epsilon=3, delta="1e-4", accountant="zcdp")
    assert book.shares()(event) < Fraction(1, 5)
    book.charge(event=event)
