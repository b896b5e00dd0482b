"""``discreet publish``: a publication is a file; looked at first, then released."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from discreet.cli.show import Part, check_page, show
from discreet.exact import written

if TYPE_CHECKING:
    from discreet.accounting import Amount
    from discreet.tables.receipts import Receipt

__all__ = ["publish"]

_PATH = click.Path()


@click.command(short_help="Publish the tables of a plan; or say first what they cost.")
@click.argument("plan", type=_PATH)
@click.option("--release", is_flag=True, help="Release the tables; without it nothing is spent.")
@click.option("--check", is_flag=True, help="Say what they will cost and show; done unless --release is given.")
@click.option("--html", type=_PATH, help="Write what will be published as a page, to be signed off.")
@click.option("--data-version", "version", help="A name for the data as they are, in the place of the plan's own.")
@click.option("--who", help="Who asks, for the books.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def publish(
    plan: str, release: bool, check: bool, html: str | None, version: str | None, who: str | None, as_json: bool
) -> None:
    """Say what the tables of a plan will cost, show, and miss by; with --release, publish them.

    \b
    discreet publish plan.toml --check
    discreet publish plan.toml --html check.html
    discreet publish plan.toml --release
    """
    from discreet.tables.publishing import PublicationFile

    if release and check:
        raise click.UsageError("--check says what --release would publish: give one of them")
    if release and html is not None:
        raise click.UsageError("--html is a page of what will be published: leave --release away")
    check_page(html)
    asked = PublicationFile(plan, version)
    if release:
        made = asked.release(who)
        files = [str(file) for file in made.files]
        said = list[str]()
        for each in asked.tables:
            some = {name: made.answers[name] for name in each.files}
            for name, answer in some.items():
                said.append(f"{name}: {len(answer):,} row{'s' * (len(answer) != 1)}; {_paid(answer.receipt)}")
                said += [] if answer.doubt is None else [f"{name}: {answer.doubt}"]
            texts = dict.fromkeys(text for answer in some.values() for text in answer.limits)
            said += [f"{each.name}: {text}" for text in texts]
        receipts = {name: answer.said for name, answer in made.answers.items()}
        spent, left = (_text(amount, up=up) for amount, up in ((made.spent, True), (made.left, False)))
        said.append(f"On the books, entry {made.entry} has paid for all of it: {spent}; {left} left")
        said.append(f"{asked.out}: {len(files):,} files{', index.html among them' * ('html' in asked.formats)}")
        return show(said, {"files": files, "receipts": receipts}, as_json=as_json)
    found = asked.check(who)
    if html is not None:
        found.page.to_html(html)
    parts: list[Part] = [found.sheet, *([f"{html}: open it in a browser"] if html else [])]
    parts += ["--release publishes it."] if found.fits and html is None else []
    receipts = {name: each.receipt.to_dict() for name, each in found.explained.items()}
    return show(parts, {"price": found.price, "receipts": receipts}, as_json=as_json)


def _paid(receipt: Receipt) -> str:
    """Say how a table was paid for: with all of the plan, which may have been charged a moment ago."""
    is_drawn = receipt.plan is not None and not receipt.kept
    return f"paid with the plan, entry {receipt.plan}" if is_drawn else receipt.paid


def _text(amount: Amount, *, up: bool) -> str:
    return ", ".join(f"{name} {written(x, up=up)}" for name, x in zip(amount._fields, amount, strict=True))
