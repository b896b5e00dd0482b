"""Make the pictures of the documentation, with the library itself: `python docs/pictures/make.py [FOLDER]`.

Results are random, as releases are, so a picture that is made again differs a little. What is drawn of a law is exact.
"""

from __future__ import annotations

import math
import re
import sys
import tomllib
from collections.abc import Callable, Iterable
from fractions import Fraction
from pathlib import Path

import grimp
import matplotlib as mpl
import matplotlib.figure

mpl.use("svg")

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from matplotlib import pyplot as plt
from matplotlib.patches import FancyBboxPatch, Rectangle

from discreet import (
    EpsilonDelta,
    Gaussian,
    GaussianThreshold,
    IntegerLaplace,
    Laplace,
    LaplaceThreshold,
    RandomizedResponse,
    Sensitivity,
    TruncatedLaplaceThreshold,
)
from discreet.survey import Question, plan
from discreet.tables import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

INK, LIGHT, WARM, GREY = "#1b4965", "#8ecae6", "#c8641f", "#8a8f94"
SHADES = ("#b8dcee", "#6fb1d3", "#2f7fae", "#1b4965")
STYLE = {
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "figure.facecolor": "white",
    "font.size": 10,
    "legend.frameon": False,
    "svg.hashsalt": "discreet",
}


