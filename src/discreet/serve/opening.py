"""Opening: the store of a survey, by a folder or a URL, and what is done with it while nobody serves."""

from __future__ import annotations

import json
import os
from typing import Final

import numpy as np

from discreet.errors import ParameterError, UnsupportedError, one_of
from discreet.exact import whole
from discreet.files import path_of, read_toml, write_text
from discreet.serve.invitations import invitation_mark, new_codes
from discreet.serve.signing import SigningKey
from discreet.serve.sqlite import SQLiteStore
from discreet.serve.store import DAMAGED, Store
from discreet.survey import Form, Response, Survey
from discreet.survey.calendar import Calendar, text_of
from discreet.survey.collectors import Wave, checked_wave
from discreet.survey.files import strict_json
from discreet.survey.gathering import CODES
from discreet.survey.sources import writer
from discreet.survey.tickets import INVITATIONS

__all__ = ["export", "invitations_in", "invite", "open_store", "ticket_keys"]

_MOST: Final = 10**6


def open_store(survey: Survey, place: str | os.PathLike[str], /, *, create: bool = True) -> Store:
    """Return the store of a survey in a folder, or in PostgreSQL by a URL; where there is none, *create* makes it.

    >>> import tempfile
    >>> from discreet.survey import Question
    >>> survey = Survey([Question("smokes", ["no", "yes"])], epsilon=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = open_store(survey, folder)
    ...     store.waves()
    ...     store.close()
    []
    """
    tag, width, text = survey.tag, sum(form.width for form in survey.forms), json.dumps(survey.to_dict())
    if isinstance(place, str) and place.startswith(("postgresql://", "postgres://")):
        from discreet.serve.postgres import PostgresStore

        return PostgresStore(place, tag=tag, width=width, survey=text, create=create)
    return SQLiteStore(path_of(place, "store"), tag=tag, width=width, survey=text, create=create)


def invite(survey: Survey, store: Store, number: int, /, *, wave: Wave = None) -> list[str]:
    """Return new invitations to one wave, of which the store keeps only marks: from now on nobody answers without."""
    count = whole(number, "number", least=1)
    if count > _MOST:
        raise ParameterError("number", number, f"at most {_MOST:,} at once")
    codes = list(new_codes(count))
    marks = [invitation_mark(code, survey.tag, checked_wave(wave)) for code in codes]
    store.invite(mark for mark in marks if mark is not None)
    return codes


def invitations_in(path: str | os.PathLike[str], asked: str | None = None, /) -> str:
    """Return how a survey's file wants one answer a person: by "codes" or "blind"; *asked* may say it in its place."""
    place = path_of(path)
    data = read_toml(place) if place.suffix.lower() == ".toml" else strict_json(place.read_bytes())
    said: str = one_of("invitations", data.get("invitations", asked or INVITATIONS[0]), INVITATIONS)
    if asked not in (None, said):
        raise ParameterError("invitations", asked, f"{said}, as the survey's file says")
    return said


def ticket_keys(store: Store, calendar: Calendar, /) -> dict[str, SigningKey]:
    """Return the keys that sign tickets, one for each wave by its name in the store; they are made at the first call.

    Nobody can see what is signed. So one key for all waves would let those who are invited in spring get a ticket for
    autumn.
    """
    waves = [text_of(each.wave) for each in calendar.periods]
    kept = {wave: store.key(wave, lambda: SigningKey.made().to_bytes()) for wave in waves}
    try:
        return {wave: SigningKey.from_bytes(primes) for wave, primes in kept.items()}
    except ParameterError:
        store.refuse(DAMAGED)


def export(survey: Survey, store: Store, target: str | os.PathLike[str], /, *, wave: Wave = None) -> int:
    """Write the responses of a wave to a file, in random order; return how many there are.

    CSV and Parquet have the randomized answers, as `Survey.perturb_file` writes them; a file that ends in .txt has a
    code a line, with open text too. `Survey.collect` reads all of them.
    """
    rows = store.payloads(text_of(checked_wave(wave)))
    parts = np.split(rows, np.cumsum([form.width for form in survey.forms])[:-1], axis=1)
    if (place := path_of(target)).suffix.lower() == CODES:
        codes = [Response(survey.tag, tuple(map(bytes, each))).to_code() for each in zip(*parts, strict=True)]
        write_text(place, "".join(f"{code}\n" for code in codes))
        return len(rows)
    columns = {}
    for form, part in zip(survey.forms, parts, strict=True):
        if not isinstance(form, Form):
            raise UnsupportedError(f"{form.question.name}: open text has no column; write a file that ends in {CODES}")
        columns[form.question.name] = form.column(part)
    with writer(target) as write:
        write(columns)
    return len(rows)
