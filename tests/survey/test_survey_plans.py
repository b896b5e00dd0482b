"""Plans: the reference values, the limit by brute force, and the promises of people and margins."""

import math
from fractions import Fraction

import matplotlib as mpl
import numpy as np
import pytest
from scipy import stats

from discreet import (
    DiscreetError,
    OptimizedUnary,
    ParameterError,
    RandomizedResponse,
    Rappor,
    SubsetSelection,
    UnsupportedError,
)
from discreet.survey import Estimate, Plan, Question, plan
from discreet.survey.plans import limit, unit_variance

mpl.use("Agg")

REFERENCE = [
    # k, epsilon, then n times variance of a share at equal shares: GRR, SUE, OUE, SS, and the limit.
    (10, 1, "4.19", "4.01", "3.87", "3.00", "3.00"),
    (100, 2, "2.75", "0.931", "0.744", "0.710", "0.710"),
    (2, 1, "1.17", None, None, None, "1.17"),
    (1000, 4, "0.386", "0.182", "0.078", "0.076", "0.076"),
]
NAMES = (RandomizedResponse, Rappor, OptimizedUnary, SubsetSelection)


def by_kind(made):
    return {type(option.mechanism): option for option in made.options}


def written_like(x, figure):
    """A number with as many places as a figure has."""
    return f"{x:.{len(figure.partition('.')[2])}f}"


def least_by_brute_force(k, epsilon):
    """The least of all subset sizes' variances, each written as the issue has it, divided by k."""
    e = math.exp(epsilon)
    return min((k - 1) ** 2 * (d * e + k - d) ** 2 / (k * d * (k - d) * (e - 1) ** 2) for d in range(1, k)) / k


class TestTheChoice:
    @pytest.mark.parametrize(("k", "epsilon", "grr", "sue", "oue", "ss", "least"), REFERENCE)
    def test_the_reference_values(self, k, epsilon, grr, sue, oue, ss, least):
        made = plan(k, epsilon=epsilon)
        found = by_kind(made)
        for kind, figure in zip(NAMES, (grr, sue, oue, ss), strict=True):
            if figure is not None:
                assert written_like(found[kind].unit_variance, figure) == figure
        assert written_like(made.limit, least) == written_like(made.best.unit_variance, least) == least

    @pytest.mark.parametrize("kind", NAMES)
    @pytest.mark.parametrize(("k", "epsilon"), [(3, 1), (4, 0.5), (5, 2)])
    def test_unit_variance_is_that_of_one_report_by_its_law(self, kind, k, epsilon):
        q = Question("q", range(k))
        makers = {
            RandomizedResponse: {"categories": q.categories},
            SubsetSelection: {"categories": q.categories, "size": 2},
            OptimizedUnary: {"length": k},
            Rappor: {"length": k, "max_weight": 1},
        }
        m = kind.within(epsilon=epsilon, **makers[kind])
        p, q = m.support
        seen = Fraction(0)  # How often a report supports choice 0, where each truth is equally likely.
        for truth in range(k):
            by_name = kind in (RandomizedResponse, SubsetSelection)
            law = m.law(truth if by_name else [i == truth for i in range(k)])
            for report, mass in law.items():
                named = report if isinstance(report, tuple) else (report,)
                seen += mass / k * (0 in named if by_name else named[0])
        assert unit_variance(m, k) == seen * (1 - seen) / (p - q) ** 2

    @pytest.mark.parametrize("epsilon", ["0.01", "0.1", "0.5", "1", "1.7", "3", "6", "12"])
    def test_the_limit_is_the_least_over_all_sizes(self, epsilon):
        for k in [*range(2, 60), 100, 321, 1000]:
            exact = least_by_brute_force(k, float(epsilon))
            assert math.isclose(limit(k, Fraction(epsilon)), exact, rel_tol=1e-9)

    def test_the_power_of_that_another_size_is_seen(self):
        # The next best size is above the least by more than the tolerance, or equally good by symmetry.
        for k, epsilon in ((10, 1), (100, 2), (1000, 4)):
            e = math.exp(epsilon)
            all_sizes = sorted(
                (k - 1) ** 2 * (d * e + k - d) ** 2 / (k * k * d * (k - d) * (e - 1) ** 2) for d in range(1, k)
            )
            assert all_sizes[1] > all_sizes[0] * (1 + 1e-6)

    @pytest.mark.parametrize("epsilon", ["0.1", "0.5", "1", "2", "4", "6"])
    def test_the_choice_is_within_the_budget_and_a_thousandth_of_the_limit(self, epsilon):
        for k in (2, 3, 4, 5, 7, 10, 20, 50, 100, 500, 1000):
            made = plan(k, epsilon=epsilon)
            assert made.mechanism.privacy_map(1) <= float(epsilon)
            assert all(option.mechanism.privacy_map(1) <= float(epsilon) for option in made.options)
            assert 1 - 1e-9 <= made.best.of_limit <= 1.001
            variances = [option.unit_variance for option in made.options]
            assert variances == sorted(variances)
            assert made.limit <= min(variances) * (1 + 1e-9)
            assert all(option.of_limit == option.unit_variance / made.limit for option in made.options)

    def test_sets_of_one_are_left_out_because_they_are_randomized_response(self):
        assert SubsetSelection not in by_kind(plan(2, epsilon=1))
        assert SubsetSelection not in by_kind(plan(10, epsilon=4))
        assert isinstance(plan(10, epsilon=4).mechanism, RandomizedResponse)
        assert isinstance(plan(10, epsilon=1).mechanism, SubsetSelection)

    def test_every_option_is_a_mechanism_for_the_question(self):
        q = Question("smokes", ["never", "sometimes", "daily"], missing="no answer")
        for option in q.plan(epsilon=1).options:
            form = q.form(option.mechanism)
            box = q.collector(option.mechanism)
            box.add_many(form.perturb(np.array([0, 1, 2, 3])), payloads=True)
            assert box.estimate().n == 4


