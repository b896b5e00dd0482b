"""The collector over HTTP, on loopback, with its clients on the same machine.

A report is acknowledged when SQLite has it on the disk, so that the disk's sync counts for single reports: what a bare
commit takes here stands in a row of its own. Clients are one process that does nothing but send.
"""

from __future__ import annotations

import asyncio
import math
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.measure import Look, Row
from discreet.serve import open_store
from discreet.serve.store import Submission
from discreet.survey import Question, Survey
from discreet.survey.responses import RESPONSE
from discreet.survey.wire import VERSION

TOML = """
epsilon = 2
[[questions]]
name = "smokes"
choices = ["no", "yes"]
[[questions]]
name = "age"
choices = ["young", "old"]
missing = "unknown"
"""


@contextmanager
def serving(folder: Path) -> Iterator[tuple[int, int]]:
    """Give the port and the process of a collector."""
    (folder / "survey.toml").write_text(TOML)
    words = ["survey", "serve", str(folder / "survey.toml"), "--store", str(folder / "reports"), "--port", "0"]
    command = [sys.executable, "-m", "discreet.cli", *words, "--rate", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(4)]
        try:
            yield int(lines[1].rsplit(":", 1)[1].strip(" /\n")), process.pid
        finally:
            process.terminate()
            process.wait(60)


def survey_of(folder: Path) -> Survey:
    return Survey.load(folder / "survey.toml")


class Load:
    """Clients that send, as fast as they are answered, or each report at a time of its own, so many a second.

    Those times are random, as those of people are, and known before: what waits for a free client has waited already.
    """

    def __init__(self, port: int, body: bytes, *, clients: int, seconds: float, rate: float = 0.0) -> None:
        self._port, self._body, self._clients = port, body, clients
        self._due = due(rate, seconds) if rate else None
        self.times: list[float] = []
        self.late: list[float] = [0.0]
        self.refused = 0
        began = time.perf_counter()
        asyncio.run(self._all(began + seconds))
        self.rate = len(self.times) / (time.perf_counter() - began)
        self.times.sort()
        self.late.sort()

    def percentile(self, share: float) -> float:
        return _percentile(self.times, share)

    @property
    def waited(self) -> str:
        """How late the clients themselves were, on a machine that they share with the collector."""
        return f"of which the clients were {1000 * _percentile(self.late, 0.99):.0f} ms late with sending, at p99"

    async def _all(self, end: float) -> None:
        await asyncio.gather(*(self._one(end) for _ in range(self._clients)))

    async def _one(self, end: float) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port)
        while (began := await self._turn()) < end:
            head = (
                "POST /reports HTTP/1.1\r\nHost: here\r\nContent-Type: application/octet-stream\r\n"
                f"Discreet-Once: {os.urandom(16).hex()}\r\nContent-Length: {len(self._body)}\r\n\r\n"
            )
            writer.write(head.encode() + self._body)
            answer = (await reader.readuntil(b"\r\n\r\n")).lower()
            await reader.readexactly(int(answer.split(b"content-length: ")[1].split(b"\r")[0]))
            took = time.perf_counter() - began
            if answer.startswith(b"http/1.1 200"):
                self.times.append(took)
            else:
                self.refused += 1
        writer.close()

    async def _turn(self) -> float:
        """Wait until the next report is due, and return when that was."""
        if self._due is None:
            return time.perf_counter()
        moment = next(self._due, math.inf)
        if moment < math.inf:
            await asyncio.sleep(max(moment - time.perf_counter(), 0))
            self.late.append(time.perf_counter() - moment)
        return moment


def _percentile(ordered: list[float], share: float) -> float:
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else math.inf


def due(rate: float, seconds: float) -> Iterator[float]:
    """Random moments from now on, so many a second on the average."""
    moment = time.perf_counter()
    end = moment + seconds
    while (moment := moment + random.expovariate(rate)) < end:
        yield moment


