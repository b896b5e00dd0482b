"""``discreet count | sum | mean | keys | explain | suggest | budget``: publish tables, and keep the books."""

from __future__ import annotations

import glob
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from discreet.cli import complete
from discreet.cli.project import books_of, bound, is_bound, said_in, say_uncounted, say_unkept
from discreet.cli.show import Part, plural, show, with_page

if TYPE_CHECKING:
    from discreet.ledger import Ledger, Period, Reservation
    from discreet.tables import Aggregate, Answer, Explanation, KeysExplanation
    from discreet.tables.aggregates import Value

__all__ = [
    "BOOKS",
    "COLUMN",
    "EXPLAINED",
    "FILE",
    "JSON",
    "PUBLISHED",
    "WHO",
    "budget",
    "check_bounds",
    "count",
    "explain",
    "explained",
    "explained_of",
    "keys",
    "mean",
    "options",
    "publish",
    "release",
    "say_explained",
    "suggest",
    "sum_",
]

F = TypeVar("F", bound=Callable[..., Any])

_PATH = click.Path()
_PAIR = 2
_OF_BOOKS = {
    "who": "without books nobody counts who asks",
    "plan": "releases are reserved on books",
    "version": "answers are kept on books",
}
FILE = click.argument("file", type=_PATH)  # Or -, for CSV from the standard input.
COLUMN = click.argument("column", shell_complete=complete.columns)
JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_EPSILON = click.option("--epsilon", required=True, help='The epsilon to spend, such as 1 or "1/2".')
_LEDGER = click.option(
    "--ledger", type=_PATH, help="The books that are charged before the answer is made; see `budget`."
)
BOOKS = click.option("--ledger", type=_PATH, help="The books that would be charged, and what is left on them.")
WHO = click.option("--who", help="Who asks, for the books: one of the analysts, where they have some.")
_PLAN = click.option("--plan", type=int, help="The entry that reserved this release; see `budget --reserve`.")
_AGAIN = (
    click.option("--data-version", "version", help="A name for the data as they are: a question asked again is free."),
    click.option("--fresh", is_flag=True, help="Ask and pay anew, whatever answers --data-version has."),
)
_TABLE = (
    click.option(
        "--person",
        multiple=True,
        shell_complete=complete.columns,
        help="The column that identifies a person; may be repeated.",
    ),
    click.option("--each-row", is_flag=True, help="Each row is a person of its own; in the place of --person."),
    click.option("--where", help="Only rows for which this holds, such as \"year = 2026 AND city <> 'Rome'\"."),
    click.option("--table", help="The table's name, where FILE is a database's URL."),
    click.option(
        "--type",
        "types",
        multiple=True,
        metavar="COLUMN=TYPE",
        help="The type of a column of CSV or JSON that is not text: integer, number, boolean, date, timestamp, "
        "decimal(p,s), decimal comma (1.234,50), day.month.year, day/month/year or month/day/year; may be repeated.",
    ),
    click.option(
        "--join",
        "joins",
        multiple=True,
        metavar="FILE:COLUMN",
        help="A public file of attributes, such as the region of each postcode, by a column of both; may be repeated.",
    ),
    click.option(
        "--join-people",
        "people_files",
        multiple=True,
        metavar="FILE",
        help="A private file about the same people, by --person: of each of them one row counts; may be repeated.",
    ),
    bound,
)
_BY = click.option(
    "--by",
    multiple=True,
    shell_complete=complete.columns,
    help='A column of groups, or one made of others, such as "age by 10", "day by month" or "lower(city)"; may be '
    "repeated.",
)


_NOISE = click.option("--noise", help="laplace, truncated, gaussian, or auto, the best; auto unless given.")


