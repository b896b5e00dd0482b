"""Files of plain values: JSON with a kind, a version and a digest, written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any, Final, NoReturn

from discreet.errors import ParameterError, show
from discreet.files import path_of, write_text
from discreet.survey.wire import VERSION, canonical

__all__ = ["digest_of_file", "json_file", "read_json", "strict_json", "write_json"]

_READ: Final = (1, VERSION)
"""The versions that are read: a file holds whole forms, which the first wire format named by 8 bytes."""


def write_json(path: str | os.PathLike[str], kind: str, data: dict[str, Any]) -> None:
    """Write plain values to a file: the old contents stay until the new ones are safe on the disk."""
    write_text(path_of(path), json_file(kind, data))


def json_file(kind: str, data: dict[str, Any]) -> str:
    """Return the contents of a file of plain values."""
    digest = hashlib.sha256(canonical(data)).hexdigest()
    text = json.dumps({"discreet": kind, "version": VERSION, "sha256": digest, **data}, indent=1, ensure_ascii=False)
    return text + "\n"


def read_json(path: str | os.PathLike[str], kind: str, *, checked: bool = True) -> dict[str, Any]:
    """Return what `write_json` wrote, or raise; unless *checked*, a file written by hand is taken as it is."""
    place = path_of(path)
    try:
        data = strict_json(place.read_bytes())
    except ValueError as error:
        raise ParameterError("path", str(path), f"a file of JSON: {error}") from None
    if isinstance(data, dict) and not checked and "discreet" not in data:
        return data
    if not isinstance(data, dict) or data.pop("discreet", None) != kind:
        raise ParameterError("path", str(path), f"a file of discreet's, of the kind {kind!r}")
    version, digest = data.pop("version", None), data.pop("sha256", None)
    if type(version) is not int or version not in _READ:
        raise ParameterError("path", str(path), f"a file of version {VERSION}, not {show(version)}")
    if digest != hashlib.sha256(canonical(data)).hexdigest():
        raise ParameterError("path", str(path), "a file that is whole: its digest does not fit its contents")
    return data


def strict_json(text: str | bytes, /) -> Any:
    """Return what JSON says, or raise ValueError; it must say it once, and in numbers that JSON has.

    >>> strict_json('{"n": 1, "n": 2}')
    Traceback (most recent call last):
    ValueError: a key is there twice
    """
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_number)
    except RecursionError:
        raise ValueError("it is too deep") from None
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"{error.msg}, line {error.lineno}, column {error.colno}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found


def _no_number(_: str) -> NoReturn:
    raise ValueError("NaN and infinities are no numbers of JSON")


def digest_of_file(path: Path, /) -> str:
    """Return the SHA-256 of a file's contents, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
