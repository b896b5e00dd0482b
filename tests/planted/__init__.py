"""The bugs to plant, one file an area; every one must be caught by the tests that it names."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

M, S, T = "mechanisms/", "samplers/", "tables/"


@dataclass(frozen=True)
class Mutant:
    """A bug: what it is called, where it goes, what it replaces, and which tests should notice."""

    name: str
    file: str
    old: str
    new: str
    tests: str


def catalogue() -> list[Mutant]:
    """Return all bugs, area by area."""
    areas = sorted(path.stem for path in Path(__file__).parent.glob("[!_]*.py"))
    return [mutant for area in areas for mutant in import_module(f"planted.{area}").CATALOGUE]
