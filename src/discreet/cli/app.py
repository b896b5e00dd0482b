"""The root of the command line: how commands are found, and how errors are shown."""

from __future__ import annotations

import errno
import json
import os
import re
import shlex
import signal
import sys
from collections.abc import Collection, Sequence
from typing import Any, Final, NoReturn

import click

from discreet import __version__
from discreet.cli.audit import audit, proof
from discreet.cli.demo import demo
from discreet.cli.disclose import record, verify
from discreet.cli.publish import publish
from discreet.cli.quantile import quantile
from discreet.cli.serve import export, invite, serve
from discreet.cli.survey import survey
from discreet.cli.tables import budget, count, explain, keys, mean, release, suggest, sum_
from discreet.cli.version import version
from discreet.errors import (
    BudgetError,
    DiscreetError,
    DomainError,
    EngineError,
    EntropyError,
    LedgerError,
    UnsupportedError,
)

__all__ = ["app", "spoken"]

_REFUSED: Final = (BudgetError, DomainError, EngineError, EntropyError, LedgerError, UnsupportedError)
_EXTRAS: Final = dict.fromkeys(("duckdb", "ibis", "sqlglot"), "tables") | {
    "matplotlib": "plot",
    "psycopg": "postgres",
    "pyspark": "spark",
    "rich": "cli",
    "starlette": "serve",
    "uvicorn": "serve",
}
_SECTIONS: Final = {
    "Publish tables": (count, sum_, mean, quantile, release, keys, explain, suggest, publish, budget, verify, record),
    "Ask people": (survey,),
    "Check and learn": (audit, proof, demo, version),
}
_INTERRUPTED: Final = 128 + signal.SIGINT
_VOID: Final = re.compile(r" of (.+); Ledger\.void\((\d+), reason=\.\.\.\)")
_FLAGS: Final = (
    dict.fromkeys(("by", "columns"), "--by")
    | {
        "column": "COLUMN",
        "value": "COLUMN",
        "source": "FILE",
        "types": "--type",
        "number": "--void",
        "keys": "--key",
        "mechanism": "MECHANISM",
        "name": "NAME",
        "every": "--period",
        "analyst": "--analyst",
        "analysts": "--analyst",
        "version": "--data-version",
        "entry": "--why",
    }
    | {
        name: f"--{name.replace('_', '-')}"
        for name in (
            *("accountant", "answers", "at", "noise", "period", "release_delta", "rounds", "start", "who"),
            *("choices", "confidence", "delta", "epsilon", "grid", "group_size", "high", "keep", "low", "margin"),
            *(
                "folder",
                "left_out",
                "max_groups",
                "max_rows",
                "people",
                "person",
                "planned",
                "port",
                "reason",
                "rows",
                "people_share",
                "signers",
                "store",
                "table",
                "trials",
                "wave",
                "where",
            ),
        )
    }
)
"""What a parameter of the library is called here."""
_SAYINGS: Final = (
    (
        'explain() shows choices, "auto" and suggest_max_groups() choose',
        "`discreet explain` shows choices, auto and `discreet suggest` choose",
    ),
    ("suggest_max_groups()", "`discreet suggest`"),
    ("suggest_bounds()", "`discreet suggest --bounds COLUMN`"),
    ("give epsilon=, and delta=, to start one", "`discreet budget PATH --create --epsilon 3 --delta 1e-5` starts one"),
    ("leave epsilon= and delta= away to open it as it is", "leave --create, --epsilon and --delta away to open it"),
    ("or unseen=True, if", "or --unseen, if"),
    ("or give their keys", "or give them with --key or --keys"),
    ("give pairs", "in Python, audit.exact(..., pairs=...) takes yours"),
)
_GREETING: Final = """\
discreet {version}: exact differential privacy. It does two jobs.

  Publish tables: counts, sums and means per group, the list of groups private.
    discreet count events.csv --by city --person user_id --max-groups 3 \\
      --epsilon 1 --delta 1e-6

  Ask people: each answer is randomized before it leaves the person.
    discreet survey plan --choices 10 --epsilon 1 --margin 0.02

  See both at work, on invented people:  discreet demo
  All commands, and help for each one:   discreet --help, discreet count --help\
"""
_EPILOG: Final = """\b
Every command takes --json.
Exit codes: 0 done; 1 refused or failed; 2 wrong use; 130 interrupted.
An error is one line; with --json it is JSON, on stderr like the line:
  {"error": "...", "kind": "BudgetError", "exit_code": 1}
Shell completion, also of the columns of FILE:
  bash:  eval "$(_DISCREET_COMPLETE=bash_source discreet)"     (in ~/.bashrc)
  zsh:   eval "$(_DISCREET_COMPLETE=zsh_source discreet)"      (in ~/.zshrc)
  fish:  _DISCREET_COMPLETE=fish_source discreet | source      (in config.fish)
"""


class _InterruptError(Exception):
    """Ctrl-C, with what it says of the books."""