def worst_half_width(form, n):
    """The widest half of an interval over all shares, and over all counts that are likely at them (99 %)."""
    p, q = map(float, form.support)
    widest = 0.0
    for f in np.linspace(0, 1, 21):
        low, high = stats.binom.ppf([0.005, 0.995], n, q + f * (p - q))
        counts = np.unique(np.linspace(low, high, 9).astype(int))
        widest = max(widest, float(np.diff(Estimate.of(form, counts, n).intervals, axis=1).max()) / 2)
    return widest


class TestPeopleAndMargins:
    @pytest.mark.parametrize("margin", ["0.2", "0.05", "0.02", "0.003"])
    @pytest.mark.parametrize(("k", "epsilon"), [(2, 1), (3, "0.3"), (10, 1), (10, 4), (100, 2)])
    def test_people_are_the_least_that_give_the_margin(self, k, epsilon, margin):
        made = plan(k, epsilon=epsilon, margin=margin)
        for i, option in enumerate(made.options):
            assert option.margin <= float(margin)
            back = plan(k, epsilon=epsilon, people=option.people)
            assert by_kind(back)[type(option.mechanism)].margin == option.margin
            if option.people > 1:
                fewer = plan(k, epsilon=epsilon, people=option.people - 1)
                assert by_kind(fewer)[type(option.mechanism)].margin > float(margin)
            if i == 0:
                assert (made.people, made.margin) == (option.people, option.margin)

    @pytest.mark.parametrize("margin", ["0.1", "0.02"])
    @pytest.mark.parametrize(("k", "epsilon"), [(2, 1), (3, 1), (10, "0.5"), (10, 4), (100, 2), (1000, 4)])
    def test_the_promised_margin_holds_at_every_share_and_likely_count(self, k, epsilon, margin):
        q = Question("q", range(k))
        for option in q.plan(epsilon=epsilon, margin=margin).options:
            if option.people < 10**7:
                assert worst_half_width(q.form(option.mechanism), option.people) <= 1.01 * float(margin)

    def test_the_power_of_that_fewer_people_break_the_promise(self):
        q = Question("q", range(10))
        made = q.plan(epsilon=1, margin="0.02")
        form = q.form(made.mechanism)
        assert worst_half_width(form, int(0.95 * made.people)) > 1.01 * 0.02
        assert worst_half_width(form, made.people) > 0.98 * 0.02  # And they are not many too many.

    def test_more_certainty_or_less_budget_needs_more_people(self):
        people = [plan(10, epsilon=1, margin="0.05", confidence=c).people for c in ("0.8", "0.95", "0.999")]
        assert people == sorted(people)
        assert len(set(people)) == 3
        people = [plan(10, epsilon=e, margin="0.05").people for e in (4, 2, 1, "0.5")]
        assert people == sorted(people)
        margins = [plan(10, epsilon=1, people=n).margin for n in (1, 2, 5, 10, 30, 100, 1000, 10**6, 10**9)]
        assert margins == sorted(margins, reverse=True)
        assert margins[0] == 0.5  # An interval from 0 to 1.

    def test_a_margin_that_anyone_gives_needs_one(self):
        for margin in ("0.5", "0.7", "0.999"):
            assert plan(5, epsilon=1, margin=margin).people == 1

    def test_for_people_the_plan_says_what_they_give(self):
        made = plan(10, epsilon=1, people=10_000)
        assert {option.people for option in made.options} == {10_000}
        for option in made.options:
            assert math.isclose(option.error, math.sqrt(option.unit_variance / 10_000))
            assert option.error < option.margin < 0.1
        assert made.people == 10_000
        box = Question("q", range(10)).form(made.mechanism)
        p, q = map(float, box.support)
        at_equal_shares = Estimate.of(box, np.full(10, round(10_000 * (p + 9 * q) / 10)), 10_000)
        assert math.isclose(at_equal_shares.standard_errors()[0], made.best.error, rel_tol=1e-3)

    def test_without_either_it_says_neither(self):
        made = plan(10, epsilon=1)
        assert (made.people, made.margin, made.best.error) == (None, None, None)


