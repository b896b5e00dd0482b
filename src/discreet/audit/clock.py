"""The timing audit: do entropy, calls or the clock depend on the input? It reports; it does not promise."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from types import FrameType
from typing import TYPE_CHECKING, Any

import numpy as np

from discreet.coins import SYSTEM
from discreet.core import Measurement
from discreet.errors import DiscreetError, KindError
from discreet.exact import whole
from discreet.pages.charts import intervals
from discreet.pages.results import Result
from discreet.pages.sheet import Sheet, facts
from discreet.samplers import bernoulli_many

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["TimingAudit", "timed", "timing"]


@dataclass(frozen=True, slots=True)
class TimingAudit(Result):
    """What the side channels of a release show about its input.

    *entropy* and *calls* are the shares of coin sequences under which the two inputs ask for different coins, or run
    through different calls; None where the release is not a Measurement, whose coins can be replayed. *t* is Welch's
    statistic between the times of the two inputs, and *t_control* that between two lots of one input: a *t* that stands
    out from the control and exceeds about 5 tells the inputs apart by the clock.
    """

    entropy: float | None
    calls: float | None
    t: float
    t_control: float
    trials: int

    @property
    def told_apart(self) -> bool:
        """Whether the clock tells the inputs apart in this run."""
        return abs(self.t) > self.beyond

    @property
    def beyond(self) -> float:
        """The least |t| that tells the inputs apart: 5, or twice the control's if that is more."""
        return max(5.0, 2 * abs(self.t_control))

    def __repr__(self) -> str:
        return (
            f"<entropy {_differs(self.entropy)}; calls {_differs(self.calls)}; clock t = {self.t:.1f}, "
            f"control {self.t_control:.1f}, {'TOLD APART' if self.told_apart else 'not told apart'}; "
            f"{self.trials} trials>"
        )

    @property
    def verdict(self) -> str:
        """Whether the clock tells the inputs apart, in a few words."""
        return f"The clock {'TELLS' if self.told_apart else 'does not tell'} the inputs apart"

    @property
    def sheet(self) -> Sheet:
        """What differs between the inputs."""
        pairs = [
            ("entropy asked for", _differs(self.entropy)),
            ("calls made", _differs(self.calls)),
            ("Welch's |t|", f"{abs(self.t):.1f}; {abs(self.t_control):.1f} between two lots of one input"),
            ("trials", f"{self.trials:,}"),
        ]
        return facts(self.verdict, pairs)

    def plot(self, ax: Axes | None = None) -> Axes:
        """Draw the clock's statistic beside its control; return the axes."""
        sizes = [abs(self.t), abs(self.t_control)]
        beyond = self.beyond
        return intervals(
            ["two inputs", "one input"],
            sizes,
            sizes,
            sizes,
            ax=ax,
            title=self.verdict,
            xlabel="Welch's |t|",
            limit=(beyond, f"told apart beyond {beyond:.1f}"),
            bad=[0] if self.told_apart else (),
        )


def _differs(share: float | None) -> str:
    return "not seen" if share is None else "never differs" if share == 0 else f"differs in {share:.1%}"


def timing(
    release: Callable[[Any], Any] | Measurement[Any, Any], x: Any, y: Any, trials: int = 2000, streams: int = 50
) -> TimingAudit:
    """Look for the input in the side channels of a release: entropy asked for, calls made, and the clock.

    >>> from discreet import RandomizedResponseBool
    >>> audit = timing(RandomizedResponseBool(prob="3/4"), True, False, trials=100, streams=5)
    >>> audit.entropy, audit.calls
    (0.0, 0.0)
    """
    n, lots = whole(trials, "trials", least=10), whole(streams, "streams", least=1)
    if not callable(release) and not isinstance(release, Measurement):
        raise KindError("release", release, "a function of one argument, or a Measurement")
    entropy = calls = None
    call = release
    if isinstance(release, Measurement):
        call = release.release
        for data in (x, y):
            release.sample(data, _Replayed())  # What is cached on first use is cached before the traces.
        traces = [
            (_trace(release, x, coins), _trace(release, y, coins)) for coins in [_Replayed() for _ in range(lots)]
        ]
        entropy = sum(a[0] != b[0] for a, b in traces) / lots
        calls = sum(a[1] != b[1] for a, b in traces) / lots
    return TimingAudit(entropy, calls, *_clock(call, x, y, n), trials=n)  # type: ignore[arg-type]


