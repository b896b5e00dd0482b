"""Answers: noisy tables that know their error, and a receipt of how they were made."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, time
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, final

from discreet.errors import UnsupportedError, one_of
from discreet.exact import Exact, whole, written
from discreet.ledger import Amount
from discreet.pages.results import Result
from discreet.pages.sheet import Column as Cells
from discreet.pages.sheet import Sheet
from discreet.tables.aggregates import Column
from discreet.tables.files import write
from discreet.tables.spread import SIZES, LeftOut

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from discreet.tables.aggregates.aggregate import Ends
    from discreet.tables.noise import ColumnNoise
    from discreet.tables.receipts import Receipt

__all__ = ["Answer"]

_TIME: Final = re.compile(r"\d{4}(-\d\d){0,2}")
_WIDE: Final = 0.25
"""How wide the interval of a bias may be before its middle is worth nothing."""
"""Years, months and days as texts, which sort as they follow each other."""


@final
@dataclass(frozen=True, eq=False, repr=False)
class Answer(Result):
    """A released table: one row per group, sorted by key, with noisy values; ``answer["people"]`` is a column.

    Where only the groups were asked for, there are no values.

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
    rounds: tuple[int, ...] = ()
    """In which of two rounds each group was shown: its value has that round's noise. None where there was one."""
    whose: tuple[str, ...] = ()
    """Whose the epsilon and the delta are that are left, such as "this month", where more than the whole is limited."""

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
        labels = [column.aggregate.label for column in self.released if column.asked]
        if not labels:
            raise UnsupportedError("a list of groups has no values")
        return labels[0]

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
        if self.receipt.rounds == 1:
            return self._bias(self.left_out, "Bias:")
        rest = None if self.receipt.found is None else self.receipt.found.rest
        first = self._bias(self.left_out, "Bias in round 1:")
        return f"{first} {self._bias(rest, 'Bias in round 2, of groups that round 1 had not shown:')}"

    def _bias(self, left_out: LeftOut | None, start: str) -> str:
        """Say what the bounds left out, in a sentence."""
        bounds = self.receipt.bounds
        bound = " and ".join(f"{name} = {n}" for name, n in bounds.items())
        what = "rows" if "max_rows" in bounds else "groups"
        if left_out is None:
            why = "the noise is larger than the table" if self.receipt.left_out else "it was not asked for"
            if bounds[f"max_{what}"] >= SIZES[-1]:
                why = f"of each person, {SIZES[-1]} are counted at most"
            return f"{start} what share of people's {what} {bound} left out is not known: {why}."
        low, high = f"{left_out.low:.1%}", f"{left_out.high:.1%}"
        share, counted = f"{left_out.share:.1%} of people's {what} ({low} to {high})", ""
        if left_out.high - left_out.low > _WIDE:
            share, counted = f"between {low} and {high} of people's {what}", ": too few people to say more"
        return (
            f"{start} {bound} left out {share}, counting up to {SIZES[-1]} of each person{counted}. "
            "The noise intervals do not include it."
        )

    @property
    def round_note(self) -> str | None:
        """What the values of two rounds are, in a sentence; None where there was one."""
        if self.receipt.rounds == 1:
            return None
        first, last = (noise.radius(Fraction(1, 20)) for noise in self.released[0].noise.each)  # type: ignore[attr-defined]
        if 1 not in self.rounds:
            return f"Round 1 showed no group. In round 2, 95 % of the noise is within ±{last:,.0f}."
        return (
            f"Round 1 showed the largest groups: 95 % of its noise is within ±{first:,.0f}. In round 2 people counted "
            f"only in the others: ±{last:,.0f}. Each interval is that of the noise of its round."
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

    @property
    def _round(self) -> dict[str, list[int]]:
        """The column that says in which of two rounds each group was shown, if there were two."""
        name = "round"
        while name in (*self.by, *self.names.values()):
            name = f"released_{name}"
        return {name: list(self.rounds)} if self.receipt.rounds > 1 else {}

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary a group; of two rounds, with the one in which it was shown."""
        names = [*self.names.values(), *self._round]
        columns = [*self.columns.values(), *self._round.values()]
        rows = zip(*columns, strict=True) if self.released else [()] * len(self)
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
        data |= {self.names[column.aggregate.label]: _array(column) for column in self.released}
        table = pa.table(data | {name: pa.array(which, pa.int64()) for name, which in self._round.items()})
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

    @property
    def title(self) -> str:
        """What the answer is about."""
        what = ", ".join(column.aggregate.words for column in self.released if column.asked) or "groups"
        return what[:1].upper() + what[1:] + (f" by {', '.join(self.by)}" if self.by else "")

    @property
    def sheet(self) -> Sheet:
        """The groups, and their values with the 95 % intervals of the noise; what they cost and leave out.

        Values have as many decimals as the width of their intervals gives sense to.
        """
        columns = [Cells(name, [key[i] for key in self.keys], head=True) for i, name in enumerate(self.by)]
        columns = columns or [Cells("group", ["all"], head=True)]
        for column in self.released:
            columns += _cells(column, self.names[column.aggregate.label])
        columns += [Cells(name, which, 0, quiet=True) for name, which in self._round.items()]
        groups = f"{len(self):,} group{'s' * (len(self) != 1)}; " if self.by else ""
        who = "; each row is a person" if self.receipt.person is None else ""
        ordered = all(_placed(part) for key in self.keys for part in key if part is not None)
        return Sheet(self.title, columns, f"{groups}{self.receipt.paid}{who}", self.remarks, "group", ordered)

    @property
    def remarks(self) -> list[str]:
        """What the figures alone do not say: the bias, what is not shown, and what is left of the budget."""
        said = [] if self.bias is None else [self.bias]
        said += [] if self.round_note is None else [self.round_note]
        if self.receipt.private:
            few = "Groups with few people are not shown, and how many there are is not said."
            said.append(few if len(self) else f"{few} explain() says how many people a group needs.")
        if self.left is not None:
            epsilon, delta = (written(x, up=False) for x in self.left)
            if self.whose:
                said.append(f"Left: epsilon {epsilon} {self.whose[0]}, delta {delta} {self.whose[1]}.")
            else:
                said.append(f"The budget has epsilon {epsilon} and delta {delta} left.")
        return said

    def to_text(self, most: int | None = 20) -> str:
        """Return the table as text, with 95 % intervals of the noise: the first *most* groups, or all of them."""
        return self.sheet.to_text(None if most is None else whole(most, "most", least=0))

    def plot(self, ax: Axes | None = None, most: int = 30, column: str | None = None) -> Axes:
        """Draw the values with their 95 % intervals, the greatest first, or in the order of numbers and dates.

        Of several columns, it is the one that was asked for first, unless another is named.
        """
        shown = self[self.value if column is None else column].aggregate.label
        return self.sheet.plot(ax, whole(most, "most", least=0), self.names[shown])


def _cells(column: Column, name: str) -> list[Cells]:
    """Return a column as it is shown, with the 95 % intervals if it was asked for."""
    if not column.asked:
        return [Cells(name, column.values, 0)]
    low, high = column.interval("0.95")
    decimals = column.decimals(low, high)
    values = Cells(name, column.values, decimals, points=column.aggregate.divides)
    return [values, Cells("95 % noise interval", low.tolist(), decimals, quiet=True, highs=high.tolist())]


def _placed(part: Any) -> bool:
    """Whether a part of a key has an order of its own: that of numbers, days and times, or years."""
    if isinstance(part, str):
        return bool(_TIME.fullmatch(part))
    return isinstance(part, int | float | date | time | Decimal) and not isinstance(part, bool)


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
