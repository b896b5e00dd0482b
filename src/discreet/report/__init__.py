"""Report: pages and charts drawn from plain values: labels, numbers and intervals, not surveys or tables."""

from discreet.report.charts import curves, heat, intervals, points
from discreet.report.drawings import Bars, Heat
from discreet.report.files import checked_page
from discreet.report.page import Column, Details, Facts, Grid, Items, Page, Section, Text, Verdict
from discreet.report.progress import Progress, Waiting
from discreet.report.text import brief, columns, plain

__all__ = [
    "Bars",
    "Column",
    "Details",
    "Facts",
    "Grid",
    "Heat",
    "Items",
    "Page",
    "Progress",
    "Section",
    "Text",
    "Verdict",
    "Waiting",
    "brief",
    "checked_page",
    "columns",
    "curves",
    "heat",
    "intervals",
    "plain",
    "points",
]
