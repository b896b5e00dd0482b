"""Aggregates: what may be asked of a group, one class each."""

from discreet.tables.aggregates.aggregate import Aggregate, Column
from discreet.tables.aggregates.counts import People, Rows
from discreet.tables.aggregates.distinct import Distinct
from discreet.tables.aggregates.quantiles import Histogram, Quantile
from discreet.tables.aggregates.quotients import Ratio, StandardDeviation, Variance
from discreet.tables.aggregates.values import Mean, Sum, Value

__all__ = [
    "Aggregate",
    "Column",
    "Distinct",
    "Histogram",
    "Mean",
    "People",
    "Quantile",
    "Ratio",
    "Rows",
    "StandardDeviation",
    "Sum",
    "Value",
    "Variance",
]
