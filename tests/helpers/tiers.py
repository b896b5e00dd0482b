"""How much a test repeats: a little; under DISCREET_ALL=1 everything; under DISCREET_SLOW=1 ten times that."""

import itertools
import os

import pytest

SLOW = 10 if os.environ.get("DISCREET_SLOW") else 1
ALL = bool(os.environ.get("DISCREET_ALL")) or SLOW > 1


def cases(some, everything):
    """Return a number of cases: *some* by default, *everything* in `make test-all`, and ten times that if asked for."""
    return everything * SLOW if ALL else some


def each(items, step):
    """Return every *step*-th of some items, the first among them, or all of them in `make test-all`."""
    listed = list(items)
    return listed if ALL else listed[::step]


def crossed(step, *, ids=None, **axes):
    """Give a test every combination of some values, or every *step*-th by default.

    Each value of an axis is among them where *step* has no factor in common with the number of its values.
    """
    return pytest.mark.parametrize(tuple(axes), each(itertools.product(*axes.values()), step), ids=ids)