class _App(click.Group):
    """A group whose errors are one line: exit code 2 for wrong use, 130 for Ctrl-C, 1 for what else failed."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command, and show what fails in one line."""
        kwargs["standalone_mode"] = False
        given = kwargs.pop("args", args[0] if args else None)
        words: list[str] = list(sys.argv[1:] if given is None else given)
        debug = "--debug" in words
        try:
            result = super().main([word for word in words if word != "--debug"], *args[1:], **kwargs)
            sys.stdout.flush()
            sys.exit(result if isinstance(result, int) else 0)
        except _InterruptError as error:
            _stop(str(error), words)
        except click.exceptions.Abort as error:
            if isinstance(error.__cause__, KeyboardInterrupt):
                _stop("", words)
            _fail("stopped", "Abort", 1, words)
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.ctx.get_help())
            sys.exit(0)
        except Exception as error:
            if debug:
                raise
            if isinstance(error, OSError) and error.errno == errno.EPIPE:
                _leave_the_pipe()
            _fail(*_said(error, self._options(words)), words)

    def _options(self, words: Sequence[str]) -> set[str]:
        """Return what the command that was typed takes: its options, and its arguments as help shows them."""
        command: click.Command = self
        for word in words:
            command = command.commands.get(word, command) if isinstance(command, click.Group) else command
        return {name for each in command.params for name in (*each.opts, each.human_readable_name)}

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; an interrupt keeps what it says of the books, which click would drop."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as error:
            raise _InterruptError(str(error)) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands by what they are for."""
        widest = max(len(name) for name in self.commands)
        for title, listed in _SECTIONS.items():
            with formatter.section(title):
                formatter.write_dl(
                    [(str(each.name).ljust(widest), each.get_short_help_str(formatter.width)) for each in listed]
                )


def _said(error: Exception, options: Collection[str]) -> tuple[str, str, int]:
    """Return what to say of an error, its kind, and the exit code: 2 for wrong use, 1 for what failed."""
    kind = type(error).__name__
    if isinstance(error, click.UsageError):
        path = error.ctx.command_path if error.ctx is not None else "discreet"
        return f"{error.format_message().rstrip('.')}; see `{path} --help`", kind, error.exit_code
    if isinstance(error, click.ClickException):
        return error.format_message(), kind, error.exit_code
    if isinstance(error, ModuleNotFoundError):
        name = (error.name or "").split(".")[0]
        return f"this needs {name}: pip install 'discreet[{_EXTRAS.get(name, 'survey')}]'", kind, 1
    if isinstance(error, DiscreetError):
        return spoken(str(error), options), kind, 1 if isinstance(error, _REFUSED) else 2
    if isinstance(error, OSError) and error.filename is not None:
        hints = {FileNotFoundError: "check the path", IsADirectoryError: "name a file"}
        hint = hints.get(type(error), "choose another place, or its permissions")
        return f"{error.filename}: {error.strerror or kind}; {hint}", kind, 1
    if isinstance(error, OSError):
        return str(error), kind, 1
    # Its own words may quote the data.
    return f"failed in a way that it should not ({kind}); --debug shows where", kind, 1


def spoken(message: str, options: Collection[str] | None = None) -> str:
    """Return an error of the library in the words of the command line: of a command that has these *options*.

    >>> spoken("max_groups=None: need at least one"), spoken("epsilon='x': need a number")
    ('--max-groups: need at least one', "--epsilon 'x': need a number")
    >>> spoken("epsilon='x': need a number", ["--out"])
    "epsilon='x': need a number"
    """
    for there, here in _SAYINGS:
        message = message.replace(there, here)
    message = _VOID.sub(
        lambda found: f" of {found[1]}; `discreet budget {shlex.quote(found[1])} --void {found[2]} --reason ...`",
        message,
    )
    found = re.match(r"(\w+)=(None(?=: need ))?", message)
    if found is None or found[1] not in {*_FLAGS, "path"} or ": need " not in message:
        return message
    rest = message[found.end() :]
    if found[1] == "path":
        return rest  # Which option or argument it is, the file itself tells.
    if options is not None and _FLAGS[found[1]] not in options:
        return message  # It stands in a file, such as a survey or a plan.
    return f"{_FLAGS[found[1]]}{rest}" if found[2] else f"{_FLAGS[found[1]]} {rest}"


def _fail(message: str, kind: str, code: int, words: Sequence[str]) -> NoReturn:
    line = " ".join(message.split())
    as_json = json.dumps({"error": line, "kind": kind, "exit_code": code}, ensure_ascii=False)
    click.echo(as_json if "--json" in words else f"discreet: {line}", err=True)
    sys.exit(code)


def _stop(books: str, words: Sequence[str]) -> NoReturn:
    """End after Ctrl-C, as a shell expects it, and say what the books hold."""
    if sys.stderr is not None and sys.stderr.isatty():
        click.echo(err=True)  # The terminal has written ^C there.
    _fail(spoken(f"interrupted: {books}") if books else "interrupted", "KeyboardInterrupt", _INTERRUPTED, words)


def _leave_the_pipe() -> NoReturn:
    """End where nobody reads any more; the interpreter must not fail once again when it closes the pipe."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(1)


@click.group(
    cls=_App,
    epilog=_EPILOG,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, "--version", prog_name="discreet")
@click.option("--debug", is_flag=True, help="Show a traceback where something fails; may stand anywhere.")
@click.pass_context
def app(ctx: click.Context, debug: bool) -> None:
    """Exact differential privacy: publish tables, ask people."""
    if ctx.invoked_subcommand is None:
        click.echo(_GREETING.format(version=__version__))


for _collecting in (serve, invite, export):
    survey.add_command(_collecting)
for _commands in _SECTIONS.values():
    for _command in _commands:
        app.add_command(_command)
