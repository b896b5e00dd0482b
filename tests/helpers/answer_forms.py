"""The columns of an answer in tables: each value has the ends of its interval beside it."""


def with_ends(*labels):
    """The names of values and of the ends of their intervals, in order."""
    return [name for label in labels for name in (label, f"{label}_low", f"{label}_high")]


def without_ends(rows):
    """Rows without the ends of intervals."""
    return [{name: x for name, x in row.items() if not name.endswith(("_low", "_high"))} for row in rows]
