"""Report: pages and charts drawn from plain values: labels, numbers and intervals, not surveys or tables."""

from discreet.report.charts import heat, intervals
from discreet.report.progress import Progress, Waiting
from discreet.report.text import columns

__all__ = ["Progress", "Waiting", "columns", "heat", "intervals"]
