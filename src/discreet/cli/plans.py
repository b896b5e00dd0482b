"""Plans: a file of questions, one a line as they would be typed, reserved on the books together."""

from __future__ import annotations

import shlex
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from discreet.accounting import Amount
from discreet.cli.project import completed
from discreet.cli.tables import explain, explained
from discreet.errors import DiscreetError
from discreet.exact import written
from discreet.urls import without_secrets

if TYPE_CHECKING:
    from discreet.ledger import Ledger
    from discreet.tables import Explanation, KeysExplanation

__all__ = ["reserved"]

_MOST_DIGITS: Final = 7
"""How often a question is asked has no more."""
_LATER: Final = ("--ledger", "--who", "--plan", "--data-version", "--fresh", "--out", "--html", "--json", "--help")
"""What is said when a question is asked, and not when it is planned."""


class _Line(NamedTuple):
    """A question of a plan, as it may be shown; how often it is asked; and what explains it."""

    text: str
    times: int
    release: Explanation | KeysExplanation


def reserved(book: Ledger, path: str, plan: str) -> list[str]:
    """Reserve the questions of a file on the books, which are at a *path*; return what to say of it.

    Each question may stand after how often it is asked. What is asked may later be another question, as long as it
    tells as much: the noise is what was fixed.
    """
    try:
        texts = Path(plan).read_text(encoding="utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise click.UsageError(f"--reserve {plan}: need a text file in UTF-8") from None
    told = {i: text.strip() for i, text in enumerate(texts, 1) if text.strip() and not text.strip().startswith("#")}
    if not told:
        raise click.UsageError(f"--reserve {plan}: need questions, one a line, such as: 12 count FILE ...")
    lines = [_read(text, f"{plan}, line {i}", path) for i, text in told.items()]
    releases = [line.release for line in lines for _ in range(line.times)]
    made = book.reserve(releases, table=Path(plan).name, receipt={"plan": [line.text for line in lines]})
    charged = book.entries()[made.number - 1].amount
    costs = [[line.times * x for x in (line.release.event.epsilon, line.release.event.delta)] for line in lines]
    apart = Amount(*(sum(parts, Fraction(0)) for parts in zip(*costs, strict=True)))
    if charged == apart:
        price = f"They cost {_text(apart)}, as one by one: charged together, they would not take less of what is left."
    else:
        price = f"Together they cost {_text(charged)}; one by one it would be {_text(apart)}."
    return [price, f"To make one of the releases: --plan {made.number}"]


def _read(text: str, where: str, path: str) -> _Line:
    """Return one line of a plan. One that is no question may be a row of data, and nothing of it is shown."""
    from discreet.cli.app import spoken

    first, _, rest = text.partition(" ")
    times, question = (int(first), rest) if first.isdecimal() and len(first) <= _MOST_DIGITS else (1, text)
    name, words, typed = _parsed(question, where)
    try:
        shown = [without_secrets(word) if word == typed["file"] and "://" in word else word for word in words]
        release = _release(name, typed, path)
    except click.UsageError as error:
        raise click.UsageError(f"{where}: {error.format_message()}") from None
    except DiscreetError as error:
        raise click.UsageError(f"{where}: {spoken(str(error))}") from None
    kept = text if shown == words else shlex.join([*([first] if question is rest else []), name, *shown])
    return _Line(kept, times, release)


def _release(name: str, typed: dict[str, Any], path: str) -> Explanation | KeysExplanation:
    """Return what explains a question of a plan."""
    from discreet.tables.project import is_same

    given = completed(typed | {"ledger": None})
    if given["ledger"] is not None and not is_same(given["ledger"], path):
        raise click.UsageError("need a table of these books: this one is on others")
    if name != "keys" and given["by"] and given["person"] and given["max_groups"] is None:
        raise click.UsageError("need --max-groups, as when it is asked: it decides the noise")
    return explained(name, {**given, "ledger": None})


def _parsed(question: str, where: str) -> tuple[str, list[str], dict[str, Any]]:
    """Return the name of a question, the words after it, and what they say; of other words, show options alone."""
    try:
        name, *words = shlex.split(question)
        command = explain.commands[name]
    except (ValueError, KeyError):
        need = f"how often, if not once, and a question, which is {', '.join(explain.commands)}"
        raise click.UsageError(f"{where}: need {need}; such as: 12 count FILE --epsilon 0.1 ...") from None
    for option in (word.partition("=")[0] for word in words):
        if option in _LATER:
            raise click.UsageError(f"{where}: leave out {option}, which is for asking, and not for reserving")
    try:
        return name, words, command.make_context(name, [*words]).params
    except click.BadParameter as error:
        need = "a question" if error.param is None else error.param.get_error_hint(error.ctx)
    except click.UsageError:
        need = "words"
    raise click.UsageError(f"{where}: need {need} as `discreet explain {name} --help` says")


def _text(price: Amount) -> str:
    return f"epsilon {written(price.epsilon, up=True)} and delta {written(price.delta, up=True)}"
