"""The page of evidence is what the audit says today, and the audit says that every claim holds."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from benchmarks import evidence
from discreet import audit


def test_the_page_is_current():
    assert evidence.PAGE.read_text() == evidence.page(), "stale: run `make evidence`"


def test_every_claim_holds_and_is_tight():
    for name, mechanism, pairs in evidence.cases():
        result = audit.exact(mechanism, pairs=pairs, draws=500)
        assert result.holds, name
        assert result.tightness > 1 - 1e-12, name
