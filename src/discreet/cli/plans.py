"""Plans: a file of questions, one a line as they would be typed, reserved on the books together."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from discreet.cli.project import completed
from discreet.cli.tables import explain, explained

if TYPE_CHECKING:
    from discreet.ledger import Ledger, Reservation
    from discreet.tables import Explanation, KeysExplanation

__all__ = ["reserved"]

_MOST_DIGITS: Final = 7
"""How often a question is asked has no more."""


def reserved(book: Ledger, path: str, plan: str) -> Reservation:
    """Reserve the questions of a file on the books, which are at a *path*; each may stand after how often it is asked.

    What is asked may later be another question, as long as it tells as much: the noise is what was fixed.
    """
    try:
        lines = [line.strip() for line in Path(plan).read_text(encoding="utf-8-sig").splitlines()]
    except UnicodeDecodeError:
        raise click.UsageError(f"--reserve {plan}: need a text file in UTF-8") from None
    asked = [line for line in lines if line and not line.startswith("#")]
    if not asked:
        raise click.UsageError(f"--reserve {plan}: need questions, one a line, such as: 12 count FILE ...")
    releases = [each for line in asked for each in _releases(line, path)]
    return book.reserve(releases, table=Path(plan).name, receipt={"plan": asked})


def _releases(line: str, path: str) -> Iterator[Explanation | KeysExplanation]:
    """Give the releases of one line of a plan: what explains its question, as often as it says."""
    from discreet.tables.project import is_same

    first, _, rest = line.partition(" ")
    times, question = (int(first), rest) if first.isdecimal() and len(first) <= _MOST_DIGITS else (1, line)
    try:
        name, *words = shlex.split(question)
        command = explain.commands[name]
    except (ValueError, KeyError):
        need = f"how often, if not once, and a question, which is {', '.join(explain.commands)}"
        raise click.UsageError(f"{line}: need {need}; such as: 12 count FILE --epsilon 0.1 ...") from None
    try:
        given: dict[str, Any] = completed(command.make_context(name, words).params | {"ledger": None})
    except click.UsageError as error:
        raise click.UsageError(f"{line}: {error.format_message()}") from None
    if given["ledger"] is not None and not is_same(given["ledger"], path):
        raise click.UsageError(f"{line}: need a table of these books: this one is on others")
    if name != "keys" and given["by"] and given["person"] and given["max_groups"] is None:
        raise click.UsageError(f"{line}: need --max-groups, as when it is asked: it decides the noise")
    yield from [explained(name, {**given, "ledger": None})] * times
