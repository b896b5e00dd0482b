"""Publish tables: who is protected, what each person may contribute, and exact totals in the user's own engine.

Ibis is imported when a `Bounding` meets a table, and not before.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from discreet.tables import pages as _pages  # noqa: F401  It says how the results are drawn.
from discreet.tables.aggregates import (
    Aggregate,
    Distinct,
    Histogram,
    Mean,
    People,
    Quantile,
    Ratio,
    Rows,
    StandardDeviation,
    Sum,
    Variance,
)
from discreet.tables.answers import Answer
from discreet.tables.bounding import Bounding, Tables
from discreet.tables.explain import Explanation
from discreet.tables.extents import BoundsSuggestion
from discreet.tables.project import Project
from discreet.tables.publication import Publication
from discreet.tables.receipts import Receipt
from discreet.tables.suggest import Suggestion
from discreet.tables.table import Groups, Table

if TYPE_CHECKING:
    from discreet.tables.listing import KeysExplanation
    from discreet.tables.planning import PublicationPlan

__all__ = [
    "Aggregate",
    "Answer",
    "Bounding",
    "BoundsSuggestion",
    "Distinct",
    "Explanation",
    "Groups",
    "Histogram",
    "KeysExplanation",
    "Mean",
    "People",
    "Project",
    "Publication",
    "PublicationPlan",
    "Quantile",
    "Ratio",
    "Receipt",
    "Rows",
    "StandardDeviation",
    "Suggestion",
    "Sum",
    "Table",
    "Tables",
    "Variance",
]

_LATER: Final = {"KeysExplanation": "listing", "PublicationPlan": "planning"}
"""Names whose files a plain count does without: they are imported when first asked for."""


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)
    return globals().setdefault(name, getattr(import_module(f"{__name__}.{_LATER[name]}"), name))


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
