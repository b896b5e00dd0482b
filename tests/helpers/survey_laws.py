"""What tests of surveys share: a form, and how well counts fit a law."""

from scipy import stats

from discreet import RandomizedResponse
from discreet.survey import Question


def rr(k, prob, name="q"):
    """Return the form of a question with k choices, asked by randomized response."""
    q = Question(name, range(k))
    return q.form(RandomizedResponse(categories=q.categories, prob=prob))


def fits(counts, law):
    """The p-value of counted outcomes under a law; 0 if an impossible outcome was seen."""
    n = sum(counts.values())
    possible = {outcome: p for outcome, p in law.items() if p}
    if set(counts) - set(possible):
        return 0.0
    if len(possible) == 1:
        return 1.0
    return stats.chisquare([counts[o] for o in possible], [float(p) * n for p in possible.values()]).pvalue


def most_misses(rounds, error):
    """How many misses a claim of so small an error survives, except once in ten million cases."""
    return int(stats.binom.isf(1e-7, rounds, error))
