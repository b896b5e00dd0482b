"""The demo: both jobs, end to end, on people who were invented a moment before.

Because they are invented, the demo may do what nothing else here does: look at the truth and show it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any, Final, final

import click

from discreet.cli.show import Grid, Part, Title, figure, plural, show
from discreet.errors import BudgetError, ParameterError
from discreet.exact import whole
from discreet.exact import written as amount
from discreet.progress import Waiting

if TYPE_CHECKING:
    from discreet.ledger import Ledger
    from discreet.survey import Estimates, Survey
    from discreet.tables import Answer

__all__ = ["Demo", "demo", "make"]

_MARK: Final = "MADE-BY-DISCREET-DEMO.txt"
_MARKED: Final = "`discreet demo` made this folder, and makes it anew each time. Keep nothing else here.\n"
_FILES: Final = (
    *("budget.db", "events.parquet", "people-by-city.parquet", "people-by-city.html", "spent-by-month.parquet"),
    *("spent-by-month.html", "answers.parquet", "survey.json", "randomized.parquet", "box.json", "survey.html"),
)
_LONELY: Final = "Little Snoring"
_CITIES: Final = (
    "London Paris Madrid Berlin Rome Vienna Hamburg Warsaw Budapest Barcelona Munich Milan Prague Sofia Brussels "
    "Birmingham Cologne Naples Stockholm Turin Marseille Amsterdam Zagreb Valencia Leeds Frankfurt Krakow Seville "
    "Palermo Rotterdam Athens Helsinki Stuttgart Riga Glasgow Dortmund Essen Genoa Gothenburg Lisbon"
)
_STARTS: Final = "Bel Cor Dun El Fal Gran Hav Kil Lor Mon Nor Ost Pol Quin Ros San Tor Ul Val Wes"
_MIDDLES: Final = "a e i o u ai or an el in"
_ENDS: Final = "berg bury dale field ford gate ham hill holm ley mouth stead thorpe ton vale wick wold worth"
_QUESTIONS: Final[dict[str, tuple[tuple[str, int], ...]]] = {
    "commute": (("on foot", 18), ("bicycle", 12), ("bus", 21), ("train", 17), ("car", 28), ("none", 4)),
    "smokes": (("never", 61), ("sometimes", 14), ("daily", 19), ("no answer", 6)),
}
"""Each choice, and how many of a hundred people give it."""
_MONTHS: Final = range(1, 13)
_AWAY: Final = 0.06
"""How often a person is elsewhere."""
_INVENTION: Final = f"""
CREATE MACRO uniform(x, stream) AS ((hash(x * 16 + stream) >> 11) / 9007199254740992.0);
CREATE MACRO zipf(u, n) AS least(floor(pow(n + 1, u))::BIGINT - 1, n - 1);
CREATE TABLE events AS
WITH people AS (SELECT i, floor($people * uniform(i, 0))::BIGINT AS person_id FROM range($rows) t(i)),
haunts AS (
    SELECT i, person_id, -1 - 3 * person_id - if(uniform(i, 1) < {_AWAY}, 1 + i % 2, 0) AS haunt FROM people
)
SELECT person_id, city, 1 + floor(12 * uniform(i, 3))::INTEGER AS month,
    round(least(4 - 24 * ln(1 - uniform(i, 4)), 400), 2) AS amount
