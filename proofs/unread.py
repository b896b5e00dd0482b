"""Marks of the Python that `marks.py` does not read into Coq, and why not: a row a file of docs/proofs/map.md.

`python proofs/unread.py --write` writes the rows anew.
"""

from __future__ import annotations

import re
import sys

import check
import marks

_SEARCH, _STATISTICS = "a search whose answer is checked by its loss", "statistics, which claim no privacy"
_ARRAYS, _ENGINE = "arrays, which tests hold to the law", "plumbing: what is passed on, and to whom"
_BOUNDS = "what a bounded domain allows, which tests hold to all pairs of small maps"
UNREAD: dict[str, dict[str, str]] = {
    "mechanisms/randomized_response_bool.py": {},
    "mechanisms/randomized_response.py": {
        "answers": _ARRAYS,
        "strangers": _ARRAYS,
        "dice": "a parameter, which the guard checks",
        "fewest": _SEARCH,
    },
    "mechanisms/rappor.py": {"places": _ARRAYS},
    "mechanisms/optimized_unary.py": {"rows": _ARRAYS, "places": _ARRAYS},
    "mechanisms/subset_selection.py": dict.fromkeys(
        ("strangers", "turn", "outsiders", "keys", "full", "table"), _ARRAYS
    ),
    "mechanisms/longitudinal_rappor.py": {"one": _ENGINE, "rows": _ARRAYS},
    "mechanisms/choose.py": {"gaps": _ARRAYS},
    "tables/cuts.py": dict.fromkeys(("inside", "below", "above", "powers", "sure", "settle", "side"), _ARRAYS),
    "tables/quantiles.py": {"before": _ARRAYS, "after": _ARRAYS}
    | dict.fromkeys(("loss", "moves"), "how people, groups and ends add up")
    | dict.fromkeys(("lower", "upper", "far", "chain"), _STATISTICS)
    | dict.fromkeys(("depth", "noisy", "possible", "chernoff"), "trees of counts: no theorem about them yet"),
    "tables/nested.py": {},
    "noise/laplace.py": {"variance": "a mean of what is not bounded", "entries": "how the ledger counts"}
    | {"moment": _STATISTICS},
    "noise/base.py": dict.fromkeys(("radius", "needed", "pair", "low", "high", "bottom"), _STATISTICS),
    "mechanisms/add_noise.py": dict.fromkeys(("three", "one", "map", "sum", "sums"), _ENGINE),
    "mechanisms/keep_above.py": dict.fromkeys(
        ("map", "sum", "stable", "joint", "rest", "lacking", "concentrated", "drop", "noise"), _ENGINE
    )
    | dict.fromkeys(("order", "orders", "type"), "post-processing of what is released")
    | {"shared": _BOUNDS}
    | dict.fromkeys(("start", "full", "up", "down"), "lines of a function that is read as a whole")
    | {"climb": "a search for noise that knows its joint loss"},
    "noise/gaussian.py": {"within": _SEARCH, "tail": "a sum that Arb encloses"}
    | {"deviation": _STATISTICS, "never": "what a threshold loses with this noise"},
    "noise/truncated.py": {"least": _SEARCH, "moment": _STATISTICS, "moves": "how the ledger counts"}
    | dict.fromkeys(("never", "joint", "map", "beyond"), "the greatest over packings, which tests hold to all of them"),
    "accounting/zcdp.py": {"cost": _ENGINE, "limits": _ENGINE, "root": _STATISTICS},
    "survey/estimates.py": dict.fromkeys(
        ("differences", "square", "near", "nuisance", "interval", "mapped", "bennett", "rounds"), _STATISTICS
    ),
    "accounting/adaptive.py": dict.fromkeys(("top", "bottom", "value"), "lines of a function that is read as a whole")
    | {"bounds": "terms whose value would take too long"},
}
"""Marks of files of which some are read: those that are not, and why."""

_LATER, _ENCLOSED = "no theorem about it yet", "sums that Arb encloses"
_ROUTES = "which noise is handed to `AddNoise` or `KeepAbove`, of which lines are read"
WHOLE: dict[str, str] = {
    "accounting/distributions.py": "the accountant for plans: no theorem about it yet",
    "composition.py": _ENGINE,
    "ledger/": "the ledger's files, locks and limits: no theorem about them yet",
    "mechanisms/find_keys.py": _LATER,
    "mechanisms/gaussian_threshold.py": _ROUTES,
    "mechanisms/integer_gaussian.py": _ROUTES,
    "mechanisms/integer_laplace.py": _ROUTES,
    "mechanisms/laplace_threshold.py": _ROUTES,
    "mechanisms/truncated_laplace_threshold.py": _ROUTES,
    "noise/gaussian_rounds.py": _ENCLOSED,
    "noise/profile.py": _ENCLOSED,
    "noise/theta.py": _ENCLOSED,
    "samplers/blocks.py": _LATER,
    "samplers/gaussian.py": _LATER,
    "samplers/tables.py": _LATER,
    "samplers/truncated.py": _LATER,
    "survey/": "surveys, but for shares and their errors: no theorem about them yet",
    "tables/": "tables, but for cuts at a rank: no theorem about them yet",
}
"""Files of which nothing is read, and folders of which no other file is, and why."""

ROWS = re.compile(r"(?<=\| file \| marks that are not read \| why \|\n\|---\|---\|---\|\n).*?(?=\n\n)", re.DOTALL)


def marked() -> dict[str, list[str]]:
    """Return the marks of each file that has some, in their order."""
    files = {str(file.relative_to(marks.SOURCE)): file.read_text() for file in sorted(marks.SOURCE.rglob("*.py"))}
    found = {name: re.findall(r"# proof: (\w+)$", text, re.MULTILINE) for name, text in files.items()}
    return {name: list(dict.fromkeys(those)) for name, those in found.items() if those}


def rows() -> str:
    """Return a row for each file and reason, and one for a folder."""
    shown = []
    for file, those in marked().items():
        reasons = UNREAD.get(file, {})
        shown += [
            (file, ", ".join(mark for mark in those if reasons.get(mark) == why), why)
            for why in dict.fromkeys(reasons.values())
        ]
        if file in WHOLE:
            shown.append((file, ", ".join(those), WHOLE[file]))
    shown += [(start, "all others", why) for start, why in WHOLE.items() if start.endswith("/")]
    return "\n".join(f"| `{file}` | {these} | {why} |" for file, these, why in shown)


if __name__ == "__main__":
    if "--write" in sys.argv:
        check.MAP.write_text(ROWS.sub(lambda _: rows(), check.MAP.read_text()))
    else:
        print(rows())
