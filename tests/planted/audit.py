"""Bugs of the audit: what it would clear, or accuse, wrongly."""

from planted import Mutant

A = "audit/"
T = "test_audit_typed.py::"
REFUTED = T + "test_what_hides_nothing_is_refuted"
APART = T + "test_no_two_outputs_that_differ_are_seen_as_one"
FOUND = T + "test_a_sampler_that_does_not_follow_its_law_is_found"

CATALOGUE = [
    Mutant(
        "outputs compared as Python compares them",
        A + "outputs.py",
        "    return (kind, repr(o)) if kind in _WRITTEN else (kind, o)",
        "    return o",
        APART,
    ),
    Mutant(
        "0.0 and -0.0 seen as one",
        A + "outputs.py",
        "        return (kind, o.hex())",
        "        return (kind, o + 0.0)",
        APART,
    ),
    Mutant(
        "an array's type forgotten",
        A + "outputs.py",
        "kind = (type(o), str(o.dtype), o.dtype.byteorder, o.shape, o.strides)",
        "kind = (type(o), o.shape)",
        REFUTED,
    ),
    Mutant(
        "what an array carries along forgotten",
        A + "outputs.py",
        "    extra = _carried(o)  # What a subclass",
        "    extra: dict[str, Any] = {}  # What a subclass",
        REFUTED,
    ),
    Mutant(
        "only outputs as a whole are looked at",
        A + "outputs.py",
        "    for route in ranked[:_MOST_ROUTES]:",
        "    for route in ranked[:0]:",
        REFUTED,
    ),
    Mutant(
        "thresholds of the first half of the values",
        A + "outputs.py",
        "values[int(cut * len(values))] for cut in quantiles",
        "values[int(cut * len(values) / 2)] for cut in quantiles if cut <= 0.5",
        T + "test_thresholds_reach_both_ends",
    ),
    Mutant(
        "an exception passes for the same as any other",
        A + "trials.py",
        "error, output = failed + 1, raised, see(Raised(type(raised), raised.args))",
        "error, output = failed + 1, raised, see(Raised(Exception))",
        REFUTED,
    ),
    Mutant(
        "the event bounded on the trials that chose it",
        A + "trials.py",
        "for side in draws[2:]]",
        "for side in draws[:2]]",
        T + "test_false_alarms_are_no_more_than_stated",
    ),
    Mutant(
        "laws that need not sum to 1",
        A + "laws.py",
        "if not low <= 1 <= high:",
        "if low > 1:",
        T + "test_a_law_that_is_none_is_refused",
    ),
    Mutant(
        "laws that may be negative",
        A + "laws.py",
        "if most < 0:",
        "if False:",
        T + "test_a_law_that_is_none_is_refused",
    ),
    Mutant(
        "pairs looked at one way",
        A + "laws.py",
        "[*there, *((y, x) for x, y in there)]",
        "there",
        T + "test_pairs_are_looked_at_both_ways",
    ),
    Mutant(
        "draws never looked at",
        A + "fits.py",
        "    return None if low <= p <= high else Misfit(",
        "    return None if low <= 1 else Misfit(",
        FOUND,
    ),
    Mutant(
        "outcomes that the law has not left out",
        A + "fits.py",
        "    never = [event for event in stated if law.get(event, Fraction(0)) == 0]",
        "    never: list[Any] = []\n    events = [event for event in events if event in law]",
        FOUND,
    ),
    Mutant(
        "parts never looked at together",
        A + "fits.py",
        "    if len(parts) < 2:\n",
        "    if parts:\n",
        T + "test_a_wrong_sampler_of_ours_would_be_found",
    ),
]
