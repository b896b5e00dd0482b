"""Answers: noisy tables that know their error, and a receipt of how they were made."""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Final, final

from discreet.disclosure import SOFTWARE, Disclosure, figures_digest
from discreet.errors import UnsupportedError, one_of
from discreet.exact import Exact, exact, whole, written
from discreet.intervals import checked_confidence
from discreet.ledger import Amount
from discreet.pages.page import named, unmarked
from discreet.pages.results import Result
from discreet.pages.sheet import Column as Cells
from discreet.pages.sheet import Sheet
from discreet.tables.aggregates import Column
from discreet.tables.doubts import doubt
from discreet.tables.files import write
from discreet.tables.keys import OTHER
from discreet.tables.spread import SIZES, LeftOut

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from discreet.tables.aggregates import Aggregate
    from discreet.tables.aggregates.aggregate import Ends
    from discreet.tables.noise import ColumnNoise
    from discreet.tables.receipts import Receipt

__all__ = ["Answer", "is_vague"]

_TIME: Final = re.compile(r"\d{4}(-\d\d){0,2}")
"""Years, months and days as texts, which sort as they follow each other."""
_CLIPPED: Final = "Clipping to bounds is a bias, which the noise intervals do not include."
_UNIT: Final = re.compile(r".+ by (month|year)(?: from \S+ to \S+)?", re.IGNORECASE | re.DOTALL)
"""What a column is made by whose keys are first days."""
_WIDE: Final = 0.25
"""How wide the interval of a bias may be before its middle is worth nothing."""


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
    notes: tuple[str, ...] = ()
    """What else there is to say of how it was made."""
    confidence: Fraction = Fraction(19, 20)
    """With which confidence the intervals hold that stand beside the values, each by itself; see `with_confidence`."""

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
        """The share of people's groups, rows or values that bounding left out; None where that is not known."""
        return None if self.receipt.found is None else self.receipt.found.left_out

    def interval(self, confidence: Exact = "0.95", column: str | None = None) -> Ends:
        """Return the lower and upper ends of each value's interval, of the column that was asked for first or of one.

        Each holds with that confidence, by itself.
        """
        return self[self.value if column is None else column].interval(confidence)

    def with_confidence(self, confidence: Exact, /) -> Answer:
        """Return the same answer with intervals of another confidence beside its values, in every form.

        >>> import pandas as pd
        >>> from discreet.tables import Table
        >>> people = Table(pd.DataFrame({"city": ["Rome"] * 9}), person=None)
        >>> answer = people.count_people(epsilon="1/100")
        >>> (row,), (wide,) = answer.to_rows(), answer.with_confidence("0.999").to_rows()
        >>> list(row), wide["people_low"] < row["people_low"] < row["people"] == wide["people"]
        (['people', 'people_low', 'people_high'], True)
        """
        checked_confidence(confidence)
        return replace(self, confidence=exact(confidence, "confidence"))

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

    @property
    def limits(self) -> list[str]:
        """What max_groups and other bounds did to the figures: the bias, and how often totals may count a person."""
        return [text for text in (self.bias, self.receipt.repeats) if text is not None]

    def _bias(self, left_out: LeftOut | None, start: str) -> str:
        """Say what the bounds left out, in a sentence."""
        bounds = self.receipt.bounds
        bound = " and ".join(f"{name} = {n}" for name, n in bounds.items())
        what = [*bounds][-1].removeprefix("max_")
        if left_out is None:
            why = "the noise is larger than the table" if self.receipt.left_out else "it was not asked for"
            if bounds[f"max_{what}"] >= SIZES[-1]:
                why = f"of each person, {SIZES[-1]} are counted at most"
            return f"{start} what share of people's {what} {bound} left out is not known: {why}."
        low, high = f"{left_out.low:.1%}", f"{left_out.high:.1%}"
        share, counted = f"{left_out.share:.1%} of people's {what} ({low} to {high})", ""
        if is_vague(left_out):
            share, counted = f"between {low} and {high} of people's {what}", ": too few people to say more"
        return (
            f"{start} {bound} left out {share}, counting up to {SIZES[-1]} of each person{counted}. "
            "The noise intervals do not include it."
        )

    @property
    def doubt(self) -> str | None:
        """What to look at where the figures say that hardly anybody has a value of a text file's column; else None."""
        return doubt(self.receipt.asked, self.receipt.types, self.released, self.confidence)

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
        """What each column is called in tables: its label, or ``noisy_people`` where another column has such a name.

        The ends of its intervals are ``people_low`` and ``people_high``.
        """
        called: dict[str, str] = {}
        for label in self.columns:
            taken = {
                *self.by,
                *(set(self.columns) - {label}),
                *(each for name in called.values() for each in _three(name)),
            }
            called[label] = label
            while taken & {*_three(called[label])}:
                called[label] = f"noisy_{called[label]}"
        return called

    @property
    def _round(self) -> dict[str, list[int]]:
        """The column that says in which of two rounds each group was shown, if there were two."""
        return {self._free("round"): list(self.rounds)} if self.receipt.rounds > 1 else {}

    @property
    def _other(self) -> dict[str, list[str]]:
        """The column that says in which columns a row is of all values that are not shown, if there are such rows."""
        said = [", ".join(name for name, x in zip(self.by, key, strict=True) if x is OTHER) for key in self.keys]
        return {self._free("other"): said} if any(said) else {}

    def _free(self, name: str) -> str:
        """Return a name that no column has."""
        while name in (*self.by, *(each for used in self.names.values() for each in _three(used))):
            name = f"released_{name}"
        return name

    @property
    def _figures(self) -> dict[str, tuple[list[Any], bool]]:
        """All columns but the keys: values, ends of their intervals, rounds; and whether each is of integers."""
        found: dict[str, tuple[list[Any], bool]] = {}
        for column in self.released:
            is_whole = column.aggregate.whole
            lows, highs = (ends.tolist() for ends in column.interval(self.confidence))
            if is_whole:
                lows, highs = [math.floor(x) for x in lows], [math.ceil(x) for x in highs]
            names = _three(self.names[column.aggregate.label])
            found |= {n: (x, is_whole) for n, x in zip(names, (column.values, lows, highs), strict=True)}
        return found | {name: (which, True) for name, which in self._round.items()}

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one plain dictionary a group: its key, and each value with the ends of its interval beside it.

        Of two rounds, it has the one in which the group was shown.
        """
        columns = {name: values for name, (values, _) in self._figures.items()} | self._other
        rows = zip(*columns.values(), strict=True) if columns else [()] * len(self)
        return [
            dict(zip(self.by, map(_shown, key), strict=True)) | dict(zip(columns, row, strict=True))
            for key, row in zip(self.keys, rows, strict=True)
        ]

    def to_arrow(self) -> Any:
        """Return the table as an Arrow table, with the receipt and the intervals' confidence in its metadata."""
        import pyarrow as pa

        types = self.types or (None,) * len(self.by)
        data = {
            name: _keys([_shown(key[i]) for key in self.keys], kind)
            for i, (name, kind) in enumerate(zip(self.by, types, strict=True))
        }
        data |= {name: _array(*figures) for name, figures in self._figures.items()}
        table = pa.table(data | {name: pa.array(said, pa.string()) for name, said in self._other.items()})
        return table.replace_schema_metadata({"discreet": json.dumps(self.said, default=str)})

    @property
    def said(self) -> dict[str, Any]:
        """What goes with the figures: the receipt, and with which confidence the intervals hold."""
        return self.receipt.to_dict() | ({"confidence": str(self.confidence)} if self.released else {})

    def to_pandas(self) -> Any:
        """Return the table as a pandas frame."""
        return self.to_arrow().to_pandas()

    def to_polars(self) -> Any:
        """Return the table as a Polars frame."""
        import polars as pl

        return pl.from_arrow(self.to_arrow())

    def save(self, path: str | os.PathLike[str], /, *, safe_csv: bool = False) -> None:
        """Write the table to a file, whole or not at all, as Parquet, CSV, JSON or xlsx: the suffix says which.

        Parquet keeps the receipt in its metadata, under ``discreet``, and a workbook on a sheet of its own, with the
        guarantee; beside CSV and JSON it is <path>.receipt.json. In a workbook every text is a text. A spreadsheet
        takes texts of CSV that begin with ``=``, ``+``, ``-`` or ``@`` for formulas: *safe_csv* puts an apostrophe
        before them.

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
        write(path, self.to_arrow(), self.said, self.statements, safe_csv=safe_csv)

    @property
    def statements(self) -> list[tuple[str, str]]:
        """What a reader of the figures has to know, as pairs of a name and a sentence: the guarantee, errors, price."""
        holds = f"Each interval holds what was counted, after bounding, with a confidence of {self.sure}, by itself."
        pairs = [("guarantee", self.receipt.guarantee), ("intervals", holds if self.released else "")]
        pairs += [
            ("bias", " ".join([self.bias or "", *self._clipped]).strip()),
            ("totals", self.receipt.repeats or ""),
            ("notes", " ".join(self.notes)),
            ("price", self._price),
        ]
        return [("figures", self.title), *((name, text) for name, text in pairs if text)]

    @property
    def _price(self) -> str:
        """What the figures cost, whenever that was, in a sentence for their readers."""
        cost, once = self.receipt.cost, "" if self.receipt.is_charged else ", once for these figures"
        return f"{cost[:1].upper()}{cost[1:]} spent{once}."

    def disclosure(self) -> Disclosure:
        """Return what is to be told in public of the figures: the promise, how it was kept, what it cost.

        >>> import pandas as pd
        >>> from discreet.tables import Table
        >>> answer = Table(pd.DataFrame({"city": ["Rome"]}), person=None).count_people(epsilon=1)
        >>> answer.disclosure().facts["unit"]
        'one row'
        """
        receipt, said = self.receipt, self.receipt.to_dict()
        when = datetime.now(UTC) if receipt.when is None else receipt.when
        unit = "one row" if receipt.person is None else f"all rows of one {', '.join(receipt.person)}"
        columns = [*(receipt.person or ()), *receipt.by, *(each.column for each in receipt.asked if each.column)]
        bounds = ", ".join(f"{name} = {n}" for name, n in receipt.bounds.items()) or "no bounds leave anything out"
        alone = "This release is on no books; other releases about the same people add to it."
        books = "Charged to a ledger, which limits the sum of all releases, before it was drawn."
        several = len(receipt.tables)
        together = f"One of {several} tables that were released together, for this price." if several > 1 else ""
        return Disclosure(
            {
                "title": self.title,
                "model": "central",
                "variant": "Approximate DP" if receipt.delta else "Pure DP",
                "unit": unit,
                "relation": f"added or removed: {unit}",
                "epsilon": said["spent"]["epsilon"],
                "delta": said["spent"]["delta"],
                "guarantee": receipt.guarantee,
                "domain": f"tables with columns {', '.join(dict.fromkeys(columns))}; any finite number of rows",
                "bounds": bounds,
                "mechanisms": said["mechanisms"],
                "errors": " ".join(text for name, text in self.statements if name in ("intervals", "bias", "totals")),
                "post_processing": " ".join(self.notes) or "none",
                "composition": f"{together} {alone if receipt.entry is None else books}".strip(),
                "date": f"{when:%Y-%m-%d}",
                "figures_sha256": figures_digest(self),
                "receipt_sha256": said["sha256"],
                "ledger_entry": receipt.entry,
                "software": f"{SOFTWARE}, on {receipt.engine}",
            }
        )

    @property
    def sure(self) -> str:
        """The confidence of the intervals, in percent."""
        return f"{written(100 * self.confidence, up=False, digits=9)} %"

    @property
    def title(self) -> str:
        """What the answer is about."""
        return unmarked(self.heading)

    @property
    def heading(self) -> str:
        """The title for a page, with the names of columns marked as such."""
        what = ", ".join(column.aggregate.words for column in self.released if column.asked) or "groups"
        if len(self.by) < len(self.receipt.by) and self.receipt.times > 1:
            what += f", each counted up to {self.receipt.times:,} times" + "," * bool(self.by)
        return what[:1].upper() + what[1:] + (f" by {', '.join(map(named, self.by))}" if self.by else "")

    @property
    def sheet(self) -> Sheet:
        """The groups, and their values with the intervals of the noise; what they cost and leave out.

        Values have as many decimals as the width of their intervals gives sense to.
        """
        columns = [self._heads(i, name) for i, name in enumerate(self.by)]
        columns = columns or [Cells("group", ["all"], head=True)]
        for column in self.released:
            columns += self._cells(column)
        columns += [Cells(name, which, 0, quiet=True) for name, which in self._round.items()]
        groups = f"{len(self):,} group{'s' * (len(self) != 1)}; " if self.by else ""
        who = "; each row is a person" if self.receipt.person is None else ""
        placed = [all(_placed(key[i]) for key in self.keys if _shown(key[i]) is not None) for i in range(len(self.by))]
        note = f"{groups}{self.receipt.paid}{who}"
        return Sheet(self.title, columns, note, self.remarks, "group", all(placed), partly=any(placed))

    def _heads(self, i: int, name: str) -> Cells:
        """Return the keys of a column as they are shown: a month or a year, without the day that stands for it."""
        keys = [key[i] for key in self.keys]
        unit = _UNIT.fullmatch(self.receipt.derived.get(name, ""))
        if unit is None or not all(type(x) is date or _shown(x) is None for x in keys):
            return Cells(name, keys, head=True)
        end = len("2026-01") if unit[1].lower() == "month" else len("2026")
        shown = ["no value" if x is None else x.isoformat()[:end] if isinstance(x, date) else str(x) for x in keys]
        return Cells(name, keys, head=True, shown=shown)

    def _cells(self, column: Column) -> list[Cells]:
        """Return a column as it is shown, with its intervals if it was asked for."""
        name = self.names[column.aggregate.label]
        low, high = column.interval(self.confidence)
        values = Cells(name, column.values, column.decimals(low, high), points=column.aggregate.levels)
        if not column.asked:
            return [replace(values, points=False)]
        ends = Cells(f"{self.sure} noise interval", low.tolist(), values.decimals, quiet=True, highs=high.tolist())
        return [values, ends]

    @property
    def remarks(self) -> list[str]:
        """What the figures alone do not say: the bias, what is not shown, and what is left of the budget."""
        said = self.limits
        said += dict.fromkeys(
            note for each in self.receipt.asked if (each.learns or each.noted) and (note := self._noted(each))
        )
        said += self._clipped
        said += [] if self.round_note is None else [self.round_note]
        said += self.notes
        said += [] if self.doubt is None else [self.doubt]
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

    def _noted(self, each: Aggregate) -> str | None:
        """Return what is to be known of an aggregate's values; with the bounds that were learned, if they were."""
        if not each.learns:
            return each.note
        # Of several quantiles each is a column; what is said of one of them may be more.
        note = max((self[view.label].aggregate.note or "" for view in each.views), key=len)
        return f"Bounds were learned for {each.label}. {note}".rstrip()

    @property
    def _clipped(self) -> list[str]:
        """That clipping is a bias, in a sentence, where values were clipped."""
        return [_CLIPPED] if any(each.clips for each in self.receipt.asked) else []

    @property
    def value_notes(self) -> list[str]:
        """What is to be known of all values, also of those that others had to be released for."""
        said = [note for each in self.receipt.asked if (note := self._noted(each))]
        others = [note for column in self.released if (note := column.aggregate.note)]
        said += [note for note in others if not any(note in text for text in said)]
        return [*dict.fromkeys(said), *self._clipped]

    def to_text(self, most: int | None = 20) -> str:
        """Return the table as text, with intervals of the noise: the first *most* groups, or all of them."""
        return self.sheet.to_text(None if most is None else whole(most, "most", least=0))

    def plot(self, ax: Axes | None = None, most: int = 30, column: str | None = None) -> Axes:
        """Draw the values with their intervals, the greatest first, or in the order of numbers and dates.

        Of several columns, it is the one that was asked for first, unless another is named.
        """
        shown = self[self.value if column is None else column].aggregate.label
        return self.sheet.plot(ax, whole(most, "most", least=0), self.names[shown])