class TestWhatItShows:
    def test_the_table(self):
        made = plan(10, epsilon=1, people=10_000)
        text = repr(made)
        assert text == str(made)
        lines = text.splitlines()
        assert lines[0] == "10 choices, epsilon 1: no mechanism has an n × variance below 3"
        assert lines[1].split() == [
            "mechanism",
            "n",
            "×",
            "var",
            "of",
            "limit",
            "influence",
            "people",
            "error",
            "margin",
        ]
        assert "SubsetSelection, 4 of 10" in lines[2]
        assert lines[2].split()[-7:] == ["3.26", "108.5", "%", "2.31", "10,000", "1.80", "3.63"]
        assert len(lines) == 8
        short = repr(plan(10, epsilon=1)).splitlines()
        assert short[1].split()[-4:] == ["var", "of", "limit", "influence"]
        assert short[2].split()[-3:] == ["100.0", "%", "2.75"]

    def test_rows_are_plain_values(self):
        made = plan(10, epsilon=1, people=100)
        rows = made.to_rows()
        assert [row["mechanism"] for row in rows] == [option.name for option in made.options]
        assert set(rows[0]) == {"mechanism", "unit_variance", "of_limit", "influence", "people", "error", "margin"}
        assert all(type(row["people"]) is int and type(row["margin"]) is float for row in rows)

    def test_the_plot_has_a_line_for_each_option_and_one_for_the_limit(self):
        from matplotlib import pyplot as plt

        made = plan(10, epsilon=1)
        axes = made.plot()
        labels = [line.get_label() for line in axes.get_lines()]
        assert labels == [*(option.name for option in made.options), "limit"]
        x, y = axes.get_lines()[0].get_data()
        assert np.allclose(y, np.sqrt(made.best.unit_variance / x))
        assert axes.get_xscale() == axes.get_yscale() == "log"
        plt.close(axes.figure)
        figure, own = plt.subplots()
        assert made.plot(ax=own) is own
        plt.close(figure)

    def test_a_question_plans_as_its_choices_do(self):
        q = Question("q", range(4), missing="?")
        assert isinstance(q.plan(epsilon=1), Plan)
        assert q.plan(epsilon=1, people=9).to_rows() == plan(5, epsilon=1, people=9).to_rows()
        assert plan(["a", "b"], epsilon=1).mechanism.categories.values == ("a", "b")