FROM haunts JOIN names ON place = zipf(uniform(haunt, 2), $cities)
UNION ALL
SELECT $people, $lonely, 1 + i::INTEGER, 10.0 FROM range(3) t(i)
ORDER BY month, person_id, city, amount
"""  # noqa: S608  Nothing in it comes from elsewhere.


@final
@dataclass(frozen=True)
class Demo:
    """What the demo did: the answers, the truth beside them, and where everything is."""

    folder: Path
    rows: int
    people: int
    asked: int
    cities: Answer
    cities_true: dict[str, int]
    months: Answer
    months_true: dict[int, float]
    estimates: Estimates
    shares_true: dict[str, dict[str, float]]
    survey_loss: float
    refusal: str
    left: tuple[Any, Any]
    seconds: dict[str, float]

    @property
    def files(self) -> list[str]:
        """The files in the folder that the demo made."""
        return [name for name in _FILES if (self.folder / name).exists()]

    def to_dict(self) -> dict[str, Any]:
        """Return the figures as plain values, for JSON."""
        counts = {key[0]: count for key, count in zip(self.cities.keys, self.cities.columns["people"], strict=True)}
        sums = {str(key[0]): x for key, x in zip(self.months.keys, self.months.columns["sum"], strict=True)}
        return {
            "folder": str(self.folder),
            "files": self.files,
            "rows": self.rows,
            "people": self.people,
            "cities": {"published": counts, "true": self.cities_true},
            "months": {"published": sums, "true": {str(key): value for key, value in self.months_true.items()}},
            "survey": {"people": self.asked, "estimates": self.estimates.to_rows(), "true": self.shares_true},
            "left": {"epsilon": str(self.left[0]), "delta": str(self.left[1])},
            "seconds": self.seconds,
        }


@click.command("demo", short_help="See both jobs at work, on invented people.")
@click.option("--folder", type=click.Path(), default="demo", show_default=True, help="Where to write everything.")
@click.option("--rows", type=int, default=1_000_000, show_default=True, help="How many rows the table has.")
@click.option("--people", type=int, default=10_000, show_default=True, help="How many people are asked.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def demo(folder: str, rows: int, people: int, as_json: bool) -> None:
    """Do both jobs end to end on invented people, and compare with the truth, which only a demo may do.

    \b
    discreet demo
    discreet demo --folder /tmp/demo --rows 100000
    """
    made = make(folder, rows=rows, people=people)
    show(_page(made), made.to_dict(), as_json=as_json)


def make(folder: str | Path = "demo", *, rows: int = 1_000_000, people: int = 10_000) -> Demo:
    """Invent a table of *rows* and a survey of *people*, publish and ask, and leave all of it in a folder.

    A folder that the demo made is made anew; any other must be empty.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     done = make(folder, rows=20_000, people=500)
    ...     "Little Snoring" in done.cities_true, ("Little Snoring",) in done.cities.keys
    (True, False)
    """
    from discreet.ledger import Ledger

    count, asked = whole(rows, "rows", least=1000), whole(people, "people", least=100)
    place = _prepared(Path(folder))
    clock = _Clock()
    crowd = max(count // 10, 100)
    with Waiting(f"inventing {count:,} rows"):
        truth = clock("invent", lambda: _invent(place, count, crowd))
    with Ledger(place / "budget.db", epsilon=3, delta="1e-5") as book:
        cities, months = clock("publish", lambda: _publish(place, book))
        refusal = _refused(place, book)
        left = book.left
    shares = _invent_answers(place, asked)
    survey, estimates = clock("ask", lambda: _ask(place))
    return Demo(
        folder=place,
        rows=count,
        people=crowd + 1,
        asked=asked,
        cities=cities,
        cities_true=truth[0],
        months=months,
        months_true=truth[1],
        estimates=estimates,
        shares_true=shares,
        survey_loss=survey.privacy_map(1),
        refusal=refusal,
        left=left,
        seconds=clock.seconds,
    )


class _Clock:
    """How long each part took."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    def __call__(self, name: str, work: Callable[[], Any]) -> Any:
        start = time.perf_counter()
        try:
            return work()
        finally:
            self.seconds[name] = round(time.perf_counter() - start, 2)


def _prepared(folder: Path) -> Path:
    """Return an empty folder. Only what a demo made is removed: a real ledger must never be."""
    if folder.exists() and not folder.is_dir():
        raise ParameterError("folder", str(folder), "a folder, or a place for one")
    if folder.is_dir() and any(folder.iterdir()) and not (folder / _MARK).is_file():
        raise ParameterError("folder", str(folder), "a folder that is empty, or that the demo made: --folder OTHER")
    folder.mkdir(exist_ok=True)
    (folder / _MARK).write_text(_MARKED, encoding="utf-8")
    for name in _FILES:
        (folder / name).unlink(missing_ok=True)
    return folder