def result() -> Figure:
    """Draw an answer of each job, beside the truth, which only a demonstration may know."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.6), layout="constrained", width_ratios=(1.15, 1))
    sizes = {"Rome": 610, "Oslo": 480, "Bath": 320, "Ghent": 240, "Ouro": 170, "Visby": 110, "Brig": 1}
    cities = [city for city, n in sizes.items() for _ in range(n)]
    visits = pd.DataFrame({"user_id": range(len(cities)), "city": cities})
    answer = Table(visits, person="user_id").group_by("city").count_people(epsilon="0.2", delta="1e-6", max_groups=1)
    low, high = answer.interval("0.95")
    released = {row["city"]: (row["people"], *ends) for row, *ends in zip(answer, low, high, strict=True)}
    for place, (city, size) in enumerate(sizes.items()):
        if city in released:
            people, start, end = released[city]
            left.barh(place, people, color=LIGHT, height=0.62)
            left.plot([start, end], [place, place], color=INK, linewidth=3, solid_capstyle="butt")
        else:
            left.text(14, place, "not shown: too few people", va="center", color=GREY, style="italic")
        left.plot(size, place, "|", color=WARM, markersize=13, markeredgewidth=2)
    left.set_yticks(range(len(sizes)), list(sizes))
    left.invert_yaxis()
    left.set(xlabel="people", title="Publish tables: people per city, epsilon 0.2")
    choices = ["never", "sometimes", "daily", "no answer"]
    truth = [5400, 2700, 1300, 600]
    question = Question("smokes", choices[:3], missing=choices[3])
    mechanism = question.plan(epsilon=1).mechanism
    box = question.collector(mechanism)
    box.add_many(
        question.client(mechanism).report_many(np.repeat(np.array([*choices[:3], None]), truth)), payloads=True
    )
    shares = box.estimate(confidence=0.95)
    for place, (choice, people) in enumerate(zip(choices, truth, strict=True)):
        share = shares[choice]
        right.barh(place, share.share, color=LIGHT, height=0.62)
        right.plot([share.low, share.high], [place, place], color=INK, linewidth=3, solid_capstyle="butt")
        right.plot(people / sum(truth), place, "|", color=WARM, markersize=16, markeredgewidth=2)
    right.set_yticks(range(4), choices)
    right.invert_yaxis()
    right.set(xlabel="share of 10,000 people", title="Ask people: each answer at epsilon 1")
    right.xaxis.set_major_formatter(lambda x, _: f"{x:.0%}")
    for axes in (left, right):
        axes.spines["left"].set_visible(False)
        axes.tick_params(axis="y", length=0)
    right.plot([], [], color=INK, linewidth=3, label="95 % interval")
    right.plot([], [], "|", color=WARM, markersize=11, markeredgewidth=2, label="truth", linestyle="")
    right.legend(loc="lower right")
    return figure


def answer_plot() -> Figure:
    """Draw an answer by its own plot()."""
    sizes = {"Rome": 610, "Oslo": 480, "Bath": 320, "Ghent": 240, "Ouro": 170, "Visby": 110, "Brig": 1}
    cities = [city for city, n in sizes.items() for _ in range(n)]
    visits = pd.DataFrame({"user_id": range(len(cities)), "city": cities})
    answer = Table(visits, person="user_id").group_by("city").count_people(epsilon="1/4", delta="1e-6", max_groups=1)
    return figure_of(answer.plot())


def estimate_plot() -> Figure:
    """Draw an estimate by its own plot()."""
    question = Question("smokes", ["never", "sometimes", "daily"], missing="no answer")
    mechanism = question.plan(epsilon=1).mechanism
    box = question.collector(mechanism)
    people = np.repeat(np.array(["never", "sometimes", "daily", None]), [5400, 2700, 1300, 600])
    box.add_many(question.client(mechanism).report_many(people), payloads=True)
    return figure_of(box.estimate(confidence=0.95).plot())


def plan_plot() -> Figure:
    """Draw a plan by its own plot()."""
    return figure_of(Question("city", [f"city {i}" for i in range(100)]).plan(epsilon=2).plot())


def figure_of(axes: Axes) -> Figure:
    """Return the figure that axes are in."""
    figure = axes.get_figure()
    assert isinstance(figure, mpl.figure.Figure)
    return figure


def what_it_tells() -> Figure:
    """Draw how far an answer can move a belief, for each epsilon: one step, and two."""
    figure, panels = plt.subplots(1, 2, figsize=(9.6, 4.2), layout="constrained", sharey=True)
    prior = np.linspace(0, 1, 201)
    asked = ("Are you in the table?", "You are in it: what do your rows say?")
    for steps, axes, title in zip((1, 2), panels, asked, strict=True):
        for epsilon, shade in zip((4, 2, 1, 0.5), SHADES, strict=True):
            factor = math.exp(steps * epsilon)
            high = prior * factor / (prior * factor + 1 - prior)
            low = prior / (prior + (1 - prior) * factor)
            axes.fill_between(prior, low, high, color=shade, linewidth=0, label=f"epsilon {epsilon:g}")
        axes.plot(prior, prior, color="white", linewidth=1)
        axes.set(xlabel="belief before", xlim=(0, 1), ylim=(0, 1))
        axes.set_title(title)
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(lambda x, _: f"{x:.0%}")
    panels[0].set_ylabel("belief after, at most and at least")
    panels[0].legend(loc="upper left")
    return figure


def noise() -> Figure:
    """Draw the law of the noise on a count, exactly, for four epsilons."""
    figure, panels = plt.subplots(1, 4, figsize=(10, 2.6), layout="constrained", sharey=True)
    values = np.arange(-33, 34)
    for axes, epsilon in zip(panels, ("1/10", "1/2", "1", "2"), strict=True):
        mechanism = IntegerLaplace(scale=1 / Fraction(epsilon))
        ratio = math.exp(-float(Fraction(epsilon)))
        law = (1 - ratio) / (1 + ratio) * ratio ** np.abs(values)
        axes.bar(values, law, color=LIGHT, width=0.9)
        reach = math.ceil(math.log(0.05 * (1 + ratio) / 2) / math.log(ratio)) - 1
        axes.axvspan(-reach - 0.5, reach + 0.5, color=WARM, alpha=0.10, linewidth=0)
        axes.set_title(f"epsilon {epsilon}: ±{reach}")
        axes.set_xlabel("noise")
        axes.set_xlim(-33.5, 33.5)
        assert mechanism.privacy_map(1) >= float(Fraction(epsilon))
    panels[0].set_ylabel("probability")
    return figure


def people_needed() -> Figure:
    """Draw how many people a survey must ask for intervals of two points either way."""
    figure, axes = plt.subplots(figsize=(6.6, 3.8), layout="constrained")
    budgets = ["1/4", "1/2", "3/4", "1", "3/2", "2", "3", "4", "6"]
    for choices, shade in zip((64, 16, 4, 2), SHADES, strict=True):
        plans = [plan(choices, epsilon=epsilon, margin="0.02") for epsilon in budgets]
        asked = [min(option.people or 0 for option in found.options) for found in plans]
        axes.plot([float(Fraction(b)) for b in budgets], asked, "o-", color=shade, label=f"{choices} choices", ms=4)
    axes.axhline(2401, color=WARM, linestyle=":", linewidth=1.5)
    axes.text(0.26, 2401 * 1.12, "without any noise: 2,401", color=WARM)
    axes.set(xscale="log", yscale="log", xlabel="epsilon of one answer", ylabel="people to ask")
    axes.set_xticks([0.25, 0.5, 1, 2, 4], ["1/4", "1/2", "1", "2", "4"])
    axes.xaxis.set_minor_locator(mpl.ticker.NullLocator())
    axes.yaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    axes.set_title("Ask people: for intervals of ±2 points")
    axes.legend()
    return figure


def groups_that_appear() -> Figure:
    """Draw how many people a group needs to appear in 95 % of cases."""
    figure, axes = plt.subplots(figsize=(6.6, 3.8), layout="constrained")
    groups = Table(pd.DataFrame({"user_id": [1], "city": ["Rome"]}), person="user_id").group_by("city")
    budgets = ["1/10", "1/4", "1/2", "1", "2", "4"]
    for most, shade in zip((10, 3, 1), SHADES[1:], strict=True):
        said = [groups.explain(epsilon=epsilon, delta="1e-6", max_groups=most)[most].n95 for epsilon in budgets]
        label = f"in {most} groups" if most > 1 else "in one group"
        axes.plot([float(Fraction(b)) for b in budgets], said, "o-", color=shade, label=label, ms=4)
    axes.set(xscale="log", yscale="log", xlabel="epsilon", ylabel="people that a group needs")
    axes.set_xticks([0.1, 0.25, 0.5, 1, 2, 4], ["1/10", "1/4", "1/2", "1", "2", "4"])
    axes.xaxis.set_minor_locator(mpl.ticker.NullLocator())
    axes.yaxis.set_major_formatter(lambda x, _: f"{x:,.0f}")
    axes.set_title("Publish tables: to appear in 95 % of cases, delta 1e-6")
    axes.legend(title="a person counts")
    return figure


def which_noise() -> Figure:
    """Draw the size of a group that is shown as often as not, and the error of known groups, by the law of noise."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    counts = range(1, 21)
    laws = {"Laplace": LaplaceThreshold, "truncated Laplace": TruncatedLaplaceThreshold, "Gaussian": GaussianThreshold}
    for (name, law), shade in zip(laws.items(), (SHADES[1], SHADES[3], WARM), strict=True):
        within = [law.within(epsilon=1, delta="1e-6", l0=n) for n in counts]
        sizes = [m.noise.needed(m.threshold, Fraction(1, 2)) for m in within]
        left.plot(counts, sizes, "o-", color=shade, label=name, ms=3.5)
    left.set(ylabel="people in a group shown half of the time", title="Private groups")
    budget = EpsilonDelta(1, "1e-6")
    known = {
        "Laplace": [Laplace(n).deviation for n in counts],
        "Gaussian": [Gaussian.within(budget, Sensitivity(n, n, 1)).deviation for n in counts],
    }
    for (name, errors), shade in zip(known.items(), (SHADES[1], WARM), strict=True):
        right.plot(counts, errors, "o-", color=shade, label=name, ms=3.5)
    right.set(ylabel="standard error", title="Known groups")
    for axes in (left, right):
        axes.set(xlabel="groups in which a person counts", ylim=(0, None))
        axes.set_xticks([1, 5, 10, 15, 20])
        axes.legend()
    figure.suptitle("Counts at epsilon 1, delta 1e-6", x=0.01, ha="left", fontsize=11)
    return figure


