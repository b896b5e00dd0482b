"""Results: what gives its sheet has all its other forms, and a page above it may say more."""

from __future__ import annotations

import os
from functools import singledispatch
from typing import TYPE_CHECKING

from discreet._version import __version__
from discreet.errors import KindError
from discreet.pages.page import Page, Section, Text
from discreet.pages.sheet import Sheet

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["FOOTER", "Result", "page_of"]

FOOTER = f"Made by discreet {__version__}."


class Result:
    """What a user looks at: its *sheet* is drawn as text, in a terminal, in a notebook, as a page and as a plot.

    >>> from discreet.pages.sheet import Column
    >>> class Heights(Result):
    ...     sheet = Sheet("Heights", [Column("name", ["Ann"], head=True), Column("m", [1.7234], 2)])
    >>> Heights()
    Heights
      name     m
      Ann   1.72
    >>> "<h1>Heights</h1>" in Heights().to_html(), "<td" in Heights()._repr_html_()
    (True, True)
    """

    __slots__ = ()

    @property
    def sheet(self) -> Sheet:
        """The rows and columns that are shown, and what is said of them."""
        raise NotImplementedError

    def __str__(self) -> str:
        return self.sheet.to_text()

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return self.sheet._repr_html_()

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the result as a page: one HTML file that loads nothing; with a *path*, also write it there."""
        return page_of(self).to_html(path)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the values with their intervals; return the axes."""
        return self.sheet.plot(ax)


@singledispatch
def page_of(result: object, /) -> Page:
    """Return the page of a result: its sheet, or what the files called pages.py, which know results, make of it.

    >>> page_of(2)
    Traceback (most recent call last):
    discreet.errors.KindError: result=<class 'int'>: need a result that has a page
    """
    if not isinstance(result, Result):
        raise KindError("result", type(result), "a result that has a page")
    sheet = result.sheet
    return Page(sheet.title, sheet.note, (), [Section("The result", [*sheet.blocks(), Text(sheet.remarks)])], FOOTER)
