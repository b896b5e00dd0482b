"""What a start imports: nothing is timed here, because what is not imported takes no time."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from tiers import each

pytest.importorskip("click", reason="pip install 'discreet[cli]'")

ENGINES = ("ibis", "duckdb", "sqlglot", "pyarrow", "pyspark", "psycopg")
FRAMES = ("pandas", "polars", "narwhals", "scipy", "matplotlib")
FOUNDATION = ("numpy", "flint", "sqlite3", "ssl")
RUN = """
import json, sys
sys.argv = {words!r}
try:
    {work}
finally:
    print("\\n" + json.dumps(sorted(sys.modules)))
"""
COMMAND = "from discreet.cli import main; main()"


def imported(*words, work=COMMAND):
    """The modules that a process of its own has imported, from whatever it did."""
    code = RUN.format(words=["discreet", *words], work=work)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.fixture
def events(tmp_path):
    path = tmp_path / "events.csv"
    rows = [f"{i % 500},{'Rome' if i % 2 else 'Oslo'},{i % 100}" for i in range(2000)]
    path.write_text("\n".join(["user_id,city,amount", *rows]))
    return str(path)


def test_to_import_discreet_imports_nothing_that_is_large():
    assert not imported(work="import discreet") & {*ENGINES, *FRAMES, *FOUNDATION, "click", "rich"}


@pytest.mark.parametrize("words", [["--help"], ["count", "--help"], ["survey", "--help"], ["--version"], []])
def test_help_imports_click_alone(words):
    found = imported(*words)
    assert "click" in found
    assert not found & {*ENGINES, *FRAMES, *FOUNDATION, "rich", "importlib.metadata"}


@pytest.mark.parametrize("known", each([[], ["--key", "Rome", "--key", "Paris"]], 2))
def test_a_count_imports_no_frames(events, known):
    found = imported(
        *["count", events, "--by", "city", "--person", "user_id", "--max-groups", "2", "--epsilon", "1"],
        *["--delta", "1e-6", *known],
    )
    assert {"ibis", "duckdb"} <= found
    assert not found & {*FRAMES, "pyspark", "psycopg", "discreet.survey", "discreet.audit", "discreet.opendp"}
    assert not found & {"pyarrow.compute", "ibis.backends.sql.dialects", "ibis.backends.sql.compilers.trino"}


def test_a_list_of_groups_imports_no_frames(events):
    found = imported("keys", events, "--by", "city", "--person", "user_id", "--epsilon", "1", "--delta", "1e-6")
    assert not found & {*FRAMES}


SPILL = """
    from discreet.cli import main
    try:
        main()
    except SystemExit:
        pass
    import ibis
    engine = ibis.duckdb.connect(temp_directory={folder!r}, memory_limit="40MB", threads=1)
    engine.con.execute("CREATE TEMP TABLE t AS SELECT range, md5(range::VARCHAR) FROM range(1000000)")
    ring = [engine.table("t")]
    ring.append(ring)
    assert list(__import__("pathlib").Path({folder!r}).iterdir())
"""


def test_what_an_engine_wrote_aside_is_gone_when_the_command_ends(tmp_path):
    code = RUN.format(words=["discreet", "--version"], work=SPILL.format(folder=str(tmp_path / "aside")).strip())
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert not (tmp_path / "aside").exists()


END = """
import atexit, sys
import discreet.cli
atexit.register(print, "registered before")

def work():
    atexit.register(print, "registered within")
    {work}
    raise SystemExit(3)

discreet.cli.main = work
discreet.cli.program()
"""


def ended(work, **more):
    code = END.format(work=work)
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, **more)


def test_a_command_ends_with_its_code_when_all_is_said_and_done():
    done = ended("print('said')")
    assert (done.returncode, done.stderr) == (3, "")
    assert done.stdout.split("\n") == ["said", "registered within", "registered before", ""]


def test_others_who_are_at_work_are_waited_for():
    slow = "import threading, time; threading.Thread(target=lambda: (time.sleep(0.2), print('done'))).start()"
    done = ended(slow)
    assert (done.returncode, done.stderr) == (3, "")
    assert set(done.stdout.split("\n")) == {"done", "registered within", "registered before", ""}


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
def test_what_cannot_be_said_has_the_exit_code_of_python():
    buffered = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with Path("/dev/full").open("w") as full:
        code = END.format(work="print('x')")
        done = subprocess.run([sys.executable, "-c", code], stdout=full, env=buffered, check=False)
    assert done.returncode == 120


OPENED = """
    import ibis
    from pathlib import Path
    from discreet.tables.engines import connected
    engine = connected(ibis)
    engine.raw_sql("SET temp_directory = {folder!r}; SET memory_limit = '40MB'; SET threads = 1")
    engine.con.execute("CREATE TEMP TABLE t AS SELECT range, md5(range::VARCHAR) FROM range(1000000)")
    ring = [engine.table("t")]
    ring.append(ring)
    assert list(Path({folder!r}).iterdir())
"""


def test_what_an_engine_of_ours_wrote_aside_is_gone_at_such_an_end(tmp_path):
    done = ended(OPENED.format(folder=str(tmp_path / "aside")).strip())
    assert (done.returncode, done.stderr) == (3, "")
    assert not (tmp_path / "aside").exists()


def test_an_array_of_json_ends_as_python_does(tmp_path):
    """It is on the engine that Ibis opens by itself, which is closed as all objects are freed."""
    path = tmp_path / "events.json"
    path.write_text(json.dumps([{"who": i, "city": "Rome"} for i in range(300)]))
    words = ["count", str(path), "--type", "who=integer", "--type", "city=text", "--by", "city", "--person", "who"]
    words += ["--max-groups", "1", "--epsilon", "1", "--delta", "1e-6", "--json"]
    done = subprocess.run([sys.executable, "-m", "discreet", *words], capture_output=True, text=True, check=False)
    assert (done.returncode, json.loads(done.stdout)["rows"][0]["city"]) == (0, "Rome")


def test_every_public_name_is_found_whichever_is_asked_for_first():
    work = "import discreet; [getattr(discreet, name) for name in reversed(discreet.__all__)]; discreet.exact('3/4')"
    assert {"numpy", "flint", "sqlite3"} <= imported(work=work)


def test_a_module_of_the_foundation_is_there_without_an_import_of_its_own():
    imported(work="import discreet; discreet.mechanisms.Rappor, discreet.errors.show, discreet.noise.Laplace")


def test_a_name_that_is_not_public_is_not_there():
    work = "import discreet; assert not hasattr(discreet, 'none_of') and not hasattr(discreet, 'nothing')"
    assert not imported(work=work) & {*FOUNDATION}
