"""Audit: check what a mechanism claims against what it does, ours or anyone's.

``exact`` compares the privacy map with the exact output law, and the law with what is drawn; ``sampled`` bounds the
loss of any function from its outputs, with confidence; ``timing`` says whether entropy, calls or the clock depend on
the input. ``evidence`` audits every mechanism of the library, ``read`` makes one from its text, ``proof`` shows what is
proved of it, and ``to_html`` puts what audits found on one page.
"""

from discreet.audit.catalogue import cases, evidence
from discreet.audit.clock import TimingAudit, timed, timing
from discreet.audit.fits import Misfit
from discreet.audit.inputs import pairs_of
from discreet.audit.laws import ExactAudit, PairAudit, exact, pair_of_laws
from discreet.audit.pages import to_html
from discreet.audit.proofs import proof, proofs
from discreet.audit.reading import read
from discreet.audit.trials import SampledAudit, sampled

__all__ = [
    "ExactAudit",
    "Misfit",
    "PairAudit",
    "SampledAudit",
    "TimingAudit",
    "cases",
    "evidence",
    "exact",
    "pair_of_laws",
    "pairs_of",
    "proof",
    "proofs",
    "read",
    "sampled",
    "timed",
    "timing",
    "to_html",
]
