"""Pages: pages and charts drawn from plain values: labels, numbers and intervals, not surveys or tables."""

from discreet.pages.charts import curves, heat, intervals, points
from discreet.pages.drawings import Bars, Heat, Stack
from discreet.pages.page import Details, Facts, Items, Page, Section, Text, Verdict
from discreet.pages.results import Result, page_of
from discreet.pages.sheet import Column, Sheet, amounts

__all__ = [
    "Bars",
    "Column",
    "Details",
    "Facts",
    "Heat",
    "Items",
    "Page",
    "Result",
    "Section",
    "Sheet",
    "Stack",
    "Text",
    "Verdict",
    "amounts",
    "curves",
    "heat",
    "intervals",
    "page_of",
    "points",
]