def truth_told() -> Figure:
    """Draw how probable the true answer is in randomized response."""
    figure, axes = plt.subplots(figsize=(6.6, 3.4), layout="constrained")
    budgets = np.linspace(0.05, 5, 60)
    for choices, shade in zip((16, 4, 2), SHADES[1:], strict=True):
        told = [float(RandomizedResponse.within(epsilon=b, categories=range(choices)).prob) for b in budgets]
        axes.plot(budgets, told, color=shade, linewidth=2, label=f"{choices} choices")
        axes.plot(0, 1 / choices, "o", color=shade, ms=4)
    axes.set(xlabel="epsilon", ylim=(0, 1), xlim=(0, 5))
    axes.yaxis.set_major_formatter(lambda x, _: f"{x:.0%}")
    axes.set_title("Ask people: how often the answer is the true one")
    axes.legend(loc="lower right")
    return figure


def lemma() -> Figure:
    """Draw a uniform number revealed two bits at a time, and compared with a real number r."""
    figure, axes = plt.subplots(figsize=(8.6, 4.2), layout="constrained")
    r, revealed = math.exp(-1), (1, 1, 3, 0)
    low, width = 0.0, 1.0
    for row, word in enumerate(revealed):
        y = -row * 1.25
        for i in range(4):
            left, right = low + i * width / 4, low + (i + 1) * width / 4
            colour = LIGHT if right <= r else ("#eef1f3" if left >= r else "#f7d9bd")
            axes.add_patch(Rectangle((i / 4, y), 0.25, 0.5, facecolor=colour, edgecolor="white", linewidth=2))
            verdict = "U < r" if right <= r else ("U ≥ r" if left >= r else "?")
            at = i / 4 + (0.125 if verdict != "?" else 0.22 if (r - low) / width < i / 4 + 0.125 else 0.03)
            axes.text(at, y + 0.25, verdict, ha="center", va="center", color=INK, fontsize=10)
        axes.add_patch(Rectangle((word / 4, y), 0.25, 0.5, fill=False, edgecolor=INK, linewidth=2.2))
        drawn = f"word {row + 1} of U is {word:02b}"
        axes.text(word / 4 + 0.125, y - 0.18, drawn, ha="center", fontsize=9, color=INK)
        at = (r - low) / width
        axes.plot([at, at], [y - 0.04, y + 0.58], color=WARM, linewidth=2)
        axes.text(at, y + 0.62, "r = 1/e" if row == 0 else "r", color=WARM, fontsize=10, ha="center")
        if row < len(revealed) - 1:
            for end, to in ((word / 4, 0.0), ((word + 1) / 4, 1.0)):
                axes.plot([end, to], [y, y - 0.75], color=GREY, linewidth=0.8, linestyle=":", zorder=0)
        low, width = low + word * width / 4, width / 4
    axes.set(xlim=(-0.01, 1.01), ylim=(y - 0.3, 0.85))
    axes.axis("off")
    return figure


