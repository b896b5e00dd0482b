"""``discreet verify | record``: what was disclosed of a release, checked; and a draft for the public registry."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from discreet.cli.show import show

__all__ = ["record", "verify"]

_PATH = click.Path()


@click.command(short_help="Check the digest, signature and entry of a release.")
@click.argument("file", type=_PATH)
@click.option("--ledger", type=_PATH, help="The books that have the release.")
@click.option("--signers", type=_PATH, help="Names with their keys, as ssh-keygen has allowed signers.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def verify(file: str, ledger: str | None, signers: str | None, as_json: bool) -> None:
    """Check a disclosure, or the page of an answer: its digest, its signature, and its entry on the books.

    \b
    discreet verify disclosure.json
    """
    from discreet import Ledger
    from discreet.disclosure import Disclosure, signed_by

    told, who = Disclosure.of_file(file), signed_by(Path(file), signers)
    if signers is not None and who is None:
        raise click.UsageError(f"--signers: {file} has no signature beside it, {Path(file).name}.sig")
    done: dict[str, Any] = {"digest": "right", "signature": who, "entry": None}
    if ledger is not None:
        with Ledger(ledger) as book:
            book.verify()
            done["entry"] = told.check_ledger(book)
    known = "" if signers is not None else ", a key of which no name is known: --signers"
    said = [told.paragraph, "The digest is right: the disclosure is as it was written."]
    said.append("It is not signed." if who is None else f"The file is signed by {who}{known}.")
    if ledger is not None:
        said.append(f"The books, which are whole, have it as entry {done['entry']}.")
    show(said, done | {"paragraph": told.paragraph}, as_json=as_json)


@click.command(short_help="Draft a record for the public registry.")
@click.argument("file", type=_PATH)
@click.option("--say", multiple=True, metavar="FIELD=TEXT", help="What only people know, such as name=Visits 2026.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON, which YAML reads.")
def record(file: str, say: tuple[str, ...], as_json: bool) -> None:
    """Draft a record of a release for the public registry of deployments; what is not said is TODO.

    \b
    discreet record disclosure.json --say "name=Visits by city" --json
    """
    from discreet.disclosure import Disclosure
    from discreet.pages.page import numbers
    from discreet.pages.sheet import facts

    pairs = dict(text.partition("=")[::2] for text in say)
    draft = Disclosure.of_file(file).record(**pairs)
    show([facts("A draft for the registry of deployments", numbers(draft))], draft, as_json=as_json)
