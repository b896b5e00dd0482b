"""The totals of a plan as dicts and lists, for comparing them."""

import numpy as np


def column(plan, found, place=0):
    """What one aggregate gets noise for, or the bins that have people: a dict from private keys, else a list."""
    aggregate, totals = plan.aggregates[place], found.columns[place]
    if aggregate.bins:
        steps = [{i: int(n) for i, n in enumerate(row) if n} for row in totals.dense(aggregate.bins)]
    else:
        steps = [int(x) for x in aggregate.read(totals, found.people)]
    if not plan.private:
        return steps
    keys = found.keys(np.arange(len(found.people)))
    return dict(zip((key[0] if len(key) == 1 else key for key in keys), steps, strict=True))


def exact(plan, table, place=0):
    """The same, asked of an Ibis table."""
    return column(plan, plan(table), place)