def table_of_cells() -> Figure:
    """Draw a law cut into whole cells, and what is left of each outcome settled word by word."""
    figure, axes = plt.subplots(figsize=(8.6, 1.9), layout="constrained")
    law = {"a": Fraction(47, 100), "b": Fraction(31, 100), "c": Fraction(22, 100)}
    cells, place = 16, 0
    for (name, p), shade in zip(law.items(), SHADES, strict=False):
        whole = math.floor(p * cells)
        for _ in range(whole):
            axes.add_patch(Rectangle((place / cells, 0), 1 / cells, 0.5, facecolor=shade, edgecolor="white", lw=1.5))
            ink = "white" if shade == SHADES[2] else INK
            axes.text((place + 0.5) / cells, 0.25, name, ha="center", va="center", color=ink)
            place += 1
    left = place / cells
    for (name, p), shade in zip(law.items(), SHADES, strict=False):
        rest = float(p - Fraction(math.floor(p * cells), cells))
        axes.add_patch(Rectangle((left, 0), rest, 0.5, facecolor=shade, edgecolor=WARM, lw=1.2))
        axes.text(left + rest / 2, 0.58, name, ha="center", color=WARM, fontsize=9)
        left += rest
    middle = place / cells
    axes.text(middle / 2, -0.2, "14 whole cells: four random bits and a look-up", ha="center", color=INK)
    axes.text(1, -0.2, "what is left of a, b and c:\nmore words decide", ha="right", va="center", color=WARM)
    axes.set(xlim=(-0.01, 1.01), ylim=(-0.4, 0.8))
    axes.axis("off")
    return figure


ROOMS = {
    "cli": "one call a command",
    "opendp": "OpenDP's names",
    "serve": "the collector of a survey, over HTTP",
    "survey": "ask people",
    "tables": "publish tables",
    "audit": "check any claim",
    "disclosure": "what is told in public",
    "ledger": "the budget's books",
    "pages": "pages, charts and sheets from plain values",
    "words": "a loss in sentences",
    "figures": "numbers as read",
    "files": "whole or not at all",
    "urls": "without secrets",
    "progress": "how far work is",
    "intervals": "bounds from counts",
    "accounting": "what events cost together",
    "mechanisms": "one file each, its proof beside it",
    "noise": "one law a file: its tail, its sampler, its loss",
    "composition": "what several releases cost",
    "core": "Measurement, Transformation, >>",
    "events": "what was released, as plain data",
    "domains": "what data may be",
    "metrics": "how far apart",
    "measures": "how much is told",
    "samplers": "exact laws from coins",
    "coins": "only here randomness enters",
    "reals": "only here a real becomes a float",
    "exact": "what is typed becomes a fraction",
    "errors": "the tree of exceptions",
    "frozen": "how values get their fields",
    "_version": "its number",
}


