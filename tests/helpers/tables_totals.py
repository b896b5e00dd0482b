"""The totals of a plan as dicts and lists, for comparing them."""

import numpy as np


def column(plan, found, place=0):
    """What one aggregate gets noise for: a dict from keys where the groups are private, else a list."""
    steps = [int(x) for x in plan.aggregates[place].read(found.columns[place], found.people)]
    if not plan.private:
        return steps
    keys = found.keys(np.arange(len(found.people)))
    return dict(zip((key[0] if len(key) == 1 else key for key in keys), steps, strict=True))


def exact(plan, table, place=0):
    """The same, asked of an Ibis table."""
    return column(plan, plan(table), place)
