"""Frozen: how a frozen value gets its fields, once, in its constructor."""

from __future__ import annotations

__all__ = ["freeze"]


def freeze(self: object, **fields: object) -> None:
    """Set the fields of a frozen value, once, in its constructor."""
    for name, value in fields.items():
        object.__setattr__(self, name, value)
