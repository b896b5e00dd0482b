"""The root of the command line: how commands are found, and how errors are shown."""

from __future__ import annotations

import sys
from typing import Any, NoReturn

import click

from discreet import __version__
from discreet.cli.survey import survey
from discreet.errors import BudgetError, DiscreetError, EntropyError

__all__ = ["app"]


class _App(click.Group):
    """A group whose errors are one line: exit code 2 for wrong use, 1 for what was refused or failed."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command, and show what fails in one line."""
        kwargs["standalone_mode"] = False
        try:
            result = super().main(*args, **kwargs)
            sys.exit(result if isinstance(result, int) else 0)
        except click.exceptions.Abort:
            _fail("stopped", 1)
        except click.ClickException as error:
            if "--debug" in sys.argv:
                raise
            _fail(error.format_message(), error.exit_code)
        except (DiscreetError, OSError) as error:
            if "--debug" in sys.argv:
                raise
            refused = isinstance(error, BudgetError | EntropyError) or not isinstance(error, DiscreetError)
            _fail(str(error), 1 if refused else 2)


def _fail(message: str, code: int) -> NoReturn:
    click.echo(f"discreet: {message}", err=True)
    sys.exit(code)


@click.group(cls=_App, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "--version", prog_name="discreet")
@click.option("--debug", is_flag=True, help="Show a traceback where something fails.")
def app(debug: bool) -> None:
    """Exact differential privacy: ask people, publish tables."""


app.add_command(survey)
