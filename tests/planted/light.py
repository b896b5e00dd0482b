"""Bugs of starts: imports that nobody asked for, and what is left behind at the end."""

from planted import Mutant, T

LIGHT = "test_light.py::"

CATALOGUE = [
    Mutant(
        "an engine's numbers by way of pandas",
        T + "engines/engine.py",
        "*map(np.from_dlpack, column.chunks)])",
        "column.to_numpy()])",
        LIGHT + "test_a_count_imports_no_frames",
    ),
    Mutant(
        "places of keys by way of pandas",
        T + "engines/engine.py",
        "take(places(rows))",
        "take(rows)",
        LIGHT + "test_a_list_of_groups_imports_no_frames",
    ),
    Mutant(
        "what is open at the end stays open",
        "cli/__init__.py",
        "atexit.register(gc.disable)",
        "atexit.register(gc.freeze)",
        LIGHT + "test_what_an_engine_wrote_aside_is_gone_when_the_command_ends",
    ),
    Mutant(
        "names of modules that are not public",
        "__init__.py",
        "_MODULES if name in __all__ else ()",
        "_MODULES",
        LIGHT + "test_a_name_that_is_not_public_is_not_there",
    ),
]
