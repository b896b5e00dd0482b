"""Tables made to agree: least squares held against NumPy's, whole numbers against what they have to add up to."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tiers import cases

from discreet import Gaussian, Laplace
from discreet.tables.fitting import Fit, Whole, _settle, reach

TABLES = [axes for n in range(4) for axes in itertools.combinations(range(3), n)]
NEAR = {"rtol": 1e-9, "atol": 1e-9}


@st.composite
def designs(draw, most=4):
    """Up to three columns, one or more of their tables, and noisy totals."""
    sizes = tuple(draw(st.lists(st.integers(1, most), max_size=3)))
    tables = [axes for axes in TABLES if all(i < len(sizes) for i in axes)]
    asked = draw(st.lists(st.sampled_from(tables), min_size=1, unique=True))
    seed = draw(st.integers(0, 2**32))
    pick = np.random.default_rng(seed)
    noisy = {axes: pick.integers(-20, 50, [sizes[i] for i in axes]) for axes in asked}
    return sizes, asked, noisy, pick


def matrix(sizes, axes):
    """The sums of cells, as rows of 0 and 1."""
    cells = list(itertools.product(*map(range, sizes)))
    keys = list(itertools.product(*(range(sizes[i]) for i in axes)))
    return np.array([[float(tuple(cell[i] for i in axes) == key) for cell in cells] for key in keys])


def summed(values, finer, axes):
    return values.sum(tuple(place for place, i in enumerate(finer) if i not in axes))


def agree(numbers, possible):
    """All are whole, not negative, 0 where nothing is possible, and add up."""
    for axes, values in numbers.items():
        assert values.dtype == np.int64
        assert values.min() >= 0
        allowed = possible.any(tuple(i for i in range(possible.ndim) if i not in axes))
        assert not values[~np.asarray(allowed)].any()
        for finer, parts in numbers.items():
            if set(axes) <= set(finer):
                assert (summed(parts, finer, axes) == values).all()


@settings(max_examples=cases(60, 500), deadline=None)
@given(designs())
def test_the_fit_and_its_variance_are_those_of_generalized_least_squares(design):
    sizes, asked, noisy, pick = design
    variances = {axes: float(v) for axes, v in zip(asked, pick.uniform(0.5, 20, len(asked)), strict=True)}
    fit = Fit(sizes, variances)
    fitted = fit.estimates(noisy)
    rows = np.vstack([matrix(sizes, axes) / variances[axes] ** 0.5 for axes in asked])
    seen = np.concatenate([noisy[axes].ravel() / variances[axes] ** 0.5 for axes in asked])
    cells, errors = np.linalg.pinv(rows) @ seen, np.linalg.pinv(rows.T @ rows)
    for axes in asked:
        sums = matrix(sizes, axes)
        np.testing.assert_allclose(fitted[axes].ravel(), sums @ cells, **NEAR)
        np.testing.assert_allclose(np.diag(sums @ errors @ sums.T), fit.variance(axes), **NEAR)


@settings(max_examples=cases(60, 500), deadline=None)
@given(designs())
def test_public_totals_are_the_limit_of_small_noise(design):
    sizes, asked, noisy, _ = design
    known, small = Fit(sizes, dict.fromkeys(asked, 1.0) | {asked[0]: 0.0}), dict.fromkeys(asked, 1.0) | {asked[0]: 1e-9}
    for axes, values in known.estimates(noisy).items():
        np.testing.assert_allclose(values, Fit(sizes, small).estimates(noisy)[axes], rtol=1e-5, atol=1e-5)
        assert known.variance(axes) == pytest.approx(Fit(sizes, small).variance(axes), abs=1e-6)
    np.testing.assert_allclose(known.estimates(noisy)[asked[0]], noisy[asked[0]], **NEAR)


@settings(max_examples=cases(100, 1000), deadline=None)
@given(designs(), st.floats(0, 1))
def test_whole_numbers_add_up_whatever_the_tables(design, share):
    sizes, asked, noisy, pick = design
    whole = Whole(sizes, tuple(asked))
    possible = pick.random(sizes) >= share
    if whole.impossible or not possible.any():
        return
    fitted = Fit(sizes, dict.fromkeys(asked, 1.0)).estimates(noisy)
    numbers = whole.numbers(fitted, possible)
    assert set(asked) <= set(numbers)
    agree(numbers, possible)


def test_only_tables_that_share_sums_in_a_circle_are_impossible():
    """Of all sets of tables of three columns, those with all three pairs and no table of all."""
    for n in range(1, len(TABLES) + 1):
        for asked in itertools.combinations(TABLES, n):
            circle = {(0, 1), (0, 2), (1, 2)} <= set(asked) and (0, 1, 2) not in asked
            assert Whole((2, 2, 2), asked).impossible == circle


def test_a_public_table_that_cannot_be_chained_is_impossible():
    assert not Whole((2, 2), ((0, 1), (0,), (1,)), ((1,),)).impossible
    assert Whole((2, 2), ((0, 1), (0,), (1,)), ((0,), (1,))).impossible


@settings(max_examples=cases(40, 300), deadline=None)
@given(designs())
def test_public_totals_stay_as_they_are(design):
    sizes, asked, noisy, _ = design
    known = asked[0]
    whole = Whole(sizes, tuple(asked), (known,))
    if whole.impossible:
        return
    noisy[known] = np.abs(noisy[known])
    fitted = Fit(sizes, dict.fromkeys(asked, 2.0) | {known: 0.0}).estimates(noisy)
    numbers = whole.numbers(fitted, np.ones(sizes, bool))
    assert (numbers[known] == noisy[known]).all()
    agree(numbers, np.ones(sizes, bool))


def nearest(row, total):
    """The nearest whole numbers >= 0 with a total, by looking at all."""
    every = (c for c in itertools.product(range(total + 1), repeat=len(row)) if sum(c) == total)
    return min(math.dist(c, row) for c in every)


def test_each_total_is_divided_into_the_nearest_whole_numbers():
    """Against all that add up: rounding the nearest real ones by their largest rests is the best, up to ties."""
    pick, whole = np.random.default_rng(5), Whole((3,), ((), (0,)))
    for _ in range(cases(150, 1500)):
        total, near = int(pick.integers(0, 7)), pick.normal(1.5, 3, 3)
        found = whole.numbers({(): np.array(float(total)), (0,): near}, np.ones(3, bool))[0,]
        assert found.sum() == total
        assert math.dist(found, near) <= nearest(near, total) + 1e-9


@pytest.mark.parametrize("size", [2**40, 2**51, 2**53, 2**60])
def test_totals_that_floats_miss_add_up_all_the_same(size):
    sizes, possible = (7, 3), np.ones((7, 3), bool)
    noisy = {(): np.array(float(size)), (0,): np.full(7, size / 7 + 0.3), (0, 1): np.full((7, 3), size / 21 - 0.4)}
    numbers = Whole(sizes, tuple(noisy)).numbers(Fit(sizes, dict.fromkeys(noisy, 1.0)).estimates(noisy), possible)
    agree(numbers, possible)
    assert numbers[()] == pytest.approx(size, rel=1e-12)


def test_what_is_too_much_is_taken_from_the_largest_cells():
    row = np.array([3, 5, 4, 0])
    _settle(row, 6, np.array([True, True, True, False]))
    assert row.tolist() == [3, 0, 3, 0]
    _settle(row, 9, np.array([True, True, True, False]))
    assert row.tolist() == [6, 0, 3, 0]


@pytest.mark.deep
@pytest.mark.parametrize("sizes", [(100, 100, 100), (1000, 1000), (500_000, 2), (1_000_000,), (2,) * 12])
def test_a_million_cells_add_up(sizes):
    pick = np.random.default_rng(1)
    asked = [tuple(range(n)) for n in range(len(sizes) + 1)]
    noisy = {axes: pick.integers(-9, 12, [sizes[i] for i in axes]) for axes in asked}
    numbers = Whole(sizes, tuple(asked)).numbers(
        Fit(sizes, dict.fromkeys(asked, 3.0)).estimates(noisy), np.ones(sizes, bool)
    )
    agree({axes: numbers[axes] for axes in asked}, np.ones(sizes, bool))


def law_of(terms, noise):
    """The law of a weighted sum of independent noises, by exact convolution: weights are whole."""
    far = noise.radius(Fraction(1, 10**9))
    tails = noise.chances(np.arange(-far, far + 2))
    one = tails[:-1] - tails[1:]
    law = np.ones(1)
    for weight in terms:
        spread = np.zeros((len(one) - 1) * weight + 1)
        spread[::weight] = one
        law = np.convolve(law, spread)
    return law


@pytest.mark.parametrize(
    "noise", [Laplace(1), Laplace("3/2"), Laplace(4), Laplace(9), Gaussian(2), Gaussian(30)], ids=repr
)
@pytest.mark.parametrize("error", [Fraction(1, 100), Fraction(1, 20), Fraction(1, 10), Fraction(1, 5)], ids=str)
def test_intervals_hold_for_every_mixture_of_noises(noise, error):
    """Sums from one noise alone to many, equal or not; and a reach that is a tenth smaller would miss somewhere."""
    heavy = float(noise.scale) / noise.deviation if isinstance(noise, Laplace) else 0.0
    missed = []
    for terms in ([1], [1, 1], [2, 1], [3, 1], [5, 1, 1], [1] * 5, [4, 2, 1, 1], [1] * 12, [6, *[1] * 8]):
        law = law_of(terms, noise)
        deviation = noise.deviation * sum(w * w for w in terms) ** 0.5
        place = np.abs(np.arange(len(law)) - len(law) // 2)
        for scale in (1, 1 / max(terms)):  # The largest weight is 1 in a fit, or less.
            far = reach(deviation * scale, error, heavy)
            missed.append((law[place * scale > far].sum(), law[place * scale > 0.9 * far].sum()))
    assert max(miss for miss, _ in missed) <= error * Fraction(101, 100)
    assert max(miss for _, miss in missed) > error
