"""Publish tables: who is protected, what each person may contribute, and an exact plan in the user's own engine.

Ibis is imported when a plan meets a table, and not before.
"""

from discreet.tables.plan import Plan, Tables

__all__ = ["Plan", "Tables"]
