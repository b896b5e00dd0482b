"""Ready: a table with questions that its engine has been seen to understand. What is checked is what runs."""

from __future__ import annotations

import os
import threading
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, final

from discreet.coins import SYSTEM
from discreet.tables.asking import answerable
from discreet.tables.engines import engine_of

__all__ = ["Asker", "Question", "Ready"]

# Held while a setting of the whole process is another one: a fork waits for it, and a signal handler does not.
_WRITING: Final = threading.RLock()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_WRITING.acquire, after_in_parent=_WRITING.release, after_in_child=_WRITING.release)


class Asker(Hashable, Protocol):
    """What asks an engine: a value that says the query, under a salt of its own or a fresh one."""

    @property
    def salt(self) -> bytes | None:
        """The salt, if it is given."""

    def expression(self, table: Any, salt: bytes) -> Any:
        """Return the query of a table under a salt."""


@final
@dataclass(frozen=True, slots=True)
class Question:
    """A query under a salt, and the engine's words for it."""

    salt: bytes
    query: Any
    words: str

    @classmethod
    def of(cls, table: Any, salt: bytes, query: Any) -> Question:
        """Return a query of a table in the words of its engine.

        Its steps stay nested: engines merge them at no cost, and for Ibis that would be a third of the work.
        """
        import ibis

        with _WRITING:  # Threads take turns, and each puts the setting back.
            before, ibis.options.sql.fuse_selects = ibis.options.sql.fuse_selects, False
            try:
                return cls(salt, query, engine_of(table).words(query))
            finally:
                ibis.options.sql.fuse_selects = before


@final
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Ready:
    """An Ibis table, with the questions that were checked, by those who ask them."""

    table: Any
    _questions: dict[Asker, Question] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Any, *askers: Asker) -> Ready:
        """Return a table ready to be asked; raise where it cannot be, which the columns and their types decide.

        That these are still what they were is checked last: whoever charges for the questions does so next.
        """

        def ask(rows: Any) -> dict[Asker, Question]:
            questions = {asker: _asked_by(asker, rows) for asker in askers}
            engine_of(rows).check_unchanged(rows)  # proof: unchanged
            for question in questions.values():
                engine_of(rows).prepare(question.query, question.words)
            return questions

        return cls(table, answerable(table, ask))

    def question(self, asker: Asker) -> Question:
        """Return the question that was checked, which is asked once; else, one under a fresh salt."""
        return self._questions.pop(asker, None) or _asked_by(asker, self.table)  # proof: once


def _asked_by(asker: Asker, table: Any) -> Question:
    """Return what is asked of a table under a fresh salt, unless one is given."""
    salt = SYSTEM.words(4).tobytes() if asker.salt is None else asker.salt  # proof: salt
    return Question.of(table, salt, asker.expression(table, salt))
