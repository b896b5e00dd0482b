"""Start-up: what a command takes in all, imports and the end of its process included, beside DuckDB for Python alone.

The plain count is `count(DISTINCT person)` by group of the same file of 2,000 rows, without any privacy. Queries are
written by Ibis, which imports every dialect of SQL that it knows: what the same plain count takes by way of it is a row
of its own. What is imported is compiled, as it is where a package is installed.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from benchmarks.measure import Look, Row, seconds, within

ROWS = 2000
PLAIN = "SELECT city, count(DISTINCT user_id) FROM read_csv({!r}) GROUP BY city"
IBIS = "t = ibis.duckdb.connect().read_csv({!r}); t.group_by('city').agg(n=t.user_id.nunique()).to_pyarrow()"
COUNT = ["--by", "city", "--person", "user_id", "--max-groups", "3", "--epsilon", "1", "--delta", "1e-6"]


def start(look: Look) -> Iterator[Row]:
    """A count and the help of the command line, and `import discreet`, each in a process of its own."""
    environ = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "events.csv")
        rows = (f"{i * i % 691},city-{i % 31 * (i % 7)}\n" for i in range(ROWS))
        file.write_text("user_id,city\n" + "".join(rows))
        plain, ibis, count, help_, bare, ours = look.best(
            *(
                partial(subprocess.run, [sys.executable, *words], check=True, capture_output=True, env=environ)
                for words in (
                    ("-c", f"import duckdb; duckdb.sql({PLAIN.format(str(file))!r}).fetchall()"),
                    ("-c", f"import ibis; {IBIS.format(str(file))}"),
                    ("-m", "discreet", "count", file, *COUNT),
                    ("-m", "discreet", "--help"),
                    ("-c", "import duckdb"),
                    ("-c", "import discreet"),
                )
            ),
            repeat=9,
        )
    yield within(f"discreet count on {ROWS:,} rows of CSV: CPU over the plain count in DuckDB", count, plain, 4)
    what = "the plain count by way of Ibis: CPU over DuckDB alone"
    yield Row(what, seconds(ibis), seconds(plain), ibis / plain, "<=")
    yield within("discreet --help: CPU over the same plain count", help_, plain, 1)
    yield Row("import discreet: CPU over import duckdb", seconds(ours), seconds(bare), ours / bare, "<=")


PARTS = {"start": start}
