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
        V + "plans.py",
        "size = None if n is None else",
        "size = None if n is not None else",
        "test_survey_planner_least.py",
    ),
    Mutant(
        "the influence forgets the choices that a report does not support",
        V + "poisoning.py",
        "max(1 - q, q) / (p - q)",
        "(1 - q) / (p - q)",
        "test_survey_influence.py::TestInfluence",
    ),
    Mutant(
        "weights are judged by the greatest alone",
        V + "poisoning.py",
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
]