def single(look: Look) -> Iterator[Row]:
    """Single reports, each acknowledged on its own; at full speed, and at half of the goal."""
    seconds = 1 if look.quick else 10
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bare = commit(folder)
        with serving(folder) as (port, pid):
            body = response(survey_of(folder))
            before = cpu(pid)
            full = Load(port, body, clients=192, seconds=seconds)
            spent = (cpu(pid) - before) / max(len(full.times), 1)
            half = Load(port, body, clients=192, seconds=seconds, rate=1000)
    note = f"one durable commit of the store by itself took {1000 * bare:.0f} ms here"
    yield Row(
        "single reports a second, acknowledged durable",
        f"{full.rate:,.0f}",
        "2,000",
        full.rate / 2000,
        ">=",
        1.0,
        note,
    )
    p99 = half.percentile(0.99)
    name = "single reports at 1,000 a second: p99 over 100 ms"
    yield Row(name, f"{1000 * p99:.0f} ms", "100 ms", p99 / 0.1, "<=", 1.0, half.waited)
    yield Row(
        "processor time of one report, over half a millisecond",
        f"{1e6 * spent:.0f} us",
        "500 us",
        spent / 0.0005,
        "<=",
        1.0,
    )


def batches(look: Look) -> Iterator[Row]:
    """Batches of 1,000 reports, at full speed and at half of the goal; and memory after a million of them."""
    seconds = 1 if look.quick else 8
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder)) as (port, pid):
        body = response(survey_of(Path(folder))) * 1000
        Load(port, body, clients=8, seconds=1)
        early = memory(pid)
        full = Load(port, body, clients=64, seconds=seconds)
        half = Load(port, body, clients=64, seconds=seconds, rate=250)
        late = memory(pid)
    reports = 1000 * full.rate
    yield Row(
        "reports a second in batches of 1,000, acknowledged durable",
        f"{reports:,.0f}",
        "500,000",
        reports / 500_000,
        ">=",
        1.0,
    )
    p99 = half.percentile(0.99)
    name = "batches at 250,000 reports a second: p99 over 100 ms"
    yield Row(name, f"{1000 * p99:.0f} ms", "100 ms", p99 / 0.1, "<=", 1.0, half.waited)
    total = 1000 * (len(full.times) + len(half.times))
    yield Row(
        f"memory after {total / 1e6:.1f} million reports, over memory before",
        f"{late / 1e6:.0f} MB",
        f"{early / 1e6:.0f} MB",
        late / early,
        "<=",
        1.25,
    )


def opening(look: Look) -> Iterator[Row]:
    """A store with a million reports: opened, checked and counted."""
    n = look.size(10**6)
    with tempfile.TemporaryDirectory() as name:
        survey = Survey([Question("smokes", ["no", "yes"]), Question("age", ["young", "old"])], epsilon=2)
        store = open_store(survey, name)
        store.add("null", [Submission(bytes(2 * n))])
        store.close()
        from discreet.serve.counts import Counts

        (took,) = look.best(lambda: Counts(survey, open_store(survey, name)), repeat=3)
    yield Row(f"opening and counting {n:,} reports, over a second", f"{took:.3g} s", "1 s", took, "<=", 1.0)


def response(survey: Survey) -> bytes:
    return bytes((RESPONSE, VERSION)) + survey.tag + bytes(sum(form.width for form in survey.forms))


def commit(folder: Path) -> float:
    """The median time on the wall of one durable commit."""
    survey = Survey([Question("smokes", ["no", "yes"])], epsilon=1)
    store, took = open_store(survey, folder / "bare"), []
    for _ in range(21):
        began = time.perf_counter()
        store.add("null", [Submission(b"\0")])
        took.append(time.perf_counter() - began)
    store.close()
    return sorted(took)[10]


def cpu(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> float:
    """The greatest memory that a process had, in bytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    return 1024.0 * int(status.split("VmRSS:")[1].split()[0])


PARTS = {"single": single, "batches": batches, "opening": opening}
