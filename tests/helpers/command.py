"""The command line, run in this process or in one of its own."""

import os
import re
import subprocess
import sys

import pytest

pytest.importorskip("click", reason="pip install 'discreet[cli]'")
from click.testing import CliRunner

from discreet.cli.app import app
from discreet.cli.project import UNCOUNTED


class Called(Exception):
    """The library was called."""


def run(*words, **kwargs):
    """Run a command in this process."""
    return CliRunner().invoke(app, [str(word) for word in words], prog_name="discreet", **kwargs)


def ok(*words):
    """Run a command that must succeed, and say nothing beside what it prints, but that nobody counts."""
    done = run(*words)
    assert (done.exit_code, done.stderr.replace(f"{UNCOUNTED}\n", "")) == (0, ""), done.stderr
    return done.stdout


def lines(text):
    """The lines of an output."""
    return text.rstrip("\n").split("\n")


def assert_one_line(done, code):
    """Hold that a command failed with a code and one line of words."""
    assert code == (done.returncode if hasattr(done, "returncode") else done.exit_code), done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("discreet: ")
    assert len(lines(done.stderr)) == 1
    assert "Traceback" not in done.stderr


def run_apart(*words, code=None):
    """Run a command in a process of its own."""
    start = ["-c", code] if code else ["-m", "discreet.cli"]
    command = [sys.executable, *start, *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=os.environ | {"COLUMNS": "80"})


def joined(text):
    """Return the lines of a help text without their margins; what a backslash continues is one line."""
    return [line.strip() for line in re.sub(r"\s*\\\n\s*", " ", text).split("\n")]
