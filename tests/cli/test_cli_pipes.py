"""Pipes: CSV by the standard input, and the answer as CSV on the standard output."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

click = pytest.importorskip("click", reason="pip install 'discreet[cli]'")
pytest.importorskip("ibis", reason="pip install 'discreet[tables]'")
from command import assert_one_line, run  # noqa: E402

from discreet import Ledger  # noqa: E402

ROWS = "user,city\n" + "".join(f"{i},=Rome\n" for i in range(300))
ASKED = ("--by", "city", "--person", "user", "--max-groups", 1, "--epsilon", 9, "--delta", "1e-6")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text(ROWS)
    Ledger("b.db", epsilon=20, delta="1e-4").close()
    return tmp_path


@pytest.mark.parametrize(
    ("words", "need"),
    [
        (("-", "--out", "-", "--json"), "give one of them"),
        (("-", "--safe-csv"), "--safe-csv needs --out"),
        (("-", "--safe-csv", "--out", "a.json"), "--safe-csv needs --out"),
        (("-", "--confidence", "2"), "--confidence '2': need"),
        (("-", "--confidence", ""), "--confidence"),
        (("-", "--data-version", "1"), "what comes by a pipe is not known again"),
        (("rows.csv", "--out", "-", "--html", "rows.csv"), "need a file that ends in .html"),
    ],
)
def test_what_does_not_fit_is_refused_before_the_charge(words, need):
    done = run("count", *words, *ASKED, "--ledger", "b.db", input=ROWS)
    assert_one_line(done, 2) if "--json" not in words else None
    assert need in done.stderr
    assert done.exit_code == 2
    assert Ledger("b.db").entries() == []


def test_csv_goes_in_and_out_by_pipes(folder, monkeypatch):
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr("tempfile.tempdir", None)
    done = run("count", "-", *ASKED, "--ledger", "b.db", "--out", "-", "--confidence", "0.5", input=ROWS)
    assert done.exit_code == 0, done.stderr
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    assert row["city"] == "=Rome"
    assert int(row["people_low"]) <= int(row["people"]) <= int(row["people_high"])
    assert "1 group; epsilon 9" in done.stderr
    (entry,) = Ledger("b.db").entries()
    assert entry.receipt["table"] == "stdin.csv"
    assert sorted(path.name for path in folder.iterdir()) == ["b.db", "rows.csv"]  # Nobody's rows are left behind.


def test_texts_of_csv_are_no_formulas_where_that_is_asked_for():
    done = run("count", "rows.csv", *ASKED, "--out", "-", "--safe-csv")
    (row,) = csv.DictReader(io.StringIO(done.stdout))
    assert row["city"] == "'=Rome"


def test_a_pipe_can_be_explained_and_listed():
    assert run("explain", "count", "-", *ASKED, "--json", input=ROWS).exit_code == 0
    done = run("keys", "-", "--by", "city", "--person", "user", "--epsilon", 9, "--delta", "1e-6", "--json", input=ROWS)
    assert json.loads(done.stdout)["rows"] == [{"city": "=Rome"}]


@pytest.mark.parametrize("rows", ["", "\x00\xff", "a;b\n1;2\n"])
def test_what_is_no_table_is_refused_in_a_line(rows):
    assert_one_line(run("count", "-", *ASKED, "--ledger", "b.db", input=rows), 2)
    assert Ledger("b.db").entries() == []


def test_a_project_near_the_temporary_folder_says_nothing_of_a_pipe(folder, monkeypatch):
    """Anybody may write there: who a person is, and which books are charged, is not theirs to say."""
    place = folder / "anybodys"
    place.mkdir()
    said = '[tables.stdin]\nsource = "*/stdin.csv"\nperson = "row"\nledger = "planted.db"\n'
    (place / "discreet.toml").write_text(said)
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr("tempfile.tempdir", None)
    assert run("count", "-", "--epsilon", 1, input=ROWS).exit_code == 2
    done = run("count", "-", *ASKED, "--ledger", "b.db", input=ROWS)
    assert done.exit_code == 0, done.stderr
    assert len(Ledger("b.db").entries()) == 1
    assert not (place / "planted.db").exists()


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_rows_are_removed_where_the_command_is_asked_to_end(folder, name):
    place = folder / "temporary"
    place.mkdir()
    words = [sys.executable, "-m", "discreet.cli", "count", "-", *map(str, ASKED)]
    with subprocess.Popen(
        words, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ | {"TMPDIR": str(place)}
    ) as run:
        run.stdin.write(ROWS.encode())
        run.stdin.flush()
        until = time.monotonic() + 60
        while not list(place.glob("*/stdin.csv")) and time.monotonic() < until:
            time.sleep(0.01)
        (file,) = place.glob("*/stdin.csv")
        assert file.stat().st_mode & 0o777 == 0o600
        run.send_signal(getattr(signal, name))
        assert run.wait(60) != 0
    assert list(place.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is full")
@pytest.mark.parametrize("out", [("--out", "-"), ()], ids=["CSV", "a page"])
def test_an_answer_that_cannot_be_printed_goes_where_errors_go(folder, out):
    words = [sys.executable, "-m", "discreet.cli", "count", "rows.csv", *map(str, ASKED), "--ledger", "b.db", *out]
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode != 0
    assert done.stderr.count("=Rome") == 1
    assert len(Ledger("b.db").entries()) == 1


@pytest.mark.skipif(os.name != "posix", reason="streams that a shell closes")
def test_a_closed_output_loses_no_answer_that_is_paid_for():
    words = f"{sys.executable} -m discreet.cli count rows.csv {' '.join(map(str, ASKED))} --ledger b.db"
    done = subprocess.run(f"{words} >&-", shell=True, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr.count("=Rome")) == (0, 1)
    assert subprocess.run(f"{words} --out x.csv >&- 2>&-", shell=True, check=False).returncode == 0
    assert "=Rome" in Path("x.csv").read_text()
    assert len(Ledger("b.db").entries()) == 2
