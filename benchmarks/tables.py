"""Tables beside DuckDB alone, OpenDP's Polars path, PipelineDP, Tumult Analytics and SmartNoise-SQL.

The question is how many people there are per city, three cities each, at epsilon 1 and delta 1e-6, the cities being
private. The data are made once, with a fixed seed: 10^7 rows, ten a person, 10^5 cities by Zipf's law. Each contender
runs in a process of its own, and each peer in an environment of its own; they take turns. What is done once (imports,
Spark's start) is not counted for anyone. Files are in the cache. DuckDB alone has its default number of threads; ours
has three at least, which take less memory than two. CPU is the processor time of all of a contender's processes and
threads; memory is the peak. Linux only: it reads /proc.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import numpy as np

from benchmarks.measure import Look, Row, power, within
from benchmarks.peers import CACHE, PEERS, NotRunError, Peer, environment
from benchmarks.quantiles import PARTS as QUANTILES
from discreet import LaplaceThreshold

CONTENDERS = Path(__file__).with_name("contenders.py")
LARGE, MEDIUM, SMALL, TINY = 10**7, 10**6, 10**5, 1000
MANY = (2 * 10**6, 10**7, 4 * 10**7)
HUGE = 10**8
PATIENCE = 900
"""The seconds that a contender may take to get ready, and at least those that it may take to answer."""
SOUND = LaplaceThreshold.within(epsilon=1, delta="1e-6", l0=3).threshold + 1
LISTED = 14_531
"""The goal for the large data: prototypes found from this to 18,796."""
SHOWN = {3: (7150, 1.2), 10: (10_800, 2.2), 28: (7000, 3.8)}
"""By max_groups, how many cities to show with their counts, and how many times those of OpenDP's Laplace path."""
ROUNDS = 15_003
"""How many of them to show in two rounds, with max_groups 3."""
GOALS = {"polars": (6, 3), "smartnoise": (15, 1), "tumult": (15, 1), "pipelinedp": (15, 1)}
"""How many times faster to be than a peer, and how often to run it."""


@dataclass(frozen=True)
class Run:
    """A run of a contender. One that was *stopped* would have taken longer, and its groups are not known."""

    wall: float
    cpu: float
    memory: int
    groups: int = 0
    least: float = 0
    sound: int = 0
    stopped: bool = False

    def __str__(self) -> str:
        more = "more than " if self.stopped else ""
        return f"{more}{self.wall:.3g} s, {more}{self.cpu:.3g} s of CPU, {self.memory / 2**30:.2f} GiB"


def engine(look: Look) -> Iterator[Row]:
    """Ours beside the query that Ibis writes for our plan, and beside a window over all pairs of person and city."""
    n = look.size(LARGE)
    runs = turns(("ours", "direct", "window", "told"), n, 1 if look.quick else 3)
    ours, direct, window, told = (least(runs[name]) for name in ("ours", "direct", "window", "told"))
    what = f"people per city, {power(n)} rows"
    wall = ours.wall / direct.wall
    yield Row(f"{what}: time over the same SQL in DuckDB alone", str(ours), str(direct), wall, "<=", 1.25)
    mine, alone = (min(run.cpu for run in runs[name]) for name in ("ours", "direct"))
    ratio = mine / alone if alone else None
    yield Row(f"{what}: CPU over the same SQL in DuckDB alone", f"{mine:.3g} s", f"{alone:.3g} s", ratio, "<=", 1.25)
    mine, alone = (statistics.median(run.memory for run in runs[name]) for name in ("ours", "direct"))
    what = f"{what}: peak memory over DuckDB alone"
    yield Row(what, f"{mine / 2**20:.0f} MiB", f"{alone / 2**20:.0f} MiB", mine / alone, "<=", 1.3)
    what = f"people per city, {power(n)} rows: faster than a window over all pairs in DuckDB"
    yield Row(what, str(ours), str(window), window.wall / ours.wall, ">=", 1)
    what = f"people per city, {power(n)} rows: time with the share that bounding left out, over the time without"
    yield Row(what, str(told), str(ours), told.wall / ours.wall)


