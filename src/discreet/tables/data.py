"""Data: what a question is asked of, with who a person is and which books are charged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from discreet.ledger import Ledger, Reservation

__all__ = ["Data", "Derived"]


@dataclass(frozen=True, slots=True)
class Derived:
    """A column that was made from others, row by row: its name, how it is made, and which values it can have."""

    name: str
    text: str
    values: tuple[Any, ...] | None


@dataclass(frozen=True, slots=True, init=False, eq=False, repr=False)
class Data:
    """Rows in an engine, the columns that identify a person, the ledger, and what receipts say of them.

    The *condition* is a filter in SQL, *filters* names those that were Ibis expressions; *types* are the declared ones.
    *derived* are the columns that were made from others.
    """

    name: str
    person: tuple[str, ...] | None
    ledger: Ledger | Reservation | None
    types: Mapping[str, str] | None
    condition: str | None
    filters: tuple[str, ...]
    derived: tuple[Derived, ...]
    _ibis: Any
    version: tuple[str, ...] | None
    """By what the source is known again: where it is, and the declared version; None where it is not."""
    fresh: bool
