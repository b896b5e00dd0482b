"""Bugs that a second hostile review of surveys, categories and the audit found, planted again."""

from planted import Mutant

T = "test_attack_survey.py::"
REFUTED = "test_audit_typed.py::test_what_hides_nothing_is_refuted"

CATALOGUE = [
    Mutant(
        "coins of a secret read in two ways",
        "survey/clients.py",
        "if secret is not None and (options := form.oracle.options):  # proof: drawn",
        "if (options := form.oracle.options) and False:  # proof: drawn",
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
    Mutant(
        "only the first parts of an output are looked at",
        "audit/outputs.py",
        "    ranked = sorted(scores, key=lambda route: -scores[route] - 3 * bool(set(route) & differ))",
        "    ranked = list(scores)",
        REFUTED,
    ),
    Mutant(
        "the words of an exception are not heard",
        "audit/outputs.py",
        "return Part((Raised, o.kind), {i: seen(part, depth + 1) for i, part in enumerate(o.args)})",
        "return Part((Raised, o.kind), {})",
        REFUTED,
    ),
    Mutant(
        "what an array is a view of is not seen",
        "audit/outputs.py",
        "    if isinstance(o.base, np.ndarray) and o.base.size <= _MOST_BASE:",
        "    if o.base is o:",
        REFUTED,
    ),
    Mutant(
        "a box that was saved is counted twice",
        "survey/surveys.py",
        "                    saved.note(digest_of_file(Path(source)))",
        "                    pass",
        T + "TestCountedOnce",
    ),
    Mutant(
        "pairs of a file are counted twice",
        "survey/pairs.py",
        "        for piece in pieces(source, self.boxes, part.boxes):\n            for pair in chunks(piece,",
        "        for piece in [source]:\n            for pair in chunks(piece,",
        T + "TestCountedOnce",
    ),
]
