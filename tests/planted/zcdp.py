"""Bugs of the zCDP filter, and of what events say as zCDP."""

from planted import Mutant

FILE, TESTS = "accounting/zcdp.py", "test_zcdp.py::"

CATALOGUE = [
    Mutant(
        "a move that costs a quarter",
        "events.py",
        "count * epsilon * epsilon / 2 for",
        "count * epsilon * epsilon / 8 for",
        TESTS + "TestGames",
    ),
    Mutant(
        "equal moves counted once",
        "events.py",
        "count * epsilon * epsilon / 2 for",
        "epsilon * epsilon / 2 for",
        TESTS + "TestEvents::test_laplace_is_told_by_its_moves",
    ),
    Mutant(
        "deltas that are not counted beside rho",
        FILE,
        "return event.concentrated  # proof: cost",
        "return event.concentrated[0], Fraction(0)",
        TESTS + "TestGames",
    ),
    Mutant(
        "a constant without its power",
        FILE,
        "return (order - 1) * ln(1 - 1 / order) - ln(order * delta)  # proof: constant",
        "return order * ln(1 - 1 / order) - ln(order * delta)",
        TESTS + "TestNumbers",
    ),
    Mutant(
        "rho at the order less one",
        FILE,
        "/ (order - 1)) / order  # proof: rho",
        "/ (order - 1)) / (order - 1)",
        TESTS + "TestNumbers",
    ),
    Mutant("a rho that is rounded up", FILE, "rounding=ROUND_FLOOR", 'rounding="ROUND_CEILING"', TESTS + "TestNumbers"),
    Mutant(
        "a root rounded up",
        FILE,
        "// x.denominator), 1 << scale)",
        "// x.denominator) + 1, 1 << scale)",
        TESTS + "TestNumbers",
    ),
    Mutant(
        "books of two whole deltas",
        FILE,
        "budget.delta - self.composed - self.release_delta",
        "budget.delta - max(self.composed, self.release_delta)",
        TESTS + "TestNumbers",
    ),
    Mutant(
        "a Gaussian without a point for nothing",
        "events.py",
        "_NOTHING: Final = EpsilonDelta(Fraction(0), Fraction(1))",
        "_NOTHING: Final = EpsilonDelta(Fraction(0), Fraction(0))",
        TESTS + "TestBooks",
    ),
    Mutant(
        "new keys that zCDP does not see",
        "mechanisms/keep_above.py",
        "(rho, self._unseen(new)),  # proof: concentrated",
        "(rho, Fraction(0)),",
        TESTS + "TestEvents",
    ),
    Mutant(
        "one release more than fits",
        "accounting/comparison.py",
        "budget)) - 1\n",
        "budget))\n",
        TESTS + "TestCompare",
    ),
]
