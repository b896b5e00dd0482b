"""Show the examples in docstrings as Python sessions: Griffe leaves those outside a section as plain text."""

from __future__ import annotations

import re
from typing import Any

import griffe

_TREE = re.compile(r"(?:^(?![ ]*$).*\n)?(?:^[ ]*[│├└].*\n?)+", re.MULTILINE)
_SESSION = re.compile(r"(?:^[ ]*>>> .*\n?(?:^(?![ ]*$).*\n?)*)+", re.MULTILINE)


def fenced(text: str) -> str:
    r"""Return a docstring with its sessions, and trees drawn in text, between fences.

    >>> fenced("Add.\n>>> 1 + 1\n2").splitlines()
    ['Add.', '```pycon', '>>> 1 + 1', '2', '```']
    """
    text = _TREE.sub(lambda tree: f"```text\n{tree[0].rstrip()}\n```\n", text)
    text = _SESSION.sub(lambda session: f"```pycon\n{session[0].rstrip()}\n```\n", text).rstrip()
    return text.replace("<BLANKLINE>", "")


class Sessions(griffe.Extension):
    """Rewrite each docstring before it is rendered."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        """Put fences around the sessions of one docstring."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
