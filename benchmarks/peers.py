"""The peers: what to install for each, and where. What cannot be installed or run says so in its own words."""

from __future__ import annotations

import importlib
import shutil
import subprocess
import sys
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from benchmarks.measure import Look

CACHE = Path(__file__).parents[1] / "build" / "bench"
PATIENCE = 1200
"""The seconds in which an environment must be made."""


class NotRunError(Exception):
    """A peer that could not be run, and why."""


@dataclass(frozen=True)
class Peer:
    """A peer and what to install for it; *module* is there if it shares our environment.

    One that does not run on any Python has *python*, the version that it needs.
    """

    name: str
    title: str
    needs: tuple[str, ...]
    module: str = ""
    python: tuple[int, int] | None = None


def _version(name: str) -> str:
    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return ""


PEERS = {
    peer.name: peer
    for peer in (
        Peer("opendp", "OpenDP", ("opendp==0.16.0",), "opendp.prelude"),
        Peer("multi-freq-ldpy", "multi-freq-ldpy", ("multi-freq-ldpy==0.2.5",), "multi_freq_ldpy"),
        Peer("polars", "OpenDP's Polars path", ("opendp[polars]==0.16.0", "pyarrow==26.0.1")),
        Peer("pipelinedp", "PipelineDP, in process", ("pipeline-dp==0.3.1", "pyarrow==26.0.1")),
        Peer("tumult", "Tumult Analytics, local Spark", ("tmlt.analytics==0.21.0", "pyspark==3.5.9")),
        Peer(
            "tumult_same",  # For Python 3.11 it asks for Spark 3.5, for 3.12 for Spark 4.
            "Tumult Analytics, on the same local Spark",
            ("tmlt.analytics==0.21.0", f"pyspark=={_version('pyspark')}"),
            python=(3, 12),
        ),
        Peer("smartnoise", "SmartNoise-SQL", ("smartnoise-sql==1.0.10", "pandas==2.3.3", "pyarrow==18.1.0")),
    )
}


def here(name: str, look: Look) -> Any:
    """Return the module of a peer that shares our environment, installed there unless the look is quick."""
    peer = PEERS[name]
    try:
        return importlib.import_module(peer.module)
    except ImportError as error:
        if look.quick:
            raise NotRunError(f"{peer.title} is not installed") from error
    _pip(peer, sys.executable)
    importlib.invalidate_caches()
    try:
        return importlib.import_module(peer.module)
    except Exception as error:  # Whatever a peer fails with.
        raise NotRunError(f"{peer.title} does not import: {type(error).__name__}: {error}") from error


def opendp(look: Look) -> Any:
    """Return OpenDP's prelude."""
    prelude = here("opendp", look)
    prelude.enable_features("contrib")
    return prelude


def environment(peer: Peer, look: Look) -> str:
    """Return the Python of a peer's own environment, which is made unless it is there. A quick look has none."""
    if look.quick:
        raise NotRunError("not run in a quick look")
    home = CACHE / "venvs" / peer.name
    stamp, python, needs = home / "needs.txt", str(home / "bin" / "python"), "\n".join(peer.needs)
    if not stamp.exists() or stamp.read_text() != needs:
        _done(peer, [_interpreter(peer), "-m", "venv", "--clear", str(home)])
        _pip(peer, python)
        stamp.write_text(needs)
    return python


def versions(python: str | None, names: tuple[str, ...]) -> dict[str, str]:
    """Return the versions of packages, here or in an environment; '' if not there."""
    if python is None:
        return {name: _version(name) for name in names}
    code = "import sys, importlib.metadata as m\nfor n in sys.argv[1:]: print(m.version(n))"
    done = subprocess.run([python, "-c", code, *names], capture_output=True, text=True, check=False)
    return dict(zip(names, done.stdout.split(), strict=False))


def _interpreter(peer: Peer) -> str:
    """Return the Python that a peer's environment is made of: ours, unless it needs another version."""
    if peer.python in (None, sys.version_info[:2]):
        return sys.executable
    name = "python{}.{}".format(*peer.python)
    if (found := shutil.which(name)) is None:
        raise NotRunError(f"{peer.title} needs {name}, which is not installed")
    return found


def _pip(peer: Peer, python: str) -> None:
    _done(peer, [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *peer.needs])


def _done(peer: Peer, command: list[str]) -> None:
    print(f"  installing {', '.join(peer.needs)}", file=sys.stderr, flush=True)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        raise NotRunError(f"{peer.title} does not install in {PATIENCE} s") from None
    if done.returncode:
        last = (done.stderr.strip() or done.stdout.strip() or "no message").splitlines()[-1]
        raise NotRunError(f"{peer.title} does not install: {last[:200]}")
