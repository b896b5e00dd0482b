"""Pages of audits: what was claimed, what is true, what was seen, on one axis; and the verdict in words."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from discreet.audit.clock import TimingAudit
from discreet.audit.laws import ExactAudit
from discreet.audit.trials import SampledAudit
from discreet.errors import KindError, ParameterError
from discreet.exact import written
from discreet.pages.drawings import Bars
from discreet.pages.page import Block, Page, Section, Text, Verdict
from discreet.pages.results import FOOTER, page_of
from discreet.words import brief

if TYPE_CHECKING:
    Audit = ExactAudit | SampledAudit | TimingAudit

__all__ = ["to_html"]

_FIGURES: Final = 7


def to_html(*audits: ExactAudit | SampledAudit | TimingAudit, path: str | os.PathLike[str] | None = None) -> str:
    """Return audits of one mechanism as a page: one HTML file that loads nothing; with a *path*, also write it there.

    >>> from discreet import RandomizedResponseBool, audit
    >>> rr = RandomizedResponseBool(prob="3/4")
    >>> page = audit.to_html(audit.exact(rr, members=(True, False)), audit.sampled(rr, True, False, trials=1000))
    >>> "The claim holds." in page, "No violation found." in page
    (True, True)
    """
    if not audits:
        raise ParameterError("audits", audits, "at least one")
    for audit in audits:
        if not isinstance(audit, ExactAudit | SampledAudit | TimingAudit):
            raise KindError("audits", type(audit), "what audit.exact, audit.sampled or audit.timing return")
    return _page(audits).to_html(path)


@page_of.register(ExactAudit)
@page_of.register(SampledAudit)
@page_of.register(TimingAudit)
def _one(audit: Audit, /) -> Page:
    return _page([audit])


def _page(audits: Sequence[Audit]) -> Page:
    names = [audit.mechanism for audit in audits if isinstance(audit, ExactAudit)]
    sections = [
        Section(f"The losses: {quantity}", [_losses(quantity, some)])
        for quantity in ("epsilon", "delta")
        if (some := [a for a in audits if not isinstance(a, TimingAudit) and a.quantity == quantity])
    ]
    for audit in audits:
        if isinstance(audit, ExactAudit):
            sections.append(Section("From the exact laws", list(_exact(audit))))
        elif isinstance(audit, SampledAudit):
            sections.append(Section("From samples", [audit.sheet]))
        else:
            sections.append(Section("From the side", list(_timing(audit))))
    sections.insert(0, Section("The verdict", [_verdict(audit) for audit in audits]))
    kinds = {ExactAudit: "exact", SampledAudit: "sampled", TimingAudit: "timing"}
    lead = ", ".join(dict.fromkeys(names)) or "Any function, from what it does"
    return Page(f"Audit: {', '.join(dict.fromkeys(kinds[type(a)] for a in audits))}", lead, (), sections, FOOTER)


def _verdict(audit: Audit) -> Verdict:
    if isinstance(audit, ExactAudit):
        pairs = "1 pair" if len(audit.pairs) == 1 else f"{len(audit.pairs):,} pairs"
        if audit.holds:
            tight = f"At its tightest the truth is {_percent(audit.tightness)} of the claim."
            return Verdict(
                "The claim holds.", f"For {pairs} of inputs no event exceeds it, by exact laws. {tight}", True
            )
        wrong = sum(not pair.holds for pair in audit.pairs)
        if not wrong:
            return Verdict("The claim is violated.", "What is drawn does not follow the law that is stated.", False)
        return Verdict("The claim is violated.", f"The exact law exceeds it for {wrong:,} of {pairs} of inputs.", False)
    if isinstance(audit, SampledAudit):
        sure = f"with a confidence of 1 - {1 - audit.confidence:.2g}"
        least = _shown(audit.bound, up=False)
        if audit.violated:
            return Verdict("The claim is violated.", f"The {audit.quantity} is at least {least}, {sure}.", False)
        seen = f"From outputs the {audit.quantity} is at least {least}, {sure}, which does not exceed the claim."
        return Verdict("No violation found.", f"{seen} That is no proof: another event may tell more.", True)
    if audit.told_apart:
        return Verdict("The clock tells the inputs apart.", f"Welch's |t| is {abs(audit.t):.1f}.", False)
    told = f"Welch's |t| is {abs(audit.t):.1f}, beside {abs(audit.t_control):.1f} between two lots of one input."
    return Verdict("The clock does not tell the inputs apart.", f"{told} Another machine may see more.", True)


def _losses(quantity: str, audits: Sequence[ExactAudit | SampledAudit]) -> Bars:
    """Return the claimed, exact and sampled losses on one axis. A bound from below is where an arrow starts."""
    rows: list[tuple[str, float, float, str, bool]] = []
    for audit in audits:
        if isinstance(audit, ExactAudit):
            worst = audit.worst
            rows.append(("claimed", worst.claimed, worst.claimed, _shown(worst.claimed, up=True), False))
            rows.append(("exact", float(worst.low), float(worst.low), _shown(worst.high, up=True), not audit.holds))
        else:
            rows.append(("claimed", audit.claimed, audit.claimed, _shown(audit.claimed, up=True), False))
            rows.append(("sampled, at least", audit.bound, math.inf, _shown(audit.bound, up=False), audit.violated))
    rows = list(dict.fromkeys(rows))
    claims = {row[1] for row in rows if row[0] == "claimed"}
    said = "; ".join(f"{name} {text}" for name, _, _, text, _ in rows)
    return Bars(
        f"{quantity.capitalize()}: claimed, and found. An arrow starts at a bound from below.",
        [row[0] for row in rows],
        [row[1] for row in rows],
        [row[1] for row in rows],
        [row[2] for row in rows],
        beside=f"{quantity.capitalize()}: {said}.",
        limit=(claims.pop(), "claimed") if len(claims) == 1 and math.isfinite(min(claims)) else None,
        from_zero=True,
        bad=frozenset(i for i, row in enumerate(rows) if row[4]),
        shown=[row[3] for row in rows],
    )


def _exact(audit: ExactAudit) -> Iterator[Block]:
    worst = audit.worst
    yield Text(
        [f"The pair that tells most is {brief(worst.x)} and {brief(worst.y)}, by the event {brief(worst.event)}."]
    )
    yield audit.sheet
    if audit.draws:
        yield Text([f"Of each input {audit.draws:,} releases were drawn and held against its law."])
    for misfit in audit.misfits:
        says = f"the law says {misfit.stated:.4g}, the draws {misfit.low:.4g} to {misfit.high:.4g}"
        yield Text([f"Draws of {brief(misfit.x)} do not follow it: for the event {brief(misfit.event)} {says}."])
    if audit.quantity == "delta":
        yield Text(["The exact delta is the hockey-stick divergence of the two laws at the claimed epsilon."])
    else:
        yield Text(["The exact epsilon is the greatest logarithm of the ratio of an event's two probabilities."])


def _timing(audit: TimingAudit) -> Iterator[Block]:
    beyond = audit.beyond
    sizes = [abs(audit.t), abs(audit.t_control)]
    yield Bars(
        "Welch's |t| between the times of two inputs, and between two lots of one input.",
        ["two inputs", "one input"],
        sizes,
        decimals=1,
        beside=f"Two inputs: {sizes[0]:.1f}. One input: {sizes[1]:.1f}. Beyond {beyond:.1f} the inputs are told apart.",
        limit=(beyond, f"told apart beyond {beyond:.1f}"),
        bad=frozenset([0]) if audit.told_apart else frozenset(),
    )
    yield audit.sheet


def _percent(ratio: float) -> str:
    return "100 %" if ratio >= 0.9999995 else f"{100 * ratio:.6g} %"


def _shown(x: Any, *, up: bool) -> str:
    return written(x, up=up, digits=_FIGURES)