def listed(look: Look) -> Iterator[Row]:
    """The groups that are found without counts, in two rounds and in one, beside a count of people."""
    n = look.size(LARGE)
    two, one, counted = (run(name, n) for name in ("found", "found_once", "ours"))
    what = f"cities found without counts, {power(n)} rows"
    yield Row(f"{what}, over the goal", f"{two.groups:,}", f"{LISTED:,}", two.groups / LISTED, ">=", 1)
    for other, less in (("one round", one), ("a count of people", counted)):
        over = two.groups / max(less.groups, 1)
        yield Row(f"{what}: two rounds over {other}", f"{two.groups:,}", f"{less.groups:,}", over, ">=", 1.4)
    yield Row(f"{what}: time over that of a count of people", str(two), str(counted), two.wall / counted.wall)


def laws(look: Look) -> Iterator[Row]:
    """The groups that are shown with counts by the best noise, beside those by OpenDP's Laplace and Gaussian noise."""
    n = look.size(LARGE)
    for groups, (goal, times) in SHOWN.items():
        what, shown = (
            f"cities shown with counts, {power(n)} rows, max_groups {groups}",
            run("ours", n, groups=groups).groups,
        )
        yield Row(f"{what}, over the goal", f"{shown:,}", f"{goal:,}", shown / goal, ">=", 1)
        python = environment(PEERS["polars"], look)
        laplace, gaussian = (
            run(name, n, python=python, groups=groups).groups for name in ("polars", "polars_gaussian")
        )
        yield Row(f"{what}: over OpenDP's Laplace path", f"{shown:,}", f"{laplace:,}", shown / laplace, ">=", times)
        best, noise = max((laplace, "Laplace"), (gaussian, "Gaussian"))
        yield Row(f"{what}: over OpenDP's best", f"{shown:,}", f"{best:,}", shown / best, ">=", 1, f"its {noise} noise")
    what = f"cities shown with counts in two rounds, {power(n)} rows, max_groups 3"
    once, twice = (run(name, n) for name in ("ours", "two_rounds"))
    yield Row(f"{what}, over the goal", f"{twice.groups:,}", f"{ROUNDS:,}", twice.groups / ROUNDS, ">=", 1)
    yield Row(f"{what}: time over that of one round", str(twice), str(once), twice.wall / once.wall)


def planning(look: Look) -> Iterator[Row]:
    """The time to explain a question from public parameters alone, its noise not yet found."""
    from discreet.tables import People, Sum, Table
    from discreet.tables.laws import candidates

    def explain(groups: Any, asked: list[Any], most: int) -> None:
        candidates.cache_clear()
        groups.explain(*asked, epsilon=1, delta="1e-6", max_groups=most)

    table, known = Table(str(data(TINY)), person="user_id"), [f"city-{i:05d}" for i in range(100)]
    for which, groups in (("private", table.group_by("city")), ("100 known", table.group_by("city", keys=known))):
        for what, asked in (("a count", [People()]), ("a count and a sum", [People(), Sum("user_id", 0, 100, 1)])):
            time = max(look.best(*(partial(explain, groups, asked, most) for most in (1, 10, 1000)), repeat=5))
            yield within(f"explain {what} of {which} groups, max_groups up to 1,000: time over 0.2 s", time, 0.2, 1)


