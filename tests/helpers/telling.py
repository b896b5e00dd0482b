"""What an observer can hear or see where nothing should be told."""

import traceback

import pytest

from discreet.coins import KeyedCoins, SystemCoins


def told(error):
    """Return all that an exception says, with those behind it, their notes, and what a traceback prints."""
    texts, seen, waiting = traceback.format_exception(error), set(), [error]
    while waiting:
        error = waiting.pop()
        if error is not None and id(error) not in seen:
            seen.add(id(error))
            texts += [str(error), repr(error), repr(error.args), *map(str, getattr(error, "__notes__", ()))]
            waiting += [error.__cause__, error.__context__]
    return "\n".join(texts)


def no_coins(monkeypatch):
    """Let the test fail if a coin is tossed from here on."""

    def toss(*_):
        pytest.fail("a coin was tossed")

    for kind in (SystemCoins, KeyedCoins):
        monkeypatch.setattr(kind, "words", toss)
        monkeypatch.setattr(kind, "bits", toss)
