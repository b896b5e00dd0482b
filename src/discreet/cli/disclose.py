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
@click.option("--figures", type=_PATH, help="The figures that it is about: Parquet or JSON, as they were saved.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def verify(file: str, ledger: str | None, signers: str | None, figures: str | None, as_json: bool) -> None:
    """Check a disclosure, or a page: its digest, its signature, its figures, and its entry on the books.

    \b
    discreet verify disclosure.json
    discreet verify disclosure.json --figures answer.json
    """
    from discreet import Ledger
    from discreet.disclosure import Disclosure, signed_by

    told, who = Disclosure.all_of_file(file), signed_by(Path(file), signers)
    if signers is not None and who is None:
        raise click.UsageError(f"--signers: {file} has no signature beside it, {Path(file).name}.sig")
    if figures is not None:
        from discreet.tables.files import saved_rows

        if len(told) > 1:
            raise click.UsageError("--figures: a page of several tables has all of them; give the disclosure of one")
        told[0].check_figures(saved_rows(figures))
    done: dict[str, Any] = {"digest": "right", "signature": who, "entry": None}
    entries: dict[int, None] = {}
    if ledger is not None:
        with Ledger(ledger) as book:
            book.verify()
            entries = dict.fromkeys(each.check_ledger(book) for each in told)
            done["entry"] = next(iter(entries)) if len(entries) == 1 else list(entries)
    known = "" if signers is not None else ", a key of which no name is known: --signers"
    what = "disclosure" if Path(file).suffix.lower() == ".json" else "page"
    texts = [told[0].paragraph] if len(told) == 1 else [each.facts["title"] for each in told]
    said = [*texts, f"The digest is right: the {what} is as it was written."]
    said += [] if figures is None else [f"{figures} has the figures that it is about."]
    said.append("It is not signed." if who is None else f"The file is signed by {who}{known}.")
    if ledger is not None:
        which = f"entr{'y' if len(entries) == 1 else 'ies'} {', '.join(map(str, entries))}"
        said.append(f"The books, which are whole, have it as {which}.")
    show(said, done | {"paragraph": "\n".join(each.paragraph for each in told)}, as_json=as_json)


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
