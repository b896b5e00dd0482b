"""Pages: one HTML file from labels, numbers, intervals and sentences. It loads nothing and sends nothing.

Whatever a caller gives is text: it is escaped here and nowhere else. The page's only script is its own, by digest: the
browser is told to run no other, and to fetch nothing.
"""

from __future__ import annotations

import base64
import hashlib
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from html import escape
from importlib import resources
from itertools import count
from typing import Any, Final, Protocol, final

from discreet.files import checked_page, sealed, write_text

__all__ = [
    "Block",
    "Details",
    "Facts",
    "Items",
    "Page",
    "Section",
    "Text",
    "Verdict",
    "attribute",
    "clean",
    "head",
    "named",
    "numbers",
    "printable",
    "put",
    "unmarked",
]

_LOST: Final = "\ufffd"
_TURNS: Final = {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}
"""Characters that turn the direction of what follows, up to the end of a paragraph."""
_UNFIT: Final = dict.fromkeys({*range(32), *range(127, 160), *range(0xD800, 0xE000), *_TURNS} - {9, 10}, _LOST)
"""Control characters and lone surrogates, which no page can hold, and those that turn its sentences."""
_OPEN, _CLOSE = "\ue000", "\ue001"
"""What stands around a name until a sentence becomes HTML: characters for private use, which a name then has not."""
_NAME: Final = re.compile(f"{_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}")


class Block(Protocol):
    """What a section is made of."""

    def lines(self, ids: Iterator[int], /) -> Iterator[str]:
        """Give the block as HTML."""


def clean(text: object, /) -> str:
    """Return a text that HTML can hold, escaped: lone surrogates and control characters are replaced.

    >>> clean("<b>Rome & Bath</b>"), len(clean(chr(0)))
    ('&lt;b&gt;Rome &amp; Bath&lt;/b&gt;', 1)
    """
    return _NAME.sub(r"<bdi>\1</bdi>", escape(printable(str(text))))


def attribute(text: object, /) -> str:
    """Return a text that an attribute can hold, escaped; names in it are not marked."""
    return escape(unmarked(printable(str(text))))


def unmarked(text: str, /) -> str:
    """Return a sentence in which names are not marked, for whoever cannot show it.

    >>> unmarked(f"The greatest is {named('Rome')}.")
    'The greatest is Rome.'
    """
    return _NAME.sub(r"\1", text)


def named(name: object, /) -> str:
    """Return a name for a sentence, whose direction it then leaves alone, whatever script it is in.

    >>> clean(f"The greatest is {named('<Rome>')}.")
    'The greatest is <bdi>&lt;Rome&gt;</bdi>.'
    """
    return f"{_OPEN}{re.sub(f'[{_OPEN}{_CLOSE}]', _LOST, str(name))}{_CLOSE}"


def printable(text: str, /) -> str:
    """Return a text without control characters and lone surrogates, which no page can hold."""
    if text.isprintable():  # It is, nearly always; surrogates and controls are not.
        return text
    return text.translate(_UNFIT)


@final
@dataclass(frozen=True, slots=True)
class Text:
    """Paragraphs."""

    paragraphs: Sequence[str]

    def lines(self, _: Iterator[int], /) -> Iterator[str]:
        """Give the block as HTML."""
        for paragraph in self.paragraphs:
            yield f"<p>{clean(paragraph)}</p>"


@final
@dataclass(frozen=True, slots=True)
class Items:
    """A list of sentences."""

    items: Sequence[str]

    def lines(self, _: Iterator[int], /) -> Iterator[str]:
        """Give the block as HTML."""
        yield "<ul>"
        for item in self.items:
            yield f"<li>{clean(item)}</li>"
        yield "</ul>"


@final
@dataclass(frozen=True, slots=True)
class Verdict:
    """A word that matters, and the sentence that explains it."""

    word: str
    sentence: str
    good: bool

    def lines(self, _: Iterator[int], /) -> Iterator[str]:
        """Give the block as HTML."""
        style = "verdict" if self.good else "verdict bad"
        yield f'<p class="{style}"><strong>{clean(self.word)}</strong> {clean(self.sentence)}</p>'


@final
@dataclass(frozen=True, slots=True)
class Facts:
    """Names with what they stand for."""

    pairs: Sequence[tuple[str, str]]

    def lines(self, _: Iterator[int], /) -> Iterator[str]:
        """Give the block as HTML."""
        yield '<dl class="facts">'
        for name, value in self.pairs:
            yield f"<dt>{clean(name)}</dt><dd>{clean(value)}</dd>"
        yield "</dl>"


