"""Pages: pages and charts drawn from plain values: labels, numbers and intervals, not surveys or tables."""

from discreet.pages.charts import curves, heat, intervals, points
from discreet.pages.drawings import Bars, Heat
from discreet.pages.drawn import page_of
from discreet.pages.page import Column, Details, Facts, Grid, Items, Page, Section, Text, Verdict
from discreet.pages.text import columns

__all__ = [
    "Bars",
    "Column",
    "Details",
    "Facts",
    "Grid",
    "Heat",
    "Items",
    "Page",
    "Section",
    "Text",
    "Verdict",
    "columns",
    "curves",
    "heat",
    "intervals",
    "page_of",
    "points",
]