class Groups(click.ParamType[Any]):
    """How many groups a person may count in: an integer, or auto."""

    name = "integer or auto"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return what was typed, as the library takes it."""
        auto = isinstance(value, str) and value.lower() == "auto"
        return "auto" if auto else click.INT.convert(value, param, ctx)


_GROUPS = (
    _BY,
    click.option("--max-groups", type=Groups(), help="In how many groups a person may count, or auto; see `explain`."),
    click.option("--delta", help="The delta to spend, such as 1e-6, for private groups or Gaussian noise."),
    click.option(
        "--left-out", help="The part of epsilon that tells what bounding leaves out; 1/20 unless given, 1/10 with auto."
    ),
    _NOISE,
    click.option(
        "--key",
        multiple=True,
        help="A group known beforehand; may be repeated. Of several columns: Rome,7; beside --bins, COLUMN=KEY.",
    ),
    click.option("--keys", type=_PATH, help="A file of groups known beforehand, one a line."),
    click.option("--bins", is_flag=True, help='The groups are all bins of --by, as in "age by 10 from 0 to 100".'),
    click.option("--null", help="What stands for a missing key, as in: --key Rome --key NULL --null NULL."),
)
_ROWS = (
    click.option("--rows", is_flag=True, help="Count rows, not people."),
    click.option("--max-rows", type=int, help="How many rows of a person count in a group, with --rows."),
)
_ROUNDS = click.option("--rounds", type=int, help="1, or 2: in the second, people count only in groups not yet found.")
_BOUNDS = (
    click.option("--low", help="What every lower value counts as; auto learns it from a part of epsilon."),
    click.option("--high", help="What every higher value counts as; likewise."),
    click.option("--grid", help="The step that values are rounded to; a power of two unless given."),
    click.option("--people-share", help="The part of epsilon that counts people; one half unless given."),
)
_OUT = (
    click.option(
        "--out", type=_PATH, help="Write the answer to this file: .parquet, .csv, .json or .xlsx; - prints CSV."
    ),
    click.option("--html", type=_PATH, help="Write a page about the answer to this file, for a browser."),
    click.option("--confidence", help="The confidence of the intervals; 0.95 unless given."),
    click.option("--disclosure", type=_PATH, help="Write what to tell in public of the release to this file, as JSON."),
    click.option("--sign", type=_PATH, help="Sign --disclosure and --html with this SSH key, beside them."),
    click.option("--safe-csv", is_flag=True, help="Put an apostrophe before texts of CSV that would be formulas."),
)


def options(*options: Callable[[F], F]) -> Callable[[F], F]:
    """Return the decorator that adds options in the order in which they are read."""
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


_ASKED = (*_TABLE, *_GROUPS, _EPSILON)
EXPLAINED = (
    *_TABLE,
    *_GROUPS,
    click.option("--epsilon", help='The epsilon to spend, such as 1 or "1/2".'),
    click.option("--margin", help="How far noise may reach, with probability 95 %; the least epsilon is found for it."),
)
_CHARGED = (_LEDGER, WHO, _PLAN, *_AGAIN, *_OUT, JSON)
PUBLISHED = (*_ASKED, *_CHARGED)


@click.command()
@options(FILE, *_ROWS, _ROUNDS, *PUBLISHED)
def count(**given: Any) -> None:
    """Count the people, or the rows, in each group of a table.

    \b
    discreet count events.csv --by city --person user_id --max-groups 3 \\
      --epsilon 1 --delta 1e-6
    discreet count events.csv --by city --person user_id --max-groups 3 \\
      --rounds 2 --epsilon 1 --delta 1e-6
    discreet count events.csv --person user_id --epsilon 1/2 --html report.html
    """
    _check_rows(given)
    publish(given, "count_rows" if given["rows"] else "count_people")


@click.command("sum", short_help="Sum a column in each group.")
@options(FILE, COLUMN, *_BOUNDS, *PUBLISHED)
def sum_(**given: Any) -> None:
    """Sum a column in each group: each value, and then each person's sum there, is clipped to [low, high].

    \b
    discreet sum events.csv amount --low 0 --high 100 --by city --person user_id \\
      --max-groups 3 --epsilon 1 --delta 1e-6
    """
    check_bounds(given)
    publish(given, "sum", given["column"])


@click.command(short_help="Compute the mean of a column in each group.")
@options(FILE, COLUMN, *_BOUNDS, *PUBLISHED)
def mean(**given: Any) -> None:
    """Compute the mean in each group, over people, of their own mean of a column clipped to [low, high].

    \b
    discreet mean events.csv amount --low 0 --high 9 --person user_id --epsilon 1
    """
    check_bounds(given)
    publish(given, "mean", given["column"])


_SEVERAL = (
    FILE,
    click.option("--people", is_flag=True, help="Count people."),
    click.option("--rows", type=int, help="Count rows, of a person at most so many in a group."),
    click.option(
        "--distinct",
        "distincts",
        multiple=True,
        metavar="COLUMN:MOST",
        help="Count the distinct values of a column, of a person at most so many in a group; may be repeated.",
    ),
    click.option("--sum", "sums", multiple=True, metavar="COLUMN:LOW:HIGH", help="Sum a column; may be repeated."),
    click.option("--mean", "means", multiple=True, metavar="COLUMN:LOW:HIGH", help="A mean of a column; likewise."),
    click.option("--variance", "variances", multiple=True, metavar="COLUMN:LOW:HIGH", help="A variance; likewise."),
    click.option("--deviation", "deviations", multiple=True, metavar="COLUMN:LOW:HIGH", help="A standard deviation."),
    click.option(
        "--ratio",
        "ratios",
        multiple=True,
        metavar="SUM/SUM",
        help="A ratio of sums, each COLUMN:LOW:HIGH, or of one to people.",
    ),
    click.option(
        "--weight",
        "weights",
        multiple=True,
        metavar="NAME=NUMBER",
        help='How much of epsilon a column of the answer gets, such as "mean of age=2"; 1 unless given.',
    ),
    _ROUNDS,
)


@click.command(short_help="Publish several counts, sums and means of each group at once.")
@options(*_SEVERAL, *PUBLISHED)
def release(**given: Any) -> None:
    """Publish several counts, sums and means of each group, from one query and under one bound.

    \b
    discreet release events.csv --people --rows 2 --mean amount:0:100 \\
      --by city --person user_id --max-groups 3 --epsilon 1 --delta 1e-6
    """
    publish(given, "release", *_several(given), weights=_weights(given))


_FOUND = (
    *_TABLE,
    _BY,
    click.option("--max-groups", type=int, help="In how many groups a person may count; 100 unless given."),
    _ROUNDS,
    click.option("--delta", required=True, help="The delta to spend, such as 1e-6."),
    _EPSILON,
)


@click.command(short_help="List the groups of a table, without counts.")
@options(FILE, *_FOUND, *_CHARGED)
def keys(**given: Any) -> None:
    """List the groups of a table, without counts: that finds more of them than counting does.

    \b
    discreet keys events.csv --by city --person user_id --epsilon 1 --delta 1e-6
    """
    _check_by(given)
    publish(given | {"key": (), "keys": None, "bins": False, "null": None}, "keys")


class Questions(click.Group):
    """A group of the questions that can be explained; a file in the place of one is a word too few."""

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the question that is named first."""
        if self.get_command(ctx, args[0]) is None and ("." in args[0] or is_bound(args[0])):
            raise click.UsageError(f"need the question before the file: discreet explain count {args[0]}", ctx)
        return super().resolve_command(ctx, args)