def _names() -> list[str]:
    """Return names of towns, the largest first: some that exist, and some thousand that hardly do."""
    made = [f"{a}{b}{c}" for c in _ENDS.split() for b in _MIDDLES.split() for a in _STARTS.split()]
    return list(dict.fromkeys([*_CITIES.split(), *made]))


def _invent(folder: Path, rows: int, people: int) -> tuple[dict[str, int], dict[int, float]]:
    """Write a table of events, and return the truth about it. The same rows give the same table.

    A person lives in one city, is mostly there, and sometimes in one of two others. Cities are as large as in Zipf's
    law, so that many are tiny; in one of them there is a single person.
    """
    import duckdb
    import pyarrow as pa

    names, target = _names(), str(folder / "events.parquet")
    numbers = {"people": people, "rows": rows - 3, "cities": len(names), "lonely": _LONELY}
    with duckdb.connect() as base:
        base.register("names", pa.table({"place": list(range(len(names))), "city": names}))
        base.execute(_INVENTION, numbers)
        base.execute(f"COPY events TO '{target.replace(chr(39), chr(39) * 2)}' (FORMAT parquet)")
        cities = base.execute("SELECT city, count(DISTINCT person_id) FROM events GROUP BY city").fetchall()
        months = base.execute("SELECT month, sum(amount) FROM events GROUP BY month ORDER BY month").fetchall()
    return dict(cities), dict(months)


def _publish(folder: Path, book: Ledger) -> tuple[Answer, Answer]:
    """Publish people per city, the list of cities private, and what was spent each month."""
    from discreet.tables import Table

    events = Table(folder / "events.parquet", person="person_id", ledger=book)
    cities = events.group_by("city").count_people(epsilon=1, delta="1e-6", max_groups="auto")
    months = events.group_by("month", keys=_MONTHS).sum("amount", low=0, high=400, epsilon=1, max_groups=12)
    for answer, name in ((cities, "people-by-city"), (months, "spent-by-month")):
        answer.save(folder / f"{name}.parquet")
        answer.to_html(folder / f"{name}.html")
    return cities, months


def _refused(folder: Path, book: Ledger) -> str:
    """Ask for more than is left, and return what the books say."""
    from discreet.tables import Table

    try:
        Table(folder / "events.parquet", person="person_id", ledger=book).count_people(epsilon=2)
    except BudgetError as error:
        return str(error)
    raise AssertionError("the books let more be spent than there is")  # pragma: no cover


def _invent_answers(folder: Path, people: int) -> dict[str, dict[str, float]]:
    """Write what people would answer, and return the true shares."""
    import pyarrow as pa
    from pyarrow import parquet

    columns: dict[str, list[str]] = {}
    for step, (question, choices) in zip(
        (37, 53), _QUESTIONS.items(), strict=True
    ):  # Without a common divisor with 100.
        hundred = [choice for choice, share in choices for _ in range(share)]
        columns[question] = [hundred[i * step % 100] for i in range(people)]
    parquet.write_table(pa.table(columns), folder / "answers.parquet")
    return {name: {each: given.count(each) / people for each, _ in _QUESTIONS[name]} for name, given in columns.items()}


def _ask(folder: Path) -> tuple[Survey, Estimates]:
    """Randomize everyone's answers, collect them, and estimate from the noise alone."""
    from discreet.survey import Boxes, Question
    from discreet.survey import Survey as Asked

    questions = [Question(name, [choice for choice, _ in choices]) for name, choices in _QUESTIONS.items()]
    survey = Asked(questions, epsilon=3)
    survey.save(folder / "survey.json")
    survey.perturb_file(folder / "answers.parquet", folder / "randomized.parquet")
    survey.collect(folder / "randomized.parquet").save(folder / "box.json")
    estimates = Boxes.load(folder / "box.json").estimate()
    estimates.to_html(folder / "survey.html")
    return survey, estimates