def growth(look: Look) -> Iterator[Row]:
    """How much our time grows over how much the engine's own does: by CPU, and without what the smallest file takes."""
    sizes = [(TINY, 9), (SMALL, 9), (MEDIUM, 5), (LARGE, 1)]
    best = {}
    for n, repeat in [(TINY, 1), (2 * TINY, 1)] if look.quick else sizes:
        runs = turns(("ours", "direct"), n, 1 if look.quick else 3, repeat=repeat)
        best[n] = {name: min(run.cpu for run in found) for name, found in runs.items()}
    over = ", ".join(f"{found['ours'] / max(found['direct'], 0.001):.2f}x at {power(n)}" for n, found in best.items())
    start = best.pop(TINY)
    note = (
        f"without the {start['ours']:.2f} s and {start['direct']:.2f} s of {power(TINY)} rows; with them ours is {over}"
    )
    net = {n: {name: max(cpu - start[name], 0.01) for name, cpu in found.items()} for n, found in best.items()}
    least_n = min(net)
    for n in list(net)[1:] or [least_n]:
        ours, direct = (net[n][name] / net[least_n][name] for name in ("ours", "direct"))
        what = f"growth of time from {power(least_n)} to {power(n)} rows, over the engine's own growth"
        yield Row(what, f"{ours:.3g}-fold", f"{direct:.3g}-fold", ours / direct, "<=", 1, note)


def several(look: Look) -> Iterator[Row]:
    """People, two sums, a mean and a median in one query, beside DuckDB without privacy and beside five queries."""
    n = look.size(LARGE)
    names = ("several", "plain_several", "singles")
    runs = turns(names, n, 1 if look.quick else 2, made=amounts)
    what = f"people, two sums, a mean and a median per city, {power(n)} rows"
    works = {name: max(min(run.cpu for run in runs[name]), 0.001) for name in names}
    ours, plain, apart = (f"{works[name]:.3g} s" for name in names)
    over = works["several"] / works["plain_several"]
    yield Row(f"{what}: CPU over the same without privacy in DuckDB", ours, plain, over, "<=", 2.5)
    yield Row(f"{what}: CPU over five queries", ours, apart, works["several"] / works["singles"], "<=", 0.4)
    mine, alone = (statistics.median(run.memory for run in runs[name]) for name in names[:2])
    what = f"{what}: peak memory over the same without privacy in DuckDB"
    yield Row(what, f"{mine / 2**20:.0f} MiB", f"{alone / 2**20:.0f} MiB", mine / alone, "<=", 1.3)


def people(look: Look) -> Iterator[Row]:
    """All people of a table, beside DuckDB's own number of them."""
    for n in (TINY, 2 * TINY) if look.quick else (LARGE, HUGE):
        made = data if n <= LARGE else visitors
        runs = turns(("all_people", "distinct"), n, 1 if look.quick or n > LARGE else 3, made=made)
        ours, plain = (max(min(run.cpu for run in runs[name]), 0.001) for name in ("all_people", "distinct"))
        what = f"all people, {power(n)} rows: CPU over count(DISTINCT) in DuckDB"
        yield Row(what, f"{ours:.3g} s", f"{plain:.3g} s", ours / plain, "<=", 2)


def sparks(look: Look) -> Iterator[Row]:
    """Ours and Tumult Analytics in turns on one version of local Spark, each in an environment of its own."""
    for n, goal in ((MEDIUM, None), (LARGE, 3)):
        what = f"people per city on local Spark, {power(n)} rows: faster than Tumult Analytics on the same Spark"
        try:
            python = environment(PEERS["tumult_same"], look)
            own, their = [run("spark", n)], [run("tumult", n, python=python)]
            own, their = [*own, run("spark", n)], [*their, run("tumult", n, python=python)]
        except NotRunError as reason:
            yield Row(what, goal=goal, note=str(reason))
            continue
        ours, theirs = least(own), least(their)
        note = f"Spark {version('pyspark')} for both; the least of two runs each"
        yield Row(what, str(ours), str(theirs), theirs.wall / ours.wall, ">=", goal, note, theirs.stopped)
        mine, other = (min(run.cpu for run in runs) for runs in (own, their))
        yield Row(f"{what}, by CPU", f"{mine:.3g} s", f"{other:.3g} s", other / mine, ">=", goal, note, theirs.stopped)


