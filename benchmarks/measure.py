"""How a measurement is made, and what one is."""

from __future__ import annotations

import math
import resource
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One ratio beside its goal, which is a floor ('>=') or a ceiling ('<='). Without a goal it is only reported.

    No ratio: it could not be measured, and *note* says why. *at_least*: the peer was stopped, so the ratio is greater.
    """

    what: str
    ours: str = ""
    theirs: str = ""
    ratio: float | None = None
    sense: str = ">="
    goal: float | None = None
    note: str = ""
    at_least: bool = False

    @property
    def met(self) -> bool | None:
        """Whether the goal is met; None without one."""
        if self.goal is None:
            return None
        if self.ratio is None:
            return False
        return self.ratio >= self.goal if self.sense == ">=" else self.ratio <= self.goal and not self.at_least

    @property
    def verdict(self) -> str:
        if self.ratio is None:
            return "**not measured**"
        return {None: "no goal", True: "met", False: "**missed**"}[self.met]


def faster(what: str, ours: float, theirs: float, goal: float, note: str = "") -> Row:
    """A peer's time over ours, both in seconds."""
    return Row(what, seconds(ours), seconds(theirs), theirs / ours, ">=", goal, note)


def within(what: str, ours: float, theirs: float, goal: float, note: str = "") -> Row:
    """Our time over another, both in seconds."""
    return Row(what, seconds(ours), seconds(theirs), ours / theirs, "<=", goal, note)


@dataclass(frozen=True)
class Look:
    """A look at everything, or a quick one: tiny sizes, one run of each, nothing installed, no figure that counts."""

    quick: bool = False

    def size(self, n: int) -> int:
        return min(n, 1000) if self.quick else n

    def best(self, *works: Callable[[], object], repeat: int = 5) -> list[float]:
        """The least processor time of each work, in seconds, its processes included. They take turns.

        Each of them has one thread, so on a machine that does nothing else this is the time on the wall; on another,
        others disturb it less.
        """
        least = [math.inf] * len(works)
        for _ in range(1 if self.quick else repeat):
            for i, work in enumerate(works):
                start = _worked()
                work()
                least[i] = min(least[i], _worked() - start)
        return least

    def each(self, *works: tuple[Callable[[], object], int], repeat: int = 7) -> list[float]:
        """The least mean time of a call of each work, which is called so many times in a run."""

        def many(work: Callable[[], object], calls: int) -> Callable[[], None]:
            def batch() -> None:
                for _ in range(calls):
                    work()

            return batch

        counts = [min(calls, 10) if self.quick else calls for _, calls in works]
        batches = [many(work, calls) for (work, _), calls in zip(works, counts, strict=True)]
        return [time / calls for time, calls in zip(self.best(*batches, repeat=repeat), counts, strict=True)]


def _worked() -> float:
    """The processor time of this process and of those that it waited for."""
    used = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in used)


def seconds(t: float) -> str:
    """A time, with three digits and a unit that suits it.

    >>> seconds(0.00123), seconds(12), seconds(98e-9)
    ('1.23 ms', '12 s', '98 ns')
    """
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if t >= size:
            return f"{t / size:.3g} {unit}"
    return f"{t / 1e-9:.3g} ns"


def power(n: int) -> str:
    """A round number, as a power of ten.

    >>> power(10**6), power(20_000)
    ('10^6', '20,000')
    """
    digits = round(math.log10(n))
    return f"10^{digits}" if n == 10**digits else f"{n:,}"
