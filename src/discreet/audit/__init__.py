"""Audit: check what a mechanism claims against what it does, ours or anyone's.

``exact`` compares the privacy map with the exact output law; ``sampled`` bounds the loss of any function from
its outputs, with confidence; ``timing`` says whether entropy, calls or the clock depend on the input.
``to_html`` puts what they found on one page.
"""

from discreet.audit.clock import TimingAudit, timed, timing
from discreet.audit.laws import ExactAudit, PairAudit, exact, pair_of_laws
from discreet.audit.pages import to_html
from discreet.audit.trials import SampledAudit, sampled

__all__ = [
    "ExactAudit",
    "PairAudit",
    "SampledAudit",
    "TimingAudit",
    "exact",
    "pair_of_laws",
    "sampled",
    "timed",
    "timing",
    "to_html",
]
