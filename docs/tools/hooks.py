"""What MkDocs does not do by itself: proofs beside the code become pages, links follow, LaTeX becomes MathML."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING

from latex2mathml.converter import convert
from mkdocs.structure.files import File, Files

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[2]
PAPERS = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")

_LINK = re.compile(r"(\]\()((?:\.\./)*[\w./-]+?)(#[\w-]+)?(\))")
_MATH = re.compile(
    r"(?P<code>^ *(?P<fence>```+|~~~+).*?^ *(?P=fence) *$|(?P<tick>`+)(?!`).+?(?<!`)(?P=tick)(?!`))"
    r"|\$\$(?P<block>.+?)\$\$|(?<![\\$\w])\$(?P<inline>(?!\s)[^$\n]+?(?<!\s))\$(?!\w)",
    re.DOTALL | re.MULTILINE,
)
_TOKEN = "math{}math"  # noqa: S105  # What stands for a formula while Markdown is at work: it has no sign of Markdown's.


def pages() -> dict[str, str]:
    """Return the files outside docs/ that are pages: where each lies in the project, and in the site."""
    proofs = {str(p.relative_to(ROOT)): f"proofs/{p.name}" for p in sorted((ROOT / "src").rglob("*.md"))}
    return proofs | {name: name.lower() for name in PAPERS}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add those pages, and the files of the project that pages link to."""
    for source, place in pages().items():
        files.append(File.generated(config, place, abs_src_path=str(ROOT / source)))
    linked = {path for file in list(files) if file.is_documentation_page() for path in _linked(file)}
    for path in sorted(linked - set(pages())):
        if not path.startswith("docs/") and (ROOT / path).is_file():
            files.append(File.generated(config, f"source/{path}.txt", content=(ROOT / path).read_text()))
    return files


def _origin(src_uri: str) -> str:
    """Return where in the project a page of the site was written."""
    return next((source for source, place in pages().items() if place == src_uri), f"docs/{src_uri}")


def _linked(file: File) -> set[str]:
    folder = posixpath.dirname(_origin(file.src_uri))
    return {posixpath.normpath(posixpath.join(folder, link[1])) for link in _LINK.findall(file.content_string)}


def place_of(path: str) -> str:
    """Return where a file of the project is in the site."""
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    return pages().get(path) or f"source/{path}.txt"


def on_page_markdown(markdown: str, page: Page, **_: object) -> str:
    """Lead links between files of the project to their pages, and put formulas aside."""
    here = _origin(page.file.src_uri)

    def follow(match: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(here), match[2]))
        if not (ROOT / path).is_file() or page.file.src_uri == "":
            return match[0]
        link = posixpath.relpath(place_of(path), posixpath.dirname(page.file.src_uri) or ".")
        return f"{match[1]}{link}{match[3] or ''}{match[4]}"

    formulas: list[str] = []

    def aside(match: re.Match[str]) -> str:
        if match["code"] is not None:
            return match["code"]
        display = "block" if match["block"] is not None else "inline"
        drawn = convert((match["block"] or match["inline"]).strip(), display=display)
        formulas.append(re.sub(r"\\([{}|_])", r"\1", drawn))  # It leaves some escapes as they are.
        return _TOKEN.format(len(formulas) - 1)

    text = _MATH.sub(aside, _LINK.sub(follow, markdown.replace("<BLANKLINE>", "")))
    page.meta["formulas"] = formulas
    return text


def on_page_content(html: str, page: Page, **_: object) -> str:
    """Bring the formulas back, as MathML, which browsers draw by themselves."""
    formulas = page.meta.pop("formulas", [])
    return re.sub(_TOKEN.format(r"(\d+)"), lambda match: formulas[int(match[1])], html)
