"""Publish tables: who is protected, what each person may contribute, and exact totals in the user's own engine.

Ibis is imported when a `Bounding` meets a table, and not before.
"""

from discreet.tables import pages as _pages  # noqa: F401  It says how the results are drawn.
from discreet.tables.aggregates import Aggregate, Mean, People, Rows, Sum
from discreet.tables.answers import Answer
from discreet.tables.bounding import Bounding, Tables
from discreet.tables.explain import Explanation
from discreet.tables.listing import KeysExplanation
from discreet.tables.project import Project
from discreet.tables.receipts import Receipt
from discreet.tables.suggest import Suggestion
from discreet.tables.table import Groups, Table

__all__ = [
    "Aggregate",
    "Answer",
    "Bounding",
    "Explanation",
    "Groups",
    "KeysExplanation",
    "Mean",
    "People",
    "Project",
    "Receipt",
    "Rows",
    "Suggestion",
    "Sum",
    "Table",
    "Tables",
]