def layers() -> list[list[str]]:
    """Return the rooms of each layer, as the contract of imports has them; every import that there is must fit."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    house, *_ = project["tool"]["importlinter"]["contracts"]
    rows = [re.split(r" [|:] ", row) for row in house["layers"]]
    floors = {room: floor for floor, row in enumerate(rows) for room in row}
    graph = grimp.build_graph("discreet", exclude_type_checking_imports=False)
    pairs = {(module, other) for module in graph.modules for other in graph.find_modules_directly_imported_by(module)}
    used = {tuple(name.split(".")[1] for name in pair) for pair in pairs if all("." in name for name in pair)}
    assert all(floors[room] <= floors[other] for room, other in used if room in floors)
    assert set(floors) == {room for pair in used for room in pair} - {"__main__"}
    return rows


def house() -> Figure:
    """Draw the layers: what is above may use what is below."""
    figure, axes = plt.subplots(figsize=(8.6, 8.0), layout="constrained")
    rows = layers()
    for row, rooms in enumerate(rows):
        width, size = 1 / len(rooms), 8.5 if len(rooms) < 4 else 7.5
        for i, name in enumerate(rooms):
            shade = ("#dff0f8", "#c9e5f2", "#b4daec", "#a0cfe6")[min(3, row // 3)]
            style = "round,pad=0,rounding_size=0.012"
            box = FancyBboxPatch((i * width + 0.006, -row), width - 0.012, 0.8, boxstyle=style, fc=shade, ec="none")
            box.set_mutation_aspect(11)
            axes.add_patch(box)
            middle = (i + 0.5) * width
            axes.text(middle, -row + 0.54, name, ha="center", va="center", color=INK, weight="bold", fontsize=10.5)
            axes.text(middle, -row + 0.22, ROOMS[name], ha="center", va="center", color=INK, fontsize=size)
    axes.annotate(
        "",
        xy=(1.035, -len(rows) + 1.1),
        xytext=(1.035, 0.8),
        arrowprops={"arrowstyle": "-|>", "color": WARM, "lw": 1.8},
    )
    axes.text(1.05, -len(rows) / 2 + 0.9, "dependencies point down", rotation=-90, va="center", color=WARM)
    axes.set(xlim=(0, 1.09), ylim=(-len(rows) + 0.9, 0.9))
    axes.axis("off")
    return figure


def logo() -> Figure:
    """Draw a discrete Laplace law: the mark of the project."""
    figure = plt.figure(figsize=(0.9, 0.9))
    axes: Axes = figure.add_axes((0.04, 0.08, 0.92, 0.88))
    for x in range(-3, 4):
        axes.bar(x, 0.5 ** abs(x), width=0.74, color=WARM if x == 0 else LIGHT)
    axes.axis("off")
    figure.patch.set_alpha(0)
    return figure


PICTURES: dict[str, Callable[[], Figure]] = {
    "result": result,
    "answer-plot": answer_plot,
    "estimate-plot": estimate_plot,
    "plan-plot": plan_plot,
    "what-it-tells": what_it_tells,
    "noise": noise,
    "people-needed": people_needed,
    "groups-that-appear": groups_that_appear,
    "which-noise": which_noise,
    "truth-told": truth_told,
    "lemma": lemma,
    "table-of-cells": table_of_cells,
    "house": house,
    "logo": logo,
}


def make(folder: Path, names: Iterable[str] = PICTURES) -> list[Path]:
    """Make the pictures of these names, and return where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for name in names:
        with plt.rc_context(STYLE):
            figure = PICTURES[name]()
            made.append(folder / f"{name}.svg")
            figure.savefig(made[-1], metadata={"Date": None})
            plt.close(figure)
    return made


if __name__ == "__main__":
    for path in make(Path(sys.argv[1]) if sys.argv[1:] else Path(__file__).parent):
        print(f"{path}: {path.stat().st_size / 1024:.0f} kB")