@click.group(cls=Questions, short_help="Say what an answer would promise, before it is paid for.")
def explain() -> None:
    """Say what an answer would promise and how wrong it might be. Nothing is spent, and no rows are read.

    \b
    discreet explain count events.csv --by city --person user_id --max-groups 3 \\
      --epsilon 1 --delta 1e-6
    """


@explain.command("count")
@options(FILE, *_ROWS, _ROUNDS, *EXPLAINED, BOOKS, WHO, JSON)
def explain_count(**given: Any) -> None:
    """Explain a count of people, or of rows.

    \b
    discreet explain count events.csv --by city --person user_id --max-groups 3 \\
      --epsilon 1 --delta 1e-6
    """
    _explain("count", given)


@explain.command("sum")
@options(FILE, COLUMN, *_BOUNDS, *EXPLAINED, BOOKS, WHO, JSON)
def explain_sum(**given: Any) -> None:
    """Explain a sum.

    \b
    discreet explain sum events.csv amount --low 0 --high 100 --person user_id \\
      --epsilon 1
    """
    _explain("sum", given)


@explain.command("mean")
@options(FILE, COLUMN, *_BOUNDS, *_ASKED, BOOKS, WHO, JSON)
def explain_mean(**given: Any) -> None:
    """Explain a mean.

    \b
    discreet explain mean events.csv amount --low 0 --high 100 --person user_id \\
      --epsilon 1
    """
    _explain("mean", given)


@explain.command("release")
@options(*_SEVERAL, *EXPLAINED, JSON)
def explain_release(**given: Any) -> None:
    """Explain several counts, sums and means at once.

    \b
    discreet explain release events.csv --people --mean amount:0:100 \\
      --person user_id --epsilon 1
    """
    _explain("release", given)


@explain.command("keys")
@options(FILE, *_FOUND, JSON)
def explain_keys(**given: Any) -> None:
    """Explain a list of groups.

    \b
    discreet explain keys events.csv --by city --person user_id --epsilon 1 \\
      --delta 1e-6
    """
    _explain("keys", given)


@click.command(short_help="Spend a little to learn max_groups, or bounds.")
@options(
    FILE,
    *_TABLE,
    _BY,
    click.option("--epsilon", default="0.1", show_default=True, help="The epsilon to spend on the suggestion."),
    click.option("--planned", default="1", show_default=True, help="The epsilon of the answer to come."),
    click.option("--delta", default="1e-6", show_default=True, help="The delta of the answer to come."),
    _NOISE,
    click.option("--group-size", type=int, default=1000, show_default=True, help="The group size to optimise for."),
    click.option("--bounds", "column", shell_complete=complete.columns, help="Learn --low and --high of this column."),
    click.option("--sums", is_flag=True, help="Learn those of people's sums in their groups, with --bounds."),
    _LEDGER,
    WHO,
    JSON,
)
def suggest(**given: Any) -> None:
    """Spend a little to learn which --max-groups leaves the least error, or the bounds of a column.

    \b
    discreet suggest events.parquet --by city --person user_id --epsilon 0.1
    discreet suggest events.parquet --bounds amount --person user_id --epsilon 0.1
    """
    if given["column"] is not None:
        _suggest_bounds(given)
        return
    if given["sums"]:
        raise click.UsageError("--sums needs --bounds COLUMN")
    names = ("epsilon", "planned", "delta", "group_size", "noise")
    typed = {name: given[name] for name in names if given[name] is not None}
    found = _table(given).suggest_max_groups(*given["by"], **typed)
    data = {"best": found.best, "choices": found.to_rows(), "receipt": found.receipt.to_dict()}
    show([found.sheet], data, as_json=given["as_json"])
    say_uncounted(given)


