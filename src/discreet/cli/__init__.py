"""The command line: each command is one library call."""

from __future__ import annotations

import atexit
import gc
import io
import os
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

__all__ = ["main", "program"]

_YOUNG: Final = 300_000
"""How many new objects the collector waits for: imports make many that stay, and going through them takes its time."""
_THREADS: Final = "OPENBLAS_NUM_THREADS"
"""NumPy's algebra, which tables ask nothing of, would start threads that turn in circles until it is asked."""
_UNSAID: Final = 120
"""The exit code of Python itself, where what was printed could not be written."""


def main() -> None:
    """Run the command line."""
    gc.set_threshold(_YOUNG)
    if sys.argv[1:2] != ["survey"]:  # Where reports are decoded, it is asked.
        os.environ.setdefault(_THREADS, "1")
    atexit.register(gc.disable)  # The interpreter collects once more all the same, which closes what is still open.
    try:
        from discreet.cli.app import app
    except ModuleNotFoundError as missing:
        sys.exit(f"discreet: the command line needs {missing.name}: pip install 'discreet[cli]'")
    if sys.stderr is None:  # Closed by whoever started this: what is said there goes nowhere, and nothing fails.
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115  As long as the process.
    if sys.stdout is None:  # An answer is paid for, and goes where errors go.
        sys.stdout = sys.stderr
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # A terminal without a sign gets another, and not an error.
    app(prog_name="discreet")


def program() -> None:
    """Run the command line in a process that is its own, and end the process with it.

    Where all that is open is closed by what was registered for the end, the process ends without freeing each of a
    million objects, which takes Python as long as to count a small table.
    """
    try:
        main()
    except SystemExit as end:
        if not isinstance(end.code, int) or _has_more_to_close():
            raise
        _end(end.code)


def _has_more_to_close() -> bool:
    """Whether others still work here or watch, or an engine is open that nobody registered."""
    ours = threading.main_thread()
    others = any(thread is not ours and not thread.daemon for thread in threading.enumerate())
    ibis: Any = sys.modules.get("ibis")
    default = ibis is not None and getattr(ibis.options, "default_backend", None) is not None
    return others or default or sys.gettrace() is not None or sys.getprofile() is not None


def _end(code: int) -> None:
    """End the process as Python does, but for taking it apart."""
    run = getattr(atexit, "_run_exitfuncs", None)
    if run is None:  # It is there since Python 3.0, under a name that promises nothing.
        sys.exit(code)
    with suppress(Exception):  # It has said what failed.
        run()
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except (OSError, ValueError):
            code = _UNSAID
    os._exit(code)
