"""What tables and differences show: the ends of intervals that never collapse, and differences that hold together."""

import itertools

import numpy as np
import pytest
from scipy import stats
from survey_laws import rr

from discreet import OptimizedUnary, SubsetSelection
from discreet.figures import interval_text
from discreet.survey import Crosstab, Estimate, PairCollector, Question

pytestmark = pytest.mark.usefixtures("given_coins")

FORMS = [
    rr(2, "3/4"),
    rr(3, "2/5"),
    rr(3, "999/1000"),
    Question("q", range(6)).form(SubsetSelection(categories=range(6), size=3, prob="3/5")),
    Question("q", range(4)).form(OptimizedUnary(length=4, p="1/2", q="1/4")),
]


class TestNothingCollapses:
    @pytest.mark.parametrize("form", FORMS, ids=lambda form: type(form.mechanism).__name__)
    @pytest.mark.parametrize("n", [1, 10, 1000])
    def test_no_interval_is_shorter_than_one_at_a_share_of_nothing_or_all(self, form, n):
        p, q = map(float, form.support)
        low, high = Estimate.of(form, np.arange(n + 1), n).intervals.T
        nothing = min(1.0, (stats.beta.isf(0.025, n * q + 1, max(n - n * q, 1)) - q) / (p - q))
        everything = max(0.0, (stats.beta.ppf(0.025, max(n * p, 1), n - n * p + 1) - q) / (p - q))
        assert (high >= nothing - 1e-6).all()
        assert (low <= everything + 1e-6).all()
        assert (high - low > 0).all()

    def test_where_nothing_is_known_the_table_says_so(self):
        form = rr(3, "2/5")
        estimate = Estimate.of(form, np.array([50, 50, 0]), 100)
        assert estimate.shares[2] < -2
        assert estimate[2].low == 0
        assert estimate[2].high > 0.9
        assert "0.0 to 0.0" not in str(estimate)

    def test_the_interval_is_clopper_and_pearsons_where_the_count_is_possible(self):
        form, n = rr(2, "3/4"), 40
        ends = Estimate.of(form, np.arange(10, 31), n).intervals
        low, high = (stats.beta.ppf(0.025, np.arange(10, 31), 41 - np.arange(10, 31)),
                     stats.beta.ppf(0.975, np.arange(11, 32), 40 - np.arange(10, 31)))  # fmt: skip
        assert np.allclose(ends[:, 0], np.clip((low - 0.25) / 0.5, 0, 1), atol=1e-6)
        assert np.allclose(ends[:, 1], np.clip((high - 0.25) / 0.5, 0, 1), atol=1e-6)

    @pytest.mark.parametrize("counts", [[1000, 0, 0], [0, 1000, 0], [0, 0, 1000]])
    def test_differences_beyond_the_possible_keep_their_width_and_their_order(self, counts):
        estimate = Estimate.of(rr(3, "2/5"), np.array(counts), 1000)
        for a, b in itertools.permutations(range(3), 2):
            found = estimate.difference(a, b)
            assert -1 <= found.low < found.high <= 1
            assert found.high - found.low > 0.1
            assert found.error > 0

    def test_pairs_beyond_the_possible_keep_their_width(self):
        forms = rr(2, "3/4", "smokes"), rr(2, "3/4", "age")
        supports = np.array([1000, 0]), np.array([1000, 0])
        table = Crosstab.of(forms, supports, np.array([[1000, 0], [0, 0]]), 1000)
        low, high = table.intervals[..., 0], table.intervals[..., 1]
        assert table.shares[0, 0] > 2
        assert (high - low > 0.05).all()


class TestWhatATableShows:
    def test_each_cell_has_the_ends_of_its_own_interval(self):
        forms = rr(2, "3/4", "smokes"), rr(3, "3/4", "age")
        box = PairCollector(*forms)
        rng = np.random.default_rng(1)
        box.add_many(rng.integers(0, 2, 300), np.zeros(300, int))
        for together in (False, True):
            table = box.estimate(simultaneous=together)
            text = str(table)
            assert "±" not in text
            assert ("hold all together" in text.splitlines()[0]) is together
            for i, j in itertools.product(range(2), range(3)):
                low, high = map(float, table.intervals[i, j])
                shown = f"{100 * table.shares[i, j]:.1f} {interval_text(100 * low, 100 * high, decimals=1)}"
                assert f"{i} {j} {shown}" in " ".join(text.split())
                assert high > low
        assert " 0.0 to 0.0" not in text


class TestTogether:
    def test_differences_are_bonferronis_over_all_pairs(self):
        counts = np.array([400, 300, 200, 100])
        alone, together = (Estimate.of(rr(4, "3/4"), counts, 1000, simultaneous=s) for s in (False, True))
        strict = Estimate.of(rr(4, "3/4"), counts, 1000, confidence=1 - 0.05 / 6)
        for a, b in itertools.permutations(range(4), 2):
            one, all_of_them = alone.difference(a, b), together.difference(a, b)
            assert (one.simultaneous, all_of_them.simultaneous) == (False, True)
            assert all_of_them.low < one.low < one.high < all_of_them.high
            wanted = strict.difference(a, b)
            assert np.allclose([all_of_them.low, all_of_them.high], [wanted.low, wanted.high], atol=1e-9)
            assert all_of_them.confidence == one.confidence == 0.95
            assert alone.difference(a, b, simultaneous=True) == all_of_them
            assert together.difference(a, b, simultaneous=False) == one

    def test_they_hold_together(self):
        form, n, rounds = rr(5, "3/5"), 400, 300
        truth = np.repeat(np.arange(5), [200, 100, 60, 40, 0])
        rows = form.perturb(np.tile(truth, rounds)).reshape(rounds, n, 1)
        shares = np.bincount(truth, minlength=5) / n
        missed = 0
        for each in rows:
            estimate = Estimate.of(form, form.count(each), n, simultaneous=True)
            pairs = itertools.combinations(range(5), 2)
            found = {(a, b): estimate.difference(a, b) for a, b in pairs}
            missed += any(not d.low <= shares[a] - shares[b] <= d.high for (a, b), d in found.items())
        assert missed <= stats.binom.isf(1e-7, rounds, 0.05)
