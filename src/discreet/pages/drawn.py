"""Drawn: the one seam between results and their pages. A result asks for its page; a file above it draws it."""

from __future__ import annotations

from functools import singledispatch

from discreet.errors import KindError
from discreet.pages.page import Page

__all__ = ["page_of"]


@singledispatch
def page_of(result: object, /) -> Page:
    """Return the page of a result. The files called pages.py, which know results, register how each is drawn.

    >>> page_of(2)
    Traceback (most recent call last):
    discreet.errors.KindError: result=<class 'int'>: need a result that has a page
    """
    raise KindError("result", type(result), "a result that has a page")