def _suggest_bounds(given: dict[str, Any]) -> None:
    from click.core import ParameterSource

    for name in ("planned", "delta", "noise", "group_size"):
        if click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise click.UsageError(f"--{name.replace('_', '-')} is for --max-groups, and not for --bounds")
    asked = {"epsilon": given["epsilon"], "sums": given["sums"]}
    found = _table(given).suggest_bounds(given["column"], *given["by"], **asked)
    low, high = (None if end is None else float(end) for end in (found.low, found.high))
    data = {"low": low, "high": high, "bins": found.to_rows(), "receipt": found.receipt.to_dict()}
    show([found.sheet], data, as_json=given["as_json"])
    say_uncounted(given)


@click.command(short_help="Show what was spent, and what is left; or make the books.")
@click.argument("path", type=_PATH, required=False)  # Or a table of the project, whose books they are.
@click.option("--create", is_flag=True, help="Make the books, with a budget of --epsilon and --delta.")
@click.option("--epsilon", help="The whole budget's epsilon, with --create or --compare.")
@click.option("--delta", help="The whole budget's delta, with --create or --compare; 0 unless given.")
@click.option("--accountant", help="How charges add up, with --create: adaptive, plain or zcdp, for Gaussian noise.")
@click.option("--release-delta", help="The part of delta for the releases' own, with --create; half, unless plain.")
@click.option(
    "--period", metavar="EVERY:EPSILON[:DELTA]", help="A budget for each month, say, from --start; with --create."
)
@click.option("--start", metavar="DAY", help="The first day of the first --period, such as 2026-11-01.")
@click.option(
    "--analyst", "analysts", multiple=True, metavar="NAME=EPSILON[:DELTA]", help="What one analyst may spend."
)
@click.option("--answers", help="Where kept answers are, with --create: inside the books, beside them, or none.")
@click.option("--who", help="Show what one person spent, and may spend; with an act such as --void, who acts.")
@click.option("--compare", is_flag=True, help="Show how often each --release would fit, by each accountant.")
@click.option("--release", "releases", multiple=True, help="EPSILON[:GROUPS[:DELTA]], or gaussian:...; with --compare.")
@click.option("--reserve", type=_PATH, help="Reserve the questions of a file: one a line, as in: 12 count FILE ...")
@click.option("--entry", type=int, help="Show one entry whole, with its receipt.")
@click.option("--why", type=int, help="Show why an entry costs what it costs: the theorems, and the numbers.")
@click.option("--verify", is_flag=True, help="Check every digest, every cost, and the accountant's numbers first.")
@click.option("--out", type=_PATH, help="Write all that the books say to this file: .json, or the entries as .csv.")
@click.option(
    "--html", type=_PATH, help="Write the books as a page to this file, for a browser: spent by whom and when."
)
@click.option("--void", type=int, help="Take this charge back, on the record; with --reason.")
@click.option("--reason", help="Why a charge is taken back, with --void.")
@click.option("--unseen", is_flag=True, help="Confirm that nobody saw its answer, with --void, unless it failed.")
@JSON
def budget(
    path: str | None,
    create: bool,
    epsilon: str | None,
    delta: str | None,
    accountant: str | None,
    release_delta: str | None,
    period: str | None,
    start: str | None,
    analysts: tuple[str, ...],
    answers: str | None,
    who: str | None,
    compare: bool,
    releases: tuple[str, ...],
    reserve: str | None,
    entry: int | None,
    why: int | None,
    verify: bool,
    out: str | None,
    html: str | None,
    void: int | None,
    reason: str | None,
    unseen: bool,
    as_json: bool,
) -> None:
    """Show what was spent, on what and when, and what is left; or make the books; or take a charge back.

    \b
    discreet budget budget.db --create --epsilon 3 --delta 1e-5
    discreet budget team.db --create --epsilon 9 --analyst ana=2
    discreet budget y.db --create --epsilon 9 --period month:1 --start 2026-11-01
    discreet budget budget.db --who ana
    discreet budget budget.db
    discreet budget budget.db --reserve plan.txt
    discreet budget budget.db --entry 1
    discreet budget budget.db --why 1
    discreet budget budget.db --verify --out books.csv --html books.html
    discreet budget budget.db --void 1 --unseen --reason "the disk was full"
    discreet budget --compare --epsilon 3 --delta 5e-6 --release 0.02
    """
    from discreet import Ledger
    from discreet.cli.books import book_page, entry_page, facts_page, limits_of, period_of, typed_as
    from discreet.pages.books import account_of
    from discreet.pages.timeline import timeline_page

    if compare or releases:
        if path is not None or create or not (compare and releases and epsilon and delta):
            raise click.UsageError("--compare needs --epsilon, --delta and --release, and no PATH")
        return _compare(epsilon, delta, releases, as_json)
    if path is None:
        raise click.UsageError("Missing argument 'PATH'")
    path = books_of(path)
    made: dict[str, Any] = {"delta": delta, "accountant": accountant, "release_delta": release_delta}
    made |= {"answers": answers, "period": period_of(period, start)}
    _check_made(create, epsilon, made)
    _check_alone(create, entry, why, out or html, void, reason, unseen, reserve)
    if html is not None:
        _check_page(html, path, entry, why)
    limits, acts = limits_of(analysts), bool(analysts) or void is not None or reserve is not None
    named: Any = limits if create and limits else None
    with Ledger(path, epsilon=epsilon, **made, analysts=named, who=who if acts else None) as book:
        path = book.path if isinstance(book.path, str) else path  # A URL is shown without its password.
        if verify:
            book.verify()
        if out is not None:
            book.save(out)
        if void is not None and reason is not None:
            book.void(void, reason=reason, unseen=unseen)
        for name, (most, own) in ({} if create else limits).items():
            with typed_as(f"--analyst {name}={most}"):
                book.set_limit(name, epsilon=most, delta=own)
        done = ["Every digest, every cost and the accountant's numbers are right."] * verify
        done += _early(made["period"])
        if reserve is not None:
            from discreet.cli.plans import reserved

            done += reserved(book, path, reserve)
        if why is not None:
            names, texts = (column.values for column in book.why(why).columns)
            pairs = [[name, text] for name, text in zip(names, texts, strict=True)]
            return show([*facts_page(f"{path}: entry {why}", pairs), *done], {"why": pairs}, as_json=as_json)
        books = book.to_dict()
        done += _divided(books) if create else []
    if who is not None and not acts:
        books, path = account_of(books, who), f"{path}, {who}"
    if entry is None:
        done += [f"{out}: {plural(len(books['entries']), 'entry', 'entries')}"] if out is not None else []
        sheet = book_page(path, books)
        page = with_page(html, timeline_page(path, books, sheet).to_html, [sheet, *done], {"path": path, **books})
        return show(*page, as_json=as_json)
    return show([*entry_page(path, books["entries"], entry), *done], books["entries"][entry - 1], as_json=as_json)