def many(look: Look) -> Iterator[Row]:
    """Ours beside the plain count of people, where there are nearly half as many groups as rows."""
    over: dict[int, float] = {}
    for n in (TINY, 2 * TINY) if look.quick else MANY:
        runs = turns(("ours", "plain"), n, 1 if look.quick or n == MANY[-1] else 3, made=many_groups)
        ours, plain = (least(runs[name]) for name in ("ours", "plain"))
        over[n] = ours.wall / plain.wall
        what = f"people per city, {power(n)} rows, nearly half as many cities"
        yield Row(f"{what}: time over the plain count", str(ours), str(plain), over[n], "<=", 2.5)
        mine, alone = (statistics.median(run.memory for run in runs[name]) for name in ("ours", "plain"))
        what = f"{what}: peak memory over the plain count"
        yield Row(what, f"{mine / 2**20:.0f} MiB", f"{alone / 2**20:.0f} MiB", mine / alone, "<=", 1.3)
    (few, first), *_, (most, last) = over.items()
    what = f"growth of time from {power(few)} to {power(most)} rows with as many cities, over the plain count's own"
    yield Row(what, f"{last:.3g}", f"{first:.3g}", last / first, "<=", 1, "times over the plain count")


def against(peer: Peer, look: Look) -> Iterator[Row]:
    """Ours and the peer in turns, ours first and last; then the groups of each, at an equal delta that is sound."""
    (goal, rounds), what = GOALS[peer.name], f"people per city, {power(LARGE)} rows"
    own, their = [], []
    try:
        python = environment(peer, look)
        own.append(run("ours", LARGE))
        for _ in range(rounds):
            their.append(run(peer.name, LARGE, python=python, limit=max(PATIENCE, 2 * goal * own[0].wall)))
            own.append(run("ours", LARGE))
    except NotRunError as reason:
        yield Row(f"{what}: faster than {peer.title}", goal=goal, note=str(reason))
        return
    ours, theirs = middle(own), middle(their)
    ratio, note = theirs.wall / ours.wall, f"by CPU {theirs.cpu / ours.cpu:.1f}x"
    yield Row(f"{what}: faster than {peer.title}", str(ours), str(theirs), ratio, ">=", goal, note, theirs.stopped)
    what = f"{what}: groups released, over {peer.title}"
    if theirs.stopped:
        yield Row(what, f"{ours.groups:,}", note="it was stopped before it answered")
        return
    yield _released(peer, what, ours.groups, theirs)


def _released(peer: Peer, what: str, groups: int, theirs: Run) -> Row:
    """The groups, where a peer's too many are taken off; 0.98 is three standard deviations below the same law."""
    note = f"the least value it released is {theirs.least:.4g}, within delta Laplace noise releases {SOUND} or more"
    if peer.name == "pipelinedp":
        note += "; no goal, as its noise is not on whole numbers, so that its threshold need not be either"
        return Row(what, f"{groups:,}", f"{theirs.groups:,}", groups / max(theirs.groups, 1), note=note)
    if theirs.sound < theirs.groups and peer.name == "polars":
        _, delta = LaplaceThreshold(scale=3, threshold=int(theirs.least) - 1).privacy_map((3, 3, 1))
        note += f"; {theirs.groups:,} with those below {SOUND}, for which its delta is really {delta:.3g}"
        theirs = replace(theirs, groups=theirs.sound)
    return Row(what, f"{groups:,}", f"{theirs.groups:,}", groups / max(theirs.groups, 1), ">=", 0.98, note)


def turns(
    names: tuple[str, ...], n: int, rounds: int, *, repeat: int = 1, made: Callable[[int], Path] | None = None
) -> dict[str, list[Run]]:
    """Return several runs of each contender, which take turns."""
    found: dict[str, list[Run]] = {name: [] for name in names}
    for _ in range(rounds):
        for name, runs in found.items():
            runs.append(run(name, n, repeat=repeat, made=made))
    return found


def least(runs: list[Run]) -> Run:
    return min(runs, key=lambda one: one.wall)


def middle(runs: list[Run]) -> Run:
    """Return the median of each figure, the least released value excepted; stopped if any was."""
    names = ("wall", "cpu", "memory", "groups", "sound")
    medians = {name: statistics.median(getattr(one, name) for one in runs) for name in names}
    whole = {name: round(value) for name, value in medians.items() if name not in {"wall", "cpu"}}
    stopped = any(one.stopped for one in runs)
    return Run(**medians | whole, least=min(one.least for one in runs), stopped=stopped)


