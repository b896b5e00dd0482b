"""``discreet survey serve``, ``invite`` and ``export``: the collector of a survey, on this machine."""

from __future__ import annotations

import sys
from contextlib import closing
from typing import TYPE_CHECKING, Any, Literal

import click

from discreet.cli.show import plural, show

if TYPE_CHECKING:
    from discreet.survey.collectors import Wave
    from discreet.survey.tickets import TicketKey

__all__ = ["export", "invite", "serve", "ticket_key"]

_PATH = click.Path()
_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON.")
_STORE = click.option(
    "--store", "place", metavar="DIR", required=True, help="A folder for reports, or postgresql://..."
)
_WAVE = click.option("--wave", help="The wave, where the survey has several.")
_LOGS = click.Choice(["none", "requests", "addresses"])
_HOW = click.Choice(["codes", "blind"])


@click.command(short_help="Collect responses over HTTP, and show results.")
@click.argument("survey_file", metavar="SURVEY", type=_PATH)
@_STORE
@click.option("--host", metavar="ADDRESS", default="127.0.0.1", help="127.0.0.1 unless given; 0.0.0.0: for everybody.")
@click.option(
    "--port", metavar="N", type=click.IntRange(0, 65535), default=8080, help="8080 unless given; 0: a free one."
)
@click.option("--proxy", metavar="ADDRESS", help="Believe X-Forwarded-For from there.")
@click.option("--origin", "origins", metavar="SITE", multiple=True, help="Its pages may send here; repeatable.")
@click.option("--rate", metavar="N", type=click.IntRange(0), default=600, help="Requests a minute, 600; 0: any.")
@click.option("--log", metavar="WHAT", type=_LOGS, default="none", help="Of each request: none, requests or addresses.")
@click.option("--invitations", metavar="HOW", type=_HOW, help="codes, sent along, or blind, exchanged for a ticket.")
@click.option("--token", metavar="TEXT", envvar="DISCREET_TOKEN", help="Who has it sees results; else one is drawn.")
@click.option("--public-results", is_flag=True, help="Show them to all; with the token, /results?now.")
@click.option(
    "--step", metavar="N", type=click.IntRange(1), default=10, help="Public results move by so many reports, 10."
)
@click.option("--confidence", metavar="SHARE", default="0.95", help="Of the intervals, 0.95.")
@_JSON
def serve(
    survey_file: str,
    place: str,
    port: int,
    host: str,
    token: str | None,
    public_results: bool,
    step: int,
    confidence: str,
    invitations: str | None,
    rate: int,
    proxy: str | None,
    origins: tuple[str, ...],
    log: Literal["none", "requests", "addresses"],
    as_json: bool,
) -> None:
    """Collect responses over HTTP until it is stopped: the page at /, the results at /results.

    \b
    discreet survey serve survey.toml --store reports
    discreet survey serve survey.toml --store reports --invitations blind
    discreet survey serve survey.toml --store reports --proxy 127.0.0.1
    """
    from discreet.exact import written
    from discreet.serve import Calendar, Desk, Settings, bound_socket, invitations_in, new_codes, open_store, run
    from discreet.serve import ticket_keys as library_keys
    from discreet.survey import Poll, Survey
    from discreet.survey.calendar import name_of

    asked, calendar = Survey.load(survey_file), Calendar.load(survey_file)
    blind = invitations_in(survey_file, invitations) == "blind"
    poll = None if blind else Poll.load(survey_file, collector="self")
    secret = token or next(iter(new_codes(1)))
    settings = Settings(
        token=secret,
        confidence=confidence,
        public=public_results,
        step=step,
        rate=rate or None,
        origins=origins,
        log=log,
    )
    store = open_store(asked, place)
    store.hold()
    keys = library_keys(store, calendar) if blind else {}
    polls = {
        wave: Poll.load(survey_file, collector="self", key=key.public, wave=name_of(wave)) for wave, key in keys.items()
    }
    pages = {wave: each.to_html() for wave, each in polls.items()} if poll is None else poll.to_html()
    wording = next(iter(polls.values()) if poll is None else iter([poll])).wording
    desk = Desk(asked, store, settings, calendar=calendar, page=pages, wording=wording, keys=keys or None)
    socket = bound_socket(host, port)
    port = socket.getsockname()[1]
    address = f"http://{f'[{host}]' if ':' in host else host}:{port}"
    loss = written(asked.privacy_map(1), up=True)
    lines = [
        f"{survey_file}: {plural(len(asked.forms), 'question')}; each person loses at most epsilon {loss}",
        f"answers:  {address}/",
        f"results:  {address}/results",
    ]
    data: dict[str, Any] = {"address": address, "results": f"{address}/results", "epsilon": asked.privacy_map(1)}
    for wave, key in keys.items():
        lines.append(f"key:      {key.public.fingerprint}  (on everybody's page{_of_wave(name_of(wave))})")
        data.setdefault("keys", {})[wave] = key.public.fingerprint
    if token is None:
        lines.append(f"token:    {secret}  (the password of the results, with any name)")
        data["token"] = secret
    show(lines, data, as_json=as_json)
    sys.stdout.flush()
    run(desk, socket, proxy=proxy)