def is_vague(left_out: LeftOut) -> bool:
    """Whether too few people are known of to say more of a share than between which ends it is."""
    return left_out.high - left_out.low > _WIDE


def _shown(part: Any) -> Any:
    """Return a part of a key as tables of one type a column have it: nothing where it stands for many."""
    return None if part is OTHER else part


def _placed(part: Any) -> bool:
    """Whether a part of a key has an order of its own: that of numbers, days and times, or years."""
    if isinstance(part, str):
        return bool(_TIME.fullmatch(part))
    return isinstance(part, int | float | date | time | Decimal) and not isinstance(part, bool)


def _three(name: str) -> tuple[str, str, str]:
    """Return what the columns of a value and of the ends of its interval are called."""
    return name, f"{name}_low", f"{name}_high"


def _array(values: Sequence[Any], is_whole: bool) -> Any:
    """Return a column of integers; of floats for means, for sums off the integers, and beyond 64 bits."""
    import pyarrow as pa

    if is_whole and all(-(1 << 63) <= value < 1 << 63 for value in values):
        return pa.array(values, pa.int64())
    return pa.array([float(value) for value in values], pa.float64())


def _keys(keys: list[Any], kind: Any) -> Any:
    """Return a column of keys, of the engine's type, or of one that holds them: DuckDB's HUGEINT has 39 digits."""
    import pyarrow as pa

    try:
        return pa.array(keys, kind)
    except pa.ArrowException:
        return pa.array(keys)