@final
@dataclass(frozen=True, slots=True)
class Details:
    """A long text that opens on demand."""

    summary: str
    text: str

    def lines(self, _: Iterator[int], /) -> Iterator[str]:
        """Give the block as HTML."""
        yield f"<details><summary>{clean(self.summary)}</summary><pre>{clean(self.text)}</pre></details>"


@final
@dataclass(frozen=True, slots=True)
class Section:
    """A heading with blocks under it."""

    heading: str
    blocks: Sequence[Block]


def head(title: str, style: str, policy: str, /) -> Iterator[str]:
    """Give the beginning of a page, up to its body: a browser is to load nothing but what the *policy* allows."""
    yield '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield '<meta name="color-scheme" content="light dark">\n<link rel="icon" href="data:,">'
    yield f"<title>{attribute(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>"


def put(lines: Iterable[str], path: str | os.PathLike[str] | None, /, *, seal: bool = False) -> str:
    """Return the text of a page, under a digest of it or not; with a *path*, also write it there, or nothing at all."""
    target = None if path is None else checked_page(path)
    text = "\n".join(lines) + "\n"
    text = sealed(text) if seal else text
    if target is not None:
        write_text(target, text)
    return text


@final
@dataclass(frozen=True, slots=True)
class Page:
    """A page of plain values.

    >>> page = Page("People by city", "events.csv", [("Groups", "1")], [Section("Notes", [Text(["None < some."])])])
    >>> "None &lt; some." in page.to_html(), page.to_html() == page.to_html()
    (True, True)
    """

    title: str
    lead: str = ""
    tiles: Sequence[tuple[str, str]] = ()
    sections: Sequence[Section] = field(default=())
    footer: str = ""

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the page's text; with a *path*, also write it there, whole or not at all."""
        return put(self._lines(), path, seal=True)

    def _lines(self) -> Iterator[str]:
        style, script, policy = _parts()
        yield from head(self.title, style, policy)
        yield f'<header>\n<h1>{clean(self.title)}</h1>\n<p class="lead">{clean(self.lead)}</p>'
        yield '<button type="button" id="theme" hidden title="Change between light and dark">Dark</button>\n</header>'
        yield "<main>"
        if self.tiles:
            tiles = "".join(f"<div><dt>{clean(name)}</dt><dd>{clean(value)}</dd></div>" for name, value in self.tiles)
            yield f'<dl class="tiles">{tiles}</dl>'
        ids = count(1)
        for section in self.sections:
            name = f"part-{next(ids)}"
            yield f'<section aria-labelledby="{name}">\n<h2 id="{name}">{clean(section.heading)}</h2>'
            for block in section.blocks:
                yield from block.lines(ids)
            yield "</section>"
        yield f"</main>\n<footer><p>{clean(self.footer)} This file loads nothing and sends nothing.</p></footer>"
        yield f"<script>{script}</script>\n</body>\n</html>"


@cache
def _parts() -> tuple[str, str, str]:
    """Return the page's style and script, and the policy that lets a browser use these and nothing else."""
    files = resources.files("discreet.pages")
    style, script = (files.joinpath(name).read_text(encoding="utf-8") for name in ("page.css", "page.js"))
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = f"style-src 'unsafe-inline'; script-src 'sha256-{digest}'; img-src data:"
    policy = f"default-src 'none'; {allowed}; base-uri 'none'; form-action 'none'"
    return style, script, policy


def numbers(data: Mapping[str, Any], /) -> list[tuple[str, str]]:
    """Return nested plain values as names and texts; what is None is left out.

    >>> numbers({"by": ["city"], "bounds": {"max_groups": 3, "low": None}, "filters": []})
    [('by', 'city'), ('bounds: max_groups', '3')]
    """
    return list(_pairs(data.items(), ""))


def _pairs(items: Iterable[tuple[str, Any]], before: str) -> Iterator[tuple[str, str]]:
    for name, value in items:
        if isinstance(value, Mapping):
            yield from _pairs(value.items(), f"{before}{name}: ")
        elif isinstance(value, list | tuple):
            if value:
                yield f"{before}{name}", ", ".join(map(str, value))
        elif value is not None:
            yield f"{before}{name}", str(value)
