"""Files: found by a name or a pattern, written whole or not at all, and a place tried before anything is paid for."""

from __future__ import annotations

import glob
import hashlib
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import get_ident
from typing import Any, Final

from discreet.errors import KindError, ParameterError, show, show_path

__all__ = [
    "check_seal",
    "checked_page",
    "checked_place",
    "found_files",
    "free_place",
    "give_name",
    "path_of",
    "read_toml",
    "sealed",
    "whole_file",
    "write_text",
]

_PAGES: Final = (".html", ".htm")
_SIGNS: Final = frozenset("*?[")
_MOST_NAME: Final = 255
"""Bytes that the name of a file may have on every system."""
_MOST_PATH: Final = 4000
_SEAL: Final = "<!-- sha256 of all above: "


def found_files(source: str | os.PathLike[str], name: str, /) -> list[Path]:
    """Return the file of a name, or the files that a pattern finds, sorted; a file that exists is no pattern.

    >>> found_files("no/such/*.csv", "source")
    Traceback (most recent call last):
    discreet.errors.ParameterError: source='no/such/*.csv': need a file that exists, or a pattern that finds some
    """
    path_of(source, name)
    text = os.fspath(source)
    pattern = bool(_SIGNS & set(text)) and not Path(text).exists()
    found = sorted(glob.glob(text, recursive=True)) if pattern else [text]  # noqa: PTH207  Absolute patterns.
    paths = [Path(each) for each in found]
    if not paths or not all(path.is_file() for path in paths):
        raise ParameterError(name, text, "a file that exists, or a pattern that finds some")
    return paths


def path_of(path: str | os.PathLike[str], name: str = "path", /) -> Path:
    """Return a path that can be one: neither another kind of object nor what a file may hold, by mistake.

    >>> path_of("user,city,age,sex", "source")
    Traceback (most recent call last):
    discreet.errors.ParameterError: source=a text: need a path, not the contents of a file
    """
    text: Any = None
    with suppress(Exception):  # Its own words may quote data.
        text = os.fspath(path)
    if not isinstance(text, str):
        raise KindError(name, path, "a path in text")
    longest = max((len(part.encode("utf-8", "replace")) for part in Path(text).parts), default=0)
    impossible = longest > _MOST_NAME or len(text) > _MOST_PATH or "\0" in text
    if impossible or (show_path(text) != text and not Path(text).exists() and not glob.glob(text)):  # noqa: PTH207
        raise ParameterError(name, str(text), "a path, not the contents of a file")
    return Path(text)


def read_toml(path: Path, /, number: Callable[[str], Any] = str) -> dict[str, Any]:
    """Return what a file of TOML says; what is written with a point is a text, which loses nothing, or a *number*.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_text(Path(folder, "a.toml"), "epsilon = 0.1")
    ...     read_toml(Path(folder, "a.toml"))
    {'epsilon': '0.1'}
    """
    import tomllib

    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"), parse_float=number)
    except RecursionError:
        raise ParameterError("path", str(path), "TOML that is less deep") from None
    except ValueError as error:
        raise ParameterError("path", str(path), f"TOML: {error}") from None


@contextmanager
def whole_file(target: Path, /) -> Iterator[Path]:
    """Give a path to fill; its file takes the target's place once it is safe on the disk, and is gone if that fails.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with whole_file(Path(folder, "answer.txt")) as part:
    ...         _ = part.write_text("42")
    ...     [(file.name, file.read_text()) for file in Path(folder).iterdir()]
    [('answer.txt', '42')]
    """
    part = target.with_name(f".{target.name}.{os.getpid()}.{get_ident()}.part")
    try:
        yield part
        with part.open("rb+") as file:
            os.fsync(file.fileno())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def give_name(draft: Path, path: Path, /) -> None:
    """Give a file that is safe on the disk its name, at once and to last; where the name is taken, nothing changes.

    Unlike a rename it replaces nothing: of several processes that make the same file, the first one's stays.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for text in ("first", "second"):
    ...         _ = Path(folder, text).write_text(text)
    ...         give_name(Path(folder, text), Path(folder, "named"))
    ...     Path(folder, "named").read_text()
    'first'
    """
    with suppress(FileExistsError):
        try:
            os.link(draft, path)
        except FileExistsError:
            raise
        except OSError:  # A file system without links: take the name first, and whoever looks meanwhile finds it empty.
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            draft.replace(path)
    if os.name == "posix":  # A file's name is as durable as its folder.
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def write_text(target: Path, text: str, /) -> None:
    """Write a text, in UTF-8, whole or not at all.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_text(Path(folder, "answer.txt"), "42")
    ...     Path(folder, "answer.txt").read_text()
    '42'
    """
    with whole_file(target) as part, part.open("w", encoding="utf-8", newline="\n") as file:
        file.write(text)


def checked_place(path: str | os.PathLike[str], suffixes: Sequence[str], /) -> Path:
    """Return where a file can be written, or raise: ask before there is something to lose.

    >>> checked_place("answer.txt", (".csv", ".json"))
    Traceback (most recent call last):
    discreet.errors.ParameterError: path='answer.txt': need a file that ends in .csv or .json
    """
    target = path_of(path)
    if target.suffix.lower() not in suffixes:
        *most, last = suffixes
        raise ParameterError("path", str(target), f"a file that ends in {', '.join(most)} or {last}")
    if not target.parent.is_dir():
        raise ParameterError("path", str(target), f"a folder that exists, unlike {show(str(target.parent))}")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise ParameterError("path", str(target), "a folder that can be written")
    free_place(target)
    return target


def free_place(target: Path, /) -> None:
    """Raise where something is that no file can replace.

    >>> free_place(Path("/"))
    Traceback (most recent call last):
    discreet.errors.ParameterError: path='/': need a place for a file, where nothing else is
    """
    if target.exists() and not target.is_file():
        raise ParameterError("path", str(target), "a place for a file, where nothing else is")


def checked_page(path: str | os.PathLike[str], /) -> Path:
    """Return where a page can be written, or raise.

    >>> checked_page("report.pdf")
    Traceback (most recent call last):
    discreet.errors.ParameterError: path='report.pdf': need a file that ends in .html or .htm
    """
    return checked_place(path, _PAGES)


def sealed(text: str, /) -> str:
    """Return the text of a page with a last line that has the digest of all the rest.

    >>> check_seal(sealed("<p>12 people</p>"), "a.html"), check_seal("<p>12 people</p>", "a.html")
    (True, False)
    """
    return f"{text}{_SEAL}{hashlib.sha256(text.encode()).hexdigest()} -->\n"


def check_seal(text: str, name: str, /) -> bool:
    """Return whether a page has the digest of its own text; raise where it is another.

    >>> check_seal(sealed("<p>12 people</p>").replace("12", "13"), "a.html")
    Traceback (most recent call last):
    discreet.errors.ParameterError: page='a.html': need the text that its digest is of: it was changed
    """
    before, seal, _ = text.rpartition(_SEAL)
    if seal and sealed(before) != text:
        raise ParameterError("page", name, "the text that its digest is of: it was changed")
    return bool(seal)