def run(
    name: str,
    n: int,
    *,
    python: str = sys.executable,
    repeat: int = 1,
    limit: float = PATIENCE,
    made: Callable[[int], Path] | None = None,
    groups: int = 3,
) -> Run:
    """Run a contender on n rows, under its own Python."""
    environ = dict(os.environ) | {"BENCH_GROUPS": str(groups)}
    if name == "direct":
        environ["BENCH_SQL"] = str(_sql())
    if python != sys.executable:
        environ.pop("PYTHONPATH", None)
    command = [
        python,
        "-P",
        "-W",
        "ignore",
        str(CONTENDERS),
        name,
        str((made or data)(n)),
        str((made or data)(TINY)),
        str(repeat),
    ]
    found = timed([*command, str(SOUND)], environ, limit, whole=name in {"tumult", "spark"})
    print(f"  {name}, {power(n)} rows: {found}, {found.groups:,} groups", file=sys.stderr, flush=True)
    return found


def timed(command: list[str], environ: dict[str, str], limit: float, *, whole: bool = False) -> Run:
    """Run a command that says when it is ready and what it found; stop it if it takes longer than the limit.

    Its memory is its own peak, or that of its *whole* session, where others do the work.
    """
    CACHE.mkdir(parents=True, exist_ok=True)
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, env=environ, cwd=CACHE, start_new_session=True, **streams)
    lines: Queue[str] = Queue()
    errors: list[str] = []

    def listen() -> None:
        for line in process.stdout:
            if line.startswith("{"):  # A peer may have something of its own to say.
                lines.put(line)
        lines.put("")

    readers = [
        threading.Thread(target=listen, daemon=True),
        threading.Thread(target=lambda: errors.extend(process.stderr), daemon=True),
    ]
    for reader in readers:
        reader.start()
    peak = 0

    def answer(seconds: float) -> str | None:
        """The next line; '' at the end, None after so many seconds."""
        nonlocal peak
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            try:
                return lines.get(timeout=min(left, 0.5))
            except Empty:
                peak = max(peak, _held(process.pid)) if whole else peak
        return None

    try:
        if (ready := answer(PATIENCE)) is None:
            raise NotRunError(f"not ready in {PATIENCE} s")
        before = _cpu(process.pid)
        found = answer(limit) if ready else ""
        if found is None:
            return Run(limit, _cpu(process.pid) - before, max(peak, _held(process.pid)), stopped=True)
        if not found:
            process.wait(30)
            readers[1].join(30)
            last = ("".join(errors).strip() or "no message").splitlines()[-1]
            raise NotRunError(f"it ended with {process.returncode}: {last[:200]}")
        process.wait(PATIENCE)
        one = Run(**json.loads(found))
        return replace(one, memory=max(one.memory, peak))
    finally:
        for started in _session(process.pid):
            with contextlib.suppress(OSError):
                os.kill(int(started.name), signal.SIGKILL)
        process.wait()


def _session(session: int) -> Iterator[Path]:
    for process in Path("/proc").glob("[0-9]*"):
        try:
            if int((process / "stat").read_text().rpartition(")")[2].split()[3]) == session:
                yield process
        except OSError:
            continue


def _cpu(session: int) -> float:
    """Return the processor time of the processes of a session."""
    ticks = 0
    for process in _session(session):
        try:
            ticks += sum(map(int, (process / "stat").read_text().rpartition(")")[2].split()[11:15]))
        except OSError:
            continue
    return ticks / os.sysconf("SC_CLK_TCK")


def _held(session: int) -> int:
    """Return how many bytes the processes of a session hold now, what they share being counted once."""
    total = 0
    for process in _session(session):
        try:
            lines = (process / "smaps_rollup").read_text().splitlines()
            total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024
        except (OSError, StopIteration):
            continue
    return total


