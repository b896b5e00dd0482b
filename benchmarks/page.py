"""The only writer: the table of a part, and the page of all parts, from what runs have left in their cache."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.measure import Row

HEAD = "| what | ours | theirs | ratio | goal | |\n|---|---:|---:|---:|---:|---|"


@dataclass(frozen=True)
class Part:
    """What one comparison found, when, and where."""

    suite: str
    name: str
    rows: list[Row]
    when: str
    seconds: float
    load: float
    """The load of the machine before: how many others wanted its cores."""
    machine: str
    versions: dict[str, str] = field(default_factory=dict)
    quick: bool = False

    def save(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{self.suite}-{self.name}.json").write_text(json.dumps(asdict(self), indent=1) + "\n")

    @classmethod
    def load_from(cls, path: Path) -> Part:
        found = json.loads(path.read_text())
        return cls(**found | {"rows": [Row(**row) for row in found["rows"]]})


def table(rows: list[Row]) -> str:
    """The rows as a table in Markdown."""
    return "\n".join([HEAD, *map(_line, rows)]) + "\n"


def summary(rows: list[Row]) -> str:
    """How many goals are met, and each that is not."""
    goals = [row for row in rows if row.goal is not None or row.ratio is None]
    missed = [row for row in goals if not row.met]
    lines = [f"{len(goals) - len(missed)} of {len(goals)} goals are met."]
    if missed:
        lines += ["", "Missed or not measured:", ""]
        lines += [f"- {row.what}: {_ratio(row) or _cell(row.note)}{_goal(row, ', the goal is ')}" for row in missed]
    return "\n".join(lines) + "\n"


def page(suites: dict[str, tuple[str, str]], parts: list[Part]) -> str:
    """The page of the documentation; *suites* have a title and a text each."""
    rows = [row for part in parts for row in part.rows]
    machines = list(dict.fromkeys(part.machine for part in parts))
    versions = {name: version for part in parts for name, version in part.versions.items() if version}
    lines = [
        "# Benchmarks",
        "",
        *(["**From a quick look: these figures mean nothing.**", ""] if any(part.quick for part in parts) else []),
        "`make bench` makes this page; no figure in it is typed by hand. A ratio is of two measurements of one run on",
        "one machine, in turns; a figure with a unit is only of that machine. A ratio `>=` a goal says how",
        "many times faster we are, or how many times as much we give; one `<=` a goal says how many times as much we",
        "take. Times are processor time, the best of several runs, which others on the machine disturb least; but for",
        "tables, where contenders have several threads, they are time on the wall, with processor time beside it.",
        "",
        *(f"- Machine: {machine}" for machine in machines),
        f"- Versions: {', '.join(f'{name} {versions[name]}' for name in sorted(versions, key=str.lower))}",
        _when(parts),
        "",
        "## In short",
        "",
        summary(rows),
    ]
    for suite, (title, text) in suites.items():
        mine = [part for part in parts if part.suite == suite]
        if not mine:
            lines += [f"## {title}", "", "Not run.", ""]
            continue
        lines += [f"## {title}", "", text.strip(), "", table([row for part in mine for row in part.rows])]
    failed = [row for row in rows if row.ratio is None]
    lines += ["## What could not be measured", ""]
    lines += [f"- {row.what}: {_cell(row.note)}" for row in failed] or ["Nothing."]
    return "\n".join(lines) + "\n"


def machine() -> str:
    """The machine, in a line."""
    model = next((line.partition(":")[2].strip() for line in _read("/proc/cpuinfo") if "model name" in line), "")
    memory = next((int(line.split()[1]) for line in _read("/proc/meminfo") if line.startswith("MemTotal")), 0)
    size = f"{os.cpu_count()} cores, {memory / 2**20:.0f} GiB"
    return f"{model or platform.machine()}, {size}, {platform.system()}, Python {platform.python_version()}"


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def _read(path: str) -> list[str]:
    return Path(path).read_text().splitlines() if Path(path).exists() else []


def _line(row: Row) -> str:
    note = f" ({_cell(row.note)})" if row.note else ""
    cells = (row.what + note, row.ours, row.theirs, _ratio(row), _goal(row), row.verdict)
    return f"| {' | '.join(cells)} |"


def _ratio(row: Row) -> str:
    if row.ratio is None:
        return ""
    digits = f"{row.ratio:,.0f}" if row.ratio >= 1000 else f"{row.ratio:.3g}"
    return f"{'> ' if row.at_least else ''}{digits}x"


def _goal(row: Row, before: str = "") -> str:
    return "" if row.goal is None else f"{before}{row.sense} {row.goal:g}x"


def _cell(text: str) -> str:
    """A text that breaks no table."""
    return " ".join(text.replace("|", "/").replace("<", "&lt;").split())


def _when(parts: list[Part]) -> str:
    if not parts:
        return "- Measured: never"
    days = sorted(part.when[:10] for part in parts)
    loads = [part.load for part in parts]
    minutes = sum(part.seconds for part in parts) / 60
    return (
        f"- Measured: {' to '.join(dict.fromkeys((days[0], days[-1])))}, in {minutes:.0f} minutes; "
        f"the machine's load before a part was {min(loads):.1f} to {max(loads):.1f}"
    )
