"""How a measurement is made and shown."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One ratio, its goal, and whether the goal is a floor ('>=') or a ceiling ('<='). NaN is what could not be run."""

    what: str
    ratio: float
    sense: str
    goal: float
    note: str = ""

    @property
    def met(self) -> bool:
        return self.ratio >= self.goal if self.sense == ">=" else self.ratio <= self.goal


def best(work: Callable[[], object], repeat: int = 7) -> float:
    """The least time of several runs, in seconds: the one that other processes disturbed least."""
    least = float("inf")
    for _ in range(repeat):
        start = time.perf_counter()
        work()
        least = min(least, time.perf_counter() - start)
    return least


def each(work: Callable[[], object], calls: int, repeat: int = 7) -> float:
    """The least mean time of a call, in seconds."""

    def batch() -> None:
        for _ in range(calls):
            work()

    return best(batch, repeat) / calls


def table(title: str, rows: list[Row]) -> str:
    """The rows as a table in Markdown."""
    lines = [f"## {title}", "", "| what | measured | goal | |", "|---|---:|---:|---|"]
    for row in rows:
        ran = not math.isnan(row.ratio)
        mark = "met" if row.met else "**missed**" if ran else "**not run**"
        measured = f"{row.ratio:,.3g}x" if ran else ""
        note = f" ({row.note})" if row.note else ""
        lines.append(f"| {row.what}{note} | {measured} | {row.sense} {row.goal:g}x | {mark} |")
    return "\n".join(lines) + "\n"
