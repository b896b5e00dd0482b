"""``discreet count | sum | mean | explain | suggest | budget``: publish tables, and keep the books."""

from __future__ import annotations

import glob
import json
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from discreet.tables import Answer, Explanation

__all__ = ["commands"]

F = TypeVar("F", bound=Callable[..., Any])

_FILE = click.argument("file")
_COLUMN = click.argument("column")
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_EPSILON = click.option("--epsilon", required=True, help='The epsilon to spend, such as 1 or "1/2".')
_LEDGER = click.option("--ledger", help="The books that are charged before the answer is made; see `budget`.")
_TABLE = (
    click.option("--person", multiple=True, help="The column that says whose a row is; may be repeated."),
    click.option("--each-row", is_flag=True, help="Each row is a person of its own; in the place of --person."),
    click.option("--where", help="Only rows for which this holds, such as \"year = 2026 AND city <> 'Rome'\"."),
    click.option("--table", help="The table's name, where FILE is a database's URL."),
)
_BY = click.option("--by", multiple=True, help="A column of groups; may be repeated.")
_GROUPS = (
    _BY,
    click.option("--max-groups", type=int, help="In how many groups a person may count; see `explain`, `suggest`."),
    click.option("--delta", help="The delta to spend, such as 1e-6, where the groups are private."),
    click.option("--key", multiple=True, help="A group known beforehand; may be repeated. Of several columns: Rome,7."),
    click.option("--keys", help="A file of groups known beforehand, one a line."),
)
_ROWS = (
    click.option("--rows", is_flag=True, help="Count rows, not people."),
    click.option("--max-rows", type=int, help="How many rows of a person count in a group, with --rows."),
)
_BOUNDS = (
    click.option("--low", required=True, help="What every lower value counts as."),
    click.option("--high", required=True, help="What every higher value counts as."),
    click.option("--grid", help="The step that values are rounded to; a power of two unless given."),
    click.option("--share", help="The part of epsilon that counts people; one half unless given."),
)
_OUT = click.option("--out", help="Write the answer to this file: .parquet, .csv or .json.")


