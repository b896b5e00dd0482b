"""Answers: noisy tables that know their error, and a receipt of how they were made."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, final

import numpy as np

from discreet.errors import one_of
from discreet.exact import Exact, whole, written
from discreet.figures import interval_text
from discreet.ledger import Amount
from discreet.pages.charts import intervals
from discreet.pages.text import columns as text_columns
from discreet.tables.aggregates import Column
from discreet.tables.files import write
from discreet.tables.spread import SIZES, LeftOut
from discreet.words import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from discreet.tables.aggregates.aggregate import Ends
    from discreet.tables.noise import ColumnNoise
    from discreet.tables.receipts import Receipt

__all__ = ["Answer"]


@final
@dataclass(frozen=True, eq=False, repr=False)
class Answer:
    """A released table: one row per group, sorted by key, with noisy values; ``answer["people"]`` is a column.

    ``interval(0.95)`` gives, for each value, an interval that holds what was counted, after bounding, with that
    confidence, also among groups that are shown because noise lifted them: noise is the only error it knows. What
    bounding left out is a bias, and beside it: ``left_out``. How many groups were withheld is private.
    """

    by: tuple[str, ...]
    keys: list[tuple[Any, ...]]
    released: tuple[Column, ...]
    receipt: Receipt
    types: tuple[Any, ...] = ()
    """The Arrow types of the keys, where an engine said them."""
    left: Amount | None = None
    """What the ledger had left after the charge; None without a ledger."""

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.to_rows())

    def __getitem__(self, label: str) -> Column:
        found = {column.aggregate.label: column for column in self.released}
        return found[one_of("column", label, found)]

    @property
    def columns(self) -> dict[str, list[Any]]:
        """The values of each column."""
        return {column.aggregate.label: column.values for column in self.released}

    @property
    def noise(self) -> dict[str, ColumnNoise]:
        """The noise of each column."""
        return {column.aggregate.label: column.noise for column in self.released}

    @property
    def value(self) -> str:
        """The column that was asked for first."""
        return next(column.aggregate.label for column in self.released if column.asked)

    @property
    def left_out(self) -> LeftOut | None:
        """The share of people's groups, or rows, that bounding left out; None where that is not known."""
        return None if self.receipt.found is None else self.receipt.found.left_out

    def interval(self, confidence: Exact = "0.95", column: str | None = None) -> Ends:
        """Return the lower and upper ends of each value's interval, of the column that was asked for first or of one.

        Each holds with that confidence, by itself.
        """
        return self[self.value if column is None else column].interval(confidence)

    @property
    def bias(self) -> str | None:
        """What bounding left out, in a sentence; None where it can leave nothing out."""
        if self.receipt.left_out is None:
            return None
        bounds = self.receipt.bounds
        bound = " and ".join(f"{name} = {n}" for name, n in bounds.items())
        what = "rows" if "max_rows" in bounds else "groups"
        if self.left_out is None:
            why = "the noise is larger than the table" if self.receipt.left_out else "it was not asked for"
            if bounds[f"max_{what}"] >= SIZES[-1]:
                why = f"of each person, {SIZES[-1]} are counted at most"
            return f"Bias: what share of people's {what} {bound} left out is not known: {why}."
        share, ends = f"{self.left_out.share:.1%}", f"{self.left_out.low:.1%} to {self.left_out.high:.1%}"
        counted = f"counting up to {SIZES[-1]} of each person"
        return (
            f"Bias: {bound} left out {share} of people's {what} ({ends}), {counted}. "
            "The noise intervals do not include it."
        )

    @property
    def names(self) -> dict[str, str]:
        """What each column is called in tables: its label, or ``noisy_people`` where a group column has that name."""
        called: dict[str, str] = {}
        for label in self.columns:
            called[label] = label
            while called[label] in self.by or called[label] in set(self.columns) - {label}:
                called[label] = f"noisy_{called[label]}"
        return called

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary a group."""
        names = list(self.names.values())
        rows = zip(*self.columns.values(), strict=True)
        return [
            dict(zip(self.by, key, strict=True)) | dict(zip(names, row, strict=True))
            for key, row in zip(self.keys, rows, strict=True)
        ]

    def to_arrow(self) -> Any:
        """Return the table as an Arrow table, with the receipt in its metadata."""
        import pyarrow as pa

        types = self.types or (None,) * len(self.by)
        data = {
            name: _keys([key[i] for key in self.keys], kind)
            for i, (name, kind) in enumerate(zip(self.by, types, strict=True))
        }
        table = pa.table(data | {self.names[column.aggregate.label]: _array(column) for column in self.released})
        return table.replace_schema_metadata({"discreet": json.dumps(self.receipt.to_dict(), default=str)})

    def to_pandas(self) -> Any:
        """Return the table as a pandas frame."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """Return the table as a Polars frame."""
        import polars as pl

        return pl.from_arrow(self.to_arrow())

    def save(self, path: str | os.PathLike[str], /) -> None:
        """Write the table to a file, whole or not at all, as Parquet, CSV or JSON: the suffix says which.

        Parquet keeps the receipt in its metadata, under ``discreet``; beside CSV and JSON it is <path>.receipt.json.

        >>> import json, pathlib, tempfile
        >>> import pandas as pd
        >>> from discreet.tables import Table
        >>> people = Table(pd.DataFrame({"city": ["Rome"]}), person=None)
        >>> answer = people.group_by("city", keys=["Rome"]).count_people(epsilon=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     answer.save(pathlib.Path(folder, "answer.json"))
        ...     rows = json.loads(pathlib.Path(folder, "answer.json").read_text())
        >>> rows == answer.to_rows()
        True
        """
        write(path, self.to_arrow(), self.receipt.to_dict())

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the answer as a page: one HTML file that loads nothing; with a *path*, also write it there."""
        from discreet.tables.pages import answer_page

        return answer_page(self).to_html(path)

    @property
    def heads(self) -> list[str]:
        """What stands above `to_cells`: the name of each column, and what follows it if it was asked for."""
        names = self.names
        return [
            text
            for column in self.released
            for text in (names[column.aggregate.label], *(["95 % noise interval"] if column.asked else []))
        ]

    def to_cells(self, most: int | None = None) -> list[list[str]]:
        """Return values as texts, with the 95 % intervals of what was asked for, of the first *most* groups or of all.

        They have as many decimals as the width of the intervals gives sense to; the intervals are rounded outwards.
        """
        most = None if most is None else whole(most, "most", least=0)
        texts = [text for column in self.released for text in _texts(column, most)]
        return [list(row) for row in zip(*texts, strict=True)]

    def to_text(self, most: int | None = 20) -> str:
        """Return the table as text, with 95 % intervals of the noise: the first *most* groups, or all of them."""
        head = [", ".join(self.by) or "all", *self.heads]
        keys = (", ".join(map(plain, key)) if self.by else "all" for key in self.keys)
        rows = [[key, *cells] for key, cells in zip(keys, self.to_cells(most), strict=False)]
        epsilon, delta = (written(x, up=True) for x in (self.receipt.epsilon, self.receipt.delta))
        groups = f"{len(self):,} group{'s' * (len(self) != 1)}; " if self.by else ""
        who = "; each row is a person" if self.receipt.person is None else ""
        top = f"{groups}epsilon {epsilon}{f', delta {delta}' * (self.receipt.delta > 0)} spent{who}"
        more = f"\n  ... and {len(self) - len(rows):,} more" if len(rows) < len(self) else ""
        bias = "" if self.bias is None else f"\n{self.bias}"
        return top + "\n" + text_columns(head, rows, len(rows)) + more + bias

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def plot(self, ax: Axes | None = None, most: int = 30, column: str | None = None) -> Axes:
        """Draw the values with their 95 % intervals, the greatest first, or in the order of numbers and dates.

        Of several columns, it is the one that was asked for first, unless another is named.
        """
        from discreet.tables.pages import drawn, labels, ordered, titled

        shown = self[self.value if column is None else column]
        low, high = shown.interval("0.95")
        values, order = np.array(shown.values, float), drawn(self, shown, whole(most, "most", least=0))
        which = "last" if ordered(self) else "greatest"
        title = titled(self, shown) + (f", the {most:,} {which} of {len(self):,}" if len(self) > most else "")
        return intervals(
            labels(self, order),
            values[order],
            low[order],
            high[order],
            ax=ax,
            title=title,
            xlabel=f"{shown.aggregate.label}, with 95 % intervals of the noise",
            bars=not shown.aggregate.divides,
        )


def _texts(column: Column, most: int | None) -> list[list[str]]:
    """Return a column as texts, and the 95 % intervals if it was asked for."""
    values = column.values[:most]
    if not column.asked:
        return [[f"{x:,}" for x in values]]
    low, high = (end[:most] for end in column.interval("0.95"))
    decimals = column.decimals(low, high)
    texts = [f"{x:,}" if isinstance(x, int) else f"{x:,.{decimals}f}" for x in values]
    return [texts, [interval_text(a, b, decimals=decimals) for a, b in zip(low, high, strict=True)]]


def _array(column: Column) -> Any:
    """Return a column of integers; of floats for means, for sums off the integers, and beyond 64 bits."""
    import pyarrow as pa

    if column.aggregate.whole and all(-(1 << 63) <= value < 1 << 63 for value in column.values):
        return pa.array(column.values, pa.int64())
    return pa.array([float(value) for value in column.values], pa.float64())


def _keys(keys: list[Any], kind: Any) -> Any:
    """Return a column of keys, of the engine's type, or of one that holds them: DuckDB's HUGEINT has 39 digits."""
    import pyarrow as pa

    try:
        return pa.array(keys, kind)
    except pa.ArrowException:
        return pa.array(keys)
