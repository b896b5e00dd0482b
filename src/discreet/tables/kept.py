"""Kept answers: the same question of the same source, at the same declared version, has the same answer, for nothing.

What is kept are released figures, which may be told again for ever. The version is a name that the owner gives; it is
never made from the data, because that they changed is itself about people.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from discreet.errors import DiscreetError, LedgerError, ParameterError
from discreet.ledger.entries import checked_text
from discreet.urls import database_file, without_secrets

if TYPE_CHECKING:
    from discreet.events import Event
    from discreet.ledger import Entry
    from discreet.tables.data import Data
    from discreet.tables.receipts import Receipt

__all__ = ["declared", "keep", "kept", "packed", "question", "unpacked"]


def declared(source: Any, table: str | None, version: str | None) -> tuple[str, ...] | None:
    """Return by what a source is known again: where it is, and the version that its owner gives.

    >>> declared("postgres://ana:s3cret@db/shop", "rides", "2026-11")
    ('postgres://ana@db/shop', 'rides', '2026-11')
    """
    if version is None:
        return None
    name = checked_text(version, "version", blank=False)
    if not isinstance(source, str | os.PathLike):
        raise ParameterError("version", version, "none, for a source that is no path or URL: it is not known again")
    text = os.fspath(source)
    place = database_file(text) if "://" in text else Path(text)
    return (without_secrets(text) if place is None else str(place.absolute()), table or "", name or "")


def question(data: Data, receipt: Receipt, event: Event, *more: Any) -> str | None:
    """Return the digest of all that decides the law of an answer; None where the answer is not to be had again."""
    if data.version is None or data.filters:  # What an Ibis expression asks for, its name does not say.
        return None
    said = receipt.to_dict()
    asked = {name: said[name] for name in said if name not in ("engine", "versions", "sha256")}  # proof: same
    columns = {name: str(kind) for name, kind in data._ibis.schema().items()}
    whole = [list(data.version), asked, event.to_dict(), columns, [repr(each) for each in more]]
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()


def kept(data: Data, asked: str | None) -> tuple[Entry, Any] | None:
    """Return the charge and the answer that the books have of a question, unless it is to be paid again."""
    return None if asked is None or data.fresh or data.ledger is None else data.ledger.kept(asked)


def keep(data: Data, asked: str | None, entry: Entry | None, answer: Any) -> None:
    """Keep an answer, if it can be; the charge stands and the answer is out, whatever becomes of that."""
    if asked is not None and entry is not None and data.ledger is not None and answer is not None:
        try:
            data.ledger.keep(entry.number, question=asked, answer=answer)
        except (LedgerError, ParameterError):  # The disk is full, or the answer is too long: then it is paid again.
            return


def packed(keys: Sequence[tuple[Any, ...]], types: Sequence[Any]) -> str | None:
    """Return keys as text, of Arrow's types; None where they would not come back as they are.

    >>> import pyarrow as pa
    >>> unpacked(packed([("Rome", 7), (None, 8)], [pa.string(), pa.int8()]))
    [('Rome', 7), (None, 8)]
    """
    import pyarrow as pa

    try:
        arrays = [pa.array([key[i] for key in keys], kind) for i, kind in enumerate(types)]
        batch = pa.record_batch(arrays, [str(i) for i in range(len(types))])
        sink = pa.BufferOutputStream()
        with pa.ipc.new_stream(sink, batch.schema) as stream:
            stream.write_batch(batch)
        text = base64.b64encode(sink.getvalue().to_pybytes()).decode()
        return text if _told(unpacked(text)) == _told(keys) else None
    except (pa.ArrowException, DiscreetError, TypeError, ValueError, OverflowError):
        return None


def unpacked(text: str) -> list[tuple[Any, ...]]:
    """Return keys that were packed."""
    import pyarrow as pa

    columns = pa.ipc.open_stream(base64.b64decode(text)).read_all().to_pydict().values()
    return list(zip(*columns, strict=True))


def _told(keys: Sequence[tuple[Any, ...]]) -> list[list[tuple[type, str]]]:
    """Return keys with their types: 1, 1.0 and True are equal, and are not the same."""
    return [[(type(each), repr(each)) for each in key] for key in keys]
