"""The planner asks for as few people as any mechanism within the budget needs, and chooses by what it is asked for."""

import itertools
import math

import pytest
import tiers

from discreet import OptimizedUnary, ParameterError, RandomizedResponse, Rappor, SubsetSelection
from discreet.intervals import binomial
from discreet.survey import Question, plan


def every(k, epsilon):
    """All mechanisms that a plan may choose among, with every size of subsets."""
    q = Question("q", range(k))
    yield RandomizedResponse.within(epsilon=epsilon, categories=q.categories)
    yield OptimizedUnary.within(epsilon=epsilon, length=k)
    yield Rappor.within(epsilon=epsilon, length=k, max_weight=1)
    for size in range(2, k):
        yield SubsetSelection.within(epsilon=epsilon, categories=q.categories, size=size)


def half_width(mechanism, n, max_share=1.0):
    """Half the width of an interval at the share, of a fine grid and the best of it, where it is widest."""
    p, q = map(float, mechanism.support)
    shares = [min(max_share, max(0.0, (0.5 - q) / (p - q))), *(max_share * i / 10 for i in range(11))]
    return min(0.5, max(float(high - low) / (p - q) / 2 for low, high in (at(n, q + f * (p - q)) for f in shares)))


def at(n, seen):
    return binomial(n * seen, n, 0.05)


def fewest(mechanism, margin, max_share=1.0):
    """The least number of people for a margin, by doubling and halving."""
    high = 1
    while half_width(mechanism, high, max_share) > margin:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if half_width(mechanism, middle, max_share) <= margin else (middle, high)
    return high


CASES = list(itertools.product((2, 3, 5, 10, 23), (0.3, 1, 2, 4, 6)))


class TestTheLeast:
    @pytest.mark.parametrize(("case", "margin"), tiers.each(itertools.product(CASES, [0.2, 0.02]), 5))
    def test_no_mechanism_and_no_size_needs_fewer_people(self, case, margin):
        k, epsilon = case
        made = plan(k, epsilon=epsilon, margin=margin)
        assert made.people == min(fewest(m, margin) for m in every(k, epsilon))
        assert half_width(made.mechanism, made.people) <= margin

    @pytest.mark.parametrize(("k", "epsilon"), [(10, 1), (23, 2), (23, 4)])
    @pytest.mark.parametrize("max_share", [0.5, 0.1])
    def test_nor_where_no_choice_is_common(self, k, epsilon, max_share):
        made = plan(k, epsilon=epsilon, margin="0.02", max_share=max_share)
        assert made.people == min(fewest(m, 0.02, max_share) for m in every(k, epsilon))
        assert made.people <= plan(k, epsilon=epsilon, margin="0.02").people

    @pytest.mark.parametrize(("k", "epsilon"), CASES)
    @pytest.mark.parametrize("people", [40, 10_000])
    def test_none_gives_a_smaller_margin_to_as_many_people(self, k, epsilon, people):
        made = plan(k, epsilon=epsilon, people=people)
        assert math.isclose(made.margin, min(half_width(m, people) for m in every(k, epsilon)), rel_tol=1e-9)
        assert [option.margin for option in made.options] == sorted(option.margin for option in made.options)

    @pytest.mark.parametrize("epsilon", tiers.each(["0.5", "1", "3", "5"], 2))
    def test_every_size_of_a_thousand(self, epsilon):
        made = plan(1000, epsilon=epsilon, people=3000)
        q = Question("q", range(1000))
        sizes = [SubsetSelection.within(epsilon=epsilon, categories=q.categories, size=d) for d in range(1, 1000)]
        assert math.isclose(made.margin, min(half_width(m, 3000) for m in sizes), rel_tol=1e-9)

    def test_the_power_of_that_the_least_variance_at_equal_shares_asks_for_more_than_twice_the_people(self):
        by_variance = plan(1000, epsilon=5).mechanism
        assert fewest(by_variance, 0.02) > 2.8 * plan(1000, epsilon=5, margin="0.02").people

    def test_with_neither_it_is_the_least_variance_at_equal_shares(self):
        for k, epsilon in CASES:
            made = plan(k, epsilon=epsilon)
            assert made.best.unit_variance == min(option.unit_variance for option in made.options)
            assert made.best.of_limit <= 1.001


class TestTheGreatestShare:
    def test_a_whole_is_no_bound(self):
        assert plan(9, epsilon=1, people=99, max_share=1).to_rows() == plan(9, epsilon=1, people=99).to_rows()

    def test_the_smaller_it_is_the_fewer_people(self):
        people = [plan(100, epsilon=2, margin="0.01", max_share=s).people for s in (1, "1/4", "0.05", "0.001")]
        assert people == sorted(people, reverse=True)
        assert len(set(people)) == 4

    @pytest.mark.parametrize("max_share", [0, -1, "1.1", math.nan, "x"])
    def test_one_that_is_none(self, max_share):
        with pytest.raises(ValueError, match="max_share"):
            plan(5, epsilon=1, people=100, max_share=max_share)

    def test_it_needs_something_to_bound(self):
        with pytest.raises(ParameterError, match="a margin or people beside it"):
            plan(5, epsilon=1, max_share="1/2")
