"""Every example runs, by itself, and prints what it is about."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tiers import each

import discreet

EXAMPLES = Path(__file__).parents[2] / "examples"
SAYS = {
    "census_table": r"The bands are known.*\n  65\+ .*\d+ of \d+ places appear.*BudgetError: epsilon=0\.1",
    "poll": r"1,000 phones have answered.*days +none +\d+\.\d to.*leaving +yes",
    "survey_missing": r"epsilon 2\n.*no answer +0\.\d+.*Smokers among",
    "telemetry_rappor": r"for ever +2\.197\n.*Monday.*Alpha +0\.\d+.*found: .*mail\.example.*news\.example",
    "trigger_rate": r"rate 1/2 +epsilon +1\.099.*counted as reported +(2[7-9]|3[0-2])\.\d%\n +estimated",
}


def ran(name, folder):
    environment = os.environ | {"PYTHONPATH": str(Path(discreet.__file__).parents[1]), "PYTHONWARNINGS": "ignore"}
    return subprocess.run(
        [sys.executable, str(EXAMPLES / f"{name}.py")],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.mark.parametrize("name", each(sorted(path.stem for path in EXAMPLES.glob("*.py")), 4))
def test_the_example_runs_and_leaves_nothing_behind(name, tmp_path):
    done = ran(name, tmp_path)
    assert done.returncode == 0, done.stderr
    assert re.search(SAYS.get(name, "."), done.stdout, re.DOTALL), done.stdout
    assert not list(tmp_path.iterdir())


def test_every_example_that_is_promised_is_there():
    assert {path.stem for path in EXAMPLES.glob("*.py")} >= set(SAYS)
