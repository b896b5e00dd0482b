"""The command line, run in this process or in one of its own."""

import os
import subprocess
import sys

import pytest

pytest.importorskip("click", reason="pip install 'discreet[cli]'")
from click.testing import CliRunner

from discreet.cli.app import app


def run(*words):
    """Run a command in this process."""
    return CliRunner().invoke(app, [str(word) for word in words], prog_name="discreet")


def run_apart(*words, code=None):
    """Run a command in a process of its own."""
    start = ["-c", code] if code else ["-m", "discreet.cli"]
    command = [sys.executable, *start, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"COLUMNS": "80"})
