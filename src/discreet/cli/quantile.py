"""``discreet quantile``, and what explains it: the median and other quantiles of a column in each group."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from discreet.cli import tables

if TYPE_CHECKING:
    from discreet.tables import Quantile

__all__ = ["explain_quantile", "quantile"]

_ASKED = (
    tables.FILE,
    tables.COLUMN,
    click.option("--at", multiple=True, required=True, help="Which: 0.5 is the median; may be repeated."),
    click.option("--low", help="What every lower value counts as; auto learns it from a part of epsilon."),
    click.option("--high", help="What every higher value counts as; likewise."),
    click.option("--grid", help="The step that values are rounded to; a power of two unless given."),
    click.option("--ends", help="The part of epsilon that pays for the interval's ends; one half unless given."),
)


@click.command(short_help="Find the median of a column in each group.")
@tables.options(*_ASKED, *tables.PUBLISHED)
def quantile(**given: Any) -> None:
    """Find quantiles in each group, over people, of their own mean of a column clipped to [low, high].

    \b
    discreet quantile events.csv amount --at 0.5 --low 0 --high 9 \\
      --person user_id --epsilon 1
    """
    asked = _asked(given)
    tables.publish(_released(given), "release", asked)


@tables.explain.command("quantile")
@tables.options(*_ASKED, *tables.EXPLAINED, tables.BOOKS, tables.WHO, tables.JSON)
def explain_quantile(**given: Any) -> None:
    """Explain quantiles.

    \b
    discreet explain quantile events.csv amount --at 0.5 --low 0 --high 9 \\
      --person user_id --epsilon 1
    """
    asked = _asked(given)
    tables.say_explained(tables.explained_of(_released(given), "release", [asked], None), given)


def _asked(given: dict[str, Any]) -> Quantile:
    """Return the quantiles that are asked for."""
    from discreet.tables import Quantile

    tables.check_bounds(given)
    shares = {} if given["ends"] is None else {"ends": given["ends"]}
    return Quantile(given["column"], *given["at"], low=given["low"], high=given["high"], grid=given["grid"], **shares)


def _released(given: dict[str, Any]) -> dict[str, Any]:
    """Return what was typed, without what the quantiles themselves have taken."""
    return {name: value for name, value in given.items() if name not in ("low", "high", "grid")}
