"""The benchmarks run, write their table and their page, and say what could not be run."""

import json
import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))

pytest.importorskip("ibis")

from benchmarks import page, peers, tables
from benchmarks.__main__ import PAGE, SUITES, main
from benchmarks.measure import Look, Row, faster, within

LINUX = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="the benchmark of tables reads /proc")


@LINUX
@pytest.mark.deep
def test_a_quick_look_makes_the_table_and_the_page(tmp_path, monkeypatch, capsys):
    for module in (peers, tables):
        monkeypatch.setattr(module, "CACHE", tmp_path)
    missing = replace(peers.PEERS["multi-freq-ldpy"], module="no_such_module")  # It compiles for long at each start.
    monkeypatch.setitem(peers.PEERS, "multi-freq-ldpy", missing)
    before = PAGE.read_bytes()
    assert main(["--quick", "--cache", str(tmp_path / "rows")]) == 0
    printed, made = capsys.readouterr().out, (tmp_path / "rows" / "benchmarks.md").read_text()
    rows = [Row(**row) for file in (tmp_path / "rows").glob("*.json") for row in json.loads(file.read_text())["rows"]]
    broken = [row.note for row in rows if row.note.startswith("it failed")]
    assert not broken
    measured = [row for row in rows if row.ratio is not None]
    for what in ("the same SQL in DuckDB alone", "NumPy's float Laplace", "growth of time", "over the limit"):
        assert any(what in row.what for row in measured)
    for row in rows:
        assert row.what in printed
        assert row.what in made
    for title in SUITES.values():
        assert f"## {title}\n" in made
    assert "these figures mean nothing" in made
    assert "faster than SmartNoise-SQL: not run in a quick look" in made
    assert "survey vectors: multi-freq-ldpy is not installed" in made
    assert PAGE.read_bytes() == before


def test_a_row_knows_whether_its_goal_is_met():
    assert faster("x", 1.0, 15.0, 15).met
    assert not faster("x", 1.0, 14.9, 15).met
    assert within("x", 1.25, 1.0, 1.25).met
    assert not within("x", 1.26, 1.0, 1.25).met
    assert Row("x", ratio=1.0).met is None
    assert Row("x", goal=6).met is False
    assert Row("x", goal=6).verdict == "**not measured**"
    assert Row("x", ratio=20.0, goal=15, at_least=True).met
    assert not Row("x", ratio=1.0, sense="<=", goal=2, at_least=True).met


def test_a_peer_that_does_not_install_is_reported_with_its_error(tmp_path, monkeypatch):
    monkeypatch.setattr(peers, "CACHE", tmp_path)
    failed = subprocess.CompletedProcess([], 1, "", "a warning\nERROR: no such release\n")
    monkeypatch.setattr(peers.subprocess, "run", lambda *_, **__: failed)
    (found,) = tables.against(peers.PEERS["smartnoise"], Look())
    assert found.ratio is None
    assert found.goal == 15
    assert found.note == "SmartNoise-SQL does not install: ERROR: no such release"
    text = page.page({"tables": ("Tables", "text")}, [_part([found])])
    assert "SmartNoise-SQL: SmartNoise-SQL does not install: ERROR: no such release" in text
    assert "0 of 1 goals are met" in text


@LINUX
def test_a_contender_that_takes_too_long_is_stopped_and_one_that_fails_says_why(tmp_path, monkeypatch):
    monkeypatch.setattr(tables, "CACHE", tmp_path)
    started = tmp_path / "pid"
    slow = (
        "import os, subprocess, sys, time; print('{}', flush=True);"
        "child = subprocess.Popen(['sleep', '100'], process_group=0);"
        f"open({str(started)!r}, 'w').write(str(child.pid)); time.sleep(100)"
    )
    found = tables.timed([sys.executable, "-c", slow], dict(os.environ), 2)
    assert found.stopped
    assert str(found).startswith("more than 2 s")
    child = Path("/proc") / started.read_text()
    for _ in range(100):  # It was killed, and ends when the system comes to it.
        if not (child / "exe").exists():
            break
        time.sleep(0.1)
    assert not (child / "exe").exists()
    chatty = "print('hello'); print('{}'); print('hello'); print('{\"wall\": 1, \"cpu\": 2, \"memory\": 3}')"
    assert tables.timed([sys.executable, "-c", chatty], dict(os.environ), 30) == tables.Run(1, 2, 3)
    with pytest.raises(peers.NotRunError, match="ended with 1: ValueError: the reason"):
        tables.timed([sys.executable, "-c", "raise ValueError('the reason')"], dict(os.environ), 30)
    broken = "print('{}', flush=True); raise ValueError('later')"
    with pytest.raises(peers.NotRunError, match="ended with 1: ValueError: later"):
        tables.timed([sys.executable, "-c", broken], dict(os.environ), 30)


def test_a_peer_runs_between_ours_and_its_groups_are_counted_at_a_sound_delta(monkeypatch):
    monkeypatch.setattr(tables, "environment", lambda *_: "python")
    order = []

    def run(name, n, **_):
        order.append((name, n))
        ours = tables.Run(2.0, 3.0, 2**30, 5950, 45, 5950)
        return ours if name == "ours" else found

    monkeypatch.setattr(tables, "run", run)
    found = tables.Run(40.0, 45.0, 2**32, 6100, 44, 5950)
    took, groups = tables.against(peers.PEERS["polars"], Look())
    assert [name for name, _ in order] == ["ours", "polars"] * 3 + ["ours"]
    assert {n for _, n in order} == {10**7}
    assert (took.ratio, took.goal, took.note, took.met) == (20.0, 6, "by CPU 15.0x", True)
    assert (groups.ratio, groups.theirs) == (1.0, "5,950")
    assert "6,100 with those below 45, for which its delta is really 1.04e-06" in groups.note
    found = tables.Run(900.0, 800.0, 2**32, stopped=True)
    took, groups = tables.against(peers.PEERS["tumult"], Look())
    assert took.at_least
    assert "> 450x" in page.table([took])
    assert groups.ratio is None
    found = tables.Run(20.0, 45.0, 2**32, 6100, 43.7, 5990)
    took, groups = tables.against(peers.PEERS["pipelinedp"], Look())
    assert not took.met
    assert groups.theirs == "6,100"
    assert groups.verdict == "no goal"


def test_a_part_that_breaks_keeps_what_it_found(tmp_path, monkeypatch):
    from benchmarks import __main__ as program
    from benchmarks import timing

    def breaks(look):
        yield Row("first", ratio=2.0, goal=1)
        raise RuntimeError("half | way")

    monkeypatch.setitem(timing.PARTS, "clock", breaks)
    found = program.measured("timing", "clock", Look())
    assert [row.what for row in found.rows] == ["first", "timing clock"]
    found.save(tmp_path)
    assert page.Part.load_from(tmp_path / "timing-clock.json") == found
    text = page.page({"timing": ("Clock", "text")}, [found])
    assert "it failed: RuntimeError: half / way" in text
    assert "1 of 2 goals are met" in text


def _part(rows):
    return page.Part("tables", "smartnoise", rows, "2026-01-01T00:00:00+00:00", 1.0, 0.5, "a machine")
