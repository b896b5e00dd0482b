"""``discreet version``: what is installed, by importing none of it."""

from __future__ import annotations

import platform
from typing import Any, Final

import click

from discreet import __version__

__all__ = ["PARTS", "version", "versions"]

PARTS: Final = {
    "discreet": ("numpy", "python-flint"),
    "tables": ("duckdb", "ibis-framework", "pyarrow", "sqlglot"),
    "spark": ("pyspark",),
    "survey": ("narwhals", "pyarrow", "scipy"),
    "serve": ("httptools", "starlette", "uvicorn", "uvloop"),
    "plot": ("matplotlib",),
    "postgres": ("psycopg",),
    "audit": ("scipy",),
    "xlsx": ("xlsxwriter",),
    "cli": ("click", "rich"),
}
"""What the library needs, and each of its extras."""


def versions() -> dict[str, Any]:
    """Return the versions of discreet, of Python, and of what is installed of each extra; None for what is not.

    >>> versions()["discreet"] == __version__, versions()["packages"]["discreet"]["numpy"] is not None
    (True, True)
    """
    packages = {extra: {name: _version(name) for name in names} for extra, names in PARTS.items()}
    return {"discreet": __version__, "python": platform.python_version(), "packages": packages}


def _version(name: str) -> str | None:
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        return installed(name)
    except PackageNotFoundError:
        return None


@click.command(short_help="Say which versions are installed.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def version(as_json: bool) -> None:
    """Say which versions are installed: of discreet, of Python, and of each optional part.

    \b
    discreet version
    """
    from discreet.cli.show import Grid, Title, show

    found = versions()
    rows = []
    for extra, names in found["packages"].items():
        there = ", ".join(f"{name} {number}" for name, number in names.items() if number is not None)
        lacking = ", ".join(name for name, number in names.items() if number is None)
        remedy = f"; lacks {lacking}: pip install 'discreet[{extra}]'" if lacking else ""
        rows.append(["" if extra == "discreet" else f"discreet[{extra}]", (there + remedy).removeprefix("; ")])
    title = Title(f"discreet {found['discreet']}", f"Python {found['python']}")
    show([title, Grid(["part", "installed"], rows, "lt")], found, as_json=as_json)
