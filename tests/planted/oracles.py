"""Bugs of oracles: what is drawn, written, read and counted of a local mechanism's reports."""

from planted import Mutant

O = "survey/oracles/"  # noqa: E741  As the folder is called.
T = "test_oracles.py"

CATALOGUE = [
    Mutant(
        "a class of the same name is taken for the mechanism",
        O + "base.py",
        "if kind is None or kind.of is not type(mechanism):",
        "if kind is None:",
        f"{T}::TestWrongClasses",
    ),
    Mutant(
        "a second oracle replaces the first",
        O + "base.py",
        "if of.__name__ in KINDS:",
        "if of is None:",
        f"{T}::TestRegistry",
    ),
    Mutant(
        "sets that hold two choices are too many",
        O + "subset_selection.py",
        "return p * (d - 1) / (k - 1), (p * (d - 1) * (d - 2)",
        "return p * d / (k - 1), (p * (d - 1) * (d - 2)",
        f"{T}::TestLaws",
    ),
    Mutant(
        "sets of any size are reports",
        O + "subset_selection.py",
        "set_bits == self.mechanism.size",
        "set_bits >= self.mechanism.size",
        f"{T}::TestBytes",
    ),
    Mutant(
        "one place too many",
        O + "places.py",
        "np.asarray(self.unpack(rows) < self.size)",
        "np.asarray(self.unpack(rows) <= self.size)",
        f"{T}::TestBytes",
    ),
    Mutant(
        "two coins of a report are one",
        O + "bits.py",
        "return p * q, q * q",
        "return p * q, q",
        f"{T}::TestLaws",
    ),
    Mutant(
        "every oracle is tested for groups of choices",
        "survey/misfit.py",
        "if weight is not None or own_coins:",
        "if weight is None or own_coins:",
        f"{T}::TestTheWholeWay",
    ),
    Mutant(
        "any number of reports costs what one does",
        O + "longitudinal_rappor.py",
        "return self.mechanism.loss_for_ever() if reports is None else",
        "return self.mechanism.loss_of(1) if reports is None else",
        f"{T}::TestLaws",
    ),
    Mutant(
        "booleans are written for reports that say bytes",
        "survey/reading.py",
        'form.says == "choices" and',
        'form.says != "choice" and',
        f"{T}::TestANewMechanism",
    ),
    Mutant(
        "options are part of a digest",
        "survey/wire.py",
        "if value is not True}",
        "if value is not None}",
        f"{T}::TestBytes",
    ),
]
