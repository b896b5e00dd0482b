"""Bugs of messages, and of OpenDP's names."""

from planted import Mutant

SHOW = "test_messages.py::TestShow"
SLIPS = "test_messages.py::TestSlips"
NAMES = "test_opendp_prelude.py"

CATALOGUE = [
    Mutant(
        "a message that shows anything whose repr is short",
        "errors.py",
        "return _parameter(value) or _type_of(value)",
        "return _parameter(value) or repr(value)[:60]",
        SHOW,
    ),
    Mutant(
        "lists of rows in a message",
        "errors.py",
        "if len(parts) == len(value) and",
        "if parts is not None and",
        SHOW,
    ),
    Mutant(
        "a subclass of a number that shows itself",
        "errors.py",
        "if type(value) not in _TYPED or",
        "if not isinstance(value, tuple(_TYPED)) or",
        SHOW,
    ),
    Mutant(
        "the entries of a list where no list is wanted",
        "errors.py",
        "    _entries = False",
        "    _entries = True",
        SHOW,
    ),
    Mutant(
        "a row of CSV in a message",
        "errors.py",
        "len(_BARE_COMMA.findall(text)) <= 2",
        "len(_BARE_COMMA.findall(text)) <= 20",
        SHOW,
    ),
    Mutant(
        "lines of a file in a message",
        "errors.py",
        "one_line = len(text.splitlines()) <= 1 and",
        "one_line = len(text.splitlines()) <= 100 and",
        SHOW,
    ),
    Mutant(
        "a close match looked for in a series",
        "errors.py",
        "if type(value) is str and _is_brief(value) else []",
        "if isinstance(value, object) else []",
        SHOW,
    ),
    Mutant(
        "an integer's own words about itself",
        "exact.py",
        "value = index(value)\n        except Exception:",
        "value = index(value)\n        except TypeError:",
        SHOW,
    ),
    Mutant(
        "a list's own words about itself",
        "exact.py",
        "    if not isinstance(values, str | bytes):\n        with suppress(Exception):",
        "    if not isinstance(values, str | bytes):\n        with suppress(KeyError):",
        SHOW,
    ),
    Mutant(
        "the contents of a file taken for its name",
        "files.py",
        "impossible = longest > _MOST_NAME or",
        "impossible = longest < 0 or",
        SLIPS,
    ),
    Mutant(
        "the first of many rows shown as a key",
        "tables/keys.py",
        'raise ParameterError("keys", type(one), kind.need) from None',
        'raise ParameterError("keys", one, kind.need) from None',
        SLIPS,
    ),
    Mutant(
        "OpenDP's bounds that clamp the release and not the data",
        "opendp.py",
        "_clamped(arg, self.mechanism.input_domain) if self.clamps else arg",
        "arg",
        f"{NAMES}::TestGeometric",
    ),
    Mutant(
        "a then that drops a parameter",
        "opendp.py",
        "Partial(make_geometric, (scale, bounds, MO))",
        "Partial(make_geometric, (scale, None, MO))",
        f"{NAMES}::TestSpaces",
    ),
    Mutant(
        "advice that is missing for a name",
        "opendp.py",
        '    "serialize deserialize":',
        '    "serialize":',
        f"{NAMES}::TestNames",
    ),
]
