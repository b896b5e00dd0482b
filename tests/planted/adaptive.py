"""Bugs of the adaptive filter."""

from planted import Mutant

FILE, TESTS = "accounting/adaptive.py", "test_adaptive.py::"
GAMES, NUMBERS = TESTS + "TestGames", TESTS + "TestNumbers"
OR = "return delta > self.release_delta or (units > self.units and epsilon > budget.epsilon)  # proof: or"

CATALOGUE = [
    Mutant(
        "all of delta for plain charges outside the units",
        FILE,
        OR,
        "inside = units <= self.units and delta <= self.release_delta\n"
        "        return not (inside or (epsilon <= budget.epsilon and delta <= budget.delta))",
        GAMES,
    ),
    Mutant(
        "deltas beside the units that nobody counts", FILE, OR, OR.replace("delta > self.release_delta or ", ""), GAMES
    ),
    Mutant("one unit too many", FILE, OR, OR.replace("units > self.units", "units > self.units + 1"), GAMES),
    Mutant(
        "units or epsilons, where both must be exceeded", FILE, OR, OR.replace(" and ", " or "), TESTS + "TestFigures"
    ),
    Mutant(
        "a move rounded down to the menu",
        FILE,
        "min(count, m * self.step // epsilon)) for m in self.menu]",
        "min(count, (m * self.step // epsilon) or int(m == max(self.menu)))) for m in self.menu]",
        GAMES,
    ),
    Mutant(
        "groups of moves that are cut short",
        FILE,
        "ways = [(-(-count // n), m) for m, n in together if n]",
        "ways = [(count // n, m) for m, n in together if n]",
        GAMES,
    ),
    Mutant("a move that costs its steps, not their square", FILE, "(n * m * m, n, m) for", "(n * m, n, m) for", GAMES),
    Mutant("a move beyond the menu for nothing", FILE, "default=(self.units + 1, 0, 0)", "default=(0, 0, 0)", GAMES),
    Mutant("nothing above the lattice", FILE, "rows = np.ones(", "rows = np.zeros(", NUMBERS),
    Mutant("nothing below the lattice", FILE, "row[:room] = best, best[0]", "row[:room] = best, 0", NUMBERS),
    Mutant(
        "up and down swapped",
        FILE,
        "for m, rises, falls in chances:",
        "for m, falls, rises in chances:",
        GAMES,
    ),
    Mutant(
        "an analyst who cannot wait",
        FILE,
        "np.maximum(best, np.add(up, down, out=up), out=best)  # proof: value",
        "best = np.add(up, down, out=up).copy()",
        GAMES,
    ),
    Mutant(
        "a payoff rounded down to nothing near epsilon",
        FILE,
        "0.0 if over <= 0",
        "0.0 if over <= Fraction(1, 2)",
        GAMES,
    ),
    Mutant(
        "a unit more than delta pays for",
        FILE,
        "for _ in takewhile(lambda value: value * _SURELY + _TINY <= delta, values))",
        "for _ in takewhile(lambda value: value * _SURELY + _TINY <= delta, values)) + 40",
        TESTS + "TestFigures",
    ),
    Mutant(
        "an epsilon that is rounded up in silence",
        FILE,
        "if m and n * loss == count * epsilon:",
        "if m:",
        "test_accountants.py::TestWords",
    ),
    Mutant(
        "units that are said to be short when they have long been out of use",
        "accounting/accountants.py",
        "if x > most and name in decide]",
        "if x > most]",
        "test_accountants.py::TestWords",
    ),
    Mutant(
        "an audit of the entry before",
        "ledger/books.py",
        "each.cost.values() for each in entries[:which])",
        "each.cost.values() for each in entries[: max(which - 1, 1)])",
        "test_why.py::TestWhy",
    ),
    Mutant(
        "a file that is written before it is verified",
        "cli/tables.py",
        "        if verify:\n            book.verify()\n        if out is not None:\n            book.save(out)\n",
        "        if out is not None:\n            book.save(out)\n        if verify:\n            book.verify()\n",
        "test_why.py::TestFiles",
    ),
    Mutant(
        "books written over themselves",
        "ledger/books.py",
        "if target.resolve() == self.path:",
        "if target == Path():",
        "test_why.py::TestFiles",
    ),
    Mutant(
        "a formula in a spreadsheet",
        "pages/books.py",
        'in tuple("=+-@") else text',
        'in ("=",) else text',
        "test_why.py::TestFiles",
    ),
    Mutant(
        "plain addition for budgets with a delta",
        "ledger/books.py",
        "return Adaptive if budget is not None and budget.delta > 0 else Plain",
        "return Plain",
        "test_accountants.py::TestDefault",
    ),
    Mutant(
        "terms on the books that nobody checks",
        "ledger/books.py",
        "every = [(self._accountant, self._budget), *rules]",
        "every = [*rules]",
        TESTS + "TestBooks",
    ),
    Mutant(
        "steps that give units back",
        FILE,
        "if not (moves and 0 < budget.epsilon <= _MOST_STEPS * self.step):",
        "if not (moves and budget.epsilon):",
        TESTS + "TestBooks",
    ),
    Mutant(
        "a menu of any length",
        FILE,
        "0 < self.menu[0] <= self.menu[-1] <= _LONGEST",
        "0 < self.menu[0]",
        TESTS + "TestBooks",
    ),
    Mutant(
        "a Gaussian's delta that is called the probability of a failure",
        "pages/why.py",
        "return promise(event.epsilon + unseen, event.delta, fails=fails)",
        "return promise(event.epsilon + unseen, event.delta)",
        "test_why.py::TestWhy",
    ),
    Mutant(
        "a silence that tells nothing",
        "pages/why.py",
        "return promise(event.epsilon + unseen, event.delta, fails=fails)",
        "return promise(event.epsilon, event.delta, fails=fails)",
        "test_why.py::TestWhy",
    ),
    Mutant(
        "a name that starts a row of its own",
        "pages/books.py",
        'c if c.isprintable() else c.encode("unicode_escape").decode() for c in text',
        "c for c in text",
        "test_why.py::TestFiles",
    ),
    Mutant(
        "a charge taken back by a command that fails",
        "cli/tables.py",
        "(create or {entry, why, out} != {None})",
        "(create or entry is not None)",
        "test_why.py::TestFiles",
    ),
    Mutant(
        "a charge that was taken back, and nobody says so",
        "pages/books.py",
        'if entry["kind"] in _DONE and entry["receipt"]["entry"] == number]',
        'if entry["kind"] == "failed"]',
        "test_why.py::TestWhy",
    ),
]