def _with(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Return the decorator that adds options in the order in which they are read."""
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


_ASKED = (*_TABLE, *_GROUPS, _EPSILON)
_PUBLISHED = (*_ASKED, _LEDGER, _OUT, _JSON)


@click.command()
@_with(_FILE, *_ROWS, *_PUBLISHED)
def count(**given: Any) -> None:
    """Count the people, or the rows, in each group of a table.

    \b
    discreet count events.parquet --by city --person user_id --max-groups 3 --epsilon 1 --delta 1e-6
    """
    _publish(given, *_counted(given))


@click.command("sum")
@_with(_FILE, _COLUMN, *_BOUNDS, *_PUBLISHED)
def sum_(**given: Any) -> None:
    """Sum a column in each group: each value, and then each person's sum there, is clipped to [low, high].

    \b
    discreet sum events.csv amount --low 0 --high 100 --by city --person user_id --max-groups 3 --epsilon 1 --delta 1e-6
    """
    _publish(given, "sum", given["column"])


@click.command()
@_with(_FILE, _COLUMN, *_BOUNDS, *_PUBLISHED)
def mean(**given: Any) -> None:
    """Say the mean in each group, over people, of their own mean of a column clipped to [low, high].

    \b
    discreet mean events.parquet amount --low 0 --high 100 --person user_id --epsilon 1
    """
    _publish(given, "mean", given["column"])


@click.group()
def explain() -> None:
    """Say what an answer would promise and how wrong it might be. Nothing is spent, and no rows are read.

    \b
    discreet explain count events.parquet --by city --person user_id --max-groups 3 --epsilon 1 --delta 1e-6
    """


@explain.command("count")
@_with(_FILE, *_ROWS, *_ASKED, _JSON)
def explain_count(**given: Any) -> None:
    """Explain a count of people, or of rows.

    \b
    discreet explain count events.parquet --by city --person user_id --max-groups 3 --epsilon 1 --delta 1e-6
    """
    _explain(given, *_counted(given))


@explain.command("sum")
@_with(_FILE, _COLUMN, *_BOUNDS, *_ASKED, _JSON)
def explain_sum(**given: Any) -> None:
    """Explain a sum.

    \b
    discreet explain sum events.parquet amount --low 0 --high 100 --person user_id --epsilon 1
    """
    _explain(given, "sum", given["column"])


@explain.command("mean")
@_with(_FILE, _COLUMN, *_BOUNDS, *_ASKED, _JSON)
def explain_mean(**given: Any) -> None:
    """Explain a mean.

    \b
    discreet explain mean events.parquet amount --low 0 --high 100 --person user_id --epsilon 1
    """
    _explain(given, "mean", given["column"])


@click.command()
@_with(
    _FILE,
    *_TABLE,
    _BY,
    click.option("--epsilon", default="0.1", show_default=True, help="The epsilon to spend on the suggestion."),
    click.option("--planned", default="1", show_default=True, help="The epsilon of the answer to come."),
    click.option("--group-size", type=int, default=1000, show_default=True, help="How large a group matters."),
    _LEDGER,
    _JSON,
)
def suggest(**given: Any) -> None:
    """Spend a little to learn which --max-groups leaves the least error.

    \b
    discreet suggest events.parquet --by city --person user_id --epsilon 0.1
    """
    names = ("epsilon", "planned", "group_size")
    found = _table(given).suggest_max_groups(*given["by"], **{name: given[name] for name in names})
    _show(found, {"best": found.best, "choices": found.to_rows(), "receipt": found.receipt}, given)


@click.command()
@click.argument("path")
@click.option("--create", is_flag=True, help="Make the books, with a budget of --epsilon and --delta.")
@click.option("--epsilon", help="The whole budget's epsilon, with --create.")
@click.option("--delta", help="The whole budget's delta, with --create; 0 unless given.")
@_JSON
def budget(path: str, create: bool, epsilon: str | None, delta: str | None, **given: Any) -> None:
    """Show what was spent, on what and when, and what is left; or make the books.

    \b
    discreet budget budget.db --create --epsilon 3 --delta 1e-5
    discreet budget budget.db
    """
    from discreet import Ledger

    if create is (epsilon is None) or (delta is not None and not create):
        raise click.UsageError("--create needs --epsilon, and --epsilon and --delta need --create")
    with Ledger(path, epsilon=epsilon, delta=delta) as book:
        _show(book, {"path": path, **book.to_dict()} if given["as_json"] else None, given)


commands = (count, sum_, mean, explain, suggest, budget)


def _counted(given: dict[str, Any]) -> tuple[str]:
    if given["max_rows"] is not None and not given["rows"]:
        raise click.UsageError("--max-rows needs --rows")
    return ("count_rows" if given["rows"] else "count_people",)


def _publish(given: dict[str, Any], question: str, *column: str) -> None:
    """Ask a table a question, and write or print the answer."""
    from discreet.tables.files import checked_target, jsonable

    if given["out"] is not None:
        _keep_apart(checked_target(given["out"]), given)
    answer: Answer = getattr(_asked(given), question)(*column, **_numbers(given))
    if given["out"] is not None:
        try:
            answer.save(given["out"])
        except BaseException:
            click.echo(answer.to_text(most=None))  # It is paid for, and must not be lost with the disk.
            raise
        spent, groups = answer.receipt["spent"], "1 group" if len(answer) == 1 else f"{len(answer):,} groups"
        text = f"{given['out']}: {groups}; spent: epsilon = {spent['epsilon']}, delta = {spent['delta']}"
        return _show(text, {"out": given["out"], "groups": len(answer), "receipt": answer.receipt}, given)
    rows = [{name: jsonable(value) for name, value in row.items()} for row in answer]
    low, high = answer.interval("0.95")
    intervals = [list(ends) for ends in zip(low.tolist(), high.tolist(), strict=True)]
    return _show(answer.to_text(most=None), {"rows": rows, "intervals": intervals, "receipt": answer.receipt}, given)


def _explain(given: dict[str, Any], question: str, *column: str) -> None:
    """Explain what a question would give."""
    said: Explanation = _asked(given).explain(question, *column, **_numbers(given))
    told = {name: getattr(said, name) for name in ("question", "guarantee", "chosen", "notes", "receipt")}
    _show(said, told | {"choices": said.to_rows()}, given)


def _asked(given: dict[str, Any]) -> Any:
    """Return the table, in groups where there are some: what is asked the question."""
    if not given["by"]:
        for name in ("max_groups", "delta", "key", "keys", "share"):
            if given.get(name):
                raise click.UsageError(f"--{name.replace('_', '-')} needs --by: without groups there is no use for it")
        return _table(given)
    texts = _texts(given)
    table = _table(given)
    return table.group_by(*given["by"], keys=None if texts is None else table.typed_keys(*given["by"], texts=texts))


def _table(given: dict[str, Any]) -> Any:
    """Return the table that a command is about, with the books that it is charged to."""
    from discreet.tables import Table

    if bool(given["person"]) is given["each_row"]:
        raise click.UsageError("need --person COLUMN, or --each-row where each row is a person of its own")
    ledger = None
    if given.get("ledger") is not None:
        from discreet import Ledger

        ledger = Ledger(given["ledger"])
    table = Table(given["file"], person=given["person"] or None, ledger=ledger, table=given["table"])
    return table if given["where"] is None else table.where(given["where"])


def _numbers(given: dict[str, Any]) -> dict[str, Any]:
    """Return the numbers that were typed, as they were typed: the library reads them exactly."""
    names = ("epsilon", "delta", "max_groups", "max_rows", "low", "high", "grid", "share")
    return {name: given[name] for name in names if given.get(name) is not None}


def _texts(given: dict[str, Any]) -> list[str] | None:
    """Return the known keys that were typed, or are in a file; None where the groups are private."""
    if given["keys"] is None:
        return list(given["key"]) or None
    try:
        lines = Path(given["keys"]).read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError:
        raise click.UsageError(f"--keys {given['keys']}: need a text file in UTF-8") from None
    texts = [line.removesuffix("\r") for line in lines if line.strip()] + list(given["key"])
    if not texts:
        raise click.UsageError(f"--keys {given['keys']}: need at least one key, one a line")
    return texts


def _keep_apart(target: Path, given: dict[str, Any]) -> None:
    """Raise where an answer would overwrite what it is made from."""
    sources = [*glob.glob(given["file"], recursive=True), given["file"], given["ledger"], given["keys"]]  # noqa: PTH207
    if target.resolve() in {Path(source).resolve() for source in sources if source is not None}:
        raise click.UsageError(f"--out {target}: need another file than those that are read")


def _show(text: Any, data: Any, given: dict[str, Any]) -> None:
    click.echo(json.dumps(data, ensure_ascii=False) if given["as_json"] else str(text))
