"""``--disclosure``, ``discreet verify`` and ``discreet record``."""

import json
from pathlib import Path

import pytest

click = pytest.importorskip("click", reason="pip install 'discreet[cli]'")
pytest.importorskip("ibis", reason="pip install 'discreet[tables]'")
from command import assert_one_line, ok, run  # noqa: E402

from discreet import Ledger  # noqa: E402

ASKED = ("count", "rows.csv", "--person", "user", "--epsilon", 1, "--ledger", "b.db")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rows.csv").write_text("user\n" + "".join(f"{i}\n" for i in range(30)))
    Ledger("b.db", epsilon=9).close()
    Ledger("other.db", epsilon=9).close()


@pytest.mark.parametrize(
    "words",
    [
        ("--disclosure", "d.txt"),
        ("--disclosure", "none/d.json"),
        ("--disclosure", "d.json", "--sign", "none"),
        ("--sign", "rows.csv"),
        ("--disclosure", "d.json", "--out", "d.json"),
    ],
    ids=str,
)
def test_what_cannot_be_written_or_signed_is_found_before_the_charge(words):
    assert_one_line(run(*ASKED, *words), 2)
    assert Ledger("b.db").entries() == []


def test_a_release_is_verified_by_its_page_and_its_disclosure():
    ok(*ASKED, "--disclosure", "d.json", "--html", "p.html")
    for file in ("d.json", "p.html"):
        text = ok("verify", file, "--ledger", "b.db")
        assert "epsilon 1" in text
        assert "have it as entry 1" in text
        assert "not signed" in text
        assert json.loads(ok("verify", file, "--json"))["digest"] == "right"
        assert_one_line(run("verify", file, "--ledger", "other.db"), 2)
        Path(file).write_text(Path(file).read_text().replace("Pure DP", "Approximate DP"))
        assert_one_line(run("verify", file), 2)


def test_a_record_is_drafted_from_it():
    ok(*ASKED, "--disclosure", "d.json")
    said = json.loads(ok("record", "d.json", "--say", "name=People = all", "--json"))
    assert said["deployment"]["basic"]["name"] == "People = all"
    assert "TODO" in ok("record", "d.json")
    assert_one_line(run("record", "d.json", "--say", "nome=x"), 2)
    assert_one_line(run("record", "rows.csv"), 2)
