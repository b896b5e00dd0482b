"""Publish tables: who is protected, what each person may contribute, and an exact plan in the user's own engine.

Ibis is imported when a plan meets a table, and not before.
"""

from discreet.tables.answers import Answer
from discreet.tables.explain import Explanation
from discreet.tables.plan import Plan, Tables
from discreet.tables.suggest import Suggestion
from discreet.tables.table import Groups, Table

__all__ = ["Answer", "Explanation", "Groups", "Plan", "Suggestion", "Table", "Tables"]
