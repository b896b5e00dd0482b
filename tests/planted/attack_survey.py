"""Bugs that a second hostile review of surveys, categories and the audit found, planted again."""

from planted import Mutant

T = "test_attack_survey.py::"

CATALOGUE = [
    Mutant(
        "coins of a secret read in two ways",
        "survey/clients.py",
        'if secret is not None and getattr(form.mechanism, "constant_time", False):  # proof: drawn',
        "if False:  # proof: drawn",
        T + "TestOneFormOneAnswer",
    ),
    Mutant(
        "an answer that cannot be hashed makes a release fail",
        "domains/categories.py",
        "        except Exception:  # Some numbers, such as a signalling NaN, cannot be hashed.",
        "        except KeyError:",
        T + "TestAnswersThatCannotBeCompared",
    ),
    Mutant(
        "the code of an answer's time zone runs",
        "domains/categories.py",
        "return id(type(x)) if id(zone) in _ZONES else (id(type(x)), id(zone))",
        "return id(type(x)) if id(zone) in _ZONES or zone else (id(type(x)), id(zone))",
        T + "TestAnswersThatCannotBeCompared",
    ),
    Mutant(
        "a table that is built for foreign answers only",
        "mechanisms/subset_selection.py",
        "        uniform = _sets(d, k, d, k)  # Made for any answers",
        "        uniform = None if (places >= 0).all() else _sets(d, k, d, k)  # Made for any answers",
        T + "TestWhatOutlivesARelease",
    ),
]
