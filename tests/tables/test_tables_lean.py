"""Ibis without the compilers that nobody asked for: the same questions, and every compiler for whoever asks."""

import subprocess
import sys

import pytest

pytest.importorskip("ibis", reason="pip install 'discreet[tables]'")

from discreet.tables import Table
from discreet.tables.engines.lean import connected

SAME = """
import sys
from dataclasses import replace
import ibis
from discreet.tables.engines.lean import _COMPILERS, put_off
put_off()
import ibis.backends.duckdb
from discreet.tables import Bounding, People, Quantile, Rows, Sum
from discreet.tables.spread import Sizes

MEDIAN = Quantile("amount", "1/2", low=0, high=9, grid=1)

def asked():
    table = ibis.duckdb.connect().create_table("t", schema={
        "who": "int64", "city": "string", "day": "timestamp(6)", "amount": "float64", "price": "decimal(9, 2)"})
    for by in ([], ["city"], ["city", "day"], ["price"]):
        asked = [People(), Rows(3), Sum("amount", 0, 9, 1), Sum("price", 0, 9, 1), MEDIAN]
        plan = Bounding(asked, person="who", by=by, max_groups=2 if by else 1, where="amount > 1 and city != 'Rome'")
        if by:
            plan = replace(plan, sizes=Sizes(rows=3))
        yield str(ibis.duckdb.compile(plan.expression(table, bytes(16))))

lean = list(asked())
loaded = [name for name in sys.modules if name.startswith(_COMPILERS + ".")]
assert "ibis.backends.sql.dialects" not in sys.modules, loaded
package = sys.modules[_COMPILERS]
try:
    package.no_such_name
except AttributeError as error:
    assert "no_such_name" in str(error)
assert package.PostgresCompiler is package.postgres.PostgresCompiler and "SQLiteCompiler" in package.__all__
assert list(asked()) == lean and len(set(lean)) == 4
"""
THREADS = """
from concurrent.futures import ThreadPoolExecutor
from discreet.tables.engines.lean import put_off
put_off()
import ibis.backends.sql.compilers as compilers
names = ["PostgresCompiler", "SQLiteCompiler", "PySparkCompiler", "TrinoCompiler"] * 4
with ThreadPoolExecutor(8) as pool:
    found = list(pool.map(lambda name: getattr(compilers, name).__name__, names))
assert found == names
"""
OTHER = """
import sys, types
import ibis.backends.sql
from discreet.tables.engines import lean
lean._WANTED = lean._COMPILERS + ".no_such_engine"
lean.put_off()
assert lean._COMPILERS not in sys.modules
import ibis.backends.sql.compilers as compilers
assert compilers.DuckDBCompiler and compilers is sys.modules[lean._COMPILERS]
lean.put_off()
assert compilers is sys.modules[lean._COMPILERS]
"""


@pytest.mark.parametrize("code", [SAME, THREADS, OTHER], ids=["the same words", "threads", "another Ibis"])
def test_compilers_are_put_off(code):
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


CLOSED = """
import gc, os
import ibis
from discreet.tables.engines.lean import closed_at_end
backend = ibis.duckdb.connect()
con = backend.con
closed_at_end(backend)
if os.fork() == 0:
    del backend
    gc.collect()
    con.sql("SELECT 1").fetchall()  # The one that opened it closes it.
    os._exit(0)
assert os.wait()[1] == 0
del backend
gc.collect()
try:
    con.sql("SELECT 1")
except Exception as error:
    assert "closed" in str(error).lower(), error
else:
    raise AssertionError("it is open")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="it forks")
def test_a_connection_is_closed_with_its_last_table_by_the_process_that_opened_it():
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", CLOSED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_connection_of_ours_has_threads_enough_and_a_users_own_is_left_as_it_is(tmp_path):
    ibis = pytest.importorskip("ibis")
    theirs = ibis.duckdb.connect(threads=1)
    theirs.con.execute("CREATE TABLE events AS SELECT 1 AS user_id, 'Rome' AS city")
    Table(theirs.table("events"), person="user_id").group_by("city", keys=["Rome"]).count_people(
        epsilon=1, max_groups=1
    )
    assert theirs.con.execute("SELECT current_setting('threads')").fetchall() == [(1,)]
    ours = connected(ibis)
    ((threads,),) = ours.con.execute("SELECT current_setting('threads')").fetchall()
    assert threads >= 3
