"""Run every comparison, or those named: `python -m benchmarks [foundation ...]`."""

from __future__ import annotations

import importlib
import platform
import sys

from benchmarks.measure import table

SUITES = {
    "foundation": "Samplers",
    "mechanisms": "Mechanisms",
    "survey": "Surveys",
    "timing": "What the clock tells",
    "tables": "Tables",
}


def main(names: list[str]) -> int:
    if set(names or SUITES) != {"tables"}:  # Whose peers live in environments of their own.
        import opendp.prelude as dp

        dp.enable_features("contrib")
    print(f"Python {platform.python_version()} on {platform.machine()}; ratios of best times within this run.\n")
    missed = 0
    for name in names or SUITES:
        rows = importlib.import_module(f"benchmarks.{name}").rows()
        print(table(SUITES[name], rows), flush=True)
        missed += sum(not row.met for row in rows)
    print("every goal is met" if not missed else f"{missed} goals are missed")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