def _compare(epsilon: str, delta: str, releases: tuple[str, ...], as_json: bool) -> None:
    from discreet.accounting import compare
    from discreet.cli.books import compared_page, release_event

    table = compare(epsilon=epsilon, delta=delta, releases={text: release_event(text) for text in releases})
    show([compared_page(epsilon, delta, table)], {"allowed": table}, as_json=as_json)


def _early(period: Period | None) -> list[str]:
    """Say which period counts now, where the first has not begun."""
    if period is None or period.start <= datetime.now(UTC).date():
        return []
    return [f"--start {period.start} is to come: what is charged before counts in the first {period.every}."]


def _divided(books: Mapping[str, Any]) -> list[str]:
    """Say what delta is divided into, where it is."""
    from discreet.exact import read_in_full, written

    own, whole = books["terms"].get("release_delta"), books["budget"]["delta"]
    if own in (None, whole):
        return []
    part, of = (written(read_in_full(x), up=False) for x in (own, whole))
    return [f"Of delta {of}, {part} is for the releases' own deltas; the rest lets more releases fit."]


def _check_made(create: bool, epsilon: str | None, made: Mapping[str, Any]) -> None:
    if create and epsilon is None:
        raise click.UsageError("--create needs --epsilon, the whole budget")
    if not create and {epsilon, *made.values()} != {None}:
        need = "--epsilon, --delta, --accountant, --release-delta, --period and --answers make a budget: add --create"
        raise click.UsageError(need)


def _check_alone(
    create: bool,
    entry: int | None,
    why: int | None,
    out: str | None,
    void: int | None,
    reason: str | None,
    unseen: bool,
    reserve: str | None,
) -> None:
    if (void is None) is not (reason is None) or (void is None and unseen):
        raise click.UsageError("--void needs --reason, and --reason and --unseen need --void")
    if void is not None and (create or {entry, why, out} != {None}):
        raise click.UsageError("--void goes with --reason and --verify alone")
    if None not in (entry, why):
        raise click.UsageError("--entry and --why are two pages: give one of them")
    if reserve is not None and {void, entry, why} != {None}:
        raise click.UsageError("--reserve is a charge of its own: leave --void, --entry and --why away")


def _check_page(html: str, path: str, entry: int | None, why: int | None) -> None:
    from discreet.files import checked_page

    if (entry, why) != (None, None):
        raise click.UsageError("--html is a page of the whole books: leave --entry and --why away")
    if checked_page(html).resolve() == Path(path).resolve():
        raise click.UsageError(f"--html {html}: need another file than the books themselves")


def _check_rows(given: dict[str, Any]) -> None:
    if given["rounds"] is not None and given["rows"]:
        raise click.UsageError("--rounds is for people, and not for --rows")
    if given["max_rows"] is not None and not given["rows"]:
        raise click.UsageError("--max-rows needs --rows")


def _check_by(given: dict[str, Any]) -> None:
    if not given["by"]:
        raise click.UsageError("need --by COLUMN: the groups to list")


def _bounded(kind: type[Value], spec: str, given: dict[str, Any]) -> Aggregate:
    """Return the sum or mean that is typed as COLUMN:LOW:HIGH, or as a COLUMN whose bounds the project says."""
    if spec in given.get("bounds", {}):
        return kind(spec, *given["bounds"][spec])
    column, *bounds = spec.rsplit(":", 2)
    if len(bounds) != 2:
        raise click.UsageError(f"--{kind.kind} {spec}: need COLUMN:LOW:HIGH, such as amount:0:100")
    return kind(column, *bounds)


