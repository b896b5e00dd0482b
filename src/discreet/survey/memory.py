"""Memory: the secret of this device, in a file that only its owner can read. It is made once, and never anew.

Permanent answers are functions of the secret, so that a new one is a new draw of every answer. A file that is damaged,
or that others can read, is therefore refused: whether to begin anew is for a person to decide, who deletes the file.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final, final

from discreet.coins import SYSTEM
from discreet.errors import ParameterError
from discreet.files import give_name, path_of
from discreet.survey.files import json_file, read_json

__all__ = ["Memory"]

_BYTES: Final = 32
_KIND: Final = "memory"


@final
class Memory:
    """The secret of this device and person, kept in a file. Where there is none it is made, at once safe on the disk.

    Two devices have two secrets: each draws answers of its own, and what they lose adds up.

    >>> import tempfile
    >>> from discreet.survey import Question, Survey
    >>> survey = Survey([Question("smokes", ["no", "yes"])], epsilon=1)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = f"{folder}/memory.json"
    ...     first = survey.client(secret=Memory(place).secret).report({"smokes": "yes"})
    ...     again = survey.client(secret=Memory(place).secret).report({"smokes": "yes"})
    >>> first == again
    True
    """

    __slots__ = ("_secret", "path")

    def __init__(self, path: str | os.PathLike[str], /) -> None:
        self.path = path_of(path)
        if not self.path.exists():
            _make(self.path)
        self._secret = _read(self.path)

    @property
    def secret(self) -> bytes:
        """The secret, for `client(secret=...)`; show it to nobody."""
        return self._secret

    def __repr__(self) -> str:
        return f"<memory in {self.path.name}>"

    def __reduce__(self) -> str:
        raise ParameterError("memory", "...", "no pickle of it: a secret stays where it is")


def _make(path: Path) -> None:
    """Write a new secret, readable by its owner alone, unless another process has just done so."""
    part = path.with_name(f".{path.name}.{SYSTEM.bits(64):016x}.part")
    text = json_file(_KIND, {"secret": f"{SYSTEM.bits(8 * _BYTES):0{2 * _BYTES}x}"})
    try:
        _write(part, text)
        give_name(part, path)  # The first secret stays.
    finally:
        part.unlink(missing_ok=True)


def _write(path: Path, text: str) -> None:
    """Write a file that is not there, for its owner alone, and see it safe on the disk."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def _read(path: Path) -> bytes:
    """Return the secret in a file that is whole and nobody else's, or raise."""
    if os.name == "posix" and path.stat().st_mode & 0o077:
        raise ParameterError("path", str(path), "a file that only its owner can read: chmod 600")
    data = read_json(path, _KIND)
    text = data.get("secret")
    if set(data) != {"secret"} or not isinstance(text, str) or len(text) != 2 * _BYTES:
        raise ParameterError("path", str(path), "a file that Memory wrote")
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise ParameterError("path", str(path), "a file that Memory wrote") from None
