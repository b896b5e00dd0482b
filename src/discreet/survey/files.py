"""Files of plain values: JSON with a kind, a version and a digest, written whole or not at all."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path
from typing import Any

from discreet.errors import ParameterError
from discreet.report.files import write_text
from discreet.survey.questions import VERSION, canonical

__all__ = ["read_json", "write_json"]


def write_json(path: str | os.PathLike[str], kind: str, data: dict[str, Any]) -> None:
    """Write plain values to a file: the old contents stay until the new ones are safe on the disk."""
    digest = hashlib.sha256(canonical(data)).hexdigest()
    text = json.dumps({"discreet": kind, "version": VERSION, "sha256": digest, **data}, indent=1, ensure_ascii=False)
    write_text(Path(path), text + "\n")


def read_json(path: str | os.PathLike[str], kind: str, *, checked: bool = True) -> dict[str, Any]:
    """Return what `write_json` wrote, or raise; unless *checked*, a file written by hand is taken as it is."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise ParameterError("path", str(path), "a file of JSON") from None
    if isinstance(data, dict) and not checked and "discreet" not in data:
        return data
    if not isinstance(data, dict) or data.pop("discreet", None) != kind:
        raise ParameterError("path", str(path), f"a file of discreet's, of the kind {kind!r}")
    version, digest = data.pop("version", None), data.pop("sha256", None)
    if version != VERSION:
        raise ParameterError("path", str(path), f"a file of version {VERSION}, not {version!r}")
    if digest != hashlib.sha256(canonical(data)).hexdigest():
        raise ParameterError("path", str(path), "a file that is whole: its digest does not fit its contents")
    return data