def check_bounds(given: dict[str, Any]) -> None:
    """Raise where a bound was not typed."""
    for name in ("low", "high"):
        if given[name] is None:
            _check_column(given)
            known = "what is known without the data: values beyond it count as that"
            learn = "auto, to learn it from a part of epsilon; `discreet suggest --bounds COLUMN` suggests some"
            raise click.UsageError(f"Missing option '--{name}': {known}, or bounds in discreet.toml; or {learn}")


def _check_column(given: dict[str, Any]) -> None:
    """Raise where the column is misspelt: then bounds are missing because they are another's."""
    from discreet.tables.query import check_columns

    table = None
    with suppress(Exception):  # What else is wrong is told in its turn.
        table = _table(given)
    if table is not None:
        check_columns("column", (given["column"],), table._ibis)


def publish(given: dict[str, Any], question: str, *asked: Any, **more: Any) -> None:
    """Ask a table a question, and write or print the answer. The places for it are tried before it is paid for."""
    from discreet.disclosure import sign
    from discreet.intervals import checked_confidence

    _check_places(given)
    if given["confidence"] is not None:
        checked_confidence(given["confidence"])
    answer: Answer = getattr(_asked(given, question), question)(*asked, **_numbers(given), **more)
    answer = answer if given["confidence"] is None else answer.with_confidence(given["confidence"])
    try:
        if given["out"] not in (None, "-"):
            answer.save(given["out"], safe_csv=given["safe_csv"])
        if given["html"] is not None:
            answer.to_html(given["html"])
            if given["sign"] is not None:
                sign(Path(given["html"]), given["sign"])
        if given["disclosure"] is not None:
            answer.disclosure().save(given["disclosure"], key=given["sign"])
    except BaseException:
        as_json = given["as_json"]
        show(*_whole(answer, as_json), as_json=as_json)  # It is paid for, and must not be lost with the disk.
        raise
    try:
        if given["out"] == "-":
            _print(answer, safe_csv=given["safe_csv"])
        else:
            show(*with_page(given["html"], lambda _: None, *_shown(answer, given)), as_json=given["as_json"])
        sys.stdout.flush()
    except BrokenPipeError:  # Whoever reads has seen enough.
        raise
    except OSError:
        click.echo(answer.to_text(None), err=True)  # As above: where errors go there may be room.
        raise
    say_uncounted(given)
    say_unkept(given, answer)


def _shown(answer: Answer, given: dict[str, Any]) -> tuple[Iterable[Part], dict[str, Any]]:
    """Return the answer, or where it is, as a page and as plain values."""
    if given["out"] is None:
        return _whole(answer, given["as_json"])
    parts = [f"{given['out']}: {plural(len(answer), 'group')}; {answer.receipt.paid}", *answer.remarks]
    return parts, {"out": given["out"], "groups": len(answer), "receipt": answer.said}


def _whole(answer: Answer, as_json: bool) -> tuple[Iterable[Part], dict[str, Any]]:
    """Return an answer as a page or, for JSON, as plain values."""
    from discreet.tables.files import jsonable

    if not as_json:
        return [answer.sheet], {}
    rows = [{name: jsonable(value) for name, value in row.items()} for row in answer]
    return [], {"rows": rows, "receipt": answer.said}


def _print(answer: Answer, *, safe_csv: bool) -> None:
    """Print the answer as CSV, and beside it, where errors go, what is to be said of it."""
    from discreet.tables.files import print_csv

    print_csv(answer.to_arrow(), safe_csv=safe_csv)
    for text in (f"{plural(len(answer), 'group')}; {answer.receipt.paid}", *answer.remarks):
        click.echo(text, err=True)


def _check_places(given: dict[str, Any]) -> None:
    from discreet.disclosure import check_signer
    from discreet.files import checked_page, checked_place
    from discreet.tables.files import checked_target, receipt_path

    if given["out"] == "-" and given["as_json"]:
        raise click.UsageError("--out - prints CSV, and --json prints JSON: give one of them")
    if given["safe_csv"] and Path(given["out"] or "").suffix.lower() != ".csv" and given["out"] != "-":
        raise click.UsageError("--safe-csv needs --out FILE.csv, or --out -")
    places = [
        (name, check(given[name]))
        for name, check in (("out", checked_target), ("html", checked_page))
        if given[name] is not None and (name, given[name]) != ("out", "-")
    ]
    if given["disclosure"] is not None:
        places.append(("disclosure", checked_place(given["disclosure"], (".json", ".jsn"))))
    if given["sign"] is not None:
        targets = [place for name, place in places if name != "out"]
        if not targets:
            raise click.UsageError("--sign needs --disclosure or --html: that is what is signed")
        for place in targets:
            check_signer(given["sign"], place)
    if len({place.resolve() for _, place in places}) < len(places):
        raise click.UsageError("--out, --html and --disclosure: need a file each")
    sources = [*glob.glob(given["file"], recursive=True), given["file"], given["ledger"], given["keys"]]  # noqa: PTH207
    taken = {Path(source).resolve() for source in sources if source is not None}
    for name, place in places:
        if {place.resolve(), receipt_path(place).resolve()} & taken:
            raise click.UsageError(f"--{name} {place}: need another file than those that are read")


