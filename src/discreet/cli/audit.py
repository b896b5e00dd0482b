"""``discreet audit | proof``: check what a mechanism claims, and read why it holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import click

from discreet.cli import complete
from discreet.cli.show import (
    Grid,
    Part,
    Title,
    check_page,
    console,
    figure,
    plural,
    show,
    show_json,
    with_page,
    write,
)

if TYPE_CHECKING:
    from discreet.audit import ExactAudit, SampledAudit

__all__ = ["audit", "proof"]

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.command(short_help="Hold what a mechanism claims against what it does.")
@click.argument("mechanism", required=False, shell_complete=complete.mechanisms)
@click.option("--trials", type=int, help="Also look at so many releases of each of two inputs, as of a stranger's.")
@click.option("--all", "every", is_flag=True, help="Audit every mechanism of the library: the table of evidence.")
@click.option("--html", type=click.Path(), help="Write a page to this file, for a browser; not with --all.")
@_JSON
def audit(mechanism: str | None, trials: int | None, every: bool, html: str | None, as_json: bool) -> int:
    """Compare what a mechanism claims to lose with what its exact output law loses.

    MECHANISM is what Python prints for it; nothing is evaluated. Exit code 1 if a claim does not hold.

    \b
    discreet audit 'RandomizedResponse(categories=["a", "b"], prob="3/4")'
    discreet audit 'LaplaceThreshold.within(epsilon=1, delta="1e-6", l0=3)' \\
      --trials 2000
    discreet audit 'Rappor(length=8, max_weight=1, f="1/2")' --html audit.html
    discreet audit --all
    """
    from discreet import audit as library
    from discreet.errors import UnsupportedError

    if every is (mechanism is not None) or (every and (trials is not None or html is not None)):
        raise click.UsageError("need a MECHANISM, with --trials and --html or without, or --all in its place")
    check_page(html)
    if mechanism is None:
        evidence = library.evidence()
        show(_evidence_page(evidence), {name: _said(each) for name, each in evidence.items()}, as_json=as_json)
        return int(not all(each.holds for each in evidence.values()))
    read = library.read(mechanism)
    exact, why = None, ""
    try:
        exact = library.exact(read)
    except UnsupportedError as error:
        if trials is None:
            raise UnsupportedError(f"{error}; --trials 100000 looks at releases instead") from None
        why = str(error)
    sampled = None
    if trials is not None:
        x, y = (exact.worst.x, exact.worst.y) if exact is not None else library.pairs_of(read)[0]
        sampled = library.sampled(read, x, y, trials=trials)
    found = _Audit(repr(read), exact, sampled, why)
    audits = [each for each in (exact, sampled) if each is not None]
    written = with_page(html, lambda path: library.to_html(*audits, path=path), found.parts(), found.data())
    show(*written, as_json=as_json)
    return int(not found.holds)


@final
@dataclass(frozen=True)
class _Audit:
    """Both audits of a mechanism, where they were made."""

    mechanism: str
    exact: ExactAudit | None
    sampled: SampledAudit | None
    why: str

    @property
    def holds(self) -> bool:
        return (self.exact is None or self.exact.holds) and (self.sampled is None or not self.sampled.violated)

    def parts(self) -> Iterator[Part]:
        from discreet.words import plain

        verdict = "holds" if self.exact is not None else "no violation found"
        yield Title(verdict if self.holds else "VIOLATED", plain(self.mechanism))
        facts = []
        if self.exact is not None:
            worst = self.exact.worst
            facts += [
                ("claimed", f"{self.exact.quantity} {worst.claimed!r}"),
                ("exactly", f"{float(worst.low)!r}, at the worst of {plural(len(self.exact.pairs), 'pair')} of inputs"),
                ("tightness", f"{figure(worst.tightness)}: the exact loss over the claimed one"),
                ("worst at", f"{worst.x!r} and {worst.y!r}"),
                ("seen by", f"{worst.event!r}"),
            ]
        else:
            facts.append(("exactly", f"not known: {self.why}"))
        if self.sampled is not None:
            seen = self.sampled
            facts += [
                ("sampled", f"{seen.quantity} at least {figure(seen.bound)}, claimed {figure(seen.claimed)}"),
                ("", f"{seen.trials:,} trials a side, confidence 1 - {1 - seen.confidence:.2g}; by {seen.event}"),
            ]
        yield Grid((), [[name, plain(text)] for name, text in facts], "lt")

    def data(self) -> dict[str, Any]:
        exact = None if self.exact is None else _said(self.exact)
        said: dict[str, Any] = {"mechanism": self.mechanism, "holds": self.holds, "exact": exact}
        if self.sampled is None:
            return said
        names = ("quantity", "claimed", "bound", "confidence", "trials", "event", "violated")
        return said | {"sampled": {name: getattr(self.sampled, name) for name in names}}


def _said(found: ExactAudit) -> dict[str, Any]:
    """Return an exact audit as plain values."""
    worst = found.worst
    pair = {"x": repr(worst.x), "y": repr(worst.y), "event": repr(worst.event)}
    numbers = {"claimed": worst.claimed, "true": float(worst.low), "tightness": worst.tightness}
    return {"quantity": found.quantity, "holds": found.holds, "pairs": len(found.pairs), **numbers, "worst": pair}


def _evidence_page(evidence: Mapping[str, ExactAudit]) -> Iterator[Part]:
    wrong = sum(not each.holds for each in evidence.values())
    verdict = "every claim holds" if not wrong else f"{plural(wrong, 'claim')} VIOLATED"
    yield Title(
        f"{plural(len(evidence), 'mechanism')}: {verdict}", "claimed and exact losses at the worst pair of inputs"
    )
    rows = [
        [
            name,
            "" if each.holds else "VIOLATED",
            f"{each.quantity} {each.worst.claimed:.6g}",
            f"{float(each.worst.low):.6g}",
            f"{each.worst.tightness:.6g}",
        ]
        for name, each in evidence.items()
    ]
    if not wrong:
        rows = [[name, *rest] for name, _, *rest in rows]
    head = ["mechanism", *(["verdict"] if wrong else []), "claimed", "exact", "tightness"]
    chosen = frozenset(i for i, each in enumerate(evidence.values()) if not each.holds)
    yield Grid(head, rows, "tlrrr" if wrong else "trrr", chosen)


@click.command()
@click.argument("name", required=False, shell_complete=complete.proofs)
@_JSON
def proof(name: str | None, as_json: bool) -> None:
    """Show the proof of a mechanism, or list the proofs that there are.

    \b
    discreet proof RandomizedResponse
    discreet proof
    """
    from discreet import audit as library

    if name is None:
        listed = library.proofs()
        rows = [[each, title] for each, title in listed.items()]
        return show([Grid(["name", "what is proved"], rows, "lt")], listed, as_json=as_json)
    text = library.proof(name)
    if as_json:
        return show_json({"name": name, "markdown": text})
    from rich.markdown import Markdown

    from discreet.cli.mathtext import readable

    to = console()
    to = to if to.is_terminal else console(width=100)
    return write(to, Markdown(readable(text)), min(to.width, 100))
