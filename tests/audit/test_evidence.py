"""The page of evidence is what the audit says today, and the audit says that every claim holds."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import audited
import pytest
import tiers

from benchmarks import evidence
from discreet import audit

pytestmark = pytest.mark.xdist_group("evidence")


def test_the_page_is_current(monkeypatch):
    monkeypatch.setattr(audit, "evidence", audited.evidence)
    assert evidence.PAGE.read_text() == evidence.page(), "stale: run `make evidence`"


def test_every_claim_holds_and_is_tight():
    for name, result in audited.evidence().items():
        assert result.holds, name
        assert result.tightness > 1 - 1e-12, name


@pytest.mark.deep
def test_and_with_more_draws():
    for name, mechanism, pairs in evidence.cases():
        assert audit.exact(mechanism, pairs=pairs, draws=500 * tiers.SLOW).holds, name
