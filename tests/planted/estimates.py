"""Bugs of estimates, plans and what is said about crafted reports."""

from planted import Mutant

V = "survey/"
CATALOGUE = [
    Mutant(
        "the planner chooses by the variance at equal shares",
        V + "plans.py",
        "(option.people or 0, option.margin or 0.0, option.unit_variance)",
        "option.unit_variance",
        "test_survey_planner_least.py",
    ),
    Mutant(
        "one size of subsets for every question asked",
        V + "oracles/subset_selection.py",
        "size = None if width is None else _narrowest(len(choices), min(epsilon, Fraction(1000)), width)",
        "size = None",
        "test_survey_planner_least.py",
    ),
    Mutant(
        "the influence forgets the choices that a report does not support",
        V + "oracles/base.py",
        "max(1 - q, q) / (p - q)",
        "(1 - q) / (p - q)",
        "test_survey_influence.py::TestInfluence",
    ),
    Mutant(
        "weights are judged by the greatest alone",
        V + "counting.py",
        "return (low <= total) & (total <= high)",
        "return total <= high",
        "test_survey_influence.py::TestWeights",
    ),
    Mutant(
        "the weight of a report on text counts its cohort",
        V + "texts.py",
        "plausible(rows[:, 2:], q.length",
        "plausible(rows, q.length",
        "test_survey_influence.py::TestWeights",
    ),
    Mutant(
        "intervals of open text forget the texts that are no candidates",
        V + "decoding.py",
        "if self.most else 0.0",
        "if self.most > 1 else 0.0",
        "test_survey_texts.py::TestIntervals",
    ),
    Mutant(
        "the residuals' excess is of one bit a text",
        V + "decoding.py",
        "lift = max(float((scale**2).sum()) * often * (1 - often), 1e-300)",
        "lift = max(float((scale**2).sum()), 1e-300)",
        "test_survey_texts.py::TestIntervals::test_errors_are_as_great_as_unknown_texts_make_them",
    ),
    Mutant(
        "misfit does not count how many choices it looks at",
        V + "misfit.py",
        "[k * float(np.min(tail)) for tail",
        "[float(np.min(tail)) for tail",
        "test_survey_misfit.py::TestItIsValid",
    ),
    Mutant(
        "misfit looks at single choices only",
        V + "misfit.py",
        "tests += [fewest_hits(",
        "tests += [1.0 + 0 * fewest_hits(",
        "test_survey_misfit.py::TestItHasPower",
    ),
    Mutant(
        "misfit takes the truth's rate for the least",
        V + "misfit.py",
        "binomial_tails(supports, n, q, p)]  # proof: single",
        "binomial_tails(supports, n, p, q)]  # proof: single",
        "test_survey_misfit.py::TestItIsValid",
    ),
    Mutant(
        "an interval collapses where the count is below what noise alone gives",
        V + "estimates.py",
        "binomial_high(np.maximum(estimate.supports, estimate.n * q)",
        "binomial_high(estimate.supports",
        "test_survey_crosstab.py::TestNothingCollapses",
    ),
    Mutant(
        "differences that hold together hold alone",
        V + "estimates.py",
        "together = self.simultaneous if simultaneous is None else checked_flag(simultaneous)",
        "together = checked_flag(simultaneous) if simultaneous else False",
        "test_survey_crosstab.py::TestTogether",
    ),
]