@cache
def data(n: int) -> Path:
    """Return a file of events of n // 10 people, which is made unless it is there."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = CACHE / f"events-{n}.parquet"
    if path.exists():
        return path
    CACHE.mkdir(parents=True, exist_ok=True)
    rng, cities = np.random.default_rng(6), 100_000
    shares = 1 / np.arange(1, cities + 1)
    city = rng.choice(cities, size=n, p=shares / shares.sum())
    names = np.array([f"city-{i:05d}" for i in rng.permutation(cities)])
    person = rng.integers(0, n // 10, size=n)
    whole = path.with_suffix(f".{os.getpid()}")
    table = pa.table({"user_id": pa.array(person, pa.int64()), "city": pa.array(names[city])})
    pq.write_table(table, whole, row_group_size=122_880)
    whole.rename(path)
    return path


@cache
def amounts(n: int) -> Path:
    """Return a file of events as `data` has them, each with an amount and a number of visits."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = CACHE / f"amounts-{n}.parquet"
    if not path.exists():
        rng, whole = np.random.default_rng(8), path.with_suffix(f".{os.getpid()}")
        more = {"amount": np.round(np.clip(rng.lognormal(3, 1, n), 0, 1000), 2), "visits": rng.geometric(0.3, n)}
        events = pq.read_table(data(n))
        for name, values in more.items():
            events = events.append_column(name, pa.array(values))
        pq.write_table(events, whole, row_group_size=122_880)
        whole.rename(path)
    return path


@cache
def visitors(n: int) -> Path:
    """Return a file of n // 10 people, ten rows each on average, and nothing else of them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = CACHE / f"visitors-{n}.parquet"
    if path.exists():
        return path
    CACHE.mkdir(parents=True, exist_ok=True)
    rng, whole = np.random.default_rng(9), path.with_suffix(f".{os.getpid()}")
    schema = pa.schema([("user_id", pa.int64())])
    with pq.ParquetWriter(whole, schema) as file:
        for start in range(0, n, 10**6):
            people = rng.integers(0, n // 10, min(10**6, n - start))
            file.write_table(pa.table([pa.array(people)], schema), row_group_size=122_880)
    whole.rename(path)
    return path


@cache
def many_groups(n: int) -> Path:
    """Return a file of events of n // 10 people in nearly n / 2 cities, a thousand of which have a quarter of them."""
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    path = CACHE / f"many-{n}.parquet"
    if path.exists():
        return path
    CACHE.mkdir(parents=True, exist_ok=True)
    rng, whole = np.random.default_rng(7), path.with_suffix(f".{os.getpid()}")
    schema = pa.schema([("user_id", pa.int64()), ("city", pa.string())])
    with pq.ParquetWriter(whole, schema) as file:
        for start in range(0, n, 10**6):
            size = min(10**6, n - start)
            popular = rng.random(size) < 1 / 4
            city = np.where(popular, rng.integers(0, 1000, size), rng.integers(0, n * 3 // 4, size))
            names = pc.binary_join_element_wise("city-", pa.array(city * 2654435761 % (1 << 40)).cast(pa.string()), "")
            file.write_table(
                pa.table([pa.array(rng.integers(0, n // 10, size)), names], schema), row_group_size=122_880
            )
    whole.rename(path)
    return path


@cache
def _sql() -> Path:
    """Return a file with the query that Ibis writes for our plan."""
    import ibis

    from discreet.tables import Bounding, People

    backend = ibis.duckdb.connect()
    plan = Bounding(People(), person="user_id", by="city", max_groups=3)
    path = CACHE / "plan.sql"
    path.write_text(
        str(backend.compile(plan.expression(backend.read_parquet(data(TINY), table_name="events"), bytes(16))))
    )
    return path


PARTS: dict[str, Callable[[Look], Iterator[Row]]] = {
    "engine": engine,
    "growth": growth,
    "laws": laws,
    "listed": listed,
    "many": many,
    "people": people,
    "planning": planning,
    "several": several,
    "sparks": sparks,
    **{name: partial(against, PEERS[name]) for name in GOALS},
    **QUANTILES,
}
