"""Answers: noisy tables that know their error, and a receipt of how they were made."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any, final

import numpy as np

from discreet.errors import ParameterError, one_of
from discreet.exact import Exact, exact, whole, written
from discreet.ledger import Amount
from discreet.report import columns as text_columns
from discreet.report import intervals, plain
from discreet.report.scale import decimals_for, interval_text
from discreet.tables.files import write
from discreet.tables.noise import ColumnNoise
from discreet.tables.spread import SIZES, LeftOut

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["Answer"]


@final
@dataclass(frozen=True, eq=False)
class Answer:
    """A released table: one row per group, sorted by key, with noisy values.

    ``interval(0.95)`` gives, for each value, an interval that holds what was counted, after bounding, with that
    confidence, also among groups that are shown because noise lifted them: noise is the only error it knows. What
    bounding left out is a bias, and beside it: ``left_out``. How many groups were withheld is private.
    """

    by: tuple[str, ...]
    keys: list[tuple[Any, ...]]
    columns: dict[str, list[Any]]
    noise: dict[str, ColumnNoise]
    value: str
    receipt: dict[str, Any]
    types: tuple[Any, ...] = ()
    """The Arrow types of the keys, where an engine said them."""
    left: Amount | None = None
    """What the ledger had left after the charge; None without a ledger."""
    left_out: LeftOut | None = None
    """The share of people's groups, or rows, that bounding left out; None where that is not known."""

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.to_rows())

    def interval(self, confidence: Exact = "0.95", column: str | None = None) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the lower and upper ends of each value's interval."""
        name = self.value if column is None else column
        one_of("column", name, self.columns)
        sure = exact(confidence, "confidence")
        if not 0 < sure < 1:
            raise ParameterError("confidence", confidence, "0 < confidence < 1, such as 0.95")
        if name == "mean":
            return self._mean_interval(1 - sure)
        noise = self.noise[name]
        if noise.threshold is not None:
            return noise.above(self.columns[name], 1 - sure)
        values, reach = np.array(self.columns[name], float), noise.radius(1 - sure)
        if not _whole_in_floats(noise.unit, max(abs(values).max(initial=0), reach)):  # Each step may round to nearest.
            return _down(_down(values) - reach), -_down(_down(-values) - reach)
        return values - reach, values + reach

    def _mean_interval(self, error: Fraction) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the range of the quotients of all sums and people within their intervals, half the error each."""
        low, high = map(float, (self.receipt["bounds"]["low"], self.receipt["bounds"]["high"]))
        middle = (low + high) / 2
        people = np.array(self.columns["people"], float)
        centred = (np.array(self.columns["mean"], float) - middle) * people
        reach = self.noise["mean"].radius(error / 2)
        fewest, most_people = self.interval(1 - error / 2, "people")
        with np.errstate(divide="ignore", invalid="ignore"):
            ends = [c / n for c in (centred - reach, centred + reach) for n in (fewest, most_people)]
        least, most = np.minimum.reduce(ends) + middle, np.maximum.reduce(ends) + middle
        unknown = fewest <= 0
        return np.where(unknown, low, least.clip(low, high)), np.where(unknown, high, most.clip(low, high))

    @property
    def bias(self) -> str | None:
        """What bounding left out, in a sentence; None where it can leave nothing out."""
        told = self.receipt.get("left_out")
        if told is None:
            return None
        bounds = self.receipt["bounds"] | {name: told[name] for name in ("max_groups",) if name in told}
        bound = " and ".join(f"{x} = {bounds[x]}" for x in ("max_groups", "max_rows") if bounds[x] is not None)
        what = "rows" if bounds["max_rows"] is not None else "groups"
        if self.left_out is None:
            why = "it was not asked for" if told["part of epsilon"] == "0" else "the noise is larger than the table"
            if bounds["max_groups" if what == "groups" else "max_rows"] >= SIZES[-1]:
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
        """What each value is called in tables: itself, or ``noisy_sum`` where a group column has the name ``sum``."""
        called = {}
        for name in self.columns:
            called[name] = name
            while called[name] in self.by:
                called[name] = f"noisy_{called[name]}"
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
        table = pa.table(data | {self.names[name]: self._array(name) for name in self.columns})
        return table.replace_schema_metadata({"discreet": json.dumps(self.receipt, default=str)})

    def _array(self, name: str) -> Any:
        """Return a column of integers; of floats for means, for sums off the integers, and beyond 64 bits."""
        import pyarrow as pa

        values = self.columns[name]
        whole = name != "mean" and self.noise[name].unit.denominator == 1
        if whole and all(-(1 << 63) <= value < 1 << 63 for value in values):
            return pa.array(values, pa.int64())
        return pa.array([float(value) for value in values], pa.float64())

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
        >>> from discreet import Laplace
        >>> noise = {"people": ColumnNoise(Laplace(1))}
        >>> answer = Answer(("city",), [("Rome",)], {"people": [7]}, noise, "people", {"spent": {"epsilon": 1.0}})
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     answer.save(pathlib.Path(folder, "answer.json"))
        ...     json.loads(pathlib.Path(folder, "answer.json").read_text())
        [{'city': 'Rome', 'people': 7}]
        """
        write(path, self.to_arrow(), self.receipt)

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """Return the answer as a page: one HTML file that loads nothing; with a *path*, also write it there.

        >>> from discreet import Laplace
        >>> noise = {"people": ColumnNoise(Laplace(1))}
        >>> receipt = {"question": "count_people", "spent": {"epsilon": 1.0, "delta": 0.0}}
        >>> answer = Answer(("city",), [("Rome",)], {"people": [7]}, noise, "people", receipt)
        >>> "What anyone could learn about one person from this page" in answer.to_html()
        True
        """
        from discreet.tables.pages import answer_page

        return answer_page(self).to_html(path)

    def decimals(self, low: NDArray[Any], high: NDArray[Any]) -> int:
        """Return with how many decimals the values deserve to be shown, by the ends of their intervals."""
        whole = all(isinstance(value, int) for value in self.columns[self.value])
        return 0 if whole else decimals_for(((high - low) / 2).tolist())

    def to_cells(self, most: int | None = None) -> list[list[str]]:
        """Return the values and the 95 % interval of each group as texts, of the first *most* groups or of all.

        They have as many decimals as the width of the intervals gives sense to; the intervals are rounded outwards.

        >>> from discreet import Laplace
        >>> noise = {"people": ColumnNoise(Laplace(1))}
        >>> Answer(("city",), [("Rome",)], {"people": [1007]}, noise, "people", {}).to_cells()
        [['1,007', '1,004 to 1,010']]
        """
        most = None if most is None else whole(most, "most", least=0)
        low, high = (end[:most] for end in self.interval("0.95"))
        columns = [column[:most] for column in self.columns.values()]
        decimals = self.decimals(low, high)
        texts = [[f"{x:,}" if isinstance(x, int) else f"{x:,.{decimals}f}" for x in column] for column in columns]
        ends = [interval_text(a, b, decimals=decimals) for a, b in zip(low, high, strict=True)]
        return [list(row) for row in zip(*texts, ends, strict=True)]

    def to_text(self, most: int | None = 20) -> str:
        """Return the table as text, with 95 % intervals of the noise: the first *most* groups, or all of them."""
        head = [", ".join(self.by) or "all", *self.names.values(), "95 % noise interval"]
        keys = (", ".join(map(plain, key)) if self.by else "all" for key in self.keys)
        rows = [[key, *cells] for key, cells in zip(keys, self.to_cells(most), strict=False)]
        spent = self.receipt["spent"]
        epsilon, delta = (written(spent[name], up=True) for name in ("epsilon", "delta"))
        groups = f"{len(self):,} group{'s' * (len(self) != 1)}; " if self.by else ""
        who = "; each row is a person" if isinstance(self.receipt.get("person"), str) else ""
        top = f"{groups}epsilon {epsilon}{f', delta {delta}' * (spent['delta'] > 0)} spent{who}"
        more = f"\n  ... and {len(self) - len(rows):,} more" if len(rows) < len(self) else ""
        bias = "" if self.bias is None else f"\n{self.bias}"
        return top + "\n" + text_columns(head, rows, len(rows)) + more + bias

    def __str__(self) -> str:
        return self.to_text()

    __repr__ = __str__

    def plot(self, ax: Axes | None = None, most: int = 30) -> Axes:
        """Draw the values with their 95 % intervals, the greatest first, or in the order of numbers and dates."""
        from discreet.tables.pages import drawn, labels, ordered, titled

        low, high = self.interval("0.95")
        values, order = np.array(self.columns[self.value], float), drawn(self, whole(most, "most", least=0))
        which = "last" if ordered(self) else "greatest"
        title = titled(self) + (f", the {most:,} {which} of {len(self):,}" if len(self) > most else "")
        ends = values[order], low[order], high[order]
        bars = self.value != "mean"
        return intervals(
            labels(self, order),
            *ends,
            ax=ax,
            title=title,
            xlabel=f"{self.value}, with 95 % intervals of the noise",
            bars=bars,
        )


def _keys(keys: list[Any], kind: Any) -> Any:
    """Return a column of keys, of the engine's type, or of one that holds them: DuckDB's HUGEINT has 39 digits."""
    import pyarrow as pa

    try:
        return pa.array(keys, kind)
    except pa.ArrowException:
        return pa.array(keys)


def _whole_in_floats(unit: Fraction, most: float) -> bool:
    """Whether all multiples of a unit up to twice a size are floats, so that sums of two of them are exact."""
    denominator = unit.denominator
    return denominator & (denominator - 1) == 0 and most < 2.0**52 / denominator


def _down(x: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(np.nextafter(x, -np.inf))
