"""Run every comparison, or those named, and write the page: `python -m benchmarks [tables ...] [--only smartnoise]`."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
import time
from pathlib import Path

from benchmarks.measure import Look, Row
from benchmarks.page import Part, machine, now, page, summary, table
from benchmarks.peers import CACHE, PEERS, NotRunError, versions

PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"
SUITES = {
    "foundation": "Samplers",
    "mechanisms": "Mechanisms",
    "survey": "Surveys",
    "timing": "What the clock tells",
    "tables": "Tables",
    "publications": "Tables that add up",
    "serve": "The collector",
    "start": "Start-up",
    "ledger": "The ledger",
}
OURS = ("discreet", "numpy", "python-flint", "duckdb", "ibis-framework")


def main(arguments: list[str] | None = None) -> int:
    """Run what is asked for; each part's rows go to the cache, and the page is made of all that are there."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("suites", nargs="*", metavar="SUITE", help=f"some of {', '.join(SUITES)}; all unless named")
    parser.add_argument("--only", action="append", metavar="PART", help="only this part; may be repeated")
    parser.add_argument("--quick", action="store_true", help="tiny sizes, to see that it runs; makes no page in docs")
    parser.add_argument("--page", action="store_true", help="run nothing; write the page from the cache")
    parser.add_argument("--cache", type=Path, help="where the parts' rows are kept (build/bench)")
    parser.add_argument("--out", type=Path, help="a page of the suites named; else docs/benchmarks.md, of all")
    asked = parser.parse_args(arguments)
    if unknown := set(asked.suites) - set(SUITES):
        parser.error(f"no suite {', '.join(sorted(unknown))}: there are {', '.join(SUITES)}")
    folder = asked.cache or (CACHE / "quick" if asked.quick else CACHE)
    chosen = [] if asked.page else _chosen(asked.suites or list(SUITES), asked.only)
    if not chosen and not asked.page:
        parser.error(f"no part {', '.join(asked.only)}: there are {', '.join(n for _, n in _chosen(SUITES, None))}")
    rows = []
    for suite, name in chosen:
        part = measured(suite, name, Look(quick=asked.quick))
        part.save(folder)
        rows += part.rows
    if rows:
        print(table(rows) + "\n" + summary(rows), flush=True)
    out = asked.out or (folder / "benchmarks.md" if asked.quick else PAGE)
    out.parent.mkdir(parents=True, exist_ok=True)
    named = asked.suites if asked.out and asked.suites else SUITES
    out.write_text(_page(folder, {suite: title for suite, title in SUITES.items() if suite in named}))
    print(f"{out} is written from {folder}", file=sys.stderr)
    return 0


def measured(suite: str, name: str, look: Look) -> Part:
    """Run one part. What it found before it failed is kept, and the failure is a row."""
    comparison = importlib.import_module(f"benchmarks.{suite}").PARTS[name]
    print(f"{suite} {name}", file=sys.stderr, flush=True)
    began, load, rows = time.monotonic(), os.getloadavg()[0], []
    try:
        for row in comparison(look):
            rows.append(row)
            print(f"  {row.what}: {row.ratio and round(row.ratio, 3)}", file=sys.stderr, flush=True)
    except NotRunError as reason:
        rows.append(Row(f"{suite} {name}", note=str(reason)))
    except Exception as error:  # A peer fails with whatever it likes; the others go on.
        rows.append(Row(f"{suite} {name}", note=f"it failed: {type(error).__name__}: {str(error)[:200]}"))
    return Part(suite, name, rows, now(), time.monotonic() - began, load, machine(), _versions(name), look.quick)


def _versions(name: str) -> dict[str, str]:
    found = versions(None, (*OURS, *(need.partition("==")[0] for p in PEERS.values() if p.module for need in p.needs)))
    python = CACHE / "venvs" / name / "bin" / "python"
    if name in PEERS and not PEERS[name].module and python.exists():
        found |= versions(str(python), tuple(n.partition("==")[0].partition("[")[0] for n in PEERS[name].needs[:1]))
    return found


def _chosen(suites: list[str] | dict[str, str], only: list[str] | None) -> list[tuple[str, str]]:
    """Return the parts that are asked for, in order."""
    parts = [(suite, name) for suite in suites for name in importlib.import_module(f"benchmarks.{suite}").PARTS]
    return [(suite, name) for suite, name in parts if not only or name in only]


def _page(folder: Path, suites: dict[str, str]) -> str:
    texts = {suite: (title, importlib.import_module(f"benchmarks.{suite}").__doc__) for suite, title in suites.items()}
    files = [folder / f"{suite}-{name}.json" for suite, name in _chosen(suites, None)]
    return page(texts, [Part.load_from(file) for file in files if file.exists()])


if __name__ == "__main__":
    sys.exit(main())