@click.command(short_help="Make invitations: one answer a person.")
@click.argument("survey_file", metavar="SURVEY", type=_PATH)
@_STORE
@click.option("--number", type=click.IntRange(1, 10**6), required=True, help="How many.")
@_WAVE
@click.option("--create", is_flag=True, help="Make the store, where there is none yet.")
@_JSON
def invite(survey_file: str, place: str, number: int, wave: str | None, create: bool, as_json: bool) -> None:
    """Make invitations, and print them once: the store keeps only marks from which no code can be found.

    As soon as there is one, nobody answers without. Each is for one answer, in one wave.

    \b
    discreet survey invite survey.toml --store reports --number 300 --create
    """
    from discreet.serve import Calendar, open_store
    from discreet.serve import invite as library_invite
    from discreet.survey import Survey

    asked = Survey.load(survey_file)
    period = Calendar.load(survey_file).chosen(wave)
    with closing(open_store(asked, place, create=create)) as store:
        codes = library_invite(asked, store, number, wave=period.wave)
    show(codes, {"invitations": codes}, as_json=as_json)


def ticket_key(survey_file: str, place: str, wave: str | None) -> tuple[TicketKey, Wave]:
    """Return the key of a wave's tickets from the store of its collector, and the wave."""
    from discreet.serve import Calendar, open_store, ticket_keys
    from discreet.survey import Survey
    from discreet.survey.calendar import text_of

    calendar = Calendar.load(survey_file)
    period = calendar.chosen(wave)
    with closing(open_store(Survey.load(survey_file), place, create=False)) as store:
        return ticket_keys(store, calendar)[text_of(period.wave)].public, period.wave


def _of_wave(wave: Wave) -> str:
    return "" if wave is None else f" of {wave}"


@click.command(short_help="Write what was collected to a file.")
@click.argument("survey_file", metavar="SURVEY", type=_PATH)
@_STORE
@click.option("--out", type=_PATH, required=True, help="The file: CSV, Parquet, or .txt with a code a line.")
@_WAVE
@_JSON
def export(survey_file: str, place: str, out: str, wave: str | None, as_json: bool) -> None:
    """Write the randomized answers of a wave to a file, in random order, for `collect` and for other programs.

    \b
    discreet survey export survey.toml --store reports --out noisy.parquet
    """
    from discreet.serve import Calendar, open_store
    from discreet.serve import export as library_export
    from discreet.survey import Survey

    asked = Survey.load(survey_file)
    period = Calendar.load(survey_file).chosen(wave)
    with closing(open_store(asked, place, create=False)) as store:
        people = library_export(asked, store, out, wave=period.wave)
    text = f"{out}: the randomized answers of {plural(people, 'person', 'people')}, in random order"
    show([text], {"out": out, "people": people}, as_json=as_json)
