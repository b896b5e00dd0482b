"""Proofs: the documents beside the code, by the name of what they prove."""

from __future__ import annotations

import re
from importlib.resources import files
from importlib.resources.abc import Traversable

from discreet.errors import KindError, none_of

__all__ = ["proof", "proofs"]


def proofs() -> dict[str, str]:
    """Return the title of each proof, by name: a mechanism's own, and those of the parts that it stands on.

    >>> sorted(proofs())[0], proofs()["RandomizedResponse"]
    ('AddNoise', 'Randomized response over t categories')
    """
    return {name: _title(path.read_text(encoding="utf-8")) for name, path in sorted(_found().items())}


def proof(name: str, /) -> str:
    """Return a proof as Markdown. The name is a mechanism's, or its file's; upper and lower case are the same.

    >>> print(proof("RandomizedResponseBool").splitlines()[0])
    # Randomized response to a yes-or-no question
    >>> proof("randomized_response") == proof("RandomizedResponse")
    True
    """
    if not isinstance(name, str):
        raise KindError("name", name, "a text")
    known = _found()
    found = {_plain(each): each for each in known}
    if _plain(name) not in found:
        raise none_of("name", name, sorted(known))
    return known[found[_plain(name)]].read_text(encoding="utf-8")


def _found() -> dict[str, Traversable]:
    """Return the files of the proofs: a mechanism's by the name of its class, the others by their file's."""
    import discreet

    classes = {_plain(name): name for name in discreet.__all__}
    home = files("discreet")
    folders = [home, *(each for each in home.iterdir() if each.is_dir())]
    paths = [path for folder in folders for path in folder.iterdir() if path.name.endswith(".md")]
    stems = {path.name.removesuffix(".md"): path for path in paths}
    return {classes.get(_plain(stem), stem): path for stem, path in stems.items()}


def _plain(name: str) -> str:
    return name.lower().replace("_", "").removesuffix(".md")


def _title(text: str) -> str:
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    return found[1] if found else ""