def timed(
    release: Callable[[Any], Any], bins: int = 8, calls: int = 2000, x: Any = 0
) -> Callable[[Any], tuple[Any, int]]:
    """Return a function that releases (output, time), the time as the number of its quantile over calls with *x*.

    Hand it to ``sampled`` to see what output and clock together tell.

    >>> release = timed(lambda x: x, bins=4, calls=20)
    >>> output, when = release(5)
    >>> output, when in range(4)
    (5, True)
    """
    if not callable(release):
        raise KindError("release", release, "a function of one argument")
    clock, parts = time.perf_counter_ns, whole(bins, "bins", least=1)
    times = []
    for _ in range(whole(calls, "calls", least=1)):
        start = clock()
        release(x)
        times.append(clock() - start)
    edges = np.quantile(times, np.arange(1, parts) / parts)

    def both(data: Any) -> tuple[Any, int]:
        start = clock()
        out = release(data)
        took = clock() - start
        return out, int(np.searchsorted(edges, took))

    return both


class _Replayed:
    """Coins that give the same bits whenever they start again, and write down what was asked for."""

    def __init__(self) -> None:
        self._bits = SYSTEM.bits(1 << 16)
        self.again()

    def again(self) -> None:
        self._place = 0
        self.asked: list[tuple[str, int]] = []

    def bits(self, n: int, /) -> int:
        self.asked.append(("bits", n))
        return self._take(n)

    def words(self, n: int, /) -> NDArray[np.uint64]:
        self.asked.append(("words", n))
        return np.array([self._take(64) for _ in range(n)], np.uint64)

    def _take(self, n: int) -> int:
        if self._place + n > 1 << 16:
            self._place = 0  # Long releases see the stream repeat; it is the same for both inputs.
        drawn = self._bits >> self._place & (1 << n) - 1
        self._place += n
        return drawn


def _trace(mechanism: Measurement[Any, Any], x: Any, coins: _Replayed) -> tuple[Any, Any]:
    """Return what a release asks of its coins, and the calls it makes."""
    coins.again()
    calls: list[str] = []

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            calls.append(f"{frame.f_code.co_filename}:{frame.f_code.co_firstlineno}")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        mechanism.sample(x, coins)
    except DiscreetError as error:
        calls.append(type(error).__name__)
    finally:
        sys.setprofile(before)
    return coins.asked, calls


def _clock(call: Callable[[Any], Any], x: Any, y: Any, n: int) -> tuple[float, float]:
    """Return Welch's t between x and y, and between two lots of x, measured in one random order."""
    lots: dict[str, list[int]] = {"x": [], "y": [], "control": []}
    pool = {"x": [x] * n, "y": [y] * n, "control": [x] * n}  # Made before: only the release is timed.
    clock = time.perf_counter_ns
    swaps = bernoulli_many(Fraction(1, 2), n).tolist()
    for i in range(n):
        for name in ("x", "control", "y") if swaps[i] else ("y", "control", "x"):
            data = pool[name][i]
            start = clock()
            call(data)
            lots[name].append(clock() - start)
    return _welch(lots["x"], lots["y"]), _welch(lots["x"], lots["control"])


def _welch(a: list[int], b: list[int]) -> float:
    """Return Welch's t, after dropping the slowest tenth of each: interruptions are not the release's."""
    left, right = (np.sort(np.array(times, float))[: math.ceil(len(times) * 0.9)] for times in (a, b))
    spread = float(left.var(ddof=1) / left.size + right.var(ddof=1) / right.size)
    return float(left.mean() - right.mean()) / math.sqrt(spread) if spread else 0.0