class TestBadCalls:
    @pytest.mark.parametrize("epsilon", [0, "0", -1, math.nan, math.inf, None, True, "x"])
    def test_a_budget_that_is_none(self, epsilon):
        with pytest.raises(DiscreetError, match="epsilon"):
            plan(5, epsilon=epsilon)

    @pytest.mark.parametrize("margin", [0, 1, -1, 2, math.nan, math.inf, "x", True, "1/1"])
    def test_a_margin_that_is_none(self, margin):
        with pytest.raises(DiscreetError, match="margin"):
            plan(5, epsilon=1, margin=margin)

    @pytest.mark.parametrize("margin", ["1e-9", 1e-300])
    def test_a_margin_that_nobody_can_reach(self, margin):
        with pytest.raises(ParameterError, match="margin"):
            plan(5, epsilon=1, margin=margin)
        with pytest.raises(ParameterError, match="margin"):
            plan(5, epsilon="1e-9", margin="0.01")

    @pytest.mark.parametrize("people", [0, -1, 1.0, True, "9", math.nan])
    def test_a_number_of_people_that_is_none(self, people):
        with pytest.raises(DiscreetError, match="people"):
            plan(5, epsilon=1, people=people)

    def test_both_a_margin_and_people(self):
        with pytest.raises(ParameterError, match="either margin or people"):
            plan(5, epsilon=1, people=10, margin="0.1")

    @pytest.mark.parametrize("choices", [1, 0, -1, 2.0, True, None, ["a", "a"], "ab", [math.nan, 1]])
    def test_choices_that_are_none(self, choices):
        with pytest.raises(DiscreetError, match="choices"):
            plan(choices, epsilon=1)

    @pytest.mark.parametrize("confidence", [0, 1, -1, math.nan, "x", None])
    def test_a_confidence_out_of_range(self, confidence):
        with pytest.raises(DiscreetError, match="confidence"):
            plan(5, epsilon=1, people=10, confidence=confidence)

    @pytest.mark.parametrize("epsilon", ["1e-3", "1e-9", 50, 700, 1000, 1e300])
    def test_small_and_great_budgets_get_sensible_answers(self, epsilon):
        made = plan(5, epsilon=epsilon, people=1000)
        assert all(option.mechanism.privacy_map(1) <= float(Fraction(epsilon)) for option in made.options)
        assert all(math.isfinite(option.unit_variance) for option in made.options)
        assert 0 < made.margin <= 0.5
        if epsilon in (50, 700, 1000, 1e300):  # Next to no noise: what sampling alone leaves.
            assert math.isclose(made.limit, 0.2 * 0.8, rel_tol=1e-6)
            assert math.isclose(made.best.unit_variance, 0.2 * 0.8, rel_tol=1e-6)

    def test_a_hundred_thousand_choices(self):
        made = plan(100_000, epsilon=2, people=10**6)
        assert plan(100_000, epsilon=2).best.of_limit <= 1.001
        assert len(made.mechanism.categories) == 100_000


class TestOnceBroken:
    @pytest.mark.parametrize(("epsilon", "wanted"), [("1e-17", {}), ("1e-300", {}), ("1e-17", {"margin": "0.1"})])
    def test_a_budget_too_small_to_say_anything_gets_a_declared_error(self, epsilon, wanted):
        with pytest.raises(DiscreetError, match="epsilon"):
            plan(5, epsilon=epsilon, **wanted)

    @pytest.mark.parametrize("choices", [[], ["a"]])
    def test_a_list_of_fewer_than_two_choices_gets_a_declared_error(self, choices):
        with pytest.raises(ParameterError, match="choices"):
            plan(choices, epsilon=1)

    def test_more_people_than_a_float_holds_get_a_declared_error(self):
        with pytest.raises(ParameterError, match="people"):
            plan(5, epsilon=1, people=10**400)

    @pytest.mark.parametrize("confidence", ["0.1", "0.49"])
    def test_a_plan_refuses_the_confidences_that_estimates_refuse(self, confidence):
        with pytest.raises(ParameterError, match="confidence"):
            plan(5, epsilon=1, people=10, confidence=confidence)

    def test_a_number_of_choices_too_great_to_list_gets_a_declared_error(self, monkeypatch):
        from discreet.survey import plans

        class Listed(Exception):
            """The planner began to list the choices."""

        def categories(*_):
            raise Listed

        monkeypatch.setattr(plans, "Categories", categories)
        with pytest.raises((ParameterError, UnsupportedError), match="choices"):
            plan(10**12, epsilon=1)
