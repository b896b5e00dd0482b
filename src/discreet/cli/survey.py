"""``discreet survey``: plan, perturb, collect, estimate."""

from __future__ import annotations

import json
from typing import Any

import click

__all__ = ["survey"]

_EPILOG = """\b
A survey is a file of TOML or JSON:
  epsilon = 2
  [[questions]]
  name = "smokes"
  choices = ["never", "sometimes", "daily"]
  missing = "no answer"
"""


@click.group(epilog=_EPILOG)
def survey() -> None:
    """Ask people: randomize each answer before it leaves the person, and estimate from the noise."""


@survey.command()
@click.option("--choices", type=int, required=True, help="How many choices the question has.")
@click.option("--epsilon", required=True, help='The budget of the question, such as 1 or "1/2".')
@click.option("--margin", help="Say how many people give intervals of this half width.")
@click.option("--people", type=int, help="Say what margin this many people give.")
@click.option("--confidence", default="0.95", show_default=True, help="The confidence of the intervals.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def plan(choices: int, epsilon: str, margin: str | None, people: int | None, confidence: str, as_json: bool) -> None:
    """Compare the mechanisms within a budget, and say how many people to ask.

    \b
    discreet survey plan --choices 10 --epsilon 1 --margin 0.02
    """
    from discreet.survey import plan as library_plan

    found = library_plan(choices, epsilon=epsilon, margin=margin, people=people, confidence=confidence)
    _show(found, {"limit": found.limit, "options": found.to_rows()}, as_json)


@survey.command()
@click.argument("answers")
@click.option("--survey", "survey_file", required=True, help="The survey, in TOML or JSON.")
@click.option("--out", required=True, help="The file of randomized answers, CSV or Parquet.")
@click.option("--keep", multiple=True, help="A public column that goes along as it is; may be repeated.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def perturb(answers: str, survey_file: str, out: str, keep: tuple[str, ...], as_json: bool) -> None:
    """Randomize the answers in a CSV or Parquet file.

    \b
    discreet survey perturb answers.csv --survey survey.toml --out noisy.parquet
    """
    from discreet.survey import Survey

    asked = Survey.load(survey_file)
    people = asked.perturb_file(answers, out, keep=keep)
    loss = asked.privacy_map(1)
    text = f"{out}: the randomized answers of {people:,} people; each loses at most epsilon = {loss}"
    _show(text, {"out": out, "people": people, "epsilon": loss}, as_json)


@survey.command()
@click.argument("noisy", nargs=-1, required=True)
@click.option("--survey", "survey_file", required=True, help="The survey, in TOML or JSON.")
@click.option("--out", required=True, help="The file of counts that `estimate` reads.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def collect(noisy: tuple[str, ...], survey_file: str, out: str, as_json: bool) -> None:
    """Count randomized answers, from CSV or Parquet files, or boxes collected before (.json).

    \b
    discreet survey collect monday.parquet tuesday.parquet --survey survey.toml --out box.json
    """
    from discreet.survey import Survey

    boxes = Survey.load(survey_file).collect(noisy)
    boxes.save(out)
    counts = {name: {"reports": box.n, "refused": dict(box.refused)} for name, box in boxes.items()}
    _show(f"{out}: {boxes!r}", {"out": out, "questions": counts}, as_json)


@survey.command()
@click.argument("box")
@click.option("--confidence", default="0.95", show_default=True, help="The confidence of the intervals.")
@click.option("--simultaneous", is_flag=True, help="Intervals that hold for all choices of a question together.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def estimate(box: str, confidence: str, simultaneous: bool, as_json: bool) -> None:
    """Estimate shares, with intervals, from what `collect` counted.

    \b
    discreet survey estimate box.json --confidence 0.99
    """
    from discreet.survey import Boxes

    estimates = Boxes.load(box).estimate(confidence=confidence, simultaneous=simultaneous)
    _show(estimates, estimates.to_rows(), as_json)


def _show(text: Any, data: Any, as_json: bool) -> None:
    click.echo(json.dumps(data, ensure_ascii=False) if as_json else str(text))
