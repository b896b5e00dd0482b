"""Tables beside DuckDB alone, OpenDP's Polars path, PipelineDP, Tumult Analytics and SmartNoise-SQL.

The question is how many people there are per city, three cities each, at epsilon 1 and delta 1e-6, the cities being
private. The data are made once, with a fixed seed: ten rows a person, 10^5 cities by Zipf's law. Each contender runs
in a fresh process, and each peer in an environment of its own under build/bench. What is done once (imports, Spark's
start) is not counted for anyone. Files are in the cache. DuckDB has its default number of threads, ours and alone.

DISCREET_SLOW=1 gives the slowest peers 10^7 rows too, which takes a quarter of an hour. Linux only: it reads /proc.
"""

from __future__ import annotations

import json
import math
import os
import statistics
import subprocess
import sys
import threading
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.measure import Row

CACHE = Path(__file__).parents[1] / "build" / "bench"
CONTENDERS = Path(__file__).with_name("contenders.py")
LARGE, MEDIUM, SMALL, TINY = 10**7, 10**6, 10**5, 1000
PATIENCE = 1800
REPEAT = 3


@dataclass(frozen=True)
class Peer:
    """A peer, what to install for it, and on how many rows it is bearable."""

    name: str
    title: str
    needs: tuple[str, ...]
    goal: float
    rows: int


PEERS = (
    Peer("opendp", "OpenDP's Polars path", ("opendp[polars]==0.16.0", "pyarrow==26.0.1"), 6, LARGE),
    Peer("pipelinedp", "PipelineDP, in process", ("pipeline-dp==0.3.1", "pyarrow==26.0.1"), 15, MEDIUM),
    Peer("tumult", "Tumult Analytics, local Spark", ("tmlt.analytics==0.21.0", "pyspark==3.5.9"), 15, MEDIUM),
    Peer(
        "smartnoise",
        "SmartNoise-SQL",
        ("smartnoise-sql==1.0.10", "pandas==2.3.3", "pyarrow==18.1.0"),
        15,
        MEDIUM,
    ),
)


class NotRunError(Exception):
    """A contender that could not be run, and why."""


@dataclass(frozen=True)
class Run:
    """One run of a contender."""

    wall: float
    cpu: float
    memory: int
    groups: int
    least: float
    first: float

    def __str__(self) -> str:
        return f"{self.wall:.1f} s, {self.cpu:.1f} s of CPU, {self.memory / 2**30:.2f} GiB"


def rows() -> list[Row]:
    load = os.getloadavg()[0]
    own = {n: _together(("ours", "direct"), n) for n in (SMALL, MEDIUM)}
    own[LARGE] = _together(("ours", "direct", "window"), LARGE)
    found = [*_engine(own[LARGE]), *_growth(own)]
    for peer in PEERS:
        found += _peer(peer, own)
    print(f"{os.cpu_count()} cores; the load was {load:.1f} before and {os.getloadavg()[0]:.1f} after.\n")
    return found


def _engine(own: dict[str, list[Run]]) -> list[Row]:
    ours, direct, window = (least(own[name]) for name in ("ours", "direct", "window"))
    released = [run.groups for run in own["ours"]]
    what = "people per city, 10^7 rows"
    return [
        Row(
            f"{what}: time over the same SQL in DuckDB alone", ours.wall / direct.wall, "<=", 1.25, f"{ours}; {direct}"
        ),
        Row(f"{what}: CPU over the same SQL in DuckDB alone", ours.cpu / direct.cpu, "<=", 1.25),
        Row(f"{what}: peak memory over DuckDB alone", _memory(own["ours"]) / _memory(own["direct"]), "<=", 1.3),
        Row(f"{what}: faster than a window over all pairs in DuckDB", window.wall / ours.wall, ">=", 1, str(window)),
        Row(
            f"{what}: groups released, over the 5,932 seen of OpenDP",
            statistics.mean(released) / 5932,
            ">=",
            0.98,
            f"{', '.join(map(str, released))}; the threshold is the same, and chance moves either by some 35",
        ),
    ]


def _growth(own: dict[int, dict[str, list[Run]]]) -> list[Row]:
    """Return how much our time grows over how much the engine's own does."""
    times = {n: {name: least(runs).wall for name, runs in own[n].items()} for n in own}
    over = {n: times[n]["ours"] / times[n]["direct"] for n in own}
    found = []
    for fewer, more in ((SMALL, MEDIUM), (MEDIUM, LARGE)):
        note = f"ours is {over[fewer]:.2f}x and {over[more]:.2f}x the engine"
        what = f"growth from {_power(fewer)} to {_power(more)} rows, over the engine's own"
        found.append(Row(what, over[more] / over[fewer], "<=", 1, note))
    return found


