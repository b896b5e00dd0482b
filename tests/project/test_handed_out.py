"""Tests that share something slow go to one process."""

import tomllib
from pathlib import Path

import pytest


@pytest.mark.xdist_group("together")
def test_a_test_is_handed_out_by_its_group(request):
    """By the end of its id, which is all that whoever hands out tests is told of them."""
    apart = not hasattr(request.config, "workerinput")
    assert apart or request.node.nodeid.endswith("@together")


def test_groups_are_known_without_xdist_too():
    """`make quick` runs in one process: there the mark would be unknown, which is an error, had we not declared it."""
    known = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert any(mark.startswith("xdist_group:") for mark in known["tool"]["pytest"]["ini_options"]["markers"])
