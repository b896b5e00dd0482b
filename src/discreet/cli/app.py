"""The root of the command line: how commands are found, and how errors are shown."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import click

from discreet import __version__
from discreet.cli.survey import survey
from discreet.cli.tables import commands
from discreet.errors import (
    BudgetError,
    DiscreetError,
    DomainError,
    EngineError,
    EntropyError,
    LedgerError,
    UnsupportedError,
)

__all__ = ["app"]

_REFUSED = (BudgetError, DomainError, EngineError, EntropyError, LedgerError, UnsupportedError)
_EXTRAS = dict.fromkeys(("duckdb", "ibis", "sqlglot"), "tables")


class _App(click.Group):
    """A group whose errors are one line: exit code 2 for wrong use, 1 for what was refused or failed."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command, and show what fails in one line."""
        kwargs["standalone_mode"] = False
        given = kwargs.get("args", args[0] if args else None)
        debug = "--debug" in (sys.argv[1:] if given is None else given)
        try:
            result = super().main(*args, **kwargs)
            sys.exit(result if isinstance(result, int) else 0)
        except click.exceptions.Abort:
            _fail("stopped", 1)
        except click.exceptions.NoArgsIsHelpError as error:
            click.echo(error.ctx.get_help())
            sys.exit(0)
        except (click.ClickException, DiscreetError, OSError, ModuleNotFoundError) as error:
            if debug:
                raise
            _fail(*_said(error))


def _said(error: Exception) -> tuple[str, int]:
    """Return what to say of an error, and the exit code: 2 for wrong use, 1 for what was refused or failed."""
    if isinstance(error, click.ClickException):
        return error.format_message(), error.exit_code
    if isinstance(error, ModuleNotFoundError):
        return f"this needs {error.name}: pip install 'discreet[{_EXTRAS.get(error.name or '', 'survey')}]'", 1
    refused = not isinstance(error, DiscreetError) or isinstance(error, _REFUSED)
    return str(error), 1 if refused else 2


def _fail(message: str, code: int) -> NoReturn:
    click.echo(f"discreet: {message}", err=True)
    sys.exit(code)


@click.group(cls=_App, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "--version", prog_name="discreet")
@click.option("--debug", is_flag=True, help="Show a traceback where something fails.")
def app(debug: bool) -> None:
    """Exact differential privacy: ask people, publish tables."""


for command in (survey, *commands):
    app.add_command(command)
