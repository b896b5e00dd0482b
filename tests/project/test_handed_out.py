"""Tests that share something slow go to one process."""

import pytest


@pytest.mark.xdist_group("together")
def test_a_test_is_handed_out_by_its_group(request):
    """By the end of its id, which is all that whoever hands out tests is told of them."""
    apart = not hasattr(request.config, "workerinput")
    assert apart or request.node.nodeid.endswith("@together")