def _peer(peer: Peer, own: dict[int, dict[str, list[Run]]]) -> list[Row]:
    n = LARGE if os.environ.get("DISCREET_SLOW") else peer.rows
    what = f"people per city, {_power(n)} rows: faster than {peer.title}"
    try:
        theirs = _run(peer.name, n, python=_environment(peer))
    except NotRunError as reason:
        return [Row(what, math.nan, ">=", peer.goal, f"not run: {reason}")]
    ours = statistics.median(run.wall for run in own[n]["ours"])
    work = statistics.median(run.cpu for run in own[n]["ours"])
    groups = statistics.mean(run.groups for run in own[n]["ours"])
    note = f"{theirs}; by CPU {theirs.cpu / work:.1f}x"
    about = f"{groups:,.0f} and {theirs.groups:,}, the least of them {theirs.least:.1f}"
    if peer.name == "opendp" and theirs.least < 45:
        about += ": it keeps values at its threshold of 44 too, so that its delta is really 1.04e-6"
    return [
        Row(what, theirs.wall / ours, ">=", peer.goal, note),
        Row(f"{_power(n)} rows: groups released, over {peer.title}", groups / max(theirs.groups, 1), ">=", 0.98, about),
    ]


def _together(names: Iterable[str], n: int) -> dict[str, list[Run]]:
    """Return several runs of each contender, in turns."""
    found: dict[str, list[Run]] = {name: [] for name in names}
    for _ in range(REPEAT):
        for name, runs in found.items():
            runs.append(_run(name, n))
    return found


def least(runs: list[Run]) -> Run:
    return min(runs, key=lambda run: run.wall)


def _memory(runs: list[Run]) -> float:
    return statistics.median(run.memory for run in runs)


def _power(n: int) -> str:
    return f"10^{round(math.log10(n))}"


def _run(name: str, n: int, python: str = sys.executable) -> Run:
    """Run a contender in a session of its own; its memory is its own peak, or that of all its processes together."""
    environment = os.environ | ({"BENCH_SQL": str(_sql())} if name == "direct" else {})
    command = [python, "-P", "-W", "ignore", str(CONTENDERS), name, str(data(n)), str(data(TINY))]
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    place = None if python == sys.executable else CACHE  # Spark leaves a directory where it runs.
    process = subprocess.Popen(command, env=environment, cwd=place, start_new_session=True, **streams)
    peak, done = [0], threading.Event()

    def watch() -> None:
        while name == "tumult" and not done.wait(0.5):  # The others are one process, which knows its own peak.
            peak[0] = max(peak[0], _held(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        out, err = process.communicate(timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.communicate()
        raise NotRunError(f"no answer in {PATIENCE} s") from None
    finally:
        done.set()
        watcher.join()
    if process.returncode:
        last = (err.strip() or "no message").splitlines()[-1]
        raise NotRunError(f"{name} ended with {process.returncode}: {last[:150]}")
    run = Run(**json.loads(out.strip().splitlines()[-1]))
    if python != sys.executable:
        run = replace(run, memory=max(run.memory, peak[0]))
    print(
        f"  {name}, {_power(n)} rows: {run}, {run.groups:,} groups, the least {run.least:g}",
        file=sys.stderr,
        flush=True,
    )
    return run


def _held(session: int) -> int:
    """Return how many bytes the processes of a session hold now, what they share being counted once."""
    total = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            fields = (process / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == session:
                lines = (process / "smaps_rollup").read_text().splitlines()
                total += next(int(line.split()[1]) for line in lines if line.startswith("Pss:")) * 1024
        except (OSError, StopIteration):
            continue
    return total


@cache
def data(n: int) -> Path:
    """Return a file of events of n // 10 people, which is made unless it is there."""
    path = CACHE / f"events-{n}.parquet"
    if path.exists():
        return path
    CACHE.mkdir(parents=True, exist_ok=True)
    rng, cities = np.random.default_rng(6), 100_000
    shares = 1 / np.arange(1, cities + 1)
    city = rng.choice(cities, size=n, p=shares / shares.sum())
    names = np.array([f"city-{i:05d}" for i in rng.permutation(cities)])
    person = rng.integers(0, n // 10, size=n)
    whole = path.with_suffix(".part")
    table = pa.table({"user_id": pa.array(person, pa.int64()), "city": pa.array(names[city])})
    pq.write_table(table, whole, row_group_size=122_880)
    whole.rename(path)
    return path


@cache
def _sql() -> Path:
    """Return a file with the query that Ibis writes for our plan."""
    import ibis

    from discreet.tables import Plan

    backend = ibis.duckdb.connect()
    plan = Plan("people", person="user_id", by="city", max_groups=3)
    path = CACHE / "plan.sql"
    path.write_text(
        str(backend.compile(plan.expression(backend.read_parquet(data(TINY), table_name="events"), bytes(16))))
    )
    return path


def _environment(peer: Peer) -> str:
    """Return the Python of a peer's environment, which is made unless it is there."""
    home = CACHE / "venvs" / peer.name
    stamp, python = home / "needs.txt", str(home / "bin" / "python")
    needs = "\n".join(peer.needs)
    if stamp.exists() and stamp.read_text() == needs:
        return python
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *peer.needs]
    for command in ([sys.executable, "-m", "venv", str(home)], install):
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
        if done.returncode:
            last = (done.stderr.strip() or "no message").splitlines()[-1]
            raise NotRunError(f"does not install: {last[:150]}")
    stamp.write_text(needs)
    return python
