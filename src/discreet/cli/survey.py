"""``discreet survey``: plan, perturb, collect, estimate."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from discreet.cli.serve import ticket_key
from discreet.cli.show import Grid, Part, Title, check_page, plural, show, with_page
from discreet.errors import ParameterError, none_of

if TYPE_CHECKING:
    from discreet.survey import Boxes, Collector

__all__ = ["survey"]

_PATH = click.Path()
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_SURVEY = click.option("--survey", "survey_file", type=_PATH, required=True, help="The survey, in TOML or JSON.")
_HTML = click.option("--html", type=_PATH, help="Write a page to this file, for a browser.")
_CONFIDENCE = click.option("--confidence", default="0.95", show_default=True, help="The confidence of the intervals.")

_EPILOG = """\b
A survey is a file of TOML or JSON:
  epsilon = 2
  [[questions]]
  name = "smokes"
  choices = ["never", "sometimes", "daily"]
  missing = "no answer"
"""


@click.group(epilog=_EPILOG, short_help="Plan, perturb, collect, estimate: noise before an answer leaves.")
def survey() -> None:
    """Ask people: randomize each answer before it leaves the person, and estimate from the noise."""


@survey.command(short_help="Compare mechanisms, and say how many to ask.")
@click.option("--choices", type=int, required=True, help="How many choices the question has.")
@click.option("--epsilon", required=True, help='The budget of the question, such as 1 or "1/2".')
@click.option("--margin", help="Say how many people give intervals of this half width.")
@click.option("--people", type=int, help="Say what margin this many people give.")
@click.option("--max-share", help="The greatest share that a choice can have, if that is known.")
@_CONFIDENCE
@_HTML
@_JSON
def plan(
    choices: int,
    epsilon: str,
    margin: str | None,
    people: int | None,
    max_share: str | None,
    confidence: str,
    html: str | None,
    as_json: bool,
) -> None:
    """Compare the mechanisms within a budget, and say how many people to ask.

    \b
    discreet survey plan --choices 10 --epsilon 1 --margin 0.02
    """
    from discreet.survey import plan as library_plan

    check_page(html)
    wanted = {"margin": margin, "people": people, "max_share": max_share, "confidence": confidence}
    found = library_plan(choices, epsilon=epsilon, **wanted)
    data = {"limit": found.limit, "options": found.to_rows()}
    show(*with_page(html, found.to_html, [found.sheet], data), as_json=as_json)


@survey.command()
@click.argument("answers", type=_PATH)
@_SURVEY
@click.option("--out", type=_PATH, required=True, help="The file of randomized answers, CSV or Parquet.")
@click.option("--keep", multiple=True, help="A public column that goes along as it is; may be repeated.")
@_JSON
def perturb(answers: str, survey_file: str, out: str, keep: tuple[str, ...], as_json: bool) -> None:
    """Randomize the answers in a CSV or Parquet file.

    \b
    discreet survey perturb answers.csv --survey survey.toml --out noisy.parquet
    """
    from discreet.exact import written
    from discreet.survey import Survey

    asked = Survey.load(survey_file)
    people = asked.perturb_file(answers, out, keep=keep)
    loss = asked.privacy_map(1)
    who = plural(people, "person", "people")
    text = f"{out}: the randomized answers of {who}; each loses at most epsilon {written(loss, up=True)}"
    show([text], {"out": out, "people": people, "epsilon": loss}, as_json=as_json)


@survey.command(short_help="Count randomized answers, from files or boxes.")
@click.argument("noisy", type=_PATH, nargs=-1, required=True)
@_SURVEY
@click.option("--out", type=_PATH, required=True, help="The file of counts that `estimate` reads.")
@click.option("--wave", help="The name of the wave, in which each person answers once.")
@_JSON
def collect(noisy: tuple[str, ...], survey_file: str, out: str, wave: str | None, as_json: bool) -> None:
    """Count randomized answers: CSV or Parquet files, codes a line (.txt), boxes collected before (.json); once each.

    \b
    discreet survey collect monday.parquet tuesday.parquet \\
      --survey survey.toml --out box.json
    discreet survey collect may.parquet --survey survey.toml --wave spring \\
      --out spring.json
    """
    from discreet.survey import Survey

    if Path(out).exists() and not any(Path(out).samefile(path) for path in noisy if Path(path).exists()):
        need = f"a new file, or add {out} to those collected: else its reports would be lost"
        raise click.UsageError(f"{out} exists: --out needs {need}")
    boxes = Survey.load(survey_file).collect(noisy, wave=wave)
    boxes.save(out)
    counts = {name: {"reports": box.n, "refused": dict(box.refused)} for name, box in boxes.items()}
    show(_boxes_page(out, boxes), {"out": out, "questions": counts}, as_json=as_json)


@survey.command(short_help="A page for people's phones, in one file.")
@click.argument("survey_file", metavar="SURVEY", type=_PATH)
@click.option("--out", type=_PATH, required=True, help="Write the page to this file, .html.")
@click.option("--collector", help='The address that takes responses, or "self": where the page came from.')
@click.option("--store", "place", metavar="DIR", help="The collector's, where invitations are blind: its key.")
@click.option("--wave", help="The wave of that key, where the survey has several.")
@_JSON
def page(survey_file: str, out: str, collector: str | None, place: str | None, wave: str | None, as_json: bool) -> None:
    """Write a page on which people answer, randomized on their own devices: one file that loads nothing.

    The survey's file may have a title, sponsor, consent, language and collector; its questions text, labels and group.
    Without a collector the page shows a code to hand in, which `collect` takes: a file of them, .txt, one a line.

    \b
    discreet survey page class.toml --collector https://poll.example.org \\
      --out poll.html
    """
    from discreet.exact import written
    from discreet.survey import Poll

    check_page(out)
    key, of = (None, None) if place is None else ticket_key(survey_file, place, wave)
    found = Poll.load(survey_file, collector=collector, key=key, wave=of)
    found.to_html(out)
    loss, digest = found.survey.privacy_map(1), found.survey.digest.hex()
    text = f"{out}: a page of {plural(len(found.survey.forms), 'question')}; each person loses at most epsilon "
    facts = {"out": out, "epsilon": loss, "digest": digest, "collector": found.collector}
    where = "people hand in codes" if found.collector is None else f"responses go to {found.collector}"
    lines = [text + written(loss, up=True), f"{where}; the survey's digest is {digest}"]
    if key is not None:
        lines.append(f"tickets are signed by the key {key.fingerprint}")
        facts["key"] = key.fingerprint
    show(lines, facts, as_json=as_json)


@survey.command(short_help="A sheet to print, for answers by dice.")
@click.argument("survey_file", metavar="SURVEY", type=_PATH)
@click.option("--out", type=_PATH, help="Write the sheet to this file, .html, to print from a browser.")
@click.option("--size", type=click.Choice(["A4", "letter"], case_sensitive=False), default="A4", help="Of the paper.")
@click.option("--people", type=int, multiple=True, help="Say how exact it is for so many; may be repeated.")
@_JSON
def sheet(survey_file: str, out: str | None, size: str, people: tuple[int, ...], as_json: bool) -> None:
    """Say how exact a survey by dice will be, and write the sheet on which people answer.

    The survey says which dice people have: dice = [6, 6]. A coin has 2 sides, and [4, 13] is a card of 52.

    \b
    discreet survey sheet class.toml --people 30 --out sheet.html
    """
    from discreet.survey import Paper

    check_page(out)
    asked = {"people": people} if people else {}
    found = Paper.load(survey_file, size="letter" if size.lower() == "letter" else "A4", **asked)
    data = {"epsilon": found.survey.privacy_map(1), "margins": found.to_rows()}
    show(*with_page(out, found.to_html, [found.sheet], data), as_json=as_json)


@survey.command(short_help="Type in how often each choice was ticked.")
@click.argument("survey_file", metavar="SURVEY", type=_PATH)
@click.argument("counts", metavar="QUESTION CHOICE=COUNT...", nargs=-1, required=True)
@click.option("--out", type=_PATH, required=True, help="The file of counts that `estimate` reads.")
@click.option("--wave", help="The name of the wave, in which each person answers once.")
@_JSON
def tally(survey_file: str, counts: tuple[str, ...], out: str, wave: str | None, as_json: bool) -> None:
    """Type in how often each choice was ticked on paper, for one question or several.

    \b
    discreet survey tally class.toml smokes never=52 daily=31 \\
      --out class.json
    """
    from discreet.survey import Survey

    if Path(out).exists():
        raise ParameterError("out", out, "a new file; `survey collect` puts several together")
    boxes = Survey.load(survey_file).collector(wave=wave)
    ticks = _ticks(counts)
    for name in ticks.keys() - boxes.keys():
        raise none_of("question", name, boxes)
    boxes.add_counts(ticks)
    boxes.save(out)
    reports = {name: {"reports": box.n, "refused": {}} for name, box in boxes.items()}
    show(_boxes_page(out, boxes), {"out": out, "questions": reports}, as_json=as_json)


def _ticks(words: Iterable[str]) -> dict[str, dict[str, int]]:
    """Return the counts of each question from words: its name, then each choice with its count."""
    found: dict[str, dict[str, int]] = {}
    need = "a question, then each of its choices once with a whole number, as in: smokes no=52 yes=31"
    for word in words:
        choice, sign, count = word.rpartition("=")
        last = next(reversed(found.values()), None)
        if not sign and word not in found:
            found[word] = {}
        elif last is not None and choice not in last and count.isascii() and count.isdigit():
            last[choice] = int(count)
        else:
            raise ParameterError("counts", word, need)
    return found


@survey.command(short_help="Estimate shares, with intervals, from counts.")
@click.argument("box", type=_PATH, nargs=-1, required=True)
@click.option(
    "--people",
    type=click.Choice(["same", "different"]),
    help="For boxes of several waves: whether the same people may be in several.",
)
@_CONFIDENCE
@click.option("--simultaneous", is_flag=True, help="Intervals that hold for all choices of a question together.")
@_HTML
@_JSON
def estimate(
    box: tuple[str, ...],
    people: Literal["same", "different"] | None,
    confidence: str,
    simultaneous: bool,
    html: str | None,
    as_json: bool,
) -> None:
    """Estimate shares, with intervals, from what `collect` counted; over several waves, from one box each.

    \b
    discreet survey estimate box.json --confidence 0.99
    discreet survey estimate box.json --html report.html
    discreet survey estimate spring.json autumn.json --people same
    """
    from discreet.survey import Boxes
    from discreet.words import plain

    check_page(html)
    first, *others = map(Boxes.load, box)
    estimates = first.estimate(*others, people=people, confidence=confidence, simultaneous=simultaneous)
    parts = [part for found in estimates.values() for part in ("", found.sheet)][1:]
    parts += [f"{plain(name)}: {_unsaid(box)}" for name, box in first.items() if name not in estimates]
    show(*with_page(html, estimates.to_html, parts, estimates.to_dict()), as_json=as_json)


def _unsaid(box: Collector) -> str:
    """Say why a box has no estimate."""
    if not box.n:
        return "no reports"
    return f"{plural(box.n, 'report')} of open text, in which decode() finds candidates, in Python"


def _boxes_page(out: str, boxes: Boxes) -> Iterator[Part]:
    from discreet.words import plain

    yield Title(f"{out}: {plural(len(boxes), 'question')}")
    rows = [
        [
            plain(name),
            f"{box.n:,}",
            f"{box.refused.total():,}",
            "; ".join(f"{n:,} {why}" for why, n in sorted(box.refused.items())),
        ]
        for name, box in boxes.items()
    ]
    yield Grid(["question", "reports", "refused", "why"], rows, "trrt")