def _held(made: Demo) -> str:
    """Say how many of the cities' intervals hold the truth."""
    ends = zip(made.cities.keys, *made.cities.interval("0.95"), strict=True)
    held = sum(low <= made.cities_true[key[0]] <= high for key, low, high in ends)
    return f"{held:,} of their {len(made.cities):,} intervals hold the truth."


def _page(made: Demo) -> Iterator[Part]:
    """Give what happened in a screenful."""
    from discreet.figures import interval_text

    seconds = made.seconds
    yield Title(
        f"Publish tables: {made.rows:,} rows of {made.people:,} people, in {len(made.cities_true):,} cities",
        f"{seconds['publish']:.1f} s",
    )
    low, high = made.cities.interval("0.95")
    found = {key[0]: i for i, key in enumerate(made.cities.keys)}
    largest = sorted(found, key=lambda city: -made.cities_true[city])
    rows = []
    for city in dict.fromkeys([*largest[:4], *largest[len(largest) // 2 :][:1], *largest[-1:]]):
        i, true = found[city], made.cities_true[city]
        noisy = made.cities.columns["people"][i]
        rows.append([city, f"{noisy:,}", f"{figure(low[i])} to {figure(high[i])}", f"{true:,}", f"{noisy - true:+,}"])
    rows.append([_LONELY, "absent", "", f"{made.cities_true[_LONELY]:,}", ""])
    yield Grid(
        ["people by city", "published", "95 % noise interval", "truth", "off by"],
        rows,
        "trrrr",
        frozenset({len(rows) - 1}),
    )
    least = min((made.cities_true[city] for city in found), default=0)
    yield (
        f"{len(found):,} cities are published, the smallest of {plural(least, 'person', 'people')}. "
        f"{_LONELY} has one person in it and is not there: its chance to be is below one in a million. "
        f"{_held(made)}"
    )
    if made.cities.bias is not None:
        yield made.cities.bias
    total, true_total = sum(made.months.columns["sum"]), sum(made.months_true.values())
    yield f"Spent in all months: {total:,.0f}; the truth is {true_total:,.0f}. A person counts for 400 a month at most."
    yield (
        f"Both cost epsilon 2 of 3. One more question, for 2, was refused and cost nothing: epsilon "
        f"{amount(made.left[0], up=False)} and delta {amount(made.left[1], up=False)} are left."
    )
    yield ""
    yield Title(
        f"Ask people: {made.asked:,} people, two questions, epsilon {figure(made.survey_loss)} in all",
        f"{seconds['ask']:.1f} s",
    )
    rows = []
    inside = []
    for name, estimate in made.estimates.items():
        for share in estimate.values():
            there = made.shares_true[name][share.choice]
            inside.append(share.low <= there <= share.high)
            ends = f"{interval_text(100 * share.low, 100 * share.high, decimals=1)} %"
            rows.append([name, share.choice, f"{100 * share.share:.1f} %", ends, f"{100 * there:.1f} %"])
    yield Grid(["question", "answer", "estimated", "95 % interval", "truth"], rows, "ltrrr")
    yield f"{sum(inside)} of {len(inside)} intervals hold the truth. No one's own answer was ever collected."
    yield ""
    pages = [name for name in made.files if name.endswith(".html")]
    yield Title(f"All of it is in {made.folder}/")
    yield f"Open in a browser: {', '.join(str(made.folder / name) for name in pages)}"
    yield f"Look at the books: {_command()} budget {made.folder / 'budget.db'}"


def _command() -> str:
    """Return how this shell starts the command: by its name, or where it was found if that is not on the path."""
    return sys.argv[0] if Path(sys.argv[0]).stem == "discreet" and not which("discreet") else "discreet"
