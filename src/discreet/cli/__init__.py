"""The command line: each command is one library call."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Run the command line."""
    try:
        from discreet.cli.app import app
    except ModuleNotFoundError as missing:
        sys.exit(f"discreet: the command line needs {missing.name}: pip install 'discreet[cli]'")
    app(prog_name="discreet")
