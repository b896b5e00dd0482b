"""The command line: each command is one library call."""

from __future__ import annotations

import atexit
import gc
import io
import sys

__all__ = ["main"]

_YOUNG = 100_000
"""How many new objects the collector waits for: imports make many that stay, and going through them takes its time."""


def main() -> None:
    """Run the command line."""
    gc.set_threshold(_YOUNG)
    atexit.register(gc.disable)  # The interpreter collects once more all the same, which closes what is still open.
    try:
        from discreet.cli.app import app
    except ModuleNotFoundError as missing:
        sys.exit(f"discreet: the command line needs {missing.name}: pip install 'discreet[cli]'")
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # A terminal without a sign gets another, and not an error.
    app(prog_name="discreet")