def explained(name: str, given: dict[str, Any]) -> Explanation | KeysExplanation:
    """Return what can be said of a question before it is asked; its *name* is that of the command."""
    from discreet.tables import Mean, People, Rows, Sum
    from discreet.tables.table import people_weights

    if name == "keys":
        _check_by(given)
        found: KeysExplanation = _table(given).group_by(*given["by"]).explain_keys(**_numbers(given))
        return found
    asked: Sequence[Aggregate]
    weights: Mapping[str, Any] | None
    if name == "release":
        asked, weights = _several(given), _weights(given)
    elif name == "count":
        _check_rows(given)
        asked, weights = [Rows(given["max_rows"] or 1) if given["rows"] else People()], None
    else:
        check_bounds(given)
        value = (Sum if name == "sum" else Mean)(given["column"], given["low"], given["high"], given["grid"])
        asked, weights = [value], people_weights(given["people_share"], value.label)
    return explained_of(given, name, asked, weights)


def explained_of(
    given: dict[str, Any], name: str, asked: Sequence[Aggregate], weights: Mapping[str, Any] | None
) -> Explanation:
    """Return what can be said of some aggregates before they are asked for."""
    names = ("epsilon", "margin", "delta", "max_groups", "left_out", "noise", "rounds")
    numbers = {each: given[each] for each in names if given.get(each) is not None}
    said: Explanation = _asked(given, name).explain(*asked, **numbers, weights=weights)
    return said


def _explain(name: str, given: dict[str, Any]) -> None:
    """Explain what a question would give."""
    say_explained(explained(name, given), given)


def say_explained(said: Explanation | KeysExplanation, given: dict[str, Any]) -> None:
    """Print an explanation."""
    names = ("question", "guarantee", "chosen", "notes")
    data = {each: getattr(said, each) for each in names if hasattr(said, each)} | {"receipt": said.receipt.to_dict()}
    options = getattr(said, "to_options", None)
    rows = {"needed": said.to_rows()} if options is None else {"choices": said.to_rows(), "options": options()}
    show([said.sheet], data | rows, as_json=given["as_json"])


def _several(given: dict[str, Any]) -> list[Aggregate]:
    """Return what is asked for at once."""
    from discreet.tables import Distinct, Mean, People, Ratio, Rows, StandardDeviation, Sum, Variance

    asked: list[Aggregate] = [People()] if given["people"] else []
    asked += [] if given["rows"] is None else [Rows(given["rows"])]
    for spec in given["distincts"]:
        column, _, most = spec.rpartition(":")
        if not (column and re.fullmatch("[0-9]+", most)):
            raise click.UsageError(f"--distinct {spec}: need COLUMN:MOST, such as product:3")
        asked.append(Distinct(column, int(most)))
    kinds: dict[str, Any] = {"sums": Sum, "means": Mean, "variances": Variance, "deviations": StandardDeviation}
    asked += [_bounded(kind, spec, given) for name, kind in kinds.items() for spec in given[name]]
    for spec in given["ratios"]:
        parts = spec.split("/")
        if len(parts) != _PAIR:
            raise click.UsageError(f"--ratio {spec}: need SUM/SUM, such as cost:0:100/hours:0:24, or cost:0:100/people")
        asked.append(Ratio(*(People() if part == "people" else _bounded(Sum, part, given) for part in parts)))
    if not asked:
        sorts = "--people, --rows, --distinct, --sum, --mean, --variance, --deviation, --ratio"
        raise click.UsageError(f"need at least one of {sorts}")
    return asked


def _weights(given: dict[str, Any]) -> dict[str, str] | None:
    return _pairs(given["weights"], "weight", "NAME=NUMBER, such as people=2")


def _asked(given: dict[str, Any], question: str) -> Any:
    """Return the table, in groups where there are some: what is asked the question."""
    if not given["by"]:
        names = ["max_groups", "delta", "noise", "rounds", "key", "keys", "bins", "null"]
        names += ["people_share"] if question == "sum" else []
        for name in names if question == "count_rows" else [*names, "left_out"]:
            if given.get(name) not in (None, ()) and given[name] is not False:
                raise click.UsageError(f"--{name.replace('_', '-')} needs --by: without groups there is no use for it")
        return _table(given)
    texts = _texts(given)
    table = _table(given)
    if given["bins"]:
        return _binned(table, given)
    if texts is None:
        return table.group_by(*given["by"])
    return table.group_by(*given["by"], keys=table.typed_keys(*given["by"], texts=texts, null=given["null"]))


def _binned(table: Any, given: dict[str, Any]) -> Any:
    """Return the table in groups of all bins; a column that has none has the keys that are typed as COLUMN=KEY."""
    groups = table.group_by(*given["by"])
    typed: dict[str, list[str]] = {}
    for text in given["key"]:
        name = max((name for name in groups.by if text.startswith(f"{name}=")), key=len, default=None)
        if name is None:
            columns = " or ".join(shlex.quote(f"{name}=KEY") for name in groups.by)
            raise click.UsageError(f"--key {text}: beside --bins, need --key {columns}")
        typed.setdefault(name, []).append(text[len(name) + 1 :])
    binned = {each.name for each in groups.table.derived if each.values is not None}
    for name in groups.by:
        if name not in typed and name not in binned:
            bins = "bins, as in 'age by 10 from 0 to 100', CASE or map(...)"
            keys = f"--key {shlex.quote(f'{name}=KEY')} for each of its keys"
            raise click.UsageError(f"--bins: {name!r} has no known bins: need {keys}, or {bins}")
    read = {name: groups.table.typed_keys(name, texts=texts, null=given["null"]) for name, texts in typed.items()}
    return table.group_by(*given["by"], keys=dict.fromkeys(groups.by, "bins") | read)


def _table(given: dict[str, Any]) -> Any:
    """Return the table that a command is about, with the books that it is charged to."""
    from discreet.tables import Table
    from discreet.tables.texts import SUFFIXES

    if bool(given["person"]) is given["each_row"]:
        raise click.UsageError("need --person COLUMN, or --each-row where each row is a person of its own")
    ledger: Ledger | Reservation | None = None
    if given.get("ledger") is not None:
        from discreet import Ledger

        book = Ledger(given["ledger"], who=given.get("who"))
        ledger = book if given.get("plan") is None else _reservation(book, given["plan"])
    else:
        for name, why in _OF_BOOKS.items():
            if given.get(name):
                option = "data-version" if name == "version" else name
                raise click.UsageError(f"--{option} needs --ledger: {why}")
    types = _pairs(given["types"], "type", "COLUMN=TYPE, such as year=integer")
    again = {name: given[name] for name in ("version", "fresh") if given.get(name) not in (None, False)}
    if again == {"fresh": True}:
        raise click.UsageError("--fresh needs --data-version: without one, each question is asked anew")
    person, place = given["person"] or None, given["table"]
    columns = {path: _columns(path, given) for path in given["people_files"]}
    theirs = {name for names in columns.values() for name in names} - {*given["person"]}
    own = {name: kind for name, kind in (types or {}).items() if name not in theirs} or None
    with said_in(given):
        table = Table(given["file"], person=person, ledger=ledger, table=place, types=own, **again)
    for spec in given["joins"]:
        public, _, column = spec.rpartition(":")
        if not public:
            raise click.UsageError(f"--join {spec}: need FILE:COLUMN, such as regions.csv:postcode")
        table = table.join(public, on=column)
    for path, names in columns.items():
        said = types or {} if Path(path).suffix.lower() in SUFFIXES else {}  # Parquet has types of its own.
        kinds = {name: kind for name, kind in said.items() if name in names} or None
        table = table.join(Table(path, person=person, types=kinds, **again))
    return table if given["where"] is None else table.where(given["where"])


def _columns(path: str, given: dict[str, Any]) -> set[str]:
    """Return the columns of a file about people, of which --type may say the types; raise where it lacks the person."""
    from discreet.tables import Table

    if given["each_row"]:
        raise click.UsageError("--join-people needs --person COLUMN, by which the files are joined")
    return {*Table(path, person=given["person"])._ibis.columns}


def _reservation(book: Ledger, number: int) -> Reservation:
    from discreet.errors import ParameterError

    try:
        return book.reservation(number)
    except ParameterError as error:
        raise click.UsageError(str(error).replace("number=", "--plan ", 1)) from None


def _pairs(typed: Iterable[str], option: str, need: str) -> dict[str, str] | None:
    """Return what was typed as NAME=VALUE; None where there is nothing."""
    pairs = [text.rpartition("=") for text in typed]
    for name, sign, value in pairs:
        if not (name and sign and value):
            raise click.UsageError(f"--{option} {name}{sign}{value}: need {need}")
    return {name: value for name, _, value in pairs} or None


def _numbers(given: dict[str, Any]) -> dict[str, Any]:
    """Return the numbers, and the noise, that were typed, as they were typed: the library reads them exactly."""
    names = ("epsilon", "delta", "max_groups", "max_rows", "low", "high", "grid", "people_share", "left_out", "rounds")
    return {name: given[name] for name in (*names, "noise") if given.get(name) is not None}


def _texts(given: dict[str, Any]) -> list[str] | None:
    """Return the known keys that were typed, or are in a file; None where the groups are private."""
    if given["bins"] and given["keys"]:
        raise click.UsageError("--bins: leave --keys away; a column without bins has --key COLUMN=KEY")
    if given["null"] is not None and not (given["key"] or given["keys"]):
        raise click.UsageError("--null needs --key or --keys: it says which of them is the missing one")
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
